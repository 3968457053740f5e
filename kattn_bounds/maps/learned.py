"""Learned features: phi and psi as free tables of D features, trained by gradient on the task itself.

Loss: the squared excess of the error over half the tolerance, on sequences drawn at random and on the worst sequence of
every query (level reduction), so that training sees what the verifier would object to. Adam with a decaying step, by
hand on numpy arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kattn_bounds.cube import inner_products
from kattn_bounds.errors import InputError
from kattn_bounds.kernels.base import TableKernel
from kattn_bounds.maps.base import Array
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Verdict
from kattn_bounds.verify import decide

MAX_M = 7


@dataclass(frozen=True, slots=True)
class Trained:
    """What training reached: the exact verdict on the table of doubles, its worst-case error as a float for reading, and
    the features found, shapes (2^m, D)."""

    verdict: Verdict
    worst_error: float | None
    steps: int
    phi: Array
    psi: Array


def train(
    setting: Setting,
    features: int,
    seed: int,
    steps: int = 4000,
    check_every: int = 200,
    goal: float | None = None,
) -> Trained:
    """Train non-negative tables of D features (softplus of free numbers) at length n, self included.

    The verdict is on the table of doubles, taken as exact rationals; it stops at the first check that the verifier
    accepts, or whose worst error is below `goal`. A table within rounding of rank D is not a certificate for D features;
    `search.exactify` makes one from psi.

    >>> train(Setting(2), 4, seed=0).verdict.value
    'PROVED'
    """
    if setting.m > MAX_M:
        raise InputError(f"m = {setting.m} is too large to train on: give m <= {MAX_M}")
    m, size = setting.m, setting.tokens
    rng = np.random.default_rng(seed)
    levels = np.array([inner_products(q, m) for q in range(size)], dtype=np.float64)
    parameters = [rng.normal(0, 1, (size, features)), rng.normal(0, 1, (size, features))]
    first = [np.zeros_like(p) for p in parameters]
    second = [np.zeros_like(p) for p in parameters]
    last: Trained | None = None
    for step in range(1, steps + 1):
        phi, psi = (np.logaddexp(0, p) for p in parameters)
        kernel = phi @ psi.T
        if step % check_every == 0 or step == steps:
            found = decide(TableKernel("learned", m, kernel), setting)
            error = None if found.worst_error is None else float(found.worst_error)
            last = Trained(found.verdict, error, step, phi, psi)
            if found.solves and (goal is None or (error is not None and error < goal)):
                return last
        gradient = _kernel_gradient(kernel, levels, setting, rng)
        slopes = (gradient @ psi, gradient.T @ phi)
        rate = 0.05 * (1 - step / (steps + 1))
        for i, slope in enumerate(slopes):
            full = slope / (1 + np.exp(-parameters[i]))  # derivative of softplus
            first[i] = 0.9 * first[i] + 0.1 * full
            second[i] = 0.99 * second[i] + 0.01 * full**2
            step_size = first[i] / (1 - 0.9**step) / (np.sqrt(second[i] / (1 - 0.99**step)) + 1e-12)
            parameters[i] = parameters[i] - rate * step_size
    assert last is not None
    return last


def _kernel_gradient(kernel: Array, levels: Array, setting: Setting, rng: np.random.Generator) -> Array:
    """Gradient of the loss with respect to the kernel's entries."""
    size = setting.tokens
    queries = np.repeat(np.arange(size), 8)
    sequences = rng.integers(0, size, (len(queries), setting.n - 1))
    worst = _worst_sequences(kernel, levels, setting)
    rows = np.concatenate((queries, worst[:, -1]))
    attended = np.concatenate((np.column_stack((sequences, queries)), worst))
    weights = kernel[rows[:, None], attended]
    marks = levels[rows[:, None], attended]
    target = marks.min(axis=1)
    total = weights.sum(axis=1)
    output = (weights * marks).sum(axis=1) / total
    excess = np.maximum(output - target - float(setting.tolerance) / 2, 0)
    # d output / d K(q, x) = (t - output) / total
    slope = 2 * excess[:, None] * (marks - output[:, None]) / total[:, None]
    gradient = np.zeros_like(kernel)
    np.add.at(gradient, (rows[:, None].repeat(attended.shape[1], 1), attended), slope)
    return gradient / len(rows)


def _worst_sequences(kernel: Array, levels: Array, setting: Setting) -> np.ndarray:
    """For every query and minimal level, the sequence that misses the tolerance by most (in floating point)."""
    tau = float(setting.tolerance)
    found = []
    for q in range(setting.tokens):
        row, marks = kernel[q], levels[q]
        for t in range(q.bit_count() + 1):
            least = np.flatnonzero(marks == t)
            above = np.flatnonzero(marks >= t)
            a = least[int(np.argmin(row[least]))]
            b = above[int(np.argmax(row[above] * (marks[above] - t - tau)))]
            found.append([a, *[b] * (setting.n - 2), q][-setting.n :])
    return np.array(found)
