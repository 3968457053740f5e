"""The command: what it prints, its exit status, and that it does without torch all that does not need it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kattn_bounds.claims import NotApplicable, all_claims
from kattn_bounds.cli.main import run
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Verdict


def test_cube_at_every_bandwidth(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gka", "cube", "--m", "6"]) == 0
    out = capsys.readouterr().out
    for text in (
        "(1+g)^4 (1-g)^2        x 15",
        "rank 64 at every sigma",
        "fails on 000000, 000001, query 000001",
        "PROVED iff sigma^2 < 2/ln 6 in (1.11622125, 1.11622126)",
        "fails on 000000, 000011, query 000001",
    ):
        assert text in out
    assert max(map(len, out.splitlines())) <= 110


@pytest.mark.parametrize(("sigma2", "status"), [("11/10", 0), ("9/8", 1), ("1.1162212", 0), ("1.1162213", 1)])
def test_cube_exit_status_is_the_verdict_of_the_norm_evening_head(
    sigma2: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["gka", "cube", "--m", "6", "--sigma2", sigma2, "--json", "-"]) == status
    report = json.loads(capsys.readouterr().out)
    verdicts = {r["head"]: r["verdict"] for r in report["minimum_inner_product"]}
    assert verdicts == {
        "projection-free": "REFUTED",
        "norm-evening": "PROVED" if status == 0 else "REFUTED",
        "complemented": "REFUTED",
    }
    assert report["rank"] == 64
    assert sum(e["multiplicity"] for e in report["spectrum"]) == 64


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["cube", "--sigma2", "0"], "sigma2 = 0 is out of range"),
        (["cube", "--sigma2", "x"], "sigma2 = x is not a rational number"),
        (["cube", "--m", "65"], "m = 65 is out of range for gka cube"),
        (["cube", "--precision", "0"], "--precision 0 is out of range"),
        (["account", "--width", "100"], "width = 100 is not a multiple of the head width 128"),
        (["account", "--windows", "SXL"], "windows = 'SXL'"),
        (["account", "--depth", "0"], "depth = 0 is out of range"),
        (["account", "--short", "third"], "--short third is unknown"),
        (["account", "--figure", "x.txt"], "figure 'x.txt' has no known format"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gka", *arguments]) == 2
    error = capsys.readouterr().err
    assert text in error
    assert error.count("\n") == 1


def test_account(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "account.json"
    figure = tmp_path / "ratios.png"
    assert (
        run(["gka", "account", "--depth", "20", "--table", "--json", str(target), "--figure", str(figure)])
        == 0
    )
    out = capsys.readouterr().out
    assert "896.5M          378.8M   0.4225" in out
    assert "Published 0.49: neither rounds" in out
    report = json.loads(target.read_text())
    assert sum(report["parameters"]["baseline"].values()) == 41943040 * 2 + 419430400 + 20 * 12 * 1280**2
    assert sum(report["parameters"]["gka"].values()) == 41943040 * 2 + 20 * (9 * 1280**2 + 10)
    hits = [r for r in report["flops_ratios"] if r["rounds_to_published"]]
    assert [r["decimal"] for r in hits] == ["0.4905"]
    assert figure.read_bytes()[:4] == b"\x89PNG"


def test_ledger_lines_meet_their_expectation() -> None:
    settings = [
        Setting(6),
        Setting(1),
        Setting(2, 5),
        Setting(4, 3, self_included=False),
        Setting(3, 1),
        Setting(6, 2),
    ]
    lines = [c for c in all_claims() if c.id == "G1"]
    assert len(lines) == 5
    seen = set()
    for setting in settings:
        for line in lines:
            try:
                finding = line.check(setting)
            except NotApplicable:
                continue
            assert finding.verdict is line.expected
            seen.add((line.name, finding.verdict))
    assert {v for _, v in seen} == {Verdict.PROVED, Verdict.REFUTED}
    assert len(seen) == 5


WITHOUT_TORCH = "import sys; sys.modules['torch'] = None; from kattn_bounds.cli.main import run; sys.exit(run(sys.argv[1:]))"


@pytest.mark.parametrize("arguments", [["cube", "--m", "3"], ["account", "--depth", "4"]])
def test_the_rest_works_without_torch(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, "gka", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_train_without_torch_says_what_to_install() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, "gka", "train"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "pip install 'kattn-bounds[gka]'" in done.stderr


def test_no_module_outside_the_layer_imports_torch() -> None:
    code = (
        "import sys; import kattn_bounds.cli.main, kattn_bounds.claims as c; c.all_claims();"
        "import kattn_bounds.gaussian.cube, kattn_bounds.gaussian.accounting; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
