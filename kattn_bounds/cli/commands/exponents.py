"""`kattn-bounds exponents`: enclosures of the growth exponents of D*(m,n) in m."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kattn_bounds.cli.options import JsonFile, Tolerance

if TYPE_CHECKING:
    from kattn_bounds.lower.exponent import Exponent, Separation

MAX_LENGTHS = 1000

WHAT = {
    "L1": "layer bound",
    "C7": "spheres",
    "L9": "level sets",
    "C8": "hash fields",
    "C6": "masked monomials",
    "C5": "sampled monomials",
}


def register(app: typer.Typer) -> None:
    app.command("exponents")(exponents)


def exponents(
    n: Annotated[
        str, typer.Option("--n", help="Lengths, separated by commas; 3-8 is a range.")
    ] = "3,4,5,6,10,34",
    tolerance: Tolerance = "1/2",
    beat: Annotated[
        str | None,
        typer.Option("--beat", metavar="C", help="From which m on is the layer bound L1 at least C^m?"),
    ] = None,
    json: JsonFile = None,
) -> int:
    """How D* grows in m: D* = 2^(exponent m + o(m)), lower and upper bounds with their bases 2^exponent.

    Every number is enclosed rigorously (ball arithmetic) and the ends are rounded outwards. `features` says for which
    features the bound is meant: a lower bound for signed features holds for non-negative ones too, and an upper bound by
    non-negative features for signed ones. S1 is the separation: L9 above C7, so that non-negative features cost
    exponentially more than signed ones. Exit status 0.
    """
    from kattn_bounds.cli.options import write_json
    from kattn_bounds.cli.render import table
    from kattn_bounds.errors import InputError
    from kattn_bounds.lower import exponent
    from kattn_bounds.lower.decay import Decay
    from kattn_bounds.setting import parse_rational

    faults: list[str] = []
    lengths: list[int] = []
    tau = c = None
    try:
        lengths = parse_lengths(n)
    except InputError as error:
        faults += error.faults
    try:
        tau = parse_rational(tolerance, "tolerance")
        if not 0 < tau < 1:
            faults.append(f"tolerance = {tolerance} is out of range: give a rational 0 < tolerance < 1")
    except InputError as error:
        faults += error.faults
    if beat is not None:
        try:
            c = parse_rational(beat, "--beat")
        except InputError as error:
            faults += error.faults
    if faults or tau is None:
        raise InputError(faults)

    report = []
    for length in lengths:
        found = exponent.exponents(length, tau)
        gap = exponent.separation(length, tau)
        size = None if c is None else exponent.least_size(c, length, tau)
        rate = Decay(length, tau).rate
        report.append(
            {
                "n": length,
                "tolerance": str(tau),
                "rate": str(rate),
                "exponents": [_entry(e) for e in found],
                "separation": {"holds": gap.holds, "gap": list(gap.gap.decimals(12))},
                **({} if c is None else {"beat": {"c": str(c), "from_m": size}}),
            }
        )
        if json == "-":
            continue
        print(f"n = {length}, tolerance {tau}: decay rate rho = {rate}")
        rows = [
            [e.id, e.side, e.features, e.exponent.text(), e.base.text(), e.beta or "", WHAT[e.id]]
            for e in found
        ]
        print(table(["id", "bound", "features", "exponent in", "base in", "beta", "by"], rows))
        print(_separation_line(gap))
        if c is not None:
            print(f"  L1 >= ({c})^m {_from(size)}")
        print()
    write_json(json, report)
    return 0


def parse_lengths(text: str) -> list[int]:
    """Lengths n >= 3 from text such as 3,4,10-12, in order, without repeats.

    >>> parse_lengths("3,5-7,5")
    [3, 5, 6, 7]
    """
    from kattn_bounds.errors import InputError, shorten

    found: dict[int, None] = {}
    for part in text.split(","):
        ends = part.strip().split("-")
        good = len(ends) <= 2 and all(e.isascii() and e.isdigit() and len(e) <= 12 for e in ends)
        low, high = (int(ends[0]), int(ends[-1])) if good else (0, 0)
        if low < 3 or high < low or high - low >= MAX_LENGTHS:
            raise InputError(
                f"--n {shorten(text)}: '{shorten(part)}' is not a length: give integers from 3 on, such as 3,4,10 or "
                f"3-20, at most {MAX_LENGTHS}"
            )
        found |= dict.fromkeys(range(low, high + 1))
    if len(found) > MAX_LENGTHS:
        raise InputError(f"--n {shorten(text)} holds {len(found)} lengths: give at most {MAX_LENGTHS}")
    return list(found)


def _entry(e: Exponent) -> dict[str, object]:
    return {
        "id": e.id,
        "bound": e.side,
        "features": e.features,
        "exponent": list(e.exponent.decimals(12)),
        "base": list(e.base.decimals(12)),
        "beta": e.beta,
    }


def _separation_line(gap: Separation) -> str:
    low, high = gap.gap.decimals(9)
    says = "holds: L9 is above C7" if gap.holds else "is not shown: L9 minus C7 is"
    return f"  S1 {says} by [{low}, {high}]" if gap.holds else f"  S1 {says} in [{low}, {high}]"


def _from(size: int | None) -> str:
    return (
        "for no m on: its base is smaller"
        if size is None
        else f"for every m >= {size}, and not at {size - 1}"
    )
