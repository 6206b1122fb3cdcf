"""opera's `oracle`: the best fixed choice in hindsight."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from littlestone import comparators
from littlestone.compat._arguments import loss_of, names_of, outcomes_of, read
from littlestone.errors import ParameterError
from littlestone.losses import Loss

__all__ = ["LossType", "Oracle", "oracle"]

# How opera's users name a loss.
LossType: TypeAlias = str | Mapping[str, Any] | Loss | Callable[[Any, Any], Any]


@dataclass(frozen=True, eq=False, repr=False)
class Oracle:
    """The best fixed choice in hindsight, as opera's `oracle` gives it.

    Attributes
    ----------
    model
        `"expert"`, `"convex"`, `"linear"` or `"shifting"`.
    loss
        The mean loss; for shifting the mean losses with at most 0, 1, … switches.
    coefficients, prediction, rmse
        The weights of the experts, their prediction, and the root of its mean square
        loss; None for shifting.
    names_experts
        The experts.
    comparator
        The `Comparator` or `ShiftingCurve` behind, with the proved gap.

    Examples
    --------
    >>> from littlestone.compat.opera import oracle
    >>> oracle([1.0, 2.0], [[0.0, 2.0], [0.0, 2.0]], model="expert").coefficients
    array([0., 1.])
    """

    model: str
    loss: Any
    coefficients: Any
    prediction: Any
    rmse: float | None
    names_experts: list[Any]
    comparator: comparators.Comparator | comparators.ShiftingCurve

    def __repr__(self) -> str:
        return f"Oracle({self.model}: {self.comparator!r})"


def oracle(
    Y: Any,
    experts: Any,
    model: Literal["expert", "convex", "linear", "shifting"] = "convex",
    *,
    loss_type: LossType = "square",
    awake: Any = None,
    lambda_: float = 0.0,
) -> Oracle:
    """Return the best fixed choice in hindsight; see `littlestone.comparators`.

    Parameters
    ----------
    Y
        The outcomes, one a round.
    experts
        What the experts predict, as for `Mixture`.
    model
        The best `"expert"`, the best `"convex"` or `"linear"` combination, or the best
        sequences of experts, `"shifting"`, by the number of switches.
    loss_type
        As for `Mixture`.
    awake
        Which experts are awake. The best expert is then the one with the least mean
        loss while awake; in opera, sleepers predict the mean of the others instead.
    lambda_
        opera's `lambda`, for the linear combination: the factor of the sum of squared
        coefficients that is added to the loss.

    Examples
    --------
    >>> from littlestone.compat.opera import oracle
    >>> best = oracle([1.0, 2.0], [[0.0, 2.0], [0.0, 2.0]])
    >>> best.loss, best.coefficients.round(9).tolist()
    (0.25, [0.25, 0.75])
    """
    # Only some comparators need a slope, and named losses have one.
    charged = loss_of("oracle", loss_type, False, {})
    advice = read(experts, awake)
    values = advice.values.astype(np.float64)
    outcomes = outcomes_of("oracle", Y, len(advice))
    names = names_of(advice)
    found: comparators.Comparator
    match model:
        case "expert":
            found = comparators.best_expert(values, outcomes, charged, missing="sleep")
        case "convex":
            found = comparators.best_convex(values, outcomes, charged, missing="sleep")
        case "linear":
            found = comparators.best_linear(values, outcomes, charged, ridge=lambda_)
        case "shifting":
            curve = comparators.best_shifting(
                values, outcomes, charged, missing="sleep"
            )
            means = curve.losses() / len(outcomes)
            return Oracle(model, means, None, None, None, names, curve)
        case _:
            raise ParameterError(
                "model must be 'expert', 'convex', 'linear' or 'shifting', got "
                f"{model!r}",
                owner="oracle",
            )
    weights = found.weights or {}
    return Oracle(
        model,
        found.mean,
        np.array(list(weights.values())),
        found.predictions,
        math.sqrt(np.nanmean((found.predictions - outcomes) ** 2)),
        names,
        found,
    )
