"""Derivations by Farkas' lemma, and rows that break a claim.

Over a system {rows < 0, K >= 0} a claim C < 0 follows exactly when C = sum multiplier * row - sum (something >= 0) * K with
a positive multiplier on some row; otherwise some row of kernel entries satisfies the system and has C >= 0. Both answers
come from a linear program and are confirmed in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kattn_bounds.prove.exactlp import combine, confirm, propose, solve_exact
from kattn_bounds.prove.language import Entry
from kattn_bounds.prove.system import Convention, Row, dot, holds, rows, unknowns

Values = dict[Entry, Fraction]
_MILP_ROWS = 400


@dataclass(frozen=True, slots=True)
class Multipliers:
    """C = sum multiplier * row - sum slack * K, exactly, at the levels of one system."""

    steps: tuple[tuple[Row, Fraction], ...]
    slack: Mapping[Entry, Fraction]


@dataclass(frozen=True, slots=True)
class BestConstant:
    """The largest c with C0 + c * C1 < 0 on the system, and a closure row on which every larger c fails (or None)."""

    constant: Fraction
    steps: tuple[tuple[Row, Fraction], ...]
    limit: Values | None


class ClassSystem:
    """One system with its rows as exact vectors.

    `levels` names the symbols with their levels; `extras` are the symbols that the statement does not name.
    """

    def __init__(self, levels: Mapping[str, int], query: str, convention: Convention) -> None:
        self.levels, self.query, self.convention = dict(levels), query, convention
        self.rows: list[Row] | None = rows(levels, query, convention)
        self.vectors = [r.values(levels, convention) for r in self.rows or []]
        self.unknowns = unknowns(levels, query, convention)
        self.weights = [e for e in self.unknowns if e.kind == "K"]

    def _columns(self) -> list[dict[Entry, Fraction]]:
        return [*self.vectors, *({e: Fraction(-1)} for e in self.weights)]

    def _costs(self, named: set[str]) -> list[float]:
        """Prefer sequences over named tokens, then short ones."""
        assert self.rows is not None
        row_costs = []
        for row in self.rows:
            foreign = len({x for x in row.sequence if x not in named})
            row_costs.append(1.0 + 0.25 * foreign + 0.01 * len(set(row.sequence)))
        return row_costs + [1e-6] * len(self.weights)

    def derive(self, claim: Mapping[Entry, Fraction], strict: bool, named: set[str]) -> Multipliers | None:
        """Multipliers that prove the claim on this system, with few rows; None when none were found."""
        if self.rows is None:
            return None
        columns, count = self._columns(), len(self.vectors)
        cost = self._costs(named)
        if strict and all(c <= 0 for c in claim.values()):
            cost = [-1.0] * count + [0.0] * len(self.weights)
        floats = propose(columns, claim, cost)
        if floats is None:
            return None
        solution = confirm(columns, claim, floats)
        if solution is None:
            return None
        support = sum(1 for x in solution[:count] if x)
        if support > 1:
            solution = self._fewest(columns, claim, cost, solution, support, strict)
        if strict and not any(solution[:count]):
            return None
        steps = tuple((r, x) for r, x in zip(self.rows, solution, strict=False) if x)
        slack = {e: x for e, x in zip(self.weights, solution[count:], strict=True) if x}
        return Multipliers(steps, slack)

    def _fewest(
        self,
        columns: Sequence[Mapping[Entry, Fraction]],
        claim: Mapping[Entry, Fraction],
        cost: Sequence[float],
        solution: list[Fraction],
        support: int,
        strict: bool,
    ) -> list[Fraction]:
        """A solution with the fewest rows: a small mixed-integer program, else rows deleted one by one."""
        count = len(self.vectors)
        positive = [abs(c) for c in cost]
        if count <= _MILP_ROWS:
            cap = 4 * float(max(solution[:count])) + 1
            floats = propose(columns, claim, positive, range(count), cap)
            found = None if floats is None else confirm(columns, claim, floats)
            if found is not None and 0 < sum(1 for x in found[:count] if x) <= support:
                return found
        keep = [i for i in range(len(columns)) if i >= count or solution[i]]
        for i in [i for i in keep if i < count]:
            trial = [j for j in keep if j != i]
            part = [columns[j] for j in trial]
            floats = propose(part, claim, [positive[j] for j in trial])
            found = None if floats is None else confirm(part, claim, floats)
            if found is not None and (
                not strict or any(x for j, x in zip(trial, found, strict=True) if j < count)
            ):
                keep = trial
                solution = [Fraction(0)] * len(columns)
                for j, x in zip(trial, found, strict=True):
                    solution[j] = x
        return solution

    def break_claim(self, claim: Mapping[Entry, Fraction], strict: bool) -> Values | None:
        """Exact entries that satisfy every row and break the claim; None when none were found.

        With the free readout every K is positive, so that V = N / K exists.
        """
        import numpy as np
        from scipy import optimize

        if self.rows is None:
            return None
        index = {e: i for i, e in enumerate(self.unknowns)}
        matrix, bound = [], []
        for vector in self.vectors:
            matrix.append(_dense(vector, index))
            bound.append(-1.0)
        matrix.append([-c for c in _dense(claim, index)])
        bound.append(0.0 if strict else -1.0)
        lower = 1.0 if self.convention.free else 0.0
        bounds = [(None, None) if e.kind == "N" else (lower, None) for e in self.unknowns]
        cost = [1.0 if e.kind == "K" else 0.0 for e in self.unknowns]
        result = optimize.linprog(cost, np.array(matrix), bound, bounds=bounds, method="highs-ds")
        if result.status != 0:
            return None
        floats = dict(zip(self.unknowns, (float(x) for x in result.x), strict=True))
        for candidate in self._exact_candidates(floats, [*self.vectors], claim, strict):
            positive = all(v >= 0 for e, v in candidate.items() if e.kind == "K")
            total = dot(claim, candidate)
            broken = total >= 0 if strict else total > 0
            if positive and broken and holds(self.vectors, candidate):
                return candidate
        return None

    def _exact_candidates(
        self,
        floats: Mapping[Entry, float],
        vectors: Sequence[Mapping[Entry, Fraction]],
        claim: Mapping[Entry, Fraction],
        strict: bool,
    ) -> list[Values]:
        """Simple roundings first, then the exact vertex of the active constraints."""
        sizes = (1, 2, 3, 4, 6, 12, 60, 1000, 10**6)
        found = [
            {e: Fraction(round(x * scale * size), size) for e, x in floats.items()}
            for size in sizes
            for scale in (1, 2)
        ]
        equations: list[tuple[Mapping[Entry, Fraction], Fraction]] = [
            (v, Fraction(-1)) for v in vectors if abs(_float_dot(v, floats) + 1) < 1e-7
        ]
        level = Fraction(0) if strict else Fraction(1)
        if abs(_float_dot(claim, floats) - float(level)) < 1e-7:
            equations.append((claim, level))
        fixed = Fraction(1) if self.convention.free else Fraction(0)
        for e, x in floats.items():
            if e.kind == "K" and abs(x - float(fixed)) < 1e-9:
                equations.append(({e: Fraction(1)}, fixed))
        vertex = solve_system(equations)
        if vertex is not None:
            found.append({e: vertex.get(e, Fraction(0)) for e in floats})
        return found

    def best(self, base: Mapping[Entry, Fraction], slope: Mapping[Entry, Fraction]) -> BestConstant | str:
        """The largest c for which base + c * slope < 0 follows; "none" or "unbounded" when there is no such number.

        Raises nothing; "unconfirmed" when the solver's optimum could not be made exact.
        """
        import numpy as np
        from scipy import optimize

        if self.rows is None:
            return "unconfirmed"
        columns = [*self._columns(), *({e: -s * c for e, c in slope.items()} for s in (1, -1))]
        index = {e: i for i, e in enumerate(self.unknowns)}
        matrix = np.array([_dense(c, index) for c in columns]).T
        cost = np.zeros(len(columns))
        cost[-2:] = (-1.0, 1.0)
        result = optimize.linprog(
            cost, A_eq=matrix, b_eq=_dense(base, index), bounds=(0, None), method="highs-ds"
        )
        if result.status == 2:
            return "none"
        if result.status == 3:
            return "unbounded"
        if result.status != 0:
            return "unconfirmed"
        solution = confirm(columns, base, [float(x) for x in result.x])
        if solution is None:
            return "unconfirmed"
        constant = solution[-2] - solution[-1]
        steps = tuple((r, x) for r, x in zip(self.rows, solution, strict=False) if x)
        return BestConstant(constant, steps, self._limit(base, slope, constant))

    def _limit(
        self, base: Mapping[Entry, Fraction], slope: Mapping[Entry, Fraction], constant: Fraction
    ) -> Values | None:
        """Entries with rows <= 0, slope = 1 and base = -constant: kernels near them break every larger constant."""
        import numpy as np
        from scipy import optimize

        index = {e: i for i, e in enumerate(self.unknowns)}
        result = optimize.linprog(
            [-c for c in _dense(base, index)],
            np.array([_dense(v, index) for v in self.vectors]),
            np.zeros(len(self.vectors)),
            np.array([_dense(slope, index)]),
            [1.0],
            bounds=[(None, None) if e.kind == "N" else (0, None) for e in self.unknowns],
            method="highs-ds",
        )
        if result.status != 0:
            return None
        floats = dict(zip(self.unknowns, (float(x) for x in result.x), strict=True))
        zero = Fraction(0)
        equations: list[tuple[Mapping[Entry, Fraction], Fraction]] = [
            (slope, Fraction(1)),
            *((v, zero) for v in self.vectors if abs(_float_dot(v, floats)) < 1e-9),
            *(({e: Fraction(1)}, zero) for e, x in floats.items() if e.kind == "K" and abs(x) < 1e-9),
        ]
        vertex = solve_system(equations)
        if vertex is None:
            return None
        values = {e: vertex.get(e, Fraction(0)) for e in self.unknowns}
        good = (
            all(v >= 0 for e, v in values.items() if e.kind == "K")
            and all(dot(v, values) <= 0 for v in self.vectors)
            and dot(slope, values) == 1
            and dot(base, values) == -constant
        )
        return values if good else None


def solve_system(equations: Sequence[tuple[Mapping[Entry, Fraction], Fraction]]) -> Values | None:
    """A common exact solution of equations vector . values = right, or None."""
    entries = list(dict.fromkeys(e for vector, _ in equations for e in vector))
    columns: list[dict[int, Fraction]] = [
        {i: vector[e] for i, (vector, _) in enumerate(equations) if vector.get(e)} for e in entries
    ]
    solution = solve_exact(columns, {i: right for i, (_, right) in enumerate(equations) if right})
    return None if solution is None else dict(zip(entries, solution, strict=True))


def check(multipliers: Multipliers, system: ClassSystem, claim: Mapping[Entry, Fraction]) -> bool:
    """Whether the multipliers are >= 0 and add up to the claim, exactly; rows rebuilt from the definition."""
    parts = [row.values(system.levels, system.convention) for row, _ in multipliers.steps]
    weights = [x for _, x in multipliers.steps]
    parts += [{e: Fraction(-1)} for e in multipliers.slack]
    weights += list(multipliers.slack.values())
    if any(w < 0 for w in weights) or any(e.kind != "K" for e in multipliers.slack):
        return False
    return combine(parts, weights) == {e: c for e, c in claim.items() if c}


def _dense(vector: Mapping[Entry, Fraction], index: Mapping[Entry, int]) -> list[float]:
    line = [0.0] * len(index)
    for e, c in vector.items():
        line[index[e]] = float(c)
    return line


def _float_dot(vector: Mapping[Entry, Fraction], floats: Mapping[Entry, float]) -> float:
    return sum(float(c) * floats[e] for e, c in vector.items())
