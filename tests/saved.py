"""Learners of every kind with a few rounds each, to save in the middle of."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from advice_worlds import ADVISED, AdviceEntry, fixed_advice
from boolean_worlds import BOOLEAN_ENTRIES, boolean_world
from littlestone import Auto, MulticlassAuto, boolean, experts, linear, losses, maps
from littlestone.compat.opera import MLEwa
from littlestone.concepts import Conjunction, FiniteClass
from littlestone.conformal import Adaptive
from littlestone.errors import NobodyLeftWarning, UnrealizableWarning
from littlestone.learner import Learner
from worlds import ENTRIES, Entry, fixed_world

Rounds = list[tuple[Any, Any]]


@dataclass(frozen=True)
class Saved:
    """A learner to make, and what it is told."""

    name: str
    make: Callable[[], Learner]
    rounds: Rounds

    def __str__(self) -> str:
        return self.name

    def played(self, first: int, last: int, learner: Learner | None = None) -> Any:
        """Return the learner after these rounds, and what it said."""
        learner = self.make() if learner is None else learner
        said = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NobodyLeftWarning)
            warnings.simplefilter("ignore", UnrealizableWarning)
            for x, y in self.rounds[first:last]:
                said.append(plain(learner.play_one(x, y)))
        return learner, said


def plain(said: Any) -> Any:
    """Return a prediction as values that tell every bit."""
    return said.tobytes() if isinstance(said, np.ndarray) else said


def _linear(entry: Entry) -> Rounds:
    """Columns near and far, and names; some met long before they weigh anything."""
    world = fixed_world(entry, rows=90)
    names = [0, 3, "a", "é", 2**24 + 5, "", "long " * 9, 2**32 - 1, 7, "b", "\x00", 1]
    rounds: Rounds = []
    for t, (x, y) in enumerate(zip(world.X.tolist(), world.y.tolist(), strict=True)):
        shown = {
            name: value
            for at, (name, value) in enumerate(zip(names, x, strict=True))
            if (t + at) % 3 or t > 60
        }
        rounds.append((shown, y))
    return rounds


def _advised(entry: AdviceEntry, *, named: bool) -> Rounds:
    """Experts by position, or by name, some of whom sleep."""
    world = fixed_advice(entry, rounds=80, n=7)
    rounds: Rounds = []
    for t, (row, y) in enumerate(zip(world.rows(), world.outcomes(), strict=True)):
        x: Any = row
        if named:
            every = zip("abcdefg", row, strict=True)
            x = {name: f for at, (name, f) in enumerate(every) if t < 5 or (t + at) % 4}
        rounds.append((x, y))
    return rounds


def _boolean() -> Rounds:
    world = boolean_world(rows=80)
    names = [0, "a", "b", 2**24 + 9, *range(4, 12)]
    return [
        ({name: v for name, v in zip(names, x, strict=True) if v}, y)
        for x, y in zip(world.X.tolist(), world.y.tolist(), strict=True)
    ]


def _labels(size: int) -> Rounds:
    return [(None, y) for y in np.random.default_rng(3).random(size) < 0.7]


def _classes(labels: list[Any]) -> Rounds:
    rng = np.random.default_rng(5)
    X = rng.choice([-1.0, 0.0, 0.5, 2.0], size=(80, 6))
    best = (X @ rng.normal(size=(6, len(labels)))).argmax(axis=1)
    return [
        ({f"f{j}": v for j, v in enumerate(x)}, labels[c])
        for x, c in zip(X.tolist(), best.tolist(), strict=True)
    ]


def _finite(learner: Callable[..., Learner], **more: Any) -> Iterator[Saved]:
    rows = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    truth = Conjunction(0, 2)
    told = [(rows[t * 5 % 8], truth(rows[t * 5 % 8])) for t in range(24)]
    told[17] = (told[17][0], not told[17][1])  # and then no concept fits
    these = FiniteClass.monotone_conjunctions(3)
    name = learner.__name__
    yield Saved(name, lambda: learner(these, **more), told)
    listed = [*these]
    yield Saved(f"{name} of a list", lambda: learner(listed, **more), told)


def _committee() -> Iterator[Saved]:
    rounds = _linear(ENTRIES[0])

    def several() -> Learner:
        twice = linear.Perceptron(update="margin")
        return experts.Committee(
            {
                "p": linear.Perceptron(),
                "twice": twice,
                "again": twice,
                "k": linear.KernelPerceptron("gaussian", budget=5),
            },
            rule=experts.RandomizedWeightedMajority(0.4, seed=3),
        )

    yield Saved("Committee", several, rounds)
    within = [
        experts.Committee([linear.Perceptron(), linear.AROW()]),
        linear.Winnow(threshold=3),
    ]
    yield Saved(
        "Committee of committees",
        lambda: experts.Committee(within),
        [({k: abs(v) > 1 for k, v in x.items()}, y) for x, y in rounds],
    )


def _mapped() -> Iterator[Saved]:
    rounds = [
        ({f: v for f, v in x.items() if f != 2**32 - 1}, y)  # of no crossed column
        for x, y in _linear(ENTRIES[0])
    ]
    for chosen in (
        maps.Standardized(center=False) | maps.Fourier(dim=6, seed=2),
        maps.Standardized(),
        maps.Crossed([("a", "b"), (0, 3)]),
        maps.Quadratic(bits=5),
    ):
        made = maps.Mapped(linear.AROW(bias=0.5), chosen)
        yield Saved(repr(made), made.clone, rounds)
    again = experts.Restarting(linear.AROW(), shortest=7)
    of_copies = maps.Mapped(again, maps.Standardized())
    yield Saved("Mapped copies", of_copies.clone, rounds)


def _restarting() -> Iterator[Saved]:
    made = experts.Restarting(linear.AROW(bias=0.5), shortest=7)
    yield Saved("Restarting", made.clone, _linear(ENTRIES[0]))
    mapped = maps.Mapped(linear.AROW(), maps.Standardized(center=False))
    behind = experts.Restarting(mapped, shortest=7)
    yield Saved("Restarting behind a map", behind.clone, _linear(ENTRIES[0]))
    of_classes = experts.Restarting(linear.MulticlassPerceptron(), shortest=5)
    yield Saved("Restarting classes", of_classes.clone, _classes(["a", "b"]))


def _intervals() -> Iterator[Saved]:
    rounds = [(x, 3.0 * t % 7) for t, (x, _) in enumerate(_linear(ENTRIES[0]))]
    around = Adaptive(linear.VovkAzouryWarmuth(), 0.7, window=20)
    yield Saved("Adaptive", around.clone, rounds)
    members = {"near": linear.VovkAzouryWarmuth(), "far": linear.AdaGrad("absolute")}
    among = Adaptive(experts.Committee(members, experts.MLPoly()), 0.7)
    yield Saved("Adaptive around a committee", among.clone, rounds)
    forecasts = [({"forecast": float(t % 5)}, y) for t, (_, y) in enumerate(rounds)]
    yield Saved("Adaptive, of forecasts", Adaptive(rate=0.3).clone, forecasts)


def every() -> list[Saved]:
    """Return learners of every kind that can be saved."""
    found: list[Saved] = []
    for entry in ENTRIES:
        if not entry.many:
            made = entry.made
            found.append(Saved(str(entry), made.clone, _linear(entry)))
    kinds = (
        linear.MulticlassPerceptron,
        linear.MulticlassPassiveAggressive,
        linear.MulticlassAROW,
        linear.MulticlassSecondOrder,
        linear.MulticlassAdaGrad,
    )
    found += [
        Saved(f"{kind.__name__} {labels}", kind, _classes(labels))
        for labels in (["ham", "spam", "è"], [3, 1, 2], [True, "x", 2.5, 7])
        for kind in kinds
    ]
    known = linear.MulticlassPerceptron(classes=("b", "a"), bias=0.5)
    found.append(
        Saved("MulticlassPerceptron, known", known.clone, _classes(["a", "b"]))
    )
    found += [
        Saved(
            f"{advised}{', named' if named else ''}",
            advised.made.clone,
            _advised(advised, named=named),
        )
        for advised in ADVISED
        if losses.as_loss(getattr(advised.made, "loss", "zero-one")).native >= 0
        for named in (False, True)
    ]
    found += [
        Saved(str(one), one.made.clone, _boolean())
        for one in BOOLEAN_ENTRIES
        if not one.closed
    ]
    world = boolean_world(rows=80)
    columns = list(zip(world.X.tolist(), world.y.tolist(), strict=True))
    found += [
        Saved(str(one), one.made.clone, columns)
        for one in BOOLEAN_ENTRIES
        if one.closed
    ]
    found += [
        *_finite(boolean.ConsistentLearner),
        *_finite(boolean.VersionSpaceLearner),
        *_finite(
            boolean.StandardOptimalLearner,
            domain=[[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)],
        ),
        *_committee(),
        Saved("Auto", Auto, _linear(ENTRIES[0])),
        Saved("Auto, narrow", lambda: Auto(narrow=2), _linear(ENTRIES[0])),
        Saved("MulticlassAuto", MulticlassAuto, _classes(["a", "b", "c"])),
        *_mapped(),
        *_restarting(),
        *_intervals(),
        Saved("FollowTheMajority", experts.FollowTheMajority, _labels(40)),
        Saved("Cover", lambda: experts.Cover(40), _labels(40)),
        Saved("Cover, odd", lambda: experts.Cover(41, seed=5), _labels(41)),
        Saved(
            "Cover of counts",
            lambda: experts.Cover(
                30, [Fraction(1, 4) + Fraction(k, 60) for k in range(31)]
            ),
            _labels(30),
        ),
        Saved("MLEwa", MLEwa, _advised(AdviceEntry(MLEwa()), named=True)),
    ]
    aggregating = AdviceEntry(
        experts.AggregatingAlgorithm("brier"), (0.0, 0.5, 0.75), (0.0, 1.0)
    )
    found.append(
        Saved(
            "AggregatingAlgorithm",
            aggregating.made.clone,
            _advised(aggregating, named=True),
        )
    )
    priors = {"a": 0.5, "b": 0.25, "c": 1, "d": 2.0, "e": 1, "f": 1, "g": 3}
    hedge = experts.ExponentialWeights(0.3, experts=priors)
    found.append(Saved("priors", hedge.clone, _advised(AdviceEntry(hedge), named=True)))
    return found
