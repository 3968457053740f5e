"""Prove what the searches found and build the table of lower bounds, one certificate for each cell.

python experiments/lower_bounds/run.py store [FILE...]   rebuild kattn_bounds/data/lower/*.json from config.json
python experiments/lower_bounds/run.py table             table.json, table.md and certificates/*.json

A cell's certificate is the package's own (kattn_bounds/data/lower) if it has one for exactly this m and n. The checker reads
every certificate in a bare interpreter (python -I -S).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kattn_bounds.certificates.writer import write_certificate
from kattn_bounds.cube import parse_token
from kattn_bounds.lower.bounds import lower_bounds
from kattn_bounds.lower.dominance import column_scale, dominant_family, search_trace
from kattn_bounds.lower.independence import Independence, prove_independence
from kattn_bounds.lower.independence_search import bipartite
from kattn_bounds.setting import Setting, parse_rational

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGE = ROOT / "kattn_bounds"
STORE = PACKAGE / "data" / "lower"
SEARCH = "python experiments/lower_bounds/search.py"


def note(command: str) -> dict[str, object]:
    return {"found_by": command, "versions": {p: version(p) for p in ("highspy", "python-sat", "numpy")}}


def store(config: dict[str, Any], only: set[str]) -> None:
    """Prove every entry of the configuration and write its certificate (only the names given, if any)."""
    STORE.mkdir(parents=True, exist_ok=True)
    for entry in config["independence"]:
        m, n = entry["m"], entry["n"]
        if "queries" in entry:
            queries = [parse_token(text, m) for text in entry["queries"].split(",")]
        else:
            queries = bipartite(m, entry["bipartite"])
        name = f"independence-m{m}-n{n}-d{len(queries)}.json"
        if only and name not in only:
            continue
        proof = prove_independence(Setting(m, n), queries)
        if not isinstance(proof, Independence):
            raise SystemExit(f"{name}: no proof for the signs {proof.signs}")
        certificate = proof.certificate(note(entry["found_by"].replace("exact ", f"{SEARCH} exact ")))
        print(f"{name}: {write_certificate(STORE / name, certificate)}", flush=True)
    for entry in config["trace"]:
        m, n = entry["m"], entry["n"]
        prefix = f"trace-m{m}-n{n}-"
        if only and not any(name.startswith(prefix) for name in only):
            continue
        bound = search_trace(Setting(m, n), False, entry["starts"])
        command = f"{SEARCH} trace --m {m} --n {n} --starts {entry['starts']}"
        written = write_certificate(STORE / f"{prefix}d{bound.value}.json", bound.certificate(note(command)))
        print(f"{prefix}d{bound.value}.json: {written}", flush=True)
    for entry in config["dominance"]:
        from kattn_bounds.certificates import writer

        m, n = entry["m"], entry["n"]
        pairs = dominant_family(Setting(m, n), entry["least_step"])
        name = f"dominance-m{m}-n{n}-d{len(pairs)}.json"
        if only and name not in only:
            continue
        scale = column_scale(Setting(m, n), pairs)
        certificate = writer.dominance(
            Setting(m, n), pairs, scale, note=note("cliques of 3-sets pairwise 2 apart")
        )
        print(f"{name}: {write_certificate(STORE / name, certificate)}", flush=True)


def bare_check(path: Path) -> str:
    """The checker's verdict on one file, in an interpreter that sees the standard library only."""
    run = subprocess.run(
        [sys.executable, "-I", "-S", str(PACKAGE / "certificates" / "checker.py"), str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ.get("PATH", "")},
    )
    if run.returncode:
        raise SystemExit(f"{path.name} is rejected: {run.stdout or run.stderr}")
    return run.stdout.strip()


def table(config: dict[str, Any]) -> None:
    """The best bound of every cell, with its certificate, and beside it what each argument gives."""
    (HERE / "certificates").mkdir(exist_ok=True)
    ms, ns = config["table"]["m"], config["table"]["n"]
    cells: list[dict[str, Any]] = []
    for n in ns:
        for m in ms:
            setting = Setting(m, n, parse_rational(config["table"]["tolerance"]))
            bounds = [b for b in lower_bounds(setting) if b.certificate is not None]
            top = max(bounds, key=lambda b: b.value)
            assert top.certificate is not None
            kind = top.certificate["kind"]
            path = STORE / f"{kind}-m{m}-n{n}-d{top.value}.json"
            if not path.exists():  # not one of the package's own: written here
                path = HERE / "certificates" / f"m{m}-n{n}.json"
                write_certificate(path, top.certificate, check=False)
            verdict = bare_check(path)
            each: dict[str, int] = {}
            for b in bounds:
                each[b.id] = max(each.get(b.id, 0), b.value)
            cells.append(
                {
                    "m": m,
                    "n": n,
                    "value": top.value,
                    "id": top.id,
                    "kind": kind,
                    "certificate": str(path.relative_to(ROOT)),
                    "each": each,
                    "method": top.method,
                }
            )
            print(verdict.replace(f"{ROOT}/", ""), flush=True)
    (HERE / "table.json").write_text(json.dumps(cells, indent=1) + "\n", encoding="utf-8")
    lines = ["| n | " + " | ".join(f"m = {m}" for m in ms) + " |", "|---|" + "---|" * len(ms)]
    for n in ns:
        row = []
        for m in ms:
            cell = next(c for c in cells if (c["m"], c["n"]) == (m, n))
            plain = max(cell["each"].get("L7", 0), cell["each"].get("L1", 0))
            mark = (
                f"**{cell['value']}** {cell['id']}"
                if cell["value"] > plain
                else f"{cell['value']} {cell['id']}"
            )
            row.append(mark)
        lines.append(f"| {n} | " + " | ".join(row) + " |")
    (HERE / "table.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def main() -> int:
    config = json.loads((HERE / "config.json").read_text(encoding="utf-8"))
    match sys.argv[1:]:
        case ["store", *names]:
            store(config, set(names))
        case ["table"]:
            table(config)
        case _:
            raise SystemExit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
