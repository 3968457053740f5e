"""L9 at finite m: a lower bound for non-negative features with every constant explicit.

Setting: n >= 3, decay h, the k-sets of m points with k = floor(m/2), V = C(m,k) of them. Divide row S of the
kernel by K(S,S^c) > 0 and write A(S,T) for the entry at (S, T^c), which is at level |S \\ T|. With D non-negative
features A(S,T) = sum_f phi_f(S) psi_f(T), and p_f(S) = phi_f(S) psi_f(S) >= 0 with sum_f p_f(S) = A(S,S) = 1.
For s = |S \\ T| = |T \\ S|, A(S,T) and A(T,S) are at most h(s), so

  (i)   p_f(S) p_f(T) = [phi_f(S) psi_f(T)] [phi_f(T) psi_f(S)] <= A(S,T) A(T,S) <= h(s)^2,
  (ii)  sum_f sqrt(p_f(S) p_f(T)) <= sqrt(A(S,T) A(T,S)) <= h(s)                               (Cauchy-Schwarz).

For 0 < w <= 1 let B_f(w) = {S : p_f(S) >= w}, b(w) = sum_f |B_f(w)|, and let r be the largest s with h(s) >= w.
  - By (i) any two members of B_f(w) have h(s) >= w, so s <= r: |B_f(w)| <= beta(r), the largest number of k-sets
    with pairwise |S n T| >= k - r (Ahlswede and Khachatrian's complete intersection theorem), and b(w) <= D beta(r).
  - By (ii) w sum_f |B_f(w)|^2 <= V H(r), H(r) = sum_{s<=r} C(k,s) C(m-k,s) h(s), so b(w) <= sqrt(D V H(r) / w).
Since p = integral over w in (0,1] of [p >= w], and r is constant for w in (lo, hi],

    V = sum_{f,S} p_f(S) = integral of b <= sum over the intervals of
            min( D beta (hi - lo),  2 sqrt(D V H) (sqrt hi - sqrt lo) ).

The right-hand side grows with D, so every D for which it is below V is impossible. The dyadic levels and the o(m)
terms of the asymptotic proof are gone. With the free readout D + 1 takes the place of D when self is included.
Here the largest impossible D is found in ball arithmetic (arb); the certificate (kind `nonneg`) is checked in integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb

from flint import arb, ctx, fmpq

from kattn_bounds.certificates.checker import intersecting
from kattn_bounds.errors import InputError
from kattn_bounds.lower.decay import Decay
from kattn_bounds.lower.layer import best_layer, excess
from kattn_bounds.setting import Setting

MAX_LAYER_M = 1000
"""Above this m the bound is taken at this m, which L6 allows."""

PRECISION = 192


@dataclass(frozen=True, slots=True)
class NonnegBound:
    """D >= value for non-negative features, from the k-sets of m points (m may be below the setting's, L6)."""

    m: int
    k: int
    value: int


def nonneg_bound(setting: Setting) -> NonnegBound:
    """The bound L9 at this m. Raises InputError when h(1) says nothing (tolerance 1; 1/2 for the free readout).

    The value is the least D that the inequality allows, to 40 binary digits when it is longer.

    >>> nonneg_bound(Setting(12)).value, nonneg_bound(Setting(64)).value
    (12, 12592856)
    """
    m = min(setting.m, MAX_LAYER_M)
    if m < 2:
        raise InputError("m = 1 has no layer with 0 < k < m: give m >= 2")
    decay = Decay.of(setting)
    if decay.h(1) is None:
        raise InputError("L9 needs h(1): tolerance < 1, and < 1/2 for the free readout")
    previous = ctx.prec
    ctx.prec = PRECISION
    try:
        value = _least_allowed(m, decay)
    finally:
        ctx.prec = previous
    return NonnegBound(m, m // 2, value - excess(setting))


def _ball(x: Fraction | int) -> arb:
    x = Fraction(x)
    return arb(fmpq(x.numerator, x.denominator))


def _least_allowed(m: int, decay: Decay) -> int:
    """The least D whose right-hand side is not certainly below V."""
    k = m // 2
    sets = comb(m, k)
    profile = [h for s in range(k + 1) if (h := decay.h(s)) is not None]
    envelope = list(profile)  # largest h(s') over s' >= s, cut at 1
    for s in range(k - 1, -1, -1):
        envelope[s] = max(envelope[s], envelope[s + 1])
    envelope = [min(Fraction(1), h) for h in envelope] + [Fraction(0)]

    terms: list[tuple[arb, arb]] = []
    pairs, weight = 1, arb(0)
    for r in range(k + 1):
        weight += pairs * _ball(profile[r])
        pairs = pairs * (k - r) * (m - k - r) // (r + 1) ** 2
        high, low = envelope[r], envelope[r + 1]
        if high > low:
            top, bottom = _ball(high), _ball(low)
            linear = intersecting(m, k, k - r) * (top - bottom)
            root = 2 * (sets * weight).sqrt() * (top.sqrt() - bottom.sqrt())
            terms.append((linear, root))

    def impossible(features: int) -> bool:
        total, root = arb(0), arb(features).sqrt()
        for linear, square_root in terms:
            options = (linear * features, square_root * root)
            total += min(options, key=arb.mid)  # either is an upper bound
        return bool(total < sets)

    low_d, high_d = 0, 1
    while impossible(high_d):
        low_d, high_d = high_d, 2 * high_d
    while high_d - low_d > 1 + (low_d >> 40):
        middle = (low_d + high_d) // 2
        low_d, high_d = (middle, high_d) if impossible(middle) else (low_d, middle)
    return low_d + 1


def passes_layer(setting: Setting, top: int) -> int | None:
    """The least m <= top from which L9 is above the signed bound L1 at every length up to top (checked one by one).

    >>> passes_layer(Setting(2), 32)
    28
    """
    first = None
    for m in range(top, 1, -1):
        at = Setting(m, setting.n, setting.tolerance, setting.self_included, setting.readout)
        if nonneg_bound(at).value <= best_layer(at).value:
            break
        first = m
    return first
