"""Evaluate the formulas of theorems as they are written in LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

__all__ = ["bound_of", "value_of"]

_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[a-zA-Z]|\d+\.?\d*|\S")
_SPACE = {r"\,", r"\ ", r"\quad"}
_CLOSE = {
    "(": ")",
    "{": "}",
    "[": "]",
    r"\lfloor": r"\rfloor",
    r"\lceil": r"\rceil",
}


def bound_of(latex: str, values: Mapping[str, float]) -> float:
    """Return what the first relation compares with, by the definitions behind it."""
    main, *definitions = latex.split(r", \quad ")
    known = dict(values)
    waiting = [one for one in definitions if " = " in one]
    for _ in range(len(waiting) + 1):
        for one in waiting:
            name, _, right = one.partition(" = ")
            name, _, power = name.partition("^")
            if name not in known:
                try:
                    found = value_of(right, known)
                except KeyError:  # it uses what is defined later
                    continue
                known[name] = math.sqrt(found) if power == "2" else found
    right = re.split(r" (?:\\leq|\\geq|=) ", main)[1]
    return value_of(right, known)


def value_of(latex: str, values: Mapping[str, float]) -> float:
    """Return the value of an expression in which every symbol has one."""
    # Symbols of several tokens are exchanged for one that nothing else uses.
    names = sorted((name for name in values if len(name) > 1), key=len, reverse=True)
    for name in names:
        part = re.escape(name) + (r"(?![a-zA-Z_])" if name[-1].isalpha() else r"(?!_)")
        latex = re.sub(part, f" @{names.index(name)}@ ", latex)
    tokens: list[str | float] = []
    for i, piece in enumerate(latex.split("@")):
        if i % 2:
            tokens.append(float(values[names[int(piece)]]))
            continue
        tokens += [token for token in _TOKEN.findall(piece) if token not in _SPACE]
    reader = _Reader(tokens, values)
    value = reader.sum()
    assert not reader.tokens, reader.tokens
    return value


class _Reader:
    def __init__(self, tokens: list[str | float], values: Mapping[str, float]) -> None:
        self.tokens = list(tokens)
        self.values = values

    def peek(self) -> str | float | None:
        return self.tokens[0] if self.tokens else None

    def take(self, wanted: str | None = None) -> str | float:
        token = self.tokens.pop(0)
        assert wanted is None or token == wanted, (token, wanted)
        return token

    def sum(self) -> float:
        total = self.product()
        while self.peek() in {"+", "-"}:
            sign = 1 if self.take() == "+" else -1
            total += sign * self.product()
        return total

    def product(self) -> float:
        sign = -1 if self.peek() == "-" and self.take() else 1
        total = sign * self.power()
        while self.peek() not in {None, "+", "-", ",", *_CLOSE.values(), r"\right"}:
            if self.peek() == "/":
                self.take()
                total /= self.power()
            else:
                if self.peek() == r"\cdot":
                    self.take()
                total *= self.power()
        return total

    def power(self) -> float:
        base = self.atom()
        if self.peek() == "^":
            self.take()
            base **= self.argument()
        return base

    def group(self) -> list[float]:
        """Return what stands between brackets of any kind, split at commas."""
        large = self.peek() == r"\left" and self.take()
        opened = self.take()
        assert isinstance(opened, str)
        parts = [self.sum()]
        while self.peek() == ",":
            self.take()
            parts.append(self.sum())
        if large:
            self.take(r"\right")
        self.take(_CLOSE[opened])
        rounded = {r"\lfloor": math.floor, r"\lceil": math.ceil}.get(opened)
        return [float(rounded(part)) for part in parts] if rounded else parts

    def argument(self) -> float:
        """Return what follows a function or a power: a group, or one factor."""
        return self.group()[0] if self.peek() == "{" else self.power()

    def atom(self) -> float:
        first = self.peek()
        if first in _CLOSE or first == r"\left":
            return self.group()[0]
        word = self.take()
        if isinstance(word, float):
            return word
        if word[0].isdigit():
            return float(word)
        function = {
            r"\frac": lambda: self.group()[0] / self.group()[0],
            r"\binom": lambda: math.comb(int(self.group()[0]), int(self.group()[0])),
            r"\ln": lambda: math.log(self.argument()),
            r"\lg": lambda: math.log2(self.argument()),
            r"\sqrt": lambda: math.sqrt(self.argument()),
            r"\max": lambda: max(self.group()),
            r"\min": lambda: min(self.group()),
            r"\log": self.logarithm,
            r"\sum": self.finite_sum,
        }.get(word)
        return self.values[word] if function is None else function()

    def logarithm(self) -> float:
        self.take("_")
        base = self.atom()
        return math.log(self.argument(), base)

    def finite_sum(self) -> float:
        self.take("_")
        self.take("{")
        index = self.take()
        self.take("=")
        first = int(self.sum())
        self.take("}")
        self.take("^")
        last = int(self.argument())
        rest, total = self.tokens, 0.0
        for i in range(first, last + 1):
            inner = _Reader(rest, {**self.values, str(index): i})
            total += inner.product()
            self.tokens = inner.tokens
        return total
