"""The programs and the descent: linearisation, equivariance, and kernels that the checker accepts."""

from fractions import Fraction

import numpy as np
import pytest

from kattn_bounds.certificates import checker
from kattn_bounds.certificates.reading import Rejected
from kattn_bounds.kernels.factors import FactorKernel
from kattn_bounds.search.campaign import CampaignConfig, run_seed
from kattn_bounds.search.conditions import row_solves
from kattn_bounds.search.engine import balance, descend
from kattn_bounds.search.exactify import exactify
from kattn_bounds.search.program import Program
from kattn_bounds.search.starts import STARTS, extended, start
from kattn_bounds.search.symmetry import Symmetry, parse_group, representations
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Verdict
from kattn_bounds.verify import decide


def make_program(setting, features, group="1", nonneg=False, choice=0):
    generators = parse_group(group, setting.m)
    natural = setting.readout == "inner" and setting.n >= 3
    options = representations(generators, features, nonneg=nonneg, natural=natural)
    return Program(setting, Symmetry(generators, options[choice]), nonneg=nonneg)


@pytest.mark.parametrize(("group", "features"), [("1", 4), ("3", 5), ("4", 6), ("(1 2 3);(1 2)", 5)])
@pytest.mark.parametrize("nonneg", [False, True])
def test_features_are_equivariant(group, features, nonneg):
    generators = parse_group(group, 4)
    for representation in representations(generators, features, nonneg=nonneg, natural=True):
        symmetry = Symmetry(generators, representation)
        psi = symmetry.expand(
            np.abs(np.random.default_rng(1).standard_normal((len(symmetry.orbits), features)))
        )
        for images, matrix in zip(symmetry.action, symmetry.matrices, strict=True):
            assert np.allclose(psi[images], psi @ matrix.T)
        assert np.allclose(symmetry.expand(symmetry.restrict(psi)), psi)
        assert not nonneg or psi.min() >= 0


def test_pairs_stand_for_all_pairs():
    """The violation of an equivariant kernel is zero on the orbits if and only if it is zero on all pairs."""
    setting = Setting(4)
    small = make_program(setting, 4, group="4")
    random = np.random.default_rng(0)
    columns = np.abs(random.standard_normal((len(small.symmetry.orbits), 4)))
    rows = np.abs(random.standard_normal((len(small.layout.queries), 4)))
    whole = make_program(setting, 4)
    psi = small.symmetry.expand(columns)
    phi = np.zeros((16, 4))
    for index, q in enumerate(small.layout.queries):
        for images, matrix in zip(small.symmetry.action, small.symmetry.matrices, strict=True):
            phi[images[q]] = matrix @ small.phi(rows)[index]
    slack = whole.layout.slack(
        np.einsum(
            "pi,pi->p", phi[whole.layout.queries[whole.layout.pair_query]], psi[whole.layout.pair_token]
        )
    )
    violations = np.maximum(whole.layout.margin - slack, 0)
    per_query = np.bincount(whole.layout.condition_query, violations)
    chosen = np.isin(whole.layout.queries, small.layout.queries)
    assert np.isclose(per_query[chosen].sum(), small.violation(rows, columns))
    representative = small.symmetry.orbits[small.symmetry.orbit_of[whole.layout.queries]]
    assert np.allclose(per_query, per_query[np.searchsorted(whole.layout.queries, representative)])


@pytest.mark.parametrize("nonneg", [False, True])
def test_best_rows_and_joint_step_are_what_they_say(nonneg):
    program = make_program(Setting(3), 4, nonneg=nonneg)
    columns = program.symmetry.restrict(start("positive", 3, 4, np.random.default_rng(2)))
    rows = program.best_rows(columns)
    best = program.violation(rows, columns)
    random = np.random.default_rng(3)
    for _ in range(20):
        other = rows + random.uniform(0.01, 1) * random.standard_normal(rows.shape)
        assert program.violation(np.maximum(other, 0) if nonneg else other, columns) >= best - 1e-6
    # The promise is exact to first order: a short step falls at the promised rate.
    radius = 1e-4
    change_rows, change_columns, promised = program.joint_step(rows, columns, radius)
    reached = program.violation(rows + change_rows, columns + change_columns)
    assert promised < best
    assert abs(reached - promised) < 0.05 * (best - promised)


@pytest.mark.parametrize("nonneg", [False, True])
def test_balancing_keeps_the_kernel(nonneg):
    program = make_program(Setting(4), 5, group="4", nonneg=nonneg)
    random = np.random.default_rng(4)
    columns = np.abs(random.standard_normal((len(program.symmetry.orbits), 5)))
    columns = program.symmetry.restrict(program.symmetry.expand(columns))
    rows = np.einsum("qij,qi->qj", program.query_frames, np.abs(random.standard_normal((5, 5))))
    balanced = balance(program, rows, columns)
    assert np.allclose(program.entries(*balanced), program.entries(rows, columns))
    assert np.isclose(np.abs(program.symmetry.expand(balanced[1])).max(), 1)


FOUND = [
    (CampaignConfig(m=2, features=2), range(6)),
    (CampaignConfig(m=3, features=3), range(6)),
    (CampaignConfig(m=3, features=4, nonneg=True), range(6)),
    (CampaignConfig(m=4, features=4), range(6)),
    (CampaignConfig(m=4, features=4, group="4"), range(6)),
    (CampaignConfig(m=3, n=5, features=3), range(6)),
    (CampaignConfig(m=3, features=3, readout="free"), range(6)),
    (CampaignConfig(m=3, features=3, self_included=False), range(6)),
    (CampaignConfig(m=2, features=3, tolerance="1/3"), range(6)),
    (CampaignConfig(m=3, n=2, features=3), range(6)),
]


@pytest.mark.parametrize(("config", "seeds"), FOUND, ids=lambda v: str(v) if isinstance(v, range) else None)
def test_found_kernels_are_accepted_and_solve(config, seeds):
    result = next(filter(lambda r: r.found, (run_seed(config, seed) for seed in seeds)), None)
    assert result is not None
    statement = checker.check(result.certificate)
    assert f"<= {config.features}" in statement
    data = result.certificate["data"]
    kernel = FactorKernel("found", config.m, data["phi"], data["psi"])
    if config.readout == "inner":
        assert decide(kernel, config.setting).verdict is Verdict.PROVED
    if config.nonneg:
        assert min(min(row) for row in data["phi"] + data["psi"]) >= 0


def test_a_disturbed_certificate_is_rejected():
    found = run_seed(CampaignConfig(m=3, features=3), 0).certificate
    phi = found["data"]["phi"]
    phi[7], phi[1] = phi[1], phi[7]
    with pytest.raises(Rejected):
        checker.check(found)


def test_below_the_lower_bound_nothing_is_found():
    """D*(3, 3) = 3 by L7: two features must fail, from every start and with every seed."""
    for kind in STARTS:
        result = run_seed(CampaignConfig(m=3, features=2, start=kind), 1)
        assert not result.found
        assert result.violation > 0.1


def test_seeds_are_deterministic():
    config = CampaignConfig(m=3, features=3)
    once, again = run_seed(config, 5), run_seed(config, 5)
    assert once.certificate == again.certificate
    assert once.violation == again.violation
    assert once.certificate != run_seed(config, 6).certificate


def test_exactify_rounds_or_gives_up():
    setting = Setting(1)
    phi, psi = exactify(setting, np.array([[4.2], [1.1]]))
    assert all(row_solves(psi @ phi[q], q, setting) for q in range(2))
    assert exactify(setting, np.array([[1.0], [1.0]])) is None
    assert exactify(setting, np.array([[np.nan], [1.0]])) is None
    # 7/2 is on the boundary for q = 1, K(1, 0) > 2 K(1, 1): a positive margin however small is found.
    assert exactify(setting, np.array([[2.0], [1.0]])) is None
    assert exactify(setting, np.array([[2.0 + 1e-3], [1.0]])) is not None


def test_a_solution_extends_to_a_start_one_size_up():
    program = make_program(Setting(3), 3)
    outcome = descend(program, program.symmetry.restrict(start("affine", 3, 3, np.random.default_rng(0))))
    assert outcome.solved
    psi = extended(program.symmetry.expand(outcome.columns), 4, 5, np.random.default_rng(0))
    larger = make_program(Setting(4), 5)
    result = descend(larger, larger.symmetry.restrict(psi))
    assert result.violation < larger.violation(
        larger.best_rows(larger.symmetry.restrict(psi)), larger.symmetry.restrict(psi)
    )


def test_boundary_of_the_exact_row_check():
    """K(1, 0) = 2 K(1, 1) is not enough at m = 1, n = 3, tau = 1/2; one part in 10^30 more is."""
    big = 10**30
    assert not row_solves(np.array([2 * big, big], dtype=object), 1, Setting(1))
    assert row_solves(np.array([2 * big + 1, big], dtype=object), 1, Setting(1))
    assert Fraction(2 * big + 1, big) > 2
