"""Execute the notebooks from clean and store them with their outputs.

    python notebooks/execute.py [NAME ...]

Each notebook is written as text (`NAME.py`, jupytext's percent format); this makes `NAME.ipynb` beside it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def execute(source: Path) -> nbformat.NotebookNode:
    """The executed notebook of one text; raises when a cell fails."""
    notebook = jupytext.read(source)
    NotebookClient(
        notebook, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(HERE)}}
    ).execute()
    for i, cell in enumerate(notebook.cells):
        cell.id = f"cell-{i}"
        cell.metadata.pop("execution", None)
    notebook.metadata.pop("language_info", None)
    return notebook


def main() -> None:
    wanted = [HERE / f"{name}.py" for name in sys.argv[1:]] or sorted(HERE.glob("[0-9]*.py"))
    for source in wanted:
        target = source.with_suffix(".ipynb")
        nbformat.write(execute(source), target)
        print(target.name)


if __name__ == "__main__":
    main()
