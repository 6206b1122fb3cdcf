"""What the twins of the untuned committees share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins.restarting import Restarting, is_power

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["COPIED", "room"]

COPIED = 4096  # features for which copies that start anew have weights at most

_ALWAYS = 100  # features that a full matrix takes from any example
_A_VALUE = 8  # and for each that is not 0 in it, if there are more


def room(x: Mapping[object, float], member: Any, narrow: int) -> bool:
    """Return whether a full matrix or copies, if there are any, have room."""
    if isinstance(member, Restarting):
        asked = is_power(member.rounds, member.shortest)
        return not asked or member.known() <= COPIED
    matrix = getattr(member, "matrix", None)
    if matrix is None:
        return True
    known = matrix.weights
    nonzeros = sum(1 for value in x.values() if value)
    most = min(narrow, max(_ALWAYS, _A_VALUE * nonzeros))
    left = max(0, most - len(known))
    if member.bias and member not in known and left:
        left -= 1
    fresh = sum(1 for name, value in x.items() if value and name not in known)
    return fresh <= left
