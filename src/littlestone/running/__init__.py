"""Run learners over streams, and record what happened."""

from __future__ import annotations

from littlestone.running._run import (
    Fits,
    Keeper,
    Kept,
    LearnerCard,
    Plays,
    Point,
    Record,
    Trail,
    Turn,
    WeightCurve,
    run,
)

__all__ = [
    "Fits",
    "Keeper",
    "Kept",
    "LearnerCard",
    "Plays",
    "Point",
    "Record",
    "Trail",
    "Turn",
    "WeightCurve",
    "run",
]
