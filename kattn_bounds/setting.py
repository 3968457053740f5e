"""The problem, defined once: Boolean minimum inner product at length n over {0,1}^m (theory section 2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from kattn_bounds.errors import Faults, InputError, shorten

Readout = Literal["inner", "free"]
Mask = Literal["final", "causal"]
Features = Literal["signed", "nonneg"]
"""What the features may be: any real numbers, or numbers >= 0 on both sides."""

HALF = Fraction(1, 2)
MAX_M = 100_000
MAX_N = 1_000_000


@dataclass(frozen=True, slots=True)
class Setting:
    """Which head is asked to solve what.

    m              number of coordinates of a token, at least 1
    n              length of the sequence, the query included; the query is its last token
    tolerance      tau in (0, 1], exact; the head must have |output - target| < tau on every sequence
    self_included  whether the query attends to itself
    readout        "inner": the value of token x is <q, x>;  "free": any given matrix V(q, x)
    mask           "final": only the last token asks. "causal": every position asks and attends to the
                   tokens up to its own, so a head must be right at every length 1..n

    >>> Setting(m=6)
    Setting(m=6, n=3, tolerance=Fraction(1, 2), self_included=True, readout='inner', mask='final')
    >>> Setting(m=6).companions
    2
    >>> Setting(m=0, tolerance=Fraction(2))
    Traceback (most recent call last):
        ...
    kattn_bounds.errors.InputError: m = 0 is out of range: give an integer 1 <= m <= 100000
    tolerance = 2 is out of range: give a rational 0 < tolerance <= 1, for instance 1/2
    """

    m: int
    n: int = 3
    tolerance: Fraction = HALF
    self_included: bool = True
    readout: Readout = "inner"
    mask: Mask = "final"

    def __post_init__(self) -> None:
        faults = Faults()
        faults.require(
            isinstance(self.m, int) and 1 <= self.m <= MAX_M,
            f"m = {shorten(self.m)} is out of range: give an integer 1 <= m <= {MAX_M}",
        )
        least_n = 1 if self.self_included else 2
        why = "" if self.self_included else " (with self excluded a query needs at least one other token)"
        faults.require(
            isinstance(self.n, int) and least_n <= self.n <= MAX_N,
            f"n = {shorten(self.n)} is out of range: give an integer {least_n} <= n <= {MAX_N}{why}",
        )
        faults.require(
            isinstance(self.tolerance, Fraction) and 0 < self.tolerance <= 1,
            f"tolerance = {shorten(self.tolerance)} is out of range: "
            "give a rational 0 < tolerance <= 1, for instance 1/2",
        )
        faults.require(self.readout in ("inner", "free"), f"readout = {self.readout!r}: give inner or free")
        faults.require(self.mask in ("final", "causal"), f"mask = {self.mask!r}: give final or causal")
        faults.check()

    @property
    def companions(self) -> int:
        """Number of competitors of the query, n - 1."""
        return self.n - 1

    @property
    def tokens(self) -> int:
        """Number of tokens, 2^m."""
        return 1 << self.m

    def at_length(self, n: int) -> Setting:
        """The same setting at another length."""
        return replace(self, n=n)

    def describe(self) -> str:
        """One line for reports.

        >>> Setting(m=6, n=4).describe()
        'm = 6, n = 4, tolerance 1/2, self included, inner readout'
        """
        mask = ", causal mask" if self.mask == "causal" else ""
        who = "included" if self.self_included else "excluded"
        return f"m = {self.m}, n = {self.n}, tolerance {self.tolerance}, self {who}, {self.readout} readout{mask}"

    def to_json(self) -> dict[str, object]:
        """The setting as a certificate or report states it."""
        return {
            "m": self.m,
            "n": self.n,
            "tolerance": str(self.tolerance),
            "self_included": self.self_included,
            "readout": self.readout,
        }


def parse_rational(text: str, name: str = "number") -> Fraction:
    """An exact rational from text: 3, -1/2, 0.4 (read as 2/5).

    Raises InputError when the text is not one, is too long, or has a zero denominator.

    >>> parse_rational("0.4")
    Fraction(2, 5)
    >>> parse_rational("1/0", "tolerance")
    Traceback (most recent call last):
        ...
    kattn_bounds.errors.InputError: tolerance = 1/0 is not a rational number: write it as 1/2, 0.4 or 3
    """
    clean = text.strip()
    digits = len(clean)
    exponent = clean.lower().partition("e")[2]
    if digits <= 4000 and len(exponent.lstrip("+-")) <= 3:
        try:
            return Fraction(clean)
        except (ValueError, ZeroDivisionError):
            pass
    raise InputError(f"{name} = {shorten(text)} is not a rational number: write it as 1/2, 0.4 or 3")
