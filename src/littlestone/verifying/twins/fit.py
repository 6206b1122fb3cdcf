"""A fitted rule, which never changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.verifying._spending import spend

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.concepts import Concept, Feature

__all__ = ["Fit"]


class Fit:
    """The twin of `littlestone.boolean.Fit`: it says what the rule says.

    Examples
    --------
    >>> from littlestone.concepts import Conjunction
    >>> from littlestone.verifying.twins import Fit
    >>> Fit(Conjunction("wings", "eggs"), k=1, features=2).play({"wings": 1.0}, True)
    False
    """

    def __init__(self, concept: Concept, k: int, features: int) -> None:  # noqa: ARG002 - the class is for the proof
        self.concept = concept

    def play(self, x: Mapping[Feature, float], y: bool) -> bool:  # noqa: ARG002 - nothing is learned
        """Say what the rule says."""
        spend(self.concept.size)
        return self.concept(x)
