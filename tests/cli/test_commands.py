"""The command line as a user meets it: verdicts, exit codes, screens and JSON, and bad input in one line each."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kattn_bounds.cli.main import run


def call(capsys: pytest.CaptureFixture[str], line: str) -> tuple[int, str, str]:
    code = run(shlex.split(line))
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('check "3**-t" --m 6', 0),
        ('check "(2/5)**t" --m 6', 0),
        ('check "(41/100)**t" --m 6', 1),
        ('check "3**-t" --m 6 --n 4', 1),
        ('check "(3/10)**t" --m 6 --n 4', 0),
        ('check "(3/10)**t" --m 6 --n 4 --exhaustive', 0),
        ('check "3**-t" --m 200', 0),
        ("check expanded:1/3 --m 5", 0),
        ("check uniform --m 1 --readout free --values signed-tokens", 0),
        ("check uniform --m 2 --readout free --values 2*t-k", 1),
        ("check uniform --m 2 --n 2 --self excluded", 0),
        ("check uniform --m 2 --mask causal", 1),
    ],
)
def test_check(capsys: pytest.CaptureFixture[str], line: str, code: int) -> None:
    found, out, err = call(capsys, line)
    assert found == code
    assert out.startswith("PROVED" if code == 0 else "REFUTED")
    assert err == ""
    if "--m 200" not in line:
        assert all(len(text) <= 100 for text in out.splitlines())


def test_refuted_is_confirmed_by_replay(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, 'check "(41/100)**t" --m 6 --json -')
    answer = json.loads(out)
    assert code == 1
    assert answer["worst_error"] == "3362/6681"
    found = answer["counterexample"]
    bits = [int(token, 2) for token in found["sequence"].split(",")]
    assert int(np.bitwise_or.reduce(bits)).bit_count() == 2
    assert found["error"] == "3362/6681"
    program, *words = shlex.split(found["replay"])
    assert program == "kattn-bounds"
    assert run([*words, "--json", "-"]) == 1
    again = json.loads(capsys.readouterr().out)
    assert again["error"] == found["error"]
    assert again["weights"] == ["5000/6681", "1681/13362", "1681/13362"]


def test_replay_shows_fractions(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, 'replay "110,001,111" --kernel "3**-t"')
    assert code == 0
    for text in ("3/13", "9/13", "1/13", "18/13", "5/13", "target  1"):
        assert text in out


def test_verify_json_matches_its_screen(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "ledger.json"
    code, out, _ = call(capsys, f"verify --m 3 --json {target}")
    ledger = json.loads(target.read_text())
    assert code == ledger["exit"] == 0
    lines = {entry["id"]: entry for entry in ledger["claims"] if entry["verdict"] == entry.get("expected")}
    assert {"C1", "C2", "C3", "cliff"} <= set(lines)
    for entry in ledger["claims"]:
        assert entry["evidence"].split(";")[0].split(" ")[0] in out
    assert lines["C3"]["details"]["rank"] == 8
    assert lines["cliff"]["details"]["worst_error"] == "1"


@pytest.mark.parametrize(
    "line", ["--m 2 --n 4", "--m 4 --n 2", "--m 1", "--m 5 --tolerance 1/3", "--m 4 --self excluded"]
)
def test_verify_at_other_settings(capsys: pytest.CaptureFixture[str], line: str) -> None:
    code, out, _ = call(capsys, f"verify {line}")
    assert code == 0, out
    assert "all as the theory says" in out


def test_machine_checked_theorems_exist(capsys: pytest.CaptureFixture[str]) -> None:
    from kattn_bounds.claims import all_claims

    listed = json.loads((Path(__file__).parents[2] / "proofs" / "rocq" / "theorems.json").read_text())
    known = {theorem["name"]: theorem["id"] for theorem in listed}
    named = {name for claim in all_claims() for name in claim.rocq}
    assert {"exact_two", "layer_bound", "gaussian_fails"} <= named <= set(known)
    _, out, _ = call(capsys, "verify --m 2")
    assert "rocq, every m: exact_two" in out


def test_an_unexpected_verdict_is_an_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from kattn_bounds import claims
    from kattn_bounds.setting import Setting
    from kattn_bounds.verdict import Finding, Verdict

    def wrong(setting: Setting) -> Finding:
        return Finding(Verdict.REFUTED, "exhaustive", "no")

    def open_(setting: Setting) -> Finding:
        return Finding(Verdict.UNDECIDED, "numeric", "gap 1")

    for check, code in ((wrong, 1), (open_, 3)):
        only = [claims.Claim("X", "x", check, 1, Verdict.PROVED, "x")]
        monkeypatch.setattr(claims, "all_claims", lambda only=only: only)
        assert run(["verify", "--m", "2"]) == code


BAD = {
    'check "3**-t" --m 0': "m = 0 is out of range",
    'check "3**-t" --m 6 --tolerance 0': "tolerance = 0",
    'check "3**-t" --m 6 --tolerance 2': "tolerance = 2",
    'check "3**-t" --m 6 --tolerance x': "not a rational",
    'check "3**-t" --m 6 --n 1 --self excluded': "n = 1 is out of range",
    'check "3**-t" --m 40 --exhaustive': "m = 40 is too large to be exhaustive",
    'check "3**-t" --m 100000': "too large to enumerate orbits",
    'check "3**-t" --m 6 --self maybe': "--self maybe",
    'check "3**-t" --m six': "(given: six)",
    'check "3**-t"': "--m",
    "check missing.npy --m 2": "cannot read",
    'check "import os" --m 2': "not a formula",
    "check softmax:2 --m 2": "x = 2 is out of range",
    "check expanded:1/3 --m 20": "too large to write out",
    "check uniform --m 2 --readout free": "needs a value map",
    "check uniform --m 2 --values t": "goes with the free readout",
    'replay "11,0" --kernel uniform': "mixes tokens",
    'replay "12" --kernel uniform': "not a bit string",
    'replay "1" --kernel uniform --self excluded': "out of range",
    'replay "0*99999999,1" --kernel uniform': "token",
    "verify --m 0": "m = 0",
    "verify --m 6 --json /nowhere/x.json": "does not exist",
    "nonsense": "nonsense",
    "check uniform --m 3 --frobnicate": "frobnicate",
}


@pytest.mark.parametrize("line", BAD)
def test_bad_input_is_one_line_and_exit_2(capsys: pytest.CaptureFixture[str], line: str) -> None:
    code, out, err = call(capsys, line)
    assert code == 2
    assert BAD[line] in err
    lines = err.strip().splitlines()
    assert all(text.startswith("error: ") and len(text) < 400 for text in lines)
    assert len(lines) == 1
    assert "Traceback" not in out + err


def test_all_faults_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capsys, 'check "3**-t" --m 0 --tolerance 7 --self maybe')
    assert code == 2
    assert len(err.strip().splitlines()) == 3


@pytest.mark.parametrize("words", [["--help"], ["check", "3**-t", "--m", "6"], ["check", "--help"]])
def test_start_is_light(words: list[str]) -> None:
    program = (
        "import sys; from kattn_bounds.cli.main import run; code = run(sys.argv[1:]); "
        "heavy = {'cvxpy', 'sympy', 'matplotlib', 'torch', 'scipy', 'networkx', 'flint'}; "
        "print('HEAVY', sorted(heavy & set(sys.modules)), code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=False
    )
    assert "HEAVY [] 0" in done.stdout, done.stdout + done.stderr


def test_console_script_and_module_agree() -> None:
    for command in (["kattn-bounds"], [sys.executable, "-m", "kattn_bounds"]):
        program = str(Path(sys.executable).with_name(command[0])) if len(command) == 1 else command[0]
        done = subprocess.run(
            [program, *command[1:], "--version"], capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith("kattn-bounds 0.")
