"""Proofs about learners of rules: a concept fits every round.

All numbers are whole, and a twin decides as its learner does, so nothing is rounded.
The premises are checked: that the concept is in the class, that it gives every label,
how many features were met. So is what the proof says of each mistake: that something is
dropped, that few concepts are left, that no rule of a list climbs too high.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone import theorems
from littlestone.concepts import (
    KCNF,
    KDNF,
    Concept,
    Conjunction,
    DecisionList,
    Disjunction,
    Halfspace,
)
from littlestone.errors import LittlestoneError
from littlestone.theorems.sizes import terms
from littlestone.verifying._digest import entries, number_of
from littlestone.verifying.proofs._proof import (
    Proof,
    Unsound,
    above_zero,
    at_least_one,
    truth,
)
from littlestone.verifying.proofs.winnow import largest_power, most_demotions
from littlestone.verifying.twins import StandardOptimalLearner

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FORMS", "PROOFS", "blocks_of", "saving"]

# The concepts that can be read, by the name of their class.
FORMS: dict[str, type[Concept]] = {
    form.__name__: form
    for form in (Conjunction, Disjunction, KCNF, KDNF, DecisionList, Halfspace)
}

# Larger ones would take too long to judge.
_MOST_LITERALS = 32
_MOST_CONCEPTS = 10_000
_MOST_COLUMNS = 2**62  # a range of more has no length


def _universe(value: Any) -> bool:
    """Return whether these are features: None, columns, or distinct names."""
    if not isinstance(value, (list, tuple)):
        return value is None or (at_least_one(value) and value <= _MOST_COLUMNS)
    known = all(
        type(each) is str or (type(each) is int and each >= 0) for each in value
    )
    return known and 0 < len(set(value)) == len(value)


def _listed(value: Any) -> bool:
    """Return whether these are examples or concepts, at least one."""
    return hasattr(value, "__len__") and hasattr(value, "__iter__") and len(value) > 0


def _concepts(value: Any) -> bool:
    return _listed(value) and all(type(each) in FORMS.values() for each in value)


class RuleProof(Proof):
    """The base of these proofs: the concept gives every label."""

    kinds = ("concept",)
    forms: ClassVar[tuple[type[Concept], ...]] = tuple(FORMS.values())

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        super().__init__(parameters, witness, numbers)
        form = FORMS.get(witness["class"])
        if form is None or form not in self.forms:
            known = " or ".join(each.__name__ for each in self.forms)
            raise Unsound(f"witness must be a {known}, got {witness['class']!r:.80}")
        try:
            concept: Any = form.parse(witness["text"])
        except (LittlestoneError, RecursionError) as error:
            raise Unsound(f"witness must be readable: {error!s:.200}") from None
        if str(concept) != witness["text"]:
            raise Unsound(f"witness must be written as {str(concept)!r:.80}")
        self.concept = concept

    def fits(self, x: Any, y: bool) -> None:
        """Refuse a round whose label the concept does not give."""
        try:
            says = self.concept(x)
        except LittlestoneError as error:
            raise Unsound(f"the witness must have an answer: {error}") from None
        if says is not y:
            label = "yes" if y else "no"
            raise Unsound(f"the witness must say {label}, like the label")


class FeatureProof(RuleProof):
    """The base for learners with features, declared or met."""

    unmet = 0  # whether all features never met count as one

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        declared = self.parameters["features"]
        columns = declared is not None and not isinstance(declared, (list, tuple))
        self.declared: Any = range(declared) if columns else declared and set(declared)
        self.met: set[Any] = set()
        if self.declared is not None:
            count = Fraction(len(self.declared))
            self.equal("features", count, "the number declared")
        if "k" in self.numbers:
            self._check_k()

    def _check_k(self) -> None:
        self.equal("k", Fraction(self.parameters["k"]), "the learner's")
        if self.numbers["k"] > _MOST_LITERALS:
            raise Unsound(f"learner: k must be at most {_MOST_LITERALS} to be judged")
        if self.concept.k > self.numbers["k"]:
            raise Unsound(
                f"witness must have at most k = {self.numbers['k']} literals together, "
                f"got {self.concept.k}"
            )

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - levels are checked elsewhere
        """Check that the features are the learner's, and that the concept fits."""
        for feature, value in x.items():
            if value != 1:
                raise Unsound(f"feature {feature!r:.80} must be 0 or 1, got {value!r}")
            if self.declared is not None and not self._declares(feature):
                raise Unsound(f"feature {feature!r:.80} must be one that was declared")
        self.meet(x, changed)
        self.fits(x, y)
        if said != y and not changed and self.teaches(y):
            raise Unsound("a mistake must change the learner")

    def teaches(self, y: bool) -> bool:  # noqa: ARG002 - some learn from one label only
        """Return whether a mistake on this label changes the learner."""
        return True

    def meet(self, x: Any, changed: bool) -> None:  # noqa: ARG002 - some learners meet features in mistakes only
        """Note the features that the learner has met."""
        self.met.update(x)

    def _declares(self, feature: Any) -> bool:
        # A range would look for a text from its start to its end.
        by_column = isinstance(self.declared, range)
        return not (by_column and type(feature) is str) and feature in self.declared

    def close(self, counts: Mapping[str, Fraction]) -> None:  # noqa: ARG002 - the numbers are enough
        """Count the features."""
        if self.declared is None:
            count = Fraction(max(1, len(self.met) + self.unmet))
            more = " and one more" if self.unmet else ""
            self.equal("features", count, f"the number met{more}, or 1")


class Literals(FeatureProof):
    """The base for conjunctions and disjunctions."""

    schemas = ({"monotone": truth, "features": _universe},)
    monotone = False

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if self.parameters["monotone"] is not self.monotone:
            raise Unsound(f"learner: monotone must be {self.monotone}")
        if not self.monotone:
            return
        if not all(literal.positive for literal in self.concept.literals):
            raise Unsound("witness must have no negations, as the learner has none")
        if self.concept in self.out_of_class():
            raise Unsound(
                "witness must be made of features, which cannot make this rule"
            )

    def out_of_class(self) -> tuple[Concept, ...]:
        """Return the rule that no features make without negations."""
        return (Disjunction.always(),)


class ConjunctionProof(Literals):
    """`CONJ`."""

    learners = ("ConjunctionLearner",)
    names: ClassVar[tuple[str, ...]] = ("features",)
    forms = (Conjunction,)


class MonotoneConjunction(ConjunctionProof):
    """`CONJ-MONO`."""

    monotone = True
    unmet = 1

    def out_of_class(self) -> tuple[Concept, ...]:
        """Return nothing if a feature never met, which is false, makes that rule."""
        return () if self.parameters["features"] is None else (Conjunction.never(),)


class DisjunctionProof(Literals):
    """`DISJ`."""

    learners = ("DisjunctionLearner",)
    names: ClassVar[tuple[str, ...]] = ("features",)
    forms = (Disjunction,)


class MonotoneDisjunction(DisjunctionProof):
    """`DISJ-MONO`."""

    monotone = True


class ClausesProof(FeatureProof):
    """`kCNF`."""

    learners = ("KCNFLearner",)
    names: ClassVar[tuple[str, ...]] = ("features", "k")
    schemas = ({"k": at_least_one, "features": _universe},)
    forms: ClassVar[tuple[type[Concept], ...]] = (KCNF,)


class TermsProof(ClausesProof):
    """`kDNF`."""

    learners = ("KDNFLearner",)
    forms = (KDNF,)


class Exceptions(FeatureProof):
    """The base for concepts that may be wrong on one of the labels.

    The learner eliminates on mistakes on the other label, of which there are no more
    than the theorem without exceptions allows, whatever the stream. What it then holds
    says at least what the concept says, so its other mistakes are exceptions.
    """

    yes = True  # the label on which the concept is right
    without: ClassVar[Any]

    def __init__(self, *given: Any) -> None:
        self.monotone = bool(given[0].get("monotone", False))
        super().__init__(*given)
        self.wrong = {True: 0, False: 0}
        self.exceptions = 0

    def teaches(self, y: bool) -> bool:
        """Return whether it is the label on which the concept is right."""
        return y is self.yes

    def fits(self, x: Any, y: bool) -> None:
        """Refuse a round of that label that the concept gets wrong; count others."""
        if y is self.yes:
            super().fits(x, y)
        else:
            self.exceptions += self.concept(x) is not y

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Also count the mistakes."""
        super().round(x, y, said, changed, twin)
        self.wrong[y] += said != y

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the exceptions, and the mistakes on either label."""
        super().close(counts)
        found = Fraction(self.exceptions)
        self.at_least("exceptions", found, "the rounds that the witness gets wrong")
        rest = {n: v for n, v in self.numbers.items() if n != "exceptions"}
        if (
            self.wrong[self.yes] > self.without.formula(**rest)
            or self.wrong[not self.yes] > self.exceptions
        ):
            raise Unsound("each mistake must drop something, or be an exception")


class ConjunctionExceptions(Exceptions, ConjunctionProof):
    """`CONJ-EXC`."""

    names = ("features", "exceptions")
    without = theorems.CONJ


class DisjunctionExceptions(Exceptions, DisjunctionProof):
    """`DISJ-EXC`."""

    names = ("features", "exceptions")
    without = theorems.DISJ
    yes = False


class ClausesExceptions(Exceptions, ClausesProof):
    """`kCNF-EXC`."""

    names = ("features", "k", "exceptions")
    without = theorems.KCNF


class TermsExceptions(Exceptions, TermsProof):
    """`kDNF-EXC`."""

    names = ("features", "k", "exceptions")
    without = theorems.KDNF
    yes = False


class WeighedTerms(FeatureProof):
    """`WIN2-DNF`: the proof of Winnow, with the terms of the witness as features."""

    learners = ("WinnowDNF",)
    names = ("features", "k", "relevant", "threshold", "promotion", "deviation")
    schemas = (
        {
            "k": at_least_one,
            "features": _universe,
            "threshold": lambda value: (
                value is None or (above_zero(value) and value >= 1)
            ),
            "promotion": lambda value: above_zero(value) and value > 1,
        },
    )
    forms = (KDNF,)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        relevant = Fraction(len(self.concept.terms))
        self.equal("relevant", relevant, "the number of terms of the witness")
        self.equal("promotion", Fraction(self.parameters["promotion"]), "the learner's")
        if self.parameters["threshold"] is not None:
            theta = Fraction(self.parameters["threshold"])
            self.equal("threshold", theta, "the learner's")
        self.terms = [
            [(literal.feature, literal.positive) for literal in term.literals]
            for term in self.concept.terms
        ]
        self.promotions = self.demotions = self.potential = self.deviation = 0

    def meet(self, x: Any, changed: bool) -> None:
        """Note the features of the mistakes."""
        if changed:
            self.met.update(x)

    def fits(self, x: Any, y: bool) -> None:
        """Accept every label: the rounds that the witness gets wrong are counted."""

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Count the terms of the witness that are true, if the learner was wrong."""
        super().round(x, y, said, changed, twin)
        if float(self.numbers["threshold"]) != twin.threshold:
            raise Unsound(f"threshold must be the learner's, {twin.threshold!r}")
        if not changed:
            return
        true = sum(
            all(self._known(f) and (f in x) is positive for f, positive in term)
            for term in self.terms
        )
        self.promotions += y
        self.demotions += not y
        self.potential += true if y else -true
        self.deviation += not true if y else true

    def _known(self, feature: Any) -> bool:
        """Return whether a feature is declared, or was met by now."""
        return feature in self.met if self.declared is None else self._declares(feature)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check what the witness missed, the sum of the weights and their ceiling."""
        super().close(counts)
        if counts["mistakes"] != self.promotions + self.demotions:
            raise Unsound("a mistake must change the learner")
        missed = Fraction(self.deviation)
        self.at_least("deviation", missed, "how often the witness was wrong")
        theta, beta = self.numbers["threshold"], self.numbers["promotion"]
        n = Fraction(terms(self.numbers["features"], self.numbers["k"]))
        ceiling = self.numbers["relevant"] * largest_power(theta, beta)
        if (
            self.demotions > most_demotions(n, theta, beta, self.promotions)
            or self.potential > ceiling
        ):
            raise Unsound(
                "the weights must stay between 0 and the ceiling: the run's rounding "
                "broke the proof"
            )


class ListProof(FeatureProof):
    """`DL`."""

    learners = ("DecisionListLearner",)
    names: ClassVar[tuple[str, ...]] = ("features", "k", "length")
    schemas = ({"k": at_least_one, "features": _universe},)
    forms = (DecisionList,)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.length()
        self.levels: Mapping[Any, int] = {}

    def length(self) -> None:
        """Check the number of rules."""
        length = Fraction(self.concept.size)
        self.equal("length", length, "the number of the witness's rules")

    def rules(self) -> list[Any]:
        """Return the rules of the witness as the twin names them, None for never."""
        named = [*self.concept.rules, (Conjunction(), self.concept.default)]
        return [
            None
            if term == Conjunction.never()
            else (
                frozenset((one.feature, one.positive) for one in term.literals),
                label,
            )
            for term, label in named
        ]

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Check the round as for all rules; the twin has the levels."""
        super().round(x, y, said, changed, twin)
        self.levels = twin.levels

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the levels of the witness's rules, and of all others."""
        super().close(counts)
        heights = {
            (frozenset(term), label): level
            for (term, label), level in self.levels.items()
        }
        self.climb(heights)

    def climb(self, heights: Mapping[Any, int]) -> None:
        """Check the levels."""
        rules = self.rules()
        for number, rule in enumerate(rules, 1):
            if rule is not None and heights.get(rule, 1) > number:
                raise Unsound(f"rule {number} must not climb above level {number}")
        if max(heights.values(), default=1) > len(rules) + 1:
            raise Unsound(f"no rule may climb above level {len(rules) + 1}")


class BlocksProof(ListProof):
    """`DL-BLOCKS`."""

    names: ClassVar[tuple[str, ...]] = ("features", "k", "blocks", "saved")

    def length(self) -> None:
        """Check the number of blocks."""
        self.blocks = blocks_of(self.concept)
        self.equal("blocks", Fraction(self.blocks[-1]), "the blocks of the witness")

    def climb(self, heights: Mapping[Any, int]) -> None:
        """Check the levels by blocks, and what the rules of the witness save."""
        last = self.blocks[-1]
        self._save(heights)
        for (_, label), level in heights.items():
            if level > last + (label is not self.concept.default):
                raise Unsound(f"no rule may climb above level {last + 1}")

    def _save(self, heights: Mapping[Any, int], moved: int = 0) -> None:
        """Check the rules of the witness, some of whose levels exceptions moved."""
        last = self.blocks[-1]
        first: dict[Any, int] = {}
        for rule, block in zip(self.rules(), self.blocks, strict=True):
            if rule is not None:
                first.setdefault(rule, block)
        saved = 0
        for (literals, label), block in first.items():
            if heights.get((literals, label), 1) > block + moved:
                raise Unsound(f"a rule of block {block} must not climb above its level")
            known = all(self._known(feature) for feature, _ in literals)
            saved += known * saving(block, last)
        self.at_most("saved", Fraction(saved), "what the rules of the witness save")

    def _known(self, feature: Any) -> bool:
        """Return whether the learner has rules about a feature."""
        return feature in self.met if self.declared is None else self._declares(feature)


class ListExceptions(BlocksProof):
    """`DL-EXC`."""

    names = ("features", "k", "blocks", "saved", "exceptions", "displaced")

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.exceptions = self.displaced = 0
        self.climbs: dict[Any, int] = {}  # where the list is right

    def fits(self, x: Any, y: bool) -> None:
        """Accept every label: the mistakes that the list shares are counted."""

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Count what moved a rule up: the list's own mistake, or not."""
        super().round(x, y, said, changed, twin)
        if not changed:
            return
        term, label = twin.moved
        rule = frozenset(term), label
        if self.concept(x) is y:
            self.climbs[rule] = self.climbs.get(rule, 0) + 1
        else:
            self.exceptions += 1
            self.displaced += rule in known_rules(self.rules(), twin.features)

    def climb(self, heights: Mapping[Any, int]) -> None:
        """Check the exceptions, and how far rules climbed apart from them."""
        missed, moved = Fraction(self.exceptions), self.displaced
        self.at_least("exceptions", missed, "the mistakes that the witness shares")
        what = "those that moved a rule of the witness"
        self.at_least("displaced", Fraction(moved), what)
        last = self.blocks[-1]
        self._save(heights, moved)
        for (_, label), climbs in self.climbs.items():
            own = label is self.concept.default
            most = 0 if own and last == 1 else last - own + moved
            if climbs > most:
                raise Unsound(f"no rule may climb more than {most} levels")


def known_rules(rules: list[Any], met: Any) -> set[Any]:
    """Return rules as they read while only some features have been met.

    Until a feature is met it is false. So a rule that asks for it does not exist, and
    one that asks for its absence is the rule without this condition.

    Examples
    --------
    >>> from littlestone.verifying.proofs.rules import known_rules
    >>> rule = (frozenset({("a", True), ("b", False)}), True)
    >>> known_rules([rule], {"a"}) == {(frozenset({("a", True)}), True)}
    True
    >>> known_rules([rule], {"b"})
    set()
    """
    return {
        (frozenset(part for part in rule[0] if part[0] in met), rule[1])
        for rule in rules
        if rule is not None
        and all(feature in met or not positive for feature, positive in rule[0])
    }


def blocks_of(concept: Any) -> list[int]:
    """Return the block of each rule of a list, the default's last.

    Examples
    --------
    >>> from littlestone.concepts import DecisionList
    >>> from littlestone.verifying.proofs.rules import blocks_of
    >>> blocks_of(DecisionList.parse("if a then yes, else if b then yes, else no"))
    [1, 1, 2]
    """
    labels = [label for _, label in concept.rules] + [concept.default]
    found = [1]
    for before, label in pairwise(labels):
        found.append(found[-1] + (label is not before))
    return found


def saving(block: int, last: int) -> int:
    """Return how many levels a rule of a block does not climb, of those others may.

    Examples
    --------
    >>> from littlestone.verifying.proofs.rules import saving
    >>> [saving(block, 3) for block in (1, 2, 3)]
    [2, 2, 0]
    """
    return 2 * ((last - block + 1) // 2)


class ClassProof(RuleProof):
    """The base for finite classes: how many concepts are left."""

    schemas = ({"concepts": _concepts},)
    number: ClassVar[str]

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        concepts = tuple(self.parameters["concepts"])
        if len(concepts) > _MOST_CONCEPTS:
            raise Unsound(
                f"learner: there must be at most {_MOST_CONCEPTS:,} concepts to be "
                f"judged, got {len(concepts):,}"
            )
        if self.concept not in concepts:
            raise Unsound("witness must be one of the concepts")
        self.equal(self.number, *self.measured(concepts))
        self.left = frozenset(range(len(concepts)))

    def measured(self, concepts: tuple[Concept, ...]) -> tuple[Fraction, str]:
        """Return the number that the theorem takes, and what it is."""
        return Fraction(len(concepts)), "the number of concepts"

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - a right prediction may drop concepts too
        """Check that the concept fits, and that a mistake leaves few concepts."""
        self.fits(x, y)
        left = frozenset(twin.left)
        if said != y and not self.falls(left, twin):
            raise Unsound("a mistake must rule out as much as the theorem says")
        self.left = left

    @abstractmethod
    def falls(self, left: frozenset[int], twin: Any) -> bool:
        """Return whether few enough concepts are left."""

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Do nothing: each round was checked."""


class FirstProof(ClassProof):
    """`CONSISTENT`."""

    learners = ("ConsistentLearner",)
    names = ("concepts",)
    number = "concepts"

    def falls(self, left: frozenset[int], twin: Any) -> bool:  # noqa: ARG002 - the numbers are enough
        """Return whether one is dropped."""
        return len(left) < len(self.left)


class MajorityProof(ClassProof):
    """`HALV`, with the concepts as experts."""

    learners = ("VersionSpaceLearner",)
    names = ("experts",)
    number = "experts"

    def falls(self, left: frozenset[int], twin: Any) -> bool:  # noqa: ARG002 - the numbers are enough
        """Return whether at most half are left."""
        return 2 * len(left) <= len(self.left)


class OptimalProof(ClassProof):
    """`SOA`."""

    learners = ("StandardOptimalLearner",)
    names = ("dimension",)
    number = "dimension"
    schemas = ({"concepts": _concepts, "domain": _listed},)

    def measured(self, concepts: tuple[Concept, ...]) -> tuple[Fraction, str]:
        """Return the dimension, found by search."""
        domain = list(self.parameters["domain"])
        try:
            self.domain = {
                frozenset((f, v) for f, v in entries(x) if number_of(f, v))
                for x in domain
            }
            twin = StandardOptimalLearner(concepts, domain)
            dimension = twin.dimension(frozenset(twin.left))
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise Unsound(f"the dimension must be found: {error!s:.200}") from None
        return Fraction(dimension), "the dimension of the class"

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Check that the example is in the domain of the dimension."""
        if frozenset(x.items()) not in self.domain:
            raise Unsound("an example must be one of the domain")
        super().round(x, y, said, changed, twin)

    def falls(self, left: frozenset[int], twin: Any) -> bool:
        """Return whether the dimension has fallen."""
        return bool(twin.dimension(left) < twin.dimension(self.left))


PROOFS: dict[str, type[Proof]] = {
    "CONJ": ConjunctionProof,
    "CONJ-MONO": MonotoneConjunction,
    "DISJ": DisjunctionProof,
    "DISJ-MONO": MonotoneDisjunction,
    "kCNF": ClausesProof,
    "kDNF": TermsProof,
    "WIN2-DNF": WeighedTerms,
    "DL": ListProof,
    "DL-BLOCKS": BlocksProof,
    "DL-EXC": ListExceptions,
    "CONJ-EXC": ConjunctionExceptions,
    "DISJ-EXC": DisjunctionExceptions,
    "kCNF-EXC": ClausesExceptions,
    "kDNF-EXC": TermsExceptions,
    "CONSISTENT": FirstProof,
    "HALV": MajorityProof,
    "SOA": OptimalProof,
}
