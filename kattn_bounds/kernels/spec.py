"""From the text a user types to a kernel: a named construction, a file, a formula, or a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.kernels.base import Kernel
from kattn_bounds.kernels.expression import formula
from kattn_bounds.kernels.factors import load_factors
from kattn_bounds.kernels.function import PATTERN, load_function
from kattn_bounds.kernels.positions import PositionKernel
from kattn_bounds.kernels.softmax import expanded, softmax
from kattn_bounds.kernels.table import load_table
from kattn_bounds.kernels.uniform import signed_token_values, uniform
from kattn_bounds.setting import parse_rational

Options = Mapping[str, str]
Scheme = Callable[[str, int, Options], Kernel]
"""(what stands after the colon, m, options of the command) -> kernel."""

SCHEMES: dict[str, str] = {"maps": "kattn_bounds.maps.registry:scheme"}
"""Prefixes such as `maps:`, each with the function that reads the rest; imported only when used."""

FILES = (".npy", ".npz", ".csv", ".json")

HELP = "a formula such as 3**-t, a file (.npy .npz .csv .json), uniform, softmax:1/3, expanded:1/3, or module:function"


def parse_kernel(text: str, m: int, options: Options | None = None) -> Kernel | PositionKernel:
    """The kernel that a specification names, for tokens of m bits.

    Raises InputError when it names none, or one of another m.

    >>> parse_kernel("3**-t", 6).name
    '3**-t'
    >>> parse_kernel("expanded:1/3", 3).features
    8
    """
    text = text.strip()
    head, colon, rest = text.partition(":")
    kernel: Kernel | PositionKernel
    if text == "uniform":
        kernel = uniform(m)
    elif head == "softmax" and colon:
        kernel = softmax(m, _base(rest))
    elif head == "expanded" and colon:
        kernel = expanded(m, _base(rest))
    elif head in SCHEMES and colon:
        kernel = _scheme(head)(rest, m, options or {})
    elif Path(text).suffix in FILES:
        kernel = load_factors(Path(text)) if text.endswith(".json") else load_table(Path(text))
    elif PATTERN.fullmatch(text):
        kernel = load_function(text, m)
    elif text:
        kernel = formula(text, m)
    else:
        raise InputError(f"the kernel is empty: give {HELP}")
    if kernel.m != m:
        raise InputError(f"kernel '{shorten(text)}' has m = {kernel.m}, but --m is {m}: give --m {kernel.m}")
    return kernel


def parse_values(text: str, m: int) -> Kernel:
    """A value map V(q, a) of the free readout: `2t-k` style formula, a table file, `signed-tokens`, or module:function.

    >>> parse_values("signed-tokens", 2).value(0b11, 0b01)
    Fraction(0, 1)
    """
    text = text.strip()
    if text == "signed-tokens":
        return signed_token_values(m)
    if Path(text).suffix in (".npy", ".npz", ".csv"):
        values = load_table(Path(text), signed=True)
        if isinstance(values, PositionKernel) or values.m != m:
            raise InputError(f"value map '{shorten(text)}' must be one table with m = {m}")
        return values
    if PATTERN.fullmatch(text):
        return load_function(text, m, signed=True)
    return formula(text, m, signed=True)


def _base(text: str) -> Fraction:
    return parse_rational(text, "x")


def _scheme(head: str) -> Scheme:
    import importlib

    module, _, name = SCHEMES[head].partition(":")
    found: Scheme = getattr(importlib.import_module(module), name)
    return found
