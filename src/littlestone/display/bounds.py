"""Which of several bounds is the smallest, and why, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from littlestone.display.words import figure, listed, whole_or_figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

__all__ = ["Bound", "smallest"]


class Bound(NamedTuple):
    """What a theorem promises for the run of one learner.

    Attributes
    ----------
    name
        The learner's name.
    theorem, of, most
        The id of the theorem, what it limits, and the bound.
    numbers
        The numbers that the theorem takes, by name.
    vacuous, tautological
        Whether the bound says nothing about the run, or no more than its mistakes.
    """

    name: str
    theorem: str
    of: str
    most: float
    numbers: Mapping[str, float | Fraction]
    vacuous: bool = False
    tautological: bool = False


def smallest(bounds: Sequence[Bound]) -> str | None:
    """Say which bound is the smallest and why: by which numbers, and the next one's.

    Bounds that say nothing, or no more than the mistakes, come after all others. None
    if there are no two bounds of the same count; other counts cannot be compared.

    Examples
    --------
    >>> from littlestone.display.bounds import Bound, smallest
    >>> bounds = [
    ...     Bound("old", "PERC-SEP", "updates", 400.0, {"radius": 5, "margin": 0.25}),
    ...     Bound("new", "WIN1", "mistakes", 40.0, {"features": 500, "relevant": 2}),
    ... ]
    >>> print(smallest(bounds))
    new has the smallest bound: WIN1 allows 40 mistakes with features = 500 and relevant = 2. That of old is next: PERC-SEP allows 400 updates with radius = 5 and margin = 0.25.
    """  # noqa: E501 - a sentence is one line
    kinds: dict[str, list[Bound]] = {}
    for bound in bounds:
        kinds.setdefault(_KINDS.get(bound.of, bound.of), []).append(bound)
    alike = max(kinds.values(), key=len, default=[])
    if len(alike) < 2:  # noqa: PLR2004 - nothing to compare
        return None
    best, after, *_ = sorted(
        alike, key=lambda bound: (bound.vacuous, bound.tautological, bound.most)
    )
    if best.vacuous:
        return f"All bounds are vacuous. The smallest is that of {best.name}."
    if best.tautological:
        return (
            "Every bound is vacuous or says no more than the mistakes themselves. The "
            f"smallest is that of {best.name}."
        )
    return (
        f"{best.name} has the smallest bound: {_promise(best)}. "
        f"That of {after.name} is next: {_promise(after)}."
    )


# Each update is a mistake or nearly one, so these are compared with each other.
_KINDS = {"updates": "mistakes", "expected mistakes": "mistakes"}


def _promise(bound: Bound) -> str:
    most = whole_or_figure(bound.most, bound.of)
    if bound.of in ("loss", "regret"):
        told = f"{bound.theorem} allows a {bound.of} of {most}"
    else:
        told = f"{bound.theorem} allows {most} {bound.of}"
    numbers = [f"{name} = {figure(float(x))}" for name, x in bound.numbers.items()]
    told = f"{told} with {listed(numbers)}" if numbers else told
    empty = "vacuous" if bound.vacuous else "tautological" * bound.tautological
    return f"{told}, which is {empty}" if empty else told
