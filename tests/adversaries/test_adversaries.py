"""Each adversary forces what its theorem says, and a fixed choice does well."""

from __future__ import annotations

import hashlib
import math
import pickle
import statistics
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import linear, run, theorems
from littlestone.adversaries import (
    Adversary,
    AlternatingAdversary,
    ConjunctionAdversary,
    DisjunctionAdversary,
    HalvingAdversary,
    PerceptronAdversary,
    RandomExperts,
    ShrinkingAdversary,
    SingletonAdversary,
    ThresholdAdversary,
    TreeAdversary,
)
from littlestone.concepts import Conjunction
from littlestone.errors import LabelError, ParameterError, StreamError
from littlestone.experts import FollowTheMajority
from littlestone.theorems import PERC_SEP

Round = tuple[Any, bool]


class Function:
    """A deterministic learner: some function of the past and the example, hashed."""

    def __init__(self, key: int) -> None:
        self.key = key
        self.past: list[Round] = []

    def predict_one(self, x: Any) -> bool:
        """Say what the hash says."""
        text = repr((self.key, self.past, x)).encode()
        return hashlib.sha256(text).digest()[0] % 2 == 1

    def learn_one(self, x: Any, y: bool) -> None:
        """Remember the round."""
        self.past.append((x, y))


class Halving:
    """Says what most experts who were always right say; a tie says yes."""

    def __init__(self, experts: int) -> None:
        self.left = list(range(experts))

    def predict_one(self, x: list[bool]) -> bool:
        """Count the votes of those who are left."""
        return 2 * sum(x[i] for i in self.left) >= len(self.left)

    def learn_one(self, x: list[bool], y: bool) -> None:
        """Drop those who were wrong."""
        self.left = [i for i in self.left if x[i] == y]


def play(adversary: Adversary, says: Callable[[Any], Any]) -> list[Round]:
    """Play by hand, and return what was shown and told."""
    adversary.restart()
    rounds = []
    while (x := adversary.ask()) is not None:
        rounds.append((x, adversary.answer(says(x))))
    return rounds


def every() -> list[Adversary]:
    return [
        HalvingAdversary(4),
        AlternatingAdversary(9),
        PerceptronAdversary(0.3),
        RandomExperts(5, rounds=9, seed=3),
        ConjunctionAdversary(5),
        ConjunctionAdversary(5, negations=True),
        DisjunctionAdversary(5),
        DisjunctionAdversary(5, negations=True),
        SingletonAdversary(7),
        ThresholdAdversary(9),
        ShrinkingAdversary(9),
        TreeAdversary(
            [Conjunction(), Conjunction(0), Conjunction(1), Conjunction(0, 1)],
            [{0: 1}, {1: 1}, {0: 1, 1: 1}],
        ),
    ]


each = pytest.mark.parametrize("adversary", every(), ids=repr)

# By hand --------------------------------------------------------------------------


def test_experts_of_the_halving_bound_vote_their_own_bits() -> None:
    rounds = play(HalvingAdversary(3), lambda x: x[0])  # expert 0 is never right
    assert [x for x, _ in rounds] == [
        [False, True, False, True, False, True, False, True],
        [False, False, True, True, False, False, True, True],
        [False, False, False, False, True, True, True, True],
    ]
    assert [y for _, y in rounds] == [True, True, True]


def test_the_perfect_expert_is_written_in_the_labels() -> None:
    adversary = HalvingAdversary(3)
    predictions = iter([False, True, False])
    rounds = play(adversary, lambda _: next(predictions))
    assert [y for _, y in rounds] == [True, False, True]
    assert adversary.best_expert_ == 0b101
    assert adversary.experts == 8


def test_labels_alternate_for_who_follows_the_majority() -> None:
    learner = FollowTheMajority()
    told: list[bool] = []
    record = run(
        learner,
        AlternatingAdversary(6),
        observe=lambda batch: told.extend(batch.labels),
    )
    assert told == [False, True, False, True, False, True]
    assert record.mistakes == 6
    assert [y for _, y in AlternatingAdversary(6).stream()] == told


def test_the_better_constant_is_counted() -> None:
    adversary = AlternatingAdversary(5)
    predictions = iter([True, True, False, True, True])
    play(adversary, lambda _: next(predictions))
    assert adversary.best_ == 1  # no, no, yes, no, no: "no" errs once
    play(adversary, lambda _: False)
    assert adversary.best_ == 0


def test_the_perceptron_meets_a_new_feature_each_round() -> None:
    predictions = iter([True, False, True, True])
    adversary = PerceptronAdversary(0.5)
    rounds = play(adversary, lambda _: next(predictions))
    assert rounds == [
        ({0: 1.0}, False),
        ({1: 1.0}, True),
        ({2: 1.0}, False),
        ({3: 1.0}, False),
    ]
    assert adversary.separator_ == {0: -1, 1: 1, 2: -1, 3: -1}


@pytest.mark.parametrize(
    ("margin", "rounds"),
    [
        (1, 1),
        (0.75, 1),
        (0.5, 4),
        (0.3, 11),
        (Fraction(1, 10), 100),
        (Decimal("0.1"), 100),
        (0.1, 99),  # this float lies above 1/10
        (math.nextafter(0.5, 1), 3),
        (np.float32(0.25), 16),
        (np.int64(1), 1),
        (Fraction(1, 10**9), 10**18),
    ],
)
def test_the_margin_is_taken_exactly(margin: Any, rounds: int) -> None:
    adversary = PerceptronAdversary(margin)
    assert adversary.rounds == rounds
    gamma = Fraction(np.asarray(margin).item())
    assert rounds * gamma**2 <= 1 < (rounds + 1) * gamma**2


def test_the_coins_are_the_same_for_ever() -> None:
    adversary = RandomExperts(3, rounds=4)
    assert adversary.stream() == [
        ([False, False, False], False),
        ([True, True, True], False),
        ([True, False, True], True),
        ([False, False, True], True),
    ]
    assert play(adversary, lambda _: None) == adversary.stream()
    assert adversary.best_ == 1  # expert 2, in round 1
    assert adversary.stream() != RandomExperts(3, 4, seed=1).stream()


# What the theorems say --------------------------------------------------------------


@given(n=st.integers(1, 6), key=st.integers())
def test_every_deterministic_learner_makes_lg_n_mistakes(n: int, key: int) -> None:
    adversary = HalvingAdversary(n)
    learner = Function(key)
    record = run(learner, adversary)
    told = learner.past
    assert record.mistakes == record.rounds == n == math.log2(adversary.experts)
    mistakes = [sum(x[i] != y for x, y in told) for i in range(adversary.experts)]
    assert mistakes.count(0) == 1
    assert mistakes[adversary.best_expert_] == adversary.best_ == 0


@pytest.mark.parametrize(
    "learner", [linear.Perceptron(), linear.Winnow(threshold=8), FollowTheMajority()]
)
def test_who_weighs_the_experts_as_features_errs_as_often(learner: Any) -> None:
    assert run(learner.clone(), HalvingAdversary(5)).mistakes == 5


@pytest.mark.parametrize("n", [1, 2, 5, 10])
def test_halving_attains_its_bound(n: int) -> None:
    learner, adversary = Halving(2**n), HalvingAdversary(n)
    assert run(learner, adversary).mistakes == n
    assert learner.left == [adversary.best_expert_]


@given(rounds=st.integers(1, 40), key=st.integers())
def test_the_best_constant_errs_in_half_the_rounds_at_most(
    rounds: int, key: int
) -> None:
    adversary = AlternatingAdversary(rounds)
    learner = Function(key)
    assert run(learner, adversary).mistakes == rounds
    yes = sum(y for _, y in learner.past)
    assert adversary.best_ == min(yes, rounds - yes) <= rounds // 2


@given(rounds=st.integers(1, 200))
def test_following_the_majority_errs_in_every_round(rounds: int) -> None:
    adversary = AlternatingAdversary(rounds)
    assert run(FollowTheMajority(), adversary).mistakes == rounds
    assert adversary.best_ == rounds // 2
    assert run(FollowTheMajority(), adversary.stream()).mistakes == rounds


@given(margin=st.floats(0.08, 1) | st.fractions(Fraction(1, 12), 1))
def test_the_perceptron_makes_as_many_mistakes_as_the_margin_allows(
    margin: float | Fraction,
) -> None:
    adversary = PerceptronAdversary(margin)
    n = math.floor(1 / Fraction(margin) ** 2)
    record = run(linear.Perceptron(), adversary)
    assert record.mistakes == record.updates == record.rounds == n
    # The bound is rounded up, and so may be n + 1 itself.
    assert n <= PERC_SEP.bound(radius=1, margin=margin) <= n + 1


@pytest.mark.parametrize("root", [1, 2, 3, 10])
def test_the_perceptron_attains_its_bound(root: int) -> None:
    adversary = PerceptronAdversary(Fraction(1, root))
    record = run(linear.Perceptron(), adversary)
    assert record.mistakes == PERC_SEP.bound(radius=1, margin=Fraction(1, root))


LINEAR = [
    linear.Perceptron(update="margin", bias=1),
    linear.AveragedPerceptron(),
    linear.VotedPerceptron(),
    linear.KernelPerceptron("gaussian"),
    linear.PassiveAggressive(),
    linear.SecondOrderPerceptron(),
    linear.AROW(),
    linear.Winnow(threshold=2),
    linear.MulticlassPerceptron(),
    FollowTheMajority(),
]


@pytest.mark.parametrize("learner", LINEAR, ids=repr)
def test_no_other_learner_escapes_either(learner: Any) -> None:
    adversary = PerceptronAdversary(0.2)
    told: list[bool] = []
    newborn = learner.clone()
    record = run(newborn, adversary, observe=lambda batch: told.extend(batch.labels))
    assert record.mistakes == record.rounds == 24
    assert adversary.best_ == 0
    # sqrt(n) u has product 1 with every example times its label, and length sqrt(n).
    signs = [1 if y else -1 for y in told]
    assert adversary.separator_ == dict(enumerate(signs))


@given(key=st.integers())
def test_a_function_of_the_past_is_no_better(key: int) -> None:
    assert run(Function(key), PerceptronAdversary(0.3)).mistakes == 11


@pytest.mark.parametrize("learner", LINEAR, ids=repr)
def test_no_learner_finds_a_threshold_without_a_margin(learner: Any) -> None:
    shown = []

    class Noted(ThresholdAdversary):
        def _label(self, at: int, prediction: Any) -> bool:
            shown.append((self._example(at)["x"], super()._label(at, prediction)))
            return shown[-1][1]

    adversary = Noted(53)
    assert run(learner.clone(), adversary).mistakes == 53 == adversary.forces
    assert all((x >= adversary.threshold_) == label for x, label in shown)
    assert len({x for x, _ in shown}) == 53
    assert adversary.theorem.bound(**adversary.numbers) == 53


@pytest.mark.parametrize("rounds", [2, 9, 500])
def test_shrinking_examples_never_mend_the_first(rounds: int) -> None:
    adversary = ShrinkingAdversary(rounds)
    assert run(linear.Perceptron(), adversary).mistakes == rounds
    assert run(linear.Perceptron(normalize=True), adversary).mistakes <= 3
    u = {name: Fraction(value) for name, value in adversary.separator_.items()}
    lengths = []
    for x, label in play(adversary, lambda _: True):
        score = sum(
            (u[name] * Fraction(value) for name, value in x.items()), Fraction()
        )
        assert score > 0 if label else score < 0
        lengths.append(math.hypot(*x.values()))
    assert sum(lengths[2:]) <= lengths[1]


def test_random_experts_force_regret_near_the_bound() -> None:
    # The bound is sqrt(T ln N / 2), and the mean of the largest of 64 normal numbers is
    # 2.38 instead of sqrt(2 ln 64) = 2.88: so 0.82 of the bound is to be expected.
    rounds, experts, runs = 400, 64, 20
    bound = math.sqrt(rounds * math.log(experts) / 2)
    for learner in (Function(0), FollowTheMajority()):
        regrets, mistakes = [], []
        for seed in range(runs):
            adversary = RandomExperts(experts, rounds, seed)
            said = AlwaysShort(learner)
            mistakes.append(run(said, adversary).mistakes)
            regrets.append(mistakes[-1] - adversary.best_)
        assert 0.7 * bound < statistics.mean(regrets) < 0.95 * bound
        # Four standard deviations of the mean of `runs` binomial numbers.
        slack = 4 * math.sqrt(rounds / 4 / runs)
        assert abs(statistics.mean(mistakes) - rounds / 2) < slack


class AlwaysShort:
    """Shows a learner the last round only, so that it need not hash a long past."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def predict_one(self, x: Any) -> Any:
        """Ask the learner."""
        return self.learner.predict_one(x)

    def learn_one(self, x: Any, y: bool) -> None:
        """Let the learner forget, then learn."""
        if isinstance(self.learner, Function):
            self.learner.past.clear()
        self.learner.learn_one(x, y)


@given(
    rounds=st.integers(1, 30),
    experts=st.integers(1, 20),
    seed=st.integers(0, 2**64 - 1),
)
def test_the_best_random_expert_is_counted(
    rounds: int, experts: int, seed: int
) -> None:
    adversary = RandomExperts(experts, rounds, seed)
    stream = adversary.stream()
    assert play(adversary, lambda x: x[0]) == stream
    assert play(adversary, lambda x: not x[0]) == stream  # oblivious
    assert all(len(x) == experts for x, _ in stream)
    mistakes = [sum(x[i] != y for x, y in stream) for i in range(experts)]
    assert adversary.best_ == min(mistakes)


def test_every_expert_and_the_outcome_flip_fair_coins_of_their_own() -> None:
    stream = RandomExperts(9, rounds=4_000, seed=5).stream()
    signs = np.array([[y, *x] for x, y in stream]) * 2.0 - 1
    slack = 5 * math.sqrt(len(stream))
    products = signs.T @ signs - len(stream) * np.eye(10)
    assert np.abs(signs.sum(axis=0)).max() < slack
    assert np.abs(products).max() < slack


def mistakes_of(choice: Any, rounds: list[Round]) -> int:
    """Count the mistakes of a fixed choice: an expert, a separator or a concept."""
    if isinstance(choice, int):
        return sum(x[choice] != y for x, y in rounds)
    if isinstance(choice, dict):
        scores = [(sum(choice[j] * v for j, v in x.items()), y) for x, y in rounds]
        return sum((score > 0) != y for score, y in scores)
    return sum(bool(choice(x)) != y for x, y in rounds)


@given(which=st.integers(0, 9), key=st.integers())
def test_the_choice_committed_to_makes_as_few_mistakes_as_is_told(
    which: int, key: int
) -> None:
    adversary, learner = every()[which], Function(key)
    run(learner, adversary)
    assert mistakes_of(adversary.comparator_, learner.past) == adversary.best_


@given(which=st.integers(0, 8), key=st.integers())
def test_what_is_forced_is_what_the_theorem_says(which: int, key: int) -> None:
    listening = [one for one in every() if not isinstance(one, RandomExperts)]
    adversary = listening[which]
    assert adversary.theorem is not None
    assert adversary.theorem.lower
    told = adversary.theorem.bound(**adversary.numbers)
    mistakes = run(Function(key), adversary).mistakes
    if isinstance(adversary, SingletonAdversary):
        # Its theorem is about consistent learners.
        assert told == adversary.rounds
        assert mistakes >= adversary.forces == 1
    else:
        assert mistakes == adversary.forces == told


def test_the_best_of_some_coins_is_as_lucky_as_is_told() -> None:
    # Two coins in two rounds: 0, 1 or 2 mistakes with the chances 1/4, 1/2, 1/4, so the
    # better makes 1 or more with (3/4)^2 and 2 with (1/4)^2, and expects 10/16.
    assert RandomExperts(2, 2).regret == 1 - 10 / 16
    assert RandomExperts(1, 9).regret == 0
    assert RandomExperts(1, 2).forces == 1
    bound = RandomExperts(64, 400)
    assert bound.theorem is theorems.EWA_T
    assert bound.regret < bound.theorem.bound(**bound.numbers)
    best = [
        (run(FollowTheMajority(), one), one.best_)[1]
        for one in (RandomExperts(8, 50, seed) for seed in range(200))
    ]
    # Half of the rounds less the regret; their standard deviation is below 2.
    expected = 25 - RandomExperts(8, 50).regret
    assert abs(statistics.mean(best) - expected) < 5 * 2 / math.sqrt(200)


def test_the_features_are_known_beforehand() -> None:
    for adversary in every():
        assert adversary.features is not None
        for x, _ in play(adversary, lambda _: True):
            assert set(x if isinstance(x, dict) else range(len(x))) <= set(
                adversary.features
            )
    assert len(HalvingAdversary(3).features) == 8
    assert AlternatingAdversary(3).features == ()
    assert TreeAdversary([bool, max], [[0, 1], [1, 1]]).features == range(2)
    assert TreeAdversary([bool, max], [[0, 1], [1, 1, 0]]).features is None
    assert TreeAdversary([bool], [0, 1]).features is None
    assert TreeAdversary([bool], ["a", "b"]).features is None


# How they are played ------------------------------------------------------------------


@each
def test_each_run_starts_afresh(adversary: Adversary) -> None:
    first = run(FollowTheMajority(), adversary)
    best = adversary.best_
    assert first.rounds == adversary.rounds
    assert run(FollowTheMajority(), adversary) == first
    assert adversary.best_ == best
    adversary.restart()
    assert adversary.best_ == 0


@each
def test_a_run_that_was_left_is_forgotten(adversary: Adversary) -> None:
    whole = run(FollowTheMajority(), adversary)
    adversary.restart()
    adversary.ask()
    adversary.answer(False)
    adversary.ask()
    assert run(FollowTheMajority(), adversary) == whole


@each
def test_asking_twice_is_asking_once(adversary: Adversary) -> None:
    adversary.restart()
    assert adversary.ask() == adversary.ask()
    adversary.answer(True)
    count = 1
    while adversary.ask() is not None:
        adversary.answer(True)
        count += 1
    assert count == adversary.rounds
    assert adversary.ask() is None


@each
def test_a_pickle_goes_on_identically(adversary: Adversary) -> None:
    adversary.restart()
    adversary.ask()
    adversary.answer(True)
    copy = pickle.loads(pickle.dumps(adversary))  # noqa: S301 - our own bytes
    while (x := adversary.ask()) is not None:
        assert copy.ask() == x
        assert copy.answer(True) == adversary.answer(True)
    assert copy.ask() is None
    assert copy.best_ == adversary.best_


@each
def test_the_repr_makes_it_again(adversary: Adversary) -> None:
    made = eval(repr(adversary), globals())  # noqa: S307 - our own repr
    assert repr(made) == repr(adversary)
    assert made.rounds == adversary.rounds


@pytest.mark.parametrize("no", [False, 0, -1, 0.0, None, np.False_])
@pytest.mark.parametrize("yes", [True, 1, 1.0, np.True_])
def test_predictions_are_read_as_labels_are(yes: Any, no: Any) -> None:
    for adversary in every()[:3]:
        adversary.ask()
        assert adversary.answer(yes) is False
        adversary.ask()
        assert adversary.answer(no) is True


# What is refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (
            lambda: HalvingAdversary(0),
            "bits must be a whole number from 1 to 24, got 0",
        ),
        (lambda: HalvingAdversary(25), "got 25"),
        (lambda: ThresholdAdversary(54), "rounds must be a whole number from 1 to 53"),
        (lambda: ShrinkingAdversary(1), "rounds must be a whole number from 2 to 500"),
        (lambda: HalvingAdversary(2.0), "got 2.0"),  # type: ignore[arg-type]  # refused
        (lambda: HalvingAdversary(True), "got True"),
        (
            lambda: AlternatingAdversary(0),
            "rounds must be a whole number of at least 1, got 0",
        ),
        (lambda: AlternatingAdversary("3"), "got '3'"),  # type: ignore[arg-type]  # refused
        (lambda: PerceptronAdversary(0), "gamma must exceed 0 .* at most 1, got 0"),
        (lambda: PerceptronAdversary(-0.5), "got -0.5"),
        (lambda: PerceptronAdversary(1.01), "got 1.01"),
        (lambda: PerceptronAdversary(math.nan), "must be a finite number, got nan"),
        (lambda: PerceptronAdversary(math.inf), "must be a finite number, got inf"),
        (lambda: PerceptronAdversary("1/2"), "must be a finite number, got '1/2'"),  # type: ignore[arg-type]  # refused
        (lambda: PerceptronAdversary(None), "must be a finite number, got None"),  # type: ignore[arg-type]  # refused
        (
            lambda: RandomExperts(2, 0),
            "rounds must be a whole number of at least 1, got 0",
        ),
        (lambda: RandomExperts(0, 2), "n must be a whole number from 1 .* got 0"),
        (lambda: RandomExperts(2, 2, -1), "seed must be a whole number of at least 0"),
        (lambda: RandomExperts(2, 2, 0.5), "seed must be .* got 0.5"),  # type: ignore[arg-type]  # refused
    ],
)
def test_illegal_parameters(made: Callable[[], Adversary], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        made()


@each
def test_an_answer_must_follow_a_question(adversary: Adversary) -> None:
    adversary.restart()
    with pytest.raises(StreamError, match="must follow a question, .* in round 0 of"):
        adversary.answer(True)
    adversary.ask()
    adversary.answer(True)
    with pytest.raises(StreamError, match="in round 1 of"):
        adversary.answer(True)
    while adversary.ask() is not None:
        adversary.answer(True)
    with pytest.raises(StreamError, match=f"in round {adversary.rounds} of"):
        adversary.answer(True)


def test_a_prediction_that_is_none_changes_nothing() -> None:
    for adversary in every()[:3]:
        x = adversary.ask()
        with pytest.raises(LabelError, match="got 'maybe'"):
            adversary.answer("maybe")
        assert adversary.ask() == x
        assert adversary.answer(True) is False
