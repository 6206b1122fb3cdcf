"""Certify: from a run to a certificate that the judge accepts."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data import data_file
from littlestone import Auto, Certificate, certify, run, streams, verify
from littlestone.adversaries import ConjunctionAdversary, PerceptronAdversary
from littlestone.boolean import ConjunctionLearner
from littlestone.errors import MemberError, ParameterError, PremiseError
from littlestone.experts import (
    BOA,
    AdaHedge,
    AggregatingAlgorithm,
    Committee,
    ExponentialWeights,
    FixedShare,
    FollowTheMajority,
    MLPoly,
    MLProd,
    RandomizedWeightedMajority,
)
from littlestone.linear import (
    AROW,
    AveragedPerceptron,
    BalancedWinnow,
    KernelPerceptron,
    MulticlassPassiveAggressive,
    MulticlassPerceptron,
    PassiveAggressive,
    Perceptron,
    VovkAzouryWarmuth,
    Winnow,
)
from littlestone.maps import Mapped, Quadratic, Standardized
from tries import often, some, tried
from worlds import ENTRIES, Entry, World, fixed_world, worlds

FILES = [
    "a9a/a9a.train.svm.gz",
    "agaricus/agaricus.train.svm.gz",
    "heart_scale/heart_scale.svm.gz",
    "svmguide3/svmguide3.svm.gz",
]

# Of these a theorem speaks only where something separates the examples.
SEPARATED = ("Winnow(threshold=", "mode=None")

every = pytest.mark.parametrize("entry", ENTRIES, ids=str)


def certified(entry: Entry, world: World) -> tuple[Certificate, Any] | None:
    """Play a world, and certify the run if a theorem speaks of it."""
    stream: list[tuple[Any, Any]] = list(world.examples())
    learner = entry.made.clone()
    if entry.many:  # a certificate names its classes
        learner.set_params(classes=("yes", "no"))
        stream = [(x, "yes" if label else "no") for x, label in stream]
    record = run(learner, stream, keep="updates")
    try:
        return certify(record, stream=stream), stream
    except PremiseError:
        assert "budget=7" in str(entry) or any(word in str(entry) for word in SEPARATED)
        return None


def separated(entry: Entry) -> World:
    """Return a world whose first column tells the label."""
    world = fixed_world(entry, rows=150, columns=8)
    first = world.X[:, 0]
    clear = (first > 0.5) | (first < 0) if min(entry.values) < 0 else first >= 0
    return World(world.X[clear], first[clear] > 0.5)


@every
def test_the_judge_accepts_what_is_certified(entry: Entry) -> None:
    made = certified(entry, separated(entry))
    if "budget=7" in str(entry):  # an expectation is bounded, which one run cannot show
        assert made is None
        return
    assert made is not None
    certificate, stream = made
    assert certificate.holds
    verdict = verify(certificate, stream)
    assert verdict.accepted, verdict.wrong
    others = [other["bound"] for other in certificate.others.values()]
    assert all(bound is None or bound >= certificate.bound for bound in others)


@pytest.mark.parametrize("entry", some(ENTRIES), ids=str)
@tried(0.5)
@given(data=st.data())
def test_it_does_so_on_any_stream(entry: Entry, data: st.DataObject) -> None:
    made = certified(entry, data.draw(worlds(entry.values)))
    if made is not None:
        verdict = verify(*made)
        assert verdict.accepted, verdict.wrong


def test_the_adversary_leaves_no_slack() -> None:
    for n in (1, 3, 4, 10):
        record = run(Perceptron(), PerceptronAdversary(1 / n), keep="updates")
        certificate = certify(record, theorem="PERC-SEP")
        assert certificate.holds
        assert certificate.slack < 1
        assert verify(certificate).accepted


def test_a_witness_of_ones_own_is_used() -> None:
    stream = [({"a": 1.0}, False), ({"b": 1.0}, False), ({"c": 1.0}, True)]
    record = run(Perceptron(), stream, keep="updates")
    mine = {"a": -1.0, "b": -1.0}
    certificate = certify(record, mine, theorem="PERC-SEP")
    assert certificate.bound == pytest.approx(2.0)
    assert verify(certificate, stream).accepted
    with pytest.raises(ParameterError, match="AROW takes no witness"):
        certify(run(AROW(1.0), stream, keep="updates"), mine)
    with pytest.raises(PremiseError, match="PERC-SEP must have a witness"):
        certify(record, {"a": 1.0}, theorem="PERC-SEP")


def test_the_stream_is_read_again_where_nothing_was_kept() -> None:
    entry = ENTRIES[0]
    stream = fixed_world(entry).examples()
    kept = run(Perceptron(), stream, keep="updates", passes=2)
    bare = run(Perceptron(), stream, passes=2)
    assert certify(bare, stream=stream) == certify(kept)
    with pytest.raises(ParameterError, match="must hold the examples of its updates"):
        certify(bare)
    with pytest.raises(ParameterError, match="the stream must be that of the rec"):
        certify(bare, stream=stream[:-1])


def test_the_error_says_what_to_write() -> None:
    stream = fixed_world(ENTRIES[0]).examples()
    learner = Perceptron()
    record = run(learner, stream)
    with pytest.raises(ParameterError) as caught:
        certify(record)
    assert str(caught.value) == (
        "certify: the record must hold the examples of its updates, got none: write "
        "certify(learner, stream), or run(..., keep='updates')"
    )
    kept = certify(run(Perceptron(), stream, keep="updates"))
    assert certify(learner, stream) == kept
    advised = run(ExponentialWeights(0.5), [({"ann": 0.5}, 1.0)], digest=True)
    with pytest.raises(ParameterError, match="; stream= gives it"):
        certify(advised)


# A learner and a stream ----------------------------------------------------------


@pytest.mark.parametrize(
    "entry", often(ENTRIES, lambda entry: ENTRIES.index(entry) % 3 == 0), ids=str
)
def test_a_learner_and_a_stream_are_certified_as_their_record_is(entry: Entry) -> None:
    world = separated(entry)
    made = certified(entry, world)
    if made is None:
        return
    certificate, stream = made
    learner = entry.made.clone()
    if entry.many:
        learner.set_params(classes=("yes", "no"))
    before = repr(learner.save_state())
    assert certify(learner, stream) == certificate
    assert certify(learner, iter(stream)) == certificate
    assert certify(learner, stream=stream, theorem=certificate.theorem).holds
    assert repr(learner.save_state()) == before


def test_a_copy_plays_from_birth_whatever_the_learner_has_learned() -> None:
    stream = fixed_world(ENTRIES[0]).examples()
    learner = Perceptron(bias=0.5)
    fresh = certify(learner, stream, passes=2)
    run(learner, stream)
    weights = dict(learner.weights_)
    again = certify(learner, stream, passes=2)
    assert again == fresh
    assert (again.passes, dict(learner.weights_)) == (2, weights)


def test_rules_and_forecasters_need_no_more_than_a_stream() -> None:
    rows = [({"a": 1, "b": 1}, True), ({"a": 1}, False), ({"b": 1}, False)] * 4
    certificate = certify(ConjunctionLearner(), iter(rows), witness="a and b")
    assert certificate.theorem == "CONJ"
    assert verify(certificate, rows).accepted
    advice = [({"ann": t % 2, "bob": 0.5}, float(t % 2)) for t in range(20)]
    certificate = certify(ExponentialWeights(0.5), iter(advice), witness="ann")
    assert certificate.witness["expert"] == "ann"
    assert verify(certificate, advice).accepted


def test_an_adversary_is_played_too() -> None:
    certificate = certify(Perceptron(), PerceptronAdversary(0.5), theorem="PERC-SEP")
    assert certificate.counted == 4
    assert 0 <= certificate.slack < 1e-6
    assert certify(ConjunctionLearner(), ConjunctionAdversary(3)).holds


def test_what_belongs_to_the_other_way_to_call_is_refused() -> None:
    rows = streams.arrays([[1.0], [-1.0]], [1, 0])
    record = run(Perceptron(), rows, keep="updates")
    with pytest.raises(ParameterError, match=r"write certify\(record, stream=stream\)"):
        certify(record, rows)
    with pytest.raises(ParameterError, match="passes must be those of the record"):
        certify(record, passes=2)  # type: ignore[call-overload]  # it is refused
    with pytest.raises(ParameterError, match="a learner needs a stream to play"):
        certify(Perceptron())  # type: ignore[call-overload]  # it is refused
    with pytest.raises(ParameterError, match="a record, a learner .* got 'mail'"):
        certify("mail", rows)  # type: ignore[call-overload]  # it is refused


@pytest.mark.parametrize("classes", [None, (True, False)])
def test_yes_and_no_are_classes_too(classes: tuple[bool, ...] | None) -> None:
    examples = [({"a": 1.0, "b": i % 3}, i % 2 == 0) for i in range(12)]
    record = run(MulticlassPerceptron(classes), examples, keep="updates")
    made = certify(record, stream=examples)
    certificate = Certificate.from_json(made.to_json())
    assert certificate == made
    assert verify(certificate, examples).accepted


SIGNED: Any = [({"a": 1.0}, False), ({"b": 1.0}, True)] * 3
NAMED: Any = [({"a": 1.0}, "x"), ({"b": 1.0}, "y"), ({"b": 1.0}, "x")]
# The Perceptron and AROW say something else in some rounds.
MIXED: Any = [
    ({"a": 1.0, "b": 0.5}, False),
    ({"b": 1.0}, True),
    ({"a": 0.3, "b": 1.0}, False),
    ({"a": -1.0, "b": 1.0}, True),
] * 4
FORECAST: Any = [({"u": 0.1, "v": 0.7}, 1.0), ({"u": 0.2, "v": 0.9}, 0.0)] * 3


@pytest.mark.parametrize(
    ("made", "given", "plain", "stream"),
    [
        (MulticlassPerceptron, {"classes": ["x", "y"]}, {"classes": ("x", "y")}, NAMED),
        (
            MulticlassPassiveAggressive,
            {"classes": np.array(["x", "y"])},
            {"classes": ("x", "y")},
            NAMED,
        ),
        (Perceptron, {"bias": np.float64(1)}, {"bias": 1.0}, SIGNED),
        (
            Perceptron,
            {"bias": Fraction(1, 3), "normalize": np.True_},
            {"bias": 1 / 3, "normalize": True},
            SIGNED,
        ),
        (Perceptron, {"bias": True}, {"bias": 1}, SIGNED),
        (
            BalancedWinnow,
            {"rate": np.float32(0.5), "scale": np.int64(3), "bias": np.True_},
            {"rate": 0.5, "scale": 3, "bias": 1},
            SIGNED,
        ),
        (PassiveAggressive, {"C": np.float32(0.5)}, {"C": 0.5}, SIGNED),
        (AROW, {"r": Decimal("0.5")}, {"r": 0.5}, SIGNED),
        (Winnow, {"threshold": np.int64(3)}, {"threshold": 3}, SIGNED),
        (
            Winnow,
            {"threshold": 2, "promotion": Fraction(3, 2)},
            {"threshold": 2, "promotion": 1.5},
            SIGNED,
        ),
        (
            ExponentialWeights,
            {"range": np.array([0.0, 2.0])},
            {"range": (0.0, 2.0)},
            FORECAST,
        ),
        (
            ExponentialWeights,
            {"gradient": np.True_, "experts": {"u": np.int64(1), "v": np.float32(2)}},
            {"gradient": True, "experts": {"u": 1, "v": 2.0}},
            FORECAST,
        ),
    ],
)
def test_whatever_a_learner_takes_is_stated_plainly(
    made: Any, given: dict[str, Any], plain: dict[str, Any], stream: Any
) -> None:
    certificate = certify(made(**given), stream)
    assert certificate == certify(made(**plain), stream)
    assert verify(certificate, stream).wrong is None
    record = run(made(**given), stream, keep="updates")
    assert certify(record, stream=stream) == certificate


def test_classes_are_stated_in_the_order_in_which_the_learner_met_them() -> None:
    for classes in ({"y", "x", "z"}, {"z": 1, "y": 2, "x": 3}):
        first, *others = classes
        stream: Any = [({"a": 1.0}, first)] * 2
        certificate = certify(MulticlassPerceptron(classes=classes), stream)
        parameters = certificate.learner["parameters"]
        assert parameters["classes"] == (first, *others)
        assert certificate.mistakes == 0
        assert verify(certificate, stream).wrong is None
        # A learner that met another class first would have been wrong.
        forged = dataclasses.replace(
            certificate,
            learner={
                "name": "MulticlassPerceptron",
                "parameters": {**parameters, "classes": (*others, first)},
            },
        )
        assert not verify(forged, stream)


def test_the_judge_itself_takes_plain_parameters_only() -> None:
    certificate = certify(Winnow(threshold=2, promotion=1.5), SIGNED)
    for name, value in (("promotion", Fraction(3, 2)), ("eliminate", 0)):
        parameters = {**certificate.learner["parameters"], name: value}
        learner = {**certificate.learner, "parameters": parameters}
        verdict = verify(dataclasses.replace(certificate, learner=learner), SIGNED)
        assert f"{name} must be one that the learner takes" in (verdict.wrong or "")


def test_mistakes_that_changed_nothing_are_named_by_the_stream() -> None:
    examples: list[tuple[dict[str, float], str]] = [
        ({}, "a"),
        ({"x": 1.0}, "b"),
        ({}, "b"),
        ({"x": 1.0, "y": 1.0}, "c"),
    ] * 3
    record = run(MulticlassPerceptron(), examples, keep="updates", passes=2)
    with pytest.raises(ParameterError, match="MulticlassPerceptron needs the stream"):
        certify(record)
    verdict = verify(certify(record, stream=examples), examples)
    assert verdict.accepted, verdict.wrong


@pytest.mark.parametrize("learner", [KernelPerceptron("linear"), Perceptron()], ids=str)
def test_nothing_but_zeros_is_certified(learner: Any) -> None:
    examples: list[tuple[dict[str, float], bool]] = [({}, False)] * 3
    certificate = certify(run(learner.clone(), examples, keep="updates"))
    assert certificate.holds
    verdict = verify(certificate, examples)
    assert verdict.accepted, verdict.wrong


@pytest.mark.parametrize("learner", [PassiveAggressive(0.5), AROW(1.0)], ids=str)
def test_mistakes_on_empty_examples_are_charged(learner: Any) -> None:
    examples: list[tuple[dict[str, float], bool]] = [
        ({}, False),
        ({"x": 1.0}, True),
        ({"x": -1.0}, False),
    ] * 40
    record = run(learner.clone(), examples, keep="updates")
    certificate = certify(record)
    assert certificate.holds
    verdict = verify(certificate, examples)
    assert verdict.accepted, verdict.wrong


@pytest.mark.parametrize("name", FILES)
def test_runs_over_real_files_are_certified(name: str) -> None:
    path = data_file(name)
    stream = streams.svmlight(path)
    record = run(Perceptron(bias=1.0), stream, keep="updates")
    certificate = certify(record)
    assert certificate.holds
    first = 3_000  # the judge counts in plain Python
    part = [pair for pair, _ in zip(stream, range(first), strict=False)]
    record = run(Perceptron(bias=1.0), part, keep="updates")
    verdict = verify(certify(record), part)
    assert verdict.accepted, verdict.wrong


def test_a_bound_that_is_exceeded_is_told_loudly() -> None:
    record = run(Perceptron(), [({"a": 1.0}, False)], keep="updates")
    false = dataclasses.replace(record, updates=5, mistakes=5)
    certificate = certify(false, theorem="PERC-SEP")
    assert not certificate.holds
    assert "IT DOES NOT HOLD" in str(certificate)
    assert not verify(certificate).accepted


# Committees -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule",
    [
        None,
        RandomizedWeightedMajority(seed=3),
        AggregatingAlgorithm("brier"),
        AdaHedge("zero-one"),
    ],
    ids=str,
)
def test_a_committee_is_certified_by_its_rule(rule: Any) -> None:
    members = {
        "perceptron": Perceptron(),
        "winnow": Winnow(threshold=1.5),
        "arow": AROW(),
    }
    committee = Committee(members, rule)
    stream: Any = [*SIGNED, ({"b": 1.0}, False), ({"a": 1.0, "b": 1.0}, True)]
    certificate = certify(committee, stream, passes=2)
    assert certificate.learner["name"] == type(committee.rule_).__name__
    assert certificate.learner["parameters"]["experts"] == tuple(members)
    assert certificate.holds
    assert committee.updates_ == 0
    assert verify(certificate, stream).wrong is None
    assert verify(Certificate.from_json(certificate.to_json()), stream).accepted

    # So is the record of its run, played again.
    record = run(committee.clone(), stream, passes=2)
    assert certify(record, stream=stream) == certificate
    with pytest.raises(ParameterError, match="must be that of the record"):
        certify(record, stream=stream[1:])

    # Other members, and another clip, would have said something else.
    stated = certificate.learner["parameters"]["committee"]
    names = dict(stated["members"])
    for other in (
        {**names, "arow": names["winnow"]},
        {**names, "another": names["arow"]},
        {name: each for name, each in names.items() if name != "arow"},
    ):
        forged = _with(certificate, {**stated, "members": other})
        assert not verify(forged, stream)
    assert not verify(certificate, stream[:-1])


@pytest.mark.parametrize(
    ("stated", "wrong"),
    [
        ({"members": {}, "clip": 0.0}, "must have members"),
        ({"members": {"h": ("Halving", {})}, "clip": 0.0}, "learners of features"),
        ({"members": {"p": ("Perceptron", {})}, "clip": 0.0}, "parameters that it"),
        ({"members": {"g": ("VovkAzouryWarmuth", {})}, "clip": 0.0}, "predict what"),
        ({"members": {"p": ("Nobody", {})}, "clip": 0.0}, "parameters that it"),
        ({"members": {}}, "members and clip"),
        (3, "members and clip"),
        (None, "members and clip"),
    ],
)
def test_members_that_no_committee_has_are_refused(stated: Any, wrong: str) -> None:
    found = certify(Committee([Perceptron(), AROW()]), SIGNED)
    assert wrong in str(verify(_with(found, stated)).wrong)


@pytest.mark.parametrize(
    "rule",
    [
        AdaHedge(),
        BOA(),
        ExponentialWeights(0.5, range=(0.0, 4.0)),
        FixedShare(0.5, 0.1, range=(0.0, 4.0)),
        MLPoly(gradient=True),
        MLProd(),
    ],
    ids=lambda rule: type(rule).__name__,
)
def test_members_that_say_yes_or_no_are_judged_under_a_rule_for_numbers(
    rule: Any,
) -> None:
    members = {"p": Perceptron(), "a": AROW(), "q": Mapped(AROW(), Quadratic())}
    for no in (False, 0.0, -1.0):
        stream = [(x, y if y is True else no) for x, y in MIXED]
        found = certify(Committee(members, rule), stream, passes=2)
        assert verify(found, stream).wrong is None
        stated = found.learner["parameters"]["committee"]
        other = {**stated["members"], "a": stated["members"]["p"]}
        assert not verify(_with(found, {**stated, "members": other}), stream)
    with pytest.raises(MemberError, match="a label must be"):
        certify(Committee(members, AdaHedge()), [*MIXED, ({"a": 1.0}, 0.5)])
    # Members for numbers may be beside them.
    both = Committee([Perceptron(), VovkAzouryWarmuth()], AdaHedge())
    found = certify(both, MIXED)
    assert "committee" in found.learner["parameters"]
    assert verify(found, MIXED).wrong is None
    wrong = verify(found, [*MIXED[:-1], (MIXED[-1][0], 0.5)]).wrong
    assert "it cannot be played: a label must be" in str(wrong)


@pytest.mark.parametrize("loss", ["log", "brier"])
def test_labels_of_a_committee_for_probabilities_may_be_signed(loss: str) -> None:
    stream = [(x, 1 if y is True else -1) for x, y in SIGNED]
    committee = Committee([Perceptron(), AROW()], AggregatingAlgorithm(loss))
    assert verify(certify(committee, stream), stream).wrong is None


def test_a_record_is_certified_with_an_iterator() -> None:
    for learner in (
        Committee([Perceptron()]),
        Mapped(Committee([Perceptron()]), Standardized()),
        Mapped(Perceptron(), Standardized()),
    ):
        record = run(learner, SIGNED, passes=2)
        found = certify(record, stream=iter(SIGNED))
        assert found == certify(record, stream=SIGNED)


def test_members_are_the_experts_of_the_rule() -> None:
    found = certify(Committee({"p": Perceptron(), "a": AROW()}), SIGNED)
    stated = found.learner["parameters"]["committee"]
    more = {**stated["members"], "another": stated["members"]["p"]}
    wrong = verify(_with(found, {**stated, "members": more})).wrong
    assert "must have the experts of its rule" in str(wrong)


def test_how_probabilities_of_members_are_clipped_is_judged() -> None:
    committee = Committee([Perceptron(), AROW()], AggregatingAlgorithm("log"), clip=0.1)
    found = certify(committee, SIGNED)
    stated = found.learner["parameters"]["committee"]
    assert verify(found, SIGNED).wrong is None
    assert not verify(_with(found, {**stated, "clip": 0.2}), SIGNED)
    for clip in (0.5, -0.1, "0.1", True, None):
        wrong = verify(_with(found, {**stated, "clip": clip})).wrong
        assert "clip must be" in str(wrong)
    assert "committee must have" in str(
        verify(_with(certify(Perceptron(), SIGNED), None)).wrong
    )
    assert "committee must have" in str(
        verify(_with(certify(Perceptron(), SIGNED), stated)).wrong
    )


def _with(certificate: Certificate, stated: Any) -> Certificate:
    """State another committee."""
    parameters = {**certificate.learner["parameters"], "committee": stated}
    learner = {**certificate.learner, "parameters": parameters}
    return dataclasses.replace(certificate, learner=learner)


def test_members_behind_maps_and_committees_behind_maps_are_played_by_the_judge() -> (
    None
):
    inside = {"q": Mapped(Perceptron(), Quadratic()), "a": Auto(), "p": Perceptron()}
    for learner in (Committee(inside), Mapped(Committee(inside), Standardized())):
        found = certify(learner, SIGNED)
        assert "committee" in found.learner["parameters"]
        assert verify(found, SIGNED).wrong is None


def test_a_committee_whose_members_no_judge_can_play_is_one_of_its_rule() -> None:
    learned = Perceptron()
    learned.learn_one({"a": 1.0}, False)
    for members in ([learned, AROW()], [Always(), AROW()]):
        committee = Committee(members)
        certificate = certify(committee, SIGNED)
        assert "committee" not in certificate.learner["parameters"]
        rounds = list(committee.advice(SIGNED))
        assert verify(certificate, rounds).wrong is None
        # What no member said, and what a member did not say, is noticed.
        said, y = rounds[2]
        other = {name: not advised for name, advised in said.items()}
        assert "digest" in (
            verify(certificate, [*rounds[:2], (other, y), *rounds[3:]]).wrong or ""
        )
        assert not verify(certificate, rounds[:-1])
        # The examples themselves are no advice, and it says what is.
        wrong = str(verify(certificate, SIGNED).wrong)
        assert "must be those of the certificate" in wrong
        assert "committee.advice(stream)" in wrong


class Always:
    """A learner of another library."""

    def predict_one(self, x: Any) -> bool:  # noqa: ARG002 - it looks at nothing
        """Say yes."""
        return True

    def learn_one(self, x: Any, y: Any) -> None:
        """Learn nothing."""


class Asleep:
    """A learner that never predicts."""

    def predict_one(self, x: Any) -> None:
        """Say nothing."""

    def learn_one(self, x: Any, y: Any) -> None:
        """Learn nothing."""


def test_a_committee_that_cannot_be_certified_says_why() -> None:
    committee = Committee([Perceptron(), FollowTheMajority()])
    with pytest.raises(ParameterError, match="a committee must play a stream"):
        certify(committee, PerceptronAdversary(0.5))
    with pytest.raises(ParameterError, match=r"certify\(record, stream=stream\)"):
        certify(run(committee.clone(), SIGNED))
    learned = committee.clone()
    learned.learn_one({"a": 1.0}, True)
    with pytest.raises(ParameterError, match="a learner that had learned before"):
        certify(run(learned, SIGNED), stream=SIGNED)
    for asked in (Committee([Perceptron()]), run(Committee([Perceptron()]), SIGNED)):
        with pytest.raises(PremiseError, match="no bound for every order"):
            certify(asked, stream=SIGNED, scope="stream")
    with pytest.raises(PremiseError, match="round 0: .* some member must be awake"):
        certify(Committee([Asleep()]), SIGNED)


@pytest.mark.parametrize("tiny", [1e-310, 1e-200, 1e-155])
def test_values_whose_squares_are_nothing_have_no_witness_or_a_poor_one(
    tiny: float,
) -> None:
    stream = [({"a": tiny}, False)] * 3 + [({"b": -tiny}, True)]
    with pytest.raises(PremiseError, match="witness"):
        certify(BalancedWinnow(1.0), stream)
    for learner in (Perceptron(), AveragedPerceptron(), MulticlassPerceptron()):
        for scope in ("run", None):
            assert verify(certify(learner, stream, scope=scope), stream).wrong is None


def test_what_is_refused() -> None:
    learner = Perceptron()
    learner.learn_one({"a": 1.0}, False)
    record = run(learner, [({"a": 1.0}, False)], keep="updates")
    with pytest.raises(ParameterError, match="a learner that had learned before"):
        certify(record)
    fresh = run(Perceptron(), [({"a": 1.0}, False)], keep="updates")
    with pytest.raises(ParameterError, match="PERC"):
        certify(fresh, theorem="PERC-SEPP")
    with pytest.raises(PremiseError, match="WIN1 must have a witness"):
        certify(fresh, theorem="WIN1")
    random = run(
        Winnow(threshold=2.0, eliminate=True),
        [({"a": 1.0}, True), ({"a": 1.0}, False)] * 3,
        keep="updates",
    )
    with pytest.raises(PremiseError, match="some theorem must have a witness"):
        certify(random)
