"""Kernel certificates in Rocq: every construction, its mutants, and the translation of kernels on classes to features."""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest

from kattn_bounds.certificates.checker import Rejected, check
from kattn_bounds.errors import InputError
from kattn_bounds.kernels.isotypic import levels, zonal
from kattn_bounds.rocq import certify_rocq, translate
from kattn_bounds.rocq.kernels import Family, block_families, class_families, integral, rank_factors

ROOT = Path(__file__).resolve().parents[2]
ROCQ = ROOT / "proofs" / "rocq"
UPPER = ROOT / "kattn_bounds" / "data" / "upper"

needs_rocq = pytest.mark.skipif(
    shutil.which("coqc") is None or not (ROCQ / "check_classes.vo").exists(),
    reason="coqc is not on PATH, or proofs/rocq is not compiled (make rocq)",
)


def stored(name: str) -> Any:
    return json.loads((UPPER / f"{name}.json").read_text(encoding="utf-8"))


def write(path: Path, cert: Any) -> Path:
    path.write_text(json.dumps(cert), encoding="utf-8")
    return path


def expanded(m: int, n: int, x: str) -> dict[str, Any]:
    return {
        "format": "kattn-bounds-certificate",
        "version": 1,
        "kind": "kernel",
        "setting": {"m": m, "n": n, "tolerance": "1/2", "self_included": True, "readout": "inner"},
        "claim": {"quantity": "features", "relation": "<=", "value": 2**m, "features": "nonneg"},
        "data": {"construction": "expanded", "x": x},
    }


# ------------------------------------------------------------------------- features of a kernel on classes


def value(m: int, family: Family, r: int, c: int, t: int) -> Fraction:
    """The sum of F G over the d-sets, for a query and a token of the classes r and c with t common ones."""
    k, l, d = r % (m + 1), c % (m + 1), family.degree
    left, right = family.left[r], family.right[c]
    total = Fraction(0)
    for i in range(t + 1):
        for x in range(k - t + 1):
            for y in range(l - t + 1):
                rest = d - i - x - y
                if rest >= 0 and i + x < len(left) and i + y < len(right):
                    ways = comb(t, i) * comb(k - t, x) * comb(l - t, y) * comb(m - k - l + t, rest)
                    total += ways * left[i + x] * right[i + y]
    return total


@pytest.mark.parametrize(
    "name",
    [
        "symmetric-m5-n3",
        "symmetric-m7-n4",
        "symmetric-m9-n3",
        pytest.param("symmetric-m11-n3", marks=pytest.mark.slow),
        pytest.param("symmetric-m16-n3", marks=pytest.mark.slow),
    ],
)
def test_features_reproduce_the_kernel(name: str) -> None:
    cert = stored(name)
    m = cert["setting"]["m"] - cert["data"].get("bits", 0)
    table = [[[Fraction(x) for x in line] for line in lines] for lines in cert["data"]["table"]]
    families = class_families(m, table)
    assert sum(comb(m, family.degree) for family in families) == cert["claim"]["value"]
    whole = [
        Family(d, [[Fraction(x) for x in row] for row in left], [[Fraction(x) for x in row] for row in right])
        for d, left, right in integral(families)
    ]
    for r, lines in enumerate(table):
        factors = set()
        for c, line in enumerate(lines):
            for t, entry in zip(levels(m, r % (m + 1), c % (m + 1)), line, strict=True):
                assert sum(value(m, family, r, c, t) for family in families) == entry
                factors.add(sum(value(m, family, r, c, t) for family in whole) / entry)
        assert len(factors) == 1
        assert min(factors) > 0


def test_block_features() -> None:
    blocks = stored("masked-m5-n3")["data"]["blocks"]
    for block, family in zip(blocks, block_families(5, blocks), strict=True):
        for k in range(6):
            for l in range(6):
                for t in levels(5, k, l):
                    u = (k if block["side"] == "q" else l) - t
                    weight = Fraction(block["alpha"][k]) * Fraction(block["beta"][l])
                    assert value(5, family, k, l, t) == weight * comb(u, block["degree"])


def test_rank_factors_are_short() -> None:
    rows = [[3, 1, 4, 1, 5], [2, 7, 1, 8, 2]]
    mixed = [
        [Fraction(a * x + b * y, 7) for x, y in zip(*rows, strict=True)] for a, b in [(17, 5), (5, 3), (1, 1)]
    ]
    left, right = rank_factors(mixed)
    assert [[sum(a * right[i][c] for i, a in enumerate(line)) for c in range(5)] for line in left] == mixed
    assert max(abs(x) for row in right for x in row) <= 8


def test_ranks_that_increase_are_refused_in_words() -> None:
    table = [[[Fraction(0)] * len(levels(3, k, l)) for l in range(4)] for k in range(4)]
    table[1][1] = list(zonal(3, 1, 1)[1])  # type 1 only
    with pytest.raises(InputError, match="not a non-increasing sequence"):
        class_families(3, table)


def test_unknown_construction() -> None:
    cert = stored("symmetric-m5-n3")
    cert["data"]["construction"] = "magic"
    with pytest.raises(InputError, match="magic"):
        translate(cert)


# ------------------------------------------------------------------------------------------------- in Rocq


@needs_rocq
@pytest.mark.parametrize(
    "name",
    [
        "factors-m4-n4-d5-signed",
        "factors-m4-n3-d2-signed-free",
        "symmetric-m11-n3",
        "monomial-m40-n3",
        "setfunction-m10-n3",
    ],
)
def test_stored(name: str) -> None:
    report = certify_rocq(UPPER / f"{name}.json")
    assert report.accepted, str(report)
    assert report.assumptions == "Closed under the global context"
    assert report.statement.startswith("upper_bound")


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(UPPER.glob("*.json")), ids=lambda path: str(path.stem))
def test_every_stored_kernel(path: Path) -> None:
    report = certify_rocq(path)
    assert report.accepted, str(report)


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize(
    "cert",
    [expanded(4, 3, "1/4"), expanded(50, 10**12, "1/1000000000001"), expanded(3, 1, "1/2")],
    ids=["m4", "m50", "alone"],
)
def test_expanded(tmp_path: Path, cert: Any) -> None:
    assert check(cert)
    report = certify_rocq(write(tmp_path / "expanded.json", cert))
    assert report.accepted, str(report)


@needs_rocq
def test_a_mutant_is_reported(tmp_path: Path) -> None:
    cert = stored("symmetric-m5-n3")
    cert["setting"]["n"] = 9
    report = certify_rocq(write(tmp_path / "mutant.json", cert))
    assert not report.accepted
    assert report.statement == ""


Change = Callable[[Any], None]


def longer(n: int) -> Change:
    def change(cert: Any) -> None:
        cert["setting"]["n"] = n

    return change


def cheaper(cert: Any) -> None:
    cert["claim"]["value"] -= 1


def claimed_nonneg(cert: Any) -> None:
    cert["claim"]["features"] = "nonneg"


def put(entry: Any, *path: Any) -> Change:
    def change(cert: Any) -> None:
        node = cert["data"]
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = entry

    return change


def dropped(*path: Any) -> Change:
    def change(cert: Any) -> None:
        node = cert["data"]
        for key in path:
            node = node[key]
        node.pop()

    return change


def exact(cert: Any) -> None:
    cert["setting"]["tolerance"] = "1/1000"


MUTANTS: list[tuple[Any, list[Change]]] = [
    (
        stored("factors-m3-n3-d3-signed"),
        [longer(9), cheaper, claimed_nonneg, exact, put(["0", "-1", "0"], "phi", 1), dropped("psi")],
    ),
    (
        stored("factors-m3-n3-d1-signed-free"),
        [
            longer(9),
            exact,
            put(1, "values", 5, 0),
            dropped("values"),
            dropped("values", 7),
            put([-1], "phi", 2),
        ],
    ),
    (
        stored("symmetric-m5-n3"),
        [longer(4), cheaper, claimed_nonneg, exact, put([1, 1, 1], "table", 3, 3), put([-1], "table", 0, 2)],
    ),
    (
        stored("masked-m5-n3"),
        [
            longer(5),
            cheaper,
            exact,
            put("-1/2", "blocks", 0, "alpha", 2),
            put(0, "blocks", 1, "alpha", 3),
            put(5, "blocks", 1, "degree"),
            put("a", "blocks", 1, "side"),
        ],
    ),
    (
        stored("setfunction-m9-n3"),
        [longer(4), cheaper, exact, put(-1, "terms", 3, 1), dropped("terms"), put(1000, "terms", 2, 1)],
    ),
]


@needs_rocq
def test_mutants_are_rejected(tmp_path: Path) -> None:
    """One Rocq file: every checker is true on the certificate itself and false on its mutants, as in Python."""
    modules: set[str] = set()
    goals = []
    for original, changes in MUTANTS:
        for change in [None, *changes]:
            mutant = copy.deepcopy(original)
            if change:
                change(mutant)
                with pytest.raises(Rejected):
                    check(mutant)
            text = translate(mutant)
            definition, checker = re.search(
                r"(Definition cert := .*?)Theorem certified.*?@(\w+)_sound", text, re.S
            ).groups()  # type: ignore[union-attr]
            modules.update(re.search(r"KattnBounds Require Import (.*)\.", text)[1].split())  # type: ignore[index]
            answer = "false" if change else "true"
            goals.append(
                f"Module M{len(goals)}.\n{definition}"
                f"Goal {checker} cert = {answer}. Proof. by vm_compute. Qed.\nEnd M{len(goals)}.\n"
            )
    file = tmp_path / "mutants.v"
    file.write_text(
        "From Coq Require Import ZArith.\nFrom mathcomp Require Import all_ssreflect all_algebra.\n"
        f"From KattnBounds Require Import {' '.join(sorted(modules))}.\n" + "".join(goals),
        encoding="utf-8",
    )
    command = ["coqc", "-w", "none", "-R", str(ROCQ), "KattnBounds", str(file)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[:2000]


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["symmetric-m16-n3", "monomial-m40-n3", "setfunction-m16-n3", "factors-m7-n3-d14-nonneg"]
)
def test_large_mutants_are_rejected(tmp_path: Path, name: str) -> None:
    for number, change in enumerate((longer(4), cheaper)):
        mutant = stored(name)
        change(mutant)
        assert not certify_rocq(write(tmp_path / f"mutant{number}.json", mutant)).accepted
