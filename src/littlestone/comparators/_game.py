"""The game that a comparator looks back on: predictions, outcomes, a loss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone.comparators._comparator import Comparator
from littlestone.comparators._records import advice_of, loss_of
from littlestone.errors import (
    ExampleError,
    Hint,
    LabelError,
    LittlestoneError,
    ParameterError,
)
from littlestone.losses import Loss, as_loss
from littlestone.outcome import Outcome
from littlestone.running import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from littlestone.losses import Charge

    Floats = NDArray[np.float64]
    Missing = Literal["refuse", "sleep"]

_TABLE, CUBE = 2, 3  # rounds x experts, rounds x experts x outcomes


@dataclass(frozen=True, eq=False)
class Game:
    """Predictions, outcomes, a loss, and which experts are awake, all checked.

    Predictions are 0 where an expert sleeps.
    """

    owner: str
    F: Floats
    y: Floats
    loss: Loss
    awake: NDArray[np.bool_]
    experts: list[Any]

    @classmethod
    def read(cls, owner: str, F: Any, y: Any, loss: Any, missing: str) -> Game:
        if missing not in {"refuse", "sleep"}:
            raise ParameterError(
                f"missing must be 'refuse' or 'sleep', got {missing!r}", owner=owner
            )
        experts = None
        if isinstance(F, Record):
            if y is not None:
                raise ParameterError(
                    f"a record has its outcomes, so y must not be given, got {y!r}",
                    owner=owner,
                )
            kept, missing = advice_of(owner, F), "sleep"
            loss = loss_of(owner, F) if loss is None else loss
            F, y, experts = kept.predictions, kept.outcomes, list(kept.experts)
        elif hasattr(F, "columns") and hasattr(F, "to_numpy"):
            experts, F = list(F.columns), F.to_numpy()
            for i, name in enumerate(experts):
                if name in experts[:i]:
                    raise ParameterError(
                        f"each expert must appear once, got {name!r} twice", owner=owner
                    )
        charged = as_loss("square" if loss is None else loss)
        F, y = _numbers(owner, "F", F), _numbers(owner, "y", y)
        _check_shapes(owner, F, y, charged)
        if experts is None:
            experts = list(range(F.shape[1]))
        awake = _check_advice(owner, F, experts, missing)
        _check_outcomes(owner, F, y, charged)
        if charged.outcome is Outcome.LABEL:
            F, y = _same_alphabet(F, y)
        game = cls(owner, F, y, charged, awake, experts)
        game.check_probabilities()
        # Sleeping experts get 0, as NaN would spread into every sum.
        if not awake.all():
            quiet = F.copy()
            quiet[~awake] = 0.0
            game = cls(owner, quiet, y, charged, awake, experts)
        return game

    @property
    def distributions(self) -> bool:
        return self.F.ndim == CUBE

    def refusal(self, row: int, expert: int, what: str) -> ExampleError:
        value = self.F[row, expert].tolist()
        return _refused(self.owner, self.experts[expert], row, what, value)

    def check_probabilities(self) -> None:
        if self.loss.outcome is not Outcome.DISTRIBUTION:
            return
        with np.errstate(invalid="ignore"):
            outside = (self.F < 0) | (self.F > 1)
        if self.distributions:
            for row, expert, _ in np.argwhere(outside):
                raise self.refusal(row, expert, "must give probabilities in [0, 1]")
            sums = self.F.sum(axis=-1)
            far = self.awake & ~(np.abs(sums - 1.0) <= 1e-6)  # noqa: PLR2004 - rounding
            for row, expert in np.argwhere(far):
                raise self.refusal(row, expert, "must give probabilities that add to 1")
        else:
            for row, expert in np.argwhere(outside):
                raise self.refusal(row, expert, "must give a probability in [0, 1]")

    def refuse_labels(self) -> None:
        if self.loss.outcome is Outcome.LABEL:
            raise ParameterError(
                "labels have no weighted mean, so the loss must not be zero-one, got "
                f"{self.loss.name!r}",
                owner=self.owner,
            )

    def refuse_sleepers(self) -> None:
        for row, expert in np.argwhere(~self.awake):
            what = "must give a finite number in every round"
            raise _refused(self.owner, self.experts[expert], row, what, math.nan)

    def charge(self, predictions: Floats) -> Floats:
        """Return the loss of each prediction; the first axis is the round."""
        y = self.y
        if self.distributions:
            outcomes = y if predictions.ndim == _TABLE else y[:, np.newaxis]
            # Rounding may bring a mean of distributions above 1.
            return np.asarray(
                self.loss.of_distribution(np.minimum(predictions, 1.0), outcomes)
            )
        if predictions.ndim == _TABLE:
            y = y[:, np.newaxis]
        if self.loss.outcome is Outcome.DISTRIBUTION:
            predictions = np.clip(predictions, 0.0, 1.0)
        return self.call(self.loss.value, predictions, y)

    def table(self) -> Floats:
        """Return the loss of each expert in each round, 0 while it sleeps."""
        F = self.F
        if self.distributions and not self.awake.all():
            F = F.copy()
            F[~self.awake] = 1.0 / F.shape[2]  # any distribution, ignored below
        table = np.where(self.awake, self.charge(F), 0.0)
        bad = ~np.isfinite(table)
        if self.loss.name == "log":
            bad = np.isnan(table)  # this loss may be infinite
        for row, expert in np.argwhere(bad):
            raise self.refusal(row, expert, f"must have a finite {self.loss.name} loss")
        return table

    def mix(self, weights: Floats) -> Floats:
        """Return the weighted mean of the experts awake in each round."""
        if self.awake.all():
            return np.asarray(np.einsum("ti...,i->t...", self.F, weights))
        total = self.awake @ weights
        mixed = np.einsum("ti...,i->t...", self.F, weights)
        shape = (-1, *[1] * (mixed.ndim - 1))
        with np.errstate(invalid="ignore"):
            return np.asarray(mixed / total.reshape(shape))

    def comparator(
        self,
        kind: Literal["expert", "convex", "linear", "shifting"],
        *,
        loss: float,
        rounds: int,
        predictions: Floats,
        gap: float | None,
        how: str,
        weights: Floats | None = None,
        sequence: tuple[Any, ...] | None = None,
    ) -> Comparator:
        named = None
        if weights is not None:
            named = dict(zip(self.experts, weights.tolist(), strict=True))
        predictions.setflags(write=False)
        return Comparator(
            kind, self.loss, loss, rounds, named, sequence, predictions, gap, how
        )

    def call(self, function: Charge, predictions: Floats, y: Floats) -> Floats:
        """Call a function on arrays, or on single numbers if it cannot take arrays."""
        try:
            result = np.asarray(function(predictions, y), dtype=np.float64)
        except (TypeError, ValueError) as error:
            if isinstance(error, LittlestoneError):
                raise
            result = np.zeros(0)
        shape = np.broadcast_shapes(predictions.shape, y.shape)
        if result.shape == shape:
            return result
        return np.asarray(
            np.vectorize(function, otypes=[np.float64])(predictions, y),
            dtype=np.float64,
        )


def _refused(owner: str, expert: Any, row: int, what: str, value: Any) -> ExampleError:
    error = ExampleError(
        f"expert {expert!r} {what}, got {value!r}", owner=owner, where=f"row {row}"
    )
    error.row, error.feature, error.value = int(row), expert, value
    return error


def _numbers(owner: str, name: str, given: Any) -> Floats:
    if isinstance(given, np.ma.MaskedArray):
        raise ParameterError(f"{name} must have no masked cells", owner=owner)
    try:
        array = np.asarray(given)
    except ValueError:
        raise ParameterError(
            f"the rows of {name} must be equally long", owner=owner
        ) from None
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    numbers = np.empty(array.shape)
    for place, item in np.ndenumerate(array):
        cell = item.item() if isinstance(item, np.generic) else item
        try:
            if isinstance(cell, (str, bytes)):
                raise TypeError  # noqa: TRY301 - float("1") would repair quietly
            # None, and what pandas calls missing, mean NaN.
            missing = cell is None or type(cell).__name__ in {"NAType", "NaTType"}
            numbers[place] = math.nan if missing else float(cell)
        except (TypeError, ValueError):
            row = f"row {place[0]}" if place else ""
            raise ParameterError(
                f"{name} must hold numbers, got {cell!r}", owner=owner, where=row
            ) from None
    return numbers


def _check_shapes(owner: str, F: Floats, y: Floats, loss: Loss) -> None:
    if F.ndim not in {_TABLE, CUBE}:
        raise ParameterError(
            "F must be rounds x experts, or rounds x experts x outcomes, got "
            f"{F.ndim} dimension{'' if F.ndim == 1 else 's'}",
            owner=owner,
        )
    if F.ndim == CUBE and (
        loss.outcome is not Outcome.DISTRIBUTION or owner == "best_linear"
    ):
        raise ParameterError(
            f"F may hold distributions for log and brier loss only, got {F.ndim} "
            f"dimensions with {loss.name}",
            owner=owner,
        )
    if y.ndim != 1 or len(y) != len(F):
        raise ParameterError(
            f"y must hold one outcome for each of {len(F)} rounds, got shape {y.shape}",
            owner=owner,
        )
    for size, what in zip(F.shape, ("round", "expert", "outcome"), strict=False):
        if size == 0:
            raise ParameterError(
                f"there must be at least one {what}, got 0", owner=owner
            )


def _check_advice(
    owner: str, F: Floats, experts: list[Any], missing: str
) -> NDArray[np.bool_]:
    """Return which experts are awake, and refuse predictions that are not finite."""
    cells = F.reshape(*F.shape[:2], -1)  # a single number is a cell of one
    asleep = np.asarray(np.isnan(cells).all(axis=-1))
    bad = np.asarray(~np.isfinite(cells).all(axis=-1))
    if missing == "sleep":
        bad &= ~asleep
    for row, expert in np.argwhere(bad):
        what = "must be finite" if F.ndim == CUBE else "must give a finite number"
        error = _refused(owner, experts[expert], row, what, F[row, expert].tolist())
        if asleep[row, expert]:
            error.hints = (Hint("missing", "sleep", "lets it sleep"),)
        raise error
    return ~asleep


def _check_outcomes(owner: str, F: Floats, y: Floats, loss: Loss) -> None:
    bad = ~np.isfinite(y)
    what = "an outcome must be a finite number"
    if loss.outcome is Outcome.DISTRIBUTION:
        most = F.shape[2] - 1 if F.ndim == CUBE else 1
        bad |= (y < 0) | (y > most) | (y != np.floor(y))
        what = f"an outcome must be a whole number from 0 to {most}"
    elif loss.name == "percentage" and loss.native >= 0:
        bad |= y == 0
        what = "an outcome must be a number other than 0"
    for row in np.flatnonzero(bad):
        error = LabelError(
            f"{what}, got {y[row].item()!r}", owner=owner, where=f"row {row}"
        )
        error.row, error.value = int(row), y[row].item()
        raise error


def _same_alphabet(F: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Write no as 0 if the experts or the outcomes write it as -1."""
    used = set(np.unique(F[~np.isnan(F)])), set(np.unique(y))
    binary = [{0.0, 1.0}, {-1.0, 1.0}]
    if all(any(labels <= pair for pair in binary) for labels in used):
        return np.where(F == -1, 0.0, F), np.where(y == -1, 0.0, y)
    return F, y
