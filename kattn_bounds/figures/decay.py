"""The decay profile h(s): how fast every solving kernel must fall with the level, and how fast found kernels do."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib.resources import files
from typing import Any

from kattn_bounds.cube import inner
from kattn_bounds.figures.base import Table
from kattn_bounds.figures.style import COLUMN, look, style
from kattn_bounds.kernels import FactorKernel, Kernel, softmax
from kattn_bounds.kernels.factors import json_rational
from kattn_bounds.lower.decay import Decay

FOUND = ("factors-m4-n3-d4-signed.json", "factors-m5-n3-d5-signed.json")
STEPS = 8


def profile(kernel: Kernel, steps: int) -> list[Fraction]:
    """max K(q,b)/K(q,a) over all q and t(q,b) = t(q,a) + s, for s = 1..steps (m at most); exact."""
    worst = [Fraction(0)] * min(steps, kernel.m)
    for q in range(1 << kernel.m):
        levels: dict[int, list[Fraction]] = {}
        for a in range(1 << kernel.m):
            levels.setdefault(inner(q, a), []).append(kernel.value(q, a))
        for t, low in levels.items():
            for s in range(1, len(worst) + 1):
                if t + s in levels and min(low) > 0:
                    worst[s - 1] = max(worst[s - 1], max(levels[t + s]) / min(low))
    return worst


def stored_kernel(name: str) -> FactorKernel | None:
    """A kernel from the certificates stored with the package, or None."""
    path = files("kattn_bounds") / "data" / "upper" / name
    if not path.is_file():
        return None
    entry = json.loads(path.read_text())
    sides = [
        [[json_rational(x, side) for x in row] for row in entry["data"][side]] for side in ("phi", "psi")
    ]
    return FactorKernel(name, entry["setting"]["m"], sides[0], sides[1])


def data(small: bool = False) -> Table:
    """Columns series, s, ratio: the bound h(s) for n = 3..6 and the profiles of solving kernels at n = 3, exact."""
    rows: list[tuple[Any, ...]] = []
    for n in (3, 4, 5, 6):
        decay = Decay(n)
        rows += [(f"bound h(s), n = {n}", s, decay.h(s)) for s in range(1, STEPS + 1)]
    kernels: list[tuple[str, Kernel | None]] = [
        ("softmax, x = 1/3", softmax(4 if small else 6, Fraction(1, 3)))
    ]
    kernels += [(f"found, m = {name[9]}, D = {name[15]}", stored_kernel(name)) for name in FOUND]
    for label, kernel in kernels:
        if kernel is not None:
            rows += [
                (label, s, ratio) for s, ratio in enumerate(profile(kernel, STEPS), start=1) if ratio > 0
            ]
    return Table(("series", "s", "ratio"), rows)


def plot(table: Table) -> Any:
    """K(q,b)/K(q,a) against the difference s of their levels, log scale."""
    with style() as plt:
        figure, axes = plt.subplots(figsize=(COLUMN, 2.9))
        for i, (name, rows) in enumerate(table.series("series").items()):
            marks = look(i) | (
                {} if name.startswith("bound") else {"linestyle": "none", "markerfacecolor": "none"}
            )
            axes.plot([r["s"] for r in rows], [float(r["ratio"]) for r in rows], label=name, **marks)
        axes.set_yscale("log")
        axes.set_xlabel("s = <q,b> - <q,a>")
        axes.set_ylabel("largest K(q,b) / K(q,a)")
        axes.legend(loc="upper center", bbox_to_anchor=(0.46, -0.18), ncols=2, columnspacing=0.8)
        return figure
