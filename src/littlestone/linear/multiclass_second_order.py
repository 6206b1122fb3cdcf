"""The second-order Perceptron for many classes: one against the rest."""

from __future__ import annotations

from littlestone import _core, theorems
from littlestone.linear._one_versus_rest import OneVersusRestLearner

__all__ = ["MulticlassSecondOrder"]


class MulticlassSecondOrder(OneVersusRestLearner):
    """A `SecondOrderPerceptron` for each of many classes, which says yes to it.

    The class with the largest score is predicted. Then each class that was wrong about
    itself learns: that of the example if its score was below 0, and others if theirs
    was not. Classes are any hashable labels, and may appear at any time; a new one
    starts to learn then.

    Parameters
    ----------
    r
        What each matrix starts with, above 0; large values make it a Perceptron.
    diagonal
        Keep the diagonals only. With False an update of a class costs the square of the
        number of features, of which there may be 4096.
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
        How many rounds have changed the weights of some class.

    Guarantees
    ----------
    `MCSOP`: that of `SecondOrderPerceptron`, added up over the classes, and one mistake
    more for each class that was not known.

    References
    ----------
    Cesa-Bianchi, Conconi, Gentile (2005), A second-order perceptron algorithm, SIAM
    Journal on Computing 34:640-668, https://doi.org/10.1137/S0097539703432542

    Examples
    --------
    >>> from littlestone.linear import MulticlassSecondOrder
    >>> learner = MulticlassSecondOrder(diagonal=False, classes=["bird", "fish"])
    >>> learner.learn_one({"fins": 1.0}, "fish")
    >>> learner.score_one({"fins": 1.0})
    {'bird': -0.5, 'fish': 0.0}
    """

    _rule = staticmethod(_core.multiclass_second_order)

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its mistakes."""
        return (theorems.MCSOP,)
