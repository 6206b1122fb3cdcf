"""Balanced Winnow: Winnow for targets with weights of either sign."""

from __future__ import annotations

import math
from typing import Self

from littlestone import _core, theorems
from littlestone.errors import ParameterError
from littlestone.learner.parameters import finite, positive
from littlestone.linear._base import BiasedLearner

__all__ = ["BalancedWinnow"]


class BalancedWinnow(BiasedLearner):
    r"""Balanced Winnow: multiply a weight for and a weight against each feature.

    A feature has the weights $e^{a}$ and $e^{-a}$, where $a$ is the rate times the sum
    of $y\,x$ over the mistakes; at first both are 1, also for a feature that no example
    has had yet. With $y_t \in \{-1, +1\}$ it says

    $$\hat y_t = +1 \iff \sum_i x_i \sinh(a_i) \ge 0,$$

    which is the normalised Winnow on the features $x$ and $-x$: to divide all weights
    by their sum changes no sign. The logarithms are kept, so nothing under- or
    overflows, however long the stream.

    Parameters
    ----------
    rate
        How much a mistake changes the logarithm of a weight; above 0.
    scale
        The largest size of a value; an example with a larger one is refused, because
        the theorems say nothing about it.
    bias
        The value of a constant feature appended to each example; 0 for none.

    Attributes
    ----------
    weights_
        $\sinh(a)$ by feature, as far as a double reaches; a feature not listed has 0.
    coef_
        The same for the column-numbered features, dense.
    intercept_
        What the constant feature adds to every score.
    updates_
        How many rounds have changed the weights.

    Guarantees
    ----------
    `BWIN-SEP`: if $y\,u \cdot x \ge \alpha$ on every round and the rate is
    $\alpha/(\|u\|_1 X^2)$, at most $2 (\|u\|_1 X/\alpha)^2 \ln 2n$ mistakes. `BWIN-ANY`
    for every other stream, `BWIN-RMS` by the mean size of examples, `BWIN-STEPS` by
    what the run made of the weights, `BWIN-GAP` for a target with a threshold.

    References
    ----------
    Littlestone (1989), Mistake bounds and logarithmic linear-threshold learning
    algorithms, PhD thesis, UC Santa Cruz. Grove, Littlestone, Schuurmans (2001),
    General convergence results for linear discriminant updates, Machine Learning
    43:173-210, https://doi.org/10.1023/A:1010844028087

    Examples
    --------
    >>> from littlestone.linear import BalancedWinnow
    >>> learner = BalancedWinnow(rate=0.5)
    >>> learner.play_one({"a": 1.0, "b": -0.5}, False)
    True
    >>> learner.weights_
    {'a': -0.5210953054937474, 'b': 0.2526123168081683}
    >>> learner.predict_one({"b": 1.0, "new": 1.0})
    True
    """

    def __init__(self, rate: float, scale: float = 1.0, *, bias: float = 0.0) -> None:
        step = positive("BalancedWinnow", "rate", rate)
        most = positive("BalancedWinnow", "scale", scale)
        value = finite("BalancedWinnow", "bias", bias)
        if abs(value) > most:
            raise ParameterError(
                f"bias must be at most scale in size, got {bias!r} with scale "
                f"{scale!r}",
                owner="BalancedWinnow",
            )
        self.rate = rate
        self.scale = scale
        self.bias = bias
        self._native = _core.balanced_winnow(
            type(self).__name__, rate=step, scale=most, bias=value
        )

    @classmethod
    def for_margin(
        cls, margin: float, *, norm: float = 1.0, scale: float = 1.0
    ) -> Self:
        r"""Choose the rate that `BWIN-SEP` asks for.

        Parameters
        ----------
        margin
            What $y\,u \cdot x$ is at least, for some vector u.
        norm
            The sum of the sizes of u's entries.
        scale
            The largest size of a value.

        Examples
        --------
        >>> from littlestone.linear import BalancedWinnow
        >>> BalancedWinnow.for_margin(0.25)
        BalancedWinnow(rate=0.25, scale=1.0, bias=0.0)
        """
        alpha = positive("BalancedWinnow", "margin", margin)
        size = positive("BalancedWinnow", "norm", norm)
        most = positive("BalancedWinnow", "scale", scale)
        divisor = size * (most * most)  # which may overflow, or vanish
        return cls(rate=alpha / divisor if divisor else math.inf, scale=scale)

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """Its bias, rate and scale."""
        return super().known_ | {"rate": self.rate, "scale": self.scale}

    @property
    def conservative(self) -> bool:
        """Whether only a mistake changes what this learner knows."""
        return True

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its mistakes."""
        return (
            theorems.BWIN_SEP,
            theorems.BWIN_ANY,
            theorems.BWIN_GAP,
            theorems.BWIN_RMS,
            theorems.BWIN_STEPS,
            theorems.BWIN_ORDER,
        )
