"""How the verifier's time and memory grow with m, beside the naive loop over all triples.

    python experiments/benchmarks/verifier/run.py [--largest 12]

For each m an arbitrary table of 4^m double-precision entries (random factors on 3^-<q,a>, so that every row solves and
nothing stops early) is decided in a process of its own. The naive loop calls the reference evaluator on every one
of the 2^(3m) sequences, where that is still feasible. Results go to results.json beside this file.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np

from kattn_bounds.attention import attend
from kattn_bounds.cube import inner_products
from kattn_bounds.kernels import TableKernel
from kattn_bounds.setting import Setting
from kattn_bounds.verify import decide

HERE = Path(__file__).parent
NAIVE_LARGEST = 4


def table(m: int) -> TableKernel:
    """An arbitrary table that solves: 4^-t times a random factor in [1, 1.05), a row at a time."""
    size = 1 << m
    rng = np.random.default_rng(m)
    entries = np.empty((size, size))
    for q in range(size):
        entries[q] = 0.25 ** inner_products(q, m) * (1 + 0.05 * rng.random(size))
    return TableKernel(f"random {size} x {size}", m, entries)


def measure(m: int, naive: bool) -> dict[str, object]:
    """Decide one table in this process; seconds, peak memory, and what was found."""
    kernel = table(m)
    setting = Setting(m)
    start = time.perf_counter()
    if naive:
        errors = (attend(tokens, kernel.value).error for tokens in product(range(1 << m), repeat=3))
        worst = max(error for error in errors if error is not None)
    else:
        found = decide(kernel, setting)
        assert found.worst_error is not None
        worst = found.worst_error
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "m": m,
        "seconds": round(seconds, 3),
        "peak_mib": round(peak),
        "worst_error": float(Fraction(worst)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=12)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--naive", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.naive)))
        return

    def run(m: int, *more: str) -> dict[str, object]:
        command = [sys.executable, __file__, "--one", str(m), *more]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found: dict[str, object] = json.loads(done.stdout)
        return found

    rows: list[dict[str, object]] = []
    for m in range(2, options.largest + 1):
        row: dict[str, object] = {"level_reduction": run(m)}
        if m <= NAIVE_LARGEST:
            row["naive"] = run(m, "--naive")
            assert row["naive"]["worst_error"] == row["level_reduction"]["worst_error"]  # type: ignore[index]
        rows.append(row)
        fast = row["level_reduction"]
        line = f"m = {m:2}: {fast['seconds']:>8} s, {fast['peak_mib']:>5} MiB"  # type: ignore[index]
        if "naive" in row:
            slow = row["naive"]["seconds"]  # type: ignore[index]
            line += f"   naive {slow} s, {slow / max(fast['seconds'], 1e-3):.0f} times as long"  # type: ignore[index]
        print(line, flush=True)
    result = {"python": platform.python_version(), "machine": platform.machine(), "rows": rows}
    (HERE / "results.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
