"""The ledger's claims. Each module of this package registers its own with `@claim`; the command finds them all.

To add a line to `kattn-bounds verify`, add a file here with a function

    @claim("P9", order=90, statement="One sentence that a reader can quote.")
    def p9(setting: Setting) -> Finding: ...

The function gets the setting of the run and returns a Finding (verdict, method, evidence). It may raise `NotApplicable` with a
reason when the claim says nothing at this setting.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Finding, Verdict

Check = Callable[[Setting], Finding]


class NotApplicable(Exception):
    """The claim says nothing at this setting; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One line of the ledger. `expected` is the verdict that the theory predicts (REFUTED for a negative twin); `rocq` names
    the theorems of proofs/rocq that settle it for every m."""

    id: str
    statement: str
    check: Check
    order: int
    expected: Verdict
    name: str
    rocq: tuple[str, ...] = ()


_REGISTRY: dict[str, Claim] = {}


def claim(
    id: str,
    *,
    order: int,
    statement: str,
    expected: Verdict = Verdict.PROVED,
    rocq: tuple[str, ...] = (),
) -> Callable[[Check], Check]:
    """Register a claim of the ledger.

    `order` sorts the lines; `expected` marks a negative twin as meant to fail; `rocq` names theorems of proofs/rocq that
    settle the claim for every m (a test compares the names with the compiled development).
    """

    def register(check: Check) -> Check:
        name = f"{check.__module__}.{check.__qualname__}"
        _REGISTRY[name] = Claim(id, statement, check, order, expected, name, rocq)
        return check

    return register


def all_claims() -> list[Claim]:
    """Every registered claim, in ledger order.

    >>> all_claims()[0].id
    'C1'
    """
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return sorted(_REGISTRY.values(), key=lambda c: (c.order, c.id, c.name))
