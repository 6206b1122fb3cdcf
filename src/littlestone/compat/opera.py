"""opera's `mixture` and `oracle`, for users of opera in R or Python.

The names and the numbers are those of opera; the learners are ours. If the R and the
Python package have different names for a thing, both work.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from littlestone.compat._arguments import (
    PARAMETERS,
    check_coefficients,
    check_parameters,
    loss_of,
    model_of,
    names_of,
    outcomes_of,
    read,
)
from littlestone.compat._calibration import Calibrated, play_round, weights_awake
from littlestone.compat._oracle import LossType, Oracle, oracle
from littlestone.errors import ExampleError, ParameterError, in_row, refusal
from littlestone.experts import BOA, ExponentialWeights, FixedShare, MLPoly, MLProd
from littlestone.experts._ml_ewa import MLEwa
from littlestone.learner.advice import Advice
from littlestone.learner.parameters import truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from littlestone.experts._forecaster import Forecaster
    from littlestone.losses import Loss

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["MLEwa", "Mixture", "Oracle", "Summary", "oracle"]

Gradient: TypeAlias = bool | Callable[[Any, Any], Any]

_ALPHAS = (1e-4, 1e-3, 1e-2, 1e-1)
_ANY = (-math.inf, math.inf)  # opera declares no range of losses


class Mixture:
    r"""Combine the predictions of experts online, as opera's `mixture` does.

    Give outcomes and experts at once, or `update` as they come: the numbers are the
    same. Every round is kept, as in opera; the learners of `littlestone.experts` keep
    only what they need.

    Without `eta`, EWA and FS are calibrated as in opera: they try a grid of rates, use
    the one with the least loss, and add rates if the best one is at an end of the grid.
    A new rate plays all rounds so far again, so time may grow with the square of the
    number of rounds, and no theorem covers the result.

    Parameters
    ----------
    y
        The outcomes, one a round.
    experts
        The predictions of the experts: rounds × experts, as a frame with their names,
        or an array, whose experts are called `X1`, `X2`, … NaN is an expert asleep.
    model
        `"MLpol"`, `"MLprod"`, `"MLewa"`, `"BOA"`, `"EWA"` or `"FS"`, in any case.
    loss_type
        `"square"` or `"mse"`, `"absolute"` or `"mae"`, `"percentage"` or `"mape"`,
        `{"name": "pinball", "tau": 0.9}`, a `Loss`, or a function of a prediction and
        an outcome.
    loss_gradient
        Whether experts are charged by the slope of the loss at the prediction, or the
        function that is the slope, of a prediction and an outcome.
    coefficients
        The initial weights, one for each expert, or `"Uniform"`. MLpol and MLprod take
        only the latter, as opera uses others only in the first round.
    awake
        Which experts are awake: rounds × experts of truth values, or of 0 and 1.
    parameters
        For EWA `eta`, for FS `eta` and `alpha`, to have them fixed; or `grid.eta`,
        `grid.alpha` and `gamma`, the grid to calibrate over and the factor by which it
        grows. `tau` for the pinball loss.
    quiet
        Ignored, as nothing is printed.

    Attributes
    ----------
    coefficients
        The weights for the next round if all are awake; also `w`.
    weights
        The weights of every round, rounds × experts.
    prediction
        What was predicted, one a round; also `predictions`.
    loss
        The mean loss of the predictions.
    y
        The outcomes; also `Y` and `targets`.
    experts
        What the experts predicted, NaN where they slept.
    awake
        Which experts were awake; also `awakes`.
    names_experts
        The experts; also `experts_names`.
    parameters
        Those given; if calibrated, also the `eta` and `alpha` of every round.
    learner
        The learner inside, with its `regret_` and `guarantees`.

    References
    ----------
    Gaillard, Goude (2021), opera, the R package.

    Examples
    --------
    >>> from littlestone.compat.opera import Mixture
    >>> mixture = Mixture([50.0, 50.0], [[50.0, 52.0], [50.0, 54.0]])
    >>> mixture.weights.tolist(), mixture.prediction.tolist()
    ([[0.5, 0.5], [1.0, 0.0]], [51.0, 50.0])
    >>> mixture.update([[48.0, 50.0]], [48.0])
    >>> mixture.prediction.tolist(), mixture.names_experts
    ([51.0, 50.0, 48.0], ['X1', 'X2'])
    >>> mixture.predict([[51.0, 53.0]]).tolist()
    [51.0]
    """

    def __init__(
        self,
        y: Any = None,
        experts: Any = None,
        model: str = "MLpol",
        *,
        loss_type: LossType = "square",
        loss_gradient: Gradient = True,
        coefficients: str | Sequence[float] | Floats = "Uniform",
        awake: Any = None,
        parameters: Mapping[str, Any] | None = None,
        quiet: bool = True,
    ) -> None:
        truth("Mixture", "quiet", quiet)
        self.model = model_of(model)
        given = {str(k).replace("_", "."): v for k, v in (parameters or {}).items()}
        self.loss_type = loss_of("Mixture", loss_type, loss_gradient, given)
        self.loss_gradient = bool(loss_gradient)
        if self.loss_gradient and self.loss_type.slope is None:
            raise ParameterError(
                "a loss of your own needs loss_gradient, the function that is its "
                f"slope, or False, got {loss_gradient!r}",
                owner="Mixture",
            )
        self._given = check_parameters(self.model, given)
        self._begin_with = check_coefficients(self.model, coefficients)
        self._names: list[Any] | None = None
        self._engine: Forecaster | Calibrated | None = None
        self._blocks: list[tuple[Floats, ...]] = []
        if experts is None and y is None:
            return
        if experts is None or y is None:
            raise ParameterError(
                "y and experts must be given together, or neither, got no "
                f"{'experts' if experts is None else 'y'}",
                owner="Mixture",
            )
        self.update(experts, y, awake)

    # Rounds -------------------------------------------------------------------

    def update(self, new_experts: Any, new_y: Any, awake: Any = None) -> None:
        """Play more rounds, each predicted before it is learned from.

        Parameters
        ----------
        new_experts
            Rounds × experts, or the experts of a single round. Experts that a frame or
            a mapping leaves out are asleep.
        new_y
            One outcome a round.
        awake
            Which experts are awake; by default all whose prediction is not NaN.
        """
        advice = read(new_experts, awake)
        outcomes = outcomes_of("Mixture", new_y, len(advice))
        first = self._engine is None
        engine, names = self._met(advice)
        rows = self._aligned(advice, names)
        self._engine, self._names = engine, names
        weights, said = np.empty(rows.shape), np.empty(len(rows))
        used = np.full((len(rows), 2), math.nan)
        played = 0
        try:
            for row, outcome in zip(rows, outcomes.tolist(), strict=True):
                weights[played] = weights_awake(_learner(engine), row)
                if isinstance(engine, Calibrated):
                    used[played] = engine.best.eta, engine.best.alpha
                    said[played] = engine.play(row, outcome)
                else:
                    said[played] = play_round(engine, row, outcome)
                played += 1
        except ExampleError as error:
            in_row(error, played, played)
            raise
        finally:
            if played:
                block = (rows, outcomes, weights, said, used)
                self._blocks.append(tuple(_frozen(part[:played]) for part in block))
            elif first:  # a refused first round leaves no engine behind
                self._engine, self._names = None, None

    def predict(self, new_experts: Any, awake: Any = None) -> Floats:
        """Predict every round with the current weights; learn nothing.

        Parameters
        ----------
        new_experts, awake
            As for `update`.
        """
        advice = read(new_experts, awake)
        engine, names = self._met(advice)
        rows = self._aligned(advice, names)
        asleep = bool(np.isnan(rows).any())
        return _learner(engine).predict(Advice(rows, None, may_sleep=asleep))

    def _met(self, advice: Advice) -> tuple[Forecaster | Calibrated, list[Any]]:
        """Return the engine and the names; new ones for the first advice."""
        if self._engine is not None and self._names is not None:
            return self._engine, self._names
        size = advice.values.shape[1]
        priors = np.full(size, 1 / size)
        if self._begin_with is not None:
            if len(self._begin_with) != size:
                raise ParameterError(
                    f"coefficients must be one for each of {size} experts, got "
                    f"{len(self._begin_with)}",
                    owner="Mixture",
                )
            priors = self._begin_with / self._begin_with.sum()
        names = names_of(advice)
        return self._engine_of(names, priors), names

    def _engine_of(self, names: list[Any], priors: Floats) -> Forecaster | Calibrated:
        given, make = self._given, partial(self._make, names)
        if self.model not in PARAMETERS:
            return make(0.0, 0.0, priors)
        grids = [given.get("grid.eta"), given.get("grid.alpha")]
        if "eta" in given and grids == [None, None]:
            return make(given["eta"], given.get("alpha", 0.0), priors)
        return Calibrated(
            make,
            self.loss_type,
            priors,
            gradient=self.loss_gradient,
            etas=grids[0],
            alphas=(0.0,) if self.model == "EWA" else grids[1] or _ALPHAS,
            gamma=given.get("gamma", 2.0),
        )

    def _make(
        self, names: list[Any], eta: float, alpha: float, priors: Floats
    ) -> Forecaster:
        loss, gradient = self.loss_type, self.loss_gradient
        experts = dict(zip(names, priors.tolist(), strict=True))
        match self.model:
            case "EWA":
                return ExponentialWeights(
                    eta, loss, gradient=gradient, range=_ANY, experts=experts
                )
            case "FS":
                return FixedShare(
                    eta, alpha, loss, gradient=gradient, range=_ANY, experts=experts
                )
            case "MLpol":
                return MLPoly(loss, gradient=gradient, experts=experts)
            case "MLprod":
                return MLProd(loss, gradient=gradient, experts=experts)
            case "MLewa":
                return MLEwa(loss, gradient=gradient, experts=experts)
            case _:
                return BOA(loss, gradient=gradient, experts=experts)

    @staticmethod
    def _aligned(advice: Advice, names: list[Any]) -> Floats:
        """Return a copy of the advice, in the order of the experts."""
        values = advice.values.astype(np.float64)
        if advice.names is None:
            if values.shape[1] != len(names):
                raise refusal(
                    "experts",
                    owner="Mixture",
                    feature=len(names),
                    value=values.shape[1],
                )
            return values
        for name in advice.names:
            if name not in names:
                raise ParameterError(
                    f"experts must be among {names}, got {name!r}", owner="Mixture"
                )
        aligned = np.full((len(values), len(names)), math.nan)
        aligned[:, [names.index(name) for name in advice.names]] = values
        return aligned

    # Books --------------------------------------------------------------------

    def _column(self, which: int) -> Floats:
        if len(self._blocks) > 1:  # joined when needed, not in every round
            columns = zip(*self._blocks, strict=True)
            whole = tuple(_frozen(np.concatenate(column)) for column in columns)
            self._blocks = [whole]
        if self._blocks:
            return self._blocks[0][which]
        size = 0 if self._names is None else len(self._names)
        return np.empty((0, size) if which in (0, 2) else 0)

    @property
    def experts(self) -> Floats:
        """What the experts predicted, NaN where they slept."""
        return self._column(0)

    @property
    def y(self) -> Floats:
        """The outcomes."""
        return self._column(1)

    @property
    def Y(self) -> Floats:  # noqa: N802 - as opera calls it
        """The outcomes."""
        return self.y

    @property
    def targets(self) -> Floats:
        """The outcomes."""
        return self.y

    @property
    def weights(self) -> Floats:
        """The weights of every round, rounds × experts."""
        return self._column(2)

    @property
    def prediction(self) -> Floats:
        """What was predicted, one a round."""
        return self._column(3)

    @property
    def predictions(self) -> Floats:
        """What was predicted, one a round."""
        return self.prediction

    @property
    def awake(self) -> NDArray[np.bool_]:
        """Which experts were awake, rounds × experts."""
        return ~np.isnan(self.experts)

    @property
    def awakes(self) -> NDArray[np.bool_]:
        """Which experts were awake, rounds × experts."""
        return self.awake

    @property
    def names_experts(self) -> list[Any] | None:
        """The experts; None before the first advice."""
        return None if self._names is None else list(self._names)

    @property
    def experts_names(self) -> list[Any] | None:
        """The experts; None before the first advice."""
        return self.names_experts

    @property
    def learner(self) -> Forecaster | None:
        """The learner inside; None before the first advice.

        If calibrated, the one with the current rate.
        """
        return None if self._engine is None else _learner(self._engine)

    @property
    def coefficients(self) -> Any:
        """The weights for the next round; before the first, those given."""
        if self._engine is None:
            return "Uniform" if self._begin_with is None else self._begin_with
        return np.asarray(_learner(self._engine).weights_)

    @property
    def w(self) -> Any:
        """The weights for the next round."""
        return self.coefficients

    @property
    def parameters(self) -> dict[str, Any]:
        """Those given; if calibrated, also the rates of every round and the grid."""
        found = dict(self._given)
        if isinstance(self._engine, Calibrated):
            used = self._column(4).reshape(-1, 2)
            found |= {"eta": used[:, 0], "grid.eta": self._engine.etas}
            if self.model == "FS":
                found["alpha"] = used[:, 1]
        return found

    @property
    def loss(self) -> float:
        """The mean loss of the predictions; NaN before the first."""
        return _mean_loss(self.loss_type, self.prediction, self.y)

    # What to look at ----------------------------------------------------------

    def summary(self) -> Summary:
        """Return what opera's `summary` prints.

        Examples
        --------
        >>> from littlestone.compat.opera import Mixture
        >>> Mixture([50.0, 50.0], [[50.0, 52.0], [50.0, 54.0]]).summary()
        Aggregation rule: MLpol
        Loss function: square loss
        Gradient trick: True
        Coefficients:
         X1  X2
          1   0
        <BLANKLINE>
        Number of experts: 2
        Number of observations: 2
        <BLANKLINE>
                  rmse  mape
        MLpol    0.707  0.01
        Uniform   1.58  0.03
        """
        rmse, mape = {}, {}
        rows = {self.model: self.prediction, "Uniform": self.uniform()}
        for name, said in rows.items() if len(self.y) else ():
            rmse[name] = math.sqrt(np.mean((said - self.y) ** 2))
            mape[name] = _mape(said, self.y)
        return Summary(
            model=self.model,
            loss=self.loss_type.name,
            gradient=self.loss_gradient,
            coefficients=self.coefficients,
            names_experts=self.names_experts,
            observations=len(self.y),
            rmse=rmse,
            mape=mape,
        )

    def uniform(self) -> Floats:
        """Return the predictions of equal weights, of the experts awake.

        Examples
        --------
        >>> from littlestone.compat.opera import Mixture
        >>> Mixture([50.0], [[51.0, 47.0]]).uniform().tolist()
        [49.0]
        """
        if len(self.y) == 0:
            return np.empty(0)
        return np.asarray(np.nanmean(self.experts, axis=1))

    def plot_mixture(
        self,
        plot_type: str = "plot_weight",
        *,
        max_experts: int = 50,
        title: str | None = None,
        ax: Any = None,
    ) -> Any:
        """Draw with Matplotlib; return the axes.

        Parameters
        ----------
        plot_type
            `"plot_weight"`: the weights of all rounds, stacked. `"avg_loss"`: the mean
            losses of the experts, the mixture and equal weights. `"cumul_res"`: the
            cumulative sums of outcomes minus predictions.
        max_experts
            How many experts, those with the largest weights, are drawn; the others are
            added up.
        title
            The title.
        ax
            The axes to draw on; new ones if not given.
        """
        from littlestone.compat import _plots  # noqa: PLC0415 - few draw

        return _plots.draw(
            self, plot_type, max_experts=max_experts, title=title, axes=ax
        )

    def __repr__(self) -> str:
        return (
            f"Mixture(model={self.model!r}, loss_type={self.loss_type.name!r}, "
            f"loss_gradient={self.loss_gradient}, rounds={len(self.y)})"
        )

    def __str__(self) -> str:
        return self.summary().head()


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """What opera's `summary` prints.

    Attributes
    ----------
    model, loss, gradient
        The rule, the name of the loss, and whether experts are charged by its slope.
    coefficients, names_experts, observations
        The weights for the next round, the experts, and how many rounds were played.
    rmse, mape
        Of the rule and of equal weights: the root of the mean square loss, and the mean
        percentage loss, NaN where an outcome is 0.

    Examples
    --------
    >>> from littlestone.compat.opera import Mixture
    >>> Mixture([50.0, 40.0], [[51.0], [39.0]], model="BOA").summary().rmse
    {'BOA': 1.0, 'Uniform': 1.0}
    """

    model: str
    loss: str
    gradient: bool
    coefficients: Any
    names_experts: list[Any] | None
    observations: int
    rmse: dict[str, float]
    mape: dict[str, float]

    def head(self) -> str:
        """Return the lines about the rule, without the losses."""
        lines = [
            f"Aggregation rule: {self.model}",
            f"Loss function: {self.loss} loss",
            f"Gradient trick: {self.gradient}",
        ]
        if self.names_experts is None:
            return "\n".join([*lines, "Coefficients: none before the first round"])
        shown = [f"{weight:.3g}" for weight in self.coefficients]
        names = [str(name) for name in self.names_experts]
        lines += ["Coefficients:", *_table([names, shown])]
        return "\n".join(lines)

    def __repr__(self) -> str:
        count = len(self.names_experts or ())
        lines = [
            self.head(),
            "",
            f"Number of experts: {count or 'unknown'}",
            f"Number of observations: {self.observations}",
        ]
        if self.rmse:
            cells = [["", "rmse", "mape"]]
            for name in self.rmse:
                shown = [f"{self.rmse[name]:.3g}", f"{self.mape[name]:.3g}"]
                cells.append([name, *map(_plain, shown)])
            lines += ["", *_table(cells, left=True)]
        return "\n".join(lines)


# Small things ---------------------------------------------------------------


def _learner(engine: Forecaster | Calibrated) -> Forecaster:
    return engine.best.learner if isinstance(engine, Calibrated) else engine


def _frozen(part: Floats) -> Floats:
    part.flags.writeable = False  # callers must not change the past
    return part


def _mean_loss(loss: Loss, said: Floats, y: Floats) -> float:
    if len(y) == 0:
        return math.nan
    if loss.native >= 0:
        return float(np.mean(loss.value(said, y)))
    pairs = zip(said.tolist(), y.tolist(), strict=True)  # one by one, as when charged
    return float(np.mean([loss.value(p, outcome) for p, outcome in pairs]))


def _mape(said: Floats, y: Floats) -> float:
    return math.nan if (y == 0).any() else float(np.mean(np.abs(said - y) / np.abs(y)))


def _plain(shown: str) -> str:
    """Write large numbers without an exponent, as R does."""
    return f"{float(shown):.0f}" if "e+" in shown else shown


def _table(cells: list[list[str]], *, left: bool = False) -> list[str]:
    """Align columns to the right, the first to the left where it holds names."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        parts = [f" {cell:>{width}}" for cell, width in zip(row, widths, strict=True)]
        if left:
            parts[0] = f"{row[0]:<{widths[0]}}"
        lines.append(" ".join(parts))
    return lines
