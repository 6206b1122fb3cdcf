"""Comparators are the best there is: by brute force, by duality, and as published."""

from __future__ import annotations

import gzip
import itertools
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from data import data_file
from littlestone import losses
from littlestone.comparators import (
    Comparator,
    _simplex,
    best_convex,
    best_expert,
    best_linear,
    best_shifting,
)
from littlestone.errors import ExampleError, LabelError, ParameterError
from littlestone.losses import Loss
from tries import tried

NAN = math.nan

Floats = NDArray[np.float64]


def log_cosh(prediction: Any, outcome: Any) -> Any:
    return np.log(np.cosh(np.subtract(prediction, outcome)))


def log_cosh_slope(prediction: Any, outcome: Any) -> Any:
    return np.tanh(np.subtract(prediction, outcome))


def two_kinks(prediction: Any, outcome: Any) -> Any:
    return np.maximum(np.abs(np.subtract(prediction, outcome)) - 0.5, 0.0)


def two_kinks_slope(prediction: Any, outcome: Any) -> Any:
    miss = np.subtract(prediction, outcome)
    return np.sign(miss) * (np.abs(miss) > 0.5)


NUMBERS = [
    losses.SQUARE,
    losses.ABSOLUTE,
    losses.pinball(0.8),
    losses.PERCENTAGE,
    losses.custom(log_cosh, log_cosh_slope),
    losses.custom(two_kinks, two_kinks_slope),
]


def name_of(loss: Loss) -> str:
    return loss.name


# Quarters, so that sums are exact and ties do happen.
quarters = st.integers(-12, 12).map(lambda n: n / 4)


@st.composite
def games(draw: st.DrawFn, experts: int = 3, rounds: int = 6) -> tuple[Floats, Floats]:
    """Draw predictions of a few experts, and outcomes other than 0."""
    shape = draw(st.integers(1, rounds)), draw(st.integers(1, experts))
    F = draw(arrays(np.float64, shape, elements=quarters))
    y = draw(arrays(np.float64, shape[0], elements=quarters.filter(bool)))
    return F, y


@st.composite
def sleepy_games(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """Draw the same with sleepers, but never all of them."""
    F, y = draw(games(rounds=5))
    awake = draw(arrays(np.bool_, F.shape))
    awake[~awake.any(axis=1), 0] = True
    return np.where(awake, F, NAN), y


@st.composite
def votes(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """Draw yes and no, which experts and outcomes may write in two ways, or classes."""
    alphabets = st.sampled_from([(0.0, 1.0), (-1.0, 1.0), (-1.0, 0.0, 1.0, 2.0)])
    said, told = (st.sampled_from(draw(alphabets)) for _ in range(2))
    awake = ~np.isnan(draw(sleepy_games())[0])
    F = draw(arrays(np.float64, awake.shape, elements=said))
    return np.where(awake, F, NAN), draw(arrays(np.float64, len(F), elements=told))


def in_one_way(F: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return votes with no written as 0, if no is all that 0 and -1 may mean."""
    for values in (F[~np.isnan(F)], y):
        if not (set(values) <= {0.0, 1.0} or set(values) <= {-1.0, 1.0}):
            return F, y
    return np.where(F == -1.0, 0.0, F), np.where(y == -1.0, 0.0, y)


@st.composite
def forecasts(draw: st.DrawFn) -> tuple[Floats, NDArray[np.int64]]:
    """Draw distributions over a few outcomes, and what happened."""
    T, N, K = (draw(st.integers(1, most)) for most in (6, 3, 3))
    parts = draw(arrays(np.float64, (T, N, K), elements=st.integers(1, 9).map(float)))
    y = draw(arrays(np.int64, T, elements=st.integers(0, K - 1)))
    return parts / parts.sum(axis=-1, keepdims=True), y


def simplex(size: int, parts: int = 12) -> list[Floats]:
    """Return the weights that are multiples of 1/parts."""
    counts = itertools.product(range(parts + 1), repeat=size)
    return [np.array(count) / parts for count in counts if sum(count) == parts]


def total(loss: Loss, p: Any, y: Any) -> float:
    return float(np.sum(loss.value(p, y)))


def weights_of(comparator: Comparator) -> Floats:
    assert comparator.weights is not None
    return np.array(list(comparator.weights.values()))


# As published ---------------------------------------------------------------


def electric_load() -> tuple[pd.DataFrame, pd.Series]:
    path = data_file("opera-electric-load/opera_experts.csv.gz")
    with gzip.open(path, "rt") as file:
        frame = pd.read_csv(file)
    return frame[["gam", "ar", "gbm"]], frame["y"]


def test_the_best_expert_of_operas_electric_load() -> None:
    F, y = electric_load()
    best = best_expert(F, y)
    assert best.rmse == pytest.approx(1479.796, abs=5e-4)
    assert best.weights == {"gam": 1.0, "ar": 0.0, "gbm": 0.0}
    each = [best_expert(F[[name]], y).rmse for name in F]
    assert each == pytest.approx([1479.796, 1697.604, 2334.390], abs=5e-4)
    shares = [best_expert(F[[name]], y, loss="percentage").mean for name in F]
    assert shares == pytest.approx([0.0201522, 0.0245759, 0.0288353], abs=5e-8)


def test_the_best_convex_combination_of_operas_electric_load() -> None:
    F, y = electric_load()
    best = best_convex(F, y)
    assert best.weights is not None
    shown = {name: f"{weight:.3g}" for name, weight in best.weights.items()}
    assert shown == {"gam": "0.719", "ar": "0.201", "gbm": "0.0799"}
    assert best.rmse is not None
    assert round(best.rmse, -1) == 1440
    assert best.gap is not None
    assert best.gap <= 1e-10 * best.loss
    share = total(losses.PERCENTAGE, best.predictions, y.to_numpy()) / len(y)
    assert f"{share:.3g}" == "0.0193"


def test_comparators_of_operas_electric_load_are_in_order() -> None:
    F, y = electric_load()
    uniform = F.mean(axis=1).to_numpy()
    share = math.sqrt(total(losses.SQUARE, uniform, y.to_numpy()) / len(y))
    assert share == pytest.approx(1560.170, abs=5e-4)
    expert, convex, linear = best_expert(F, y), best_convex(F, y), best_linear(F, y)
    shifting = best_shifting(F, y).losses()
    assert linear.loss < convex.loss < expert.loss
    assert shifting[0] == pytest.approx(expert.loss)
    assert (np.diff(shifting) <= 0).all()


# By brute force -------------------------------------------------------------


@pytest.mark.parametrize("loss", NUMBERS, ids=name_of)
@tried(1.5)
@given(game=games())
def test_the_best_expert_is_the_one_with_the_least_loss(
    loss: Loss, game: tuple[Floats, Floats]
) -> None:
    F, y = game
    each = [total(loss, F[:, i], y) for i in range(F.shape[1])]
    best = best_expert(F, y, loss)
    assert best.loss == pytest.approx(min(each))
    assert best.weights is not None
    (chosen,) = [i for i, weight in best.weights.items() if weight]
    assert each[chosen] == pytest.approx(min(each))
    assert best.predictions.tolist() == F[:, chosen].tolist()
    assert best.rounds == len(y)
    assert best.mean == pytest.approx(min(each) / len(y))


@pytest.mark.parametrize("loss", NUMBERS, ids=name_of)
@tried(1.5)
@given(game=games())
def test_no_weights_on_a_grid_beat_the_best_convex_combination(
    loss: Loss, game: tuple[Floats, Floats]
) -> None:
    F, y = game
    best = best_convex(F, y, loss)
    u = weights_of(best)
    assert (u >= 0).all()
    assert u.sum() == pytest.approx(1)
    assert best.predictions == pytest.approx(F @ u)
    assert best.loss == pytest.approx(total(loss, F @ u, y))
    least = min(total(loss, F @ v, y) for v in simplex(F.shape[1]))
    assert best.gap is not None
    assert best.loss <= least + 1e-9
    assert best.loss - best.gap <= least + 1e-12


@pytest.mark.parametrize("loss", [losses.LOG, losses.BRIER], ids=name_of)
@tried(1.5)
@given(forecast=forecasts())
def test_no_mixture_of_distributions_beats_the_best_one(
    loss: Loss, forecast: tuple[Floats, NDArray[np.int64]]
) -> None:
    P, y = forecast
    best = best_convex(P, y, loss)
    assert best.predictions.shape == (len(y), P.shape[2])
    assert best.predictions.sum(axis=1) == pytest.approx(1)
    mixtures = [np.einsum("tik,i->tk", P, v) for v in simplex(P.shape[1])]
    least = min(loss.of_distribution(np.minimum(p, 1), y).sum() for p in mixtures)
    assert best.loss <= least + 1e-9
    assert best.gap is not None
    assert best.gap <= 1e-9
    each = loss.of_distribution(P, y[:, None]).sum(axis=0)
    assert best_expert(P, y, loss).loss == pytest.approx(each.min())


def test_the_gap_is_small_and_the_how_is_told_for_every_loss() -> None:
    rng = np.random.default_rng(1)
    F, y = rng.normal(size=(300, 6)) + 5, rng.normal(size=300) + 5
    for loss, how in zip(
        NUMBERS,
        ["active set", *["linear programming"] * 3, "Newton's method", "cutting"],
        strict=True,
    ):
        best = best_convex(F, y, loss)
        assert best.gap is not None
        assert best.gap <= 2e-9 * best.loss
        assert best.how.startswith(how)
    P, z = rng.dirichlet(np.ones(3), size=(300, 6)), rng.integers(3, size=300)
    for loss, how in [(losses.LOG, "Newton's method"), (losses.BRIER, "active set")]:
        best = best_convex(P, z, loss)
        assert best.gap is not None
        assert best.gap <= 1e-10 * best.loss
        assert best.how.startswith(how)


# What is proved from below must hold whether or not the solver has succeeded: so it is
# asked for at weights and prices that are far from the best.


@given(game=games(), seed=st.integers(0, 2**32 - 1))
def test_any_weights_bound_the_least_square_loss(
    game: tuple[Floats, Floats], seed: int
) -> None:
    F, y = game
    points = F - y[:, None]
    least = min(float(np.square(points @ v).sum()) for v in simplex(F.shape[1]))
    u = np.random.default_rng(seed).dirichlet(np.ones(F.shape[1]))
    assert _simplex.nearest_bound(points, points @ u) <= least


def test_the_bound_of_a_point_worked_by_hand() -> None:
    # The nearest of 2 and 1 is 1; the tangent at 2 says 4 - 4, that at 1.5 3 - 2.25.
    points = np.array([[2.0, 1.0]])
    for x, bound in [(2.0, 0.0), (1.5, 0.75), (1.0, 1.0)]:
        assert _simplex.nearest_bound(points, np.array([x])) == pytest.approx(bound)


@given(game=games(), seed=st.integers(0, 2**32 - 1))
def test_any_prices_bound_the_least_pinball_loss(
    game: tuple[Floats, Floats], seed: int
) -> None:
    F, y = game
    least = min(total(losses.pinball(0.8), F @ v, y) for v in simplex(F.shape[1]))
    prices = 2 * np.random.default_rng(seed).normal(size=len(y))
    over, under = np.full(len(y), 0.2), np.full(len(y), 0.8)
    assert _simplex.kinked_bound(F - y[:, None], over, under, prices) <= least + 1e-12


@given(game=games(), seed=st.integers(0, 2**32 - 1))
def test_any_weights_bound_the_least_smooth_loss(
    game: tuple[Floats, Floats], seed: int
) -> None:
    F, y = game

    def curves(p: Floats) -> tuple[Floats, Floats, Floats]:
        return log_cosh(p, y), log_cosh_slope(p, y), np.ones(len(y))

    least = min(log_cosh(F @ v, y).sum() for v in simplex(F.shape[1]))
    u = np.random.default_rng(seed).dirichlet(np.ones(F.shape[1]))
    here = _simplex.place(F, curves, u)
    assert here.loss == pytest.approx(log_cosh(F @ u, y).sum())
    assert here.bound() <= least + 1e-12  # the logarithm of 1.03 is rounded too


@given(game=games(), cuts=st.integers(1, 3))
def test_a_search_cut_short_proves_no_more_than_it_knows(
    game: tuple[Floats, Floats], cuts: int
) -> None:
    F, y = game

    def curves(p: Floats) -> tuple[Floats, Floats, Floats]:
        return two_kinks(p, y), two_kinks_slope(p, y), np.ones(len(y))

    least = min(two_kinks(F @ v, y).sum() for v in simplex(F.shape[1]))
    found = _simplex.smooth("a test", F, curves, rounds=1, cuts=cuts)
    assert found.below is not None
    assert found.below <= least + 1e-12


@pytest.mark.parametrize("loss", NUMBERS[:5], ids=name_of)
@given(game=games(), seed=st.integers(0, 2**32 - 1))
def test_no_linear_combination_nearby_beats_the_best_one(
    loss: Loss, game: tuple[Floats, Floats], seed: int
) -> None:
    F, y = game
    best = best_linear(F, y, loss)
    u = weights_of(best)
    assert best.loss == pytest.approx(total(loss, F @ u, y), abs=1e-12)
    rng = np.random.default_rng(seed)
    for size in (1e-3, 0.1, 1.0, 10.0):
        for _ in range(10):
            v = u + size * rng.normal(size=len(u))
            assert best.loss <= total(loss, F @ v, y) + 1e-7


@given(game=games(), ridge=st.sampled_from([0.5, 1.0, 4.0]))
def test_ridge_solves_the_normal_equations(
    game: tuple[Floats, Floats], ridge: float
) -> None:
    F, y = game
    best = best_linear(F, y, ridge=ridge)
    normal = F.T @ F + ridge * np.eye(F.shape[1])
    assert normal @ weights_of(best) == pytest.approx(F.T @ y, abs=1e-9)
    assert best.loss == pytest.approx(total(losses.SQUARE, best.predictions, y))
    same = losses.custom(losses.SQUARE.value, losses.SQUARE.slope, name="mine")
    assert weights_of(best_linear(F, y, same, ridge=ridge)) == pytest.approx(
        weights_of(best), abs=1e-4
    )


def sequences(awake: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    choices = [np.flatnonzero(row).tolist() for row in awake]
    return list(itertools.product(*choices))


def changes(sequence: tuple[Any, ...]) -> int:
    return sum(a != b for a, b in itertools.pairwise(sequence))


@pytest.mark.parametrize(
    "loss", [losses.SQUARE, losses.ABSOLUTE, losses.ZERO_ONE], ids=name_of
)
@tried(2)
@given(game=st.one_of(games(rounds=5), sleepy_games(), votes()))
@example(game=(np.array([[-1.0]]), np.array([1.0])))
@example(game=(np.array([[0.0]]), np.array([-1.0])))
def test_no_sequence_with_so_many_switches_beats_the_best_one(
    loss: Loss, game: tuple[Floats, Floats]
) -> None:
    F, y = game
    awake = ~np.isnan(F)
    curve = best_shifting(F, y, loss, missing="sleep")
    known = curve.losses()
    assert len(curve) == len(known) == len(y)
    if loss is losses.ZERO_ONE:
        F, y = in_one_way(F, y)
    rounds = np.arange(len(y))
    all_of_them = [
        (changes(path), total(loss, F[rounds, list(path)], y))
        for path in sequences(awake)
    ]
    assert curve.fewest == min(count for count, _ in all_of_them)
    floor = min(value for _, value in all_of_them)
    assert curve.enough == min(count for count, value in all_of_them if value == floor)
    for s in range(len(y)):
        least = [value for count, value in all_of_them if count <= s]
        if not least:
            assert known[s] == math.inf
            with pytest.raises(ParameterError, match=f"at least {curve.fewest}"):
                curve[s]
            continue
        best = best_shifting(F, y, loss, switches=s, missing="sleep")
        assert best.sequence is not None
        assert known[s] == best.loss == min(least)
        assert best.switches is not None
        assert best.switches <= s
        assert best.switches == changes(best.sequence)
        path = list(best.sequence)
        assert awake[rounds, path].all()
        assert best.predictions.tolist() == F[rounds, path].tolist()
        assert total(loss, best.predictions, y) == min(least)


def test_more_layers_than_one_block_and_layers_asked_for_out_of_order() -> None:
    rng = np.random.default_rng(2)
    F, y = rng.normal(size=(300, 4)), rng.normal(size=300)
    curve = best_shifting(F, y)
    assert curve.enough > 150
    late, early = curve[curve.enough], curve[3]
    assert late.loss == pytest.approx(np.square(F - y[:, None]).min(axis=1).sum())
    for s, best in ((3, early), (curve.enough, late)):
        assert best.loss == pytest.approx(curve.losses()[s])
        assert best.switches == s
        assert best_shifting(F, y, switches=s).sequence == best.sequence
    assert curve[10**9].sequence == late.sequence
    assert curve.losses(most=5).tolist() == curve.losses()[:6].tolist()
    assert next(iter(curve)).loss == pytest.approx(best_expert(F, y).loss)


@pytest.mark.parametrize("spread", [0.01, 0.1, 1.0, 10.0])
def test_forecasters_who_are_almost_certain_and_twins(spread: float) -> None:
    # Probabilities down to 1e-300 and below, and experts who say the same.
    rng = np.random.default_rng(5)
    for _ in range(20):
        T, N = rng.integers(1, 40), rng.integers(1, 8)
        P = rng.dirichlet(np.full(3, spread), size=(T, N))
        P[:, -1] = P[:, 0]
        y = rng.integers(3, size=T)
        for loss in ("log", "brier"):
            best = best_convex(P, y, loss)
            assert best.gap is not None
            assert best.gap <= 1e-8 * best.loss or math.isinf(best.loss)


def test_a_point_that_enters_for_nothing_leaves_at_once() -> None:
    # Only rounding lets such a point in, so it is handed in here.
    points, weights = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([1.0, 0.0])
    entered = _simplex._entered  # noqa: SLF001 - the part that rounding reaches
    chosen, left = entered(points, [0, 1], weights)
    assert (chosen, left.tolist()) == ([0], [1.0])


# Who sleeps -----------------------------------------------------------------


@tried(2)
@given(sleepy_games())
def test_the_best_expert_has_the_least_mean_over_its_own_rounds(
    game: tuple[Floats, Floats],
) -> None:
    F, y = game
    awake = ~np.isnan(F)
    means = [
        losses.SQUARE.value(F[rows, i], y[rows]).mean() if rows.any() else math.inf
        for i, rows in enumerate(awake.T)
    ]
    best = best_expert(F, y, missing="sleep")
    assert best.mean == pytest.approx(min(means))
    (chosen,) = np.flatnonzero(weights_of(best))
    assert best.rounds == awake[:, chosen].sum()
    assert np.array_equal(best.predictions, F[:, chosen], equal_nan=True)


@pytest.mark.parametrize("loss", NUMBERS[:2], ids=name_of)
@given(game=sleepy_games())
def test_weights_are_scaled_up_over_those_awake(
    loss: Loss, game: tuple[Floats, Floats]
) -> None:
    F, y = game
    awake = ~np.isnan(F)
    best = best_convex(F, y, loss, missing="sleep")
    if awake.all():
        return
    u = weights_of(best)
    mixed = np.where(awake, F, 0) @ u / (awake @ u)
    assert best.predictions == pytest.approx(mixed)
    assert best.loss == pytest.approx(total(loss, mixed, y))
    assert best.gap is None
    assert best.how.startswith("local search")
    everyone = np.full(F.shape[1], 1 / F.shape[1])
    uniform = np.where(awake, F, 0) @ everyone / (awake @ everyone)
    assert best.loss <= total(loss, uniform, y) + 1e-9


def test_the_search_among_sleepers_finds_what_a_grid_finds() -> None:
    rng = np.random.default_rng(3)
    F, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    F[rng.random(F.shape) < 0.3] = NAN
    F[np.isnan(F).all(axis=1), 0] = 0.0
    awake, quiet = ~np.isnan(F), np.nan_to_num(F)
    P = rng.dirichlet(np.ones(3), size=(60, 3))
    happened, chances = rng.integers(3, size=60), np.where(awake[..., None], P, NAN)
    inside = [v for v in simplex(3, 40) if (v > 0).all()]
    for loss in (
        losses.SQUARE,
        losses.ABSOLUTE,
        losses.custom(log_cosh, log_cosh_slope),
    ):
        least = min(total(loss, quiet @ v / (awake @ v), y) for v in inside)
        assert best_convex(F, y, loss, missing="sleep").loss <= least
    for loss in (losses.LOG, losses.BRIER):
        heard = np.where(awake[..., None], P, 0)
        mixtures = [
            np.einsum("tik,i->tk", heard, v) / (awake @ v)[:, None] for v in inside
        ]
        least = min(
            loss.of_distribution(np.minimum(p, 1), happened).sum() for p in mixtures
        )
        best = best_convex(chances, happened, loss, missing="sleep")
        assert best.loss <= least
        assert best.predictions.sum(axis=1) == pytest.approx(1)


def test_a_sleeper_that_never_wakes_is_never_the_best() -> None:
    F = [[NAN, 2.0], [NAN, 3.0]]
    assert best_expert(F, [1, 1], missing="sleep").weights == {0: 0.0, 1: 1.0}
    assert best_shifting(F, [1, 1], switches=1, missing="sleep").sequence == (1, 1)
    best = best_expert([[NAN, 0.0]], [1], loss="log", missing="sleep")
    assert best.weights == {0: 0.0, 1: 1.0}


# What may be handed in ------------------------------------------------------


def test_frames_name_the_experts() -> None:
    data = {"a": [1.0, 2.0, 4.0], "b": [0.0, 3.0, 3.0]}
    y = [0.0, 2.0, 4.0]
    for frame in (pd.DataFrame(data), pl.DataFrame(data)):
        series = pd.Series(y) if isinstance(frame, pd.DataFrame) else pl.Series(y)
        assert best_expert(frame, series).weights == {"a": 1.0, "b": 0.0}
        assert set(best_convex(frame, series).weights or ()) == {"a", "b"}
        best = best_shifting(frame, series, switches=1)
        assert best.sequence == ("b", "a", "a")


def test_missing_cells_of_frames_sleep() -> None:
    plain = {"a": [1.0, None, 4.0], "b": [0.0, 3.0, 3.0]}
    nullable = pd.DataFrame(plain, dtype="Float64")
    for frame in (pl.DataFrame(plain), nullable, pd.DataFrame(plain)):
        best = best_shifting(frame, [1, 3, 4], switches=2, missing="sleep")
        assert best.sequence == ("a", "b", "a")


def test_probabilities_of_a_yes_and_distributions_agree() -> None:
    rng = np.random.default_rng(4)
    p, y = rng.uniform(0.05, 0.95, size=(40, 3)), rng.integers(2, size=40)
    both = np.stack([1 - p, p], axis=-1)
    for loss in ("log", "brier"):
        for best in (best_expert, best_convex):
            one, two = best(p, y, loss), best(both, y, loss)
            assert one.loss == pytest.approx(two.loss, rel=1e-9)
            assert weights_of(one) == pytest.approx(weights_of(two), abs=1e-6)
            assert one.predictions == pytest.approx(two.predictions[:, 1], abs=1e-6)
        known = best_shifting(p, y, loss).losses()
        assert known == pytest.approx(best_shifting(both, y, loss).losses())


@pytest.mark.parametrize(("no", "said_no"), [(0, -1), (-1, 0), (-1, -1), (0, 0)])
def test_labels_may_be_written_either_way(no: int, said_no: int) -> None:
    F = np.array([[1, said_no], [said_no, said_no], [1, 1]])
    y = [no, no, 1]
    best = best_expert(F, y, loss="zero-one")
    assert (best.loss, best.weights) == (0.0, {0: 0.0, 1: 1.0})


def test_three_labels_stay_three() -> None:
    assert best_expert([[-1], [0], [1]], [0, 0, 1], loss="zero-one").loss == 1.0


def test_a_loss_that_takes_single_numbers_only() -> None:
    def late(prediction: float, outcome: float) -> float:
        return 3.0 if prediction > outcome else 0.0

    best = best_expert([[1, 0], [1, 2]], [1, 1], loss=late)
    assert (best.loss, best.weights) == (0.0, {0: 1.0, 1: 0.0})
    assert best.charged.name == "late"


def test_an_infinite_loss_is_no_exception() -> None:
    certain = [[0.0, 0.0], [0.5, 0.25]]
    best = best_convex(certain, [1, 1], loss="log")
    assert best.loss == math.inf
    assert "infinite" in best.how
    half = best_convex([[0.0, 0.5], [0.5, 0.0]], [1, 1], loss="log")
    assert half.loss == pytest.approx(2 * math.log(4))
    path = best_shifting([[0.0, NAN], [0.0, 0.5]], [1, 1], "log", missing="sleep")
    assert path[1].sequence == (0, 1)
    assert path[1].loss == math.inf


def test_predictions_cannot_be_changed_and_the_input_is_not() -> None:
    F, y = np.array([[1.0, NAN], [0.0, 2.0]]), np.array([1.0, 2.0])
    before = F.copy()
    for best in (best_expert, best_convex):
        with pytest.raises(ValueError, match="read-only"):
            best(F, y, missing="sleep").predictions[0] = 0.0
    best_shifting(F, y, missing="sleep").losses()
    assert np.array_equal(F, before, equal_nan=True)


def test_what_is_printed() -> None:
    F = pd.DataFrame({"north": [1.0, 1.0, 1.0], "south": [3.0, 3.0, 3.0]})
    y = [1.0, 1.0, 3.0]
    assert repr(best_expert(F, y)) == (
        "Comparator(expert: square loss 4 over 3 rounds, rmse 1.155)"
    )
    shifting = best_shifting(F, y, "absolute", switches=1)
    assert repr(shifting) == (
        "Comparator(shifting: absolute loss 0 over 3 rounds, 1 switch)"
    )
    assert str(shifting).splitlines() == [
        "best sequence of experts, absolute loss",
        "  loss 0, mean 0, 3 rounds",
        "  gap at most 0.0e+00 (dynamic programming)",
        "  rounds 0 to 1: north",
        "  rounds 2 to 2: south",
    ]
    lines = str(best_convex(F, y, "absolute")).splitlines()
    assert lines[0] == "best convex combination, absolute loss"
    assert lines[-1] == "  north: 1"
    many = best_linear(np.eye(20), np.arange(20.0) + 1)
    assert str(many).splitlines()[-1] == "  and 10 more"
    assert repr(best_shifting(F, y)) == (
        "ShiftingCurve(square loss, 3 rounds, enough=1)"
    )


# What is refused ------------------------------------------------------------

ALL = [best_expert, best_convex, best_linear, best_shifting]


@pytest.mark.parametrize("best", ALL)
@pytest.mark.parametrize(
    ("F", "y", "message"),
    [
        ([1.0, 2.0], [1.0, 2.0], "rounds x experts, .* got 1 dimension"),
        ([[1.0], [2.0]], [1.0], r"one outcome for each of 2 rounds, got shape \(1,\)"),
        ([[1.0], [2.0]], [[1.0], [2.0]], r"got shape \(2, 1\)"),
        (np.zeros((0, 2)), [], "at least one round, got 0"),
        (np.zeros((2, 0)), [1.0, 2.0], "at least one expert, got 0"),
        ([[1.0], [2.0, 3.0]], [1.0, 2.0], "the rows of F must be equally long"),
        ([["1"], ["2"]], [1.0, 2.0], "row 0: .*: F must hold numbers, got '1'"),
        ([[1.0], [2.0]], [1.0, "b"], "y must hold numbers, got"),
        (np.zeros((2, 1, 2)), [0, 1], "distributions for log and brier loss only"),
        (np.ma.masked_array([[1.0]], mask=[[True]]), [1.0], "no masked cells"),
        (
            pd.DataFrame([[1, 2]], columns=["a", "a"]),
            [1.0],
            "each expert must appear once, got 'a' twice",
        ),
    ],
)
def test_shapes_that_do_not_fit(best: Any, F: Any, y: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message) as caught:
        best(F, y)
    assert best.__name__ in str(caught.value)


@pytest.mark.parametrize("best", ALL)
@pytest.mark.parametrize("value", [NAN, math.inf, -math.inf])
def test_a_prediction_that_is_not_finite_names_row_and_expert(
    best: Any, value: float
) -> None:
    F = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, value]})
    with pytest.raises(ExampleError, match="row 1: .*expert 'b' must give a") as caught:
        best(F, [1.0, 2.0])
    assert (caught.value.row, caught.value.feature) == (1, "b")
    may_sleep = math.isnan(value) and best is not best_linear
    assert ("missing='sleep'" in str(caught.value)) == may_sleep
    if best is not best_linear and not math.isnan(value):
        with pytest.raises(ExampleError, match="row 1: .*expert 'b'"):
            best(F, [1.0, 2.0], missing="sleep")


@pytest.mark.parametrize("best", ALL)
def test_an_outcome_that_is_not_finite_names_its_row(best: Any) -> None:
    with pytest.raises(LabelError, match="row 1: .*a finite number, got nan") as caught:
        best([[1.0], [2.0]], [1.0, NAN])
    assert caught.value.row == 1
    with pytest.raises(LabelError, match="row 0: .*a number other than 0, got 0.0"):
        best([[1.0], [2.0]], [0.0, 1.0], "percentage")


@pytest.mark.parametrize("best", [best_expert, best_convex, best_shifting])
@pytest.mark.parametrize("loss", ["log", "brier"])
def test_what_is_no_probability_or_no_outcome(best: Any, loss: str) -> None:
    with pytest.raises(
        ExampleError, match=r"row 1: .*expert 0 .* in \[0, 1\], got 1.5"
    ):
        best([[0.5], [1.5]], [0, 1], loss)
    with pytest.raises(LabelError, match="row 0: .*whole number from 0 to 1, got 2.0"):
        best([[0.5], [0.5]], [2, 1], loss)
    P = np.full((2, 2, 4), 0.25)
    with pytest.raises(LabelError, match="row 1: .*whole number from 0 to 3, got 4.0"):
        best(P, [0, 4], loss)
    with pytest.raises(LabelError, match="row 1: .*whole number from 0 to 3, got 0.5"):
        best(P, [0, 0.5], loss)
    P[1, 1] = [0.5, 0.5, 0.5, 0.5]
    with pytest.raises(ExampleError, match="row 1: .*expert 1 .* that add to 1, got"):
        best(P, [0, 3], loss)
    P[1, 1] = [1.5, -0.5, 0.0, 0.0]
    with pytest.raises(ExampleError, match=r"row 1: .*expert 1 .* in \[0, 1\]"):
        best(P, [0, 3], loss)
    P[1, 1] = [NAN, 0.5, 0.5, 0.0]
    with pytest.raises(ExampleError, match="row 1: .*expert 1 must be finite"):
        best(P, [0, 3], loss, missing="sleep")


def test_a_loss_too_large_for_a_number() -> None:
    with (
        np.errstate(over="ignore"),
        pytest.raises(
            ExampleError, match="row 0: .*expert 1 must have a finite square"
        ),
    ):
        best_convex([[1.0, 1e200]], [1.0])


@pytest.mark.parametrize("best", [best_convex, best_shifting])
def test_a_round_in_which_all_sleep(best: Any) -> None:
    with pytest.raises(ExampleError, match="row 1: .*awake in every round, got none"):
        best([[1.0, 2.0], [NAN, NAN]], [1.0, 2.0], missing="sleep")


def test_arguments_that_make_no_sense() -> None:
    F, y = [[1.0, 2.0]], [1.0]
    bad: Any = "drop"
    with pytest.raises(ParameterError, match="missing must be 'refuse' or 'sleep'"):
        best_expert(F, y, missing=bad)
    with pytest.raises(ParameterError, match="loss must be 'zero-one'"):
        best_expert(F, y, loss="sqaure")
    for bad in (-1, NAN, math.inf, None):
        with pytest.raises(ParameterError, match="ridge must be a number of at"):
            best_linear(F, y, ridge=bad)
    with pytest.raises(ParameterError, match="ridge must be 0 unless"):
        best_linear(F, y, loss="absolute", ridge=1.0)
    with pytest.raises(ParameterError, match="need not be a probability"):
        best_linear([[0.5]], [1], loss="log")
    for best in (best_convex, best_linear):
        with pytest.raises(ParameterError, match="labels have no weighted mean"):
            best(F, y, loss="zero-one")
        with pytest.raises(ParameterError, match="needs its slope"):
            best(F, y, loss=log_cosh)
    for bad in (-1, 1.5, True, "2"):
        with pytest.raises(ParameterError, match="switches must be a whole number"):
            best_shifting(F, y, switches=bad)


def test_without_scipy_a_linear_program_says_what_to_install() -> None:
    script = """
import sys
sys.modules["scipy"] = None  # as if it were not installed
from littlestone.comparators import best_convex, best_expert, best_linear
from littlestone.errors import MissingPackageError
F, y = [[1.0, 2.0], [2.0, 4.0]], [1.5, 2.5]
best_convex(F, y), best_linear(F, y), best_expert(F, y)
for best in best_convex, best_linear:
    try:
        best(F, y, loss="absolute")
    except MissingPackageError as error:
        print(error)
"""
    said = subprocess.check_output([sys.executable, "-c", script], text=True)
    for line, name in zip(said.splitlines(), ["convex", "linear"], strict=True):
        assert line == (
            f"best_{name}: this loss needs SciPy, which is not installed: "
            "pip install 'littlestone[solvers]'"
        )
