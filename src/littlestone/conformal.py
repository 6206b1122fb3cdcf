"""Intervals around any forecast, with coverage that holds on every sequence."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from littlestone import theorems
from littlestone.errors import ParameterError, refusal
from littlestone.learner import Learner
from littlestone.learner.members import as_member
from littlestone.learner.packing import alike, check, copied
from littlestone.learner.parameters import finite, positive, whole
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from littlestone.learner.members import Member
    from littlestone.learner.rows import Example

__all__ = ["FORECAST", "Adaptive", "Interval"]

FORECAST = "forecast"  # the feature of an example that is a forecast itself

LATELY = 200  # rounds that are kept to be drawn


class Interval(NamedTuple):
    """The range in which an outcome is expected.

    Attributes
    ----------
    low, high
        Its ends; infinite if every outcome is expected, and with `low` above `high` if
        none is.

    Examples
    --------
    >>> from littlestone.conformal import Interval
    >>> 2.0 in Interval(1.0, 3.0), 4.0 in Interval(1.0, 3.0)
    (True, False)
    """

    low: float
    high: float

    @property
    def ends(self) -> list[float | None]:
        """Both ends as JSON has them.

        None for one that is infinite; none at all where nothing is expected.

        Examples
        --------
        >>> from math import inf
        >>> from littlestone.conformal import Interval
        >>> Interval(1.0, 3.0).ends, Interval(-inf, inf).ends, Interval(inf, -inf).ends
        ([1.0, 3.0], [None, None], [])
        """
        if self.low > self.high:
            return []
        return [end if math.isfinite(end) else None for end in self]

    def __contains__(self, outcome: object) -> bool:
        return isinstance(outcome, (int, float)) and self.low <= outcome <= self.high


class Adaptive(Learner):
    r"""Adaptive conformal intervals: right as often as you ask, on every sequence.

    An interval reaches as far from the forecast as the recent errors did, except for a
    share $a_t$ of them, the largest. After each round that share is corrected,

    $$a_{t+1} = a_t + \gamma\,(\alpha - \mathrm{err}_t), \qquad a_1 = \alpha = 1 -
    \mathrm{level},$$

    where $\mathrm{err}_t$ is 1 if the outcome was outside. With $a_t \le 0$ every
    outcome is expected, with $a_t \ge 1$ none.

    Parameters
    ----------
    forecaster
        A learner of numbers of littlestone, River or scikit-learn; it learns from every
        round. None where an example is a forecast itself: a number, or a mapping with
        `"forecast"`.
    level
        How often the outcome should be inside, between 0 and 1.
    rate
        $\gamma > 0$, how fast the share is corrected.
    window
        How many errors are remembered.

    Attributes
    ----------
    coverage_, misses_, rounds_
        The share of outcomes that were inside so far, how many were not, of how many.
    alpha_
        $a_t$, the share of errors that the next interval leaves out.
    mean_width_
        The mean width of the intervals that are finite and not empty.
    loss_, last_loss_
        The absolute errors of the forecasts, in all rounds and in the latest.

    Guarantees
    ----------
    `ACI`: on every sequence the misses differ from $\alpha T$ by at most
    $(\max(\alpha, 1 - \alpha) + \gamma)/\gamma$.

    References
    ----------
    Gibbs, Candès (2021), Adaptive conformal inference under distribution shift,
    Advances in Neural Information Processing Systems 34.

    Examples
    --------
    >>> from littlestone.conformal import Adaptive
    >>> learner = Adaptive(level=0.5, rate=0.25)
    >>> for outcome in [1.0, -2.0, 3.0]:
    ...     learner.learn_one(0.0, outcome)
    >>> learner.predict_interval_one(10.0)
    Interval(low=7.0, high=13.0)
    >>> learner.misses_, learner.rounds_
    (2, 3)
    """

    outcome = Outcome.NUMBER
    loss = "absolute"

    def __init__(
        self,
        forecaster: Any = None,
        level: float = 0.9,
        rate: float = 0.05,
        *,
        window: int = 1000,
    ) -> None:
        self.forecaster = forecaster
        self.level = level
        self.rate = rate
        self.window = window
        self._member: Member | None = None
        if forecaster is not None:
            ours = isinstance(forecaster, Learner)
            if ours and forecaster.outcome is not Outcome.NUMBER:
                raise ParameterError(
                    f"the forecaster must predict numbers, got {forecaster!r}",
                    owner="Adaptive",
                )
            own = forecaster.clone() if ours else forecaster
            self._member = as_member(
                "the forecaster", own, Outcome.NUMBER, owner="Adaptive"
            )
        self._alpha = 1.0 - _between_0_and_1(level)
        self._rate = positive("Adaptive", "rate", rate)
        self._errors: deque[float] = deque(
            maxlen=whole("Adaptive", "window", window, low=1)
        )
        self._sorted: list[float] = []
        self.alpha_ = self._alpha
        self.rounds_ = self.misses_ = 0
        self.loss_ = self.last_loss_ = 0.0
        self._widths, self._wide = 0.0, 0
        self._band: deque[tuple[float, float]] = deque(maxlen=LATELY)

    @property
    def forecaster_(self) -> Any:
        """The forecaster that has learned."""
        return None if self._member is None else self._member.learner

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem on its coverage."""
        return (theorems.ACI,)

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """Its level and rate."""
        return {"level": float(self.level), "rate": float(self.rate)}

    @property
    def updates_(self) -> int:
        """How many rounds have changed it: all of them."""
        return self.rounds_

    @property
    def coverage_(self) -> float:
        """The share of outcomes that were inside so far."""
        return 1.0 - self.misses_ / self.rounds_ if self.rounds_ else math.nan

    @property
    def intervals_(self) -> tuple[int, int, float, int]:
        """Rounds, misses, the sum of all finite widths, and how many these are."""
        return self.rounds_, self.misses_, self._widths, self._wide

    @property
    def band_(self) -> tuple[tuple[float, float], ...]:
        """Outcome minus forecast and half the width of the interval, lately.

        Of the latest 200 rounds; the width may be infinite, or below 0 for an empty
        interval.

        Examples
        --------
        >>> from littlestone.conformal import Adaptive
        >>> learner = Adaptive(level=0.5, rate=0.25)
        >>> for outcome in [1.0, -2.0, 3.0]:
        ...     learner.learn_one(0.0, outcome)
        >>> learner.band_
        ((1.0, inf), (-2.0, 1.0), (3.0, 2.0))
        """
        return tuple(self._band)

    @property
    def mean_width_(self) -> float:
        """The mean width of the intervals that are finite and not empty."""
        return self._widths / self._wide if self._wide else math.nan

    def predict_one(self, x: Example) -> float:
        """Return the forecast of one example; change nothing."""
        if self._member is not None:
            said = self._member.predict(x)
            return 0.0 if said is None else _number("forecast", said)
        return _number("forecast", x.get(FORECAST) if isinstance(x, Mapping) else x)

    def predict_interval_one(self, x: Example) -> Interval:
        """Return where the outcome of one example is expected; change nothing."""
        return self._around(self.predict_one(x))

    def learn_one(self, x: Example, y: Any, sample_weight: int = 1) -> None:
        """Learn whether the outcome was inside, and let the forecaster learn."""
        self.play_one(x, y, sample_weight)

    def play_one(self, x: Example, y: Any, sample_weight: int = 1) -> float:
        """Forecast, then learn; return the forecast."""
        if sample_weight != 1:
            raise ParameterError(
                f"a sample weight must be 1, got {sample_weight!r}", owner="Adaptive"
            )
        outcome, said = _number("outcome", y), self.predict_one(x)
        if not math.isfinite(self.loss_ + abs(outcome - said)):
            raise refusal("off", owner="Adaptive", value=outcome)
        if self._member is not None:
            self._member.learn(x, y)
        self._settle(said, outcome)
        return said

    def forecasts(
        self, stream: Iterable[tuple[Any, Any]]
    ) -> Iterator[tuple[dict[str, float], Any]]:
        """Yield what a fresh forecaster says of a stream, with the outcomes.

        A certificate is about these examples, wherever the forecasts come from.

        Examples
        --------
        >>> from littlestone.conformal import Adaptive
        >>> from littlestone.linear import CoinBetting
        >>> stream = [([1.0], 2.0), ([1.0], 2.0)]
        >>> list(Adaptive(CoinBetting("square")).forecasts(stream))[0]
        ({'forecast': 0.0}, 2.0)
        """
        fresh = self.clone()
        for x, y in stream:
            yield {FORECAST: fresh.play_one(x, y)}, y

    def save_state(self) -> dict[str, Any]:
        """Return the errors of late, the counts, and the forecaster."""
        state: dict[str, Any] = {
            "errors": list(self._errors),
            "band": [list(pair) for pair in self._band],
            "alpha": self.alpha_,
            "rounds": self.rounds_,
            "misses": self.misses_,
            "losses": [self.loss_, self.last_loss_],
            "widths": [self._widths, self._wide],
        }
        if self._member is None:
            return state
        columns = self._member.save_columns()
        return state | {"forecaster": self.forecaster_, "columns": columns}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        owner = "Adaptive"
        member, errors = state.get("forecaster"), [*map(float, state["errors"])]
        rounds = whole(owner, "rounds", state["rounds"])
        misses = whole(owner, "misses", state["misses"])
        wide = whole(owner, "finite widths", state["widths"][1])
        alpha = finite(owner, "alpha", state["alpha"])
        sums = (*state["losses"], state["widths"][0])
        check(
            owner,
            alike(member, self.forecaster_)
            and len(errors) == min(rounds, self._errors.maxlen or 0)
            and all(0.0 <= each < math.inf for each in errors)
            and max(misses, wide) <= rounds
            and -self._rate <= alpha <= 1.0 + self._rate
            and all(finite(owner, "a sum", each) >= 0.0 for each in sums)
            and len(state["band"]) == min(rounds, LATELY),
            "the errors and counts of such intervals",
        )
        if member is not None:
            # A copy of this learner must not share its forecaster.
            own = copied(member, self.forecaster)
            self._member = as_member("the forecaster", own, Outcome.NUMBER, owner=owner)
            self._member.load_columns(state["columns"])
        self._errors.extend(errors)
        self._sorted = sorted(errors)
        self._band.extend((float(off), float(reach)) for off, reach in state["band"])
        self.alpha_, self.rounds_, self.misses_ = alpha, rounds, misses
        self.loss_, self.last_loss_ = map(float, state["losses"])
        self._widths, self._wide = float(state["widths"][0]), wide

    def _around(self, forecast: float) -> Interval:
        """Return the interval around a forecast."""
        count = len(self._sorted)
        reach = math.ceil((count + 1) * (1.0 - self.alpha_))
        if self.alpha_ <= 0.0 or reach > count:
            return Interval(-math.inf, math.inf)
        if self.alpha_ >= 1.0 or reach < 1:
            return Interval(math.inf, -math.inf)
        size = self._sorted[reach - 1]
        return Interval(forecast - size, forecast + size)

    def _settle(self, forecast: float, outcome: float) -> None:
        """Count the round, and correct the share."""
        expected = self._around(forecast)
        missed = outcome not in expected
        width = expected.high - expected.low
        if math.isfinite(self._widths + width):
            self._widths += width
            self._wide += 1
        self._band.append((outcome - forecast, width / 2))
        self.misses_ += missed
        self.rounds_ += 1
        self.alpha_ += self._rate * (self._alpha - missed)
        error = abs(outcome - forecast)
        self.last_loss_ = error
        self.loss_ += error
        if len(self._errors) == self._errors.maxlen:
            del self._sorted[bisect_left(self._sorted, self._errors[0])]
        self._errors.append(error)
        insort(self._sorted, error)


def _number(kind: str, value: Any) -> float:
    """Return a finite number, or refuse the round."""
    try:
        number = math.nan if isinstance(value, (str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise refusal(kind, owner="Adaptive", value=value)
    return number


def _between_0_and_1(level: object) -> float:
    number = finite("Adaptive", "level", level)
    if not 0 < number < 1:
        raise ParameterError(
            f"level must lie between 0 and 1, got {level!r}", owner="Adaptive"
        )
    return number
