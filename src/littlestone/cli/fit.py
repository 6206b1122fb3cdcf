"""`littlestone fit`: a rule for all examples of a file at once."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.boolean import RuleKind
from littlestone.catalogue import entry_of
from littlestone.cli._groups import with_options
from littlestone.cli._options import Files, Json, ReadingOptions
from littlestone.cli._say import say
from littlestone.cli._streams import Player
from littlestone.cli._summary import check_place
from littlestone.outcome import Outcome
from littlestone.outputs import replacing

__all__ = ["fit"]


@with_options
def fit(
    files: Files,
    reading: ReadingOptions,
    rule: Annotated[
        RuleKind,
        typer.Option("--rule", "-r", help="The class of rules."),
    ] = RuleKind.DECISION_LIST,
    k: Annotated[
        int, typer.Option("--k", help="The most literals in a clause or term.", min=1)
    ] = 1,
    exceptions: Annotated[
        int | None,
        typer.Option(
            help="The most examples that the rule may get wrong; 0 for none. By "
            "default any number.",
            min=0,
        ),
    ] = None,
    budget: Annotated[
        int,
        typer.Option(
            help="How many fits the search may make; more find better rules, and "
            "prove more.",
            min=1,
        ),
    ] = 300,
    delta: Annotated[
        float, typer.Option(help="The probability that the error bound fails.")
    ] = 0.05,
    sql: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the rule as SQL here."),
    ] = None,
    python: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the rule as Python here."),
    ] = None,
    json: Json = False,
) -> None:
    """Fit a rule to a file, with few exceptions, and name each of them.

    For example:

        littlestone fit mushrooms.csv --label class --positive p

        littlestone fit chess.csv --label won --positive yes --rule k-dnf --k 2

        littlestone fit chess.csv --label won --rule k-dnf --k 2 --exceptions 30

        littlestone fit mushrooms.csv --label class --positive p --sql rule.sql

    The whole file is read at once, and features are true or false, as for learners of
    rules. It says whether any rule of the class has fewer exceptions, or whether this
    is the best that was found, and bounds the rate of errors on further examples from
    the same source. If more exceptions are needed than allowed, it exits with 2.
    """
    from littlestone.boolean import fit_rule

    for name, place in (("--sql", sql), ("--python", python)):
        if place is not None:
            check_place(name, place)
    entry = entry_of("KDNFLearner")
    assert entry is not None  # noqa: S101 - it is in the table
    stream = reading.open(files.paths, Player(entry, Outcome.LABEL))
    examples = list(stream)
    found = fit_rule(
        [x for x, _ in examples],
        [y for _, y in examples],
        rule.value,
        k,
        exceptions=exceptions,
        budget=budget,
    )
    for place, text in (
        (sql, found.concept.to_sql(cells=True) + "\n" if sql else ""),
        (python, found.concept.to_python() if python else ""),
    ):
        if place is not None:
            with replacing(place) as file:
                file.write(text.encode())
    bound = found.error_bound(delta)
    if json:
        say(json_format.dumps(_facts(found) | {"error_bound": bound, "delta": delta}))
        return
    say(str(found))
    say(
        f"errs on at most {bound:.2%} of further examples from the same source, with "
        f"probability {1 - delta:g} (PAC-OCCAM)"
    )


def _facts(found: Any) -> dict[str, Any]:
    """Return a fit as plain data."""
    return {
        "rule": str(found.concept),
        "rows": found.rows,
        "exceptions": [
            {"row": shown.round, "label": shown.y, "true": list(shown.x)}
            for shown in found.exceptions
        ],
        "at_least": found.at_least,
        "proved": found.proved,
    }
