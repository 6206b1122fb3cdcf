"""k-CNF: a conjunction of short clauses, each required until a yes violates it."""

from __future__ import annotations

from typing import ClassVar

from littlestone import theorems
from littlestone.boolean._elimination import ClauseLearner
from littlestone.concepts import KCNF, Disjunction

__all__ = ["KCNFLearner"]


class KCNFLearner(ClauseLearner):
    r"""Learn "(a or not b) and (b or c)", clauses of at most k literals.

    It starts with all clauses of at most $k$ literals, which are never true together,
    and says whether all of its clauses hold. Only a missed yes changes it: each clause
    that is false in the example is dropped for good. So its rule is at any time the one
    with the most clauses that fits every yes shown.

    Without `features`, there are always features that have not been seen yet: they
    were false so far, their negations are clauses of the rule, and so an example with a
    new feature true is a no. The `concept_` is over the features seen.

    A no that satisfies all clauses proves that no k-CNF fits. That is reported once,
    and the learner continues: such a mistake leaves it unchanged, a missed yes still
    drops what is false.

    Parameters
    ----------
    k
        How many literals a clause may have, at least 1.
    features
        How many columns there are, or the names of all features: others that are true
        are then refused. By default features are added as they appear.

    Attributes
    ----------
    concept_
        The rule it follows now: a `littlestone.concepts.KCNF`, without the clauses
        that a shorter one implies.
    features_
        The features seen, in order of appearance.
    rounds_
        How many examples it has learned from.
    updates_
        How many of them changed it.
    unrealizable_
        Examples that prove that no k-CNF fits, or None.

    Guarantees
    ----------
    `kCNF`: on a stream labelled by a k-CNF over $n$ features, at most
    $1 + \sum_{i=1}^k \binom ni (2^i - 1)$ mistakes. The first drops one of the $2^i$
    clauses on each $i$ features, and each later one at least one.

    Notes
    -----
    The $\sum_{i=0}^k \binom ni 2^i$ clauses are bits, at most $2^{32}$ of them, and a
    round goes through at most half of them, 64 at a time: for $k = 2$ and 300 features,
    180,001 clauses in 1,400 words.

    References
    ----------
    Valiant (1984), A theory of the learnable, Communications of the ACM 27:1134-1142,
    https://doi.org/10.1145/1968.1972

    Examples
    --------
    The truth is "(a or b) and not c":

    >>> from littlestone import run
    >>> from littlestone.boolean import KCNFLearner
    >>> truth = lambda x: bool((x[0] or x[1]) and not x[2])
    >>> rows = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    >>> learner = KCNFLearner(2, features=3)
    >>> run(learner, [(x, truth(x)) for x in rows], passes=2).mistakes
    3
    >>> print(learner.concept_)
    (x0 or x1) and (not x2)
    """

    _class: ClassVar[str] = "k-CNF"
    _dual: ClassVar[bool] = False
    _part: ClassVar[type[Disjunction]] = Disjunction
    _part_name: ClassVar[str] = "clause"

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its mistakes."""
        return theorems.KCNF, theorems.KCNF_EXC

    @property
    def concept_(self) -> KCNF:
        """The rule it follows now, over the features seen."""
        return KCNF(*(Disjunction(*part) for part in self._parts()))
