"""The classes of a statement: which levels, sizes and coincidences its tokens can have, and tokens that realise them.

A row's conditions are the same for all tokens on a level, so a statement about all queries and tokens at one m is a finite
list of classes: |q|, the levels t(q,a), the sizes |a| where a condition mentions them, the parameters, and which named tokens
are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb

from kattn_bounds.prove.language import Affine, Statement, level_name, size_name

Point = dict[str, int]


def sized_tokens(statement: Statement) -> tuple[str, ...]:
    """Named tokens whose size |a| is mentioned."""
    names = {name for form in (*statement.conditions, *statement.left.values()) for name in form.terms}
    return tuple(x for x in statement.tokens if size_name(x) in names)


def region(statement: Statement, m: int | None) -> list[Affine]:
    """Forms that are >= 0 on every class: what tokens of {0,1}^m satisfy, and the statement's conditions.

    With m = None, m is a variable, so that the region holds the classes of every m.
    """
    q = Affine.variable(size_name(statement.query))
    size = Affine.variable("m") if m is None else Affine.number(m)
    forms = [size - 1, q, size - q]
    sized = sized_tokens(statement)
    for x in statement.tokens:
        t = Affine.variable(level_name(statement.query, x))
        forms += [t, q - t]
        if x in sized:
            w = Affine.variable(size_name(x))
            forms += [w - t, size - q - w + t]
    return [f.integral() for f in (*forms, *statement.conditions)]


def points(statement: Statement, m: int) -> Iterator[Point]:
    """Every integer point of the region at one m, small |q| and small levels first."""
    forms = [f.substitute({"m": m}) for f in region(statement, None)]
    order = [size_name(statement.query)]
    order += [level_name(statement.query, x) for x in statement.tokens]
    order += [size_name(x) for x in sized_tokens(statement)]
    order += statement.parameters
    span = {name: range(m + 1) for name in order}
    reach = 2 * m + 2 + max((abs(int(f.constant)) for f in statement.conditions), default=0)
    for name in statement.parameters:
        span[name] = range(-reach, reach + 1)
    ready = [
        [f for f in forms if f.terms and max(order.index(v) for v in f.terms) == i] for i in range(len(order))
    ]
    if any(f.is_number and f.constant < 0 for f in forms):
        return

    def extend(i: int, point: Point) -> Iterator[Point]:
        if i == len(order):
            yield {**point, "m": m}
            return
        for value in span[order[i]]:
            point[order[i]] = value
            if all(f.value(point) >= 0 for f in ready[i]):
                yield from extend(i + 1, point)
        del point[order[i]]

    yield from extend(0, {})


@dataclass(frozen=True, slots=True)
class Pattern:
    """Which names stand for one token: `merge` sends every named token to the first name of its block.

    levels   of the query and of every block
    extras   levels on which a further token exists
    tokens   a realisation: the bit mask of every block, the query's included
    """

    m: int
    merge: Mapping[str, str]
    levels: Mapping[str, int]
    extras: tuple[int, ...]
    tokens: Mapping[str, int]

    @property
    def key(self) -> tuple[object, ...]:
        return (tuple(self.merge.items()), tuple(self.levels.items()), self.extras)


def patterns(statement: Statement, point: Mapping[str, int]) -> Iterator[Pattern]:
    """The realisable coincidence patterns at a point, all tokens distinct first."""
    query, m = statement.query, point["m"]
    k = point[size_name(query)]
    level = {x: point[level_name(query, x)] for x in statement.tokens}
    sized = sized_tokens(statement)
    size = {x: point[size_name(x)] for x in sized}

    def partitions(rest: Sequence[str], blocks: list[list[str]]) -> Iterator[list[list[str]]]:
        if not rest:
            yield [list(b) for b in blocks]
            return
        x = rest[0]
        yield from partitions(rest[1:], [*blocks, [x]])
        for i, block in enumerate(blocks):
            at_query = block[0] == query
            block_level = k if at_query else level[block[0]]
            sizes = {size[y] for y in (*block, x) if y in size} | ({k} if at_query else set())
            if block_level == level[x] and len(sizes) <= 1:
                grown = [[*b, x] if i == j else b for j, b in enumerate(blocks)]
                yield from partitions(rest[1:], grown)

    if statement.concrete:
        used = [k, *level.values()]
        extras = tuple(t for t in range(k + 1) if comb(k, t) << (m - k) > used.count(t))
        yield Pattern(
            m, {x: x for x in (query, *statement.tokens)}, {query: k, **level}, extras, statement.concrete
        )
        return
    for blocks in partitions(statement.tokens, [[query]]):
        wanted: list[tuple[str, int, int | None]] = []
        for block in blocks[1:]:
            known = {size[y] for y in block if y in size}
            wanted.append((block[0], level[block[0]], known.pop() if known else None))
        tokens = realise(m, k, wanted, query)
        if tokens is None:
            continue
        merge = {x: block[0] for block in blocks for x in block}
        levels = {query: k, **{name: t for name, t, _ in wanted}}
        used = list(levels.values())
        extras = tuple(t for t in range(k + 1) if comb(k, t) << (m - k) > used.count(t))
        yield Pattern(m, merge, levels, extras, tokens)


def realise(
    m: int, k: int, wanted: Sequence[tuple[str, int, int | None]], query: str
) -> dict[str, int] | None:
    """Distinct tokens of {0,1}^m on given levels (and of given sizes) of the query 1..10..0 of size k; None if there are none.

    >>> realise(3, 2, [("a", 0, None), ("b", 1, 2)], "q")
    {'q': 6, 'b': 5, 'a': 0}
    >>> realise(2, 2, [("b", 2, None)], "q") is None
    True
    """
    mask = ((1 << k) - 1) << (m - k)
    found, used = {query: mask}, {mask}
    for name, t, size in sorted(wanted, key=lambda item: item[2] is None):
        token = next((x for x in level_tokens(m, k, t, size) if x not in used), None)
        if token is None:
            return None
        found[name] = token
        used.add(token)
    return found


def token_on_level(query: int, t: int) -> int:
    """The token of the t lowest bits of the query: <query, token> = t.

    >>> bin(token_on_level(0b1011, 2))
    '0b11'
    """
    found = 0
    for _ in range(t):
        rest = query & ~found
        found |= rest & -rest
    return found


def level_tokens(m: int, k: int, t: int, size: int | None = None) -> Iterator[int]:
    """Tokens on level t of the query 1..10..0 of size k, of one size if it is given, small ones first."""
    outside = m - k
    for extra in range(outside + 1) if size is None else [size - t]:
        if not 0 <= extra <= outside:
            continue
        for inner_part in combinations(range(k), t):
            high = sum(1 << (m - 1 - i) for i in inner_part)
            for outer_part in combinations(range(outside), extra):
                yield high | sum(1 << (outside - 1 - i) for i in outer_part)


def claim_values(
    statement: Statement, point: Mapping[str, int], merge: Mapping[str, str]
) -> dict[object, Fraction]:
    """The claim's coefficients at a point, entries of equal tokens added up."""
    total: dict[object, Fraction] = {}
    for entry, form in statement.left.items():
        merged = entry._replace(token=merge.get(entry.token, entry.token))
        total[merged] = total.get(merged, Fraction(0)) + form.value(point)
    return {e: c for e, c in total.items() if c}
