"""Integers, tokens and lists as Rocq terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm


def integers(row: Iterable[Fraction]) -> list[int]:
    """The row times the least positive integer that makes it integral."""
    values = list(row)
    scale = lcm(*(x.denominator for x in values)) if values else 1
    return [int(x * scale) for x in values]


def z(value: int) -> str:
    return f"({value})" if value < 0 else str(value)


def seq(items: Iterable[str]) -> str:
    return "[:: " + "; ".join(items) + "]"


def table(rows: Iterable[Iterable[int]]) -> str:
    return seq(seq(z(x) for x in row) for row in rows)


def bits(token: str) -> str:
    return seq("true" if bit == "1" else "false" for bit in token)


def boolean(value: bool) -> str:
    return "true" if value else "false"


def pair(first: str, second: str) -> str:
    return f"({first}, {second})"


def common(rows: Sequence[Sequence[Fraction]]) -> list[list[int]]:
    """All rows times one positive integer."""
    scale = lcm(*(x.denominator for row in rows for x in row))
    return [[int(x * scale) for x in row] for row in rows]


def all_tokens(m: int) -> list[str]:
    return [format(code, f"0{m}b") for code in range(2**m)]


def subset(a: str, b: str) -> bool:
    return all(x <= y for x, y in zip(a, b, strict=True))


def disjoint(a: str, b: str) -> bool:
    return all(x == "0" or y == "0" for x, y in zip(a, b, strict=True))


def masks(m: int, size: int) -> list[str]:
    return ["".join("1" if i in chosen else "0" for i in range(m)) for chosen in combinations(range(m), size)]
