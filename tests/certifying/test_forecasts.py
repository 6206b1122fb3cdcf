"""Learners that weigh forecasters: what is certified is exact, and the judge agrees.

Numbers are measured here in plain rationals, by the formulas of the theorems and from
what the native learner said, not by the judge's own means.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowds import crowd, electric_load, seeds
from littlestone import (
    Certificate,
    adversaries,
    certify,
    losses,
    run,
    streams,
    verify,
)
from littlestone.certifying._forecasts import _shortest
from littlestone.errors import ParameterError, PremiseError
from littlestone.experts import (
    BOA,
    AdaHedge,
    AggregatingAlgorithm,
    ExponentialWeights,
    FixedShare,
    MLPoly,
    MLProd,
)
from littlestone.verifying import as_number
from tries import tried

Stream = list[tuple[Any, Any]]
ZERO, ONE = Fraction(0), Fraction(1)


def certified(learner: Any, stream: Any, **given: Any) -> Certificate:
    """Run, certify, and have it judged with the stream and without."""
    stream = list(stream)
    record = run(learner, stream, keep="updates")
    certificate = certify(record, stream=stream, **given)
    for verdict in (verify(certificate), verify(certificate, stream)):
        assert verdict, verdict
    assert Certificate.from_json(certificate.to_json()) == certificate
    return certificate


def numbers(certificate: Certificate) -> dict[str, Fraction]:
    return {name: as_number(text) for name, text in certificate.numbers_exact.items()}


def near(stated: Fraction, true: Fraction, *, above: bool = True) -> bool:
    """Tell whether a number is safe, and no safer than a double must be."""
    off = stated - true if above else true - stated
    return 0 <= off <= abs(true) * Fraction(1, 2**51)


# Any stream -------------------------------------------------------------------------

PINBALL = losses.pinball(0.3)
PLAYERS: list[tuple[Callable[..., Any], Any, dict[str, Any]]] = [
    (ExponentialWeights, "square", {"eta": 0.5}),
    (ExponentialWeights, "absolute", {"eta": 3.0, "range": (-1.0, 2.0)}),
    (ExponentialWeights, PINBALL, {"eta": 0.7, "gradient": True}),
    (ExponentialWeights, "percentage", {"eta": 0.25, "range": (0, 4)}),
    (ExponentialWeights, "log", {"eta": 1.0}),
    (ExponentialWeights, "brier", {"eta": 0.5}),
    (ExponentialWeights, "zero-one", {"eta": 40.0}),
    (FixedShare, "square", {"eta": 0.5, "alpha": 0.05}),
    (FixedShare, "absolute", {"eta": 1000.0, "alpha": 0.9}),
    (FixedShare, "log", {"eta": 2.0, "alpha": 0.2}),
    (AdaHedge, "absolute", {}),
    (AdaHedge, "log", {"gradient": True}),
    (AdaHedge, "zero-one", {"range": (0, 3)}),
    (MLPoly, "square", {"gradient": True}),
    (MLPoly, "percentage", {}),
    (MLPoly, "absolute", {"form": "published"}),
    (MLProd, PINBALL, {}),
    (MLProd, "zero-one", {}),
    (MLProd, "square", {"form": "published", "gradient": True, "range": (-2, 2)}),
    (BOA, "log", {}),
    (BOA, "zero-one", {}),
    (BOA, "absolute", {"form": "published"}),
]


@pytest.mark.parametrize("player", PLAYERS, ids=lambda p: f"{p[0].__name__} {p[1]}")
@tried(0.2)
@given(seed=seeds, sleep=st.booleans(), equal=st.booleans())
def test_the_judge_accepts_what_is_certified(
    player: tuple[Callable[..., Any], Any, dict[str, Any]],
    seed: int,
    sleep: bool,
    equal: bool,
) -> None:
    made, loss, given = player
    plain = made is FixedShare  # whose theorems are for the usual case alone
    rounds = crowd(loss, seed, sleep=sleep and not plain, most=4, rounds=8)
    shares = {i: 1 + i for i in range(rounds.start)}
    experts = rounds.start if equal or plain else shares
    certificate = certified(made(loss=loss, experts=experts, **given), rounds)
    assert certificate.holds


@tried(0.5)
@given(seed=seeds, loss=st.sampled_from(["log", "brier"]), sleep=st.booleans())
def test_the_judge_accepts_distributions(seed: int, loss: str, sleep: bool) -> None:
    rounds = crowd(loss, seed, outcomes=3, sleep=sleep, most=4, rounds=8)
    if rounds.start > 1:
        certified(AggregatingAlgorithm(loss, experts=rounds.start), rounds)
    certified(ExponentialWeights(0.25, loss, experts=rounds.start), rounds)


# By hand ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "learner", [AggregatingAlgorithm("log"), ExponentialWeights(1.0, "log")], ids=repr
)
def test_the_log_loss_leaves_nothing_to_spare(learner: Any) -> None:
    # One expert is surer and surer, the other as sure of the opposite.
    stream = [({"yes": 1 - 2.0**-t, "no": 2.0**-t}, 1) for t in range(30, 53)]
    certificate = certified(learner, stream)
    assert certificate.witness == {"kind": "expert", "expert": "yes"}
    assert as_number(certificate.bound_exact) == Fraction(
        math.nextafter(math.log(2), 1)
    )
    assert 0 <= certificate.slack < 1e-8


def test_exponential_weights_by_hand() -> None:
    stream = [({"ann": 0.0, "bob": 1.0}, 1.0), ({"ann": 1.0, "bob": 0.5}, 1.0)]
    certificate = certified(ExponentialWeights(0.5), stream, theorem="EWA")
    # Bob loses 0 and 1/4, the learner (1/2)^2 at first.
    assert numbers(certificate) == {
        "eta": Fraction(1, 2),
        "prior": Fraction(1, 2),
        "best": Fraction(1, 4),
        "scale": ONE,
    }
    said = ExponentialWeights(0.5)
    own = Fraction(1, 4)
    said.learn_one(*stream[0])
    own += (1 - Fraction(said.predict_one(stream[1][0]))) ** 2
    assert near(as_number(certificate.counted_exact), own)
    assert certificate.learner["parameters"]["eta"] == 0.5
    text = str(certificate)
    assert "the expert 'bob'" in text
    assert f"with a loss of {float(own):.6g}. EWA (loss at most" in text
    assert f"loss, and there was {float(own):.6g}: it holds" in text


def test_the_rate_is_over_the_range() -> None:
    stream = [({"ann": 0.0, "bob": 3.0}, 3.0), ({"ann": 1.0, "bob": 3.0}, 2.5)]
    learner = ExponentialWeights(0.5, "absolute", range=(0, 4))
    certificate = certified(learner, stream, theorem="EWA-T")
    assert numbers(certificate) == {
        "eta": Fraction(1, 8),
        "prior": Fraction(1, 2),
        "rounds": Fraction(2),
        "scale": Fraction(3),
    }


def test_a_tuned_rate_is_for_a_loss() -> None:
    rng = np.random.default_rng(3)
    stream = [(list(rng.random(3)), float(rng.random())) for _ in range(30)]
    tuned = ExponentialWeights.tuned(best_loss=12.0, n=3)
    certificate = certified(tuned, stream, theorem="EWA-TUNED")
    told = numbers(certificate)
    # The largest loss is below 1, and for B in its place the rate is tuned to less.
    x = math.expm1(tuned.eta * float(told["scale"])) ** 2
    wanted = 2 * float(told["scale"]) * math.log(3) / x
    assert told["scale"] < 1
    assert float(told["best"]) == pytest.approx(wanted, rel=1e-12)
    fast = ExponentialWeights(5.0)
    record = run(fast, stream, keep="updates")
    with pytest.raises(PremiseError, match="EWA-TUNED .*no more than the rate"):
        certify(record, stream=stream, theorem="EWA-TUNED")


def test_sleepers_are_compared_while_awake() -> None:
    stream = [
        ({"ann": 0.0, "bob": 1.0}, 0.0),
        ({"bob": 1.0}, 0.0),
        ({"ann": 0.5, "bob": 1.0}, 0.0),
    ]
    learner = ExponentialWeights(2.0, "absolute")
    certificate = certified(learner, stream, theorem="SLEEP-T")
    told = numbers(certificate)
    assert certificate.witness["expert"] == "ann"
    assert (told["rounds"], told["scale"]) == (Fraction(2), ONE)
    learner = ExponentialWeights(2.0, "absolute")
    said = [Fraction(learner.play_one(*each)) for each in stream]
    assert near(
        as_number(certificate.counted_exact), said[0] + said[2] - Fraction(1, 2)
    )
    record = run(ExponentialWeights(2.0, "absolute"), stream, keep="updates")
    with pytest.raises(PremiseError, match="EWA-T .*no expert may sleep"):
        certify(record, stream=stream, theorem="EWA-T")


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("made", [ExponentialWeights, AdaHedge, MLPoly, MLProd, BOA])
def test_an_expert_may_sleep_in_the_first_round(made: Any, named: bool) -> None:
    table = [[0.1, math.nan], [0.2, 0.9], [math.nan, 0.3], [0.5, 0.6]]
    names = ["ann", "bob"]
    given: Any = [
        {name: f for name, f in zip(names, row, strict=True) if f == f}  # noqa: PLR0124 - NaN
        for row in table
    ]
    stream = streams.advice(given if named else table, [0, 1, 0, 1], missing="sleep")
    certificate = certify(made(), stream)
    assert list(certificate.learner["parameters"]["experts"]) == (
        names if named else [0, 1]
    )
    again = Certificate.from_json(certificate.to_json())
    assert verify(again, stream), verify(again, stream)
    awake = streams.advice(table[1:2] + table, [0, 0, 1, 0, 1], missing="sleep")
    assert certify(made(), awake).learner["parameters"]["experts"] is None


def test_fixed_share_is_held_to_a_sequence() -> None:
    stream = [({"nil": 0.0, "one": 1.0}, float(10 <= t < 20)) for t in range(30)]
    certificate = certified(FixedShare(2.0, 0.1), stream)
    assert certificate.theorem == "FS"
    assert certificate.witness["switches"] == ((0, "nil"), (10, "one"), (20, "nil"))
    assert numbers(certificate)["switches"] == 2
    assert "a sequence of 3 experts" in str(certificate)
    alone = certified(FixedShare(2.0, 0.1), stream, witness="nil")
    assert alone.witness["switches"] == ((0, "nil"),)
    assert alone.slack > certificate.slack
    pairs = [(0, "one"), (5, "nil")]
    given = certified(FixedShare(0.5, 0.1), stream, witness=pairs)
    assert given.witness["switches"] == ((0, "one"), (5, "nil"))
    assert given.theorem == "FS-XC"


@given(seed=seeds, price=st.sampled_from([-2.5, 0.0, 0.5, 1.5]))
def test_no_sequence_is_better_than_the_one_found(seed: int, price: float) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 8, size=(int(rng.integers(1, 6)), int(rng.integers(1, 4))))

    def cost(path: Any) -> float:
        moves = sum(one != two for one, two in itertools.pairwise(path))
        return float(sum(table[t, i] for t, i in enumerate(path)) + moves * price)

    paths = itertools.product(range(table.shape[1]), repeat=len(table))
    assert cost(_shortest(table.astype(float), price)) == min(map(cost, paths))


def test_ada_hedge_by_hand() -> None:
    stream = [({"ann": 0.0, "bob": 1.0}, y) for y in (1.0, 1.0, 0.0, 1.0, 0.5)]
    learner = AdaHedge("absolute", experts=["ann", "bob"])
    variance, own = ZERO, ZERO
    for x, y in stream:
        share = Fraction(learner.weights_of([True, True])[0])
        lost = {name: abs(Fraction(f) - Fraction(y)) for name, f in x.items()}
        apart = (lost["ann"] - lost["bob"]) ** 2
        variance += share * (1 - share) * apart
        own += abs(Fraction(learner.play_one(x, y)) - Fraction(y))
    certificate = certified(AdaHedge("absolute"), stream)
    told = numbers(certificate)
    assert float(told["variance"]) == pytest.approx(float(variance), rel=1e-12)
    assert (told["experts"], told["scale"]) == (Fraction(2), ONE)
    assert near(as_number(certificate.counted_exact), own - Fraction(3, 2))
    first = numbers(certified(AdaHedge("absolute"), stream, theorem="ADAHEDGE-FIRST"))
    assert first["best"] == Fraction(3, 2)
    assert (first["lowest"], first["highest"]) == (Fraction(1, 2), Fraction(9, 2))


def test_averages_that_are_rounded_are_paid_for() -> None:
    # One expert at a time is awake, so that nothing should be regretted; but its weight
    # times its advice over its weight is not quite its advice.
    shares = {"ann": 0.2557880009987239, "bob": 0.8117329243236137}
    stream = [({"bob": 1 / (3 + t)}, 0.0) for t in range(40)]
    certificate = certified(AdaHedge("absolute", experts=shares), stream)
    assert 0 < as_number(certificate.counted_exact) < 1e-14
    assert certificate.slack > 0


Regrets = list[dict[Any, Fraction]]


def regrets(learner: Any, stream: Stream) -> Regrets:
    """Return the regrets of all rounds, of square losses."""
    out = []
    for x, y in stream:
        own = (Fraction(learner.play_one(x, y)) - Fraction(y)) ** 2
        out.append({n: own - (Fraction(f) - Fraction(y)) ** 2 for n, f in x.items()})
    return out


def spiky(seed: int) -> Stream:
    """Return a stream whose losses grow, so that there are jumps."""
    rng = np.random.default_rng(seed)
    return [
        ({n: float(rng.normal() * 1.6**t) for n in "abc"}, float(rng.normal()))
        for t in range(12)
    ]


@pytest.mark.parametrize("seed", [1, 2])
def test_what_learners_from_regrets_are_told(seed: int) -> None:
    stream = spiky(seed)
    r = regrets(MLPoly(), stream)
    told = numbers(certified(MLPoly(), stream))
    best = max("abc", key=lambda n: sum(each[n] for each in r))
    assert near(told["squares"], sum((each[best] ** 2 for each in r), ZERO))
    assert near(told["scale"], max(abs(x) for each in r for x in each.values()))
    assert near(told["first"], max(map(abs, r[0].values())), above=False)
    assert told["rounds"] == 12

    r = regrets(MLProd(), stream)
    told = numbers(certified(MLProd(), stream))
    assert told["jumps"] == sum(
        any(_prod_rate(r[:t], n) * float(r[t][n]) < -2 / 3 for n in "abc")
        for t in range(1, 12)
    )
    assert told["jumps"] > 0

    r = regrets(BOA(), stream)
    told = numbers(certified(BOA(), stream))
    squares = {n: sum((each[n] ** 2 for each in r), ZERO) for n in "abc"}
    assert near(told["growth"], max(squares[n] / r[0][n] ** 2 for n in "abc"))
    assert told["jumps"] == sum(
        any(
            r[t][n] < 0
            and r[t][n] ** 2 * 9 > 4 * 2.2 * sum(each[n] ** 2 for each in r[:t])
            for n in "abc"
        )
        for t in range(1, 12)
    )


def _prod_rate(before: Regrets, n: str) -> float:
    squares = float(sum((each[n] ** 2 for each in before), ZERO))
    largest = float(max(abs(each[n]) for each in before))
    return min(1 / (2 * largest), math.sqrt(math.log(3) / (1 + squares)))


def test_late_regrets_are_jumps_of_boa() -> None:
    # Nothing is regretted at first, and what comes then is no jump. Bob's second regret
    # is one, as it is far below his first, and so is cyd's first, who slept until then.
    stream = [
        ({"ann": 0.5, "bob": 0.5}, 0.5),
        ({"ann": 0.0, "bob": 1.0}, 0.0),
        ({"ann": 0.0, "bob": 1.0}, 0.0),
        ({"ann": 0.0, "bob": 1.0, "cyd": 0.9}, 0.0),
    ]
    learner = BOA("absolute", experts=["ann", "bob", "cyd"])
    assert numbers(certified(learner, stream))["jumps"] == 2


def test_published_forms_are_in_units_of_the_range() -> None:
    stream = [({"ann": 0.0, "bob": 4.0}, y) for y in (4.0, 3.0, 4.0, 1.0)]
    for made in (MLPoly, MLProd, BOA):
        learner = made("absolute", form="published", range=(0, 4))
        said = [Fraction(learner.play_one(*each)) for each in stream]
        own = [abs(p - Fraction(y)) for p, (_, y) in zip(said, stream, strict=True)]
        r = [
            (lost - abs(4 - Fraction(y))) / 4
            for lost, (_, y) in zip(own, stream, strict=True)
        ]
        certificate = certified(
            made("absolute", form="published", range=(0, 4)), stream, witness="bob"
        )
        assert near(as_number(certificate.counted_exact), sum(r, ZERO))
        assert near(numbers(certificate)["squares"], sum((x**2 for x in r), ZERO))


def test_a_mean_that_beats_the_range_is_charged_its_end() -> None:
    stream = [({"ann": 0.0, "bob": 1.0}, 0.5)] * 3
    for made in (MLPoly, MLProd, BOA):
        certificate = certified(made(form="published", range=(0.25, 1.25)), stream)
        assert as_number(certificate.counted_exact) == 0
        assert numbers(certificate)["squares"] == 0


def test_priors_are_those_that_were_given() -> None:
    stream = [({"ann": 0.0, "bob": 1.0}, 1.0)] * 3
    experts = {"ann": 0.9, "bob": 0.3}
    told = numbers(certified(ExponentialWeights(experts=experts), stream))
    shares = [Fraction(prior / math.fsum((0.9, 0.3))) for prior in (0.9, 0.3)]
    assert near(told["prior"], shares[1] / sum(shares), above=False)
    assert "prior" not in numbers(certified(AdaHedge(experts=2), stream_of(stream)))
    assert "prior" in numbers(certified(AdaHedge(experts=experts), stream))
    heaviest = numbers(certified(BOA(form="published", experts=experts), stream))
    assert near(heaviest["heaviest"], shares[0] / sum(shares))


def test_the_expert_is_taken_that_leaves_least() -> None:
    stream = spiky(4)
    for learner in (BOA(), ExponentialWeights(2.0, gradient=True, experts=weighty())):
        chosen = certified(learner.clone(), stream)
        slacks = [certified(learner.clone(), stream, witness=n).slack for n in "abc"]
        assert chosen.slack == min(slacks) < max(slacks)
    sleepy = [
        ({n: f for n, f in x.items() if t % 5 or n == "c"}, y)
        for t, (x, y) in enumerate(stream, 1)
    ]
    record = run(BOA(), sleepy, keep="updates")
    chosen = certify(record, stream=sleepy)
    assert chosen.witness["expert"] == record.best_expert


def weighty() -> dict[str, float]:
    return {"a": 1.0, "b": 0.1, "c": 3.0}


def stream_of(stream: Stream) -> Stream:
    """Return the advice as rows, for experts who are known by their places."""
    return [(list(x.values()), y) for x, y in stream]


def test_rows_and_names_go_together() -> None:
    stream = stream_of([({"ann": 0.0, "bob": 1.0}, 1.0)] * 3)
    certificate = certified(ExponentialWeights(experts=["ann", "bob"]), stream)
    assert certificate.witness["expert"] == "bob"


def test_outcomes_may_have_names() -> None:
    learner = AggregatingAlgorithm("brier", outcomes=("home", "draw", "away"))
    said = {"ann": [0.5, 0.3, 0.2], "bob": [0.2, 0.3, 0.5]}
    stream = [(said, y) for y in ("home", "away", "away", "draw")]
    certificate = certified(learner, stream)
    assert (certificate.witness["expert"], certificate.mistakes) == ("bob", 3)


def test_several_passes() -> None:
    stream = [({"ann": 0.0, "bob": 1.0}, 1.0), ({"ann": 0.5, "bob": 0.0}, 0.25)]
    record = run(MLPoly(), stream, passes=3, keep="updates")
    certificate = certify(record, stream=stream)
    assert numbers(certificate)["rounds"] == 6
    assert verify(certificate, stream)


def test_random_experts_come_near() -> None:
    game = adversaries.RandomExperts(8, 200, seed=1)
    stream = [(list(map(float, x)), float(y)) for x, y in _played(game)]
    learner = ExponentialWeights.for_horizon(200, 8, loss="absolute")
    certificate = certified(learner, stream)
    assert certificate.theorem == "EWA-T"
    assert as_number(certificate.counted_exact) > as_number(certificate.bound_exact) / 2


def _played(game: Any) -> Stream:
    kept: Stream = []

    class Watching:
        def predict_one(self, x: Any) -> bool:
            kept.append((list(x.values()) if hasattr(x, "values") else list(x), None))
            return True

        def learn_one(self, x: Any, y: Any) -> None:  # noqa: ARG002 - it was kept
            kept[-1] = (kept[-1][0], y)

    run(Watching(), game)
    return kept


def test_a_real_stream_is_certified() -> None:
    names, F, y = electric_load()
    stream = [
        (dict(zip(names, map(float, row), strict=True)), float(outcome))
        for row, outcome in zip(F[:60], y[:60], strict=True)
    ]
    for learner in (MLPoly(), BOA(gradient=True), AdaHedge()):
        assert certified(learner, stream).holds


# What is refused --------------------------------------------------------------------


def third(p: float, y: float) -> float:
    return abs(p - y) ** 3


FEW = [({"ann": 0.0, "bob": 1.0}, 1.0), ({"ann": 1.0, "bob": 0.5}, 1.0)]


@pytest.mark.parametrize(
    ("learner", "given", "error", "why"),
    [
        (ExponentialWeights(), {"stream": None}, ParameterError, "needs the stream"),
        (ExponentialWeights(), {"stream": FEW[::-1]}, ParameterError, "digest"),
        (ExponentialWeights(), {"witness": "cyd"}, ParameterError, "'ann', 'bob', got"),
        (FixedShare(), {"witness": [(2, "ann")]}, ParameterError, "from 0 to 1, got 2"),
        (FixedShare(), {"witness": 3}, ParameterError, "pairs of round and expert"),
        (FixedShare(), {"witness": [(1, "ann")]}, ParameterError, "begin with round 0"),
        (BOA(losses.custom(third)), {}, ParameterError, "must have a name"),
        (ExponentialWeights(0.6), {"theorem": "EWA-XC"}, PremiseError, "at most 0.5"),
        (
            ExponentialWeights(0.1, "absolute"),
            {"theorem": "EWA-XC"},
            PremiseError,
            "must be curved, got absolute",
        ),
        (
            ExponentialWeights(gradient=True),
            {"theorem": "EWA"},
            PremiseError,
            "about losses, got slopes",
        ),
        (
            ExponentialWeights(gradient=True),
            {"theorem": "EWA-XC"},
            PremiseError,
            "must be curved, got slopes",
        ),
        (
            FixedShare(experts={"ann": 1, "bob": 2}),
            {},
            PremiseError,
            "priors must be equal",
        ),
        (
            AdaHedge(experts={"ann": 1, "bob": 2}),
            {"theorem": "ADAHEDGE-FIRST"},
            PremiseError,
            "priors must be equal",
        ),
        (MLProd(), {"theorem": "ML-PROD-PUB"}, PremiseError, "form must be published"),
        (BOA(), {"theorem": "BOA-PUB"}, PremiseError, "form must be published"),
    ],
    ids=repr,
)
def test_what_no_theorem_speaks_of(
    learner: Any, given: dict[str, Any], error: type[Exception], why: str
) -> None:
    record = run(learner, FEW, keep="updates")
    with pytest.raises(error, match=why):
        certify(record, **({"stream": FEW} | given))


def test_a_run_without_rounds_compares_nobody() -> None:
    record = run(ExponentialWeights(experts=2), [], keep="updates")
    with pytest.raises(PremiseError, match="there must be rounds"):
        certify(record, stream=[])


@pytest.mark.parametrize("crowd", [2, 3, 7])
def test_a_bound_that_is_attained_is_not_lost_to_rounding(crowd: int) -> None:
    """Of an expert who says 3/4 among fools the regret is ln N, but for rounding."""
    stream = [({i: 0.1 if i else 0.75 for i in range(crowd)}, 1.0)] * 150
    record = run(ExponentialWeights(1.0, "log"), stream, digest=True)
    certificate = certify(record, stream=stream)
    assert certificate.theorem == "EWA-XC"
    assert 0 <= certificate.slack < 1e-11
    assert verify(certificate, stream).accepted
