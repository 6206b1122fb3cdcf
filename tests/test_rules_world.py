"""Rules that are known of real tables: written down, fitted and learned online."""

from __future__ import annotations

import csv
import gzip
import sqlite3
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from data import data_file
from littlestone import run, streams, theorems
from littlestone.boolean import (
    DecisionListLearner,
    KCNFLearner,
    KDNFLearner,
    VersionSpaceLearner,
    fit_decision_list,
    fit_disjunction,
    fit_kdnf,
)
from littlestone.concepts import KDNF, Conjunction, DecisionList, FiniteClass, Literal
from littlestone.errors import NoConsistentConcept, UnrealizableWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MUSHROOMS = "agaricus/agaricus-lepiota.csv.gz"
BOARDS = "tic-tac-toe/tic-tac-toe.csv.gz"
VOTES = "vote/house-votes-84.csv.gz"

Examples = list[tuple[dict[str, float], bool]]


def examples(name: str, **labels: Any) -> Examples:
    path = data_file(name)
    stream: Any = streams.csv(path, label="class", literals=True, **labels)
    return list(stream)


def split(shown: Examples) -> tuple[list[dict[str, float]], list[bool]]:
    """Return the features and the labels, as a fit takes them."""
    return [x for x, _ in shown], [y for _, y in shown]


def mistakes(concept: Callable[[Any], bool], shown: Examples) -> int:
    return sum(concept(x) is not y for x, y in shown)


def played_until_right(learner: Any, shown: Examples) -> int:
    """Play pass after pass until one is without a mistake; return all mistakes."""
    total = 0
    while made := run(learner, shown).mistakes:
        total += made
    assert mistakes(learner.concept_, shown[:: 1 + len(shown) // 50]) == 0
    return total


def shuffles(shown: Examples, *, seeds: int = 3) -> Iterator[Examples]:
    """Yield the examples as they come, backwards, and shuffled."""
    yield shown
    yield shown[::-1]
    for seed in range(seeds):
        yield Random(seed).sample(shown, len(shown))  # noqa: S311 - an order, no secret


# Mushrooms ----------------------------------------------------------------------

# What fit_kdnf finds with k=3; `test_examples.py` has this and other fits.
FITTED = (
    "(bruises=t and habitat=l) or (gill-size=n and stalk-surface-below-ring=y) or "
    "(not odor=a and not odor=l and not odor=n) or spore-print-color=r"
)


@pytest.fixture(scope="module")
def mushrooms() -> Examples:
    return examples(MUSHROOMS, positive="p", negative="e")


def test_the_rule_as_sql_finds_the_poisonous_in_a_table_of_cells() -> None:
    with gzip.open(data_file(MUSHROOMS), "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = [column for column in rows[0] if column != "class"]
    database = sqlite3.connect(":memory:")
    named = ", ".join(f'"{column}" TEXT' for column in columns)
    database.execute(f"CREATE TABLE mushrooms (poisonous INTEGER, {named})")
    marks = ", ".join("?" * (len(columns) + 1))
    values = [(row["class"] == "p", *map(row.get, columns)) for row in rows]
    database.executemany(f"INSERT INTO mushrooms VALUES ({marks})", values)  # noqa: S608 - marks alone
    condition = KDNF.parse(FITTED).to_sql(cells=True)
    found = database.execute(
        f"SELECT poisonous, COUNT(*) FROM mushrooms WHERE {condition} GROUP BY 1"  # noqa: S608 - to query with it is what is tested
    ).fetchall()
    database.close()
    assert found == [(1, 3916)]


def test_a_few_mushrooms_rule_out_every_disjunction(mushrooms: Examples) -> None:
    with pytest.raises(NoConsistentConcept, match="5 of them rule out all") as caught:
        fit_disjunction(*split(mushrooms))
    told: Any = caught.value.examples
    few = [mushrooms[shown.round] for shown in told]
    assert [(set(shown.x), shown.y) for shown in told] == [(set(x), y) for x, y in few]
    with pytest.raises(NoConsistentConcept):
        fit_disjunction(*split(few))
    for i in range(len(few)):
        fit_disjunction(*split(few[:i] + few[i + 1 :]))


def test_decision_lists_learn_the_mushrooms_online_within_the_bound(
    mushrooms: Examples,
) -> None:
    length = fit_decision_list(*split(mushrooms)).size
    assert length == 15
    for shown in shuffles(mushrooms, seeds=1):
        learner = DecisionListLearner()
        made = played_until_right(learner, shown)
        n = len(learner.features_)
        assert n == 117
        assert made <= theorems.DL.bound(features=n, k=1, length=length)
        assert made == learner.updates_
        assert learner.unrealizable_ is None
        assert DecisionList.parse(str(learner.concept_)) == learner.concept_


@pytest.mark.parametrize(
    ("learner", "theorem"),
    [
        (KDNFLearner(2), theorems.KDNF),
        pytest.param(KDNFLearner(3), theorems.KDNF, marks=pytest.mark.soak),
        (KCNFLearner(2), theorems.KCNF),
    ],
    ids=["2-DNF", "3-DNF", "2-CNF"],
)
def test_normal_forms_learn_the_mushrooms_online_within_the_bound(
    learner: Any, theorem: theorems.Theorem, mushrooms: Examples
) -> None:
    *_, shown = shuffles(mushrooms, seeds=1)  # `test_examples.py` has them as they come
    # Of three features there are a quarter of a million terms.
    made = played_until_right(learner, shown if learner.k < 3 else shown[:2_000])
    assert made <= theorem.bound(features=len(learner.features_), k=learner.k)
    assert made == learner.updates_
    assert learner.unrealizable_ is None


def test_a_term_is_gone_because_of_an_edible_mushroom_that_has_it(
    mushrooms: Examples,
) -> None:
    learner = KDNFLearner(2)
    run(learner, mushrooms)
    left = set(learner.concept_.terms)
    assert Conjunction("odor=f") in left
    for feature in learner.features_:
        dropped = learner.why(feature)
        if dropped is None:
            assert Conjunction(feature) in left
        else:
            x, y = mushrooms[dropped.by.round]
            assert feature in x
            assert not y


# MONK ---------------------------------------------------------------------------

MONK_1 = KDNF(
    *[(f"a1={value}", f"a2={value}") for value in (1, 2, 3)],
    "a5=1",
)
MONK_3 = KDNF(("a5=3", "a4=1"), (~Literal("a5=4"), ~Literal("a2=3")))


def exactly(count: int, features: tuple[str, ...]) -> KDNF:
    """Return the rule that says yes if just `count` of the features are true."""
    return KDNF(
        *(
            [Literal(feature, feature in true) for feature in features]
            for true in combinations(features, count)
        )
    )


FIRST = tuple(f"a{column}=1" for column in range(1, 7))
MONK_2 = exactly(2, FIRST)


def monk(number: int, part: str) -> Examples:
    return examples(f"monks/monks-{number}.{part}.csv.gz", positive=1, negative=0)


@pytest.mark.parametrize(
    ("number", "rule", "noise"), [(1, MONK_1, 0), (2, MONK_2, 0), (3, MONK_3, 6)]
)
def test_the_known_rules_of_the_monks_fit_but_for_the_noise(
    number: int, rule: KDNF, noise: int
) -> None:
    assert mistakes(rule, monk(number, "train")) == noise
    test = monk(number, "test")
    assert len(test) == 432
    assert mistakes(rule, test) == 0


def test_the_examples_that_rule_out_a_rule_point_at_the_noise() -> None:
    shown = monk(3, "train")
    noise = {t for t, (x, y) in enumerate(shown) if MONK_3(x) is not y}
    with pytest.raises(NoConsistentConcept) as caught:
        fit_kdnf(*split(shown), k=2)
    told: Any = caught.value.examples
    assert noise & {example.round for example in told}
    cleaned = [example for t, example in enumerate(shown) if t not in noise]
    assert mistakes(fit_kdnf(*split(cleaned), k=2), cleaned) == 0


@pytest.mark.parametrize(("number", "rule"), [(1, MONK_1), (3, MONK_3)])
def test_monk_1_and_3_are_learned_online_within_the_bound_of_2_dnf(
    number: int, rule: KDNF
) -> None:
    assert rule.k == 2
    for shown in shuffles(monk(number, "test")):
        learner = KDNFLearner(2)
        made = played_until_right(learner, shown)
        assert len(learner.features_) == 17
        assert made <= theorems.KDNF.bound(features=17, k=2) == 426
        assert learner.unrealizable_ is None


def test_monk_2_is_no_small_dnf_but_one_of_a_finite_class() -> None:
    shown = monk(2, "test")
    for k in (1, 2, 3):
        with pytest.raises(NoConsistentConcept):
            fit_kdnf(*split(shown), k=k)
    # How many of some attributes take their first value: 255 rules, of which 7 votes
    # leave one.
    rules = FiniteClass(
        exactly(count, chosen)
        for size in range(1, 7)
        for chosen in combinations(FIRST, size)
        for count in range(size + 1)
    )
    assert len(rules) == 255
    assert theorems.HALV.bound(experts=len(rules)) == 7
    for order in shuffles(shown):
        learner = VersionSpaceLearner(rules)
        assert played_until_right(learner, order) <= 7
        assert learner.concept_.equivalent(MONK_2)


def test_monk_2_is_learned_as_a_6_dnf_over_six_features() -> None:
    shown = [
        ({f: v for f, v in x.items() if f in FIRST}, y) for x, y in monk(2, "test")
    ]
    for order in shuffles(shown, seeds=1):
        learner = KDNFLearner(6, features=FIRST)
        assert played_until_right(learner, order) <= 64  # as there are so many examples
        assert learner.concept_.equivalent(MONK_2)


# Tic-tac-toe --------------------------------------------------------------------

LINES = "tl tm tr, ml mm mr, bl bm br, tl ml bl, tm mm bm, tr mr br, tl mm br, tr mm bl"
THREE_IN_A_ROW = KDNF(
    *([f"{square}=x" for square in line.split()] for line in LINES.split(", "))
)


@pytest.fixture(scope="module")
def boards() -> Examples:
    return examples(BOARDS, positive="positive", negative="negative")


def test_x_wins_by_three_in_a_row(boards: Examples) -> None:
    assert len(boards) == 958
    assert (THREE_IN_A_ROW.k, THREE_IN_A_ROW.size) == (3, 24)
    assert mistakes(THREE_IN_A_ROW, boards) == 0


@pytest.fixture(scope="module")
def crosses(boards: Examples) -> Examples:
    """Tell the boards by the squares with an x alone."""
    return [({f: v for f, v in x.items() if f.endswith("=x")}, y) for x, y in boards]


def test_the_eight_lines_are_found_from_the_boards(
    boards: Examples, crosses: Examples
) -> None:
    assert fit_kdnf(*split(crosses), k=3) == THREE_IN_A_ROW
    # On a full board "not o" may say what "x" says, so the lines need not look alike.
    found = fit_kdnf(*split(boards), k=3)
    assert (len(found.terms), mistakes(found, boards)) == (8, 0)
    with pytest.raises(NoConsistentConcept):
        fit_kdnf(*split(boards), k=2)


def test_three_in_a_row_is_learned_online_within_the_bound(
    boards: Examples, crosses: Examples
) -> None:
    # By the nine squares alone the bound is less than the number of boards.
    for shown, n, bound in ((boards, 27, 21_556), (crosses, 9, 706)):
        for order in shuffles(shown):
            learner = KDNFLearner(3)
            made = played_until_right(learner, order)
            assert len(learner.features_) == n
            assert made <= theorems.KDNF.bound(features=n, k=3) == bound
            assert learner.unrealizable_ is None


# Votes --------------------------------------------------------------------------


def test_votes_leave_the_class_and_the_examples_that_say_so_are_a_proof() -> None:
    shown = examples(VOTES, positive="democrat", negative="republican")
    learner = DecisionListLearner()
    with pytest.warns(UnrealizableWarning, match="no k-decision list fits"):
        run(learner, shown, passes=4)
    proof = learner.unrealizable_
    assert proof is not None
    X = [dict.fromkeys(told.x, 1) for told in proof.examples]
    labels = [told.y for told in proof.examples]
    with pytest.raises(NoConsistentConcept):
        fit_decision_list(X, labels)
    for told in proof.examples:
        x, y = shown[told.round % len(shown)]
        assert set(told.x) == set(x)
        assert told.y is y
