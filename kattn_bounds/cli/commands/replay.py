"""`kattn-bounds replay SEQUENCE`: one head on one sequence, every number as a fraction."""

from __future__ import annotations

from typing import Annotated

import typer

from kattn_bounds.cli import options as opt


def replay(
    sequence: Annotated[str, typer.Argument(help='Tokens, query last: "110,001,111"; 00*5 is five copies.')],
    kernel: Annotated[str, typer.Option("--kernel", help="The kernel, as for check.")],
    tolerance: opt.Tolerance = "1/2",
    self_mode: opt.SelfMode = "included",
    readout: opt.ReadoutMode = "inner",
    values: opt.Values = None,
    features: Annotated[int | None, typer.Option("--features", help="Features, for maps: kernels.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed, for random maps: kernels.")] = None,
    json_file: opt.JsonFile = None,
) -> int:
    """Show the attention weights, output, target and error of a head on one sequence, exactly.

    Exit status 0 when the error is below the tolerance, 1 when it is not.
    """
    from kattn_bounds.cli.render import attention_json, attention_screen
    from kattn_bounds.cube import parse_sequence

    tokens, m = parse_sequence(sequence)
    setting = opt.build_setting(m, len(tokens), tolerance, self_mode, readout)
    given = {"features": features, "seed": seed}
    chosen, value = opt.build_kernel(
        kernel, setting, values, {k: str(v) for k, v in given.items() if v is not None}
    )
    head = opt.attend_on(chosen, value, setting, tokens)
    if json_file != "-":
        print(attention_screen(tokens, m, head, setting.tolerance))
    opt.write_json(
        json_file, attention_json(tokens, m, head) | {"kernel": kernel, "setting": setting.to_json()}
    )
    return 0 if head.solved(setting.tolerance) else 1


def register(app: typer.Typer) -> None:
    app.command()(replay)
