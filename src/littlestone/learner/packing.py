"""Features as arrays, and checks of saved states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["check", "is_array", "packed_features", "unpacked_features"]

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
