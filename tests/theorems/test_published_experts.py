"""The theorems of ML-Prod and BOA as published: by hand, against plain learners.

The learners are written out here from the premises alone.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import theorems
from littlestone.errors import PremiseError
from tries import tried

Array = npt.NDArray[np.float64]
LN2 = math.log(2)
KINDS = ("lots", "against the heaviest", "one is right", "small", "turning")

# By hand ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("identifier", "numbers", "bound"),
    [
        # No rate has fallen: 2 ln N, and half the squares.
        ("ML-PROD-PUB", {"squares": 0, "rounds": 0, "experts": 2}, 2 * LN2),
        ("ML-PROD-PUB", {"squares": 1, "rounds": 1, "experts": 4}, 4 * LN2 + 0.5),
        (
            "ML-PROD-PUB",
            {"squares": 99, "rounds": 99, "experts": 2},
            math.sqrt(100 / LN2)
            * (LN2 + math.log(1 + math.log(25 / LN2) / (2 * math.e)))
            + 20 * math.sqrt(LN2),
        ),
        (
            "ML-PROD-PUB",
            {"squares": 99, "rounds": 399, "experts": 4, "prior": 0.5, "start": 2},
            math.sqrt(100 / LN2)
            * (LN2 + math.log(1 + math.log(100 / LN2) / (2 * math.e)))
            + 20 * math.sqrt(2 * LN2),
        ),
        ("ML-PROD-PUB", {"squares": 0, "rounds": 9, "experts": 1}, 0),
        ("BOA-PUB", {"squares": 0, "rounds": 0, "experts": 2}, 2 * LN2),
        ("BOA-PUB", {"squares": 0.5, "rounds": 1, "prior": 0.25}, 4 * LN2 + 0.25),
        (
            "BOA-PUB",
            {"squares": 100, "rounds": 100, "experts": 2},
            10
            / math.sqrt(LN2)
            * (LN2 + math.log(1 + math.log(25 / LN2) / (2 * math.e)))
            + 20 * math.sqrt(LN2)
            + 0.5,
        ),
        (
            "BOA-PUB",
            {
                "squares": 100,
                "rounds": 400,
                "prior": 0.25,
                "start": 0.5,
                "heaviest": 0.5,
            },
            10
            / math.sqrt(LN2)
            * (2 * LN2 + math.log(1 + math.log(100 / LN2) / (2 * math.e)))
            + 20 * math.sqrt(2 * LN2)
            + 0.5,
        ),
        ("BOA-PUB", {"squares": 0, "rounds": 9, "experts": 1}, 0),
        ("BOA-PUB", {"squares": 0, "rounds": 9, "prior": 1}, 0),
        # A prior multiplies the weight throughout, and acts like fewer experts.
        (
            "ML-PROD",
            {"squares": 0, "rounds": 0, "experts": 4, "prior": 0.5, "scale": 0},
            math.sqrt(1 / (2 * LN2)) * (LN2 + math.log(1.5)) + 2 * math.sqrt(2 * LN2),
        ),
    ],
)
def test_numbers_worked_by_hand(
    identifier: str, numbers: dict[str, Any], bound: float
) -> None:
    computed = theorems.get(identifier).bound(**numbers)
    assert computed == pytest.approx(bound, rel=1e-8, abs=1e-15)
    assert computed >= bound * (1 - 1e-15)


def test_equal_priors_say_the_same_as_the_number_of_experts() -> None:
    for squares in (0, 1.5, 70, 900):
        numbers: dict[str, Any] = {"squares": squares, "rounds": 1000}
        assert theorems.ML_PROD_PUB.bound(
            **numbers, experts=8, prior=0.125
        ) == theorems.ML_PROD_PUB.bound(**numbers, experts=8)
        assert theorems.BOA_PUB.bound(
            **numbers, prior=0.125, heaviest=0.125
        ) == theorems.BOA_PUB.bound(**numbers, experts=8)
        # Not knowing the heaviest prior costs something.
        assert theorems.BOA_PUB.bound(**numbers, prior=0.125) >= theorems.BOA_PUB.bound(
            **numbers, experts=8
        )


def test_more_regret_more_rounds_more_experts_never_bound_less() -> None:
    for theorem in (theorems.ML_PROD_PUB, theorems.BOA_PUB):
        small: dict[str, Any] = {"squares": 3, "rounds": 50, "experts": 3}
        for name, larger in (("squares", 40), ("rounds", 10**6), ("experts", 90)):
            assert theorem.bound(**small | {name: larger}) >= theorem.bound(**small)


# What they say ------------------------------------------------------------------------


@given(st.floats(1, 1e6), st.floats(-700, 700))
def test_the_lemma_behind_both(ratio: float, ln_x: float) -> None:
    # x^(1/a) <= x + ln(a)/e.
    left = math.exp(ln_x / ratio)
    right = math.exp(ln_x) + math.log(ratio) / math.e
    assert left <= right + 1e-12 * (left + right)


@given(st.floats(1, 100))
def test_the_lemma_is_nearly_attained_where_it_is_used(ratio: float) -> None:
    a = 1 + (ratio - 1) / 1e4
    gap = math.log(a) / math.e
    x = a ** (-a / (a - 1)) if a > 1 else 1 / math.e
    assert x ** (1 / a) - x >= 0.9 * gap - 1e-12


@given(st.floats(-0.5, 0.5))
def test_the_inequality_behind_both(x: float) -> None:
    assert math.log1p(x) >= x - x * x - 1e-15


def _charged(kind: str, rng: np.random.Generator, t: int, weights: Array) -> Array:
    n = len(weights)
    losses = np.ones(n)
    match kind:
        case "lots":
            losses = rng.integers(0, 2, n).astype(float)
        case "against the heaviest":
            losses = np.zeros(n)
            losses[weights.argmax()] = 1
        case "one is right":
            losses[-1] = 0
        case "small":
            losses = rng.random(n) * 10.0 ** rng.integers(-6, 1)
        case _:
            losses[t // 30 % n] = 0
    return losses


@tried(0.5)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 8),
    st.sampled_from(KINDS),
    st.sampled_from(["ML-PROD-PUB", "BOA-PUB"]),
    st.booleans(),
)
def test_they_hold_on_every_prefix(
    seed: int, n: int, kind: str, identifier: str, equal: bool
) -> None:
    rng = np.random.default_rng(seed)
    priors = np.full(n, 1 / n)
    if not equal:
        priors = rng.dirichlet(np.full(n, 0.3)) + 1e-9
        priors /= priors.sum()
    price, product = np.log(1 / priors), identifier == "ML-PROD-PUB"

    def rates() -> Array:
        if product:
            return np.minimum(0.5, np.sqrt(math.log(n) / (1 + squares)))
        with np.errstate(divide="ignore"):
            return np.minimum(0.5, np.sqrt(price / squares))

    regrets, squares, spent, logs = (np.zeros(n) for _ in range(4))
    eta = rates()
    for t in range(60):
        awake = rng.random(n) < 0.8
        awake[rng.integers(n)] = True
        exponent = np.where(awake, np.log(priors * eta) + logs, -np.inf)
        weights = np.exp(exponent - exponent.max())
        weights /= weights.sum()
        losses = _charged(kind, rng, t, weights)
        r = np.where(awake, weights @ losses - losses, 0.0)
        regrets, squares, spent = regrets + r, squares + r**2, spent + eta * r**2
        old, eta = eta, rates()
        logs = (
            eta
            / old
            * (logs + (np.log1p(old * r) if product else old * r * (1 - old * r)))
        )
        # The bound while it runs lies between the regret and the bound in numbers.
        together = 1 + priors @ np.log(0.5 / eta) / math.e
        running = (price + math.log(together)) / eta + spent
        assert (regrets <= running + 1e-9).all()
        for i in range(n):
            numbers: dict[str, Any] = {"prior": float(priors[i]) * (1 - 1e-12)}
            if product:
                numbers["experts"] = n
            else:
                numbers["heaviest"] = min(1.0, float(priors.max()) * (1 + 1e-12))
            bound = theorems.get(identifier).bound(
                squares=float(squares[i]) * (1 + 1e-12), rounds=t + 1, **numbers
            )
            assert running[i] <= bound + 1e-9 * (1 + bound), (t, i)


# What is refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("identifier", "numbers", "message"),
    [
        (
            "ML-PROD-PUB",
            {"squares": 5, "rounds": 4, "experts": 2},
            "squares must be at most rounds, as no regret exceeds 1, got 5 in 4",
        ),
        (
            "BOA-PUB",
            {"squares": 5, "rounds": 4, "experts": 2},
            "squares must be at most rounds, as no regret exceeds 1, got 5 in 4",
        ),
        (
            "ML-PROD-PUB",
            {"squares": -1, "rounds": 4, "experts": 2},
            "squares must be at least 0, got -1",
        ),
        (
            "ML-PROD-PUB",
            {"squares": 1, "rounds": 4, "experts": 2, "start": 3},
            "start must be at most experts, got 3 of 2",
        ),
        (
            "ML-PROD",
            {"squares": 1, "rounds": 4, "experts": 2, "start": 3},
            "start must be at most experts, got 3 of 2",
        ),
        (
            "ML-PROD-PUB",
            {"squares": 1, "rounds": 4, "experts": 2, "prior": 2},
            r"prior must lie in \(0, 1\], got 2",
        ),
        (
            "BOA-PUB",
            {"squares": 1, "rounds": 4},
            "either experts or prior must be given, and not both",
        ),
        (
            "BOA-PUB",
            {"squares": 1, "rounds": 4, "prior": 0.5, "start": 0.25},
            "start must be at least the prior, got 0.25",
        ),
        (
            "BOA-PUB",
            {"squares": 1, "rounds": 4, "prior": 0.5, "heaviest": 0.25},
            "heaviest must be at least this expert's prior, got 0.25",
        ),
        (
            "BOA-PUB",
            {"squares": 1, "rounds": 4, "prior": 0.5, "heaviest": 1.5},
            r"heaviest must lie in \(0, 1\], got 1.5",
        ),
        (
            "BOA-PUB",
            {"squares": 1, "rounds": 4, "prior": 0.5, "heaviest": 1},
            "an expert with a prior of 1 must be the only one",
        ),
    ],
)
def test_premises_that_cannot_hold(
    identifier: str, numbers: dict[str, Any], message: str
) -> None:
    with pytest.raises(PremiseError, match=message):
        theorems.get(identifier).bound(**numbers)
