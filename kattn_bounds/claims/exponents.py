"""S1: at the setting's length and tolerance, non-negative features cost exponentially more than signed ones."""

from __future__ import annotations

from kattn_bounds.claims import NotApplicable, claim
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Finding, Verdict


@claim(
    "S1",
    order=98,
    statement="As m grows, non-negative features cost exponentially more than signed ones (L9 above C7).",
)
def separation(setting: Setting) -> Finding:
    from kattn_bounds.lower.exponent import exponents
    from kattn_bounds.lower.exponent import separation as enclose

    if setting.readout != "inner" or setting.n < 3 or setting.tolerance >= 1:
        raise NotApplicable("the exponents are for the inner readout, n >= 3 and tolerance < 1")
    found = enclose(setting.n, setting.tolerance)
    bases = {e.id: e.base.text(5) for e in exponents(setting.n, setting.tolerance)}
    return Finding(
        Verdict.PROVED if found.holds else Verdict.UNDECIDED,
        "asymptotic",
        f"base at least {bases['L9']} with non-negative features, at most {bases['C7']} with signed ones",
        {"gap_of_exponents": found.gap.text(12), "bases": bases},
    )
