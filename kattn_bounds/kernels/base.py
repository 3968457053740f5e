"""What a kernel is to the rest of the package.

Two families. A `TableKernel` has an entry for every pair of tokens. A `ClassKernel` depends on the pair only through
k = |q|, l = |a| and t = <q, a>, so it is decided by orbits at any m. Both are exact: entries are fractions. For fast exact
comparisons a kernel also gives *codes*: numbers (integers or floats) whose order within a row is the order of the entries.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kattn_bounds.cube import inner, popcounts
from kattn_bounds.errors import InputError, shorten

Codes = npt.NDArray[Any]

EXHAUSTIVE_MAX_M = 13
"""Largest m at which all 4^m entries are read."""


class Kernel(ABC):
    """A kernel K(q, a) >= 0 on {0,1}^m with exact entries.

    name      how reports name it
    m         coordinates of a token
    features  number of features D it is known to have, or None
    """

    name: str
    m: int
    features: int | None = None

    @abstractmethod
    def value(self, q: int, a: int) -> Fraction:
        """K(q, a), exact."""

    @abstractmethod
    def row_codes(self, q: int) -> Codes:
        """Row q as order-preserving codes, shape (2^m,): codes compare as the entries do, within this row."""

    @abstractmethod
    def decode(self, q: int, code: Any) -> Fraction:
        """The exact entry behind a code of row q."""


class ClassKernel(Kernel):
    """K(q, a) = f(k, l, t) with k = |q|, l = |a|, t = <q, a>; decided by orbits at any m.

    `function(k, l, t)` must return a Fraction for every max(0, k + l - m) <= t <= min(k, l). Entries are computed on
    demand and kept. `uses` names those of k, l, t that the function really depends on: what it leaves out is not enumerated.
    A negative entry raises InputError that names its class, unless `signed` is set (a value map V
    of the free readout).

    >>> uniform = ClassKernel("uniform", 3, lambda k, l, t: Fraction(1), features=1)
    >>> uniform.value(0b101, 0b001)
    Fraction(1, 1)
    """

    def __init__(
        self,
        name: str,
        m: int,
        function: Callable[[int, int, int], Fraction],
        features: int | None = None,
        signed: bool = False,
        uses: str = "klt",
    ) -> None:
        self.name, self.m, self.features = name, m, features
        self.uses = uses
        self._function = function
        self._signed = signed
        self._cache: dict[tuple[int, int, int], Fraction] = {}

    def class_value(self, k: int, l: int, t: int) -> Fraction:
        """K on the class |q| = k, |a| = l, <q, a> = t, exact."""
        # The representative class: l = t and then k = t whenever the function does not look at them.
        if "l" not in self.uses:
            l = t
            if "k" not in self.uses:
                k = t
        key = (k, l, t)
        found = self._cache.get(key)
        if found is None:
            found = Fraction(self._function(k, l, t))
            if found < 0 and not self._signed:
                raise InputError(
                    f"kernel '{shorten(self.name)}' is {shorten(found)} < 0 at |q| = {k}, |a| = {l}, t = {t}: "
                    "a kernel must be >= 0 everywhere"
                )
            self._cache[key] = found
        return found

    def value(self, q: int, a: int) -> Fraction:
        return self.class_value(q.bit_count(), a.bit_count(), inner(q, a))

    @cached_property
    def _ranks(self) -> tuple[npt.NDArray[np.int64], list[Fraction]]:
        """Rank of each class's value among the distinct values, indexed [k, l, t], and those values in order."""
        m = self.m
        shape = (m + 1, m + 1, m + 1)
        classes = [
            (k, l, t)
            for k in range(m + 1)
            for l in range(m + 1)
            for t in range(max(0, k + l - m), min(k, l) + 1)
        ]
        values = sorted({self.class_value(*c) for c in classes})
        rank = {value: i for i, value in enumerate(values)}
        table = np.zeros(shape, dtype=np.int64)
        for c in classes:
            table[c] = rank[self.class_value(*c)]
        return table, values

    def row_codes(self, q: int) -> Codes:
        table, _ = self._ranks
        levels = np.bitwise_count(np.arange(1 << self.m, dtype=np.uint32) & np.uint32(q))
        codes: Codes = table[q.bit_count(), popcounts(self.m), levels]
        return codes

    def decode(self, q: int, code: Any) -> Fraction:
        return self._ranks[1][int(code)]

    def weights(self, k: int, t: int, bits: int) -> range:
        """The |a| to look at for |q| = k and <q, a> = t when all tokens lie within `bits` coordinates."""
        return range(t, t + bits - k + 1) if "l" in self.uses else range(t, t + 1)


class TableKernel(Kernel):
    """A kernel given by all its entries, as a 2^m x 2^m array indexed [q, a].

    Integer and float arrays are taken as they are (a finite float is an exact dyadic rational); an object array holds
    Fractions or integers. Entries must be finite, and >= 0 unless `signed` is set (a value map V).

    >>> TableKernel("mine", 1, np.array([[1, 1], [2, 1]])).value(1, 0)
    Fraction(2, 1)
    >>> TableKernel("mine", 1, np.array([[1.0, 1.0], [float("nan"), -1.0]]))
    Traceback (most recent call last):
        ...
    kattn_bounds.errors.InputError: table 'mine' has nan at q = 1, a = 0: give a finite number >= 0
    """

    def __init__(
        self, name: str, m: int, entries: Codes, features: int | None = None, signed: bool = False
    ) -> None:
        self.name, self.m, self.features = name, m, features
        self.entries = entries
        size = 1 << m
        if entries.shape != (size, size):
            raise InputError(
                f"table '{shorten(name)}' has shape {entries.shape}: give {size} x {size} = 2^{m} x 2^{m} (m = {m})"
            )
        for q in range(size):
            row = entries[q]
            bad = ~np.isfinite(row) if entries.dtype.kind == "f" else np.zeros(size, dtype=bool)
            if not signed:
                bad |= (row < 0).astype(bool)
            if bad.any():
                a = int(np.argmax(bad))
                raise InputError(
                    f"table '{shorten(name)}' has {shorten(row[a])} at q = {q:0{m}b}, a = {a:0{m}b}: "
                    f"give a finite number{'' if signed else ' >= 0'}"
                )

    def value(self, q: int, a: int) -> Fraction:
        return self.decode(q, self.entries[q, a])

    def row_codes(self, q: int) -> Codes:
        row: Codes = self.entries[q]
        return row

    def decode(self, q: int, code: Any) -> Fraction:
        return exact(code)


def exact(number: Any) -> Fraction:
    """The exact rational value of an int, float, Fraction or numpy scalar.

    >>> exact(0.5), exact(np.int64(3))
    (Fraction(1, 2), Fraction(3, 1))
    """
    if isinstance(number, Fraction):
        return number
    if isinstance(number, np.generic):
        number = number.item()
    return Fraction(number)
