"""The judge: accepts a certificate, or says what is wrong with it first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any

from littlestone import theorems
from littlestone.errors import WorkError
from littlestone.verifying._ahead import Ahead, alone, refuse_other_rounds
from littlestone.verifying._certificate import Certificate
from littlestone.verifying._digest import FORMAT, Digest, format_of
from littlestone.verifying._faults import FAULTS, faults, is_wrong
from littlestone.verifying._late import lately
from littlestone.verifying._mixtures import weighted
from littlestone.verifying._numbers import as_number, as_text, short
from littlestone.verifying._reading import play, read_example, read_label, refuse_path
from littlestone.verifying._shards import replay_shards
from littlestone.verifying._spending import spending
from littlestone.verifying._verdict import Verdict
from littlestone.verifying._work import MOST_WORK, Work
from littlestone.verifying.proofs import (
    PROOFS,
    STREAM_PROOFS,
    Unsound,
    check_inside,
)
from littlestone.verifying.twins import TWINS, outcome_of
from littlestone.weighted import Weighted, unweighted

if TYPE_CHECKING:
    from os import PathLike

    from littlestone.theorems import Theorem
    from littlestone.verifying.proofs import Proof
    from littlestone.verifying.twins import Reads

__all__ = ["Verdict", "verify"]


def verify(
    certificate: Certificate | str | PathLike[str],
    stream: Iterable[tuple[Any, Any]] | None = None,
    *,
    most_work: int = MOST_WORK,
) -> Verdict:
    """Judge a certificate, with nothing but the certificate and the stream.

    Without the stream, the arithmetic is checked: the theorem is one of the learner's,
    its numbers agree with the parameters and the witness, the bound follows from them,
    and what was counted is within the bound. With the stream, a plain twin of the
    learner plays the run again, everything is counted again, and the proof is replayed
    in exact rationals.

    Parameters
    ----------
    certificate
        A certificate, or the path of one. Any other file is a `CertificateError`.
    stream
        Any iterable of `(x, y)`, the examples as they were played: mappings, rows, or
        pairs of columns and values; read once for each pass. `Late` if labels were.
    most_work
        How many steps of some microseconds the certificate may take beyond a hundred
        for each of its numbers and of those of the stream. More is a `WorkError`: only
        one made to keep the judge busy, or with very many passes, takes as much.

    Examples
    --------
    >>> from littlestone import Certificate, verify
    >>> from littlestone.verifying import Digest
    >>> stream = [({"a": 1.0}, True), ({"b": 1.0}, False)]
    >>> digest = Digest()
    >>> for x, y in stream:
    ...     digest.add(x, y)
    >>> certificate = Certificate(
    ...     learner={
    ...         "name": "Perceptron",
    ...         "parameters": {"update": "mistake", "normalize": False, "bias": 0.0},
    ...     },
    ...     passes=1,
    ...     rounds=2,
    ...     mistakes=1,
    ...     updates=1,
    ...     digest=str(digest),
    ...     theorem="PERC-SEP",
    ...     counts="updates",
    ...     counted_exact="1",
    ...     witness={"kind": "vector", "entries": [["b", "-1"]], "bias": None},
    ...     numbers_exact={"radius": "1", "margin": "1", "norm": "1"},
    ...     bound_exact="0x1.0000000000000p+0",
    ... )
    >>> print(verify(certificate, stream))
    Accepted: the theorem, its numbers, the bound, that it holds, the digest of the stream, rounds, mistakes, updates, the proof.
    >>> print(verify(certificate, [({"a": 1.0}, True), ({"b": 2.0}, False)]).wrong)
    digest must be that of the stream
    """  # noqa: E501 - a verdict is one line
    if not isinstance(certificate, Certificate):
        certificate = Certificate.load(certificate)
    refuse_path(stream)
    checked: list[str] = []
    work = Work(most_work)
    work.read(certificate)
    try:
        with spending(work.spend):
            proof = _arithmetic(certificate, checked)
            if stream is not None and certificate.shards is not None:
                replay_shards(certificate, stream, proof, checked, work)
                _close(certificate, proof, checked)
            elif stream is not None:
                _replay(certificate, stream, proof, checked, work)
    except Unsound as found:
        return Verdict(False, tuple(checked), str(found))
    return Verdict(True, tuple(checked))


def _arithmetic(given: Certificate, checked: list[str]) -> Proof:
    """Check what needs no stream, and return the proof to replay on the rounds."""
    name = given.learner["name"]
    proofs = PROOFS if given.scope == "run" else STREAM_PROOFS
    theorem, made = _theorem(given.theorem), proofs.get((name, given.theorem))
    if theorem is None:
        raise Unsound(f"theorem must be a known one, got {given.theorem!r:.80}")
    if made is None:
        raise Unsound(f"{theorem.id} must be a theorem that can be replayed for {name}")
    mixes = theorem.id.startswith("MIX-")
    if mixes != (given.shards is not None):
        raise Unsound(
            f"shards must be given exactly where they are mixed: {theorem.id}"
        )
    if given.counts != theorem.counts:
        raise Unsound(f"counts must be {theorem.counts!r}, got {given.counts!r:.80}")
    checked.append("the theorem")
    numbers = {each: as_number(text) for each, text in given.numbers_exact.items()}
    with faults("the numbers must be the theorem's"):
        proof = made(alone(given), given.witness, numbers)
        check_inside(name, given.learner["parameters"])
        Ahead(given)
        bound = theorem.bound(**numbers)
    checked.append("its numbers")
    refuse_other_rounds(given, proof)
    if not math.isfinite(bound) or as_text(bound) != given.bound_exact:
        raise Unsound(f"bound must be {bound.hex()}, got {given.bound_exact:.80}")
    for other, stated in given.others_exact.items():
        _other(given, theorem, other, stated["bound"])
    checked.append("the bound")
    with faults("the counts must be the theorem's"):
        counted = proof.counted(_counts(given), theorem.counts)
    if counted is not None and counted != as_number(given.counted_exact):
        raise Unsound(f"counted must be {counted}, got {given.counted_exact}")
    if not given.holds:
        raise Unsound(
            f"the certificate does not hold: {given.theorem} allows "
            f"{'at least' if theorem.lower else 'at most'} {bound!r} {theorem.counts}, "
            f"and there were {given.counted_exact}"
        )
    checked.append("that it holds")
    return proof


def _theorem(name: str) -> Theorem | None:
    return next((each for each in theorems.all() if each.id == name), None)


def _other(given: Certificate, chosen: Theorem, name: str, bound: str | None) -> None:
    """Check that another theorem exists, and that its bound is not better."""
    theorem = _theorem(name)
    if theorem is None or theorem is chosen:
        raise Unsound(f"others must be other theorems, got {name!r:.80}")
    better = bound is not None and as_number(bound) < as_number(given.bound_exact)
    lower = theorem.lower or chosen.lower
    if better and theorem.counts == chosen.counts and not lower:
        raise Unsound(f"others: {name} must not be better than the theorem chosen")


def _counts(given: Certificate) -> dict[str, Fraction]:
    counts: dict[str, Fraction] = {"counted": as_number(given.counted_exact)}
    for name in ("rounds", "mistakes", "updates"):
        if getattr(given, name) is not None:
            counts[name] = Fraction(getattr(given, name))
    if given.shards is not None:
        counts |= weighted(given.shards)
    losses = {
        "loss": given.loss_exact,
        "expected mistakes": given.expected_mistakes_exact,
    }
    return counts | {name: as_number(text) for name, text in losses.items() if text}


def _replay(
    given: Certificate,
    stream: Iterable[tuple[Any, Any]],
    proof: Proof,
    checked: list[str],
    work: Work,
) -> None:
    """Replay the run with the twin, and the proof with it."""
    name, parameters = given.learner["name"], alone(given)
    if given.passes > 1 and isinstance(stream, Iterator):
        stream = list(stream)
    with faults("learner: it cannot be created"):
        twin = TWINS[name](**parameters)
        ahead = Ahead(given)
    reads, outcome = ahead.reads, outcome_of(name, parameters)
    twin, stream = lately(proof, twin, stream, reads, outcome)
    digest = Digest(reads, outcome, format_of(given.digest) or FORMAT)
    rounds = mistakes = 0
    doubt: Unsound | None = None  # a wrong digest is reported before a wrong proof
    for x, y in work.passes(stream, given):
        if rounds == given.rounds:
            raise Unsound(f"rounds must be more than {rounds}: the stream is longer")
        before = getattr(twin, "updates", None)
        try:
            label, weight = unweighted(y)
            x, y = read_example(reads, x), read_label(outcome, label)  # noqa: PLW2901 - as it is played
            digest.add(x, y if weight == 1 else Weighted(y, weight))
            _refuse_strangers(reads, twin, x)
            work.begin(x)
            x, y = ahead.play(x, y)  # noqa: PLW2901 - as the learner gets it
            work.round(x, twin, mapped=bool(ahead))
            said = play(twin, x, y, weight)
        except WorkError:
            raise
        except (Unsound, *FAULTS) as error:
            raise Unsound(f"round {rounds}: it cannot be played: {error}") from None
        changed = before is None or twin.updates > before
        rounds += 1
        mistakes += is_wrong(said, getattr(twin, "outcome", y))
        if doubt is None:
            try:
                with faults("the proof must apply"):
                    proof.round(x, y, said, changed, twin)
            except Unsound as found:
                doubt = Unsound(f"round {rounds - 1}: {found}")
    if str(digest) != given.digest:
        raise Unsound("digest must be that of the stream")
    checked.append("the digest of the stream")
    _agree(given, "rounds", rounds, checked)
    # Numbers are rarely predicted exactly: their loss is what counts.
    _agree(given, "mistakes", mistakes, [] if outcome.charged else checked)
    _agree(given, "updates", getattr(twin, "updates", None), checked)
    _optional(given, "loss", getattr(twin, "own", None), checked)
    expected = getattr(twin, "expected", getattr(twin, "expected_mistakes", None))
    _optional(given, "expected_mistakes", expected, checked)
    if doubt is not None:
        raise doubt
    _close(given, proof, checked)


def _refuse_strangers(reads: Reads, twin: Any, advice: Any) -> None:
    """Refuse advice that is none of the experts': often the examples they were given.

    A row has positions for names; nothing is known before experts are met.
    """
    experts = getattr(twin, "names", None) or getattr(twin, "priors", ())
    if reads == "features" or not experts or not advice:
        return
    if any(e in advice for e in experts) or set(advice) <= set(range(len(experts))):
        return
    known, got = (
        ", ".join(short(name) for name in islice(names, 3))
        for names in (experts, advice)
    )
    raise Unsound(
        f"the experts must be those of the certificate, {known}, got {got}; a "
        "committee's are its members, and its rounds committee.advice(stream)"
    )


def _close(given: Certificate, proof: Proof, checked: list[str]) -> None:
    with faults("the proof must apply"):
        proof.close(_counts(given))
    checked.append("the proof")


def _agree(given: Certificate, name: str, true: Any, checked: list[str]) -> None:
    stated = getattr(given, name)
    if stated != true:
        raise Unsound(f"{name} must be {true}, got {stated}")
    if true is not None:
        checked.append(name)


def _optional(given: Certificate, name: str, true: Any, checked: list[str]) -> None:
    """Check a number that only some learners have, if it is stated."""
    stated = getattr(given, f"{name}_exact")
    if stated is None:
        return
    value = true.value() if hasattr(true, "value") else true
    if value is None or as_number(stated) != Fraction(value):
        raise Unsound(f"{name} must be {value}, got {stated}")
    checked.append(name.replace("_", " "))
