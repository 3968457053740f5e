"""Sparse monomials (C4): reference costs, exactness against the reference evaluator, and twins that must fail."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from kattn_bounds.attention import attend
from kattn_bounds.certificates import checker, writer
from kattn_bounds.certificates.reading import Rejected
from kattn_bounds.errors import InputError
from kattn_bounds.kernels.monomial import Block, block_kernel, monomial_blocks, monomial_kernel
from kattn_bounds.setting import Setting
from kattn_bounds.upper.monomial import cheapest, solves, thinned, weights_for
from kattn_bounds.verify import decide, minimal_counterexample

REFERENCE = {(4, 3): 9, (6, 3): 23, (8, 3): 65, (10, 3): 176, (12, 3): 640, (8, 4): 108}


def certificate(setting: Setting, weights: dict[int, Fraction]) -> writer.Certificate:
    listed = [(b.side, b.degree, b.alpha, b.beta) for b in monomial_blocks(setting.m, weights)]
    return writer.kernel_blocks(setting, listed)


@pytest.mark.parametrize(("size", "cost"), REFERENCE.items())
def test_reference_costs_are_reached_and_certified(size: tuple[int, int], cost: int) -> None:
    setting = Setting(*size)
    found = cheapest(setting)
    assert found.features <= cost
    assert found.nonneg
    assert f"<= {found.features}, nonneg" in checker.check(certificate(setting, found.weights))
    assert decide(found.kernel, setting).solves


@pytest.mark.parametrize(("m", "n"), [(3, 3), (4, 3), (5, 3), (6, 3), (4, 4), (5, 5)])
def test_no_other_set_of_degrees_is_cheaper(m: int, n: int) -> None:
    """Every set of degrees that costs less than the mixed-integer optimum is infeasible."""
    setting = Setting(m, n)
    best = cheapest(setting).features
    for size in range(m + 1):
        for degrees in combinations(range(1, m + 1), size):
            if 1 + sum(comb(m, d) for d in degrees) < best:
                assert weights_for(setting, degrees) is None


def test_forty_bits() -> None:
    setting = Setting(40)
    found = cheapest(setting, seconds=20)
    assert found.features < 2**34
    assert "nonneg" in checker.check(certificate(setting, found.weights))


@pytest.mark.parametrize(
    "setting",
    [
        Setting(5, tolerance=Fraction(1, 3)),
        Setting(5, tolerance=Fraction(9, 10)),
        Setting(5, self_included=False),
        Setting(4, n=7),
    ],
)
def test_other_conventions(setting: Setting) -> None:
    found = cheapest(setting)
    assert decide(found.kernel, setting).solves
    checker.check(certificate(setting, found.weights))


@pytest.mark.parametrize("m", [4, 6, 8])
def test_one_degree_less_fails_on_a_sequence(m: int) -> None:
    """The twin: each degree but 0 dropped, the weights kept. The instance is confirmed by the reference evaluator."""
    setting = Setting(m)
    found = cheapest(setting)
    for d in set(found.weights) - {0}:
        weights = {e: w for e, w in found.weights.items() if e != d}
        assert not solves(setting, weights)
        kernel = monomial_kernel(m, weights)
        sequence = minimal_counterexample(kernel, setting)
        head = attend(sequence, kernel.value)
        assert head.error is not None
        assert head.error >= setting.tolerance
        with pytest.raises(Rejected):
            checker.check(certificate(setting, weights))


@given(
    st.dictionaries(st.integers(0, 4), st.integers(-2, 40), min_size=1),
    st.sampled_from([2, 3, 4]),
    st.booleans(),
    st.sampled_from([Fraction(1, 2), Fraction(1, 4), Fraction(1)]),
)
@hypothesis_settings(max_examples=60, deadline=None)
def test_the_inequalities_are_the_verifier(
    weights: dict[int, int], n: int, own: bool, tolerance: Fraction
) -> None:
    setting = Setting(4, n, tolerance, own)
    exact = {d: Fraction(w) for d, w in weights.items()}
    try:
        expected = decide(monomial_kernel(4, exact), setting).solves
    except InputError:  # a negative entry
        expected = False
    assert solves(setting, exact) == expected


def test_thinned_keeps_a_solution() -> None:
    setting = Setting(7)
    full = weights_for(setting, range(8))
    assert full is not None
    less = thinned(setting, full)
    assert less.features <= full.features
    assert solves(setting, less.weights)


def test_bad_degrees_and_blocks_are_named() -> None:
    with pytest.raises(InputError, match="degree 9 is out of range"):
        weights_for(Setting(6), [1, 9])
    with pytest.raises(InputError, match="give m <= 64"):
        cheapest(Setting(65))
    one = (Fraction(1),) * 3
    with pytest.raises(InputError, match="4 weights a side"):
        block_kernel(3, [Block("q", 1, one, one)])
