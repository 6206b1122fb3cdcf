"""One model as it is served: what each request means, exactly once."""

from __future__ import annotations

from bisect import bisect_left
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from littlestone.errors import (
    ExampleError,
    LedgerError,
    LittlestoneError,
    ModelError,
)
from littlestone.models._file import parse
from littlestone.models._models import read_model, unpacked, write_model
from littlestone.running.recorder import Recorder, Ticket
from littlestone.service._answers import Answers
from littlestone.service._birth import now, reading_of
from littlestone.service._inputs import Inputs
from littlestone.service._ledger import Row
from littlestone.service._policy import Answer, Policy
from littlestone.service._quick import Quick, new_id
from littlestone.service._recent import Recent, size_of
from littlestone.service._strict import BadJSONError, dumps, dumps_lines, own

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from numpy.typing import NDArray

    from littlestone.learner import Learner
    from littlestone.running.late import LateRule
    from littlestone.service._ledger import Ledger
    from littlestone.service._recent import Asked

__all__ = [
    "CLOSED",
    "DELAYS",
    "ServedModel",
]

DELAYS = (1, 10, 60, 600, 3_600, 21_600, 86_400, 604_800, 2_592_000)
"""Seconds by which labels are counted: up to a second, up to ten, ..."""

# The id or None, an example such as {"features": {...}}, and that as JSON; one of the
# latter may be None.
_Example: TypeAlias = "tuple[str | None, Mapping[str, Any] | None, bytes | None]"

# The kinds of rows after which a prediction no longer waits.
CLOSED = ("label", "expire", "default")
_EXPIRED_AT_ONCE = 1_000  # in one commit, so that requests need not wait for more


class ServedModel:
    """A learner, its recorder and its ledger, and what requests do to them.

    `predict`, `label`, `look` and `tidy` are called one at a time, between the begin
    and the end of `ledger.commit`; answers are given out after it. A request that is
    refused changes nothing. Any other exception leaves the learner ahead of the ledger:
    then the model must be opened again.

    Parameters
    ----------
    ledger
        A ledger that `born` has begun.
    policy
        What the operator decides.
    snapshot
        A model file from which to continue, and which `save` replaces.
    clock
        Returns microseconds since 1970.

    Examples
    --------
    >>> import tempfile
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.service import Ledger, ServedModel, born
    >>> ledger = Ledger(tempfile.mkdtemp() + "/ledger.db", create=True)
    >>> born(ledger, Perceptron())
    >>> model = ServedModel(ledger)
    >>> with ledger.commit():
    ...     said = model.predict("order-1", {"features": {"cheap": 1}})
    ...     told = model.label("order-1", False)
    ...     again = model.label("order-1", False)
    >>> said.status, said.body["prediction"]
    (201, True)
    >>> told.body["mistake"], told.body["already"], again.body["already"]
    (True, False, True)
    >>> model.recorder.record()
    Record(Perceptron: 1 round, 1 mistake (100.00%), 1 update)
    >>> ledger.close()
    """

    def __init__(
        self,
        ledger: Ledger,
        policy: Policy | None = None,
        *,
        snapshot: Path | None = None,
        clock: Callable[[], int] = now,
    ) -> None:
        self.ledger, self.policy = ledger, policy or Policy()
        self.clock, self._snapshot = clock, snapshot
        birth = ledger.row(1)
        if birth is None or birth.kind != "birth" or birth.body is None:
            raise LedgerError(
                "a ledger must begin with a birth", where=str(ledger.path)
            )
        self.setting: dict[str, Any] = own(birth.said)
        self.reading = reading_of(birth.body)
        self.held: dict[str, tuple[int, Any]] = {}  # by id: when, and the label
        self.expired = 0
        self.delays = [0] * (len(DELAYS) + 1)  # labels by how late they came
        self.recent = Recent()
        self._oldest = 0  # all predictions up to this row have a label or are expired
        self.seq = 0  # of the latest row that is part of this model
        self.learner, run = self._begin(birth)
        self.began = self.seq
        self.recorder = Recorder(
            self.learner,
            keep="nothing",
            saveable="counts",
            declare=self.setting["declare"] or None,
            late=self.late,
            resume=run,
        )
        self.inputs = Inputs(self.learner, self.reading, most=self.policy.most_features)
        if self.policy.default:
            self.inputs.label(self.policy.default[0])  # refused before it is needed
        calibrated = self.setting.get("calibrated", False)
        self._answers = Answers(self.recorder, self.learner, calibrated=calibrated)
        self._native = self._answers.native
        self._continue()

    @property
    def late(self) -> LateRule:
        """The rule for late labels."""
        found: LateRule = self.setting["late"]
        return found

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms in which examples may come."""
        return self.inputs.forms

    @property
    def open(self) -> int:
        """How many predictions wait for their label."""
        return self.recorder.waiting

    # Requests -------------------------------------------------------------------

    def knowing(self, ids: set[str]) -> AbstractContextManager[None]:
        """Look up what there is about predictions, for the requests within."""
        return self.ledger.known(self.recent.without(ids))

    def predict(
        self,
        id_: str | None,
        given: Mapping[str, Any] | None,
        body: bytes | None = None,
    ) -> Answer:
        """Predict an example, or return what was said when the id came before.

        `body` is the example as JSON, if the caller has it; then it may be given as
        nothing else.
        """
        found = None
        if given is None:
            given = own(body or b"")
        if id_ is None:
            id_ = new_id()
        else:
            found = self._find(id_)
            if found.served is not None:
                return self._again(found, given)
        try:
            body = body or dumps(given)
            x = self.inputs.example(given)
            said = self._answers.say(x)
        except (LittlestoneError, BadJSONError) as error:
            return Answer.refused(422, "example", str(error))
        self.recorder.gave()
        text = dumps(said).decode()
        self.seq = seq = self.ledger.append("predict", id_, body, text, self.clock())
        if id_ in self.held:
            self._release(id_, self._ticket(seq, x, said))
        else:
            size = size_of(body)
            self.recent.add(id_, (seq, self.ledger.at, x, said, size))
        return Answer(201, self._shown(id_, seq, said))

    def predict_many(self, asked: Sequence[_Example | Answer]) -> bytes:
        """Predict examples in order, and return the answers as the lines of a batch.

        An answer among them is its own answer. No label comes between them, so those of
        a native learner are predicted together if all of them are new and plain.
        """
        together = self._quick.ask(asked)
        if together is not None:
            return together
        return b"".join(
            (each if isinstance(each, Answer) else self.predict(*each)).line()
            for each in asked
        )

    def label_many(self, told: list[tuple[str, Any] | Answer]) -> bytes:
        """Learn the labels of predictions in order, and return the answers as lines."""
        lines, at = [], 0
        older = self._quick.begin(told)
        while at < len(told):
            at, some = self._quick.teach(told, at, older)
            lines.append(some)
            for each in told[at : at + 1]:  # which is not plain
                if isinstance(each, Answer):
                    lines.append(each.line())
                else:
                    lines.append(self.label(*each).line())
                    older.pop(each[0], None)
                at += 1
        return b"".join(lines)

    def label(self, id_: str, y: Any) -> Answer:
        """Learn the label of a prediction, if it is the first one."""
        try:
            y = self.inputs.label(y)
            body = dumps(y)  # refused before it is learned
        except (LittlestoneError, BadJSONError) as error:
            return Answer.refused(422, "label", str(error))
        asked = self.recent.find(id_)
        if asked is None:
            found = self._find(id_)
            if found.served is None:
                return self._early(id_, y)
            if found.closed is not None:
                return self._closed(found.closed, y)
            if found.served.body is None:
                return Answer.refused(410, "forgotten", f"{id_} was forgotten")
            at, ticket = found.served.at, self._ticket_of(found.served)
        else:
            at, ticket = asked.at, self._ticket_kept(asked)
        try:
            answer = self._close("label", id_, ticket, y, body)
        except ExampleError as error:
            return Answer.refused(422, "label", str(error))
        self._count_delay(self.ledger.at - at)
        return answer

    def look(self, id_: str) -> Answer:
        """Return a prediction, and its label if it has come."""
        found = self._find(id_)
        if found.served is None:
            held = {
                "id": id_,
                "state": "held",
                "label": self.inputs.shown(self.held.get(id_, (0, None))[1]),
            }
            return Answer(200, held) if id_ in self.held else _unknown(id_)
        served = found.served
        body = self._shown(id_, served.seq, own(served.said))
        body |= {"at": served.at, "state": "open"}
        body["given"] = None if served.body is None else own(served.body)
        if found.closed is not None:
            body["state"] = "expired" if found.closed.kind != "label" else "labelled"
            body |= self._of_label(found.closed)
        elif served.body is None:
            body["state"] = "forgotten"
        return Answer(200, body)

    def served(self, id_: str) -> tuple[Any, Any] | None:
        """Return the example of a prediction, and what was said; None if forgotten."""
        found = self._find(id_).served
        if found is None or found.body is None:
            return None
        ticket = self._ticket_of(found)
        return ticket.x, self.inputs.shown(ticket.prediction)

    def tidy(self) -> int:
        """Expire predictions and held labels that are too old; return how many."""
        now, policy, done = self.clock(), self.policy, 0
        if policy.hold is not None:
            until = now - int(policy.hold * 1e6)
            for id_ in [id_ for id_, (at, _) in self.held.items() if at <= until]:
                self.seq = self.ledger.append("drop", id_, b"", "{}", now)
                del self.held[id_]
                done += 1
        if policy.ttl is not None:
            until = now - int(policy.ttl * 1e6)
            for row in islice(self._overdue(until), _EXPIRED_AT_ONCE):
                self._expire(row)
                done += 1
        return done

    def forget(self, id_: str) -> Answer:
        """Remove the features of a prediction from the ledger, and save the model.

        The model is saved because the rows before can no longer all be replayed.
        """
        found = self._find(id_)
        if found.served is None:
            return _unknown(id_)
        if found.served.body is None:
            return Answer(200, {"id": id_, "already": True})
        if found.closed is None:
            self.recorder.drop(self._ticket_of(found.served))
            self.recent.drop(id_)
        self.ledger.forget(found.served)
        self.seq = self.ledger.append("forget", id_, b"", "{}", self.clock())
        return Answer(200, {"id": id_, "already": False, "seq": self.seq})

    # What they are made of ---------------------------------------------------------

    def _find(self, id_: str) -> _Found:
        served = closed = None
        for row in self.ledger.of(id_):
            if row.kind == "predict":
                served = row
            elif row.kind in CLOSED:
                closed = row
        return _Found(served, closed)

    def _again(self, found: _Found, given: Mapping[str, Any]) -> Answer:
        served = found.served
        assert served is not None  # noqa: S101 - as it was found
        assert served.id is not None  # noqa: S101 - as every prediction has one
        if served.body is None:
            return Answer.refused(410, "forgotten", f"{served.id} was forgotten")
        if own(served.body) != given:
            return Answer.refused(
                409, "conflict", f"{served.id} must have the example that came before"
            )
        return Answer(200, self._shown(served.id, served.seq, own(served.said)))

    def _early(self, id_: str, y: Any) -> Answer:
        """Take a label before its prediction."""
        if self.policy.hold is None:
            return _unknown(id_)
        if id_ in self.held:
            if not self.inputs.same(self.held[id_][1], y):
                return _conflict(id_)
            return Answer(202, {"id": id_, "held": True, "already": True})
        if len(self.held) >= self.policy.most_held:
            most = f"at most {self.policy.most_held} labels may be held at once"
            return Answer.refused(429, "held", most)
        now = self.clock()
        self.seq = self.ledger.append("hold", id_, dumps(y), "{}", now)
        self.held[id_] = (now, y)
        held = {"id": id_, "held": True, "already": False, "seq": self.seq}
        return Answer(202, held)

    def _count_delay(self, delay: int) -> None:
        """Count a label by how many microseconds late it came."""
        self.delays[bisect_left(DELAYS, delay / 1e6)] += 1

    def count_delays(self, delays: NDArray[np.int64]) -> None:
        """Count labels by how many microseconds late they came."""
        at = np.searchsorted(DELAYS, delays / 1e6)
        found = np.bincount(at, minlength=len(self.delays)).tolist()
        self.delays = [a + b for a, b in zip(self.delays, found, strict=True)]

    def _release(self, id_: str, ticket: Ticket) -> None:
        """Learn the label that was held for a prediction."""
        _, y = self.held.pop(id_)
        try:
            self._close("label", id_, ticket, y, dumps(y))
            self._count_delay(0)
        except ExampleError:  # which can be seen with the example only
            self.seq = self.ledger.append("drop", id_, b"", "{}", self.clock())

    def _closed(self, row: Row, y: Any) -> Answer:
        """Answer to a label that is not the first."""
        assert row.id is not None  # noqa: S101 - as every label has one
        if row.kind != "label":
            return Answer.refused(410, "expired", f"{row.id} has expired")
        if not self.inputs.same(own(row.body or b""), y):
            return _conflict(row.id)
        body = self._of_label(row)
        return Answer(200, {"id": row.id, "seq": row.seq, "already": True, **body})

    def _close(
        self, kind: str, id_: str, ticket: Ticket, y: Any, body: bytes
    ) -> Answer:
        """Learn a label, and write it down as `body`."""
        told = self._told(ticket, y)
        self.recent.drop(id_)
        text = dumps(told).decode()
        self.seq = self.ledger.append(kind, id_, body, text, self.clock())
        shown = {"id": id_, "seq": self.seq, "already": False}
        return Answer(200, {**shown, "label": self.inputs.shown(y), **told})

    def _told(self, ticket: Ticket, y: Any) -> dict[str, Any]:
        """Learn a label; return whether it was a mistake, or what a number lost."""
        before = self.recorder.mistakes
        self.recorder.told(ticket, y)
        if self.recorder.outcome.charged:
            return {"loss": self.recorder.last_loss}
        return {"mistake": self.recorder.mistakes > before}

    def _expire(self, row: Row) -> None:
        assert row.id is not None  # noqa: S101 - as every prediction has one
        self.expired += 1
        if self.policy.default:
            y = self.policy.default[0]
            self._close("default", row.id, self._ticket_of(row), y, dumps(y))
            return
        self.recorder.drop(self._ticket_of(row))
        self.recent.drop(row.id)
        self.seq = self.ledger.append("expire", row.id, b"", "{}", self.clock())

    def _overdue(self, until: int) -> Iterator[Row]:
        """Yield the open predictions up to a moment, and note that they are closed."""
        for row in self.ledger.rows(after=self._oldest):
            if row.at > until:
                return
            waits = row.kind == "predict" and row.body is not None
            if waits and self._find(row.id or "").closed is None:
                yield row
            self._oldest = row.seq

    def _shown(self, id_: str, seq: int, said: Mapping[str, Any]) -> dict[str, Any]:
        """Return an answer by the names that people know."""
        shown = {"id": id_, "seq": seq, **said}
        del shown["mistakes"]
        if self.inputs.named:
            shown["prediction"] = self.inputs.shown(said["prediction"])
        return shown

    def _of_label(self, row: Row) -> dict[str, Any]:
        """Return the label of a row, and whether it was a mistake."""
        label = {"label": self.inputs.shown(own(row.body))} if row.body else {}
        return {**label, **own(row.said)}

    def _ticket(self, number: int, x: Any, said: Mapping[str, Any]) -> Ticket:
        said_so, learned = said["prediction"], said["learned"]
        score = said.get("score", 0.0)
        return Ticket(number, x, said_so, learned, True, said["mistakes"], score)

    def _ticket_kept(self, asked: Asked) -> Ticket:
        """Return the ticket of a prediction that is kept."""
        if not isinstance(asked.said, str):
            return self._ticket(asked.seq, asked.x, asked.said)
        x = self.inputs.example(own(asked.x))
        return self._ticket(asked.seq, x, own(asked.said))

    def _ticket_of(self, row: Row) -> Ticket:
        """Return the ticket of a prediction, as it was when it was made."""
        if row.body is None:
            return self._ticket(row.seq, None, own(row.said))
        x = self.inputs.example(own(row.body))
        return self._ticket(row.seq, x, own(row.said))

    # From the disk, and to it --------------------------------------------------------

    def _begin(self, birth: Row) -> tuple[Learner, dict[str, Any] | None]:
        """Return the learner to begin with, and how far its run had come."""
        assert birth.body is not None  # noqa: S101 - looked at before
        if self._snapshot is None or not self._snapshot.exists():
            self.seq = 1
            return unpacked(*parse(birth.body))[0], None
        learner, run = read_model(self._snapshot)
        try:
            kept = (run or {}).pop("service")
            self.seq, hash_ = kept["seq"], kept["hash"]
            self.held = {id_: (at, y) for id_, at, y in kept["held"]}
            self.expired, self._oldest = kept["expired"], kept["oldest"]
            self.delays = list(kept["delays"])
        except (KeyError, TypeError, ValueError):
            raise ModelError(
                "a snapshot must be one of a service, got another model file",
                where=str(self._snapshot),
            ) from None
        row = self.ledger.row(self.seq)
        if row is None or row.hash.hex() != hash_:
            raise LedgerError(
                f"the ledger must have the row {self.seq} that {self._snapshot} was "
                f"taken after, got {'none' if row is None else 'another'}",
                where=str(self.ledger.path),
            )
        return learner, run

    def _continue(self) -> None:
        """Play the rows that came after the snapshot."""
        self._quick = quick = Quick(self, self._native)
        for some in self.ledger.check_blocks(self.seq):
            plain = quick.take(some)
            at = quick.play(0) if plain else 0
            while at < len(some):
                # Where one prediction is not plain, most are not.
                alone = plain and some[at][1] != "predict"
                end = at + 1 if alone else len(some)
                self._play_again(some[at:end])
                at = quick.play(end) if alone else end
            self.seq = some[-1][0]

    def _play_again(self, some: list[tuple[Any, ...]]) -> None:
        """Play rows, only predictions of which no label came between at once."""
        rows = [Row(*each) for each in some]
        ids = {row.id or "" for row in rows if row.kind in CLOSED}
        ids -= {row.id or "" for row in rows if row.kind == "predict"}
        with self.knowing(ids):
            for asked, alike in groupby(rows, lambda row: row.kind == "predict"):
                if asked:
                    self._predict_again([*alike])
                else:
                    for row in alike:
                        self._apply(row)

    def _apply(self, row: Row) -> None:
        """Do again what a row says; refuse to answer otherwise than it did."""
        self.ledger.here = row.seq
        if row.kind in CLOSED:
            self._close_again(row)
        elif row.kind == "hold":
            self.held[row.id or ""] = (row.at, own(row.body or b""))
        elif row.kind == "drop":
            self.held.pop(row.id or "", None)
        elif row.kind == "forget":
            found = self._find(row.id or "")
            if found.served is not None and found.closed is None:
                self.recorder.drop(self._ticket_of(found.served))
                self.recent.drop(row.id or "")

    def _predict_again(self, rows: list[Row]) -> None:
        """Predict again what no label came between."""
        kept: dict[str, tuple[int, int, Any, Any, int]] = {}
        said = []
        for row in rows:
            self.ledger.here = row.seq
            if row.body is None:
                raise LedgerError(
                    "the features of this row must be there to replay it, got a row "
                    "that was forgotten",
                    where=f"{self.ledger.path}:{row.seq}",
                )
            x = self.inputs.example(own(row.body))
            said.append(self._answers.say(x))
            kept[row.id or ""] = row.seq, row.at, x, said[-1], size_of(row.body)
        texts = dumps_lines(said).decode().split("\n")
        for row, text in zip(rows, texts, strict=False):
            if row.said != text:
                self.refuse_other(row, text)
        self.recorder.gave(len(rows))
        self.recent.add_many(kept)

    def _close_again(self, row: Row) -> None:
        asked = self.recent.find(row.id or "")
        if asked is None:
            at, ticket = self._look_up(row)
        else:
            at, ticket = asked.at, self._ticket_kept(asked)
            self.recent.drop(row.id or "")
        self.held.pop(row.id or "", None)
        self.expired += row.kind != "label"
        if row.kind == "expire":
            self.recorder.drop(ticket)
            return
        told = self._told(ticket, own(row.body or b""))
        if row.kind == "label":
            self._count_delay(row.at - at)
        self.refuse_other(row, dumps(told).decode())

    def _look_up(self, row: Row) -> tuple[int, Ticket]:
        """Return when a prediction was made whose label came, and its ticket."""
        served, where = self._find(row.id or "").served, f"{self.ledger.path}:{row.seq}"
        if served is None:
            raise LedgerError(f"{row.id} must have a prediction", where=where)
        if served.body is None and row.kind != "expire":
            raise LedgerError(
                f"the features of {row.id} must be there to replay its label, got a "
                "prediction that was forgotten",
                where=where,
            )
        return served.at, self._ticket_of(served)

    def refuse_other(self, row: Row, text: str) -> None:
        """Refuse a replay that says something else than the row did."""
        if text != row.said and own(text) != own(row.said):
            raise LedgerError(
                f"the replay must say {row.said} of {row.id}, got {text}",
                where=f"{self.ledger.path}:{row.seq}",
            )

    def save(self) -> None:
        """Replace the snapshot."""
        if self._snapshot is None:
            return
        kept = {
            "seq": self.seq,
            "hash": self.ledger.hash.hex(),
            "held": [[id_, at, y] for id_, (at, y) in self.held.items()],
            "expired": self.expired,
            "oldest": self._oldest,
            "delays": self.delays,
        }
        run = self.recorder.save() | {"over": True, "service": kept}
        write_model(self.learner, self._snapshot, run, self.reading)


class _Found(NamedTuple):
    """The rows about a prediction."""

    served: Row | None
    closed: Row | None


def _unknown(id_: str) -> Answer:
    return Answer.refused(404, "unknown", f"there is no prediction {id_}")


def _conflict(id_: str) -> Answer:
    return Answer.refused(
        409, "conflict", f"{id_} must have the label that came before"
    )
