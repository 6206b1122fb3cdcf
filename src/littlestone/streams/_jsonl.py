"""JSON Lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from littlestone import _core
from littlestone.errors import ParameterError
from littlestone.streams._joined import each_file
from littlestone.streams._options import names_of, one_of
from littlestone.streams._parsing import FileStream

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from littlestone.outcome import Outcome

__all__ = ["jsonl"]

_FAULTS = {
    "object": "a line must be a JSON object",
    "json": "a line must be JSON",
    "depth": "values must be nested no more than 64 deep",
    "finite": "a number must be finite",
    "duplicate": (
        "each feature and each key that is looked for must appear once in a line "
        "(duplicates='sum' adds features up)"
    ),
    "prefix": "the name of what holds values must have no more than 255 bytes",
}


@each_file
def jsonl(
    path: str | os.PathLike[str],
    *,
    label: str = "label",
    features: str | None = "features",
    positive: str | float | None = None,
    outcome: Outcome | Literal["label", "class"] = "label",
    unlabelled: Literal["refuse", "skip"] = "refuse",
    duplicates: Literal["refuse", "sum"] = "refuse",
    ignore: str | Sequence[str] = (),
    hash_bits: int | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> JsonLinesStream:
    r"""Stream the examples of JSON Lines: an object a line.

    Each member but the label is a feature, named by its key: a number is its value,
    `true` is 1; `false` and `null` leave it out, since a feature that is missing is 0.
    A text makes a feature of its own with the value 1: `"color": "red"` is `color=red`.
    What is nested is named by its path: `{"a": {"b": 2}}` is `a.b`, `{"a": [5, 6]}` is
    `a[0]` and `a[1]`, but texts in an array are a bag of words: `{"a": ["x", "y"]}` is
    `a=x` and `a=y`.

    The lines must be JSON and UTF-8, and nothing more: no comments, no trailing commas,
    no NaN. Numbers are correctly rounded. Plain, gzip and zstd files are told apart by
    their content; blank lines are passed over.

    Parameters
    ----------
    path
        A file, "-" for standard input, or several of them, or a pattern such as
        `"logs/*.gz"`, to be read one after another in the order of the names.
    label
        The key of the label: a number, a text, or `true` and `false` for 1 and 0.
    features
        The key of an object that holds the features; then no other key is read. A line
        without that object is read as a whole, and with None every line is.
    positive, outcome
        What the labels are, as in `streams.svmlight`. The text `"3"` and the number 3
        are the same label.
    unlabelled
        What to do with a line without a label, or with `null` for one: `"refuse"` it,
        or `"skip"` it and count it in `left_out`.
    duplicates
        What to do with a line in which a feature stands twice, as a word may in a bag:
        `"refuse"` it, or `"sum"` the values in the place of the first.
    ignore
        Names of members that are not read, nor what is in them; `a.b` for one that is
        nested.
    hash_bits
        Hash the features into `2**hash_bits` columns, as `streams.hashed` does.
    on_error
        What to do with a line that cannot be read: `"raise"`, or `"skip"` it and count
        it in `skipped`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Perceptron
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "houses.jsonl"
    >>> _ = path.write_text(
    ...     '{"label": 1, "rooms": 3, "town": "Ulm", "sold": true, "note": null}\n'
    ...     '{"label": 0, "features": {"rooms": {"old": 2}, "sizes": [9.5, 12]}}\n'
    ... )
    >>> for x, y in streams.jsonl(path):
    ...     print(x, y)
    {'rooms': 3.0, 'town=Ulm': 1.0, 'sold': 1.0} True
    {'rooms.old': 2.0, 'sizes[0]': 9.5, 'sizes[1]': 12.0} False
    >>> run(Perceptron(), streams.jsonl(path)).mistakes
    1
    """
    return JsonLinesStream(
        path,
        label=label,
        features=features,
        unlabelled=unlabelled,
        duplicates=duplicates,
        ignore=ignore,
        positive=positive,
        outcome=outcome,
        hash_bits=hash_bits,
        on_error=on_error,
    )


class JsonLinesStream(FileStream):
    """The examples of JSON Lines; made by `streams.jsonl`."""

    _native = _core.JsonLinesBlock

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        label: str,
        features: str | None,
        unlabelled: str,
        duplicates: str,
        ignore: str | Sequence[str],
        **shared: Any,
    ) -> None:
        super().__init__("jsonl", path, **shared)
        one_of("jsonl", "unlabelled", unlabelled, ("refuse", "skip"))
        one_of("jsonl", "duplicates", duplicates, ("refuse", "sum"))
        if not isinstance(label, str) or label == features:
            raise ParameterError(
                f"jsonl: label must be a key other than that of features, got {label!r}"
            )
        if features is not None and not isinstance(features, str):
            raise ParameterError(
                f"jsonl: features must be a key or None, got {features!r}"
            )
        self._label, self._features = label, features
        self._skip_unlabelled, self._sum = unlabelled == "skip", duplicates == "sum"
        self._ignore = names_of("jsonl", "ignore", ignore)

    def _rule(self, header: bytes | None) -> _core.JsonLinesRule:  # noqa: ARG002 - there is none
        return _core.JsonLinesRule(
            self._label_rule,
            label=self._label,
            features=self._features,
            skip_unlabelled=self._skip_unlabelled,
            sum=self._sum,
            ignore=self._ignore,
        )

    def _fault(self, kind: str) -> str:
        if kind == "unlabelled":
            return (
                f"a line must have a label, {self._label!r} (unlabelled='skip' leaves "
                "out lines without one)"
            )
        return _FAULTS.get(kind) or super()._fault(kind)
