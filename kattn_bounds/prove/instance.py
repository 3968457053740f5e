"""A row that breaks a claim, extended to a whole kernel and put before the verifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np

from kattn_bounds.cube import format_token, inner
from kattn_bounds.kernels.base import TableKernel
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

    def _table(self, values: tuple[int, ...]) -> TableKernel:
        size = 1 << self.m
        table = np.empty((size, size), dtype=object)
        for q in range(size):
            table[q] = [self.base ** (self.m - inner(q, a)) for a in range(size)]
        table[self.query] = list(values)
        return TableKernel("counterexample", self.m, table)

    @cached_property
    def kernel(self) -> TableKernel | PositionKernel:
        """The whole kernel (a family with one member for each position, if it depends on positions)."""
        if not self.convention.positions:
            return self._table(self.row["K", None])
        tables = [self._table(self.row["K", j]) for j in range(1, self.convention.n + 1)]
        return PositionKernel.of_list("counterexample", tables)

    @cached_property
    def value(self) -> TableKernel | None:
        """V = N / K of the free readout; <q, a> in the other rows."""
        if not self.convention.free:
            return None
        size = 1 << self.m
        table = np.empty((size, size), dtype=object)
        for q in range(size):
            table[q] = [Fraction(inner(q, a)) for a in range(size)]
        weights, moments = self.row["K", None], self.row["N", None]
        table[self.query] = [
            Fraction(moment, weight) if weight else Fraction(0)
            for weight, moment in zip(weights, moments, strict=True)
        ]
        return TableKernel("counterexample values", self.m, table)

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
