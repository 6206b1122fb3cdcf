"""Labels that a native learner is taught, one by one or natively, and their count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.errors import ExampleError
from littlestone.running.batch import Batch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from littlestone.linear._base import NativeLearner
    from littlestone.running.late import LateBook
    from littlestone.running.tally import Tally
    from littlestone.running.tickets import Ticket, TicketBook
    from littlestone.running.watch import Watch

__all__ = ["PlainRounds"]


class PlainRounds:
    """Counts labels that a native learner is taught by the rule "relearn".

    `told` teaches one, and counts it. Whoever teaches many natively has `taught` count
    them: at most `left`, after which the watch looks at the learner as it is.
    """

    def __init__(
        self,
        learner: NativeLearner,
        late: LateBook,
        tally: Tally,
        tickets: TicketBook,
        watch: Watch,
    ) -> None:
        self._learner, self._late, self._tally = learner, late, tally
        self._tickets, self._watch = tickets, watch

    @property
    def left(self) -> int:
        """How many labels may be taught before they must be counted."""
        return self._watch.left

    def told(self, ticket: Ticket, y: bool, others: int) -> None:
        """Teach the label of a ticket while others wait, and count it."""
        learner, tally, said = self._learner, self._tally, ticket.prediction
        before = learner.updates_
        try:
            now = learner.play_one(ticket.x, y)
        except ExampleError as error:
            ticket.locate(error, tally.rounds)
            raise
        ticket.open = False
        if learner.updates_ > before:
            self._late.changed(others)
        wrong = said != y
        if wrong:
            self._late.pairs += tally.mistakes - ticket.mistakes
        self._tickets.late += now != said
        self._tickets.told += 1
        tally.add_one(y, said, wrong=wrong)
        self._watch.played(1)

    def taught(
        self,
        labels: NDArray[np.bool_],
        said: NDArray[np.bool_],
        outstanding: int,
        late: int,
        pairs: int,
    ) -> None:
        """Count labels that were taught, and what was said before.

        So many others waited when one changed the learner; so many predictions would be
        others now; so many pairs of mistakes were served before one was known.
        """
        if not len(labels):
            return
        self._late.changed(outstanding)
        self._late.pairs += pairs
        self._tickets.late += late
        self._tickets.told += len(labels)
        start, before = self._tally.rounds, self._tally.mistakes
        self._tally.add(Batch(start, labels, said, before, lambda _: 0))
        self._watch.played(len(labels))
