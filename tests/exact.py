"""Oracles: every rule that weighs, with numbers that are never rounded.

A row is a tuple of whole numbers, and every parameter is the fraction that its double
is. `play` predicts and learns; a tie says yes, or the class that came first.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

Row = tuple[int, ...]
Vector = list[Fraction]


def dot(a: Iterable[Any], b: Iterable[Any]) -> Fraction:
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction())


def plus(w: Vector, step: Fraction, x: Iterable[Any]) -> Vector:
    return [a + step * b for a, b in zip(w, x, strict=True)]


class Perceptron:
    """Adds its mistakes; the constant feature is one more column."""

    def __init__(self, n: int, *, bias: Any = 0, margin: bool = False) -> None:
        self.bias, self.margin = Fraction(bias), margin
        self.w: Vector = [Fraction()] * (n + 1)
        self.scored = Fraction()  # in the latest round

    def score(self, x: Iterable[Any]) -> Fraction:
        """Return the score of a row with its constant."""
        return dot(self.w, x)

    def play(self, row: Row, y: bool) -> bool:
        """Predict, then learn."""
        x, sign = (*map(Fraction, row), self.bias), 1 if y else -1
        score = self.scored = self.score(x)
        said = score >= 0
        self.learn(x, sign, score)
        return said

    def learn(self, x: tuple[Fraction, ...], sign: int, score: Fraction) -> None:
        """Learn from the round, given its score."""
        if sign * score <= 0 if self.margin else (score >= 0) != (sign > 0):
            self.w = plus(self.w, Fraction(sign), x)


class Averaged(Perceptron):
    """Predicts by the mean of the Perceptron's weights after each round."""

    def __init__(self, n: int, *, bias: Any = 0) -> None:
        super().__init__(n, bias=bias)
        self.total = list(self.w)

    def score(self, x: Iterable[Any]) -> Fraction:
        """Return the score of a row with its constant."""
        return dot(self.total, x)

    def learn(
        self,
        x: tuple[Fraction, ...],
        sign: int,
        score: Fraction,  # noqa: ARG002 - that of the mean
    ) -> None:
        """Learn from the round, given its score."""
        super().learn(x, sign, dot(self.w, x))
        self.total = plus(self.total, Fraction(1), self.w)


class Voted(Perceptron):
    """Predicts by the votes of all weights, each as often as it was right."""

    def __init__(self, n: int, *, bias: Any = 0) -> None:
        super().__init__(n, bias=bias)
        self.voters: list[tuple[Vector, int]] = [(self.w, 0)]

    def score(self, x: Iterable[Any]) -> Fraction:
        """Return the score of a row with its constant."""
        sides = [v if dot(w, x) >= 0 else -v for w, v in self.voters]
        return Fraction(sum(sides))

    def learn(
        self,
        x: tuple[Fraction, ...],
        sign: int,
        score: Fraction,  # noqa: ARG002 - that of the mean
    ) -> None:
        """Learn from the round, given its score."""
        w, votes = self.voters[-1]
        if (dot(w, x) >= 0) == (sign > 0):
            self.voters[-1] = w, votes + 1
        else:
            self.voters.append((plus(w, Fraction(sign), x), 1))


class Kernel(Perceptron):
    """The Perceptron with a kernel that is a polynomial of the product."""

    def __init__(self, kernel: Callable[[Fraction], Fraction]) -> None:
        super().__init__(0)
        self.kernel = kernel
        self.kept: list[tuple[int, tuple[Fraction, ...]]] = []

    def score(self, x: Iterable[Any]) -> Fraction:
        """Return the score of a row with its constant."""
        x = tuple(x)
        return sum((s * self.kernel(dot(k, x)) for s, k in self.kept), Fraction())

    def learn(self, x: tuple[Fraction, ...], sign: int, score: Fraction) -> None:
        """Learn from the round, given its score."""
        if (score >= 0) != (sign > 0):
            self.kept.append((sign, x))


class Aggressive(Perceptron):
    """Passive-Aggressive: the least change that makes the margin 1."""

    def __init__(self, n: int, C: Any, mode: str | None, *, bias: Any = 0) -> None:
        super().__init__(n, bias=bias)
        self.C, self.mode = Fraction(C), mode

    def learn(self, x: tuple[Fraction, ...], sign: int, score: Fraction) -> None:
        """Learn from the round, given its score."""
        loss = 1 - sign * score
        if loss > 0 and any(x):
            step = aggressive_step(loss, dot(x, x), self.C, self.mode)
            self.w = plus(self.w, sign * step, x)


def aggressive_step(
    loss: Fraction, square: Fraction, most: Fraction, mode: str | None
) -> Fraction:
    if mode == "II":
        return loss / (square + 1 / (2 * most))
    return min(most, loss / square) if mode == "I" else loss / square


class SecondOrder(Perceptron):
    """The second-order Perceptron, by the inverse of r I + the mistakes' products."""

    def __init__(self, n: int, r: Any, *, diagonal: bool, bias: Any = 0) -> None:
        super().__init__(n, bias=bias)
        self.diagonal = diagonal
        self.inverse = scaled_identity(n + 1, 1 / Fraction(r))

    def score(self, x: Iterable[Any]) -> Fraction:
        """Return the score of a row with its constant."""
        x = tuple(x)
        inverse = self.inverse
        # The example counts as seen. For the full matrix that changes no sign.
        if self.diagonal:
            inverse = add_product(inverse, x, Fraction(1), diagonal=True)
        return dot(self.w, times(inverse, x))

    def learn(self, x: tuple[Fraction, ...], sign: int, score: Fraction) -> None:
        """Learn from the round, given its score."""
        if (score >= 0) != (sign > 0):
            self.w = plus(self.w, Fraction(sign), x)
            self.inverse = add_product(
                self.inverse, x, Fraction(1), diagonal=self.diagonal
            )


class Arow(Perceptron):
    """AROW: means and their covariance."""

    def __init__(self, n: int, r: Any, *, diagonal: bool, bias: Any = 0) -> None:
        super().__init__(n, bias=bias)
        self.r, self.diagonal = Fraction(r), diagonal
        self.covariance = scaled_identity(n + 1, Fraction(1))

    def learn(self, x: tuple[Fraction, ...], sign: int, score: Fraction) -> None:
        """Learn from the round, given its score."""
        pull = times(self.covariance, x)
        if sign * score < 1 and any(x):
            step = (1 - sign * score) / (dot(x, pull) + self.r)
            self.w = plus(self.w, sign * step, pull)
            self.covariance = add_product(
                self.covariance, x, self.r, diagonal=self.diagonal
            )


def scaled_identity(n: int, scale: Fraction) -> list[Vector]:
    return [[scale if i == j else Fraction() for j in range(n)] for i in range(n)]


def times(matrix: list[Vector], x: Iterable[Any]) -> Vector:
    x = tuple(x)
    return [dot(row, x) for row in matrix]


def add_product(
    inverse: list[Vector], x: Iterable[Any], r: Fraction, *, diagonal: bool
) -> list[Vector]:
    """Return the inverse of the matrix plus x x' / r, or plus its diagonal."""
    x = tuple(x)
    if diagonal:
        return [
            [v / (1 + v * a * a / r) for v in row]
            for row, a in zip(inverse, x, strict=True)
        ]
    pull = times(inverse, x)
    whole = dot(x, pull) + r
    return [
        [v - a * b / whole for v, b in zip(row, pull, strict=True)]
        for row, a in zip(inverse, pull, strict=True)
    ]


class Winnow:
    """Multiplies by the promotion, divides by it, or drops."""

    def __init__(
        self, n: int, threshold: Any, promotion: Any, *, eliminate: bool = False
    ) -> None:
        self.threshold, self.promotion = Fraction(threshold), Fraction(promotion)
        self.eliminate = eliminate
        self.w: Vector = [Fraction(1)] * n

    def play(self, x: Row, y: bool) -> bool:
        """Predict, then learn."""
        said = dot(self.w, x) >= self.threshold
        if said != y:
            down = Fraction() if self.eliminate else 1 / self.promotion
            factor = self.promotion if y else down
            self.w = [w * factor if a else w for w, a in zip(self.w, x, strict=True)]
        return said


# Sums of numbers that are no fractions ----------------------------------------------


def sign_of(terms: dict[Any, Fraction], value: Callable[[Any], Decimal]) -> int:
    """Return the sign of a sum of values that only zeros can make 0."""
    terms = {key: share for key, share in terms.items() if share}
    if not terms:
        return 0
    with localcontext() as context:
        context.prec = 120
        total = Decimal()
        for key, share in terms.items():
            total += Decimal(share.numerator) / Decimal(share.denominator) * value(key)
        assert abs(total) > Decimal(10) ** -90, terms
        return 1 if total > 0 else -1


class Balanced:
    """Balanced Winnow: powers of e to whole multiples of the rate are independent."""

    def __init__(self, n: int, rate: Any, *, bias: int = 0) -> None:
        self.rate, self.bias = Fraction(rate), bias
        self.sums = [0] * (n + 1)

    def play(self, row: Row, y: bool) -> bool:
        """Predict, then learn."""
        x, terms = (*row, self.bias), dict[int, Fraction]()
        for k, a in zip(self.sums, x, strict=True):
            terms[abs(k)] = terms.get(abs(k), Fraction()) + (a if k > 0 else -a)
        terms.pop(0, None)
        said = sign_of(terms, self.sinh) >= 0
        if said != y:
            step = 1 if y else -1
            self.sums = [k + step * a for k, a in zip(self.sums, x, strict=True)]
        return said

    def sinh(self, k: int) -> Decimal:
        """Return the weight of a sum."""
        z = Decimal(self.rate.numerator) / Decimal(self.rate.denominator) * k
        return (z.exp() - (-z).exp()) / 2


@cache
def split(square: int) -> tuple[int, int]:
    """Return a and d with a a d = square, where no square divides d."""
    root = max(a for a in range(1, math.isqrt(square) + 1) if square % (a * a) == 0)
    return root, square // (root * root)


class Normalized:
    """The Perceptron of examples of length 1; roots of square-free numbers.

    They are independent of each other, so a sum of them is 0 if each share is.
    """

    def __init__(self, n: int, *, bias: int = 0, margin: bool = False) -> None:
        self.bias, self.margin = bias, margin
        self.w: list[dict[int, Fraction]] = [{} for _ in range(n)]
        self.constant = 0

    def play(self, x: Row, y: bool) -> bool:
        """Predict, then learn."""
        a, d = split(sum(v * v for v in x) or 1)
        terms = {d: Fraction(self.constant * self.bias * a)}  # the score times |x|
        for w, v in zip(self.w, x, strict=True):
            for root, share in w.items():
                terms[root] = terms.get(root, Fraction()) + share * v
        sign, step = sign_of(terms, lambda root: Decimal(root).sqrt()), 1 if y else -1
        if sign * step <= 0 if self.margin else (sign >= 0) != y:
            for w, v in zip(self.w, x, strict=True):
                w[d] = w.get(d, Fraction()) + Fraction(step * v, a * d)
            self.constant += step * self.bias
        return sign >= 0


# Many classes -----------------------------------------------------------------------


class Classes:
    """One set of weights a class, moved towards the right one and from its rival."""

    def __init__(
        self,
        n: int,
        classes: Iterable[Hashable],
        *,
        C: Any = None,
        mode: str | None = None,
        bias: Any = 0,
    ) -> None:
        self.bias, self.C, self.mode = Fraction(bias), C, mode
        self.w = {label: [Fraction()] * (n + 1) for label in classes}
        self.scores: dict[Hashable, Fraction] = {}  # of the latest round

    def play(self, row: Row, y: Hashable) -> Hashable:
        """Predict, then learn."""
        x = (*map(Fraction, row), self.bias)
        scores = self.scores = {label: dot(w, x) for label, w in self.w.items()}
        said = max(scores, key=scores.__getitem__)
        if self.C is None:
            step, rival = Fraction(said != y), said
        else:
            rival = max((c for c in scores if c != y), key=scores.__getitem__)
            loss = max(Fraction(), 1 - (scores[y] - scores[rival])) * any(x)
            square = 2 * dot(x, x) or Fraction(1)
            step = aggressive_step(loss, square, Fraction(self.C), self.mode)
        self.w[y] = plus(self.w[y], step, x)
        self.w[rival] = plus(self.w[rival], -step, x)
        return said


class Rest:
    """A learner of yes and no for each class; the largest score is predicted."""

    def __init__(self, classes: Iterable[Hashable], make: Callable[[], Any]) -> None:
        self.blocks = {label: make() for label in classes}
        self.scores: dict[Hashable, Fraction] = {}  # of the latest round

    def play(self, row: Row, y: Hashable) -> Hashable:
        """Predict, then learn."""
        scores = self.scores = {
            label: block.score((*map(Fraction, row), block.bias))
            for label, block in self.blocks.items()
        }
        for label, block in self.blocks.items():
            block.play(row, label == y)
        return max(scores, key=scores.__getitem__)
