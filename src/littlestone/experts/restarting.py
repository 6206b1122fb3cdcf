"""Copies of a learner that start anew, for concepts that change."""

from __future__ import annotations

import copy
import sys
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from littlestone import _core, theorems
from littlestone.errors import ExampleError, FeatureError, ParameterError
from littlestone.learner import Learner, RoundLearner, objects, one_by_one
from littlestone.learner.packing import alike, check
from littlestone.learner.parameters import finite, whole
from littlestone.learner.rows import as_rows, is_mappings
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from littlestone.learner.rows import Example

__all__ = ["Restarting"]

# No mistake makes a weight less, so that none is lost to rounding.
_LEAST = sys.float_info.min


class _Copy:
    """A copy of the learner: when it began, its weight, and its mistakes."""

    def __init__(self, begun: int, learner: Any, weight: float) -> None:
        self.begun, self.learner, self.weight = begun, learner, weight
        self.mistakes = 0

    def ends(self) -> int | None:
        """Return the batch before which it ends; None if it never does."""
        return self.begun + (self.begun & -self.begun) if self.begun else None


class _Block:
    """Rows that are played, and room for what each copy says of them."""

    def __init__(
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        changed: NDArray[np.bool_] | None = None,
        scores: NDArray[np.float64] | None = None,
    ) -> None:
        self.rows, self.labels = rows, labels
        self.predictions, self.changed, self.scores = predictions, changed, scores
        self.scored: list[dict[Any, float]] = []  # of each row, if of classes
        self._rooms: list[tuple[NDArray[Any], NDArray[np.bool_]]] = []

    def room(self, number: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return the room of a copy: for predictions, and for what changed it."""
        while number >= len(self._rooms):
            size = len(self.labels)
            room = np.empty(size, self.predictions.dtype), np.empty(size, np.bool_)
            self._rooms.append(room)
        return self._rooms[number]


class Restarting(RoundLearner[Any]):
    r"""Let copies of a learner start anew over time, and follow those that do well.

    Time is cut into batches of `shortest` rounds. A copy begins with each batch: the
    first lives for ever, and that of batch $j$ for $2^k$ batches, where $2^k$ is the
    largest power of two that divides $j$. So there are about $\log_2$ of the batches at
    any time, and a copy begins wherever a dyadic interval does. The copies alive vote
    by weight. Only a mistake of the vote changes the weights: those of the copies that
    were wrong are multiplied by `beta`. Where the concept changes, the copies that
    began since then are soon heavier than those that must unlearn.

    Parameters
    ----------
    learner
        A newborn learner of features that says yes or no, or predicts classes.
    shortest
        How many rounds a batch has, and so the shortest life of a copy.
    beta
        The factor for the weight of a wrong copy, between 0 and 1.

    Attributes
    ----------
    copies_
        The weights of the copies alive, by the round in which they began.
    updates_
        How many rounds have changed a copy or a weight.

    Guarantees
    ----------
    `RESTART`: at most $(m \ln\frac1\beta + k \ln J)/\ln\frac{2}{1+\beta}$ mistakes for
    every cut of the $J$ batches into $k$ pieces, where $m$ counts the mistakes of the
    copies that began with the pieces. Every interval of $n$ batches is at most $2
    \log_2 n + 2$ such pieces, so on **every** interval it is about as good as the
    learner begun there, up to factors of $\log J$.

    References
    ----------
    Hazan, Seshadhri (2009), Efficient learning algorithms for changing environments,
    ICML, https://doi.org/10.1145/1553374.1553425

    Daniely, Gonen, Shalev-Shwartz (2015), Strongly adaptive online learning, ICML,
    https://proceedings.mlr.press/v37/daniely15.html

    Examples
    --------
    Labels that are reversed: the vote follows a copy that has begun since.

    >>> from littlestone import run
    >>> from littlestone.experts import Restarting
    >>> from littlestone.linear import AROW
    >>> stream = [({"a": 1.0}, True)] * 400 + [({"a": 1.0}, False)] * 400
    >>> run(AROW(), stream).mistakes
    400
    >>> run(Restarting(AROW(), shortest=50), stream).mistakes
    5
    """

    def __init__(self, learner: Learner, shortest: int = 64, beta: float = 0.5) -> None:
        owner = "Restarting"
        labels = (Outcome.LABEL, Outcome.CLASS)
        fits = isinstance(learner, Learner) and learner.outcome in labels
        odd = hasattr(learner, "play_advice") or isinstance(learner, Restarting)
        if not fits or odd:
            raise ParameterError(
                f"learner must be a learner of features that predicts labels or "
                f"classes, got {learner!r}",
                owner=owner,
            )
        if not learner.newborn_:
            raise ParameterError(
                "learner must be newborn, got one that has learned; learner.clone() "
                "is newborn",
                owner=owner,
            )
        size = whole(owner, "shortest", shortest, low=1)
        factor = finite(owner, "beta", beta)
        if not 0 < factor < 1:
            raise ParameterError(
                f"beta must be between 0 and 1, got {beta!r}", owner=owner
            )
        self.learner = learner
        self.shortest = shortest
        self.beta = beta
        self._size, self._factor = size, factor
        self._copies = [_Copy(0, self._newborn(), 1.0)]
        self._most: int | None = None  # features of a copy
        self._rounds = self._updates = 0
        self._scored: Any = 0.0  # the score of the latest single round

    @property
    def outcome(self) -> Outcome:
        """What the copies predict."""
        return self.learner.outcome

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its mistakes."""
        return (theorems.RESTART,)

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """Its beta, and the batches so far."""
        return {"beta": self._factor, "batches": max(1, -(-self._rounds // self._size))}

    @property
    def updates_(self) -> int:
        """How many rounds have changed a copy or a weight since birth."""
        return self._updates

    @property
    def newborn_(self) -> bool:
        """Whether it is still as it was at birth."""
        return self._rounds == 0

    @property
    def scores_rows(self) -> bool:
        """Whether it can note the scores of rows it plays: those of yes and no."""
        return self.outcome is Outcome.LABEL

    @property
    def copies_(self) -> dict[int, float]:
        """The weights of the copies alive, by the round in which they began."""
        return {each.begun * self._size: each.weight for each in self._copies}

    def alive(self) -> list[_Copy]:
        """Return the copies alive: when they began, and what they have lost."""
        return list(self._copies)

    def limit_features(self, most: int) -> None:
        """Refuse the batches after those in which a copy met more features.

        As counting takes time, it is done after 1, 2, 4, 8, ... batches.

        Examples
        --------
        >>> from littlestone.experts import Restarting
        >>> from littlestone.linear import AROW
        >>> learner = Restarting(AROW(), shortest=1)
        >>> learner.limit_features(1)
        >>> learner.learn_one({"a": 1.0, "b": 1.0}, False)
        >>> try:
        ...     learner.predict_one({"a": 1.0})
        ... except ValueError as error:
        ...     print(error)
        Restarting: copies must have weights for at most 1 features, got 2
        """
        self._most = most

    def _voters(self) -> list[_Copy]:
        """Return the copies alive, unless a batch begins and they have no room."""
        batch, rest = divmod(self._rounds, self._size)
        if self._most is not None and rest == 0 and batch.bit_count() == 1:
            native = self._copies[0].learner._native  # noqa: SLF001 - a member of `Auto`
            known = len(native.items())
            if known > self._most:
                raise FeatureError(
                    f"copies must have weights for at most {self._most} features, "
                    f"got {known}",
                    owner="Restarting",
                )
        return self._copies

    # One example --------------------------------------------------------------------

    def predict_one(self, x: Example) -> Any:
        """Predict the label of one example; change nothing."""
        return self._voted([each.learner.predict_one(x) for each in self._voters()])[1]

    def score_one(self, x: Example) -> Any:
        """Return the weight for yes less that for no, or the weight of each class."""
        return self._voted([each.learner.predict_one(x) for each in self._voters()])[0]

    def play_scored_one(self, x: Example, y: Any) -> Any:
        """Play one round; return the score that the example had before."""
        self.play_one(x, y)
        return self._scored

    def _round(self, x: Example, label: Any) -> Any:
        said = [each.learner.predict_one(x) for each in self._voters()]  # or refuses
        before = [each.learner.updates_ for each in self._copies]
        for each in self._copies:
            each.learner.learn_one(x, label)
        changed = any(
            each.learner.updates_ > count
            for each, count in zip(self._copies, before, strict=True)
        )
        return self._settle(said, label, changed=changed)

    def _settle(self, said: list[Any], label: Any, *, changed: bool) -> Any:
        """Count the round, and move the weights if the vote was wrong."""
        self._scored, predicted = self._voted(said)
        wrong = predicted != label
        for each, its in zip(self._copies, said, strict=True):
            if its != label:
                each.mistakes += 1
                if wrong:
                    each.weight = max(each.weight * self._factor, _LEAST)
        if wrong:
            self._scale()
        self._updates += changed or wrong
        self._rounds += 1
        if self._rounds % self._size == 0:
            self._begin(self._rounds // self._size)
        return predicted

    def _voted(self, said: list[Any]) -> tuple[Any, Any]:
        """Return the score, and what most of the weight says.

        If equal, that is yes, or what came first.
        """
        weights = self._weigh(said)
        score: Any = weights
        if self.outcome is Outcome.LABEL:
            score = weights[True] - weights.get(False, 0.0)
        return score, max(weights, key=weights.__getitem__)

    def _weigh(self, said: list[Any]) -> dict[Any, float]:
        weights: dict[Any, float] = {True: 0.0} if self.outcome is Outcome.LABEL else {}
        for each, its in zip(self._copies, said, strict=True):
            weights[its] = weights.get(its, 0.0) + each.weight
        return weights

    def _weight(self) -> float:
        """Return the weight of all copies."""
        total = 0.0
        for each in self._copies:
            total += each.weight
        return total

    def _scale(self) -> None:
        """Let the weights sum to one."""
        total = self._weight()
        for each in self._copies:
            each.weight /= total

    def _newborn(self) -> Any:
        # Copies share no list of classes, as they would not after a pickle.
        return type(self.learner)(**copy.deepcopy(self.learner.get_params(deep=False)))

    def _begin(self, batch: int) -> None:
        """End the copies whose time is over, and begin one."""
        kept = [each for each in self._copies if each.ends() != batch]
        if len(kept) < len(self._copies):
            self._copies = kept
            self._scale()
        for each in self._copies:
            each.weight *= batch / (batch + 1)
        born = _Copy(batch, self._newborn(), 1 / (batch + 1))
        self._copies.append(born)

    # Blocks -------------------------------------------------------------------------

    def _play(  # noqa: PLR0917 - called for every block
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        repeats: NDArray[np.uint32] | None,
        first: int,
        last: int,
        changed: NDArray[np.bool_] | None = None,
        scores: NDArray[np.float64] | None = None,
    ) -> None:
        at = first
        block = _Block(rows, labels, predictions, changed, scores)
        in_blocks = repeats is None and hasattr(self.learner, "play_rows")
        while at < last:
            to = min(last, at + self._size - self._rounds % self._size)
            if in_blocks:
                self._batch(block, at, to, first)
                at = to
                continue
            before = self._updates
            times = 1 if repeats is None else int(repeats[at])
            try:
                told = labels[at : at + 1].tolist()[0]
                predictions[at] = self.play_one(rows.row(at), told, times)
            except ExampleError as error:
                error.row, error.where, error.rounds = at, f"row {at}", at - first
                raise
            if changed is not None:
                changed[at] = self._updates > before
            if scores is not None:
                scores[at] = self._scored
            at += 1

    def play_scored(  # noqa: PLR0917 - called for every block
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        scores: NDArray[np.float64],
        first: int,
        last: int,
    ) -> None:
        """Play some rows of a block, and write the score that each had before."""
        self._batches(_Block(rows, labels, predictions, None, scores), first, last)

    def play_numbered(  # noqa: PLR0917 - called for every block
        self,
        rows: _core.Rows,
        wanted: NDArray[np.int32],
        said: NDArray[np.int32],
        first: int,
        last: int,
        classes: list[Any],
        scores: NDArray[np.float64],
    ) -> None:
        """Play some rows whose classes are numbered, as a learner of classes does.

        `scores` begin with those of the first row.
        """
        # A copy numbers the classes in the order in which it meets them.
        named = [*classes, None]
        predictions = objects([None] * len(wanted))
        numbers = {label: number for number, label in enumerate(classes)}
        block = _Block(rows, objects(named)[wanted], predictions)
        try:
            self._batches(block, first, last)
        finally:
            told = predictions[first:last].tolist()
            said[first:last] = [numbers.get(label, -1) for label in told]
            for row, weights in zip(scores, block.scored, strict=False):
                for label, weight in weights.items():
                    if label is not None:
                        row[numbers[label]] = weight

    def _batches(self, block: _Block, first: int, last: int) -> None:
        at = first
        while at < last:
            to = min(last, at + self._size - self._rounds % self._size)
            self._batch(block, at, to, first)
            at = to

    def _batch(self, block: _Block, at: int, to: int, first: int) -> None:
        """Play rows of one batch with each copy, then let them vote row by row."""
        try:
            copies = list(self._voters())
        except FeatureError as error:
            error.row, error.where, error.rounds = at, f"row {at}", at - first
            raise
        rooms: list[NDArray[Any]] = []
        changed = np.zeros(to - at, dtype=np.bool_)
        refused: ExampleError | None = None
        for number, each in enumerate(copies):
            room, notes = block.room(number)
            try:
                each.learner.play_rows(block.rows, block.labels, room, at, to, notes)
            except ExampleError as error:
                if rooms:  # others accept the row: only this copy is over
                    self._retire(each)
                    continue
                refused, to = error, at + (error.rounds or 0)
            rooms.append(room)
            changed[: to - at] |= notes[at:to]
        said, changed = [room[at:to] for room in rooms], changed[: to - at]
        if self.outcome is Outcome.LABEL:
            self._vote_labels(block, said, changed, at, to)
        else:
            self._vote_classes(block, said, changed, at, to)
        if refused is not None:
            refused.row, refused.where = to, f"row {to}"
            refused.rounds = to - first
            raise refused

    def _vote_labels(
        self,
        block: _Block,
        said: list[NDArray[Any]],
        changed: NDArray[np.bool_],
        at: int,
        to: int,
    ) -> None:
        labels = np.ascontiguousarray(block.labels[at:to], dtype=np.bool_)
        weights = np.array([each.weight for each in self._copies])
        mistakes = np.zeros(len(weights), dtype=np.int64)
        scores = np.empty(to - at)
        _core.vote_copies(
            np.array(said, dtype=np.bool_),
            labels,
            weights,
            mistakes,
            self._factor,
            scores,
        )
        for each, weight, lost in zip(
            self._copies, weights.tolist(), mistakes.tolist(), strict=True
        ):
            each.weight = weight
            each.mistakes += lost
        block.predictions[at:to] = votes = scores >= 0
        if block.scores is not None:
            block.scores[at:to] = scores
        changed |= votes != labels
        if block.changed is not None:
            block.changed[at:to] = changed
        self._updates += int(np.count_nonzero(changed))
        self._rounds += to - at
        if to > at and self._rounds % self._size == 0:
            self._begin(self._rounds // self._size)

    def _vote_classes(
        self,
        block: _Block,
        said: list[NDArray[Any]],
        changed: NDArray[np.bool_],
        at: int,
        to: int,
    ) -> None:
        told = block.labels[at:to].tolist()
        rounds = list(zip(*(each.tolist() for each in said), strict=True))
        if block.changed is not None:
            block.changed[at:to] = changed
        votes, counted, weight = [], 0, self._weight()
        for row, its in enumerate(rounds):
            # While all copies are right, no weight moves, and rounds are counted later.
            if row + 1 < len(rounds) and its.count(told[row]) == len(its):
                votes.append(its[0])
                block.scored.append({its[0]: weight})
                continue
            self._rounds += row - counted
            self._updates += int(np.count_nonzero(changed[counted:row]))
            counted, before = row + 1, self._updates
            votes.append(self._settle([*its], told[row], changed=bool(changed[row])))
            block.scored.append(self._scored)
            if block.changed is not None:
                block.changed[at + row] = self._updates > before
            weight = self._weight()
        block.predictions[at:to] = objects(votes)

    def _retire(self, over: _Copy) -> None:
        self._copies.remove(over)
        self._scale()

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict each row; change nothing."""
        if is_mappings(X):
            return super().predict(X)
        rows = as_rows(X)
        said = [each.learner.predict(rows).tolist() for each in self._voters()]
        return self._array([self._voted([*row])[1] for row in zip(*said, strict=True)])

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the score of each row; change nothing."""
        if is_mappings(X):
            return np.array(one_by_one(self.score_one, X))
        rows = as_rows(X)
        said = [each.learner.predict(rows).tolist() for each in self._voters()]
        return np.array([self._voted([*row])[0] for row in zip(*said, strict=True)])

    # Parameters and state -----------------------------------------------------------

    def clone(self) -> Self:
        """Return a newborn learner with the same parameters."""
        return type(self)(**self.get_params())

    def save_state(self) -> dict[str, Any]:
        """Return the copies alive, with their weights and mistakes."""
        return {
            "learners": [each.learner for each in self._copies],
            "begun": [each.begun for each in self._copies],
            "weights": np.array([each.weight for each in self._copies]),
            "mistakes": [each.mistakes for each in self._copies],
            "rounds": self._rounds,
            "updates": self._updates,
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        owner = "Restarting"
        learners = state["learners"]
        begun = [whole(owner, "begun", each) for each in state["begun"]]
        weights = [float(weight) for weight in state["weights"]]
        mistakes = [whole(owner, "mistakes", each) for each in state["mistakes"]]
        self._rounds = whole(owner, "rounds", state["rounds"])
        self._updates = whole(owner, "updates", state["updates"])
        batch = self._rounds // self._size
        check(
            owner,
            len(learners) == len(begun) == len(weights) == len(mistakes) > 0
            and all(alike(each, self.learner) for each in learners)
            and all(0 < weight <= 1 for weight in weights)
            and begun == sorted(set(begun))
            and all(each <= batch for each in begun),
            "the copies alive",
        )
        self._copies = []
        for learner, start, weight, count in zip(
            learners, begun, weights, mistakes, strict=True
        ):
            # A copy of this learner must not share its copies.
            made = _Copy(start, copy.deepcopy(learner), weight)
            made.mistakes = count
            self._copies.append(made)
