"""The Rocq development: statements, assumptions, and certificates replayed there. Skipped without coqc."""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kattn_bounds.errors import InputError
from kattn_bounds.rocq import certify_rocq, translate

ROOT = Path(__file__).resolve().parents[2]
ROCQ = ROOT / "proofs" / "rocq"
DATA = ROOT / "kattn_bounds" / "data"

needs_rocq = pytest.mark.skipif(
    shutil.which("coqc") is None or not (ROCQ / "check_layer.vo").exists(),
    reason="coqc is not on PATH, or proofs/rocq is not compiled (make rocq)",
)


def layer(m: int, n: int, k: int, value: int, readout: str = "inner") -> dict[str, Any]:
    return {
        "format": "kattn-bounds-certificate",
        "version": 1,
        "kind": "layer",
        "setting": {"m": m, "n": n, "tolerance": "1/2", "self_included": True, "readout": readout},
        "claim": {"quantity": "features", "relation": ">=", "value": value, "features": "signed"},
        "data": {"k": k},
    }


def write(path: Path, cert: dict[str, Any]) -> Path:
    path.write_text(json.dumps(cert), encoding="utf-8")
    return path


def test_no_unproved_statement() -> None:
    for file in ROCQ.glob("*.v"):
        text = re.sub(r"\(\*.*?\*\)", "", file.read_text(encoding="utf-8"), flags=re.S)
        assert not re.search(r"\b(Admitted|admit|Axiom|Axioms|Parameter|Parameters|Conjecture)\b", text), file


def test_every_file_is_built() -> None:
    project = (ROCQ / "_CoqProject").read_text(encoding="utf-8").split()
    assert {f.name for f in ROCQ.glob("*.v")} == {f for f in project if f.endswith(".v")}


def test_theorems_named_in_the_readme() -> None:
    readme = (ROCQ / "README.md").read_text(encoding="utf-8")
    for entry in json.loads((ROCQ / "theorems.json").read_text(encoding="utf-8")):
        assert f"`{entry['name']}`" in readme or entry["name"] in {
            "dominant_full_rank",
            "transcript_determines",
        }


@needs_rocq
def test_statements_do_not_drift() -> None:
    result = subprocess.run(
        [sys.executable, str(ROCQ / "theorems.py")], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


@needs_rocq
@pytest.mark.parametrize(
    ("m", "n", "k", "value", "readout"),
    [(8, 3, 4, 4, "inner"), (16, 3, 8, 37, "inner"), (12, 50, 6, 60, "free")],
)
def test_layer(tmp_path: Path, m: int, n: int, k: int, value: int, readout: str) -> None:
    report = certify_rocq(write(tmp_path / "layer.json", layer(m, n, k, value, readout)))
    assert report.accepted, str(report)
    assert report.assumptions == "Closed under the global context"
    assert str(value) in report.statement


@needs_rocq
def test_layer_bound_is_sharp(tmp_path: Path) -> None:
    assert not certify_rocq(write(tmp_path / "more.json", layer(8, 3, 4, 5))).accepted


@needs_rocq
@pytest.mark.parametrize(
    "name", ["factors-m3-n3-d3-signed.json", "factors-m4-n4-d5-signed.json", "monomial-m4-n3.json"]
)
def test_stored_kernel(name: str) -> None:
    report = certify_rocq(DATA / "upper" / name)
    assert report.accepted, str(report)
    assert report.statement.startswith("upper_bound")


@needs_rocq
def test_kernel_mutants(tmp_path: Path) -> None:
    cert = json.loads((DATA / "upper" / "factors-m3-n3-d3-signed.json").read_text(encoding="utf-8"))
    length = copy.deepcopy(cert)
    length["setting"]["n"] = 9
    entry = copy.deepcopy(cert)
    entry["data"]["phi"][1] = ["0", "-1", "0"]
    row = copy.deepcopy(cert)
    row["data"]["psi"].pop()
    nonneg = copy.deepcopy(cert)
    nonneg["claim"]["features"] = "nonneg"
    for number, mutant in enumerate([length, entry, row, nonneg]):
        report = certify_rocq(write(tmp_path / f"mutant{number}.json", mutant))
        assert not report.accepted, str(report)


@needs_rocq
def test_stored_dominance(tmp_path: Path) -> None:
    path = DATA / "lower" / "dominance-m6-n3-d4.json"
    report = certify_rocq(path)
    assert report.accepted, str(report)
    mutant = json.loads(path.read_text(encoding="utf-8"))
    mutant["data"]["pairs"][0][1] = mutant["data"]["pairs"][1][1]
    assert not certify_rocq(write(tmp_path / "mutant.json", mutant)).accepted


@needs_rocq
def test_trace(tmp_path: Path) -> None:
    cert = layer(4, 3, 2, 2)
    tokens = ["1100", "1010", "1001", "0110", "0101", "0011"]
    flip = str.maketrans("01", "10")
    cert |= {
        "kind": "trace",
        "data": {"pairs": [[t, t.translate(flip)] for t in tokens], "x": [1] * 6, "y": [1] * 6},
    }
    assert certify_rocq(write(tmp_path / "trace.json", cert)).accepted
    cert["claim"]["value"] = 6
    assert not certify_rocq(write(tmp_path / "mutant.json", cert)).accepted


@needs_rocq
def test_singletons(tmp_path: Path) -> None:
    cert = layer(9, 3, 1, 9) | {"kind": "singletons", "data": {}}
    assert certify_rocq(write(tmp_path / "singletons.json", cert)).accepted
    cert["claim"]["value"] = 10
    assert not certify_rocq(write(tmp_path / "mutant.json", cert)).accepted


def test_translation_of_other_kinds() -> None:
    with pytest.raises(InputError):
        translate({"kind": "poem"})


def test_a_shift_is_refused_in_words() -> None:
    stored = json.loads((ROOT / "kattn_bounds" / "data" / "lower" / "trace-m8-n3-d9.json").read_text())
    with pytest.raises(InputError, match="with a shift is not translated"):
        translate(stored)
