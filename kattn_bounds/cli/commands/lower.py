"""kattn-bounds lower: every lower bound on the number of features at one setting, and the best."""

from __future__ import annotations

from typing import Annotated

import typer

from kattn_bounds.cli.options import JsonFile, M, MaskMode, N, ReadoutMode, SelfMode, Tolerance

CROSSING_UP_TO = 64
"""L9 and L1 are compared at every m up to this, and up to twice this where m itself is larger."""

MAX_SHOWN = 120
"""Digits of the best bound that fit on the screen."""


def register(app: typer.Typer) -> None:
    app.command("lower")(lower)


def lower(
    m: M,
    n: N = 3,
    tolerance: Tolerance = "1/2",
    readout: ReadoutMode = "inner",
    self_mode: SelfMode = "included",
    mask: MaskMode = "final",
    features: Annotated[
        str, typer.Option("--features", help="signed (any real phi, psi) or nonneg (entrywise >= 0).")
    ] = "signed",
    certificate: Annotated[
        str | None,
        typer.Option("--certificate", metavar="FILE", help="Write a certificate of the best bound."),
    ] = None,
    json: JsonFile = None,
) -> int:
    """The fewest features that any solving head can have, as far as this toolkit proves: every bound and the best.

    Each line names its argument by the theory's id. Exit status 0.
    """
    from kattn_bounds.certificates.writer import write_certificate
    from kattn_bounds.cli.options import build_setting, write_json
    from kattn_bounds.errors import InputError, shorten
    from kattn_bounds.lower.bounds import best, lower_bounds
    from kattn_bounds.lower.nonneg import passes_layer

    setting = build_setting(m, n, tolerance, self_mode, readout, mask)
    if features not in ("signed", "nonneg"):
        raise InputError(f"--features {shorten(features)} is unknown: give signed or nonneg")
    bounds = lower_bounds(setting, "nonneg" if features == "nonneg" else "signed")
    top = best(bounds)
    reach = max(CROSSING_UP_TO, min(setting.m, 2 * CROSSING_UP_TO))
    crossing = passes_layer(setting, reach) if any(b.id == "L9" for b in bounds) else None
    written = None
    if certificate is not None:
        certified = [b for b in bounds if b.certificate is not None]
        if not certified:
            raise InputError(
                f"--certificate {shorten(certificate)}: no bound here has a certificate: give n >= 3, or leave it out"
            )
        written = best(certified)
        assert written.certificate is not None
        write_certificate(certificate, written.certificate)

    write_json(
        json,
        {
            "setting": {**setting.to_json(), "mask": setting.mask},
            "features": features,
            "best": top.value,
            "best_id": top.id,
            **({"L9_above_L1": {"from": crossing, "to": reach}} if crossing else {}),
            "bounds": [
                {
                    "id": b.id,
                    "value": b.value,
                    "method": b.method,
                    "certificate": b.certificate["kind"] if b.certificate else None,
                }
                for b in bounds
            ],
        },
    )
    if json != "-":
        print(f"Lower bounds on D, {features} features, {setting.describe()}")
        width = max(len(_number(b.value)) for b in bounds)
        for b in bounds:
            print(f"  {b.id:<7}  D >= {_number(b.value):<{width}}  {b.method}")
        exact = str(top.value)
        if len(exact) > MAX_SHOWN:
            exact = f"{_number(top.value)} (all {len(exact)} digits with --json -)"
        print(f"best: D >= {exact} ({top.id})")
        if crossing is not None:
            print(f"L9 is above L1 at every m from {crossing} to {reach} (each one compared)")
        if written is not None:
            less = (
                "" if written.value == top.value else f" (D >= {_number(written.value)}, the best with one)"
            )
            print(f"certificate of {written.id} written to {certificate}{less}")
    return 0


def _number(value: int) -> str:
    """The integer, or its leading digits and length when it is long."""
    text = str(value)
    return text if len(text) <= 20 else f"{text[0]}.{text[1:6]}...e{len(text) - 1}"
