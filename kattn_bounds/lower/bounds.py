"""Every lower bound on the number of features that the toolkit can prove at a setting, and the best of them.

A solving head at a causal mask or with position-dependent maps obeys L1 as well (L2). Bounds found by search are stored
with the package as certificates (data/lower/*.json); each serves every larger m and n and every smaller tolerance, and
is lifted to the setting asked for and read by the checker before it is reported.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from kattn_bounds.bound import Bound
from kattn_bounds.certificates import writer
from kattn_bounds.certificates.checker import Rejected, check
from kattn_bounds.certificates.reading import MAX_M, MAX_N, parse
from kattn_bounds.certificates.schema import rational_json
from kattn_bounds.errors import InputError
from kattn_bounds.lower.decay import Decay
from kattn_bounds.lower.layer import best_layer, excess
from kattn_bounds.lower.nonneg import nonneg_bound
from kattn_bounds.lower.shiftfit import MAX_SHIFT_M, best_fitted_layer
from kattn_bounds.setting import Features, Setting

MAX_LIFT_M = 200
"""Stored certificates are lifted up to this m; above it the lift at this m is the evidence (L6)."""

LONG_BYTES = 200_000

STORED_IDS = {"dominance": "L5", "trace": "L5", "independence": "L8"}


def lower_bounds(setting: Setting, features: Features = "signed") -> list[Bound]:
    """All bounds at the setting, best first (at equal value, those with a certificate first). Exact.

    `features`: "signed" bounds the rank, "nonneg" the number of non-negative features (all signed bounds hold too).

    >>> for bound in lower_bounds(Setting(16)):
    ...     if bound.id in ("L1", "L7"):
    ...         print(bound.id, bound.value, bound.method)
    L1 37 layer bound, 8-sets; position-dependent and causal alike (L2)
    L7 16 the rows of 16 queries of one 1 are independent
    >>> lower_bounds(Setting(4, n=2, self_included=False))[0].value
    1
    """
    found = [Bound("trivial", 1, "a kernel that solves is not zero"), *_two_queries(setting, features)]
    if setting.n >= 3:
        found += _decay_bounds(setting, features)
        found += _stored_bounds(setting, features, best(found).value)
    return sorted(found, key=lambda b: (b.value, b.certificate is not None), reverse=True)


def best(bounds: list[Bound]) -> Bound:
    """The first of the largest.

    >>> best(lower_bounds(Setting(9))).value >= 9
    True
    """
    return max(bounds, key=lambda b: b.value)


def _certifiable(setting: Setting) -> Setting:
    """The setting at which a certificate is written: the checker's largest m and n at most (L6)."""
    return replace(setting, m=min(setting.m, MAX_M), n=min(setting.n, MAX_N), mask="final")


def _two_queries(setting: Setting, features: Features) -> Iterator[Bound]:
    """n = 2, inner readout, self included, tau <= 1/2: K({1},{2}) > K({1},{1}) and the reverse, so two rows differ.

    At n >= 3 L7 says more.
    """
    tau = setting.tolerance
    if (
        setting.n != 2
        or setting.readout == "free"
        or not setting.self_included
        or setting.m < 2
        or 2 * tau > 1
    ):
        return
    at = _certifiable(setting)
    one, two = 1 << (at.m - 1), 1 << (at.m - 2)

    def rises(q: int, other: int) -> list[writer.Multiplier]:
        """e_other - e_q as a combination of the constraint of (other, q) and K(q, q) >= 0."""
        slack = (1 - 2 * tau) / tau
        return [((other, q), 1 / tau), *([((q,), slack)] if slack else [])]

    # Signs ++: v = 2 tau (e_one + e_two), as (q, q) says 2 tau K(q, q) > 0. Signs +-: v = e_two - e_one.
    level: list[list[writer.Multiplier]] = [
        [((q, q), 1), ((x,), 2 * tau)] for q, x in ((one, two), (two, one))
    ]
    patterns: list[tuple[str, dict[int, Fraction], list[list[writer.Multiplier]]]] = [
        ("++", {one: 2 * tau, two: 2 * tau}, level),
        ("+-", {two: Fraction(1), one: Fraction(-1)}, [rises(one, two), rises(two, one)]),
    ]
    certificate = writer.independence(at, [one, two], patterns, features=features)
    yield Bound("L8", 2, "the rows of two queries of one 1 are independent", certificate)


def _decay_bounds(setting: Setting, features: Features) -> Iterator[Bound]:
    try:
        decay = Decay.of(setting)
    except InputError:  # free readout with a tolerance above 1/2
        return
    at, free, lost = _certifiable(setting), setting.readout == "free", excess(setting)

    first = decay.h(1)
    size = 1 if first is not None and first <= 1 else 2
    if (value := setting.m // size - lost) >= 1:
        queries = "queries of one 1" if size == 1 else "disjoint queries of two 1s"
        less = "; one feature is lost to the query itself" if lost else ""
        method = f"the rows of {setting.m // size} {queries} are independent{less}"
        certificate = writer.singletons(at, value, features) if at.m == setting.m else None
        yield Bound("L7", value, method, certificate)

    if setting.m >= 2 and (layer := best_layer(at)).value >= 1:
        method = f"layer bound, {layer.k}-sets" + (
            f" of {layer.m} points (L6)" if layer.m < setting.m else ""
        )
        method += "" if free else "; position-dependent and causal alike (L2)"
        yield Bound(
            "L3" if free else "L1", layer.value, method, writer.layer(at, layer.k, layer.value, features)
        )

    # The gain is less than four, which L1 makes up for within ten coordinates more.
    if 2 <= setting.m <= MAX_SHIFT_M + 10 and first is not None:
        below = replace(at, m=min(at.m, MAX_SHIFT_M))
        shifted = best_fitted_layer(below)
        if shifted.coefficients and shifted.value > 1:
            certificate = writer.layer(below, shifted.k, shifted.value, features, shift=shifted.coefficients)
            where = f" of {below.m} points (L6)" if below.m < setting.m else ""
            degree = len(shifted.coefficients) - 1
            method = f"layer bound, {shifted.k}-sets{where}, shifted by a polynomial of degree {degree}"
            yield Bound("L3+" if free else "L1+", shifted.value, method, certificate)

    if features == "nonneg" and setting.m >= 2 and first is not None:
        nonneg = nonneg_bound(setting)
        where = f" of {nonneg.m} points (L6)" if nonneg.m < setting.m else ""
        if nonneg.value >= 1:
            certificate = writer.nonneg(replace(at, m=nonneg.m), nonneg.k, nonneg.value)
            yield Bound("L9", nonneg.value, f"non-negative features, {nonneg.k}-sets{where}", certificate)


# ------------------------------------------------------------------------------------- stored certificates


@cache
def _stored() -> tuple[tuple[dict[str, Any], Any], ...]:
    """Header (everything before the data) and file of each certificate shipped with the package."""
    folder = files("kattn_bounds") / "data" / "lower"
    if not folder.is_dir():
        return ()
    entries = sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith(".json")), key=lambda e: e.name
    )
    return tuple((_header(entry), entry) for entry in entries)


def _header(entry: Any) -> dict[str, Any]:
    """The keys before `data`: canonical text has one key a line."""
    lines = []
    with entry.open("r", encoding="utf-8") as file:
        for line in file:
            if line.startswith('"data"'):
                break
            lines.append(line)
    header: dict[str, Any] = json.loads("".join(lines).rstrip().rstrip(",") + "}")
    return header


def _serves(header: dict[str, Any], setting: Setting, features: Features) -> bool:
    """Whether a stored certificate can be lifted to the setting (see `lift`)."""
    stored = header["setting"]
    return (
        header["kind"] in STORED_IDS
        and stored["readout"] == setting.readout == "inner"
        and stored["m"] <= setting.m
        and stored["n"] + _excluding(header, setting) <= setting.n
        and Fraction(stored["tolerance"]) >= setting.tolerance
        and (header["kind"] != "independence" or stored["self_included"] >= setting.self_included)
        and (header["claim"]["features"] == "signed" or features == "nonneg")
    )


def _excluding(certificate: Any, setting: Setting) -> bool:
    """Whether constraints that attend to the query must be restated where it attends to its companions only."""
    included = certificate["setting"]["self_included"]
    return certificate["kind"] == "independence" and included and not setting.self_included


def _stored_bounds(setting: Setting, features: Features, known: int) -> Iterator[Bound]:
    """The best stored certificate of each argument that serves the setting, checked after lifting.

    A long one that does not beat the bound `known` without it is passed over: reading it takes seconds.
    """
    ranked = sorted(_stored(), key=lambda item: (-item[0]["claim"]["value"], item[0]["setting"]["m"]))
    done: set[str] = set()
    at = replace(_certifiable(setting), m=min(setting.m, MAX_LIFT_M))
    for header, entry in ranked:
        id = STORED_IDS.get(header["kind"], "")
        if id in done or not _serves(header, setting, features):
            continue
        if header["claim"]["value"] <= known and len(entry.read_bytes()) > LONG_BYTES:
            continue
        certificate: Any = parse(entry.read_text(encoding="utf-8"))
        if certificate["setting"] != at.to_json() or certificate["claim"]["features"] != features:
            certificate = lift(certificate, at, features)
        try:
            check(certificate)
        except Rejected:
            continue
        done.add(id)
        origin = header["setting"]
        same = (origin["m"], origin["n"]) == (setting.m, setting.n)
        source = f"stored {header['kind']} certificate" + (
            "" if same else f" of m={origin['m']}, n={origin['n']} (L6)"
        )
        yield Bound(id, header["claim"]["value"], f"{source}, checked now", certificate, checked=True)


def lift(certificate: Any, setting: Setting, features: Features = "signed") -> writer.Certificate:
    """A dominance, trace or independence certificate restated at a larger m and n and a smaller tolerance.

    Tokens get zeros appended: a head that solves m bits solves the tokens that end in zeros. The decay h falls with n
    and with the tolerance, and does not see whether self is included, so dominance and trace data stay valid. A
    constraint at tolerance tau0 is that at tau < tau0 plus tau0 - tau times K(q,x) >= 0 for every attended x, which the
    multipliers spell out; a constraint of fewer tokens holds for a kernel that solves n (L6). With self excluded the
    query can still be its own companion: a constraint of n tokens with self included is one of n + 1 tokens without.
    The checker has the last word on the result.
    """
    old = certificate["setting"]
    zeros = "0" * (setting.m - old["m"])
    loosened = Fraction(old["tolerance"]) - setting.tolerance
    data = certificate["data"]
    if certificate["kind"] == "independence":
        twice = _excluding(certificate, setting)
        extra = list(range(old["m"] + 1, setting.m + 1))
        new: dict[str, Any] = {"queries": [q + zeros for q in data["queries"]]}
        if "symmetry" in data:
            new["symmetry"] = [images + extra for images in data["symmetry"]]
        new["patterns"] = [
            {
                "signs": pattern["signs"],
                "v": [[a + zeros, c] for a, c in pattern["v"]],
                "multipliers": [
                    [row for m in combination for row in _restated(m, zeros, loosened, twice, setting)]
                    for combination in pattern["multipliers"]
                ],
            }
            for pattern in data["patterns"]
        ]
    else:
        new = {**data, "pairs": [[q + zeros, a + zeros] for q, a in data["pairs"]]}
    return {
        **certificate,
        "setting": setting.to_json(),
        "claim": {**certificate["claim"], "features": features},
        "data": new,
    }


def _restated(
    multiplier: list[Any], zeros: str, loosened: Fraction, twice: bool, setting: Setting
) -> list[list[object]]:
    """A constraint's multiplier with zeros appended, the query written twice, and what the smaller tolerance adds."""
    sequence, weight = multiplier
    tokens = [x + zeros for x in sequence]
    if len(tokens) == 1:
        return [[tokens, weight]]
    if twice:
        tokens.append(tokens[-1])
    rows: list[list[object]] = [[tokens, weight]]
    if loosened:
        added = rational_json(loosened * Fraction(weight))
        rows += [[[x], added] for x in (tokens if setting.self_included else tokens[:-1])]
    return rows
