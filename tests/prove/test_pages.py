"""The proof pages: all hold, a broken number breaks its page, and pages from outside are run and reported."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from kattn_bounds.cli.main import run
from kattn_bounds.errors import InputError
from kattn_bounds.prove.pages import (
    Mutant,
    Page,
    find_page,
    load_pages,
    mutants,
    page_of_text,
    pages_folder,
    parse_page,
    run_page,
)

PAGES = load_pages()
EXPECTED = [
    *(f"P{i}" for i in range(1, 7)),
    *(f"C{i}" for i in range(1, 9)),
    *(f"L{i}" for i in range(1, 10)),
    "R1",
    "B1",
    "G1",
]
WORDS = ("exhaustive", "orbit", "symbolic", "rocq", "sampled", "asymptotic", "exact", "numeric")


def test_every_statement_has_a_page() -> None:
    assert [page.id for page in PAGES] == EXPECTED
    for page in PAGES:
        assert page.path.stem == page.id
        assert any(word in page.label for word in WORDS)
        assert "## Statement" in page.text
        assert "## Proof" in page.text


@pytest.mark.parametrize("page", PAGES, ids=[p.id for p in PAGES])
def test_page_holds(page: Page) -> None:
    result = run_page(page)
    assert result.failure is None, result.failure


def test_template_holds() -> None:
    assert run_page(parse_page(pages_folder() / "template.md")).failure is None


def test_machine_checked_theorems_named_in_labels_exist() -> None:
    folder = pages_folder() / "rocq"
    if not folder.is_dir():
        pytest.skip("the machine-checked development is not shipped with the package")
    sources = "\n".join(f.read_text(encoding="utf-8") for f in folder.glob("*.v"))
    named = {
        name
        for page in PAGES
        for group in re.findall(r"rocq[^(;]*\(([^)]*)\)", page.label)
        for name in re.findall(r"\w+", group)
    }
    assert len(named) >= 8
    for name in named:
        assert re.search(rf"^(Theorem|Lemma|Corollary) {name}\b", sources, re.MULTILINE), name


def holds(mutant: Mutant) -> bool:
    return run_page(mutant.page).failure is None


def describe(mutant: Mutant) -> str:
    return f"{mutant.page.id}:{mutant.line}: {mutant.old} -> {mutant.new} changes nothing"


def test_a_broken_number_breaks_its_page() -> None:
    """A seeded sample: two numbers of every page."""
    rng = random.Random(20)
    for page in PAGES:
        for mutant in rng.sample(list(mutants(page)), 2):
            assert not holds(mutant), describe(mutant)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=[p.id for p in PAGES])
def test_every_broken_number_breaks_its_page(page: Page) -> None:
    assert [describe(m) for m in mutants(page) if holds(m)] == []


GOOD = """# M1. My lemma

Checks: exhaustive, a < 3.

The square is at most four.

```python
from kattn_bounds.prove.checks import every

every(lambda a: a * a <= 4, 3, a=range(3))
```

The double is below four.

```python
limit = 4
for a in range(3):
    assert 2 * a < limit
```
"""


def test_pages_from_outside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "lemmas.md"
    page.write_text(GOOD.replace("2 * a < limit", "2 * a <= limit"), encoding="utf-8")
    assert run(["proofs", str(page)]) == 0
    assert "every step holds" in capsys.readouterr().out

    page.write_text(GOOD, encoding="utf-8")
    assert run(["proofs", str(page)]) == 1
    shown = capsys.readouterr().out
    where = shown.index("The double is below four.")
    assert shown.index("a = 2, limit = 4") > where
    assert "lemmas.md:18" in shown

    page.write_text(GOOD.replace("<= 4, 3", "<= 3, 3"), encoding="utf-8")
    assert run(["proofs", str(tmp_path), "--json", "-"]) == 1
    report = json.loads(capsys.readouterr().out)["pages"][0]
    assert report["failure"]["sentence"] == "The square is at most four."
    assert report["failure"]["counterexample"] == "it fails at a = 2"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# M1. My lemma", "My lemma", "has no title"),
        ("Checks: exhaustive, a < 3.", "", "has no label"),
        ("every(lambda", "every lambda", "is not Python"),
        ("    assert 2 * a < limit\n```", "    assert 2 * a < limit\n", "not closed"),
    ],
)
def test_faulty_pages_are_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        page_of_text(GOOD.replace(old, new), Path("lemmas.md"))


def test_missing_pages_and_unknown_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["proofs", str(tmp_path / "none.md")]) == 2
    assert run(["proofs", str(tmp_path)]) == 2
    assert run(["explain", "L99"]) == 2
    shown = capsys.readouterr().err
    assert len(shown.splitlines()) == 3
    assert "P1, P2" in shown


def test_explain_prints_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "l1"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(find_page("L1").text)
    assert "`layer_bound`: C(m,k) <= D sum_s" in shown
    assert run(["explain", "layer_bound"]) == 0
    assert "forall (R : realFieldType)" in capsys.readouterr().out
    assert run(["proofs", "--template"]) == 0
    assert "# T1." in capsys.readouterr().out
    assert run(["proofs", "--guide"]) == 0
    assert "Writing a page" in capsys.readouterr().out


def test_a_page_cannot_end_the_run(tmp_path: Path) -> None:
    page = tmp_path / "exit.md"
    page.write_text(GOOD.replace("limit = 4", "raise SystemExit(0)"), encoding="utf-8")
    assert run(["proofs", str(page)]) == 1
