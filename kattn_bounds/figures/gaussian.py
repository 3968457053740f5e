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
    """Validation bits per byte over training, mean over the finished seeds; nothing when none is stored."""
    rows: list[tuple[Any, ...]] = []
    for variant, name in (("baseline", "softmax"), ("gka", "GKA")):
        runs = [json.loads(path.read_text()) for path in sorted(RESULTS.glob(f"{variant}-seed*.json"))]
        runs = [run for run in runs if run["done"]]
        for points in zip(*(run["curve"] for run in runs), strict=True):
            tokens = points[0]["step"] * runs[0]["tokens_per_step"]
            value = decimal_fraction(mean(point["validation_bpb"] for point in points))
            rows.append(("bits per byte", f"{name}, {len(runs)} seeds", tokens, value))
    return rows


def data(small: bool = False) -> Table:
    """Columns panel, series, x, y."""
    return Table(("panel", "series", "x", "y"), [*spectrum(), *ratios(), *curves()])


def plot(table: Table) -> Any:
    """Three panels; the third only where trained models are stored."""
    panels = table.series("panel")
    with style() as plt:
        figure, axes = plt.subplots(1, len(panels), figsize=(WIDE, 2.4))
        for (panel, rows), ax in zip(panels.items(), axes, strict=True):
            names = list(dict.fromkeys(row["series"] for row in rows))
            for i, name in enumerate(names):
                points = [row for row in rows if row["series"] == name]
                label = name.replace("sigma^2", r"$\sigma^2$")
                marks = look(i) | (
                    {"markevery": max(1, len(points) // 8)} if panel == "bits per byte" else {}
                )
                unit = 1000 if panel == "bits per byte" else 1
                ax.plot(
                    [p["x"] / unit for p in points], [float(p["y"]) for p in points], label=label, **marks
                )
            ax.legend()
            if panel == "spectrum":
                ax.set_yscale("log")
                log_ticks(ax.yaxis, [1, 1e-2, 1e-4, 1e-6])
                ax.set_xticks(range(0, M + 1, 2))
                ax.set_xlabel("level j")
                ax.set_ylabel(f"eigenvalue / largest, m = {M}")
            elif panel == "ratio":
                ax.set_ylim(0, 1)
                ax.set_xlabel("depth")
                ax.set_ylabel("GKA / baseline")
            else:
                ax.set_xlabel("training bytes, thousands")
                ax.set_ylabel("validation bits per byte")
        return figure
