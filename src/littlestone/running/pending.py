"""Rounds that were played one by one and are not in a batch yet."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.errors import LittlestoneError, refusal
from littlestone.learner import objects
from littlestone.running.beforehand import Asked
from littlestone.running.duel import PlayOne
from littlestone.running.tested import Tested

if TYPE_CHECKING:
    from collections.abc import Callable

    from littlestone.learner.rows import Example
    from littlestone.running.batch import Batch
    from littlestone.running.recorder import Recorder

__all__ = ["Pending", "unweighable"]


class Pending:
    """Rounds that were played one by one and are not in a batch yet."""

    def __init__(self, learner: Any, recorder: Recorder) -> None:
        self._learner = learner
        self._asked = Asked.of(learner, recorder)
        self._array = objects if self._asked.of_classes else np.array
        self._charged = hasattr(learner, "last_loss_")
        self.labels: list[Any] = []
        self.predictions: list[Any] = []
        self.sizes: list[int] = []
        self.losses: list[float] = []
        self._weights: dict[int, float] = {}  # those of rounds that have one
        self._scores: list[Any] = []
        self._likely: list[Any] = []
        self._shown = time.monotonic()
        self.play_one = self._playing(learner)

    @property
    def waited(self) -> float:
        """The seconds since rounds were handed over."""
        return time.monotonic() - self._shown

    def _playing(self, learner: Any) -> Callable[..., Any]:
        """Return what plays an example, and notes what the learner said before."""
        own: Callable[..., Any] | None = getattr(learner, "play_one", None)
        play_one: Callable[..., Any] = own or PlayOne(learner)
        asked = self._asked
        if not (asked.scores or asked.likely):
            return play_one

        def play(x: Example, y: object, *weight: float) -> Any:
            score = asked.score_one(x) if asked.scores else None
            chance: Any = None
            if asked.likely and asked.hears:
                with asked.listening() as heard:
                    said = play_one(x, y, *weight)
                [chance] = heard
            else:
                chance = asked.chance_one(x) if asked.likely else None
                said = play_one(x, y, *weight)
            self._scores.append(score)
            self._likely.append(chance)
            return said

        return play

    def weighed(self, x: Example, y: object, weight: float) -> Any:
        """Play a round that counts more or less than once."""
        if weight == 1 or isinstance(self._learner, Tested):
            said = self.play_one(x, y)
        elif getattr(self._learner, "weighs_rounds", False):
            said = self.play_one(x, y, weight)
        else:
            raise unweighable(self._learner, weight)
        self._weights[len(self.labels)] = weight
        return said

    def batch(self, recorder: Recorder) -> Batch:
        """Return the rounds as a batch, and forget them."""
        asked, labels = self._asked, self._array(self.labels)
        weights = None
        if self._weights:
            weights = np.ones(len(labels))
            weights[list(self._weights)] = list(self._weights.values())
        losses = np.array(self.losses) if self._charged else None
        if asked.loses:
            tested = asked.losses_by(self._scores, labels)
            losses = tested if weights is None else tested * weights
        batch = recorder.batch(
            labels,
            self._array(self.predictions),
            list(self.sizes).__getitem__,
            losses=losses,
            said=asked.noted(self._scores, self._likely),
        )
        kept = (self.labels, self.predictions, self.sizes, self.losses)
        for rounds in (*kept, self._scores, self._likely):
            rounds.clear()
        self._weights.clear()
        self._shown = time.monotonic()
        return batch if weights is None else replace(batch, weights=weights)


def unweighable(learner: Any, weight: float) -> LittlestoneError:
    """Return the error of a learner that counts whole rounds.

    Examples
    --------
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.running.pending import unweighable
    >>> print(unweighable(Perceptron(), 2.5))
    Perceptron: a weight must be 1, as its theorems count whole rounds, got 2.5
    """
    return refusal("weight", owner=type(learner).__name__, value=weight)
