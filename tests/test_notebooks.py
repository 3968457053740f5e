"""The notebooks run from clean, and their stored copies are what their texts say."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
sys.path.insert(0, str(NOTEBOOKS))
TEXTS = sorted(NOTEBOOKS.glob("[0-9]*.py"))


@pytest.mark.parametrize("text", TEXTS, ids=lambda path: path.stem)
def test_notebook_runs_from_clean(text: Path) -> None:
    from execute import execute

    notebook = execute(text)
    stored = nbformat.read(text.with_suffix(".ipynb"), as_version=4)
    assert [cell.source for cell in notebook.cells] == [cell.source for cell in stored.cells]
    assert any(cell.get("outputs") for cell in stored.cells if cell.cell_type == "code")
    for new, old in zip(notebook.cells, stored.cells, strict=True):
        if new.cell_type == "code":
            assert printed(new) == printed(old)


def printed(cell: nbformat.NotebookNode) -> str:
    return "".join(output.text for output in cell.outputs if output.output_type == "stream")
