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


def test_translation_of_other_kinds() -> None:
    with pytest.raises(InputError):
        translate({"kind": "poem"})
