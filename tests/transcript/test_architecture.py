"""Cut-set bound: against the transcript bound, against networkx in other arithmetic, and on the stored examples."""

from __future__ import annotations

from itertools import product
from math import prod
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kattn_bounds.errors import InputError
from kattn_bounds.transcript.architecture import broadcast_model, cut_set, graph_of, load, parse
from kattn_bounds.transcript.bits import Bits
from kattn_bounds.transcript.bound import judge, transcript_bound
from kattn_bounds.transcript.counting import answer_functions
from kattn_bounds.transcript.drawing import draw_accuracy, draw_architecture
from kattn_bounds.verdict import Verdict

EXAMPLES = Path(__file__).parents[2] / "experiments" / "transcripts"
NAMES = ("recurrent_state", "linear_attention", "window_and_sketch", "hybrid")


def float_minimum_cut(architecture, blocks) -> float:
    """networkx's own minimum cut in float logarithms; infinite where it finds no bound."""
    graph = nx.DiGraph()
    for u, v, capacity in graph_of(architecture).edges(data="capacity"):
        graph.add_edge(u, v, **({} if capacity is None else {"capacity": float(capacity)}))
    graph.add_edges_from(("start", f"{block}@0") for block in blocks)
    try:
        return nx.minimum_cut_value(graph, "start", "answer")
    except nx.NetworkXUnbounded:
        return float("inf")


@pytest.mark.parametrize(("layers", "heads", "alphabet"), list(product((1, 2, 3), (1, 2, 5), (2, 3, 256))))
def test_plain_broadcast_model_gives_the_transcript_bound(layers, heads, alphabet):
    m, n = 6, 3
    result = cut_set(broadcast_model(m, n, layers, heads, alphabet))
    (cut,) = result.cuts
    assert cut.capacity == Bits.of_alphabet(alphabet, layers * heads)
    refuted = judge(transcript_bound(m, n, alphabet), layers, heads)[0] is Verdict.REFUTED
    assert (result.verdict is Verdict.REFUTED) == refuted


@pytest.mark.parametrize("name", NAMES)
def test_examples_equal_networkx_in_floats(name):
    architecture = load(EXAMPLES / f"{name}.yaml")
    for cut in cut_set(architecture).cuts:
        exact = float("inf") if cut.capacity is None else float(cut.capacity)
        assert exact == pytest.approx(float_minimum_cut(architecture, cut.blocks), abs=1e-9)
        if cut.capacity is not None:
            crossing = prod(capacity.ratio for _, _, capacity in cut.described)
            assert crossing == cut.capacity.ratio
            graph = graph_of(architecture)
            graph.remove_edges_from(cut.edges)
            reached = set().union(*(nx.descendants(graph, f"{block}@0") for block in cut.blocks))
            assert "answer" not in reached


def test_what_the_examples_say():
    verdicts = {name: cut_set(load(EXAMPLES / f"{name}.yaml")) for name in NAMES}
    assert [verdicts[name].verdict.value for name in NAMES] == ["REFUTED", "REFUTED", "REFUTED", "UNDECIDED"]
    assert verdicts["window_and_sketch"].tightest.blocks == ("oldest", "older")
    assert str(verdicts["linear_attention"].tightest.capacity) == "48 bits"
    assert "through dense in layer 2" in verdicts["hybrid"].reason()
    assert verdicts["hybrid"].tightest.path[0] == "data"


def test_a_layer_more_lets_the_window_reach_one_block_further():
    text = (EXAMPLES / "window_and_sketch.yaml").read_text()
    content = __import__("yaml").safe_load(text)
    content["layers"][0]["repeat"] = 3
    cuts = {cut.blocks: cut.capacity for cut in cut_set(parse(content)).cuts}
    assert cuts["older",] is None
    assert cuts["oldest",] == 24
    content["layers"][0]["repeat"] = 2
    content["layers"][0]["channels"][0]["reach"] = 2
    assert all(cut.capacity is None for cut in cut_set(parse(content)).cuts)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_random_architectures_equal_networkx_in_floats(data):
    names = ["a", "b", "c"][: data.draw(st.integers(1, 3))]
    layers = []
    for _ in range(data.draw(st.integers(1, 3))):
        channels = []
        for i in range(data.draw(st.integers(1, 3))):
            kind = data.draw(st.sampled_from(["broadcast", "recurrent", "window"]))
            channel = {"name": f"c{i}", "kind": kind, "alphabet": data.draw(st.integers(2, 40))}
            channel["copies"] = data.draw(st.integers(1, 3))
            if kind == "broadcast":
                channel["from"] = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
                channel["to"] = data.draw(
                    st.lists(st.sampled_from([*names, "query"]), min_size=1, unique=True)
                )
            channels.append(channel)
        layers.append({"channels": channels})
    data_blocks = [{"name": name, "tokens": 1} for name in names]
    architecture = parse({"name": "random", "m": 3, "data": data_blocks, "layers": layers})
    for cut in cut_set(architecture).cuts:
        assert cut.capacity is not None
        assert float(cut.capacity) == pytest.approx(float_minimum_cut(architecture, cut.blocks), abs=1e-9)
        assert cut.refutes == (cut.capacity.ratio < answer_functions(3, cut.tokens).lower)


def test_equality_is_decided_exactly():
    """64 answer functions of one token of 6 bits: 2^6 transcripts meet the bound, 63 and 7^2 do not."""
    assert cut_set(broadcast_model(6, 1, 1, 6, 2)).verdict is Verdict.UNDECIDED
    assert cut_set(broadcast_model(6, 1, 1, 1, 63)).verdict is Verdict.REFUTED
    assert cut_set(broadcast_model(6, 1, 1, 2, 7)).verdict is Verdict.REFUTED
    assert Bits.of_alphabet(3, 200) + Bits.of_alphabet(2) > Bits.of_alphabet(3, 200)
    assert Bits.of_alphabet(2**200 + 1) - Bits.of_alphabet(2**200) > 0


def test_bad_descriptions_name_every_fault(tmp_path):
    broken = {
        "name": "x",
        "m": 4,
        "data": [{"name": "a", "tokens": 0}],
        "layers": [
            {"channels": [{"name": "h", "kind": "broadcast"}, {"name": "d", "kind": "dense", "bits": 3}]},
        ],
        "heads": 2,
    }
    with pytest.raises(InputError) as error:
        parse(broken)
    text = str(error.value)
    for expected in ("data.0.tokens", "give alphabet or bits", "is dense, which is unbounded", "heads"):
        assert expected in text
    good = {"name": "x", "m": 4, "data": [{"name": "a", "tokens": 1}]}
    with pytest.raises(InputError, match="unknown block 'z'"):
        parse(good | {"layers": [{"channels": [{"name": "h", "kind": "broadcast", "bits": 1, "to": ["z"]}]}]})
    with pytest.raises(InputError, match="from the query"):
        parse(
            good
            | {"layers": [{"channels": [{"name": "h", "kind": "broadcast", "bits": 1, "from": ["query"]}]}]}
        )
    with pytest.raises(InputError, match="one block name twice"):
        parse(good | {"query": "a", "layers": [{"channels": [{"name": "d", "kind": "dense"}]}]})
    for name, content in (
        ("list.yaml", "- 1\n"),
        ("bad.yaml", "a: [1\n"),
        ("tag.yaml", "!!python/object:os.system {}\n"),
    ):
        (tmp_path / name).write_text(content)
        with pytest.raises(InputError):
            load(tmp_path / name)
    with pytest.raises(InputError, match="cannot read"):
        load(tmp_path / "none.yaml")


def test_drawings_are_written_and_refusals_are_clear(tmp_path):
    result = cut_set(load(EXAMPLES / "hybrid.yaml"))
    draw_architecture(result, tmp_path / "hybrid.svg")
    assert "query" in (tmp_path / "hybrid.svg").read_text()
    with pytest.raises(InputError, match="cannot write"):
        draw_architecture(result, tmp_path / "no" / "hybrid.png")
    with pytest.raises(InputError, match="9 layers are too many to draw"):
        draw_architecture(cut_set(broadcast_model(3, 1, 9, 1, 2)), tmp_path / "deep.png")
    import json

    stored = json.loads((EXAMPLES / "accuracy.json").read_text())
    draw_accuracy(stored["points"], "accuracy", stored["log2"], tmp_path / "accuracy.png")
    assert (tmp_path / "accuracy.png").stat().st_size > 10_000
