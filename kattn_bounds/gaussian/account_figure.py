"""The figure of `gka account`: ratios of parameters and training FLOPs over the depth."""

from __future__ import annotations

from pathlib import Path

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.gaussian.accounting import PUBLISHED_FLOPS, PUBLISHED_PARAMETERS, Shape, depth_table


def save(target: str, shape: Shape) -> None:
    """Draw the ratios over depths 4 to 32 and write the file (PNG, SVG or PDF by its ending)."""
    path = Path(target)
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise InputError(f"figure '{shorten(target)}' has no known format: end it in .png, .svg or .pdf")
    if not path.parent.is_dir():
        raise InputError(f"folder '{shorten(path.parent)}' does not exist: create it or give another file")
    from matplotlib.figure import Figure

    rows = depth_table(shape)
    depths = [row.depth for row in rows]
    figure = Figure(figsize=(7.2, 4.4), layout="constrained")
    axes = figure.subplots()
    for label, values, marker in (
        ("training FLOPs, the same tokens", [float(r.flops) for r in rows], "s"),
        (
            "training FLOPs, tokens in proportion to scaling parameters",
            [float(r.flops_scaled) for r in rows],
            "^",
        ),
        ("parameters", [float(r.parameters) for r in rows], "o"),
    ):
        axes.plot(depths, values, marker=marker, markersize=4, linewidth=1.4, label=label)
    for name, value, style, dy in (
        ("published FLOPs 0.49", PUBLISHED_FLOPS, "x", 7),
        ("published parameters 0.42", PUBLISHED_PARAMETERS, "+", -13),
    ):
        axes.plot([20], [float(value)], style, color="black", markersize=9)
        axes.annotate(name, (20, float(value)), xytext=(8, dy), textcoords="offset points", fontsize=9)
    axes.set_xlabel("depth (width = 64 x depth, rounded up to a multiple of 128)")
    axes.set_ylabel("GKA / baseline")
    axes.set_ylim(0, 1)
    axes.set_xticks(depths)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower left", fontsize=8.5)
    axes.set_title("Gaussian Kernel Attention against the nanochat baseline", fontsize=11)
    figure.savefig(path, dpi=150)
