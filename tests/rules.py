"""Rules to test with: concepts of every kind, drawn or all there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import strategies as st

from littlestone.concepts import (
    KCNF,
    KDNF,
    Concept,
    Conjunction,
    DecisionList,
    Disjunction,
    Feature,
    Halfspace,
    Literal,
)

# The kinds of rules that are fitted, and the literals of their clauses or terms.
KINDS = [
    ("conjunction", 1),
    ("disjunction", 1),
    ("k-cnf", 2),
    ("k-dnf", 2),
    ("decision-list", 1),
    ("decision-list", 2),
]

# Each of them could be taken for something else, here or in Python or SQL.
NASTY = [
    "a", "odor=foul", "age>=30", "stalk-root=?", "and", "YES", "x4", "x007", "2", "-1",
    "1/3", "", " ", "two words", "a,b", "(a)", '"', "'", "\\", "a\nb", "\t", "é", "²",
    "\U0001d538", "\U000e0001", "\u00a0", "\u202e", "not b", ">=", "-", "+", "--", "_",
    "'; DROP TABLE t; --", "__import__('os')", "{x}", "%s", "rowid", "select", "x-1",
]  # fmt: skip

names = st.sampled_from(NASTY) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=6
)
features = names | st.integers(0, 9) | st.integers(0, 2**64 - 1)


def literals_of(some: st.SearchStrategy[Feature]) -> st.SearchStrategy[Literal]:
    return st.builds(Literal, some, st.booleans())


def conjunctions(
    some: st.SearchStrategy[Feature] = features,
) -> st.SearchStrategy[Conjunction]:
    made = st.lists(literals_of(some), max_size=4).map(
        lambda drawn: Conjunction(*drawn)
    )
    return made | st.just(Conjunction.never())


def disjunctions(
    some: st.SearchStrategy[Feature] = features,
) -> st.SearchStrategy[Disjunction]:
    return conjunctions(some).map(lambda term: ~term)


def kdnfs(some: st.SearchStrategy[Feature] = features) -> st.SearchStrategy[KDNF]:
    return st.lists(conjunctions(some), max_size=4).map(lambda drawn: KDNF(*drawn))


def kcnfs(some: st.SearchStrategy[Feature] = features) -> st.SearchStrategy[KCNF]:
    return st.lists(disjunctions(some), max_size=4).map(lambda drawn: KCNF(*drawn))


def decision_lists(
    some: st.SearchStrategy[Feature] = features,
) -> st.SearchStrategy[DecisionList]:
    rules = st.lists(st.tuples(conjunctions(some), st.booleans()), max_size=6)
    return st.builds(DecisionList, rules, st.booleans())


numbers = st.integers(-5, 5) | st.fractions(-3, 3, max_denominator=7)


def halfspaces(
    some: st.SearchStrategy[Feature] = features,
    weights: st.SearchStrategy[Any] = numbers,
) -> st.SearchStrategy[Halfspace]:
    # Conjunctions of one positive literal are that feature: not both may be given.
    terms = conjunctions(some).filter(lambda term: term.size != 1)
    return st.builds(
        Halfspace,
        st.dictionaries(some | terms, weights, max_size=5),
        weights,
        strict=st.booleans(),
    )


def boolean_concepts(
    some: st.SearchStrategy[Feature] = features,
) -> st.SearchStrategy[Concept]:
    return st.one_of(
        conjunctions(some),
        disjunctions(some),
        kcnfs(some),
        kdnfs(some),
        decision_lists(some),
    )


def concepts(
    some: st.SearchStrategy[Feature] = features,
) -> st.SearchStrategy[Concept]:
    return boolean_concepts(some) | halfspaces(some)


def all_terms(over: Sequence[Feature]) -> Iterator[Conjunction]:
    """Go through all terms in which a feature stands at most once."""
    for signs in product((None, True, False), repeat=len(over)):
        yield Conjunction(
            *(
                Literal(feature, sign)
                for feature, sign in zip(over, signs, strict=True)
                if sign is not None
            )
        )


def all_examples(over: Sequence[Feature]) -> Iterator[dict[Feature, bool]]:
    """Go through all examples in the order of counting."""
    for values in product((False, True), repeat=len(over)):
        yield dict(zip(over, values, strict=True))


def said(concept: Concept, x: dict[Any, Any]) -> bool:
    """Say what a concept says, by the definition of its class."""

    def true(literal: Literal) -> bool:
        return bool(x.get(literal.feature, 0)) == literal.positive

    match concept:
        case Conjunction():
            return concept != Conjunction.never() and all(map(true, concept.literals))
        case Disjunction():
            return concept == Disjunction.always() or any(map(true, concept.literals))
        case KCNF():
            return all(said(clause, x) for clause in concept.clauses)
        case KDNF():
            return any(said(term, x) for term in concept.terms)
        case DecisionList():
            fired = (answer for term, answer in concept.rules if said(term, x))
            return next(fired, concept.default)
        case Halfspace():
            total = Fraction(0)
            for key, weight in concept.weights.items():
                if isinstance(key, Conjunction):
                    total += weight if said(key, x) else 0
                else:
                    total += weight * Fraction(x.get(key, 0))
            least = concept.threshold
            return total > least if concept.strict else total >= least
    raise TypeError(concept)
