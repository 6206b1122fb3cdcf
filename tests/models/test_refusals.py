"""A file that is not right is refused, and the message says what must hold."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import call
from littlestone import models
from littlestone.boolean import ConjunctionLearner, KDNFLearner
from littlestone.errors import ModelError
from littlestone.experts import Cover, WeightedMajority
from littlestone.learner import Learner
from littlestone.linear import (
    AROW,
    AveragedPerceptron,
    KernelPerceptron,
    MulticlassPerceptron,
    Perceptron,
)
from littlestone.models._file import read, write
from models.fuzz_models import parted, signed


def learned(learner: Any, *rounds: tuple[Any, Any]) -> Learner:
    for x, y in rounds:
        learner.learn_one(x, y)
    return learner  # type: ignore[no-any-return]  # the one that was given


PERCEPTRON = learned(Perceptron(), ({"a": 1.0, "b": 2.0, 3: 1.0}, False))


def changed(
    path: Path, learner: Learner, change: Callable[[dict[str, Any]], None]
) -> None:
    """Write a model whose header was changed, and its digest made right again."""
    models.save(learner, path)
    header, numbers = parted(path.read_bytes())
    tree = json.loads(header)
    change(tree)
    text = json.dumps(tree, separators=(",", ":")).encode()
    path.write_bytes(signed(text + b" " * (-len(text) % 8), numbers))


def metadata(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda tree: tree["__metadata__"].update({name: value})


def state(**parts: Any) -> Callable[[dict[str, Any]], None]:
    def change(tree: dict[str, Any]) -> None:
        told = tree["__metadata__"]
        told["state"] = json.dumps(json.loads(told["state"]) | parts)

    return change


def renamed(tree: dict[str, Any]) -> None:
    tree["state/other"] = tree.pop("state/rule")


def reshaped(tree: dict[str, Any]) -> None:
    tree["state/names.cells"]["shape"] = [1, 2]


def huge(tree: dict[str, Any]) -> None:
    tree["state/empty"] = {
        "dtype": "F64",
        "shape": [0, 2**62, 2**62],
        "data_offsets": [0, 0],
    }


def deep(tree: dict[str, Any]) -> None:
    tree["state/empty"] = {
        "dtype": "F64",
        "shape": [0] * 70,
        "data_offsets": [0, 0],
    }


def retyped(tree: dict[str, Any]) -> None:
    tree["state/names.cells"]["dtype"] = "I64"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (metadata("format", "2"), "format must be 1, got 2: .* by a newer littlestone"),
        (metadata("format", "x"), "the format must be 1, got 'x'"),
        (metadata("learner", "Percept"), "must be one of littlestone, got 'Percept'"),
        (metadata("learner", "Learner"), "must be one of littlestone, got 'Learner'"),
        (metadata("parameters", '{"bias": "x"}'), "bias must be a finite number, got"),
        (
            metadata("parameters", '{"biass": 1}'),
            "saved parameters are invalid: .* 'biass'",
        ),
        (metadata("parameters", "{"), "parameters must be JSON"),
        (
            metadata("state", '{"$pickle": "x"}'),
            r"a value must be known, got '\$pickle'",
        ),
        (lambda tree: tree["__metadata__"].pop("state"), "must have 'state', got none"),
        (state(updates=-1), "Perceptron: saved state is invalid"),
        (state(width=2), "column numbers below the width"),
        (state(updates="1"), "Perceptron: saved state is invalid"),
        (renamed, "an array must exist, got 'state/rule'"),
        (reshaped, "as many numbers for each feature"),
        (retyped, "Perceptron: saved state is invalid"),
        (huge, "the (shape|arrays) must be"),
        (deep, "the (shape|arrays) must be"),
    ],
)
def test_what_is_wrong_is_told(change: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.lst"
    changed(path, PERCEPTRON, change)
    with pytest.raises(ModelError, match=message) as caught:
        models.load(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_changed_byte_a_lost_end_and_another_file(tmp_path: Path) -> None:
    path = tmp_path / "m.lst"
    models.save(PERCEPTRON, path)
    raw = path.read_bytes()
    path.write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    with pytest.raises(ModelError, match="the digest of the file must be sha256:"):
        models.load(path)
    path.write_bytes(raw[:-5])
    with pytest.raises(
        ModelError, match=f"complete, got {len(raw) - 5} of {len(raw)} bytes"
    ):
        models.load(path)
    path.write_bytes(raw[:100])
    with pytest.raises(ModelError, match="must be complete, got 100 of at least"):
        models.load(path)
    for other in (b"", b"1 1:1\n", b"{}", raw[8:]):
        path.write_bytes(other)
        with pytest.raises(ModelError, match="must be one of littlestone"):
            models.load(path)


def tampered(path: Path, learner: Learner, name: str, numbers: Any) -> None:
    """Write a model with other numbers in one array, and its digest right."""
    models.save(learner, path)
    header, raw = parted(path.read_bytes())
    first, last = json.loads(header)[name]["data_offsets"]
    new = np.asarray(numbers).tobytes()
    assert len(new) == last - first, (name, len(new), last - first)
    path.write_bytes(signed(header, raw[:first] + new + raw[last:]))


KERNEL = learned(KernelPerceptron(budget=3), ({"a": 2.0, "b": 1.0}, False))
FULL = learned(AROW(diagonal=False), ({"a": 2.0}, False))
CLASSES = learned(MulticlassPerceptron(), ({"a": 2.0}, "x"), ({"a": 1.0}, "y"))
VOTES = learned(WeightedMajority(experts=["a", "b"]), ([True, False], True))
RULE = learned(ConjunctionLearner(), ({"a": 1, "b": 1}, True))
U8, U4, U1 = np.uint64, np.uint32, np.uint8


@pytest.mark.parametrize(
    ("learner", "name", "numbers", "message"),
    [
        (PERCEPTRON, "state/columns", np.array([2**24], dtype=U4), "below the width"),
        (PERCEPTRON, "state/names.ends", np.array([2, 1], dtype=U8), "names that end"),
        (
            PERCEPTRON,
            "state/names.ends",
            np.array([3, 2], dtype=U8),
            "one after another",
        ),
        (
            PERCEPTRON,
            "state/names.text",
            np.array([97, 97], dtype=U1),
            "each name once",
        ),
        (PERCEPTRON, "state/names.text", np.array([97, 255], dtype=U1), "UTF-8"),
        (PERCEPTRON, "state/names.kinds", np.array([0, 2], dtype=U1), "nothing else"),
        (
            PERCEPTRON,
            "state/names.kinds",
            np.array([0, 1], dtype=U1),
            "below the width",
        ),
        (KERNEL, "state/names.cells", [0.0, 7.0], "numbers that the learner can have"),
        (KERNEL, "state/names.cells", [0.0, 0.5], "numbers that the learner can have"),
        (
            KERNEL,
            "state/rule",
            [0, 0, 1e9, -1, 2, 0, 2, 1, 1.0],
            "that the learner can",
        ),
        (KERNEL, "state/rule", [0, 0, 2, -1, 2, 0, 2, 0, 1.0], "that the learner can"),
        (KERNEL, "state/rule", [0, 0, 2, -1, 3, 0, 2, 1, 1.0], "that the learner can"),
        (KERNEL, "state/rule", [0, 0, 2, -1, 2, 0, np.nan, 1, 1.0], "that the"),
        (FULL, "state/names.cells", [1.0], "numbers that the learner can have"),
        (FULL, "state/rule", [0.5, 0.5, 3.0], "that the learner can"),
        (CLASSES, "state/rule", [7.0, 0.0, 0.0], "that the learner can"),
        (VOTES, "state/state/0", [0.5, np.nan], "expected priors"),
        (VOTES, "state/state/0", [0.5, -0.5], "expected priors"),
        (RULE, "state/lessons.features", np.array([0, 9], dtype=U4), "lessons"),
        (RULE, "state/lessons.features", np.array([0, 0], dtype=U4), "lessons"),
        (RULE, "state/lessons.labels", np.array([2], dtype=U1), "one after another"),
        (RULE, "state/lessons.ends", np.array([3], dtype=U8), "one after another"),
        (RULE, "state/features.ends", np.array([2, 1], dtype=U8), "one after another"),
        (RULE, "state/features.text", np.array([97, 255], dtype=U1), "names in UTF-8"),
        (
            RULE,
            "state/features.text",
            np.array([97, 97], dtype=U1),
            "duplicate feature",
        ),
        (RULE, "state/features.kinds", np.array([0, 1], dtype=U1), "column numbers"),
        (RULE, "state/features.kinds", np.array([0, 2], dtype=U1), "one after another"),
    ],
)
def test_nonsense_with_a_right_digest_is_refused(
    learner: Any, name: str, numbers: Any, message: str, tmp_path: Path
) -> None:
    if isinstance(numbers, list):
        numbers = np.array(numbers, dtype=np.float64)
    tampered(tmp_path / "m.lst", learner, name, numbers)
    with pytest.raises(ModelError, match=message):
        models.load(tmp_path / "m.lst")


def test_a_learner_beyond_its_horizon_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.lst"
    changed(path, learned(Cover(3), (None, True)), state(told=4))
    with pytest.raises(ModelError, match="Cover: saved state is invalid"):
        models.load(path)


# What a small file could take ------------------------------------------------


@pytest.mark.parametrize("count", [2**23, 2**31, {"$range": [0, 2**28, 1]}])
def test_features_that_are_only_counted_must_fit_into_memory(
    count: Any, tmp_path: Path
) -> None:
    parameters = json.dumps({"monotone": False, "features": count})
    path = tmp_path / "m.lst"
    changed(path, ConjunctionLearner(features=2), metadata("parameters", parameters))
    with pytest.raises(
        ModelError, match="must (have|declare) at most 4,194,304 (members|features)"
    ):
        models.load(path)


def test_a_learner_that_could_not_be_loaded_is_not_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = ConjunctionLearner(features=3)
    # One with so many features takes gigabytes.
    monkeypatch.setattr(learner, "get_params", lambda **_: {"features": 2**25})
    with pytest.raises(
        ModelError, match="must (have|declare) at most 4,194,304 (members|features)"
    ):
        models.check(learner, tmp_path / "m.lst")


@pytest.mark.parametrize("count", [1000, 2**28, {"$range": [0, 2**22, 1]}])
def test_experts_must_be_in_the_file(count: Any, tmp_path: Path) -> None:
    parameters = json.dumps({"beta": 0.5, "experts": count})
    path = tmp_path / "m.lst"
    learner = WeightedMajority(0.5, experts=2)
    changed(path, learner, metadata("parameters", parameters))
    with pytest.raises(ModelError, match="must have a prior for each expert"):
        models.load(path)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_weight_that_is_not_finite_is_refused(number: float, tmp_path: Path) -> None:
    path = tmp_path / "m.lst"
    models.save(PERCEPTRON, path)
    metadata, arrays = read(path)
    cells = arrays["state/names.cells"].copy()
    cells[0] = number
    write(path, metadata, {**arrays, "state/names.cells": cells})
    with pytest.raises(ModelError, match="must have finite numbers, got others"):
        models.load(path)


def test_a_learner_with_a_sum_that_is_infinite_is_not_saved(tmp_path: Path) -> None:
    learner = AveragedPerceptron()
    learned(learner, ({"b": 1.0}, False), ({"b": 1.0}, True), ({"a": 1.7e308}, False))
    with pytest.raises(ModelError, match="must have finite numbers to be saved"):
        models.save(learner, tmp_path / "m.lst")


@pytest.mark.parametrize("features", [30_000, [f"x{k}" for k in range(30_000)], None])
def test_a_small_file_with_very_many_terms_is_refused(
    features: Any, tmp_path: Path
) -> None:
    path = tmp_path / "m.lst"
    learner = KDNFLearner(1, features=features)
    if features is None:
        learner.learn_one({f"x{k}": 1 for k in range(30_000)}, True)
    models.save(learner, path)
    metadata, arrays = read(path)
    parameters = json.loads(metadata["parameters"]) | {"k": 2}
    write(path, {**metadata, "parameters": json.dumps(parameters)}, arrays)
    with pytest.raises(ModelError, match="at most 1,073,741,824 terms of up to 2 lit"):
        models.load(path)


def test_a_learner_with_a_long_horizon_is_loaded_at_once(tmp_path: Path) -> None:
    path = tmp_path / "m.lst"
    learner = Cover(30_000)
    models.save(learner, path)
    metadata, arrays = read(path)
    parameters = json.loads(metadata["parameters"]) | {"horizon": 2**24}
    write(path, {**metadata, "parameters": json.dumps(parameters)}, arrays)
    with pytest.raises(ModelError, match="Cover: saved state is invalid"):
        models.load(path)  # which took hours


@pytest.mark.parametrize(
    "wrong",
    [
        {"term": 2**300},
        {"needed": 3},
        {"flips": 2**60},
        {"flips": 3},
        {"numerator": 2**300},
        {"term": "1"},
        {"scale": 2},
    ],
)
def test_chances_that_no_rounds_lead_to_are_refused(
    wrong: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "m.lst"
    learner = learned(Cover(9), (None, True), (None, False))
    chances = learner.save_state()["chances"]
    changed(path, learner, state(chances=chances | wrong))
    with pytest.raises(ModelError, match="saved state is invalid: expected chances"):
        models.load(path)
    changed(path, learner, state(wrong=2**300))
    with pytest.raises(ModelError, match="expected a count of mistakes"):
        models.load(path)


@pytest.mark.parametrize("end", [-1, 10**30, float("inf"), float("nan"), "8", None, []])
def test_arrays_that_end_nowhere_are_refused(end: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.lst"
    for name in ("state/rule", "state/names.cells"):
        changed(path, PERCEPTRON, ending(name, end))
        with pytest.raises(ModelError):
            models.load(path)


def ending(name: str, end: Any) -> Callable[[dict[str, Any]], None]:
    return lambda tree: tree[name].update(data_offsets=[0, end])


def test_a_file_is_not_read_further_than_a_model_goes(tmp_path: Path) -> None:
    path = tmp_path / "m.lst"
    models.save(PERCEPTRON, path)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(1 << 42)  # a hole, which takes no disk
    with pytest.raises(ModelError, match=f"must have {size} bytes, got {1 << 42}"):
        models.load(path)
    path.write_bytes(b"\x10" + bytes(7) + b"{" + b" " * 15)
    with path.open("r+b") as file:
        file.truncate(1 << 42)
    for words in (["inspect", path], ["inspect", path, "--diff", path]):
        done = call(*words)
        assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_only_regular_files_are_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "m.lst"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    with pytest.raises(ModelError, match="must be a regular file"):
        models.load(path)
    done = call("inspect", path)
    assert (done.returncode, done.stdout) == (2, "")
