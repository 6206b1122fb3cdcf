"""The cosine by elementary operations alone: the same bits everywhere."""

from __future__ import annotations

__all__ = ["cosine_of_turns"]

_COEFFICIENTS = (
    *(-0.7177337921413454, 3.8199280942271643, -15.0946416761179),
    *(42.058693925428685, -76.70585975282492, 81.60524927607362),
    *(-41.341702240399755, 6.283185307179586),
)


def cosine_of_turns(s: float) -> float:
    """Return cos(2 pi s); 1 where doubles no longer tell the parts of a turn.

    Examples
    --------
    >>> from littlestone.verifying.twins._cosine import cosine_of_turns
    >>> cosine_of_turns(0.25), cosine_of_turns(1e300)
    (0.0, 1.0)
    >>> abs(cosine_of_turns(7 + 1 / 8) - 0.5**0.5) < 1e-15
    True
    """
    shift = 6755399441055744.0  # 1.5 * 2**52: adding it rounds to a whole number
    part = s - ((s + shift) - shift) if abs(s) < 2.0**51 else 0.0
    q = 0.25 - abs(part)
    y = q * q
    p = 0.10089695501646812
    for coefficient in _COEFFICIENTS:
        p = p * y + coefficient
    return q * p
