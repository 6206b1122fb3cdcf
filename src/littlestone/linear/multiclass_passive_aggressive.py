"""Passive-Aggressive for many classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from littlestone import _core, theorems
from littlestone.learner.parameters import finite, positive
from littlestone.linear._aggressive import AggressiveLearner, Mode, checked_mode
from littlestone.linear._multiclass import MulticlassLearner, checked_classes

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

__all__ = ["MulticlassPassiveAggressive"]


class MulticlassPassiveAggressive(AggressiveLearner, MulticlassLearner):
    r"""Passive-Aggressive for many classes: a weight vector each, a margin between.

    The rival $r$ of the right class $y$ is the best of the others, and the loss is
    $\ell = \max(0, 1 - (w_y - w_r) \cdot x)$. With loss, $w_y$ moves by $\tau x$ and
    $w_r$ by $-\tau x$; $\tau$ is $\ell/(2\|x\|^2)$ without a mode, at most C in mode
    `"I"`, and $\ell/(2\|x\|^2 + 1/(2C))$ in mode `"II"`. Classes are any hashable
    labels, and may appear at any time.

    With two classes the difference of the two vectors is that of `PassiveAggressive`
    with twice the C.

    Parameters
    ----------
    C
        How aggressive a step may be; more is more. Mode None does without it.
    mode
        `"I"`, `"II"` or None.
    classes
        Classes known from the start, in the order in which equal scores are decided.
    bias
        The value of a constant feature appended to each example; 0 for none.

    Attributes
    ----------
    classes_
        The classes known, in order of appearance.
    weights_
        The weights by class and feature; what is left out is 0.
    coef_
        The weights of the column-numbered features, a row a class.
    intercept_
        What the constant feature adds to the score of each class.
    updates_
        How many rounds have changed the weights.

    Guarantees
    ----------
    `MCPA-SEP`, `MCPA1` or `MCPA2` by the mode: those of `PassiveAggressive`, with
    $2R^2$ for $R^2$ and $\sum_c \|u_c\|^2$ for $\|u\|^2$. A first round with no class
    known is one mistake more. `MCPA-STEPS` for all, by the run's own steps.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz, Singer (2006), Online passive-aggressive
    algorithms, JMLR 7:551-585, https://jmlr.org/papers/v7/crammer06a.html

    Examples
    --------
    >>> from littlestone.linear import MulticlassPassiveAggressive
    >>> learner = MulticlassPassiveAggressive(mode=None, classes=["bird", "fish"])
    >>> learner.learn_one({"fins": 1.0}, "fish")
    >>> learner.score_one({"fins": 1.0})
    {'bird': -0.5, 'fish': 0.5}
    """

    _theorems: ClassVar[Mapping[Mode, theorems.Theorem]] = {
        None: theorems.MCPA_SEP,
        "I": theorems.MCPA1,
        "II": theorems.MCPA2,
    }
    _others = (theorems.MCPA_STEPS, theorems.MCPA_ORDER)

    def __init__(
        self,
        C: float = 1.0,
        mode: Mode = "I",
        *,
        classes: Iterable[Hashable] | None = None,
        bias: float = 0.0,
    ) -> None:
        owner = "MulticlassPassiveAggressive"
        limit = positive(owner, "C", C)
        known = checked_classes(owner, classes)
        value = finite(owner, "bias", bias)
        self.C = C
        self.mode = checked_mode(owner, mode)
        self.classes = classes
        self.bias = bias
        self._numbers = {label: number for number, label in enumerate(known)}
        self._native = _core.multiclass_passive_aggressive(
            type(self).__name__,
            classes=len(known),
            mode=mode or "",
            c=limit,
            bias=value,
        )
