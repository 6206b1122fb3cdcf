"""Exact arithmetic with doubles: each is a whole number over a power of two.

Fractions would also work, but they cancel after every step; here that waits until the
end.
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from itertools import repeat
from math import frexp, lcm, ldexp
from operator import itemgetter, mul
from typing import TYPE_CHECKING, Any

from littlestone.verifying._numbers import Entries, as_ratios

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["CONSTANT", "Combination", "Direction", "dot", "square"]

# The name of the constant feature, which occurs in no example.
CONSTANT = object()


def dot(pairs: Iterable[tuple[float, float]]) -> Fraction:
    """Return the sum of products of doubles.

    Examples
    --------
    >>> from littlestone.verifying.proofs._exact import dot
    >>> dot([(0.5, 0.5), (3.0, 2.0)])
    Fraction(25, 4)
    """
    total, bits = 0, 0
    for left, right in pairs:
        (a, b), (c, d) = left.as_integer_ratio(), right.as_integer_ratio()
        more = b.bit_length() + d.bit_length() - 2
        if more > bits:
            total, bits = total << more - bits, more
        total += a * c << bits - more
    return Fraction(total, 1 << bits)


def square(x: Mapping[Any, float]) -> Fraction:
    """Return the squared length of an example.

    Examples
    --------
    >>> from littlestone.verifying.proofs._exact import square
    >>> square({"a": 0.5, "b": 1.0})
    Fraction(5, 4)
    """
    return dot((value, value) for value in x.values())


class Direction:
    """The vector of a witness, as whole numbers over one denominator.

    Examples
    --------
    >>> from littlestone.verifying.proofs._exact import Direction
    >>> u = Direction([("a", "1/3"), ("b", "-2")])
    >>> u.dot({"a": 1.5, "c": 7.0}), u.square, u.sum
    (Fraction(1, 2), Fraction(37, 9), Fraction(7, 3))
    """

    def __init__(
        self, entries: Iterable[tuple[Any, str]], constant: str | None = None
    ) -> None:
        read = entries if isinstance(entries, Entries) else Entries.of(entries)
        if constant is not None:
            read = read.joined(Entries.of([(CONSTANT, constant)]))
        self._unit, whole = _whole_numbers(read)
        self._whole = dict(zip(map(itemgetter(0), read), whole, strict=True))
        if 0 in whole:
            self._whole = {name: a for name, a in self._whole.items() if a}

    def __contains__(self, name: object) -> bool:
        return name in self._whole

    @cached_property
    def numbers(self) -> dict[Any, Fraction]:
        """The entries that are not 0."""
        return {name: Fraction(n, self._unit) for name, n in self._whole.items()}

    @property
    def square(self) -> Fraction:
        """The squared length."""
        return Fraction(
            sum(map(mul, self._whole.values(), self._whole.values())), self._unit**2
        )

    @property
    def sum(self) -> Fraction:
        """The sum of the sizes of the entries."""
        return Fraction(sum(map(abs, self._whole.values())), self._unit)

    def dot(self, x: Mapping[Any, float]) -> Fraction:
        """Return the product with an example."""
        total, bits = 0, 0
        whole = self._whole
        for name, value in x.items():
            weight = whole.get(name)
            if weight:
                a, b = value.as_integer_ratio()
                more = b.bit_length() - 1
                if more > bits:
                    total, bits = total << more - bits, more
                total += weight * a << bits - more
        return Fraction(total, self._unit << bits)


def _whole_numbers(entries: Entries) -> tuple[int, list[int]]:
    """Return a denominator that all numbers have, and their numerators."""
    if doubles := entries.doubles:
        # A double of exponent e is a whole number of units of 2^(e - 53).
        bits = 53 - frexp(min(map(abs, filter(None, doubles)), default=1.0))[1]
        if bits >= 0:
            with suppress(OverflowError):
                return 1 << bits, [*map(int, map(ldexp, doubles, repeat(bits)))]
    ratios = as_ratios([text for _, text in entries])
    unit = lcm(*{below for _, below in ratios})
    return unit, [a * (unit // b) for a, b in ratios]


class Combination:
    """A sum of multiples of examples.

    Examples
    --------
    >>> from littlestone.verifying.proofs._exact import Combination
    >>> w = Combination()
    >>> w.add(1.0, {"a": 0.5, "b": 2.0})
    >>> w.add(-0.5, {"a": 3.0})
    >>> w.dot({"a": 2.0}), w.square
    (Fraction(-2, 1), Fraction(5, 1))
    """

    def __init__(self) -> None:
        self._parts: dict[Any, tuple[int, int]] = {}

    def add(self, times: float, x: Mapping[Any, float]) -> None:
        """Add a multiple of an example."""
        c, d = times.as_integer_ratio()
        shift = d.bit_length() - 1
        for name, value in x.items():
            a, b = value.as_integer_ratio()
            n, k = self._parts.get(name, (0, 0))
            more = b.bit_length() - 1 + shift
            if more > k:
                n, k = n << more - k, more
            self._parts[name] = n + (a * c << k - more), k

    def dot(self, x: Mapping[Any, float]) -> Fraction:
        """Return the product with an example."""
        total, bits = 0, 0
        for name, value in x.items():
            n, k = self._parts.get(name, (0, 0))
            if n:
                a, b = value.as_integer_ratio()
                more = b.bit_length() - 1 + k
                if more > bits:
                    total, bits = total << more - bits, more
                total += n * a << bits - more
        return Fraction(total, 1 << bits)

    @property
    def numbers(self) -> dict[Any, Fraction]:
        """The entries of all features met."""
        return {name: Fraction(n, 1 << k) for name, (n, k) in self._parts.items()}

    @property
    def square(self) -> Fraction:
        """The squared length."""
        total, bits = 0, 0
        for n, k in self._parts.values():
            if 2 * k > bits:
                total, bits = total << 2 * k - bits, 2 * k
            total += n * n << bits - 2 * k
        return Fraction(total, 1 << bits)
