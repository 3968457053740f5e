"""`kattn-bounds transcript`: how much must cross from n data tokens to a query (P6)."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import Annotated, Any, cast

import typer

from kattn_bounds.cli import options as opt
from kattn_bounds.errors import Faults, InputError


def transcript(
    m: Annotated[int | None, typer.Option("--m", help="Coordinates of a token.")] = None,
    n: Annotated[int | None, typer.Option("--n", help="Data tokens; the query comes on top.")] = None,
    alphabet: Annotated[
        int | None, typer.Option("--alphabet", help="Symbols that a head can broadcast.")
    ] = None,
    layers: Annotated[
        int | None, typer.Option("--layers", help="L: judge whether L layers of H heads suffice.")
    ] = None,
    heads: Annotated[int | None, typer.Option("--heads", help="H, heads in a layer.")] = None,
    mode: Annotated[
        str, typer.Option("--mode", help="one: one query at a time; all: all queries at once.")
    ] = "one",
    architecture: Annotated[
        str | None,
        typer.Option("--architecture", metavar="FILE", help="Cut-set bound of an architecture (YAML)."),
    ] = None,
    drawing: Annotated[
        str | None,
        typer.Option(
            "--drawing", metavar="FILE", help="With --architecture: draw it and its cut (png, svg, pdf)."
        ),
    ] = None,
    shatter: Annotated[
        bool, typer.Option("--shatter", help="Also search for more independent answers (small m and n).")
    ] = False,
    seconds: Annotated[float, typer.Option("--seconds", help="Time for --shatter.")] = 30.0,
    certificate: Annotated[
        str | None,
        typer.Option("--certificate", metavar="FILE", help="Write the independent answers as a certificate."),
    ] = None,
    json_file: opt.JsonFile = None,
) -> int:
    """Least L*H of a sketch with L layers of H heads that broadcast symbols of a finite alphabet.

    Without --layers and --heads: the bound, exit status 0. With both: the verdict on "these suffice", exit status 0 proved,
    1 refuted, 3 undecided. With --architecture: the cut-set bound, exit status 1 refuted, 3 where the bound says nothing.
    """
    given = {
        "--m": m,
        "--n": n,
        "--alphabet": alphabet,
        "--layers": layers,
        "--heads": heads,
        "--certificate": certificate,
    }
    if architecture is not None:
        faults = Faults()
        for name, value in given.items():
            faults.require(
                value is None, f"{name} does nothing with --architecture: leave it out, the file says it"
            )
        faults.require(not shatter, "--shatter does nothing with --architecture: leave it out")
        faults.check()
        return _architecture(architecture, drawing, json_file)
    missing = [name for name in ("--m", "--n", "--alphabet") if given[name] is None]
    if missing:
        raise InputError(
            f"{', '.join(missing)} missing: give --m, --n and --alphabet, or --architecture FILE"
        )
    if drawing is not None:
        raise InputError("--drawing draws an architecture: give --architecture FILE too")
    assert m is not None
    assert n is not None
    assert alphabet is not None
    return _bound(m, n, alphabet, layers, heads, mode, shatter, seconds, certificate, json_file)


def _bound(
    m: int,
    n: int,
    alphabet: int,
    layers: int | None,
    heads: int | None,
    mode: str,
    shatter: bool,
    seconds: float,
    certificate: str | None,
    json_file: str | None,
) -> int:
    from kattn_bounds.cli.render import table
    from kattn_bounds.transcript.bound import judge, transcript_bound
    from kattn_bounds.transcript.independent import Mode

    checked = cast(Mode, mode)  # transcript_bound refuses any other mode, together with its other faults
    bound = transcript_bound(m, n, alphabet, checked)
    asked = "one query at a time" if mode == "one" else "all queries at once"
    lines = [
        f"{n} data tokens of {m} bits (the query comes on top), {asked}, {alphabet} symbols",
        "",
        table(
            ["argument", "log2 of answer vectors", "L*H at least"],
            [[a.name, f"{a.bits:.2f}", str(a.symbols)] for a in bound.arguments],
        ),
        "",
        *[f"  {a.name}: {a.how}" for a in bound.arguments],
    ]
    if bound.skipped:
        lines.append(f"  {bound.skipped}")
    lines += ["", f"needed: L*H >= {bound.least} ({bound.best.name})"]
    if bound.sufficient is not None:
        enough = (
            f"enough: L*H  = {bound.sufficient} (broadcast the number of the answer function, a digit a head; "
            f"{bound.sufficient_how})"
        )
        lines.append(fill(enough, 98, subsequent_indent="  "))
    payload: dict[str, Any] = {
        "m": m,
        "data_tokens": n,
        "alphabet": alphabet,
        "mode": mode,
        "least": bound.least,
        "sufficient": bound.sufficient,
        "arguments": [
            {
                "name": a.name,
                "log2": a.bits,
                "answers": str(a.answers)
                if a.answers is not None and a.answers.bit_length() <= 4096
                else None,
                "symbols": a.symbols,
                "how": a.how,
            }
            for a in bound.arguments
        ],
        "skipped": bound.skipped,
    }
    if shatter:
        lines += _shatter(m, n, mode, seconds, payload)
    if certificate is not None:
        from kattn_bounds.certificates.writer import write_certificate
        from kattn_bounds.transcript.independent import certificate as build
        from kattn_bounds.transcript.independent import independent_answers

        family = independent_answers(m, n, checked)
        claim = write_certificate(certificate, build(family))
        why = (
            f"accepted by the checker with {family.k} replays in place of 2^{family.k} prefixes: an inner product grows with "
            "every bit, so the extreme payloads bound each answer for all settings of the other bits at once"
        )
        lines += [
            "",
            f"certificate {certificate}",
            f"  {claim}",
            fill(why, 98, initial_indent="  ", subsequent_indent="  "),
        ]
    code = 0
    if layers is not None and heads is not None:
        verdict, reason = judge(bound, layers, heads)
        lines += [
            "",
            f'{verdict.value}: "L = {layers} layers of H = {heads} heads suffice"',
            fill(reason, 98, initial_indent="  ", subsequent_indent="  "),
        ]
        payload |= {"layers": layers, "heads": heads, "verdict": verdict.value, "reason": reason}
        code = verdict.exit_code
    elif layers is not None or heads is not None:
        name, value, other = ("layers", layers, "heads") if layers is not None else ("heads", heads, "layers")
        if value is None or value < 1:
            raise InputError(f"--{name} = {value} is out of range: give an integer >= 1")
        least = max(1, -(-bound.least // value))
        lines.append(f"with {value} {name}: at least {least} {other}")
        payload |= {name: value, f"least_{other}": least}
    if json_file != "-":
        print("\n".join(lines))
    opt.write_json(json_file, payload)
    return code


def _shatter(m: int, n: int, mode: str, seconds: float, payload: dict[str, Any]) -> list[str]:
    from kattn_bounds.cube import format_token
    from kattn_bounds.transcript.shattering import search

    if mode != "one":
        raise InputError("--shatter is for one query at a time: leave out --mode all")
    found, status = search(m, n, seconds)
    queries = " ".join(format_token(q, m) for q in found.queries)
    payload["shattered"] = {"k": found.k, "queries": queries.split(), "status": status}
    return ["", f"shattered: {found.k} queries answer independently ({status}): {queries}"]


def _architecture(file: str, drawing: str | None, json_file: str | None) -> int:
    from kattn_bounds.cli.render import table
    from kattn_bounds.transcript.architecture import cut_set, load
    from kattn_bounds.transcript.counting import log2_exactly

    result = cut_set(load(Path(file)))
    architecture = result.architecture
    rows = [
        [
            " + ".join(cut.blocks),
            str(cut.tokens),
            "unbounded" if cut.capacity is None else str(cut.capacity),
            f"{log2_exactly(cut.needed.lower):.2f} bits",
            "too small" if cut.refutes else ("escapes" if cut.capacity is None else "met"),
        ]
        for cut in result.cuts
    ]
    tightest = result.tightest
    lines = [
        f"{architecture.name}: m = {architecture.m}, {architecture.depth} layers, blocks {', '.join(architecture.blocks)}",
        "",
        table(["data that vary", "tokens", "minimum cut", "needed", "cut"], rows),
        "",
    ]
    if tightest.described:
        lines.append(f"the tightest cut, {' + '.join(tightest.blocks)} | query:")
        lines += [f"  layer {layer}: {label} ({capacity})" for layer, label, capacity in tightest.described]
        lines.append("")
    lines += [
        f'{result.verdict.value}: "{architecture.name} answers every query exactly"',
        fill(result.reason(), 98, initial_indent="  ", subsequent_indent="  "),
    ]
    if drawing is not None:
        from kattn_bounds.transcript.drawing import draw_architecture

        draw_architecture(result, drawing)
        lines.append(f"  drawn in {drawing}")
    if json_file != "-":
        print("\n".join(lines))
    opt.write_json(
        json_file,
        {
            "architecture": architecture.name,
            "m": architecture.m,
            "verdict": result.verdict.value,
            "reason": result.reason(),
            "cuts": [
                {
                    "blocks": list(cut.blocks),
                    "tokens": cut.tokens,
                    "cut_bits": None if cut.capacity is None else float(cut.capacity),
                    "needed_bits": log2_exactly(cut.needed.lower),
                    "refutes": cut.refutes,
                    "edges": [[layer, label, float(capacity)] for layer, label, capacity in cut.described],
                    "path": list(cut.path),
                }
                for cut in result.cuts
            ],
        },
    )
    return result.verdict.exit_code


def register(app: typer.Typer) -> None:
    app.command()(transcript)
