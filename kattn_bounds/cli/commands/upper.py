"""kattn-bounds upper: every upper bound on the number of features at one setting, and the best."""

from __future__ import annotations

import typer

from kattn_bounds.cli.options import (
    CertificateFile,
    FeaturesMode,
    JsonFile,
    M,
    MaskMode,
    N,
    ReadoutMode,
    SelfMode,
    Tolerance,
)


def register(app: typer.Typer) -> None:
    app.command("upper")(upper)


def upper(
    m: M,
    n: N = 3,
    tolerance: Tolerance = "1/2",
    readout: ReadoutMode = "inner",
    self_mode: SelfMode = "included",
    mask: MaskMode = "final",
    features: FeaturesMode = "signed",
    certificate: CertificateFile = None,
    json: JsonFile = None,
) -> int:
    """How few features suffice, as far as this toolkit knows: the stored certificates and the constructions.

    Every bound shown with a certificate has just been accepted by the checker. Exit status 0.
    """
    from kattn_bounds.cli.bounds import bounds_json, leading, write_best, written_line
    from kattn_bounds.cli.options import build_features, build_setting, write_json
    from kattn_bounds.upper.bounds import best, upper_bounds

    setting = build_setting(m, n, tolerance, self_mode, readout, mask)
    bounds = upper_bounds(setting, build_features(features))
    top = best(bounds)
    written = write_best(certificate, bounds, best)
    write_json(json, bounds_json(setting, features, bounds, top))
    if json != "-":
        print(f"Upper bounds on D*, {features} features, {setting.describe()}")
        width = max(len(leading(b.value)) for b in bounds)
        for b in bounds:
            checked = "" if b.certificate else " (no certificate)"
            print(f"  {b.id:<9}  D* <= {leading(b.value):<{width}}  {b.method}{checked}")
        print(f"best: D* <= {leading(top.value)} ({top.id})")
        if written is not None:
            print(written_line(certificate, written, top, "D* <="))
    return 0
