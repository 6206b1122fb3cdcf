"""Spend a day with littlestone as a new user would: from a wheel, with nothing else.

The blocks of `docs/tutorials/a-day.md` run one after another in an empty folder, in an
environment that has the wheel, what its extras bring, and the packages whose data are
used. What is printed must be what the page shows.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorials" / "a-day.md"
EXTRAS = "arrow,reports,river"

sys.path.insert(0, str(ROOT / "tests"))

from test_docs import SHELL, Block, blocks, compare  # noqa: E402 - found there


def environment(wheel: Path, folder: Path) -> dict[str, str]:
    """Return the variables of a new environment with the wheel."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    tools = folder / "bin"
    install = [str(tools / "python"), "-m", "pip", "install", "--quiet"]
    for words in (["--upgrade", "pip>=25.1"], [f"{wheel}[{EXTRAS}]", "pandas>=2.2"]):
        subprocess.run([*install, *words], check=True)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": ""}


def do(block: Block, folder: Path, variables: dict[str, str]) -> None:
    """Run a block of the page."""

    def call(command: list[str] | str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            shell=isinstance(command, str),
            cwd=folder,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )

    if block.title is not None:
        (folder / block.title).write_text(block.text, encoding="utf-8")
    elif block.language == "python":
        done = call(["python", "-c", block.text])
        assert done.returncode == 0, f"{block.place}: {done.stderr}"
    elif block.language in SHELL:
        for command, shown in block.commands:
            done = call(command)
            assert shown or done.returncode == 0, f"{block.place}: {done.stderr}"
            compare(command, shown, done.stdout or done.stderr, block.place)
            print(f"{block.place}: {command}")  # noqa: T201 - a script


def main() -> None:
    """Spend the day."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path, help="the wheel of littlestone")
    wheel = parser.parse_args().wheel.resolve()
    with tempfile.TemporaryDirectory() as here:
        folder = Path(here) / "day"
        folder.mkdir()
        variables = environment(wheel, Path(here) / "environment")
        for block in blocks(PAGE):
            do(block, folder, variables)


if __name__ == "__main__":
    main()
