"""Searches that are cheap enough to be repeated while a run is played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from littlestone.witnesses._aggressive import passive_aggressive
from littlestone.witnesses._balanced import balanced_winnow
from littlestone.witnesses._perceptron import perceptron
from littlestone.witnesses._second_order import arow, second_order_perceptron
from littlestone.witnesses._winnow import winnow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from littlestone.running.examples import KeptExamples
    from littlestone.witnesses._candidate import Candidate

__all__ = ["QUICK", "Quick"]

_PASSES = 2


class Quick(NamedTuple):
    """A quick search, and what it costs.

    Attributes
    ----------
    find
        Takes the examples of the updates, the learner's parameters, which of the
        updates were mistakes, and how many mistakes changed nothing.
    row, value
        Its cost for each update and each value, in nanoseconds as once measured. They
        say how much work it is, and are never compared with a clock.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone import run
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.witnesses import QUICK
    >>> stream = [({"a": 1.0}, False), ({"b": 1.0}, False), ({"c": 1.0}, True)]
    >>> record = run(Perceptron(), stream, keep="updates")
    >>> find = QUICK["Perceptron"].find
    >>> find(record.examples, record.learner.parameters, np.ones(2, np.bool_), 0)[0]
    Candidate(PERC-HINGE: 2)
    """

    find: Callable[
        [KeptExamples, Mapping[str, Any], NDArray[np.bool_], int], list[Candidate]
    ]
    row: float
    value: float


def _of_updates(search: Callable[..., list[Candidate]]) -> Any:
    return lambda kept, parameters, *_: search(kept, parameters, passes=_PASSES)


def _aggressive(
    kept: KeptExamples,
    parameters: Mapping[str, Any],
    wrong: NDArray[np.bool_],
    unmended: int,
) -> list[Candidate]:
    return passive_aggressive(kept, parameters, unmended, wrong=wrong, passes=_PASSES)


def _arow(
    kept: KeptExamples,
    parameters: Mapping[str, Any],
    wrong: NDArray[np.bool_],
    unmended: int,
) -> list[Candidate]:
    mistakes = int(wrong.sum()) + unmended
    return arow(kept, parameters, mistakes, unmended, wrong, passes=_PASSES)


QUICK: dict[str, Quick] = {
    "Perceptron": Quick(_of_updates(perceptron), 400, 35),
    "PassiveAggressive": Quick(_aggressive, 15_000, 50),
    "SecondOrderPerceptron": Quick(_of_updates(second_order_perceptron), 800, 70),
    "AROW": Quick(_arow, 30_000, 50),
    "Winnow": Quick(_of_updates(winnow), 400, 50),
    "BalancedWinnow": Quick(_of_updates(balanced_winnow), 2200, 85),
}
"""The learners that have a quick search, by name."""
