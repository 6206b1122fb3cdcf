"""What is ML-Poly's own: regrets above 0, over their squares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from littlestone import theorems
from littlestone.experts import MLPoly
from regretful import FORMS, holds_against

# By hand ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_weights_are_regrets_above_0_over_their_squares(form: Any) -> None:
    learner = MLPoly("absolute", form=form)
    assert learner.play_one([0.0, 1.0], 1.0) == 0.5  # regrets -1/2 and 1/2
    assert dict(learner.weights_) == {0: 0.0, 1: 1.0}
    assert learner.play_one([0.0, 1.0], 0.0) == 1.0  # regrets 1 and 0
    # Both have 1/2 now, over 1 + 5/4 and 1 + 1/4: 4/9 to 4/5.
    assert [*learner.weights_.values()] == pytest.approx([5 / 14, 9 / 14], rel=1e-15)
    assert learner.loss_ == 1.5
    assert dict(learner.losses_) == {0: 1.0, 1: 1.0}
    assert dict(learner.regret_) == {0: 0.5, 1: 0.5}


def test_the_forms_differ_by_the_scale() -> None:
    opera, published = MLPoly("absolute"), MLPoly("absolute", form="published")
    for learner in (opera, published):
        learner.play([[0.0, 0.5], [0.0, 0.5]], [0.5, 0.0])
    # Regrets -1/4 + 1/2 and 1/4; squares 5/16 and 1/16; the largest so far 1/4.
    expected = {opera: [5 / 14, 9 / 14], published: [17 / 38, 21 / 38]}
    for learner, weights in expected.items():
        assert [*learner.weights_.values()] == pytest.approx(weights, rel=1e-15)


@pytest.mark.parametrize("factor", [2.0**-400, 2.0**-30, 8.0, 2.0**90, 2.0**480])
def test_operas_form_has_no_scale(factor: float) -> None:
    small, large = MLPoly("absolute"), MLPoly("absolute")
    rng = np.random.default_rng(9)
    for _ in range(30):
        x, y = rng.random(3), float(rng.random())
        said = small.play_one(x, y)
        assert large.play_one(x * factor, y * factor) == said * factor


def test_slopes_compete_with_mixtures() -> None:
    # The truth lies between two experts who are equally far from it.
    learner = MLPoly("square", gradient=True)
    said = learner.play([[0.0, 1.0]] * 300, [0.3] * 300)
    assert abs(said[-50:].mean() - 0.3) < 0.02


# What the theorem says ----------------------------------------------------------------


def test_each_form_names_its_theorem() -> None:
    assert MLPoly().guarantees == (theorems.ML_POLY,)
    assert MLPoly(form="published").guarantees == (theorems.ML_POLY,)


def test_an_adversary_comes_within_a_factor_of_3_of_the_bound() -> None:
    kind = "against the heaviest"
    assert holds_against(MLPoly, "opera", kind, "steady", [1.0, 1.0]) > 0.35
