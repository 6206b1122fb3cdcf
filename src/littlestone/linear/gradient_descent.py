"""Online gradient descent: a step against the slope of every loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone import _core, theorems
from littlestone.learner.parameters import positive
from littlestone.linear._charged import ChargedLearner, LossSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["GradientDescent"]


class GradientDescent(ChargedLearner):
    r"""Online gradient descent: step against the slope of the loss, every round.

    One weight a feature, each starting at 0, and a score $w_t \cdot x_t$ that the loss
    $\ell_t$ charges. With $g_t = \ell_t'(w_t \cdot x_t)\, x_t$,

    $$w_{t+1} = w_t - \eta\, g_t .$$

    Parameters
    ----------
    loss
        `"logistic"` learns yes and no, with probabilities, `"hinge"` without;
        `"square"`, `"absolute"`, `"poisson"`, `losses.pinball(tau)` and
        `losses.huber(delta)` learn numbers.
    rate
        $\eta > 0$, the length of a step.
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
    `OGD`: for every $u$, on every sequence, its loss exceeds that of $u$ by at most
    $\|u\|^2/(2\eta) + \frac{\eta}{2} \sum_t \|g_t\|^2$.

    References
    ----------
    Zinkevich (2003), Online convex programming and generalized infinitesimal gradient
    ascent, International Conference on Machine Learning, 928-936.

    Examples
    --------
    The prediction was 0 and the outcome 3, so the slope of the square is -6:

    >>> from littlestone.linear import GradientDescent
    >>> learner = GradientDescent("square", rate=0.25, bias=0)
    >>> learner.play_one({"a": 2.0}, 3.0)
    0.0
    >>> learner.weights_, learner.loss_
    ({'a': 3.0}, 9.0)
    >>> learner.predict_one({"a": 1.0})
    3.0
    """

    def __init__(
        self,
        loss: LossSpec = "logistic",
        rate: float = 0.1,
        *,
        bias: float = 1.0,
        class_weight: Mapping[bool, float] | None = None,
    ) -> None:
        self.rate = rate
        self._make(
            _core.gradient_descent,
            loss,
            bias,
            class_weight,
            rate=positive("GradientDescent", "rate", rate),
        )

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """Its bias and rate, and the squared lengths of its gradients so far."""
        squares = self._native.state[3]
        return super().known_ | {"rate": float(self.rate), "squares": squares}

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its regret."""
        return (theorems.OGD,)
