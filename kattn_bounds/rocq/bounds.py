"""Lower-bound certificates as Rocq files: layers, pairs, singletons."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from kattn_bounds.errors import InputError
from kattn_bounds.rocq.terms import bits, boolean, integers, pair, seq, z


def layer(cert: dict[str, Any]) -> tuple[str, str]:
    setting, claim, data = cert["setting"], cert["claim"], cert["data"]
    tolerance = Fraction(setting["tolerance"])
    free = setting["readout"] == "free"
    if data.get("shift"):
        raise InputError("a layer certificate with a shift is not translated to Rocq")
    head = f"{tolerance.numerator} {tolerance.denominator} {boolean(setting['self_included'])}"
    m, n, k, value = setting["m"], setting["n"], data["k"], claim["value"]
    suffix = "_free" if free else ""
    text = (
        f"Definition cert := LayerCert {m} {n} {head} {k} {value}.\n"
        f"Theorem certified : lower_bound{suffix} {m} (Z.to_nat {n}) {head} (Z.to_nat {value}).\n"
        f"Proof. apply: (@check_layer{suffix}_sound cert (Z.to_nat {n})); "
        "[by vm_compute | by rewrite Z2Nat.id]. Qed.\n"
    )
    return "check_base check_layer", text


def pairs(cert: dict[str, Any]) -> tuple[str, str]:
    setting, claim, data, kind = cert["setting"], cert["claim"], cert["data"], cert["kind"]
    if setting["readout"] != "inner":
        raise InputError(f"a {kind} certificate for the free readout is not translated to Rocq")
    if data.get("shift"):
        raise InputError(f"a {kind} certificate with a shift is not translated to Rocq")
    pairs = data["pairs"]
    ones = [1] * len(pairs)
    if kind == "trace":
        x, y = (integers(Fraction(v) for v in data[key]) for key in ("x", "y"))
    else:
        x, y = ones, integers(Fraction(v) for v in data.get("scale", ones))
    tolerance = Fraction(setting["tolerance"])
    head = (
        f"{tolerance.numerator} {tolerance.denominator} {boolean(setting['self_included'])} {claim['value']}"
    )
    m, n = setting["m"], setting["n"]
    listing = seq(pair(bits(q), bits(a)) for q, a in pairs)
    text = (
        f"Definition cert := (PairsCert {m} {n} {head}\n  {listing}\n"
        f"  {seq(map(z, x))} {seq(map(z, y))})%bZ.\n"
        f"Theorem certified : lower_bound {m} (Z.to_nat {n}) {head}.\n"
        f"Proof. apply: (@check_{kind}_sound cert (Z.to_nat {n})); "
        "[by vm_compute | by rewrite Z2Nat.id]. Qed.\n"
    )
    return "check_base check_pairs", text


def singletons(cert: dict[str, Any]) -> tuple[str, str]:
    setting, value = cert["setting"], cert["claim"]["value"]
    m, n, tolerance = setting["m"], setting["n"], Fraction(setting["tolerance"])
    if setting["readout"] != "inner" or tolerance > (n - 2) * (1 - tolerance):
        raise InputError(
            "a singletons certificate is translated to Rocq for the inner readout and tolerance <= (n-2)(1-tolerance) only"
        )
    tau = f"{tolerance.numerator} {tolerance.denominator}"
    text = (
        f"Theorem certified : lower_bound {m} (Z.to_nat {n}) {tau} {boolean(setting['self_included'])} {value}.\n"
        f"Proof. apply: (@check_singletons_sound {m} {n} {tau}); [by vm_compute | by rewrite Z2Nat.id]. Qed.\n"
    )
    return "check_base check_singletons", text
