"""Ledgers as JSON Lines and Parquet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from littlestone.errors import ParameterError
from littlestone.outputs import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from littlestone.service._ledger import Ledger

__all__ = ["export"]

_AT_ONCE = 50_000  # rows in memory


def export(ledger: Ledger, path: Path) -> int:
    """Write the rows of a ledger to a file, by its suffix, and return how many.

    The model file of the birth is left out; the chain can be checked in the ledger.
    """
    if path.suffix in (".jsonl", ".ndjson"):
        with ledger.meaning(), replacing(path) as file:
            for row in _rows(ledger):
                file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
    elif path.suffix == ".parquet":
        _parquet(ledger, path)
    else:
        raise ParameterError(
            f"a file must end in .jsonl or .parquet, got {path.name!r}"
        )
    return ledger.seq


def _rows(ledger: Ledger) -> Iterator[dict[str, Any]]:
    for row in ledger.rows():
        given = None
        if row.body and row.kind != "birth":
            given = json.loads(row.body)
        yield {
            "seq": row.seq,
            "kind": row.kind,
            "id": row.id,
            "at": row.at,
            "given": given,
            "said": json.loads(row.said),
            "hash": row.hash.hex(),
        }


def _parquet(ledger: Ledger, path: Path) -> None:
    from littlestone.streams._arrow import pyarrow  # noqa: PLC0415 - optional

    pa = pyarrow()
    import pyarrow.parquet as pq  # noqa: PLC0415 - optional

    texts = ("kind", "id", "given", "said", "hash")
    schema = pa.schema(
        [
            ("seq", pa.int64()),
            ("kind", pa.string()),
            ("id", pa.string()),
            ("at", pa.timestamp("us", tz="UTC")),
            *((name, pa.string()) for name in texts[2:]),
        ]
    )
    with (
        ledger.meaning(),
        replacing(path) as file,
        pq.ParquetWriter(file, schema) as writer,
    ):
        batch: list[dict[str, Any]] = []
        for row in _rows(ledger):
            plain = row | {
                name: None if row[name] is None else json.dumps(row[name])
                for name in ("given", "said")
            }
            batch.append(plain)
            if len(batch) == _AT_ONCE:
                writer.write_table(pa.Table.from_pylist(batch, schema))
                batch.clear()
        writer.write_table(pa.Table.from_pylist(batch, schema))
