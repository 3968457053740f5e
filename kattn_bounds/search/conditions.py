"""When a row of a kernel solves: inequalities between the extremes of its levels (level reduction, theory section 2).

Write lo_t and hi_t for the least and the greatest K(q, a) over the level {a : t(q, a) = t} of a query with |q| = k. A row with
positive entries solves (m, n, tau) if and only if, for all levels t < t' <= k,

    alpha lo_t - beta hi_t' - gamma K(q, q) > 0,       where, with s = t' - t,

    inner readout   alpha = tau,    beta = (n-2)(s - tau),     gamma = k - t - tau              (0 with self excluded)
    free readout    alpha = 2 tau,  beta = (n-2)(s - 2 tau),   gamma = (beta - alpha) / (n-1)   (0 with self excluded)

A pair with beta < 0 says nothing beyond K > 0. Nothing is lost by asking for positive entries: if K solves and
has D features, so does some K > 0 with D features (signed: the cone {phi : psi phi >= 0} of a row has an interior, since no
column of K vanishes, as K(a, a) > 0; non-negative: add a small constant to every factor).

Free readout. Put c = K(q, q)/(n-1), kappa_a = K(q, a) + c (kappa = K with self excluded), f_a likewise from N = K o V, and
u_a = f_a - t_a kappa_a. A sequence with least level t at a is right if and only if
-tau kappa_a < u_a for every token of the least level and, for all a, b with t_b >= t_a,

    (u_a - tau kappa_a) + (n-2) (u_b + (t_b - t_a - tau) kappa_b) < 0.

The second grows with u, so u_a = -(tau - delta) kappa_a with delta -> 0 is the best V for every sequence at once: the free
readout at tolerance tau is *equivalent* to the inner readout of kappa at tolerance 2 tau, self excluded (L3 is the necessity).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from kattn_bounds.errors import InputError
from kattn_bounds.setting import Setting

IntegerMatrix = npt.NDArray[Any]
"""An array of Python integers (dtype object), so that sums and products are exact."""


@dataclass(frozen=True, slots=True)
class LevelPair:
    """alpha lo_low - beta hi_high - gamma K(q, q) > 0."""

    low: int
    high: int
    alpha: Fraction
    beta: Fraction
    gamma: Fraction


def level_pairs(setting: Setting, k: int, shift: Fraction = Fraction(0)) -> list[LevelPair]:
    """The conditions of a query of weight k beyond positive entries, one for each pair of levels that needs one.

    `shift` (free readout only) is the delta of the module's text: the conditions for u = -(tau - shift) kappa.

    >>> from kattn_bounds.setting import Setting
    >>> [(p.low, p.high, str(p.beta), str(p.gamma)) for p in level_pairs(Setting(2), 2)]
    [(0, 1, '1/2', '3/2'), (0, 2, '3/2', '3/2'), (1, 2, '1/2', '1/2')]
    >>> [(p.low, p.high, str(p.beta), str(p.gamma)) for p in level_pairs(Setting(2, readout="free"), 2)]
    [(0, 1, '0', '-1/2'), (0, 2, '1', '0'), (1, 2, '0', '-1/2')]
    """
    others = setting.n - 2
    tolerance = setting.tolerance
    pairs = []
    for low in range(k):
        for high in range(low + 1, k + 1):
            if setting.readout == "inner":
                alpha = tolerance
                beta = others * (high - low - tolerance)
                gamma = k - low - tolerance if setting.self_included else Fraction(0)
            else:
                alpha = 2 * tolerance - shift
                beta = others * (high - low - 2 * tolerance + shift)
                if beta < 0:
                    continue
                gamma = (beta - alpha) / (setting.n - 1) if setting.self_included else Fraction(0)
            pairs.append(LevelPair(low, high, alpha, beta, gamma))
    return pairs


def require_searchable(setting: Setting) -> None:
    """Raise InputError when the conditions above do not cover the setting (n = 1, or the causal mask)."""
    if setting.n < 2:
        raise InputError(
            f"n = {setting.n} is too short to search: give n >= 2 (one constant feature solves n = 1)"
        )
    if setting.mask != "final":
        raise InputError(
            "mask = causal is not searched: a kernel that solves lengths 2..n solves it; give final"
        )


def row_solves(row: IntegerMatrix, q: int, setting: Setting, shift: Fraction = Fraction(0)) -> bool:
    """Whether a row of exact numbers is positive and satisfies every condition of query q. Exact; shape (2^m,).

    >>> import numpy as np
    >>> from kattn_bounds.setting import Setting
    >>> row_solves(np.array([4, 1], dtype=object), 1, Setting(1)), row_solves(np.array([2, 1], dtype=object), 1, Setting(1))
    (True, False)
    """
    levels = np.bitwise_count(np.arange(len(row), dtype=np.uint32) & np.uint32(q))
    k = q.bit_count()
    low = [min(row[levels == t]) for t in range(k + 1)]
    if min(low) <= 0:
        return False
    high = [max(row[levels == t]) for t in range(k + 1)]
    own = row[q]
    return all(
        pair.alpha * low[pair.low] > pair.beta * high[pair.high] + pair.gamma * own
        for pair in level_pairs(setting, k, shift)
    )


def free_values(row: IntegerMatrix, q: int, setting: Setting) -> list[Fraction] | None:
    """V(q, a) for all a, with which a positive row solves the free readout; None when there is none. Exact.

    The largest shift delta = 2^-j tau that still satisfies every condition is taken, j <= 200.

    >>> import numpy as np
    >>> from kattn_bounds.setting import Setting
    >>> [str(v) for v in free_values(np.array([1, 1], dtype=object), 1, Setting(1, n=2, readout="free"))]
    ['-1', '1']
    """
    tolerance = setting.tolerance
    shift = next(
        (d for d in (tolerance / 2**j for j in range(201)) if row_solves(row, q, setting, shift=d)), None
    )
    if shift is None:
        return None
    kernel = [Fraction(int(entry)) for entry in row]
    own = kernel[q] / (setting.n - 1) if setting.self_included else Fraction(0)
    summands = [((q & a).bit_count() - tolerance + shift) * (entry + own) for a, entry in enumerate(kernel)]
    # f_q = N(q, q) + N(q, q)/(n-1), so N(q, q)/(n-1) = f_q / n.
    own_value = summands[q] / setting.n if setting.self_included else Fraction(0)
    return [(f - own_value) / entry for f, entry in zip(summands, kernel, strict=True)]
