"""The theorems on Boolean rules: by hand, against every play of plain learners.

The learners are written out here, a few lines each, from the premises alone. A play is
any sequence of examples that some target labels; all plays are searched, so what is
found is the most mistakes that can be made at all.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import theorems
from littlestone.errors import PremiseError

Point = tuple[bool, ...]
Literal = tuple[int, bool]
Clause = frozenset[Literal]


def points(n: int) -> list[Point]:
    return list(itertools.product((False, True), repeat=n))


def clauses(n: int, k: int) -> list[Clause]:
    """Return all sets of 1 to k literals of different features."""
    return [
        frozenset(zip(chosen, signs, strict=True))
        for size in range(1, k + 1)
        for chosen in itertools.combinations(range(n), size)
        for signs in itertools.product((True, False), repeat=size)
    ]


def true_of(clause: Clause, x: Point) -> bool:
    return any(x[feature] == sign for feature, sign in clause)


# By hand -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("identifier", "numbers", "bound"),
    [
        ("CONJ", {"features": 1}, 2),
        ("CONJ", {"features": 7}, 8),
        ("CONJ-MONO", {"features": 7}, 7),
        ("DISJ", {"features": 7}, 8),
        ("DISJ-MONO", {"features": 7}, 7),
        ("CONJ-LB", {"features": 7}, 7),
        ("DISJ-LB", {"features": 7}, 7),
        ("CONJ-LB", {"features": 7, "negations": True}, 8),
        ("DISJ-LB", {"features": 7, "negations": True}, 8),
        ("kCNF", {"features": 5, "k": 1}, 6),  # a conjunction
        ("kCNF", {"features": 4, "k": 2}, 1 + 4 * 1 + 6 * 3),
        ("kDNF", {"features": 4, "k": 3}, 1 + 4 * 1 + 6 * 3 + 4 * 7),
        ("kDNF", {"features": 2, "k": 9}, 1 + 2 * 1 + 1 * 3),
        ("DL", {"features": 1, "k": 1, "length": 1}, 5),  # 3 terms, 6 rules
        ("DL", {"features": 1, "k": 1, "length": 2}, 4 * 2 + 1),
        ("DL", {"features": 1, "k": 1, "length": 6}, 15),
        ("DL", {"features": 3, "k": 2, "length": 4}, (2 * 19 - 4) * 4 + 6),
        ("DL", {"features": 2, "k": 5, "length": 1}, 2 * 9 - 1),
        ("CONSISTENT", {"concepts": 1}, 0),
        ("CONSISTENT", {"concepts": 10}, 9),
        ("CONSISTENT-LB", {"concepts": 10}, 9),
        ("SOA", {"dimension": 0}, 0),
        ("SOA", {"dimension": 4}, 4),
        ("SOA-LB", {"dimension": 4}, 4),
    ],
)
def test_numbers_worked_by_hand(
    identifier: str, numbers: dict[str, int], bound: int
) -> None:
    assert theorems.get(identifier).bound(**numbers) == bound


def test_large_numbers_are_exact() -> None:
    n = 10**6
    pairs = n * (n - 1) // 2
    triples = pairs * (n - 2) // 3
    most = 1 + n + 3 * pairs + 7 * triples
    assert theorems.KCNF.formula(features=n, k=3) == most
    assert theorems.KDNF.formula(features=n, k=3) == most
    rules = 2 * (1 + 2 * n + 4 * pairs + 8 * triples)
    assert theorems.DL.formula(features=n, k=3, length=50) == (rules - 50) * 50 + 1225
    assert theorems.CONJ.formula(features=10**40) == 10**40 + 1
    # Floats end before this does, and infinity is no less.
    assert theorems.KCNF.bound(features=5000, k=5000) == math.inf
    assert theorems.KCNF.formula(features=5000, k=5000) == 1 + 3**5000 - 2**5000


@given(n=st.integers(1, 6), k=st.integers(1, 6))
def test_clauses_are_counted_one_by_one(n: int, k: int) -> None:
    every = clauses(n, min(k, n))
    after_one = [clause for clause in every if true_of(clause, (True,) * n)]
    bound = 1 + len(after_one)
    assert theorems.KCNF.formula(features=n, k=k) == bound
    rules = 2 * (1 + len(every))
    assert theorems.DL.formula(features=n, k=k, length=1) == rules - 1
    assert theorems.DL.formula(features=n, k=k, length=rules) == (
        rules * (rules - 1) // 2
    )


@given(n=st.integers(1, 9), k=st.integers(1, 4), length=st.integers(1, 20))
def test_more_of_anything_is_never_easier(n: int, k: int, length: int) -> None:
    kcnf, dl = theorems.KCNF.formula, theorems.DL.formula
    assert kcnf(features=n, k=k) <= kcnf(features=n + 1, k=k)
    assert kcnf(features=n, k=k) <= kcnf(features=n, k=k + 1)
    n, k = max(n, 5), max(k, 2)  # so that there are enough rules
    of = {"features": n, "k": k}
    assert dl(**of, length=length) < dl(**of, length=length + 1)
    rules = (dl(**of, length=1) + 1) * length
    assert dl(**of, length=length) <= rules  # 2 N_k L


# Against every play ------------------------------------------------------------------


def most_mistakes(
    start: Any, play: Callable[[Any, Point, bool], tuple[bool, Any]], labelled: Any
) -> int:
    """Return the most mistakes of a learner on examples of one target, in any order.

    `play` takes a state, an example and its label, and tells whether that is a mistake
    and the state thereafter. Rounds without a mistake must leave the state as it is.
    """

    @cache
    def worst(state: Any) -> int:
        most = 0
        for x, y in labelled:
            wrong, after = play(state, x, y)
            assert wrong or after == state
            if wrong:
                assert after != state, "it would err for ever"
                most = max(most, 1 + worst(after))
        return most

    return worst(start)


def eliminate(
    alive: frozenset[Clause], x: Point, y: bool
) -> tuple[bool, frozenset[Clause]]:
    predicted = all(true_of(clause, x) for clause in alive)
    if y and not predicted:
        alive = frozenset(clause for clause in alive if true_of(clause, x))
    return predicted != y, alive


def negated(
    alive: frozenset[Clause], x: Point, y: bool
) -> tuple[bool, frozenset[Clause]]:
    """Play a disjunction of terms as the conjunction of clauses that negates it."""
    return eliminate(alive, x, not y)


def targets(n: int, literals: list[Clause]) -> set[tuple[tuple[Point, bool], ...]]:
    """Return all labellings by conjunctions of some of these clauses."""
    found = set()
    for size in range(len(literals) + 1):
        for chosen in itertools.combinations(literals, size):
            found.add(tuple((x, all(true_of(c, x) for c in chosen)) for x in points(n)))
    return found


@pytest.mark.parametrize("n", [1, 2, 3])
def test_eliminating_literals_errs_n_plus_once_at_worst(n: int) -> None:
    literals = clauses(n, 1)
    found = {
        most_mistakes(frozenset(literals), eliminate, target)
        for target in targets(n, literals)
    }
    assert max(found) == theorems.CONJ.bound(features=n) == n + 1
    flipped = {
        most_mistakes(
            frozenset(literals), negated, tuple((x, not y) for x, y in target)
        )
        for target in targets(n, literals)
    }
    assert max(flipped) == theorems.DISJ.bound(features=n) == n + 1


@pytest.mark.parametrize("n", [1, 2, 3])
def test_eliminating_features_errs_n_times_at_worst(n: int) -> None:
    features: list[Clause] = [frozenset({(i, True)}) for i in range(n)]
    found = {
        most_mistakes(frozenset(features), eliminate, target)
        for target in targets(n, features)
    }
    assert max(found) == theorems.CONJ_MONO.bound(features=n) == n
    assert theorems.DISJ_MONO.bound(features=n) == n


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_two_features_in_every_order(order: tuple[int, ...]) -> None:
    literals = clauses(2, 1)
    for target in targets(2, literals):
        alive, mistakes = frozenset(literals), 0
        for at in order:
            wrong, alive = eliminate(alive, *target[at])
            mistakes += wrong
        assert mistakes <= theorems.CONJ.bound(features=2)


def test_eliminating_clauses_keeps_its_bound() -> None:
    every = clauses(2, 2)
    found = {
        most_mistakes(frozenset(every), eliminate, target)
        for target in targets(2, every)
    }
    # The first yes drops 3 clauses, every other at least one; 4 points are too few to
    # go on to the bound.
    assert max(found) == 4 < theorems.KCNF.bound(features=2, k=2) == 6


Rule = tuple[Clause, bool]


def fires(rule: Rule, x: Point) -> bool:
    return all(x[feature] == sign for feature, sign in rule[0])


def lists(n: int, length: int) -> set[tuple[tuple[Point, bool], ...]]:
    """Return all labellings by decision lists of so many rules, the default one."""
    terms: list[Clause] = [frozenset(), *clauses(n, 1)]
    rules = list(itertools.product(terms, (True, False)))
    return {
        tuple(
            (x, next(r[1] for r in (*chosen, (frozenset(), y)) if fires(r, x)))
            for x in points(n)
        )
        for chosen in itertools.product(rules, repeat=length - 1)
        for y in (True, False)
    }


@pytest.mark.parametrize(("n", "length"), [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3)])
def test_levels_keep_their_bound(n: int, length: int) -> None:
    terms: list[Clause] = [frozenset(), *clauses(n, 1)]
    rules = list(itertools.product(terms, (True, False)))

    def play(levels: tuple[int, ...], x: Point, y: bool) -> tuple[bool, Any]:
        fired = (i for i, rule in enumerate(rules) if fires(rule, x))
        first = min(fired, key=levels.__getitem__)
        if rules[first][1] == y:
            return False, levels
        raised = list(levels)
        raised[first] += 1
        return True, tuple(raised)

    bound = theorems.DL.bound(features=n, k=1, length=length)
    worst = max(
        most_mistakes((1,) * len(rules), play, target) for target in lists(n, length)
    )
    assert 0 < worst <= bound


# What is refused ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("identifier", "numbers", "message"),
    [
        ("CONJ", {"features": 0}, "features must be a whole number above 0, got 0"),
        ("CONJ-MONO", {"features": -1}, "features must be a whole number above 0"),
        ("DISJ", {"features": 2.5}, "features must be a whole number above 0, got 2.5"),
        ("DISJ-MONO", {"features": math.nan}, "features must be a finite number"),
        ("CONJ-LB", {"features": 0}, "features must be a whole number above 0"),
        ("kCNF", {"features": 3, "k": 0}, "k must be a whole number above 0, got 0"),
        ("kDNF", {"features": 0, "k": 1}, "features must be a whole number above 0"),
        ("kDNF", {"features": 3, "k": 1.5}, "k must be a whole number above 0"),
        (
            "DL",
            {"features": 1, "k": 1, "length": 7},
            "length must be at most the number of rules, 6, got 7",
        ),
        (
            "DL",
            {"features": 1, "k": 1, "length": 0},
            "length must be a whole number above 0, got 0",
        ),
        ("DL", {"features": 1, "k": 0, "length": 1}, "k must be a whole number"),
        ("CONSISTENT", {"concepts": 0}, "concepts must be a whole number above 0"),
        ("CONSISTENT-LB", {"concepts": 1.5}, "concepts must be a whole number above 0"),
        ("SOA", {"dimension": -1}, "dimension must be at least 0, got -1"),
        ("SOA-LB", {"dimension": 0.5}, "dimension must be a whole number, got 0.5"),
    ],
)
def test_senseless_numbers(
    identifier: str, numbers: dict[str, Any], message: str
) -> None:
    with pytest.raises(PremiseError, match=message):
        theorems.get(identifier).bound(**numbers)


def test_lower_bounds_meet_the_upper_ones() -> None:
    for lower, upper in (
        (theorems.CONJ_LB, theorems.CONJ_MONO),
        (theorems.DISJ_LB, theorems.DISJ_MONO),
        (theorems.CONSISTENT_LB, theorems.CONSISTENT),
        (theorems.SOA_LB, theorems.SOA),
    ):
        assert lower.lower
        assert not upper.lower
        name = {"CONSISTENT": "concepts", "SOA": "dimension"}.get(upper.id, "features")
        assert lower.bound(**{name: 9}) == upper.bound(**{name: 9})
