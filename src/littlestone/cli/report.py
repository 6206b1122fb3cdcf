"""`littlestone report`: play a file, certify the run, and report it in plots."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli._auto import suited
from littlestone.cli._groups import with_options
from littlestone.cli._learner_options import LearnerOptions
from littlestone.cli._options import (
    Declare,
    Files,
    Metrics,
    Passes,
    Quiet,
    ReadingOptions,
    chosen_metrics,
    declared,
    watched,
)
from littlestone.cli._say import say
from littlestone.cli._stopping import Stoppable, interrupted
from littlestone.cli._streams import Player, tell_left_out
from littlestone.cli._summary import check_apart, facts_of
from littlestone.cli.certify import searching
from littlestone.errors import LittlestoneError

if TYPE_CHECKING:
    from littlestone.running import Record
    from littlestone.verifying import Certificate

__all__ = ["check_output", "report", "title_of"]


@with_options
def report(
    files: Files,
    reading: ReadingOptions,
    chosen: LearnerOptions,
    passes: Passes = 1,
    declare: Declare = None,
    metrics: Metrics = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="REPORT",
            help="Write the report here: a page if the name ends with .html, a drawing "
            "if with .png, .svg or .pdf. Without it, plots are shown in the terminal.",
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(help="The title of the report.")] = None,
    no_certificate: Annotated[
        bool,
        typer.Option(
            "--no-certificate", help="Do not search for a witness, which is faster."
        ),
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print the record as JSON.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Play a file with a learner, certify the run, and report it in plots.

    The page is one self-contained file: it works offline, can be sent by mail, and
    prints well. It shows the mistakes against the bound, the rate, the regret and the
    weights of experts, the rule or the largest weights, and the certificate in words.

    The exit code is 0, or 1 if the certificate does not hold: then a premise is broken,
    or there is a bug.

    For example:

        littlestone report mail.svm.gz --learner perceptron --bias 1 -o mail.html

        littlestone report load.csv -l hedge --label y --range 0,1e8 -o load.png

        littlestone report mushrooms.csv -l decision-list --label class --positive p
    """
    from littlestone.reporting import report as told
    from littlestone.running import run as play

    file = files.paths
    check_output("--output", output, file)
    chosen = suited(chosen, file, reading)
    learner = chosen.make()
    stream = reading.open(file, Player(chosen.entry, learner.outcome, chosen.map or ()))
    counts = hasattr(learner, "updates_") and not no_certificate
    with Stoppable(stream) as stream, watched(quiet=quiet) as watch:
        record = play(
            learner,
            stream,
            passes=passes,
            observe=watch,
            keep="updates" if counts else "nothing",
            digest=True,
            declare=declared(declare),
            metrics=chosen_metrics(metrics),
            on_error=reading.on_error.value,
        )
    tell_left_out(skipped=stream.skipped, refused=record.refused)
    certificate, note, stopped = None, None, stream.stopped
    if not no_certificate and not stopped:
        try:
            with searching(quiet=quiet):
                certificate, note = _certified(record, stream)
        except KeyboardInterrupt:
            stopped = True
    if stopped:
        note = "There is no certificate, as the command was interrupted."
    made = told(
        record,
        certificate=certificate,
        learner=learner,
        title=title_of(record, file) if title is None else title,
        note=note,
    )
    if output is not None:
        made.save(output)
    if json:
        facts = facts_of(learner, record) | {"file": file}
        facts["certificate"] = certificate and json_format.loads(certificate.to_json())
        facts["certificate_vacuous"] = certificate and certificate.vacuous
        facts["certificate_tautological"] = certificate and certificate.tautological
        facts["report"] = output and str(output)
        say(json_format.dumps(facts, default=repr))
    elif output is None:
        say(made.text, nl=False)
    else:
        say(made.story.headline)
        say(f"Written to {output}.")
    if stopped:
        interrupted(record.rounds, "the report is about these")
    if certificate is not None and not certificate.holds:
        raise typer.Exit(1)


def _certified(record: Record, stream: Any) -> tuple[Certificate | None, str | None]:
    """Return the certificate of a run, or else why there is none."""
    from littlestone.certifying import LEARNERS, certify
    from littlestone.streams import without

    if record.refused and record.passes > 1:
        return None, (
            "There is no certificate, as it would be about every example of the file, "
            f"and the learner refused {record.refused:,}."
        )
    if record.refused:
        stream = without(stream, record.refused_at)
    if record.learner.name not in {*LEARNERS, "Mapped"}:
        return None, f"Runs of {record.learner.name} are not certified."
    try:
        return certify(record, stream=stream if stream.repeatable else None), None
    except LittlestoneError as error:
        error.owner, error.hints = "", ()  # the report only says why there is none
        why = str(error)
        return None, f"{why[:1].upper()}{why[1:]}."


def title_of(record: Record, file: str | list[str]) -> str:
    """Return the title of a report by default."""
    files = file if isinstance(file, list) else [file]
    names = ("standard input" if one == "-" else Path(one).name for one in files)
    return f"{record.learner.name} on {', '.join(names)}"


def check_output(option: str, output: Path | None, file: str | list[str]) -> None:
    """Refuse an output file before a long run, not after it."""
    if output is None:
        return
    from littlestone.reporting import check_path

    check_path(output)
    check_apart(option, output, file)
