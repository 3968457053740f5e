"""What a published map is here: a formula for features, applied to embedded tokens.

Numbers are doubles: a map is the doubles that its formula gives. Its kernel table is computed in double precision too, and
`relative_error` bounds what rounding changed in any entry, so a verdict on the table carries over to the map or is
UNDECIDED (`evaluate.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

UNIT_ROUNDOFF = 2.0**-53


@dataclass(frozen=True, slots=True)
class Realised:
    """A map on the cube: K as a table indexed [q, a], its number of features D, and a bound on the rounding.

    absolute_error[q, a] bounds |table - exact product of the features|, elementwise. `positions`, when given, are
    positive factors K_j = c_j K for the positions j of an n-token sequence (query last).
    """

    table: Array
    features: int
    absolute_error: Array
    positions: tuple[float, ...] | None = None


Build = Callable[[Array, Array, int, np.random.Generator], Realised]
"""(embedded queries (2^m, d), embedded tokens (2^m, d), size, random generator) -> the map on the cube."""


@dataclass(frozen=True, slots=True)
class PublishedMap:
    """A feature map from the literature.

    name        as on the command line, `maps:NAME`
    reference   where its formula stands
    build       the formula
    size        what `size` means: "features" (a free number D), "order" (of an expansion), or "fixed" (ignored)
    random      whether the map is drawn at random (a seed matters)
    embeddings  the embeddings it is tried with
    scales      factors c tried: the inner product of the embedded tokens is multiplied by c
    symmetric   whether permuting coordinates leaves the kernel alone, so that it is decided by orbits
    """

    name: str
    reference: str
    build: Build
    size: str
    random: bool = False
    embeddings: Sequence[str] = ("negated", "complement", "centred", "pairs", "evened")
    scales: Sequence[float] = (0.5, 1.0, 2.0, 4.0)
    symmetric: bool = True


def from_features(phi: Array, psi: Array) -> Realised:
    """K = Phi Psi^T in doubles, with the classical bound on the rounding of inner products of length D.

    >>> from_features(np.ones((2, 3)), np.ones((2, 3))).table.tolist()
    [[3.0, 3.0], [3.0, 3.0]]
    """
    width = phi.shape[1]
    growth = (width + 2) * UNIT_ROUNDOFF / (1 - (width + 2) * UNIT_ROUNDOFF)
    table = phi @ psi.T
    return Realised(table, width, 2 * growth * (np.abs(phi) @ np.abs(psi).T))


def from_kernel(table: Array, features: int) -> Realised:
    """A kernel in closed form, whose features are counted but not written out; entries within 2^13 roundings.

    An inner product s of embedded tokens (22 coordinates and |s| <= 88 at most, m <= 11) is within 2300 roundings of its value,
    which an exponential turns into as many of its own, and a power at most 40 takes 26 from each factor.
    """
    return Realised(table, features, np.abs(table) * 2**13 * UNIT_ROUNDOFF)
