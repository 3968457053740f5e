"""Figures show exactly their tables, every axis is labelled, and stored tables are reproduced."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from matplotlib import pyplot

from kattn_bounds.cli.main import run
from kattn_bounds.errors import InputError
from kattn_bounds.figures.base import Table, module, names, stored_folder, table_of

FAST = ("attention", "cliff", "decay", "exponents", "gaussian", "temperature", "transcripts")
"""Figures whose small tables are computed in the tests; the others are drawn from their stored tables."""


@pytest.fixture(autouse=True)
def no_figure_stays_open() -> Iterator[None]:
    yield
    pyplot.close("all")


def drawn_numbers(figure: object) -> set[float]:
    found: set[float] = set()
    for axes in figure.axes:  # type: ignore[attr-defined]
        for line in axes.lines:
            found |= {round(float(y), 9) for y in line.get_ydata()}
        found |= {round(float(bar.get_height()), 9) for bar in axes.patches}
    return found


@pytest.mark.parametrize("name", names())
def test_a_figure_draws_its_table(name: str) -> None:
    source = module(name)
    table = source.data(small=True) if name in FAST else table_of(name)
    assert Table.parse(table.csv()) == table
    figure = source.plot(table)
    for axes in figure.axes:
        assert axes.get_ylabel() or axes.get_shared_y_axes().get_siblings(axes)
        assert axes.get_xlabel() or axes.get_xticklabels()
    # A number changed in the table is a number changed in the picture.
    column = next(
        i for i in range(len(table.columns) - 1, -1, -1)
        if any(isinstance(row[i], int | Fraction) and row[i] for row in table.rows)
    )  # fmt: skip
    changed = [
        tuple(
            cell * 3 if i == column and isinstance(cell, int | Fraction) else cell
            for i, cell in enumerate(row)
        )
        for row in table.rows
    ]
    other = source.plot(Table(table.columns, changed))
    before, after = text_and_numbers(figure), text_and_numbers(other)
    assert before != after


def text_and_numbers(figure: object) -> tuple[object, ...]:
    titles = tuple(axes.get_title() for axes in figure.axes)  # type: ignore[attr-defined]
    return titles, frozenset(drawn_numbers(figure))


@pytest.mark.parametrize("name", ["cliff", "attention", "decay", "temperature"])
def test_stored_tables_are_reproduced(name: str) -> None:
    stored = table_of(name)
    assert stored == module(name).data(small=False)


def test_every_figure_is_stored() -> None:
    folder = stored_folder()
    assert folder is not None
    for name in names():
        for suffix in (".csv", ".tex", ".png", ".pdf"):
            assert (folder / f"{name}{suffix}").exists(), f"{name}{suffix}: run `make figures`"


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["figures", "cliff", "--out", str(tmp_path / "new"), "--format", "svg", "--from-scratch"]) == 0
    written = {path.name for path in (tmp_path / "new").iterdir()}
    assert written == {"cliff.csv", "cliff.tex", "cliff.svg"}
    assert "<svg" in (tmp_path / "new" / "cliff.svg").read_text()
    assert r"\begin{tabular}" in (tmp_path / "new" / "cliff.tex").read_text()
    capsys.readouterr()
    assert run(["figures", "nonsense"]) == 2
    assert run(["figures", "cliff", "--format", "gif", "--out", str(tmp_path)]) == 2
    assert "gif" in capsys.readouterr().err
    with pytest.raises(InputError, match="unknown"):
        module("style2")


def test_latex_of_a_table() -> None:
    table = Table(("a_b", "n"), [("x^2 & 5%", Fraction(12345678901, 3)), (None, 4)])
    text = table.latex()
    assert r"a\_b" in text
    assert r"x\^{}2 \& 5\%" in text
    assert "4.11523e+09" in text
    assert "-- & 4" in text
