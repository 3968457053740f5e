"""Enclosures of the exponents against the theory's tables, an independent minimisation, and S1."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import arb

from kattn_bounds.cli.main import run
from kattn_bounds.errors import InputError
from kattn_bounds.lower.decay import Decay
from kattn_bounds.lower.exponent import (
    Enclosure,
    Piece,
    closed_c8,
    exponents,
    least_size,
    minimise,
    separation,
    separation_from_rate,
)
from kattn_bounds.lower.layer import layer_bound
from kattn_bounds.setting import Setting

# theory-frontier.md: bases of L1, C7 (beta), L9 (beta), C8, C6, C5
TABLE = {
    3: (1.26795, 1.28419, 0.2905, 1.30566, 0.2526, 1.33031, 1.39614, 1.42265),
    4: (1.42020, 1.43818, 0.2199, 1.45384, 0.1955, 1.49256, 1.57160, 1.59175),
    5: (1.5, 1.51761, 0.1860, 1.52900, 0.1688, 1.57212, 1.65096, 1.66667),
    6: (1.6, 1.61608, 0.1456, 1.62319, 0.1353, 1.66700, 1.73965, 1.75),
    10: (1.77778, 1.78854, 0.0782, 1.79066, 0.0753, 1.82358, 1.87179, 1.875),
    34: (1.93939, 1.94275, 0.0208, 1.94291, 0.0206, 1.95385, 1.96852, 1.96875),
}


def entropy(x: float) -> float:
    return 0.0 if x in (0.0, 1.0) else -x * math.log2(x) - (1 - x) * math.log2(1 - x)


def by_grid(n: int) -> dict[str, float]:
    """C7, C8 and L9 straight from their definitions, with the inner maxima over delta on a grid."""
    rho = float(Decay(n).rate)
    theta = (1 - math.sqrt(1 - 1 / rho)) / 2
    log_rho = math.log2(rho)

    def near(beta: float, rate: float) -> float:
        def value(delta: float) -> float:
            inside = (beta - delta / 2) / (1 - delta)
            return (
                delta
                + (1 - delta) * entropy(min(max(inside, 0.0), 1.0))
                - entropy(beta)
                + delta * math.log2(rate)
            )

        return max(value(d) for d in np.linspace(0, 2 * beta, 400))

    def c7(beta: float) -> float:
        f1 = 1 - entropy(beta) + beta * log_rho
        far = (1 - 2 * beta) * (1 + math.log2(1 - theta))
        return max(f1, 1 - entropy(beta) + near(beta, rho), far)

    def c8(beta: float) -> float:
        f1 = 1 - entropy(beta) + beta * log_rho
        return max(f1 + near(beta, math.sqrt(rho)), (1 - 2 * beta) * (1 + math.log2(1 - theta)))

    def l9(beta: float) -> float:
        top = 1 / (1 + math.sqrt(rho))
        delta = min(2 * beta, top)
        capped = entropy(beta) if beta < 0.5 else 1.0
        return 1 + beta * log_rho - min(capped, entropy(delta) - delta * log_rho / 2)

    inside = np.linspace(theta, 0.499, 300)
    return {
        "C7": min(map(c7, inside)),
        "C8": min(map(c8, inside)),
        "L9": min(map(l9, np.linspace(1e-6, 0.9, 3000))),
    }


@pytest.mark.parametrize("n", TABLE)
def test_agrees_with_the_tables(n: int) -> None:
    l1, c7, c7_beta, l9, l9_beta, c8, c6, c5 = TABLE[n]
    found = {e.id: e for e in exponents(n)}
    for name, base in {"L1": l1, "C7": c7, "L9": l9, "C8": c8, "C6": c6, "C5": c5}.items():
        assert found[name].base.width < Fraction(1, 10**12)
        assert abs(float(found[name].base) - base) < 1e-5 + 1e-9
        assert abs(2 ** float(found[name].exponent) - float(found[name].base)) < 1e-12
    assert abs(float(found["C7"].beta or 0) - c7_beta) <= 1.01e-4
    assert abs(float(found["L9"].beta or 0) - l9_beta) <= 1.01e-4


def test_known_closed_forms() -> None:
    """Bases 1.5, 1.6, 16/9 and 2 - 1/rho lie inside, and C8's minimum is its closed form."""
    for n, l1, c5 in ((5, "3/2", "5/3"), (6, "8/5", "7/4"), (10, "16/9", "15/8")):
        found = {e.id: e for e in exponents(n)}
        assert found["L1"].base.lower <= Fraction(l1) <= found["L1"].base.upper
        assert found["C5"].base.lower <= Fraction(c5) <= found["C5"].base.upper
    for n in (3, 4, 5, 9, 50):
        minimum, closed = next(e for e in exponents(n) if e.id == "C8").exponent, closed_c8(n)
        assert minimum.lower <= closed.upper
        assert closed.lower <= minimum.upper


@pytest.mark.parametrize("n", [3, 4, 7])
def test_agrees_with_the_definitions_on_a_grid(n: int) -> None:
    """A grid never goes below the enclosed minimum, and comes close to it."""
    found = {e.id: e.exponent for e in exponents(n)}
    for name, value in by_grid(n).items():
        assert value > float(found[name].lower) - 2e-4  # the inner maximum over delta is on a grid too
        assert value < float(found[name].upper) + 5e-3


def test_ordering_and_other_tolerances() -> None:
    for n, tau in ((3, Fraction(1, 3)), (3, Fraction(3, 4)), (4, Fraction(1, 10)), (12, Fraction(1, 2))):
        found = {e.id: e.exponent for e in exponents(n, tau)}
        assert found["L1"].upper < found["C7"].lower
        assert found["L1"].upper < found["L9"].lower
        assert found["L9"].upper < found["C8"].lower < found["C6"].lower
        assert found["C6"].upper < found["C5"].lower


def test_the_minimum_is_enclosed_not_only_approached() -> None:
    """A kink, a smooth minimum and a minimum at the edge, each known."""
    one = arb(1)
    kink, _ = minimise([Piece(0 * one, 2 * one), Piece(3 * one, -one)], arb(0), arb(5))
    assert kink.contains(2)
    smooth, where = minimise([Piece(one, 0 * one, 1)], arb("0.25"), arb("0.75"))
    assert smooth.contains(0)
    assert abs(float(where) - 0.5) < 1e-6
    edge, _ = minimise([Piece(0 * one, one)], arb(2), arb(3))
    assert edge.contains(2)
    for ball in (kink, smooth, edge):
        assert Enclosure.of(ball).width < Fraction(1, 10**6)


def test_separation_for_every_length() -> None:
    """n = 3, 4 by enclosure; from rho_0 <= 3 on, that is n >= 5, by the checked proof; sampled lengths agree."""
    assert separation_from_rate().upper <= 3
    assert min(float(Decay(n).rate) for n in range(5, 400)) == 3.0
    for n in (3, 4, 5, 6, 17, 100, 500):
        found = separation(n)
        assert found.holds
        assert found.gap.lower > 0
    gaps = [separation(n).gap for n in (3, 4, 5, 10, 34)]
    assert all(a.lower > b.upper for a, b in pairwise(gaps))
    # The gap is of the order rho^-2: it falls to a quarter when rho doubles.
    ratio = float(separation(202).gap) / float(separation(402).gap)
    assert 3.8 < ratio < 4.2


@pytest.mark.parametrize(("c", "n"), [("6/5", 3), ("5/4", 3), ("7/5", 4), ("3/2", 6)])
def test_least_size_is_exact(c: str, n: int) -> None:
    base = Fraction(c)
    size = least_size(base, n)
    assert size is not None
    ratios = {m: layer_bound(Setting(m, n), m // 2).ratio for m in range(max(2, size - 1), size + 40)}
    assert ratios.pop(size - 1, Fraction(0)) < base ** (size - 1)
    assert all(ratio >= base**m for m, ratio in ratios.items())


def test_bad_input() -> None:
    with pytest.raises(InputError, match="tolerance"):
        exponents(3, Fraction(1))
    with pytest.raises(InputError, match="too close"):
        least_size(Fraction(12679, 10000), 3, limit=100)
    with pytest.raises(InputError, match="above 1"):
        least_size(Fraction(1), 3)
    assert least_size(Fraction(13, 10), 3) is None


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["exponents", "--n", "3,5-6", "--beat", "6/5", "--json", "-"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [entry["n"] for entry in report] == [3, 5, 6]
    assert report[0]["beat"] == {"c": "6/5", "from_m": 11}
    low, high = (Fraction(x) for x in report[0]["exponents"][1]["exponent"])
    assert low < Fraction("0.36086") < high + Fraction(1, 10**6)
    assert run(["exponents", "--n", "3", "--tolerance", "1/3"]) == 0
    assert all(len(line) <= 100 for line in capsys.readouterr().out.splitlines())
    assert run(["exponents", "--n", "2"]) == 2
    assert run(["exponents", "--n", "3,x", "--tolerance", "7"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 3
