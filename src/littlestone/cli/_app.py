"""The app with all commands."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from littlestone.cli import (
    advise,
    bounds,
    certify,
    compare,
    demo,
    export,
    fit,
    inspect,
    ledger,
    pac,
    play,
    predict,
    race,
    replay,
    report,
    run,
    serve,
    verify,
    why,
)
from littlestone.cli._errors import worded
from littlestone.cli._help import App, Commands
from littlestone.cli._say import say
from littlestone.errors import LittlestoneError, printable

__all__ = ["app"]

app = App(
    cls=Commands,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _in_one_line(command: Callable[..., None]) -> Callable[..., None]:
    """Report an error in one line, before Typer makes a traceback of it."""

    @wraps(command)
    def wrapped(*words: Any, **options: Any) -> None:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _warn  # type: ignore[assignment]  # it takes the rest too
                command(*words, **options)
        except (LittlestoneError, MemoryError, OSError) as error:
            if isinstance(error, LittlestoneError):
                text = worded(error, command)
            elif isinstance(error, MemoryError):
                text = "there is too little memory"
            else:
                text = str(error)
            if sys.stderr is not None:
                line = printable(" ".join(text.splitlines()))
                sys.stderr.write(f"littlestone: {line}\n")
            raise typer.Exit(2) from None

    return wrapped


def _warn(message: Warning | str, *_: object) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"littlestone: {printable(str(message))}\n")


app.command("run")(_in_one_line(run.run))
app.command("predict")(_in_one_line(predict.predict))
app.command("why")(_in_one_line(why.why))
app.command("fit")(_in_one_line(fit.fit))
app.command("compare")(_in_one_line(compare.compare))
app.command("race")(_in_one_line(race.race))
app.command("certify")(_in_one_line(certify.certify))
app.command("verify")(_in_one_line(verify.verify))
app.command("report")(_in_one_line(report.report))
app.command("advise")(_in_one_line(advise.advise))
app.command("inspect")(_in_one_line(inspect.inspect))
app.command("serve")(_in_one_line(serve.serve))
app.command("replay")(_in_one_line(replay.replay))
app.command("ledger")(_in_one_line(ledger.ledger))
app.command("export")(_in_one_line(export.export))
app.command("demo")(_in_one_line(demo.demo))
app.command("pac")(_in_one_line(pac.pac))
app.command("play")(_in_one_line(play.play))
# The options of bounds depend on the theorem, so Typer cannot know them.
app.command("bounds", context_settings={"ignore_unknown_options": True})(
    _in_one_line(bounds.bounds)
)


def _version(wanted: bool) -> None:
    if wanted:
        from littlestone import __version__

        say(f"littlestone {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Online learning with guarantees you can check.

    For example:

        littlestone demo

        littlestone advise mail.svm.gz

        littlestone run mail.svm.gz -l arow --bias 1 --save mail.lst

        littlestone run --help
    """
