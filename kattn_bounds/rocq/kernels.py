"""Kernel certificates as Rocq files: the factors of the kernel, whatever its construction."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from kattn_bounds.errors import InputError
from kattn_bounds.rocq.terms import all_tokens, boolean, common, disjoint, integers, masks, subset, table, z


def factors(m: int, value: int, data: dict[str, Any]) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
    """The rows phi(q) and psi(a) of a kernel certificate, whatever its construction, padded to `value` features."""
    tokens = all_tokens(m)
    columns: list[tuple[list[Fraction], list[Fraction]]] = []
    construction = data.get("construction")
    if construction == "factors":
        return (
            [[Fraction(x) for x in row] for row in data["phi"]],
            [[Fraction(x) for x in row] for row in data["psi"]],
        )
    if construction == "blocks":
        for block in data["blocks"]:
            alpha = [Fraction(x) for x in block["alpha"]]
            beta = [Fraction(x) for x in block["beta"]]
            for mask in masks(m, block["degree"]):
                inside = [subset(mask, t) for t in tokens]
                apart = [disjoint(mask, t) for t in tokens]
                on_q, on_a = (inside, apart) if block["side"] == "q" else (apart, inside)
                columns.append(
                    (
                        [alpha[t.count("1")] * on_q[i] for i, t in enumerate(tokens)],
                        [beta[t.count("1")] * on_a[i] for i, t in enumerate(tokens)],
                    )
                )
    elif construction == "setfunction":
        for mask, weight in data["terms"]:
            columns.append(
                (
                    [Fraction(weight) * subset(mask, t) for t in tokens],
                    [Fraction(int(disjoint(mask, t))) for t in tokens],
                )
            )
    elif construction == "expanded":
        x = Fraction(data["x"])
        for mask in tokens:
            size = mask.count("1")
            columns.append(
                (
                    [subset(mask, t) * (1 - x) ** size * x ** max(t.count("1") - size, 0) for t in tokens],
                    [Fraction(int(disjoint(mask, t))) for t in tokens],
                )
            )
    else:
        raise InputError(f"construction {construction!r} is not translated to Rocq")
    columns += [([Fraction(0)] * len(tokens), [Fraction(0)] * len(tokens))] * (value - len(columns))
    phi = [[column[0][i] for column in columns] for i in range(len(tokens))]
    psi = [[column[1][i] for column in columns] for i in range(len(tokens))]
    return phi, psi


def kernel(cert: dict[str, Any]) -> tuple[str, str]:
    setting, claim, data = cert["setting"], cert["claim"], cert["data"]
    if setting["readout"] != "inner":
        raise InputError("a kernel certificate for the free readout is not translated to Rocq")
    m, n, value = setting["m"], setting["n"], claim["value"]
    tolerance = Fraction(setting["tolerance"])
    phi, psi = factors(m, value, data)
    # A positive factor of a row of phi is free (the row's queries solve as before); psi needs one factor for all rows.
    rows_phi = [integers(row) for row in phi]
    rows_psi = common(psi)
    signed = claim["features"] == "signed"
    head = f"{m} {n} {z(tolerance.numerator)} {tolerance.denominator} {boolean(setting['self_included'])} {boolean(signed)}"
    text = (
        f"Definition cert := KernelCert {head} {value}\n  {table(rows_phi)}%bZ\n  {table(rows_psi)}%bZ.\n"
        f"Theorem certified : upper_bound {head} {value}.\n"
        f"Proof. apply: (@check_kernel_sound cert {n}); [by vm_compute | by []]. Qed.\n"
    )
    return "check_base check_kernel", text
