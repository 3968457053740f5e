"""Lower-bound certificates as Rocq files: layers, pairs, singletons."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from kattn_bounds.errors import InputError
from kattn_bounds.rocq.terms import boolean, integers, pair, seq, z


def _theorem(cert: dict[str, Any], checker: str, applied: str) -> str:
    """The claim of the certificate, by the soundness theorem of `checker` applied to `applied`."""
    setting = cert["setting"]
    free = "_free" if setting["readout"] == "free" else ""
    n, value = setting["n"], cert["claim"]["value"]
    return (
        f"Theorem certified : lower_bound{free} {_size(setting['m'])} (Z.to_nat {n}) {_head(setting)} (Z.to_nat {value}).\n"
        f"Proof. apply: (@{checker}{free}_sound {applied} (Z.to_nat {n})); "
        "[by vm_cast_no_check (erefl true) | by rewrite Z2Nat.id]. Qed.\n"
    )


def _head(setting: dict[str, Any]) -> str:
    tolerance = Fraction(setting["tolerance"])
    return f"{tolerance.numerator} {tolerance.denominator} {boolean(setting['self_included'])}"


def _size(m: int) -> str:
    """m as a natural number; Coq prints large literals of these digit by digit."""
    return str(m) if m < 5000 else f"(Z.to_nat {m})"


def _row(values: Sequence[int]) -> str:
    return seq(map(z, values)) if values else "[::]"


def _token(text: str, m: int) -> str:
    if len(text) != m:
        raise InputError(f"token {text!r} does not have {m} coordinates")
    return str(int(text, 2))


def layer(cert: dict[str, Any]) -> tuple[str, str]:
    setting, data = cert["setting"], cert["data"]
    shift = [Fraction(c) for c in data.get("shift", [])]
    scale = lcm(*(c.denominator for c in shift))
    text = (
        f"Definition cert := (LayerCert {_size(setting['m'])} {setting['n']} {_head(setting)} {data['k']}\n"
        f"  {_row(integers(shift))} {scale} {cert['claim']['value']})%bZ.\n"
    )
    return "check_base check_layer", text + _theorem(cert, "check_layer", "cert")


def pairs(cert: dict[str, Any]) -> tuple[str, str]:
    setting, data, kind = cert["setting"], cert["data"], cert["kind"]
    m, listed = setting["m"], data["pairs"]
    ones = [1] * len(listed)
    if kind == "trace":
        x, y = (integers(Fraction(v) for v in data[key]) for key in ("x", "y"))
    else:
        x, y = ones, integers(Fraction(v) for v in data.get("scale", ones))
    shift = Fraction(data.get("shift", 0))
    listing = seq(pair(_token(q, m), _token(a, m)) for q, a in listed) if listed else "[::]"
    text = (
        f"Definition cert := (PairsCert {_size(m)} {setting['n']} {_head(setting)} {cert['claim']['value']}\n"
        f"  {z(shift.numerator)} {shift.denominator}\n  {listing}\n  {_row(x)} {_row(y)})%bZ.\n"
    )
    return "check_base check_pairs", text + _theorem(cert, f"check_{kind}", "cert")


def singletons(cert: dict[str, Any]) -> tuple[str, str]:
    setting, value = cert["setting"], cert["claim"]["value"]
    tolerance = Fraction(setting["tolerance"])
    tau = f"{tolerance.numerator} {tolerance.denominator}"
    own = boolean(setting["self_included"])
    text = _theorem(cert, "check_singletons", f"{_size(setting['m'])} {setting['n']} {tau} {own} {value}")
    return "check_base check_singletons", text
