"""How good probabilities and intervals were, as parts of a report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from littlestone.reporting._charts import Chart, Line, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from littlestone.running import Record

__all__ = ["quality_charts", "quality_tables"]


def quality_charts(record: Record) -> Iterator[Chart]:
    """Yield the band of intervals around forecasts, and where the outcomes were."""
    if not record.band:
        return
    reaches = [
        reach if math.isfinite(reach) and reach >= 0 else None
        for _, reach in record.band
    ]
    rounds = len(record.band)
    yield Chart(
        "lines",
        "Outcomes within their intervals",
        f"Outcome minus forecast in the latest {rounds:,} rounds, and the interval "
        "around the forecast; no line where the interval is everything or nothing.",
        "outcome minus forecast",
        tuple(range(1, rounds + 1)),
        (
            Line("outcome", tuple(away for away, _ in record.band)),
            Line("upper end", tuple(reaches), "bound"),
            Line(
                "lower end", tuple(None if r is None else -r for r in reaches), "bound"
            ),
        ),
    )


def quality_tables(record: Record) -> Iterator[Table]:
    """Yield the calibration curve of probabilities."""
    if record.chances is None or not record.chances.bins:
        return
    yield Table(
        "Calibration: what was said, and what came",
        ("Probability of yes", "Rounds", "Mean said", "Share of yes"),
        tuple(
            (
                _tenth(each.mean),
                f"{each.rounds:,}",
                f"{each.mean:.2%}",
                f"{each.share:.2%}",
            )
            for each in record.chances.bins
        ),
    )


def _tenth(mean: float) -> str:
    """Return the tenth that the mean of a bin lies in."""
    at = min(9, int(10 * mean))
    return f"{10 * at}% to {10 * at + 10}%"
