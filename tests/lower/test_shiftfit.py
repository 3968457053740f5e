"""Fitted shifts: never below L1 nor below the other optimiser, exact, accepted by the checker, nearly four times L1."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kattn_bounds.certificates import writer
from kattn_bounds.certificates.checker import Rejected, check
from kattn_bounds.errors import InputError
from kattn_bounds.lower.layer import best_layer
from kattn_bounds.lower.shift import best_shift
from kattn_bounds.lower.shiftfit import best_fitted_layer, fitted_shift
from kattn_bounds.setting import Setting


@pytest.mark.parametrize(
    ("m", "n", "tau", "readout"),
    [(2, 3, "1/2", "inner"), (5, 6, "1/2", "inner"), (12, 3, "1/2", "inner"), (16, 4, "2/3", "inner"),
     (30, 3, "1/5", "free"), (64, 3, "1/2", "inner"), (64, 10, "1/2", "inner")],
)  # fmt: skip
def test_the_checker_draws_the_same_line(m: int, n: int, tau: str, readout: str) -> None:
    setting = Setting(m, n, Fraction(tau), readout="free" if readout == "free" else "inner")
    found = best_fitted_layer(setting)
    assert found.value >= best_layer(setting).value
    if found.value >= 1:
        check(writer.layer(setting, found.k, found.value, shift=found.coefficients))
    with pytest.raises(Rejected):
        check(writer.layer(setting, found.k, found.value + 1, shift=found.coefficients))


@pytest.mark.parametrize(("m", "n"), [(8, 5), (12, 3), (12, 6)])
def test_it_finds_what_direct_minimisation_finds(m: int, n: int) -> None:
    for degree in (0, 1):
        assert (
            fitted_shift(Setting(m, n), m // 2, degree).value
            >= best_shift(Setting(m, n), m // 2, degree).value
        )


def test_gains() -> None:
    assert best_fitted_layer(Setting(16)).value == 54
    for m, n, gain in ((64, 3, 3.1), (64, 4, 2.9), (200, 3, 3.8)):
        assert gain < best_fitted_layer(Setting(m, n)).value / best_layer(Setting(m, n)).value < 4


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="h\\(1\\)"):
        fitted_shift(Setting(8, 3, Fraction(1)), 4, 0)
    with pytest.raises(InputError, match="degree"):
        fitted_shift(Setting(8), 4, 5)
