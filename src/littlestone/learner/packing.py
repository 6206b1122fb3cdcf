"""Features as arrays, and checks of saved states."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core
from littlestone.errors import ParameterError
from littlestone.learner import Learner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "alike",
    "check",
    "copied",
    "is_array",
    "packed_features",
    "unpacked_features",
]

_PARTS = ("text", "ends", "kinds")


def check(owner: str, sound: bool, what: str) -> None:
    """Refuse a state that no such learner can have saved.

    Examples
    --------
    >>> from littlestone.learner.packing import check
    >>> check("Cover", False, "rounds up to the horizon")
    Traceback (most recent call last):
    littlestone.errors.ParameterError: Cover: saved state is invalid: expected rounds up to the horizon
    """  # noqa: E501 - a message is one line
    if not sound:
        raise ParameterError(f"saved state is invalid: expected {what}", owner=owner)


def alike(one: Any, other: Any) -> bool:
    """Return whether two learners were made with the same arguments.

    Learners and arrays within these are compared by what they hold, since a copy or a
    model file has its own. Learners of other libraries only have to be of one type.

    Examples
    --------
    >>> from littlestone.linear import AROW
    >>> from littlestone.learner.packing import alike
    >>> from littlestone.maps import Mapped, Standardized
    >>> made = Mapped(AROW(r=2.0), Standardized())
    >>> alike(made, Mapped(AROW(r=2.0), Standardized()))
    True
    >>> alike(made, Mapped(AROW(), Standardized()))
    False
    """
    if _learns(one) or _learns(other):
        if type(one) is not type(other) or not isinstance(one, Learner):
            return type(one) is type(other)
        one, other = one.get_params(deep=False), other.get_params(deep=False)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        same = one.keys() == other.keys()
        return same and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return bool(one == other)


def _learns(value: object) -> bool:
    return hasattr(value, "learn_one") or hasattr(value, "partial_fit")


def copied(learner: Any, made: Any) -> Any:
    """Return a copy of a learner that was made with the same arguments as another.

    What it was made with is not copied where they share it, as clones do.

    Examples
    --------
    >>> from littlestone.experts import Restarting
    >>> from littlestone.learner.packing import copied
    >>> from littlestone.linear import AROW
    >>> made = Restarting(AROW())
    >>> copied(made.clone(), made).learner is made.learner
    True
    """
    given = made.get_params(deep=False) if isinstance(made, Learner) else {}
    return copy.deepcopy(learner, {id(each): each for each in _within(given)})


def _within(given: Any) -> Iterator[Any]:
    """Yield the learners among arguments, and what holds them."""
    if isinstance(given, (Learner, Mapping, list, tuple)):
        yield given
    if isinstance(given, (Mapping, list, tuple)):
        for each in given.values() if isinstance(given, Mapping) else given:
            yield from _within(each)


def is_array(value: object, kind: Any, axes: int = 1) -> bool:
    """Return whether a value is an array of this dtype with this many axes.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.learner.packing import is_array
    >>> is_array(np.zeros(3), np.float64), is_array([0.0], np.float64)
    (True, False)
    """
    return isinstance(value, np.ndarray) and value.dtype == kind and value.ndim == axes


def packed_features(features: Sequence[str | int]) -> dict[str, NDArray[Any]]:
    r"""Return features end to end as UTF-8, where each ends, and which are columns.

    Examples
    --------
    >>> from littlestone.learner.packing import packed_features, unpacked_features
    >>> packed = packed_features(["é", 12, "12"])
    >>> packed["text"].tobytes(), packed["ends"].tolist(), packed["kinds"].tolist()
    (b'\xc3\xa91212', [2, 4, 6], [0, 1, 0])
    >>> unpacked_features("Boolean", packed)
    ['é', 12, '12']
    """
    packed = _core.pack_features(list(features))
    return {name: packed[name] for name in _PARTS}  # equal pickles have one key of each


def unpacked_features(owner: str, packed: Mapping[str, Any]) -> list[str | int]:
    """Return the features that were packed, or refuse the arrays.

    Examples
    --------
    >>> from littlestone.learner.packing import packed_features, unpacked_features
    >>> unpacked_features("Boolean", packed_features(["a", 3]))
    ['a', 3]
    """
    parts = [packed[name] for name in _PARTS]
    wanted = (np.uint8, np.uint64, np.uint8)
    check(
        owner,
        all(is_array(part, kind) for part, kind in zip(parts, wanted, strict=True)),
        "features as arrays",
    )
    try:
        return _core.unpack_features(*parts)
    except ValueError as error:
        check(owner, False, str(error).removeprefix("expected "))
        raise  # never reached
