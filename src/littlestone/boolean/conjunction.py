"""Conjunctions: begin by asking for everything, and drop what a yes does without."""

from __future__ import annotations

from typing import ClassVar

from littlestone import theorems
from littlestone.boolean._elimination import LiteralLearner
from littlestone.concepts import Conjunction, Disjunction

__all__ = ["ConjunctionLearner"]


class ConjunctionLearner(LiteralLearner):
    r"""Learn "a and not b and c" by elimination.

    It starts with the conjunction of all literals, features and negations, which is
    never true, and says what its conjunction says. Only a missed yes changes it: each
    literal that is false in the example is dropped for good. So its conjunction is at
    any time the one with the most literals that fits every yes shown, and it says yes
    no earlier than it must.

    Without `features`, there are always features that have not been seen yet: they
    were false so far, their negations are part of the rule, and so an example with a
    new feature true is a no. The `concept_` lists the features seen.

    A no that satisfies the conjunction proves that no conjunction fits. That is
    reported once, and the learner continues: such a mistake leaves it unchanged, a
    missed yes still drops what is false.

    Parameters
    ----------
    monotone
        Start with the features alone, and learn a conjunction without negations.
    features
        How many columns there are, or the names of all features: others that are true
        are then refused. By default features are added as they appear.

    Attributes
    ----------
    concept_
        The rule it follows now: a `littlestone.concepts.Conjunction`.
    features_
        The features seen, in order of appearance.
    rounds_
        How many examples it has learned from.
    updates_
        How many of them changed it.
    unrealizable_
        Examples that prove that no conjunction fits, or None.

    Guarantees
    ----------
    `CONJ`: on a stream labelled by a conjunction over $n$ features, at most $n + 1$
    mistakes. The first keeps $n$ of the $2n$ literals, and each later one drops at
    least one.
    `CONJ-MONO` with `monotone`: at most $n$ mistakes. Where `features` is not given,
    $n$ counts one more feature than were seen: the ones not seen yet.

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
    Three features, and the truth is "a and not b":

    >>> from littlestone import run
    >>> from littlestone.boolean import ConjunctionLearner
    >>> stream = [({"a": 1, "c": 1}, True), ({"a": 1, "b": 1}, False), ({"a": 1}, True)]
    >>> learner = ConjunctionLearner(features=["a", "b", "c"])
    >>> run(learner, stream * 20).mistakes
    2
    >>> print(learner.concept_)
    a and not b
    >>> print(learner.why("c"))
    c: dropped in round 2, labelled yes: a
    >>> print(learner.why("not b"))
    None
    """

    _class: ClassVar[str] = "conjunction"
    _dual: ClassVar[bool] = False
    _part: ClassVar[type[Disjunction]] = Disjunction

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its mistakes."""
        fits = theorems.CONJ_MONO if self.monotone else theorems.CONJ
        return fits, theorems.CONJ_EXC

    @property
    def concept_(self) -> Conjunction:
        """The rule it follows now, over the features seen."""
        parts = list(self._parts())
        if parts == [()]:
            return Conjunction.never()
        return Conjunction(*(literal for (literal,) in parts))
