"""The arguments of a mixture, read as opera and opera-python read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from littlestone.errors import ParameterError
from littlestone.learner.advice import Advice, as_advice, as_outcomes
from littlestone.learner.parameters import positive, truth
from littlestone.losses import Loss, as_loss, custom, pinball
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

__all__ = [
    "PARAMETERS",
    "check_coefficients",
    "check_parameters",
    "loss_of",
    "model_of",
    "names_of",
    "outcomes_of",
    "read",
]

_MODELS = {
    name.lower(): name for name in ("EWA", "FS", "MLpol", "MLprod", "MLewa", "BOA")
}
_NOT_OFFERED = {
    "ogd": "BOA and MLpol with loss_gradient=True compete with the same combinations",
    "ridge": "oracle(..., model='linear') gives the best linear combination afterwards",
    "ftrl": "EWA is the case that has the entropy for its regularisation",
}
_LOSSES = {
    "square": "square",
    "mse": "square",
    "absolute": "absolute",
    "mae": "absolute",
    "percentage": "percentage",
    "mape": "percentage",
}
PARAMETERS = {
    "EWA": {"eta", "grid.eta", "gamma"},
    "FS": {"eta", "alpha", "grid.eta", "grid.alpha", "gamma"},
}
_TABLE = 2  # rounds and experts


def model_of(model: object) -> str:
    """Return the rule as opera writes it."""
    name = model.lower() if isinstance(model, str) else None
    if name in _MODELS:
        return _MODELS[name]
    if name in _NOT_OFFERED:
        raise ParameterError(
            f"model must be one that is implemented; {_NOT_OFFERED[name]}, "
            f"got {model!r}",
            owner="Mixture",
        )
    names = ", ".join(map(repr, _MODELS.values()))
    raise ParameterError(
        f"model must be one of {names}, got {model!r}", owner="Mixture"
    )


def loss_of(
    owner: str, loss: object, gradient: object, parameters: dict[str, Any]
) -> Loss:
    """Return the loss, with the slope that was given for it."""
    slope = gradient if callable(gradient) else None
    if slope is None:
        truth(owner, "loss_gradient", gradient)
    if isinstance(loss, Loss):
        found = loss
    elif callable(loss):
        return custom(loss, slope)
    else:
        found = _named_loss(owner, loss, parameters)
    if found.outcome is not Outcome.NUMBER:
        raise ParameterError(
            f"loss_type must be a loss of numbers, got {found!r}", owner=owner
        )
    return found if slope is None else custom(found.value, slope, found.name)


def _named_loss(owner: str, loss: object, parameters: dict[str, Any]) -> Loss:
    name, rest = loss, dict[str, Any]()
    if isinstance(loss, Mapping):
        rest = {key: loss[key] for key in loss if key != "name"}
        name = loss.get("name")
    known = name.lower() if isinstance(name, str) else ""
    if known == "pinball" and set(rest) <= {"tau"}:
        return pinball(rest.get("tau", parameters.pop("tau", 0.5)))
    if known in _LOSSES and not rest:
        return as_loss(_LOSSES[known])
    names = ", ".join(map(repr, _LOSSES))
    raise ParameterError(
        f"loss_type must be {names}, {{'name': 'pinball', 'tau': 0.9}}, or a "
        f"function of a prediction and an outcome, got {loss!r}",
        owner=owner,
    )


def check_parameters(model: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of the rule, as numbers and lists of numbers."""
    allowed = PARAMETERS.get(model, set())
    for name in given:
        if name not in allowed:
            what = ", ".join(sorted(allowed)) or "none"
            raise ParameterError(
                f"the parameters of {model} are {what}, got {name!r}", owner="Mixture"
            )
    checked: dict[str, Any] = {}
    for name, value in given.items():
        if name.startswith("grid."):
            checked[name] = _numbers(name, value)
        else:
            checked[name] = positive("Mixture", name, value)
    if not checked.get("gamma", 2.0) > 1:
        raise ParameterError(
            f"gamma must exceed 1, got {checked['gamma']!r}", owner="Mixture"
        )
    if model == "FS" and len(checked.keys() & {"eta", "alpha"}) == 1:
        raise ParameterError(
            "FS takes eta and alpha together, and calibrates both without them, got "
            f"{given!r}",
            owner="Mixture",
        )
    for alpha in [checked.get("alpha", 0.5), *checked.get("grid.alpha", ())]:
        if not alpha < 1:
            raise ParameterError(
                f"alpha must lie between 0 and 1, got {alpha!r}", owner="Mixture"
            )
    return checked


def _numbers(name: str, value: Any) -> list[float]:
    if np.ndim(value) != 1 or len(value) == 0:
        raise ParameterError(
            f"{name} must be a list of numbers, got {value!r}", owner="Mixture"
        )
    return [positive("Mixture", name, one) for one in value]


def check_coefficients(model: str, given: Any) -> Floats | None:
    """Return the weights to begin with; None if they are equal by default."""
    if isinstance(given, str) and given.lower() == "uniform":
        return None
    try:
        weights = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    sound = weights.ndim == 1 and weights.size and np.isfinite(weights).all()
    if not sound or not (weights > 0).all():
        raise ParameterError(
            "coefficients must be 'Uniform' or numbers above 0, one an expert, got "
            f"{given!r}",
            owner="Mixture",
        )
    if model in ("MLpol", "MLprod") and not (weights == weights[0]).all():
        learner = "MLPoly" if model == "MLpol" else "MLProd"
        raise ParameterError(
            f"coefficients of {model} must be 'Uniform', as opera forgets others; "
            f"experts.{learner} takes priors, got {given!r}",
            owner="Mixture",
        )
    return weights


def read(experts: Any, awake: Any) -> Advice:
    """Return the advice of one round or many; NaN is an expert asleep."""
    if isinstance(experts, Mapping) or (
        hasattr(experts, "keys") and not hasattr(experts, "columns")
    ):
        experts = [dict(experts.items())]  # a mapping, or a row of a frame
    elif getattr(experts, "ndim", None) == 1 or _is_a_row(experts):
        experts = [experts]
    if awake is not None:
        awake = _as_table(experts, awake)
    advice = as_advice(experts, awake=awake, missing="sleep")
    if advice.values.ndim > _TABLE:
        raise ParameterError("experts must predict numbers, got distributions")
    return advice


def _is_a_row(experts: Any) -> bool:
    return (
        isinstance(experts, Sequence)
        and len(experts) > 0
        and isinstance(experts[0], (int, float, np.number))
    )


def _as_table(experts: Any, awake: Any) -> Any:
    """Return which experts are awake, in the order of their columns."""
    if not hasattr(awake, "columns") or not hasattr(experts, "columns"):
        return [awake] if np.ndim(awake) == 1 else awake
    names = list(experts.columns)
    if set(names) != set(awake.columns):
        raise ParameterError(
            f"awake must have the columns of the experts, {names}, "
            f"got {list(awake.columns)}"
        )
    return awake[names]


def outcomes_of(owner: str, y: Any, length: int) -> Floats:
    """Return one number a round."""
    given = y.to_numpy() if hasattr(y, "to_numpy") else y
    if np.ndim(given) == 0:
        given = [given]
    elif getattr(given, "ndim", 1) == _TABLE and given.shape[1] == 1:
        given = given[:, 0]
    elif getattr(given, "ndim", 1) >= _TABLE:
        raise ParameterError(
            f"y must be one outcome a round, got shape {given.shape}", owner=owner
        )
    return as_outcomes(given, length).astype(np.float64)


def names_of(advice: Advice) -> list[Any]:
    """Return the names of the experts; X1, X2, … as in R if they have none."""
    if advice.names is not None:
        return list(advice.names)
    return [f"X{i + 1}" for i in range(advice.values.shape[1])]
