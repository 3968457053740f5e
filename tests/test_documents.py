"""Every command shown in the README and the documentation runs, and prints what the page shows.

A block fenced as `console` holds commands, each on a line that starts with "$ ", followed by their output. A line
"..." stands for any lines; times (such as "0.12 s") may differ. The exit status must be stated in a line
"exit status N" when it is not 0.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("**/*.md")),
    *sorted((ROOT / "experiments").glob("*/README.md")),
]
SECONDS = re.compile(r" *\d+\.\d+ s\b")


@dataclass
class Example:
    """One command of a page, with the output shown."""

    page: Path
    line: int
    command: str
    shown: list[str] = field(default_factory=list)


def examples() -> list[Example]:
    found: list[Example] = []
    for page in PAGES:
        if not page.exists() or "_build" in page.parts:
            continue
        inside = False
        for number, text in enumerate(page.read_text().splitlines(), start=1):
            if text.startswith("```"):
                inside = not inside and text.strip() == "```console"
                current = None
            elif inside and text.startswith("$ "):
                current = Example(page, number, text[2:])
                found.append(current)
            elif inside and current is not None:
                current.shown.append(text)
    return found


@pytest.mark.parametrize("example", examples(), ids=lambda e: f"{e.page.relative_to(ROOT)}:{e.line}")
def test_shown_output_is_true(example: Example, tmp_path_factory: pytest.TempPathFactory) -> None:
    # One folder a page, so that a command can read what an earlier one of its page wrote.
    folder = tmp_path_factory.getbasetemp() / f"page-{PAGES.index(example.page)}"
    if not folder.exists():
        folder.mkdir()
        for name in ("experiments", "proofs", "docs"):
            if (ROOT / name).exists():
                (folder / name).symlink_to(ROOT / name)
    words = shlex.split(example.command)
    if words[0] not in ("kattn-bounds", "python", "cat"):
        pytest.skip(f"{words[0]} is a set-up command, run by hand")
    program = shutil.which(words[0], path=str(Path(sys.executable).parent)) or words[0]
    environment = {
        **os.environ,
        "COLUMNS": "100",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        [program, *words[1:]], cwd=folder, capture_output=True, text=True, env=environment, check=False
    )
    actual = [normal(text) for text in (done.stdout + done.stderr).splitlines()]
    if done.returncode:
        actual.append(f"exit status {done.returncode}")
    shown = [normal(text) for text in example.shown]
    assert matches(drop_blank(shown), drop_blank(actual)), "\n".join(["the command printed:", *actual])


def normal(text: str) -> str:
    return SECONDS.sub(" 0 s", text.rstrip())


def drop_blank(lines: list[str]) -> list[str]:
    return [line for line in lines if line]


def matches(shown: list[str], actual: list[str]) -> bool:
    """Whether the lines agree, "..." standing for any number of lines."""
    if not shown:
        return not actual
    if shown[0].strip() == "...":
        return any(matches(shown[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and shown[0] == actual[0] and matches(shown[1:], actual[1:])


def test_the_comparison_can_fail() -> None:
    assert matches(["a", "...", "d"], ["a", "b", "c", "d"])
    assert not matches(["a", "...", "d"], ["a", "b", "c"])
    assert not matches(["2/5"], ["2/6"])
    assert not matches(["a"], ["a", "b"])
