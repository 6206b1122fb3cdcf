"""What the learners share that weigh experts by their regrets."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal

from littlestone.experts._forecaster import Forecaster
from littlestone.experts._parameters import Experts, LossSpec, Range, bounds_of, form_of
from littlestone.learner.parameters import truth
from littlestone.theorems import Condition

if TYPE_CHECKING:
    from littlestone.learner.moment import Moment
    from littlestone.theorems import Number

__all__ = ["RegretLearner"]


class RegretLearner(Forecaster):
    """A learner with a rate for each expert, in opera's form or the published one."""

    _rule: ClassVar[str]  # what the native core calls it

    def __init__(
        self,
        loss: LossSpec = "square",
        *,
        form: Literal["opera", "published"] = "opera",
        gradient: bool = False,
        range: Range = None,  # noqa: A002 - what it is
        experts: Experts = None,
    ) -> None:
        owner = type(self).__name__
        opera = form_of(owner, form)
        self.loss = loss
        self.form = form
        self.gradient = truth(owner, "gradient", gradient)
        self.range = range
        self.experts = experts
        self._make(
            self._rule,
            (float(opera),),
            loss=loss,
            gradient=gradient,
            range=range,
            bounds=bounds_of(owner, form, gradient=self.gradient, range=range),
            experts=experts,
        )

    def known_at(self, moment: Moment) -> dict[str, Number]:
        """Beside the experts, in the published form, the most that regrets can be.

        Opera's form uses the largest regret so far, about which the range does not
        say enough.
        """
        known = super().known_at(moment)
        if known and self.form == "published":
            known["scale"] = spread = self._limits[1] - self._limits[0]
            known["squares"] = moment.rounds * Fraction(spread) ** 2
        return known

    def unmet_at(self, *, slept: bool) -> frozenset[Condition]:
        """Also that losses lie in a range of length 1, where they need not."""
        unit = self._limits[1] - self._limits[0] == 1
        return super().unmet_at(slept=slept) | (
            frozenset() if unit else {Condition.UNIT}
        )
