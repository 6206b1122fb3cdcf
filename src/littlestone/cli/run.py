"""`littlestone run`: play a file with a learner."""

from __future__ import annotations

import json as json_format
import math
import re
import time
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.catalogue import Entry, Reads
from littlestone.cli._auto import suited
from littlestone.cli._cluster import ClusterOptions, in_json, shown
from littlestone.cli._cluster import in_words as shards_in_words
from littlestone.cli._errors import worded
from littlestone.cli._groups import MODELS, OUTPUT, with_options
from littlestone.cli._learner_options import LearnerOptions
from littlestone.cli._model import loaded_as, open_like
from littlestone.cli._options import (
    Declare,
    Files,
    Metrics,
    Passes,
    ReadingOptions,
    chosen_metrics,
    declared,
    watched,
)
from littlestone.cli._say import say
from littlestone.cli._stopping import Stoppable, interrupted, this_command
from littlestone.cli._streams import Format, Player
from littlestone.cli._summary import PredictionFile, facts_of, in_words
from littlestone.cli.report import check_output, title_of
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from littlestone.display.progress import Pace
    from littlestone.running import Record

__all__ = ["run"]


@with_options
def run(
    files: Files,
    reading: ReadingOptions,
    chosen: LearnerOptions,
    workers: ClusterOptions,
    passes: Passes = 1,
    declare: Declare = None,
    metrics: Metrics = None,
    predictions: Annotated[
        Path | None,
        typer.Option(
            "--predictions",
            "-p",
            help="Write each prediction here: 1, 0, the class or the number, followed "
            'by the tag of the line if it has one. With "-" predictions go to standard '
            "output and the summary to standard error.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            help="With --predictions, write the probability of yes, or of each class.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    load: Annotated[
        Path | None,
        typer.Option(
            "--load",
            "-i",
            metavar="MODEL",
            help="Continue with the learner in this model file. It remembers how its "
            "file was read, and reads this one in the same way.",
            rich_help_panel=MODELS,
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            "-f",
            metavar="MODEL",
            help="Write the learner to this model file at the end.",
            rich_help_panel=MODELS,
        ),
    ] = None,
    test_only: Annotated[
        bool,
        typer.Option(
            "--test-only",
            "-t",
            help="Predict and count the mistakes, but do not learn. Lines of Vowpal "
            "Wabbit text and JSON Lines then need no label.",
            rich_help_panel=MODELS,
        ),
    ] = False,
    checkpoint_every: Annotated[
        str | None,
        typer.Option(
            metavar="ROUNDS",
            help="Write the model file every so many rounds too, such as 10k, 1m or "
            "2.5m; 1m by default with --resume.",
            rich_help_panel=MODELS,
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Continue the run in the model file, if there is one: the lines "
            "played before are compared, not played again.",
            rich_help_panel=MODELS,
        ),
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="REPORT",
            help="Write a report with plots here: a page if the name ends with .html, "
            "a drawing if with .png, .svg or .pdf.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print the record as JSON.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    progress: Annotated[
        str | None,
        typer.Option(
            "--progress",
            "-P",
            metavar="ROUNDS",
            help="Show progress in lines: a whole number for a line every so many "
            "rounds, a factor such as 2.0 for a growing number of rounds.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    live: Annotated[
        bool,
        typer.Option(
            "--live/--no-live",
            help="Bound a linear learner's mistakes as it plays.",
            show_default=False,
            rich_help_panel=OUTPUT,
        ),
    ] = True,
    no_progress: Annotated[
        bool,
        typer.Option(
            "--no-progress",
            help="Show no progress.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="Show neither progress nor summary, only errors and --json.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
) -> None:
    """Play a file with a learner: predict, see the label, learn, line by line.

    Lines are played in the order of the file. Progress goes to standard error, the
    summary to standard output.

    The options -d, -f, -i, -p, -t, -b, -P, --passes and --quiet are those of Vowpal
    Wabbit; -c, -k and --holdout_off are accepted and change nothing. But mistakes are
    counted instead of losses, -p writes 1 and 0 instead of scores, features are hashed
    only with -b, and --passes needs no cache and holds nothing out.

    For example:

        littlestone run mail.svm.gz --learner perceptron --bias 1

        littlestone run clicks.svm -l winnow:threshold=5000,promotion=1.5

        littlestone run mail.tsv -F text --label label --positive spam --ngrams 2

        littlestone run news.tsv -F text --label group

        zcat news.svm.gz | littlestone run - -l multiclass-auto --json

        littlestone run mushrooms.csv -l k-dnf --k 2 --label class --positive p

        littlestone run load.csv -l hedge --experts gam,ar --label y --range 0,1e8

        littlestone run mail.svm.gz --report mail.html

        littlestone run huge.svm --save m.lst --checkpoint-every 1m --resume

        littlestone run monday.svm tuesday.svm -f week.lst --passes 3

        littlestone run -d wednesday.vw -t -i week.lst -p said.txt --quiet

        littlestone run "logs/*.svm.gz" -l perceptron --workers 8 --passes 3
    """
    file = files.paths
    pace = None if progress is None else as_pace(progress)
    check_output("--report", report, file)
    keeping = _Keeping(save, checkpoint_every, resume=resume, learn=not test_only)
    if resume and predictions is not None:
        raise ParameterError(
            "--predictions must be given without --resume, as rounds that were "
            "played before are not predicted again"
        )
    workers.check(
        {
            "--predictions": predictions,
            "--test-only": test_only,
            "--checkpoint-every": checkpoint_every,
            "--metrics": metrics,
            "--report": report,
            "--load": load,
            "--shuffle": reading.shuffle is not None,
        }
    )
    entry, learner = _learner(chosen, load, file, reading)
    if test_only and entry.reads is Reads.ADVICE:
        raise ParameterError(
            f"--test-only is for learners of examples, got {entry.name}"
        )
    player = Player(entry, learner.outcome, chosen.map or ())
    learns = not test_only
    if load is None:
        stream = reading.open(file, player, learns=learns)
    else:
        stream = open_like(load, learner, player, file, reading, learns=learns)
    if workers.asked:
        played = workers.run(
            learner,
            stream,
            epochs=passes,
            declare=declared(declare),
            on_error=reading.on_error.value,
            save=save,
            resume=resume,
            progress=shown(quiet=quiet or no_progress),
        )
        if json or not quiet:
            say(in_json(played, file) if json else shards_in_words(played, str(files)))
        return
    written = _written(predictions, file, learner, chances=probabilities)
    started = time.perf_counter()
    showing = watched(*written, quiet=quiet or no_progress, pace=pace)
    with Stoppable(stream) as stream, showing as watch:
        record = keeping.play(
            learner,
            stream,
            passes=passes,
            observe=watch,
            keep="nothing",
            declare=declared(declare),
            metrics=chosen_metrics(metrics),
            chances=probabilities and predictions is not None,
            on_error=reading.on_error.value,
            live=live,
        )
    seconds = time.perf_counter() - started
    if report is not None:
        from littlestone.reporting import report as report_of

        report_of(record, learner=learner, title=title_of(record, file)).save(report)
    aside = any(each.is_stdout for each in written)
    bits = None if stream.reading is None else stream.reading.options.get("hash_bits")
    if json:
        facts = {"file": file, "seconds": seconds} | _read(stream, bits)
        told = json_format.dumps(facts_of(learner, record) | facts, default=repr)
        say(told, err=aside)
    elif not quiet:
        refusal = record.first_refusal
        told = in_words(
            learner,
            record,
            stream,
            file=str(files),
            seconds=seconds,
            hash_bits=bits,
            refusal=None if refusal is None else worded(refusal, run),
        )
        say(told, err=aside)
    if stream.stopped:
        interrupted(record.rounds, keeping.how_to_resume())


def _read(stream: Any, bits: int | None) -> dict[str, Any]:
    """Return how the stream was read, as plain data."""
    facts: dict[str, Any] = {"skipped": stream.skipped}
    if left_out := getattr(stream, "left_out", 0):
        facts |= {"left_out": left_out}
    if bits is not None:
        facts |= {"buckets": stream.buckets, "collisions": stream.collisions}
    return facts | ({"interrupted": True} if stream.stopped else {})


class _Keeping:
    """Whether and when to write the model file."""

    def __init__(
        self, path: Path | None, every: str | None, *, resume: bool, learn: bool
    ) -> None:
        if str(path) in tuple(Format):
            raise ParameterError(
                f"-f is --save, as in Vowpal Wabbit, and --format is -F, got -f {path}"
            )
        if not learn and (every is not None or resume):
            raise ParameterError(
                "--test-only must be given without --checkpoint-every and --resume, as "
                "it learns nothing"
            )
        if path is None and (every is not None or resume):
            given = "--resume" if resume else "--checkpoint-every"
            raise ParameterError(f"{given} needs --save, the file to write")
        self._path, self._resume, self._learn = path, resume, learn
        self._every = 1_000_000 if every is None else as_rounds(every)
        self._now_and_then = resume or every is not None

    def how_to_resume(self) -> str:
        """Return what was saved of a run that was interrupted, and what resumes it."""
        # Rounds that were played before are not predicted again.
        resume = partial(this_command, without=("--predictions", "-p"))
        if self._now_and_then:
            return f"to resume: {resume('--resume')}"
        if self._path is None:
            again = resume("--save", "MODEL", "--resume")
            return f"nothing was saved; a run that can resume: {again}"
        return (
            f"{self._path} has the learner as it was then, for --load; a run that can "
            f"resume: {resume('--checkpoint-every', '1m')}"
        )

    def play(self, learner: Any, stream: Any, **options: Any) -> Record:
        """Play the stream, and write the model file when it is time."""
        if self._path is None:
            from littlestone.running import run as play

            return play(learner, stream, learn=self._learn, **options)
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
        from littlestone.running import run as play

        models.check(learner, self._path)
        record = play(learner, stream, learn=self._learn, **options)
        models.save(learner, self._path, stream)
        return record


def as_pace(text: str) -> Pace:
    """Return when to write lines: every so many rounds, or at a growing pace.

    Examples
    --------
    >>> from littlestone.cli.run import as_pace
    >>> as_pace("100").after(0), as_pace("2.0").after(100)
    (100, 128)
    """
    from littlestone.display.progress import Pace

    try:
        given = int(text) if text.isdecimal() else float(text)
    except ValueError:
        given = math.nan
    if not 0 < given < math.inf:
        raise ParameterError(
            "--progress must be a whole number of rounds above 0, or a factor such "
            f"as 2.0, got {text!r}"
        )
    return Pace(given)


def as_rounds(text: str) -> int:
    """Return a number of rounds, given in ones, thousands or millions.

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
            "--checkpoint-every must be a whole number of rounds, such as 10k, 1m or "
            f"2.5m, got {text!r}"
        )
    return int(rounds)


def _written(
    predictions: Path | None, file: Any, learner: Any, *, chances: bool
) -> list[PredictionFile]:
    """Return what writes predictions, if they are asked for."""
    from littlestone.running.beforehand import gives_chances

    if chances and not gives_chances(learner):
        raise ParameterError(
            "--probabilities is for auto, learners with --loss logistic and "
            f"multiclass-ada-grad, got {learner!r}"
        )
    if predictions is None:
        return []
    return [PredictionFile(predictions, file, chances=chances)]


def _learner(
    chosen: LearnerOptions, path: Path | None, file: Any, reading: ReadingOptions
) -> tuple[Entry, Any]:
    """Return the learner that was chosen, or the one in a file, and its entry."""
    if path is None:
        chosen = suited(chosen, file, reading)
        return chosen.entry, chosen.make()
    return loaded_as(chosen, path)
