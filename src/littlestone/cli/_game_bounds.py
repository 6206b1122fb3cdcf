"""What the theorems of a learner promise for a game against an adversary."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from littlestone.adversaries import Adversary
    from littlestone.learner import Learner
    from littlestone.running import Record
    from littlestone.theorems import Theorem

__all__ = ["Opponent", "Promise", "is_one", "promised"]


class Opponent(StrEnum):
    """The adversaries of the command line."""

    PERCEPTRON = "perceptron"
    HALVING = "halving"
    ALTERNATING = "alternating"
    CONJUNCTION = "conjunction"
    DISJUNCTION = "disjunction"
    SINGLETON = "singleton"
    TREE = "tree"
    RANDOM_EXPERTS = "random-experts"
    THRESHOLD = "threshold"
    SHRINKING = "shrinking"


@dataclass(frozen=True)
class Promise:
    """The bound of one of the learner's theorems on this game, without hindsight."""

    theorem: Theorem
    bound: float
    counted: float

    @property
    def holds(self) -> bool:
        return self.counted <= self.bound


def promised(learner: Learner, adversary: Adversary, record: Record) -> Promise | None:
    """Return the smallest bound whose numbers the adversary guarantees.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.adversaries import HalvingAdversary
    >>> from littlestone.cli._game_bounds import promised
    >>> from littlestone.experts import Halving
    >>> adversary = HalvingAdversary(3)
    >>> promised(Halving(), adversary, run(Halving(), adversary)).bound
    3.0
    """
    found: list[Promise] = []
    for theorem in learner.guarantees:
        rule = _RULES.get(theorem.id)
        numbers = None if rule is None else rule(learner, adversary)
        if numbers is None:
            continue
        counted: Any = {
            "updates": record.updates,
            "expected mistakes": record.expected_mistakes,
        }.get(theorem.counts, record.mistakes)
        found.append(Promise(theorem, theorem.bound(**numbers), float(counted)))
    return min(found, key=lambda promise: promise.bound, default=None)


def is_one(adversary: Adversary, *names: Opponent) -> bool:
    kind = type(adversary).__name__.removesuffix("Adversary").lower()
    return kind in [name.value.replace("-", "") for name in names]


def _margin(learner: Any, adversary: Any) -> dict[str, Any] | None:
    linear = getattr(learner, "kernel", "linear") == "linear"
    if not is_one(adversary, Opponent.PERCEPTRON) or not linear:
        return None
    if getattr(learner, "bias", 0) != 0:
        return None
    return {"radius": 1, **adversary.numbers}


def _winnow(learner: Any, adversary: Any) -> dict[str, Any] | None:
    # At most all features are relevant.
    if not is_one(adversary, Opponent.DISJUNCTION) or adversary.negations:
        return None
    n = adversary.n
    shared = {"threshold": learner.threshold, "promotion": learner.promotion}
    if learner.eliminate:
        return {"features": n, "relevant": n, **shared}
    return {"features": n, "weight": n, "gap": 1, **shared}


def _halving(learner: Any, adversary: Any) -> dict[str, Any] | None:
    if hasattr(learner, "concepts"):
        return {"experts": len(learner.concepts)}
    perfect = is_one(adversary, Opponent.HALVING)
    return {"experts": adversary.experts} if perfect else None


def _best(_: Any, adversary: Any) -> dict[str, Any] | None:
    if not is_one(adversary, Opponent.HALVING, Opponent.RANDOM_EXPERTS):
        return None
    return {"best": adversary.best_, "experts": len(adversary.features)}


def _majority(learner: Any, adversary: Any) -> dict[str, Any] | None:
    numbers = _best(learner, adversary)
    return None if numbers is None else {**numbers, "beta": learner.beta}


def _randomized(learner: Any, adversary: Any) -> dict[str, Any] | None:
    # Its theorem needs labels that do not depend on the draws.
    if not is_one(adversary, Opponent.RANDOM_EXPERTS):
        return None
    return {**(_best(learner, adversary) or {}), "epsilon": learner.epsilon}


def _constants(_: Any, adversary: Any) -> dict[str, Any] | None:
    labels = is_one(adversary, Opponent.ALTERNATING)
    return {"best": adversary.best_} if labels else None


def _of_rules(
    name: Opponent,
) -> Callable[[Any, Any], dict[str, Any] | None]:
    def rule(learner: Any, adversary: Any) -> dict[str, Any] | None:
        monotone = getattr(learner, "monotone", False)
        if not is_one(adversary, name) or (monotone and adversary.negations):
            return None
        k = getattr(learner, "k", None)
        return {"features": adversary.n} | ({} if k is None else {"k": k})

    return rule


_RULES: dict[str, Callable[[Any, Any], dict[str, Any] | None]] = {
    "PERC-SEP": _margin,
    "WIN1": _winnow,
    "WIN2-SEP": _winnow,
    "HALV": _halving,
    "HALV-R": _best,
    "WM": _majority,
    "WM-FLOOR-START": _best,
    "RWM": _randomized,
    "FTM": _constants,
    "CONJ": _of_rules(Opponent.CONJUNCTION),
    "CONJ-MONO": _of_rules(Opponent.CONJUNCTION),
    "DISJ": _of_rules(Opponent.DISJUNCTION),
    "DISJ-MONO": _of_rules(Opponent.DISJUNCTION),
    "kCNF": _of_rules(Opponent.CONJUNCTION),
    "kDNF": _of_rules(Opponent.DISJUNCTION),
    "CONSISTENT": lambda learner, _: {"concepts": len(learner.concepts)},
    "SOA": lambda learner, _: {"dimension": learner.dimension_},
}
