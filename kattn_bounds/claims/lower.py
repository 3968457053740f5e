"""P2, P4, P5 and L7: lower bounds at this m, each with a certificate that the checker reads now."""

from __future__ import annotations

from dataclasses import replace
from math import comb

from kattn_bounds.certificates import writer
from kattn_bounds.certificates.checker import Rejected, check
from kattn_bounds.claims import NotApplicable, claim
from kattn_bounds.errors import InputError
from kattn_bounds.lower.bounds import best, lower_bounds
from kattn_bounds.lower.decay import LARGEST_PART, Decay, derive_positions
from kattn_bounds.lower.layer import LayerBound, best_layer, saturating_length
from kattn_bounds.lower.nonneg import nonneg_bound
from kattn_bounds.setting import MAX_N, Setting
from kattn_bounds.verdict import Finding, Verdict

LENGTHS = (3, 4, 5, 10, 34, 100)

REFERENCE_M = 64
"""L9 is shown at this m too, where it has passed L1 at n = 3, 4, 5, 6."""

MAX_WRITTEN_BITS = 4_000_000
"""P4 writes its sequences out: at most this many bits of tokens."""


def _layer(setting: Setting) -> LayerBound:
    if setting.n < 3:
        raise NotApplicable("at n <= 2 the number of features does not grow with m (C1)")
    try:
        layer = best_layer(setting)
    except InputError as error:
        raise NotApplicable(str(error)) from None
    if layer.value < 1:
        raise NotApplicable("the layer bound says nothing at this m: give a larger one")
    return layer


def _base(setting: Setting) -> float:
    """2 rho/(rho+1), the growth of the layer bound (with h(1); the free readout at tolerance 1/2 has its own)."""
    rho = float(Decay.of(setting).rate)
    return 2 * rho / (rho + 1)


def _verdict(certificates: list[writer.Certificate]) -> tuple[Verdict, str]:
    """PROVED when the checker accepts all; UNDECIDED with its reason when it does not."""
    for certificate in certificates:
        try:
            check(certificate)
        except Rejected as error:
            return Verdict.UNDECIDED, f"certificate rejected: {error}"
    return Verdict.PROVED, ""


@claim(
    "P2",
    order=50,
    statement="Length three costs 2^Omega(m) features: a lower bound on D for every solving head at this m.",
    rocq=("layer_bound", "exponential_three_1267"),
)
def features_grow(setting: Setting) -> Finding:
    layer = _layer(setting)
    bounds = lower_bounds(setting)
    certified = [b for b in bounds if b.certificate is not None]
    verdict, why = _verdict([b.certificate for b in certified if b.certificate and not b.checked])
    top = best(certified)
    name = "L3" if setting.readout == "free" else "L1"
    growth = "" if Decay.of(setting).h(1) is None else f", asymptotic base {_base(setting):.4f}"
    evidence = (
        f"{name}: D >= {layer.value} (k = {layer.k}){growth}; best {top.id}: D >= {top.value}; checker agrees"
    )
    details: dict[str, object] = {
        "bounds": {b.id: b.value for b in bounds},
        "k": layer.k,
        "ratio": str(layer.ratio),
    }
    return Finding(verdict, "certificate", why or evidence, details)


@claim(
    "P4",
    order=52,
    statement="P2 holds for position-dependent token maps and a causally masked final query.",
    rocq=("layer_bound", "solves_causal"),
)
def positions_do_not_help(setting: Setting) -> Finding:
    if setting.readout == "free":
        raise NotApplicable("the position-dependent derivation is for the inner readout")
    layer = _layer(setting)
    m, n, k = setting.m, setting.n, layer.k
    steps = [s for s in range(1, min(LARGEST_PART, k, m - k) + 1) if s > setting.tolerance]
    if not steps:
        raise NotApplicable("the best layer has no step above the tolerance at this m: give a larger m")
    if (k + 1) * len(steps) * (n - 1) * n * m > MAX_WRITTEN_BITS:
        raise NotApplicable(
            f"the {n - 1} sequences of {n} tokens are not written out at this size: give a smaller n"
        )
    query = (1 << k) - 1
    summed = [
        derive_positions(setting, query, (1 << t) - 1, (1 << (t + s)) - 1)
        for s in steps
        for t in range(k - s + 1)
    ]
    layer_certificate = writer.layer(setting, k, layer.value)
    verdict, why = _verdict([*summed, layer_certificate])
    evidence = (
        f"{len(summed)} summed inequalities for Kbar = sum_j K_j, {n - 1} sequences each, agree term by term; "
        f"the query is last in all; so D >= {layer.value} as in P2"
    )
    return Finding(
        verdict, "certificate", why or evidence, {"inequalities": len(summed), "value": layer.value}
    )


@claim(
    "P5",
    order=54,
    statement="As the context grows the bound tends to C(m, m/2), near the exact 2^m-feature realisation.",
    rocq=("layer_limit", "layer_limit_exact"),
)
def length_costs(setting: Setting) -> Finding:
    if setting.readout == "free" or setting.tolerance == 1:
        raise NotApplicable("the table is for the inner readout and tolerance < 1")
    m = setting.m
    _layer(setting.at_length(3))
    limit = comb(m, m // 2)
    last = saturating_length(setting.at_length(3))
    lengths = [n for n in LENGTHS if last is None or n < last] + [MAX_N if last is None else last]
    layers = [(n, best_layer(setting.at_length(n))) for n in lengths]
    certificates = [writer.layer(setting.at_length(n), layer.k, layer.value) for n, layer in layers]
    verdict, why = _verdict(certificates)
    table = ", ".join(f"{n}: {_short(layer.value)}" for n, layer in layers)
    reached = f" = C({m},{m // 2})" if last is not None else f", towards C({m},{m // 2}) = {_short(limit)}"
    evidence = f"D >= (n: bound) {table}{reached}; 2^{m} features are enough at every n (C3)"
    values = {str(n): layer.value for n, layer in layers}
    return Finding(verdict, "certificate", why or evidence, {"bounds": values, "limit": limit})


@claim(
    "L7",
    order=56,
    statement="D >= m for every m and every n >= 3.",
    rocq=("singletons_bound",),
)
def at_least_m(setting: Setting) -> Finding:
    if setting.n < 3:
        raise NotApplicable("it needs n >= 3")
    if setting.readout == "free":
        raise NotApplicable(
            "with the free readout h(1) <= 1 asks for a smaller tolerance, and one feature is lost"
        )
    first = Decay.of(setting).h(1)
    if first is None or first > 1:
        raise NotApplicable(
            f"tau = {setting.tolerance} > (n-2)(1-tau): one level up need not mean a smaller entry"
        )
    verdict, why = _verdict([writer.singletons(setting, setting.m)])
    evidence = f"the rows of the {setting.m} one-element queries are independent: h(1) = {first} <= 1"
    return Finding(verdict, "certificate", why or evidence, {"value": setting.m})


@claim(
    "L9",
    order=58,
    statement="Non-negative features obey an explicit bound of their own, which overtakes L1 as m grows.",
    rocq=("nonneg_layer_bound", "nonneg_exponential_three"),
)
def nonneg_features_cost_more(setting: Setting) -> Finding:
    if setting.readout == "free":
        raise NotApplicable("shown for the inner readout")
    layer = _layer(setting)
    try:
        found = [nonneg_bound(at) for at in (setting, replace(setting, m=REFERENCE_M))]
    except InputError as error:
        raise NotApplicable(str(error)) from None
    here, there = found
    certificates = [
        writer.nonneg(replace(setting, m=bound.m), bound.k, bound.value)
        for bound in found
        if bound.value >= 1
    ]
    verdict, why = _verdict(certificates)
    signed = best_layer(replace(setting, m=REFERENCE_M)).value
    evidence = (
        f"L9: D >= {_short(here.value)} non-negative features (L1: {_short(layer.value)}); "
        f"at m = {REFERENCE_M}: {_short(there.value)} (L1: {_short(signed)})"
    )
    details: dict[str, object] = {"nonneg": here.value, "signed": layer.value}
    return Finding(verdict, "certificate", why or evidence, details)


def _short(value: int) -> str:
    return str(value) if value < 10**12 else f"{value:.3e}" if value < 10**300 else f"1e{len(str(value)) - 1}"
