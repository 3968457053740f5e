"""One style for all figures: column widths of a paper, vector fonts, colours that differ in grey, a marker each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

COLUMN = 3.4
"""Width of one column, in inches."""

WIDE = 7.0
"""Width of two columns, in inches."""

# From dark to light, so that the order survives printing in grey (Okabe and Ito's set, reordered by lightness).
COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)), (0, (1, 1)))


@contextmanager
def style() -> Iterator[Any]:
    """pyplot under the figures' settings; draws without a screen."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    settings: Any = {
        "font.size": 8,
        "axes.titlesize": 8,
        "axes.labelsize": 8,
        "legend.fontsize": 7,
        "xtick.labelsize": 7,
        "ytick.labelsize": 7,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#dddddd",
        "grid.linewidth": 0.5,
        "lines.linewidth": 1.2,
        "lines.markersize": 3.5,
        "legend.frameon": False,
        "pdf.fonttype": 42,
        "ps.fonttype": 42,
        "svg.fonttype": "none",
        "svg.hashsalt": "kattn-bounds",
        "savefig.dpi": 200,
        "figure.constrained_layout.use": True,
    }
    with plt.rc_context(settings):
        yield plt


def look(i: int) -> dict[str, Any]:
    """Colour, marker and line of the i-th series."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "marker": MARKERS[i % len(MARKERS)],
        "linestyle": LINES[i % len(LINES)],
    }


def log_ticks(axis: Any, values: Sequence[float]) -> None:
    """Ticks of a logarithmic axis at these values, written as plain numbers, or as powers of two from 2^12 on."""
    labels = [f"{v:g}" if v < 4096 else f"$2^{{{int(v).bit_length() - 1}}}$" for v in values]
    axis.set_ticks(list(values), labels)
    axis.set_minor_locator(_no_ticks())


def powers_of_two(low: float, high: float, most: int = 8) -> list[float]:
    """Powers of two that cover [low, high], thinned to at most `most`.

    >>> powers_of_two(3, 40)
    [4, 8, 16, 32]
    """
    exponents = [e for e in range(-8, 64) if low <= 2.0**e <= high]
    step = -(-len(exponents) // most)
    return [2**e if e >= 0 else 2.0**e for e in exponents[:: max(step, 1)]]


def _no_ticks() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()
