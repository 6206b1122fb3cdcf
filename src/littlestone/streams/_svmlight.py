"""svmlight files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from littlestone import _core
from littlestone.streams._joined import each_file
from littlestone.streams._parsing import FileStream

if TYPE_CHECKING:
    import os

    from littlestone.outcome import Outcome

__all__ = ["svmlight"]

_FAULTS = {
    "pair": "features must be written index:value",
    "index": "a feature's index must be below 2**32",
    "finite": "a feature's value must be a finite number",
    "duplicate": "each index must appear once in a line",
}


@each_file
def svmlight(
    path: str | os.PathLike[str],
    positive: str | float | None = None,
    *,
    outcome: Outcome | Literal["label", "class"] = "label",
    hash_bits: int | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> SvmlightStream:
    r"""Stream the examples of an svmlight file: `label index:value … # comment`.

    Plain, gzip and zstd files are told apart by their content. Indices keep the number
    they are written with, so files counting from 0 and from 1 both read as they are.
    Blank lines, comments and `qid:` are passed over; indices may come in any order, but
    not twice in a line. However long the file, memory holds a few buffers.

    Parameters
    ----------
    path
        A file, "-" for standard input, or several of them, or a pattern such as
        `"logs/*.gz"`, to be read one after another in the order of the names.
    positive
        The label that means yes, in a file whose labels are not 1 against 0 or -1;
        every other label then means no.
    outcome
        `"label"` for yes and no; `"class"` for labels as they are written: a whole
        number is an int (`3`, `+3` and `07` too), another finite number a float,
        anything else text.
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
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mail.svm"
    >>> _ = path.write_text("ham 3:1 7:0.5\nspam 3:2  # buy now\n")
    >>> list(streams.svmlight(path, positive="spam"))
    [({3: 1.0, 7: 0.5}, False), ({3: 2.0}, True)]
    >>> run(Perceptron(), streams.svmlight(path, positive="spam")).mistakes
    2
    >>> [y for _, y in streams.svmlight(path, outcome="class")]
    ['ham', 'spam']
    """
    return SvmlightStream(
        "svmlight",
        path,
        positive=positive,
        outcome=outcome,
        hash_bits=hash_bits,
        on_error=on_error,
    )


class SvmlightStream(FileStream):
    """The examples of an svmlight file; made by `streams.svmlight`."""

    _native = _core.SvmlightBlock

    def _fault(self, kind: str) -> str:
        return _FAULTS.get(kind) or super()._fault(kind)
