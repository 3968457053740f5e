"""P1 and P3 with C1, C2 and C3, the cliff between lengths two and three, and the twins that must fail."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from kattn_bounds.claims import NotApplicable, claim
from kattn_bounds.cube import format_sequence
from kattn_bounds.kernels import ClassKernel, signed_token_values, softmax, uniform
from kattn_bounds.kernels.base import Kernel
from kattn_bounds.kernels.rank import (
    expanded_features_agree,
    expanded_rank,
)
from kattn_bounds.kernels.softmax import softmax_condition
from kattn_bounds.setting import HALF, Setting
from kattn_bounds.verdict import Finding, Method, Verdict
from kattn_bounds.verify import Decision, decide, minimal_counterexample

EXHAUSTIVE_UP_TO = 8
"""Up to this m the ledger reads every entry; above it, it uses orbits, which decide the same sequences."""


def decided(kernel: ClassKernel, setting: Setting, value: ClassKernel | None = None) -> Decision:
    """Decide by reading all entries where m is small, else by orbits."""
    return decide(kernel, setting, value, exhaustive=setting.m <= EXHAUSTIVE_UP_TO)


def finding(
    found: Decision, evidence: str, kernel: Kernel, setting: Setting, value: Kernel | None = None
) -> Finding:
    """A finding with the worst error, and the smallest counterexample when there is one."""
    details: dict[str, object] = {
        "worst_error": None if found.worst_error is None else str(found.worst_error),
        "setting": setting.to_json(),
    }
    if not found.solves:
        smallest = minimal_counterexample(kernel, setting, value)
        assert smallest is not None
        text = format_sequence(smallest, setting.m)
        details["counterexample"] = text
        if len(text) <= 60:
            evidence += f"; fails on {text}"
    method: Method = found.method
    return Finding(found.verdict, method, evidence, details)


def solving_base(setting: Setting) -> Fraction:
    """The largest 1/r, r an integer, with which softmax solves the setting (C2)."""
    r = 2
    while True:
        left, right = softmax_condition(setting, Fraction(1, r))
        if left < right:
            return Fraction(1, r)
        r += 1


@claim(
    "C1",
    order=10,
    statement="P1: at length at most two, one feature (K = 1, V = <q,2a-1>) computes the minimum exactly.",
    rocq=("exact_two",),
)
def uniform_is_exact(setting: Setting) -> Finding:
    value = signed_token_values(setting.m)
    kernel = uniform(setting.m)
    found = [decided(kernel, Setting(setting.m, n, setting.tolerance, readout="free"), value) for n in (1, 2)]
    exact = all(d.worst_error == 0 for d in found)
    errors = ", ".join(f"{d.worst_error} at n = {n}" for n, d in enumerate(found, start=1))
    verdict = Verdict.PROVED if exact else Verdict.REFUTED
    return Finding(verdict, found[0].method, f"1 feature, worst error {errors}")


@claim(
    "cliff",
    order=20,
    statement="The same one-feature head still solves length three.",
    expected=Verdict.REFUTED,
)
def uniform_falls(setting: Setting) -> Finding:
    if setting.m == 1:
        raise NotApplicable("at m = 1 its error is 1/3; it fails from m = 2 on")
    longer = Setting(setting.m, 3, HALF, readout="free")
    value = signed_token_values(setting.m)
    kernel = uniform(setting.m)
    found = decided(kernel, longer, value)
    return finding(found, f"worst error {found.worst_error}", kernel, longer, value)


@claim(
    "C2",
    order=30,
    statement="P3: dense softmax, m-dimensional scores -<q,a> at a constant temperature, solves the task.",
    rocq=("softmax_criterion",),
)
def softmax_solves(setting: Setting) -> Finding:
    setting = _inner(setting)
    x = solving_base(setting)
    kernel = softmax(setting.m, x)
    found = decided(kernel, setting)
    if setting.n == 1:
        return finding(found, "one token: worst error 0", kernel, setting)
    return finding(found, f"x = e^-beta = {x}, worst error {found.worst_error}", kernel, setting)


@claim(
    "C2",
    order=31,
    statement="Softmax solves the task at any temperature, x = 1/2 for instance.",
    expected=Verdict.REFUTED,
    rocq=("softmax_criterion",),
)
def softmax_too_warm(setting: Setting) -> Finding:
    setting = _inner(setting)
    x = Fraction(1, 2)
    left, right = softmax_condition(setting, x)
    if left < right:
        raise NotApplicable(f"x = 1/2 does solve here: {left} < {right}")
    kernel = softmax(setting.m, x)
    found = decided(kernel, setting)
    return finding(found, f"x = 1/2, worst error {found.worst_error}", kernel, setting)


@claim(
    "C3",
    order=40,
    statement="The softmax kernel x^<q,a> has rank exactly 2^m, and 2^m explicit features give it.",
    rocq=("power_rank", "nonneg_features_full"),
)
def expanded_has_full_rank(setting: Setting) -> Finding:
    m, x = setting.m, solving_base(_inner(setting))
    if m > EXHAUSTIVE_UP_TO:
        # The matrix is the m-th tensor power of [[1, 1], [1, x]], whose determinant x - 1 is not 0.
        return Finding(
            Verdict.PROVED,
            "symbolic",
            f"tensor power of [[1,1],[1,{x}]], determinant {x - 1} is not 0: rank 2^{m}",
        )
    rank = expanded_rank(m, x)
    agree = expanded_features_agree(m, x)
    verdict = Verdict.PROVED if rank == 1 << m and agree else Verdict.REFUTED
    return Finding(
        verdict,
        "exhaustive",
        f"rank {rank}; signed and non-negative features {'reproduce' if agree else 'do not reproduce'} K",
        {"rank": rank, "x": str(x)},
    )


def _inner(setting: Setting) -> Setting:
    return replace(setting, readout="inner")
