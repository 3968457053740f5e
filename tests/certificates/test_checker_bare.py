"""The checker needs nothing but the standard library: its imports, and runs of a bare interpreter."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from samples import SAMPLES, sample

import kattn_bounds
from kattn_bounds.certificates import writer

PACKAGE = Path(kattn_bounds.__file__).parent


def module_file(name: str) -> Path:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(str(node.module))
            names |= {
                f"{node.module}.{a.name}"
                for a in node.names
                if module_file(f"{node.module}.{a.name}").exists()
            }
    return names


def test_the_checker_imports_the_standard_library_only() -> None:
    """Everything that is loaded with it too: the packages on its path."""
    todo, seen = ["kattn_bounds.certificates.checker"], set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        if name.split(".")[0] != "kattn_bounds":
            assert name.split(".")[0] in sys.stdlib_module_names, name
            continue
        parts = name.split(".")
        todo += [".".join(parts[:i]) for i in range(1, len(parts))]
        todo += imported(module_file(name))
    own = {name for name in seen if name.startswith("kattn_bounds.certificates.")}
    assert own == {f"kattn_bounds.certificates.{m}" for m in ("checker", "reading", "spectrum", "statements")}


def test_the_checker_is_small() -> None:
    """So that a stranger can read it in one sitting."""
    lines = {
        path.name: len(path.read_text().splitlines())
        for path in (
            PACKAGE / "certificates" / f"{m}.py" for m in ("checker", "reading", "spectrum", "statements")
        )
    }
    assert lines["checker.py"] <= 440
    assert sum(lines.values()) <= 840


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("certificates")
    paths = []
    for number, name in enumerate(SAMPLES):
        path = folder / f"{number}.json"
        writer.write_certificate(path, sample(name))
        paths.append(str(path))
    return paths


def run(arguments: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """An interpreter without site-packages, user folders or environment variables."""
    return subprocess.run(
        [sys.executable, "-I", "-S", *arguments], capture_output=True, text=True, check=False, cwd=cwd
    )


def test_a_bare_interpreter_runs_it_by_path(files: list[str], tmp_path: Path) -> None:
    done = run([str(PACKAGE / "certificates" / "checker.py"), *files], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split(" ")[0] for line in done.stdout.splitlines()] == ["ACCEPTED"] * len(files)


def test_a_bare_interpreter_runs_it_as_a_module(files: list[str], tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    start = (
        f"import sys, runpy; sys.path.insert(0, {str(PACKAGE.parent)!r}); sys.argv[1:] = {[*files, str(bad), 'none']!r};"
        "runpy.run_module('kattn_bounds.certificates.checker', run_name='__main__', alter_sys=True)"
    )
    done = run(["-c", start], tmp_path)
    assert done.returncode == 1
    assert done.stderr == ""
    verdicts = [line.split(" ")[0] for line in done.stdout.splitlines()]
    assert verdicts == ["ACCEPTED"] * len(files) + ["REJECTED"] * 2


def test_no_argument_is_a_usage_error(tmp_path: Path) -> None:
    done = run([str(PACKAGE / "certificates" / "checker.py")], tmp_path)
    assert done.returncode != 0
    assert done.stderr.startswith("usage:")
