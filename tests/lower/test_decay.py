"""Decay: its values, the sequences it comes from replayed one by one, its sharpness, and random solving kernels."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from kattn_bounds.certificates.checker import Rejected, check
from kattn_bounds.errors import InputError
from kattn_bounds.kernels import TableKernel, signed_token_values, softmax, uniform
from kattn_bounds.lower.bounds import best, lower_bounds
from kattn_bounds.lower.decay import Decay, derive, derive_positions, tokens_of_chain
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Verdict
from kattn_bounds.verify import decide

HALF = Fraction(1, 2)


def test_values_of_the_theory() -> None:
    decay = Decay(3)
    assert [decay.h(s) for s in range(8)] == [1, 1, *(Fraction(1, d) for d in (3, 5, 9, 15, 27, 45))]
    assert str(decay.rate) == "sqrt(3)"
    assert str(Decay(4).rate) == "sqrt(6)"
    for n in range(5, 40):
        assert str(Decay(n).rate) == str(n - 2)
    assert str(Decay.of(Setting(9, n=3, readout="free")).rate) == str(Decay(3, Fraction(1)).rate) == "4^(1/5)"


@pytest.mark.parametrize("tau", ["1/2", "1/10", "3/4", "99/100", "1"])
def test_the_rate_is_what_h_decays_at(tau: str) -> None:
    """rho^s h(s) stays bounded on both sides, and no part above 6 is faster."""
    for n in (3, 4, 9):
        decay = Decay(n, Fraction(tau))
        rate = decay.rate
        for s in range(1, 60):
            g = decay.g(s)
            if g is not None:
                assert (1 / g) ** rate.root <= rate.base**s
        h = decay.h(60)
        assert h is not None
        assert (1 / h) ** rate.root <= rate.base**60
        constant = max(float(decay.h(s) or 1) * float(rate) ** s for s in range(2, 12))
        assert float(h) * float(rate) ** 60 <= constant * 1.0001


def coefficients(
    setting: Setting, tokens: Sequence[int], side: str | None = None
) -> dict[tuple[str, int, int], Fraction]:
    """The constraint of one sequence written out from its definition, indexed by (K or N, token, position)."""
    q = tokens[-1]
    attended = list(tokens) if setting.self_included else list(tokens[:-1])
    y = min((q & x).bit_count() for x in attended)
    found: dict[tuple[str, int, int], Fraction] = defaultdict(Fraction)
    for j, x in enumerate(attended, start=1):
        if side is None:
            found["K", x, j] += (q & x).bit_count() - y - setting.tolerance
        else:
            sign = 1 if side == "upper" else -1
            found["N", x, j] += sign
            found["K", x, j] += -sign * y - setting.tolerance
    return found


@pytest.mark.parametrize("n", [3, 4, 5, 6])
@pytest.mark.parametrize("self_included", [True, False])
def test_each_sequence_of_a_derivation_gives_the_inequality_it_is_used_for(
    n: int, self_included: bool
) -> None:
    for s in range(1, 13):
        setting = Setting(13, n, HALF, self_included)
        decay = Decay(n)
        q, a, b = (1 << 13) - 2, 1, (1 << (s + 1)) - 1
        links = decay.chain(s)
        assert [link.lower for link in links] == [0, *(link.upper for link in links[:-1])]
        assert links[-1].upper == s
        product_of_factors = Fraction(1)
        for link in links:
            product_of_factors *= link.factor
        assert product_of_factors == decay.h(s)

        tokens = tokens_of_chain(setting, q, a, b)
        certificate = derive(setting, q, a, b)
        total: dict[int, Fraction] = defaultdict(Fraction)
        sequences = [step for step in certificate["data"]["steps"] if "sequence" in step]
        assert len(sequences) == len(links)
        for step, link, low, high in zip(reversed(sequences), links, tokens[:-1], tokens[1:], strict=True):
            sequence = [int(x, 2) for x in step["sequence"]]
            assert sequence == [high] * (n - 2) + [low, q]
            found: dict[int, Fraction] = defaultdict(Fraction)
            for (_, x, _), c in coefficients(setting, sequence).items():
                found[x] += c
            own = found.pop(q, Fraction(0))
            assert own >= 0
            assert found == {low: -HALF, high: HALF / link.factor}  # K(high) < factor K(low)
            for x, c in {**found, q: own}.items():
                total[x] += Fraction(step["multiplier"]) * c
        total[q] -= sum(
            Fraction(step["multiplier"]) for step in certificate["data"]["steps"] if "nonneg" in step
        )
        assert {x: c for x, c in total.items() if c} == {b: 1, a: -decay.h(s)}
        assert check(certificate).startswith("derivation: 1*K(")


def test_a_sharper_claim_is_not_derived() -> None:
    certificate = derive(Setting(3), 0b111, 0b000, 0b011)
    certificate["claim"]["terms"][1][0] = str(Fraction(-1, 3) + Fraction(1, 10**30))
    with pytest.raises(Rejected):
        check(certificate)


@pytest.mark.parametrize("n", [3, 4, 5])
@pytest.mark.parametrize("tau", ["1/2", "2/3", "1/4"])
def test_decay_is_sharp(n: int, tau: str) -> None:
    """K = (1-eps)^t h(t), K(q,q) tiny, solves: so no constant below h(s) is forced."""
    m, t, shrink = 4, Fraction(tau), 1 - Fraction(1, 10**9)
    decay = Decay(n, t)
    table = np.empty((16, 16), dtype=object)
    for q, a in product(range(16), repeat=2):
        level = (q & a).bit_count()
        h = decay.h(level)
        assert h is not None
        table[q, a] = Fraction(1, 10**12) if q == a else h * shrink**level
    found = decide(TableKernel("sharp", m, table), Setting(m, n, t))
    assert found.verdict is Verdict.PROVED


@pytest.mark.parametrize("n", [3, 4, 5])
def test_the_free_derivation_is_accepted_at_every_step(n: int) -> None:
    for tau, own in product((HALF, Fraction(1, 3)), (True, False)):
        setting = Setting(8, n, tau, own, "free")
        for s in range(1, 8):
            q, a, b = 0b11111110, 0b1, (2 << s) - 1
            if Decay.of(setting).h(s) is None:
                with pytest.raises(InputError):
                    derive(setting, q, a, b)
            else:
                assert "free readout" in check(derive(setting, q, a, b))
                assert "free readout" in check(derive(setting, q, 0, q & b))


@pytest.mark.parametrize("self_included", [True, False])
def test_position_dependent_inequalities_add_up(self_included: bool) -> None:
    """Every token gets one of the n - 1 positions in turn; the sum is the inequality for Kbar, term by term."""
    for n, tau in product((3, 4, 6), (HALF, Fraction(1))):
        setting = Setting(5, n, tau, self_included)
        for s in range(1, 5):
            q, a, b = 0b11110, 0b00001, (2 << s) - 1
            if s <= tau:
                with pytest.raises(InputError):
                    derive_positions(setting, q, a, b)
                continue
            certificate = derive_positions(setting, q, a, b)
            check(certificate)
            total: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
            for step in certificate["data"]["steps"]:
                if "sequence" in step:
                    for (_, x, j), c in coefficients(setting, [int(x, 2) for x in step["sequence"]]).items():
                        total[x, j] += Fraction(step["multiplier"]) * c
                else:
                    assert step["nonneg"] == {"q": "11110", "a": "11110", "j": n}
                    total[q, n] -= Fraction(step["multiplier"])
            expected = {(b, j): (n - 2) * (s - tau) for j in range(1, n)} | {
                (a, j): -tau for j in range(1, n)
            }
            assert {key: c for key, c in total.items() if c} == expected


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="n >= 3"):
        Decay(2)
    with pytest.raises(InputError, match="tolerance"):
        Decay.of(Setting(3, 3, Fraction(3, 5), readout="free"))
    with pytest.raises(InputError, match="levels above"):
        derive(Setting(3), 0b111, 0b001, 0b010)
    with pytest.raises(InputError, match="larger s"):
        derive(Setting(3, 3, Fraction(1)), 0b111, 0b001, 0b011)


# ------------------------------------------------------------------------ random solving kernels


def perturbed(rng: random.Random, base: np.ndarray, spread: int) -> np.ndarray:
    """Rows and columns rescaled, entries moved by up to a few percent; exact."""
    size = len(base)
    noise = np.array(
        [[Fraction(100 + rng.randint(-spread, spread), 100) for _ in range(size)] for _ in range(size)]
    )
    rows = np.array([Fraction(rng.randint(1, 50), 7) for _ in range(size)])
    result: np.ndarray = base * noise * rows[:, None]
    return result


def table_of(kernel: object, m: int) -> np.ndarray:
    return np.array([[kernel.value(q, a) for a in range(1 << m)] for q in range(1 << m)], dtype=object)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("m", "n", "x"),
    [(2, 3, "1/3"), (3, 3, "3/8"), (4, 3, "1/3"), (3, 4, "1/4"), (4, 5, "1/5"), (3, 6, "1/6")],
)
def test_random_solving_kernels_obey_every_derived_inequality(m: int, n: int, x: str) -> None:
    rng = random.Random(m * 10 + n)
    setting, decay = Setting(m, n), Decay(n)
    base = table_of(softmax(m, Fraction(x)), m)
    bound = best(lower_bounds(setting)).value
    solved = 0
    for spread in (0, 1, 2, 4, 8, 16, 24) * 3:
        table = perturbed(rng, base, spread)
        if decide(TableKernel("random", m, table), setting).verdict is not Verdict.PROVED:
            continue
        solved += 1
        for q, a, b in product(range(1 << m), repeat=3):
            step = (q & b).bit_count() - (q & a).bit_count()
            if step >= 1:
                assert table[q, b] < decay.h(step) * table[q, a]
        assert np.linalg.matrix_rank(table.astype(float)) >= bound
    assert solved >= 3


def test_random_free_heads_obey_the_derived_inequality() -> None:
    """L3: K(q,.) + K(q,q)/(n-1) decays as the inner readout at twice the tolerance."""
    rng = random.Random(3)
    solved = 0
    for m, n, tau in ((2, 3, HALF), (3, 3, HALF), (2, 4, Fraction(1, 3)), (3, 3, Fraction(2, 5))):
        setting = Setting(m, n, tau, readout="free")
        decay = Decay.of(setting)
        base = table_of(softmax(m, Fraction(1, 8)), m)
        values = np.array([[Fraction((q & a).bit_count()) for a in range(1 << m)] for q in range(1 << m)])
        for _ in range(12):
            table = perturbed(rng, base, 10)
            moved = values + np.array([[Fraction(rng.randint(-1, 1), 20) for _ in row] for row in values])
            if (
                decide(TableKernel("k", m, table), setting, TableKernel("v", m, np.abs(moved))).verdict
                is not Verdict.PROVED
            ):
                continue
            solved += 1
            for q, a, b in product(range(1 << m), repeat=3):
                step = (q & b).bit_count() - (q & a).bit_count()
                h = decay.h(step) if step >= 1 else None
                if h is not None:
                    own = table[q, q] / (n - 1)
                    assert table[q, b] + own < h * (table[q, a] + own)
    assert solved >= 10


def test_the_uniform_head_shows_that_length_two_has_no_decay() -> None:
    setting = Setting(3, 2, readout="free")
    assert decide(uniform(3), setting, signed_token_values(3)).verdict is Verdict.PROVED
    with pytest.raises(InputError):
        Decay.of(setting)
