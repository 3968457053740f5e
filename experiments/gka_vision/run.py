"""ViT against GKA-ViT on scikit-learn's digits: runs, table and figure.

python experiments/gka_vision/run.py                 all runs (resumes), then results/summary.json and results/curves.png
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import torch
from matplotlib.figure import Figure

from kattn_bounds.gaussian.vision import run

HERE = Path(__file__).parent
SEEDS = (0, 1, 2)
STEPS = 400
KINDS = ("baseline", "gka")
NAMES = {"baseline": "ViT", "gka": "GKA-ViT"}


def main() -> None:
    torch.set_num_threads(1)
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    records = {
        kind: [run(kind, seed, steps=STEPS, path=results / f"{kind}-seed{seed}.json") for seed in SEEDS]
        for kind in KINDS
    }
    summary = {}
    for kind, runs in records.items():
        last = [r["curve"][-1] for r in runs]
        summary[kind] = {
            "parameters": runs[0]["parameters"],
            "flops_per_patch": runs[0]["flops_per_patch"],
            "cpu_seconds_per_step": statistics.median(r["cpu_seconds_per_step"] for r in runs),
            **{
                f"{key}_{which}": round(f([c[key] for c in last]), 4)
                for key in ("train_accuracy", "validation_accuracy", "train_loss", "validation_loss")
                for which, f in (("mean", statistics.fmean), ("min", min), ("max", max))
            },
        }
    (results / "summary.json").write_text(json.dumps(summary, indent=2) + "\n")
    print(
        f"{'':<10}{'parameters':>12}{'FLOP/patch':>12}{'train acc.':>12}{'valid. acc.':>13}{'train loss':>12}{'valid. loss':>13}"
    )
    for kind, s in summary.items():
        print(
            f"{NAMES[kind]:<10}{s['parameters']:>12}{s['flops_per_patch']:>12}{s['train_accuracy_mean']:>12.4f}"
            f"{s['validation_accuracy_mean']:>13.4f}{s['train_loss_mean']:>12.4f}{s['validation_loss_mean']:>13.4f}"
        )

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    for kind, colour in zip(KINDS, ("tab:blue", "tab:orange"), strict=True):
        for i, r in enumerate(records[kind]):
            steps = [c["step"] for c in r["curve"]]
            for key, style in (("validation_accuracy", "-"), ("train_accuracy", ":")):
                part = "validation" if key.startswith("v") else "training"
                label = f"{NAMES[kind]}, {part}" if i == 0 else None
                left.plot(
                    steps, [c[key] for c in r["curve"]], style, color=colour, linewidth=1.2, label=label
                )
    for layer, shade in enumerate(("#fdae6b", "#f16913", "#a63603")):
        for i, r in enumerate(records["gka"]):
            for head in range(4):
                right.plot(
                    [c["step"] for c in r["curve"]],
                    [c["sigma"][layer][head] for c in r["curve"]],
                    color=shade,
                    linewidth=0.9,
                    label=f"layer {layer + 1}" if i == 0 and head == 0 else None,
                )
    left.set_xlabel("step")
    left.set_ylabel("accuracy")
    left.legend(fontsize=8)
    right.set_xlabel("step")
    right.set_ylabel("bandwidth of a head (all seeds)")
    right.legend(fontsize=8)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(results / "curves.png", dpi=150)


if __name__ == "__main__":
    main()
