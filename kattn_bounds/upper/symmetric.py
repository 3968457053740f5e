"""Search for cheap kernels that depend on |q|, |a| and <q,a> only.

Such a kernel is a sum of *families*, each alpha[|q|] beta[|a|] B(|q|, |a|, <q,a>) with a fixed B:

    type j             B = the zonal kernel of type j (kernels.isotypic), C(m,j) - C(m,j-1) features, signed
    block (side, d)    B = C(u, d), u = |q \\ a| or |a \\ q| (kernels.monomial), C(m, d) features, non-negative if alpha, beta are

For a given list of families the weights are searched by an exact-penalty sequential LP: every level of every row has a free
lower and upper bound, every pair of levels a slack, all weights move at once inside an elementwise trust region, and
a step counts only if the true (piecewise linear) violation falls. Floats only propose: the weights are rounded to
few digits and the checker decides.

With free bits the last coordinates are set apart: the weights depend on them in any way and the families live on the other
coordinates. A kernel K of m coordinates starts one of m + 1 with twice the features, [[1, 1], [1, x]] (x) K.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import comb, sqrt
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from kattn_bounds.certificates.checker import Rejected, check
from kattn_bounds.certificates.writer import Certificate, kernel_blocks, kernel_classes
from kattn_bounds.errors import InputError
from kattn_bounds.kernels.isotypic import dimension, levels, zonal
from kattn_bounds.kernels.monomial import Block
from kattn_bounds.lower.decay import Decay
from kattn_bounds.setting import Features, Setting

Floats = npt.NDArray[np.float64]
Part = tuple[int, tuple[Fraction, ...], tuple[Fraction, ...]]


@dataclass(frozen=True, slots=True)
class Family:
    """One term of the kernel: a zonal type, or a block of monomials on the q or the a side."""

    kind: Literal["type", "q", "a"]
    degree: int

    def cost(self, m: int) -> int:
        """Features of one such term."""
        return dimension(m, self.degree) if self.kind == "type" else comb(m, self.degree)


def types(ranks: Sequence[int]) -> list[Family]:
    """ranks[j] families of every type j.

    >>> sum(family.cost(10) for family in types([2, 1, 1]))
    46
    """
    return [Family("type", j) for j, rank in enumerate(ranks) for _ in range(rank)]


@dataclass(frozen=True, slots=True)
class Found:
    """A kernel that solves, with the certificate that the checker accepted; its weights in `parts` (types) or `blocks`."""

    features: int
    certificate: Certificate
    parts: list[Part] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


class Problem:
    """The violation of a setting as a function of the families' weights, and linear programs that reduce it.

    families    what the kernel is a sum of
    bits        the last coordinates that are free: weights depend on them as they like, families live on the others
    nonneg      keep every weight >= 0 (blocks only)
    margin      how far, relatively, each inequality must hold
    floor       least entry, relative to its level
    """

    def __init__(
        self,
        setting: Setting,
        families: Sequence[Family],
        *,
        bits: int = 0,
        nonneg: bool = False,
        margin: float = 0.02,
        floor: float = 1e-3,
    ) -> None:
        if setting.readout != "inner" or setting.n < 3 or setting.tolerance == 1:
            raise InputError("the symmetric search is for the inner readout, n >= 3 and tolerance < 1")
        if nonneg and any(family.kind == "type" for family in families):
            raise InputError("zonal types are signed: give blocks for non-negative features")
        if not 0 <= bits < setting.m:
            raise InputError(f"bits = {bits} is out of range: give 0 to {setting.m - 1}")
        m, tau = setting.m - bits, float(setting.tolerance)
        self.setting, self.families, self.nonneg = setting, list(families), nonneg
        self.bits, self.core = bits, m
        self.margin, self.floor = margin, floor
        self.rho = float(Decay(setting.n, setting.tolerance).rate)
        self.count = (m + 1) << bits
        """Row classes, and column classes: class (m + 1) * (free bits) + number of ones among the others."""
        rows = range(self.count)
        classes = [(r, c, t) for r in rows for c in rows for t in levels(m, r % (m + 1), c % (m + 1))]
        self.row, self.column, self.t = np.array(classes).T
        self.k, self.l = self.row % (m + 1), self.column % (m + 1)
        weight = np.array([r % (m + 1) + (r // (m + 1)).bit_count() for r in rows])
        first = np.concatenate([[0], np.cumsum(weight + 1)])
        common = np.bitwise_count((self.row // (m + 1)) & (self.column // (m + 1))).astype(int)
        self.level = first[self.row] + self.t + common
        self.level_k = np.repeat(weight, weight + 1)
        self.level_row = np.repeat(np.arange(self.count), weight + 1)
        self.level_t = np.concatenate([np.arange(k + 1) for k in weight])
        index = {c: i for i, c in enumerate(classes)}
        self.own = np.array([index[r, r, r % (m + 1)] for r in rows])
        tables = {family: self._table(family) for family in set(self.families)}
        self.basis = np.array([tables[family][0] for family in self.families])
        self.left = np.array([np.tile(tables[family][1], 1 << bits) for family in self.families])
        self.right = np.array([np.tile(tables[family][2], 1 << bits) for family in self.families])
        pairs = [
            (r, k, t, s)
            for r, k in enumerate(weight.tolist())
            for t in range(k + 1)
            for s in range(k - t + 1)
        ]
        self.pair_row, k, t, s = np.array(pairs).T
        self.low, self.high = first[self.pair_row] + t, first[self.pair_row] + t + s
        # All companions at the least level (s = 0), or n - 2 of them s levels above it; everything over tau.
        self.c_low = np.where(s == 0, setting.n - 1.0, 1.0)
        self.c_high = np.where(s == 0, 0.0, (setting.n - 2) * np.maximum(s - tau, 0) / tau)
        self.c_own = (k - t - tau) / tau if setting.self_included else np.zeros(len(pairs))

    @property
    def cost(self) -> int:
        """Features of the kernel."""
        return sum(family.cost(self.core) for family in self.families)

    def _table(self, family: Family) -> tuple[Floats, Floats, Floats]:
        """Scaled basis over the classes, and the scales of alpha and beta that give the exact weights."""
        m, d = self.core, family.degree
        ks = np.arange(m + 1)
        if family.kind != "type":
            u = (self.k if family.kind == "q" else self.l) - self.t
            scale = np.array([1.0 / max(1, comb(k, d)) for k in ks])
            ones = np.ones(m + 1)
            choose = np.array([float(comb(int(x), d)) for x in u])
            if family.kind == "q":
                return choose * scale[self.k], scale, ones
            return choose * scale[self.l], ones, scale
        norm = np.zeros(m + 1)
        multiplicity = np.array([float(comb(m - 2 * d, l - d)) if d <= l <= m - d else 0.0 for l in ks])
        for k in range(d, m - d + 1):
            norm[k] = sqrt(float(zonal(m, k, k)[d][-1]) * multiplicity[k])
        inverse = np.divide(1.0, norm, out=np.zeros(m + 1), where=norm > 0)
        left, right = inverse, multiplicity * inverse
        basis = np.zeros(len(self.k))
        for i, (k, l, t) in enumerate(zip(self.k.tolist(), self.l.tolist(), self.t.tolist(), strict=True)):
            rows = zonal(m, k, l)
            if d < len(rows):
                basis[i] = float(rows[d][t - levels(m, k, l)[0]]) * left[k] * right[l]
        return basis, left, right

    # ---------------------------------------------------------------------------------------- violation

    def entries(self, alpha: Floats, beta: Floats) -> Floats:
        """K on every class."""
        found: Floats = np.einsum("fc,fc,fc->c", alpha[:, self.row], beta[:, self.column], self.basis)
        return found

    def _bounds(self, entries: Floats) -> tuple[Floats, Floats]:
        low = np.full(len(self.level_k), np.inf)
        high = np.full(len(self.level_k), -np.inf)
        np.minimum.at(low, self.level, entries)
        np.maximum.at(high, self.level, entries)
        return low, high

    def _scale(self, low: Floats) -> Floats:
        """The size of each level: its least entry, but not much less than the level below it would allow."""
        scale = np.empty_like(low)
        for i, (k, t) in enumerate(zip(self.level_k, self.level_t, strict=True)):
            least = 1e-9 if t == 0 else scale[i - 1] * (0.01 if t == k else 0.2 / self.rho**2)
            scale[i] = max(low[i], least)
        return scale

    def violation(self, entries: Floats, scale: Floats | None = None) -> float:
        """Sum over pairs of levels of what each inequality lacks, relative to its level, plus negative entries."""
        low, high = self._bounds(entries)
        if scale is None:
            scale = self._scale(low)
        lacks = (
            self.c_high * high[self.high]
            + self.c_own * entries[self.own][self.pair_row]
            - (1 - self.margin) * self.c_low * low[self.low]
        ) / scale[self.low]
        negative = np.maximum(0, self.floor - low / scale)
        return float(np.maximum(lacks, 0).sum() + 10 * negative.sum())

    def solved(self, entries: Floats) -> bool:
        """Whether every inequality holds with a relative margin of 1e-6 (floats)."""
        low, high = self._bounds(entries)
        lacks = (
            self.c_high * high[self.high]
            + self.c_own * entries[self.own][self.pair_row]
            - self.c_low * low[self.low]
        )
        return bool(
            low.min() >= 0 and (lacks < -1e-6 * low[self.low]).all() and (entries[self.own] > 0).all()
        )

    # ------------------------------------------------------------------------------------------- steps

    def _step(
        self, alpha: Floats, beta: Floats, radius: float, rows_only: bool
    ) -> tuple[Floats, Floats] | None:
        """The linear program at (alpha, beta): the best change of the weights inside the trust region."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_matrix

        width, count = self.count, len(self.families)
        size, nc, nl, npair = count * width, len(self.k), len(self.level_k), len(self.pair_row)
        entries = self.entries(alpha, beta)
        low, _ = self._bounds(entries)
        if rows_only:
            scale = self.rho ** -self.level_t.astype(float)
            scale *= np.abs(alpha).max(axis=0)[self.level_row]
        else:
            scale = self._scale(low)
        o_beta, o_low, o_high, o_slack = size, 2 * size, 2 * size + nl, 2 * size + 2 * nl
        o_neg = o_slack + npair
        c, weight = np.arange(nc), 1 / scale[self.level]
        da, db = self.basis * beta[:, self.column], self.basis * alpha[:, self.row]
        f = np.arange(count)[:, None] * width
        wide = np.broadcast_to(c, (count, nc))
        change = [
            (wide, f + self.row, da * weight),
            (wide, o_beta + f + self.column, db * weight),
        ]
        p, own = np.arange(npair), self.own[self.pair_row]
        per_pair = 1 / scale[self.low]
        push = self.c_own * per_pair
        wide_p = np.broadcast_to(p, (count, npair)) + 2 * nc
        z = np.arange(nl)
        parts: list[tuple[Any, Any, Any]] = [
            *((r, col, -v) for r, col, v in change),
            (c, o_low + self.level, np.ones(nc)),
            *((r + nc, col, v) for r, col, v in change),
            (c + nc, o_high + self.level, -np.ones(nc)),
            (p + 2 * nc, o_high + self.high, self.c_high * scale[self.high] * per_pair),
            (p + 2 * nc, o_low + self.low, -(1 - self.margin) * self.c_low),
            (p + 2 * nc, o_slack + p, -np.ones(npair)),
            (wide_p, f + self.pair_row, push * da[:, own]),
            (wide_p, o_beta + f + self.pair_row, push * db[:, own]),
            (z + 2 * nc + npair, o_low + z, -np.ones(nl)),
            (z + 2 * nc + npair, o_neg + z, -np.ones(nl)),
        ]
        row, col, value = (np.concatenate([np.ravel(part[i]) for part in parts]) for i in range(3))
        keep = value != 0
        matrix = csr_matrix((value[keep], (row[keep], col[keep])), shape=(2 * nc + npair + nl, o_neg + nl))
        bound = np.concatenate(
            [entries * weight, -entries * weight, -push * entries[own], np.full(nl, -1.5 * self.floor)]
        )
        objective = np.zeros(o_neg + nl)
        objective[o_slack:o_neg], objective[o_neg:] = 1, 10
        reach_a = radius * (np.abs(alpha) + 0.1 * np.abs(alpha).max(axis=0, keepdims=True))
        reach_b = radius * (np.abs(beta) + 0.1 * np.abs(beta).max(axis=1, keepdims=True))
        if rows_only:
            reach_b = reach_b * 0
        reach_a, reach_b = reach_a * (self.left > 0), reach_b * (self.right > 0)
        lower, upper = np.full(o_neg + nl, -np.inf), np.full(o_neg + nl, np.inf)
        lower[:size], lower[size : 2 * size] = -reach_a.ravel(), -reach_b.ravel()
        upper[:size], upper[size : 2 * size] = reach_a.ravel(), reach_b.ravel()
        if self.nonneg:
            lower[:size] = np.maximum(lower[:size], -alpha.ravel())
            lower[size : 2 * size] = np.maximum(lower[size : 2 * size], -beta.ravel())
        lower[o_slack:] = 0
        if rows_only:
            lower[o_low : o_low + nl] = 0.05
        found = linprog(
            objective, A_ub=matrix, b_ub=bound, bounds=np.stack([lower, upper], 1), method="highs-ipm"
        )
        if found.x is None:
            return None
        step: tuple[Floats, Floats] = (
            found.x[:size].reshape(count, width),
            found.x[size : 2 * size].reshape(count, width),
        )
        return step

    def descend(
        self, alpha: Floats, beta: Floats, *, steps: int = 150, seconds: float = 60.0
    ) -> tuple[float, Floats, Floats]:
        """Reduce the violation from (alpha, beta); 0.0 when solved. Returns it with the weights."""
        start, radius, stalled = time.monotonic(), 0.3, 0
        for _ in range(steps):
            entries = self.entries(alpha, beta)
            before = self.violation(entries)
            if before <= 1e-9 or self.solved(entries):
                return 0.0, alpha, beta
            step = self._step(alpha, beta, radius, False)
            moved = False
            if step is not None:
                scale = self._scale(self._bounds(entries)[0])
                for length in (1.0, 0.5, 0.25):
                    new_alpha, new_beta = alpha + length * step[0], beta + length * step[1]
                    after = self.violation(self.entries(new_alpha, new_beta), scale)
                    if after < before * (1 - 1e-4):
                        alpha, beta, moved = self._normalised(new_alpha, new_beta)
                        stalled = stalled + 1 if after > 0.999 * before else 0
                        radius = min(1.0, radius * 1.5) if length == 1.0 else radius
                        break
            if not moved:
                radius /= 3
            if radius < 1e-5 or stalled > 12 or time.monotonic() - start > seconds:
                break
        return self.violation(self.entries(alpha, beta)), alpha, beta

    def solve(self, alpha: Floats, beta: Floats, seconds: float = 60.0) -> Found | None:
        """Descend with a generous margin, then with a small one; what the checker accepts, or None."""
        for self.margin, self.floor in ((0.02, 1e-3), (0.003, 1e-4)):
            violation, alpha, beta = self.descend(alpha, beta, seconds=seconds)
            if violation == 0.0:
                found = self.exact(alpha, beta)
                if found is not None:
                    return found
            elif violation > 50:
                break
        return None

    @staticmethod
    def _normalised(alpha: Floats, beta: Floats) -> tuple[Floats, Floats, bool]:
        """Every beta of largest modulus 1, every row of alpha too; scales that solving does not see."""
        size = np.abs(beta).max(axis=1, keepdims=True)
        size[size == 0] = 1
        alpha, beta = alpha * size, beta / size
        return alpha / np.maximum(np.abs(alpha).max(axis=0, keepdims=True), 1e-300), beta, True

    def start(self, rng: np.random.Generator, noise: float = 0.1) -> tuple[Floats, Floats]:
        """Weights to start from: the best truncation of a scaled x^t for types, powers with noise for blocks."""
        count, inner = len(self.families), self.core + 1
        x = self.rho ** -rng.uniform(0.9, 1.6)
        alpha, beta = np.zeros((count, self.count)), np.zeros((count, self.count))
        ks = np.arange(self.count) % inner + np.array([(r // inner).bit_count() for r in range(self.count)])
        if any(family.kind == "type" for family in self.families):
            level, weight = self.level_t[self.level], self.level_k[self.level]
            target = x**level * (weight - level + 0.3 if rng.random() < 0.5 else 1.0)
            seen: dict[int, int] = {}
            tilt = x ** (-ks * rng.uniform(0, 1))
            for i, family in enumerate(self.families):
                nth = seen[family.degree] = seen.get(family.degree, -1) + 1
                matrix = self._eigenvalues(family.degree, target)
                u, sigma, v = np.linalg.svd(matrix * tilt[:, None])
                alpha[i], beta[i] = u[:, nth] * sigma[nth] / tilt, v[nth]
        else:
            for i, family in enumerate(self.families):
                power = x if family.kind == "a" else x ** rng.choice([0.0, 0.0, 0.5, 1.0])
                beta[i] = power**ks
                alpha[i] = (1 / x - 1) ** family.degree * x**ks
        alpha = alpha * (1 + noise * rng.standard_normal(alpha.shape)) * (self.left > 0)
        beta = beta * (1 + noise * rng.standard_normal(beta.shape)) * (self.right > 0)
        if self.nonneg:
            alpha, beta = np.maximum(alpha, 0), np.maximum(beta, 0)
        alpha, beta, _ = self._normalised(alpha, beta)
        step = self._step(alpha, beta, 100.0, True)
        if step is not None and rng.random() < 0.5:
            alpha, beta, _ = self._normalised(alpha + step[0], beta)
        return alpha, beta

    def _eigenvalues(self, j: int, target: Floats) -> Floats:
        """lambda_j(k, l) of a function on the classes, in the scaled basis."""
        found = np.zeros((self.count, self.count))
        f = next(i for i, family in enumerate(self.families) if family.degree == j)
        start = 0
        while start < len(self.row):  # the classes of one row and column class stand together
            r, c = int(self.row[start]), int(self.column[start])
            rows = np.array(zonal(self.core, int(self.k[start]), int(self.l[start])), dtype=float)
            if j < len(rows):
                coefficient = np.linalg.solve(rows.T, target[start : start + len(rows)])[j]
                found[r, c] = coefficient / (self.left[f][r] * self.right[f][c])
            start += len(rows)
        return found

    # ------------------------------------------------------------------------------------------- exact

    def exact(self, alpha: Floats, beta: Floats) -> Found | None:
        """Round the weights to as few digits as the checker still accepts; None when it accepts no rounding."""
        if self.nonneg:
            alpha, beta = np.maximum(alpha, 0), np.maximum(beta, 0)
        for digits in (3, 4, 5, 6, 8, 10, 12):
            left = [_rounded(row, digits) for row in alpha * self.left]
            right = [_rounded(row, digits) for row in beta * self.right]
            found = self._certified(left, right)
            try:
                check(found.certificate)
            except Rejected:
                continue
            return found
        return None

    def _certified(self, left: list[tuple[Fraction, ...]], right: list[tuple[Fraction, ...]]) -> Found:
        """The kernel of these exact weights, with a certificate that is still to be checked."""
        terms = list(zip(self.families, left, right, strict=True))
        if all(family.kind == "type" for family in self.families):
            certificate = kernel_classes(self.setting, self._exact_table(terms), self.cost, bits=self.bits)
            return Found(self.cost, certificate, parts=[(f.degree, a, b) for f, a, b in terms])
        if self.bits or any(family.kind == "type" for family in self.families):
            raise InputError(
                "certificates hold zonal types, with free bits or without, or blocks without free bits"
            )
        blocks = [Block("q" if f.kind == "q" else "a", f.degree, a, b) for f, a, b in terms]
        listed = [(b.side, b.degree, b.alpha, b.beta) for b in blocks]
        features: Features = "nonneg" if self.nonneg else "signed"
        return Found(self.cost, kernel_blocks(self.setting, listed, features), blocks=blocks)

    def _exact_table(
        self, terms: list[tuple[Family, tuple[Fraction, ...], tuple[Fraction, ...]]]
    ) -> list[list[list[Fraction]]]:
        inner = self.core + 1
        table = []
        for r in range(self.count):
            row = []
            for c in range(self.count):
                basis = zonal(self.core, r % inner, c % inner)
                weights = [Fraction(0)] * len(basis)
                for family, alpha, beta in terms:
                    if family.degree < len(basis):
                        weights[family.degree] += alpha[r] * beta[c]
                row.append(
                    [
                        sum((w * line[t] for w, line in zip(weights, basis, strict=True)), Fraction(0))
                        for t in range(len(basis))
                    ]
                )
            table.append(row)
        return table


def _rounded(numbers: Floats, digits: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(f"{x:.{digits - 1}e}") for x in numbers.tolist())


def search(
    setting: Setting,
    families: Sequence[Family],
    *,
    bits: int = 0,
    nonneg: bool = False,
    seed: int = 0,
    attempts: int = 3,
    seconds: float = 60.0,
) -> Found | None:
    """A kernel of these families that solves the setting, decided exactly; None when the attempts find none.

    >>> found = search(Setting(4), types([1, 1]))
    >>> found is not None and found.features
    4
    """
    for attempt in range(attempts):
        rng = np.random.default_rng([seed, attempt])
        problem = Problem(setting, families, bits=bits, nonneg=nonneg)
        alpha, beta = problem.start(rng)
        found = problem.solve(alpha, beta, seconds)
        if found is not None:
            return found
    return None


def extend(
    base_setting: Setting,
    base: Found,
    bits: int,
    *,
    bases: Sequence[float] = (0.55, 0.45, 0.35),
    seed: int = 0,
    seconds: float = 60.0,
) -> Found | None:
    """A kernel of `bits` more coordinates with 2^bits times the features, started from [[1, 1], [1, x]] (x) ... (x) K.

    `base` is a kernel of zonal types that solves `base_setting`; x runs over `bases` until one start leads to a solution.

    >>> small = search(Setting(4), types([1, 1]))
    >>> larger = extend(Setting(4), small, 1) if small else None
    >>> larger is not None and larger.features
    8
    """
    families = [Family("type", j) for j, _, _ in base.parts]
    core = Problem(base_setting, families)
    setting = replace(base_setting, m=base_setting.m + bits)
    free = range(1 << bits)
    for attempt, x in enumerate(bases):
        rng = np.random.default_rng([seed, attempt])
        problem = Problem(setting, [f for f in families for _ in free], bits=bits)
        alpha, beta = (
            np.zeros((len(problem.families), problem.count)),
            np.zeros((len(problem.families), problem.count)),
        )
        for i, (_, left, right) in enumerate(base.parts):
            a = _unscaled(left, core.left[i])
            b = _unscaled(right, core.right[i])
            for s in free:  # x^|e n f| = sum over s in e n f of (x - 1)^|s|
                inside = [float(e & s == s) for e in free]
                alpha[i * len(free) + s] = np.kron(inside, a)
                beta[i * len(free) + s] = (x - 1) ** s.bit_count() * np.kron(inside, b)
        alpha += 0.01 * rng.standard_normal(alpha.shape) * np.abs(alpha).max(axis=0) * (problem.left > 0)
        beta += 0.01 * rng.standard_normal(beta.shape) * (problem.right > 0)
        alpha, beta, _ = problem._normalised(alpha, beta)
        found = problem.solve(alpha, beta, seconds)
        if found is not None:
            return found
    return None


def _unscaled(weights: Sequence[Fraction], scale: Floats) -> Floats:
    exact = np.array([float(w) for w in weights])
    found: Floats = np.divide(exact, scale, out=np.zeros_like(exact), where=scale > 0)
    return found
