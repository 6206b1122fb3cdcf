"""Learners that are tried on a stream, and what their theorems promise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from littlestone.certifying import certify
from littlestone.display.words import listed
from littlestone.errors import LittlestoneError
from littlestone.running.race import race

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from littlestone.learner import Learner
    from littlestone.running import Record
    from littlestone.verifying import Certificate

__all__ = ["Played", "Trial", "Trials"]


@dataclass(frozen=True)
class Trial:
    """A learner that was tried, and what its theorems promise.

    Attributes
    ----------
    name, parameters
        The learner.
    mistakes, updates
        The counts of its run; None if it was not played.
    theorem, bound
        The theorem with the smallest bound, and that bound; None if there is none.
    reason
        Why it was not played, or why its mistakes have no bound.

    Examples
    --------
    >>> from littlestone import advise
    >>> trial = advise([({"a": -1.0}, False)]).trials[1]
    >>> trial.name, trial.mistakes, trial.reason
    ('Winnow', None, 'values must lie in [0, 1], and here they go from -1 to -1')
    """

    name: str
    parameters: dict[str, Any]
    mistakes: int | None = None
    updates: int | None = None
    theorem: str | None = None
    bound: float | None = None
    reason: str | None = None

    def __str__(self) -> str:
        given = ", ".join(
            f"{name}={value!r}" for name, value in self.parameters.items()
        )
        return f"{self.name}({given})"


@dataclass(frozen=True)
class Played:
    """A run, its certificate if there is one, and its summary."""

    record: Record
    certificate: Certificate | None
    trial: Trial

    def numbers(self, theorem: str) -> dict[str, float] | None:
        """Return the numbers of a theorem that holds on the run, or None."""
        certificate = self.certificate
        if certificate is None or certificate.theorem != theorem:
            try:
                certificate = certify(self.record, theorem=theorem)
            except LittlestoneError:
                return None
        return certificate.numbers


class Trials:
    """Learners that play a stream."""

    def __init__(self, stream: Iterable[Any], tell: Callable[[str], object]) -> None:
        self._stream, self._tell = stream, tell

    def play(self, *learners: Learner, beside: Any = None) -> list[Played]:
        """Play the stream, read once for all of them, and certify the runs."""
        named: dict[str, Any] = {type(each).__name__: each for each in learners}
        self._tell(f"playing {listed(list(named))}")
        racing = named if beside is None else {**named, "beside": beside}
        ranking = race(racing, self._stream, keep="updates")
        for error in ranking.left.values():
            raise error
        return [self._certified(ranking[name]) for name in named]

    def _certified(self, record: Record) -> Played:
        name = record.learner.name
        self._tell(f"certifying {name}")
        certificate, reason = None, None
        try:
            certificate = certify(record)
        except LittlestoneError as error:
            reason = str(error)
        trial = Trial(
            name=name,
            parameters=dict(record.learner.parameters),
            mistakes=record.mistakes,
            updates=record.updates,
            theorem=None if certificate is None else certificate.theorem,
            bound=None if certificate is None else certificate.bound,
            reason=reason,
        )
        return Played(record, certificate, trial)
