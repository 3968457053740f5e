"""Groups of coordinate permutations and how they act on the features.

A kernel is looked for with psi(g a) = R(g) psi(a) and phi(g q) = R(g) phi(q), R an orthogonal representation of the group on the
D features. Then K(g q, g a) = K(q, a), and only one token of each orbit has free features: the linear programs shrink by
the order of the group.

Which R? In a solving kernel (inner readout, n >= 3) the rows of the m singleton queries are independent (L7) and the group
permutes them, so R contains the permutation representation of the coordinates. With D = m it *is* that one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import cos, lcm, pi, sin

import numpy as np
import numpy.typing as npt

from kattn_bounds.errors import InputError, shorten

Floats = npt.NDArray[np.float64]
Permutation = tuple[int, ...]
"""Images of the coordinates 0..m-1."""

MAX_ORDER = 5000


@dataclass(frozen=True, slots=True)
class Generators:
    """A group of coordinate permutations by generators, with the text that names it."""

    m: int
    permutations: tuple[Permutation, ...]
    text: str

    @property
    def cyclic_order(self) -> int | None:
        """The order when there is at most one generator, else None."""
        if not self.permutations:
            return 1
        if len(self.permutations) > 1:
            return None
        return lcm(*(len(cycle) for cycle in cycles(self.permutations[0])))


def cycles(permutation: Permutation) -> list[list[int]]:
    """The cycles of a permutation, fixed points included.

    >>> cycles((1, 0, 2))
    [[0, 1], [2]]
    """
    seen: set[int] = set()
    found = []
    for first in range(len(permutation)):
        cycle = []
        i = first
        while i not in seen:
            seen.add(i)
            cycle.append(i)
            i = permutation[i]
        if cycle:
            found.append(cycle)
    return found


def parse_group(text: str, m: int) -> Generators:
    """A group: its cyclic order r (as many r-cycles as fit), or generators in cycle notation separated by semicolons.

    >>> parse_group("3", 7).permutations
    ((1, 2, 0, 4, 5, 3, 6),)
    >>> parse_group("(1 2 3 4 5); (2 5)(3 4)", 5).permutations
    ((1, 2, 3, 4, 0), (0, 4, 3, 2, 1))
    >>> parse_group("9", 7)
    Traceback (most recent call last):
        ...
    kattn_bounds.errors.InputError: group '9' does not act on 7 coordinates: give 1 <= r <= 7, or cycles such as (1 2 3)(4 5)
    """
    fault = InputError(
        f"group '{shorten(text)}' does not act on {m} coordinates: give 1 <= r <= {m}, or cycles such as (1 2 3)(4 5)"
    )
    clean = text.strip()
    if clean.isdecimal():
        order = int(clean)
        if not 1 <= order <= m:
            raise fault
        if order == 1:
            return Generators(m, (), clean)
        whole = m // order * order
        images = tuple(i // order * order + (i % order + 1) % order if i < whole else i for i in range(m))
        return Generators(m, (images,), clean)
    found = []
    for part in clean.split(";"):
        if not re.fullmatch(r"\s*(\(\s*\d+([\s,]+\d+)*\s*\)\s*)+", part):
            raise fault
        image = list(range(m))
        moved: list[int] = []
        for inside in re.findall(r"\(([^)]*)\)", part):
            cycle = [int(number) - 1 for number in re.findall(r"\d+", inside)]
            moved += cycle
            if not all(0 <= i < m for i in cycle):
                raise fault
            for i, j in zip(cycle, cycle[1:] + cycle[:1], strict=True):
                image[i] = j
        if len(set(moved)) != len(moved):
            raise fault
        found.append(tuple(image))
    return Generators(m, tuple(found), clean)


@dataclass(frozen=True, slots=True)
class Representation:
    """Orthogonal matrices of the generators on the features. `permutes` when each permutes the features (phi, psi >= 0)."""

    name: str
    matrices: tuple[Floats, ...]
    features: int
    permutes: bool


def representations(group: Generators, features: int, *, nonneg: bool, natural: bool) -> list[Representation]:
    """The representations of the group on D features that a search tries, most symmetric choice of the extras first.

    `natural`: the coordinates' own representation is contained (D >= m), plus real irreducible ones (cyclic groups), or
    signs and the coordinates' own without its trivial part (other groups); with `nonneg` plus orbits of features.
    Without it, these alone.

    >>> [r.name for r in representations(parse_group("3", 3), 5, nonneg=False, natural=True)]
    ['coordinates + 1 + 1', 'coordinates + rotation 1/3']
    >>> [r.name for r in representations(parse_group("1", 3), 4, nonneg=False, natural=True)]
    ['coordinates + 1']
    """
    natural = natural and features >= group.m
    base = [_permutation_matrix(g) for g in group.permutations] if natural else []
    extra = features - group.m if natural else features
    found = []
    for names, blocks in _extras(group, extra, nonneg):
        matrices = []
        for i in range(len(group.permutations)):
            parts = ([base[i]] if natural else []) + [block[i] for block in blocks]
            matrices.append(_block_diagonal(parts))
        found.append(
            Representation(
                " + ".join((["coordinates"] if natural else []) + names), tuple(matrices), features, nonneg
            )
        )
    return found


def _extras(group: Generators, size: int, nonneg: bool) -> list[tuple[list[str], list[list[Floats]]]]:
    """Every multiset of small representations of total dimension `size`: names, and for each its generators' matrices."""
    atoms: list[tuple[str, int, list[Floats]]] = []
    count = len(group.permutations)
    order = group.cyclic_order
    if count == 0:
        atoms.append(("1", 1, []))
    elif nonneg:
        lengths = [d for d in range(1, order + 1) if order % d == 0] if order else [1]
        for d in lengths:
            shift = _permutation_matrix(tuple((i + 1) % d for i in range(d)))
            atoms.append(("1" if d == 1 else f"cycle {d}", d, [shift] * count))
        if order is None:
            atoms.append(("coordinates", group.m, [_permutation_matrix(g) for g in group.permutations]))
    elif order:
        for j in range(order // 2 + 1):
            if j == 0:
                atoms.append(("1", 1, [np.eye(1)]))
            elif 2 * j == order:
                atoms.append(("sign", 1, [-np.eye(1)]))
            else:
                angle = 2 * pi * j / order
                turn = np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])
                atoms.append((f"rotation {j}/{order}", 2, [turn]))
    else:
        for signs in product((1, -1), repeat=count):
            name = "1" if min(signs) == 1 else "sign " + "".join("+" if s == 1 else "-" for s in signs)
            character = Representation(name, tuple(s * np.eye(1) for s in signs), 1, False)
            if _respects(group, character):
                atoms.append((name, 1, list(character.matrices)))
        differences = _sum_zero_basis(group.m)
        reduced = [differences.T @ _permutation_matrix(g) @ differences for g in group.permutations]
        atoms.append(("(coordinates - 1)", group.m - 1, reduced))
    found = [
        ([atom[0] for atom in choice], [atom[2] for atom in choice])
        for number in range(size + 1)
        for choice in combinations_with_replacement(atoms, number)
        if sum(atom[1] for atom in choice) == size
    ]
    return sorted(found, key=lambda item: -len(item[0]))


def _sum_zero_basis(m: int) -> Floats:
    """Orthonormal basis of the vectors whose entries add up to 0, shape (m, m - 1)."""
    basis: Floats = np.linalg.qr(np.eye(m)[:, :-1] - np.eye(m)[:, 1:])[0]
    return basis


def _permutation_matrix(images: Sequence[int]) -> Floats:
    matrix = np.zeros((len(images), len(images)))
    matrix[list(images), range(len(images))] = 1.0
    return matrix


def _block_diagonal(parts: list[Floats]) -> Floats:
    size = sum(len(part) for part in parts)
    whole = np.zeros((size, size))
    offset = 0
    for part in parts:
        whole[offset : offset + len(part), offset : offset + len(part)] = part
        offset += len(part)
    return whole


class Symmetry:
    """A group with its representation, and what follows for tokens and features.

    order      number of elements
    action     (order, 2^m): image of every token under every element
    matrices   (order, D, D): R(g)
    orbits     least token of each orbit, ascending
    orbit_of   (2^m,): index into `orbits`
    frames     (2^m, D, D): features of token a = frames[a] @ parameters of its orbit. Columns are an orthonormal
               basis of what the stabiliser fixes (then zeros), carried along the orbit; for permuted features the
               basis is non-negative.

    >>> rotation = Symmetry(parse_group("3", 3), representations(parse_group("3", 3), 3, nonneg=False, natural=True)[0])
    >>> rotation.order, rotation.orbits.tolist()
    (3, [0, 1, 3, 7])
    """

    def __init__(self, group: Generators, representation: Representation) -> None:
        self.m, self.features, self.group, self.representation = (
            group.m,
            representation.features,
            group,
            representation,
        )
        permutations, self.matrices = _closure(group, representation)
        self.order = len(permutations)
        tokens = np.arange(1 << self.m, dtype=np.int64)
        self.action = np.zeros((self.order, len(tokens)), dtype=np.int64)
        for index, images in enumerate(permutations):
            for i, j in enumerate(images):
                self.action[index] |= ((tokens >> (self.m - 1 - i)) & 1) << (self.m - 1 - j)
        least = self.action.min(axis=0)
        self.orbits = np.unique(least)
        self.orbit_of = np.searchsorted(self.orbits, least)
        self.frames = self._frames()

    def stabiliser(self, token: int) -> npt.NDArray[np.bool_]:
        """Which elements fix the token."""
        fixed: npt.NDArray[np.bool_] = self.action[:, token] == token
        return fixed

    def _frames(self) -> Floats:
        size = self.features
        frames = np.zeros((1 << self.m, size, size))
        for token in self.orbits:
            fixing = self.matrices[self.stabiliser(int(token))].mean(axis=0)
            basis = self._orbit_indicators(fixing) if self.representation.permutes else _fixed_space(fixing)
            images, elements = np.unique(self.action[:, token], return_index=True)
            frames[images] = self.matrices[elements] @ basis
        return frames

    def _orbit_indicators(self, fixing: Floats) -> Floats:
        """Normalised indicators of the stabiliser's orbits on the features (the supports of the rows of its mean)."""
        patterns = np.unique(fixing > 1e-9, axis=0)
        basis = np.zeros((self.features, self.features))
        for column, pattern in enumerate(patterns):
            basis[pattern, column] = pattern.sum() ** -0.5
        return basis

    def expand(self, parameters: Floats, tokens: npt.NDArray[np.int64] | None = None) -> Floats:
        """Features of tokens (default all) from the parameters of their orbits, shape (number of orbits, D)."""
        chosen = np.arange(1 << self.m) if tokens is None else tokens
        features: Floats = np.einsum("aij,aj->ai", self.frames[chosen], parameters[self.orbit_of[chosen]])
        return features

    def restrict(self, features: Floats) -> Floats:
        """Parameters of the equivariant features nearest to the given ones at the orbits' least tokens."""
        parameters: Floats = np.einsum("aij,ai->aj", self.frames[self.orbits], features[self.orbits])
        return parameters


def _closure(group: Generators, representation: Representation) -> tuple[list[Permutation], Floats]:
    identity = tuple(range(group.m))
    elements: dict[Permutation, Floats] = {identity: np.eye(representation.features)}
    frontier = [identity]
    generators = list(zip(group.permutations, representation.matrices, strict=True))
    while frontier:
        grown = []
        for element in frontier:
            for images, matrix in generators:
                product_ = tuple(images[i] for i in element)
                value = matrix @ elements[element]
                known = elements.get(product_)
                if known is None:
                    elements[product_] = value
                    grown.append(product_)
                elif np.abs(known - value).max() > 1e-9:
                    raise InputError(
                        f"representation {representation.name} does not respect the relations of group "
                        f"'{shorten(group.text)}': give another one"
                    )
        if len(elements) > MAX_ORDER:
            raise InputError(
                f"group '{shorten(group.text)}' has more than {MAX_ORDER} elements: give fewer generators"
            )
        frontier = grown
    return list(elements), np.array(list(elements.values()))


def _respects(group: Generators, representation: Representation) -> bool:
    try:
        _closure(group, representation)
    except InputError:
        return False
    return True


def _fixed_space(projection: Floats) -> Floats:
    """Orthonormal basis of the range of a symmetric projection, padded with zero columns."""
    values, vectors = np.linalg.eigh((projection + projection.T) / 2)
    basis: Floats = vectors[:, ::-1] * (values[::-1] > 0.5)
    return basis
