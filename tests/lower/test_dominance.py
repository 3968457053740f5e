"""Families of pairs: dominance, trace and shifted trace, exact; kernels that solve never violate them."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib.resources import files
from itertools import combinations
from math import ceil

import numpy as np
import pytest

from kattn_bounds.certificates import checker, writer
from kattn_bounds.cube import inner, parse_token
from kattn_bounds.errors import InputError
from kattn_bounds.lower.dominance import (
    column_scale,
    complement_pairs,
    dominant_family,
    groups,
    orbits,
    search_trace,
    step_counts,
    steps,
    trace_value,
)
from kattn_bounds.lower.layer import layer_bound
from kattn_bounds.setting import Setting

FOUR = complement_pairs([0b111000, 0b100110, 0b010101, 0b001011], 6)
FANO = [0b1110000, 0b1001100, 0b1000011, 0b0101010, 0b0100101, 0b0011001, 0b0010110]


def layer_sets(m: int, k: int) -> list[int]:
    return [sum(1 << i for i in c) for c in combinations(range(m), k)]


def solving_rows(pairs: list[tuple[int, int]], n: int, rng: np.random.Generator) -> np.ndarray:
    """K(q_i, a_j) of a random kernel that solves: x^t with noise small enough to keep (n-2)(2s-1) x^s below 1."""
    low = 0.99 / ((n - 2) * 1.3)
    while any((n - 2) * (2 * s - 1) * low**s * 1.3 >= 1 for s in range(1, 20)):
        low *= 0.95
    x = low * rng.uniform(0.3, 1.0)
    noise = rng.uniform(1.0, 1.3, (len(pairs), len(pairs)))
    return np.array([[x ** inner(q, a) for _, a in pairs] for q, _ in pairs]) * noise


def test_steps_are_set_differences() -> None:
    pairs = complement_pairs(FANO, 7)
    expected = [[(s & ~t).bit_count() for t in FANO] for s in FANO]
    assert steps(pairs).tolist() == expected
    assert step_counts(pairs) == {2: 42}


def test_dominance_on_the_example_and_its_twins() -> None:
    assert column_scale(Setting(6), FOUR) == [1] * 4
    more = [*FOUR, *complement_pairs([0b110001], 6)]
    assert column_scale(Setting(6), more) is None  # five rows, each with 4/3 off the diagonal or more
    assert column_scale(Setting(6, 5), more) is not None  # h(2) = 1/9 there
    with pytest.raises(InputError, match="levels above"):
        column_scale(Setting(6), [*FOUR, FOUR[0]])
    for n, size in ((3, 4), (5, 5)):
        certificate = writer.dominance(Setting(6, n), more[:size], column_scale(Setting(6, n), more[:size]))
        assert f">= {size}," in checker.check(json.loads(json.dumps(certificate)))


def test_column_scaling_matters() -> None:
    """n = 5, a star: the centre is 1 from each of four sets that are 2 apart, so its row has 4/3; weights repair it."""
    setting = Setting(8, 5)
    centre = 0b11110000
    leaves = [centre - (0b10000000 >> i) + (0b00001000 >> i) for i in range(4)]
    pairs = complement_pairs([centre, *leaves], 8)
    scale = column_scale(setting, pairs)
    assert scale is not None
    assert Fraction(4, 3) <= scale[0] / scale[1] <= 2
    checker.check(json.loads(json.dumps(writer.dominance(setting, pairs, scale))))
    with pytest.raises(checker.Rejected, match="not dominated"):
        checker.check(json.loads(json.dumps(writer.dominance(setting, pairs))))


@pytest.mark.parametrize("n", [3, 4, 6])
def test_ranks_of_solving_kernels(n: int) -> None:
    """Random solving kernels restricted to the families have the proved rank at least, and obey the trace bound."""
    rng = np.random.default_rng(n)
    for sets, m in (([q for q, _ in FOUR], 6), (FANO, 7), (layer_sets(6, 3), 6)):
        pairs = complement_pairs(sets, m)
        proved = ceil(trace_value(Setting(m, n), pairs))
        for shift in (Fraction(0), Fraction(1, 10), Fraction(1, 5)):
            value = trace_value(Setting(m, n), pairs, shift=shift)
            for _ in range(5):
                rows = solving_rows(pairs, n, rng)
                scaled = rows / np.diagonal(rows)[:, None] - float(shift)
                actual = np.trace(scaled) ** 2 / (scaled**2).sum()
                assert actual > float(value) * (1 - 1e-9)
                assert np.linalg.matrix_rank(rows) >= proved


def test_trace_on_a_layer_is_the_layer_bound() -> None:
    for m, n, k in ((6, 3, 3), (6, 5, 3), (7, 4, 2)):
        pairs = complement_pairs(layer_sets(m, k), m)
        assert trace_value(Setting(m, n), pairs) == layer_bound(Setting(m, n), k).ratio
        ones = [Fraction(1)] * len(pairs)
        assert trace_value(Setting(m, n), pairs, ones, ones, Fraction(1, 7)) == trace_value(
            Setting(m, n), pairs, shift=Fraction(1, 7)
        )


def test_shifted_trace_of_equidistant_sets() -> None:
    """N sets pairwise 2 apart at n = 3: 9N/(8+N) without shift, 25N/(24+N) with shift 1/6, by hand."""
    pairs = complement_pairs(FANO, 7)
    assert trace_value(Setting(7), pairs) == Fraction(9 * 7, 8 + 7)
    assert trace_value(Setting(7), pairs, shift=Fraction(1, 6)) == Fraction(25 * 7, 24 + 7)
    with pytest.raises(InputError, match="shift"):
        trace_value(Setting(7), pairs, shift=Fraction(1))


def test_searched_codes() -> None:
    """S(3,4,8) is found at m = 8 (14 blocks), and the bound at m = 11, n = 3 passes both m and L1."""
    eight = search_trace(Setting(8), shifted=False, starts=3)
    assert (len(eight.pairs), eight.exact) == (14, Fraction(14) / (1 + Fraction(12, 9) + Fraction(1, 81)))
    shifted = search_trace(Setting(8), shifted=True, starts=2)
    assert shifted.value >= 9 > 8
    assert shifted.shift > 0


def test_groups_act_and_orbits_partition() -> None:
    for m in (7, 8, 12):
        for _, generators in groups(m):
            assert all(sorted(g) == list(range(m)) for g in generators)
    squares = dict(groups(12))["PSL(2,11)"]
    sizes = sorted(len(o) for o in orbits(12, 6, squares))
    assert sum(sizes) == 924
    assert 132 in sizes  # the blocks of S(5,6,12)


def test_dominant_family_is_proved() -> None:
    family = dominant_family(Setting(7, 4), 2, seconds=2.0)
    assert len(family) >= 7
    scale = column_scale(Setting(7, 4), family)
    assert f">= {len(family)}," in checker.check(
        json.loads(json.dumps(writer.dominance(Setting(7, 4), family, scale)))
    )


STORED = sorted(
    (
        p
        for p in files("kattn_bounds").joinpath("data", "lower").iterdir()
        if p.name.startswith(("trace", "dominance"))
    ),
    key=lambda p: p.name,
)


@pytest.mark.parametrize("path", STORED, ids=lambda p: p.name)
def test_stored_certificates(path) -> None:  # type: ignore[no-untyped-def]
    certificate = json.loads(path.read_text(encoding="utf-8"))
    value = int(path.name.split("-d")[1].removesuffix(".json"))
    assert f">= {value}," in checker.check(certificate)
    certificate["claim"]["value"] = value + 1
    with pytest.raises(checker.Rejected):
        checker.check(certificate)
    certificate["claim"]["value"] = value
    certificate["data"]["pairs"][0] = certificate["data"]["pairs"][1]
    with pytest.raises(checker.Rejected):
        checker.check(certificate)
    m = certificate["setting"]["m"]
    assert all(parse_token(q, m) + parse_token(a, m) == 2**m - 1 for q, a in certificate["data"]["pairs"])
