"""From floats to integers: round psi, solve every row of phi anew against the rounded psi, round the row, check exactly.

The coarsest rounding that works is kept, so that certificates stay small. Nothing here is trusted: a row counts only after
`row_solves` has accepted it in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from kattn_bounds.certificates.writer import Certificate, kernel_factors
from kattn_bounds.search.conditions import IntegerMatrix, free_values, row_solves
from kattn_bounds.search.program import Program
from kattn_bounds.search.symmetry import Floats, Representation, Symmetry, parse_group
from kattn_bounds.setting import Setting

FINEST_BITS = 40
"""psi is rounded to at most 2^40 steps of its largest entry, and every row of phi to 2^60."""


def exactify(
    setting: Setting, psi: Floats, *, nonneg: bool = False
) -> tuple[IntegerMatrix, IntegerMatrix] | None:
    """Integer phi and psi, shapes (2^m, D), that solve exactly, or None when no rounding of psi does.

    psi: float features of all tokens. With `nonneg` both results are >= 0.
    """
    scale = float(np.abs(psi).max())
    if not np.isfinite(scale) or scale == 0:
        return None
    free = Representation("1", (), psi.shape[1], nonneg)
    symmetry = Symmetry(parse_group("1", setting.m), free)
    # The heaviest queries have the most conditions: they refuse a rounding first.
    queries = np.arange(1 << setting.m)
    order = np.argsort(-np.bitwise_count(queries), kind="stable")
    programs: dict[int, Program] = {}
    for steps in _scales(FINEST_BITS):
        rounded = _round(psi * (steps / scale), nonneg)
        columns = symmetry.restrict(rounded.astype(float) / steps)
        phi = np.zeros(rounded.shape, dtype=object)
        for q in order.tolist():
            if q not in programs:
                programs[q] = Program(setting, symmetry, nonneg=nonneg, queries=np.array([q]))
            row = _exact_row(programs[q], columns, rounded, q)
            if row is None:
                break
            phi[q] = row
        else:
            return phi, rounded
    return None


def certificate(
    setting: Setting, phi: IntegerMatrix, psi: IntegerMatrix, *, nonneg: bool, note: dict[str, object]
) -> Certificate | None:
    """The certificate of integer factors; for the free readout with the values that go with them (None: there are none)."""
    values: list[list[Fraction]] | None = None
    if setting.readout == "free":
        kernel = phi @ psi.T
        values = []
        for q in range(1 << setting.m):
            row = free_values(kernel[q], q, setting)
            if row is None:
                return None
            values.append(row)
    return kernel_factors(
        setting, phi.tolist(), psi.tolist(), "nonneg" if nonneg else "signed", values=values, note=note
    )


def _exact_row(program: Program, columns: Floats, psi: IntegerMatrix, q: int) -> IntegerMatrix | None:
    """The coarsest rounding of the best row for psi (floats: its parameters `columns`) that solves exactly."""
    rows = program.best_rows(columns)
    if rows is None or not program.solves(rows, columns):
        return None
    row = program.phi(rows)[0]
    scale = float(np.abs(row).max())
    for steps in _scales(60):
        rounded = _round(row * (steps / scale), program.nonneg)
        if row_solves(psi @ rounded, q, program.setting):
            return rounded
    return None


def _scales(bits: int) -> Iterator[int]:
    """1, 2, 3, 4, 6, 8, 12, 16, ... up to 2^bits."""
    yield 1
    for exponent in range(1, bits + 1):
        yield 1 << exponent
        if exponent < bits:
            yield 3 << (exponent - 1)


def _round(values: Floats, nonneg: bool) -> IntegerMatrix:
    whole = np.rint(values)
    if nonneg:
        whole = np.maximum(whole, 0)
    return np.array([int(v) for v in whole.ravel()], dtype=object).reshape(values.shape)
