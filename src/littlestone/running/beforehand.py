"""What a learner says of examples before it learns them: scores and probabilities."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone import _core
from littlestone.errors import ExampleError
from littlestone.learner import Learner, objects
from littlestone.losses import as_loss
from littlestone.outcome import Outcome, outcome_of
from littlestone.running.batch import UNASKED, Said, unlabelled
from littlestone.running.tested import Tested, taught

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from littlestone.learner.rows import Example
    from littlestone.running.recorder import Recorder
    from littlestone.streams import Block

__all__ = ["Asked", "Beforehand", "gives_chances", "priced"]


def gives_chances(learner: Any) -> bool:
    """Return whether a learner gives probabilities of yes and no, or of classes.

    Examples
    --------
    >>> from littlestone.linear import AdaGrad, Perceptron
    >>> from littlestone.running.beforehand import gives_chances
    >>> [gives_chances(made) for made in (AdaGrad(), AdaGrad("hinge"), Perceptron())]
    [True, False, False]
    """
    if not isinstance(learner, Learner) or outcome_of(learner).charged:
        return False
    asked = hasattr(learner, "predict_proba_one")
    return bool(getattr(learner, "gives_chances", asked))


class Asked(NamedTuple):
    """What a learner is asked before each round.

    Attributes
    ----------
    learner
        The learner that is asked.
    scores
        Whether for its scores: by a metric, or because its log losses or probabilities
        follow from them.
    likely
        Whether for its probabilities, as they do not follow from scores.
    chances
        Whether batches have probabilities, from either.
    loses
        Whether its log losses follow from scores, as it only predicts.
    ranks
        Whether its probabilities are what batches have as scores: those of committees
        order examples, which the few values that votes may have hardly do.
    hears
        Whether it has probabilities as it plays, so that they need not be asked for.
    """

    learner: Any
    scores: bool = False
    likely: bool = False
    chances: bool = False
    loses: bool = False
    ranks: bool = False
    hears: bool = False

    @classmethod
    def of(cls, learner: Any, recorder: Recorder) -> Asked:
        """Return what to ask for a recorder."""
        asked, tests = taught(learner), isinstance(learner, Tested)
        if not (tests or recorder.scores or recorder.chances):
            return cls(learner)
        charged = bool(getattr(asked, "gives_chances", False))
        two = outcome_of(learner) is not Outcome.CLASS
        by_score = recorder.chances and charged and two
        loses = tests and charged
        ranks = recorder.scores and not charged and gives_chances(asked)
        return cls(
            asked,
            (recorder.scores and not ranks) or by_score or loses,
            (recorder.chances and not by_score) or ranks,
            recorder.chances,
            loses,
            ranks,
            not tests and hasattr(asked, "listening"),
        )

    @property
    def of_classes(self) -> bool:
        """Whether it tells classes apart."""
        return outcome_of(self.learner) is Outcome.CLASS

    def score_one(self, x: Example) -> Any:
        """Return its score of an example; of classes one each."""
        score = self.learner.score_one(x)
        return list(score.values()) if self.of_classes else score

    def chance_one(self, x: Example) -> Any:
        """Return the probability of a yes, or of each class by its name."""
        said = self.learner.predict_proba_one(x)
        return said if self.of_classes else said[True]

    @contextmanager
    def listening(self) -> Iterator[list[Any]]:
        """Give what `chance_one` would say of the rounds that are played meanwhile."""
        heard: list[Any] = []
        said: list[NDArray[np.float64]] = []
        try:
            with self.learner.listening() as said:
                yield heard
        finally:
            for some in said:
                rows = some.tolist()
                heard += self.by_class(rows) if self.of_classes else rows

    def by_class(self, rows: list[list[float]]) -> Iterator[dict[Any, float]]:
        """Yield probabilities by class; those known before a round come first."""
        known = self.learner.classes_
        return (dict(zip(known, row, strict=False)) for row in rows)

    def noted(self, scores: Any, likely: Any) -> Said:
        """Return what a batch has of some rounds: scores and probabilities."""
        chances: NDArray[Any] | None = None
        if self.likely:
            chances = objects(likely) if self.of_classes else np.array(likely)
        elif self.chances:
            chances = np.array(scores, dtype=np.float64)
            _core.respond("logistic", chances)
        shown = self.scores and not self.of_classes
        scored = np.asarray(scores) if shown else None
        return Said(
            chances if self.ranks else scored, chances if self.chances else None
        )

    def losses_by(self, scores: Any, labels: NDArray[Any]) -> NDArray[np.float64]:
        """Return the log losses of some rounds by their scores; 0 without a label."""
        told = ~unlabelled(labels)
        losses = np.zeros(len(labels))
        scored, right = np.asarray(scores)[told], labels[told]
        if self.of_classes:
            losses[told] = _losses_of_classes(self.learner.classes_, scored, right)
        else:
            losses[told] = as_loss("logistic").value(scored, right.astype(np.bool_))
        return losses


class Beforehand:
    """What a learner says of the rows of a block, each before its round."""

    def __init__(self, learner: Any, recorder: Recorder, block: Block) -> None:
        self.asked = Asked.of(learner, recorder)
        rows = block.rows
        self._learner, self._rows = learner, rows
        self._first, self._last = block.first, block.last
        self._scores: Any = None
        if self.asked.scores:
            shape = [len(rows)]
            if self.asked.of_classes:  # as many in each round, as it only predicts
                shape.append(len(self.asked.learner.classes_))
            self._scores = np.empty(shape)
        # One for each row of the block, which may be a part of many rows.
        count = block.last - block.first
        self._likely: list[Any] = [0.0] * count if self.asked.likely else []
        # What the learner writes itself while it plays.
        self.noted: dict[str, NDArray[np.float64]] = {}
        if self._scores is not None and getattr(learner, "scores_rows", False):
            self.noted["scores"] = self._scores

    def around(self, play: Callable[[int, int], int]) -> Callable[[int, int], int]:
        """Return what asks, then plays.

        A learner that learns, and does not tell while it plays, is asked row by row,
        which takes some microseconds for each. A row that it refuses is refused again
        where it is played.
        """
        scores = self._scores is not None and not self.noted
        if not scores and not self.asked.likely:
            return play
        asked, rows = self.asked, self._rows
        if asked.hears and not scores:
            return self._listening(play)
        if asked.learner is not self._learner:
            with suppress(ExampleError):
                self._ask_all(scores=scores)
                return play

        def play_row(first: int, _: int) -> int:
            with suppress(ExampleError):
                x = rows.row(first)
                if scores:
                    self._scores[first] = asked.score_one(x)
                if asked.likely:
                    self._likely[first - self._first] = asked.chance_one(x)
            return play(first, first + 1)

        return play_row

    def _listening(self, play: Callable[[int, int], int]) -> Callable[[int, int], int]:
        """Return what plays, and hears the probabilities meanwhile."""

        def play_rows(first: int, last: int) -> int:
            try:
                with self.asked.listening() as heard:
                    return play(first, last)
            finally:
                at = first - self._first
                self._likely[at : at + len(heard)] = heard

        return play_rows

    def _ask_all(self, *, scores: bool) -> None:
        learner, several = self.asked.learner, self.asked.of_classes
        here = slice(self._first, self._last)
        rows = self._rows.part(self._first, self._last)
        if scores:
            self._scores[here] = learner.decision_function(rows)
        if not self.asked.likely:
            return
        chances = learner.predict_proba(rows)
        if several:
            self._likely = [*self.asked.by_class(chances.tolist())]
        else:
            self._likely = chances[:, 1].tolist()

    def notes(self, played: slice) -> Said:
        """Return what a batch has of some rounds."""
        if self._scores is None and not self.asked.likely:
            return UNASKED
        scores = None if self._scores is None else self._scores[played]
        likely = self._likely[played.start - self._first : played.stop - self._first]
        return self.asked.noted(scores, likely)

    def losses(self, labels: NDArray[Any], played: slice) -> NDArray[np.float64]:
        """Return the log losses of some rounds of a learner that only predicts."""
        return self.asked.losses_by(self._scores[played], labels[played])


def priced(
    labels: NDArray[Any],
    chances: NDArray[Any],
    weights: NDArray[np.float64] | None = None,
) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64] | None]:
    """Return labels, their log losses by probabilities of yes or classes, and weights.

    Rounds of a class that was not known yet are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.running.beforehand import priced
    >>> priced(np.array([True, False]), np.array([1.0, 0.5]))[1].round(3).tolist()
    [0.0, 0.693]
    """
    if chances.dtype != object:
        right = np.where(labels.astype(np.bool_), chances, 1.0 - chances)
    else:
        of_it = [each.get(y) for each, y in zip(chances, labels.tolist(), strict=True)]
        known = np.array([each is not None for each in of_it], dtype=np.bool_)
        labels, right = labels[known], np.array([p for p in of_it if p is not None])
        weights = None if weights is None else weights[known]
    with np.errstate(divide="ignore"):  # -ln 0 is infinite, and meant to be
        return labels, 0.0 - np.log(right), weights


def _losses_of_classes(
    classes: Any, scores: NDArray[np.float64], labels: NDArray[Any]
) -> NDArray[np.float64]:
    numbers = {label: number for number, label in enumerate(classes)}
    new = len(numbers)
    right = np.array([numbers.get(y, new) for y in labels.tolist()], dtype=np.intp)
    # A class that is not known has the score 0, as where the learner learns.
    scores = scores.reshape(len(right), new)
    scores = np.column_stack((scores, np.where(right == new, 0.0, -np.inf)))
    best = scores.max(axis=1)
    sums = np.exp(scores - best[:, None]).sum(axis=1)
    own = scores[np.arange(len(right)), right]
    losses: NDArray[np.float64] = np.log(sums) + (best - own)
    return losses
