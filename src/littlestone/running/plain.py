"""Labels that a native learner learns one by one, and that are counted together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.errors import ExampleError
from littlestone.running.batch import Batch

if TYPE_CHECKING:
    from littlestone.linear._base import NativeLearner
    from littlestone.running.late import LateBook
    from littlestone.running.tally import Tally
    from littlestone.running.tickets import Ticket, TicketBook
    from littlestone.running.watch import Watch

__all__ = ["PlainRounds"]


class PlainRounds:
    """Teaches labels by the rule "relearn", and counts them some at a time.

    `told` does both at once. `teach` does only what cannot wait; then `count` must be
    called before anything is asked of the recorder whose books these are.
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
        self._labels: list[bool] = []
        self._said: list[bool] = []
        self._left = watch.left

    def told(self, ticket: Ticket, y: bool, others: int) -> None:
        """Teach the label of a ticket while others wait, and count it."""
        said, mistakes = ticket.prediction, self._tally.mistakes
        try:
            self.teach(ticket.x, y, said, others, mistakes, ticket.mistakes)
        except ExampleError as error:
            ticket.locate(error, self._tally.rounds)
            raise
        ticket.open = False
        self.count()

    def teach(  # noqa: PLR0917 - names take time
        self, x: Any, y: bool, said: bool, others: int, mistakes: int, known: int
    ) -> None:
        """Teach the label of a prediction while others wait.

        So many mistakes have been made, of which some were known when it was said.
        """
        learner = self._learner
        before = learner.updates_
        now = learner.play_one(x, y)
        if learner.updates_ > before:
            self._late.changed(others)
        if now != said:
            self._tickets.late += 1
        if said != y:
            self._late.pairs += mistakes - known
        self._labels.append(y)
        self._said.append(said)
        if len(self._labels) >= self._left:  # the watch looks at the learner as it is
            self.count()

    def count(self) -> None:
        """Count the labels that were taught since the last time."""
        labels, said = self._labels, self._said
        if not labels:
            return
        self._labels, self._said = [], []
        self._tickets.told += len(labels)
        if len(labels) == 1:
            self._tally.add_one(labels[0], said[0], wrong=said[0] != labels[0])
        else:
            tally, both = self._tally, np.array((labels, said), dtype=np.bool_)
            start, before = tally.rounds, tally.mistakes
            tally.add(Batch(start, both[0], both[1], before, lambda _: 0))
        self._watch.played(len(labels))
        self._left = self._watch.left
