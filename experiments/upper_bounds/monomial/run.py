"""Searches kernels on classes and sparse monomials, and stores every certificate that beats the stored one.

python experiments/upper_bounds/monomial/run.py                  everything in config.yaml
python experiments/upper_bounds/monomial/run.py --m 8 --m 10     only these sizes
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import yaml

from kattn_bounds import __version__
from kattn_bounds.certificates import writer
from kattn_bounds.kernels.isotypic import levels
from kattn_bounds.kernels.monomial import monomial_blocks
from kattn_bounds.search.store import STORED, store_if_better
from kattn_bounds.setting import Setting
from kattn_bounds.upper.monomial import cheapest
from kattn_bounds.upper.symmetric import Family, Found, search, types

HERE = Path(__file__).resolve().parent


def blocks(listed: list[str]) -> list[Family]:
    """ "q0 q1 a0": sides and degrees."""
    return [Family("q" if name[0] == "q" else "a", int(name[1:])) for name in listed]


def store(
    setting: Setting, found: Found, kind: str, note: dict[str, object], folder: Path = STORED
) -> tuple[Path, bool]:
    """The certificate of what was found, in the folder if it is better than the one there."""
    m = setting.m
    if found.parts:
        table = [
            [[found.kernel.class_value(k, l, t) for t in levels(m, k, l)] for l in range(m + 1)]
            for k in range(m + 1)
        ]
        certificate = writer.kernel_classes(setting, table, found.features, note)
    else:
        listed = [(b.side, b.degree, b.alpha, b.beta) for b in found.blocks]
        certificate = writer.kernel_blocks(setting, listed, "nonneg", note)
    path = folder / f"{kind}-m{m}-n{setting.n}.json"
    return path, store_if_better(path, certificate)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--m", type=int, action="append", help="only this size; may be repeated")
    parser.add_argument("--folder", type=Path, default=STORED, help="where the certificates go")
    chosen = parser.parse_args()
    config: dict[str, Any] = yaml.safe_load((HERE / "config.yaml").read_text())
    for m, n in config["monomial"]:
        if chosen.m is None or m in chosen.m:
            setting = Setting(m, n)
            exact = cheapest(setting)
            found = Found(exact.kernel, exact.features, blocks=monomial_blocks(m, exact.weights))
            report(setting, found, 0.0, *store(setting, found, "monomial", note(), chosen.folder))
    for kind in ("symmetric", "masked"):
        for entry in config[kind]:
            setting = Setting(entry["m"], entry["n"])
            if chosen.m is not None and setting.m not in chosen.m:
                continue
            families = types(entry["ranks"]) if kind == "symmetric" else blocks(entry["blocks"].split())
            start = time.monotonic()
            best = search(
                setting,
                families,
                nonneg=kind == "masked",
                seed=entry.get("seed", 0),
                attempts=entry.get("attempts", 3),
                seconds=entry.get("seconds", 60),
            )
            seconds = time.monotonic() - start
            if best is None:
                print(f"{kind} m={setting.m} n={setting.n}: nothing found in {seconds:.0f} s", flush=True)
            else:
                extra = {key: entry[key] for key in ("ranks", "blocks", "seed") if key in entry}
                report(
                    setting, best, seconds, *store(setting, best, kind, note() | extra, chosen.folder)
                )


def note() -> dict[str, object]:
    return {
        "command": "python experiments/upper_bounds/monomial/run.py",
        "version": __version__,
    }


def report(setting: Setting, found: Found, seconds: float, path: Path, written: bool) -> None:
    state = "stored" if written else "no better than the stored one"
    print(f"{path.name}: D*({setting.m},{setting.n}) <= {found.features} in {seconds:.0f} s, {state}", flush=True)


if __name__ == "__main__":
    main()
