"""The exact identities behind C6, C7, C8 and R1 (theory-frontier), checked at a given size in integers and rationals.

Notation: M coordinates, d = d(x, y) even, r = sqrt rho, T(d) = r^-d, 4 theta (1 - theta) = 1/rho. With theta = v^2/(1+v^2) every
quantity is rational in v: 1/r = 2v/(1+v^2) and omega_ij = v^(i+j)/(1+v^2)^(M+1). Each function returns True or raises
AssertionError naming the first place that differs; nothing is sampled, expectations run over all choices.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

from kattn_bounds.kernels.base import TableKernel
from kattn_bounds.setting import Setting
from kattn_bounds.verify import decide

Distribution = Iterator[tuple[int, Fraction]]


def _same(left: object, right: object, where: str) -> None:
    if left != right:
        raise AssertionError(f"{where}: {left} is not {right}")


def _distance_sums(size: int, d: int) -> list[int]:
    """For s = 0..2 size: how many c in {0,1}^size have d(x,c) + d(y,c) = s, by trying all; d(x,y) = d."""
    x, y = 0, (1 << d) - 1
    found = [0] * (2 * size + 1)
    for c in range(1 << size):
        found[(x ^ c).bit_count() + (y ^ c).bit_count()] += 1
    return found


def _poly(*coefficients: int | Fraction) -> Any:
    from flint import fmpq, fmpq_poly

    return fmpq_poly([fmpq(Fraction(c).numerator, Fraction(c).denominator) for c in coefficients])


def _at(polynomial: Any, x: Fraction) -> Fraction:
    from flint import fmpq

    value = polynomial(fmpq(x.numerator, x.denominator))
    return Fraction(int(value.p), int(value.q))


def beta_mass(a: int, b: int, low: Fraction, high: Fraction) -> Fraction:
    """Pr[low <= Beta(a, b) <= high] for positive integers a, b, exact.

    >>> beta_mass(2, 1, Fraction(0), Fraction(1, 2))
    Fraction(1, 4)
    """
    density = _poly(0, 1) ** (a - 1) * _poly(1, -1) ** (b - 1) * (a * comb(a + b - 1, a))
    primitive = density.integral()
    return _at(primitive, high) - _at(primitive, low)


def binomial_mass(size: int, p: Fraction, least: int) -> Fraction:
    """Pr[Bin(size, p) >= least], exact.

    >>> binomial_mass(2, Fraction(1, 2), 1)
    Fraction(3, 4)
    """
    return sum(
        (comb(size, k) * p**k * (1 - p) ** (size - k) for k in range(max(least, 0), size + 1)), Fraction(0)
    )


def far_classes(size: int, v: Fraction) -> bool:
    """C7, A_+: the omega_ij add to T(d); kept to i + j >= 2R + 2 they add to T(d) Pr[Beta(R-d/2+1, M-R-d/2+1) <= theta].

    size = M. All centres in {0,1}^(M+1), all even d, all R.

    >>> far_classes(5, Fraction(1, 3))
    True
    """
    theta = v**2 / (1 + v**2)
    inverse_r = 2 * v / (1 + v**2)
    for d in range(0, size + 1, 2):
        counts = _distance_sums(size + 1, d)
        weights = [n * v**s / (1 + v**2) ** (size + 1) for s, n in enumerate(counts)]
        _same(sum(weights), inverse_r**d, f"M = {size}, d = {d}: sum of all classes")
        for radius in range(d // 2, size - d // 2 + 1):
            kept = sum(weights[2 * radius + 2 :], Fraction(0))
            tail = binomial_mass(size - d + 1, theta, radius - d // 2 + 1)
            mass = beta_mass(radius - d // 2 + 1, size - radius - d // 2 + 1, Fraction(0), theta)
            _same(kept, inverse_r**d * tail, f"M = {size}, d = {d}, R = {radius}: far classes")
            _same(tail, mass, f"M = {size}, d = {d}, R = {radius}: binomial tail and Beta mass")
    return True


def near_classes(size: int, v: Fraction, b: Fraction) -> bool:
    """C7, A_s: the centres with d(x,c) + d(y,c) = 2R number 2^d C(M-d, R-d/2); with weight (1-b)^(M-R) b^R gamma^d they give
    T(d) Pr[Bin(M-d, b) = R-d/2], and integrated over b, times M + 1 - d, T(d) Pr[theta <= Beta(R-d/2+1, M-R-d/2+1) <= 1-theta].

    gamma(b)^2 = 1/(4 rho b (1-b)), so gamma^d is rational for even d.

    >>> near_classes(5, Fraction(1, 3), Fraction(2, 5))
    True
    """
    theta = v**2 / (1 + v**2)
    inverse_rho = (2 * v / (1 + v**2)) ** 2
    for d in range(0, size + 1, 2):
        counts = _distance_sums(size, d)
        for radius in range(size // 2 + 1):
            where = f"M = {size}, d = {d}, R = {radius}"
            k, rest = radius - d // 2, size - radius - d // 2
            exact = 2**d * comb(size - d, k) if 0 <= k <= size - d else 0
            _same(counts[2 * radius], exact, f"{where}: number of centres")
            if k < 0 or rest < 0:
                continue
            gamma_d = (inverse_rho / (4 * b * (1 - b))) ** (d // 2)
            left = counts[2 * radius] * (1 - b) ** (size - radius) * b**radius * gamma_d
            chance = comb(size - d, k) * b**k * (1 - b) ** rest
            _same(left, inverse_rho ** (d // 2) * chance, f"{where}: near classes")
            density = _poly(0, 1) ** k * _poly(1, -1) ** rest * ((size + 1 - d) * comb(size - d, k))
            primitive = density.integral()
            middle = _at(primitive, 1 - theta) - _at(primitive, theta)
            _same(middle, beta_mass(k + 1, rest + 1, theta, 1 - theta), f"{where}: integral over b")
            far = beta_mass(k + 1, rest + 1, Fraction(0), theta)
            total = beta_mass(k + 1, rest + 1, Fraction(0), 1 - theta)
            _same(middle + far, total, f"{where}: the two means together")
    return True


def _subsets(size: int, chance: Fraction) -> Distribution:
    """Every S in [size] with its probability when each point is in S with this chance."""
    for s in range(1 << size):
        n = s.bit_count()
        yield s, chance**n * (1 - chance) ** (size - n)


def signed_sampling(size: int, gamma: Fraction) -> bool:
    """C7's features are unbiased: E chi_S(x) chi_S(y) = gamma^d, S with chance (1-gamma)/2 a coordinate, and over a uniform c
    E sum_i [d(x,c) = i][d(y,c) = 2R-i] = 2^(d-M) C(M-d, R-d/2). Over all S, c, and all x, y.

    >>> signed_sampling(4, Fraction(2, 3))
    True
    """
    for x, y in product(range(1 << size), repeat=2):
        d = (x ^ y).bit_count()
        mean = sum(
            (p * (-1) ** (x & s).bit_count() * (-1) ** (y & s).bit_count()
             for s, p in _subsets(size, (1 - gamma) / 2)),
            Fraction(0),
        )  # fmt: skip
        _same(mean, gamma**d, f"M = {size}, x = {x}, y = {y}: characters")
        if d % 2:
            continue
        for radius in range(size + 1):
            hits = sum(
                ((x ^ c).bit_count() == i) * ((y ^ c).bit_count() == 2 * radius - i)
                for c in range(1 << size)
                for i in range(2 * radius + 1)
            )
            k = radius - d // 2
            exact = 2**d * comb(size - d, k) if 0 <= k <= size - d else 0
            _same(hits, exact, f"M = {size}, x = {x}, y = {y}, R = {radius}: centres")
    return True


def hash_sampling(size: int, gamma: Fraction, eta: Fraction) -> bool:
    """C8's thinned hash field: E h(x|S) h(y|S) = eta^2 + eta (1-eta) gamma^d, over every S and every 0/1 table h of mean eta.

    S contains a coordinate with chance 1 - gamma. size <= 3: a full S has 2^(2^size) tables.

    >>> hash_sampling(2, Fraction(1, 3), Fraction(1, 5))
    True
    """
    for x, y in product(range(1 << size), repeat=2):
        d = (x ^ y).bit_count()
        mean = Fraction(0)
        for s, p in _subsets(size, 1 - gamma):
            patterns = sorted({z & s for z in range(1 << size)})
            place = {pattern: i for i, pattern in enumerate(patterns)}
            hits = sum(
                (
                    q
                    for h, q in _subsets(len(patterns), eta)
                    if h >> place[x & s] & 1 and h >> place[y & s] & 1
                ),
                Fraction(0),
            )
            mean += p * hits
        _same(mean, eta**2 + eta * (1 - eta) * gamma**d, f"M = {size}, x = {x}, y = {y}: hash field")
    return True


def masks(m: int, rho: Fraction) -> bool:
    """C6: three rectangular masks cover every pair once, the side expanded there has at most m/2 elements, and both
    sides give rho^-t: rho^-|q| sum_d (rho-1)^d C(u,d) = rho^-t = rho^-|a| sum_d (rho-1)^d C(|a \\ q|, d).

    >>> masks(7, Fraction(7, 4))
    True
    """
    for k, l in product(range(m + 1), repeat=2):
        small, large = 2 * k <= m, 2 * k > m and 2 * l >= m
        rest = 2 * k > m and 2 * l < m
        _same(small + large + rest, 1, f"m = {m}, |q| = {k}, |a| = {l}: number of masks")
        for t in range(max(0, k + l - m), min(k, l) + 1):
            u, side = (l - t, l) if rest else (k - t, k)
            _same(2 * u <= m, True, f"m = {m}, |q| = {k}, |a| = {l}, t = {t}: size of the expanded side")
            expanded = sum(((rho - 1) ** d * comb(u, d) for d in range(u + 1)), Fraction(0))
            _same(expanded / rho**side, 1 / rho**t, f"m = {m}, |q| = {k}, |a| = {l}, t = {t}: expansion")
    return True


def parity_distance(m: int) -> bool:
    """R1: d(q^c~, a~) = m - |q| - |a| + 2t + pi with pi = (m - |q| + |a|) mod 2, where z~ appends the parity of |z|.

    >>> parity_distance(4)
    True
    """
    full = (1 << m) - 1
    for q, a in product(range(1 << m), repeat=2):
        z = q ^ full
        t = (q & a).bit_count()
        pi = (m - q.bit_count() + a.bit_count()) % 2
        distance = (z ^ a).bit_count() + (z.bit_count() + a.bit_count()) % 2
        expected = m - q.bit_count() - a.bit_count() + 2 * t + pi
        _same(distance, expected, f"m = {m}, q = {q}, a = {a}: distance")
        _same(expected % 2, 0, f"m = {m}, q = {q}, a = {a}: even")
    return True


def reduction(setting: Setting, rho: Fraction, noise: int, delta: Fraction) -> bool:
    """R1: K = |q \\ a| rho^-t (1 +- eps) + delta solves, eps = 1/(4m), decided exactly for one choice of signs.

    rho must be at least the decay rate; `noise` seeds the signs, -1 gives every second level the opposite sign, so that
    neighbouring levels are as wrong as they can be.

    >>> reduction(Setting(3), Fraction(7, 4), -1, Fraction(1, 10**6))
    True
    """
    import numpy as np

    m = setting.m
    eps = Fraction(1, 4 * m)
    rng = np.random.default_rng(abs(noise))
    signs = rng.choice([-1, 1], size=(1 << m, 1 << m))
    entries = np.empty((1 << m, 1 << m), dtype=object)
    for q, a in product(range(1 << m), repeat=2):
        t, u = (q & a).bit_count(), (q & ~a).bit_count()
        sign = (1 if t % 2 else -1) if noise < 0 else int(signs[q, a])
        entries[q, a] = u * (1 + sign * eps) / rho**t + delta
    return decide(TableKernel("reduction", m, entries), setting).solves


def reduction_under_any_noise(setting: Setting, rho: Fraction, delta: Fraction) -> bool:
    """R1 for every noise at once: each entry of |q \\ a| rho^-t A + delta, 1 - eps <= A <= 1 + eps, takes its worse end.

    A condition is linear in each entry, so this is exact, not only sufficient. eps = 1/(4m).

    >>> reduction_under_any_noise(Setting(8), Fraction(7, 4), Fraction(1, 10**9))
    True
    >>> reduction_under_any_noise(Setting(8), Fraction(5, 4), Fraction(1, 10**9))
    False
    """
    m, n, tau = setting.m, setting.n, setting.tolerance
    eps = Fraction(1, 4 * m)
    for k in range(m + 1):
        size = [(k - t) / rho**t for t in range(k + 1)]

        def gain(y: int, t: int, size: list[Fraction] = size) -> Fraction:
            weight = t - y - tau
            return weight * (size[t] * (1 + eps if weight > 0 else 1 - eps) + delta)

        for y in range(k + 1):
            total = (k - y - tau) * delta if setting.self_included else Fraction(0)
            if n > 1:
                total += gain(y, y) + (n - 2) * max(gain(y, t) for t in range(y, k + 1))
            if total >= 0 and (n > 1 or y == k):
                return False
    return True
