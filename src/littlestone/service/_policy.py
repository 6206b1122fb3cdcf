"""What the operator decides about labels, and the form of answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from littlestone.errors import ParameterError
from littlestone.service._strict import dumps

__all__ = ["Answer", "Policy"]


class Answer(NamedTuple):
    """The answer to a request: its HTTP status and its body."""

    status: int
    body: dict[str, Any]

    @classmethod
    def refused(cls, status: int, code: str, message: str) -> Answer:
        """Return the answer to what cannot be done."""
        return cls(status, {"error": {"code": code, "message": message}})

    def line(self) -> bytes:
        r"""Return the answer as the line of a batch.

        Examples
        --------
        >>> from littlestone.service._policy import Answer
        >>> Answer(200, {"already": True}).line()
        b'{"status":200,"already":true}\n'
        """
        return dumps({"status": self.status, **self.body}) + b"\n"


@dataclass(frozen=True)
class Policy:
    """What the operator decides about labels.

    Attributes
    ----------
    ttl
        The seconds after which a prediction without a label expires; None for never.
    hold
        The seconds for which to keep a label that comes before its prediction; None to
        refuse it.
    default
        The label that an expired prediction gets, as a list of one; empty for none.
    most_held
        How many labels may be held at once.
    most_features
        How many features an example may have.
    """

    ttl: float | None = None
    hold: float | None = None
    default: tuple[Any, ...] = ()
    most_held: int = 10_000
    most_features: int = 100_000

    def __post_init__(self) -> None:
        for name in ("ttl", "hold"):
            seconds = getattr(self, name)
            if seconds is not None and not 0 < seconds < float("inf"):
                raise ParameterError(
                    f"{name} must be a number of seconds above 0, got {seconds!r}",
                    owner="serve",
                )
        if self.default and self.ttl is None:
            raise ParameterError(
                "a default label needs a ttl, as only expired predictions get it, got "
                f"{self.default[0]!r} without",
                owner="serve",
            )
