"""PERC-LB: at margin gamma, floor(1/gamma^2) mistakes cannot be avoided."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.adversaries._base import Numbered, said
from littlestone.errors import ParameterError
from littlestone.theorems import PERC_LB, Theorem

if TYPE_CHECKING:
    from decimal import Decimal

__all__ = ["PerceptronAdversary"]


class PerceptronAdversary(Numbered):
    r"""A new feature in every round, and a label against the prediction.

    Round $i = 0, \dots, n - 1$ shows the unit vector $e_i$, where
    $n = \lfloor 1/\gamma^2 \rfloor$. No round says anything about another, yet the
    vector $u = \frac{1}{\sqrt n} \sum_i y_i e_i$ of length 1 separates them all with
    margin $1/\sqrt n \ge \gamma$.

    Parameters
    ----------
    gamma
        The margin $\gamma$, above 0 and at most 1. It is taken exactly: the float 0.1
        lies above 1/10 and gives 99 rounds, `Fraction(1, 10)` gives 100.

    Attributes
    ----------
    rounds, forces
        $n$, and so many mistakes does every learner make.
    theorem, numbers
        `PERC-LB`, and the number it takes.
    best_
        Mistakes of the best separator: always 0.
    separator_
        $\sqrt n\, u$, the label of each feature shown so far as -1 or +1.

    Guarantees
    ----------
    `PERC-LB`: every deterministic learner makes exactly $\lfloor 1/\gamma^2 \rfloor$
    mistakes on examples of length 1 that some vector separates with margin $\gamma$.
    Where $1/\gamma^2$ is whole, the Perceptron attains its `PERC-SEP` with equality.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.adversaries import PerceptronAdversary
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.theorems import PERC_SEP
    >>> adversary = PerceptronAdversary(0.5)
    >>> run(Perceptron(), adversary)
    Record(Perceptron: 4 rounds, 4 mistakes (100.00%), 4 updates)
    >>> PERC_SEP.bound(radius=1, margin=0.5)
    4.0
    >>> adversary.separator_
    {0: -1, 1: -1, 2: -1, 3: -1}
    """

    def __init__(self, gamma: float | Fraction | Decimal) -> None:
        self._gamma = _exact(gamma)
        if not 0 < self._gamma <= 1:
            raise ParameterError(
                f"gamma must exceed 0 and be at most 1, got {gamma!r}",
                owner="PerceptronAdversary",
            )
        self.gamma = gamma
        self.rounds = self._gamma.denominator**2 // self._gamma.numerator**2
        super().__init__()

    @property
    def theorem(self) -> Theorem:
        """The theorem that this adversary proves."""
        return PERC_LB

    @property
    def numbers(self) -> dict[str, Fraction]:
        """What the theorem takes: `margin`."""
        return {"margin": self._gamma}

    @property
    def forces(self) -> int:
        """The mistakes that no learner avoids: one a round."""
        return self.rounds

    @property
    def features(self) -> range:
        """What the examples are made of: a column of its own for each round."""
        return range(self.rounds)

    @property
    def best_(self) -> int:
        """Mistakes of the best separator: none, as `separator_` has been right."""
        return 0

    @property
    def separator_(self) -> dict[int, int]:
        """The label of each feature shown so far, which separates with margin 1."""
        return dict(enumerate(self._signs))

    comparator_ = separator_

    def restart(self) -> None:
        """Forget what was played; the next question is that of the first round."""
        super().restart()
        self._signs: list[int] = []

    def _example(self, at: int) -> dict[int, float]:
        return {at: 1.0}

    def _label(self, at: int, prediction: Any) -> bool:  # noqa: ARG002 - all are alike
        label = not said(prediction)
        self._signs.append(1 if label else -1)
        return label


def _exact(gamma: Any) -> Fraction:
    if hasattr(gamma, "item"):  # NumPy's numbers would overflow inside a fraction
        gamma = gamma.item()
    if not isinstance(gamma, (str, bytes)):
        with suppress(TypeError, ValueError, OverflowError):
            return Fraction(gamma)
    raise ParameterError(
        f"gamma must be a finite number, got {gamma!r}", owner="PerceptronAdversary"
    )
