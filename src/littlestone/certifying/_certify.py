"""Certify: a record, its theorems, and the smallest bound that is found."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone import boolean, experts, linear, theorems
from littlestone.certifying import _forecasts, _linear, _rules, _votes
from littlestone.errors import ParameterError, PremiseError
from littlestone.running import Record, run
from littlestone.verifying import PROOFS, Certificate, Unsound, as_text
from littlestone.verifying.twins import reads_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from littlestone.certifying._examples import Candidate

__all__ = ["LEARNERS", "certify"]


def certify(
    record: Record,
    witness: Any = None,
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
        Of a run of a learner from its birth on, with `keep="updates"`.
    witness
        A vector of your own in place of those that a search finds: the weight of each
        feature, that of the constant feature under None. Winnow takes one without
        signs. A learner that is advised takes the name of an expert, `FixedShare` also
        pairs of a round and the expert that is followed from then on, and a learner of
        rules a concept of its class, or the text of one.
    stream
        The stream, to be read again where the record does not hold enough: where it was
        made without `keep="updates"`, for learners of many classes and those that weigh
        forecasters, and for learners of rules, whose witness must fit every round.
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
            f"the record must be that of one of {', '.join(_SEARCHES)}, got "
            f"{record.learner.name}",
            owner="certify",
        )
    if not record.fresh:
        raise ParameterError(
            "the record must tell of a learner's whole life, as theorems do, got a "
            "learner that had learned before",
            owner="certify",
        )
    advised = reads_of(record.learner.name) == "advice"
    if record.digest is None or (record.examples is None and not advised):
        record = _played_again(record, stream)
    wanted = None if theorem is None else theorems.get(theorem)
    candidates = search(record, witness, stream)
    found = [
        candidate
        for candidate in candidates
        if wanted in (None, candidate.theorem)
        and (record.learner.name, candidate.theorem.id) in PROOFS
    ]
    if not found:
        reasons = getattr(candidates, "reasons", {})
        why = reasons.get(theorem, "got none")
        raise PremiseError(
            f"{'some theorem' if wanted is None else wanted.id} must have a witness "
            f"on the updates of {record.learner}: {why}",
            owner="certify",
        )
    best, *rest = found
    return Certificate(
        learner={
            "name": record.learner.name,
            "parameters": dict(record.learner.parameters),
        },
        passes=record.passes,
        rounds=record.rounds,
        mistakes=record.mistakes,
        updates=record.updates,
        loss=None if record.loss is None else as_text(record.loss),
        expected_mistakes=None
        if record.expected_mistakes is None
        else as_text(record.expected_mistakes),
        digest=record.digest or "",
        theorem=best.theorem.id,
        counts=best.theorem.counts,
        counted=as_text(_counted(record, best)),
        witness=best.witness,
        numbers=_texts(best),
        bound=as_text(best.bound),
        others={
            other.theorem.id: {"bound": as_text(other.bound), "reason": None}
            for other in rest
        },
    )


def _texts(candidate: Candidate) -> dict[str, str]:
    """Return the numbers of a theorem, as a certificate holds them."""
    return {name: as_text(number) for name, number in candidate.numbers.items()}


def _counted(record: Record, candidate: Candidate) -> Fraction:
    """Return what the judge will count for a theorem, who reads the witness whole."""
    proof = PROOFS[record.learner.name, candidate.theorem.id]
    counts = {
        name.replace("_", " "): Fraction(number)
        for name in ("rounds", "mistakes", "updates", "loss", "expected_mistakes")
        if (number := getattr(record, name)) is not None
    }
    numbers = {name: Fraction(number) for name, number in candidate.numbers.items()}
    try:
        made = proof(record.learner.parameters, candidate.witness, numbers)
        counted = made.counted(counts, candidate.theorem.counts)
    except Unsound as unsound:
        raise PremiseError(
            f"{candidate.theorem.id}: {unsound}", owner="certify"
        ) from None
    # What depends on the witness, as regret does, was counted by the search.
    return Fraction(candidate.counted or 0) if counted is None else counted


def _played_again(record: Record, stream: Iterable[Any] | None) -> Record:
    """Return the record of the same run, with the examples of its updates."""
    if stream is None:
        raise ParameterError(
            "the record must hold the examples of its updates and the digest, from "
            "run(..., keep='updates'), or the stream must be given, got neither",
            owner="certify",
        )
    room = next(
        room
        for room in (linear, experts, boolean)
        if hasattr(room, record.learner.name)
    )
    learner = getattr(room, record.learner.name)(**record.learner.parameters)
    again = run(learner, stream, passes=record.passes, keep="updates")
    for name in ("rounds", "mistakes", "updates"):
        if getattr(again, name) != getattr(record, name):
            raise ParameterError(
                "the stream must be the one of the record, with "
                f"{getattr(record, name)} {name}, got {getattr(again, name)}",
                owner="certify",
            )
    return again


_SEARCHES = _linear.SEARCHES | _votes.SEARCHES | _forecasts.SEARCHES | _rules.SEARCHES

LEARNERS = frozenset(_SEARCHES)
"""The names of the learners whose runs can be certified."""
