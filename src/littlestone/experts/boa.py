"""BOA: Bernstein online aggregation."""

from __future__ import annotations

from typing import ClassVar

from littlestone import theorems
from littlestone.experts._regrets import RegretLearner

__all__ = ["BOA"]


class BOA(RegretLearner):
    r"""Exponential weights of regrets, less their squares times the rate.

    Each expert has its own rate, which falls as the squares $V$ of its regrets add up.
    Its weight is $\eta e^{\eta Q}$, where each round adds $r - \eta r^2$ to $Q$, $r$
    being the regret. An expert that sleeps is not touched.

    Parameters
    ----------
    loss
        `"square"`, `"absolute"`, `"log"`, `"brier"`, `"percentage"`, `"zero-one"`,
        `losses.pinball(tau)`, or a function of a prediction and an outcome.
    form
        `"opera"`, with the rate $1 / \sqrt{2.2\, V}$, the round just played within; or
        `"published"`, with $\min(1/2, \sqrt{\ln(1 / \mathrm{prior}) / V})$ before
        the round.
    gradient
        Charge experts by the slope of the loss at the learner's own prediction: then it
        competes with the best mixture of experts, not only with the best of them.
    range
        What losses may be, `(low, high)`: they are rescaled to $[0, 1]$, and one
        outside is refused. If not given, any in opera's form, $[0, 1]$ in the
        published one. With `gradient` it is the range of slope times advice, and
        the published form needs it.
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
    `BOA` in opera's form: regret of the order of $\sqrt{V} \ln N$. `BOA-PUB` in the
    published one: of the order of $\sqrt{V \ln N}$.

    References
    ----------
    Wintenberger (2017), Optimal learning with Bernstein online aggregation, Machine
    Learning 106:119-141, https://doi.org/10.1007/s10994-016-5592-6

    Examples
    --------
    >>> from littlestone.experts import BOA
    >>> learner = BOA(loss="square")
    >>> for y in (51_000.0, 48_000.0, 50_500.0, 49_000.0):
    ...     learner.learn_one({"high": y + 900, "low": y - 100}, y)
    >>> learner.weights_["low"] > learner.weights_["high"]
    True
    """

    _rule: ClassVar[str] = "bernstein"

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its regret."""
        return (theorems.BOA if self.form == "opera" else theorems.BOA_PUB,)
