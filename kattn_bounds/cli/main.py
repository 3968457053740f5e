"""The entry point `kattn-bounds`: finds the commands, and turns every user error into one line and exit status 2."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from itertools import pairwise
from typing import Annotated

import typer

from kattn_bounds._version import __version__
from kattn_bounds.cli import commands
from kattn_bounds.errors import InputError, shorten

app = typer.Typer(
    name="kattn-bounds",
    help="Verify, construct, search and certify what kernel attention can and cannot compute.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(value: bool) -> None:
    if value:
        print(f"kattn-bounds {__version__}")
        raise typer.Exit()


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Verify, construct, search and certify what kernel attention can and cannot compute.

    Exit status: 0 proved, 1 refuted, 3 undecided, 2 bad input.
    """


for _module in sorted(m.name for m in pkgutil.iter_modules(commands.__path__)):
    importlib.import_module(f"{commands.__name__}.{_module}").register(app)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status; never raises for bad input."""
    command = typer.main.get_command(app)
    try:
        result = command.main(args=arguments, prog_name="kattn-bounds", standalone_mode=False)
    except InputError as error:
        for line in error.faults:
            print(f"error: {line}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        return 141
    except Exception as error:
        # Click's own usage errors: whichever package they come from, they carry an exit code and a message.
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):
            message = " ".join(str(error.format_message()).split()) + _given_value(error, arguments)
            if message:
                print(f"error: {message} (see kattn-bounds --help)", file=sys.stderr)
            return 2
        if type(error).__name__ == "Abort":
            return 130
        raise
    return result if isinstance(result, int) else 0


def _given_value(error: Exception, arguments: list[str] | None) -> str:
    """The text that the user gave for the option that an error is about, which the parser's message may leave out."""
    words = sys.argv[1:] if arguments is None else arguments
    for option in getattr(getattr(error, "param", None), "opts", []):
        for word, following in pairwise([*words, ""]):
            value = following if word == option else word.removeprefix(f"{option}=") if "=" in word else ""
            if value and value != word:
                return f" (given: {shorten(value)})"
    return ""


def main() -> None:
    """Console script."""
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    sys.exit(run())


if __name__ == "__main__":
    main()
