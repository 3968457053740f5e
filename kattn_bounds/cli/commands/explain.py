"""`kattn-bounds explain L1`: the page of one theorem, or one machine-checked theorem, in the terminal."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from kattn_bounds.rocq.theorems import Theorem


def register(app: typer.Typer) -> None:
    app.command("explain")(explain)


def explain(
    identifier: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="P1..P6, C1..C8, L1..L9, R1, B1, G1, or the name of a Rocq theorem (layer_bound).",
        ),
    ],
) -> int:
    """Print the statement, the proof and the checks of one theorem, and what Rocq has checked of it."""
    from kattn_bounds.prove.pages import find_page
    from kattn_bounds.rocq.theorems import load_theorems, theorems_of

    named = next((t for t in load_theorems() if t.name == identifier), None)
    if named is not None:
        print(_in_full(named))
        return 0
    page = find_page(identifier)
    text = page.text.rstrip() + "\n" + _section(theorems_of(page.id))
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        console = Console(width=min(100, Console().width))
        console.print(Markdown(text, code_theme="ansi_dark"))
    else:
        print(text, end="")
    return 0


def _section(theorems: list[Theorem]) -> str:
    """The Markdown list of the theorems that belong to a page; nothing when there are none."""
    if not theorems:
        return ""
    lines = [
        textwrap.fill(f"- `{t.name}`: {t.statement}", 96, subsequent_indent="  ", break_on_hyphens=False)
        for t in theorems
    ]
    return "\n## Checked by Rocq\n\n" + "\n".join(lines) + "\n"


def _in_full(theorem: Theorem) -> str:
    def wrapped(text: str) -> str:
        return textwrap.fill(
            text,
            96,
            initial_indent="    ",
            subsequent_indent="    ",
            break_on_hyphens=False,
            break_long_words=False,
        )

    where = f"{', '.join(theorem.ids)}, proofs/rocq/{theorem.module}.v"
    return f"{theorem.name} ({where})\n\n{wrapped(theorem.statement)}\n\n{wrapped(theorem.rocq)}"
