"""Run learners over streams, and record what happened."""

from __future__ import annotations

from littlestone.running.advice import KeptAdvice
from littlestone.running.batch import Batch
from littlestone.running.card import LearnerCard
from littlestone.running.checkpoint import Checkpoint
from littlestone.running.driver import Fits, Plays, run
from littlestone.running.examples import KeptExamples
from littlestone.running.record import Point, Record, Trail
from littlestone.running.recorder import Recorder, Ticket
from littlestone.running.weights import WeightCurve

__all__ = [
    "Batch",
    "Checkpoint",
    "Fits",
    "KeptAdvice",
    "KeptExamples",
    "LearnerCard",
    "Plays",
    "Point",
    "Record",
    "Recorder",
    "Ticket",
    "Trail",
    "WeightCurve",
    "run",
]
