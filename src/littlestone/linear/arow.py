"""AROW: a mean and a confidence for each weight."""

from __future__ import annotations

from littlestone import _core, theorems
from littlestone.linear._damped import DampedLearner

__all__ = ["AROW"]


class AROW(DampedLearner):
    r"""Adaptive regularization of weight vectors: sure weights move little.

    The weights have a mean $\mu$, which scores, and a covariance $\Sigma$, which starts
    at 1 and shrinks where examples have been learned from. A round with loss $\ell =
    \max(0, 1 - y\,\mu \cdot x) > 0$ moves the mean by $\ell y \Sigma x / (x^\top \Sigma
    x + r)$ and adds $x x^\top / r$ to the inverse of $\Sigma$. With `diagonal` only the
    diagonal is kept, and a round costs the features of its example.

    Parameters
    ----------
    r
        How little a single example changes; above 0.
    diagonal
        Keep the diagonal only. With False an update costs the square of the number of
        features, of which there may be 4096.
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
        How many rounds have changed the weights.

    Guarantees
    ----------
    `AROW` with a full matrix: at most $\sqrt{E (L + U)} + H - U$ mistakes, for any $u$.
    `AROW-STEPS` and `AROW-DIAG` for the diagonal form also need the run itself, namely
    how far the mean went from $u$: no bound is known that does without. Where columns
    are few, prefer the full matrix.

    References
    ----------
    Crammer, Kulesza, Dredze (2013), Adaptive regularization of weight vectors, Machine
    Learning 91:155-187, https://doi.org/10.1007/s10994-013-5327-x

    Examples
    --------
    A first example of length 1 moves the mean by half and the variance to a half:

    >>> from littlestone.linear import AROW
    >>> learner = AROW(r=1.0)
    >>> learner.learn_one({"a": 1.0}, False)
    >>> learner.weights_
    {'a': -0.5}
    """

    _rule = staticmethod(_core.arow)

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """Its bias and r."""
        return super().known_ | {"r": self.r}

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its mistakes."""
        if not self.diagonal:
            return theorems.AROW, theorems.AROW_ORDER
        return theorems.AROW_DIAG, theorems.AROW_STEPS
