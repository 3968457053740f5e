"""Every stored certificate, and mutants of it, before both checkers: the Python one and the one proved sound in Rocq.

    python experiments/rocq_replay/run.py              what is new, resumed where it stopped
    python experiments/rocq_replay/run.py --fresh      everything again
    python experiments/rocq_replay/run.py --only trace --no-mutants
    python experiments/rocq_replay/run.py --table      what is stored, by kind

Writes results.json after each certificate. Exit status 1 when the two checkers disagree somewhere.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import random
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

from kattn_bounds.certificates.checker import Rejected, check
from kattn_bounds.errors import InputError
from kattn_bounds.files import write_atomic
from kattn_bounds.rocq import certify_rocq

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).with_name("results.json")
FOLDERS = ("kattn_bounds/data/lower", "kattn_bounds/data/upper", "experiments/lower_bounds/certificates")
MUTANTS = ("claim", "number", "dropped")
MUTANTS_UP_TO = 60.0
"""Seconds: mutants of certificates that took Rocq longer are left out."""


def stored() -> list[Path]:
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.json"))]


def leaves(node: Any, where: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of the numbers in a certificate's data (a token is no number)."""
    if isinstance(node, dict):
        return [place for key, value in node.items() for place in leaves(value, (*where, key))]
    if isinstance(node, list):
        return [place for i, value in enumerate(node) for place in leaves(value, (*where, i))]
    number = isinstance(node, int) or (isinstance(node, str) and "/" in node)
    return [where] if number and not isinstance(node, bool) else []


def lists(node: Any, where: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of the non-empty lists in a certificate's data."""
    if isinstance(node, dict):
        return [place for key, value in node.items() for place in lists(value, (*where, key))]
    if isinstance(node, list):
        below = [place for i, value in enumerate(node) for place in lists(value, (*where, i))]
        return [*([where] if node else []), *below]
    return []


def at(node: Any, where: tuple[Any, ...]) -> Any:
    for key in where:
        node = node[key]
    return node


def mutant(cert: dict[str, Any], how: str, seed: str) -> dict[str, Any] | None:
    """The certificate with a better claim, one other number, or one entry less; None where there is nothing to change."""
    rng, changed = random.Random(f"{seed} {how}"), copy.deepcopy(cert)
    if how == "claim":
        changed["claim"]["value"] += -1 if cert["claim"]["relation"] == "<=" else 1
        return changed
    places = leaves(changed["data"]) if how == "number" else lists(changed["data"])
    if not places:
        return None
    place = rng.choice(places)
    if how == "number":
        old = Fraction(at(changed["data"], place))
        new = old + rng.choice([Fraction(1), Fraction(-1), Fraction(1, 7), -old - 1])
        holder = at(changed["data"], place[:-1])
        holder[place[-1]] = new.numerator if new.denominator == 1 else f"{new.numerator}/{new.denominator}"
    else:
        chosen = at(changed["data"], place)
        del chosen[rng.randrange(len(chosen))]
    return changed


def by_python(cert: dict[str, Any]) -> str:
    try:
        check(cert)
    except Rejected:
        return "rejected"
    return "accepted"


def by_rocq(path: Path) -> tuple[str, str, float]:
    """accepted or rejected, why, and the seconds. What cannot be translated has no checker to accept it."""
    start = time.monotonic()
    try:
        report = certify_rocq(path, timeout=3600)
    except InputError as error:
        return "rejected", f"not translated: {error}", time.monotonic() - start
    return "accepted" if report.accepted else "rejected", report.message, report.seconds


def replay(path: Path, mutants: bool) -> dict[str, Any]:
    """Both verdicts on one certificate and on its mutants."""
    cert = json.loads(path.read_text(encoding="utf-8"))
    rocq, why, seconds = by_rocq(path)
    entry = {
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "kind": cert["data"].get("construction", cert["kind"]),
        "python": by_python(cert),
        "rocq": rocq,
        **({"why": why} if why else {}),
        "seconds": round(seconds, 1),
        "mutants": {},
    }
    with tempfile.TemporaryDirectory() as scratch:
        for how in MUTANTS if mutants and seconds <= MUTANTS_UP_TO else ():
            changed = mutant(cert, how, path.name)
            if changed is not None:
                file = Path(scratch) / f"{how}.json"
                file.write_text(json.dumps(changed), encoding="utf-8")
                entry["mutants"][how] = {"python": by_python(changed), "rocq": by_rocq(file)[0]}
    return entry


def agree(entry: dict[str, Any]) -> bool:
    return all(e["python"] == e["rocq"] for e in (entry, *entry["mutants"].values()))


def by_kind(results: dict[str, Any]) -> str:
    """A Markdown table of the results."""
    kinds: dict[str, list[dict[str, Any]]] = {}
    for entry in results.values():
        kinds.setdefault(entry["kind"], []).append(entry)
    lines = [
        "| kind | certificates | accepted by both | seconds | mutants | rejected by both | disagreements |"
    ]
    lines.append("|---|---|---|---|---|---|---|")
    for kind, entries in sorted(kinds.items()):
        mutants = [m for e in entries for m in e["mutants"].values()]
        both = sum(e["python"] == e["rocq"] == "accepted" for e in entries)
        rejected = sum(m["python"] == m["rocq"] == "rejected" for m in mutants)
        times = sorted(e["seconds"] for e in entries)
        lines.append(
            f"| {kind} | {len(entries)} | {both} | {times[0]:.0f} to {times[-1]:.0f} | {len(mutants)} | {rejected}"
            f" | {sum(not agree(e) for e in entries)} |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="Certificates whose path contains this text.")
    parser.add_argument("--fresh", action="store_true", help="Do not use the results of an earlier run.")
    parser.add_argument("--no-mutants", action="store_true")
    parser.add_argument("--table", action="store_true", help="Only print what is stored.")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    known = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() and not options.fresh else {}
    if options.table:
        print(by_kind(known))
        return 0
    files = {str(path.relative_to(ROOT)): path for path in stored()}
    results = {name: known[name] for name in files if name in known}

    def outdated(name: str) -> bool:
        return (
            name not in results
            or results[name]["sha256"] != hashlib.sha256(files[name].read_bytes()).hexdigest()
        )

    wanted = [name for name in files if options.only in name and outdated(name)]
    with ThreadPoolExecutor(options.workers) as pool:
        done = pool.map(lambda name: replay(files[name], not options.no_mutants), wanted)
        for name, entry in zip(wanted, done, strict=True):
            results[name] = entry
            mark = "" if agree(entry) else "  THE CHECKERS DISAGREE"
            caught = sum(e["python"] == "rejected" for e in entry["mutants"].values())
            print(
                f"{entry['rocq']} by Rocq, {entry['python']} by Python, {entry['seconds']:6.1f} s,"
                f" {caught}/{len(entry['mutants'])} mutants rejected  {name}{mark}",
                flush=True,
            )
            write_atomic(RESULTS, json.dumps(dict(sorted(results.items())), indent=1) + "\n")
    accepted = [e for e in results.values() if e["rocq"] == "accepted"]
    mutants = [e for r in results.values() for e in r["mutants"].values()]
    bad = [name for name, entry in results.items() if not agree(entry)]
    print(
        f"{len(results)} of {len(files)} certificates, {len(accepted)} accepted by Rocq"
        f" (the longest in {max((e['seconds'] for e in accepted), default=0):.0f} s);"
        f" {len(mutants)} mutants, {sum(e['rocq'] == 'rejected' for e in mutants)} rejected by Rocq;"
        f" the checkers disagree on {len(bad)}"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
