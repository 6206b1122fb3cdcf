"""Forecasts of experts in memory: arrays, frames and lists."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from littlestone.learner.advice import Advice, as_advice, as_outcomes
from littlestone.streams._base import Block, Stream, examples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from littlestone.learner.rows import Example

__all__ = ["advice"]

# Small enough for a smooth progress bar, large enough to cost nothing: at most so many
# rounds, and about so many predictions.
_ROUNDS_A_BLOCK = 1 << 16
_PREDICTIONS_A_BLOCK = 1 << 22


def advice(
    F: Any,
    y: ArrayLike,
    *,
    awake: ArrayLike | None = None,
    missing: Literal["refuse", "sleep"] = "refuse",
) -> AdviceStream:
    """Stream the forecasts of experts and the outcomes, round by round.

    Parameters
    ----------
    F
        Rounds × experts, or rounds × experts × outcomes for distributions: an array, a
        pandas or polars frame, whose columns are the experts, a list of sequences, or a
        list of mappings from expert to prediction. Experts that a mapping leaves out
        sleep.
    y
        One outcome per round: a finite number, or a truth value.
    awake
        Rounds × experts of truth values: whether an expert is awake.
    missing
        `"sleep"` lets an expert sleep if its prediction is NaN or None; `"refuse"`
        refuses that.

    Examples
    --------
    >>> from littlestone import streams
    >>> list(streams.advice([[0.5, 1.0], [2.0, 0.0]], [1, 0]))
    [([0.5, 1.0], 1.0), ([2.0, 0.0], 0.0)]
    >>> stream = streams.advice([{"ann": 3.0, "bob": 4.0}, {"bob": 5.0}], [3, 5])
    >>> list(stream)
    [({'ann': 3.0, 'bob': 4.0}, 3.0), ({'bob': 5.0}, 5.0)]
    """
    made = as_advice(F, awake=awake, missing=missing)
    return AdviceStream(made, as_outcomes(y, len(made)))


class AdviceStream(Stream):
    """The forecasts of experts in memory; made by `streams.advice`."""

    of_advice = True

    def __init__(self, made: Advice, outcomes: NDArray[Any]) -> None:
        self._advice, self._outcomes = made, outcomes

    def __repr__(self) -> str:
        return f"advice({len(self)} rounds of {self._advice.values.shape[1]} experts)"

    def __len__(self) -> int:
        return len(self._advice)

    def blocks(self) -> Iterator[Block]:
        """Yield the rounds in blocks, in order."""
        whole = self._advice
        each = max(1, whole.values[:1].size)
        some = min(_ROUNDS_A_BLOCK, max(1, _PREDICTIONS_A_BLOCK // each))
        for first in range(0, len(self), some):
            here = slice(first, first + some)
            rows = Advice(whole.values[here], whole.names, whole.may_sleep)
            yield Block(
                rows,
                self._outcomes[here],
                0,
                len(rows),
                partial(_row, first),
                (first + len(rows)) / len(self),
            )

    def __iter__(self) -> Iterator[tuple[Example, Any]]:
        """Yield the rounds one by one, as pairs of forecasts and outcome."""
        return examples(self.blocks())


def _row(first: int, at: int) -> str:
    return f"row {first + at}"
