"""Outputs: an older file survives whatever fails, and nothing else is replaced."""

from __future__ import annotations

import os
import resource
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from command import call
from littlestone import report, run
from littlestone.errors import OutputError
from littlestone.linear import Perceptron
from littlestone.outputs import remove_drafts, replacing
from tries import often

LINES = "+1 1:1\n-1 2:1\n+1 1:1 2:1\n"
OUTPUTS: dict[str, tuple[str, ...]] = {
    "model.lst": ("run", "--save"),
    "predictions": ("run", "-p"),
    "certificate.json": ("certify", "-o"),
    "page.html": ("report", "-o"),
    "drawing.svg": ("report", "-o"),
    "run.html": ("run", "--report"),
}

# Importing Matplotlib takes a second; a drawing is written as a page is.
each_output = pytest.mark.parametrize(
    "name", often(OUTPUTS, lambda name: name != "drawing.svg")
)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, Path], subprocess.CompletedProcess[str]]:
    file = tmp_path / "mail.svm"
    file.write_text(LINES)

    def write(name: str, path: Path) -> subprocess.CompletedProcess[str]:
        command, option = OUTPUTS[name]
        return call(command, file, "-q", option, path)

    return write


def drafts(folder: Path) -> list[Path]:
    return list(folder.glob(".*.tmp"))


@each_output
def test_an_output_replaces_an_older_file_and_keeps_its_mode(
    name: str, write: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text("old")
    path.chmod(0o640)
    assert write(name, path).returncode == 0
    assert path.read_bytes() != b"old"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert not drafts(tmp_path)


@each_output
def test_a_link_is_followed(
    name: str, write: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    link, target = tmp_path / name, folder / name
    link.symlink_to(target)
    assert write(name, link).returncode == 0
    assert link.is_symlink()
    assert target.is_file()


@each_output
@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "loop", "nowhere"])
def test_only_regular_files_are_replaced(
    name: str,
    kind: str,
    write: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
) -> None:
    path = tmp_path / name
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/null")
    elif kind == "loop":
        path.symlink_to(path)
    else:
        path = tmp_path / "nowhere" / name
    before = os.lstat(path) if path.parent.is_dir() else None
    device = Path("/dev/null").stat()
    done = write(name, path)
    assert done.returncode == 2
    assert str(path) in done.stderr
    assert "Traceback" not in done.stderr
    assert Path("/dev/null").stat().st_rdev == device.st_rdev
    if before is not None:
        assert os.lstat(path).st_ino == before.st_ino


@each_output
def test_on_a_full_disk_the_old_file_survives_and_is_named(
    name: str,
    write: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / name
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    done = write(name, path)
    assert done.returncode == 2
    assert f"{path}: cannot be written: No space left on device" in done.stderr
    assert path.read_text() == "old"
    assert not drafts(tmp_path)


@each_output
def test_beyond_a_quota_the_old_file_survives_and_is_named(
    name: str, write: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text("o")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        done = write(name, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert done.returncode == 2
    assert f"{path}: cannot be written: File too large" in done.stderr
    assert path.read_text() == "o"
    assert not drafts(tmp_path)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Give a disk of 256 KB, if one may be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    words = ["-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    mounted = (
        shutil.which("mount")
        and not subprocess.run(
            ["mount", *words],  # noqa: S607 - wherever it is
            check=False,
            capture_output=True,
        ).returncode
    )
    if not mounted:
        pytest.skip("a small disk must be mounted, which only root may do")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S607


def test_on_a_disk_that_is_really_full_the_old_files_survive(
    disk: Path, write: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    for name in OUTPUTS:
        (disk / name).write_text("old")
    with (disk / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while filler.write(bytes(4096)):
            pass
    for name in OUTPUTS:
        done = write(name, disk / name)
        assert done.returncode == 2
        assert f"{disk / name}: cannot be written: No space left" in done.stderr
        assert (disk / name).read_text() == "old"
    assert not drafts(disk)


def test_in_a_folder_that_is_read_only_the_old_files_survive(
    disk: Path, write: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    for name in OUTPUTS:
        (disk / name).write_text("old")
    words = ["mount", "-o", "remount,ro", str(disk)]
    subprocess.run(words, check=True)
    for name in OUTPUTS:
        done = write(name, disk / name)
        assert done.returncode == 2
        assert str(disk / name) in done.stderr
        assert "read-only" in done.stderr.lower()
        assert (disk / name).read_text() == "old"


def test_predictions_of_a_run_that_fails_leave_the_old_file(tmp_path: Path) -> None:
    file, path = tmp_path / "bad.svm", tmp_path / "said"
    file.write_text(LINES + "+1 what\n")
    path.write_text("old")
    assert call("run", file, "-q", "-p", path).returncode == 2
    assert path.read_text() == "old"
    assert not drafts(tmp_path)


def test_predictions_to_standard_output_stay(tmp_path: Path) -> None:
    file = tmp_path / "mail.svm"
    file.write_text(LINES)
    done = call("run", file, "-q", "-p", "-")
    assert done.returncode == 0
    assert done.stdout.startswith("1\n")


def test_the_next_save_removes_the_draft_of_a_killed_one(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    code = (
        "import os, signal, sys\n"
        "from littlestone.outputs import replacing\n"
        "with replacing(sys.argv[1]) as file:\n"
        "    file.write(b'half')\n"
        "    file.flush()\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code, path], check=False)
    assert len(drafts(tmp_path)) == 1
    assert not path.exists()
    with replacing(path) as file:
        file.write(b"whole")
    assert not drafts(tmp_path)
    assert path.read_bytes() == b"whole"


def test_a_draft_that_is_being_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    with replacing(path) as file:
        file.write(b"first")
        remove_drafts(path)
        with replacing(path) as other:
            other.write(b"second")
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"


def test_a_report_that_cannot_be_written_is_one_of_our_errors(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    path.mkdir()
    with pytest.raises(OutputError, match="must be a regular file"):
        report(run(Perceptron(), [({"a": 1}, True)])).save(path)
