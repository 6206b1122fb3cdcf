"""Winnow: find the few features that matter among the many that do not."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import ClassVar, Self

from littlestone import _core, theorems
from littlestone.errors import ParameterError
from littlestone.learner.parameters import finite
from littlestone.linear._base import LinearLearner
from littlestone.theorems.winnow import promotion_for

__all__ = ["Winnow"]


class Winnow(LinearLearner):
    r"""Winnow: multiply the weights you missed, divide the weights that misled you.

    One weight a feature, each starting at 1; features lie in $[0, 1]$. It says

    $$\hat y_t = 1 \iff w_t \cdot x_t \ge \theta,$$

    and only a mistake changes the weights: a missed yes multiplies each $w_i$ by
    $\beta^{x_i}$, a false alarm divides it by $\beta^{x_i}$ or, with `eliminate`, sets
    every active weight to 0 for good.

    Parameters
    ----------
    threshold
        $\theta \ge 1$. The number of features is the usual choice.
    promotion
        $\beta > 1$, the factor that rewards a missed weight.
    eliminate
        Drop the active weights on a false alarm (Winnow1); features are then 0 or 1.

    Attributes
    ----------
    weights_
        The weights by feature; a feature not listed still weighs 1.
    coef_
        The weights of the column-numbered features, dense.
    updates_
        How many rounds have changed the weights.

    Guarantees
    ----------
    `WIN1` with `eliminate`: on a stream labelled by a disjunction of $r$ of $n$
    features, with promotion 2 and threshold $n$, at most
    $2 r \lceil \lg n \rceil + 1$ mistakes.
    `WIN2-SEP` otherwise: a bound that grows with $\ln n$ for every target that weighs
    features without signs and leaves a gap. `WIN2-DISJ`, `WIN2-KOFR` and `WIN2-GAP` say
    it for the learners of `for_disjunction`, `for_threshold` and `for_gap`.

    References
    ----------
    Littlestone (1988), Learning quickly when irrelevant attributes abound: a new
    linear-threshold algorithm, Machine Learning 2:285-318,
    https://doi.org/10.1007/BF00116827

    Examples
    --------
    Three features, and the truth is "a or b":

    >>> from littlestone import run
    >>> from littlestone.linear import Winnow
    >>> stream = [({"a": 1, "c": 1}, True), ({"c": 1}, False), ({"b": 1}, True)] * 20
    >>> learner = Winnow(threshold=3)
    >>> run(learner, stream).mistakes
    3
    >>> learner.weights_
    {'a': 2.0, 'c': 2.0, 'b': 4.0}
    """

    initial_weight: ClassVar[float] = 1.0

    def __init__(
        self, *, threshold: float, promotion: float = 2.0, eliminate: bool = False
    ) -> None:
        theta = finite("Winnow", "threshold", threshold)
        beta = finite("Winnow", "promotion", promotion)
        if not theta >= 1:
            raise ParameterError(
                f"threshold must be at least 1, got {threshold!r}", owner="Winnow"
            )
        if not beta > 1:
            raise ParameterError(
                f"promotion must exceed 1, got {promotion!r}", owner="Winnow"
            )
        if not math.isfinite(theta * beta):
            raise ParameterError(
                "threshold times promotion must be finite, as the weights grow that "
                f"large, got {threshold!r} times {promotion!r}",
                owner="Winnow",
            )
        if eliminate not in (True, False):
            raise ParameterError(
                f"eliminate must be True or False, got {eliminate!r}", owner="Winnow"
            )
        self.threshold = threshold
        self.promotion = promotion
        self.eliminate = eliminate
        self._native = _core.winnow(
            type(self).__name__,
            threshold=theta,
            promotion=beta,
            # Correctly rounded, so that it is the same on every machine.
            log_promotion=float(Decimal(beta).ln()),
            eliminate=bool(eliminate),
        )

    @classmethod
    def for_disjunction(cls, features: int) -> Self:
        r"""Return the demoting Winnow that `WIN2-DISJ` speaks of.

        Promotion 3/2 and threshold $n$, the number of features: on a stream labelled by
        a disjunction of $r$ features, at most
        $\frac52 r (1 + \log_{3/2} n) + 3$ mistakes.

        Examples
        --------
        >>> from littlestone.linear import Winnow
        >>> Winnow.for_disjunction(features=9)
        Winnow(threshold=9, promotion=1.5, eliminate=False)
        """
        _whole("features", features)
        return cls(threshold=features, promotion=1.5)

    @classmethod
    def for_threshold(cls, features: int, k: int) -> Self:
        """Return the Winnow that `WIN2-KOFR` speaks of, for "at least k of r are on".

        Promotion $1 + 1/(2k)$ and threshold $n$, the number of features.

        Examples
        --------
        >>> from littlestone.linear import Winnow
        >>> Winnow.for_threshold(features=9, k=2)
        Winnow(threshold=9, promotion=1.25, eliminate=False)
        """
        level = _whole("k", k)
        if level > _whole("features", features):
            raise ParameterError(
                f"k must be at most features = {features!r}, got {k!r}", owner="Winnow"
            )
        return cls(threshold=features, promotion=promotion_for(level, 1))

    @classmethod
    def for_gap(cls, features: int, level: float, gap: float) -> Self:
        r"""Return the Winnow that `WIN2-GAP` speaks of.

        For targets with weights $w \ge 0$ that reach the level on a yes,
        $w \cdot x \ge c$, and stay below it by the gap on a no,
        $w \cdot x \le c - \gamma$: promotion $1 + \gamma/(2c)$ and threshold $n$, the
        number of features.

        Examples
        --------
        >>> from littlestone.linear import Winnow
        >>> Winnow.for_gap(features=9, level=2, gap=0.5)
        Winnow(threshold=9, promotion=1.125, eliminate=False)
        """
        _whole("features", features)
        c, gamma = finite("Winnow", "level", level), finite("Winnow", "gap", gap)
        if not 0 < gamma <= c:
            raise ParameterError(
                f"gap must exceed 0 and be at most level = {level!r}, got {gap!r}",
                owner="Winnow",
            )
        return cls(threshold=features, promotion=promotion_for(c, gamma))

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """Its threshold and promotion."""
        return {"threshold": self.threshold, "promotion": self.promotion}

    @property
    def conservative(self) -> bool:
        """Whether only a mistake changes what this learner knows."""
        return True

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its mistakes, each for the parameters it names."""
        if self.eliminate:
            return (theorems.WIN1,)
        return (
            theorems.WIN2_SEP,
            theorems.WIN2_DISJ,
            theorems.WIN2_KOFR,
            theorems.WIN2_GAP,
            theorems.WIN2_SLACK,
        )


def _whole(name: str, value: object) -> float:
    number = finite("Winnow", name, value)
    if number < 1 or not number.is_integer():
        raise ParameterError(
            f"{name} must be a whole number above 0, got {value!r}", owner="Winnow"
        )
    return number
