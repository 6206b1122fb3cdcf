"""What the learners share that weigh experts by a rate chosen at birth."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from littlestone.experts._forecaster import Forecaster
from littlestone.theorems import Condition

if TYPE_CHECKING:
    from littlestone.learner.moment import Moment
    from littlestone.theorems import Number

__all__ = ["RatedLearner"]


class RatedLearner(Forecaster):
    """A learner whose weights fall exponentially with the loss, at a rate."""

    eta: float
    gradient: bool

    def known_at(self, moment: Moment) -> dict[str, Number]:
        """Beside the experts, how far losses may be apart, and the rate for them."""
        known = super().known_at(moment)
        if not known:
            return known
        low, high = self._limits
        known["eta"] = self._rate
        if math.isfinite(high - low):
            known["scale"] = high - low
        if self.gradient or low != 0:  # then it is not charged what experts lose
            del known["best"]
        return known

    def unmet_at(self, *, slept: bool) -> frozenset[Condition]:
        """Return what its loss and rate, or the rounds so far, do not meet."""
        return super().unmet_at(slept=slept) | self._never_met

    @cached_property
    def _never_met(self) -> frozenset[Condition]:
        """The conditions that its loss and rate do not meet."""
        # Nobody knows beforehand what the best expert will lose.
        unmet = {Condition.TUNED}
        if self.gradient or self._limits[0] != 0:
            unmet.add(Condition.CHARGED)
        if not self._curved:
            unmet.add(Condition.CURVED)
        return frozenset(unmet)

    @cached_property
    def _rate(self) -> Fraction:
        """The rate of losses that are not rescaled."""
        low, high = self._limits
        width = Fraction(high) - Fraction(low) if math.isfinite(high - low) else 1
        return Fraction(self.eta) / width

    @property
    def _curved(self) -> bool:
        """Whether exp(-eta loss) is concave in the prediction, as far as it goes."""
        high, name = self._limits[1], self._charged.name
        if self.gradient:
            return False
        if name == "square":  # no prediction is further than the root from the outcome
            return math.isfinite(high) and 2 * self._rate * Fraction(high) <= 1
        fastest = {"log": Fraction(1), "brier": Fraction(1, 4)}
        return name in fastest and self._rate <= fastest[name]
