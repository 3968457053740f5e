"""The verifier: the exact worst-case error over all sequences, and the verdict it gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from kattn_bounds.errors import InputError
from kattn_bounds.kernels.base import Kernel
from kattn_bounds.kernels.positions import PositionKernel
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Verdict
from kattn_bounds.verify.rows import (
    OrbitSource,
    Row,
    Source,
    error_of,
    source_for,
    vanishing_choice,
    worst_choice,
)

CAUSAL_MAX_N = 1_000


@dataclass(frozen=True, slots=True)
class Decision:
    """What the verifier found.

    verdict      PROVED when the worst error is below the tolerance, else REFUTED
    method       "exhaustive" (every entry read) or "orbit" (every class of pairs)
    worst_error  the exact supremum of |output - target| over all sequences; None when a normaliser vanishes
    sequence     tokens that attain it, query last (with the causal mask, the failing prefix)
    """

    verdict: Verdict
    method: Literal["exhaustive", "orbit"]
    worst_error: Fraction | None
    sequence: tuple[int, ...]

    @property
    def solves(self) -> bool:
        """Whether the verdict is PROVED."""
        return self.verdict is Verdict.PROVED


def decide(
    kernel: Kernel | PositionKernel,
    setting: Setting,
    value: Kernel | None = None,
    *,
    exhaustive: bool = False,
) -> Decision:
    """Decide exactly whether a kernel solves the task, over all 2^(mn) sequences, by level reduction (theory section 2).

    kernel      a kernel on {0,1}^m, or a position-dependent family
    value       V(q, a) of the free readout; needed exactly when setting.readout is "free"
    exhaustive  read all 4^m entries even of a kernel that depends on |q|, |a| and <q,a> only (m <= 13)

    Cost: O(4^m) entry reads and O(2^m m^2) exact operations, or O(m^3) by orbits. Raises InputError when m is too large, when the
    kernel is of another m or length, or when an entry is negative.

    >>> from kattn_bounds.kernels import formula
    >>> found = decide(formula("3**-t", 6), Setting(6))
    >>> found.verdict.value, str(found.worst_error), found.method
    ('PROVED', '2/5', 'orbit')
    """
    _check(kernel, setting, value)
    if setting.mask == "final":
        return _decide_final(kernel, setting, value, exhaustive)
    worst: Decision | None = None
    for length in causal_lengths(setting):
        found = _decide_final(kernel, setting.at_length(length), value, exhaustive)
        if worst is None or _severity(found) > _severity(worst):
            worst = found
    assert worst is not None
    return worst


def causal_lengths(setting: Setting) -> range:
    """The lengths at which a head with a causal mask must be right."""
    if setting.n > CAUSAL_MAX_N:
        raise InputError(f"n = {setting.n} is too large with the causal mask: give n <= {CAUSAL_MAX_N}")
    return range(1 if setting.self_included else 2, setting.n + 1)


def failing_rows(source: Source, setting: Setting) -> Iterator[Row]:
    """The rows on which some sequence has error at least the tolerance, or a normaliser that vanishes."""
    for row in source.rows():
        if vanishing_choice(row) is not None or any(
            worst_choice(row, setting.tolerance, below)[0] >= 0 for below in _sides(setting)
        ):
            yield row


def _check(kernel: Kernel | PositionKernel, setting: Setting, value: Kernel | None) -> None:
    if kernel.m != setting.m:
        raise InputError(
            f"kernel '{kernel.name}' has m = {kernel.m}, the setting m = {setting.m}: give one m"
        )
    if isinstance(kernel, PositionKernel) and kernel.n < setting.n:
        raise InputError(f"kernel '{kernel.name}' has n = {kernel.n} positions, the setting n = {setting.n}")
    if (value is not None) != (setting.readout == "free"):
        raise InputError("a value map V goes with the free readout: give both, or neither")
    if value is not None and value.m != setting.m:
        raise InputError(
            f"value map '{value.name}' has m = {value.m}, the setting m = {setting.m}: give one m"
        )


def _sides(setting: Setting) -> tuple[bool, ...]:
    """Which side of the target can be missed: with the inner-product readout the output is never below it."""
    return (False, True) if setting.readout == "free" else (False,)


def _decide_final(
    kernel: Kernel | PositionKernel, setting: Setting, value: Kernel | None, exhaustive: bool
) -> Decision:
    source = source_for(kernel, setting, value, exhaustive=exhaustive)
    method: Literal["exhaustive", "orbit"] = "orbit" if isinstance(source, OrbitSource) else "exhaustive"
    rate = Fraction(0)
    best: tuple[int, ...] | None = None
    for row in source.rows():
        gone = vanishing_choice(row)
        if gone is not None:
            return Decision(Verdict.REFUTED, method, None, source.sequence(row, gone))
        for below in _sides(setting):
            # Dinkelbach: raise the rate to the error of the sequence that beats it, until none does.
            total, choice = worst_choice(row, rate, below)
            attained = None if best is not None else choice
            while total > 0:
                rate, attained = error_of(row, choice), choice
                total, choice = worst_choice(row, rate, below)
            if attained is not None:
                best = source.sequence(row, attained)
    assert best is not None
    verdict = Verdict.PROVED if rate < setting.tolerance else Verdict.REFUTED
    return Decision(verdict, method, rate, best)


def _severity(decision: Decision) -> tuple[bool, Fraction]:
    """Orders decisions: a vanishing normaliser is worst."""
    return decision.worst_error is None, decision.worst_error or Fraction(0)
