"""What is ML-Prod's own: products of regrets, in opera's form and as published."""

from __future__ import annotations

import math
from typing import Any

import pytest

from littlestone import theorems
from littlestone.experts import MLProd
from regretful import FORMS, holds_against

# By hand ------------------------------------------------------------------------------


def test_the_published_rate_is_the_one_before() -> None:
    learner = MLProd("absolute", form="published")
    assert learner.play_one([0.0, 1.0], 1.0) == 0.5  # regrets -1/2 and 1/2
    # The rate is 1/2 before and after: the products are 1 - 1/4 and 1 + 1/4.
    assert [*learner.weights_.values()] == pytest.approx([0.375, 0.625], rel=1e-14)


def test_operas_rate_is_the_one_after() -> None:
    learner = MLProd("absolute")
    learner.play_one([0.0, 1.0], 1.0)
    eta = math.sqrt(math.log(2) / 1.25)  # less than 1 over twice the regret
    weights = [(1 - eta / 2) / 2, (1 + eta / 2) / 2]
    assert [*learner.weights_.values()] == pytest.approx(weights, rel=1e-14)


def test_products_are_raised_to_the_power_by_which_the_rate_falls() -> None:
    learner = MLProd("absolute", form="published", experts=2)
    squares, products, rates = [0.0, 0.0], [1.0, 1.0], [0.5, 0.5]

    def share() -> float:
        first, second = (eta * w for eta, w in zip(rates, products, strict=True))
        return first / (first + second)

    for _ in range(12):
        learner.play_one([1.0, 0.0], 1.0)
        first = share()
        for i, r in enumerate((1 - first, -first)):
            squares[i] += r * r
            rate = min(0.5, math.sqrt(math.log(2) / (1 + squares[i])))
            products[i] = (products[i] * (1 + rates[i] * r)) ** (rate / rates[i])
            rates[i] = rate
    assert rates[1] < 0.3  # or nothing was tested
    assert learner.weights_[0] == pytest.approx(share(), rel=1e-13)


@pytest.mark.parametrize("form", FORMS)
def test_no_rate_rises_when_others_join(form: Any) -> None:
    learner = MLProd("absolute", form=form, experts=2)
    for _ in range(40):
        learner.play_one([0.0, 1.0], 0.0)
    ratio = learner.weights_[0] / learner.weights_[1]
    for name in range(2, 30):
        learner.join(name, 0.01)
    learner.play_one({2: 0.5}, 0.5)  # with 28 more, who have nothing to do with them
    after = learner.weights_[0] / learner.weights_[1]
    assert after == pytest.approx(ratio, rel=1e-12)


# What the theorem says ----------------------------------------------------------------


def test_each_form_names_its_theorem() -> None:
    assert MLProd().guarantees == (theorems.ML_PROD,)
    assert MLProd(form="published").guarantees == (theorems.ML_PROD_PUB,)


def test_an_adversary_comes_close_to_the_published_bound() -> None:
    near = holds_against(MLProd, "published", "one is right", "steady", [1.0] * 7)
    assert near > 0.8
