"""Linear programming in two rooms: HiGHS proposes a basis in floats, exact elimination makes it rational and checks it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from kattn_bounds.prove.language import Affine

Vector = Mapping[Any, Fraction]

_SMALL = 1e-9


def solve_exact(columns: Sequence[Vector], right: Vector) -> list[Fraction] | None:
    """The exact solution of sum x_i * columns[i] = right, free unknowns set to 0; None when there is none.

    >>> solve_exact([{"u": Fraction(2)}, {"u": Fraction(1), "v": Fraction(1)}], {"u": Fraction(5), "v": Fraction(1)})
    [Fraction(2, 1), Fraction(1, 1)]
    """
    keys = list(dict.fromkeys([k for c in columns for k in c] + list(right)))
    width = len(columns)
    rows: list[dict[int, Fraction]] = []
    for key in keys:
        row = {i: c[key] for i, c in enumerate(columns) if c.get(key)}
        if right.get(key):
            row[width] = right[key]
        if row:
            rows.append(row)
    pivots: dict[int, dict[int, Fraction]] = {}
    for row in rows:
        for i, pivot in pivots.items():
            factor = row.get(i)
            if factor:
                _subtract(row, pivot, factor)
        lead = min((i for i in row if i < width), default=None)
        if lead is None:
            if row:
                return None
            continue
        scale = row[lead]
        row = {i: c / scale for i, c in row.items()}
        for other in pivots.values():
            factor = other.get(lead)
            if factor:
                _subtract(other, row, factor)
        pivots[lead] = row
    return [pivots[i].get(width, Fraction(0)) if i in pivots else Fraction(0) for i in range(width)]


def _subtract(row: dict[int, Fraction], pivot: Mapping[int, Fraction], factor: Fraction) -> None:
    for i, c in pivot.items():
        value = row.get(i, Fraction(0)) - factor * c
        if value:
            row[i] = value
        else:
            row.pop(i, None)


def combine(columns: Sequence[Vector], weights: Sequence[Fraction]) -> dict[Any, Fraction]:
    """sum weights[i] * columns[i], zeros left out."""
    total: dict[Any, Fraction] = {}
    for column, weight in zip(columns, weights, strict=True):
        if weight:
            for key, c in column.items():
                total[key] = total.get(key, Fraction(0)) + weight * c
    return {k: c for k, c in total.items() if c}


def propose(
    columns: Sequence[Vector],
    right: Vector,
    cost: Sequence[float],
    binaries: Sequence[int] = (),
    cap: float = 0.0,
    seconds: float = 5.0,
) -> list[float] | None:
    """Float x >= 0 with sum x_i columns[i] = right of least cost, from HiGHS; None when it finds none.

    With `binaries`, the number of non-zero x_i among them is minimised first (x_i <= cap), by a mixed-integer program.
    """
    import numpy as np
    from scipy import optimize, sparse

    index: dict[Hashable, int] = {}
    data: list[float] = []
    where: tuple[list[int], list[int]] = ([], [])
    for j, column in enumerate(columns):
        for key, c in column.items():
            where[0].append(index.setdefault(key, len(index)))
            where[1].append(j)
            data.append(float(c))
    for key, c in right.items():
        if key not in index:
            if c:
                return None
            index[key] = len(index)
    b = np.zeros(len(index))
    for key, c in right.items():
        b[index[key]] = float(c)
    width = len(columns)
    if not width:
        return [] if not b.any() else None
    matrix = sparse.csc_matrix((data, where), shape=(len(index), width))
    if not binaries:
        result = optimize.linprog(cost, A_eq=matrix, b_eq=b, bounds=(0, None), method="highs-ds")
        return [float(x) for x in result.x] if result.status == 0 else None
    count = len(binaries)
    switch = sparse.lil_matrix((count, width + count))
    for row, j in enumerate(binaries):
        switch[row, j] = 1.0
        switch[row, width + row] = -cap
    equal = sparse.hstack([matrix, sparse.csc_matrix((len(index), count))])
    result = optimize.milp(
        np.concatenate([np.asarray(cost) * 1e-3, np.ones(count)]),
        constraints=[
            optimize.LinearConstraint(equal, b, b),
            optimize.LinearConstraint(switch.tocsc(), -np.inf, 0.0),
        ],
        integrality=np.concatenate([np.zeros(width), np.ones(count)]),
        bounds=optimize.Bounds(0.0, np.concatenate([np.full(width, np.inf), np.ones(count)])),
        options={"time_limit": seconds},
    )
    return None if result.x is None else [float(x) for x in result.x[:width]]


def nonnegative_solution(
    columns: Sequence[Vector], right: Vector, cost: Sequence[float] | None = None
) -> list[Fraction] | None:
    """Exact x >= 0 with sum x_i * columns[i] = right, or None when none was found and confirmed.

    None is no proof that there is none.

    >>> nonnegative_solution([{"u": Fraction(1)}, {"u": Fraction(-1)}], {"u": Fraction(1, 3)})
    [Fraction(1, 3), Fraction(0, 1)]
    """
    floats = propose(columns, right, cost if cost is not None else [1.0] * len(columns))
    return None if floats is None else confirm(columns, right, floats)


def confirm(columns: Sequence[Vector], right: Vector, floats: Sequence[float]) -> list[Fraction] | None:
    """The exact solution on the support of a float proposal, or None when it is not exact or not >= 0."""
    support = [i for i, x in enumerate(floats) if x > _SMALL]
    solution = solve_exact([columns[i] for i in support], right)
    if solution is None or any(x < 0 for x in solution):
        return None
    full = [Fraction(0)] * len(columns)
    for i, x in zip(support, solution, strict=True):
        full[i] = x
    return full if combine(columns, full) == {k: c for k, c in right.items() if c} else None


def certainly_empty(forms: Sequence[Affine]) -> bool:
    """True when no rational (so no integer) point has all forms >= 0: a combination >= 0 of them is -1, exactly.

    >>> x = Affine.variable("x")
    >>> certainly_empty([x - 2, -x + 1])
    True
    >>> certainly_empty([x, -x])
    False
    """
    if any(f.is_number and f.constant < 0 for f in forms):
        return True
    columns = [{**f.terms, "": f.constant} for f in forms if not f.is_number]
    return nonnegative_solution(columns, {"": Fraction(-1)}) is not None


def covered(region: Sequence[Affine], pieces: Sequence[Sequence[Affine]]) -> bool:
    """True when every integer point of {region >= 0} lies in a piece {forms >= 0}; False means it was not shown.

    The rest of the region is split along the first piece's forms, each part handed to the next pieces, and every last part
    is shown empty by an exact combination.

    >>> x = Affine.variable("x")
    >>> covered([x], [[x - 3], [-x + 2]]), covered([x], [[x - 3], [-x + 1]])
    (True, False)
    """
    if certainly_empty(region):
        return True
    if not pieces:
        return False
    held = list(region)
    for form in pieces[0]:
        outside = (-form - 1).integral()
        if not covered([*held, outside], pieces[1:]):
            return False
        held.append(form)
    return True
