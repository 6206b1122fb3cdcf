"""One interface for learners of three kinds: ours, River's and scikit-learn's."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.errors import FeatureError, ParameterError, refusal
from littlestone.learner import Learner, as_label
from littlestone.learner.packing import check
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Member", "as_member", "as_player"]

_PAIR = 2  # of columns and values


class Member(ABC):
    """A learner of any kind, which predicts or sleeps."""

    def __init__(self, learner: Any, outcome: Outcome) -> None:
        self.learner = learner
        self.outcome = outcome

    @abstractmethod
    def predict(self, x: Any) -> Any:
        """Return what the learner predicts; None if it cannot yet. Change nothing."""

    @abstractmethod
    def learn(self, x: Any, y: Any) -> None:
        """Teach the learner: a truth value, or a number where those are predicted."""

    def save_columns(self) -> Any:
        """Return the columns that examples must have, if the learner fixes them."""
        return None

    def load_columns(self, columns: Any) -> None:
        """Fix the columns of examples to those of another member."""
        check("Committee", columns is None, "no columns for this member")


def as_member(
    name: str,
    learner: Any,
    outcome: Outcome,
    *,
    owner: str = "Committee",
    features: Sequence[Any] | None = None,
) -> Member:
    """Return a learner as a member, by what it can do.

    `name` is what refusals call it. Asked for a distribution, it says the probability
    of a yes, where it has one. `features` are those that examples may have, for
    learners that must know beforehand; without them the first example decides.

    Examples
    --------
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.learner.members import as_member
    >>> from littlestone.outcome import Outcome
    >>> as_member("member 'p'", Perceptron(), Outcome.LABEL).predict({"a": 1})
    True
    """
    if inspect.isclass(learner):
        raise ParameterError(
            f"{name} must be a learner, got the class {learner.__name__}; call it "
            "first",
            owner=owner,
        )
    if isinstance(learner, Learner):
        return _Ours(learner, outcome)
    if _can(learner, "predict_one", "learn_one"):
        return _OneByOne(learner, outcome)
    if _can(learner, "predict", "partial_fit"):
        return _Estimator(owner, name, learner, outcome, features)
    raise ParameterError(
        f"{name} must have predict_one and learn_one, or predict and partial_fit, "
        f"got {learner!r}",
        owner=owner,
    )


def as_player(learner: Any, features: Sequence[Any] | None = None) -> Member:
    """Return a learner as a member that says yes or no.

    One with `predict_one` and `learn_one` gets examples as they are, except River's
    learners, which take only mappings.

    Examples
    --------
    >>> from sklearn.linear_model import Perceptron
    >>> from littlestone.learner.members import as_player
    >>> player = as_player(Perceptron(), features=range(3))
    >>> player.learn({2: 1.0}, True)
    >>> player.predict({2: 1.0})
    1
    """
    bases = (base.__module__.partition(".")[0] for base in type(learner).__mro__)
    one_by_one = _can(learner, "predict_one", "learn_one")
    if one_by_one and "river" not in bases and not inspect.isclass(learner):
        return _Ours(learner, Outcome.LABEL)
    return as_member(
        "the learner", learner, Outcome.LABEL, owner="run", features=features
    )


def _can(learner: Any, *names: str) -> bool:
    return all(callable(getattr(learner, name, None)) for name in names)


class _Ours(Member):
    """A learner that takes examples as they come, as those of littlestone do."""

    def predict(self, x: Any) -> Any:
        return _plain(self.learner.predict_one(x))

    def learn(self, x: Any, y: Any) -> None:
        self.learner.learn_one(x, y)


class _OneByOne(Member):
    """A learner with River's methods: its examples are mappings."""

    def predict(self, x: Any) -> Any:
        example = _as_mapping(x)
        if self.outcome is Outcome.DISTRIBUTION and _can(
            self.learner, "predict_proba_one"
        ):
            # River's way to say that there are labels only.
            with suppress(NotImplementedError):
                chances = self.learner.predict_proba_one(example)
                return float(chances.get(True, 0.0)) if chances else None
        return _plain(self.learner.predict_one(example))

    def learn(self, x: Any, y: Any) -> None:
        self.learner.learn_one(_as_mapping(x), y)


class _Estimator(Member):
    """A learner with scikit-learn's methods: its examples are the rows of a matrix.

    The first example fixes which features there are, in which order, unless the
    estimator already knows. What a later mapping leaves out is 0.
    """

    def __init__(
        self,
        owner: str,
        name: str,
        learner: Any,
        outcome: Outcome,
        features: Sequence[Any] | None,
    ) -> None:
        super().__init__(learner, outcome)
        known = getattr(learner, "feature_names_in_", None)
        self._names: Sequence[Any] | None = None if known is None else tuple(known)
        self._width: int | None = getattr(learner, "n_features_in_", None)
        if self._width is None and features is not None:
            # A matrix has a column: where there are no features, one that stays 0.
            self._names = features or (None,)
            self._width = len(self._names)
        classifies = "classes" in inspect.signature(learner.partial_fit).parameters
        if classifies and outcome is Outcome.NUMBER:
            raise ParameterError(
                f"{name} must predict numbers, got the classifier {learner!r}; "
                "the rule is one for numbers",
                owner=owner,
            )
        self._classes = self._both_classes(owner, name) if classifies else None

    def save_columns(self) -> Any:
        return self._names, self._width

    def load_columns(self, columns: Any) -> None:
        self._names, self._width = columns

    def _both_classes(self, owner: str, name: str) -> NDArray[Any]:
        """Return how the estimator writes no and yes; 0 and 1 if it has not learned."""
        known = getattr(self.learner, "classes_", None)
        if known is None:
            return np.array([0, 1])
        try:
            meant = [as_label(_plain(label)) for label in known]
        except ValueError:
            meant = []
        if sorted(meant) != [False, True]:
            raise ParameterError(
                f"{name} must know the classes 0 and 1, -1 and 1, or False and True, "
                f"got {list(known)}",
                owner=owner,
            )
        return np.asarray(known)

    def predict(self, x: Any) -> Any:
        row = self._row(x)[0]
        try:
            if self.outcome is Outcome.DISTRIBUTION and _can(
                self.learner, "predict_proba"
            ):
                chances = self.learner.predict_proba(row)[0]
                yes = [as_label(_plain(label)) for label in self.learner.classes_]
                return float(chances[yes.index(True)])
            return np.ravel(self.learner.predict(row))[0].item()
        except Exception as error:
            if any(kind.__name__ == "NotFittedError" for kind in type(error).__mro__):
                return None
            raise

    def learn(self, x: Any, y: Any) -> None:
        row, names = self._row(x)
        if self._classes is None:
            self.learner.partial_fit(row, np.array([float(y)]))
        else:
            labels = np.array([as_label(_plain(label)) for label in self._classes])
            label = self._classes[labels == y]
            self.learner.partial_fit(row, label, classes=self._classes)
        # Only now: an example that is refused settles nothing.
        self._names, self._width = names, row.shape[1]

    def _row(self, x: Any) -> tuple[NDArray[np.float64], Sequence[Any] | None]:
        """Return the example as a matrix of one row, and the names of its columns."""
        names = self._names
        if isinstance(x, Mapping):
            if names is None:
                names = tuple(x if self._width is None else range(self._width))
            cells = _by_name(x, names)
        elif hasattr(x, "tocsr"):
            cells = np.asarray(x.toarray(), dtype=np.float64).ravel().tolist()
        elif _is_pair(x):
            cells = self._by_column(*x)
        elif hasattr(x, "__len__") and not isinstance(x, (str, bytes)):
            cells = [_number(column, cell) for column, cell in enumerate(x)]
        else:
            raise refusal("example", value=x)
        if self._width is not None and len(cells) != self._width:
            raise FeatureError(
                f"an example must have {self._width} features, got {len(cells)}"
            )
        return np.array([cells], dtype=np.float64), names

    def _by_column(self, columns: Any, values: Any) -> list[float]:
        if self._width is None:
            raise FeatureError(
                "the first example must show how many columns there are, got a pair "
                "(columns, values); a one-row CSR matrix does"
            )
        cells = [0.0] * self._width
        for column, value in zip(columns, values, strict=True):
            if not 0 <= column < self._width:
                raise refusal("width", feature=column)
            cells[column] = _number(column, value)
        return cells


def _by_name(x: Mapping[Any, Any], names: Sequence[Any]) -> list[float]:
    stranger = next((feature for feature in x if feature not in names), None)
    if stranger is not None:
        raise FeatureError(
            f"each feature must be one of the {len(names)} that the first example "
            f"had, got {stranger!r}"
        )
    return [_number(name, x.get(name, 0.0)) for name in names]


def _is_pair(x: Any) -> bool:
    """Tell a pair (columns, values) from a row of two numbers."""
    return (
        isinstance(x, tuple)
        and len(x) == _PAIR
        and all(hasattr(part, "__len__") for part in x)
    )


def _as_mapping(x: Any) -> Mapping[Any, Any]:
    """Return an example as a mapping; columns are known by their number."""
    if isinstance(x, Mapping):
        return x
    if hasattr(x, "tocsr"):
        row = x.tocsr()
        x = row.indices, row.data
    if _is_pair(x):
        columns, values = (np.asarray(part).tolist() for part in x)
        return dict(zip(columns, values, strict=True))
    if hasattr(x, "__len__") and not isinstance(x, (str, bytes)):
        return dict(enumerate(map(_plain, x)))
    raise refusal("example", value=x)


def _number(feature: object, cell: Any) -> float:
    if not isinstance(cell, (str, bytes)):  # float("1") would repair quietly
        try:
            return float(cell)
        except (TypeError, ValueError, OverflowError):
            pass
    raise refusal("number", feature=feature, value=cell)


def _plain(value: Any) -> Any:
    """Return a number of Python for one of NumPy, and anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value
