"""Sparse set functions (C5 at finite size): K(q,a) = F(q \\ a), F(U) = sum of w_T over the masks T inside U, one feature a mask.

Instead of all d-sets (C4) take the orbits of a permutation group on the coordinates: designs and codes are unions of few orbits
of a large group. Which orbits and which weights is a linear program with reweighted costs, thinned afterwards. F
solves iff the least and largest values of F on the sets of u elements do, since the query of all ones has every set U.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

import numpy as np
import numpy.typing as npt

from kattn_bounds.cube import popcounts
from kattn_bounds.errors import InputError
from kattn_bounds.kernels.monomial import SetFunctionKernel, subset_sums
from kattn_bounds.lower.decay import Decay
from kattn_bounds.setting import Setting

MAX_M = 20
Permutation = tuple[int, ...]
Floats = npt.NDArray[np.float64]


def affine(m: int, power: int = 1) -> list[Permutation]:
    """Generators of x -> s x + b mod m, s a unit that is a power-th power.

    >>> affine(4), affine(5, 4)
    ([(1, 2, 3, 0), (0, 3, 2, 1)], [(1, 2, 3, 4, 0)])
    """
    units = sorted({pow(s, power, m) for s in range(2, m) if gcd(s, m) == 1} - {1})
    return [tuple((x + 1) % m for x in range(m)), *(tuple(s * x % m for x in range(m)) for s in units)]


def field(m: int) -> list[Permutation]:
    """Generators of x -> s x + b over the field of m = 4, 8 or 16 elements (elements are polynomials over two).

    >>> field(4)
    [(1, 0, 3, 2), (2, 3, 0, 1), (0, 2, 3, 1)]
    """
    modulus = {4: 0b111, 8: 0b1011, 16: 0b10011}.get(m)
    if modulus is None:
        raise InputError(f"m = {m}: give 4, 8 or 16")
    double = tuple(2 * x if 2 * x < m else 2 * x ^ modulus for x in range(m))
    shifts = [tuple(x ^ 1 << i for x in range(m)) for i in range(m.bit_length() - 1)]
    return [*shifts, double]


def projective(m: int) -> list[Permutation]:
    """Generators of PSL(2, p) on the p + 1 = m points of the projective line, p prime (the last point is infinity).

    >>> projective(4)
    [(1, 2, 0, 3), (3, 2, 1, 0), (0, 1, 2, 3)]
    """
    p = m - 1
    if p < 2 or any(p % d == 0 for d in range(2, int(p**0.5) + 1)):
        raise InputError(f"m = {m}: the projective line needs m - 1 prime, for instance m = 12, 14, 18 or 20")
    shift = (*((x + 1) % p for x in range(p)), p)
    invert = (p, *((-pow(x, -1, p)) % p for x in range(1, p)), 0)
    root = next(g for g in range(1, p) if len({pow(g, e, p) for e in range(p - 1)}) == p - 1)
    return [shift, invert, (*(root * root * x % p for x in range(p)), p)]


def orbits(m: int, generators: Sequence[Permutation]) -> npt.NDArray[np.int64]:
    """The least set of the orbit of every set U, shape (2^m,): bit i of U stands for point i.

    >>> orbits(3, [(1, 2, 0)]).tolist()
    [0, 1, 1, 3, 1, 3, 3, 7]
    """
    sets = np.arange(1 << m)
    images = []
    for generator in generators:
        image = np.zeros_like(sets)
        for i, j in enumerate(generator):
            image |= (sets >> i & 1) << j
        images.append(image)
    label = sets.copy()
    while True:
        before = label.copy()
        for image in images:
            least = np.minimum(label, label[image])
            label = least.copy()
            np.minimum.at(label, image, least)
        label = label[label]
        if np.array_equal(label, before):
            return label


@dataclass(frozen=True, slots=True)
class SetFunction:
    """Masks with exact weights that solve a setting."""

    m: int
    weights: dict[int, Fraction]

    @property
    def features(self) -> int:
        return len(self.weights)

    @property
    def kernel(self) -> SetFunctionKernel:
        return SetFunctionKernel(f"set function of {self.features} masks", self.m, self.weights)


def solves(setting: Setting, weights: dict[int, Fraction]) -> bool:
    """Whether F solves: exact integers over all 2^m sets, the least and largest value for each size.

    >>> weights = {mask: Fraction(1 if mask == 0 else 20) for mask in range(16) if mask.bit_count() in (0, 1, 3)}
    >>> solves(Setting(4), weights), solves(Setting(4, n=4), weights)
    (True, False)
    """
    scale = np.lcm.reduce([int(w.denominator) for w in weights.values()] or [1])
    f = subset_sums(setting.m, {mask: int(w * int(scale)) for mask, w in weights.items()})
    size = popcounts(setting.m)
    low = [int(f[size == u].min()) for u in range(setting.m + 1)]
    high = [int(f[size == u].max()) for u in range(setting.m + 1)]
    tau, n = setting.tolerance, setting.n
    if min(low) < 0:
        return False
    for u in range(setting.m + 1):
        total = (u - tau) * low[0] if setting.self_included else Fraction(0)
        if n == 1:
            return low[0] > 0
        above = ((s - tau) * (high[u - s] if s > tau else low[u - s]) for s in range(u + 1))
        total += -tau * low[u] + (n - 2) * max(above)
        if total >= 0:
            return False
    return True


class _Program:
    """The inequalities over the orbits' scaled weights and free bounds of F on each size."""

    def __init__(
        self, setting: Setting, label: npt.NDArray[np.int64], margin: float, degrees: Sequence[int]
    ) -> None:
        m, n, tau = setting.m, setting.n, float(setting.tolerance)
        rho = float(Decay(n, setting.tolerance).rate)
        size = popcounts(m).astype(int)
        heads = np.unique(label)
        self.heads = np.array([h for h in heads.tolist() if size[h] in degrees and h])
        self.cost = np.array([int((label == h).sum()) for h in self.heads], dtype=float)
        # How many masks of each orbit lie in each set: a fast zeta transform an orbit.
        counts = np.empty((len(heads), len(self.heads)))
        for column, head in enumerate(self.heads.tolist()):
            indicator = (label == head).astype(np.int32)
            for bit in range(m):
                pairs = indicator.reshape(-1, 2, 1 << bit)
                pairs[:, 1] += pairs[:, 0]
            counts[:, column] = indicator[heads]
        u = size[heads]
        counts *= rho ** -u[:, None].astype(float)
        self.scale = np.maximum(counts.max(axis=0), 1e-300)
        counts /= self.scale
        w, k = len(self.heads), len(heads)
        width = w + 2 * (m + 1)
        inside = np.zeros((2 * k, width))
        inside[:k, :w], inside[k:, :w] = -counts, counts
        inside[np.arange(k), w + u] = 1
        inside[k + np.arange(k), w + m + 1 + u] = -1
        empty = rho ** -u.astype(float)  # F(empty) = 1 is in every F(U)
        rows, bounds = [inside], [empty, -empty]
        for least in range(1, m + 1):
            for s in range(least + 1):
                row = np.zeros(width)
                row[w + least] -= (1 - margin) * tau
                column = w + (m + 1 if s > tau else 0) + least - s
                row[column] += (n - 2) * (s - tau) * rho**-s
                rows.append(row[None])
                own = (least - tau) * rho**-least if setting.self_included else 0.0
                bounds.append(np.array([-own]))
        self.matrix, self.bound, self.masks = np.vstack(rows), np.concatenate(bounds), w

    def weights(self, keep: npt.NDArray[np.bool_], price: Floats) -> Floats | None:
        """The cheapest scaled weights of the orbits kept, or None."""
        from scipy.optimize import linprog

        columns = np.concatenate([keep, np.ones(self.matrix.shape[1] - self.masks, dtype=bool)])
        objective = np.concatenate([price[keep], np.zeros(self.matrix.shape[1] - self.masks)])
        found = linprog(objective, A_ub=self.matrix[:, columns], b_ub=self.bound, method="highs")
        if found.x is None:
            return None
        y = np.zeros(self.masks)
        y[keep] = found.x[: int(keep.sum())]
        return y


def search(
    setting: Setting,
    generators: Sequence[Permutation],
    *,
    degrees: Sequence[int] | None = None,
    rounds: int = 8,
    margin: float = 1e-3,
) -> SetFunction | None:
    """A sparse set function that is invariant under the group and solves, with exact weights >= 0; None if none is found.

    Reweighted linear programs choose the orbits (an orbit costs its number of masks), then orbits are dropped, the
    most expensive first, while weights exist without them. Raises InputError for m > 20 or another readout.

    >>> found = search(Setting(6), affine(6))
    >>> found is not None and found.features <= 23 and solves(Setting(6), found.weights)
    True
    """
    if setting.m > MAX_M or setting.readout != "inner" or setting.n < 3 or setting.tolerance == 1:
        raise InputError(
            f"set functions are searched for m <= {MAX_M}, the inner readout, n >= 3, tolerance < 1"
        )
    label = orbits(setting.m, generators)
    program = _Program(setting, label, margin, list(degrees or range(setting.m + 1)))
    keep = np.ones(program.masks, dtype=bool)
    price = program.cost.copy()
    best: tuple[float, npt.NDArray[np.bool_]] | None = None
    for _ in range(rounds):
        y = program.weights(keep, price)
        if y is None:
            break
        used = y > 1e-9
        if best is None or program.cost[used].sum() < best[0]:
            best = (float(program.cost[used].sum()), used)
        price = program.cost / (y + 1e-3)
    if best is None:
        return None
    keep = best[1]
    for i in sorted(np.flatnonzero(keep).tolist(), key=lambda i: -program.cost[i]):
        without = keep.copy()
        without[i] = False
        if program.weights(without, program.cost) is not None:
            keep = without
    y = program.weights(keep, program.cost)
    if y is None:
        return None
    for digits in (3, 4, 6, 9):
        value = {
            head: Fraction(f"{w:.{digits - 1}e}")
            for head, w in zip(program.heads.tolist(), (y / program.scale).tolist(), strict=True)
            if w > 0
        }
        weights = {0: Fraction(1)} | {
            mask: value[head] for mask, head in enumerate(label.tolist()) if value.get(head)
        }
        if solves(setting, weights):
            return SetFunction(setting.m, weights)
    return None
