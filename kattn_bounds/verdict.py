"""Three verdicts, never collapsed, and the report that says how it knows."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Literal

Method = Literal["exhaustive", "orbit", "symbolic", "rocq", "certificate", "numeric", "sampled", "asymptotic"]


class Verdict(enum.Enum):
    """PROVED (evidence that the checker or exact arithmetic accepts), REFUTED (an instance), UNDECIDED (a gap).

    A verdict has no truth value: compare it by name.

    >>> Verdict.PROVED.exit_code, Verdict.REFUTED.exit_code, Verdict.UNDECIDED.exit_code
    (0, 1, 3)
    >>> bool(Verdict.PROVED)
    Traceback (most recent call last):
        ...
    TypeError: a verdict is not a truth value: compare it with Verdict.PROVED, REFUTED or UNDECIDED
    """

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"

    @property
    def exit_code(self) -> int:
        """0 proved, 1 refuted, 3 undecided (2 is kept for usage errors)."""
        return {"PROVED": 0, "REFUTED": 1, "UNDECIDED": 3}[self.value]

    def __bool__(self) -> bool:
        raise TypeError(
            "a verdict is not a truth value: compare it with Verdict.PROVED, REFUTED or UNDECIDED"
        )


@dataclass(frozen=True, slots=True)
class Finding:
    """What a claim's check found: the verdict, how it is known, and the evidence in one short line.

    `details` holds exact values as text, for JSON.
    """

    verdict: Verdict
    method: Method
    evidence: str
    details: dict[str, object] = field(default_factory=dict)
