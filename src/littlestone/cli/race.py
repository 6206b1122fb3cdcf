"""`littlestone race`: several learners over one pass of one file."""

from __future__ import annotations

import json as json_format
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli._cluster import ClusterOptions
from littlestone.cli._complete import learners as complete_learners
from littlestone.cli._errors import worded
from littlestone.cli._groups import with_options
from littlestone.cli._learner_options import LearnerOptions
from littlestone.cli._options import (
    Declare,
    Files,
    Json,
    Metrics,
    Passes,
    Quiet,
    ReadingOptions,
    chosen_metrics,
    declared,
)
from littlestone.cli._say import say
from littlestone.cli._stopping import Stoppable, interrupted
from littlestone.cli._streams import Format, Missing, Player
from littlestone.cli._summary import facts_of
from littlestone.display.words import counted, duration
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from littlestone import Race
    from littlestone.running.ranking import Place

__all__ = ["race"]

# The learners that race if none is given, by what is read.
_LINEAR = (
    "perceptron:bias=1",
    "averaged-perceptron:bias=1",
    "passive-aggressive:bias=1",
    "arow:bias=1",
)
_RULES = ("disjunction", "conjunction", "decision-list", "perceptron:bias=1")
_EXPERTS = ("ml-poly", "ml-prod", "boa", "ada-hedge")


@with_options
def race(
    files: Files,
    reading: ReadingOptions,
    workers: ClusterOptions,
    learner: Annotated[
        list[str] | None,
        typer.Option(
            "--learner",
            "-l",
            metavar="NAME:OPTION=VALUE",
            help="A learner of littlestone run and its options; repeat it for others. "
            "By default four that suit the file.",
            autocompletion=complete_learners,
            show_default=False,
        ),
    ] = None,
    passes: Passes = 1,
    declare: Declare = None,
    metrics: Metrics = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Race learners over one file, read once, and rank them by their mistakes.

    Each learner gets the result that littlestone run gives it alone. Learners of
    numbers are ranked by their loss. A learner that refuses an example leaves the race,
    and the others continue; with --on-error skip it goes on without that example,
    which counts against it. The time is that of the learner, without reading.

    For example:

        littlestone race mail.svm.gz

        littlestone race mail.svm -l perceptron -l "winnow:threshold=50,promotion=1.5"

        littlestone race mail.tsv -F text --label label --positive spam --json

        littlestone race load.csv --label y --experts gam,ar -l boa -l ml-poly

        littlestone race "logs/*.svm" -l perceptron -l arow --workers 2
    """
    from littlestone.running.race import race as play
    from littlestone.running.ranking import smallest_bound, table

    shuffled = reading.shuffle is not None
    workers.check(
        {
            "--shards": workers.shards,
            "--mixes": workers.mixes,
            "--mix": workers.mix,
            "--shuffle": shuffled,
        }
    )
    file = files.paths
    words = learner or _usual(reading)
    chosen = [LearnerOptions.parse(word) for word in words]
    made = [each.make(in_a_word=True) for each in chosen]
    named: dict[str, Any] = {}
    for word, one in zip(words, made, strict=True):
        if word in named:
            raise ParameterError(f"each learner must be given once, got {word!r} twice")
        named[word] = one
    players = zip(chosen, made, strict=True)
    opened = reading.open(
        file, *(Player(one.entry, it.outcome, one.map or ()) for one, it in players)
    )
    options: dict[str, Any] = {
        "passes": passes,
        "declare": declared(declare),
        "on_error": reading.on_error.value,
        "metrics": chosen_metrics(metrics),
    }
    with Stoppable(opened) as stream:
        if workers.asked:
            from littlestone import cluster

            ranking = cluster.race(named, opened, **workers.where, **options)
        else:
            showing = not quiet and sys.stderr is not None
            ranking = play(named, stream, progress=showing, keep="nothing", **options)
    winner = ranking[ranking.winner]
    rounds = winner.rounds + winner.refused
    if json:
        facts: dict[str, Any] = {"file": file, "passes": passes, "rounds": rounds}
        facts |= {"skipped": stream.skipped, "seconds": ranking.elapsed}
        if stream.stopped:
            facts |= {"interrupted": True}
        facts["ranking"] = [
            {"name": name, "seconds": ranking.seconds[name]}
            | facts_of(named[name], record)
            for name, record in ranking.items()
        ]
        facts["smallest_bound"] = smallest_bound(ranking.places)
        facts["left"] = [
            {"name": name, "after": error.rounds, "reason": worded(error, race)}
            for name, error in ranking.left.items()
        ]
        say(json_format.dumps(facts, default=repr))
    else:
        say(table(_in_options(ranking)))
        for line in _members(named, ranking):
            say(line)
        confusion = winner.confusion
        if confusion is not None and confusion.seems_sorted:
            say("--shuffle 1 plays the file in a random order")
        told = f"{rounds:,} rounds of {files}"
        told += f" in {passes} passes" if passes > 1 else ""
        say(f"\n{told}, read and played in {duration(ranking.elapsed)}")
        if stream.skipped:
            say(f"skipped {counted(stream.skipped, 'line')} that could not be read")
    if stream.stopped:
        interrupted(rounds, "a race begins anew")


def _members(named: dict[str, Any], ranking: Race) -> Iterator[str]:
    """Yield what the members of each committee lost, the best first."""
    for name, record in ranking.items():
        if hasattr(named[name], "members_") and record.expert_losses:
            lost = sorted(record.expert_losses.items(), key=lambda member: member[1])
            yield f"members of {name}: {', '.join(f'{m} {n:,.6g}' for m, n in lost)}"


def _in_options(ranking: Race) -> list[Place]:
    """Return the places, with reasons in terms of the command line."""
    return [
        place
        if place.left is None
        else place._replace(left=worded(ranking.left[place.name], race))
        for place in ranking.places
    ]


def _usual(reading: ReadingOptions) -> Sequence[str]:
    """Return the learners that race if none is given."""
    sleeps = reading.missing is Missing.SLEEP
    if reading.experts is not None or reading.form is Format.FORECASTS or sleeps:
        return _EXPERTS
    return _RULES if reading.literals else _LINEAR
