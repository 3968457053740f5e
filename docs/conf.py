"""Sphinx settings. The command line, the API and the theory pages are generated from the code and from proofs/."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import shutil
from pathlib import Path
from typing import Any

import kattn_bounds

HERE = Path(__file__).parent
ROOT = HERE.parent
GENERATED = HERE / "generated"

project = "kattn-bounds"
author = "The kattn-bounds authors"
copyright = "2026, the kattn-bounds authors"
version = release = kattn_bounds.__version__
extensions = ["myst_parser"]
html_theme = "furo"
html_title = f"kattn-bounds {release}"
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure", "myst.header"]


def fenced(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```\n"


def command_page() -> str:
    """Every command's help, as the command prints it."""
    import typer.main

    from kattn_bounds.cli.main import app

    root = typer.main.get_command(app)
    parts = ["# Command line\n", "Exit status: 0 proved, 1 refuted, 3 undecided, 2 bad input.\n"]

    def walk(command: Any, name: str, parent: Any) -> None:
        context = command.context_class(command, info_name=name.split()[-1], parent=parent, terminal_width=96)
        parts.append(f"## {name}\n\n{fenced(command.get_help(context))}")
        if hasattr(command, "commands"):
            for child in sorted(command.commands):
                walk(command.commands[child], f"{name} {child}", context)

    walk(root, "kattn-bounds", None)
    return "\n".join(parts)


def api_page(name: str) -> str:
    """Public functions and classes of a module, with their signatures and docstrings."""
    module = importlib.import_module(name)
    parts = [f"# {name}\n", fenced(inspect.getdoc(module) or "")]
    for key, value in sorted(vars(module).items()):
        if key.startswith("_") or getattr(value, "__module__", None) != name:
            continue
        if not (inspect.isfunction(value) or inspect.isclass(value)):
            continue
        try:
            signature = str(inspect.signature(value))
        except (TypeError, ValueError):
            signature = ""
        parts.append(f"## {key}\n\n{fenced(f'{key}{signature}')}\n{fenced(inspect.getdoc(value) or '')}")
    return "\n".join(parts)


def module_names() -> list[str]:
    found = ["kattn_bounds"]
    for module in pkgutil.walk_packages(kattn_bounds.__path__, "kattn_bounds."):
        last = module.name.rsplit(".", 1)[-1]
        if (
            ".cli" in module.name
            or last.startswith("_")
            or module.name.startswith("kattn_bounds.gaussian.layer")
        ):
            continue
        found.append(module.name)
    return sorted(found)


def generate() -> None:
    shutil.rmtree(GENERATED, ignore_errors=True)
    (GENERATED / "api").mkdir(parents=True)
    (GENERATED / "theory").mkdir()
    (GENERATED / "cli.md").write_text(command_page())
    pages = []
    for name in module_names():
        try:
            text = api_page(name)
        except ImportError:  # an optional extra that is not installed
            continue
        (GENERATED / "api" / f"{name}.md").write_text(text)
        pages.append(name)
    toc = "\n".join(f"api/{name}" for name in pages)
    (GENERATED / "api.md").write_text(f"# Python API\n\n```{{toctree}}\n:maxdepth: 1\n\n{toc}\n```\n")
    theory = []
    for page in sorted((ROOT / "proofs").glob("*.md")):
        if page.stem[0].isupper() and page.stem != "README":
            shutil.copy(page, GENERATED / "theory" / page.name)
            theory.append(page.stem)
    theory.sort(key=lambda stem: ("PCLRBG".find(stem[0]), len(stem), stem))
    toc = "\n".join(f"theory/{stem}" for stem in theory)
    (GENERATED / "theory.md").write_text(
        "# Theory\n\nOne page for each theorem: its statement, its proof, and checks that `kattn-bounds proofs` runs.\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{toc}\n```\n"
    )


generate()
