"""A certificate becomes a Rocq file: its data as binary integers, one computation, one theorem.

The file defines the certificate, lets the kernel of Rocq evaluate the checker of ``proofs/rocq`` on it
(``vm_compute``), and concludes the bound by the soundness theorem of that checker. What this module gets wrong cannot
make a false bound pass: the theorem obtained is printed with its statement, and it speaks of kernels and sequences,
not of the certificate.

Translated is every kind but ``nonneg``, whose proof rests on the theorem of Ahlswede and Khachatrian.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kattn_bounds.certificates.schema import validate
from kattn_bounds.errors import InputError
from kattn_bounds.rocq import bounds, kernels, statements

_HEADER = """From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From KattnBounds Require Import {modules}.
Set Printing Width 110.
"""


@dataclass(frozen=True, slots=True)
class RocqReport:
    """What Rocq said about one certificate.

    `statement` is the theorem as Rocq prints it, `assumptions` the answer of ``Print Assumptions``, `message` the first
    line of the error of a certificate that was rejected.
    """

    path: str
    kind: str
    accepted: bool
    statement: str
    assumptions: str
    message: str
    seconds: float

    def __str__(self) -> str:
        if not self.accepted:
            return f"REJECTED by Rocq {self.path}: {self.kind}: {self.message}"
        return (
            f"ACCEPTED by Rocq {self.path}: {self.kind}: {self.statement}\n"
            f"    {self.assumptions} ({self.seconds:.1f} s)"
        )


_KINDS = {
    "derivation": statements.derivation,
    "singletons": bounds.singletons,
    "dominance": bounds.pairs,
    "trace": bounds.pairs,
    "kernel": kernels.kernel,
    "layer": bounds.layer,
    "independence": statements.independence,
    "transcript": statements.transcript,
}


def translate(cert: dict[str, Any]) -> str:
    """The Rocq file of a certificate (an object as read from JSON): definition, theorem, printed assumptions.

    Raises InputError for a kind that is not translated, and for a field that is missing or malformed: what reaches the
    file are integers, rationals and bits. Exactness: exact integers throughout.
    """
    kind = cert.get("kind")
    if kind not in _KINDS:
        raise InputError(
            f"kind {kind!r} is not translated to Rocq: translated are {', '.join(sorted(_KINDS))}"
        )
    modules, body = _KINDS[kind](validate(cert))
    return _HEADER.format(modules=modules) + body + "Check certified.\nPrint Assumptions certified.\n"


def development() -> Path:
    """The folder of the compiled Rocq development: $KATTN_BOUNDS_ROCQ, or proofs/rocq of the repository."""
    chosen = os.environ.get("KATTN_BOUNDS_ROCQ")
    folder = Path(chosen) if chosen else Path(__file__).resolve().parents[2] / "proofs" / "rocq"
    if not (folder / "check_base.vo").exists():
        raise InputError(
            f"{folder}: no compiled Rocq development here: run make rocq, or set KATTN_BOUNDS_ROCQ to the compiled folder"
        )
    return folder


def _failure(errors: str) -> str:
    """Why coqc refused the file: mostly because the checker, evaluated, is false."""
    if 'has type "true = true"' in errors:
        return "its checker evaluates to false"
    lines = [line for line in errors.splitlines() if line and not line.startswith("File ")]
    return " ".join(lines[:2])[:200] or "coqc failed"


def certify_rocq(path: str | os.PathLike[str], timeout: float = 600.0) -> RocqReport:
    """Translate one certificate file, compile it with coqc, and report the theorem and its assumptions.

    Raises InputError when coqc or the compiled development is missing, when the file is not a certificate, or when its
    kind is not translated. A certificate that fails gives a report with `accepted` False.
    """
    coqc = shutil.which("coqc")
    if coqc is None:
        raise InputError("coqc is not on PATH: install the packages of proofs/rocq/packages.txt")
    folder = development()
    try:
        cert = json.loads(Path(path).read_text(encoding="utf-8"))
        kind = str(cert["kind"])
        source = translate(cert)
    except InputError:
        raise
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise InputError(f"{path}: not a certificate that can be translated: {error!r}") from None
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "certificate.v"
        file.write_text(source, encoding="utf-8")
        command = [coqc, "-w", "none", "-R", str(folder), "KattnBounds", str(file)]
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return RocqReport(str(path), kind, False, "", "", f"no answer within {timeout:g} s", timeout)
    seconds = time.monotonic() - start
    if result.returncode != 0:
        return RocqReport(str(path), kind, False, "", "", _failure(result.stderr), seconds)
    output = " ".join(result.stdout.split())
    statement, _, assumptions = output.partition("Closed under the global context")
    statement = statement.removeprefix("certified").strip().removeprefix(":").strip()
    closed = "Closed under the global context" in output
    return RocqReport(
        str(path),
        kind,
        closed,
        statement,
        "Closed under the global context" if closed else assumptions,
        "" if closed else "the theorem has assumptions",
        seconds,
    )
