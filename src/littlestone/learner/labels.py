"""Labels are converted here and nowhere else."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core
from littlestone.errors import ExampleError, ParameterError, in_row, refusal
from littlestone.learner.advice import as_outcomes
from littlestone.outcome import Outcome
from littlestone.weighted import Weighted, unweighted

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "as_class",
    "as_classes",
    "as_label",
    "as_labels",
    "as_repeats",
    "as_times",
    "as_weights",
    "dtype_of",
    "joined",
    "objects",
    "one_by_one",
    "read_labels",
    "stretches",
    "told",
    "untold",
    "with_weights",
    "without_weights",
]


def as_label(y: object) -> bool:
    """Return the truth value of a label: True, 1 or +1 against False, 0 or -1.

    Examples
    --------
    >>> from littlestone.learner import as_label
    >>> as_label(1), as_label(-1), as_label(0.0)
    (True, False, False)
    >>> as_label(2)
    Traceback (most recent call last):
    littlestone.errors.LabelError: a label must be True/1 or False/0/-1, got 2
    """
    return _core.label(y)


def as_labels(y: ArrayLike, length: int) -> NDArray[np.bool_]:
    """Return the truth values of `length` labels, which say no in one way only.

    Examples
    --------
    >>> from littlestone.learner import as_labels
    >>> as_labels([1, -1, 1], 3).tolist()
    [True, False, True]
    >>> as_labels([1, -1, 0], 3)
    Traceback (most recent call last):
    littlestone.errors.LabelError: row 2: labels must be 0 and 1 or -1 and +1, never mixed, got 0 as well
    """  # noqa: E501 - a message is one line
    if isinstance(y, np.ma.MaskedArray):
        raise ParameterError("y must have no masked labels, got a masked array")
    array = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    if array.shape != (length,):
        raise ParameterError(
            f"y must hold one label for each of {length} rows, got shape {array.shape}"
        )
    labels = np.empty(length, dtype=np.bool_)
    if array.dtype.kind not in "biuf":
        _core.labels(array.tolist(), labels)
    elif array.dtype.itemsize in (1, 2, 4, 8) and array.dtype != np.float16:
        native = array.astype(array.dtype.newbyteorder("="), copy=False)
        _core.labels(np.ascontiguousarray(native), labels)
    else:
        _core.labels(array.astype(np.float64), labels)
    return labels


def as_class(label: Any, row: int | None = None) -> Hashable:
    """Return a label of any kind, which must be hashable and not missing.

    Examples
    --------
    >>> from littlestone.learner import as_class
    >>> as_class("spam"), as_class(("a", 1))
    ('spam', ('a', 1))
    >>> as_class(float("nan"))
    Traceback (most recent call last):
    littlestone.errors.LabelError: a label must not be missing, got nan
    """
    if isinstance(label, np.generic):
        label = label.item()
    try:
        hash(label)
    except TypeError:
        raise refusal("unhashable", row=row, value=label) from None
    try:
        missing = label is None or bool(label != label)  # noqa: PLR0124 - as NaN does
    except (TypeError, ValueError):  # pandas.NA does not know
        missing = True
    if missing:
        raise refusal("missing", row=row, value=label)
    return label  # type: ignore[no-any-return]  # just hashed


def as_classes(y: Any, length: int) -> NDArray[Any]:
    """Return `length` labels of any kind, as they are, in an array of objects.

    Examples
    --------
    >>> from littlestone.learner import as_classes
    >>> as_classes(["ham", "spam"], 2).tolist()
    ['ham', 'spam']
    """
    if isinstance(y, np.ma.MaskedArray):
        raise ParameterError("y must have no masked labels, got a masked array")
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    if isinstance(y, np.ndarray):
        if y.ndim != 1:
            raise ParameterError(
                f"y must hold one label for each of {length} rows, got shape {y.shape}"
            )
        plain = y.dtype.kind in "biuSU"  # such labels are never missing
        y = y.tolist()
        labels = y if plain else [as_class(label, row) for row, label in enumerate(y)]
    else:
        labels = [as_class(label, row) for row, label in enumerate(y)]
    if len(labels) != length:
        raise ParameterError(
            f"y must hold one label for each of {length} rows, got {len(labels)}"
        )
    return objects(labels)


def read_labels(outcome: Outcome, y: Any, length: int) -> NDArray[Any]:
    """Return `length` labels as a learner takes them that predicts such outcomes.

    Examples
    --------
    >>> from littlestone.learner import read_labels
    >>> from littlestone.outcome import Outcome
    >>> read_labels(Outcome.LABEL, [1, 0], 2), read_labels(Outcome.NUMBER, [1, 0], 2)
    (array([ True, False]), array([1., 0.]))
    """
    if outcome is Outcome.LABEL:
        return as_labels(y, length)
    if outcome is Outcome.CLASS:
        return as_classes(y, length)
    return as_outcomes(y, length).astype(np.float64, copy=False)


def dtype_of(outcome: Outcome) -> type:
    """Return the type of an array of such labels and predictions.

    Examples
    --------
    >>> from littlestone.learner import dtype_of
    >>> from littlestone.outcome import Outcome
    >>> dtype_of(Outcome.CLASS), dtype_of(Outcome.NUMBER)
    (<class 'object'>, <class 'numpy.float64'>)
    """
    return _DTYPES.get(outcome, np.float64)


_DTYPES: dict[Outcome, type] = {Outcome.LABEL: np.bool_, Outcome.CLASS: object}


def objects(items: list[Any]) -> NDArray[Any]:
    """Return an array of these very objects, also where they are sequences.

    Examples
    --------
    >>> from littlestone.learner import objects
    >>> objects([("a", 1), None]).tolist()
    [('a', 1), None]
    """
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def stretches(known: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Yield rounds one after another with equally many classes known, and how many.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.learner.labels import stretches
    >>> list(stretches(np.array([0, 1, 1, 2])))
    [(0, 1, 0), (1, 3, 1), (3, 4, 2)]
    """
    ends = (np.flatnonzero(np.diff(known)) + 1).tolist()
    for first, last in pairwise([0, *ends, len(known)]):
        if first < last:
            yield first, last, int(known[first])


def with_weights(labels: NDArray[Any], weights: NDArray[np.float64]) -> NDArray[Any]:
    """Return labels and the weights of their rounds in one array.

    To cut, choose or reorder the array does so with both at once. Code that does not
    know weights refuses it.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.learner import with_weights
    >>> with_weights(np.array([True, False]), np.array([1.0, 2.5])).tolist()
    [(True, 1.0), (False, 2.5)]
    """
    kind = np.dtype([("label", labels.dtype), ("weight", np.float64)])
    both = np.empty(len(labels), dtype=kind)
    both["label"], both["weight"] = labels, weights
    return both


def without_weights(
    labels: NDArray[Any],
) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
    """Return the labels of a block, and the weights if it has any.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.learner import with_weights, without_weights
    >>> both = with_weights(np.array([True, False]), np.array([1.0, 2.5]))
    >>> without_weights(both)
    (array([ True, False]), array([1. , 2.5]))
    >>> without_weights(np.array([True, False]))
    (array([ True, False]), None)
    """
    if labels.dtype.names is None:
        return labels, None
    return tuple(np.ascontiguousarray(labels[name]) for name in ("label", "weight"))  # type: ignore[return-value]  # these two


def told(labels: NDArray[Any]) -> list[Any]:
    """Return labels as a stream tells them one by one: `Weighted` where not 1.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.learner import told, with_weights
    >>> told(with_weights(np.array([True, False]), np.array([1.0, 2.5])))
    [True, Weighted(False, 2.5)]
    """
    listed: list[Any] = labels.tolist()
    if labels.dtype.names is None:
        return listed
    return [y if each == 1 else Weighted(y, each) for y, each in listed]


def untold(listed: list[Any], outcome: Outcome) -> NDArray[Any]:
    """Return what was told one by one as an array again.

    Examples
    --------
    >>> from littlestone.learner.labels import untold
    >>> from littlestone.outcome import Outcome
    >>> from littlestone.weighted import Weighted
    >>> untold([True, Weighted(False, 2.5)], Outcome.LABEL).tolist()
    [(True, 1.0), (False, 2.5)]
    """
    labels = objects([unweighted(y)[0] for y in listed])
    plain: NDArray[Any] = labels.astype(dtype_of(outcome), copy=False)
    if Weighted not in set(map(type, listed)):
        return plain
    return with_weights(plain, np.array([unweighted(y)[1] for y in listed]))


def joined(pieces: list[NDArray[Any]]) -> NDArray[Any]:
    """Return labels of several blocks in one array; some may have weights.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.learner.labels import joined
    >>> from littlestone.learner import with_weights
    >>> both = with_weights(np.array([True]), np.array([2.5]))
    >>> joined([np.array([False]), both]).tolist()
    [(False, 1.0), (True, 2.5)]
    """
    parts = [without_weights(piece) for piece in pieces]
    labels: NDArray[Any] = np.concatenate([labels for labels, _ in parts])
    if all(weights is None for _, weights in parts):
        return labels
    filled = [np.ones(len(y)) if w is None else w for y, w in parts]
    return with_weights(labels, np.concatenate(filled))


def one_by_one(call: Callable[..., Any], *rows: Iterable[Any]) -> list[Any]:
    """Call for one row after another; the error of a refused row names that row.

    Examples
    --------
    >>> from littlestone.learner import as_class, one_by_one
    >>> one_by_one(as_class, ["ham", None])
    Traceback (most recent call last):
    littlestone.errors.LabelError: row 1: a label must not be missing, got None; 1 round played
    """  # noqa: E501 - a message is one line
    done: list[Any] = []
    try:
        for row in zip(*rows, strict=True):
            done.append(call(*row))  # noqa: PERF401 - the error says how many are done
    except ExampleError as error:
        in_row(error, len(done), len(done))
        raise
    return done


def as_repeats(sample_weight: ArrayLike, length: int) -> NDArray[np.uint32]:
    """Return how often each of `length` rounds is to be learned from.

    A weight is a number of repetitions, because that is what every theorem allows: a
    stream with that many copies of the example. A weight of 0 skips the learning.

    Examples
    --------
    >>> from littlestone.learner import as_repeats
    >>> as_repeats([1, 0, 3.0], 3).tolist()
    [1, 0, 3]
    >>> as_repeats([1, 0.5], 2)
    Traceback (most recent call last):
    littlestone.errors.ParameterError: row 1: a sample weight must be a whole number of repetitions from 0 to 4294967295, got 0.5
    """  # noqa: E501 - a message is one line
    array = np.asarray(sample_weight)
    if array.shape != (length,):
        raise ParameterError(
            f"sample_weight must hold one weight for each of {length} rows, "
            f"got shape {array.shape}"
        )
    if array.dtype.kind not in "biuf":
        array = np.array([_number(weight) for weight in array.tolist()])
    sound = (array >= 0) & (array < 2**32) & (array == np.floor(array))
    if not sound.all():
        row = int(np.argmin(sound))
        raise ParameterError(
            "a sample weight must be a whole number of repetitions from 0 to "
            f"{2**32 - 1}, got {np.asarray(sample_weight)[row]!s}",
            where=f"row {row}",
        )
    return array.astype(np.uint32)


def as_times(sample_weight: Any) -> int:
    """Return how often one round is to be learned from.

    Examples
    --------
    >>> from littlestone.learner import as_times
    >>> as_times(3.0)
    3
    """
    return 1 if sample_weight == 1 else int(as_repeats([sample_weight], 1)[0])


def as_weights(sample_weight: ArrayLike, length: int) -> NDArray[np.float64]:
    """Return by how much the loss of each of `length` rounds is to be multiplied.

    Examples
    --------
    >>> from littlestone.learner import as_weights
    >>> as_weights([1, 0.25], 2).tolist()
    [1.0, 0.25]
    >>> as_weights([1, -1], 2)
    Traceback (most recent call last):
    littlestone.errors.ParameterError: row 1: a sample weight must be a finite number of at least 0, got -1
    """  # noqa: E501 - a message is one line
    array = np.asarray(sample_weight)
    if array.shape != (length,):
        raise ParameterError(
            f"sample_weight must hold one weight for each of {length} rows, "
            f"got shape {array.shape}"
        )
    if array.dtype.kind not in "biuf":
        array = np.array([_number(weight) for weight in array.tolist()])
    weights = np.ascontiguousarray(array, dtype=np.float64)
    sound = (weights >= 0) & (weights < math.inf)
    if not sound.all():
        row = int(np.argmin(sound))
        raise ParameterError(
            "a sample weight must be a finite number of at least 0, got "
            f"{np.asarray(sample_weight)[row]!s}",
            where=f"row {row}",
        )
    return weights


def _number(weight: object) -> float:
    """Return a number, or one that is refused."""
    try:
        return float(weight) if isinstance(weight, (int, float)) else math.nan
    except OverflowError:  # of a whole number
        return math.inf
