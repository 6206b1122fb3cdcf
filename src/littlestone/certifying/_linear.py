"""Witnesses for linear learners, found after the fact.

Each search takes the examples of a run's updates and the learner's parameters, and
returns the theorems that apply to the run, each with the best witness found and its
bound, the smallest first. A theorem without a witness is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import theorems
from littlestone.certifying._classes import (
    multiclass_passive_aggressive,
    multiclass_perceptron,
)
from littlestone.certifying._gradients import (
    ada_grad,
    aioli,
    coin_betting,
    exponentiated_gradient,
    ftrl,
    gradient_descent,
    vovk_azoury_warmuth,
)
from littlestone.certifying._kernel import kernel_perceptron
from littlestone.certifying._one_versus_rest import (
    multiclass_arow,
    multiclass_second_order,
)
from littlestone.certifying._softmax import multiclass_ada_grad
from littlestone.conformal import FORECAST
from littlestone.errors import Given, ParameterError, PremiseError
from littlestone.verifying.proofs.coverage import excess
from littlestone.verifying.twins import TWINS
from littlestone.witnesses._aggressive import passive_aggressive
from littlestone.witnesses._balanced import balanced_winnow
from littlestone.witnesses._candidate import Candidate, needs_stream
from littlestone.witnesses._perceptron import perceptron
from littlestone.witnesses._second_order import arow, second_order_perceptron
from littlestone.witnesses._winnow import winnow

if TYPE_CHECKING:
    from collections.abc import Callable

    from littlestone.running import Record
    from littlestone.running.examples import KeptExamples

__all__ = [
    "HASTY",
    "SEARCHES",
    "Candidate",
    "ada_grad",
    "aioli",
    "arow",
    "balanced_winnow",
    "coin_betting",
    "exponentiated_gradient",
    "ftrl",
    "gradient_descent",
    "kernel_perceptron",
    "multiclass_ada_grad",
    "multiclass_arow",
    "multiclass_passive_aggressive",
    "multiclass_perceptron",
    "multiclass_second_order",
    "passive_aggressive",
    "perceptron",
    "second_order_perceptron",
    "vovk_azoury_warmuth",
    "winnow",
]

# The searches that leave out what cannot give the best bound, unless `thorough`.
HASTY = frozenset(
    {
        "AROW",
        "AveragedPerceptron",
        "PassiveAggressive",
        "Perceptron",
        "VotedPerceptron",
    }
)

_Search = Any  # takes a record, a witness or None, a stream or None


def _by_vector(search: Callable[..., list[Candidate]]) -> _Search:
    """Adapt a search that needs only the updates, and takes a witness."""

    def found(record: Record, witness: Any, _: Any, **how: bool) -> list[Candidate]:
        return search(record.examples, record.learner.parameters, witness, **how)

    return found


def _without_vector(search: Callable[..., list[Candidate]]) -> _Search:
    """Adapt a search that takes no witness."""

    def found(
        record: Record, witness: Any, stream: Any, **how: bool
    ) -> list[Candidate]:
        if witness is not None:
            raise ParameterError(
                f"{record.learner.name} takes no witness, got {witness!r}",
                owner="certify",
            )
        return search(record, stream, **how)

    return found


def _unmended(record: Record) -> list[int]:
    """Return the rounds with a mistake that changed nothing."""
    mistakes = np.asarray(record.mistake_rounds)
    mended = np.isin(mistakes, _kept(record).rounds, assume_unique=True)
    unmended: list[int] = mistakes[~mended].tolist()
    return unmended


def _kept(record: Record) -> KeptExamples:
    """Return the examples of the updates, which every record has by now."""
    return record.examples  # type: ignore[return-value]  # checked by certify


def _wrong(record: Record) -> Any:
    """Return which of the updates were mistakes; None of all rounds."""
    kept, mistakes = _kept(record), record.mistake_rounds
    if kept.changed is not None or mistakes is None:
        return None
    return np.isin(kept.rounds, mistakes, assume_unique=True)


def _aggressive(record: Record, witness: Any, _: Any, **how: bool) -> list[Candidate]:
    return passive_aggressive(
        _kept(record),
        record.learner.parameters,
        len(_unmended(record)),
        witness,
        _wrong(record),
        **how,
    )


def _arow(record: Record, _: Any, **how: bool) -> list[Candidate]:
    every = _kept(record).changed is not None
    if every and record.learner.parameters["diagonal"]:
        raise PremiseError(
            "no bound for every order of a stream is known for AROW in diagonal form; "
            "AROW(diagonal=False) has AROW-ORDER, and for this run there are "
            "AROW-STEPS and AROW-DIAG, with {scope}",
            given=(Given("scope", "run"),),
            owner="certify",
        )
    return arow(
        _kept(record),
        record.learner.parameters,
        record.mistakes,
        len(_unmended(record)),
        _wrong(record),
        **how,
    )


def _of_classes(search: Callable[..., list[Candidate]]) -> _Search:
    """Adapt a search that needs the class of mistakes that changed nothing."""

    def found(record: Record, stream: Any) -> list[Candidate]:
        rounds = _unmended(record)
        if rounds and stream is None:
            raise needs_stream(
                record, f"for the class of {len(rounds)} mistakes that changed nothing"
            )
        return search(
            record.examples, record.learner.parameters, _named(rounds, stream)
        )

    return found


def _named(rounds: list[int], stream: Any) -> list[tuple[int, Any]]:
    """Return rounds with their labels; the stream is read again for a second pass."""
    found: list[tuple[int, Any]] = []
    first = 0
    while len(found) < len(rounds):
        last = first
        for at, (_, label) in enumerate(stream, first):
            last = at + 1
            if len(found) < len(rounds) and at == rounds[len(found)]:
                found.append((at, label))
        if last == first:
            break
        first = last
    return found


def _of_updates(search: Callable[..., list[Candidate]]) -> _Search:
    return _without_vector(
        lambda record, _: search(record.examples, record.learner.parameters)
    )


def _coverage(record: Record, stream: Any) -> list[Candidate]:
    """Return the bound `ACI`, which needs no witness: the misses are counted."""
    given = record.learner.parameters
    if given["forecaster"] is not None:
        raise PremiseError(
            "intervals are certified on what the forecaster said: use "
            "certify(learner, stream), and verify with learner.forecasts(stream)",
            owner="certify",
        )
    if stream is None:
        raise needs_stream(record, "in which the misses are counted")
    twin = TWINS["Adaptive"](**given)
    for _ in range(record.passes):
        for x, y in stream:
            twin.play(x if isinstance(x, Mapping) else {FORECAST: float(x)}, float(y))
    missed = excess(given["level"], twin.misses, twin.updates)
    numbers = {name: given[name] for name in ("level", "rate")}
    none = {"kind": "none"}
    return [Candidate.of(theorems.ACI, lambda: none, numbers, counted=missed)]


SEARCHES: dict[str, _Search] = {
    "Adaptive": _without_vector(_coverage),
    "Perceptron": _by_vector(perceptron),
    "AveragedPerceptron": _by_vector(perceptron),
    "VotedPerceptron": _by_vector(perceptron),
    "KernelPerceptron": _of_updates(kernel_perceptron),
    "PassiveAggressive": _aggressive,
    "SecondOrderPerceptron": _of_updates(second_order_perceptron),
    "AROW": _without_vector(_arow),
    "Winnow": _by_vector(winnow),
    "BalancedWinnow": _by_vector(balanced_winnow),
    "GradientDescent": _by_vector(gradient_descent),
    "AdaGrad": _by_vector(ada_grad),
    "CoinBetting": _by_vector(coin_betting),
    "FTRL": _by_vector(ftrl),
    "ExponentiatedGradient": _by_vector(exponentiated_gradient),
    "AIOLI": _by_vector(aioli),
    "VovkAzouryWarmuth": _by_vector(vovk_azoury_warmuth),
    "MulticlassPerceptron": _without_vector(_of_classes(multiclass_perceptron)),
    "MulticlassPassiveAggressive": _without_vector(
        _of_classes(multiclass_passive_aggressive)
    ),
    "MulticlassAdaGrad": _of_updates(multiclass_ada_grad),
    "MulticlassAROW": _without_vector(_of_classes(multiclass_arow)),
    "MulticlassSecondOrder": _without_vector(_of_classes(multiclass_second_order)),
}
