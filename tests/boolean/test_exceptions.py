"""Rules with exceptions, held against brute force over all rules of a few features."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolean_worlds import boolean_worlds
from littlestone.boolean import FitsSoFar, fit_rule
from littlestone.concepts import KCNF, KDNF, Conjunction, Disjunction
from littlestone.errors import NoConsistentConcept, ParameterError
from littlestone.theorems import PAC_FINITE, PAC_OCCAM
from littlestone.theorems.sizes import ln_lists_of, ln_rules_of, terms
from rules import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from worlds import World


def parts(n: int, k: int) -> Iterator[tuple[tuple[int, bool], ...]]:
    """Yield all sets of 0 to k literals of different features."""
    for size in range(k + 1):
        for chosen in itertools.combinations(range(n), size):
            for signs in itertools.product((True, False), repeat=size):
                yield tuple(zip(chosen, signs, strict=True))


def fewest(kind: str, k: int, X: Any, y: Any) -> int:
    """Return the fewest exceptions that any rule has, by trying all."""
    n = X.shape[1]
    if kind in ("conjunction", "k-cnf"):  # what De Morgan makes of a disjunction
        dual = {"conjunction": "disjunction", "k-cnf": "k-dnf"}[kind]
        return fewest(dual, k, 1 - X, ~y)
    rows = set()
    for part in parts(n, k):
        cover = np.ones(len(y), dtype=np.bool_)
        for j, sign in part:
            cover &= X[:, j] == sign
        rows.add(tuple(cover.tolist()))
    covers = [np.array(row, dtype=np.bool_) for row in rows]
    if kind != "decision-list":
        truth = sum(1 << t for t in np.flatnonzero(y).tolist())
        reached = {0}
        for cover in covers:
            bits = sum(1 << t for t in np.flatnonzero(cover).tolist())
            reached |= {old | bits for old in reached}
        return min((said ^ truth).bit_count() for said in reached)
    return fewest_of_lists(covers, y)


def fewest_of_lists(covers: list[Any], y: Any) -> int:
    """Return the same for lists, by a search over the rows that are left."""
    best: dict[tuple[bool, ...], int] = {}

    def least(rows: Any) -> int:
        return min(int((y & rows).sum()), int((~y & rows).sum()))

    def search(left: Any) -> int:
        key = tuple(left.tolist())
        if key not in best:
            best[key] = least(left)
            for cover in covers:
                hit, rest = cover & left, left & ~cover
                if hit.any() and rest.any() and least(hit) < best[key]:
                    best[key] = min(best[key], least(hit) + search(rest))
        return best[key]

    return search(np.ones(len(y), dtype=np.bool_))


@pytest.mark.parametrize(("kind", "k"), KINDS)
@given(world=boolean_worlds(most=3))
def test_what_is_proved_is_the_fewest_and_what_is_found_is_true(
    kind: str, k: int, world: World
) -> None:
    X, y = world.X.astype(int), world.y
    found = fit_rule(X, y, kind, k, budget=2000)
    wrong = [
        t for t, x in enumerate(X.tolist()) if found.concept(dict(enumerate(x))) != y[t]
    ]
    assert [shown.round for shown in found.exceptions] == wrong
    assert all(shown.y == y[shown.round] for shown in found.exceptions)
    true = fewest(kind, k, X, y)
    assert found.at_least <= true <= len(wrong)
    assert found.proved is (found.at_least == len(wrong))
    assert found.rows == len(y)


@pytest.mark.parametrize(("kind", "k"), KINDS)
def test_a_few_flipped_labels_are_named(kind: str, k: int) -> None:
    rng = np.random.default_rng(3)
    X = (rng.random((400, 8)) < 0.5).astype(int)
    y = {
        "conjunction": (X[:, 0] & X[:, 3]) > 0,
        "disjunction": (X[:, 0] | X[:, 3]) > 0,
        "k-cnf": ((X[:, 0] | X[:, 1]) & (X[:, 2] | (1 - X[:, 3]))) > 0,
        "k-dnf": ((X[:, 0] & X[:, 1]) | (X[:, 2] & (1 - X[:, 3]))) > 0,
        "decision-list": np.where(X[:, 0] > 0, False, X[:, 1] > 0),
    }[kind]
    flips = sorted(rng.choice(400, 6, replace=False).tolist())
    noisy = y.copy()
    noisy[flips] ^= True
    found = fit_rule(X, noisy, kind, k)
    assert len(found.exceptions) <= 6
    named = [shown.round for shown in found.exceptions]
    # A list may take one of them in, at the price of more rules.
    assert set(named) <= set(flips)
    assert kind == "decision-list" or named == flips
    assert 0 < found.error_bound() < 0.2


def test_thirty_flips_of_three_thousand_end_in_a_rule() -> None:
    rng = np.random.default_rng(0)
    X = (rng.random((3196, 12)) < 0.5).astype(int)
    y = ((X[:, 0] & X[:, 1]) | (X[:, 2] & (1 - X[:, 3]))) > 0
    flips = sorted(rng.choice(3196, 30, replace=False).tolist())
    y[flips] ^= True
    found = fit_rule(X, y, "k-dnf", 2, budget=60)
    assert str(found.concept) == "(x0 and x1) or (x2 and not x3)"
    assert [shown.round for shown in found.exceptions] == flips
    assert found.at_least >= 15
    assert found.error_bound() < 0.03


def test_a_larger_budget_finds_no_worse_and_proves_no_less() -> None:
    rng = np.random.default_rng(5)
    X, y = (rng.random((40, 5)) < 0.5).astype(int), rng.random(40) < 0.5
    for kind, k in KINDS:
        few, many = (fit_rule(X, y, kind, k, budget=b) for b in (20, 2000))
        assert len(many.exceptions) <= len(few.exceptions)
        assert many.at_least >= few.at_least


@pytest.mark.parametrize(("kind", "k"), KINDS)
def test_a_search_that_runs_out_of_budget_proves_nothing_false(
    kind: str, k: int
) -> None:
    rng = np.random.default_rng(6)
    for _ in range(4):
        X, y = (rng.random((14, 3)) < 0.5).astype(int), rng.random(14) < 0.5
        true = fewest(kind, k, X, y)
        for budget in (*range(1, 20), 40, 80):
            found = fit_rule(X, y, kind, k, budget=budget)
            assert found.at_least <= true <= len(found.exceptions)


def test_a_contradiction_costs_one_exception_each() -> None:
    X, y = [[1], [1], [1], [0], [0]], [1, 1, 0, 0, 0]
    found = fit_rule(X, y, "disjunction")
    assert str(found) == (
        "x0\n1 exception of 5, and no disjunction has fewer:\n"
        "  round 2, labelled no: x0"
    )


def test_what_fits_has_no_exception() -> None:
    found = fit_rule([[1, 0], [0, 1]], [1, 0], "conjunction")
    assert (found.exceptions, found.at_least, found.proved) == ((), 0, True)
    assert str(found).endswith("\nno exception in 2 rows")


@pytest.mark.parametrize(
    ("kind", "yes", "no"),
    [
        ("conjunction", Conjunction(), Conjunction.never()),
        ("disjunction", Disjunction.always(), Disjunction()),
        ("k-cnf", KCNF(), KCNF(Disjunction())),
        ("k-dnf", KDNF(Conjunction()), KDNF()),
    ],
)
def test_equal_labels_make_a_constant(kind: str, yes: Any, no: Any) -> None:
    assert fit_rule([[1], [0]], [1, 1], kind).concept == yes
    assert fit_rule([[1], [0]], [0, 0], kind).concept == no


# The error rate ---------------------------------------------------------------------


@pytest.mark.soak
def test_the_bound_holds_in_almost_all_draws() -> None:
    # The truth is x0, a tenth of the labels is wrong, so x0 itself errs on a tenth.
    rng = np.random.default_rng(8)
    broken = 0
    for _ in range(60):
        X = (rng.random((120, 3)) < 0.5).astype(int)
        y = (X[:, 0] > 0) ^ (rng.random(120) < 0.1)
        found = fit_rule(X, y, "disjunction", features=3, budget=40)
        fresh = list(itertools.product((0, 1), repeat=3))
        risk = np.mean(
            [
                0.1 if found.concept(dict(enumerate(x))) == (x[0] > 0) else 0.9
                for x in fresh
            ]
        )
        broken += bool(risk > found.error_bound(0.2))
    assert broken <= 60 * 0.2


def test_the_formula_by_hand_and_beside_the_realizable_one() -> None:
    # (1 - p)^10 = 0.05/4
    bound = PAC_OCCAM.bound(mistakes=0, examples=10, delta=0.05, size=4)
    assert bound == pytest.approx(1 - (0.05 / 4) ** 0.1)
    suffices = PAC_FINITE.bound(epsilon=bound, delta=0.05, size=4)
    assert suffices >= 10  # slightly weaker, as (1 - p)^m <= e^-pm
    assert PAC_OCCAM.bound(mistakes=10, examples=10, delta=0.05, size=4) == 1


@given(st.integers(1, 6), st.integers(1, 3), st.integers(0, 5))
def test_rules_are_counted(n: int, k: int, r: int) -> None:
    count = terms(n, k)
    r = min(r, count)
    rules = len(list(itertools.islice(itertools.combinations(range(count), r), 10**5)))
    if rules < 10**5:
        assert np.exp(ln_rules_of(n, k, r)) == pytest.approx(rules * (r + 1) * (r + 2))
        ordered = rules * np.prod(np.arange(1, r + 1), initial=1.0) * 2 ** (r + 1)
        expected = ordered * (r + 1) * (r + 2)
        assert np.exp(ln_lists_of(n, k, r)) == pytest.approx(expected)


# What is refused --------------------------------------------------------------------


def test_too_many_exceptions_are_an_error_that_names_them() -> None:
    X, y = [[1], [1], [0]], [1, 0, 0]
    says = "fit_rule: no disjunction with at most 0 exceptions was found: the best"
    with pytest.raises(NoConsistentConcept, match=says) as caught:
        fit_rule(X, y, "disjunction", exceptions=0)
    assert len(caught.value.examples) == 1
    assert fit_rule(X, y, "disjunction", exceptions=1).proved


@pytest.mark.parametrize(
    ("given_arguments", "says"),
    [
        ({"kind": "tree"}, "kind must be one of 'conjunction', .*got 'tree'"),
        ({"kind": "conjunction", "k": 2}, "k must be 1 for a conjunction, got 2"),
        ({"budget": 0}, "budget must be a whole number of at least 1"),
        ({"exceptions": -1}, "exceptions must be a whole number of at least 0"),
        ({"k": 9}, "to count all terms must take at most"),
    ],
)
def test_parameters_are_checked(given_arguments: dict[str, Any], says: str) -> None:
    X = np.random.default_rng(0).integers(0, 2, size=(40, 60))
    with pytest.raises(ParameterError, match=f"fit_rule: {says}"):
        fit_rule(X, X[:, 0] ^ X[:, 1], **given_arguments)


def test_an_observer_sees_every_fit_and_may_end_the_search() -> None:
    rng = np.random.default_rng(4)
    X = rng.random((60, 6)) < 0.5
    y = (X[:, 0] & X[:, 1]) ^ (rng.random(60) < 0.2)
    seen: list[FitsSoFar] = []
    whole = fit_rule(X, y, budget=80, observe=seen.append)
    assert fit_rule(X, y, budget=80) == whole
    assert [now.fits for now in seen] == sorted(now.fits for now in seen)
    assert {now.budget for now in seen} == {80}
    found = [now.exceptions for now in seen if now.exceptions is not None]
    assert found == sorted(found, reverse=True)
    assert found[-1] == len(whole.exceptions)
    short = fit_rule(X, y, budget=80, observe=lambda now: now.fits >= 40)
    assert len(short.exceptions) >= len(whole.exceptions)
    assert short.at_least <= whole.at_least
    assert not short.proved
