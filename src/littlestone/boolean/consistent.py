"""The consistent learner: say what a concept says that was never wrong."""

from __future__ import annotations

from littlestone import theorems
from littlestone.boolean._finite import FiniteClassLearner

__all__ = ["ConsistentLearner"]


class ConsistentLearner(FiniteClassLearner):
    r"""Follow the first concept, in the order given, that was never wrong.

    The plainest learner of a finite class $H$, and one that may make $|H| - 1$
    mistakes where half of the concepts could be ruled out by each: see
    `VersionSpaceLearner`. Concepts that are wrong are dropped in every round, whether
    they were followed or not.

    A round asks each concept left about the example, unless it was asked recently.

    Parameters
    ----------
    concepts
        The class: a sequence of functions of an example that say yes or no, such as a
        `littlestone.concepts.FiniteClass`.

    Attributes
    ----------
    concept_
        The concept that it follows.
    version_space_
        The concepts that were never wrong.
    updates_
        How many rounds have dropped a concept.
    rounds_
        How many rounds it has learned from.
    unrealizable_
        None, or the round since which no concept fits, with examples that together
        rule all of them out. There is one warning. The learner continues with the
        concepts it had: an example that none of them fits is not learned from.

    Guarantees
    ----------
    `CONSISTENT`: if a concept of the class is never wrong, at most $|H| - 1$ mistakes,
    since each drops the concept that was followed. On singletons so many are made
    (`CONSISTENT-LB`, see `littlestone.adversaries.SingletonAdversary`).

    References
    ----------
    Littlestone (1988), Learning quickly when irrelevant attributes abound, Machine
    Learning 2:285-318, https://doi.org/10.1007/BF00116827

    Examples
    --------
    Thresholds on a number, of which 2 is the truth:

    >>> from littlestone.boolean import ConsistentLearner
    >>> def at_least(threshold):
    ...     return lambda x: x >= threshold
    >>> learner = ConsistentLearner([at_least(0), at_least(1), at_least(2)])
    >>> [learner.play_one(x, x >= 2) for x in (0, 1, 2)]
    [True, True, True]
    >>> learner.updates_, len(learner.version_space_)
    (2, 1)
    """

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its mistakes."""
        return (theorems.CONSISTENT,)

    def _says(self, yes: int, no: int) -> bool:
        left = yes | no
        return bool(left & -left & yes)  # the first concept is the lowest bit
