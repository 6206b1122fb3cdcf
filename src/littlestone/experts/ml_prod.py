"""ML-Prod: products of regrets, with a rate for each expert."""

from __future__ import annotations

from typing import ClassVar

from littlestone import theorems
from littlestone.experts._regrets import RegretLearner

__all__ = ["MLProd"]


class MLProd(RegretLearner):
    r"""Weigh experts by the product of $1 + \eta r$ over rounds, $r$ being a regret.

    Each expert has its own rate, about $\sqrt{\ln N / (1 + V)}$, where $V$ adds up the
    squares of its regrets; the product is raised to the power by which the rate falls.
    An expert that sleeps is not touched.

    Parameters
    ----------
    loss
        `"square"`, `"absolute"`, `"log"`, `"brier"`, `"percentage"`, `"zero-one"`,
        `losses.pinball(tau)`, or a function of a prediction and an outcome.
    form
        `"opera"`, which takes the rate after a round for that round, and caps it at
        half of 1 over the largest regret; or `"published"`, which takes the rate from
        before, capped at 1/2.
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
    `ML-PROD` in opera's form, `ML-PROD-PUB` in the published one: regret of the order
    of $\sqrt{(1 + V) \ln N}$.

    References
    ----------
    Gaillard, Stoltz, van Erven (2014), A second-order bound with excess losses,
    Conference on Learning Theory 35:176-196. Gaillard, Goude (2021), opera, the R
    package.

    Examples
    --------
    >>> from littlestone.experts import MLProd
    >>> learner = MLProd(loss="square")
    >>> for y in (51_000.0, 48_000.0, 50_500.0, 49_000.0):
    ...     learner.learn_one({"high": y + 900, "low": y - 100}, y)
    >>> learner.weights_["low"] > learner.weights_["high"]
    True
    """

    _rule: ClassVar[str] = "product"

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its regret."""
        opera = self.form == "opera"
        return (theorems.ML_PROD if opera else theorems.ML_PROD_PUB,)
