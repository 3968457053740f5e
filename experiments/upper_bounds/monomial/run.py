"""Searches kernels on classes, blocks of monomials and set functions; stores every certificate that beats the stored one.

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
from kattn_bounds.certificates.writer import Certificate
from kattn_bounds.kernels.monomial import monomial_blocks
from kattn_bounds.search.store import STORED, store_if_better
from kattn_bounds.setting import Setting
from kattn_bounds.upper import setfunction
from kattn_bounds.upper.monomial import cheapest
from kattn_bounds.upper.setfunction import Permutation, affine, field, projective
from kattn_bounds.upper.symmetric import Family, Found, extend, search, types

HERE = Path(__file__).resolve().parent
SCRIPT = "experiments/upper_bounds/monomial/run.py"


def group(name: str, m: int) -> list[Permutation]:
    """ "affine", "affine 2" (only squares), "cyclic", "field" or "projective"."""
    kind, _, power = name.partition(" ")
    if kind == "cyclic":
        return [tuple((x + 1) % m for x in range(m))]
    if kind == "affine":
        return affine(m, int(power or 1))
    return {"field": field, "projective": projective}[kind](m)


def find(kind: str, entry: dict[str, Any]) -> Certificate | None:
    """The certificate of one line of config.yaml, or None when the search finds nothing."""
    setting = Setting(entry["m"], entry["n"])
    effort = {key: entry[key] for key in ("seed", "attempts", "seconds") if key in entry}
    if kind == "monomial":
        exact = cheapest(setting)
        listed = [(b.side, b.degree, b.alpha, b.beta) for b in monomial_blocks(exact.m, exact.weights)]
        return writer.kernel_blocks(setting, listed)
    if kind == "setfunction":
        masks = setfunction.search(setting, group(entry["group"], setting.m))
        return masks and writer.kernel_setfunction(setting, masks.weights)
    found: Found | None
    if kind == "masked":
        families = [Family("q" if name[0] == "q" else "a", int(name[1:])) for name in entry["blocks"].split()]
        found = search(setting, families, nonneg=True, **effort)
    elif "bits" in entry:
        core = Setting(entry["m"] - entry["bits"], entry["n"])
        small = search(core, types(entry["ranks"]))
        found = small and extend(core, small, entry["bits"], seconds=entry.get("seconds", 60))
    else:
        found = search(setting, types(entry["ranks"]), **effort)
    return found and found.certificate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--m", type=int, action="append", help="only this size; may be repeated")
    parser.add_argument("--kind", help="only monomial, symmetric, masked or setfunction")
    parser.add_argument("--folder", type=Path, default=STORED, help="where the certificates go")
    parser.add_argument("--config", type=Path, default=HERE / "config.yaml", help="another list of searches")
    chosen = parser.parse_args()
    config: dict[str, list[dict[str, Any]]] = yaml.safe_load(chosen.config.read_text())
    for kind, entries in config.items():
        for entry in entries:
            m, n = entry["m"], entry["n"]
            if (chosen.m and m not in chosen.m) or chosen.kind not in (None, kind):
                continue
            start = time.monotonic()
            certificate = find(kind, entry)
            seconds = time.monotonic() - start
            if certificate is None:
                print(f"{kind} {entry}: nothing found in {seconds:.0f} s", flush=True)
                continue
            note = {"command": f"python {SCRIPT} --kind {kind} --m {m}", "version": __version__, **entry}
            path = chosen.folder / f"{kind}-m{m}-n{n}.json"
            written = store_if_better(path, {**certificate, "note": note})
            state = "stored" if written else "no better than the stored one"
            value = certificate["claim"]["value"]
            print(f"{path.name}: D*({m},{n}) <= {value} in {seconds:.0f} s, {state}", flush=True)


if __name__ == "__main__":
    main()
