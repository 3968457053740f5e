"""Published feature maps: the fewest features with which each solves length three, beside the proved lower bound."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kattn_bounds.figures.base import Table
from kattn_bounds.figures.style import COLUMN, log_ticks, look, powers_of_two, style
from kattn_bounds.lower.bounds import lower_bounds
from kattn_bounds.maps.evaluate import best_outcome
from kattn_bounds.maps.registry import ALL
from kattn_bounds.setting import Setting
from kattn_bounds.upper.bounds import upper_bounds
from kattn_bounds.verdict import Verdict

STORED = Path(__file__).parent.parent.parent / "experiments" / "attention_maps" / "table.json"


def solving_sizes(small: bool) -> list[tuple[str, int, int]]:
    """(map, m, features) wherever a map solves: from the stored table, or anew for the expansions at m <= 4."""
    if not small and STORED.exists():
        cells = json.loads(STORED.read_text())
        return [
            (key.split(" m=")[0], int(key.split(" m=")[1]), cell["features"])
            for key, cell in sorted(cells.items())
            if cell["solves"]
        ]
    found = []
    for m in (2, 3, 4):
        for published in ALL:
            sizes = {"fixed": [0], "order": list(range(1, 9)), "features": []}[published.size]
            for size in sizes:
                outcome = best_outcome(published, Setting(m), size)
                if outcome.verdict is Verdict.PROVED:
                    found.append((published.name, m, outcome.features))
                    break
    return sorted(found)


def data(small: bool = False) -> Table:
    """Columns series, m, features."""
    rows: list[tuple[Any, ...]] = list(solving_sizes(small))
    sizes = sorted({row[1] for row in rows})
    bounds = [("proved lower bound", m, max(b.value for b in lower_bounds(Setting(m)))) for m in sizes]
    known = [("best known kernel", m, min(b.value for b in upper_bounds(Setting(m)))) for m in sizes]
    return Table(("series", "m", "features"), [*rows, *bounds, *known])


def plot(table: Table) -> Any:
    """Features against m, log scale; the bounds as plain lines."""
    with style() as plt:
        figure, axes = plt.subplots(figsize=(COLUMN, 3.2))
        series = table.series("series")
        lines = {"proved lower bound": "-", "best known kernel": "--"}
        for i, name in enumerate([name for name in series if name not in lines]):
            # Several maps need the same number: larger markers lie below smaller ones.
            marks = look(i) | {"markersize": 7 - 0.7 * i}
            points = series[name]
            axes.plot([r["m"] for r in points], [r["features"] for r in points], label=name, **marks)
        for name, line in lines.items():
            rows = series[name]
            axes.plot(
                [r["m"] for r in rows],
                [r["features"] for r in rows],
                label=name,
                color="#777777",
                linestyle=line,
                lw=2,
            )
        axes.set_yscale("log", base=2)
        log_ticks(axes.yaxis, powers_of_two(*axes.get_ylim()))
        axes.set_xticks(sorted({row[1] for row in table.rows}))
        axes.set_xlabel("m, coordinates of a token")
        axes.set_ylabel("features D that solve length 3")
        axes.legend(loc="upper center", bbox_to_anchor=(0.42, -0.17), ncols=2, columnspacing=0.8)
        return figure
