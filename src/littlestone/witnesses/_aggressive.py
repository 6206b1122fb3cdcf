r"""Witnesses for the passive-aggressive learners.

Up to a factor, the bound is $\|u\|^2$ plus the losses of $u$, weighted by the learner's
C: the sum that a support vector machine minimises. By the run's own steps $\tau_t$, it
is $\|u\|^2 + 2 \sum_t \tau_t h_t$, with a price for each loss.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core, theorems
from littlestone.theorems._shares import NEARLY_ALL
from littlestone.witnesses._candidate import Candidate
from littlestone.witnesses._examples import (
    Examples,
    add_up,
    fall_short,
    size_up,
    squares_up,
    vector,
)
from littlestone.witnesses._orders import aggressive_order
from littlestone.witnesses._perceptron import placed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from littlestone.concepts import Feature
    from littlestone.running.examples import KeptExamples

    Floats = NDArray[np.float64]

__all__ = ["Steps", "aggressive", "passive_aggressive"]

# More than the rounding of the sums below.
_SLACK = 1 + 1e-9
_TINY = 1e-300

_THEOREMS = {None: theorems.PA_SEP, "I": theorems.PA1, "II": theorems.PA2}


def passive_aggressive(
    kept: KeptExamples,
    parameters: Mapping[str, Any],
    unmended: int = 0,
    u: Mapping[Feature | None, float] | None = None,
    wrong: NDArray[np.bool_] | None = None,
    *,
    passes: int | None = None,
    thorough: bool = True,
) -> list[Candidate]:
    """Return the bounds on the mistakes of a passive-aggressive learner.

    Parameters
    ----------
    kept
        The examples of the updates, or of all rounds.
    parameters
        The parameters of the learner.
    unmended
        How many mistakes changed nothing: those on examples without a value. Every
        vector loses 1 on them. If all rounds are given, they are among them.
    u
        A vector to use in place of a search; the entry of the constant feature is
        under None.
    wrong
        Which of the updates were mistakes, for `PA-STEPS`; not if all rounds are given.
    passes
        How often to go through the examples; None for as often as it is worth.
    thorough
        Whether to search for the theorem of the learner's mode even among many
        examples, if `PA-STEPS` says something: with the same vector it says more.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._linear import passive_aggressive
    >>> from littlestone.linear import PassiveAggressive
    >>> stream = [({"a": 1.0}, False), ({"b": 2.0}, False)]
    >>> record = run(PassiveAggressive(mode=None), stream, keep="updates")
    >>> record.mistakes, passive_aggressive(record.examples, record.learner.parameters)
    (2, [Candidate(PA-SEP: 5)])
    """
    bias = float(parameters["bias"])
    examples = Examples.of(kept, bias=bias, passes=passes)
    given = None if u is None else placed(u, kept.features, constant=bool(bias))

    def witness(v: Floats) -> Callable[[], dict[str, Any]]:
        return vector(v, kept.features, constant=bool(bias))

    found = []
    if wrong is not None:
        steps = Steps.replayed(examples, parameters, wrong, unmended)
        for v, numbers in steps.path(examples, given):
            found.append(Candidate.of(theorems.PA_STEPS, witness(v), numbers))
    said = found and not found[-1].repeats(len(kept))
    by_mode = None
    if thorough or examples.few or not said:
        by_mode = aggressive(examples, parameters, unmended, given)
    if by_mode is not None:
        v, numbers = by_mode
        theorem = _THEOREMS[parameters["mode"]]
        found.insert(0, Candidate.of(theorem, witness(v), numbers))
    if kept.changed is not None:
        priced = aggressive_order(examples, parameters, given)
        if priced is not None:
            made = witness(priced.v)
            found.append(Candidate.of(theorems.PA_ORDER, made, priced.numbers))
    return sorted(found, key=lambda candidate: candidate.bound)


@dataclass(frozen=True)
class Steps:
    """The steps of a run, the losses that caused them, and what they gained.

    They are replayed with sums in another order than the run's, so what is stated of
    them has some slack.
    """

    taus: Floats
    gains: Floats
    wrong: NDArray[np.bool_]
    unmended: int
    C: float
    weights: Floats | None = None

    @classmethod
    def replayed(
        cls,
        examples: Examples,
        parameters: Mapping[str, Any],
        wrong: NDArray[np.bool_],
        unmended: int,
    ) -> Steps:
        """Replay the updates of a passive-aggressive learner."""
        mode, C = parameters["mode"], float(parameters["C"])
        taus, gains = np.zeros(len(examples)), np.zeros(len(examples))
        weights = np.zeros(examples.width)
        _core.replay_steps(
            examples.offsets,
            examples.columns,
            examples.values,
            examples.signs,
            weights,
            cap=C if mode == "I" else math.inf,
            ridge=0.5 / C if mode == "II" else 0.0,
            steps=taus,
            gains=gains,
        )
        return cls(taus, gains, wrong, unmended, C, weights)

    def path(
        self, examples: Examples, given: Floats | None = None
    ) -> Iterator[tuple[Floats, dict[str, float]]]:
        """Yield vectors and numbers for the theorem, none without a mistake.

        Losses count ever more, until one says more than the mistakes. Among many
        examples, the search begins where the learner ended.
        """
        start = None
        if self.weights is not None and not examples.few:
            start = self.weights, self.taus
        for times in examples.times if given is None else (1.0,):
            v = given
            if v is None:
                levels = np.ones(len(examples))
                v = examples.softest(times * self.taus, levels, start)
            lost = fall_short(1.0, examples.margins(v))
            numbers = self.numbers(float(self.taus @ lost))
            if numbers is None or not math.isfinite(size_up(v)):
                return
            yield v, {"norm": size_up(v), **numbers}
            if numbers["mean_loss"] < NEARLY_ALL:
                return

    def numbers(self, lost: float) -> dict[str, float] | None:
        """Return what the theorem takes, if the vector loses so much, or None."""
        mistakes = int(self.wrong.sum()) + self.unmended
        won = float(self.gains[self.wrong].sum()) + 2 * self.C * self.unmended
        steps = float(self.taus.sum()) + self.C * self.unmended
        numbers = {
            "steps": steps / _SLACK,
            "mean_loss": (lost + self.C * self.unmended)
            / max(steps, _TINY)
            * _SLACK**3,
            "gained": max(float(self.gains[~self.wrong].sum()), 0.0) / _SLACK,
            "gain": won / max(mistakes, 1) / _SLACK,
        }
        fine = mistakes and won > 0 and all(map(math.isfinite, numbers.values()))
        return numbers if fine else None


def aggressive(
    examples: Examples,
    parameters: Mapping[str, Any],
    unmended: int,
    given: Floats | None = None,
) -> tuple[Floats, dict[str, float]] | None:
    """Return v and the numbers for the theorem of the learner's mode, or None."""
    mode, C = parameters["mode"], float(parameters["C"])
    if mode is None:
        if unmended:
            return None
        v = examples.separator()[0] if given is None else given
        reached = examples.reaching(v)
        if reached is None:
            return None
        return reached, {"radius": examples.radius, "norm": size_up(reached)}
    v = _softest(examples, C, squares=mode == "II") if given is None else given
    lost = np.append(fall_short(1.0, examples.margins(v)), np.ones(unmended))
    numbers = {"radius": examples.radius, "aggressiveness": C, "norm": size_up(v)}
    if mode == "I":
        numbers["hinge"] = add_up(lost)
    else:
        numbers["hinge_squares"] = squares_up(lost)
    return (v, numbers) if all(map(math.isfinite, numbers.values())) else None


def _softest(examples: Examples, C: float, *, squares: bool) -> Floats:
    v = (examples.soft(square=C) if squares else examples.soft(hinge=C))[0]
    # The best length in this direction, exactly: the search stops a little short.
    length = float(np.sqrt(v @ v))
    price = 2 * C if squares else C
    scale = _core.best_scale(examples.margins(v), length / math.sqrt(price), squares)
    return v * scale if length and math.isfinite(scale) else v
