"""JSON Lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from littlestone import _core
from littlestone.errors import Hint, ParameterError, did_you_mean
from littlestone.streams._file import FileStream
from littlestone.streams._joined import each_file
from littlestone.streams._options import names_of, one_of

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from littlestone.errors import LineError
    from littlestone.outcome import Outcome

__all__ = ["jsonl"]

_KEY = re.compile(r'"([^"\\]+)"\s*:')  # in a line that may be cut


@each_file
def jsonl(
    path: str | os.PathLike[str],
    *,
    label: str = "label",
    features: str | None = "features",
    weight: str | None = None,
    positive: str | float | None = None,
    outcome: Outcome | Literal["label", "class", "number"] = "label",
    unlabelled: Literal["refuse", "skip", "keep"] = "refuse",
    duplicates: Literal["refuse", "sum"] = "refuse",
    ignore: str | Sequence[str] = (),
    hash_bits: int | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> JsonLinesStream:
    r"""Stream the examples of JSON Lines: one object per line.

    Each member but the label is a feature, named by its key. A number is its value and
    `true` is 1; `false` and `null` leave the feature out, which is the same as 0. A
    text gives a feature with the value 1: `"color": "red"` is `color=red`. Nested
    values are named by their path: `{"a": {"b": 2}}` is `a.b` and `{"a": [5, 6]}` is
    `a[0]` and `a[1]`, but texts in an array are a bag of words: `{"a": ["x", "y"]}` is
    `a=x` and `a=y`. A key that appears twice in an object gives the features of both
    values, which must differ.

    The lines must be strict JSON in UTF-8: no comments, no trailing commas, no NaN.
    Numbers are correctly rounded. Blank lines are ignored, and the file may be
    compressed with gzip or zstd.

    Parameters
    ----------
    path
        A file, "-" for standard input, several of them, or a pattern such as
        `"logs/*.gz"`, whose files are read in the order of their names.
    label
        The key of the label: a number, a text, or `true` and `false` for 1 and 0.
    features
        The key of an object that contains the features; other keys are then ignored. A
        line without that object is read as a whole; with None, every line is.
    weight
        The key of a number that multiplies the loss of the round, for learners that
        follow the slope of a loss: labels are `Weighted` then. A line without it counts
        once. One of weight 0 is not an example, and is counted in `left_out`.
    positive, outcome
        What the labels are, as in `streams.svmlight`. The text `"3"` and the number 3
        are the same label.
    unlabelled
        What to do with a line whose label is missing or `null`: `"refuse"` it, `"skip"`
        it and count it in `left_out`, or `"keep"` it with the label None, so that
        `run(learn=False)` predicts it.
    duplicates
        What to do with a line with a duplicate feature, such as a repeated word:
        `"refuse"` it, or `"sum"` the values in the place of the first.
    ignore
        Names of members to ignore with all they contain; `a.b` for a nested one.
    hash_bits, on_error
        As in `streams.svmlight`.

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
    return JsonLinesStream(**locals())


class JsonLinesStream(FileStream):
    """The examples of JSON Lines; made by `streams.jsonl`."""

    _owner = "jsonl"
    _native = _core.JsonLinesBlock
    _faults = {  # noqa: RUF012 - declared in the base class
        "object": "a line must be a JSON object",
        "json": "a line must be JSON",
        "depth": "values must be nested at most 64 levels deep",
        "finite": "a number must be finite",
        "duplicate": "each feature and the label must appear once in a line",
        "weight": "a weight must be a finite number, 0 or more",
        "prefix": "the name of an object or array must have at most 255 bytes",
    }
    _hints = {  # noqa: RUF012 - declared in the base class
        "unlabelled": (
            Hint("unlabelled", "skip", "skips lines without one"),
            Hint("unlabelled", "keep", "predicts them"),
        ),
        "duplicate": (Hint("duplicates", "sum", "adds features up"),),
    }

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        label: str,
        features: str | None,
        weight: str | None,
        duplicates: str,
        ignore: str | Sequence[str],
        **shared: Any,
    ) -> None:
        super().__init__(path, **shared)
        one_of("jsonl", "duplicates", duplicates, ("refuse", "sum"))
        if not isinstance(label, str) or label == features:
            raise ParameterError(
                f"label must be a key, and not that of features, got {label!r}",
                owner="jsonl",
            )
        if features is not None and not isinstance(features, str):
            raise ParameterError(
                f"features must be a key or None, got {features!r}", owner="jsonl"
            )
        if not isinstance(weight, str | None) or weight in (label, features or label):
            raise ParameterError(
                "weight must be a key other than those of the label and the features, "
                f"or None, got {weight!r}",
                owner="jsonl",
            )
        self._label, self._features, self._weight = label, features, weight
        self._weighs = weight is not None
        self._sum = duplicates == "sum"
        self._ignore = names_of("jsonl", "ignore", ignore)

    def _rule(self, header: bytes | None) -> _core.JsonLinesRule:  # noqa: ARG002 - there is none
        return _core.JsonLinesRule(
            self._label_rule,
            label=self._label,
            features=self._features,
            weight=self._weight,
            sum=self._sum,
            ignore=self._ignore,
        )

    def _line_error(
        self,
        kind: str,
        line: int,
        text: bytes = b"",
        place: tuple[int, bytes] | None = None,
    ) -> LineError:
        error = super()._line_error(kind, line, text, place)
        if kind == "unlabelled":
            error.what += did_you_mean(self._label, _KEY.findall(error.text))
        return error

    def _fault(self, kind: str) -> str:
        if kind == "unlabelled":
            return f"a line must have a label, {self._label!r}"
        return super()._fault(kind)
