"""Table and figures from the stored runs: results/summary.txt, results/summary.json, results/curves.png, results/locality.png.

python experiments/gka_language/plot.py              reads results/*-seed*.json (no torch needed)
"""

from __future__ import annotations

import json
import statistics
from itertools import pairwise
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

RESULTS = Path(__file__).parent / "results"
VARIANTS = {
    "baseline": ("dot-product attention", "tab:blue"),
    "gka": ("GKA, the same bytes", "tab:orange"),
    "gka_equal_flops": ("GKA, the same FLOPs", "tab:green"),
}


def load() -> dict[str, list[dict[str, Any]]]:
    """Finished runs by variant, in order of the seed."""
    runs = [json.loads(p.read_text()) for p in sorted(RESULTS.glob("*-seed*.json"))]
    return {v: [r for r in runs if r["variant"] == v and r["done"]] for v in VARIANTS}


def total_flops(run: dict[str, Any]) -> float:
    return float(run["steps"] * run["tokens_per_step"] * run["flops_per_token"])


def summarise(runs: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Per variant: counts, final bits per byte (each seed, mean), gaps, stability, time."""
    summary: dict[str, Any] = {}
    for variant, group in runs.items():
        if not group:
            continue
        held = [r["final_validation_bpb"] for r in group]
        gaps = [r["final_validation_bpb"] - r["final_train_bpb"] for r in group]
        curves = [[c["validation_bpb"] for c in r["curve"]] for r in group]
        rises = [max(b - a for a, b in pairwise(c)) for c in curves]
        norms = [
            max(c["gradient_norm_max"] for c in r["curve"] if c["gradient_norm_max"] is not None)
            for r in group
        ]
        summary[variant] = {
            "seeds": [r["seed"] for r in group],
            "parameters": group[0]["parameters"],
            "flops_per_byte": group[0]["flops_per_token"],
            "steps": group[0]["steps"],
            "bytes": group[0]["steps"] * group[0]["tokens_per_step"],
            "training_flops": total_flops(group[0]),
            "train_bpb": [r["final_train_bpb"] for r in group],
            "validation_bpb": held,
            "validation_bpb_mean": round(statistics.fmean(held), 4),
            "gap": [round(g, 4) for g in gaps],
            "gap_mean": round(statistics.fmean(gaps), 4),
            "greatest_rise_between_points": round(max(rises), 4),
            "greatest_gradient_norm": round(max(norms), 2),
            "cpu_seconds_per_step": round(statistics.median(r["cpu_seconds_per_step"] for r in group), 4),
        }
    return summary


def at_equal_flops(runs: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """GKA minus baseline at equal training FLOPs while both still train at the full rate (the first 60 % of their steps).

    There neither has an advantage from the decay of the rate. GKA's curve is interpolated at the baseline's FLOPs; one entry a
    point of the baseline, with the difference of every seed that has both runs.
    """
    found: dict[int, list[float]] = {}
    flops: dict[int, float] = {}
    for base in runs["baseline"]:
        for gka in (r for r in runs["gka"] if r["seed"] == base["seed"]):
            cost = {r["variant"]: r["tokens_per_step"] * r["flops_per_token"] for r in (base, gka)}
            curve = [
                (c["step"], c["validation_bpb"]) for c in gka["curve"] if c["step"] <= 0.6 * gka["steps"]
            ]
            for point in base["curve"][1:]:
                step = point["step"] * cost["baseline"] / cost["gka"]
                for (s0, v0), (s1, v1) in pairwise(curve):
                    if s0 <= step <= s1 and point["step"] <= 0.6 * base["steps"]:
                        value = v0 + (v1 - v0) * (step - s0) / (s1 - s0)
                        found.setdefault(point["step"], []).append(round(value - point["validation_bpb"], 4))
                        flops[point["step"]] = point["step"] * cost["baseline"]
                        break
    return [
        {"baseline_step": s, "flops": flops[s], "gka_minus_baseline": d} for s, d in sorted(found.items())
    ]


def table(summary: dict[str, Any], equal: list[dict[str, Any]]) -> str:
    head = (
        f"{'':<24}{'param.':>8}{'MFLOP/B':>9}{'steps':>7}{'TFLOP':>7}{'train':>8}{'valid.':>8}{'gap':>8}"
        f"{'max grad':>10}{'CPU s/step':>12}"
    )
    lines = [head]
    for variant, s in summary.items():
        lines.append(
            f"{VARIANTS[variant][0]:<24}{s['parameters']:>8}{s['flops_per_byte'] / 1e6:>9.3f}{s['steps']:>7}"
            f"{s['training_flops'] / 1e12:>7.3f}{statistics.fmean(s['train_bpb']):>8.4f}{s['validation_bpb_mean']:>8.4f}"
            f"{s['gap_mean']:>8.4f}{s['greatest_gradient_norm']:>10.2f}{s['cpu_seconds_per_step']:>12.4f}"
        )
    lines.append("")
    lines.append("validation bits per byte by seed:")
    for variant, s in summary.items():
        lines.append(f"  {VARIANTS[variant][0]:<24}" + "  ".join(f"{v:.4f}" for v in s["validation_bpb"]))
    base = summary.get("baseline")
    for variant in ("gka", "gka_equal_flops"):
        if base and variant in summary:
            pairs = zip(summary[variant]["validation_bpb"], base["validation_bpb"], strict=False)
            lines.append(
                f"  {VARIANTS[variant][0]} minus baseline, by seed: "
                + "  ".join(f"{a - b:+.4f}" for a, b in pairs)
            )
    if equal:
        lines += [
            "",
            "GKA minus baseline at equal training FLOPs, before the rate decays (one number a seed):",
        ]
        for point in equal:
            values = "  ".join(f"{d:+.4f}" for d in point["gka_minus_baseline"])
            lines.append(
                f"  {point['flops'] / 1e12:.3f} TFLOP (baseline step {point['baseline_step']}): {values}"
            )
    return "\n".join(lines) + "\n"


def plot_curves(runs: dict[str, list[dict[str, Any]]]) -> None:
    figure = Figure(figsize=(11, 3.8), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    for variant, group in runs.items():
        name, colour = VARIANTS[variant]
        for i, run in enumerate(group):
            points = run["curve"][1:]
            seen = [p["step"] * run["tokens_per_step"] / 1e3 for p in points]
            flops = [p["step"] * run["tokens_per_step"] * run["flops_per_token"] / 1e12 for p in points]
            held = [p["validation_bpb"] for p in points]
            gap = [p["validation_bpb"] - p["train_bpb"] for p in points]
            label = name if i == 0 else None
            left.plot(seen, held, color=colour, linewidth=1.1, label=label)
            middle.plot(flops, held, color=colour, linewidth=1.1, label=label)
            right.plot(seen, gap, color=colour, linewidth=1.1, label=label)
    left.set_xlabel("bytes seen (thousands)")
    left.set_ylabel("validation bits per byte")
    middle.set_xlabel("training TFLOP")
    middle.set_ylabel("validation bits per byte")
    right.set_xlabel("bytes seen (thousands)")
    right.set_ylabel("validation - training bits per byte")
    for axes in (left, middle, right):
        axes.grid(alpha=0.3)
    left.legend(fontsize=8)
    figure.suptitle("One line a seed; training ends with a decay of the learning rate", fontsize=10)
    figure.savefig(RESULTS / "curves.png", dpi=150)


def plot_locality(runs: dict[str, list[dict[str, Any]]]) -> None:
    group = runs["gka"]
    layers = len(group[0]["curve"][0]["sigma"])
    heads = len(group[0]["curve"][0]["sigma"][0])
    windows = group[0]["config"]["windows"]
    figure = Figure(figsize=(11, 7.2), layout="constrained")
    axes = figure.subplots(3, layers, sharex=True, sharey="row")
    rows = (
        ("sigma", "bandwidth"),
        ("distance", "mean distance attended (bytes)"),
        ("own_weight", "weight on the byte itself"),
    )
    for row, (key, title) in enumerate(rows):
        for layer in range(layers):
            ax = axes[row][layer]
            for head in range(heads):
                for i, run in enumerate(group):
                    steps = [c["step"] for c in run["curve"]]
                    values = [c[key][layer][head] for c in run["curve"]]
                    label = f"head {head + 1}" if i == 0 else None
                    ax.plot(steps, values, color=f"C{head}", linewidth=1, alpha=0.85, label=label)
            ax.grid(alpha=0.3)
            if row == 0:
                ax.set_title(f"layer {layer + 1}, window {windows[layer]}", fontsize=10)
            if row == 2:
                ax.set_xlabel("step")
        axes[row][0].set_ylabel(title)
    axes[0][0].legend(fontsize=8)
    figure.suptitle("What the Gaussian heads learn to attend to (one line a seed)", fontsize=11)
    figure.savefig(RESULTS / "locality.png", dpi=140)


def main() -> None:
    runs = load()
    summary = summarise(runs)
    equal = at_equal_flops(runs)
    stored = {"variants": summary, "equal_flops_before_decay": equal}
    (RESULTS / "summary.json").write_text(json.dumps(stored, indent=2) + "\n")
    text = table(summary, equal)
    (RESULTS / "summary.txt").write_text(text)
    print(text, end="")
    plot_curves(runs)
    if runs["gka"]:
        plot_locality(runs)


if __name__ == "__main__":
    main()
