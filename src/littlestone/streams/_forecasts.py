"""CSV files of forecasts: one round per record, a column for each expert."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone.errors import Hint
from littlestone.learner.advice import Advice, check_missing
from littlestone.outcome import Outcome
from littlestone.streams._base import Block, Chosen
from littlestone.streams._joined import each_file
from littlestone.streams._tables import Layout, TableStream

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from littlestone import _core
    from littlestone.streams._records import FirstRecords

__all__ = ["forecasts"]


@each_file
def forecasts(
    path: str | os.PathLike[str],
    *,
    label: str | int,
    experts: str | int | Sequence[str | int] | None = None,
    missing: Literal["refuse", "sleep"] = "refuse",
    outcome: Outcome | Literal["number", "label"] = "number",
    unlabelled: Literal["refuse", "skip", "keep"] = "refuse",
    delimiter: str | None = None,
    header: bool | Sequence[str] | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> ForecastStream:
    r"""Stream the forecasts of experts from a CSV file: one round per record.

    A column holds what an expert (another model, say) predicted, and another the
    outcome. Other columns are ignored. Quotes, numbers, compressed files and blank
    lines are as in `streams.csv`.

    Parameters
    ----------
    path
        A file, "-" for standard input, several of them, or a pattern such as
        `"logs/*.gz"`, whose files are read in the order of their names.
    label
        The column of the outcome: its name if the first record is a header, or its
        number from 0 if there is no header. Without a header the experts are called
        `x0`, `x1` and so on, after their columns.
    experts
        The columns of the experts, by name or number; by default all but the label.
    missing
        What to do with a forecast that is missing: `"refuse"` the record, or let the
        expert `"sleep"` in that round. It is missing if the cell is empty, infinite, or
        NA, N/A, NaN, null, None or `?` in any case. An outcome must not be missing.
    outcome
        `"number"` for finite numbers; `"label"` for 1 against 0 or -1, which are read
        as truth values.
    unlabelled
        What to do with a record without an outcome, as in `streams.csv`.
    delimiter, header
        As in `streams.csv`.
    on_error
        What to do with a record that cannot be read: `"raise"`, or `"skip"` it and
        count it in `skipped`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone import streams
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "load.csv"
    >>> _ = path.write_text("day,gam,forest,load\nMonday,51.5,50,52\nTuesday,49,,48\n")
    >>> stream = streams.forecasts(
    ...     path, label="load", experts=("gam", "forest"), missing="sleep"
    ... )
    >>> list(stream)
    [({'gam': 51.5, 'forest': 50.0}, 52.0), ({'gam': 49.0}, 48.0)]
    """
    return ForecastStream(**locals())


class ForecastStream(TableStream):
    """The forecasts of experts in a CSV file; made by `streams.forecasts`.

    Attributes
    ----------
    skipped
        How many records the latest reading could not read and skipped.
    """

    of_advice = True
    _owner, _others = "forecasts", "experts"
    _dense = True
    _outcomes = (Outcome.NUMBER, Outcome.LABEL)
    _cell_faults = {  # noqa: RUF012 - declared in the base class
        "number": "expert {name} must predict a finite number",
        "finite": "expert {name} must predict a finite number",
        "missing": "expert {name} must predict a finite number",
        "outcome": "outcome {name} must be a finite number",
        "label": "outcome {name} must be 1, 0 or -1",
    }
    _hints = {  # noqa: RUF012 - declared in the base class
        "missing": (Hint("missing", "sleep", "lets the expert sleep"),),
    }

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        experts: object,
        missing: str,
        **shared: Any,
    ) -> None:
        check_missing("forecasts", missing)
        self._sleeps = missing == "sleep"
        refused = "leave out" if self._sleeps else "refuse"
        super().__init__(path, columns=experts, missing=refused, **shared)

    def _needs_records(self) -> bool:
        return False

    def _assign(self, layout: Layout, records: FirstRecords) -> None:  # noqa: ARG002 - nothing is guessed
        for column in layout.used:
            layout.kinds[column] = "number"

    def _blocks(self) -> Iterator[Block]:
        total = 0
        for block, where, done in self._parsed():
            values, outcomes = self._values(block), self._labels_of(block)
            kept: Sequence[int] = range(len(block))
            asleep = np.flatnonzero(np.isnan(values).all(axis=1)).tolist()
            if asleep and self._skip:
                kept = np.delete(kept, asleep).tolist()
                self.skipped += len(asleep)
                values, outcomes = values[kept], outcomes[kept]
            elif asleep:
                kept = range(asleep[0])
            total += len(kept)
            if kept:
                advice = Advice(values, self._names, may_sleep=self._sleeps)
                chosen = Chosen(where, kept)
                yield Block(advice, outcomes, 0, len(kept), chosen, done)
            if asleep and not self._skip:
                what = "at least one expert must be awake"
                skip = Hint("on_error", "skip", "leaves such lines out")
                raise self._error(what, where.line(asleep[0]), hints=(skip,))
        if total == 0:
            raise self._empty()

    @property
    def _names(self) -> tuple[str, ...]:
        """The experts, in the order in which they were given."""
        return tuple(self._layout.names[column] for column in self._layout.used)

    def _values(self, block: _core.TableBlock) -> NDArray[np.float64]:
        """Return what the experts predict."""
        used = self._layout.used
        values = block.values.reshape(len(block), len(used))
        ordered = sorted(used)
        if used == ordered:
            return values
        return values[:, [ordered.index(column) for column in used]]
