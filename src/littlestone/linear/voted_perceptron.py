"""The voted Perceptron: every weight vector there has been votes."""

from __future__ import annotations

from littlestone import _core, theorems
from littlestone.learner.parameters import finite
from littlestone.linear._base import QuietLearner
from littlestone.linear.perceptron import GUARANTEES

__all__ = ["VotedPerceptron"]


class VotedPerceptron(QuietLearner):
    r"""The voted Perceptron: each weight vector votes for as long as it lasted.

    The latest vector decides what is learned, exactly as in `Perceptron`. It predicts
    the sign of $\sum_k c_k \operatorname{sign}(v_k \cdot x)$ over all vectors there
    have been, where $c_k$ counts the rounds after which $v_k$ was the latest. The
    vectors are kept as the examples that led from one to the next, so memory and the
    time to predict grow with the updates; `partial_fit` does not vote and stays fast.

    Parameters
    ----------
    bias
        The value of a constant feature appended to each example; 0 for none.

    Attributes
    ----------
    weights_
        The weights of the latest vector by feature; a feature not listed weighs 0.
    coef_
        The same for the column-numbered features, dense.
    intercept_
        What the constant feature adds to the latest vector's scores.
    updates_
        How many rounds have led to a new vector.

    Guarantees
    ----------
    `PERC-SEP`, `PERC-TD`, `PERC-RMS`, `PERC-HINGE`, `PERC-FS`, `PERC-BIAS` and
    `PERC-GAP` bound the updates, not what the vote gets wrong. `VOTE-FS`: if the
    examples are drawn independently from one source, the vote after n of them errs on
    the next with probability at most $2/(n+1)$ times the expected bound on the updates.

    References
    ----------
    Freund, Schapire (1999), Large margin classification using the perceptron algorithm,
    Machine Learning 37:277-296, https://doi.org/10.1023/A:1007662407062

    Examples
    --------
    The zero vector lasted for one round and says yes, as does the third vector; the
    second lasted for two rounds and says no:

    >>> from littlestone.linear import VotedPerceptron
    >>> learner = VotedPerceptron()
    >>> rows, labels = [[1.0], [1.0], [1.0], [1.0]], [True, False, False, True]
    >>> learner.play(rows, labels).tolist()
    [True, True, True, False]
    >>> learner.score_one([1.0])
    0.0
    """

    def __init__(self, *, bias: float = 0.0) -> None:
        value = finite("VotedPerceptron", "bias", bias)
        self.bias = bias
        self._native = _core.voted_perceptron(type(self).__name__, bias=value)

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its updates, and the errors of the vote."""
        return (*GUARANTEES, theorems.VOTE_FS)

    @property
    def intercept_(self) -> float:
        """What the constant feature adds to the latest vector's scores."""
        return self._native.state[0] * self.bias
