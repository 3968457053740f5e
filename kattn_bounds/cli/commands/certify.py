"""kattn-bounds certify: run the certificate checker."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    app.command("certify")(certify)


def certify(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Certificate files.")],
    rocq: Annotated[
        bool, typer.Option("--rocq", help="Also translate each accepted certificate and have Rocq check it.")
    ] = False,
) -> int:
    """Check certificates: one line per file; exit status 0 when every file is accepted, 1 when one is rejected.

    The checker alone, without this package's dependencies: python -m kattn_bounds.certificates.checker FILE...
    """
    from kattn_bounds.certificates.checker import Rejected, check_file
    from kattn_bounds.errors import Faults, shorten

    status = 0
    faults = Faults()
    for path in files:
        try:
            print(f"ACCEPTED {path}: {check_file(path)}")
            if rocq and not _accepted_by_rocq(path):
                status = 1
        except Rejected as error:
            print(f"REJECTED {path}: {error}")
            status = 1
        except OSError as error:
            faults.add(f"cannot read '{shorten(path, 300)}' ({error.strerror}): give a certificate file")
    faults.check()
    return status


def _accepted_by_rocq(path: str) -> bool:
    """Print Rocq's own report on the certificate; whether it accepts."""
    from importlib import import_module

    from kattn_bounds.errors import InputError

    try:
        translate = import_module("kattn_bounds.rocq.translate")
    except ModuleNotFoundError:
        raise InputError("--rocq: this installation has no Rocq translation: leave --rocq out") from None
    report = translate.certify_rocq(path)
    print(report)
    return bool(report.accepted)
