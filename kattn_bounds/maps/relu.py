"""ReLU and squared ReLU, elementwise.

ReLU features: Cai, Gan, Han et al., "EfficientViT", ICCV 2023 (and Choromanski et al. 2021, "Performer-ReLU").
Squared ReLU as an elementwise feature map: So et al., "Primer", NeurIPS 2021, for the activation.
"""

import numpy as np

from kattn_bounds.maps.base import Array, PublishedMap, Realised, from_features


def relu(x: Array, power: int = 1) -> Array:
    """max(x, 0)^power.

    >>> relu(np.array([-1.0, 3.0]), 2).tolist()
    [0.0, 9.0]
    """
    return np.asarray(np.maximum(x, 0) ** power, dtype=np.float64)


def build(x: Array, y: Array, size: int, rng: np.random.Generator) -> Realised:
    return from_features(relu(x), relu(y))


def build_squared(x: Array, y: Array, size: int, rng: np.random.Generator) -> Realised:
    return from_features(relu(x, 2), relu(y, 2))


MAP = PublishedMap("relu", "Cai et al. 2023; Choromanski et al. 2021", build, "fixed")
SQUARED = PublishedMap("relu_squared", "So et al. 2021", build_squared, "fixed")
