"""The optional dependency of the layer and the training runs: torch, and one line that says how to get it."""

from __future__ import annotations

import importlib.util

from kattn_bounds.errors import InputError


def require_torch() -> None:
    """Raise InputError with the one line that says what to install, unless torch can be imported."""
    if importlib.util.find_spec("torch") is None:
        raise InputError(
            "torch is not installed, and the Gaussian attention layer needs it: "
            "pip install 'kattn-bounds[gka]', or in the repository make test EXTRAS=gka"
        )
