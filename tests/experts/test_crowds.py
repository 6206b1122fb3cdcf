"""Several experts at a time: crowds that fill vector registers, and the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from crowds import Crowd, same_as_twin
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
