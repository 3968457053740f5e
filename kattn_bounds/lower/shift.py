"""The layer bound with a low-rank shift: a constant factor better than L1, up to nearly 4.

On the k-sets the matrix A(S,T) = K(S,T^c)/K(S,S^c) of L1 has unit diagonal and entries in [0, h(s)], s = |S \\ T|. The trace
bound only uses |A(S,T)| <= h(s), and so loses by the interval's being on one side of 0. Subtract B(S,T) = b(|S \\ T|), b a
polynomial of degree j <= min(k, m-k): since C(|S n T^c|, i) = sum over i-sets U of [U in S][U n T empty], and on k-sets the
functions [U in S] of the i-sets are combinations of those of the j-sets (i <= j), rank B <= C(m,j). Hence, with
M(0) = |1 - b(0)| and M(s) = max(|b(s)|, |h(s) - b(s)|),

    D >= C(m,k) (1 - b(0))^2 / sum_s C(k,s) C(m-k,s) M(s)^2  -  C(m,j)         (one less for the free readout with self included).

b = 0 is L1. The exponent does not change: M(s) >= h(s)/2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb
from typing import Any

import numpy as np
import numpy.typing as npt

from kattn_bounds.certificates import writer
from kattn_bounds.errors import InputError
from kattn_bounds.lower.decay import Decay
from kattn_bounds.lower.layer import excess
from kattn_bounds.setting import Setting

MAX_DEGREE = 3


@dataclass(frozen=True, slots=True)
class ShiftedLayer:
    """D >= value from the k-sets and b(s) = sum_i coefficients[i] C(s, i). Exact.

    >>> ShiftedLayer(Setting(16), 8, ()).value, ShiftedLayer(Setting(16), 8, (Fraction(1, 15),)).value
    (37, 54)
    """

    setting: Setting
    k: int
    coefficients: tuple[Fraction, ...]

    @property
    def ratio(self) -> Fraction:
        """C(m,k) (1 - b(0))^2 / sum_s C(k,s) C(m-k,s) M(s)^2."""
        m, k, decay = self.setting.m, self.k, Decay.of(self.setting)
        if not 0 < k < m or len(self.coefficients) > 1 + min(k, m - k):
            raise InputError(
                f"k = {k} with degree {len(self.coefficients) - 1} is out of range: give 0 < k < m and degree <= min(k, m - k)"
            )
        total = Fraction(0)
        for s in range(min(k, m - k) + 1):
            h = decay.h(s)
            if h is None:
                raise InputError(f"h({s}) says nothing at this tolerance: the shifted bound needs every step")
            b = sum((c * comb(s, i) for i, c in enumerate(self.coefficients)), Fraction(0))
            entry = abs(1 - b) if s == 0 else max(abs(b), abs(h - b))
            total += comb(k, s) * comb(m - k, s) * entry**2
        first = 1 - (self.coefficients[0] if self.coefficients else Fraction(0))
        return comb(m, k) * first**2 / total

    @property
    def lost(self) -> int:
        """Rank of the shift, at most, and what the free readout loses."""
        rank = comb(self.setting.m, len(self.coefficients) - 1) if self.coefficients else 0
        return rank + excess(self.setting)

    @property
    def value(self) -> int:
        return max(1, ceil(self.ratio) - self.lost)

    def certificate(self, note: Mapping[str, object] | None = None) -> dict[str, Any]:
        """The certificate of kind `layer`, with its `shift` unless there is none."""
        certificate = writer.layer(self.setting, self.k, self.value, note=note)
        if self.coefficients:
            certificate["data"]["shift"] = [str(c) for c in self.coefficients]
        return certificate


def best_shift(setting: Setting, k: int, degree: int) -> ShiftedLayer:
    """The best shift of this degree found by local minimisation, rounded to rationals; the value is exact.

    >>> best_shift(Setting(12, n=5), 6, 0).value, best_shift(Setting(12, n=5), 6, 1).value
    (137, 166)
    """
    from scipy.optimize import minimize

    m, decay = setting.m, Decay.of(setting)
    levels = np.arange(min(k, m - k) + 1)
    h = np.array([float(decay.h(int(s)) or 0) for s in levels])
    pairs = np.array([float(comb(k, int(s)) * comb(m - k, int(s))) for s in levels])
    basis = np.array([[float(comb(int(s), i)) for i in range(degree + 1)] for s in levels])
    basis /= np.abs(basis).max(axis=0)

    def loss(c: npt.NDArray[np.float64]) -> float:
        b = basis @ c
        entry = np.maximum(np.abs(b), np.abs(h - b))
        entry[0] = abs(1 - b[0])
        return float(np.log((pairs * entry**2).sum()) - 2 * np.log(max(abs(1 - b[0]), 1e-12)))

    rng = np.random.default_rng(0)
    best = np.zeros(degree + 1)
    for scale in (0.0, 0.01, 0.03, 0.1, 0.3):
        found = minimize(
            loss,
            rng.normal(size=degree + 1) * scale,
            method="Nelder-Mead",
            options={"maxiter": 4000, "xatol": 1e-9, "fatol": 1e-12},
        )
        if found.fun < loss(best):
            best = found.x
    scales = [comb(int(levels[-1]), i) for i in range(degree + 1)]
    return ShiftedLayer(
        setting,
        k,
        tuple(Fraction(float(c)).limit_denominator(10**6) / s for c, s in zip(best, scales, strict=True)),
    )


def best_shifted_layer(setting: Setting, layers: Sequence[int] | None = None) -> ShiftedLayer:
    """The best of all degrees up to 3 on the middle layers (or those given), L1 among them.

    >>> best_shifted_layer(Setting(12, n=6)).value
    292
    """
    m = setting.m
    if m < 2:
        raise InputError(f"m = {m} has no layer: give m >= 2")
    chosen = layers if layers is not None else sorted({max(1, m // 2 - 1), m // 2})
    found = [ShiftedLayer(setting, k, ()) for k in chosen]
    found += [best_shift(setting, k, d) for k in chosen for d in range(min(MAX_DEGREE, k, m - k) + 1)]
    return max(found, key=lambda bound: (bound.value, -len(bound.coefficients)))
