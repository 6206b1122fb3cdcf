"""The files that the command line reads, and the options of each kind."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from littlestone.cli._learners import LearnerName
    from littlestone.streams import Stream

__all__ = ["Format", "Missing", "OnError", "open_stream", "reads_csv"]


class Format(StrEnum):
    """What the file holds."""

    SVMLIGHT = "svmlight"
    TEXT = "text"
    CSV = "csv"


class Missing(StrEnum):
    """What it means that a cell is missing."""

    REFUSE = "refuse"
    SLEEP = "sleep"
    LITERAL = "literal"


class OnError(StrEnum):
    """What to do with a line that cannot be read."""

    RAISE = "raise"
    SKIP = "skip"


class _Kind(StrEnum):
    """What is read from a file: a CSV file holds either of two things."""

    SVMLIGHT = "svmlight"
    TEXT = "text"
    CATEGORIES = "CSV with columns of categories"
    ADVICE = "CSV with the predictions of experts"


_ENDINGS = tuple(f".csv{packed}" for packed in ("", ".gz", ".zst"))

# The options that each kind of file has beyond those of all.
_OPTIONS: dict[_Kind, frozenset[str]] = {
    _Kind.SVMLIGHT: frozenset({"positive", "hash-bits"}),
    _Kind.TEXT: frozenset(
        {
            *("positive", "hash-bits", "label", "columns"),
            *("ngrams", "keep-case", "counts"),
        }
    ),
    _Kind.CATEGORIES: frozenset(
        {"positive", "hash-bits", "label", "columns", "thresholds", "missing"}
    ),
    _Kind.ADVICE: frozenset({"label", "experts", "missing"}),
}

_MISSING = {
    _Kind.CATEGORIES: (Missing.LITERAL, Missing.REFUSE),
    _Kind.ADVICE: (Missing.REFUSE, Missing.SLEEP),
}


def open_stream(
    file: str,
    form: Format | None,
    learner: LearnerName,
    options: Mapping[str, Any],
    *,
    any_labels: bool,
    outcome: Any,
    on_error: OnError,
) -> Stream:
    """Return the stream of a file, for a learner.

    `options` holds every option by its name, with None for one that was not given;
    `outcome` and `any_labels` tell what the learner predicts.
    """
    from littlestone import streams

    kind = _kind(file, form, learner)
    given = {name: value for name, value in options.items() if value is not None}
    _check(kind, learner, given)
    positive, bits = given.get("positive"), given.get("hash-bits")
    skips: Any = on_error.value
    if kind is _Kind.SVMLIGHT or kind is _Kind.TEXT:
        shared: dict[str, Any] = {
            "positive": positive,
            "labels": "any" if any_labels and positive is None else "two",
            "hash_bits": bits,
            "on_error": skips,
        }
        if kind is _Kind.SVMLIGHT:
            return streams.svmlight(file, **shared)
        shared |= _columns(given, "columns")
        shared |= {name: given[name] for name in ("ngrams", "counts") if name in given}
        if "keep-case" in given:
            shared["lowercase"] = False
        return streams.text(file, **shared)
    missing = given.get("missing", _MISSING[kind][0]).value
    if kind is _Kind.ADVICE:
        columns = _columns(given, "experts")
        return streams.csv(
            file, **columns, missing=missing, outcome=outcome, on_error=skips
        )
    columns = _columns(given, "columns")
    table = streams.cells(
        file,
        **columns,
        # As in the other formats, 1 is yes and 0 or -1 is no unless it is told.
        positive=["1", "+1"] if positive is None else positive,
        negative=["0", "-1"] if positive is None else None,
        on_error=skips,
    )
    stream = streams.onehot(
        table,
        thresholds=_thresholds(
            given.get("thresholds", ()), by_number=isinstance(columns["label"], int)
        ),
        missing=missing,
    )
    return stream if bits is None else streams.hashed(stream, bits)


def reads_csv(file: str) -> bool:
    """Tell whether the name of a file says that it is CSV."""
    return file.lower().endswith(_ENDINGS)


def _kind(file: str, form: Format | None, learner: LearnerName) -> _Kind:
    """Tell what to read: what was asked for, or what learner and file ask for."""
    if learner.takes_advice:
        if form not in (None, Format.CSV):
            raise ParameterError(
                "run: learners that follow experts must read --format csv, "
                f"got --format {form.value} and --learner {learner.value}"
            )
        return _Kind.ADVICE
    if form is None:
        form = Format.CSV if reads_csv(file) else Format.SVMLIGHT
    return _Kind.CATEGORIES if form is Format.CSV else _Kind(form.value)


def _check(kind: _Kind, learner: LearnerName, given: Mapping[str, Any]) -> None:
    """Refuse options that the file does not have."""
    for name in given:
        if name not in _OPTIONS[kind]:
            those = [other.value for other in _Kind if name in _OPTIONS[other]]
            raise ParameterError(
                f"run: --{name} is for {' and '.join(those)}, got {kind.value}"
            )
    if "label" in _OPTIONS[kind] and "label" not in given:
        form = "text" if kind is _Kind.TEXT else "csv"
        raise ParameterError(f"run: --format {form} needs --label, the label's column")
    if "hash-bits" in given and learner.room == "boolean":
        raise ParameterError(
            "run: --hash-bits is for linear learners, since a rule speaks of features "
            f"by their names, got --learner {learner.value}"
        )
    missing = given.get("missing")
    if missing is not None and missing not in _MISSING[kind]:
        raise ParameterError(
            f"run: --missing must be {' or '.join(_MISSING[kind])} for {kind.value}, "
            f"got {missing.value}"
        )


def _columns(given: Mapping[str, Any], others: str) -> dict[str, Any]:
    """Return the label's column and the others, by number if the label's is one."""
    label = given["label"]
    by_number = label.isdecimal()
    found: dict[str, Any] = {"label": int(label) if by_number else label}
    if others in given:
        listed = given[others].split(",")
        numbers = by_number and all(column.isdecimal() for column in listed)
        found[others] = [int(column) if numbers else column for column in listed]
    return found


def _thresholds(given: Iterable[str], *, by_number: bool) -> dict[str | int, list[Any]]:
    """Return the thresholds that were given, each column's as age=30,50.

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
                "run: --thresholds must be a column and its numbers, as in age=30,50, "
                f"got {text!r}"
            )
        key = int(column) if by_number and column.isdecimal() else column
        found.setdefault(key, []).extend(listed)
    return found
