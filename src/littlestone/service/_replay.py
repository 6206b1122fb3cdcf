"""Replay a ledger: the same answers to the last bit, or those of another learner."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from littlestone import certifying
from littlestone.errors import LedgerError, ParameterError
from littlestone.models._file import parse
from littlestone.models._models import unpacked
from littlestone.running.recorder import Recorder
from littlestone.service._birth import reading_of
from littlestone.service._inputs import Inputs
from littlestone.service._ledger import Ledger
from littlestone.service._served import CLOSED, ServedModel
from littlestone.verifying import Late

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from littlestone.learner import Learner
    from littlestone.running import Record
    from littlestone.running.recorder import Ticket
    from littlestone.service._ledger import Row
    from littlestone.verifying import Certificate

__all__ = ["Replayed", "arrivals", "certify_ledger", "replay", "what_if"]


class Replayed(NamedTuple):
    """What a replay has found.

    Attributes
    ----------
    rows
        How many rows were played and compared.
    record
        The record of the run.
    learner
        The learner as it is after the last row.
    began
        The row after which the replay began: 1, or that of the snapshot, if features
        before it were forgotten.
    """

    rows: int
    record: Record
    learner: Learner
    began: int


def replay(path: str | Path, *, snapshot: str | Path | None = None) -> Replayed:
    """Play a ledger again, and compare every answer, to the last bit.

    Parameters
    ----------
    path
        The ledger. No server may have it open.
    snapshot
        Where to begin, if features before it were forgotten; without one, at the
        birth of the learner.

    Raises
    ------
    LedgerError
        Names the first row that differs.

    Examples
    --------
    >>> import tempfile
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.service import Ledger, ServedModel, born, replay
    >>> path = tempfile.mkdtemp() + "/ledger.db"
    >>> with Ledger(path, create=True) as ledger:
    ...     born(ledger, Perceptron())
    ...     model = ServedModel(ledger)
    ...     with ledger.commit():
    ...         _ = model.predict("a", {"features": {"x": 1}}), model.label("a", False)
    >>> replay(path).record
    Record(Perceptron: 1 round, 1 mistake (100.00%), 1 update)
    """
    with Ledger(path) as ledger:
        kept = None if snapshot is None else Path(snapshot)
        with ledger.meaning():
            model = ServedModel(ledger, snapshot=kept)
        record = model.recorder.record()
        return Replayed(model.seq - model.began, record, model.learner, model.began)


def what_if(
    path: str | Path,
    learner: Learner,
    *,
    watch: Callable[[int, int], None] = lambda _row, _of: None,
) -> tuple[Record, int]:
    """Return how another learner would have done, and how many rows it could not see.

    It is asked and taught in the order of the ledger, and learns by the rule "relearn".
    Predictions whose features were forgotten, or which it refuses, are left out.
    """
    recorder, waiting, lost = Recorder(learner, keep="nothing"), {}, 0
    with Ledger(path) as ledger, ledger.meaning():
        inputs = Inputs(learner, reading_of(_birth(ledger)))
        for row in ledger.rows():
            watch(row.seq, ledger.seq)
            if row.kind == "predict":
                try:
                    x = inputs.example(json.loads(row.body or b"null"))
                    waiting[row.id] = recorder.predicted(x)
                except (AttributeError, ValueError):  # forgotten, or refused
                    lost += 1
            elif row.kind in CLOSED and row.id in waiting:
                lost += _told(recorder, waiting.pop(row.id), row)
    return recorder.record(), lost


def _told(recorder: Recorder, ticket: Ticket, row: Row) -> int:
    """Teach a label; return 1 if it is refused."""
    if row.kind == "expire":
        recorder.drop(ticket)
        return 0
    try:
        recorder.told(ticket, json.loads(row.body or b""))
    except ValueError:
        return 1
    return 0


def _birth(ledger: Ledger) -> bytes:
    birth = ledger.row(1)
    if birth is None or birth.body is None:
        raise LedgerError("a ledger must begin with a birth", where=str(ledger.path))
    return birth.body


@contextmanager
def arrivals(path: str | Path) -> Iterator[Iterator[tuple[Any, Any]]]:
    """Give the examples of a ledger in the order in which their labels came.

    By the rule "served", each example is `Late`, and says how many labels had been
    learned when it was served.
    """
    with Ledger(path) as ledger:
        yield _arrivals(ledger)


def _arrivals(ledger: Ledger) -> Iterator[tuple[Any, Any]]:
    with ledger.meaning():
        yield from _examples(ledger)


def _examples(ledger: Ledger) -> Iterator[tuple[Any, Any]]:
    birth = ledger.row(1)
    served = birth is not None and json.loads(birth.said)["late"] == "served"
    learner, _ = unpacked(*parse(_birth(ledger)))
    inputs = Inputs(learner, reading_of(_birth(ledger)))
    for row in ledger.check_rows(0):
        if row.kind not in CLOSED or row.kind == "expire":
            continue
        of_id = ledger.of(row.id or "")
        asked = next((each for each in of_id if each.kind == "predict"), None)
        if asked is None:
            raise LedgerError(
                f"{row.id} must have a prediction", where=f"{ledger.path}:{row.seq}"
            )
        if asked.body is None:
            raise LedgerError(
                f"the features of {row.id} must be there, got a prediction that was "
                "forgotten",
                where=f"{ledger.path}:{asked.seq}",
            )
        x, y = inputs.example(json.loads(asked.body)), json.loads(row.body or b"")
        yield (Late(x, json.loads(asked.said)["learned"]) if served else x), y


def certify_ledger(
    path: str | Path, *, theorem: str | None = None, witness: Any = None
) -> Certificate:
    """Certify the run in a ledger, which a certificate of any other run does not do.

    By the rule "relearn" the labels, in the order in which they came, are an ordinary
    run, and the certificate is about that; `DELAY` then bounds what was served. By the
    rule "served" the certificate is about the predictions as they were served:
    `DELAY-SERVED`. Verify it with `arrivals`, or by `littlestone verify CERT LEDGER`.
    """
    with Ledger(path) as ledger, ledger.meaning():
        learner, _ = unpacked(*parse(_birth(ledger)))
        if not learner.newborn_:
            raise ParameterError(
                "the ledger must begin with a learner's first round, as theorems do, "
                "got a learner that had learned before",
                owner="certify",
            )
        rounds = list(_arrivals(ledger))
        if not rounds or not isinstance(rounds[0][0], Late):
            return certifying.certify(learner, rounds, theorem=theorem, witness=witness)
        record = _served_again(learner, rounds)
    return certifying.certify(record, witness, theorem=theorem)


def _served_again(learner: Learner, rounds: list[tuple[Late, Any]]) -> Record:
    """Return the record of a run that learned from what it served."""
    recorder = Recorder(learner, keep="updates", late="served")
    due: dict[int, list[int]] = {}
    for number, (late, _) in enumerate(rounds):
        due.setdefault(late.learned, []).append(number)
    tickets: dict[int, Ticket] = {}
    for number, (_, y) in enumerate(rounds):
        for asked in due.pop(number, ()):
            tickets[asked] = recorder.predicted(rounds[asked][0].x)
        recorder.told(tickets.pop(number), y)
    return recorder.record()
