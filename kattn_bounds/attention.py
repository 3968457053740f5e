"""The reference evaluator: one attention head on one sequence, in exact fractions, written to be read.

Everything faster in this package is tested against this file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kattn_bounds.cube import inner
from kattn_bounds.errors import InputError
from kattn_bounds.setting import Setting

EntryFunction = Callable[[int, int], Fraction]
"""K(q, a) of two tokens, exact."""

PositionFunction = Callable[[int, int, int, int], Fraction]
"""K_ij(q, a): query q at position i, token a at position j (positions count from 1)."""


@dataclass(frozen=True, slots=True)
class Attention:
    """What the head does on one sequence. All values exact.

    attended    tokens that the query attends to, in order
    weights     their normalised weights, or None when the normaliser is not positive
    values      V(q, x) of each attended token
    output      the weighted average, or None when the normaliser is not positive
    target      min over attended tokens of <q, x>
    error       |output - target|, or None when the normaliser is not positive
    """

    attended: tuple[int, ...]
    kernel: tuple[Fraction, ...]
    weights: tuple[Fraction, ...] | None
    values: tuple[Fraction, ...]
    output: Fraction | None
    target: int
    error: Fraction | None

    def solved(self, tolerance: Fraction) -> bool:
        """True when the output exists and is closer to the target than the tolerance."""
        return self.error is not None and self.error < tolerance


def attend(
    tokens: Sequence[int],
    kernel: EntryFunction,
    *,
    self_included: bool = True,
    value: EntryFunction | None = None,
) -> Attention:
    """One head on one sequence; the query is the last token (theory section 2).

    `kernel(q, a)` is K >= 0; `value(q, a)` is V, by default the inner product <q, a>. Tokens are bit masks.
    Raises InputError when no token is attended.

    >>> third = lambda q, a: Fraction(1, 3 ** inner(q, a))
    >>> head = attend([0b110, 0b001, 0b111], third)
    >>> [str(w) for w in head.weights], str(head.output), head.target, str(head.error)
    (['3/13', '9/13', '1/13'], '18/13', 1, '5/13')
    """
    return attend_positions(
        tokens,
        lambda q, a, i, j: kernel(q, a),
        self_included=self_included,
        value=None if value is None else (lambda q, a, i, j: value(q, a)),
    )


def attend_positions(
    tokens: Sequence[int],
    kernel: PositionFunction,
    *,
    self_included: bool = True,
    value: PositionFunction | None = None,
) -> Attention:
    """The same with maps that depend on the positions i of the query (the last one) and j of the token."""
    q = tokens[-1]
    i = len(tokens)
    attended = tuple(tokens) if self_included else tuple(tokens[:-1])
    if not attended:
        raise InputError("the query attends to nothing: give at least one other token, or include self")

    target = min(inner(q, x) for x in attended)
    weights = tuple(kernel(q, x, i, j) for j, x in enumerate(attended, start=1))
    if value is None:
        values = tuple(Fraction(inner(q, x)) for x in attended)
    else:
        values = tuple(value(q, x, i, j) for j, x in enumerate(attended, start=1))

    normaliser = sum(weights, Fraction(0))
    if normaliser <= 0:
        return Attention(attended, weights, None, values, None, target, None)
    output = sum((w * v for w, v in zip(weights, values, strict=True)), Fraction(0)) / normaliser
    return Attention(
        attended,
        weights,
        tuple(w / normaliser for w in weights),
        values,
        output,
        target,
        abs(output - target),
    )


def solves_sequence(
    tokens: Sequence[int], kernel: PositionFunction, setting: Setting, value: PositionFunction | None = None
) -> bool:
    """Whether the head is right on this one sequence under the setting, causal mask included.

    With the causal mask every position asks (position 1 only if it attends to itself), and all must be right.
    """
    if setting.mask == "final":
        lengths = [len(tokens)]
    else:
        lengths = list(range(1 if setting.self_included else 2, len(tokens) + 1))
    return all(
        attend_positions(tokens[:length], kernel, self_included=setting.self_included, value=value).solved(
            setting.tolerance
        )
        for length in lengths
    )
