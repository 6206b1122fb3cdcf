"""The decision-list learner in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["DecisionListLearner"]

_MOST = 200_000  # rules; more would take too long


class DecisionListLearner:
    """The twin of `littlestone.boolean.DecisionListLearner`.

    A rule is a term and a label, a term a tuple of pairs (feature, whether it must be
    true). The rules are in the order that breaks ties.

    Examples
    --------
    >>> from littlestone.verifying.twins import DecisionListLearner
    >>> twin = DecisionListLearner()
    >>> twin.play({}, False), twin.play({"a": True}, True)
    (True, False)
    >>> for rule, level in twin.levels.items():
    ...     print(level, rule)
    2 ((), True)
    2 ((), False)
    1 ((('a', True),), True)
    1 ((('a', True),), False)
    2 ((('a', False),), True)
    1 ((('a', False),), False)
    """

    def __init__(self, k: int = 1, features: int | Iterable[Any] | None = None) -> None:
        self.k, self.updates = k, 0
        self.moved: Any = None  # the rule that the last round moved up
        self.levels: dict[tuple[tuple[tuple[Any, bool], ...], bool], int]
        self.levels = {((), True): 1, ((), False): 1}
        self.shorter = list(self.levels)  # rules with fewer than k literals
        self.features: dict[Any, None] = {}
        self.meet(range(features) if isinstance(features, int) else features or ())

    def meet(self, features: Iterable[Any]) -> None:
        """Add new features, which were false until now."""
        for new in features:
            if new in self.features:
                continue
            self.features[new] = None
            yes = [((*term, (new, True)), label) for term, label in self.shorter]
            no = [((*term, (new, False)), label) for term, label in self.shorter]
            self.levels |= dict.fromkeys(yes, 1)
            for rule, longer in zip(self.shorter, no, strict=True):
                self.levels[longer] = self.levels[rule]
            self.shorter += [rule for rule in yes + no if len(rule[0]) < self.k]
            if len(self.levels) > _MOST:
                raise ValueError(f"there must be at most {_MOST:,} rules")

    def play(self, x: Mapping[Any, object], y: bool) -> bool:
        """Predict by the lowest rule that fires; if that is wrong, move the rule up."""
        true = {feature for feature, value in x.items() if value}
        self.meet(sorted(true, key=lambda feature: (isinstance(feature, str), feature)))
        fires = (
            rule
            for rule in self.levels
            if all((feature in true) == positive for feature, positive in rule[0])
        )
        rule = min(fires, key=self.levels.__getitem__)
        self.moved = rule if rule[1] != y else None
        if self.moved:
            self.levels[rule] += 1
            self.updates += 1
        return rule[1]
