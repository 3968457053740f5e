"""Certificates that write sequences out, as Rocq files: independence and derivations."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from kattn_bounds.errors import InputError
from kattn_bounds.rocq.terms import bits, boolean, integers, pair, seq, z


def image_of(token: str, permutation: Sequence[int]) -> str:
    image = ["0"] * len(token)
    for i, bit in enumerate(token):
        image[permutation[i] - 1] = bit
    return "".join(image)


def all_patterns(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The patterns of the certificate and their images under its symmetries, one for each pattern up to sign."""
    queries: list[str] = data["queries"]
    position = {q: i for i, q in enumerate(queries)}

    def canonical(signs: str) -> str:
        return signs if signs[0] == "+" else signs.translate(str.maketrans("+-", "-+"))

    found = {canonical(p["signs"]): p for p in data["patterns"]}
    waiting = list(found.values())
    while waiting:
        pattern = waiting.pop()
        for permutation in data.get("symmetry", []):
            order = [position[image_of(q, permutation)] for q in queries]
            signs: list[str] = [""] * len(queries)
            rows: list[list[Any]] = [[] for _ in queries]
            for i, j in enumerate(order):
                signs[j] = pattern["signs"][i]
                rows[j] = [
                    [[image_of(t, permutation) for t in sequence], multiplier]
                    for sequence, multiplier in pattern["multipliers"][i]
                ]
            image: dict[str, Any] = {
                "signs": "".join(signs),
                "v": [[image_of(t, permutation), x] for t, x in pattern["v"]],
                "multipliers": rows,
            }
            if canonical(image["signs"]) not in found:
                found[canonical(image["signs"])] = image
                waiting.append(image)
    return list(found.values())


def independence(cert: dict[str, Any]) -> tuple[str, str]:
    setting, data = cert["setting"], cert["data"]
    tolerance = Fraction(setting["tolerance"])
    td = tolerance.denominator
    m, n, queries = setting["m"], setting["n"], data["queries"]
    patterns = []
    for pattern in all_patterns(data):
        v = [Fraction(x) for _, x in pattern["v"]]
        scale_v = lcm(*(x.denominator for x in v)) if v else 1
        rows = []
        for row in pattern["multipliers"]:
            # sign v = sum of multiplier * vector, times scale_v * scale; a sequence's integer vector is td times it.
            factors = [Fraction(x) * scale_v / (td if len(s) > 1 else 1) for s, x in row]
            scale = lcm(*(x.denominator for x in factors)) if factors else 1
            terms = [
                pair(z(int(x * scale)), seq(map(bits, s))) for (s, _), x in zip(row, factors, strict=True)
            ]
            rows.append(pair(str(scale), seq(terms)))
        patterns.append(
            f"PatternCert {seq(boolean(s == '-') for s in pattern['signs'])}\n    "
            + seq(pair(bits(t), z(int(x * scale_v))) for (t, _), x in zip(pattern["v"], v, strict=True))
            + "\n    "
            + seq(rows)
        )
    head = f"{m} {n} {tolerance.numerator} {td} {boolean(setting['self_included'])}"
    text = (
        f"Definition cert := (IndependenceCert {head}\n  {seq(map(bits, queries))}\n  {seq(patterns)})%bZ.\n"
        f"Theorem certified : lower_bound_uniform {head} {len(queries)}.\n"
        f"Proof. apply: (@check_independence_sound cert {n}); [by vm_compute | by []]. Qed.\n"
    )
    return "check_base check_independence", text


def derivation(cert: dict[str, Any]) -> tuple[str, str]:
    setting, claim, steps = cert["setting"], cert["claim"], cert["data"]["steps"]
    positional = any("j" in entry for _, entry in claim["terms"])
    if setting["readout"] != "inner" or positional:
        raise InputError(
            "a derivation is translated to Rocq for the inner readout and entries without a position only"
        )
    tolerance = Fraction(setting["tolerance"])
    td = tolerance.denominator
    terms = integers(Fraction(coefficient) for coefficient, _ in claim["terms"])
    factor = lcm(*(Fraction(coefficient).denominator for coefficient, _ in claim["terms"]))
    multipliers = [Fraction(s["multiplier"]) * factor / (td if "sequence" in s else 1) for s in steps]
    scale = lcm(*(x.denominator for x in multipliers))
    listing = []
    for step, multiplier in zip(steps, multipliers, strict=True):
        sequence = step["sequence"] if "sequence" in step else [step["nonneg"]["a"]]
        query = step["sequence"][-1] if "sequence" in step else step["nonneg"]["q"]
        listing.append(pair(bits(query), pair(z(int(multiplier * scale)), seq(map(bits, sequence)))))
    entries = seq(
        pair(pair(bits(entry["q"]), bits(entry["a"])), z(x))
        for (_, entry), x in zip(claim["terms"], terms, strict=True)
    )
    m, n = setting["m"], setting["n"]
    head = (
        f"{tolerance.numerator} {td} {boolean(setting['self_included'])} {boolean(claim['relation'] == '<')}"
    )
    text = (
        f"Definition cert := (DerivationCert {m} {n} {head} {scale}\n  {entries}\n  {seq(listing)})%bZ.\n"
        f"Theorem certified : derived {m} {n} {head} {entries}%bZ.\n"
        f"Proof. apply: (@check_derivation_sound cert {n}); [by vm_compute | by []]. Qed.\n"
    )
    return "check_base check_derivation", text
