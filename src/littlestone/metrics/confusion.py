"""Which answers were given to which labels, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

__all__ = ["ByClass", "Confusion", "seems_sorted", "usual_changes"]

# Labels that change this much less often than by chance suggest a sorted stream.
_SORTED = 0.1
_MANY = 100  # rounds, before that is said


def usual_changes(rounds: Sequence[int]) -> float:
    """Return how often labels change in a random order, on average.

    Parameters
    ----------
    rounds
        How often each label comes.

    Examples
    --------
    >>> from littlestone.metrics.confusion import usual_changes
    >>> usual_changes([50, 50])
    50.0
    """
    whole = sum(rounds)
    return whole - sum(many * many for many in rounds) / max(1, whole)


def seems_sorted(rounds: Sequence[int], changes: int) -> bool:
    """Return whether labels change far less often than in a random order.

    Examples
    --------
    >>> from littlestone.metrics.confusion import seems_sorted
    >>> seems_sorted([50, 50], changes=1), seems_sorted([50, 50], changes=40)
    (True, False)
    """
    return sum(rounds) >= _MANY and changes < _SORTED * usual_changes(rounds)


class ByClass(NamedTuple):
    """How one class was predicted.

    Attributes
    ----------
    label
        The class; True and False where yes or no is predicted.
    rounds, said, hits
        How often it was the label, how often the prediction, and how often both.

    Examples
    --------
    >>> from littlestone.metrics import ByClass
    >>> spam = ByClass(True, rounds=10, said=8, hits=6)
    >>> spam.precision, spam.recall, round(spam.f1, 3)
    (0.75, 0.6, 0.667)
    """

    label: Hashable
    rounds: int
    said: int
    hits: int

    @property
    def precision(self) -> float:
        """How often it was right to predict it; 0 if it never was predicted."""
        return self.hits / self.said if self.said else 0.0

    @property
    def recall(self) -> float:
        """How often it was predicted where it was right; 0 if it never was."""
        return self.hits / self.rounds if self.rounds else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 if both are."""
        total = self.rounds + self.said
        return 2 * self.hits / total if total else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, fit for JSON."""
        figures = {name: getattr(self, name) for name in ("precision", "recall", "f1")}
        return self._asdict() | figures


@dataclass(frozen=True)
class Confusion:
    """Which answers were given to which labels in a run.

    Attributes
    ----------
    by_class
        The counts of each class: no and yes, or the classes in the order in which they
        came.
    counts
        The confusion matrix: for each class in this order, how often each of them was
        predicted. None with more than 100 classes. Rounds without a prediction are in
        no column.
    baseline
        The mistakes of always giving the answer that was commonest so far; of equals
        yes, or the class that was commonest before. Before any class has come there is
        no answer, which is a mistake.
    binary
        Whether yes or no is predicted. Then `precision`, `recall` and `f1` are those of
        yes; otherwise they are the mean over the classes.
    changes
        How often the label was another one than in the round before; None if the run
        was begun by a version that did not count it.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import Perceptron
    >>> stream = [({"a": 1}, True), ({"b": 1}, False), ({"c": 1}, False)] * 2
    >>> confusion = run(Perceptron(), stream).confusion
    >>> confusion.counts  # no: 2 of 4, yes: 2 of 2
    ((2, 2), (0, 2))
    >>> confusion.precision, confusion.recall, confusion.balanced_error
    (0.5, 1.0, 0.25)
    >>> confusion.commoner, confusion.hindsight, confusion.baseline
    (False, 2, 4)
    >>> confusion.changes, confusion.seems_sorted
    (3, False)
    """

    by_class: tuple[ByClass, ...]
    counts: tuple[tuple[int, ...], ...] | None
    baseline: int
    binary: bool = True
    changes: int | None = None

    @property
    def rounds(self) -> int:
        """How many rounds had a label."""
        return sum(each.rounds for each in self.by_class)

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The classes, in the order of the matrix."""
        return tuple(each.label for each in self.by_class)

    @property
    def precision(self) -> float:
        """How often a yes was right; of several classes, the mean over them."""
        return self._figure("precision")

    @property
    def recall(self) -> float:
        """How much of yes was found; of several classes, the mean over them."""
        return self._figure("recall")

    @property
    def f1(self) -> float:
        """The harmonic mean of both; of several classes, the mean over them."""
        return self._figure("f1")

    def _figure(self, name: str) -> float:
        those = self.by_class[-1:] if self.binary else self.by_class
        total = sum(float(getattr(each, name)) for each in those)
        return total / max(1, len(those))

    @property
    def balanced_error(self) -> float:
        """The mistake rate of a class, as a mean over the classes that were labels."""
        met = [1 - each.recall for each in self.by_class if each.rounds]
        return sum(met) / max(1, len(met))

    @property
    def commoner(self) -> Hashable | None:
        """The commonest label; of equals the later one. None before the first round."""
        met = [each for each in self.by_class[::-1] if each.rounds]
        return max(met, key=lambda each: each.rounds).label if met else None

    @property
    def hindsight(self) -> int:
        """The mistakes of always giving the commonest label, known in hindsight."""
        return self.rounds - max((each.rounds for each in self.by_class), default=0)

    @property
    def usual_changes(self) -> float:
        """How often these labels would change in a random order, on average."""
        return usual_changes([each.rounds for each in self.by_class])

    @property
    def seems_sorted(self) -> bool:
        """Whether labels change far less often than that, as in a sorted stream."""
        rounds = [each.rounds for each in self.by_class]
        return self.changes is not None and seems_sorted(rounds, self.changes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, fit for JSON."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "balanced_error": self.balanced_error,
            "baseline": {
                "answer": self.commoner,
                "mistakes": self.baseline,
                "hindsight": self.hindsight,
            },
            "label_changes": self.changes,
            "seems_sorted": self.seems_sorted,
            "classes": list(self.classes),
            "confusion": self.counts and [list(row) for row in self.counts],
            "by_class": [each.to_dict() for each in self.by_class],
        }
