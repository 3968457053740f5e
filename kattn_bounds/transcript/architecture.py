"""Any layered architecture: the cut-set bound (P6).

An architecture has blocks of data tokens in order, a query after them, and layers of channels. It becomes a graph with a
node for the state of every block before and after every layer. A block keeps its own state (no bound on that edge); a
channel with a finite alphabet is a bottleneck edge of capacity log2 |Sigma|. Whatever data tokens vary, their answer functions
must cross every cut between them and the query: for every set of data blocks with n_S tokens,

    maximum flow from these blocks to the query >= log2 M(m, n_S),

the other blocks held at the all-ones token, which never lowers a minimum. Flow and cut are exact (`Bits`) and checked: a
cut below log2 M refutes the architecture; a path without any finite alphabet escapes the bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, Literal

import networkx as nx
import yaml
from networkx.algorithms.flow import edmonds_karp
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.transcript.bits import Bits
from kattn_bounds.transcript.counting import Count, answer_functions, log2_exactly
from kattn_bounds.verdict import Verdict

MAX_BLOCKS = 8
MAX_LAYERS = 200
MAX_CAPACITY = 100_000
"""Most bits of one channel, all copies together; wider ones may as well be unbounded."""

MAX_FILE_BYTES = 1 << 20
_SOURCE, _SINK = "data", "answer"
_OWN, _ANSWER = "own state", "answer"
_FREE = (_OWN, _ANSWER)
"""Labels of edges that are no channel: what a block keeps, and the query's answer."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, strict=True)


class Block(_Model):
    """A run of consecutive data tokens whose states are pooled (pooling only helps the architecture)."""

    name: str = Field(min_length=1, max_length=40)
    tokens: int = Field(ge=1, le=1_000_000)


class Channel(_Model):
    """One head (or `copies` alike) of a layer.

    A symbol is computed from the states of its senders alone, before the query is known. A head whose weights depend on the
    query reads all states it attends to: that is `window` or `dense` without a bound, however few bits its output has.

    broadcast   one symbol computed from the states of the `from` blocks (default: all data), received by `to` (default: query)
    recurrent   a state handed on from block to block and read by the next one, up to the query
    window      every block reads the `reach` blocks before it; without alphabet or bits, all of them (unbounded)
    dense       attention to all blocks before, unbounded
    """

    name: str = Field(min_length=1, max_length=40)
    kind: Literal["broadcast", "recurrent", "window", "dense"]
    alphabet: int | None = Field(default=None, ge=2, lt=1 << 4096)
    bits: int | None = Field(default=None, ge=1, le=100_000)
    copies: int = Field(default=1, ge=1, le=10_000)
    reach: int = Field(default=1, ge=1)
    from_: tuple[str, ...] | None = Field(default=None, alias="from")
    to: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _capacity_given(self) -> Channel:
        given = [self.alphabet is not None, self.bits is not None]
        if all(given):
            raise ValueError("gives both alphabet and bits: give one")
        if self.kind in ("broadcast", "recurrent") and not any(given):
            raise ValueError(f"is {self.kind} without a capacity: give alphabet or bits")
        if self.kind == "dense" and any(given):
            raise ValueError(
                "is dense, which is unbounded: leave out alphabet and bits, or make it broadcast"
            )
        if self.kind != "broadcast" and (self.from_ or self.to):
            raise ValueError("gives from or to, which only a broadcast channel has: leave them out")
        size = self.bits or (self.alphabet or 1).bit_length()
        if size * self.copies > MAX_CAPACITY:
            raise ValueError(
                f"carries {size * self.copies} bits: give at most {MAX_CAPACITY} in all copies together"
            )
        return self

    @property
    def capacity(self) -> Bits | None:
        """What the channel carries in one layer, all copies together; None when unbounded."""
        if self.bits is not None:
            return Bits.of_alphabet(2, self.bits * self.copies)
        return None if self.alphabet is None else Bits.of_alphabet(self.alphabet, self.copies)


class Layer(_Model):
    """The channels of one layer, repeated `repeat` times."""

    channels: tuple[Channel, ...] = Field(min_length=1)
    repeat: int = Field(default=1, ge=1, le=MAX_LAYERS)


class Architecture(_Model):
    """Blocks of data tokens of m bits, a query after them, and layers.

    >>> plain = broadcast_model(m=6, n=4, layers=2, heads=3, alphabet=16)
    >>> str(cut_set(plain).tightest.capacity)
    '24 bits'
    """

    name: str = Field(min_length=1, max_length=80)
    m: int = Field(ge=1, le=100_000)
    data: tuple[Block, ...] = Field(min_length=1, max_length=MAX_BLOCKS)
    query: str = "query"
    layers: tuple[Layer, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names(self) -> Architecture:
        names = [block.name for block in self.data]
        if len({*names, self.query}) < len(names) + 1:
            raise ValueError("uses one block name twice: give every block and the query its own name")
        if self.depth > MAX_LAYERS:
            raise ValueError(f"has {self.depth} layers: give at most {MAX_LAYERS}")
        for layer in self.layers:
            for channel in layer.channels:
                if self.query in (channel.from_ or ()):
                    raise ValueError(
                        f"has a channel '{channel.name}' from the query: its symbols would depend on the query, which the "
                        "bound does not cover; send from data blocks, or make it dense"
                    )
                unknown = {*(channel.from_ or ()), *(channel.to or ())} - {*names, self.query}
                if unknown:
                    raise ValueError(
                        f"has a channel '{channel.name}' with an unknown block '{min(unknown)}': "
                        f"give one of {', '.join([*names, self.query])}"
                    )
        return self

    @property
    def blocks(self) -> list[str]:
        """Block names in order, the query last."""
        return [*(block.name for block in self.data), self.query]

    @property
    def depth(self) -> int:
        return sum(layer.repeat for layer in self.layers)

    def tokens(self, blocks: tuple[str, ...]) -> int:
        """Number of data tokens in the given blocks."""
        return sum(block.tokens for block in self.data if block.name in blocks)


def broadcast_model(m: int, n: int, layers: int, heads: int, alphabet: int) -> Architecture:
    """The plain sketch model of P6 as an architecture: L layers of H heads, one symbol each."""
    head = Channel(name="head", kind="broadcast", alphabet=alphabet, copies=heads)
    return Architecture(
        name="plain broadcast",
        m=m,
        data=(Block(name="data", tokens=n),),
        layers=(Layer(channels=(head,), repeat=layers),),
    )


def load(path: str | Path) -> Architecture:
    """Read an architecture from a YAML file. Raises InputError with one line for every fault."""
    path = Path(path)
    try:
        raw = path.read_bytes()[: MAX_FILE_BYTES + 1]
    except OSError as error:
        raise InputError(f"cannot read '{shorten(path)}' ({error.strerror}): give a YAML file") from None
    if len(raw) > MAX_FILE_BYTES:
        raise InputError(
            f"'{shorten(path)}' is longer than {MAX_FILE_BYTES} bytes: give a description of blocks and layers"
        )
    try:
        content = yaml.safe_load(raw)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        where = getattr(error, "problem_mark", None)
        line = f" (line {where.line + 1})" if where else ""
        raise InputError(
            f"'{shorten(path)}' is not YAML{line}: see experiments/transcripts for examples"
        ) from None
    if not isinstance(content, dict):
        raise InputError(f"'{shorten(path)}' is not a mapping with name, m, data and layers")
    return parse(content, str(path))


def parse(content: Mapping[str, Any], source: str = "architecture") -> Architecture:
    """An architecture from plain data (lists and mappings). Raises InputError with one line for every fault."""
    try:
        return Architecture.model_validate(content, strict=False)
    except ValidationError as error:
        raise InputError(
            f"{shorten(source)}: {'.'.join(str(part) for part in fault['loc']) or 'the architecture'}: "
            f"{shorten(fault['msg'].removeprefix('Value error, '), 160)}"
            for fault in error.errors()
        ) from None


def graph_of(architecture: Architecture) -> nx.DiGraph:
    """The graph of states and channels. Edges carry `capacity` (Bits) where bounded, and `label`, `layer`.

    Node "block@l" is the state of a block after layer l. An edge without capacity is unbounded.
    """
    graph = nx.DiGraph()
    blocks = architecture.blocks
    level = 0

    def unbounded(tail: str, head: str, label: str) -> None:
        graph.add_edge(tail, head, label=label, layer=level)

    def bottleneck(name: str, capacity: Bits | None, label: str) -> tuple[str, str]:
        tail, head = f"{name} >", f"> {name}"
        if capacity is None:
            unbounded(tail, head, label)
        else:
            graph.add_edge(tail, head, label=label, layer=level, capacity=capacity)
        return tail, head

    for layer in architecture.layers:
        for _ in range(layer.repeat):
            level += 1
            for block in blocks:
                unbounded(f"{block}@{level - 1}", f"{block}@{level}", _OWN)
            for position, channel in enumerate(layer.channels):
                times = f" x{channel.copies}" if channel.copies > 1 else ""
                label = f"{channel.name}{times}"
                name = f"{channel.name}.{position + 1}@{level}"
                if channel.kind == "dense":
                    for i, block in enumerate(blocks):
                        for earlier in blocks[:i]:
                            unbounded(f"{earlier}@{level - 1}", f"{block}@{level}", label)
                elif channel.kind == "window":
                    for i, block in enumerate(blocks[1:], start=1):
                        hop = f"{label}, into {block}"
                        tail, head = bottleneck(f"{name}:{block}", channel.capacity, hop)
                        for earlier in blocks[max(0, i - channel.reach) : i]:
                            unbounded(f"{earlier}@{level - 1}", tail, label)
                        unbounded(head, f"{block}@{level}", label)
                elif channel.kind == "recurrent":
                    before = None
                    for block, following in pairwise(blocks):
                        hop = f"{label}, {block} to {following}"
                        tail, head = bottleneck(f"{name}:{block}", channel.capacity, hop)
                        unbounded(f"{block}@{level - 1}", tail, label)
                        if before is not None:
                            unbounded(before, tail, label)
                        unbounded(head, f"{following}@{level}", label)
                        before = head
                else:
                    tail, head = bottleneck(name, channel.capacity, label)
                    for block in channel.from_ or tuple(blocks[:-1]):
                        unbounded(f"{block}@{level - 1}", tail, label)
                    for block in channel.to or (architecture.query,):
                        unbounded(head, f"{block}@{level}", label)
    unbounded(f"{architecture.query}@{level}", _SINK, _ANSWER)
    return graph


@dataclass(frozen=True, slots=True)
class Cut:
    """What can cross from some data blocks to the query, and what must.

    blocks     the data blocks that vary, with `tokens` tokens in all
    capacity   the maximum flow = the minimum cut, or None when a path escapes every finite alphabet
    edges      the minimum cut as edges of the graph
    described  the same as (layer, channel, capacity), in order
    path       the unbounded path, when there is one
    needed     how many answer functions must be told apart
    """

    blocks: tuple[str, ...]
    tokens: int
    capacity: Bits | None
    edges: tuple[tuple[str, str], ...]
    described: tuple[tuple[int, str, Bits], ...]
    path: tuple[str, ...]
    needed: Count

    @property
    def refutes(self) -> bool:
        """Whether fewer transcripts can cross than there are answer functions."""
        return self.capacity is not None and self.capacity < Bits.of_alphabet(self.needed.lower)


@dataclass(frozen=True, slots=True)
class CutSet:
    """The cut-set bound of an architecture: one `Cut` for every non-empty set of data blocks."""

    architecture: Architecture
    graph: nx.DiGraph
    cuts: tuple[Cut, ...]

    @property
    def tightest(self) -> Cut:
        """The cut with least capacity over need; the largest set of blocks among equals, unbounded ones last."""

        def slack(cut: Cut) -> tuple[float, int]:
            capacity = float("inf") if cut.capacity is None else float(cut.capacity)
            return capacity - log2_exactly(cut.needed.lower), -cut.tokens

        return min(self.cuts, key=slack)

    @property
    def verdict(self) -> Verdict:
        """REFUTED when some cut is too small for exact answers; otherwise UNDECIDED: the bound is only necessary."""
        return Verdict.REFUTED if any(cut.refutes for cut in self.cuts) else Verdict.UNDECIDED

    def reason(self) -> str:
        """Why, in one line."""
        cut = self.tightest
        who = " + ".join(cut.blocks)
        need = f"{'' if cut.needed.exact else 'at least '}{log2_exactly(cut.needed.lower):.2f} bits"
        if cut.capacity is None:
            steps = [self.graph.edges[edge] for edge in pairwise(cut.path[1:])]
            through = [f"{e['label']} in layer {e['layer']}" for e in steps if e["label"] not in _FREE]
            start = cut.path[1].rpartition("@")[0]
            return (
                f"{start} reaches the query through {' and '.join(dict.fromkeys(through))}, with no finite alphabet on "
                "the way: no cut is finite, and the bound says nothing"
            )
        if cut.refutes:
            return (
                f"{cut.capacity} from {who} to the query, but the answers of {cut.tokens} tokens need {need}"
            )
        return f"{cut.capacity} from {who} to the query meet the {need} needed; the bound does not say that this is enough"


def cut_set(architecture: Architecture) -> CutSet:
    """The cut-set bound of every non-empty set of data blocks. Exact; each flow is checked against its cut.

    >>> result = cut_set(broadcast_model(m=8, n=10, layers=3, heads=2, alphabet=256))
    >>> result.verdict.value, str(result.tightest.capacity), result.tightest.described[0][:2]
    ('REFUTED', '48 bits', (1, 'head x2'))
    """
    graph = graph_of(architecture)
    names = architecture.blocks[:-1]
    subsets = [s for size in range(len(names), 0, -1) for s in combinations(names, size)]
    unbounded = nx.DiGraph((u, v) for u, v, capacity in graph.edges(data="capacity") if capacity is None)
    free = unbounded.subgraph({_SINK} | nx.ancestors(unbounded, _SINK))
    return CutSet(architecture, graph, tuple(_cut(architecture, graph, free, subset) for subset in subsets))


def _cut(architecture: Architecture, graph: nx.DiGraph, free: nx.DiGraph, subset: tuple[str, ...]) -> Cut:
    """The cut of one set of blocks; `free` holds the nodes that reach the answer by unbounded edges alone."""
    network = graph.copy()
    network.add_edges_from((_SOURCE, f"{block}@0") for block in subset)
    tokens = architecture.tokens(subset)
    needed = answer_functions(architecture.m, tokens)

    for block in subset:
        if f"{block}@0" in free:
            path = (_SOURCE, *nx.shortest_path(free, f"{block}@0", _SINK))
            return Cut(subset, tokens, None, (), (), path, needed)

    residual = edmonds_karp(network, _SOURCE, _SINK)
    value = residual.graph["flow_value"] + Bits.of_alphabet(1)
    open_edges = nx.subgraph_view(
        residual, filter_edge=lambda u, v: residual[u][v]["flow"] < residual[u][v]["capacity"]
    )
    near = {_SOURCE} | nx.descendants(open_edges, _SOURCE)
    crossing = sorted((u, v) for u in near for v in network[u] if v not in near)
    _check_flow(network, residual, crossing, value)
    described = sorted(
        ((network[u][v]["layer"], network[u][v]["label"], network[u][v]["capacity"]) for u, v in crossing),
        key=lambda edge: edge[:2],
    )
    return Cut(subset, tokens, value, tuple(crossing), tuple(described), (), needed)


def _check_flow(network: nx.DiGraph, residual: Any, crossing: list[tuple[str, str]], value: Bits) -> None:
    """Exact optimality: the flow obeys capacities and conservation, and its value is the capacity of the cut."""
    nothing = Bits.of_alphabet(1)
    balance = dict.fromkeys(network, nothing)
    for u, v, capacity in network.edges(data="capacity"):
        carried = max(residual[u][v]["flow"] + nothing, nothing)
        _require(capacity is None or carried <= capacity, "a flow exceeds its capacity")
        balance[u] -= carried
        balance[v] += carried
    inside = (total for node, total in balance.items() if node not in (_SOURCE, _SINK))
    _require(all(total == 0 for total in inside), "a flow is not conserved")
    through = sum((network[u][v]["capacity"] for u, v in crossing), nothing)
    _require(balance[_SINK] == through == value, "flow and cut differ")


def _require(condition: bool, fault: str) -> None:
    if not condition:
        raise ArithmeticError(f"the maximum flow is not what it should be: {fault}")
