"""The descent: a joint step of the linearised program, then every row of phi solved anew for the new psi.

Because phi is optimal at every point, the trust region only has to hold for psi, and steps are long (variable projection). Before
every step the features are balanced by a change of basis that commutes with the group. Deterministic: same start, same end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kattn_bounds.search.program import Program
from kattn_bounds.search.symmetry import Floats

FIRST_RADIUS = 0.3
LARGEST_RADIUS = 2.0
LEAST_RADIUS = 1e-4
SOLVED = 1e-9
"""A violation below this is none."""

PATIENCE = 20
"""A descent ends when the violation has not fallen by 5 percent within so many steps."""


@dataclass(frozen=True)
class Outcome:
    """Where a descent ended: parameters, violation (0 when every margin is kept), and whether floats say it solves."""

    rows: Floats
    columns: Floats
    violation: float
    solved: bool
    steps: int


def descend(
    program: Program,
    columns: Floats,
    *,
    max_steps: int = 150,
    report: Callable[[int, float], None] | None = None,
) -> Outcome:
    """Minimise the violation from the given parameters of psi.

    `report(step, violation)` is called after every step. Ends when the program is solved, the trust region has shrunk to
    nothing, progress stalls, or after `max_steps`.
    """
    columns = np.array(columns, dtype=float)
    rows = program.best_rows(columns)
    if rows is None:
        zeros = np.zeros((len(program.layout.queries), program.features))
        return Outcome(zeros, columns, program.violation(zeros, columns), False, 0)
    violation = program.violation(rows, columns)
    history = [violation]
    radius = FIRST_RADIUS
    step = 0
    while violation > SOLVED and step < max_steps and radius >= LEAST_RADIUS:
        step += 1
        rows, columns = balance(program, rows, columns)
        proposal = program.joint_step(rows, columns, radius)
        moved = None if proposal is None else columns + proposal[1]
        new_rows = None if moved is None else program.best_rows(moved)
        if proposal is None or moved is None or new_rows is None:
            radius *= 0.4
            continue
        reached = program.violation(new_rows, moved)
        ratio = (violation - reached) / max(violation - proposal[2], 1e-12)
        if reached < violation:
            rows, columns, violation = new_rows, moved, reached
        if ratio > 0.7:
            radius = min(2 * radius, LARGEST_RADIUS)
        elif ratio < 0.25:
            radius *= 0.4
        history.append(violation)
        if report is not None:
            report(step, violation)
        if len(history) > PATIENCE and history[-1] > 0.95 * history[-1 - PATIENCE]:
            break
    return Outcome(rows, columns, violation, program.solves(rows, columns), step)


def balance(program: Program, rows: Floats, columns: Floats) -> tuple[Floats, Floats]:
    """The same kernel in a basis where phi (rows normalised) and psi have the same second moments; max |psi| becomes 1.

    Non-negative features are only rescaled, one factor for each orbit of features.
    """
    symmetry = program.symmetry
    phi, psi = program.phi(rows), symmetry.expand(columns)
    if program.nonneg:
        height = symmetry.matrices.mean(axis=0) @ psi.max(axis=0)
        basis = np.diag(1 / np.maximum(height, 1e-9))
        inverse = np.diag(np.maximum(height, 1e-9))
    else:
        unit = phi / np.maximum(np.linalg.norm(phi, axis=1, keepdims=True), 1e-12)
        moment = unit.T @ unit
        moment = np.mean([g @ moment @ g.T for g in symmetry.matrices], axis=0)
        root = _power(moment, 0.5)
        middle = root @ _power(root @ (psi.T @ psi) @ root, -0.5) @ root
        basis, inverse = _power(middle, 0.5), _power(middle, -0.5)
    psi = psi @ basis
    phi = phi @ inverse
    scale = np.abs(psi).max()
    frames = program.query_frames
    return np.einsum("qij,qi->qj", frames, phi * scale), symmetry.restrict(psi / scale)


def _power(matrix: Floats, exponent: float) -> Floats:
    """A power of a symmetric positive semidefinite matrix; tiny eigenvalues are lifted."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    lifted = np.maximum(values, 1e-12 * max(values[-1], 1e-300))
    result: Floats = (vectors * lifted**exponent) @ vectors.T
    return result
