"""How many features each published map needs at length three: the table, the success curves, and learned features.

    python experiments/attention_maps/run.py [--part table|curves|learned|show] [--largest 10]

Each part writes its own JSON beside this file, atomically, after every cell, and skips the cells that are there: an
interrupted run goes on where it stopped. Delete a file to compute it anew. `--part show` prints what is stored.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from kattn_bounds.errors import InputError
from kattn_bounds.lower.bounds import lower_bounds
from kattn_bounds.maps.base import PublishedMap
from kattn_bounds.maps.evaluate import Choice, best_outcome, choices, evaluate, size_ladder, success_rate
from kattn_bounds.maps.learned import train
from kattn_bounds.maps.registry import ALL, find_map
from kattn_bounds.setting import Setting
from kattn_bounds.upper.bounds import upper_bounds
from kattn_bounds.verdict import Verdict

HERE = Path(__file__).parent
SEEDS = 20
LARGEST_SIZE = 16384
LARGEST_ORDER = 40


class Store:
    """A JSON object on disk, one entry a cell."""

    def __init__(self, name: str) -> None:
        self.path = HERE / name
        self.cells: dict[str, object] = json.loads(self.path.read_text()) if self.path.exists() else {}

    def add(self, key: str, value: object) -> None:
        self.cells[key] = value
        temporary = self.path.with_suffix(".part")
        temporary.write_text(json.dumps(self.cells, indent=1, sort_keys=True) + "\n")
        temporary.replace(self.path)
        print(key, json.dumps(value)[:160], flush=True)


def table(largest: int) -> None:
    """For every map and m: the smallest size that solves, or the exact evidence that it does not."""
    store = Store("table.json")
    for m in range(2, largest + 1):
        for published in ALL:
            key = f"{published.name} m={m:02d}"
            if key in store.cells or (published.random and m > 8):
                continue
            store.add(key, random_cell(published, m) if published.random else ordered_cell(published, m))


def ordered_cell(published: PublishedMap, m: int) -> dict[str, object]:
    """Fixed maps as they are; expansions at the lowest order that solves, with the order below as the twin."""
    setting = Setting(m)
    below = None
    for size in [0] if published.size == "fixed" else range(1, LARGEST_ORDER + 1):
        try:
            found = best_outcome(published, setting, size)
        except InputError:  # an order at which a double overflows
            break
        if found.verdict is Verdict.PROVED:
            return {
                "solves": True,
                "size": size,
                "features": found.features,
                "embedding": str(found.choice),
                "evidence": found.evidence,
                "one_smaller": below,
            }
        below = f"{found.verdict.value}: {found.evidence}"
    return {"solves": False, "size": size, "features": found.features, "evidence": below}


def random_cell(published: PublishedMap, m: int) -> dict[str, object]:
    """The least size of the ladder at which at least half of the seeds solve (bisection), over embeddings and scales."""
    best: dict[str, object] | None = None
    ladder = [size for size in size_ladder(LARGEST_SIZE) if size >= 2]
    for choice in choices(published):
        if choice.embedding != published.embeddings[0]:
            continue
        low, high = 0, len(ladder)
        while low < high:
            middle = (low + high) // 2
            if half_solve(published, m, ladder[middle], choice):
                high = middle
            else:
                low = middle + 1
        if low < len(ladder) and (best is None or ladder[low] < best["features"]):  # type: ignore[operator]
            rate = success_rate(published, Setting(m), ladder[low], SEEDS, choice)
            best = {"solves": True, "features": ladder[low], "embedding": str(choice), "success_rate": rate}
    return best or {
        "solves": False,
        "features": LARGEST_SIZE,
        "evidence": f"under half of {SEEDS} seeds solve",
    }


def half_solve(published: PublishedMap, m: int, size: int, choice: Choice) -> bool:
    """Whether at least half of the seeds solve; stops as soon as that is settled."""
    solved = 0
    for seed in range(SEEDS):
        solved += evaluate(published, Setting(m), size, seed, choice).verdict is Verdict.PROVED
        if solved * 2 >= SEEDS:
            return True
        if (seed + 1 - solved) * 2 > SEEDS:
            return False
    return False


def predicted_size(m: int, scale: float) -> float:
    """Samples at which positive features concentrate: relative variance e^(scale m) of the worst pair, union over 4^m pairs.

    The relative variance of one feature at a pair is exp|x + y|^2 - 1 = exp(scale |q xor a|) - 1; the allowed relative
    deviation is about the margin of x^t at that scale, taken as one half.
    """
    return 4 * math.exp(scale * m) * math.log(4**m)


def curves() -> None:
    """FAVOR+: share of seeds that solve against D, for m = 2..6."""
    store = Store("curves.json")
    for name in ("favor_positive", "favor_orthogonal"):
        published = find_map(name)
        for m in range(2, 7):
            key = f"{name} m={m}"
            if key in store.cells:
                continue
            points = []
            for size in size_ladder(LARGEST_SIZE)[:: 1 if m < 6 else 3]:
                rates = {
                    choice.scale: success_rate(published, Setting(m), size, SEEDS, choice)
                    for choice in choices(published)
                    if choice.embedding == "negated"
                }
                scale = max(rates, key=lambda s: rates[s])
                points.append({"features": size, "rate": rates[scale], "scale": scale})
                if [p["rate"] for p in points[-2:]] == [1.0, 1.0]:
                    break
            half = next((p["features"] for p in points if p["rate"] >= 0.5), None)
            store.add(key, {"points": points, "half": half, "predicted": round(predicted_size(m, 1.0))})


def learned() -> None:
    """Free tables trained by gradient: share of seeds that solve, for m = 2..5 and D around m."""
    store = Store("learned.json")
    for m in range(2, 6):
        for features in range(max(2, m - 1), m + 4):
            key = f"m={m} D={features}"
            if key in store.cells:
                continue
            runs = [train(Setting(m), features, seed, steps=3000) for seed in range(4)]
            solved = sum(run.verdict is Verdict.PROVED for run in runs)
            store.add(
                key, {"seeds": len(runs), "solved": solved, "worst_errors": [run.worst_error for run in runs]}
            )


def show() -> None:
    """The stored table: D by map and m, and the growth D ~ c^m fitted to the cells that solve."""
    cells = Store("table.json").cells
    names = [published.name for published in ALL]
    sizes = sorted({int(key.split(" m=")[1]) for key in cells})
    print("map".ljust(17) + "".join(f"{f'm={m}':>7}" for m in sizes) + "      c")
    for name in names:
        row = [cells.get(f"{name} m={m:02d}") for m in sizes]
        texts = ["" if cell is None else str(cell["features"]) if cell["solves"] else "-" for cell in row]  # type: ignore[index]
        points = [
            (m, math.log2(cell["features"]))  # type: ignore[index]
            for m, cell in zip(sizes, row, strict=True)
            if cell is not None and cell["solves"]  # type: ignore[index]
        ]
        growth = f"{2 ** slope(points):7.2f}" if len(points) > 2 else "       "
        print((name.ljust(17) + "".join(f"{text:>7}" for text in texts) + growth).rstrip())
    known = [max(bound.value for bound in lower_bounds(Setting(m))) for m in sizes]
    best = [min(bound.value for bound in upper_bounds(Setting(m))) for m in sizes]
    print("proved least D".ljust(17) + "".join(f"{d:>7}" for d in known))
    print("best known D".ljust(17) + "".join(f"{d:>7}" for d in best))
    print("\nhalf of 20 seeds solve at D =")
    for key, cell in sorted(Store("curves.json").cells.items()):
        print(f"  {key:<22}{cell['half']!s:>7}   predicted {cell['predicted']:>6}")  # type: ignore[index]
    print("\ntrained tables, seeds that solve:")
    for key, cell in sorted(Store("learned.json").cells.items()):
        print(f"  {key:<10}{cell['solved']} of {cell['seeds']}")  # type: ignore[index]


def slope(points: list[tuple[int, float]]) -> float:
    """Least-squares slope."""
    x = sum(p[0] for p in points) / len(points)
    y = sum(p[1] for p in points) / len(points)
    return sum((p[0] - x) * (p[1] - y) for p in points) / sum((p[0] - x) ** 2 for p in points)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=["table", "curves", "learned", "show"])
    parser.add_argument("--largest", type=int, default=10)
    options = parser.parse_args()
    if options.part == "show":
        show()
        return
    if options.part in (None, "table"):
        table(options.largest)
    if options.part in (None, "curves"):
        curves()
    if options.part in (None, "learned"):
        learned()


if __name__ == "__main__":
    main()
