"""A committee: as its members played by hand, within the bound of its rule."""

from __future__ import annotations

import copy
import math
import pickle
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from river import datasets, ensemble, linear_model, metrics, naive_bayes, optim
from river.preprocessing import StandardScaler
from sklearn.linear_model import LogisticRegression, SGDClassifier, SGDRegressor
from sklearn.naive_bayes import BernoulliNB
from sklearn.neural_network import MLPClassifier

from littlestone import certify, experts, run, theorems, verify
from littlestone.errors import (
    ExampleError,
    FeatureError,
    LabelError,
    MemberError,
    ParameterError,
)
from littlestone.experts import (
    AdaHedge,
    AggregatingAlgorithm,
    Committee,
    Cover,
    ExponentialWeights,
    FixedShare,
    MLPoly,
    RandomizedWeightedMajority,
    WeightedMajority,
)
from littlestone.linear import MulticlassPerceptron, Perceptron, Winnow
from tries import tried

Rounds = list[tuple[dict[str, float], Any]]


def phishing(rounds: int = 250) -> Rounds:
    return [(x, bool(y)) for x, y in islice(datasets.Phishing(), rounds)]


def approval(rounds: int = 250) -> Rounds:
    return list(islice(datasets.TrumpApproval(), rounds))


def classifiers() -> dict[str, Any]:
    return {
        "perceptron": Perceptron(bias=1.0),
        "winnow": Winnow(threshold=3),
        "logistic": StandardScaler() | linear_model.LogisticRegression(),
        "river bayes": naive_bayes.GaussianNB(),
        "sgd": SGDClassifier(random_state=0),
        "bayes": BernoulliNB(),
    }


def regressors() -> dict[str, Any]:
    sklearn = SGDRegressor(random_state=0, eta0=1e-13, learning_rate="constant")
    return {**lines(optim.SGD(0.01), optim.AdaGrad()), "sklearn": sklearn}


def lines(*optimizers: Any) -> dict[str, Any]:
    """Return linear models of River, one an optimizer, each with a scaler."""
    return {
        type(one).__name__: StandardScaler()
        | linear_model.LinearRegression(optimizer=one, intercept_lr=0.1)
        for one in optimizers
    }


class Says:
    """A member with one probability of a yes for all."""

    def __init__(self, chance: float) -> None:
        self.chance = chance

    def predict_one(self, x: Any) -> bool:  # noqa: ARG002 - one answer for all
        """Say what is more probable."""
        return self.chance >= 0.5

    def predict_proba_one(self, x: Any) -> dict[bool, float]:  # noqa: ARG002 - as above
        """Return the probabilities."""
        return {False: 1 - self.chance, True: self.chance}

    def learn_one(self, x: Any, y: Any) -> None:
        """Learn nothing."""


class Throws:
    """A member that fails where it is told to."""

    def __init__(self, predict_at: int = -1, learn_at: int = -1) -> None:
        self.predict_at, self.learn_at, self.taught = predict_at, learn_at, 0

    def predict_one(self, x: Any) -> bool:
        """Say yes to anything but nothing."""
        if self.taught == self.predict_at:
            raise ZeroDivisionError("no prediction")
        return bool(x)

    def learn_one(self, x: Any, y: Any) -> None:  # noqa: ARG002 - it does not look
        """Count the lessons."""
        if self.taught == self.learn_at:
            raise ZeroDivisionError("no lesson")
        self.taught += 1


# As by hand ---------------------------------------------------------------------


class ByHand:
    """The members and the rule of a committee, each called by its own name."""

    def __init__(self, members: dict[str, Any], rule: Any) -> None:
        self.members = copy.deepcopy(members)
        self.rule = rule.clone().set_params(experts=list(members))

    def play_one(self, x: dict[str, float], y: Any) -> Any:
        """Ask everyone, combine, teach everyone."""
        row = np.array([list(x.values())])
        advice = {}
        for name, member in self.members.items():
            if hasattr(member, "predict_one"):
                said = member.predict_one(x)
            elif hasattr(member, "n_features_in_"):
                said = member.predict(row)[0].item()
            else:
                said = None
            if said is not None:
                advice[name] = said
        predicted = self.rule.play_one(advice, y)
        for member in self.members.values():
            if hasattr(member, "learn_one"):
                member.learn_one(x, y)
            elif isinstance(member, SGDRegressor):
                member.partial_fit(row, [y])
            else:
                member.partial_fit(row, [int(y)], classes=[0, 1])
        return predicted


RULES_FOR_LABELS = [
    WeightedMajority(0.3),
    ExponentialWeights(0.7, "zero-one"),
    RandomizedWeightedMajority(0.5, seed=3),
    FixedShare(0.5, 0.1, "zero-one"),
    experts.Halving(restart=True),
    experts.FloorWeightedMajority(),
]
RULES_FOR_NUMBERS = [
    AdaHedge(),
    MLPoly(),
    MLPoly(gradient=True),
    experts.BOA("absolute"),
    experts.MLProd(),
    ExponentialWeights(0.01, "absolute", range=(0, 100)),
]


@pytest.mark.parametrize("mixture", [False, True])
def test_the_best_and_the_best_mixture_are_followed_alike(*, mixture: bool) -> None:
    y, *noise = np.random.default_rng(6).normal(size=(3, 300))
    above, below = (0.8, -1.0) if mixture else (0.2 * noise[0], noise[0] + noise[1])
    advice = np.stack([y + above, y + below], axis=1).tolist()
    stream = [*zip(advice, y.tolist(), strict=True)]
    both = Committee({"best": MLPoly(), "mixture": MLPoly(gradient=True)}, AdaHedge())
    record = run(both, stream)
    for name, rule in (("best", MLPoly()), ("mixture", MLPoly(gradient=True))):
        assert both.losses_[name] == run(rule, stream).loss  # as it would be alone
    certificate = certify(record, stream=stream)
    assert (certificate.theorem or "").startswith("ADAHEDGE")
    least, most = sorted(both.losses_.values())
    assert both.loss_ - least <= certificate.bound
    assert both.loss_ - least < (most - least) / 2


@pytest.mark.parametrize("rule", RULES_FOR_LABELS, ids=repr)
def test_labels_are_played_as_by_hand(rule: Any) -> None:
    committee, hand = Committee(classifiers(), rule), ByHand(classifiers(), rule)
    for x, y in phishing(8):
        assert (
            committee.predict_one(x) == committee.play_one(x, y) == hand.play_one(x, y)
        )
    assert dict(committee.weights_) == dict(hand.rule.weights_)
    assert dict(committee.losses_) == dict(hand.rule.losses_)
    assert dict(committee.regret_) == dict(hand.rule.regret_)
    assert committee.best_expert_ == hand.rule.best_expert_
    assert committee.loss_ == hand.rule.loss_
    assert committee.expected_mistakes_ == hand.rule.expected_mistakes_
    assert committee.guarantees == rule.guarantees
    ours, theirs = committee.members_["sgd"], hand.members["sgd"]
    assert ours.coef_.tolist() == theirs.coef_.tolist()
    assert committee.members_["perceptron"].weights_ == (
        hand.members["perceptron"].weights_
    )


@pytest.mark.parametrize("rule", RULES_FOR_NUMBERS, ids=repr)
def test_numbers_are_played_as_by_hand(rule: Any) -> None:
    committee, hand = Committee(regressors(), rule), ByHand(regressors(), rule)
    for x, y in approval(20):
        assert (
            committee.predict_one(x) == committee.play_one(x, y) == hand.play_one(x, y)
        )
    assert dict(committee.weights_) == dict(hand.rule.weights_)
    assert dict(committee.own_losses_) == dict(hand.rule.own_losses_)


def test_blocks_frames_and_sparse_matrices_are_played_as_rows() -> None:
    examples = phishing(24)
    labels = [y for _, y in examples]
    frame = pd.DataFrame([x for x, _ in examples])
    one_by_one = Committee(classifiers())
    said = [one_by_one.play_one(x, y) for x, y in examples]
    for X in (frame, [x for x, _ in examples]):
        committee = Committee(classifiers())
        assert committee.play(X, labels).tolist() == said
        assert dict(committee.weights_) == dict(one_by_one.weights_)
        predicted = committee.predict(X)
        assert predicted.dtype == np.bool_
        assert predicted.tolist() == [one_by_one.predict_one(x) for x, _ in examples]
    matrix = frame.to_numpy()
    dense, sparse = Committee(classifiers()), Committee(classifiers())
    assert (
        dense.play(matrix, labels).tolist()
        == sparse.play(sp.csr_matrix(matrix), labels).tolist()
        == said
    )


def test_fit_forgets_and_partial_fit_does_not() -> None:
    X, y = [[1.0, 0.0], [0.0, 1.0]], [1, -1]
    committee = Committee([Perceptron(), SGDClassifier(random_state=0)])
    assert committee.partial_fit(X, y).partial_fit(X, y).updates_ == 4
    assert committee.fit(X, y).updates_ == 2
    assert committee.predict(X).tolist() == [True, False]
    numbers = Committee([SGDRegressor(random_state=0)], AdaHedge()).fit(X, [0.5, 2])
    assert numbers.predict(X).dtype == np.float64


def test_a_sample_weight_is_a_number_of_rounds() -> None:
    yes, no = {"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 1.0}
    once, thrice = Committee(classifiers()), Committee(classifiers())
    for x, y in [(no, False), (yes, True), (yes, True), (yes, True)]:
        once.learn_one(x, y)
    thrice.learn_one(no, y=False)
    first = thrice.predict_one(yes)
    assert thrice.play_one(yes, True, 3) == first
    thrice.learn_one(yes, True, 0)
    assert once.updates_ == thrice.updates_ == 4
    assert dict(once.weights_) == dict(thrice.weights_)
    assert (
        once.members_["perceptron"].weights_ == thrice.members_["perceptron"].weights_
    )


def test_outcomes_are_what_the_rule_takes() -> None:
    labels = Committee([Perceptron()])
    numbers = Committee([linear_model.LinearRegression()], AdaHedge())
    chances = Committee([BernoulliNB()], ExponentialWeights(1.0, "brier"))
    made = (labels, numbers, chances)
    predicted = [committee.outcome for committee in made]
    assert predicted == ["label", "number", "distribution"]
    outcomes = [committee.as_outcomes([1, 0], 2).tolist() for committee in made]
    assert [repr(pair) for pair in outcomes] == ["[True, False]", *["[1.0, 0.0]"] * 2]
    assert all(committee.keeps_losses_ for committee in made)
    assert chances.last_loss_ == 0
    chances.learn_one([1.0], y=True)  # everyone slept
    assert chances.last_loss_ == 0


def test_run_plays_a_stream_of_examples() -> None:
    committee, examples = Committee(classifiers()), phishing(30)
    record = run(committee, examples)
    assert record.rounds == record.updates == 30
    assert record.mistakes == committee.loss_
    again = Committee(classifiers())
    said = again.play([x for x, _ in examples], [y for _, y in examples])
    assert record.mistakes == sum(said != [y for _, y in examples])


# What the theorems say ----------------------------------------------------------


def test_weighted_majority_keeps_its_bound_on_every_prefix() -> None:
    awake = ("perceptron", "winnow", "logistic")  # from the first round on
    members = {name: classifiers()[name] for name in awake}
    committee = Committee(members)
    mistakes = 0
    for x, y in phishing(1250):
        mistakes += committee.play_one(x, y) != y
        best = min(committee.losses_.values())
        assert mistakes <= theorems.WM.bound(best=best, beta=0.5, experts=3)
    assert mistakes == committee.loss_
    assert mistakes < 0.2 * 1250


def test_exponential_weights_keep_their_bound_for_those_who_slept() -> None:
    rate = 0.4
    committee = Committee(classifiers(), ExponentialWeights(rate, "zero-one"))
    for t, (x, y) in enumerate(phishing(100)):
        committee.learn_one(x, y)
        for name, own in committee.own_losses_.items():
            best = committee.losses_[name]
            assert own <= theorems.SLEEP.bound(eta=rate, best=best, experts=6), (
                t,
                name,
            )


def test_ada_hedge_keeps_its_bound_on_every_prefix() -> None:
    committee = Committee(lines(*optimizers()), AdaHedge())
    scale = variance = 0.0
    for x, y in approval(1001):
        weights = np.asarray(committee.weights_)
        said = np.array([m.predict_one(x) for m in committee.members_.values()])
        losses = (said - y) ** 2
        scale = max(scale, np.ptp(losses))
        mean = weights @ losses
        variance += weights @ (losses - mean) ** 2
        committee.learn_one(x, y)
        bound = theorems.ADAHEDGE.bound(variance=variance, experts=3, scale=scale)
        assert max(committee.regret_.values()) <= bound


@tried(1.5)
@given(
    rounds=st.lists(
        st.tuples(st.lists(st.integers(0, 1), min_size=3, max_size=3), st.booleans()),
        max_size=40,
    ),
    beta=st.sampled_from([0.1, 0.5, 0.9]),
)
def test_the_bound_holds_on_any_stream(
    rounds: list[tuple[list[int], bool]], beta: float
) -> None:
    ours = [Perceptron(), Winnow(threshold=2), Perceptron(bias=1.0)]
    committee = Committee([*ours, linear_model.Perceptron()], WeightedMajority(beta))
    for x, y in rounds:
        committee.learn_one(x, y)
        best = min(committee.losses_.values())
        assert committee.loss_ <= theorems.WM.bound(best=best, beta=beta, experts=4)


# What River publishes -----------------------------------------------------------


def optimizers() -> list[Any]:
    """Return the three of the docstring of River's EWARegressor."""
    return [optim.SGD(0.01), optim.RMSProp(), optim.AdaGrad()]


def used_optimizers() -> list[Any]:
    """Return them as that docstring uses them: after a pass with each alone."""
    used = optimizers()
    for model, published in zip(
        lines(*used).values(), (0.558735, 0.522449, 0.477289), strict=True
    ):
        assert mean_absolute(model) == pytest.approx(published, abs=5e-7)
    return used


def mean_absolute(learner: Any) -> float:
    mae = metrics.MAE()
    for x, y in datasets.TrumpApproval():
        mae.update(y, learner.predict_one(x))
        learner.learn_one(x, y)
    return float(mae.get())


def test_a_committee_beats_what_river_publishes_for_its_exponential_weights() -> None:
    models = [
        linear_model.LinearRegression(optimizer=one, intercept_lr=0.1)
        for one in used_optimizers()
    ]
    theirs = ensemble.EWARegressor(models, learning_rate=0.005)
    published = mean_absolute(StandardScaler() | theirs)
    assert published == pytest.approx(0.496298, abs=5e-7)
    committee = Committee(lines(*used_optimizers()), AdaHedge("absolute"))
    ours = mean_absolute(committee)
    print(f"EWARegressor {published:.6f}, a committee with AdaHedge {ours:.6f}")  # noqa: T201 - to be compared
    assert ours == pytest.approx(committee.loss_ / 1001, rel=1e-12)
    assert ours < 0.46 < published


def test_exponential_weights_of_river_are_these() -> None:
    # A scaler of its own for each, so that weights follow what was predicted; in front
    # of them all it has learned the example before the weights do.
    rule = ExponentialWeights(0.005, "square", range=(0, math.inf))
    committee = Committee(lines(*optimizers()), rule)
    theirs = ensemble.EWARegressor(
        [*lines(*optimizers()).values()], learning_rate=0.005
    )
    for x, y in approval(1001):
        assert committee.predict_one(x) == pytest.approx(
            theirs.predict_one(x), rel=1e-9
        )
        committee.learn_one(x, y)
        theirs.learn_one(x, y)
    assert np.asarray(committee.weights_) == pytest.approx(theirs.weights, rel=1e-9)


# Who sleeps ---------------------------------------------------------------------


def test_an_estimator_sleeps_until_it_has_learned() -> None:
    committee = Committee({"ours": Perceptron(), "sgd": SGDClassifier(random_state=0)})
    committee.learn_one([1.0], y=False)
    assert dict(committee.losses_) == {"ours": 1.0, "sgd": 0.0}
    assert dict(committee.own_losses_) == {"ours": 1.0, "sgd": 0.0}
    assert dict(committee.weights_) == pytest.approx({"ours": 1 / 3, "sgd": 2 / 3})
    assert committee.unadvised_ == 0


@pytest.mark.parametrize(
    ("members", "rule", "guess"),
    [
        ([BernoulliNB(), naive_bayes.GaussianNB()], None, True),
        ([MulticlassPerceptron()], None, True),
        ([SGDRegressor(random_state=0)], AdaHedge(), 0.0),
        ([BernoulliNB()], ExponentialWeights(1.0, "log"), 0.5),
    ],
)
def test_while_everyone_sleeps_nothing_is_charged_and_members_learn(
    members: list[Any], rule: Any, guess: Any
) -> None:
    committee = Committee(members, rule)
    assert committee.predict_one([1.0]) == guess
    assert committee.play_one([1.0], y=False) == guess
    assert type(committee.predict([[0.0]])[0].item()) is type(guess)
    assert committee.unadvised_ == committee.updates_ == 1
    assert committee.rule_.updates_ == 0
    assert committee.loss_ == 0
    assert set(committee.losses_.values()) == {0.0}
    committee.learn_one([1.0], y=False)
    assert committee.unadvised_ == committee.rule_.updates_ == 1


# The border ---------------------------------------------------------------------


def test_an_estimator_is_taught_in_the_labels_it_knows() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0]])
    known = BernoulliNB().fit(X, [1, -1])
    committee = Committee({"bayes": known, "fresh": BernoulliNB()})
    committee.play(X, [True, False])
    assert dict(committee.losses_) == {"bayes": 0.0, "fresh": 1.0}  # knew only yes
    taught = committee.members_["bayes"]
    assert taught.classes_.tolist() == [-1, 1]
    assert taught.class_count_.tolist() == [2.0, 2.0]
    assert committee.members_["fresh"].classes_.tolist() == [0, 1]
    with pytest.raises(ParameterError, match="member 0 must know the classes 0 and 1"):
        Committee([BernoulliNB().fit(X, ["ham", "spam"])])


def test_a_mapping_is_a_row_in_the_order_of_the_first_example() -> None:
    committee = Committee({"bayes": BernoulliNB()})
    committee.learn_one({"a": 1.0, "b": 0.0}, y=True)
    committee.learn_one({"b": 1.0}, y=False)  # what is left out is 0
    assert committee.members_["bayes"].feature_count_.tolist() == [[0, 1], [1, 0]]
    assert committee.predict_one({"b": 0, "a": 1})
    assert not committee.predict_one({"b": 1, "a": 0})


def test_an_estimator_that_knows_its_columns_gets_them_in_its_own_order() -> None:
    frame = pd.DataFrame({"b": [0.0, 1.0], "a": [1.0, 0.0]})
    committee = Committee({"bayes": BernoulliNB().fit(frame, [1, 0])})
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert committee.predict_one({"a": 1.0, "b": 0.0})
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert not committee.predict_one({"a": 0.0, "b": 1.0})


def test_every_shape_of_an_example_reaches_every_member() -> None:
    members = {"ours": Perceptron(), "river": linear_model.Perceptron()}
    committee = Committee({**members, "sklearn": BernoulliNB()})
    shapes = [
        [0.0, 2.0],
        np.array([0.0, 2.0]),
        sp.csr_matrix([[0.0, 2.0]]),
        (np.array([1]), np.array([2.0])),
        {1: 2.0},
    ]
    for shape in shapes:
        committee.learn_one(shape, y=False)
    bayes = committee.members_["sklearn"]
    assert bayes.feature_count_.tolist() == [[0.0, 5.0], [0.0, 0.0]]
    assert [committee.predict_one(shape) for shape in shapes] == [False] * 5


def test_log_and_brier_losses_ask_for_probabilities() -> None:
    members = {
        "river": naive_bayes.GaussianNB(),
        "sklearn": BernoulliNB(),
        "neural": MLPClassifier((2,), random_state=0),
    }
    examples = phishing(30)
    for rule in (ExponentialWeights(1.0, "brier"), AggregatingAlgorithm("brier")):
        committee = Committee(members, rule)
        for x, y in examples[:-1]:
            assert 0 <= committee.play_one(x, y) <= 1
        x, y = examples[-1]
        row = np.array([list(x.values())])
        said = {
            "river": committee.members_["river"].predict_proba_one(x)[True],
            "sklearn": committee.members_["sklearn"].predict_proba(row)[0, 1],
            "neural": committee.members_["neural"].predict_proba(row)[0, 1],
        }
        by_hand = committee.rule_.predict_one(said)
        assert committee.predict_one(x) == pytest.approx(np.ravel(by_hand)[-1])
        assert committee.loss_ > 0
        assert max(committee.regret_.values()) < 2


def test_the_probability_asked_for_is_that_of_a_yes() -> None:
    river, sklearn = naive_bayes.BernoulliNB(), BernoulliNB()
    rule = ExponentialWeights(1.0, "brier")
    of_river, of_sklearn = Committee([river], rule), Committee([sklearn], rule)
    for x, y in [([1.0], True), ([0.0], False), ([1.0], True)]:
        river.learn_one(dict(enumerate(x)), y)
        sklearn.partial_fit([x], [int(y)], classes=[0, 1])
        of_river.learn_one(x, y)
        of_sklearn.learn_one(x, y)
    chance = river.predict_proba_one({0: 1.0})[True]
    assert of_river.predict_one([1.0]) == chance > 0.5
    chance = sklearn.predict_proba([[1.0]])[0, 1]
    assert of_sklearn.predict_one([1.0]) == chance > 0.5


@pytest.mark.parametrize(
    "rule", [ExponentialWeights(1.0, "log"), AggregatingAlgorithm("log")], ids=str
)
def test_who_is_sure_and_wrong_is_charged_for_the_clipped_probability(
    rule: Any,
) -> None:
    members = {"sure": Says(1.0), "half": Says(0.5)}
    rounds: Rounds = [({"a": 1.0}, y) for y in (True, False, True, True)]
    committee = Committee(members, rule, clip=0.01)
    for x, y in rounds:
        committee.learn_one(x, y)
    assert [said["sure"] for said, _ in committee.advice(rounds)] == [0.99] * 4
    expected = -3 * math.log(0.99) - math.log(0.01)
    assert committee.losses_["sure"] == pytest.approx(expected)
    assert committee.losses_["half"] == pytest.approx(4 * math.log(2))
    # The theorem, and what clipping may cost the best member: ln(1/(1 - clip)) a round.
    best = 4 * math.log(2)
    assert committee.loss_ <= best + math.log(2) + 4 * math.log(1 / 0.99)
    assert "clip=0.01" in repr(committee)
    certificate = certify(committee, rounds)
    assert verify(certificate, committee.advice(rounds)).accepted


@pytest.mark.parametrize("clip", [-0.1, 0.5, math.nan, "x"])
def test_what_clip_can_be(clip: Any) -> None:
    with pytest.raises(ParameterError, match="clip must be"):
        Committee([Perceptron()], clip=clip)


def test_a_probability_beyond_one_is_not_clipped_but_refused() -> None:
    committee = Committee({"odd": Says(1.5)}, ExponentialWeights(1.0, "log"))
    with pytest.raises(ExampleError, match=r"probabilities in \[0, 1\], got 1\.5"):
        committee.learn_one([1.0], y=True)


def test_without_clipping_an_infinite_log_loss_is_refused() -> None:
    rule = ExponentialWeights(1.0, "log")
    committee = Committee({"bayes": naive_bayes.BernoulliNB()}, rule, clip=0.0)
    committee.learn_one([1.0], y=True)
    before = state(committee)
    with pytest.raises(ExampleError, match="'bayes' must be a finite number, got inf"):
        committee.learn_one([1.0], y=False)
    assert state(committee) == before


def test_a_committee_may_sit_in_a_committee() -> None:
    inner = Committee([Perceptron(), BernoulliNB()])
    outer = Committee({"inner": inner, "winnow": Winnow(threshold=3)})
    alone = inner.clone()
    for x, y in phishing(50):
        alone.learn_one(x, y)
        outer.learn_one(x, y)
    assert inner.updates_ == 0
    assert dict(outer.members_["inner"].weights_) == dict(alone.weights_)


# Parameters, copies, pickles ----------------------------------------------------


def test_the_learners_given_are_copied_and_never_taught() -> None:
    wise = Perceptron()
    wise.learn_one({"a": 1.0}, y=False)
    rule = WeightedMajority(0.25)
    committee = Committee({"wise": wise}, rule)
    wise.learn_one({"a": 1.0}, y=True)  # too late to matter here
    assert not committee.predict_one({"a": 1.0})
    committee.learn_one({"a": 1.0}, y=True)
    assert wise.updates_ == 2
    assert rule.updates_ == 0
    assert rule.experts is None
    assert committee.members_["wise"].updates_ == 2
    again = committee.clone()
    assert again.updates_ == 0
    assert again.members_["wise"].updates_ == 2  # as it is by now
    assert committee.set_params().members_["wise"].updates_ == 2


def test_parameters_reach_into_the_rule_and_the_members() -> None:
    members = {"perceptron": Perceptron(), "sgd": SGDClassifier(random_state=0)}
    committee = Committee(members, WeightedMajority(0.25))
    deep = committee.get_params()
    assert deep["learners"] is members
    assert deep["rule__beta"] == 0.25
    assert deep["perceptron__bias"] == 0.0
    assert deep["sgd__alpha"] == 0.0001
    assert committee.get_params(deep=False).keys() == {"learners", "rule", "clip"}
    committee.learn_one([1.0], y=False)
    assert committee.set_params(perceptron__bias=2.0, rule__beta=0.5) is committee
    assert committee.updates_ == 0
    assert committee.rule_.get_params()["beta"] == 0.5
    assert committee.members_["perceptron"].bias == 2.0
    assert members["perceptron"].bias == 0.0
    positions = Committee([Perceptron()]).set_params(**{"0__bias": 1.0})
    assert positions.learners[0].bias == 1.0
    assert Committee([Perceptron()]).set_params(rule__beta=0.1).rule_.beta == 0.1  # type: ignore[attr-defined]  # of this rule
    for wrong in ("beta", "nobody__beta", "perceptron__nonsense"):
        named = wrong.removeprefix("perceptron__").removesuffix("__beta")
        with pytest.raises(ParameterError, match=f"got {named!r}"):
            committee.set_params(**{wrong: 1})
    assert committee.members_["perceptron"].bias == 2.0
    with pytest.raises(AttributeError, match="fixed at birth"):
        committee.rule = None
    assert "Perceptron" in repr(committee)


def test_a_rule_may_bring_priors_for_the_members() -> None:
    rule = WeightedMajority(experts={"b": 3.0, "a": 1.0})
    committee = Committee({"a": Perceptron(), "b": Winnow(threshold=2)}, rule)
    assert dict(committee.weights_) == {"b": 0.75, "a": 0.25}
    committee.learn_one({"x": 1.0}, y=False)  # the Perceptron errs
    assert committee.losses_["a"] == 1.0
    assert committee.losses_["b"] == 0.0


def test_a_pickle_goes_on_where_it_was() -> None:
    examples = phishing(30)
    for rule in (None, ExponentialWeights(0.3, "zero-one")):
        committee = Committee(classifiers(), rule)
        for x, y in examples[:15]:
            committee.learn_one(x, y)
        twin = pickle.loads(pickle.dumps(committee))  # noqa: S301 - our own
        for x, y in examples[15:]:
            assert committee.play_one(x, y) == twin.play_one(x, y)
        assert dict(committee.weights_) == dict(twin.weights_)
        assert twin.updates_ == 30


# What is refused ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("learners", "rule", "words"),
    [
        ({}, None, "learners must be at least one, got none"),
        ("abc", None, "learners must be a mapping from name to learner, or a list"),
        (Perceptron(), None, "learners must be a mapping from name to learner"),
        ({"a": Perceptron}, None, "member 'a' must be a learner, got the class Percep"),
        (
            {"a": StandardScaler()},
            None,
            "member 'a' must have predict_one and learn_one",
        ),
        ({"a": LogisticRegression()}, None, "or predict and partial_fit, got Logistic"),
        ({"rule": Perceptron()}, None, "a member must not be named 'rule'"),
        (
            [Perceptron()],
            Cover(3),
            "rule must be a learner of littlestone.experts that",
        ),
        ([Perceptron()], "vote", "rule must be a learner of littlestone.experts that"),
        (
            [Perceptron()],
            WeightedMajority(experts=2),
            "must be the members [0], got [0,",
        ),
        (
            {"a": Perceptron()},
            WeightedMajority(experts=1),
            "the members ['a'], got [0]",
        ),
        ([BernoulliNB()], AdaHedge(), "member 0 must predict numbers, got the classif"),
        (
            [Perceptron()],
            AggregatingAlgorithm(outcomes=("x", "y", "z")),
            "outcomes must be yes and no, got outcomes=('x', 'y', 'z')",
        ),
    ],
)
def test_what_makes_no_committee_is_refused(
    learners: Any, rule: Any, words: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        Committee(learners, rule)
    assert words in str(refused.value)


def test_a_rule_that_has_learned_is_refused() -> None:
    rule = WeightedMajority()
    rule.learn_one([True], True)
    with pytest.raises(
        ParameterError, match="newborn, got one that has learned from 1"
    ):
        Committee([Perceptron()], rule)


def state(committee: Committee) -> Any:
    members = pickle.dumps(list(committee.members_.values()))
    books = dict(committee.weights_), dict(committee.losses_), committee.updates_
    return members, books


def test_nobody_has_learned_if_the_outcome_or_the_rule_refuses() -> None:
    labels = Committee({"ours": Perceptron(), "river": linear_model.Perceptron()})
    bounded = Committee({"line": linear_model.LinearRegression()}, ExponentialWeights())
    before = state(labels), state(bounded)
    for _ in range(2):
        with pytest.raises(LabelError, match="a label must be True/1"):
            labels.learn_one({"a": 1.0}, y=2)
        with pytest.raises(ExampleError, match="'line' must lie in .0, 1., got "):
            bounded.learn_one({"a": 1.0}, y=3.0)
        with pytest.raises(LabelError, match="finite number, got nan"):
            bounded.learn_one({"a": 1.0}, y=float("nan"))
        assert (state(labels), state(bounded)) == before
        labels.learn_one({"a": 1.0}, y=False)  # and once more in a later round
        bounded.learn_one({"a": 1.0}, y=0.5)
        before = state(labels), state(bounded)


def test_nobody_has_learned_if_a_member_refuses_the_example() -> None:
    winnow = Winnow(threshold=2)
    committee = Committee({"river": linear_model.Perceptron(), "winnow": winnow})
    before = state(committee)
    with pytest.raises(
        FeatureError, match="member 'winnow' could not predict: Winnow: "
    ):
        committee.learn_one({"a": 2.0}, y=True)
    assert state(committee) == before
    with pytest.raises(FeatureError) as refused:
        committee.play([{"a": 1.0}, {"a": 2.0}], [True, True])
    assert str(refused.value) == (
        "row 1: Committee: member 'winnow' could not predict: Winnow: feature 'a' must "
        "lie in [0, 1], got 2.0; 1 round played"
    )
    assert refused.value.feature == "a"
    assert committee.updates_ == 1
    mixed = Committee({"ours": Perceptron(), "throws": Throws(predict_at=1)})
    mixed.learn_one({"a": 1.0}, y=True)
    before = state(mixed)
    with pytest.raises(ExampleError, match="'throws' could not predict: ZeroDivision"):
        mixed.learn_one({"a": 1.0}, y=True)
    assert state(mixed) == before


@pytest.mark.parametrize(
    ("first", "then", "words"),
    [
        ({"a": 1.0}, {"b": 1.0}, "one of the 1 that the first example had, got 'b'"),
        ([1.0, 2.0], [1.0], "an example must have 2 features, got 1"),
        ([1.0], ([1], [2.0]), "column numbers must lie within"),
        ({"a": 1.0}, {"a": "1"}, "feature 'a' must be a number, got '1'"),
        ([1.0], [float("nan")], "could not predict: ValueError: Input X contains NaN"),
        ([1.0], 3.0, "an example must be a mapping"),
        ([1.0], "x", "an example must be a mapping"),
    ],
)
def test_an_example_that_no_estimator_could_take_is_refused(
    first: Any, then: Any, words: str
) -> None:
    committee = Committee({"bayes": BernoulliNB()})
    committee.learn_one(first, y=True)
    before = state(committee)
    with pytest.raises(ExampleError) as refused:
        committee.learn_one(then, y=True)
    assert "member 'bayes'" in str(refused.value)
    assert words in str(refused.value)
    assert state(committee) == before


def test_a_pair_cannot_come_first_to_an_estimator() -> None:
    with pytest.raises(FeatureError, match="must show how many columns there are"):
        Committee([BernoulliNB()]).learn_one(([0], [1.0]), y=True)


def test_a_first_round_that_cannot_be_learned_leaves_everyone_as_they_were() -> None:
    members = {
        "ours": Perceptron(),
        "river": linear_model.Perceptron(),
        "bad": SGDClassifier(alpha=-1.0),
    }
    committee = Committee(members)
    before = state(committee)
    with pytest.raises(ExampleError) as refused:
        committee.learn_one({"a": 1.0}, y=False)
    assert "member 'bad' could not learn: InvalidParameterError" in str(refused.value)
    assert str(refused.value).endswith("; no member has learned")
    assert state(committee) == before


def test_a_later_round_is_learned_by_all_who_can() -> None:
    names = ("first", "throws", "last")
    made = (Perceptron(), Throws(learn_at=2), Perceptron())
    committee = Committee(dict(zip(names, made, strict=True)))
    with pytest.raises(MemberError) as failed:
        committee.play([{"a": 1.0}] * 4, [False] * 4)
    assert str(failed.value) == (
        "row 2: Committee: member 'throws' could not learn: ZeroDivisionError: no "
        "lesson; the rule and all members but 'throws' have learned from this round; "
        "2 rounds played"
    )
    assert failed.value.members == ("throws",)
    assert isinstance(failed.value.__cause__, ZeroDivisionError)
    assert committee.updates_ == committee.rule_.updates_ == 3
    alone = Perceptron()
    for _ in range(3):
        alone.learn_one({"a": 1.0}, y=False)
    for name in ("first", "last"):
        assert committee.members_[name].weights_ == alone.weights_


def test_what_a_member_says_must_suit_the_rule() -> None:
    said = Committee({"line": SGDRegressor(random_state=0), "ours": Perceptron()})
    said.learn_one([1.0], y=True)
    before = state(said)
    with pytest.raises(
        FeatureError, match="expert 'line' must predict True/1 or False"
    ):
        said.learn_one([1.0], y=True)
    assert state(said) == before
