"""The digest of a stream in plain Python: which bytes are hashed, in what order."""

from __future__ import annotations

import hashlib
import math
import operator
import re
import struct
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from littlestone.errors import ExampleError, LabelError, refusal
from littlestone.outcome import Outcome
from littlestone.weighted import unweighted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "FORMAT",
    "Digest",
    "beginning",
    "entries",
    "feature_key",
    "format_of",
    "number_of",
    "written_class",
]

FORMAT = 2
_PREFIX = {1: "sha256:", 2: "sha256-tree:"}
_KINDS = {"features": b"f", "advice": b"a"}
_LEAF = 1 << 14
_MOST_KEYS = 1 << 16
_NARROW = 1 << 32
_COLUMNS = 1 << 64
_WHOLE = 1 << 63
_PAIR = 2

_column = struct.Struct("<cQ").pack
_length = struct.Struct("<cI").pack
_double = struct.Struct("<cd").pack
_whole = struct.Struct("<cq").pack


def format_of(digest: object) -> int | None:
    """Return the format of a digest; None if it is not one.

    Examples
    --------
    >>> from littlestone.verifying._digest import format_of
    >>> format_of("sha256:" + 64 * "0"), format_of("sha256-tree:" + 64 * "0")
    (1, 2)
    """
    for number, prefix in _PREFIX.items():
        if isinstance(digest, str) and re.fullmatch(prefix + "[0-9a-f]{64}", digest):
            return number
    return None


def beginning(of: Literal["features", "advice"], number: int = FORMAT) -> bytes:
    r"""Return the first bytes of a stream.

    Examples
    --------
    >>> from littlestone.verifying._digest import beginning
    >>> beginning("advice")
    b'littlestone stream 2\na'
    """
    return b"littlestone stream %d\n" % number + _KINDS[of]


class Digest:
    """The SHA-256 of a stream, taken round by round in the order played.

    Two streams have the same digest if their examples are the same, in the same order,
    with their features in the same order; whether a row is dense, sparse, a mapping or
    a line of a file makes no difference. The bytes are described in the documentation,
    under "The digest of a stream".

    Parameters
    ----------
    of
        What an example consists of: `"features"`, without those of value 0, or
        `"advice"`, including 0.
    outcome
        What is predicted; the labels of distributions are numbers, too.
    number
        The number of the format: 1 is that of older certificates.

    Examples
    --------
    >>> from littlestone.verifying import Digest
    >>> mapping, row = Digest(), Digest()
    >>> mapping.add({0: 1.5, 2: -1.0}, True)
    >>> row.add([1.5, 0.0, -1.0], 1)
    >>> mapping.hex() == row.hex()
    True
    >>> print(str(mapping)[:24])
    sha256-tree:720cffc8efae
    """

    def __init__(
        self,
        of: Literal["features", "advice"] = "features",
        outcome: Outcome = Outcome.LABEL,
        number: int = FORMAT,
    ) -> None:
        features = _features if number > 1 else _features_1
        self._written = features if of == "features" else _advice
        self._label = _LABELS[outcome]
        self._keys: dict[str, bytes] = {}
        self.prefix = _PREFIX[number]
        self._sha = _Tree() if number > 1 else hashlib.sha256()
        self._sha.update(beginning(of, number))

    def add(self, x: Any, y: Any) -> None:
        """Add one round; refuse an example that cannot be encoded."""
        self._sha.update(self.encode(x, y))

    def encode(self, x: Any, y: Any) -> bytes:
        """Return the bytes of one round without adding them."""
        label, weight = unweighted(y)
        counts = b"" if weight == 1.0 else _double(b"w", weight)
        return self._written(x, self._key) + counts + self._label(label)

    def add_encoded(self, encoded: bytes) -> None:
        """Add rounds that are already encoded."""
        self._sha.update(encoded)

    def hex(self) -> str:
        """Return the digest of all rounds so far, in hexadecimal."""
        return self._sha.hexdigest()

    def __str__(self) -> str:
        return self.prefix + self.hex()

    def _key(self, feature: Any) -> bytes:
        """Return the bytes of a feature; names are cached while there are few."""
        if type(feature) is not str:
            return feature_key(feature)
        key = self._keys.get(feature)
        if key is None:
            if len(self._keys) == _MOST_KEYS:
                self._keys.clear()
            key = self._keys[feature] = feature_key(feature)
        return key


class _Tree:
    """The SHA-256 of the hashes of leaves: of every 16 KiB, and of what is left."""

    def __init__(self) -> None:
        self._root = hashlib.sha256()
        self._held = bytearray()

    def update(self, more: bytes) -> None:
        self._held += more
        while len(self._held) >= _LEAF:
            self._root.update(hashlib.sha256(self._held[:_LEAF]).digest())
            del self._held[:_LEAF]

    def hexdigest(self) -> str:
        root = self._root.copy()
        if self._held:
            root.update(hashlib.sha256(self._held).digest())
        return root.hexdigest()


def entries(x: Any) -> Iterable[tuple[Any, Any]]:
    """Return the features of an example with their values, unchanged.

    Examples
    --------
    >>> from littlestone.verifying._digest import entries
    >>> list(entries({"a": 1, "b": 0})), list(entries(([3, 7], [0.5, 2])))
    ([('a', 1), ('b', 0)], [(3, 0.5), (7, 2)])
    >>> list(entries([4.0, 5.0]))
    [(0, 4.0), (1, 5.0)]
    """
    if isinstance(x, Mapping) or hasattr(x, "keys"):
        return dict(x).items()  # iterating over a pandas Series gives its values
    if hasattr(x, "tocsr"):
        row = x.tocsr()
        if len(row.indptr) != _PAIR:  # where the row begins and ends
            raise refusal("example", value=x)
        here = slice(*row.indptr)
        x = row.indices[here], row.data[here]
    if (
        isinstance(x, tuple)
        and len(x) == _PAIR
        and hasattr(x[0], "__getitem__")
        and not isinstance(x[0], str)
    ):
        columns, values = (_listed(part) for part in x)
        if len(columns) != len(values):
            raise refusal("example", value=x)
        return zip(columns, values, strict=True)
    return enumerate(_listed(x))


def written_class(label: Any) -> bytes:
    r"""Return the bytes of a class: a text, a whole number or another number.

    Examples
    --------
    >>> from littlestone.verifying._digest import written_class
    >>> written_class("spam"), written_class(True)
    (b'ks\x04\x00\x00\x00spam', b'y\x01')
    """
    if isinstance(label, bool):
        return b"y\1" if label else b"y\0"
    if isinstance(label, str):
        return b"k" + _text(b"s", label, LabelError)
    if isinstance(label, int) and -_WHOLE <= label < _WHOLE:
        return b"k" + _whole(b"i", label)
    if isinstance(label, float):
        return _double(b"r", label)
    raise LabelError(
        "a class must be a text or a number of 64 bits where a digest is taken, "
        f"got {label!r}"
    )


def _features(x: Any, key: Callable[[Any], bytes]) -> bytes:
    """Return the bytes of features: runs of numbers, of large numbers, of names."""
    point = _single_value(x)
    if point is not None:
        return point
    features: list[Any] = []
    values: list[float] = []
    for feature, value in _nonzero(x):
        features.append(feature if isinstance(feature, str) else _column_of(feature))
        values.append(value)
    parts: list[bytes] = []
    first = 0
    for kind, group in groupby(features, _kind):
        run = list(group)
        last = first + len(run)
        parts += _run(kind, run, key), _values(values[first:last])
        first = last
    return b"".join(parts)


def _features_1(x: Any, key: Callable[[Any], bytes]) -> bytes:
    """Return the bytes of features in the format of older certificates."""
    point = _single_value(x)
    if point is not None:
        return point
    written = [key(feature) + _double(b"d", value) for feature, value in _nonzero(x)]
    return b"".join(written)


def _nonzero(x: Any) -> Iterable[tuple[Any, float]]:
    for feature, cell in entries(x):
        value = cell if type(cell) is float else number_of(feature, cell)
        if value:
            yield feature, value


def _kind(feature: str | int) -> bytes:
    if isinstance(feature, str):
        return b"N"
    return b"C" if feature < _NARROW else b"W"


def _run(kind: bytes, run: list[Any], key: Callable[[Any], bytes]) -> bytes:
    """Return the bytes of features of one kind."""
    count = len(run)
    if kind == b"N":
        return _length(kind, count) + b"".join([key(name)[1:] for name in run])
    if kind == b"W":
        return _length(kind, count) + struct.pack(f"<{count}Q", *run)
    if run == list(range(run[0], run[0] + count)):
        return _length(b"R", count) + struct.pack("<I", run[0])
    return _length(kind, count) + struct.pack(f"<{count}I", *run)


def _values(values: list[float]) -> bytes:
    """Return the bytes of values, in single precision if that changes none."""
    count = len(values)
    try:
        singles = struct.pack(f"<{count}f", *values)
    except OverflowError:
        singles = b""
    if singles and [*struct.unpack(f"<{count}f", singles)] == values:
        return b"S" + singles
    return b"D" + struct.pack(f"<{count}d", *values)


def _single_value(x: Any) -> bytes | None:
    """Return the bytes of an example that is not made of features."""
    if x is None:
        return b""
    if getattr(x, "ndim", None) == 0:
        x = x.item()
    return b"p" + _point(x) if isinstance(x, (str, bool, int, float)) else None


def _point(x: str | float) -> bytes:
    """Return the bytes of an example that is a single value."""
    if isinstance(x, str):
        return _text(b"s", x, ExampleError)
    if isinstance(x, float):
        return _double(b"d", x)
    if isinstance(x, bool):
        return b"b\1" if x else b"b\0"
    if not -_WHOLE <= x < _WHOLE:
        raise refusal("example", value=x)
    return _whole(b"i", x)


def _advice(x: Any, key: Callable[[Any], bytes]) -> bytes:
    by_name = isinstance(x, Mapping) or hasattr(x, "keys")
    said = dict(x).items() if by_name else enumerate(_listed(x))
    return b"".join([key(expert) + _advised(expert, says) for expert, says in said])


def _advised(expert: Any, says: Any) -> bytes:
    says = says.tolist() if hasattr(says, "tolist") else says
    if isinstance(says, bool):
        return b"b\1" if says else b"b\0"
    if isinstance(says, Mapping):  # a distribution over named outcomes
        says = list(says.values())
    if isinstance(says, Sequence) and not isinstance(says, str):
        chances = [number_of(expert, chance, "expert") for chance in says]
        return _length(b"v", len(chances)) + struct.pack(f"<{len(chances)}d", *chances)
    return _double(b"d", number_of(expert, says, "expert"))


def _listed(x: Any) -> list[Any]:
    """Return the items of a row, as plain numbers if it is an array."""
    if isinstance(x, (str, bytes)):
        raise refusal("example", value=x)
    try:
        items = x.tolist() if hasattr(x, "tolist") else list(x)
    except TypeError:
        items = None
    if not isinstance(items, list):
        raise refusal("example", value=x)
    return items


def feature_key(feature: Any) -> bytes:
    r"""Return the bytes of a feature or an expert: a name or a column number.

    Examples
    --------
    >>> from littlestone.verifying._digest import feature_key
    >>> feature_key("free"), feature_key(3)
    (b'n\x04\x00\x00\x00free', b'c\x03\x00\x00\x00\x00\x00\x00\x00')
    """
    if isinstance(feature, str):
        return _text(b"n", feature, None)
    return _column(b"c", _column_of(feature))


def _column_of(feature: Any) -> int:
    try:
        column = operator.index(feature)
    except TypeError:
        column = -1
    if not 0 <= column < _COLUMNS:
        raise refusal("feature", feature=feature)
    return column


def _text(kind: bytes, text: str, refused: type[ExampleError] | None) -> bytes:
    try:
        name = text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        if refused is None:
            raise refusal("feature", feature=text) from None
        raise refused(f"a text must be valid UTF-8, got {text!r}") from None
    return _length(kind, len(name)) + name


def number_of(feature: Any, cell: Any, kind: str = "number") -> float:
    """Return a value as the double that learners read.

    Examples
    --------
    >>> from littlestone.verifying._digest import number_of
    >>> number_of("a", 3)
    3.0
    >>> number_of("a", "3")
    Traceback (most recent call last):
    littlestone.errors.FeatureError: feature 'a' must be a number, got '3'
    """
    try:
        if isinstance(cell, (str, bytes, complex)):
            raise TypeError  # noqa: TRY301 - float("1") would repair quietly
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        raise refusal(kind, feature=feature, value=cell) from None


def _truth(y: Any) -> bytes:
    """Return the bytes of a yes/no label: True, 1 or +1 against False, 0 or -1."""
    try:
        if not isinstance(y, (str, bytes)):
            number = float(y)
            if number == 1:
                return b"y\1"
            if number in (0, -1):
                return b"y\0"
    except (TypeError, ValueError, OverflowError):
        pass
    raise refusal("label", value=y)


def _number(y: Any) -> bytes:
    if isinstance(y, str):  # named outcomes
        return written_class(y)
    try:
        number = float(y)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise refusal("outcome", value=y)
    return _double(b"r", number)


def _class(y: Any) -> bytes:
    return written_class(y.item() if hasattr(y, "item") else y)


_LABELS: dict[Outcome, Callable[[Any], bytes]] = {
    Outcome.LABEL: _truth,
    Outcome.CLASS: _class,
    Outcome.NUMBER: _number,
    Outcome.DISTRIBUTION: _number,
}
