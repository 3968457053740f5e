"""C2 and C3: softmax with score -<q, a>, and the same kernel expanded into 2^m explicit features."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.kernels.base import ClassKernel
from kattn_bounds.kernels.factors import FactorKernel
from kattn_bounds.setting import Setting

EXPANDED_MAX_M = 12


def softmax(m: int, x: Fraction) -> ClassKernel:
    """K = x^<q,a>, x = exp(-beta) (C2): m-dimensional scores -<q,a> at temperature 1/beta.

    x must be in (0, 1]; its features are those of `expanded`.

    >>> softmax(4, Fraction(1, 3)).value(0b1100, 0b0110)
    Fraction(1, 3)
    """
    _check_base(x)
    return ClassKernel(f"({x})**t", m, lambda k, l, t: x**t, features=1 if x == 1 else 1 << m, uses="t")


def softmax_condition(setting: Setting, x: Fraction) -> tuple[Fraction, Fraction]:
    """The two sides of C2's exact condition: x^t solves iff the first is strictly less than the second.

    The competitor at level t + s and the query itself at level |q| <= t + s weigh most together at one s, so
    (number of tokens beside the minimal one) * max over 1 <= s <= m of (s - tau) x^s < tau; the number is n - 1 with self
    included and n - 2 without.

    >>> left, right = softmax_condition(Setting(6), Fraction(1, 3))
    >>> str(left), str(right)
    ('1/3', '1/2')
    """
    _check_base(x)
    others = setting.n - 1 if setting.self_included else setting.n - 2
    tau = setting.tolerance
    peak = max((s - tau) * x**s for s in range(1, _last_step(setting.m, x) + 1))
    return max(others, 0) * max(peak, Fraction(0)), tau


def _last_step(m: int, x: Fraction) -> int:
    """(s - tau) x^s rises only while (s + 1 - tau) x > s - tau, so s past 1/(1 - x) + 1 need not be tried."""
    return m if x == 1 else min(m, int(1 / (1 - x)) + 2)


def expanded(m: int, x: Fraction, nonneg: bool = False) -> FactorKernel:
    """The kernel x^t with all of its 2^m features (C3), signed or non-negative. 1 <= m <= 12.

    Signed: feature S of q is (-(1-x))^|S| [S in q], of a it is [S in a].
    Non-negative: per coordinate phi = (1 - q_i + x q_i, (1-x) q_i), psi = (1, 1 - a_i), tensored.

    >>> kernel = expanded(3, Fraction(1, 3), nonneg=True)
    >>> kernel.features, str(kernel.value(0b110, 0b011))
    (8, '1/3')
    """
    _check_base(x)
    if m > EXPANDED_MAX_M:
        raise InputError(
            f"m = {m} is too large to write out 2^m features: give m <= {EXPANDED_MAX_M}, or use softmax"
        )
    p, r = x.numerator, x.denominator
    # One coordinate: rows are the token's bit, columns the feature's; phi is scaled by r to be whole.
    phi = [[r, 0], [p, r - p]] if nonneg else [[r, 0], [r, p - r]]
    psi = [[1, 1], [1, 0]] if nonneg else [[1, 0], [1, 1]]
    name = f"({x})**t in {'non-negative' if nonneg else 'signed'} features"
    return FactorKernel.from_integers(name, m, _tensor_power(phi, m), _tensor_power(psi, m), r**m)


def _tensor_power(factor: list[list[int]], m: int) -> npt.NDArray[np.object_]:
    """The m-th Kronecker power of a 2 x 2 integer matrix, shape (2^m, 2^m)."""
    power = np.array([[1]], dtype=object)
    for _ in range(m):
        power = np.kron(power, np.array(factor, dtype=object))
    return power


def _check_base(x: Fraction) -> None:
    if not 0 < x <= 1:
        raise InputError(f"x = {shorten(x)} is out of range: give a rational 0 < x <= 1, for instance 1/3")
