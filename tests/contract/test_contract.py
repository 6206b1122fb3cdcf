"""Every learner keeps the contract: each check is crossed with each learner.

Most of it is the same for linear learners, learners of rules and learners with advice.
What only one family promises is in a file of its own beside this one.
"""

from __future__ import annotations

import inspect
import math
import pickle
from collections import UserDict
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from boolean_worlds import COLUMNS, boolean_worlds
from families import ADVICE, AUTO, LINEAR, RULES, Case, bits, learned_by, snapshot
from littlestone import (
    Auto,
    MulticlassAuto,
    boolean,
    experts,
    linear,
    maps,
    run,
    streams,
    theorems,
)
from littlestone.errors import (
    BusyError,
    ExampleError,
    FeatureError,
    LabelError,
    LittlestoneError,
    ParameterError,
)
from littlestone.learner import Learner
from ways import OWN_WAYS, WAYS, Way
from worlds import worlds

pytestmark = [
    pytest.mark.filterwarnings("ignore::littlestone.errors.UnrealizableWarning"),
    pytest.mark.filterwarnings("ignore::littlestone.errors.NobodyLeftWarning"),
]


def of(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=str)


CASES = [*AUTO, *LINEAR, *RULES, *ADVICE]
OF_FEATURES = [*AUTO, *LINEAR, *RULES]
every = of(CASES)
every_of_features = of(OF_FEATURES)
every_of_any_features = of([case for case in OF_FEATURES if case.any_feature])

# They have no experts, or are given distributions, examples or a class of concepts.
OTHERS: list[Learner] = [
    experts.AggregatingAlgorithm(),
    experts.Committee([experts.FollowTheMajority()]),
    experts.Cover(5),
    experts.Cover(1, phi=[0.5, 0.5]),
    experts.FollowTheMajority(),
    experts.Restarting(linear.Perceptron()),
    maps.Mapped(linear.Perceptron(), maps.Quadratic()),
]
FINITE = {
    boolean.ConsistentLearner,
    boolean.StandardOptimalLearner,
    boolean.VersionSpaceLearner,
}


def refused(
    learner: Any,
    call: Callable[[], object],
    kind: type[BaseException] | tuple[type[BaseException], ...],
    message: str,
) -> None:
    """Check that a call is refused, and that it leaves the learner as it was."""
    before = snapshot(learner)
    with pytest.raises(kind, match=message):
        call()
    assert snapshot(learner) == before


def scores(case: Case, learner: Any) -> list[str]:
    """Return what a learner says now of every row, by its scores if it has any."""
    return bits(getattr(learner, "decision_function", learner.predict)(case.world.X))


# Who is checked ---------------------------------------------------------------


def exported() -> Iterator[type[Learner]]:
    for room in (linear, boolean, experts, maps):
        for thing in (getattr(room, name) for name in room.__all__):
            if isinstance(thing, type) and issubclass(thing, Learner):
                yield thing
    yield Auto


def test_every_exported_learner_is_listed() -> None:
    listed = {type(case.made) for case in CASES} | {type(made) for made in OTHERS}
    assert {*exported(), Auto, MulticlassAuto} == listed | FINITE


def test_every_learner_is_documented() -> None:
    rules = {type(case.made) for case in RULES}
    for made in exported():
        doc = inspect.getdoc(made) or ""
        sections = ["Parameters", "Guarantees", "References", "Examples"]
        for section in sections + ["Attributes"] * (made in rules):
            assert f"\n{section}\n---" in doc, made


def test_every_guarantee_is_a_theorem_of_the_sheet() -> None:
    for made in (*(case.made for case in CASES), *OTHERS):
        assert made.guarantees, made
        for theorem in made.guarantees:
            assert theorems.get(theorem.id) is theorem, made


# Birth, parameters, copies ----------------------------------------------------


@every
def test_predicts_before_it_has_learned(case: Case) -> None:
    learner = case.newborn()
    learner.predict_one(case.world.X[0])
    assert learner.updates_ == 0
    assert snapshot(learner) == snapshot(case.newborn())


# Without a function of our own, and learners inside, which are never equal.
@of(
    [
        case
        for case in CASES
        if not any(part in str(case) for part in ("_third", "members={"))
    ]
)
def test_parameters_survive_repr_and_clone(case: Case) -> None:
    learner = case.newborn()
    made = eval(repr(learner), case.names)  # noqa: S307 - our own repr
    assert made.get_params() == learner.get_params() == case.made.get_params()
    assert type(made) is type(learner)


@every
def test_a_clone_is_fresh_and_independent(case: Case) -> None:
    learner = case.played()
    before = snapshot(learner)
    clone = learner.clone()
    assert clone.get_params() == learner.get_params()
    assert snapshot(clone) == snapshot(case.newborn())
    clone.play(case.world.X[::-1], case.world.y)
    assert snapshot(learner) == before


@every
def test_set_params_starts_afresh_and_refuses_unknown_names(case: Case) -> None:
    learner = case.played()
    assert learner.set_params(**learner.get_params()) is learner
    assert snapshot(learner) == snapshot(case.newborn())
    with pytest.raises(ParameterError, match="got 'nonsense'"):
        learner.set_params(nonsense=1)


@every
def test_parameters_cannot_be_changed_behind_its_back(case: Case) -> None:
    learner = case.newborn()
    for name, value in learner.get_params().items():
        with pytest.raises(AttributeError, match="fixed at birth"):
            setattr(learner, name, value)


@every
def test_a_pickle_goes_on_identically(case: Case) -> None:
    X, y = case.world.X, case.world.y
    for rows in (0, 1, 100):
        learner = case.played(rows)
        copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
        assert case.learned(copy) == case.learned(learner)
        assert bits(copy.play(X, y)) == bits(learner.play(X, y))
        assert case.learned(copy) == case.learned(learner)
        assert copy.updates_ == learner.updates_


# Predicting is pure, learning is order-exact ------------------------------------


@every
def test_predicting_changes_nothing_and_foretells_play(case: Case) -> None:
    X, y = case.world.X, case.world.y
    learner = case.played()
    before = snapshot(learner)
    learner.predict(X)
    said = learner.predict_one(X[0])
    assert snapshot(learner) == before
    assert learner.play_one(X[0], y[0].item()) == said


def ways_of(case: Case) -> list[Way]:
    """Return ways to feed a learner: the readers each has, some of the others in turn.

    The border turns arrays of other layouts, lists and pairs into the same rows for all
    learners alike, so each learner tries three of those ways, and three learners all.
    """
    if case in ADVICE:
        return list(case.ways)
    others = [way for way in WAYS if way not in OWN_WAYS]
    at = OF_FEATURES.index(case)
    return [*OWN_WAYS, *(others[(3 * at + k) % len(others)] for k in range(3))]


@every
def test_every_way_of_feeding_gives_equal_bits(case: Case) -> None:
    learner = case.newborn()
    expected = learner.play(case.world.X, case.world.y)
    for way in ways_of(case):
        other = case.newborn()
        assert bits(way(other, case.world)) == bits(expected), way
        assert case.learned(other) == case.learned(learner), way
        assert other.updates_ == learner.updates_, way
        assert scores(case, other) == scores(case, learner), way


@every_of_features
@given(data=st.data())
def test_the_native_rule_equals_its_twin(case: Case, data: st.DataObject) -> None:
    if case in [*AUTO, *LINEAR]:
        values = tuple(np.unique(case.world.X).tolist())
        world = data.draw(worlds(values))
    else:
        world = data.draw(boolean_worlds(4 if case.any_feature else COLUMNS))
    learner = case.newborn()
    assert case.twin is not None
    twin = case.twin(**case.made.get_params())
    for x, label in world.examples():
        assert learner.play_one(x, label) == twin.play(x, label)
    assert learner.updates_ == twin.updates
    if case in LINEAR:
        assert case.learned(learner) == learned_by(twin, learner)


@of([case for case in OF_FEATURES if case.binary])
def test_labels_true_1_and_plus_1_agree(case: Case) -> None:
    X, y = case.world.X, case.world.y
    expected = case.learned(case.played())
    labels: list[Any] = [
        y.astype(np.int8),
        y.astype(np.float32),
        np.where(y, 1, -1),
        np.where(y, 1.0, -1.0).astype(">f8"),
        y.astype(np.float16),
        y.tolist(),
        y.astype(object),
    ]
    for written in labels:
        learner = case.newborn()
        learner.play(X, written)
        assert case.learned(learner) == expected
    singles = [(True, False), (1, 0), (1, -1), (1.0, -1.0), (np.True_, np.False_)]
    for yes, no in singles:
        learner = case.newborn()
        for x, label in zip(X, y, strict=True):
            learner.learn_one(x, yes if label else no)
        assert case.learned(learner) == expected


@every_of_any_features
def test_features_may_come_and_go(case: Case) -> None:
    learner = case.newborn()
    for t in range(50):
        learner.play_one({f"f{t}": 1.0, "stays": 1.0}, t % 2 == 0)
        learner.play_one({}, t % 2 == 0)
    said = learner.predict_one({"f3": 1.0})
    assert said in (True, False) or isinstance(said, float)


@every
def test_fit_forgets_and_partial_fit_goes_on(case: Case) -> None:
    X, y = case.world.X, case.world.y
    learner, fitted = case.played(), case.newborn()
    fitted.partial_fit(X[::-1], y)
    assert fitted.fit(X, y) is fitted
    assert snapshot(fitted) == snapshot(learner)
    learner.play(X, y)
    assert snapshot(fitted.partial_fit(X, y)) == snapshot(learner)


@of([case for case in CASES if case.repeats])
def test_a_sample_weight_repeats_the_learning(case: Case) -> None:
    X, y = case.world.X, case.world.y
    times = np.random.default_rng(5).integers(0, 4, len(y))
    weighted, one_by_one, repeated = (case.newborn() for _ in range(3))
    said = weighted.play(X, y, sample_weight=times)
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        assert one_by_one.play_one(x, label, int(times[t])) == said[t]
        for _ in range(times[t]):
            repeated.learn_one(x, label)
    found = case.learned(weighted)
    assert found == case.learned(one_by_one) == case.learned(repeated)
    assert weighted.updates_ == repeated.updates_ > 0
    assert scores(case, weighted) == scores(case, repeated)
    if case not in ADVICE:
        mappings, rows = case.newborn(), [x for x, _ in case.world.examples()]
        assert bits(mappings.play(rows, y, times.astype(float))) == bits(said)
        assert case.learned(mappings) == found


@of([case for case in CASES if case.repeats])
def test_a_sample_weight_is_a_number_of_repetitions(case: Case) -> None:
    learner = case.played(1)
    x, y = case.world.X[0], case.world.y[0].item()
    message = "a sample weight must be a whole"
    for weight in (-1, 0.5, math.nan, 2**32, "1", None):
        several = np.array([weight], dtype=object)
        play = partial(learner.play, [x], [y], several)
        refused(learner, play, ParameterError, f"row 0: {message}")
        learn = partial(learner.learn_one, x, y, weight)
        refused(learner, learn, ParameterError, message)
    play = partial(learner.play, [x], [y], [1, 1])
    refused(learner, play, ParameterError, "one weight for each of 1 rows")


@every_of_features
def test_the_learner_base_gives_the_same_without_native_blocks(case: Case) -> None:
    X, y = case.world.X, case.world.y
    native, plain = case.newborn(), case.newborn()
    expected = native.play(X, y)
    assert Learner.play(plain, X, y).tolist() == expected.tolist()
    assert Learner.predict(plain, X).tolist() == native.predict(X).tolist()
    assert case.learned(plain) == case.learned(native)


# What is refused, and that nothing is lost ----------------------------------------

BAD_EXAMPLES: list[tuple[Any, str]] = [
    ({"a": math.nan}, "feature 'a' must be a finite number, got nan"),
    ({"a": math.inf}, "feature 'a' must be a finite number, got inf"),
    ({"b": 1.0, "a": -math.inf}, "feature 'a' must be a finite number, got -inf"),
    ({"a": "1"}, "feature 'a' must be a number, got '1'"),
    ({"a": None}, "feature 'a' must be a number, got None"),
    ({"a": np.complex128(1 + 2j)}, "feature 'a' must be a number, got"),
    ({"a": 10**400}, "feature 'a' must be a number, got 1000"),
    ([1.0, math.nan], "feature 1 must be a finite number, got nan"),
    (np.array([0.0, math.inf]), "feature 1 must be a finite number, got inf"),
    (["x"], "feature 0 must be a number, got 'x'"),
    (([3, 3], [1.0, 1.0]), "each feature must appear once, got 3 twice"),
    (([2**30, 2**30], [1.0, 1.0]), f"must appear once, got {2**30} twice"),
    (([0, 1], [1.0]), "an example must be a mapping"),
    ({-1: 1.0}, "name or a column number below 2\\*\\*32, got -1"),
    ({2**32: 1.0}, f"got {2**32}"),
    ({2**70: 1.0}, f"got {2**70}"),
    ({1.0: 1.0}, "got 1.0"),
    ({1.5: 1.0}, "got 1.5"),
    ({("a", "b"): 1.0}, "got \\('a', 'b'\\)"),
    ({"\ud800": 1.0}, "name or a column number"),
    ({"\ud800": 0}, "name or a column number"),
    ("abc", "an example must be a mapping"),
    (b"abc", "an example must be a mapping"),
    (3.0, "an example must be a mapping"),
    (None, "an example must be a mapping"),
    (sp.csr_array(np.ones((2, 3))), "an example must be a mapping"),
    (np.ma.masked_array([1.0, 1.0], mask=[False, True]), "an example must be"),
]
NOT_BOOLEAN: list[tuple[Any, str]] = [
    ({"a": 0.5}, "feature 'a' must be 0 or 1, got 0.5"),
    ({"a": 2}, "feature 'a' must be 0 or 1, got 2.0"),
    ({"a": -1}, "feature 'a' must be 0 or 1, got -1.0"),
    ({"b": 1, "z": 1, "a": np.float64(0.5)}, "feature 'a' must be 0 or 1, got 0.5"),
    ([1.0, 0.25], "feature 1 must be 0 or 1, got 0.25"),
    (np.array([0, 3]), "feature 1 must be 0 or 1, got 3.0"),
    (([0, 1], [1, 2]), "feature 1 must be 0 or 1, got 2.0"),
]


@every_of_any_features
def test_a_bad_example_is_refused_and_nothing_changes(case: Case) -> None:
    learner = case.newborn()
    learner.learn_one({"a": 1.0, "b": 1.0}, y=False)
    learner.learn_one({"a": 1.0, "b": 1.0}, y=True)
    calls: list[Callable[[Any], object]] = [
        lambda x: learner.learn_one(x, y=True),
        lambda x: learner.play_one(x, y=False),
        learner.predict_one,
    ]
    if case in LINEAR:
        calls.append(learner.score_one)
    # They are read by the border, which is the same for all learners: each tries a
    # third of them, and three learners all.
    bad = [*BAD_EXAMPLES, *(NOT_BOOLEAN if case in RULES else ())]
    for x, message in bad[OF_FEATURES.index(case) % 3 :: 3]:
        for call in calls:
            refused(learner, partial(call, x), ExampleError, message)


@of([case for case in OF_FEATURES if case.binary])
def test_a_bad_label_is_refused_and_nothing_changes(case: Case) -> None:
    learner = case.played(1)
    message = "a label must be True/1 or False/0/-1, got"
    for y in (2, -2, 0.5, math.nan, "1", "yes", None, [1], 10**400):
        labels = np.empty(1, dtype=object)
        labels[0] = y
        refused(learner, partial(learner.learn_one, {0: 1.0}, y), LabelError, message)
        refused(learner, partial(learner.play, [[1.0]], labels), LabelError, "row 0")


@every_of_features
def test_a_bad_row_stops_the_block_after_the_rows_before_it(case: Case) -> None:
    expected = snapshot(case.played(150))
    for bad, message in case.bad_values:
        X = case.world.X.copy()
        X[150, 4] = bad
        for block in (X, sp.csr_array(X)):
            learner = case.newborn()
            with pytest.raises(FeatureError) as caught:
                learner.play(block, case.world.y)
            name = type(learner).__name__
            said = f"row 150: {name}: feature 4 {message}; 150 rounds played"
            assert str(caught.value) == said
            assert (caught.value.row, caught.value.rounds) == (150, 150)
            assert caught.value.feature == 4
            assert snapshot(learner) == expected
            with pytest.raises(FeatureError, match="row 150"):
                learner.predict(block)


@every_of_features
def test_bad_sparse_columns_stop_the_block(case: Case) -> None:
    data, offsets = np.ones(3), np.array([0, 1, 3], dtype=np.int32)
    expected = case.newborn()
    expected.learn_one({0: 1.0}, y=True)
    for columns, message in (
        ([0, 2, 2], "row 1: .*each feature must appear once, got 2 twice"),
        ([0, 1, 7], "row 1: .*within the declared width .*, got 7"),
        ([0, -1, 1], "row 1: .*within the declared width .*, got -1"),
        ([0, 5, -3], "row 1: .*within the declared width .*, got -3"),
    ):
        X = sp.csr_matrix((2, 6))
        X.indptr, X.data = offsets, data
        X.indices = np.array(columns, dtype=np.int32)
        learner = case.newborn()
        with pytest.raises(FeatureError, match=message):
            learner.play(X, [True, True])
        assert case.learned(learner) == case.learned(expected)


@every_of_features
def test_a_column_twice_is_found_wherever_it_stands(case: Case) -> None:
    learner = case.newborn()
    for at in range(1, 12):
        columns = np.arange(12, dtype=np.int32)
        columns[at] = columns[at - 1]
        X = sp.csr_matrix((1, 12))
        X.indptr, X.indices, X.data = np.array([0, 12], np.int32), columns, np.ones(12)
        with pytest.raises(FeatureError, match=f"row 0: .*, got {at - 1} twice"):
            learner.play(X, [False])
        with pytest.raises(FeatureError, match=f"got {at - 1} twice"):
            learner.learn_one(X, y=False)
    assert case.learned(learner) == case.learned(case.newborn())


@every_of_features
def test_malformed_matrices_are_refused(case: Case) -> None:
    learner = case.newborn()
    offsets = sp.csr_matrix(np.eye(3))
    offsets.indptr = np.array([0, 2, 1, 3], dtype=np.int32)
    masked = np.ma.masked_array([[1.0, 1.0]], mask=[[False, True]])
    bad: list[tuple[Any, list[Any], str]] = [
        ([1.0, 0.0], [True], "two dimensions, got 1"),
        ([[1.0], [1.0, 0.0]], [True, True], "equally long, got 2 after 1"),
        ([[1.0]], [True, False], "one (label|outcome) for each of 1 rows"),
        ([["x"]], [True], "row 0: feature 0 must be a number, got 'x'"),
        (masked, [False], "no masked cells"),
        ([[1.0], [1.0]], masked[0], "no masked (labels|outcomes)"),
        (offsets, [True] * 3, "offsets"),
    ]
    if case.binary:
        mixed = "row 2: .*never mixed, got -1 as well"
        bad.append(([[1.0], [1.0], [1.0]], [1, 0, -1], mixed))
    for X, y, message in bad:
        call = partial(learner.play, X, y)
        refused(learner, call, (LittlestoneError, ValueError), message)


@every_of_features
def test_columns_are_below_four_billion_in_blocks_too(case: Case) -> None:
    far = np.array([2**32], dtype=np.int64)
    X = sp.csr_array((np.ones(1), far, np.array([0, 1])), shape=(1, 2**33))
    with pytest.raises(FeatureError, match="row 0: .*2\\*\\*32, got 4294967296"):
        case.newborn().play(X, [False])


@every_of_features
def test_offsets_changed_behind_our_back_do_no_harm(case: Case) -> None:
    X = sp.csr_array(np.eye(3))
    stream = streams.arrays(X, [1, 0, 1])
    X.indptr[:] = [0, 10**9, 10**9, 10**9]
    assert run(case.newborn(), stream).rounds == 3


NAMES = [f"n{j}" for j in range(5_000)]  # far more than there is room for


@every_of_any_features
def test_names_of_which_no_row_is_played_do_no_harm(case: Case) -> None:
    learner = case.newborn()
    learner.play(pd.DataFrame(np.empty((0, len(NAMES))), columns=NAMES), [])
    frame = pd.DataFrame(
        np.zeros((1, len(NAMES) + 1)),
        columns=pd.Index([*NAMES, "\ud800"], dtype=object),
    )
    with pytest.raises(FeatureError, match="a feature must be a name"):
        learner.play(frame, [True])
    assert learner.newborn_
    assert case.learned(learner) == case.learned(case.newborn())
    learner.learn_one({NAMES[-1]: 1.0}, y=True)


@every_of_any_features
def test_a_bad_mapping_is_told_its_row(case: Case) -> None:
    learner, expected = case.newborn(), case.newborn()
    block: list[Any] = [{"a": 1.0}, {"b": 1.0}, {"a": math.nan}, {"a": 1.0}]
    with pytest.raises(FeatureError) as caught:
        learner.play(block, [True, False, True, False])
    assert str(caught.value) == (
        f"row 2: {type(learner).__name__}: feature 'a' must be a finite number, "
        "got nan; 2 rounds played"
    )
    assert (caught.value.row, caught.value.rounds) == (2, 2)
    expected.play(block[:2], [True, False])
    assert snapshot(learner) == snapshot(expected)
    for call in (learner.predict, getattr(learner, "decision_function", None)):
        if call is not None:
            with pytest.raises(FeatureError, match="^row 2: "):
                call(block)


class Nosy(UserDict[Any, Any]):
    """An example that uses the learner while it is being read."""

    learner: Any

    def __getitem__(self, feature: Any) -> Any:
        self.learner.predict_one({})
        return super().__getitem__(feature)


@every_of_features
def test_a_learner_is_used_by_one_at_a_time(case: Case) -> None:
    learner = case.newborn()
    x = Nosy({0: 1})
    x.learner = learner
    with pytest.raises(BusyError, match="one thread at a time"):
        learner.learn_one(x, y=True)
    assert snapshot(learner) == snapshot(case.newborn())
    learner.learn_one({0: 1}, y=True)


class Number:
    """A number that does something when it is read."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.act = act

    def __float__(self) -> float:
        self.act()
        return 1.0


def stop() -> None:
    raise KeyboardInterrupt


@every_of_features
def test_numbers_that_use_the_learner_find_it_busy(case: Case) -> None:
    learner = case.newborn()
    nosy, stopping = Number(lambda: learner.predict_one({})), Number(stop)
    for x in ({0: nosy}, [nosy], ([0], [nosy])):
        refused(learner, partial(learner.learn_one, x, y=True), BusyError, "one thread")
    for x in ({0: stopping}, [stopping], ([0], [stopping])):
        refused(learner, partial(learner.learn_one, x, y=True), KeyboardInterrupt, "^$")
