"""Pickles and copies hold what the model file holds, and learn on identically."""

from __future__ import annotations

import copy
import hashlib
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import saved
from littlestone.experts import Committee, WeightedMajority
from littlestone.learner import Learner
from littlestone.linear import KernelPerceptron, Perceptron

SCRIPT = "from contract.test_pickles import digests; print(*digests())"


def digests() -> list[str]:
    """Return a digest of the pickle of each learner after its rounds."""
    return [
        hashlib.sha256(pickle.dumps(one.played(0, 60)[0])).hexdigest()
        for one in saved.every()
    ]


def test_equal_learners_have_equal_pickles_wherever_names_are_hashed() -> None:
    # Strings are hashed differently in every process, unless told how.
    env = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "1"}
    command = [sys.executable, "-c", SCRIPT]
    elsewhere = subprocess.check_output(command, text=True, env=os.environ | env)
    assert digests() == elsewhere.split()


def test_a_copy_has_the_same_pickle() -> None:
    for one in saved.every():
        told = pickle.dumps(one.played(0, 60)[0])
        assert pickle.dumps(pickle.loads(told)) == told, one  # noqa: S301 - our own bytes


def pickled(learner: Learner) -> Any:
    return pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes


every_copy = pytest.mark.parametrize("copied", [pickled, copy.deepcopy, copy.copy])


@every_copy
def test_a_copy_learns_on_identically_and_alone(
    copied: Callable[[Learner], Learner],
) -> None:
    for one in saved.every():
        learner, _ = one.played(0, 20)
        if isinstance(learner, Committee) and copied is copy.copy:
            continue  # a shallow copy shares the members
        before = pickle.dumps(learner)
        twin = copied(learner)
        assert type(twin) is type(learner)
        _, said = one.played(20, 40, twin)
        assert pickle.dumps(learner) == before, one
        assert one.played(20, 40, learner)[1] == said, one


def test_an_expert_joins_a_copy_alone() -> None:
    learner = WeightedMajority(experts=["a", "b"])
    learner.learn_one([True, False], y=True)
    copy.copy(learner).join("c")
    assert learner.experts_ == ["a", "b"]
    learner.learn_one([True, False], y=True)


def test_a_pickle_lists_weights_in_the_same_order() -> None:
    learner = Perceptron()
    learner.learn_one({"late": 1.0}, y=True)  # no mistake, so only met
    twin = pickled(learner)
    for one in (learner, twin):
        one.learn_one({"early": 1.0}, y=False)
        one.learn_one({"late": 1.0}, y=False)
    assert list(learner.weights_) == list(twin.weights_) == ["late", "early"]


def inner(x: Mapping[Any, float], z: Mapping[Any, float]) -> float:
    return sum(value * z.get(name, 0.0) for name, value in x.items())


@every_copy
def test_a_kernel_that_is_a_function_is_copied(
    copied: Callable[[Learner], Any],
) -> None:
    learner = KernelPerceptron(inner, budget=2, seed=4)
    examples = [({"a": k % 3 - 1.0, "b": k % 5 - 2.0}, k % 2 == 0) for k in range(40)]
    for x, y in examples[:20]:
        learner.learn_one(x, y)
    twin = copied(learner)
    assert twin.supports_ == learner.supports_
    before = pickle.dumps(learner)
    said = [twin.play_one(x, y) for x, y in examples[20:]]
    assert pickle.dumps(learner) == before
    assert [learner.play_one(x, y) for x, y in examples[20:]] == said
    assert twin.supports_ == learner.supports_


class Counter(Learner):
    """Someone's own learner, which does not say how to save itself."""

    def __init__(self, start: int = 0) -> None:
        self.start = start
        self.seen = start

    @property
    def updates_(self) -> int:
        """How many rounds it has counted."""
        return self.seen - self.start

    def predict_one(self, x: Any) -> bool:  # noqa: ARG002 - it does not look
        """Say yes to every other one."""
        return self.seen % 2 == 0

    def learn_one(self, x: Any, y: Any, sample_weight: int = 1) -> None:  # noqa: ARG002 - it does not look
        """Count the round."""
        self.seen += sample_weight


@every_copy
def test_a_learner_without_a_saved_state_is_copied_as_any_object(
    copied: Callable[[Learner], Any],
) -> None:
    learner = Counter(3)
    learner.learn_one(None, y=True)
    twin = copied(learner)
    assert (twin.start, twin.seen) == (3, 4)
    twin.learn_one(None, y=True)
    assert (learner.updates_, twin.updates_) == (1, 2)
