"""The prover: derivations accepted by the independent checker, refutations confirmed by brute force, and the known constants."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kattn_bounds.attention import attend, solves_sequence
from kattn_bounds.certificates import checker
from kattn_bounds.cube import inner
from kattn_bounds.errors import InputError
from kattn_bounds.kernels import PositionKernel
from kattn_bounds.lower.decay import Decay
from kattn_bounds.prove import (
    Proof,
    assert_proved,
    assert_refuted,
    best_constant,
    claim,
    kernel,
    prove,
)
from kattn_bounds.verdict import Verdict

HALF = Fraction(1, 2)


def accepted(document: dict[str, object]) -> bool:
    try:
        checker.check(checker.parse(json.dumps(document)))
    except checker.Rejected:
        return False
    return True


def brute_force_confirms(proof: Proof) -> bool:
    """The counterexample solves every sequence by the reference evaluator, and breaks the claim."""
    found = proof.counterexample
    assert found is not None
    setting = found.setting()
    positions = isinstance(found.kernel, PositionKernel)

    def entry(q: int, a: int, i: int, j: int) -> Fraction:
        member = found.kernel.at(i, j) if isinstance(found.kernel, PositionKernel) else found.kernel
        return member.value(q, a)

    value = None if found.value is None else (lambda q, a, i, j: found.value.value(q, a))
    for sequence in product(range(1 << found.m), repeat=setting.n):
        if not solves_sequence(sequence, entry, setting, value):
            return False
    total = Fraction(0)
    for e, form in proof.statement.left.items():
        row = found.row[e.kind, e.position if positions else None]
        total += form.value({**found.point, "m": found.m}) * row[found.tokens[e.token]]
    return total >= 0 if proof.statement.strict else total > 0


@pytest.mark.parametrize(
    ("text", "condition", "steps"),
    [
        ("3*K(q,b) < K(q,a)", "t(q,b) >= t(q,a)+2", 1),
        ("K(q,b) < K(q,a)", "t(q,b) = t(q,a)+1", 1),
        ("9*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+4", 2),
        ("(2*s-1)*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+s and s >= 1", 1),
        ("0 < K(q,q)", "", 1),
        ("0 < K(q,a)", "t(q,a) < |q|", 2),
        ("3*K(q,b) + (2*|q|-2*t(q,a)-1)*K(q,q) < K(q,a)", "t(q,b) >= t(q,a)+2", 1),
    ],
)
def test_proved_for_every_m(text: str, condition: str, steps: int) -> None:
    proof = prove(text, condition)
    assert (proof.verdict, proof.method, proof.m) == (Verdict.PROVED, "symbolic", None)
    assert len(proof.derivations) == 1
    assert len(proof.derivations[0].steps) == steps
    assert all(accepted(d) for d in proof.certificates())


def test_the_same_derivation_is_valid_at_other_classes() -> None:
    """A general derivation, evaluated at classes far from where it was found, adds up exactly there."""
    proof = prove("9*K(q,b) < K(q,a)", "t(q,b) >= t(q,a)+4")
    (derivation,) = proof.derivations
    for k, low, high in ((4, 0, 4), (9, 2, 7), (20, 0, 20), (11, 6, 10)):
        point = {"|q|": k, "t(q,a)": low, "t(q,b)": high}
        assert derivation.holds_at(point)
        total: dict[object, Fraction] = {}
        for row, multiplier in derivation.steps:
            for e, form in row.form(derivation.levels, proof.convention).items():
                total[e] = total.get(e, Fraction(0)) + multiplier * form.value(point)
        for e, form in derivation.residuals.items():
            assert form.value(point) >= 0
            total[e] = total.get(e, Fraction(0)) - form.value(point)
        left = {e: form.value(point) for e, form in proof.statement.left.items()}
        assert {e: c for e, c in total.items() if c} == left
    assert not derivation.holds_at({"|q|": 9, "t(q,a)": 2, "t(q,b)": 5})


@pytest.mark.parametrize(
    ("text", "condition"),
    [("2*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+1"), ("5*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+2")],
)
def test_refuted_by_a_whole_kernel(text: str, condition: str) -> None:
    proof = prove(text, condition)
    assert proof.verdict is Verdict.REFUTED
    assert proof.counterexample is not None
    assert proof.counterexample.confirmed()
    assert brute_force_confirms(proof)


WRONG_LEMMAS = [
    # claim, conditions, options, size of the least instance, why it is wrong
    ("(n-1)*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+1", {"n": 4}, 2, "n-2 competitors can repeat b, not n-1"),
    ("3*K(q,b) + 3*K(q,q) < K(q,a)", "t(q,b) >= t(q,a)+2", {"self_included": False}, 2,
     "the term of the query itself is there only when self is included"),
    ("(4*|q|-1)*K(q,q) < K(q,a)", "t(q,a) = 0, |q| >= 1", {}, 1, "the self term is 2(2|q|-1), not 4|q|-1"),
    ("0 < K(q,a)", "", {}, 1, "an entry on the level |q| may be 0: K >= 0 is not strict"),
    ("K(q,b) <= K(q,a)", "t(q,b) >= t(q,a)", {}, 1, "on one level entries are free: it takes t(q,b) > t(q,a)"),
    ("9*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+3, |q| = 3", {}, 4, "the chain 2 + 2 needs a level 4 that |q| = 3 lacks"),
    ("5*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+1", {"tolerance": Fraction(1, 4)}, 2,
     "the factor is (s - tau)/tau = 3; (s + tau)/tau = 5 has the tolerance on the wrong side"),
    ("3*K_1(q,b) < K_1(q,a)", "t(q,b) = t(q,a)+2", {}, 2, "only the sum over positions decays like this"),
    ("3*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+2", {"readout": "free"}, 2,
     "the free readout decays as the inner-product readout at twice the tolerance"),
    ("15*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+4", {}, 5, "3 * 5 would be the chain 2 + 3, five levels"),
    ("K(q,b) < K(q,a)", "|b| > |a|", {}, 1, "larger tokens need not be on a higher level"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "condition", "options", "size", "why"), WRONG_LEMMAS)
def test_wrong_lemmas_are_refuted(
    text: str, condition: str, options: dict[str, object], size: int, why: str
) -> None:
    proof = prove(text, condition, **options)  # type: ignore[arg-type]
    assert proof.verdict is Verdict.REFUTED, why
    assert proof.counterexample is not None
    assert proof.counterexample.m == size
    assert proof.counterexample.confirmed()
    if size * proof.convention.n <= 12:
        assert brute_force_confirms(proof)
    assert all(v in ("PROVED", "no tokens") for v in verdicts_below(size, text, condition, options))


def verdicts_below(size: int, text: str, condition: str, options: dict[str, object]) -> list[str]:
    """The verdict at every smaller m, or that no tokens satisfy the conditions there."""
    found = []
    for m in range(1, size):
        try:
            found.append(prove(text, condition, m=m, **options).verdict.value)  # type: ignore[arg-type]
        except InputError:
            found.append("no tokens")
    return found


def test_the_same_lemmas_made_right_are_proved() -> None:
    quarter = Fraction(1, 4)
    assert prove("(n-2)*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+1", n=4).verdict is Verdict.PROVED
    assert prove("(4*|q|-2)*K(q,q) < K(q,a)", "t(q,a) = 0, |q| >= 1").verdict is Verdict.PROVED
    assert prove("K(q,b) < K(q,a)", "t(q,b) > t(q,a)").verdict is Verdict.PROVED
    assert prove("5*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+3, |q| = 3").verdict is Verdict.PROVED
    assert prove("3*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+1", tolerance=quarter).verdict is Verdict.PROVED


def test_positions_sum_up_but_do_not_decay_alone() -> None:
    for n, s in ((3, 1), (3, 4), (4, 2), (5, 1)):
        proof = prove("(n-2)*(2*s-1)*Kbar(q,b) < Kbar(q,a)", "t(q,b) = t(q,a)+s", n=n, parameters={"s": s})
        assert proof.method == "symbolic"
        assert [x / 2 for _, x in proof.derivations[0].steps] == [1] * (n - 1)
        assert all(accepted(d) for d in proof.certificates())
    single = prove("3*K_1(q,b) < K_1(q,a)", "t(q,b) = t(q,a)+2")
    assert single.verdict is Verdict.REFUTED
    assert brute_force_confirms(single)
    best = best_constant("c*K_1(q,b) < K_1(q,a)", "t(q,b) = t(q,a)+2")
    assert best.constant == 1


@pytest.mark.slow
def test_positions_at_length_six() -> None:
    for s in range(1, 5):
        proof = prove("(n-2)*(2*s-1)*Kbar(q,b) < Kbar(q,a)", "t(q,b) = t(q,a)+s", n=6, parameters={"s": s})
        assert [x / 2 for _, x in proof.derivations[0].steps] == [1] * 5


@pytest.mark.parametrize("n", [3, 4, 6])
@pytest.mark.parametrize("s", [1, 2, 3, 5])
def test_best_constant_is_one_over_h(n: int, s: int) -> None:
    found = best_constant("c*K(q,b) < K(q,a)", f"t(q,b) = t(q,a)+{s}", n=n)
    assert found.constant == 1 / (Decay(n).h(s) or 0)
    assert found.proof.method == "symbolic"
    (derivation,) = found.proof.derivations
    assert len(derivation.steps) == len(Decay(n).composition(s) or ())


@pytest.mark.slow
def test_best_constant_is_one_over_h_on_the_whole_table() -> None:
    for n in range(3, 7):
        for s in range(1, 9):
            found = best_constant("c*K(q,b) < K(q,a)", f"t(q,b) = t(q,a)+{s}", n=n)
            assert found.constant == 1 / (Decay(n).h(s) or 0)


def test_best_constant_is_larger_where_the_query_takes_part() -> None:
    """b = q: the query is a competitor and itself, so n - 1 of them."""
    found = best_constant("c*K(q,q) < K(q,a)", "|q| = 2, t(q,a) = 0")
    assert found.constant == 6
    assert best_constant("c*K(q,b) < K(q,a)", "|q| = 2, t(q,a) = 0, t(q,b) = 2").constant == 3


def test_free_readout_decays_at_twice_the_tolerance() -> None:
    for n, s in ((3, 2), (3, 4), (5, 2)):
        text = f"c*(K(q,b)+K(q,q)/{n - 1}) < K(q,a)+K(q,q)/{n - 1}"
        found = best_constant(text, f"t(q,b) = t(q,a)+{s}", n=n, readout="free")
        assert found.constant == 1 / (Decay(n, Fraction(1)).h(s) or 0)
        assert all(accepted(d) for d in found.proof.certificates())
    refuted = prove("K(q,b) < K(q,a)", "t(q,b) = t(q,a)+1", readout="free")
    assert brute_force_confirms(refuted)


@settings(max_examples=25)
@given(st.integers(1, 40), st.integers(1, 3), st.integers(3, 4))
def test_verdict_agrees_with_the_decay_constant(double: int, s: int, n: int) -> None:
    proof = prove(f"{double}/2*K(q,b) < K(q,a)", f"t(q,b) = t(q,a)+{s}", n=n)
    within = Fraction(double, 2) * (Decay(n).h(s) or 0) <= 1
    assert proof.verdict is (Verdict.PROVED if within else Verdict.REFUTED)


def solving_rows(m: int, q: int, n: int) -> Iterator[list[Fraction]]:
    """Many different rows of the query that solve every sequence of length n, by the reference evaluator."""
    for base in (3, 4, 9):
        for pattern in range(16):
            row = [
                Fraction(base) ** (m - inner(q, a)) * (1 + Fraction((pattern >> (a % 4)) & 1, 8))
                for a in range(1 << m)
            ]
            if all(
                attend([*others, q], lambda _, a, row=row: row[a]).solved(HALF)
                for others in product(range(1 << m), repeat=n - 1)
            ):
                yield row


ROWS = {(q, n): list(solving_rows(2, q, n)) for q in range(4) for n in (1, 2, 3)}


@settings(max_examples=60)
@given(st.tuples(*[st.integers(-3, 3)] * 3), st.integers(-1, 2), st.booleans(), st.integers(1, 3))
def test_every_verdict_stands_up_to_brute_force(
    weights: tuple[int, int, int], gap: int, strict: bool, n: int
) -> None:
    x, y, z = weights
    if not any(weights):
        return
    relation = "<" if strict else "<="
    text = f"{x}*K(q,a) + {y}*K(q,b) + {z}*K(q,q) {relation} 0"
    proof = prove(text, f"t(q,b) = t(q,a)+{gap}", m=2, n=n)
    if proof.verdict is Verdict.REFUTED:
        assert brute_force_confirms(proof)
        return
    assert proof.verdict is Verdict.PROVED
    assert all(accepted(d) for d in proof.certificates())
    for q, a, b in product(range(4), repeat=3):
        if inner(q, b) == inner(q, a) + gap:
            for row in ROWS[q, n]:
                total = x * row[a] + y * row[b] + z * row[q]
                assert total < 0 if strict else total <= 0


def test_rows_for_brute_force_are_many() -> None:
    assert min(len(rows) for rows in ROWS.values()) > 10


def test_short_sequences_and_self_excluded() -> None:
    assert prove("0 < K(q,q)", n=1).verdict is Verdict.PROVED
    assert prove("0 <= K(q,a)", n=1).verdict is Verdict.PROVED
    assert prove("0 < K(q,a)", n=1).verdict is Verdict.REFUTED
    assert best_constant("c*K(q,q) < K(q,a)", "t(q,a) = |q| - 2", n=2).constant == 3
    for n in (2, 3):  # self excluded, the query's own entry says nothing unless the query is a competitor
        proof = prove("K(q,q) < K(q,a)", "t(q,a) < |q|", n=n, self_included=False)
        assert proof.verdict is (Verdict.REFUTED if n == 2 else Verdict.PROVED)
        assert all(accepted(d) for d in proof.certificates())


def test_concrete_tokens() -> None:
    """Bit strings: one class, the tokens themselves in the certificate and in the counterexample."""
    proof = prove("6*K(01011,11111) < K(01011,10100)", n=4, m=5)
    assert proof.verdict is Verdict.PROVED
    (document,) = proof.certificates()
    assert accepted(document)
    assert "11111" in json.dumps(document["claim"])
    assert best_constant("c*K(11011,11111) < K(11011,00100)", n=4).constant == 36
    refuted = prove("4*K(0111,1111) < K(0111,1001)")
    assert refuted.counterexample is not None
    assert refuted.counterexample.query == 0b0111
    assert refuted.counterexample.tokens == {"0111": 0b0111, "1111": 0b1111, "1001": 0b1001}
    assert brute_force_confirms(refuted)
    assert prove("K(110,110) < K(110,001)").verdict is Verdict.PROVED


def test_mutated_certificates_are_rejected() -> None:
    (document,) = prove("9*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+4").certificates()
    assert accepted(document)
    steps = document["data"]["steps"]  # type: ignore[index]
    for i in range(len(steps)):
        dropped = copy.deepcopy(document)
        del dropped["data"]["steps"][i]  # type: ignore[attr-defined]
        assert not accepted(dropped)
        nudged = copy.deepcopy(document)
        old = Fraction(steps[i]["multiplier"])
        nudged["data"]["steps"][i]["multiplier"] = str(old + Fraction(1, 10**30))  # type: ignore[index]
        assert not accepted(nudged)
    stronger = copy.deepcopy(document)
    stronger["claim"]["terms"][0][0] = "10"  # type: ignore[index]
    assert not accepted(stronger)
    shuffled = copy.deepcopy(document)
    shuffled["data"]["steps"].reverse()  # type: ignore[index]
    assert accepted(shuffled)


def test_fixed_m_settles_every_class_and_may_say_more() -> None:
    """At m = 1 the entries named are all there are, so more is true than for every m."""
    general = prove("4/3*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+1")
    assert general.verdict is Verdict.REFUTED
    small = prove("4/3*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+1", m=1)
    assert small.verdict is Verdict.PROVED
    assert all(accepted(d) for d in small.certificates())
    assert best_constant("c*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+1", m=1).constant == 2


def test_undecided_is_said_when_no_finite_set_of_derivations_is_found() -> None:
    """True at every m (the two tokens are one), but not for tokens as symbols: the gap is stated."""
    proof = prove("K(q,b) <= K(q,a)", "t(q,a) = 0, t(q,b) = 0, |q| = m", max_m=3)
    assert proof.verdict is Verdict.UNDECIDED
    assert "m <= 3" in proof.reason
    fixed = prove("K(q,b) <= K(q,a)", "t(q,a) = 0, t(q,b) = 0, |q| = m", m=3)
    assert (fixed.verdict, fixed.method) == (Verdict.PROVED, "orbit")


def test_operators_say_the_same_as_text() -> None:
    K = kernel(n=3)
    stated = claim(3 * K("q", "b") < K("q", "a"), given=K.t("q", "b") >= K.t("q", "a") + 2)
    assert (
        assert_proved(stated).statement.left
        == prove("3*K(q,b) < K(q,a)", "t(q,b) >= t(q,a)+2").statement.left
    )
    s = K.parameter("s")
    general = claim((2 * s - 1) * K("q", "b") - K("q", "a") < 0, [K.t("q", "b") == K.t("q", "a") + s, s >= 1])
    assert assert_proved(general).method == "symbolic"
    wrong = claim(2 * K("q", "b") < K("q", "a"), K.t("q", "b") == K.t("q", "a") + 1)
    assert assert_refuted(wrong).counterexample is not None
    with pytest.raises(AssertionError, match=r"REFUTED[\s\S]*row K\(q,\.\)"):
        assert_proved(wrong)
    with pytest.raises(AssertionError, match="PROVED"):
        assert_refuted(stated)
    with pytest.raises(TypeError, match="not a truth value"):
        assert 1 < K("q", "a") < 2  # type: ignore[operator]
    assert (
        claim(K[1]("q", "b") < K.bar("q", "a"), K.t("q", "b") == K.t("q", "a") + 1).prove().verdict
        is Verdict.PROVED
    )


def test_text_and_latex_show_the_steps() -> None:
    proof = prove("9*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+4")
    shown = proof.text()
    assert "let c be any token with t(q,c) = t(q,a) + 2" in shown
    assert "3 x  sequence (b, c, q)" in shown
    formula = proof.latex()
    assert formula.startswith("\\begin{align*}")
    assert "t(q" not in formula
    assert "8|q| - 8t(q,a) - 16" in shown
    assert formula.count("{") == formula.count("}")
