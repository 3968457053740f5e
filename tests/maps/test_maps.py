"""Published maps: each against its closed-form kernel or expectation, against values by hand, and against the bounds."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from brute import worst_error

from kattn_bounds.cube import inner
from kattn_bounds.errors import InputError
from kattn_bounds.kernels import parse_kernel
from kattn_bounds.kernels.positions import PositionKernel
from kattn_bounds.lower.bounds import lower_bounds
from kattn_bounds.maps.base import Array, PublishedMap, Realised, from_features
from kattn_bounds.maps.embedding import embed
from kattn_bounds.maps.evaluate import (
    Choice,
    best_outcome,
    choices,
    evaluate,
    kernel_of,
    realise,
    representative,
    success_rate,
)
from kattn_bounds.maps.favor import directions, positive_features
from kattn_bounds.maps.fourier import fourier_features
from kattn_bounds.maps.learned import _kernel_gradient, train
from kattn_bounds.maps.registry import ALL, find_map
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Verdict
from kattn_bounds.verify import decide

STORED = Path(__file__).parent.parent.parent / "experiments" / "attention_maps"


def table_of(name: str, m: int, choice: Choice, size: int = 0, seed: int = 0) -> Array:
    return realise(find_map(name), m, size, seed, choice).table


BY_HAND = {
    # One coordinate, query 1, tokens 0 and 1, at scale 1: the formula of the paper worked out.
    ("elu", "negated", 0): [1 / math.e, 2 / math.e],  # phi(-1) = 1/e, phi(0) = 1, phi(1) = 2
    ("relu", "centred", 0): [0.0, 0.0],  # relu(-1) = 0
    ("relu", "complement", 0): [0.0, 0.0],
    ("relu_squared", "pairs", 0): [1.0, 0.0],  # <(0,1),(1,1)> and <(0,1),(1,0)>
    ("hedgehog", "negated", 0): [1 / math.e + math.e, 2.0],  # e^-1 + e, e^-1 e + e e^-1
    ("polynomial", "pairs", 2): [4.0, 1.0],  # (1 + 1)^2, (1 + 0)^2
    ("polynomial", "complement", 3): [1.0, 1.0],
    ("taylor", "negated", 2): [1.0, 0.5],  # 1 - 1 + 1/2
    ("taylor", "pairs", 3): [1 + 1 + 0.5 + 1 / 6, 1.0],
    ("softmax", "negated", 0): [1.0, 1 / math.e],
    ("gaussian", "negated", 0): [math.exp(-0.5), math.exp(-2)],
    ("gaussian", "evened", 0): [math.exp(-1), math.exp(-2)],
}


@pytest.mark.parametrize(("name", "embedding", "size"), BY_HAND)
def test_values_by_hand(name: str, embedding: str, size: int) -> None:
    row = table_of(name, 1, Choice(embedding, 1.0), size)[1]
    assert row == pytest.approx(BY_HAND[name, embedding, size], abs=1e-15)


def test_cosformer_reweighs_positions() -> None:
    kernel = kernel_of(find_map("cosformer"), 2, 0, 0, Choice("pairs", 1.0))
    assert isinstance(kernel, PositionKernel)
    relu = table_of("relu", 2, Choice("pairs", 1.0))
    for j, angle in ((1, math.pi / 3), (2, math.pi / 6), (3, 0.0)):
        assert float(kernel.at(3, j).value(1, 2)) == pytest.approx(relu[1, 2] * math.cos(angle))
    assert (
        realise(find_map("cosformer"), 2, 0, 0, Choice("pairs", 1.0)).features == 8
    )  # two for each of 4 coordinates


@pytest.mark.parametrize("name", ["favor_positive", "favor_orthogonal", "fourier"])
def test_random_maps_have_the_right_expectation(name: str) -> None:
    m, choice = 2, Choice("evened", 1.0)
    x, y = embed("evened", m, 1.0)
    squares = ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2)
    expected = np.exp(-squares / 2) if name == "fourier" else np.exp(x @ y.T)
    draws = np.array([table_of(name, m, choice, 64, seed) for seed in range(400)])
    spread = draws.std(axis=0) / math.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - expected) < 5 * spread + 1e-12).all()
    assert (np.abs(draws.mean(axis=0) - 1.2 * expected) > 5 * spread).any()  # the test can fail


def test_orthogonal_directions() -> None:
    w = directions(6, 3, np.random.default_rng(1), orthogonal=True)
    for block in (w[:3], w[3:]):
        gram = block @ block.T
        assert np.abs(gram - np.diag(np.diag(gram))).max() < 1e-12
    lengths = (directions(3000, 3, np.random.default_rng(2), orthogonal=True) ** 2).sum(axis=1)
    assert lengths.mean() == pytest.approx(3, abs=0.2)  # chi-squared with 3 degrees of freedom
    assert lengths.var() == pytest.approx(6, abs=1.0)


def test_feature_formulas() -> None:
    w = np.array([[1.0, 0.0], [0.0, 2.0]])
    x = np.array([[1.0, 1.0]])
    assert positive_features(x, w)[0] == pytest.approx([1 / math.sqrt(2), math.e / math.sqrt(2)])
    found = fourier_features(x, w)[0] * math.sqrt(2)
    assert found == pytest.approx([math.cos(1), math.cos(2), math.sin(1), math.sin(2)])


@pytest.mark.parametrize("published", [p for p in ALL if p.symmetric], ids=lambda p: p.name)
def test_symmetric_maps_are_symmetric(published: PublishedMap) -> None:
    m, size = 3, {"order": 3, "fixed": 0}[published.size]
    for choice in choices(published):
        real = realise(published, m, size, 0, choice)
        for q in range(8):
            for a in range(8):
                twin = representative(q.bit_count(), a.bit_count(), inner(q, a), m)
                slack = real.absolute_error[q, a] + real.absolute_error[twin]
                assert abs(real.table[q, a] - real.table[twin]) <= slack


@pytest.mark.parametrize("published", ALL, ids=lambda p: p.name)
def test_verdicts_equal_brute_force(published: PublishedMap) -> None:
    m, size = 2, {"features": 24, "order": 2, "fixed": 0}[published.size]
    setting = Setting(m)
    for choice in choices(published):
        found = evaluate(published, setting, size, 1, choice)
        if found.low is None or found.high is None:
            continue
        kernel = kernel_of(published, m, size, 1, choice)

        def entry(q: int, a: int, i: int, j: int, kernel: object = kernel) -> Fraction:
            return (kernel.at(3, j) if isinstance(kernel, PositionKernel) else kernel).value(q, a)  # type: ignore[attr-defined]

        worst = worst_error(entry, setting)
        assert worst is not None
        assert found.low <= worst <= found.high
        assert found.high - found.low < Fraction(1, 10**9)
        assert (found.verdict is Verdict.PROVED) == (worst < setting.tolerance)


def test_no_map_beats_the_certified_bound() -> None:
    for m in range(2, 6):
        least = max(bound.value for bound in lower_bounds(Setting(m)))
        for published in ALL:
            for size in {"features": (2, 8, 64), "order": (1, 2, 3), "fixed": (0,)}[published.size]:
                found = best_outcome(published, Setting(m), size)
                assert found.verdict is not Verdict.PROVED or found.features >= least


def test_stored_results_respect_the_bound_and_are_reproduced() -> None:
    cells = json.loads((STORED / "table.json").read_text())
    assert {key for key in cells if key.endswith("m=08")} == {f"{p.name} m=08" for p in ALL}
    for key, cell in cells.items():
        name, _, m_text = key.partition(" m=")
        m = int(m_text)
        if cell["solves"]:
            assert cell["features"] >= max(bound.value for bound in lower_bounds(Setting(m)))
        published = find_map(name)
        if m > 4 or published.random:
            continue
        found = best_outcome(published, Setting(m), cell["size"])
        assert (found.verdict is Verdict.PROVED) == cell["solves"]
        assert found.features == cell["features"]


def test_rounding_is_never_trusted() -> None:
    def zeros(x: Array, y: Array, size: int, rng: np.random.Generator) -> Realised:
        return Realised(np.full((len(x), len(y)), 1e-30), 1, np.full((len(x), len(y)), 1e-20))

    unclear = PublishedMap("unclear", "none", zeros, "fixed")
    assert evaluate(unclear, Setting(2), 0, 0, Choice("negated", 1.0)).verdict is Verdict.UNDECIDED

    def edge(x: Array, y: Array, size: int, rng: np.random.Generator) -> Realised:
        # C2's threshold x = 1/sqrt 6 at m = 2: within rounding of the tolerance.
        bits = np.round(-(x @ y.T))
        table = (1 / math.sqrt(6)) ** bits
        return Realised(table, 4, np.full_like(table, 1e-12))

    close = PublishedMap("close", "none", edge, "fixed")
    assert evaluate(close, Setting(2), 0, 0, Choice("negated", 1.0)).verdict is Verdict.UNDECIDED

    def negative(x: Array, y: Array, size: int, rng: np.random.Generator) -> Realised:
        return from_features(np.ones((len(x), 1)), -np.ones((len(y), 1)))

    found = evaluate(
        PublishedMap("negative", "none", negative, "fixed"), Setting(1), 0, 0, Choice("negated", 1.0)
    )
    assert found.verdict is Verdict.REFUTED
    assert "K < 0" in found.evidence


def test_kernel_specification() -> None:
    assert decide(parse_kernel("maps:softmax@negated,1", 3), Setting(3)).solves
    kernel = parse_kernel("maps:favor_positive", 3, {"features": "64", "seed": "3"})
    assert kernel.name == "favor_positive"
    for spec, options, fault in (
        ("maps:nope", {}, "unknown"),
        ("maps:favor_positive", {}, "needs --features"),
        ("maps:elu@sideways", {}, "embedding 'sideways'"),
        ("maps:elu@negated,big", {}, "scale"),
        ("maps:fourier@evened", {"features": "4"}, "must be|give a finite"),
    ):
        with pytest.raises(InputError, match=fault):
            parse_kernel(spec, 3, options)


def test_a_map_from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_maps.py").write_text(
        "import math\n"
        "def squared_exponential(q, a):\n"
        "    return math.exp(-1.5 * sum(x * y for x, y in zip(q, a)))\n"
    )
    monkeypatch.chdir(tmp_path)
    assert decide(parse_kernel("my_maps:squared_exponential", 4), Setting(4)).solves


def test_success_grows_with_features() -> None:
    published = find_map("favor_positive")
    choice = Choice("negated", 2.0)
    rates = [success_rate(published, Setting(2), size, 10, choice) for size in (2, 200)]
    assert rates[0] < 0.5 < rates[1]


def test_gradient_of_training() -> None:
    # The loss is piecewise smooth in the kernel; compare with finite differences at fixed random sequences.
    setting = Setting(2)
    rng = np.random.default_rng(3)
    kernel = rng.random((4, 4)) + 0.5
    levels = np.array([[inner(q, a) for a in range(4)] for q in range(4)], dtype=float)
    gradient = _kernel_gradient(kernel, levels, setting, np.random.default_rng(7))
    assert np.isfinite(gradient).all()
    smaller = kernel - 0.05 * gradient / np.abs(gradient).max()
    assert worst(smaller, setting) < worst(kernel, setting)


def worst(kernel: Array, setting: Setting) -> Fraction:
    found = worst_error(lambda q, a, i, j: Fraction(float(kernel[q, a])), setting)
    assert found is not None
    return found


def test_training_reaches_the_task_and_not_below_the_bound() -> None:
    assert train(Setting(3), 5, seed=0, steps=1500).verdict is Verdict.PROVED
    assert train(Setting(3), 1, seed=0, steps=500).verdict is Verdict.REFUTED
