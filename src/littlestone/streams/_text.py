"""Text: one document per line, whose words are the features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from littlestone import _core
from littlestone.errors import Hint, ParameterError, ReadingWarning, did_you_mean
from littlestone.learner import warn
from littlestone.streams._file import FileStream
from littlestone.streams._joined import each_file
from littlestone.streams._options import column_of, columns_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from littlestone.outcome import Outcome
    from littlestone.streams._base import Block

__all__ = ["text"]

_MOST_WORDS = 8


@each_file
def text(
    path: str | os.PathLike[str],
    *,
    label: str | int,
    columns: str | int | Sequence[str | int] | None = None,
    positive: str | float | None = None,
    outcome: Outcome | Literal["label", "class", "number"] = "label",
    unlabelled: Literal["refuse", "skip", "keep"] = "refuse",
    ngrams: int | tuple[int, int] = 1,
    lowercase: bool = True,
    counts: bool = False,
    hash_bits: int | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> TextStream:
    r"""Stream the words of a text file: one document per line, columns split by tabs.

    A word is a run of letters and digits. Every character outside ASCII counts as a
    letter, so words stay whole in every script. The features are the words themselves,
    in the order in which they first occur. The same word in two columns is one feature.

    The text must be UTF-8, and may be compressed with gzip or zstd. There is no
    quoting; blank lines are ignored. However long the file, memory holds a few buffers.

    Parameters
    ----------
    path
        A file, "-" for standard input, several of them, or a pattern such as
        `"logs/*.gz"`, whose files are read in the order of their names.
    label
        The column of the label: its name if the first line is a header, or its number
        from 0 if there is no header.
    columns
        The columns of the text, by name or number; by default all but the label. If a
        header names several beside the label, they must be given, since a rating or an
        id would be read as words too.
    positive, outcome
        What the labels are, as in `streams.svmlight`.
    unlabelled
        What to do with a line without a label, as in `streams.svmlight`. With `"keep"`
        the column of the label may be missing; and if the first line is not a header
        (it has no tab, and is not the name of a column) every line is a document.
    ngrams
        `n` makes features of 1 to `n` successive words of a column, joined by a space;
        `(a, b)` of `a` to `b` words. At most 8.
    lowercase
        Read A to Z as a to z; other letters stay as they are.
    counts
        Use the number of occurrences of a feature as its value, not 1.
    hash_bits, on_error
        As in `streams.svmlight`.

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
    return TextStream(**locals())


class TextStream(FileStream):
    """The words of a text file; made by `streams.text`."""

    _owner = "text"
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
        super().__init__(path, **shared)
        self._has_header = isinstance(label, str)
        named = self._has_header
        self._label = column_of("text", "label", label, named=named)
        self._columns: list[str | int] = []
        if columns is not None:
            self._columns = columns_of(
                "text", "columns", columns, named=named, label=label
            )
        self._shortest, self._longest = _range(ngrams)
        self._lowercase, self._counts = bool(lowercase), bool(counts)
        self._must = ""  # how many columns a line must have, once that is known
        self._plain = False  # whether every line is a document, without a header
        self._cells = False  # whether it looks like one of a table
        self._names: list[str] = []  # of the columns, as the latest reading found them

    def _found(self) -> dict[str, Any]:
        columns = [name for name in self._names if name != self._label]
        return {} if self._columns or not columns else {"columns": columns}

    def _is_header(self, line: bytes) -> bool:
        named = self._has_header
        known = {
            c.encode() for c in self._columns or [self._label] if isinstance(c, str)
        }
        may_lack = named and self._unlabelled == "keep"
        self._plain = may_lack and b"\t" not in line and line.rstrip(b"\r") not in known
        self._cells = self._plain and line.count(b",") > max(line.count(b" "), 2)
        return named and not self._plain

    def _blocks(self) -> Iterator[Block]:
        for number, block in enumerate(super()._blocks()):
            if number == 0 and self._cells:
                warn(
                    f"{self._source.name} looks like a table of cells split by commas, "
                    "but each of its lines is read as a text",
                    ReadingWarning,
                )
            yield block

    def _rule(self, header: bytes | None) -> _core.TextRule:
        label: Any = self._label
        texts: list[Any] = self._columns
        width = 0
        if self._plain:
            label, texts = None, []
        elif self._has_header:
            self._names = names = self._named(header)
            width = len(names)
            lacks = self._unlabelled == "keep" and label not in names
            label = None if lacks else self._place(label, names)
            texts = [self._place(column, names) for column in texts]
            self._check_chosen([name for name in names if name != self._label])
        least = 1 if label is None else max(label, *texts, 0 if texts else 1) + 1
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

    def _check_chosen(self, others: list[str]) -> None:
        """Refuse several columns beside the label if none is chosen."""
        if len(others) > 1 and not self._columns:
            shown = ", ".join(repr(name) for name in others)[:200]
            raise self._error(
                f"the columns of the text must be given, got {shown} beside the label",
                1,
                hints=(Hint("columns", does="names those to read"),),
            )

    def _named(self, header: bytes | None) -> list[str]:
        if header is None:
            raise self._error(self._fault("long"), 1)
        names = header.decode("utf-8", "backslashreplace").rstrip("\r").split("\t")
        if names == [""]:
            raise self._error("the first line must be a header, got nothing", 1)
        if len(names) == 1 and self._unlabelled != "keep":
            raise self._error(
                f"the header must name two or more columns, got {names[0][:200]!r}", 1
            )
        return names

    def _place(self, column: str | int, names: list[str]) -> int:
        shown = ", ".join(repr(name) for name in names)[:200]
        if isinstance(column, int):
            if column < len(names):
                return column
            raise self._error(f"the header must have a column {column}, got {shown}", 1)
        if names.count(column) != 1:
            raise self._error(
                f"the header must name the column {column!r} once, got {shown}"
                + did_you_mean(column, set(names) - {column}),
                1,
            )
        return names.index(column)

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
        f"ngrams must be a number from 1 to {_MOST_WORDS} or a pair of them, the "
        f"smaller one first, got {ngrams!r}",
        owner="text",
    )
