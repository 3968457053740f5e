"""The temperature at which softmax solves, against length: the verifier's threshold on the theory's line (C2)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from kattn_bounds.figures.base import Table, decimal_fraction
from kattn_bounds.figures.style import COLUMN, log_ticks, look, powers_of_two, style
from kattn_bounds.kernels import softmax
from kattn_bounds.setting import Setting
from kattn_bounds.verify import decide


def threshold(m: int, n: int, steps: int = 12) -> tuple[Fraction, Fraction]:
    """(largest x found that solves, smallest x found that does not), dyadic, by bisection with the verifier."""
    solves, fails = Fraction(0), Fraction(1)
    for _ in range(steps):
        x = (solves + fails) / 2
        if decide(softmax(m, x), Setting(m, n)).solves:
            solves = x
        else:
            fails = x
    return solves, fails


def theory(m: int, n: int) -> float:
    """The least beta = -ln x: the largest of ln((n-1)(2s-1))/s over 1 <= s <= m."""
    return max(math.log((n - 1) * (2 * s - 1)) / s for s in range(1, m + 1))


def data(small: bool = False) -> Table:
    """Columns m, n, x_solves, x_fails (exact bracket of the threshold), beta_theory (decimal)."""
    m = 4 if small else 8
    lengths = [2, 3, 4, 6, 8, 12, 16] if small else [2, 3, 4, 5, 6, 8, 10, 13, 16, 24, 32, 48, 64]
    rows = [(m, n, *threshold(m, n), decimal_fraction(theory(m, n))) for n in lengths]
    return Table(("m", "n", "x_solves", "x_fails", "beta_theory"), list(rows))


def plot(table: Table) -> Any:
    """beta = 1/temperature against n, log scale in n."""
    with style() as plt:
        figure, axes = plt.subplots(figsize=(COLUMN, 2.3))
        rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        n = [row["n"] for row in rows]
        axes.plot(n, [float(row["beta_theory"]) for row in rows], "-", color="#0072B2", label="theory (C2)")
        middle = [-math.log((row["x_solves"] + row["x_fails"]) / 2) for row in rows]
        point = look(0) | {"linestyle": "none"}
        axes.plot(n, middle, label="verifier", **point)
        axes.plot(n, [math.log(k - 1) if k > 2 else 0 for k in n], ":", color="#D55E00", label="ln(n - 1)")
        axes.set_xscale("log", base=2)
        log_ticks(axes.xaxis, powers_of_two(2, max(n)))
        axes.set_xlabel("length n, the query included")
        axes.set_ylabel(r"least inverse temperature $\beta$")
        axes.set_ylim(bottom=0)
        axes.legend(loc="upper left")
        return figure
