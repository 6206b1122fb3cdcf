"""AIOLI: second-order online logistic regression, for few columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone import _core, theorems
from littlestone.learner import as_label
from littlestone.learner.parameters import finite, not_negative, positive
from littlestone.linear._charged import ChargedLearner
from littlestone.linear._class_weights import checked_class_weight
from littlestone.losses import LOGISTIC

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AIOLI"]


class AIOLI(ChargedLearner):
    r"""AIOLI: logistic regression with a full matrix, and cautious probabilities.

    Each round is remembered as a quadratic $\hat\ell_t$ with the slope of the log loss
    at the score, and its second derivative over 1 + `reach`. Before it predicts, both
    labels of the example at hand are weighed:

    $$w_t = \operatorname{argmin}_w \frac a2 \|w\|^2 + \sum_{s<t} \hat\ell_s(w)
    + \ln(1 + e^{w \cdot x_t}) + \ln(1 + e^{-w \cdot x_t}),$$

    which draws the probability towards 1/2 as far as little is known of such examples.
    A round costs the square of the number of features, of which there may be 4,096.

    Parameters
    ----------
    a
        How much the length of $u$ counts, above 0.
    reach
        How large scores $|u \cdot x|$ may be where the quadratics are still below the
        loss, at least 0. Less learns faster, and may add to the bound.
    bias
        The value of a constant feature appended to each example; 0 for none.
    class_weight
        How often a round counts by its label, such as `{True: 10}` if yes is rare; None
        counts each once.

    Attributes
    ----------
    weights_
        The weights least for the quadratics, by feature; a feature not listed weighs 0.
    coef_
        The weights of the column-numbered features, dense.
    loss_, last_loss_
        What it has lost since birth, and in the latest round.
    updates_
        How many rounds have changed the weights.

    Guarantees
    ----------
    `AIOLI`: for every $u$, on every sequence, its log loss exceeds that of $u$ by at
    most $\frac a2 \|u\|^2 + G + X$, where $G$ adds up $\frac12 (q_t^2 v_t / (1 + h_t
    v_t) - (2 p_t - 1)^2 v_t)$, with $p_t$ the probability of yes, $q_t$ that of the
    label, $v_t = x_t^\top A_{t-1}^{-1} x_t$ and $h_t$ the bend of the quadratic, and
    $X$ what the quadratics are above the losses of $u$: 0 if $|u \cdot x|$ is within
    the reach.

    References
    ----------
    Jezequel, Gaillard, Rudi (2020), Efficient improper learning for online logistic
    regression, Conference on Learning Theory, PMLR 125:2085-2108

    Examples
    --------
    >>> from littlestone.linear import AIOLI
    >>> learner = AIOLI(1.0, reach=0, bias=0)
    >>> learner.learn_one({"a": 1.0}, True)
    >>> learner.weights_, round(learner.predict_proba_one({"a": 1.0})[True], 3)
    ({'a': 0.4}, 0.571)
    """

    def __init__(
        self,
        a: float = 0.1,
        reach: float = 3.0,
        *,
        bias: float = 1.0,
        class_weight: Mapping[bool, float] | None = None,
    ) -> None:
        owner = "AIOLI"
        self.a = a
        self.reach = reach
        self.bias = bias
        self._loss = LOGISTIC
        self._shares = checked_class_weight(owner, class_weight, as_label)
        self.class_weight = None if class_weight is None else dict(self._shares)
        self._native = _core.aioli(
            owner,
            a=positive(owner, "a", a),
            reach=not_negative(owner, "reach", reach),
            bias=finite(owner, "bias", bias),
        )

    @property
    def loss(self) -> str:  # type: ignore[override]  # no parameter of this learner
        """The loss that it charges."""
        return "logistic"

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """Its bias and a."""
        return super().known_ | {"a": float(self.a)}

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its regret."""
        return (theorems.AIOLI,)
