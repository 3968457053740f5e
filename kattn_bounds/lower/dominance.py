"""L5: families of pairs (q_i, a_i) whose submatrix has large rank in every solving kernel.

With t(q_i,a_j) > t(q_i,a_i) for j != i, the matrix A_ij = K(q_i,a_j) / K(q_i,a_i) has unit diagonal and
0 <= A_ij <= h_ij = h(t(q_i,a_j) - t(q_i,a_i)). Three ways to bound its rank:

- dominance: sum over j != i of h_ij s_j <= s_i with positive column weights s (exactly then the bound matrix has spectral
  radius <= 1): full rank;
- trace: rank >= (sum x_i y_i)^2 / sum x_i^2 y_j^2 h_ij^2 for weights x, y >= 0;
- shifted trace: A - c J has rank at most one more, a diagonal 1 - c and entries at most max(c, h_ij - c), so
  D >= (1-c)^2 (sum x_i y_i)^2 / sum x_i^2 y_j^2 M_ij^2 - 1. The entries of A lie in [0, h_ij], and the shift centres them.

The families here are (S, complement of S) for codes of k-sets: t(S, T^c) = |S \\ T|. With p the normalised x_i y_i and x = y the
trace bound is 1 / p^T H p, H_ij = h_ij^2: where H is positive definite the whole layer (L1) is best, and where it is not
(n = 3, since h(1) = 1) a code is better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from kattn_bounds.certificates import writer
from kattn_bounds.errors import InputError
from kattn_bounds.lower.decay import Decay
from kattn_bounds.setting import Setting

Pair = tuple[int, int]
Counts = dict[int, int]
"""Number of ordered pairs i != j at each step t(q_i,a_j) - t(q_i,a_i)."""


def complement_pairs(sets: Sequence[int], m: int) -> list[Pair]:
    """(S, complement of S) for every set, as bit masks.

    >>> complement_pairs([0b110, 0b101], 3)
    [(6, 1), (5, 2)]
    """
    return [(s, (1 << m) - 1 - s) for s in sets]


def steps(pairs: Sequence[Pair]) -> npt.NDArray[np.int64]:
    """t(q_i, a_j) - t(q_i, a_i), shape (N, N).

    >>> steps(complement_pairs([0b110, 0b101], 3)).tolist()
    [[0, 1], [1, 0]]
    """
    q = np.array([p[0] for p in pairs], dtype=np.int64)
    a = np.array([p[1] for p in pairs], dtype=np.int64)
    levels = np.bitwise_count(q[:, None] & a[None, :]).astype(np.int64)
    step: npt.NDArray[np.int64] = levels - np.diagonal(levels)[:, None]
    return step


def _bounds(setting: Setting, pairs: Sequence[Pair]) -> tuple[npt.NDArray[np.int64], dict[int, Fraction]]:
    """The steps and h of every step that occurs off the diagonal. Raises InputError where there is no decay."""
    step = steps(pairs)
    decay = Decay.of(setting)
    h: dict[int, Fraction] = {}
    off = step[~np.eye(len(pairs), dtype=bool)]
    for s in np.unique(off).tolist():
        bound = decay.h(s) if s > 0 else None
        if bound is None:
            raise InputError(
                f"a pair of the family is {s} levels above another: every step must be >= 1 and decay, "
                "give pairs with t(q_i, a_j) > t(q_i, a_i)"
            )
        h[s] = bound
    return step, h


def step_counts(pairs: Sequence[Pair]) -> Counts:
    """How often each step occurs among the ordered pairs i != j.

    >>> step_counts(complement_pairs([0b1100, 0b1010, 0b0011], 4))
    {1: 4, 2: 2}
    """
    step = steps(pairs)
    values, numbers = np.unique(step[~np.eye(len(pairs), dtype=bool)], return_counts=True)
    return dict(zip(values.tolist(), numbers.tolist(), strict=True))


# ----------------------------------------------------------------------------------------------- dominance


def column_scale(setting: Setting, pairs: Sequence[Pair]) -> list[Fraction] | None:
    """Exact positive s with sum over j != i of h_ij s_j <= s_i for every i, or None when none was found.

    All ones are tried first, then the Perron vector of the bound matrix, rounded.

    >>> family = complement_pairs([0b111000, 0b100110, 0b010101, 0b001011], 6)
    >>> column_scale(Setting(6), family)
    [Fraction(1, 1), Fraction(1, 1), Fraction(1, 1), Fraction(1, 1)]
    >>> column_scale(Setting(6), family + complement_pairs([0b000111], 6)) is None
    True
    """
    step, h = _bounds(setting, pairs)
    size = len(pairs)
    ones = [Fraction(1)] * size
    if size == 0 or _dominated(step, h, ones):
        return ones
    bound = np.zeros((size, size))
    for s, x in h.items():
        bound[step == s] = float(x)
    np.fill_diagonal(bound, 0.0)
    vector = np.ones(size)
    for _ in range(2000):
        vector = bound @ vector + vector
        vector /= vector.max()
    for denominator in (12, 1000, 10**6):
        scale = [Fraction(float(x)).limit_denominator(denominator) for x in vector]
        if all(scale) and _dominated(step, h, scale):
            return scale
    return None


def _dominated(step: npt.NDArray[np.int64], h: Mapping[int, Fraction], scale: Sequence[Fraction]) -> bool:
    for i, row in enumerate(step.tolist()):
        total = sum((h[s] * scale[j] for j, s in enumerate(row) if j != i), Fraction(0))
        if total > scale[i]:
            return False
    return True


def dominant_family(setting: Setting, least_step: int, seconds: float = 10.0) -> list[Pair]:
    """A family (S, S^c) of k-sets, pairwise at least `least_step` apart, on which dominance holds; the largest found.

    For each k the compatibility graph on k-sets is searched for large cliques (networkx, exact for small graphs within the
    time given), and pairs are dropped until the rows are dominated.

    >>> len(dominant_family(Setting(6), 2))
    4
    """
    import time

    import networkx as nx

    m = setting.m
    best: list[Pair] = []
    for k in range(1, m):
        sets = [sum(1 << i for i in c) for c in combinations(range(m), k)]
        graph = nx.Graph()
        graph.add_nodes_from(sets)
        graph.add_edges_from((s, t) for s, t in combinations(sets, 2) if (s & ~t).bit_count() >= least_step)
        deadline = time.monotonic() + seconds / m
        for clique in nx.find_cliques(graph, nodes=[sets[0]]):  # one set may be fixed by symmetry
            if len(clique) > len(best):
                family = _dominated_part(setting, complement_pairs(sorted(clique, reverse=True), m))
                best = max(best, family, key=len)
            if time.monotonic() > deadline:
                break
    return best


def _dominated_part(setting: Setting, pairs: list[Pair]) -> list[Pair]:
    """Pairs dropped one by one, the row with the largest sum first, until dominance holds."""
    pairs = list(pairs)
    while pairs and column_scale(setting, pairs) is None:
        step, h = _bounds(setting, pairs)
        sums = [sum(float(h[s]) for j, s in enumerate(row) if j != i) for i, row in enumerate(step.tolist())]
        pairs.pop(int(np.argmax(sums)))
    return pairs


# --------------------------------------------------------------------------------------------------- trace


def trace_value(
    setting: Setting,
    pairs: Sequence[Pair],
    x: Sequence[Fraction] | None = None,
    y: Sequence[Fraction] | None = None,
    shift: Fraction = Fraction(0),
) -> Fraction:
    """(1-c)^2 (sum x_i y_i)^2 / sum x_i^2 y_j^2 M_ij^2, exact, with M_ii = 1 - c and M_ij = max(c, h_ij - c), c the shift.

    D >= ceil(value) without shift, ceil(value) - 1 with one (and one less for the free readout with self included).
    x and y are all ones if left out. Raises InputError where the family does not decay.

    >>> trace_value(Setting(6), complement_pairs([0b111000, 0b100110, 0b010101, 0b001011], 6))
    Fraction(3, 1)
    """
    if not 0 <= shift < 1:
        raise InputError(f"shift = {shift}: give 0 <= shift < 1")
    step, h = _bounds(setting, pairs)
    entry = {s: max(shift, bound - shift) ** 2 for s, bound in h.items()}
    size = len(pairs)
    if x is None and y is None:
        total = size * (1 - shift) ** 2
        total += sum((number * entry[s] for s, number in step_counts(pairs).items()), Fraction(0))
        return ((1 - shift) * size) ** 2 / total
    left = [Fraction(1)] * size if x is None else list(x)
    right = [Fraction(1)] * size if y is None else list(y)
    diagonal = sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0)) * (1 - shift)
    total = Fraction(0)
    for i, row in enumerate(step.tolist()):
        inner = sum((right[j] ** 2 * entry[s] for j, s in enumerate(row) if j != i), Fraction(0))
        total += left[i] ** 2 * (inner + right[i] ** 2 * (1 - shift) ** 2)
    return diagonal**2 / total


@dataclass(frozen=True, slots=True)
class TraceBound:
    """D >= value by the trace of an unweighted family, with a shift if that is better. Exact."""

    setting: Setting
    pairs: tuple[Pair, ...]
    shift: Fraction
    group: str

    @property
    def exact(self) -> Fraction:
        return trace_value(self.setting, self.pairs, shift=self.shift)

    @property
    def value(self) -> int:
        lost = (self.shift > 0) + (self.setting.readout == "free" and self.setting.self_included)
        return ceil(self.exact) - lost

    def certificate(self, note: Mapping[str, object] | None = None) -> dict[str, Any]:
        """The certificate of kind `trace`, with its shift if there is one."""
        ones = [1] * len(self.pairs)
        return writer.trace(
            self.setting, self.pairs, ones, ones, self.value, note=note, shift=self.shift or None
        )


# ------------------------------------------------------------------------------------------ symmetric search


def orbits(m: int, k: int, generators: Sequence[Sequence[int]]) -> list[list[int]]:
    """Orbits of the k-sets (bit masks) under the group generated by permutations of the bits 0..m-1.

    >>> orbits(3, 1, [(1, 2, 0)])
    [[1, 2, 4]]
    """
    left = {sum(1 << i for i in c) for c in combinations(range(m), k)}
    found = []
    while left:
        start = min(left)
        orbit, stack = {start}, [start]
        while stack:
            s = stack.pop()
            for g in generators:
                image = sum(1 << g[i] for i in range(m) if s >> i & 1)
                if image not in orbit:
                    orbit.add(image)
                    stack.append(image)
        left -= orbit
        found.append(sorted(orbit))
    return found


def groups(m: int) -> Iterator[tuple[str, list[tuple[int, ...]]]]:
    """Named permutation groups on m points to try: the trivial one, rotations, and for a prime p = m or m - 1 the maps
    x -> s x + b with s a square mod p, and PSL(2,p) on p + 1 points.

    >>> [name for name, _ in groups(6)]
    ['trivial', 'rotations of 6', 'rotations of 5', 'rotations of 4', 'rotations of 3 + 3', 'squares mod 5', 'PSL(2,5)']
    """
    if m <= 9:
        yield "trivial", []
    for turning in range(m, max(m - 3, 1), -1):
        yield f"rotations of {turning}", [_rotation(m, turning)]
    if m % 2 == 0 and m >= 6:
        half = m // 2
        both = tuple((i + 1) % half if i < half else half + (i - half + 1) % half for i in range(m))
        yield f"rotations of {half} + {half}", [both]
    for p in (m, m - 1):
        if p < 5 or any(p % d == 0 for d in range(2, p)):
            continue
        turn = _rotation(m, p)
        squares = {x * x % p for x in range(1, p)}
        scale = next(s for s in sorted(squares) if len({pow(s, i, p) for i in range(p)}) == len(squares))
        scaling = tuple(scale * i % p if i < p else i for i in range(m))
        yield f"squares mod {p}", [turn, scaling]
        if p == m - 1:  # x -> -1/x; the point p stands for infinity
            inversion = (p, *(-pow(x, -1, p) % p for x in range(1, p)), 0)
            yield f"PSL(2,{p})", [turn, scaling, inversion]


def _rotation(m: int, turning: int) -> tuple[int, ...]:
    return tuple((i + 1) % turning if i < turning else i for i in range(m))


def search_trace(
    setting: Setting,
    shifted: bool = True,
    starts: int = 20,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> TraceBound:
    """The best (shifted) trace bound found among codes of k-sets that are unions of orbits of the groups above.

    From each random start an orbit is added or dropped as long as the bound grows, at several shifts. Exact at the end.

    >>> search_trace(Setting(7), shifted=False, starts=2).value
    5
    """
    rng = np.random.default_rng(seed)
    decay, m = Decay.of(setting), setting.m
    best: TraceBound | None = None
    grid = [0.0, *((0.03, 0.06, 0.1, 0.15, 0.2) if shifted else ())]
    for k in range(1, m // 2 + 1):
        h = [float(x) if (x := decay.h(s)) is not None else np.inf for s in range(k + 1)]
        for name, generators in groups(m):
            parts = orbits(m, k, generators)
            size = np.array([len(p) for p in parts], dtype=float)
            table = _orbit_steps(parts, k)
            for c in grid:
                squares = np.array([max(c, x - c) ** 2 for x in h])
                squares[0] = (1 - c) ** 2
                cost = table @ squares  # sum of squares over all pairs between two orbits
                for _ in range(starts):
                    chosen = _climb(size, cost, rng)
                    sets = sorted(s for i in np.flatnonzero(chosen) for s in parts[i])
                    found = _best_shift(setting, complement_pairs(sets, m), c, name)
                    if best is None or (found.value, found.exact) > (best.value, best.exact):
                        best = found
                        if progress:
                            progress(f"k = {k}, {name}: {best.value} ({len(sets)} sets, shift {best.shift})")
    assert best is not None
    return best


def _orbit_steps(parts: Sequence[Sequence[int]], k: int) -> npt.NDArray[np.float64]:
    """Number of ordered pairs of sets at each step between two orbits, shape (orbits, orbits, k + 1)."""
    members = np.array([s for p in parts for s in p], dtype=np.int64)
    owner = np.repeat(np.arange(len(parts)), [len(p) for p in parts])
    table = np.zeros((len(parts), len(parts), k + 1))
    for i, p in enumerate(parts):
        step = np.bitwise_count(p[0] & ~members).astype(np.int64)
        flat = np.bincount(owner * (k + 1) + step, minlength=len(parts) * (k + 1))
        table[i] = len(p) * flat.reshape(len(parts), k + 1)
    return table


def _climb(
    size: npt.NDArray[np.float64], cost: npt.NDArray[np.float64], rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """Toggle single orbits while N^2 / cost grows, from a random start."""
    count = len(size)
    chosen = np.zeros(count, dtype=bool)
    chosen[rng.integers(count)] = True
    while True:
        weight = chosen.astype(float)
        number, total, cross = size @ weight, weight @ cost @ weight, cost @ weight
        sign = np.where(chosen, -1.0, 1.0)
        new_number = number + sign * size
        new_total = total + 2 * sign * cross + np.diagonal(cost)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where((new_number > 0.5) & np.isfinite(new_total), new_number**2 / new_total, -1.0)
        pick = rng.permutation(count)
        i = int(pick[np.argmax(ratio[pick])])
        if ratio[i] <= number**2 / total * (1 + 1e-12):
            return chosen
        chosen[i] = not chosen[i]


def _best_shift(setting: Setting, pairs: list[Pair], c: float, group: str) -> TraceBound:
    """The bound of a family with the best shift near c (0 stays 0), as a simple fraction."""
    plain = TraceBound(setting, tuple(pairs), Fraction(0), group)
    if c == 0:
        return plain
    decay, counts, number = Decay.of(setting), step_counts(pairs), len(pairs)
    h = {s: float(decay.h(s) or 0) for s in counts}

    def bound(x: float) -> float:
        total = number * (1 - x) ** 2 + sum(v * max(x, h[s] - x) ** 2 for s, v in counts.items())
        return float(((1 - x) * number) ** 2 / total)

    candidates = np.linspace(0.0, 0.5, 501)
    best = Fraction(float(max(candidates, key=bound))).limit_denominator(1000)
    shifted = TraceBound(setting, tuple(pairs), best, group)
    return max(plain, shifted, key=lambda t: (t.value, -t.shift))
