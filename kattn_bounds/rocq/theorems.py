"""The theorems that Rocq has checked, as ``proofs/rocq/theorems.json`` lists them; coqc is not needed to read them."""

from __future__ import annotations

import json
from dataclasses import dataclass

from kattn_bounds.prove.pages import pages_folder


@dataclass(frozen=True, slots=True)
class Theorem:
    """A machine-checked theorem: the ids of the theory it belongs to, its name and file, its statement in ordinary
    notation and as Rocq prints it."""

    ids: tuple[str, ...]
    name: str
    module: str
    statement: str
    rocq: str


def load_theorems() -> list[Theorem]:
    """All exported theorems of the development, in its order.

    >>> theorem = next(t for t in load_theorems() if t.name == "rank_trace")
    >>> theorem.ids, theorem.statement
    (('L1',), '(tr A)^2 <= rank A * ||A||_F^2 over every ordered field')
    """
    entries = json.loads((pages_folder() / "rocq" / "theorems.json").read_text(encoding="utf-8"))
    return [
        Theorem(
            tuple(entry["id"].replace(",", " ").split()),
            entry["name"],
            entry["module"].removeprefix("KattnBounds."),
            entry["statement"],
            entry["rocq"],
        )
        for entry in entries
    ]


def theorems_of(identifier: str) -> list[Theorem]:
    """The theorems that belong to one id of the theory.

    >>> [t.name for t in theorems_of("C1")]
    ['exact_two', 'exact_two_excluded']
    """
    return [t for t in load_theorems() if identifier.upper() in t.ids]
