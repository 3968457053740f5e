"""The transcript bound (P6) against the number of data tokens, and simulated sketches around the threshold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kattn_bounds.figures.base import Table, decimal_fraction
from kattn_bounds.figures.style import WIDE, log_ticks, look, powers_of_two, style
from kattn_bounds.transcript.bound import transcript_bound

ALPHABETS = (2, 256, 65536)
SIMULATED = Path(__file__).parent.parent.parent / "experiments" / "transcripts" / "accuracy.json"


def simulated() -> list[tuple[Any, ...]]:
    """Share of answer functions with every answer right, against the transcript's bits; nothing when none is stored."""
    if not SIMULATED.exists():
        return []
    stored = json.loads(SIMULATED.read_text())
    names = {"index": "number", "hash": "hash"}
    rows: list[tuple[Any, ...]] = [
        (
            "accuracy",
            names[point["encoder"]],
            decimal_fraction(point["bits"]),
            decimal_fraction(point["per_function"]),
        )
        for point in stored["points"]
    ]
    rows.sort(key=lambda row: (row[1], row[2]))
    threshold = decimal_fraction(stored["log2"])
    return [
        *rows,
        ("accuracy", "log2 M", threshold, 0),
        ("accuracy", "log2 M", threshold, 1),
    ]


def data(small: bool = False) -> Table:
    """Columns panel, series, x, y: bits forced (decimal) and least L H (exact) against n; accuracy against bits."""
    bits: list[tuple[Any, ...]] = []
    symbols: list[tuple[Any, ...]] = []
    sizes = (4, 6) if small else (6, 8, 12, 16)
    for m in sizes:
        for n in (1, 2, 4, 8) if small else (1, 2, 4, 8, 16, 32, 64):
            for alphabet in ALPHABETS:
                bound = transcript_bound(m, n, alphabet)
                if alphabet == ALPHABETS[0]:
                    bits.append(("bits", f"m = {m}", n, decimal_fraction(bound.best.bits, 5)))
                if m == sizes[-1]:
                    symbols.append((f"symbols, m = {m}", f"{alphabet} symbols", n, bound.least))
    symbols.sort(key=lambda row: int(row[1].split()[0]))
    return Table(("panel", "series", "x", "y"), [*bits, *symbols, *simulated()])


def plot(table: Table) -> Any:
    """Three panels: bits against n for each m, least L H against n, accuracy of sketches against their bits."""
    panels = table.series("panel")
    with style() as plt:
        figure, all_axes = plt.subplots(1, len(panels), figsize=(WIDE, 2.5))
        for (panel, rows), axes in zip(panels.items(), all_axes, strict=True):
            for i, name in enumerate(dict.fromkeys(row["series"] for row in rows)):
                points = [row for row in rows if row["series"] == name]
                marks = look(i) | ({"marker": "", "color": "#777777"} if name.startswith("log2") else {})
                axes.plot(
                    [float(p["x"]) for p in points], [float(p["y"]) for p in points], label=name, **marks
                )
            if panel == "accuracy":
                axes.set_xlabel("bits of the transcript")
                axes.set_ylabel("of M answer functions, right")
                axes.set_xlim(-0.5, 18.5)
                axes.set_ylim(-0.03, 1.03)
                axes.legend(loc="center left", bbox_to_anchor=(0, 0.8))
                continue
            axes.set_xscale("log", base=2)
            axes.set_yscale("log", base=2)
            log_ticks(axes.xaxis, sorted({row["x"] for row in rows}))
            log_ticks(axes.yaxis, powers_of_two(*axes.get_ylim()))
            axes.set_xlabel("data tokens n")
            axes.set_ylabel("bits that must cross" if panel == "bits" else f"least layers x heads{panel[7:]}")
            axes.legend()
        return figure
