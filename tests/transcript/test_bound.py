"""The bound and its verdicts, and the sketch model run as code against the reference evaluator."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kattn_bounds.attention import attend
from kattn_bounds.errors import InputError
from kattn_bounds.transcript.bound import judge, least_symbols, least_symbols_for_bits, transcript_bound
from kattn_bounds.transcript.counting import answer_functions
from kattn_bounds.transcript.simulate import (
    all_antichains,
    answer_table,
    best_decoder,
    coded_model,
    hash_model,
    index_model,
    transcripts,
)
from kattn_bounds.verdict import Verdict


def target(prefix, query) -> int:
    return attend([*prefix, query], lambda q, a: Fraction(1)).target


@given(answers=st.integers(1, 10**60), alphabet=st.integers(2, 10**9))
def test_least_symbols_is_least(answers, alphabet):
    symbols = least_symbols(answers, alphabet)
    assert alphabet**symbols >= answers
    assert symbols == 0 or alphabet ** (symbols - 1) < answers


@given(k=st.integers(1, 5000), alphabet=st.integers(2, 1000))
def test_least_symbols_for_bits_agrees(k, alphabet):
    assert least_symbols_for_bits(k, alphabet) == least_symbols(1 << k, alphabet)


def test_very_long_answers_still_give_a_valid_bound():
    k = 10**15
    exact = k / 1.584962500721156
    assert exact * (1 - 1e-5) < least_symbols_for_bits(k, 3) <= exact + 1
    assert least_symbols_for_bits(k, 256) == k // 8


def test_the_example_of_the_theory():
    bound = transcript_bound(8, 10, 256)
    by_name = {a.name: a for a in bound.arguments}
    assert by_name["independent answers"].symbols == 4
    assert by_name["independent answers"].answers == 2**30
    assert bound.least == max(a.symbols for a in bound.arguments) == 7


@pytest.mark.parametrize("alphabet", [2, 3, 7])
@pytest.mark.parametrize(("m", "n"), [(2, 1), (2, 2), (3, 2)])
def test_verdicts_match_what_sketches_can_do(m, n, alphabet):
    """PROVED: the index sketch answers everything. REFUTED: fewer transcripts than answer functions, so no decoder can."""
    bound = transcript_bound(m, n, alphabet)
    for symbols in range(1, bound.least + 2):
        verdict, _ = judge(bound, symbols, 1)
        model = index_model(m, n, symbols, 1, alphabet)
        perfect = all(
            model.answer(prefix, q) == target(prefix, q)
            for prefix in all_antichains(m, n)
            for q in range(1 << m)
        )
        assert verdict is (Verdict.PROVED if perfect else Verdict.REFUTED)


def test_between_the_bounds_is_undecided():
    bound = transcript_bound(8, 10, 2)
    assert bound.sufficient is not None
    assert bound.sufficient > bound.least
    assert judge(bound, 1, bound.least - 1)[0] is Verdict.REFUTED
    assert judge(bound, bound.least, 1)[0] is Verdict.UNDECIDED
    assert judge(bound, 1, bound.sufficient)[0] is Verdict.PROVED
    assert judge(transcript_bound(9, 10, 2, "all"), 100, 100)[0] is Verdict.UNDECIDED


def test_nonsense_is_refused_with_all_faults():
    with pytest.raises(InputError) as error:
        transcript_bound(0, 0, 1, "some")  # type: ignore[arg-type]
    assert len(error.value.faults) == 4
    with pytest.raises(InputError, match="heads = 0"):
        judge(transcript_bound(3, 2, 2), 1, 0)
    with pytest.raises(InputError, match="m >= 2"):
        transcript_bound(1, 2, 2, "all")


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_simulated_model_equals_the_reference_evaluator(data):
    m = data.draw(st.integers(1, 4))
    n = data.draw(st.integers(1, 3))
    alphabet = data.draw(st.integers(2, 5))
    heads = data.draw(st.integers(1, 3))
    needed = least_symbols(answer_functions(m, n).lower, alphabet)
    model = index_model(m, n, max(1, -(-needed // heads)), heads, alphabet)
    prefix = data.draw(st.lists(st.integers(0, (1 << m) - 1), min_size=1, max_size=n))
    query = data.draw(st.integers(0, (1 << m) - 1))
    assert model.answer(prefix, query) == target(prefix, query)
    state = model.run(prefix, query)
    assert len(state.received) == model.layers * model.heads


def test_answer_table_equals_the_reference_evaluator():
    table = answer_table(3, 3)
    for row, antichain in zip(table, all_antichains(3, 3), strict=True):
        assert row.tolist() == [target(antichain, q) for q in range(8)]


@pytest.mark.parametrize("symbols", range(7))
def test_best_decoder_scores_what_the_models_decoder_does(symbols):
    m, n = 3, 2
    for model in (index_model(m, n, symbols, 1, 2), hash_model(m, n, symbols, 1, 2, seed=1)):
        received = transcripts(model, m, n)
        score = best_decoder(m, n, received)
        right = sum(
            model.answer(prefix, q) == target(prefix, q)
            for prefix in all_antichains(m, n)
            for q in range(1 << m)
        )
        assert right == score.right_answers
        assert score.right_functions == len(set(received)) <= min(2**symbols, 17)
    assert best_decoder(m, n, transcripts(index_model(m, n, symbols, 1, 2), m, n)).right_functions == min(
        2**symbols, 17
    )


def test_codes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="codes"):
        coded_model(2, 1, 1, 1, 2, [0, 1, 2, 3])
