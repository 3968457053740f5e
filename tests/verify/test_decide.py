"""The verifier against brute force with the reference evaluator, over every convention."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from brute import worst_error
from hypothesis import given
from hypothesis import strategies as st

from kattn_bounds.attention import attend_positions, solves_sequence
from kattn_bounds.errors import InputError
from kattn_bounds.kernels import (
    FactorKernel,
    PositionKernel,
    TableKernel,
    formula,
    signed_token_values,
    softmax,
    uniform,
)
from kattn_bounds.kernels.base import ClassKernel
from kattn_bounds.kernels.softmax import softmax_condition
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Verdict
from kattn_bounds.verify import decide, minimal_counterexample

HUGE = 10**30
ENTRIES = st.one_of(
    st.sampled_from([Fraction(0), Fraction(1), Fraction(1, 3), Fraction(HUGE), Fraction(1, HUGE)]),
    st.fractions(min_value=0, max_value=4, max_denominator=9),
)
SIGNED = st.one_of(
    st.integers(-4, 4).map(Fraction), st.fractions(min_value=-3, max_value=3, max_denominator=5)
)
TOLERANCES = st.sampled_from([Fraction(1, 2), Fraction(1, 3), Fraction(1), Fraction(4, 5), Fraction(1, 50)])


def table(draw: Any, m: int, entries: Any, signed: bool = False) -> TableKernel:
    size = 1 << m
    mixture = draw(st.sampled_from(["any", "solving", "zero row", "ties"]))
    array = np.empty((size, size), dtype=object)
    for q in range(size):
        for a in range(size):
            if mixture == "ties":
                array[q, a] = draw(st.sampled_from([Fraction(0), Fraction(1)]))
            elif mixture == "solving" and not signed:
                array[q, a] = Fraction(1, 5 ** (q & a).bit_count()) * (1 + draw(st.sampled_from([0, 0, 1])))
            else:
                array[q, a] = draw(entries)
    if mixture == "zero row":
        array[draw(st.integers(0, size - 1))] = [Fraction(0)] * size
    return TableKernel("random", m, array, signed=signed)


@st.composite
def problems(draw: Any) -> tuple[Any, Setting, TableKernel | None]:
    self_included = draw(st.booleans())
    m, n = draw(
        st.sampled_from([(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2), (2, 3), (2, 4), (3, 2), (3, 3)])
    )
    if n == 1 and not self_included:
        n = 2
    readout = draw(st.sampled_from(["inner", "free"]))
    mask = draw(st.sampled_from(["final", "causal"]))
    setting = Setting(m, n, draw(TOLERANCES), self_included, readout, mask)
    kernel: Any
    if draw(st.booleans()):
        kernel = table(draw, m, ENTRIES)
    else:
        kernel = PositionKernel.of_list("positions", [table(draw, m, ENTRIES) for _ in range(n)])
    value = table(draw, m, SIGNED, signed=True) if readout == "free" else None
    return kernel, setting, value


def functions(kernel: Any, value: Any) -> tuple[Any, Any]:
    def entry(q: int, a: int, i: int, j: int) -> Fraction:
        return kernel.at(i, j).value(q, a) if isinstance(kernel, PositionKernel) else kernel.value(q, a)

    return entry, None if value is None else (lambda q, a, i, j: value.value(q, a))


@given(problems())
def test_equals_brute_force(problem: Any) -> None:
    kernel, setting, value = problem
    found = decide(kernel, setting, value)
    entry, values = functions(kernel, value)
    expected = worst_error(entry, setting, values)
    assert found.worst_error == expected
    solves = expected is not None and expected < setting.tolerance
    assert (found.verdict is Verdict.PROVED) == solves
    # The sequence shown attains the error shown.
    head = attend_positions(found.sequence, entry, self_included=setting.self_included, value=values)
    assert head.error == expected
    smallest = minimal_counterexample(kernel, setting, value)
    assert (smallest is None) == solves
    if smallest is not None:
        assert not solves_sequence(smallest, entry, setting, values)


def test_counterexample_with_self_excluded_counts_the_query_once_less() -> None:
    setting = Setting(3, self_included=False)
    kernel = formula("(29/50)**t", 3)
    found = minimal_counterexample(kernel, setting)
    assert found == (
        0b000,
        0b110,
        0b110,
    )  # (s - 1/2) x^s reaches 1/2 at s = 2 only; with self it would at s = 1
    assert not solves_sequence(found, lambda q, a, i, j: kernel.value(q, a), setting)


def test_counterexample_prefers_fewer_bits_to_a_larger_violation() -> None:
    kernel = {(q, a): Fraction(1, 9 ** (q & a).bit_count()) for q in range(8) for a in range(8)}
    # Query 100 fails on 000 already; on 011, outside the query, it fails by more.
    kernel[0b100, 0b000] = Fraction(1, 10)
    kernel[0b100, 0b011] = Fraction(1, 100)
    entries = np.array([[kernel[q, a] for a in range(8)] for q in range(8)], dtype=object)
    found = minimal_counterexample(TableKernel("planted", 3, entries), Setting(3))
    assert found == (0b000, 0b100, 0b100)


@pytest.mark.parametrize("positions", [False, True])
@pytest.mark.parametrize("readout", ["inner", "free"])
@pytest.mark.parametrize("mask", ["final", "causal"])
@pytest.mark.parametrize("self_included", [True, False])
def test_equals_brute_force_on_dense_kernels(
    self_included: bool, mask: Any, readout: Any, positions: bool
) -> None:
    """No zeros, no ties, another kernel at every position: a wrong index or sign changes the worst error."""
    rng = np.random.default_rng(1)
    for m, n in ((1, 2), (1, 4), (2, 3), (2, 3), (3, 2)):
        size = 1 << m

        def dense(low: int, m: int = m, size: int = size) -> TableKernel:
            return TableKernel("dense", m, rng.integers(low, 1000, (size, size)), signed=low < 0)

        setting = Setting(m, n, Fraction(1, 2), self_included, readout, mask)
        kernel: Any = PositionKernel.of_list("p", [dense(1) for _ in range(n)]) if positions else dense(1)
        value = dense(-1000) if readout == "free" else None
        entry, values = functions(kernel, value)
        assert decide(kernel, setting, value).worst_error == worst_error(entry, setting, values)


@given(problems())
def test_counterexample_uses_fewest_bits_or_tokens(problem: Any) -> None:
    from itertools import product

    kernel, setting, value = problem
    if setting.mask == "causal" or setting.tokens**setting.n > 600:
        return
    smallest = minimal_counterexample(kernel, setting, value)
    if smallest is None:
        return
    entry, values = functions(kernel, value)
    failing = [
        s
        for s in product(range(setting.tokens), repeat=setting.n)
        if not solves_sequence(s, entry, setting, values)
    ]

    def bits(sequence: tuple[int, ...]) -> int:
        return int(np.bitwise_or.reduce(np.array(sequence))).bit_count()

    if value is None and not isinstance(kernel, PositionKernel) and len(set(smallest)) <= 2:
        pairs = [s for s in failing if len(set(s)) <= 2]
        assert bits(smallest) == min(map(bits, pairs))
    else:
        assert bits(smallest) == min(map(bits, failing))
        if value is None and not isinstance(kernel, PositionKernel):
            assert all(len(set(s)) > 2 for s in failing)


@given(
    st.integers(1, 4),
    st.integers(1, 6),
    st.fractions(min_value=0, max_value=1, max_denominator=12),
    st.booleans(),
)
def test_softmax_condition_is_exact(m: int, n: int, x: Fraction, self_included: bool) -> None:
    if x == 0 or (n == 1 and not self_included):
        return
    for tolerance in (Fraction(1, 2), Fraction(1, 3), Fraction(1)):
        setting = Setting(m, n, tolerance, self_included)
        left, right = softmax_condition(setting, x)
        assert decide(softmax(m, x), setting).solves == (left < right)


@pytest.mark.parametrize("m", range(1, 9))
def test_uniform_head_is_exact_up_to_length_two(m: int) -> None:
    for n in (1, 2):
        setting = Setting(m, n, readout="free")
        for exhaustive in (False, True):
            found = decide(uniform(m), setting, signed_token_values(m), exhaustive=exhaustive)
            assert found.worst_error == 0
    cliff = decide(uniform(m), Setting(m, 3, readout="free"), signed_token_values(m))
    assert cliff.worst_error == Fraction(m, 3)
    assert cliff.solves == (m == 1)


@given(st.integers(1, 4), st.data())
def test_orbits_equal_all_entries(m: int, data: Any) -> None:
    values = {}

    def entry(k: int, l: int, t: int) -> Fraction:
        if (k, l, t) not in values:
            values[k, l, t] = data.draw(ENTRIES)
        return values[k, l, t]

    kernel = ClassKernel("random", m, entry)
    for setting in (Setting(m), Setting(m, 4, Fraction(1, 3), False), Setting(m, 2)):
        by_orbit = decide(kernel, setting)
        by_entry = decide(kernel, setting, exhaustive=True)
        assert by_orbit.method == "orbit"
        assert by_entry.method == "exhaustive"
        assert by_orbit.worst_error == by_entry.worst_error


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_orbits_equal_all_entries_with_values_of_every_class(m: int) -> None:
    """Kernel and value map of the free readout depend on |q|, |a| and <q,a> alike; no two classes agree."""
    rng = np.random.default_rng(m)
    numbers = rng.permutation(2 * (m + 1) ** 3).reshape(2, m + 1, m + 1, m + 1)
    for uses in ("klt", "kt"):
        shown = [0 if name not in uses else 1 for name in "klt"]

        def pick(table: Any, k: int, l: int, t: int, shown: list[int] = shown) -> Fraction:
            return Fraction(int(table[k * shown[0], l * shown[1], t * shown[2]]))

        kernel = ClassKernel("k", m, lambda k, l, t, p=pick: p(numbers[0], k, l, t) + 1, uses=uses)
        value = ClassKernel("v", m, lambda k, l, t: Fraction(int(numbers[1][k, l, t]) - 60), signed=True)
        for n in (2, 3, 4):
            setting = Setting(m, n, readout="free")
            by_orbit = decide(kernel, setting, value)
            assert by_orbit.method == "orbit"
            assert by_orbit.worst_error == decide(kernel, setting, value, exhaustive=True).worst_error


def test_redundant_encodings_agree() -> None:
    rng = np.random.default_rng(5)
    m, setting = 3, Setting(3)
    base = np.array([[5 ** (3 - (q & a).bit_count()) for a in range(8)] for q in range(8)], dtype=np.int64)
    entries = base * 40 + rng.integers(0, 12, base.shape)
    expected = decide(TableKernel("t", m, entries), setting).worst_error
    # scaled rows
    scaled = entries * rng.integers(1, 50, (8, 1))
    assert decide(TableKernel("t", m, scaled), setting).worst_error == expected
    # permuted coordinates: swap the first and last bit of every token
    swap = np.array([(a & 2) | (a >> 2) | ((a & 1) << 2) for a in range(8)])
    assert decide(TableKernel("t", m, entries[np.ix_(swap, swap)]), setting).worst_error == expected
    # the same numbers as floats (exact here) and as fractions
    assert decide(TableKernel("t", m, entries.astype(np.float64)), setting).worst_error == expected
    fractions = np.vectorize(Fraction, otypes=[object])(entries)
    assert decide(TableKernel("t", m, fractions), setting).worst_error == expected
    # a padded bit that the kernel ignores leaves the error as it was only if it is never common: pad with zeros
    # by querying the sub-cube, and factors through the identity
    identity = np.eye(8, dtype=int).tolist()
    assert decide(FactorKernel("f", m, entries.tolist(), identity), setting).worst_error == expected


def test_a_float_is_its_exact_dyadic_value() -> None:
    # 0.4 as a float is above 2/5: (float) x = 0.408248290463863 < 1/sqrt 6 solves, the next floats above do not.
    good, bad = 0.40824829046386296, 0.4082482904638631
    for x, solves in ((good, True), (bad, False)):
        entries = np.array([[x ** (q & a).bit_count() for a in range(4)] for q in range(4)])
        found = decide(TableKernel("float", 2, entries), Setting(2))
        exact = [Fraction(x**t) for t in range(3)]
        assert found.solves == (2 * exact[1] < 1 and 6 * exact[2] < 1) == solves


def test_the_sequence_padded_by_the_setting() -> None:
    found = decide(formula("1", 3), Setting(3, n=7))
    assert found.sequence == (0, 4, 4, 4, 4, 4, 4) or found.worst_error is not None
    head = attend_positions(found.sequence, lambda q, a, i, j: Fraction(1))
    assert head.error == found.worst_error


@pytest.mark.parametrize(
    ("kernel", "setting", "fault"),
    [
        (uniform(3), Setting(2), "one m"),
        (uniform(3), Setting(3, readout="free"), "value map"),
        (PositionKernel.of_list("two", [uniform(2)] * 2), Setting(2, 3), "positions"),
        (TableKernel("t", 1, np.ones((2, 2))), Setting(1, 2000, mask="causal"), "causal mask"),
        (formula("t - 1", 2), Setting(2), "must be >= 0"),
        (FactorKernel("f", 1, [[1], [1]], [[1], [-1]]), Setting(1), "must be >= 0"),
    ],
)
def test_bad_input(kernel: Any, setting: Setting, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        decide(kernel, setting)
