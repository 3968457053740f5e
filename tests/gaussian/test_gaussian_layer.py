"""The torch layer: fast path, formula, the numpy kernel and the exact enclosures say the same."""

from __future__ import annotations

import doctest
import importlib
from fractions import Fraction as F

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from kattn_bounds.gaussian import accounting  # noqa: E402
from kattn_bounds.gaussian.cube import PROJECTION_FREE, RETRIEVAL_TASKS, Sequence, output_enclosure  # noqa: E402
from kattn_bounds.gaussian.layer import (  # noqa: E402
    GaussianKernelAttention,
    band_mask,
    gaussian_attention,
    gaussian_attention_reference,
)
from kattn_bounds.gaussian.models import ByteGPT, PatchClassifier, parameter_count  # noqa: E402
from kattn_bounds.kernels.gaussian import gaussian_matrix  # noqa: E402
from kattn_bounds.setting import Setting  # noqa: E402

CASES = {
    "open": {},
    "causal": {"causal": True},
    "window": {"window": 5},
    "causal window": {"causal": True, "window": 4},
    "window of one": {"causal": True, "window": 1},
}


@pytest.mark.parametrize("name", ["layer", "train"])
def test_examples_in_the_docstrings(name: str) -> None:
    module = importlib.import_module(f"kattn_bounds.gaussian.{name}")
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def both(dtype, options, mask=None):
    """Output, gradient of the features and of the bandwidths, by the two paths on the same random input."""
    results = []
    for path in (gaussian_attention, gaussian_attention_reference):
        generator = torch.Generator().manual_seed(7)
        x = torch.randn(2, 3, 17, 8, generator=generator, dtype=dtype).requires_grad_()
        log_sigma = torch.tensor([-0.3, 0.4, 1.5], dtype=dtype).requires_grad_()
        weights = torch.randn(2, 3, 17, 8, generator=generator, dtype=dtype)
        out = path(x, log_sigma, mask=mask, **options)
        (out * weights).sum(-1).mean().backward()  # a mean over tokens, as in training
        results.append((out.detach(), x.grad, log_sigma.grad))
    return results


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-12)])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("masked", [False, True])
def test_fast_path_is_the_formula(dtype, tolerance, case: str, masked: bool) -> None:
    mask = None
    if masked:
        mask = torch.rand(2, 1, 17, 17, generator=torch.Generator().manual_seed(3)) < 0.6
        mask |= torch.eye(17, dtype=torch.bool)
    (out, grad, sigma_grad), (out_, grad_, sigma_grad_) = both(dtype, CASES[case], mask)
    for got, expected in ((out, out_), (grad, grad_)):
        assert float((got - expected).abs().max()) <= tolerance * float(expected.abs().max())
    # The bandwidth's gradient may vanish (a window of one token), so its error is absolute.
    assert float((sigma_grad - sigma_grad_).abs().max()) <= tolerance


def test_without_the_key_bias_it_is_another_head() -> None:
    x = torch.randn(1, 1, 9, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    log_sigma = torch.zeros(1, dtype=torch.float64)
    plain = torch.nn.functional.scaled_dot_product_attention(x, x, x, scale=1.0)
    expected = gaussian_attention_reference(x, log_sigma)
    assert float((plain - expected).abs().max()) > 1e-2
    assert float((gaussian_attention(x, log_sigma + 0.01) - expected).abs().max()) > 1e-4


def test_every_boolean_sequence_agrees_with_the_numpy_kernel() -> None:
    m, sigma2 = 3, 0.8
    matrix = gaussian_matrix(m, sigma2)
    rng = np.random.default_rng(0)
    log_sigma = torch.tensor([0.5 * np.log(sigma2)], dtype=torch.float64)
    for _ in range(50):
        tokens = rng.integers(0, 1 << m, size=6)
        bits = ((tokens[:, None] >> np.arange(m - 1, -1, -1)) & 1).astype(float)
        weights = matrix[np.ix_(tokens, tokens)]
        expected = weights / weights.sum(1, keepdims=True) @ bits
        got = gaussian_attention(torch.from_numpy(bits)[None, None], log_sigma)[0, 0].numpy()
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-14)


def test_output_lies_in_the_exact_enclosure() -> None:
    sigma2, setting = F(11, 10), Setting(4, 4)
    tokens = [0b1100, 0b0110, 0b0001, 0b0111]
    task = RETRIEVAL_TASKS[0]
    assert task.head is PROJECTION_FREE
    exact = output_enclosure(task, setting, Sequence(tuple((t, 1) for t in tokens[:-1]), tokens[-1]), sigma2)
    bits = torch.tensor([[t >> (3 - i) & 1 for i in range(4)] for t in tokens], dtype=torch.float64)
    log_sigma = 0.5 * torch.log(torch.tensor([float(sigma2)], dtype=torch.float64))
    out = gaussian_attention(bits[None, None], log_sigma, causal=True)[0, 0, -1] @ bits[-1]
    assert abs(float(out) - float(exact.mid())) < 1e-13


@pytest.mark.parametrize("window", [None, 3])
def test_no_position_sees_what_the_mask_hides(window: int | None) -> None:
    layer = GaussianKernelAttention(8, 2, causal=True, window=window).double()
    x = torch.randn(1, 10, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    x.requires_grad_()
    layer(x)[0, 6].sum().backward()
    seen = {j for j in range(10) if float(x.grad[0, j].abs().max()) > 0}
    assert seen == set(range(0 if window is None else 4, 7))


def test_mask_of_a_window() -> None:
    assert band_mask(4, causal=False, window=None) is None
    assert band_mask(4, causal=False, window=2).int().tolist() == [
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [0, 1, 1, 1],
        [0, 0, 1, 1],
    ]


def test_bandwidth_decides_how_local_a_head_is() -> None:
    x = torch.randn(1, 1, 12, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    narrow = gaussian_attention(x, torch.full((1,), -4.0, dtype=torch.float64))
    wide = gaussian_attention(x, torch.full((1,), 12.0, dtype=torch.float64))
    torch.testing.assert_close(narrow, x, atol=1e-12, rtol=0)
    torch.testing.assert_close(wide, x.mean(-2, keepdim=True).expand_as(x), atol=1e-8, rtol=0)


def test_parameters_are_those_of_the_accounting() -> None:
    layer = GaussianKernelAttention(256, 2)
    assert parameter_count(layer) == 256**2 + 2
    shape = accounting.Shape(4, width=256, vocab=256, context=64)
    for kind in ("baseline", "gka"):
        counts = accounting.parameters(shape, kind)
        counts["value embeddings"] = 0
        model = ByteGPT(kind, width=256, heads=shape.heads, context=64, windows=shape.windows())
        assert parameter_count(model) == sum(counts.values()) + 64 * 256
        assert model.flops_per_token() == sum(accounting.flops_per_token(shape, kind).values())


def test_bad_arguments_are_named() -> None:
    for arguments, text in (
        ({"width": 8, "heads": 3}, "width = 8 is not a multiple of heads = 3"),
        ({"width": 8, "heads": 2, "sigma": 0.0}, "sigma = 0.0"),
        ({"width": 8, "heads": 2, "path": "slow"}, "path = 'slow'"),
    ):
        with pytest.raises(ValueError, match=text):
            GaussianKernelAttention(**arguments)
    with pytest.raises(ValueError, match="window = 0"):
        band_mask(4, causal=True, window=0)
    with pytest.raises(ValueError, match="side = 7"):
        PatchClassifier("gka", side=7, patch=2, width=8, heads=2, depth=1, classes=2)
