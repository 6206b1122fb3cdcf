"""Certificates made by hand: a real run, a witness, and numbers that are exact."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from littlestone import Certificate, run, theorems
from littlestone.verifying import Digest, as_text
from littlestone.verifying._certificate import _seal
from littlestone.verifying.twins import reads_of


def made(  # noqa: PLR0917 - what a certificate is of
    learner: Any,
    stream: Iterable[tuple[Any, Any]],
    theorem: str,
    witness: Mapping[str, Any],
    numbers: Mapping[str, Any],
    counted: Fraction | None = None,
    passes: int = 1,
) -> Certificate:
    """Run a learner, and certify it with what is given."""
    stream = list(stream)
    record = run(learner.clone(), stream, passes=passes)
    name = type(learner).__name__
    digest = Digest(reads_of(name), record.outcome)
    for x, y in stream * passes:
        digest.add(x, y)
    known = theorems.get(theorem)
    if counted is None:
        of_run = record.updates if known.counts == "updates" else record.mistakes
        counted = Fraction(of_run or 0)
    return Certificate(
        learner={"name": name, "parameters": record.learner.parameters},
        passes=passes,
        rounds=record.rounds,
        mistakes=record.mistakes,
        updates=record.updates,
        digest=str(digest),
        theorem=theorem,
        counts=known.counts,
        counted_exact=as_text(counted),
        witness=witness,
        numbers_exact={each: as_text(number) for each, number in numbers.items()},
        bound_exact=as_text(known.bound(**numbers)),
    )


def vector(
    entries: Mapping[Any, float | Fraction], bias: float | Fraction | None = None
) -> dict[str, Any]:
    """Return a witness that is a vector."""
    return {
        "kind": "vector",
        "entries": [[feature, as_text(number)] for feature, number in entries.items()],
        "bias": None if bias is None else as_text(bias),
    }


def sealed(plain: dict[str, Any]) -> str:
    """Return the text of a certificate from plain data, with the seal that fits."""
    rest = {name: value for name, value in plain.items() if name != "seal"}
    return json.dumps({**rest, "seal": _seal(rest)})
