"""Winnow over terms: a k-DNF learned from labels of which some are wrong."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone import _core, theorems
from littlestone.boolean._base import BooleanLearner, as_universe, check_terms
from littlestone.concepts import Conjunction, Literal
from littlestone.errors import ParameterError
from littlestone.learner.parameters import finite, whole
from littlestone.theorems.sizes import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from littlestone.concepts import Feature
    from littlestone.learner.rows import Example

__all__ = ["WinnowDNF"]

# The threshold for features that are not declared. The bound grows with its logarithm,
# and with the number of terms divided by it.
_USUAL = 2**16


class WinnowDNF(BooleanLearner):
    r"""Learn "(a and not b) or (b and c)" from labels of which some are wrong.

    `KDNFLearner` drops a term for good, so one wrong label can spoil it. This one
    weighs terms: it is Winnow, and its features are all terms of at most $k$ literals.
    Each starts at the weight 1. It says yes if the terms that are true in the example
    weigh at least $\theta$ together. Only a mistake changes it: a missed yes multiplies
    the weights of the true terms by $\beta$, a false alarm divides them by $\beta$. So
    a wrong label costs a few mistakes, and no stream is refused. What it learns is a
    weighted vote of terms, not a rule: `fit_rule` finds a rule with few exceptions.

    A feature is met when it is true in a mistake. Until then the terms that negate it
    count as false; declare the `features` to have all terms from the start.

    Parameters
    ----------
    k
        How many literals a term may have, at least 1.
    features
        How many columns there are, or the names of all features: others that are true
        are then refused. By default features are added as mistakes show them.
    threshold
        $\theta \ge 1$. By default the number of terms, $N_k$, if the features are
        declared, and $2^{16}$ if they are not.
    promotion
        $\beta > 1$, the factor of a weight.

    Attributes
    ----------
    terms_
        The terms that weigh more or less than 1, the heaviest first.
    features_
        The features met, in order of appearance.
    rounds_
        How many examples it has learned from.
    updates_
        How many of them changed it.

    Guarantees
    ----------
    `WIN2-DNF`: on every stream, for every k-DNF of $r$ terms, at most
    $(1 + \beta)(r (1 + \log_\beta \theta) + D) + \frac{\beta}{\beta - 1}
    \frac{N_k}{\theta}$ mistakes. $D$ counts where it is wrong: 1 for each missed yes
    that satisfies no term, and 1 for each term that is true in a false alarm.

    Notes
    -----
    There is a double for each of the $N_k = \sum_{i=0}^k \binom ni 2^i$ terms. A round
    goes through those that are true, one of each $2^i$: for $k = 2$ and 100 features,
    5,051 of 20,001.

    References
    ----------
    Littlestone (1988), Learning quickly when irrelevant attributes abound, Machine
    Learning 2:285-318, https://doi.org/10.1007/BF00116827

    Examples
    --------
    The truth is "(a and b) or not c", but every 50th label is wrong:

    >>> from littlestone import run
    >>> from littlestone.boolean import WinnowDNF
    >>> truth = lambda x: bool((x[0] and x[1]) or not x[2])
    >>> rows = [[t & 1, t >> 1 & 1, t >> 2 & 1] for t in range(400)]
    >>> stream = [(x, truth(x) != (t % 50 == 49)) for t, x in enumerate(rows)]
    >>> learner = WinnowDNF(2, features=3)
    >>> run(learner, stream).mistakes
    31
    >>> next(iter(learner.terms_.items()))
    ('not x2', 7.59375)
    """

    _class: ClassVar[str] = "k-DNF"

    def __init__(
        self,
        k: int = 2,
        *,
        features: int | Iterable[Feature] | None = None,
        threshold: float | None = None,
        promotion: float = 1.5,
    ) -> None:
        owner = type(self).__name__
        most = whole(owner, "k", k, low=1)
        self.k = k
        self.features, declared = as_universe(owner, features)
        check_terms(owner, "term", most, 0 if declared is None else len(declared))
        self.threshold, self.promotion = threshold, promotion
        beta = finite(owner, "promotion", promotion)
        if threshold is None:
            self._theta = float(terms(len(declared), most) if declared else _USUAL)
        else:
            self._theta = finite(owner, "threshold", threshold)
        if not self._theta >= 1:
            raise ParameterError(
                f"threshold must be at least 1, got {threshold!r}", owner=owner
            )
        if not beta > 1 or not math.isfinite(beta * self._theta):
            raise ParameterError(
                "promotion must exceed 1, and its product with the threshold be "
                f"finite, got {promotion!r}",
                owner=owner,
            )
        self._native = _core.winnow_terms(
            owner, k=most, threshold=self._theta, promotion=beta, features=declared
        )

    def known_of(self, features: int) -> dict[str, theorems.Number]:
        """Return the features there are, or were met, and its parameters."""
        own = {"threshold": self._theta, "promotion": float(self.promotion)}
        return super().known_of(features) | {"k": int(self.k)} | own

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its mistakes."""
        return (theorems.WIN2_DNF,)

    @property
    def terms_(self) -> dict[str, float]:
        """The terms that weigh more or less than 1, the heaviest first."""
        term = _terms(self._native.features)
        found = {str(term(codes)): weight for codes, weight in self._native.weights()}
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    def why(self, x: Example) -> dict[str, float]:
        """Return the terms that are true in an example and weigh more than 1.

        Parameters
        ----------
        x
            The example.

        Returns
        -------
        dict
            The weights of the terms, the heaviest first. All true terms together,
            those of weight 1 and less included, are compared with the threshold.

        Examples
        --------
        >>> from littlestone.boolean import WinnowDNF
        >>> learner = WinnowDNF(2, features=["a", "b"])
        >>> learner.learn_one({"a": 1}, True)
        >>> learner.why({"a": 1, "b": 1})
        {'always': 1.5, 'a': 1.5}
        """
        made, true = _terms(self._native.features), _truths(x)
        found = {
            str(term): weight
            for codes, weight in self._native.weights()
            if weight > 1 and (term := made(codes))(true)
        }
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def _terms(features: list[Feature]) -> Callable[[list[int]], Conjunction]:
    """Return a function that makes a term from the numbers of its literals."""
    literals = [Literal(name, sign) for name in features for sign in (True, False)]
    return lambda codes: Conjunction(*(literals[code] for code in codes))


def _truths(x: Any) -> dict[Feature, bool]:
    """Return an example as a mapping."""
    pairs = x.items() if hasattr(x, "items") else enumerate(x)
    return {feature: bool(value) for feature, value in pairs}
