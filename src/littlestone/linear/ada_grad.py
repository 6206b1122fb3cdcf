"""AdaGrad: a rate for each feature, which falls as the feature teaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone import _core, theorems
from littlestone.learner.parameters import positive, truth
from littlestone.linear._charged import ChargedLearner, LossSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AdaGrad"]


class AdaGrad(ChargedLearner):
    r"""AdaGrad: rare features move far, frequent ones little.

    As `GradientDescent`, but each feature has a rate of its own, which falls with the
    gradients that it has seen:

    $$w_{t+1,i} = w_{t,i} - \frac{\eta}{\sqrt{\sum_{s \le t} g_{s,i}^2}}\, g_{t,i} .$$

    With `normalize`, columns of any scale may be mixed: each value is divided by the
    largest of its feature so far, the one at hand included, and the rate by the root of
    the mean squared length of such rows.

    Parameters
    ----------
    loss
        `"logistic"` learns yes and no, with probabilities, `"hinge"` without;
        `"square"`, `"absolute"`, `"poisson"`, `losses.pinball(tau)` and
        `losses.huber(delta)` learn numbers.
    rate
        $\eta > 0$, how far the first gradient moves a weight.
    normalize
        Divide each value by the largest of its feature so far.
    bias
        The value of a constant feature appended to each example; 0 for none.
    class_weight
        How often a round counts by its label, such as `{True: 10}` if yes is rare; None
        counts each once.

    Attributes
    ----------
    weights_
        The weights by feature, of values as they come; a feature not listed weighs 0.
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
    `ADAGRAD`: for every $u$, on every sequence, its loss exceeds that of $u$ by at most
    $\frac12 \sum_i \sum_t (D_{t,i} - D_{t-1,i})_+ (u_i - w_{t,i})^2 + \frac12 \sum_i
    \sum_t g_{t,i}^2 / D_{t,i}$, with $D_{t,i}$ the inverse of the rate. With
    `normalize`, of examples as they are normalized.

    References
    ----------
    Duchi, Hazan, Singer (2011), Adaptive subgradient methods for online learning and
    stochastic optimization, Journal of Machine Learning Research 12:2121-2159. Ross,
    Mineiro, Langford (2013), Normalized online learning, Uncertainty in Artificial
    Intelligence, 537-545.

    Examples
    --------
    The first gradient moves a weight by the rate, whatever its size:

    >>> from littlestone.linear import AdaGrad
    >>> learner = AdaGrad("square", rate=0.5, normalize=False, bias=0)
    >>> learner.learn_one({"a": 1.0, "b": 100.0}, 7.0)
    >>> learner.weights_
    {'a': 0.5, 'b': 0.5}
    """

    def __init__(
        self,
        loss: LossSpec = "logistic",
        rate: float = 1.0,
        *,
        normalize: bool = True,
        bias: float = 1.0,
        class_weight: Mapping[bool, float] | None = None,
    ) -> None:
        self.rate = rate
        self.normalize = normalize
        self._make(
            _core.ada_grad,
            loss,
            bias,
            class_weight,
            rate=positive("AdaGrad", "rate", rate),
            normalize=truth("AdaGrad", "normalize", normalize),
        )

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """Its bias and rate."""
        return super().known_ | {"rate": float(self.rate)}

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its regret."""
        return (theorems.ADAGRAD,)
