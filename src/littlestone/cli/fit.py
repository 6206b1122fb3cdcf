"""`littlestone fit`: a rule for all examples of a file at once."""

from __future__ import annotations

import json as json_format
import sys
import warnings
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli._groups import with_options
from littlestone.cli._options import Files, Json, Quiet, ReadingOptions
from littlestone.cli._say import say
from littlestone.cli._stopping import Interrupt, Stoppable, interrupted
from littlestone.cli._streams import fitting
from littlestone.cli._summary import check_apart
from littlestone.concepts._kinds import RuleKind
from littlestone.display.progress import Steps
from littlestone.display.words import counted
from littlestone.outputs import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from littlestone.boolean import FitsSoFar

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
    certificate: Annotated[
        Path | None,
        typer.Option(
            metavar="CERT",
            help="Write a certificate of the error bound here, for littlestone verify.",
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit a rule to a file, with few exceptions, and name each of them.

    For example:

        littlestone fit mushrooms.csv --label class --positive p

        littlestone fit chess.csv --label won --positive yes --rule k-dnf --k 2

        littlestone fit chess.csv --label won --rule k-dnf --k 2 --exceptions 30

        littlestone fit mushrooms.csv --label class --positive p --sql rule.sql

        littlestone fit chess.csv --label won --certificate rule.json

    The whole file is read at once, and features are true or false, as for learners of
    rules. It says whether any rule of the class has fewer exceptions, or whether this
    is the best that was found, and bounds the rate of errors on further examples from
    the same source. If more exceptions are needed than allowed, it exits with 2.
    Ctrl-C ends the search with the best rule so far.

    Each number of a column is a feature of its own, unless --thresholds are given to
    compare it with.

    With --certificate anyone can check the bound with littlestone verify CERT FILE: the
    exceptions and the rules of the class are counted again. How the examples were drawn
    no file shows.
    """
    from littlestone import certify
    from littlestone.boolean import fit_rule
    from littlestone.theorems import PAC_OCCAM

    outputs = {"--sql": sql, "--python": python, "--certificate": certificate}
    for name, place in outputs.items():
        if place is not None:
            check_apart(name, place, files.paths)
    stream = reading.open(files.paths, fitting())
    with Stoppable(stream) as stream:
        examples = list(stream)
    if stream.stopped:
        interrupted(len(examples), "nothing was fitted", noun="row")
    _warn_of_numbers(x for x, _ in examples)
    with _Watch(quiet=quiet) as watch:
        found = fit_rule(
            [x for x, _ in examples],
            [y for _, y in examples],
            rule.value,
            k,
            exceptions=exceptions,
            budget=budget,
            observe=watch,
        )
    for place, text in (
        (sql, found.concept.to_sql(cells=True) + "\n" if sql else ""),
        (python, found.concept.to_python() if python else ""),
    ):
        if place is not None:
            with replacing(place) as file:
                file.write(text.encode())
    bound = found.error_bound(delta)
    if certificate is not None:
        certify(found, examples, delta=delta).save(certificate)
    if json:
        facts = _facts(found) | {"error_bound": bound, "delta": delta}
        say(json_format.dumps(facts | ({"interrupted": True} if watch.came else {})))
    else:
        say(str(found))
        say(
            f"errs on at most {bound:.2%} of further examples from the same source, "
            f"with probability {1 - delta:g} (PAC-OCCAM)"
            + ", which is vacuous: so does a coin"
            * PAC_OCCAM.is_vacuous(bound, found.rows)
        )
    if watch.came:
        interrupted(watch.fits, "more of them may find a better rule", noun="fit")


class _Watch(Interrupt):
    """Shows the progress of a search, and ends it at Ctrl-C."""

    def __init__(self, *, quiet: bool) -> None:
        self.fits = 0
        self._shown = ExitStack()
        self._steps: Steps | None = None
        if not quiet and sys.stderr is not None:
            self._steps = self._shown.enter_context(Steps(sys.stderr, "fits"))

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        self._shown.close()

    def __call__(self, now: FitsSoFar) -> bool:
        self.fits = now.fits
        if self._steps is not None:
            best = "no rule yet"
            if now.exceptions is not None:
                best = f"the best rule has {counted(now.exceptions, 'exception')}"
            self._steps(now.fits, now.budget, best)
        return self.came


# A column with more different numbers is hardly one of categories.
_MANY = 20


def _warn_of_numbers(examples: Iterable[Mapping[str, Any]]) -> None:
    """Warn of columns of numbers that are read as categories."""
    from littlestone.streams._labels import NUMBER

    numbers: dict[str, set[float]] = {}
    for feature in dict.fromkeys(chain.from_iterable(examples)):
        column, _, cell = str(feature).rpartition("=")
        if column and NUMBER.fullmatch(cell):
            numbers.setdefault(column, set()).add(float(cell))
    many = {column: seen for column, seen in numbers.items() if len(seen) > _MANY}
    if not many:
        return
    column = max(many, key=lambda name: len(many[name]))
    ordered = sorted(many[column])
    some = ",".join(f"{ordered[len(ordered) * at // 4]:g}" for at in (1, 2, 3))
    others = f" (and so {counted(len(many) - 1, 'more column')})" * (len(many) > 1)
    warnings.warn(
        f"column {column!r} has {len(ordered):,} different numbers, each a feature of "
        f"its own{others}; --thresholds {column}={some} compares them with a few",
        stacklevel=1,
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
