"""The members of a committee, whose rule follows what they say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from littlestone.outcome import Outcome
from littlestone.verifying._reading import read_label
from littlestone.verifying.proofs import Unsound, check_members
from littlestone.verifying.twins import TWINS, outcome_of, reads_of
from littlestone.verifying.twins._losses import kind_of
from littlestone.verifying.twins._member import Member

__all__ = ["Members"]

_PARTS = {"members", "clip"}

# What members may predict, by what the rule does: a yes is also the number 1.
_TAKEN = {
    Outcome.LABEL: (Outcome.LABEL,),
    Outcome.NUMBER: (Outcome.NUMBER, Outcome.LABEL),
    Outcome.DISTRIBUTION: (Outcome.LABEL,),
}


class Members:
    """The twins of the members: what they say is what the rule is advised.

    Parameters
    ----------
    stated
        The members by name, each as its class and parameters, and the share at which
        probabilities are clipped.
    rule, parameters
        The class and the parameters of the rule.

    Examples
    --------
    >>> from littlestone.verifying._committee import Members
    >>> given = {"update": "mistake", "normalize": False, "bias": 0.0}
    >>> stated = {"members": {"p": ("Perceptron", given)}, "clip": 1e-6}
    >>> members = Members(stated, "WeightedMajority", {"experts": ("p",)})
    >>> members.advise({"a": 1.0}, False), members.advise({"a": 1.0}, False)
    (({'p': True}, False), ({'p': False}, False))
    """

    def __init__(self, stated: Any, rule: str, parameters: Mapping[str, Any]) -> None:
        fits = isinstance(stated, Mapping) and stated.keys() == _PARTS
        if not fits or reads_of(rule) != "advice":
            raise Unsound("committee must have members and clip, and a rule for them")
        outcome = outcome_of(rule, parameters)
        check_members(stated["members"], _TAKEN[outcome])
        experts = parameters.get("experts")
        named = range(experts) if type(experts) is int else experts
        if stated["members"].keys() != set(named or ()):
            raise Unsound("committee must have the experts of its rule as members")
        self.clip = clip = stated["clip"]
        if type(clip) is not float or not 0 <= 2 * clip < 1:
            raise Unsound(f"clip must be at least 0 and below 1/2, got {clip!r:.80}")
        self._decides = outcome is Outcome.DISTRIBUTION
        self._clips = kind_of(parameters.get("loss")) == "log"
        self._members = {
            name: (Member(TWINS[kind], **given), outcome_of(kind, given))
            for name, (kind, given) in stated["members"].items()
        }

    def advise(self, x: Mapping[Any, float], y: Any) -> tuple[dict[Any, Any], Any]:
        """Return what the members say, who then learn, and the outcome for the rule."""
        if self._decides:
            y = float(read_label(Outcome.LABEL, y))  # yes or no, also where no is -1
        said = {
            name: self._clipped(member.play(x, read_label(takes, y)))
            for name, (member, takes) in self._members.items()
        }
        return said, y

    def _clipped(self, said: Any) -> Any:
        """Return what a member says, away from a log loss that is infinite."""
        if not (self._clips and 0 <= said <= 1):
            return said
        return min(max(said, self.clip), 1.0 - self.clip)
