"""`kattn-bounds collide SKETCH`: two prefixes that a sketch confuses, or the proof that there are none (P6)."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from kattn_bounds.cli import options as opt
from kattn_bounds.errors import Faults


def collide(
    sketch: Annotated[
        str, typer.Argument(help="linear, hash, topk, antichain, or your function: path/to/file.py:function.")
    ],
    m: opt.M,
    n: Annotated[int, typer.Option("--n", help="Data tokens; the query comes on top.")],
    bits: Annotated[
        int | None, typer.Option("--bits", help="linear: bits of a state entry (2); hash: bits (16).")
    ] = None,
    features: Annotated[
        int | None, typer.Option("--features", help="linear: features of the state (4).")
    ] = None,
    keep: Annotated[int | None, typer.Option("--keep", help="topk: tokens kept (2).")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of linear and hash.")] = 0,
    limit: Annotated[int, typer.Option("--limit", help="Most prefixes listed.")] = 3_000_000,
    json_file: opt.JsonFile = None,
) -> int:
    """Judge "this sketch determines every answer": two prefixes with one transcript and different answers, or none.

    Your own function takes a prefix, a tuple of n tokens as integers (bit masks), and returns something hashable.
    Exit status 0 proved by listing all prefixes, 1 refuted by a collision, 3 stopped at --limit.
    """
    from kattn_bounds.cube import format_token
    from kattn_bounds.transcript.collisions import find_collision, number_of_prefixes
    from kattn_bounds.transcript.counting import answer_functions, log2_exactly
    from kattn_bounds.transcript.sketches import named

    faults = Faults()
    faults.require(1 <= m <= 16, f"--m = {m} is out of range: give 1 <= m <= 16")
    faults.require(1 <= n <= 64, f"--n = {n} is out of range: give 1 <= n <= 64 data tokens")
    faults.require(limit >= 1, f"--limit = {limit} is out of range: give at least 1 prefix")
    faults.check()
    chosen = named(sketch, m, n, bits=bits, features=features, keep=keep, seed=seed)
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("prefixes", total=min(limit, number_of_prefixes(m, n, chosen.order_free)))
            found = find_collision(chosen, limit, lambda done: bar.update(task, completed=done))
    else:
        found = find_collision(chosen, limit)

    need = log2_exactly(answer_functions(m, n).lower)
    size = "" if chosen.bits is None else f", {chosen.bits} bits in all"
    kind = "multisets" if chosen.order_free else "sequences"
    lines = [
        f"{chosen.about}{size}",
        f"{n} data tokens of {m} bits: exact answers need {need:.2f} bits",
        "",
        f'{found.verdict.value}: "this sketch determines every answer"',
    ]
    payload: dict[str, object] = {
        "sketch": chosen.about,
        "m": m,
        "data_tokens": n,
        "bits": chosen.bits,
        "needed_bits": need,
        "verdict": found.verdict.value,
        "listed": found.listed,
        "prefixes": found.total,
        "kind": kind,
    }
    collision = found.collision
    if collision is not None:
        sequences = collision.sequences()
        lines.append(
            f"  one transcript {collision.transcript}"
            if len(collision.transcript) <= 70
            else "  one transcript"
        )
        for name, prefix, answer in zip(
            "AB", (collision.first, collision.second), collision.answers, strict=True
        ):
            lines.append(
                f"  prefix {name}: {', '.join(format_token(x, m) for x in prefix)}   answer {answer}"
            )
        lines.append(f"  query:    {format_token(collision.query, m)}")
        lines.append(f"  first in order among {found.listed} of {found.total} {kind}; replay both targets:")
        lines += [f'    kattn-bounds replay "{text}" --kernel "{n + 2}**-t"' for text in sequences]
        payload["collision"] = {
            "prefixes": [[format_token(x, m) for x in p] for p in (collision.first, collision.second)],
            "query": format_token(collision.query, m),
            "answers": list(collision.answers),
            "sequences": list(sequences),
        }
    elif found.listed == found.total:
        lines.append(
            f"  all {found.total} {kind} listed: {found.functions} answer functions, "
            f"{found.transcripts} transcripts, no collision"
        )
    else:
        lines.append(f"  stopped after {found.listed} of {found.total} {kind}: raise --limit")
    if json_file != "-":
        print("\n".join(lines))
    opt.write_json(json_file, payload)
    return found.verdict.exit_code


def register(app: typer.Typer) -> None:
    app.command()(collide)
