"""One bound on the number of features D*, from below or from above, with the certificate behind it."""

from __future__ import annotations

from dataclasses import dataclass

from kattn_bounds.certificates.writer import Certificate


@dataclass(frozen=True, slots=True)
class Bound:
    """D* >= value or D* <= value, by the argument `id` of the theory.

    `certificate` is what the checker accepts for it, None when the setting is past the format's reach; `checked` says
    that the checker has accepted it in this run.

    >>> Bound("L7", 6, "the rows of 6 queries are independent").certificate is None
    True
    """

    id: str
    value: int
    method: str
    certificate: Certificate | None = None
    checked: bool = False
