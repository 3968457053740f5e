"""Independent answers (P6): prefixes whose free bits a query reads off one by one.

Token j of a prefix is an address c_j from an antichain followed by a free payload p_j. The query of the pair (j, b) is the
complement of c_j followed by the unit payload e_b. It meets its own token j in p_j(b) coordinates and every other token in
at least |c_i - c_j| >= 1, so its answer is the payload bit p_j(b), whatever all other payload bits are.

Mode "one": one query at a time, after the data (causal, final query); k = n (m - r) with r = address_bits(n).
Mode "all": all queries are attended tokens at once. One more coordinate, 0 in every data token and 1 in every query, keeps
two queries at inner product at least 1, so they do not disturb one another; k = n (m - r - 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb
from typing import Literal

from kattn_bounds.certificates import writer
from kattn_bounds.cube import format_token, inner
from kattn_bounds.errors import Faults, InputError, shorten
from kattn_bounds.setting import Setting

Mode = Literal["one", "all"]
MAX_QUERIES = 100_000
"""Most independent answers written out; more are only counted."""


def address_bits(n: int) -> int:
    """r: the least number of bits whose middle layer holds n addresses, C(r, r // 2) >= n.

    >>> [address_bits(n) for n in (1, 2, 3, 4, 7, 10, 11)]
    [0, 2, 3, 4, 5, 5, 6]
    """
    r = 0
    while comb(r, r // 2) < n:
        r += 1
    return r


@dataclass(frozen=True, slots=True)
class Construction:
    """How many answers are independent: k = tokens * payload, of tokens <= n data tokens with r address bits.

    payload is 0 (and k = 0) when the addresses leave no room.
    """

    m: int
    n: int
    mode: Mode
    tokens: int
    r: int
    payload: int

    @property
    def k(self) -> int:
        return self.tokens * self.payload


def construction(m: int, n: int, mode: Mode = "one") -> Construction:
    """The best such construction with at most n addressed data tokens (the rest repeat one), most tokens among equals; P6.

    Using all n is not always best: at m = 4, n = 4 the four addresses would take all 4 bits.

    >>> c = construction(8, 10); c.r, c.k
    (5, 30)
    >>> construction(8, 10, "all").k, construction(6, 3).k, construction(4, 4).tokens
    (20, 9, 2)
    """
    _check(m, n, mode)
    room = m if mode == "one" else m - 1
    best = Construction(m, n, mode, 1, 0, max(0, room))
    for r in range(2, min(room, address_bits(n) + 1)):
        tokens = min(n, comb(r, r // 2))
        if tokens * (room - r) >= best.k:
            best = Construction(m, n, mode, tokens, r, room - r)
    return best


@dataclass(frozen=True, slots=True)
class Query:
    """The query that reads payload bit `bit` of token `token` (both count from 1); `mask` is the query token."""

    token: int
    bit: int
    mask: int


@dataclass(frozen=True, slots=True)
class IndependentAnswers:
    """A family of prefixes with k free bits and the k queries that read them.

    addresses are bit masks of `address_length` bits, the leading coordinates of token j; the payload follows.
    """

    m: int
    mode: Mode
    address_length: int
    addresses: tuple[int, ...]
    queries: tuple[Query, ...]

    @property
    def k(self) -> int:
        return len(self.queries)

    @property
    def payload_length(self) -> int:
        return self.m - self.address_length

    def prefix(self, payloads: Sequence[int]) -> tuple[int, ...]:
        """The data tokens with the given payloads, each a mask of m - address_length bits, leftmost bit 1."""
        return tuple(c << self.payload_length | p for c, p in zip(self.addresses, payloads, strict=True))

    def prefix_of(self, answers: Sequence[int]) -> tuple[int, ...]:
        """The prefix on which query i answers answers[i], for i = 0..k-1."""
        payloads = [0] * len(self.addresses)
        for query, answer in zip(self.queries, answers, strict=True):
            payloads[query.token - 1] |= answer << (self.payload_length - query.bit)
        return self.prefix(payloads)

    def answers(self, prefix: Sequence[int]) -> tuple[int, ...]:
        """The k answers on a prefix: every query's target min <q, x>, the queries attended too in mode "all"."""
        present = [query.mask for query in self.queries] if self.mode == "all" else []
        return tuple(
            min(inner(query.mask, x) for x in (*prefix, *present, query.mask)) for query in self.queries
        )


def independent_answers(m: int, n: int, mode: Mode = "one") -> IndependentAnswers:
    """The construction written out, with explicit addresses and queries. Raises InputError when no bit is free.

    >>> family = independent_answers(4, 2)
    >>> [format_token(c, 2) for c in family.addresses]
    ['10', '01']
    >>> [(q.token, q.bit, format_token(q.mask, 4)) for q in family.queries]
    [(1, 1, '0110'), (1, 2, '0101'), (2, 1, '1010'), (2, 2, '1001')]
    >>> family.answers(family.prefix_of((1, 0, 0, 1)))
    (1, 0, 0, 1)
    """
    plan = construction(m, n, mode)
    if plan.k == 0:
        raise InputError(
            f"m = {m} leaves no payload bit in mode {mode}: give m >= {1 if mode == 'one' else 2}"
        )
    if plan.k > MAX_QUERIES:
        raise InputError(
            f"k = {plan.k} independent answers are too many to write out: give m, n with k <= {MAX_QUERIES}"
        )
    layer = islice(combinations(range(plan.r), plan.r // 2), plan.tokens)
    bare = [sum(1 << (plan.r - 1 - i) for i in members) for members in layer]
    extra = 0 if mode == "one" else 1
    everything = (1 << plan.r) - 1
    queries = tuple(
        Query(j, b, ((everything ^ c) << extra | extra) << plan.payload | 1 << (plan.payload - b))
        for j, c in enumerate(bare, start=1)
        for b in range(1, plan.payload + 1)
    )
    return IndependentAnswers(m, mode, plan.r + extra, tuple(c << extra for c in bare), queries)


def faults_of(family: IndependentAnswers) -> list[str]:
    """Why the k answers are not independent; empty when they are. Exact, O(k (n + k) m) bit operations at most.

    For each query (j, b) and each value v of its bit, the answer is bounded over *all* other payload bits at once, since
    an inner product is monotone in them: with v = 0 it is at most <q, x_j> with the rest of payload j all ones, and it
    is at least 0; with v = 1 it is at least the smallest of <q, x_i> with every other bit 0 (and of the inner products
    with the queries present), and at most <q, x_j> with the rest of payload j all ones. If these bounds pin the answer
    to 0 and to 1, the answer is the bit, for all 2^(k-1) settings of the others. Two payload assignments that differ
    in a bit then differ in that bit's answer: 2^k distinct answer vectors from k checks.

    >>> faults_of(independent_answers(8, 10))
    []
    """
    faults: list[str] = []
    width = family.payload_length
    ones = (1 << width) - 1
    if len({(query.token, query.bit) for query in family.queries}) < family.k:
        faults.append("a payload bit is read by two queries")
    present = [query.mask for query in family.queries] if family.mode == "all" else []
    for query in family.queries:
        if not (1 <= query.token <= len(family.addresses) and 1 <= query.bit <= width):
            faults.append(f"payload bit ({query.token}, {query.bit}) does not exist")
            continue
        if not 0 <= query.mask < 1 << family.m:
            faults.append(f"the query of ({query.token}, {query.bit}) is not a token of {family.m} bits")
            continue
        bit = 1 << (width - query.bit)
        address = family.addresses[query.token - 1] << width
        off_at_most = inner(query.mask, address | (ones & ~bit))
        on_at_most = inner(query.mask, address | ones)
        others = [c << width for i, c in enumerate(family.addresses, 1) if i != query.token]
        on_at_least = min(inner(query.mask, x) for x in (address | bit, query.mask, *others, *present))
        if (off_at_most, on_at_least, on_at_most) != (0, 1, 1):
            token = format_token(query.mask, family.m)
            faults.append(
                f"query {token} of payload bit ({query.token}, {query.bit}): the answer is within 0..{off_at_most} when "
                f"the bit is 0 and within {on_at_least}..{on_at_most} when it is 1, not the bit itself"
            )
    return faults


def all_answer_vectors(family: IndependentAnswers) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every one of the 2^k answer vectors with the answers replayed on its prefix: (wanted, replayed). k <= 20.

    >>> pairs = list(all_answer_vectors(independent_answers(6, 3)))
    >>> len(pairs), all(wanted == got for wanted, got in pairs), len({got for _, got in pairs})
    (512, True, 512)
    """
    if family.k > 20:
        raise InputError(f"2^{family.k} answer vectors are too many to list: give k <= 20")
    for code in range(1 << family.k):
        wanted = tuple(code >> i & 1 for i in range(family.k))
        yield wanted, family.answers(family.prefix_of(wanted))


def certificate(family: IndependentAnswers) -> writer.Certificate:
    """The certificate of kind `transcript` (certificates/SPEC.md): k answers of len(addresses) data tokens.

    Tokens and payload bits count from 1; payload bit 1 is the first coordinate after the address.

    >>> certificate(independent_answers(2, 1))["data"]
    {'addresses': [''], 'queries': [[1, 1, '10'], [1, 2, '01']]}
    """
    length = family.address_length
    return writer.transcript(
        Setting(family.m, len(family.addresses)),
        family.k,
        family.mode,
        [format_token(c, length) if length else "" for c in family.addresses],
        [(query.token, query.bit, query.mask) for query in family.queries],
    )


def _check(m: int, n: int, mode: str) -> None:
    faults = Faults()
    for name, value in (("m", m), ("n", n)):
        faults.require(
            isinstance(value, int) and value >= 1,
            f"{name} = {shorten(value)} is out of range: give an integer {name} >= 1",
        )
    faults.require(mode in ("one", "all"), f"mode = {shorten(mode)} is unknown: give one or all")
    faults.check()
