"""Reproduce what is stored in this folder: python experiments/transcripts/run.py [accuracy|shattering|counts|plot|tiny].

accuracy    accuracy.json: best decoders of two sketches around the threshold log2 M (exact counts)
shattering  shattering.json: largest shattered query sets beside the construction and log2 M
counts      counts.json: exact numbers of answer functions by number of minimal tokens, with the time each took
plot        accuracy.png from accuracy.json
tiny        a small accuracy run, nothing written (for the tests)
"""

from __future__ import annotations

import json
import sys
import time
from math import log2
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict

from kattn_bounds.cli.options import write_atomic
from kattn_bounds.cube import format_token
from kattn_bounds.transcript.counting import answer_functions, antichains_by_size, log2_exactly
from kattn_bounds.transcript.drawing import draw_accuracy
from kattn_bounds.transcript.independent import construction
from kattn_bounds.transcript.shattering import search
from kattn_bounds.transcript.simulate import Accuracy, best_decoder, hash_model, index_model, transcripts

HERE = Path(__file__).parent


class AccuracyConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")
    m: int
    data_tokens: int
    alphabet: int
    most_symbols: int
    seeds: list[int]


class ShatteringConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")
    seconds: float
    sizes: list[tuple[int, int]]


class Config(BaseModel):
    model_config = ConfigDict(extra="forbid")
    accuracy: AccuracyConfig
    shattering: ShatteringConfig


def accuracy(config: AccuracyConfig) -> dict[str, Any]:
    """One point for every L*H = 0..most_bits (L layers of one head): the index sketch, and hashes over the seeds."""
    m, n, alphabet = config.m, config.data_tokens, config.alphabet

    def score(encoder: str, layers: int, seed: int = 0) -> Accuracy:
        if encoder == "index":
            model = index_model(m, n, layers, 1, alphabet)
        else:
            model = hash_model(m, n, layers, 1, alphabet, seed)
        return best_decoder(m, n, transcripts(model, m, n))

    points = []
    for layers in range(config.most_symbols + 1):
        bits = layers * log2(alphabet)
        best = score("index", layers)
        points.append(
            {
                "bits": bits,
                "encoder": "index",
                "per_answer": best.per_answer,
                "per_function": best.per_function,
            }
        )
        runs = [score("hash", layers, seed) for seed in config.seeds]
        point: dict[str, Any] = {"bits": bits, "encoder": "hash"}
        for key in ("per_answer", "per_function"):
            values = sorted(getattr(run, key) for run in runs)
            point |= {key: values[len(values) // 2], f"{key}_low": values[0], f"{key}_high": values[-1]}
        points.append(point)
    functions = answer_functions(m, n).lower
    return {
        "config": config.model_dump(),
        "functions": functions,
        "log2": log2_exactly(functions),
        "points": points,
    }


def shattering(config: ShatteringConfig) -> list[dict[str, Any]]:
    rows = []
    for m, n in config.sizes:
        found, status = search(m, n, config.seconds)
        assert not found.faults()
        rows.append(
            {
                "m": m,
                "data_tokens": n,
                "construction": construction(m, n).k,
                "shattered": found.k,
                "status": status,
                "queries": [format_token(q, m) for q in found.queries],
                "log2_functions": round(log2_exactly(answer_functions(m, n).lower), 4),
            }
        )
        print(rows[-1], flush=True)
    return rows


def counts() -> list[dict[str, Any]]:
    rows = []
    for m in range(1, 8):
        antichains_by_size.cache_clear()
        start = time.perf_counter()
        sizes = antichains_by_size(m)
        seconds = round(time.perf_counter() - start, 2)
        rows.append({"m": m, "by_size": sizes, "in_all": sum(sizes) - 1, "seconds": seconds})
        print(rows[-1], flush=True)
    return rows


def plot(stored: dict[str, Any], path: Path) -> None:
    config = stored["config"]
    title = (
        f"m = {config['m']}, {config['data_tokens']} data tokens, M = {stored['functions']} answer functions"
    )
    draw_accuracy(stored["points"], title, stored["log2"], path)


def main(what: str) -> None:
    config = Config.model_validate(yaml.safe_load((HERE / "config.yaml").read_text()))
    if what in ("accuracy", "all"):
        write_atomic(HERE / "accuracy.json", json.dumps(accuracy(config.accuracy), indent=1) + "\n")
    if what in ("shattering", "all"):
        write_atomic(HERE / "shattering.json", json.dumps(shattering(config.shattering), indent=1) + "\n")
    if what in ("counts", "all"):
        write_atomic(HERE / "counts.json", json.dumps(counts(), indent=1) + "\n")
    if what in ("plot", "all"):
        plot(json.loads((HERE / "accuracy.json").read_text()), HERE / "accuracy.png")
    if what == "tiny":
        tiny = AccuracyConfig(m=3, data_tokens=2, alphabet=2, most_symbols=6, seeds=[0, 1])
        print(json.dumps(accuracy(tiny)["points"][-1]))
    if what not in ("accuracy", "shattering", "counts", "plot", "tiny", "all"):
        sys.exit(f"error: {what} is unknown: give accuracy, shattering, counts, plot, tiny or all")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "all")
