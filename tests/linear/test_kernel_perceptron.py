"""The kernel Perceptron is the Perceptron in the space of its kernel."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from littlestone import run, streams
from littlestone.errors import ExampleError, FeatureError, ParameterError
from littlestone.linear import KernelPerceptron, Perceptron
from littlestone.theorems import (
    KPERC_BUDGET,
    PERC_FS,
    PERC_HINGE,
    PERC_RMS,
    PERC_SEP,
    PERC_TD,
)
from littlestone.verifying import twins
from witness import DYADIC, UP, signs
from worlds import World, worlds


def product(x: Mapping[Any, float], z: Mapping[Any, float]) -> float:
    """Return the linear kernel, added up in the order of the second example."""
    total = 0.0
    for name, value in z.items():
        total += x.get(name, 0.0) * value
    return total


# What the source says -----------------------------------------------------------


def test_it_keeps_the_examples_it_got_wrong() -> None:
    learner = KernelPerceptron()
    assert learner.play_one({"a": 1.0, "b": 2.0, "c": 0.0}, y=False)
    assert not learner.play_one({"a": 1.0}, y=True)
    assert not learner.play_one({"b": 1.0}, y=False)
    assert learner.supports_ == [(False, {"a": 1.0, "b": 2.0}), (True, {"a": 1.0})]
    assert learner.score_one({"a": 3.0, "b": 1.0}) == -3 - 2 + 3
    assert learner.updates_ == 2


def test_the_margin_rule_keeps_a_correct_tie() -> None:
    learner = KernelPerceptron(update="margin")
    assert learner.play_one({"a": 1.0}, y=True)
    assert learner.supports_ == [(True, {"a": 1.0})]
    learner.learn_one({"a": 1.0}, y=True)
    assert learner.updates_ == 1


def test_the_polynomial_by_hand() -> None:
    learner = KernelPerceptron("polynomial", degree=2, gamma=0.5, offset=3)
    learner.learn_one({"a": 1.0, "b": 2.0}, y=False)
    assert learner.score_one({"a": 2.0, "b": 1.0}) == -((0.5 * 4 + 3) ** 2)
    assert learner.score_one({"c": 1.0}) == -9


def test_the_gaussian_by_hand() -> None:
    learner = KernelPerceptron("gaussian", gamma=0.5)
    learner.learn_one({"a": 1.0, "b": 2.0}, y=False)
    score = learner.score_one({"a": 2.0, "c": 1.0})  # a squared distance of 1 + 4 + 1
    assert score == pytest.approx(-math.exp(-3), rel=1e-15)
    assert learner.score_one({"a": 1.0, "b": 2.0}) == -1.0
    assert learner.score_one({"a": 1e9}) == 0.0


@given(worlds(DYADIC), st.sampled_from(["mistake", "margin"]))
def test_the_linear_kernel_says_what_the_perceptron_says(
    world: World, update: Any
) -> None:
    kernel, plain = KernelPerceptron(update=update), Perceptron(update=update)
    for x, y in zip(world.X, world.y, strict=True):
        assert kernel.score_one(x) == plain.score_one(x)
        assert kernel.play_one(x, y) == plain.play_one(x, y)
    assert kernel.updates_ == plain.updates_


def test_the_linear_kernel_says_what_the_perceptron_says_on_many_rows() -> None:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(2_000, 30))
    y = X @ rng.normal(size=30) + 2 * rng.normal(size=2_000) > 0
    kernel, plain = KernelPerceptron(), Perceptron()
    assert kernel.play(X, y).tolist() == plain.play(X, y).tolist()
    assert kernel.updates_ == plain.updates_ > 400
    total = sum((1 if label else -1) * x[3] for label, x in kernel.supports_)
    assert total == pytest.approx(plain.weights_[3])


@given(
    worlds(), st.integers(1, 5), st.sampled_from([0.25, 1.0]), st.sampled_from([0.0, 2])
)
def test_values_are_those_of_the_formulas(
    world: World, degree: int, gamma: float, offset: float
) -> None:
    n = world.X.shape[1]
    kernels: dict[Any, Callable[[Any, Any], Any]] = {
        "linear": lambda X, x: X @ x,
        "polynomial": lambda X, x: (gamma * X @ x + offset) ** degree,
        "gaussian": lambda X, x: np.exp(-gamma * ((X - x) ** 2).sum(axis=1)),
    }
    for name, formula in kernels.items():
        learner = KernelPerceptron(name, degree=degree, gamma=gamma, offset=offset)
        learner.play(world.X, world.y)
        kept = np.array(
            [[x.get(j, 0.0) for j in range(n)] for _, x in learner.supports_]
        ).reshape(-1, n)
        y = signs(np.array([label for label, _ in learner.supports_], bool))
        for x in world.X[:10]:
            values = y * formula(kept, x)
            near = 1e-12 * (1 + np.abs(values).sum())
            assert learner.score_one(x) == pytest.approx(values.sum(), abs=near)


def test_exclusive_or_is_learned() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [False, True, True, False]
    for learner in (
        KernelPerceptron("gaussian", gamma=2.0),
        KernelPerceptron("polynomial", degree=2),
        KernelPerceptron(lambda x, z: (1 + product(x, z)) ** 2),
    ):
        record = run(learner, streams.arrays(X, y), passes=30)
        assert record.mistakes < 30
        assert learner.predict(X).tolist() == y


# A kernel that is a function ------------------------------------------------------


def feed_arrays(learner: Any, world: World) -> list[bool]:
    return list(learner.play(world.X, world.y))


def feed_csr(learner: Any, world: World) -> list[bool]:
    return list(learner.play(sp.csr_array(world.X), world.y))


def feed_mappings(learner: Any, world: World) -> list[bool]:
    return list(learner.play([x for x, _ in world.examples()], world.y))


def feed_one_by_one(learner: Any, world: World) -> list[bool]:
    said = []
    for x, y in zip(world.X, world.y, strict=True):
        said.append(learner.predict_one(x))
        learner.learn_one(x, y)
    return said


def feed_run(learner: Any, world: World) -> list[bool]:
    said: list[bool] = []
    stream = streams.arrays(world.X, world.y)
    run(learner, stream, observe=lambda batch: said.extend(batch.predictions))
    return said


def feed_pickled(learner: Any, world: World) -> list[bool]:
    half = len(world.y) // 2
    first = list(learner.play(world.X[:half], world.y[:half]))
    copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
    assert copy.supports_ == learner.supports_
    said = first + list(copy.play(world.X[half:], world.y[half:]))
    learner.__setstate__(copy.__getstate__())
    return said


FEEDS = (
    feed_arrays,
    feed_csr,
    feed_mappings,
    feed_one_by_one,
    feed_run,
    feed_pickled,
)


def noisy(rows: int = 300, columns: int = 6) -> World:
    rng = np.random.default_rng(6)
    X = rng.choice([-2.5, -0.3, 0.0, 0.0, 0.1, 1.0], size=(rows, columns))
    return World(X, X @ rng.normal(size=columns) + rng.normal(size=rows) > 0)


@pytest.mark.parametrize("budget", [None, 9])
@pytest.mark.parametrize("feed", FEEDS)
def test_a_function_gives_the_bits_of_the_native_kernel(
    feed: Callable[[Any, World], list[bool]], budget: int | None
) -> None:
    world = noisy()
    native = KernelPerceptron(budget=budget, seed=5)
    called = KernelPerceptron(product, budget=budget, seed=5)
    expected = native.play(world.X, world.y).tolist()
    assert feed(called, world) == expected
    # Natively the features of an example stand in the order they were first learned.
    assert called.supports_ == native.supports_
    assert called.updates_ == native.updates_ > 30
    scores = called.decision_function(world.X)
    assert scores.tolist() == native.decision_function(world.X).tolist()
    assert called.predict(world.X).tolist() == (scores >= 0).tolist()
    again = feed(called.clone(), world)
    assert again == expected
    assert called.guarantees == native.guarantees


def test_a_function_is_fed_frames_by_name() -> None:
    world = noisy()
    frame = pd.DataFrame(world.X, columns=list("abcdef"))
    native, called = KernelPerceptron(), KernelPerceptron(product)
    expected = native.play(frame, world.y)
    assert called.play(frame, world.y).tolist() == expected.tolist()
    assert called.supports_ == native.supports_
    assert {name for _, x in called.supports_ for name in x} == set("abcdef")


def test_a_function_sees_no_zeros_and_repeats_are_learned_from() -> None:
    seen: list[Any] = []

    def kernel(x: Mapping[Any, float], z: Mapping[Any, float]) -> float:
        seen.append((dict(x), dict(z)))
        return product(x, z)

    learner = KernelPerceptron(kernel)
    native = KernelPerceptron()
    for one in (learner, native):
        one.play([[0.0, 2.0], [1.0, 3.0]], [False, True], sample_weight=[1, 5])
        one.play_one([0.0, 1.0], y=False, sample_weight=3)
        one.play_one([1.0, 1.0], y=False, sample_weight=0)
    assert seen[0] == ({1: 2.0}, {0: 1.0, 1: 3.0})
    assert learner.supports_ == native.supports_
    assert learner.updates_ == native.updates_ > 2


@pytest.mark.parametrize(
    ("nonsense", "shown"),
    [
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        ("1.0", "'1.0'"),
        (None, "None"),
        ([1.0], "\\[1.0\\]"),
        (10**400, "1000"),
    ],
)
def test_a_function_that_returns_nonsense_is_refused(nonsense: Any, shown: str) -> None:
    learner = KernelPerceptron(lambda _x, _z: nonsense)
    learner.learn_one({"a": 1.0}, y=False)  # nothing to compare it with yet
    before = (learner.supports_, learner.updates_)
    message = (
        f"^KernelPerceptron: what a kernel returns must be a finite number, got {shown}"
    )
    for call in (
        lambda: learner.predict_one({"a": 1.0}),
        lambda: learner.learn_one({"a": 1.0}, y=True),
        lambda: learner.play([[1.0]], [True]),
        lambda: learner.decision_function([[1.0]]),
    ):
        with pytest.raises(ParameterError, match=message):
            call()
        assert (learner.supports_, learner.updates_) == before


def test_numbers_of_any_type_may_be_returned() -> None:
    numbers: tuple[Any, ...] = (np.float32(0.5), np.int64(2), True, np.float64(1.5))
    for number in numbers:

        def constant(_x: object, _z: object, value: Any = number) -> Any:
            return value

        learner = KernelPerceptron(constant)
        learner.learn_one({"a": 1.0}, y=False)
        assert learner.score_one({"a": 1.0}) == -float(number)


def test_values_whose_sum_overflows_are_refused() -> None:
    for learner in (
        KernelPerceptron("polynomial", degree=2, offset=0),
        KernelPerceptron(lambda x, z: product(x, z) * product(x, z)),
    ):
        learner.learn_one({"a": 1e77}, y=False)
        learner.learn_one({"b": 1e77}, y=False)
        before = (learner.supports_, learner.updates_)
        with pytest.raises(ExampleError, match="the score must be a finite number"):
            learner.learn_one({"a": 1.2e77, "b": 1.2e77}, y=True)
        assert (learner.supports_, learner.updates_) == before


def test_a_function_whose_sum_overflows_is_told_the_row() -> None:
    learner = KernelPerceptron(lambda _x, z: 1.5e308 if "b" in z else 0.0)
    X = pd.DataFrame([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0]], columns=["a", "b"])
    with pytest.raises(ExampleError, match="^row 2: .*; 2 rounds played$"):
        run(learner, streams.arrays(X, [False] * 3))
    assert learner.updates_ == 2
    with pytest.raises(ExampleError, match="^row 2: "):
        learner.predict(X)


def test_a_function_that_fails_on_a_repetition_changes_nothing() -> None:
    calls = 0

    def fails(_x: object, _z: object) -> float:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise RuntimeError("no more")
        return 0.0

    learner = KernelPerceptron(fails, budget=2)
    learner.learn_one({"a": 1.0}, y=False)
    before = learner.save_state()
    with pytest.raises(RuntimeError, match="no more"):
        learner.learn_one({"b": 1.0}, y=False, sample_weight=9)
    assert learner.save_state() == before


# The budget -------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["linear", "gaussian", product])
@pytest.mark.parametrize("budget", [1, 5, 40])
def test_a_budget_keeps_at_most_so_many_of_the_mistakes(
    kernel: Any, budget: int
) -> None:
    world = noisy()
    learner = KernelPerceptron(kernel, budget=budget)
    wrong = []
    for x, y in world.examples():
        if learner.play_one(x, y) != y:
            wrong.append((y, x))
            assert wrong[-1] in learner.supports_
        assert len(learner.supports_) == min(budget, len(wrong))
    assert learner.updates_ == len(wrong) > budget
    assert all(kept in wrong for kept in learner.supports_)


def test_the_twin_replaces_lengths_with_examples() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(120, 3)), rng.random(120) < 0.5
    learner = KernelPerceptron("gaussian", gamma=0.3, budget=4, seed=2)
    twin = twins.KernelPerceptron("gaussian", gamma=0.3, budget=4, seed=2)
    assert [
        twin.play(dict(enumerate(x)), bool(b)) for x, b in zip(X, y, strict=True)
    ] == [*learner.play(X, y)]
    assert twin.updates == learner.updates_ > 40


def test_the_seed_decides_which_example_goes() -> None:
    world = noisy()
    kept = []
    for seed in (0, 0, 1, 2, 2**64 - 1):
        learner = KernelPerceptron(budget=10, seed=seed)
        learner.play(world.X, world.y)
        kept.append(learner.supports_)
    assert kept[0] == kept[1]
    assert len({repr(one) for one in kept[1:]}) == 4


def test_every_place_makes_way_equally_often() -> None:
    # Each of 4 places should be drawn in a quarter of 4000 draws, give or take 4
    # standard deviations of 27.
    drawn = np.zeros(4)
    learner = KernelPerceptron(budget=4, seed=12)
    before: list[float] = []
    for t in range(4_004):
        x = {"a": 1 + t / 4096}
        learner.learn_one(x, y=not learner.predict_one(x))
        after = [kept["a"] for _, kept in learner.supports_]
        if t >= 4:
            changed = [s for s in range(4) if before[s] != after[s]]
            assert len(changed) == 1
            drawn[changed] += 1
        before = after
    assert np.abs(drawn - 1_000).max() < 110


# What the theorem says ------------------------------------------------------------


def test_it_names_what_bounds_it() -> None:
    named = {PERC_SEP, PERC_TD, PERC_HINGE, PERC_FS, PERC_RMS}
    assert set(KernelPerceptron().guarantees) == named
    assert KernelPerceptron(budget=3).guarantees == (KPERC_BUDGET,)


def gram(X: np.ndarray[Any, Any], kernel: str) -> Any:
    if kernel == "linear":
        return X @ X.T
    if kernel == "polynomial":
        return (0.5 * X @ X.T + 1) ** 3
    return np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))


@given(
    worlds(),
    st.sampled_from(["linear", "polynomial", "gaussian"]),
    st.sampled_from(["mistake", "margin"]),
    st.data(),
)
def test_updates_never_exceed_any_bound(
    world: World, kernel: Any, update: Any, data: st.DataObject
) -> None:
    assume(len(world.y) > 0)
    learner = KernelPerceptron(kernel, gamma=0.5, update=update)
    for _ in range(2):
        learner.play(world.X, world.y)
    # u adds up K(x_j, .) with some coefficients; one of 0 or 1 says the label of x_j.
    K = gram(world.X, kernel)
    weight = st.sampled_from([0.0, 1.0, 1.0, -0.5])
    size = len(world.y)
    c = np.array(data.draw(st.lists(weight, min_size=size, max_size=size)))
    c *= signs(world.y)
    norm = math.sqrt(max(float(c @ K @ c), 0.0)) * (1 + 1e-9)
    assume(norm > 1e-3)
    gamma = data.draw(st.floats(0.01, 3))
    margins = signs(world.y) * (K @ c) / norm
    short = [max(0.0, gamma - m + 1e-9 * (1 + abs(m))) for m in margins.tolist()] * 2
    numbers = {
        "radius": math.sqrt(float(K.diagonal().max())) * UP,
        "margin": gamma,
    }
    total = math.fsum(short) * UP
    square = math.sqrt(math.fsum(d * d for d in short)) * UP
    updates = learner.updates_
    assert updates <= PERC_TD.bound(**numbers, deviation=total)
    assert updates <= PERC_HINGE.bound(**numbers, hinge=total / gamma * UP)
    assert updates <= PERC_FS.bound(**numbers, deviation_norm=square)
    if total == 0:
        assert updates <= PERC_SEP.bound(**numbers)


@pytest.mark.parametrize("n", [1, 9, 100])
def test_unit_vectors_attain_the_bound(n: int) -> None:
    for kernel in ("linear", "polynomial"):  # with offset 0 still orthogonal
        learner = KernelPerceptron(kernel, offset=0)
        for i in range(n):
            learner.learn_one({i: 1.0}, y=not learner.predict_one({i: 1.0}))
        bound = PERC_SEP.bound(radius=1, margin=1, norm=math.sqrt(n))
        assert learner.updates_ == n == bound


def test_examples_far_apart_come_close_to_the_bound_of_the_gaussian() -> None:
    # At a distance of 5 the kernel is e^-12.5: all but orthogonal.
    n = 50
    learner = KernelPerceptron("gaussian", gamma=0.5)
    X = 5.0 * np.arange(n)[:, None]
    y = []
    for x in X:
        y.append(not learner.predict_one(x))
        learner.learn_one(x, y[-1])
    K, c = gram(X, "gaussian"), signs(np.array(y))
    margin = float((c * (K @ c)).min()) * (1 - 1e-9)
    norm = math.sqrt(float(c @ K @ c)) * (1 + 1e-9)
    bound = PERC_SEP.bound(radius=1, margin=margin, norm=norm)
    assert 0.99 * bound <= learner.updates_ <= bound
    assert learner.updates_ == n


class _Chosen(twins.KernelPerceptron):
    """A twin whose draws are given, and which tells when it needs one more."""

    draws: tuple[int, ...] = ()
    used = 0

    def _below(self, end: int) -> int:
        assert end == self.budget
        if self.used == len(self.draws):
            raise IndexError
        self.used += 1
        return self.draws[self.used - 1]


def expected_run(
    world: World, u: np.ndarray[Any, Any], budget: int
) -> tuple[float, float]:
    """Return the expected mistakes and hinge loss, over all draws there are."""
    mistakes = hinge = 0.0
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        twin = _Chosen(budget=budget)
        twin.draws = waiting.pop()
        wrong = []
        try:
            for t, (x, y) in enumerate(world.examples()):
                if twin.play(x, y) != y:
                    wrong.append(t)
        except IndexError:
            waiting += [(*twin.draws, s) for s in range(budget)]
            continue
        share = float(budget) ** -len(twin.draws)
        margins = signs(world.y[wrong]) * (world.X[wrong] @ u)
        mistakes += share * len(wrong)
        hinge += share * float(np.maximum(0, 1 - margins).sum())
    return mistakes, hinge


@pytest.mark.parametrize("budget", [1, 2, 3])
@pytest.mark.parametrize("world", range(12))
def test_on_a_budget_the_expected_mistakes_never_exceed_the_bound(
    budget: int, world: int
) -> None:
    # No chance: every sequence of draws is played, and weighed by its probability.
    rng = np.random.default_rng(world)
    X = rng.integers(-1, 2, size=(9, 3)).astype(float)
    small = World(X, rng.random(9) < 0.5)
    radius = float(np.linalg.norm(X, axis=1).max()) * UP
    for size in (0.0, 0.3, 0.6, 0.9):
        u = rng.normal(size=3)
        u *= size * math.sqrt(budget) / radius / np.linalg.norm(u)
        mistakes, hinge = expected_run(small, u, budget)
        assert mistakes <= KPERC_BUDGET.bound(
            radius=radius,
            budget=budget,
            norm=float(np.linalg.norm(u)) * UP,
            hinge=hinge * (1 + 1e-9),
        )


def test_on_a_budget_the_mean_over_many_seeds_is_below_the_bound() -> None:
    # A target that changes sides, so that what is kept gets stale. The mean of 200
    # runs stands for the expectation; it is far below.
    rng = np.random.default_rng(3)
    X = rng.choice([-1.0, 0.0, 1.0], size=(300, 5))
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)
    y = X[:, 0] + 0.5 * X[:, 1] >= 0
    y[150:] = X[150:, 0] - X[150:, 2] >= 0
    u = np.array([3.0, 0.5, -0.5, 0.0, 0.0])
    hinges = np.maximum(0, 1 - signs(y) * (X @ u))
    mistakes = hinge = 0.0
    for seed in range(200):
        wrong = KernelPerceptron(budget=30, seed=seed).play(X, y) != y
        mistakes += np.count_nonzero(wrong) / 200
        hinge += float(hinges[wrong].sum()) / 200
    norm = float(np.linalg.norm(u)) * UP
    bound = KPERC_BUDGET.bound(radius=UP, budget=30, norm=norm, hinge=hinge)
    assert 20 < mistakes < bound / 2


def test_unit_vectors_come_within_a_quarter_of_the_bound_of_the_budget() -> None:
    # B/4 unit vectors, and u with the entries y_i loses nothing: R |u| = sqrt(B)/2.
    learner = KernelPerceptron(budget=64)
    for i in range(16):
        learner.learn_one({i: 1.0}, y=not learner.predict_one({i: 1.0}))
    bound = KPERC_BUDGET.bound(radius=1, budget=64, norm=4, hinge=0)
    assert learner.updates_ == 16 == bound / 4


# What is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "cubic"}, "kernel must be 'linear', .* or a function, got 'cubic'"),
        ({"kernel": None}, "kernel must be .* or a function, got None"),
        ({"kernel": np.array(["linear", "b"])}, "kernel must be .* or a function"),
        ({"degree": 0}, "degree must be a whole number from 1 to 64, got 0"),
        ({"degree": 65}, "degree must be a whole number from 1 to 64, got 65"),
        ({"degree": 2.0}, "degree must be a whole number from 1 to 64, got 2.0"),
        ({"gamma": 0}, "gamma must exceed 0, got 0"),
        ({"gamma": math.inf}, "gamma must be a finite number, got inf"),
        ({"offset": -0.5}, "offset must be at least 0, or .* no kernel, got -0.5"),
        ({"offset": "1"}, "offset must be a finite number, got '1'"),
        ({"update": "always"}, "update must be 'mistake' or 'margin', got 'always'"),
        ({"update": np.array(["a", "b"])}, "update must be 'mistake' or 'margin'"),
        ({"budget": 0}, "budget must be a whole number from 1 to 2147483648, got 0"),
        ({"budget": 2.5}, "budget must be a whole number .*, got 2.5"),
        ({"seed": -1}, "seed must be a whole number from 0 to .*, got -1"),
        ({"seed": 2**64}, "seed must be a whole number from 0 to 18446744073709551615"),
        ({"seed": None}, "seed must be a whole number .*, got None"),
    ],
)
def test_illegal_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=f"^KernelPerceptron: {message}"):
        KernelPerceptron(**parameters)


@pytest.mark.parametrize("kernel", ["linear", "gaussian", product])
def test_a_bad_value_is_refused_though_no_example_kept_has_the_feature(
    kernel: Any,
) -> None:
    learner = KernelPerceptron(kernel)
    learner.learn_one({"a": 1.0}, y=False)
    before = (learner.supports_, learner.updates_)
    right = learner.predict_one([0.0, 0.0])
    with pytest.raises(FeatureError, match="feature 'b' must be a finite number"):
        learner.learn_one({"a": 1.0, "b": math.nan}, y=True)
    with pytest.raises(FeatureError, match="row 1: .*; 1 round played") as caught:
        learner.play([[0.0, 0.0], [0.0, math.inf]], [right, True])
    assert (caught.value.row, caught.value.feature) == (1, 1)
    assert (learner.supports_, learner.updates_) == before


def test_whole_numbers_of_any_type_will_do() -> None:
    two: Any = np.int64(2)
    three: Any = np.int8(3)
    learner = KernelPerceptron("polynomial", degree=two, budget=three)
    assert learner.get_params()["budget"] == 3
    with pytest.raises(ParameterError, match="budget must be a whole number"):
        KernelPerceptron(budget=True)


@pytest.mark.parametrize("budget", [None, 60])
@pytest.mark.parametrize("order", ["rising", "mixed"])
def test_a_block_of_wide_rows_is_played_as_one_by_one(
    budget: int | None, order: str
) -> None:
    # So many columns and examples that some columns are kept as pairs, others not, and
    # that rows are taken in several pieces; labels at random, so that many are kept.
    rng = np.random.default_rng(8)
    rows, width = 700, 9_000
    common = rng.choice(300, (rows, 20))
    rare = rng.choice(width, (rows, 20))
    columns = [np.unique(row) for row in np.hstack([common, rare])]
    if order == "mixed":
        columns = [rng.permutation(row) for row in columns]
    offsets = np.cumsum([0, *map(len, columns)])
    values = rng.normal(size=offsets[-1])
    X = sp.csr_array((values, np.concatenate(columns), offsets), shape=(rows, width))
    y = rng.random(rows) < 0.5
    block, singles = (
        KernelPerceptron("polynomial", degree=2, gamma=0.1, budget=budget)
        for _ in range(2)
    )
    pairs = [(columns[t], values[offsets[t] : offsets[t + 1]]) for t in range(rows)]
    said = [singles.play_one(x, bool(label)) for x, label in zip(pairs, y, strict=True)]
    assert block.play(X, y).tolist() == said
    assert block.updates_ > 250
    scores = [singles.score_one(x).hex() for x in pairs]
    assert [float(score).hex() for score in block.decision_function(X)] == scores


@pytest.mark.parametrize("budget", [None, 1, 5])
def test_a_pickle_has_the_same_bits(budget: int | None) -> None:
    # Rows of which each has features that others lack: with a budget some features are
    # of no example kept any more, and the order in which they were met is not theirs.
    rng = np.random.default_rng(7)
    X = rng.random((80, 60)) * (rng.random((80, 60)) < 0.2)
    y = rng.random(80) < 0.5
    learner = KernelPerceptron("gaussian", gamma=0.1, budget=budget)
    for first in range(0, 80, 20):
        rows = slice(first, first + 20)
        copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
        assert np.array_equal(copy.decision_function(X), learner.decision_function(X))
        assert copy.supports_ == learner.supports_
        copy.play(X[rows], y[rows])
        learner.play(X[rows], y[rows])
        assert np.array_equal(copy.decision_function(X), learner.decision_function(X))
