"""Options that several commands share, and the two ways of writing a result: a screen and JSON."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.setting import Mask, Readout, Setting, parse_rational

M = Annotated[int, typer.Option("--m", help="Coordinates of a token.")]
N = Annotated[int, typer.Option("--n", help="Length of the sequence, the query included.")]
Tolerance = Annotated[str, typer.Option("--tolerance", help="tau, a rational in (0, 1].")]
SelfMode = Annotated[str, typer.Option("--self", help="included or excluded: does the query attend to itself?")]
ReadoutMode = Annotated[str, typer.Option("--readout", help="inner (value <q,x>) or free (any V).")]
MaskMode = Annotated[str, typer.Option("--mask", help="final (last token asks) or causal (every position asks).")]
JsonFile = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Write the result as JSON; - is standard output.")
]


def build_setting(
    m: int,
    n: int = 3,
    tolerance: str = "1/2",
    self_mode: str = "included",
    readout: str = "inner",
    mask: str = "final",
) -> Setting:
    """The setting of the command's options, or one InputError with every fault in them."""
    faults: list[str] = []
    for name, value, allowed in (
        ("--self", self_mode, ("included", "excluded")),
        ("--readout", readout, ("inner", "free")),
        ("--mask", mask, ("final", "causal")),
    ):
        if value not in allowed:
            faults.append(f"{name} {shorten(value)} is unknown: give {allowed[0]} or {allowed[1]}")
    tau = None
    try:
        tau = parse_rational(tolerance, "tolerance")
    except InputError as error:
        faults += error.faults
    try:
        readout_mode: Readout = "free" if readout == "free" else "inner"
        mask_mode: Mask = "causal" if mask == "causal" else "final"
        setting = Setting(
            m,
            n,
            tau if tau is not None else parse_rational("1/2"),
            self_mode != "excluded",
            readout_mode,
            mask_mode,
        )
    except InputError as error:
        faults += error.faults
    if faults:
        raise InputError(faults)
    return setting


def write_json(target: str | None, payload: object) -> None:
    """Write JSON to a file (atomically) or to standard output when target is '-'; nothing when it is None."""
    if target is None:
        return
    text = json.dumps(payload, indent=2, ensure_ascii=False) + "\n"
    if target == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    write_atomic(Path(target), text)


def write_atomic(path: Path, text: str) -> None:
    """Write a text file so that a reader sees the old one or the whole new one, never a part."""
    if not path.parent.is_dir():
        raise InputError(f"folder '{shorten(path.parent)}' does not exist: create it or give another file")
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        raise InputError(
            f"cannot write '{shorten(path)}' ({error.strerror}): give a file that can be written"
        ) from None
