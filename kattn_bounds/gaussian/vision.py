"""The vision check: a tiny ViT against its GKA version on scikit-learn's 8 x 8 digits (torch and scikit-learn)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from kattn_bounds.gaussian.models import Kind, PatchClassifier
from kattn_bounds.gaussian.train import train_run

SIDE, CLASSES, VALIDATION = 8, 10, 360


def digits(split: int = 0) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Training images and labels, validation images and labels: 1437 and 360 of the 1797 digits, scaled to [-1, 1]."""
    from sklearn.datasets import load_digits

    data = load_digits()
    images = torch.tensor(data.images, dtype=torch.float32) / 8 - 1
    labels = torch.tensor(data.target, dtype=torch.long)
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(split))
    held, kept = order[:VALIDATION], order[VALIDATION:]
    return images[kept], labels[kept], images[held], labels[held]


def run(
    kind: Kind,
    seed: int,
    *,
    steps: int,
    width: int = 64,
    heads: int = 4,
    depth: int = 3,
    patch: int = 2,
    batch_size: int = 64,
    rate: float = 0.002,
    evaluations: int = 10,
    path: Path | None = None,
) -> dict[str, Any]:
    """One run: accuracy and cross-entropy (nats) on both parts over training. The split is the same for every seed."""
    train_x, train_y, held_x, held_y = digits()
    torch.manual_seed(seed)
    model = PatchClassifier(
        kind, side=SIDE, patch=patch, width=width, heads=heads, depth=depth, classes=CLASSES
    )

    def batch(step: int) -> Tensor:
        generator = torch.Generator().manual_seed(seed * 1_000_003 + step)
        chosen = torch.randint(len(train_x), (batch_size,), generator=generator)
        return functional.cross_entropy(model(train_x[chosen]), train_y[chosen])

    def evaluate() -> dict[str, Any]:
        entry: dict[str, Any] = {}
        for name, x, y in (("train", train_x, train_y), ("validation", held_x, held_y)):
            logits = model(x)
            entry[f"{name}_loss"] = round(float(functional.cross_entropy(logits, y)), 5)
            entry[f"{name}_accuracy"] = round(float((logits.argmax(-1) == y).float().mean()), 5)
        return entry

    record = {
        "variant": kind,
        "seed": seed,
        "steps": steps,
        "batch_size": batch_size,
        "patches": model.count,
        "flops_per_patch": model.flops_per_token(),
        "config": {"width": width, "heads": heads, "depth": depth, "patch": patch, "rate": rate},
    }
    return train_run(
        model, batch, evaluate, steps=steps, rate=rate, evaluations=evaluations, record=record, path=path
    )
