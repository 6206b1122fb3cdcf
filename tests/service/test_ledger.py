"""The ledger: durable, chained, and open once."""

from __future__ import annotations

import hashlib
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ledgers import changed, served
from littlestone import _core
from littlestone.errors import LedgerError
from littlestone.linear import Winnow
from littlestone.service import Ledger, certify_ledger, replay, what_if
from littlestone.service._export import export
from littlestone.service._strict import dumps


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "ledger.db"
    with Ledger(made, create=True) as ledger, ledger.commit():
        for number in range(40):
            body = b'{"features":{"x":%d}}' % number
            ledger.append("predict", f"p{number}", body, "{}", number)
            ledger.append("label", f"p{number}", b"true", "{}", number)
    return made


def test_a_second_process_is_refused(path: Path) -> None:
    with Ledger(path), pytest.raises(LedgerError, match="must not be in use"):
        Ledger(path)
    script = "import sys; from littlestone.service import Ledger; Ledger(sys.argv[1])"
    with Ledger(path):
        done = subprocess.run(
            [sys.executable, "-c", script, path], capture_output=True, check=False
        )
    assert b"must not be in use" in done.stderr
    Ledger(path).close()


def test_time_never_runs_backwards(path: Path) -> None:
    with Ledger(path) as ledger:
        with ledger.commit():
            ledger.append("expire", "p1", b"", "{}", 3)
        assert ledger.at == 39
        assert ledger.check() == 81


@pytest.mark.parametrize(
    ("column", "value", "wrong"),
    [(0, 83, "row 81 is missing"), (3, 38, r"row 81 \(expire p1\) was changed")],
)
def test_a_row_out_of_order_is_named_though_its_hash_follows(
    column: int, value: int, wrong: str, path: Path
) -> None:
    with Ledger(path) as ledger:
        with ledger.commit():
            ledger.append("expire", "p1", b"", "{}", 39)
            row = [*ledger._fresh[0]]  # noqa: SLF001 - before it is hashed
            row[column] = value
            ledger._fresh[0] = tuple(row)  # noqa: SLF001 - the same
        with pytest.raises(LedgerError, match=wrong):
            ledger.check()


def test_what_is_not_committed_never_was(path: Path) -> None:
    with Ledger(path) as ledger:
        with suppress(KeyError), ledger.commit():
            ledger.append("expire", "p1", b"", "{}", 99)
            raise KeyError
        assert (ledger.seq, ledger.check()) == (80, 80)


CHANGES = [
    "UPDATE ledger SET body = x'00' WHERE seq = 7",
    "UPDATE ledger SET said = '{\"a\":1}' WHERE seq = 7",
    "UPDATE ledger SET id = 'p9' WHERE seq = 7",
    "UPDATE ledger SET at = at + 1 WHERE seq = 7",
    "UPDATE ledger SET kind = 'expire' WHERE seq = 7",
    "UPDATE ledger SET salt = randomblob(16) WHERE seq = 7",
    "UPDATE ledger SET body = NULL, digest = randomblob(32) WHERE seq = 7",
    "UPDATE ledger SET hash = randomblob(32) WHERE seq = 7",
    "DELETE FROM ledger WHERE seq = 7",
    "UPDATE ledger SET seq = 700 WHERE seq = 7",
]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_named(path: Path, change: str) -> None:
    base = sqlite3.connect(path)
    base.execute(change)
    base.commit()
    base.close()
    with Ledger(path) as ledger, pytest.raises(LedgerError, match="row [78]"):
        ledger.check()


def chained(before: bytes, digest: bytes, facts: list[Any]) -> bytes:
    """Return the hash of a row, in plain Python."""
    return hashlib.sha256(before + digest + dumps(facts)).digest()


def test_the_chain_is_that_of_plain_python() -> None:
    before, rows, found = bytes(32), [], []
    odd = (
        "".join(map(chr, range(160))) + "\N{GREEK SMALL LETTER ALPHA}\N{GRINNING FACE}"
    )
    for seq, (id_, body, salt, said) in enumerate(
        [
            (None, b"", None, "{}"),
            ("p1", b"{}", b"salt", '{"a":"\\n"}'),
            (odd, bytes(999), bytes(16), odd),
            ("p2", None, None, ""),
        ]
    ):
        digest = hashlib.sha256((salt or b"") + (body or b"")).digest()
        kept = digest if body is None else None
        rows.append((seq, "label", id_, -(2**62), body, salt, kept, said))
        before = chained(before, digest, [seq, "label", id_, -(2**62), said])
        found.append(before)
    assert _core.chain(bytes(32), rows) == found
    both = (*rows[1][:6], bytes(32), "")
    assert _core.chain(bytes(32), [rows[0], both, rows[2]]) == [found[0], None]


def test_a_row_that_is_forged_with_its_hash_breaks_the_chain(path: Path) -> None:
    base = sqlite3.connect(path)
    (before,) = base.execute("SELECT hash FROM ledger WHERE seq = 6").fetchone()
    columns = "salt, seq, kind, id, at, said"
    row = base.execute(f"SELECT {columns} FROM ledger WHERE seq = 7").fetchone()  # noqa: S608 - ours
    salt, *facts = row
    forged = chained(before, hashlib.sha256(salt + b"{}").digest(), facts)
    change = "UPDATE ledger SET body = x'7b7d', hash = ? WHERE seq = 7"
    base.execute(change, [forged])
    base.commit()
    base.close()
    with Ledger(path) as ledger, pytest.raises(LedgerError, match="row 8"):
        ledger.check()


def test_rows_taken_off_the_end_show_by_the_head(path: Path) -> None:
    with Ledger(path) as ledger:
        head = ledger.hash.hex()
        assert ledger.check(head) == 80
    base = sqlite3.connect(path)
    base.execute("DELETE FROM ledger WHERE seq > 60")
    base.commit()
    base.close()
    with pytest.raises(LedgerError, match="must have the row 80 that was committed"):
        Ledger(path)
    Path(f"{path}-head").unlink()
    with Ledger(path) as ledger:
        assert ledger.check() == 60
        with pytest.raises(LedgerError, match="must have the hash"):
            ledger.check(head)


def crashed(folder: Path) -> Path:
    """Return a ledger whose last commits are in the WAL only, as after a crash."""
    folder.mkdir()
    with Ledger(folder / "live.db", create=True) as ledger:
        for number in range(20):
            with ledger.commit():
                ledger.append("predict", f"p{number}", b"{}" * 200, "{}", number)
        for end in ("", "-wal", "-head"):
            (folder / f"ledger.db{end}").write_bytes(
                (folder / f"live.db{end}").read_bytes()
            )
    return folder / "ledger.db"


def test_damage_in_the_wal_after_a_crash_is_never_silent(tmp_path: Path) -> None:
    path, draw = crashed(tmp_path / "data"), random.Random(3)
    wal, base = Path(f"{path}-wal"), path.read_bytes()
    raw, head = wal.read_bytes(), Path(f"{path}-head").read_bytes()
    damages: list[bytes] = [b"", raw[:-1], raw[:-2048], raw[: len(raw) // 2]]
    for _ in range(30):
        at = draw.randrange(len(raw))
        damages.append(
            raw[:at] + bytes([raw[at] ^ 1 << draw.randrange(8)]) + raw[at + 1 :]
        )
    refused = 0
    for damaged in (raw, *damages):
        path.write_bytes(base)
        wal.write_bytes(damaged)
        Path(f"{path}-head").write_bytes(head)
        try:
            with Ledger(path) as ledger:
                assert ledger.check() == 20
        except LedgerError:
            refused += 1
    assert 10 < refused <= len(damages)


def test_a_note_that_was_torn_is_not_believed(tmp_path: Path) -> None:
    path = crashed(tmp_path / "data")
    head = Path(f"{path}-head")
    for torn in (b"", head.read_bytes()[:100], bytes(144), b"x" * 144):
        head.write_bytes(torn)
        with Ledger(path) as ledger:
            assert ledger.check() == 20


def test_a_torn_last_page_is_never_silent(path: Path) -> None:
    raw = path.read_bytes()
    for left in (1, 512, 2048, 4095):  # bytes of it that were written
        for rest in (b"", bytes(4096 - left)):  # and the others
            path.write_bytes(raw[: left - 4096] + rest)
            with pytest.raises(LedgerError), Ledger(path) as ledger:
                ledger.check()


def test_a_byte_that_changes_is_never_silent(path: Path) -> None:
    """Whatever byte is changed: refused, named, or not part of any row."""
    raw, draw = path.read_bytes(), random.Random(5)
    with Ledger(path) as ledger:
        rows = list(ledger.rows())
    named = 0
    for _ in range(100):
        damaged = bytearray(raw)
        damaged[draw.randrange(len(raw))] ^= 1 << draw.randrange(8)
        path.write_bytes(damaged)
        for beside in path.parent.glob("ledger.db-*"):
            beside.unlink()
        try:
            with Ledger(path) as ledger:
                ledger.check()
                assert list(ledger.rows()) == rows
                for row in rows[::9]:
                    assert ledger.of(row.id or "")
        except LedgerError:
            named += 1
    assert named > 20


@pytest.mark.parametrize(
    "text", [b"", b"hello, world", b"SQLite format 3\0" + bytes(84)]
)
def test_another_file_is_refused(tmp_path: Path, text: bytes) -> None:
    other = tmp_path / "other.db"
    other.write_bytes(text)
    with pytest.raises(LedgerError, match="ledger"):
        Ledger(other)


def test_another_database_is_refused(tmp_path: Path) -> None:
    base = sqlite3.connect(tmp_path / "other.db")
    base.execute("CREATE TABLE t (x)")
    base.close()
    with pytest.raises(LedgerError, match="a ledger of format 1"):
        Ledger(tmp_path / "other.db", create=True)
    with pytest.raises(LedgerError, match="there is no such ledger"):
        Ledger(tmp_path / "none.db")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_refused(path: Path) -> None:
    path.parent.chmod(0o500)
    with pytest.raises(LedgerError, match="readable and writable"):
        Ledger(path)
    path.parent.chmod(0o700)


# What a stranger may have written ---------------------------------------------------

READERS: dict[str, Callable[[Path], object]] = {
    "replay": replay,
    "what_if": lambda path: what_if(path, Winnow(threshold=2)),
    "certify": certify_ledger,
    "export": lambda path: export(Ledger(path), path.with_name("rows.jsonl")),
}


@pytest.mark.parametrize(
    ("row", "column", "value", "readers"),
    [
        (0, 7, "{}", ("replay", "certify")),
        (0, 7, "[" * 100_000, ("replay", "certify", "export")),
        (1, 7, b"\xff", READERS),
        (1, 4, b"7", ("replay", "certify")),
        (1, 4, b"\xff", ("replay", "certify", "export")),
        (1, 3, "yesterday", READERS),
        (1, 7, '"\\ud800"', ("replay", "export")),
        (3, 2, "nobody", ("replay", "certify")),
        (3, 4, b"", ("replay", "certify")),
        (2, 8, "no hash", READERS),
    ],
)
def test_rows_that_no_service_writes_are_refused(
    row: int, column: int, value: Any, readers: Iterable[str], tmp_path: Path
) -> None:
    def change(rows: list[list[Any]]) -> None:
        rows[row][column] = value

    raw = changed(served(tmp_path / "honest.db"), change)
    for name in readers:
        path = tmp_path / name
        path.write_bytes(raw)
        with pytest.raises(LedgerError):
            READERS[name](path)


def test_late_labels_in_an_order_that_cannot_be_are_refused(tmp_path: Path) -> None:
    said = '{"prediction":true,"score":0.0,"learned":99,"mistakes":0}'

    def change(rows: list[list[Any]]) -> None:
        rows[1][7] = said

    path = tmp_path / "ledger.db"
    path.write_bytes(changed(served(tmp_path / "honest.db", "served"), change))
    with pytest.raises(LedgerError, match="what a service writes"):
        certify_ledger(path)


@pytest.mark.parametrize(
    "code",
    [
        "CREATE TRIGGER t AFTER INSERT ON ledger BEGIN SELECT 1; END",
        "CREATE VIEW v AS SELECT 1",
        "DROP INDEX by_id",
        "ALTER TABLE ledger ADD COLUMN more BLOB AS (zeroblob(1000000000))",
    ],
)
def test_a_file_with_anything_else_in_it_is_no_ledger(path: Path, code: str) -> None:
    base = sqlite3.connect(path)
    base.execute(code)
    base.close()
    with pytest.raises(LedgerError, match="and nothing else"):
        Ledger(path)


@pytest.mark.parametrize("kind", ["link", "pipe", "other"])
def test_only_the_ledgers_own_note_is_written(path: Path, kind: str) -> None:
    note, precious = Path(f"{path}-head"), path.with_name("precious")
    precious.write_bytes(b"precious" * 99)
    note.unlink()
    if kind == "link":
        note.symlink_to(precious)
    elif kind == "pipe":
        os.mkfifo(note)
    else:
        precious.rename(note)
        precious = note
    with pytest.raises(LedgerError, match="-head"):
        Ledger(path)
    assert precious.read_bytes() == b"precious" * 99


def test_a_schema_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    raw = served(path)
    assert raw.count(b"tableledgerledger") == 1
    damaged = raw.replace(b"tableledgerledger", b"tablele\xd2gerledger")
    path.write_bytes(damaged.replace(b"CREATE TABLE ledger", b"CREATE TABLE ledg(r"))
    for beside in tmp_path.glob("ledger.db-*"):
        beside.unlink()
    with pytest.raises(LedgerError, match="readable and writable"):
        Ledger(path)
