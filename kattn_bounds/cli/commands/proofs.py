"""`kattn-bounds proofs`: runs the checks of proof pages, the theory's or one's own, and prints a ledger."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kattn_bounds.cli.options import JsonFile, write_json

if TYPE_CHECKING:
    from kattn_bounds.prove.pages import PageResult


def register(app: typer.Typer) -> None:
    app.command("proofs")(proofs)


def proofs(
    path: Annotated[
        Path | None, typer.Argument(help="A page or a folder of pages; by default the theory's.")
    ] = None,
    template: Annotated[bool, typer.Option("--template", help="Print a page to start from.")] = False,
    guide: Annotated[bool, typer.Option("--guide", help="Print how to write a page of one's own.")] = False,
    json_file: JsonFile = None,
) -> int:
    """Run the checks of every proof page (they are Python code, run as it is) and print what each covers."""
    from kattn_bounds.prove.pages import load_pages, pages_folder, run_page

    if template or guide:
        name = "template.md" if template else "README.md"
        print((pages_folder() / name).read_text(encoding="utf-8"), end="")
        return 0
    results = []
    quiet = json_file == "-"
    if not quiet:
        print(f"{'id':<5} {'steps':>5} {'time':>7}  {'result':<7} statement, and what the checks cover")
    for page in load_pages(path):
        result = run_page(page)
        results.append(result)
        if not quiet:
            print(_line(result))
    bad = [r for r in results if r.failure is not None]
    steps = sum(len(r.page.steps) for r in results)
    seconds = sum(r.seconds for r in results)
    write_json(
        json_file,
        {
            "pages": [
                {
                    "id": r.page.id,
                    "title": r.page.title,
                    "checks": r.page.label,
                    "steps": len(r.page.steps),
                    "seconds": round(r.seconds, 2),
                    "holds": r.failure is None,
                    "failure": None if r.failure is None else _details(r),
                }
                for r in results
            ]
        },
    )
    if not quiet:
        outcome = "every step holds" if not bad else f"{len(bad)} of {len(results)} pages fail"
        print(f"\n{len(results)} pages, {steps} steps, {seconds:.1f} s: {outcome}")
    return 1 if bad else 0


def _line(result: PageResult) -> str:
    page = result.page
    mark = "holds" if result.failure is None else "FAILS"
    start = f"{page.id:<5} {len(page.steps):>5} {result.seconds:>6.1f}s  {mark:<7} "
    indent = " " * len(start)
    label = textwrap.fill(page.label, 100, initial_indent=indent, subsequent_indent=indent)
    text = f"{start}{page.title}\n{label}"
    if result.failure is None:
        return text
    failure = result.failure
    sentence = textwrap.fill(failure.step.sentence, 96, initial_indent="    ", subsequent_indent="    ")
    message = textwrap.indent(failure.message, "      ")
    return f"{text}\n{sentence}\n      {page.path.name}:{failure.line}: {failure.source}\n{message}"


def _details(result: PageResult) -> dict[str, object]:
    failure = result.failure
    assert failure is not None
    return {
        "sentence": failure.step.sentence,
        "line": failure.line,
        "source": failure.source,
        "counterexample": failure.message,
    }
