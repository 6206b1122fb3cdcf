"""MulticlassAROW in plain Python."""

from __future__ import annotations

from littlestone.verifying.twins._one_versus_rest import OneVersusRest
from littlestone.verifying.twins.arow import AROW

__all__ = ["MulticlassAROW"]


class MulticlassAROW(OneVersusRest):
    """The twin of `littlestone.linear.MulticlassAROW`.

    Examples
    --------
    >>> from littlestone.verifying.twins import MulticlassAROW
    >>> twin = MulticlassAROW(classes="ab")
    >>> twin.play({"x": 1.0}, "b")
    'a'
    >>> twin.weights["a"]
    {'x': -0.5}
    """

    block = AROW
