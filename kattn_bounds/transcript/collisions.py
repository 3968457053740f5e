"""Collisions: two prefixes that a sketch confuses although a query tells them apart (P6), or a proof that there are none.

Prefixes of exactly n tokens are listed in a fixed order: fewest distinct tokens first, then fewest ones among the distinct
tokens, then smallest tokens, then arrangement. The collision found is the first in this order: no prefix before its second one
collides with an earlier one. Answers are compared through the antichains, and the pair is confirmed by the reference
evaluator. When the list is exhausted without a collision, the sketch determines every answer: proved for this m and n.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb

from kattn_bounds.attention import attend
from kattn_bounds.cube import format_token, inner
from kattn_bounds.errors import InputError, shorten
from kattn_bounds.transcript.sketches import Sketch, minimal_tokens
from kattn_bounds.verdict import Verdict

DEFAULT_LIMIT = 3_000_000


@dataclass(frozen=True, slots=True)
class Collision:
    """Two prefixes with one transcript, and the smallest query whose answers differ."""

    m: int
    first: tuple[int, ...]
    second: tuple[int, ...]
    query: int
    answers: tuple[int, int]
    transcript: str

    def sequences(self) -> tuple[str, str]:
        """Both sequences (prefix, then query) as `kattn-bounds replay` reads them."""
        first, second = (
            ",".join(format_token(x, self.m) for x in (*prefix, self.query))
            for prefix in (self.first, self.second)
        )
        return first, second

    def faults(self, sketch: Sketch) -> list[str]:
        """Replay: one transcript, two answers by the reference evaluator, as stated. Empty when all is so."""
        faults = []
        if sketch.transcript(self.first) != sketch.transcript(self.second):
            faults.append("the transcripts differ")
        replayed = tuple(
            attend([*prefix, self.query], lambda q, a: Fraction(1)).target
            for prefix in (self.first, self.second)
        )
        if replayed != self.answers or replayed[0] == replayed[1]:
            faults.append(f"the answers are {replayed}, not {self.answers}")
        return faults


@dataclass(frozen=True, slots=True)
class CollisionSearch:
    """REFUTED with a collision; PROVED when all `total` prefixes were listed; UNDECIDED when `limit` stopped the list.

    The claim judged is: "the sketch determines the answer of every query on every prefix of n tokens".
    """

    sketch: Sketch
    verdict: Verdict
    collision: Collision | None
    listed: int
    total: int
    functions: int
    transcripts: int


def find_collision(
    sketch: Sketch, limit: int = DEFAULT_LIMIT, progress: Callable[[int], None] | None = None
) -> CollisionSearch:
    """The first collision of a sketch, or the proof by exhaustion that it has none (P6).

    `limit` bounds the number of prefixes listed; `progress` is called now and then with their number. Raises InputError when
    the sketch fails on a prefix or returns something that is not hashable.

    >>> from kattn_bounds.transcript.sketches import antichain, top_k_cache
    >>> find_collision(antichain(3, 3)).verdict.value
    'PROVED'
    >>> found = find_collision(top_k_cache(3, 2, keep=1)).collision
    >>> found.sequences(), found.answers
    (('001,001,001', '001,010,001'), (1, 0))
    """
    m, n = sketch.m, sketch.n
    total = number_of_prefixes(m, n, sketch.order_free)
    seen: dict[Hashable, dict[tuple[int, ...], tuple[int, ...]]] = {}
    functions: set[tuple[int, ...]] = set()
    listed = 0
    for distinct in range(1, min(n, 1 << m) + 1):
        for support in subsets_by_ones(m, distinct):
            answer = minimal_tokens(support)
            functions.add(answer)
            for prefix in _arrangements(support, n, sketch.order_free):
                if listed >= limit:
                    return CollisionSearch(
                        sketch, Verdict.UNDECIDED, None, listed, total, len(functions), len(seen)
                    )
                listed += 1
                if progress is not None and listed % 20_000 == 0:
                    progress(listed)
                bucket = seen.setdefault(_transcript(sketch, prefix), {})
                if answer in bucket:
                    continue
                if bucket:
                    earlier = next(iter(bucket.values()))
                    collision = _collision(sketch, earlier, prefix)
                    return CollisionSearch(
                        sketch, Verdict.REFUTED, collision, listed, total, len(functions), len(seen)
                    )
                bucket[answer] = prefix
    if listed != total:
        raise ArithmeticError(f"{listed} prefixes were listed, not the {total} that there are")
    return CollisionSearch(sketch, Verdict.PROVED, None, listed, total, len(functions), len(seen))


def distinguishing_query(
    first: tuple[int, ...], second: tuple[int, ...], m: int
) -> tuple[int, tuple[int, int]]:
    """A query with the fewest ones (then smallest) whose answers on two prefixes differ, and both answers.

    Fewer ones than the complement of a minimal token suffice where answers above 0 differ. Raises InputError when the
    prefixes have the same answers everywhere.

    >>> distinguishing_query((0b01,), (0b11,), 2)
    (2, (0, 1))
    """
    for ones in range(m + 1):
        for places in combinations(range(m), ones):
            query = sum(1 << i for i in places)
            answers = min(inner(query, x) for x in first), min(inner(query, x) for x in second)
            if answers[0] != answers[1]:
                return query, answers
    raise InputError("no query tells these prefixes apart: their minimal tokens agree")


def subsets_by_ones(m: int, size: int) -> Iterator[tuple[int, ...]]:
    """Sets of `size` tokens, lazily: fewest ones in all first, then by how many tokens each weight has, then smallest.

    >>> list(subsets_by_ones(2, 2))
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    """
    levels: list[list[int]] = [[] for _ in range(m + 1)]
    for token in range(1 << m):
        levels[token.bit_count()].append(token)

    def profiles(weight: int, left: int, ones: int) -> Iterator[tuple[int, ...]]:
        if weight > m:
            if left == 0 and ones == 0:
                yield ()
            return
        most = min(left, len(levels[weight]))
        if weight:
            most = min(most, ones // weight)
        for count in range(most, -1, -1):
            if (left - count) * (weight + 1) > ones - count * weight and left > count:
                break
            for rest in profiles(weight + 1, left - count, ones - count * weight):
                yield (count, *rest)

    for ones in range(m * size + 1):
        for profile in profiles(0, size, ones):
            parts = [combinations(level, count) for level, count in zip(levels, profile, strict=True)]
            for chosen in product(*parts):
                yield tuple(token for part in chosen for token in part)


def number_of_prefixes(m: int, n: int, order_free: bool) -> int:
    """How many prefixes the search lists: multisets of n tokens, or sequences.

    >>> number_of_prefixes(6, 4, True), number_of_prefixes(6, 4, False)
    (766480, 16777216)
    """
    return comb((1 << m) + n - 1, n) if order_free else 1 << (m * n)


def _arrangements(support: tuple[int, ...], n: int, order_free: bool) -> Iterator[tuple[int, ...]]:
    """Prefixes of n tokens whose set of tokens is the support: sorted ones, or in every order."""
    size = len(support)
    for cuts in combinations(range(1, n), size - 1):
        bounds = (0, *cuts, n)
        prefix = tuple(x for i, x in enumerate(support) for _ in range(bounds[i + 1] - bounds[i]))
        if order_free:
            yield prefix
        elif size == n:
            yield from permutations(prefix)
        else:
            yield from _multiset_permutations(prefix)


def _multiset_permutations(prefix: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    counts = Counter(prefix)

    def extend(start: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(start) == len(prefix):
            yield start
            return
        for token in counts:
            if counts[token]:
                counts[token] -= 1
                yield from extend((*start, token))
                counts[token] += 1

    yield from extend(())


def _transcript(sketch: Sketch, prefix: tuple[int, ...]) -> Hashable:
    try:
        transcript = sketch.transcript(prefix)
        hash(transcript)
    except InputError:
        raise
    except Exception as error:
        shown = ",".join(format_token(x, sketch.m) for x in prefix)
        raise InputError(
            f"sketch '{shorten(sketch.name)}' fails on the prefix {shorten(shown)} ({type(error).__name__}: "
            f"{shorten(error)}): return something hashable for every prefix"
        ) from None
    return transcript


def _collision(sketch: Sketch, first: tuple[int, ...], second: tuple[int, ...]) -> Collision:
    query, answers = distinguishing_query(first, second, sketch.m)
    collision = Collision(sketch.m, first, second, query, answers, shorten(sketch.transcript(first), 200))
    faults = collision.faults(sketch)
    if faults:
        raise InputError(
            f"sketch '{shorten(sketch.name)}' gives two transcripts for one prefix ({faults[0]}): make it deterministic"
        )
    return collision
