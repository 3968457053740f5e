"""`kattn-bounds figures`: draw the figures, with the table behind each as CSV and LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kattn_bounds.errors import InputError, shorten

FORMATS = ("pdf", "png", "svg")


def figures(
    names: Annotated[
        list[str] | None, typer.Argument(help="Figures to draw; all when none is named.")
    ] = None,
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="Folder to write to; made if needed.")
    ] = "figures",
    formats: Annotated[
        str, typer.Option("--format", help="Any of pdf, png, svg, with commas between.")
    ] = "pdf,png",
    scratch: Annotated[
        bool,
        typer.Option("--from-scratch", help="Compute the tables anew at small size, ignoring stored ones."),
    ] = False,
    recompute: Annotated[
        bool, typer.Option("--recompute", help="Compute the tables anew at full size (minutes).")
    ] = False,
    listing: Annotated[bool, typer.Option("--list", help="Only list the figures.")] = False,
) -> int:
    """Draw figures for papers and talks. Each comes with its table (.csv, .tex); a figure shows exactly its table."""
    from kattn_bounds.cli.options import write_atomic
    from kattn_bounds.figures.base import module, table_of
    from kattn_bounds.figures.base import names as known

    if listing:
        for name in known():
            print(f"{name:<14}{(module(name).__doc__ or '').strip().splitlines()[0]}")
        return 0
    wanted = [part.strip() for part in formats.split(",")]
    unknown = [part for part in wanted if part not in FORMATS]
    if unknown:
        raise InputError(f"format '{shorten(unknown[0])}' is unknown: give pdf, png or svg")
    if scratch and recompute:
        raise InputError("--from-scratch and --recompute exclude each other: give one")
    tables = "small" if scratch else "full" if recompute else "stored"
    modules = {name: module(name) for name in names or known()}
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make folder '{shorten(out)}' ({error.strerror}): give another") from None
    for name, source in modules.items():
        table = table_of(name, tables)
        drawn = source.plot(table)
        write_atomic(folder / f"{name}.csv", table.csv())
        write_atomic(folder / f"{name}.tex", table.latex())
        for kind in wanted:
            metadata = {"CreationDate": None} if kind == "pdf" else {"Date": None} if kind == "svg" else {}
            drawn.savefig(folder / f"{name}.{kind}", metadata=metadata)
        _close(drawn)
        print(f"{name}: {', '.join(f'{name}.{kind}' for kind in ['csv', 'tex', *wanted])} in {out}")
    return 0


def _close(drawn: object) -> None:
    import matplotlib.pyplot as plt

    plt.close(drawn)  # type: ignore[arg-type]


def register(app: typer.Typer) -> None:
    app.command()(figures)
