"""`littlestone run`: play a file with a learner."""

from __future__ import annotations

import json as json_format
import re
import time
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli._learners import LearnerName
from littlestone.cli._options import (
    Declare,
    File,
    LearnerOptions,
    Passes,
    Quiet,
    ReadingOptions,
    declared,
    watched,
    with_options,
)
from littlestone.cli._summary import PredictionFile, facts_of, in_words
from littlestone.cli.report import check_output, title_of
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from littlestone.run import Record

__all__ = ["run"]


@with_options
def run(
    file: File,
    reading: ReadingOptions,
    chosen: LearnerOptions,
    passes: Passes = 1,
    declare: Declare = None,
    predictions: Annotated[
        Path | None,
        typer.Option(
            "--predictions",
            "-p",
            help="Write each prediction here: 1, 0, the class or the number.",
        ),
    ] = None,
    load: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="Begin with the learner in this model file, and what it has learned.",
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL", help="Write the learner to this model file at the end."
        ),
    ] = None,
    checkpoint_every: Annotated[
        str | None,
        typer.Option(
            metavar="ROUNDS",
            help="Write it also every so many rounds, such as 10k, 1m or 2.5m; "
            "1m with --resume.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on with the run in the model file, if there is one: the lines "
            "played before are compared, and not played again.",
        ),
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="REPORT",
            help="Write a report with plots here: a page if the name ends with .html, "
            "a drawing if with .png, .svg or .pdf.",
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the record as JSON.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Play a file with a learner: predict, be told, learn, line by line.

    The weights and the mistakes are those of the file's order, whatever the output is
    sent to. Progress goes to standard error, the summary to standard output.

    For example:

        littlestone run mail.svm.gz --learner perceptron --bias 1

        littlestone run clicks.svm -l winnow --threshold 5000 --promotion 1.5

        littlestone run mail.tsv -f text --label label --positive spam --ngrams 2

        zcat news.svm.gz | littlestone run - -l multiclass-perceptron --json

        littlestone run mushrooms.csv -l k-dnf --k 2 --label class --positive p

        littlestone run load.csv -l hedge --experts gam,ar --label y --range 0,1e8

        littlestone run mail.svm.gz --report mail.html

        littlestone run huge.svm --save m.lst --checkpoint-every 1m --resume

        littlestone run tuesday.svm --load monday.lst --save tuesday.lst
    """
    check_output("--report", report, file)
    keeping = _Keeping(save, checkpoint_every, resume=resume)
    if resume and predictions is not None:
        raise ParameterError(
            "run: --predictions cannot go with --resume, as rounds that were played "
            "before are not predicted again"
        )
    name, learner = _learner(chosen, load)
    stream = reading.open_for(file, name, learner)
    written = [] if predictions is None else [PredictionFile(predictions, file)]
    started = time.perf_counter()
    with watched(*written, quiet=quiet) as watch:
        record = keeping.play(
            learner,
            stream,
            passes=passes,
            observe=watch,
            keep="nothing",
            declare=declared(declare),
        )
    seconds = time.perf_counter() - started
    if report is not None:
        told = record.plot(learner=learner, title=title_of(record, file))
        told.save(report)
    bits = reading.hash_bits
    if json:
        facts = facts_of(learner, record)
        facts |= {"file": file, "skipped": stream.skipped, "seconds": seconds}
        if left_out := getattr(stream, "left_out", 0):
            facts |= {"left_out": left_out}
        if bits is not None:
            facts |= {"buckets": stream.buckets, "collisions": stream.collisions}
        typer.echo(json_format.dumps(facts, default=repr))
    else:
        typer.echo(
            in_words(
                learner, record, stream, file=file, seconds=seconds, hash_bits=bits
            )
        )


class _Keeping:
    """Whether and when the learner is to be written."""

    def __init__(self, path: Path | None, every: str | None, *, resume: bool) -> None:
        if path is None and (every is not None or resume):
            given = "--resume" if resume else "--checkpoint-every"
            raise ParameterError(f"run: {given} needs --save, the file to write")
        self._path, self._resume = path, resume
        self._every = 1_000_000 if every is None else as_rounds(every)
        self._now_and_then = resume or every is not None

    def play(self, learner: Any, stream: Any, **options: Any) -> Record:
        """Play the stream, and write the learner when it is time."""
        if self._path is None:
            from littlestone.run import run as play

            return play(learner, stream, **options)
        from littlestone import models

        if self._now_and_then:
            return models.run(
                learner,
                stream,
                self._path,
                checkpoint_every=self._every,
                resume=self._resume,
                **options,
            )
        from littlestone.run import run as play

        models.check(learner, self._path)
        record = play(learner, stream, **options)
        models.save(learner, self._path)
        return record


def as_rounds(text: str) -> int:
    """Return a number of rounds that may be written in thousands or millions.

    Examples
    --------
    >>> from littlestone.cli.run import as_rounds
    >>> as_rounds("10k"), as_rounds("2.5m"), as_rounds("300")
    (10000, 2500000, 300)
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([kmg]?)", text.strip().lower())
    rounds = Fraction(0)
    if found is not None:
        rounds = (
            Fraction(found[1]) * {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}[found[2]]
        )
    if rounds < 1 or rounds.denominator != 1:
        raise ParameterError(
            "run: --checkpoint-every must be a whole number of rounds, such as 10k, 1m "
            f"or 2.5m, got {text!r}"
        )
    return int(rounds)


def _learner(chosen: LearnerOptions, path: Path | None) -> tuple[LearnerName, Any]:
    """Return the learner that was chosen, or the one in a file, and its name."""
    if path is None:
        return chosen.learner, chosen.make()
    if chosen != LearnerOptions():
        raise ParameterError(
            "run: --load brings its own learner, so no other can be chosen beside it"
        )
    from littlestone import models

    learner = models.load(path)
    kind = type(learner).__name__
    named = [name for name in LearnerName if name.class_name == kind]
    if not named:
        raise ParameterError(
            "run: --load takes learners that the command line can name, "
            f"got one of {kind}"
        )
    return named[0], learner
