"""What the learners share that weigh experts by their regrets."""

from __future__ import annotations

from typing import ClassVar, Literal

from littlestone.experts._base import (
    Experts,
    Forecaster,
    LossSpec,
    Range,
    bounds_of,
    form_of,
)
from littlestone.parameters import truth

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
