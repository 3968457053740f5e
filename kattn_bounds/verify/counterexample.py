"""Minimal counterexamples: the smallest sequence on which a kernel fails.

Order: fewest distinct tokens, then fewest bits (coordinates that are not 0 in every token), then fewest ones. With the
inner-product readout and one kernel for all positions, a sequence of the query and one other token fails, if any does,
with one copy of that token; otherwise level reduction shows that three distinct tokens suffice. For the free readout,
position-dependent kernels and the causal mask only the number of bits is minimised.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np

from kattn_bounds.cube import canonical
from kattn_bounds.kernels.base import ClassKernel, Kernel
from kattn_bounds.kernels.positions import PositionKernel
from kattn_bounds.setting import Setting
from kattn_bounds.verify.decide import causal_lengths, decide, failing_rows
from kattn_bounds.verify.rows import (
    ExhaustiveSource,
    OrbitSource,
    Source,
    source_for,
    vanishing_choice,
    worst_choice,
)


def minimal_counterexample(
    kernel: Kernel | PositionKernel, setting: Setting, value: Kernel | None = None
) -> tuple[int, ...] | None:
    """A smallest sequence (query last) with error at least the tolerance, or None when the kernel solves.

    Exact. For kernels of |q|, |a|, <q,a> the sequence is canonical up to coordinate permutations. Raises what `decide` raises.

    >>> from kattn_bounds.kernels import formula
    >>> minimal_counterexample(formula("(41/100)**t", 6), Setting(6))
    (0, 48, 48)
    >>> minimal_counterexample(formula("3**-t", 6), Setting(6)) is None
    True
    """
    if setting.mask == "causal":
        for length in causal_lengths(setting):
            final = Setting(
                setting.m, length, setting.tolerance, setting.self_included, setting.readout, "final"
            )
            found = minimal_counterexample(kernel, final, value)
            if found is not None:
                return found
        return None
    if decide(kernel, setting, value).solves:
        return None
    source = source_for(kernel, setting, value)
    found = None
    if isinstance(kernel, Kernel) and value is None and setting.n > 1:
        found = _two_tokens(kernel, setting, source)
    if found is None:
        found = _fewest_bits(kernel, setting, value, source)
    if isinstance(source, OrbitSource):
        found = canonical(found, setting.m)
    return found


def _two_tokens(kernel: Kernel, setting: Setting, source: Source) -> tuple[int, ...] | None:
    """The smallest failing sequence of the query and one other token, copies allowed, if there is one."""
    best: tuple[tuple[int, int, int, int], tuple[int, ...]] | None = None
    for row in failing_rows(source, setting):
        q, k = row.query, row.weight
        if best is not None and k > best[0][0]:
            continue
        own = kernel.value(q, q)
        for extra, level, token, weight in _least_entries(kernel, setting, source, q, k):
            key = (k + extra, k + level + extra, q, token)
            if best is not None and key >= best[0]:
                continue
            if _one_copy_fails(setting, k, own, level, weight):
                best = key, (token,) + (q,) * (setting.n - 1)
    return None if best is None else best[1]


def _one_copy_fails(setting: Setting, k: int, own: Fraction, level: int, weight: Fraction) -> bool:
    """Whether one token at this level, the rest of the sequence being the query, has error at least the tolerance.

    More copies of the token only lower the sum, so one decides.
    """
    rest = setting.n - 1 if setting.self_included else setting.n - 2
    tau = setting.tolerance
    return -tau * weight + rest * own * (k - level - tau) >= 0


def _least_entries(
    kernel: Kernel, setting: Setting, source: Source, q: int, k: int
) -> Iterator[tuple[int, int, int, Fraction]]:
    """(bits outside q, level, token, entry): the least entry for each level and number of bits outside the query."""
    m = setting.m
    if isinstance(source, OrbitSource):
        assert isinstance(kernel, ClassKernel)
        for t in range(k + 1):
            for l in kernel.weights(k, t, m):
                inside = ((1 << t) - 1) << (m - t)
                outside = ((1 << (l - t)) - 1) << (m - k - (l - t))
                yield l - t, t, inside | outside, kernel.class_value(k, l, t)
        return
    tokens = np.arange(1 << m, dtype=np.uint32)
    levels = np.bitwise_count(tokens & np.uint32(q)).astype(np.int64)
    extras = np.bitwise_count(tokens & ~np.uint32(q)).astype(np.int64)
    codes = kernel.row_codes(q)
    order = np.lexsort((tokens, levels * (m + 1) + extras))
    keys = (levels * (m + 1) + extras)[order]
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    ends = np.concatenate((starts[1:], [len(keys)]))
    for start, end in zip(starts, ends, strict=True):
        members = order[start:end]
        token = int(members[int(np.argmin(codes[members]))])
        yield int(extras[token]), int(levels[token]), token, kernel.decode(q, codes[token])


def _fewest_bits(
    kernel: Kernel | PositionKernel, setting: Setting, value: Kernel | None, source: Source
) -> tuple[int, ...]:
    """A failing sequence whose tokens together use the fewest coordinates."""
    m = setting.m
    queries = (
        [row.query for row in failing_rows(source, setting)] if isinstance(source, ExhaustiveSource) else None
    )
    for bits in range(m + 1):
        for support in _supports(m, bits, symmetric=isinstance(source, OrbitSource)):
            part = source_for(kernel, setting, value, support=support, queries=queries)
            for row in failing_rows(part, setting):
                choice = vanishing_choice(row)
                if choice is None:
                    sides = (False, True) if setting.readout == "free" else (False,)
                    _, choice = max(
                        (worst_choice(row, setting.tolerance, side) for side in sides), key=lambda c: c[0]
                    )
                return part.sequence(row, choice)
    raise AssertionError("the kernel fails, but on no support")


def _supports(m: int, bits: int, symmetric: bool) -> Iterator[int]:
    """Bit masks with that many coordinates; one suffices where coordinates are interchangeable."""
    if symmetric:
        yield ((1 << bits) - 1) << (m - bits)
        return
    for chosen in combinations(range(m), bits):
        yield sum(1 << (m - 1 - i) for i in chosen)
