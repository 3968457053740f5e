"""kattn-bounds lower: every lower bound on the number of features at one setting, and the best."""

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
    features: FeaturesMode = "signed",
    certificate: CertificateFile = None,
    json: JsonFile = None,
) -> int:
    """The fewest features that any solving head can have, as far as this toolkit proves: every bound and the best.

    Each line names its argument by the theory's id. Exit status 0.
    """
    from kattn_bounds.cli.bounds import bounds_json, leading, write_best, written_line
    from kattn_bounds.cli.options import build_features, build_setting, write_json
    from kattn_bounds.lower.bounds import best, lower_bounds
    from kattn_bounds.lower.nonneg import passes_layer

    setting = build_setting(m, n, tolerance, self_mode, readout, mask)
    bounds = lower_bounds(setting, build_features(features))
    top = best(bounds)
    reach = max(CROSSING_UP_TO, min(setting.m, 2 * CROSSING_UP_TO))
    crossing = passes_layer(setting, reach) if any(b.id == "L9" for b in bounds) else None
    written = write_best(certificate, bounds, best)
    crossed = {"L9_above_L1": {"from": crossing, "to": reach}} if crossing else {}
    write_json(json, bounds_json(setting, features, bounds, top) | crossed)
    if json != "-":
        print(f"Lower bounds on D, {features} features, {setting.describe()}")
        width = max(len(leading(b.value)) for b in bounds)
        for b in bounds:
            print(f"  {b.id:<7}  D >= {leading(b.value):<{width}}  {b.method}")
        exact = str(top.value)
        if len(exact) > MAX_SHOWN:
            exact = f"{leading(top.value)} (all {len(exact)} digits with --json -)"
        print(f"best: D >= {exact} ({top.id})")
        if crossing is not None:
            print(f"L9 is above L1 at every m from {crossing} to {reach} (each one compared)")
        if written is not None:
            print(written_line(certificate, written, top, "D >="))
    return 0
