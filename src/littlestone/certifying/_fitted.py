"""Certify a rule that was fitted to a batch: `PAC-OCCAM` bounds its errors to come."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.errors import ParameterError
from littlestone.outcome import Outcome
from littlestone.running import run
from littlestone.running.inputs import Needs, as_stream
from littlestone.theorems import PAC_OCCAM
from littlestone.verifying import Certificate, as_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.boolean import Fit
    from littlestone.concepts import Concept
    from littlestone.running.inputs import Meaning

__all__ = ["certified_fit"]


class _Fixed:
    """A rule that plays, and learns nothing."""

    def __init__(self, concept: Concept) -> None:
        self.predict_one = concept

    def learn_one(self, x: Any, y: object) -> None:
        """Learn nothing."""


def certified_fit(
    fit: Fit,
    stream: Any,
    given: Mapping[str, object],
    label: str | int | None,
    positive: Meaning | None,
    *,
    delta: float | None,
) -> Certificate:
    """Certify a fit on the examples that it was fitted to.

    Nothing that is `given` for learners applies.
    """
    for name, value in given.items():
        if value is not None:
            raise ParameterError(
                f"{name} must be left out for a Fit, got {value!r}", owner="certify"
            )
    needs = Needs(Outcome.LABEL, literals=True)
    examples = as_stream("certify", stream, label, needs, positive)
    record = run(_Fixed(fit.concept), examples, keep="nothing", digest=True)
    wrong = len(fit.exceptions)
    if (record.rounds, record.mistakes) != (fit.rows, wrong):
        raise ParameterError(
            f"the stream must be what the rule was fitted to, {fit.rows:,} examples "
            f"with {wrong:,} exceptions, got {record.rounds:,} with "
            f"{record.mistakes:,}",
            owner="certify",
        )
    numbers = {
        "mistakes": wrong,
        "examples": fit.rows,
        "delta": 0.05 if delta is None else delta,
        "log_size": fit.log_size,
    }
    bound = PAC_OCCAM.bound(**numbers)
    return Certificate(
        learner={
            "name": "Fit",
            "parameters": {
                "concept": fit.concept,
                "k": fit.k,
                "features": fit.features,
            },
        },
        passes=1,
        rounds=fit.rows,
        mistakes=wrong,
        updates=None,
        digest=record.digest or "",
        theorem=PAC_OCCAM.id,
        counts=PAC_OCCAM.counts,
        counted_exact=as_text(Fraction(wrong, fit.rows)),
        witness={"kind": "none"},
        numbers_exact={name: as_text(number) for name, number in numbers.items()},
        bound_exact=as_text(bound),
    )
