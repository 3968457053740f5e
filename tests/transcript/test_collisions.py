"""Collisions of concrete sketches: against brute force, replayed by the reference evaluator; and the command line."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kattn_bounds.attention import attend
from kattn_bounds.claims import NotApplicable
from kattn_bounds.claims import transcript as claims
from kattn_bounds.cli.main import run
from kattn_bounds.cube import inner, parse_sequence
from kattn_bounds.errors import InputError
from kattn_bounds.setting import Setting
from kattn_bounds.transcript.collisions import (
    distinguishing_query,
    find_collision,
    number_of_prefixes,
    subsets_by_ones,
)
from kattn_bounds.transcript.sketches import (
    antichain,
    from_callable,
    linear_attention,
    named,
    random_hash,
    top_k_cache,
)
from kattn_bounds.verdict import Verdict

EXAMPLES = Path(__file__).parents[2] / "experiments" / "transcripts"


def answers(prefix, m):
    return tuple(min(inner(q, x) for x in prefix) for q in range(1 << m))


def brute_force_collides(sketch) -> bool:
    """Over all sequences, with answers as vectors over all queries."""
    seen = {}
    for prefix in product(range(1 << sketch.m), repeat=sketch.n):
        vector = answers(prefix, sketch.m)
        if seen.setdefault(sketch.transcript(prefix), vector) != vector:
            return True
    return False


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_search_agrees_with_brute_force(m, n):
    sketches = [
        antichain(m, n),
        random_hash(m, n, bits=6),
        linear_attention(m, n, features=1, bits=1),
        linear_attention(m, n, features=6, bits=2),
        *(top_k_cache(m, n, keep=k) for k in (1, 2, 3)),
        from_callable(m, n, lambda prefix: prefix[-2:]),
        from_callable(m, n, lambda prefix: prefix),
        from_callable(m, n, lambda prefix: sum(prefix) % 5),
    ]
    for sketch in sketches:
        found = find_collision(sketch)
        assert (found.verdict is Verdict.REFUTED) == brute_force_collides(sketch)
        if found.collision is not None:
            assert found.collision.faults(sketch) == []
        else:
            assert found.verdict is Verdict.PROVED
            assert found.listed == found.total == number_of_prefixes(m, n, sketch.order_free)


@settings(max_examples=50, deadline=None)
@given(table=st.lists(st.integers(0, 3), min_size=16, max_size=16))
def test_random_symbol_tables(table):
    """One symbol of four for each prefix of two tokens of two bits."""
    sketch = from_callable(2, 2, lambda prefix: table[4 * prefix[0] + prefix[1]])
    assert (find_collision(sketch).verdict is Verdict.REFUTED) == brute_force_collides(sketch)


def test_too_few_bits_at_six_bits_and_four_tokens():
    """2^14 transcripts against 97530 answer functions: the pigeonhole alone demands a collision."""
    sketch = linear_attention(6, 4, features=2, bits=1)
    assert sketch.bits == 14
    found = find_collision(sketch)
    assert found.verdict is Verdict.REFUTED
    collision = found.collision
    assert collision.faults(sketch) == []
    for text, answer in zip(collision.sequences(), collision.answers, strict=True):
        tokens, m = parse_sequence(text)
        assert m == 6
        assert attend(tokens, lambda q, a: Fraction(1)).target == answer


def test_collision_is_the_first_in_the_order():
    sketch = top_k_cache(3, 3, keep=2)
    collision = find_collision(sketch).collision

    def rank(prefix):
        support = sorted(set(prefix))
        return len(support), sum(x.bit_count() for x in support)

    pairs = [
        max(rank(a), rank(b))
        for a, b in combinations(list(combinations_with_replacement(range(8), 3)), 2)
        if sketch.transcript(a) == sketch.transcript(b) and answers(a, 3) != answers(b, 3)
    ]
    assert max(rank(collision.first), rank(collision.second)) == min(pairs)
    query, _ = distinguishing_query(collision.first, collision.second, 3)
    fewest = min(
        q.bit_count() for q in range(8) if answers(collision.first, 3)[q] != answers(collision.second, 3)[q]
    )
    assert query == collision.query
    assert query.bit_count() == fewest


@pytest.mark.parametrize(("m", "size"), [(2, 2), (3, 1), (3, 3), (4, 2), (4, 4)])
def test_subsets_come_once_and_in_order(m, size):
    listed = list(subsets_by_ones(m, size))
    weights = [sum(x.bit_count() for x in subset) for subset in listed]
    assert weights == sorted(weights)
    assert sorted(tuple(sorted(s)) for s in listed) == sorted(combinations(range(1 << m), size))


def test_linear_attention_state_is_the_sum_it_claims_to_be():
    """The packed state against the definition, written out."""
    from random import Random

    m, n, features, bits, seed = 4, 3, 3, 1, 7
    sketch = linear_attention(m, n, features=features, bits=bits, seed=seed)
    random = Random(seed)
    masks = [sum(1 << i for i in random.sample(range(m), random.randint(0, m // 2))) for _ in range(features)]
    for prefix in combinations_with_replacement(range(16), n):
        state = [
            [sum((x & mask == 0) * (1 if i == m else x >> i & 1) for x in prefix) for i in range(m + 1)]
            for mask in masks
        ]
        expected = tuple(entry * 2**bits // (n + 1) for row in state for entry in row)
        assert sketch.transcript(prefix) == expected


def test_limit_leaves_it_undecided():
    found = find_collision(antichain(4, 3), limit=100)
    assert (found.verdict, found.listed) == (Verdict.UNDECIDED, 100)


def test_sketches_that_misbehave_are_named():
    with pytest.raises(InputError, match="fails on the prefix 00"):
        find_collision(from_callable(2, 1, lambda prefix: 1 // prefix[0]))
    with pytest.raises(InputError, match="hashable"):
        find_collision(from_callable(2, 1, lambda prefix: list(prefix)))
    calls = iter(range(10**6))
    with pytest.raises(InputError, match="deterministic"):
        find_collision(from_callable(2, 1, lambda prefix: next(calls) > 1 and next(calls) % 3))
    for bad in ("nothing", "no/file.py:f", "math:nothing", "json:__doc__"):
        with pytest.raises(InputError):
            named(bad, 2, 2)
    with pytest.raises(InputError, match="--keep does nothing"):
        named("hash", 2, 2, keep=3)


@pytest.mark.slow
def test_exact_antichain_has_no_collision_at_six_bits_and_four_tokens():
    found = find_collision(antichain(6, 4))
    assert found.verdict is Verdict.PROVED
    assert found.functions == found.transcripts == 97530
    assert found.listed == 766480


def test_command_collide(tmp_path, capsys):
    assert run(["collide", "linear", "--m", "6", "--n", "4", "--bits", "1"]) == 1
    screen = capsys.readouterr().out
    assert screen.count("kattn-bounds replay") == 2
    assert max(map(len, screen.splitlines())) <= 100
    (tmp_path / "mine.py").write_text("def smallest(prefix):\n    return min(prefix)\n")
    assert run(["collide", f"{tmp_path}/mine.py:smallest", "--m", "2", "--n", "2", "--json", "-"]) == 1
    stored = json.loads(capsys.readouterr().out)
    assert stored["verdict"] == "REFUTED"
    assert stored["collision"]["answers"][0] != stored["collision"]["answers"][1]
    assert run(["collide", "antichain", "--m", "3", "--n", "3"]) == 0
    assert run(["collide", "antichain", "--m", "5", "--n", "5", "--limit", "1000"]) == 3
    assert run(["collide", "nothing", "--m", "3", "--n", "3"]) == 2
    assert run(["collide", "linear", "--m", "0", "--n", "0", "--limit", "0"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 4


def test_command_transcript(tmp_path, capsys):
    base = ["transcript", "--m", "8", "--n", "10", "--alphabet", "256"]
    assert run([*base, "--json", "-"]) == 0
    stored = json.loads(capsys.readouterr().out)
    assert stored["least"] == 7
    assert [a["symbols"] for a in stored["arguments"]] == [4, 7]
    assert run([*base, "--layers", "2", "--heads", "3"]) == 1
    assert run([*base, "--layers", "2", "--heads", "4"]) == 0
    assert run([*base, "--layers", "3"]) == 0
    screen = capsys.readouterr().out
    assert "with 3 layers: at least 3 heads" in screen
    assert max(map(len, screen.splitlines())) <= 100
    assert run([*base, "--certificate", str(tmp_path / "c.json")]) == 0
    from kattn_bounds.certificates import checker

    assert "2^30" in checker.check_file(str(tmp_path / "c.json"))
    assert run(["transcript", "--m", "4", "--n", "3", "--alphabet", "2", "--shatter"]) == 0
    assert "shattered: 5 queries" in capsys.readouterr().out
    assert run(["transcript", "--architecture", str(EXAMPLES / "hybrid.yaml")]) == 3
    assert run(["transcript", "--architecture", str(EXAMPLES / "recurrent_state.yaml"), "--json", "-"]) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["--m", "8", "--n", "10", "--alphabet", "1"],
        ["--m", "8", "--n", "10", "--alphabet", "-3"],
        ["--m", "8", "--n", "10", "--alphabet", "x"],
        ["--m", "0", "--n", "10", "--alphabet", "2"],
        ["--m", "8", "--n", "10"],
        ["--m", "8", "--n", "10", "--alphabet", "2", "--mode", "both"],
        ["--m", "8", "--n", "10", "--alphabet", "2", "--layers", "0"],
        ["--m", "8", "--n", "10", "--alphabet", "2", "--layers", "0", "--heads", "1"],
        ["--m", "8", "--n", "10", "--alphabet", "2", "--drawing", "x.png"],
        ["--architecture", "none.yaml"],
        ["--architecture", "none.yaml", "--m", "3"],
    ],
)
def test_nonsense_is_refused_in_one_line(arguments, capsys):
    assert run(["transcript", *arguments]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize(("m", "n"), [(2, 3), (3, 2), (6, 3), (6, 5), (8, 11), (20, 3), (1000, 3)])
def test_ledger_lines(m, n):
    setting = Setting(m, n)
    assert claims.independent(setting).verdict is Verdict.PROVED
    assert claims.counting(setting).verdict is Verdict.PROVED
    if 2 < m <= 12 and (m, n) != (3, 2):
        assert claims.small_state(setting).verdict is Verdict.REFUTED


def test_ledger_has_nothing_to_say_without_data_tokens():
    for check in (claims.independent, claims.counting, claims.small_state):
        with pytest.raises(NotApplicable):
            check(Setting(3, 1))


def test_stored_results_are_what_the_code_gives():
    import importlib.util

    spec = importlib.util.spec_from_file_location("transcript_run", EXAMPLES / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    stored = json.loads((EXAMPLES / "accuracy.json").read_text())
    config = module.AccuracyConfig(**stored["config"])
    assert config.most_symbols == len(stored["points"]) // 2 - 1
    few = module.accuracy(config.model_copy(update={"most_symbols": 1}))
    assert few["points"] == stored["points"][:4]
    assert few["functions"] == stored["functions"] == 1407
    counts = json.loads((EXAMPLES / "counts.json").read_text())
    assert [row["in_all"] for row in counts] == [2, 5, 19, 167, 7580, 7828353, 2414682040997]
    from kattn_bounds.transcript.counting import antichains_by_size

    assert [tuple(row["by_size"]) for row in counts[:6]] == [antichains_by_size(m) for m in range(1, 7)]
    for row in json.loads((EXAMPLES / "shattering.json").read_text()):
        assert row["construction"] <= row["shattered"] <= row["log2_functions"] + 1e-9
