"""Always-independent queries: exact proofs, the checker's view of them, brute-force cones, and negative twins."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from importlib.resources import files
from itertools import product
from math import factorial

import numpy as np
import pytest
from scipy.optimize import linprog

from kattn_bounds.certificates import checker
from kattn_bounds.cube import inner
from kattn_bounds.errors import InputError
from kattn_bounds.lower.independence import (
    Independence,
    Multiplier,
    SignProblem,
    Undecided,
    dual_combination,
    permute,
    prove_independence,
    sign_orbits,
    stabiliser,
)
from kattn_bounds.lower.independence_search import bipartite, circuit_in, exhaust, extend
from kattn_bounds.setting import Setting


def constraint(setting: Setting, sequence: tuple[int, ...]) -> dict[int, Fraction]:
    """-sum (t - y - tau) e_x over the attended tokens, straight from the definition."""
    q = sequence[-1]
    attended = sequence if setting.self_included else sequence[:-1]
    y = min(inner(q, x) for x in attended)
    total: dict[int, Fraction] = {}
    for x in attended:
        total[x] = total.get(x, Fraction(0)) - (inner(q, x) - y - setting.tolerance)
    return total


def combined(setting: Setting, multipliers: tuple[Multiplier, ...]) -> dict[int, Fraction]:
    total: dict[int, Fraction] = {}
    for tokens, weight in multipliers:
        assert weight > 0
        vector = {tokens[0]: Fraction(1)} if len(tokens) == 1 else constraint(setting, tokens)
        for x, c in vector.items():
            total[x] = total.get(x, Fraction(0)) + weight * c
    return {x: c for x, c in total.items() if c}


def brute_rows(setting: Setting, q: int) -> np.ndarray:
    """All constraints of query q: every sequence, and the unit vectors."""
    rows = [np.eye(setting.tokens)[a] for a in range(setting.tokens)]
    for competitors in product(range(setting.tokens), repeat=setting.n - 1):
        row = np.zeros(setting.tokens)
        for x, c in constraint(setting, (*competitors, q)).items():
            row[x] = float(c)
        rows.append(row)
    return np.array(rows)


SETTINGS = [
    Setting(2, 3),
    Setting(3, 3),
    Setting(2, 4, Fraction(1, 3)),
    Setting(3, 3, Fraction(3, 4)),
    Setting(3, 3, Fraction(1), False),
    Setting(3, 3, Fraction(1)),
]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.describe())
def test_level_transport_is_the_whole_dual_cone(setting: Setting) -> None:
    """Random integer vectors: in the cone of all 2^(m(n-1)) sequences exactly when the transport over the levels says so."""
    rng = np.random.default_rng(1)
    inside = 0
    for q in range(1, setting.tokens):
        rows = brute_rows(setting, q)
        for _ in range(25):
            w = {a: Fraction(int(x)) for a, x in enumerate(rng.integers(-2, 4, setting.tokens)) if x}
            multipliers = dual_combination(setting, q, w)
            right = [float(w.get(a, 0)) for a in range(setting.tokens)]
            member = linprog(np.zeros(len(rows)), A_eq=rows.T, b_eq=right, method="highs").status == 0
            above = bool(w) and all(a & q == q != a and x > 0 for a, x in w.items())
            assert (multipliers is not None) == (member and bool(w) and not above)
            if multipliers is not None:
                inside += 1
                assert combined(setting, multipliers) == w
                assert any(len(tokens) > 1 for tokens, _ in multipliers)
    assert inside > 10


def test_known_sets_and_their_twins() -> None:
    """(4,5): all pairs of four points; at n = 3, 4 they fail, and with one more query too."""
    pairs = [q for q in range(16) if q.bit_count() == 2]
    for setting in (Setting(4, 5), Setting(4, 5, self_included=False), Setting(4, 5, Fraction(1, 3))):
        proof = prove_independence(setting, pairs)
        assert isinstance(proof, Independence)
        assert checker.check(json.loads(json.dumps(proof.certificate()))).endswith(">= 6, signed features")
    for n in (3, 4):
        assert isinstance(prove_independence(Setting(4, n), pairs), Undecided)
    for extra in (0b0001, 0b0111, 0b1111):
        assert isinstance(prove_independence(Setting(4, 5), [*pairs, extra]), Undecided)
    assert isinstance(prove_independence(Setting(6, 3), [1 << i for i in range(6)]), Independence)


def test_bipartite_families() -> None:
    """K_{2,m-2} at n = 4 and K_{3,3} at n = 5; not K_{2,4} at n = 3, nor K_{3,3} at n = 4."""
    assert isinstance(prove_independence(Setting(6, 4), bipartite(6, 2)), Independence)
    assert isinstance(prove_independence(Setting(6, 5), bipartite(6, 3)), Independence)
    assert isinstance(prove_independence(Setting(6, 3), bipartite(6, 2)), Undecided)
    assert isinstance(prove_independence(Setting(6, 4), bipartite(6, 3)), Undecided)


def test_every_orbit_of_signs_is_represented() -> None:
    queries = bipartite(5, 2)
    generators, patterns = sign_orbits(5, queries)
    group = stabiliser(5, queries)
    assert len(group) == 2 * factorial(3)
    seen = set()
    for signs in patterns:
        for g in group:
            moved = [0] * len(queries)
            for q, s in zip(queries, signs, strict=True):
                moved[queries.index(permute(g, q, 5))] = s
            seen |= {tuple(moved), tuple(-s for s in moved)}
    assert len(seen) == 2 ** len(queries)
    assert 0 < len(generators) < len(group)


def test_a_circuit_has_a_dependence() -> None:
    """Queries with a sign pattern without v: admissible rows with sum sigma_q f_q = 0 exist, found by an independent program."""
    setting = Setting(4, 4)
    problem = SignProblem(setting, [q for q in range(16) if q.bit_count() == 2])
    signs = (1, 1, -1, -1, 1, 1)
    assert problem.vector(signs) is None
    circuit = sorted(circuit_in(problem, signs, np.random.default_rng(0)))
    place = dict(zip(problem.queries, signs, strict=True))
    size = setting.tokens
    blocks = [brute_rows(setting, q) for q in circuit]
    strict = np.zeros((sum(map(len, blocks)), size * len(circuit)))
    start = 0
    for i, block in enumerate(blocks):
        strict[start : start + len(block), i * size : (i + 1) * size] = block
        start += len(block)
    equal = np.hstack([place[q] * np.eye(size) for q in circuit])
    found = linprog(
        np.zeros(strict.shape[1]), A_ub=-strict, b_ub=-np.ones(len(strict)), A_eq=equal, b_eq=np.zeros(size),
        bounds=(None, None), method="highs",
    )  # fmt: skip
    assert found.status == 0


def test_solving_kernels_have_independent_rows() -> None:
    """Perturbed solving kernels at (4,5): the 6 rows have rank 6, by a float rank with a clear gap."""
    rng = np.random.default_rng(5)
    pairs = [q for q in range(16) if q.bit_count() == 2]
    for _ in range(20):
        x = rng.uniform(0.05, 0.2)
        rows = np.array(
            [[x ** inner(q, a) * rng.uniform(0.9, 1.1) for a in range(16)] for q in pairs]
        )  # x (1.1/0.9) < 1/4, so these solve
        assert np.linalg.svd(rows)[1][-1] > 1e-6


def test_search_agrees_with_itself() -> None:
    assert exhaust(Setting(4, 5), 6, 60).status == "found"
    assert exhaust(Setting(4, 5), 7, 60).status == "none"
    assert exhaust(Setting(4, 3), 5, 60).status == "none"
    grown = extend(Setting(4, 5), bipartite(4, 1), 3.0)
    assert 3 < len(grown.queries) <= 6
    assert isinstance(prove_independence(Setting(4, 5), grown.queries), Independence)


STORED = sorted(
    (
        p
        for p in files("kattn_bounds").joinpath("data", "lower").iterdir()
        if p.name.startswith("independence")
    ),
    key=lambda p: p.name,
)


@pytest.mark.parametrize("path", STORED, ids=lambda p: p.name)
def test_stored_certificates(path) -> None:  # type: ignore[no-untyped-def]
    text = path.read_text(encoding="utf-8")
    if len(text) > 200_000:
        pytest.skip("large: read by the checker when the table of experiments/lower_bounds is built")
    certificate = json.loads(text)
    assert f">= {path.name.split('-d')[1].removesuffix('.json')}," in checker.check(certificate)

    def reject(change) -> None:  # type: ignore[no-untyped-def]
        mutant = copy.deepcopy(certificate)
        change(mutant)
        with pytest.raises(checker.Rejected):
            checker.check(mutant)

    reject(lambda c: c["claim"].update(value=c["claim"]["value"] + 1))
    reject(lambda c: c["setting"].update(n=c["setting"]["n"] - 2))
    reject(lambda c: c["setting"].update(tolerance="9/10"))
    reject(lambda c: c["data"]["patterns"].pop())
    reject(lambda c: c["data"]["patterns"][0]["v"].pop())
    reject(lambda c: c["data"]["patterns"][0]["multipliers"][0][0].__setitem__(1, "123456789/7"))


def test_bad_input() -> None:
    with pytest.raises(InputError, match="inner readout"):
        prove_independence(Setting(3, readout="free"), [1, 2])
    with pytest.raises(InputError, match="n >= 3"):
        prove_independence(Setting(3, n=2), [1, 2])
    with pytest.raises(InputError, match="distinct"):
        prove_independence(Setting(3), [1, 1])
    with pytest.raises(InputError, match="m <= 7"):
        exhaust(Setting(8), 9)
