"""One small valid certificate of every kind, built without the searches."""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from kattn_bounds.certificates import writer
from kattn_bounds.lower.decay import derive, derive_positions
from kattn_bounds.setting import Setting

Certificate = dict[str, Any]
HALF = Fraction(1, 2)


def monomials(m: int, x: Fraction) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
    """Signed factors of x^t: phi_S(q) = (x-1)^|S| [S in q], psi_S(a) = [S in a]."""
    tokens = range(1 << m)
    phi = [[(x - 1) ** s.bit_count() if s & q == s else Fraction(0) for s in tokens] for q in tokens]
    psi = [[Fraction(s & a == s) for s in tokens] for a in tokens]
    return phi, psi


def factors(m: int = 2, n: int = 3, x: Fraction = Fraction(1, 3)) -> Certificate:
    return writer.kernel_factors(Setting(m, n), *monomials(m, x))


def free_factors() -> Certificate:
    tokens = range(4)
    values = [
        [sum((1 if a >> i & 1 else -1) * (q >> i & 1) for i in range(2)) for a in tokens] for q in tokens
    ]
    return writer.kernel_factors(Setting(2, 2, readout="free"), [[1]] * 4, [[1]] * 4, values=values)


def blocks() -> Certificate:
    ones, twenty = [1] * 5, [20] * 5
    return writer.kernel_blocks(
        Setting(4), [("q", 0, ones, ones), ("q", 1, twenty, ones), ("q", 3, twenty, ones)]
    )


def setfunction() -> Certificate:
    weights = {mask: 1 if mask == 0 else 20 for mask in range(16) if mask.bit_count() in (0, 1, 3)}
    return writer.kernel_setfunction(Setting(4), weights)


def classes() -> Certificate:
    """K = 1 + 10 |q \\ a| has rank 3 = 2 * 1 + 1 * 1: two types."""
    table = [
        [[1 + 10 * (k - t) for t in range(max(0, k + l - 2), min(k, l) + 1)] for l in range(3)]
        for k in range(3)
    ]
    return writer.kernel_classes(Setting(2), table, value=3)


PAIRS = [(q, 63 - q) for q in (0b111000, 0b100110, 0b010101, 0b001011)]
"""Its bound matrix has row sums exactly 1 off the diagonal at n = 3."""


def trace() -> Certificate:
    pairs = [(1 << i | 1 << j, 15 - (1 << i | 1 << j)) for i in range(4) for j in range(i)]
    return writer.trace(Setting(4, 5), pairs, [1] * 6, [1] * 6, value=5)


def singleton_pattern(m: int, signs: str) -> tuple[str, dict[int, int], list[list[writer.Multiplier]]]:
    """L7 as a sign pattern of L8, tau = 1/2, n = 3: v = e_a - e_b, a the minus queries, b the plus queries."""
    a = sum(1 << i for i, sign in enumerate(signs) if sign == "-")
    b = (1 << m) - 1 - a
    rows: list[list[writer.Multiplier]] = []
    for i, sign in enumerate(signs):
        low, high = (a, b) if sign == "+" else (b, a)
        rows.append([((high, low, 1 << i), 2), ((1 << i,), 1)])
    return signs, {a: 1, b: -1}, rows


def independence(m: int = 3, symmetric: bool = False) -> Certificate:
    """All patterns, or one of each number of signs with the symmetric group's generators."""
    queries = [1 << i for i in range(m)]
    if symmetric:
        signs = ["-" * j + "+" * (m - j) for j in range(m // 2 + 1)]
        swap, cycle = [2, 1, *range(3, m + 1)], [*range(2, m + 1), 1]
        return writer.independence(
            Setting(m), queries, [singleton_pattern(m, s) for s in signs], [swap, cycle]
        )
    signs = ["+" + "".join("+-"[code >> i & 1] for i in range(m - 1)) for code in range(1 << (m - 1))]
    return writer.independence(Setting(m), queries, [singleton_pattern(m, s) for s in signs])


def transcript(mode: str = "one") -> Certificate:
    """Addresses 1100, 1010, 0110 of the middle layer of 3 bits and one spare bit 0; payloads of 2 bits."""
    addresses = ["1100", "1010", "0110"]
    queries = []
    for j, address in enumerate(addresses, start=1):
        for b in (1, 2):
            head = int(address[:3], 2) ^ 0b111
            queries.append((j, b, (head << 1 | 1) << 2 | 1 << (2 - b)))
    return writer.transcript(Setting(6, 3), 6, "all" if mode == "all" else "one", addresses, queries)


SAMPLES: dict[str, Callable[[], Certificate]] = {
    "factors": factors,
    "free factors": free_factors,
    "blocks": blocks,
    "setfunction": setfunction,
    "classes": classes,
    "expanded": lambda: writer.kernel_expanded(Setting(5), Fraction(1, 3)),
    "layer": lambda: writer.layer(Setting(16), 8, 37),
    "shifted layer": lambda: writer.layer(Setting(16), 8, 54, shift=["1/15"]),
    "sloped layer": lambda: writer.layer(Setting(16), 8, 40, shift=["1/10", "-1/100"]),
    "free layer": lambda: writer.layer(Setting(40, readout="free"), 20, 3),
    "dominance": lambda: writer.dominance(Setting(6), PAIRS),
    "scaled dominance": lambda: writer.dominance(Setting(6), PAIRS, scale=[2, 2, 2, 2]),
    "trace": trace,
    "nonneg": lambda: writer.nonneg(Setting(13), 6, 14),
    "singletons": lambda: writer.singletons(Setting(7), 7),
    "independence": independence,
    "symmetric independence": lambda: independence(5, symmetric=True),
    "derivation": lambda: derive(Setting(5), 0b11111, 0b00000, 0b11111),
    "free derivation": lambda: derive(Setting(4, readout="free"), 0b1111, 0b0001, 0b1110),
    "position derivation": lambda: derive_positions(Setting(3, 4), 0b111, 0b001, 0b110),
    "transcript": transcript,
    "transcript, all": lambda: transcript("all"),
}


def sample(name: str) -> Certificate:
    """A fresh deep copy, with tuples as lists, as JSON would give it."""
    import json

    return copy.deepcopy(json.loads(writer.certificate_text(SAMPLES[name]())))
