"""FTRL: follow the regularized leader, with weights that are exactly 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone import _core, theorems
from littlestone.learner.parameters import not_negative, positive, truth
from littlestone.linear._charged import ChargedLearner, LossSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FTRL"]


class FTRL(ChargedLearner):
    r"""Follow the proximally regularized leader: AdaGrad with sparse weights.

    The weight of a feature is what would have been best so far, for losses replaced by
    their tangents, with a regularization that grows with its gradients $g_s$. With
    $D_t = (1 + \sqrt{\sum_{s \le t} g_s^2})/\eta + \lambda_2$ and $z_t = \sum_{s \le t}
    g_s - (D_s - D_{s-1}) w_s$,

    $$w_{t+1} = \begin{cases} 0 & |z_t| \le \lambda_1 \\ -(z_t - \mathrm{sign}(z_t)
    \lambda_1)/D_t & \text{otherwise.} \end{cases}$$

    Parameters
    ----------
    loss
        `"logistic"` learns yes and no, with probabilities, `"hinge"` without;
        `"square"`, `"absolute"`, `"poisson"`, `losses.pinball(tau)` and
        `losses.huber(delta)` learn numbers.
    rate
        $\eta > 0$, the size of steps.
    l1
        $\lambda_1 \ge 0$: a weight is 0 until its gradients add up to more.
    l2
        $\lambda_2 \ge 0$, which keeps weights small.
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
    `FTRL-L1`: for every $u$, on every sequence, its loss exceeds that of $u$ by at most
    $\lambda_1 \|u\|_1 + \frac12 (\lambda_2 + 1/\eta) \|u\|^2 + \frac12 \sum_i \sum_t
    (D_{t,i} - D_{t-1,i}) (u_i - w_{t,i})^2 + \frac12 \sum_i \sum_t g_{t,i}^2/D_{t,i}$.
    With `normalize`, of examples as they are normalized.

    References
    ----------
    McMahan (2011), Follow-the-regularized-leader and mirror descent: equivalence
    theorems and L1 regularization, Artificial Intelligence and Statistics, 525-533.
    McMahan (2017), A survey of algorithms and analysis for adaptive online learning,
    Journal of Machine Learning Research 18:1-50.

    Examples
    --------
    The gradient of the first example is -2, of which 1 is not enough for a weight:

    >>> from littlestone.linear import FTRL
    >>> learner = FTRL("square", rate=1.0, l1=1.0, normalize=False, bias=0)
    >>> learner.learn_one({"a": 1.0, "b": 0.5}, 1.0)
    >>> round(learner.weights_["a"], 3), "b" in learner.weights_
    (0.333, False)
    """

    def __init__(
        self,
        loss: LossSpec = "logistic",
        rate: float = 1.0,
        l1: float = 1.0,
        l2: float = 0.0,
        *,
        normalize: bool = True,
        bias: float = 1.0,
        class_weight: Mapping[bool, float] | None = None,
    ) -> None:
        self.rate = rate
        self.l1 = l1
        self.l2 = l2
        self.normalize = normalize
        self._make(
            _core.ftrl,
            loss,
            bias,
            class_weight,
            rate=positive("FTRL", "rate", rate),
            l1=not_negative("FTRL", "l1", l1),
            l2=not_negative("FTRL", "l2", l2),
            normalize=truth("FTRL", "normalize", normalize),
        )

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """Its bias, rate and penalties."""
        told = {"rate": float(self.rate), "l1": float(self.l1), "l2": float(self.l2)}
        return super().known_ | told

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its regret."""
        return (theorems.FTRL_L1,)
