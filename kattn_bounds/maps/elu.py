"""elu + 1, elementwise: x + 1 for x > 0, e^x otherwise.

Katharopoulos, Vyas, Pappas, Fleuret, "Transformers are RNNs", ICML 2020, equation 7.
"""

import numpy as np

from kattn_bounds.maps.base import Array, PublishedMap, Realised, from_features


def elu_plus_one(x: Array) -> Array:
    """elu(x) + 1.

    >>> elu_plus_one(np.array([0.0, 1.0])).tolist()
    [1.0, 2.0]
    """
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def build(x: Array, y: Array, size: int, rng: np.random.Generator) -> Realised:
    return from_features(elu_plus_one(x), elu_plus_one(y))


MAP = PublishedMap("elu", "Katharopoulos et al. 2020", build, "fixed")
