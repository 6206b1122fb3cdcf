"""Finite classes of concepts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Self, TypeAlias, overload

from littlestone.concepts._concept import as_features
from littlestone.concepts._decision_list import DecisionList
from littlestone.concepts._literals import Conjunction, Disjunction, Literal
from littlestone.display import Displayed
from littlestone.errors import (
    LABELS,
    LabelError,
    NoConsistentConcept,
    ParameterError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from littlestone.concepts._concept import Example, Feature

    Rule: TypeAlias = Callable[[Any], bool]

__all__ = ["FiniteClass"]

_MOST_CONCEPTS = 10**6
_MOST_LIST_FEATURES = 5


@dataclass(frozen=True, slots=True, init=False, repr=False)
class FiniteClass(Displayed, Sequence["Rule"]):
    """A finite class: distinct concepts, in the order given.

    Parameters
    ----------
    concepts
        At least one. Any function of an example will do that can be hashed and says
        True or False.

    Attributes
    ----------
    concepts
        The concepts, as a tuple.

    Examples
    --------
    >>> from littlestone.concepts import Conjunction, FiniteClass
    >>> these = FiniteClass([Conjunction("a"), Conjunction("b"), Conjunction("a", "b")])
    >>> these.size, these.labels({"a": 1})
    (3, (True, False, False))
    >>> print(these.consistent([({"a": 1}, False)]))
    b
    a and b
    """

    concepts: tuple[Rule, ...]

    def __init__(self, concepts: Iterable[Rule]) -> None:
        if not hasattr(concepts, "__iter__"):
            raise ParameterError(
                f"concepts must be a sequence, got {concepts!r}", owner="FiniteClass"
            )
        kept = tuple(concepts)
        if not kept:
            raise ParameterError(
                "there must be at least one concept, got 0", owner="FiniteClass"
            )
        seen: set[Rule] = set()
        for concept in kept:
            if not callable(concept):
                raise ParameterError(
                    f"a concept must be callable, got {concept!r}", owner="FiniteClass"
                )
            try:
                known = concept in seen
            except TypeError:
                raise ParameterError(
                    f"a concept must be hashable, got {concept!r}", owner="FiniteClass"
                ) from None
            if known:
                raise ParameterError(
                    f"concepts must be distinct, got {concept!r} twice",
                    owner="FiniteClass",
                )
            seen.add(concept)
        object.__setattr__(self, "concepts", kept)

    @classmethod
    def conjunctions(cls, features: int | Iterable[Feature]) -> Self:
        """Return all 3^n + 1 conjunctions over n features, `never` the last.

        Examples
        --------
        >>> from littlestone.concepts import FiniteClass
        >>> print(*FiniteClass.conjunctions(["a"]), sep=", ")
        always, a, not a, never
        """
        chosen = _choices(features, signs=2)
        return cls([*(Conjunction(*some) for some in chosen), Conjunction.never()])

    @classmethod
    def disjunctions(cls, features: int | Iterable[Feature]) -> Self:
        """Return all 3^n + 1 disjunctions over n features, `always` the last.

        Examples
        --------
        >>> from littlestone.concepts import FiniteClass
        >>> print(*FiniteClass.disjunctions(["a"]), sep=", ")
        never, a, not a, always
        """
        chosen = _choices(features, signs=2)
        return cls([*(Disjunction(*some) for some in chosen), Disjunction.always()])

    @classmethod
    def monotone_conjunctions(cls, features: int | Iterable[Feature]) -> Self:
        """Return all 2^n conjunctions of n features, none negated.

        Examples
        --------
        >>> from littlestone.concepts import FiniteClass
        >>> print(*FiniteClass.monotone_conjunctions(2), sep=", ")
        always, x1, x0, x0 and x1
        """
        return cls(Conjunction(*some) for some in _choices(features, signs=1))

    @classmethod
    def monotone_disjunctions(cls, features: int | Iterable[Feature]) -> Self:
        """Return all 2^n disjunctions of n features, none negated.

        Examples
        --------
        >>> from littlestone.concepts import FiniteClass
        >>> print(*FiniteClass.monotone_disjunctions(2), sep=", ")
        never, x1, x0, x0 or x1
        """
        return cls(Disjunction(*some) for some in _choices(features, signs=1))

    @classmethod
    def singletons(cls, size: int) -> Self:
        """Return the class that defeats learners which are merely consistent.

        Concept i is true on the example {i: 1} and false on the others of that kind.

        Examples
        --------
        >>> from littlestone.concepts import FiniteClass
        >>> FiniteClass.singletons(3).labels({1: 1})
        (False, True, False)
        """
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ParameterError(
                f"size must be at least 1, got {size!r}", owner="FiniteClass"
            )
        return cls(Conjunction(column) for column in range(size))

    @classmethod
    def decision_lists(cls, features: int | Iterable[Feature]) -> Self:
        """Return the 1-decision lists over n features that differ in what they say.

        Each represents all that say the same; none of them is shorter. There may be 5
        features.

        Examples
        --------
        >>> from littlestone.concepts import FiniteClass
        >>> print(*FiniteClass.decision_lists(["a"]), sep="; ")
        yes; no; if a then yes, else no; if a then no, else yes
        """
        listed = as_features("FiniteClass", features)
        if len(listed) > _MOST_LIST_FEATURES:
            raise ParameterError(
                f"decision lists must have at most {_MOST_LIST_FEATURES} features, "
                f"got {len(listed)}",
                owner="FiniteClass",
            )
        rules = [
            (Conjunction(Literal(feature, positive)), answer)
            for feature in listed
            for positive in (True, False)
            for answer in (True, False)
        ]
        found: dict[tuple[bool, ...], DecisionList] = {}
        latest = [DecisionList([], default=True), DecisionList([], default=False)]
        # A list one longer is a rule before a list; the shorter ones come first.
        while latest:
            fresh = [
                made
                for made in latest
                if found.setdefault(made.truth_table(listed), made) is made
            ]
            latest = [
                DecisionList([rule, *made.rules], made.default)
                for rule in rules
                for made in fresh
            ]
        return cls(found.values())

    @property
    def size(self) -> int:
        """How many concepts there are."""
        return len(self.concepts)

    def labels(self, x: Example) -> tuple[bool, ...]:
        """Return what each concept says of an example.

        Examples
        --------
        >>> from littlestone.concepts import FiniteClass
        >>> FiniteClass.conjunctions(["a"]).labels({"a": 1})
        (True, True, False, False)
        """
        return tuple(bool(concept(x)) for concept in self.concepts)

    def consistent(self, examples: Iterable[tuple[Example, object]]) -> FiniteClass:
        """Return the concepts that answer every example with its label.

        Examples
        --------
        >>> from littlestone.concepts import FiniteClass
        >>> these = FiniteClass.conjunctions(["a", "b"])
        >>> print(these.consistent([({"a": 1}, True), ({"b": 1}, False)]))
        not b
        a
        a and not b
        >>> these.consistent([({"a": 1}, True), ({"a": 1}, False)])
        Traceback (most recent call last):
        littlestone.errors.NoConsistentConcept: FiniteClass: some concept must fit, but 2 of the examples rule out all 10
        """  # noqa: E501 - a message is one line
        left = list(self.concepts)
        deciding = []
        for x, y in examples:
            label = _as_label(y)
            fits = [concept for concept in left if bool(concept(x)) is label]
            if len(fits) < len(left):
                deciding.append((x, label))
            left = fits
            if not left:
                error = NoConsistentConcept(
                    f"some concept must fit, but {len(deciding)} of the examples "
                    f"rule out all {self.size}",
                    owner="FiniteClass",
                )
                error.examples = tuple(deciding)
                raise error
        return FiniteClass(left)

    def __len__(self) -> int:
        return len(self.concepts)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Rule, ...]: ...
    def __getitem__(self, index: int | slice) -> Rule | tuple[Rule, ...]:
        return self.concepts[index]

    def __str__(self) -> str:
        return "\n".join(map(str, self.concepts))

    def __repr__(self) -> str:
        return f"FiniteClass({list(self.concepts)!r})"

    def __reduce__(self) -> tuple[type[Self], tuple[tuple[Rule, ...]]]:
        return type(self), (self.concepts,)


def _choices(
    features: int | Iterable[Feature], *, signs: int
) -> Iterable[list[Literal]]:
    """Go through all sets of literals, a feature at most once in each."""
    listed = as_features("FiniteClass", features)
    if (1 + signs) ** min(len(listed), 64) > _MOST_CONCEPTS:
        raise ParameterError(
            f"there must be at most {_MOST_CONCEPTS:,} concepts, got "
            f"{1 + signs}**{len(listed)}",
            owner="FiniteClass",
        )
    wanted = (None, True, False)[: 1 + signs]
    for choice in product(wanted, repeat=len(listed)):
        yield [
            Literal(feature, positive)
            for feature, positive in zip(listed, choice, strict=True)
            if positive is not None
        ]


def _as_label(y: Any) -> bool:
    if not hasattr(y, "__len__"):
        try:
            if y == 1:
                return True
            if y in {0, -1}:
                return False
        except (TypeError, ValueError, ArithmeticError):
            pass  # a label of its own kind, which is no number
    raise LabelError(f"{LABELS}, got {y!r}", owner="FiniteClass")
