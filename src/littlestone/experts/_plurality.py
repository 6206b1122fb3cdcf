"""A weighted vote on many classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.experts.weighted_majority import WeightedMajority

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from littlestone.learner.advice import Advice

__all__ = ["WeightedPlurality"]


class WeightedPlurality(WeightedMajority):
    r"""Follow the class with the most weight, as `WeightedMajority` does with labels.

    Classes are whole numbers from 0 on, and of equals the smallest wins; an expert that
    says -1 abstains, and is always wrong. The learner says -1 if all of them do.

    `WM` holds for it: after a mistake the right class had no more weight than another
    one, so at most half, and the experts that were wrong at least half.

    Examples
    --------
    >>> from littlestone.experts._plurality import WeightedPlurality
    >>> rule = WeightedPlurality(beta=0.5, experts=3)
    >>> rule.play_one([2.0, 1.0, 0.0], 2), rule.play_one([2.0, 1.0, 1.0], 2)
    (0.0, 1.0)
    >>> rule.weights_[0] / rule.weights_[1]
    4.0
    """

    _combine = "plurality"

    def _numbers(self, advice: Advice) -> NDArray[Any]:
        return np.ascontiguousarray(advice.values, dtype=np.float64)

    def _predict(self, advice: Advice) -> NDArray[Any]:
        said = np.empty(len(advice))
        values = self._numbers(advice)
        self._native.predict(values, said, 0, len(advice), 1, advice.may_sleep)
        return said
