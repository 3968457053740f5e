"""Errors that a user can cause. Each fault is one line that names the value, the allowed range and the fix."""

from __future__ import annotations

from collections.abc import Iterable


class InputError(ValueError):
    """Bad input, with every fault found in it.

    The command line prints one line per fault and exits with status 2.

    >>> raise InputError("m = 0 is not allowed: give 1 <= m")
    Traceback (most recent call last):
        ...
    kattn_bounds.errors.InputError: m = 0 is not allowed: give 1 <= m
    """

    def __init__(self, faults: str | Iterable[str]) -> None:
        self.faults: list[str] = [faults] if isinstance(faults, str) else list(faults)
        super().__init__("\n".join(self.faults))


class Faults:
    """Collects faults, so that all of them are reported at once.

    >>> faults = Faults()
    >>> faults.add("m = 0: give m >= 1")
    >>> faults.check()
    Traceback (most recent call last):
        ...
    kattn_bounds.errors.InputError: m = 0: give m >= 1
    """

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, line: str) -> None:
        self.lines.append(line)

    def require(self, condition: bool, line: str) -> None:
        if not condition:
            self.lines.append(line)

    def check(self) -> None:
        """Raise InputError if any fault was added."""
        if self.lines:
            raise InputError(self.lines)


def shorten(value: object, limit: int = 60) -> str:
    """Text of a value for an error line, cut to `limit` characters and free of line breaks.

    >>> shorten("a" * 100, 10)
    'aaaaaaa...'
    """
    try:
        text = str(value)
    except ValueError:  # an integer past Python's digit limit
        text = "a number of very many digits"
    text = text.replace("\n", " ").replace("\r", " ")
    return text if len(text) <= limit else text[: limit - 3] + "..."
