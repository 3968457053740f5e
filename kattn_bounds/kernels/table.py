"""A user's table of all 2^m x 2^m entries, from .npy, .npz or .csv, indexed [q, a] in the order of the bit strings."""

from __future__ import annotations

import csv
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.kernels.base import EXHAUSTIVE_MAX_M, Kernel, TableKernel
from kattn_bounds.kernels.positions import PositionKernel
from kattn_bounds.setting import parse_rational

MAX_CSV_FIELD = 10_000


def load_table(path: Path, signed: bool = False) -> Kernel | PositionKernel:
    """The kernel of a file; m follows from its size. `signed` allows negative entries (a value map V).

    .npy   one array (integers or floats; a float is taken as the exact dyadic rational that it is)
    .npz   one array, or arrays named K_1 .. K_n: a position-dependent kernel (K_n is the query's own position)
    .csv   2^m lines of 2^m exact rationals such as 1/3

    Raises InputError for a missing or malformed file, a wrong size, and negative, infinite or NaN entries.
    """
    try:
        if path.suffix == ".csv":
            return _kernel(path.name, _read_csv(path), signed)
        with path.open("rb") as file:
            loaded = np.load(file, allow_pickle=False)
            if not isinstance(loaded, np.lib.npyio.NpzFile):
                return _kernel(path.name, loaded, signed)
            arrays = {name: loaded[name] for name in loaded.files}
    except OSError as error:
        raise InputError(
            f"cannot read '{shorten(path)}' ({error.strerror or error}): give the path of a file that exists"
        ) from None
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"file '{shorten(path)}' is not a readable {path.suffix} table ({shorten(error)}): save it with numpy.save"
        ) from None
    if len(arrays) == 1:
        return _kernel(path.name, next(iter(arrays.values())), signed)
    wanted = [f"K_{j}" for j in range(1, len(arrays) + 1)]
    if set(arrays) != set(wanted):
        raise InputError(
            f"file '{shorten(path)}' holds the arrays {shorten(sorted(arrays))}: give one array, or K_1 .. K_n"
        )
    kernels = [_kernel(f"{path.name}:{name}", arrays[name], signed) for name in wanted]
    if len({kernel.m for kernel in kernels}) > 1:
        raise InputError(
            f"file '{shorten(path)}' mixes tables of different sizes: give K_1 .. K_n of one size"
        )
    return PositionKernel.of_list(path.name, kernels)


def _kernel(name: str, entries: npt.NDArray[Any], signed: bool) -> TableKernel:
    size = entries.shape[0] if entries.ndim == 2 else 0
    if entries.ndim != 2 or entries.shape[1] != size or size < 2 or size & (size - 1):
        raise InputError(
            f"table '{shorten(name)}' has shape {entries.shape}: give 2^m x 2^m entries for some m >= 1"
        )
    m = size.bit_length() - 1
    if m > EXHAUSTIVE_MAX_M:
        raise InputError(f"table '{shorten(name)}' has m = {m}: give m <= {EXHAUSTIVE_MAX_M}")
    if entries.dtype.kind not in "iufbO" or entries.dtype.itemsize > 8:
        raise InputError(
            f"table '{shorten(name)}' has entries of type {entries.dtype}: give integers or 64-bit floats"
        )
    if entries.dtype.kind == "b" or entries.dtype == np.float16:
        entries = entries.astype(np.int64 if entries.dtype.kind == "b" else np.float64)
    return TableKernel(name, m, entries, signed=signed)


def _read_csv(path: Path) -> npt.NDArray[Any]:
    rows: list[list[Fraction]] = []
    with path.open(newline="", encoding="utf-8") as file:
        try:
            for line in csv.reader(file):
                if line:
                    rows.append([parse_rational(x, f"line {len(rows) + 1} of '{path.name}'") for x in line])
        except (csv.Error, UnicodeDecodeError) as error:
            raise InputError(
                f"file '{shorten(path)}' is not a CSV table ({error}): give lines of rationals"
            ) from None
    if len({len(row) for row in rows}) != 1:
        raise InputError(
            f"file '{shorten(path)}' has lines of different lengths: give 2^m lines of 2^m numbers"
        )
    if all(x.denominator == 1 and abs(x) < 2**62 for row in rows for x in row):
        return np.array([[int(x) for x in row] for row in rows], dtype=np.int64)
    table = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        table[i] = row
    return table
