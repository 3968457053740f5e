"""Independent answers: the polynomial check against exhaustive replay, mutants, the certificate and shattered sets."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kattn_bounds.attention import attend
from kattn_bounds.certificates import checker
from kattn_bounds.cube import inner
from kattn_bounds.errors import InputError
from kattn_bounds.transcript.counting import answer_functions
from kattn_bounds.transcript.independent import (
    all_answer_vectors,
    certificate,
    construction,
    faults_of,
    independent_answers,
)
from kattn_bounds.transcript.shattering import ShatteredSet, largest, propose


def exhaustively_independent(family) -> bool:
    """All 2^k answer vectors, replayed on every prefix: what the polynomial check claims, without its reasoning."""
    return all(wanted == got for wanted, got in all_answer_vectors(family))


def test_sizes_of_the_construction():
    assert (construction(8, 10).r, construction(8, 10).k) == (5, 30)
    assert construction(6, 3).k == 9
    assert construction(6, 3, "all").k == 6
    for m in range(1, 9):
        for n in range(1, 8):
            assert construction(m, n).k <= log2(answer_functions(m, n).upper) + 1e-9
            assert construction(m, n + 1).k >= construction(m, n).k


def test_all_answer_vectors_at_six_bits_and_three_tokens():
    pairs = list(all_answer_vectors(independent_answers(6, 3)))
    assert len({got for _, got in pairs}) == 2**9
    assert all(wanted == got for wanted, got in pairs)


@pytest.mark.parametrize("mode", ["one", "all"])
@pytest.mark.parametrize(("m", "n"), [(2, 1), (3, 2), (4, 2), (5, 3), (6, 2), (6, 3), (7, 2)])
def test_construction_is_independent_both_ways(m, n, mode):
    family = independent_answers(m, n, mode)
    assert faults_of(family) == []
    assert exhaustively_independent(family)


def test_answers_are_the_reference_evaluators_targets():
    family = independent_answers(6, 3)
    for _, (wanted, _) in zip(range(100), all_answer_vectors(family), strict=False):
        prefix = family.prefix_of(wanted)
        targets = [attend([*prefix, q.mask], lambda q, a: Fraction(1)).target for q in family.queries]
        assert tuple(targets) == wanted


@pytest.mark.parametrize("mode", ["one", "all"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_polynomial_check_is_never_more_lenient_than_exhaustion(mode, data):
    """Mutants of one address or one query: the check accepts only what exhaustion accepts, and rejects most."""
    family = independent_answers(5, 2, mode)
    kind = data.draw(st.sampled_from(["address", "query"]))
    if kind == "address":
        addresses = list(family.addresses)
        position = data.draw(st.integers(0, len(addresses) - 1))
        addresses[position] = data.draw(st.integers(0, (1 << family.address_length) - 1))
        mutant = replace(family, addresses=tuple(addresses))
    else:
        queries = list(family.queries)
        position = data.draw(st.integers(0, len(queries) - 1))
        queries[position] = replace(queries[position], mask=data.draw(st.integers(0, 31)))
        mutant = replace(family, queries=tuple(queries))
    assert (faults_of(mutant) == []) == exhaustively_independent(mutant)


def test_mode_all_needs_its_extra_coordinate():
    """Twin: the queries of mode one, all present at once, disturb each other."""
    assert faults_of(replace(independent_answers(5, 2, "one"), mode="all"))


def test_a_bit_read_twice_is_rejected():
    family = independent_answers(4, 2)
    doubled = replace(family, queries=(*family.queries, family.queries[0]))
    assert any("two queries" in fault for fault in faults_of(doubled))


@pytest.mark.parametrize("mode", ["one", "all"])
@pytest.mark.parametrize(("m", "n"), [(8, 10), (6, 3), (4, 4), (3, 1), (40, 6)])
def test_certificate_is_accepted_and_its_mutants_are_not(m, n, mode):
    family = independent_answers(m, n, mode)
    document = certificate(family)
    assert f"2^{family.k} " in checker.check(document)
    document["claim"]["value"] += 1
    with pytest.raises(checker.Rejected):
        checker.check(document)
    wrong = replace(family, queries=(replace(family.queries[0], mask=0), *family.queries[1:]))
    with pytest.raises((checker.Rejected, InputError)):
        checker.check(certificate(wrong))


def test_nothing_free_is_refused():
    with pytest.raises(InputError, match="no payload bit"):
        independent_answers(1, 3, "all")
    with pytest.raises(InputError, match="mode = both"):
        construction(3, 3, "both")  # type: ignore[arg-type]


@pytest.mark.parametrize(("m", "n", "k"), [(3, 2, 3), (3, 3, 3), (4, 1, 4), (4, 2, 4), (4, 3, 5), (4, 4, 6)])
def test_largest_shattered_sets_by_exhaustion_and_by_sat(m, n, k):
    found, complete = largest(m, n)
    assert complete
    assert found.k == k
    assert found.faults() == []
    assert construction(m, n).k <= k <= log2(answer_functions(m, n).lower)
    proposed = propose(m, n, k)
    assert isinstance(proposed, ShatteredSet)
    assert proposed.faults() == []
    assert propose(m, n, k + 1) is False


def test_shattered_set_replay_catches_a_wrong_prefix():
    found, _ = largest(4, 3)
    prefixes = list(found.prefixes)
    prefixes[3], prefixes[5] = prefixes[5], prefixes[3]
    assert replace(found, prefixes=tuple(prefixes)).faults()
    assert replace(found, prefixes=found.prefixes[:-1]).faults()
    assert replace(found, n=1).faults()
    assert all(min(inner(q, x) for x in found.prefixes[-1]) > 0 for q in found.queries)
