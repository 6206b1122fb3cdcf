"""Drawings of a mixture, with Matplotlib where it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.errors import MissingPackageError, ParameterError
from littlestone.learner.parameters import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from littlestone.compat.opera import Mixture

__all__ = ["draw", "lines_of", "losses_of", "weights_of"]


def weights_of(
    mixture: Mixture, max_experts: int = 50
) -> tuple[list[str], NDArray[np.float64]]:
    """Return the names of the layers, and the weights, rounds × layers."""
    names, weights = _names(mixture), mixture.weights
    order = np.argsort(-weights.mean(axis=0), kind="stable")
    kept, rest = order[:max_experts], order[max_experts:]
    labels, parts = [names[i] for i in kept], weights[:, kept]
    if len(rest):
        others = weights[:, rest].sum(axis=1, keepdims=True)
        labels, parts = [*labels, "others"], np.hstack([parts, others])
    return labels, parts


def losses_of(mixture: Mixture) -> dict[str, float]:
    """Return the mean losses of experts, mixture and equal weights, least first."""
    value, y = mixture.loss_type.value, mixture.y.tolist()
    said = dict(zip(_names(mixture), mixture.experts.T.tolist(), strict=True))
    said |= {mixture.model: mixture.prediction.tolist()}
    said |= {"Uniform": mixture.uniform().tolist()}
    means = {}
    for name, predictions in said.items():
        pairs = [(p, o) for p, o in zip(predictions, y, strict=True) if p == p]  # noqa: PLR0124 - NaN is asleep
        if pairs:
            means[name] = float(np.mean([value(p, o) for p, o in pairs]))
    return dict(sorted(means.items(), key=lambda pair: pair[1]))


def lines_of(mixture: Mixture) -> dict[str, NDArray[np.float64]]:
    """Return the cumulative sums of outcomes minus predictions.

    Sleepers count with the prediction of the mixture, as in opera.
    """
    said = np.where(mixture.awake, mixture.experts, mixture.prediction[:, np.newaxis])
    lines = dict(zip(_names(mixture), said.T, strict=True))
    lines |= {mixture.model: mixture.prediction, "Uniform": mixture.uniform()}
    return {name: np.cumsum(mixture.y - line) for name, line in lines.items()}


def draw(
    mixture: Mixture,
    plot_type: str,
    *,
    max_experts: int = 50,
    title: str | None = None,
    axes: Any = None,
) -> Any:
    """Draw the mixture, and return the axes."""
    kinds = ("plot_weight", "avg_loss", "cumul_res")
    if plot_type not in kinds:
        raise ParameterError(
            f"plot_type must be one of {', '.join(map(repr, kinds))}, got "
            f"{plot_type!r}",
            owner="plot_mixture",
        )
    most = whole("plot_mixture", "max_experts", max_experts, low=1)
    if len(mixture.y) == 0:
        raise ParameterError(
            "there must be rounds to draw, got none", owner="plot_mixture"
        )
    if axes is None:
        axes = _new_axes()
    if plot_type == "plot_weight":
        labels, parts = weights_of(mixture, most)
        axes.stackplot(np.arange(len(parts)), parts.T, labels=labels)
        told, scale = "Weights of the experts", "weight"
    elif plot_type == "avg_loss":
        means = losses_of(mixture)
        axes.bar(list(means), list(means.values()))
        told, scale = "Mean losses", f"{mixture.loss_type.name} loss"
    else:
        for name, line in lines_of(mixture).items():
            axes.plot(line, label=name)
        told, scale = "Outcomes minus predictions, cumulative", "sum"
    axes.set_title(told if title is None else title)
    axes.set_ylabel(scale)
    if plot_type != "avg_loss":
        axes.set_xlabel("round")
        axes.legend()
    return axes


def _names(mixture: Mixture) -> list[str]:
    return [str(name) for name in mixture.names_experts or ()]


def _new_axes() -> Any:
    try:
        from matplotlib import pyplot as plt  # noqa: PLC0415 - where needed
    except ImportError:
        raise MissingPackageError(
            "drawing needs Matplotlib, which is not installed: pip install "
            "'littlestone[plots]'",
            owner="plot_mixture",
        ) from None
    return plt.subplots()[1]
