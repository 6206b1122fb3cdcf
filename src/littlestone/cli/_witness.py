"""A witness of your own, read from a file of JSON."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.errors import LittlestoneError, ParameterError

if TYPE_CHECKING:
    from pathlib import Path

    from littlestone.running import Record

__all__ = ["Witness", "read_witness"]


@dataclass(frozen=True)
class Witness:
    """The content of a file, before its learner is known.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.cli._witness import Witness
    >>> from littlestone.linear import Perceptron
    >>> learner = Perceptron()
    >>> record = run(learner, [({7: 1.0}, False)], keep="updates")
    >>> Witness({"7": -1}).of(learner, record)
    {7: -1.0}
    >>> entries = [["free", "0x1.8000000000000p+0"]]
    >>> Witness({"kind": "vector", "entries": entries, "bias": "-1/2"}).of(
    ...     learner, record
    ... )
    {'free': 1.5, None: -0.5}
    """

    said: Any

    def of(self, learner: Any, record: Record) -> Any:
        """Return the witness as `certify` takes it, for a learner and its record."""
        said = self.said
        if isinstance(said, dict) and isinstance(said.get("kind"), str):
            return _certified(said)
        if isinstance(said, dict):
            by_number = record.examples is not None and any(
                isinstance(feature, int) for feature in record.examples.features
            )
            return {
                _feature(name, by_number=by_number): _number(name, number)
                for name, number in said.items()
            }
        if hasattr(learner, "concept_"):
            return _rule(type(learner.concept_), said)
        return said  # the name or the number of an expert


def read_witness(path: Path) -> Witness:
    """Read a witness, or that of a certificate."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ParameterError(
            f"--witness must be a file of JSON, got {str(path)!r}: {error}"
        ) from None
    if isinstance(said, dict) and isinstance(said.get("witness"), dict):
        said = said["witness"]  # of a certificate
    if isinstance(said, bool) or not isinstance(said, (dict, str, int)):
        raise ParameterError(
            "--witness must hold a number for each feature, the name of an expert or "
            f"a rule, got {said!r:.80}"
        )
    return Witness(said)


def _certified(said: dict[str, Any]) -> Any:
    """Return a witness in the form that certificates use."""
    from littlestone import concepts

    try:
        if said["kind"] == "vector":
            pairs = [(name, number) for name, number in said["entries"]]
            found = {name: _number(name, number) for name, number in pairs}
            if said.get("bias") is not None:
                found[None] = _number("bias", said["bias"])
            return found
        if said["kind"] == "expert":
            return said["expert"]
        if said["kind"] == "concept" and said["class"] in concepts.__all__:
            return _rule(getattr(concepts, said["class"]), said["text"])
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, LittlestoneError):
            raise
    raise ParameterError(
        "--witness must be a vector, an expert or a concept, as in certificates, "
        f"got {said!r:.80}"
    )


def _feature(name: str, *, by_number: bool) -> str | int:
    return int(name) if by_number and name.isdecimal() else name


def _number(name: Any, said: Any) -> float:
    """Return a number of JSON, or one in exact text."""
    from littlestone.verifying import as_number

    wrong = ParameterError(
        f"--witness must have a finite number for {name!r}, got {said!r:.80}"
    )
    if isinstance(said, bool) or not isinstance(said, (int, float, str)):
        raise wrong
    try:
        number = float(as_number(said) if isinstance(said, str) else Fraction(said))
    except (ArithmeticError, ValueError):
        raise wrong from None
    if not math.isfinite(number):
        raise wrong
    return number


def _rule(kind: Any, said: Any) -> Any:
    try:
        return kind.parse(said)
    except (AttributeError, TypeError, ValueError) as error:
        raise ParameterError(
            f"--witness must be a {kind.__name__}, got {said!r:.80}: {error}"
        ) from None
