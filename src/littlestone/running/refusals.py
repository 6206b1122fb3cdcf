"""The examples that a learner refused and a run skipped."""

from __future__ import annotations

from bisect import bisect_left
from logging import DEBUG, WARNING
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.learner.packing import check, is_array
from littlestone.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from littlestone.errors import ExampleError

__all__ = ["Refusals"]


class Refusals:
    """Where in the stream examples were refused, counted from 0, and the first error.

    Examples
    --------
    >>> from littlestone.errors import ExampleError
    >>> from littlestone.running.refusals import Refusals
    >>> refusals = Refusals()
    >>> refusals.add(3, ExampleError("at least one expert must be awake"))
    >>> len(refusals), list(refusals.accepted(range(5), 1))
    (1, [range(0, 2), range(3, 5)])
    """

    def __init__(self) -> None:
        self._places: list[int] = []  # in order
        self.first: ExampleError | None = None

    def __len__(self) -> int:
        return len(self._places)

    def add(self, place: int, error: ExampleError) -> None:
        """Count an example that is refused."""
        error.where = error.where or f"example {place}"
        error.rounds = None
        # The first is worth a warning; thousands may follow.
        LOG.log(DEBUG if self._places else WARNING, "example skipped: %s", error)
        self._places.append(place)
        self.first = self.first or error

    def check(self, rounds: int) -> None:
        """Raise the first refusal, if no round was played."""
        if not rounds and self.first is not None:
            self.first.rounds = 0
            raise self.first

    def accepted(self, rows: range, place: int) -> Iterator[range]:
        """Yield the rows that were not refused; `place` is that of the first row."""
        begun = rows.start
        for at in self._places[bisect_left(self._places, place) :]:
            row = rows.start + at - place
            if row >= rows.stop:
                break
            if row > begun:
                yield range(begun, row)
            begun = row + 1
        if begun < rows.stop:
            yield range(begun, rows.stop)

    def save(self) -> NDArray[np.int64]:
        """Return the places."""
        return np.array(self._places, dtype=np.int64)

    def restore(self, places: Any) -> None:
        """Continue from places that were saved before."""
        sound = is_array(places, np.int64) and bool(
            (np.diff(places, prepend=-1) > 0).all()
        )
        check("run", sound, "places of refused examples in order")
        self._places = places.tolist()
