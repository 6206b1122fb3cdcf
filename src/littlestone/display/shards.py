"""Progress of a cluster: a bar on a terminal, one line an epoch elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol, Self, TextIO

from littlestone.display.words import counted

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

__all__ = ["ShardProgress", "shard_progress"]


class _Tally(Protocol):
    """What came of one shard."""

    @property
    def rounds(self) -> int: ...
    @property
    def mistakes(self) -> int: ...


class ShardProgress:
    """Shows how many shards of an epoch were played, and their mistakes so far.

    Examples
    --------
    >>> import io
    >>> from types import SimpleNamespace
    >>> from littlestone.display.shards import ShardProgress
    >>> out = io.StringIO()
    >>> with ShardProgress(2, 1, out) as show:
    ...     show(SimpleNamespace(rounds=10, mistakes=1))
    ...     show(SimpleNamespace(rounds=10, mistakes=3))
    >>> print(out.getvalue().strip())
    epoch 1 of 1: 2 shards, 20 rounds, 4 mistakes (20.00%)
    """

    def __init__(self, shards: int, epochs: int, out: TextIO) -> None:
        self._shards, self._epochs, self._out = shards, epochs, out
        self._done = self._rounds = self._mistakes = 0
        self._epoch = 1
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if self._out.isatty():
            from rich.console import Console  # noqa: PLC0415 - only on a terminal
            from rich.progress import (  # noqa: PLC0415
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeElapsedColumn,
            )

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("shards"),
                TimeElapsedColumn(),
                console=Console(file=self._out),
            )
            self._bar.start()
            total = self._shards * self._epochs
            self._task = self._bar.add_task(self._text(), total=total)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, tally: _Tally) -> None:
        """Count a shard that was played."""
        self._done += 1
        self._rounds += tally.rounds
        self._mistakes += tally.mistakes
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, advance=1, description=self._text())
        if self._done == self._shards:
            if self._bar is None:
                self._out.write(f"{self._text()}\n")
                self._out.flush()
            self._epoch += 1
            self._done = self._rounds = self._mistakes = 0

    def _text(self) -> str:
        rate = self._mistakes / self._rounds if self._rounds else 0.0
        return (
            f"epoch {self._epoch} of {self._epochs}: {counted(self._done, 'shard')}, "
            f"{counted(self._rounds, 'round')}, "
            f"{counted(self._mistakes, 'mistake')} ({rate:.2%})"
        )


def shard_progress(
    shards: int, epochs: int, out: TextIO | None = None
) -> ShardProgress:
    """Return what shows the progress, by default on standard error."""
    return ShardProgress(shards, epochs, sys.stderr if out is None else out)
