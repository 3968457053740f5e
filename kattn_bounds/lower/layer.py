"""The layer bound (theory L1 to L4): rows the k-sets, columns the complements of the k-sets.

    D >= R / W,   W = sum_s C(k,s) C(m-k,s) h(s)^2,   R = C(m,k)

because t(S, T^c) = |S \\ T|, so the matrix K(S,T^c)/K(S,S^c) has unit diagonal, entries at most h(|S \\ T|) and rank at
least (trace)^2 / (sum of squares). It holds for position-dependent maps and causal masks with the same value (L2).
When h(1) says nothing, only the k-sets with one sum of elements mod m are used: R = ceil(C(m,k)/m), no s = 1. The free
readout loses one feature when self is included (L3). All values are exact integers and fractions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, logsumexp

from kattn_bounds.certificates.reading import MAX_M
from kattn_bounds.errors import InputError
from kattn_bounds.lower.decay import Decay
from kattn_bounds.setting import MAX_N, Setting

EXACT_SCAN = 150
"""Up to this m every k is evaluated exactly; above it, the three best k by floating point."""


@dataclass(frozen=True, slots=True)
class LayerBound:
    """D >= value from the k-sets of m points; ratio = R/W exactly, excess the features lost to the readout (0 or 1).

    m can be smaller than the setting's: a bound at m serves every larger m (L6).
    """

    m: int
    k: int
    ratio: Fraction
    excess: int

    @property
    def value(self) -> int:
        """ceil(R/W) - excess; 0 says nothing."""
        return -(-self.ratio.numerator // self.ratio.denominator) - self.excess


def excess(setting: Setting) -> int:
    """How far the rank of the decaying matrix may exceed D: 1 for the free readout with self included (L3)."""
    return int(setting.readout == "free" and setting.self_included)


def _integer_profile(decay: Decay, top: int) -> tuple[list[int], int]:
    """h(0..top) times a common denominator, 0 where h says nothing, and that denominator."""
    profile = [decay.h(s) for s in range(top + 1)]
    scale = lcm(*(h.denominator for h in profile if h is not None))
    return [0 if h is None else h.numerator * (scale // h.denominator) for h in profile], scale


def layer_bound(setting: Setting, k: int) -> LayerBound:
    """The bound from the k-sets, 0 < k < m. Raises InputError when n < 3 or the readout gives no decay.

    >>> bound = layer_bound(Setting(16), 8)
    >>> bound.value, round(float(bound.ratio), 1)
    (37, 36.4)
    >>> layer_bound(Setting(12, n=10), 6).value
    571
    """
    m = setting.m
    if not 0 < k < m:
        raise InputError(f"k = {k} is out of range: give an integer 0 < k < m = {m}")
    decay = Decay.of(setting)
    profile, scale = _integer_profile(decay, min(k, m - k))
    pairs, total = 1, 0
    for s, h in enumerate(profile):
        total += pairs * h * h
        pairs = pairs * (k - s) * (m - k - s) // (s + 1) ** 2
    rows = comb(m, k) if profile[1] else -(-comb(m, k) // m)
    return LayerBound(m, k, Fraction(rows * scale * scale, total), excess(setting))


def best_layer(setting: Setting) -> LayerBound:
    """The best bound over k. Above m = 10000 it is taken at m = 10000, which L6 allows. Raises InputError as above.

    >>> best_layer(Setting(64)).value, best_layer(Setting(16, n=4)).value
    (3673157, 199)
    """
    m = min(setting.m, MAX_M)
    small = Setting(m, setting.n, setting.tolerance, setting.self_included, setting.readout)
    if m < 2:
        raise InputError("m = 1 has no layer with 0 < k < m: give m >= 2")
    half = m // 2
    candidates: Iterable[int] = range(1, half + 1)
    if m > EXACT_SCAN:
        coarse = np.unique(np.linspace(1, half, 100).astype(int))
        near = int(coarse[np.argmax(_log_ratios(small, coarse))])
        width = half // 99 + 1
        fine = np.arange(max(1, near - width), min(half, near + width) + 1)
        candidates = [int(k) for k in fine[np.argsort(_log_ratios(small, fine))[-3:]]]
    return max((layer_bound(small, k) for k in candidates), key=lambda bound: (bound.ratio, bound.k))


def _log_ratios(setting: Setting, layers: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """log(R/W) for the given k <= m/2 in floating point: only to choose k."""
    m, decay = setting.m, Decay.of(setting)
    log_h = np.array([-np.inf if (h := decay.h(s)) is None else log_fraction(h) for s in range(m // 2 + 1)])
    ratios = [
        gammaln(m + 1)
        - gammaln(k + 1)
        - gammaln(m - k + 1)
        - logsumexp(log_pairs(m, int(k)) + 2 * log_h[: k + 1])
        for k in layers
    ]
    return np.array(ratios)


def log_pairs(m: int, k: int) -> npt.NDArray[np.float64]:
    """log of C(k,s) C(m-k,s) for s = 0..min(k, m-k), in floating point."""
    s = np.arange(min(k, m - k) + 1)
    result: npt.NDArray[np.float64] = (
        gammaln(k + 1) - gammaln(k - s + 1) + gammaln(m - k + 1) - gammaln(m - k - s + 1) - 2 * gammaln(s + 1)
    )
    return result


def log_fraction(x: Fraction) -> float:
    """Natural logarithm of a positive fraction of any size."""
    shift = x.numerator.bit_length() - x.denominator.bit_length()
    scaled = x / (1 << shift) if shift >= 0 else x * (1 << -shift)
    return float(np.log(float(scaled)) + shift * np.log(2.0))


def length_table(setting: Setting, lengths: Iterable[int]) -> list[tuple[int, int]]:
    """L4: the layer bound at each length n; it tends to C(m, m/2) as n grows.

    >>> length_table(Setting(6), [3, 4, 10, 100, 10**6])
    [(3, 2), (4, 6), (10, 18), (100, 20), (1000000, 20)]
    """
    return [(n, best_layer(setting.at_length(n)).value) for n in lengths]


def saturating_length(setting: Setting) -> int | None:
    """L4: the least n at which the layer bound reaches C(m, m/2), by bisection; None when it is above 10^6.

    Inner readout and tolerance < 1 only (InputError).

    >>> n = saturating_length(Setting(6))
    >>> n, best_layer(Setting(6, n)).value, best_layer(Setting(6, n - 1)).value
    (16, 20, 19)
    """
    if setting.readout == "free" or setting.tolerance == 1:
        raise InputError("the layer bound reaches C(m, m/2) with the inner readout and tolerance < 1 only")
    goal = comb(setting.m, setting.m // 2)

    def reached(n: int) -> bool:
        return layer_bound(setting.at_length(n), setting.m // 2).value >= goal

    if not reached(MAX_N):
        return None
    low, high = 2, MAX_N
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high
