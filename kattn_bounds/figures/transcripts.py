"""The transcript bound (P6): bits that must cross from n data tokens to the queries, against n, for several m."""

from __future__ import annotations

from typing import Any

from kattn_bounds.figures.base import Table, decimal_fraction
from kattn_bounds.figures.style import WIDE, log_ticks, look, powers_of_two, style
from kattn_bounds.transcript.bound import transcript_bound

ALPHABETS = (2, 256, 65536)


def data(small: bool = False) -> Table:
    """Columns m, n, alphabet, symbols (least L H, exact), bits (of the best argument, decimal), argument."""
    rows: list[tuple[Any, ...]] = []
    for m in (4, 6) if small else (6, 8, 12, 16):
        for n in (1, 2, 4, 8) if small else (1, 2, 4, 8, 16, 32, 64):
            for alphabet in ALPHABETS:
                bound = transcript_bound(m, n, alphabet)
                best = bound.best
                rows.append((m, n, alphabet, bound.least, decimal_fraction(best.bits, 5), best.name))
    return Table(("m", "n", "alphabet", "symbols", "bits", "argument"), rows)


def plot(table: Table) -> Any:
    """Left: bits against n for each m. Right: least L H against n at the largest m, for each alphabet."""
    with style() as plt:
        figure, (left, right) = plt.subplots(1, 2, figsize=(WIDE, 2.6))
        for i, (m, rows) in enumerate(table.series("m").items()):
            bits = [row for row in rows if row["alphabet"] == ALPHABETS[0]]
            left.plot(
                [row["n"] for row in bits], [float(row["bits"]) for row in bits], label=f"m = {m}", **look(i)
            )
        left.set_ylabel(r"bits, $\log_2$ of the answer vectors forced")
        largest = max(row[0] for row in table.rows)
        for i, alphabet in enumerate(ALPHABETS):
            rows = [row for row in table.series("m")[largest] if row["alphabet"] == alphabet]
            right.plot(
                [row["n"] for row in rows],
                [row["symbols"] for row in rows],
                label=f"{alphabet} symbols",
                **look(i),
            )
        right.set_ylabel(f"least layers x heads, m = {largest}")
        for axes in (left, right):
            axes.set_xscale("log", base=2)
            axes.set_yscale("log", base=2)
            log_ticks(
                axes.xaxis, [row[1] for row in table.rows if row[0] == largest and row[2] == ALPHABETS[0]]
            )
            log_ticks(axes.yaxis, powers_of_two(*axes.get_ylim()))
            axes.set_xlabel("data tokens n")
            axes.legend()
        return figure
