"""Polynomial kernels (1 + <x,y>)^p and Taylor expansions of exp<x,y> to order r.

Taylor order 2: Arora et al., "Simple linear attention language models balance the recall-throughput tradeoff" (Based),
ICML 2024; polynomial kernels: Kacham, Mirrokni, Zhong, "PolySketchFormer", ICML 2024.

Features are counted after equal monomials on the cube are merged: a polynomial of degree p in <x,y> uses the products
over coordinate sets of at most p elements, sum_{j <= p} C(m, j) of them. The maps as published write out more.
"""

from math import comb, factorial

import numpy as np

from kattn_bounds.maps.base import Array, PublishedMap, Realised, from_kernel


def monomials(tokens: int, degree: int) -> int:
    """sum_{j <= degree} C(m, j), m = log2 of the number of tokens.

    >>> monomials(16, 2)
    11
    """
    m = tokens.bit_length() - 1
    return sum(comb(m, j) for j in range(min(degree, m) + 1))


def taylor(s: Array, order: int) -> Array:
    """sum_{j <= order} s^j / j!, by Horner's rule.

    >>> taylor(np.array([1.0]), 2).tolist()
    [2.5]
    """
    total = np.full_like(s, 1 / factorial(order))
    for j in range(order - 1, -1, -1):
        total = total * s + 1 / factorial(j)
    return total


def build_polynomial(x: Array, y: Array, size: int, rng: np.random.Generator) -> Realised:
    return from_kernel((1 + x @ y.T) ** size, monomials(len(x), size))


def build_taylor(x: Array, y: Array, size: int, rng: np.random.Generator) -> Realised:
    s = x @ y.T
    found = from_kernel(taylor(s, size), monomials(len(x), size))
    # Terms of both signs cancel when s < 0: bound the rounding by the sum of their sizes.
    return Realised(found.table, found.features, taylor(np.abs(s), size) * (64 * size + 64) * 2.0**-53)


MAP = PublishedMap("polynomial", "Kacham et al. 2024", build_polynomial, "order", scales=(1.0, 4.0))
TAYLOR = PublishedMap("taylor", "Arora et al. 2024", build_taylor, "order", scales=(0.5, 1.0, 2.0))
