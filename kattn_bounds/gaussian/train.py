"""One training run, recorded: optimiser, schedule, curves, checkpoints. Used by the language and the vision experiment."""

# Where torch is not installed its types are Any; the file is checked in both cases.
# mypy: allow-subclassing-any, no-warn-return-any, no-warn-unused-ignores

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from kattn_bounds._version import __version__
from kattn_bounds.files import write_atomic
from kattn_bounds.gaussian.models import attentions, parameter_count

Batch = Callable[[int], Tensor]
"""The training loss of a step (a scalar with gradients); deterministic in the step."""

Evaluate = Callable[[], dict[str, Any]]
"""Numbers of one point of the curve."""


def schedule(step: int, steps: int, warmup: float = 0.05, decay: float = 0.4) -> float:
    """The factor of the learning rate: linear warm-up, constant, linear decay to a tenth over the last part.

    >>> [round(schedule(s, 100), 2) for s in (0, 5, 50, 80, 100)]
    [0.2, 1.0, 1.0, 0.55, 0.1]
    """
    up = (step + 1) / max(1, round(warmup * steps))
    down = 0.1 + 0.9 * (steps - step) / max(1, round(decay * steps))
    return min(1.0, up, down)


def make_optimiser(model: nn.Module, rate: float) -> torch.optim.AdamW:
    """AdamW; weight decay on matrices only, never on the bandwidths."""
    matrices = [layer.weight for layer in model.modules() if isinstance(layer, nn.Linear)]
    chosen = {id(p) for p in matrices}
    others = [p for p in model.parameters() if id(p) not in chosen]
    return torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}],
        lr=rate,
        betas=(0.9, 0.95),
        fused=True,
    )


def environment() -> dict[str, str]:
    """What a stored result depends on beside its configuration."""
    return {
        "kattn_bounds": __version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }


def train_run(
    model: nn.Module,
    batch: Batch,
    evaluate: Evaluate,
    *,
    steps: int,
    rate: float,
    evaluations: int,
    record: dict[str, Any],
    path: Path | None,
    progress: Callable[[int], None] | None = None,
    finish: Evaluate | None = None,
) -> dict[str, Any]:
    """Train for `steps` steps and return `record` with the curve; with a path, write it there and resume from it.

    The record gains parameters, curve (one entry a point: step, loss of the last batch, greatest gradient norm
    since the last point, sigma of every layer and head, and what `evaluate` returns), what `finish` returns, seconds
    and CPU seconds a step (medians), and done. A finished record at `path` is returned as it is. Beside it, a file
    ending in .pt holds the state while the run is unfinished.
    """
    optimiser = make_optimiser(model, rate)
    record = dict(record)
    record |= {"environment": environment(), "parameters": parameter_count(model), "curve": [], "done": False}
    times: list[tuple[float, float]] = []
    first = 0
    state_path = None if path is None else path.with_suffix(".pt")
    if path is not None and path.exists():
        stored = json.loads(path.read_text())
        if stored["done"]:
            return dict(stored)
        if state_path is not None and state_path.exists():
            state = torch.load(state_path, weights_only=True)
            model.load_state_dict(state["model"])
            optimiser.load_state_dict(state["optimiser"])
            first, times, record["curve"] = state["step"], [tuple(t) for t in state["times"]], state["curve"]
    points = {round(steps * i / evaluations) for i in range(evaluations + 1)}
    norms: list[float] = []
    last_loss = float("nan")
    for step in range(first, steps + 1):
        if step in points and (step > first or step == 0):
            with torch.no_grad():
                entry: dict[str, Any] = {"step": step, "train_loss_batch": last_loss if step else None}
                entry["gradient_norm_max"] = max(norms) if norms else None
                entry["sigma"] = [[round(s, 6) for s in layer.sigma.tolist()] for layer in attentions(model)]
                entry |= evaluate()
            record["curve"].append(entry)
            norms = []
            if path is not None and state_path is not None:
                write_atomic(path, json.dumps(record, indent=1) + "\n")
                _save(state_path, model, optimiser, step, times, record["curve"])
        if step == steps:
            break
        start, cpu = time.perf_counter(), time.process_time()
        for group in optimiser.param_groups:
            group["lr"] = rate * schedule(step, steps)
        loss = batch(step)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        norms.append(float(nn.utils.clip_grad_norm_(model.parameters(), 1.0)))
        optimiser.step()
        last_loss = float(loss.detach())
        times.append((time.perf_counter() - start, time.process_time() - cpu))
        if progress is not None:
            progress(step + 1)
    record["seconds_per_step"] = _median([t[0] for t in times])
    record["cpu_seconds_per_step"] = _median([t[1] for t in times])
    if finish is not None:
        with torch.no_grad():
            record |= finish()
    record["done"] = True
    if path is not None and state_path is not None:
        write_atomic(path, json.dumps(record, indent=1) + "\n")
        state_path.unlink(missing_ok=True)
    return record


def _median(values: list[float]) -> float | None:
    return round(sorted(values)[len(values) // 2], 5) if values else None


def _save(
    path: Path,
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    step: int,
    times: list[tuple[float, float]],
    curve: list[dict[str, Any]],
) -> None:
    temporary = path.with_suffix(".tmp")
    torch.save(
        {
            "model": model.state_dict(),
            "optimiser": optimiser.state_dict(),
            "step": step,
            "times": times,
            "curve": curve,
        },
        temporary,
    )
    temporary.replace(path)
