"""Certificates that write sequences out, as Rocq files: independence, derivations, transcripts.

Tokens and sequences that occur many times are definitions of the file (``t_0110``, ``s_12``), so that Rocq reads them
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from kattn_bounds.rocq.terms import bits, boolean, pair, seq, z


class Names:
    """The definitions of a file for the tokens and the sequences that it mentions."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._known: dict[str | tuple[str, ...], str] = {}

    def _define(self, key: str | tuple[str, ...], name: str, kind: str, term: str) -> str:
        if key not in self._known:
            self._known[key] = name
            self.lines.append(f"Definition {name} : {kind} := {term}.\n")
        return self._known[key]

    def token(self, token: str) -> str:
        return self._define(token, f"t_{token}", "seq bool", bits(token))

    def sequence(self, tokens: Sequence[str]) -> str:
        term = seq(map(self.token, tokens))
        return self._define(tuple(tokens), f"s_{len(self._known)}", "seq (seq bool)", term)

    def add(self, name: str, kind: str, term: str) -> str:
        self.lines.append(f"Definition {name} : {kind} :=\n  {term}.\n")
        return name

    def text(self) -> str:
        return "".join(self.lines)


def denominator(values: Iterable[Fraction]) -> int:
    return lcm(*(x.denominator for x in values))


def signs_pattern(names: Names, number: int, pattern: dict[str, Any], td: int) -> str:
    """One pattern, every row with the scale that makes it integral.

    sign v = sum of multiplier * vector, times scale_v * scale; a sequence's integer vector is td times its vector.
    """
    v = [Fraction(x) for _, x in pattern["v"]]
    scale_v = denominator(v)
    rows = []
    for row in pattern["multipliers"]:
        factors = [Fraction(x) * scale_v / (td if len(s) > 1 else 1) for s, x in row]
        scale = denominator(factors)
        terms = (pair(z(int(x * scale)), names.sequence(s)) for (s, _), x in zip(row, factors, strict=True))
        rows.append(pair(str(scale), seq(terms)))
    entries = (pair(names.token(t), z(int(x * scale_v))) for (t, _), x in zip(pattern["v"], v, strict=True))
    term = f"(PatternCert {seq(boolean(s == '-') for s in pattern['signs'])}\n    {seq(entries)}\n    {seq(rows)})%bZ"
    return names.add(f"p_{number}", "pattern_cert", term)


def sources(permutation: Sequence[int]) -> str:
    """For each coordinate of an image, counted from 0, the coordinate it comes from."""
    return seq(str(permutation.index(i)) for i in range(1, len(permutation) + 1))


def independence(cert: dict[str, Any]) -> tuple[str, str]:
    setting, claim, data = cert["setting"], cert["claim"], cert["data"]
    tolerance = Fraction(setting["tolerance"])
    m, n, td, value = setting["m"], setting["n"], tolerance.denominator, claim["value"]
    names = Names()
    queries = seq(map(names.token, data["queries"]))
    symmetry = seq(map(sources, data.get("symmetry", [])))
    patterns = seq(signs_pattern(names, i, p, td) for i, p in enumerate(data["patterns"]))
    common = f"{tolerance.numerator} {td} {boolean(setting['self_included'])}"
    text = (
        f"{names.text()}"
        f"Definition cert := (IndependenceCert {m} {n} {common} {value}\n"
        f"  {queries}\n  {symmetry}%N\n  {patterns})%bZ.\n"
        f"Theorem certified : lower_bound_uniform {m} (Z.to_nat {n}) {common} (Z.to_nat {value}).\n"
        f"Proof. apply: (@check_independence_sound cert (Z.to_nat {n})); "
        "[vm_cast_no_check (erefl true) | by rewrite Z2Nat.id]. Qed.\n"
    )
    return "check_base check_independence", text


def derivation(cert: dict[str, Any]) -> tuple[str, str]:
    setting, claim, steps = cert["setting"], cert["claim"], cert["data"]["steps"]
    tolerance = Fraction(setting["tolerance"])
    m, n, td = setting["m"], setting["n"], tolerance.denominator
    free = setting["readout"] == "free"
    positional = any("j" in entry for _, entry in claim["terms"])
    names = Names()

    def entry(value: dict[str, Any], token: Callable[[str], str]) -> str:
        kind, position = boolean(value.get("kind", "K") == "N"), value.get("j", 1) - 1
        return pair(f"{kind}, {z(position)}", pair(token(value["q"]), token(value["a"])))

    # The claim times `factor` has integer coefficients; it is `scale` times smaller than the sum of the steps' terms.
    coefficients = [Fraction(coefficient) for coefficient, _ in claim["terms"]]
    factor = denominator(coefficients)
    multipliers = [Fraction(s["multiplier"]) * factor / (td if "sequence" in s else 1) for s in steps]
    scale = denominator(multipliers)
    listing = []
    for step, multiplier in zip(steps, multipliers, strict=True):
        weight = z(int(multiplier * scale))
        if "sequence" in step:
            lower = boolean(step.get("side") == "lower")
            listing.append(f"Sequence {weight} {lower} {names.sequence(step['sequence'])}")
        else:
            listing.append(f"Nonneg {weight} {entry(step['nonneg'], names.token)}")

    def terms(token: Callable[[str], str]) -> str:
        return seq(
            pair(entry(e, token), z(int(x * factor)))
            for x, (_, e) in zip(coefficients, claim["terms"], strict=True)
        )

    head = f"{tolerance.numerator} {td} {boolean(setting['self_included'])} {boolean(free)}"
    strict = boolean(claim["relation"] == "<")
    claimed = terms(names.token)
    name, suffix = ("derived_positional", "_positional") if positional else ("derived", "")
    text = (
        f"{names.text()}"
        f"Definition cert := (DerivationCert {m} {n} {head} {boolean(positional)} {strict} {scale}\n"
        f"  {claimed}\n  {seq(listing)})%bZ.\n"
        f"Theorem certified : {name} {m} (Z.to_nat {n}) {head} {strict}\n  {terms(bits)}%bZ.\n"
        f"Proof. apply: (@check_derivation{suffix}_sound cert (Z.to_nat {n})); "
        f"[vm_cast_no_check (erefl true) | {'by [] | ' * positional}by rewrite Z2Nat.id]. Qed.\n"
    )
    return "check_base check_derivation", text


def transcript(cert: dict[str, Any]) -> tuple[str, str]:
    setting, claim, data = cert["setting"], cert["claim"], cert["data"]
    m, n, value, addresses = setting["m"], setting["n"], claim["value"], data["addresses"]
    together = claim["mode"] == "all"
    queries = seq(pair(f"{j - 1}, {b - 1}", bits(q)) for j, b, q in data["queries"])
    if together:
        name, sizes = "together", f"{n} {len(data['queries'])}"
    else:
        name, sizes = "single", f"{n}"
    text = (
        f"Definition cert := TranscriptCert {m} {m - len(addresses[0])} {boolean(together)} {value}\n"
        f"  {seq(map(bits, addresses))}\n  {queries}%bZ.\n"
        f"Theorem certified : transcript_{name} {m} {sizes} (Z.to_nat {value}).\n"
        f"Proof. apply: (@check_{name}_sound cert); [vm_cast_no_check (erefl true) | by []]. Qed.\n"
    )
    return "check_base check_transcript", text
