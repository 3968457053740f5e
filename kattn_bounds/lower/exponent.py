"""Rigorous enclosures of the growth exponents of D*(m,n) in m: L1, C5, C6, C7, C8, L9, and the separation S1.

Every number is an interval, computed in ball arithmetic (python-flint's arb). An exponent e, in base 2, means that D* grows
as 2^(e m + o(m)); its base is 2^e. Everything depends on (n, tau) through the decay rate rho only.

C7, C8 and L9 are minima over beta of a maximum of *convex* functions c + b beta - w H(scale beta) (see `Quantities`; for the
inner maximum over delta there is a closed form). So a point gives the upper end of the enclosure, and the crossing of two
tangents, one on each side of the minimum, the lower end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from flint import arb, ctx

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.lower.decay import Decay, Rate
from kattn_bounds.lower.layer import layer_bound
from kattn_bounds.setting import Setting

Side = Literal["lower", "upper"]

_BITS = 120


@dataclass(frozen=True, slots=True)
class Enclosure:
    """lower <= x <= upper, both exact (binary fractions).

    >>> Enclosure(Fraction(1, 4), Fraction(1, 2)).decimals(3)
    ('0.250', '0.500')
    """

    lower: Fraction
    upper: Fraction

    @classmethod
    def of(cls, ball: arb) -> Enclosure:
        if not ball.is_finite():
            raise ArithmeticError("an enclosure is not finite: more working precision is needed")
        return cls(_fraction(ball.lower()), _fraction(ball.upper()))

    @property
    def width(self) -> Fraction:
        return self.upper - self.lower

    def __float__(self) -> float:
        return float((self.lower + self.upper) / 2)

    def decimals(self, places: int) -> tuple[str, str]:
        """The ends as decimals, rounded outwards."""
        scale = 10**places
        ends = self.lower * scale // 1, -(-self.upper * scale // 1)
        low, high = (f"{abs(x) // scale}.{abs(x) % scale:0{places}d}" for x in map(int, ends))
        return ("-" if self.lower < 0 else "") + low, ("-" if self.upper < 0 else "") + high

    def text(self, places: int = 6) -> str:
        """`[low, high]`, rounded outwards.

        >>> Enclosure(Fraction(1, 3), Fraction(1, 3)).text()
        '[0.333333, 0.333334]'
        """
        low, high = self.decimals(places)
        return f"[{low}, {high}]"


def _fraction(number: arb) -> Fraction:
    mantissa, exponent = number.man_exp()
    power = int(exponent)
    return Fraction(int(mantissa)) * (Fraction(2) ** power)


def _ball(x: Fraction | int) -> arb:
    value = Fraction(x)
    return arb(value.numerator) / arb(value.denominator)


@contextmanager
def _precision(bits: int = _BITS) -> Iterator[None]:
    old = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = old


def _log2(x: arb) -> arb:
    return x.log() / arb(2).log()


def _entropy(x: arb) -> arb:
    """H(x), the binary entropy, 0 < x < 1; for an interval inside (0, 1/2] or [1/2, 1) by its ends, H being monotone."""
    ends = [-p * _log2(p) - (1 - p) * _log2(1 - p) for p in (arb(x.lower()), arb(x.upper()))]
    hull = ends[0].union(ends[1])
    return hull if bool(x <= arb("0.5")) or bool(x >= arb("0.5")) else hull.union(arb(1))


@dataclass(frozen=True)
class Piece:
    """The convex function constant + slope * beta - weight * H(scale * beta), weight >= 0, 0 <= scale * beta <= 1."""

    constant: arb
    slope: arb
    weight: int = 0
    scale: int = 1

    def at(self, beta: arb) -> arb:
        value = self.constant + self.slope * beta
        return value - self.weight * _entropy(self.scale * beta) if self.weight else value

    def derivative(self, beta: arb) -> arb:
        if not self.weight:
            return self.slope
        x = self.scale * beta
        return self.slope - self.weight * self.scale * _log2((1 - x) / x)


class Quantities:
    """rho, r = sqrt(rho), theta, s as balls, and the pieces of the minima, for one rate. Use inside `_precision`."""

    def __init__(self, rate: Rate) -> None:
        self.rho = (_ball(rate.base).log() / rate.root).exp()
        if not bool(self.rho > 1):
            raise InputError(
                f"the decay rate is {rate}, not above 1: there is no exponent; give tolerance < 1"
            )
        self.log_rho = _log2(self.rho)
        self.r = self.rho.sqrt()
        self.s = (1 - 1 / self.rho).sqrt()
        self.theta = (1 - self.s) / 2

    @property
    def f1(self) -> Piece:
        """F1 = 1 - H(beta) + beta log rho."""
        return Piece(arb(1), self.log_rho, 1)

    def near(self, rate: arb) -> tuple[arb, arb]:
        """(c, b) with c + b beta - H(beta) = max over 0 <= delta <= 2 beta of log p(delta) + delta log(rate).

        Valid where 4 rate^2 beta (1 - beta) >= 1, so for beta >= theta and a rate >= r. The maximand is concave in delta with
        derivative 0 where (1-delta)^2 = u^2 rate^2/(rate^2-1), u = 1 - 2 beta. There beta - delta/2 = u (k-1)/2 and
        1 - beta - delta/2 = u (k+1)/2, k = rate/sqrt(rate^2-1), and the value is
        2 beta (1 + log rate) + u log(2k/(k+1)) - H(beta).
        """
        k = rate / (rate * rate - 1).sqrt()
        constant = _log2(2 * k / (k + 1))
        return constant, 2 * (1 + _log2(rate)) - 2 * constant

    @property
    def far(self) -> Piece:
        """F3 = (1 - 2 beta)(1 + log(1 - theta))."""
        whole = 1 + _log2(1 - self.theta)
        return Piece(whole, -2 * whole)

    @property
    def c7(self) -> list[Piece]:
        """F1, F2 = 1 - H + near(rho), F3, on theta <= beta <= 1/2."""
        constant, slope = self.near(self.rho)
        return [self.f1, Piece(1 + constant, slope, 2), self.far]

    @property
    def c8(self) -> list[Piece]:
        """F1 + near(r), F3, on theta <= beta <= 1/2."""
        constant, slope = self.near(self.r)
        return [Piece(1 + constant, slope + self.log_rho, 2), self.far]

    def l9(self) -> list[tuple[arb, arb, list[Piece]]]:
        """1 + beta log rho - min(H(beta), J(beta)), J = max over delta <= 2 beta of H(delta) - delta log r.

        J is H(2 beta) - 2 beta log r up to 2 beta = 1/(1+r) and log(1+1/r) from there on: two intervals, each with its
        pieces. For beta > 1/2 the expression grows. The first interval starts at a point before which F1 alone falls.
        """
        start, split = 1 / (16 * (1 + self.rho)), 1 / (2 * (1 + self.r))
        rising = Piece(arb(1), 2 * self.log_rho, 1, 2)
        flat = Piece(1 - _log2(1 + 1 / self.r), self.log_rho)
        return [(start, split, [self.f1, rising]), (split, arb("0.5"), [self.f1, flat])]


def minimise(pieces: Sequence[Piece], low: arb, high: arb, steps: int = 50) -> tuple[arb, arb]:
    """A ball that holds the minimum over [low, high] of the largest piece, and a point where its upper end is attained.

    Bisection by the sign of the largest piece's derivative; the lower end is the least value of the larger of the two tangents at
    the ends of the last interval, which bound the maximum from below on all of [low, high] by convexity.

    >>> with _precision():
    ...     value, where = minimise([Piece(arb(1), arb(1)), Piece(arb(3), arb(-1))], arb(0), arb(3))
    >>> value.contains(2), bool(abs(where - 1) < 1e-9)
    (True, True)
    """

    def active(beta: arb) -> tuple[arb, arb]:
        """Value and derivative of a piece that is largest at beta, up to rounding (any piece gives a valid tangent)."""
        values = [piece.at(beta) for piece in pieces]
        best = max(range(len(pieces)), key=lambda i: float(values[i].mid()))
        return values[best], pieces[best].derivative(beta)

    a, b = arb(low.mid()), arb(high.mid())
    (left, fall), (right, rise) = active(a), active(b)
    best, where = (left, a) if bool(left.mid() < right.mid()) else (right, b)
    for _ in range(steps):
        middle = arb(((a + b) / 2).mid())
        value, slope = active(middle)
        whole = value
        for piece in pieces:
            whole = whole.max(piece.at(middle))
        if bool(whole.mid() < best.mid()):
            best, where = whole, middle
        if bool(slope > 0):
            b, right, rise = middle, value, slope
        elif bool(slope < 0):
            a, left, fall = middle, value, slope
        else:  # the tangent is level up to rounding
            least = value - abs(slope) * (high - low)
            return least.lower().min(best.lower()).union(best.upper()), where
    if bool(fall >= 0):
        least = left
    elif bool(rise <= 0):
        least = right
    else:
        least = (rise * (left - fall * a) - fall * (right - rise * b)) / (rise - fall)
    return least.lower().min(best.lower()).union(best.upper()), where


@dataclass(frozen=True, slots=True)
class Exponent:
    """One line of the table. `beta` is where the upper end of a minimum is attained, as a decimal."""

    id: str
    side: Side
    features: Literal["signed", "nonneg"]
    exponent: Enclosure
    base: Enclosure
    beta: str | None = None


_IDS = ("L1", "C7", "L9", "C8", "C6", "C5")


def exponents(n: int, tolerance: Fraction = Fraction(1, 2)) -> list[Exponent]:
    """Enclosures of every exponent at length n >= 3 and tolerance < 1, in the order L1, C7, L9, C8, C6, C5.

    Raises InputError where there is no decay rate above 1.

    >>> for e in exponents(3):
    ...     print(e.id, e.side, e.features, e.exponent.text(), e.base.text(4), e.beta)
    L1 lower signed [0.342496, 0.342497] [1.2679, 1.2680] None
    C7 upper signed [0.360859, 0.360860] [1.2841, 1.2842] 0.2905
    L9 lower nonneg [0.384774, 0.384775] [1.3056, 1.3057] 0.2526
    C8 upper nonneg [0.411760, 0.411761] [1.3303, 1.3304] 0.2592
    C6 upper nonneg [0.481443, 0.481444] [1.3961, 1.3962] None
    C5 upper nonneg [0.508580, 0.508581] [1.4226, 1.4227] None
    """
    rate = _rate(n, tolerance)
    with _precision():
        q = Quantities(rate)
        rho, log_rho = q.rho, q.log_rho
        x = (1 - 1 / rho) / 2
        values: dict[str, tuple[arb, arb | None]] = {
            "L1": (_log2(2 * rho / (rho + 1)), None),
            "C5": (_log2(2 - 1 / rho), None),
            "C6": (_entropy(x) - x * (log_rho - _log2(rho - 1)), None),
            "C7": _c7(q),
            "L9": _l9(q),
            "C8": _c8(q),
        }
        lower, signed = ("L1", "L9"), ("L1", "C7")
        return [
            Exponent(
                name,
                "lower" if name in lower else "upper",
                "signed" if name in signed else "nonneg",
                Enclosure.of(values[name][0]),
                Enclosure.of((values[name][0] * arb(2).log()).exp()),
                None if (at := values[name][1]) is None else f"{float(at):.4f}",
            )
            for name in _IDS
        ]


def _rate(n: int, tolerance: Fraction) -> Rate:
    if tolerance >= 1:
        raise InputError(
            f"tolerance = {shorten(tolerance)}: the exponents need tolerance < 1, for instance 1/2"
        )
    return Decay(n, tolerance).rate


def _c7(q: Quantities) -> tuple[arb, arb]:
    return minimise(q.c7, q.theta, arb("0.5"))


def _c8(q: Quantities) -> tuple[arb, arb]:
    return minimise(q.c8, q.theta, arb("0.5"))


def _l9(q: Quantities) -> tuple[arb, arb]:
    """min over beta; before the first interval the expression is at least F1, which falls there."""
    (first, at), (second, later) = (minimise(pieces, low, high) for low, high, pieces in q.l9())
    where = at if bool(first.mid() < second.mid()) else later
    before = q.f1.at(q.l9()[0][0])
    return first.min(second).min(before), where


def closed_c8(n: int, tolerance: Fraction = Fraction(1, 2)) -> Enclosure:
    """log of 4/((2-s)^2 (1+s)), C8's exponent where its second term is inactive at beta = 2 theta/(1 + 2 theta).

    >>> closed_c8(3).text()
    '[0.411760, 0.411761]'
    """
    with _precision():
        s = Quantities(_rate(n, tolerance)).s
        return Enclosure.of(_log2(4 / ((2 - s) ** 2 * (1 + s))))


# ---------------------------------------------------------------------------------------------------- S1


@dataclass(frozen=True, slots=True)
class Separation:
    """S1 at one (n, tau): `gap` encloses L9's exponent minus C7's; it holds when the gap is positive."""

    n: int
    holds: bool
    gap: Enclosure


def separation(n: int, tolerance: Fraction = Fraction(1, 2)) -> Separation:
    """S1: do non-negative features cost exponentially more than signed ones? Decided by enclosures, refined as needed.

    >>> s = separation(3)
    >>> s.holds, s.gap.text(4)
    (True, '[0.0239, 0.0240]')
    """
    with _precision():
        q = Quantities(_rate(n, tolerance))
        gap = _l9(q)[0] - _c7(q)[0]
        return Separation(n, bool(gap > 0), Enclosure.of(gap))


def separation_from_rate() -> Enclosure:
    """A rate rho_0 such that S1 holds at every (n, tau) with rho >= rho_0 (at tau = 1/2: every n >= 5, as rho = n - 2 >= 3).

    Proof, with every inequality checked here on a subdivision of 0 <= b <= b_0. Write beta for the solution of
    H(beta) = H(2 beta) - beta log rho. As (1-x) ln(1/(1-x)) = x - sum_{k>=2} x^k/(k(k-1)), it says

        rho beta = (e/4) exp(-E(beta)),   E(b) = sum_{k>=2} (2^k - 1) b^(k-1)/(k(k-1)),

    so rho determines beta and falls in it. Let A(b) = sum_{k>=2} (2^k - 2) b^k/(k(k-1)) >= b^2 (1 + b); E and A(b)/b grow.
    (i)   1/2 <= beta (1 + rho) <= 1 and 2 beta (1 + r) <= 1: F1 falls on [0, beta]; from beta on L9's expression is at least
          its other branch, 1 + 2 b log rho - H(2b) and later 1 + b log rho - log(1+1/r), which grows; the two meet at beta.
          So kappa = F1(beta).
    (ii)  theta < beta and F3(beta) < F1(beta): ln 2 (F1 - 1 + 2 beta) = -A(beta) and ln 2 (F3 - 1 + 2 beta) is below
          -(1 - 2 beta) theta, with theta >= 1/(4 rho) >= beta/e; so A(beta)/beta < (1 - 2 beta)/e is enough.
    (iii) F2(beta) < F1(beta): ln 2 (F1 - F2) = A(beta) - u ln(2k/(k+1)), u = 1 - 2 beta, k = (1 - rho^-2)^(-1/2); the
          logarithm is at most (k-1)/2 <= (1/(4 rho^2)) (1 - rho^-2)^(-3/2), so
          4 rho^2 beta^2 (1 + beta) (1 - rho^-2)^(3/2) > u is enough.
    Hence max(F1, F2, F3) < kappa at a point just above beta, and C7's exponent is below L9's.

    >>> separation_from_rate().text(2)
    '[2.99, 3.00]'
    """
    with _precision():
        e = arb(1).exp()
        top, parts = Fraction(169, 1000), 64

        def grows(b: Fraction) -> tuple[arb, arb, arb]:
            """E(b), A(b)/b and rho(b) for b > 0."""
            x = _ball(b)
            small, large = -(1 - x) * (1 - x).log(), -(1 - 2 * x) * (1 - 2 * x).log()
            ratio = (2 * small - large) / x
            exponent = 1 - (large - small) / x
            return exponent, ratio, e / 4 * (-exponent).exp() / x

        for i in range(parts):
            low, high = top * i / parts, top * (i + 1) / parts
            a, b = _ball(low), _ball(high)
            e_high, ratio, rho = grows(high)
            e_low = grows(low)[0] if low else arb(0)
            product_low, product_high = e / 4 * (-e_high).exp(), e / 4 * (-e_low).exp()  # of rho beta
            shrink = 1 - 1 / (rho * rho)
            checks = (
                bool(product_low + a >= arb("0.5")) and bool(product_high + b <= 1),
                bool(2 * b + 2 * (b * product_high).sqrt() <= 1),
                bool(
                    4 * product_low * (1 - 1 / rho).sqrt() > 1
                ),  # theta < 1/(4 rho) (1 - 1/rho)^(-1/2) < beta
                bool(ratio < (1 - 2 * b) / e),
                bool(4 * product_low**2 * (1 + a) * shrink * shrink.sqrt() > 1 - 2 * a),
            )
            if not all(checks):
                raise ArithmeticError(f"the proof of S1 fails for beta between {low} and {high}")
        return Enclosure.of(grows(top)[2])


# ---------------------------------------------------------------------------------------- L1 against c^m


def least_size(c: Fraction, n: int, tolerance: Fraction = Fraction(1, 2), limit: int = 20_000) -> int | None:
    """The least m_0 with L1's ratio at k = floor(m/2) at least c^m for every m >= m_0; None if L1's base is not above c.

    Exact up to an m_1, and from there by C(m,k)/W >= B^m / (C^2 sqrt(2(m+1))), B = 2 rho/(rho+1), C = sup_s h(s) rho^s: indeed
    W <= C^2 sum_s C(k,s) C(m-k,s) rho^(-2s) <= C^2 (1+1/rho)^m and C(m, floor(m/2)) >= 2^m/sqrt(2(m+1)). Raises InputError when
    c <= 1 and when m_1 would be above the limit (c too close to the base).

    >>> least_size(Fraction(6, 5), 3)
    11
    >>> least_size(Fraction(13, 10), 3) is None
    True
    """
    if not c > 1:
        raise InputError(f"c = {shorten(c)}: give a rational above 1, for instance 6/5")
    rate = _rate(n, tolerance)
    decay = Decay(n, tolerance)
    with _precision():
        q = Quantities(rate)
        excess = (2 * q.rho / (q.rho + 1)).log() - _ball(c).log()
        if bool(excess <= 0):
            return None
        if not bool(excess > 0):
            raise InputError(f"c = {shorten(c)} is too close to L1's base to be told apart: give a smaller c")
        # h(s) rho^s does not grow when `root` is added to s, so its supremum is over s < root.
        constant = max(
            (_ball(decay.h(s) or 0) * q.rho**s for s in range(rate.root)), key=lambda x: float(x.mid())
        )
        constant = constant.max(arb(1))

        def certain(m: int) -> bool:
            """B^m / (C^2 sqrt(2(m+1))) >= c^m, and so for every larger m."""
            growing = bool(excess * (m + 1) >= arb("0.5"))
            return growing and bool(excess * m >= 2 * constant.log() + (2 * (_ball(m) + 1)).log() / 2)

        high = 1
        while not certain(high):
            high *= 2
            if high > limit:
                raise InputError(f"c = {shorten(c)} is too close to L1's base: the size would exceed {limit}")
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if certain(middle) else (middle, high)
    for m in range(high - 1, 1, -1):
        if layer_bound(Setting(m, n, tolerance), m // 2).ratio < c**m:
            return m + 1
    return 2
