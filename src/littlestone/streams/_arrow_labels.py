"""Labels from Arrow columns."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.errors import ParameterError
from littlestone.learner import objects
from littlestone.outcome import Outcome
from littlestone.streams._arrow_arrays import (
    as_numbers,
    as_texts,
    is_number,
    is_text,
)
from littlestone.streams._arrow_columns import Refused
from littlestone.streams._labels import LABEL_HINTS, as_outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ArrowLabels"]


class ArrowLabels:
    """How labels are read; each reading starts anew."""

    def __init__(self, label: str, positive: Any, negative: Any, outcome: str) -> None:
        known = Outcome.LABEL, Outcome.CLASS, Outcome.NUMBER
        self.outcome = as_outcome("arrow", outcome, known, positive=positive)
        self.label = label
        self.yes = _meanings("positive", positive)
        self.no = _meanings("negative", negative)
        if negative is not None and positive is None:
            raise ParameterError("negative needs positive, got none", owner="arrow")
        if set(self.yes) & set(self.no):
            raise ParameterError(
                "a label must mean either yes or no, got "
                f"{min(set(self.yes) & set(self.no), key=str)!r} for both",
                owner="arrow",
            )

    def begin(self) -> _Reader:
        """Start a reading."""
        return _Reader(self)


class _Reader:
    """Reads labels, and remembers whether "no" is written 0 or -1."""

    def __init__(self, how: ArrowLabels) -> None:
        self._how = how
        self._no: float | None = None
        self.others: set[str] = set()  # what no is called, where yes has a name

    def __call__(self, column: Any, *, keep: bool = False) -> NDArray[Any]:
        """Return the labels of a column; with `keep`, None where one is missing."""
        how = self._how
        if keep and column.null_count:
            present = column.is_valid()
            labels = np.full(len(column), None, dtype=object)
            if present.true_count:
                labels[present.to_numpy(zero_copy_only=False)] = self(
                    column.filter(present)
                )
            return labels
        if column.null_count:
            absent = column.is_null().to_numpy(zero_copy_only=False)
            raise Refused(absent, f"label {how.label!r} must not be missing")
        if how.outcome is Outcome.NUMBER:
            return self._numbers(column)
        if how.outcome is Outcome.CLASS:
            return self._any(column)
        return self._named(column) if how.yes else self._two(column)

    def _numbers(self, column: Any) -> NDArray[np.float64]:
        self._check(column, text=False)
        numbers = as_numbers(column).astype(np.float64, copy=False)
        self._check_finite(numbers, f"outcome {self._how.label!r}")
        return numbers

    def _check(self, column: Any, *, text: bool) -> None:
        if not is_number(column.type) and not (text and is_text(column.type)):
            kinds = "texts, numbers or truth values" if text else "numbers"
            raise ParameterError(
                f"label {self._how.label!r} must be a column of {kinds}, got "
                f"{column.type}",
                owner="arrow",
            )

    def _check_finite(self, numbers: NDArray[Any], what: str) -> None:
        bad = ~np.isfinite(numbers)
        if bad.any():
            raise Refused(bad, f"{what} must be a finite number", numbers)

    def _any(self, column: Any) -> NDArray[Any]:
        self._check(column, text=True)
        if is_text(column.type):
            codes, texts = as_texts(column)
            found: NDArray[Any] = objects(texts.to_pylist())[codes]
            return found
        numbers = as_numbers(column)
        self._check_finite(numbers, f"label {self._how.label!r}")
        if str(column.type) == "bool":
            numbers = numbers.astype(np.bool_)
        return objects(numbers.tolist())

    def _named(self, column: Any) -> NDArray[np.bool_]:
        """Return which labels are among those that mean yes."""
        self._check(column, text=True)
        how = self._how
        if is_text(column.type):
            codes, texts = as_texts(column)
            written: list[Any] = texts.to_pylist()
            yes, no = ({str(label) for label in part} for part in (how.yes, how.no))
            of_texts = np.array([text in yes for text in written], dtype=np.bool_)
            says: NDArray[np.bool_] = of_texts[codes]
            known = np.array([text in yes | no for text in written])[codes]
            shown: Any = objects(written)[codes]
            others = [written[code] for code in np.unique(codes[~says])[:2]]
        else:
            shown = as_numbers(column)
            says = np.isin(shown, _numbers_of(how.yes))
            known = says | np.isin(shown, _numbers_of(how.no))
            others = np.unique(shown[~says])[:2].tolist()
        self.others.update(map(str, others))
        if how.no and not known.all():
            among = ", ".join(map(repr, (*how.yes, *how.no)))
            raise Refused(~known, f"label {how.label!r} must be one of {among}", shown)
        return says

    def _two(self, column: Any) -> NDArray[np.bool_]:
        """Return which labels are 1, if the others are 0 or -1."""
        how = self._how
        if not is_number(column.type):
            raise ParameterError(
                f"label {how.label!r} must be a column of truth values or of 1, 0 and "
                f"-1, got {column.type}",
                owner="arrow",
                hints=LABEL_HINTS,
            )
        numbers = as_numbers(column)
        says: NDArray[np.bool_] = numbers == 1
        bad = ~(says | (numbers == 0) | (numbers == -1))
        if bad.any():
            what = f"label {how.label!r} must be 1, 0 or -1"
            raise Refused(bad, what, numbers, hints=LABEL_HINTS)
        others = numbers[~says]
        if len(others):
            no = float(others[0]) if self._no is None else self._no
            mixed = ~says & (numbers != no)
            if mixed.any():
                raise Refused(
                    mixed,
                    "labels must be 0 and 1 or -1 and +1, never mixed in one stream",
                    numbers,
                    skippable=False,
                )
            self._no = no
        return says


def _meanings(name: str, given: Any) -> tuple[Any, ...]:
    """Return one label or several as a tuple."""
    if given is None:
        return ()
    several = isinstance(given, Collection) and not isinstance(given, (str, bytes))
    listed = tuple(given) if several else (given,)
    if not listed or not all(
        isinstance(label, (str, int, float, np.number)) for label in listed
    ):
        raise ParameterError(
            f"{name} must be one or more texts or numbers, got {given!r}",
            owner="arrow",
        )
    return listed


def _numbers_of(labels: tuple[Any, ...]) -> list[float]:
    """Return those labels that are numbers, or numbers as text."""
    found = []
    for label in labels:
        try:
            found.append(float(label))
        except ValueError:
            continue
    return found
