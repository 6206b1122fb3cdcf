"""The proofs of votes and of labels alone: what is sound passes, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certificates import made
from littlestone import Certificate, certify, experts, run, theorems, verify
from littlestone.errors import CertificateError, PremiseError, WorkError
from littlestone.theorems._rounding import ln_bounds
from littlestone.verifying import (
    PROOFS,
    Digest,
    Unsound,
    Verdict,
    as_number,
    as_text,
    twins,
)
from littlestone.verifying.proofs.majorities import fallen
from tampering import changed, forgeries, places
from tries import tried

NAMES = ("ann", "bob", "cyd", "dan")
# Ann is never wrong, Bob once, Cyd twice, Dan seven times; labels alternate.
ROWS = ["nnnn", "ynnn", "nnyy", "yyyn", "nnny", "yyyn", "nnny", "yyyy", "nnny"]
LABELS = [False, True, False, True, False, True, False, True, False]
STREAM: list[tuple[Any, Any]] = [
    (dict(zip(NAMES, (vote == "y" for vote in row), strict=True)), y)
    for row, y in zip(ROWS, LABELS, strict=True)
]
EXPERT = {"kind": "expert", "expert": "ann"}


def certified(learner: Any, theorem: str, stream: Any = None) -> Certificate:
    stream = STREAM if stream is None else stream
    return certify(run(learner, stream, keep="updates"), theorem=theorem)


def halving() -> Certificate:
    return certified(experts.Halving(experts=NAMES), "HALV")


def again() -> Certificate:
    return certified(experts.Halving(restart=True, experts=NAMES), "HALV-R")


def majority() -> Certificate:
    return certified(experts.WeightedMajority(0.7, experts=NAMES), "WM")


def with_priors() -> Certificate:
    priors = {"ann": 0.1, "bob": 0.3, "cyd": 0.3, "dan": 0.7}
    return certified(experts.WeightedMajority(experts=priors), "WM")


PRIORS = {"ann": 2, "bob": 3, "cyd": 1, "dan": 2}


def halving_priors() -> Certificate:
    return certified(experts.Halving(experts=PRIORS), "HALV")


def again_priors() -> Certificate:
    return certified(experts.Halving(restart=True, experts=PRIORS), "HALV-R")


def floored_priors() -> Certificate:
    return certified(experts.FloorWeightedMajority(experts=PRIORS), "WM-FLOOR")


def floored() -> Certificate:
    learner = experts.FloorWeightedMajority(experts=NAMES)
    return certified(learner, "WM-FLOOR-START")


def on_intervals() -> Certificate:
    return certified(experts.FloorWeightedMajority(experts=NAMES), "WM-FLOOR")


def drawn() -> Certificate:
    return certified(
        experts.RandomizedWeightedMajority(0.3, seed=4, experts=NAMES), "RWM"
    )


def tuned() -> Certificate:
    epsilon = math.sqrt(math.log(4) / 6)
    learner = experts.RandomizedWeightedMajority(epsilon, seed=4, experts=NAMES)
    return certified(learner, "RWM-TUNED")


def covered() -> Certificate:
    return certified(experts.Cover(9), "COVER")


def by_phi() -> Certificate:
    phi = [Fraction(k, 18) + Fraction(1, 4) for k in range(10)]
    return certified(experts.Cover(9, phi), "COVER-PHI")


def followed() -> Certificate:
    return certified(experts.FollowTheMajority(), "FTM")


def alternated() -> Certificate:
    return certified(experts.FollowTheMajority(), "FTM-LB")


MAKERS = [halving, again, majority, with_priors, floored, on_intervals, drawn, tuned]
MAKERS += [halving_priors, again_priors, floored_priors]
MAKERS += [covered, by_phi, followed, alternated]
makers = pytest.mark.parametrize("maker", MAKERS)
advised = pytest.mark.parametrize("maker", MAKERS[:11])


SOUND = [maker() for maker in MAKERS]


def test_every_theorem_has_its_proof() -> None:
    for learner in (
        *(experts.Halving(), experts.Halving(restart=True)),
        *(experts.WeightedMajority(), experts.FloorWeightedMajority()),
        *(experts.RandomizedWeightedMajority(), experts.FollowTheMajority()),
        *(experts.Cover(2), experts.Cover(2, [0.25, 0.5, 0.75])),
    ):
        for theorem in learner.guarantees:
            assert (type(learner).__name__, theorem.id) in PROOFS


@makers
def test_what_is_sound_is_accepted(maker: Callable[[], Certificate]) -> None:
    certificate = maker()
    alone, full = verify(certificate), verify(certificate, STREAM)
    assert alone, alone
    assert full, full
    assert full.checked[-1] == "the proof"
    assert {"rounds", "mistakes", "updates"} <= set(full.checked)


# Tampering ------------------------------------------------------------------------

# What is as true: losses that are not kept or not told, a seed that draws alike, and
# experts whom the first advice names.
IDLE = [
    (("learner", "parameters", "keep_losses"), False),
    (("learner", "parameters", "experts"), None),
    (("loss",), None),
]
SEED = ("learner", "parameters", "seed")
# Other priors that lead to the same votes, or a share stated lower than it is.
ROUGH = {("learner", "parameters", "experts", "map"), ("numbers", "prior")}
ROUGH |= {("numbers", "lightest")}


@makers
def test_tampering_with_any_field_and_any_witness_is_caught(
    maker: Callable[[], Certificate],
) -> None:
    tried = set()
    for path, value, forged in forgeries(maker()):
        if path == SEED or (path, value) in IDLE:
            continue
        if maker in MAKERS[8:11] and {path[:2], path[:4]} & ROUGH:
            continue
        verdict = verify(forged, STREAM)
        assert not verdict, (path, value)
        assert verdict.wrong
        tried.add(path[0])
    assert tried >= {
        *("learner", "passes", "rounds", "mistakes", "updates", "digest", "theorem"),
        *("counts", "counted", "witness", "numbers", "bound"),
    } - {"witness" if maker in MAKERS[11:] else ""}


@makers
def test_arithmetic_needs_no_stream(maker: Callable[[], Certificate]) -> None:
    told = {"theorem", "counts", "counted", "bound", "updates", "numbers"}
    by_rounds = {("numbers", "ones"), ("numbers", "ties")}
    for path, value, forged in forgeries(maker()):
        if maker in MAKERS[8:11] and path in ROUGH:
            continue
        if path[0] in told and path not in by_rounds:
            assert not verify(forged), (path, value)


@advised
def test_the_witness_must_be_one_of_the_experts(
    maker: Callable[[], Certificate],
) -> None:
    stranger = replace(maker(), witness={**EXPERT, "expert": "eve"})
    assert verify(stranger).wrong == "witness must be one of the experts, got 'eve'"
    worse = replace(maker(), witness={**EXPERT, "expert": "dan"})
    assert not verify(worse, STREAM)


@makers
def test_nothing_may_be_shaved_off_though_the_bound_is_made_to_fit(
    maker: Callable[[], Certificate],
) -> None:
    certificate = maker()
    theorem = theorems.get(certificate.theorem)
    true = {name: as_number(text) for name, text in certificate.numbers_exact.items()}
    for name, number in true.items():
        tiny = number * (1 + Fraction(1, 10**9))
        for better in (number - 1, number + 1, number / 2, tiny):
            stated = {**true, name: better}
            try:
                bound = theorem.bound(**stated)
            except PremiseError:  # no run has such numbers
                continue
            if (bound < as_number(certificate.bound_exact)) == theorem.lower:
                continue
            numbers = {each: as_text(other) for each, other in stated.items()}
            forged = replace(
                certificate, numbers_exact=numbers, bound_exact=as_text(bound)
            )
            assert not verify(forged, STREAM), (name, better)


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.sampled_from(["", "ann", "expert", "none", "HALV", "WM", "COVER", "RWM-TUNED"]),
    st.fractions().map(as_text),
    st.floats(allow_nan=False).map(lambda x: {"double": x.hex()}),
    st.floats(allow_nan=False, allow_infinity=False).map(as_text),
    st.sampled_from([[], {}, {"map": [["ann", 1]]}, ["ann", 3], [None]]),
)


@tried(5)
@given(data=st.data())
def test_nothing_else_comes_out_whatever_goes_in(data: st.DataObject) -> None:
    certificate = data.draw(st.sampled_from(SOUND))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(places(certificate)))
        try:
            certificate = changed(certificate, place, data.draw(VALUES))
        except CertificateError:
            return
    for stream in (None, STREAM):
        verdict = verify(certificate, stream)
        assert isinstance(verdict, Verdict)
        assert verdict.accepted == (verdict.wrong is None)


def test_a_huge_crowd_or_horizon_does_not_keep_the_judge_busy() -> None:
    forged = changed(majority(), ("learner", "parameters", "experts"), 2**62)
    with pytest.raises(WorkError, match="at most 1,000,000 steps"):
        verify(forged)
    forged = changed(covered(), ("learner", "parameters", "horizon"), 2**62)
    assert "horizon must be one that the learner takes" in str(verify(forged).wrong)


# Who may be compared with ------------------------------------------------------------


def test_those_who_sleep_while_it_errs_void_the_theorem() -> None:
    """Four experts are halved in one round, and in the next only one of two speaks."""
    rounds: list[tuple[Any, Any]] = [
        ({"ann": True, "bob": True, "cyd": False, "dan": False}, True),
        ({"bob": False}, True),
        ({"ann": True, "bob": True, "cyd": True, "dan": True}, True),
    ]
    wrong = "round 1: every expert must be awake in a round that costs something"
    for learner, theorem, numbers in (
        (experts.Halving(), "HALV", {"experts": 4}),
        (experts.WeightedMajority(), "WM", {"best": 0, "beta": 0.5, "experts": 4}),
        (experts.FloorWeightedMajority(), "WM-FLOOR", {"best": 0, "experts": 4}),
    ):
        certificate = made(learner, rounds, theorem, EXPERT, numbers)
        assert verify(certificate, rounds).wrong == wrong
        certificate = made(learner, rounds[::2], theorem, EXPERT, numbers)
        assert verify(certificate, rounds[::2])
        # A round that costs nothing may be slept through.
        rests = [*rounds[::2], ({"ann": True}, True)]
        assert verify(made(learner, rests, theorem, EXPERT, numbers), rests)


def test_those_who_sleep_while_another_is_wrong_void_a_draw() -> None:
    learner = experts.RandomizedWeightedMajority(0.5, experts=("ann", "bob", "cyd"))
    rounds: list[tuple[Any, Any]] = [({"ann": True, "bob": False}, True)]
    numbers = {"best": 0, "epsilon": 0.5, "experts": 3}
    expected = run(learner.clone(), rounds).expected_mistakes
    assert expected == 0.5
    certificate = made(learner, rounds, "RWM", EXPERT, numbers, Fraction(1, 2))
    certificate = replace(certificate, expected_mistakes_exact=as_text(expected))
    wrong = "round 0: every expert must be awake in a round that costs something"
    assert verify(certificate, rounds).wrong == wrong


@pytest.mark.parametrize(
    ("x", "wrong"),
    [
        ({"ann": True, "bob": True, "eve": True}, "present from the start"),
        ({"ann": True, "bob": 0.5}, "must say yes or no"),
        ({"ann": True, "bob": [0.5, 0.5]}, "must say yes or no"),
    ],
)
def test_advice_that_the_learner_would_refuse_is_refused(x: Any, wrong: str) -> None:
    rounds: list[tuple[Any, Any]] = [({"ann": True, "bob": True}, True)] * 2
    numbers = {"best": 0, "beta": 0.5, "experts": 2}
    certificate = made(experts.WeightedMajority(), rounds, "WM", EXPERT, numbers)
    rounds[1] = (x, True)
    digest = Digest("advice")
    for advice, y in rounds:
        digest.add(advice, y)
    forged = replace(certificate, digest=str(digest))
    assert wrong in str(verify(forged, rounds).wrong)


def test_without_rounds_nobody_is_met() -> None:
    numbers = {"best": 0, "beta": 0.5, "experts": 1}
    learner = experts.WeightedMajority()
    certificate = made(learner, [], "WM", EXPERT, numbers)
    assert "got no experts" in str(verify(certificate, []).wrong)
    named = made(learner.set_params(experts=["ann"]), [], "WM", EXPERT, numbers)
    assert verify(named, [])


def test_the_restart_must_be_the_theorems() -> None:
    learner = experts.Halving(restart=True)
    certificate = made(learner, STREAM, "HALV", EXPERT, {"experts": 4})
    assert verify(certificate).wrong == "learner: restart must be False"
    certificate = made(
        learner.set_params(restart=False),
        STREAM,
        "HALV-R",
        EXPERT,
        {"best": 0, "experts": 4},
    )
    assert verify(certificate).wrong == "learner: restart must be True"


@pytest.mark.parametrize("maker", [halving_priors, again_priors, floored_priors])
def test_a_share_larger_than_it_is_is_caught(maker: Callable[[], Certificate]) -> None:
    certificate = maker()
    for name in {"prior", "lightest"} & certificate.numbers_exact.keys():
        for other in ("1/2", "9/10"):
            numbers = {**certificate.numbers_exact, name: other, "prior": other}
            exact = {each: as_number(text) for each, text in numbers.items()}
            theorem = theorems.get(certificate.theorem)
            bound = as_text(theorem.formula(**exact))
            forged = replace(certificate, numbers_exact=numbers, bound_exact=bound)
            assert "must be at most" in str(verify(forged, STREAM).wrong)


def test_priors_that_differ_are_not_counted() -> None:
    learner = experts.WeightedMajority(experts={"ann": 1, "bob": 2, "cyd": 1, "dan": 1})
    numbers = {"best": 0, "beta": 0.5, "experts": 4}
    certificate = made(learner, STREAM, "WM", EXPERT, numbers)
    assert "priors must be equal" in str(verify(certificate).wrong)
    alike = dict.fromkeys(NAMES, 0.3)
    certificate = made(learner.set_params(experts=alike), STREAM, "WM", EXPERT, numbers)
    assert verify(certificate, STREAM)


# What the weights come to -------------------------------------------------------------


def test_the_lightest_expert_decides_a_vote_that_would_be_tied() -> None:
    # Ann and Cyd outweigh Bob by 2e-17, which no sum of two doubles shows.
    learner = experts.WeightedMajority(experts={"ann": 1, "bob": 1, "cyd": 2e-17})
    rounds: list[tuple[Any, Any]] = [({"ann": False, "bob": True, "cyd": False}, False)]
    record = run(learner, rounds, keep="updates")
    assert record.mistakes == 0
    assert verify(certify(record), rounds)


def test_a_vote_that_rounded_powers_turned_is_covered() -> None:
    # 3 b^37 = 4 b^38 for b = 3/4. The fourth no makes it more, but the powers are
    # rounded, and 3 times the one is less than 4 times the other.
    names = [f"{group}{i}" for group, size in (("a", 3), ("b", 4)) for i in range(size)]
    priors = dict.fromkeys([*names, "yes", "no"], 1.0) | {"light": 1e-23}
    learner = experts.WeightedMajority(0.75, experts=priors)
    rounds: list[tuple[Any, Any]] = [
        ({e: e[0] not in "ab" or (e[0] == "a" and t == 37) for e in priors}, True)
        for t in range(38)
    ]
    rounds.append(({e: e[0] in "by" for e in priors}, False))
    record = run(learner, rounds, keep="updates")
    assert verify(certify(record), rounds)
    twin = twins.WeightedMajority(**record.learner.parameters)
    said = [twin.play(*each) for each in rounds]
    assert said[-1] is True
    wrong, right = Fraction(0), Fraction(0)
    for expert, vote in rounds[-1][0].items():
        before = twin.mistakes[expert] - vote
        weight = Fraction(twin.priors[expert]) * Fraction(3, 4) ** before
        wrong, right = (wrong + weight, right) if vote else (wrong, right + weight)
    assert wrong < right


@pytest.mark.parametrize("maker", [majority, with_priors, floored, drawn, tuned])
def test_more_mistakes_than_the_weights_allow_are_refused(
    maker: Callable[[], Certificate],
) -> None:
    certificate = maker()
    numbers = {
        name: as_number(text) for name, text in certificate.numbers_exact.items()
    }
    parameters = certificate.learner["parameters"]
    name = certificate.learner["name"]
    for counted in (as_number(certificate.counted_exact), Fraction(99)):
        proof = PROOFS[name, certificate.theorem](
            parameters, certificate.witness, numbers
        )
        twin = twins.TWINS[name](**parameters)
        for x, y in STREAM:
            proof.round(x, y, twin.play(x, y), True, twin)
        if counted < 99:
            proof.close({"counted": counted})
            continue
        with pytest.raises(Unsound, match="the share left of the total weight must be"):
            proof.close({"counted": counted})


@given(
    st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=2**10),
    st.lists(st.tuples(st.floats(1e-9, 1), st.integers(0, 40)), min_size=1, max_size=6),
)
def test_what_has_fallen_is_just_below_the_truth(
    beta: Fraction, weights: list[tuple[float, int]]
) -> None:
    whole = sum(Fraction(prior) for prior, _ in weights)
    left = sum(Fraction(prior) * beta**m for prior, m in weights)
    low, high = ln_bounds(whole / left)
    assert low - Fraction(1, 10**40) <= fallen(beta, weights) <= high


def test_what_has_fallen_after_many_mistakes() -> None:
    beta = Fraction(0.999)
    got = fallen(beta, [(1.0, 10**6), (1.0, 2 * 10**6)])
    assert float(got) == pytest.approx(10**6 * -math.log(0.999) + math.log(2))


def test_the_floor_is_followed_where_weights_are_scaled_up() -> None:
    rounds: list[tuple[Any, Any]] = [([False, False], True)] * 450
    certificate = certified(experts.FloorWeightedMajority(), "WM-FLOOR-START", rounds)
    assert certificate.mistakes == 450
    assert verify(certificate, rounds)
    twin = twins.FloorWeightedMajority()
    for x, y in rounds:
        twin.play(x, y)
    assert twin.scaled == 1


def test_only_the_best_epsilon_is_tuned() -> None:
    certificate = tuned()
    for best in ("7", "8"):
        numbers = {**certificate.numbers_exact, "best": best}
        exact = {name: as_number(text) for name, text in numbers.items()}
        bound = as_text(theorems.RWM_TUNED.bound(**exact))
        forged = replace(certificate, numbers_exact=numbers, bound_exact=bound)
        assert "best must be ln N/epsilon^2" in str(verify(forged).wrong)


# Labels alone -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phi", "wrong"),
    [
        ([0.25, 0.5], "must have 3 numbers, got 2"),
        ([0.5, 0.5, 0.25], "the mean of phi must be exactly 1/2"),
        ([1.0, 0.25, 0.5], "phi must change by at most 1/2"),
        ([0.5, 1.5, -0.5], "phi must be one that the learner takes"),
    ],
)
def test_phi_is_checked(phi: list[float], wrong: str) -> None:
    rounds: list[tuple[Any, Any]] = [(None, True), (None, False)]
    certificate = certified(experts.Cover(2, [0.25, 0.5, 0.75]), "COVER-PHI", rounds)
    assert verify(certificate, rounds)
    written = [{"double": float(share).hex()} for share in phi]
    forged = changed(certificate, ("learner", "parameters", "phi"), written)
    assert wrong in str(verify(forged).wrong)


def test_a_beginning_is_not_the_horizon() -> None:
    forged = replace(covered(), rounds=8, updates=8)
    assert "rounds must be the whole horizon, 9" in str(verify(forged).wrong)


def test_labels_that_do_not_alternate_are_no_lower_bound() -> None:
    rounds = [(None, y) for y in (False, True, True)]
    witness, numbers = {"kind": "none"}, {"rounds": 3}
    learner = experts.FollowTheMajority()
    certificate = made(learner, rounds, "FTM-LB", witness, numbers, Fraction(3))
    certificate = replace(certificate, mistakes=3)
    assert verify(certificate)
    assert not verify(certificate, rounds)


# What a sound twin never does ---------------------------------------------------------


def test_a_mistake_that_leaves_more_than_half_is_refused() -> None:
    proof = PROOFS["Halving", "HALV"](
        halving().learner["parameters"], EXPERT, {"experts": Fraction(4)}
    )
    twin = twins.Halving(experts=NAMES)
    (x, y), *_ = STREAM
    assert twin.play(x, y) == y  # everybody was right
    with pytest.raises(Unsound, match="a mistake must leave half of 4, got 4 left"):
        proof.round(x, y, not y, True, twin)


def test_a_new_start_before_the_witness_erred_is_refused() -> None:
    parameters = again().learner["parameters"]
    numbers = {"best": Fraction(0), "experts": Fraction(4)}
    proof = PROOFS["Halving", "HALV-R"](parameters, EXPERT, numbers)
    twin = twins.Halving(restart=True, experts=NAMES)
    (x, y), *_ = STREAM
    said = twin.play(x, y)
    twin.restarts += 1
    with pytest.raises(Unsound, match="wrong before every restart"):
        proof.round(x, y, said, True, twin)
