"""Features needed at length three against m: proved lower bounds, known heads, 2^m, and softmax's m score dimensions."""

from __future__ import annotations

from typing import Any

from kattn_bounds.figures.base import Table
from kattn_bounds.figures.style import COLUMN, log_ticks, look, powers_of_two, style
from kattn_bounds.lower.bounds import lower_bounds
from kattn_bounds.setting import Setting
from kattn_bounds.upper.bounds import upper_bounds

N = 3


def data(small: bool = False) -> Table:
    """Columns series, m, features, known_by; every number has a certificate (`kattn-bounds sandwich --certificates`)."""
    sizes = range(2, 7 if small else 21)
    rows: list[tuple[Any, ...]] = []
    series: dict[str, list[tuple[Any, ...]]] = {
        name: [] for name in ("lower", "L1", "upper", "upper, nonneg", "all", "softmax")
    }
    for m in sizes:
        setting = Setting(m, N)
        low = lower_bounds(setting)
        best = max(low, key=lambda b: b.value)
        series["lower"].append(("best proved lower bound", m, best.value, best.id))
        layer = next(b for b in low if b.id == "L1")
        series["L1"].append(("layer bound L1", m, layer.value, "L1"))
        for key, features, name in (
            ("upper", "signed", "best known upper bound"),
            ("upper, nonneg", "nonneg", "best known, non-negative"),
        ):
            known = min(upper_bounds(setting, features), key=lambda b: b.value)  # type: ignore[arg-type]
            series[key].append((name, m, known.value, known.id))
        series["all"].append(("2^m, the expanded kernel", m, 2**m, "C3"))
        series["softmax"].append(("softmax: m score dimensions", m, m, "C2"))
    for found in series.values():
        rows += found
    return Table(("series", "m", "features", "known_by"), rows)


def plot(table: Table) -> Any:
    """Features against m, log scale."""
    with style() as plt:
        figure, axes = plt.subplots(figsize=(COLUMN, 3.1))
        for i, (name, rows) in enumerate(table.series("series").items()):
            marks = look(i)
            if name.startswith("softmax"):
                marks |= {"marker": "", "linestyle": ":", "linewidth": 2}
            elif name == "best known upper bound":
                marks |= {"markerfacecolor": "none", "markersize": 6}
            axes.plot([r["m"] for r in rows], [r["features"] for r in rows], label=name, **marks)
        axes.set_yscale("log", base=2)
        axes.set_xlabel("m, coordinates of a token")
        axes.set_ylabel(f"features D at length {N}")
        axes.set_xticks(range(2, max(row[1] for row in table.rows) + 1, 2))
        log_ticks(axes.yaxis, powers_of_two(*axes.get_ylim()))
        axes.legend(loc="upper center", bbox_to_anchor=(0.42, -0.17), ncols=2, columnspacing=0.8)
        return figure
