"""Draws results/sandwich-n3.png from results/signed-n3.json and results/nonneg-n3.json (written by run.sh)."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

RESULTS = Path(__file__).resolve().parent / "results"
LOOK = {"signed": ("tab:blue", "signed features"), "nonneg": ("tab:orange", "non-negative features")}


def main() -> None:
    figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    known = {name: json.loads((RESULTS / f"{name}-n3.json").read_text())["rows"] for name in LOOK}
    sizes = [row["m"] for row in known["signed"]]
    lower = {name: [row["lower"]["value"] for row in rows] for name, rows in known.items()}
    same = lower["signed"] == lower["nonneg"]
    for name, (color, label) in LOOK.items():
        upper = [row["upper"]["value"] for row in known[name]]
        axes.plot(sizes, upper, "v-", color=color, ms=5, label=f"upper, {label}")
        if not same:
            axes.plot(sizes, lower[name], "^--", color=color, ms=5, label=f"lower, {label}")
    if same:
        axes.plot(sizes, lower["signed"], "^--", color="black", ms=5, label="lower, signed and non-negative")
    axes.plot(sizes, [2**m for m in sizes], ":", color="gray", label="$2^m$, expanded softmax")
    axes.set_yscale("log", base=2)
    axes.set_xlabel("coordinates of a token, m")
    axes.set_ylabel("features D")
    axes.set_title("How many features length three needs: certified bounds on D*(m, 3)", fontsize=10)
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(integer=True))
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(RESULTS / "sandwich-n3.png", dpi=150)


if __name__ == "__main__":
    main()
