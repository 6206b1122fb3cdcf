"""MulticlassSecondOrder in plain Python."""

from __future__ import annotations

from littlestone.verifying.twins._one_versus_rest import OneVersusRest
from littlestone.verifying.twins.second_order_perceptron import SecondOrderPerceptron

__all__ = ["MulticlassSecondOrder"]


class MulticlassSecondOrder(OneVersusRest):
    """The twin of `littlestone.linear.MulticlassSecondOrder`.

    Examples
    --------
    >>> from littlestone.verifying.twins import MulticlassSecondOrder
    >>> twin = MulticlassSecondOrder(classes="ab")
    >>> twin.play({"x": 1.0}, "b")
    'a'
    >>> twin.weights["a"]
    {'x': -0.5}
    """

    block = SecondOrderPerceptron
