"""How many answer functions the prefixes of n data tokens have (P6, counting).

The answer function of a prefix X is q -> min_j <q, x_j>. It is 0 at the complement of x exactly when some token of X is
a subset of x, so it determines the up-set of X, hence the antichain of its inclusion-minimal tokens; and that antichain
determines it. So the number wanted is the number of non-empty antichains of at most n sets in the Boolean lattice of m
points. Three exact methods and a bracket, none of which lists antichains:

- `antichains_by_size(m)`, m <= 7: transfer over the four quarters of the cube. An up-set of {0,1}^m is four up-sets
  a <= b, c <= d of {0,1}^(m-2) with b or c below d, and the number of its minimal elements splits as
  |min a| + |min b - a| + |min c - a| + |min d - (b or c)|. For fixed a, taken up to permutations of the coordinates,
  the sum over b, c by their union is a square after the zeta transform of the distributive lattice of up-sets.
- `antichains_of_size(m, k)`, k <= 5, any m: inclusion-exclusion over the containments x_i <= x_j of k tokens. A set E of
  containments leaves u(E) columns in {0,1}^k, so the count is sum_E (-1)^|E| u(E)^m / k!.
- `level_bound(m, n)`: a closed lower bound from antichains in few levels of the lattice, chosen level by level.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import comb, factorial, log2

import numpy as np
import numpy.typing as npt

from kattn_bounds.errors import InputError, shorten

TRANSFER_MAX_M = 7
CLOSED_MAX_N = 5
MAX_BITS = 400_000
"""Counts of more than about this many bits are not computed."""

_LEVEL_VECTORS = 20_000
_LEVEL_WORK = 20_000_000

Masks = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Count:
    """lower <= number of answer functions <= upper, exact integers; equal when the count is exact.

    `method` says how the lower end is known, `upper_method` the upper.
    """

    lower: int
    upper: int
    method: str
    upper_method: str

    @property
    def exact(self) -> bool:
        """Whether both ends agree.

        >>> answer_functions(4, 3).exact
        True
        """
        return self.lower == self.upper


def answer_functions(m: int, n: int) -> Count:
    """Number of answer functions of prefixes of n data tokens of m bits (P6).

    Exact for n <= 5 at every m and for m <= 7 at every n; otherwise a bracket of exact integers. Raises InputError when
    m or n is not at least 1, or when the count would have more than about MAX_BITS bits.

    >>> [answer_functions(3, n).lower for n in (1, 2, 3)], answer_functions(4, 16).lower
    ([8, 17, 19], 167)
    >>> count = answer_functions(8, 10)
    >>> count.exact, count.lower < count.upper
    (False, True)
    """
    _check(m, n)
    if m <= 64:
        n = min(n, comb(m, m // 2))  # no antichain is larger (Sperner)
    if m < TRANSFER_MAX_M or (m == TRANSFER_MAX_M and n > CLOSED_MAX_N):
        if n >= comb(m, m // 2):
            value, how = dedekind(m) - 1, "exact: Dedekind's number by quarters of the cube"
        else:
            value, how = sum(antichains_by_size(m)[1 : n + 1]), "exact: transfer over quarters of the cube"
        return Count(value, value, how, "exact")
    if m * n > MAX_BITS:
        raise InputError(
            f"the count at m = {m}, n = {n} has about {m * n} bits: give m * n <= {MAX_BITS}, "
            "or use the independent answers alone"
        )
    if n <= CLOSED_MAX_N:
        value = sum(antichains_of_size(m, k) for k in range(1, n + 1))
        return Count(value, value, "exact: inclusion-exclusion over containments", "exact")
    lower, how = level_bound(m, n)
    upper, why = _upper_bound(m, n)
    return Count(lower, upper, how, why)


def antichains_of_size(m: int, k: int) -> int:
    """Number of antichains of exactly k subsets of an m-set, k <= 5, any m; exact.

    >>> [antichains_of_size(3, k) for k in range(5)]
    [1, 8, 9, 2, 0]
    >>> antichains_of_size(100, 2) == (4**100 - 2 * 3**100 + 2**100) // 2
    True
    """
    if not 0 <= k <= CLOSED_MAX_N:
        raise InputError(f"k = {shorten(k)} is out of range: the closed form is for 0 <= k <= {CLOSED_MAX_N}")
    total = sum(coefficient * int(columns**m) for columns, coefficient in containment_terms(k))
    value, rest = divmod(total, factorial(k))
    assert rest == 0
    return value


@lru_cache
def containment_terms(k: int) -> tuple[tuple[int, int], ...]:
    """The pairs (u, coefficient) with k! * antichains_of_size(m, k) = sum of coefficient * u^m.

    >>> containment_terms(2)
    ((2, 1), (3, -2), (4, 1))
    """
    pairs = [(i, j) for i in range(k) for j in range(k) if i != j]
    edges = np.arange(1 << len(pairs), dtype=np.uint32)
    columns = np.zeros(len(edges), dtype=np.int64)
    for column in range(1 << k):
        broken = sum(1 << e for e, (i, j) in enumerate(pairs) if column >> i & 1 and not column >> j & 1)
        columns += (edges & np.uint32(broken)) == 0
    odd = np.bitwise_count(edges) & 1
    signed = np.bincount(columns[odd == 0], minlength=(1 << k) + 1) - np.bincount(
        columns[odd == 1], minlength=(1 << k) + 1
    )
    return tuple((u, int(c)) for u, c in enumerate(signed) if c)


@lru_cache
def antichains_by_size(m: int) -> tuple[int, ...]:
    """Number of antichains of subsets of an m-set by size s = 0, 1, ...; their sum is Dedekind's number. Exact, m <= 7.

    m = 7 takes some seconds, the others far less. Raises InputError for other m.

    >>> antichains_by_size(3), sum(antichains_by_size(6))
    ((1, 8, 9, 2), 7828354)
    """
    if not 0 <= m <= TRANSFER_MAX_M:
        raise InputError(
            f"m = {shorten(m)} is out of range: exact counts by size are for 0 <= m <= {TRANSFER_MAX_M}"
        )
    if m < 2:
        return (1, 1 << m)
    v = m - 2
    upsets = monotone_functions(v)
    minimal = _minimal(upsets, v)
    steps = _removals(upsets, v)
    width = comb(v, v // 2) + 1

    above = np.zeros((len(upsets), width), dtype=np.int64)
    for e, upset in enumerate(upsets):
        supersets = (upset & ~upsets) == 0
        above[e] = np.bincount(np.bitwise_count(minimal[supersets] & ~upset), minlength=width)
    for (
        larger,
        smaller,
    ) in steps:  # Moebius inversion transposed onto this side, so that the squares need none
        np.subtract.at(above, smaller, above[larger])

    sizes = [0] * (4 * width)
    for bottom, orbit in _orbits(upsets, v):
        over = np.flatnonzero((bottom & ~upsets) == 0)
        sums = np.zeros((len(upsets), width), dtype=np.int64)
        sums[over, np.bitwise_count(minimal[over] & ~bottom)] = 1
        for larger, smaller in steps:
            sums[larger] += sums[smaller]
        start = int(np.bitwise_count(_minimal(np.array([bottom]), v))[0])
        squares = np.zeros((2 * width - 1, len(upsets)), dtype=np.int64)
        columns = np.ascontiguousarray(sums.T)
        for s, column in enumerate(columns):
            squares[s : s + width] += column * columns
        for (s, t), value in np.ndenumerate(squares @ above):
            sizes[start + s + t] += orbit * int(value)
    while sizes[-1] == 0:
        sizes.pop()
    return tuple(sizes)


def dedekind(m: int) -> int:
    """Number of up-sets of {0,1}^m, m <= 7, by the same quarters without the sizes (so an independent count). Exact.

    >>> [dedekind(m) for m in range(7)]
    [2, 3, 6, 20, 168, 7581, 7828354]
    """
    if not 0 <= m <= TRANSFER_MAX_M:
        raise InputError(f"m = {shorten(m)} is out of range: give 0 <= m <= {TRANSFER_MAX_M}")
    if m < 2:
        return 2 + m
    v = m - 2
    upsets = monotone_functions(v)
    index = _Index(v)
    below = np.array([np.count_nonzero((upsets & ~u) == 0) for u in upsets])
    above = np.array([np.count_nonzero((u & ~upsets) == 0) for u in upsets])
    total = 0
    for b, orbit in _orbits(upsets, v):
        total += orbit * int(np.sum(below[index(b & upsets)] * above[index(b | upsets)]))
    return total


@lru_cache
def monotone_functions(v: int) -> Masks:
    """All up-sets of {0,1}^v as bit masks over the 2^v points (point p is bit p), increasing, v <= 5.

    >>> monotone_functions(1).tolist(), len(monotone_functions(4))
    ([0, 2, 3], 168)
    """
    upsets = np.array([0, 1], dtype=np.uint64)
    for i in range(v):
        low, high = np.nonzero((upsets[:, None] & ~upsets[None, :]) == 0)
        upsets = np.sort(upsets[low] | upsets[high] << np.uint64(1 << i))
    return upsets


def level_bound(m: int, n: int) -> tuple[int, str]:
    """A lower bound on the number of non-empty antichains of at most n sets, and how it was had. Exact integer.

    The larger of two. First, at least C(2^m, n) - (3^m - 2^m) C(2^m - 2, n - 2) families of n sets have no comparable pair,
    since 3^m - 2^m pairs are comparable; this is nearly all of them when n is small against (4/3)^(m/2). Second:

    Take i_l sets in each level l of a window around the middle, level by level from the outside in. A set of level k is
    comparable to d(k, l) sets of level l, so at least N_l - sum_k i_k d(k, l) sets of level l remain:
    the count is at least sum over (i_l) of prod_l C(N_l - sum_k i_k d(k, l), i_l). One level is the middle layer alone.

    >>> value, how = level_bound(8, 10)
    >>> value >= sum(comb(70, j) for j in range(1, 11)), how
    (True, 'levels 1..7, chosen level by level')
    """
    families = comb(1 << m, n) if n <= 1 << m else 0
    best, how = 0, "families of n tokens without a comparable pair"
    if n >= 2 and families:
        # C(N - 2, n - 2) = C(N, n) n (n - 1) / (N (N - 1))
        apart = families * n * (n - 1) // ((1 << m) * ((1 << m) - 1))
        best = max(0, families - (3**m - 2**m) * apart)
    for width in range(1, m + 2):
        vectors = comb(min(n, _LEVEL_VECTORS) + width, width)
        if width > 1 and (vectors > _LEVEL_VECTORS or vectors * m * n > _LEVEL_WORK):
            break
        low = (m - width + 1) // 2
        levels = list(range(low, low + width))
        value = _levels(m, min(n, comb(m, m // 2)), levels)
        if value > best:
            best = value
            how = f"levels {low}..{low + width - 1}, chosen level by level" if width > 1 else "middle layer"
    return best, how


def _levels(m: int, n: int, levels: list[int]) -> int:
    order = sorted(levels, key=lambda l: (-abs(2 * l - m), l))
    size = {l: comb(m, l) for l in levels}

    def choose(position: int, left: int, chosen: list[tuple[int, int]]) -> int:
        level = order[position]
        taken = sum(count * _comparable(m, k, level) for k, count in chosen)
        free = max(0, size[level] - taken)
        if position == len(order) - 1:
            return _binomial_sum(free, left)
        total = 0
        for count in range(min(left, free) + 1):
            ways = comb(free, count)
            total += ways * choose(position + 1, left - count, [*chosen, (level, count)])
        return total

    return choose(0, n, []) - 1


def _comparable(m: int, k: int, level: int) -> int:
    """Number of sets of a level comparable to a given k-set."""
    return comb(k, level) if level <= k else comb(m - k, level - k)


def _binomial_sum(size: int, n: int) -> int:
    """sum of C(size, j) over j = 0..n, one multiplication a term."""
    if n >= size:
        return 1 << size
    term = total = 1
    for j in range(1, n + 1):
        term = term * (size - j + 1) // j
        total += term
    return total


def _upper_bound(m: int, n: int) -> tuple[int, str]:
    families = _binomial_sum(1 << m, n) - 1
    middle = comb(m, m // 2)
    if middle * 1.6 < m * n + 1:
        hansel: int = 3**middle - 1
        if hansel < families:
            return hansel, "Hansel's 3^C(m, m/2)"
    return families, "all families of at most n tokens"


def _check(m: int, n: int) -> None:
    faults = [
        f"{name} = {shorten(value)} is out of range: give an integer {name} >= 1"
        for name, value in (("m", m), ("n", n))
        if not isinstance(value, int) or value < 1
    ]
    if faults:
        raise InputError(faults)


class _Index:
    """Position of an up-set in `monotone_functions(v)`, by tables on halves of at most 16 points."""

    def __init__(self, v: int) -> None:
        self.half = min(v, 4)
        small = monotone_functions(self.half)
        self.place = np.zeros(1 << (1 << self.half), dtype=np.int64)
        self.place[small.astype(np.int64)] = np.arange(len(small))
        self.pairs: Counts | None = None
        if v == 5:
            upsets = monotone_functions(5)
            self.pairs = np.zeros((len(small), len(small)), dtype=np.int64)
            low, high = self._halves(upsets)
            self.pairs[low, high] = np.arange(len(upsets))

    def _halves(self, upsets: Masks) -> tuple[Counts, Counts]:
        low = self.place[(upsets & np.uint64(0xFFFF)).astype(np.int64)]
        return low, self.place[(upsets >> np.uint64(16)).astype(np.int64)]

    def __call__(self, upsets: Masks) -> Counts:
        if self.pairs is None:
            return self.place[upsets.astype(np.int64)]
        return self.pairs[self._halves(upsets)]


def _removals(upsets: Masks, v: int) -> list[tuple[Counts, Counts]]:
    """The steps of the zeta transform f(e) -> sum of f(b) over up-sets b <= e, in place.

    For each point p, from the smallest sets up, the step adds f(e minus all subsets of p) to f(e) for every e that
    contains p: positions of these e, and of what remains of them.
    """
    index = _Index(v)
    steps = []
    for p in sorted(range(1 << v), key=int.bit_count):
        below = np.uint64(sum(1 << x for x in range(1 << v) if x & ~p == 0))
        larger = np.flatnonzero(upsets >> np.uint64(p) & np.uint64(1))
        steps.append((larger, index(upsets[larger] & ~below)))
    return steps


def _minimal(upsets: Masks, v: int) -> Masks:
    """The minimal points of up-sets of {0,1}^v, as masks."""
    covered = np.zeros_like(upsets)
    for i in range(v):
        without = sum(1 << p for p in range(1 << v) if not p >> i & 1)
        covered |= (upsets & np.uint64(without)) << np.uint64(1 << i)
    return upsets & ~covered


def _orbits(upsets: Masks, v: int) -> Iterator[tuple[np.uint64, int]]:
    """One up-set of each class under the v! permutations of the coordinates, with the size of its class."""
    least = upsets.copy()
    for order in permutations(range(v)):
        image = np.zeros_like(upsets)
        for p in range(1 << v):
            moved = sum((p >> i & 1) << order[i] for i in range(v))
            image |= (upsets >> np.uint64(p) & np.uint64(1)) << np.uint64(moved)
        np.minimum(least, image, out=least)
    yield from ((np.uint64(mask), size) for mask, size in sorted(Counter(least.tolist()).items()))


def log2_exactly(count: int) -> float:
    """log2 of a positive integer of any size, as a float for display.

    >>> log2_exactly(1 << 5000)
    5000.0
    """
    shift = max(0, count.bit_length() - 64)
    return shift + log2(count >> shift)
