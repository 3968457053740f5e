"""cosFormer: ReLU features, reweighted by cos(pi (i - j) / 2M) over positions.

Qin et al., "cosFormer: Rethinking Softmax in Attention", ICLR 2022, equations 8 to 10. With the cosine split by the addition
theorem each coordinate gives two features. Here M is the length of the sequence, n = 3, and the query is last.
"""

import math

import numpy as np

from kattn_bounds.maps.base import Array, PublishedMap, Realised, from_features
from kattn_bounds.maps.relu import relu

LENGTH = 3


def position_factors(length: int) -> tuple[float, ...]:
    """cos(pi (n - j) / 2n) for j = 1..n.

    >>> [round(c, 3) for c in position_factors(3)]
    [0.5, 0.866, 1.0]
    """
    return tuple(math.cos(math.pi * (length - j) / (2 * length)) for j in range(1, length + 1))


def build(x: Array, y: Array, size: int, rng: np.random.Generator) -> Realised:
    plain = from_features(relu(x), relu(y))
    # The factors are part of the map: at a fixed position they only scale the kernel, by a double near the cosine.
    return Realised(plain.table, 2 * plain.features, plain.absolute_error, position_factors(LENGTH))


MAP = PublishedMap("cosformer", "Qin et al. 2022", build, "fixed")
