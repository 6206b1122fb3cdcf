"""`littlestone ledger`: check a ledger, export it, forget an example."""

from __future__ import annotations

import json as json_format
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.cli._options import Json
from littlestone.cli._say import say
from littlestone.cli.replay import Ledger as LedgerFile
from littlestone.errors import ParameterError

__all__ = ["ledger"]


class Action(StrEnum):
    """What to do with a ledger."""

    CHECK = "check"
    EXPORT = "export"
    FORGET = "forget"


def ledger(
    action: Annotated[Action, typer.Argument(help="What to do.")],
    file: LedgerFile,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="The predictions to forget."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="export: a .jsonl or .parquet file."
        ),
    ] = None,
    head: Annotated[
        str | None,
        typer.Option(
            metavar="HASH",
            help="check: a hash that the service has shown, which must be in the "
            "chain; it shows that no row was taken off the end.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Check a ledger, export it, or forget the features of predictions.

    check reads every page of the file and every row of the chain, and names the first
    that was changed. export writes the rows as JSON Lines or Parquet. forget removes
    the features of predictions; their digests stay, so that the chain can be checked.

    For example:

        littlestone ledger check shop/clicks/ledger.db

        littlestone ledger export shop/clicks/ledger.db -o clicks.parquet

        littlestone ledger forget shop/clicks/ledger.db visit-1 visit-2

    A server that has the ledger open must be stopped first; it forgets by DELETE
    /v1/models/MODEL/predictions/ID.
    """
    if (ids and action is not Action.FORGET) or (
        output and action is not Action.EXPORT
    ):
        raise ParameterError("ids are for ledger forget, and --output is for export")
    facts = {"ledger": str(file)} | {
        Action.CHECK: _check,
        Action.EXPORT: _export,
        Action.FORGET: _forget,
    }[action](file, ids or [], output, head)
    text = str(facts.pop("text"))
    say(json_format.dumps(facts) if json else text)


def _check(file: Path, _: Any, __: Any, head: str | None) -> dict[str, Any]:
    from littlestone.service import Ledger

    with Ledger(file) as opened:
        rows = opened.check(head)
        last = opened.hash.hex()
    text = f"{rows:,} rows, each as it was written; the hash of the last is {last}"
    return {"rows": rows, "head": last, "text": text}


def _export(file: Path, _: Any, output: Path | None, __: Any) -> dict[str, Any]:
    from littlestone.service import Ledger
    from littlestone.service._export import export

    if output is None:
        raise ParameterError("ledger export needs --output, got none")
    with Ledger(file) as opened:
        rows = export(opened, output)
    text = f"{rows:,} rows written to {output}"
    return {"rows": rows, "output": str(output), "text": text}


def _forget(file: Path, ids: list[str], _: Any, __: Any) -> dict[str, Any]:
    from littlestone.service import Ledger, ServedModel

    if not ids:
        raise ParameterError("ledger forget needs the ids of predictions, got none")
    with Ledger(file) as opened:
        with opened.meaning():
            model = ServedModel(opened, snapshot=file.with_name("snapshot.lst"))
        with opened.commit():
            answers = [model.forget(each) for each in ids]
            unknown = [i for i, a in zip(ids, answers, strict=True) if a.status != 200]  # noqa: PLR2004 - of HTTP
            if unknown:
                raise ParameterError(
                    f"there must be a prediction of each id, got {unknown[0]!r}"
                )
        model.save()
    return {"forgotten": ids, "text": f"{len(ids):,} forgotten"}
