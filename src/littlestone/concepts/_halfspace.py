"""Halfspaces: a weighted sum against a threshold, in exact rationals."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from littlestone.concepts._concept import (
    Concept,
    as_feature,
    feature_key,
    reader,
    truth,
)
from littlestone.concepts._literals import Conjunction, Literal
from littlestone.concepts._text import Scanner, feature_text, number_text
from littlestone.concepts._writers import PythonWriter
from littlestone.errors import ParameterError, refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from littlestone.concepts._concept import Example, Feature
    from littlestone.concepts._writers import SQLWriter

    Key: TypeAlias = Feature | Conjunction
    Rational: TypeAlias = int | Fraction

__all__ = ["Halfspace"]

_SQL_MOST = 2**63


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Halfspace(Concept):
    """Yes where a weighted sum reaches a threshold: "2 a - x3 >= 1".

    Sums are taken in exact rationals, a float being the number that it is. Features may
    have any finite value; those of a conjunction with a weight are 0 or 1.

    Parameters
    ----------
    weights
        What each feature weighs, or each literal or conjunction. Weights of 0 are left
        out.
    threshold
        What the sum must reach.
    strict
        Whether the sum must exceed the threshold, instead of reaching it.

    Attributes
    ----------
    threshold, strict
        As given; the threshold as an int or a Fraction.

    Examples
    --------
    >>> from littlestone.concepts import Conjunction, Halfspace
    >>> rule = Halfspace({"a": 2, 3: -1, Conjunction("a", "b"): 0.5}, 1)
    >>> print(rule)
    - x3 + 2 a + 1/2 (a and b) >= 1
    >>> rule({"a": 1}), rule({"a": 1, 3: 1.5}), rule({"a": 1, "b": 1, 3: 1.5})
    (True, False, True)
    >>> print(~rule)
    x3 - 2 a - 1/2 (a and b) > -1
    """

    _weights: tuple[tuple[Key, Rational], ...]
    threshold: int | Fraction
    strict: bool
    _features: tuple[Feature, ...] = field(compare=False)

    def __init__(
        self,
        weights: Mapping[Any, float | Fraction],
        threshold: float | Fraction,
        *,
        strict: bool = False,
    ) -> None:
        if not isinstance(weights, Mapping):
            raise ParameterError(
                f"weights must be a mapping from feature to weight, got {weights!r}",
                owner="Halfspace",
            )
        if not isinstance(strict, bool):
            raise ParameterError(
                f"strict must be True or False, got {strict!r}", owner="Halfspace"
            )
        pairs = [
            (_as_key(key), _rational(f"the weight of {key!r}", weight))
            for key, weight in weights.items()
        ]
        self._set(pairs, _rational("threshold", threshold), strict)

    def _set(
        self,
        pairs: Iterable[tuple[Key, Rational]],
        threshold: Rational,
        strict: bool,
    ) -> None:
        weights: dict[Key, Rational] = {}
        for key, weight in pairs:
            if key in weights:
                raise ParameterError(
                    f"each feature must have one weight, got {key!r} twice",
                    owner="Halfspace",
                )
            weights[key] = weight
        kept = sorted(
            (pair for pair in weights.items() if pair[1]),
            key=lambda pair: _key_order(pair[0]),
        )
        met: set[Feature] = set()
        for key, _ in kept:
            met.update(key.features if isinstance(key, Conjunction) else (key,))
        object.__setattr__(self, "_weights", tuple(kept))
        object.__setattr__(self, "threshold", threshold)
        object.__setattr__(self, "strict", strict)
        object.__setattr__(self, "_features", tuple(sorted(met, key=feature_key)))

    @classmethod
    def _make(
        cls,
        pairs: Iterable[tuple[Key, Rational]],
        threshold: Rational,
        strict: bool,
    ) -> Self:
        made = cls.__new__(cls)
        made._set(pairs, threshold, strict)
        return made

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read it back from the text that `str` gives.

        Numbers are whole, decimal (0.5), fractions (1/3), or hexadecimal (0x2f).

        Examples
        --------
        >>> from littlestone.concepts import Halfspace
        >>> Halfspace.parse("2 a - 0.5 x3 + (a and not b) > 1/3")
        Halfspace({3: Fraction(-1, 2), 'a': 2, Conjunction('a', ~Literal('b')): 1}, Fraction(1, 3), strict=True)
        """  # noqa: E501 - a repr is one line
        scanner = Scanner("Halfspace", text)
        pairs: list[tuple[Key, Rational]] = []
        more = True
        while more:
            sign = _read_sign(scanner)
            pair = _read_summand(scanner)
            if pair is not None:
                pairs.append((pair[0], sign * pair[1]))
            more = scanner.symbol in {"+", "-"}
        strict = scanner.take(">")
        if not strict:
            scanner.expect(">=", "+", "-", ">")
        sign = _read_sign(scanner)
        threshold = _lowest(sign * scanner.number())
        scanner.expect("end")
        return cls._make(pairs, threshold, strict)

    @property
    def weights(self) -> dict[Feature | Conjunction, int | Fraction]:
        """What each feature or conjunction weighs, without zeros.

        Examples
        --------
        >>> from littlestone.concepts import Halfspace
        >>> Halfspace({"a": 0.5, "b": 0, 3: 2.0}, 1).weights
        {3: 2, 'a': Fraction(1, 2)}
        """
        return dict(self._weights)

    @property
    def features(self) -> tuple[Feature, ...]:
        """The features that have a weight, alone or in a conjunction."""
        return self._features

    @property
    def size(self) -> int:
        """How many weights it has."""
        return len(self._weights)

    def __call__(self, x: Example) -> bool:
        read = reader("Halfspace", x)
        total: Rational = 0
        for key, weight in self._weights:
            if isinstance(key, Conjunction):
                true = {
                    feature
                    for feature in key.features
                    if truth("Halfspace", feature, read(feature))
                }
                total += weight if key._holds(true) else 0
            else:
                total += weight * _number(key, read(key))
        return total > self.threshold if self.strict else total >= self.threshold

    def __invert__(self) -> Halfspace:
        opposite = ((key, -weight) for key, weight in self._weights)
        return self._make(opposite, -self.threshold, not self.strict)

    def __str__(self) -> str:
        summands = []
        for key, weight in self._weights:
            sign = "-" if weight < 0 else "+"
            size = weight if weight > 0 else -weight
            shown = "" if size == 1 else f"{number_text(size)} "
            summands.append(f"{sign} {shown}{_key_text(key)}")
        total = " ".join(summands).removeprefix("+ ") or "0"
        compared = ">" if self.strict else ">="
        return f"{total} {compared} {number_text(self.threshold)}"

    def __repr__(self) -> str:
        weights = ", ".join(
            f"{key!r}: {_shown(weight)}" for key, weight in self._weights
        )
        strict = ", strict=True" if self.strict else ""
        return f"Halfspace({{{weights}}}, {_shown(self.threshold)}{strict})"

    def _bits(self, columns: Mapping[Feature, int], full: int) -> int:
        weights, threshold = self._whole()
        alone = {key: weight for key, weight in weights if not _is_term(key)}
        totals = [0]
        for feature in columns:  # the last one changes fastest
            weight = alone.get(feature, 0)
            totals = [total + more for total in totals for more in (0, weight)]
        for key, weight in weights:
            if isinstance(key, Conjunction):
                fires = key._bits(columns, full)
                totals = [
                    total + weight if bit == "1" else total
                    for total, bit in zip(
                        totals, reversed(f"{fires:0{len(totals)}b}"), strict=True
                    )
                ]
        least = threshold + 1 if self.strict else threshold
        answers = ("1" if total >= least else "0" for total in reversed(totals))
        return int("".join(answers), 2)

    def _whole(self) -> tuple[list[tuple[Key, int]], int]:
        """Return weights and threshold in whole numbers, all scaled alike."""
        rationals = [weight for _, weight in self._weights]
        scale = math.lcm(*(number.denominator for number in rationals))
        scale = math.lcm(scale, self.threshold.denominator)
        weights = [(key, int(weight * scale)) for key, weight in self._weights]
        return weights, int(self.threshold * scale)

    def _python(self) -> list[str]:
        weights, threshold = self._whole()
        writer = PythonWriter()
        lines = ["from fractions import Fraction", "total = 0"]
        for key, weight in weights:
            number = number_text(weight)
            if isinstance(key, Conjunction):
                lines += [f"if {key._condition(writer)}:", f"    total += {number}"]
            else:
                lines.append(f"total += {number} * Fraction(x.get({key!r}, 0))")
        compared = ">" if self.strict else ">="
        return [*lines, f"return total {compared} {number_text(threshold)}"]

    def _sql(self, writer: SQLWriter) -> str:
        weights, threshold = self._whole()
        most = sum(abs(weight) for _, weight in weights) + abs(threshold)
        if most >= _SQL_MOST:
            raise ParameterError(
                "whole weights and the threshold must add up to less than 2**63 in "
                f"SQL, got more than 2**{most.bit_length() - 1}",
                owner="Halfspace",
            )
        summands = []
        for key, weight in weights:
            if isinstance(key, Conjunction):
                condition = key._condition(writer)
                summands.append(f"CASE WHEN {condition} THEN {weight} ELSE 0 END")
            else:
                summands.append(f"{weight} * {writer.value(key)}")
        compared = ">" if self.strict else ">="
        return f"({writer.total(summands) or '0'} {compared} {threshold})"


def _is_term(key: Key) -> bool:
    return isinstance(key, Conjunction)


def _as_key(key: Any) -> Key:
    """Return a key as it is kept: one positive literal is its feature."""
    if isinstance(key, Literal):
        key = Conjunction(key)
    if not isinstance(key, Conjunction):
        return as_feature("Halfspace", key)
    if key.size == 1 and key.literals[0].positive:
        return key.literals[0].feature
    return key


def _key_order(key: Key) -> tuple[bool, Any]:
    if isinstance(key, Conjunction):
        return True, key._key
    return False, feature_key(key)


def _key_text(key: Key) -> str:
    return f"({key})" if isinstance(key, Conjunction) else feature_text(key)


def _rational(name: str, value: Any) -> Rational:
    number = _exact(value)
    if number is None:
        raise ParameterError(
            f"{name} must be a finite number, got {value!r}", owner="Halfspace"
        )
    return number


def _number(feature: Feature, value: Any) -> Rational:
    number = _exact(value)
    if number is None:
        raise refusal("finite", owner="Halfspace", feature=feature, value=value)
    return number


def _exact(value: Any) -> Rational | None:
    """Return exactly the number that a value is, or None."""
    if isinstance(value, int):
        return int(value)
    if hasattr(value, "__len__"):  # texts and arrays have one
        return None
    try:
        if hasattr(value, "as_integer_ratio"):
            return _lowest(Fraction(*value.as_integer_ratio()))
        # NumPy's truth values have no such ratio, but they equal 0 or 1.
        return operator.index(value) if value not in {0, 1} else int(value)
    except (TypeError, ValueError, ArithmeticError):
        return None  # infinite, not a number, or of another kind


def _lowest(number: Rational) -> Rational:
    """Return whole numbers as ints."""
    return int(number) if number.denominator == 1 else number


def _shown(number: Rational) -> str:
    """Write a number so that Python reads it back."""
    if isinstance(number, int):
        return number_text(number)
    parts = number_text(number.numerator), number_text(number.denominator)
    return f"Fraction({', '.join(parts)})"


def _read_sign(scanner: Scanner) -> int:
    if scanner.take("-"):
        return -1
    scanner.take("+")
    return 1


def _read_summand(scanner: Scanner) -> tuple[Key, Rational] | None:
    """Go past a weight and what has it; a lone 0 is nothing."""
    weight: Rational = 1
    if scanner.symbol == "number":
        weight = _lowest(scanner.number())
        if not weight and scanner.symbol in {">=", ">"}:
            return None
    if scanner.take("("):
        term = Conjunction._read(scanner)
        scanner.expect(")", *(["and"] if term.literals else []))
        return _as_key(term), weight
    if scanner.symbol != "feature":
        scanner.fail("feature", "(")
    return scanner.feature(), weight
