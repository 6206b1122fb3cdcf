"""svmlight files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from littlestone import _core
from littlestone.streams._file import FileStream
from littlestone.streams._joined import each_file

if TYPE_CHECKING:
    import os

    from littlestone.outcome import Outcome

__all__ = ["svmlight"]


@each_file
def svmlight(
    path: str | os.PathLike[str],
    positive: str | float | None = None,
    *,
    outcome: Outcome | Literal["label", "class", "number"] = "label",
    unlabelled: Literal["refuse", "skip", "keep"] = "refuse",
    hash_bits: int | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> SvmlightStream:
    r"""Stream the examples of an svmlight file: `label index:value … # comment`.

    The file may be compressed with gzip or zstd. Indices stay as they are written,
    whether they start from 0 or 1, in any order and without duplicates in a line. Blank
    lines, comments and `qid:` are ignored. However long the file, memory holds a few
    buffers.

    Parameters
    ----------
    path
        A file, "-" for standard input, several of them, or a pattern such as
        `"logs/*.gz"`, whose files are read in the order of their names.
    positive
        The label that means yes, in a file whose labels are not 1 and 0 or -1; every
        other label means no.
    outcome
        `"label"` for yes and no; `"class"` to keep labels as they are written: a whole
        number as an int (also `+3` and `07`), another finite number as a float, and
        anything else as text; `"number"` for numbers, all of them as floats.
    unlabelled
        What to do with a line without a label: `"refuse"` it, `"skip"` it and count it
        in `left_out`, or `"keep"` it with the label None, so that `run(learn=False)`
        predicts it.
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
    return SvmlightStream(**locals())


class SvmlightStream(FileStream):
    """The examples of an svmlight file; made by `streams.svmlight`."""

    _owner = "svmlight"
    _native = _core.SvmlightBlock
    _faults = {  # noqa: RUF012 - declared in the base class
        "pair": "features must be written index:value",
        "index": "a feature's index must be below 2**32",
        "finite": "a feature's value must be a finite number",
        "duplicate": "each index must appear once in a line",
    }
