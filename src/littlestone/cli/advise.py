"""`littlestone advise`: which linear learner to use on a file, and why."""

from __future__ import annotations

import io
import json as json_format
import shlex
import sys
import textwrap
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from littlestone.cli._groups import with_options
from littlestone.cli._learners import LEARNERS, option_of
from littlestone.cli._options import Files, Json, Quiet, ReadingOptions
from littlestone.cli._say import say
from littlestone.cli._stopping import Stoppable, interrupted
from littlestone.cli._streams import Player
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from littlestone.catalogue import Entry
    from littlestone.counsel import Counsel, Margin, Trial

__all__ = ["advise"]

_WIDTH = 88  # of a line of text, on any output
_WIDEST = 200  # of a line of the table, so that names and bounds stay whole


@with_options
def advise(
    files: Files,
    reading: ReadingOptions,
    bias: Annotated[
        float, typer.Option(help="Value of a constant feature; 0 for none.")
    ] = 1.0,
    bounds: Annotated[
        bool,
        typer.Option(
            "--bounds",
            help="Also prove a bound for each run, and measure the margins that the "
            "theorems use; it may take much longer than the runs.",
        ),
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Try linear learners on a file of two classes, and say which to use and why.

    It shows what the examples look like, and the mistakes of every linear
    learner that suits them: in the order of the file, and on a sample of it
    in a random order.

    For example:

        littlestone advise mail.svm.gz

        littlestone advise mushrooms.csv --label class --positive p --bounds
    """
    from littlestone.counsel import advise as ask

    file = files.paths
    stream = reading.open(file, Player(LEARNERS["perceptron"], Outcome.LABEL))
    with Stoppable(stream) as stream, _progress(quiet=quiet) as tell:
        counsel = ask(stream, bias=bias, bounds=bounds, observe=tell)
    command = _command(file, reading, counsel.choice)
    if json:
        facts = {"file": file, "skipped": stream.skipped, "command": command}
        say(json_format.dumps(facts | counsel.to_dict()))
    else:
        say(_in_words(counsel, command, skipped=stream.skipped, bounds=bounds))
    if stream.stopped:
        interrupted(counsel.survey.examples, "the advice is about these")


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str], object]]:
    """Yield a function that shows the current step."""
    if quiet or sys.stderr is None:
        yield lambda _: None
    elif sys.stderr.isatty():
        from rich.console import Console

        with Console(file=sys.stderr).status("") as status:
            yield status.update
    else:
        yield lambda text: sys.stderr.write(f"{text}\n")


def _in_words(counsel: Counsel, command: str, *, skipped: int, bounds: bool) -> str:
    survey = counsel.survey
    ends = f"0, or from {survey.smallest:g} to {survey.largest:g}"
    lines = {
        "examples": f"{survey.examples:,}, {survey.share:.2%} of them yes",
        "features": f"{survey.features:,}; {survey.nonzeros:,.1f} of them in an "
        f"example on average, at most {survey.longest:,}",
        "values": "0 or 1" if survey.boolean else ends,
    }
    if bounds:
        lines["margins"] = _margin(counsel.euclidean, "Euclidean")
        lines[""] = _margin(counsel.absolute, "absolute")
    if skipped:
        lines["skipped"] = f"{skipped:,} lines that could not be read"
    told = "\n".join(f"{name:9} {text}" for name, text in lines.items())
    reasons = "\n".join(textwrap.fill(each, _WIDTH) for each in counsel.reasons)
    return f"{told}\n\n{_table(counsel, bounds=bounds)}\n\n{reasons}\n\n{command}"


def _margin(margin: Margin | None, kind: str) -> str:
    if margin is None:
        return f"{kind}: none was found"
    if margin.separates:
        return f"{kind}: {margin.share:.4g}, on {margin.updates:,} rounds"
    return (
        f"{kind}: none; {margin.updates:,} rounds fall short of {margin.share:.4g} by "
        f"{margin.short:.1%} on average"
    )


def _table(counsel: Counsel, *, bounds: bool) -> str:
    """Return the learners side by side, each in a line of its own."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("learner")
    shown = ("at most", "theorem") if bounds else ()
    survey, sampled = counsel.survey, max(counsel.survey.sampled, 1)
    for name in ("mistakes", "rate", f"{sampled:,} shuffled", *shown):
        table.add_column(name, justify="left" if name == "theorem" else "right")
    for trial in counsel.trials:
        if trial.mistakes is None:
            table.add_row(trial.name, "-", "-", "-", *("-" for _ in shown))
            continue
        bound = "-" if trial.bound is None else f"{trial.bound:,.1f}"
        bound += trial.emptiness
        table.add_row(
            str(trial),
            f"{trial.mistakes:,}",
            f"{trial.mistakes / max(survey.examples, 1):.2%}",
            "-" if trial.shuffled is None else f"{trial.shuffled / sampled:.2%}",
            *((bound, trial.theorem or "none") if bounds else ()),
        )
    out = io.StringIO()
    Console(file=out, width=_WIDEST, color_system=None).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).strip("\n")


def _command(file: str | list[str], reading: ReadingOptions, choice: Trial) -> str:
    """Return the command that runs the learner of a trial on the same file."""
    entry = _entry(choice)
    files = file if isinstance(file, list) else [file]
    words = ["littlestone", "run", *files, *reading.words(), "-l", entry.name]
    for parameter, value in choice.chosen_parameters.items():
        # A flag, such as --full, has no value.
        words += [
            option_of(parameter),
            *([] if isinstance(value, bool) else [str(value)]),
        ]
    return shlex.join(words)


def _entry(trial: Trial) -> Entry:
    """Return the entry of a trial's learner."""
    return next(each for each in LEARNERS.values() if each.class_name == trial.name)
