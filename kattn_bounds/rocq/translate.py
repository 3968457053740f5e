"""A certificate becomes a Rocq file: its data as binary integers, one computation, one theorem.

The file defines the certificate, lets the kernel of Rocq evaluate the checker of ``proofs/rocq`` on it
(``vm_compute``), and concludes the bound by the soundness theorem of that checker. What this module gets wrong cannot
make a false bound pass: the theorem obtained is printed with its statement, and it speaks of kernels and sequences,
not of the certificate.

Translated are the kinds ``kernel``, ``dominance`` and ``trace`` (inner readout), ``layer`` (both readouts) and
``independence``, ``singletons`` where single coordinates suffice, and ``derivation`` (inner readout, no positions).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import lcm
from pathlib import Path
from typing import Any

from kattn_bounds.errors import InputError

_HEADER = """From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From KattnBounds Require Import {modules}.
Set Printing Width 110.
"""


@dataclass(frozen=True, slots=True)
class RocqReport:
    """What Rocq said about one certificate.

    `statement` is the theorem as Rocq prints it, `assumptions` the answer of ``Print Assumptions``, `message` the first
    line of the error of a certificate that was rejected.
    """

    path: str
    kind: str
    accepted: bool
    statement: str
    assumptions: str
    message: str
    seconds: float

    def __str__(self) -> str:
        if not self.accepted:
            return f"REJECTED by Rocq {self.path}: {self.kind}: {self.message}"
        return (
            f"ACCEPTED by Rocq {self.path}: {self.kind}: {self.statement}\n"
            f"    {self.assumptions} ({self.seconds:.1f} s)"
        )


def _integers(row: Iterable[Fraction]) -> list[int]:
    """The row times the least positive integer that makes it integral."""
    values = list(row)
    scale = lcm(*(x.denominator for x in values)) if values else 1
    return [int(x * scale) for x in values]


def _z(value: int) -> str:
    return f"({value})" if value < 0 else str(value)


def _seq(items: Iterable[str]) -> str:
    return "[:: " + "; ".join(items) + "]"


def _table(rows: Iterable[Iterable[int]]) -> str:
    return _seq(_seq(_z(x) for x in row) for row in rows)


def _bits(token: str) -> str:
    return _seq("true" if bit == "1" else "false" for bit in token)


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _pair(first: str, second: str) -> str:
    return f"({first}, {second})"


def _tokens(m: int) -> list[str]:
    return [format(code, f"0{m}b") for code in range(2**m)]


def _subset(a: str, b: str) -> bool:
    return all(x <= y for x, y in zip(a, b, strict=True))


def _disjoint(a: str, b: str) -> bool:
    return all(x == "0" or y == "0" for x, y in zip(a, b, strict=True))


def _masks(m: int, size: int) -> list[str]:
    return ["".join("1" if i in chosen else "0" for i in range(m)) for chosen in combinations(range(m), size)]


def _factors(m: int, value: int, data: dict[str, Any]) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
    """The rows phi(q) and psi(a) of a kernel certificate, whatever its construction, padded to `value` features."""
    tokens = _tokens(m)
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
            for mask in _masks(m, block["degree"]):
                inside = [_subset(mask, t) for t in tokens]
                apart = [_disjoint(mask, t) for t in tokens]
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
                    [Fraction(weight) * _subset(mask, t) for t in tokens],
                    [Fraction(int(_disjoint(mask, t))) for t in tokens],
                )
            )
    elif construction == "expanded":
        x = Fraction(data["x"])
        for mask in tokens:
            size = mask.count("1")
            columns.append(
                (
                    [_subset(mask, t) * (1 - x) ** size * x ** max(t.count("1") - size, 0) for t in tokens],
                    [Fraction(int(_disjoint(mask, t))) for t in tokens],
                )
            )
    else:
        raise InputError(f"construction {construction!r} is not translated to Rocq")
    columns += [([Fraction(0)] * len(tokens), [Fraction(0)] * len(tokens))] * (value - len(columns))
    phi = [[column[0][i] for column in columns] for i in range(len(tokens))]
    psi = [[column[1][i] for column in columns] for i in range(len(tokens))]
    return phi, psi


def _common(rows: Sequence[Sequence[Fraction]]) -> list[list[int]]:
    """All rows times one positive integer."""
    scale = lcm(*(x.denominator for row in rows for x in row))
    return [[int(x * scale) for x in row] for row in rows]


def _kernel(cert: dict[str, Any]) -> tuple[str, str]:
    setting, claim, data = cert["setting"], cert["claim"], cert["data"]
    if setting["readout"] != "inner":
        raise InputError("a kernel certificate for the free readout is not translated to Rocq")
    m, n, value = setting["m"], setting["n"], claim["value"]
    tolerance = Fraction(setting["tolerance"])
    phi, psi = _factors(m, value, data)
    # A positive factor of a row of phi is free (the row's queries solve as before); psi needs one factor for all rows.
    rows_phi = [_integers(row) for row in phi]
    rows_psi = _common(psi)
    signed = claim["features"] == "signed"
    head = f"{m} {n} {_z(tolerance.numerator)} {tolerance.denominator} {_bool(setting['self_included'])} {_bool(signed)}"
    text = (
        f"Definition cert := KernelCert {head} {value}\n  {_table(rows_phi)}%bZ\n  {_table(rows_psi)}%bZ.\n"
        f"Theorem certified : upper_bound {head} {value}.\n"
        f"Proof. apply: (@check_kernel_sound cert {n}); [by vm_compute | by []]. Qed.\n"
    )
    return "check_base check_kernel", text


def _layer(cert: dict[str, Any]) -> tuple[str, str]:
    setting, claim, data = cert["setting"], cert["claim"], cert["data"]
    tolerance = Fraction(setting["tolerance"])
    free = setting["readout"] == "free"
    head = f"{tolerance.numerator} {tolerance.denominator} {_bool(setting['self_included'])}"
    m, n, k, value = setting["m"], setting["n"], data["k"], claim["value"]
    suffix = "_free" if free else ""
    text = (
        f"Definition cert := LayerCert {m} {n} {head} {k} {value}.\n"
        f"Theorem certified : lower_bound{suffix} {m} (Z.to_nat {n}) {head} (Z.to_nat {value}).\n"
        f"Proof. apply: (@check_layer{suffix}_sound cert (Z.to_nat {n})); "
        "[by vm_compute | by rewrite Z2Nat.id]. Qed.\n"
    )
    return "check_base check_layer", text


def _image(token: str, permutation: Sequence[int]) -> str:
    image = ["0"] * len(token)
    for i, bit in enumerate(token):
        image[permutation[i] - 1] = bit
    return "".join(image)


def _all_patterns(data: dict[str, Any]) -> list[dict[str, Any]]:
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
            order = [position[_image(q, permutation)] for q in queries]
            signs: list[str] = [""] * len(queries)
            rows: list[list[Any]] = [[] for _ in queries]
            for i, j in enumerate(order):
                signs[j] = pattern["signs"][i]
                rows[j] = [
                    [[_image(t, permutation) for t in sequence], multiplier]
                    for sequence, multiplier in pattern["multipliers"][i]
                ]
            image: dict[str, Any] = {
                "signs": "".join(signs),
                "v": [[_image(t, permutation), x] for t, x in pattern["v"]],
                "multipliers": rows,
            }
            if canonical(image["signs"]) not in found:
                found[canonical(image["signs"])] = image
                waiting.append(image)
    return list(found.values())


def _independence(cert: dict[str, Any]) -> tuple[str, str]:
    setting, data = cert["setting"], cert["data"]
    tolerance = Fraction(setting["tolerance"])
    td = tolerance.denominator
    m, n, queries = setting["m"], setting["n"], data["queries"]
    patterns = []
    for pattern in _all_patterns(data):
        v = [Fraction(x) for _, x in pattern["v"]]
        scale_v = lcm(*(x.denominator for x in v)) if v else 1
        rows = []
        for row in pattern["multipliers"]:
            # sign v = sum of multiplier * vector, times scale_v * scale; a sequence's integer vector is td times it.
            factors = [Fraction(x) * scale_v / (td if len(s) > 1 else 1) for s, x in row]
            scale = lcm(*(x.denominator for x in factors)) if factors else 1
            terms = [
                _pair(_z(int(x * scale)), _seq(map(_bits, s))) for (s, _), x in zip(row, factors, strict=True)
            ]
            rows.append(_pair(str(scale), _seq(terms)))
        patterns.append(
            f"PatternCert {_seq(_bool(s == '-') for s in pattern['signs'])}\n    "
            + _seq(_pair(_bits(t), _z(int(x * scale_v))) for (t, _), x in zip(pattern["v"], v, strict=True))
            + "\n    "
            + _seq(rows)
        )
    head = f"{m} {n} {tolerance.numerator} {td} {_bool(setting['self_included'])}"
    text = (
        f"Definition cert := (IndependenceCert {head}\n  {_seq(map(_bits, queries))}\n  {_seq(patterns)})%bZ.\n"
        f"Theorem certified : lower_bound_uniform {head} {len(queries)}.\n"
        f"Proof. apply: (@check_independence_sound cert {n}); [by vm_compute | by []]. Qed.\n"
    )
    return "check_base check_independence", text


def _pairs(cert: dict[str, Any]) -> tuple[str, str]:
    setting, claim, data, kind = cert["setting"], cert["claim"], cert["data"], cert["kind"]
    if setting["readout"] != "inner":
        raise InputError(f"a {kind} certificate for the free readout is not translated to Rocq")
    pairs = data["pairs"]
    ones = [1] * len(pairs)
    if kind == "trace":
        x, y = (_integers(Fraction(v) for v in data[key]) for key in ("x", "y"))
    else:
        x, y = ones, _integers(Fraction(v) for v in data.get("scale", ones))
    tolerance = Fraction(setting["tolerance"])
    head = f"{tolerance.numerator} {tolerance.denominator} {_bool(setting['self_included'])} {claim['value']}"
    m, n = setting["m"], setting["n"]
    listing = _seq(_pair(_bits(q), _bits(a)) for q, a in pairs)
    text = (
        f"Definition cert := (PairsCert {m} {n} {head}\n  {listing}\n"
        f"  {_seq(map(_z, x))} {_seq(map(_z, y))})%bZ.\n"
        f"Theorem certified : lower_bound {m} (Z.to_nat {n}) {head}.\n"
        f"Proof. apply: (@check_{kind}_sound cert (Z.to_nat {n})); "
        "[by vm_compute | by rewrite Z2Nat.id]. Qed.\n"
    )
    return "check_base check_pairs", text


def _singletons(cert: dict[str, Any]) -> tuple[str, str]:
    setting, value = cert["setting"], cert["claim"]["value"]
    m, n, tolerance = setting["m"], setting["n"], Fraction(setting["tolerance"])
    if setting["readout"] != "inner" or tolerance > (n - 2) * (1 - tolerance):
        raise InputError(
            "a singletons certificate is translated to Rocq for the inner readout and tolerance <= (n-2)(1-tolerance) only"
        )
    tau = f"{tolerance.numerator} {tolerance.denominator}"
    text = (
        f"Theorem certified : lower_bound {m} (Z.to_nat {n}) {tau} {_bool(setting['self_included'])} {value}.\n"
        f"Proof. apply: (@check_singletons_sound {m} {n} {tau}); [by vm_compute | by rewrite Z2Nat.id]. Qed.\n"
    )
    return "check_base check_singletons", text


def _derivation(cert: dict[str, Any]) -> tuple[str, str]:
    setting, claim, steps = cert["setting"], cert["claim"], cert["data"]["steps"]
    positional = any("j" in entry for _, entry in claim["terms"])
    if setting["readout"] != "inner" or positional:
        raise InputError(
            "a derivation is translated to Rocq for the inner readout and entries without a position only"
        )
    tolerance = Fraction(setting["tolerance"])
    td = tolerance.denominator
    terms = _integers(Fraction(coefficient) for coefficient, _ in claim["terms"])
    factor = lcm(*(Fraction(coefficient).denominator for coefficient, _ in claim["terms"]))
    multipliers = [Fraction(s["multiplier"]) * factor / (td if "sequence" in s else 1) for s in steps]
    scale = lcm(*(x.denominator for x in multipliers))
    listing = []
    for step, multiplier in zip(steps, multipliers, strict=True):
        sequence = step["sequence"] if "sequence" in step else [step["nonneg"]["a"]]
        query = step["sequence"][-1] if "sequence" in step else step["nonneg"]["q"]
        listing.append(_pair(_bits(query), _pair(_z(int(multiplier * scale)), _seq(map(_bits, sequence)))))
    entries = _seq(
        _pair(_pair(_bits(entry["q"]), _bits(entry["a"])), _z(x))
        for (_, entry), x in zip(claim["terms"], terms, strict=True)
    )
    m, n = setting["m"], setting["n"]
    head = f"{tolerance.numerator} {td} {_bool(setting['self_included'])} {_bool(claim['relation'] == '<')}"
    text = (
        f"Definition cert := (DerivationCert {m} {n} {head} {scale}\n  {entries}\n  {_seq(listing)})%bZ.\n"
        f"Theorem certified : derived {m} {n} {head} {entries}%bZ.\n"
        f"Proof. apply: (@check_derivation_sound cert {n}); [by vm_compute | by []]. Qed.\n"
    )
    return "check_base check_derivation", text


_KINDS = {
    "derivation": _derivation,
    "singletons": _singletons,
    "dominance": _pairs,
    "trace": _pairs,
    "kernel": _kernel,
    "layer": _layer,
    "independence": _independence,
}


def translate(cert: dict[str, Any]) -> str:
    """The Rocq file of a certificate (an object as read from JSON): definition, theorem, printed assumptions.

    Raises InputError for a kind that is not translated. Exactness: exact integers throughout.
    """
    kind = cert.get("kind")
    if kind not in _KINDS:
        raise InputError(
            f"kind {kind!r} is not translated to Rocq: translated are {', '.join(sorted(_KINDS))}"
        )
    if cert["data"].get("shift"):
        raise InputError(f"a {kind} certificate with a shift is not translated to Rocq")
    modules, body = _KINDS[kind](cert)
    return _HEADER.format(modules=modules) + body + "Check certified.\nPrint Assumptions certified.\n"


def development() -> Path:
    """The folder of the compiled Rocq development: $KATTN_BOUNDS_ROCQ, or proofs/rocq of the repository."""
    chosen = os.environ.get("KATTN_BOUNDS_ROCQ")
    folder = Path(chosen) if chosen else Path(__file__).resolve().parents[2] / "proofs" / "rocq"
    if not (folder / "check_base.vo").exists():
        raise InputError(
            f"{folder}: no compiled Rocq development here: run make rocq, or set KATTN_BOUNDS_ROCQ to the compiled folder"
        )
    return folder


def certify_rocq(path: str | os.PathLike[str], timeout: float = 600.0) -> RocqReport:
    """Translate one certificate file, compile it with coqc, and report the theorem and its assumptions.

    Raises InputError when coqc or the compiled development is missing, when the file is not a certificate, or when its
    kind is not translated. A certificate that fails gives a report with `accepted` False.
    """
    coqc = shutil.which("coqc")
    if coqc is None:
        raise InputError("coqc is not on PATH: install the packages of proofs/rocq/packages.txt")
    folder = development()
    try:
        cert = json.loads(Path(path).read_text(encoding="utf-8"))
        kind = str(cert["kind"])
        source = translate(cert)
    except InputError:
        raise
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise InputError(f"{path}: not a certificate that can be translated: {error!r}") from None
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "certificate.v"
        file.write_text(source, encoding="utf-8")
        command = [coqc, "-w", "none", "-R", str(folder), "KattnBounds", str(file)]
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return RocqReport(str(path), kind, False, "", "", f"no answer within {timeout:g} s", timeout)
    seconds = time.monotonic() - start
    if result.returncode != 0:
        lines = [line for line in result.stderr.splitlines() if line and not line.startswith("File ")]
        message = " ".join(lines[:2])[:200] or "coqc failed"
        return RocqReport(str(path), kind, False, "", "", message, seconds)
    output = " ".join(result.stdout.split())
    statement, _, assumptions = output.partition("Closed under the global context")
    statement = statement.removeprefix("certified").strip().removeprefix(":").strip()
    closed = "Closed under the global context" in output
    return RocqReport(
        str(path),
        kind,
        closed,
        statement,
        "Closed under the global context" if closed else assumptions,
        "" if closed else "the theorem has assumptions",
        seconds,
    )
