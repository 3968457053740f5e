"""Eigenvalues, rank and numerical rank of the Gaussian kernel on {0,1}^m, exact in g = exp(-1/2 sigma^2)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from flint import ctx, fmpz_poly

from kattn_bounds.errors import InputError
from kattn_bounds.gaussian.bandwidth import affinity, ball, certain_sign

MAX_M = 64


@dataclass(frozen=True)
class Eigenvalue:
    """(1 + g)^(m - j) (1 - g)^j, multiplicity C(m, j); the eigenvectors are the characters of degree j."""

    m: int
    j: int

    @property
    def multiplicity(self) -> int:
        return comb(self.m, self.j)

    @property
    def polynomial(self) -> Any:
        """The eigenvalue as a polynomial in g."""
        return fmpz_poly([1, 1]) ** (self.m - self.j) * fmpz_poly([1, -1]) ** self.j

    def text(self) -> str:
        """The product form, for instance (1+g)^4 (1-g)^2.

        >>> [Eigenvalue(2, j).text() for j in range(3)]
        ['(1+g)^2', '(1+g) (1-g)', '(1-g)^2']
        """
        parts = [("(1+g)", self.m - self.j), ("(1-g)", self.j)]
        return " ".join(base if power == 1 else f"{base}^{power}" for base, power in parts if power)

    def exact(self, g: Fraction) -> Fraction:
        """The eigenvalue at a rational g."""
        return (1 + g) ** (self.m - self.j) * (1 - g) ** self.j

    def enclosure(self, sigma2: Fraction, bits: int = 128) -> Any:
        """A ball around the eigenvalue at a rational sigma^2."""
        with ctx.workprec(bits):
            g = affinity(sigma2)
            return (1 + g) ** (self.m - self.j) * (1 - g) ** self.j


def spectrum(m: int) -> list[Eigenvalue]:
    """The m + 1 distinct eigenvalues, largest first, from the product form [[1,g],[g,1]] tensored m times.

    >>> [(e.text(), e.multiplicity) for e in spectrum(2)]
    [('(1+g)^2', 1), ('(1+g) (1-g)', 2), ('(1-g)^2', 1)]
    """
    if not 1 <= m <= MAX_M:
        raise InputError(f"m = {m} is out of range for the spectrum: give 1 <= m <= {MAX_M}")
    return [Eigenvalue(m, j) for j in range(m + 1)]


def character_sum(m: int, j: int) -> Any:
    """The eigenvalue of a character of degree j, summed over the cube: sum over d of g^d K_d(j).

    K_d(j) = sum_i (-1)^i C(j, i) C(m - j, d - i) counts the tokens at distance d with their signs. It is
    computed without the product form, so that the two can be compared.

    >>> character_sum(2, 1) == Eigenvalue(2, 1).polynomial
    True
    """
    return fmpz_poly(
        [
            sum((-1) ** i * comb(j, i) * comb(m - j, d - i) for i in range(min(j, d) + 1) if d - i <= m - j)
            for d in range(m + 1)
        ]
    )


def rank(m: int) -> int:
    """The rank at every bandwidth: the number of eigenvalues non-zero for 0 < g < 1, with multiplicity.

    (1 + g) and (1 - g) are positive there, so it is 2^m. Raises ArithmeticError if the product form and
    the sum over the cube disagree (they are compared as polynomials).

    >>> rank(6)
    64
    """
    total = 0
    for value in spectrum(m):
        if character_sum(m, value.j) != value.polynomial:
            raise ArithmeticError(f"the eigenvalue of degree {value.j} does not have its product form")
        total += value.multiplicity
    return total


def numerical_rank(m: int, sigma2: Fraction, precision: int) -> int:
    """Number of eigenvalues above 2^-precision times the largest at a rational sigma^2, by ball arithmetic.

    The ratio of the j-th to the largest is ((1 - g)/(1 + g))^j; a tie is impossible, g being transcendental.

    >>> numerical_rank(6, Fraction(1), 53), numerical_rank(6, Fraction(1000), 53)
    (64, 57)
    """
    if precision < 1:
        raise InputError(f"precision = {precision} is out of range: give a number of bits >= 1")
    kept = 0
    for value in spectrum(m):
        j = value.j

        def excess(j: int = j) -> Any:
            g = affinity(sigma2)
            return j * ((1 - g) / (1 + g)).log() + precision * ball(Fraction(2)).log()

        sign = 1 if j == 0 else certain_sign(excess)
        if sign is None:
            raise ArithmeticError("the numerical rank could not be decided within the precision limit")
        if sign < 0:
            break
        kept += value.multiplicity
    return kept
