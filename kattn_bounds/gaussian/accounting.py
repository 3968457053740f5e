"""Parameters and training FLOPs of a nanochat-style GPT and of the same with Gaussian Kernel Attention, by component (G1).

The rules are those of the public nanochat repository (karpathy/nanochat, nanochat/gpt.py:
`estimate_flops`, `has_ve`, `_compute_window_sizes`; scripts/base_train.py: width = 64 x depth rounded up
to the head width 128, tokens = ratio x scaling parameters):

- untied token embedding and unembedding; a value embedding (vocabulary x width) on every second layer, the
last one included;
  a layer has Q, K, V, O (width^2 each) and a relu^2 MLP (8 width^2); no biases, norms without parameters;
- FLOPs per token = 6 x (weights of matrix products: layers and unembedding) + 12 x width x (sum over
layers of the attended length);
- windows "SSSL": three short layers, one with the full context, the last layer full. Short is a half of
the context in the version of
  January to early March 2026 and a quarter in the later ones.

Left out on both sides: value gates and per-layer scalars, some thousands of parameters. All counts are
exact integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Literal

from kattn_bounds.errors import Faults

Kind = Literal["baseline", "gka"]
Short = Literal["half", "quarter"]

PUBLISHED_PARAMETERS = Fraction(42, 100)
PUBLISHED_FLOPS = Fraction(49, 100)


@dataclass(frozen=True)
class Shape:
    """The shape of the pair of models. width None: 64 x depth, rounded up to a multiple of the head width."""

    depth: int
    width: int | None = None
    vocab: int = 32768
    context: int = 2048
    head_width: int = 128
    pattern: str = "SSSL"
    short: Short = "half"

    def __post_init__(self) -> None:
        faults = Faults()
        for name, value, top in (
            ("depth", self.depth, 10_000),
            ("width", self.channels if self.depth > 0 and self.head_width > 0 else 1, 10**6),
            ("vocab", self.vocab, 10**9),
            ("context", self.context, 10**9),
            ("head width", self.head_width, 10**6),
        ):
            faults.require(1 <= value <= top, f"{name} = {value} is out of range: give an integer 1 to {top}")
        if self.width is not None and self.head_width > 0:
            faults.require(
                self.width % self.head_width == 0,
                f"width = {self.width} is not a multiple of the head width {self.head_width}: "
                "give a multiple, or another --head-width",
            )
        faults.require(
            bool(self.pattern) and not self.pattern.strip("SL"),
            f"windows = {self.pattern!r} is not a pattern: give letters S (short) and L (full), for instance SSSL",
        )
        faults.require(self.short in ("half", "quarter"), f"short = {self.short!r}: give half or quarter")
        faults.check()

    @property
    def channels(self) -> int:
        """The width.

        >>> Shape(20).channels, Shape(5).channels
        (1280, 384)
        """
        if self.width is not None:
            return self.width
        return -(-64 * self.depth // self.head_width) * self.head_width

    @property
    def heads(self) -> int:
        return self.channels // self.head_width

    def windows(self) -> list[int]:
        """Attended length of every layer.

        >>> Shape(5, context=2048).windows(), Shape(2, short="quarter").windows()
        ([1024, 1024, 1024, 2048, 2048], [512, 2048])
        """
        if self.short == "half":
            short = max(1, self.context // 2)
        else:
            # A quarter, rounded up to a tile of 128.
            short = min(self.context, -(-self.context // 4 // 128) * 128)
        letters = [self.pattern[i % len(self.pattern)] for i in range(self.depth - 1)] + ["L"]
        return [self.context if letter == "L" else short for letter in letters]

    @property
    def value_layers(self) -> int:
        """Layers with a value embedding: every second one, the last included."""
        return (self.depth + 1) // 2


def parameters(shape: Shape, kind: Kind) -> dict[str, int]:
    """Parameters by component.

    >>> sum(parameters(Shape(20), "baseline").values()), sum(parameters(Shape(20), "gka").values())
    (896532480, 378798280)
    """
    square = shape.channels**2
    table = shape.vocab * shape.channels
    baseline = kind == "baseline"
    return {
        "token embedding": table,
        "unembedding": table,
        "value embeddings": table * shape.value_layers if baseline else 0,
        "Q, K, V projections": 3 * square * shape.depth if baseline else 0,
        "output projections": square * shape.depth,
        "MLP": 8 * square * shape.depth,
        "bandwidths": 0 if baseline else shape.heads * shape.depth,
    }


def total_parameters(shape: Shape, kind: Kind) -> int:
    """All parameters."""
    return sum(parameters(shape, kind).values())


def parameter_ratio(shape: Shape) -> Fraction:
    """Parameters of GKA over those of the baseline.

    >>> f"{float(parameter_ratio(Shape(20))):.4f}"
    '0.4225'
    """
    return Fraction(total_parameters(shape, "gka"), total_parameters(shape, "baseline"))


def flops_per_token(shape: Shape, kind: Kind) -> dict[str, int]:
    """Training FLOPs per token (forward and backward) by component, under the nanochat rule."""
    counts = parameters(shape, kind)
    matrices = ("unembedding", "Q, K, V projections", "output projections", "MLP")
    flops = {name: 6 * counts[name] for name in matrices}
    flops["attention (scores and average)"] = 12 * shape.channels * sum(shape.windows())
    return flops


def scaling_parameters(shape: Shape, kind: Kind) -> int:
    """Weights of the layers and the unembedding, to which nanochat makes the number of training tokens proportional."""
    counts = parameters(shape, kind)
    return sum(counts[n] for n in ("unembedding", "Q, K, V projections", "output projections", "MLP"))


MATRIX_RULES = {
    "matrices": "6 x weights of matrix products (nanochat)",
    "all but token embedding": "6 x all parameters but the token embedding (value embeddings counted as products)",
    "all": "6 x all parameters",
}
ATTENTION_RULES = {
    "windows": "12 x width x attended length, windows on both sides (nanochat)",
    "full": "12 x width x full context on both sides",
    "gka full": "windows in the baseline, full context in GKA (masked after a dense kernel)",
    "gka none": "windows in the baseline, attention not counted in GKA",
    "none": "attention not counted on either side",
}
TOKEN_RULES = {
    "same": "the same number of tokens",
    "scaling": "tokens proportional to scaling parameters (nanochat's default)",
    "all": "tokens proportional to all parameters",
}


@dataclass(frozen=True)
class Rule:
    """One way of counting training FLOPs: a key of each of the three tables of rules."""

    matrices: str = "matrices"
    attention: str = "windows"
    tokens: str = "same"

    def describe(self) -> str:
        return "; ".join(
            (MATRIX_RULES[self.matrices], ATTENTION_RULES[self.attention], TOKEN_RULES[self.tokens])
        )


def flops_ratio(shape: Shape, rule: Rule) -> Fraction:
    """Total training FLOPs of GKA over those of the baseline under a rule.

    >>> f"{float(flops_ratio(Shape(20), Rule())):.4f}", f"{float(flops_ratio(Shape(20), Rule(tokens='scaling'))):.4f}"
    ('0.8037', '0.6221')
    """

    def per_token(kind: Kind) -> int:
        counts = parameters(shape, kind)
        if rule.matrices == "matrices":
            weights = scaling_parameters(shape, kind)
        else:
            weights = sum(counts.values()) - counts["bandwidths"]
            if rule.matrices == "all but token embedding":
                weights -= counts["token embedding"]
        windowed, full = sum(shape.windows()), shape.context * shape.depth
        attended = {
            "windows": windowed,
            "full": full,
            "gka full": windowed if kind == "baseline" else full,
            "gka none": windowed if kind == "baseline" else 0,
            "none": 0,
        }[rule.attention]
        return 6 * weights + 12 * shape.channels * attended

    ratio = Fraction(per_token("gka"), per_token("baseline"))
    if rule.tokens == "scaling":
        ratio *= Fraction(scaling_parameters(shape, "gka"), scaling_parameters(shape, "baseline"))
    elif rule.tokens == "all":
        ratio *= parameter_ratio(shape)
    return ratio


def all_ratios(shape: Shape) -> list[tuple[Shape, Rule, Fraction]]:
    """The FLOPs ratio under every combination of rules and both lengths of the short window."""
    found = []
    for matrices, attention, tokens in product(MATRIX_RULES, ATTENTION_RULES, TOKEN_RULES):
        rule = Rule(matrices, attention, tokens)
        shorts: Sequence[Short] = ("half",) if attention in ("full", "none") else ("half", "quarter")
        for short in shorts:
            variant = replace(shape, short=short)
            found.append((variant, rule, flops_ratio(variant, rule)))
    return found


def rounds_to(ratio: Fraction, published: Fraction) -> bool:
    """Whether the ratio rounds to the two published digits."""
    return abs(ratio - published) <= Fraction(5, 1000)


def explanation(shape: Shape) -> list[str]:
    """What the rules give beside the published numbers, and what they leave unexplained, in sentences."""
    p = parameter_ratio(shape)
    same, scaled = flops_ratio(shape, Rule()), flops_ratio(shape, Rule(tokens="scaling"))
    hits = [(s, r, x) for s, r, x in all_ratios(shape) if rounds_to(x, PUBLISHED_FLOPS)]
    verdict = "agrees" if rounds_to(p, PUBLISHED_PARAMETERS) else "does not agree"
    either = any(rounds_to(x, PUBLISHED_FLOPS) for x in (same, scaled))
    lines = [
        f"Parameters: {float(p):.4f}; published {float(PUBLISHED_PARAMETERS):.2f} ({verdict} to two digits).",
        f"FLOPs by nanochat's own rule: {float(same):.4f} at the same number of tokens, {float(scaled):.4f} with "
        "tokens in proportion to the scaling parameters. "
        f"Published {float(PUBLISHED_FLOPS):.2f}: {'one of them' if either else 'neither'} rounds to it.",
    ]
    if hits:
        lines.append("Other combinations of rules that round to it (which one was used is not known):")
        lines += [f"  {float(x):.4f}: {r.describe()}" + _short(s, r) for s, r, x in hits]
    else:
        lines.append("No combination of the rules tried here rounds to it.")
    return lines


def _short(shape: Shape, rule: Rule) -> str:
    return "" if rule.attention in ("full", "none") else f"; short window a {shape.short} of the context"


def human(number: int) -> str:
    """A count in millions or billions.

    >>> human(896532480), human(200), human(3004170240)
    ('896.5M', '200', '3.004G')
    """
    if number >= 10**9:
        return f"{number / 10**9:.3f}G"
    if number >= 10**5:
        return f"{number / 10**6:.1f}M"
    return str(number)


@dataclass(frozen=True)
class DepthRow:
    """The pair at one depth: parameters, their ratio, and the FLOPs ratio at equal tokens and at tokens ~ parameters."""

    depth: int
    width: int
    baseline: int
    gka: int
    parameters: Fraction
    flops: Fraction
    flops_scaled: Fraction


def depth_table(shape: Shape, depths: Sequence[int] = tuple(range(4, 33, 2))) -> list[DepthRow]:
    """The pair over depths, the width following the depth.

    >>> row = depth_table(Shape(20), [20])[0]
    >>> row.width, f"{float(row.parameters):.4f}"
    (1280, '0.4225')
    """
    rows = []
    for depth in depths:
        s = replace(shape, depth=depth, width=None)
        rows.append(
            DepthRow(
                depth,
                s.channels,
                total_parameters(s, "baseline"),
                total_parameters(s, "gka"),
                parameter_ratio(s),
                flops_ratio(s, Rule()),
                flops_ratio(s, Rule(tokens="scaling")),
            )
        )
    return rows


def report(shape: Shape) -> dict[str, object]:
    """Everything above as JSON: counts are integers, ratios exact fractions as text."""
    kinds: tuple[Kind, Kind] = ("baseline", "gka")
    return {
        "shape": {
            "depth": shape.depth,
            "width": shape.channels,
            "heads": shape.heads,
            "vocab": shape.vocab,
            "context": shape.context,
            "windows": shape.windows(),
        },
        "parameters": {kind: parameters(shape, kind) for kind in kinds},
        "flops_per_token": {kind: flops_per_token(shape, kind) for kind in kinds},
        "parameter_ratio": str(parameter_ratio(shape)),
        "flops_ratios": [
            {
                "matrices": rule.matrices,
                "attention": rule.attention,
                "tokens": rule.tokens,
                "short": variant.short,
                "ratio": str(ratio),
                "decimal": f"{float(ratio):.4f}",
                "rounds_to_published": rounds_to(ratio, PUBLISHED_FLOPS),
            }
            for variant, rule, ratio in all_ratios(shape)
        ],
        "explanation": explanation(shape),
        "depths": [
            {
                "depth": row.depth,
                "width": row.width,
                "baseline": row.baseline,
                "gka": row.gka,
                "parameter_ratio": f"{float(row.parameters):.6f}",
                "flops_ratio_same_tokens": f"{float(row.flops):.6f}",
                "flops_ratio_scaled_tokens": f"{float(row.flops_scaled):.6f}",
            }
            for row in depth_table(shape)
        ],
    }
