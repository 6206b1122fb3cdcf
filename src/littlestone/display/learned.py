"""What a learner has learned, for people: its largest weights, or its rule in words."""

from __future__ import annotations

import heapq
import math
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from littlestone.display.markup import block, facts, table, written
from littlestone.display.words import clipped, counted
from littlestone.errors import printable
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from littlestone.learner import Learner

__all__ = ["Learned", "Weight", "in_html", "learned", "weights_of"]

_LONGEST_RULE = 2000  # characters
_TOP = 8  # weights that a notebook shows
_MOST_TERMS = 12  # that a sentence names
_MOST_PARTS = 1_000_000  # of a rule that a notebook may ask for: half a second


class Weight(NamedTuple):
    """The weight of a feature or of an expert, in a class where there are several.

    Examples
    --------
    >>> from littlestone.models import Weight
    >>> print(Weight("pills", -2.0))
    pills  -2
    """

    feature: Any
    weight: float
    label: Any = None

    @property
    def name(self) -> str:
        """The feature or expert, after its class where there are several."""
        named = "" if self.label is None else f"{self.label}: "
        return printable(f"{named}{self.feature}")

    def __str__(self) -> str:
        return f"{self.name}  {self.weight:.6g}"


class Learned(NamedTuple):
    """What a learner has learned; the attributes are those of `ModelCard`."""

    updates: int
    rounds: int | None
    features: int | None
    largest: tuple[Weight, ...]
    experts: tuple[Weight, ...]
    rule: str


def learned(learner: Learner, top: int, *, rule: bool = True) -> Learned:
    """Return what a learner has learned; writing a rule may take long.

    Examples
    --------
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.display.learned import learned
    >>> learner = Perceptron()
    >>> learner.learn_one({"cheap": 1, "pills": 2}, False)
    >>> learned(learner, 1).largest
    (Weight(feature='pills', weight=-2.0, label=None),)
    """
    return Learned(
        updates=learner.updates_,
        rounds=getattr(learner, "rounds_", None),
        features=_features(learner),
        largest=_top(_of_features(learner), top),
        experts=_top(_of_experts(learner), top),
        rule=_rule(learner) if rule else "",
    )


def weights_of(learner: Learner) -> Iterator[Weight]:
    """Yield the weights of its features, or of its experts.

    Examples
    --------
    >>> from littlestone.display.learned import weights_of
    >>> from littlestone.experts import WeightedMajority
    >>> list(map(str, weights_of(WeightedMajority(experts=["ann", "bob"]))))
    ['ann  0.5', 'bob  0.5']
    """
    yield from _of_features(learner)
    yield from _of_experts(learner)


def in_html(learner: Learner) -> str:
    """Return a learner as a notebook shows it.

    Examples
    --------
    >>> from littlestone.display.learned import in_html
    >>> from littlestone.linear import Perceptron
    >>> "PERC-SEP" in in_html(Perceptron())
    True
    """
    short = _parts_at_most(learner) <= _MOST_PARTS
    found = learned(learner, _TOP, rule=short)
    rounds = [] if found.rounds is None else [counted(found.rounds, "round")]
    rows = [("learned", ", ".join([*rounds, counted(found.updates, "update")]))]
    if found.features is not None:
        rows.append(("features", f"{found.features:,}"))
    rule = found.rule if short else "long: print(learner.concept_) shows it"
    largest = found.largest or found.experts
    labelled = any(each.label is not None for each in largest)
    return block(
        repr(learner),
        facts(rows),
        written(rule, 600) if rule else "",
        table(
            (
                "feature" if found.largest else "expert",
                *(("class",) if labelled else ()),
                "weight",
            ),
            [
                (
                    clipped(str(each.feature), 60),
                    *((clipped(str(each.label), 60),) if labelled else ()),
                    f"{each.weight:.6g}",
                )
                for each in largest
            ],
        ),
        table(
            ("theorem", "promises"),
            [(theorem.id, theorem.statement) for theorem in learner.guarantees],
        ),
    )


def _parts_at_most(learner: Any) -> int:
    """Return how many parts a learner's rule may have."""
    features, k = getattr(learner, "features_", ()), getattr(learner, "k", 1)
    return math.comb(len(features), min(k, len(features))) << k


def _top(weights: Iterable[Weight], top: int) -> tuple[Weight, ...]:
    return tuple(heapq.nlargest(top, weights, key=lambda weight: abs(weight.weight)))


def _is_linear(learner: Any) -> bool:
    scores = hasattr(learner, "score_one") and not hasattr(learner, "experts_")
    return scores and hasattr(learner, "weights_")


def _of_features(learner: Any) -> Iterator[Weight]:
    """Yield the weights of features."""
    if not _is_linear(learner):
        return
    if learner.outcome is Outcome.CLASS:
        for label, weights in learner.weights_.items():
            yield from (Weight(f, w, label) for f, w in weights.items())
    else:
        yield from (Weight(*item) for item in learner.weights_.items())


def _of_experts(learner: Any) -> Iterator[Weight]:
    """Yield the weights of experts."""
    if not _is_linear(learner) and hasattr(learner, "weights_"):
        yield from (Weight(*item) for item in learner.weights_.items())


def _features(learner: Any) -> int | None:
    if hasattr(learner, "features_"):
        return len(learner.features_)
    if not _is_linear(learner):
        return None
    if learner.outcome is Outcome.CLASS:
        return len({f for weights in learner.weights_.values() for f in weights})
    return len(learner.weights_)


def _rule(learner: Any) -> str:
    """Return what was learned in words."""
    if hasattr(learner, "concept_"):
        text = str(learner.concept_)
        if len(text) > _LONGEST_RULE:
            text = f"{text[:_LONGEST_RULE]} … ({len(text):,} characters)"
        left = getattr(learner, "version_space_", None)
        if left is not None:
            text += f", one of {counted(len(left), 'concept')} left"
        proof = learner.unrealizable_
        return text if proof is None else f"{text}\n{proof}"
    if hasattr(learner, "terms_"):
        heaviest = ", ".join(
            f"{term} ({weight:.3g})"
            for term, weight in islice(learner.terms_.items(), _MOST_TERMS)
        )
        return f"the heaviest terms: {heaviest}" if heaviest else "all terms weigh 1"
    if hasattr(learner, "supports_"):
        return f"compares with {counted(len(learner.supports_), 'example')}"
    if hasattr(learner, "lead_"):
        lead = learner.lead_
        if not lead:
            return "yes and no came equally often"
        leader, other = ("yes", "no") if lead > 0 else ("no", "yes")
        return f"{leader} came {abs(lead):,} times more often than {other}"
    alive = hasattr(learner, "alive_")
    return f"{counted(learner.living_, 'expert')} never wrong" if alive else ""
