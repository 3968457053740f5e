"""Claims about single entries of solving kernels, each derived or refuted by the prover: decay, and what positions change."""

from __future__ import annotations

from fractions import Fraction

from kattn_bounds.claims import NotApplicable, claim
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Finding, Verdict

STEPS = 3
MAX_N = 64


@claim(
    "decay",
    order=48,
    statement="A solving kernel obeys K(q,b) < h(s) K(q,a) for b s levels above a, and no smaller factor follows.",
)
def decay_is_tight(setting: Setting) -> Finding:
    """Theory section 4, for s = 1..3: the best constant of the prover, at every m, against h."""
    from kattn_bounds.lower.decay import Decay
    from kattn_bounds.prove import best_constant

    if setting.readout != "inner":
        raise NotApplicable("stated for the inner-product readout")
    if not 3 <= setting.n <= MAX_N:
        raise NotApplicable(f"stated for 3 <= n <= {MAX_N}")
    decay = Decay(setting.n, setting.tolerance)
    shown: list[str] = []
    for s in range(1, STEPS + 1):
        bound = decay.h(s)
        if bound is None:
            continue
        best = best_constant(
            "c*K(q,b) < K(q,a)",
            f"t(q,b) = t(q,a) + {s}",
            n=setting.n,
            tolerance=setting.tolerance,
            self_included=setting.self_included,
        )
        if best.constant != 1 / bound:
            evidence = f"at s = {s} the best factor is {1 / best.constant}, not {bound}"
            return Finding(Verdict.REFUTED, "symbolic", evidence, {"s": s, "best": str(best.constant)})
        shown.append(f"h({s}) = {bound}")
    if not shown:
        raise NotApplicable(
            f"no step of at most {STEPS} levels says anything at tolerance {setting.tolerance}"
        )
    return Finding(Verdict.PROVED, "symbolic", f"every m: {', '.join(shown)}; sequences (b, ..., b, a, q)")


@claim(
    "L2",
    order=53,
    statement="At one position alone, a position-dependent kernel decays as the sum over positions does.",
    expected=Verdict.REFUTED,
)
def one_position_does_not_decay(setting: Setting) -> Finding:
    """Theory section 4, L2: a kernel family that solves, with K_1(q,b) too large for the factor of the sum."""
    from kattn_bounds.prove import prove

    if setting.readout != "inner":
        raise NotApplicable("stated for the inner-product readout")
    if setting.n != 3 or setting.tolerance != Fraction(1, 2):
        raise NotApplicable("shown at n = 3, tolerance 1/2")
    proof = prove("3*K_1(q,b) < K_1(q,a)", "t(q,b) = t(q,a) + 2", self_included=setting.self_included)
    found = proof.counterexample
    if found is None:
        return Finding(proof.verdict, proof.method, proof.reason or "derived")
    values = [found.row["K", 1][found.tokens[x]] for x in ("b", "a")]
    evidence = f"m = {found.m}: a solving family with K_1(q,b) = {values[0]}, K_1(q,a) = {values[1]}, query {found.show('q')}"
    return Finding(proof.verdict, proof.method, evidence)
