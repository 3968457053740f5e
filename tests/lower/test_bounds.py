"""All bounds together: never below m and ceil(L1), monotone, certified, lifted; and the command."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from kattn_bounds.certificates import writer
from kattn_bounds.certificates.checker import Rejected, check, check_file
from kattn_bounds.cli.main import run
from kattn_bounds.lower import bounds as module
from kattn_bounds.lower.bounds import best, lift, lower_bounds
from kattn_bounds.lower.layer import best_layer
from kattn_bounds.setting import Setting

HALF = Fraction(1, 2)
PAIRS = [(q, 63 - q) for q in (0b111000, 0b100110, 0b010101, 0b001011)]


def test_best_is_at_least_m_and_the_layer_bound_and_grows() -> None:
    table: dict[tuple[int, int], int] = {}
    for m, n in [*product(range(1, 12), (3, 4)), *product(range(1, 6), (5, 6))]:
        bounds = lower_bounds(Setting(m, n))
        assert [b.value for b in bounds] == sorted((b.value for b in bounds), reverse=True)
        table[m, n] = best(bounds).value
        assert table[m, n] >= m
        if m > 1:
            assert table[m, n] >= best_layer(Setting(m, n)).value
        for b in bounds:
            if b.certificate is not None:
                assert b.checked or check(b.certificate)
                assert b.certificate["claim"]["value"] == b.value
                assert b.certificate["setting"] == Setting(m, n).to_json()
    for m, n in table:
        assert table[m, n] >= table.get((m - 1, n), 0)
        assert table[m, n] >= table.get((m, n - 1), 0)


@pytest.mark.parametrize("readout", ["inner", "free"])
def test_every_certificate_is_accepted_under_every_convention(readout: str) -> None:
    for m, n, own, tau in product((1, 2, 3, 9), (1, 2, 3, 6), (True, False), ("1/3", "1/2", "3/4", "1")):
        if n == 1 and not own:
            continue
        setting = Setting(m, n, Fraction(tau), own, "free" if readout == "free" else "inner")
        signed, nonneg = lower_bounds(setting), lower_bounds(setting, "nonneg")
        assert best(nonneg).value >= best(signed).value >= 1
        for b in [*signed, *nonneg]:
            if b.certificate is not None:
                check(b.certificate)
                assert b.certificate["claim"]["value"] == b.value


def test_length_two() -> None:
    assert best(lower_bounds(Setting(5, 2))).value == 2
    assert best(lower_bounds(Setting(1, 2))).value == 1
    assert best(lower_bounds(Setting(5, 2, self_included=False))).value == 1  # K = 1 is exact
    assert best(lower_bounds(Setting(5, 2, readout="free"))).value == 1
    assert best(lower_bounds(Setting(5, 1))).value == 1


def test_non_negative_features_cost_more() -> None:
    signed, nonneg = lower_bounds(Setting(64)), lower_bounds(Setting(64), "nonneg")
    assert best(signed).id == "L1+"
    assert best(nonneg).id == "L9"
    assert best(nonneg).value > best(signed).value > 3 * best_layer(Setting(64)).value


def test_the_best_bound_does_not_fall_where_shifts_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SHIFT_M", 40)
    values = [best(lower_bounds(Setting(m))).value for m in range(38, 54)]
    assert values == sorted(values)


def test_beyond_the_certificates() -> None:
    """m above 10000: the bounds of 10000 points serve (L6), and L7 is still m."""
    values = {b.id: b for b in lower_bounds(Setting(20_000))}
    assert values["L7"].value == 20_000
    assert values["L7"].certificate is None
    certificate = values["L1"].certificate
    assert certificate is not None
    assert certificate["setting"]["m"] == 10_000


# ----------------------------------------------------------------------- stored certificates


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package data folder of our own."""
    folder = tmp_path / "data" / "lower"
    folder.mkdir(parents=True)
    monkeypatch.setattr(module, "files", lambda package: tmp_path)
    module._stored.cache_clear()
    yield folder
    module._stored.cache_clear()


def independent_pairs() -> writer.Certificate:
    """The rows of {1} and {2} at m = 2, n = 3, tau = 1/2."""
    plus: list[list[writer.Multiplier]] = [[((3, 0, q), 2), ((q,), 1)] for q in (1, 2)]
    mixed: list[list[writer.Multiplier]] = [[((1, 2, 1), 2), ((1,), 1)], [((2, 1, 2), 2), ((2,), 1)]]
    return writer.independence(
        Setting(2), [1, 2], [("++", {0: 1, 3: -1}, plus), ("+-", {2: 1, 1: -1}, mixed)], symmetry=[[2, 1]]
    )


def test_lifted_certificates_are_accepted() -> None:
    for certificate in (
        writer.dominance(Setting(6), PAIRS, scale=[1, 1, 1, 1]),
        writer.trace(Setting(6), PAIRS, [1] * 4, [1] * 4, 3),
        independent_pairs(),
    ):
        check(certificate)
        for m, n, tau in product((6, 9), (3, 5), (HALF, Fraction(2, 5), Fraction(1, 50))):
            lifted = lift(certificate, Setting(m, n, tau))
            assert f"m={m}, n={n}, tolerance {tau}" in check(lifted)
        for tau in (HALF, Fraction(1, 3)):
            assert "excluded" in check(lift(certificate, Setting(7, 4, tau, self_included=False)))
        if certificate["kind"] != "trace":  # which has room to spare
            with pytest.raises(Rejected):
                check(lift(certificate, Setting(6, 3, Fraction(3, 5))))


def test_the_package_ships_bounds_above_m() -> None:
    """theory.md, L8: (4,5) and (5,5); each of them serves every larger m and n."""
    assert best(lower_bounds(Setting(4, 5))).value >= 6
    assert best(lower_bounds(Setting(5, 5))).value >= 8
    assert best(lower_bounds(Setting(5, 7, Fraction(2, 5)))).value >= 8


def test_a_long_certificate_that_does_not_help_is_passed_over(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.write_certificate(stored / "a.json", writer.dominance(Setting(6), PAIRS))
    assert any("stored" in b.method for b in lower_bounds(Setting(6)))
    monkeypatch.setattr(module, "LONG_BYTES", 10)
    assert not any("stored" in b.method for b in lower_bounds(Setting(6)))


def test_stored_certificates_serve_larger_settings_only(stored: Path) -> None:
    writer.write_certificate(stored / "a.json", writer.dominance(Setting(6, 4), PAIRS))
    writer.write_certificate(stored / "b.json", writer.dominance(Setting(6), PAIRS[:3]))
    writer.write_certificate(stored / "c.json", independent_pairs())

    def found(setting: Setting) -> dict[str, int]:
        return {b.id: b.value for b in lower_bounds(setting) if "stored" in b.method}

    assert found(Setting(6, 4)) == {"L5": 4, "L8": 2}
    assert found(Setting(9, 5, Fraction(1, 3))) == {"L5": 4, "L8": 2}
    assert found(Setting(6, 3)) == {"L5": 3, "L8": 2}
    assert found(Setting(6, 3, self_included=False)) == {"L5": 3}
    assert found(Setting(6, 4, self_included=False)) == {"L5": 4, "L8": 2}
    assert found(Setting(5, 4)) == {"L8": 2}
    assert found(Setting(6, 4, Fraction(3, 5))) == {}
    assert found(Setting(6, 4, readout="free")) == {}
    assert found(Setting(6, 2)) == {}
    assert found(Setting(500, 4)) == {"L5": 4, "L8": 2}


def test_a_stored_file_that_proves_nothing_is_not_reported(stored: Path) -> None:
    wrong = writer.dominance(Setting(6), PAIRS)
    wrong["data"]["pairs"][0][0] = "111111"
    wrong["claim"]["value"] = 4
    (stored / "wrong.json").write_text(writer.certificate_text(wrong))
    assert all("stored" not in b.method for b in lower_bounds(Setting(6)))


# ----------------------------------------------------------------------- the command


def test_command_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lower", "--m", "16", "--n", "3", "--json", "-"]) == 0
    payload: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert payload["best"] >= 37
    assert {"L1", "L7"} <= {b["id"] for b in payload["bounds"]}
    assert all(isinstance(b["value"], int) and b["method"] for b in payload["bounds"])


def test_command_says_where_l9_passes_l1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lower", "--m", "13", "--features", "nonneg"]) == 0
    out = capsys.readouterr().out
    assert "L9       D >= 14" in out
    assert "L9 is above L1 at every m from 28 to 64" in out
    assert run(["lower", "--m", "13"]) == 0
    assert "L9" not in capsys.readouterr().out


def test_command_writes_a_certificate_that_certify_accepts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for line in (
        "--m 16",
        "--m 5 --n 2",
        "--m 9 --readout free --n 9",
        "--m 16 --features nonneg",
        "--m 7 --self excluded --tolerance 1/3",
    ):
        arguments = line.split()
        path = tmp_path / "c.json"
        assert run(["lower", *arguments, "--certificate", str(path)]) == 0
        assert check_file(str(path))
        capsys.readouterr()
        assert run(["certify", str(path)]) == 0
        assert capsys.readouterr().out.startswith(f"ACCEPTED {path}: ")


def test_certify_reports_each_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    writer.write_certificate(good, writer.layer(Setting(16), 8, 37))
    bad.write_text(good.read_text().replace("37", "38"))
    assert run(["certify", str(good), str(bad)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["ACCEPTED", "REJECTED"]
    assert run(["certify", str(good), str(tmp_path / "none.json")]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert "none.json" in captured.err


@pytest.mark.parametrize("accepted", [True, False])
def test_certify_follows_rocq(
    accepted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit status is Rocq's too; its own tests compile real certificates."""
    translate = import_module("kattn_bounds.rocq.translate")

    class Report:
        def __init__(self, path: str) -> None:
            self.accepted = accepted

        def __str__(self) -> str:
            return "a report"

    monkeypatch.setattr(translate, "certify_rocq", Report)
    good = tmp_path / "good.json"
    writer.write_certificate(good, writer.layer(Setting(16), 8, 37))
    assert run(["certify", "--rocq", str(good)]) == (0 if accepted else 1)
    assert capsys.readouterr().out.splitlines()[1] == "a report"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--m", "0"], "m = 0"),
        (["--m", "4", "--features", "complex"], "complex"),
        (["--m", "4", "--n", "1", "--certificate", "x.json"], "no bound here has a certificate"),
        (["--m", "4", "--readout", "outer"], "outer"),
    ],
)
def test_bad_options_are_one_line(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["lower", *arguments]) == 2
    error = capsys.readouterr().err
    assert named in error
    assert "Traceback" not in error
