"""Winnow against the Perceptron: the margins of a stream say who wins.

The Perceptron's bound is made of lengths, |u|_2 and |x|_2: it likes short rows, however
many features matter. Winnow's is made of |u|_1 and the largest |x_i|, times a logarithm
of the number of features: it likes few that matter, however many there are.

    python examples/winnow_against_perceptron.py
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from littlestone import theorems
from littlestone.linear import BalancedWinnow, Perceptron, Winnow

Row = dict[int, float]
Results = dict[str, tuple[int, float]]  # the mistakes and the bound of each learner


@dataclass(frozen=True)
class World:
    """Rows, each labelled by whether target . row > threshold."""

    title: str
    features: int
    rows: list[Row]
    target: Row
    threshold: float  # learned as the weight of a constant feature of value 1
    at_least: int  # the same target for Winnow: so many liked features are on


def sparse_target(rounds: int = 10_000, features: int = 100_000) -> World:
    """Any of 10 features means yes; 50 common and 9 or 10 rare ones mean nothing."""
    rng = np.random.default_rng(0)
    relevant, common, rows = 10, 1000, []
    for _ in range(rounds):
        active = (relevant + rng.choice(common, 50, replace=False)).tolist()
        rare = rng.choice(features - relevant - common, 10, replace=False)
        active += (relevant + common + rare).tolist()
        if rng.random() < 1 / 2:
            active[-1] = int(rng.integers(relevant))
        rows.append(dict.fromkeys(active, 1.0))
    target = dict.fromkeys(range(relevant), 1.0)
    return World("sparse target, long rows", features, rows, target, 1 / 2, 1)


def dense_target(rounds: int = 20_000, features: int = 1000) -> World:
    """Every feature matters, for or against; three are active, the majority wins."""
    rng = np.random.default_rng(0)
    target = dict(enumerate(rng.choice([-1.0, 1.0], features).tolist()))
    draws = [rng.choice(features, 3, replace=False).tolist() for _ in range(rounds)]
    rows = [dict.fromkeys(active, 1.0) for active in draws]
    return World("dense target, short rows", features, rows, target, 0.0, 2)


def compare(world: World) -> Results:
    """Compute the margins, play the rows, print a table."""
    u, c, k = world.target, world.threshold, world.at_least
    scores = [sum(u.get(j, 0) * x for j, x in row.items()) - c for row in world.rows]
    labels = np.array(scores) > 0
    n, margin, bias = world.features + bool(c), min(map(abs, scores)), float(bool(c))
    l1 = sum(map(abs, u.values())) + c
    l2 = root(sum(w * w for w in u.values()) + c * c)
    radius = root(max(map(len, world.rows)) + bias)
    liked = sum(weight > 0 for weight in u.values())
    bounds = (
        theorems.PERC_SEP.bound(radius=radius, margin=margin, norm=l2),
        theorems.BWIN_SEP.bound(features=n, margin=margin, norm=l1),
        theorems.WIN2_KOFR.bound(features=world.features, relevant=liked, k=k),
    )
    players: list[tuple[str, Any, float]] = [
        (f"Perceptron(bias={bias:g})", Perceptron(bias=bias), bounds[0]),
        ("BalancedWinnow", BalancedWinnow(rate=margin / l1, bias=bias), bounds[1]),
        ("Winnow", Winnow.for_threshold(world.features, k), bounds[2]),
    ]
    if bias:  # is it the constant feature that holds the Perceptron back?
        players.append(("Perceptron()", Perceptron(), math.inf))
    print(f"\n{world.title}: {len(labels):,} rounds, {world.features:,} features")
    print(f"(|u|_2 R/gamma)^2 = {(l2 * radius / margin) ** 2:,.0f}", end=", ")
    print(f"(|u|_1 X/gamma)^2 ln 2n = {(l1 / margin) ** 2 * math.log(2 * n):,.0f}")
    print(f"{'learner':22} {'mistakes':>9} {'at most':>12}")
    results = {}
    for name, learner, bound in players:
        results[name] = int(np.sum(learner.play(world.rows, labels) != labels)), bound
        print(f"{name:22} {results[name][0]:9,} {bound:12,.0f}")
    return results


def root(square: float) -> float:
    """Return a square root, rounded up."""
    return math.nextafter(math.sqrt(square), math.inf)


if __name__ == "__main__":
    compare(sparse_target())
    compare(dense_target())
