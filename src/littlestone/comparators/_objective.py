"""The objective whose gradient the Perceptron descends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from littlestone.errors import ParameterError
from littlestone.learner import as_label

__all__ = ["hinge_objective"]


def hinge_objective(
    weights: Mapping[Any, float] | Sequence[float], stream: Iterable[tuple[Any, Any]]
) -> float:
    r"""Return how far weights are from separating a stream.

    That is $F(w) = \frac{1}{T} \sum_t \max(0, -y_t\,w \cdot x_t)$, with $y_t$ in
    $\{-1, +1\}$: the hinge loss with its corner at 0. It is 0 where $w$ says no label
    wrong, and also at $w = 0$, on which it says nothing. The Perceptron steps against
    its gradient, one term at a time and with rate 1: $w$ becomes $w + y_t x_t$ where
    term $t$ is above 0. At the corner $y_t\,w \cdot x_t = 0$ every slope between is one
    of its subgradients; a rule that only steps where the term is above 0 would never
    leave $w = 0$.

    Parameters
    ----------
    weights
        The weight of each feature, as in `weights_`: a mapping, with 0 where there is
        none, or a vector.
    stream
        Pairs of an example and its label: a mapping from feature to value, or a row.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.comparators import hinge_objective
    >>> from littlestone.linear import Perceptron
    >>> stream = [({"a": 1.0, "b": 1.0}, True), ({"a": 1.0}, False), ({"b": 2}, True)]
    >>> hinge_objective({"a": 1.0}, stream)  # a is 1 in one example that is labelled no
    0.3333333333333333
    >>> learner = Perceptron()
    >>> record = run(learner, stream, passes=5)
    >>> hinge_objective(learner.weights_, stream)
    0.0
    """
    given = weights if isinstance(weights, Mapping) else dict(enumerate(weights))
    total, rounds = 0.0, 0
    for x, y in stream:
        cells = x.items() if isinstance(x, Mapping) else enumerate(x)
        score = sum(float(given.get(name, 0.0)) * float(cell) for name, cell in cells)
        total += max(0.0, -score if as_label(y) else score)
        rounds += 1
    if not rounds:
        raise ParameterError(
            "a stream must have at least one example, got none", owner="hinge_objective"
        )
    return total / rounds
