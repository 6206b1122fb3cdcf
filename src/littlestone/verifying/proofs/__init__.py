"""Proofs that the judge replays on a run: one for each learner and theorem.

Each module has `PROOFS`, from the ids of theorems to proofs, which list their learners.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from littlestone.verifying.proofs import (
    adaptive,
    auto,
    balanced,
    coverage,
    fitted,
    gradients,
    kernel,
    labels,
    late,
    majorities,
    mixing,
    multiclass,
    multiclass_auto,
    one_versus_rest,
    passive_aggressive,
    perceptron,
    restarting,
    rules,
    second_order,
    sequences,
    softmax,
    votes,
    weights,
    winnow,
)
from littlestone.verifying.proofs._proof import Proof, Unsound
from littlestone.verifying.twins import outcome_of, reads_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from littlestone.outcome import Outcome

__all__ = [
    "PROOFS",
    "STREAM_PROOFS",
    "Proof",
    "Unsound",
    "check_inside",
    "check_members",
]

_MODULES: tuple[Any, ...] = (
    perceptron,
    kernel,
    passive_aggressive,
    multiclass,
    winnow,
    balanced,
    second_order,
    one_versus_rest,
    gradients,
    softmax,
    coverage,
    restarting,
    rules,
    fitted,
    votes,
    majorities,
    auto,
    multiclass_auto,
    labels,
    weights,
    sequences,
    adaptive,
    mixing,
    late,
)

# By the name of the learner and the id of the theorem.
PROOFS: dict[tuple[str, str], type[Proof]] = {
    (learner, theorem): proof
    for module in _MODULES
    for theorem, proof in module.PROOFS.items()
    for learner in proof.learners
}

# The same on all rounds, for the theorems whose bounds then hold in every order.
STREAM_PROOFS: dict[tuple[str, str], type[Proof]] = {
    key: type(f"{proof.__name__}OfStream", (proof,), {"every": True})
    for key, proof in PROOFS.items()
    if proof.orderless
}

# The checks of parameters, by the name of the learner; all its proofs have them.
_SCHEMAS = {learner: proof.schemas for (learner, _), proof in PROOFS.items()}


def check_inside(owner: str, parameters: Mapping[str, Any]) -> None:
    """Refuse learners inside a learner that cannot be made, or not for it.

    Whatever these are, theorems about votes hold; but there would be no such learner.

    Examples
    --------
    >>> from littlestone.verifying.proofs import check_inside
    >>> check_inside("Restarting", {"learner": ("AROW", {"r": 1.0, "diagonal": 2, "bias": 0.0})})
    Traceback (most recent call last):
    littlestone.verifying.proofs._proof.Unsound: learner: AROW must have parameters that it takes
    """  # noqa: E501 - a message is one line
    inside = [*parameters.get("members", {}).values()]
    if owner == "Restarting":
        inside.append(parameters["learner"])
    for name, stated in inside:
        given = _checked(name, stated)
        alike = outcome_of(name, given) is outcome_of(owner, parameters)
        known = parameters.get("classes", given.get("classes"))
        if not alike or given.get("classes") != known:
            raise Unsound(f"learner: {name} must predict what {owner} does")
        check_inside(name, given)


def check_members(members: Any, outcomes: Collection[Outcome]) -> None:
    """Refuse members of a committee that cannot be made, or not for its rule.

    Whatever these are, theorems about the rule hold; but there would be no committee.

    Examples
    --------
    >>> from littlestone.outcome import Outcome
    >>> from littlestone.verifying.proofs import check_members
    >>> check_members({"h": ("Halving", {})}, [Outcome.LABEL])
    Traceback (most recent call last):
    littlestone.verifying.proofs._proof.Unsound: committee must have learners of features that predict what its rule takes, got Halving
    """  # noqa: E501 - a message is one line
    if not isinstance(members, Mapping) or not members:
        raise Unsound("committee must have members")
    for name, stated in members.values():
        given = {each: value for each, value in stated.items() if each != "map"}
        if reads_of(name) != "features" or outcome_of(name, given) not in outcomes:
            raise Unsound(
                "committee must have learners of features that predict what its rule "
                f"takes, got {name:.80}"
            )
        check_inside(name, _checked(name, stated))


def _checked(name: str, stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a learner inside another, without the map before it."""
    given = {each: value for each, value in stated.items() if each != "map"}
    fits = (
        set(schema) == set(given)
        and all(fine(given[each]) for each, fine in schema.items())
        for schema in _SCHEMAS.get(name, ())
    )
    if not any(fits):
        raise Unsound(f"learner: {name} must have parameters that it takes")
    return given
