"""ML-Poly: weights in proportion to what following an expert would have saved."""

from __future__ import annotations

from typing import ClassVar

from littlestone import theorems
from littlestone.experts._regrets import RegretLearner

__all__ = ["MLPoly"]


class MLPoly(RegretLearner):
    r"""Weigh experts by their regret so far, if it is above 0, over its squares.

    The regret $R$ of an expert is what the learner lost more than the expert did while
    that one was awake. Its weight is $R_+ / (E^2 + V)$, where $V$ adds up the squares
    of its regrets round by round; there is no rate to choose. While no regret exceeds
    0 the priors decide. An expert that sleeps is not touched.

    Parameters
    ----------
    loss
        `"square"`, `"absolute"`, `"log"`, `"brier"`, `"percentage"`, `"zero-one"`,
        `losses.pinball(tau)`, or a function of a prediction and an outcome.
    form
        `"opera"`, where $E$ is the largest regret of any round so far, so that losses
        may be of any size; or `"published"`, where $E = 1$.
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
    `ML-POLY`: regret at most $\sqrt{N (E^2 + V) (1 + \ln(1 + T) + 5.06 \ln(E / E_1))}$
    after $T$ rounds, with $E_1$ the largest regret of the first round that has one.

    References
    ----------
    Gaillard, Stoltz, van Erven (2014), A second-order bound with excess losses,
    Conference on Learning Theory 35:176-196. Gaillard, Goude (2021), opera, the R
    package.

    Examples
    --------
    >>> from littlestone.experts import MLPoly
    >>> learner = MLPoly(loss="square")
    >>> for y in (51_000.0, 48_000.0, 50_500.0, 49_000.0):
    ...     learner.learn_one({"high": y + 900, "low": y - 100}, y)
    >>> learner.weights_["low"] > learner.weights_["high"]
    True
    """

    _rule: ClassVar[str] = "polynomial"

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its regret."""
        return (theorems.ML_POLY,)
