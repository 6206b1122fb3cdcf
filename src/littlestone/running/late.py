"""Labels that come late: the two rules for learning from them, and their bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from littlestone import theorems
from littlestone.errors import Given, ParameterError, PremiseError
from littlestone.learner.parameters import whole
from littlestone.linear._base import NativeLearner
from littlestone.outcome import Outcome, outcome_of
from littlestone.running.bounds import (
    Bounded,
    Candidate,
    Known,
    Look,
    Promises,
    Standing,
)
from littlestone.running.tickets import same
from littlestone.theorems._rounding import float_up

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from littlestone.learner.members import Member
    from littlestone.running.tickets import Ticket
    from littlestone.theorems import Number, Theorem

__all__ = ["LateBook", "LateRule", "check_rule"]

LateRule = Literal["relearn", "served"]

# Scores are sums of products in doubles: this covers those of thousands of features.
_ROUNDED = 2.0**-40


def check_rule(learner: Any, late: str) -> None:
    """Refuse an unknown rule, or one that the learner cannot follow."""
    if late not in ("relearn", "served"):
        raise ParameterError(
            f"late must be 'relearn' or 'served', got {late!r}", owner="run"
        )
    if late == "relearn":
        return
    adds = hasattr(learner, "add_one") and getattr(learner, "conservative", False)
    if not adds or getattr(learner, "budget", None) is not None:
        raise ParameterError(
            "{late} needs a Perceptron or a KernelPerceptron that learns from mistakes "
            f"and has no budget, got {learner!r}",
            given=(Given("late", "served"),),
            owner="run",
        )


class LateBook:
    """Counts what the theorems about late labels need.

    Parameters
    ----------
    learner, late, declared
        The learner, the rule by which it learns from late labels, and the numbers that
        were declared for its theorems.

    Attributes
    ----------
    outstanding
        The most other predictions that waited when a label changed the learner.
    pairs
        The pairs of mistakes of which one was served before the other was known.
    square
        Q of `DELAY-SERVED`, rounded up.
    """

    def __init__(
        self, learner: Any, late: LateRule, declared: Mapping[str, Number]
    ) -> None:
        check_rule(learner, late)
        self._learner, self._declared = learner, declared
        self.rule = late
        self.outstanding = self.pairs = 0
        self._sum = self._slack = 0.0

    @property
    def square(self) -> float:
        """Q of `DELAY-SERVED`, rounded up."""
        return max(0.0, self._sum + self._slack)

    def changed(self, others: int) -> None:
        """Note that a label has changed the learner while others waited."""
        self.outstanding = max(self.outstanding, others)

    @property
    def is_native(self) -> bool:
        """Whether a label can be taught in one native call, by `PlainRounds`."""
        learner = self._learner
        return (
            self.rule == "relearn"
            and isinstance(learner, NativeLearner)
            and outcome_of(learner) is Outcome.LABEL
            and not hasattr(learner, "last_loss_")
        )

    def learn(
        self, player: Member, ticket: Ticket, y: Any, others: int, mistakes: int | None
    ) -> None:
        """Teach the label of a ticket by the rule, while others wait.

        So many mistakes were known before; None if predictions are charged instead.
        """
        before = getattr(self._learner, "updates_", None)
        if self.rule == "relearn":
            player.learn(ticket.x, y)
        elif not same(ticket.prediction, y):
            self.add(ticket.x, y, served=ticket.score)
        if before is not None and self._learner.updates_ > before:
            self.changed(others)
        if mistakes is not None and not same(ticket.prediction, y):
            self.pairs += mistakes - ticket.mistakes

    def add(self, x: Any, y: bool, *, served: float) -> None:
        """Teach a mistake by the rule "served", and add it to Q.

        With S the sum of the mistakes before, y (S + y x).x - y S.x is |x|^2, and
        y (S.x - served) are the products with the mistakes that came in between.
        """
        learner = self._learner
        now = learner.score_one(x)
        learner.add_one(x, y)
        after = learner.score_one(x)
        self._sum += (1.0 if y else -1.0) * (after + now - 2.0 * served)
        self._slack += _ROUNDED * (abs(after) + abs(now) + 2.0 * abs(served))

    def promises(self, promises: Promises) -> Promises:
        """Return what the theorems promise, now that labels have come late."""
        if self.rule == "served":
            known: dict[str, Number] = getattr(self._learner, "known_", {})
            facts = {**known, "square": self.square, "pairs": self.pairs}
            return _Served(promises.counts, (), given=self._declared, facts=facts)
        conservative = getattr(self._learner, "conservative", False)
        if not conservative or promises.counts != "mistakes":
            return Promises(promises.counts, ())
        return _Delayed(
            promises.counts,
            promises.candidates,
            promises.spread,
            delay=self.outstanding,
        )

    def standing(self, promises: Promises, now: Standing, rounds: int) -> Standing:
        """Return how a run compares with its bound, now that labels have come late."""
        found = self.promises(promises).bound(promises.known(self._learner))
        if found is None:
            return Standing(regret=now.regret)
        theorem, bound = found
        vacuous = theorem.is_vacuous(bound, rounds)
        return Standing(theorem.id, bound, now.regret, vacuous)

    def save(self) -> dict[str, Any]:
        """Return what was counted."""
        return {
            "outstanding": self.outstanding,
            "pairs": self.pairs,
            "sum": self._sum,
            "slack": self._slack,
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from what was counted before."""
        for name in ("outstanding", "pairs"):
            setattr(self, name, whole("run", name, saved.get(name, 0)))
        self._sum = float(saved.get("sum", 0.0))
        self._slack = float(saved.get("slack", 0.0))


@dataclass
class _Delayed(Promises):
    """`DELAY`: k + 1 times the bound without delay.

    k is that of the whole run, also for points in the past, which only raises them.
    """

    delay: int = 0

    def bound(self, known: Known) -> Bounded | None:
        """Return the theorem, and its bound."""
        found = super().bound(known)
        if found is None:
            return None
        value = theorems.DELAY.formula(delay=self.delay, updates=found.bound)
        bound = float_up(value)
        return Bounded(theorems.DELAY, bound) if math.isfinite(bound) else None

    def numbers(self, look: Look | None) -> dict[str, Number]:
        """Return the numbers that make the bound."""
        if look is None or look.known is None:
            return {}
        found = super().bound(look.known)
        return {} if found is None else {"delay": self.delay, "updates": found.bound}


@dataclass
class _Served(Promises):
    """`DELAY-SERVED` or `DELAY-PAIRS`, for the whole run."""

    given: Mapping[str, Number] = field(default_factory=dict)
    facts: Mapping[str, Number] = field(default_factory=dict)

    def bound(self, known: Known) -> Bounded | None:  # noqa: ARG002 - of the run
        """Return the smaller bound, with its theorem."""
        found = [
            Bounded(theorem, float_up(value))
            for theorem, numbers in self._candidates()
            if (value := _value(theorem, numbers)) is not None
        ]
        return min(found, key=lambda each: each.bound, default=None)

    def numbers(self, look: Look | None) -> dict[str, Number]:
        """Return the numbers that make the bound."""
        found = None if look is None or look.known is None else self.bound(look.known)
        if found is None:
            return {}
        fitting = self._candidates()
        return next(dict(it.declared) for it in fitting if it.theorem is found.theorem)

    def _candidates(self) -> list[Candidate]:
        candidates = []
        for theorem in (theorems.DELAY_SERVED, theorems.DELAY_PAIRS):
            given = theorem.fit(self.facts, self.given)
            every = {**(given or {}), **self.facts}
            numbers = {n: every[n] for n in theorem.numbers if n in every}
            if given is not None:
                candidates.append(Candidate(theorem, numbers))
        return candidates


def _value(theorem: Theorem, numbers: Mapping[str, Number]) -> Fraction | None:
    try:
        return theorem.formula(**numbers)
    except (PremiseError, TypeError):  # one of them is missing
        return None
