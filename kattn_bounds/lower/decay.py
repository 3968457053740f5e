"""How fast a solving kernel must decay as a token moves up a level (theory section 4): g, h, rho, and their derivations.

If K solves (m, n, tau) with the inner-product readout, then for all q and a, b with t(q,b) = t(q,a) + s

    K(q,b) < h(s) K(q,a),      g(s) = tau / ((n-2)(s-tau)),      h(s) = min over compositions of s of prod g(s_i).

The free readout at tolerance tau decays like this at 2 tau, for K(q,a) + K(q,q)/(n-1) in place of K(q,a) when self is
included (L3). Everything here is exact. A derivation is a certificate of kind `derivation`: the sequences whose
constraints add up to the inequality, with their multipliers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from kattn_bounds.certificates import writer
from kattn_bounds.cube import format_token, inner
from kattn_bounds.errors import InputError, shorten
from kattn_bounds.setting import Setting

LARGEST_PART = 6
"""No composition needs a larger part: g(s-3) g(3) <= g(s) for s >= 7, n >= 3, tau <= 1 (certificates/SPEC.md)."""


@dataclass(frozen=True, slots=True)
class Rate:
    """The algebraic number base^(1/root), base a positive rational.

    >>> print(Rate(Fraction(3), 2), Rate(Fraction(3), 1), Rate(Fraction(5), 3))
    sqrt(3) 3 5^(1/3)
    """

    base: Fraction
    root: int

    def __float__(self) -> float:
        return float(float(self.base) ** (1 / self.root))

    def __str__(self) -> str:
        if self.root == 1:
            return str(self.base)
        inside = str(self.base) if self.base.denominator == 1 else f"({self.base})"
        return f"sqrt({self.base})" if self.root == 2 else f"{inside}^(1/{self.root})"

    def __lt__(self, other: Rate) -> bool:
        """Exact: compares powers of the bases."""
        return self.base**other.root < other.base**self.root


@dataclass(frozen=True)
class Decay:
    """The decay at length n >= 3 and tolerance 0 < tau <= 1, exact.

    >>> decay = Decay(3)
    >>> print(*(decay.h(s) for s in range(8)))
    1 1 1/3 1/5 1/9 1/15 1/27 1/45
    >>> decay.composition(7), str(decay.rate)
    ((2, 2, 3), 'sqrt(3)')
    >>> str(Decay(4).rate), str(Decay(7).rate), Decay(3, Fraction(1)).h(1)
    ('sqrt(6)', '5', None)
    """

    n: int
    tolerance: Fraction = Fraction(1, 2)
    _best: list[tuple[Fraction, int] | None] = field(
        default_factory=lambda: [(Fraction(1), 0)], repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if self.n < 3:
            raise InputError(f"n = {self.n} gives no decay: give n >= 3")
        if not 0 < self.tolerance <= 1:
            raise InputError(
                f"tolerance = {shorten(self.tolerance)} gives no decay: give 0 < tolerance <= 1 "
                "(with the free readout 0 < tolerance <= 1/2)"
            )

    @staticmethod
    def of(setting: Setting) -> Decay:
        """The decay of a setting: at twice the tolerance for the free readout. Raises InputError when there is none.

        >>> Decay.of(Setting(4, readout="free")).h(2)
        Fraction(1, 1)
        """
        return _shared(setting.n, setting.tolerance * (2 if setting.readout == "free" else 1))

    def g(self, s: int) -> Fraction | None:
        """tau / ((n-2)(s-tau)), the factor of one sequence that climbs s levels; None when s <= tau."""
        if s <= self.tolerance:
            return None
        return self.tolerance / ((self.n - 2) * (s - self.tolerance))

    def _entry(self, s: int) -> tuple[Fraction, int] | None:
        """h(s) and the last part of an optimal composition."""
        while len(self._best) <= s:
            level = len(self._best)
            options = []
            for part in range(1, min(level, LARGEST_PART) + 1):
                factor, rest = self.g(part), self._best[level - part]
                if factor is not None and rest is not None:
                    options.append((factor * rest[0], part))
            self._best.append(min(options, default=None, key=lambda option: (option[0], -option[1])))
        return self._best[s]

    def h(self, s: int) -> Fraction | None:
        """The bound on K(q,b)/K(q,a) for s levels; None when no composition of s says anything."""
        found = self._entry(s)
        return None if found is None else found[0]

    def composition(self, s: int) -> tuple[int, ...] | None:
        """Parts of s whose product of g is h(s), in increasing order."""
        parts: list[int] = []
        while s:
            found = self._entry(s)
            if found is None:
                return None
            parts.append(found[1])
            s -= found[1]
        return tuple(sorted(parts))

    @property
    def rate(self) -> Rate:
        """rho = sup_s g(s)^(-1/s); h(s) = rho^-s up to a factor that does not depend on s."""
        rates = [Rate(1 / g, s) for s in range(1, LARGEST_PART + 1) if (g := self.g(s)) is not None]
        best = rates[0]
        for rate in rates[1:]:
            if best < rate:
                best = rate
        return best

    def chain(self, s: int) -> list[Link]:
        """The derivation of h(s) in the abstract: one sequence for each part of the composition.

        >>> for link in Decay(3).chain(5):
        ...     print(link)
        (b,a,q) with b 2 levels above a: K(q,b) < 1/3 K(q,a)   [level t to t+2]
        (b,a,q) with b 3 levels above a: K(q,b) < 1/5 K(q,a)   [level t+2 to t+5]
        """
        parts = self.composition(s)
        if parts is None:
            raise InputError(f"s = {s} has no derivation at tolerance {self.tolerance}: give a larger s")
        links, level = [], 0
        for part in parts:
            factor = self.g(part)
            assert factor is not None
            links.append(Link(self.n, level, level + part, factor))
            level += part
        return links


@lru_cache(maxsize=64)
def _shared(n: int, tolerance: Fraction) -> Decay:
    """One object for each (n, tau), so that h is computed once."""
    return Decay(n, tolerance)


@dataclass(frozen=True, slots=True)
class Link:
    """One step of a derivation: the sequence of n - 2 tokens at the upper level, one at the lower, and the query."""

    n: int
    lower: int
    upper: int
    factor: Fraction

    def __str__(self) -> str:
        repeated = "b" if self.n == 3 else f"b x {self.n - 2}"
        step = self.upper - self.lower
        start = f"t+{self.lower}" if self.lower else "t"
        levels = "level" if step == 1 else "levels"
        return (
            f"({repeated},a,q) with b {step} {levels} above a: K(q,b) < {self.factor} K(q,a)"
            f"   [level {start} to t+{self.upper}]"
        )


def tokens_of_chain(setting: Setting, q: int, a: int, b: int) -> list[int]:
    """Tokens a = c_0, ..., c_r = b at the levels of an optimal composition of t(q,b) - t(q,a).

    An intermediate token of level l consists of l ones of q. Raises InputError when b is not above a, or too close.

    >>> [format(c, "05b") for c in tokens_of_chain(Setting(5), 0b11111, 0b00000, 0b11111)]
    ['00000', '00011', '11111']
    """
    step = inner(q, b) - inner(q, a)
    if step < 1:
        raise InputError(
            f"the second token is {step} levels above the first: give tokens with t(q,b) > t(q,a)"
        )
    links = Decay.of(setting).chain(step)[:-1]
    return [a, *(_lowest_ones(q, inner(q, a) + link.upper) for link in links), b]


def _lowest_ones(q: int, count: int) -> int:
    token = 0
    for _ in range(count):
        token |= (q & ~token) & -(q & ~token)
    return token


Step = Mapping[str, Any]


def derive(setting: Setting, q: int, a: int, b: int) -> writer.Certificate:
    """The derivation of K(q,b) < h(s) K(q,a), s = t(q,b) - t(q,a) >= 1, as a certificate (kind `derivation`).

    For the free readout it is the same for K(q,.) + K(q,q)/(n-1) if self is included. Each sequence climbs one part of
    the composition; its multiplier makes the intermediate tokens cancel. n tokens are written for each sequence, so n
    should be small. Raises InputError when the step has no derivation.

    >>> from kattn_bounds.certificates.checker import check
    >>> check(derive(Setting(3), 0b111, 0b000, 0b011))
    'derivation: 1*K(111,011) - 1/3*K(111,000) < 0 in every solving head (m=3, n=3, ..., inner readout)'
    """
    decay, m, n, tau = Decay.of(setting), setting.m, setting.n, setting.tolerance
    tokens = tokens_of_chain(setting, q, a, b)
    free, own = setting.readout == "free", setting.self_included
    steps: list[Step] = []
    weight, own_total = Fraction(1), Fraction(0)

    def add(sequence: list[int], multiplier: Fraction, side: str | None) -> None:
        step: dict[str, Any] = {"sequence": [format_token(x, m) for x in sequence], "multiplier": multiplier}
        steps.append({**step, "side": side} if free else step)

    for low, high in zip(tokens[-2::-1], tokens[:0:-1], strict=True):
        s = inner(q, high) - inner(q, low)
        scale = weight / ((n - 2) * (s - decay.tolerance))
        if free:
            add([high] * (n - 2) + [low, q], scale, "upper")
            add([low] * (n - 1) + [q], scale / (n - 1), "lower")
            add([high] * (n - 1) + [q], scale * Fraction(n - 2, n - 1), "lower")
        else:
            add([high] * (n - 2) + [low, q], scale, None)
            own_total += scale * (q.bit_count() - inner(q, low) - tau) if own else 0
        factor = decay.g(s)
        assert factor is not None
        weight *= factor
    if own_total > 0:
        steps.append({"nonneg": writer.entry(setting, q, q), "multiplier": own_total})
    terms = [(Fraction(1), writer.entry(setting, q, b)), (-weight, writer.entry(setting, q, a))]
    if free and own and weight != 1:
        terms.append(((1 - weight) / (n - 1), writer.entry(setting, q, q)))
    return writer.derivation(setting, "<", terms, steps)


def derive_positions(setting: Setting, q: int, a: int, b: int) -> writer.Certificate:
    """L2: the one-step inequality for Kbar(q,.) = sum of K_j(q,.) over the companions' positions, as a certificate.

    (n-2)(s-tau) Kbar(q,b) < tau Kbar(q,a) for s = t(q,b) - t(q,a) > tau: the sum of the n - 1 sequences that hold a at
    position i and b at the other n - 2. Every sequence ends in the query, so a causal mask changes nothing.
    Raises InputError for the free readout or s <= tau.

    >>> from kattn_bounds.certificates.checker import check
    >>> check(derive_positions(Setting(2), 0b11, 0b00, 0b11))
    'derivation: 3/2*K_1(11,11) + 3/2*K_2(11,11) - 1/2*K_1(11,00) - 1/2*K_2(11,00) < 0 in every ...'
    """
    m, n, tau = setting.m, setting.n, setting.tolerance
    s = inner(q, b) - inner(q, a)
    if setting.readout == "free" or n < 3 or s <= tau:
        raise InputError(
            f"a step of {s} has no position-dependent derivation: inner readout, n >= 3, s > tau"
        )
    steps: list[Step] = [
        {
            "sequence": [format_token(a if j == i else b, m) for j in range(1, n)] + [format_token(q, m)],
            "multiplier": Fraction(1),
        }
        for i in range(1, n)
    ]
    own = (n - 1) * (q.bit_count() - inner(q, a) - tau) if setting.self_included else Fraction(0)
    if own > 0:
        steps.append({"nonneg": writer.entry(setting, q, q, j=n), "multiplier": own})
    terms = [((n - 2) * (s - tau), writer.entry(setting, q, b, j=j)) for j in range(1, n)]
    terms += [(-tau, writer.entry(setting, q, a, j=j)) for j in range(1, n)]
    return writer.derivation(setting, "<", terms, steps)
