"""What a proof page's checks are written with: `every`, which tries all cases and shows the first that fails."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import product
from math import log2
from typing import Any


class CheckFailed(AssertionError):
    """A check of a proof page failed; the text is the counterexample."""


def every(statement: Callable[..., object], cases: int, **domains: Iterable[Any]) -> None:
    """Check a statement at every combination of the given values, and that there are `cases` of them.

    `statement` takes the domains' values as arguments and returns something true where it holds; it may return None to
    leave a case out (a premise that does not hold), which does not count as a case. Raises CheckFailed with the first failing
    combination, in the order of the domains, or when the number of cases is another than stated.

    >>> every(lambda a, b: (a + b) ** 2 == a * a + 2 * a * b + b * b, 9, a=range(3), b=range(3))
    >>> every(lambda a, b: a * b < 4, 9, a=range(3), b=range(3))
    Traceback (most recent call last):
        ...
    kattn_bounds.prove.checks.CheckFailed: it fails at a = 2, b = 2
    """
    names = list(domains)
    values: list[Collection[Any]] = [list(domain) for domain in domains.values()]
    count = 0
    for case in product(*values):
        result = statement(*case)
        if result is None:
            continue
        count += 1
        if not result:
            shown = ", ".join(f"{name} = {_show(value)}" for name, value in zip(names, case, strict=True))
            raise CheckFailed(f"it fails at {shown}")
    if count != cases:
        raise CheckFailed(f"it was checked in {count} cases, not {cases}")


def _show(value: object) -> str:
    text = str(value)
    return text if len(text) <= 200 else text[:197] + "..."


def entropy(p: float) -> float:
    """The binary entropy -p log2 p - (1-p) log2 (1-p), 0 outside (0, 1). A float, for the asymptotic pages.

    >>> entropy(0.5), entropy(0)
    (1.0, 0.0)
    """
    return -p * log2(p) - (1 - p) * log2(1 - p) if 0 < p < 1 else 0.0


def maximum(f: Callable[[float], float], low: float, high: float) -> float:
    """The largest value of a float function with a single peak on [low, high], by ternary search.

    >>> round(maximum(lambda x: x * (4 - x), 0, 3), 9)
    4.0
    """
    while high - low > 1e-9:
        third = (high - low) / 3
        if f(low + third) < f(high - third):
            low += third
        else:
            high -= third
    return f((low + high) / 2)
