"""`kattn-bounds check KERNEL`: does my kernel solve the task? If not, the smallest sequence on which it fails."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from kattn_bounds.cli import options as opt


def check(
    kernel: Annotated[str, typer.Argument(help="The kernel: see below.")],
    m: opt.M,
    n: opt.N = 3,
    tolerance: opt.Tolerance = "1/2",
    self_mode: opt.SelfMode = "included",
    readout: opt.ReadoutMode = "inner",
    values: opt.Values = None,
    mask: opt.MaskMode = "final",
    exhaustive: Annotated[
        bool, typer.Option("--exhaustive", help="Read all 4^m entries, even where orbits would do.")
    ] = False,
    features: Annotated[int | None, typer.Option("--features", help="Features, for maps: kernels.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed, for random maps: kernels.")] = None,
    json_file: opt.JsonFile = None,
) -> int:
    """Decide exactly whether a kernel solves minimum inner product on every sequence.

    KERNEL is a formula in t, u, k, l, m such as "3**-t" (t = <q,a>, k = |q|, l = |a|, u = k - t; + - * / **,
    binom, min, max), a file (.npy, .npz, .csv of all entries, .json of factors), uniform, softmax:1/3, expanded:1/3,
    maps:NAME, or module:function.
    """
    from kattn_bounds.cli.render import attention_json, attention_screen, number, sequence_text
    from kattn_bounds.verify import decide, minimal_counterexample

    setting = opt.build_setting(m, n, tolerance, self_mode, readout, mask)
    given = {"features": features, "seed": seed}
    chosen, value = opt.build_kernel(
        kernel, setting, values, {k: str(v) for k, v in given.items() if v is not None}
    )
    found = decide(chosen, setting, value, exhaustive=exhaustive)
    smallest = None if found.solves else minimal_counterexample(chosen, setting, value)

    scope = {"orbit": "every class of pairs", "exhaustive": "every entry"}[found.method]
    payload: dict[str, object] = {
        "kernel": kernel,
        "setting": setting.to_json(),
        "verdict": found.verdict.value,
        "method": found.method,
        "worst_error": None if found.worst_error is None else str(found.worst_error),
        "worst_sequence": sequence_text(found.sequence, m),
    }
    lines = [
        f"{found.verdict.value}: {kernel} {'solves' if found.solves else 'does not solve'} the task",
        f"  setting {setting.describe()}",
        f"  worst error {number(found.worst_error)} over all sequences ({found.method}: {scope})",
    ]
    if found.solves:
        lines.append(f"  attained on {opt.shown_sequence(found.sequence, m)}")
    if smallest is not None:
        head = opt.attend_on(chosen, value, setting, smallest)
        replay = opt.replay_command(smallest, m, kernel, setting, values, given)
        payload["counterexample"] = attention_json(smallest, m, head) | {"replay": shlex.join(replay)}
        lines += ["  smallest counterexample:", attention_screen(smallest, m, head, setting.tolerance)]
        lines.append(f"  replay  {shlex.join(replay)}")
    if json_file != "-":
        print("\n".join(lines))
    opt.write_json(json_file, payload)
    return found.verdict.exit_code


def register(app: typer.Typer) -> None:
    app.command()(check)
