"""Features as arrays, and checks of saved states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["check", "is_array", "packed_features", "unpacked_features"]

_MOST_COLUMNS = 2**32


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
    written = [str(feature).encode() for feature in features]
    kinds = [not isinstance(feature, str) for feature in features]
    return {
        "text": np.frombuffer(b"".join(written), dtype=np.uint8),
        "ends": np.cumsum([len(name) for name in written], dtype=np.uint64),
        "kinds": np.array(kinds, dtype=np.uint8),
    }


def unpacked_features(owner: str, packed: Mapping[str, Any]) -> list[str | int]:
    """Return the features that were packed, or refuse the arrays.

    Examples
    --------
    >>> from littlestone.learner.packing import packed_features, unpacked_features
    >>> unpacked_features("Boolean", packed_features(["a", 3]))
    ['a', 3]
    """
    parts = [packed[name] for name in ("text", "ends", "kinds")]
    wanted = (np.uint8, np.uint64, np.uint8)
    check(
        owner,
        all(is_array(part, kind) for part, kind in zip(parts, wanted, strict=True)),
        "features as arrays",
    )
    text, kinds = parts[0].tobytes(), parts[2].tolist()
    ends = [0, *parts[1].tolist()]
    check(
        owner,
        ends[-1] == len(text) and ends == sorted(ends) and len(kinds) == len(ends) - 1,
        "features one after another",
    )
    features: list[str | int] = []
    for begin, end, kind in zip(ends, ends[1:], kinds, strict=False):
        try:
            name = text[begin:end].decode()
        except UnicodeDecodeError:
            check(owner, False, "names in UTF-8")
        if kind == 0:
            features.append(name)
            continue
        digits = name.isascii() and name.isdigit() and len(name) < len("4294967296") + 1
        column = int(name) if digits else _MOST_COLUMNS
        check(
            owner,
            kind == 1 and column < _MOST_COLUMNS and str(column) == name,
            "column numbers below 2**32",
        )
        features.append(column)
    return features
