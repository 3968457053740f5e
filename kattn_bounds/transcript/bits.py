"""Capacities without rounding: sums of base-2 logarithms of integers, added and compared exactly."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import total_ordering
from math import isinf, prod

from kattn_bounds.transcript.counting import log2_exactly


@total_ordering
class Bits:
    """sum of count * log2(base) over integer bases >= 2: sums add counts, comparisons are exact. Integers are whole bits.

    Any algorithm that adds, subtracts and compares can use it in place of a float, for instance a maximum flow. A
    comparison is read off in floats where these are far apart against their rounding, and off the exact products otherwise.

    >>> Bits.of_alphabet(3) + Bits.of_alphabet(3) < Bits.of_alphabet(10), Bits.of_alphabet(8) == 3
    (True, True)
    >>> str(Bits.of_alphabet(256, copies=3)), Bits.of_alphabet(6) - Bits.of_alphabet(3) == 1
    ('24 bits', True)
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[int, int]) -> None:
        self.terms = {base: count for base, count in terms.items() if count}

    @classmethod
    def of_alphabet(cls, alphabet: int, copies: int = 1) -> Bits:
        """What `copies` symbols of an alphabet of at least one symbol carry."""
        exponent = alphabet.bit_length() - 1
        if alphabet == 1 << exponent:
            return cls({2: exponent * copies})
        return cls({alphabet: copies})

    @property
    def ratio(self) -> Fraction:
        """The rational number whose logarithm this is, exact."""
        return Fraction(*self._products())

    def _products(self) -> tuple[int, int]:
        return (
            prod(base**count for base, count in self.terms.items() if count > 0),
            prod(base**-count for base, count in self.terms.items() if count < 0),
        )

    def _sign(self) -> int:
        parts = [count * log2_exactly(base) for base, count in self.terms.items()]
        total = sum(parts)
        if abs(total) > 1e-12 * sum(map(abs, parts)):
            return 1 if total > 0 else -1
        above, below = self._products()
        return (above > below) - (above < below)

    def __add__(self, other: Bits | int) -> Bits:
        if not isinstance(other, Bits | int):
            return NotImplemented
        added = other.terms if isinstance(other, Bits) else {2: other}
        return Bits({base: self.terms.get(base, 0) + added.get(base, 0) for base in {**self.terms, **added}})

    __radd__ = __add__

    def __sub__(self, other: Bits | int) -> Bits:
        return self + -1 * other

    def __rsub__(self, other: int) -> Bits:
        return -1 * self + other

    def __mul__(self, times: int) -> Bits:
        return Bits({base: count * times for base, count in self.terms.items()})

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bits | int):
            return NotImplemented
        return (self - other)._sign() == 0

    def __lt__(self, other: Bits | int | float) -> bool:
        if isinstance(other, float) and isinf(other):
            return other > 0
        if not isinstance(other, Bits | int):
            return NotImplemented
        return (self - other)._sign() < 0

    def __bool__(self) -> bool:
        return self._sign() != 0

    def __hash__(self) -> int:
        return hash(self.ratio)

    def __float__(self) -> float:
        return float(sum(count * log2_exactly(base) for base, count in self.terms.items()))

    def __repr__(self) -> str:
        return f"Bits({self.terms})"

    def __str__(self) -> str:
        value = float(self)
        return f"{value:.0f} bits" if self == round(value) else f"{value:.2f} bits"
