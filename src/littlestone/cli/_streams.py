"""The files that the command line reads: one way of opening them for all commands."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from littlestone.catalogue import Reads, entry_of
from littlestone.display.words import counted
from littlestone.errors import LittlestoneError, ParameterError
from littlestone.outcome import Outcome
from littlestone.streams._formats import Format

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from littlestone.catalogue import Entry
    from littlestone.streams import Reading

__all__ = [
    "Duplicates",
    "Format",
    "Missing",
    "Model",
    "OnError",
    "Player",
    "Unlabelled",
    "Weights",
    "accepted",
    "fitting",
    "has_names",
    "is_read",
    "open_stream",
    "tell_left_out",
]


class Missing(StrEnum):
    """What to do with a missing cell."""

    REFUSE = "refuse"
    SLEEP = "sleep"
    LITERAL = "literal"
    LEAVE_OUT = "leave-out"


class Weights(StrEnum):
    """What to do with importance weights other than 0 and 1."""

    REFUSE = "refuse"
    IGNORE = "ignore"
    REPEAT = "repeat"
    MULTIPLY = "multiply"


class Unlabelled(StrEnum):
    """What to do with a line without a label."""

    REFUSE = "refuse"
    SKIP = "skip"
    KEEP = "keep"


class Duplicates(StrEnum):
    """What to do with a duplicate feature in a line."""

    REFUSE = "refuse"
    SUM = "sum"


class OnError(StrEnum):
    """What to do with a line that cannot be read."""

    RAISE = "raise"
    SKIP = "skip"


class Player(NamedTuple):
    """A learner that a file is read for, what it predicts, and the maps before it."""

    entry: Entry
    outcome: Outcome
    maps: Sequence[str] = ()

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return self.entry.name

    @property
    def reads(self) -> Reads:
        """What its examples are made of."""
        return self.entry.reads


def fitting() -> Player:
    """Return the player that a file is read for when a rule is fitted to it."""
    entry = entry_of("KDNFLearner")
    assert entry is not None  # noqa: S101 - it is in the table
    return Player(entry, Outcome.LABEL)


def open_stream(
    file: str | list[str],
    form: Format | None,
    players: Sequence[Player],
    options: Mapping[str, Any],
    *,
    learns: bool,
    labels: bool = True,
    model: Model | None = None,
) -> Any:
    """Return the stream of a file or of several, for one learner or more.

    Every command opens files here, so that all read a file in the same way.

    Parameters
    ----------
    file, form
        The files, and their format if it was given.
    players
        The learners that play the stream.
    options
        The options of the command line by name, None for those not given.
    learns
        Whether the learners learn; otherwise labels may be missing, if the format
        allows it.
    labels
        Whether labels are needed; otherwise they are ignored, and may be missing.
    model
        The file of the learner, if it remembers how its stream was read: this one is
        read in the same way.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if model is None:
        form = format_for(file, form, players)
        known: Mapping[str, Any] = {}
    else:
        form, known = model.format_for(file, form), model.reading.options
    _check(file, form, players, given, known)
    arguments = _arguments(form, players, given, known, learns=learns)
    if model is not None:
        arguments = model.merged(form, arguments)
    if not labels:
        arguments["unlabelled"] = "keep"
        if form is not Format.FORECASTS:
            arguments["outcome"] = Outcome.CLASS  # which may be anything
            for meaning in ("positive", "negative"):
                arguments.pop(meaning, None)
    return form.reader(file, **arguments)


class Model(NamedTuple):
    """A model file, and how the stream was read that its learner has learned from."""

    path: Path
    reading: Reading

    def format_for(self, file: str | list[str], form: Format | None) -> Format:
        """Return the format in which to read a file."""
        if form is None:
            shown = file if isinstance(file, str) else file[0]
            return self.reading.format_for(_found(file), shown)
        found = self.reading.format_for(None, "")
        if form is not found and not self.reading.may_be(form):
            raise self._disagreement("format", found, form)
        return form

    def merged(self, form: Format, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the reader, together with those of the reading."""
        for name, was, got in self.reading.differences(form, arguments):
            pair = (not was, not got) if name == "lowercase" else (was, got)
            raise self._disagreement(_option(name), *pair)
        return self.reading.merged(form, arguments)

    def _disagreement(self, option: str, was: Any, got: Any) -> ParameterError:
        return ParameterError(
            f"--{option} must be {_said(was)}, as {self.path} was learned, got "
            f"{_said(got)}"
        )


def _said(value: Any) -> str:
    """Return the value of an option as the command line takes it."""
    if value is None or value is False or value == ():
        return "left out"
    if isinstance(value, Mapping):
        each = (f"{name}={_said(one)}" for name, one in value.items())
        return " ".join(each)
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return "given" if value is True else str(value)


def format_for(
    file: str | list[str], form: Format | None, players: Sequence[Player]
) -> Format:
    """Return the format that was given, or that the learners and the file ask for."""
    following = [each for each in players if each.reads is Reads.ADVICE]
    others = [each for each in players if each.reads is not Reads.ADVICE]
    if following and others:
        raise ParameterError(
            "learners of forecasts and learners of features read different files, "
            f"got {following[0].name} and {others[0].name}"
        )
    if form is None:
        return Format.FORECASTS if following else _recognised(file)
    if bool(following) != (form is Format.FORECASTS):
        which = "--format forecasts" if following else "a --format with features"
        raise ParameterError(
            f"{players[0].name} must read {which}, got --format {form.value}"
        )
    return form


def has_names(file: str | list[str], form: Format | None, player: Player) -> bool:
    """Return whether the features of a file have names, not numbers."""
    return format_for(file, form, [player]) is not Format.SVMLIGHT


def accepted(learner: Any, stream: Any, file: object) -> Any:
    """Return the stream without the examples that a learner refuses.

    The learner plays it once before, so that it must be readable again.
    """
    from littlestone.running import run
    from littlestone.streams import without

    if not stream.repeatable:
        raise ParameterError(
            f"FILE must be readable again for --on-error skip, got {file}"
        )
    record = run(learner, stream, keep="nothing", on_error="skip")
    if not record.refused:
        return stream
    tell_left_out(refused=record.refused)
    return without(stream, record.refused_at)


def tell_left_out(*, skipped: int = 0, refused: int = 0) -> None:
    """Say how many lines and examples were left out, if any."""
    for left_out, why in (
        (counted(skipped, "line") if skipped else "", "could not be read"),
        (counted(refused, "example") if refused else "", "the learner refuses"),
    ):
        if left_out and sys.stderr is not None:
            sys.stderr.write(f"littlestone: left out {left_out} that {why}\n")


def is_read(path: Path, file: str | list[str]) -> bool:
    """Return whether a path is the file that is read, or one of them."""
    from littlestone.streams._joined import expanded

    return path.exists() and any(
        path.samefile(each) for each in expanded(file) if Path(each).exists()
    )


def _recognised(file: str | list[str]) -> Format:
    """Return the format of a file by its name or content; svmlight by default."""
    return _found(file) or Format.SVMLIGHT


def _found(file: str | list[str]) -> Format | None:
    """Return the format of a file by its name or content, if that is known."""
    if isinstance(file, list):
        found = [each or Format.SVMLIGHT for each in dict.fromkeys(map(_found, file))]
        if len(found) > 1:
            raise ParameterError(
                "files that are read as one must have the same format, or "
                f"--format must be given, got {' and '.join(found)}"
            )
        return found[0]
    by_name = Format.by_name(file)
    if by_name is not None:
        return by_name
    from littlestone.streams._joined import expanded
    from littlestone.streams._open import format_of

    if not Path(file).exists():  # a pattern, standard input, or a missing file
        paths = [file] if file == "-" else list(map(str, expanded(file)))
        return None if paths == [file] else _found(paths)
    if Path(file).is_dir():
        return format_of(file)
    try:
        return format_of(file)
    except LittlestoneError:  # the reader has the better message
        return None


def _columns_in(file: str | Sequence[str], form: Format) -> str:
    """Return the columns of a table to choose from, in words, where they are known."""
    from littlestone import streams

    first = file if isinstance(file, str) else file[0]
    if form is not Format.CSV or not Path(first).is_file():
        return ""
    try:
        next(iter(streams.csv(first, label=_NO_COLUMN)), None)
    except LittlestoneError as error:
        _, got, columns = str(error).partition(f"{_NO_COLUMN!r}, got ")
        return f": one of {columns}" if got else ""
    return ""


_NO_COLUMN = "no column has this name"


def _check(
    file: str | Sequence[str],
    form: Format,
    players: Sequence[Player],
    given: Mapping[str, Any],
    known: Mapping[str, Any],
) -> None:
    """Refuse options that the format does not have."""
    for name in given:
        if _parameter(name) not in form.options:
            those = [each for each in Format if _parameter(name) in each.options]
            raise ParameterError(
                f"--{name} is for {', '.join(those)}, got {form.value}"
            )
    label = form.options.get("label")
    needed = label is not None and label.default is label.empty
    if needed and "label" not in {**given, **known}:
        raise ParameterError(
            f"--format {form.value} needs --label, the column of the label"
            + _columns_in(file, form)
        )
    rules = [each.name for each in players if each.reads is Reads.LITERALS]
    if "hash-bits" in given and rules:
        raise ParameterError(
            "--hash-bits is for linear learners, since a rule needs the names of "
            f"its features, got --learner {rules[0]}"
        )
    if form is Format.CSV and 0 < len(rules) < len(players) and "literals" not in given:
        other = next(each.name for each in players if each.name not in rules)
        raise ParameterError(
            f"{rules[0]} reads literals and {other} numbers from CSV, so "
            "--literals must be given to read literals for all"
        )
    missing = given.get("missing")
    allowed = [way.replace(" ", "-") for way in form.facts.missing]
    if missing is not None and missing not in allowed:
        raise ParameterError(
            f"--missing must be {' or '.join(allowed)} for {form.value}, got {missing}"
        )


# From the options of the command line to those of readers -----------------------------


def _parameter(option: str) -> str:
    """Return the parameter of a reader that an option sets."""
    return "lowercase" if option == "keep-case" else option.replace("-", "_")


def _option(parameter: str) -> str:
    """Return the option that sets a parameter of a reader."""
    return "keep-case" if parameter == "lowercase" else parameter.replace("_", "-")


def _arguments(
    form: Format,
    players: Sequence[Player],
    given: Mapping[str, Any],
    known: Mapping[str, Any],
    *,
    learns: bool,
) -> dict[str, Any]:
    """Return the arguments of the reader."""
    label = str(given.get("label", known.get("label", "")))
    by_number = form.facts.numbered and label.isdecimal()
    found: dict[str, Any] = {}
    for name, value in given.items():
        read = _READ.get(name, _plain)
        found[_parameter(name)] = read(value, by_number)
    found["outcome"] = _outcome({player.outcome for player in players})
    if "positive" in found:
        found["outcome"] = Outcome.LABEL
    if form is Format.CSV and any(each.reads is Reads.LITERALS for each in players):
        found["literals"] = True
    # In a table the column of the labels could be missing by mistake.
    if form in (Format.VW, Format.JSONL) and not learns:
        found.setdefault("unlabelled", "keep")
    if "weights" in form.options and all(map(_weighs, players)):
        found.setdefault("weights", "multiply")
    return found


def _weighs(player: Player) -> bool:
    """Return whether a learner takes weights that multiply its loss."""
    return getattr(player.entry.load(), "weighs_rounds", False)


def _outcome(predicted: set[Outcome]) -> Outcome:
    """Return what the labels of a file are, for learners that predict this."""
    if all(outcome.charged for outcome in predicted):
        return Outcome.NUMBER
    # A class for some learners and a label for others can only be a label.
    return predicted.pop() if len(predicted) == 1 else Outcome.LABEL


def _plain(value: Any, _: bool) -> Any:
    return value.value if isinstance(value, StrEnum) else value


def _column(text: str, by_number: bool) -> str | int:
    """Return a column; a number if the label has one."""
    return int(text) if by_number and text.isdecimal() else text


def _columns(text: str, by_number: bool) -> list[str | int]:
    listed = text.split(",")
    numbers = by_number and all(column.isdecimal() for column in listed)
    return [_column(column, numbers) for column in listed]


def _types(given: Iterable[str], by_number: bool) -> Any:
    """Return what columns contain: one word for all, or for each as zip=category."""
    listed = list(given)
    if len(listed) == 1 and "=" not in listed[0]:
        return listed[0]
    found: dict[str | int, str] = {}
    for text in listed:
        column, equals, kind = text.rpartition("=")
        if not equals:
            raise ParameterError(
                "--types must be number or category, for all columns or for one, "
                f"as in zip=category, got {text!r}"
            )
        found[_column(column, by_number)] = kind
    return found


def _thresholds(given: Iterable[str], by_number: bool) -> dict[str | int, list[Any]]:
    """Return the thresholds of columns, each given as age=30,50.

    They stay as they are written, as cells do.
    """
    found: dict[str | int, list[Any]] = {}
    for text in given:
        column, _, numbers = text.rpartition("=")
        try:
            listed = [Decimal(number) for number in numbers.split(",")]
        except InvalidOperation:
            column = ""
        if not column:
            raise ParameterError(
                "--thresholds must be a column and its numbers, as in age=30,50, "
                f"got {text!r}"
            )
        found.setdefault(_column(column, by_number), []).extend(listed)
    return found


# How the texts of options are read, if not unchanged.
_READ: dict[str, Any] = {
    "label": _column,
    "columns": _columns,
    "experts": _columns,
    "types": _types,
    "thresholds": _thresholds,
    "missing": lambda value, _: value.value.replace("-", " "),
    "keep-case": lambda value, _: not value,
    "ignore": lambda value, _: value.split(","),
    "keep": lambda value, _: value.split(","),
}
