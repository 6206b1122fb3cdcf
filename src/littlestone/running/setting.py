"""What a run is asked to keep, and which theorems it may use."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, get_args

from littlestone.errors import LittlestoneError, ParameterError
from littlestone.learner import Learner
from littlestone.running.bounds import Promises

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from littlestone.theorems import Number

__all__ = ["Keep", "check_keep", "check_resumed", "promises_of", "restoring"]

Keep = Literal["mistakes", "nothing", "updates", "rounds", "advice"]
_KEEPS = get_args(Keep)


def check_keep(learner: Any, keep: object) -> None:
    """Refuse what cannot be recorded."""
    if keep not in _KEEPS:
        raise ParameterError(
            "keep must be 'mistakes', 'nothing', 'updates', 'rounds' or 'advice', "
            f"got {keep!r}",
            owner="run",
        )
    if keep == "advice" and not hasattr(learner, "play_advice"):
        raise ParameterError(
            f"keep='advice' needs a learner that takes advice, got {learner!r}",
            owner="run",
        )
    if keep in ("updates", "rounds") and getattr(learner, "updates_", None) is None:
        raise ParameterError(
            f"keep={keep!r} needs a learner that counts its updates in updates_, got "
            f"{learner!r}",
            owner="run",
        )


def check_resumed(now: Mapping[str, Any], then: Mapping[str, Any]) -> None:
    """Refuse to resume a run with other settings than it began with."""
    for name, value in now.items():
        if value != then.get(name):
            raise ParameterError(
                f"{name} must be {then.get(name)!r}, as in the run to resume, got "
                f"{value!r}",
                owner="run",
            )


@contextmanager
def restoring() -> Iterator[None]:
    """Say of whatever goes wrong meanwhile that the checkpoint is damaged."""
    try:
        yield
    except LittlestoneError:
        raise
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise ParameterError(
            f"the checkpoint is damaged: {type(error).__name__}: {error}",
            owner="run",
        ) from error


def promises_of(
    learner: Any, declared: Mapping[str, Number] | None, *, fresh: bool
) -> Promises:
    """Return the theorems for the learner's whole life, if the run is all of it.

    Without a learner nothing is learned.
    """
    if learner is None and declared:
        raise ParameterError(
            f"declare needs learn=True, as bounds are about learning, got {declared!r}",
            owner="run",
        )
    if not isinstance(learner, Learner):
        return Promises.of(learner, declared)
    if fresh:  # or it was when the run to resume began
        return Promises.of(learner if learner.newborn_ else learner.clone(), declared)
    if declared:
        raise ParameterError(
            "declare needs a learner that has learned nothing before, as bounds are "
            f"on its whole life, got {learner!r}",
            owner="run",
        )
    return Promises("mistakes", ())
