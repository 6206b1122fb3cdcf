"""A learner that was saved and loaded is the same, and goes on the same."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file
from sklearn.linear_model import SGDClassifier

import saved
from littlestone import boolean, conformal, experts, linear, losses, maps, models
from littlestone.errors import MissingFileError, ModelError
from littlestone.learner import Learner
from littlestone.models._values import Packer, Unpacker, learner_class
from tries import some, tried

EVERY = saved.every()
every = pytest.mark.parametrize("one", EVERY, ids=str)


def written(learner: Learner, path: Path) -> bytes:
    models.save(learner, path)
    return path.read_bytes()


def test_every_learner_of_the_library_is_saved_here() -> None:
    rooms = (linear, experts, boolean, maps, conformal)
    names = {
        "Auto",
        "MulticlassAuto",
        "MLEwa",
        *(name for room in rooms for name in room.__all__),
    }
    learners = {name for name in names if learner_class(name) is not None}
    assert {type(one.make()).__name__ for one in EVERY} == learners


@every
@pytest.mark.parametrize("part", some([0.4, 1.0], 2), ids=str)
def test_a_loaded_learner_goes_on_identically(
    one: saved.Saved, part: float, tmp_path: Path
) -> None:
    path, size = tmp_path / "m.lst", len(one.rounds)
    at = int(part * size)
    learner, _ = one.played(0, at)
    before = written(learner, path)
    copy = models.load(path)
    assert type(copy) is type(learner)
    assert repr(copy) == repr(learner)
    assert copy.updates_ == learner.updates_
    assert written(copy, path) == before
    _, said = one.played(at, size, learner)
    _, said_again = one.played(at, size, copy)
    assert said_again == said
    # All of it, in the same order and to the last bit.
    assert written(copy, path) == written(learner, path)
    for name in ("weights_", "losses_"):
        if hasattr(learner, name):
            assert repr(getattr(copy, name)) == repr(getattr(learner, name))


def test_names_are_listed_in_the_order_they_were_met_though_they_weigh_nothing_yet(
    tmp_path: Path,
) -> None:
    learner = linear.Perceptron()
    learner.learn_one({"early": 1.0}, True)  # met, and no mistake
    learner.learn_one({"late": 1.0}, False)
    models.save(learner, tmp_path / "m.lst")
    copy: Any = models.load(tmp_path / "m.lst")
    for each in (learner, copy):
        each.learn_one({"early": 1.0}, False)
        assert list(each.weights_) == ["early", "late"]


def test_the_draws_of_a_budget_go_on(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 4)), rng.random(200) < 0.5
    learner = linear.KernelPerceptron("gaussian", budget=8, seed=7)
    learner.play(X[:100], y[:100])
    models.save(learner, tmp_path / "m.lst")
    copy: Any = models.load(tmp_path / "m.lst")
    np.testing.assert_array_equal(
        copy.play(X[100:], y[100:]), learner.play(X[100:], y[100:])
    )
    assert copy.supports_ == learner.supports_


def test_reasons_survive(tmp_path: Path) -> None:
    learner = boolean.KDNFLearner(2, features=["a", "b", "c"])
    learner.learn_one({"a": 1, "c": 1}, False)
    models.save(learner, tmp_path / "m.lst")
    copy: Any = models.load(tmp_path / "m.lst")
    assert str(copy.why("a and c")) == str(learner.why("a and c"))
    assert copy.concept_ == learner.concept_


def test_what_members_of_a_committee_share_stays_shared(tmp_path: Path) -> None:
    one = linear.Perceptron()
    committee = experts.Committee([one, one, linear.Perceptron()])
    models.save(committee, tmp_path / "m.lst")
    copy: Any = models.load(tmp_path / "m.lst")
    members = list(copy.members_.values())
    assert members[0] is members[1] is not members[2]
    assert copy.learners[0] is copy.learners[1]


def test_wide_and_sparse_columns(tmp_path: Path) -> None:
    learner = linear.Perceptron()
    learner.learn_one(([3, 2**24 - 1, 2**24, 2**32 - 1], [1.0, 2.0, 3.0, 4.0]), False)
    raw = written(learner, tmp_path / "m.lst")
    assert len(raw) < 2000
    copy: Any = models.load(tmp_path / "m.lst")
    assert dict(copy.weights_) == {
        3: -1.0,
        2**24 - 1: -2.0,
        2**24: -3.0,
        2**32 - 1: -4.0,
    }
    assert list(copy.weights_) == list(learner.weights_)


# The file ----------------------------------------------------------------------------


def test_the_file_is_one_that_safetensors_reads(tmp_path: Path) -> None:
    learner = linear.AROW()
    learner.learn_one({"a": 1.0, 2: 3.0}, True)
    models.save(learner, tmp_path / "m.lst")
    arrays = load_file(tmp_path / "m.lst")
    assert arrays["state/names.cells"].shape == (1, 2)
    assert arrays["state/names.text"].tobytes() == b"a"


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.lst"
    before = written(linear.Perceptron(), path)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ModelError, match=r"m\.lst: cannot be written: No space left"):
        models.save(linear.AROW(), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="must be in a folder that exists"):
        models.save(linear.Perceptron(), tmp_path / "no" / "m.lst")


def test_a_link_is_followed(tmp_path: Path) -> None:
    target = tmp_path / "target.lst"
    models.save(linear.Perceptron(), target)
    (tmp_path / "link.lst").symlink_to(target)
    models.save(linear.AROW(), tmp_path / "link.lst")
    assert (tmp_path / "link.lst").is_symlink()
    assert type(models.load(target)) is linear.AROW


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="there is no such file"):
        models.load(tmp_path / "m.lst")
    with pytest.raises(ModelError, match="must be a regular file"):
        models.load(tmp_path)


# What cannot be saved ----------------------------------------------------------------


def _kernel(a: Any, b: Any) -> float:
    return float(len(a) + len(b))


class OfMyOwn(linear.Perceptron):
    """A learner that no file can name."""


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (
            linear.KernelPerceptron(_kernel),
            "parameters/kernel must be .* a function",
        ),
        (experts.ExponentialWeights(1.0, lambda p, y: abs(p - y)), "parameters/loss"),
        (
            experts.ExponentialWeights(1.0, losses.custom(lambda p, y: abs(p - y))),
            "parameters/loss must be a loss of littlestone",
        ),
        (experts.Cover(2, lambda _: 0.5), "parameters/phi must be .* a function"),
        (boolean.ConsistentLearner([bool]), "parameters/concepts/0 must be"),
        (experts.Committee([SGDClassifier()]), "parameters/learners/0 must be"),
        (OfMyOwn(), "must be one of littlestone to be saved, got OfMyOwn"),
        (experts.Halving(experts=[b"a", b"b"]), "parameters/experts/0 must be"),
    ],
)
def test_what_is_not_plain_cannot_be_saved(
    learner: Any, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        models.save(learner, tmp_path / "m.lst")
    assert str(caught.value).startswith(f"{tmp_path / 'm.lst'}: ")
    assert list(tmp_path.iterdir()) == []


_plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.fractions()
    | st.sampled_from([2**9000, -(2**70), range(3, 9, 2), losses.pinball(0.3)]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=4)
    ),
    max_leaves=12,
)


@tried(2)
@given(_plain)
def test_plain_values_survive(value: Any) -> None:
    packer = Packer()
    packed = packer.pack("x", value)
    again = Unpacker(packer.arrays).unpack(packed)
    assert again == value
    assert repr(again) == repr(value)  # 1 is not True, nor 1.0


# What is inside ----------------------------------------------------------------------


def test_a_card_tells_what_is_inside(tmp_path: Path) -> None:
    learner = linear.MulticlassPerceptron()
    for x, y in [
        ({"a": 1.0}, "ham"),
        ({"a": 2.0, "b": 1.0}, "spam"),
        ({"b": 3.0}, "ham"),
    ]:
        learner.learn_one(x, y)
    models.save(learner, tmp_path / "m.lst")
    card = models.inspect(tmp_path / "m.lst", top=2)
    assert (card.learner, card.updates, card.features) == ("MulticlassPerceptron", 2, 2)
    assert [(w.label, w.feature, w.weight) for w in card.largest] == [
        ("ham", "a", -2.0),
        ("ham", "b", 2.0),
    ]
    shown = str(card)
    assert "ham: a" in shown
    assert card.digest in shown


def test_a_card_tells_the_rule_and_the_experts(tmp_path: Path) -> None:
    rule = boolean.DecisionListLearner(features=["a", "b"])
    rule.learn_one({"a": 1}, False)
    models.save(rule, tmp_path / "m.lst")
    assert "rule      no" in str(models.inspect(tmp_path / "m.lst"))
    votes = experts.WeightedMajority(experts=["ann", "bob"])
    votes.learn_one([True, False], True)
    models.save(votes, tmp_path / "m.lst")
    card = models.inspect(tmp_path / "m.lst")
    assert [w.feature for w in card.experts] == ["ann", "bob"]
    assert card.largest == ()


def test_the_difference_of_two_models(tmp_path: Path) -> None:
    a, b = tmp_path / "a.lst", tmp_path / "b.lst"
    learner = linear.Perceptron()
    learner.learn_one({"x": 1.0, "y": 5.0}, False)
    models.save(learner, a)
    learner.learn_one({"x": -3.0, "z": 1.0}, False)
    models.save(learner, b)
    found = models.diff(a, b, top=1)
    assert found.facts == {"updates": (1, 2), "features": (2, 3)}
    assert [(p.feature, p.weight, q.weight) for p, q in found.weights] == [
        ("x", -1.0, 2.0)
    ]
    assert not models.diff(a, a)
    models.save(linear.Perceptron(bias=2), b)
    assert models.diff(a, b).facts["bias"] == ("0.0", "2")
