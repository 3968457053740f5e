"""Bad claims get one clear line each and exit status 2; good ones are read as they are meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kattn_bounds.cli.main import run
from kattn_bounds.prove.exactlp import certainly_empty, covered
from kattn_bounds.prove.language import Affine

NONSENSE = [
    (["foo(q,b) < K(q,a)"], "unknown name 'foo'"),
    (["bar*K(q,b) < K(q,a)"], "unknown name 'bar'"),
    (["s*K(q,b) < K(q,a)"], "unknown name 's'"),
    (["K(q,a)*K(q,b) < K(q,a)"], "multiplies two kernel entries"),
    (["K(q,b)**2 < K(q,a)"], "linear"),
    (["t(q,a)*t(q,b)*K(q,b) < K(q,a)"], "only linear forms"),
    (["K(q,b)/K(q,a) < 1"], "divides"),
    (["K(q,b) < 1"], "homogeneous"),
    (["K(q,b)/0 < K(q,a)"], "divides by zero"),
    (["K(q,b) = K(q,a)"], "equality"),
    (["K(q,b)"], "not one inequality"),
    (["K(q,b) < K(q,a) < K(q,q)"], "not one inequality"),
    (["K(q,b) < K(r,a)"], "one claim per row"),
    (["K(q) < K(q,a)"], "takes 2 token names"),
    (["K(q,b < K(q,a)"], "cannot be read"),
    (["K(q,a) < K(q,a)"], "cancel"),
    (["a*K(q,b) < K(q,a)"], "is a token"),
    (["K(q,m) < K(q,a)"], "cannot name a token"),
    (["__import__('os').system('true') < K(q,a)"], "cannot be read"),
    (["9**9**9*K(q,b) < K(q,a)"], "power"),
    (["K_7(q,b) < K_1(q,a)"], "positions are 1..3"),
    (["K_3(q,b) < K_1(q,a)"], "read by no sequence"),
    (["K_1(q,b) < K(q,a)"], "without a position"),
    (["K(q,b) < K(q,a)", "--positions"], "without a position"),
    (["K_1(q,b) < K_1(q,a)", "--readout", "free"], "mixes positions"),
    (["K(q,b) < K(q,a)", "--given", "K(q,a) < 3"], "speaks of kernel entries"),
    (["K(q,b) < K(q,a)", "--given", "t(a,b) = 1"], "leaves out the query"),
    (["K(q,b) < K(q,a)", "--given", "t(q,b) != 1"], "comparison other than"),
    (["K(q,b) < K(q,a)", "--given", "t(q,b) + 1"], "not a comparison"),
    (["K(q,b) < K(q,a)", "--given", "t(q,b) > t(q,a), t(q,a) > t(q,b)"], "contradict each other"),
    (["K(q,b) < K(q,a)", "--given", "t(q,b) = |q| + 1"], "contradict each other"),
    (["K(q,b) < K(q,a)", "--given", "2*t(q,b) = 2*t(q,a) + 1"], "no query and tokens satisfy"),
    (["K(q,b) < K(q,a)", "--given", "t(q,b) = 5", "--m", "3"], "at m = 3"),
    (["K(q,b) < K(q,a)", "--m", "40"], "leave m out"),
    (["K(q,b) < K(q,a)", "--n", "6:3"], "is empty"),
    (["K(q,b) < K(q,a)", "--n", "x"], "is not a range"),
    (["K(q,b) < K(q,a)", "--tolerance", "2"], "tolerance = 2 is out of range"),
    (["s*K(q,b) < K(q,a)", "--family", "s:3"], "--family"),
    (["K(q,b) < K(q,a)", "--best"], "as constant to find"),
    (["c*K(q,b) < K(q,a)", "--best", "--given", "t(q,b) < t(q,a)"], "itself fails"),
    (["C2", "--best"], "takes no other options"),
    (["K(110,11) < K(110,001)"], "give one length"),
    (["K(110,q) < K(110,001)"], "stands beside bit strings"),
    (["K(110,111) < K(110,001)", "--m", "4"], "the tokens have 3 bits"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), NONSENSE)
def test_nonsense_gets_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["prove", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err.splitlines()) == 1
    assert message in shown.err


def test_exit_codes_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "3*K(q,b) < K(q,a)", "--given", "t(q,b) >= t(q,a)+2", "--json", "-"]) == 0
    proved = json.loads(capsys.readouterr().out)
    assert proved["verdict"] == "PROVED"
    assert [s["multiplier"] for s in proved["derivations"][0]["steps"]] == ["1"]
    assert run(["prove", "2*K(q,b) < K(q,a)", "--given", "t(q,b) = t(q,a)+1", "--json", "-"]) == 1
    refuted = json.loads(capsys.readouterr().out)
    assert refuted["counterexample"]["m"] == 2
    assert run(["prove", "tail", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["method"] == "symbolic"


def test_files_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof, wrong = str(tmp_path / "proof.json"), str(tmp_path / "kernel.npy")
    assert run(["prove", "9*K(q,b) < K(q,a)", "--given", "t(q,b) = t(q,a)+4", "--certificate", proof]) == 0
    assert run(["certify", proof]) == 0
    capsys.readouterr()
    assert run(["prove", "2*K(q,b) < K(q,a)", "--given", "t(q,b) = t(q,a)+1", "--counterexample", wrong]) == 1
    capsys.readouterr()
    assert run(["prove", "2*K(q,b) < K(q,a)", "--given", "t(q,b) = t(q,a)+1", "--certificate", wrong]) == 1
    assert "REFUTED" in capsys.readouterr().out
    assert run(["check", wrong, "--m", "2"]) == 0
    assert "PROVED" in capsys.readouterr().out


def test_family_table_shows_the_pattern(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "prove",
        "c*K(q,b) < K(q,a)",
        "--best",
        "--given",
        "t(q,b) = t(q,a)+s",
        "--family",
        "s=1:4",
        "--n",
        "3:4",
    ]
    assert run(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 100 for line in lines)
    rows = [line.split() for line in lines[1:] if line.split()[0] in "34"]
    assert [row[:3] for row in rows] == [
        ["3", "1", "1"], ["3", "2", "3"], ["3", "3", "5"], ["3", "4", "9"],
        ["4", "1", "2"], ["4", "2", "6"], ["4", "3", "12"], ["4", "4", "36"],
    ]  # fmt: skip
    assert "1 x (c, a, q) + 3 x (b, c, q)" in " ".join(lines)


def test_covering_of_regions() -> None:
    x, y = Affine.variable("x"), Affine.variable("y")
    assert not certainly_empty([x, y, -x - y + 5])
    assert certainly_empty([x - y - 1, y - x])
    square = [x, y, -x + 3, -y + 3]
    assert covered(square, [[x - 2], [-x + 1, y - 1], [-x + 1, -y]])
    assert not covered(square, [[x - 2], [-x + 1, y - 1], [-x, -y]])
