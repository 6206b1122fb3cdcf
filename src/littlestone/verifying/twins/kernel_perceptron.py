"""The kernel Perceptron in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.verifying.twins._exponential import exp

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["KernelPerceptron"]


class KernelPerceptron:
    """The twin of `littlestone.linear.KernelPerceptron`.

    Examples
    --------
    >>> from littlestone.verifying.twins import KernelPerceptron
    >>> twin = KernelPerceptron("gaussian")
    >>> twin.play({"a": 1.0}, False)
    True
    >>> twin.kept
    [(-1.0, {'a': 1.0})]
    """

    def __init__(  # noqa: PLR0917 - the learner's own parameters
        self,
        kernel: str = "linear",
        degree: int = 3,
        gamma: float = 1.0,
        offset: float = 1.0,
        update: str = "mistake",
        budget: int | None = None,
        seed: int = 0,
    ) -> None:
        self.kernel, self.degree, self.gamma = kernel, degree, gamma
        self.offset, self.update, self.budget = offset, update, budget
        self.random = seed
        self.updates = 0
        self.kept: list[tuple[float, dict[object, float]]] = []
        self.lengths: list[float] = []  # squared, of the examples kept

    def play(self, x: Mapping[object, float], y: bool) -> bool:
        """Predict, then keep the example if that was wrong."""
        score, sign = self.score(x), 1.0 if y else -1.0
        wrong = sign * score <= 0 if self.update == "margin" else (score >= 0) != y
        if wrong:
            self.add(x, y)
        return score >= 0

    def score(self, x: Mapping[object, float]) -> float:
        """Return the sum over the examples kept."""
        score, length = 0.0, _square(x)
        for (sign, kept), other in zip(self.kept, self.lengths, strict=True):
            score += sign * self._compare(kept, x, other, length)
        return score

    def predict(self, x: Mapping[object, float]) -> bool:
        """Predict, and learn nothing."""
        return self.score(x) >= 0

    def add(self, x: Mapping[object, float], y: bool) -> None:
        """Keep the example, whatever would be predicted."""
        sign = 1.0 if y else -1.0
        self.updates += 1
        example = {name: value for name, value in x.items() if value}
        if self.budget is None or len(self.kept) < self.budget:
            self.kept.append((sign, example))
            self.lengths.append(_square(example))
        else:
            at = self._below(self.budget)
            self.kept[at], self.lengths[at] = (sign, example), _square(example)

    def _compare(
        self,
        kept: Mapping[object, float],
        x: Mapping[object, float],
        right: float,
        left: float,
    ) -> float:
        product = 0.0
        for name, value in x.items():
            product += kept.get(name, 0.0) * value
        if self.kernel == "linear":
            return product
        if self.kernel == "polynomial":
            base = self.gamma * product + self.offset
            power = base
            for _ in range(self.degree - 1):
                power *= base
            return power
        distance = left + right - 2.0 * product
        return exp(-self.gamma * max(distance, 0.0))

    def _below(self, end: int) -> int:
        """Return a random number; the generator is SplitMix64."""
        mask = 2**64 - 1
        self.random = (self.random + 0x9E3779B97F4A7C15) & mask
        z = self.random
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return ((z ^ (z >> 31)) >> 32) * end >> 32


def _square(x: Mapping[object, float]) -> float:
    """Return the squared length of an example."""
    square = 0.0
    for value in x.values():
        square += value * value
    return square
