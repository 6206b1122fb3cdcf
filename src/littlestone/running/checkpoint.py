"""Checkpoints: save a run every so many rounds, so that a later run can resume."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from littlestone.errors import StreamError
from littlestone.outcome import outcome_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from littlestone.learner.rows import Example
    from littlestone.running.recorder import Recorder
    from littlestone.streams import Block

__all__ = ["Checkpoint", "Parts"]

_ENDLESS = 2**63


class Checkpoint(Protocol):
    """Where `run` saves the learner and its own state, and what it resumes from.

    Attributes
    ----------
    every
        After how many rounds to save.
    resumed
        The state of the run to resume, as it was given to `save`; None for a new run.
    """

    every: int
    resumed: Mapping[str, Any] | None

    def save(self, learner: Any, state: dict[str, Any], /) -> None:
        """Save a learner and the state of its run: plain values and arrays."""


class Parts:
    """A stream cut at the checkpoints of a run, without the rounds played before.

    Rounds that were played before the run was interrupted are read again, so that their
    digest can be compared.
    """

    def __init__(
        self, learner: Any, recorder: Recorder, checkpoint: Checkpoint | None
    ) -> None:
        self._learner, self._recorder = learner, recorder
        self._every = None if checkpoint is None else checkpoint.every
        self.to_skip = 0  # examples that were played or refused before
        self._seen = 0  # of them
        self._digest: str | None = None
        if checkpoint is not None and checkpoint.resumed is not None:
            self.to_skip = checkpoint.resumed["rounds"] + len(recorder.refusals)
            self._digest = checkpoint.resumed["notes"]["digest"]
            self._compare()

    @property
    def most(self) -> int:
        """The number of rounds until the next checkpoint."""
        if self._every is None:
            return _ENDLESS
        return self._every - self._recorder.rounds % self._every

    def blocks(
        self, stream: Any, labels_of: Callable[[Block], NDArray[Any]]
    ) -> Iterator[Block | None]:
        """Yield the blocks to play, or parts of them.

        `labels_of` returns the labels of a block as the learner takes them.
        """
        for block in stream.blocks():
            if block is None:
                yield None
                continue
            first = block.first
            if self.to_skip:
                first = min(block.last, first + self.to_skip)
                labels, skipped = labels_of(block), range(block.first, first)
                for some in self._recorder.refusals.accepted(skipped, self._seen):
                    self._note(block, labels, some, advice=stream.of_advice)
                self._skip(len(skipped))
            while first < block.last:
                last = min(block.last, first + self.most)
                whole = (first, last) == (block.first, block.last)
                yield block if whole else replace(block, first=first, last=last)
                first = last

    def examples(
        self, stream: Iterable[tuple[Example, Any]], read: Callable[[Any], object]
    ) -> Iterator[tuple[Example, Any]]:
        """Yield the examples to play; `read` also checks the labels of the others."""
        for x, y in stream:
            if self.to_skip and self._recorder.notes is not None:
                for _ in self._recorder.refusals.accepted(range(1), self._seen):
                    self._recorder.notes.skip(x, y, read(y))
                self._skip(1)
            else:
                yield x, y

    def end(self) -> None:
        """Refuse a stream that ended before the rounds that were played before."""
        if self.to_skip:
            self._refuse(f"{self.to_skip} fewer")

    def _note(
        self, block: Block, labels: NDArray[Any], skipped: range, *, advice: bool
    ) -> None:
        notes = self._recorder.notes
        assert notes is not None  # noqa: S101 - a run that resumes takes the digest
        if advice:
            raw = outcome_of(self._learner).charged
            notes.advice(block.rows, block.labels if raw else labels, skipped)
        else:
            notes.skip_rows(block.rows, labels, skipped)

    def _skip(self, examples: int) -> None:
        self.to_skip -= examples
        self._seen += examples
        self._compare()

    def _compare(self) -> None:
        notes = self._recorder.notes
        over = self.to_skip == 0 and self._recorder.rounds > 0
        if over and notes is not None and not notes.resumes(self._digest):
            self._refuse(f"others, whose digest is {notes.digest()}")

    def _refuse(self, got: str) -> NoReturn:
        raise StreamError(
            f"the stream must begin with the {self._recorder.rounds:,} rounds that "
            f"were played before (digest {self._digest}), got {got}"
        )
