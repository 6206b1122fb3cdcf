"""CONJ-LB and DISJ-LB: a feature each has to be paid for with a mistake."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from littlestone.adversaries._base import Numbered, said, whole
from littlestone.concepts import Conjunction, Disjunction, Literal
from littlestone.errors import ParameterError
from littlestone.theorems import CONJ_LB, DISJ_LB, Theorem

__all__ = ["ConjunctionAdversary", "DisjunctionAdversary"]


class _OneByOne(Numbered):
    """Flips one feature after another, and answers what was not predicted."""

    _theorem: ClassVar[Theorem]
    # The label that says which literals may be there: all of them that fit.
    _telling: ClassVar[bool]

    def __init__(self, n: int, negations: bool = False) -> None:
        owner = type(self).__name__
        self.n = whole(owner, "n", n, 1)
        if not isinstance(negations, bool):
            raise ParameterError(
                f"negations must be True or False, got {negations!r}", owner=owner
            )
        self.negations = negations
        self.rounds = self.n + negations
        super().__init__()

    @property
    def theorem(self) -> Theorem:
        """The theorem that this adversary proves."""
        return self._theorem

    @property
    def numbers(self) -> dict[str, int]:
        """What the theorem takes: `features` and `negations`."""
        return {"features": self.n, "negations": self.negations}

    @property
    def forces(self) -> int:
        """The mistakes that no learner avoids: one a round."""
        return self.rounds

    @property
    def features(self) -> range:
        """What the examples are made of: the columns 0 to n - 1."""
        return range(self.n)

    @property
    def best_(self) -> int:
        """Mistakes of the best concept: none, as `concept_` has been right."""
        return 0

    def restart(self) -> None:
        """Forget what was played; the next question is that of the first round."""
        super().restart()
        # The features flipped in the example that everything else is compared with.
        # Where nothing is negated that is none; otherwise it has yet to be found.
        self._center: tuple[int, ...] | None = None if self.negations else ()
        self._since = 0
        self._needed: list[int] = []

    @property
    def _literals(self) -> list[Literal] | None:
        """The literals of the concept; None while every one may be there."""
        if self._center is None:
            return None
        flipped = [Literal(feature, positive=False) for feature in self._center]
        return [*flipped, *map(Literal, self._needed)]

    def _flipped(self, at: int) -> tuple[int, ...]:
        """Return the features that are flipped in round `at`."""
        if self._center is None:
            return (at - 1,) if at else ()
        feature = at - self._since
        passed = any(feature >= other for other in self._center)
        return (*self._center, feature + passed)

    @abstractmethod
    def _example(self, at: int) -> dict[int, int]: ...

    def _label(self, at: int, prediction: Any) -> bool:
        label = not said(prediction)
        flipped = self._flipped(at)
        if self._center is None:
            if label == self._telling:
                self._center, self._since = flipped, at + 1
        elif label != self._telling:
            self._needed.append(flipped[-1])
        return label


class ConjunctionAdversary(_OneByOne):
    r"""All features but one, and a label against the prediction.

    Round $i = 0, \dots, n - 1$ shows the example in which feature $i$ alone is false.
    If the label is no, feature $i$ is in the conjunction; if it is yes, it is not. No
    round says anything about another.

    With `negations` there is one round more. All features are true in the first. As
    long as the labels are no, one feature after the other is false instead; nothing but
    the conjunction that is never true need fit. The first example labelled yes is then
    what others are compared with: the rounds left show it with one more feature
    flipped, another each time, as above.

    Parameters
    ----------
    n
        How many features there are, the columns 0 to $n - 1$.
    negations
        Whether the conjunction may negate features, or be never true.

    Attributes
    ----------
    rounds, forces
        $n$, or $n + 1$ with negations, and so many mistakes does every learner make.
    theorem, numbers
        The theorem below, and the numbers it takes.
    best_
        Mistakes of the best conjunction: always 0.
    concept_
        A conjunction that fits all answers so far.

    Guarantees
    ----------
    `CONJ-LB`: every deterministic learner makes $n$ mistakes, or $n + 1$ with
    negations. So the bounds `CONJ-MONO` and `CONJ` of elimination cannot be improved.

    References
    ----------
    Littlestone (1988), Learning quickly when irrelevant attributes abound, Machine
    Learning 2:285-318, https://doi.org/10.1007/BF00116827

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.adversaries import ConjunctionAdversary
    >>> from littlestone.linear import Perceptron
    >>> adversary = ConjunctionAdversary(4)
    >>> run(Perceptron(), adversary)
    Record(Perceptron: 4 rounds, 4 mistakes (100.00%), 4 updates)
    >>> print(adversary.concept_)
    x0 and x2
    """

    _theorem: ClassVar[Theorem] = CONJ_LB
    _telling: ClassVar[bool] = True

    @property
    def concept_(self) -> Conjunction:
        """A conjunction that fits all answers so far."""
        literals = self._literals
        return Conjunction.never() if literals is None else Conjunction(*literals)

    comparator_ = concept_

    def _example(self, at: int) -> dict[int, int]:
        flipped = self._flipped(at)
        return {j: 1 for j in range(self.n) if j not in flipped}


class DisjunctionAdversary(_OneByOne):
    r"""One feature at a time, and a label against the prediction.

    Round $i = 0, \dots, n - 1$ shows the example in which feature $i$ alone is true. If
    the label is yes, feature $i$ is in the disjunction; if it is no, it is not. No
    round says anything about another.

    With `negations` there is one round more, as for `ConjunctionAdversary`, with true
    and false, and yes and no, exchanged.

    Parameters
    ----------
    n
        How many features there are, the columns 0 to $n - 1$.
    negations
        Whether the disjunction may negate features, or be always true.

    Attributes
    ----------
    rounds, forces
        $n$, or $n + 1$ with negations, and so many mistakes does every learner make.
    theorem, numbers
        The theorem below, and the numbers it takes.
    best_
        Mistakes of the best disjunction: always 0.
    concept_
        A disjunction that fits all answers so far.

    Guarantees
    ----------
    `DISJ-LB`: every deterministic learner makes $n$ mistakes, or $n + 1$ with
    negations. So the bounds `DISJ-MONO` and `DISJ` of elimination cannot be improved.

    References
    ----------
    Littlestone (1988), Learning quickly when irrelevant attributes abound, Machine
    Learning 2:285-318, https://doi.org/10.1007/BF00116827

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.adversaries import DisjunctionAdversary
    >>> from littlestone.linear import Winnow
    >>> adversary = DisjunctionAdversary(4)
    >>> run(Winnow(threshold=4), adversary)
    Record(Winnow: 4 rounds, 4 mistakes (100.00%), 4 updates)
    >>> print(adversary.concept_)
    x0 or x1 or x2 or x3
    """

    _theorem: ClassVar[Theorem] = DISJ_LB
    _telling: ClassVar[bool] = False

    @property
    def concept_(self) -> Disjunction:
        """A disjunction that fits all answers so far."""
        literals = self._literals
        return Disjunction.always() if literals is None else Disjunction(*literals)

    comparator_ = concept_

    def _example(self, at: int) -> dict[int, int]:
        return dict.fromkeys(self._flipped(at), 1)
