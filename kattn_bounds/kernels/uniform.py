"""C1: the constant kernel, one feature. With the free readout V(q, a) = <q, 2a - 1> it is exact up to length two."""

from __future__ import annotations

from fractions import Fraction

from kattn_bounds.kernels.base import ClassKernel


def uniform(m: int) -> ClassKernel:
    """K = 1 (C1): one feature.

    >>> uniform(3).features
    1
    """
    return ClassKernel("uniform", m, lambda k, l, t: Fraction(1), features=1, uses="t")


def signed_token_values(m: int) -> ClassKernel:
    """V(q, a) = <q, 2a - 1> = 2t - |q| (C1), the value map of the free readout.

    Self included, n = 2, the average is (|q| + 2<q,a> - |q|)/2 = <q,a>: error 0.

    >>> signed_token_values(3).value(0b110, 0b010)
    Fraction(0, 1)
    """
    return ClassKernel("<q,2a-1>", m, lambda k, l, t: Fraction(2 * t - k), signed=True, uses="kt")
