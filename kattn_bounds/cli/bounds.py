"""What `lower` and `upper` share: long numbers on a screen, the bounds as JSON, the certificate that is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kattn_bounds.bound import Bound
from kattn_bounds.certificates.writer import write_certificate
from kattn_bounds.errors import InputError, shorten
from kattn_bounds.setting import Setting


def leading(value: int) -> str:
    """The integer, or its leading digits and length when it is long.

    >>> leading(12884722609), leading(3**100)
    ('12884722609', '5.15377...e47')
    """
    text = str(value)
    return text if len(text) <= 20 else f"{text[0]}.{text[1:6]}...e{len(text) - 1}"


def write_best(
    path: str | None, bounds: Sequence[Bound], best: Callable[[list[Bound]], Bound]
) -> Bound | None:
    """Write the certificate of the best bound that has one. Raises InputError when none has; None without a path."""
    if path is None:
        return None
    certified = [b for b in bounds if b.certificate is not None]
    if not certified:
        raise InputError(f"--certificate {shorten(path)}: no bound here has a certificate: leave it out")
    written = best(certified)
    assert written.certificate is not None
    write_certificate(path, written.certificate)
    return written


def written_line(path: str | None, written: Bound, top: Bound, relation: str) -> str:
    """What was written, and the bound that it proves where that is not the best one."""
    less = "" if written.value == top.value else f" ({relation} {leading(written.value)}, the best with one)"
    return f"certificate of {written.id} written to {path}{less}"


def bounds_json(setting: Setting, features: str, bounds: Sequence[Bound], top: Bound) -> dict[str, object]:
    """The bounds as JSON; a certificate by its kind, or a kernel's by its construction."""

    def certified(bound: Bound) -> str | None:
        if bound.certificate is None:
            return None
        return str(bound.certificate["data"].get("construction", bound.certificate["kind"]))

    return {
        "setting": {**setting.to_json(), "mask": setting.mask},
        "features": features,
        "best": top.value,
        "best_id": top.id,
        "bounds": [
            {"id": b.id, "value": b.value, "method": b.method, "certificate": certified(b)} for b in bounds
        ],
    }
