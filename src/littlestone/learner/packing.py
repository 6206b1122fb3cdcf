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
    written = list(map(str, features))
    text = "".join(written).encode()
    lengths = list(map(len, written))
    if len(text) > sum(lengths):  # some letter takes several bytes
        lengths = [len(name.encode()) for name in written]
    kinds = [not isinstance(feature, str) for feature in features]
    return {
        "text": np.frombuffer(text, dtype=np.uint8),
        "ends": np.cumsum(lengths, dtype=np.uint64),
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
    raw, ends, kinds = parts
    bounds = [0, *ends.tolist()]
    check(
        owner,
        bounds[-1] == len(raw)
        and bounds == sorted(bounds)
        and len(kinds) == len(ends)
        and bool((kinds <= 1).all()),
        "features one after another",
    )
    lengths, columns = np.diff(ends, prepend=np.uint64(0)).astype(np.int64), kinds == 1
    numbers = _numbers(owner, raw[np.repeat(columns, lengths)], lengths[columns])
    if columns.all():
        return numbers
    text, left = raw.tobytes(), iter(numbers)
    try:
        return [
            next(left) if column else text[begin:end].decode()
            for begin, end, column in zip(bounds, bounds[1:], columns, strict=False)
        ]
    except UnicodeDecodeError:
        check(owner, False, "names in UTF-8")
        raise  # never reached


def _numbers(
    owner: str, text: NDArray[np.uint8], lengths: NDArray[np.int64]
) -> list[Any]:
    """Return the column numbers that are written end to end, so many digits each."""
    digits = text - np.uint8(ord("0"))  # what is not a digit becomes 10 or more
    ends, most = np.cumsum(lengths), len(str(_MOST_COLUMNS))
    sound = bool((digits < 10).all() and ((lengths > 0) & (lengths <= most)).all())  # noqa: PLR2004 - digits
    found = np.zeros(len(lengths), dtype=np.int64)
    if sound:
        for place in range(most):
            here = lengths > place
            found[here] += digits[ends[here] - 1 - place] * np.int64(10**place)
        padded = (digits[ends - lengths] == 0) & (lengths > 1)
        sound = bool((found < _MOST_COLUMNS).all() and not padded.any())
    check(owner, sound, "column numbers below 2**32")
    return found.tolist()
