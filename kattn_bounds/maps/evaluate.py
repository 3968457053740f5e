"""Verdicts on published maps, and the smallest number of features with which each solves length three."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kattn_bounds.cube import format_token
from kattn_bounds.errors import InputError
from kattn_bounds.kernels.base import ClassKernel, Kernel, TableKernel
from kattn_bounds.kernels.positions import PositionKernel
from kattn_bounds.maps.base import PublishedMap, Realised
from kattn_bounds.maps.embedding import embed
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Verdict
from kattn_bounds.verify import decide

MAX_M = 11


@dataclass(frozen=True, slots=True)
class Choice:
    """An embedding and its scale."""

    embedding: str
    scale: float

    def __str__(self) -> str:
        return f"{self.embedding},{self.scale:g}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A map at one size, embedding and seed.

    verdict    PROVED or REFUTED for the map's own features (doubles, exact products), UNDECIDED within rounding
    low, high  the worst-case error over all sequences lies between them; None when a normaliser may vanish
    evidence   one short line
    """

    choice: Choice
    features: int
    verdict: Verdict
    low: Fraction | None
    high: Fraction | None
    evidence: str


def realise(published: PublishedMap, m: int, size: int, seed: int, choice: Choice) -> Realised:
    """The map's kernel table on {0,1}^m."""
    if not 1 <= m <= MAX_M:
        raise InputError(f"m = {m} is out of range for a map's table: give 1 <= m <= {MAX_M}")
    x, y = embed(choice.embedding, m, choice.scale)
    found = published.build(x, y, size, np.random.default_rng(seed))
    if not np.isfinite(found.table).all():
        raise InputError(f"map '{published.name}' at {choice} overflows: give a smaller scale or order")
    return found


def kernel_of(
    published: PublishedMap, m: int, size: int, seed: int, choice: Choice
) -> Kernel | PositionKernel:
    """The map's table as a kernel for the verifier; a negative entry raises InputError that names it."""
    return _kernel(published, m, realise(published, m, size, seed, choice))


def evaluate(published: PublishedMap, setting: Setting, size: int, seed: int, choice: Choice) -> Outcome:
    """Decide one map at one size.

    If every entry of the table is within a relative error delta of the map's own kernel, every output is within
    2 delta m / (1 - delta) of the map's own: a weight changes by a factor in [(1-delta)/(1+delta), (1+delta)/(1-delta)].

    >>> from kattn_bounds.maps.registry import find_map
    >>> found = evaluate(find_map("softmax"), Setting(4), 0, 0, Choice("negated", 1.0))
    >>> found.verdict.value, found.features
    ('PROVED', 16)
    """
    m = setting.m
    real = realise(published, m, size, seed, choice)
    negative = real.table < -real.absolute_error
    if negative.any():
        q, a = (int(i) for i in np.unravel_index(int(np.argmax(negative)), negative.shape))
        where = f"K < 0 at q = {format_token(q, m)}, a = {format_token(a, m)}"
        return Outcome(choice, real.features, Verdict.REFUTED, None, None, where)
    unclear = (real.table <= real.absolute_error) & (real.absolute_error > 0)
    if unclear.any():
        return Outcome(
            choice, real.features, Verdict.UNDECIDED, None, None, "the sign of an entry is within rounding"
        )
    ratio = np.divide(real.absolute_error, real.table, where=real.table > 0, out=np.zeros_like(real.table))
    # One more rounding for a position's factor.
    delta = Fraction(float(ratio.max())) + Fraction(1, 2**52)
    found = decide(_kernel(published, m, real), setting)
    if found.worst_error is None:
        return Outcome(choice, real.features, Verdict.REFUTED, None, None, "a normaliser vanishes")
    slack = 2 * delta * m / (1 - delta)
    low, high = max(found.worst_error - slack, Fraction(0)), found.worst_error + slack
    if high < setting.tolerance:
        verdict = Verdict.PROVED
    elif low >= setting.tolerance:
        verdict = Verdict.REFUTED
    else:
        verdict = Verdict.UNDECIDED
    return Outcome(choice, real.features, verdict, low, high, f"worst error {float(found.worst_error):.4g}")


def best_outcome(published: PublishedMap, setting: Setting, size: int, seed: int = 0) -> Outcome:
    """The best of the map's embeddings and scales: a solving one first, then the least worst-case error."""
    outcomes = [evaluate(published, setting, size, seed, choice) for choice in choices(published)]
    rank = {Verdict.PROVED: 0, Verdict.UNDECIDED: 1, Verdict.REFUTED: 2}
    return min(outcomes, key=lambda o: (rank[o.verdict], o.high is None, o.high or 0))


def best_choice(published: PublishedMap, m: int, size: int, seed: int) -> Choice:
    """The embedding and scale of `best_outcome` at length three."""
    return best_outcome(published, Setting(m), size, seed).choice


def choices(published: PublishedMap) -> Iterator[Choice]:
    """The small stated set that a map is tried with."""
    for embedding in published.embeddings:
        for scale in published.scales:
            yield Choice(embedding, scale)


def success_rate(published: PublishedMap, setting: Setting, size: int, seeds: int, choice: Choice) -> float:
    """Share of the seeds 0 .. seeds-1 whose map is PROVED to solve."""
    solved = sum(
        evaluate(published, setting, size, seed, choice).verdict is Verdict.PROVED for seed in range(seeds)
    )
    return solved / seeds


def size_ladder(largest: int) -> list[int]:
    """Feature counts to try, three to a doubling: 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, ...

    >>> size_ladder(16)
    [1, 2, 3, 4, 5, 6, 8, 10, 13, 16]
    """
    sizes = sorted({round(2 ** (i / 3)) for i in range(64)})
    return [size for size in sizes if size <= largest]


def _kernel(published: PublishedMap, m: int, real: Realised) -> Kernel | PositionKernel:
    """The table as a kernel, by classes where the map is symmetric, with a factor for each position where it has them."""

    def part(factor: float) -> Kernel:
        table = real.table if factor == 1 else real.table * factor
        if not published.symmetric:
            return TableKernel(published.name, m, table, features=real.features)
        return ClassKernel(
            published.name,
            m,
            lambda k, l, t: Fraction(float(table[representative(k, l, t, m)])),
            real.features,
        )

    if real.positions is None:
        return part(1)
    return PositionKernel.of_list(published.name, [part(c) for c in real.positions])


def representative(k: int, l: int, t: int, m: int) -> tuple[int, int]:
    """A pair of tokens with |q| = k, |a| = l, <q,a> = t.

    >>> representative(2, 2, 1, 3)
    (6, 3)
    """
    return ((1 << k) - 1) << (m - k), ((1 << l) - 1) << (m - k - l + t)
