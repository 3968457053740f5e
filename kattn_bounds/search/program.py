"""The linear programs of the search, in floats: every row of phi for a fixed psi, and the joint step linearised at a point.

The violation of a kernel is the sum over all conditions of max(0, margin - (alpha lo - beta hi - gamma K(q, q))), with positive
entries as further conditions. It is piecewise linear and convex in K, homogeneous but for the margins; K is bilinear in
(phi, psi). Extremes of levels are free variables bounded by the entries; every condition has one slack.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import highspy
import numpy as np
import numpy.typing as npt

from kattn_bounds.search.conditions import level_pairs
from kattn_bounds.search.symmetry import Floats, Symmetry
from kattn_bounds.setting import Setting
from kattn_bounds.solver import new_highs

Integers = npt.NDArray[np.int64]

MARGIN_DECAY = 0.7
"""The margin asked of a condition whose lower level is t is this to the power t: rows of solving kernels decay."""

POSITIVE_MARGIN = 0.1
"""The margin asked of an entry, relative to the margin of its level."""

LARGEST_ROW = 1e6
"""Bound on the parameters of phi: how far a row may grow until its conditions hold with the margins."""

_NEGLIGIBLE = 1e-10


@dataclass(frozen=True)
class Layout:
    """The conditions of a set of queries, flattened for numpy. Pairs (q, a) are grouped by query, then by level.

    One pair stands for its orbit under the stabiliser of q.
    """

    queries: Integers  # tokens, shape (Q,)
    pair_query: Integers  # index into queries, shape (P,)
    pair_token: Integers  # shape (P,)
    level_start: Integers  # first pair of every level, shape (L,)
    pair_level: Integers  # shape (P,)
    own_pair: Integers  # the pair (q, q), shape (Q,)
    low: Integers  # levels of the conditions, shape (C,)
    high: Integers
    alpha: Floats
    beta: Floats
    gamma: Floats
    condition_query: Integers
    margin: Floats

    @classmethod
    def build(cls, setting: Setting, symmetry: Symmetry, queries: Integers) -> Layout:
        pair_query, pair_token, level_start, own_pair = [], [], [], []
        conditions: list[tuple[int, int, float, float, float, int, float]] = []
        offset = levels = 0
        for index, q in enumerate(queries.tolist()):
            tokens = np.unique(symmetry.action[symmetry.stabiliser(q)].min(axis=0))
            level = np.bitwise_count(tokens & q)
            order = np.argsort(level, kind="stable")
            tokens, level = tokens[order], level[order]
            k = q.bit_count()
            pair_query.append(np.full(len(tokens), index))
            pair_token.append(tokens)
            level_start.append(offset + np.searchsorted(level, np.arange(k + 1)))
            own_pair.append(offset + int(np.flatnonzero(tokens == q)[0]))
            for pair in level_pairs(setting, k):
                numbers = (float(pair.alpha), float(pair.beta), float(pair.gamma))
                conditions.append(
                    (levels + pair.low, levels + pair.high, *numbers, index, MARGIN_DECAY**pair.low)
                )
            for t in range(k + 1):
                margin = POSITIVE_MARGIN * MARGIN_DECAY**t
                conditions.append((levels + t, levels + t, 1.0, 0.0, 0.0, index, margin))
            offset += len(tokens)
            levels += k + 1
        low, high, alpha, beta, gamma, owner, margins = (
            np.array(column) for column in zip(*conditions, strict=True)
        )
        starts = np.concatenate(level_start)
        return cls(
            queries,
            np.concatenate(pair_query),
            np.concatenate(pair_token),
            starts,
            np.searchsorted(starts, np.arange(offset), side="right") - 1,
            np.array(own_pair),
            low.astype(np.int64),
            high.astype(np.int64),
            alpha.astype(float),
            beta.astype(float),
            gamma.astype(float),
            owner.astype(np.int64),
            margins.astype(float),
        )

    def slack(self, entries: Floats) -> Floats:
        """alpha lo - beta hi - gamma K(q, q) of every condition, from the entries of all pairs."""
        low = np.minimum.reduceat(entries, self.level_start)
        high = np.maximum.reduceat(entries, self.level_start)
        own = entries[self.own_pair[self.condition_query]]
        slack: Floats = self.alpha * low[self.low] - self.beta * high[self.high] - self.gamma * own
        return slack


class Program:
    """The conditions of a setting on equivariant features, and the linear programs over them.

    phi and psi are given by parameters, shapes (Q, D) and (number of orbits, D); see `Symmetry.frames`. Queries default to
    one per orbit, without the empty query, whose row can be the sum of all others.
    """

    def __init__(
        self, setting: Setting, symmetry: Symmetry, *, nonneg: bool = False, queries: Integers | None = None
    ) -> None:
        self.setting, self.symmetry, self.nonneg = setting, symmetry, nonneg
        self.features = symmetry.features
        self.layout = Layout.build(
            setting, symmetry, symmetry.orbits[symmetry.orbits > 0] if queries is None else queries
        )
        self.query_frames = symmetry.frames[self.layout.queries]
        self.pair_orbit = symmetry.orbit_of[self.layout.pair_token]

    # ------------------------------------------------------------------------------------------- evaluation

    def phi(self, rows: Floats) -> Floats:
        """Features of the layout's queries from their parameters, shape (Q, D)."""
        features: Floats = np.einsum("qij,qj->qi", self.query_frames, rows)
        return features

    def entries(self, rows: Floats, columns: Floats) -> Floats:
        """K of every pair, shape (P,)."""
        layout = self.layout
        psi = self.symmetry.expand(columns)
        entries: Floats = np.einsum("pi,pi->p", self.phi(rows)[layout.pair_query], psi[layout.pair_token])
        return entries

    def violation(self, rows: Floats, columns: Floats) -> float:
        """The sum of all violations, margins included."""
        slack = self.layout.slack(self.entries(rows, columns))
        return float(np.maximum(self.layout.margin - slack, 0).sum())

    def solves(self, rows: Floats, columns: Floats) -> bool:
        """Whether every condition holds strictly in floats (margins aside)."""
        entries = self.entries(rows, columns)
        scale = np.maximum.reduceat(np.abs(entries), self.layout.level_start)[self.layout.low]
        return bool((self.layout.slack(entries) > 1e-12 * scale).all())

    # ---------------------------------------------------------------------------------------------- programs

    def best_rows(self, columns: Floats) -> Floats | None:
        """Parameters of phi of the least violation for fixed psi: one linear program, separable by query."""
        layout = self.layout
        psi = self.symmetry.expand(columns)[layout.pair_token]
        coefficients = np.einsum("pij,pi->pj", self.query_frames[layout.pair_query], psi)
        index = layout.pair_query[:, None] * self.features + np.arange(self.features)
        size = len(layout.queries) * self.features
        lower = np.full(size, 0.0 if self.nonneg else -LARGEST_ROW)
        upper = np.full(size, LARGEST_ROW)
        solution = self._solve(index, coefficients, np.zeros(len(index)), lower, upper, interior=False)
        return None if solution is None else solution.reshape(-1, self.features)

    def joint_step(self, rows: Floats, columns: Floats, radius: float) -> tuple[Floats, Floats, float] | None:
        """The best step of the linearised kernel with every parameter moving by at most `radius` times its row's scale.

        Returns the changes of both parameter arrays and the violation that the linearisation promises.
        """
        layout, size = self.layout, self.features
        phi, psi = self.phi(rows), self.symmetry.expand(columns)
        base = np.einsum("pi,pi->p", phi[layout.pair_query], psi[layout.pair_token])
        row_scale = np.maximum(np.abs(phi).max(axis=1), 1e-3)
        column_scale = np.maximum(np.abs(psi[self.symmetry.orbits]).max(axis=1), 1e-3)
        to_rows = np.einsum("pij,pi->pj", self.query_frames[layout.pair_query], psi[layout.pair_token])
        to_columns = np.einsum("pij,pi->pj", self._token_frames, phi[layout.pair_query])
        to_rows *= row_scale[layout.pair_query, None]
        to_columns *= column_scale[self.pair_orbit, None]
        first_column = rows.size
        index = np.hstack(
            [
                layout.pair_query[:, None] * size + np.arange(size),
                first_column + self.pair_orbit[:, None] * size + np.arange(size),
            ]
        )
        scale = np.concatenate([np.repeat(row_scale, size), np.repeat(column_scale, size)])
        lower = np.full(len(scale), -radius)
        if self.nonneg:
            lower = np.maximum(lower, -np.concatenate([rows.ravel(), columns.ravel()]) / scale)
        solution = self._solve(
            index, np.hstack([to_rows, to_columns]), base, lower, np.full(len(scale), radius), interior=True
        )
        if solution is None:
            return None
        change = solution * scale
        promised = base + np.einsum("pi,pi->p", np.hstack([to_rows, to_columns]), solution[index])
        violation = float(np.maximum(layout.margin - layout.slack(promised), 0).sum())
        return (
            change[:first_column].reshape(rows.shape),
            change[first_column:].reshape(columns.shape),
            violation,
        )

    @cached_property
    def _token_frames(self) -> Floats:
        return self.symmetry.frames[self.layout.pair_token]

    @cached_property
    def _bounded_above(self) -> Integers:
        """Pairs whose level's maximum matters."""
        needed = np.zeros(len(self.layout.level_start), dtype=bool)
        needed[self.layout.high[self.layout.beta > 0]] = True
        return np.flatnonzero(needed[self.layout.pair_level])

    def _solve(
        self,
        index: Integers,
        coefficients: Floats,
        base: Floats,
        lower: Floats,
        upper: Floats,
        *,
        interior: bool,
    ) -> Floats | None:
        """Minimise the violation of K_p = base_p + sum_j coefficients_pj x[index_pj] over lower <= x <= upper.

        Returns x, or None when the solver does not reach an optimum.
        """
        layout, size = self.layout, len(lower)
        levels, conditions, width = len(layout.level_start), len(layout.low), index.shape[1]
        low_at, high_at, slack_at = size, size + levels, size + 2 * levels
        variables = slack_at + conditions
        above, own = self._bounded_above, layout.own_pair[layout.condition_query]

        def block(
            entry_index: Integers, entry_values: Floats, *more: tuple[Integers, Floats]
        ) -> tuple[Integers, Floats]:
            columns = [entry_index, *(where[:, None] for where, _ in more)]
            values = [entry_values, *(what[:, None] for _, what in more)]
            return np.hstack(columns), np.hstack(values)

        below_index, below_values = block(
            index, coefficients, (low_at + layout.pair_level, -np.ones(len(index)))
        )
        above_index, above_values = block(
            index[above], -coefficients[above], (high_at + layout.pair_level[above], np.ones(len(above)))
        )
        main_index, main_values = block(
            index[own],
            -layout.gamma[:, None] * coefficients[own],
            (low_at + layout.low, layout.alpha),
            (high_at + layout.high, -layout.beta),
            (slack_at + np.arange(conditions), np.ones(conditions)),
        )
        values = np.concatenate([below_values.ravel(), above_values.ravel(), main_values.ravel()])
        columns = np.concatenate([below_index.ravel(), above_index.ravel(), main_index.ravel()])
        lengths = np.concatenate(
            [np.full(len(index) + len(above), width + 1), np.full(conditions, width + 3)]
        )
        keep = np.abs(values) > _NEGLIGIBLE
        row_of = np.repeat(np.arange(len(lengths)), lengths)[keep]

        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = variables, len(lengths)
        lp.col_cost_ = np.concatenate([np.zeros(slack_at), np.ones(conditions)])
        free = np.full(2 * levels, np.inf)
        lp.col_lower_ = np.concatenate([lower, -free, np.zeros(conditions)])
        lp.col_upper_ = np.concatenate([upper, free, np.full(conditions, np.inf)])
        lp.row_lower_ = np.concatenate([-base, base[above], layout.margin + layout.gamma * base[own]])
        lp.row_upper_ = np.full(len(lengths), np.inf)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.concatenate(
            [[0], np.cumsum(np.bincount(row_of, minlength=len(lengths)))]
        ).astype(np.int32)
        lp.a_matrix_.index_ = columns[keep].astype(np.int32)
        lp.a_matrix_.value_ = values[keep]

        for solver in ("ipm", "simplex") if interior else ("simplex", "ipm"):
            highs = new_highs()
            highs.setOptionValue("solver", solver)
            if solver == "ipm":
                highs.setOptionValue("run_crossover", "off")
            highs.passModel(lp)
            highs.run()
            if highs.getModelStatus() == highspy.HighsModelStatus.kOptimal:
                solution: Floats = np.clip(highs.getSolution().col_value[:size], lower, upper)
                return solution
        return None
