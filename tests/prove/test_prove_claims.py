"""The ledger's lines that the prover answers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kattn_bounds.claims import NotApplicable
from kattn_bounds.claims.decay import decay_is_tight, one_position_does_not_decay
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Verdict


@pytest.mark.parametrize("n", [3, 5])
@pytest.mark.parametrize("tolerance", [Fraction(1, 3), Fraction(1)])
def test_decay_is_tight(n: int, tolerance: Fraction) -> None:
    assert decay_is_tight(Setting(4, n=n, tolerance=tolerance)).verdict is Verdict.PROVED


def test_one_position_does_not_decay() -> None:
    assert one_position_does_not_decay(Setting(4)).verdict is Verdict.REFUTED


def test_where_nothing_is_said() -> None:
    for setting in (Setting(4, n=2), Setting(4, readout="free")):
        with pytest.raises(NotApplicable):
            decay_is_tight(setting)
