"""The proof about a fitted rule: one of a class, and how many examples it gets wrong.

That the examples were drawn independently, and the class chosen before, are premises
that no examples show.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.concepts import (
    KCNF,
    KDNF,
    Conjunction,
    DecisionList,
    Disjunction,
)
from littlestone.theorems.sizes import ln_lists_of, ln_rules_of, terms
from littlestone.verifying._spending import spend
from littlestone.verifying.proofs._proof import Proof, Unsound, at_least_one

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PROOFS"]

_MOST_LITERALS = 32  # as for learners of rules
_MOST_EXAMPLES = 2**32  # a batch has no more, and the tail of more takes seconds
_BITS = 1024  # of a number that is handled in one step


def _is_rule(value: Any) -> bool:
    return type(value) in (Conjunction, Disjunction, KCNF, KDNF, DecisionList)


def _parts(concept: Any) -> list[tuple[Any, ...]]:
    """Return the literals of each clause, term or test of a rule."""
    if isinstance(concept, DecisionList):
        return [term.literals for term, _ in concept.rules]
    if isinstance(concept, (KCNF, KDNF)):
        parts = concept.clauses if isinstance(concept, KCNF) else concept.terms
        return [part.literals for part in parts]
    if concept in (Conjunction.never(), Disjunction.always()):
        return [()]  # which one clause, or term, without literals makes
    return [(literal,) for literal in concept.literals]


class FittedProof(Proof):
    """`PAC-OCCAM`, with the rules that are as long as the one that was found."""

    learners = ("Fit",)
    names = ("mistakes", "examples", "delta", "log_size")
    schemas: ClassVar[Any] = (
        {"concept": _is_rule, "k": at_least_one, "features": at_least_one},
    )

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        super().__init__(parameters, witness, numbers)
        if numbers["examples"] >= _MOST_EXAMPLES:
            raise Unsound(f"examples must be fewer than {_MOST_EXAMPLES:,}")
        concept, k, features = (parameters[n] for n in ("concept", "k", "features"))
        parts = _parts(concept)
        longest = max(map(len, parts), default=0)
        if not longest <= k <= _MOST_LITERALS:
            raise Unsound(
                f"learner: k must be from {longest}, as many literals as the rule has "
                f"together, to {_MOST_LITERALS}, got {k}"
            )
        # Only sets of literals of different features are counted.
        if any(len({each.feature for each in part}) < len(part) for part in parts):
            raise Unsound("learner: no part of the rule must contradict itself")
        self.met = set(concept.features)
        self._count_features()
        spend((len(parts) * terms(features, k).bit_length() // _BITS) ** 2)
        counts = ln_lists_of if isinstance(concept, DecisionList) else ln_rules_of
        size = Fraction(counts(features, k, len(parts)))
        self.at_least("log_size", size, "that of the rules as long")

    def counted(self, counts: Mapping[str, Fraction], what: str) -> Fraction:  # noqa: ARG002 - there is one
        """Return the share of the examples that the rule gets wrong."""
        self.equal("mistakes", counts["mistakes"], "those of the rule")
        self.equal("examples", counts["rounds"], "the rounds")
        return counts["mistakes"] / counts["rounds"]

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - the twin is the rule
        """Check that features are true or false, and note them."""
        for feature, value in x.items():
            if value != 1:
                raise Unsound(f"feature {feature!r:.80} must be 0 or 1, got {value!r}")
        self.met.update(x)

    def close(self, counts: Mapping[str, Fraction]) -> None:  # noqa: ARG002 - they were compared
        """Check that all features are those of the class."""
        self._count_features()

    def _count_features(self) -> None:
        if len(self.met) > self.parameters["features"]:
            raise Unsound(
                f"learner: features must be at least {len(self.met)}, as many as the "
                f"rule and the examples have, got {self.parameters['features']}"
            )


PROOFS: dict[str, type[Proof]] = {"PAC-OCCAM": FittedProof}
