"""Numbers as a certificate writes them: exactly, as text."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

from littlestone.errors import CertificateError
from littlestone.theorems._rounding import float_down, float_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "Entries",
    "as_doubles",
    "as_number",
    "as_ratios",
    "as_text",
    "brief",
    "readable",
    "rounded",
    "short",
]

# Python refuses to read longer numbers unless its limit is raised.
_MOST_DIGITS = 4000
_TEXT = re.compile(
    r"-?[0-9]{1,4000}(/[0-9]{1,4000})?|-?0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,4}"
)

# Doubles of usual size, each with a space behind it.
_DOUBLES = re.compile(r"(?:-?0x1\.[0-9a-f]{13}p(?:\+0|[+-][1-9][0-9]{0,2}) )*")


def as_text(number: float | Fraction) -> str:
    """Write a number exactly: `12`, `3/4`, or a double as `0x1.8p+1`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying import as_text
    >>> as_text(12), as_text(Fraction(3, 4)), as_text(0.1)
    ('12', '3/4', '0x1.999999999999ap-4')
    """
    if isinstance(number, float):
        if not math.isfinite(number):
            raise CertificateError(f"a number must be finite, got {number!r}")
        return float(number).hex()
    value = Fraction(number)
    longest = max(abs(value.numerator), value.denominator)
    if longest >= 10**_MOST_DIGITS:
        raise CertificateError(
            f"a number must have at most {_MOST_DIGITS} digits, got more"
        )
    return str(value)


def as_number(text: str) -> Fraction:
    """Read what `as_text` writes, and nothing else.

    Examples
    --------
    >>> from littlestone.verifying import as_number
    >>> as_number("3/4"), as_number("0x1.8000000000000p+1")
    (Fraction(3, 4), Fraction(3, 1))
    >>> as_number("0.75")
    Traceback (most recent call last):
    littlestone.errors.CertificateError: a number must be written as '12', '3/4' or '0x1.8000000000000p+1', got '0.75'
    """  # noqa: E501 - a message is one line
    if type(text) is str and _TEXT.fullmatch(text):
        try:
            number = float.fromhex(text) if "x" in text else Fraction(text)
            if as_text(number) == text:  # each number has one spelling
                return Fraction(number)
        except (ArithmeticError, CertificateError):
            pass
    raise CertificateError(
        "a number must be written as '12', '3/4' or '0x1.8000000000000p+1', got "
        f"{short(text)}"
    )


def as_ratios(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Read many numbers as numerator and denominator, which is quick for doubles.

    Examples
    --------
    >>> from littlestone.verifying._numbers import as_ratios
    >>> as_ratios(["3/4", "0x1.8000000000000p+1"])
    [(3, 4), (3, 1)]
    """
    doubles = as_doubles(texts)
    if doubles is not None:
        return [*map(float.as_integer_ratio, doubles)]
    return [as_number(text).as_integer_ratio() for text in texts]


def as_doubles(texts: Sequence[str]) -> list[float] | None:
    """Read many doubles; None if a text is not one of `as_text`, or not of a double.

    Examples
    --------
    >>> from littlestone.verifying._numbers import as_doubles
    >>> as_doubles(["0x1.8000000000000p+1"]), as_doubles(["3/4"])
    ([3.0], None)
    """
    try:
        doubles = [*map(float.fromhex, texts)]
        # Each number has one spelling; the usual ones are looked at all at once.
        usual = _DOUBLES.fullmatch(" ".join([*texts, ""]))
    except (OverflowError, TypeError, ValueError):
        return None
    if usual or (
        [*map(float.hex, doubles)] == texts and all(map(math.isfinite, doubles))
    ):
        return doubles
    return None


class Entries(tuple[tuple[Any, str], ...]):  # noqa: SLOT001 - it has an attribute
    """The entries of a vector, whose texts were checked; they are read only once.

    Attributes
    ----------
    doubles
        Their numbers, if all are doubles; None otherwise.

    Examples
    --------
    >>> from littlestone.verifying._numbers import Entries
    >>> entries = Entries.of([("a", "0x1.8000000000000p+1"), ("b", "0x0.0p+0")])
    >>> entries.doubles, entries[0]
    ([3.0, 0.0], ('a', '0x1.8000000000000p+1'))
    """

    doubles: list[float] | None = None

    @classmethod
    def of(
        cls, pairs: Iterable[tuple[Any, str]], doubles: list[float] | None = None
    ) -> Self:
        """Read the texts, unless they were written from these doubles.

        Raise if one is none that `as_text` writes.
        """
        made = cls(pairs)
        made.doubles = doubles
        if doubles is not None:
            return made
        texts = [text for _, text in made]
        made.doubles = as_doubles(texts)
        if made.doubles is None:
            for text in texts:
                as_number(text)
        return made

    def joined(self, others: Entries) -> Entries:
        """Return the entries of both."""
        made = Entries((*self, *others))
        known = self.doubles is not None and others.doubles is not None
        doubles = [*(self.doubles or ()), *(others.doubles or ())]
        made.doubles = doubles if known else None
        return made


def rounded(text: str, *, up: bool = True) -> float:
    """Return the next float at or above a number, or at or below it.

    Examples
    --------
    >>> from littlestone.verifying._numbers import rounded
    >>> rounded("12"), rounded("1/3"), rounded("1/3", up=False)
    (12.0, 0.33333333333333337, 0.3333333333333333)
    """
    return float_up(as_number(text)) if up else float_down(as_number(text))


def readable(text: str, *, up: bool = True) -> float:
    """Return a number that people can compare and print: an int, or a rounded float.

    Examples
    --------
    >>> from littlestone.verifying._numbers import readable
    >>> readable("12"), readable("0x1.8000000000000p+1"), readable("1/3")
    (12, 3.0, 0.33333333333333337)
    """
    return int(text) if text.lstrip("-").isdecimal() else rounded(text, up=up)


def brief(text: str | None) -> str:
    """Return a number as people read it.

    Examples
    --------
    >>> from littlestone.verifying._numbers import brief
    >>> brief("1200"), brief("1/3")
    ('1,200', '0.333333')
    """
    number = as_number(text or "0")
    if number.denominator == 1 and abs(number) < 10**15:
        return f"{number.numerator:,}"
    try:
        return f"{float(number):.6g}"
    except OverflowError:
        return "a huge number"


def short(value: object, most: int = 60) -> str:
    """Return the repr of a value, cut if it is long.

    Examples
    --------
    >>> from littlestone.verifying._numbers import short
    >>> short("abcdef", 4)
    "'abc…"
    """
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # too deep, or too many digits
        text = f"something of type {type(value).__name__}"
    return text if len(text) <= most else text[:most] + "…"
