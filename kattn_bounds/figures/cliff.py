"""The cliff: worst-case error against length. One feature is exact up to length two and fails from three on."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from kattn_bounds.figures.base import Table
from kattn_bounds.figures.style import COLUMN, look, style
from kattn_bounds.kernels import ClassKernel, formula, signed_token_values, uniform
from kattn_bounds.setting import Setting
from kattn_bounds.verify import decide

HEADS = (
    ("one feature, free readout", None),
    ("K = 1 + 2u (linear)", "1 + 2*u"),
    ("K = (1 + u)^2 (quadratic)", "(1 + u)**2"),
    ("softmax, x = 1/3", "3**-t"),
    ("softmax, x = 1/9", "9**-t"),
)


def data(small: bool = False) -> Table:
    """Exact worst-case error at n = 1..10 for each head; columns head, m, n, worst_error."""
    m = 4 if small else 6
    rows: list[tuple[str, int, int, Fraction | None]] = []
    for name, text in HEADS:
        for n in range(1, 11):
            if text is None:
                found = decide(uniform(m), Setting(m, n, readout="free"), signed_token_values(m))
            else:
                kernel: ClassKernel = formula(text, m)
                found = decide(kernel, Setting(m, n))
            rows.append((name, m, n, found.worst_error))
    return Table(("head", "m", "n", "worst_error"), list(rows))


def plot(table: Table) -> Any:
    """Worst-case error against n, with the tolerance as a line."""
    with style() as plt:
        figure, axes = plt.subplots(figsize=(COLUMN, 2.5))
        axes.axhline(0.5, color="#555555", linewidth=1, label="tolerance 1/2")
        for i, (head, rows) in enumerate(table.series("head").items()):
            axes.plot([r["n"] for r in rows], [float(r["worst_error"]) for r in rows], label=head, **look(i))
        axes.set_ylim(bottom=-0.08)
        axes.set_yticks([0, 0.5, 1, 2, 3, 4, 5], ["0", "1/2", "1", "2", "3", "4", "5"])
        axes.set_xticks(range(1, 11))
        axes.set_xlabel("length n, the query included")
        axes.set_ylabel(f"worst-case error, m = {table.rows[0][1]}")
        axes.legend(
            loc="upper center", bbox_to_anchor=(0.46, -0.2), ncols=2, columnspacing=0.8, handlelength=2.4
        )
        return figure
