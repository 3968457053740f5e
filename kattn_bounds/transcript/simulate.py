"""The sketch model run as code (P6), to set behaviour beside the bound.

L layers, H heads. In each layer every head broadcasts one symbol of Sigma, computed from the states of all data tokens; every
token's state then grows by the H symbols it received. The query answers from its own state: its token and the transcript.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from kattn_bounds.cube import inner
from kattn_bounds.errors import InputError
from kattn_bounds.transcript.collisions import subsets_by_ones
from kattn_bounds.transcript.counting import answer_functions
from kattn_bounds.transcript.sketches import minimal_tokens

MAX_FUNCTIONS = 200_000


@dataclass(frozen=True, slots=True)
class State:
    """The state of one token: what it is, and the symbols it has received, layer by layer."""

    token: int
    received: tuple[int, ...] = ()


Head = Callable[[int, int, Sequence[State]], int]
"""(layer, head, states of the data tokens) -> symbol in 0..alphabet-1; layers and heads count from 0."""

Decoder = Callable[[State], int]
"""The query's answer from its own final state."""


@dataclass(frozen=True, slots=True)
class BroadcastModel:
    """L layers of H heads that broadcast symbols of an alphabet; the decoder reads the query's state.

    >>> model = index_model(m=3, n=2, layers=1, heads=5, alphabet=2)
    >>> model.answer((0b110, 0b011), 0b101)
    1
    """

    layers: int
    heads: int
    alphabet: int
    head: Head
    decoder: Decoder

    def run(self, prefix: Sequence[int], query: int) -> State:
        """The query's state after all layers. Raises InputError when a head leaves its alphabet."""
        data = [State(x) for x in prefix]
        asking = State(query)
        for layer in range(self.layers):
            symbols = tuple(self.head(layer, h, data) for h in range(self.heads))
            for symbol in symbols:
                if not 0 <= symbol < self.alphabet:
                    raise InputError(f"symbol {symbol} is outside the alphabet: give 0..{self.alphabet - 1}")
            data = [State(state.token, state.received + symbols) for state in data]
            asking = State(query, asking.received + symbols)
        return asking

    def answer(self, prefix: Sequence[int], query: int) -> int:
        """The model's answer of one query after a prefix."""
        return self.decoder(self.run(prefix, query))


@lru_cache
def all_antichains(m: int, n: int) -> tuple[tuple[int, ...], ...]:
    """Every answer function of prefixes of n tokens, as its antichain, in the order of `subsets_by_ones`.

    >>> len(all_antichains(3, 2)), all_antichains(3, 2)[:3]
    (17, ((0,), (1,), (2,)))
    """
    expected = answer_functions(m, n)
    if not expected.exact or expected.lower > MAX_FUNCTIONS:
        raise InputError(
            f"m = {m}, n = {n} has too many answer functions to list: give at most {MAX_FUNCTIONS}"
        )
    listed = tuple(
        tuple(sorted(support))
        for size in range(1, min(n, 1 << m) + 1)
        for support in subsets_by_ones(m, size)
        if len(minimal_tokens(support)) == size
    )
    assert len(listed) == expected.lower
    return listed


def coded_model(
    m: int, n: int, layers: int, heads: int, alphabet: int, codes: Sequence[int]
) -> BroadcastModel:
    """Head h of layer l broadcasts digit l * heads + h of codes[i], where i is the number of the prefix's answer function.

    The decoder is the best one: it says the commonest answer, over the functions that share the code, to its query. Raises
    InputError when a code does not fit into the transcript.
    """
    functions = all_antichains(m, n)
    capacity: int = alphabet ** (layers * heads)
    if len(codes) != len(functions) or not all(0 <= code < capacity for code in codes):
        raise InputError(
            f"codes: give {len(functions)} numbers from 0 to {capacity - 1}, one for each answer function"
        )
    number = {antichain: i for i, antichain in enumerate(functions)}
    sharing: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for antichain, code in zip(functions, codes, strict=True):
        sharing[code].append(antichain)

    def head(layer: int, h: int, states: Sequence[State]) -> int:
        code = codes[number[minimal_tokens(state.token for state in states)]]
        place: int = alphabet ** (layer * heads + h)
        return code // place % alphabet

    def decoder(state: State) -> int:
        code = sum(symbol * alphabet**place for place, symbol in enumerate(state.received))
        return _commonest([min(inner(state.token, x) for x in antichain) for antichain in sharing[code]])

    return BroadcastModel(layers, heads, alphabet, head, decoder)


def index_model(m: int, n: int, layers: int, heads: int, alphabet: int) -> BroadcastModel:
    """The sketch that meets the bound: the code is the number of the answer function, in equal blocks when they do not fit.

    With alphabet^(layers heads) >= M every answer is exact; below, it tells as many functions apart as there are transcripts.
    """
    functions = len(all_antichains(m, n))
    capacity: int = alphabet ** (layers * heads)
    codes = [i if capacity >= functions else i * capacity // functions for i in range(functions)]
    return coded_model(m, n, layers, heads, alphabet, codes)


def hash_model(m: int, n: int, layers: int, heads: int, alphabet: int, seed: int) -> BroadcastModel:
    """A sketch without structure: the code of each answer function is drawn at random, seeded."""
    functions = len(all_antichains(m, n))
    draws = np.random.default_rng(seed).integers(0, alphabet, (functions, layers * heads))
    codes = [sum(int(symbol) * alphabet**place for place, symbol in enumerate(row)) for row in draws]
    return coded_model(m, n, layers, heads, alphabet, codes)


def transcripts(model: BroadcastModel, m: int, n: int) -> list[tuple[int, ...]]:
    """Run the model on one prefix of each answer function: the symbols that the query receives.

    >>> transcripts(index_model(2, 1, layers=2, heads=1, alphabet=2), 2, 1)
    [(0, 0), (1, 0), (0, 1), (1, 1)]
    """
    return [model.run(antichain, 0).received for antichain in all_antichains(m, n)]


def _commonest(answers: list[int]) -> int:
    return max(sorted(set(answers)), key=answers.count)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How well the best decoder of an encoder does, over all M answer functions and all 2^m queries alike.

    answers     fraction of (function, query) pairs answered right, exact count over `pairs`
    functions   fraction of answer functions on which *every* query is answered right
    """

    right_answers: int
    pairs: int
    right_functions: int
    functions: int

    @property
    def per_answer(self) -> float:
        return self.right_answers / self.pairs

    @property
    def per_function(self) -> float:
        return self.right_functions / self.functions


@lru_cache
def answer_table(m: int, n: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """Answers [function, query], shape (M, 2^m), exact, in the order of `all_antichains`.

    >>> answer_table(2, 1).tolist()
    [[0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [0, 1, 1, 2]]
    """
    queries = np.arange(1 << m, dtype=np.uint32)
    return np.array(
        [
            np.bitwise_count(np.array(antichain, dtype=np.uint32)[:, None] & queries).min(axis=0)
            for antichain in all_antichains(m, n)
        ],
        dtype=np.uint8,
    )


def best_decoder(m: int, n: int, received: Sequence[Hashable]) -> Accuracy:
    """The best decoder when answer function i leaves transcript received[i]; exact counts.

    For each transcript and query it says the commonest answer among the functions that share the transcript; for the score by
    functions it bets on one of them.

    >>> best_decoder(2, 1, [0, 1, 2, 3]).per_answer, best_decoder(2, 1, [0, 0, 0, 0]).right_functions
    (1.0, 1)
    """
    table = answer_table(m, n)
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for i, transcript in enumerate(received):
        groups[transcript].append(i)
    right = 0
    for members in groups.values():
        rows = table[members]
        counts = np.stack([(rows == value).sum(axis=0) for value in range(m + 1)])
        right += int(counts.max(axis=0).sum())
    return Accuracy(right, table.size, len(groups), len(table))
