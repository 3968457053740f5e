"""The exact rank of a kernel that depends on |q|, |a| and <q,a> only, and kernels built from few types.

The functions on {0,1}^m are a direct sum over the types j = 0..m/2 of Harm_j (x) R^{j..m-j}: Harm_j are the functions h on the
j-sets whose sums over the sets containing any given (j-1)-set vanish, of dimension C(m,j) - C(m,j-1), and h lives on every
layer k as h_k(S) = sum of h(T) over the j-sets T in S. A class kernel K commutes with coordinate permutations and sends
h_l to sum_k lambda_j(k,l) h_k, so

    rank K = sum_j (C(m,j) - C(m,j-1)) rank [lambda_j(k,l)],   j <= k, l <= m - j.

With h = (x_1 - x_2)(x_3 - x_4)... on S = {1, 3, .., 2j-1} and k - j points beyond 2j, h_k(S) = 1, hence

    lambda_j(k,l) = sum_e sum_s (-1)^e C(j,e) C(k-j,s) C(m-k-j, l-j-s) K(k, l, j-e+s).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb

from kattn_bounds.errors import InputError
from kattn_bounds.kernels.base import ClassKernel
from kattn_bounds.kernels.rank import exact_rank

Vector = tuple[Fraction, ...]


def dimension(m: int, j: int) -> int:
    """Dimension of Harm_j: C(m, j) - C(m, j-1), the cost of one feature family of type j.

    >>> [dimension(6, j) for j in range(4)]
    [1, 5, 9, 5]
    """
    return comb(m, j) - (comb(m, j - 1) if j else 0)


def levels(m: int, k: int, l: int) -> range:
    """The possible <q,a> for |q| = k, |a| = l.

    >>> list(levels(5, 3, 4))
    [2, 3]
    """
    return range(max(0, k + l - m), min(k, l) + 1)


@lru_cache(maxsize=4096)
def type_matrix(m: int, k: int, l: int) -> tuple[tuple[int, ...], ...]:
    """The square integer matrix that takes K(k, l, .) over its levels to lambda_j(k, l) over the types j.

    >>> type_matrix(2, 1, 1)
    ((1, 1), (-1, 1))
    """
    ts = levels(m, k, l)
    rows = []
    for j in range(min(k, l, m - k, m - l) + 1):
        row = [0] * len(ts)
        for e in range(j + 1):
            for s in range(min(k - j, l - j) + 1):
                ways = comb(m - k - j, l - j - s)
                if ways:
                    row[j - e + s - ts[0]] += (-1) ** e * comb(j, e) * comb(k - j, s) * ways
        rows.append(tuple(row))
    return tuple(rows)


@lru_cache(maxsize=4096)
def zonal(m: int, k: int, l: int) -> tuple[Vector, ...]:
    """For every type j the values over the levels t of the kernel with lambda_j(k, l) = 1 and the other types 0.

    >>> [[str(x) for x in row] for row in zonal(2, 1, 1)]
    [['1/2', '1/2'], ['-1/2', '1/2']]
    """
    from flint import fmpq_mat

    matrix = type_matrix(m, k, l)
    size = len(matrix)
    inverse = fmpq_mat(size, size, [x for row in matrix for x in row]).inv()
    return tuple(
        tuple(Fraction(int(inverse[t, j].p), int(inverse[t, j].q)) for t in range(size)) for j in range(size)
    )


def type_ranks(kernel: ClassKernel) -> list[int]:
    """rank [lambda_j(k,l)] for every type j, exact.

    >>> type_ranks(ClassKernel("t + 1", 4, lambda k, l, t: Fraction(t + 1)))
    [2, 1, 0]
    """
    m = kernel.m
    ranks = []
    for j in range(m // 2 + 1):
        span = range(j, m - j + 1)
        ranks.append(exact_rank([[_eigenvalue(kernel, j, k, l) for l in span] for k in span]))
    return ranks


def _eigenvalue(kernel: ClassKernel, j: int, k: int, l: int) -> Fraction:
    row = type_matrix(kernel.m, k, l)[j]
    return sum(
        (c * kernel.class_value(k, l, t) for c, t in zip(row, levels(kernel.m, k, l), strict=True) if c),
        Fraction(0),
    )


def class_rank(kernel: ClassKernel) -> int:
    """The exact rank of a class kernel as a 2^m x 2^m matrix, at any m.

    >>> from kattn_bounds.kernels.softmax import softmax
    >>> class_rank(softmax(6, Fraction(1, 3)))
    64
    """
    return sum(dimension(kernel.m, j) * rank for j, rank in enumerate(type_ranks(kernel)))


def typed_kernel(
    m: int, parts: Sequence[tuple[int, Sequence[Fraction], Sequence[Fraction]]], name: str = "symmetric"
) -> ClassKernel:
    """The kernel with lambda_j(k,l) = sum of alpha[k] beta[l] over the parts (j, alpha, beta); weights of m + 1 entries.

    A part costs C(m,j) - C(m,j-1) features. Raises InputError when a part has another number of weights.

    >>> one = [Fraction(1)] * 3
    >>> kernel = typed_kernel(2, [(0, one, one), (1, [Fraction(0)] * 3, one)])
    >>> kernel.features, str(kernel.value(0b10, 0b01))
    (2, '1/2')
    """
    for j, alpha, beta in parts:
        if not 0 <= 2 * j <= m or len(alpha) != m + 1 or len(beta) != m + 1:
            raise InputError(
                f"a part of type {j} with {len(alpha)} and {len(beta)} weights: give {m + 1} a side"
            )
    return ClassKernel(name, m, _typed_function(m, parts), features=sum(dimension(m, j) for j, _, _ in parts))


def _typed_function(
    m: int, parts: Sequence[tuple[int, Sequence[Fraction], Sequence[Fraction]]]
) -> Callable[[int, int, int], Fraction]:
    def value(k: int, l: int, t: int) -> Fraction:
        basis = zonal(m, k, l)
        start = levels(m, k, l)[0]
        return sum(
            (alpha[k] * beta[l] * basis[j][t - start] for j, alpha, beta in parts if j < len(basis)),
            Fraction(0),
        )

    return value
