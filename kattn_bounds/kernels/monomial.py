"""Kernels whose features are monomials: blocks of all d-subsets (C4, C6), and general set functions (C5).

A q-side monomial of a set T is [T in q][T n a empty] = [T in q \\ a]; an a-side one is [T in a \\ q]. The sum over all T of
d elements is C(u, d), u = |q \\ a| or |a \\ q|, so a *block* of all of them with weights that depend on |q| and |a| is a
function of (|q|, |a|, <q,a>), at C(m, d) features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, lcm
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.kernels.base import ClassKernel, Codes, Kernel

Side = Literal["q", "a"]


@dataclass(frozen=True, slots=True)
class Block:
    """alpha[|q|] beta[|a|] C(u, degree), u = |q \\ a| (side "q") or |a \\ q| (side "a"); C(m, degree) features."""

    side: Side
    degree: int
    alpha: tuple[Fraction, ...]
    beta: tuple[Fraction, ...]

    def value(self, k: int, l: int, t: int) -> Fraction:
        """The block's part of K at |q| = k, |a| = l, <q,a> = t."""
        u = k - t if self.side == "q" else l - t
        return self.alpha[k] * self.beta[l] * comb(u, self.degree)


def block_kernel(m: int, blocks: Sequence[Block], name: str = "blocks") -> ClassKernel:
    """The sum of the blocks, with D = the sum of the C(m, degree) features. Decided by orbits at any m.

    Raises InputError when a block has other than m + 1 weights a side, or a degree outside 0..m.

    >>> kernel = monomial_kernel(4, {0: 1, 1: 20, 3: 20})
    >>> kernel.features, str(kernel.value(0b1110, 0b0001))
    (9, '81')
    """
    for block in blocks:
        if not 0 <= block.degree <= m or len(block.alpha) != m + 1 or len(block.beta) != m + 1:
            raise InputError(
                f"a block of degree {block.degree} with {len(block.alpha)} and {len(block.beta)} weights: "
                f"give a degree 0..{m} and {m + 1} weights a side (m = {m})"
            )
    return ClassKernel(
        name,
        m,
        lambda k, l, t: sum((block.value(k, l, t) for block in blocks), Fraction(0)),
        features=sum(comb(m, block.degree) for block in blocks),
    )


def monomial_blocks(m: int, weights: Mapping[int, Fraction | int]) -> list[Block]:
    """The blocks of p(u) = sum_d w_d C(u, d) (C4), one for every degree with a weight.

    >>> [(b.side, b.degree) for b in monomial_blocks(3, {0: 1, 2: Fraction(7, 2)})]
    [('q', 0), ('q', 2)]
    """
    ones = (Fraction(1),) * (m + 1)
    return [Block("q", d, (Fraction(w),) * (m + 1), ones) for d, w in sorted(weights.items())]


def monomial_kernel(m: int, weights: Mapping[int, Fraction | int]) -> ClassKernel:
    """K(q, a) = p(u), u = |q \\ a|, p(u) = sum_d w_d C(u, d) (C4).

    >>> monomial_kernel(12, {0: 1, 1: 30}).features
    13
    """
    degrees = ", ".join(str(d) for d in sorted(weights))
    return block_kernel(m, monomial_blocks(m, weights), f"monomials of degrees {degrees}")


def subset_sums(m: int, weights: Mapping[int, int]) -> Codes:
    """F(U) = sum of the integer weights of the masks inside U, for every U, shape (2^m,): the fast zeta transform.

    int64 where no sum can overflow, Python integers otherwise.

    >>> subset_sums(2, {0b00: 1, 0b10: 5, 0b11: -2}).tolist()
    [1, 1, 6, 4]
    """
    small = sum(abs(w) for w in weights.values()) < 2**62
    f: npt.NDArray[Any] = np.zeros(1 << m, dtype=np.int64 if small else object)
    for mask, weight in weights.items():
        f[mask] = weight
    for bit in range(m):
        pairs = f.reshape(-1, 2, 1 << bit)
        pairs[:, 1] += pairs[:, 0]
    return f


class SetFunctionKernel(Kernel):
    """K(q, a) = F(q \\ a), F(U) = sum of w_T over the masks T inside U: one feature a mask (C5).

    Raises InputError when a mask is not a token of m bits, or F is negative somewhere (it names the set).

    >>> kernel = SetFunctionKernel("two", 2, {0b00: 1, 0b11: Fraction(7, 2)})
    >>> str(kernel.value(0b11, 0b00)), kernel.features
    ('9/2', 2)
    """

    def __init__(self, name: str, m: int, weights: Mapping[int, Fraction | int]) -> None:
        self.name, self.m, self.features = name, m, len(weights)
        outside = [mask for mask in weights if not 0 <= mask < 1 << m]
        if outside:
            raise InputError(
                f"mask {shorten(outside[0])} is not a token of {m} bits: give 0 to {(1 << m) - 1}"
            )
        self.weights = {mask: Fraction(weight) for mask, weight in weights.items()}
        negative = int(np.argmin(self.sums))
        if self.sums[negative] < 0:
            raise InputError(
                f"kernel '{shorten(name)}' is negative where q \\ a = {negative:0{m}b}: a kernel must be >= 0 everywhere"
            )

    @cached_property
    def scale(self) -> int:
        """The common denominator of the weights."""
        return lcm(*(weight.denominator for weight in self.weights.values()))

    @cached_property
    def sums(self) -> Codes:
        """scale * F(U) for every U, integers, shape (2^m,)."""
        return subset_sums(self.m, {mask: int(weight * self.scale) for mask, weight in self.weights.items()})

    def value(self, q: int, a: int) -> Fraction:
        return Fraction(int(self.sums[q & ~a]), self.scale)

    def row_codes(self, q: int) -> Codes:
        tokens = np.arange(1 << self.m, dtype=np.uint32)
        row: Codes = self.sums[np.uint32(q) & ~tokens]
        return row

    def decode(self, q: int, code: Any) -> Fraction:
        return Fraction(int(code), self.scale)
