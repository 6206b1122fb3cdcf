"""Decision lists: what the source says, the theorem, the twin, and what is refused."""

from __future__ import annotations

import itertools
import math
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from littlestone import run
from littlestone.boolean import DecisionListLearner, fit_decision_list
from littlestone.concepts import DecisionList, Feature, Literal
from littlestone.errors import (
    FeatureError,
    NoConsistentConcept,
    ParameterError,
    UnrealizableWarning,
)
from littlestone.theorems import DL, DL_BLOCKS, DL_EXC
from littlestone.verifying import twins

quiet = pytest.mark.filterwarnings("ignore::littlestone.errors.UnrealizableWarning")

Mapping = dict[Feature, int]


def points(n: int) -> list[Mapping]:
    """Return all examples over n columns, by the columns that are true."""
    return [
        {j: 1 for j in range(n) if bits >> j & 1}  # as a sparse row
        for bits in range(2**n)
    ]


def terms(features: int, k: int) -> int:
    """Count the terms of at most k literals."""
    return sum(math.comb(features, i) * 2**i for i in range(k + 1))


def bound(features: int, k: int, length: int) -> int:
    """Return the bound as it is counted: how far each rule may climb."""
    of_the_list = sum(range(length))
    return (2 * terms(features, k) - length) * length + of_the_list


def mistakes_of(
    learner: DecisionListLearner, truth: Any, examples: list[Mapping], passes: int = 1
) -> int:
    """Count the mistakes on examples that are labelled by a concept."""
    return sum(
        learner.play_one(x, truth(x)) != truth(x)
        for _ in range(passes)
        for x in examples
    )


# What the source says ----------------------------------------------------------------


@quiet
def test_a_rule_that_errs_moves_one_level_up() -> None:
    learner = DecisionListLearner(features=["a", "b"])
    assert str(learner.concept_) == "yes"
    # Of all rules that fire on level 1 the first has the empty term, yes before no.
    assert learner.play_one({"a": 1}, False) is True
    assert learner.level_("if always then yes") == 2
    assert learner.play_one({"a": 1}, True) is False
    assert learner.level_("if always then no") == 2
    # Then the terms of a: itself before its negation, yes before no.
    assert learner.play_one({"a": 1}, False) is True
    assert learner.play_one({}, False) is True
    assert learner.level_(("a", True)) == learner.level_((~Literal("a"), True)) == 2
    assert str(learner.concept_) == "no"
    assert learner.play_one({"a": 1}, True) is False
    assert str(learner.concept_) == "if not a then no, else yes"
    # b is still on level 1, below what always fires.
    assert learner.play_one({"a": 1}, True) is True
    assert learner.play_one({"a": 1, "b": 1}, True) is True
    assert (learner.updates_, learner.rounds_) == (5, 7)


def test_only_a_mistake_changes_it() -> None:
    learner = DecisionListLearner(2, features=3)
    for x in points(3):
        learner.learn_one(x, learner.predict_one(x))
    assert (learner.updates_, learner.rounds_) == (0, 8)
    assert str(learner.concept_) == "yes"


def test_a_rule_that_forbids_a_new_feature_takes_over_the_level_without_it() -> None:
    learner = DecisionListLearner(2)
    for x, y in [({"c": 1}, False), ({}, True), ({"c": 1}, False)]:
        assert learner.play_one(x, y) is not y
    # In turn the empty term's yes, its no, and the yes of c were wrong.
    learner.learn_one({"a": 1}, learner.predict_one({"a": 1}))
    assert learner.level_("if not a then yes") == 2
    assert learner.level_("if not a then no") == 2
    assert learner.level_("if a then yes") == learner.level_("if a then no") == 1
    assert learner.level_("if c and not a then yes") == 2
    assert learner.level_("if c and not a then no") == 1
    assert learner.level_("if not c and not a then yes") == 1
    learner.learn_one({"b": 1}, learner.predict_one({"b": 1}))
    assert learner.level_("if not a and not b then yes") == 2
    assert learner.level_("if not a and b then yes") == 1
    why = learner.why("if not a and not b then no")
    assert str(why) == (
        "if not a and not b then no: dropped in round 1, labelled yes: nothing is true"
    )
    assert learner.updates_ == 3


@quiet
def test_why_tells_the_latest_example_that_moved_a_rule() -> None:
    learner = DecisionListLearner(features=2)
    assert learner.why("if always then yes") is None
    learner.play([[1, 0], [0, 1], [0, 1]], [True, False, True])
    yes, no = learner.why("if always then yes"), learner.why("if always then no")
    assert yes is not None
    assert no is not None
    assert (yes.what, yes.by.round, yes.by.x, yes.by.y) == (
        "if always then yes",
        1,
        (1,),
        False,
    )
    assert (no.by.round, no.by.y) == (2, True)
    assert learner.why((0, True)) is None


@quiet
def test_what_can_never_decide_is_not_in_the_concept() -> None:
    learner = DecisionListLearner(2, features=2)
    for y in (False, True):
        learner.learn_one({}, y)
    # Both empty rules are on level 2. Below them x0 and not x0 decide everything.
    assert str(learner.concept_) == "yes"
    learner.learn_one({}, False)  # not x0 says yes
    learner.learn_one({}, True)  # not x0 says no
    assert str(learner.concept_) == "yes"
    learner.learn_one({1: 1}, False)  # x1 says yes, where x0 does not
    assert str(learner.concept_) == "if x0 then yes, else if x1 then no, else yes"


# What the concept says ---------------------------------------------------------------


@st.composite
def streams(
    draw: st.DrawFn, features: int = 5, rounds: int = 60
) -> list[tuple[Mapping, bool]]:
    """Make any examples, over columns and names, with any labels."""
    names: list[Feature] = [*range(features // 2), *"edcba"[: features - features // 2]]
    x = st.sets(st.sampled_from(names)).map(lambda true: dict.fromkeys(true, 1))
    return draw(st.lists(st.tuples(x, st.booleans()), max_size=rounds))


@quiet
@given(st.integers(1, 3), streams(), st.booleans())
def test_the_concept_says_what_the_learner_predicts(
    k: int, stream: list[tuple[Mapping, bool]], declared: bool
) -> None:
    names = sorted({f for x, _ in stream for f in x}, key=str) or [0]
    learner = DecisionListLearner(k, features=names if declared else None)
    for x, y in stream:
        learner.learn_one(x, y)
    concept = learner.concept_
    assert concept.k <= k
    assert set(concept.features) <= set(learner.features_)
    assert DecisionList.parse(str(concept)) == concept
    met = learner.features_
    for bits in range(2 ** len(met)):
        x = {feature: 1 for j, feature in enumerate(met) if bits >> j & 1}
        assert concept(x) is learner.predict_one(x)
    # Each rule decides somewhere, and the last of them not as the default does.
    assert not concept.rules or concept.rules[-1][1] is not concept.default
    for at in range(len(concept.rules)):
        earlier = [concept.rules[i][0] for i in range(at)]
        assert not any(
            set(term.literals) <= set(concept.rules[at][0].literals) for term in earlier
        )


@quiet
def test_a_concept_of_many_rules_says_what_the_learner_predicts() -> None:
    rng = np.random.default_rng(3)
    X = rng.random((4000, 30)) < 0.2
    y = X[:, 3] & X[:, 5] | ~X[:, 8] & X[:, 9]
    learner = DecisionListLearner(2)
    learner.play(X, y)
    concept = learner.concept_
    assert concept.size > 10
    assert [concept(x) for x in X[:500]] == learner.predict(X[:500]).tolist()


# What the theorem says ---------------------------------------------------------------


def all_lists(n: int) -> dict[tuple[bool, ...], int]:
    """Return the truth tables of all 1-decision lists, with their shortest lengths."""
    literals = [Literal(j, positive) for j in range(n) for positive in (True, False)]
    found: dict[tuple[bool, ...], int] = {}
    for length in range(1, 2 * n + 2):
        for chosen in itertools.permutations(literals, length - 1):
            for labels in itertools.product((True, False), repeat=length):
                rules = zip(chosen, labels[:-1], strict=True)
                concept = DecisionList(list(rules), labels[-1])
                table = tuple(concept(x) for x in points(n))
                found.setdefault(table, length)
    return found


def test_the_bound_holds_for_all_lists_and_all_orders() -> None:
    lists = all_lists(2)
    assert len(lists) == 14  # all but exclusive or, and its negation
    worst = 0
    for table, length in lists.items():
        for order in itertools.permutations(range(4)):
            for features in (None, 2, [1, 0]):
                learner = DecisionListLearner(features=features)
                made = 0
                for at in list(order) * bound(2, 1, length):
                    x = points(2)[at]
                    made += learner.play_one(x, table[at]) != table[at]
                assert made <= DL.bound(features=2, k=1, length=length)
                assert [learner.predict_one(x) for x in points(2)] == list(table)
                assert learner.unrealizable_ is None
                worst = max(worst, made)
    assert worst >= 6  # 7 of 17 and 6 of 24 are the most there are


def test_the_bound_is_what_counting_gives() -> None:
    for n, k, length in [(2, 1, 3), (4, 2, 5), (10, 1, 11)]:
        assert DL.bound(features=n, k=k, length=length) == bound(n, k, length)
    assert bound(2, 1, 3) == (10 - 3) * 3 + 3 == 24


@st.composite
def targets(draw: st.DrawFn, n: int, k: int) -> DecisionList:
    """Make a k-decision list over n columns."""
    literal = st.builds(Literal, st.integers(0, n - 1), st.booleans())
    term = st.lists(
        literal, min_size=1, max_size=k, unique_by=lambda literal: literal.feature
    )
    rules = draw(st.lists(st.tuples(term, st.booleans()), max_size=5))
    return DecisionList(rules, draw(st.booleans()))


@given(st.integers(1, 5), st.integers(1, 3), st.booleans(), st.data())
def test_the_bound_holds_on_every_prefix_of_any_order(
    n: int, k: int, declared: bool, data: st.DataObject
) -> None:
    truth = data.draw(targets(n, k))
    indices = data.draw(st.lists(st.integers(0, 2**n - 1), max_size=80))
    learner = DecisionListLearner(k, features=n if declared else None)
    examples, made = points(n), 0
    for at in indices * 3:
        label = truth(examples[at])
        made += learner.play_one(examples[at], label) != label
        # Over the features met the truth may be shorter; no list needs a term twice.
        met = len(learner.features_)
        assert made <= bound(met, k, min(truth.size, terms(met, k)))
        assert made == learner.updates_
    assert learner.unrealizable_ is None
    assert learner.guarantees == (DL, DL_BLOCKS, DL_EXC)


@given(st.permutations(range(4)), st.integers(1, 2), st.data())
def test_the_order_of_meeting_does_not_void_the_bound(
    order: list[int], k: int, data: st.DataObject
) -> None:
    # First examples in which few features are true, so that most are met late, when
    # rules have climbed already.
    truth = data.draw(targets(4, k))
    examples = [
        x
        for met in range(5)
        for x in points(4)
        if set(x) <= set(order[:met])
        for _ in range(4)
    ]
    learner = DecisionListLearner(k)
    assert mistakes_of(learner, truth, examples * 10) <= bound(4, k, truth.size)
    assert [learner.predict_one(x) for x in points(4)] == [truth(x) for x in points(4)]


def alternating(n: int) -> DecisionList:
    """Return the list of n + 1 rules that asks for each feature in turn."""
    rules = [(~Literal(n - 1 - i), i % 2 == 1) for i in range(n)]
    return DecisionList(rules, n % 2 == 1)


def greedy(learner: DecisionListLearner, truth: DecisionList, n: int) -> int:
    """Show the first example on which the learner errs, until there is none."""
    X = np.array([[bits >> j & 1 for j in range(n)] for bits in range(2**n)])
    labels = np.array([truth(x) for x in points(n)])
    made = 0
    while (wrong := learner.predict(X) != labels).any():
        at = int(wrong.argmax())
        learner.learn_one(X[at], bool(labels[at]))
        made += 1
    return made


@pytest.mark.parametrize(
    ("n", "mistakes"), [(2, 6), (4, 37), (6, 92), (8, 171), (10, 274)]
)
def test_a_greedy_adversary_comes_closer_the_longer_the_list(
    n: int, mistakes: int
) -> None:
    truth, learner = alternating(n), DecisionListLearner(features=n)
    assert greedy(learner, truth, n) == mistakes == learner.updates_
    assert mistakes <= DL.bound(features=n, k=1, length=n + 1)
    # 25%, 49%, 60%, 66% and 69% of the bound.
    assert 4 * mistakes >= bound(n, 1, n + 1)
    saved = sum(2 * ((n + 1 - j + 1) // 2) for j in range(1, n + 1))
    by_blocks = DL_BLOCKS.bound(features=n, k=1, blocks=n + 1, saved=saved)
    assert mistakes <= by_blocks < bound(n, 1, n + 1)
    assert n < 10 or mistakes >= 0.71 * by_blocks
    assert learner.concept_.equivalent(truth)
    assert learner.unrealizable_ is None


# What the twin says ------------------------------------------------------------------


def levels(learner: DecisionListLearner, twin: twins.DecisionListLearner) -> list[int]:
    """Return the levels of all rules, in the twin's order."""
    return [
        learner.level_(([Literal(*literal) for literal in term], label))
        for term, label in twin.levels
    ]


@quiet
@given(st.integers(1, 3), streams(), st.sampled_from(["none", "all"]))
@example(1, [({}, y % 3 == 0) for y in range(12)] + [({"a": 1}, True)] * 3, "none")
def test_it_equals_its_twin(
    k: int, stream: list[tuple[Mapping, bool]], declared: str
) -> None:
    features: list[Feature] | None = [*"edcba", 1, 0] if declared == "all" else None
    learner = DecisionListLearner(k, features=features)
    twin = twins.DecisionListLearner(k, features)
    for x, y in stream:
        asked = learner.predict_one(x)
        assert learner.play_one(x, y) is asked is twin.play(x, y)
        assert list(learner.features_) == list(twin.features)
    assert levels(learner, twin) == list(twin.levels.values())
    copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
    assert levels(copy, twin) == list(twin.levels.values())
    assert pickle.dumps(copy) == pickle.dumps(learner)


@quiet
@pytest.mark.parametrize(("k", "n"), [(1, 300), (2, 6), (2, 16), (3, 7)])
def test_it_equals_its_twin_where_lists_become_bits_and_bits_lists(
    k: int, n: int
) -> None:
    rng = np.random.default_rng(5)
    rounds = 250
    X = rng.random((rounds, n)) < rng.random((rounds, 1))
    y = rng.random(rounds) < 0.5
    learner, twin = DecisionListLearner(k), twins.DecisionListLearner(k)
    said = learner.play(X, y)
    told = [
        twin.play({int(j): 1 for j in np.flatnonzero(x)}, bool(label))
        for x, label in zip(X, y, strict=True)
    ]
    assert said.tolist() == told
    assert levels(learner, twin) == list(twin.levels.values())
    again = DecisionListLearner(k)
    again.play(X[: rounds // 2], y[: rounds // 2])
    copy = pickle.loads(pickle.dumps(again))  # noqa: S301 - our own bytes
    copy.play(X[rounds // 2 :], y[rounds // 2 :])
    assert pickle.dumps(copy) == pickle.dumps(learner)


def test_repetitions_are_rounds() -> None:
    learner, other = DecisionListLearner(features=2), DecisionListLearner(features=2)
    learner.learn_one({0: 1}, False, sample_weight=5)
    for _ in range(5):
        other.learn_one({0: 1}, False)
    assert pickle.dumps(learner) == pickle.dumps(other)
    learner.learn_one({0: 1}, True, sample_weight=0)
    assert learner.rounds_ == 5


# When no list fits -------------------------------------------------------------------


def exclusive_or(x: Mapping) -> bool:
    return len(x) % 2 == 1


def test_a_stream_that_no_list_fits_is_reported_once_with_a_proof() -> None:
    learner = DecisionListLearner(features=2)
    with pytest.warns(UnrealizableWarning, match="no k-decision list fits") as caught:
        mistakes_of(learner, exclusive_or, points(2), 20)
    assert len(caught) == 1
    proof = learner.unrealizable_
    assert proof is not None
    # No term tells any of the four apart, and none of them can be spared.
    assert sorted((shown.x, shown.y) for shown in proof.examples) == [
        ((), False),
        ((0,), True),
        ((0, 1), False),
        ((1,), True),
    ]
    assert all(shown.round <= proof.round for shown in proof.examples)
    # It goes on: rules still move up.
    before = learner.updates_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mistakes_of(learner, exclusive_or, points(2), 20)
    assert learner.updates_ > before
    assert learner.unrealizable_ == proof
    assert pickle.loads(pickle.dumps(learner)).unrealizable_ == proof  # noqa: S301 - ours
    assert DecisionListLearner(2, features=2).unrealizable_ is None


def test_two_labels_of_one_example_are_a_proof() -> None:
    learner = DecisionListLearner(3)
    learner.learn_one({"a": 1}, False)
    with pytest.warns(UnrealizableWarning):
        learner.learn_one({"a": 1}, True)
    proof = learner.unrealizable_
    assert proof is not None
    assert [(s.round, s.x, s.y) for s in proof.examples] == [
        (0, ("a",), False),
        (1, ("a",), True),
    ]


def test_two_literals_do_what_one_cannot() -> None:
    learner = DecisionListLearner(2, features=2)
    assert mistakes_of(learner, exclusive_or, points(2), 40) <= bound(2, 2, 4)
    assert learner.unrealizable_ is None
    assert [learner.predict_one(x) for x in points(2)] == [False, True, True, False]


@quiet
@given(st.integers(1, 2), streams(features=3, rounds=120))
def test_a_proof_is_one_and_comes_when_mistakes_have_doubled(
    k: int, stream: list[tuple[Mapping, bool]]
) -> None:
    learner, wrong = DecisionListLearner(k), []
    rounds: list[int] = []
    for t, (x, y) in enumerate(stream):
        if learner.play_one(x, y) == y or learner.unrealizable_ is not None:
            continue
        wrong.append((x, y))
        rounds.append(t)
        # The batch agrees, whenever the learner has looked.
        if len(wrong) & (len(wrong) - 1) == 0:
            assert fits(wrong, k)
    proof = learner.unrealizable_
    if proof is None:
        return
    examples = [(dict.fromkeys(s.x, 1), s.y) for s in proof.examples]
    assert not fits(examples, k)
    for at in range(len(examples)):
        assert fits(examples[:at] + examples[at + 1 :], k)
    # The round is the first mistake that no list fits together with those before.
    assert [stream[s.round] for s in proof.examples] == examples
    assert proof.round == proof.examples[-1].round
    assert fits(
        [shown for t, shown in zip(rounds, wrong, strict=True) if t < proof.round], k
    )


def fits(examples: list[tuple[Mapping, bool]], k: int) -> bool:
    """Tell whether a batch finds a list."""
    try:
        fit_decision_list(
            [x for x, _ in examples], [y for _, y in examples], k, features=[0, *"edc"]
        )
    except NoConsistentConcept:
        return False
    return True


def test_a_rule_above_all_levels_is_a_proof() -> None:
    # With no feature there are two rules and one list of use: level 3 proves it, and
    # so does the second mistake.
    learner = DecisionListLearner()
    learner.learn_one({}, False)
    with pytest.warns(UnrealizableWarning):
        learner.learn_one({}, True)
    assert learner.unrealizable_ is not None
    assert learner.unrealizable_.round == 1


@quiet
def test_examples_are_kept_until_no_list_fits() -> None:
    learner = DecisionListLearner(features=1)
    for t in range(2000):
        learner.learn_one({}, learner.predict_one({}) is False)
        assert learner.updates_ == t + 1
    assert len(pickle.dumps(learner)) < 2000
    assert learner.level_("if always then yes") > 400
    why = learner.why("if always then yes")
    assert why is not None
    assert why.by.round < 2


# What is refused ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 0}, "k must be a whole number .* got 0"),
        ({"k": 1.5}, "k must be a whole number .* got 1.5"),
        ({"k": True}, "k must be a whole number .* got True"),
        ({"features": 0}, "features must be .* got 0"),
        ({"features": []}, "features must name at least one"),
        ({"features": ["a", "a"]}, "got 'a' twice"),
        ({"k": 3, "features": 10_000}, "at most 2\\*\\*32 terms of at most k literals"),
    ],
)
def test_illegal_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=f"^DecisionListLearner: .*{message}"):
        DecisionListLearner(**parameters)


@pytest.mark.parametrize(
    ("rule", "error", "message"),
    [
        ("if a and b then yes", ParameterError, "at most 1 literals"),
        ("if a then yes, else if b then no", ParameterError, "one rule must be given"),
        ("a", ParameterError, "expected"),
        ("yes", ParameterError, "expected"),
        ("if a then", ParameterError, "expected 'yes' or 'no'"),
        ("if never then yes", ParameterError, "at most 1 literals"),
        ("if z then yes", FeatureError, "a feature must have been seen, got 'z'"),
        (("a", 1), ParameterError, "must be True or False, got 1"),
        (("a", True, 3), ParameterError, "must be a pair"),
        (7, ParameterError, "must be a pair"),
    ],
)
def test_what_is_no_rule(rule: Any, error: type[Exception], message: str) -> None:
    learner = DecisionListLearner(features=["a", "b"])
    for ask in (learner.why, learner.level_):
        with pytest.raises(error, match=message):
            ask(rule)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ({"a": 2}, True),
        ({"a": 0.5}, True),
        ({"a": math.nan}, True),
        ({"a": None}, True),
        ({"z": 1}, True),
        ({"a": 1}, 2),
        ("ab", True),
    ],
)
def test_what_is_refused_changes_nothing(x: Any, y: Any) -> None:
    learner = DecisionListLearner(2, features=["a", "b"])
    learner.learn_one({"a": 1}, False)
    before = pickle.dumps(learner)
    with pytest.raises(ValueError, match="got"):
        learner.learn_one(x, y)
    assert pickle.dumps(learner) == before


def test_a_feature_too_many_is_refused() -> None:
    learner = DecisionListLearner(21)
    with pytest.raises(FeatureError, match="2\\*\\*32"):
        learner.learn_one(dict.fromkeys(range(25), 1), False)
    assert learner.features_ == ()
    assert learner.predict_one(dict.fromkeys(range(25), 1)) is True


def test_it_runs_on_a_stream() -> None:
    truth = DecisionList.parse("if x4 then yes, else if not x8 then no, else yes")
    rng = np.random.default_rng(2)
    X = rng.random((3000, 10)) < 0.5
    y = np.array([truth(x) for x in X])
    learner = DecisionListLearner()
    record = run(learner, zip(X, y.tolist(), strict=True))
    assert record.mistakes == record.updates == learner.updates_
    assert record.mistakes <= DL.bound(features=10, k=1, length=3)
    assert learner.concept_.equivalent(truth)
