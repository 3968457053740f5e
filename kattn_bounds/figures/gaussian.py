"""Gaussian Kernel Attention: its spectrum on the cube, what it saves at each depth, and the trained small models."""

from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import mean
from typing import Any

from kattn_bounds.figures.base import Table, decimal_fraction
from kattn_bounds.figures.style import WIDE, log_ticks, look, style
from kattn_bounds.gaussian.accounting import Shape, depth_table

M = 8
RESULTS = Path(__file__).parent.parent.parent / "experiments" / "gka_language" / "results"


def spectrum() -> list[tuple[Any, ...]]:
    """Eigenvalues (1+g)^(m-j) (1-g)^j over the largest, for three bandwidths; decimals."""
    rows: list[tuple[Any, ...]] = []
    for text, sigma2 in (("1/4", 0.25), ("1", 1.0), ("4", 4.0)):
        g = math.exp(-1 / (2 * sigma2))
        ratio = (1 - g) / (1 + g)
        rows += [("spectrum", f"sigma^2 = {text}", j, decimal_fraction(ratio**j)) for j in range(M + 1)]
    return rows


def ratios() -> list[tuple[Any, ...]]:
    """GKA over baseline: parameters and training FLOPs per token (nanochat's rule), by depth; exact."""
    table = depth_table(Shape(20))
    return [("ratio", "parameters", row.depth, row.parameters) for row in table] + [
        ("ratio", "FLOPs per token", row.depth, row.flops) for row in table
    ]


def curves() -> list[tuple[Any, ...]]:
    """Bits per byte on the sample of validation windows watched in training, mean over finished seeds (none stored: nothing)."""
    rows: list[tuple[Any, ...]] = []
    for variant, name in (("baseline", "softmax"), ("gka", "GKA")):
        runs = [json.loads(path.read_text()) for path in sorted(RESULTS.glob(f"{variant}-seed*.json"))]
        runs = [run for run in runs if run["done"]]
        for points in zip(*(run["curve"] for run in runs), strict=True):
            tokens = points[0]["step"] * runs[0]["tokens_per_step"]
            value = decimal_fraction(mean(point["validation_bpb"] for point in points))
            rows.append(("bits per byte", f"{name}, {len(runs)} seeds", tokens, value))
    return rows


def bandwidths() -> list[tuple[Any, ...]]:
    """Learned bandwidth of each layer over training, mean over heads and finished seeds; nothing when none is stored."""
    runs = [json.loads(path.read_text()) for path in sorted(RESULTS.glob("gka-seed*.json"))]
    rows: list[tuple[Any, ...]] = []
    for points in zip(*(run["curve"] for run in runs if run["done"]), strict=True):
        tokens = points[0]["step"] * runs[0]["tokens_per_step"]
        for layer in range(len(points[0]["sigma"])):
            sigma = mean(value for point in points for value in point["sigma"][layer])
            rows.append(("bandwidth", f"layer {layer + 1}", tokens, decimal_fraction(sigma)))
    return rows


def data(small: bool = False) -> Table:
    """Columns panel, series, x, y."""
    return Table(("panel", "series", "x", "y"), [*spectrum(), *ratios(), *curves(), *bandwidths()])


def plot(table: Table) -> Any:
    """Four panels; the last two only where trained models are stored."""
    panels = table.series("panel")
    with style() as plt:
        rows_of_panels = (len(panels) + 1) // 2
        figure, grid = plt.subplots(rows_of_panels, 2, figsize=(WIDE, 2.3 * rows_of_panels), squeeze=False)
        for (panel, rows), ax in zip(panels.items(), grid.flat, strict=True):
            trained = panel in ("bits per byte", "bandwidth")
            unit = 1000 if trained else 1
            for i, name in enumerate(dict.fromkeys(row["series"] for row in rows)):
                points = [row for row in rows if row["series"] == name]
                label = name.replace("sigma^2", r"$\sigma^2$")
                ax.plot(
                    [p["x"] / unit for p in points], [float(p["y"]) for p in points], label=label, **look(i)
                )
            ax.legend()
            if trained:
                ax.set_xlabel("training bytes, thousands")
                ax.set_ylabel(
                    "bits per byte, validation sample"
                    if panel == "bits per byte"
                    else r"mean bandwidth $\sigma$"
                )
            elif panel == "spectrum":
                ax.set_yscale("log")
                log_ticks(ax.yaxis, [1, 1e-2, 1e-4, 1e-6])
                ax.set_xticks(range(0, M + 1, 2))
                ax.set_xlabel("level j")
                ax.set_ylabel(f"eigenvalue / largest, m = {M}")
            else:
                ax.set_ylim(0, 1)
                ax.set_xlabel("depth")
                ax.set_ylabel("GKA / baseline")
        return figure
