"""Single rounds: of a learner that predicts and learns, and against an adversary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.learner import as_label
from littlestone.learner.members import as_player

if TYPE_CHECKING:
    from collections.abc import Iterator

    from littlestone.adversaries import Adversary
    from littlestone.learner.rows import Example

__all__ = ["Duel", "PlayOne"]


class PlayOne:
    """One round with a learner that only predicts and learns; silence means no."""

    def __init__(self, learner: Any) -> None:
        self._player = as_player(learner)

    def __call__(self, x: Example, label: bool) -> bool:
        """Predict, then learn."""
        predicted = self._player.predict(x)
        self._player.learn(x, label)
        return predicted is not None and as_label(predicted)


class Duel:
    """A learner against an adversary: the stream, and the learner that plays it.

    The prediction is taken once, since not every learner would repeat it. A learner
    that predicts nothing is wrong, and is answered as if it had said no.
    """

    def __init__(self, learner: Any, adversary: Adversary) -> None:
        self._player = as_player(learner, adversary.features)
        self._adversary = adversary
        self._said: bool | None = None

    def __iter__(self) -> Iterator[tuple[Example, bool]]:
        self._adversary.restart()
        while (x := self._adversary.ask()) is not None:
            predicted = self._player.predict(x)
            self._said = None if predicted is None else as_label(predicted)
            yield x, self._adversary.answer(bool(self._said))

    def play_one(self, x: Example, label: bool) -> bool:
        """Learn the answer; return what was said before it."""
        self._player.learn(x, label)
        return not label if self._said is None else self._said
