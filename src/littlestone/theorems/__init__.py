"""Theorems: premises, a statement, and the number it promises.

Pure mathematics: no learner, no data, no floating-point luck. A bound is computed with
exact rationals and rounded up, so what is printed is never less than what is proved.
"""

from littlestone.theorems._theorem import Number, Theorem
from littlestone.theorems.perceptron import PERC_FS, PERC_HINGE, PERC_SEP, PERC_TD
from littlestone.theorems.winnow import WIN1, WIN2_SEP

__all__ = [
    "PERC_FS",
    "PERC_HINGE",
    "PERC_SEP",
    "PERC_TD",
    "WIN1",
    "WIN2_SEP",
    "Number",
    "Theorem",
    "all",
    "get",
]


def all() -> tuple[Theorem, ...]:  # noqa: A001 - theorems.all() reads well
    """Return every theorem.

    Examples
    --------
    >>> from littlestone import theorems
    >>> [theorem.id for theorem in theorems.all()][:2]
    ['PERC-SEP', 'PERC-TD']
    """
    return (PERC_SEP, PERC_TD, PERC_HINGE, PERC_FS, WIN1, WIN2_SEP)


def get(identifier: str) -> Theorem:
    """Return the theorem with this id.

    Examples
    --------
    >>> from littlestone import theorems
    >>> theorems.get("PERC-SEP").bound(radius=1, margin=0.5)
    4.0
    """
    for theorem in all():
        if theorem.id == identifier:
            return theorem
    known = ", ".join(theorem.id for theorem in all())
    raise KeyError(f"a theorem's id must be one of {known}, got {identifier!r}")
