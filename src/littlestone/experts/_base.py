"""The base of all learners that take the advice of experts: their losses and rounds."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from littlestone import _core
from littlestone.experts._parameters import are_names
from littlestone.experts._roster import Roster
from littlestone.learner import as_repeats, as_times, one_by_one, read_labels
from littlestone.learner.advice import Advice, as_advice
from littlestone.learner.by_expert import ByExpert
from littlestone.learner.moment import Moment, Seen
from littlestone.learner.packing import check, is_array
from littlestone.learner.parameters import truth
from littlestone.outcome import Outcome
from littlestone.theorems import Condition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray

    from littlestone.theorems import Number

__all__ = ["ExpertLearner", "SaysLabels"]


class ExpertLearner(Roster):
    """A learner whose examples are the predictions of experts.

    Advice is a sequence of predictions, one per expert, or a mapping from expert to
    prediction; experts that a mapping leaves out sleep in that round. The experts are
    given in the constructor, or taken from the first advice; others may `join` later.
    """

    _slept: bool = False  # whether an expert may have slept

    # Losses ---------------------------------------------------------------------

    @property
    def updates_(self) -> int:
        """How many rounds it has learned from."""
        return self._native.rounds

    @property
    @abstractmethod
    def loss_(self) -> float:
        """The learner's own loss."""

    @property
    @abstractmethod
    def last_loss_(self) -> float:
        """The learner's own loss in the latest round."""

    @property
    def expected_mistakes_(self) -> float | None:
        """The expected mistakes over its own random draws; None if it does not draw."""
        return None

    @property
    def keeps_losses_(self) -> bool:
        """Whether it counts the losses of the experts."""
        return True

    @property
    @abstractmethod
    def weights_(self) -> ByExpert:
        """The weight of each expert; they sum to one."""

    @property
    def losses_(self) -> ByExpert:
        """The loss of each expert while awake."""
        return self._by_expert(self._native.losses)

    @property
    def own_losses_(self) -> ByExpert:
        """The learner's own loss while each expert was awake."""
        return self._by_expert(self._native.own_losses)

    def books(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the loss of each expert, and the learner's own while it was awake.

        Examples
        --------
        >>> from littlestone.experts import WeightedMajority
        >>> learner = WeightedMajority(experts=2)
        >>> learner.learn_one([True, False], False)
        >>> theirs, own = learner.books()
        >>> theirs.tolist(), own.tolist()
        ([1.0, 0.0], [1.0, 1.0])
        """
        theirs, own = np.empty((2, self._native.size))
        self._native.losses(theirs)
        self._native.own_losses(own)
        return theirs, own

    @property
    def regret_(self) -> ByExpert:
        """How much more the learner lost than each expert while that one was awake."""
        own, theirs = np.asarray(self.own_losses_), np.asarray(self.losses_)
        return ByExpert(self._names, own - theirs)

    @property
    def best_expert_(self) -> Any:
        """The expert with the largest regret: the best one to have followed."""
        regrets = np.asarray(self.regret_)
        return self.experts_[int(np.argmax(regrets))] if len(regrets) else None

    # What theorems need -----------------------------------------------------------

    def moment(self) -> Moment:
        """Return what theorems ask of it now."""
        at = lost = None
        if self.keeps_losses_ and self._began_together:
            losses, own = self.books()
            at = int(self.rivals(losses, own))
            lost = float(losses[at])
        return Moment(self._native.rounds, self._native.size, at, lost, self._slept)

    def seen(self) -> Seen:
        """Return its books and weights as they are now."""
        losses, own = self.books()
        return Seen(
            np.array([self._native.rounds]),
            losses[np.newaxis],
            own[np.newaxis],
            self.weights_.numbers[np.newaxis],
            np.array([self._slept], np.bool_),
            self._names,
        )

    def at_rest(self) -> Self:
        """Return a copy that can answer `known_at` and nothing else.

        It keeps the parameters and what the experts began with, whatever this learner
        learns later.
        """
        resting = object.__new__(type(self))
        resting.__dict__.update(self.__dict__, _native=None)
        return resting

    @property
    def _began_together(self) -> bool:
        """Whether no expert has joined, as theorems assume one common start."""
        return self._priors is not None and len(self._priors) == self._native.size

    @property
    def unmet_(self) -> frozenset[Condition]:
        """The conditions of theorems that are not met so far."""
        return self.unmet_at(slept=self._slept)

    @property
    def known_(self) -> dict[str, Number]:
        """The numbers that theorems need, as far as they are known."""
        return self.known_at(self.moment())

    def unmet_at(self, *, slept: bool) -> frozenset[Condition]:
        """Return that all are always awake, once one slept; before, that one did."""
        return frozenset({Condition.AWAKE if slept else Condition.ASLEEP})

    def known_at(self, moment: Moment) -> dict[str, Number]:
        """Return the number of experts, the rounds played, and the loss of the best.

        Nothing after an expert has joined, as theorems assume one common start.
        """
        priors = self._priors
        if priors is None or len(priors) != moment.experts:
            return {}
        known: dict[str, Number] = {"experts": len(priors), "rounds": moment.rounds}
        equal = self._equal
        if moment.rival is not None and moment.lost is not None:
            lost = moment.lost
            known["best"] = int(lost) if self.outcome is Outcome.LABEL else lost
            if not equal:
                known["prior"] = float(priors[moment.rival])
        elif not equal:
            return {}
        return known

    def rivals(self, losses: NDArray[np.float64], own: NDArray[np.float64]) -> Any:
        """Return the position of the expert to which bounds compare the learner.

        The last axis of both arrays is that of the experts; there is a position for
        each of the other axes.
        """
        return (own - losses).argmax(axis=-1)

    def _cheapest(self, losses: NDArray[np.float64], price: float) -> Any:
        """Return the expert with the least cost: its loss times a price - ln prior."""
        priors = self._priors
        if self._equal or priors is None or len(priors) != losses.shape[-1]:
            return losses.argmin(axis=-1)
        return (losses * price - np.log(priors)).argmin(axis=-1)

    def _by_expert(
        self, fill: Callable[[NDArray[np.float64]], object], size: int | None = None
    ) -> ByExpert:
        values = np.empty(self._native.size if size is None else size)
        fill(values)
        return ByExpert(self._names, values)

    # Rounds -------------------------------------------------------------------

    def predict_one(self, x: Any) -> Any:
        """Predict from the advice of one round; change nothing."""
        if self._native.size == 0:
            newborn = self.clone()
            newborn._meet(x)  # noqa: SLF001 - of a copy of its own
            return newborn.predict_one(x)
        return self._predict_one(x)

    def learn_one(self, x: Any, y: Any, sample_weight: int = 1) -> None:
        """Learn from the advice of one round and its outcome."""
        self.play_one(x, y, sample_weight)

    def play_one(self, x: Any, y: Any, sample_weight: int = 1) -> Any:
        """Predict, then learn; return what was predicted."""
        times = as_times(sample_weight)
        if times == 0:
            return self.predict_one(x)
        with self._meeting():
            if self._native.size == 0:
                self._meet(x)
            predicted = self._play_one(x, y)
        if len(x) < self._native.size:
            self._slept = True
        for _ in range(times - 1):
            self._play_one(x, y)
        return predicted

    @abstractmethod
    def _predict_one(self, x: Any) -> Any:
        """Predict natively, once the experts are known."""

    @abstractmethod
    def _play_one(self, x: Any, y: Any) -> Any:
        """Play natively, once the experts are known."""

    def play(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        awake: ArrayLike | None = None,
    ) -> NDArray[Any]:
        """Play the rounds in order, each predicted before it is learned from.

        Parameters
        ----------
        X
            Rounds × experts, or rounds × experts × outcomes for distributions: an
            array, a frame whose columns are the experts, or a list of rounds.
        y
            One outcome per round.
        sample_weight
            How often each round is learned from; whole numbers.
        awake
            Rounds × experts of truth values: which experts are awake. By default all.
        """
        advice = X if isinstance(X, Advice) else self._advice(X, awake)
        if sample_weight is not None:
            weights = as_repeats(sample_weight, len(advice)).tolist()
            rows = [advice.row(t) for t in range(len(advice))]
            played = one_by_one(self.play_one, rows, np.asarray(y).tolist(), weights)
            return np.array(played)
        outcomes = self.as_outcomes(y, len(advice))
        predictions = self.room_for(advice, len(advice))
        rounds = range(len(advice))
        self.play_advice(advice, outcomes, predictions, np.empty(len(advice)), rounds)
        return predictions

    def _advice(self, X: Any, awake: ArrayLike | None) -> Advice:
        """Return the advice, checked as far as playing it does not check it."""
        return as_advice(X, awake=awake)

    def predict(self, X: Any, *, awake: ArrayLike | None = None) -> NDArray[Any]:
        """Predict each round; change nothing."""
        advice = X if isinstance(X, Advice) else as_advice(X, awake=awake)
        if self._native.size == 0:
            newborn = self.clone()
            newborn._met(advice)  # noqa: SLF001 - of a copy of its own
            return newborn.predict(advice)
        return self._predict(self._met(advice))

    @abstractmethod
    def _predict(self, advice: Advice) -> NDArray[Any]:
        """Predict natively, once the experts are known."""

    @contextmanager
    def _meeting(self) -> Iterator[None]:
        """Forget the experts again if the very first round is refused."""
        met = self._native.size > 0
        try:
            yield
        except BaseException:
            if not met and self.updates_ == 0:
                self.set_params()
            raise

    @abstractmethod
    def play_advice(
        self,
        advice: Advice,
        outcomes: NDArray[Any],
        predictions: NDArray[Any],
        losses: NDArray[np.float64],
        rounds: range,
    ) -> None:
        """Play some of the rounds, as `run` does, block by block.

        Predictions and losses are written into the arrays, also when a round is
        refused.
        """

    def as_outcomes(self, y: ArrayLike, length: int) -> NDArray[Any]:
        """Return `length` outcomes as this learner needs them."""
        return read_labels(self.outcome, y, length)

    def room_for(self, advice: Advice, length: int) -> NDArray[Any]:
        """Return an array for `length` predictions."""
        if self.outcome is Outcome.LABEL:
            return np.empty(length, dtype=np.bool_)
        return np.empty((length, *self._shape(advice)))

    def _shape(self, advice: Advice) -> tuple[int, ...]:
        """Return the shape of a prediction: that of a number or a distribution."""
        return advice.values.shape[2:]

    def save_state(self) -> dict[str, Any]:
        """Return the experts, and all that is known about them."""
        state = self._native.state() if self._native.size else []
        kind = np.uint64 if isinstance(self._native, _core.Halving) else np.float64
        return {
            "names": None if self._names is None else list(self._names),
            "state": [np.array(part, dtype=kind) for part in state],
            "priors": self._priors,
            "slept": self._slept,
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Give this newborn the state of another learner with the same parameters."""
        owner, names = type(self).__name__, state["names"]
        if not state["state"]:
            check(owner, names is None and not self._native.size, "experts")
            return
        kind = np.uint64 if isinstance(self._native, _core.Halving) else np.float64
        for part in state["state"]:
            check(owner, is_array(part, kind), "arrays with one axis")
        check(owner, names is None or are_names(names), "distinct names")
        if kind is np.float64:  # the other parts may be infinite, as losses may be
            shares = state["state"][0]
            check(owner, bool(((shares > 0) & (shares < np.inf)).all()), "priors")
        try:
            self._native.restore([part.tolist() for part in state["state"]], names)
        except (IndexError, TypeError, ValueError):
            check(owner, False, "numbers for each expert")
        self._names = (
            None if names is None else {name: k for k, name in enumerate(names)}
        )
        began = state["priors"]
        sound = is_array(began, np.float64) and 0 < len(began) <= self._native.size
        check(owner, began is None or sound, "priors")
        # With NumPy's own dtype object, so that copies have equal pickles.
        self._priors = None if began is None else np.array(began.tolist())
        self._equal = began is None or not np.ptp(began)
        self._slept = truth(owner, "slept", state["slept"])


class SaysLabels:
    """Tells type checkers that a learner predicts yes or no."""

    if TYPE_CHECKING:

        def predict_one(self, x: Any) -> bool:
            """Predict from the advice of one round; change nothing."""

        def play_one(self, x: Any, y: Any, sample_weight: int = 1) -> bool:
            """Predict, then learn; return what was predicted."""
