"""One second-order learner a class is what it says, and errs no more than allowed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from littlestone import certify, models, run, streams, theorems, verify
from littlestone.errors import FeatureError, ParameterError, PremiseError
from littlestone.linear import (
    AROW,
    MulticlassAROW,
    MulticlassSecondOrder,
    SecondOrderPerceptron,
)
from littlestone.verifying import twins

EVERY: list[Any] = [
    MulticlassAROW(),
    MulticlassAROW(r=0.1, bias=0.5),
    MulticlassAROW(10.0, diagonal=False, classes=["b", "a", "c"]),
    MulticlassSecondOrder(),
    MulticlassSecondOrder(2.0, diagonal=False, bias=1.0),
    MulticlassSecondOrder(classes=["c", "b", "a"]),
]
every = pytest.mark.parametrize("made", EVERY, ids=repr)


def rows(size: int = 60, seed: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.5, 0.0, 0.0, 0.3, 2.0], size=(size, 5))
    best = (X @ rng.normal(size=(5, 3)) + rng.normal(size=(size, 3)) * 0.3).argmax(1)
    return X, np.array(["a", "b", "c"], dtype=object)[best]


def binary(made: Any) -> Any:
    kind = AROW if isinstance(made, MulticlassAROW) else SecondOrderPerceptron
    return kind(made.r, made.diagonal, bias=made.bias)


# What it says -----------------------------------------------------------------------


@every
def test_each_class_is_a_learner_against_the_rest(made: Any) -> None:
    X, y = rows()
    learner = made.clone()
    said = learner.play(X, y)
    alone: dict[Any, Any] = {label: binary(made) for label in made.classes or ()}
    for x, label, predicted in zip(X, y, said, strict=True):
        scores = {known: each.score_one(x) for known, each in alone.items()}
        expected = max(scores, key=lambda c: scores[c]) if scores else None
        assert predicted == expected
        alone.setdefault(label, binary(made))
        for known, each in alone.items():
            each.learn_one(x, known == label)
    assert learner.classes_ == tuple(alone)
    for known, each in alone.items():
        assert learner.weights_[known] == dict(each.weights_)
        assert learner.score_one(X[0])[known] == each.score_one(X[0])


@pytest.mark.parametrize("made", [MulticlassAROW(bias=0.5), MulticlassSecondOrder()])
def test_classes_that_come_late_and_rounds_that_count_twice(made: Any) -> None:
    # Features and classes enough that what is kept side by side moves several times.
    rng = np.random.default_rng(8)
    learner, alone = made.clone(), dict[int, Any]()
    for t in range(300):
        label = int(rng.integers(1 + t // 25))
        columns = rng.choice(5 + t // 3, size=min(5, 5 + t // 3), replace=False)
        x = {int(j): float(rng.choice([-1.0, 0.25, 3.0])) for j in columns}
        x[label] = 2.0
        times = int(rng.integers(3))
        said = learner.play_one(x, label, times)
        scores = {known: each.score_one(x) for known, each in alone.items()}
        assert said == (max(scores, key=scores.__getitem__) if scores else None)
        if times:
            alone.setdefault(label, binary(made))
            for known, each in alone.items():
                each.learn_one(x, known == label, times)
    again = made.clone()
    again.load_state(learner.save_state())
    for copy in (learner, again):
        assert copy.classes_ == tuple(alone)
        for (known, each), block in zip(
            alone.items(), copy.save_state()["blocks"], strict=True
        ):
            assert copy.weights_[known] == dict(each.weights_)
            assert block["updates"] == each.updates_
            assert block["rule"].tolist() == each.save_state()["rule"].tolist()
    x = {0: 1.0, 3: -2.0, 400: 1.0}
    scores = {known: each.score_one(x) for known, each in alone.items()}
    assert learner.score_one(x) == again.score_one(x) == scores


def test_a_first_example_by_hand() -> None:
    learner: Any = MulticlassAROW(classes=["bird", "fish"])
    learner.learn_one({"fins": 1.0}, "fish")
    assert learner.weights_ == {"bird": {"fins": -0.5}, "fish": {"fins": 0.5}}
    assert learner.predict_one({"fins": 2.0}) == "fish"
    assert learner.knows("fins")
    assert not learner.knows("wings")
    # Both scores are 0, which is a yes: only the bird is wrong.
    learner = MulticlassSecondOrder(classes=["bird", "fish"])
    learner.learn_one({"fins": 1.0}, "fish")
    assert learner.weights_ == {"bird": {"fins": -0.5}, "fish": {}}


# All ways ---------------------------------------------------------------------------


@every
def test_all_ways_to_play_give_the_same_bits(made: Any) -> None:
    X, y = rows()
    one, blocks, csr, named, twin = (
        *(made.clone() for _ in range(4)),
        getattr(twins, type(made).__name__)(**made.get_params()),
    )
    said = [one.play_one(x, label) for x, label in zip(X, y, strict=True)]
    assert [*blocks.play(X[:25], y[:25]), *blocks.play(X[25:], y[25:])] == said
    assert csr.play(sp.csr_matrix(X), y).tolist() == said
    as_names = [{f"n{j}": v for j, v in enumerate(x)} for x in X.tolist()]
    assert named.play(as_names, y).tolist() == said
    mappings = [{j: v for j, v in enumerate(x) if v} for x in X.tolist()]
    assert [twin.play(x, label) for x, label in zip(mappings, y, strict=True)] == said
    assert (
        len({each.decision_function(X).tobytes() for each in (one, blocks, csr)}) == 1
    )
    assert (
        named.decision_function(as_names).tobytes()
        == one.decision_function(X).tobytes()
    )
    assert one.updates_ == blocks.updates_ == csr.updates_ == twin.updates
    for label, weights in twin.weights.items():
        mine = {f: w for f, w in weights.items() if w}
        assert one.weights_[label] == mine


@every
def test_it_is_saved_and_continues(made: Any, tmp_path: Any) -> None:
    X, y = rows()
    learner = made.clone()
    learner.play(X[:30], y[:30])
    learner.learn_one({"name": 2.0, 2**24 + 3: 1.0}, "a")
    models.save(learner, tmp_path / "m.lst")
    loaded: Any = models.load(tmp_path / "m.lst")
    assert loaded.play(X[30:], y[30:]).tolist() == learner.play(X[30:], y[30:]).tolist()
    assert (
        loaded.decision_function(X).tobytes() == learner.decision_function(X).tobytes()
    )
    assert loaded.weights_ == learner.weights_
    assert loaded.coef_.shape == learner.coef_.shape if made.bias == -1 else True


@every
def test_weights_are_so_many_rounds(made: Any) -> None:
    X, y = rows(30)
    times = np.arange(30) % 3
    learner, other = made.clone(), made.clone()
    learner.play(X, y, times)
    for x, label, often in zip(X, y, times, strict=True):
        for _ in range(often):
            other.learn_one(x, label)
    assert (
        learner.decision_function(X).tobytes() == other.decision_function(X).tobytes()
    )
    assert learner.updates_ == other.updates_


# What the theorem says --------------------------------------------------------------


@every
@pytest.mark.parametrize("passes", [1, 2])
def test_runs_are_certified_and_verified(made: Any, passes: int) -> None:
    X, y = rows(40)
    stream = streams.arrays(X, y, outcome="class")
    certificate = certify(made, stream, passes=passes)
    assert certificate.theorem in {theorem.id for theorem in made.guarantees}
    assert certificate.holds
    verdict = verify(certificate, stream)
    assert verdict.accepted, verdict.wrong
    strangers = certificate.numbers["strangers"]
    assert strangers == (0 if made.classes else 3)


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from([-1.0, 0.0, 0.5, 3.0]), min_size=3, max_size=3),
            st.sampled_from("abcd"),
        ),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(EVERY),
)
def test_mistakes_never_exceed_the_bound(stream: list[Any], made: Any) -> None:
    try:
        certificate = certify(made, stream)
    except PremiseError:
        assert any(not any(x) for x, _ in stream)  # a zero example, for AROW
        return
    assert certificate.holds
    assert verify(certificate, stream).accepted


def test_labels_that_contradict_come_close_to_the_bound() -> None:
    learner = MulticlassSecondOrder(1000.0, diagonal=False, classes=[0, 1])
    stream = []
    for j in range(30):
        x = {j: 1.0}
        wrong = learner.predict_one(x)
        stream.append((x, 1 - wrong))
        learner.learn_one(x, 1 - wrong)
    certificate = certify(learner, stream)
    assert certificate.mistakes == 30
    assert certificate.bound <= 30.1


@pytest.mark.parametrize("diagonal", [True, False])
def test_a_mistake_without_values_counts_once(diagonal: bool) -> None:
    """Of three classes two say yes to nothing wrongly, but there is one mistake."""
    learner = MulticlassAROW(diagonal=diagonal, classes=("x", "y", "z"))
    certificate = certify(learner, [({}, "y")])
    assert (certificate.counted, int(certificate.bound)) == (1, 1)
    for stream in (
        [({}, "x"), ({}, "y"), ({"a": 1.0}, "y"), ({}, "z"), ({"a": 1.0}, "x")],
        [({}, "x"), ({}, "x"), ({"a": 1.0}, "y"), ({"a": 1.0}, "y")],
    ):
        certificate = certify(learner, stream)
        assert certificate.holds
        assert verify(certificate, stream).accepted


def test_forged_numbers_are_rejected() -> None:
    X, y = rows(30)
    stream = streams.arrays(X, y, outcome="class")
    found = certify(MulticlassSecondOrder(), stream)
    fields = {name: getattr(found, name) for name in found.__dataclass_fields__}
    numbers = {**found.numbers_exact, "strangers": "0"}
    theorem = theorems.get(found.theorem)
    bound = theorem.bound(
        **{k: v for k, v in found.numbers.items() if k != "strangers"}
    )
    forged = type(found)(
        **{**fields, "numbers_exact": numbers, "bound_exact": bound.hex()}
    )
    assert not verify(forged, stream).accepted


# What is refused --------------------------------------------------------------------


@every
def test_a_refused_row_changes_nothing(made: Any) -> None:
    X, y = rows(20)
    bad = X.copy()
    bad[9, 3] = math.inf
    learner, other = made.clone(), made.clone()
    with pytest.raises(
        FeatureError, match=r"row 9: .*feature 3 .*inf; 9 rounds played"
    ):
        learner.play(bad, y)
    with pytest.raises(FeatureError, match="feature 'new'"):
        learner.learn_one({"other": 1.0, "new": math.nan}, "a")
    other.play(X[:9], y[:9])
    assert learner.play(X[9:], y[9:]).tolist() == other.play(X[9:], y[9:]).tolist()
    assert models_equal(learner, other)


def models_equal(one: Any, other: Any) -> bool:
    first, second = one.save_state(), other.save_state()
    same = [first[k] == second[k] for k in ("classes", "updates", "width")]
    return all(same) and one.weights_ == other.weights_


def test_too_many_features_for_full_matrices() -> None:
    learner = MulticlassAROW(diagonal=False)
    with pytest.raises(FeatureError, match="4096 features"):
        learner.learn_one(dict.fromkeys(range(4097), 1.0), "a")
    assert learner.classes_ == ()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"r": 0}, "MulticlassAROW: r must exceed 0, got 0"),
        ({"diagonal": 1}, "MulticlassAROW: diagonal must be True or False"),
        ({"classes": ["a", "a"]}, "MulticlassAROW: classes must be one or more"),
        ({"bias": math.nan}, "MulticlassAROW: bias must be a finite number"),
    ],
)
def test_illegal_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        MulticlassAROW(**parameters)


@every
def test_a_state_that_was_not_saved_is_refused(made: Any) -> None:
    X, y = rows(20)
    learner = made.clone()
    learner.play(X, y)
    state = learner.save_state()
    with pytest.raises((ParameterError, ValueError)):
        made.clone().load_state({**state, "blocks": state["blocks"][1:]})
    with pytest.raises((ParameterError, ValueError)):
        made.clone().load_state(
            {
                **state,
                "features": learner.save_state()["features"]
                | {"ends": state["features"]["ends"][:1]},
            }
        )


def test_records_and_the_command_line_know_it() -> None:
    X, y = rows()
    record = run(MulticlassAROW(), streams.arrays(X, y, outcome="class"))
    assert record.mistakes < 30
    assert record.learner.name == "MulticlassAROW"
