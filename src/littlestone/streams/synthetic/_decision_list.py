"""Decision lists."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core
from littlestone.concepts import DecisionList, Literal
from littlestone.learner.parameters import whole
from littlestone.streams.synthetic._base import (
    Synthetic,
    rows_a_block,
)
from littlestone.theorems import DL, Theorem

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["decision_list"]


def decision_list(
    rounds: int | None,
    features: int,
    length: int,
    *,
    noise: float = 0.0,
    seed: int = 0,
) -> DecisionListStream:
    """Stream examples of a decision list whose rules test one feature each.

    The rules say yes and no in turn, and each of them, including the default, decides
    equally many examples. Features that do not matter for that are on or off with equal
    probability; those that are on have the value 1. Features are column numbers.

    Parameters
    ----------
    rounds
        How many rounds; None for an endless stream.
    features
        How many features there are.
    length
        How many rules the list has, the default included.
    noise
        The probability that a label is flipped, at most one half.
    seed
        The seed of the random numbers.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.boolean import DecisionListLearner
    >>> from littlestone.streams import synthetic
    >>> stream = synthetic.decision_list(2_000, features=8, length=4)
    >>> print(stream.target)
    if not x3 then yes, else if not x0 then no, else if not x7 then yes, else no
    >>> bound = stream.theorem.bound(**stream.numbers)
    >>> run(DecisionListLearner(features=range(8)), stream).mistakes <= bound == 126
    True
    """
    return DecisionListStream(**locals())


class DecisionListStream(Synthetic):
    """A decision list; made by `streams.synthetic.decision_list`.

    Attributes
    ----------
    features, length
        As given.
    """

    _owner = "decision_list"

    def __init__(self, *, features: int, length: int, **shared: Any) -> None:
        super().__init__(**shared)
        self.features = whole(self._owner, "features", features, 1, 2**24)
        self.length = whole(self._owner, "length", length, 1, self.features + 2)
        self._size = rows_a_block(self.features)
        draws = self._draws("target")
        rules = self.length - 1
        self._asked = draws.orders(1, self.features)[0][:rules]
        self._signs = draws.coins(rules)
        # Yes and no in turn, so that no shorter list says the same.
        self._answers = (np.arange(self.length) % 2 == 0) ^ draws.coins(1)

    @cached_property
    def target(self) -> DecisionList:
        """The decision list."""
        asked, signs = self._asked.tolist(), self._signs.tolist()
        *answers, default = self._answers.tolist()
        return DecisionList(
            zip(map(Literal, asked, signs), answers, strict=True), default=default
        )

    @property
    def theorem(self) -> Theorem | None:
        """`DL`; None with noise."""
        return None if self.noise else DL

    @property
    def numbers(self) -> dict[str, Any]:
        """The features, one literal to a rule, and the rules with the default."""
        return {"features": self.features, "k": 1, "length": self.length}

    def _block(self, number: int) -> tuple[_core.Rows, NDArray[np.bool_]]:
        draws = self._draws("examples", number)
        rows = self._size
        deciding = draws.below(self.length, rows)
        on = draws.coins(rows, self.features)
        # Rules before the one that decides do not fire, and that one does.
        at = deciding[:, None] - np.arange(self.length - 1)
        asked = on[:, self._asked]
        asked = np.where(at > 0, ~self._signs, np.where(at == 0, self._signs, asked))
        on[:, self._asked] = asked
        _, columns = np.nonzero(on)
        offsets = np.zeros(rows + 1, dtype=np.int32)
        np.cumsum(np.count_nonzero(on, axis=1), out=offsets[1:])
        made = _core.csr(
            offsets,
            columns.astype(np.int32),
            np.ones(len(columns), dtype=np.float32),
            width=self.features,
        )
        return made, self._answers[deciding]
