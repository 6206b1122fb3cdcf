"""Regret to every vector: the theorems on random and adversarial streams, certified."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from littlestone import certify, linear, losses, streams, theorems, verify
from littlestone.errors import PremiseError
from littlestone.verifying._numbers import as_number, as_text
from tries import tried
from worlds import worlds

MADE: list[Any] = [
    linear.GradientDescent(rate=0.3),
    linear.GradientDescent("hinge", 0.5, bias=0),
    linear.GradientDescent("poisson", 0.01),
    linear.AdaGrad(),
    linear.AdaGrad("square", 0.4, normalize=False, bias=0),
    linear.CoinBetting(),
    linear.CoinBetting("square", 0.3),
    linear.CoinBetting(losses.huber(0.5), scale=2.0),
    linear.FTRL(l1=0.2, l2=0.1),
    linear.FTRL(losses.pinball(0.8), 0.7, normalize=False),
    linear.ExponentiatedGradient(),
    linear.ExponentiatedGradient("absolute", 0.05, 0.3, bias=0),
    linear.VovkAzouryWarmuth(0.7),
    linear.AIOLI(),
    linear.AIOLI(1.0, 0.0, bias=0, class_weight={True: 3.0}),
    linear.AdaGrad(class_weight={True: 4.0, False: 0.5}),
    linear.CoinBetting("hinge", class_weight={True: 4.0}),
]
every = pytest.mark.parametrize("made", MADE, ids=repr)


@every
@tried(0.5)
@given(data=st.data())
def test_every_run_is_certified_and_accepted(made: Any, data: st.DataObject) -> None:
    world = data.draw(worlds())
    stream = world.examples()
    certificate = certify(made, stream)
    assert certificate.holds
    verdict = verify(certificate, stream)
    assert verdict.accepted, verdict


def rounds(many: int = 60) -> list[tuple[Any, Any]]:
    rng = np.random.default_rng(9)
    X = rng.choice([-1.0, -0.4, 0.0, 0.3, 1.0], size=(many, 4))
    score = X @ [1.0, -1.0, 0.5, 0.0] + 0.3 * rng.normal(size=many)
    y = (score > 0).tolist()
    return [(dict(enumerate(x)), label) for x, label in zip(X.tolist(), y, strict=True)]


@every
def test_a_witness_of_yours_gives_the_bound_for_it(made: Any) -> None:
    stream = rounds()
    for u in ({}, {0: 0.5, 1: -0.5}, {0: 2.0, 2: 1.0}):
        certificate = certify(made, stream, witness=u)
        assert certificate.holds
        assert verify(certificate, stream).accepted
    searched = certify(made, stream)
    zero = certify(made, stream, witness={})

    def promised(found: Any) -> float:
        return float(found.loss - found.counted + found.bound)

    assert promised(searched) <= promised(zero) + 1e-6


@every
def test_numbers_that_are_stated_too_low_are_rejected(made: Any) -> None:
    stream = rounds()
    certificate = certify(made, stream)
    theorem = theorems.get(certificate.theorem)
    for name, text in certificate.numbers_exact.items():
        number = as_number(text)
        if number <= 0:
            continue
        numbers = {**certificate.numbers_exact, name: as_text(number * 9 / 10)}
        try:
            bound = theorem.bound(**{n: as_number(t) for n, t in numbers.items()})
        except ValueError:
            continue
        forged = replace(certificate, numbers_exact=numbers, bound_exact=as_text(bound))
        assert not verify(forged, stream).accepted, name
    less = as_text(as_number(certificate.counted_exact) - 1)
    forged = replace(certificate, counted_exact=less)
    assert not verify(forged, stream).accepted
    other = [*stream[:-1], (stream[-1][0], not stream[-1][1])]
    assert not verify(certificate, other).accepted


# How near the bounds are -----------------------------------------------------------


def beyond(made: Any, count: int = 400) -> tuple[float, float]:
    """Return regret and bound on outcomes beyond all weights, of one feature."""
    stream = [({0: 1.0}, 1e6)] * count
    weight = made.clone()
    for x, y in stream:
        weight.learn_one(x, y)
    found = certify(made, stream, witness={0: weight.weights_[0]})
    assert found.holds
    return float(found.counted), found.bound


def test_a_regret_below_what_rounding_adds_is_not_certified() -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    stream = streams.arrays(X, np.random.default_rng(1).random(50) < 0.5)
    learner = linear.GradientDescent(rate=1e-16)
    with pytest.raises(PremiseError, match="OGD promises .* less than rounding adds"):
        certify(learner, stream)
    assert certify(linear.GradientDescent(rate=1e-6), stream).holds


def test_outcomes_beyond_all_weights_attain_the_bounds() -> None:
    for made in (
        linear.GradientDescent("absolute", 0.1, bias=0),
        linear.AdaGrad("absolute", normalize=False, bias=0),
        linear.FTRL("absolute", l1=0, normalize=False, bias=0),
        linear.ExponentiatedGradient("absolute", 0.01, 1.0, bias=0),
    ):
        counted, bound = beyond(made)
        assert (1 - 1e-8) * bound < counted <= bound, (made, counted / bound)
    counted, bound = beyond(
        linear.FTRL("absolute", l1=0.2, l2=0.1, normalize=False, bias=0)
    )
    assert 0.9999 * bound < counted <= bound
    counted, bound = beyond(linear.CoinBetting("absolute", bias=0), 18)
    assert 0.7 * bound < counted <= bound


def test_outcomes_in_turn_come_near_the_bound_of_regression() -> None:
    stream = [({0: 1.0}, (-1.0) ** t) for t in range(200)]
    found = certify(linear.VovkAzouryWarmuth(bias=0), stream)
    assert 0.985 * found.bound < found.counted <= found.bound
    assert found.bound < math.log(201) + 1  # no more than the logarithm asks


# Coin betting's lemma -------------------------------------------------------------


def test_the_wealth_is_bounded_for_fractions_too() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        outcomes = rng.uniform(-1, 1, size=rng.integers(1, 40)) * rng.uniform(0, 1)
        a = b = 0.0
        log_wealth = 0.0
        for c in outcomes.tolist():
            log_wealth += math.log1p((a - b) / (a + b + 1) * c)
            a, b = a + max(c, 0.0), b + max(-c, 0.0)
        least = (
            (a + b) * math.log(2) + special.betaln(a + 0.5, b + 0.5) - math.log(np.pi)
        )
        assert log_wealth >= least - 1e-12


def test_the_regret_of_one_coin_is_above_the_conjugate_of_its_wealth() -> None:
    for turns in (0.01, 0.3, 1.0, 2.5, 17.0, 300.0, 1e4):
        shares = np.linspace(0, 1, 2001)
        a, b = turns * (1 + shares) / 2, turns * (1 - shares) / 2
        wealth = (
            turns * math.log(2) + special.betaln(a + 0.5, b + 0.5) - math.log(np.pi)
        )
        for weight in (1e-3, 0.1, 1.0, 7.0, 1e3):
            with np.errstate(over="ignore"):
                behind = float(np.max(weight * turns * shares - np.exp(wealth)))
            assert behind <= float(theorems.coin_regret(weight, turns, 1)) + 1e-9


def test_the_potential_rises_by_at_most_the_root_of_the_growth() -> None:
    for turns in (0.1, 1.0, 30.0):
        for share in (0.0, 0.3, 0.9, 1.0):
            for growth in (1.01, 2.0, 50.0):

                def log_potential(n: float, share: float = share) -> float:
                    a, b = n * (1 + share) / 2, n * (1 - share) / 2
                    beta = float(special.betaln(a + 0.5, b + 0.5))
                    return n * math.log(2) + beta - math.log(math.pi)

                rise = log_potential(turns / growth) - log_potential(turns)
                assert rise <= math.log(growth) / 2 + 1e-12
