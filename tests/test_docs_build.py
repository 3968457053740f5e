"""The documentation builds without a warning and without the network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_documentation_builds(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-b",
        "html",
        str(ROOT / "docs"),
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "generated" / "theory" / "L1.html").exists()
    for command_name in ("verify", "check", "prove", "sandwich"):
        assert f"kattn-bounds {command_name}" in (tmp_path / "generated" / "cli.html").read_text()
