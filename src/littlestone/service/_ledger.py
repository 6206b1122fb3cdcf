"""The ledger: predictions and labels in order, durable, each chained to the one before.

One SQLite file in WAL mode with `synchronous=FULL`: what is committed survives a crash
of the process and of the machine. The file is locked while it is open, so there is one
connection ever; the bug of WAL in SQLite 3.7.0 to 3.51.2 needs two.

The hash of a row is the SHA-256 of the hash before it, of the digest of its body, and
of all else in the row. The digest takes the place of a body that is forgotten, so that
the chain can still be checked; a random salt, forgotten with the body, keeps anybody
from finding the body by trying.

To SQLite, damage in the WAL after a crash looks like a write that was not finished, and
it drops the rows from there on. So the number and the hash of the latest row are noted
in a file beside the ledger, after each commit: a ledger that lacks that row is refused.
The note is not synced. If the machine loses power it may be older, but never newer,
than the ledger.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import struct
from contextlib import contextmanager, suppress
from functools import cache
from itertools import product, repeat
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, Self

from littlestone import _core
from littlestone.errors import LedgerError, LittlestoneError, OutputError
from littlestone.outputs import check_output
from littlestone.service._strict import dumps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType

__all__ = ["FORMAT", "KINDS", "Ledger", "Row"]

FORMAT = 1

_APPLICATION = 0x4C53544E  # "LSTN", by which `file` knows the kind of the database
_START = bytes(32)
_CHECKED_AT_ONCE = 1_000  # rows
# What comes of values that are not of the kind, or not in the place, that is expected.
_MEANINGLESS = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError),
    *(TypeError, ValueError),
)
# What SQLite says of a damaged file may quote it, and then be no text.
_FAULTS = (sqlite3.Error, UnicodeDecodeError)
_SALT = 16  # bytes
_HEAD = struct.Struct(">Q32s")  # the number and the hash of a row
_NOTE = _HEAD.size + 32  # with the SHA-256 of both

# birth: the model file, and how the model is served. predict: features, and what was
# said. label: learned. hold: a label before its prediction. drop: a held label that
# nobody asked for. expire: a prediction whose label did not come. default: the label
# that it got then. forget: the features of a prediction were removed.
# The usual ones come first, as SQLite checks each row against them in this order.
KINDS = ("predict", "label", "hold", "drop", "expire", "default", "forget", "birth")
_SECRET = ("birth", "predict")  # kinds whose bodies are salted

_TABLE = f"""
CREATE TABLE ledger (
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK ({" OR ".join(f"kind = {kind!r}" for kind in KINDS)}),
  id TEXT,
  at INTEGER NOT NULL,
  body BLOB,
  salt BLOB,
  digest BLOB,
  said TEXT NOT NULL,
  hash BLOB NOT NULL
) STRICT
""".strip()
_INDEX = "CREATE INDEX by_id ON ledger (id) WHERE id IS NOT NULL"
_SCHEMA = f"""
{_TABLE};
{_INDEX};
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {FORMAT};
"""
# What the columns of a row may be: STRICT tables keep to it, but a file may not.
_TYPES = frozenset(
    product(
        *((int,), (str,), (str, NoneType), (int,)),
        *repeat((bytes, NoneType), 3),
        *((str,), (bytes,)),
    )
)
_COLUMNS = "seq, kind, id, at, body, salt, digest, said, hash"
_TOGETHER = 100  # rows that one statement inserts at most
# The ids one by one through the index, whatever the planner thinks of it.
_OF_MANY = """
SELECT ledger.* FROM json_each(?) AS asked CROSS JOIN ledger ON ledger.id = asked.value
"""


_ASKED = "WHERE kind = 'predict' AND body IS NOT NULL"


class Row(NamedTuple):
    """A row of the ledger.

    Attributes
    ----------
    seq
        Its number, counted from 1.
    kind
        What happened.
    id
        The prediction it is about; None for the birth.
    at
        When, in microseconds since 1970; never before the row before.
    body
        What came, as JSON; the model file of a birth. None if it was forgotten.
    salt, digest
        What hides the body in the hash; the digest of a body that was forgotten.
    said
        What was answered, as JSON.
    hash
        The hash of the row and of all before it; empty until it is hashed with others.
    """

    seq: int
    kind: str
    id: str | None
    at: int
    body: bytes | None
    salt: bytes | None
    digest: bytes | None
    said: str
    hash: bytes = b""


def _digest(salt: bytes | None, body: bytes) -> bytes:
    return hashlib.sha256((salt or b"") + body).digest()


@cache
def _insert(rows: int, salt: str) -> str:
    """Return what inserts so many rows; the digest of a row comes later."""
    values = ",".join([f"(?,?,?,?,?,{salt},NULL,?,?)"] * rows)
    return f"INSERT INTO ledger VALUES {values}"  # noqa: S608 - only question marks


def _flat(
    rows: list[tuple[Any, ...]], hashes: list[bytes]
) -> tuple[Literal["?", "NULL"], list[Any]]:
    """Return whether some of the rows have salts, and their values for `_insert`.

    Bytes are given as bytearrays: for anything but numbers, texts and these, Python
    looks for an adapter each time, which takes longer than to insert it.
    """
    together = zip(rows, hashes, strict=True)
    if all(row[5] is None for row in rows):
        return "NULL", [
            value
            for (seq, kind, id_, at, body, _, _, said), hash_ in together
            for value in (seq, kind, id_, at, bytearray(body), said, bytearray(hash_))
        ]
    return "?", [
        value
        for (seq, kind, id_, at, body, salt, _, said), hash_ in together
        for value in (
            seq,
            kind,
            id_,
            at,
            bytearray(body),
            salt and bytearray(salt),
            said,
            bytearray(hash_),
        )
    ]


def _salts() -> Iterator[bytes]:
    while True:
        drawn = os.urandom(256 * _SALT)
        yield from (drawn[k : k + _SALT] for k in range(0, len(drawn), _SALT))


class Ledger:
    """An open ledger; no other process can open it meanwhile.

    Parameters
    ----------
    path
        The file.
    create
        Begin a new ledger if there is no file.

    Examples
    --------
    >>> import tempfile
    >>> from littlestone.service import Ledger
    >>> folder = tempfile.mkdtemp()
    >>> with Ledger(f"{folder}/ledger.db", create=True) as ledger:
    ...     with ledger.commit():
    ...         ledger.append("predict", "order-1", b'{"a":1}', "{}", 0)
    ...     [row.kind for row in ledger.rows()], ledger.check()
    1
    (['predict'], 1)
    """

    def __init__(self, path: str | Path, *, create: bool = False) -> None:
        self.path = Path(path)
        # Appended, but neither hashed nor given to SQLite.
        self._fresh: list[tuple[Any, ...]] = []
        # Rows by id until the commit ends, some still without their hash.
        self._known: dict[str, list[tuple[Any, ...]]] = {}
        self._salts = _salts()
        self._head = -1
        self.here = 0  # the row that is read, for errors
        if not create and not self.path.is_file():
            raise LedgerError("there is no such ledger", where=str(path))
        try:
            check_output(self.path)  # SQLite would write a journal beside a device
        except OutputError as error:
            raise LedgerError(error.what, where=error.where) from None
        with self._faults():
            self._base = sqlite3.connect(
                self.path,
                isolation_level=None,
                check_same_thread=False,
                timeout=0,
                cached_statements=2 * _TOGETHER + 28,
            )
        try:
            with self._faults():
                self._open(create)
                self._open_head()
                self._check_head()
                self._note_head()
        except OSError as error:
            self.close()
            raise LedgerError(
                f"the ledger must be readable and writable: {error.strerror}",
                where=f"{self.path}-head",
            ) from None
        except BaseException:
            self.close()
            raise

    def _open_head(self) -> None:
        """Open the note beside the ledger, and nothing else that may be there."""
        how = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        self._head = os.open(f"{self.path}-head", how, 0o600)
        found = os.fstat(self._head)
        if not stat.S_ISREG(found.st_mode) or found.st_size > 2 * _NOTE:
            raise LedgerError(
                "the note of the latest row must be a file that the ledger has "
                "written, got another",
                where=f"{self.path}-head",
            )

    def _note_head(self) -> None:
        """Note the latest row, in turn in two places: one of them is always whole."""
        fact = _HEAD.pack(self.seq, self.hash)
        with suppress(OSError):  # it is in the ledger
            place = self.seq % 2 * _NOTE
            os.pwrite(self._head, fact + hashlib.sha256(fact).digest(), place)

    def _check_head(self) -> None:
        """Refuse a ledger without the row that was noted last."""
        noted = [
            _HEAD.unpack(note[: _HEAD.size])
            for note in (os.pread(self._head, _NOTE, place) for place in (0, _NOTE))
            if hashlib.sha256(note[: _HEAD.size]).digest() == note[_HEAD.size :]
        ]
        if not noted:
            return
        seq, hash_ = max(noted)
        row = self.row(seq)
        if row is None or row.hash != hash_:
            found = "none" if row is None else "another"
            raise LedgerError(
                f"the ledger must have the row {seq} that was committed, got {found}: "
                "it or its WAL was damaged, or it is an older copy; remove "
                f"{self.path.name}-head to continue with the rows that are left",
                where=str(self.path),
            )

    def _open(self, create: bool) -> None:
        ask = self._base.execute
        # Exclusive before anything is read, so that the index of the WAL is our own.
        ask("PRAGMA locking_mode = EXCLUSIVE")
        ask("PRAGMA fullfsync = ON")
        ask("PRAGMA trusted_schema = OFF")
        ask("PRAGMA secure_delete = ON")
        if ask("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
            raise LedgerError("the folder must allow a WAL", where=str(self.path))
        ask("PRAGMA synchronous = FULL")
        ask("BEGIN EXCLUSIVE")
        empty = not ask("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        ask("COMMIT")
        if empty and create:
            self._base.executescript(f"BEGIN; {_SCHEMA} COMMIT;")
        elif (
            ask("PRAGMA application_id").fetchone()[0] != _APPLICATION
            or ask("PRAGMA user_version").fetchone()[0] != FORMAT
        ):
            raise LedgerError(
                f"the file must be a ledger of format {FORMAT}, got another",
                where=str(self.path),
            )
        # No views, triggers or computed columns, which would run when it is read.
        kept = set(ask("SELECT name, sql FROM sqlite_schema"))
        if kept != {("ledger", _TABLE), ("by_id", _INDEX)}:
            raise LedgerError(
                "the file must have the table of a ledger and nothing else",
                where=str(self.path),
            )
        last = ask("SELECT seq, at, hash FROM ledger ORDER BY seq DESC LIMIT 1")
        found: tuple[int, int, bytes] = last.fetchone() or (0, 0, _START)
        self._row((found[0], "", None, found[1], None, None, None, "", found[2]))
        self.seq, self.at, self._hash = found

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Raise what SQLite says as an error that names the file."""
        try:
            yield
        except _FAULTS as error:
            what = f"the ledger must be readable and writable: {error}"
            if "locked" in str(error):
                what = "the ledger must not be in use, got one that a process has open"
            raise LedgerError(what, where=str(self.path)) from error

    @contextmanager
    def meaning(self) -> Iterator[None]:
        """Refuse rows that say what no service writes: a file may hold anything."""
        try:
            yield
        except LittlestoneError:
            raise
        except _MEANINGLESS as error:
            raise LedgerError(
                f"a row must say what a service writes, got what it cannot read: "
                f"{type(error).__name__}: {error}",
                where=self._at(self.here),
            ) from error

    def _row(self, found: tuple[Any, ...]) -> Row:
        if tuple(map(type, found)) not in _TYPES:
            raise LedgerError(
                "a row must have values of the types of its columns, got others",
                where=str(self.path),
            )
        self.here = found[0]
        return Row(*found)

    @property
    def hash(self) -> bytes:
        """The hash of the latest row."""
        self._flush()
        return self._hash

    # Writing --------------------------------------------------------------------

    @contextmanager
    def commit(self) -> Iterator[None]:
        """Commit together what is appended within; it is on the disk afterwards."""
        head = self.seq, self.at, self.hash
        with self._faults():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._flush()
                self._base.execute("COMMIT")
            except BaseException:
                self.seq, self.at, self._hash = head
                self._fresh.clear()
                with suppress(*_FAULTS):
                    self._base.execute("ROLLBACK")
                raise
        if self.seq != head[0]:
            self._note_head()

    def append(
        self, kind: str, id_: str | None, body: bytes, said: str, at: int
    ) -> int:
        """Append a row, and return its number."""
        self.append_many(kind, [id_], [body], [said], at)
        return self.seq

    def append_many(
        self,
        kind: str,
        ids: Sequence[str | None],
        bodies: Sequence[bytes],
        said: Sequence[str],
        at: int,
    ) -> list[tuple[Any, ...]]:
        """Append rows of the same moment, and return them, without their hashes."""
        first, self.at = self.seq + 1, max(at, self.at)
        salts = self._salts if kind in _SECRET else repeat(None)
        # The ids end first, so that no salt is lost.
        rows = [
            (seq, kind, id_, self.at, body, salt, None, text)
            for seq, (id_, body, text, salt) in enumerate(
                zip(ids, bodies, said, salts, strict=False), first
            )
        ]
        self._fresh += rows
        self.seq += len(rows)
        if self._known:
            for id_, row in zip(ids, rows, strict=True):
                if id_ in self._known:
                    self._known[id_].append(row)
        return rows

    def _flush(self) -> None:
        """Hash and insert the rows that were appended, all at once."""
        if self._fresh:
            fresh, self._fresh = self._fresh, []
            hashes = _core.chain(self._hash, fresh)
            self._hash = hashes[-1]
            # Many rows a statement: after each one, Python lets other threads run.
            for first in range(0, len(fresh), _TOGETHER):
                some = fresh[first : first + _TOGETHER]
                last = hashes[first : first + _TOGETHER]
                salt, values = _flat(some, last)
                self._base.execute(_insert(len(some), salt), values)

    def forget(self, row: Row) -> None:
        """Remove the body of a row; its digest stays for the chain."""
        if row.body is None:
            return
        self._flush()
        self._known.pop(row.id or "", None)
        self._base.execute(
            "UPDATE ledger SET body = NULL, salt = NULL, digest = ? WHERE seq = ?",
            (_digest(row.salt, row.body), row.seq),
        )

    # Reading --------------------------------------------------------------------

    def of(self, id_: str) -> list[Row]:
        """Return the rows about a prediction, in order."""
        if id_ in self._known:
            return [Row(*each) for each in self._known[id_]]
        self._flush()
        found = self._base.execute(
            f"SELECT {_COLUMNS} FROM ledger WHERE id = ? ORDER BY seq",  # noqa: S608 - columns
            (id_,),
        )
        return [self._row(each) for each in found]

    @contextmanager
    def known(self, ids: Iterable[str]) -> Iterator[None]:
        """Look up the rows about many predictions at once, for `of` within."""
        self._flush()
        known: dict[str, list[tuple[Any, ...]]] = {id_: [] for id_ in ids}
        with self._faults():
            for each in self._base.execute(_OF_MANY, (dumps(list(known)).decode(),)):
                row = self._row(each)
                known[row.id or ""].append(row)
        self._known = known
        try:
            yield
        finally:
            self._known = {}

    def lacks(self, ids: Iterable[str]) -> bool:
        """Return whether there is no row about any of some predictions."""
        known = self._known
        return not any(known[id_] if id_ in known else self.of(id_) for id_ in ids)

    def asked(self, ids: Iterable[str]) -> list[Row]:
        """Return the predictions of some ids, if their features are there."""
        self._flush()
        wanted = dumps(list(ids)).decode()
        with self._faults():
            found = self._base.execute(f"{_OF_MANY} {_ASKED}", (wanted,))
            return [self._row(each) for each in found]

    def row(self, seq: int) -> Row | None:
        """Return the row of this number."""
        found = next(self.rows(after=seq - 1, most=1), None)
        return found if found is not None and found.seq == seq else None

    def rows(
        self, *, after: int = 0, most: int = -1, kind: str | None = None
    ) -> Iterator[Row]:
        """Yield rows in order, those after a number; at most so many of one kind."""
        self._flush()
        where = "" if kind is None else "AND kind = ?"
        with self._faults():
            found = self._base.execute(
                f"SELECT {_COLUMNS} FROM ledger WHERE seq > ? {where} "  # noqa: S608 - columns
                "ORDER BY seq LIMIT ?",
                (after, *([] if kind is None else [kind]), most),
            )
            for each in found:
                yield self._row(each)

    def check(self, head: str | None = None) -> int:
        """Check every page and the whole chain, and return the number of rows.

        Parameters
        ----------
        head
            The hash of a row as it was noted, in hexadecimal: it must be the hash
            of a row of this ledger, which shows that none was taken off the end.
        """
        with self._faults():
            for (said,) in self._base.execute("PRAGMA integrity_check"):
                if said != "ok":
                    raise LedgerError(f"the file is damaged: {said}", where=self._at(0))
        seq, before, seen = 0, _START, head is None
        for row in self.check_rows(0):
            seq, before = row.seq, row.hash
            seen = seen or row.hash.hex() == head
        if not seen:
            raise LedgerError(
                f"a row must have the hash {head}, got none", where=str(self.path)
            )
        if (seq, before) != (self.seq, self.hash):
            raise LedgerError(
                f"the rows must end with {self.seq}, got {seq}", where=str(self.path)
            )
        return seq

    def check_rows(self, after: int) -> Iterator[Row]:
        """Yield the rows after a number, each checked against the one before."""
        for some in self.check_blocks(after):
            for each in some:
                self.here = each[0]
                yield Row(*each)

    def check_blocks(self, after: int) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows after a number, some at a time, as `check_rows` does.

        They are tuples of what a `Row` has, which takes less time.
        """
        last = self.row(after)
        seq, at, hash_ = (
            (0, 0, _START) if last is None else (last.seq, last.at, last.hash)
        )
        self._flush()
        found = self._base.execute(
            f"SELECT {_COLUMNS} FROM ledger WHERE seq > ? ORDER BY seq",  # noqa: S608 - columns
            (after,),
        )
        while some := self._next_of(found):
            if not self._follow(seq, at, hash_, some):
                self._name_fault([Row(*each) for each in some], hash_, seq, at)
            seq, at, hash_ = some[-1][0], some[-1][3], some[-1][8]
            yield some

    def _follow(
        self, seq: int, at: int, before: bytes, rows: list[tuple[Any, ...]]
    ) -> bool:
        """Return whether rows follow from one; refuse values of other types."""
        with suppress(RuntimeError, TypeError):
            if _core.follows(seq, at, before, rows) == len(rows):
                return True
        for row in rows:
            self._row(row)
        return False

    def _next_of(self, found: sqlite3.Cursor) -> list[tuple[Any, ...]]:
        with self._faults():
            return found.fetchmany(_CHECKED_AT_ONCE)

    def _name_fault(
        self, rows: list[Row], before: bytes, seq: int, at: int
    ) -> NoReturn:
        """Name the first row that does not follow from the one before."""
        for row, expected in zip(rows, _core.chain(before, rows), strict=False):
            seq += 1
            if row.seq != seq:
                raise LedgerError(f"row {seq} is missing", where=self._at(row.seq))
            if row.hash != expected or row.at < at:
                break
            at = row.at
        raise LedgerError(
            f"row {row.seq} ({row.kind} {row.id or ''}) was changed: its hash must "
            "follow from it and the row before",
            where=self._at(row.seq),
        )

    def _at(self, seq: int) -> str:
        return f"{self.path}:{seq}" if seq else str(self.path)

    def close(self) -> None:
        """Write the WAL into the file, and unlock it."""
        with suppress(*_FAULTS):
            self._base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with suppress(*_FAULTS):
            self._base.close()
        if self._head >= 0:
            os.close(self._head)
            self._head = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
