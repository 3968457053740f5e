"""Certificates on disk: written atomically, and replaced only by a better one that the checker accepts."""

from __future__ import annotations

from pathlib import Path

from kattn_bounds.certificates import checker
from kattn_bounds.certificates.reading import Rejected, parse
from kattn_bounds.certificates.writer import Certificate, certificate_text, write_certificate
from kattn_bounds.errors import InputError, shorten
from kattn_bounds.setting import Setting

STORED = Path(__file__).resolve().parent.parent / "data" / "upper"
"""The certificates that ship with the package."""


def certificate_name(setting: Setting, features: int, *, nonneg: bool) -> str:
    """The file name of a stored certificate.

    >>> certificate_name(Setting(5), 5, nonneg=False)
    'factors-m5-n3-d5-signed.json'
    """
    kind = "nonneg" if nonneg else "signed"
    readout = "-free" if setting.readout == "free" else ""
    own = "" if setting.self_included else "-excluded"
    tolerance = "" if setting.tolerance * 2 == 1 else f"-tau{setting.tolerance}".replace("/", "_")
    return f"factors-m{setting.m}-n{setting.n}-d{features}-{kind}{readout}{own}{tolerance}.json"


def cost(certificate: Certificate) -> tuple[int, int]:
    """What makes a certificate of the same setting and kind of features better: fewer features, then a shorter file."""
    return int(certificate["claim"]["value"]), len(certificate_text(without_note(certificate)))


def without_note(certificate: Certificate) -> Certificate:
    """The certificate without its provenance, which differs between runs that find the same kernel."""
    return {key: value for key, value in certificate.items() if key != "note"}


def read_accepted(path: Path) -> Certificate | None:
    """The certificate in a file if the checker accepts it, else None (no file, damaged, or wrong)."""
    try:
        certificate = parse(path.read_text(encoding="utf-8"))
        checker.check(certificate)
    except (OSError, ValueError, Rejected):
        return None
    return certificate if isinstance(certificate, dict) else None


def store_if_better(path: Path, certificate: Certificate) -> bool:
    """Write the certificate when the checker accepts it and the file holds no accepted one that is as good.

    Both must be about the same setting and the same kind of features. Returns whether the file was written. Raises InputError
    when the certificate is not accepted, or is about something else than the file's.

    >>> import tempfile
    >>> from kattn_bounds.certificates.writer import kernel_expanded
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "best.json")
    ...     certificate = kernel_expanded(Setting(2), "1/3")
    ...     store_if_better(path, certificate), store_if_better(path, certificate)
    (True, False)
    """
    known = read_accepted(path)
    if known is not None:
        about = [(c["kind"], c["setting"], c["claim"]["features"]) for c in (known, certificate)]
        if about[0] != about[1]:
            raise InputError(f"'{shorten(path)}' holds a certificate of another setting: give another file")
        if cost(known) <= cost(certificate):
            return False
    write_certificate(path, certificate)
    return True
