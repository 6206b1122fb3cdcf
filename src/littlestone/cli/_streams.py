"""The files that the command line reads, and the options of each kind."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.catalogue import Reads
from littlestone.errors import LittlestoneError, ParameterError
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from littlestone.catalogue import Entry
    from littlestone.streams import Stream

__all__ = [
    "Duplicates",
    "Format",
    "Missing",
    "OnError",
    "Unlabelled",
    "Weights",
    "has_names",
    "is_read",
    "open_stream",
    "reads_csv",
]


class Format(StrEnum):
    """What the file holds."""

    SVMLIGHT = "svmlight"
    TEXT = "text"
    CSV = "csv"
    ARROW = "arrow"
    VW = "vw"
    JSONL = "jsonl"
    TABLE = "table"


class Missing(StrEnum):
    """What it means that a cell is missing."""

    REFUSE = "refuse"
    SLEEP = "sleep"
    LITERAL = "literal"
    LEAVE_OUT = "leave-out"


class Weights(StrEnum):
    """What to do with importance weights other than 0 and 1."""

    REFUSE = "refuse"
    IGNORE = "ignore"
    REPEAT = "repeat"


class Unlabelled(StrEnum):
    """What to do with a line that has no label."""

    REFUSE = "refuse"
    SKIP = "skip"
    KEEP = "keep"


class Duplicates(StrEnum):
    """What to do with a feature that stands twice in a line."""

    REFUSE = "refuse"
    SUM = "sum"


class OnError(StrEnum):
    """What to do with a line that cannot be read."""

    RAISE = "raise"
    SKIP = "skip"


class _Kind(StrEnum):
    """What is read from a file: a CSV file holds one of three things."""

    SVMLIGHT = "svmlight"
    TEXT = "text"
    TABLE = "CSV with columns of numbers and categories"
    CATEGORIES = "CSV with columns of categories"
    ADVICE = "CSV with the predictions of experts"
    ARROW = "Parquet or Arrow"
    VW = "vw"
    JSONL = "jsonl"


_ARROW_ENDINGS = (".parquet", ".pq", ".arrow", ".arrows", ".feather", ".ipc")
_ENDINGS: dict[str, Format] = {
    f".{ending}{packed}": form
    for ending, form in {
        "csv": Format.CSV,
        "tsv": Format.TABLE,
        "tab": Format.TABLE,
        "vw": Format.VW,
        "jsonl": Format.JSONL,
        "ndjson": Format.JSONL,
    }.items()
    for packed in ("", ".gz", ".zst")
} | dict.fromkeys(_ARROW_ENDINGS, Format.ARROW)

# The options that each kind of file has beyond those of all.
_OPTIONS: dict[_Kind, frozenset[str]] = {
    _Kind.SVMLIGHT: frozenset({"positive", "hash-bits"}),
    _Kind.TEXT: frozenset(
        {
            *("positive", "hash-bits", "label", "columns"),
            *("ngrams", "keep-case", "counts"),
        }
    ),
    _Kind.ARROW: frozenset({"positive", "hash-bits", "label", "columns", "missing"}),
    _Kind.TABLE: frozenset(
        {"positive", "hash-bits", "label", "columns", "types", "missing"}
    ),
    _Kind.CATEGORIES: frozenset(
        {"positive", "hash-bits", "label", "columns", "thresholds", "missing"}
    ),
    _Kind.ADVICE: frozenset({"label", "experts", "missing"}),
    _Kind.VW: frozenset(
        {
            *("positive", "hash-bits", "weights", "unlabelled", "duplicates"),
            *("ignore", "keep"),
        }
    ),
    _Kind.JSONL: frozenset(
        {"positive", "hash-bits", "label", "unlabelled", "duplicates", "ignore"}
    ),
}

_MISSING = {
    _Kind.ARROW: (Missing.LEAVE_OUT, Missing.REFUSE, Missing.LITERAL),
    _Kind.TABLE: (Missing.LEAVE_OUT, Missing.REFUSE, Missing.LITERAL),
    _Kind.CATEGORIES: (Missing.LITERAL, Missing.REFUSE),
    _Kind.ADVICE: (Missing.REFUSE, Missing.SLEEP),
}


def open_stream(
    file: str | list[str],
    form: Format | None,
    entry: Entry,
    options: Mapping[str, Any],
    *,
    outcome: Outcome,
    on_error: OnError,
    learns: bool,
) -> Stream:
    """Return the stream of a file or of several, for a learner.

    `options` holds every option by its name, with None for one that was not given;
    `outcome` is what the learner predicts. Whoever does not learn needs no labels,
    where the format can do without.
    """
    from littlestone import streams

    given = {name: value for name, value in options.items() if value is not None}
    kind = _kind(file, form, entry, literals="thresholds" in given)
    _check(kind, entry, given)
    if kind is _Kind.VW and not learns:
        given.setdefault("unlabelled", Unlabelled.KEEP)
    skips: Any = on_error.value
    # The outcomes that a distribution is over are told by their numbers.
    told = Outcome.NUMBER if outcome.charged else outcome
    if kind is _Kind.ADVICE:
        missing: Any = given.get("missing", Missing.REFUSE).value
        columns = _columns(given, "experts")
        return streams.csv(
            file, **columns, missing=missing, outcome=told, on_error=skips
        )
    if kind is _Kind.CATEGORIES:
        return _categories(file, given, skips)
    positive = given.get("positive")
    read: Any = {
        _Kind.SVMLIGHT: streams.svmlight,
        _Kind.TEXT: streams.text,
        _Kind.TABLE: streams.table,
        _Kind.ARROW: streams.arrow,
        _Kind.VW: streams.vw,
        _Kind.JSONL: streams.jsonl,
    }[kind]
    stream: Stream = read(
        file,
        positive=positive,
        outcome=told if positive is None else Outcome.LABEL,
        hash_bits=given.get("hash-bits"),
        on_error=skips,
        **(_OF_KIND[kind](given) if kind in _OF_KIND else {}),
    )
    return stream


def _categories(
    file: str | list[str], given: Mapping[str, Any], on_error: Any
) -> Stream:
    """Return the literals of a CSV file with columns of categories."""
    from littlestone import streams

    positive, bits = given.get("positive"), given.get("hash-bits")
    columns = _columns(given, "columns")
    table = streams.cells(
        file,
        **columns,
        # As in the other formats, 1 is yes and 0 or -1 is no unless it is told.
        positive=["1", "+1"] if positive is None else positive,
        negative=["0", "-1"] if positive is None else None,
        on_error=on_error,
    )
    stream = streams.onehot(
        table,
        thresholds=_thresholds(
            given.get("thresholds", ()), by_number=isinstance(columns["label"], int)
        ),
        missing=given.get("missing", Missing.LITERAL).value,
    )
    return stream if bits is None else streams.hashed(stream, bits)


def is_read(path: Path, file: str | list[str]) -> bool:
    """Tell whether a path is the file that is read, or one of those."""
    from littlestone.streams._joined import expanded

    return path.exists() and any(
        path.samefile(each) for each in expanded(file) if Path(each).exists()
    )


def has_names(file: str | list[str], form: Format | None, entry: Entry) -> bool:
    """Tell whether the features of a file have names, not numbers."""
    kind = _kind(file, form, entry, literals=False)
    return kind not in (_Kind.SVMLIGHT, _Kind.ADVICE)


def reads_csv(file: str | list[str]) -> bool:
    """Tell whether the name of a file says that it is CSV."""
    return _told(file) is Format.CSV


def _told(file: str | list[str]) -> Format:
    """Return what a file's name or content says, or what several files agree on."""
    if isinstance(file, list):
        told = list(dict.fromkeys(map(_told, file)))
        if len(told) > 1:
            raise ParameterError(
                "files that are read as one must have one format, which --format "
                f"tells if their names do not, got {' and '.join(told)}"
            )
        return told[0]
    name = file.lower()
    for ending, form in _ENDINGS.items():
        if name.endswith(ending):
            return form
    from littlestone.streams._joined import expanded
    from littlestone.streams._open import format_of

    if not Path(file).is_file():  # a pattern, standard input, or nothing at all
        paths = [file] if file == "-" else list(map(str, expanded(file)))
        return Format.SVMLIGHT if paths == [file] else _told(paths)
    try:
        found = format_of(file).name
    except LittlestoneError:  # which whoever reads it will tell better
        return Format.SVMLIGHT
    return {"parquet": Format.ARROW}.get(found) or Format(found)


def _kind(
    file: str | list[str], form: Format | None, entry: Entry, *, literals: bool
) -> _Kind:
    """Tell what to read: what was asked for, or what learner and file ask for."""
    if entry.reads is Reads.ADVICE:
        if form not in (None, Format.CSV):
            raise ParameterError(
                "learners that follow experts must read --format csv, got --format "
                f"{form.value} and --learner {entry.name}"
            )
        return _Kind.ADVICE
    if form is None:
        form = _told(file)
        if form is Format.TABLE and entry.reads is not Reads.FEATURES:
            form = Format.SVMLIGHT
    if form is Format.CSV:
        # Rules speak of literals, and who asks for thresholds wants literals too.
        speaks = literals or entry.reads is Reads.LITERALS
        return _Kind.CATEGORIES if speaks else _Kind.TABLE
    kinds = {Format.TABLE: _Kind.TABLE, Format.ARROW: _Kind.ARROW}
    return kinds.get(form) or _Kind(form.value)


def _check(kind: _Kind, entry: Entry, given: Mapping[str, Any]) -> None:
    """Refuse options that the file does not have."""
    for name in given:
        if name not in _OPTIONS[kind]:
            those = [other.value for other in _Kind if name in _OPTIONS[other]]
            raise ParameterError(
                f"--{name} is for {' and '.join(those)}, got {kind.value}"
            )
    needs_label = "label" in _OPTIONS[kind] and kind is not _Kind.JSONL
    if needs_label and "label" not in given:
        form = {_Kind.TEXT: "text", _Kind.ARROW: "arrow"}.get(kind, "csv")
        raise ParameterError(f"--format {form} needs --label, the label's column")
    if "hash-bits" in given and entry.reads is Reads.LITERALS:
        raise ParameterError(
            "--hash-bits is for linear learners, since a rule speaks of features by "
            f"their names, got --learner {entry.name}"
        )
    missing = given.get("missing")
    if missing is not None and missing not in _MISSING[kind]:
        raise ParameterError(
            f"--missing must be {' or '.join(_MISSING[kind])} for {kind.value}, got "
            f"{missing.value}"
        )


def _of_text(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of text."""
    found = {name: given[name] for name in ("ngrams", "counts") if name in given}
    if "keep-case" in given:
        found["lowercase"] = False
    return _columns(given, "columns") | found


def _of_table(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a table."""
    columns = _columns(given, "columns")
    types = _types(given.get("types"), by_number=type(columns["label"]) is int)
    return columns | {"types": types} | _of_missing(given)


def _of_arrow(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of Parquet and Arrow, whose columns have names."""
    columns = given.get("columns")
    listed = None if columns is None else columns.split(",")
    return {"label": given["label"], "columns": listed} | _of_missing(given)


def _of_missing(given: Mapping[str, Any]) -> dict[str, Any]:
    chosen = given.get("missing", Missing.LEAVE_OUT).value
    return {"missing": chosen.replace("-", " ")}


def _of_lines(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of Vowpal Wabbit text and JSON Lines."""
    plain = ("label", "weights", "unlabelled", "duplicates")
    found = {name: str(given[name]) for name in plain if name in given}
    listed = {
        name: given[name].split(",") for name in ("ignore", "keep") if name in given
    }
    return found | listed


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


def _types(given: Iterable[str] | None, *, by_number: bool) -> Any:
    """Return what columns hold: one word for all, or each column's as zip=category."""
    listed = list(given or ())
    if len(listed) == 1 and "=" not in listed[0]:
        return listed[0]
    found: dict[str | int, str] = {}
    for text in listed:
        column, equals, kind = text.rpartition("=")
        if not equals:
            raise ParameterError(
                "--types must be number or category, for all columns or for one, as "
                f"in zip=category, got {text!r}"
            )
        found[int(column) if by_number and column.isdecimal() else column] = kind
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
                "--thresholds must be a column and its numbers, as in age=30,50, got "
                f"{text!r}"
            )
        key = int(column) if by_number and column.isdecimal() else column
        found.setdefault(key, []).extend(listed)
    return found


# What the options of a kind are to its reader, beyond those of all.
_OF_KIND = {
    _Kind.TEXT: _of_text,
    _Kind.TABLE: _of_table,
    _Kind.ARROW: _of_arrow,
    _Kind.VW: _of_lines,
    _Kind.JSONL: _of_lines,
}
