"""Certify a run: search for a witness, and take the theorem with the smallest bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import chain, repeat
from logging import INFO, WARNING
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from littlestone import auto, boolean, theorems
from littlestone.adversaries import Adversary
from littlestone.boolean import Fit
from littlestone.certifying import _forecasts, _late, _linear, _rules, _votes
from littlestone.certifying._committee import committee_certificate
from littlestone.certifying._fitted import certified_fit
from littlestone.certifying._mapped import mapped_certificate
from littlestone.certifying._parameters import (
    made_again,
    stated,
    stated_learner,
    stated_team,
)
from littlestone.certifying._restarting import restarting
from littlestone.concepts import Concept
from littlestone.conformal import Adaptive
from littlestone.errors import Given, ParameterError, PremiseError
from littlestone.experts import Committee
from littlestone.learner import Learner
from littlestone.logs import LOG
from littlestone.maps import Mapped
from littlestone.running import Record, run
from littlestone.running.inputs import Needs, as_stream
from littlestone.streams import Stream
from littlestone.verifying import (
    PROOFS,
    STREAM_PROOFS,
    Certificate,
    Unsound,
    as_text,
)
from littlestone.verifying import _parts as parts
from littlestone.verifying.twins import reads_of
from littlestone.witnesses._examples import LOST, Vector

if TYPE_CHECKING:
    from littlestone.running.inputs import Data, Meaning
    from littlestone.theorems import Theorem
    from littlestone.witnesses._candidate import Candidate

__all__ = ["LEARNERS", "certify"]

_Examples = Iterable[tuple[Any, Any]]
Scope: TypeAlias = Literal["run", "stream"]


@overload
def certify(
    record: Record,
    /,
    witness: Any = None,
    *,
    stream: Data | None = None,
    label: str | int | None = None,
    positive: Meaning | None = None,
    theorem: str | None = None,
    scope: Scope | None = None,
) -> Certificate: ...


@overload
def certify(
    learner: Learner,
    /,
    stream: Data | Adversary,
    *,
    label: str | int | None = None,
    positive: Meaning | None = None,
    witness: Any = None,
    passes: int = 1,
    theorem: str | None = None,
    scope: Scope | None = None,
) -> Certificate: ...


@overload
def certify(
    fit: Fit,
    /,
    stream: Data,
    *,
    label: str | int | None = None,
    positive: Meaning | None = None,
    delta: float = 0.05,
) -> Certificate: ...


def certify(
    subject: Record | Learner | Fit,
    second: Any = None,
    /,
    *,
    witness: Any = None,
    stream: Any = None,
    label: str | int | None = None,
    positive: Meaning | None = None,
    passes: int | None = None,
    theorem: str | None = None,
    scope: Scope | None = None,
    delta: float | None = None,
) -> Certificate:
    """Certify a run with the theorem that has the smallest bound.

    `certify(learner, stream)` plays the stream with a fresh copy of the learner, then
    certifies the run. The learner itself does not change.

    `certify(record)` certifies a run that was played with `keep="updates"`, and
    `certify(record, stream=stream)` one that was not, by playing it again.

    `conformal.Adaptive` is certified on what its forecaster said,
    `adaptive.forecasts(stream)`; its certificate needs no witness.

    A `Committee` is certified by its rule; the judge plays the members as well. If one
    is of another library, has several classes or experts of its own, or had learned
    before, it cannot: then the certificate is of the rule on what they said,
    `committee.advice(stream)`.

    `Auto` and `MulticlassAuto` are certified by the best of their members, which
    the judge plays as well.

    A `Mapped` learner is certified on the mapped examples, and the judge maps the
    stream itself.

    A `Fit` of `fit_rule` is certified on the examples that it was fitted to. Its
    certificate is about further ones: how likely the rule is to err there, if all are
    drawn independently from one source, and the class of rules was chosen before. These
    two premises nobody can check; the judge counts the exceptions, the features and the
    rules of the class again.

    A witness is searched for among the rounds that changed the learner. Any witness is
    valid; a better one gives a smaller bound. The certificate also reports the bounds
    of the learner's other theorems; on long runs those that cannot be the smallest are
    not searched for, unless you ask for one by `theorem`.

    A bound with losses holds for any witness, and one that loses nearly all of the
    rounds that changed the learner says no more than the mistakes themselves: it is
    called tautological. Then the witness is searched for and measured on all rounds of
    the stream, if there is one, and the bound holds for every order of them.

    A certificate whose bound is exceeded says loudly that it does not hold: a premise
    is broken, or there is a bug.

    Parameters
    ----------
    record
        The record of a run, from a learner's first round on.
    learner
        The learner to play; it may have learned before, as a fresh copy is played.
    stream
        The stream, any iterable of `(x, y)`, a data frame with `label`, or a pair
        `(X, y)`, as for `run`; an iterator is kept in memory. With a record it is
        needed where the record does not hold enough: without `keep="updates"`, for
        learners that weigh forecasters, for rules, whose witness must fit every round,
        and for some runs with many classes.
    label
        The column of a data frame that has the labels.
    positive
        The label that means yes, as in `run`.
    witness
        Your own witness, in place of a search: for linear learners a weight for each
        feature, with that of the constant feature under None (Winnow's has no signs);
        for learners with experts the name of an expert, and for `FixedShare` also pairs
        of a round and the expert to follow from then on; for learners of rules a
        concept of their class, or its text.
    passes
        How often the learner plays the stream.
    theorem
        The id of the theorem to certify, even if another has a smaller bound.
    scope
        `"run"` to measure the witness on the rounds that changed the learner;
        `"stream"` to measure it on all rounds, for a bound that holds in every order,
        a statement about the data. Unless given, `"run"`; but `"stream"` where that
        would be tautological, or nearly, or vacuous, and the bound for every order is
        not, and is smaller if the other says something.
    fit
        A rule and its exceptions, as `fit_rule` finds them.
    delta
        For a `Fit`, the probability that the bound fails; 0.05 unless given.

    Examples
    --------
    >>> from littlestone import certify, run, verify
    >>> from littlestone.linear import Perceptron
    >>> stream = [({"a": 1.0}, False), ({"b": 1.0}, True)] * 3
    >>> certificate = certify(Perceptron(), stream, theorem="PERC-SEP")
    >>> certificate.counted, certificate.bound, certificate.holds
    (1, 1.0, True)
    >>> verify(certificate, stream).accepted
    True
    >>> record = run(Perceptron(), stream, keep="updates")
    >>> certify(record, theorem="PERC-SEP") == certificate
    True
    >>> round(certify(Perceptron(), stream, scope="stream").bound, 9)  # in every order
    2.0
    """
    _refuse_scope(scope)
    if isinstance(subject, Fit):
        given = {
            "witness": witness,
            "passes": passes,
            "theorem": theorem,
            "scope": scope,
        }
        stream = stream if second is None else second
        return certified_fit(subject, stream, given, label, positive, delta=delta)
    _refuse_delta(delta)
    if isinstance(subject, Record):
        witness = witness if second is None else second
        _refuse_mixed_up(witness, passes)
        if stream is not None or label is not None:
            stream = as_stream("certify", stream, label, _needs(subject), positive)
        inside = subject.learner.name in ("Committee", "Mapped")
        if inside and isinstance(stream, Iterator):
            stream = list(stream)  # it is read more than once
        if subject.learner.name == "Committee":
            _of_run_alone(scope, _INSIDE)
            return _advised_again(subject, witness, stream, theorem)
        if subject.learner.name == "Mapped":
            return _mapped_again(subject, witness, stream, theorem, scope)
        return _certified(subject, witness, stream, theorem, scope)
    if not isinstance(subject, Learner):
        raise ParameterError(
            "the first argument must be a record, a learner of littlestone or a Fit, "
            f"got {subject!r}"
            + "; a rule alone does not say from which class it was chosen, as what "
            "fit_rule returns does"
            * isinstance(subject, Concept)
            + "; cluster.certify takes it"
            * (type(subject).__name__ == "ClusterRecord"),
            owner="certify",
        )
    stream = stream if second is None else second
    if stream is None:
        raise ParameterError(
            "a learner needs a stream to play, got none", owner="certify"
        )
    stream = as_stream("certify", stream, label, Needs.of(subject), positive)
    stream = _repeatable(subject, stream)
    if isinstance(subject, (Adaptive, Committee, Mapped)) and _wraps(subject):
        return _inner(subject, witness, stream, passes or 1, theorem, scope)
    _search_of(type(subject).__name__)  # refused before a long run
    keep: Any = "rounds" if scope == "stream" else "updates"
    record = _played(subject.clone(), stream, passes or 1, keep)
    again = None if isinstance(stream, Adversary) else stream
    return _certified(record, witness, again, theorem, scope)


def _repeatable(learner: Learner, stream: Any) -> Any:
    """Return a stream that can be read more than once, of examples with names."""
    if isinstance(stream, Iterator):
        stream = list(stream)
    if (
        isinstance(stream, list)
        and isinstance(learner, Adaptive)
        and learner.forecaster is None
    ):
        return list(learner.forecasts(stream))  # where examples may be numbers
    return stream


def _wraps(learner: Adaptive | Committee | Mapped) -> bool:
    """Return whether a learner is certified by what is inside it."""
    return not isinstance(learner, Adaptive) or learner.forecaster is not None


def _inner(  # noqa: PLR0917 - what `certify` was given
    learner: Adaptive | Committee | Mapped,
    witness: Any,
    stream: Any,
    passes: int,
    theorem: str | None,
    scope: Scope | None,
) -> Certificate:
    """Certify what is inside a learner, on the examples that it gets."""
    if not isinstance(learner, Mapped):
        _of_run_alone(scope, _INSIDE)
    if isinstance(learner, Committee):
        given = {"witness": witness, "theorem": theorem}
        return committee_certificate(learner, stream, passes, certify, **given)
    if isinstance(learner, Mapped):
        return _mapped(learner, witness, stream, passes, theorem=theorem, scope=scope)
    bare = Adaptive(None, learner.level, learner.rate, window=learner.window)
    played = chain.from_iterable(repeat(stream, passes))
    return certify(bare, list(learner.forecasts(played)), theorem=theorem)


def _needs(record: Record) -> Needs:
    """Return what the learner of a record needs a stream to be."""
    name = record.learner.name
    return Needs(
        record.outcome,
        advice=reads_of(name) == "advice",
        literals=name in boolean.__all__,
    )


def _refuse_scope(scope: object) -> None:
    if scope not in (None, "run", "stream"):
        raise ParameterError(
            f"scope must be 'run', 'stream' or None, got {scope!r}", owner="certify"
        )


def _refuse_delta(delta: object) -> None:
    if delta is not None:
        raise ParameterError(f"delta is for a Fit, got {delta!r}", owner="certify")


def _refuse_mixed_up(witness: Any, passes: int | None) -> None:
    """Refuse what belongs to the other way to call."""
    if isinstance(witness, Stream):
        raise ParameterError(
            f"a witness must not be a stream, got {witness!r}: write "
            "certify(record, stream=stream)",
            owner="certify",
        )
    if passes is not None:
        raise ParameterError(
            f"passes must be those of the record, got passes={passes!r}",
            owner="certify",
        )


def _refuse_none(stream: Any, whose: str, lacks: str) -> None:
    if stream is None:
        raise ParameterError(
            f"{whose} needs the stream, as a record does not hold {lacks}, got none: "
            "write certify(record, stream=stream)",
            owner="certify",
        )


def _refuse_learned(record: Record) -> None:
    if not record.fresh:
        raise ParameterError(
            "the record must begin with a learner's first round, as theorems do, got a "
            "learner that had learned before: write certify(learner, stream)",
            owner="certify",
        )


def _search_of(name: str) -> Any:
    if name not in _SEARCHES:
        raise ParameterError(
            f"the learner must be one of {', '.join(_SEARCHES)}, got {name}",
            owner="certify",
        )
    return _SEARCHES[name]


def _advised_again(
    record: Record, witness: Any, stream: Any, theorem: str | None
) -> Certificate:
    """Certify the run of a committee by playing it again."""
    _refuse_none(stream, "a committee", "what its members said")
    _refuse_learned(record)
    committee = Committee(**record.learner.parameters)
    wanted = {"witness": witness, "theorem": theorem}
    made = committee_certificate(committee, stream, record.passes, certify, **wanted)
    # The rule may give two probabilities where the committee says one of them.
    counted = "loss" if record.outcome.charged else "mistakes"
    _refuse_other_stream(record, made, ("rounds", counted, "updates"))
    return made


def _mapped(
    learner: Mapped,
    witness: Any,
    stream: Any,
    passes: int,
    *,
    theorem: str | None,
    scope: Scope | None,
) -> Certificate:
    """Certify a learner behind a map."""
    if any(step.learns for step in learner.map.steps):
        scope = _of_run_alone(
            scope, "a map that learns maps the examples otherwise in another order"
        )
    if isinstance(stream, Adversary):
        raise ParameterError(
            f"a mapped learner must play a stream to be certified, got {stream!r}",
            owner="certify",
        )
    return mapped_certificate(
        learner,
        stream,
        passes,
        certify,
        witness=witness,
        theorem=theorem,
        scope=scope,
    )


_INSIDE = "what is inside a learner learns otherwise in another order"


def _of_run_alone(scope: Scope | None, why: str) -> Scope:
    """Refuse bounds for every order where another order would have other rounds."""
    if scope == "stream":
        raise PremiseError(
            f"{why}, so no bound for every order is known; the bounds for a run are "
            "certified with {scope}",
            given=(Given("scope", "run"),),
            owner="certify",
        )
    return "run"


def _mapped_again(
    record: Record,
    witness: Any,
    stream: Any,
    theorem: str | None,
    scope: Scope | None,
) -> Certificate:
    """Certify the run of a mapped learner by playing it again."""
    _refuse_none(stream, "a mapped learner", "what the map made of it")
    _refuse_learned(record)
    learner = Mapped(**record.learner.parameters)
    wanted: dict[str, Any] = {"theorem": theorem, "scope": scope}
    made = _mapped(learner, witness, stream, record.passes, **wanted)
    _refuse_other_stream(record, made)
    return made


def _certified(
    record: Record,
    witness: Any,
    stream: _Examples | None,
    theorem: str | None,
    scope: Scope | None,
) -> Certificate:
    _search_of(record.learner.name)
    if record.square is not None:
        scope = _of_run_alone(scope, "labels come late at other times in another order")
    _refuse_learned(record)
    record = _stated(record)
    advised = reads_of(record.learner.name) == "advice"
    needs_examples = not advised and record.learner.name not in auto.TEAMS
    if record.digest is None or (record.examples is None and needs_examples):
        keep: Any = "rounds" if scope == "stream" else "updates"
        record = _played_again(record, stream, keep)
    if advised:
        record = _votes.with_experts(record, stream)
    wanted = None if theorem is None else theorems.get(theorem)
    if scope == "stream":
        certificate = _of_stream(record, witness, stream, wanted)
    else:
        certificate = _of_run(record, witness, stream, wanted)
        hardly = (certificate.loss_share or 0.0) >= LOST
        if scope is None and (certificate.emptiness or hardly):
            certificate = _better(certificate, record, witness, stream, wanted)
    level = INFO if certificate.holds else WARNING
    LOG.log(level, "%s", certificate)
    return certificate


def _of_run(
    record: Record, witness: Any, stream: _Examples | None, wanted: Theorem | None
) -> Certificate:
    """Certify with a witness that is measured on the updates."""
    if record.examples is not None:
        record = replace(record, examples=record.examples.updates())
    return _made(record, witness, stream, wanted, "run")


def _of_stream(
    record: Record, witness: Any, stream: _Examples | None, wanted: Theorem | None
) -> Certificate:
    """Certify with a witness that is measured on all rounds."""
    name = record.learner.name
    known = sorted(theorem for learner, theorem in STREAM_PROOFS if learner == name)
    if not known or not (wanted is None or wanted.id in known):
        what = f"{wanted.id} of {name}" if known and wanted else name
        raise PremiseError(
            f"{what} has no bound for every order of a stream that is known; its "
            f"bounds for a run are certified with {{scope}}"
            + (f"; for every order there are {', '.join(known)}" if known else ""),
            given=(Given("scope", "run"),),
            owner="certify",
        )
    if record.examples is None or record.examples.changed is None:
        record = _played_again(record, stream, "rounds")
    return _made(record, witness, stream, wanted, "stream")


def _better(
    certificate: Certificate,
    record: Record,
    witness: Any,
    stream: _Examples | None,
    wanted: Theorem | None,
) -> Certificate:
    """Return the certificate for every order, if that one says something, or more."""
    whole = record.examples is not None and record.examples.changed is not None
    if stream is None and not whole:
        return certificate
    try:
        other = _of_stream(record, witness, stream, wanted)
    except PremiseError:
        return certificate
    more = certificate.emptiness or other.bound <= certificate.bound
    return other if more and not other.emptiness else certificate


def _made(
    record: Record,
    witness: Any,
    stream: _Examples | None,
    wanted: Theorem | None,
    scope: Scope,
) -> Certificate:
    proofs = PROOFS if scope == "run" else STREAM_PROOFS
    search = _search_of(record.learner.name)
    if record.square is not None:
        search = _late.served
    hasty = wanted is None and record.learner.name in _linear.HASTY
    how = {"thorough": False} if hasty and record.square is None else {}
    candidates = search(record, witness, stream, **how)
    found = [
        candidate
        for candidate in candidates
        if wanted in (None, candidate.theorem)
        and (record.learner.name, candidate.theorem.id) in proofs
    ]
    if not found:
        reasons = getattr(candidates, "reasons", {})
        why = reasons.get(None if wanted is None else wanted.id, "got none")
        on = "the updates" if scope == "run" else "all rounds"
        raise PremiseError(
            f"{'some theorem' if wanted is None else wanted.id} must have a witness "
            f"on {on} of {record.learner}: {why}",
            owner="certify",
        )

    def is_tautological(candidate: Candidate) -> bool:
        numbers, updates = candidate.numbers, record.updates
        return scope == "run" and candidate.theorem.is_tautological(numbers, updates)

    def says_nothing(candidate: Candidate) -> bool:
        theorem = candidate.theorem
        vacuous = theorem.counts in ("mistakes", "updates") and (
            theorem.lower or theorem.is_vacuous(candidate.bound, record.rounds)
        )
        return vacuous or is_tautological(candidate)

    # One that says something goes first, even if its bound is larger.
    by_theorem: dict[str, Candidate] = {}
    for candidate in sorted(found, key=says_nothing):
        by_theorem.setdefault(candidate.theorem.id, candidate)
    best, *rest = by_theorem.values()
    said = best.witness
    if isinstance(best.write, Vector):
        said["entries"] = parts.entries(
            "witness: entries", said["entries"], best.write.doubles
        )
    said = parts.witness(said)
    return Certificate(
        learner={
            "name": record.learner.name,
            "parameters": dict(record.learner.parameters),
        },
        passes=record.passes,
        rounds=record.rounds,
        mistakes=record.mistakes,
        updates=record.updates,
        loss_exact=None if record.loss is None else as_text(record.loss),
        expected_mistakes_exact=None
        if record.expected_mistakes is None
        else as_text(record.expected_mistakes),
        digest=record.digest or "",
        theorem=best.theorem.id,
        counts=best.theorem.counts,
        counted_exact=as_text(_counted(record, best, said, proofs)),
        witness=said,
        numbers_exact=_texts(best),
        bound_exact=as_text(best.bound),
        others_exact={
            other.theorem.id: {
                "bound": None,
                "reason": f"{other.bound:,.6g}, tautological",
            }
            if is_tautological(other) and other.bound < best.bound
            else {"bound": as_text(other.bound), "reason": None}
            for other in rest
        },
        scope=scope,
    )


def _stated(record: Record) -> Record:
    """Return the record with the learner's parameters as a certificate states them."""
    given = record.learner.parameters
    if record.learner.name in auto.TEAMS:
        given = stated_team(given, record.expert_losses)
    if record.learner.name == "Restarting":
        given = {**given, "learner": stated_learner(given["learner"])}
    parameters = stated(given)
    return replace(record, learner=replace(record.learner, parameters=parameters))


def _texts(candidate: Candidate) -> dict[str, str]:
    """Return the numbers of a theorem, as a certificate holds them."""
    return {name: as_text(number) for name, number in candidate.numbers.items()}


def _counted(
    record: Record, candidate: Candidate, witness: dict[str, Any], proofs: Any
) -> Fraction:
    """Return what the judge will count for a theorem and its witness."""
    proof = proofs[record.learner.name, candidate.theorem.id]
    counts = {
        name.replace("_", " "): Fraction(number)
        for name in ("rounds", "mistakes", "updates", "loss", "expected_mistakes")
        if (number := getattr(record, name)) is not None
    }
    numbers = {name: Fraction(number) for name, number in candidate.numbers.items()}
    try:
        made = proof(record.learner.parameters, witness, numbers)
        counted = made.counted(counts, candidate.theorem.counts)
    except Unsound as unsound:
        raise PremiseError(
            f"{candidate.theorem.id}: {unsound}", owner="certify"
        ) from None
    # What depends on the witness, as regret does, was counted by the search.
    return Fraction(candidate.counted or 0) if counted is None else counted


def _played_again(record: Record, stream: Iterable[Any] | None, keep: Any) -> Record:
    """Return the record of the same run, with the examples of its updates or rounds."""
    if stream is None:
        raise ParameterError(
            f"the record must hold the examples of its {keep}, got none: write "
            f"certify(learner, stream), or run(..., keep={keep!r})",
            owner="certify",
        )
    again = _played(made_again(record), stream, record.passes, keep)
    _refuse_other_stream(record, again)
    return _stated(again)


def _played(learner: Any, stream: Any, passes: int, keep: Any) -> Record:
    """Play a stream, and keep what a search for witnesses needs."""
    if type(learner).__name__ in auto.TEAMS:  # the mistakes of its members
        return run(learner, stream, passes=passes, digest=True)
    return run(learner, stream, passes=passes, keep=keep)


def _refuse_other_stream(
    record: Record,
    again: Record | Certificate,
    names: Iterable[str] = ("rounds", "mistakes", "updates"),
) -> None:
    """Refuse a stream on which the run counts something else."""
    for name in names:
        if getattr(again, name) != getattr(record, name):
            raise ParameterError(
                "the stream must be that of the record, with "
                f"{getattr(record, name)} {name}, got {getattr(again, name)}",
                owner="certify",
            )


_SEARCHES = {
    **_linear.SEARCHES,
    **_votes.SEARCHES,
    **_forecasts.SEARCHES,
    **_rules.SEARCHES,
    "Restarting": restarting,
}

LEARNERS = frozenset(_SEARCHES)
"""The names of the learners whose runs can be certified."""
