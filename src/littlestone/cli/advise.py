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
from littlestone.cli._learners import LEARNERS, option_of, parameters_of
from littlestone.cli._options import Files, Json, Quiet, ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from littlestone.advising import Counsel, Margin, Trial
    from littlestone.catalogue import Entry

__all__ = ["advise"]

_WIDTH = 88  # of the table, wherever it is sent


@with_options
def advise(
    files: Files,
    reading: ReadingOptions,
    bias: Annotated[
        float, typer.Option(help="Value of a constant feature; 0 for none.")
    ] = 1.0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Try linear learners on a file of two classes, and say which to use and why.

    Shown are what the examples look like, the margins that the theorems speak
    of, and the mistakes of the Perceptron, Winnow, Balanced Winnow and the
    passive-aggressive learner beside what is proved of them on this very file.

    For example:

        littlestone advise mail.svm.gz

        littlestone advise mushrooms.csv --label class --positive p
    """
    from littlestone.advising import advise as ask

    file = files.paths
    stream = reading.open(file, LEARNERS["perceptron"])
    with _progress(quiet=quiet) as tell:
        counsel = ask(stream, bias=bias, observe=tell)
    command = _command(file, reading, counsel.choice)
    if json:
        facts = {"file": file, "skipped": stream.skipped, "command": command}
        typer.echo(json_format.dumps(facts | counsel.to_dict()))
    else:
        typer.echo(_in_words(counsel, command, skipped=stream.skipped))


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str], object]]:
    """Yield what tells people what is being done."""
    if quiet or sys.stderr is None:
        yield lambda _: None
    elif sys.stderr.isatty():
        from rich.console import Console

        with Console(file=sys.stderr).status("") as status:
            yield status.update
    else:
        yield lambda text: sys.stderr.write(f"{text}\n")


def _in_words(counsel: Counsel, command: str, *, skipped: int) -> str:
    survey = counsel.survey
    ends = f"0, or from {survey.smallest:g} to {survey.largest:g}"
    lines = {
        "examples": f"{survey.examples:,}, {survey.share:.2%} of them yes",
        "features": f"{survey.features:,}; {survey.nonzeros:,.1f} of them in an "
        f"example on average, at most {survey.longest:,}",
        "values": "0 or 1" if survey.boolean else ends,
        "margins": _margin(counsel.euclidean, "lengths"),
        "": _margin(counsel.absolute, "sizes"),
    }
    if skipped:
        lines["skipped"] = f"{skipped:,} lines that could not be read"
    told = "\n".join(f"{name:9} {text}" for name, text in lines.items())
    reasons = "\n".join(textwrap.fill(each, _WIDTH) for each in counsel.reasons)
    return f"{told}\n\n{_table(counsel)}\n\n{reasons}\n\n{command}"


def _margin(margin: Margin | None, measure: str) -> str:
    if margin is None:
        return f"by {measure}: none was found"
    if margin.separates:
        return f"by {measure}: {margin.share:.4g}, on {margin.updates:,} rounds"
    return (
        f"by {measure}: none; of {margin.share:.4g}, {margin.updates:,} rounds fall "
        f"short by {margin.short:.1%} on average"
    )


def _table(counsel: Counsel) -> str:
    """Return the learners side by side, the same wherever it is sent."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("learner", overflow="fold")
    for name in ("mistakes", "rate", "at most", "theorem"):
        table.add_column(name, justify="left" if name == "theorem" else "right")
    rounds = max(counsel.survey.examples, 1)
    for trial in counsel.trials:
        told = ", ".join("=".join(each) for each in _told(trial).items())
        if trial.mistakes is None:
            table.add_row(trial.name, "-", "-", "-", "not tried")
            continue
        bound = "-" if trial.bound is None else f"{trial.bound:,.1f}"
        table.add_row(
            f"{trial.name}({told})",
            f"{trial.mistakes:,}",
            f"{trial.mistakes / rounds:.2%}",
            bound,
            trial.theorem or "none",
        )
    out = io.StringIO()
    Console(file=out, width=_WIDTH, color_system=None).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).strip("\n")


def _command(file: str | list[str], reading: ReadingOptions, choice: Trial) -> str:
    """Return the command that runs the learner of a trial on the same file."""
    entry = _entry(choice)
    files = file if isinstance(file, list) else [file]
    words = ["littlestone", "run", *files, *reading.words(), "-l", entry.name]
    for parameter, value in _told(choice).items():
        words += [option_of(parameter), value]
    return shlex.join(words)


def _entry(trial: Trial) -> Entry:
    """Return the entry of a trial's learner."""
    return next(each for each in LEARNERS.values() if each.class_name == trial.name)


def _told(trial: Trial) -> dict[str, str]:
    """Return the parameters that are not as they are by default, as texts."""
    known = parameters_of(_entry(trial))
    return {
        name: str(int(value) if isinstance(value, float) and value % 1 == 0 else value)
        for name, value in trial.parameters.items()
        if value != known[name].default
    }
