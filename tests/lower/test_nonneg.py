"""L9 at finite m: its ingredients by brute force, its inequality on real features, and where it passes L1."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import networkx as nx
import pytest

from kattn_bounds.certificates import writer
from kattn_bounds.certificates.checker import Rejected, check, intersecting
from kattn_bounds.errors import InputError
from kattn_bounds.lower.decay import Decay
from kattn_bounds.lower.layer import best_layer
from kattn_bounds.lower.nonneg import nonneg_bound, passes_layer
from kattn_bounds.setting import Readout, Setting


def layer_sets(m: int, k: int) -> list[int]:
    return [sum(1 << i for i in c) for c in combinations(range(m), k)]


def test_intersecting_families_by_maximum_clique() -> None:
    for m in range(2, 7):
        for k in range(1, m):
            for t in range(k + 1):
                graph = nx.Graph()
                graph.add_nodes_from(layer_sets(m, k))
                graph.add_edges_from(
                    (s, u) for s, u in combinations(layer_sets(m, k), 2) if (s & u).bit_count() >= t
                )
                _, size = nx.max_weight_clique(graph, weight=None)
                assert intersecting(m, k, t) == size, (m, k, t)


def frankl_family(m: int, k: int, t: int, i: int) -> int:
    return sum((s & ((1 << (t + 2 * i)) - 1)).bit_count() >= t + i for s in layer_sets(m, k))


def test_intersecting_families_are_the_best_of_frankls() -> None:
    for m in range(2, 13):
        for k in range(1, m):
            for t in range(max(1, 2 * k - m + 1), k + 1):
                best = max(frankl_family(m, k, t, i) for i in range((m - t) // 2 + 1))
                assert intersecting(m, k, t) == best, (m, k, t)


def monomial_features(m: int, weights: dict[int, int]) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
    masks = [mask for mask in range(1 << m) if mask.bit_count() in weights]
    phi = [[Fraction(weights[t.bit_count()] * (t & q == t)) for t in masks] for q in range(1 << m)]
    psi = [[Fraction(t & a == 0) for t in masks] for a in range(1 << m)]
    return phi, psi


def test_the_argument_on_the_nine_features_of_m_4() -> None:
    """Inequalities (i), (ii) and the three bounds on b(w), on a kernel that solves with 9 non-negative features."""
    m, k, decay = 4, 2, Decay(3)
    phi, psi = monomial_features(m, {0: 1, 1: 20, 3: 20})
    features, rows, full = range(len(phi[0])), layer_sets(m, k), (1 << m) - 1
    diagonal = {s: sum(phi[s][f] * psi[full - s][f] for f in features) for s in rows}
    p = {s: [phi[s][f] * psi[full - s][f] / diagonal[s] for f in features] for s in rows}
    for s in rows:
        assert sum(p[s]) == 1
        for t in rows:
            h = decay.h((s & ~t).bit_count())
            assert h is not None
            assert all(p[s][f] * p[t][f] <= h * h for f in features)
            assert sum(float(p[s][f] * p[t][f]) ** 0.5 for f in features) <= float(h) + 1e-12
    levels = sorted({x for s in rows for x in p[s] if x})
    total = Fraction(0)
    for low, w in zip([Fraction(0), *levels[:-1]], levels, strict=True):
        sizes = [sum(p[s][f] >= w for s in rows) for f in features]
        r = max(s for s in range(k + 1) if (decay.h(s) or 0) >= w)
        assert max(sizes) <= intersecting(m, k, k - r)
        assert sum(sizes) <= len(rows) / w
        total += (w - low) * sum(sizes)
    assert total == len(rows)
    assert nonneg_bound(Setting(m)).value <= len(features)


@pytest.mark.parametrize(("m", "cost"), [(4, 9), (6, 23), (8, 65), (10, 176), (12, 640)])
def test_it_stays_below_the_known_constructions(m: int, cost: int) -> None:
    """The costs are those of theory.md, C4: non-negative features that do solve n = 3."""
    assert nonneg_bound(Setting(m)).value <= cost


def test_the_value_is_the_threshold_of_a_plain_evaluation() -> None:
    """The same inequality in floating point, written anew."""
    from math import comb, sqrt

    for m, n in ((6, 3), (13, 3), (16, 4), (24, 3)):
        k, decay, sets = m // 2, Decay(n), comb(m, m // 2)
        h = [float(decay.h(s) or 0) for s in range(k + 1)]

        def right_side(d: float, m: int = m, k: int = k, h: list[float] = h, sets: int = sets) -> float:
            total, weight = 0.0, 0.0
            for r in range(k + 1):
                weight += comb(k, r) * comb(m - k, r) * h[r]
                high, low = min(1.0, max(h[r:])), min(1.0, max([*h[r + 1 :], 0.0]))
                options = [d * intersecting(m, k, k - r) * (high - low)]
                options.append(2 * sqrt(d * sets * weight) * (sqrt(high) - sqrt(low)))
                total += min(options)
            return total

        value = nonneg_bound(Setting(m, n)).value
        assert right_side(value - 1 - 1e-6) < sets <= right_side(value + 1e-6)


@pytest.mark.parametrize("readout", ["inner", "free"])
def test_the_checker_draws_the_same_line(readout: Readout) -> None:
    """Its integer square roots accept the value found in ball arithmetic, and not one more (at 40 binary digits)."""
    for m, n in ((2, 3), (5, 3), (13, 3), (24, 4), (33, 10), (64, 3)):
        for tau in (
            (Fraction(1, 2), Fraction(2, 3), Fraction(1, 5)) if readout == "inner" else (Fraction(1, 3),)
        ):
            setting = Setting(m, n, tau, readout=readout)
            found = nonneg_bound(setting)
            if found.value >= 1:
                assert "nonneg" in check(writer.nonneg(setting, found.k, found.value))
            with pytest.raises(Rejected, match="not excluded"):
                check(writer.nonneg(setting, found.k, found.value + 1 + (found.value >> 39)))


def test_a_long_value_is_accepted() -> None:
    found = nonneg_bound(Setting(300))
    check(writer.nonneg(Setting(300), found.k, found.value))
    with pytest.raises(Rejected, match="not excluded"):
        check(writer.nonneg(Setting(300), found.k, found.value + (found.value >> 39)))


def test_where_it_passes_the_layer_bound() -> None:
    assert passes_layer(Setting(2), 48) == 28
    for m, n in ((64, 3), (64, 4), (64, 5), (200, 3)):
        assert nonneg_bound(Setting(m, n)).value > best_layer(Setting(m, n)).value
    assert nonneg_bound(Setting(13)).value == 14


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="tolerance < 1"):
        nonneg_bound(Setting(6, readout="free"))
    with pytest.raises(InputError, match="m >= 2"):
        nonneg_bound(Setting(1))
