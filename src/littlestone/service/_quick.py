"""Play plain rows of a ledger again, quickly: natively, many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core

if TYPE_CHECKING:
    from littlestone.linear._base import NativeLearner
    from littlestone.service._served import ServedModel

__all__ = ["Quick"]


class Quick:
    """Plays predictions of a native learner, and their labels, as they were.

    It stops before any row that is not plainly one of these, that says something else
    or that is refused, and has done nothing with that row: what becomes of it is
    decided where rows are played one by one.

    Parameters
    ----------
    model, native
        The model, and its learner if that is a native one whose score says all.
    """

    def __init__(self, model: ServedModel, native: NativeLearner | None) -> None:
        self._model, self._plain = model, model.recorder.plain
        rule = None if native is None else native._native  # noqa: SLF001 - to play rows there
        self._rule = rule if isinstance(rule, _core.Linear) else None
        self._rows: list[tuple[Any, ...]] = []
        self._older: dict[str, tuple[Any, ...]] = {}  # predictions of earlier rows

    def take(self, rows: list[tuple[Any, ...]]) -> bool:
        """Take some rows; return whether they may be plain."""
        if self._rule is None or self._plain is None:
            return False
        kept = self._model.recent.kept
        told = {row[2] for row in rows if row[1] == "label" and row[2] not in kept}
        if told:
            told -= {row[2] for row in rows if row[1] == "predict"}
        older = self._model.ledger.asked(told)
        self._rows = rows
        self._older = {
            row.id or "": (row.seq, row.at, row.body, row.said, 0) for row in older
        }
        return True

    def play(self, first: int) -> int:
        """Play the rows from one on; return the number of the first that was not."""
        assert self._rule is not None  # noqa: S101 - as rows were taken
        assert self._plain is not None  # noqa: S101 - the same
        model, plain = self._model, self._plain
        recorder, recent = model.recorder, model.recent
        begun, more = first, True
        while more:  # until there is nothing more, or a row that is not plain
            most = plain.left
            found = self._rule.replay(
                self._rows,
                first,
                most_labels=most,
                most_features=model.inputs.most_plain,
                counts=(recorder.rounds, recorder.mistakes, recorder.waiting),
                open=recent.kept,
                older=self._older,
            )
            first = found.reached
            recorder.gave(found.asked)
            recent.grew(found.grown)
            labels = np.frombuffer(found.labels, dtype=np.bool_)
            said = np.frombuffer(found.said, dtype=np.bool_)
            for y in np.unique(labels):
                recorder.read(bool(y))
            plain.taught(labels, said, found.outstanding, found.late, found.pairs)
            model.count_delays(np.frombuffer(found.delays, dtype=np.int64))
            more = len(labels) == most
        for row in self._rows[begun:first] if model.held else ():
            if row[1] == "label":
                model.held.pop(row[2], None)
        return first
