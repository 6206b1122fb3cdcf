"""The twin of a learner within another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying._spending import spend
from littlestone.verifying.twins.maps import mapping_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Member"]


class Member:
    """The twin of a learner within another, and those of the maps before it."""

    def __init__(self, kind: type[Any], map: Any = (), **given: Any) -> None:  # noqa: A002 - what it is
        self.twin, self.maps = kind(**given), mapping_of(map)

    @property
    def updates(self) -> int:
        """How many rounds have changed it."""
        return int(self.twin.updates)

    def play(self, x: Mapping[object, float], y: Any) -> Any:
        """Map the example, and let the twin play it."""
        if self.maps:
            x = {name: value for name, value in x.items() if value}
        for each in self.maps:
            x = each(x)
        spend(1 + len(x))
        return self.twin.play(x, y)
