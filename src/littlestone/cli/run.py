"""`littlestone run`: play a file with a learner."""

from __future__ import annotations

import json as json_format
import time
from pathlib import Path
from typing import Annotated

import typer

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
    """
    from littlestone.run import run as play

    check_output("--report", report, file)
    learner = chosen.make()
    stream = reading.open_for(file, chosen.learner, learner)
    written = [] if predictions is None else [PredictionFile(predictions, file)]
    started = time.perf_counter()
    with watched(*written, quiet=quiet) as watch:
        record = play(
            learner,
            stream,
            passes=passes,
            observe=watch,
            keep="nothing",
            declare=declared(declare or []),
        )
    seconds = time.perf_counter() - started
    if report is not None:
        told = record.plot(learner=learner, title=title_of(record, file))
        told.save(report)
    bits = reading.hash_bits
    if json:
        facts = facts_of(learner, record)
        facts |= {"file": file, "skipped": stream.skipped, "seconds": seconds}
        if bits is not None:
            facts |= {"buckets": stream.buckets, "collisions": stream.collisions}
        typer.echo(json_format.dumps(facts, default=repr))
    else:
        typer.echo(
            in_words(
                learner, record, stream, file=file, seconds=seconds, hash_bits=bits
            )
        )
