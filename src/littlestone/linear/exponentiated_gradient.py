"""Exponentiated gradient: multiply the weights of the few features that matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone import _core, theorems
from littlestone.learner.parameters import positive
from littlestone.linear._charged import ChargedLearner, LossSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ExponentiatedGradient"]


class ExponentiatedGradient(ChargedLearner):
    r"""Exponentiated gradient, with weights of either sign: for sparse truths.

    Each feature has two weights, for and against, whose product stays the same; a
    gradient multiplies the one and divides the other. Their difference is

    $$w_{t,i} = \beta \sinh\Big(-\eta \sum_{s < t} g_{s,i}\Big) :$$

    steps that add to weights far below $\beta$, and multiply those far above.

    Parameters
    ----------
    loss
        `"logistic"` learns yes and no, with probabilities, `"hinge"` without;
        `"square"`, `"absolute"`, `"poisson"`, `losses.pinball(tau)` and
        `losses.huber(delta)` learn numbers.
    rate
        $\eta > 0$, the length of a step.
    scale
        $\beta > 0$, from which size on weights are multiplied. The regret grows with
        the logarithm of $1/\beta$, and with $\beta$ times the features that do not
        matter: small if they are many.
    bias
        The value of a constant feature appended to each example; 0 for none.
    class_weight
        How often a round counts by its label, such as `{True: 10}` if yes is rare; None
        counts each once.

    Attributes
    ----------
    weights_
        The weights by feature; a feature not listed weighs 0.
    coef_
        The weights of the column-numbered features, dense.
    intercept_
        What the constant feature adds to every score.
    loss_, last_loss_
        What it has lost since birth, and in the latest round.
    updates_
        How many rounds have changed the weights.

    Guarantees
    ----------
    `EG`: for every $u$, on every sequence, its loss exceeds that of $u$ by at most
    $\frac1\eta \big(\sum_i u_i \mathrm{asinh}(u_i/\beta) - \sqrt{u_i^2 + \beta^2} +
    \beta\big) + \frac1\eta \sum_i \sum_t B(w_{t,i}, w_{t+1,i})$, where $B$ is the
    divergence of one weight from the next, about $\frac{\eta^2}{2} g^2 \sqrt{w^2 +
    \beta^2}$.

    References
    ----------
    Kivinen, Warmuth (1997), Exponentiated gradient versus gradient descent for linear
    predictors, Information and Computation 132:1-63. Ghai, Hazan, Singer (2020),
    Exponentiated gradient meets gradient descent, Algorithmic Learning Theory, 386-407.

    Examples
    --------
    The slope is -1, so the logarithm is 0.5:

    >>> import math
    >>> from littlestone.linear import ExponentiatedGradient
    >>> learner = ExponentiatedGradient("absolute", rate=0.5, scale=1.0, bias=0)
    >>> learner.learn_one({"a": 1.0}, 3.0)
    >>> abs(learner.weights_["a"] - math.sinh(0.5)) < 1e-15
    True
    """

    def __init__(
        self,
        loss: LossSpec = "logistic",
        rate: float = 0.1,
        scale: float = 0.1,
        *,
        bias: float = 1.0,
        class_weight: Mapping[bool, float] | None = None,
    ) -> None:
        self.rate = rate
        self.scale = scale
        self._make(
            _core.exponentiated_gradient,
            loss,
            bias,
            class_weight,
            rate=positive("ExponentiatedGradient", "rate", rate),
            scale=positive("ExponentiatedGradient", "scale", scale),
        )

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """Its bias and rate."""
        return super().known_ | {"rate": float(self.rate)}

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its regret."""
        return (theorems.EG,)
