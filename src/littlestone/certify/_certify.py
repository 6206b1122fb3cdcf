"""Certify: a record, its theorems, and the smallest bound that is found."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import linear, theorems
from littlestone.certify import _linear
from littlestone.errors import ParameterError, PremiseError
from littlestone.run import Record, run
from littlestone.verify import PROOFS, Certificate, Unsound, as_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from littlestone.certify._examples import Candidate
    from littlestone.kept import Kept

__all__ = ["certify"]


def certify(
    record: Record,
    witness: Mapping[Any, float] | None = None,
    *,
    stream: Iterable[tuple[Any, Any]] | None = None,
    theorem: str | None = None,
) -> Certificate:
    """Hold a run against its theorems, and return the one that promises least.

    A witness is searched for on the rounds that changed the learner. Every one is
    valid, and a better one only tightens the bound. What the other theorems promise is
    told as well.

    If the mistakes exceed the bound, the certificate says loudly that it does not hold:
    a premise is broken, or there is a bug.

    Parameters
    ----------
    record
        Of a run of a linear learner from its birth on, with `keep="updates"`.
    witness
        A vector of your own in place of those that a search finds: the weight of each
        feature, that of the constant feature under None. Winnow takes one without
        signs.
    stream
        The stream, to be read again where the record does not hold enough: where it was
        made without `keep="updates"`, and for learners of many classes.
    theorem
        The id of a theorem to be certified, though another may promise less.

    Examples
    --------
    >>> from littlestone import certify, run, verify
    >>> from littlestone.adversaries import PerceptronAdversary
    >>> from littlestone.linear import Perceptron
    >>> record = run(Perceptron(), PerceptronAdversary(0.5), keep="updates")
    >>> certificate = certify(record, theorem="PERC-SEP")
    >>> certificate.holds, float(certificate.slack) < 1e-6
    (True, True)
    >>> verify(certificate).accepted
    True
    """
    search = _SEARCHES.get(record.learner.name)
    if search is None:
        raise ParameterError(
            "certify: the record must be that of one of "
            f"{', '.join(_SEARCHES)}, got {record.learner.name}"
        )
    if not record.fresh:
        raise ParameterError(
            "certify: the record must tell of a learner's whole life, as theorems do, "
            "got a learner that had learned before"
        )
    if record.kept is None or record.digest is None:
        record = _played_again(record, stream)
    wanted = None if theorem is None else theorems.get(theorem)
    found = [
        (candidate, counted)
        for candidate in search(record, witness, stream)
        if wanted in (None, candidate.theorem)
        for counted in _counted(record, candidate)
    ]
    if not found:
        raise PremiseError(
            f"certify: {'some theorem' if wanted is None else wanted.id} must have a "
            f"witness on the updates of {record.learner}, got none"
        )
    (best, counted), *rest = found
    return Certificate(
        learner={
            "name": record.learner.name,
            "parameters": dict(record.learner.parameters),
        },
        passes=record.passes,
        rounds=record.rounds,
        mistakes=record.mistakes,
        updates=record.updates,
        digest=record.digest or "",
        theorem=best.theorem.id,
        counts=best.theorem.counts,
        counted=as_text(counted),
        witness=best.witness,
        numbers=_texts(best),
        bound=as_text(best.bound),
        others={
            other.theorem.id: {"bound": as_text(other.bound), "reason": None}
            for other, _ in rest
        },
    )


def _texts(candidate: Candidate) -> dict[str, str]:
    """Return the numbers of a theorem, as a certificate holds them."""
    return {name: as_text(number) for name, number in candidate.numbers.items()}


def _counted(record: Record, candidate: Candidate) -> tuple[Fraction, ...]:
    """Return what the judge will count for a theorem; nothing if it is not for them."""
    proof = PROOFS.get((record.learner.name, candidate.theorem.id))
    if proof is None:
        return ()
    counts = {
        name: Fraction(number)
        for name in ("rounds", "mistakes", "updates")
        if (number := getattr(record, name)) is not None
    }
    numbers = {name: Fraction(number) for name, number in candidate.numbers.items()}
    try:
        made = proof(record.learner.parameters, candidate.witness, numbers)
        counted = made.counted(counts, candidate.theorem.counts)
    except Unsound as unsound:
        raise PremiseError(f"certify: {candidate.theorem.id}: {unsound}") from None
    return () if counted is None else (counted,)


def _played_again(record: Record, stream: Iterable[Any] | None) -> Record:
    """Return the record of the same run, with the examples of its updates."""
    if stream is None:
        raise ParameterError(
            "certify: the record must hold the examples of its updates, from "
            "run(..., keep='updates'), or the stream must be given, got neither"
        )
    learner = getattr(linear, record.learner.name)(**record.learner.parameters)
    again = run(learner, stream, passes=record.passes, keep="updates")
    for name in ("rounds", "mistakes", "updates"):
        if getattr(again, name) != getattr(record, name):
            raise ParameterError(
                f"certify: the stream must be the one of the record, with "
                f"{getattr(record, name)} {name}, got {getattr(again, name)}"
            )
    return again


# The searches -------------------------------------------------------------------------

_Search = Any  # takes a record, a witness or None, a stream or None


def _by_vector(search: Callable[..., list[Candidate]]) -> _Search:
    """Make a search of one that needs the updates alone, and takes a witness."""

    def found(record: Record, witness: Any, _: Any) -> list[Candidate]:
        return search(record.kept, record.learner.parameters, witness)

    return found


def _without_vector(search: Callable[..., list[Candidate]]) -> _Search:
    """Make a search of one that takes no witness."""

    def found(record: Record, witness: Any, stream: Any) -> list[Candidate]:
        if witness is not None:
            raise ParameterError(
                f"certify: a witness of one's own is not for {record.learner.name}"
            )
        return search(record, stream)

    return found


def _unmended(record: Record) -> list[int]:
    """Return the rounds with a mistake that changed nothing."""
    mistakes: Any = record.mistake_rounds
    return [int(t) for t in np.setdiff1d(mistakes, _kept(record).rounds)]


def _kept(record: Record) -> Kept:
    """Return the examples of the updates, which every record has by now."""
    return record.kept  # type: ignore[return-value]  # seen to by certify


def _aggressive(record: Record, witness: Any, _: Any) -> list[Candidate]:
    return _linear.passive_aggressive(
        _kept(record), record.learner.parameters, len(_unmended(record)), witness
    )


def _arow(record: Record, _: Any) -> list[Candidate]:
    return _linear.arow(
        _kept(record),
        record.learner.parameters,
        record.mistakes,
        len(_unmended(record)),
    )


def _of_classes(search: Callable[..., list[Candidate]]) -> _Search:
    """Make a search of one that asks for the class of mistakes that changed nothing."""

    def found(record: Record, stream: Any) -> list[Candidate]:
        rounds = _unmended(record)
        if rounds and stream is None:
            raise ParameterError(
                f"certify: {record.learner.name} needs the stream, to be told the "
                f"class of {len(rounds)} mistakes that changed nothing, got none"
            )
        return search(record.kept, record.learner.parameters, _named(rounds, stream))

    return found


def _named(rounds: list[int], stream: Any) -> list[tuple[int, Any]]:
    """Return rounds with their labels; for a second pass the stream is read again."""
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
        lambda record, _: search(record.kept, record.learner.parameters)
    )


_SEARCHES: dict[str, _Search] = {
    "Perceptron": _by_vector(_linear.perceptron),
    "AveragedPerceptron": _by_vector(_linear.perceptron),
    "VotedPerceptron": _by_vector(_linear.perceptron),
    "KernelPerceptron": _of_updates(_linear.kernel_perceptron),
    "PassiveAggressive": _aggressive,
    "SecondOrderPerceptron": _of_updates(_linear.second_order_perceptron),
    "AROW": _without_vector(_arow),
    "Winnow": _by_vector(_linear.winnow),
    "BalancedWinnow": _by_vector(_linear.balanced_winnow),
    "MulticlassPerceptron": _without_vector(_of_classes(_linear.multiclass_perceptron)),
    "MulticlassPassiveAggressive": _without_vector(
        _of_classes(_linear.multiclass_passive_aggressive)
    ),
}
