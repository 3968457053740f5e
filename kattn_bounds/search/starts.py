"""Where a descent starts: features psi of all tokens, drawn from a seeded generator. Phi is solved for by the engine.

affine     random affine functions of the bits, with noise (the default: it succeeds most often)
positive   absolute values of Gaussians
monomials  the coordinates' own features 1 - a_i (K = |q \\ a| at the start) and random products of them, with noise
svd        the leading right singular vectors of x^t, rows perturbed
extended   psi of a solution at m - 1 on both halves of the cube, plus features of the new coordinate, with noise
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kattn_bounds.cube import popcounts
from kattn_bounds.errors import InputError, shorten
from kattn_bounds.search.symmetry import Floats

Random = np.random.Generator


def bits(m: int) -> Floats:
    """The coordinates of every token, shape (2^m, m).

    >>> bits(2).astype(int).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    tokens = np.arange(1 << m)
    return ((tokens[:, None] >> np.arange(m - 1, -1, -1)) & 1).astype(float)


def affine(m: int, features: int, random: Random) -> Floats:
    """Each feature a random affine function of the bits plus noise of a third of its size."""
    slopes = random.standard_normal((m, features))
    offset = random.standard_normal(features)
    return bits(m) @ slopes + offset + 0.3 * random.standard_normal((1 << m, features))


def positive(m: int, features: int, random: Random) -> Floats:
    """Absolute values of independent Gaussians."""
    return np.abs(random.standard_normal((1 << m, features)))


def monomials(m: int, features: int, random: Random) -> Floats:
    """Features [T n a empty] for the singletons T, then for random T of two or more elements; noise 0.3."""
    clear = 1.0 - bits(m)
    chosen = [clear[:, i] for i in range(min(m, features))]
    while len(chosen) < features:
        size = int(random.integers(2, m + 1)) if m > 1 else 1
        chosen.append(clear[:, random.choice(m, size=size, replace=False)].prod(axis=1))
    return np.stack(chosen, axis=1) + 0.3 * random.standard_normal((1 << m, features))


def svd(m: int, features: int, random: Random) -> Floats:
    """Right singular vectors of x^t with random x, rows scaled so that small weights count, entries perturbed."""
    tokens = np.arange(1 << m)
    x = random.uniform(0.2, 0.6)
    kernel = x ** np.bitwise_count(tokens[:, None] & tokens).astype(float)
    kernel *= np.exp(0.3 * random.standard_normal(kernel.shape)) * x ** (-0.5 * popcounts(m)[:, None])
    _, values, vectors = np.linalg.svd(kernel)
    count = min(features, len(values))
    psi = np.zeros((1 << m, features))
    psi[:, :count] = (vectors[:count] * np.sqrt(values[:count, None])).T
    return psi + 0.05 * random.standard_normal(psi.shape)


def extended(smaller: Floats, m: int, features: int, random: Random) -> Floats:
    """A solution's psi at m - 1, shape (2^(m-1), D'), D' <= D, extended to a first coordinate; noise 0.2.

    Raises InputError when its shape does not fit.
    """
    half, known = smaller.shape
    if half << 1 != 1 << m or known > features:
        raise InputError(
            f"a start of shape {smaller.shape} does not extend to m = {m}, D = {features}: "
            f"give shape ({1 << (m - 1)}, at most {features})"
        )
    psi = np.zeros((1 << m, features))
    scaled = smaller / np.abs(smaller).max()
    psi[:half, :known] = scaled
    psi[half:, :known] = random.uniform(0.3, 0.7) * scaled
    psi[:half, known:] = 1.0
    return psi + 0.2 * random.standard_normal(psi.shape)


STARTS: dict[str, Callable[[int, int, Random], Floats]] = {
    "affine": affine,
    "positive": positive,
    "monomials": monomials,
    "svd": svd,
}


def start(kind: str, m: int, features: int, random: Random) -> Floats:
    """Features psi of all tokens, shape (2^m, D), by the name of the start.

    >>> start("affine", 3, 2, np.random.default_rng(0)).shape
    (8, 2)
    >>> start("zero", 3, 2, np.random.default_rng(0))
    Traceback (most recent call last):
        ...
    kattn_bounds.errors.InputError: start 'zero' is unknown: give one of affine, positive, monomials, svd
    """
    if kind not in STARTS:
        raise InputError(f"start '{shorten(kind)}' is unknown: give one of {', '.join(STARTS)}")
    return STARTS[kind](m, features, random)
