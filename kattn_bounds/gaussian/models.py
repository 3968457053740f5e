"""Small transformers with either attention: a causal byte-level language model and an image classifier (torch)."""

# Where torch is not installed its types are Any; the file is checked in both cases.
# mypy: allow-subclassing-any, no-warn-return-any, no-warn-unused-ignores

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from torch import Tensor, nn
from torch.nn import functional

from kattn_bounds.gaussian.layer import GaussianKernelAttention, band_mask

Kind = Literal["baseline", "gka"]


class DotProductAttention(nn.Module):
    """Standard multi-head self-attention, with the same interface and masks as `GaussianKernelAttention`."""

    def __init__(self, width: int, heads: int, *, causal: bool = False, window: int | None = None) -> None:
        super().__init__()
        self.heads, self.causal, self.window = heads, causal, window
        self.projections = nn.Linear(width, 3 * width, bias=False)
        self.output = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """x: (batch, length, width)."""
        batch, length, width = x.shape
        shape = (batch, length, self.heads, width // self.heads)
        q, k, v = (part.view(shape).transpose(1, 2) for part in self.projections(x).chunk(3, -1))
        if self.window is None:
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        else:
            allowed = band_mask(length, causal=self.causal, window=self.window, device=x.device)
            mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        out: Tensor = self.output(mixed.transpose(1, 2).reshape(batch, length, width))
        return out


def rms_norm(x: Tensor) -> Tensor:
    """Each token to unit mean square; no parameters."""
    return functional.rms_norm(x, (x.shape[-1],))


class Block(nn.Module):
    """Pre-norm attention and a relu^2 MLP of four times the width, each with a residual connection."""

    def __init__(self, kind: Kind, width: int, heads: int, *, causal: bool, window: int | None) -> None:
        super().__init__()
        attention = GaussianKernelAttention if kind == "gka" else DotProductAttention
        self.attention = attention(width, heads, causal=causal, window=window)
        self.expand = nn.Linear(width, 4 * width, bias=False)
        self.contract = nn.Linear(4 * width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(rms_norm(x))
        out: Tensor = x + self.contract(functional.relu(self.expand(rms_norm(x))).square())
        return out


class ByteGPT(nn.Module):
    """A causal model of bytes: token and learned position embeddings, blocks, an untied unembedding.

    `windows` gives the attended length of each layer, so its length is the depth. The two kinds differ in the attention alone.

    Example: ByteGPT("gka", width=8, heads=2, context=4, windows=[2, 4]) has two layers and maps bytes of shape (1, 4)
    to logits of shape (1, 4, 256).
    """

    VOCABULARY = 256

    def __init__(self, kind: Kind, *, width: int, heads: int, context: int, windows: Sequence[int]) -> None:
        super().__init__()
        self.kind, self.context, self.windows = kind, context, list(windows)
        self.tokens = nn.Embedding(self.VOCABULARY, width)
        self.positions = nn.Embedding(context, width)
        self.blocks = nn.ModuleList(
            Block(kind, width, heads, causal=True, window=None if w >= context else w) for w in windows
        )
        self.unembedding = nn.Linear(width, self.VOCABULARY, bias=False)
        _initialise(self)

    def forward(self, x: Tensor) -> Tensor:
        """x: (batch, length) of bytes; returns logits (batch, length, 256)."""
        h = rms_norm(self.tokens(x) + self.positions.weight[: x.shape[1]])
        for block in self.blocks:
            h = block(h)
        logits: Tensor = self.unembedding(rms_norm(h))
        return logits

    def flops_per_token(self) -> int:
        """Training FLOPs per token by the nanochat rule: 6 x weights of matrix products + 12 x width x attended lengths."""
        return _flops(self, self.tokens.embedding_dim, self.windows)


class PatchClassifier(nn.Module):
    """A vision transformer for small grey images: patches, learned positions, blocks without a mask, mean pooling.

    Example: PatchClassifier("gka", side=8, patch=2, width=8, heads=2, depth=1, classes=10) maps images of shape
    (3, 8, 8) to logits of shape (3, 10).
    """

    def __init__(
        self, kind: Kind, *, side: int, patch: int, width: int, heads: int, depth: int, classes: int
    ) -> None:
        super().__init__()
        if side % patch:
            raise ValueError(f"side = {side} is not a multiple of patch = {patch}: give a multiple")
        self.patch, self.count = patch, (side // patch) ** 2
        self.embedding = nn.Linear(patch * patch, width, bias=False)
        self.positions = nn.Embedding(self.count, width)
        self.blocks = nn.ModuleList(
            Block(kind, width, heads, causal=False, window=None) for _ in range(depth)
        )
        self.classifier = nn.Linear(width, classes, bias=False)
        _initialise(self)

    def forward(self, images: Tensor) -> Tensor:
        """images: (batch, side, side); returns logits (batch, classes)."""
        patches = images.unfold(1, self.patch, self.patch).unfold(2, self.patch, self.patch)
        h = rms_norm(self.embedding(patches.reshape(len(images), self.count, -1)) + self.positions.weight)
        for block in self.blocks:
            h = block(h)
        logits: Tensor = self.classifier(rms_norm(h).mean(1))
        return logits

    def flops_per_token(self) -> int:
        """Training FLOPs per patch by the same rule."""
        return _flops(self, self.positions.embedding_dim, [self.count] * len(self.blocks))


def attentions(model: nn.Module) -> list[GaussianKernelAttention]:
    """The Gaussian attention layers, in order."""
    return [layer for layer in model.modules() if isinstance(layer, GaussianKernelAttention)]


def parameter_count(model: nn.Module) -> int:
    """All parameters."""
    return sum(p.numel() for p in model.parameters())


def _flops(model: nn.Module, width: int, windows: Sequence[int]) -> int:
    weights = sum(layer.weight.numel() for layer in model.modules() if isinstance(layer, nn.Linear))
    return 6 * weights + 12 * width * sum(windows)


def _initialise(model: nn.Module) -> None:
    """Embeddings of unit scale, matrices of scale 1/sqrt(input), zero for what writes to the residual stream."""
    for name, layer in model.named_modules():
        if isinstance(layer, nn.Embedding):
            nn.init.normal_(layer.weight, std=0.3 if name == "positions" else 1.0)
        elif isinstance(layer, nn.Linear):
            if name.endswith(("output", "contract", "unembedding", "classifier")):
                nn.init.zeros_(layer.weight)
            else:
                nn.init.normal_(layer.weight, std=layer.in_features**-0.5)
