"""Files written so that a reader sees the old one or the whole new one, never a part."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from kattn_bounds.errors import InputError, shorten


def write_atomic(path: Path, text: str) -> None:
    """Write a text file so that a reader sees the old one or the whole new one, never a part."""
    if not path.parent.is_dir():
        raise InputError(f"folder '{shorten(path.parent)}' does not exist: create it or give another file")
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        raise InputError(
            f"cannot write '{shorten(path)}' ({error.strerror}): give a file that can be written"
        ) from None
