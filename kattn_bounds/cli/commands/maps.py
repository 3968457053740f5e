"""`kattn-bounds maps`: published feature maps on the task, each at a few sizes, beside the certified lower bound."""

from __future__ import annotations

from typing import Annotated

import typer

from kattn_bounds.cli import options as opt


def maps(
    m: opt.M = 6,
    features: Annotated[int, typer.Option("--features", help="D of the random maps.")] = 64,
    order: Annotated[int, typer.Option("--order", help="Order of the expansions.")] = 4,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the random maps.")] = 0,
    json_file: opt.JsonFile = None,
) -> int:
    """Put every published map to the test at length three: does it solve, with how many features?

    Each map is tried with its small set of embeddings and scales; the best is shown.
    """
    from kattn_bounds.cli.render import table
    from kattn_bounds.errors import InputError
    from kattn_bounds.lower.bounds import lower_bounds
    from kattn_bounds.maps.evaluate import MAX_M, best_outcome
    from kattn_bounds.maps.registry import ALL

    setting = opt.build_setting(m)
    if m > MAX_M:
        raise InputError(f"m = {m} is out of range for a map's table: give 1 <= m <= {MAX_M}")
    if not 1 <= features <= 1 << 14 or not 1 <= order <= 64 or seed < 0:
        raise InputError(
            f"--features {features} --order {order} --seed {seed} are out of range: "
            "give 1 to 16384, 1 to 64, and a seed >= 0"
        )
    sizes = {"features": features, "order": order, "fixed": 0}
    found = [(published, best_outcome(published, setting, sizes[published.size], seed)) for published in ALL]
    least = max(bound.value for bound in lower_bounds(setting))
    if json_file != "-":
        print(f"published maps at {setting.describe()}; certified: D >= {least}\n")
        rows = [
            [
                published.name,
                str(outcome.features),
                outcome.verdict.value,
                str(outcome.choice),
                outcome.evidence,
            ]
            for published, outcome in found
        ]
        print(table(["map", "D", "verdict", "embedding", "evidence"], rows))
    opt.write_json(
        json_file,
        {
            "setting": setting.to_json(),
            "lower_bound": least,
            "maps": [
                {
                    "map": published.name,
                    "reference": published.reference,
                    "features": outcome.features,
                    "size": sizes[published.size],
                    "embedding": outcome.choice.embedding,
                    "scale": outcome.choice.scale,
                    "verdict": outcome.verdict.value,
                    "worst_error_at_least": None if outcome.low is None else float(outcome.low),
                    "worst_error_at_most": None if outcome.high is None else float(outcome.high),
                    "evidence": outcome.evidence,
                }
                for published, outcome in found
            ],
        },
    )
    return 0


def register(app: typer.Typer) -> None:
    app.command()(maps)
