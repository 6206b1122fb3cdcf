r"""Witnesses that are found on the first rounds of a stream, and charged for all.

A bound with the losses of a vector on all rounds holds for any vector, so also for one
that was found early. The first rounds are searched, and from then on the vector's
losses are added up as rounds come, for several margins, scales or prices at once: which
one is best is known when the bound is read. Nothing else of the stream is kept.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone import _core, theorems
from littlestone.errors import PremiseError
from littlestone.witnesses._balanced import Game, of_size_one
from littlestone.witnesses._examples import Examples, of_length_one, root_up
from littlestone.witnesses._orders import aggressive_order
from littlestone.witnesses._winnow import winnow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from littlestone.concepts import Feature
    from littlestone.running.examples import KeptExamples
    from littlestone.theorems import Number, Theorem

    Floats = NDArray[np.float64]
    Parameters = Mapping[str, Any]
    Facts = dict[str, float]

__all__ = ["EARLY", "Early", "EarlySearch", "Lost"]

# Prices of a loss, in all and as shares of 1/R^2, and lengths of what is found.
_PRICES = np.array([0.1])
_SHARES = (1.0, 0.25, 0.06)
# What is charged beside the best on the first rounds, as shares of it.
_FACTORS = (0.7, 1.0, 1.4)
_LENGTHS = (0.25, 0.5, 1.0, 2.0)
_PASSES = 2
# More than the rounding of a cost of `PA-ORDER`.
_SLACK = 1 + 1e-9


class Early(NamedTuple):
    """A vector that was found early.

    Attributes
    ----------
    features, weights
        Its entries; features of the first rounds that it does not have weigh 0.
    at_constant
        Its entry for the constant feature.
    levels
        What is charged: for each way, the level or the price on a yes and on a no.
    facts
        Numbers of the theorem that do not change.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.witnesses import EARLY
    >>> stream = [({"a": 1.0}, True), ({"b": 1.0}, False)] * 8
    >>> record = run(Perceptron(), stream, keep="rounds")
    >>> parameters = record.learner.parameters
    >>> early = EARLY["Perceptron"].find(record.examples, parameters)
    >>> early.features, early.weights.round(3).tolist(), len(early.levels)
    (('a', 'b'), [0.707, -0.707], 3)
    """

    features: tuple[Feature, ...]
    weights: Floats
    at_constant: float
    levels: tuple[tuple[float, float], ...]
    facts: Facts


class Lost(NamedTuple):
    """What a vector has lost so far.

    Attributes
    ----------
    rounds
        The rounds that were charged.
    sums
        What was lost, by levels.
    largest
        At least the largest squared length of an example.
    smallest
        The smallest size of a value that is not 0.
    features
        How many features there were.

    Examples
    --------
    >>> from littlestone.witnesses import Lost
    >>> lost = Lost(100, [2.0, 3.0], 1.0, 0.5, 7)
    >>> 2.0 < lost.up(0) < 2.0 + 1e-12
    True
    """

    rounds: int
    sums: Sequence[float]
    largest: float
    smallest: float
    features: int

    def up(self, at: int) -> float:
        """Return one of the sums, with more than what adding it up has rounded."""
        return float(self.sums[at]) * (1 + (self.rounds + 8) * 2.0**-52)


class EarlySearch(NamedTuple):
    """How to find an early witness of a learner, and its bound by what it loses.

    Attributes
    ----------
    theorem
        The theorem.
    find
        Takes the first rounds and the learner's parameters; returns None if it finds
        nothing.
    numbers
        Takes the vector, the parameters, what was lost, and which of the levels;
        returns the numbers of the theorem.
    counts
        Whether the theorem takes the number of features.

    Examples
    --------
    >>> from littlestone.witnesses import EARLY, Early, Lost
    >>> search = EARLY["Perceptron"]
    >>> early = Early(("a",), [1.0], 0.0, ((0.5, 0.5), (1.0, 1.0)), {})
    >>> lost = Lost(100, [2.0, 60.0], 1.0, 1.0, 1)
    >>> bound, numbers = search.smallest(early, {}, lost)
    >>> search.theorem.id, round(bound, 3), numbers["margin"]
    ('PERC-TD', 10.472, 0.5)
    """

    theorem: Theorem
    find: Callable[[KeptExamples, Parameters], Early | None]
    numbers: Callable[[Early, Parameters, Lost, int], Mapping[str, Number]]
    counts: bool = False

    def losses(self, early: Early, parameters: Parameters) -> _core.Losses:
        """Return what adds up the losses of the vector, from none."""
        steps = None
        if self.theorem is theorems.PA_ORDER:
            mode, C = parameters["mode"], float(parameters["C"])
            steps = C if mode == "I" else math.inf, 0.5 / C if mode == "II" else 0.0
        return _core.Losses(
            list(early.features),
            early.weights.tolist(),
            list(early.levels),
            constant=float(parameters.get("bias", 0.0)),
            at_constant=early.at_constant,
            normalize=bool(parameters.get("normalize", False)),
            counts=self.counts,
            sizes=self.theorem is theorems.WIN2_SLACK,
            steps=steps,
        )

    def smallest(
        self, early: Early, parameters: Parameters, lost: Lost
    ) -> tuple[float, Mapping[str, Number]] | None:
        """Return the smallest bound and its numbers; None if there is none."""
        best: tuple[float, Mapping[str, Number]] | None = None
        for at, total in enumerate(lost.sums):
            if not math.isfinite(total + lost.largest):
                continue
            numbers = self.numbers(early, parameters, lost, at)
            try:
                bound = self.theorem.bound(**numbers)
            except PremiseError:  # such as a margin that is too small for the rate
                continue
            if best is None or bound < best[0]:
                best = bound, numbers
        return best


def _split(
    kept: KeptExamples,
    v: Floats,
    bias: float,
    levels: tuple[tuple[float, float], ...],
    facts: Facts,
) -> Early:
    """Take a vector, whose last entry is that of the constant feature, if any."""
    at_constant = float(v[-1]) if bias else 0.0
    return Early(kept.features, v[: len(kept.features)], at_constant, levels, facts)


def _near(margin: float) -> tuple[tuple[float, float], ...]:
    """Return levels for this margin and others near it."""
    return tuple((factor * margin, factor * margin) for factor in _FACTORS)


def _perceptron(kept: KeptExamples, parameters: Parameters) -> Early | None:
    bias, normalize = float(parameters["bias"]), bool(parameters["normalize"])
    examples = Examples.of(kept, bias=bias, normalize=normalize, passes=_PASSES)
    radius = examples.radius
    least, found, margin = math.inf, np.zeros(0), 0.0
    for share in _SHARES if radius else ():
        v = examples.soft(hinge=share * examples.price)[0]
        size = math.sqrt(float((v * v).sum())) * radius
        lost = float(np.maximum(0.0, 1 - examples.margins(v)).sum())
        bound = (size + math.sqrt(size * size + 4 * lost)) / 2  # its root
        if size > 0 and bound < least:
            least, found, margin = bound, v, radius / size
    u = of_length_one(found)
    return None if u is None else _split(kept, u, bias, _near(margin), {})


def _of_perceptron(
    early: Early, _: Parameters, lost: Lost, at: int
) -> Mapping[str, Number]:
    margin = early.levels[at][0]
    radius = root_up(lost.largest)
    return {"radius": radius, "margin": margin, "deviation": lost.up(at)}


def _balanced(kept: KeptExamples, parameters: Parameters) -> Early | None:
    bias, rate = float(parameters["bias"]), float(parameters["rate"])
    examples = Examples.of(kept, bias=bias, passes=_PASSES)
    radius = examples.radius
    scale = float(np.abs(examples.values).max(initial=0.0))
    game = Game(examples, rate, scale, kept.features, bias, times=1)
    found = [
        (candidate, v)
        for share in (_SHARES[0], _SHARES[-1])
        if radius and (v := examples.soft(hinge=share * examples.price)[0]).any()
        for candidate in game.evaluate(v)
        if candidate.theorem is theorems.BWIN_ANY
    ]
    if not found:
        return None
    best, v = min(found, key=lambda each: each[0].bound)
    margin = float(best.numbers["margin"])
    return _split(kept, of_size_one(v), bias, _near(margin), {})


def _of_balanced(
    early: Early, parameters: Parameters, lost: Lost, at: int
) -> Mapping[str, Number]:
    return {
        "features": lost.features + bool(parameters["bias"]),
        "margin": early.levels[at][0],
        "deviation": lost.up(at),
        "rate": parameters["rate"],
        "scale": parameters["scale"],
    }


def _winnow(kept: KeptExamples, parameters: Parameters) -> Early | None:
    examples = Examples.of(kept, passes=_PASSES)
    if parameters["eliminate"] or not len(examples.values):
        return None
    levels = np.where(examples.signs > 0, 1.0, 0.0)
    v = np.maximum(examples.softest(np.ones(len(examples)), levels), 0.0)
    found = [
        (candidate, mu)
        for mu in (length * v for length in _LENGTHS)
        for candidate in winnow(
            kept, parameters, dict(zip(kept.features, mu.tolist(), strict=True))
        )
    ]
    if not found:
        return None
    best, mu = min(found, key=lambda each: each[0].bound)
    gap, weight = float(best.numbers["gap"]), float(best.numbers["weight"])
    scales = tuple((1 / factor, (gap - 1) / factor) for factor in _FACTORS)
    return _split(kept, mu, 0.0, scales, {"gap": gap, "weight": weight})


def _of_winnow(
    early: Early, parameters: Parameters, lost: Lost, at: int
) -> Mapping[str, Number]:
    # With mu divided by the level of a yes, in whose units it was charged.
    up = (1 + 2.0**-40) / early.levels[at][0]
    return {
        "features": max(lost.features, 1),
        "threshold": parameters["threshold"],
        "promotion": parameters["promotion"],
        "weight": early.facts["weight"] * up,
        "gap": early.facts["gap"],
        "smallest": min(lost.smallest, 1.0),
        "slack": lost.up(at) * up,
    }


def _aggressive(kept: KeptExamples, parameters: Parameters) -> Early | None:
    bias = float(parameters["bias"])
    examples = Examples.of(kept, bias=bias, passes=_PASSES)
    priced = aggressive_order(
        examples, parameters, prices=_PRICES, lengths=np.array(_LENGTHS)
    )
    if priced is None:
        return None
    prices = _near(priced.numbers["price"])
    facts = {"potential": priced.numbers["potential"]}
    return _split(kept, priced.v, bias, prices, facts)


def _of_aggressive(
    early: Early, _: Parameters, lost: Lost, at: int
) -> Mapping[str, Number]:
    owed = _SLACK * lost.up(at) + 1e-9 * (1 + lost.rounds * 1e-6)
    return {"price": early.levels[at][0], "owed": owed, **early.facts}


EARLY: dict[str, EarlySearch] = {
    "Perceptron": EarlySearch(theorems.PERC_TD, _perceptron, _of_perceptron),
    "PassiveAggressive": EarlySearch(theorems.PA_ORDER, _aggressive, _of_aggressive),
    "Winnow": EarlySearch(theorems.WIN2_SLACK, _winnow, _of_winnow, counts=True),
    "BalancedWinnow": EarlySearch(
        theorems.BWIN_ANY, _balanced, _of_balanced, counts=True
    ),
}
"""The learners for which a witness is found early, by name."""
