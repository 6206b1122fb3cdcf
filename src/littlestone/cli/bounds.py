"""`littlestone bounds`: a calculator for every theorem."""

from __future__ import annotations

import inspect
import json as json_format
import math
import re
import textwrap
from decimal import MAX_EMAX, ROUND_DOWN, ROUND_UP, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from littlestone.cli._complete import theorems as complete_theorems
from littlestone.cli._say import say
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from littlestone.theorems import Theorem

__all__ = ["bounds"]

_WIDTH = 88
_WHOLE = {"updates", "demotions", "mistakes", "examples"}  # numbers that are whole
# Said before the number: regret at most 3.
_SAID_FIRST = {"loss", "regret", "weighted regret", "error probability", "distance"}
_DIGITS = 10**15  # whole numbers below are written out

# A decimal with more zeros than this would fill the memory.
_LONGEST, _EXPONENT = 1000, 5000
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e([+-]?\d+))?", re.IGNORECASE | re.ASCII)
_QUOTIENT = re.compile(r"[+-]?\d+/\d+", re.ASCII)
_HEX = re.compile(r"[+-]?0x[0-9a-f]+\.?[0-9a-f]*p[+-]?\d+", re.IGNORECASE | re.ASCII)


class _Written(Fraction):
    """A number that messages show as it was written."""

    text: str

    def __new__(cls, text: str, value: Fraction | float | str) -> Self:
        number = super().__new__(cls, value)
        number.text = text
        return number

    def __repr__(self) -> str:
        return self.text


def bounds(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="THEOREM --NAME NUMBER",
            help="The id of a theorem, and its numbers, such as 3, 0.25, 1e-3 or 1/3.",
            autocompletion=complete_theorems,
            show_default=False,
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--list", help="List all theorems instead.")
    ] = False,
    latex: Annotated[
        bool, typer.Option("--latex", help="Print only the statement, in LaTeX.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compute the bound of a theorem exactly, then round it to the safe side.

    With the id alone, show what the theorem says and which numbers it takes. Decimals
    are exact: 0.1 is one tenth.

    For example:

        littlestone bounds PERC-SEP

        littlestone bounds PERC-SEP --radius 1 --margin 1/3
    """
    from littlestone import theorems

    identifier, given = _read(words or [])
    if every:
        if identifier is not None or given:
            raise ParameterError(f"--list takes nothing else, got {words!r}")
        _list(theorems.all(), latex=latex, json=json)
        return
    if identifier is None:
        raise ParameterError(
            "a theorem must be named, such as PERC-SEP; --list shows them all"
        )
    theorem = theorems.get(identifier)
    numbers = _numbers(theorem, given)
    value = theorem.formula(**numbers) if _enough(theorem, numbers) else None
    bound = None if value is None else theorem.bound(**numbers)
    if json:
        say(_json(_facts(theorem) | _computed(numbers, value, bound)))
    elif latex:
        say(theorem.latex)
    else:
        say(_told(theorem, numbers, value, bound))


# The question ----------------------------------------------------------------------


def _read(words: list[str]) -> tuple[str | None, dict[str, str | None]]:
    """Split the words into the id and the options with their values."""
    identifier: str | None = None
    given: dict[str, str | None] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            if identifier is not None:
                raise ParameterError(
                    f"only one theorem may be named, got {identifier!r} and "
                    f"{word!r}; a number follows its name, as in --margin 1/3"
                )
            identifier = word
            continue
        option, equals, value = word[2:].partition("=")
        name = option.replace("-", "_")
        if name in given:
            raise ParameterError(f"--{option} must be given once")
        if equals:
            given[name] = value
        else:  # the value may be negative, so only two dashes begin another option
            alone = not rest or rest[0].startswith("--")
            given[name] = None if alone else rest.pop(0)
    return identifier, given


def _numbers(theorem: Theorem, given: dict[str, str | None]) -> dict[str, Any]:
    """Return the numbers by name, for a formula that takes all of these."""
    known = inspect.signature(theorem.formula).parameters
    numbers: dict[str, Any] = {}
    for name, text in given.items():
        if name not in known:
            options = ", ".join(map(_option, known))
            raise ParameterError(
                f"{_option(name)} is not one of the numbers of {theorem.id}, {options}"
            )
        if text is None and isinstance(known[name].default, bool):
            numbers[name] = True  # a yes-or-no needs no value
        else:
            numbers[name] = _number(name, text)
    return numbers


def _number(name: str, text: str | None) -> Fraction:
    """Read a number exactly."""
    wrong = ParameterError(
        f"{_option(name)} must be a number, such as 3, 0.25, 1e-3 or 1/3, got "
        f"{'nothing' if text is None else repr(text[:40])}"
    )
    if text is None or len(text) > _LONGEST:
        raise wrong
    try:
        if (decimal := _DECIMAL.fullmatch(text)) is not None:
            if abs(int(decimal[3] or 0)) > _EXPONENT:
                raise wrong
            return _Written(text, text)
        if _QUOTIENT.fullmatch(text):
            return _Written(text, text)
        if _HEX.fullmatch(text):
            return _Written(text, float.fromhex(text))
    except (ZeroDivisionError, OverflowError):
        raise wrong from None
    raise wrong


def _enough(theorem: Theorem, numbers: dict[str, Any]) -> bool:
    """Return whether to compute the bound; refuse if only some numbers are given."""
    if not numbers:
        return False
    known = inspect.signature(theorem.formula).parameters
    missing = [
        _option(name)
        for name, number in known.items()
        if number.default is inspect.Parameter.empty and name not in numbers
    ]
    if missing:
        raise ParameterError(
            f"{theorem.id} needs {' and '.join(missing)} as well; `littlestone "
            f"bounds {theorem.id}` describes them"
        )
    return True


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


# The answer ------------------------------------------------------------------------


def _list(every: tuple[Theorem, ...], *, latex: bool, json: bool) -> None:
    if json:
        say(_json([_facts(theorem) for theorem in every]))
        return
    width = max(len(theorem.id) for theorem in every) + 2
    for theorem in every:
        said = theorem.latex if latex else theorem.statement
        say(theorem.id.ljust(width) + said)


def _facts(theorem: Theorem) -> dict[str, Any]:
    return {
        "id": theorem.id,
        "statement": theorem.statement,
        "latex": theorem.latex,
        "premises": theorem.premises,
        "counts": theorem.counts,
        "lower": theorem.lower,
        "tight": theorem.tight,
        "reference": theorem.reference,
        "takes": dict(theorem.numbers),
    }


def _computed(
    numbers: dict[str, Any], value: Fraction | None, bound: float | None
) -> dict[str, Any]:
    if value is None or bound is None:
        return {}
    return {
        "numbers": {name: str(Fraction(number)) for name, number in numbers.items()},
        # JSON has no number beyond the floats.
        "bound": bound if math.isfinite(bound) else None,
        # A rational on the safe side of the exact bound, of any size.
        "rational": _rational(value),
    }


def _rational(value: Fraction) -> str:
    """Write a fraction, in hexadecimal if decimal digits would take too long."""
    try:
        return str(value)
    except ValueError:  # Python's limit on digits
        return f"{value.numerator:#x}/{value.denominator:#x}"


def _json(facts: Any) -> str:
    return json_format.dumps(facts, allow_nan=False)


def _told(
    theorem: Theorem,
    numbers: dict[str, Any],
    value: Fraction | None,
    bound: float | None,
) -> str:
    lines = [_folded(f"{theorem.id}  ", theorem.statement), ""]
    lines += [_folded("if     ", premise) for premise in theorem.premises]
    if theorem.tight:
        lines.append(_folded("tight  ", theorem.tight))
    lines += [_folded("by     ", theorem.reference), "", *_table(theorem, numbers)]
    if value is not None and bound is not None:
        lines += ["", _promised(theorem, value, bound)]
    return "\n".join(lines)


def _table(theorem: Theorem, numbers: dict[str, Any]) -> list[str]:
    """Return a line for each number: its option, its value, and what it is."""
    known = inspect.signature(theorem.formula).parameters
    rows = []
    for name, what in theorem.numbers.items():
        default = known[name].default
        plain = default is not None and default is not inspect.Parameter.empty
        if name in numbers:
            shown = _short(numbers[name])
        elif numbers:
            shown = _short(default) if plain else "-"
        else:
            shown = ""
        unless = f"; {_short(default)} unless given" if plain else ""
        rows.append((_option(name), shown, what + unless))
    first = max(len(row[0]) for row in rows)
    second = max(len(row[1]) for row in rows)
    gap = "  " if second else ""
    return [
        _folded(f"{option:{first}}  {shown:{second}}{gap}", what)
        for option, shown, what in rows
    ]


def _short(number: Any) -> str:
    text = _rational(Fraction(number))
    return text if len(text) <= _WIDTH // 4 else f"{text[: _WIDTH // 4 - 3]}..."


def _promised(theorem: Theorem, value: Fraction, bound: float) -> str:
    figure = _figure(value, bound, up=not theorem.lower)
    if theorem.statement.startswith("exactly"):
        return f"exactly {figure} {theorem.counts}"
    relation = "at least" if theorem.lower else "at most"
    if theorem.counts in _SAID_FIRST:
        return f"{theorem.counts} {relation} {figure}"
    # Mistakes and examples are whole: at most 2.5 mistakes are at most 2.
    enough = theorem.counts == "examples"
    whole = math.ceil(value) if theorem.lower or enough else math.floor(value)
    told = theorem.counts in _WHOLE and value.denominator > 1 and whole < _DIGITS
    promised = f"{figure} {theorem.counts}"
    promised = f"{promised} suffice" if enough else f"{relation} {promised}"
    return promised + (f", so {whole}" if told else "")


def _figure(value: Fraction, bound: float, *, up: bool) -> str:
    """Write a bound as a whole number, a float, or with its power of ten."""
    if value.denominator == 1 and abs(value) < _DIGITS:
        return str(value)
    if math.isfinite(bound):
        return repr(bound)
    digits = Context(prec=17, Emax=MAX_EMAX, rounding=ROUND_UP if up else ROUND_DOWN)
    top, bottom = Decimal(value.numerator), Decimal(value.denominator)
    return str(digits.divide(top, bottom))


def _folded(first: str, text: str) -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
