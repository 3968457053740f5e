"""The language run: a small byte-level GPT against its GKA version on the source text of Python's standard library."""

# Where torch is not installed its types are Any; the file is checked in both cases.
# mypy: allow-subclassing-any, no-warn-return-any, no-warn-unused-ignores

from __future__ import annotations

import hashlib
import json
import sysconfig
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from torch import Tensor
from torch.nn import functional

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.gaussian.layer import band_mask
from kattn_bounds.gaussian.models import ByteGPT, Kind, attentions, rms_norm
from kattn_bounds.gaussian.train import train_run

Variant = Literal["baseline", "gka", "gka_equal_flops"]
SKIPPED_FOLDERS = frozenset(
    {"test", "tests", "site-packages", "__pycache__", "idlelib", "lib2to3", "ensurepip"}
)


class LanguageConfig(BaseModel):
    """The configuration of a language run; unknown fields are refused.

    steps are those of the baseline and of gka; gka_equal_flops takes as many more as bring it to the baseline's training FLOPs.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    width: int = Field(32, ge=1)
    heads: int = Field(2, ge=1)
    context: int = Field(32, ge=2)
    windows: list[int] = Field(default_factory=lambda: [16, 32], min_length=1)
    batch: int = Field(4, ge=1)
    steps: int = Field(20, ge=1)
    rate: float = Field(0.003, gt=0)
    evaluations: int = Field(4, ge=1)
    evaluation_windows: int = Field(16, ge=1)
    final_evaluation_windows: int = Field(32, ge=1)
    corpus_bytes: int = Field(200_000, ge=200_000)
    seeds: list[int] = Field(default_factory=lambda: [0], min_length=1)
    variants: list[Variant] = Field(["baseline", "gka"], min_length=1)

    @model_validator(mode="after")
    def _fits(self) -> LanguageConfig:
        if self.width % self.heads:
            raise ValueError(f"width = {self.width} is not a multiple of heads = {self.heads}")
        if any(not 1 <= w <= self.context for w in self.windows):
            raise ValueError(
                f"windows = {self.windows}: each must be between 1 and the context {self.context}"
            )
        return self


def load_config(path: str | None) -> LanguageConfig:
    """Read a YAML configuration; InputError names every fault in it."""
    if path is None:
        return LanguageConfig()  # type: ignore[call-arg]
    try:
        data = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        return LanguageConfig(**(data or {}))
    except OSError as error:
        raise InputError(f"cannot read '{shorten(path)}' ({error.strerror}): give a YAML file") from None
    except (yaml.YAMLError, TypeError):
        raise InputError(f"'{shorten(path)}' is not a YAML mapping of the run's settings") from None
    except ValidationError as error:
        raise InputError(
            f"{path}: {'.'.join(map(str, e['loc'])) or 'config'}: {e['msg']}" for e in error.errors()
        ) from None


@dataclass(frozen=True)
class Corpus:
    """Bytes of whole files; a file is in the validation part when its name's hash says so."""

    train: torch.Tensor
    validation: torch.Tensor
    digest: str
    files: int


def load_corpus(limit: int) -> Corpus:
    """The standard library's own .py files (no tests), in the order of a hash of their names, up to `limit` bytes.

    Every twentieth file in that order is validation.
    """
    root = Path(sysconfig.get_path("stdlib"))
    files = [
        p for p in root.rglob("*.py") if not SKIPPED_FOLDERS.intersection(p.relative_to(root).parts[:-1])
    ]
    files.sort(key=lambda p: hashlib.sha256(p.relative_to(root).as_posix().encode()).digest())
    parts: dict[bool, list[bytes]] = {True: [], False: []}
    size = used = 0
    for i, file in enumerate(files):
        if size >= limit:
            break
        text = file.read_bytes()[:100_000]
        parts[i % 20 == 0].append(text)
        size, used = size + len(text), i + 1
    joined = {held: b"\n".join(texts) for held, texts in parts.items()}
    tensors = {
        held: torch.from_numpy(np.frombuffer(text, dtype=np.uint8).astype(np.int64))
        for held, text in joined.items()
    }
    digest = hashlib.sha256(joined[False] + b"\0" + joined[True]).hexdigest()
    return Corpus(tensors[False], tensors[True], digest, used)


def windows_of(text: Tensor, count: int, length: int, seed: int) -> Tensor:
    """`count` windows of length + 1 bytes at seeded random places, shape (count, length + 1)."""
    generator = torch.Generator().manual_seed(seed)
    starts = torch.randint(len(text) - length - 1, (count,), generator=generator)
    return text[starts[:, None] + torch.arange(length + 1)]


def bits_per_byte(model: ByteGPT, windows: Tensor) -> float:
    """Mean cross-entropy of the next byte in bits, over all positions of all windows."""
    total = 0.0
    for first in range(0, len(windows), 32):
        part = windows[first : first + 32]
        logits = model(part[:, :-1])
        total += float(functional.cross_entropy(logits.flatten(0, 1), part[:, 1:].flatten(), reduction="sum"))
    return total / (windows.shape[0] * (windows.shape[1] - 1)) / log(2)


def locality(model: ByteGPT, windows: Tensor) -> dict[str, list[list[float]]]:
    """Of each layer and head of a GKA model: mean distance in tokens to what is attended, and the weight on the token itself.

    Taken over the last half of the positions, so that there is something to attend to.
    """
    h = rms_norm(model.tokens(windows[:, :-1]) + model.positions.weight[: windows.shape[1] - 1])
    distance: list[list[float]] = []
    own: list[list[float]] = []
    for block, layer in zip(model.blocks, attentions(model), strict=True):
        features = rms_norm(h).reshape(*h.shape[:2], layer.heads, -1).transpose(1, 2)
        n = features.shape[-2]
        exponent = -torch.cdist(features, features).square() / (2 * layer.sigma[:, None, None] ** 2)
        allowed = band_mask(n, causal=True, window=layer.window)
        assert allowed is not None
        weights = exponent.masked_fill(~allowed, float("-inf")).softmax(-1)[:, :, n // 2 :]
        index = torch.arange(n)
        gap = (index[n // 2 :, None] - index[None, :]).clamp(min=0).to(weights.dtype)
        distance.append([round(v, 4) for v in (weights * gap).sum(-1).mean((0, 2)).tolist()])
        own.append(
            [
                round(v, 4)
                for v in weights.gather(-1, index[n // 2 :, None].expand(*weights.shape[:2], -1, 1))
                .mean((0, 2, 3))
                .tolist()
            ]
        )
        h = block(h)
    return {"distance": distance, "own_weight": own}


def build(config: LanguageConfig, variant: Variant, seed: int) -> tuple[ByteGPT, int]:
    """The model of a variant and its number of steps."""
    kind: Kind = "baseline" if variant == "baseline" else "gka"
    shape = {
        "width": config.width,
        "heads": config.heads,
        "context": config.context,
        "windows": config.windows,
    }
    torch.manual_seed(seed)
    model = ByteGPT(kind, **shape)  # type: ignore[arg-type]
    steps = config.steps
    if variant == "gka_equal_flops":
        reference = ByteGPT("baseline", **shape).flops_per_token()  # type: ignore[arg-type]
        steps = round(config.steps * reference / model.flops_per_token())
    return model, steps


def run(
    config: LanguageConfig, variant: Variant, seed: int, corpus: Corpus, folder: Path | None
) -> dict[str, Any]:
    """One run: the record of `train_run`, with bits per byte of fixed training and validation windows over training.

    All variants of one seed see the same windows in the same order.
    """
    model, steps = build(config, variant, seed)
    context = config.context
    samples = {
        "train_bpb": windows_of(corpus.train, config.evaluation_windows, context, 10**6),
        "validation_bpb": windows_of(corpus.validation, config.evaluation_windows, context, 10**6 + 1),
    }
    final = {
        "final_train_bpb": windows_of(corpus.train, config.final_evaluation_windows, context, 10**6 + 2),
        "final_validation_bpb": windows_of(
            corpus.validation, config.final_evaluation_windows, context, 10**6 + 3
        ),
    }
    record: dict[str, Any] = {
        "variant": variant,
        "seed": seed,
        "steps": steps,
        "tokens_per_step": config.batch * context,
        "flops_per_token": model.flops_per_token(),
        "config": config.model_dump(),
        "corpus": {
            "digest": corpus.digest,
            "files": corpus.files,
            "train": len(corpus.train),
            "validation": len(corpus.validation),
        },
    }

    def batch(step: int) -> Tensor:
        windows = windows_of(corpus.train, config.batch, context, seed * 1_000_003 + step)
        logits = model(windows[:, :-1])
        return functional.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())

    def evaluate() -> dict[str, Any]:
        entry: dict[str, Any] = {name: round(bits_per_byte(model, w), 5) for name, w in samples.items()}
        if attentions(model):
            entry |= locality(model, samples["validation_bpb"][:8])
        return entry

    path = None if folder is None else folder / f"{variant}-seed{seed}.json"
    if path is not None and path.exists() and not _same_config(path, record["config"], corpus.digest):
        raise InputError(
            f"'{shorten(path)}' belongs to another configuration or corpus: give another --output folder"
        )
    return train_run(
        model,
        batch,
        evaluate,
        steps=steps,
        rate=config.rate,
        evaluations=config.evaluations,
        record=record,
        path=path,
        finish=lambda: {name: round(bits_per_byte(model, w), 5) for name, w in final.items()},
    )


def _same_config(path: Path, config: dict[str, Any], digest: str) -> bool:
    stored = json.loads(path.read_text())
    ignored = {"seeds", "variants"}
    same = all(stored["config"].get(k) == v for k, v in config.items() if k not in ignored)
    return same and stored["corpus"]["digest"] == digest


def run_command(config_path: str | None, output: str | None, seed: int | None) -> int:
    """`kattn-bounds gka train`: all variants and seeds of a configuration, one line each; 0 when all are finite."""
    config = load_config(config_path)
    folder = None if output is None else Path(output)
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"cannot create '{shorten(output)}' ({error.strerror}): give another folder"
            ) from None
    torch.set_num_threads(1)
    corpus = load_corpus(config.corpus_bytes)
    print(
        f"corpus: {corpus.files} files of the standard library, {len(corpus.train)} bytes to train on, "
        f"{len(corpus.validation)} to validate, sha256 {corpus.digest[:12]}"
    )
    print(
        f"{'run':<26}{'parameters':>11}{'MFLOP/byte':>12}{'steps':>7}{'train':>9}{'valid.':>9}{'gap':>9}{'CPU s/step':>12}"
    )
    finite = True
    for variant in config.variants:
        for one in config.seeds if seed is None else [seed]:
            result = run(config, variant, one, corpus, folder)
            train, held = result["final_train_bpb"], result["final_validation_bpb"]
            finite &= bool(np.isfinite([train, held]).all())
            print(
                f"{variant + ' seed ' + str(one):<26}{result['parameters']:>11}{result['flops_per_token'] / 1e6:>12.3f}"
                f"{result['steps']:>7}{train:>9.4f}{held:>9.4f}{held - train:>9.4f}{result['cpu_seconds_per_step']:>12.4f}",
                flush=True,
            )
    return 0 if finite else 1
