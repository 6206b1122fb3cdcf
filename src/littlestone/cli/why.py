"""`littlestone why`: the reasons for what a saved learner says, or for its rule."""

from __future__ import annotations

import json as json_format
from typing import Annotated, Any

import typer

from littlestone.cli._groups import with_options
from littlestone.cli._model import answers, loaded, open_like
from littlestone.cli._options import Files, Json, ModelFile, ReadingOptions
from littlestone.cli._say import say
from littlestone.cli._streams import Player
from littlestone.errors import ParameterError

__all__ = ["why"]


@with_options
def why(
    model: ModelFile,
    files: Files,
    reading: ReadingOptions,
    part: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help="A literal, clause, term or rule: say which example dropped it.",
        ),
    ] = None,
    most: Annotated[
        int, typer.Option("--most", help="How many reasons to give.", min=1)
    ] = 5,
    json: Json = False,
) -> None:
    """Say why a saved learner predicts what it predicts, or why its rule is as it is.

    For example:

        littlestone run mushrooms.csv --label class -l decision-list --save m.lst

        littlestone why m.lst new.csv

        littlestone why m.lst --part "if odor=foul then no"

        littlestone why mail.lst new.tsv --most 10

    For each example of a file it names the rule that fired, the terms that are true or
    the clauses that are false; of a linear learner, the features that weigh most. With
    --part it names the example that dropped a part of a rule, or moved it. Labels may
    be missing.
    """
    from littlestone.cli._reasons import reasons

    entry, learner = loaded(model)
    if part is not None:
        if files:
            raise ParameterError("--part needs no FILE")
        _part(learner, part, json=json)
        return
    player = Player(entry, learner.outcome)
    paths = files.paths if files else "-"
    stream = open_like(
        model, learner, player, paths, reading, learns=False, labels=False
    )
    named = answers(model, reading.positive)
    for x, _ in stream:
        said, found = learner.predict_one(x), reasons(learner, x, most)
        said = named.get(said, said)
        if json:
            say(json_format.dumps({"prediction": said, "reasons": found}, default=str))
        else:
            answer = {True: "yes", False: "no"}.get(said, said)
            say("\n  ".join([f"{answer}", *found]))


def _part(learner: Any, part: str, *, json: bool) -> None:
    """Say which example dropped a part of a rule."""
    if not hasattr(learner, "concept_"):
        raise ParameterError(
            f"--part is for learners of rules, got {type(learner).__name__}"
        )
    dropped = learner.why(part)
    if json:
        by = None if dropped is None else dropped.by
        facts = {"part": part, "dropped": by is not None}
        if by is not None:
            facts |= {"round": by.round, "label": by.y, "true": list(by.x)}
        say(json_format.dumps(facts))
    else:
        say(f"{part}: no example has dropped it" if dropped is None else str(dropped))
