"""Players: one way to play each kind of input.

A player takes a stream and yields batches of rounds as it plays them, or None where the
stream has nothing yet. `player_for` chooses: rows and advice are played natively in
blocks, everything else one example at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone.adversaries import Adversary
from littlestone.errors import (
    ExampleError,
    LittlestoneError,
    refusal,
)
from littlestone.learner import (
    dtype_of,
    read_labels,
    with_weights,
    without_weights,
)
from littlestone.learner.advice import Advice
from littlestone.learner.familiar import Familiarity
from littlestone.losses import as_loss
from littlestone.outcome import Outcome, outcome_of
from littlestone.running.batch import may_lack_labels, unlabelled
from littlestone.running.beforehand import Beforehand
from littlestone.running.duel import Duel
from littlestone.running.inputs import paired
from littlestone.running.labels import label_reader
from littlestone.running.pending import Pending, unweighable
from littlestone.running.tested import Tested, taught
from littlestone.streams import Stream
from littlestone.weighted import Weighted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from littlestone.learner.moment import Looks
    from littlestone.learner.rows import Example
    from littlestone.running.batch import Batch
    from littlestone.running.checkpoint import Parts
    from littlestone.running.recorder import Recorder
    from littlestone.streams import Block

__all__ = ["Player", "player_for"]

_ROUNDS_PER_BATCH = 1024
_PATIENCE = 0.1  # seconds after which rounds are shown though the batch is not full


def player_for(
    learner: Any, stream: Any, recorder: Recorder, parts: Parts, *, skips: bool = False
) -> Player:
    """Return the player for what the stream gives and the learner can take."""
    chosen: type[Player] = ExamplePlayer
    if isinstance(stream, Adversary):
        chosen = AdversaryPlayer
    elif isinstance(stream, Stream) and not stream.of_mappings:
        if stream.of_advice and hasattr(learner, "play_advice"):
            chosen = AdvicePlayer
        elif not stream.of_advice and hasattr(learner, "play_rows"):
            chosen = RowsPlayer
    return chosen(learner, recorder, parts, skips=skips)


class Player(ABC):
    """Plays a stream with a learner, and yields the rounds in batches.

    Parameters
    ----------
    learner, recorder, parts
        The learner, what counts its rounds, and what cuts the stream.
    skips
        Whether to skip examples that the learner refuses.
    """

    def __init__(
        self, learner: Any, recorder: Recorder, parts: Parts, *, skips: bool = False
    ) -> None:
        self._learner = learner
        self._recorder, self._watch = recorder, recorder.watch
        self._parts = parts
        self._skips = skips
        self._outcome = outcome_of(learner)
        self._told: tuple[NDArray[Any], _Told] | None = None

    @abstractmethod
    def play(self, stream: Any) -> Iterator[Batch | None]:
        """Play one pass, then raise whatever stopped it."""

    def _refused(self, error: ExampleError, pending: int = 0) -> None:
        """Skip an example that the learner refuses, or raise.

        `pending` rounds were played that the recorder has not counted.
        """
        if not self._skips:
            raise error
        self._recorder.skip(error, pending)


class _Turn(NamedTuple):
    """A block that is being played."""

    # Plays rows from the first on, at most to before the last, and returns how many.
    play: Callable[[int, int], int]
    batch: Callable[[int, int], Batch]  # of rows that have been played


class _Told(NamedTuple):
    """The labels of a block as the learner takes them."""

    kept: NDArray[Any]  # with their weights, if they have any
    labels: NDArray[Any]
    weights: NDArray[np.float64] | None


class RowsPlayer(Player):
    """Plays blocks of rows natively."""

    def play(self, stream: Stream) -> Iterator[Batch | None]:
        """Play one pass, then raise whatever stopped it."""
        familiar = self._familiarity()
        for block in self._parts.blocks(stream, self._labels_of):
            if block is None:
                yield None
                continue
            if familiar is not None:
                familiar = familiar.block(block)
            turn = self._turn(block)
            at = block.first
            while at < block.last:
                begun, refused = at, None
                try:
                    while at < block.last:
                        at += turn.play(at, block.last)
                except ExampleError as error:
                    refused = error
                    at += self._stopped(error)
                    error.where = block.where(at)
                if at > begun:
                    yield turn.batch(begun, at)
                if refused is not None:
                    self._refused(refused)
                    at += 1
        if familiar is not None:
            familiar.end()

    def _familiarity(self) -> Familiarity | None:
        """Return what looks at the first examples; in later passes they are known."""
        if self._recorder.rounds:
            return None
        learns = not isinstance(self._learner, Tested)
        return Familiarity.of(taught(self._learner), learns=learns)

    def _turn(self, block: Block) -> _Turn:
        """Return how to play some rows of a block, and the batch of rows played."""
        learner, recorder, watch = self._learner, self._recorder, self._watch
        rows, notes = block.rows, recorder.notes
        if not isinstance(learner, Tested):
            _check_labelled(block)
        kept, labels, weights = self._told_of(block)
        predictions: NDArray[Any] = np.empty(len(rows), dtype_of(self._outcome))
        changed = None if notes is None else notes.room(len(rows))
        changes = () if changed is None else (changed,)
        tag = getattr(block.where, "tag", None)

        before = Beforehand(learner, recorder, block)
        noted = before.noted | self._weighing(block, weights)
        if getattr(learner, "charges_rows", False):
            noted["losses"] = np.empty(len(rows))

        def play_some(first: int, last: int, **more: Any) -> None:
            learner.play_rows(
                rows, labels, predictions, first, last, *changes, **noted, **more
            )

        def play_looking(first: int, last: int) -> int:
            looks = watch.looks(last - first, len(getattr(learner, "experts_", ())))
            try:
                learner.play_rows(
                    rows, labels, predictions, first, last, *changes, looks=looks
                )
            except ExampleError as error:
                watch.seen(looks, error.rounds or 0)
                raise
            watch.seen(looks, last - first)
            return last - first

        def batch(first: int, last: int) -> Batch:
            if notes is not None:
                notes.rows(rows, kept, range(first, last), changed)
            played = slice(first, last)
            if "losses" in noted:
                losses: Any = noted["losses"][played]
            elif before.asked.loses:
                losses = _weighed(before.losses(labels, played), weights, played)
            else:
                losses = self._losses(predictions[played], labels[played])
                losses = _weighed(losses, weights, played)
            made = recorder.batch(
                labels[played],
                predictions[played],
                partial(_shifted, rows.nonzeros, first),
                done=block.done,
                losses=losses,
                tag=None if tag is None else partial(_shifted, tag, first),
                said=before.notes(played),
            )
            return made if weights is None else replace(made, weights=weights[played])

        play = partial(watch.play, play_some, rows, labels)
        asking = before.around(play)
        looks = self._looks and asking is play
        return _Turn(play_looking if looks else asking, batch)

    @property
    def _looks(self) -> bool:
        """Whether the learner can be looked at while it plays."""
        return getattr(self._learner, "takes_looks", False)

    def _stopped(self, error: ExampleError) -> int:
        """Return how many rounds were played before one was refused."""
        played = error.rounds or 0
        if not self._looks:
            self._watch.played(played)
        return played

    def _labels_of(self, block: Block) -> NDArray[Any]:
        """Return the labels of a block, with weights if it has any."""
        return self._told_of(block).kept

    def _told_of(self, block: Block) -> _Told:
        """Return the labels of a block; blocks of one array have them in common."""
        if self._told is None or self._told[0] is not block.labels:
            kept = self._labels(block)
            self._told = block.labels, _Told(kept, *without_weights(kept))
        return self._told[1]

    def _weighing(
        self, block: Block, weights: NDArray[np.float64] | None
    ) -> dict[str, NDArray[np.float64]]:
        """Return the weights of a block for the learner, or refuse them."""
        if weights is None or isinstance(self._learner, Tested):
            return {}
        if getattr(self._learner, "weighs_rounds", False):
            return {"weights": weights}
        other = np.flatnonzero(weights[block.first : block.last] != 1)
        if len(other):
            at = block.first + int(other[0])
            error = unweighable(self._learner, weights[at].item())
            error.where = block.where(at)
            raise error
        return {}

    def _labels(self, block: Block) -> NDArray[Any]:
        """Return the labels of a block as the learner takes them."""
        labels, weights = without_weights(block.labels)
        if weights is not None:
            return with_weights(self._read(labels), weights)
        return self._read(labels)

    def _read(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Return labels as the learner takes them."""
        if self._outcome is Outcome.CLASS or labels.dtype == dtype_of(self._outcome):
            return labels
        if isinstance(self._learner, Tested) and unlabelled(labels).any():
            return labels  # a test without labels needs none
        return read_labels(self._outcome, labels, len(labels))

    def _losses(
        self, predictions: NDArray[Any], labels: NDArray[Any]
    ) -> NDArray[np.float64] | None:
        """Return what the rounds of a block cost; None if no loss charges them."""
        if not self._outcome.charged or may_lack_labels(labels):
            return None
        loss = as_loss(self._learner.loss)
        # Its prediction is e to the power of the score that it charges.
        charged = np.log(predictions) if loss.name == "poisson" else predictions
        losses: NDArray[np.float64] = loss.value(charged, labels)
        return losses


class AdvicePlayer(RowsPlayer):
    """Plays blocks of experts' advice natively."""

    def _turn(self, block: Block) -> _Turn:
        """Return how to play some rounds of a block, and the batch of those played."""
        learner, recorder, watch = self._learner, self._recorder, self._watch
        advice, notes = block.rows, recorder.notes
        outcomes = self._labels_of(block)
        predictions = learner.room_for(advice, len(advice))
        losses = np.empty(len(advice))

        def play_some(first: int, last: int, **looks: Looks) -> None:
            # A block is checked as a whole before it is played, so it is cut.
            cut, some = slice(None), advice
            if last - first < len(advice):
                cut = slice(first, last)
                some = Advice(advice.values[cut], advice.names, advice.may_sleep)
            count = range(last - first)
            learner.play_advice(
                some, outcomes[cut], predictions[cut], losses[cut], count, **looks
            )

        def play(first: int, last: int) -> int:
            count = min(last - first, watch.left)
            play_some(first, first + count)
            watch.played(count)
            return count

        def play_looking(first: int, last: int) -> int:
            count = last - first
            looks = watch.looks(count, advice.values.shape[1])
            try:
                play_some(first, last, looks=looks)
            except ExampleError as error:
                watch.seen(looks, error.rounds or 0)
                raise
            watch.seen(looks, count)
            return count

        def batch(first: int, last: int) -> Batch:
            if notes is not None:
                labels = block.labels if self._outcome.charged else outcomes
                notes.advice(advice, labels, range(first, last))
            played = slice(first, last)
            return recorder.batch(
                outcomes[played],
                predictions[played],
                partial(_awake, advice, first),
                done=block.done,
                losses=losses[played],
            )

        return _Turn(play_looking if self._looks else play, batch)

    def _labels(self, block: Block) -> NDArray[Any]:
        outcomes: NDArray[Any] = self._learner.as_outcomes(
            block.labels, len(block.labels)
        )
        return outcomes


class ExamplePlayer(Player):
    """Plays one example at a time: mappings, single rows, any iterable of pairs."""

    def play(self, stream: Iterable[tuple[Example, object]]) -> Iterator[Batch | None]:
        """Play one pass, then raise whatever stopped it."""
        learner, recorder, parts = self._learner, self._recorder, self._parts
        notes, watch = recorder.notes, self._watch
        numbers = self._outcome.charged
        read = label_reader(learner)
        charged = hasattr(learner, "last_loss_")
        untaught = isinstance(learner, Tested)
        look: Callable[[int], object] = watch.played if watch.watching else bool
        pending = Pending(learner, recorder)
        play_one = pending.play_one
        labels, predictions = pending.labels, pending.predictions
        losses, sizes = pending.losses, pending.sizes
        refused = None
        most = min(_ROUNDS_PER_BATCH, parts.most)
        try:
            for example in self._examples(stream, read):
                if example is None:
                    yield None
                    continue
                x, kept = paired(example)
                try:
                    y = kept.label if type(kept) is Weighted else kept
                    label = None if y is None and untaught else read(y)
                    if notes is not None:
                        notes.begin_round(x, kept)
                    told = y if numbers else label
                    said = (
                        play_one(x, told)
                        if y is kept
                        else pending.weighed(x, told, kept.weight)
                    )
                except ExampleError as error:
                    self._refused(error, len(labels))
                    continue
                predictions.append(said)
                if notes is not None:
                    notes.end_round(x, label, 1.0 if y is kept else kept.weight)
                labels.append(label)
                losses.append(learner.last_loss_ if charged else 0.0)
                sizes.append(_size(x))
                look(1)
                # A slow stream is shown as it comes, a fast one in larger batches.
                if len(labels) == most or (
                    len(labels) % 16 == 0 and pending.waited > _PATIENCE
                ):
                    yield pending.batch(recorder)
                    most = min(_ROUNDS_PER_BATCH, parts.most)
        except LittlestoneError as error:
            refused = error
        if labels:
            yield pending.batch(recorder)
        if refused is not None:
            raise refused

    def _examples(self, stream: Any, read: Callable[[Any], Any]) -> Iterator[Any]:
        """Yield the examples that were not played before a run resumed."""
        if self._parts.to_skip:
            return self._parts.examples(stream, read)
        # One that learns would know a feature from the second example on.
        tested = isinstance(self._learner, Tested)
        familiar = Familiarity.of(self._learner.learner) if tested else None
        return iter(stream) if familiar is None else familiar.examples(stream)


class AdversaryPlayer(Player):
    """Plays against an adversary, which sees each prediction before it answers."""

    def play(self, stream: Adversary) -> Iterator[Batch | None]:
        """Play one game from its start, then raise whatever stopped it."""
        duel = Duel(self._learner, stream)
        player = ExamplePlayer(duel, self._recorder, self._parts, skips=self._skips)
        return player.play(duel)


# Small things ------------------------------------------------------------------------


def _check_labelled(block: Block) -> None:
    """Refuse a block in which a label is missing, before any of it is played."""
    labels = without_weights(block.labels)[0]
    if not may_lack_labels(labels):
        return
    missing = np.flatnonzero(unlabelled(labels[block.first : block.last]))
    if len(missing):
        error = refusal("missing", value=None)
        error.where = block.where(block.first + int(missing[0]))
        raise error


def _weighed(
    losses: NDArray[np.float64] | None,
    weights: NDArray[np.float64] | None,
    played: slice,
) -> NDArray[np.float64] | None:
    """Return the losses of some rounds of a test, by their weights."""
    if losses is None or weights is None:
        return losses
    return losses * weights[played]


def _shifted(of_row: Callable[[int], Any], first: int, at: int) -> Any:
    return of_row(first + at)


def _awake(advice: Advice, first: int, at: int) -> int:
    return len(advice.row(first + at))


def _size(x: Example) -> int:
    """Return how many features an example has, 0 if it has no length."""
    try:
        return len(x)
    except TypeError:  # a number, or a sparse array
        return int(getattr(x, "nnz", 0))
