"""Kernels on classes: exact ranks against the full matrix, and the search that proposes them."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from kattn_bounds.attention import attend
from kattn_bounds.certificates import checker, writer
from kattn_bounds.certificates.reading import Rejected
from kattn_bounds.errors import InputError
from kattn_bounds.kernels.base import ClassKernel, TableKernel
from kattn_bounds.kernels.isotypic import class_rank, dimension, levels, type_ranks, typed_kernel, zonal
from kattn_bounds.kernels.monomial import block_kernel
from kattn_bounds.kernels.rank import exact_rank
from kattn_bounds.setting import Setting
from kattn_bounds.upper.bounds import restrict
from kattn_bounds.upper.symmetric import Family, Found, Problem, extend, search, types
from kattn_bounds.verify import decide, minimal_counterexample


def full_rank(kernel: ClassKernel) -> int:
    tokens = range(1 << kernel.m)
    return exact_rank([[kernel.value(q, a) for a in tokens] for q in tokens])


def table(kernel: ClassKernel) -> list[list[list[Fraction]]]:
    m = kernel.m
    return [
        [[kernel.class_value(k, l, t) for t in levels(m, k, l)] for l in range(m + 1)] for k in range(m + 1)
    ]


@given(st.integers(1, 5), st.integers(0, 2), st.randoms(use_true_random=False))
@hypothesis_settings(max_examples=25, deadline=None)
def test_rank_by_types_is_the_rank_of_the_matrix(m: int, kind: int, random: Random) -> None:
    draw = random.randint
    values = {
        (k, l, t): Fraction(draw(0, 3) if kind == 0 else draw(0, 1) if kind == 1 else (k * l + t) % 3)
        for k in range(m + 1)
        for l in range(m + 1)
        for t in levels(m, k, l)
    }
    kernel = ClassKernel("random", m, lambda k, l, t: values[k, l, t])
    rank = full_rank(kernel)
    assert class_rank(kernel) == rank
    setting = Setting(m, n=1)
    if all(values[k, k, k] > 0 for k in range(m + 1)) and rank:
        checker.check(writer.kernel_classes(setting, table(kernel), rank))
        if rank > 1:
            with pytest.raises(Rejected, match="more than the claimed"):
                checker.check(writer.kernel_classes(setting, table(kernel), rank - 1))


@pytest.mark.parametrize("m", [2, 3, 4, 5])
def test_each_type_has_its_dimension(m: int) -> None:
    """A zonal kernel of one type, made non-negative by what type 0 adds, has rank dimension + at most 1."""
    one = (Fraction(1),) * (m + 1)
    for j in range(1, m // 2 + 1):
        lift = ClassKernel(
            "lifted",
            m,
            lambda k, l, t, j=j: (  # type: ignore[misc]
                1 + (zonal(m, k, l)[j][t - levels(m, k, l)[0]] if j < len(zonal(m, k, l)) else Fraction(0))
            ),
        )
        assert type_ranks(lift)[1:] == [int(i == j) for i in range(1, m // 2 + 1)]
        assert full_rank(lift) == dimension(m, j) + 1
    assert typed_kernel(m, [(0, one, one)]).features == 1


@pytest.mark.parametrize(("m", "ranks", "features"), [(4, [1, 1], 4), (5, [1, 1], 5), (6, [1, 1, 1], 15)])
def test_search_finds_and_the_checker_accepts(m: int, ranks: list[int], features: int) -> None:
    setting = Setting(m)
    found = search(setting, types(ranks), attempts=6, seconds=20)
    assert found is not None
    assert found.features == features == class_rank(typed_kernel(m, found.parts))
    assert decide(typed_kernel(m, found.parts), setting).solves
    checker.check(writer.kernel_classes(setting, table(typed_kernel(m, found.parts)), features))
    if m <= 5:
        assert full_rank(typed_kernel(m, found.parts)) == features


def test_a_type_dropped_fails_on_a_sequence() -> None:
    """The twin: without type 1, K no longer tells <q,a> apart on a layer."""
    setting = Setting(4)
    found = search(setting, types([1, 1]))
    assert found is not None
    positive = ClassKernel(
        "type 0", 4, lambda k, l, t: abs(typed_kernel(4, found.parts[:1]).class_value(k, l, t))
    )
    sequence = minimal_counterexample(positive, setting)
    head = attend(sequence, positive.value)
    assert head.error is not None
    assert head.error >= setting.tolerance
    with pytest.raises(Rejected):
        checker.check(writer.kernel_classes(setting, table(positive), 1))


def test_blocks_are_searched_with_non_negative_weights() -> None:
    setting = Setting(4)
    found = search(setting, [Family("q", 0), Family("q", 1)], nonneg=True, attempts=6, seconds=20)
    assert found is not None
    assert found.features == 5
    assert "nonneg" in checker.check(found.certificate)
    assert decide(block_kernel(4, found.blocks), setting).solves


def test_two_types_cannot_do_six_bits() -> None:
    """K linear in t on the layer k = l = 3 would need K(2) < K(0)/3 and K(3) >= 0 at once."""
    assert search(Setting(6), types([2, 2]), attempts=1, seconds=2) is None


def free_bits_matrix(certificate: writer.Certificate) -> TableKernel:
    """The kernel of a class certificate with free bits, entry by entry."""
    m, bits, rows = certificate["setting"]["m"], certificate["data"]["bits"], certificate["data"]["table"]
    core = m - bits
    entries = np.empty((1 << m, 1 << m), dtype=object)
    for q in range(1 << m):
        for a in range(1 << m):
            (q1, x), (a1, y) = divmod(q, 1 << bits), divmod(a, 1 << bits)
            k, l = q1.bit_count(), a1.bit_count()
            line = rows[x * (core + 1) + k][y * (core + 1) + l]
            entries[q, a] = Fraction(line[(q1 & a1).bit_count() - max(0, k + l - core)])
    return TableKernel("free bits", m, entries)


def test_free_bits_extend_a_kernel() -> None:
    """Twice the features for one more coordinate, certified; rank and verdict agree with the full matrix."""
    small = search(Setting(4), types([1, 1]))
    assert small is not None
    larger = extend(Setting(4), small, 1)
    assert larger is not None
    assert larger.features == 8
    assert "D*(m=5" in checker.check(larger.certificate)
    kernel = free_bits_matrix(larger.certificate)
    assert decide(kernel, Setting(5)).solves
    assert exact_rank(kernel.entries.tolist()) == 8
    for m in (4, 3, 2):  # one free bit dropped, then coordinates of the core
        checker.check(restrict(larger.certificate, Setting(m)))
    with pytest.raises(Rejected, match="more than the claimed"):
        checker.check({**larger.certificate, "claim": {**larger.certificate["claim"], "value": 7}})
    without = {
        **larger.certificate,
        "data": {k: v for k, v in larger.certificate["data"].items() if k != "bits"},
    }
    with pytest.raises(Rejected):
        checker.check(without)


def test_rounding_that_does_not_solve_is_refused() -> None:
    problem = Problem(Setting(4), types([1, 1]))
    nothing: Found | None = problem.exact(np.ones((2, 5)), np.ones((2, 5)))
    assert nothing is None


def test_bad_settings_are_named() -> None:
    with pytest.raises(InputError, match="signed"):
        Problem(Setting(4), types([1, 1]), nonneg=True)
    with pytest.raises(InputError, match="n >= 3"):
        Problem(Setting(4, n=2), types([1, 1]))
