"""Why a margin is needed: no bound holds for thresholds on a line without one."""

from __future__ import annotations

from typing import Any

from littlestone.adversaries._base import Numbered, said, whole
from littlestone.concepts import Halfspace
from littlestone.theorems import SOA_LB, Theorem

__all__ = ["ShrinkingAdversary", "ThresholdAdversary"]

# Between two neighbours at this depth there is no double.
_MOST_HALVES = 53
# Powers of 2 below this one are not numbers of full precision.
_MOST_SHRINKS = 500


class ThresholdAdversary(Numbered):
    r"""The middle of the thresholds left, and a label against the prediction.

    A threshold $z$ on $[0, 1]$ says yes to every number from $z$ on. Each round shows
    the middle of the interval in which $z$ may lie; either label leaves half of it. So
    this never ends: without a margin no learner has a bound, not even for one number.
    In doubles it ends after 53 rounds.

    Parameters
    ----------
    rounds
        How many rounds to play, 1 to 53.

    Attributes
    ----------
    rounds, forces
        So many mistakes does every learner make.
    theorem, numbers
        `SOA-LB`: thresholds on $[0, 1]$ shatter a tree of every depth.
    best_
        Mistakes of the best threshold: always 0.
    threshold_
        The largest threshold that has been right in all rounds.

    References
    ----------
    Shashua (2004), Introduction to machine learning, lecture 3.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.adversaries import ThresholdAdversary
    >>> from littlestone.linear import Perceptron
    >>> adversary = ThresholdAdversary(50)
    >>> run(Perceptron(bias=1), adversary)
    Record(Perceptron: 50 rounds, 50 mistakes (100.00%), 50 updates)
    >>> adversary.best_, 0 <= adversary.threshold_ <= 1
    (0, True)
    """

    def __init__(self, rounds: int = 32) -> None:
        self.rounds = whole(type(self).__name__, "rounds", rounds, 1, _MOST_HALVES)
        super().__init__()

    @property
    def theorem(self) -> Theorem:
        """The theorem that this adversary proves."""
        return SOA_LB

    @property
    def numbers(self) -> dict[str, int]:
        """What the theorem takes: `dimension`, of those thresholds that rounds tell."""
        return {"dimension": self.rounds}

    @property
    def forces(self) -> int:
        """The mistakes that no learner avoids: one a round."""
        return self.rounds

    @property
    def features(self) -> tuple[str]:
        """What the examples are made of: one number, x."""
        return ("x",)

    @property
    def best_(self) -> int:
        """Mistakes of the best threshold: none, as `threshold_` has been right."""
        return 0

    @property
    def threshold_(self) -> float:
        """The largest threshold that has been right in all rounds so far."""
        return self._high

    comparator_ = threshold_

    def restart(self) -> None:
        """Forget what was played; the next question is that of the first round."""
        super().restart()
        self._low, self._high = 0.0, 1.0

    def _example(self, at: int) -> dict[str, float]:  # noqa: ARG002 - by the answers
        return {"x": (self._low + self._high) / 2}

    def _label(self, at: int, prediction: Any) -> bool:
        middle, label = self._example(at)["x"], not said(prediction)
        if label:
            self._high = middle
        else:
            self._low = middle
        return label


class ShrinkingAdversary(Numbered):
    r"""Ever shorter examples, of which all together cannot mend what the first did.

    After $(1, 0)$ with the label no come $2^{-t} (1, \delta)$ with the label yes, for
    $t = 1, \dots, m$ and $\delta = 2^{-m}$. The Perceptron adds each and errs on the
    next, since $\sum_t 2^{-t} < 1$: one vector separates all, but the margin is tiny.
    Labels do not depend on the predictions. A Perceptron that scales examples to length
    1 makes few mistakes.

    Parameters
    ----------
    rounds
        How many rounds to play, $m + 1$: 2 to 500.

    Attributes
    ----------
    rounds
        So many mistakes does the Perceptron make; for other learners nothing is proved,
        so `forces` is 0.
    best_
        Mistakes of the best separator: always 0.
    separator_
        A vector that separates all rounds: $(-1, 2/\delta)$.

    References
    ----------
    Shashua (2004), Introduction to machine learning, lecture 3.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.adversaries import ShrinkingAdversary
    >>> from littlestone.linear import Perceptron
    >>> run(Perceptron(), ShrinkingAdversary(100)).mistakes
    100
    >>> run(Perceptron(normalize=True), ShrinkingAdversary(100)).mistakes
    2
    """

    def __init__(self, rounds: int = 32) -> None:
        self.rounds = whole(type(self).__name__, "rounds", rounds, 2, _MOST_SHRINKS)
        super().__init__()

    @property
    def features(self) -> tuple[str, str]:
        """What the examples are made of: two numbers, a and b."""
        return ("a", "b")

    @property
    def best_(self) -> int:
        """Mistakes of the best separator: none, as `separator_` is right."""
        return 0

    @property
    def separator_(self) -> dict[str, float]:
        """A vector that separates all rounds."""
        return {"a": -1.0, "b": 2.0**self.rounds}

    @property
    def comparator_(self) -> Halfspace:
        """The separator, as a concept."""
        return Halfspace(self.separator_, 0)

    def _example(self, at: int) -> dict[str, float]:
        if not at:
            return {"a": 1.0}
        return {"a": 2.0**-at, "b": 2.0 ** -(at + self.rounds - 1)}

    def _label(self, at: int, prediction: Any) -> bool:  # noqa: ARG002 - by the round
        return at > 0
