"""Rigorous statements about g = exp(-1/2 sigma^2): signs of polynomials in g, and the bandwidths where they are negative.

At a rational sigma^2 > 0 the number g is transcendental (Lindemann), so a non-zero polynomial with
rational coefficients never vanishes there: ball arithmetic of growing precision always ends with a sign.
Nothing here trusts a float.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm
from typing import Any

from flint import arb, ctx, fmpq, fmpz_poly

from kattn_bounds.errors import InputError, shorten

FIRST_BITS = 64
LAST_BITS = 1 << 17

GPolynomial = Mapping[int, Fraction]
"""A polynomial in g: coefficient of each exponent (exponents >= 0)."""


def check_sigma2(sigma2: Fraction) -> Fraction:
    """The squared bandwidth itself, or InputError when it is not positive."""
    if sigma2 <= 0:
        raise InputError(
            f"sigma2 = {shorten(sigma2)} is out of range: give a rational > 0, for instance 11/10"
        )
    return sigma2


def ball(number: Fraction) -> Any:
    """The ball of a rational at the current precision."""
    return arb(fmpq(number.numerator, number.denominator))


def affinity(sigma2: Fraction) -> Any:
    """A ball around g = exp(-1/2 sigma^2) at the current precision.

    >>> affinity(Fraction(1, 2)).str(8, radius=False)
    '0.36787944'
    """
    return ball(-1 / (2 * check_sigma2(sigma2))).exp()


def certain_sign(evaluate: Callable[[], Any], *, last_bits: int = LAST_BITS) -> int | None:
    """The sign of a real number given as a ball at any precision, or None if uncertain within `last_bits`.

    >>> certain_sign(lambda: ball(Fraction(6)).log() - ball(Fraction(2)))
    -1
    """
    bits = FIRST_BITS
    while bits <= last_bits:
        with ctx.workprec(bits):
            value = evaluate()
            if value > 0:
                return 1
            if value < 0:
                return -1
        bits *= 2
    return None


def evaluate_ball(polynomial: GPolynomial, g: Any) -> Any:
    """The polynomial at the ball g, at the current precision."""
    return sum((ball(c) * g**e for e, c in polynomial.items()), arb(0))


def evaluate_exact(polynomial: GPolynomial, g: Fraction) -> Fraction:
    """The polynomial at a rational g."""
    return sum((c * g**e for e, c in polynomial.items()), Fraction(0))


def sign_at(polynomial: GPolynomial, sigma2: Fraction) -> int | None:
    """The sign of the polynomial at g = exp(-1/2 sigma^2).

    0 only for the zero polynomial; None past the precision limit.

    >>> polynomial = {0: Fraction(-1), 4: Fraction(6)}
    >>> sign_at(polynomial, Fraction(11, 10)), sign_at(polynomial, Fraction(9, 8))
    (-1, 1)
    """
    check_sigma2(sigma2)
    if not any(polynomial.values()):
        return 0
    # Beyond this exponent g^e leaves the exponent range for no purpose: the lowest exponent can be divided
    # out.
    lowest = min(e for e, c in polynomial.items() if c)
    shifted = {e - lowest: c for e, c in polynomial.items()}
    return certain_sign(lambda: evaluate_ball(shifted, affinity(sigma2)))


def nonnegative_for_all(polynomial: GPolynomial) -> bool:
    """A sufficient test for polynomial >= 0 at every g in (0, 1), that is at every bandwidth.

    If all partial sums of the coefficients, in rising order of the exponents, are >= 0, then so is the
    polynomial: by Abel summation it is a combination of them with the weights g^e - g^e' > 0 and g^e > 0.

    >>> nonnegative_for_all({0: Fraction(1, 2), 1: Fraction(-1, 2)})
    True
    >>> nonnegative_for_all({0: Fraction(-1), 1: Fraction(2)})
    False
    """
    total = Fraction(0)
    for exponent in sorted(polynomial):
        total += polynomial[exponent]
        if total < 0:
            return False
    return True


@dataclass(frozen=True)
class Endpoint:
    """A squared bandwidth at which a condition in g vanishes.

    text    closed form such as "2/ln 6" when the condition has two terms, else None
    root    fmpz_poly with the value of g as a root, and the index of that root among those in (0, 1)
    """

    text: str | None
    polynomial: Any
    index: int

    def enclosure(self) -> Any:
        """A ball around sigma^2 = -1/(2 ln g), some 30 digits or more."""
        roots, bits = _isolate(self.polynomial)
        with ctx.workprec(bits):
            return -1 / (2 * roots[self.index].log())

    def decimals(self, digits: int = 8) -> tuple[str, str]:
        """Decimal numbers of that many places around the squared bandwidth: it lies strictly between them."""
        value = self.enclosure()
        scale = 10**digits
        low = _middle(value.lower()) * scale // 1
        high = -(-_middle(value.upper()) * scale // 1)
        return _decimal(low, digits), _decimal(high, digits)

    def describe(self) -> str:
        """The closed form, if any, and the enclosure."""
        low, high = self.decimals()
        return f"{self.text} in ({low}, {high})" if self.text else f"({low}..{high})"


def _decimal(scaled: int, digits: int) -> str:
    whole, part = divmod(scaled, 10**digits)
    return f"{whole}.{part:0{digits}d}"


@dataclass(frozen=True)
class Window:
    """An open interval of sigma^2 in which a head solves; None is 0 on the left and infinity on the right."""

    low: Endpoint | None
    high: Endpoint | None

    def describe(self) -> str:
        """The interval as a condition on sigma^2."""
        if self.low is None and self.high is None:
            return "every sigma"
        if self.low is None:
            assert self.high is not None
            return f"sigma^2 < {self.high.describe()}"
        if self.high is None:
            return f"sigma^2 > {self.low.describe()}"
        return f"{self.low.describe()} < sigma^2 < {self.high.describe()}"


def solving_windows(conditions: Sequence[GPolynomial]) -> list[Window]:
    """The bandwidths at which every polynomial is strictly negative: disjoint open intervals, rising.

    Exact: the real roots in (0, 1) of the square-free product are isolated by ball arithmetic, and between
    two of them the signs are evaluated in rationals. No interval: at no bandwidth at all.

    >>> conditions = [{0: Fraction(-1), 2: Fraction(2)}, {0: Fraction(-1), 4: Fraction(6)}]
    >>> [w.describe() for w in solving_windows(conditions)]
    ['sigma^2 < 2/ln 6 in (1.11622125, 1.11622126)']
    """
    polynomials = [_primitive(c) for c in conditions]
    if any(nonnegative_for_all(c) for c in conditions):
        return []
    product = _radical(polynomials)
    roots, bits = _isolate(product)
    with ctx.workprec(bits):
        cuts = [_between(a, b) for a, b in zip([arb(0), *roots], [*roots, arb(1)], strict=True)]
    ends: list[Endpoint | None] = [None, *(Endpoint(None, product, i) for i in range(len(roots))), None]
    windows = []
    for i, g in enumerate(cuts):
        if all(evaluate_exact(c, g) < 0 for c in conditions):
            windows.append(Window(ends[i], ends[i + 1]))
    return [Window(_with_text(w.low, polynomials), _with_text(w.high, polynomials)) for w in windows]


def _primitive(condition: GPolynomial) -> Any:
    """The condition as an integer polynomial without factors g, same sign on (0, 1)."""
    terms = {e: c for e, c in condition.items() if c}
    if not terms:
        return fmpz_poly([])
    lowest = min(terms)
    scale = lcm(*(c.denominator for c in terms.values()))
    content = gcd(*(int(c * scale) for c in terms.values()))
    coefficients = [0] * (max(terms) - lowest + 1)
    for e, c in terms.items():
        coefficients[e - lowest] = int(c * scale) // content
    return fmpz_poly(coefficients)


def _radical(polynomials: Sequence[Any]) -> Any:
    """A square-free polynomial with exactly the roots of all of them except 0 and 1."""
    product = fmpz_poly([1])
    for p in polynomials:
        _, factors = p.factor()
        for factor, _multiplicity in factors:
            if factor(1) != 0 and factor.degree() > 0 and product.gcd(factor).degree() == 0:
                product *= factor
    return product


def _isolate(polynomial: Any) -> tuple[list[Any], int]:
    """Disjoint balls strictly inside (0, 1) around its real roots there, rising, and the precision in bits.

    The polynomial is square-free and vanishes at neither end, so some precision tells all of them apart.
    """
    bits = 128
    while bits <= LAST_BITS:
        with ctx.workprec(bits):
            roots = polynomial.complex_roots() if polynomial.degree() > 0 else []
            balls = [arb(r.real) for r, _ in roots if r.imag == 0]
            inside = sorted((r for r in balls if r > 0 and r < 1), key=_middle)
            outside = sum(1 for r in balls if r < 0 or r > 1)
            ends = [arb(0), *inside, arb(1)]
            apart = all(low < high for low, high in pairwise(ends))
            if len(inside) + outside == len(balls) and apart:
                return inside, bits
        bits *= 2
    raise ArithmeticError("two roots could not be told apart within the precision limit")


def _middle(value: Any) -> Fraction:
    mantissa, exponent = value.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _between(low: Any, high: Any) -> Fraction:
    """A rational strictly between two disjoint balls."""
    return (_middle(low.upper()) + _middle(high.lower())) / 2


def _with_text(end: Endpoint | None, polynomials: Sequence[Any]) -> Endpoint | None:
    """The endpoint with its closed form, when it is the root of one of the conditions with two terms."""
    if end is None:
        return None
    roots, bits = _isolate(end.polynomial)
    with ctx.workprec(bits):
        for p in polynomials:
            coefficients = [int(c) for c in p.coeffs()]
            support = [e for e, c in enumerate(coefficients) if c]
            if len(support) != 2:
                continue
            argument = -Fraction(coefficients[support[1]], coefficients[support[0]])
            if argument <= 1:
                continue
            degree = support[1]
            g = (-ball(argument).log() / degree).exp()
            # The root of p is one of the isolated roots, so the only one that it overlaps is that one.
            if [i for i, r in enumerate(roots) if g.overlaps(r)] == [end.index]:
                return Endpoint(_log_form(Fraction(degree, 2), argument), end.polynomial, end.index)
    return end


def _log_form(factor: Fraction, argument: Fraction) -> str:
    """factor / ln argument as text."""
    log = f"ln {argument}" if argument.denominator == 1 else f"ln({argument})"
    if factor.denominator == 1:
        return f"{factor}/{log}"
    return f"{factor.numerator}/({factor.denominator} {log})"
