"""Play the shards of a stream on many workers, and make one learner of it."""

from __future__ import annotations

import time
from collections import deque
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from littlestone.cluster._checkpoint import load_epochs, mixes_of, save_epochs
from littlestone.cluster._core import Tally, kind_of, merge, play_block
from littlestone.cluster._dask import collected, is_collection
from littlestone.cluster._engines import Task, engine_for
from littlestone.cluster._exact import Joined, recounted
from littlestone.cluster._mixing import MIXED, counted_by, renewed
from littlestone.cluster._record import FEW, ClusterRecord, Epoch
from littlestone.cluster._shards import (
    FileShard,
    MemoryShard,
    cut_finer,
    few_in_memory,
    meaning_of,
    shards_of,
)
from littlestone.cluster._travel import arrived, learner_of, packed
from littlestone.display.shards import shard_progress
from littlestone.display.words import counted
from littlestone.errors import (
    EmptyStreamError,
    LittlestoneError,
    ParameterError,
)
from littlestone.learner import Learner
from littlestone.learner.parameters import whole
from littlestone.logs import LOG
from littlestone.running.card import card_of
from littlestone.streams._options import one_of
from littlestone.verifying._mixtures import together

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from littlestone.cluster._engines import Engine
    from littlestone.cluster._shards import Shard
    from littlestone.theorems import Number

__all__ = ["become", "parts_of", "run"]


def run(
    learner: Learner,
    data: Any,
    *,
    client: Any = None,
    workers: int | None = None,
    epochs: int = 1,
    mix: Literal["mistakes", "uniform"] = "mistakes",
    shards: int | None = None,
    mixes: int | None = None,
    label: str | int | None = None,
    format: str | None = None,  # noqa: A002 - as `streams.open` calls it
    keep: Literal["mistakes", "updates"] = "mistakes",
    declare: Mapping[str, Number] | None = None,
    recount: bool = False,
    on_error: Literal["raise", "skip"] = "raise",
    save: str | Path | None = None,
    resume: bool = False,
    progress: bool = False,
    **options: Any,
) -> ClusterRecord:
    """Play the shards of a stream on many workers, and make one learner of it.

    Learners of rules, version spaces and votes become exactly what one machine would
    have made of the whole stream. Perceptron, AveragedPerceptron, PassiveAggressive,
    BalancedWinnow and ExponentialWeights are mixed after each epoch, and a theorem says
    what that costs. Other learners are refused: see `race` and `search`. Where shards
    are mixed, AveragedPerceptron has the mean of the vectors of the latest epoch.

    The result does not depend on how many workers there are, nor on which is first.

    Parameters
    ----------
    learner
        The learner, which changes: after the last epoch it is the result.
    data
        Files: a path, a pattern such as `"logs/*.svm.gz"`, several of them, or
        addresses such as `"s3://logs/*.svm"`; every worker must be able to read them.
        A stream of files. A pair `(X, y)`, a frame with `label`, or examples. With a
        client also Dask's bags, dataframes with `label`, pairs of arrays, and delayed
        values.
    client
        A `distributed.Client`, the address of a scheduler, or `Processes` that several
        runs share. Without it, processes of this machine are used for this run.
    workers
        How many processes; as many as there are cores by default, and 0 for none.
    epochs
        How often to play the data. Learners that merge exactly need one.
    mix
        `"mistakes"` weighs each shard by the rounds that changed its learner, for the
        Perceptron its mistakes; `"uniform"` weighs all alike.
    shards
        How many shards to make of the data. By default each file is one, larger ones of
        lines are cut at 256 MB, and data in memory are cut into 8, or into fewer with
        5,000 examples each.
    mixes
        How often to mix in an epoch: the data are cut into so many stretches, each of
        them into `shards`, which are mixed before the next stretch. Once by default,
        and four times where data in memory have 100 to 999 examples a shard.
    label
        The column of a data frame that has the labels.
    format, options
        The format of files, and the options of its reader, as in `streams.open`;
        `positive`, the label that means yes, is for frames and pairs as well.
    keep
        `"updates"` keeps what `certify` needs: the examples of the updates, and a
        digest of each shard.
    declare
        What you know about the data, by the names of the numbers in the theorem, for a
        live bound: `{"margin": 0.1, "radius": 1}` for the Perceptron.
    recount
        For learners that merge exactly: play each shard once more, from the state that
        one machine would have had there, so that mistakes are counted, and conflicts
        between examples are noticed, as on one machine.
    on_error
        What to do with a shard that cannot be read or played: `"raise"`, or `"skip"` it
        from then on and say so in the record.
    save
        A file for the learner and the epochs so far, written after each epoch.
    resume
        Continue from that file; begin if there is none.
    progress
        Show shards, epochs and mistakes.

    Examples
    --------
    >>> from littlestone import cluster
    >>> from littlestone.boolean import ConjunctionLearner
    >>> birds = [({"wings": 1, "legs": 1}, True), ({"legs": 1}, False)] * 9
    >>> learner = ConjunctionLearner()
    >>> record = cluster.run(learner, birds, shards=3, workers=0)
    >>> print(learner.concept_)
    legs and wings
    >>> print(record.price)
    3 shards: the learner is what one machine would have made
    """
    kind = _check(learner, epochs, mix, mixes, keep, on_error, recount=recount)
    started = time.perf_counter()
    how = getattr(data, "reading", None)  # which a model file remembers
    with engine_for(client, workers) as engine:
        resumes = resume and save is not None and Path(save).exists()
        often = 1 if kind == "exact" else mixes
        if often is None and resumes and save is not None:
            often = mixes_of(save)
        parts, often = parts_of(engine, data, shards, label, format, options, often)
        job = _Job(engine, parts, keep, skips=on_error == "skip")
        fresh, known = learner.newborn_, dict(learner.known_)
        known.pop("radius", None)
        done: list[Epoch] = []
        setting = {
            "epochs": epochs,
            "mix": mix,
            "mixes": often,
            "keep": keep,
            "shards": [shard.name for shard, _ in parts],
        }
        if resumes and save is not None:
            found, done, fresh = load_epochs(learner, save, setting)
            become(learner, found)
        state = packed(learner)
        with shard_progress(len(parts), epochs) if progress else nullcontext() as show:
            job.show = show
            made: Learner | None = None
            if kind == "exact":
                made, epoch = job.merge(state, recount=recount)
                done = [epoch]
            for number in range(len(done), epochs if kind == "mixed" else 0):
                state, epoch = job.mix(state, number, mix, often)
                done.append(epoch)
                LOG.info("epoch %d: %d mistakes", number + 1, epoch.mistakes)
                if save is not None:
                    save_epochs(
                        learner_of(state), save, done, setting, fresh=fresh, read=how
                    )
        if not any(epoch.rounds for epoch in done):
            raise EmptyStreamError("some shard must have examples, got none")
        made = learner_of(state) if made is None else made
    if not isinstance(made, type(learner)):  # pragma: no cover - it is what was sent
        raise TypeError(made)
    become(learner, made)
    if kind == "exact" and save is not None:
        save_epochs(learner, save, done, setting, fresh=fresh, read=how)
    numbers = dict(learner.known_) if "experts" in learner.known_ else known
    return ClusterRecord(
        card_of(learner),
        kind,
        tuple(done),
        mix,
        fresh,
        MIXED[type(learner)].id if kind == "mixed" else None,
        dict(declare or {}),
        {name: number for name, number in numbers.items() if name not in _OF_RUNS},
        recount,
        time.perf_counter() - started,
    )


# Mixtures in an epoch of few examples, but not too few to be cut: see
# docs/explanation/cluster-costs.md
_OFTEN, _TINY = 4, 100
_TOGETHER = 16  # how many shards one task merges, if there are more
_OF_RUNS = ("rounds", "best")  # which theorems of mixing weigh


def _check(  # noqa: PLR0917 - those of `run`
    learner: Any,
    epochs: Any,
    mix: Any,
    mixes: Any,
    keep: Any,
    on_error: Any,
    *,
    recount: bool,
) -> Literal["exact", "mixed"]:
    if not isinstance(learner, Learner):
        raise ParameterError(
            f"learner must be one of littlestone, got {learner!r}", owner="cluster"
        )
    kind = kind_of(learner)
    one_of("cluster", "mix", mix, ("mistakes", "uniform"))
    one_of("cluster", "keep", keep, ("mistakes", "updates"))
    one_of("cluster", "on_error", on_error, ("raise", "skip"))
    whole("cluster", "epochs", epochs, low=1)
    if mixes is not None:
        whole("cluster", "mixes", mixes, low=1)
    if kind == "exact" and epochs > 1:
        raise ParameterError(
            f"{type(learner).__name__} merges exactly, and needs one epoch, got "
            f"{epochs}",
            owner="cluster",
        )
    if kind == "exact" and mixes is not None:
        raise ParameterError(
            f"{type(learner).__name__} merges exactly, and takes no mixes, got {mixes}",
            owner="cluster",
        )
    if kind == "exact" and not learner.newborn_:
        raise ParameterError(
            "a learner that merges exactly must have learned nothing before, got "
            f"{learner!r} after {learner.updates_} updates",
            owner="cluster",
        )
    if kind == "mixed" and recount:
        raise ParameterError(
            f"recount is for learners that merge exactly, got {learner!r}",
            owner="cluster",
        )
    return kind


def become(learner: Learner, other: Learner) -> None:
    """Let a learner be another one, in place."""
    learner.__dict__.clear()
    learner.__dict__.update(other.__dict__)


def parts_of(  # noqa: PLR0917 - those of `run`
    engine: Engine,
    data: Any,
    shards: int | None,
    label: str | int | None,
    format: str | None,  # noqa: A002 - as `streams.open` calls it
    options: Mapping[str, Any],
    mixes: int | None = 1,
) -> tuple[list[tuple[Shard, Any]], int]:
    """Return the shards, with what stands for the data of each, and how often to mix.

    The data are near the workers then.
    """
    client = getattr(engine, "client", None)
    if is_collection(data):
        if client is None:
            raise ParameterError(
                "collections of Dask need client=, on whose workers their partitions "
                f"are, got none for {type(data).__name__}",
                owner="cluster",
            )
        if shards is not None:
            raise ParameterError(
                f"the shards of a collection are its partitions, got {shards}",
                owner="cluster",
            )
        positive = meaning_of(data, format, options)
        name, futures = collected(client, data, label)
        held: list[tuple[Shard, Any]] = [
            (MemoryShard(k, None, label, name, positive), future)
            for k, future in enumerate(futures)
        ]
        return held, _mixable(held, mixes or 1)
    made = shards_of(data, shards=shards, label=label, format=format, options=options)
    mixes = mixes or (
        _OFTEN if len(made) > 1 and few_in_memory(made, _TINY, FEW) else 1
    )
    if mixes > 1:
        made = cut_finer(made, mixes)
    if client is not None:  # whose workers may run in another folder
        made = [
            replace(shard, folder=str(Path.cwd()))
            if isinstance(shard, FileShard)
            else shard
            for shard in made
        ]
    held = [
        (replace(shard, data=None), engine.hold(shard.data))
        if isinstance(shard, MemoryShard)
        else (shard, None)
        for shard in made
    ]
    return held, _mixable(held, mixes)


def _mixable(shards: Sequence[Any], mixes: int) -> int:
    if mixes > len(shards):
        raise ParameterError(
            "there must be a shard for each mixture, got "
            f"{counted(len(shards), 'shard')} and mixes={mixes}",
            owner="cluster",
        )
    return mixes


def _weights(tallies: Sequence[Tally], mix: str, counted: str) -> list[int]:
    """Return how much each shard counts; one without examples does not."""
    if mix == "uniform":
        return [int(tally.rounds > 0) for tally in tallies]
    weights = [int(getattr(tally, counted)) for tally in tallies]
    # Without a mistake, PassiveAggressive may still learn from small margins.
    return weights if any(weights) else [tally.updates for tally in tallies]


# Tasks --------------------------------------------------------------------------------


def play_shard(state: bytes, shard: Shard, held: Any, keep: str) -> tuple[bytes, Tally]:
    """Play a shard whose data may have been kept near the worker."""
    if isinstance(shard, MemoryShard):
        shard = replace(shard, data=held)
    return play_block(state, shard, keep=keep)


def merge_some(*states: bytes) -> bytes:
    """Merge neighbours that were kept near the worker."""
    return merge(states)


class _Job:
    """The shards of one run, and the engine that plays them."""

    show: Callable[..., object] | None = None

    def __init__(
        self,
        engine: Engine,
        parts: Sequence[tuple[Shard, Any]],
        keep: str,
        *,
        skips: bool,
    ) -> None:
        self._engine, self._parts, self._keep = engine, parts, keep
        self._skips = skips
        self._skipped: dict[int, str] = {}

    def mix(
        self, state: bytes, number: int, mix: str, mixes: int
    ) -> tuple[bytes, Epoch]:
        """Play an epoch, and mix what the shards have learned, so often."""
        begun, sent = time.perf_counter(), 0
        tallies: list[Tally] = []
        weights: list[int] = []
        if number and len(self._parts) > mixes:
            state = packed(renewed(learner_of(state)))
        for places in together(len(self._parts), mixes):
            shared = [self._engine.share(state)] * len(places)
            states, found = self._play(shared, state, f"epoch-{number + 1}", places)
            shares = _weights(found, mix, counted_by(learner_of(state)))
            sent += len(state)
            state = merge(states, shares, state)
            tallies += found
            weights += shares
        seconds = time.perf_counter() - begun
        return state, Epoch(tuple(tallies), tuple(weights), seconds, sent, mixes)

    def merge(self, state: bytes, *, recount: bool) -> tuple[Learner, Epoch]:
        """Play each shard from the beginning, and merge what they know."""
        begun = time.perf_counter()
        every = range(len(self._parts))
        shared = [self._engine.share(state)] * len(every)
        tree = _Tree(self._engine, state, len(self._parts), keeps=recount)
        states, tallies = self._play(shared, state, "shard", every, tree)
        made = tree.learner
        if recount:
            made, tallies = self._recount(state, states, made)
        seconds = time.perf_counter() - begun
        weights = tuple(int(tally.rounds > 0) for tally in tallies)
        return made, Epoch(tuple(tallies), weights, seconds, len(state))

    def _recount(
        self, state: bytes, states: Sequence[bytes], made: Learner
    ) -> tuple[Learner, list[Tally]]:
        """Play each shard from what one machine would have known by then."""
        joined = Joined(learner_of(state))
        starts = []
        for played in states:
            starts.append(packed(joined.learner))
            if played != state:
                joined.add(arrived(None, played))
        again, tallies = self._play(starts, state, "recount", range(len(starts)))
        begun, ended = map(learner_of, starts), map(learner_of, again)
        return recounted(made, begun, ended), tallies

    def _play(
        self,
        shared: Sequence[Any],
        state: bytes,
        what: str,
        places: range,
        tree: _Tree | None = None,
    ) -> tuple[list[bytes], list[Tally]]:
        """Play the shards at some places; those that are skipped end as they began.

        With a tree, what they have learned is joined while others are played.
        """
        states = [state] * len(places)
        parts = [self._parts[k] for k in places]
        tallies = [
            Tally(shard.name, skipped=self._skipped.get(k))
            for k, (shard, _) in zip(places, parts, strict=True)
        ]
        tasks = {
            Task(
                f"littlestone-{what}-shard-{k}",
                play_shard,
                (begun, shard, held, self._keep),
            ): at
            for at, (k, begun, (shard, held)) in enumerate(
                zip(places, shared, parts, strict=True)
            )
            if k not in self._skipped
        }
        waiting = deque(tasks)
        for task, result in self._engine.results(waiting):
            if tree is not None and task not in tasks:
                tree.merged(task, result)
                continue
            k = tasks[task]
            if isinstance(result, BaseException):
                tallies[k] = self._refused(places[k], result)
            else:
                states[k], tallies[k] = result
            if tree is not None:
                waiting.extendleft(tree.played(k, states[k]))
                states[k] = states[k] if tree.keeps else state
            if self.show is not None:
                self.show(tallies[k])
        return states, tallies

    def _refused(self, k: int, error: BaseException) -> Tally:
        name = self._parts[k][0].name
        if isinstance(error, LittlestoneError) and name not in error.where:
            error.where = f"{name}: {error.where}" if error.where else name
        if not self._skips or not isinstance(error, Exception):
            raise error
        LOG.warning("shard skipped: %s", error)
        self._skipped[k] = str(error)
        return Tally(name, skipped=str(error))


class _Tree:
    """Joins what shards have learned while others are played, in the order of shards.

    If there are many, neighbours are merged on the workers first.
    """

    def __init__(
        self, engine: Engine, newborn: bytes, many: int, *, keeps: bool
    ) -> None:
        self.keeps = keeps  # whether the states are needed again
        self._engine, self._newborn, self._many = engine, newborn, many
        self._joined = Joined(learner_of(newborn))
        self._groups: dict[int, dict[int, bytes]] = {}
        self._merging: dict[Task, int] = {}
        self._ready: dict[int, bytes] = {}
        self._next = 0

    @property
    def learner(self) -> Learner:
        """What all have learned together."""
        return self._joined.learner

    def played(self, k: int, state: bytes) -> list[Task]:
        """Take the state of a shard; return the task that merges it, if it is time."""
        if self._many <= _TOGETHER:
            self._join(k, state)
            return []
        at = k // _TOGETHER
        group = self._groups.setdefault(at, {})
        group[k] = state
        if len(group) < min(_TOGETHER, self._many - at * _TOGETHER):
            return []
        held = (self._engine.hold(group[k]) for k in sorted(group))
        task = Task(f"littlestone-merge-{at}", merge_some, tuple(held), urgent=True)
        self._merging[task] = at
        del self._groups[at]
        return [task]

    def merged(self, task: Task, result: Any) -> None:
        """Take what a task has merged."""
        if isinstance(result, BaseException):
            raise result
        self._join(self._merging.pop(task), result)

    def _join(self, at: int, state: bytes) -> None:
        self._ready[at] = state
        while (found := self._ready.pop(self._next, None)) is not None:
            if found != self._newborn:
                self._joined.add(arrived(None, found))
            self._next += 1
