"""`kattn-bounds prove`: a derivation of an inequality between kernel entries, or a solving kernel that breaks it."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kattn_bounds.cli.options import (
    JsonFile,
    ReadoutMode,
    SelfMode,
    Tolerance,
    build_setting,
    write_atomic,
    write_json,
)
from kattn_bounds.errors import InputError, shorten

if TYPE_CHECKING:
    from kattn_bounds.prove.instance import Counterexample


def register(app: typer.Typer) -> None:
    app.command("prove")(prove)


def prove(
    claim: Annotated[
        str,
        typer.Argument(
            help="An inequality such as '3*K(q,b) < K(q,a)', or C2, tail, L2 for a general proof."
        ),
    ],
    given: Annotated[
        list[str] | None,
        typer.Option("--given", help="Conditions such as 't(q,b) >= t(q,a)+2'; may be repeated."),
    ] = None,
    n: Annotated[str, typer.Option("--n", help="Length of the sequence, or a range such as 3:6.")] = "3",
    m: Annotated[
        int | None, typer.Option("--m", help="Coordinates of a token; leave it out for every m.")
    ] = None,
    tolerance: Tolerance = "1/2",
    self_mode: SelfMode = "included",
    readout: ReadoutMode = "inner",
    positions: Annotated[
        bool, typer.Option("--positions", help="Position-dependent kernels: K_1(q,a), Kbar(q,a).")
    ] = False,
    best: Annotated[
        bool, typer.Option("--best", help="Find the largest constant c, as in 'c*K(q,b) < K(q,a)'.")
    ] = False,
    family: Annotated[
        list[str] | None,
        typer.Option("--family", help="Values of a parameter, such as s=1:8: a table of the proofs."),
    ] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print the derivation as LaTeX.")] = False,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", metavar="FILE", help="Write the derivation as a certificate."),
    ] = None,
    counterexample: Annotated[
        Path | None,
        typer.Option(
            "--counterexample", metavar="FILE", help="Write the kernel that breaks the claim (.npy or .npz)."
        ),
    ] = None,
    json_file: JsonFile = None,
) -> int:
    """Derive a linear inequality between kernel entries from the solving conditions, or refute it by a solving kernel."""
    from kattn_bounds.prove import render
    from kattn_bounds.prove.family import FamilyLine, cases, family_table, parse_family, parse_range
    from kattn_bounds.prove.prover import best_constant
    from kattn_bounds.prove.prover import prove as run
    from kattn_bounds.prove.symbolic import THEOREMS

    if claim in THEOREMS:
        if given or best or family or certificate or latex:
            raise InputError(f"{claim} is a general proof and takes no other options than --json")
        finding = THEOREMS[claim]()
        write_json(
            json_file,
            {"claim": claim, "verdict": finding.verdict.value, "method": finding.method, "evidence": finding.evidence,
             **finding.details},
        )  # fmt: skip
        if json_file != "-":
            print(f"{claim}: {finding.verdict.value} ({finding.method})")
            for line in finding.evidence.splitlines():
                print(textwrap.fill(line, 100, initial_indent="  ", subsequent_indent="    "))
        return finding.verdict.exit_code

    lengths = parse_range(n, "--n")
    grid = cases(lengths, parse_family(family or []))
    setting = build_setting(1 if m is None else m, lengths[0], tolerance, self_mode, readout)
    options = {
        "m": m, "tolerance": setting.tolerance, "self_included": setting.self_included,
        "readout": setting.readout, "positions": positions,
    }  # fmt: skip
    lines = []
    for length, parameters in grid:
        if best:
            found = best_constant(claim, given or [], n=length, parameters=parameters, **options)  # type: ignore[arg-type]
            lines.append(FamilyLine(length, parameters, found.proof, found))
        else:
            proof = run(claim, given or [], n=length, parameters=parameters, **options)  # type: ignore[arg-type]
            lines.append(FamilyLine(length, parameters, proof, None))

    if certificate is not None:
        documents = [d for line in lines for d in line.proof.certificates()]
        for number, document in enumerate(documents, start=1):
            name = (
                certificate if len(documents) == 1 else certificate.with_stem(f"{certificate.stem}-{number}")
            )
            write_atomic(name, json.dumps(document, indent=1) + "\n")
        if not documents:
            print(
                f"no certificate '{shorten(certificate)}' was written: the claim was not proved",
                file=sys.stderr,
            )
    if counterexample is not None:
        _write_counterexample(counterexample, [line.proof.counterexample for line in lines])
    table = len(grid) > 1
    payload = [
        {"n": line.n, "parameters": line.parameters, **render.to_json(line.proof, line.best)}
        for line in lines
    ]
    write_json(json_file, payload if table else payload[0])
    if json_file != "-":
        if latex:
            print("\n\n".join(line.proof.latex() for line in lines))
        elif table:
            print(family_table(lines))
        else:
            print(lines[0].proof.text())
            if lines[0].best is not None:
                print("\n".join(render.limit_text(lines[0].best)))
    codes = {line.proof.verdict.exit_code for line in lines}
    return 1 if 1 in codes else max(codes)


def _write_counterexample(path: Path, found: Sequence[Counterexample | None]) -> None:
    """Write the first counterexample as a table that `kattn-bounds check` reads."""
    import numpy as np

    first = next((c for c in found if c is not None), None)
    if first is None:
        print(f"no counterexample '{shorten(path)}' was written: the claim was not refuted", file=sys.stderr)
        return
    tables = first.tables()
    if path.suffix != (".npy" if len(tables) == 1 else ".npz"):
        wanted = ".npy" if len(tables) == 1 else ".npz (one array for each position)"
        raise InputError(f"counterexample '{shorten(path)}' must be a file named {wanted}")
    buffer = BytesIO()
    if len(tables) == 1:
        np.save(buffer, tables["K"])
    else:
        np.savez(buffer, **tables)  # type: ignore[arg-type]
    try:
        path.write_bytes(buffer.getvalue())
    except OSError as error:
        raise InputError(
            f"cannot write '{shorten(path)}' ({error.strerror}): give a file that can be written"
        ) from None
