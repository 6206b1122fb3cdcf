"""Disjunctions: begin by taking anything for a yes, and drop what a no has too."""

from __future__ import annotations

from typing import ClassVar

from littlestone import theorems
from littlestone.boolean._elimination import LiteralLearner
from littlestone.concepts import Conjunction, Disjunction

__all__ = ["DisjunctionLearner"]


class DisjunctionLearner(LiteralLearner):
    r"""Learn "a or not b or c" by elimination.

    It starts with the disjunction of all literals, features and negations, which is
    always true, and says what its disjunction says. Only a yes said in vain changes it:
    each literal that is true in the example is dropped for good. So its disjunction is
    at any time the one with the most literals that fits every no shown, and it says no
    no earlier than it must.

    Without `features`, there are always features that have not been seen yet: they
    were false so far, they themselves are part of the rule, and so an example with a
    new feature true is a yes. The `concept_` lists the features seen.

    A yes that satisfies none of the literals proves that no disjunction fits. That is
    reported once, and the learner continues: such a mistake leaves it unchanged, a yes
    said in vain still drops what is true.

    Parameters
    ----------
    monotone
        Start with the features alone, and learn a disjunction without negations.
    features
        How many columns there are, or the names of all features: others that are true
        are then refused. By default features are added as they appear.

    Attributes
    ----------
    concept_
        The rule it follows now: a `littlestone.concepts.Disjunction`.
    features_
        The features seen, in order of appearance.
    rounds_
        How many examples it has learned from.
    updates_
        How many of them changed it.
    unrealizable_
        Examples that prove that no disjunction fits, or None.

    Guarantees
    ----------
    `DISJ`: on a stream labelled by a disjunction over $n$ features, at most $n + 1$
    mistakes. The first keeps $n$ of the $2n$ literals, and each later one drops at
    least one.
    `DISJ-MONO` with `monotone`: at most $n$ mistakes.

    Notes
    -----
    A round costs what the features that are true in the example cost, however many
    there are; the first update goes through all features once.

    References
    ----------
    Valiant (1984), A theory of the learnable, Communications of the ACM 27:1134-1142,
    https://doi.org/10.1145/1968.1972

    Examples
    --------
    The truth is "a or b", and no negation is wanted:

    >>> from littlestone import run
    >>> from littlestone.boolean import DisjunctionLearner
    >>> stream = [({"a": 1, "c": 1}, True), ({"c": 1}, False), ({"b": 1}, True)] * 20
    >>> learner = DisjunctionLearner(monotone=True)
    >>> run(learner, stream).mistakes
    1
    >>> print(learner.concept_)
    a or b
    >>> print(learner.why("c"))
    c: dropped in round 1, labelled no: c
    """

    _class: ClassVar[str] = "disjunction"
    _dual: ClassVar[bool] = True
    _part: ClassVar[type[Conjunction]] = Conjunction

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its mistakes."""
        fits = theorems.DISJ_MONO if self.monotone else theorems.DISJ
        return fits, theorems.DISJ_EXC

    @property
    def concept_(self) -> Disjunction:
        """The rule it follows now, over the features seen."""
        parts = list(self._parts())
        if parts == [()]:
            return Disjunction.always()
        return Disjunction(*(literal for (literal,) in parts))
