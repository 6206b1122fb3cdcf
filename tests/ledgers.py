"""Ledgers whose rows were changed, and whose chain is right all the same."""

from __future__ import annotations

import json
import random
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from littlestone.linear import Perceptron
from littlestone.service import Ledger, ServedModel, born

__all__ = ["changed", "served", "with_odd_value"]

ODD: tuple[Any, ...] = (
    *(None, 0, -1, 2**63 - 1, 1.5, "", "a", "\x1b[2J", b"", b"\xff\xfe", b"7", b"[]"),
    *("[" * 100_000, "{}", "[]", "null", '"\\ud800"', '{"late":7,"declare":[1]}'),
    *('{"late":"served","declare":{"margin":-1}}', b'{"features":7}', b'{"a":1}'),
    *(b'{"features":{"x":1e999}}', b'{"features":{},"advice":[1]}', b"[" * 100_000),
    '{"prediction":true,"score":0.0,"learned":99,"mistakes":0}',
    '{"prediction":[],"score":"a","learned":null,"mistakes":{}}',
)
_BODY, _SAID, _CELLS = 4, 7, 9  # of a row


def served(path: Path, late: Any = "relearn") -> bytes:
    """Return a ledger of a few predictions and labels."""
    with Ledger(path, create=True) as ledger:
        born(ledger, Perceptron(), late=late)
        model = ServedModel(ledger)
        with ledger.commit():
            for k in range(6):
                model.predict(f"o{k}", {"features": {"x": 1.0, f"f{k}": 2.0}})
                if k % 2:
                    model.label(f"o{k - 1}", k % 4 == 1)
    return path.read_bytes()


def changed(raw: bytes, change: Callable[[list[list[Any]]], Any]) -> bytes:
    """Return a ledger after a change of its rows, with hashes that follow from them.

    The table that the file declares is still STRICT, whatever the rows hold.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.db"
        path.write_bytes(raw)
        base = sqlite3.connect(path, isolation_level=None)
        rows = [list(row) for row in base.execute("SELECT * FROM ledger ORDER BY seq")]
        change(rows)
        declared = base.execute("SELECT sql FROM sqlite_schema").fetchall()
        columns = (
            "seq INTEGER PRIMARY KEY, kind, id, at, body, salt, digest, said, hash"
        )
        base.execute("DROP TABLE ledger")
        base.execute(f"CREATE TABLE ledger ({columns})")
        _rechain(rows)
        base.executemany("INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        base.execute("PRAGMA writable_schema = ON")
        base.execute("UPDATE sqlite_schema SET sql = ?", declared[0])
        base.close()
        base = sqlite3.connect(path)
        base.execute(declared[1][0])
        base.execute("PRAGMA journal_mode = DELETE")
        base.close()
        return path.read_bytes()


def _rechain(rows: list[list[Any]]) -> None:
    before = bytes(32)
    for row in rows:
        *facts, body, salt, digest, said, hash_ = row
        if not isinstance(hash_, bytes):
            continue
        if isinstance(body, bytes):
            salt = salt if isinstance(salt, bytes) else b""
            digest = sha256(salt + body).digest()
        if not isinstance(digest, bytes):
            digest = b""
        with suppress(TypeError, ValueError):
            text = json.dumps([*facts, said], separators=(",", ":"), ensure_ascii=False)
            row[-1] = before = sha256(before + digest + text.encode()).digest()


def with_odd_value(raw: bytes, draw: random.Random) -> bytes:
    """Return a ledger with something odd in a row, or a piece of JSON changed."""

    def change(rows: list[list[Any]]) -> None:
        row = draw.choice(rows)
        if draw.random() < 0.5:
            row[draw.randrange(1, _CELLS)] = draw.choice(ODD)
            return
        at = draw.choice((_BODY, _SAID))
        try:
            said = json.loads(row[at])
            said[draw.choice(list(said))] = draw.choice((None, [], {}, "a", -1, 1e300))
        except (IndexError, TypeError, ValueError):
            return
        row[at] = json.dumps(said) if at == _SAID else json.dumps(said).encode()

    return changed(raw, change)
