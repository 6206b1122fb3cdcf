"""Ties: on whole features every learner says what exact arithmetic says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exact
from littlestone import linear, models
from littlestone.boolean import WinnowDNF
from littlestone.verifying import twins

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SIGNED, BITS = (-2, -1, 0, 1, 2), (0, 1)
CLASSES = (0, 1, 2)

Made = tuple[Any, Any]  # a learner and its oracle

# For n features; then the values and the number of rounds. Oracles of the second order
# are slow.
CASES: dict[str, tuple[Callable[[int], Made], tuple[int, ...], int]] = {
    "Perceptron": (lambda n: (linear.Perceptron(), exact.Perceptron(n)), SIGNED, 60),
    "Perceptron margin": (
        lambda n: (
            linear.Perceptron(update="margin", bias=1),
            exact.Perceptron(n, bias=1, margin=True),
        ),
        SIGNED,
        60,
    ),
    "Perceptron normalize": (
        lambda n: (linear.Perceptron(normalize=True), exact.Normalized(n)),
        SIGNED,
        60,
    ),
    "Perceptron normalize bits": (
        lambda n: (
            linear.Perceptron(normalize=True, update="margin", bias=1),
            exact.Normalized(n, bias=1, margin=True),
        ),
        BITS,
        60,
    ),
    "AveragedPerceptron": (
        lambda n: (linear.AveragedPerceptron(bias=1), exact.Averaged(n, bias=1)),
        SIGNED,
        60,
    ),
    "VotedPerceptron": (
        lambda n: (linear.VotedPerceptron(bias=1), exact.Voted(n, bias=1)),
        SIGNED,
        30,
    ),
    "KernelPerceptron": (
        lambda _: (
            linear.KernelPerceptron("polynomial", degree=3, gamma=0.5),
            exact.Kernel(lambda product: (product / 2 + 1) ** 3),
        ),
        SIGNED,
        30,
    ),
    "SecondOrderPerceptron": (
        lambda n: (
            linear.SecondOrderPerceptron(),
            exact.SecondOrder(n, 1, diagonal=True),
        ),
        SIGNED,
        16,
    ),
    "Winnow": (
        lambda n: (
            linear.Winnow(threshold=2, promotion=1.5),
            exact.Winnow(n, 2, 1.5),
        ),
        BITS,
        60,
    ),
    "Winnow half": (
        lambda n: (
            linear.Winnow(threshold=max(1, n / 2), promotion=1.5),
            exact.Winnow(n, max(1, n / 2), 1.5),
        ),
        BITS,
        60,
    ),
    "Winnow eliminate": (
        lambda n: (
            linear.Winnow(threshold=3, promotion=1.25, eliminate=True),
            exact.Winnow(n, 3, 1.25, eliminate=True),
        ),
        BITS,
        40,
    ),
    "BalancedWinnow": (
        lambda n: (linear.BalancedWinnow(0.1, scale=2), exact.Balanced(n, 0.1)),
        SIGNED,
        30,
    ),
    "BalancedWinnow bias": (
        lambda n: (
            linear.BalancedWinnow(0.5, scale=2, bias=1),
            exact.Balanced(n, 0.5, bias=1),
        ),
        SIGNED,
        30,
    ),
    "MulticlassPerceptron": (
        lambda n: (linear.MulticlassPerceptron(CLASSES), exact.Classes(n, CLASSES)),
        SIGNED,
        40,
    ),
}

# They divide, so their weights are rounded: what differs must be close to a tie.
CLOSE: dict[str, Callable[[int], Made]] = {
    "PassiveAggressive": lambda n: (
        linear.PassiveAggressive(),
        exact.Aggressive(n, 1, "I"),
    ),
    "PassiveAggressive full": lambda n: (
        linear.PassiveAggressive(mode=None),
        exact.Aggressive(n, 1, None),
    ),
    "SecondOrderPerceptron full": lambda n: (
        linear.SecondOrderPerceptron(diagonal=False),
        exact.SecondOrder(n, 1, diagonal=False),
    ),
    "AROW": lambda n: (linear.AROW(), exact.Arow(n, 1, diagonal=True)),
    "AROW full": lambda n: (
        linear.AROW(diagonal=False),
        exact.Arow(n, 1, diagonal=False),
    ),
    "MulticlassPassiveAggressive": lambda n: (
        linear.MulticlassPassiveAggressive(classes=CLASSES),
        exact.Classes(n, CLASSES, C=1, mode="I"),
    ),
    "MulticlassSecondOrder": lambda n: (
        linear.MulticlassSecondOrder(classes=CLASSES),
        exact.Rest(CLASSES, lambda: exact.SecondOrder(n, 1, diagonal=True)),
    ),
    "MulticlassAROW": lambda n: (
        linear.MulticlassAROW(classes=CLASSES),
        exact.Rest(CLASSES, lambda: exact.Arow(n, 1, diagonal=True)),
    ),
}

# They step by roots, logarithms or slopes, or predict numbers: no tie is exact.
INEXACT = {
    "AIOLI",
    "AdaGrad",
    "CoinBetting",
    "ExponentiatedGradient",
    "FTRL",
    "GradientDescent",
    "MulticlassAdaGrad",
    "VovkAzouryWarmuth",
}


def test_there_is_an_oracle_for_every_learner() -> None:
    assert {name.split()[0] for name in [*CASES, *CLOSE, *INEXACT]} == set(
        linear.__all__
    )


@pytest.mark.parametrize("name", CASES)
@given(seed=st.integers(0, 2**32 - 1))
def test_whole_features_tie_as_in_exact_arithmetic(name: str, seed: int) -> None:
    make, values, rounds = CASES[name]
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    learner, oracle = make(n)
    block = learner.clone()
    X = rng.choice(values, size=(rounds, n)).astype(float)
    y = rng.integers(3, size=rounds) if "Multi" in name else rng.random(rounds) < 0.5
    rows = zip(X.astype(int).tolist(), y.tolist(), strict=True)
    said = [oracle.play(tuple(x), t) for x, t in rows]
    assert [learner.play_one(x, t) for x, t in zip(X, y.tolist(), strict=True)] == said
    assert block.play(X, y).tolist() == said


@pytest.mark.parametrize("name", CLOSE)
@given(seed=st.integers(0, 2**32 - 1))
def test_rounded_weights_differ_at_ties_alone(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, many = int(rng.integers(2, 6)), "Multiclass" in name
    learner, oracle = CLOSE[name](n)
    for x in rng.choice(SIGNED, size=(10, n)).tolist():
        y = int(rng.integers(3)) if many else bool(rng.random() < 0.5)
        told, said = learner.play_one(x, y), oracle.play(tuple(x), y)
        if told != said:  # and from here on they may go different ways
            scores = oracle.scores if many else {told: oracle.scored, said: 0}
            assert abs(scores[told] - scores[said]) < 2**-36
            return


# By hand ----------------------------------------------------------------------------


def test_nine_times_four_ninths_are_four() -> None:
    # As doubles they are 4.000000000000001.
    learner = linear.Winnow(threshold=4, promotion=1.5)
    twin = twins.Winnow(threshold=4, promotion=1.5)
    nine: dict[object, float] = dict.fromkeys(range(9), 1.0)
    for _ in range(2):
        assert learner.play_one(nine, False) is twin.play(nine, False) is True
    assert learner.score_one(nine) == 0.0
    assert learner.predict_one({**nine, 0: 0.5}) is False


def test_promotions_and_demotions_come_back_to_the_same_weight() -> None:
    learner = linear.Winnow(threshold=1, promotion=1.5)
    for _ in range(400):  # (w / 1.5) * 1.5 is not always w
        learner.play_one({"a": 1}, False)
        learner.play_one({"a": 1}, True)
    assert learner.score_one({"a": 1}) == 0.0


def test_balanced_winnow_cancels_equal_sums_in_any_order() -> None:
    learner = linear.BalancedWinnow(0.1, scale=3)
    learner.learn_one({"a": 3, "b": 2, "c": 1}, False)
    learner.learn_one({"d": 3, "e": 2, "f": 1}, False)
    for row in ("adbecf", "abcdef", "fbdcea", "cabfde"):
        x = {name: 1 if name in "abc" else -1 for name in row}
        assert learner.score_one(x) == 0.0
        # What is left of two features decides, however heavy the others are.
        assert learner.score_one({**x, "c": 0.5}) > 0
        assert learner.score_one({**x, "f": -0.5}) < 0


def test_heavy_features_that_cancel_leave_the_light_one() -> None:
    learner = linear.BalancedWinnow(1.0, scale=40)
    twin = twins.BalancedWinnow(1.0, scale=40)
    rows: list[dict[object, float]] = [{"a": 40.0, "b": 40.0}, {"c": 1.0}]
    for x in rows:
        assert learner.play_one(x, False) is twin.play(x, False) is True
    assert learner.predict_one({"a": 1, "c": 1, "b": -1}) is False
    assert learner.predict_one({"a": 1, "c": -1, "b": -1}) is True
    assert twin.play({"a": 1.0, "c": 1.0, "b": -1.0}, False) is False


def test_ties_are_the_same_after_save_and_load(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, size=(80, 5)).astype(float)
    y = rng.random(80) < 0.5
    for made in (
        linear.BalancedWinnow(0.1, scale=2),
        linear.Winnow(threshold=2.5, promotion=1.5),
    ):
        whole = made.clone().play(X, y)
        half = made.clone()
        first = half.play(X[:40], y[:40])
        models.save(half, tmp_path / "half.lst")
        rest = models.load(tmp_path / "half.lst").play(X[40:], y[40:])
        assert [*first, *rest] == whole.tolist()


@given(seed=st.integers(0, 2**32 - 1))
def test_terms_tie_as_in_exact_arithmetic(seed: int) -> None:
    rng = np.random.default_rng(seed)
    learner = WinnowDNF(1, features=4, threshold=4)
    twin = twins.WinnowDNF(1, features=4, threshold=4)
    oracle = exact.Winnow(9, 4, 1.5)  # always, each feature and its negation
    for bits in (rng.random((40, 4)) < 0.5).tolist():
        y = bool(rng.random() < 0.5)
        literals = [literal for bit in bits for literal in (bit, not bit)]
        said = oracle.play((1, *map(int, literals)), y)
        x = {j: 1 for j, bit in enumerate(bits) if bit}
        assert learner.play_one(x, y) is said
        assert twin.play(x, y) is said
