"""`kattn-bounds explain L1`: the page of one theorem, in the terminal."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    app.command("explain")(explain)


def explain(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="P1..P6, C1..C8, L1..L9, R1, B1 or G1.")],
) -> int:
    """Print the statement, the proof and the checks of one theorem."""
    from kattn_bounds.prove.pages import find_page

    page = find_page(identifier)
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        console = Console(width=min(100, Console().width))
        console.print(Markdown(page.text, code_theme="ansi_dark"))
    else:
        print(page.text, end="")
    return 0
