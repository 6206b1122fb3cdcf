"""The Learner contract."""

from __future__ import annotations

import inspect
import warnings
from abc import ABC, abstractmethod
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import numpy as np

from littlestone.display.learned import in_html
from littlestone.errors import ParameterError
from littlestone.learner.labels import (
    as_label,
    as_repeats,
    as_times,
    dtype_of,
    objects,
    one_by_one,
    read_labels,
)
from littlestone.learner.rows import Example, as_rows, is_mappings, single_rows
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from littlestone import _core
    from littlestone.theorems import Condition, Number, Theorem

__all__ = ["Learner", "RoundLearner", "RowLearner", "warn"]

Said = TypeVar("Said", bound=np.generic)


def warn(message: str, category: type[Warning]) -> None:
    """Warn the caller of this package, however deep inside it this is called.

    Examples
    --------
    >>> import warnings
    >>> from littlestone.errors import UnrealizableWarning
    >>> from littlestone.learner import warn
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn("no concept fits", UnrealizableWarning)
    >>> [str(warning.message) for warning in caught]
    ['no concept fits']
    """
    frame, calls = inspect.currentframe(), 0
    while frame is not None and frame.f_globals["__name__"].startswith("littlestone."):
        frame, calls = frame.f_back, calls + 1
    warnings.warn(message, category, stacklevel=calls + 1)


class Learner(ABC):
    """Predicts, sees the truth, and learns.

    A learner is valid from the start: it can predict before it has learned anything. An
    example it refuses leaves it as it was. Its parameters are fixed at construction,
    because a theorem covers one learner from its first round on; `set_params` starts
    afresh.

    A subclass defines `predict_one`, `learn_one` and `updates_`, stores each argument
    of its constructor under its own name, lists its theorems in `guarantees`, and says
    that it is `conservative` if it is. The rest follows, one row at a time; a native
    learner overrides what it can do faster.
    """

    @property
    def outcome(self) -> Outcome:
        """What is predicted: yes or no, unless a subclass says otherwise.

        One that is charged by a loss has `loss_`, all that it has lost since birth, and
        `last_loss_`, what it has lost in the latest round.
        """
        return Outcome.LABEL

    @property
    def guarantees(self) -> tuple[Theorem, ...]:
        """The theorems that hold for this learner."""
        return ()

    @property
    def conservative(self) -> bool:
        """Whether only a mistake changes what this learner knows."""
        return False

    @property
    def known_(self) -> dict[str, Number]:
        """The numbers of its theorems that it knows so far, by name.

        Those of `Theorem.numbers` that follow from its parameters and its own books, so
        that a bound on the rounds so far needs no hindsight: see `live_bound`.

        Examples
        --------
        >>> from littlestone.boolean import KDNFLearner
        >>> learner = KDNFLearner(2)
        >>> learner.learn_one({"a": 1, "b": 1, "c": 1}, True)
        >>> learner.known_
        {'features': 3, 'k': 2}
        """
        return {}

    @property
    def unmet_(self) -> frozenset[Condition]:
        """The conditions that its parameters, or the rounds so far, do not meet.

        A theorem that needs one of them gives no bound: `Theorem.needs`.
        """
        return frozenset()

    @property
    @abstractmethod
    def updates_(self) -> int:
        """How many rounds have changed this learner since birth."""

    @property
    def newborn_(self) -> bool:
        """Whether this learner is still as it was at birth."""
        return self.updates_ == 0 and getattr(self, "rounds_", 0) == 0

    @abstractmethod
    def predict_one(self, x: Example) -> Any:
        """Predict the label of one example; change nothing."""

    @abstractmethod
    def learn_one(self, x: Example, y: Any, sample_weight: int = 1) -> None:
        """Learn from one example and its label, `sample_weight` times over."""

    def play_one(self, x: Example, y: Any, sample_weight: int = 1) -> Any:
        """Predict, then learn; return what was predicted."""
        label = as_label(y) if self.outcome is Outcome.LABEL else y
        predicted = self.predict_one(x)
        self.learn_one(x, label, sample_weight)
        return predicted

    def play(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Play the rows in order, each predicted before it is learned from.

        A sample weight is a whole number: how often the round is learned from. It is
        predicted once, and a weight of 0 skips the learning.
        """
        rows = list(single_rows(X))
        labels = read_labels(self.outcome, y, len(rows)).tolist()
        weights = (
            np.ones(len(rows), dtype=np.uint32)
            if sample_weight is None
            else self._as_weights(sample_weight, len(rows))
        )
        return self._array(one_by_one(self.play_one, rows, labels, weights.tolist()))

    @staticmethod
    def _as_weights(sample_weight: ArrayLike, length: int) -> NDArray[Any]:
        """Return sample weights as this learner takes them, or refuse them."""
        return as_repeats(sample_weight, length)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label of each row; change nothing."""
        return self._array(one_by_one(self.predict_one, single_rows(X)))

    def _array(self, said: list[Any]) -> NDArray[Any]:
        """Return predictions as an array."""
        if self.outcome is Outcome.CLASS:
            return objects(said)
        return np.array(said, dtype=dtype_of(self.outcome))

    def partial_fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Play the rows and forget the predictions."""
        self.play(X, y, sample_weight)
        return self

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything, then play the rows once."""
        return self.set_params().partial_fit(X, y, sample_weight)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - for sklearn
        """Return the arguments this learner was made with."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **parameters: Any) -> Self:
        """Make this learner anew, some arguments changed; it forgets all it knew."""
        unknown = sorted(parameters.keys() - set(self._parameters()))
        if unknown:
            raise ParameterError(
                f"a parameter must be one of {', '.join(self._parameters())}, got "
                f"{unknown[0]!r}",
                owner=type(self).__name__,
            )
        newborn = type(self)(**{**self.get_params(), **parameters})
        self.__dict__.clear()
        self.__dict__.update(newborn.__dict__)
        return self

    def clone(self) -> Self:
        """Return a newborn learner with the same parameters."""
        return type(self)(**self.get_params())

    def save_state(self) -> dict[str, Any]:
        """Return all that it has learned and seen, as plain values and arrays.

        Model files, pickles and copies are made of this and the parameters. A learner
        that does not define it is pickled and copied by its attributes, and cannot be
        saved by `littlestone.models`.

        Examples
        --------
        >>> from littlestone.linear import Perceptron
        >>> learner, other = Perceptron(), Perceptron()
        >>> learner.learn_one({"a": 2.0}, False)
        >>> other.load_state(learner.save_state())
        >>> other.weights_
        {'a': -2.0}
        """
        raise ParameterError("cannot be saved", owner=type(self).__name__)

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Give this newborn the state of another learner with the same parameters.

        A state that no such learner can have saved is refused; do not use this learner
        any more then.
        """
        raise ParameterError(
            f"cannot be loaded, got {state!r}", owner=type(self).__name__
        )

    def __getstate__(self) -> dict[str, Any]:
        # Pickles, copies and model files hold the same: the parameters and the state.
        if type(self).save_state is Learner.save_state:
            return self.__dict__
        return {
            "parameters": self.get_params(deep=False),
            "state": self.save_state(),
        }

    def __setstate__(self, saved: dict[str, Any]) -> None:
        if type(self).load_state is Learner.load_state:
            self.__dict__.update(saved)
            return
        self.__dict__.update(type(self)(**saved["parameters"]).__dict__)
        self.load_state(saved["state"])

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.__dict__ and name in self._parameters():
            raise AttributeError(
                f"{type(self).__name__}: parameters are fixed at birth; "
                f"use set_params({name}={value!r}), which starts afresh"
            )
        super().__setattr__(name, value)

    def _repr_html_(self) -> str:
        return in_html(self)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={v!r}" for name, v in self.get_params().items())
        return f"{type(self).__name__}({given})"

    @classmethod
    @cache  # asked whenever an attribute is set
    def _parameters(cls) -> tuple[str, ...]:
        many = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        taken = inspect.signature(cls.__init__).parameters.values()
        # One without a constructor has that of `object`, which takes what is not there.
        return tuple(each.name for each in taken if each.kind not in many)[1:]


class RowLearner(Learner, Generic[Said]):
    """A learner that plays whole blocks of rows at once.

    A subclass defines `_play`, which plays rows `first` to `last - 1`. It writes what
    was predicted into `predictions`, also when a row is refused, and which rows changed
    the learner into `changed`.
    """

    def play(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> NDArray[Said]:
        """Play the rows in order, each predicted before it is learned from.

        A sample weight is a whole number: how often the round is learned from. It is
        predicted once, and a weight of 0 skips the learning.
        """
        if is_mappings(X):
            return super().play(X, y, sample_weight)
        rows = as_rows(X)
        size = len(rows)
        labels = read_labels(self.outcome, y, size)
        repeats = (
            None if sample_weight is None else self._as_weights(sample_weight, size)
        )
        predictions: NDArray[Any] = np.empty(size, dtype=dtype_of(self.outcome))
        self._play(rows, labels, predictions, repeats, 0, size)
        return predictions

    def play_rows(  # noqa: PLR0917 - called for every block
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        first: int,
        last: int,
        changed: NDArray[np.bool_] | None = None,
        **notes: Any,
    ) -> None:
        """Play some rows of a block, as `run` does.

        Learners with `scores_rows` or `charges_rows` write `scores` or `losses` into
        arrays; those with `takes_looks` are sampled where `looks` says, and those with
        `weighs_rounds` multiply the losses by `weights`.
        """
        self._play(rows, labels, predictions, None, first, last, changed, **notes)

    @abstractmethod
    def _play(  # noqa: PLR0917 - called for every block
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        repeats: NDArray[np.uint32] | None,
        first: int,
        last: int,
        changed: NDArray[np.bool_] | None = None,
    ) -> None:
        """Play some rows of a block, each as often as `repeats` says."""


class RoundLearner(RowLearner[Said]):
    """A learner whose rounds are played in Python, around learners inside it.

    A subclass defines `_round`, which predicts, learns, and returns what was predicted.
    """

    def learn_one(self, x: Example, y: Any, sample_weight: int = 1) -> None:
        """Learn from one example and its label, `sample_weight` times over."""
        self.play_one(x, y, sample_weight)

    def play_one(self, x: Example, y: Any, sample_weight: int = 1) -> Any:
        """Predict, then learn; return what was predicted.

        A sample weight of k is k such rounds; the first prediction is returned.
        """
        label = as_label(y) if self.outcome is Outcome.LABEL else y
        times = as_times(sample_weight)
        if times == 0:
            return self.predict_one(x)
        predicted = self._round(x, label)
        for _ in range(times - 1):
            self._round(x, label)
        return predicted

    @abstractmethod
    def _round(self, x: Example, label: Any) -> Any:
        """Play one round."""
