"""C4 and C6 at the run's size, the identities behind C7 and C8, and the reduction R1."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb

from kattn_bounds.claims import NotApplicable, claim
from kattn_bounds.kernels.monomial import monomial_kernel
from kattn_bounds.lower.decay import Decay
from kattn_bounds.setting import Setting
from kattn_bounds.upper import identities
from kattn_bounds.upper.monomial import Monomials, cheapest
from kattn_bounds.verdict import Finding, Verdict
from kattn_bounds.verify import decide, minimal_counterexample

MONOMIALS_UP_TO = 40
CENTRES_UP_TO = 8
"""Largest number of coordinates whose centres are all tried."""


def _monomials(setting: Setting) -> tuple[Setting, Monomials]:
    if setting.n < 3 or setting.tolerance == 1 or setting.m > MONOMIALS_UP_TO:
        raise NotApplicable(f"needs n >= 3, a tolerance below 1 and m <= {MONOMIALS_UP_TO}")
    inner = replace(setting, readout="inner", mask="final")
    return inner, cheapest(inner, seconds=10)


def _degrees(weights: dict[int, Fraction]) -> str:
    return ", ".join(str(d) for d in sorted(weights))


@claim(
    "C4",
    order=42,
    statement="Monomials of few degrees solve with far fewer than 2^m non-negative features.",
)
def c4(setting: Setting) -> Finding:
    """The cheapest degrees by MILP, decided exactly."""
    inner, found = _monomials(setting)
    decision = decide(found.kernel, inner)
    return Finding(
        decision.verdict,
        decision.method,
        f"D = {found.features} of 2^{setting.m} = {2**setting.m}: degrees {_degrees(found.weights)}",
        {"features": found.features, "weights": {str(d): str(w) for d, w in sorted(found.weights.items())}},
    )


@claim(
    "C4",
    order=43,
    statement="Twin: the same monomials without their most expensive degree solve too.",
    expected=Verdict.REFUTED,
)
def c4_twin(setting: Setting) -> Finding:
    """One degree dropped, the weights kept."""
    inner, found = _monomials(setting)
    dropped = max(set(found.weights) - {0}, key=lambda d: comb(setting.m, d))
    kernel = monomial_kernel(setting.m, {d: w for d, w in found.weights.items() if d != dropped})
    decision = decide(kernel, inner)
    sequence = None if decision.solves else minimal_counterexample(kernel, inner)
    details: dict[str, object] = {"dropped": dropped}
    if sequence is not None:
        details["counterexample"] = [format(token, f"0{setting.m}b") for token in sequence]
    return Finding(
        decision.verdict,
        decision.method,
        f"without degree {dropped} the worst error is {decision.worst_error}",
        details,
    )


@claim(
    "C6",
    order=44,
    statement="Masks by |q| and |a|: the side expanded has at most m/2 elements, and gives rho^-t.",
)
def c6(setting: Setting) -> Finding:
    """Every class, exactly."""
    m = min(setting.m, MONOMIALS_UP_TO)
    identities.masks(m, Fraction(7, 4))
    return Finding(Verdict.PROVED, "orbit", f"3 masks, every (|q|, |a|, <q,a>) at m = {m}")


@claim(
    "C7", order=45, statement="Signed features: near and far classes of centres add to T(d), without bias."
)
def c7(setting: Setting) -> Finding:
    """All centres, all radii, exact Beta masses; expectations over all choices."""
    top = min(setting.m + 1, CENTRES_UP_TO)
    v, b = Fraction(2, 7), Fraction(1, 4)
    for size in range(1, top + 1):
        identities.far_classes(size, v)
        identities.near_classes(size, v, b)
    identities.signed_sampling(min(top, 4), Fraction(2, 3))
    return Finding(Verdict.PROVED, "exhaustive", f"all centres and radii for M <= {top}, exact Beta masses")


@claim(
    "C8",
    order=46,
    statement="Non-negative features: the thinned hash field has mean eta^2 + eta(1-eta) gamma^d.",
)
def c8(setting: Setting) -> Finding:
    """Every subset and every table of two coordinates."""
    size = min(setting.m, 2)
    identities.hash_sampling(size, Fraction(1, 3), Fraction(1, 5))
    return Finding(Verdict.PROVED, "exhaustive", f"all subsets and all 0/1 tables for M = {size}")


@claim(
    "R1",
    order=47,
    statement="K = |q \\ a| rho^-t (1 +- 1/(4m)) + delta solves, whatever the noise.",
    rocq=("noise_reduction", "noise_reduction_nonneg"),
)
def r1(setting: Setting) -> Finding:
    """The parity identity, and the exact verdict with every entry at its worse end."""
    if setting.n < 3 or setting.tolerance == 1 or not setting.self_included:
        raise NotApplicable("needs n >= 3, a tolerance below 1 and self included")
    inner = Setting(min(setting.m, MONOMIALS_UP_TO), setting.n, setting.tolerance)
    rate = Decay(inner.n, inner.tolerance).rate
    rho = Fraction(1)
    if rate.root == 1:
        rho = rate.base
    while rho**rate.root < rate.base:
        rho += Fraction(1, 16)
    identities.parity_distance(min(inner.m, 5))
    tiny = Fraction(1, 10**6) / rho**inner.m
    solves = identities.reduction_under_any_noise(inner, rho, tiny)
    verdict = Verdict.PROVED if solves else Verdict.REFUTED
    return Finding(
        verdict, "orbit", f"every class at m = {inner.m}, rho = {rho}, every noise of 1/{4 * inner.m}"
    )
