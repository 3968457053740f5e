"""A row that breaks a claim, extended to a whole kernel and put before the verifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from kattn_bounds.cube import format_token, inner, inner_products
from kattn_bounds.errors import InputError
from kattn_bounds.kernels.base import Codes, Kernel
from kattn_bounds.kernels.positions import PositionKernel
from kattn_bounds.prove.classes import Pattern, Point
from kattn_bounds.prove.language import Entry, Statement, level_name, size_name
from kattn_bounds.prove.system import Convention
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Verdict
from kattn_bounds.verify import decide


@dataclass(frozen=True)
class Counterexample:
    """A solving kernel on {0,1}^m that breaks a claim.

    tokens   the bit mask of the query and of every named token
    row      the query's entries, integers without common scale: (kind, position) -> values indexed by token
    base     the other rows are base^(m - t(q,a)), a multiple of (1/base)^t
    total    the claim's left-hand side minus its right-hand side on the row, which is not below 0 as claimed
    """

    m: int
    query: int
    tokens: Mapping[str, int]
    row: Mapping[tuple[str, int | None], tuple[int, ...]]
    base: int
    total: Fraction
    point: Point
    convention: Convention

    def setting(self) -> Setting:
        c = self.convention
        return Setting(self.m, c.n, c.tau, c.self_included, "free" if c.free else "inner")

    def _rows(self, values: Sequence[Fraction | int]) -> OneRowKernel:
        others = [self.base ** (self.m - t) for t in range(self.m + 1)]
        return OneRowKernel("counterexample", self.m, self.query, values, others)

    @cached_property
    def kernel(self) -> OneRowKernel | PositionKernel:
        """The whole kernel (a family with one member for each position, if it depends on positions)."""
        if not self.convention.positions:
            return self._rows(self.row["K", None])
        members = [self._rows(self.row["K", j]) for j in range(1, self.convention.n + 1)]
        return PositionKernel.of_list("counterexample", members)

    @cached_property
    def value(self) -> OneRowKernel | None:
        """V = N / K of the free readout; <q, a> in the other rows."""
        if not self.convention.free:
            return None
        pairs = zip(self.row["K", None], self.row["N", None], strict=True)
        ratios = [Fraction(moment, weight) if weight else Fraction(0) for weight, moment in pairs]
        return OneRowKernel("counterexample values", self.m, self.query, ratios, range(self.m + 1))

    def tables(self) -> dict[str, npt.NDArray[np.int64]]:
        """All entries as integer arrays of shape (2^m, 2^m), for numpy.save: K, or K_1 .. K_n. Raises InputError past 64 bits."""
        members = {
            "K" if j is None else f"K_{j}": values for (kind, j), values in self.row.items() if kind == "K"
        }
        top = max(self.base**self.m, *(max(values) for values in members.values()))
        if top >= 2**63:
            raise InputError(
                f"the counterexample has entries of {len(str(top))} digits: print it with --json instead"
            )
        size = 1 << self.m
        return {
            name: np.array([self._rows(values).row_codes(q) for q in range(size)], dtype=np.int64)
            for name, values in members.items()
        }

    def confirmed(self) -> bool:
        """Whether the verifier accepts the kernel as solving, and N = V K holds."""
        if self.convention.free and any(
            moment and not weight
            for weight, moment in zip(self.row["K", None], self.row["N", None], strict=True)
        ):
            return False
        return decide(self.kernel, self.setting(), self.value).verdict is Verdict.PROVED

    def show(self, name: str) -> str:
        return format_token(self.tokens[name], self.m)


class OneRowKernel(Kernel):
    """A kernel with one row given entry by entry; in the others the entry depends on the level <q, a> alone."""

    def __init__(
        self, name: str, m: int, query: int, row: Sequence[Fraction | int], others: Sequence[int]
    ) -> None:
        self.name, self.m, self.query = name, m, query
        self._row = np.array(row, dtype=object)
        self._others = np.array(others, dtype=object)

    def value(self, q: int, a: int) -> Fraction:
        return Fraction(self._row[a] if q == self.query else self._others[inner(q, a)])

    def row_codes(self, q: int) -> Codes:
        codes: Codes = self._row if q == self.query else self._others[inner_products(q, self.m)]
        return codes

    def decode(self, q: int, code: Any) -> Fraction:
        return Fraction(code)


def extend(
    values: Mapping[Entry, Fraction],
    pattern: Pattern,
    statement: Statement,
    convention: Convention,
    point: Point,
) -> Counterexample | None:
    """The kernel with these entries in the query's row; None unless the verifier accepts it and it breaks the claim.

    A further token on a level takes the value of the level's representative; at a level without one, all are named.
    """
    m, query = pattern.m, pattern.tokens[statement.query]
    names = {token: name for name, token in pattern.tokens.items()}
    scale = lcm(*(v.denominator for v in values.values()))
    keys: list[tuple[str, int | None]] = []
    if convention.positions:
        keys = [("K", j) for j in range(1, convention.n + 1)]
    else:
        keys = [("K", None), ("N", None)] if convention.free else [("K", None)]
    row = {}
    for kind, j in keys:
        entries = []
        for a in range(1 << m):
            name = names.get(a, f"@{inner(query, a)}")
            entries.append(int(values.get(Entry(kind, j, name), Fraction(0)) * scale))
        row[kind, j] = tuple(entries)
    tokens = {x: pattern.tokens[y] for x, y in pattern.merge.items()}
    total = Fraction(0)
    for entry, form in statement.left.items():
        total += form.value(point) * row[entry.kind, entry.position][tokens[entry.token]]
    found = Counterexample(
        m, query, tokens, row, _base(convention, m), total, _shown(point, statement), convention
    )
    broken = total >= 0 if statement.strict else total > 0
    return found if broken and found.confirmed() else None


def _shown(point: Point, statement: Statement) -> Point:
    order = [size_name(statement.query), *(level_name(statement.query, x) for x in statement.tokens)]
    return {name: point[name] for name in [*order, *(k for k in point if k not in order and k != "m")]}


def _base(convention: Convention, m: int) -> int:
    """The least integer j >= 2 such that the rows (1/j)^t solve: (n-1) (s - tau) < tau j^s for s = 1..m (C2)."""
    j = 2
    while any((convention.n - 1) * (s - convention.tau) >= convention.tau * j**s for s in range(1, m + 1)):
        j += 1
    return j
