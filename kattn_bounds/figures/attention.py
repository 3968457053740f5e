"""The task in one picture: attention weights of a head that solves and of one that does not, on the same sequence."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from kattn_bounds.attention import attend
from kattn_bounds.cube import format_token, inner
from kattn_bounds.figures.base import Table
from kattn_bounds.figures.style import WIDE, style
from kattn_bounds.kernels import softmax, uniform

SEQUENCE = (0b0001, 0b0111, 0b1110, 0b1111)
HEADS = (("softmax, x = 1/9: right", softmax(4, Fraction(1, 9))), ("uniform weights: wrong", uniform(4)))


def data(small: bool = False) -> Table:
    """Columns head, position, token, inner_product, weight, output, target; exact."""
    rows: list[tuple[Any, ...]] = []
    sequence, query = SEQUENCE, SEQUENCE[-1]
    for name, kernel in HEADS:
        head = attend(sequence, kernel.value)
        assert head.weights is not None
        for j, (token, weight) in enumerate(zip(sequence, head.weights, strict=True), start=1):
            rows.append(
                (name, j, "x" + format_token(token, 4), inner(query, token), weight, head.output, head.target)
            )
    return Table(("head", "position", "token", "inner_product", "weight", "output", "target"), rows)


def plot(table: Table) -> Any:
    """A bar a token (its weight), the inner products below, and the output beside the target."""
    with style() as plt:
        heads = table.series("head")
        figure, panels = plt.subplots(1, len(heads), figsize=(WIDE, 2.3), sharey=True)
        for axes, (head, rows) in zip(panels, heads.items(), strict=True):
            weights = [float(row["weight"]) for row in rows]
            target = rows[0]["target"]
            colours = ["#0072B2" if row["inner_product"] == target else "#bbbbbb" for row in rows]
            bars = axes.bar(
                range(len(rows)), weights, color=colours, edgecolor="black", linewidth=0.6, width=0.6
            )
            for bar, row in zip(bars, rows, strict=True):
                axes.text(
                    bar.get_x() + 0.3, bar.get_height() + 0.02, str(row["weight"]), ha="center", fontsize=7
                )
            labels = [f"{row['token'][1:]}\n<q,x> = {row['inner_product']}" for row in rows]
            labels[-1] += "\n(the query)"
            axes.set_xticks(range(len(rows)), labels)
            axes.grid(axis="x", visible=False)
            axes.set_ylim(0, 1.08)
            output = rows[0]["output"]
            error = abs(Fraction(output) - target)
            sign = "<" if error < Fraction(1, 2) else ">"
            axes.set_title(
                f"{head}\noutput {float(output):.3f}, target {target}, error {float(error):.3f} {sign} 1/2",
                pad=8,
            )
        panels[0].set_ylabel("attention weight")
        return figure
