"""How concepts are written and read: names, numbers and the words between them."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn

from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from littlestone.concepts._concept import Feature
    from littlestone.concepts._literals import Literal

__all__ = ["Scanner", "feature_text", "number_text"]

_WORDS = frozenset(
    {"always", "and", "else", "if", "never", "no", "not", "or", "then", "yes"}
)
_SYMBOLS = frozenset({">=", ">"})
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<mark>[(),+-])
      | (?P<quoted>"[^"\\]*(?:\\.[^"\\]*)*")
      | (?P<word>[^\s(),"]+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_SPACE = re.compile(r"\s*")
_COLUMN = re.compile(r"x([0-9]+)")
_BARE = re.compile(r"""[^\W\d][^\s()\[\]{},;"'`\\]*""")
_NUMBER = re.compile(
    r"(0x[0-9a-f]+|[0-9]+)(?:/(0x[0-9a-f]+|[0-9]+)|\.([0-9]+))?", re.ASCII
)
# Python may be set to refuse decimals of more than 640 digits, and no fewer.
_DECIMAL_BITS = 2000
_COLUMN_DIGITS = 20
_FOUND = 40  # as much of an unexpected token as an error shows


def feature_text(feature: Feature) -> str:
    """Write a feature: `x4` for column 4, a name bare or, if need be, in JSON quotes.

    Examples
    --------
    >>> from littlestone.concepts._text import feature_text
    >>> print(feature_text(4), feature_text("odor=foul"), feature_text("x4"))
    x4 odor=foul "x4"
    """
    if isinstance(feature, int):
        return f"x{feature}"
    if _is_bare(feature):
        return feature
    return json.dumps(feature, ensure_ascii=not feature.isprintable())


def _is_bare(name: str) -> bool:
    """Tell whether a name can be taken for nothing else, without quotes."""
    return (
        _BARE.fullmatch(name) is not None
        and name.isprintable()
        and name.casefold() not in _WORDS
        and not _COLUMN.fullmatch(name)
    )


def number_text(number: int | Fraction) -> str:
    """Write a number of any length, in hexadecimal where decimals may be refused.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.concepts._text import number_text
    >>> number_text(Fraction(-1, 3)), number_text(2**2004)[:8]
    ('-1/3', '0x100000')
    """
    if isinstance(number, Fraction) and number.denominator != 1:
        return f"{_whole_text(number.numerator)}/{_whole_text(number.denominator)}"
    return _whole_text(int(number))


def _whole_text(number: int) -> str:
    return str(number) if number.bit_length() <= _DECIMAL_BITS else hex(number)


class Scanner:
    """Goes through a text token by token, and says what it missed and where.

    A token is known by its `symbol`: "feature", "number", "end", or the word or mark
    itself.

    Examples
    --------
    >>> from littlestone.concepts._text import Scanner
    >>> scanner = Scanner("Conjunction", "not x4")
    >>> scanner.take("not"), scanner.feature(), scanner.symbol
    (True, 4, 'end')
    """

    def __init__(self, owner: str, text: object) -> None:
        if not isinstance(text, str):
            raise ParameterError(
                f"the rule to parse must be text, got {text!r}", owner=owner
            )
        self._owner = owner
        self._text = text
        self._next = 0
        self._at = 0
        self._found = ""
        self._feature: Feature = 0
        self._number: int | Fraction = 0
        # Long rules repeat themselves.
        self._features: dict[str, Feature] = {}
        self.literals: dict[tuple[Feature, bool], Literal] = {}
        self.symbol = ""
        self._advance()

    def take(self, symbol: str) -> bool:
        """Go past a token of this symbol, if it is the next one."""
        if self.symbol != symbol:
            return False
        self._advance()
        return True

    def expect(self, symbol: str, *others: str) -> None:
        """Go past a token of this symbol; the others would have been fine before."""
        if not self.take(symbol):
            self.fail(*others, symbol)

    def feature(self) -> Feature:
        """Go past a feature."""
        feature = self._feature
        self.expect("feature")
        return feature

    def number(self) -> int | Fraction:
        """Go past a number without a sign."""
        number = self._number
        self.expect("number")
        return number

    def fail(self, *expected: str) -> NoReturn:
        """Refuse the text, because none of these comes next."""
        shown = [_WORDING.get(symbol, f"'{symbol}'") for symbol in expected]
        listed = " or ".join([", ".join(shown[:-1]), shown[-1]] if shown[1:] else shown)
        self._refuse(f"expected {listed}")

    def _refuse(self, what: str) -> NoReturn:
        found = repr(self._found[:_FOUND]) if self._found else "the end"
        if len(self._found) > _FOUND:
            found += "…"
        raise ParameterError(
            f"{what} at position {self._at}, got {found}", owner=self._owner
        )

    def _advance(self) -> None:
        token = _TOKEN.match(self._text, self._next)
        if token is None:
            space = _SPACE.match(self._text, self._next)
            self._at = self._next if space is None else space.end()
            self._found = self._text[self._at :]
            if self._found:
                self._refuse("a quoted name must end in a quote")
            self.symbol = "end"
            return
        kind = token.lastgroup or ""
        self._found = token[kind]
        self._at, self._next = token.span(kind)
        if kind == "mark":
            self.symbol = self._found
        elif (feature := self._features.get(self._found)) is not None:
            self.symbol, self._feature = "feature", feature
        elif kind == "quoted":
            self._set_feature(self._unquoted())
        else:
            self._word(self._found)

    def _word(self, word: str) -> None:
        lowered = word.casefold()
        if lowered in _WORDS:
            self.symbol = lowered
        elif word in _SYMBOLS:
            self.symbol = word
        elif number := _NUMBER.fullmatch(word):
            self.symbol, self._number = "number", self._value(*number.groups())
        elif column := _COLUMN.fullmatch(word):
            if len(column[1]) > _COLUMN_DIGITS:
                self._refuse(f"a column has at most {_COLUMN_DIGITS} digits")
            self._set_feature(int(column[1]))
        elif _is_bare(word):
            self._set_feature(word)
        else:
            self._refuse("a name that is not a plain word must be in double quotes")

    def _set_feature(self, feature: Feature) -> None:
        self.symbol, self._feature = "feature", feature
        self._features[self._found] = feature

    def _unquoted(self) -> str:
        try:
            name: str = json.loads(self._found, strict=False)
        except ValueError:
            self._refuse("a quoted name must be a JSON string")
        return name

    def _value(
        self, whole: str, denominator: str | None, decimals: str | None
    ) -> int | Fraction:
        try:
            if decimals is not None:
                digits = int(whole + decimals)  # hexadecimal has no decimals
                return Fraction(digits, 10 ** len(decimals))
            value = _whole(whole)
            return (
                value if denominator is None else Fraction(value, _whole(denominator))
            )
        except (ValueError, ZeroDivisionError):
            self._refuse("a number must be 2, 0.5, 1/3 or 0x2f, and not too long")


_WORDING = {
    "end": "the end",
    "feature": "a feature",
    "number": "a number",
}


def _whole(digits: str) -> int:
    return int(digits, 16) if digits.startswith("0x") else int(digits)
