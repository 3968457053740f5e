"""Upper bounds at a setting: stored certificates, restriction (L6), and the two commands."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from kattn_bounds.certificates import checker
from kattn_bounds.certificates.checker import check_file
from kattn_bounds.certificates.reading import parse
from kattn_bounds.cli.main import run
from kattn_bounds.errors import InputError
from kattn_bounds.lower.bounds import lower_bounds
from kattn_bounds.search.store import STORED
from kattn_bounds.setting import Setting
from kattn_bounds.upper.bounds import best, restrict, upper_bounds
from kattn_bounds.upper.monomial import cheapest
from kattn_bounds.upper.sandwich import parse_range, sandwich
from kattn_bounds.verify import decide

MINE = sorted(
    path
    for kind in ("monomial", "masked", "symmetric", "setfunction")
    for path in STORED.glob(f"{kind}-*.json")
)


@pytest.mark.parametrize(
    "path", [p for p in MINE if int(p.name.split("-")[1][1:]) <= 16], ids=lambda p: p.name
)
def test_stored_certificates_are_accepted(path: Path) -> None:
    assert "D*(" in check_file(str(path))


def test_a_large_certificate_is_far_below_the_exact_expansion() -> None:
    """m >= 16 and D < 2^m / 8 at n = 3; the checker reads every class, so every one of the 2^(3m) sequences."""
    found = []
    for path in MINE:
        certificate = parse(path.read_text())
        assert isinstance(certificate, dict)
        m, value = certificate["setting"]["m"], certificate["claim"]["value"]
        if m >= 16 and certificate["setting"]["n"] == 3 and value < 2**m / 8:
            found.append((m, value, path.name))
    assert found
    assert min(value for _, value, _ in found) < 2**16 / 8


@pytest.mark.parametrize("features", ["signed", "nonneg"])
@pytest.mark.parametrize(
    "setting",
    [
        Setting(1, n=1),
        Setting(3, n=2),
        Setting(3, n=2, readout="free"),
        Setting(7),
        Setting(6, n=4),
        Setting(4, n=50),
        Setting(5, tolerance=Fraction(1, 10)),
        Setting(5, tolerance=Fraction(1)),
        Setting(5, self_included=False),
        Setting(4, readout="free"),
        Setting(4, mask="causal"),
    ],
    ids=lambda s: s.describe(),
)
def test_bounds_are_checked_and_above_the_lower_bounds(setting: Setting, features: str) -> None:
    kind = "nonneg" if features == "nonneg" else "signed"
    bounds = upper_bounds(setting, kind)  # type: ignore[arg-type]
    least = best(bounds)
    assert least.value >= max(b.value for b in lower_bounds(setting, kind))  # type: ignore[arg-type]
    assert least.value <= 2**setting.m or least.id == "C1"
    for bound in bounds:
        assert bound.certificate is not None
        statement = checker.check(bound.certificate)
        assert f"<= {bound.value}, " in statement
        assert kind == "signed" or "nonneg" in statement
        stated = bound.certificate["setting"]
        assert (stated["m"], stated["n"]) in ((setting.m, setting.n), (setting.m, max(3, setting.n)))


def test_a_kernel_for_longer_sequences_serves_shorter_ones() -> None:
    """L6 in n, by the verifier."""
    found = cheapest(Setting(4, n=4))
    for n in (1, 2, 3, 4):
        assert decide(found.kernel, Setting(4, n)).solves
    assert decide(found.kernel, Setting(4, tolerance=Fraction(3, 4))).solves


@pytest.mark.parametrize(
    "path", [p for p in MINE if int(p.name.split("-")[1][1:]) <= 12], ids=lambda p: p.name
)
def test_restricted_certificates_are_accepted(path: Path) -> None:
    certificate = parse(path.read_text())
    assert isinstance(certificate, dict)
    m, n = certificate["setting"]["m"], certificate["setting"]["n"]
    smaller = restrict(certificate, Setting(max(1, m - 2), n - 1, Fraction(3, 5)))
    checker.check(smaller)
    if certificate["data"]["construction"] == "blocks":
        assert smaller["claim"]["value"] <= certificate["claim"]["value"]


def test_both_sides_meet_up_to_five() -> None:
    rows = list(sandwich([Setting(m) for m in range(1, 6)]))
    assert [row.upper.value if row.upper else None for row in rows] == [1, 2, 3, 4, 5]
    assert all(row.tight and row.ratio == 1 for row in rows)


def test_upper_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "c.json"
    assert (
        run(["upper", "--m", "8", "--features", "nonneg", "--json", "-", "--certificate", str(target)]) == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found["best"], int)
    assert found["best"] <= 65
    assert {"id", "value", "method", "certificate"} == set(found["bounds"][0])
    assert f"<= {found['best']}, nonneg" in check_file(str(target))
    assert run(["upper", "--m", "5"]) == 0
    assert "best: D* <= 5" in capsys.readouterr().out
    assert run(["upper", "--m", "5", "--features", "positive"]) == 2
    assert "give signed or nonneg" in capsys.readouterr().err


def test_sandwich_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "all"
    assert run(["sandwich", "--m", "1:6", "--json", "-", "--certificates", str(folder)]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["m"] for row in rows] == [1, 2, 3, 4, 5, 6]
    for row in rows:
        for side, sign in (("lower", ">="), ("upper", "<=")):
            assert f"{sign} {row[side]['value']}, " in check_file(
                str(folder / f"{side}-m{row['m']}-n3-signed.json")
            )
    assert run(["sandwich", "--m", "4:5", "--latex"]) == 0
    assert r"\end{tabular}" in capsys.readouterr().out
    assert run(["sandwich", "--m", "3:5"]) == 0
    assert "D*(4,3) = 4" in capsys.readouterr().out
    assert run(["sandwich", "--m", "5:3"]) == 2


def test_ranges() -> None:
    with pytest.raises(InputError, match="give first:last"):
        parse_range("0:4")
