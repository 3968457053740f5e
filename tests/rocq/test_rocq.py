"""The Rocq development: its files, its statements, and what is not translated."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kattn_bounds.errors import InputError
from kattn_bounds.rocq import translate

ROOT = Path(__file__).resolve().parents[2]
ROCQ = ROOT / "proofs" / "rocq"

needs_rocq = pytest.mark.skipif(
    shutil.which("coqc") is None or not (ROCQ / "check_layer.vo").exists(),
    reason="coqc is not on PATH, or proofs/rocq is not compiled (make rocq)",
)


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


def test_translation_of_other_kinds() -> None:
    with pytest.raises(InputError):
        translate({"kind": "poem"})


@pytest.mark.parametrize(
    ("name", "where"),
    [("dominance-m6-n3-d4", ("pairs", 0, 0)), ("independence-m4-n5-d6", ("patterns", 0, "v", 0, 0))],
)
def test_nothing_but_numbers_and_bits_reaches_the_file(name: str, where: tuple[int | str, ...]) -> None:
    path = ROOT / "kattn_bounds" / "data" / "lower" / f"{name}.json"
    stored = json.loads(path.read_text(encoding="utf-8"))
    place = stored["data"]
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] += ". Axiom easy : False."
    with pytest.raises(InputError, match="pattern"):
        translate(stored)
