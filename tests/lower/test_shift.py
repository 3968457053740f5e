"""The layer bound with a shift: rank and ratio against explicit matrices, certificates and mutants."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from kattn_bounds.certificates import checker
from kattn_bounds.errors import InputError
from kattn_bounds.lower.decay import Decay
from kattn_bounds.lower.layer import layer_bound
from kattn_bounds.lower.shift import ShiftedLayer, best_shift, best_shifted_layer
from kattn_bounds.setting import Setting


def step_matrix(m: int, k: int) -> np.ndarray:
    sets = np.array([sum(1 << i for i in c) for c in combinations(range(m), k)])
    return np.bitwise_count(sets[:, None] & ~sets[None, :]).astype(int)


@pytest.mark.parametrize(("m", "n", "k", "degree"), [(6, 3, 3, 1), (7, 4, 3, 2), (8, 5, 4, 1), (7, 6, 2, 0)])
def test_against_the_matrix(m: int, n: int, k: int, degree: int) -> None:
    bound = best_shift(Setting(m, n), k, degree)
    steps = step_matrix(m, k)
    h = np.array([float(Decay(n).h(s) or 0) for s in range(k + 1)])[steps]
    levels = np.arange(k + 1)
    choose = [np.ones(k + 1), levels, levels * (levels - 1) / 2]
    b = sum(float(c) * choose[i] for i, c in enumerate(bound.coefficients))[steps]
    assert np.linalg.matrix_rank(b) <= bound.lost
    worst = np.maximum(np.abs(b), np.abs(h - b))
    np.fill_diagonal(worst, np.abs(1 - np.diagonal(b)))
    ratio = np.trace(worst) ** 2 / (worst**2).sum()
    assert abs(ratio - float(bound.ratio)) < 1e-9 * ratio
    rng = np.random.default_rng(0)
    for _ in range(20):  # any matrix within the decay obeys the trace bound after the shift
        matrix = h * rng.choice([0.0, 0.5, 1.0], h.shape)
        np.fill_diagonal(matrix, 1.0)
        shifted = matrix - b
        assert np.trace(shifted) ** 2 / (shifted**2).sum() >= ratio * (1 - 1e-9)


def test_no_shift_is_the_layer_bound() -> None:
    for m, n in ((8, 3), (12, 4), (16, 3)):
        plain = ShiftedLayer(Setting(m, n), m // 2, ())
        assert plain.ratio == layer_bound(Setting(m, n), m // 2).ratio
        best = best_shifted_layer(Setting(m, n))
        assert best.value >= plain.value
        assert best.ratio <= 4 * plain.ratio
    assert best_shifted_layer(Setting(12, 4)).value > 49


def test_certificates_and_mutants() -> None:
    bound = best_shifted_layer(Setting(10, 5))
    certificate = json.loads(json.dumps(bound.certificate()))
    assert f">= {bound.value}," in checker.check(certificate)
    assert bound.value > layer_bound(Setting(10, 5), 5).value
    for change in (
        lambda c: c["claim"].update(value=bound.value + 1),
        lambda c: c["data"].update(shift=["1/2"]),
        lambda c: c["data"].pop("shift"),
        lambda c: c["setting"].update(n=4),
    ):
        mutant = copy.deepcopy(certificate)
        change(mutant)
        with pytest.raises(checker.Rejected):
            checker.check(mutant)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="degree"):
        _ = ShiftedLayer(Setting(6), 2, (Fraction(0),) * 4).ratio
    with pytest.raises(InputError, match="m >= 2"):
        best_shifted_layer(Setting(1))
