"""`littlestone run`: play a file with a learner."""

from __future__ import annotations

import inspect
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
    from collections.abc import Mapping

    from littlestone.learner import Learner
    from littlestone.run import Record, Turn
    from littlestone.streams.csv import CsvStream
    from littlestone.streams.svmlight import SvmlightStream
    from littlestone.streams.text import TextStream

__all__ = ["run"]


class LearnerName(StrEnum):
    """The learners that can be named: of `littlestone.linear`, then of `experts`."""

    PERCEPTRON = "perceptron"
    AVERAGED_PERCEPTRON = "averaged-perceptron"
    VOTED_PERCEPTRON = "voted-perceptron"
    KERNEL_PERCEPTRON = "kernel-perceptron"
    PASSIVE_AGGRESSIVE = "passive-aggressive"
    SECOND_ORDER_PERCEPTRON = "second-order-perceptron"
    AROW = "arow"
    WINNOW = "winnow"
    BALANCED_WINNOW = "balanced-winnow"
    MULTICLASS_PERCEPTRON = "multiclass-perceptron"
    MULTICLASS_PASSIVE_AGGRESSIVE = "multiclass-passive-aggressive"
    HEDGE = "hedge"
    EXPONENTIAL_WEIGHTS = "exponential-weights"
    ADA_HEDGE = "ada-hedge"
    FIXED_SHARE = "fixed-share"
    ML_POLY = "ml-poly"
    ML_PROD = "ml-prod"
    BOA = "boa"
    HALVING = "halving"
    WEIGHTED_MAJORITY = "weighted-majority"
    FLOOR_WEIGHTED_MAJORITY = "floor-weighted-majority"
    RANDOMIZED_WEIGHTED_MAJORITY = "randomized-weighted-majority"

    @property
    def takes_advice(self) -> bool:
        """Whether it follows experts."""
        names = list(LearnerName)
        return names.index(self) >= names.index(LearnerName.HEDGE)

    @property
    def class_name(self) -> str:
        """The name of the class."""
        if self is LearnerName.HEDGE:
            return "ExponentialWeights"
        short = {"arow": "AROW", "boa": "BOA", "ml": "ML"}
        words = self.value.split("-")
        return "".join(short.get(word, word.capitalize()) for word in words)


class Format(StrEnum):
    """What the file holds."""

    SVMLIGHT = "svmlight"
    TEXT = "text"
    CSV = "csv"


class Missing(StrEnum):
    """What an empty cell of an expert means."""

    REFUSE = "refuse"
    SLEEP = "sleep"


class Form(StrEnum):
    """Whose form of ML-Poly, ML-Prod and BOA."""

    OPERA = "opera"
    PUBLISHED = "published"


class Update(StrEnum):
    """When a Perceptron updates."""

    MISTAKE = "mistake"
    MARGIN = "margin"


class Mode(StrEnum):
    """How far a passive-aggressive step goes."""

    I = "I"  # noqa: E741 - the name of the algorithm
    II = "II"
    NONE = "none"


class Kernel(StrEnum):
    """The kernels that can be named."""

    LINEAR = "linear"
    POLYNOMIAL = "polynomial"
    GAUSSIAN = "gaussian"


class OnError(StrEnum):
    """What to do with a line that cannot be read."""

    RAISE = "raise"
    SKIP = "skip"


_LEARNER = "Of a learner"
_TEXT = "Of text and CSV"
_ADVICE = "Of learners that follow experts"


def run(
    file: Annotated[
        str, typer.Argument(help="A file, plain, gzip or zstd; - for stdin.")
    ],
    learner: Annotated[
        LearnerName,
        typer.Option(
            "--learner",
            "-l",
            metavar="NAME",
            help="Who learns: " + ", ".join(LearnerName) + ".",
        ),
    ] = LearnerName.PERCEPTRON,
    form: Annotated[
        Format | None,
        typer.Option(
            "--format",
            "-f",
            help="svmlight lines, text between tabs, or CSV; CSV for those who follow "
            "experts, svmlight for the others.",
        ),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(help="The label that means yes, if not 1 against 0 or -1."),
    ] = None,
    hash_bits: Annotated[
        int | None,
        typer.Option(help="Hash the features into 2^bits columns; 1 to 24."),
    ] = None,
    passes: Annotated[int, typer.Option(help="How often to read the file.")] = 1,
    on_error: Annotated[
        OnError, typer.Option(help="Stop at a line that cannot be read, or skip it.")
    ] = OnError.RAISE,
    predictions: Annotated[
        Path | None,
        typer.Option(
            "--predictions",
            "-p",
            help="Write each prediction here: 1, 0, the class or the number.",
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the record as JSON.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress.")
    ] = False,
    label: Annotated[
        str | None,
        typer.Option(
            help="Column of the label: a name in the first line, or a number from 0.",
            rich_help_panel=_TEXT,
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="Columns of the text, parted by commas; all but the label.",
            rich_help_panel=_TEXT,
        ),
    ] = None,
    ngrams: Annotated[
        int | None,
        typer.Option(
            help="Features of up to so many successive words.", rich_help_panel=_TEXT
        ),
    ] = None,
    keep_case: Annotated[
        bool,
        typer.Option("--keep-case", help="Do not lowercase.", rich_help_panel=_TEXT),
    ] = False,
    counts: Annotated[
        bool,
        typer.Option(
            "--counts", help="Values are counts, not 1.", rich_help_panel=_TEXT
        ),
    ] = False,
    bias: Annotated[
        float | None,
        typer.Option(
            help="Value of a constant feature; 0 for none.", rich_help_panel=_LEARNER
        ),
    ] = None,
    update: Annotated[
        Update | None,
        typer.Option(
            help="perceptron: on mistakes, or on ties too.", rich_help_panel=_LEARNER
        ),
    ] = None,
    normalize: Annotated[
        bool | None,
        typer.Option(
            "--normalize",
            help="perceptron: scale examples to length 1.",
            rich_help_panel=_LEARNER,
        ),
    ] = None,
    kernel: Annotated[
        Kernel | None,
        typer.Option(help="kernel-perceptron.", rich_help_panel=_LEARNER),
    ] = None,
    degree: Annotated[
        int | None,
        typer.Option(help="Of the polynomial kernel.", rich_help_panel=_LEARNER),
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(
            help="Of the polynomial and the Gaussian kernel.", rich_help_panel=_LEARNER
        ),
    ] = None,
    offset: Annotated[
        float | None,
        typer.Option(help="Of the polynomial kernel.", rich_help_panel=_LEARNER),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            help="kernel-perceptron: examples to keep.", rich_help_panel=_LEARNER
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="kernel-perceptron, randomized-weighted-majority: of their choices.",
            rich_help_panel=_LEARNER,
        ),
    ] = None,
    aggressiveness: Annotated[
        float | None,
        typer.Option(
            "--aggressiveness",
            "-C",
            help="passive-aggressive: C.",
            rich_help_panel=_LEARNER,
        ),
    ] = None,
    mode: Annotated[
        Mode | None,
        typer.Option(help="passive-aggressive.", rich_help_panel=_LEARNER),
    ] = None,
    r: Annotated[
        float | None,
        typer.Option(
            "--r", help="second-order-perceptron, arow.", rich_help_panel=_LEARNER
        ),
    ] = None,
    full: Annotated[
        bool | None,
        typer.Option(
            "--full",
            help="second-order-perceptron, arow: a full matrix.",
            rich_help_panel=_LEARNER,
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="winnow: say yes from here; the number of features is usual.",
            rich_help_panel=_LEARNER,
        ),
    ] = None,
    promotion: Annotated[
        float | None,
        typer.Option(
            help="winnow: factor that rewards a missed weight.",
            rich_help_panel=_LEARNER,
        ),
    ] = None,
    eliminate: Annotated[
        bool | None,
        typer.Option(
            "--eliminate",
            help="winnow: false alarms zero the weights.",
            rich_help_panel=_LEARNER,
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            help="balanced-winnow: change of a logarithm.", rich_help_panel=_LEARNER
        ),
    ] = None,
    scale: Annotated[
        float | None,
        typer.Option(
            help="balanced-winnow: largest size of a value.", rich_help_panel=_LEARNER
        ),
    ] = None,
    experts: Annotated[
        str | None,
        typer.Option(
            help="Columns of the experts, parted by commas; all but the label.",
            rich_help_panel=_ADVICE,
        ),
    ] = None,
    missing: Annotated[
        Missing,
        typer.Option(
            help="An expert without a prediction: refuse the line, or let it sleep.",
            rich_help_panel=_ADVICE,
        ),
    ] = Missing.REFUSE,
    loss: Annotated[
        str | None,
        typer.Option(
            help="square, absolute, percentage, log, brier, zero-one or pinball:0.9.",
            rich_help_panel=_ADVICE,
        ),
    ] = None,
    loss_range: Annotated[
        str | None,
        typer.Option(
            "--range",
            metavar="LOW,HIGH",
            help="What losses may be; hedge and fixed-share need to know.",
            rich_help_panel=_ADVICE,
        ),
    ] = None,
    gradient: Annotated[
        bool | None,
        typer.Option(
            "--gradient",
            help="Charge by the slope of the loss, to rival the best mixture.",
            rich_help_panel=_ADVICE,
        ),
    ] = None,
    eta: Annotated[
        float | None,
        typer.Option(help="hedge, fixed-share: the rate.", rich_help_panel=_ADVICE),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(help="fixed-share: the part shared out.", rich_help_panel=_ADVICE),
    ] = None,
    whose: Annotated[
        Form | None,
        typer.Option("--form", help="ml-poly, ml-prod, boa.", rich_help_panel=_ADVICE),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(
            help="weighted-majority: what is left of a weight.", rich_help_panel=_ADVICE
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="randomized-weighted-majority: what is lost of a weight.",
            rich_help_panel=_ADVICE,
        ),
    ] = None,
    restart: Annotated[
        bool | None,
        typer.Option(
            "--restart",
            help="halving: start again when no expert is left.",
            rich_help_panel=_ADVICE,
        ),
    ] = None,
) -> None:
    """Play a file with a learner: predict, be told, learn, line by line.

    The weights and the mistakes are those of the file's order, whatever the output is
    sent to. Progress goes to standard error, the summary to standard output.

    For example:

        littlestone run mail.svm.gz --learner perceptron --bias 1

        littlestone run clicks.svm -l winnow --threshold 5000 --promotion 1.5

        littlestone run mail.tsv -f text --label label --positive spam --ngrams 2

        zcat news.svm.gz | littlestone run - -l multiclass-perceptron --json

        littlestone run load.csv -l hedge --experts gam,ar --label y --range 0,1e8
    """
    from littlestone.progress import reporter
    from littlestone.run import run as play

    made = _learner(
        learner,
        {
            "bias": bias,
            "update": update,
            "normalize": normalize,
            "kernel": kernel,
            "degree": degree,
            "gamma": gamma,
            "offset": offset,
            "budget": budget,
            "seed": seed,
            "C": aggressiveness,
            "mode": mode,
            "r": r,
            "diagonal": None if full is None else not full,
            "threshold": threshold,
            "promotion": promotion,
            "eliminate": eliminate,
            "rate": rate,
            "scale": scale,
            "loss": None if loss is None else _loss(loss),
            "range": None if loss_range is None else _range(loss_range),
            "gradient": gradient,
            "eta": eta,
            "alpha": alpha,
            "form": whose,
            "beta": beta,
            "epsilon": epsilon,
            "restart": restart,
        },
    )
    form = _format(learner, form)
    options = {"columns": columns, "ngrams": ngrams, "counts": counts or None}
    options |= {"lowercase": False if keep_case else None}
    stream: Any
    if form is Format.CSV:
        stream = _advice(
            file,
            options | {"positive": positive, "hash-bits": hash_bits},
            label=label,
            experts=experts,
            missing=missing.value,
            outcome=made.outcomes_are.removesuffix("s"),
            on_error=on_error.value,
        )
    else:
        stream = _stream(
            file,
            {
                name: x
                for name, x in {**options, "label": label}.items()
                if x is not None
            },
            form,
            experts,
            positive=positive,
            labels="any" if made.any_labels and positive is None else "two",
            hash_bits=hash_bits,
            on_error=on_error.value,
        )
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
        if hash_bits is not None:
            facts |= {"buckets": stream.buckets, "collisions": stream.collisions}
        typer.echo(json_format.dumps(facts, default=repr))
    else:
        typer.echo(_summary(record, stream, file, seconds, hash_bits))


# What the command line calls a parameter, where that is not its name.
_OPTIONS = {"C": "-C", "diagonal": "--full"}


def _learner(name: LearnerName, given: dict[str, Any]) -> Learner:
    """Make the learner from the options that were given."""
    from littlestone import experts, linear

    cls = getattr(experts if name.takes_advice else linear, name.class_name)
    known = inspect.signature(cls).parameters
    parameters = {key: value for key, value in given.items() if value is not None}
    for key in parameters:
        if key not in known:
            option = _OPTIONS.get(key, f"--{key}")
            raise ParameterError(f"run: {option} is no option of {name.value}")
    for key, parameter in known.items():
        if parameter.default is inspect.Parameter.empty and key not in parameters:
            hint = "; the number of features is usual" if key == "threshold" else ""
            raise ParameterError(f"run: --learner {name.value} needs --{key}{hint}")
    if parameters.get("mode") is Mode.NONE:
        parameters["mode"] = None
    plain = {
        key: value.value if isinstance(value, StrEnum) else value
        for key, value in parameters.items()
    }
    return cls(**plain)  # type: ignore[no-any-return]  # found by its name


def _format(learner: LearnerName, form: Format | None) -> Format:
    """Return the format that was given, or the one that the learner needs."""
    if form is None:
        return Format.CSV if learner.takes_advice else Format.SVMLIGHT
    if (form is Format.CSV) != learner.takes_advice:
        raise ParameterError(
            "run: --format csv is for learners that follow experts, and they are for "
            f"it, got --learner {learner.value}"
        )
    return form


def _stream(
    file: str, text: dict[str, Any], form: Format, experts: str | None, **shared: Any
) -> SvmlightStream | TextStream:
    from littlestone import streams

    if experts is not None:
        raise ParameterError("run: --experts is for learners that follow experts")
    if form is Format.SVMLIGHT:
        if text:
            raise ParameterError(
                f"run: --{min(text)} is an option of --format text only"
            )
        return streams.svmlight(file, **shared)
    if "label" not in text:
        raise ParameterError("run: --format text needs --label, the label's column")
    by_number = text["label"].isdecimal()
    if by_number:
        text["label"] = int(text["label"])
    if "columns" in text:
        listed = text["columns"].split(",")
        numbers = by_number and all(column.isdecimal() for column in listed)
        text["columns"] = [int(column) if numbers else column for column in listed]
    return streams.text(file, **text, **shared)


def _advice(
    file: str,
    odd: dict[str, Any],
    *,
    label: str | None,
    experts: str | None,
    **shared: Any,
) -> CsvStream:
    from littlestone import streams

    for option, value in odd.items():
        if value is not None:
            name = "keep-case" if option == "lowercase" else option
            raise ParameterError(f"run: --{name} is no option of --format csv")
    if label is None:
        raise ParameterError("run: --format csv needs --label, the outcome's column")
    by_number = label.isdecimal()
    listed = None if experts is None else experts.split(",")
    numbers = by_number and all(column.isdecimal() for column in listed or [])
    return streams.csv(
        file,
        label=int(label) if by_number else label,
        experts=[int(column) for column in listed] if listed and numbers else listed,
        **shared,
    )


def _loss(given: str) -> Any:
    """Return the loss that an option names, such as pinball:0.9."""
    from littlestone import losses

    name, _, level = given.partition(":")
    if name != "pinball":
        return losses.as_loss(given) and given
    try:
        return losses.pinball(float(level))
    except ValueError:
        raise ParameterError(
            f"run: --loss pinball needs its level, as in pinball:0.9, got {given!r}"
        ) from None


def _range(given: str) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in given.split(","))
    except ValueError:
        raise ParameterError(
            f"run: --range must be two numbers, LOW,HIGH, got {given!r}"
        ) from None
    return low, high


class _PredictionFile:
    """Writes a line a round: 1 for yes, 0 for no, or the class, empty for none."""

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
        if turn.predictions.dtype == bool:
            lines = bytearray(b"0\n") * len(turn)
            lines[::2] = (turn.predictions + ord("0")).astype("u1").tobytes()
        else:
            said = ("" if label is None else label for label in turn.predictions)
            lines = bytearray("".join(f"{label}\n" for label in said).encode())
        self._file.write(lines)

    def _opened(self) -> BinaryIO:
        try:
            return self._path.open("wb")
        except OSError as error:
            raise ParameterError(
                f"run: --predictions must be a file that can be written, "
                f"got {str(self._path)!r}: {error.strerror}"
            ) from None


def _summary(
    record: Record,
    stream: Any,
    file: str,
    seconds: float,
    hash_bits: int | None,
) -> str:
    lines = {
        "learner": str(record.learner),
        "stream": file + (f", {record.passes} passes" if record.passes > 1 else ""),
        "rounds": f"{record.rounds:,}",
    }
    if record.of_numbers:
        mean = (record.loss or 0.0) / max(1, record.rounds)
        lines["loss"] = f"{record.loss:.8g} ({mean:.6g} a round)"
    else:
        lines["mistakes"] = f"{record.mistakes:,} ({record.rate:.4%})"
    if record.expected_mistakes is not None:
        lines["expected"] = f"{float(record.expected_mistakes):,.4f} mistakes"
    if record.regret is not None:
        lines["regret"] = f"{record.regret:.8g} to {record.best_expert}"
    if record.weights is None:
        lines["updates"] = f"{record.updates:,}"
    else:
        lines["weights"] = _heaviest(record.weights)
    lines["time"] = f"{seconds:.2f} s ({record.rounds / seconds:,.0f} rounds/s)"
    if hash_bits is not None:
        lines["hashing"] = (
            f"{stream.buckets:,} of {2**hash_bits:,} buckets used; "
            f"{stream.collisions:.2%} of the entries collided"
        )
    if stream.skipped:
        lines["skipped"] = f"{stream.skipped:,} lines that could not be read"
    return "\n".join(f"{name:9} {text}" for name, text in lines.items())


def _heaviest(weights: Mapping[Any, float], most: int = 8) -> str:
    """Name the experts that weigh most, in order."""
    ordered = sorted(weights.items(), key=lambda item: -item[1])
    told = ", ".join(f"{expert} {weight:.4f}" for expert, weight in ordered[:most])
    more = len(ordered) - most
    return told + (f" and {more} more" if more > 0 else "")
