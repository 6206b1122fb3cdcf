"""JSON, read strictly: what could be understood in two ways is refused."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from littlestone import _core

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "BadJSONError",
    "dumps",
    "dumps_lines",
    "flat_lines",
    "loads",
    "loads_asked",
    "loads_asked_lines",
    "loads_lines",
    "own",
]

_SHORT = 16  # characters: 15 digits and a point always survive as a double
_EXACT = 1 << 53  # integers up to here are doubles
_LARGEST = 1 << 63  # and those from here on are no integers of most languages


class BadJSONError(ValueError):
    """A text that is not JSON, or not JSON with one meaning."""


def loads(text: bytes | str) -> Any:
    r"""Return the value of a JSON text.

    Refused are NaN and infinities, an object with the same key twice, a number with
    more digits than a double keeps, and text that is not UTF-8.

    Examples
    --------
    >>> from littlestone.service._strict import loads
    >>> loads(b'{"a": 0.30000000000000004, "b": [1, true]}')
    {'a': 0.30000000000000004, 'b': [1, True]}
    >>> loads(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    littlestone.service._strict.BadJSONError: a key must occur once, got 'a' twice
    >>> loads(b'[9007199254740993]')
    Traceback (most recent call last):
    littlestone.service._strict.BadJSONError: a number must be one that a double keeps, got 9007199254740993
    """  # noqa: E501 - a message is one line
    if isinstance(text, bytes):
        found = _core.plain_json(text)
        if found is not NotImplemented:
            return found
    return _loads(text)


def loads_lines(text: bytes) -> list[Any]:
    r"""Return the value of each line, or the error that `loads` raises of it.

    Examples
    --------
    >>> from littlestone.service._strict import loads_lines
    >>> loads_lines(b'{"a": 1}\n[2, 3]\n')
    [{'a': 1}, [2, 3]]
    """
    return _others_too(text, _core.plain_json_lines(text))


def loads_asked(text: bytes) -> Any:
    r"""Return what asks for a prediction, apart: its id, its example, and that as JSON.

    Whatever is not plainly that is returned as `loads` does.

    Examples
    --------
    >>> from littlestone.service._strict import loads_asked
    >>> loads_asked(b'{"id": "a", "features": {"x": 0.5}}')
    ('a', {'features': {'x': 0.5}}, b'{"features":{"x":0.5}}')
    >>> loads_asked(b'{"id": "\\u0061", "features": {"x": 0.5}}')
    {'id': 'a', 'features': {'x': 0.5}}
    """
    found = _core.asked_json(text)
    return _loads(text) if found is NotImplemented else found


def flat_lines(text: bytes) -> tuple[list[str | None], list[bytes]] | None:
    r"""Return the ids, and the examples as JSON, if each line has named numbers only.

    That is most batches, and takes the least time. None if a line has anything else.

    Examples
    --------
    >>> from littlestone.service._strict import flat_lines
    >>> flat_lines(b'{"id": "a", "features": {"x": 0.5}}\n{"features": {}}\n')
    (['a', None], [b'{"features":{"x":0.5}}', b'{"features":{}}'])
    >>> flat_lines(b'{"id": "a", "text": "x"}')
    """
    return _core.flat_lines(text)


def loads_asked_lines(text: bytes) -> list[Any]:
    """Return the same of each line, or the error that `loads` raises of it."""
    return _others_too(text, _core.asked_json_lines(text))


def _others_too(text: bytes, found: list[Any]) -> list[Any]:
    """Put in what was not plain, and leave out an empty line at the end."""
    lines = text.split(b"\n")
    if not lines[-1].strip():
        lines.pop()
    del found[len(lines) :]
    for at, value in enumerate(found):
        if value is NotImplemented:
            try:
                found[at] = _loads(lines[at])
            except BadJSONError as error:
                found[at] = error
    return found


def _loads(text: bytes | str) -> Any:
    """Read a text slowly, and find out what is wrong with it."""
    try:
        if isinstance(text, bytes):
            text = text.decode()
        return _DECODER.decode(text)
    except UnicodeDecodeError:
        raise BadJSONError("the text must be UTF-8, got other bytes") from None
    except RecursionError:
        raise BadJSONError("the text must not be nested so deeply") from None
    except json.JSONDecodeError as error:
        raise BadJSONError(f"the text must be JSON: {error}") from None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]  # so that it is added
        raise BadJSONError(f"a key must occur once, got {twice!r:.80} twice")
    return made


def _float(text: str) -> float:
    number = float(text)
    if len(text) <= _SHORT and "e" not in text and "E" not in text:
        return number
    if number in (float("inf"), float("-inf")) or _digits(text) != _digits(
        repr(number)
    ):
        _refuse(text)
    return number


def _digits(text: str) -> Decimal:
    try:
        return Decimal(text)
    except ArithmeticError:  # an exponent that is out of all bounds
        return Decimal("NaN")


def _int(text: str) -> int:
    if len(text) <= _SHORT - 1:
        return int(text)
    try:
        number = int(text)
        small = -_LARGEST <= number < _LARGEST
        kept = small and (abs(number) <= _EXACT or int(float(number)) == number)
    except (OverflowError, ValueError):
        kept = False
    if not kept:
        _refuse(text)
    return number


def _refuse(text: str) -> NoReturn:
    raise BadJSONError(f"a number must be one that a double keeps, got {text:.80}")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=_float, parse_int=_int, parse_constant=_refuse
)

_ENCODER = msgspec.json.Encoder()
_OWN = msgspec.json.Decoder()


def own(text: bytes | str) -> Any:
    """Return the value of a text that `dumps` has written, which is quicker."""
    return _OWN.decode(text)


def dumps(value: Any) -> bytes:
    """Return a value as compact JSON; refuse half a character, as UTF-8 has none.

    Examples
    --------
    >>> from littlestone.service._strict import dumps
    >>> dumps({"a": 1.0, "b": None})
    b'{"a":1.0,"b":null}'
    """
    try:
        return _ENCODER.encode(value)
    except (OverflowError, RecursionError, TypeError, ValueError) as error:
        raise BadJSONError(f"a value must be one that JSON can hold: {error}") from None


def dumps_lines(values: Iterable[Any]) -> bytes:
    """Return each value, which `dumps` must be able to write, on a line of its own."""
    return _ENCODER.encode_lines(values)
