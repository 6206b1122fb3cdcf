"""Every learner of Boolean rules keeps the contract, each check crossed with each."""

from __future__ import annotations

import inspect
import math
import pickle
import warnings
from collections import UserDict
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn.base
from hypothesis import given
from hypothesis import strategies as st

from boolean_worlds import (
    BOOLEAN_ENTRIES,
    COLUMNS,
    BooleanEntry,
    boolean_world,
    boolean_worlds,
)
from littlestone import boolean, run, streams, theorems
from littlestone.boolean._base import BooleanLearner
from littlestone.errors import (
    BusyError,
    ExampleError,
    FeatureError,
    LabelError,
    LittlestoneError,
    ParameterError,
    UnrealizableWarning,
)
from littlestone.learner import Learner
from ways import WAYS, Way

pytestmark = pytest.mark.filterwarnings(
    "ignore::littlestone.errors.UnrealizableWarning"
)


def of(entries: list[BooleanEntry]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("entry", entries, ids=str)


every = of(BOOLEAN_ENTRIES)
every_open = of([entry for entry in BOOLEAN_ENTRIES if not entry.closed])
every_closed = of([entry for entry in BOOLEAN_ENTRIES if entry.closed])


def newborn(entry: BooleanEntry) -> Any:
    return entry.made.clone()


def snapshot(learner: Any) -> bytes:
    return pickle.dumps(learner)


def learned(learner: Any) -> Any:
    """Return what was learned, however it was fed."""
    return (
        learner.features_,
        learner.concept_,
        learner.updates_,
        learner.rounds_,
        learner.unrealizable_,
    )


# Who is checked ---------------------------------------------------------------


def test_every_exported_learner_is_listed() -> None:
    exported = {getattr(boolean, name) for name in boolean.__all__}
    learners = {
        e for e in exported if isinstance(e, type) and issubclass(e, BooleanLearner)
    }
    assert learners == {type(entry.made) for entry in BOOLEAN_ENTRIES}


@every
def test_every_learner_is_documented(entry: BooleanEntry) -> None:
    doc = inspect.getdoc(type(entry.made)) or ""
    for section in ("Parameters", "Attributes", "Guarantees", "References", "Examples"):
        assert f"\n{section}\n---" in doc


# Birth, parameters, copies ----------------------------------------------------


@every
def test_predicts_before_it_has_learned(entry: BooleanEntry) -> None:
    learner = newborn(entry)
    assert learner.predict_one({}) in (True, False)
    assert (learner.updates_, learner.rounds_) == (0, 0)
    assert learner.unrealizable_ is None
    assert learner.concept_({}) == learner.predict_one({})


@every
def test_parameters_survive_repr_and_clone(entry: BooleanEntry) -> None:
    learner = newborn(entry)
    made = eval(repr(learner), vars(boolean))  # noqa: S307 - our own repr
    assert made.get_params() == learner.get_params() == entry.made.get_params()
    assert type(made) is type(learner)


@pytest.mark.parametrize("features", [3, ["a", 4, "b"], None])
def test_scikit_learn_can_clone_it(features: Any) -> None:
    learners: list[Any] = [
        boolean.ConjunctionLearner(features=features),
        boolean.KDNFLearner(2, features=features),
        boolean.DecisionListLearner(2, features=features),
    ]
    for learner in learners:
        made = sklearn.base.clone(learner)
        assert type(made) is type(learner)
        assert made.get_params() == learner.get_params()


@every
def test_a_clone_is_fresh_and_independent(entry: BooleanEntry) -> None:
    world = boolean_world()
    learner = newborn(entry)
    learner.play(world.X, world.y)
    before = snapshot(learner)
    clone = learner.clone()
    assert learned(clone) == learned(newborn(entry))
    clone.play(world.X, ~world.y)
    assert snapshot(learner) == before


@every
def test_set_params_starts_afresh_and_refuses_unknown_names(
    entry: BooleanEntry,
) -> None:
    world = boolean_world()
    learner = newborn(entry)
    learner.play(world.X, world.y)
    assert learner.set_params(**learner.get_params()) is learner
    assert snapshot(learner) == snapshot(newborn(entry))
    with pytest.raises(ParameterError, match="got 'nonsense'"):
        learner.set_params(nonsense=1)


@every
def test_parameters_cannot_be_changed_behind_its_back(entry: BooleanEntry) -> None:
    learner = newborn(entry)
    for name, value in learner.get_params().items():
        with pytest.raises(AttributeError, match="fixed at birth"):
            setattr(learner, name, value)


@every
def test_a_pickle_goes_on_identically(entry: BooleanEntry) -> None:
    world = boolean_world()
    for rows in (0, 1, 100):
        learner = newborn(entry)
        learner.play(world.X[:rows], world.y[:rows])
        if not entry.closed:
            learner.learn_one({"name": 1, 2**24 + 3: 1, 2**32 - 1: 1}, y=False)
            learner.learn_one({"name": 1, 2**24 + 3: 1, "more": 1}, y=True)
        copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
        assert snapshot(copy) == snapshot(learner)
        expected = learner.play(world.X, world.y)
        assert copy.play(world.X, world.y).tolist() == expected.tolist()
        assert learned(copy) == learned(learner)
        assert snapshot(copy) == snapshot(learner)


@every
def test_every_guarantee_is_a_theorem_of_the_sheet(entry: BooleanEntry) -> None:
    assert entry.made.guarantees
    for theorem in entry.made.guarantees:
        assert theorems.get(theorem.id) is theorem


# Predicting is pure, learning is order-exact ------------------------------------


@every
def test_predicting_changes_nothing(entry: BooleanEntry) -> None:
    world = boolean_world()
    learner = newborn(entry)
    learner.play(world.X, world.y)
    before = snapshot(learner)
    learner.predict(world.X)
    learner.predict([{0: 1}, {1: 1}])
    if not entry.closed:
        learner.predict_one({"never seen": 1, 4_000_000_000: 1})
        learner.predict(pd.DataFrame({"a": [0, 1], "b": [1, 1]}))
        learner.predict_one([1.0] * 50)
    assert snapshot(learner) == before


@every
@given(data=st.data())
def test_the_native_rule_equals_its_twin(
    entry: BooleanEntry, data: st.DataObject
) -> None:
    world = data.draw(boolean_worlds(COLUMNS if entry.closed else 4))
    learner = newborn(entry)
    twin = entry.twin(**entry.made.get_params())
    for x, label in world.examples():
        assert learner.play_one(x, label) == twin.play(x, label)


@every
@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_feeding_comes_to_the_same(entry: BooleanEntry, way: Way) -> None:
    world = boolean_world()
    learner = newborn(entry)
    expected = learner.play(world.X, world.y)
    other = newborn(entry)
    assert way(other, world) == expected.tolist()
    assert learned(other) == learned(learner)
    assert snapshot(other) == snapshot(learner)
    assert other.predict(world.X).tolist() == learner.predict(world.X).tolist()


FRAMES: list[Callable[..., Any]] = [
    lambda X, names: pd.DataFrame(X, columns=names),
    lambda X, names: pd.DataFrame(X.astype(bool), columns=names),
    lambda X, names: pd.DataFrame(X.astype(object), columns=names),
    lambda X, names: pl.DataFrame(X.astype(np.int8), schema=names),
]


@every_open
@pytest.mark.parametrize("frame", FRAMES)
def test_frames_and_mappings_come_to_the_same(
    entry: BooleanEntry, frame: Callable[..., Any]
) -> None:
    world = boolean_world()
    # Names whose order is not that of the columns.
    names = [f"n{7 * j % COLUMNS}" for j in range(COLUMNS)]
    one, two, three = newborn(entry), newborn(entry), newborn(entry)
    said = one.play(frame(world.X, names), world.y).tolist()
    mappings = [{names[j]: v for j, v in x.items()} for x, _ in world.examples()]
    assert two.play(mappings, world.y).tolist() == said
    run(three, zip(mappings, world.y.tolist(), strict=True))
    assert learned(one) == learned(two) == learned(three)
    again = one.predict(frame(world.X, names)).tolist()
    assert again == two.predict(mappings).tolist()


@every_open
def test_words_of_a_text_are_features(entry: BooleanEntry, tmp_path: Any) -> None:
    world = boolean_world()
    path = tmp_path / "words.txt"
    lines = [f"{int(y)}\t" + " ".join(f"w{j}" for j in x) for x, y in world.examples()]
    path.write_text("\n".join(lines) + "\n")
    learner, by_name = newborn(entry), newborn(entry)
    run(learner, streams.text(path, label=0))
    for x, label in streams.text(path, label=0):
        by_name.learn_one(x, label)
    assert learned(learner) == learned(by_name)
    assert learner.rounds_ == len(lines)


@every
def test_the_order_of_features_does_not_matter(entry: BooleanEntry) -> None:
    forward, backward = newborn(entry), newborn(entry)
    for x, label in boolean_world().examples():
        forward.learn_one(x, label)
        backward.learn_one(dict(reversed(x.items())), label)
    assert snapshot(forward) == snapshot(backward)


@every
def test_values_that_are_0_change_nothing(entry: BooleanEntry) -> None:
    shorter, longer = newborn(entry), newborn(entry)
    for x, label in boolean_world().examples():
        shorter.learn_one(x, label)
        longer.learn_one({**dict.fromkeys(range(50), 0), "a": -0.0, **x}, label)
    assert snapshot(shorter) == snapshot(longer)


@every
def test_1_is_1_however_it_is_written(entry: BooleanEntry) -> None:
    ways = [1, 1.0, True, np.float32(1), np.int64(1), np.True_]
    learners = [newborn(entry) for _ in ways]
    for x, label in boolean_world().examples():
        for one, learner in zip(ways, learners, strict=True):
            learner.learn_one({np.int64(j): one for j in x}, label)
    assert len({snapshot(learner) for learner in learners}) == 1


@every
def test_labels_true_1_and_plus_1_agree(entry: BooleanEntry) -> None:
    world = boolean_world()
    ways: list[Any] = [
        world.y,
        world.y.astype(np.int8),
        np.where(world.y, 1.0, -1.0),
        world.y.tolist(),
        world.y.astype(object),
    ]
    learners = [newborn(entry) for _ in ways]
    for labels, learner in zip(ways, learners, strict=True):
        learner.play(world.X, labels)
    assert len({snapshot(learner) for learner in learners}) == 1


@every
def test_fit_forgets_and_partial_fit_goes_on(entry: BooleanEntry) -> None:
    world = boolean_world()
    learner, fitted = newborn(entry), newborn(entry)
    learner.play(world.X, world.y)
    fitted.partial_fit(world.X, ~world.y)
    assert fitted.fit(world.X, world.y) is fitted
    assert snapshot(fitted) == snapshot(learner)
    learner.play(world.X, world.y)
    assert snapshot(fitted.partial_fit(world.X, world.y)) == snapshot(learner)


@every
def test_a_sample_weight_repeats_the_learning(entry: BooleanEntry) -> None:
    world = boolean_world()
    times = np.random.default_rng(5).integers(0, 4, len(world.y))
    weighted, one_by_one = newborn(entry), newborn(entry)
    repeated, mappings = newborn(entry), newborn(entry)
    said = weighted.play(world.X, world.y, sample_weight=times)
    for t, (x, label) in enumerate(zip(world.X, world.y, strict=True)):
        assert one_by_one.play_one(x, label, int(times[t])) == said[t]
        for _ in range(times[t]):
            repeated.learn_one(x, label)
    rows = [x for x, _ in world.examples()]
    assert mappings.play(rows, world.y, times.astype(float)).tolist() == said.tolist()
    assert len({snapshot(e) for e in (weighted, one_by_one, repeated, mappings)}) == 1
    assert weighted.rounds_ == times.sum()


@every
@pytest.mark.parametrize("weight", [-1, 0.5, math.nan, 2**32, "1", None])
def test_a_sample_weight_is_a_number_of_repetitions(
    entry: BooleanEntry, weight: Any
) -> None:
    learner = newborn(entry)
    before = snapshot(learner)
    with pytest.raises(ParameterError, match="row 0: a sample weight must be a whole"):
        learner.play([[1.0]], [True], sample_weight=np.array([weight], dtype=object))
    with pytest.raises(ParameterError, match="a sample weight must be a whole"):
        learner.learn_one([1.0], True, weight)
    assert snapshot(learner) == before


@every
def test_only_a_mistake_changes_it(entry: BooleanEntry) -> None:
    world = boolean_world()
    learner = newborn(entry)
    learner.play(world.X[:1], world.y[:1])
    for t, (x, label) in enumerate(zip(world.X, world.y, strict=True)):
        before, count = learner.concept_, learner.updates_
        wrong = learner.play_one(x, label) != label
        assert learner.updates_ - count in ((0, 1) if wrong else (0,))
        if learner.updates_ == count and t > COLUMNS:  # all features have been met
            assert learner.concept_ == before
    assert learner.rounds_ == len(world.y) + 1


@every
def test_its_concept_says_what_it_says(entry: BooleanEntry) -> None:
    world = boolean_world()
    learner = newborn(entry)
    for t in range(len(world.y)):
        learner.play(world.X[t : t + 1], world.y[t : t + 1])
        if t % 20 == 0:
            met = {j: world.X[:, j] for j in learner.features_}
            columns = zip(*met.values(), strict=True)
            rows = [dict(zip(met, row, strict=True)) for row in columns]
            concept = learner.concept_
            said = [learner.predict_one(x) for x in rows]
            assert [concept(x) for x in rows] == said


@every
def test_the_learner_base_gives_the_same_without_native_blocks(
    entry: BooleanEntry,
) -> None:
    world = boolean_world()
    native, plain = newborn(entry), newborn(entry)
    expected = native.play(world.X, world.y)
    assert Learner.play(plain, world.X, world.y).tolist() == expected.tolist()
    assert Learner.predict(plain, world.X).tolist() == native.predict(world.X).tolist()
    assert snapshot(plain) == snapshot(native)


# When no concept fits -----------------------------------------------------------


@every
def test_it_says_once_that_nothing_fits(entry: BooleanEntry) -> None:
    world = boolean_world()
    learner = newborn(entry)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(8):
            learner.play(world.X, world.y)
            learner.play(world.X, ~world.y)
    assert [type(w.message) for w in caught] == [UnrealizableWarning]
    assert caught[0].filename == __file__
    proof = learner.unrealizable_
    assert f"up to round {proof.round};" in str(caught[0].message)
    assert proof.examples[-1].round == proof.round
    assert {example.y for example in proof.examples} <= {True, False}
    copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
    assert copy.unrealizable_ == proof
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        copy.play(world.X, world.y)  # it has been said


@every
def test_a_warning_made_an_exception_comes_after_the_round(
    entry: BooleanEntry,
) -> None:
    world = boolean_world()
    calm, strict = newborn(entry), newborn(entry)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        raised = 0
        for X, y in ((world.X, world.y), (world.X, ~world.y)) * 8:
            calm_warns = calm.unrealizable_ is None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                calm.play(X, y)
            if calm_warns and calm.unrealizable_ is not None:
                with pytest.raises(UnrealizableWarning):
                    strict.play(X, y)
                raised += 1
            else:
                strict.play(X, y)
    assert raised == 1
    assert snapshot(calm) == snapshot(strict)


# What is refused, and that nothing is lost ----------------------------------------

BAD_EXAMPLES: list[tuple[Any, str]] = [
    ({"a": 0.5}, "feature 'a' must be 0 or 1, got 0.5"),
    ({"a": 2}, "feature 'a' must be 0 or 1, got 2.0"),
    ({"a": -1}, "feature 'a' must be 0 or 1, got -1.0"),
    ({"b": 1, "z": 1, "a": np.float64(0.5)}, "feature 'a' must be 0 or 1, got 0.5"),
    ({"a": math.nan}, "feature 'a' must be a finite number, got nan"),
    ({"a": -math.inf}, "feature 'a' must be a finite number, got -inf"),
    ({"a": "1"}, "feature 'a' must be a number, got '1'"),
    ({"a": None}, "feature 'a' must be a number, got None"),
    ({"a": 10**400}, "feature 'a' must be a number, got 1000"),
    ([1.0, 0.25], "feature 1 must be 0 or 1, got 0.25"),
    ([1.0, math.nan], "feature 1 must be a finite number, got nan"),
    (np.array([0, 3]), "feature 1 must be 0 or 1, got 3.0"),
    (["x"], "feature 0 must be a number, got 'x'"),
    (([3, 3], [1.0, 1.0]), "each feature may stand once, got 3 twice"),
    (([0, 1], [1.0]), "an example must be a mapping"),
    (([0, 1], [1, 2]), "feature 1 must be 0 or 1, got 2.0"),
    ({-1: 1.0}, "name or a column number below 2\\*\\*32, got -1"),
    ({2**32: 1.0}, f"got {2**32}"),
    ({2**70: 1.0}, f"got {2**70}"),
    ({1.0: 1.0}, "got 1.0"),
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


@every_open
@pytest.mark.parametrize(("x", "message"), BAD_EXAMPLES, ids=range(len(BAD_EXAMPLES)))
def test_a_bad_example_is_refused_and_nothing_changes(
    entry: BooleanEntry, x: Any, message: str
) -> None:
    learner = newborn(entry)
    learner.learn_one({"a": 1.0, "b": 1.0}, y=False)
    learner.learn_one({"a": 1.0, "b": 1.0}, y=True)
    before = snapshot(learner)
    calls: tuple[Callable[[], object], ...] = (
        lambda: learner.learn_one(x, y=True),
        lambda: learner.play_one(x, y=False),
        lambda: learner.predict_one(x),
    )
    for call in calls:
        with pytest.raises(ExampleError, match=message):
            call()
        assert snapshot(learner) == before


@every
@pytest.mark.parametrize("y", [2, -2, 0.5, math.nan, "1", "yes", None, [1], 10**400])
def test_a_bad_label_is_refused_and_nothing_changes(
    entry: BooleanEntry, y: Any
) -> None:
    learner = newborn(entry)
    before = snapshot(learner)
    with pytest.raises(LabelError, match="a label must be True/1 or False/0/-1, got"):
        learner.learn_one({0: 1.0}, y)
    labels = np.empty(1, dtype=object)
    labels[0] = y
    with pytest.raises(LabelError, match="row 0"):
        learner.play([[1.0]], labels)
    assert snapshot(learner) == before


BAD_VALUES = [
    (math.nan, "must be a finite number, got nan"),
    (math.inf, "must be a finite number, got inf"),
    (0.5, "must be 0 or 1, got 0.5"),
    (-1.0, "must be 0 or 1, got -1.0"),
]


@every
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("bad", "message"), BAD_VALUES)
def test_a_bad_row_stops_the_block_after_the_rows_before_it(
    entry: BooleanEntry, bad: float, message: str, sparse: bool
) -> None:
    world = boolean_world()
    X = world.X.copy()
    X[150, 4] = bad
    block: Any = sp.csr_array(X) if sparse else X
    learner, expected = newborn(entry), newborn(entry)
    with pytest.raises(FeatureError) as caught:
        learner.play(block, world.y)
    assert str(caught.value) == (
        f"row 150: {type(learner).__name__}: feature 4 {message}; 150 rounds played"
    )
    assert (caught.value.row, caught.value.rounds) == (150, 150)
    expected.play(world.X[:150], world.y[:150])
    assert snapshot(learner) == snapshot(expected)
    with pytest.raises(FeatureError, match="row 150"):
        learner.predict(block)
    with pytest.raises(FeatureError, match="round 450: .*; 450 rounds played"):
        run(learner, [*world.examples(), *zip(X, world.y, strict=True)])


@every
def test_bad_sparse_columns_stop_the_block(entry: BooleanEntry) -> None:
    data, offsets = np.ones(3), np.array([0, 1, 3], dtype=np.int32)
    for columns, message in (
        ([0, 2, 2], "row 1: .*each feature may stand once, got 2 twice"),
        ([0, 1, 7], "row 1: .*within the declared width .*, got 7"),
        ([0, -1, 1], "row 1: .*within the declared width .*, got -1"),
    ):
        X = sp.csr_matrix((2, 6))
        X.indptr, X.data = offsets, data
        X.indices = np.array(columns, dtype=np.int32)
        learner, expected = newborn(entry), newborn(entry)
        with pytest.raises(FeatureError, match=message):
            learner.play(X, [True, True])
        expected.learn_one({0: 1}, y=True)
        assert snapshot(learner) == snapshot(expected)


@every
def test_malformed_matrices_are_refused(entry: BooleanEntry) -> None:
    learner = newborn(entry)
    before = snapshot(learner)
    for X, y, message in (
        ([1.0, 0.0], [True], "two dimensions, got 1"),
        ([[1.0], [1.0, 0.0]], [True, True], "equally long, got 2 after 1"),
        ([[1.0]], [True, False], "one label for each of 1 rows"),
        ([["x"]], [True], "row 0: feature 0 must be a number, got 'x'"),
        ([[1.0], [1.0], [1.0]], [1, 0, -1], "row 2: .*never mixed, got -1 as well"),
    ):
        with pytest.raises(LittlestoneError, match=message):
            learner.play(X, y)
    assert snapshot(learner) == before


@every_open
def test_a_name_that_is_no_text_is_refused_before_a_row_is_played(
    entry: BooleanEntry,
) -> None:
    learner = newborn(entry)
    frame = pd.DataFrame(
        [[1, 0], [1, 1]], columns=pd.Index(["a", "\ud800"], dtype=object)
    )
    with pytest.raises(FeatureError, match="a feature must be a name"):
        learner.play(frame, [True, False])
    assert snapshot(learner) == snapshot(newborn(entry))


@every_closed
def test_features_that_were_not_declared_are_refused(entry: BooleanEntry) -> None:
    learner = newborn(entry)
    learner.learn_one([1] * COLUMNS, y=True)
    before = snapshot(learner)
    for x, feature in (
        ({"a": 1}, "'a'"),
        ({0: 1, COLUMNS: 1, "a": 1}, str(COLUMNS)),
        ([0] * COLUMNS + [1], str(COLUMNS)),
    ):
        message = f"must be one of features=, got {feature}"
        for call in (learner.predict_one, lambda x: learner.learn_one(x, y=False)):
            with pytest.raises(FeatureError, match=message) as caught:
                call(x)
            assert str(caught.value.feature) in feature
    block = np.eye(COLUMNS + 1)
    with pytest.raises(FeatureError, match=f"row {COLUMNS}: .*{COLUMNS} rounds played"):
        learner.clone().play(block, [False] * len(block))
    assert snapshot(learner) == before


class Nosy(UserDict[Any, Any]):
    """An example that uses the learner while it is being read."""

    learner: Any

    def __getitem__(self, feature: Any) -> Any:
        self.learner.predict_one({})
        return super().__getitem__(feature)


@every
def test_a_learner_is_used_by_one_at_a_time(entry: BooleanEntry) -> None:
    learner = newborn(entry)
    x = Nosy({0: 1})
    x.learner = learner
    with pytest.raises(BusyError, match="one thread at a time"):
        learner.learn_one(x, y=True)
    assert snapshot(learner) == snapshot(newborn(entry))
    learner.learn_one({0: 1}, y=True)
