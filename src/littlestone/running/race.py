"""Race several learners over one pass of one stream, and rank them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from littlestone.adversaries import Adversary
from littlestone.errors import ExampleError, ParameterError
from littlestone.logs import LOG
from littlestone.outcome import outcome_of
from littlestone.running.bounds import declarable
from littlestone.running.driver import warn_without_yes
from littlestone.running.inputs import Needs, as_stream
from littlestone.running.lanes import Course, Crew, Lane
from littlestone.running.notebook import race_html
from littlestone.running.ranking import Place, ranked, ranker, smallest_bound, table
from littlestone.streams import Stream

if TYPE_CHECKING:
    from littlestone.running.driver import Fits, Plays
    from littlestone.running.inputs import Data, Meaning
    from littlestone.running.record import Record
    from littlestone.running.setting import Keep
    from littlestone.theorems import Number

__all__ = ["Entrant", "Race", "named_learners", "race"]


class Race(Mapping[str, "Record"]):
    """A ranking: the records by the learners' names, the best first.

    It is a mapping, and prints as a table. Labels are ranked by mistakes, numbers by
    loss; ties keep the order in which the learners were given.

    Attributes
    ----------
    records
        The record of each learner that played to the end, the best first.
    left
        Why a learner left the race: the example that it refused.
    seconds
        The processor time of each learner.
    elapsed
        The time of the whole race, including reading.

    Examples
    --------
    >>> from littlestone import race
    >>> from littlestone.linear import Perceptron, Winnow
    >>> stream = [({"a": 1, "b": 1}, True), ({"b": 1}, False)] * 10
    >>> ranking = race([Perceptron(), Winnow(threshold=2)], stream)
    >>> ranking.winner
    'Winnow'
    >>> ranking["Perceptron"]
    Record(Perceptron: 20 rounds, 3 mistakes (15.00%), 3 updates)
    >>> print(ranking)  # doctest: +ELLIPSIS
       learner     mistakes    rate       F1  balanced    time
    1  Winnow             0   0.00%  100.00%     0.00%  ...
    2  Perceptron         3  15.00%   85.71%    15.00%  ...
    baseline: 10 (50.0000%) by the commoner answer so far; 10 (50.0000%) by yes in hindsight
    """  # noqa: E501 - a line of a table is one line

    def __init__(
        self,
        records: Mapping[str, Record],
        left: Mapping[str, ExampleError] | None = None,
        seconds: Mapping[str, float] | None = None,
        elapsed: float = 0.0,
    ) -> None:
        self.left: dict[str, ExampleError] = dict(left or {})
        self.seconds: dict[str, float] = dict(seconds or {})
        self.elapsed = elapsed
        order = ranked([self._place(*named) for named in records.items()])
        self.records: dict[str, Record] = {
            place.name: records[place.name] for place in order
        }

    def __getitem__(self, name: str) -> Record:
        return self.records[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def winner(self) -> str:
        """The name of the best learner; of equals, the one that was given first."""
        return next(iter(self.records))

    @property
    def places(self) -> tuple[Place, ...]:
        """How each learner did, the best first; learners that left come last."""
        stayed = [self._place(*named) for named in self.records.items()]
        return (*stayed, *(self._gone(*named) for named in self.left.items()))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, fit for JSON."""
        return {
            "elapsed": self.elapsed,
            "ranking": [
                {"name": name, "seconds": self.seconds.get(name, 0.0)}
                | record.to_dict()
                for name, record in self.records.items()
            ],
            "smallest_bound": smallest_bound(self.places),
            "left": {name: str(error) for name, error in self.left.items()},
        }

    def __str__(self) -> str:
        return table(self.places)

    def _repr_html_(self) -> str:
        return race_html(self.places)

    def __repr__(self) -> str:
        counts = (f"{name} {_counted(record)}" for name, record in self.records.items())
        return f"Race({', '.join(counts)})"

    def _place(self, name: str, record: Record) -> Place:
        return Place(
            name,
            record.rounds,
            record.mistakes,
            loss=record.loss if record.outcome.charged else None,
            seconds=self.seconds.get(name, 0.0),
            regret=record.regret,
            bound=record.bound,
            bound_of=record.bound_of,
            exceeded=record.exceeded,
            vacuous=record.vacuous,
            theorem=record.theorem,
            numbers=record.numbers,
            confusion=record.confusion,
            auc=record.auc,
            chances=record.chances,
            errors=record.errors,
            coverage=record.coverage,
            refused=record.refused,
        )

    def _gone(self, name: str, error: ExampleError) -> Place:
        seconds = self.seconds.get(name, 0.0)
        return Place(name, error.rounds or 0, 0, seconds=seconds, left=str(error))


def _counted(record: Record) -> str:
    return f"{record.loss:.6g}" if record.outcome.charged else f"{record.mistakes:,}"


def race(
    learners: Mapping[str, Plays | Fits] | Iterable[Plays | Fits],
    stream: Data,
    *,
    label: str | int | None = None,
    positive: Meaning | None = None,
    passes: int = 1,
    progress: bool = False,
    keep: Keep = "mistakes",
    declare: Mapping[str, Number] | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    metrics: Iterable[str] = (),
) -> Race:
    """Play one stream with several learners at once, and rank them.

    The stream is read once for all of them, and each record equals that of a run of the
    learner alone.

    Parameters
    ----------
    learners
        Learners as in `run`, by names of your choice, or in a sequence: then each is
        named after its class, and its parameters if two have the same class.
    stream
        As in `run`: a stream, a data frame with `label`, or a pair `(X, y)`. An
        adversary answers one learner only, and cannot be raced.
    label
        The column of a data frame that has the labels.
    positive
        The label that means yes, as in `run`.
    passes
        How often to read the stream.
    progress
        Show a live ranking on a terminal, plain lines elsewhere.
    keep
        As in `run`.
    declare
        As in `run`; each learner gets the numbers that its theorems take.
    on_error
        What happens to a learner that refuses an example: with `"raise"` it leaves the
        race, and the others continue; with `"skip"` it goes on without that example,
        which is ranked as a mistake, or as a round of its mean loss.
    metrics
        As in `run`, for all learners.

    Examples
    --------
    >>> from littlestone import race, run
    >>> from littlestone.linear import PassiveAggressive, Perceptron
    >>> stream = [({"cheap": 1}, True), ({"lunch": 1}, False)] * 5
    >>> ranking = race({"old": Perceptron(), "new": PassiveAggressive()}, stream)
    >>> ranking
    Race(old 1, new 1)
    >>> ranking["old"] == run(Perceptron(), stream)
    True
    """
    named = _named(learners)
    stream = as_stream("race", stream, label, Needs.of(*named.values()), positive)
    _check(stream, passes)
    declared = _declared(named, declare or {})
    started = time.perf_counter()
    options: dict[str, Any] = {
        "passes": passes,
        "keep": keep,
        "on_error": on_error,
        "metrics": metrics,
    }
    lanes = [
        Lane(name, learner, stream, shown=progress, declare=declared[name], **options)
        for name, learner in named.items()
    ]
    with ranker() if progress else nullcontext(None) as show, Crew(len(lanes)) as crew:
        Course(lanes, crew, show).play(stream, passes)
    left = {
        lane.name: lane.error for lane in lanes if isinstance(lane.error, ExampleError)
    }
    for name, error in left.items():
        LOG.warning("%s leaves the race: %s", name, error)
    if len(left) == len(lanes):
        raise next(iter(left.values()))
    records = {lane.name: lane.record for lane in lanes if lane.record is not None}
    warn_without_yes(stream, next(iter(records.values())))
    return Race(
        records,
        left,
        {lane.name: lane.seconds for lane in lanes},
        time.perf_counter() - started,
    )


# What is given ------------------------------------------------------------------------


class Entrant(NamedTuple):
    """A learner of a race, and what was declared of its theorems' numbers."""

    learner: Any
    declared: dict[str, Number]


def named_learners(learners: Any, declare: Mapping[str, Number]) -> dict[str, Entrant]:
    """Return learners by name, each with what was declared for it.

    Examples
    --------
    >>> from littlestone.linear import Perceptron, Winnow
    >>> from littlestone.running.race import named_learners
    >>> named = named_learners([Perceptron(), Winnow(threshold=2)], {"margin": 0.5})
    >>> {name: entrant.declared for name, entrant in named.items()}
    {'Perceptron': {'margin': 0.5}, 'Winnow': {}}
    """
    named = _named(learners)
    declared = _declared(named, declare)
    return {name: Entrant(learner, declared[name]) for name, learner in named.items()}


def _named(learners: Any) -> dict[str, Any]:
    """Return the learners by name, and refuse those that cannot race."""
    if isinstance(learners, Mapping):
        named = {str(name): learner for name, learner in learners.items()}
    elif isinstance(learners, Iterable):
        named = _names(list(learners))
    else:
        raise ParameterError(
            f"learners must be a mapping or a sequence, got {learners!r}", owner="race"
        )
    if not named:
        raise ParameterError(
            "there must be at least one learner, got none", owner="race"
        )
    for name, learner in named.items():
        if isinstance(learner, type) or not any(
            all(callable(getattr(learner, method, None)) for method in pair)
            for pair in (("predict_one", "learn_one"), ("predict", "partial_fit"))
        ):
            raise ParameterError(
                f"{name} must have predict_one and learn_one, or predict and "
                f"partial_fit, got {learner!r}",
                owner="race",
            )
    if len({id(learner) for learner in named.values()}) < len(named):
        raise ParameterError(
            "learners must be different objects, got one of them twice", owner="race"
        )
    numbers = {_measure(learner) for learner in named.values()}
    if len(numbers) > 1:
        one, two, *_ = sorted(numbers)
        raise ParameterError(
            f"learners must be charged alike to be ranked, got {one} and {two}",
            owner="race",
        )
    return named


def _measure(learner: Any) -> str:
    """Return what a learner is ranked by."""
    if not outcome_of(learner).charged:
        return "mistakes"
    return f"{getattr(learner, 'loss', 'its own')} loss"


def _names(learners: Sequence[Any]) -> dict[str, Any]:
    """Name learners by class, by parameters too, or at last by number."""
    short = [type(learner).__name__ for learner in learners]
    named: dict[str, Any] = {}
    for learner, name in zip(learners, short, strict=True):
        whole = name if short.count(name) == 1 else repr(learner)
        number, free = 1, whole
        while free in named:
            number += 1
            free = f"{whole} #{number}"
        named[free] = learner
    return named


def _check(stream: Any, passes: int) -> None:
    if isinstance(stream, Adversary):
        raise ParameterError(
            "an adversary answers one learner only, so that each must be run alone, "
            f"got {stream!r}",
            owner="race",
        )
    if not isinstance(passes, int) or passes < 1:
        raise ParameterError(
            f"passes must be a whole number above 0, got {passes!r}", owner="race"
        )
    again = stream.repeatable if isinstance(stream, Stream) else stream
    if passes > 1 and (again is False or isinstance(again, Iterator)):
        raise ParameterError(
            f"a stream must be readable again for {passes} passes, got one that is "
            f"not: {stream!r}",
            owner="race",
        )


def _declared(
    named: Mapping[str, Any], declare: Mapping[str, Number]
) -> dict[str, dict[str, Number]]:
    """Return the declared numbers that each learner takes."""
    if not isinstance(declare, Mapping):
        raise ParameterError(
            f"declare must map names to numbers, got {declare!r}", owner="race"
        )
    if not declare:
        return {name: {} for name in named}
    may = {name: declarable(learner) for name, learner in named.items()}
    known = list(dict.fromkeys(number for those in may.values() for number in those))
    for number in declare:
        if number not in known:
            raise ParameterError(
                f"declare takes {', '.join(known) or 'nothing'} for these learners, "
                f"got {number!r}",
                owner="race",
            )
    return {
        name: {number: declare[number] for number in declare if number in those}
        for name, those in may.items()
    }
