"""Halving over a class: say what most concepts say that were never wrong."""

from __future__ import annotations

from littlestone import theorems
from littlestone.boolean._finite import FiniteClassLearner

__all__ = ["VersionSpaceLearner"]


class VersionSpaceLearner(FiniteClassLearner):
    r"""Follow the majority of the concepts that were never wrong; drop those that are.

    This is halving, with the concepts of a finite class $H$ as experts. The concepts
    that fit everything shown are called the version space. Every mistake drops at
    least half of it. A tied vote says yes.

    A round asks each concept left about the example, unless it was asked recently.

    Parameters
    ----------
    concepts
        The class: a sequence of functions of an example that say yes or no, such as a
        `littlestone.concepts.FiniteClass`.

    Attributes
    ----------
    concept_
        The first of the concepts left, in the order given. The majority need not be a
        concept of the class; it is this one as soon as one is left alone.
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
    `HALV`, with the concepts as experts: if one is never wrong, at most
    $\lfloor \lg |H| \rfloor$ mistakes.

    References
    ----------
    Barzdin, Freivald (1972), On the prediction of general recursive functions, Soviet
    Mathematics Doklady 13:1224-1228

    Littlestone (1988), Learning quickly when irrelevant attributes abound, Machine
    Learning 2:285-318, https://doi.org/10.1007/BF00116827

    Examples
    --------
    Eight thresholds on a number, of which 5 is the truth:

    >>> from littlestone.boolean import VersionSpaceLearner
    >>> def at_least(threshold):
    ...     return lambda x: x >= threshold
    >>> learner = VersionSpaceLearner([at_least(k) for k in range(8)])
    >>> [learner.play_one(x, x >= 5) for x in (3, 5, 4)]
    [True, True, True]
    >>> learner.concept_(5), learner.concept_(4), len(learner.version_space_)
    (True, False, 1)
    """

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its mistakes."""
        return (theorems.HALV,)

    def _says(self, yes: int, no: int) -> bool:
        return yes.bit_count() >= no.bit_count()
