"""Certify votes and those who look at labels alone: the best expert is the witness."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ballots import Ballots, evenly, greedy, large, seeds, small
from littlestone import Certificate, certify, run, streams, verify
from littlestone.adversaries import (
    Adversary,
    AlternatingAdversary,
    HalvingAdversary,
    RandomExperts,
)
from littlestone.errors import NobodyLeftWarning, ParameterError, PremiseError
from littlestone.experts import (
    Cover,
    FloorWeightedMajority,
    FollowTheMajority,
    Halving,
    RandomizedWeightedMajority,
    WeightedMajority,
)
from littlestone.verifying import as_number
from tries import tried

Stream = list[tuple[Any, Any]]


@pytest.fixture(autouse=True)
def _they_may_give_up() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NobodyLeftWarning)
        yield


def checked(learner: Any, stream: Any, witness: Any = None) -> Certificate:
    """Run, certify, and have the certificates of all theorems judged."""
    record = run(learner, stream, keep="updates")
    certificate = certify(record, witness)
    told = {certificate.theorem: certificate.bound}
    told |= {name: other["bound"] for name, other in certificate.others.items()}
    for name, bound in told.items():
        each = certify(record, witness, theorem=name)
        assert each.holds
        assert each.bound == bound
        for verdict in (verify(each), verify(each, stream)):
            assert verdict, verdict
    return certificate


def numbers(certificate: Certificate) -> dict[str, Fraction]:
    return {name: as_number(text) for name, text in certificate.numbers_exact.items()}


def played(learner: Any, adversary: Adversary) -> Stream:
    """Play an adversary, and return what was played as a stream."""
    rounds: Stream = []
    adversary.restart()
    while (x := adversary.ask()) is not None:
        rounds.append((x, adversary.answer(learner.predict_one(x))))
        learner.learn_one(*rounds[-1])
    return rounds


# By hand ------------------------------------------------------------------------------


def test_halving_by_hand() -> None:
    """Four experts, of whom two and then one are left; Dan is right in both rounds."""
    votes = [{"ann": 1, "bob": 1, "cyd": 0, "dan": 0}, {"cyd": 1, "dan": 0}]
    votes[1] |= {"ann": 1, "bob": 0}
    rounds: Stream = [(votes[0], 0), (votes[1], 0)]
    certificate = checked(Halving(), rounds)
    assert certificate.witness == {"kind": "expert", "expert": "dan"}
    assert certificate.mistakes == 2  # ties say yes
    assert certificate.theorem == "HALV"
    assert certificate.slack == 0
    assert "The witness is the expert 'dan', with experts = 4." in str(certificate)


def test_the_weighted_majority_by_hand() -> None:
    """One mistake of two equals leaves 3/4: (1 + lg 2)/lg(4/3) are allowed."""
    certificate = checked(WeightedMajority(), [([True, False], False)] * 2)
    assert certificate.mistakes == 1
    assert certificate.witness["expert"] == 1
    assert numbers(certificate) == {"best": 0, "beta": Fraction(1, 2), "experts": 2}
    allowed = math.log(2) / math.log(4 / 3)
    assert certificate.bound == pytest.approx(allowed)


def test_the_prior_counts_for_an_expert() -> None:
    """Bob errs once more than Ann, but his prior is worth more than that."""
    rounds: Stream = [({"ann": True, "bob": False}, True)]
    certificate = checked(WeightedMajority(experts={"ann": 1, "bob": 31}), rounds)
    assert certificate.witness["expert"] == "bob"
    assert numbers(certificate)["best"] == 1
    share = numbers(certificate)["prior"]
    assert 0 <= Fraction(31, 32) - share < Fraction(1, 10**15)


def test_the_floor_by_hand() -> None:
    certificate = checked(FloorWeightedMajority(experts=2), [([True, False], False)])
    assert certificate.theorem == "WM-FLOOR-START"
    start, interval = (1 / math.log2(8 / 7), 4 / math.log2(8 / 7))
    assert certificate.bound == pytest.approx(start)
    other = as_number(certificate.others_exact["WM-FLOOR"]["bound"] or "0")
    assert float(other) == pytest.approx(interval)


def test_a_draw_by_hand() -> None:
    """A quarter of the weight is wrong; ln 4 over 1/2 is allowed."""
    learner = RandomizedWeightedMajority(0.5, seed=1)
    certificate = checked(learner, [([True, True, True, False], True)])
    assert as_number(certificate.counted_exact) == Fraction(1, 4)
    assert certificate.bound == pytest.approx(2 * math.log(4))


def test_a_tuned_draw() -> None:
    learner = RandomizedWeightedMajority(math.sqrt(math.log(8) / 90), seed=3)
    certificate = checked(learner, RandomExperts(8, 100).stream())
    assert certificate.theorem == "RWM"
    tuned = as_number(certificate.others_exact["RWM-TUNED"]["bound"] or "0")
    assert float(tuned) == pytest.approx(90 + 2 * math.sqrt(90 * math.log(8)))
    # For fewer mistakes than the best expert makes it would be a lie.
    learner = RandomizedWeightedMajority(math.sqrt(math.log(8) / 10), seed=3)
    assert not checked(learner, RandomExperts(8, 100).stream()).others


def test_epsilon_is_what_a_double_leaves_of_it() -> None:
    certificate = checked(RandomizedWeightedMajority(0.1), [([True, False], True)])
    assert numbers(certificate)["epsilon"] == 1 - Fraction(1 - 0.1) != Fraction(0.1)


def test_cover_by_hand() -> None:
    """Two labels, both no: E|S_2|/2 = 1/2 is expected, and nothing to spare."""
    certificate = checked(Cover(2), [(None, False)] * 2)
    assert (certificate.counted, certificate.counted_exact) == (0.5, "1/2")
    assert certificate.theorem == "COVER"
    assert certificate.slack == 0
    rounds: Stream = [({}, True), ({}, True)]
    phi: Any = np.array([0.25, 0.5, 0.75])
    certificate = checked(Cover(2, phi), rounds)
    assert (certificate.theorem, certificate.counted) == ("COVER-PHI", 1.5)
    assert certificate.slack == 0


def test_the_majority_by_hand() -> None:
    """The labels no, no, yes, yes, yes: three ties, two mistakes at them."""
    rounds: Stream = [({"x": 3.0}, y) for y in (False, False, True, True, True)]
    certificate = checked(FollowTheMajority(), rounds)
    assert numbers(certificate) == {"best": 2, "ties": 2}
    assert certificate.mistakes == 3
    assert as_number(certificate.bound_exact) == 4


# Adversaries --------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [1, 3, 6])
@pytest.mark.parametrize("restart", [False, True])
def test_the_adversary_of_halving_leaves_no_slack(bits: int, restart: bool) -> None:
    adversary = HalvingAdversary(bits)
    certificate = checked(Halving(restart), played(Halving(restart), adversary))
    assert certificate.mistakes == bits
    assert certificate.slack == 0
    assert certificate.witness["expert"] == adversary.best_expert_
    # The record of the game itself says the same.
    record = run(Halving(restart), adversary, keep="updates")
    assert certify(record) == certificate
    again: Any = adversary
    assert certify(run(Halving(restart), again), stream=again) == certificate


def test_halving_again_and_again_leaves_no_slack() -> None:
    """All labels are no; half of those left say yes, and those who are out say no."""
    n, starts = 8, 3
    rounds: Stream = []
    for _ in range(starts):
        left = list(range(n))
        while left:
            wrong = left[: max(1, len(left) // 2)]
            rounds.append(([i in wrong for i in range(n)], False))
            left = left[len(wrong) :]
    certificate = checked(Halving(restart=True), rounds[:-1])
    assert numbers(certificate) == {"best": starts - 1, "experts": n}
    assert certificate.slack == 0


@pytest.mark.parametrize("rounds", [1, 4, 7])
def test_alternating_labels_bound_from_both_sides(rounds: int) -> None:
    stream = AlternatingAdversary(rounds).stream()
    certificate = checked(FollowTheMajority(), stream)
    assert certificate.mistakes == rounds
    assert certificate.slack == 0
    lower = certify(run(FollowTheMajority(), stream, keep="updates"), theorem="FTM-LB")
    assert lower.slack == 0
    assert "promises at least" in str(lower)


def test_an_even_split_comes_near_the_bound() -> None:
    learner = WeightedMajority(0.99, experts=2)
    ballots = greedy(learner, 900, lambda _: evenly(learner))
    rounds = list(ballots.rounds())
    certificate = checked(WeightedMajority(0.99, experts=2), rounds)
    assert certificate.mistakes == 900
    assert certificate.mistakes > 0.86 * certificate.bound


# Any stream ---------------------------------------------------------------------------

LEARNERS = [
    *(Halving(), Halving(restart=True), Halving(restart=True, keep_losses=False)),
    *(WeightedMajority(), WeightedMajority(0.93), FloorWeightedMajority()),
    *(RandomizedWeightedMajority(0.3, seed=5), RandomizedWeightedMajority(0.01)),
    FollowTheMajority(),
]
learners = pytest.mark.parametrize("made", LEARNERS, ids=repr)


def judged(made: Any, ballots: Ballots, *may: str) -> None:
    """Certify what can be, and see that the judge accepts it."""
    learner, rounds = made.clone(), list(ballots.rounds())
    if hasattr(made, "experts"):
        learner.set_params(experts=ballots.first)
    record = run(learner, rounds, keep="updates")
    try:
        certificate = certify(record, stream=rounds)
    except PremiseError as error:
        if not any(reason in str(error) for reason in may):
            raise
        return
    assert certificate.holds
    for verdict in (verify(certificate), verify(certificate, rounds)):
        assert verdict, verdict


PERFECT, AWAKE = "needs an expert that is never wrong", "need every expert awake"


@learners
@tried(0.5)
@given(ballots=small())
def test_the_judge_accepts_what_is_certified(made: Any, ballots: Ballots) -> None:
    judged(made, ballots, PERFECT)


@learners
@tried(0.5)
@given(ballots=large(rounds=15))
def test_it_does_so_for_larger_crowds(made: Any, ballots: Ballots) -> None:
    judged(made, ballots, PERFECT)


@learners
@tried(0.5)
@given(ballots=large(sleepy=True, rounds=6))
def test_it_does_so_where_some_sleep_or_says_why_not(
    made: Any, ballots: Ballots
) -> None:
    judged(made, ballots, PERFECT, AWAKE)


@given(st.lists(st.booleans(), min_size=1, max_size=20), seeds)
def test_covers_promise_is_kept_exactly(labels: list[bool], seed: int) -> None:
    n = len(labels)
    rounds: Stream = [(None, y) for y in labels]
    assert checked(Cover(n, seed=seed), rounds).slack < 1e-12
    phi = [Fraction(1, 4) + Fraction(k, 2 * n) for k in range(n + 1)]
    certificate = checked(Cover(n, phi, seed), rounds)
    assert as_number(certificate.counted_exact) == n * phi[sum(labels)]


# However they are given ---------------------------------------------------------------


def test_rows_and_names_may_be_given_apart() -> None:
    rows = [[True, False, False], [True, True, False], [False, True, False]]
    labels = [True, True, False]
    names: Any = np.array(["ann", "bob", "cyd"])
    three: Any = np.int64(3)
    stream = list(zip(rows, labels, strict=True))
    for learner in (
        Halving(experts=names),
        WeightedMajority(np.float64(0.25), experts=names),
        FloorWeightedMajority(experts=tuple(names.tolist())),
        RandomizedWeightedMajority(np.float64(0.25), three, experts=names),
        WeightedMajority(experts=dict.fromkeys(names.tolist(), 2)),
    ):
        assert checked(learner, stream).witness["expert"] == "ann"
    for learner in (WeightedMajority(experts=three), Halving()):
        matrix = streams.advice(np.array(rows), labels)
        assert checked(learner, matrix).witness["expert"] == 0
        # -1 is no as well.
        signs = streams.advice(np.where(rows, 1, -1), np.where(labels, 1, -1))
        assert checked(learner.clone(), signs).mistakes <= 2


def test_several_passes_are_one_run() -> None:
    rounds = RandomExperts(5, 20).stream()
    record = run(WeightedMajority(), rounds, passes=3, keep="updates")
    certificate = certify(record)
    assert certificate.rounds == 60
    assert verify(certificate, rounds)
    bare = run(WeightedMajority(), rounds, passes=3)
    assert certify(bare, stream=rounds) == certificate
    with pytest.raises(ParameterError, match="must hold the examples of its updates"):
        certify(bare)


def test_a_witness_of_ones_own() -> None:
    rounds: Stream = [({"ann": True, "bob": False}, True)] * 3
    certificate = checked(WeightedMajority(), rounds, "bob")
    assert numbers(certificate)["best"] == 3
    record = run(Halving(), rounds, keep="updates")
    with pytest.raises(PremiseError, match="never wrong, got 'bob', wrong 3 times"):
        certify(record, "bob")
    for witness in ("eve", 0):
        with pytest.raises(ParameterError, match="must be one of the experts, got"):
            certify(record, witness)
    labels = run(FollowTheMajority(), rounds, keep="updates")
    with pytest.raises(ParameterError, match="FollowTheMajority takes no witness"):
        certify(labels, "ann")


def test_losses_that_were_not_kept_are_counted_on_the_stream() -> None:
    rounds = played(Halving(), HalvingAdversary(4))
    record = run(Halving(keep_losses=False), rounds, keep="updates")
    with pytest.raises(ParameterError, match="must have the losses of each expert"):
        certify(record)
    certificate = certify(record, stream=rounds)
    assert certificate.slack == 0
    assert certificate.learner["parameters"]["keep_losses"] is False
    assert verify(certificate, rounds)
    other = [*rounds[:-1], (rounds[-1][0], not rounds[-1][1])]
    with pytest.raises(ParameterError, match="the stream must be that of the record"):
        certify(record, stream=other)


def test_a_large_crowd() -> None:
    bits = 14
    rounds = played(Halving(keep_losses=False), HalvingAdversary(bits))
    matrix = streams.advice(np.array([x for x, _ in rounds]), [y for _, y in rounds])
    for learner in (Halving(), Halving(restart=True), WeightedMajority()):
        record = run(learner, matrix, keep="updates")
        certificate = certify(record)
        assert as_number(certificate.numbers_exact["experts"]) == 2**bits
        assert verify(certificate)


# What voids the theorems --------------------------------------------------------------


def test_a_perfect_expert_is_asked_for() -> None:
    record = run(Halving(), [([True], True), ([True], False)], keep="updates")
    with pytest.raises(PremiseError, match="HALV needs an expert that is never wrong"):
        certify(record)


def test_nobody_may_have_joined() -> None:
    learner = WeightedMajority(experts=2)
    learner.join()
    record = run(learner, [([True, False, True], True)], keep="updates")
    with pytest.raises(PremiseError, match="got 2 at first and 3 in the end"):
        certify(record)


def test_nobody_may_sleep_who_matters() -> None:
    first, second = {"ann": True, "bob": True}, {"ann": False}
    missed: Stream = [(first, True), (second, True)]
    slept: Stream = [(first, True), ({"ann": True}, True)]
    for learner in (Halving(True), WeightedMajority(), FloorWeightedMajority()):
        record = run(learner, missed, keep="updates")
        with pytest.raises(PremiseError, match="every round that costs .* got 1 that"):
            certify(record)
        assert checked(learner.clone(), slept).mistakes == 0
    drawn = RandomizedWeightedMajority(seed=3, experts=["ann", "bob", "cyd"])
    quiet: Stream = [({"ann": True, "bob": False}, True)]
    record = run(drawn.clone(), quiet, keep="updates")
    assert not record.mistakes  # by luck, so that the record does not tell
    with pytest.raises(PremiseError, match="got some that sleep in round 0"):
        certify(record, stream=quiet)
    assert checked(drawn.clone(), [({"ann": True}, True)]).mistakes == 0


def test_all_are_met_in_the_first_round_or_named() -> None:
    late = streams.advice([{"ann": 1}, {"ann": 1, "bob": 1}], [1, 1])
    record = run(WeightedMajority(), late, keep="updates")
    with pytest.raises(PremiseError, match="got some that sleep in round 0"):
        certify(record, stream=list(late))
    # Only the stream tells, and so does the judge.
    assert "from the start" in str(verify(certify(record), late).wrong)
    # A table names its experts, so the certificate can.
    certificate = certify(record, stream=late)
    assert certificate.learner["parameters"]["experts"] == ("ann", "bob")
    assert verify(certificate, late)
    assert checked(WeightedMajority(experts=["ann", "bob"]), late).mistakes == 0


def test_somebody_must_have_been_met() -> None:
    for learner in (Halving(), WeightedMajority(), RandomizedWeightedMajority()):
        with pytest.raises(PremiseError, match="must have experts, got none"):
            certify(run(learner, [], keep="updates"))
        named = learner.set_params(experts=3)
        assert checked(named, []).slack >= 0


@pytest.mark.parametrize("made", [FloorWeightedMajority, Halving])
def test_the_floor_and_halving_take_priors(made: Any) -> None:
    stream = [({"ann": True, "bob": False}, True)]
    record = run(made(experts={"ann": 1, "bob": 3}), stream, keep="updates")
    certificate = certify(record, witness="ann")
    assert certificate.numbers["prior"] == pytest.approx(0.25)
    assert verify(certificate, stream)


def test_an_epsilon_that_takes_nothing_promises_nothing() -> None:
    learner = RandomizedWeightedMajority(2.0**-60)
    record = run(learner, [([True, False], True)], keep="updates")
    with pytest.raises(PremiseError, match="epsilon that makes a weight smaller"):
        certify(record)


def test_cover_must_come_to_its_horizon_and_be_written_down() -> None:
    record = run(Cover(3), [(None, True)], keep="updates")
    with pytest.raises(PremiseError, match="the whole horizon, 3 rounds, got 1"):
        certify(record)
    record = run(Cover(20_000), [(None, True)], keep="updates")
    with pytest.raises(ParameterError, match="horizon must be at most 16384"):
        certify(record)
    record = run(Cover(1, lambda _: 0.5), [(None, True)], keep="updates")
    with pytest.raises(ParameterError, match="phi must be a table of numbers"):
        certify(record)


def test_a_lower_bound_needs_alternating_labels() -> None:
    record = run(FollowTheMajority(), [(None, True)], keep="updates")
    with pytest.raises(PremiseError, match="FTM-LB must have a witness"):
        certify(record, theorem="FTM-LB")
