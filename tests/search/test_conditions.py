"""The level conditions against the reference evaluator, sequence by sequence."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kattn_bounds.attention import attend
from kattn_bounds.errors import InputError
from kattn_bounds.search.conditions import free_values, require_searchable, row_solves
from kattn_bounds.setting import Setting


def row_is_right(row, q, setting, values=None):
    """Reference: every sequence whose query is q, one at a time."""
    value = None if values is None else (lambda _, a: values[a])
    return all(
        attend(
            [*companions, q],
            lambda _, a: Fraction(int(row[a])),
            self_included=setting.self_included,
            value=value,
        ).solved(setting.tolerance)
        for companions in product(range(1 << setting.m), repeat=setting.n - 1)
    )


SETTINGS = st.builds(
    Setting,
    m=st.integers(1, 2),
    n=st.integers(2, 4),
    tolerance=st.sampled_from([Fraction(1, 2), Fraction(1, 3), Fraction(3, 4), Fraction(1)]),
    self_included=st.booleans(),
)


@settings(max_examples=150, deadline=None)
@given(SETTINGS, st.data())
def test_inner_conditions_are_the_reference_on_positive_rows(setting, data):
    q = data.draw(st.integers(0, setting.tokens - 1))
    decay = data.draw(st.sampled_from([1, 2, 4, 8]))
    # Rows that decay with the level, disturbed: both verdicts occur.
    row = np.array(
        [
            data.draw(st.integers(1, 6)) * decay ** (q.bit_count() - (q & a).bit_count())
            for a in range(setting.tokens)
        ],
        dtype=object,
    )
    assert row_solves(row, q, setting) == row_is_right(row, q, setting)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 2),
    st.integers(2, 4),
    st.sampled_from([Fraction(1, 2), Fraction(1, 3), Fraction(1, 8)]),
    st.booleans(),
    st.data(),
)
def test_free_values_solve_every_sequence(m, n, tolerance, self_included, data):
    setting = Setting(m, n, tolerance, self_included, "free")
    q = data.draw(st.integers(0, setting.tokens - 1))
    decay = data.draw(st.sampled_from([1, 3, 9]))
    row = np.array(
        [
            data.draw(st.integers(1, 5)) * decay ** (q.bit_count() - (q & a).bit_count())
            for a in range(setting.tokens)
        ],
        dtype=object,
    )
    values = free_values(row, q, setting)
    assert (values is not None) == row_solves(row, q, setting)
    if values is not None:
        assert row_is_right(row, q, setting, values)


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 4), st.sampled_from([Fraction(1, 2), Fraction(1, 4)]), st.booleans(), st.data())
def test_the_free_conditions_are_necessary(n, tolerance, self_included, data):
    """When a row fails them, a linear program over every sequence finds no values V either."""
    import cvxpy as cp

    setting = Setting(2, n, tolerance, self_included, "free")
    q = data.draw(st.integers(1, 3))
    row = np.array([data.draw(st.integers(1, 12)) for _ in range(4)], dtype=object)
    weights, margin = cp.Variable(4), cp.Variable()
    rules = [margin <= 1]
    for companions in product(range(4), repeat=n - 1):
        tokens = [*companions, q] if self_included else list(companions)
        target = min((q & a).bit_count() for a in tokens)
        total = float(sum(row[a] for a in tokens))
        error = sum(weights[a] for a in tokens) - target * total
        rules += [error + margin <= float(tolerance) * total, -error + margin <= float(tolerance) * total]
    program = cp.Problem(cp.Maximize(margin), rules)
    program.solve(solver="HIGHS")
    if abs(margin.value) > 1e-6:
        assert row_solves(row, q, setting) == (margin.value > 0)


def test_zero_entries_and_unsearchable_settings_are_refused():
    assert not row_solves(np.array([4, 0], dtype=object), 1, Setting(1))
    with pytest.raises(InputError, match="n = 1 is too short"):
        require_searchable(Setting(2, n=1))
    with pytest.raises(InputError, match="causal"):
        require_searchable(Setting(2, mask="causal"))
