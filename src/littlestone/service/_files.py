"""The small files of a service, and its folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["make_folder", "text_of"]

_LARGEST = 1 << 20  # bytes


def text_of(path: Path) -> str:
    """Return the text of a small file; a pipe would block, and a device never end.

    Examples
    --------
    >>> import pathlib
    >>> from littlestone.service._files import text_of
    >>> text_of(pathlib.Path("/dev/zero"))
    Traceback (most recent call last):
    littlestone.errors.ParameterError: serve: /dev/zero must be a file of at most 1 MiB
    """
    try:
        if path.is_file() and path.stat().st_size <= _LARGEST:
            return path.read_text()
    except (OSError, ValueError) as error:
        raise ParameterError(f"{path} must be a text: {error}", owner="serve") from None
    raise ParameterError(f"{path} must be a file of at most 1 MiB", owner="serve")


def make_folder(path: Path) -> None:
    """Make a folder, unless there is one.

    Examples
    --------
    >>> import pathlib
    >>> from littlestone.service._files import make_folder
    >>> make_folder(pathlib.Path("/dev/null/shop"))
    Traceback (most recent call last):
    littlestone.errors.ParameterError: serve: /dev/null/shop must be a folder that can be made: Not a directory
    """  # noqa: E501 - a message is one line
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(
            f"{path} must be a folder that can be made: {error.strerror}",
            owner="serve",
        ) from None
