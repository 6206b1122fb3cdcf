"""AdaGrad for many classes, with the probability of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from littlestone import _core, theorems
from littlestone.errors import ExampleError
from littlestone.learner import as_class, as_weights
from littlestone.learner.labels import stretches
from littlestone.learner.listening import Listening
from littlestone.learner.parameters import finite, positive, truth
from littlestone.linear._class_weights import checked_class_weight, without_none
from littlestone.linear._multiclass import MulticlassLearner, checked_classes

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from littlestone.learner.rows import Example

__all__ = ["MulticlassAdaGrad"]


class MulticlassAdaGrad(Listening, MulticlassLearner):
    r"""AdaGrad for many classes: a weight vector each, and probabilities by softmax.

    The scores $s_c = w_c \cdot x$ give each class the probability $p_c = e^{s_c} /
    \sum_k e^{s_k}$, and a round costs $-\ln p_y$, the log loss. Every class then steps
    against its gradient $(p_c - [c = y])\, x$, each weight by a rate of its own, which
    falls with the gradients that it has seen, as in `AdaGrad`. Classes are any hashable
    labels, and may appear at any time. The first round of a new class is priced as if
    the class had been known, with a score of 0.

    Parameters
    ----------
    rate
        $\eta > 0$, how far the first gradient moves a weight.
    normalize
        Divide each value by the largest of its feature so far.
    classes
        Classes known from the start, in the order in which equal scores are decided.
    bias
        The value of a constant feature appended to each example; 0 for none.
    class_weight
        How often a round counts by its class, such as `{"fraud": 10}`; None counts each
        once, as do classes that are not in it.

    Attributes
    ----------
    classes_
        The classes known, in order of appearance.
    weights_
        The weights by class and feature, of values as they come; what is left out is 0.
    coef_
        The weights of the column-numbered features, a row a class.
    intercept_
        What the constant feature adds to the score of each class.
    loss_, last_loss_
        What it has lost since birth, and in the latest round.
    updates_
        How many rounds have changed the weights, or were the first of a class.

    Guarantees
    ----------
    `MCADAGRAD`: for every vector $u_c$ a class, on every sequence, its log loss exceeds
    theirs by at most $\frac12 \sum_{c,i} \sum_t (D_{t,c,i} - D_{t-1,c,i})_+ (u_{c,i} -
    w_{t,c,i})^2 + \frac12 \sum_{c,i} \sum_t g_{t,c,i}^2 / D_{t,c,i}$, with $D$ the
    inverse of the rate. With `normalize`, of examples as they are normalized.

    References
    ----------
    Duchi, Hazan, Singer (2011), Adaptive subgradient methods for online learning and
    stochastic optimization, Journal of Machine Learning Research 12:2121-2159

    Examples
    --------
    Both classes have the probability 1/2 at first; the gradient moves each by the rate:

    >>> from littlestone.linear import MulticlassAdaGrad
    >>> learner = MulticlassAdaGrad(0.5, classes=["bird", "fish"], bias=0)
    >>> learner.learn_one({"fins": 1.0}, "fish")
    >>> learner.score_one({"fins": 1.0}), round(learner.loss_, 4)
    ({'bird': -0.5, 'fish': 0.5}, 0.6931)
    """

    charges_rows: ClassVar[bool] = True
    weighs_rounds: ClassVar[bool] = True
    gives_chances: ClassVar[bool] = True

    def __init__(
        self,
        rate: float = 1.0,
        *,
        normalize: bool = True,
        classes: Iterable[Hashable] | None = None,
        bias: float = 1.0,
        class_weight: Mapping[Hashable, float] | None = None,
    ) -> None:
        owner = "MulticlassAdaGrad"
        known = checked_classes(owner, classes)
        self._shares = checked_class_weight(owner, class_weight, as_class)
        self.class_weight = None if class_weight is None else dict(self._shares)
        self.rate = rate
        self.normalize = normalize
        self.classes = classes
        self.bias = bias
        self._numbers = {label: number for number, label in enumerate(known)}
        self._native = _core.multiclass_ada_grad(
            owner,
            classes=len(known),
            rate=positive(owner, "rate", rate),
            normalize=truth(owner, "normalize", normalize),
            bias=finite(owner, "bias", bias),
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the arguments this learner was made with, class weights if any."""
        return without_none(super().get_params(deep))

    def weights_of(self, labels: NDArray[Any]) -> NDArray[np.float64] | None:
        """Return how often rounds with these labels count; None if all count once."""
        if not self._shares:
            return None
        return np.array([self._shares.get(label, 1.0) for label in labels.tolist()])

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """Its bias and rate."""
        return super().known_ | {"rate": float(self.rate)}

    @property
    def unmet_(self) -> frozenset[theorems.Condition]:
        """Nothing: a class that comes later is priced as if it had been known."""
        return frozenset()

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its regret."""
        return (theorems.MCADAGRAD,)

    @property
    def loss_(self) -> float:
        """All that it has lost since birth."""
        return self._native.loss

    @property
    def last_loss_(self) -> float:
        """What it has lost in the latest round."""
        return self._native.last_loss

    @property
    def newborn_(self) -> bool:
        """Whether this learner is still as it was at birth."""
        return self.updates_ == 0 and self.loss_ == 0.0

    def predict_proba_one(self, x: Example) -> dict[Hashable, float]:
        """Return the probability of each class.

        Examples
        --------
        >>> from littlestone.linear import MulticlassAdaGrad
        >>> MulticlassAdaGrad(classes=["a", "b"]).predict_proba_one({"x": 1.0})
        {'a': 0.5, 'b': 0.5}
        """
        chances = np.array(self._native.score_one(x), dtype=np.float64)
        _core.soften(chances, len(chances))
        return dict(zip(self._numbers, chances.tolist(), strict=True))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities, a row an example and a column a class.

        Examples
        --------
        >>> from littlestone.linear import MulticlassAdaGrad
        >>> MulticlassAdaGrad(classes=["a", "b"]).predict_proba([[1.0]]).tolist()
        [[0.5, 0.5]]
        """
        chances = np.ascontiguousarray(self.decision_function(X))
        _core.soften(chances.reshape(-1), len(self._numbers))
        return chances

    def _hear(self, scores: NDArray[np.float64], known: NDArray[np.int64]) -> None:
        """Keep what was likely in rounds with so many classes known."""
        for at, to, width in stretches(known):
            chances = np.ascontiguousarray(scores[at:to, :width])
            _core.soften(chances.reshape(-1), width)
            self._heard.append(chances)  # type: ignore[union-attr]  # it is called where there is a list

    def play_one(self, x: Example, y: Hashable, sample_weight: float = 1) -> Any:
        """Predict, then learn; return what was predicted."""
        label = as_class(y)
        weight = 1.0
        if sample_weight != 1:
            weight = float(as_weights([sample_weight], 1)[0])
        weight *= self._shares.get(label, 1.0)
        number = self._numbers.get(label, len(self._numbers))
        scores = None if self._heard is None else self._native.score_one(x)
        said = self._class(self._native.play_one(x, number, importance=weight))
        if scores is not None:
            self._hear(np.array([scores]), np.array([len(scores)]))
        if number < self._native.classes:
            self._numbers.setdefault(label, number)
        return said

    def learn_one(self, x: Example, y: Hashable, sample_weight: float = 1) -> None:
        """Learn from one example, whose loss counts `sample_weight` times."""
        self.play_one(x, y, sample_weight)

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

    def play_numbered(  # noqa: PLR0917 - called for every block
        self,
        rows: _core.Rows,
        wanted: NDArray[np.int32],
        said: NDArray[np.int32],
        first: int,
        last: int,
        classes: list[Hashable],
        repeats: NDArray[Any] | None = None,
        changed: NDArray[np.bool_] | None = None,
        **notes: NDArray[np.float64],
    ) -> None:
        """Play some rows whose classes are numbered, in order of appearance."""
        if self._shares:
            shares = np.array([self._shares.get(c, 1.0) for c in classes])[wanted]
            repeats = shares if repeats is None else shares * repeats
        known = self._native.classes
        if self._heard is not None:
            notes["scores"] = np.empty((last - first, len(classes)))
        try:
            super().play_numbered(
                rows, wanted, said, first, last, classes, repeats, changed, **notes
            )
        except ExampleError as error:
            last = first + (error.rounds or 0)
            raise
        finally:
            if self._heard is not None:
                before = np.append(known, wanted[first:last] + 1)[:-1]
                count = last - first
                self._hear(notes["scores"][:count], np.maximum.accumulate(before))

    def _play_natively(self, *given: Any, weights: Any, **notes: Any) -> None:
        rows, wanted, said, first, last, changed = given
        self._native.play(
            rows, wanted, said, None, first, last, changed, importances=weights, **notes
        )
