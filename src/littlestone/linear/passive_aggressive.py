"""Passive-Aggressive: change no more than the example asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from littlestone import _core, theorems
from littlestone.learner.parameters import finite, positive
from littlestone.linear._aggressive import AggressiveLearner, Mode, checked_mode
from littlestone.linear._base import BiasedLearner

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PassiveAggressive"]


class PassiveAggressive(AggressiveLearner, BiasedLearner):
    r"""Passive-Aggressive: leave the weights alone, or move them just far enough.

    The loss of a round is $\ell = \max(0, 1 - y\, w \cdot x)$. Without loss nothing
    changes; otherwise $w \leftarrow w + \tau y x$, where

    - mode None takes the loss away: $\tau = \ell / \|x\|^2$;
    - mode `"I"` goes no further than C: $\tau = \min(C, \ell / \|x\|^2)$;
    - mode `"II"` is damped by C: $\tau = \ell / (\|x\|^2 + 1/(2C))$.

    Parameters
    ----------
    C
        How aggressive a step may be; more is more. Mode None does without it.
    mode
        `"I"`, `"II"` or None.
    bias
        The value of a constant feature appended to each example; 0 for none.

    Attributes
    ----------
    weights_
        The weights by feature; a feature not listed weighs 0.
    coef_
        The weights of the column-numbered features, dense.
    intercept_
        What the constant feature adds to every score.
    updates_
        How many rounds have changed the weights.

    Guarantees
    ----------
    `PA-SEP` without a mode: if $y\,u \cdot x \ge 1$ on every round, at most
    $R^2\|u\|^2$ mistakes. `PA1` and `PA2` for the other two, with what any $u$ loses.
    `PA-STEPS` for all, by the run's own steps.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz, Singer (2006), Online passive-aggressive
    algorithms, JMLR 7:551-585, https://jmlr.org/papers/v7/crammer06a.html

    Examples
    --------
    One step brings the margin to 1:

    >>> from littlestone.linear import PassiveAggressive
    >>> learner = PassiveAggressive(mode=None)
    >>> learner.learn_one({"a": 2.0, "b": 1.0}, True)
    >>> learner.weights_
    {'a': 0.4, 'b': 0.2}
    >>> learner.score_one({"a": 2.0, "b": 1.0})
    1.0
    """

    _theorems: ClassVar[Mapping[Mode, theorems.Theorem]] = {
        None: theorems.PA_SEP,
        "I": theorems.PA1,
        "II": theorems.PA2,
    }
    _others = (theorems.PA_STEPS, theorems.PA_ORDER)

    def __init__(self, C: float = 1.0, mode: Mode = "I", *, bias: float = 0.0) -> None:
        limit = positive("PassiveAggressive", "C", C)
        value = finite("PassiveAggressive", "bias", bias)
        self.C = C
        self.mode = checked_mode("PassiveAggressive", mode)
        self.bias = bias
        self._native = _core.passive_aggressive(
            type(self).__name__, mode=mode or "", c=limit, bias=value
        )
