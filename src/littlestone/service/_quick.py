"""Play plain rows of a ledger natively, many at once: new ones, and those there are."""

from __future__ import annotations

import os
import time
import uuid
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from littlestone import _core
from littlestone.service._strict import dumps, dumps_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from littlestone.linear._base import NativeLearner
    from littlestone.service._ledger import Row
    from littlestone.service._served import ServedModel

    Truths: TypeAlias = NDArray[np.bool_]

__all__ = ["Quick", "new_id"]

_SAID = [f'{{"prediction":{truth},"score":' for truth in ("false", "true")]
_MISTAKES = ['{"mistake":false}', '{"mistake":true}']
_BODIES = [b"false", b"true"]


def new_id() -> str:
    """Return a unique id, in the order of time: a UUID of version 7."""
    raw = (time.time_ns() // 1_000_000).to_bytes(6) + os.urandom(10)
    mixed = bytearray(raw)
    mixed[6] = 0x70 | raw[6] & 0x0F
    mixed[8] = 0x80 | raw[8] & 0x3F
    return str(uuid.UUID(bytes=bytes(mixed)))


def _as_kept(rows: Iterable[Row]) -> dict[str, tuple[Any, ...]]:
    """Return predictions by id as they are kept while they wait."""
    return {row.id or "": (row.seq, row.at, row.body, row.said, 0) for row in rows}


class Quick:
    """Plays predictions of a native learner, and their labels.

    `play` plays rows as they were, `ask` and `teach` make new ones. It stops before any
    row that is not plainly one of these, that says something else or that is refused,
    and has done nothing with that row: what becomes of it is decided where rows are
    played one by one, and means the same.

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
        names = (dumps(model.inputs.shown(truth)).decode() for truth in (False, True))
        self._shown = [*names]

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
        self._older = _as_kept(older)
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
            labels, _ = self._count(found)
            more = len(labels) == most
        for row in self._rows[begun:first] if model.held else ():
            if row[1] == "label":
                model.held.pop(row[2], None)
        return first

    def ask(self, asked: Sequence[tuple[Any, ...]]) -> bytes | None:
        """Predict examples that came as JSON and as nothing else, if all are new.

        Return the lines of the answers; None if one is not plain, or is not new, and
        nothing was done.
        """
        model, rule = self._model, self._rule
        if rule is None or any(each[1] is not None for each in asked):
            return None
        given = [each[0] for each in asked if each[0] is not None]
        if len({*given}) < len(given) or not model.ledger.lacks(given):
            return None
        ids = [new_id() if each[0] is None else each[0] for each in asked]
        bodies = [each[2] for each in asked]
        scores = rule.score_bodies(bodies, model.inputs.most_plain)
        if scores is None:
            return None
        recorder, ledger, recent = model.recorder, model.ledger, model.recent
        numbers = dumps_lines(scores).decode().split("\n")
        done = f',"learned":{recorder.rounds}'
        rest = f'{done},"mistakes":{recorder.mistakes}}}'
        said = [
            f"{_SAID[score >= 0]}{number}{rest}"
            for score, number in zip(scores, numbers, strict=False)
        ]
        rows = ledger.append_many("predict", ids, bodies, said, model.clock())
        recorder.gave(len(rows))
        recent.grew(_core.keep_asked(recent.kept, rows))
        model.seq = ledger.seq
        heads = [f'"prediction":{shown},"score":' for shown in self._shown]
        every = zip(rows, scores, numbers, strict=False)
        return "".join(
            [
                f'{{"status":201,"id":"{row[2]}","seq":{row[0]},'
                f"{heads[score >= 0]}{number}{done}}}\n"
                for row, score, number in every
            ]
        ).encode()

    def begin(self, told: Iterable[tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
        """Return the predictions that wait for some labels, and are not kept."""
        if self._rule is None or self._plain is None:
            return {}
        kept, of = self._model.recent.kept, self._model.ledger.of
        others = {id_ for id_, _ in told if id_ not in kept and isinstance(id_, str)}
        about = [rows for rows in map(of, others) if len(rows) == 1]
        return _as_kept(
            row for [row] in about if row.kind == "predict" and row.body is not None
        )

    def teach(
        self, told: list[Any], first: int, older: dict[str, tuple[Any, ...]]
    ) -> tuple[int, bytes]:
        """Learn labels, pairs of an id and a label, from one on.

        `older` has the predictions that `begin` has found and that still wait. Return
        the number of the first label that is not plain, and the lines of the answers.
        """
        if self._rule is None or self._plain is None:
            return first, b""
        model, lines = self._model, []
        recorder, ledger = model.recorder, model.ledger
        now, more = max(model.clock(), ledger.at), True
        while more:
            most = self._plain.left
            found = self._rule.teach(
                told,
                first,
                now=now,
                most_labels=most,
                most_features=model.inputs.most_plain,
                counts=(recorder.rounds, recorder.mistakes, recorder.waiting),
                open=model.recent.kept,
                older=older,
            )
            if found.reached == first:
                break
            ids = [each[0] for each in told[first : found.reached]]
            first = found.reached
            labels, said = self._count(found)
            more = len(labels) == most
            each, wrong = labels.tolist(), (labels != said).tolist()
            bodies = [_BODIES[y] for y in each]
            texts = [_MISTAKES[was] for was in wrong]
            rows = ledger.append_many("label", ids, bodies, texts, now)
            lines += [
                f'{{"status":200,"id":"{row[2]}","seq":{row[0]},"already":false,'
                f'"label":{self._shown[y]},{text[1:]}\n'
                for row, y, text in zip(rows, each, texts, strict=True)
            ]
        model.seq = ledger.seq
        return first, "".join(lines).encode()

    def _count(self, found: _core.Replayed) -> tuple[Truths, Truths]:
        """Count what was played; return the labels, and what had been said."""
        assert self._plain is not None  # noqa: S101 - or nothing was played
        model = self._model
        model.recorder.gave(found.asked)
        model.recent.grew(found.grown)
        labels = np.frombuffer(found.labels, dtype=np.bool_)
        said = np.frombuffer(found.said, dtype=np.bool_)
        for y in np.unique(labels):
            model.recorder.read(bool(y))
        self._plain.taught(labels, said, found.outstanding, found.late, found.pairs)
        model.count_delays(np.frombuffer(found.delays, dtype=np.int64))
        return labels, said
