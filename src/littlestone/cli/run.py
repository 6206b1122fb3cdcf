"""`littlestone run`: play a file with a learner."""

from __future__ import annotations

import json as json_format
import sys
import time
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Self

import typer

from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from littlestone.linear import Perceptron, Winnow
    from littlestone.run import Record, Turn
    from littlestone.streams.svmlight import SvmlightStream

__all__ = ["run"]


class LearnerName(StrEnum):
    """The learners that can be named."""

    PERCEPTRON = "perceptron"
    WINNOW = "winnow"


class Update(StrEnum):
    """When the Perceptron updates."""

    MISTAKE = "mistake"
    MARGIN = "margin"


class OnError(StrEnum):
    """What to do with a line that cannot be read."""

    RAISE = "raise"
    SKIP = "skip"


def run(
    file: Annotated[
        str, typer.Argument(help="An svmlight file, plain, gzip or zstd; - for stdin.")
    ],
    learner: Annotated[
        LearnerName, typer.Option("--learner", "-l", help="Who learns.")
    ] = LearnerName.PERCEPTRON,
    update: Annotated[
        Update, typer.Option(help="perceptron: update on mistakes, or on ties too.")
    ] = Update.MISTAKE,
    normalize: Annotated[
        bool,
        typer.Option("--normalize", help="perceptron: scale examples to length 1."),
    ] = False,
    bias: Annotated[
        float, typer.Option(help="perceptron: value of a constant feature; 0 for none.")
    ] = 0.0,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="winnow: say yes from here; the number of features is usual."
        ),
    ] = None,
    promotion: Annotated[
        float, typer.Option(help="winnow: factor that rewards a missed weight.")
    ] = 2.0,
    eliminate: Annotated[
        bool, typer.Option("--eliminate", help="winnow: false alarms zero the weights.")
    ] = False,
    positive: Annotated[
        str | None,
        typer.Option(help="The label that means yes, if not 1 against 0 or -1."),
    ] = None,
    passes: Annotated[int, typer.Option(help="How often to read the file.")] = 1,
    on_error: Annotated[
        OnError, typer.Option(help="Stop at a line that cannot be read, or skip it.")
    ] = OnError.RAISE,
    predictions: Annotated[
        Path | None,
        typer.Option(
            "--predictions", "-p", help="Write each prediction, 1 or 0, here."
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the record as JSON.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress.")
    ] = False,
) -> None:
    """Play a file with a learner: predict, be told, learn, line by line.

    The weights and the mistakes are those of the file's order, whatever the output is
    sent to. Progress goes to standard error, the summary to standard output.

    For example:

        littlestone run mail.svm.gz --learner perceptron --bias 1

        littlestone run clicks.svm -l winnow --threshold 5000 --promotion 1.5

        zcat mail.svm.gz | littlestone run - --positive spam --json
    """
    from littlestone.progress import reporter
    from littlestone.run import run as play
    from littlestone.streams import svmlight

    for_winnow = threshold is not None or eliminate
    for_perceptron = normalize or bias != 0 or update is not Update.MISTAKE
    if for_perceptron if learner is LearnerName.WINNOW else for_winnow:
        raise ParameterError(f"run: options of another learner, not of {learner.value}")
    if learner is LearnerName.WINNOW:
        made: Perceptron | Winnow = _winnow(threshold, promotion, eliminate=eliminate)
    else:
        made = _perceptron(update, bias, normalize=normalize)
    stream = svmlight(file, positive, on_error=on_error.value)
    started = time.perf_counter()
    with ExitStack() as stack:
        watchers: list[Any] = []
        if not quiet and sys.stderr is not None:
            watchers.append(stack.enter_context(reporter(sys.stderr)))
        if predictions is not None:
            watchers.append(stack.enter_context(_PredictionFile(predictions, file)))

        def watch(turn: Turn) -> None:
            for watcher in watchers:
                watcher(turn)

        record = play(made, stream, passes=passes, observe=watch, keep="nothing")
    seconds = time.perf_counter() - started
    if json:
        facts = record.to_dict()
        del facts["mistake_rounds"]
        facts |= {"file": file, "skipped": stream.skipped, "seconds": seconds}
        typer.echo(json_format.dumps(facts))
    else:
        typer.echo(_summary(record, stream, file, seconds))


def _perceptron(update: Update, bias: float, *, normalize: bool) -> Perceptron:
    from littlestone.linear import Perceptron

    return Perceptron(update=update.value, normalize=normalize, bias=bias)


def _winnow(threshold: float | None, promotion: float, *, eliminate: bool) -> Winnow:
    from littlestone.linear import Winnow

    if threshold is None:
        raise ParameterError(
            "run: --learner winnow needs --threshold; the number of features is usual"
        )
    return Winnow(threshold=threshold, promotion=promotion, eliminate=eliminate)


class _PredictionFile:
    """Writes a line a round: 1 for yes, 0 for no."""

    def __init__(self, path: Path, source: str) -> None:
        self._path, self._source = path, Path(source)
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        both = self._path.exists() and self._source.exists()
        if both and self._path.samefile(self._source):
            raise ParameterError(
                f"run: --predictions must not be the file that is read, "
                f"got {str(self._path)!r}"
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def __call__(self, turn: Turn) -> None:
        # Opened with the first round: a stream that cannot be read empties no file.
        if self._file is None:
            self._file = self._opened()
        lines = bytearray(b"0\n") * len(turn)
        lines[::2] = (turn.predictions + ord("0")).astype("u1").tobytes()
        self._file.write(lines)

    def _opened(self) -> BinaryIO:
        try:
            return self._path.open("wb")
        except OSError as error:
            raise ParameterError(
                f"run: --predictions must be a file that can be written, "
                f"got {str(self._path)!r}: {error.strerror}"
            ) from None


def _summary(record: Record, stream: SvmlightStream, file: str, seconds: float) -> str:
    lines = {
        "learner": str(record.learner),
        "stream": file + (f", {record.passes} passes" if record.passes > 1 else ""),
        "rounds": f"{record.rounds:,}",
        "mistakes": f"{record.mistakes:,} ({record.rate:.4%})",
        "updates": f"{record.updates:,}",
        "time": f"{seconds:.2f} s ({record.rounds / seconds:,.0f} rounds/s)",
    }
    if stream.skipped:
        lines["skipped"] = f"{stream.skipped:,} lines that could not be read"
    return "\n".join(f"{name:9} {text}" for name, text in lines.items())
