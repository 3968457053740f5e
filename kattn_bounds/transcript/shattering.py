"""Shattered query sets: more independent answers than the construction gives, at small m and n (P6).

Queries q_1..q_k are *shattered* by prefixes of n data tokens when every pattern in {zero, not zero}^k of their answers
occurs. Then 2^k answer vectors are realised, so |Sigma|^(LH) >= 2^k. Two searches: a SAT solver proposes queries and one
prefix for each pattern, and every pattern is then replayed exactly; at m <= 5 growing shattered sets point by point over
all answer functions finds the largest one, since a subset of a shattered set is shattered.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from kattn_bounds.cube import inner
from kattn_bounds.errors import InputError
from kattn_bounds.transcript.counting import _minimal, monotone_functions

EXHAUSTIVE_MAX_M = 5
MAX_SAT_QUERIES = 12


@dataclass(frozen=True, slots=True)
class ShatteredSet:
    """k queries and, for each pattern s in 0..2^k-1, a prefix on which query i answers 0 exactly when bit i of s is 0."""

    m: int
    n: int
    queries: tuple[int, ...]
    prefixes: tuple[tuple[int, ...], ...]

    @property
    def k(self) -> int:
        return len(self.queries)

    def faults(self) -> list[str]:
        """Replay every pattern, exactly: the reasons why this is not a shattered set, empty when it is."""
        if len(self.prefixes) != 1 << self.k:
            return [f"{len(self.prefixes)} prefixes for 2^{self.k} patterns"]
        return [
            f"pattern {pattern}: query {i} answers otherwise"
            for pattern, prefix in enumerate(self.prefixes)
            for i, q in enumerate(self.queries)
            if not 1 <= len(prefix) <= self.n
            or (min(inner(q, x) for x in prefix) > 0) != bool(pattern >> i & 1)
        ]


def propose(m: int, n: int, k: int, seconds: float = 60.0) -> ShatteredSet | bool | None:
    """A shattered set of k queries for prefixes of n tokens, by SAT; replayed exactly before it is returned.

    None when the time is up, False when the solver reports that there is none (its word, not a proof).
    Raises InputError when k > 12.

    >>> found = propose(3, 2, 3)
    >>> isinstance(found, ShatteredSet), propose(2, 1, 3)
    (True, False)
    """
    if not 1 <= k <= MAX_SAT_QUERIES:
        raise InputError(f"k = {k} is out of range: give 1 <= k <= {MAX_SAT_QUERIES}")
    from threading import Timer

    from pysat.solvers import Glucose4

    clauses, down, token = _encode(m, n, k)
    with Glucose4(bootstrap_with=clauses) as solver:
        timer = Timer(seconds, solver.interrupt)
        timer.start()
        answer = solver.solve_limited(expect_interrupt=True)
        timer.cancel()
        if answer is None:
            return None
        if answer is False:
            return False
        true = {literal for literal in solver.get_model() if literal > 0}

    def read(bits: Sequence[int]) -> int:
        return sum(1 << (m - 1 - b) for b, variable in enumerate(bits) if variable in true)

    everything = (1 << m) - 1
    found = ShatteredSet(
        m,
        n,
        tuple(everything ^ read(bits) for bits in down),
        tuple(tuple(read(bits) for bits in tokens) for tokens in token),
    )
    faults = found.faults()
    if faults:
        raise ArithmeticError(f"the solver's set does not replay: {faults[0]}")
    return found


def _encode(m: int, n: int, k: int) -> tuple[list[list[int]], list[list[int]], list[list[list[int]]]]:
    """Clauses; the variables of the complements d_i of the queries; those of token j of the prefix of each pattern.

    Query i answers 0 on a prefix exactly when some token is a subset of d_i.
    """
    count = 0

    def fresh() -> int:
        nonlocal count
        count += 1
        return count

    clauses: list[list[int]] = []
    down = [[fresh() for _ in range(m)] for _ in range(k)]
    for i in range(k - 1):  # the queries in increasing order: equal so far, or larger already
        equal: int | None = None
        for b in range(m):
            low, high, still = down[i][b], down[i + 1][b], fresh()
            earlier: list[int] = [] if equal is None else [-equal]
            clauses += [[*earlier, -low, high], [*earlier, still, -low, -high], [*earlier, still, low, high]]
            equal = still
        assert equal is not None
        clauses.append([-equal])

    token: list[list[list[int]]] = []
    for pattern in range(1 << k):
        tokens = [[fresh() for _ in range(m)] for _ in range(n)]
        token.append(tokens)
        for i in range(k):
            if pattern >> i & 1:
                for bits in tokens:
                    outside = [fresh() for _ in range(m)]
                    clauses.append(outside)
                    for b in range(m):
                        clauses += [[-outside[b], bits[b]], [-outside[b], -down[i][b]]]
            else:
                chosen = [fresh() for _ in range(n)]
                clauses.append(chosen)
                for pick, bits in zip(chosen, tokens, strict=True):
                    clauses += [[-pick, -bits[b], down[i][b]] for b in range(m)]
    return clauses, down, token


def largest(m: int, n: int, seconds: float = 60.0) -> tuple[ShatteredSet, bool]:
    """A largest shattered set, m <= 5, over all answer functions; and whether the search was complete. Exact.

    Sets grow query by query, one of each class under the m! coordinate permutations; if the time runs out the largest
    set so far is returned with False.

    >>> found, complete = largest(3, 2)
    >>> found.k, complete, found.faults()
    (3, True, [])
    """
    if not 1 <= m <= EXHAUSTIVE_MAX_M:
        raise InputError(
            f"m = {m} is out of range: the exhaustive search is for 1 <= m <= {EXHAUSTIVE_MAX_M}"
        )
    points = 1 << m
    upsets = monotone_functions(m)
    upsets = upsets[1:][np.bitwise_count(_minimal(upsets, m))[1:] <= n]
    columns = [
        ((upsets >> np.uint64(points - 1 - q)) & np.uint64(1)).astype(np.uint32) for q in range(points)
    ]
    images = [
        [sum((q >> i & 1) << order[i] for i in range(m)) for q in range(points)]
        for order in permutations(range(m))
    ]
    until = time.monotonic() + seconds
    best: tuple[int, ...] = ()
    level: list[tuple[int, ...]] = [()]
    complete = True
    while level and complete:
        best = level[0]
        seen: set[tuple[int, ...]] = set()
        following: list[tuple[int, ...]] = []
        for queries in level:
            if time.monotonic() > until:
                complete = False
                break
            code = sum((columns[q] << i for i, q in enumerate(queries)), np.zeros_like(columns[0]))
            for q in range(points):
                if q in queries:
                    continue
                candidate = min(tuple(sorted(image[p] for p in (*queries, q))) for image in images)
                if candidate in seen:
                    continue
                seen.add(candidate)
                if len(np.unique(code << np.uint32(1) | columns[q])) == 2 << len(queries):
                    following.append(candidate)
        if following:
            best = following[0]
        level = following
    return _with_prefixes(m, n, best, upsets), complete


def _with_prefixes(m: int, n: int, queries: tuple[int, ...], upsets: Any) -> ShatteredSet:
    points = 1 << m
    prefixes: dict[int, tuple[int, ...]] = {}
    for upset, minimal in zip(upsets.tolist(), _minimal(upsets, m).tolist(), strict=True):
        pattern = sum(1 << i for i, q in enumerate(queries) if not upset >> (points - 1 - q) & 1)
        prefixes.setdefault(pattern, tuple(x for x in range(points) if minimal >> x & 1))
    return ShatteredSet(m, n, queries, tuple(prefixes[p] for p in range(1 << len(queries))))


def search(m: int, n: int, seconds: float = 30.0) -> tuple[ShatteredSet, str]:
    """The largest shattered set found in the time, and how sure that is; starts from single queries.

    m <= 5 searches exhaustively; above, SAT one query more at a time. Raises InputError for m > 12.

    >>> found, status = search(4, 4)
    >>> found.k, status
    (6, 'largest, by exhaustion')
    """
    if not (1 <= m <= MAX_SAT_QUERIES and 1 <= n <= 64):
        raise InputError(
            f"m = {m}, n = {n} is too large for this search: give m <= {MAX_SAT_QUERIES}, n <= 64"
        )
    if m <= EXHAUSTIVE_MAX_M:
        found, complete = largest(m, n, seconds)
        return found, "largest, by exhaustion" if complete else "time ran out"
    until = time.monotonic() + seconds
    best = ShatteredSet(m, n, (1,), ((0,), ((1 << m) - 1,)))
    k = min(m, MAX_SAT_QUERIES)
    while k <= MAX_SAT_QUERIES:
        proposed = propose(m, n, k, max(1.0, until - time.monotonic()))
        if isinstance(proposed, ShatteredSet):
            best, k = proposed, k + 1
            continue
        return best, "time ran out" if proposed is None else f"the solver reports none of {k}, unchecked"
    return best, f"the search stops at {MAX_SAT_QUERIES}"
