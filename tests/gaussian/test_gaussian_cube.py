"""Verdicts on the cube against brute force, and against the toolkit's own verifier."""

from __future__ import annotations

import itertools
from fractions import Fraction as F

import numpy as np
import pytest
from flint import arb, ctx, fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from kattn_bounds.cube import inner
from kattn_bounds.gaussian import bandwidth, spectrum
from kattn_bounds.gaussian.bandwidth import evaluate_exact, nonnegative_for_all, sign_at, solving_windows
from kattn_bounds.gaussian.cube import (
    LAST_STEP,
    MINIMUM_TASKS,
    RETRIEVAL_TASKS,
    Task,
    analyse,
    condition,
    output_enclosure,
)
from kattn_bounds.kernels import gaussian as kernels
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Verdict
from kattn_bounds.verify import decide

BUILD = {
    "projection-free": kernels.gaussian,
    "norm-evening": kernels.norm_evening_gaussian,
    "complemented": kernels.complemented_gaussian,
}
TOLERANCES = [F(1, 7), F(1, 3), F(1, 2), F(2, 3), F(3, 4), F(9, 10), F(1)]


def solves_at(task: Task, setting: Setting, g: F) -> bool:
    """What the short list of sequences says at a rational g."""
    sequences = [] if setting.n == 1 else task.worst(setting)
    return all(evaluate_exact(condition(task, setting, s), g) < 0 for s in sequences)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(MINIMUM_TASKS),
    st.integers(1, 6),
    st.integers(2, 7),
    st.sampled_from(TOLERANCES),
    st.booleans(),
    st.fractions(F(1, 50), F(49, 50), max_denominator=50),
)
def test_short_list_agrees_with_the_verifier(
    task: Task, m: int, n: int, tolerance: F, included: bool, g: F
) -> None:
    setting = Setting(m, n, tolerance, included)
    decision = decide(BUILD[task.head.name](m, g), setting)
    assert (decision.verdict is Verdict.PROVED) == solves_at(task, setting, g)


def test_short_list_finds_the_isolated_window_of_the_complemented_head() -> None:
    setting = Setting(3, 3, F(3, 4))
    task = MINIMUM_TASKS[2]
    for g, expected in ((F(38, 100), False), (F(2, 5), True), (F(43, 100), False)):
        assert solves_at(task, setting, g) is expected
        assert (decide(BUILD["complemented"](3, g), setting).verdict is Verdict.PROVED) is expected
    (window,) = analyse(task, setting).windows
    assert window.low is not None
    assert window.high is not None


def admissible(task: Task, setting: Setting, tokens: tuple[int, ...]) -> bool:
    if "equal weights" in task.name:
        return len({t.bit_count() for t in tokens}) == 1
    if "unique" in task.name:
        attended = tokens if setting.self_included else tokens[:-1]
        distances = sorted((t ^ tokens[-1]).bit_count() for t in attended)
        return len(distances) == 1 or distances[0] < distances[1]
    return True


def brute_force_solves(task: Task, setting: Setting, g: F) -> bool:
    """Every admissible sequence, with the target taken from the definition of the task."""
    powers = [g**d for d in range(setting.m + 1)]
    for tokens in itertools.product(range(1 << setting.m), repeat=setting.n):
        if not admissible(task, setting, tokens):
            continue
        q = tokens[-1]
        attended = tokens if setting.self_included else tokens[:-1]
        weights = [powers[(q ^ x).bit_count()] for x in attended]
        total = sum(weights)
        if "recall" in task.name:
            nearest = min(attended, key=lambda x: (q ^ x).bit_count())
            for i in range(setting.m):
                output = sum(w for w, x in zip(weights, attended, strict=True) if x >> i & 1) / total
                if not abs(output - (nearest >> i & 1)) < setting.tolerance:
                    return False
            continue
        values = [inner(q, x) if "inner" in task.name else (q ^ x).bit_count() for x in attended]
        target = max(values) if "maximum" in task.name else min(values)
        output = sum(w * v for w, v in zip(weights, values, strict=True)) / total
        if not abs(output - target) < setting.tolerance:
            return False
    return True


@pytest.mark.parametrize("task", RETRIEVAL_TASKS, ids=lambda t: t.name)
@pytest.mark.parametrize(("m", "n"), [(1, 3), (2, 2), (2, 3), (2, 4), (3, 3), (4, 2), (4, 3)])
def test_retrieval_tasks_against_every_sequence(task: Task, m: int, n: int) -> None:
    seen = set()
    for included in (True, False):
        for tolerance in (F(1, 2), F(1, 5)):
            setting = Setting(m, n, tolerance, included)
            for g in (F(1, 10), F(2, 5), F(11, 20), F(4, 5)):
                expected = solves_at(task, setting, g)
                assert brute_force_solves(task, setting, g) == expected
                seen.add(expected)
    if n > 2 and not (m == 1 and "equal" in task.name):
        assert seen == {True, False}


@pytest.mark.parametrize(("sigma2", "expected"), [(F(11, 10), Verdict.PROVED), (F(9, 8), Verdict.REFUTED)])
def test_norm_evening_around_its_threshold(sigma2: F, expected: Verdict) -> None:
    report = analyse(MINIMUM_TASKS[1], Setting(6), sigma2)
    assert report.verdict is expected
    assert report.bandwidths().startswith("sigma^2 < 2/ln 6 in (1.11622125, 1.11622126)")


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(MINIMUM_TASKS + RETRIEVAL_TASKS),
    st.integers(1, 7),
    st.integers(2, 40),
    st.sampled_from(TOLERANCES),
    st.booleans(),
    st.fractions(F(1, 20), F(6), max_denominator=10**6),
)
def test_verdict_at_a_bandwidth_agrees_with_the_windows(
    task: Task, m: int, n: int, tolerance: F, included: bool, sigma2: F
) -> None:
    setting = Setting(m, n, tolerance, included)
    report = analyse(task, setting, sigma2)
    with ctx.workprec(256):
        point = bandwidth.ball(sigma2)
        inside = any(
            (w.low is None or w.low.enclosure() < point) and (w.high is None or point < w.high.enclosure())
            for w in report.windows
        )
    assert report.verdict is (Verdict.PROVED if inside else Verdict.REFUTED)
    if report.instance is not None:
        output = output_enclosure(task, setting, report.instance, sigma2)
        assert report.target is not None
        assert abs(output - report.target) >= bandwidth.ball(tolerance) or report.verdict is Verdict.PROVED


def test_verdict_one_part_in_1e30_beside_the_threshold() -> None:
    # The decimal expansion of 2/ln 6 from mpmath, cut after 31 places: below it; one unit more: above it.
    import mpmath

    with mpmath.workdps(60):
        below = F(int(mpmath.floor(mpmath.mpf(2) / mpmath.log(6) * 10**31)), 10**31)
    assert analyse(MINIMUM_TASKS[1], Setting(6), below).verdict is Verdict.PROVED
    assert analyse(MINIMUM_TASKS[1], Setting(6), below + F(1, 10**31)).verdict is Verdict.REFUTED


def test_precision_limit_gives_no_sign() -> None:
    below = F(1116221250, 10**9)
    assert bandwidth.certain_sign(lambda: bandwidth.ball(below) * arb(6).log() - 2) == -1
    # A true zero never gets a sign.
    assert bandwidth.certain_sign(lambda: arb(2).log() * 2 - arb(4).log(), last_bits=512) is None


def test_refutations_hold_at_every_bandwidth_and_not_one_token_less() -> None:
    for m in range(2, 9):
        for which in (0, 2):
            report = analyse(MINIMUM_TASKS[which], Setting(m))
            assert report.verdict is Verdict.REFUTED
            assert report.instance is not None
            polynomial = condition(report.task, report.setting, report.instance)
            assert nonnegative_for_all(polynomial)
            for g in (F(1, 10**9), F(1, 2), 1 - F(1, 10**9)):
                assert evaluate_exact(polynomial, g) >= 0
    # The complemented head needs two bits and two competitors to fail at every bandwidth.
    for setting in (Setting(1, 3), Setting(2, 2)):
        assert analyse(MINIMUM_TASKS[2], setting).windows


def test_steps_past_the_last_one_never_bind() -> None:
    # s/ln A_s <= s'/ln A_s' exactly when A_s'^s <= A_s^s'; infinite where A_s <= 1.
    for others in (1, 2, 3, 10, 1000):
        for tolerance in TOLERANCES:
            ratio = {s: others * (s - tolerance) / tolerance for s in range(1, 61)}
            for late in range(LAST_STEP + 1, 61):
                assert any(
                    ratio[early] > 1 and ratio[late] ** early <= ratio[early] ** late
                    for early in range(1, LAST_STEP + 1)
                )


def test_windows_of_a_double_root_and_of_a_sandwich() -> None:
    # (2g - 1)^2 > 0 but for g = 1/2: two windows that share an endpoint.
    double = solving_windows([{0: F(-1), 1: F(4), 2: F(-4)}])
    assert len(double) == 2
    assert double[0].high is not None
    assert double[0].high.enclosure().overlaps(1 / (2 * arb(2).log()))
    # g > 1/3 and g < 1/2.
    (middle,) = solving_windows([{0: F(1), 1: F(-3)}, {0: F(-1), 1: F(2)}])
    assert middle.low is not None
    assert middle.low.text == "1/(2 ln 3)"
    assert middle.high is not None
    assert middle.high.text == "1/(2 ln 2)"
    assert solving_windows([{0: F(1), 1: F(-2)}, {0: F(-1), 1: F(3)}]) == []


def test_sign_of_the_zero_polynomial() -> None:
    assert sign_at({3: F(0)}, F(1)) == 0


def test_spectrum_against_numpy_and_exact_linear_algebra() -> None:
    for m, sigma2 in ((3, 0.7), (6, 1.1)):
        g = np.exp(-1 / (2 * sigma2))
        expected = np.sort(
            np.concatenate(
                [[(1 + g) ** (m - e.j) * (1 - g) ** e.j] * e.multiplicity for e in spectrum.spectrum(m)]
            )
        )
        np.testing.assert_allclose(
            np.linalg.eigvalsh(kernels.gaussian_matrix(m, sigma2)), expected, rtol=1e-10
        )
    g = F(5, 7)
    kernel = kernels.gaussian(4, g)
    rows = [[kernel.value(q, a) for a in range(16)] for q in range(16)]
    matrix = fmpq_mat([[fmpq(v.numerator, v.denominator) for v in row] for row in rows])
    assert matrix.rank() == 16 == spectrum.rank(4)
    determinant = F(1)
    for e in spectrum.spectrum(4):
        determinant *= e.exact(g) ** e.multiplicity
    assert matrix.det() == fmpq(determinant.numerator, determinant.denominator)


def test_numerical_rank_against_singular_values() -> None:
    for sigma2 in (F(5), F(50), F(2000)):
        values = np.linalg.svd(kernels.gaussian_matrix(6, float(sigma2)), compute_uv=False)
        for bits in (10, 20, 30):
            assert spectrum.numerical_rank(6, sigma2, bits) == int((values > values[0] * 2.0**-bits).sum())


def test_kernels_agree_with_the_embeddings() -> None:
    g = F(2, 3)
    for task in MINIMUM_TASKS:
        kernel = BUILD[task.head.name](3, g)
        for q in range(8):
            ratios = {kernel.value(q, a) / g ** task.head.exponent(3, q, a) for a in range(8)}
            assert len(ratios) == 1
