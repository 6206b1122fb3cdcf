"""What experts advise, round by round, made into arrays of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone.errors import ParameterError, refusal

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Advice", "as_advice", "as_outcomes", "check_missing"]

_ROUNDS_AND_EXPERTS = 2
_WITH_OUTCOMES = 3  # a distribution over them from each expert


@dataclass(frozen=True, eq=False)
class Advice:
    """What every expert predicts in each of some rounds.

    Attributes
    ----------
    values
        Rounds × experts of numbers or truth values, or rounds × experts × outcomes of
        distributions. NaN means that the expert sleeps.
    names
        The experts, or None if they are known by their position.
    may_sleep
        Whether there may be a NaN among the values.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.learner.advice import Advice
    >>> advice = Advice(np.array([[0.5, np.nan]]), ("ann", "bob"), may_sleep=True)
    >>> len(advice)
    1
    >>> advice.row(0)
    {'ann': 0.5}
    """

    values: NDArray[Any]
    names: tuple[Hashable, ...] | None
    may_sleep: bool

    def __len__(self) -> int:
        return len(self.values)

    def row(self, row: int) -> dict[Any, Any] | list[Any]:
        """Return the advice of one round, as `predict_one` takes it.

        It is a mapping from expert to prediction without sleeping experts; a list if
        the experts have no names and none may sleep.
        """
        predictions: list[Any] = self.values[row].tolist()
        if self.names is None and not self.may_sleep:
            return predictions
        names = range(len(predictions)) if self.names is None else self.names
        pairs = zip(names, predictions, strict=True)
        if not self.may_sleep:
            return dict(pairs)
        awake = _awake(self.values[row : row + 1])[0].tolist()
        return {
            name: prediction
            for (name, prediction), is_awake in zip(pairs, awake, strict=True)
            if is_awake
        }


def as_advice(
    F: Any,
    *,
    awake: ArrayLike | None = None,
    missing: Literal["refuse", "sleep"] = "refuse",
    look: bool = True,
) -> Advice:
    """Return the advice in an array, a frame, or a list of rounds.

    Truth values stay truth values. Every other number becomes a float64; those that are
    float64 in C order are used where they lie.

    Parameters
    ----------
    F
        Rounds × experts, or rounds × experts × outcomes for distributions: an array, a
        pandas or polars frame, whose columns are then the experts, a list of sequences,
        or a list of mappings from expert to prediction. Experts that a mapping leaves
        out sleep.
    awake
        Rounds × experts of truth values: which are awake. What sleepers predict is not
        looked at.
    missing
        `"sleep"` lets an expert sleep where the prediction is NaN or None; `"refuse"`
        refuses it.
    look
        Whether to refuse numbers that are not finite here. The native core can do it
        instead while it plays, which saves a pass over a plain array; advice in other
        forms is checked here anyway.

    Examples
    --------
    >>> from littlestone.learner.advice import as_advice
    >>> as_advice([[1, 0], [2, 4]]).values.tolist()
    [[1.0, 0.0], [2.0, 4.0]]
    >>> as_advice([{"ann": 1.0}, {"bob": 2.0, "ann": 3.0}]).values.tolist()
    [[1.0, nan], [3.0, 2.0]]
    >>> as_advice([[1.0, float("nan")]])
    Traceback (most recent call last):
    littlestone.errors.FeatureError: row 0: expert 1 must predict a finite number, got nan
    """  # noqa: E501 - a message is one line
    check_missing("advice", missing)
    names: tuple[Hashable, ...] | None = None
    absent: NDArray[np.bool_] | None = None
    if isinstance(F, Sequence) and len(F) and isinstance(F[0], Mapping):
        F, names, absent = _from_mappings(F)
    elif hasattr(F, "columns") and hasattr(F, "to_numpy"):
        names = tuple(F.columns)
        F = F.to_numpy()
        if len(set(names)) < len(names):
            twice = next(name for k, name in enumerate(names) if name in names[:k])
            raise ParameterError(f"each expert must appear once, got {twice!r} twice")
        if names == tuple(range(len(names))):
            names = None
    values = _as_array(F, names)
    if values.dtype == np.bool_ and awake is None and absent is None:
        return Advice(np.ascontiguousarray(values), names, may_sleep=False)
    numbers = _as_floats(values)
    asleep = absent
    if awake is not None:
        mask = ~_as_mask(awake, numbers.shape[:_ROUNDS_AND_EXPERTS])
        asleep = mask if asleep is None else asleep | mask
    if asleep is not None:
        if np.may_share_memory(numbers, values) or not numbers.flags.writeable:
            numbers = numbers.copy()  # the caller's array stays as it is
        numbers[asleep] = np.nan
    may_sleep = asleep is not None or missing == "sleep"
    if look or may_sleep or (names, numbers.ndim) != (None, _ROUNDS_AND_EXPERTS):
        _check_numbers(numbers, names, asleep, may_miss=missing == "sleep")
    return Advice(numbers, names, may_sleep)


def as_outcomes(y: ArrayLike, length: int) -> NDArray[np.float64] | NDArray[np.bool_]:
    """Return `length` outcomes: finite numbers as float64, truth values as they are.

    Examples
    --------
    >>> from littlestone.learner.advice import as_outcomes
    >>> as_outcomes([1, 2.5], 2).tolist()
    [1.0, 2.5]
    >>> as_outcomes([1, "x"], 2)
    Traceback (most recent call last):
    littlestone.errors.LabelError: row 1: an outcome must be a finite number, got 'x'
    """
    if isinstance(y, np.ma.MaskedArray):
        raise ParameterError("y must have no masked outcomes, got a masked array")
    try:
        array = y.to_numpy() if hasattr(y, "to_numpy") else _rows_of_objects(y)
    except ValueError:
        raise ParameterError(
            f"y must hold one outcome for each of {length} rows, got some that are "
            "sequences"
        ) from None
    if array.shape != (length,):
        raise ParameterError(
            f"y must hold one outcome for each of {length} rows, "
            f"got shape {array.shape}"
        )
    if array.dtype == np.bool_:
        return np.ascontiguousarray(array)
    if array.dtype.kind not in "iuf":
        outcomes = np.empty(length)
        for row, outcome in enumerate(array.tolist()):
            number = _number(outcome)
            if number is None:
                raise refusal("outcome", row=row, value=outcome)
            outcomes[row] = number
    else:
        outcomes = _as_floats(array)
    finite = np.isfinite(outcomes)
    if not finite.all():
        row = int(np.argmin(finite))
        raise refusal("outcome", row=row, value=array[row : row + 1].tolist()[0])
    return outcomes


def check_missing(owner: str, missing: object) -> None:
    """Refuse an unknown way to treat missing predictions.

    Examples
    --------
    >>> from littlestone.learner.advice import check_missing
    >>> check_missing("csv", "wake")
    Traceback (most recent call last):
    littlestone.errors.ParameterError: csv: missing must be 'refuse' or 'sleep', got 'wake'
    """  # noqa: E501 - a message is one line
    if missing not in ("refuse", "sleep"):
        raise ParameterError(
            f"missing must be 'refuse' or 'sleep', got {missing!r}", owner=owner
        )


def _from_mappings(
    F: Sequence[Any],
) -> tuple[NDArray[Any], tuple[Hashable, ...], NDArray[np.bool_] | None]:
    """Return predictions, experts, and which are absent if any is."""
    for row, advice in enumerate(F):
        if not isinstance(advice, Mapping):
            raise ParameterError(
                "advice must be mappings in every row or in none, "
                f"got {type(advice).__name__}",
                where=f"row {row}",
            )
    names = tuple(dict.fromkeys(name for advice in F for name in advice))
    present = [[name in advice for name in names] for advice in F]
    some = next((p for advice in F for p in advice.values()), 0.0)
    # Fills the place of an absent expert; it has the shape and kind of the others.
    blank: Any = some
    cells = [[advice.get(name, blank) for name in names] for advice in F]
    absent = ~np.array(present, dtype=np.bool_).reshape(len(F), len(names))
    array = _as_array(cells, names) if names else np.empty((len(F), 0))
    return array, names, absent if absent.any() else None


def _rows_of_objects(cells: Any) -> NDArray[Any]:
    """Return an array; of objects where NumPy would turn numbers into text."""
    array = np.asarray(cells)
    return np.asarray(cells, dtype=object) if array.dtype.kind in "USVc" else array


def _as_array(F: Any, names: tuple[Hashable, ...] | None) -> NDArray[Any]:
    """Return a full array of truth values or numbers, in two or three dimensions."""
    if isinstance(F, np.ma.MaskedArray):
        raise ParameterError(
            "advice must have no masked cells, got a masked array; awake= says "
            "which experts sleep"
        )
    try:
        array = _rows_of_objects(F)
    except ValueError:
        raise _ragged(F) from None
    if array.ndim not in (_ROUNDS_AND_EXPERTS, _WITH_OUTCOMES):
        raise ParameterError(
            "advice must have two dimensions, rounds and experts, or a third for "
            f"distributions, got {array.ndim}; the advice of a single round goes to "
            "predict_one or learn_one"
        )
    if 0 in array.shape[1:]:
        what = "expert" if array.shape[1] == 0 else "outcome"
        raise ParameterError(f"advice must have at least one {what}, got none")
    if array.dtype.kind not in "biuf":
        return _from_objects(array, names)
    return array


def _ragged(F: Any) -> ParameterError:
    """Name the first row that is longer or shorter than the first one."""
    lengths = [len(row) if hasattr(row, "__len__") else -1 for row in F]
    row = next((t for t, n in enumerate(lengths) if n != lengths[0]), None)
    if row is None:
        return ParameterError(
            "every expert must predict alike in every row, got some "
            "numbers and some distributions, or different lengths"
        )
    if -1 in (lengths[0], lengths[row]):
        return ParameterError("advice must be rows of numbers", where=f"row {row}")
    return ParameterError(
        f"rows must be equally long, got {lengths[row]} after {lengths[0]}",
        where=f"row {row}",
    )


def _from_objects(
    array: NDArray[Any], names: tuple[Hashable, ...] | None
) -> NDArray[np.float64]:
    """Convert an array of objects, or name the first that is no number."""
    numbers = np.empty(array.shape)
    for at, cell in zip(np.ndindex(array.shape), array.ravel().tolist(), strict=True):
        if cell is None or type(cell).__name__ == "NAType":  # as pandas writes missing
            number: float | None = np.nan
        else:
            number = _number(cell)
        if number is None:
            raise refusal("expert", row=at[0], feature=_name(names, at[1]), value=cell)
        numbers[at] = number
    return numbers


def _number(cell: Any) -> float | None:
    if isinstance(cell, (str, bytes, complex)):
        return None  # float("1") would repair quietly
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return None


def _as_floats(array: NDArray[Any]) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):  # what is too large for a float64 is refused later
        return np.ascontiguousarray(array, dtype=np.float64)


def _as_mask(awake: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    try:
        mask = awake.to_numpy() if hasattr(awake, "to_numpy") else np.asarray(awake)
    except ValueError:
        raise ParameterError("awake must have rows of equal length") from None
    if mask.shape != shape:
        raise ParameterError(
            "awake must have one truth value for each round and expert, in the shape "
            f"{shape}, got {mask.shape}"
        )
    if mask.dtype != np.bool_ and (
        mask.dtype.kind not in "iuf" or not np.isin(mask, (0, 1)).all()
    ):
        raise ParameterError("awake must be truth values, or 0 and 1, got others")
    return np.asarray(mask, dtype=np.bool_)


def _awake(numbers: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which experts are awake, rounds × experts."""
    speaks: NDArray[np.bool_] = ~np.isnan(numbers)
    return (
        np.logical_or.reduce(speaks, 2) if speaks.ndim > _ROUNDS_AND_EXPERTS else speaks
    )


def _check_numbers(
    numbers: NDArray[np.float64],
    names: tuple[Hashable, ...] | None,
    asleep: NDArray[np.bool_] | None,
    *,
    may_miss: bool,
) -> None:
    """Refuse infinity, NaN where experts may not sleep, and rounds in which all do."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(numbers.sum()):  # then each of them is, too
            return
    refused = ~np.isfinite(numbers)
    if not refused.any():
        return
    if asleep is not None:
        refused[asleep] = False
    if may_miss:
        refused[~_awake(numbers)] = False
    if refused.any():
        at = tuple(int(k) for k in np.unravel_index(np.argmax(refused), refused.shape))
        raise refusal(
            "expert",
            row=at[0],
            feature=_name(names, at[1]),
            value=float(numbers[at]),
        )
    anyone = _awake(numbers).any(axis=1)
    if not anyone.all():
        raise refusal("asleep", row=int(np.argmin(anyone)))


def _name(names: tuple[Hashable, ...] | None, expert: int) -> Hashable:
    return expert if names is None else names[expert]
