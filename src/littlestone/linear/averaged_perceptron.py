"""The averaged Perceptron: learn as the Perceptron, answer with the mean."""

from __future__ import annotations

from littlestone import _core, theorems
from littlestone.learner.parameters import finite
from littlestone.linear._base import QuietLearner
from littlestone.linear.perceptron import GUARANTEES

__all__ = ["AveragedPerceptron"]


class AveragedPerceptron(QuietLearner):
    r"""The averaged Perceptron: learn as the Perceptron, answer with the mean vector.

    The latest vector $w_t$ decides what is learned, exactly as in `Perceptron`. What is
    said is the sign of $\bar w \cdot x$, where $\bar w$ is the mean of the vectors
    after each round so far: a vector that made no mistake for long counts for much. A
    round costs the features of its example, however many rounds and features there are.

    Parameters
    ----------
    bias
        The value of a constant feature appended to each example; 0 for none.

    Attributes
    ----------
    weights_
        The mean weights by feature; a feature not listed weighs 0.
    coef_
        The mean weights of the column-numbered features, dense.
    intercept_
        What the constant feature adds to every score.
    updates_
        How many rounds have changed the latest vector.

    Guarantees
    ----------
    `PERC-SEP`, `PERC-TD`, `PERC-RMS`, `PERC-HINGE`, `PERC-FS`, `PERC-BIAS` and
    `PERC-GAP` bound the updates. They do not bound what the mean vector gets wrong: it
    may err in a round in which the latest vector is right, and nothing is learned then.

    References
    ----------
    Freund, Schapire (1999), Large margin classification using the perceptron algorithm,
    Machine Learning 37:277-296, https://doi.org/10.1023/A:1007662407062

    Examples
    --------
    The latest vector is 0, -1 and 0 again after the three rounds; the mean is -1/3:

    >>> from littlestone.linear import AveragedPerceptron
    >>> learner = AveragedPerceptron()
    >>> learner.play([[1.0], [1.0], [1.0]], [True, False, True]).tolist()
    [True, True, False]
    >>> learner.weights_
    {0: -0.3333333333333333}
    """

    def __init__(self, *, bias: float = 0.0) -> None:
        value = finite("AveragedPerceptron", "bias", bias)
        self.bias = bias
        self._native = _core.averaged_perceptron(type(self).__name__, bias=value)

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its updates."""
        return GUARANTEES
