"""Layers, pairs and singletons in Rocq: the checker there decides as the one in Python does, stored files and mutants."""

from __future__ import annotations

import copy
import json
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from kattn_bounds.certificates.checker import Rejected, check
from kattn_bounds.errors import InputError
from kattn_bounds.rocq import certify_rocq, translate

ROOT = Path(__file__).resolve().parents[2]
ROCQ = ROOT / "proofs" / "rocq"
LOWER = ROOT / "kattn_bounds" / "data" / "lower"
FOUND = ROOT / "experiments" / "lower_bounds" / "certificates"
KINDS = ("layer", "dominance", "trace", "singletons")

Certificate = dict[str, Any]

needs_rocq = pytest.mark.skipif(
    shutil.which("coqc") is None or not (ROCQ / "check_pairs.vo").exists(),
    reason="coqc is not on PATH, or proofs/rocq is not compiled (make rocq)",
)


def certificate(kind: str, m: int, n: int, value: int, data: Certificate, **setting: Any) -> Certificate:
    chosen = {"m": m, "n": n, "tolerance": "1/2", "self_included": True, "readout": "inner"}
    return {
        "format": "kattn-bounds-certificate",
        "version": 1,
        "kind": kind,
        "setting": chosen | setting,
        "claim": {"quantity": "features", "relation": ">=", "value": value, "features": "signed"},
        "data": data,
    }


def load(path: Path) -> Certificate:
    loaded: Certificate = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def with_value(cert: Certificate, value: int) -> Certificate:
    return cert | {"claim": cert["claim"] | {"value": value}}


def accepted(cert: Certificate) -> bool:
    try:
        check(cert)
    except Rejected:
        return False
    return True


def best(cert: Certificate) -> int:
    """The largest value that the checker in Python accepts, 0 for none."""
    low, high = 0, 1
    while accepted(with_value(cert, high)):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if accepted(with_value(cert, middle)) else (low, middle)
    return low


def decision(cert: Certificate, verdict: bool, number: int) -> tuple[str, str]:
    """The header, and a module in which Rocq evaluates the checker on the certificate: to `verdict`."""
    header, text = translate(cert).split("Set Printing Width 110.\n", 1)
    definition, theorem = text.split("Theorem certified", 1)
    found = re.search(r"@(check_\w+)_sound (.*) \(Z\.to_nat", theorem)
    assert found is not None
    checker, applied = found.groups()
    if checker == "check_singletons":  # the checker for the inner readout does not depend on self
        applied = re.sub(r" (true|false) ", " ", applied)
    goal = f"Goal {checker} {applied} = {str(verdict).lower()}. Proof. by vm_compute. Qed."
    return header, f"Module Case{number}.\n{definition}{goal}\nEnd Case{number}.\n"


def decide(folder: Path, cases: Iterable[tuple[Certificate, bool]]) -> None:
    """Rocq decides each case as told: one file for all."""
    parts = []
    for number, (cert, verdict) in enumerate(cases):
        assert accepted(cert) == verdict, cert
        parts.append(decision(cert, verdict, number))
    header = "".join(sorted({header for header, _ in parts}))
    file = folder / "cases.v"
    file.write_text(header + "".join(body for _, body in parts), encoding="utf-8")
    command = ["coqc", "-w", "none", "-R", str(ROCQ), "KattnBounds", str(file)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def sharp(cert: Certificate) -> list[tuple[Certificate, bool]]:
    value = best(cert)
    cases = [(with_value(cert, value), True)] if value else []
    return [*cases, (with_value(cert, value + 1), False)]


def random_setting(rng: random.Random) -> dict[str, Any]:
    readout = rng.choice(["inner", "inner", "free"])
    tolerances = ["1/2", "1/3", "3/7", "1/10"] + (["1", "2/3", "7/8"] if readout == "inner" else ["1/2"])
    return {
        "tolerance": rng.choice(tolerances),
        "self_included": rng.random() < 0.7,
        "readout": readout,
    }


def random_layer(rng: random.Random) -> Certificate:
    m = rng.randint(2, 14)
    k = rng.randint(1, m - 1)
    data: Certificate = {"k": k}
    if rng.random() < 0.6:
        degree = rng.randint(0, min(k, m - k, 2))
        data["shift"] = [
            str(Fraction(rng.randint(-5, 30), rng.randint(40, 400)) / (-3) ** i) for i in range(degree + 1)
        ]
    return certificate("layer", m, rng.choice([3, 3, 4, 6, 30, 10**12]), 1, data, **random_setting(rng))


def random_pairs(rng: random.Random) -> Certificate:
    """Weighted pairs (S, complement of S), S in a family of k-sets; now and then another pair."""
    m, n = rng.randint(3, 8), rng.choice([3, 5, 20, 200])
    k = rng.randint(2, m - 1)
    sets = {frozenset(rng.sample(range(m), k)) for _ in range(rng.randint(1, 12))}
    pairs = [
        ["".join("1" if (i in s) == own else "0" for i in range(m)) for own in (True, False)] for s in sets
    ]
    if rng.random() < 0.2:
        pairs.append(["".join(rng.choice("01") for _ in range(m)) for _ in range(2)])

    def weights(low: int) -> list[str]:
        return [str(Fraction(rng.randint(low, 6), 6)) for _ in pairs]

    if rng.random() < 0.4:
        data: Certificate = {"pairs": pairs, "scale": weights(3)}
        return certificate("dominance", m, n, 1, data, **random_setting(rng))
    data = {"pairs": pairs, "x": weights(0), "y": weights(0)}
    if rng.random() < 0.5:
        data["shift"] = str(Fraction(rng.randint(0, 9), rng.randint(10, 90)))
    return certificate("trace", m, n, 1, data, **random_setting(rng))


def random_singletons(rng: random.Random) -> Certificate:
    return certificate("singletons", rng.randint(1, 40), rng.choice([3, 4, 9]), 1, {}, **random_setting(rng))


def random_cases(seed: int, count: int) -> list[tuple[Certificate, bool]]:
    rng = random.Random(seed)
    makers = [random_layer, random_pairs, random_pairs, random_singletons]
    return [case for _ in range(count) for case in sharp(rng.choice(makers)(rng))]


@needs_rocq
def test_the_two_checkers_decide_alike(tmp_path: Path) -> None:
    cases = random_cases(1, 60)
    assert {cert["kind"] for cert, verdict in cases if verdict and cert["claim"]["value"] > 1} == set(KINDS)
    decide(tmp_path, cases)


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
def test_the_two_checkers_decide_alike_on_more(tmp_path: Path, seed: int) -> None:
    decide(tmp_path, random_cases(seed, 300))


@needs_rocq
@pytest.mark.parametrize(
    ("cert", "statement"),
    [
        (
            certificate("layer", 12, 50, 60, {"k": 6}, readout="free"),
            "lower_bound_free 12 (Z.to_nat 50) 1 2 true (Z.to_nat 60)",
        ),
        (load(LOWER / "trace-m8-n3-d9.json"), "lower_bound 8 (Z.to_nat 3) 1 2 true (Z.to_nat 9)"),
    ],
)
def test_theorem(tmp_path: Path, cert: Certificate, statement: str) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(cert), encoding="utf-8")
    report = certify_rocq(path)
    assert report.accepted, str(report)
    assert report.assumptions == "Closed under the global context"
    assert report.statement == statement


@needs_rocq
def test_a_value_too_large_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "more.json"
    path.write_text(json.dumps(certificate("layer", 8, 3, 5, {"k": 4})), encoding="utf-8")
    assert not certify_rocq(path).accepted


def mutants(cert: Certificate) -> list[Certificate]:
    """Changes after which a bound that is sharp does not hold."""

    def changed(change: Callable[[Certificate], object]) -> Certificate:
        mutant = copy.deepcopy(cert)
        change(mutant)
        return mutant

    found = [with_value(cert, cert["claim"]["value"] + 1), with_value(cert, 10**30)]
    found.append(changed(lambda c: c["setting"].update(n=2)))
    if cert["kind"] == "layer":
        found.append(changed(lambda c: c["data"].update(k=2)))
        found.append(changed(lambda c: c["data"].update(shift=["-1/10"])))
        found.append(changed(lambda c: c["data"].update(shift=["1/2", "1/2", "1/2"])))
    if cert["kind"] == "trace":
        found.append(changed(lambda c: c["data"].update(shift="99/100")))
        found.append(changed(lambda c: c["data"]["x"].__setitem__(0, -1)))
    if "pairs" in cert["data"]:
        pairs = cert["data"]["pairs"]
        found.append(changed(lambda c: c["data"]["pairs"][0].__setitem__(1, pairs[1][1])))
        found.append(changed(lambda c: c["data"]["pairs"][0].reverse()))
    return found


@needs_rocq
def test_mutants(tmp_path: Path) -> None:
    layer = load(FOUND / "m8-n4.json")
    trace = load(LOWER / "trace-m8-n3-d9.json")
    dominance = load(LOWER / "dominance-m6-n3-d4.json")
    certs = [layer, trace, dominance, certificate("singletons", 9, 3, 9, {})]
    cases = [(cert, True) for cert in certs]
    cases += [(mutant, False) for cert in certs for mutant in mutants(cert)]
    decide(tmp_path, cases)


STORED = [
    path for path in sorted([*LOWER.glob("*.json"), *FOUND.glob("*.json")]) if load(path)["kind"] in KINDS
]


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_stored(path: Path) -> None:
    report = certify_rocq(path)
    assert report.accepted, str(report)
    assert report.statement.endswith(f"(Z.to_nat {load(path)['claim']['value']})")


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize("readout", ["inner", "free"])
@pytest.mark.parametrize(("m", "n"), [(256, 3), (256, 50), (512, 4)])
def test_large_layers(tmp_path: Path, m: int, n: int, readout: str) -> None:
    decide(tmp_path, sharp(certificate("layer", m, n, 1, {"k": m // 2}, readout=readout)))


def test_a_token_of_another_length_is_refused() -> None:
    cert = load(LOWER / "dominance-m6-n3-d4.json")
    cert["data"]["pairs"][0][1] += "1"
    with pytest.raises(InputError, match="6 coordinates"):
        translate(cert)
