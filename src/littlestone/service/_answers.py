"""What a learner says of an example, as a service answers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.linear._base import NativeLearner
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from littlestone.running.recorder import Recorder

__all__ = ["Answers"]


class Answers:
    """The prediction, and what the learner has beside it: scores, chances, intervals.

    Parameters
    ----------
    recorder, learner
        The run, and its learner.
    calibrated
        Whether chances are given that a learner does not predict by, but calibrates.

    Attributes
    ----------
    native
        The learner, if it is a native one whose score says all.

    Examples
    --------
    >>> from littlestone import Recorder
    >>> from littlestone.linear import GradientDescent
    >>> from littlestone.service._answers import Answers
    >>> learner = GradientDescent("logistic")
    >>> answers = Answers(Recorder(learner), learner, calibrated=True)
    >>> answers.say({"a": 1})["probability"]
    0.5
    """

    def __init__(self, recorder: Recorder, learner: Any, *, calibrated: bool) -> None:
        self._recorder, self._learner = recorder, learner
        self._two = recorder.outcome is Outcome.LABEL
        self._scored = hasattr(learner, "score_one")
        self._likely = hasattr(learner, "probability_one")
        self._calibrated = (
            calibrated
            and not self._likely
            and (self._two or recorder.outcome is Outcome.CLASS)
            and hasattr(learner, "predict_proba_one")
            and getattr(learner, "gives_chances", True)
        )
        self._bounded = hasattr(learner, "predict_interval_one")
        self.native: NativeLearner | None = None
        if self._two and not self._likely and isinstance(learner, NativeLearner):
            self.native = learner

    def say(self, x: Any) -> dict[str, Any]:
        """Return what the learner says of an example, and how far it has come."""
        recorder, learner = self._recorder, self._learner
        count = {"learned": recorder.rounds, "mistakes": recorder.mistakes}
        if self.native is not None:
            score = self.native.score_one(x)
            return {"prediction": score >= 0, "score": score, **count}
        said: dict[str, Any] = {"prediction": _plain(recorder.asked(x))}
        if self._scored:
            said |= _one_or_each("score", "scores", learner.score_one(x))
        if self._likely:
            said["probability"] = float(learner.probability_one(x))
        elif self._calibrated:
            chances = learner.predict_proba_one(x)
            found = chances[True] if self._two else chances
            said |= _one_or_each("probability", "probabilities", found)
        if self._bounded:
            said["interval"] = learner.predict_interval_one(x).ends
        return {**said, **count}


def _plain(said: Any) -> Any:
    """Return a prediction as JSON has it."""
    return said.tolist() if isinstance(said, (np.ndarray, np.generic)) else said


def _one_or_each(one: str, each: str, found: Any) -> dict[str, Any]:
    """Return a number by its name, or those of classes as pairs."""
    if isinstance(found, dict):
        return {each: [[label, number] for label, number in found.items()]}
    return {one: found}
