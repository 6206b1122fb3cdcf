"""Vowpal Wabbit text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from littlestone import _core
from littlestone.errors import Hint, ParameterError
from littlestone.learner import told
from littlestone.streams._base import Block
from littlestone.streams._file import FileStream, Where
from littlestone.streams._joined import each_file
from littlestone.streams._options import names_of, one_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from littlestone.learner.rows import Example
    from littlestone.outcome import Outcome

__all__ = ["vw"]

_FAULTS = {
    "bar": "a line must have a | before its features",
    "unlabelled": "a line must have a label, with a space before the |",
    "head": ("a line must have at most a label, weight, initial and 'tag before the |"),
    "initial": "an initial prediction must be 0 or left out",
    "scale": "a namespace's scale must be a finite number",
    "name": "a feature must have a name",
    "value": (
        "a feature's value must be a number, or text that does not start like one "
        "and has no colon"
    ),
    "finite": "a feature's value must be a finite number",
    "duplicate": "each feature must appear once in a line",
    "prefix": "a namespace's name must have at most 255 bytes",
}

_HINTS = {
    "unlabelled": (
        Hint("unlabelled", "skip", "skips lines without one"),
        Hint("unlabelled", "keep", "predicts them"),
    ),
    "duplicate": (Hint("duplicates", "sum", "adds them up"),),
}

_WEIGHTS = {
    "refuse": "an importance weight must be 0 or 1",
    "ignore": "an importance weight must be a finite number, 0 or more",
    "repeat": "an importance weight must be a whole number from 0 to 2**32 - 1",
    "multiply": "an importance weight must be a finite number, 0 or more",
}


@each_file
def vw(
    path: str | os.PathLike[str],
    positive: str | float | None = None,
    *,
    outcome: Outcome | Literal["label", "class", "number"] = "label",
    weights: Literal["refuse", "ignore", "repeat", "multiply"] = "refuse",
    unlabelled: Literal["refuse", "skip", "keep"] = "refuse",
    duplicates: Literal["refuse", "sum"] = "sum",
    ignore: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    hash_bits: int | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> VwStream:
    r"""Stream the examples of Vowpal Wabbit text.

    A line is ``[label [weight [initial]]] ['tag]|namespace[:scale] feature[:value] …``,
    with any number of namespaces. A feature is named `namespace^feature`, or `feature`
    in the namespace without a name. Its value is 1 if none is written, and is
    multiplied by the scale of its namespace; a feature of value 0 is absent. A value
    that is not a number gives another feature: `color:red` is `color=red` with the
    value 1, whatever the scale. All this is as in Vowpal Wabbit. There is no constant
    feature: use the `bias` of a learner.

    A tag touches the bar, or is the last word before it and starts with an apostrophe.
    It is not a feature; `tagged` returns it. Blank lines are ignored. The file must be
    UTF-8, and may be compressed with gzip or zstd.

    Parameters
    ----------
    path
        A file, "-" for standard input, several of them, or a pattern such as
        `"logs/*.gz"`, whose files are read in the order of their names.
    positive, outcome
        What the labels are, as in `streams.svmlight`: by default 1 against -1 or 0.
        Classes from 1 to k need `outcome="class"`.
    weights
        What to do with a weight other than 1 and 0. A mistake bound counts whole
        rounds, so `"refuse"` it, `"repeat"` the round as often as a whole number says,
        or `"ignore"` it. For learners that follow the slope of a loss, `"multiply"` the
        loss of the round by it: the labels are `Weighted` then. In each case a line of
        weight 0 is not an example: it is counted in `left_out`, and its features are
        not read.
    unlabelled
        What to do with a line without a label: `"refuse"` it, `"skip"` it and count it
        in `left_out`, or `"keep"` it with the label None, so that `run(learn=False)`
        predicts it.
    duplicates
        What to do with a line with a duplicate feature: `"sum"` the values in the place
        of the first, which amounts to what Vowpal Wabbit does, or `"refuse"` it.
    ignore, keep
        Namespaces to ignore, or the only ones to read. One character means all
        namespaces that start with it, as in Vowpal Wabbit, and `" "` the one without a
        name; a longer name means the namespace of that name.
    hash_bits
        Hash the features into `2**hash_bits` columns, as `streams.hashed` does, which
        are not those that Vowpal Wabbit would choose.
    on_error
        What to do with a line that cannot be read: `"raise"`, or `"skip"` it and count
        it in `skipped`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Perceptron
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "houses.vw"
    >>> _ = path.write_text("1 'first |size:2 rooms:3 old |town name:Ulm\n-1 | new\n")
    >>> for x, y in streams.vw(path):
    ...     print(x, y)
    {'size^rooms': 6.0, 'size^old': 2.0, 'town^name=Ulm': 1.0} True
    {'new': 1.0} False
    >>> list(streams.vw(path, keep="t").tagged())
    [('first', {'town^name=Ulm': 1.0}, True), ('', {}, False)]
    >>> learner = Perceptron()
    >>> run(learner, streams.vw(path, ignore=["size", "town"])).mistakes
    1
    >>> learner.weights_
    {'new': -1.0}
    """
    return VwStream(**locals())


class VwStream(FileStream):
    """The examples of Vowpal Wabbit text; made by `streams.vw`."""

    _owner = "vw"
    _native = _core.VwBlock
    _faults = _FAULTS
    _hints = _HINTS

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        weights: str,
        duplicates: str,
        ignore: str | Sequence[str],
        keep: str | Sequence[str],
        **shared: Any,
    ) -> None:
        super().__init__(path, **shared)
        one_of("vw", "weights", weights, tuple(_WEIGHTS))
        one_of("vw", "duplicates", duplicates, ("refuse", "sum"))
        ignored, kept = names_of("vw", "ignore", ignore), names_of("vw", "keep", keep)
        if ignored and kept:
            raise ParameterError(
                f"keep must be left out with ignore, got {keep!r} and {ignore!r}",
                owner="vw",
            )
        self._weights = weights
        self._weighs = weights == "multiply"
        self._sum = duplicates == "sum"
        self._spaces, self._keeps = ignored + kept, bool(kept)

    def tagged(self) -> Iterator[tuple[str, Example, Any]]:
        """Yield the tag of each example, the example and its label, in order.

        The tag is empty for a line without one.
        """
        for block in self.blocks():
            labels = told(block.labels[block.first : block.last])
            where: Any = block.where
            for row, label in enumerate(labels, block.first):
                yield where.tag(row), block.rows.row(row), label

    def _rule(self, header: bytes | None) -> _core.VwRule:  # noqa: ARG002 - there is none
        hashing = self._hashing
        return _core.VwRule(
            self._label_rule,
            weights=self._weights,
            sum=self._sum,
            hash_bits=0 if hashing is None else hashing.bits,
            keeps=self._keeps,
            letters=[space for space in self._spaces if len(space) == 1],
            spaces=[space for space in self._spaces if len(space) > 1],
        )

    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order, parsing ahead on other threads."""
        hasher = None if self._hashing is None else self._hashing.begin()
        block: Any
        for block, line, done in self._parsed():
            labels = self._labels_of(block)
            where, rows = _Where(line, block), block.rows()
            for first, last in _runs(len(block), block.repeated):
                if hasher is not None:
                    block.count(hasher, first, last)
                yield Block(rows, labels, first, last, where, done)

    def _fault(self, kind: str) -> str:
        if kind == "weight":
            return _WEIGHTS[self._weights]
        return super()._fault(kind)

    def _hints_for(self, kind: str) -> tuple[Hint, ...]:
        if kind == "weight" and self._weights == "refuse":
            return (
                Hint("weights", "repeat", "plays a line as often as it says"),
                Hint("weights", "ignore", "plays it once"),
                Hint("weights", "multiply", "is for learners of a loss"),
            )
        return super()._hints_for(kind)


@dataclass
class _Where:
    """Names a row by file and line, and knows its tag."""

    line: Where
    block: _core.VwBlock

    def __call__(self, row: int) -> str:
        return self.line(row)

    def tag(self, row: int) -> str:
        return self.block.tag(row)


def _runs(rows: int, repeated: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield which rows to play, with repetitions."""
    first = 0
    for row, more in repeated:
        yield first, row + 1
        for _ in range(more):
            yield row, row + 1
        first = row + 1
    if first < rows:
        yield first, rows
