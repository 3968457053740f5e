"""Counts of answer functions: published numbers, brute force over prefixes, and one method against another."""

from __future__ import annotations

import importlib.util
from itertools import combinations_with_replacement
from math import comb
from pathlib import Path

import pytest

from kattn_bounds.cube import inner
from kattn_bounds.errors import InputError
from kattn_bounds.transcript.counting import (
    answer_functions,
    antichains_by_size,
    antichains_of_size,
    dedekind,
    level_bound,
    log2_exactly,
    monotone_functions,
)

_spec = importlib.util.spec_from_file_location(
    "reference_dedekind", Path(__file__).parents[1] / "reference" / "dedekind.py"
)
assert _spec is not None
assert _spec.loader is not None
published = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(published)


def brute_force(m: int, n: int) -> int:
    """Distinct answer vectors over all queries, prefix by prefix: knows nothing of antichains."""
    return len(
        {
            tuple(min(inner(q, x) for x in prefix) for q in range(1 << m))
            for prefix in combinations_with_replacement(range(1 << m), n)
        }
    )


@pytest.mark.parametrize(
    ("m", "n"),
    [(1, 1), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3), (3, 4), (4, 1), (4, 2), (4, 3), (4, 4)],
)
def test_counts_equal_brute_force_over_answers(m, n):
    count = answer_functions(m, n)
    assert count.exact
    assert count.lower == brute_force(m, n)


def test_counts_of_the_theory_page():
    assert [answer_functions(3, n).lower for n in (1, 2, 3)] == [8, 17, 19]
    assert [answer_functions(4, n).lower for n in (1, 2, 3)] == [16, 71, 135]
    assert [answer_functions(m, 10**6).lower for m in (3, 4, 5, 6)] == [19, 167, 7580, 7828353]


def test_published_dedekind_numbers():
    for m, number in enumerate(published.DEDEKIND):
        assert dedekind(m) == number
    for m, number in enumerate(published.NON_EMPTY_ANTICHAINS[:7]):
        assert sum(antichains_by_size(m)) - 1 == number
    assert [len(monotone_functions(v)) for v in range(6)] == list(published.DEDEKIND[:6])


def test_published_three_set_antichains():
    assert [antichains_of_size(m, 3) for m in range(len(published.THREE_SETS))] == list(published.THREE_SETS)


@pytest.mark.parametrize("m", range(1, 7))
def test_transfer_and_inclusion_exclusion_agree(m):
    sizes = antichains_by_size(m)
    for k in range(6):
        assert antichains_of_size(m, k) == (sizes[k] if k < len(sizes) else 0)
    assert len(sizes) - 1 == comb(m, m // 2)  # Sperner: no antichain is larger than the middle layer
    assert sizes[-1] == (1 if m % 2 == 0 else 2)


@pytest.mark.slow
def test_seven_points_by_size():
    sizes = antichains_by_size(7)
    assert sum(sizes) - 1 == published.NON_EMPTY_ANTICHAINS[7]
    assert [sizes[k] for k in range(6)] == [antichains_of_size(7, k) for k in range(6)]


@pytest.mark.parametrize("m", range(1, 7))
def test_closed_lower_bound_never_exceeds_the_exact_count(m):
    sizes = antichains_by_size(m)
    for n in range(1, comb(m, m // 2) + 2):
        exact = sum(sizes[1 : n + 1])
        assert 0 < level_bound(m, n)[0] <= exact
        assert comb(comb(m, m // 2), min(n, comb(m, m // 2))) <= level_bound(m, n)[0]


@pytest.mark.parametrize(("m", "n"), [(8, 6), (8, 10), (8, 80), (12, 20), (200, 8)])
def test_bracket_is_a_bracket(m, n):
    count = answer_functions(m, n)
    assert not count.exact
    assert answer_functions(m, 5).lower < count.lower < count.upper
    assert answer_functions(m, n + 1).lower >= count.lower


def test_closed_form_at_large_m_is_nearly_all_families():
    value = antichains_of_size(300, 4)
    assert 0 < comb(1 << 300, 4) - value < comb(1 << 300, 4) >> 100
    assert abs(log2_exactly(comb(1 << 300, 4)) - (1200 - 4.585)) < 1e-3


def test_bad_sizes_are_refused():
    for bad in [(0, 1), (1, 0), (True - 1, 3)]:
        with pytest.raises(InputError, match="out of range"):
            answer_functions(*bad)
    with pytest.raises(InputError, match="about"):
        answer_functions(10**5, 10**5)
    with pytest.raises(InputError, match="0 <= m <= 7"):
        antichains_by_size(8)
    with pytest.raises(InputError, match="0 <= k <= 5"):
        antichains_of_size(8, 6)
