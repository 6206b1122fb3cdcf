"""The area under the ROC curve: how often a yes scores above a no."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Auc", "AucCounts"]


class Auc(NamedTuple):
    """The share of pairs of a yes and a no in which the yes scores higher.

    Attributes
    ----------
    value
        That share; equal scores count half.
    error
        How far the value may be off: 0 for up to about a million rounds, whose scores
        are kept. Later scores are counted in bins.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import Perceptron
    >>> stream = [({"a": 1}, True), ({"b": 1}, False)] * 3
    >>> run(Perceptron(), stream, metrics=("auc",)).auc
    Auc(value=0.8333333333333334, error=0.0)
    """

    value: float
    error: float


class AucCounts:
    """Keeps scores, or counts them in bins once there are many."""

    MOST: ClassVar[int] = 1 << 20  # scores that are kept
    BINS: ClassVar[int] = 1 << 14

    def __init__(self) -> None:
        self._kept: list[tuple[NDArray[np.bool_], NDArray[np.float64]]] = []
        self._many = 0
        self._edges: NDArray[np.float64] | None = None  # of the bins
        self._counts = np.zeros((2, 1))  # of no and yes, by bin

    def add(self, labels: NDArray[np.bool_], scores: NDArray[np.float64]) -> None:
        """Count rounds with labels."""
        labels = labels.astype(np.bool_)
        if self._edges is not None:
            self._count(labels, scores)
            return
        self._kept.append((labels, scores.copy()))
        self._many += len(labels)
        if self._many > self.MOST:
            joined = self._joined()
            shares = np.linspace(0, 1, self.BINS + 1)[1:-1]
            self._edges = np.unique(np.quantile(joined[1], shares))
            self._counts = np.zeros((2, len(self._edges) + 1))
            self._kept = []
            self._count(*joined)

    def _joined(self) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        labels, scores = zip(*self._kept, strict=True)
        return np.concatenate(labels), np.concatenate(scores)

    def _count(self, labels: NDArray[np.bool_], scores: NDArray[np.float64]) -> None:
        bins = np.searchsorted(self._edges, scores)  # type: ignore[arg-type]  # there are edges
        size = self._counts.shape[1]
        for row, mask in enumerate((~labels, labels)):
            self._counts[row] += np.bincount(bins[mask], minlength=size)

    def auc(self) -> Auc | None:
        """Return the area; None unless there was a yes and a no."""
        if self._edges is None:
            if not self._kept:
                return None
            labels, scores = self._joined()
            no, yes = np.sort(scores[~labels]), scores[labels]
            if not len(no) or not len(yes):
                return None
            twice = (no.searchsorted(yes, side) for side in ("left", "right"))
            below = sum(float(each.sum()) for each in twice) / 2
            return Auc(below / (len(no) * len(yes)), 0.0)
        no, yes = self._counts
        pairs = float(no.sum() * yes.sum())
        if not pairs:
            return None
        alike = float((no * yes).sum()) / 2  # half of the pairs within a bin
        below = float((yes * (np.cumsum(no) - no)).sum())
        return Auc((below + alike) / pairs, alike / pairs)
