"""The Perceptron for many classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone import _core, theorems
from littlestone.learner.parameters import finite
from littlestone.linear._multiclass import MulticlassLearner, checked_classes

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

__all__ = ["MulticlassPerceptron"]


class MulticlassPerceptron(MulticlassLearner):
    r"""The Perceptron for many classes: a weight vector each, the largest score wins.

    A round that goes wrong moves the right class towards the example and the class that
    was said away from it, $w_y \leftarrow w_y + x$ and $w_{\hat y} \leftarrow w_{\hat
    y} - x$; no other class changes. Classes are any hashable labels, and may appear at
    any time: a class that was never seen has weight 0. Of equal scores the class seen
    first wins, and before any class is known the prediction is None.

    With two classes, yes named first, it says what `Perceptron` says on every round,
    and the difference of the two vectors is twice the Perceptron's.

    Parameters
    ----------
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
    `MCPERC-SEP`: if some vectors $u_c$ score the right class higher than every other by
    $\gamma$ on every round, at most $2 R^2 \sum_c \|u_c\|^2/\gamma^2$ updates;
    `MCPERC-TD` with what falls short of the margin, `MCPERC-RMS` by the mean length of
    examples. Mistakes are at most one more: a
    first round with no class known cannot be right.

    References
    ----------
    Crammer, Singer (2003), Ultraconservative online algorithms for multiclass problems,
    JMLR 3:951-991, https://jmlr.org/papers/v3/crammer03a.html

    Examples
    --------
    >>> from littlestone.linear import MulticlassPerceptron
    >>> learner = MulticlassPerceptron()
    >>> print(learner.play_one({"wings": 1}, "bird"))
    None
    >>> learner.play_one({"fins": 1, "wings": 1}, "fish")
    'bird'
    >>> learner.play_one({"wings": 1}, "bird")
    'fish'
    >>> learner.weights_
    {'bird': {'fins': -1.0}, 'fish': {'fins': 1.0}}
    """

    def __init__(
        self, classes: Iterable[Hashable] | None = None, *, bias: float = 0.0
    ) -> None:
        known = checked_classes("MulticlassPerceptron", classes)
        value = finite("MulticlassPerceptron", "bias", bias)
        self.classes = classes
        self.bias = bias
        self._numbers = {label: number for number, label in enumerate(known)}
        self._native = _core.multiclass_perceptron(
            type(self).__name__, classes=len(known), bias=value
        )

    @property
    def conservative(self) -> bool:
        """Whether only a mistake changes what this learner knows."""
        return True

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its updates."""
        return theorems.MCPERC_SEP, theorems.MCPERC_TD, theorems.MCPERC_RMS
