"""Every learner of every family, in each of its modes, as the contract sees them."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from advice_worlds import ADVISED, AdviceEntry, fixed_advice
from boolean_worlds import BOOLEAN_ENTRIES, BooleanEntry, boolean_world
from littlestone import (
    Auto,
    MulticlassAuto,
    auto,
    boolean,
    experts,
    linear,
    losses,
    maps,
)
from littlestone.certifying._parameters import stated_members
from littlestone.outcome import Outcome
from littlestone.verifying import twins
from ways import ADVICE_WAYS, WAYS, Way
from worlds import ENTRIES, Entry, World, fixed_world

__all__ = [
    "ADVICE",
    "AUTO",
    "LINEAR",
    "RULES",
    "Case",
    "bits",
    "learned_by",
    "learned_linear",
    "learned_of_advice",
    "learned_rule",
    "snapshot",
]


def snapshot(learner: Any) -> bytes:
    """Return all that a learner is."""
    return pickle.dumps(learner)


def bits(values: Any) -> list[str]:
    """Return floats so that -0.0, 0.0 and NaN are told apart."""
    return [float(value).hex() for value in np.asarray(list(values)).ravel()]


def learned_linear(
    learner: Any, name: Callable[[Any], Any] = lambda feature: feature
) -> Any:
    """Return what a linear learner has learned, bit for bit, however it was fed."""
    if isinstance(learner, linear.KernelPerceptron):
        return [
            (y, {name(f): v.hex() for f, v in x.items()}) for y, x in learner.supports_
        ]
    if isinstance(learner, experts.Restarting):
        return [
            (each.begun, each.weight.hex(), learned_linear(each.learner, name))
            for each in learner.alive()
        ]
    if learner.outcome is Outcome.CLASS:
        return {
            label: {name(f): w.hex() for f, w in weights.items()}
            for label, weights in learner.weights_.items()
        }
    return {name(f): weight.hex() for f, weight in learner.weights_.items()}


def learned_by(twin: Any, learner: Any) -> Any:
    """Return the same of a linear learner's twin, whose bias has the twin as a name."""
    if isinstance(twin, twins.KernelPerceptron):
        return [(sign > 0, {f: v.hex() for f, v in x.items()}) for sign, x in twin.kept]
    if learner.outcome is Outcome.CLASS:
        return {
            label: {f: w.hex() for f, w in weights.items() if w and f is not twin}
            for label, weights in twin.weights.items()
        }
    initial = getattr(learner, "initial_weight", 0.0)
    return {f: w.hex() for f, w in twin.weights.items() if w != initial}


def learned_auto(
    learner: Any, name: Callable[[Any], Any] = lambda feature: feature
) -> Any:
    """Return what the members of `Auto` have learned, and its books."""
    members = dict(learner.members_)
    stack = [learned_linear(members.pop(s)) for s in auto.STACKS if s in members]
    learned = [learned_linear(member, name) for member in members.values()]
    return learned, stack, learner.losses_, learner.dropped_


def learned_rule(learner: Any) -> Any:
    """Return what a learner of rules has learned, however it was fed."""
    terms = getattr(learner, "terms_", None)
    return (
        learner.features_,
        learner.concept_ if terms is None else terms,
        learner.updates_,
        learner.rounds_,
        learner.unrealizable_,
    )


def learned_of_advice(learner: Any) -> Any:
    """Return all that can be read of a learner with advice, bit for bit."""
    books = (learner.weights_, learner.losses_, learner.own_losses_)
    read = [{expert: value.hex() for expert, value in book.items()} for book in books]
    expected = learner.expected_mistakes_
    return read, learner.loss_.hex(), expected and expected.hex(), learner.updates_


@dataclass(frozen=True)
class Case:
    """A learner with parameters of its own choice, and how to try it."""

    made: Any
    make_world: Callable[[], World]
    learned: Callable[[Any], Any]  # bit for bit, however the learner was fed
    ways: tuple[Way, ...]
    names: dict[str, Any]  # those that its repr is made of
    twin: Callable[..., Any] | None = None
    binary: bool = True  # its outcomes are yes and no
    any_feature: bool = True  # it learns from features that nobody has declared
    bad_values: tuple[tuple[float, str], ...] = ()

    @property
    def repeats(self) -> bool:
        """Whether a sample weight is how often it learns; else its loss is weighed."""
        return not getattr(self.made, "charges_rows", False)

    def __str__(self) -> str:
        return repr(self.made)

    @cached_property
    def world(self) -> World:
        """Rows and outcomes, the same each time."""
        return self.make_world()

    def newborn(self) -> Any:
        """Return a learner that has learned nothing."""
        return self.made.clone()

    def played(self, rows: int | None = None) -> Any:
        """Return a learner that has played the world, or the first of its rows."""
        learner = self.newborn()
        learner.play(self.world.X[:rows], self.world.y[:rows])
        return learner


_NOT_FINITE = (
    (math.nan, "must be a finite number, got nan"),
    (math.inf, "must be a finite number, got inf"),
)
_NOT_BOOLEAN = (
    *_NOT_FINITE,
    (0.5, "must be 0 or 1, got 0.5"),
    (-1.0, "must be 0 or 1, got -1.0"),
)


def _linear(entry: Entry) -> Case:
    return Case(
        entry.made,
        lambda: fixed_world(entry),
        learned_linear,
        WAYS,
        {**vars(linear), "losses": losses},
        entry.twin,
        binary=entry.made.outcome is Outcome.LABEL,
        bad_values=_NOT_FINITE,
    )


def _rule(entry: BooleanEntry) -> Case:
    return Case(
        entry.made,
        boolean_world,
        lambda learner: (learned_rule(learner), snapshot(learner)),
        WAYS,
        vars(boolean),
        entry.twin,
        any_feature=not entry.closed,
        bad_values=_NOT_BOOLEAN,
    )


def _advised(entry: AdviceEntry) -> Case:
    def world() -> World:
        advice = fixed_advice(entry)
        return World(advice.F, advice.y)

    return Case(
        entry.made,
        world,
        learned_of_advice,
        ADVICE_WAYS,
        {**vars(experts), "losses": losses},
        binary=entry.labels,
    )


def _auto(made: Auto | MulticlassAuto, entry: Entry = ENTRIES[0]) -> Case:
    twin = getattr(twins, type(made).__name__)
    more = {"summed": True} if isinstance(made, Auto) else {}
    return Case(
        made,
        lambda: fixed_world(entry),
        learned_auto,
        WAYS,
        {**vars(auto), **vars(linear), **vars(maps), "Restarting": experts.Restarting},
        lambda **given: twin(**{**given, "members": stated_members(given)}, **more),
        binary=made.outcome is Outcome.LABEL,
        bad_values=_NOT_FINITE,
    )


# Random features depend on the names of features, which the contract changes.
_LINEAR_POOL = {k: v for k, v in auto.pool().items() if "fourier" not in k}
_MANY = next(e for e in ENTRIES if isinstance(e.made, linear.MulticlassPerceptron))
_TWO: Any = _MANY.made.get_params()["classes"]
_CLASSES_POOL = auto.multiclass_pool(classes=_TWO)
del _CLASSES_POOL["arow fourier"]
AUTO = [
    _auto(Auto(_LINEAR_POOL)),
    _auto(Auto(_LINEAR_POOL, narrow=3)),
    _auto(MulticlassAuto(_CLASSES_POOL, classes=_TWO, narrow=4), _MANY),
    _auto(Auto({"w": linear.BalancedWinnow(0.3, scale=3), "p": linear.Perceptron()})),
]
LINEAR = [_linear(entry) for entry in ENTRIES]
RULES = [_rule(entry) for entry in BOOLEAN_ENTRIES]
ADVICE = [_advised(entry) for entry in ADVISED]
