"""kattn-bounds upper: every upper bound on the number of features at one setting, and the best."""

from __future__ import annotations

from typing import Annotated

import typer

from kattn_bounds.cli.options import JsonFile, M, MaskMode, N, ReadoutMode, SelfMode, Tolerance


def register(app: typer.Typer) -> None:
    app.command("upper")(upper)


def upper(
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
    """How few features suffice, as far as this toolkit knows: the stored certificates and the constructions.

    Every bound shown with a certificate has just been accepted by the checker. Exit status 0.
    """
    from kattn_bounds.certificates.writer import write_certificate
    from kattn_bounds.cli.options import build_setting, write_json
    from kattn_bounds.errors import InputError, shorten
    from kattn_bounds.upper.bounds import best, features_mode, upper_bounds

    setting = build_setting(m, n, tolerance, self_mode, readout, mask)
    bounds = upper_bounds(setting, features_mode(features))
    top = best(bounds)
    written = None
    if certificate is not None:
        certified = [b for b in bounds if b.certificate is not None]
        if not certified:
            raise InputError(
                f"--certificate {shorten(certificate)}: no bound here has a certificate: leave it out"
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
            "bounds": [
                {
                    "id": b.id,
                    "value": b.value,
                    "method": b.method,
                    "certificate": b.certificate["data"]["construction"] if b.certificate else None,
                }
                for b in bounds
            ],
        },
    )
    if json != "-":
        print(f"Upper bounds on D*, {features} features, {setting.describe()}")
        width = max(len(_number(b.value)) for b in bounds)
        for b in bounds:
            checked = "" if b.certificate else " (no certificate)"
            print(f"  {b.id:<9}  D* <= {_number(b.value):<{width}}  {b.method}{checked}")
        print(f"best: D* <= {_number(top.value)} ({top.id})")
        if written is not None:
            less = (
                "" if written.value == top.value else f" (D* <= {_number(written.value)}, the best with one)"
            )
            print(f"certificate of {written.id} written to {certificate}{less}")
    return 0


def _number(value: int) -> str:
    """The integer, or its leading digits and length when it is long."""
    if value.bit_length() <= 66:
        return str(value)
    text = str(value)
    return f"{text[0]}.{text[1:6]}...e{len(text) - 1}"
