"""Testing without learning: a learner that only predicts."""

from __future__ import annotations

import math
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from littlestone.conformal import LATELY
from littlestone.errors import ExampleError, ParameterError
from littlestone.learner import as_label
from littlestone.learner.members import as_player
from littlestone.outcome import Outcome, outcome_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from littlestone import _core
    from littlestone.learner.rows import Example

__all__ = ["Tested", "taught", "tested"]


def tested(learner: Any) -> Tested:
    """Return a learner that predicts as this one does and learns nothing."""
    if hasattr(learner, "predict_interval_one"):
        return _TestedIntervals(learner)
    charged = outcome_of(learner).charged and not hasattr(learner, "charges_rows")
    if hasattr(learner, "play_advice") or charged:
        raise ParameterError(
            "learn=False needs a learner from features, as others are charged while "
            f"they learn, got {learner!r}",
            owner="run",
        )
    return (_TestedRows if hasattr(learner, "play_rows") else Tested)(learner)


class Tested:
    """A learner that only predicts."""

    updates_ = 0

    def __init__(self, learner: Any) -> None:
        self.learner = learner
        self._player = as_player(learner)
        self.outcome = outcome_of(learner)
        self.loss = getattr(learner, "loss", None)
        self.gives_chances = getattr(learner, "gives_chances", False)

    def predict_one(self, x: Example) -> Any:
        """Predict as the learner does."""
        return self._player.predict(x)

    def learn_one(self, x: Example, y: object) -> None:
        """Learn nothing."""

    def play_one(self, x: Example, _: object) -> Any:
        """Predict, and learn nothing."""
        said = self.predict_one(x)
        if self.outcome is not Outcome.LABEL:
            return said
        return said is not None and as_label(said)


class _TestedRows(Tested):
    """The same for a learner that plays rows natively."""

    def play_rows(
        self,
        rows: _core.Rows,
        _: NDArray[Any],
        predictions: NDArray[Any],
        first: int,
        last: int,
        changed: NDArray[np.bool_] | None = None,
    ) -> None:
        if changed is not None:
            changed[first:last] = False
        if last - first > 1:
            # A refused row comes up again below, after the rows before it.
            with suppress(ExampleError):
                predictions[first:last] = self.learner.predict(rows.part(first, last))
                return
        for at in range(first, last):
            try:
                predictions[at] = self.learner.predict_one(rows.row(at))
            except ExampleError as error:
                error.rounds = at - first
                raise


class _TestedIntervals(Tested):
    """The same for intervals, which stay as they are: no theorem is about them."""

    def __init__(self, learner: Any) -> None:
        super().__init__(learner)
        self.level = learner.level
        self.intervals_ = (0, 0, 0.0, 0)
        self._band: deque[tuple[float, float]] = deque(maxlen=LATELY)

    @property
    def band_(self) -> tuple[tuple[float, float], ...]:
        """Outcome minus forecast and half the width of the interval, lately."""
        return tuple(self._band)

    def play_one(self, x: Example, y: Any) -> Any:
        """Forecast, and count whether the outcome was inside, if there is one."""
        said, expected = self.predict_one(x), self.learner.predict_interval_one(x)
        if y is not None:
            rounds, misses, widths, wide = self.intervals_
            width = expected.high - expected.low
            finite = math.isfinite(widths + width)
            missed = float(y) not in expected
            widths += width if finite else 0.0
            self.intervals_ = rounds + 1, misses + missed, widths, wide + finite
            self._band.append((float(y) - said, width / 2))
        return said


def taught(learner: Any) -> Any:
    """Return the learner that has learned, if this one only predicts as it does."""
    return learner.learner if isinstance(learner, Tested) else learner
