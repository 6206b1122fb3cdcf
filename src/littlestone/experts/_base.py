"""What all learners with expert advice share: a roster of experts, and their books."""

from __future__ import annotations

import math
import sys
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from littlestone import _core
from littlestone.advice import Advice, as_advice, as_outcomes
from littlestone.errors import ExampleError, ParameterError, in_row, refusal
from littlestone.learner import Learner, as_labels, as_repeats, one_by_one
from littlestone.losses import Loss, as_loss
from littlestone.packing import check, is_array
from littlestone.parameters import truth

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from littlestone.theorems import Number

__all__ = [
    "ASLEEP",
    "AWAKE",
    "ByExpert",
    "ExpertLearner",
    "Experts",
    "Forecaster",
    "LossSpec",
    "Range",
    "SaysLabels",
    "between",
    "bounds_of",
    "form_of",
    "logarithm",
]

# How many experts there are; or their names; or their names with their priors.
Experts: TypeAlias = int | Sequence[Hashable] | Mapping[Any, float] | None
Limits: TypeAlias = tuple[float, float]
Range: TypeAlias = Limits | None
LossSpec: TypeAlias = str | Loss | Callable[[Any, Any], Any]

_COMBINE = {"mean": 0, "vote": 1, "draw": 2, "substitute": 3}
_SMALLEST = sys.float_info.min  # below, doubles lose digits
_ADVICE = (dict, list, tuple)  # what advice is most of the time
# The theorems that speak of rounds on which nobody sleeps, and those that need not.
AWAKE = frozenset(
    {
        "ADAHEDGE-FIRST",
        "EWA",
        "EWA-T",
        "EWA-XC",
        "FS",
        "FS-XC",
        "HALV",
        "HALV-R",
        "RWM",
        "WM",
        "WM-FLOOR",
        "WM-FLOOR-START",
    }
)
ASLEEP = frozenset({"SLEEP", "SLEEP-T", "SLEEP-XC"})
_GIVEN = 7  # the native core's number for a loss that it does not know


def between(owner: str, name: str, value: object, low: float, high: float) -> float:
    """Return the float strictly between two others that a parameter is."""
    number = value if isinstance(value, (int, float, np.number)) else math.nan
    if not low < number < high:
        raise ParameterError(
            f"{owner}: {name} must lie between {low:g} and {high:g}, got {value!r}"
        )
    return float(number)


def form_of(owner: str, form: object) -> bool:
    """Tell whether a form is opera's, and not the published one."""
    if form not in ("opera", "published"):
        raise ParameterError(
            f"{owner}: form must be 'opera' or 'published', got {form!r}"
        )
    return form == "opera"


def bounds_of(
    owner: str,
    form: str,
    *,
    gradient: bool,
    range: Range,  # noqa: A002 - as learners call it
) -> Limits:
    """Return what losses may be in a form if no range is given."""
    if form == "opera":
        return -math.inf, math.inf
    if gradient and range is None:
        raise ParameterError(
            f"{owner}: form='published' with gradient=True needs the range of slope "
            "times advice, got range=None"
        )
    if range is not None and not all(map(math.isfinite, _as_range(owner, range))):
        raise ParameterError(
            f"{owner}: form='published' needs a finite range, got {range!r}"
        )
    return 0.0, 1.0


def logarithm(number: float) -> float:
    """Return the natural logarithm, correct to the last bit on every machine."""
    return float(Context(prec=40).ln(Decimal(number)))


class ByExpert(Mapping[Any, float]):
    """One number for each expert, by name or position."""

    def __init__(self, names: list[Any] | None, values: NDArray[np.float64]) -> None:
        self._names, self._values = names, values

    def __getitem__(self, expert: object) -> float:
        if self._names is not None:
            try:
                at = self._names.index(expert)
            except ValueError:
                raise KeyError(expert) from None
        elif isinstance(expert, (int, np.integer)) and 0 <= expert < len(self._values):
            at = int(expert)
        else:
            raise KeyError(expert)
        return float(self._values[at])

    def __iter__(self) -> Iterator[Any]:
        return iter(range(len(self)) if self._names is None else self._names)

    def __len__(self) -> int:
        return len(self._values)

    def __array__(
        self, dtype: Any = None, copy: bool | None = None
    ) -> NDArray[np.float64]:
        return np.array(self._values, dtype=dtype, copy=copy is not False)

    def __repr__(self) -> str:
        return repr(dict(zip(self, self._values.tolist(), strict=True)))


class ExpertLearner(Learner):
    """A learner whose examples are what experts advise.

    Advice is a sequence of predictions, one an expert, or a mapping from expert to
    prediction; experts whom a mapping leaves out sleep that round. Who the experts are
    is told at birth or by the first advice; others may `join` later.
    """

    # What outcomes and predictions are: labels, numbers, or also distributions.
    outcomes_are: ClassVar[Literal["labels", "numbers"]] = "numbers"

    experts: Experts
    _native: _core.Forecaster | _core.Halving
    _names: list[Any] | None
    _priors: NDArray[np.float64] | None = None  # with which they began
    _equal: bool = True  # whether with the same
    _slept: bool = False  # whether somebody may have

    # Who they are -------------------------------------------------------------

    @property
    def experts_(self) -> list[Any]:
        """The experts, by name, or by position if they have no names."""
        size = self._native.size
        return list(range(size)) if self._names is None else list(self._names)

    def join(self, expert: Hashable = None, prior: float | None = None) -> Self:
        """Let one more expert join, with this share of the weight.

        Parameters
        ----------
        expert
            The name; of experts known by their position the next is meant.
        prior
            The share that the newcomer begins with, between 0 and 1; an equal one if
            not given. What the others have shrinks in proportion. For `MLPoly`,
            `MLProd` and `BOA`, which weigh by regrets, it is what the weight is
            multiplied by, beside the others' priors.
        """
        owner = type(self).__name__
        size = self._native.size
        if size == 0:
            raise ParameterError(
                f"{owner}: experts join those who are there, got none yet; "
                "give experts= at birth"
            )
        if self._names is None:
            if expert not in (None, size):
                raise ParameterError(
                    f"{owner}: an expert among positions must be the next, {size}, "
                    f"got {expert!r}"
                )
        elif expert is None or not _is_name(expert) or expert in self._names:
            raise ParameterError(
                f"{owner}: a new expert must have a name of its own, got {expert!r}"
            )
        share = 1 / (size + 1) if prior is None else prior
        between(owner, "prior", share, 0, 1)
        if share < _SMALLEST:
            raise ParameterError(
                f"{owner}: prior must be at least {_SMALLEST:.3g}, got {share!r}"
            )
        self._join(expert, float(share))
        if self._names is not None:
            self._names.append(expert)
        return self

    @abstractmethod
    def _join(self, expert: Hashable, share: float) -> None:
        """Let one more join natively."""

    @abstractmethod
    def _begin(self, names: list[Any] | None, priors: NDArray[np.float64]) -> None:
        """Let them begin natively."""

    def _recruit(self, experts: Experts) -> None:
        """Begin with the experts that were named at birth, if any were."""
        self._names = None
        owner = type(self).__name__
        if experts is None:
            return
        if isinstance(experts, (int, np.integer)) and not isinstance(experts, bool):
            if experts < 1:
                raise ParameterError(
                    f"{owner}: experts must be at least one, got {experts!r}"
                )
            self._start(None, int(experts))
        elif isinstance(experts, Mapping):
            given = [*experts.values()]
            priors = np.array([_prior(owner, prior) for prior in given])
            self._start(list(experts), len(experts), priors)
        elif getattr(experts, "ndim", 0) == 1:  # an array, or the columns of a frame
            names = np.asarray(experts).tolist()
            self._start(names, len(names))
        elif isinstance(experts, Sequence) and not isinstance(experts, (str, bytes)):
            self._start(list(experts), len(experts))
        else:
            raise ParameterError(
                f"{owner}: experts must be a number, names, or names with priors, "
                f"got {experts!r}"
            )

    def _start(
        self, names: list[Any] | None, size: int, priors: ArrayLike | None = None
    ) -> None:
        owner = type(self).__name__
        if size == 0:
            raise ParameterError(f"{owner}: experts must be at least one, got none")
        unfit = next((name for name in names or () if not _is_name(name)), None)
        if unfit is not None:
            raise ParameterError(
                f"{owner}: the name of an expert must be hashable, got {unfit!r}"
            )
        if names is not None and len(set(names)) < size:
            twice = next(name for k, name in enumerate(names) if name in names[:k])
            raise ParameterError(
                f"{owner}: each expert may stand once, got {twice!r} twice"
            )
        # The sum is rounded once, for NumPy adds up in an order of its own.
        if priors is None:
            equal = 1 / size
            shares = np.full(size, equal / (size * equal))
        else:
            try:
                shares = np.asarray(priors) / math.fsum(np.asarray(priors).tolist())
            except OverflowError:
                raise ParameterError(
                    f"{owner}: priors must have a finite sum, got more"
                ) from None
        if shares.min() < _SMALLEST:
            raise ParameterError(
                f"{owner}: the share of every expert must be at least {_SMALLEST:.3g}, "
                f"got {shares.min():.3g}"
            )
        self._begin(names, shares)
        self._names = names
        self._priors = shares
        self._equal = not np.ptp(shares)

    def _meet(self, x: Any) -> None:
        """Begin with the experts of the first advice."""
        names: list[Any] | None = None
        if hasattr(x, "keys"):
            names = [*x.keys()]  # to go through a pandas Series gives its values
            size = len(names)
        elif hasattr(x, "__len__") and not isinstance(x, (str, bytes, set, frozenset)):
            size = len(x)
        else:
            raise refusal("advice", owner=type(self).__name__, value=x)
        if size == 0:
            raise refusal("asleep", owner=type(self).__name__)
        self._start(names, size)

    def _met(self, advice: Advice) -> Advice:
        """Return the advice in the order of the experts, who begin if they have not."""
        size = advice.values.shape[1]
        names = None if advice.names is None else list(advice.names)
        if self._native.size == 0:
            self._start(names, size)
            return advice
        if names is not None and names != self.experts_:
            return self._sorted(advice, names)
        if size != self._native.size:
            raise refusal(
                "experts",
                owner=type(self).__name__,
                feature=self._native.size,
                value=size,
            )
        return advice

    def _sorted(self, advice: Advice, names: list[Any]) -> Advice:
        known = {name: at for at, name in enumerate(self.experts_)}
        for name in names:
            if name not in known:
                raise refusal("stranger", owner=type(self).__name__, feature=name)
        shape = (len(advice), self._native.size, *advice.values.shape[2:])
        values = np.full(shape, np.nan)
        values[:, [known[name] for name in names]] = advice.values
        sleepy = advice.may_sleep or len(names) < self._native.size
        return Advice(
            values, None if self._names is None else tuple(self._names), sleepy
        )

    # Their books --------------------------------------------------------------

    @property
    def updates_(self) -> int:
        """How many rounds it has learned from."""
        return self._native.rounds

    @property
    @abstractmethod
    def loss_(self) -> float:
        """What the learner itself has lost."""

    @property
    @abstractmethod
    def last_loss_(self) -> float:
        """What the learner itself has lost in the latest round."""

    @property
    def expected_mistakes_(self) -> float | None:
        """The mistakes to be expected over its own draws; None if it does not draw."""
        return None

    @property
    def keeps_losses_(self) -> bool:
        """Whether it knows what each expert has lost."""
        return True

    @property
    def losses_(self) -> ByExpert:
        """What each expert has lost while awake."""
        return self._by_expert(self._native.losses)

    @property
    def own_losses_(self) -> ByExpert:
        """What the learner has lost while each expert was awake."""
        return self._by_expert(self._native.own_losses)

    def books(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what each expert has lost, and what the learner has beside it.

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
        """What the learner has lost more than each expert while that one was awake."""
        own, theirs = np.asarray(self.own_losses_), np.asarray(self.losses_)
        return ByExpert(self._names, own - theirs)

    @property
    def best_expert_(self) -> Any:
        """The expert that the learner regrets most not to have followed."""
        regrets = np.asarray(self.regret_)
        return self.experts_[int(np.argmax(regrets))] if len(regrets) else None

    # What their theorems ask for ------------------------------------------------

    @property
    def silent_(self) -> frozenset[str]:
        """The theorems of rounds on which nobody sleeps, once somebody has.

        Until then those that let experts sleep say the same as others do.
        """
        return AWAKE if self._slept else ASLEEP

    @property
    def known_(self) -> dict[str, Number]:
        """Who the experts are, how many rounds were played, and what the best lost.

        Nothing after an expert has joined: then there is more than one beginning.
        """
        priors = self._priors
        if priors is None or len(priors) != self._native.size:
            return {}
        known: dict[str, Number] = {
            "experts": len(priors),
            "rounds": self._native.rounds,
        }
        equal = self._equal
        if self.keeps_losses_:
            theirs, own = self.books()
            at = self._rival(theirs, own)
            lost = float(theirs[at])
            known["best"] = int(lost) if self.outcomes_are == "labels" else lost
            if not equal:
                known["prior"] = float(priors[at])
        elif not equal:
            return {}
        return known

    def _rival(self, losses: NDArray[np.float64], own: NDArray[np.float64]) -> int:
        """Return the position of the expert that bounds are told of."""
        return int((own - losses).argmax())

    def _cheapest(self, losses: NDArray[np.float64], price: float) -> int:
        """Return who is cheapest, if a loss has a price and a small prior too."""
        if self._equal or self._priors is None:
            return int(losses.argmin())
        return int((losses * price - np.log(self._priors)).argmin())

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
        times = 1 if sample_weight == 1 else int(as_repeats([sample_weight], 1)[0])
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
        """Predict natively, the experts being known."""

    @abstractmethod
    def _play_one(self, x: Any, y: Any) -> Any:
        """Play natively, the experts being known."""

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
            One outcome a round.
        sample_weight
            How often each round is learned from; whole numbers.
        awake
            Rounds × experts of truth values: who is awake. All are if not given.
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
        """Return the advice, looked at as far as playing it does not."""
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
        """Predict natively, the experts being known."""

    @contextmanager
    def _meeting(self) -> Iterator[None]:
        """Leave nobody behind if the first round of all is refused."""
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

        What was predicted and lost is written into the arrays, also when a round is
        refused.
        """

    @contextmanager
    def _looking(self, advice: Advice, rounds: range) -> Iterator[None]:
        """Note whether somebody slept in those of the rounds that were played."""
        before = self._native.rounds
        try:
            yield
        finally:
            if advice.may_sleep and not self._slept:
                first = rounds.start
                played = slice(first, first + self._native.rounds - before)
                self._slept = bool(np.isnan(advice.values[played]).any())

    def as_outcomes(self, y: ArrayLike, length: int) -> NDArray[Any]:
        """Return `length` outcomes as this learner needs them."""
        if self.outcomes_are == "labels":
            return as_labels(y, length)
        return as_outcomes(y, length).astype(np.float64, copy=False)

    def room_for(self, advice: Advice, length: int) -> NDArray[Any]:
        """Return an array for `length` predictions."""
        if self.outcomes_are == "labels":
            return np.empty(length, dtype=np.bool_)
        return np.empty((length, *advice.values.shape[2:]))

    def save_state(self) -> dict[str, Any]:
        """Return who the experts are, and all that is known of them."""
        state = self._native.state() if self._native.size else []
        kind = np.uint64 if isinstance(self._native, _core.Halving) else np.float64
        return {
            "names": self._names,
            "state": [np.array(part, dtype=kind) for part in state],
            "priors": self._priors,
            "slept": self._slept,
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        owner, names = type(self).__name__, state["names"]
        if not state["state"]:
            check(owner, names == self._names and not self._native.size, "experts")
            return
        kind = np.uint64 if isinstance(self._native, _core.Halving) else np.float64
        for part in state["state"]:
            check(owner, is_array(part, kind), "numbers in a row")
        check(owner, names is None or len(set(names)) == len(names), "names apart")
        if kind is np.float64:  # all others may be infinite, where losses were
            shares = state["state"][0]
            check(owner, bool(((shares > 0) & (shares < np.inf)).all()), "priors")
        try:
            self._native.restore([part.tolist() for part in state["state"]], names)
        except (IndexError, TypeError, ValueError):
            check(owner, False, "numbers for each expert")
        self._names = names
        began = state["priors"]
        sound = is_array(began, np.float64) and 0 < len(began) <= self._native.size
        check(owner, began is None or sound, "priors")
        self._priors = began
        self._equal = began is None or not np.ptp(began)
        self._slept = truth(owner, "slept", state["slept"])

    def __getstate__(self) -> dict[str, Any]:
        return {
            "parameters": self.get_params(),
            "names": self._names,
            "state": self._native.state() if self._native.size else None,
            "priors": None if self._priors is None else self._priors.tolist(),
            "slept": self._slept,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(type(self)(**state["parameters"]).__dict__)
        if state["state"] is None:
            return
        names = None if state["names"] is None else list(state["names"])
        try:
            self._native.restore(state["state"], names)
        except (IndexError, TypeError, ValueError):
            self.set_params()  # half of a state is none
            raise ParameterError(
                f"{type(self).__name__}: a state must be as it was saved, got another"
            ) from None
        self._names = names
        began = state.get("priors")
        self._priors = None if began is None else np.array(began)
        self._equal = began is None or not np.ptp(began)
        self._slept = bool(state.get("slept", True))


def _is_name(expert: object) -> bool:
    """Tell whether an expert can be found by this name."""
    try:
        hash(expert)
    except TypeError:
        return False
    return True


def _prior(owner: str, prior: object) -> float:
    if isinstance(prior, (int, float, np.number)) and 0 < prior < math.inf:
        return float(prior)
    raise ParameterError(f"{owner}: a prior must exceed 0, got {prior!r}")


class SaysLabels:
    """One of whom type checkers know that it says yes or no."""

    if TYPE_CHECKING:

        def predict_one(self, x: Any) -> bool:
            """Predict from the advice of one round; change nothing."""

        def play_one(self, x: Any, y: Any, sample_weight: int = 1) -> bool:
            """Predict, then learn; return what was predicted."""


class Forecaster(ExpertLearner):
    """A learner that weighs its experts, and charges them by a loss."""

    loss: LossSpec
    _native: _core.Forecaster
    _charged: Loss
    _hedges: bool  # a learner of labels that is charged what its draws would cost
    _limits: Limits  # what losses may be
    _plain: bool  # the native core reads the advice and knows the loss
    _charging: bool = False  # while a loss of the user's is asked

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
        bounds: tuple[float, float] = (-math.inf, math.inf),
        seed: int = 0,
        experts: Experts = None,
    ) -> None:
        """Make the native forecaster.

        `bounds` is what losses may be if no range is given; `hedge` charges a learner
        of labels the weighted mean of what its experts are charged.
        """
        owner = type(self).__name__
        self._charged = charged = as_loss(loss)
        labels = charged.kind == "label"
        self._hedges = labels and hedge
        self._plain = charged.native >= 0 and charged.kind != "probability"
        if truth(owner, "gradient", gradient) and charged.slope is None:
            raise ParameterError(
                f"{owner}: gradient=True needs a loss with a slope, got {loss!r}"
            )
        low, high = bounds if range is None else _as_range(owner, range)
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
            labels=labels,
            probabilities=charged.kind == "probability",
            low=low,
            high=high,
            seed=seed,
        )
        self._recruit(experts)

    @property
    def outcomes_are(self) -> Literal["labels", "numbers"]:  # type: ignore[override]  # by its loss
        """What outcomes and predictions are."""
        return "labels" if self._charged.kind == "label" else "numbers"

    @property
    def _spread_of_losses(self) -> float | None:
        """How far losses can be apart, if they cannot be any."""
        low, high = self._limits
        if not self._slopes:  # of slopes only the range tells
            low, high = max(low, self._charged.low), min(high, self._charged.high)
        return high - low if math.isfinite(high - low) else None

    @property
    def weights_(self) -> ByExpert:
        """The weight of each expert; they sum to one."""
        return self._by_expert(self._native.weights)

    def weights_of(self, awake: ArrayLike) -> NDArray[np.float64]:
        """Return the weights of a round on which only some are awake.

        Parameters
        ----------
        awake
            A truth value for each expert, in their order; at least one is awake.

        Examples
        --------
        >>> from littlestone.experts import ExponentialWeights
        >>> ExponentialWeights(experts=3).weights_of([True, False, True]).tolist()
        [0.5, 0.0, 0.5]
        """
        asleep = ~np.asarray(awake, dtype=np.bool_)
        if asleep.shape != (self._native.size,) or asleep.all():
            raise ParameterError(
                f"{type(self).__name__}: awake must have a truth value for each of "
                f"{self._native.size} experts, and one that is true, got {awake!r}"
            )
        weights = np.empty(self._native.size)
        self._native.weights(weights, asleep.astype(np.uint8) if asleep.any() else None)
        return weights

    @property
    def loss_(self) -> float:
        """What the learner itself has lost; for labels, what it is expected to have."""
        return self._native.own_loss

    @property
    def last_loss_(self) -> float:
        """What the learner itself has lost in the latest round."""
        return self._native.last_loss

    @property
    def expected_mistakes_(self) -> float | None:
        """The mistakes to be expected if an expert were drawn; None for numbers."""
        return self._native.expected if self._hedges else None

    def _advice(self, X: Any, awake: ArrayLike | None) -> Advice:
        charged = self._charged
        numbers = charged.kind == "number" and charged.native >= 0
        return as_advice(X, awake=awake, look=not numbers)

    def _met(self, advice: Advice) -> Advice:
        """Refuse distributions where the loss charges something else."""
        values = advice.values
        if values.ndim > 2:  # noqa: PLR2004 - a distribution from each expert
            owner = type(self).__name__
            if self._charged.kind != "probability":
                raise ParameterError(
                    f"{owner}: only log and brier loss take distributions, "
                    f"got {self._charged!r}"
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
        usual = self._plain and sample_weight == 1 and type(x) in _ADVICE
        if usual and (size := self._native.size):
            said = self._native.play_one(x, y)
            if len(x) < size:
                self._slept = True
            return said
        return super().play_one(x, y, sample_weight)

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
        """Tell whether the advice is one distribution an expert, not one number."""
        if self._charged.kind != "probability":
            return False
        if hasattr(x, "keys"):
            x = [*dict(x).values()]
        return isinstance(x, (Sequence, np.ndarray)) and any(map(_is_long, x))

    def _round(self, x: Any) -> Advice:
        """Return one round of distributions, all over as many outcomes."""
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
        """Tell of a refused round that is the only one, so that it needs no row."""
        try:
            yield
        except ExampleError as error:
            owner = f"{type(self).__name__}: "
            if not error.what.startswith(owner):
                error.what = owner + error.what
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
        """Play with a loss that only Python knows, and that must not play itself."""
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
        predictions = np.empty((len(advice), *advice.values.shape[2:]))
        self._native.predict(
            self._numbers(advice),
            predictions.reshape(-1),
            0,
            len(advice),
            self._width(advice),
            advice.may_sleep,
        )
        return predictions == 1 if self.outcomes_are == "labels" else predictions

    def play_advice(
        self,
        advice: Advice,
        outcomes: NDArray[Any],
        predictions: NDArray[Any],
        losses: NDArray[np.float64],
        rounds: range,
    ) -> None:
        """Play some of the rounds, as `run` does, block by block."""
        with self._meeting():
            advice = self._met(advice)
            if self._charged.native < 0:
                self._play_rows_given(advice, outcomes, predictions, losses, rounds)
                return
            said = np.empty((len(predictions), *advice.values.shape[2:]))
            try:
                with self._looking(advice, rounds):
                    self._native.play(
                        self._numbers(advice),
                        outcomes.astype(np.float64, copy=False),
                        said.reshape(-1),
                        losses,
                        rounds.start,
                        rounds.stop,
                        self._width(advice),
                        advice.may_sleep,
                    )
            finally:
                played = slice(rounds.start, rounds.stop)
                predictions[played] = said[played]

    def _play_rows_given(
        self,
        advice: Advice,
        outcomes: NDArray[Any],
        predictions: NDArray[Any],
        losses: NDArray[np.float64],
        rounds: range,
    ) -> None:
        for row in rounds:
            try:
                predictions[row] = self.play_one(advice.row(row), outcomes[row].item())
            except ExampleError as error:
                in_row(error, row, row - rounds.start)
                raise
            losses[row] = self.last_loss_

    def _numbers(self, advice: Advice) -> NDArray[Any]:
        """Return the numbers the native core borrows: labels are 0 and 1."""
        values = advice.values
        if self.outcomes_are == "numbers" or values.dtype == np.bool_:
            return (
                values.astype(np.float64)
                if values.dtype == np.bool_ and (self.outcomes_are == "numbers")
                else values
            )
        low = np.nanmin(values) if values.size else 0.0
        return np.where(values == -1, 0.0, values) if low < 0 else values

    @staticmethod
    def _width(advice: Advice) -> int:
        """How many numbers an expert predicts."""
        return advice.values.shape[2] if advice.values.ndim > 2 else 1  # noqa: PLR2004 - a distribution


def _is_long(p: Any) -> bool:
    """Tell whether a prediction is a distribution, and not a number or a text."""
    return hasattr(p, "__len__") and not isinstance(p, (str, bytes))


def _as_range(owner: str, given: Any) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in given)
    except (TypeError, ValueError):
        low = high = math.nan
    if not low < high:
        raise ParameterError(
            f"{owner}: range must be a pair of numbers (low, high), low below high, "
            f"got {given!r}"
        )
    return low, high
