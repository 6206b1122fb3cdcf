"""Learners of many classes, for River."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone import auto, linear
from littlestone.compat._river import MulticlassClassifier

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from littlestone.linear._aggressive import Mode

__all__ = [
    "MulticlassAROW",
    "MulticlassAdaGrad",
    "MulticlassAuto",
    "MulticlassPassiveAggressive",
    "MulticlassPerceptron",
    "MulticlassSecondOrder",
]


class MulticlassPerceptron(MulticlassClassifier[linear.MulticlassPerceptron]):
    """The Perceptron of many classes, as `littlestone.linear.MulticlassPerceptron`.

    Examples
    --------
    >>> from littlestone.compat.river import MulticlassPerceptron
    >>> model = MulticlassPerceptron()
    >>> for word, animal in [("purrs", "cat"), ("barks", "dog")]:
    ...     model.learn_one({word: 1}, animal)
    >>> model.predict_one({"barks": 1})
    'dog'
    """

    def __init__(
        self, classes: Iterable[Hashable] | None = None, *, bias: float = 0.0
    ) -> None:
        self._begin(linear.MulticlassPerceptron(classes, bias=bias))


class MulticlassPassiveAggressive(
    MulticlassClassifier[linear.MulticlassPassiveAggressive]
):
    """As `littlestone.linear.MulticlassPassiveAggressive`.

    Examples
    --------
    >>> from littlestone.compat.river import MulticlassPassiveAggressive
    >>> model = MulticlassPassiveAggressive()
    >>> for word, animal in [("purrs", "cat"), ("barks", "dog")]:
    ...     model.learn_one({word: 1}, animal)
    >>> model.predict_one({"barks": 1})
    'dog'
    """

    def __init__(
        self,
        C: float = 1.0,
        mode: Mode = "I",
        *,
        classes: Iterable[Hashable] | None = None,
        bias: float = 0.0,
    ) -> None:
        self._begin(
            linear.MulticlassPassiveAggressive(C, mode, classes=classes, bias=bias)
        )


class MulticlassAuto(MulticlassClassifier[auto.MulticlassAuto]):
    """The untuned committee of learners of classes, as `littlestone.MulticlassAuto`.

    Examples
    --------
    >>> from littlestone.compat.river import MulticlassAuto
    >>> model = MulticlassAuto()
    >>> for word, animal in [("purrs", "cat"), ("barks", "dog")] * 2:
    ...     model.learn_one({word: 1}, animal)
    >>> model.predict_one({"barks": 1})
    'dog'
    """

    def __init__(
        self,
        members: Mapping[str, Any] | None = None,
        *,
        classes: Iterable[Hashable] | None = None,
        bias: float = 1.0,
        beta: float = 0.8,
        narrow: int = 300,
    ) -> None:
        self._begin(
            auto.MulticlassAuto(
                members, classes=classes, bias=bias, beta=beta, narrow=narrow
            )
        )

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Hashable, float]:
        """Return the calibrated probability of each class met."""
        return self.learner.predict_proba_one(x)

    def _chances(self, X: Any) -> NDArray[np.float64]:
        return self.learner.predict_proba(X)


class MulticlassAROW(MulticlassClassifier[linear.MulticlassAROW]):
    """As `littlestone.linear.MulticlassAROW`.

    Examples
    --------
    >>> from littlestone.compat.river import MulticlassAROW
    >>> model = MulticlassAROW()
    >>> for word, animal in [("purrs", "cat"), ("barks", "dog")] * 2:
    ...     model.learn_one({word: 1}, animal)
    >>> model.predict_one({"barks": 1})
    'dog'
    """

    def __init__(
        self,
        r: float = 1.0,
        diagonal: bool = True,
        *,
        classes: Iterable[Hashable] | None = None,
        bias: float = 0.0,
    ) -> None:
        self._begin(linear.MulticlassAROW(r, diagonal, classes=classes, bias=bias))


class MulticlassAdaGrad(MulticlassClassifier[linear.MulticlassAdaGrad]):
    """As `littlestone.linear.MulticlassAdaGrad`: its shares are probabilities.

    Examples
    --------
    >>> from littlestone.compat.river import MulticlassAdaGrad
    >>> model = MulticlassAdaGrad()
    >>> for word, animal in [("purrs", "cat"), ("barks", "dog")] * 2:
    ...     model.learn_one({word: 1}, animal)
    >>> model.predict_proba_one({"barks": 1})["dog"] > 0.5
    True
    """

    def __init__(
        self,
        rate: float = 1.0,
        *,
        normalize: bool = True,
        classes: Iterable[Hashable] | None = None,
        bias: float = 1.0,
        class_weight: Mapping[Hashable, float] | None = None,
    ) -> None:
        self._begin(
            linear.MulticlassAdaGrad(
                rate,
                normalize=normalize,
                classes=classes,
                bias=bias,
                class_weight=class_weight,
            )
        )
        self.class_weight = class_weight


class MulticlassSecondOrder(MulticlassClassifier[linear.MulticlassSecondOrder]):
    """As `littlestone.linear.MulticlassSecondOrder`.

    Examples
    --------
    >>> from littlestone.compat.river import MulticlassSecondOrder
    >>> model = MulticlassSecondOrder()
    >>> for word, animal in [("purrs", "cat"), ("barks", "dog")] * 2:
    ...     model.learn_one({word: 1}, animal)
    >>> model.predict_one({"barks": 1})
    'dog'
    """

    def __init__(
        self,
        r: float = 1.0,
        diagonal: bool = True,
        *,
        classes: Iterable[Hashable] | None = None,
        bias: float = 0.0,
    ) -> None:
        self._begin(
            linear.MulticlassSecondOrder(r, diagonal, classes=classes, bias=bias)
        )
