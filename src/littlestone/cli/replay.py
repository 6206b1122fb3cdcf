"""`littlestone replay`: play a ledger again, or see what others would have done."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.cli._complete import learners as complete_learners
from littlestone.cli._learner_options import LearnerOptions
from littlestone.cli._options import Json
from littlestone.cli._say import say

__all__ = ["replay"]

Ledger = Annotated[
    Path, typer.Argument(metavar="LEDGER", help="A ledger, as serve writes it.")
]


def replay(
    ledger: Ledger,
    learner: Annotated[
        list[str] | None,
        typer.Option(
            "--learner",
            "-l",
            metavar="NAME",
            help="Ask what this learner would have done on the same traffic; its "
            "options may follow the name, as in winnow:threshold=50. Give several to "
            "compare them.",
            autocompletion=complete_learners,
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="MODEL", help="Save the learner after the last row here."),
    ] = None,
    json: Json = False,
) -> None:
    """Play a ledger again, and compare every answer with what was served.

    The replay must give the same answers and the same learner, to the last bit;
    otherwise it names the first row that differs, and the exit code is 2.

    For example:

        littlestone replay shop/clicks/ledger.db

        littlestone replay shop/clicks/ledger.db --save clicks.lst

        littlestone replay shop/clicks/ledger.db -l perceptron -l winnow:threshold=50

    If features were forgotten, the replay begins at the snapshot beside the ledger.
    """
    from littlestone import models
    from littlestone.service import replay as again
    from littlestone.service import what_if

    # Refused before the ledger is played, which may take a while.
    made = {
        word: LearnerOptions.parse(word).make(in_a_word=True) for word in learner or []
    }
    played = again(ledger, snapshot=_snapshot(ledger))
    if save is not None:
        models.save(played.learner, save)
    facts: dict[str, Any] = {
        "ledger": str(ledger),
        "rows": played.rows,
        "began": played.began,
        "record": played.record.to_dict(),
    }
    if not json:
        say(f"{played.rows:,} rows played again, every answer as it was served.")
        if played.began > 1:
            say(
                f"Features were forgotten: it began with the snapshot after row "
                f"{played.began:,}, and did not play the rows before."
            )
        say(str(played.record))
    others = {}
    for word, other in made.items():
        record, lost = what_if(ledger, other)
        others[word] = record.to_dict() | {"left_out": lost}
        if not json:
            left = f"; {lost:,} rows left out" if lost else ""
            say(f"{word}: {record}{left}")
    if json:
        say(json_format.dumps(facts | ({"what_if": others} if others else {})))


def _snapshot(ledger: Path) -> Path | None:
    """Return the snapshot to begin with, if features before it were forgotten."""
    from littlestone.service import Ledger as Opened

    beside = ledger.with_name("snapshot.lst")
    if not beside.exists():
        return None
    with Opened(ledger) as opened:
        forgotten = next(opened.rows(kind="forget", most=1), None)
    return None if forgotten is None else beside
