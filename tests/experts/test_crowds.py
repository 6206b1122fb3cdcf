"""Several experts at a time: crowds that fill vector registers, and the rest."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from crowds import Crowd, books_agree, same_as_twin
from littlestone import losses
from littlestone.errors import ExampleError
from littlestone.experts import BOA, AdaHedge, ExponentialWeights, MLPoly, MLProd
from littlestone.verifying import twins

RULES: dict[str, Callable[..., Any]] = {
    "AdaHedge": AdaHedge,
    "BOA": BOA,
    "BOA as published": lambda **more: BOA(form="published", **more),
    "ExponentialWeights": lambda **more: ExponentialWeights(0.7, **more),
    "MLPoly": MLPoly,
    "MLPoly as published": lambda **more: MLPoly(form="published", **more),
    "MLProd": MLProd,
    "MLProd as published": lambda **more: MLProd(form="published", **more),
}


@pytest.mark.parametrize("size", [1, 8, 19])
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("even", [True, False])
def test_a_crowd_equals_its_twin(name: str, size: int, even: bool) -> None:
    rng = np.random.default_rng(size)
    experts = size if even else {i: i + 1 for i in range(size)}
    learner = RULES[name](experts=experts)
    advice = rng.random((40, size)).round(rng.integers(1, 12))
    advice[7:9] = 0.5  # nobody is better than the others
    twin = getattr(twins, type(learner).__name__)(**learner.get_params())
    rounds = [dict(enumerate(row)) for row in advice.tolist()]
    same_as_twin(learner, twin, Crowd(rounds, rng.random(40).tolist(), start=size))


@pytest.mark.parametrize(
    "loss",
    ["absolute", "square", losses.pinball(0.3)],
    ids=["absolute", "square", "0.3"],
)
@pytest.mark.parametrize("size", [3, 21, 75])
def test_a_row_checked_while_another_is_played_is_checked_like_any(
    size: int, loss: Any
) -> None:
    rng = np.random.default_rng(size)
    advice, y = rng.random((6, size)), np.zeros(6)
    for row in range(6):
        for expert in {0, size // 2, size - 1}:
            for bad in (np.nan, np.inf, 7.0):  # the loss of 7 is above the range
                spoilt = advice.copy()
                spoilt[row, expert] = bad
                learner, other = (
                    ExponentialWeights(0.7, loss=loss, experts=size) for _ in range(2)
                )
                with pytest.raises(
                    ExampleError, match=f"^row {row}: .*expert {expert}"
                ):
                    learner.play(spoilt, y)
                for x in advice[:row].tolist():
                    other.play_one(x, 0.0)
                assert pickle.dumps(learner) == pickle.dumps(other)


@pytest.mark.parametrize("rate", [0.7, 400.0])  # at 400 most weights vanish
def test_a_crowd_in_wide_registers_equals_its_twin(rate: float) -> None:
    rng = np.random.default_rng(4)
    advice, y = rng.random((40, 77)), rng.random(40)
    learner = ExponentialWeights(rate, experts=77)
    twin = twins.ExponentialWeights(**learner.get_params())
    rounds = zip(advice.tolist(), y.tolist(), strict=True)
    told = [twin.play(dict(enumerate(row)), outcome) for row, outcome in rounds]
    assert learner.play(advice, y).tolist() == told
    books_agree(learner, twin)
