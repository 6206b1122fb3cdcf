"""Follow the majority: say what was true more often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone import theorems
from littlestone.learner import Learner, as_label, as_times
from littlestone.learner.parameters import whole

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FollowTheMajority"]

_MOST = 2**128


class FollowTheMajority(Learner):
    r"""Say what the majority of past labels said; a tie says yes.

    It looks at no features: `x` may be None, `{}` or anything else.

    Parameters
    ----------
    None.

    Attributes
    ----------
    lead_
        How many more labels were yes than no.
    updates_
        How many labels it has counted.

    Guarantees
    ----------
    `FTM`: where the best constant errs in $m$ rounds, it errs in those and once for
    each tie that a no follows, so in at most $2m + 1$. `FTM-LB`: that is attained on
    `adversaries.AlternatingAdversary`, where it errs in every round and the best
    constant in half of them. `Cover` draws at random and escapes that.

    References
    ----------
    Cesa-Bianchi, Lugosi (2006), Prediction, Learning, and Games, Cambridge University
    Press, https://doi.org/10.1017/CBO9780511546921

    Examples
    --------
    >>> from littlestone.experts import FollowTheMajority
    >>> learner = FollowTheMajority()
    >>> [learner.play_one(None, y) for y in (False, False, True, True, True)]
    [True, False, False, False, True]
    >>> learner.lead_
    1
    """

    def __init__(self) -> None:
        self._yes = 0
        self._no = 0

    def save_state(self) -> dict[str, Any]:
        """Return how often each label has come."""
        return {"yes": self._yes, "no": self._no}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one was."""
        owner = type(self).__name__
        self._yes = whole(owner, "yes", state["yes"], high=_MOST)
        self._no = whole(owner, "no", state["no"], high=_MOST)

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its mistakes, from above and from below."""
        return theorems.FTM, theorems.FTM_LB

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """How often the better constant was wrong."""
        return {"best": min(self._yes, self._no)}

    @property
    def lead_(self) -> int:
        """How many more labels were yes than no."""
        return self._yes - self._no

    @property
    def updates_(self) -> int:
        """How many labels it has counted."""
        return self._yes + self._no

    def predict_one(self, x: Any) -> bool:  # noqa: ARG002 - it does not look
        """Say yes unless no leads."""
        return self.lead_ >= 0

    def learn_one(self, x: Any, y: object, sample_weight: int = 1) -> None:  # noqa: ARG002 - it does not look
        """Count the label, `sample_weight` times over."""
        label = as_label(y)
        times = as_times(sample_weight)
        if label:
            self._yes += times
        else:
            self._no += times
