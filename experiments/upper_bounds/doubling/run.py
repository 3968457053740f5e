"""From a kernel at m with D features to one at m + 1 with 2 D: psi(f, a) = psi(a) in block f, f the new coordinate.

    python experiments/upper_bounds/doubling/run.py factors-m5-n4-d10-signed.json [--descend]

Given psi, every row of phi is a small linear program of its own, made exact as in any search; where some row has no
solution, `--descend` lets the search engine move psi first. A kernel found is stored with the package if it is better.
"""

from __future__ import annotations

import argparse
import json
from fractions import Fraction
from pathlib import Path

import numpy as np

from kattn_bounds.search.engine import descend
from kattn_bounds.search.exactify import certificate, exactify
from kattn_bounds.search.program import Program
from kattn_bounds.search.store import STORED, certificate_name, store_if_better
from kattn_bounds.search.symmetry import Representation, Symmetry, parse_group
from kattn_bounds.setting import Setting


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("certificate", help="name of a stored certificate with factors")
    parser.add_argument("--descend", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    known = json.loads((STORED / options.certificate).read_text())
    nonneg = known["claim"]["features"] == "nonneg"
    setting = Setting(known["setting"]["m"] + 1, known["setting"]["n"])
    psi = np.array([[float(Fraction(x)) for x in row] for row in known["data"]["psi"]])
    psi /= np.abs(psi).max()
    empty = np.zeros_like(psi)
    doubled = np.vstack((np.hstack((psi, empty)), np.hstack((empty, psi))))
    if options.descend:
        symmetry = Symmetry(parse_group("1", setting.m), Representation("1", (), doubled.shape[1], nonneg))
        noise = 0.01 * np.random.default_rng(options.seed).standard_normal(doubled.shape)
        start = np.abs(doubled + noise) if nonneg else doubled + noise
        program = Program(setting, symmetry, nonneg=nonneg)
        outcome = descend(
            program,
            symmetry.restrict(start),
            report=lambda step, v: print(f"step {step}: {v:.3g}", flush=True),
        )
        doubled = symmetry.expand(outcome.columns)
    found = exactify(setting, doubled, nonneg=nonneg)
    if found is None:
        print("no exact kernel from this start")
        return
    command = f"python {Path('experiments', 'upper_bounds', 'doubling', 'run.py')} {options.certificate}"
    note = {"command": command + " --descend" * options.descend, "seed": options.seed}
    made = certificate(setting, *found, nonneg=nonneg, note=note)
    assert made is not None
    name = certificate_name(setting, doubled.shape[1], nonneg=nonneg)
    print(name, "stored" if store_if_better(STORED / name, made) else "no better than the stored one")


if __name__ == "__main__":
    main()
