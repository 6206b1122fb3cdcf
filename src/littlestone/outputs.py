"""Output files: written beside their place, then renamed, so that none is half done."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from littlestone.errors import LittlestoneError, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from typing import BinaryIO

__all__ = ["check_output", "remove_drafts", "replacing"]


def check_output(path: str | PathLike[str]) -> Path:
    """Return the file that a path names, links followed; refuse what is not a file.

    A device, a pipe or a folder would be replaced by the rename.

    Examples
    --------
    >>> from littlestone.outputs import check_output
    >>> check_output("/dev/null")
    Traceback (most recent call last):
    littlestone.errors.OutputError: /dev/null: an output must be a regular file, got a device, a pipe or a folder
    """  # noqa: E501 - a message is one line
    try:
        target = Path(os.path.realpath(path))
        wrong = _wrong(target)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    if wrong is not None:
        raise OutputError(wrong, where=os.fspath(path))
    return target


def _wrong(target: Path) -> str | None:
    """Return why a file cannot be written there, if it cannot."""
    if target.is_symlink():
        return "an output must be a file, got a link that leads to itself"
    if not target.parent.is_dir():
        return "an output must be in a folder that exists"
    if not target.exists():
        return None
    if not target.is_file():
        return "an output must be a regular file, got a device, a pipe or a folder"
    if not os.access(target, os.W_OK):
        return "an output must be a file that may be written, got a read-only one"
    return None


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Give a file to write to, which takes the place of an older one at the end.

    If anything fails, the older file is unchanged. Drafts that killed processes have
    left are removed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone.outputs import replacing
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "answer.txt"
    >>> with replacing(path) as file:
    ...     _ = file.write(b"42")
    ...     path.exists()
    False
    >>> path.read_text()
    '42'
    """
    target = check_output(path)
    remove_drafts(path)
    draft = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        with draft.open("xb") as file:
            _lock(file)
            yield file
            file.flush()
            os.fsync(file.fileno())
            with suppress(FileNotFoundError):
                draft.chmod(target.stat().st_mode & 0o777)
            draft.replace(target)
        _sync_folder(target.parent)
    except LittlestoneError:
        raise
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def remove_drafts(path: str | PathLike[str]) -> None:
    """Remove the drafts of processes that were killed while they wrote this file."""
    target = Path(os.path.realpath(path))
    draft = re.compile(re.escape(f".{target.name}.") + r"[0-9a-f]{8}\.tmp")
    with suppress(OSError):
        for beside in target.parent.iterdir():
            if draft.fullmatch(beside.name):
                _remove_unlocked(beside)


def _remove_unlocked(draft: Path) -> None:
    """Remove a draft, unless another process is writing it now."""
    with suppress(OSError):
        if not draft.is_symlink() and draft.is_file():
            with draft.open("rb") as file:
                _lock(file)
            draft.unlink(missing_ok=True)


def _lock(file: BinaryIO) -> None:
    """Lock a draft until it is closed; fail if another process has."""
    if sys.platform == "win32":
        return  # which does not remove open files
    import fcntl  # noqa: PLC0415 - not on Windows

    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _sync_folder(folder: Path) -> None:
    """Make sure that the name is on the disk too, where folders can be synced."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _unwritable(path: str | PathLike[str], error: Exception) -> OutputError:
    reason = getattr(error, "strerror", None) or str(error)
    return OutputError(f"cannot be written: {reason}", where=os.fspath(path))
