"""Look into the sdist and the wheel of `make dist`, and test what a user would get.

The wheel is installed where no compiler can be found, with nothing built from source,
and the tests run from the sdist, whose own `src` is out of the way.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
_COMPILER = re.compile(r"(.*-)?(c\+\+|g\+\+|clang\+\+|cc|gcc|clang|c89|c99)(-[\d.]+)?")
_NATIVE = "littlestone/_core.abi3.so"


def _must_be(true: bool, otherwise: str) -> None:
    if not true:
        raise SystemExit(f"dist: {otherwise}")


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    _must_be(len(found) == 1, f"one {pattern} must be in {folder}, got {len(found)}")
    return found[0]


def _look_into(sdist: Path, wheel: Path) -> None:
    """Check that the sdist has all that is in git, and the wheel the package alone."""
    listed = subprocess.run(
        ["git", "ls-files"],  # noqa: S607 - whichever git there is
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    kept = {name for name in listed.stdout.split() if not name.startswith(".ci/")}
    with tarfile.open(sdist) as archive:
        files = [member.name for member in archive if member.isfile()]
    packed = {name.partition("/")[2] for name in files} - {"PKG-INFO"}
    _must_be(packed == kept, f"the sdist differs from git in {sorted(packed ^ kept)}")

    sources = {name.removeprefix("src/") for name in kept if name.startswith("src/")}
    names = set(zipfile.ZipFile(wheel).namelist())
    package = {name for name in names if not re.search(r"\.dist-info/|/$", name)}
    differ = sorted(package ^ sources ^ {_NATIVE})
    _must_be(not differ, f"the wheel differs from src in {differ}")
    _must_be({"littlestone/py.typed", "littlestone/_core.pyi"} <= names, "no types")
    _must_be("-cp311-abi3-" in wheel.name, f"the wheel must be abi3, got {wheel.name}")


def _tools_without_compilers(folder: Path) -> str:
    """Return a path on which everything is found but compilers."""
    folder.mkdir()
    for place in os.get_exec_path():
        for tool in Path(place).glob("*"):
            link = folder / tool.name
            if not _COMPILER.fullmatch(tool.name) and not link.is_symlink():
                link.symlink_to(tool)
    for name in ("c++", "cc", "gcc", "g++", "clang"):
        _must_be(shutil.which(name, path=str(folder)) is None, f"there still is {name}")
    return str(folder)


def _test(sdist: Path, wheel: Path, base: str, here: Path, words: list[str]) -> int:
    """Install the wheel apart from everything, and run the tests of the sdist."""
    with tarfile.open(sdist) as archive:
        archive.extractall(here, filter="data")
    copy = here / sdist.name.removesuffix(".tar.gz")
    shutil.rmtree(copy / "src")
    path = _tools_without_compilers(here / "tools")
    hidden = {"PATH": path, "CC": "false", "CXX": "false", "PYTHONPATH": ""}
    environment = os.environ | hidden

    def call(*command: str | Path) -> int:
        return subprocess.call(command, cwd=copy, env=environment)

    python = here / "environment" / "bin" / "python"
    install = (python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:")
    for command in (
        (base, "-m", "venv", here / "environment"),
        (*install, "--upgrade", "pip>=25.1"),
        (*install, wheel, "--group", "dev"),
    ):
        _must_be(call(*command) == 0, f"it must be possible to call {command}")
    where = "import littlestone; print(littlestone.__file__)"
    found = subprocess.check_output(
        [python, "-c", where], cwd=copy, env=environment, text=True
    )
    _must_be(str(here / "environment") in found, f"littlestone came from {found}")
    tests = ["tests", "docs", "README.md", "--pyargs", "littlestone"]
    return call(python, "-m", "pytest", "-n", "auto", "-q", *(words or tests))


def main() -> int:
    """Check what is in a folder, and return what the tests returned."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the sdist and the wheel are")
    parser.add_argument("words", nargs="*", help="for pytest, in place of all tests")
    parser.add_argument("--python", default=sys.executable, help="which to install for")
    given = parser.parse_args()
    folder = given.folder.resolve()
    sdist, wheel = _only(folder, "*.tar.gz"), _only(folder, "*.whl")
    _look_into(sdist, wheel)
    with tempfile.TemporaryDirectory() as here:
        return _test(sdist, wheel, given.python, Path(here).resolve(), given.words)


if __name__ == "__main__":
    sys.exit(main())
