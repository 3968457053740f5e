"""FAVOR+: positive random features of the exponential kernel, independent or orthogonal.

Choromanski et al., "Rethinking Attention with Performers", ICLR 2021, lemma 1 and section 3.2:
exp(<x,y>) = E exp(<w,x> - |x|^2/2) exp(<w,y> - |y|^2/2) for Gaussian w. Orthogonal: blocks of d orthogonal directions with
independent chi-distributed lengths.
"""

import numpy as np

from kattn_bounds.maps.base import Array, Build, PublishedMap, Realised, from_features


def directions(size: int, d: int, rng: np.random.Generator, orthogonal: bool) -> Array:
    """Random directions w as rows, shape (size, d), each standard Gaussian.

    >>> directions(4, 2, np.random.default_rng(0), True).shape
    (4, 2)
    """
    if not orthogonal:
        return rng.standard_normal((size, d))
    blocks = []
    for _ in range(-(-size // d)):
        frame, triangle = np.linalg.qr(rng.standard_normal((d, d)))
        frame = frame * np.sign(np.diag(triangle))  # uniform among orthogonal matrices
        lengths = np.sqrt(rng.chisquare(d, size=d))
        blocks.append(lengths[:, None] * frame.T)
    return np.vstack(blocks)[:size]


def positive_features(x: Array, w: Array) -> Array:
    """exp(<w,x> - |x|^2/2) / sqrt D, shape (2^m, D)."""
    exponent = x @ w.T - (x**2).sum(axis=1, keepdims=True) / 2
    return np.asarray(np.exp(exponent) / np.sqrt(len(w)), dtype=np.float64)


def build(x: Array, y: Array, size: int, rng: np.random.Generator) -> Realised:
    w = directions(size, x.shape[1], rng, orthogonal=False)
    return from_features(positive_features(x, w), positive_features(y, w))


def build_orthogonal(x: Array, y: Array, size: int, rng: np.random.Generator) -> Realised:
    w = directions(size, x.shape[1], rng, orthogonal=True)
    return from_features(positive_features(x, w), positive_features(y, w))


def _published(name: str, formula: Build) -> PublishedMap:
    return PublishedMap(
        name,
        "Choromanski et al. 2021",
        formula,
        "features",
        random=True,
        embeddings=("negated", "evened"),
        scales=(1.0, 1.5, 2.0),
        symmetric=False,
    )


MAP = _published("favor_positive", build)
ORTHOGONAL = _published("favor_orthogonal", build_orthogonal)
