"""The full kernels that the others approximate: softmax exp<x,y> and the Gaussian exp(-|x-y|^2/2), 2^m features on the cube.

Softmax: Vaswani et al., "Attention Is All You Need", NeurIPS 2017. Gaussian: Chen, Zeng, Ji, Yang, "Skyformer",
NeurIPS 2021.
"""

import numpy as np

from kattn_bounds.maps.base import Array, PublishedMap, Realised, from_kernel


def build_softmax(x: Array, y: Array, size: int, rng: np.random.Generator) -> Realised:
    return from_kernel(np.exp(x @ y.T), len(x))


def build_gaussian(x: Array, y: Array, size: int, rng: np.random.Generator) -> Realised:
    squares = (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1)[None, :] - 2 * x @ y.T
    return from_kernel(np.exp(-squares / 2), len(x))


SOFTMAX = PublishedMap("softmax", "Vaswani et al. 2017", build_softmax, "fixed")
GAUSSIAN = PublishedMap("gaussian", "Chen et al. 2021", build_gaussian, "fixed")
