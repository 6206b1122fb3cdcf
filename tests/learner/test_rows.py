"""One row at a time: whatever the arrays of a row are, it is the same example."""

from __future__ import annotations

from array import array
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from littlestone.errors import ExampleError
from littlestone.linear import Perceptron

COLUMNS, VALUES = [0, 3, 9], [1.0, 2.0, 4.0]
NUMBERS = "?bBhHiIlLqQfd"  # as `array` and `struct` name them
FAR = [3, 2**24 - 1, 2**24, 2**32 - 1]  # from 2**24 on, columns are kept by name


def row(columns: Any, values: Any, offsets: Any = None) -> sp.csr_matrix:
    """Return a row with these very arrays, which SciPy would copy."""
    made = sp.csr_matrix((1, 2**31 - 1))
    made.indices, made.data = columns, values
    made.indptr = np.array([0, len(values)]) if offsets is None else offsets
    return made


def learned(x: Any) -> dict[Any, float]:
    learner = Perceptron()
    learner.learn_one(x, False)
    return dict(learner.weights_)


def apart(numbers: NDArray[Any], step: int) -> NDArray[Any]:
    """Return the numbers in memory that has others between them."""
    room = np.full(abs(step) * len(numbers), 7, numbers.dtype)
    view = room[::step]
    view[:] = numbers
    return view


@pytest.mark.parametrize("step", [1, 2, -3])
@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_of_every_type_are_read_wherever_they_lie(kind: str, step: int) -> None:
    numbers = np.array([1, 1, 0] if kind == "?" else VALUES, kind)
    if np.dtype(kind).kind in "if":
        numbers = -numbers
    expected = dict(zip(COLUMNS, (-numbers.astype(np.float64)).tolist(), strict=True))
    expected = {column: w for column, w in expected.items() if w}
    columns = np.array(COLUMNS, np.int32)
    assert learned(row(columns, apart(numbers, step))) == expected
    dense = dict(enumerate(w for w in (-numbers.astype(np.float64)).tolist() if w))
    assert learned(apart(numbers, step)) == dense
    if kind in "fd":
        with pytest.raises(ExampleError, match="an example must be"):
            learned(row(numbers, np.array(VALUES)))
    elif kind != "?":
        columns = apart(np.array(COLUMNS, kind), step)
        weights = {0: -1.0, 3: -2.0, 9: -4.0}
        assert learned(row(columns, np.array(VALUES))) == weights


@pytest.mark.parametrize("kind", ["e", ">f8", ">f4"])
def test_numbers_of_other_types_are_read_one_by_one(kind: str) -> None:
    numbers = np.array(VALUES, kind)
    assert learned(numbers) == {0: -1.0, 1: -2.0, 2: -4.0}
    with pytest.raises(ExampleError, match="an example must be"):
        learned(row(np.array(COLUMNS), numbers))


def test_buffers_need_not_be_of_numpy() -> None:
    assert learned(array("d", VALUES)) == {0: -1.0, 1: -2.0, 2: -4.0}
    assert learned(bytearray([1, 0, 2])) == {0: -1.0, 2: -2.0}
    assert learned(row(array("i", COLUMNS), array("f", VALUES))) == {
        0: -1.0,
        3: -2.0,
        9: -4.0,
    }


def test_a_row_may_be_a_part_of_its_arrays() -> None:
    columns, values = np.array([9, *COLUMNS, 0]), np.array([5.0, *VALUES, 6.0])
    part = row(columns, values, np.array([1, 4]))
    assert learned(part) == {0: -1.0, 3: -2.0, 9: -4.0}
    assert learned(row(columns, values, np.array([2, 2]))) == {}


@pytest.mark.parametrize("order", [1, -1])
def test_columns_may_be_far_and_in_any_order(order: int) -> None:
    columns, values = FAR[::order], [1.0, 2.0, 3.0, 4.0]
    learner, other = Perceptron(), Perceptron()
    for label in (False, True):
        x = row(np.array(columns, np.int64), np.array(values))
        assert learner.play_one(x, label) == other.play_one((columns, values), label)
        assert learner.score_one(x) == other.score_one((columns, values))
    assert dict(learner.weights_) == dict(other.weights_)
    assert learner.predict_one(row(np.array([2**32 - 1]), np.array([1.0]))) is True


@pytest.mark.parametrize(
    ("columns", "values", "offsets"),
    [
        ([0, 3, -1], VALUES, [0, 3]),
        ([0, 3, 2**32], VALUES, [0, 3]),
        (COLUMNS, VALUES, [0, 4]),
        (COLUMNS, VALUES[:2], [0, 3]),
        (COLUMNS[:2], VALUES, [0, 3]),
        (COLUMNS, VALUES, [2, 1]),
        (COLUMNS, VALUES, [-1, 3]),
        (COLUMNS, VALUES, [0, 1, 3]),
        (COLUMNS, VALUES, [0]),
        (COLUMNS, VALUES, [0, 2**62]),
        (COLUMNS, VALUES, [0.0, 3.0]),
        ([COLUMNS], VALUES, [0, 3]),
    ],
)
def test_what_is_no_row_is_refused_and_nothing_learned(
    columns: Any, values: Any, offsets: Any
) -> None:
    learner = Perceptron()
    x = row(np.array(columns), np.array(values), np.array(offsets))
    with pytest.raises(ExampleError, match="an example must be"):
        learner.learn_one(x, False)
    assert dict(learner.weights_) == {}
    assert learner.updates_ == 0


def test_a_column_that_comes_twice_is_refused() -> None:
    for twice in ([3, 3], [2**32 - 1, 5, 2**32 - 1]):
        x = row(np.array(twice), np.ones(len(twice)))
        with pytest.raises(ExampleError, match="twice|duplicate|once"):
            learned(x)


# Names ------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [np.nan, "x", Fraction(10) ** 400])
def test_names_of_a_refused_round_are_not_remembered(bad: Any) -> None:
    learner, a, b = Perceptron(), "a" * 20, "b" * 20
    for x in ({a: 1.0, b: bad}, {a: 1.0, b: 2.0, "c": bad}, {a: bad}):
        with pytest.raises(ExampleError):
            learner.learn_one(x, False)
    learner.learn_one({b: 1.0}, False)
    learner.learn_one({a: 2.0}, False)
    assert list(learner.weights_.items()) == [(b, -1.0), (a, -2.0)]


def test_names_are_found_by_what_they_say_wherever_they_are() -> None:
    rng = np.random.default_rng(0)
    names = [f"name{k}" for k in range(300)]
    same, other, mixed = Perceptron(), Perceptron(), Perceptron()
    for _ in range(400):
        chosen, label = rng.choice(300, 5, replace=False), bool(rng.random() < 1 / 2)
        x: dict[str, Any] = {names[k]: float(k + 1) for k in chosen}
        said = same.play_one(x, label)
        assert said == other.play_one({f"name{k}": x[names[k]] for k in chosen}, label)
        # One that is no plain number, so that the whole dict is copied first.
        x[names[chosen[2]]] = Fraction(x[names[chosen[2]]])
        assert said == mixed.play_one(x, label)
    found = list(same.weights_.items())
    assert len(found) > 100
    assert list(other.weights_.items()) == list(mixed.weights_.items()) == found
