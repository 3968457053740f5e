"""The ledger's lower-bound lines: proved with certificates, silent where they say nothing, and not fooled."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kattn_bounds.certificates import writer
from kattn_bounds.claims import Check, NotApplicable
from kattn_bounds.claims import lower as claims
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Verdict

ALL = [
    claims.features_grow,
    claims.positions_do_not_help,
    claims.length_costs,
    claims.at_least_m,
    claims.nonneg_features_cost_more,
]


@pytest.mark.parametrize("check", ALL)
@pytest.mark.parametrize(
    "setting", [Setting(2), Setting(6), Setting(16, 4), Setting(7, 3, self_included=False)]
)
def test_proved(check: Check, setting: Setting) -> None:
    found = check(setting)
    assert found.verdict is Verdict.PROVED
    assert found.method == "certificate"


def test_values() -> None:
    assert "D >= 37" in claims.features_grow(Setting(16)).evidence
    assert claims.positions_do_not_help(Setting(16)).details["value"] == 37
    assert claims.length_costs(Setting(6)).details["bounds"] == {"3": 2, "4": 6, "5": 10, "10": 18, "16": 20}
    assert claims.at_least_m(Setting(9)).details["value"] == 9


@pytest.mark.parametrize("check", ALL)
@pytest.mark.parametrize(
    "setting", [Setting(1, readout="free"), Setting(4, 3, Fraction(3, 4), readout="free")]
)
def test_not_applicable(check: Check, setting: Setting) -> None:
    with pytest.raises(NotApplicable):
        check(setting)


def test_length_two_is_left_to_c1() -> None:
    for check in (
        claims.features_grow,
        claims.positions_do_not_help,
        claims.at_least_m,
        claims.nonneg_features_cost_more,
    ):
        with pytest.raises(NotApplicable):
            check(Setting(6, 2))


def test_a_sum_that_does_not_agree_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    real = claims.derive_positions

    def wrong(setting: Setting, q: int, a: int, b: int) -> writer.Certificate:
        certificate = real(setting, q, a, b)
        certificate["claim"]["terms"][0][0] = str(
            Fraction(certificate["claim"]["terms"][0][0]) + Fraction(1, 10**30)
        )
        return certificate

    monkeypatch.setattr(claims, "derive_positions", wrong)
    found = claims.positions_do_not_help(Setting(6))
    assert found.verdict is Verdict.UNDECIDED
    assert "do not add up" in found.evidence
