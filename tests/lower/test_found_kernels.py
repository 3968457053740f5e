"""Kernels found by search and shipped with the package never undercut a bound, and obey every derived inequality."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq, fmpq_mat

import kattn_bounds
from kattn_bounds.lower.bounds import best, lower_bounds
from kattn_bounds.lower.decay import Decay
from kattn_bounds.setting import Setting

UPPER = sorted((Path(kattn_bounds.__file__).parent / "data" / "upper").glob("*.json"))


def setting_of(stored: dict[str, Any]) -> Setting:
    return Setting(
        stored["m"], stored["n"], Fraction(stored["tolerance"]), stored["self_included"], stored["readout"]
    )


def test_there_are_some() -> None:
    assert len(UPPER) >= 10


@pytest.mark.parametrize("path", UPPER, ids=lambda path: path.stem)
def test_a_found_kernel_never_undercuts_a_bound(path: Path) -> None:
    certificate = json.loads(path.read_text())
    setting, claim = setting_of(certificate["setting"]), certificate["claim"]
    bounds = lower_bounds(setting, claim["features"])
    assert best(bounds).value <= claim["value"]
    data = certificate["data"]
    if data["construction"] != "factors" or setting.readout != "inner":
        return
    phi, psi = ([[Fraction(x) for x in row] for row in data[name]] for name in ("phi", "psi"))
    kernel = [[sum(x * y for x, y in zip(p, s, strict=True)) for s in psi] for p in phi]
    whole = fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in kernel])
    assert best(lower_bounds(setting)).value <= whole.rank() <= claim["value"]
    if setting.n < 3 or setting.m > 5:
        return
    decay, tokens = Decay(setting.n, setting.tolerance), range(setting.tokens)
    for q, a, b in product(tokens, tokens, tokens):
        step = (q & b).bit_count() - (q & a).bit_count()
        if step >= 1:
            h = decay.h(step)
            assert h is None or kernel[q][b] < h * kernel[q][a]
