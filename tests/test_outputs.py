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
from typing import Any

import pytest

from command import call
from ledgers import served
from littlestone import certify, models, report, run
from littlestone.boolean import ConjunctionLearner
from littlestone.compat import onnx
from littlestone.errors import LittlestoneError, OutputError
from littlestone.linear import Perceptron
from littlestone.outputs import remove_drafts, replacing
from tries import often

LINES = "+1 1:1\n-1 2:1\n+1 1:1 2:1\n"

# Every file that a command or a function writes. MAIL and others are given.
OUTPUTS: dict[str, tuple[str, ...]] = {
    "model.lst": ("run", "MAIL", "-q", "--save"),
    "checkpoint.lst": ("run", "MAIL", "-q", "--checkpoint-every", "1", "--save"),
    "cluster.lst": (
        "run",
        "MAIL",
        "-q",
        "-l",
        "perceptron",
        "--workers",
        "0",
        "--save",
    ),
    "predictions": ("run", "MAIL", "-q", "-p"),
    "run.html": ("run", "MAIL", "-q", "--report"),
    "certificate.json": ("certify", "MAIL", "-q", "-o"),
    "served.json": ("certify", "LEDGER", "-o"),
    "page.html": ("report", "MAIL", "-q", "-o"),
    "drawing.svg": ("report", "MAIL", "-q", "-o"),
    "fitted.sql": ("fit", "MAIL", "-q", "--sql"),
    "fitted.py": ("fit", "MAIL", "-q", "--python"),
    "said.txt": ("predict", "MODEL", "MAIL", "-o"),
    "model.onnx": ("export", "MODEL", "--features", "2", "--onnx"),
    "rule.sql": ("export", "RULE", "--sql"),
    "rule.py": ("export", "RULE", "--python"),
    "rows.jsonl": ("ledger", "export", "LEDGER", "-o"),
    "rows.parquet": ("ledger", "export", "LEDGER", "-o"),
    "replayed.lst": ("replay", "LEDGER", "--save"),
}
CALLS: dict[str, Callable[[Path], object]] = {
    "saved.lst": lambda path: models.save(Perceptron(), path),
    "saved.json": lambda path: certify(Perceptron(), STREAM).save(path),
    "saved.html": lambda path: report(run(Perceptron(), STREAM)).save(path),
    "saved.onnx": lambda path: onnx.export(Perceptron(), path, features=2),
}
EVERY = [*OUTPUTS, *CALLS]
STREAM: Any = [({"a": 1.0}, True), ({"b": 1.0}, False)]

# Importing Matplotlib takes a second; a drawing is written as a page is.
QUICK = [name for name in EVERY if name != "drawing.svg"]
one_each = pytest.mark.parametrize("name", often(EVERY, QUICK.__contains__))
# Others are written the same way.
each_output = pytest.mark.parametrize(
    "name", often(EVERY, lambda name: name in {"model.lst", "predictions", "said.txt"})
)

Write = Callable[[str, Path], subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("given")
    found = {
        "MAIL": folder / "mail.svm",
        "MODEL": folder / "mail.lst",
        "RULE": folder / "rule.lst",
        "LEDGER": folder / "ledger.db",
    }
    found["MAIL"].write_text(LINES)
    models.save(Perceptron(), found["MODEL"])
    models.save(ConjunctionLearner(), found["RULE"])
    served(found["LEDGER"], "served")
    return found


@pytest.fixture
def write(given: dict[str, Path]) -> Write:
    def write(name: str, path: Path) -> subprocess.CompletedProcess[str]:
        if name in OUTPUTS:
            return call(*(given.get(word, word) for word in OUTPUTS[name]), path)
        try:
            CALLS[name](path)
        except LittlestoneError as error:
            return subprocess.CompletedProcess([name], 2, "", str(error))
        return subprocess.CompletedProcess([name], 0, "", "")

    return write


def drafts(folder: Path) -> list[Path]:
    return list(folder.glob(".*.tmp"))


@each_output
def test_an_output_replaces_an_older_file_and_keeps_its_mode(
    name: str, write: Write, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text("old")
    path.chmod(0o640)
    assert write(name, path).returncode == 0
    assert path.read_bytes() != b"old"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert not drafts(tmp_path)


@each_output
def test_a_link_is_followed(name: str, write: Write, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    link, target = tmp_path / name, folder / name
    link.symlink_to(target)
    assert write(name, link).returncode == 0
    assert link.is_symlink()
    assert target.is_file()


KINDS = ("pipe", "folder", "device", "loop", "nowhere", "tty")


@each_output
@pytest.mark.parametrize("kind", KINDS)
def test_only_regular_files_are_replaced(
    name: str, kind: str, write: Write, tmp_path: Path
) -> None:
    refused(name, kind, write, tmp_path)


@one_each
def test_no_output_replaces_another_kind(
    name: str, write: Write, tmp_path: Path
) -> None:
    refused(name, KINDS[EVERY.index(name) % len(KINDS)], write, tmp_path)


def become(kind: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind in {"device", "tty"}:
        path.symlink_to("/dev/null" if kind == "device" else "/dev/tty")
    elif kind == "loop":
        path.symlink_to(path)
    else:
        path.symlink_to(path.parent / "no" / "such")


def refused(name: str, kind: str, write: Write, folder: Path) -> None:
    path = folder / name
    if kind == "nowhere":
        path = folder / "nowhere" / name
    else:
        become(kind, path)
    before = os.lstat(path) if path.parent.is_dir() else None
    device = Path("/dev/null").stat()
    done = write(name, path)
    assert done.returncode == 2
    assert str(path) in done.stderr
    assert "Traceback" not in done.stderr
    assert Path("/dev/null").stat().st_rdev == device.st_rdev
    if before is not None:
        assert os.lstat(path).st_ino == before.st_ino
    assert not drafts(folder)


@each_output
def test_on_a_full_disk_the_old_file_survives_and_is_named(
    name: str,
    write: Write,
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
    name: str, write: Write, tmp_path: Path
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
    disk: Path, write: Write
) -> None:
    for name in QUICK:
        (disk / name).write_text("old")
    with (disk / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while filler.write(bytes(4096)):
            pass
    for name in QUICK:
        done = write(name, disk / name)
        assert done.returncode == 2
        assert f"{disk / name}: cannot be written: No space left" in done.stderr
        assert (disk / name).read_text() == "old"
    assert not drafts(disk)


def test_in_a_folder_that_is_read_only_the_old_files_survive(
    disk: Path, write: Write
) -> None:
    for name in QUICK:
        (disk / name).write_text("old")
    words = ["mount", "-o", "remount,ro", str(disk)]
    subprocess.run(words, check=True)
    for name in QUICK:
        done = write(name, disk / name)
        assert done.returncode == 2
        assert str(disk / name) in done.stderr
        assert "read-only" in done.stderr.lower()
        assert (disk / name).read_text() == "old"


# A ledger and its note are written in place. What would be served hangs here.
PLACES = (
    "data",
    "data/perceptron",
    *(f"data/perceptron/ledger.db{x}" for x in ("", "-head")),
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", PLACES)
def test_a_service_writes_to_folders_and_files(
    place: str, kind: str, tmp_path: Path
) -> None:
    if kind == "folder" and ".db" not in place:
        return  # as it should be
    become(kind, tmp_path / place)
    devices = set(Path("/dev").iterdir())
    done = call("serve", "-l", "perceptron", "--data", tmp_path / "data", "--port", "0")
    assert done.returncode == 2
    assert str(tmp_path / place) in done.stderr
    assert "Errno" not in done.stderr
    assert set(Path("/dev").iterdir()) == devices


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_are_kept_in_a_file(kind: str, tmp_path: Path) -> None:
    become(kind, tmp_path / "data" / "tokens.json")
    done = call("serve", "token", "add", "me", "--data", tmp_path / "data")
    assert (done.returncode, "tokens.json" in done.stderr) == (2, True)


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
