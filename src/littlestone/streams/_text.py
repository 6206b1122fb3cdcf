"""Text: one document a line, its words the features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from littlestone import _core
from littlestone.errors import LineError, ParameterError
from littlestone.streams._joined import each_file
from littlestone.streams._parsing import FileStream

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from littlestone.outcome import Outcome

__all__ = ["text"]

_MOST_WORDS = 8


@each_file
def text(
    path: str | os.PathLike[str],
    *,
    label: str | int,
    columns: str | int | Sequence[str | int] | None = None,
    positive: str | float | None = None,
    outcome: Outcome | Literal["label", "class"] = "label",
    ngrams: int | tuple[int, int] = 1,
    lowercase: bool = True,
    counts: bool = False,
    hash_bits: int | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> TextStream:
    r"""Stream the words of a text file: one document a line, columns parted by tabs.

    A word is a run of letters and digits. Every character outside ASCII counts as a
    letter, so words stay whole in every script; the text must be UTF-8. The features
    are the words themselves, each with a weight of its own, in the order in which they
    first occur. The same word in two columns is one feature.

    Plain, gzip and zstd files are told apart by their content. There is no quoting;
    blank lines are passed over. However long the file, memory holds a few buffers and
    what the learner learns.

    Parameters
    ----------
    path
        A file, "-" for standard input, or several of them, or a pattern such as
        `"logs/*.gz"`, to be read one after another in the order of the names.
    label
        The column of the label: its name, and then the first line is a header, or its
        number from 0, and then there is none.
    columns
        The columns of the text, by name or number; all but the label if not given.
    positive, outcome
        What the labels are, as in `streams.svmlight`.
    ngrams
        `n` makes a feature of each 1 to `n` successive words of a column, joined by a
        space; `(a, b)` of each `a` to `b`. At most 8.
    lowercase
        Read A to Z as a to z. Other letters stay as they are.
    counts
        Let a feature's value be how often it occurs, not 1.
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
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mail.tsv"
    >>> _ = path.write_text("label\ttext\nham\tSee you, Ann!\nspam\tFree! See?\n")
    >>> stream = streams.text(path, label="label", positive="spam")
    >>> list(stream)
    [({'see': 1.0, 'you': 1.0, 'ann': 1.0}, False), ({'free': 1.0, 'see': 1.0}, True)]
    >>> learner = Perceptron()
    >>> run(learner, stream).mistakes
    2
    >>> learner.weights_
    {'you': -1.0, 'ann': -1.0, 'free': 1.0}
    """
    return TextStream(
        path,
        label=label,
        columns=columns,
        ngrams=ngrams,
        lowercase=lowercase,
        counts=counts,
        positive=positive,
        outcome=outcome,
        hash_bits=hash_bits,
        on_error=on_error,
    )


class TextStream(FileStream):
    """The words of a text file; made by `streams.text`."""

    _native = _core.TextBlock

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        label: str | int,
        columns: str | int | Sequence[str | int] | None,
        ngrams: int | tuple[int, int],
        lowercase: bool,
        counts: bool,
        **shared: Any,
    ) -> None:
        super().__init__("text", path, **shared)
        self._has_header = isinstance(label, str)
        self._label = self._checked("label", label)
        self._columns: list[str | int] = []
        if columns is not None:
            listed = [columns] if isinstance(columns, (str, int)) else list(columns)
            self._columns = [self._checked("columns", column) for column in listed]
            if not listed or len({label, *listed}) <= len(listed):
                raise ParameterError(
                    "text: columns must be one or more, each once and none the label, "
                    f"got {columns!r}"
                )
        self._shortest, self._longest = _range(ngrams)
        self._lowercase, self._counts = bool(lowercase), bool(counts)
        self._must = ""  # what the columns of a line must be, told by the header

    def _checked(self, name: str, column: object) -> str | int:
        if isinstance(column, str) and self._has_header:
            return column
        if isinstance(column, int) and not isinstance(column, bool) and column >= 0:
            return column
        raise ParameterError(
            f"text: {name} must be column numbers from 0, or names if label is one, "
            f"got {column!r}"
        )

    def _rule(self, header: bytes | None) -> _core.TextRule:
        columns, width = [self._label, *self._columns], 0
        if self._has_header:
            names = self._names(header)
            columns, width = [self._place(c, names) for c in columns], len(names)
        label, *texts = [int(column) for column in columns]
        least = max(label, *texts, 0 if texts else 1) + 1
        self._must = (
            f"have {width} columns, as the header has"
            if width
            else f"have at least {least} columns"
        )
        return _core.TextRule(
            self._label_rule,
            label=label,
            columns=texts,
            width=width,
            shortest=self._shortest,
            longest=self._longest,
            lowercase=self._lowercase,
            counts=self._counts,
        )

    def _names(self, header: bytes | None) -> list[str]:
        if header is None:
            raise self._bad_header(self._fault("long"))
        names = header.decode("utf-8", "backslashreplace").rstrip("\r").split("\t")
        if names == [""]:
            raise self._bad_header("the first line must be a header, got nothing")
        if len(names) == 1:
            raise self._bad_header(
                f"the header must name two columns or more, got {names[0][:200]!r}"
            )
        return names

    def _place(self, column: str | int, names: list[str]) -> int:
        shown = ", ".join(repr(name) for name in names)[:200]
        if isinstance(column, int):
            if column < len(names):
                return column
            raise self._bad_header(
                f"the header must have a column {column}, got {shown}"
            )
        if names.count(column) != 1:
            raise self._bad_header(
                f"the header must name the column {column!r} once, got {shown}"
            )
        return names.index(column)

    def _bad_header(self, what: str) -> LineError:
        error = LineError(what, where=f"{self._source.name}:1")
        error.path, error.line = self._source.name, 1
        return error

    def _fault(self, kind: str) -> str:
        if kind == "columns":
            return f"a line must {self._must}"
        return super()._fault(kind)


def _range(ngrams: object) -> tuple[int, int]:
    pair = ngrams if isinstance(ngrams, tuple) else (1, ngrams)
    if (
        len(pair) == 2  # noqa: PLR2004 - the shortest and the longest
        and all(isinstance(n, int) and not isinstance(n, bool) for n in pair)
        and 1 <= pair[0] <= pair[1] <= _MOST_WORDS
    ):
        return pair
    raise ParameterError(
        f"text: ngrams must be a number from 1 to {_MOST_WORDS} or a pair of them, the "
        f"smaller first, got {ngrams!r}"
    )
