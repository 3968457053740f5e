"""The constraint system of one query row: one inequality per sequence, named by the sequence.

A row's conditions see a token only through its level t(q,.), so a system is a set of symbols with levels: the query (level |q|),
the named tokens, and one further token on a level. Solving kernels satisfy, for a sequence whose least level is y,

    inner readout     sum_x K(q,x) (t(q,x) - y - tau) < 0
    free readout      upper: sum_x N(q,x) - (y + tau) K(q,x) < 0      lower: sum_x (y - tau) K(q,x) - N(q,x) < 0

over the attended tokens x. Averaging over the competitors shows that the sequences (b, ..., b, a, q) imply all others when the
kernel does not see positions (level reduction); position-dependent kernels need every arrangement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Literal

from kattn_bounds.prove.language import Affine, Entry

Side = Literal["inner", "upper", "lower"]
MAX_ROWS = 40_000


@dataclass(frozen=True, slots=True)
class Convention:
    """What the rows depend on beside the levels."""

    n: int
    tau: Fraction
    self_included: bool
    positions: bool
    free: bool


@dataclass(frozen=True, slots=True)
class Row:
    """The inequality of one sequence: n symbols, the query last; `least` is the symbol of its least level."""

    sequence: tuple[str, ...]
    least: str
    side: Side

    def form(self, levels: Mapping[str, Affine], convention: Convention) -> dict[Entry, Affine]:
        """Left-hand side (< 0) with levels as linear forms.

        >>> half = Convention(3, Fraction(1, 2), True, False, False)
        >>> t = {"a": Affine.variable("t"), "b": Affine.variable("t") + 2, "q": Affine.variable("k")}
        >>> [(e.token, str(f)) for e, f in Row(("b", "a", "q"), "a", "inner").form(t, half).items()]
        [('b', '3/2'), ('a', '-1/2'), ('q', 'k - t - 1/2')]
        """
        total: dict[Entry, Affine] = {}
        attended = self.sequence if convention.self_included else self.sequence[:-1]
        y, tau = levels[self.least], convention.tau
        for j, x in enumerate(attended, start=1):
            position = j if convention.positions else None
            weight = Entry("K", position, x)
            if self.side == "inner":
                coefficient = levels[x] - y - tau
            elif self.side == "upper":
                coefficient = -y - tau
            else:
                coefficient = y - tau
            total[weight] = total.get(weight, Affine()) + coefficient
            if self.side != "inner":
                moment = Entry("N", position, x)
                total[moment] = total.get(moment, Affine()) + (1 if self.side == "upper" else -1)
        return {e: f for e, f in total.items() if f.terms or f.constant}

    def values(self, levels: Mapping[str, int], convention: Convention) -> dict[Entry, Fraction]:
        """Left-hand side (< 0) at given levels, as entry: coefficient."""
        at = {x: Affine.number(levels[x]) for x in dict.fromkeys(self.sequence)}
        return {e: f.constant for e, f in self.form(at, convention).items()}


def rows(levels: Mapping[str, int], query: str, convention: Convention) -> list[Row] | None:
    """Every row that matters among the given symbols; None when there are more than MAX_ROWS.

    `levels` names the symbols, the query among them.

    >>> half = Convention(3, Fraction(1, 2), True, False, False)
    >>> [r.sequence for r in rows({"q": 1, "a": 0}, "q", half)]
    [('q', 'q', 'q'), ('q', 'a', 'q'), ('a', 'a', 'q')]
    """
    n = convention.n
    symbols = list(levels)
    sides: tuple[Side, ...] = ("upper", "lower") if convention.free else ("inner",)
    found: list[tuple[tuple[str, ...], str]]
    if n == 1:
        found = [((query,), query)]
    elif convention.positions:
        if len(symbols) ** (n - 1) > MAX_ROWS:
            return None
        found = [((*c, query), min(c, key=levels.__getitem__)) for c in product(symbols, repeat=n - 1)]
    else:
        pairs = [(b, a) for a in symbols for b in (symbols if n > 2 else [a]) if levels[b] >= levels[a]]
        found = [(((b,) * (n - 2)) + (a, query), a) for b, a in pairs]
    return [Row(sequence, least, side) for sequence, least in found for side in sides]


def unknowns(levels: Mapping[str, int], query: str, convention: Convention) -> list[Entry]:
    """Every entry of the row that some sequence over the symbols reads."""
    kinds = ("K", "N") if convention.free else ("K",)
    if not convention.positions:
        return [Entry(kind, None, x) for kind in kinds for x in levels]
    last = [Entry("K", convention.n, query)] if convention.self_included else []
    return [Entry("K", j, x) for j in range(1, convention.n) for x in levels] + last


def dot(row: Mapping[Entry, Fraction], values: Mapping[Entry, Fraction]) -> Fraction:
    """sum row[e] * values[e]; an absent value is 0."""
    return sum((c * values.get(e, Fraction(0)) for e, c in row.items()), Fraction(0))


def holds(found: Sequence[Mapping[Entry, Fraction]], values: Mapping[Entry, Fraction]) -> bool:
    """Whether every row is strictly negative at these values."""
    return all(dot(row, values) < 0 for row in found)
