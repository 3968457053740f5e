"""Growth rates against length: c in c^(m + o(m)) for every bound, signed and non-negative features (S1)."""

from __future__ import annotations

from typing import Any

from kattn_bounds.figures.base import Table, decimal_fraction
from kattn_bounds.figures.style import WIDE, log_ticks, look, style
from kattn_bounds.lower.exponent import exponents

NAMES = {
    "L1": "L1, lower, signed",
    "C7": "C7, upper, signed",
    "L9": "L9, lower, non-negative",
    "C8": "C8, upper, non-negative",
    "C6": "C6, upper, non-negative",
    "C5": "C5, upper, non-negative",
}


def data(small: bool = False) -> Table:
    """Columns bound, n, base_low, base_high: an enclosure of the base, rounded outwards at the sixth digit."""
    lengths = (3, 4, 5, 6, 10) if small else (3, 4, 5, 6, 7, 8, 10, 13, 16, 20, 25, 34)
    rows: list[tuple[Any, ...]] = []
    for n in lengths:
        for found in exponents(n):
            low, high = found.base.lower, found.base.upper
            rows.append(
                (NAMES[found.id], n, decimal_fraction(float(low), 6), decimal_fraction(float(high), 6))
            )
    order = list(NAMES.values())
    rows.sort(key=lambda row: (order.index(row[0]), row[1]))
    return Table(("bound", "n", "base_low", "base_high"), rows)


def plot(table: Table) -> Any:
    """Left: the bases. Right: what is missing to 2, on a log scale, where the bounds separate at large n."""
    with style() as plt:
        figure, (left, right) = plt.subplots(1, 2, figsize=(WIDE, 2.7))
        for i, (name, rows) in enumerate(table.series("bound").items()):
            n = [row["n"] for row in rows]
            base = [(float(row["base_low"]) + float(row["base_high"])) / 2 for row in rows]
            left.plot(n, base, label=name, **look(i))
            right.plot(n, [2 - b for b in base], **look(i))
        left.axhline(2, color="#888888", linewidth=0.8)
        left.text(3, 1.985, "2: all features", va="top", fontsize=6.5, color="#555555")
        left.set_ylabel(r"base $c$ in $c^{m+o(m)}$")
        right.set_ylabel(r"$2 - c$")
        right.set_yscale("log")
        log_ticks(right.yaxis, [0.03, 0.05, 0.1, 0.2, 0.4, 0.7])
        for axes in (left, right):
            axes.set_xscale("log")
            log_ticks(
                axes.xaxis, [n for n in (3, 4, 6, 10, 20, 34) if n <= max(row[1] for row in table.rows)]
            )
            axes.set_xlabel("length n, the query included")
        figure.legend(loc="outside lower center", ncols=3)
        return figure
