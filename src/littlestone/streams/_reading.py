"""How a stream was read, so that another file can be read in the same way."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from littlestone.errors import ExampleError, ModelError, ParameterError
from littlestone.streams._formats import Format

if TYPE_CHECKING:
    from collections.abc import Iterator

    from littlestone.learner.rows import Example
    from littlestone.streams._base import Stream
    from littlestone.streams._joined import Paths

__all__ = ["Reading", "read_as"]

# What is to be done with single lines, and what the learner or the file itself decides.
_NOT_KEPT = ("outcome", "unlabelled", "on_error", "weights", "duplicates", "delimiter")
# Experts may join and leave.
_FREE = ("experts",)
_OF_CSV_ALONE = ("header",)
_TABLES = (Format.CSV, Format.PARQUET, Format.ARROW)


@dataclass(frozen=True)
class Reading:
    r"""How a stream was read: the format, and the options that give it its features.

    A model file remembers it: see `littlestone.models.reading`.

    Attributes
    ----------
    format
        The name of the format, as `streams.open` takes it.
    options
        The options of its reader that are not the default, and what the reader found
        out itself: which columns there are, and which of them contain numbers.
    no
        What the label is called that means no, where yes has a name and no has one.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone import streams
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mail.tsv"
    >>> _ = path.write_text("label\ttext\nham\tSee you!\nspam\tFree money\n")
    >>> stream = streams.text(path, label="label", positive="spam")
    >>> len(list(stream))
    2
    >>> stream.reading
    Reading(text, label='label', positive='spam', columns=['text'])
    >>> stream.reading.features("Money! Money!")
    {'money': 1.0}
    """

    format: str
    options: Mapping[str, Any]
    no: str | None = None

    def __repr__(self) -> str:
        given = (f"{name}={value!r}" for name, value in self.options.items())
        return f"Reading({', '.join([self.format, *given])})"

    def open(self, path: Paths, **options: Any) -> Stream:
        """Stream the examples of another file, read in the same way.

        Parameters
        ----------
        path
            As in `streams.open`. A model of a CSV file can read Parquet and Arrow too.
        options
            More options of the reader, such as `unlabelled="keep"`; those of this
            reading must not be changed.
        """
        form = self.format_for(_recognised(path), str(path))
        return form.reader(path, **self.merged(form, options))

    def features(self, example: str | Mapping[str, Any]) -> Example:
        """Return the features of one example, which has no label.

        Parameters
        ----------
        example
            A text, for a stream of texts; a line without its label, for svmlight,
            Vowpal Wabbit text and JSON Lines; a mapping from column to cell, for a
            table. JSON Lines may be a mapping too.
        """
        form = Format[self.format.upper()]
        options = self.merged(form, {"unlabelled": "keep"})
        if form is Format.TEXT and isinstance(options["label"], str):
            # The column of a file that was not read yet has any name but the label's.
            options["columns"] = options.get("columns") or [options["label"] + " text"]
        source = _one(form, options, example)
        found = [x for x, _ in form.reader(source, **options)]
        if len(found) != 1:
            raise ExampleError(
                f"an example of {form} must be one line, got {example!r}",
                owner="features",
            )
        return found[0]

    # Other files --------------------------------------------------------------------

    def format_for(self, found: Format | None, path: str) -> Format:
        """Return the format in which to read a file that looks like `found`.

        Text and forecasts look like other files, and tables may be in any format.
        """
        kept = Format[self.format.upper()]
        if found is not None and self.may_be(found):
            return found
        hidden = kept in (Format.TEXT, Format.FORECASTS) and found is Format.CSV
        if found is None or hidden:
            return kept
        raise ParameterError(
            f"{path} must be {kept}, as what the model has learned from, got {found}"
        )

    def may_be(self, form: Format) -> bool:
        """Return whether such features can be read from files of a format."""
        kept = Format[self.format.upper()]
        return form is kept or (kept in _TABLES and form in _TABLES)

    def merged(self, form: Format, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options for a file of this format, with those that are given.

        Raises `ParameterError` if one of them is not as it was.
        """
        for name in self._kept(form):
            if name not in form.options:
                raise ParameterError(
                    f"{form} has no option {name}, which the model was learned with"
                )
        for name, was, got in self.differences(form, given):
            raise ParameterError(
                f"{name} must be {was!r}, as the model was learned, got {got!r}"
            )
        free = {name: given[name] for name in _FREE if name in given}
        return {**given, **self._kept(form), **free}

    def differences(
        self, form: Format, given: Mapping[str, Any]
    ) -> Iterator[tuple[str, Any, Any]]:
        """Yield each option that is not as it was, its value then, and the one now."""
        kept, known = self._kept(form), form.options
        for name, value in given.items():
            if name in known and name not in (*_NOT_KEPT, *_FREE):
                was = kept.get(name, known[name].default)
                if not _agrees(name, value, was):
                    yield name, was, value

    def _kept(self, form: Format) -> dict[str, Any]:
        """Return the options that another format must have, too."""
        csv = form is Format.CSV
        return {
            name: value
            for name, value in self.options.items()
            if csv or name not in _OF_CSV_ALONE
        }

    # The model file -------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, fit for a model file."""
        options = dict(self.options)
        if "thresholds" in options:  # numbers as they are written
            options["thresholds"] = {
                column: [str(number) for number in numbers]
                for column, numbers in _written(options["thresholds"]).items()
            }
        return {"format": str(self.format), "options": options, "no": self.no}

    @classmethod
    def from_dict(cls, saved: Any) -> Reading:
        """Return what `to_dict` has returned as a reading again."""
        try:
            form, options = Format[saved["format"].upper()], dict(saved["options"])
            unknown = options.keys() - form.options.keys()
            if "thresholds" in options:
                options["thresholds"] = {
                    column: [Decimal(number) for number in numbers]
                    for column, numbers in options["thresholds"].items()
                }
        except (AttributeError, InvalidOperation, KeyError, TypeError, ValueError):
            unknown = {"it"}
        if unknown or not isinstance(saved.get("no"), str | None):
            raise ModelError(
                f"a reading must be a format and its options, got {saved!r}"
            )
        return cls(str(form), options, saved.get("no"))


def read_as(
    name: str, options: Mapping[str, Any], found: Mapping[str, Any], no: str | None
) -> Reading:
    """Return the reading of a stream: what was asked for, and what it has found."""
    form = Format[name.upper()]
    known = form.options
    kept = {
        option: value
        for option, value in {**options, **found}.items()
        if option not in _NOT_KEPT and value != known[option].default
    }
    return Reading(str(form), kept, no)


def _recognised(path: Paths) -> Format | None:
    from littlestone.streams._joined import expanded  # noqa: PLC0415 - it imports this

    found = {Format.by_name(each) for each in expanded(path)}
    return found.pop() if len(found) == 1 else None


def _written(thresholds: Mapping[Any, Any]) -> dict[Any, list[Any]]:
    return {
        column: list(numbers) if isinstance(numbers, (list, tuple)) else [numbers]
        for column, numbers in thresholds.items()
    }


def _agrees(name: str, given: Any, was: Any) -> bool:
    """Return whether an option means the same as it did."""
    if name == "types" and isinstance(was, Mapping):
        if isinstance(given, str):
            return set(was.values()) <= {given}
        return all(was.get(column) == kind for column, kind in given.items())
    if name == "thresholds" and was is not None and given is not None:
        pair = [
            {column: sorted(map(Decimal, map(str, those))) for column, those in each}
            for each in (_written(given).items(), _written(was).items())
        ]
        return pair[0] == pair[1]
    several = [
        set(map(str, each)) if isinstance(each, (list, tuple, set)) else {str(each)}
        for each in (given, was)
    ]
    return several[0] == several[1]


def _one(form: Format, options: Mapping[str, Any], example: Any) -> Any:
    """Return a source that holds one example."""
    if form in (Format.PARQUET, Format.ARROW) and isinstance(example, Mapping):
        return _row(options, example)
    if form in (Format.CSV, Format.FORECASTS) and isinstance(example, Mapping):
        return _record(options, example)
    if form is Format.JSONL and isinstance(example, Mapping):
        example = json.dumps(dict(example))
    if form in (Format.CSV, Format.FORECASTS, Format.PARQUET, Format.ARROW):
        must = "a mapping from column to cell"
    else:
        must = "a text"
    if not isinstance(example, str) or must != "a text":
        raise ExampleError(
            f"an example of {form} must be {must}, got {type(example).__name__}",
            owner="features",
        )
    if form is Format.TEXT:
        return _document(options, example)
    return io.BytesIO(example.encode() + b"\n")


def _row(options: Mapping[str, Any], example: Mapping[Any, Any]) -> Any:
    """Return an Arrow table of one row; what it leaves out is null."""
    from littlestone.streams._arrow import pyarrow  # noqa: PLC0415 - optional

    pa, types = pyarrow(), options.get("types") or {}
    cells = {}
    for name in options.get("columns") or example:
        cell, kind = example.get(name), types.get(name)
        if kind == "category":
            cells[name] = pa.array([None if cell is None else str(cell)], pa.string())
        else:
            cells[name] = pa.array([cell], pa.float64() if kind == "number" else None)
    return pa.table(cells)


def _document(options: Mapping[str, Any], text: str) -> io.BytesIO:
    """Return a file of one text, whatever it contains, without a label."""
    line = " ".join(text.split()) or " "
    label = options["label"]
    columns: Any = options.get("columns")
    columns = [columns] if isinstance(columns, (str, int)) else columns
    if isinstance(label, str):
        cells = [line, *[""] * (len(columns) - 1)]
        return io.BytesIO(("\t".join(columns) + "\n" + "\t".join(cells)).encode())
    first = min(columns or [0 if label else 1])
    cells = [""] * (max(label, first, *(columns or ())) + 1)
    cells[first] = line
    return io.BytesIO("\t".join(cells).encode())


def _record(options: Mapping[str, Any], example: Mapping[Any, Any]) -> io.BytesIO:
    """Return a CSV file of one record."""
    columns = options.get("columns") or options.get("experts") or list(example)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if all(isinstance(column, str) for column in columns):
        writer.writerow(columns)
    cells = [example.get(column) for column in columns]
    writer.writerow(["" if cell is None else cell for cell in cells])
    return io.BytesIO(text.getvalue().encode())
