"""Progress for people: a bar on a terminal, lines like Vowpal Wabbit's in a pipe."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, ClassVar, Protocol, Self, TextIO

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from littlestone.running import Batch
    from littlestone.running.bounds import Standing

__all__ = ["Bar", "Lines", "Pace", "Reporter", "Steps", "reporter"]


class Reporter(Protocol):
    """Shows batches of rounds as they are played; a context manager."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
    def __call__(self, batch: Batch) -> None:
        """Show what has been played."""


def reporter(out: TextIO | None = None, pace: Pace | None = None) -> Reporter:
    """Return a bar if `out`, by default standard error, is a terminal, else lines.

    With a pace it is lines in any case.
    """
    out = sys.stderr if out is None else out
    return Bar(out) if pace is None and out.isatty() else Lines(out, pace)


class Pace:
    """After which rounds to write a line, like `--progress` of Vowpal Wabbit.

    Parameters
    ----------
    given
        An int: a line every so many rounds. A float: each line after that many times
        the rounds of the line before; 1 is added to a factor that is not above 1.

    Examples
    --------
    >>> from littlestone.display.progress import Pace
    >>> [Pace(10).after(rounds) for rounds in (0, 10, 25)]
    [10, 20, 30]
    >>> [Pace(1.5).after(rounds) for rounds in (0, 1, 2, 3, 5)]
    [1, 2, 3, 5, 8]
    """

    def __init__(self, given: float = 2.0) -> None:
        self._given = given

    def after(self, rounds: int) -> int:
        """Return the next round after these at which to write a line."""
        if isinstance(self._given, int):
            return (rounds // self._given + 1) * self._given
        factor = self._given if self._given > 1 else 1 + self._given
        at = 1
        while at <= rounds:
            at = max(at + 1, math.ceil(at * factor))
        return at


class Lines:
    """One line at rounds 1, 2, 4, 8, … or at another pace: rates, counts, the round."""

    HEADER = (
        "mistake     since        round     mistakes  current  current  current\n"
        "rate         last      counter        total    label  predict features\n"
    )
    OF_NUMBERS = (
        "average         since        round         loss  current  current  current\n"
        "loss             last      counter        total  outcome  predict features\n"
    )
    # Columns beside the total, if they are known, and their headings in two lines.
    MORE: ClassVar[dict[str, tuple[str, str]]] = {
        "bound": ("at most", "by now"),
        "regret": ("regret", "to best"),
    }

    def __init__(self, out: TextIO, pace: Pace | None = None) -> None:
        self._out = out
        self._pace = pace or Pace()
        self._next = self._pace.after(0)
        self._last: tuple[int, float] = (0, 0)
        self._untold = 0  # rounds of earlier batches that had no label
        self._more: list[str] = []
        self._begun = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._out.flush()

    def __call__(self, batch: Batch) -> None:
        """Write the lines that fall into this batch."""
        if not self._begun:
            self._begin(batch)
        while self._next <= batch.first + len(batch):
            at = self._next - batch.first - 1
            rounds = self._next
            total = _total(batch, at)
            told = rounds - self._untold - int(batch.unlabelled[: at + 1].sum())
            rate, since = (
                total / max(1, told),
                (total - self._last[1]) / max(1, told - self._last[0]),
            )
            figures = (
                f"{rate:<11.6g} {since:11.6g} {rounds:12} {total:12.6g}"
                if batch.outcome.charged
                else f"{rate:<8.6f} {since:8.6f} {rounds:12} {total:12}"
            )
            standing = batch.standing(at)
            for name in self._more:
                empty = standing.emptiness if name == "bound" else ""
                shown = empty or _figure(getattr(standing, name))
                figures += f" {shown:>12}"
            self._out.write(
                f"{figures} {_shown(batch.labels[at]):>8} "
                f"{_shown(batch.predictions[at]):>8} {batch.features(at):8}\n"
            )
            self._out.flush()
            self._last = (told, total)
            self._next = self._pace.after(rounds)
        self._untold += int(batch.unlabelled.sum())

    def _begin(self, batch: Batch) -> None:
        """Write the headings: a column is shown if it is known after one round."""
        names = list(self.MORE)
        if batch.bound_of == "regret":  # a bound is shown beside what it bounds
            names.reverse()
        self._begun = True
        first = batch.standing(0 if batch.first == 0 else len(batch) - 1)
        if batch.first:  # a run that resumes
            total = batch.lost if batch.outcome.charged else batch.before
            self._last = (batch.first, total)
            self._next = self._pace.after(batch.first)
        self._more = [
            name
            for name in names
            if getattr(first, name) is not None or (name == "bound" and batch.live)
        ]
        head = self.OF_NUMBERS if batch.outcome.charged else self.HEADER
        cut = head.index("  current")  # where the total ends
        for number, line in enumerate(head.splitlines()):
            more = "".join(f" {self.MORE[name][number]:>12}" for name in self._more)
            told = f"{line[:cut]}{more}{line[cut:]}\n"
            self._out.write(
                told.replace("features", " experts") if batch.advice else told
            )


def _figure(number: float | None) -> str:
    """Return a number in few digits, - for none."""
    return "-" if number is None else f"{number:.6g}"


def _total(batch: Batch, at: int) -> float:
    """Return the count of the rounds so far: mistakes, or the loss of numbers."""
    if batch.outcome.charged and batch.losses is not None:
        return batch.loss_through(at)
    return batch.mistakes_through(at)


def _shown(label: object) -> str:
    """Return 1 for yes and 0 for no; other labels as text, cut if they are long."""
    import numpy as np  # noqa: PLC0415 - the command line starts without it

    if isinstance(label, (bool, np.bool_)):
        return str(int(label))
    if isinstance(label, np.floating):
        return f"{label:.6g}"
    if isinstance(label, np.ndarray):  # a distribution: its likeliest outcome
        return str(label.argmax())
    return "-" if label is None else str(label)[:8]


def _at_most(standing: Standing, batch: Batch) -> str:
    empty = f" ({standing.emptiness})" if standing.emptiness else ""
    return f", at most {standing.bound:.6g} {batch.bound_of}{empty}"


class Steps:
    """Steps of a known number: a bar on a terminal, elsewhere lines at 1, 2, 4, 8.

    Examples
    --------
    >>> import io
    >>> from littlestone.display.progress import Steps
    >>> out = io.StringIO()
    >>> with Steps(out, "fits") as show:
    ...     for step in range(1, 6):
    ...         show(step, 5, "3 exceptions")
    >>> print(out.getvalue(), end="")
    1 of 5 fits, 3 exceptions
    2 of 5 fits, 3 exceptions
    4 of 5 fits, 3 exceptions
    """

    def __init__(self, out: TextIO, noun: str) -> None:
        self._out, self._noun = out, noun
        self._next, self._pace = 1, Pace()
        self._bar: RichProgress | None = None

    def __enter__(self) -> Self:
        if self._out.isatty():
            from rich.console import Console  # noqa: PLC0415 - only where a bar is shown
            from rich.progress import Progress  # noqa: PLC0415 - as above

            self._bar = Progress(console=Console(file=self._out))
            self._bar.add_task(f"{self._noun}", total=None)
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int, text: str) -> None:
        """Show that so many steps are done, and what came of them."""
        if self._bar is not None:
            (task,) = self._bar.task_ids
            shown = f"{done:,} of {total:,} {self._noun}, {text}"
            self._bar.update(task, description=shown, total=total, completed=done)
        elif done >= self._next:
            self._out.write(f"{done:,} of {total:,} {self._noun}, {text}\n")
            self._out.flush()
            self._next = self._pace.after(done)


class Bar:
    """A bar with rounds, mistakes and, if the length is known, the time left."""

    def __init__(self, out: TextIO) -> None:
        from rich.console import Console  # noqa: PLC0415 - only where a bar is shown
        from rich.progress import (  # noqa: PLC0415 - as above
            BarColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self._bar: RichProgress = Progress(
            BarColumn(),
            TextColumn("{task.fields[rounds]:,} rounds"),
            TextColumn("{task.fields[shown]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(file=out),
        )
        self._task: TaskID = self._bar.add_task("", total=None, rounds=0, shown="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, batch: Batch) -> None:
        """Move the bar."""
        rounds = batch.first + len(batch)
        total = _total(batch, len(batch) - 1)
        shown = (
            f"loss {total:.6g} ({total / rounds:.6g} a round)"
            if batch.outcome.charged
            else f"{total:,} mistakes ({total / rounds:.2%})"
        )
        standing = batch.standing(len(batch) - 1)
        if standing.regret is not None:
            shown += f", regret {standing.regret:.6g}"
        if standing.bound is not None:
            shown += _at_most(standing, batch)
        elif batch.live:  # then there is one after 16, 32, 64, ... rounds
            then = 1 << (rounds.bit_length() - 1)
            standing = batch.standing(then - 1 - batch.first)
            if standing.bound is not None:
                shown += f"{_at_most(standing, batch)} in {then:,}"
        self._bar.update(
            self._task,
            total=None if batch.done is None else 1.0,
            completed=batch.done or 0.0,
            rounds=rounds,
            shown=shown,
        )
