"""The ranking of a race for people: a table, live or final, or plain lines."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TextIO

from littlestone.display.answers import baseline, order
from littlestone.display.bounds import Bound, smallest
from littlestone.display.words import VACUOUS, duration

if TYPE_CHECKING:
    from types import TracebackType

    from rich.live import Live

    from littlestone.metrics import Auc, Chances, Confusion, Coverage, Errors
    from littlestone.theorems import Number

__all__ = [
    "Place",
    "RankedLines",
    "RankedTable",
    "Ranker",
    "columns",
    "commoner",
    "ranked",
    "ranker",
    "smallest_bound",
    "table",
]


class Place(NamedTuple):
    """How one learner does in a race.

    Attributes
    ----------
    name
        The learner's name in the race.
    rounds, mistakes
        The rounds it has played, and its mistakes.
    loss
        Its loss; None for a learner that predicts labels.
    seconds
        Its processor time.
    regret, bound, bound_of
        How much more it has lost than the best expert, its live bound, and what that
        bound limits; None if there is none.
    exceeded
        Whether it exceeds its bound.
    vacuous
        Whether its bound says nothing about the race.
    theorem, numbers
        The id of the theorem that gives the bound, and the numbers that it takes.
    confusion
        Which answers it gave to which labels; None before the end, and for numbers.
    auc
        The area under its ROC curve, if asked for.
    chances, errors, coverage
        How good its probabilities, numbers or intervals were; None before the end, and
        for a learner that gives none.
    refused
        How many examples it refused and skipped.
    left
        Why it left the race; None while it is in it.

    Examples
    --------
    >>> from littlestone.running.ranking import Place, ranked
    >>> places = [Place("ann", 10, mistakes=3), Place("bob", 10, mistakes=2)]
    >>> [place.name for place in ranked(places)]
    ['bob', 'ann']
    """

    name: str
    rounds: int
    mistakes: int
    loss: float | None = None
    seconds: float = 0.0
    regret: float | None = None
    bound: float | None = None
    bound_of: str | None = None
    exceeded: bool = False
    vacuous: bool = False
    theorem: str | None = None
    numbers: Mapping[str, Number] = MappingProxyType({})
    confusion: Confusion | None = None
    auc: Auc | None = None
    chances: Chances | None = None
    errors: Errors | None = None
    coverage: Coverage | None = None
    refused: int = 0
    left: str | None = None

    @property
    def counted(self) -> float:
        """What it is ranked by: its loss if it has one, else its mistakes.

        What it refused counts as a mistake, or as a round of its mean loss, so that
        nobody wins by refusing what is hard.
        """
        if self.loss is None:
            return self.mistakes + self.refused
        return self.loss * (1 + self.refused / max(1, self.rounds))


def smallest_bound(places: Sequence[Place]) -> str | None:
    """Say which bound is the smallest and why, or None with fewer than two bounds."""
    bounded = (place for place in places if place.left is None)
    return smallest(
        [
            Bound(
                place.name,
                place.theorem,
                place.bound_of or "mistakes",
                place.bound,
                place.numbers,
                place.vacuous,
            )
            for place in bounded
            if place.bound is not None and place.theorem is not None
        ]
    )


def commoner(places: Sequence[Place]) -> list[str]:
    """Say what a learner must beat, and whether the labels seem to be sorted."""
    played = [place.confusion for place in places if place.confusion is not None]
    if not played:
        return []
    told = order(played[0])
    return [f"baseline: {baseline(played[0])}", *([f"order: {told}"] if told else [])]


def ranked(places: Sequence[Place]) -> list[Place]:
    """Return the places, best first; ties keep their order, leavers come last."""
    return sorted(places, key=lambda place: (place.left is not None, place.counted))


_Cell = Callable[[Place], str]


def columns(places: Sequence[Place]) -> dict[str, _Cell]:
    """Return the columns of a table of these places, and what fills them."""
    cells: dict[str, _Cell] = {"learner": lambda place: place.name}
    if any(place.loss is not None for place in places):
        cells["loss"] = lambda place: f"{place.loss or 0:.6g}"
        cells["a round"] = lambda place: (
            f"{(place.loss or 0) / max(1, place.rounds):.6g}"
        )
    else:
        cells["mistakes"] = lambda place: f"{place.mistakes:,}"
        cells["rate"] = lambda place: f"{place.mistakes / max(1, place.rounds):.2%}"
    if any(place.refused for place in places):
        cells["refused"] = lambda place: f"{place.refused:,}"
    if any(place.confusion is not None for place in places):
        cells["F1"] = lambda place: _share(place, "f1")
        cells["balanced"] = lambda place: _share(place, "balanced_error")
    if any(place.auc is not None for place in places):
        cells["AUC"] = lambda place: (
            "-" if place.auc is None else f"{place.auc.value:.2%}"
        )
    if any(place.chances is not None for place in places):
        cells["log loss"] = lambda place: _figure(_of(place.chances, "log_loss"))
        cells["Brier"] = lambda place: _figure(_of(place.chances, "brier"))
    if any(place.errors is not None for place in places):
        cells["MAE"] = lambda place: _figure(_of(place.errors, "mean_absolute"))
        cells["RMSE"] = lambda place: _figure(_of(place.errors, "root_mean_square"))
    if any(place.coverage is not None for place in places):
        cells["inside"] = lambda place: (
            "-" if place.coverage is None else f"{place.coverage.share:.2%}"
        )
        cells["width"] = lambda place: _figure(_of(place.coverage, "mean_width"))
    if any(place.regret is not None for place in places):
        cells["regret"] = lambda place: _figure(place.regret)
    if any(place.bound is not None for place in places):
        cells["at most"] = _bound
    cells["time"] = lambda place: duration(place.seconds)
    return cells


def _share(place: Place, name: str) -> str:
    return "-" if place.confusion is None else f"{getattr(place.confusion, name):.2%}"


def _of(figures: Chances | Coverage | Errors | None, name: str) -> float | None:
    return None if figures is None else getattr(figures, name)


def _figure(number: float | None) -> str:
    return "-" if number is None else f"{number:.6g}"


def _bound(place: Place) -> str:
    """Return a bound, with what it limits unless mistakes, and whether exceeded."""
    if place.bound is None:
        return "-"
    whole = place.bound_of == "mistakes"
    text = f"{math.floor(place.bound):,}" if whole else f"{place.bound:.6g}"
    if not whole:
        text += f" {place.bound_of}"
    if place.vacuous:
        text += " vacuous"
    return f"{text} EXCEEDED" if place.exceeded else text


def table(places: Sequence[Place]) -> str:
    """Return places as a table, best first, and below it which learners left and why.

    Examples
    --------
    >>> from littlestone.running.ranking import Place, table
    >>> places = [
    ...     Place("ann", 1000, mistakes=30, seconds=0.5),
    ...     Place("bob", 1000, mistakes=20, seconds=1, bound=40, bound_of="mistakes"),
    ...     Place("cid", 7, mistakes=1, left="x must be 1, got 2"),
    ... ]
    >>> print(table(places))
       learner  mistakes   rate  at most    time
    1  bob            20  2.00%       40  1.00 s
    2  ann            30  3.00%        -  0.50 s
    cid left after 7 rounds: x must be 1, got 2
    """
    places = ranked(places)
    staying = [place for place in places if place.left is None]
    cells = columns(staying)
    rows = [["", *cells]]
    for number, place in enumerate(staying, 1):
        rows.append([str(number), *(cell(place) for cell in cells.values())])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for rank, name, *figures in rows:
        words = [rank.rjust(widths[0]), name.ljust(widths[1])]
        words += [
            each.rjust(width) for each, width in zip(figures, widths[2:], strict=True)
        ]
        lines.append("  ".join(words))
    lines += commoner(staying)
    if any(place.vacuous for place in staying):
        lines.append(VACUOUS)
    if (told := smallest_bound(staying)) is not None:
        lines.append(told)
    for place in places[len(staying) :]:
        rounds = f"{place.rounds:,} round{'' if place.rounds == 1 else 's'}"
        lines.append(f"{place.name} left after {rounds}: {place.left}")
    return "\n".join(lines)


class Ranker(Protocol):
    """Shows a race while it runs; a context manager."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
    def __call__(self, places: Sequence[Place], done: float | None) -> None:
        """Show the current ranking, and the share of the stream that was played."""

    def mark(self, places: Sequence[Place]) -> None:
        """Show the ranking after 1, 2, 4, 8, … rounds."""


def ranker(out: TextIO | None = None) -> Ranker:
    """Return a live table if `out`, stderr by default, is a terminal, else lines."""
    out = sys.stderr if out is None else out
    return RankedTable(out) if out.isatty() else RankedLines(out)


class RankedLines:
    """One line at rounds 1, 2, 4, 8, …: the leader, and every learner's count."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._begun = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._out.flush()

    def __call__(self, places: Sequence[Place], done: float | None) -> None:
        """Write nothing between two lines."""

    def mark(self, places: Sequence[Place]) -> None:
        """Write a line."""
        widths = [max(9, len(place.name)) for place in places]
        widest = max(6, *(len(place.name) for place in places))
        if not self._begun:
            self._begun = True
            names = zip(places, widths, strict=True)
            heads = " ".join(f"{place.name:>{width}}" for place, width in names)
            self._out.write(f"{'round':>12}  {'leader':{widest}}  {heads}\n")
        rounds = max(place.rounds for place in places)
        figures = " ".join(
            f"{'left' if place.left is not None else _shown(place):>{width}}"
            for place, width in zip(places, widths, strict=True)
        )
        leader = ranked(places)[0].name
        self._out.write(f"{rounds:12}  {leader:{widest}}  {figures}\n")
        self._out.flush()


def _shown(place: Place) -> str:
    return f"{place.mistakes}" if place.loss is None else f"{place.loss:.6g}"


class RankedTable:
    """A table on a terminal that is redrawn while the race runs, then removed."""

    OFTEN = 0.1  # seconds between two drawings

    def __init__(self, out: TextIO) -> None:
        from rich.console import Console  # noqa: PLC0415 - only where it is shown
        from rich.live import Live  # noqa: PLC0415 - as above

        self._console = Console(file=out)
        self._live: Live = Live(
            console=self._console, transient=True, auto_refresh=False
        )
        self._started = time.monotonic()
        self._next = 0.0

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def mark(self, places: Sequence[Place]) -> None:
        """Draw nothing: the table shows more than a line."""

    def __call__(self, places: Sequence[Place], done: float | None) -> None:
        """Draw the table, unless it was just drawn."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self.OFTEN
        self._live.update(self._drawn(places, done, now - self._started), refresh=True)

    def _drawn(
        self, places: Sequence[Place], done: float | None, elapsed: float
    ) -> Any:
        from rich.table import Table  # noqa: PLC0415 - only where it is shown
        from rich.text import Text  # noqa: PLC0415 - as above

        rounds = max(place.rounds for place in places)
        title = f"{rounds:,} rounds"
        if done:
            title += f", {done:.0%}, {elapsed / done - elapsed:.0f} s left"
        cells = columns(places)
        drawn = Table(title=title, title_justify="left", box=None)
        for name in cells:
            drawn.add_column(name, justify="left" if name == "learner" else "right")
        for place in ranked(places):
            words = [cell(place) for cell in cells.values()]
            if place.left is not None:
                words = [place.name, "left", *[""] * (len(cells) - 2)]
            drawn.add_row(*map(Text, words))  # as text: names may look like markup
        return drawn
