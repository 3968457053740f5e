"""The Boolean cube: tokens as bit masks, inner products by popcount, instances up to coordinate permutations.

A token of m bits is an integer in [0, 2^m); as text it is a string of m characters whose leftmost is coordinate 1,
so the integer is the string read in base 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, groupby
from math import factorial

import numpy as np
import numpy.typing as npt

from kattn_bounds.errors import InputError, shorten

MAX_SEQUENCE = 1_000_000


def parse_token(text: str, m: int | None = None) -> int:
    """The token written as a bit string; with m given, it must have m bits.

    >>> parse_token("110"), parse_token("001", m=3)
    (6, 1)
    >>> parse_token("012")
    Traceback (most recent call last):
        ...
    kattn_bounds.errors.InputError: token '012' is not a bit string: write it with 0 and 1 only, for instance 110
    """
    if not text or text.strip("01"):
        raise InputError(
            f"token '{shorten(text)}' is not a bit string: write it with 0 and 1 only, for instance 110"
        )
    if m is not None and len(text) != m:
        raise InputError(f"token '{shorten(text)}' has {len(text)} bits: give {m} bits (m = {m})")
    return int(text, 2)


def format_token(token: int, m: int) -> str:
    """The bit string of a token, coordinate 1 leftmost.

    >>> format_token(6, 4)
    '0110'
    """
    return format(token, f"0{m}b")


def parse_sequence(text: str) -> tuple[list[int], int]:
    """Comma-separated tokens of one length, the query last; `00*5` stands for five copies. Returns tokens and m.

    >>> parse_sequence("110,001,111")
    ([6, 1, 7], 3)
    >>> parse_sequence("00*3,11")
    ([0, 0, 0, 3], 2)
    """
    tokens: list[int] = []
    lengths: set[int] = set()
    for part in text.split(","):
        bits, star, count = part.strip().partition("*")
        if star and not (
            count.strip().isascii() and count.strip().isdigit() and 1 <= len(count.strip()) <= 7
        ):
            raise InputError(f"'{shorten(part.strip())}' is not token*count: write for instance 00*5")
        tokens += [parse_token(bits.strip())] * (int(count) if star else 1)
        lengths.add(len(bits.strip()))
        if len(tokens) > MAX_SEQUENCE:
            raise InputError(f"the sequence has over {MAX_SEQUENCE} tokens: give at most that many")
    if not tokens:
        raise InputError("the sequence has no token: give at least one, the query")
    if len(lengths) > 1:
        raise InputError(
            f"sequence '{shorten(text)}' mixes tokens of {sorted(lengths)} bits: give one length"
        )
    return tokens, lengths.pop()


def format_sequence(tokens: Sequence[int], m: int) -> str:
    """The text that `parse_sequence` reads; runs of four or more equal tokens are written token*count.

    >>> format_sequence([0, 0, 0, 0, 3], 2)
    '00*4,11'
    """
    parts: list[str] = []
    for token, run in groupby(tokens):
        count = sum(1 for _ in run)
        bits = format_token(token, m)
        parts += [f"{bits}*{count}"] if count >= 4 else [bits] * count
    return ",".join(parts)


def inner(q: int, a: int) -> int:
    """t(q, a) = <q, a> = |q n a|.

    >>> inner(0b110, 0b011)
    1
    """
    return (q & a).bit_count()


def popcounts(m: int) -> npt.NDArray[np.uint8]:
    """|a| for every token a, shape (2^m,).

    >>> popcounts(2).tolist()
    [0, 1, 1, 2]
    """
    return np.bitwise_count(np.arange(1 << m, dtype=np.uint32)).astype(np.uint8)


def inner_products(q: int, m: int) -> npt.NDArray[np.uint8]:
    """t(q, a) for every token a, shape (2^m,).

    >>> inner_products(0b10, 2).tolist()
    [0, 0, 1, 1]
    """
    levels: npt.NDArray[np.uint8] = np.bitwise_count(np.arange(1 << m, dtype=np.uint32) & np.uint32(q))
    return levels


@dataclass(frozen=True, slots=True)
class Instance:
    """A sequence of n tokens, query last, that stands for its orbit under the m! coordinate permutations."""

    tokens: tuple[int, ...]
    m: int
    orbit_size: int

    @property
    def query(self) -> int:
        return self.tokens[-1]

    @property
    def competitors(self) -> tuple[int, ...]:
        return self.tokens[:-1]


def instances(m: int, n: int) -> Iterator[Instance]:
    """Every sequence of n tokens once up to coordinate permutations, lazily, with its orbit size.

    A sequence is an n x m bit matrix and a permutation permutes its columns, so an orbit is a multiset of m columns
    of n bits: C(2^n + m - 1, m) of them, and the sizes add up to 2^(mn).

    >>> [(i.tokens, i.orbit_size) for i in instances(1, 2)]
    [((1, 1), 1), ((1, 0), 1), ((0, 1), 1), ((0, 0), 1)]
    >>> sum(i.orbit_size for i in instances(3, 3)) == 2**9
    True
    """
    for columns in combinations_with_replacement(range((1 << n) - 1, -1, -1), m):
        size = factorial(m)
        for count in Counter(columns).values():
            size //= factorial(count)
        yield Instance(_rows(columns, n), m, size)


def canonical(tokens: Sequence[int], m: int) -> tuple[int, ...]:
    """The representative that `instances` gives of a sequence's orbit: columns sorted, largest first.

    >>> canonical((0b01, 0b11), 2) == canonical((0b10, 0b11), 2)
    True
    """
    n = len(tokens)
    columns = [
        sum(((token >> (m - 1 - i)) & 1) << (n - 1 - row) for row, token in enumerate(tokens))
        for i in range(m)
    ]
    return _rows(sorted(columns, reverse=True), n)


def _rows(columns: Sequence[int], n: int) -> tuple[int, ...]:
    """Tokens (rows) of the bit matrix with the given columns, each column's top bit in the first row."""
    tokens = [0] * n
    for column in columns:
        for row in range(n):
            tokens[row] = tokens[row] << 1 | (column >> (n - 1 - row)) & 1
    return tuple(tokens)
