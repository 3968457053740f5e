"""Level reduction: what one query's row of the kernel says about every sequence (theory section 2).

Fix a query q and the level t that is minimal in the sequence. Tokens enter the sums separately, so at each position only
the extreme points of every level {a : <q,a> = t'} matter: a point is the pair (K, N) with N = K V, and a sum over the sequence of
N - (t + lambda) K, or of its mirror image, is largest when every position takes an extreme point. So a row is reduced to
at most two points a level (inner-product readout: the least and the largest K) or to the convex hull (free readout).

Points are exact integers, over one positive scale a row.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm

import numpy as np
import numpy.typing as npt

from kattn_bounds.cube import inner
from kattn_bounds.errors import InputError
from kattn_bounds.kernels.base import EXHAUSTIVE_MAX_M, ClassKernel, Kernel
from kattn_bounds.kernels.positions import PositionKernel
from kattn_bounds.setting import Setting

ORBIT_MAX_M = 400
"""Largest m at which orbits are enumerated: the work grows as m^3, or m^4 when the kernel depends on |a| too."""

Point = tuple[int, int]
"""(K, N), scaled integers."""

ExactPoint = tuple[Fraction, Fraction]
"""(K, N), before scaling."""

Levels = list[list[Point]]
"""Extreme points of each level t' = 0..|q|."""


@dataclass(frozen=True, slots=True)
class Group:
    """Positions that share one kernel: how many companions stand there, and their extreme points by level."""

    count: int
    levels: Levels


@dataclass(frozen=True, slots=True)
class Row:
    """One query, reduced. `query` is a token, `weight` is |q|, `own` the query's own point (None: self excluded)."""

    query: int
    weight: int
    own: Point | None
    groups: list[Group]


@dataclass(frozen=True, slots=True)
class Choice:
    """A worst sequence in reduced form: a group and point for every companion, with counts."""

    tokens: list[tuple[int, int, Point, int]]
    """(group, level, point, count)."""
    target: int


class Source(ABC):
    """Where rows come from, and how a point is traced back to a token."""

    @abstractmethod
    def rows(self) -> Iterator[Row]:
        """Every row, lightest queries first, so that the worst sequence found is a small one."""

    @abstractmethod
    def find(self, row: Row, group: int, level: int, point: Point) -> int:
        """A token of few bits that attains the point."""

    def sequence(self, row: Row, choice: Choice) -> tuple[int, ...]:
        """The tokens of a choice, in position order, query last."""
        placed: list[tuple[int, int]] = []
        for group, level, point, count in choice.tokens:
            placed += [(group, self.find(row, group, level, point))] * count
        placed.sort(key=lambda pair: pair[0])
        return (*(token for _, token in placed), row.query)


def worst_choice(row: Row, rate: Fraction, below: bool = False) -> tuple[int, Choice]:
    """The largest sum over attended tokens of N - (t + rate) K over all sequences with this query, and what attains it.

    With `below`, of (t - rate) K - N instead. t is the minimal level of the sequence. The value is scaled by a positive integer.
    """
    p, r = rate.numerator, rate.denominator
    best_total: int | None = None
    best_choice: Choice | None = None

    def score(point: Point, t: int) -> int:
        weight, moment = point
        return (r * t - p) * weight - r * moment if below else r * moment - (r * t + p) * weight

    companions = sum(group.count for group in row.groups)
    for t in range(row.weight + 1) if companions else [row.weight]:
        total = score(row.own, t) if row.own is not None else 0
        picks: list[tuple[int, int, Point, int]] = []
        cheapest: tuple[int, int, int, Point] | None = None
        for g, group in enumerate(row.groups):
            best: tuple[int, int, Point] | None = None
            forced: tuple[int, Point] | None = None
            for level in range(t, row.weight + 1):
                for point in group.levels[level]:
                    s = score(point, t)
                    if best is None or s > best[0]:
                        best = (s, level, point)
                    if level == t and (forced is None or s > forced[0]):
                        forced = (s, point)
            if best is None:
                break
            total += group.count * best[0]
            picks.append((g, best[1], best[2], group.count))
            if forced is not None and (cheapest is None or forced[0] - best[0] > cheapest[0]):
                cheapest = (forced[0] - best[0], g, t, forced[1])
        else:
            if companions:
                if cheapest is None:
                    continue
                # At least one companion must stand at the minimal level itself.
                loss, g, level, point = cheapest
                total += loss
                picks = [(h, lv, pt, c - (h == g)) for h, lv, pt, c in picks] + [(g, level, point, 1)]
            if best_total is None or total > best_total:
                best_total = total
                best_choice = Choice([pick for pick in picks if pick[3]], t)
    if best_total is None or best_choice is None:
        raise AssertionError("a row has no sequence")
    return best_total, best_choice


def error_of(row: Row, choice: Choice) -> Fraction:
    """|output - target| of the sequence of a choice; its normaliser must be positive."""
    points = [(point, count) for _, _, point, count in choice.tokens]
    if row.own is not None:
        points.append((row.own, 1))
    normaliser = sum(point[0] * count for point, count in points)
    return abs(Fraction(sum(point[1] * count for point, count in points), normaliser) - choice.target)


def vanishing_choice(row: Row) -> Choice | None:
    """A choice whose normaliser is zero, if the row has one."""
    if row.own is not None and row.own[0] != 0:
        return None
    picks: list[tuple[int, int, Point, int]] = []
    for g, group in enumerate(row.groups):
        zero = next(
            (
                (level, point)
                for level, points in enumerate(group.levels)
                for point in points
                if point[0] == 0
            ),
            None,
        )
        if zero is None:
            return None
        picks.append((g, *zero, group.count))
    return Choice(picks, min((level for _, level, _, _ in picks), default=row.weight))


def source_for(
    kernel: Kernel | PositionKernel,
    setting: Setting,
    value: Kernel | None = None,
    *,
    exhaustive: bool = False,
    support: int | None = None,
    queries: Iterable[int] | None = None,
) -> Source:
    """The rows of a kernel for a final query at length n: orbits where everything depends on k, l, t only.

    `exhaustive` reads all entries even then. `support` keeps to the tokens inside that bit mask (for orbits: its number of bits
    counts); `queries` keeps to those queries.
    """
    length = setting.n
    parts: list[tuple[int, Kernel]]
    if isinstance(kernel, PositionKernel):
        own = kernel.at(length, length)
        parts = [(1, kernel.at(length, j)) for j in range(1, length)]
    else:
        own = kernel
        parts = [(length - 1, kernel)] if length > 1 else []
    involved = [own, *(part for _, part in parts), *([value] if value is not None else [])]
    if not exhaustive and all(isinstance(part, ClassKernel) for part in involved):
        if setting.m > ORBIT_MAX_M:
            raise InputError(f"m = {setting.m} is too large to enumerate orbits: give m <= {ORBIT_MAX_M}")
        return OrbitSource(setting, own, parts, value, support)
    if setting.m > EXHAUSTIVE_MAX_M:
        raise InputError(
            f"m = {setting.m} is too large to be exhaustive (4^m entries): give m <= {EXHAUSTIVE_MAX_M}, "
            "or a kernel that depends on |q|, |a| and <q,a> only"
        )
    return ExhaustiveSource(setting, own, parts, value, support, queries)


class OrbitSource(Source):
    """Rows by |q| alone, for kernels that depend on k, l, t only."""

    def __init__(
        self,
        setting: Setting,
        own: Kernel,
        parts: Sequence[tuple[int, Kernel]],
        value: Kernel | None,
        support: int | None = None,
    ) -> None:
        self.m = setting.m
        self.bits = setting.m if support is None else support.bit_count()
        self.self_included = setting.self_included
        self.own, self.parts, self.value = own, parts, value

    def rows(self) -> Iterator[Row]:
        for k in range(self.bits + 1):
            own = self._exact(self.own, k, k, k) if self.self_included else None
            groups = [
                (
                    count,
                    [
                        [self._exact(kernel, k, l, t) for l in self._weights(kernel, k, t)]
                        for t in range(k + 1)
                    ],
                )
                for count, kernel in self.parts
            ]
            yield _scaled(self._query(k), k, own, groups, hull=self.value is not None)

    def find(self, row: Row, group: int, level: int, point: Point) -> int:
        k = row.weight
        kernel = self.parts[group][1]
        scale = _common_scale(self, row)
        for l in self._weights(kernel, k, level):
            if _integers(self._exact(kernel, k, l, level), scale) == point:
                inside = ((1 << level) - 1) << (self.m - level)
                outside = ((1 << (l - level)) - 1) << (self.m - k - (l - level))
                return inside | outside
        raise AssertionError("no class attains the point")

    def _query(self, k: int) -> int:
        return ((1 << k) - 1) << (self.m - k)

    def _weights(self, kernel: Kernel, k: int, t: int) -> range:
        assert isinstance(kernel, ClassKernel)
        if isinstance(self.value, ClassKernel) and "l" in self.value.uses:
            return range(t, t + self.bits - k + 1)
        return kernel.weights(k, t, self.bits)

    def _exact(self, kernel: Kernel, k: int, l: int, t: int) -> ExactPoint:
        assert isinstance(kernel, ClassKernel)
        weight = kernel.class_value(k, l, t)
        if self.value is None:
            return weight, weight * t
        assert isinstance(self.value, ClassKernel)
        return weight, weight * self.value.class_value(k, l, t)

    def exact_row(self, row: Row) -> list[Fraction]:
        k = row.weight
        return [
            x
            for _, kernel in self.parts
            for t in range(k + 1)
            for l in self._weights(kernel, k, t)
            for x in self._exact(kernel, k, l, t)
        ] + (list(self._exact(self.own, k, k, k)) if self.self_included else [])


class ExhaustiveSource(Source):
    """Rows by reading every entry: numpy finds the extreme codes of each level, exact arithmetic does the rest."""

    def __init__(
        self,
        setting: Setting,
        own: Kernel,
        parts: Sequence[tuple[int, Kernel]],
        value: Kernel | None,
        support: int | None = None,
        queries: Iterable[int] | None = None,
    ) -> None:
        self.m = setting.m
        self.self_included = setting.self_included
        self.own, self.parts, self.value = own, parts, value
        full = (1 << self.m) - 1
        self.support = full if support is None else support
        self.tokens: npt.NDArray[np.uint32] = _submasks(self.support)
        chosen = (
            (int(q) for q in self.tokens)
            if queries is None
            else (q for q in queries if q & ~self.support == 0)
        )
        self.queries = sorted(chosen, key=lambda q: (q.bit_count(), -q))

    def rows(self) -> Iterator[Row]:
        for q in self.queries:
            yield self.row(q)

    def row(self, q: int) -> Row:
        """The reduced row of one query."""
        own, groups = self._exact_points(q)
        return _scaled(q, q.bit_count(), own, groups, hull=self.value is not None)

    def find(self, row: Row, group: int, level: int, point: Point) -> int:
        q = row.query
        kernel = self.parts[group][1]
        scale = _common_scale(self, row)
        codes = kernel.row_codes(q)
        for a in sorted(
            (int(a) for a in self.tokens if inner(q, int(a)) == level), key=lambda a: (a.bit_count(), -a)
        ):
            weight = kernel.decode(q, codes[a])
            if _integers((weight, weight * self._value(q, a)), scale) == point:
                return a
        raise AssertionError("no token attains the point")

    def exact_row(self, row: Row) -> list[Fraction]:
        own, groups = self._exact_points(row.query)
        found = [x for _, levels in groups for points in levels for point in points for x in point]
        return found + list(own or ())

    def _value(self, q: int, a: int) -> Fraction:
        return Fraction(inner(q, a)) if self.value is None else self.value.value(q, a)

    def _exact_points(self, q: int) -> tuple[ExactPoint | None, list[tuple[int, list[list[ExactPoint]]]]]:
        own = None
        if self.self_included:
            weight = self.own.value(q, q)
            own = (weight, weight * self._value(q, q))
        levels = np.bitwise_count(self.tokens & np.uint32(q)).astype(np.uint8)
        order = np.argsort(levels, kind="stable")
        k = q.bit_count()
        free = self.support.bit_count() - k
        sizes = [comb(k, t) << free for t in range(k + 1)]
        starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.intp)
        ordered = self.tokens[order]
        groups = []
        for count, kernel in self.parts:
            codes = kernel.row_codes(q)[ordered]
            if self.value is None:
                low = np.minimum.reduceat(codes, starts)
                high = np.maximum.reduceat(codes, starts)
                points = [
                    [(w, w * t) for w in (kernel.decode(q, low[t]), kernel.decode(q, high[t]))]
                    for t in range(k + 1)
                ]
            else:
                values = self.value.row_codes(q)[ordered]
                points = [
                    _distinct_points(kernel, self.value, q, codes[s : s + z], values[s : s + z])
                    for s, z in zip(starts, sizes, strict=True)
                ]
            groups.append((count, points))
        return own, groups


def _distinct_points(
    kernel: Kernel, value: Kernel, q: int, codes: npt.NDArray[np.generic], values: npt.NDArray[np.generic]
) -> list[ExactPoint]:
    """The distinct pairs (K, K V) of one level."""
    weights, weight_index = np.unique(codes, return_inverse=True)
    marks, mark_index = np.unique(values, return_inverse=True)
    pairs = np.unique(weight_index * len(marks) + mark_index)
    exact_weights = [kernel.decode(q, w) for w in weights]
    exact_marks = [value.decode(q, v) for v in marks]
    found = []
    for pair in pairs:
        weight = exact_weights[int(pair) // len(marks)]
        found.append((weight, weight * exact_marks[int(pair) % len(marks)]))
    return found


def _scaled(
    query: int,
    weight: int,
    own: ExactPoint | None,
    groups: Sequence[tuple[int, Sequence[Sequence[ExactPoint]]]],
    hull: bool,
) -> Row:
    """A row of integers, and only the extreme points of each level."""
    every = [x for _, levels in groups for points in levels for point in points for x in point] + list(
        own or ()
    )
    scale = lcm(*(x.denominator for x in every)) if every else 1

    reduced = []
    for count, levels in groups:
        extreme: Levels = []
        for points in levels:
            whole = sorted({_integers(point, scale) for point in points})
            extreme.append(_hull(whole) if hull else whole[:: max(1, len(whole) - 1)])
        reduced.append(Group(count, extreme))
    return Row(query, weight, _integers(own, scale) if own is not None else None, reduced)


def _integers(point: ExactPoint, scale: int) -> Point:
    """The point times the scale; a point of another row need not become whole."""
    weight, moment = point[0] * scale, point[1] * scale
    return (weight.numerator, moment.numerator) if weight.denominator == moment.denominator == 1 else (-1, -1)


def _common_scale(source: OrbitSource | ExhaustiveSource, row: Row) -> int:
    """The scale that `_scaled` used for this row."""
    return lcm(*(x.denominator for x in source.exact_row(row)))


def _hull(points: list[Point]) -> list[Point]:
    """Vertices of the convex hull of sorted distinct integer points (Andrew's monotone chain)."""
    if len(points) <= 2:
        return points

    def chain(ordered: Iterable[Point]) -> list[Point]:
        stack: list[Point] = []
        for p in ordered:
            while len(stack) >= 2 and _turn(stack[-2], stack[-1], p) <= 0:
                stack.pop()
            stack.append(p)
        return stack

    lower, upper = chain(points), chain(reversed(points))
    return sorted({*lower, *upper})


def _turn(a: Point, b: Point, c: Point) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _submasks(mask: int) -> npt.NDArray[np.uint32]:
    """Every token inside the mask, in increasing order."""
    tokens = np.zeros(1, dtype=np.uint32)
    for i in range(mask.bit_length()):
        if mask >> i & 1:
            tokens = np.concatenate((tokens, tokens | np.uint32(1 << i)))
    return tokens
