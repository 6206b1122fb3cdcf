"""Learners that are tried on a stream, and what their theorems promise."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone.auto import STACKS, Auto
from littlestone.catalogue import entry_of
from littlestone.display.words import listed
from littlestone.errors import LittlestoneError
from littlestone.running.race import race

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from littlestone.learner import Learner
    from littlestone.running import Record
    from littlestone.running.setting import Keep
    from littlestone.streams import Block, Stream
    from littlestone.theorems import Theorem
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
    shuffled
        Its mistakes on the sample in a random order; None if it was not played.
    theorem, bound
        The theorem with the smallest bound, and that bound; None if there is none, or
        it was not asked for.
    numbers
        The numbers that the theorem takes.
    vacuous, tautological
        Whether the bound says nothing about the run, or no more than its mistakes.
    reason
        Why it was not played, or why its mistakes have no bound.

    Examples
    --------
    >>> from littlestone import advise
    >>> trial = advise([({"a": -1.0}, False)]).trials[-1]
    >>> trial.name, trial.mistakes, trial.reason
    ('Winnow', None, 'values must lie in [0, 1], and here they go from -1 to -1')
    """

    name: str
    parameters: dict[str, Any]
    mistakes: int | None = None
    updates: int | None = None
    shuffled: int | None = None
    theorem: str | None = None
    bound: float | None = None
    numbers: dict[str, float] = field(default_factory=dict)
    vacuous: bool = False
    tautological: bool = False
    reason: str | None = None

    @property
    def emptiness(self) -> str:
        """A space and the word for a bound that says nothing; else nothing."""
        if self.vacuous:
            return " vacuous"
        return " tautological" if self.tautological else ""

    @property
    def chosen_parameters(self) -> dict[str, Any]:
        """The parameters that differ from their defaults."""
        if not self.parameters:
            return {}
        entry = entry_of(self.name)
        known = {} if entry is None else signature(entry.load()).parameters
        return {
            name: int(value) if isinstance(value, float) and value % 1 == 0 else value
            for name, value in self.parameters.items()
            if value != known[name].default
        }

    def __str__(self) -> str:
        given = (f"{name}={x!r}" for name, x in self.chosen_parameters.items())
        return f"{self.name}({', '.join(given)})"


@dataclass(frozen=True)
class Played:
    """A run, its certificate if there is one, and its summary."""

    record: Any  # a Record; None for a member of Auto, which has none of its own
    certificate: Certificate | None
    trial: Trial

    def numbers(self, theorem: Theorem) -> dict[str, float] | None:
        """Return the numbers of a theorem that holds on the run, or None."""
        certificate = self.certificate
        if certificate is None or certificate.theorem != theorem.id:
            from littlestone.certifying import certify  # noqa: PLC0415 - only for bounds

            try:
                certificate = certify(self.record, theorem=theorem.id)
            except LittlestoneError:
                return None
        return certificate.numbers


class Trials:
    """Learners that play a stream, and what came of it."""

    def __init__(
        self, stream: Iterable[Any], tell: Callable[[str], object], *, bounds: bool
    ) -> None:
        self._stream, self._tell, self._bounds = stream, tell, bounds
        self._learners: list[Learner] = []
        self.made: list[Trial] = []
        self._members: dict[str, _Counts] = {}  # of an Auto that has played

    def play(
        self, *learners: Learner, beside: Any = None, whole: Stream | None = None
    ) -> list[Played]:
        """Play the stream, read once for all of them, or all of it from memory."""
        names = dict.fromkeys(type(each).__name__ for each in learners)
        self._tell(f"playing {listed(list(names))}")
        keep: Keep = "updates" if self._bounds else "nothing"
        found, others = _raced(
            learners, whole or self._stream, self._members, beside=beside, keep=keep
        )
        self._members |= others
        played = [self._finished(each, found[repr(each)]) for each in learners]
        self._learners += learners
        self.made += [each.trial for each in played]
        return played

    def over(self, sample: Stream, *, with_auto: bool = True) -> list[Trial]:
        """Play the sample as well, and return all trials in the order they were made.

        Auto need not play, as it follows the others in any order.

        Examples
        --------
        >>> from littlestone import streams
        >>> from littlestone.counsel._trials import Trials
        >>> from littlestone.linear import Perceptron
        >>> stream = streams.arrays([[1.0], [-1.0]], [1, 0])
        >>> trials = Trials(stream, lambda text: None, bounds=False)
        >>> _ = trials.play(Perceptron())
        >>> [trial.shuffled for trial in trials.over(stream)]
        [1]
        """
        self._tell("playing a sample in a random order")
        blocks = list(sample.blocks())
        found: dict[str, int] = {}
        # Auto first: its members need not play again.
        for each in sorted(self._learners, key=lambda one: not isinstance(one, Auto)):
            if repr(each) in found or (isinstance(each, Auto) and not with_auto):
                continue
            player = each.clone()
            found[repr(each)] = _mistakes(player, blocks)
            if isinstance(player, Auto):
                found |= {name: n.mistakes for name, n in _members_of(player).items()}
        return [
            replace(trial, shuffled=found.get(repr(each)))
            for trial, each in zip(self.made, self._learners, strict=True)
        ]

    def _finished(self, learner: Learner, counts: _Counts) -> Played:
        name, record = type(learner).__name__, counts.record
        certificate, reason = None, None
        if self._bounds and all(each.counts == "regret" for each in learner.guarantees):
            reason = "its theorems bound its regret"
        elif self._bounds and record is not None:
            from littlestone.certifying import certify  # noqa: PLC0415 - only for bounds

            self._tell(f"certifying {name}")
            try:
                certificate = certify(record)
            except LittlestoneError as error:
                reason = str(error)
        trial = Trial(
            name=name,
            parameters=learner.get_params(deep=False),
            mistakes=counts.mistakes,
            updates=counts.updates,
            theorem=None if certificate is None else certificate.theorem,
            bound=None if certificate is None else certificate.bound,
            numbers={} if certificate is None else certificate.numbers,
            vacuous=certificate is not None and certificate.vacuous,
            tautological=certificate is not None and certificate.tautological,
            reason=reason,
        )
        return Played(record, certificate, trial)


def _mistakes(learner: Any, blocks: Iterable[Block]) -> int:
    """Return the mistakes of a learner, without the record that a run would keep."""
    mistakes = 0
    for block in blocks:
        said = np.empty(len(block.labels), dtype=np.bool_)
        learner.play_rows(block.rows, block.labels, said, block.first, block.last)
        played = slice(block.first, block.last)
        mistakes += int(np.count_nonzero(said[played] != block.labels[played]))
    return mistakes


class _Counts(NamedTuple):
    """What came of a run; the record of a member of Auto is not kept."""

    mistakes: int
    updates: int | None
    record: Record | None = None


def _raced(
    learners: Sequence[Learner],
    stream: Iterable[Any],
    known: Mapping[str, _Counts],
    *,
    beside: Any = None,
    keep: Keep = "nothing",
) -> tuple[dict[str, _Counts], dict[str, _Counts]]:
    """Race learners; return the counts of each, and of all members of an Auto.

    A member of an Auto plays as it would alone, so it need not play again, unless its
    record is asked for.
    """
    shared = keep == "nothing"
    autos = [each for each in learners if shared and isinstance(each, Auto)]
    lent = {repr(member) for auto in autos for member in auto.members_.values()}
    racing: dict[str, Any] = {
        repr(each): each
        for each in learners
        if repr(each) not in lent and repr(each) not in known
    }
    if beside is not None:
        racing["beside"] = beside
    ranking = race(racing, stream, keep=keep)
    for error in ranking.left.values():
        raise error
    members: dict[str, _Counts] = {}
    for auto in autos:
        members |= _members_of(auto)
    raced = {
        name: _Counts(record.mistakes, record.updates, record)
        for name, record in ranking.items()
    }
    found = {**known, **members, **raced}
    if dropped := [each for each in learners if repr(each) not in found]:
        found |= _raced(dropped, stream, found, keep=keep)[0]
    return found, members


def _members_of(auto: Auto) -> dict[str, _Counts]:
    """Return what came of the members that played every round, as they would alone."""
    return {
        repr(member): _Counts(int(auto.losses_[name]), member.updates_)
        for name, member in auto.members_.items()
        if name not in STACKS and name not in auto.dropped_
    }
