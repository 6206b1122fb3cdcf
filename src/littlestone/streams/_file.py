"""Streams of files that are made of lines."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from littlestone.errors import EmptyStreamError, Hint, LineError, StreamError
from littlestone.learner import with_weights
from littlestone.logs import LOG
from littlestone.outcome import Outcome
from littlestone.streams._base import Block
from littlestone.streams._formats import HEAD, Format
from littlestone.streams._hashing import Hashing, HashingStream
from littlestone.streams._labels import (
    LABEL_HINTS,
    WrittenLabels,
    as_outcome,
    label_rule,
)
from littlestone.streams._options import one_of
from littlestone.streams._parser import LONGEST_LINE, Native, Parser
from littlestone.streams._source import Source

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from littlestone import _core
    from littlestone.streams._source import Reader

__all__ = ["FileStream", "Where"]

# What can be wrong with a line of any format, and what would help.
_FAULTS = {
    "label": "the label must be 1, 0 or -1",
    "no label": "a line must have a label",
    "outcome": "the outcome must be a finite number",
    "encoding": "the file must be UTF-8, as iconv -f latin1 -t utf-8 makes it",
    "mixed": "labels must be 0 and 1 or -1 and +1, never mixed in one file",
    "long": f"a line must be shorter than {LONGEST_LINE} bytes",
}
_HINTS = {"label": LABEL_HINTS}
# Formats whose lines no other format has, so that a file of another one is recognised.
_DISTINCT = ("svmlight", "vw", "jsonl")
_NOT_LINES = ("parquet", "arrow", "binary data")


class FileStream(HashingStream):
    """The examples of a file of lines, parsed natively while the learner learns.

    A format defines its native block, the rule by which that reads a line, what can be
    wrong with a line, and what would help.

    Attributes
    ----------
    skipped
        How many lines the latest reading could not read and skipped.
    left_out
        How many lines it left out because they are not examples.
    """

    outcome: Outcome
    _owner: str  # the function that makes it
    _outcomes: tuple[Outcome, ...] = (Outcome.LABEL, Outcome.CLASS, Outcome.NUMBER)
    _native: type[Native]
    _faults: Mapping[str, str] = {}
    _hints: Mapping[str, tuple[Hint, ...]] = {}
    _has_header = False
    _weighs = False  # whether lines have weights that multiply losses

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        positive: object = None,
        outcome: str,
        unlabelled: str,
        hash_bits: int | None = None,
        on_error: str,
    ) -> None:
        owner = self._owner
        one_of(owner, "on_error", on_error, ("raise", "skip"))
        one_of(owner, "unlabelled", unlabelled, ("refuse", "skip", "keep"))
        self._unlabelled = unlabelled
        self.outcome = as_outcome(owner, outcome, self._outcomes, positive=positive)
        self._label_rule = label_rule(self.outcome, positive, unlabelled)
        self._hashing = None if hash_bits is None else Hashing(owner, hash_bits)
        self._source, self._skip = Source(path), on_error == "skip"
        classes = self.outcome is Outcome.CLASS
        self._labels = WrittenLabels() if classes else None
        # Whether labels may be both 0 and -1: not if both mean no.
        self._may_mix = positive is not None or self.outcome is not Outcome.LABEL
        self.skipped = self.left_out = 0

    def __repr__(self) -> str:
        return f"{self._owner}({self._source.name!r})"

    @property
    def repeatable(self) -> bool:
        """Whether it can be read more than once; a pipe cannot."""
        return self._source.repeatable

    @property
    def extent(self) -> int | None:
        """The size of the file in bytes, where that is known."""
        return self._source.size

    def _rule(self, header: bytes | None) -> Any:  # noqa: ARG002 - of formats with one
        """Return the rule of the native block; the header is None if it is too long."""
        return self._label_rule

    def _fault(self, kind: str) -> str:
        """Return what a line must be like, in words."""
        return self._faults.get(kind) or _FAULTS[kind]

    def _hints_for(self, kind: str) -> tuple[Hint, ...]:
        """Return the options that would help with such a line."""
        return self._hints.get(kind, _HINTS.get(kind, ()))

    def _blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, parsing ahead on other threads."""
        for block, where, done in self._parsed():
            yield Block(
                block.rows(), self._labels_of(block), 0, len(block), where, done
            )

    def _labels_of(self, block: Any) -> NDArray[Any]:
        """Return the labels of a native block, None where one is missing.

        They have weights if lines have some that multiply losses.
        """
        labels = self._written(block)
        if missing := block.unlabelled:
            labels = labels.astype(object)
            labels[missing] = None
        return with_weights(labels, block.weights) if self._weighs else labels

    def _written(self, block: Any) -> NDArray[Any]:
        """Return the labels that are written in the file."""
        if self.outcome is Outcome.NUMBER:
            return block.label_numbers  # type: ignore[no-any-return]  # of any block
        return self._labels(block) if self._labels else block.labels

    def _is_header(self, line: bytes) -> bool:  # noqa: ARG002 - for subclasses
        """Return whether the first line of the file is a header."""
        return self._has_header

    def _parser(self, reader: Reader) -> Parser:
        """Return what reads and parses the file."""
        return Parser(
            reader,
            self._native,
            self._rule,
            skip=self._skip,
            is_header=self._is_header,
            hashes=self._hashing is not None,
        )

    def _parsed(self) -> Iterator[tuple[Any, Where, float | None]]:
        """Yield native blocks that have rows, then raise what stopped the reading."""
        self.skipped = self.left_out = 0
        others: set[bytes] = set()
        lines_before = total = 0
        alphabet = _Alphabet(may_mix=self._may_mix)
        with ExitStack() as stack:
            stack.enter_context(self._source.explained())
            stack.enter_context(self._recognised(lambda: total == 0))
            parser = stack.enter_context(self._parser(self._source.open()))
            for part in parser:
                block = part.block
                lines_before += part.passed
                where = Where(self._source.name, lines_before, block.lines)
                mixed = alphabet.mixed_at(block)
                if mixed is not None:
                    mixed_line = where.line(mixed)
                    block.truncate(mixed)
                total += len(block)
                others.update(block.other_labels)
                self._no = _only(others)
                if len(block):
                    yield block, where, part.done
                if mixed is not None:
                    raise self._line_error("mixed", mixed_line)
                if block.fault is not None:
                    raise self._refusal(block, lines_before)
                lines_before += block.line_count
                self.skipped += block.skipped
                self.left_out += block.left_out
                if part.too_long is not None:
                    if not self._skip:
                        raise self._line_error("long", lines_before + 1, part.too_long)
                    lines_before += 1
                    self.skipped += 1
                parser.give_back(part)
        if self.skipped:
            LOG.warning("%s: %d lines skipped", self._source.name, self.skipped)
        if total == 0:
            raise self._empty()

    @contextmanager
    def _recognised(self, at_first: Callable[[], bool]) -> Iterator[None]:
        """Let an error in the first lines say what the file looks like instead."""
        try:
            yield
        except LineError as error:
            if at_first() and self._source.repeatable:
                found = Format.guess(self._source.head(HEAD))
                other = self._owner in _DISTINCT and found not in ("", self._owner)
                if other or found in _NOT_LINES:
                    must = f"the file must be {self._owner}"
                    error.what = f"{must}, got what looks like {found}"
                    error.hints = ()
            raise

    def _empty(self) -> StreamError:
        """Return the error for a file without examples."""
        return EmptyStreamError(
            "a stream must hold at least one example, got none"
            + (f" ({self.skipped} lines skipped)" if self.skipped else "")
            + (f" ({self.left_out} lines left out)" if self.left_out else ""),
            where=self._source.name,
        )

    def _refusal(self, block: Any, lines_before: int) -> LineError:
        """Return the error for the line at which the parsing of a block stopped."""
        kind, at, text = block.fault
        return self._line_error(kind, lines_before + at + 1, text, block.fault_place)

    def _line_error(
        self,
        kind: str,
        line: int,
        text: bytes = b"",
        place: tuple[int, bytes] | None = None,
    ) -> LineError:
        shown = text.decode("utf-8", "backslashreplace").rstrip("\r")
        got = f", got {shown!r}" if shown else ""
        if place is not None:
            character, token = place
            value = token.decode("utf-8", "backslashreplace")
            what = repr(value) if value else "its end"
            got = f", got {what} at character {character}"
        what, hints = self._fault(kind) + got, self._hints_for(kind)
        error = self._error(what, line, shown, hints)
        if place is not None:
            error.column, error.value = character, value
        return error

    def _error(
        self, what: str, line: int, text: str = "", hints: Sequence[Hint] = ()
    ) -> LineError:
        """Return an error that names the file and the line."""
        name = self._source.name
        error = LineError(what, where=f"{name}:{line}", hints=hints)
        error.path, error.line, error.text = name, line, text
        return error


def _only(labels: set[bytes]) -> str | None:
    """Return the label, if there is only one."""
    return min(labels).decode(errors="replace") if len(labels) == 1 else None


@dataclass
class Where:
    """Names a row by file and line."""

    name: str
    before: int
    lines: NDArray[np.uint32]

    def line(self, row: int) -> int:
        """Return the line of a row, from 1."""
        return self.before + int(self.lines[row]) + 1

    def __call__(self, row: int) -> str:
        return f"{self.name}:{self.line(row)}"


@dataclass
class _Alphabet:
    """Remembers from block to block whether "no" is written 0 or -1."""

    may_mix: bool
    zero: bool = False
    minus: bool = False

    def mixed_at(self, block: _core.LineBlock) -> int | None:
        """Return the row that writes "no" in the second way, if there is one."""
        if self.may_mix:
            return None
        zero, minus = block.first_zero, block.first_minus
        if zero is not None and (self.minus or (minus is not None and minus < zero)):
            return zero
        if minus is not None and (self.zero or zero is not None):
            return minus
        self.zero |= zero is not None
        self.minus |= minus is not None
        return None
