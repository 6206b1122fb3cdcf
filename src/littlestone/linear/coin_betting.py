"""Coin betting: learn without a rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone import _core, theorems
from littlestone.learner.parameters import positive
from littlestone.linear._charged import ChargedLearner, LossSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CoinBetting"]


class CoinBetting(ChargedLearner):
    r"""Coin betting, after Krichevsky and Trofimov: no rate to choose, any scale.

    Each feature has some wealth and bets a share of it, with its sign, on the next
    gradient; the weight is the bet. With $u_i$ the sum of the sizes of gradients below
    0, $d_i$ of those above, and $h_i$ the largest that there can be,

    $$w_{t,i} = \frac{u_i - d_i}{u_i + d_i + h_i} \cdot \frac{W_{t,i}}{h_i}, \qquad
    W_{t+1,i} = W_{t,i} - g_{t,i} w_{t,i} .$$

    A column multiplied by any number gives the same predictions.

    Parameters
    ----------
    loss
        `"logistic"` learns yes and no, with probabilities, `"hinge"` without;
        `"square"`, `"absolute"`, `"poisson"`, `losses.pinball(tau)` and
        `losses.huber(delta)` learn numbers.
    wealth
        How much the features of an example share when they first bet: a feature starts
        with the wealth divided by the length of the example, each value taken as a
        share of the largest of its feature. The regret grows with its logarithm only.
    scale
        The largest size of a gradient, beyond which an example is refused. None finds
        out: $h_i$ is the largest value of the feature times the steepest slope, of the
        loss or so far; a slope beyond all before it counts as the largest before.
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
    `COIN`: for every $u$, on every sequence, its loss exceeds that of $u$ by at most
    $\sum_i \epsilon_i + v_i \sqrt{n_i \ln(1 + 24 n_i^2 v_i^2/\epsilon_i^2)}$, where
    $\epsilon_i$ is the wealth that a feature starts with and $v_i = |u_i| h_i$,
    with $n_i$ the sizes of the gradients over $h_i$, and what changes of $h_i$ add.

    References
    ----------
    Orabona, Pál (2016), Coin betting and parameter-free online learning, Advances in
    Neural Information Processing Systems 29. Orabona, Tommasi (2017), Training deep
    networks without learning rates through coin betting, Advances in Neural Information
    Processing Systems 30.

    Examples
    --------
    The first example sets the wealth of its feature to 4. Half of it is bet on the
    next, as one gradient of two has won:

    >>> from littlestone.linear import CoinBetting
    >>> learner = CoinBetting("absolute", bias=0)
    >>> learner.learn_one({"a": 1.0}, 5.0)
    >>> learner.weights_
    {'a': 2.0}
    """

    def __init__(
        self,
        loss: LossSpec = "logistic",
        wealth: float = 4.0,
        *,
        scale: float | None = None,
        bias: float = 1.0,
        class_weight: Mapping[bool, float] | None = None,
    ) -> None:
        self.wealth = wealth
        self.scale = scale
        self._make(
            _core.coin_betting,
            loss,
            bias,
            class_weight,
            wealth=positive("CoinBetting", "wealth", wealth),
            scale=0.0 if scale is None else positive("CoinBetting", "scale", scale),
        )

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its regret."""
        return (theorems.COIN,)
