"""A kernel given by its features: K = Phi Psi^T, exact."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kattn_bounds.cube import format_token
from kattn_bounds.errors import Faults, InputError, shorten
from kattn_bounds.kernels.base import Codes, Kernel
from kattn_bounds.setting import parse_rational

MAX_FACTOR_BYTES = 256 * 1024 * 1024
_INT64_SAFE = 2**62


class FactorKernel(Kernel):
    """K(q, a) = <phi(q), psi(a)>, from 2^m rows of D rationals each; rows are indexed by tokens.

    Kept as integers over one denominator a side, so products are exact. A negative entry raises InputError when its row is
    first read.

    >>> kernel = FactorKernel("mine", 1, [[1, 0], [1, Fraction(-1, 2)]], [[1, 0], [1, 1]])
    >>> kernel.features, kernel.value(1, 1)
    (2, Fraction(1, 2))
    """

    def __init__(
        self,
        name: str,
        m: int,
        phi: Sequence[Sequence[Fraction | int]],
        psi: Sequence[Sequence[Fraction | int]],
    ) -> None:
        size = 1 << m
        faults = Faults()
        for side, rows in (("phi", phi), ("psi", psi)):
            faults.require(
                len(rows) == size,
                f"{side} has {len(rows)} rows: give 2^m = {size} rows, one a token (m = {m})",
            )
        widths = {len(row) for row in phi} | {len(row) for row in psi}
        faults.require(
            len(widths) == 1 and 0 not in widths,
            f"phi and psi have rows of {sorted(widths)} numbers: give every row the same D >= 1 numbers",
        )
        faults.check()
        whole_phi, phi_denominator = _integer_matrix(phi)
        whole_psi, psi_denominator = _integer_matrix(psi)
        self._keep(name, m, whole_phi, whole_psi, phi_denominator * psi_denominator)

    @classmethod
    def from_integers(
        cls, name: str, m: int, phi: npt.NDArray[Any], psi: npt.NDArray[Any], denominator: int = 1
    ) -> FactorKernel:
        """The kernel Phi Psi^T / denominator of integer arrays of shape (2^m, D)."""
        kernel = cls.__new__(cls)
        kernel._keep(name, m, phi, psi, denominator)
        return kernel

    def _keep(
        self, name: str, m: int, phi: npt.NDArray[Any], psi: npt.NDArray[Any], denominator: int
    ) -> None:
        self.name, self.m, self.features = name, m, int(phi.shape[1])
        self.denominator = denominator
        # Products fit 64-bit integers when this bound does; otherwise Python's integers are used.
        bound = int(np.abs(phi).max()) * int(np.abs(psi).max()) * self.features
        kind = np.int64 if bound < _INT64_SAFE else object
        self.phi, self.psi = phi.astype(kind), psi.astype(kind)
        self._fits_double = bound < 2**53

    def numerators(self) -> npt.NDArray[Any]:
        """All entries times the denominator, shape (2^m, 2^m), exact integers (int64 or object)."""
        if self._fits_double:
            # Every partial sum is an integer below 2^53, so the floating-point product is exact.
            product = self.phi.astype(np.float64) @ self.psi.T.astype(np.float64)
            return product.astype(np.int64)
        whole: npt.NDArray[Any] = self.phi @ self.psi.T
        return whole

    def value(self, q: int, a: int) -> Fraction:
        total = sum(int(x) * int(y) for x, y in zip(self.phi[q], self.psi[a], strict=True))
        return Fraction(total, self.denominator)

    def row_codes(self, q: int) -> Codes:
        row: Codes = self.psi @ self.phi[q]
        if (row < 0).any():
            a = int(np.argmax(row < 0))
            raise InputError(
                f"kernel '{shorten(self.name)}' is {shorten(self.decode(q, row[a]))} < 0 at "
                f"q = {format_token(q, self.m)}, a = {format_token(a, self.m)}: a kernel must be >= 0 everywhere"
            )
        return row

    def decode(self, q: int, code: Any) -> Fraction:
        return Fraction(int(code), self.denominator)


def _integer_matrix(rows: Sequence[Sequence[Fraction | int]]) -> tuple[npt.NDArray[Any], int]:
    """Integer entries over one common denominator, as an object array."""
    denominator = lcm(*(Fraction(x).denominator for row in rows for x in row))
    return np.array([[int(x * denominator) for x in row] for row in rows], dtype=object), denominator


def load_factors(path: Path) -> FactorKernel:
    """A JSON object with `phi` and `psi`: 2^m rows of rationals (integers, or text such as "1/3"). m follows from the size.

    Raises InputError for a missing, malformed or too large file, unknown keys, and numbers that are not exact rationals
    (a JSON float is refused: write it as text).
    """
    data = _read_json(path)
    if not isinstance(data, dict) or set(data) != {"phi", "psi"}:
        raise InputError(
            f"file '{shorten(path)}' must be a JSON object with the keys phi and psi and no other"
        )
    sides: list[list[list[Fraction]]] = []
    for side in ("phi", "psi"):
        rows = data[side]
        if not isinstance(rows, list) or not rows or not all(isinstance(row, list) for row in rows):
            raise InputError(f"{side} in '{shorten(path)}' must be a list of rows, each a list of rationals")
        sides.append([[json_rational(x, f"{side}[{i}]") for x in row] for i, row in enumerate(rows)])
    size = len(sides[0])
    if size < 2 or size & (size - 1):
        raise InputError(f"phi in '{shorten(path)}' has {size} rows: give 2^m rows for some m >= 1")
    return FactorKernel(path.name, size.bit_length() - 1, sides[0], sides[1])


def json_rational(x: object, name: str) -> Fraction:
    """An exact rational from a JSON integer or text; floats and booleans are refused with the fix.

    >>> json_rational("1/3", "weight")
    Fraction(1, 3)
    >>> json_rational(0.1, "weight")
    Traceback (most recent call last):
        ...
    kattn_bounds.errors.InputError: weight = 0.1 is not an exact rational: write an integer or text such as "1/3"
    """
    if isinstance(x, int) and not isinstance(x, bool):
        return Fraction(x)
    if isinstance(x, str):
        return parse_rational(x, name)
    raise InputError(
        f'{name} = {shorten(x)} is not an exact rational: write an integer or text such as "1/3"'
    )


def _read_json(path: Path) -> object:
    try:
        if path.stat().st_size > MAX_FACTOR_BYTES:
            raise InputError(
                f"file '{shorten(path)}' is over {MAX_FACTOR_BYTES >> 20} MiB: give a smaller one"
            )
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"cannot read '{shorten(path)}' ({error.strerror}): give the path of a file that exists"
        ) from None
    except UnicodeDecodeError:
        raise InputError(f"file '{shorten(path)}' is not UTF-8 text: give a JSON file") from None
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"file '{shorten(path)}' is not valid JSON (line {error.lineno}, column {error.colno}: "
            f"{error.msg}): correct it there"
        ) from None
    except (RecursionError, ValueError):
        raise InputError(
            f"file '{shorten(path)}' is not usable JSON (nested too deep, or a number of too many digits)"
        ) from None
