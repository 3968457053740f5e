"""Peak memory and time of the Gaussian attention layer's paths at length 4096 on the CPU, each in a process of its own.

python experiments/gka_accounting/memory.py            measure all, write results/memory.json
"""

from __future__ import annotations

import json
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path

LENGTH, HEADS, HEAD_WIDTH = 4096, 4, 32
PATHS = {
    "fast": "scaled_dot_product_attention, key bias as an extra feature (the layer's fast path)",
    "mask": "scaled_dot_product_attention, key bias as an attention mask broadcast over the queries",
    "reference": "the formula: distances, affinities, mask, renormalisation",
}


def measure(path: str, causal: bool) -> dict[str, float]:
    """One forward and backward pass; peak resident memory above what was there before it, in MiB."""
    import torch
    from torch.nn import functional

    from kattn_bounds.gaussian.layer import gaussian_attention, gaussian_attention_reference

    torch.set_num_threads(1)
    torch.manual_seed(0)

    def biased_mask(x: torch.Tensor, log_sigma: torch.Tensor, *, causal: bool) -> torch.Tensor:
        inverse = torch.exp(-2 * log_sigma)[:, None, None]
        bias = (-0.5 * x.square().sum(-1, keepdim=True) * inverse).transpose(-1, -2)
        if causal:
            n = x.shape[-2]
            bias = bias.expand(-1, -1, n, -1) + torch.full((n, n), float("-inf")).triu(1)
        return functional.scaled_dot_product_attention(x, x * inverse, x, attn_mask=bias, scale=1.0)

    run = {"fast": gaussian_attention, "reference": gaussian_attention_reference, "mask": biased_mask}[path]

    def step(length: int) -> torch.Tensor:
        x = torch.randn(1, HEADS, length, HEAD_WIDTH).requires_grad_()
        log_sigma = torch.full((HEADS,), 1.7).requires_grad_()
        out = run(x, log_sigma, causal=causal)
        out.square().sum().backward()
        assert x.grad is not None
        return out.detach()

    step(64)  # loads the libraries' kernels
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, cpu = time.perf_counter(), time.process_time()
    out = step(LENGTH)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "peak_mib": round((peak - before) / 1024, 1),
        "cpu_seconds": round(cpu_seconds, 3),
        "seconds": round(seconds, 3),
        "checksum": round(float(out.double().abs().sum()), 2),
    }


def main() -> None:
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], sys.argv[2] == "causal")))
        return
    import torch

    results = []
    for causal in ("open", "causal"):
        for path in PATHS:
            done = subprocess.run(
                [sys.executable, __file__, path, causal], check=True, capture_output=True, text=True
            )
            results.append({"path": path, "mask": causal, **json.loads(done.stdout)})
            print(results[-1])
    report = {
        "what": "one forward and backward pass, float32, batch 1, one thread; peak resident memory above the start",
        "length": LENGTH,
        "heads": HEADS,
        "head_width": HEAD_WIDTH,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "paths": PATHS,
        "results": results,
    }
    target = Path(__file__).parent / "results" / "memory.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
