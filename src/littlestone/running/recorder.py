"""The recorder: counts what a learner does, whenever the labels come."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone.errors import ExampleError, ParameterError
from littlestone.learner import Learner, as_label
from littlestone.learner.members import as_player
from littlestone.learner.parameters import truth, whole
from littlestone.outcome import Outcome, outcome_of
from littlestone.running.batch import UNASKED, Batch, Said
from littlestone.running.bounds import Known, Look, Standing
from littlestone.running.card import card_of
from littlestone.running.examples import Notes
from littlestone.running.hindsight import Hindsight
from littlestone.running.labels import label_reader
from littlestone.running.late import LateBook, LateRule
from littlestone.running.plain import PlainRounds
from littlestone.running.record import Record, Trail
from littlestone.running.refusals import Refusals
from littlestone.running.setting import (
    Keep,
    check_keep,
    check_resumed,
    promises_of,
    restoring,
)
from littlestone.running.tally import Books, Tally
from littlestone.running.tickets import Ticket, TicketBook, answer, same
from littlestone.running.watch import Trailing, Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from littlestone.learner.members import Member
    from littlestone.learner.rows import Example
    from littlestone.running.bounds import Counts
    from littlestone.theorems import Number

__all__ = ["Recorder", "Ticket"]


class Recorder:
    """Records what a learner predicts and what the labels turn out to be.

    `run` drives it round by round. Drive it yourself where labels come later than
    predictions: `predicted` asks the learner and returns a ticket, and `told` teaches
    the learner the label of that ticket, in any order and after any time. Rounds are
    counted, digested and learned in the order in which the labels come.

    A mistake is a prediction, as it was given out, that was not the label. A live bound
    speaks of a learner that sees each label before it predicts again; it stays true
    while every prediction is what the learner would have said when the label came.
    `late` counts the others, and from the first one on the live bound is that of
    `DELAY`, for learners that change on mistakes only, or `DELAY-SERVED`.

    Parameters
    ----------
    learner
        As in `run`.
    keep, digest, declare, learn, passes
        As in `run`; `passes` is only written into the record.
    live
        Search for the best witness so far where a bound is read, as `run` does with
        `live=True`.
    reads
        Whether the rounds come in blocks of rows that are read while they are played.
    saveable
        Take the digest even if the record does not show it, so that `save` can be used
        to continue over the same stream. With `"counts"` no digest is taken, which
        saves time where the stream is kept elsewhere.
    scores, levels
        Whether players note the scores of examples; the levels of pinball losses.
    late
        What to learn from a label that comes late: with `"relearn"` the learner learns
        from the example as it would now; with `"served"` it adds the example exactly if
        the prediction that was given out is wrong, which only a `Perceptron` and a
        `KernelPerceptron` can do.
    resume
        What `save` returned earlier for the same learner, which must be the learner as
        it was then.

    Examples
    --------
    >>> from littlestone import Recorder
    >>> from littlestone.linear import Perceptron
    >>> recorder = Recorder(Perceptron())
    >>> first = recorder.predicted({"cheap": 1})
    >>> second = recorder.predicted({"lunch": 1})
    >>> first.prediction, second.prediction
    (True, True)
    >>> recorder.told(second, False)  # the second label comes first
    >>> recorder.told(first, True)
    >>> recorder.waiting
    0
    >>> recorder.record()
    Record(Perceptron: 2 rounds, 1 mistake (50.00%), 1 update)
    """

    def __init__(
        self,
        learner: Any,
        *,
        keep: Keep = "mistakes",
        digest: bool = False,
        declare: Mapping[str, Number] | None = None,
        learn: bool = True,
        tested: Any = None,
        passes: int = 1,
        saveable: bool | Literal["counts"] = False,
        resume: Mapping[str, Any] | None = None,
        scores: bool = False,
        chances: bool = False,
        levels: Sequence[float] = (),
        late: LateRule = "relearn",
        live: bool = False,
        reads: bool = False,
    ) -> None:
        check_keep(learner, keep)
        self.late_book = LateBook(learner, late, dict(declare or {}))
        self._learner, self._learns = learner, learn
        self.outcome = outcome_of(learner)
        self._setting: dict[str, Any] = {
            "passes": passes,
            "keep": keep,
            "digest": digest,
            "declare": dict(declare or {}),
        }
        self._shows_digest = digest or keep in ("updates", "rounds", "advice")
        self._updates = getattr(learner, "updates_", None) if learn else 0
        self._fresh = learn and isinstance(learner, Learner) and learner.newborn_
        if resume is not None:
            self._begin_again(resume)
        # What scikit-learn calls loss_ is not the loss of a stream.
        keeps_books = learn and hasattr(learner, "predict_one")
        self._books = Books(learner if keeps_books else tested, fresh=self._fresh)
        self._saveable, self._keeps = bool(saveable), keep in ("updates", "rounds")
        live = live and not declare and Hindsight.may_resume(resume)
        searches = live and self._fresh and Hindsight.knows(learner)
        digested = self._shows_digest or saveable is True
        self.notes: Notes | None = None
        if digested or searches:
            self.notes = Notes(
                learner,
                updates=keep == "updates" or searches,
                every=keep == "rounds",
                digest=digested,
                advice=keep == "advice",
                affords=Hindsight.affords if searches and not self._keeps else None,
            )
        kept = self.notes if searches else None
        hindsight = None if kept is None else Hindsight(learner, kept, reads=reads)
        played = learner if learn else None
        promises = promises_of(played, declare, fresh=self._fresh)
        self.watch = Watch(played, promises, hindsight, fresh=self._fresh)
        self.scores, self.chances = scores, chances
        charged = getattr(learner, "gives_chances", False)  # the log loss
        self._tally = Tally(
            self.outcome,
            points=self.watch.points,
            keep_rounds=keep != "nothing",
            scores=scores,
            chances=chances or charged,
            by_loss=charged,
            levels=levels,
            weights_of=getattr(learner, "weights_of", None) if learn else None,
        )
        self._tickets, self.refusals = TicketBook(), Refusals()
        self.read = label_reader(learner)
        self.last_loss: float | None = None
        if resume is not None:
            self._restore(resume)

    # Counts -------------------------------------------------------------------

    @property
    def rounds(self) -> int:
        """How many rounds were counted."""
        return self._tally.rounds

    @property
    def mistakes(self) -> int:
        """How many predictions were wrong."""
        return self._tally.mistakes

    @property
    def waiting(self) -> int:
        """How many predictions wait for their label."""
        return self._tickets.given - self._tickets.told - self._tickets.dropped

    @property
    def late(self) -> int:
        """How many predictions would have been others when their label came."""
        return self._tickets.late

    @property
    def bound_of(self) -> Counts:
        """What the live bound limits."""
        return self.watch.promises.counts

    def standing(self, rounds: int | None = None) -> Standing:
        """Return how the run compares with its bound, now or after so many rounds.

        Only some rounds were looked at; for the others everything is None.
        """
        now = self.watch.standing(self.rounds if rounds is None else rounds)
        book, promises = self.late_book, self.watch.promises
        return book.standing(promises, now, self.rounds) if self._is_late else now

    @property
    def _is_late(self) -> bool:
        """Whether the theorems of a run without delay no longer apply."""
        return self.late > 0 or (self.late_book.rule == "served" and self.mistakes > 0)

    # Predictions that wait for their labels --------------------------------------

    def predicted(self, x: Example) -> Ticket:
        """Ask the learner for a prediction, and return the ticket for its label."""
        score = 0.0
        if self.late_book.rule == "served":
            score = self._learner.score_one(x)
            prediction = score >= 0
        else:
            prediction = self.asked(x)
        kept = x.copy() if isinstance(x, dict | list | np.ndarray) else x
        ticket = Ticket(
            self._tickets.given,
            kept,
            prediction,
            self.rounds,
            mistakes=self.mistakes,
            score=score,
        )
        self.gave()
        return ticket

    def asked(self, x: Example) -> Any:
        """Return what the learner predicts, and count nothing.

        Examples
        --------
        >>> from littlestone import Recorder
        >>> from littlestone.linear import Perceptron
        >>> recorder = Recorder(Perceptron())
        >>> recorder.asked({"cheap": 1}), recorder.waiting
        (True, 0)
        """
        return self._as_said(self._player.predict(x))

    def gave(self, tickets: int = 1) -> None:
        """Count predictions whose tickets the caller makes and keeps.

        Examples
        --------
        >>> from littlestone import Recorder
        >>> from littlestone.linear import Perceptron
        >>> recorder = Recorder(Perceptron())
        >>> recorder.gave()
        >>> recorder.waiting
        1
        """
        self._tickets.given += tickets

    def told(self, ticket: Ticket, y: Any) -> None:
        """Count the label of a ticket, and teach it to the learner.

        A label that is refused changes nothing; the ticket stays open.
        """
        ticket.check_open()
        if self.plain is not None:
            self.plain.told(ticket, self.read(y), self.waiting - 1)
            return
        unlabelled = y is None and not self._learns
        label = None if unlabelled else self.read(y)
        x, said, loss, changed = ticket.x, ticket.prediction, None, False
        charged = self.outcome.charged
        try:
            if self._learns and ticket.learned != self.rounds:
                changed = not same(self.asked(x), said)
            if self.notes is not None:
                self.notes.begin_round(x, y)
            if self._learns:
                taught, known = (y, None) if charged else (label, self.mistakes)
                book, others = self.late_book, self.waiting - 1
                book.learn(self._player, ticket, taught, others, known)
        except ExampleError as error:
            ticket.locate(error, self.rounds)
            raise
        if self.notes is not None:
            self.notes.end_round(x, label)
        if self._learns and hasattr(self._learner, "last_loss_"):
            loss = self._learner.last_loss_
            if changed and charged:
                loss = self._tickets.surcharge(self._learner, ticket, label)
        self.last_loss = loss
        self._tickets.close(ticket, late=changed)
        wrong = not unlabelled and not same(answer(said), label)
        self._tally.add_one(label, said, wrong=wrong, loss=loss)
        self.watch.told(self.rounds, wrong=wrong)

    def drop(self, ticket: Ticket) -> None:
        """Give up waiting for the label of a ticket.

        Examples
        --------
        >>> from littlestone import Recorder
        >>> from littlestone.linear import Perceptron
        >>> recorder = Recorder(Perceptron())
        >>> recorder.drop(recorder.predicted({"cheap": 1}))
        >>> recorder.waiting, recorder.rounds
        (0, 0)
        """
        ticket.check_open()
        ticket.open = False
        self._tickets.dropped += 1

    @cached_property
    def plain(self) -> PlainRounds | None:
        """What teaches and counts one label natively, if that is all there is to do."""
        books = self.late_book, self._tally, self._tickets, self.watch
        alone = self._learns and self.notes is None and self.late_book.is_native
        return PlainRounds(self._learner, *books) if alone else None

    @cached_property
    def _player(self) -> Member:
        return as_player(self._learner)

    def _as_said(self, prediction: Any) -> Any:
        """Return a prediction as it is compared with labels; silence means no."""
        if self.outcome is Outcome.LABEL:
            return prediction is not None and as_label(prediction)
        return prediction

    # Rounds that have been played --------------------------------------------------

    def batch(
        self,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        features: Callable[[int], int],
        *,
        done: float | None = None,
        losses: NDArray[np.float64] | None = None,
        tag: Callable[[int], str] | None = None,
        said: Said = UNASKED,
    ) -> Batch:
        """Return the next rounds as a batch, to be handed to `add`.

        They have been noted.
        """
        batch = Batch(
            self.rounds,
            labels,
            predictions,
            self.mistakes,
            features,
            done,
            losses,
            self._tally.lost,
            self.outcome,
            self.standing,
            self.bound_of,
            tag,
            said.scores,
            live=self.watch.hindsight is not None,
            advice=hasattr(self._learner, "play_advice"),
            chances=said.chances,
        )
        self.watch.heard(batch)
        return batch

    def expect(self, rounds: int) -> None:
        """Prepare for so many rounds; called before the first."""
        self.watch.expect(rounds)
        self._tally.expect(rounds)

    def add(self, batch: Batch) -> None:
        """Count rounds that were played at once."""
        self._tally.add(batch)

    def skip(self, error: ExampleError, pending: int = 0) -> None:
        """Count an example that the learner refuses.

        `pending` rounds before it have been played, but not added.
        """
        self.refusals.add(self.rounds + pending + len(self.refusals), error)

    # The record --------------------------------------------------------------------

    def record(self) -> Record:
        """Return the record of the rounds so far."""
        updates = self._updates
        if updates is not None:
            updates = self._learner.updates_ - updates if self._learns else 0
        looks, books = self.watch.samples()
        promises, facts = self.watch.promises, self._books.facts(books)
        facts |= {} if self._learns else self._tally.tested()
        if self.late:
            self._tickets.charge(facts)
        if self._is_late:
            promises = self.late_book.promises(promises)
        if self.late_book.rule == "served" and self.rounds not in looks:
            looks = Trailing({**looks, self.rounds: Look(Known({}, frozenset()), None)})
        found = {} if self._is_late else self.watch.found(self.rounds)
        return Record(
            learner=card_of(self._learner),
            rounds=self.rounds,
            mistakes=self.mistakes,
            updates=updates,
            mistake_rounds=self._tally.mistake_rounds(),
            trail=Trail(self._tally.counted(), looks, promises, found),
            passes=self._setting["passes"],
            outcome=self.outcome,
            fresh=self._fresh,
            digest=self.notes.digest() if self._shows_digest and self.notes else None,
            examples=self.notes.examples() if self._keeps and self.notes else None,
            advice=None if self.notes is None else self.notes.kept_advice(),
            unlabelled=self._tally.unlabelled,
            confusion=self._tally.confusion(),
            auc=self._tally.auc(),
            chances=self._tally.chances(),
            errors=self._tally.errors(),
            late=self.late,
            square=self.late_book.square if self.late_book.rule == "served" else None,
            refused=len(self.refusals),
            first_refusal=self.refusals.first,
            refused_at=self.refusals.save(),
            **facts,
        )

    # A run that is interrupted --------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return all that `resume` needs, as plain values and arrays.

        Save the learner at the same time. Open tickets are not part of it: keep them if
        their labels may still come.

        Examples
        --------
        >>> from littlestone import Recorder
        >>> from littlestone.linear import Perceptron
        >>> learner = Perceptron()
        >>> recorder = Recorder(learner, saveable=True)
        >>> recorder.told(recorder.predicted({"a": 1}), False)
        >>> saved, copy = recorder.save(), Perceptron()
        >>> copy.load_state(learner.save_state())
        >>> Recorder(copy, saveable=True, resume=saved).record()
        Record(Perceptron: 1 round, 1 mistake (100.00%), 1 update)
        """
        if not self._saveable and self.notes is None:
            raise ParameterError(
                "save needs saveable=True, got False", owner="Recorder"
            )
        saved: dict[str, Any] = {
            "rounds": self.rounds,
            "mistakes": self.mistakes,
            "setting": self._setting,
            "updates": self._updates,
            "fresh": self._fresh,
            "watch": self.watch.save(),
            "books": self._books.save(),
            "notes": None if self.notes is None else self.notes.save(),
            "tally": self._tally.save(),
        }
        if self.watch.hindsight is not None:
            saved["hindsight"] = self.watch.hindsight.save()
        if self._tickets.given:
            saved["tickets"] = self._tickets.save()
            saved["late"] = self.late_book.save()
        if self.refusals:
            saved["refused"] = self.refusals.save()
        return saved

    def _begin_again(self, resume: Mapping[str, Any]) -> None:
        """Take how the interrupted run began, and refuse other settings."""
        check_resumed(self._setting, resume["setting"])
        self._fresh = truth("run", "fresh", resume["fresh"])
        if self._updates is not None:
            self._updates = whole("run", "updates", resume["updates"])

    def _restore(self, resume: Mapping[str, Any]) -> None:
        with restoring():
            self.watch.restore(resume["watch"])
            self._books.restore(resume["books"])
            self._tally.restore(resume["tally"])
            if self.watch.hindsight is not None:
                self.watch.hindsight.restore(resume["hindsight"])
            if self.notes is not None:
                self.notes.restore(resume["notes"])
            self._tickets.restore(resume.get("tickets", {}))
            self.late_book.restore(resume.get("late", {}))
            if "refused" in resume:
                self.refusals.restore(resume["refused"])
