"""Hedgehog-style exponential map: (e^x, e^-x), elementwise, before any training of its weights.

Zhang, Bhatia, Kumbong, Re, "The Hedgehog and the Porcupine", ICLR 2024, equation 6 with W the identity.
"""

import numpy as np

from kattn_bounds.maps.base import Array, PublishedMap, Realised, from_features


def exponentials(x: Array) -> Array:
    """(e^x, e^-x), shape (2^m, 2d).

    >>> exponentials(np.zeros((1, 2))).tolist()
    [[1.0, 1.0, 1.0, 1.0]]
    """
    return np.exp(np.hstack((x, -x)))


def build(x: Array, y: Array, size: int, rng: np.random.Generator) -> Realised:
    return from_features(exponentials(x), exponentials(y))


MAP = PublishedMap("hedgehog", "Zhang et al. 2024", build, "fixed")
