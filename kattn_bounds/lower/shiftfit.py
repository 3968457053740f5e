"""Good shifts for the layer bound at any m: a convex fit in orthogonal polynomials, then exact rationals.

With N_s = C(k,s) C(m-k,s) and max(|b|, |h - b|) = |b - h/2| + h/2, the shifted bound is C(m,k) / (1 + F) - C(m,j),

    F = sum_{s>=1} N_s (|b'(s) - g_s| + g_s)^2,    b' = b/(1 - b(0)),    g_s = h(s) (1 + b'(0))/2,

which is convex in the polynomial b'. It is minimised by least squares with weights renewed from
(|r| + g)^2 <= (1 + t) r^2 + (1 + 1/t) g^2, an equality at t = g/|r|. The unknowns are coefficients in the polynomials
orthonormal for the weights N_s, which keeps the fit well conditioned. Floating point only proposes b: the polynomial is
then written with exact rationals and the bound is computed exactly.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import comb, sqrt

import numpy as np
import numpy.typing as npt

from kattn_bounds.errors import InputError
from kattn_bounds.lower.decay import Decay
from kattn_bounds.lower.layer import best_layer, log_fraction, log_pairs
from kattn_bounds.lower.shift import ShiftedLayer
from kattn_bounds.setting import Setting

MAX_SHIFT_M = 400
"""Above this m degree 12 is too little to help and the exact arithmetic takes seconds."""

MAX_DEGREE = 12
ROUNDS = 60
KEPT_BITS = 160
"""Bits to which the coefficients are rounded."""

Vector = npt.NDArray[np.float64]


def fitted_shift(setting: Setting, k: int, degree: int) -> ShiftedLayer:
    """The bound on the k-sets with a fitted shift of the degree, 0 <= degree <= min(k, m-k). Its value is exact.

    >>> fitted_shift(Setting(64), 32, 3).value > 3 * 3673157
    True
    """
    m, top = setting.m, min(k, setting.m - k)
    if m > MAX_SHIFT_M or not 0 <= degree <= top:
        raise InputError(
            f"m = {m}, degree = {degree}: give m <= {MAX_SHIFT_M} and 0 <= degree <= min(k, m - k)"
        )
    decay = Decay.of(setting)
    profile = [decay.h(s) for s in range(top + 1)]
    if profile[1] is None:
        raise InputError("h(1) says nothing at this tolerance: the shifted bound needs every step")
    log_h = np.array([log_fraction(h) for h in profile if h is not None])
    log_n = log_pairs(m, k)
    log_weights = log_n - np.logaddexp.reduce(log_n)
    log_size = np.logaddexp.reduce(log_weights + 2 * log_h) / 2
    weights, half = np.exp(log_weights), np.exp(log_h - log_size) / 2

    centre, width, alpha, beta, basis = _orthonormal(weights, degree)
    size = float(np.exp(log_size))
    raised = size * np.outer(half, basis[0])  # the part of g that grows with b'(0)
    weights[0] = 0
    fit = np.zeros(degree + 1)
    for _ in range(ROUNDS):
        grown = np.maximum(half + raised @ fit, 1e-9 * half)
        t = grown / np.maximum(np.abs(basis @ fit - grown), 1e-9 * grown)
        above, below = np.sqrt(weights * (1 + t)), np.sqrt(weights * (1 + 1 / t))
        rows = np.concatenate([above[:, None] * (basis - raised), below[:, None] * raised])
        fit = np.linalg.lstsq(rows, np.concatenate([above * half, -below * half]), rcond=None)[0]

    exact_size = Fraction(size)
    values = [_evaluate(s, fit, centre, width, alpha, beta) * exact_size for s in range(degree + 1)]
    if values[0] <= -1:
        return ShiftedLayer(setting, k, ())
    values = [value / (1 + values[0]) for value in values]
    coefficients = []
    while values:
        coefficients.append(_rounded(values[0]))
        values = [after - before for before, after in pairwise(values)]
    return ShiftedLayer(setting, k, tuple(coefficients))


def _orthonormal(weights: Vector, degree: int) -> tuple[float, float, list[float], list[float], Vector]:
    """Three-term recurrence p_(i+1) = ((x - alpha_i) p_i - beta_i p_(i-1)) / beta_(i+1), x = (s - centre)/width."""
    levels = np.arange(len(weights))
    centre = float(weights @ levels)
    width = max(sqrt(float(weights @ (levels - centre) ** 2)), 1e-3)
    x = (levels - centre) / width
    columns, alpha, beta = [np.ones(len(weights))], [], [0.0]
    before = np.zeros(len(weights))
    for _ in range(degree):
        now = columns[-1]
        alpha.append(float(weights @ (x * now * now)))
        following = (x - alpha[-1]) * now - beta[-1] * before
        beta.append(sqrt(float(weights @ following**2)))
        before = now
        columns.append(following / beta[-1])
    return centre, width, alpha, beta, np.array(columns).T


def _evaluate(
    s: int, fit: Vector, centre: float, width: float, alpha: list[float], beta: list[float]
) -> Fraction:
    """The fitted polynomial at s with every float read as the rational that it is. Exact."""
    x = (s - Fraction(centre)) / Fraction(width)
    before, now = Fraction(0), Fraction(1)
    total = Fraction(float(fit[0]))
    for i, a in enumerate(alpha):
        before, now = now, ((x - Fraction(a)) * now - Fraction(beta[i]) * before) / Fraction(beta[i + 1])
        total += Fraction(float(fit[i + 1])) * now
    return total


def _rounded(x: Fraction) -> Fraction:
    """x to about KEPT_BITS significant bits."""
    if not x:
        return x
    shift = KEPT_BITS - x.numerator.bit_length() + x.denominator.bit_length()
    power = Fraction(2) ** shift
    return Fraction(round(x * power)) / power


def best_fitted_layer(setting: Setting) -> ShiftedLayer:
    """The best shift of any degree up to 12 on the layer that is best without one and the one below it.

    Degree -1, no shift, is L1 itself.

    >>> best_fitted_layer(Setting(16)).value, best_fitted_layer(Setting(32)).value > 2 * 1842
    (54, True)
    """
    middle = best_layer(setting).k
    best = ShiftedLayer(setting, middle, ())
    for k in {middle, max(1, middle - 1)}:
        for degree in range(min(MAX_DEGREE, k, setting.m - k) + 1):
            if comb(setting.m, degree) > 4 * best.value:
                break
            best = max(best, fitted_shift(setting, k, degree), key=lambda bound: bound.value)
    return best
