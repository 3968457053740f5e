"""Random Fourier features of the Gaussian kernel exp(-|x-y|^2/2): pairs cos <w,x>, sin <w,x>.

Rahimi, Recht, "Random Features for Large-Scale Kernel Machines", NeurIPS 2007; in attention: Peng et al., "Random
Feature Attention", ICLR 2021. The features are signed, so an entry of the kernel can be negative; a negative weight counts
as a failure.
"""

import numpy as np

from kattn_bounds.maps.base import Array, PublishedMap, Realised, from_features


def fourier_features(x: Array, w: Array) -> Array:
    """(cos <w,x>, sin <w,x>) / sqrt(number of directions), shape (2^m, 2 len(w))."""
    angles = x @ w.T
    return np.asarray(np.hstack((np.cos(angles), np.sin(angles))) / np.sqrt(len(w)), dtype=np.float64)


def build(x: Array, y: Array, size: int, rng: np.random.Generator) -> Realised:
    w = rng.standard_normal((max(1, size // 2), x.shape[1]))
    return from_features(fourier_features(x, w), fourier_features(y, w))


MAP = PublishedMap(
    "fourier",
    "Rahimi and Recht 2007; Peng et al. 2021",
    build,
    "features",
    random=True,
    embeddings=("evened", "centred"),
    scales=(1.0, 1.5, 2.0),
    symmetric=False,
)
