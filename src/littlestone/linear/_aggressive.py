"""What passive-aggressive learners share, of two labels or of many classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from littlestone.errors import ParameterError
from littlestone.learner import Learner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.theorems import Number, Theorem

__all__ = ["AggressiveLearner", "Mode", "checked_mode"]

Mode = Literal["I", "II"] | None


def checked_mode(owner: str, mode: object) -> Mode:
    """Return a mode of the passive-aggressive step, or refuse it."""
    if mode is None or (isinstance(mode, str) and mode in ("I", "II")):
        return mode  # type: ignore[return-value]  # just checked
    raise ParameterError(f"mode must be 'I', 'II' or None, got {mode!r}", owner=owner)


class AggressiveLearner(Learner):
    """A learner whose mode decides how C limits its steps, and which theorem holds."""

    C: float
    mode: Mode
    _theorems: ClassVar[Mapping[Mode, Theorem]]
    _others: ClassVar[tuple[Theorem, ...]]

    @property
    def known_(self) -> dict[str, Number]:
        """Its bias, and C where it takes part."""
        limit = {} if self.mode is None else {"aggressiveness": self.C}
        return super().known_ | limit

    @property
    def guarantees(self) -> tuple[Theorem, ...]:
        """The theorems that bound its mistakes."""
        return self._theorems[self.mode], *self._others
