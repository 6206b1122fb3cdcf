"""`littlestone predict`: what a saved learner says of examples without labels."""

from __future__ import annotations

import json as json_format
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Self

import typer

from littlestone.cli._groups import with_options
from littlestone.cli._model import answers, loaded, open_like
from littlestone.cli._options import Files, ModelFile, ReadingOptions
from littlestone.cli._streams import Player, is_read
from littlestone.cli._summary import STDOUT, by_class, check_place
from littlestone.errors import ExampleError, ParameterError
from littlestone.outcome import Outcome
from littlestone.outputs import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from littlestone.streams import Block

__all__ = ["predict"]


@with_options
def predict(
    model: ModelFile,
    files: Files,
    reading: ReadingOptions,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the predictions here, at the end and all at once; by default "
            "they go to standard output, as soon as a line was read.",
        ),
    ] = None,
    scores: Annotated[
        bool,
        typer.Option(
            "--scores",
            help="Add the score, 0 and above for yes; with many classes, one score "
            "for each, as class:score.",
        ),
    ] = False,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            help="Add the probability of yes, or of each class: for auto, learners "
            "with the logistic loss, multiclass-ada-grad, and those that draw.",
        ),
    ] = False,
    intervals: Annotated[
        bool,
        typer.Option(
            "--intervals",
            help="Add the ends of the interval: for models saved with --intervals.",
        ),
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Write an object of JSON for each example.")
    ] = False,
) -> None:
    """Predict examples without labels with the learner in a model file.

    For example:

        littlestone run mail.tsv -F text --label kind --positive spam --save mail.lst

        littlestone predict mail.lst new.tsv

        echo "Free money, now!" | littlestone predict mail.lst

        littlestone predict flats.lst new.csv --scores -o said.tsv

        littlestone predict iris.lst new.jsonl --json

    A file is read as the one was that the model has learned from, so no option has to
    be given again, and labels may be missing: the label of a line, the column of a
    table, or the header and all columns but one of a text. If they are there, they are
    ignored.

    Each line of the output is a prediction: the label that means yes, or the other one
    ("not spam" if there were several); the class; 1 and 0 for labels without names; or
    a number. Scores, probabilities, the ends of intervals and the tags of Vowpal Wabbit
    text follow, separated by tabs. A line of standard input is answered at once.
    """
    file = files.paths if files else "-"
    if reading.shuffle is not None:
        raise ParameterError(
            "--shuffle must be left out, as predictions are in the order of the file"
        )
    entry, learner = loaded(model)
    seer = _Seer(learner, scores, probabilities, intervals)
    player = Player(entry, learner.outcome)
    stream = open_like(
        model, learner, player, file, reading, learns=False, labels=False
    )
    names = answers(model, reading.positive)
    with _Output(output, file, model) as out:
        for block in seer.of(stream, on_error=reading.on_error.value):
            for said in block:
                said["prediction"] = names.get(said["prediction"], said["prediction"])
            out.write("".join(map(_as_json if json else _as_text, block)))


class _Seer:
    """Predicts a stream, and names what comes with each prediction."""

    def __init__(
        self, learner: Any, scores: bool, probabilities: bool, intervals: bool
    ) -> None:
        self._learner = learner
        self._scores, self._probabilities = scores, probabilities
        self._intervals = intervals
        name = type(learner).__name__
        if scores and not hasattr(learner, "score_one"):
            raise ParameterError(f"--scores is for linear learners, got {name}")
        many = learner.outcome is Outcome.CLASS
        likely = getattr(
            learner, "predict_proba_one" if many else "probability_one", None
        )
        if likely is None and hasattr(learner, "calibrator_"):
            likely = _calibrated(learner)
        self._likely: Any = likely
        if probabilities and likely is None:
            raise ParameterError(
                "--probabilities is for auto, learners with --loss logistic, "
                "multiclass-ada-grad, randomized-weighted-majority and cover, got "
                f"{name}"
            )

        if intervals and not hasattr(learner, "predict_interval_one"):
            raise ParameterError(
                "--intervals is for models that were saved with --intervals, such as "
                f"by run -l vovk-azoury-warmuth --intervals 0.9, got {name}"
            )

    def of(self, stream: Any, *, on_error: str) -> Iterator[list[dict[str, Any]]]:
        """Yield the predictions of each block, with what was asked for."""
        from littlestone.learner.familiar import Familiarity

        looking: Any = None if stream.of_advice else Familiarity.of(self._learner)
        for block in stream.blocks():
            looking = looking and looking.block(block)
            try:
                yield list(self._block(block))
            except ExampleError:
                # Find out which one it is, after those before it.
                for found in self._one_by_one(block, skip=on_error == "skip"):
                    yield [found]
        if looking is not None:
            looking.end()

    def _block(self, block: Block) -> Iterator[dict[str, Any]]:
        """Yield the predictions of a block, made natively if that can be."""
        learner, rows = self._learner, block.rows
        whole = hasattr(learner, "play_rows") and not hasattr(rows, "may_sleep")
        alone = self._intervals or (
            self._probabilities and not hasattr(learner, "predict_proba")
        )
        if not whole or alone or block.last - block.first == 1:
            yield from (self._one(block, row) for row in range(block.first, block.last))
            return
        said = learner.predict(rows)
        scores = learner.decision_function(rows) if self._scores else None
        chances = learner.predict_proba(rows) if self._probabilities else None
        several = learner.outcome is Outcome.CLASS
        for row in range(block.first, block.last):
            found: dict[str, Any] = {"prediction": _plain(said[row])}
            if scores is not None and several:
                found["scores"] = self._named(scores[row])
            elif scores is not None:
                found["score"] = float(scores[row])
            if chances is not None and several:
                found["probabilities"] = self._named(chances[row])
            elif chances is not None:
                found["probability"] = float(chances[row, 1])
            yield _tagged(found, block, row)

    def _named(self, figures: Any) -> dict[Any, float]:
        return dict(zip(self._learner.classes_, figures.tolist(), strict=True))

    def _one_by_one(self, block: Block, *, skip: bool) -> Iterator[dict[str, Any]]:
        for row in range(block.first, block.last):
            try:
                found = self._one(block, row)
            except ExampleError as error:
                if skip:
                    continue
                error.where = block.where(row)
                raise
            yield found

    def _one(self, block: Block, row: int) -> dict[str, Any]:
        learner, x = self._learner, block.rows.row(row)
        found: dict[str, Any] = {"prediction": _plain(learner.predict_one(x))}
        if self._scores:
            score = learner.score_one(x)
            found["scores" if isinstance(score, dict) else "score"] = score
        if self._probabilities:
            chance = self._likely(x)
            several = isinstance(chance, dict)
            found["probabilities" if several else "probability"] = chance
        if self._intervals:
            found["interval"] = learner.predict_interval_one(x)
        return _tagged(found, block, row)


def _calibrated(learner: Any) -> Callable[[Any], float]:
    return lambda x: learner.predict_proba_one(x)[True]


def _tagged(found: dict[str, Any], block: Block, row: int) -> dict[str, Any]:
    tag = getattr(block.where, "tag", None)
    if tag is not None and tag(row):
        found["tag"] = tag(row)
    return found


def _plain(said: Any) -> Any:
    """Return a prediction as a value of Python."""
    return said.tolist() if hasattr(said, "tolist") else said


def _as_text(said: Mapping[str, Any]) -> str:
    return "\t".join(_written(value) for value in said.values()) + "\n"


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, dict):
        return by_class(value)
    if isinstance(value, tuple):
        return "\t".join(map(str, value))
    return "" if value is None else str(value)


def _as_json(said: dict[str, Any]) -> str:
    plain = said | {"interval": said["interval"].ends} if "interval" in said else said
    return json_format.dumps(plain, ensure_ascii=False, default=str) + "\n"


class _Output:
    """Standard output, or a file that is written at the end."""

    def __init__(self, path: Path | None, source: str | list[str], model: Path) -> None:
        self._path = None if path is None or str(path) in STDOUT else path
        self._file: BinaryIO | None = None
        self._writing = ExitStack()
        if self._path is None:
            return
        if is_read(self._path, source) or is_read(self._path, str(model)):
            raise ParameterError(
                f"--output must not be a file that is read, got {str(path)!r}"
            )
        check_place("--output", self._path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._writing.__exit__(kind, fault, trace)

    def write(self, lines: str) -> None:
        """Write some lines, at once if someone may wait for them."""
        if self._path is None:
            sys.stdout.write(lines)
            sys.stdout.flush()
            return
        # Opened at the first line, so that an unreadable stream leaves no draft.
        if self._file is None:
            self._file = self._writing.enter_context(replacing(self._path))
        self._file.write(lines.encode())
