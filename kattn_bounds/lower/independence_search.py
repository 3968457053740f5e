"""Search for large always-independent sets of queries (L8). Floats only: what is found must be proved afterwards.

A *circuit* is a set of queries that has a sign pattern without v (see `independence`): every set that holds a circuit, or an
image of one under a permutation of the coordinates, is not always independent.

- `exhaust` looks for a set of a given size among all sets: a SAT solver proposes one that avoids the circuits known so far, the
  linear programs find new circuits in it. It ends with a set, or with the finding (by floats) that there is none.
- `extend` grows a given set greedily, with random removals; it says nothing when it fails.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Literal

import numpy as np

from kattn_bounds.errors import InputError
from kattn_bounds.lower.independence import SignProblem, permute
from kattn_bounds.setting import Setting

Progress = Callable[[str], None]

MAX_EXHAUST_M = 7
"""Above it the m! images of a circuit are too many for the solver."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """`found` with queries; `none`: no set of this size passes (floats); `open`: time ran out."""

    status: Literal["found", "none", "open"]
    queries: tuple[int, ...]
    circuits: int
    rounds: int
    seconds: float


def bipartite(m: int, a: int) -> list[int]:
    """The a (m - a) edges between the first a coordinates and the others, as queries of two 1s.

    >>> [format(q, "04b") for q in bipartite(4, 1)]
    ['1100', '1010', '1001']
    """
    return [1 << (m - 1 - i) | 1 << (m - 1 - j) for i in range(a) for j in range(a, m)]


def failing_signs(
    problem: SignProblem, rng: np.random.Generator, tries: int, everything: bool = True
) -> tuple[int, ...] | None:
    """A sign pattern without v: random ones first, then all of them in the order of a Gray code (if `everything`)."""
    size = len(problem.queries)
    for _ in range(tries):
        signs = tuple(int(s) for s in rng.choice((-1, 1), size))
        if problem.vector(signs) is None:
            return signs
    if everything:
        for code in range(1 << (size - 1)):
            gray = code ^ code >> 1
            signs = (1, *(-1 if gray >> i & 1 else 1 for i in range(size - 1)))
            if problem.vector(signs) is None:
                return signs
    return None


def circuit_in(problem: SignProblem, signs: Sequence[int], rng: np.random.Generator) -> frozenset[int]:
    """A minimal circuit among the queries, for a pattern without v, in a random order of removal."""
    kept = problem.circuit(signs, [int(i) for i in rng.permutation(len(signs))])
    return frozenset(q for q, s in zip(problem.queries, kept, strict=True) if s)


def exhaust(
    setting: Setting, size: int, seconds: float = 600.0, seed: int = 0, progress: Progress | None = None
) -> SearchResult:
    """Look for an always-independent set of `size` queries among all queries.

    >>> exhaust(Setting(3), 3).status, exhaust(Setting(3), 4).status
    ('found', 'none')
    """
    from pysat.card import CardEnc, EncType
    from pysat.solvers import Solver

    m = setting.m
    if m > MAX_EXHAUST_M:
        raise InputError(f"m = {m}: give m <= {MAX_EXHAUST_M} for the exhaustive search, or extend a start")
    tokens = list(range(1, 1 << m))
    if not 0 < size <= len(tokens):
        raise InputError(f"size = {size}: give 1 <= size <= {len(tokens)}")
    rng, start, rounds, circuits = np.random.default_rng(seed), time.monotonic(), 0, 0
    images = [[permute(g, q, m) for q in range(1 << m)] for g in permutations(range(m))]
    known: set[frozenset[int]] = set()

    solver: Any = Solver("cadical153")
    encoding = CardEnc.atleast(lits=tokens, bound=size, top_id=len(tokens), encoding=EncType.seqcounter)
    for clause in encoding.clauses:
        solver.add_clause(clause)

    def forbid(circuit: frozenset[int]) -> bool:
        nonlocal circuits
        if circuit in known:
            return False
        circuits += 1
        for image in images:
            moved = frozenset(image[q] for q in circuit)
            if moved not in known:
                known.add(moved)
                solver.add_clause([-q for q in moved])
        return True

    def result(status: Literal["found", "none", "open"], queries: Iterable[int] = ()) -> SearchResult:
        solver.delete()
        return SearchResult(status, tuple(queries), circuits, rounds, time.monotonic() - start)

    while time.monotonic() - start < seconds:
        rounds += 1
        if not solver.solve():
            return result("none")
        chosen = [x for x in solver.get_model()[: len(tokens)] if x > 0]
        queries = sorted(int(q) for q in rng.permutation(chosen)[:size])
        problem = SignProblem(setting, queries)
        new = 0
        for _ in range(4 * size):
            signs = failing_signs(problem, rng, 1, everything=False)
            if signs is not None:
                new += sum(forbid(circuit_in(problem, signs, rng)) for _ in range(3))
            if new >= 6:
                break
        if not new:
            signs = failing_signs(problem, rng, 0)
            if signs is None:
                return result("found", queries)
            forbid(circuit_in(problem, signs, rng))
        if progress and rounds % 20 == 0:
            progress(f"round {rounds}: {circuits} circuits, {len(known)} with their images")
    return result("open")


def extend(
    setting: Setting,
    start: Sequence[int],
    seconds: float = 600.0,
    seed: int = 0,
    progress: Progress | None = None,
) -> SearchResult:
    """Grow an always-independent set by single queries; when it is stuck, drop one to three of them and go on.

    >>> extend(Setting(3), [0b100], seconds=0.2).status
    'found'
    """
    m, began, rounds = setting.m, time.monotonic(), 0
    rng = np.random.default_rng(seed)
    bad: set[frozenset[int]] = set()
    current, best = list(start), list(start)

    def passes(queries: list[int], tries: int, everything: bool) -> bool:
        whole = frozenset(queries)
        if any(circuit <= whole for circuit in bad):
            return False
        problem = SignProblem(setting, queries)
        signs = failing_signs(problem, rng, tries, everything)
        if signs is not None:
            bad.add(circuit_in(problem, signs, rng))
        return signs is None

    while time.monotonic() - began < seconds:
        rounds += 1
        grown = False
        for q in rng.permutation(np.arange(1, 1 << m)).tolist()[:60]:
            if q in current or any(_comparable(q, other) for other in current):
                continue
            longer = [*current, q]
            if passes(longer, 150, everything=len(longer) > len(best)):
                current, grown = longer, True
                break
            if time.monotonic() - began > seconds:
                break
        if grown and len(current) > len(best):
            best = list(current)
            if progress:
                progress(f"{len(best)}: {','.join(format(q, f'0{m}b') for q in best)}")
        if not grown:
            if len(current) < len(best) - 4:
                current = list(best)
            for _ in range(int(rng.integers(1, 4))):
                if current:
                    current.pop(int(rng.integers(len(current))))
    return SearchResult("found", tuple(best), len(bad), rounds, time.monotonic() - began)


def _comparable(q: int, other: int) -> bool:
    """One within the other and larger by at most one coordinate: some row then serves both queries."""
    small, large = sorted((q, other), key=int.bit_count)
    return small & large == small and (large & ~small).bit_count() <= 1
