"""What learners share that follow the slope of a loss: their losses and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from littlestone import _core
from littlestone.errors import Given, ParameterError
from littlestone.learner import as_label, as_weights
from littlestone.learner.parameters import finite
from littlestone.learner.rows import Example
from littlestone.linear._base import BiasedLearner
from littlestone.linear._class_weights import checked_class_weight, without_none
from littlestone.losses import Loss, as_loss
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from littlestone.learner.rows import Example

__all__ = ["ChargedLearner", "LossSpec"]

LossSpec: TypeAlias = str | Loss


class ChargedLearner(BiasedLearner):
    """A linear learner that follows the slope of a loss of its score.

    With the loss logistic or hinge it learns yes and no, with the others numbers. A
    subclass checks its own parameters and calls `_make`.
    """

    loss: LossSpec
    class_weight: Mapping[Any, float] | None
    charges_rows: ClassVar[bool] = True
    weighs_rounds: ClassVar[bool] = True  # takes weights other than whole numbers
    _shares: dict[Any, float]
    _loss: Loss
    _native: Any  # _core.Linear, or _core.Regressor for numbers

    def _make(
        self,
        rule: Callable[..., Any],
        loss: LossSpec,
        bias: float,
        class_weight: Mapping[Any, float] | None = None,
        **numbers: Any,
    ) -> None:
        """Make the native rule."""
        owner = type(self).__name__
        value = finite(owner, "bias", bias)
        charged = as_loss(loss)
        if not charged.linear:
            raise ParameterError(
                "loss must be 'logistic', 'hinge', 'square', 'absolute', 'poisson', "
                f"losses.pinball(tau) or losses.huber(delta), got {loss!r}",
                owner=owner,
            )
        self.loss = loss
        self.bias = bias
        self._loss = charged
        self._shares = checked_class_weight(owner, class_weight, as_label)
        self.class_weight = None if class_weight is None else dict(self._shares)
        if class_weight is not None and charged.outcome is not Outcome.LABEL:
            raise ParameterError(
                f"class_weight must be None with a loss of numbers, got {loss!r} and "
                f"{class_weight!r}",
                owner=owner,
            )
        self._native = rule(
            owner,
            loss=charged.name,
            parameter=float(charged.tau or charged.delta or 0.0),
            bias=value,
            **numbers,
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the arguments this learner was made with, class weights if any."""
        return without_none(super().get_params(deep))

    def weights_of(self, labels: NDArray[Any]) -> NDArray[np.float64] | None:
        """Return how often rounds with these labels count; None if all count once."""
        if not self._shares:
            return None
        yes, no = (self._shares.get(label, 1.0) for label in (True, False))
        return np.where(labels.astype(np.bool_), yes, no)

    @property
    def outcome(self) -> Outcome:
        """What is predicted, as its loss says: a label, or a number."""
        return self._loss.outcome

    @property
    def gives_chances(self) -> bool:
        """Whether it gives probabilities, so that its loss is the log loss."""
        return self._loss.name == "logistic"

    @property
    def loss_(self) -> float:
        """All that it has lost since birth."""
        return float(self._native.loss)

    @property
    def last_loss_(self) -> float:
        """What it has lost in the latest round."""
        return float(self._native.last_loss)

    @property
    def newborn_(self) -> bool:
        """Whether this learner is still as it was at birth."""
        return self.updates_ == 0 and self.loss_ == 0.0

    @property
    def intercept_(self) -> float:
        """What the constant feature adds to every score."""
        return self.score_one({})

    def score_one(self, x: Example) -> float:
        """Return the score of one example, which the loss charges."""
        return float(self._native.score_one(x))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each row, which the loss charges."""
        return super().decision_function(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label or number of each row; change nothing."""
        scores = self.decision_function(X)
        if self.outcome is Outcome.LABEL:
            return scores >= 0
        _core.respond(self._loss.name, scores)
        return scores

    def predict_proba_one(self, x: Example) -> dict[bool, float]:
        """Return the probabilities of no and yes; with the logistic loss only.

        Examples
        --------
        >>> from littlestone.linear import GradientDescent
        >>> learner = GradientDescent("logistic")
        >>> learner.predict_proba_one({"a": 1.0})
        {False: 0.5, True: 0.5}
        """
        yes = float(self._chances(np.array([self.score_one(x)]))[0])
        return {False: 1.0 - yes, True: yes}

    @property
    def probability_one(self) -> Callable[[Example], float]:
        """Returns the probability that one example is a yes; logistic loss only.

        Examples
        --------
        >>> from littlestone.linear import GradientDescent
        >>> GradientDescent().probability_one({"a": 1.0})
        0.5
        >>> hasattr(GradientDescent("hinge"), "probability_one")
        False
        """
        if not self.gives_chances:
            raise AttributeError("probability_one needs loss='logistic'")
        return lambda x: self.predict_proba_one(x)[True]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of no and yes, a row each; logistic loss only.

        Examples
        --------
        >>> from littlestone.linear import GradientDescent
        >>> GradientDescent("logistic").predict_proba([[1.0], [2.0]]).tolist()
        [[0.5, 0.5], [0.5, 0.5]]
        """
        yes = self._chances(self.decision_function(X))
        return np.column_stack((1.0 - yes, yes))

    def _chances(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn scores into probabilities of a yes."""
        if not self.gives_chances:
            raise ParameterError(
                f"probabilities need {{loss}}, got {self.loss!r}",
                given=(Given("loss", "logistic"),),
                owner=type(self).__name__,
            )
        _core.respond("logistic", scores)
        return scores

    def learn_one(self, x: Example, y: object, sample_weight: float = 1) -> None:
        """Learn from one example, whose loss counts `sample_weight` times."""
        self.play_one(x, y, sample_weight)

    def play_one(self, x: Example, y: object, sample_weight: float = 1) -> Any:
        """Predict, then learn; return what was predicted."""
        weight = 1.0
        if sample_weight != 1:
            weight = float(as_weights([sample_weight], 1)[0])
        if self._shares:
            weight *= self._shares.get(as_label(y), 1.0)
        if weight == 1:
            return self._native.play_one(x, y)
        return self._native.play_one(x, y, importance=weight)

    def play(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Play the rows in order, each predicted before it is learned from.

        A sample weight is a number of at least 0, by which the loss of the round is
        multiplied.
        """
        return super().play(X, y, sample_weight)

    @staticmethod
    def _as_weights(sample_weight: ArrayLike, length: int) -> NDArray[Any]:
        return as_weights(sample_weight, length)

    def _play(  # noqa: PLR0917 - what the native call takes
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        repeats: NDArray[Any] | None,
        first: int,
        last: int,
        changed: NDArray[np.bool_] | None = None,
        weights: NDArray[np.float64] | None = None,
        **notes: NDArray[np.float64],
    ) -> None:
        counts = repeats if weights is None else weights
        shares = self.weights_of(labels[first:last])
        if shares is not None:
            of_rows = 1.0 if counts is None else counts[first:last]
            counts = np.empty(len(labels))
            counts[first:last] = shares * of_rows
        self._native.play(
            rows,
            labels,
            predictions,
            None,
            first,
            last,
            changed,
            importances=counts,
            **notes,
        )
