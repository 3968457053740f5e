"""Non-negative features by gradient: train free tables on the task, make them exact, keep the certificate.

    python experiments/upper_bounds/gradient/run.py 4 --features 4 --seeds 3 [--n 3] [--steps 6000]

Training (`kattn_bounds.maps.learned`) follows the error of random sequences and of every query's worst one. What it finds
is rounded to integers with every row of phi solved anew, checked exactly, and stored with the package if it is better than
what is there (`factors-mM-nN-dD-nonneg.json`). One line a seed goes to results.jsonl beside this file.
"""

from __future__ import annotations

import argparse
import json
import time
from importlib.resources import files
from pathlib import Path

from kattn_bounds.maps.learned import train
from kattn_bounds.search.exactify import certificate, exactify
from kattn_bounds.search.store import certificate_name, store_if_better
from kattn_bounds.setting import Setting

HERE = Path(__file__).parent
GOAL = 0.49


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("m", type=int)
    parser.add_argument("--features", type=int, required=True)
    parser.add_argument("--n", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=6000)
    options = parser.parse_args()
    setting = Setting(options.m, options.n)
    for seed in range(options.seeds):
        start = time.perf_counter()
        trained = train(setting, options.features, seed, steps=options.steps, goal=GOAL)
        found = exactify(setting, trained.psi, nonneg=True) if trained.verdict.value == "PROVED" else None
        line = {
            "m": options.m,
            "n": options.n,
            "features": options.features,
            "seed": seed,
            "steps": trained.steps,
            "worst_error": trained.worst_error,
            "exact": found is not None,
            "seconds": round(time.perf_counter() - start, 1),
        }
        print(json.dumps(line), flush=True)
        with (HERE / "results.jsonl").open("a") as log:
            log.write(json.dumps(line) + "\n")
        if found is not None:
            command = (
                f"python experiments/upper_bounds/gradient/run.py {options.m} --features {options.features}"
            )
            note = {
                "method": "gradient",
                "seed": seed,
                "steps": options.steps,
                "command": f"{command} --n {options.n}",
            }
            made = certificate(setting, *found, nonneg=True, note=note)
            assert made is not None
            name = certificate_name(setting, options.features, nonneg=True)
            target = Path(str(files("kattn_bounds"))) / "data" / "upper" / name
            print(
                "stored" if store_if_better(target, made) else "not better than what is stored",
                name,
                flush=True,
            )
            return


if __name__ == "__main__":
    main()
