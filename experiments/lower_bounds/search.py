"""Searches behind the lower-bound table. Each prints what it found; nothing here is a proof, `run.py` proves.

python experiments/lower_bounds/search.py exact --m 6 --n 4 --size 8 --seconds 1500
python experiments/lower_bounds/search.py extend --m 7 --n 4 --bipartite 2 --seconds 500
python experiments/lower_bounds/search.py trace --m 12 --n 3 [--shifted]
"""

from __future__ import annotations

import argparse
import sys

from kattn_bounds.cube import format_token, parse_token
from kattn_bounds.lower.dominance import search_trace
from kattn_bounds.lower.independence_search import bipartite, exhaust, extend
from kattn_bounds.setting import Setting, parse_rational


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("kind", choices=("exact", "extend", "trace"))
    parser.add_argument("--m", type=int, required=True)
    parser.add_argument("--n", type=int, required=True)
    parser.add_argument("--tolerance", default="1/2")
    parser.add_argument("--size", type=int, help="exact: number of queries")
    parser.add_argument("--start", help="extend: queries, comma-separated bit strings")
    parser.add_argument(
        "--bipartite", type=int, help="extend: start from the edges between the first A and the others"
    )
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--starts", type=int, default=4, help="trace: random starts for each group")
    parser.add_argument("--shifted", action="store_true", help="trace: subtract a constant matrix first")
    given = parser.parse_args(arguments)
    setting = Setting(given.m, given.n, parse_rational(given.tolerance, "--tolerance"))

    def progress(line: str) -> None:
        print(f"  {line}", file=sys.stderr, flush=True)

    if given.kind == "trace":
        bound = search_trace(setting, given.shifted, given.starts, given.seed, progress)
        print(
            f"D >= {bound.value}: {len(bound.pairs)} sets, {bound.group}, shift {bound.shift}, exact {bound.exact}"
        )
        print(",".join(format_token(q, given.m) for q, _ in bound.pairs))
        return 0
    if given.kind == "exact":
        if given.size is None:
            parser.error("exact needs --size")
        found = exhaust(setting, given.size, given.seconds, given.seed, progress)
    else:
        if given.start:
            start = [parse_token(text, given.m) for text in given.start.split(",")]
        else:
            start = bipartite(given.m, given.bipartite or 1)
        found = extend(setting, start, given.seconds, given.seed, progress)
    print(
        f"{found.status}: {len(found.queries)} queries, {found.circuits} circuits, {found.rounds} rounds, "
        f"{found.seconds:.0f} s"
    )
    print(",".join(format_token(q, given.m) for q in found.queries))
    return 0


if __name__ == "__main__":
    sys.exit(main())
