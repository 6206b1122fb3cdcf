"""Why a learner says what it says of an example: the parts that decided, for people."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

from littlestone.concepts import KCNF, KDNF, Conjunction, DecisionList, Disjunction
from littlestone.errors import ParameterError
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["reasons"]


def reasons(learner: Any, x: Mapping[Any, float], most: int = 5) -> list[str]:
    """Return what decided the prediction of one example, the weightiest first.

    Parameters
    ----------
    learner
        A learner of rules, one that weighs terms, or a linear one.
    x
        The example.
    most
        How many reasons to give.

    Examples
    --------
    >>> from littlestone.boolean import DecisionListLearner
    >>> from littlestone.cli._reasons import reasons
    >>> learner = DecisionListLearner(features=["a", "b"])
    >>> learner.learn_one({"a": 1}, False)
    >>> reasons(learner, {"b": 1})
    ['no rule before it fires: else no']
    >>> from littlestone.linear import Perceptron
    >>> learner = Perceptron()
    >>> learner.learn_one({"a": 1, "b": 2}, False)
    >>> reasons(learner, {"a": 3, "b": 1})
    ['a: -1 times 3 is -3', 'b: -2 times 1 is -2']
    >>> learner = Perceptron(bias=1)
    >>> learner.learn_one({"a": 1}, False)
    >>> reasons(learner, {"a": 3})
    ['a: -1 times 3 is -3', 'the constant feature: -1']
    """
    if hasattr(learner, "concept_"):
        return list(_of_rule(learner.concept_, x))[:most]
    if hasattr(learner, "terms_"):
        weights = learner.why(x)
        return [f"{term}: {weight:.4g}" for term, weight in weights.items()][:most]
    if hasattr(learner, "score_one") and learner.outcome is Outcome.LABEL:
        weights = getattr(learner, "weights_", None)
        if weights is not None:
            return list(_of_weights(weights, learner, x, most))
    raise ParameterError(
        "why takes a learner of rules, or a linear one of two labels, got "
        f"{type(learner).__name__}"
    )


def _of_rule(concept: Any, x: Mapping[Any, float]) -> Iterator[str]:
    """Yield the parts of a rule that decide."""
    if isinstance(concept, DecisionList):
        for number, (term, label) in enumerate(concept.rules, 1):
            if term(x):
                yield f"rule {number} fires: if {term} then {_said(label)}"
                return
        yield f"no rule before it fires: else {_said(concept.default)}"
        return
    if isinstance(concept, (Conjunction, KCNF)):
        clauses = getattr(concept, "clauses", None)
        parts = clauses if clauses is not None else _single(concept, Conjunction)
        wrong = [part for part in parts if not part(x)]
        yield from (f"false: {part}" for part in wrong)
        if not wrong:
            yield f"true: {concept}" if concept(x) else f"false: {concept}"
        return
    if isinstance(concept, (Disjunction, KDNF)):
        terms = getattr(concept, "terms", None)
        parts = terms if terms is not None else _single(concept, Disjunction)
        right = [part for part in parts if part(x)]
        yield from (f"true: {part}" for part in right)
        if not right:
            yield f"true: {concept}" if concept(x) else f"false: all of {concept}"
        return
    yield f"{_said(concept(x))}: {concept}"


def _single(concept: Any, kind: type[Any]) -> list[Any]:
    return [kind(literal) for literal in concept.literals]


def _of_weights(
    weights: Mapping[Any, float], learner: Any, x: Mapping[Any, float], most: int
) -> Iterator[str]:
    """Yield the largest products of a weight and a value."""
    usual = getattr(learner, "initial_weight", 0.0)
    found = [
        (weight * value, f"{_name(feature)}: {weight:.6g} times {value:.6g} is ")
        for feature, value in x.items()
        for weight in [weights.get(feature, usual)]
    ]
    found.append((float(getattr(learner, "intercept_", 0.0)), "the constant feature: "))
    for product, told in heapq.nlargest(most, found, key=lambda each: abs(each[0])):
        if product:
            yield f"{told}{product:.6g}"


def _name(feature: object) -> str:
    return feature if isinstance(feature, str) else f"x{feature}"


def _said(label: bool) -> str:
    return "yes" if label else "no"
