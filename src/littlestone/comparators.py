"""The best fixed choice in hindsight; regret is the distance to it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from littlestone import _simplex
from littlestone.display import Shown
from littlestone.errors import (
    ExampleError,
    LabelError,
    LittlestoneError,
    ParameterError,
)
from littlestone.losses import Loss, as_loss

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from littlestone.losses import Charge

    Floats = NDArray[np.float64]
    Missing = Literal["refuse", "sleep"]

__all__ = [
    "Comparator",
    "ShiftingCurve",
    "best_convex",
    "best_expert",
    "best_linear",
    "best_shifting",
]

_TABLE, _CUBE = 2, 3  # rounds x experts, rounds x experts x outcomes
_KINKED = ("absolute", "pinball", "percentage")
_LAYERS = 64  # numbers of switches that are worked out together


@dataclass(frozen=True, eq=False, repr=False)
class Comparator(Shown):
    """The best fixed choice in hindsight.

    Attributes
    ----------
    kind
        "expert", "convex", "linear" or "shifting".
    charged
        The loss it is the best for.
    loss, mean, rounds
        Its total loss, its loss a round, and over how many rounds.
    rmse
        The root of the mean where the loss is square, None for other losses.
    weights
        The coefficient of each expert; None for a shifting choice.
    sequence
        The expert of each round, for a shifting choice; None for others.
    switches
        How often the sequence changes its expert; None for others.
    predictions
        What it would have predicted, one a round; NaN where its expert sleeps.
    gap
        Its loss exceeds the least possible one by no more, as proved by a dual bound;
        None where nothing is proved.
    how
        How it was found.

    Examples
    --------
    >>> from littlestone.comparators import best_expert
    >>> best = best_expert([[1.0, 3.0], [2.0, 2.0]], [3.0, 3.0])
    >>> best
    Comparator(expert: square loss 1 over 2 rounds, rmse 0.7071)
    >>> best.weights, best.predictions.tolist()
    ({0: 0.0, 1: 1.0}, [3.0, 2.0])
    """

    kind: Literal["expert", "convex", "linear", "shifting"]
    charged: Loss
    loss: float
    rounds: int
    weights: Mapping[Any, float] | None
    sequence: tuple[Any, ...] | None
    predictions: Floats
    gap: float | None
    how: str

    @property
    def mean(self) -> float:
        """The loss a round."""
        return self.loss / self.rounds

    @property
    def rmse(self) -> float | None:
        """The root of the mean square loss; None for other losses."""
        return math.sqrt(self.mean) if self.charged.name == "square" else None

    @property
    def switches(self) -> int | None:
        """How often the sequence changes its expert; None without a sequence."""
        if self.sequence is None:
            return None
        return sum(1 for _ in self._stretches()) - 1

    def __repr__(self) -> str:
        plural = "" if self.rounds == 1 else "s"
        parts = [f"{self.charged.name} loss {self.loss:.6g} over {self.rounds:,} round"]
        parts[0] += plural
        if self.rmse is not None:
            parts.append(f"rmse {self.rmse:.4g}")
        if self.switches is not None:
            parts.append(f"{self.switches} switch{'' if self.switches == 1 else 'es'}")
        if self.gap is not None and self.kind == "convex":
            parts.append(f"gap {self.gap:.1e}")
        return f"Comparator({self.kind}: {', '.join(parts)})"

    def __str__(self) -> str:
        titles = {
            "expert": "best expert",
            "convex": "best convex combination",
            "linear": "best linear combination",
            "shifting": "best sequence of experts",
        }
        facts = [f"loss {self.loss:.6g}", f"mean {self.mean:.6g}"]
        if self.rmse is not None:
            facts.append(f"rmse {self.rmse:.6g}")
        facts.append(f"{self.rounds:,} rounds" if self.rounds != 1 else "1 round")
        proof = "no gap proved" if self.gap is None else f"gap at most {self.gap:.1e}"
        return "\n".join(
            [
                f"{titles[self.kind]}, {self.charged.name} loss",
                f"  {', '.join(facts)}",
                f"  {proof} ({self.how})",
                *self._lines(),
            ]
        )

    def _lines(self, most: int = 10) -> Iterator[str]:
        """Yield the largest weights, or the first stretches of the sequence."""
        if self.weights is not None:
            used = [(name, weight) for name, weight in self.weights.items() if weight]
            used.sort(key=lambda pair: -abs(pair[1]))
            lines = [f"  {name}: {weight:.6g}" for name, weight in used]
        else:
            lines = [
                f"  rounds {first} to {last}: {name}"
                for name, first, last in self._stretches()
            ]
        yield from lines[:most]
        if len(lines) > most:
            yield f"  and {len(lines) - most} more"

    def _stretches(self) -> Iterator[tuple[Any, int, int]]:
        sequence, first = self.sequence or (), 0
        for t in range(1, len(sequence) + 1):
            if t == len(sequence) or sequence[t] != sequence[first]:
                yield sequence[first], first, t - 1
                first = t


def best_expert(
    F: Any, y: Any, loss: str | Loss | Charge = "square", *, missing: Missing = "refuse"
) -> Comparator:
    """Return the expert with the least loss.

    Where experts sleep they have played different rounds, so totals cannot be compared:
    the best is then the one with the least *mean* loss over the rounds it was awake in.
    Its `loss`, `mean` and `rounds` speak of these rounds alone.

    Parameters
    ----------
    F
        The experts' predictions: rounds x experts, an array or a frame whose columns
        are the names. For log and brier loss these are probabilities of a yes, or
        rounds x experts x outcomes, a distribution each.
    y
        The outcomes, one a round; for distributions the number of the outcome.
    loss
        A name, a `Loss`, or a function of prediction and outcome.
    missing
        What NaN among the predictions means: "refuse" it, or the expert may "sleep".

    Examples
    --------
    >>> from littlestone.comparators import best_expert
    >>> best_expert([[1, 0, 0], [1, 0, 1]], [1, 1], loss="zero-one").weights
    {0: 1.0, 1: 0.0, 2: 0.0}

    Expert 1 slept in the first round, and erred less in the other two:

    >>> F = [[1.0, float("nan")], [2.0, 3.0], [2.0, 3.0]]
    >>> best_expert(F, [1.0, 3.5, 3.5], missing="sleep")
    Comparator(expert: square loss 0.5 over 2 rounds, rmse 0.5)
    """
    game = _Game.read("best_expert", F, y, loss, missing)
    table = game.table()
    totals = np.where(game.awake, table, 0.0).sum(axis=0)
    rounds = game.awake.sum(axis=0)
    means = np.full(len(totals), math.inf)
    np.divide(totals, rounds, out=means, where=rounds > 0)
    # An expert with an infinite mean still beats one that never woke.
    best = min(range(len(means)), key=lambda i: (means[i], rounds[i] == 0))
    weights = np.zeros(len(means))
    weights[best] = 1.0
    predictions = game.F[:, best].copy()
    predictions[~game.awake[:, best]] = math.nan
    return game.comparator(
        "expert",
        loss=float(totals[best]),
        rounds=int(rounds[best]),
        weights=weights,
        predictions=predictions,
        gap=0.0,
        how="all experts compared",
    )


def best_convex(
    F: Any, y: Any, loss: str | Loss | Charge = "square", *, missing: Missing = "refuse"
) -> Comparator:
    r"""Return the best weighted mean of the experts, with weights fixed for all rounds.

    The weights are at least 0 and add up to 1. The `gap` bounds how far the loss can be
    from the least: it rests on a dual bound, worked out from the weights or the prices
    found, with what rounding can hide added, and holds whatever the solver did. For a
    loss of your own it holds if the loss is convex and the slope is right.

    | loss | found by |
    |---|---|
    | square, brier | Wolfe's nearest-point method: exact up to rounding |
    | absolute, pinball, percentage | linear programming (SciPy) |
    | log, your own with a slope | Newton's method; cutting planes (SciPy) at kinks |

    Where experts sleep, the weights of the awake ones are scaled to add up to 1 in each
    round. The loss is then not convex in the weights; the search is local, from several
    starts, and no gap is proved.

    Parameters
    ----------
    F, y, loss, missing
        As for `best_expert`; zero-one loss is refused, as labels have no mean.

    Examples
    --------
    The outcomes lie between the experts, closer to expert 1:

    >>> from littlestone.comparators import best_convex
    >>> best = best_convex([[0.0, 2.0], [0.0, 2.0]], [1.0, 2.0])
    >>> {expert: round(weight, 9) for expert, weight in best.weights.items()}
    {0: 0.25, 1: 0.75}
    >>> best.loss, best.gap < 1e-9
    (0.5, True)
    """
    game = _Game.read("best_convex", F, y, loss, missing)
    game.refuse_labels()
    found = game.solve() if game.awake.all() else game.solve_sleeping()
    predictions = game.mix(found.weights)
    total = float(game.charge(predictions).sum())
    gap = None if found.below is None else max(total - found.below, 0.0)
    return game.comparator(
        "convex",
        loss=total,
        rounds=len(game.y),
        weights=found.weights,
        predictions=predictions,
        gap=gap if math.isfinite(total) else 0.0,  # all losses are infinite
        how=found.how,
    )


def best_linear(
    F: Any, y: Any, loss: str | Loss | Charge = "square", *, ridge: float = 0.0
) -> Comparator:
    r"""Return the best linear combination of the experts, of any real weights.

    Square loss is solved by least squares (the shortest weights where several are
    best), absolute, pinball and percentage loss by linear programming (SciPy), a loss
    of your own by SciPy's BFGS with your slope. No gap is proved. Log and brier loss
    are refused: a linear combination of probabilities need not be one.

    Parameters
    ----------
    F, y, loss
        As for `best_expert`, without distributions. Nobody sleeps.
    ridge
        $\lambda \ge 0$: adds $\lambda \lVert u \rVert^2$ to what is minimised. It is
        not part of the `loss` returned. For square loss and losses of your own.

    Examples
    --------
    >>> from littlestone.comparators import best_linear
    >>> best = best_linear([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [2.0, -1.0, 1.0])
    >>> {expert: round(weight, 9) for expert, weight in best.weights.items()}
    {0: 2.0, 1: -1.0}
    """
    game = _Game.read("best_linear", F, y, loss, "refuse")
    game.refuse_labels()
    if game.loss.kind == "probability":
        raise ParameterError(
            "best_linear: a linear combination of probabilities need not be one, so "
            f"the loss must not be log or brier, got {game.loss.name!r}; "
            "best_convex takes them"
        )
    try:
        penalty = float(ridge)
    except (TypeError, ValueError):
        penalty = math.nan
    if not 0 <= penalty < math.inf:
        raise ParameterError(
            f"best_linear: ridge must be a number from 0 on, got {ridge!r}"
        )
    found = game.solve_line(penalty)
    predictions = game.F @ found.weights
    return game.comparator(
        "linear",
        loss=float(game.charge(predictions).sum()),
        rounds=len(game.y),
        weights=found.weights,
        predictions=predictions,
        gap=None,
        how=found.how,
    )


@overload
def best_shifting(
    F: Any,
    y: Any,
    loss: str | Loss | Charge = "square",
    *,
    switches: int,
    missing: Missing = "refuse",
) -> Comparator: ...


@overload
def best_shifting(
    F: Any,
    y: Any,
    loss: str | Loss | Charge = "square",
    *,
    switches: None = None,
    missing: Missing = "refuse",
) -> ShiftingCurve: ...


def best_shifting(
    F: Any,
    y: Any,
    loss: str | Loss | Charge = "square",
    *,
    switches: int | None = None,
    missing: Missing = "refuse",
) -> Comparator | ShiftingCurve:
    """Return the best sequence of experts with at most so many switches.

    Exact, by dynamic programming: time grows as rounds x experts x (switches + 1),
    memory as 8 bytes x rounds x (switches + 1). Where experts sleep, a round may only
    be given to an expert who is awake.

    Parameters
    ----------
    F, y, loss, missing
        As for `best_expert`.
    switches
        How often the sequence may change its expert; None returns the whole
        `ShiftingCurve`, from no switch to one a round.

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
    game = _Game.read("best_shifting", F, y, loss, missing)
    asleep = np.flatnonzero(~game.awake.any(axis=1))
    if len(asleep):
        raise ExampleError(
            "best_shifting: some expert must be awake in every round, got none",
            where=f"row {asleep[0]}",
        )
    curve = ShiftingCurve(game)
    if switches is None:
        return curve
    return curve[switches]


class ShiftingCurve:
    """The best sequences of experts, by the number of switches they may make.

    What is asked for is worked out when it is asked for, and kept.

    Attributes
    ----------
    enough
        With so many switches every round has its best expert; more do not help.
    fewest
        Fewer switches do not do, as experts sleep; 0 where none sleeps.

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

    def __init__(self, game: _Game) -> None:
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
        """Return the least losses with 0, 1, … switches, up to `most`.

        Infinite where experts sleep and so few switches do not do.

        Examples
        --------
        >>> from littlestone.comparators import best_shifting
        >>> F, y = [[0, 1], [0, 1], [0, 1]], [0, 1, 0]
        >>> best_shifting(F, y, loss="zero-one").losses(most=1).tolist()
        [1.0, 1.0]
        """
        last = len(self) - 1
        if most is not None:
            last = min(last, _whole("most", most))
        known = [self._layers.loss(min(s, self.enough)) for s in range(last + 1)]
        return np.array(known)

    def __getitem__(self, switches: int) -> Comparator:
        s = _whole("switches", switches)
        if s < self.fewest:
            raise ParameterError(
                f"best_shifting: switches must be at least {self.fewest}, as no "
                f"sequence of awake experts has fewer, got {switches!r}"
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

    With at most s switches, the least loss up to round t that ends with expert i adds
    the loss of i in t to the lesser of: staying with i, or coming from whoever was best
    at t - 1 with s - 1 switches. Only the best expert of a cell, and where its stretch
    began, need be kept.
    """

    def __init__(self, table: Floats) -> None:
        self._table = table
        self._above = np.full(len(table), math.inf)  # with one switch fewer
        self._totals: list[float] = []
        self._experts: list[NDArray[np.int32]] = []
        self._starts: list[NDArray[np.int32]] = []

    def loss(self, s: int) -> float:
        while len(self._totals) <= s:
            # Few at first, as few are asked for most often.
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


def _whole(name: str, value: Any) -> int:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        number = int(value)
        if number >= 0:
            return number
    raise ParameterError(
        f"best_shifting: {name} must be a whole number from 0 on, got {value!r}"
    )


@dataclass(frozen=True, eq=False)
class _Game:
    """What a comparator is given, checked: predictions, outcomes, loss, who is awake.

    Predictions are 0 where an expert sleeps.
    """

    owner: str
    F: Floats
    y: Floats
    loss: Loss
    awake: NDArray[np.bool_]
    experts: list[Any]

    @classmethod
    def read(cls, owner: str, F: Any, y: Any, loss: Any, missing: str) -> _Game:
        if missing not in {"refuse", "sleep"}:
            raise ParameterError(
                f"{owner}: missing must be 'refuse' or 'sleep', got {missing!r}"
            )
        charged = as_loss(loss)
        experts = None
        if hasattr(F, "columns") and hasattr(F, "to_numpy"):
            experts, F = list(F.columns), F.to_numpy()
            for i, name in enumerate(experts):
                if name in experts[:i]:
                    raise ParameterError(
                        f"{owner}: each expert may stand once, got {name!r} twice"
                    )
        F, y = _numbers(owner, "F", F), _numbers(owner, "y", y)
        _check_shapes(owner, F, y, charged)
        if experts is None:
            experts = list(range(F.shape[1]))
        awake = _check_advice(owner, F, experts, missing)
        _check_outcomes(owner, F, y, charged)
        if charged.kind == "label":
            F, y = _same_alphabet(F, y)
        game = cls(owner, F, y, charged, awake, experts)
        game.check_probabilities()
        # A sleeper's place must hold something: NaN would spread into every sum.
        if not awake.all():
            quiet = F.copy()
            quiet[~awake] = 0.0
            game = cls(owner, quiet, y, charged, awake, experts)
        return game

    @property
    def distributions(self) -> bool:
        return self.F.ndim == _CUBE

    def refusal(self, row: int, expert: int, what: str) -> ExampleError:
        value = self.F[row, expert].tolist()
        return _refused(self.owner, self.experts[expert], row, what, value)

    def check_probabilities(self) -> None:
        if self.loss.kind != "probability":
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
        if self.loss.kind == "label":
            raise ParameterError(
                f"{self.owner}: labels have no weighted mean, so the loss must not be "
                f"zero-one, got {self.loss.name!r}"
            )

    def charge(self, predictions: Floats) -> Floats:
        """Return what predictions cost; rounds first, then experts if there are any."""
        y = self.y
        if self.distributions:
            outcomes = y if predictions.ndim == _TABLE else y[:, np.newaxis]
            # A mean of distributions may exceed 1 by a rounding.
            return np.asarray(
                self.loss.of_distribution(np.minimum(predictions, 1.0), outcomes)
            )
        if predictions.ndim == _TABLE:
            y = y[:, np.newaxis]
        if self.loss.kind == "probability":
            predictions = np.clip(predictions, 0.0, 1.0)
        return self._call(self.loss.value, predictions, y)

    def table(self) -> Floats:
        """Return what each expert's prediction costs; nothing while it sleeps."""
        F = self.F
        if self.distributions and not self.awake.all():
            F = F.copy()
            F[~self.awake] = 1.0 / F.shape[2]  # any distribution, ignored below
        table = np.where(self.awake, self.charge(F), 0.0)
        bad = ~np.isfinite(table)
        if self.loss.name == "log":
            bad = np.isnan(table)  # an infinite loss is meant to be
        for row, expert in np.argwhere(bad):
            raise self.refusal(row, expert, f"must have a finite {self.loss.name} loss")
        return table

    def mix(self, weights: Floats) -> Floats:
        """Return the weighted mean of those awake, in each round."""
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

    # Solving ----------------------------------------------------------------

    def solve(self) -> _simplex.Solution:
        """Return the best weights where nobody sleeps."""
        self.table()  # refuses what has no finite loss
        return self._solve(self._lines())

    def _lines(self) -> Floats:
        """Return columns that the prediction, or what matters of it, is linear in."""
        if not self.distributions:
            if self.loss.name == "log":  # the probability of what happened
                yes = (self.y == 1)[:, np.newaxis]
                return np.where(yes, self.F, 1.0 - self.F)
            return self.F
        outcomes = self.y.astype(np.int64)
        if self.loss.name == "log":
            return self.F[np.arange(len(outcomes)), :, outcomes]
        return self.F.transpose(0, 2, 1)

    def _solve(self, lines: Floats) -> _simplex.Solution:
        name, y = self.loss.name, self.y[:, np.newaxis]
        if name == "square":
            return _simplex.nearest(lines - y)
        if name == "brier":
            if self.distributions:
                happened = (y == np.arange(lines.shape[1]))[..., np.newaxis]
                points = (lines - happened).reshape(-1, lines.shape[2])
            else:
                points = math.sqrt(2.0) * (lines - y)
            return _simplex.nearest(points)
        if name == "log":
            if not (lines > 0).any(axis=1).all():
                # Some round has an infinite loss whatever the weights.
                size = lines.shape[1]
                how = "every weighted mean has an infinite loss"
                return _simplex.Solution(np.full(size, 1.0 / size), math.inf, how)
            # Scaled rows have the same best weights, and probabilities near 0 no say.
            largest = lines.max(axis=1)
            found = _simplex.smooth(
                self.owner, lines / largest[:, np.newaxis], _log_curves
            )
            shift = -np.log(largest)
            slack = 2.0**-52 * (len(shift) + 8) * float(np.abs(shift).sum())
            below = (found.below or 0.0) + float(shift.sum()) - slack
            return _simplex.Solution(found.weights, below, found.how)
        if name in _KINKED and self.loss.native >= 0:
            over, under = self._prices()
            return _simplex.kinked(self.owner, lines - y, over, under)
        return _simplex.smooth(self.owner, lines, self._curves)

    def _prices(self) -> tuple[Floats, Floats]:
        """Return what a unit above and a unit below the outcome costs."""
        ones = np.ones(len(self.y))
        if self.loss.tau is not None:
            return (1.0 - self.loss.tau) * ones, self.loss.tau * ones
        prices = 1.0 / np.abs(self.y) if self.loss.name == "percentage" else ones
        return prices, prices

    def _curves(self, p: Floats) -> tuple[Floats, Floats, Floats]:
        slope = self._slope()
        width = 1e-5 * max(float(np.ptp(self.F)), 1e-300)
        rise = self._call(slope, p + width, self.y)
        rise = rise - self._call(slope, p - width, self.y)
        # Flat rounds get some curvature, so that the model has a least point.
        curvatures = rise / (2 * width)
        curvatures = np.maximum(curvatures, 1e-10 * max(curvatures.max(), 1e-200))
        value = self._call(self.loss.value, p, self.y)
        return value, self._call(slope, p, self.y), curvatures

    def _slope(self) -> Charge:
        if self.loss.slope is None:
            raise ParameterError(
                f"{self.owner}: a loss of your own needs its slope, as in "
                f"losses.custom(value, slope), got {self.loss!r}"
            )
        return self.loss.slope

    def _call(self, function: Charge, predictions: Floats, y: Floats) -> Floats:
        """Call a function on arrays, or number by number if it cannot take arrays."""
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

    def solve_sleeping(self) -> _simplex.Solution:
        """Search for good weights where some sleep, and the others are scaled up.

        Near weights u the scaled mean of round t is linear in u up to second order, so
        each move solves a game without sleepers, and walks there as far as it pays.
        """
        self.table()
        asleep = np.flatnonzero(~self.awake.any(axis=1))
        if len(asleep):
            raise ExampleError(
                f"{self.owner}: some expert must be awake in every round, got none",
                where=f"row {asleep[0]}",
            )
        size = len(self.experts)
        uniform = np.full(size, 1.0 / size)
        starts = [uniform]
        starts += [0.1 * uniform + 0.9 * row for row in np.eye(size)[:16]]
        ends = [self._descend(start) for start in starts]
        best = min(ends, key=lambda end: end[1])[0]
        return _simplex.Solution(best, None, f"local search, {len(starts)} starts")

    def _total(self, weights: Floats) -> float:
        if not (self.awake @ weights > 0).all():
            return math.inf
        return float(self.charge(self.mix(weights)).sum())

    def _descend(self, u: Floats) -> tuple[Floats, float]:
        lines = self._lines()
        three = lines.ndim == _CUBE  # rounds x outcomes x experts
        awake = self.awake[:, np.newaxis] if three else self.awake
        loss = self._total(u)
        for _ in range(100):
            weight = awake @ u
            centre = (np.where(awake, lines, 0.0) @ u / weight)[..., np.newaxis]
            tangent = np.where(awake, lines - centre, 0.0) / weight[..., np.newaxis]
            aim = self._solve(centre + tangent).weights
            stride, moved = 1.0, u
            while stride > 1e-9:  # noqa: PLR2004 - a stride that moves nothing
                moved = u + stride * (aim - u)
                there = self._total(moved)
                if there < loss:
                    break
                stride /= 2.0
            else:
                break
            saved, u, loss = loss - there, moved, there
            if saved <= 1e-10 * abs(loss):
                break
        return u, loss

    def solve_line(self, ridge: float) -> _simplex.Solution:
        """Return the best weights of any size and sign."""
        F, y, size = self.F, self.y, len(self.experts)
        if self.loss.name == "square":
            if ridge:
                F = np.vstack([F, math.sqrt(ridge) * np.eye(size)])
                y = np.append(y, np.zeros(size))
            u = np.asarray(np.linalg.lstsq(F, y, rcond=None)[0], dtype=np.float64)
            return _simplex.Solution(u, None, "least squares")
        if self.loss.name in _KINKED and self.loss.native >= 0:
            if ridge:
                raise ParameterError(
                    "best_linear: ridge must be 0 unless the loss is square or your "
                    f"own, got {ridge!r} with {self.loss.name}"
                )
            over, under = self._prices()
            return _simplex.kinked_line(self.owner, F, y, over, under)
        slope, solver = self._slope(), _simplex.optimize(self.owner)

        def charged(u: Floats) -> tuple[float, Floats]:
            p = F @ u
            total = float(self._call(self.loss.value, p, y).sum() + ridge * (u @ u))
            return total, self._call(slope, p, y) @ F + 2.0 * ridge * u

        found = solver.minimize(charged, np.full(size, 1.0 / size), jac=True)
        return _simplex.Solution(np.asarray(found.x), None, f"BFGS: {found.message}")


def _log_curves(p: Floats) -> tuple[Floats, Floats, Floats]:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value = np.where(p > 0, -np.log(p), math.inf)
        return value, -1.0 / p, 1.0 / np.square(p)


def _refused(owner: str, expert: Any, row: int, what: str, value: Any) -> ExampleError:
    error = ExampleError(
        f"{owner}: expert {expert!r} {what}, got {value!r}", where=f"row {row}"
    )
    error.row, error.feature, error.value = int(row), expert, value
    return error


def _numbers(owner: str, name: str, given: Any) -> Floats:
    if isinstance(given, np.ma.MaskedArray):
        raise ParameterError(f"{owner}: {name} must have no masked cells")
    try:
        array = np.asarray(given)
    except ValueError:
        raise ParameterError(
            f"{owner}: the rows of {name} must be equally long"
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
                f"{owner}: {name} must hold numbers, got {cell!r}", where=row
            ) from None
    return numbers


def _check_shapes(owner: str, F: Floats, y: Floats, loss: Loss) -> None:
    if F.ndim not in {_TABLE, _CUBE}:
        raise ParameterError(
            f"{owner}: F must be rounds x experts, or rounds x experts x outcomes, "
            f"got {F.ndim} dimension{'' if F.ndim == 1 else 's'}"
        )
    if F.ndim == _CUBE and (loss.kind != "probability" or owner == "best_linear"):
        raise ParameterError(
            f"{owner}: F may hold distributions for log and brier loss only, "
            f"got {F.ndim} dimensions with {loss.name}"
        )
    if y.ndim != 1 or len(y) != len(F):
        raise ParameterError(
            f"{owner}: y must hold one outcome for each of {len(F)} rounds, "
            f"got shape {y.shape}"
        )
    for size, what in zip(F.shape, ("round", "expert", "outcome"), strict=False):
        if size == 0:
            raise ParameterError(f"{owner}: there must be at least one {what}, got 0")


def _check_advice(
    owner: str, F: Floats, experts: list[Any], missing: str
) -> NDArray[np.bool_]:
    """Return who is awake, and refuse what is not finite."""
    cells = F.reshape(*F.shape[:2], -1)  # a single number is a cell of one
    asleep = np.asarray(np.isnan(cells).all(axis=-1))
    bad = np.asarray(~np.isfinite(cells).all(axis=-1))
    if missing == "sleep":
        bad &= ~asleep
    for row, expert in np.argwhere(bad):
        what = "must be finite" if F.ndim == _CUBE else "must give a finite number"
        if asleep[row, expert]:
            what += " unless missing='sleep'"
        value = F[row, expert].tolist()
        raise _refused(owner, experts[expert], row, what, value)
    return ~asleep


def _check_outcomes(owner: str, F: Floats, y: Floats, loss: Loss) -> None:
    bad = ~np.isfinite(y)
    what = "an outcome must be a finite number"
    if loss.kind == "probability":
        most = F.shape[2] - 1 if F.ndim == _CUBE else 1
        bad |= (y < 0) | (y > most) | (y != np.floor(y))
        what = f"an outcome must be a whole number from 0 to {most}"
    elif loss.name == "percentage" and loss.native >= 0:
        bad |= y == 0
        what = "an outcome must be a number other than 0"
    for row in np.flatnonzero(bad):
        error = LabelError(
            f"{owner}: {what}, got {y[row].item()!r}", where=f"row {row}"
        )
        error.row, error.value = int(row), y[row].item()
        raise error


def _same_alphabet(F: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Write no as 0 where experts say 0 and outcomes -1, or the other way round."""
    said, told = set(np.unique(F[~np.isnan(F)])), set(np.unique(y))
    binary = [{0.0, 1.0}, {-1.0, 1.0}]
    if all(any(words <= pair for pair in binary) for words in (said, told)):
        return np.where(F == -1, 0.0, F), np.where(y == -1, 0.0, y)
    return F, y
