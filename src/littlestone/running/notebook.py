"""How a record and the ranking of a race look in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.display.answers import baseline, figures, measured
from littlestone.display.markup import block, facts, paragraph, sparkline, table
from littlestone.display.words import VACUOUS, clipped, counted, figure, whole_or_figure
from littlestone.running.ranking import columns, commoner, ranked, smallest_bound

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from littlestone.running import Record
    from littlestone.running.ranking import Place

__all__ = ["race_html", "record_html"]


def record_html(record: Record) -> str:
    """Return a record as a table and a small plot.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.running.notebook import record_html
    >>> "1 (50.00%)" in record_html(run(Perceptron(), [({"a": 1}, False)] * 2))
    True
    """
    plot = _plot(record) if record.rounds else ""
    return block(str(record.learner), facts(_facts(record)), plot)


def race_html(places: Sequence[Place]) -> str:
    """Return the ranking of a race as a table, and below it why any learner left.

    Examples
    --------
    >>> from littlestone.running.notebook import race_html
    >>> from littlestone.running.ranking import Place
    >>> "ann" in race_html([Place("ann", 10, mistakes=3)])
    True
    """
    staying = [place for place in ranked(places) if place.left is None]
    cells = columns(staying)
    rows = [[cell(place) for cell in cells.values()] for place in staying]
    gone = (
        paragraph(f"{p.name} left after {counted(p.rounds, 'round')}: {p.left}")
        for p in places
        if p.left is not None
    )
    said = [paragraph(told) for told in commoner(staying)]
    said += [paragraph(VACUOUS)] if any(place.vacuous for place in staying) else []
    if (told := smallest_bound(staying)) is not None:
        said.append(paragraph(told))
    return block("Race", table([*cells], rows), *said, *gone)


def _plot(record: Record) -> str:
    what = "mistakes"
    if record.bound_of == "regret":
        what = "regret"
    elif record.outcome.charged:
        what = "loss"
    points = record.curve
    counts = [float(getattr(point, what) or 0) for point in points]
    bounds = [point.bound for point in points]
    caption = f"{what} in {counted(points[-1].rounds, 'round')}: {figure(counts[-1])}"
    if bounds[-1] is not None:
        caption += f", at most {figure(bounds[-1])}"
    return sparkline([point.rounds for point in points], counts, bounds, caption)


def _facts(record: Record) -> Iterator[tuple[str, str]]:
    yield "rounds", f"{record.rounds:,}"
    if not record.outcome.charged:
        yield "mistakes", f"{record.mistakes:,} ({record.rate:.2%})"
    if record.confusion is not None:
        yield "baseline", baseline(record.confusion)
        yield "metrics", figures(record.confusion, record.auc)
    yield from measured(record)
    if record.expected_mistakes is not None:
        yield "expected mistakes", figure(float(record.expected_mistakes))
    if record.loss is not None:
        yield "loss", figure(record.loss)
    if record.regret is not None:
        yield "regret", f"{figure(record.regret)} to {record.best_expert!r}"
    if record.updates is not None:
        yield "updates", f"{record.updates:,}"
    if record.bound is not None:
        yield f"at most ({record.theorem})", _bound(record, record.bound)
    if record.unrealizable is not None:
        yield "no concept fits", f"since round {record.unrealizable:,}"
    if record.digest is not None:
        yield "stream", clipped(record.digest, 20)


def _bound(record: Record, bound: float) -> str:
    what = str(record.bound_of)
    most = f"{whole_or_figure(bound, what)} {what}"
    if record.exceeded:
        return f"{most}: EXCEEDED, so a premise of {record.theorem} is broken"
    return most + (f", {record.emptiness}" if record.emptiness else "")
