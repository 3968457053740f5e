"""The layer of Gaussian Kernel Attention (G1), in torch: a drop-in for a block of self-attention.

Head h sees its own slice of the token features (no query, key or value projection), the affinity of tokens i and j
is exp(-|x_i - x_j|^2 / 2 sigma_h^2), masked and renormalised over each row, the values are the features, and one
matrix W_O maps the concatenated heads back. One bandwidth per head is learned, as its logarithm.

The fast path. Renormalising a row cancels exp(-|x_i|^2 / 2 sigma^2), so the row is the softmax of the scores

    <x_i, x_j> / sigma^2 - |x_j|^2 / 2 sigma^2 = <(x_i, 1), (x_j / sigma^2, -|x_j|^2 / 2 sigma^2)>,

and one extra feature carries the bias of the key: torch's fused attention then never forms the n x n matrix.
(A bias given as an attention mask that needs a gradient makes torch form that matrix: measured in
experiments/gka_accounting.)
"""

# Where torch is not installed its types are Any; the file is checked in both cases.
# mypy: allow-subclassing-any, no-warn-return-any, no-warn-unused-ignores

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

Path = Literal["fast", "reference"]


def band_mask(
    length: int, *, causal: bool, window: int | None, device: torch.device | None = None
) -> Tensor | None:
    """The boolean mask [query, key] of allowed pairs, shape (length, length), or None when all are allowed.

    `window` is the number of attended tokens, the query itself included; without `causal` it reaches to both sides.

    >>> band_mask(3, causal=True, window=2).int().tolist()
    [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    """
    if window is not None and window < 1:
        raise ValueError(f"window = {window} is out of range: give a number of tokens >= 1")
    if not causal and window is None:
        return None
    # Comparisons of a column with a row, so that nothing larger than the boolean mask itself is formed.
    index = torch.arange(length, device=device)
    query, key = index[:, None], index[None, :]
    if window is None:
        return query >= key
    allowed = query < key + window
    allowed &= query >= key if causal else key < query + window
    return allowed


def gaussian_attention_reference(
    features: Tensor,
    log_sigma: Tensor,
    *,
    causal: bool = False,
    window: int | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The formula as it is written: affinities, mask, renormalisation, average. Forms the n x n matrix.

    features   (batch, heads, length, width of a head)
    log_sigma  (heads,)
    mask       boolean, True where attention is allowed, broadcastable to (batch, heads, length, length); every
               row must allow a token
    returns    the shape of features
    """
    distance = torch.cdist(features, features, compute_mode="donot_use_mm_for_euclid_dist")
    exponent = -distance.square() / (2 * torch.exp(2 * log_sigma)[:, None, None])
    allowed = _combine(features, causal, window, mask)
    if allowed is not None:
        exponent = exponent.masked_fill(~allowed, float("-inf"))
    # Scaling a row before renormalising it changes nothing and keeps the largest affinity at 1.
    affinity = torch.exp(exponent - exponent.amax(-1, keepdim=True).detach())
    return affinity @ features / affinity.sum(-1, keepdim=True)


def gaussian_attention(
    features: Tensor,
    log_sigma: Tensor,
    *,
    causal: bool = False,
    window: int | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The same values through `scaled_dot_product_attention` with one extra feature; shapes as in the reference.

    >>> x = torch.tensor([[[[0.0], [1.0]]]], dtype=torch.float64)
    >>> out = gaussian_attention(x, torch.zeros(1, dtype=torch.float64))
    >>> [round(v, 6) for v in out.flatten().tolist()]
    [0.377541, 0.622459]
    """
    inverse = torch.exp(-2 * log_sigma)[:, None, None]
    query = functional.pad(features, (0, 1), value=1.0)
    key = torch.cat((features, -0.5 * features.square().sum(-1, keepdim=True)), -1) * inverse
    # The fused kernel asks for values of the width of the keys; the extra column is cut off again.
    value = functional.pad(features, (0, 1))
    whole = mask is None and window is None
    allowed = None if whole else _combine(features, causal, window, mask)
    mixed = functional.scaled_dot_product_attention(
        query, key, value, attn_mask=allowed, is_causal=whole and causal, scale=1.0
    )
    return mixed[..., :-1]


def _combine(features: Tensor, causal: bool, window: int | None, mask: Tensor | None) -> Tensor | None:
    band = band_mask(features.shape[-2], causal=causal, window=window, device=features.device)
    if mask is None or band is None:
        return mask if band is None else band
    return band & mask


class GaussianKernelAttention(nn.Module):
    """Gaussian Kernel Attention with the interface of a self-attention block: (batch, length, width) in and out.

    width   must be a multiple of heads
    sigma   initial bandwidth; default the square root of the width of a head: two independent features of unit
            variance then have affinity exp(-1) on average in the exponent
    window  number of attended tokens, the query included, or None
    path    "fast" or "reference"

    Parameters: W_O (width^2) and one log-bandwidth a head.

    >>> layer = GaussianKernelAttention(8, 2, causal=True)
    >>> sum(p.numel() for p in layer.parameters()), layer(torch.randn(1, 5, 8)).shape
    (66, torch.Size([1, 5, 8]))
    """

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        causal: bool = False,
        window: int | None = None,
        sigma: float | None = None,
        path: Path = "fast",
    ) -> None:
        super().__init__()
        if heads < 1 or width < 1 or width % heads:
            raise ValueError(f"width = {width} is not a multiple of heads = {heads}: give a multiple")
        if sigma is not None and not sigma > 0:
            raise ValueError(f"sigma = {sigma} is out of range: give a number > 0")
        if path not in ("fast", "reference"):
            raise ValueError(f"path = {path!r}: give fast or reference")
        self.heads, self.causal, self.window, self.path = heads, causal, window, path
        start = torch.tensor((width // heads) ** 0.5 if sigma is None else sigma)
        self.log_sigma = nn.Parameter(start.log().expand(heads).clone())
        self.output = nn.Linear(width, width, bias=False)

    @property
    def sigma(self) -> Tensor:
        """The bandwidths, shape (heads,)."""
        return self.log_sigma.exp()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """x: (batch, length, width); mask: boolean, True where allowed, broadcastable to (batch, heads, n, n)."""
        batch, length, width = x.shape
        features = x.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
        attention = gaussian_attention if self.path == "fast" else gaussian_attention_reference
        mixed = attention(features, self.log_sigma, causal=self.causal, window=self.window, mask=mask)
        out: Tensor = self.output(mixed.transpose(1, 2).reshape(batch, length, width))
        return out
