"""Learners that weigh their experts, and charge them by a loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from littlestone import _core
from littlestone.errors import ExampleError, Given, ParameterError, in_row, refusal
from littlestone.experts._base import ExpertLearner
from littlestone.experts._parameters import as_range
from littlestone.learner.advice import Advice, as_advice, as_outcomes
from littlestone.learner.moment import Looks
from littlestone.learner.parameters import truth
from littlestone.losses import Loss, as_loss
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from littlestone.experts._parameters import Experts, Limits, LossSpec, Range
    from littlestone.learner.by_expert import ByExpert

__all__ = ["Forecaster"]

_COMBINE = {"mean": 0, "vote": 1, "draw": 2, "substitute": 3, "plurality": 4}
_ADVICE = (dict, list, tuple)  # the usual types of advice
_GIVEN = 7  # the native core's number for a loss that it does not know
_ARRAYS = (list, tuple, np.ndarray)
_COUNTS = (int, bool, float, np.int64, np.float64)
_MANY = 2**20  # outcomes, more than anyone has
_NOTHING = np.empty(0)
_NEVER = np.empty(0, dtype=np.int64)


class Forecaster(ExpertLearner):
    """A learner that weighs its experts, and charges them by a loss."""

    loss: LossSpec
    _native: _core.Forecaster
    _charged: Loss
    _hedges: bool  # whether a learner of labels is charged the mean of its experts
    _limits: Limits  # the range of losses
    takes_looks: ClassVar[bool] = True  # while it plays
    _plain: bool  # the native core reads the advice and knows the loss
    _spreads: bool  # experts may give distributions, and the core knows the loss
    _pairs: ClassVar[bool] = (
        False  # whether a number is the chance of the second of two
    )
    _charging: bool = False  # while a loss of the user's is being called

    def _make(
        self,
        rule: str,
        numbers: Sequence[float] = (),
        *,
        loss: LossSpec,
        combine: str | None = None,
        gradient: bool = False,
        hedge: bool = True,
        range: Range = None,  # noqa: A002 - as the learners call it
        bounds: Limits = (-math.inf, math.inf),
        interval: Limits = (-math.inf, math.inf),
        seed: int = 0,
        experts: Experts = None,
    ) -> None:
        """Make the native forecaster.

        `bounds` is the range of losses if none is given; `hedge` charges a learner of
        labels the weighted mean of its experts' losses; `interval` is that of numbers
        to substitute in.
        """
        owner = type(self).__name__
        self._charged = charged = as_loss(loss)
        if charged.of_score:
            raise ParameterError(
                "loss must charge what experts predict, got "
                f"{loss!r}, which charges a score",
                owner=owner,
            )
        labels = charged.outcome is Outcome.LABEL
        distributions = charged.outcome is Outcome.DISTRIBUTION
        self._hedges = labels and hedge
        self._votes = labels and not hedge
        self._plain = charged.native >= 0 and not distributions
        self._spreads = charged.native >= 0 and distributions
        gradient = truth(owner, "gradient", gradient)
        if gradient and charged.slope is None:
            raise ParameterError(
                f"{{gradient}} needs a loss with a slope, got {loss!r}",
                given=(Given("gradient", value=True),),
                owner=owner,
            )
        low, high = bounds if range is None else as_range(owner, range)
        self._limits = low, high
        self._native = _core.forecaster(
            owner,
            rule,
            list(numbers),
            loss=_GIVEN if charged.native < 0 else charged.native,
            tau=0.5 if charged.tau is None else charged.tau,
            combine=_COMBINE[combine or ("vote" if labels else "mean")],
            gradient=gradient,
            hedge=self._hedges,
            labels=labels and combine != "plurality",  # it has numbers of classes
            probabilities=distributions,
            low=low,
            high=high,
            least=interval[0],
            most=interval[1],
            seed=seed,
        )
        self._recruit(experts)

    @property
    def outcome(self) -> Outcome:
        """What is predicted, as its loss says."""
        return self._charged.outcome

    @property
    def spread_(self) -> float:
        """How far apart two losses may be; infinite if they are not bounded."""
        low, high = self._limits
        if not self._slopes:  # only the range limits slopes
            low, high = max(low, self._charged.low), min(high, self._charged.high)
        return high - low

    @property
    def weights_(self) -> ByExpert:
        """The weight of each expert; they sum to one."""
        return self._by_expert(self._native.weights)

    def weights_of(self, awake: ArrayLike) -> NDArray[np.float64]:
        """Return the weights of a round in which only some experts are awake.

        Parameters
        ----------
        awake
            A truth value for each expert, in their order; at least one must be true.

        Examples
        --------
        >>> from littlestone.experts import ExponentialWeights
        >>> ExponentialWeights(experts=3).weights_of([True, False, True]).tolist()
        [0.5, 0.0, 0.5]
        """
        asleep = ~np.asarray(awake, dtype=np.bool_)
        if asleep.shape != (self._native.size,) or asleep.all():
            raise ParameterError(
                f"awake must have a truth value for each of {self._native.size} "
                f"experts, and one that is true, got {awake!r}",
                owner=type(self).__name__,
            )
        weights = np.empty(self._native.size)
        self._native.weights(weights, asleep.astype(np.uint8) if asleep.any() else None)
        return weights

    @property
    def loss_(self) -> float:
        """The learner's own loss; for labels, the expected one."""
        return self._native.own_loss

    @property
    def last_loss_(self) -> float:
        """The learner's own loss in the latest round."""
        return self._native.last_loss

    @property
    def expected_mistakes_(self) -> float | None:
        """The expected mistakes if an expert were drawn; None for numbers."""
        return self._native.expected if self._hedges else None

    def _advice(self, X: Any, awake: ArrayLike | None) -> Advice:
        charged = self._charged
        numbers = charged.outcome is Outcome.NUMBER and charged.native >= 0
        return as_advice(X, awake=awake, look=not numbers)

    def _met(self, advice: Advice) -> Advice:
        """Refuse distributions, unless the loss takes them."""
        values = advice.values
        if values.ndim > 2:  # noqa: PLR2004 - a distribution from each expert
            owner = type(self).__name__
            if self.outcome is not Outcome.DISTRIBUTION:
                raise ParameterError(
                    "only log and brier loss take distributions, got "
                    f"{self._charged!r}",
                    owner=owner,
                )
            if values.shape[2] == 1:
                first = 0 if advice.names is None else advice.names[0]
                raise refusal(
                    "expert_outcomes", owner=owner, row=0, feature=first, value=1
                )
        return super()._met(advice)

    def _begin(self, names: list[Any] | None, priors: NDArray[np.float64]) -> None:
        self._native.begin(priors, names)

    def _join(self, expert: Hashable, share: float) -> None:
        if self._charging:
            raise refusal("busy", owner=type(self).__name__)
        self._native.join(share, expert)

    def play_one(self, x: Any, y: Any, sample_weight: int = 1) -> Any:
        """Predict, then learn; return what was predicted."""
        usual = sample_weight == 1 and type(x) in _ADVICE
        if usual and not self._plain:
            usual = self._spreads and not self._pairs and _are_floats(x)
        if usual and (size := self._native.size):
            said = self._native.play_one(x, y)
            if len(x) < size:
                self._slept = True
            return said
        if self._spreads and sample_weight == 1:
            whole = self._play_whole(x, y)
            if whole is not None:
                return whole
        return super().play_one(x, y, sample_weight)

    def _play_whole(self, x: Any, y: Any) -> NDArray[np.float64] | None:
        """Play a round in which all experts give distributions, as they usually do.

        None, and nothing is played, if a closer look is needed.
        """
        x, outcome = _listed(x), self._outcome(y)
        if outcome is None or type(x) not in _ADVICE or not len(x):
            return None
        first = x[next(iter(x))] if type(x) is dict else x[0]
        if type(first) is np.ndarray and type(x) is dict:
            x = {expert: _listed(p) for expert, p in x.items()}
        elif type(first) is np.ndarray:
            x = [_listed(p) for p in x]
        said = np.empty(self._wide(first))
        return said if self._native.play_spread(x, outcome, said, self._pairs) else None

    def _wide(self, said: Any) -> int:
        """Return how many outcomes an expert gives a probability; 0 if not plainly."""
        return len(said) if type(said) in _ARRAYS else 0

    def _outcome(self, y: Any) -> float | None:
        """Return the number of an outcome; None if that is not plain."""
        return float(y) if type(y) in _COUNTS and 0 <= y < _MANY else None

    def _predict_one(self, x: Any) -> Any:
        if self._of_distributions(x):
            with self._alone():
                return self._predict(self._met(self._round(x)))[0]
        return self._native.predict_one(x)

    def _play_one(self, x: Any, y: Any) -> Any:
        if self._charged.native < 0:
            return self._play_given(x, y)
        if self._of_distributions(x):
            return self._play_distributions(x, y)
        return self._native.play_one(x, y)

    def _of_distributions(self, x: Any) -> bool:
        """Return whether each expert gives a distribution and not a number."""
        if self.outcome is not Outcome.DISTRIBUTION:
            return False
        if hasattr(x, "keys"):
            x = [*dict(x).values()]
        return isinstance(x, (Sequence, np.ndarray)) and any(map(_is_long, x))

    def _round(self, x: Any) -> Advice:
        """Return one round of distributions over the same number of outcomes."""
        pairs = dict(x).items() if hasattr(x, "keys") else enumerate(x)
        width = 0
        for expert, p in pairs:
            if not _is_long(p) or len(p) != (width or max(2, len(p))):
                value = len(p) if _is_long(p) else p
                owner = type(self).__name__
                raise refusal(
                    "expert_outcomes", owner=owner, feature=expert, value=value
                )
            width = len(p)
        return as_advice([dict(x) if hasattr(x, "keys") else x])

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Leave the row out of an error, as there is a single round."""
        try:
            yield
        except ExampleError as error:
            error.owner = error.owner or type(self).__name__
            error.where, error.rounds, error.row = "", None, None
            raise

    def _play_distributions(self, x: Any, y: Any) -> NDArray[np.float64]:
        with self._alone():
            advice = self._met(self._round(x))
            predictions = self.room_for(advice, 1)
            outcomes = self.as_outcomes([y], 1)
            self.play_advice(advice, outcomes, predictions, np.empty(1), range(1))
        return predictions[0]  # type: ignore[no-any-return]  # a distribution

    def _play_given(self, x: Any, y: Any) -> Any:
        """Play with a loss that is a Python function, which must not play itself."""
        if self._charging:
            raise refusal("busy", owner=type(self).__name__)
        self._charging = True
        try:
            return self._play_charged(x, y)
        finally:
            self._charging = False

    def _play_charged(self, x: Any, y: Any) -> Any:
        owner, loss, names = type(self).__name__, self._charged, self.experts_
        row = np.array(self._native.read_one(x))
        predicted = self._native.predict_one(x)
        with self._alone():
            outcome = float(as_outcomes([y], 1)[0])

        def charge(call: Callable[[Any, Any], Any], said: Any, who: object) -> float:
            try:
                cost = float(call(said, outcome))
            except (ArithmeticError, TypeError, ValueError) as error:
                raise refusal("loss", owner=owner, feature=who, value=error) from error
            if not math.isfinite(cost):
                raise refusal("loss", owner=owner, feature=who, value=cost)
            return cost

        losses = np.full(len(row), np.nan)
        for at in np.flatnonzero(~np.isnan(row)):
            losses[at] = charge(loss.value, float(row[at]), names[at])
        own = charge(loss.value, predicted, "itself")
        slope = 0.0
        if self._slopes and loss.slope is not None:
            slope = charge(loss.slope, predicted, "itself")
        asleep = np.isnan(row)
        losses[asleep] = 0.0
        self._native.learn_given(row, losses, own, slope, bool(asleep.any()))
        return predicted

    @property
    def _slopes(self) -> bool:
        return bool(getattr(self, "gradient", False))

    def _predict(self, advice: Advice) -> NDArray[Any]:
        predictions = np.empty((len(advice), *self._shape(advice)))
        self._native.predict(
            self._numbers(advice),
            predictions.reshape(-1),
            0,
            len(advice),
            self._width(advice),
            advice.may_sleep,
        )
        return predictions == 1 if self.outcome is Outcome.LABEL else predictions

    def play_advice(
        self,
        advice: Advice,
        outcomes: NDArray[Any],
        predictions: NDArray[Any],
        losses: NDArray[np.float64],
        rounds: range,
        *,
        looks: Looks | None = None,
    ) -> None:
        """Play some of the rounds, as `run` does, block by block.

        `looks` says after which of them to take down the books and weights.
        """
        looks = looks or Looks()
        with self._meeting():
            advice = self._met(advice)
            if self._charged.native < 0:
                self._play_rows_given(
                    advice, outcomes, predictions, losses, rounds, looks=looks
                )
                return
            said = np.empty((len(predictions), *self._shape(advice)))
            seen = np.empty((len(looks.after), 3, self._native.size))
            before = self._native.rounds
            try:
                self._native.play(
                    self._numbers(advice),
                    outcomes.astype(np.float64, copy=False),
                    said.reshape(-1),
                    losses,
                    rounds.start,
                    rounds.stop,
                    self._width(advice),
                    advice.may_sleep,
                    looks.after,
                    seen.reshape(-1),
                )
            finally:
                first = rounds.start
                played = range(first, first + self._native.rounds - before)
                done = slice(first, played.stop)
                predictions[done] = said[done]
                sleeper = self._first_sleeper(advice, played)
                looks.take(before - first, played.stop, seen, sleeper)
                self._slept = sleeper < played.stop

    def _first_sleeper(self, advice: Advice, played: range) -> int:
        """Return the first of the rounds by which an expert had slept."""
        if self._slept:
            return -1
        if advice.may_sleep and played:
            values = advice.values[played.start : played.stop]
            asleep = np.isnan(values).reshape(len(played), -1).any(axis=1)
            if asleep.any():
                return played.start + int(asleep.argmax())
        return played.stop

    def _play_rows_given(
        self,
        advice: Advice,
        outcomes: NDArray[Any],
        predictions: NDArray[Any],
        losses: NDArray[np.float64],
        rounds: range,
        *,
        looks: Looks,
    ) -> None:
        wanted = set(looks.after.tolist())
        for row in rounds:
            try:
                predictions[row] = self.play_one(advice.row(row), outcomes[row].item())
            except ExampleError as error:
                in_row(error, row, row - rounds.start)
                raise
            losses[row] = self.last_loss_
            if row + 1 in wanted:
                looks.seen.append(self.seen())

    def _numbers(self, advice: Advice) -> NDArray[Any]:
        """Return the numbers for the native core; labels are 0 and 1."""
        values = advice.values
        truths = values.dtype == np.bool_
        if self.outcome is not Outcome.LABEL:
            return values.astype(np.float64) if truths else values
        if truths:
            return values
        low = np.nanmin(values) if values.size else 0.0
        return np.where(values == -1, 0.0, values) if low < 0 else values

    def _width(self, advice: Advice) -> int:
        """Return how many numbers are predicted."""
        return math.prod(self._shape(advice))


def _listed(p: Any) -> Any:
    """Return a list for an array, and anything else as it is."""
    return p.tolist() if type(p) is np.ndarray else p


def _are_floats(x: Any) -> bool:
    """Return whether advice is plainly a number from each expert."""
    return {*map(type, x.values() if type(x) is dict else x)} == {float}


def _is_long(p: Any) -> bool:
    """Return whether a prediction is a distribution, not a number or a text."""
    return hasattr(p, "__len__") and not isinstance(p, (str, bytes))
