"""Sparse monomials (C4): K(q,a) = p(u), u = |q \\ a|, p(u) = sum over degrees d in S of w_d C(u,d), D = sum of the C(m,d).

The row of the query of all ones contains every other query's constraints (u runs over 0..m there), so p solves iff

    tau p(u) > (n-2) max_{0<=s<=u} (s - tau) p(u-s) + (u - tau) p(0)      for u = 0..m

(the last term with self included only): linear in w for given S, and a mixed-integer program for the cheapest S. For
the same reason weights that depend on |q| alone gain nothing; weights that depend on |a| too do (upper.symmetric). p(0) = w_0 is
positive then, so 0 is in S. Solvers propose degrees and weights; the weights are rounded to few digits and decided exactly.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import comb

import numpy as np
import numpy.typing as npt

from kattn_bounds.errors import InputError
from kattn_bounds.kernels.base import ClassKernel
from kattn_bounds.kernels.monomial import monomial_kernel
from kattn_bounds.lower.decay import Decay
from kattn_bounds.setting import Setting

MAX_M = 64
LARGEST = 1e4
"""Largest scaled weight that the mixed-integer program may propose."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Monomials:
    """Degrees with exact weights that solve a setting. `nonneg`: every weight is >= 0."""

    m: int
    weights: dict[int, Fraction]

    @property
    def features(self) -> int:
        return sum(comb(self.m, d) for d in self.weights)

    @property
    def nonneg(self) -> bool:
        return min(self.weights.values()) >= 0

    @property
    def kernel(self) -> ClassKernel:
        return monomial_kernel(self.m, self.weights)


def solves(setting: Setting, weights: dict[int, Fraction]) -> bool:
    """Whether p(u) = sum of w_d C(u,d) solves, by the exact inequalities above.

    >>> solves(Setting(4), {0: Fraction(1), 1: Fraction(20), 3: Fraction(20)})
    True
    >>> solves(Setting(4), {0: Fraction(1), 1: Fraction(20)})
    False
    """
    tau, m, n = setting.tolerance, setting.m, setting.n
    p = [sum((w * comb(u, d) for d, w in weights.items()), Fraction(0)) for u in range(m + 1)]
    if min(p) < 0:
        return False
    for u in range(m + 1):
        total = (u - tau) * p[0] if setting.self_included else Fraction(0)
        if n == 1 and u:
            break
        if n > 1:
            total += -tau * p[u] + (n - 2) * max((s - tau) * p[u - s] for s in range(u + 1))
        if total >= 0:
            return False
    return True


class _Program:
    """The inequalities over scaled weights y_d = w_d g_d, g_d = max_u C(u,d) rho^-u, each divided by rho^u."""

    def __init__(self, setting: Setting, margin: float) -> None:
        m, n, tau = setting.m, setting.n, float(setting.tolerance)
        if setting.readout != "inner" or n < 3 or setting.tolerance == 1:
            raise InputError("sparse monomials are for the inner readout, n >= 3 and tolerance < 1")
        if m > MAX_M:
            raise InputError(f"m = {m} is too large for the linear program: give m <= {MAX_M}")
        rho = float(Decay(n, setting.tolerance).rate)
        table = np.array([[float(comb(u, d)) / rho**u for d in range(m + 1)] for u in range(m + 1)])
        self.scale = table.max(axis=0)
        table /= self.scale
        rows: list[Floats] = []
        bounds: list[float] = []
        for u in range(1, m + 1):
            for s in range(u + 1):
                row = (n - 2) * (s - tau) * table[u - s] * rho**-s - (1 - margin) * tau * table[u]
                # y_0 = 1 is fixed: w_0 = 1 and g_0 = 1.
                own = (u - tau) * rho**-u if setting.self_included else 0.0
                rows.append(row[1:])
                bounds.append(-own - row[0])
        self.matrix, self.bound = np.array(rows), np.array(bounds)

    def weights(self, degrees: Sequence[int], signed: bool) -> Floats | None:
        """Scaled weights of the given degrees (0 left out), smallest in sum of moduli; None when infeasible."""
        from scipy.optimize import linprog

        if not degrees:
            return np.zeros(0) if self.bound.min() >= 0 else None
        part = self.matrix[:, [d - 1 for d in degrees]]
        if signed:
            part = np.hstack([part, -part])
        found = linprog(np.ones(part.shape[1]), A_ub=part, b_ub=self.bound, method="highs")
        if found.x is None:
            return None
        y: Floats = found.x[: len(degrees)] - (found.x[len(degrees) :] if signed else 0)
        return y


def weights_for(setting: Setting, degrees: Iterable[int], *, signed: bool = False) -> Monomials | None:
    """Exact weights for the given degrees, or None when the linear program finds none with any margin.

    0 is always one of the degrees. Raises InputError for a degree outside 0..m.

    >>> found = weights_for(Setting(6), [1, 2, 6])
    >>> found is not None and (found.features, found.nonneg)
    (23, True)
    >>> weights_for(Setting(6), [1, 2]) is None
    True
    """
    wanted = sorted(set(degrees) - {0})
    outside = [d for d in wanted if not 0 <= d <= setting.m]
    if outside:
        raise InputError(f"degree {outside[0]} is out of range: give degrees 0 to {setting.m}")
    for margin in (1e-2, 1e-3, 1e-4, 1e-6):
        program = _Program(setting, margin)
        y = program.weights(wanted, signed)
        if y is None:
            continue
        for digits in (2, 3, 4, 6, 9, 12):
            weights = {0: Fraction(1)} | {
                d: Fraction(f"{v / program.scale[d]:.{digits - 1}e}")
                for d, v in zip(wanted, y.tolist(), strict=True)
            }
            weights = {d: w for d, w in weights.items() if w}
            if solves(setting, weights):
                return Monomials(setting.m, weights)
    return None


def cheapest(setting: Setting, *, signed: bool = False, seconds: float = 60.0) -> Monomials:
    """The degrees of least cost that HiGHS finds, with exact weights: D = sum of the C(m,d).

    The solver's optimum is a proposal: what is returned is decided exactly and so is an upper bound, whatever the solver did.

    >>> found = cheapest(Setting(8))
    >>> found.features, sorted(found.weights)
    (65, [0, 1, 2, 6])
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    m = setting.m
    program = _Program(setting, 1e-4)
    cost = np.array([float(comb(m, d)) for d in range(1, m + 1)])
    zero, reach = np.zeros_like(program.matrix), LARGEST * np.eye(m)
    links = [np.hstack([np.eye(m), -reach])]
    if signed:
        links.append(np.hstack([-np.eye(m), -reach]))
    tried: list[tuple[Floats, float]] = []
    everything = weights_for(setting, range(m + 1), signed=signed)
    if everything is None:
        raise InputError(f"no weights were found for {setting.describe()}")
    for _ in range(12):
        constraints = [
            LinearConstraint(np.hstack([program.matrix, zero]), ub=program.bound),
            LinearConstraint(np.vstack(links), ub=0.0),
            *(LinearConstraint(np.concatenate([np.zeros(m), row]), lb=low) for row, low in tried),
        ]
        with _quiet():
            found = milp(
                np.concatenate([np.zeros(m), cost / cost.max()]),
                constraints=constraints,
                integrality=np.concatenate([np.zeros(m), np.ones(m)]),
                bounds=Bounds(
                    np.concatenate([np.full(m, -LARGEST if signed else 0.0), np.zeros(m)]),
                    np.concatenate([np.full(m, LARGEST), np.ones(m)]),
                ),
                options={"time_limit": seconds, "mip_rel_gap": 0.0},
            )
        if found.x is None:
            break
        chosen = [d for d in range(1, m + 1) if found.x[m + d - 1] > 0.5]
        exact = weights_for(setting, chosen, signed=signed)
        if exact is not None:
            return thinned(setting, exact, signed=signed)
        # The proposal leans on the solver's tolerances: one more degree is needed.
        row = np.ones(m)
        row[[d - 1 for d in chosen]] = 0
        tried.append((row, 1.0))
    return thinned(setting, everything, signed=signed)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what the solver's library prints on its own away from standard output."""
    sys.stdout.flush()
    kept = os.dup(1)
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(sink, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(sink)


def thinned(setting: Setting, start: Monomials, *, signed: bool = False) -> Monomials:
    """Drop degrees, the most expensive first, as long as exact weights exist without them.

    >>> full = weights_for(Setting(4), range(5))
    >>> full is not None and thinned(Setting(4), full).features < full.features
    True
    """
    best = start
    for d in sorted(start.weights, key=lambda d: -comb(setting.m, d)):
        if d:
            without = weights_for(setting, set(best.weights) - {d}, signed=signed)
            if without is not None:
                best = without
    return best
