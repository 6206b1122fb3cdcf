"""The classes of rules by name, apart from what fits them, so that help is quick."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["RuleKind"]


class RuleKind(StrEnum):
    """The classes of rules that `fit_rule` knows, by the names of their learners.

    Examples
    --------
    >>> from littlestone.boolean import RuleKind
    >>> [str(kind) for kind in RuleKind]
    ['conjunction', 'disjunction', 'k-cnf', 'k-dnf', 'decision-list']
    """

    CONJUNCTION = "conjunction"
    DISJUNCTION = "disjunction"
    K_CNF = "k-cnf"
    K_DNF = "k-dnf"
    DECISION_LIST = "decision-list"
