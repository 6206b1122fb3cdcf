"""A plain twin of each map, which the native one must equal bit for bit.

A twin takes an example as a mapping without zeros, in its order, and returns the mapped
one. The judge puts it before the twin of the learner.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from littlestone.verifying._spending import spend
from littlestone.verifying.twins._cosine import cosine_of_turns
from littlestone.verifying.twins._logarithm import log

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = [
    "CROSSED",
    "LEARNING",
    "MAPS",
    "Crossed",
    "Fourier",
    "Quadratic",
    "Standardized",
    "hash_of",
    "mapping_of",
    "product_of",
]

LEARNING = frozenset({"Standardized"})  # from the examples that they map
CROSSED = 2**31  # the columns of crossed columns follow it
_WORD = 2**64 - 1
_ODD = 0x9E3779B97F4A7C15
_WAVE = 4  # steps for a cosine in plain Python
_PRODUCTS = 4  # that take a step


def _stirred(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _WORD
    return z ^ (z >> 31)


def _folded(a: int, b: int) -> int:
    product = a * b
    return (product ^ product >> 64) & _WORD


def hash_of(feature: str | int) -> int:
    """Return the hash of a feature, which `streams.hashed` describes.

    Examples
    --------
    >>> from littlestone.verifying.twins.maps import hash_of
    >>> hash_of("money") % 2**10, hash_of("free") % 2**10
    (166, 566)
    """
    if not isinstance(feature, str):
        return _stirred(feature + _ODD & _WORD)
    text, h = feature.encode(), 0xCBF29CE484222325
    groups = [text[at : at + 8] for at in range(0, len(text), 8)] or [b""]
    for group in groups[:-1]:
        h = _folded(h ^ int.from_bytes(group, "little"), _ODD)
    last = int.from_bytes(groups[-1], "little")
    return _folded(h ^ last, (2 * len(text) + 1) * _ODD & _WORD)


def _uniform(state: int) -> Iterator[float]:
    """Yield the numbers of splitmix64, from 0 to below 1."""
    while True:
        state = state + _ODD & _WORD
        yield (_stirred(state) >> 11) * 2.0**-53


class Fourier:
    """Random Fourier features."""

    def __init__(self, width: float | None, dim: int, seed: int) -> None:
        self.width, self.dim = width, dim
        self.key = hash_of(seed)
        spend(_WAVE * dim)
        uniform = _uniform(self.key ^ _WORD)
        self.phases = [next(uniform) for _ in range(dim)]
        self.frequencies: dict[Any, list[float]] = {}

    def __call__(self, x: Mapping[Any, float]) -> dict[Any, float]:
        """Return the cosines."""
        fresh = sum(1 for name in x if name not in self.frequencies)
        spend(self.dim * (_WAVE * (1 + fresh) + len(x) // _PRODUCTS))
        sums = [0.0] * self.dim
        for name, value in x.items():
            if name not in self.frequencies:
                uniform = _uniform(hash_of(name) ^ self.key)
                self.frequencies[name] = [
                    math.sqrt(-2.0 * log(1.0 - next(uniform)))
                    * cosine_of_turns(next(uniform))
                    for _ in range(self.dim)
                ]
            for j, frequency in enumerate(self.frequencies[name]):
                sums[j] += value * frequency
        width = math.sqrt(len(x)) if self.width is None else float(self.width)
        scale = 0.15915494309189535 / width if width else 0.0  # 1 / (2 pi width)
        size = math.sqrt(2.0 / self.dim)
        waves = zip(sums, self.phases, strict=True)
        return {
            j: size * cosine_of_turns(total * scale + phase)
            for j, (total, phase) in enumerate(waves)
        }


class Standardized:
    """Online standardization."""

    def __init__(self, center: bool) -> None:
        self.center = center
        self.seen = 0
        self.moments: dict[Any, tuple[float, float, float]] = {}  # as `_with` has them

    def __call__(self, x: Mapping[Any, float]) -> dict[Any, float]:
        """Return the values in units of their deviation so far, and learn from them."""
        names = dict.fromkeys([*x, *self.moments]) if self.center else x
        spend(len(names))
        made = {}
        for name in names:
            value = x.get(name, 0.0)
            count, mean, square = self._with(name, value)
            self.moments[name] = count, mean, square
            deviation = math.sqrt(square / count)
            if deviation > 0:
                made[name] = (value - mean if self.center else value) / deviation
        self.seen += 1
        return {name: value for name, value in made.items() if value}

    def _with(self, name: Any, value: float) -> tuple[float, float, float]:
        """Return the count, the mean and the squared differences with a value more."""
        count, mean, square = self.moments.get(name, (0.0, 0.0, 0.0))
        zeros = self.seen - count
        if zeros > 0:
            share = zeros / self.seen
            square += mean * mean * (count * share)
            mean -= mean * share
        count = self.seen + 1.0
        before = value - mean
        mean += before / count
        square += before * (value - mean)
        return count, mean, square


def _alone(name: Any) -> Any:
    return name if isinstance(name, str) else (name + 1) * (name + 2) // 2


def product_of(left: Any, right: Any, first: int = 0) -> Any:
    """Return the name of a product, or its column, which follow `first`.

    Examples
    --------
    >>> from littlestone.verifying.twins.maps import product_of
    >>> product_of("a", "b"), product_of(0, 1)
    ('a*b', 4)
    """
    if isinstance(left, str) or isinstance(right, str):
        return f"{left}*{right}"
    low, high = sorted((left + 1, right + 1))
    return first + high * (high + 1) // 2 + low


def _ordered(left: Any, right: Any) -> tuple[Any, Any]:
    """Return two features, columns by number before names by their bytes."""
    key = [
        (isinstance(each, str), each.encode() if isinstance(each, str) else each)
        for each in (left, right)
    ]
    return (left, right) if key[0] <= key[1] else (right, left)


class Quadratic:
    """Products of all pairs."""

    def __init__(self, bits: int | None) -> None:
        self.bits = bits

    def __call__(self, x: Mapping[Any, float]) -> dict[Any, float]:
        """Return the features and their products."""
        spend(len(x) * (len(x) + 3) // 2)
        made: dict[Any, float] = {}
        once = self.bits is None
        for name, value in x.items():
            _add(made, _alone(name) if once else self._bucket(name), value, once=once)
        names = list(x)
        for k, left in enumerate(names):
            for right in names[k:]:
                if value := x[left] * x[right]:
                    _add(made, self.product(left, right), value, once=once)
        return made

    def product(self, left: Any, right: Any) -> Any:
        """Return which feature the product of two is."""
        return (
            product_of(*_ordered(left, right))
            if self.bits is None
            else self._bucket(left, right)
        )

    def _bucket(self, *names: Any) -> int:
        low, *more = sorted(map(hash_of, names))
        both = _stirred(low + more[0] * _ODD & _WORD) if more else low
        return both & (1 << (self.bits or 0)) - 1


class Crossed:
    """Products of chosen pairs."""

    def __init__(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        self.pairs = list(pairs)

    def __call__(self, x: Mapping[Any, float]) -> dict[Any, float]:
        """Return the features and the products of the pairs."""
        made = dict(x)
        for left, right in self.products(list(x)):
            if value := x[left] * x[right]:
                _add(made, product_of(left, right, CROSSED), value)
        return made

    def products(self, names: list[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield which of these features are multiplied, in order."""
        for left, right in self.pairs:
            spend(1 + len(names))
            for k, first in enumerate(names):
                if not _has(left, first):
                    continue
                others = names[k:] if left == right else names
                spend(len(others))
                for second in others:
                    if _has(right, second):
                        pair = (first, second)
                        yield _ordered(*pair) if left == right else pair


def _has(group: Any, name: Any) -> bool:
    if not isinstance(group, str) or not isinstance(name, str):
        return bool(type(group) is type(name) and group == name)
    return name == group or name.startswith((f"{group}=", f"{group}^"))


def _add(made: dict[Any, float], name: Any, value: float, *, once: bool = True) -> None:
    if once and name in made:
        raise ValueError(f"each feature must appear once, got {name!r} twice")
    made[name] = made[name] + value if name in made else value


# By the name of the map, as a certificate has it.
MAPS: dict[str, type[Any]] = {
    each.__name__: each for each in (Crossed, Fourier, Quadratic, Standardized)
}

_MOST_WAVES = 2**16
_MOST_BITS = 24
_MOST_COLUMN = 2**32


def mapping_of(steps: Any) -> list[Any]:
    """Return the twins of maps, given by their names and parameters in order.

    Parameters that no map takes are refused.

    Examples
    --------
    >>> from littlestone.verifying.twins.maps import mapping_of
    >>> [quadratic] = mapping_of([("Quadratic", {"bits": None})])
    >>> quadratic({0: 2.0})
    {1: 2.0, 2: 4.0}
    """
    made = []
    for name, parameters in steps:
        kind, sound = MAPS[name], _SOUND[name]
        if not sound(**parameters):
            raise ValueError(f"{name} must have parameters that it takes")
        made.append(kind(**parameters))
    return made


def _whole(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _sound_fourier(width: Any, dim: Any, seed: Any) -> bool:
    fits = width is None or (type(width) in (int, float) and 0 < width < math.inf)
    return fits and _whole(dim, 1, _MOST_WAVES) and _whole(seed, 0, _WORD)


def _sound_crossed(pairs: Any) -> bool:
    groups = [each for pair in pairs for each in pair]
    return (
        all(len(pair) == 2 for pair in pairs)  # noqa: PLR2004 - a pair
        and len({frozenset(pair) for pair in pairs}) == len(pairs) > 0
        and all(type(g) is str or _whole(g, 0, _MOST_COLUMN - 1) for g in groups)
    )


_SOUND: dict[str, Any] = {
    "Crossed": _sound_crossed,
    "Fourier": _sound_fourier,
    "Quadratic": lambda bits: bits is None or _whole(bits, 1, _MOST_BITS),
    "Standardized": lambda center: type(center) is bool,
}
