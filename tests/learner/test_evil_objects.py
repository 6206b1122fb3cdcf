"""Objects whose methods change what is being read: an error or a round, never a crash.

`make sanitize` plays these under the address sanitizer as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from littlestone import Auto, boolean, experts, linear, run, streams
from littlestone.errors import (
    BusyError,
    ExampleError,
    LittlestoneError,
    ParameterError,
)
from littlestone.maps import Mapped, Quadratic, Standardized

Harm = Callable[[], Any]


class EvilNumber:
    """A number, and a key, each of whose methods does harm first."""

    def __init__(self, harm: Harm, number: int = 1) -> None:
        self.harm, self.number = harm, number

    def __float__(self) -> float:
        self.harm()
        return float(self.number)

    def __index__(self) -> int:
        self.harm()
        return self.number

    def __hash__(self) -> int:
        self.harm()
        return hash(self.number)

    def __eq__(self, other: object) -> bool:
        self.harm()
        return bool(self.number == other)

    def __repr__(self) -> str:
        self.harm()
        return "evil"


class EvilName(str):
    """A name that does harm when it is hashed or compared."""

    __slots__ = ("harm",)
    harm: Harm

    def __hash__(self) -> int:
        getattr(self, "harm", int)()
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        getattr(self, "harm", int)()
        return super().__eq__(other)

    def __repr__(self) -> str:
        getattr(self, "harm", int)()
        return super().__repr__()


def both(one: Harm, other: Harm) -> None:
    one()
    other()


def evil_name(text: str, harm: Harm) -> EvilName:
    name = EvilName(text)
    name.harm = harm
    return name


class LiesAboutLength(np.ndarray[Any, Any]):
    """An array that says it has two numbers."""

    def __len__(self) -> int:
        return 2


def lying(numbers: list[int]) -> Any:
    return np.array(numbers, dtype=np.int32).view(LiesAboutLength)


class EvilList(list[Any]):
    """A list that empties itself while it is read, and lies about its length."""

    def __len__(self) -> int:
        return 7

    def __iter__(self) -> Iterator[Any]:
        for item in super().__iter__():
            yield item
            self.clear()


class EvilMapping:
    """A mapping whose keys are not those it has."""

    def keys(self) -> Iterator[Any]:
        """Yield a name, and what is none."""
        yield "a"
        yield EvilNumber(int, 3)

    def __getitem__(self, key: object) -> Any:
        return EvilNumber(self.keys)


def refused_or_done(act: Callable[[], Any]) -> None:
    """Let evil objects in; our errors, or what such objects cause, may come out."""
    with suppress(LittlestoneError, TypeError, ValueError, KeyError, RuntimeError):
        act()


LEARNERS: list[Any] = [
    linear.Perceptron,
    linear.KernelPerceptron,
    linear.MulticlassPerceptron,
    boolean.ConjunctionLearner,
    lambda: boolean.KDNFLearner(2, features=[evil_name("a", int), "b"]),
    boolean.DecisionListLearner,
    linear.AdaGrad,
    linear.VovkAzouryWarmuth,
    linear.MulticlassAROW,
    Auto,
    lambda: experts.Restarting(linear.Perceptron()),
    lambda: Mapped(linear.Perceptron(), Standardized() | Quadratic()),
]
learners = pytest.mark.parametrize("make", LEARNERS)


def examples(learner: Any) -> Iterator[Any]:
    """Yield examples that change themselves while the learner reads them."""
    row: dict[Any, Any] = {}

    def clear() -> None:
        row.clear()
        row.update((f"n{k}", 1.0) for k in range(50))

    def again() -> None:
        learner.learn_one({"a": 1.0}, True)

    for harm in (clear, again):
        yield row | {"a": 1.0, "b": EvilNumber(harm), "c": 1.0}
        row = {"a": EvilNumber(harm), evil_name("b", int): 1.0, "c": EvilNumber(harm)}
        yield row
        # The name can only do harm once it is inside.
        name = evil_name("a", int)
        row = {name: 1.0, "b": 1.0, EvilNumber(int, 7): 1.0}
        name.harm = harm
        yield row
        items: list[Any] = [1.0, 1.0, 0.0]
        items[1] = EvilNumber(partial(both, items.clear, harm))
        yield items
        yield (EvilList([0, 1]), EvilList([1.0, EvilNumber(harm)]))
        yield ([EvilNumber(harm), 2], [1.0, EvilNumber(harm)])
    yield EvilList([1.0, 1.0])
    yield EvilMapping()
    for offsets in ([], [0], [0, 1, 2], [0, 9], [-1, 1], [1, 0]):
        yield SimpleNamespace(
            indptr=lying(offsets), indices=lying([0, 1]), data=lying([1]), format="csr"
        )
    yield SimpleNamespace(indptr=lying([0, 1]), indices=None, data=(), format=3)
    yield SimpleNamespace(indptr=EvilList([0, 1]), indices=[0], data=[1], format="csr")
    yield np.ones(3).view(LiesAboutLength)


@learners
def test_examples_may_change_themselves(make: Any) -> None:
    learner = make()
    for x in examples(learner):
        for act in (learner.predict_one, lambda x: learner.learn_one(x, True)):
            refused_or_done(partial(act, x))
    learner.learn_one({"a": 1.0, "b": 1.0}, True)


@learners
def test_labels_may_change_what_they_are_part_of(make: Any) -> None:
    learner, labels = make(), [True, False, True]
    evil: Any = EvilNumber(labels.clear)
    labels[1] = evil
    refused_or_done(lambda: learner.play(np.eye(3), labels))
    x = {"a": 1.0}
    refused_or_done(lambda: learner.learn_one(x, EvilNumber(x.clear)))


@learners
def test_names_of_columns_may_be_evil(make: Any) -> None:
    learner = make()
    frame = pd.DataFrame(np.eye(3), columns=["a", "b", "c"])
    names = [evil_name(name, int) for name in "abc"]
    for name in names:
        name.harm = names.clear
    frame.columns = pd.Index(names, dtype=object)
    for name in frame.columns:
        name.harm = lambda: learner.predict_one({})
    refused_or_done(lambda: learner.play(frame, [True, False, True]))
    refused_or_done(lambda: run(learner, streams.arrays(frame, [True, False, True])))


@pytest.mark.parametrize(
    "kind", [experts.Halving, experts.WeightedMajority, experts.MLPoly]
)
def test_advice_may_change_itself(kind: Any) -> None:
    names: list[Any] = [evil_name("a", int), "b", EvilNumber(int, 3)]
    learner = kind(experts=names)
    row: dict[Any, Any] = {}

    def harm() -> None:
        row.clear()
        row.update((k, 1.0) for k in range(50))

    for advice in (
        {"a": True, "b": EvilNumber(harm), 3: True},
        {"a": True, "b": True, EvilNumber(int, 3): EvilNumber(harm)},
        EvilList([True, False, True]),
        [True, EvilNumber(harm), True],
        EvilMapping(),
    ):
        row = advice if isinstance(advice, dict) else {}
        names[0].harm = harm
        refused_or_done(partial(learner.learn_one, advice, True))
        names[0].harm = int


def test_matrices_may_lie_about_their_shape() -> None:
    X = sp.csr_matrix(np.eye(4))
    for indices, indptr, data in (
        (lying([0, 1, 2, 3]), lying([0, 1, 2, 3, 4]), np.ones(4)),
        (lying([0, 1]), lying([0, 1, 2, 3, 4]), np.ones(4)),
        (lying([0, 1, 2, 9]), lying([0, 9]), np.ones(2).view(LiesAboutLength)),
    ):
        X.indices, X.indptr, X.data = indices, indptr, data
        refused_or_done(lambda: linear.Perceptron().play(X, [True] * 4))


class Liar:
    """A sequence of two numbers that says it has many more, or fewer."""

    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, at: int) -> float:
        return (1.0, 1.0)[at]


@pytest.mark.parametrize("length", [1, 3, 2**40, 2**62, 2**63 - 1])
def test_sequences_may_lie_about_their_length(length: int) -> None:
    liar: Any = Liar(length)
    for kind in (experts.WeightedMajority, experts.MLPoly, experts.Halving):
        learner = kind()
        learner.learn_one(liar, True)
        assert len(learner.weights_ if kind is experts.MLPoly else [1, 2]) == 2
        assert learner.predict_one(liar) in (True, 1.0)
    columns: Any = [0, 1]
    for example in ((columns, liar), (liar, columns), liar):
        with suppress(ExampleError):
            linear.Perceptron().learn_one(example, False)
        with suppress(ExampleError):
            boolean.ConjunctionLearner().learn_one(example, True)


@pytest.mark.parametrize("offsets", [[0, 2, 1, 3], [0, 1, 2, 9], [-1, 1, 2, 3]])
def test_broken_offsets_of_rows_are_refused_as_such(offsets: list[int]) -> None:
    X = sp.csr_matrix(np.eye(3))
    X.indptr = np.array(offsets, dtype=np.int32)
    with pytest.raises(ParameterError, match="a CSR matrix must be sound: the offsets"):
        linear.Perceptron().play(X, [True] * 3)
    with pytest.raises(ParameterError, match="a CSR matrix must be sound: the offsets"):
        run(linear.Perceptron(), (X, [True] * 3))


@pytest.mark.parametrize("room", ["_core", "running", "verifying"])
def test_another_interpreter_is_refused(room: str) -> None:
    interpreters: Any = pytest.importorskip("_xxsubinterpreters")
    other = interpreters.create()
    # NumPy must not be loaded there, or the main interpreter cannot load it any more.
    script = f"import sys; sys.path[:] = {sys.path!r}; sys.modules['numpy'] = None\n"
    script += f"import littlestone.{room}"
    with pytest.raises(interpreters.RunFailedError, match="main interpreter"):
        interpreters.run_string(other, script)
    interpreters.destroy(other)
    assert linear.Perceptron().predict_one({"a": 1.0})


# What is looked at while a learner or a map reads an example.
LOOKS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "updates": (linear.Perceptron(), lambda learner: learner.updates_),
    "classes": (
        linear.MulticlassAROW(classes=[0, 1]),
        lambda learner: learner.updates_,
    ),
    "loss": (linear.CoinBetting(), lambda learner: learner.loss_),
    "experts": (experts.ExponentialWeights(), lambda learner: learner.loss_),
    "alive": (experts.Halving(), lambda learner: learner.alive_),
    "map": (
        Mapped(linear.Perceptron(), Standardized()),
        lambda mapped: mapped._begun.undo(),  # noqa: SLF001 - what a play calls
    ),
}


@pytest.mark.parametrize("name", LOOKS)
def test_a_learner_that_reads_an_example_cannot_be_looked_at(name: str) -> None:
    made, look = LOOKS[name]
    learner, seen = made.clone(), []

    def harm() -> None:
        with pytest.raises(BusyError):
            look(learner)
        seen.append(name)

    learner.learn_one({"a": 1.0}, True)
    with suppress(LittlestoneError):
        learner.predict_one({"a": EvilNumber(harm)})
    assert seen
