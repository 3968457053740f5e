"""The layer bound against the theory's values, against the matrix it is about, and at sizes nobody can enumerate."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest

from kattn_bounds.certificates import writer
from kattn_bounds.certificates.checker import Rejected, check
from kattn_bounds.errors import InputError
from kattn_bounds.lower.decay import Decay
from kattn_bounds.lower.layer import best_layer, layer_bound, length_table, saturating_length
from kattn_bounds.setting import Readout, Setting

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("m", "n", "value"),
    [(8, 3, 4), (16, 3, 37), (32, 3, 1842), (64, 3, 3673157), (16, 4, 199), (12, 10, 571), (6, 3, 2)],
)
def test_values_of_the_theory(m: int, n: int, value: int) -> None:
    assert best_layer(Setting(m, n)).value == value


def sets(m: int, k: int) -> list[int]:
    return [sum(1 << i for i in c) for c in combinations(range(1, m + 1), k)]


def bound_of_matrix(rows: list[int], decay: Decay) -> Fraction:
    """(trace)^2 / (sum of squares) of the matrix of bounds h(|S - T|), the undefined ones must not occur."""
    total = Fraction(0)
    for s in rows:
        for t in rows:
            h = decay.h((s & ~t).bit_count())
            assert h is not None
            total += h * h
    return Fraction(len(rows) ** 2) / total


@pytest.mark.parametrize(("m", "n", "tau"), [(5, 3, "1/2"), (6, 4, "1/2"), (7, 3, "2/3"), (6, 3, "99/100")])
def test_the_ratio_is_that_of_the_matrix(m: int, n: int, tau: str) -> None:
    setting = Setting(m, n, Fraction(tau))
    for k in range(1, m):
        assert layer_bound(setting, k).ratio == bound_of_matrix(sets(m, k), Decay.of(setting))


@pytest.mark.parametrize("m", [5, 6, 8])
def test_residue_classes_of_the_free_readout(m: int) -> None:
    """Two k-sets of one sum mod m never differ in one element, and the best class is at least as good as the bound."""
    setting = Setting(m, 3, readout="free")
    for k in range(1, m):
        classes: dict[int, list[int]] = defaultdict(list)
        for s in sets(m, k):
            classes[sum(i for i in range(1, m + 1) if s >> i & 1) % m].append(s)
        best = max(bound_of_matrix(rows, Decay.of(setting)) for rows in classes.values())
        assert best >= layer_bound(setting, k).ratio
        assert layer_bound(setting, k).excess == 1
    assert layer_bound(Setting(m, 3, HALF, False, "free"), 2).excess == 0


def test_the_free_readout_below_one_half_is_the_inner_one_at_twice_the_tolerance() -> None:
    free = layer_bound(Setting(20, 4, Fraction(1, 4), readout="free"), 10)
    inner = layer_bound(Setting(20, 4, HALF), 10)
    assert (free.ratio, free.value) == (inner.ratio, inner.value - 1)


@pytest.mark.parametrize(("m", "n", "readout"), [(151, 3, "inner"), (160, 10, "inner"), (172, 5, "free")])
def test_floating_point_finds_the_best_layer(m: int, n: int, readout: Readout) -> None:
    setting = Setting(m, n, readout=readout)
    exact = max(layer_bound(setting, k).ratio for k in range(1, m // 2 + 1))
    assert best_layer(setting).ratio == exact


def test_large_sizes() -> None:
    large = best_layer(Setting(1000))
    assert str(large.value).startswith("117117773567604")
    assert len(str(large.value)) == 104
    check(writer.layer(Setting(1000), large.k, large.value))
    with pytest.raises(Rejected):
        check(writer.layer(Setting(1000), large.k, large.value + 1))
    assert best_layer(Setting(2000, readout="free")).value > 10**50


def test_the_table_over_lengths_tends_to_the_binomial() -> None:
    for m in (4, 6, 9):
        table = length_table(Setting(m), [3, 4, 5, 10, 34, 1000, 10**6])
        values = [value for _, value in table]
        assert values == sorted(values)
        assert values[-1] == comb(m, m // 2)
        last = saturating_length(Setting(m))
        assert last is not None
        assert best_layer(Setting(m, last)).value == comb(m, m // 2) > best_layer(Setting(m, last - 1)).value
    assert saturating_length(Setting(64)) is None


def test_growth_is_that_of_the_theory() -> None:
    """2 rho/(rho+1) from the ratio of the bounds at m and 2m, with the polynomial factor that L1 loses."""
    for n, base in ((3, 1.2679), (4, 1.4202), (5, 1.5), (6, 1.6), (10, 1.7778)):
        rho = float(Decay(n).rate)
        assert 2 * rho / (rho + 1) == pytest.approx(base, abs=1e-4)
        step = best_layer(Setting(400, n)).ratio / best_layer(Setting(200, n)).ratio
        assert (float(step) * 2**0.5) ** (1 / 200) == pytest.approx(base, rel=4e-3)


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="k = 0"):
        layer_bound(Setting(4), 0)
    with pytest.raises(InputError, match="m >= 2"):
        best_layer(Setting(1))
    with pytest.raises(InputError, match="n >= 3"):
        best_layer(Setting(4, 2))
