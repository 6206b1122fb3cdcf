"""k-DNF: a disjunction of short terms, each taken for a yes until a no has it too."""

from __future__ import annotations

from typing import ClassVar

from littlestone import theorems
from littlestone.boolean._elimination import ClauseLearner
from littlestone.concepts import KDNF, Conjunction

__all__ = ["KDNFLearner"]


class KDNFLearner(ClauseLearner):
    r"""Learn "(a and not b) or (b and c)", terms of at most k literals.

    It starts with all terms of at most $k$ literals, one of which is always true, and
    says whether any of its terms holds. Only a yes said in vain changes it: each term
    that is true in the example is dropped for good. So its rule is at any time the one
    with the most terms that fits every no shown.

    Without `features`, there are always features that have not been seen yet: they
    were false so far, they themselves are terms of the rule, and so an example with a
    new feature true is a yes. The `concept_` is over the features seen.

    A yes that satisfies none of the terms proves that no k-DNF fits. That is reported
    once, and the learner continues: such a mistake leaves it unchanged, a yes said in
    vain still drops what is true.

    Parameters
    ----------
    k
        How many literals a term may have, at least 1.
    features
        How many columns there are, or the names of all features: others that are true
        are then refused. By default features are added as they appear.

    Attributes
    ----------
    concept_
        The rule it follows now: a `littlestone.concepts.KDNF`, without the terms
        that a shorter one implies.
    features_
        The features seen, in order of appearance.
    rounds_
        How many examples it has learned from.
    updates_
        How many of them changed it.
    unrealizable_
        Examples that prove that no k-DNF fits, or None.

    Guarantees
    ----------
    `kDNF`: on a stream labelled by a k-DNF over $n$ features, at most
    $1 + \sum_{i=1}^k \binom ni (2^i - 1)$ mistakes. The first drops one of the $2^i$
    terms on each $i$ features, and each later one at least one.

    Notes
    -----
    The $\sum_{i=0}^k \binom ni 2^i$ terms are bits, at most $2^{32}$ of them, and a
    round goes through at most half of them, 64 at a time: for $k = 2$ and 300 features,
    180,001 terms in 1,400 words.

    References
    ----------
    Valiant (1984), A theory of the learnable, Communications of the ACM 27:1134-1142,
    https://doi.org/10.1145/1968.1972

    Examples
    --------
    The truth is "(a and b) or not c":

    >>> from littlestone import run
    >>> from littlestone.boolean import KDNFLearner
    >>> truth = lambda x: bool((x[0] and x[1]) or not x[2])
    >>> rows = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    >>> learner = KDNFLearner(2, features=3)
    >>> run(learner, [(x, truth(x)) for x in rows], passes=2).mistakes
    3
    >>> print(learner.concept_)
    (x0 and x1) or (not x2)
    """

    _class: ClassVar[str] = "k-DNF"
    _dual: ClassVar[bool] = True
    _part: ClassVar[type[Conjunction]] = Conjunction
    _part_name: ClassVar[str] = "term"

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its mistakes."""
        return theorems.KDNF, theorems.KDNF_EXC

    @property
    def concept_(self) -> KDNF:
        """The rule it follows now, over the features seen."""
        return KDNF(*(Conjunction(*part) for part in self._parts()))
