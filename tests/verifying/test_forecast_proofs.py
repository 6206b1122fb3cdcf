"""The proofs about forecasters: nothing may be shaved off, and nothing exchanged."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowds import bookmakers
from littlestone import Certificate, certify, losses, run, theorems, verify
from littlestone.errors import PremiseError, WorkError
from littlestone.experts import (
    BOA,
    AdaHedge,
    AggregatingAlgorithm,
    ExponentialWeights,
    FixedShare,
    MLPoly,
    MLProd,
)
from littlestone.theorems._rounding import exp_bounds, ln_bounds
from littlestone.verifying import PROOFS, Unsound, as_number, as_text, twins
from littlestone.verifying.proofs._forecast import Forecast
from littlestone.verifying.proofs._spans import UNIT, down, exponential, loss, up
from littlestone.verifying.twins._losses import Pinball
from littlestone.verifying.twins._sums import Exact
from long_runs import LONG_RUNS

Stream = list[tuple[dict[str, Any], Any]]


def stream(kind: str = "numbers", *, sleep: bool = False) -> Stream:
    """Return a few rounds of three experts, of whom bob is good."""
    rng = np.random.default_rng(5)
    out: Stream = []
    for t in range(9):
        y = float(rng.random())
        said = {n: float(rng.random()) for n in ("ann", "bob", "cyd")}
        said["bob"] = (said["bob"] + 3 * y) / 4
        if kind != "numbers":
            y = float(y > 0.5)
            said["bob"] = 0.25 + y / 2
        if kind == "votes":
            said = {n: f > 0.5 for n, f in said.items()}
        if sleep and t in (2, 5):
            del said["bob" if t == 2 else "ann"]
        out.append((said, bool(y) if kind == "votes" else y))
    return out


NUMBERS, CHANCES, VOTES = stream(), stream("chances"), stream("votes")
SLEEPY = stream(sleep=True)
SHIFTY = [
    ({"ann": abs(y - (t > 4)), "bob": abs(y - (t < 5)), "cyd": 0.5}, (3 * y + 1) / 4)
    for t, y in enumerate([1, 0, 1, 1, 0, 0, 1, 0, 1])
]
WIDE = {"ann": 1, "bob": 2, "cyd": 4}

CASES: list[tuple[str, Any, Stream]] = [
    ("EWA", ExponentialWeights(0.5), NUMBERS),
    ("EWA", ExponentialWeights(0.5, "zero-one", experts=WIDE), VOTES),
    ("EWA-T", ExponentialWeights(0.5, losses.pinball(0.3), range=(0, 2)), NUMBERS),
    ("EWA-T", ExponentialWeights(0.5, gradient=True), NUMBERS),
    ("EWA-XC", ExponentialWeights(1.0, "log"), CHANCES),
    ("EWA-TUNED", ExponentialWeights(0.4), NUMBERS),
    ("SLEEP", ExponentialWeights(0.5, experts=WIDE), SLEEPY),
    ("SLEEP-T", ExponentialWeights(0.5, "absolute"), SLEEPY),
    ("SLEEP-XC", ExponentialWeights(0.5), SLEEPY),
    ("AA", AggregatingAlgorithm("brier", experts=WIDE), CHANCES),
    ("AA", AggregatingAlgorithm("square", interval=(-1, 2)), SLEEPY),
    ("FS", FixedShare(9.0, 0.5, "absolute"), SHIFTY),
    ("FS-XC", FixedShare(0.5, 0.7), SHIFTY),
    ("ADAHEDGE", AdaHedge("percentage", experts=WIDE), SLEEPY),
    ("ADAHEDGE-FIRST", AdaHedge("absolute"), NUMBERS),
    ("ML-POLY", MLPoly("log", experts=WIDE), CHANCES),
    ("ML-POLY", MLPoly(form="published"), NUMBERS),
    ("ML-PROD", MLProd("percentage", experts=WIDE), SLEEPY),
    ("ML-PROD-PUB", MLProd("brier", form="published", range=(0, 3)), CHANCES),
    ("BOA", BOA(gradient=True, experts=WIDE), NUMBERS),
    ("BOA-PUB", BOA("zero-one", form="published", experts=WIDE), VOTES),
]
cases = pytest.mark.parametrize("case", range(len(CASES)), ids=lambda k: CASES[k][0])


@cache
def certificate_of(case: int) -> Certificate:
    theorem, learner, rounds = CASES[case]
    record = run(learner.clone(), rounds, keep="updates")
    certificate = certify(record, stream=rounds, theorem=theorem)
    assert verify(certificate, rounds), verify(certificate, rounds)
    return certificate


def test_there_is_a_case_for_every_theorem() -> None:
    names = {type(learner).__name__ for _, learner, _ in CASES}
    made = {theorem for name, theorem in PROOFS if name in names}
    assert made - {"MIX-EWA"} == {theorem for theorem, _, _ in CASES}
    for _, learner, _ in CASES:
        known = {t.id for t in learner.guarantees}
        assert all((type(learner).__name__, each) in PROOFS for each in known)


# Long runs --------------------------------------------------------------------------


def test_every_case_has_a_long_run() -> None:
    assert {each.theorem for each in LONG_RUNS} >= {theorem for theorem, _, _ in CASES}


def test_experts_that_sleep_in_turn_are_charged_no_more_and_no_less() -> None:
    turns = [({t % 2: 0.5, 2: 0.5}, 1.0) for t in range(300)]
    certificate = certify(ExponentialWeights(0.5, "square", experts=3), turns)
    assert certificate.counted == 0
    assert verify(certificate, turns).wrong is None


@pytest.mark.soak
def test_bookmakers_that_do_not_offer_every_match_are_judged() -> None:
    makers, rounds = bookmakers()
    assert len(rounds) == 98
    learner = AggregatingAlgorithm("log", outcomes=("H", "D", "A"), experts=makers)
    certificate = certify(learner, rounds)
    assert certificate.theorem == "AA"
    assert verify(certificate, rounds).wrong is None
    # It is none for matches with another result.
    *rest, (said, result) = rounds
    assert not verify(certificate, [*rest, (said, "D" if result == "H" else "H")])


# Tampering --------------------------------------------------------------------------


def fitted(certificate: Certificate, numbers: dict[str, Fraction]) -> Certificate:
    """Return the certificate with other numbers, and the bound that fits them."""
    bound = theorems.get(certificate.theorem).bound(**numbers)
    texts = {name: as_text(number) for name, number in numbers.items()}
    return replace(
        certificate, numbers_exact=texts, bound_exact=as_text(bound), others_exact={}
    )


@cases
def test_no_number_can_be_shaved(case: int) -> None:
    certificate, rounds = certificate_of(case), CASES[case][2]
    proof = PROOFS[certificate.learner["name"], certificate.theorem]
    assert issubclass(proof, Forecast)
    numbers = {
        name: as_number(text) for name, text in certificate.numbers_exact.items()
    }
    off = Fraction(1, 10**12)
    for name, number in numbers.items():
        side = proof.sides[name]
        for sign in (-1, 1) if side == 0 else (-side,):
            lie = number + sign * (1 if name == "jumps" else abs(number) * off)
            if lie == number or (name == "jumps" and lie < 0):
                continue
            try:
                forged = fitted(certificate, {**numbers, name: lie})
            except PremiseError:  # no run has such numbers
                continue
            wrong = verify(forged, rounds).wrong
            assert wrong is not None, (name, sign)
            assert name in wrong or "does not hold" in wrong, (name, wrong)


def test_a_best_loss_may_not_come_nearer_to_the_highest() -> None:
    case = next(k for k, (theorem, _, _) in enumerate(CASES) if "FIRST" in theorem)
    certificate = certificate_of(case)
    numbers = {
        name: as_number(text) for name, text in certificate.numbers_exact.items()
    }
    numbers["best"] += (numbers["highest"] - numbers["best"]) * 9 / 10
    verdict = verify(fitted(certificate, numbers), CASES[case][2])
    assert "highest must be at least as far above best" in (verdict.wrong or "")


@cases
def test_what_was_counted_is_exact(case: int) -> None:
    certificate, rounds = certificate_of(case), CASES[case][2]
    counted = as_number(certificate.counted_exact)
    tiny = max(abs(counted), Fraction(1, 2**20)) / 2**50
    for lie in (counted - tiny, counted + tiny):
        verdict = verify(replace(certificate, counted_exact=as_text(lie)), rounds)
        assert "counted must be" in (verdict.wrong or "")


def other(name: str, value: Any) -> list[Any]:
    """Return other values of a parameter."""
    told: dict[str, list[Any]] = {
        "loss": ["absolute" if value == "square" else "square", losses.pinball(0.6)],
        "gradient": [not value],
        "range": [(0, 5), (-1.0, 1.5)],
        "form": ["published" if value == "opera" else "opera"],
        "outcomes": [("no", "yes", "perhaps")],
        "interval": [(0, 1), (-1, 3)],
    }
    if name in ("eta", "alpha"):
        return [value / 2, value * 1.25]
    if name == "experts" and value is None:
        return [{"ann": 9, "bob": 1, "cyd": 9}, ["ann", "bob"], 3]
    if name == "experts":
        return [None, {**value, "cyd": 40}]
    return told[name]


@cases
def test_nothing_can_be_exchanged(case: int) -> None:
    certificate, rounds = certificate_of(case), CASES[case][2]
    lies: list[Certificate] = [
        replace(certificate, **{name: getattr(certificate, name) + 1})
        for name in ("passes", "rounds", "mistakes", "updates")
    ]
    lies += [
        replace(
            certificate,
            loss_exact=as_text(as_number(certificate.loss_exact or "0") + 1),
        ),
        replace(certificate, digest="sha256:" + 64 * "0"),
        replace(
            certificate, bound_exact=as_text(as_number(certificate.bound_exact) * 2)
        ),
        replace(certificate, counts="mistakes"),
        replace(certificate, updates=None),
    ]
    if certificate.expected_mistakes is not None:
        lies.append(replace(certificate, expected_mistakes_exact="1"))
    lies += [
        replace(certificate, theorem=theorem)
        for name, theorem in PROOFS
        if name == certificate.learner["name"]
        and theorem != certificate.theorem
        and not theorem.startswith("SLEEP")  # which say the same where nobody sleeps
        and theorem != "EWA"
    ]
    for name, value in certificate.learner["parameters"].items():
        if name == "range" and certificate.learner["name"] == "AdaHedge":
            continue  # it has no scale, so that units make no difference to it
        for another in other(name, value):
            parameters = {**certificate.learner["parameters"], name: another}
            learner = {**certificate.learner, "parameters": parameters}
            lies.append(replace(certificate, learner=learner, others_exact={}))
    for lie in lies:
        assert not verify(lie, rounds), lie


@cases
def test_no_other_witness_has_these_numbers(case: int) -> None:
    certificate, rounds = certificate_of(case), CASES[case][2]
    witness = certificate.witness
    if witness["kind"] == "expert":
        others = [
            {**witness, "expert": name}
            for name in ("ann", "bob", "cyd", "dee", 0)
            if name != witness["expert"]
        ]
    else:
        switches = witness["switches"]
        others = [{**witness, "switches": switches[:k]} for k in range(len(switches))]
        for k, (t, expert) in enumerate(switches):
            for pair in ((t + 1, expert), (t, "dee"), (t + 99, expert)):
                moved = (*switches[:k], pair, *switches[k + 1 :])
                others.append({**witness, "switches": moved})
        assert len(switches) > 1
    if certificate.theorem == "EWA-TUNED":  # which is for all who lose so little
        others = others[-2:]
    for another in others:
        assert not verify(replace(certificate, witness=another), rounds), another
    assert not verify(replace(certificate, witness={"kind": "none"}), rounds)


@cases
def test_arithmetic_needs_no_stream(case: int) -> None:
    certificate = certificate_of(case)
    lies = [
        replace(
            certificate, bound_exact=as_text(as_number(certificate.bound_exact) / 2)
        ),
        replace(
            certificate, counted_exact=as_text(as_number(certificate.bound_exact) + 1)
        ),
        replace(certificate, numbers_exact={}, others_exact={}),
        replace(certificate, numbers_exact={**certificate.numbers_exact, "extra": "1"}),
    ]
    lies += [
        replace(certificate, numbers_exact={**certificate.numbers_exact, "eta": "1/7"})
        for _ in certificate.numbers
        if "eta" in certificate.numbers
    ]
    for lie in lies:
        assert not verify(lie)


# Potentials -------------------------------------------------------------------------


def played(
    theorem: str, parameters: dict[str, Any], twin: Any, rounds: Stream, **said: Any
) -> Any:
    """Return the proof for a twin that need not be the learner's own."""
    name = type(twin).__name__
    learner: Any = next(
        type(each) for _, each, _ in CASES if type(each).__name__ == name
    )
    honest = certify(
        run(learner(**parameters), rounds, keep="updates"),
        stream=rounds,
        theorem=theorem,
    )
    numbers = {n: as_number(text) for n, text in honest.numbers_exact.items()}
    given = honest.learner["parameters"]
    proof = PROOFS[name, theorem](given, honest.witness, numbers)
    for x, y in rounds:
        told = twin.play(x, y)
        proof.round(x, y, said.get("said", told), True, twin)
    return proof


GOOD: Stream = [({"ann": 0.0, "bob": 1.0}, 1.0)] * 30


def test_weights_that_learn_too_slowly_are_noticed() -> None:
    given: dict[str, Any] = {"eta": 0.5, "loss": "absolute"}
    slow: Any = twins.ExponentialWeights(eta=0.01, loss="absolute")
    proof = played("EWA-T", given, slow, GOOD)
    with pytest.raises(Unsound, match="more than its mix loss allows"):
        proof.settle(proof.count(proof.case))
    fine = played("EWA-T", given, twins.ExponentialWeights(**given), GOOD)
    fine.settle(fine.count(fine.case))
    given |= {"alpha": 0.01}
    slow = twins.FixedShare(eta=0.01, alpha=0.01, loss="absolute")
    proof = played("FS", given, slow, GOOD)
    with pytest.raises(Unsound, match="must not exceed the losses of the witness"):
        proof.settle(proof.count(proof.case))
    fine = played("FS", given, twins.FixedShare(**given), GOOD)
    fine.settle(fine.count(fine.case))


@pytest.mark.parametrize("share", [0.0, 0.9999, 1.0001, 2.0])
def test_sleepers_that_do_not_pay_the_mix_loss_are_noticed(share: float) -> None:
    class ExponentialWeights(twins.ExponentialWeights):
        def excuse(self, awake: list[bool], mixed: Exact) -> None:
            super().excuse(awake, Exact(share * mixed.value()))

    given: dict[str, Any] = {"eta": 1.0, "loss": "log", "experts": WIDE}
    drowsy = [
        ({n: f for k, (n, f) in enumerate(x.items()) if (t + k) % 3}, y)
        for t, (x, y) in enumerate(CHANCES)
    ]
    proof = played("SLEEP-XC", given, ExponentialWeights(**given), drowsy)
    with pytest.raises(Unsound, match="the weights are not those of the theorem"):
        proof.settle(proof.count(proof.case))
    fine = played("SLEEP-XC", given, twins.ExponentialWeights(**given), drowsy)
    fine.settle(fine.count(fine.case))


def test_what_is_no_average_is_noticed() -> None:
    given: dict[str, Any] = {"eta": 0.5, "loss": "square"}
    proof = played("EWA-XC", given, twins.ExponentialWeights(**given), GOOD, said=0.0)
    with pytest.raises(Unsound, match="more than its mix loss allows"):
        proof.settle(proof.count(proof.case))
    twin = twins.MLPoly("square")
    proof = played("ML-POLY", {"loss": "square"}, twin, GOOD, said=0.0)
    with pytest.raises(Unsound, match="the potential must stay as low"):
        proof.settle(proof.count(proof.case))


@pytest.mark.parametrize(("gap", "wrong"), [(0.0, "twice the gaps"), (99.0, "allow")])
def test_gaps_that_are_not_those_of_the_run_are_noticed(gap: float, wrong: str) -> None:
    twin = twins.AdaHedge("absolute")
    proof = played("ADAHEDGE", {"loss": "absolute"}, twin, GOOD)
    counted = proof.count(proof.case)
    proof.settle(counted)
    twin.gap = Exact(gap)
    with pytest.raises(Unsound, match=wrong):
        proof.settle(counted)


@pytest.mark.parametrize("form", ["opera", "published"])
@pytest.mark.parametrize("made", [twins.MLProd, twins.BOA])
def test_products_that_are_too_large_are_noticed(made: Any, form: str) -> None:
    theorem = ("ML-PROD" if made is twins.MLProd else "BOA") + (
        "-PUB" if form == "published" else ""
    )
    given = {"loss": "absolute", "form": form}
    twin = made(**given)
    proof = played(theorem, given, twin, GOOD)
    counted = proof.count(proof.case)
    proof.settle(counted)
    if made is twins.MLProd:
        twin.products[1] += 30.0
    else:
        twin.sums[1].add(300.0)
    with pytest.raises(Unsound, match="the potential must stay as low"):
        proof.settle(counted)


# What is refused --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("eta", 0),
        ("eta", True),
        ("loss", "pinball"),
        ("loss", Pinball(1.5)),
        ("loss", "cubic"),
        ("loss", 3),
        ("gradient", 1),
        ("range", (1, 0)),
        ("range", "ab"),
        ("range", (0, "x")),
        ("experts", 0),
        ("experts", ["ann", "ann"]),
        ("experts", [{"ann": 1}]),
        ("experts", {"ann": 0}),
        ("experts", "ann"),
    ],
)
def test_parameters_that_no_learner_takes(name: str, value: Any) -> None:
    certificate = certificate_of(0)
    parameters = {**certificate.learner["parameters"], name: value}
    learner = {**certificate.learner, "parameters": parameters}
    verdict = verify(replace(certificate, learner=learner), NUMBERS)
    assert f"learner: {name} must be one that the learner takes" in str(verdict.wrong)


def test_more_experts_than_the_judge_may_count_are_refused() -> None:
    certificate = certificate_of(0)
    parameters = {**certificate.learner["parameters"], "experts": 10**12}
    learner = {**certificate.learner, "parameters": parameters}
    with pytest.raises(WorkError, match="at most 1,000,000 steps"):
        verify(replace(certificate, learner=learner), NUMBERS)


@pytest.mark.parametrize(
    ("rounds", "wrong"),
    [
        ([({"ann": 1e308, "bob": 1e308}, 1.0)], "digest"),
        ([({"ann": 0.0, "bob": 1.0}, 1.0), ({"ann": 0.0, "dee": 1.0}, 1.0)], "digest"),
        ([({"ann": [0.5], "bob": 1.0}, 1.0)], "it cannot be played"),
        ([({"ann": 0.0, "bob": 1.0}, "yes")], "it cannot be played"),
        ([({}, 1.0)], "it cannot be played"),
    ],
)
def test_rounds_that_no_learner_plays(rounds: Stream, wrong: str) -> None:
    certificate = replace(certificate_of(0), rounds=len(rounds))
    assert wrong in str(verify(certificate, rounds).wrong)


def test_strangers_and_endless_losses_are_refused_by_the_proof() -> None:
    honest = certificate_of(0)
    numbers = {n: as_number(text) for n, text in honest.numbers_exact.items()}
    given = honest.learner["parameters"]
    proof = PROOFS["ExponentialWeights", "EWA"](given, honest.witness, numbers)
    twin = twins.ExponentialWeights(**given)
    told = twin.play({"ann": 0.0, "bob": 1.0}, 1.0)
    proof.round({}, 1.0, told, True, twin)
    with pytest.raises(Unsound, match="must be finite numbers"):
        proof.round({}, 1.0, math.inf, True, twin)
    twin.heard = {"dee": 1.0}
    with pytest.raises(Unsound, match="one of the experts"):
        proof.round({}, 1.0, told, True, twin)
    log = twins.ExponentialWeights(1.0, "log")
    log.play({"ann": 0.25, "bob": 0.5}, 1.0)
    log.heard = {"ann": 0.0, "bob": 0.5}
    with pytest.raises(Unsound, match="logarithm of 0"):
        proof.round({}, 1.0, 0.5, True, log)


def test_nobody_is_compared_without_rounds() -> None:
    honest = certificate_of(0)
    numbers = {n: as_number(text) for n, text in honest.numbers_exact.items()}
    given = honest.learner["parameters"]
    proof = PROOFS["ExponentialWeights", "EWA"](given, honest.witness, numbers)
    with pytest.raises(Unsound, match="there must be rounds"):
        proof.close({"counted": Fraction(0)})


def test_a_pinball_loss_can_be_written_down() -> None:
    learner = ExponentialWeights(0.5, losses.pinball(0.3))
    record = run(learner, NUMBERS, keep="updates")
    certificate = certify(record, stream=NUMBERS)
    assert '"loss": {"pinball": "0x1.3333333333333p-2"}' in certificate.to_json()
    again = Certificate.from_json(certificate.to_json())
    assert again.learner["parameters"]["loss"] == Pinball(0.3)
    assert "loss=losses.pinball(0.3)" in str(again)
    assert verify(again, NUMBERS)
    square = run(ExponentialWeights(0.5, losses.SQUARE), NUMBERS, keep="updates")
    named = certify(square, stream=NUMBERS)
    assert named.learner["parameters"]["loss"] == "square"


# Spans ------------------------------------------------------------------------------


@given(st.fractions(-(10**6), 10**6), st.integers(-400, 400))
def test_rounding_goes_outward_and_not_far(number: Fraction, power: int) -> None:
    number *= Fraction(2) ** power
    low, high = down(number), up(number)
    assert low <= number <= high
    assert high - low <= abs(number) / 2**150


@given(st.fractions(-400, 0))
def test_exponentials_lie_between_their_bounds(number: Fraction) -> None:
    low, high = exponential(number)
    below, above = exp_bounds(number)
    assert low <= below * UNIT
    assert above * UNIT <= high
    assert (high - low) <= 5 + (above * UNIT) / 10**40


@pytest.mark.parametrize(
    ("kind", "p", "y", "true"),
    [
        ("absolute", 0.75, 1.0, Fraction(1, 4)),
        ("square", 0.75, 1.0, Fraction(1, 16)),
        ("brier", 0.75, 1.0, Fraction(1, 8)),
        ("percentage", 1.0, 3.0, Fraction(2, 3)),
        ("zero-one", 1.0, 0.0, Fraction(1)),
        (Pinball(0.25), 0.0, 2.0, Fraction(1, 2)),
        (Pinball(0.25), 2.0, 0.0, Fraction(3, 2)),
        ("brier", [0.5, 0.25, 0.25], 1, Fraction(7, 8)),
    ],
)
def test_losses_by_hand(kind: Any, p: Any, y: Any, true: Fraction) -> None:
    assert loss(kind, p, y).low == loss(kind, p, y).high == true


def test_the_log_loss_is_that_of_the_chance() -> None:
    for p, y, chance in ((0.1, 0.0, 1 - Fraction(0.1)), ([0.2, 0.8], 1, Fraction(0.8))):
        told, (low, high) = loss("log", p, y), ln_bounds(chance)
        assert told.low <= -high <= -low <= told.high
        assert told.high - told.low < Fraction(1, 10**40)
