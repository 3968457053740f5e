"""Features needed against length at fixed m: the proved lower bound tends to the middle layer, heads reach 2^m."""

from __future__ import annotations

from math import comb
from typing import Any

from kattn_bounds.figures.base import Table
from kattn_bounds.figures.style import COLUMN, log_ticks, look, powers_of_two, style
from kattn_bounds.lower.bounds import lower_bounds
from kattn_bounds.setting import Setting
from kattn_bounds.upper.bounds import upper_bounds

M = 8


def data(small: bool = False) -> Table:
    """Columns series, m, n, features, known_by; exact."""
    m = 5 if small else M
    lengths = (3, 4, 5, 6, 8, 12, 20) if small else (3, 4, 5, 6, 8, 10, 14, 20, 30, 50, 100)
    lower, upper, whole, middle = [], [], [], []
    for n in lengths:
        best = max(lower_bounds(Setting(m, n)), key=lambda b: b.value)
        lower.append(("best proved lower bound", m, n, best.value, best.id))
        known = min(upper_bounds(Setting(m, n)), key=lambda b: b.value)
        upper.append(("best known upper bound", m, n, known.value, known.id))
        whole.append(("2^m, the expanded kernel", m, n, 2**m, "C3"))
        middle.append(("C(m, m/2), the limit of L1", m, n, comb(m, m // 2), "L4"))
    rows: list[tuple[Any, ...]] = [*lower, *upper, *whole, *middle]
    return Table(("series", "m", "n", "features", "known_by"), rows)


def plot(table: Table) -> Any:
    """Features against n, both scales logarithmic."""
    with style() as plt:
        figure, axes = plt.subplots(figsize=(COLUMN, 2.9))
        for i, (name, rows) in enumerate(table.series("series").items()):
            marks = look(i) | ({"marker": ""} if i > 1 else {})
            axes.plot([r["n"] for r in rows], [r["features"] for r in rows], label=name, **marks)
        axes.set_xscale("log")
        axes.set_yscale("log", base=2)
        log_ticks(
            axes.xaxis, [n for n in (3, 6, 10, 30, 100, 300, 1000) if n <= max(r[2] for r in table.rows)]
        )
        axes.set_xlabel("length n, the query included")
        axes.set_ylabel(f"features D, m = {table.rows[0][1]}")
        log_ticks(axes.yaxis, powers_of_two(*axes.get_ylim()))
        axes.legend(loc="upper center", bbox_to_anchor=(0.42, -0.18), ncols=2, columnspacing=0.8)
        return figure
