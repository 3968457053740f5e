"""How tokens enter a map that was made for vectors: a small stated set of embeddings.

The task prefers small inner products while published maps prefer large ones, so each embedding turns the query around:

    negated     q -> -q,             a -> a            <x,y> = -t
    complement  q -> 1 - q,          a -> a            <x,y> = |a| - t
    centred     q -> 1 - 2q,         a -> 2a - 1       <x,y> = 2|q| + 2|a| - 4t - m
    pairs       q -> (1 - q, q),     a -> (1, 1 - a)   <x,y> = m - t, all coordinates >= 0
    evened      q -> (-q, 0),        a -> (a, 1 - a)   <x,y> = -t, every |y|^2 = m

A scale c multiplies both sides by sqrt c, so inner products by c.
"""

from __future__ import annotations

import numpy as np

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.maps.base import Array


def cube(m: int) -> Array:
    """The tokens as rows of bits, shape (2^m, m), coordinate 1 first.

    >>> cube(2).tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    """
    tokens = np.arange(1 << m)[:, None]
    return (tokens >> np.arange(m - 1, -1, -1) & 1).astype(np.float64)


def embed(name: str, m: int, scale: float) -> tuple[Array, Array]:
    """Embedded queries and tokens, shapes (2^m, d).

    >>> x, y = embed("pairs", 2, 1.0)
    >>> (x @ y.T).tolist()[3]
    [2.0, 1.0, 1.0, 0.0]
    """
    bits = cube(m)
    zeros, ones = np.zeros_like(bits), np.ones_like(bits)
    pairs = {
        "negated": (-bits, bits),
        "complement": (1 - bits, bits),
        "centred": (1 - 2 * bits, 2 * bits - 1),
        "pairs": (np.hstack((1 - bits, bits)), np.hstack((ones, 1 - bits))),
        "evened": (np.hstack((-bits, zeros)), np.hstack((bits, 1 - bits))),
    }
    if name not in pairs:
        raise InputError(f"embedding '{shorten(name)}' is unknown: give one of {', '.join(pairs)}")
    x, y = pairs[name]
    return x * np.sqrt(scale), y * np.sqrt(scale)
