"""Options that several commands share, and the two ways of writing a result: a screen and JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from kattn_bounds.attention import Attention, attend_positions
from kattn_bounds.cube import format_sequence
from kattn_bounds.errors import InputError, shorten
from kattn_bounds.files import write_atomic as write_atomic
from kattn_bounds.kernels import Kernel, PositionKernel, parse_kernel, parse_values
from kattn_bounds.setting import HALF, Features, Mask, Readout, Setting, parse_rational

M = Annotated[int, typer.Option("--m", help="Coordinates of a token.")]
N = Annotated[int, typer.Option("--n", help="Length of the sequence, the query included.")]
Tolerance = Annotated[str, typer.Option("--tolerance", help="tau, a rational in (0, 1].")]
SelfMode = Annotated[
    str, typer.Option("--self", help="included or excluded: does the query attend to itself?")
]
ReadoutMode = Annotated[str, typer.Option("--readout", help="inner (value <q,x>) or free (any V).")]
MaskMode = Annotated[
    str, typer.Option("--mask", help="final (last token asks) or causal (every position asks).")
]
Values = Annotated[
    str | None,
    typer.Option(
        "--values", help="V(q,a) for the free readout: a formula, a table, signed-tokens, module:function."
    ),
]
JsonFile = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Write the result as JSON; - is standard output.")
]

FeaturesMode = Annotated[
    str, typer.Option("--features", help="signed (any real phi, psi) or nonneg (entrywise >= 0).")
]
CertificateFile = Annotated[
    str | None, typer.Option("--certificate", metavar="FILE", help="Write a certificate of the best bound.")
]


def build_features(text: str) -> Features:
    """signed or nonneg, as the option gives it. Raises InputError.

    >>> build_features("nonneg")
    'nonneg'
    """
    if text == "signed":
        return "signed"
    if text == "nonneg":
        return "nonneg"
    raise InputError(f"--features {shorten(text)} is unknown: give signed or nonneg")


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


def build_kernel(
    text: str, setting: Setting, values: str | None, given: Mapping[str, str] | None = None
) -> tuple[Kernel | PositionKernel, Kernel | None]:
    """The kernel and, for the free readout, the value map of a command's options."""
    if setting.readout == "free" and values is None:
        raise InputError(
            "--readout free needs a value map: give --values, for instance --values signed-tokens"
        )
    if setting.readout == "inner" and values is not None:
        raise InputError(f"--values {shorten(values)} goes with the free readout: add --readout free")
    kernel = parse_kernel(text, setting.m, given)
    return kernel, None if values is None else parse_values(values, setting.m)


def attend_on(
    kernel: Kernel | PositionKernel, value: Kernel | None, setting: Setting, tokens: Sequence[int]
) -> Attention:
    """The reference evaluator on one sequence, whatever kind of kernel it is."""

    def entry(q: int, a: int, i: int, j: int) -> Fraction:
        return (kernel.at(i, j) if isinstance(kernel, PositionKernel) else kernel).value(q, a)

    readout = None if value is None else (lambda q, a, i, j: value.value(q, a))
    return attend_positions(tokens, entry, self_included=setting.self_included, value=readout)


def replay_command(
    tokens: Sequence[int],
    m: int,
    kernel: str,
    setting: Setting,
    values: str | None = None,
    given: Mapping[str, object] | None = None,
) -> list[str]:
    """The words of the `replay` command that shows this sequence under this setting."""
    words = ["kattn-bounds", "replay", format_sequence(tokens, m), "--kernel", kernel]
    if setting.tolerance != HALF:
        words += ["--tolerance", str(setting.tolerance)]
    if not setting.self_included:
        words += ["--self", "excluded"]
    if values is not None:
        words += ["--readout", "free", "--values", values]
    for name, option in (given or {}).items():
        if option is not None:
            words += [f"--{name}", str(option)]
    return words


def shown_sequence(tokens: Sequence[int], m: int, limit: int = 400) -> str:
    """A sequence for a screen: as `replay` reads it, or cut when it is very long."""
    text = format_sequence(tokens, m)
    return text if len(text) <= limit else text[:limit] + " .."


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
