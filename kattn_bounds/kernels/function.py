"""A user's own code, `module:function`, as a kernel.

The function is called as `function(q, a)` with tuples of m bits and returns an integer, a Fraction, or a finite float
(taken as the exact dyadic rational that it is); or it is called as `function(m)`, when it takes one parameter, and
returns a Kernel of this package.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.kernels.base import Kernel, TableKernel

PATTERN = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
MAX_M = 9
"""Largest m at which a function is called on all 4^m pairs."""


def load_function(spec: str, m: int, signed: bool = False) -> Kernel:
    """The kernel of `module:function` at this m; the module is imported from the working folder or the environment.

    Raises InputError when the module or function is missing, fails, or returns something that is not an exact number.
    """
    module_name, _, name = spec.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # the user's module may fail in any way
        raise InputError(
            f"cannot import module '{shorten(module_name)}' ({type(error).__name__}: {shorten(error)}): "
            "run in its folder, or correct it"
        ) from None
    function = getattr(module, name, None)
    if not callable(function):
        raise InputError(f"module '{module_name}' has no function '{name}': give one that it defines")
    try:
        parameters = len(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        parameters = 2
    if parameters == 1:
        made = _call(spec, function, m)
        if not isinstance(made, Kernel) or made.m != m:
            raise InputError(f"{spec}({m}) did not return a Kernel with m = {m}: return one, or take (q, a)")
        return made
    if m > MAX_M:
        raise InputError(f"m = {m} is too large to call {spec} on all 4^m pairs: give m <= {MAX_M}")
    size = 1 << m
    bits = [tuple((token >> (m - 1 - i)) & 1 for i in range(m)) for token in range(size)]
    entries = np.empty((size, size), dtype=object)
    for q in range(size):
        for a in range(size):
            entries[q, a] = _number(spec, _call(spec, function, bits[q], bits[a]))
    return TableKernel(spec, m, entries, signed=signed)


def _call(spec: str, function: Callable[..., Any], *arguments: object) -> Any:
    try:
        return function(*arguments)
    except InputError:
        raise
    except Exception as error:  # the user's code may fail in any way
        raise InputError(
            f"{spec}{shorten(arguments)} failed ({type(error).__name__}: {shorten(error)}): correct the function"
        ) from None


def _number(spec: str, value: Any) -> Fraction:
    try:
        return Fraction(value.item() if isinstance(value, np.generic) else value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{spec} returned {shorten(repr(value))}: return an integer, a Fraction or a finite float"
        ) from None
