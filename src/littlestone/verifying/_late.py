"""Runs whose labels came late, as the judge plays them again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from littlestone.verifying._reading import read_example, read_label
from littlestone.verifying.proofs import Unsound

if TYPE_CHECKING:
    from collections.abc import Iterable

    from littlestone.outcome import Outcome
    from littlestone.verifying.proofs import Proof

__all__ = ["Late", "LateTwin", "lately"]


@dataclass(frozen=True)
class Late:
    """An example whose prediction was given out before its label came.

    The rounds of a stream are in the order in which their labels came.

    Attributes
    ----------
    x
        The example.
    learned
        How many labels the learner had learned from when it predicted.

    Examples
    --------
    >>> from littlestone.verifying import Late
    >>> stream = [(Late({"b": 1.0}, 0), False), (Late({"a": 1.0}, 0), False)]
    >>> [late.learned for late, _ in stream]  # both were served before any label
    [0, 0]
    """

    x: Any
    learned: int


def lately(
    proof: Proof,
    twin: Any,
    stream: Iterable[tuple[Any, Any]],
    reads: Any,
    outcome: Outcome,
) -> tuple[Any, Iterable[tuple[Any, Any]]]:
    """Return the twin and the rounds for it to play.

    Where a proof is about late labels, the twin serves before they come. There is one
    pass: the same stream again would be served at other times.
    """
    if not proof.late:
        return twin, stream
    rounds = _read(stream, reads, outcome)
    return LateTwin(twin, rounds), iter([(x, y) for x, y, _ in rounds])


def _read(
    stream: Iterable[tuple[Any, Any]], reads: Any, outcome: Outcome
) -> list[tuple[Any, Any, int]]:
    """Return the rounds: example, label, and how many labels came before it was served.

    A round must be served before its own label, or it would not be late but wrong.
    """
    rounds: list[tuple[Any, Any, int]] = []
    for late, y in stream:
        if not isinstance(late, Late):
            raise Unsound("the stream must say when each example was served")
        learned = late.learned
        if type(learned) is not int or not 0 <= learned <= len(rounds):
            raise Unsound(
                f"round {len(rounds)}: it must be served before its label, got "
                f"{learned!r:.80} labels learned by then"
            )
        x = read_example(reads, late.x)
        rounds.append((x, read_label(outcome, y), learned))
    return rounds


class LateTwin:
    """Plays a twin by the rule "served": it adds what was wrong when it was served.

    Attributes
    ----------
    served
        The rounds with a mistake that were served just before the latest one was
        learned: their numbers and examples.
    """

    def __init__(self, twin: Any, rounds: list[tuple[Any, Any, int]]) -> None:
        self._twin, self._rounds, self.number = twin, rounds, -1
        self._due: dict[int, list[int]] = {}
        for number, (_, _, learned) in enumerate(rounds):
            self._due.setdefault(learned, []).append(number)
        self._said: dict[int, bool] = {}
        self.served: list[tuple[int, Any]] = []

    @property
    def updates(self) -> int:
        """How many examples were added."""
        count: int = self._twin.updates
        return count

    def play(self, x: Any, y: bool) -> bool:
        """Serve what was asked for by now, then learn the next label."""
        self.number += 1
        self.served.clear()
        for number in self._due.pop(self.number, ()):
            asked, label, _ = self._rounds[number]
            self._said[number] = said = self._twin.predict(asked)
            if said != label:
                self.served.append((number, asked))
        said = self._said.pop(self.number)
        if said != y:
            self._twin.add(x, y)
        return said
