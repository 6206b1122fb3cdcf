"""The best expert, and the best combination of experts, fixed for all rounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.comparators import _solving
from littlestone.comparators._game import Game
from littlestone.errors import ParameterError
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from littlestone.comparators._comparator import Comparator
    from littlestone.comparators._game import Missing
    from littlestone.losses import Charge, Loss


def best_expert(
    F: Any,
    y: Any = None,
    loss: str | Loss | Charge | None = None,
    *,
    missing: Missing = "refuse",
) -> Comparator:
    """Return the expert with the smallest loss.

    Experts that sleep have played different rounds, so their totals cannot be compared:
    the best is then the one with the smallest *mean* loss over the rounds in which it
    was awake. Its `loss`, `mean` and `rounds` are about these rounds only.

    Parameters
    ----------
    F
        The experts' predictions: rounds x experts, an array or a frame whose columns
        are the names. For log and brier loss these are probabilities of a yes, or
        rounds x experts x outcomes, a distribution each. Or the `Record` of
        `run(..., keep="advice")`, which holds all of this.
    y
        The outcomes, one per round; for distributions the number of the outcome. A
        record has its own.
    loss
        A name, a `Loss`, or a function of prediction and outcome. By default the loss
        of the learner for a record, and square loss otherwise.
    missing
        What NaN among the predictions means: "refuse" it, or the expert may "sleep". A
        record knows which experts slept.

    Examples
    --------
    >>> from littlestone.comparators import best_expert
    >>> best_expert([[1, 0, 0], [1, 0, 1]], [1, 1], loss="zero-one").weights
    {0: 1.0, 1: 0.0, 2: 0.0}

    Expert 1 slept in the first round, and lost less in the other two:

    >>> F = [[1.0, float("nan")], [2.0, 3.0], [2.0, 3.0]]
    >>> best_expert(F, [1.0, 3.5, 3.5], missing="sleep")
    Comparator(expert: square loss 0.5 over 2 rounds, rmse 0.5)

    Of a run:

    >>> from littlestone import run
    >>> from littlestone.experts import WeightedMajority
    >>> votes = [({"ann": True, "bob": False}, day > 0) for day in range(5)]
    >>> best_expert(run(WeightedMajority(), votes, keep="advice"))
    Comparator(expert: zero-one loss 1 over 5 rounds)
    """
    game = Game.read("best_expert", F, y, loss, missing)
    table = game.table()
    totals = np.where(game.awake, table, 0.0).sum(axis=0)
    rounds = game.awake.sum(axis=0)
    means = np.full(len(totals), math.inf)
    np.divide(totals, rounds, out=means, where=rounds > 0)
    # An expert with an infinite mean is still better than one that never woke.
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
    F: Any,
    y: Any = None,
    loss: str | Loss | Charge | None = None,
    *,
    missing: Missing = "refuse",
) -> Comparator:
    r"""Return the best weighted mean of the experts, with weights fixed for all rounds.

    The weights are at least 0 and sum to 1. The `gap` bounds how far the loss can be
    from the smallest: it is a dual bound, computed from the weights or prices that were
    found, with an allowance for rounding, so you need not trust the solver. For a loss
    of your own it holds if the loss is convex and the slope is right.

    | loss | found by |
    |---|---|
    | square, brier | Wolfe's nearest-point method: exact up to rounding |
    | absolute, pinball, percentage | linear programming (SciPy) |
    | log, your own with a slope | Newton's method; cutting planes (SciPy) at kinks |

    Where experts sleep, the weights of the others are scaled to sum to 1 in each round.
    The loss is then not convex in the weights; the search is local, from several
    starts, and no gap is proved.

    Parameters
    ----------
    F, y, loss, missing
        As in `best_expert`; not zero-one loss, as labels have no mean.

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
    game = Game.read("best_convex", F, y, loss, missing)
    game.refuse_labels()
    found = (
        _solving.convex(game) if game.awake.all() else _solving.convex_sleeping(game)
    )
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
    F: Any,
    y: Any = None,
    loss: str | Loss | Charge | None = None,
    *,
    ridge: float = 0.0,
) -> Comparator:
    r"""Return the best linear combination of the experts, with any real weights.

    Square loss is solved by least squares (the shortest of the best weights), absolute,
    pinball and percentage loss by linear programming (SciPy), a loss of your own by
    SciPy's BFGS with your slope. No gap is proved. Log and brier loss are refused: a
    linear combination of probabilities need not be a probability.

    Parameters
    ----------
    F, y, loss
        As in `best_expert`, without distributions. No expert may sleep.
    ridge
        $\lambda \ge 0$: adds $\lambda \lVert u \rVert^2$ to what is minimised, for
        square loss and losses of your own. It is not part of the returned `loss`.

    Examples
    --------
    >>> from littlestone.comparators import best_linear
    >>> best = best_linear([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [2.0, -1.0, 1.0])
    >>> {expert: round(weight, 9) for expert, weight in best.weights.items()}
    {0: 2.0, 1: -1.0}
    """
    game = Game.read("best_linear", F, y, loss, "sleep")
    game.refuse_sleepers()
    game.refuse_labels()
    if game.loss.outcome is Outcome.DISTRIBUTION:
        raise ParameterError(
            "a linear combination of probabilities need not be a probability, so the "
            f"loss must not be log or brier, got {game.loss.name!r}; use best_convex",
            owner="best_linear",
        )
    try:
        penalty = float(ridge)
    except (TypeError, ValueError):
        penalty = math.nan
    if not 0 <= penalty < math.inf:
        raise ParameterError(
            f"ridge must be a number of at least 0, got {ridge!r}", owner="best_linear"
        )
    found = _solving.linear(game, penalty)
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
