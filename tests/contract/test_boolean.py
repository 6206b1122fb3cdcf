"""What learners of Boolean rules promise beyond the contract: concepts, and doubts."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.base

from boolean_worlds import (
    BOOLEAN_ENTRIES,
    COLUMNS,
    BooleanEntry,
    boolean_world,
)
from families import learned_rule, snapshot
from littlestone import boolean, run, streams
from littlestone.errors import (
    FeatureError,
    UnknownFeaturesWarning,
    UnrealizableWarning,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::littlestone.errors.UnrealizableWarning"
)


def of(entries: list[BooleanEntry]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("entry", entries, ids=str)


every = of(BOOLEAN_ENTRIES)
every_open = of([entry for entry in BOOLEAN_ENTRIES if not entry.closed])
# Those that follow a rule, and say so when none fits.
every_rule = of([entry for entry in BOOLEAN_ENTRIES if hasattr(entry.made, "concept_")])
every_closed = of([entry for entry in BOOLEAN_ENTRIES if entry.closed])


def newborn(entry: BooleanEntry) -> Any:
    return entry.made.clone()


@every
def test_it_is_born_with_a_concept(entry: BooleanEntry) -> None:
    learner = newborn(entry)
    assert learner.rounds_ == 0
    assert learner.unrealizable_ is None
    if hasattr(learner, "concept_"):
        assert learner.concept_({}) == learner.predict_one({})


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
def test_features_never_seen_change_nothing(entry: BooleanEntry) -> None:
    world = boolean_world()
    learner = newborn(entry)
    learner.play(world.X, world.y)
    before = snapshot(learner)
    learner.predict([{0: 1}, {1: 1}])
    if not entry.closed:
        learner.predict_one({"never seen": 1, 4_000_000_000: 1})
        with pytest.warns(UnknownFeaturesWarning, match="of the frame is known"):
            learner.predict(pd.DataFrame({"a": [0, 1], "b": [1, 1]}))
        learner.predict_one([1.0] * 50)
    assert snapshot(learner) == before


FRAMES: list[Callable[..., Any]] = [
    lambda X, names: pd.DataFrame(X, columns=names),
    lambda X, names: pd.DataFrame(X.astype(bool), columns=names),
    lambda X, names: pd.DataFrame(X.astype(object), columns=names),
    lambda X, names: pl.DataFrame(X.astype(np.int8), schema=names),
]


@every_open
def test_frames_and_mappings_come_to_the_same(entry: BooleanEntry) -> None:
    world = boolean_world()
    # Names whose order is not that of the columns.
    names = [f"n{7 * j % COLUMNS}" for j in range(COLUMNS)]
    mappings = [{names[j]: v for j, v in x.items()} for x, _ in world.examples()]
    two, three = newborn(entry), newborn(entry)
    said = two.play(mappings, world.y).tolist()
    run(three, zip(mappings, world.y.tolist(), strict=True))
    assert learned_rule(two) == learned_rule(three)
    for frame in FRAMES:
        one = newborn(entry)
        assert one.play(frame(world.X, names), world.y).tolist() == said
        assert learned_rule(one) == learned_rule(two)
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
    assert learned_rule(learner) == learned_rule(by_name)
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


@every_rule
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


# When no concept fits -----------------------------------------------------------


@every_rule
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


@every_rule
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


# What is refused -------------------------------------------------------------------


@every
def test_a_bad_example_is_told_its_round(entry: BooleanEntry) -> None:
    world = boolean_world()
    bad = [*world.examples(), ({0: 0.5}, True)]
    with pytest.raises(FeatureError, match="round 300: .*; 300 rounds played"):
        run(newborn(entry), bad)


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
        message = f"must be one of `features`, got {feature}"
        for call in (learner.predict_one, lambda x: learner.learn_one(x, y=False)):
            with pytest.raises(FeatureError, match=message) as caught:
                call(x)
            assert str(caught.value.feature) in feature
    block = np.eye(COLUMNS + 1)
    with pytest.raises(FeatureError, match=f"row {COLUMNS}: .*{COLUMNS} rounds played"):
        learner.clone().play(block, [False] * len(block))
    assert snapshot(learner) == before
