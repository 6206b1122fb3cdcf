"""opera's MLewa: exponential weights of regrets, with a rate for each expert."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.experts._forecaster import Forecaster
from littlestone.learner.parameters import truth
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from littlestone.experts._parameters import Experts, LossSpec, Range
    from littlestone.theorems import Theorem

__all__ = ["MLEwa"]


class MLEwa(Forecaster):
    r"""Exponential weights of regrets, with a rate for each expert.

    The weight is $e^{\eta R}$, where $R$ adds up the regrets $r$ of an expert and
    $\eta = \sqrt{\ln N / \sum r^2}$. An expert that sleeps is not touched. It is here
    because opera has it; `experts.MLPoly` and `experts.BOA` have a theorem.

    Parameters
    ----------
    loss
        `"square"`, `"absolute"`, `"log"`, `"brier"`, `"percentage"`, `"zero-one"`,
        `losses.pinball(tau)`, or a function of a prediction and an outcome.
    gradient
        Charge experts by the slope of the loss at the learner's own prediction.
    range
        What losses may be, `(low, high)`: they are rescaled to $[0, 1]$, and one
        outside is refused. Any if not given.
    experts
        How many experts there are, or their names, or a mapping from name to prior; if
        not given, they are taken from the first advice.

    Attributes
    ----------
    weights_
        The weight of each expert; they sum to one.
    losses_
        What each expert has lost while awake.
    loss_
        What the learner itself has lost.
    regret_
        What the learner has lost more than each expert while that one was awake.
    experts_
        The experts.
    updates_
        How many rounds it has learned from.

    Guarantees
    ----------
    None: no theorem is known for this rule.

    References
    ----------
    Gaillard, Goude (2021), opera, the R package.

    Examples
    --------
    >>> from littlestone.compat.opera import MLEwa
    >>> learner = MLEwa(loss="square")
    >>> for y in (51_000.0, 48_000.0, 50_500.0, 49_000.0):
    ...     learner.learn_one({"high": y + 900, "low": y - 100}, y)
    >>> learner.weights_["low"] > learner.weights_["high"]
    True
    >>> learner.guarantees
    ()
    """

    def __init__(
        self,
        loss: LossSpec = "square",
        *,
        gradient: bool = False,
        range: Range = None,  # noqa: A002 - what it is
        experts: Experts = None,
    ) -> None:
        self.loss = loss
        self.gradient = truth(type(self).__name__, "gradient", gradient)
        self.range = range
        self.experts = experts
        self._make(
            "rated-exponential",
            loss=loss,
            gradient=gradient,
            range=range,
            experts=experts,
        )

    @property
    def guarantees(self) -> tuple[Theorem, ...]:
        """No theorem is known."""
        return ()

    @property
    def expected_mistakes_(self) -> float | None:
        """The mistakes to be expected if an expert were drawn; None for numbers."""
        return self._native.expected if self.outcome is Outcome.LABEL else None
