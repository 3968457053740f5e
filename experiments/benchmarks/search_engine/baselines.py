"""Two plain ways to search for a kernel of few features: Adam on hinge losses, and SLSQP on the smooth constraints."""

from __future__ import annotations

import time

import numpy as np
from scipy.optimize import minimize

from kattn_bounds.search.program import Program
from kattn_bounds.search.symmetry import Floats


def hinge(program: Program, phi: Floats, psi: Floats) -> tuple[float, Floats, Floats]:
    """The violation (sum of hinge losses of all conditions, with margins) and a subgradient in phi and psi."""
    layout = program.layout
    left, right = phi[layout.pair_query], psi[layout.pair_token]
    entries = np.einsum("pi,pi->p", left, right)
    order = np.lexsort((entries, layout.pair_level))
    low_pair = order[layout.level_start]
    ends = np.append(layout.level_start[1:], len(entries)) - 1
    high_pair = order[ends]
    low, high, own = low_pair[layout.low], high_pair[layout.high], layout.own_pair[layout.condition_query]
    loss = layout.margin - (
        layout.alpha * entries[low] - layout.beta * entries[high] - layout.gamma * entries[own]
    )
    active = loss > 0
    slope = np.zeros(len(entries))
    np.add.at(slope, low[active], -layout.alpha[active])
    np.add.at(slope, high[active], layout.beta[active])
    np.add.at(slope, own[active], layout.gamma[active])
    d_phi, d_psi = np.zeros_like(phi), np.zeros_like(psi)
    np.add.at(d_phi, layout.pair_query, slope[:, None] * right)
    np.add.at(d_psi, layout.pair_token, slope[:, None] * left)
    return float(loss[active].sum()), d_phi, d_psi


def adam(program: Program, psi: Floats, *, steps: int, rate: float) -> tuple[Floats, Floats]:
    """Adam (0.9, 0.999) with a cosine decay of the rate, from psi and its optimal rows. Returns parameters.

    It starts where the engine starts: at the rows that a linear program gives for psi.
    """
    symmetry = program.symmetry
    rows = program.best_rows(symmetry.restrict(psi))
    phi = program.phi(rows) if rows is not None else np.ones((len(program.layout.queries), psi.shape[1]))
    point, split = np.concatenate([phi.ravel(), psi.ravel()]), phi.size
    first, second = np.zeros_like(point), np.zeros_like(point)
    for step in range(1, steps + 1):
        loss, d_phi, d_psi = hinge(
            program, point[:split].reshape(phi.shape), point[split:].reshape(psi.shape)
        )
        if loss == 0:
            break
        slope = np.concatenate([d_phi.ravel(), d_psi.ravel()])
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        pace = rate * 0.5 * (1 + np.cos(np.pi * step / steps))
        point = point - pace * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return back(program, point[:split].reshape(phi.shape), point[split:].reshape(psi.shape))


def slsqp(program: Program, psi: Floats, *, steps: int, seconds: float) -> tuple[Floats, Floats]:
    """SLSQP on the violation as a smooth program: phi, psi, bounds of the levels and one slack a condition are variables.

    Minimise the sum of the slacks, which is what the engine minimises, from the same start.
    """
    layout, symmetry = program.layout, program.symmetry
    rows = program.best_rows(symmetry.restrict(psi))
    phi = program.phi(rows) if rows is not None else np.ones((len(layout.queries), psi.shape[1]))
    levels, split, size = len(layout.level_start), phi.size, phi.shape[1]
    low_at = split + psi.size
    high_at, slack_at = low_at + levels, low_at + 2 * levels
    pair, condition = np.arange(len(layout.pair_query)), np.arange(len(layout.low))
    deadline = time.process_time() + seconds
    latest: list[Floats] = []

    def factors(z: Floats) -> tuple[Floats, Floats]:
        return z[:split].reshape(phi.shape), z[split:low_at].reshape(psi.shape)

    def entries_of(z: Floats) -> Floats:
        left, right = factors(z)
        entries: Floats = np.einsum("pi,pi->p", left[layout.pair_query], right[layout.pair_token])
        return entries

    def conditions(z: Floats) -> Floats:
        entries, low, high = entries_of(z), z[low_at:high_at], z[high_at:slack_at]
        own = entries[layout.own_pair[layout.condition_query]]
        held = layout.alpha * low[layout.low] - layout.beta * high[layout.high] - layout.gamma * own
        return np.concatenate(
            [
                entries - low[layout.pair_level],
                high[layout.pair_level] - entries,
                held + z[slack_at:] - layout.margin,
            ]
        )

    def slopes(z: Floats) -> Floats:
        left, right = factors(z)
        of_entries = np.zeros((len(pair), len(z)))
        feature = np.arange(size)
        of_entries[pair[:, None], layout.pair_query[:, None] * size + feature] = right[layout.pair_token]
        of_entries[pair[:, None], split + layout.pair_token[:, None] * size + feature] = left[
            layout.pair_query
        ]
        held = -layout.gamma[:, None] * of_entries[layout.own_pair[layout.condition_query]]
        held[condition, low_at + layout.low] += layout.alpha
        held[condition, high_at + layout.high] -= layout.beta
        held[condition, slack_at + condition] = 1.0
        above = -of_entries
        of_entries[pair, low_at + layout.pair_level] -= 1.0
        above[pair, high_at + layout.pair_level] += 1.0
        return np.concatenate([of_entries, above, held])

    def watch(z: Floats) -> None:
        latest[:] = [z.copy()]
        if time.process_time() > deadline:
            raise StopIteration

    z = np.concatenate([phi.ravel(), psi.ravel(), np.zeros(2 * levels + len(condition))])
    entries = entries_of(z)
    z[low_at:high_at] = np.minimum.reduceat(entries, layout.level_start)
    z[high_at:slack_at] = np.maximum.reduceat(entries, layout.level_start)
    z[slack_at:] = np.maximum(layout.margin - layout.slack(entries), 0)
    cost = np.zeros(len(z))
    cost[slack_at:] = 1.0
    try:
        z = minimize(
            lambda z: float(cost @ z),
            z,
            jac=lambda z: cost,
            method="SLSQP",
            bounds=[(None, None)] * slack_at + [(0.0, None)] * len(condition),
            constraints=[{"type": "ineq", "fun": conditions, "jac": slopes}],
            callback=watch,
            options={"maxiter": steps},
        ).x
    except StopIteration:
        z = latest[0]
    return back(program, *factors(z))


def back(program: Program, phi: Floats, psi: Floats) -> tuple[Floats, Floats]:
    """Parameters of features without symmetry."""
    return np.einsum("qij,qi->qj", program.query_frames, phi), program.symmetry.restrict(psi)
