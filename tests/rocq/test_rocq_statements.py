"""Independence, derivations and transcripts in Rocq: valid certificates are accepted, mutants are not."""

from __future__ import annotations

import copy
import json
import random
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from kattn_bounds.certificates import writer
from kattn_bounds.certificates.checker import Rejected, check
from kattn_bounds.lower.decay import derive, derive_positions
from kattn_bounds.rocq import certify_rocq, translate
from kattn_bounds.setting import Setting
from kattn_bounds.transcript.independent import Mode, certificate, independent_answers

ROOT = Path(__file__).resolve().parents[2]
ROCQ = ROOT / "proofs" / "rocq"
LOWER = ROOT / "kattn_bounds" / "data" / "lower"
FOUND = ROOT / "experiments" / "lower_bounds" / "certificates"

Certificate = dict[str, Any]
Change = Callable[[Certificate], None]
TINY = Fraction(1, 10**30)

needs_rocq = pytest.mark.skipif(
    shutil.which("coqc") is None or not (ROCQ / "check_transcript.vo").exists(),
    reason="coqc is not on PATH, or proofs/rocq is not compiled (make rocq)",
)


def as_json(cert: Any) -> Certificate:
    loaded: Certificate = json.loads(writer.certificate_text(cert))
    return loaded


def stored(name: str) -> Certificate:
    loaded: Certificate = json.loads((LOWER / name).read_text(encoding="utf-8"))
    return loaded


def accept(folder: Path, cert: Certificate, statement: str) -> None:
    """Both checkers accept; Rocq's theorem begins with the statement."""
    check(cert)
    path = folder / "certificate.json"
    path.write_text(json.dumps(cert), encoding="utf-8")
    report = certify_rocq(path)
    assert report.accepted, str(report)
    assert report.assumptions == "Closed under the global context"
    assert report.statement.startswith(statement), report.statement


def reject(folder: Path, cert: Certificate, changes: Iterable[Change]) -> None:
    """The checker of Rocq is false on each mutant: one file evaluates it on all of them."""
    parts = []
    for number, change in enumerate(changes):
        mutant = copy.deepcopy(cert)
        change(mutant)
        with pytest.raises(Rejected):
            check(mutant)
        header, definitions = translate(mutant).split("Definition ", 1)
        parts.append(f"Module Mutant{number}.\nDefinition {definitions.split('Theorem certified')[0]}")
        parts.append(
            f"Goal check_{mutant['kind']} cert = false. Proof. by vm_compute. Qed.\nEnd Mutant{number}.\n"
        )
    file = folder / "mutants.v"
    file.write_text(header + "".join(parts), encoding="utf-8")
    command = ["coqc", "-w", "none", "-R", str(ROCQ), "KattnBounds", str(file)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def more(value: int | str) -> str:
    return str(Fraction(value) + TINY)


# --------------------------------------------------------------------- independence


def change_v(cert: Certificate) -> None:
    cert["data"]["patterns"][0]["v"][0][1] = more(cert["data"]["patterns"][0]["v"][0][1])


def change_multiplier(cert: Certificate) -> None:
    term = cert["data"]["patterns"][-1]["multipliers"][2][0]
    term[1] = more(term[1])


def drop_pattern(cert: Certificate) -> None:
    cert["data"]["patterns"].pop()


def wrong_sign(cert: Certificate) -> None:
    pattern = cert["data"]["patterns"][0]
    pattern["signs"] = ("-" if pattern["signs"][0] == "+" else "+") + pattern["signs"][1:]


def drop_symmetry(cert: Certificate) -> None:
    cert["data"]["symmetry"] = cert["data"]["symmetry"][:1]


def drop_query(cert: Certificate) -> None:
    """Five of the six 2-subsets of four points: the symmetries do not keep this set."""
    cert["data"]["queries"].pop()
    cert["claim"]["value"] -= 1
    for pattern in cert["data"]["patterns"]:
        pattern["signs"] = pattern["signs"][:-1]
        pattern["multipliers"].pop()


def long_sequence(cert: Certificate) -> None:
    cert["setting"]["n"] -= 1


def claim_more(cert: Certificate) -> None:
    cert["claim"]["value"] += 1


def negative_multiplier(cert: Certificate) -> None:
    pattern = cert["data"]["patterns"][0]
    (sequence, multiplier), *others = pattern["multipliers"][0]
    pattern["multipliers"][0] = [
        [sequence, f"-{multiplier}"],
        [sequence, str(2 * Fraction(multiplier))],
        *others,
    ]


@needs_rocq
def test_independence_with_symmetries(tmp_path: Path) -> None:
    accept(tmp_path, stored("independence-m4-n5-d6.json"), "lower_bound_uniform 4 (Z.to_nat 5) 1 2 true")


@needs_rocq
def test_independence_mutants(tmp_path: Path) -> None:
    changes = [change_v, change_multiplier, drop_pattern, wrong_sign, drop_symmetry, drop_query]
    changes += [long_sequence, claim_more, negative_multiplier]
    reject(tmp_path, stored("independence-m4-n5-d6.json"), changes)


@needs_rocq
@pytest.mark.slow
def test_independence_without_symmetry_of_long_contexts(tmp_path: Path) -> None:
    """L7 as sign patterns: e_a - e_b, a the minus queries, b the plus queries; self excluded."""
    patterns = []
    for signs in ("+++", "++-", "+-+", "+--"):
        a = sum(1 << i for i, sign in enumerate(signs) if sign == "-")
        b = 7 - a
        rows: list[list[writer.Multiplier]] = []
        for i, sign in enumerate(signs):
            low, high = (a, b) if sign == "+" else (b, a)
            rows.append([((high, low, 1 << i), 2)])
        patterns.append((signs, {a: 1, b: -1}, rows))
    setting = Setting(3, 10**6, self_included=False)
    cert = as_json(writer.independence(setting, [1, 2, 4], patterns))
    accept(tmp_path, cert, "lower_bound_uniform 3 (Z.to_nat 1000000) 1 2 false (Z.to_nat 3)")


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [p for p in [*LOWER.glob("*.json"), *FOUND.glob("*.json")] if '"kind": "independence"' in p.read_text()],
    ids=lambda p: p.stem,
)
def test_all_stored_independence(path: Path) -> None:
    report = certify_rocq(path)
    assert report.accepted, str(report)


@needs_rocq
@pytest.mark.slow
def test_mutants_of_a_large_certificate(tmp_path: Path) -> None:
    changes = [change_v, change_multiplier, drop_pattern, wrong_sign, drop_symmetry]
    reject(tmp_path, stored("independence-m5-n6-d10.json"), changes)


# --------------------------------------------------------------------- derivations


def added_up(setting: Setting, steps: list[dict[str, Any]], positional: bool, relation: str) -> Certificate:
    """The certificate whose claim is the sum of the steps, written out once more from the definitions."""
    tau, free = setting.tolerance, setting.readout == "free"
    total: defaultdict[tuple[str, str, str, int], Fraction] = defaultdict(Fraction)
    for step in steps:
        weight = Fraction(step["multiplier"])
        if "nonneg" in step:
            entry = step["nonneg"]
            total["K", entry["q"], entry["a"], entry.get("j", 0)] -= weight
            continue
        tokens = step["sequence"]
        query, attended = tokens[-1], tokens if setting.self_included else tokens[:-1]
        dots = [sum(x == y == "1" for x, y in zip(query, a, strict=True)) for a in attended]
        side = -1 if step.get("side") == "lower" else 1
        for j, (a, dot) in enumerate(zip(attended, dots, strict=True), 1):
            key = (query, a, j if positional else 0)
            total["K", *key] += weight * (side * ((0 if free else dot) - min(dots)) - tau)
            if free:
                total["N", *key] += weight * side
    terms = [
        [str(x), {"q": q, "a": a} | ({"j": j} if positional else {}) | ({"kind": kind} if free else {})]
        for (kind, q, a, j), x in total.items()
    ]
    return {
        "format": "kattn-bounds-certificate",
        "version": 1,
        "kind": "derivation",
        "setting": {
            "m": setting.m,
            "n": setting.n,
            "tolerance": str(tau),
            "self_included": setting.self_included,
            "readout": setting.readout,
        },
        "claim": {"quantity": "inequality", "relation": relation, "terms": terms},
        "data": {"steps": steps},
    }


def random_derivation(seed: int) -> Certificate:
    rng = random.Random(seed)
    positional, free, own = (bool(seed >> i & 1) for i in range(3))
    m, n = 3, rng.randint(3, 4)
    setting = Setting(
        m, n, Fraction(rng.randint(1, 5), 7), self_included=own, readout="free" if free else "inner"
    )

    def token() -> str:
        return format(rng.randrange(2**m), f"0{m}b")

    steps: list[dict[str, Any]] = []
    for _ in range(4):
        multiplier = str(Fraction(rng.randint(1, 9), rng.randint(1, 9)))
        if rng.random() < 0.3:
            entry = {"q": token(), "a": token()} | ({"j": rng.randint(1, n)} if positional else {})
            steps.append({"nonneg": entry, "multiplier": multiplier})
        else:
            side = {"side": rng.choice(["upper", "lower"])} if free else {}
            steps.append({"sequence": [token() for _ in range(n)], "multiplier": multiplier} | side)
    return added_up(setting, steps, positional, "<" if any("sequence" in s for s in steps) else "<=")


@needs_rocq
def test_derivation_for_the_free_readout(tmp_path: Path) -> None:
    cert = as_json(derive(Setting(4, readout="free"), 0b1111, 0b0001, 0b1110))
    accept(tmp_path, cert, "derived 4 (Z.to_nat 3) 1 2 true true true")


@needs_rocq
def test_derivation_with_positions(tmp_path: Path) -> None:
    cert = as_json(derive_positions(Setting(3, 4), 0b111, 0b001, 0b110))
    accept(tmp_path, cert, "derived_positional 3 (Z.to_nat 4) 1 2 true false true")


@needs_rocq
@pytest.mark.parametrize("readout", ["inner", "free"])
def test_derivation_mutants(tmp_path: Path, readout: str) -> None:
    def coefficient(cert: Certificate) -> None:
        cert["claim"]["terms"][1][0] = more(cert["claim"]["terms"][1][0])

    def multiplier(cert: Certificate) -> None:
        cert["data"]["steps"][0]["multiplier"] = more(cert["data"]["steps"][0]["multiplier"])

    def step(cert: Certificate) -> None:
        cert["data"]["steps"].pop(0)

    def sequence(cert: Certificate) -> None:
        cert["data"]["steps"][0]["sequence"].reverse()

    def longer(cert: Certificate) -> None:
        cert["setting"]["n"] += 1

    def side(cert: Certificate) -> None:
        cert["data"]["steps"][0]["side"] = "upper"
        cert["data"]["steps"][1]["side"] = "upper"

    def position(cert: Certificate) -> None:
        cert["claim"]["terms"][0][1]["j"] = 5

    if readout == "free":
        cert = as_json(derive(Setting(4, readout="free"), 0b1111, 0b0001, 0b1110))
        reject(tmp_path, cert, [coefficient, multiplier, step, sequence, longer, side])
    else:
        cert = as_json(derive_positions(Setting(3, 4), 0b111, 0b001, 0b110))
        reject(tmp_path, cert, [coefficient, multiplier, step, sequence, longer, position])


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_random_derivations(tmp_path: Path, seed: int) -> None:
    accept(tmp_path, random_derivation(seed), "derived")


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize("readout", ["inner", "free"])
def test_derivation_of_a_query_alone(tmp_path: Path, readout: str) -> None:
    """n = 1: the sequence is the query, and its own weight is positive."""
    setting = Setting(3, 1, readout="free" if readout == "free" else "inner")
    step: dict[str, Any] = {"sequence": ["101"], "multiplier": "2/3"}
    steps = [step | {"side": side} for side in ("upper", "lower")] if readout == "free" else [step]
    accept(tmp_path, added_up(setting, steps, False, "<"), "derived 3 (Z.to_nat 1)")


# --------------------------------------------------------------------- transcripts


@needs_rocq
@pytest.mark.parametrize(
    ("mode", "statement"),
    [("one", "transcript_single 5 3 (Z.to_nat 6)"), ("all", "transcript_together 5 2 4 (Z.to_nat 4)")],
)
def test_transcript(tmp_path: Path, mode: Mode, statement: str) -> None:
    accept(tmp_path, as_json(certificate(independent_answers(5, 3, mode))), statement)


@needs_rocq
@pytest.mark.parametrize("mode", ["one", "all"])
def test_transcript_mutants(tmp_path: Path, mode: Mode) -> None:
    def bit(cert: Certificate) -> None:
        cert["data"]["queries"][0][2] = cert["data"]["queries"][0][2][:-2] + "11"

    def address(cert: Certificate) -> None:
        cert["data"]["addresses"][0] = cert["data"]["addresses"][1]

    def comparable(cert: Certificate) -> None:
        cert["data"]["addresses"][0] = "0" * len(cert["data"]["addresses"][0])

    def index(cert: Certificate) -> None:
        cert["data"]["queries"][0][0] = 2

    def twice(cert: Certificate) -> None:
        cert["data"]["queries"][-1] = cert["data"]["queries"][0]

    def more_answers(cert: Certificate) -> None:
        cert["claim"]["value"] += 1

    def disturbed(cert: Certificate) -> None:
        """A query of another token, disjoint from this one, disturbs it when all are present."""
        cert["claim"]["mode"] = "all"
        first = cert["data"]["queries"][0]
        cert["data"]["queries"][0][2] = "".join("0" if bit == "1" else "1" for bit in first[2])

    cert = as_json(certificate(independent_answers(6, 3, mode)))
    reject(tmp_path, cert, [bit, address, comparable, index, twice, more_answers, disturbed])


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize(("m", "n", "mode"), [(8, 10, "one"), (10, 20, "all"), (20, 60, "all")])
def test_large_transcripts(tmp_path: Path, m: int, n: int, mode: Mode) -> None:
    accept(tmp_path, as_json(certificate(independent_answers(m, n, mode))), "transcript_")
