"""Brute force over all sequences with the reference evaluator: the yardstick of the verifier's tests."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from kattn_bounds.attention import PositionFunction, attend_positions
from kattn_bounds.setting import Setting


def sequences(setting: Setting) -> Iterator[tuple[int, ...]]:
    """Every sequence that asks: with the causal mask every prefix length too."""
    least = setting.n
    if setting.mask == "causal":
        least = 1 if setting.self_included else 2
    for n in range(least, setting.n + 1):
        yield from product(range(setting.tokens), repeat=n)


def worst_error(
    kernel: PositionFunction, setting: Setting, value: PositionFunction | None = None
) -> Fraction | None:
    """Largest |output - target| over all sequences; None when some normaliser vanishes."""
    worst = Fraction(0)
    for tokens in sequences(setting):
        head = attend_positions(tokens, kernel, self_included=setting.self_included, value=value)
        if head.error is None:
            return None
        worst = max(worst, head.error)
    return worst
