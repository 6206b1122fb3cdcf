"""What a stream looks like."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core
from littlestone.counsel._sample import Sample
from littlestone.metrics.confusion import seems_sorted
from littlestone.running.entries import nonzero_entries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from littlestone.learner.rows import Example

__all__ = ["Survey", "Surveyor"]

_SOME = 1024  # examples that are looked at together
# A sixteenth of the examples is sampled, and where the order of the stream says little,
# a third; at least so many, if there are.
_FEW, _FEW_SORTED = 1_000, 500


@dataclass(frozen=True)
class Survey:
    """What a stream looks like.

    Attributes
    ----------
    examples, positives
        How many examples there are, and how many of them are labelled yes.
    changes
        How often the label differs from the one before.
    features
        How many features have a nonzero value somewhere.
    nonzeros, longest
        How many of them an example has, on average and at most.
    smallest, largest
        The smallest and the largest value other than 0; 0 if there is none.
    boolean
        Whether every value is 0 or 1.
    sampled
        How many examples were drawn to be played in a random order.

    Examples
    --------
    >>> from littlestone import advise
    >>> stream = [({"a": 1.0, "b": 0.5}, True), ({"a": 1.0}, False)]
    >>> survey = advise(stream).survey
    >>> survey.features, survey.nonzeros, survey.share, survey.in_unit
    (2, 1.5, 0.5, True)
    """

    examples: int
    positives: int
    changes: int
    features: int
    nonzeros: float
    longest: int
    smallest: float
    largest: float
    boolean: bool
    sampled: int

    @property
    def share(self) -> float:
        """The share of the examples that are labelled yes."""
        return self.positives / self.examples if self.examples else 0.0

    @property
    def idle(self) -> int:
        """How many mistakes it costs to always give the more common answer."""
        return min(self.positives, self.examples - self.positives)

    @property
    def nonnegative(self) -> bool:
        """Whether no value is below 0."""
        return self.smallest >= 0

    @property
    def in_unit(self) -> bool:
        """Whether every value is in [0, 1], as Winnow requires."""
        return self.nonnegative and self.largest <= 1

    @property
    def scale(self) -> float:
        """The largest size of a value."""
        return max(abs(self.smallest), abs(self.largest))

    @property
    def seems_sorted(self) -> bool:
        """Whether labels change far less often than in a shuffled stream."""
        rounds = [self.examples - self.positives, self.positives]
        return seems_sorted(rounds, self.changes)


class Surveyor:
    """A player that always says no, never learns, and takes notes."""

    updates_ = 0

    def __init__(self) -> None:
        self.sample = Sample()
        self._examples = _core.KeptExamples()
        self._waiting: list[bool] = []
        self._last: bool | None = None
        self.positives = self.changes = self.entries = self.longest = 0
        self.smallest, self.largest, self.boolean = math.inf, -math.inf, True

    def predict_one(self, _: Example) -> bool:
        return False

    def learn_one(self, x: Example, y: bool) -> None:
        self._examples.add_one(*nonzero_entries(x))
        self._waiting.append(y)
        if len(self._waiting) == _SOME:
            self._look(np.array(self._waiting, dtype=np.bool_))

    def play_rows(  # noqa: PLR0917 - as `run` calls it
        self,
        rows: _core.Rows,
        labels: NDArray[np.bool_],
        predictions: NDArray[np.bool_],
        first: int,
        last: int,
        changed: NDArray[Any] | None = None,
    ) -> None:
        """Play rows of a block, as `run` calls it."""
        predictions[first:last] = False
        if changed is not None:
            changed[first:last] = False
        self._examples.add(rows, np.ones(len(labels), dtype=np.bool_), first, last)
        self._look(labels[first:last])

    def _follow(self, labels: NDArray[np.bool_]) -> None:
        before = labels[:1] if self._last is None else np.array([self._last])
        followed = np.concatenate([before, labels])
        self.positives += int(np.count_nonzero(labels))
        self.changes += int(np.count_nonzero(followed[1:] != followed[:-1]))
        self._last = bool(followed[-1]) if len(followed) else None

    def _look(self, labels: NDArray[np.bool_]) -> None:
        """Take notes of the examples since the last look."""
        self._follow(labels)
        self._waiting = []
        ends, columns, values = self._examples.take()
        self.sample.add(ends, columns, values, labels)
        self.entries += len(values)
        self.longest = max(self.longest, int(np.diff(ends, prepend=0).max(initial=0)))
        self.smallest = min(self.smallest, float(values.min(initial=math.inf)))
        self.largest = max(self.largest, float(values.max(initial=-math.inf)))
        self.boolean = self.boolean and bool((values == 1).all())

    def survey(self, rounds: int) -> Survey:
        """Return what was seen."""
        self._look(np.array(self._waiting, dtype=np.bool_))
        some = self.entries > 0
        is_sorted = seems_sorted(
            [rounds - self.positives, self.positives], self.changes
        )
        sampled = (
            max(_FEW_SORTED, rounds // 3) if is_sorted else max(_FEW, rounds // 16)
        )
        return Survey(
            examples=rounds,
            positives=self.positives,
            changes=self.changes,
            features=len(self._examples.features()),
            nonzeros=self.entries / max(rounds, 1),
            longest=self.longest,
            smallest=self.smallest if some else 0.0,
            largest=self.largest if some else 0.0,
            boolean=self.boolean,
            sampled=min(len(self.sample), sampled),
        )
