"""Vovk, Azoury and Warmuth's forecaster: the best linear regression, few columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from littlestone import _core, theorems
from littlestone.errors import ParameterError
from littlestone.learner import as_weights
from littlestone.learner.parameters import finite, positive
from littlestone.linear._charged import ChargedLearner
from littlestone.losses import SQUARE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["VovkAzouryWarmuth"]


class VovkAzouryWarmuth(ChargedLearner):
    r"""Vovk, Azoury and Warmuth's forecaster, for the square loss and few columns.

    Ridge regression that takes the example at hand into its matrix before it predicts:

    $$\hat y_t = x_t^\top A_t^{-1} \sum_{s < t} y_s x_s, \qquad A_t = a I + \sum_{s \le
    t} x_s x_s^\top .$$

    Its regret grows with the logarithm of the rounds, whatever the scale of columns.

    Parameters
    ----------
    a
        How much the length of $u$ counts, above 0.
    bias
        The value of a constant feature appended to each example; 0 for none.

    Attributes
    ----------
    weights_
        The weights of ridge regression by feature; a feature not listed weighs 0.
    coef_
        The weights of the column-numbered features, dense.
    loss_, last_loss_
        What it has lost since birth, and in the latest round.
    updates_
        How many rounds have changed the weights.

    Guarantees
    ----------
    `VAW`: for every $u$, on every sequence, its loss exceeds that of $u$ by at most $a
    \|u\|^2 + \sum_t y_t^2\, x_t^\top A_t^{-1} x_t$, where the sum is at most $\max_t
    y_t^2$ times $\ln\det(A_T/a)$.

    References
    ----------
    Vovk (2001), Competitive on-line statistics, International Statistical Review
    69:213-248, https://doi.org/10.1111/j.1751-5823.2001.tb00457.x. Azoury, Warmuth
    (2001), Relative loss bounds for on-line density estimation with the exponential
    family of distributions, Machine Learning 43:211-246,
    https://doi.org/10.1023/A:1010896012157

    Examples
    --------
    After one example of 1 with outcome 3, ridge regression has the weight 3/2; for the
    next, it divides by 1 + 1/2:

    >>> from littlestone.linear import VovkAzouryWarmuth
    >>> learner = VovkAzouryWarmuth(bias=0)
    >>> learner.learn_one({"a": 1.0}, 3.0)
    >>> learner.weights_, learner.predict_one({"a": 1.0})
    ({'a': 1.5}, 1.0)
    """

    weighs_rounds: ClassVar[bool] = False  # its prediction would depend on the weight

    def __init__(self, a: float = 1.0, *, bias: float = 1.0) -> None:
        owner = "VovkAzouryWarmuth"
        self.a = a
        self.bias = bias
        self._loss = SQUARE
        self._shares = {}
        self._native = _core.vovk_azoury_warmuth(
            owner, a=positive(owner, "a", a), bias=finite(owner, "bias", bias)
        )

    @property
    def loss(self) -> str:  # type: ignore[override]  # no parameter of this learner
        """The loss that it charges."""
        return "square"

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """Its bias and a."""
        return super().known_ | {"a": float(self.a)}

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its regret."""
        return (theorems.VAW,)

    @staticmethod
    def _as_weights(sample_weight: ArrayLike, length: int) -> NDArray[Any]:
        weights = as_weights(sample_weight, length)
        other = (weights != 0) & (weights != 1)
        if other.any():
            row = int(np.argmax(other))
            raise ParameterError(
                "a sample weight must be 0 or 1, as the prediction would depend on "
                f"it, got {weights[row]!s}",
                owner="VovkAzouryWarmuth",
                where=f"row {row}",
            )
        return weights
