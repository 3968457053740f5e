"""How much of the gap is in the split itself: byte-pair counts, too small to memorise, on the same windows.

python experiments/gka_language/split.py             prints and writes results/split.json (needs torch)
"""

from __future__ import annotations

import json
from math import log
from pathlib import Path

import torch

from kattn_bounds.gaussian.language import load_config, load_corpus, windows_of

HERE = Path(__file__).parent


def main() -> None:
    config = load_config(str(HERE / "config.yaml"))
    corpus = load_corpus(config.corpus_bytes)
    pairs = corpus.train[:-1] * 256 + corpus.train[1:]
    counts = torch.bincount(pairs, minlength=1 << 16).reshape(256, 256).double() + 0.1
    bits = -(counts / counts.sum(1, keepdim=True)).log() / log(2)
    found = {}
    for name, text, seed in (
        ("train", corpus.train, 10**6 + 2),
        ("validation", corpus.validation, 10**6 + 3),
    ):
        windows = windows_of(text, config.final_evaluation_windows, config.context, seed)
        found[name] = round(float(bits[windows[:, :-1], windows[:, 1:]].mean()), 4)
    found["gap"] = round(found["validation"] - found["train"], 4)
    (HERE / "results" / "split.json").write_text(json.dumps(found, indent=2) + "\n")
    print(found)


if __name__ == "__main__":
    main()
