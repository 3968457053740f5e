"""kattn-bounds sandwich: certified lower <= D*(m, n) <= certified upper over a range of m."""

from __future__ import annotations

from typing import Annotated

import typer

from kattn_bounds.cli.options import FeaturesMode, JsonFile, MaskMode, N, ReadoutMode, SelfMode, Tolerance


def register(app: typer.Typer) -> None:
    app.command("sandwich")(sandwich)


def sandwich(
    m: Annotated[str, typer.Option("--m", metavar="FIRST:LAST", help="Sizes, for instance 1:12.")] = "1:12",
    n: N = 3,
    tolerance: Tolerance = "1/2",
    readout: ReadoutMode = "inner",
    self_mode: SelfMode = "included",
    mask: MaskMode = "final",
    features: FeaturesMode = "signed",
    certificates: Annotated[
        str | None,
        typer.Option("--certificates", metavar="DIR", help="Write every certificate into this folder."),
    ] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print a LaTeX table.")] = False,
    json: JsonFile = None,
) -> int:
    """The least number of features D*(m, n) between its best certified bounds, one line a size.

    A star marks a size where both sides meet, so that D* is known. Each number with a certificate can be checked again
    with `kattn-bounds certify` (see --certificates). Exit status 0.
    """
    from pathlib import Path

    from kattn_bounds.cli.options import build_features, build_setting, write_json
    from kattn_bounds.cli.render import table
    from kattn_bounds.upper.sandwich import decimal, parse_range, settings, write_certificates
    from kattn_bounds.upper.sandwich import latex as latex_table
    from kattn_bounds.upper.sandwich import sandwich as rows_of

    sizes = parse_range(m)
    base = build_setting(sizes[0], n, tolerance, self_mode, readout, mask)
    kind = build_features(features)
    rows = list(rows_of(settings(base, sizes), kind))
    written = write_certificates(rows, Path(certificates), base, kind) if certificates is not None else []
    shared = base.to_json() | {"m": [sizes[0], sizes[-1]], "mask": base.mask}
    write_json(
        json,
        {
            "setting": shared,
            "features": features,
            "rows": [row.to_json() for row in rows],
        },
    )
    if json == "-":
        return 0
    if latex:
        print(latex_table(rows, base, kind))
        return 0
    where = base.describe().partition(", ")[2]
    print(f"lower <= D*(m,{n}) <= upper, {features} features, {where}")
    body = []
    for row in rows:
        upper = ("none known", "") if row.upper is None else (str(row.upper.value), row.upper.id)
        ratio = "" if row.ratio is None else decimal(row.ratio)
        star = "*" if row.tight else ""
        body.append([str(row.m), str(row.lower.value), row.lower.id, *upper, ratio, star])
    print(table(["m", "lower", "by", "upper", "by", "ratio", ""], body))
    met = [row for row in rows if row.tight]
    if met:
        listed = ", ".join(f"D*({row.m},{n}) = {row.lower.value}" for row in met)
        print(f"* both sides meet: {listed}")
    print("how each is known:")
    for row in rows:
        print(f"  m = {row.m}: lower {row.lower.id}, {row.lower.method}")
        if row.upper is not None:
            print(f"  {' ' * len(f'm = {row.m}:')} upper {row.upper.id}, {row.upper.method}")
    if written:
        print(f"{len(written)} certificates written to {certificates}: check them with kattn-bounds certify")
    return 0
