"""Set functions: the zeta transform, the exact check over all sets, groups, and twins that must fail."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from kattn_bounds.attention import attend
from kattn_bounds.certificates import checker, writer
from kattn_bounds.certificates.reading import Rejected
from kattn_bounds.errors import InputError
from kattn_bounds.kernels.monomial import SetFunctionKernel, subset_sums
from kattn_bounds.setting import Setting
from kattn_bounds.upper.setfunction import affine, field, orbits, projective, search, solves
from kattn_bounds.verify import decide, minimal_counterexample


@given(st.integers(1, 5), st.dictionaries(st.integers(0, 31), st.integers(-5, 5) | st.just(2**70)))
@hypothesis_settings(max_examples=60, deadline=None)
def test_subset_sums_are_sums_over_subsets(m: int, weights: dict[int, int]) -> None:
    inside = {mask: w for mask, w in weights.items() if mask < 1 << m}
    sums = subset_sums(m, inside)
    for u in range(1 << m):
        assert int(sums[u]) == sum(w for mask, w in inside.items() if mask & u == mask)


@given(st.lists(st.integers(0, 60), min_size=8, max_size=8), st.sampled_from([1, 2, 3, 4]), st.booleans())
@hypothesis_settings(max_examples=60, deadline=None)
def test_the_check_over_sets_is_the_verifier(weights: list[int], n: int, own: bool) -> None:
    if n == 1 and not own:
        own = True
    setting = Setting(3, n, self_included=own)
    exact = {mask: Fraction(w) for mask, w in enumerate(weights)}
    assert solves(setting, exact) == decide(SetFunctionKernel("random", 3, exact), setting).solves


@pytest.mark.parametrize(
    ("m", "generators", "sizes"),
    [
        (6, affine(6), None),
        (8, projective(8), None),
        (8, field(8), None),
        (5, affine(5, 4), 8),  # necklaces of 5 beads
        (12, projective(12), None),
    ],
)
def test_orbits_partition_and_are_invariant(
    m: int, generators: list[tuple[int, ...]], sizes: int | None
) -> None:
    label = orbits(m, generators)
    assert sizes is None or len(np.unique(label)) == sizes
    for generator in generators:
        assert sorted(generator) == list(range(m))
        image = sum(((np.arange(1 << m) >> i & 1) << j) for i, j in enumerate(generator))
        assert np.array_equal(label[image], label)
    assert np.array_equal(np.bitwise_count(label), np.bitwise_count(np.arange(1 << m)))


@pytest.mark.parametrize(("m", "most"), [(8, 60), (10, 140), (11, 200)])
def test_orbits_of_a_group_beat_all_sets(m: int, most: int) -> None:
    """C4 costs 65, 176 and 342."""
    setting = Setting(m)
    found = search(setting, affine(m))
    assert found is not None
    assert found.features <= most
    assert f"<= {found.features}, nonneg" in checker.check(writer.kernel_setfunction(setting, found.weights))
    if m == 8:
        assert decide(found.kernel, setting).solves


def test_a_mask_dropped_fails_on_a_sequence() -> None:
    setting = Setting(6)
    found = search(setting, affine(6))
    assert found is not None
    failures = 0
    for mask in found.weights:
        if mask == 0:
            continue
        weights = {other: w for other, w in found.weights.items() if other != mask}
        if solves(setting, weights):
            continue
        failures += 1
        kernel = SetFunctionKernel("twin", 6, weights)
        head = attend(minimal_counterexample(kernel, setting), kernel.value)
        assert head.error is None or head.error >= setting.tolerance
        with pytest.raises(Rejected):
            checker.check(writer.kernel_setfunction(setting, weights))
    assert failures > 0


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="negative where"):
        SetFunctionKernel("bad", 2, {0: 1, 3: -2})
    with pytest.raises(InputError, match="not a token of 2 bits"):
        SetFunctionKernel("bad", 2, {4: 1})
    with pytest.raises(InputError, match="m - 1 prime"):
        projective(10)
    with pytest.raises(InputError, match="m <= 20"):
        search(Setting(21), affine(21))
