"""Certify a committee: its rule, on what its members say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from littlestone.adversaries import Adversary
from littlestone.certifying._parameters import stated_players
from littlestone.errors import CertificateError, ParameterError, PremiseError
from littlestone.experts import Committee
from littlestone.learner import Learner
from littlestone.running import run
from littlestone.verifying._committee import Members
from littlestone.verifying.proofs import Unsound

if TYPE_CHECKING:
    from collections.abc import Callable

    from littlestone.verifying import Certificate

__all__ = ["committee_certificate"]


def committee_certificate(
    committee: Committee,
    stream: Any,
    passes: int,
    certify: Callable[..., Certificate],
    **wanted: Any,
) -> Certificate:
    """Certify a run of a committee.

    The rule is certified on what the members say. Where all of them are newborn
    learners that have twins, the certificate names them, and has the digest of the
    stream as it is, so that the judge plays them again.
    """
    if isinstance(stream, Adversary):
        raise ParameterError(
            f"a committee must play a stream to be certified, got {stream!r}",
            owner="certify",
        )
    rounds = list(committee.advice(_repeated(stream, passes)))
    for t, (said, _) in enumerate(rounds):
        if not said:
            raise PremiseError(
                "some member must be awake in every round, got none",
                owner="certify",
                where=f"round {t}",
            )
    found = certify(committee.rule_.clone(), rounds, **wanted)
    members = _newborn(committee)
    if members is None:
        return found
    newborn = Committee(members, committee.rule, clip=committee.clip)
    try:
        stated = {"members": stated_players(members), "clip": float(committee.clip)}
        parameters = {**found.learner["parameters"], "committee": stated}
        Members(stated, found.learner["name"], found.learner["parameters"])
        replace(found, learner={**found.learner, "parameters": parameters}).to_json()
    except (Unsound, CertificateError, PremiseError):  # no twin plays one of them
        return found
    again = newborn.advice(_repeated(stream, passes))
    if any(one != other for one, other in zip(again, rounds, strict=True)):
        return found  # some had learned before
    played = run(newborn, stream, passes=passes, keep="nothing", digest=True)
    return replace(
        found,
        learner={**found.learner, "parameters": parameters},
        passes=passes,
        digest=played.digest or "",
    )


def _repeated(stream: Any, passes: int) -> Any:
    return chain.from_iterable(repeat(stream, passes))


def _newborn(committee: Committee) -> dict[Any, Learner] | None:
    """Return the members as they were born; None if some are of another library."""
    named = committee.learners
    if not isinstance(named, Mapping):
        named = dict(enumerate(named))
    if not all(isinstance(member, Learner) for member in named.values()):
        return None
    return {name: member.clone() for name, member in named.items()}
