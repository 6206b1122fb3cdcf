"""The second-order Perceptron: frequent directions weigh less."""

from __future__ import annotations

from littlestone import _core, theorems
from littlestone.linear._damped import DampedLearner

__all__ = ["SecondOrderPerceptron"]


class SecondOrderPerceptron(DampedLearner):
    r"""The second-order Perceptron: weigh each direction by how often it was met.

    Over the mistakes it keeps $v = \sum y x$, as the Perceptron does, and the matrix
    $A = r I + \sum x x^\top$. It says

    $$\hat y_t = +1 \iff v^\top (A + x_t x_t^\top)^{-1} x_t \ge 0,$$

    so that a direction of many mistakes counts for less. With `diagonal`, only the
    diagonal of $A$ is kept, and a round costs the features of its example.

    Parameters
    ----------
    r
        What the matrix starts with; the larger, the closer to the Perceptron.
    diagonal
        Keep the diagonal only. With False an update costs the square of the number of
        features, of which there may be 4096.
    bias
        The value of a constant feature appended to each example; 0 for none.

    Attributes
    ----------
    weights_
        The weights $A^{-1} v$ by feature; a feature not listed weighs 0.
    coef_
        The weights of the column-numbered features, dense.
    intercept_
        What the constant feature adds to every score.
    updates_
        How many rounds have changed the weights.

    Guarantees
    ----------
    `SOP`: at most $(\mathrm{TD} + \sqrt{E L})/\gamma$ mistakes, where TD is by how much
    a unit vector $u$ falls short of the margin $\gamma$, $E = u^\top A u$, and $L$ is
    the logarithm of the determinant of $A/r$; for the diagonal form $A$ is diagonal.

    References
    ----------
    Cesa-Bianchi, Conconi, Gentile (2005), A second-order perceptron algorithm, SIAM J.
    Comput. 34:640-668, https://doi.org/10.1137/S0097539703432542

    Notes
    -----
    With a full matrix the score is $v^\top A^{-1} x$: the example at hand would only
    divide it by $1 + x^\top A^{-1} x$, which never changes the prediction.

    Examples
    --------
    A feature that was in one mistake weighs 1/(r + 1):

    >>> from littlestone.linear import SecondOrderPerceptron
    >>> learner = SecondOrderPerceptron(r=1.0)
    >>> learner.learn_one({"a": 1.0, "b": 2.0}, False)
    >>> learner.weights_
    {'a': -0.5, 'b': -0.4}
    """

    _rule = staticmethod(_core.second_order_perceptron)

    @property
    def conservative(self) -> bool:
        """Whether only a mistake changes what this learner knows."""
        return True

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its mistakes."""
        if self.diagonal:
            return theorems.SOP, theorems.SOP_ORDER
        return (theorems.SOP,)
