"""The package as it is installed and laid out: the wheel works elsewhere, and imports flow one way."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "kattn_bounds"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(target), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(target.glob("*.whl"))


def run_installed(python: str, folder: Path, environment: dict[str, str]) -> None:
    def call(*words: str) -> subprocess.CompletedProcess[str]:
        command = [python, "-m", "kattn_bounds", *words]
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, env=environment, check=False
        )

    where = subprocess.run(
        [python, "-c", "import kattn_bounds; print(kattn_bounds.__file__)"],
        cwd=folder, capture_output=True, text=True, env=environment, check=True,
    )  # fmt: skip
    assert str(ROOT / "kattn_bounds") not in where.stdout
    ledger = call("verify", "--m", "3")
    assert ledger.returncode == 0, ledger.stdout + ledger.stderr
    assert "all as the theory says" in ledger.stdout
    assert call("check", "3**-t", "--m", "6").returncode == 0
    assert call("check", "(41/100)**t", "--m", "6").returncode == 1
    assert "D >= 9" in call("lower", "--m", "8").stdout  # from a stored certificate
    assert "`layer_bound`" in call("explain", "L1").stdout


def test_wheel_works_away_from_the_repository(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--target",
        str(target),
        str(wheel),
    ]
    subprocess.run(pip, check=True, capture_output=True)
    run_installed(sys.executable, tmp_path, {**os.environ, "PYTHONPATH": str(target)})


@pytest.mark.slow
def test_wheel_works_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "empty", with_pip=True)
    python = str(tmp_path / "empty" / "bin" / "python")
    lock = str(ROOT / "requirements.lock")
    subprocess.run([python, "-m", "pip", "install", "-q", "--require-hashes", "-r", lock], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", str(wheel)], check=True)
    run_installed(python, tmp_path, dict(os.environ))


def imports(path: Path) -> set[str]:
    """Modules that a file imports anywhere, the package's own written out."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize(
    ("room", "forbidden"),
    [
        ("kernels", ("kattn_bounds.verdict", "kattn_bounds.verify", "kattn_bounds.claims")),
        (
            "verify",
            ("kattn_bounds.search", "kattn_bounds.claims", "kattn_bounds.lower", "kattn_bounds.upper"),
        ),
        ("certificates", ("kattn_bounds.search", "kattn_bounds.verify", "kattn_bounds.claims")),
        ("lower", ("kattn_bounds.search", "kattn_bounds.upper")),
        (".", ("kattn_bounds.cli",)),
    ],
)
def test_imports_flow_one_way(room: str, forbidden: tuple[str, ...]) -> None:
    for path in sorted((PACKAGE / room).glob("**/*.py")):
        if "cli" in path.relative_to(PACKAGE).parts or path.name == "__main__.py":
            continue
        bad = {name for name in imports(path) for f in forbidden if name == f or name.startswith(f + ".")}
        assert not bad, f"{path.relative_to(ROOT)} imports {sorted(bad)}"


def test_nothing_names_a_machine_or_a_registry() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    words = ["/" + "work/", "/" + "root/", "python" + "hosted", "pypi" + ".org", "file" + "://"]
    for name in filter(None, tracked.split("\0")):
        path = ROOT / name
        if not path.is_file() or path.suffix in (".png", ".pdf", ".npy", ".npz", ".gz"):
            continue
        text = path.read_text(errors="ignore")
        assert not [word for word in words if word in text], name
