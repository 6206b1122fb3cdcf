"""The best sequence of experts, by the number of switches it may make."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from littlestone.comparators._game import Game
from littlestone.errors import ExampleError, ParameterError
from littlestone.learner.parameters import whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from littlestone.comparators._comparator import Comparator
    from littlestone.comparators._game import Floats, Missing
    from littlestone.losses import Charge, Loss

_LAYERS = 64  # numbers of switches that are computed together


@overload
def best_shifting(
    F: Any,
    y: Any = None,
    loss: str | Loss | Charge | None = None,
    *,
    switches: int,
    missing: Missing = "refuse",
) -> Comparator: ...


@overload
def best_shifting(
    F: Any,
    y: Any = None,
    loss: str | Loss | Charge | None = None,
    *,
    switches: None = None,
    missing: Missing = "refuse",
) -> ShiftingCurve: ...


def best_shifting(
    F: Any,
    y: Any = None,
    loss: str | Loss | Charge | None = None,
    *,
    switches: int | None = None,
    missing: Missing = "refuse",
) -> Comparator | ShiftingCurve:
    """Return the best sequence of experts with a limited number of switches.

    Exact, by dynamic programming: time grows as rounds x experts x (switches + 1),
    memory as 8 bytes x rounds x (switches + 1). The expert of a round must be awake in
    it.

    Parameters
    ----------
    F, y, loss, missing
        As in `best_expert`.
    switches
        How often the sequence may change its expert; None returns the whole
        `ShiftingCurve`, from no switch to one per round.

    Examples
    --------
    >>> from littlestone.comparators import best_shifting
    >>> F = [[0, 1], [0, 1], [0, 1], [0, 1]]
    >>> best = best_shifting(F, [0, 0, 1, 1], loss="zero-one", switches=1)
    >>> best.sequence, best.loss
    ((0, 0, 1, 1), 0.0)
    >>> best_shifting(F, [0, 1, 0, 1], loss="zero-one").losses()
    array([2., 1., 1., 0.])
    """
    game = Game.read("best_shifting", F, y, loss, missing)
    asleep = np.flatnonzero(~game.awake.any(axis=1))
    if len(asleep):
        raise ExampleError(
            "some expert must be awake in every round, got none",
            owner="best_shifting",
            where=f"row {asleep[0]}",
        )
    curve = ShiftingCurve(game)
    if switches is None:
        return curve
    return curve[switches]


class ShiftingCurve:
    """The best sequences of experts, by the number of switches they may make.

    Each is computed when it is first needed, and kept.

    Attributes
    ----------
    enough
        With this many switches every round has its best expert; more do not help.
    fewest
        The fewest switches that avoid sleeping experts; 0 if none sleeps.

    Examples
    --------
    >>> from littlestone.comparators import best_shifting
    >>> curve = best_shifting([[0, 1], [0, 1], [0, 1]], [0, 1, 0], loss="zero-one")
    >>> len(curve), curve.enough
    (3, 2)
    >>> curve.losses().tolist()
    [1.0, 1.0, 0.0]
    >>> curve[2].sequence
    (0, 1, 0)
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._table = np.where(game.awake, game.table(), math.inf)
        self._layers = _Layers(self._table)
        least = self._table.min(axis=1)
        self.enough = _changes(game.awake & (self._table == least[:, np.newaxis]))
        self.fewest = _changes(game.awake)

    def __len__(self) -> int:
        return len(self._table)

    def __repr__(self) -> str:
        name = self._game.loss.name
        return f"ShiftingCurve({name} loss, {len(self):,} rounds, enough={self.enough})"

    def __iter__(self) -> Iterator[Comparator]:
        return (self[s] for s in range(self.fewest, len(self)))

    def losses(self, most: int | None = None) -> Floats:
        """Return the smallest losses with 0, 1, … switches, up to `most`.

        Infinite where so few switches cannot avoid sleeping experts.

        Examples
        --------
        >>> from littlestone.comparators import best_shifting
        >>> F, y = [[0, 1], [0, 1], [0, 1]], [0, 1, 0]
        >>> best_shifting(F, y, loss="zero-one").losses(most=1).tolist()
        [1.0, 1.0]
        """
        last = len(self) - 1
        if most is not None:
            last = min(last, whole("best_shifting", "most", most))
        known = [self._layers.loss(min(s, self.enough)) for s in range(last + 1)]
        return np.array(known)

    def __getitem__(self, switches: int) -> Comparator:
        s = whole("best_shifting", "switches", switches)
        if s < self.fewest:
            raise ParameterError(
                f"switches must be at least {self.fewest}, as no sequence of awake "
                f"experts has fewer, got {switches!r}",
                owner="best_shifting",
            )
        s = min(s, self.enough)
        layers = self._layers
        if math.isinf(layers.loss(s)):
            # Every sequence has an infinite loss: take one with the fewest such rounds,
            # through awake experts only.
            costs = np.isinf(self._table).astype(np.float64)
            layers = _Layers(np.where(self._game.awake, costs, math.inf))
        path = layers.path(s)
        rounds = np.arange(len(self))
        game = self._game
        return game.comparator(
            "shifting",
            loss=float(self._table[rounds, path].sum()),
            rounds=len(self),
            sequence=tuple(game.experts[i] for i in path.tolist()),
            predictions=game.F[rounds, path],
            gap=0.0,
            how="dynamic programming",
        )


class _Layers:
    """The dynamic program over (switches, round), a block of layers at a time.

    With at most s switches, the smallest loss up to round t that ends with expert i is
    the loss of i in t plus the smaller of: staying with i, or switching from the best
    expert at t - 1 with s - 1 switches. Only the best expert of a cell, and where its
    stretch began, need be kept.
    """

    def __init__(self, table: Floats) -> None:
        self._table = table
        self._above = np.full(len(table), math.inf)  # with one switch fewer
        self._totals: list[float] = []
        self._experts: list[NDArray[np.int32]] = []
        self._starts: list[NDArray[np.int32]] = []

    def loss(self, s: int) -> float:
        while len(self._totals) <= s:
            # Few at first, as most callers ask for few.
            self._extend(min(_LAYERS, max(4, len(self._totals), s + 1)))
        return self._totals[s]

    def path(self, s: int) -> NDArray[np.int64]:
        self.loss(s)
        path = np.empty(len(self._table), dtype=np.int64)
        end = len(path)
        while end > 0:
            start = int(self._starts[s][end - 1])
            path[start:end] = self._experts[s][end - 1]
            end, s = start, s - 1
        return path

    def _extend(self, count: int) -> None:
        rounds, size = self._table.shape
        count = min(count, rounds - len(self._totals))
        experts = np.zeros((count, rounds), dtype=np.int32)
        starts = np.zeros((count, rounds), dtype=np.int32)
        last = np.empty(rounds)
        rows = np.arange(count)
        sums = np.tile(self._table[0], (count, 1))
        began = np.zeros((count, size), dtype=np.int32)
        best = np.empty(count)
        for t in range(rounds):
            if t:
                coming = np.append(self._above[t - 1], best[:-1])[:, np.newaxis]
                switch = coming < sums
                began[switch] = 0
                began += switch * np.int32(t)
                sums = np.where(switch, coming, sums) + self._table[t]
            chosen = np.argmin(sums, axis=1)
            best = sums[rows, chosen]
            experts[:, t], starts[:, t] = chosen, began[rows, chosen]
            last[t] = best[-1]
        self._above = last
        self._totals.extend(best.tolist())
        self._experts.extend(experts)
        self._starts.extend(starts)


def _changes(allowed: NDArray[np.bool_]) -> int:
    """Return how often one must switch to stay among the allowed experts."""
    changes, common = 0, allowed[0]
    for row in allowed[1:]:
        common = common & row
        if not common.any():
            changes, common = changes + 1, row
    return changes
