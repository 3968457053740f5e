"""Compare the search engine with Adam and SLSQP: success rate and processor time at fixed (m, D).

    python experiments/benchmarks/search_engine/run.py            run what results.json lacks, then print the table
    python experiments/benchmarks/search_engine/run.py --fresh    run everything again
    python experiments/benchmarks/search_engine/run.py --table    print the table of the stored results

A success is a kernel that is made exact and accepted by the certificate checker.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from baselines import adam, slsqp

from kattn_bounds._version import __version__
from kattn_bounds.certificates import checker
from kattn_bounds.cli.options import write_atomic
from kattn_bounds.search.engine import descend
from kattn_bounds.search.exactify import certificate, exactify
from kattn_bounds.search.program import Program
from kattn_bounds.search.starts import start
from kattn_bounds.search.symmetry import Symmetry, parse_group, representations
from kattn_bounds.setting import Setting

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"


def run_once(method: str, options: dict[str, Any], m: int, features: int, seed: int) -> dict[str, Any]:
    setting, group = Setting(m), parse_group("1", m)
    symmetry = Symmetry(group, representations(group, features, nonneg=False, natural=True)[0])
    program = Program(setting, symmetry)
    psi = start("affine", m, features, np.random.default_rng([seed, m, 3, features]))
    began = time.process_time()
    if method == "engine":
        outcome = descend(program, symmetry.restrict(psi))
        rows, columns = outcome.rows, outcome.columns
    else:
        rows, columns = {"adam": adam, "slsqp": slsqp}[method](program, psi, **options)
    seconds = time.process_time() - began
    success = False
    if program.solves(rows, columns):
        exact = exactify(setting, symmetry.expand(columns))
        if exact is not None:
            checker.check(certificate(setting, *exact, nonneg=False, note={}))
            success = True
    return {
        "method": method,
        "m": m,
        "features": features,
        "seed": seed,
        "success": success,
        "violation": program.violation(rows, columns),
        "seconds": round(seconds, 3),
    }


def table(results: list[dict[str, Any]]) -> None:
    print(
        f"{'m':>2} {'D':>2}  {'method':8} {'success':>9} {'s / seed':>9} {'s / success':>12} {'median violation':>17}"
    )
    for key in dict.fromkeys((r["m"], r["features"], r["method"]) for r in results):
        runs = [r for r in results if (r["m"], r["features"], r["method"]) == key]
        wins, spent = sum(r["success"] for r in runs), sum(r["seconds"] for r in runs)
        each = f"{spent / wins:.1f}" if wins else "-"
        middle = float(np.median([r["violation"] for r in runs]))
        print(
            f"{key[0]:>2} {key[1]:>2}  {key[2]:8} {f'{wins} / {len(runs)}':>9} {spent / len(runs):>9.1f} "
            f"{each:>12} {middle:>17.2g}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fresh", action="store_true", help="run everything again")
    parser.add_argument("--table", action="store_true", help="only print the stored results")
    arguments = parser.parse_args()
    stored = json.loads(RESULTS.read_text()) if RESULTS.exists() and not arguments.fresh else {"runs": []}
    runs: list[dict[str, Any]] = stored["runs"]
    done = {(r["m"], r["features"], r["method"], r["seed"]) for r in runs}
    config = yaml.safe_load((HERE / "config.yaml").read_text())
    if not arguments.table:
        for problem in config["problems"]:
            for method, options in config["methods"].items():
                for seed in range(problem["seeds"][method]):
                    if (problem["m"], problem["features"], method, seed) in done:
                        continue
                    runs.append(run_once(method, options, problem["m"], problem["features"], seed))
                    print(json.dumps(runs[-1]), file=sys.stderr, flush=True)
                    versions = {
                        "kattn-bounds": __version__,
                        "python": platform.python_version(),
                        "numpy": np.__version__,
                    }
                    write_atomic(RESULTS, json.dumps({"versions": versions, "runs": runs}, indent=1) + "\n")
    table(runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
