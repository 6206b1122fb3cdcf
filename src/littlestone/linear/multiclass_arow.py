"""AROW for many classes: one against the rest."""

from __future__ import annotations

from littlestone import _core, theorems
from littlestone.linear._one_versus_rest import OneVersusRestLearner

__all__ = ["MulticlassAROW"]


class MulticlassAROW(OneVersusRestLearner):
    r"""AROW for many classes: an `AROW` for each, which says yes to it.

    The class whose mean $\mu_c$ has the largest score $\mu_c \cdot x$ is predicted, and
    then every class learns: that of the example as from a yes, all others as from a no.
    So each class has a block of weights and its own confidence in them. Classes are any
    hashable labels, and may appear at any time; a new one starts to learn then.

    Parameters
    ----------
    r
        How little a single example changes; above 0.
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
        The mean weights by class and feature; what is left out is 0.
    coef_
        The weights of the column-numbered features, a row a class.
    intercept_
        What the constant feature adds to the score of each class.
    updates_
        How many rounds have changed the weights of some class.

    Guarantees
    ----------
    `MCAROW` with full matrices, and `MCAROW-STEPS` for the diagonal form: those of
    `AROW`, added up over the classes, and one mistake more for each class that was not
    known.

    References
    ----------
    Crammer, Kulesza, Dredze (2013), Adaptive regularization of weight vectors, Machine
    Learning 91:155-187, https://doi.org/10.1007/s10994-013-5327-x

    Examples
    --------
    A first example of length 1 moves the mean of each class by half:

    >>> from littlestone.linear import MulticlassAROW
    >>> learner = MulticlassAROW(classes=["bird", "fish"])
    >>> learner.learn_one({"fins": 1.0}, "fish")
    >>> learner.score_one({"fins": 1.0})
    {'bird': -0.5, 'fish': 0.5}
    """

    _rule = staticmethod(_core.multiclass_arow)

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its mistakes."""
        return (theorems.MCAROW_STEPS,) if self.diagonal else (theorems.MCAROW,)
