"""The Gaussian kernel on the cube and two maps in front of it (G1), with g = exp(-1/2 sigma^2) an exact rational.

At a rational sigma^2 the base g is transcendental, so these kernels are exact only at a rational g. The
verdicts at a rational sigma^2 are in `kattn_bounds.gaussian.cube`; `gaussian_matrix` is the float kernel
for numerical work.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from kattn_bounds.cube import popcounts
from kattn_bounds.errors import InputError, shorten
from kattn_bounds.kernels.base import ClassKernel

MATRIX_MAX_M = 13


def gaussian(m: int, g: Fraction) -> ClassKernel:
    """K(q, a) = g^|q - a|^2, g = exp(-1/2 sigma^2) in (0, 1): the projection-free head. Rank exactly 2^m.

    >>> gaussian(3, Fraction(1, 2)).value(0b110, 0b011)
    Fraction(1, 4)
    """
    _check_base(g)
    return ClassKernel(f"({g})**(|q| + |a| - 2t)", m, lambda k, l, t: g ** (k + l - 2 * t), features=1 << m)


def complemented_gaussian(m: int, g: Fraction) -> ClassKernel:
    """K(q, a) = g^|q^c - a|^2: the query is complemented, the key is the token. Rank exactly 2^m.

    >>> complemented_gaussian(2, Fraction(1, 2)).value(0b01, 0b00)
    Fraction(1, 2)
    """
    _check_base(g)
    return ClassKernel(
        f"({g})**(m - |q| - |a| + 2t)", m, lambda k, l, t: g ** (m - k - l + 2 * t), features=1 << m
    )


def norm_evening_gaussian(m: int, g: Fraction) -> ClassKernel:
    """The Gaussian kernel between the query (-q, 0) and the key (a, 1 - a) in R^2m: g^(m + |q| + 2t).

    A row factor does not change a normalised head, so this is C2's kernel x^t with x = g^2 = exp(-1/sigma^2).

    >>> row = norm_evening_gaussian(2, Fraction(1, 2))
    >>> row.value(0b01, 0b11) / row.value(0b01, 0b10)
    Fraction(1, 4)
    """
    _check_base(g)
    return ClassKernel(f"({g})**(m + |q| + 2t)", m, lambda k, l, t: g ** (m + k + 2 * t), features=1 << m)


def gaussian_matrix(m: int, sigma2: float) -> npt.NDArray[np.float64]:
    """exp(-|q - a|^2 / 2 sigma^2) for all pairs of tokens, shape (2^m, 2^m), float64, indexed [q, a].

    Raises InputError for sigma2 <= 0 or m > 13.

    >>> gaussian_matrix(1, 0.5).round(3).tolist()
    [[1.0, 0.368], [0.368, 1.0]]
    """
    if not sigma2 > 0:
        raise InputError(f"sigma2 = {shorten(sigma2)} is out of range: give a number > 0")
    if not 1 <= m <= MATRIX_MAX_M:
        raise InputError(f"m = {m} is out of range for a table of 4^m entries: give 1 <= m <= {MATRIX_MAX_M}")
    tokens = np.arange(1 << m)
    distances = popcounts(m)[tokens[:, None] ^ tokens[None, :]]
    powers = np.exp(-np.arange(m + 1) / (2.0 * sigma2))
    matrix: npt.NDArray[np.float64] = powers[distances]
    return matrix


def _check_base(g: Fraction) -> None:
    if not 0 < g < 1:
        raise InputError(f"g = {shorten(g)} is out of range: give a rational 0 < g < 1, for instance 1/2")
