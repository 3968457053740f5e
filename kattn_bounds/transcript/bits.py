"""Capacities without rounding: the base-2 logarithm of a positive rational, added and compared exactly."""

from __future__ import annotations

from fractions import Fraction
from functools import total_ordering
from math import isinf

from kattn_bounds.transcript.counting import log2_exactly


@total_ordering
class Bits:
    """log2 of a positive rational: sums are products, comparisons are exact. Integers stand for whole bits.

    Any algorithm that adds, subtracts and compares can use it in place of a float, for instance a maximum flow.

    >>> Bits.of_alphabet(3) + Bits.of_alphabet(3) < Bits.of_alphabet(10), Bits.of_alphabet(8) == 3
    (True, True)
    >>> str(Bits.of_alphabet(256, copies=3))
    '24 bits'
    """

    __slots__ = ("ratio",)

    def __init__(self, ratio: Fraction) -> None:
        self.ratio = ratio

    @classmethod
    def of_alphabet(cls, alphabet: int, copies: int = 1) -> Bits:
        """What `copies` symbols of an alphabet carry."""
        return cls(Fraction(alphabet**copies))

    @staticmethod
    def _ratio(other: object) -> Fraction | None:
        if isinstance(other, Bits):
            return other.ratio
        return Fraction(2) ** other if isinstance(other, int) else None

    def __add__(self, other: Bits | int) -> Bits:
        ratio = self._ratio(other)
        return NotImplemented if ratio is None else Bits(self.ratio * ratio)

    __radd__ = __add__

    def __sub__(self, other: Bits | int) -> Bits:
        ratio = self._ratio(other)
        return NotImplemented if ratio is None else Bits(self.ratio / ratio)

    def __rsub__(self, other: int) -> Bits:
        return Bits(Fraction(2) ** other / self.ratio)

    def __mul__(self, times: int) -> Bits:
        return Bits(self.ratio**times)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        ratio = self._ratio(other)
        return NotImplemented if ratio is None else self.ratio == ratio

    def __lt__(self, other: Bits | int | float) -> bool:
        if isinstance(other, float) and isinf(other):
            return other > 0
        ratio = self._ratio(other)
        return NotImplemented if ratio is None else self.ratio < ratio

    def __bool__(self) -> bool:
        return self.ratio != 1

    def __hash__(self) -> int:
        return hash(self.ratio)

    def __float__(self) -> float:
        return log2_exactly(self.ratio.numerator) - log2_exactly(self.ratio.denominator)

    def __repr__(self) -> str:
        return f"Bits({self.ratio})"

    def __str__(self) -> str:
        value = float(self)
        return f"{value:.0f} bits" if self == round(value) else f"{value:.2f} bits"
