"""Exact ranks with python-flint: of the expanded kernel (C3), and of any table of integers or rationals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np

from kattn_bounds.kernels.softmax import expanded

_PRIMES = (2**61 - 1, 2**31 - 1, 2**62 - 57)


def exact_rank(rows: Sequence[Sequence[int | Fraction]]) -> int:
    """The rank over the rationals of a matrix of exact entries.

    The rank modulo a prime never exceeds it, so a full rank modulo one prime settles it; otherwise it is computed over
    the integers.

    >>> exact_rank([[1, 2], [2, 4]]), exact_rank([[1, 0], [0, Fraction(1, 3)]])
    (1, 2)
    """
    from flint import fmpz_mat, nmod_mat

    scale = lcm(*(Fraction(x).denominator for row in rows for x in row))
    whole = [[int(x * scale) for x in row] for row in rows]
    full = min(len(whole), len(whole[0]))
    for prime in _PRIMES:
        modular = nmod_mat(len(whole), len(whole[0]), [x % prime for row in whole for x in row], prime)
        if int(modular.rank()) == full:
            return full
    return int(fmpz_mat(whole).rank())


def expanded_rank(m: int, x: Fraction) -> int:
    """The exact rank of the 2^m x 2^m matrix x^<q,a> (C3).

    >>> expanded_rank(3, Fraction(1, 3))
    8
    """
    p, r = x.numerator, x.denominator
    power = [p**t * r ** (m - t) for t in range(m + 1)]
    size = 1 << m
    return exact_rank([[power[(q & a).bit_count()] for a in range(size)] for q in range(size)])


def expanded_features_agree(m: int, x: Fraction) -> bool:
    """Whether phi and psi of C3, signed and non-negative, give x^<q,a> at every pair, exactly.

    >>> expanded_features_agree(2, Fraction(2, 5))
    True
    """
    p, r = x.numerator, x.denominator
    size = 1 << m
    tokens = np.arange(size)
    levels = np.bitwise_count(tokens[:, None] & tokens[None, :])
    # x^t = p^t r^(m-t) / r^m, and the factors are over the same denominator r^m.
    expected = np.array([p**t * r ** (m - t) for t in range(m + 1)], dtype=object)[levels]
    for nonneg in (False, True):
        kernel = expanded(m, x, nonneg)
        if (kernel.numerators() != expected).any() or kernel.denominator != r**m:
            return False
        if nonneg and ((kernel.phi < 0).any() or (kernel.psi < 0).any()):
            return False
    return True
