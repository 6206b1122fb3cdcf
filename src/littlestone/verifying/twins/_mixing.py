"""Mixing in plain Python: one twin from those that shards have become."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from littlestone.verifying._spending import spend
from littlestone.verifying.twins._sums import Exact
from littlestone.verifying.twins.averaged_perceptron import AveragedPerceptron
from littlestone.verifying.twins.balanced_winnow import BalancedWinnow
from littlestone.verifying.twins.exponential_weights import ExponentialWeights

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["copied", "mixed", "renewed"]

_PARTS = (dict, list)


def copied(twin: Any) -> Any:
    """Return a twin that can play a shard without changing this one.

    A twin may name the constant feature by itself; its copy then names its own.
    """
    spend(sum(len(part) for part in vars(twin).values() if isinstance(part, _PARTS)))
    return deepcopy(twin, {})


def mixed(twin: Any, ended: Sequence[Any], weights: Sequence[int]) -> Any:
    """Return what a twin becomes: its changes in each shard, in order, weighted.

    Examples
    --------
    >>> from littlestone.verifying.twins import Perceptron
    >>> from littlestone.verifying.twins._mixing import copied, mixed
    >>> begun = Perceptron()
    >>> ended = [copied(begun), copied(begun)]
    >>> _ = ended[0].play({"a": 1.0}, False), ended[1].play({"b": 1.0}, False)
    >>> mixed(begun, ended, [1, 3]).weights
    {'a': -0.25, 'b': -0.75}
    """
    if len(ended) == 1 and weights[0]:
        return copied(ended[0])
    made = copied(twin)
    total = max(sum(weights), 1)
    made.updates += sum(each.updates - twin.updates for each in ended)
    if isinstance(twin, ExponentialWeights):
        _forecasts(made, twin, ended, weights, total)
    elif isinstance(twin, AveragedPerceptron):
        _averages(made, twin, ended, weights, total)
    elif isinstance(twin, BalancedWinnow):
        parts = [_named(each.sums, each) for each in ended]
        sums = _summed(_named(twin.sums, twin), parts, weights, total)
        made.sums = _renamed(sums, made)
    else:
        parts = [{**each.weights, None: each.bias_weight} for each in ended]
        begun = {**twin.weights, None: twin.bias_weight}
        made.weights = _summed(begun, parts, weights, total)
        made.bias_weight = made.weights.pop(None)
    return made


def renewed(twin: Any) -> Any:
    """Return a twin as it begins another epoch: a mean begins with its latest vector.

    Examples
    --------
    >>> from littlestone.verifying.twins import AveragedPerceptron
    >>> from littlestone.verifying.twins._mixing import renewed
    >>> twin = AveragedPerceptron()
    >>> [twin.play({"a": 1.0}, y) for y in (True, False, True)]
    [True, True, False]
    >>> renewed(twin).weights, renewed(twin).round
    ({'a': 0.0}, 1)
    """
    if not isinstance(twin, AveragedPerceptron):
        return twin
    made = copied(twin)
    made.moments, made.round = dict(made.latest), 1
    return made


def _summed(
    begun: dict[Any, float],
    parts: Sequence[dict[Any, float]],
    weights: Sequence[int],
    total: int,
) -> dict[Any, float]:
    made = dict(begun)
    for name in dict.fromkeys([*begun, *(name for part in parts for name in part)]):
        before, change = begun.get(name, 0.0), 0.0
        for part, weight in zip(parts, weights, strict=True):
            change += weight * (part.get(name, 0.0) - before)
        made[name] = before + change / total
    return made


def _named(cells: dict[Any, float], twin: Any) -> dict[Any, float]:
    """Return cells in which None is the constant feature, not the twin."""
    return {None if name is twin else name: cell for name, cell in cells.items()}


def _renamed(cells: dict[Any, float], twin: Any) -> dict[Any, float]:
    return {twin if name is None else name: cell for name, cell in cells.items()}


def _averages(
    made: Any, twin: Any, ended: Sequence[Any], weights: Sequence[int], total: int
) -> None:
    latest, moments = _named(twin.latest, twin), _named(twin.moments, twin)
    parts = [(_named(e.latest, e), _named(e.moments, e), e.round + 1) for e in ended]
    begins = twin.round + 1
    rounds = begins + sum(number - begins for _, _, number in parts)
    names = dict.fromkeys([*latest, *(name for part in parts for name in part[0])])
    for name in names:
        before, moment = latest.get(name, 0.0), moments.get(name, 0.0)
        change = away = 0.0
        for (last, sums, number), weight in zip(parts, weights, strict=True):
            moved = last.get(name, 0.0) - before
            change += weight * moved
            away += number * moved - (sums.get(name, 0.0) - moment)
        change /= total
        latest[name] = before + change
        moments[name] = moment + (rounds * change - away)
    made.latest, made.moments = _renamed(latest, made), _renamed(moments, made)
    made.round = rounds - 1


def _forecasts(
    made: Any, twin: Any, ended: Sequence[Any], weights: Sequence[int], total: int
) -> None:
    played = [each for each in ended if each.names]
    if not played:
        return
    if not twin.names:
        made.names, made.priors = played[0].names, played[0].priors
        made.losses = {name: Exact() for name in made.names}
        made.slept = {name: Exact() for name in made.names}
    begun = twin.totals if twin.names else [Exact() for _ in made.names]
    shares = [w for each, w in zip(ended, weights, strict=True) if each.names]

    def mix(before: Exact, after: list[Exact]) -> Exact:
        change = 0.0
        for one, weight in zip(after, shares, strict=True):
            change += weight * one.minus(before)
        result = Exact(before.high, before.low)
        result.add(change / total)
        return result

    made.totals = [
        mix(before, [each.totals[at] for each in played])
        for at, before in enumerate(begun)
    ]
    made.own = mix(twin.own, [each.own for each in played])
    best = made.smallest([True] * len(made.names))
    made.base = Exact(best.high, best.low)
