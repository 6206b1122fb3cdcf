"""Ledgers among the files that commands read."""

from __future__ import annotations

from pathlib import Path

__all__ = ["ledger_in"]

_KIND = b"LSTN"  # at byte 68 of a SQLite file: the id of the application


def ledger_in(file: str | list[str] | None) -> Path | None:
    """Return the file, if it is a ledger of a service.

    Examples
    --------
    >>> import tempfile
    >>> from littlestone.cli._ledgers import ledger_in
    >>> from littlestone.service import Ledger
    >>> path = tempfile.mkdtemp() + "/ledger.db"
    >>> Ledger(path, create=True).close()
    >>> ledger_in(path).name, ledger_in("mail.svm")
    ('ledger.db', None)
    """
    if not isinstance(file, str) or not Path(file).is_file():
        return None
    with Path(file).open("rb") as opened:
        head = opened.read(72)
    return Path(file) if head.startswith(b"SQLite") and head[68:] == _KIND else None
