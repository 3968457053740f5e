"""The identities behind C6 to C8 and R1, and that a wrong factor in them is noticed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from kattn_bounds.setting import Setting
from kattn_bounds.upper import identities

V = Fraction(3, 11)


@pytest.mark.parametrize("size", range(1, 8))
@pytest.mark.parametrize("b", [Fraction(1, 5), Fraction(1, 2), Fraction(5, 7)])
def test_near_and_far_classes(size: int, b: Fraction) -> None:
    assert identities.far_classes(size, V)
    assert identities.near_classes(size, V, b)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_sampling_is_unbiased(size: int) -> None:
    assert identities.signed_sampling(size, Fraction(2, 5))
    if size <= 2:
        assert identities.hash_sampling(size, Fraction(2, 5), Fraction(1, 7))


@pytest.mark.parametrize("m", [1, 2, 3, 4, 9, 20])
def test_masks(m: int) -> None:
    assert identities.masks(m, Fraction(9, 5))


def test_a_wrong_binomial_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    true_comb = identities.comb

    def wrong(n: int, k: int) -> int:
        return true_comb(n, k) + (1 if (n, k) == (3, 1) else 0)

    monkeypatch.setattr(identities, "comb", wrong)
    calls: list[tuple[Any, tuple[Any, ...]]] = [
        (identities.far_classes, (4, V)),
        (identities.near_classes, (5, V, Fraction(1, 3))),
        (identities.masks, (7, Fraction(7, 4))),
        (identities.signed_sampling, (3, Fraction(1, 2))),
    ]
    for check, arguments in calls:
        with pytest.raises(AssertionError, match=" is not "):
            check(*arguments)


@pytest.mark.parametrize(
    ("setting", "rho"),
    [
        (Setting(4), Fraction(7, 4)),
        (Setting(4, n=4), Fraction(5, 2)),
        (Setting(4, n=6), Fraction(4)),
        (Setting(3, tolerance=Fraction(1, 4)), Fraction(10)),
    ],
)
def test_reduction_agrees_with_the_verifier(setting: Setting, rho: Fraction) -> None:
    delta = Fraction(1, 10**7)
    assert identities.reduction_under_any_noise(setting, rho, delta)
    for noise in (-1, 0, 1):
        assert identities.reduction(setting, rho, noise, delta)


def test_reduction_fails_below_the_decay_rate() -> None:
    """n = 6 needs rho = 4; the verifier finds a failing sequence even for one choice of signs."""
    setting, delta = Setting(4, n=6), Fraction(1, 10**7)
    assert not identities.reduction(setting, Fraction(3), -1, delta)
    assert not identities.reduction_under_any_noise(setting, Fraction(3), delta)


def test_without_the_factor_it_fails() -> None:
    """With the factor |q \\ a| gone the same kernel fails: C2 at x = 1/rho."""
    from kattn_bounds.kernels import softmax
    from kattn_bounds.verify import decide

    assert not decide(softmax(4, Fraction(4, 7)), Setting(4)).solves


@pytest.mark.parametrize("m", [8, 16, 32])
def test_reduction_at_larger_sizes(m: int) -> None:
    rho = Fraction(7, 4)
    assert identities.reduction_under_any_noise(Setting(m), rho, Fraction(1, 10**6) / rho**m)
