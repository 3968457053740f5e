"""What a Gaussian head computes on {0,1}^m: exact verdicts, and all bandwidths at which it solves a task.

A head is two integer maps of the tokens, and its kernel is g^(squared distance of the images), g =
exp(-1/2 sigma^2). On one sequence, being within tau of the target is a strict inequality on a polynomial
in g,

    sum over attended x of g^|query(q) - key(x)|^2 (side (V(q, x) - y) - tau) < 0,

side = +1 where the output cannot fall below the target y, -1 where it cannot rise above it. For each head
and task a short list of sequences is enough: the head solves iff it is right on those. Why they are enough
stands at each list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from flint import ctx

from kattn_bounds.cube import format_token, inner
from kattn_bounds.errors import InputError
from kattn_bounds.gaussian.bandwidth import (
    GPolynomial,
    Window,
    affinity,
    check_sigma2,
    evaluate_ball,
    nonnegative_for_all,
    sign_at,
    solving_windows,
)
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Verdict

LAST_STEP = 5
"""For 0 < y < 1 and an integer N >= 1: N (s - tau) y^s < tau for all s >= 1 iff for s <= 5.

It says y < A_s^(-1/s), A_s = N (s - tau)/tau. The function ln(A_s)/s of a real s falls once ln A_s >= s/(s
- tau); A_s is at least s - 1, and ln 4 > 5/4, so it falls from s = 5 on.
"""


@dataclass(frozen=True)
class Sequence:
    """Distinct competitors with their number of copies, and the query; n may be large."""

    competitors: tuple[tuple[int, int], ...]
    query: int

    def describe(self, m: int) -> str:
        """Bit strings, copies written as 'token x count'."""
        parts = [
            format_token(token, m) + (f" x {count}" if count > 1 else "")
            for token, count in self.competitors
            if count
        ]
        return ", ".join([*parts, f"query {format_token(self.query, m)}"])

    def tokens(self) -> list[int]:
        """All tokens, the query last."""
        return [t for t, count in self.competitors for _ in range(count)] + [self.query]


@dataclass(frozen=True)
class Head:
    """A Gaussian head: the query and key maps of a token, as integer vectors of one length."""

    name: str
    maps: str
    query: Callable[[int, int], list[int]]
    key: Callable[[int, int], list[int]]

    def exponent(self, m: int, q: int, a: int) -> int:
        """The squared distance of the two images, so K(q, a) = g^exponent."""
        return sum((x - y) ** 2 for x, y in zip(self.query(m, q), self.key(m, a), strict=True))


def _bits(m: int, token: int) -> list[int]:
    return [token >> (m - 1 - i) & 1 for i in range(m)]


PROJECTION_FREE = Head("projection-free", "query q, key a", _bits, _bits)
NORM_EVENING = Head(
    "norm-evening",
    "query (-q, 0), key (a, 1-a)",
    lambda m, q: [-b for b in _bits(m, q)] + [0] * m,
    lambda m, a: _bits(m, a) + [1 - b for b in _bits(m, a)],
)
COMPLEMENTED = Head("complemented", "query 1-q, key a", lambda m, q: [1 - b for b in _bits(m, q)], _bits)


@dataclass(frozen=True)
class Task:
    """A target on sequences, the value that is averaged, and the sequences that suffice for one head.

    value   V(q, x)
    side    +1: the target is the least attended value; -1: the greatest. The output is on its other side
    by construction worst   the sequences that suffice at a setting (tokens have setting.m bits)
    """

    name: str
    head: Head
    value: Callable[[int, int], int]
    side: Literal[1, -1]
    worst: Callable[[Setting], list[Sequence]]


def _sequence(setting: Setting, minimal: int, other: int, query: int) -> Sequence:
    """One copy of the token whose value is the target, all other competitors equal."""
    if setting.n == 1:
        return Sequence((), query)
    return Sequence(((minimal, 1), (other, setting.n - 2)), query)


def _low(bits: int) -> int:
    return (1 << bits) - 1


def _projection_free_worst(setting: Setting) -> list[Sequence]:
    """q = 1^u, a = 0^u, the other competitors q itself, u <= 2, padded with zeros.

    Row q, minimal level t = |q| - u: the weakest token of that level is the farthest, |a| - t = m - |q|;
    the competitors that pull most are q itself. So it solves iff N (u - tau) < tau g^m for u = m, N = n -
    1 (self included) or n - 2. If m >= 2 and N >= 1 this fails at u = 2 already: N (2 - tau) >= 1 >= tau g^2.
    """
    return [_sequence(setting, 0, _low(u), _low(u)) for u in range(1, min(setting.m, 2) + 1)]


def _norm_evening_worst(setting: Setting) -> list[Sequence]:
    """q = 1^s, a = 0^s, the others q itself, s <= 5: C2's condition N (s - tau) x^s < tau, x = g^2."""
    return [_sequence(setting, 0, _low(s), _low(s)) for s in range(1, min(setting.m, LAST_STEP) + 1)]


def _complemented_worst(setting: Setting) -> list[Sequence]:
    """On b <= min(m, 5) coordinates: q = 1^u, a = 0, the others s ones of q and everything outside q.

    A row is g^(2t - |a|) up to a factor: outside q every one gains a factor 1/g. With u = |q| - t it
    solves iff (n - 2) (s - tau) g^(s - (m - |q|)) + (u - tau) g^u [self included] < tau for 1 <= s <= u <=
    |q|, the worst query being |q| = u. For n = 2 this is N (u - tau) g^u < tau, u <= 5. For n >= 3 and m
    >= 4 it fails at b = 4, u = s = 2: (n - 2)(2 - tau) >= tau.
    """
    sequences = []
    for bits in range(1, min(setting.m, LAST_STEP) + 1):
        for u in range(1, bits + 1):
            outside = _low(bits) ^ _low(u)
            sequences += [_sequence(setting, 0, outside | _low(s), _low(u)) for s in range(1, u + 1)]
    return sequences


def _retrieval(setting: Setting, best: int, other: int, query: int) -> Sequence:
    """A sequence whose best match is `best`; with self included the query is itself the best match."""
    if setting.n == 1:
        return Sequence((), query)
    if setting.self_included:
        return Sequence(((other, setting.n - 1),), query)
    return Sequence(((best, 1), (other, setting.n - 2)), query)


def _equal_weight_worst(setting: Setting) -> list[Sequence]:
    """q = a = 0^s 1^s, the others 1^s 0^s, s <= m/2, 5: weights are equal, K is x^-t times a row factor.

    Among tokens of one weight w inner products differ by at most min(w, m - w), and each competitor at
    distance s below the greatest adds at most (s - tau) x^s, so it solves iff N (s - tau) x^s < tau for s
    <= m/2.
    """
    return [
        _retrieval(setting, _low(s), _low(s) << s, _low(s))
        for s in range(1, min(setting.m // 2, LAST_STEP) + 1)
    ]


def _nearest_worst(setting: Setting) -> list[Sequence]:
    """q = a = 0, the others at distance s <= min(m, 5): it solves iff N (s - tau) g^s < tau for s <= m."""
    return [_retrieval(setting, 0, _low(s), 0) for s in range(1, min(setting.m, LAST_STEP) + 1)]


def _recall_worst(setting: Setting) -> list[Sequence]:
    """q = a = 0, the others one bit away: each weighs at most g times the nearest, so N (1 - tau) g < tau."""
    return [_retrieval(setting, 0, 1, 0)]


def _distance(q: int, x: int) -> int:
    return (q ^ x).bit_count()


MINIMUM_TASKS = tuple(
    Task("minimum inner product", head, inner, 1, worst)
    for head, worst in (
        (PROJECTION_FREE, _projection_free_worst),
        (NORM_EVENING, _norm_evening_worst),
        (COMPLEMENTED, _complemented_worst),
    )
)
"""Minimum inner product by the three heads, in the order projection-free, norm-evening, complemented."""

RETRIEVAL_TASKS = (
    Task("maximum inner product, equal weights", PROJECTION_FREE, inner, -1, _equal_weight_worst),
    Task("distance of the nearest token", PROJECTION_FREE, _distance, 1, _nearest_worst),
    # One coordinate of the output; the nearest token is unique and is 0 there. The mirror image, 1 against
    # 0, is the same.
    Task("recall of a unique nearest token", PROJECTION_FREE, lambda q, x: x & 1, 1, _recall_worst),
)
"""What the projection-free head is made for: the token most like the query."""


def condition(task: Task, setting: Setting, sequence: Sequence) -> GPolynomial:
    """The polynomial in g that must be negative on this sequence (row factor g^min divided out).

    >>> condition(MINIMUM_TASKS[0], Setting(1, 2), Sequence(((0, 1),), 1))
    {1: Fraction(-1, 2), 0: Fraction(1, 2)}
    """
    attended = _attended(setting, sequence)
    target = _target(task, setting, sequence)
    return _collect(
        (exponent, count * (task.side * (task.value(sequence.query, token) - target) - setting.tolerance))
        for (token, count), exponent in zip(attended, _exponents(task, setting, sequence), strict=True)
    )


@dataclass(frozen=True)
class Report:
    """A head on a task: all bandwidths at which it solves, and the verdict at one of them.

    windows   the open intervals of sigma^2 at which it solves; none: it fails at every bandwidth
    verdict   at sigma2; without sigma2 REFUTED if it fails at every bandwidth, PROVED if it solves at every
              one, None if it depends on the bandwidth. UNDECIDED only past the precision limit
    instance  a sequence on which it fails, at every bandwidth where there is one, else at sigma2; or None
    target    the target on that instance
    output    enclosure of the output on that instance at sigma2, as text
    """

    task: Task
    setting: Setting
    windows: tuple[Window, ...]
    verdict: Verdict | None
    instance: Sequence | None
    target: int | None
    output: str | None

    def bandwidths(self) -> str:
        """The windows in words."""
        if not self.windows:
            return "at no sigma"
        return " or ".join(w.describe() for w in self.windows)

    def argument(self) -> str | None:
        """Why it fails on the instance: the inequality in g that being right there would need.

        >>> analyse(MINIMUM_TASKS[0], Setting(1, 2)).argument()
        'being right there needs 1/2 - 1/2 g < 0, false for every 0 < g < 1'
        """
        if self.instance is None:
            return None
        polynomial = condition(self.task, self.setting, self.instance)
        where = "for every 0 < g < 1" if nonnegative_for_all(polynomial) else "at this sigma"
        return f"being right there needs {polynomial_text(polynomial)} < 0, false {where}"


def analyse(task: Task, setting: Setting, sigma2: Fraction | None = None) -> Report:
    """Decide the task at a rational sigma^2 (exact, by enclosures), and find all bandwidths that solve it.

    Raises InputError for sigma2 <= 0 and for the free readout, which is another head.

    >>> free, even, complemented = (analyse(task, Setting(6)) for task in MINIMUM_TASKS)
    >>> free.verdict, free.instance.describe(6)
    (<Verdict.REFUTED: 'REFUTED'>, '000000, 000001, query 000001')
    >>> even.bandwidths()
    'sigma^2 < 2/ln 6 in (1.11622125, 1.11622126)'
    >>> [analyse(even.task, Setting(6), Fraction(*s)).verdict.value for s in ((11, 10), (9, 8))]
    ['PROVED', 'REFUTED']
    """
    if setting.readout != "inner":
        raise InputError(
            "readout = free: the Gaussian heads are defined by their inner-product readout: give inner"
        )
    if sigma2 is not None:
        check_sigma2(sigma2)
    sequences = [] if setting.n == 1 else task.worst(setting)
    conditions = [condition(task, setting, s) for s in sequences]
    windows = tuple(solving_windows(conditions))
    always = next((s for s, c in zip(sequences, conditions, strict=True) if nonnegative_for_all(c)), None)
    instance, verdict = always, None
    if always is not None:
        verdict = Verdict.REFUTED
    elif sigma2 is None:
        everywhere = len(windows) == 1 and windows[0].low is None and windows[0].high is None
        verdict = Verdict.PROVED if everywhere else None if windows else Verdict.REFUTED
    else:
        signs = [sign_at(c, sigma2) for c in conditions]
        instance = next((s for s, sign in zip(sequences, signs, strict=True) if sign in (0, 1)), None)
        verdict = Verdict.UNDECIDED if None in signs else Verdict.PROVED
        verdict = verdict if instance is None else Verdict.REFUTED
    target, output = None, None
    if instance is not None:
        target = _target(task, setting, instance)
        if sigma2 is not None:
            output = output_enclosure(task, setting, instance, sigma2).str(12)
    return Report(task, setting, windows, verdict, instance, target, output)


def output_enclosure(
    task: Task, setting: Setting, sequence: Sequence, sigma2: Fraction, bits: int = 128
) -> Any:
    """A ball around the head's output on one sequence."""
    attended = _attended(setting, sequence)
    exponents = _exponents(task, setting, sequence)
    weights = _collect((e, Fraction(count)) for e, (_, count) in zip(exponents, attended, strict=True))
    numerator = _collect(
        (e, Fraction(count * task.value(sequence.query, token)))
        for e, (token, count) in zip(exponents, attended, strict=True)
    )
    with ctx.workprec(bits):
        g = affinity(sigma2)
        return evaluate_ball(numerator, g) / evaluate_ball(weights, g)


def _exponents(task: Task, setting: Setting, sequence: Sequence) -> list[int]:
    """Exponents of g of the attended tokens, the least one 0: a row factor changes nothing."""
    raw = [task.head.exponent(setting.m, sequence.query, token) for token, _ in _attended(setting, sequence)]
    return [e - min(raw) for e in raw]


def polynomial_text(polynomial: GPolynomial) -> str:
    """The polynomial in g as text, rising powers.

    >>> polynomial_text({0: Fraction(-1, 2), 4: Fraction(3)})
    '-1/2 + 3 g^4'
    """
    text = ""
    for exponent in sorted(e for e, c in polynomial.items() if c):
        c = polynomial[exponent]
        sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
        power = "" if exponent == 0 else "g" if exponent == 1 else f"g^{exponent}"
        number = "" if abs(c) == 1 and power else str(abs(c))
        text += sign + " ".join(part for part in (number, power) if part)
    return text or "0"


def _collect(terms: Iterable[tuple[int, Fraction]]) -> dict[int, Fraction]:
    collected: dict[int, Fraction] = {}
    for exponent, coefficient in terms:
        collected[exponent] = collected.get(exponent, Fraction(0)) + coefficient
    return collected


def _attended(setting: Setting, sequence: Sequence) -> list[tuple[int, int]]:
    attended = list(sequence.competitors) + ([(sequence.query, 1)] if setting.self_included else [])
    return [(token, count) for token, count in attended if count]


def _target(task: Task, setting: Setting, sequence: Sequence) -> int:
    values = [task.value(sequence.query, token) for token, _ in _attended(setting, sequence)]
    return min(values) if task.side == 1 else max(values)
