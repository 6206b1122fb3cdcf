"""Play plain rows of a ledger again, quickly."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from littlestone.linear._base import NativeLearner
    from littlestone.service._served import ServedModel

__all__ = ["TOLD", "Quick"]

TOLD: dict[bool | None, str] = {True: '{"mistake":true}', False: '{"mistake":false}'}
"""The usual answers to labels."""

_LABELS = {b"true": True, b"false": False}


class _Given(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The usual body of a prediction."""

    features: dict[str, Any]


_GIVEN, _SAID = msgspec.json.Decoder(_Given), msgspec.json.Decoder(dict[str, Any])
_NAMES = 4  # of what a native learner says


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
        self._model, self._native, self._plain = model, native, model.recorder.plain
        self._rows: list[tuple[Any, ...]] = []
        # What came with the predictions among the rows, and what was said.
        self._asked: list[tuple[Any, dict[str, Any]]] = []
        self._next = 0  # the first of these that was not played
        self._older: dict[str, tuple[Any, ...]] = {}  # predictions of earlier rows

    def take(self, rows: list[tuple[Any, ...]]) -> bool:
        """Read some rows; return whether all of their predictions are plain."""
        if self._native is None or self._plain is None:
            return False
        asked = [row for row in rows if row[1] == "predict"]
        told = {row[2] for row in rows if row[1] == "label"}
        told -= {row[2] for row in asked}
        older = self._model.ledger.asked(self._model.recent.without(told))
        found, before = self._read(asked), self._read(older)
        if found is None or before is None:
            return False
        self._rows, self._asked, self._next = rows, found, 0
        self._older = {
            row.id or "": (row.seq, row.at, x, said, 0)
            for row, (x, said) in zip(older, before, strict=True)
            if type(said.get("prediction")) is bool
        }
        return True

    def _read(
        self, rows: Sequence[tuple[Any, ...]]
    ) -> list[tuple[Any, dict[str, Any]]] | None:
        """Return what came with predictions, and what was said, if all is plain."""
        try:
            # All at once, which takes less time; no line of ours has a line break.
            given = _GIVEN.decode_lines(b"\n".join([row[4] for row in rows]))
            said = _SAID.decode_lines("\n".join([row[7] for row in rows]))
        except (TypeError, msgspec.MsgspecError):
            return None
        most = self._model.inputs.most_plain
        if (
            {len(given), len(said)} != {len(rows)}
            or any(len(each.features) > most for each in given)
            or any(len(each) != _NAMES for each in said)
            or any(type(each.get("mistakes")) is not int for each in said)
        ):
            return None
        return [(x.features, one) for x, one in zip(given, said, strict=True)]

    def play(self, first: int) -> int:  # noqa: C901, PLR0915 - calls take time
        """Play the rows from one on; return the number of the first that was not."""
        # No prediction was played otherwise: what is not as it was is refused.
        begun = next_ = self._next
        asked, older = self._asked, self._older
        model, native, plain = self._model, self._native, self._plain
        assert native is not None  # noqa: S101 - as rows were taken
        assert plain is not None  # noqa: S101 - the same
        score_one, teach = native.score_one, plain.teach
        recorder, recent, held = model.recorder, model.recent, model.held
        learned, mistakes = recorder.rounds, recorder.mistakes
        open_ = recorder.waiting
        fresh: dict[str, tuple[int, int, Any, Any, int]] = {}  # without a label yet
        labels: list[bool] = []
        delays: list[int] = []
        try:
            for seq, kind, id_, at, body, _, _, text, _ in islice(
                self._rows, first, None
            ):
                if kind == "predict":
                    x, said = asked[next_]
                    score = score_one(x)
                    if (
                        said["score"] != score
                        or said["learned"] != learned
                        or said["mistakes"] != mistakes
                        or said["prediction"] is not (score >= 0)
                    ):
                        break
                    fresh[id_] = seq, at, x, said, len(body)
                    open_ += 1
                    next_ += 1
                    continue
                y = _LABELS.get(body) if kind == "label" else None
                if y is None:
                    break
                found = fresh.get(id_) or recent.get(id_) or older.get(id_)
                if found is None:
                    break
                _, since, x, said, _ = found
                wrong = said["prediction"] is not y
                if text != TOLD[wrong]:
                    break
                teach(
                    x, y, not y if wrong else y, open_ - 1, mistakes, said["mistakes"]
                )
                if fresh.pop(id_, None) is None:
                    recent.drop(id_)
                if held:
                    held.pop(id_, None)
                open_ -= 1
                learned += 1
                mistakes += wrong
                labels.append(y)
                delays.append(at - since)
        except Exception:  # noqa: BLE001, S110 - the row is refused when it is played alone
            pass
        plain.count()
        for y in set(labels):
            recorder.read(y)
        recorder.gave(next_ - begun)
        recent.add_many(fresh)
        model.count_delays(delays)
        self._next = next_
        return first + next_ - begun + len(labels)
