"""What the four learners share that drop what an example proves wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from littlestone import _core
from littlestone.boolean._base import (
    BooleanLearner,
    as_literals,
    as_universe,
    check_terms,
)
from littlestone.boolean._reasons import Dropped, Shown
from littlestone.concepts import Conjunction, Disjunction, Literal
from littlestone.errors import ParameterError
from littlestone.learner.parameters import truth, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from littlestone.concepts import Feature
    from littlestone.theorems import Number

__all__ = ["ClauseLearner", "LiteralLearner"]


class _EliminationLearner(BooleanLearner):
    """A learner that drops what an example proves wrong, and never takes it back.

    The native rule learns a conjunction of clauses. A disjunction of terms is what such
    a conjunction says no to, so a subclass that is `dual` negates every literal.
    """

    _dual: ClassVar[bool]
    _part: ClassVar[type[Conjunction | Disjunction]]  # what it drops

    def _parts(self) -> Iterator[tuple[Literal, ...]]:
        """Yield the clauses or terms that are left, none that a shorter one implies."""
        features = self._native.features
        for codes in self._native.clauses():
            yield tuple(
                Literal(features[code >> 1], (code & 1 == 1) is self._dual)
                for code in codes
            )

    def _dropped(self, what: Any, literals: tuple[Literal, ...]) -> Dropped | None:
        """Tell what dropped a clause or term, if it has been dropped."""
        codes = [
            2 * self._number(literal.feature) + (literal.positive is self._dual)
            for literal in literals
        ]
        lesson = self._native.dropped_by(codes)
        if lesson is None:
            return None
        return Dropped(what, Shown(*self._native.lesson(lesson)))


class LiteralLearner(_EliminationLearner):
    """A learner of conjunctions or disjunctions of literals."""

    def __init__(
        self, *, monotone: bool = False, features: int | Iterable[Feature] | None = None
    ) -> None:
        owner = type(self).__name__
        negations = not truth(owner, "monotone", monotone)
        self.monotone = monotone
        self.features, declared = as_universe(owner, features)
        self._native = _core.literals(
            owner,
            positive=negations or not self._dual,
            negative=negations or self._dual,
            dual=self._dual,
            features=declared,
        )

    def known_of(self, features: int) -> dict[str, Number]:
        """Return how many features there are, or were seen."""
        # All features not seen yet, which are false, count as one.
        unseen = self.monotone and self.features is None
        return super().known_of(features + 1 if unseen else features)

    def why(self, literal: Literal | Feature) -> Dropped | None:
        """Tell which example dropped a literal; None while it is part of the rule.

        Parameters
        ----------
        literal
            A `Literal`, a column number, or the text of a literal such as `"not x7"`.

        Examples
        --------
        >>> from littlestone.boolean import ConjunctionLearner
        >>> learner = ConjunctionLearner(features=3)
        >>> learner.learn_one([1, 0, 1], True)
        >>> print(learner.why("not x2"))
        not x2: dropped in round 0, labelled yes: x0, x2
        """
        owner = type(self).__name__
        literals = as_literals(owner, literal, self._part)
        if len(literals) != 1:
            raise ParameterError(
                f"why() takes one literal, got {literal!r}", owner=owner
            )
        if self.monotone and not literals[0].positive:
            raise ParameterError(
                "with monotone=True a literal must be a feature itself, got "
                f"{literal!r}",
                owner=owner,
            )
        return self._dropped(literals[0], literals)


class ClauseLearner(_EliminationLearner):
    """A learner of conjunctions of clauses or disjunctions of terms."""

    def __init__(
        self, k: int, *, features: int | Iterable[Feature] | None = None
    ) -> None:
        owner = type(self).__name__
        most = whole(owner, "k", k, low=1)
        self.k = k
        self.features, declared = as_universe(owner, features)
        check_terms(
            owner, self._part_name, most, 0 if declared is None else len(declared)
        )
        self._native = _core.clauses(owner, k=most, dual=self._dual, features=declared)

    _part_name: ClassVar[str]

    def known_of(self, features: int) -> dict[str, Number]:
        """Return the features there are, or were seen, and k."""
        return super().known_of(features) | {"k": int(self.k)}

    def why(self, part: Any) -> Dropped | None:
        """Tell which example dropped a clause or term; None while it is in the rule.

        One that a shorter one implies is in the rule too, though `concept_` leaves it
        out.

        Parameters
        ----------
        part
            A clause or term of 1 to k literals, as a `Disjunction` or `Conjunction`,
            as literals, or as text such as `"a or not x7"` or `"a and not x7"`.

        Examples
        --------
        >>> from littlestone.boolean import KCNFLearner
        >>> learner = KCNFLearner(2, features=["a", "b", "c"])
        >>> learner.learn_one({"a": 1, "c": 1}, True)
        >>> print(learner.why("b or not c"))
        b or not c: dropped in round 0, labelled yes: a, c
        """
        owner = type(self).__name__
        literals = as_literals(owner, part, self._part)
        different = {literal.feature for literal in literals}
        if not 1 <= len(literals) <= self.k or len(different) < len(literals):
            raise ParameterError(
                f"why() takes 1 to {self.k} literals of different features, got "
                f"{part!r}",
                owner=owner,
            )
        return self._dropped(self._part(*literals), literals)
