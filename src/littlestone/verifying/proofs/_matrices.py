"""Bounds on determinants and inverses, found with doubles and proved with rationals.

For a positive definite K = rI + G, both are minima: any vector gives a bound, and the
error of the bound is the square of the error of the vector. So the vector is searched
for with doubles, and its bound is computed exactly.
"""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from typing import TYPE_CHECKING

from littlestone.theorems._rounding import ln_bounds
from littlestone.verifying.proofs._proof import Unsound

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Damped"]

_LARGEST = 512


class Damped:
    """A positive semidefinite matrix G, and K = rI + G.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs._matrices import Damped
    >>> one = Fraction(1)
    >>> K = Damped([[one, one], [one, one]], one)
    >>> round(float(K.log_det()), 12)  # of K/r
    1.098612288668
    >>> round(float(K.energy([one, one])), 12)
    1.333333333333
    """

    def __init__(self, G: Sequence[Sequence[Fraction]], r: Fraction) -> None:
        if len(G) > _LARGEST:
            raise Unsound(
                f"a full matrix must have at most {_LARGEST} rows to be judged, "
                f"got {len(G)}"
            )
        unit = math.lcm(r.denominator, *(g.denominator for row in G for g in row))
        self._unit = unit
        self._G = [[int(g * unit) for g in row] for row in G]
        self._K = [
            [g + (int(r * unit) if i == j else 0) for j, g in enumerate(row)]
            for i, row in enumerate(self._G)
        ]
        self._r = r
        self._L = self._factor()

    def log_det(self) -> Fraction:
        """Return an upper bound on ln det(K/r).

        For any lower triangular T with ones on the diagonal, det K is det TKT', at most
        the product of its diagonal.
        """
        product, total = Fraction(1), Fraction(0)
        for i in range(len(self._K)):
            row = self._unsolved(i)
            value = self._form(self._K, row)
            product *= value / self._r
            if product.numerator.bit_length() > 1 << 14:  # keep the numbers small
                total, product = total + ln_bounds(product)[1], Fraction(1)
        return total + ln_bounds(product)[1]

    def energy(self, s: Sequence[Fraction]) -> Fraction:
        """Return an upper bound on v'A^-1 v; v = X's, A = rI + X'X, G = XX'.

        For any c, with e = s - Kc, it is at most 2c'Gs - c'GKc + e'Ge/r.
        """
        c = self._solved(s)
        kc = self._times(self._K, c)
        e = [each - other for each, other in zip(s, kc, strict=True)]
        twice = [2 * each - other for each, other in zip(s, kc, strict=True)]
        value = _dot(c, self._times(self._G, twice))
        return value + _dot(e, self._times(self._G, e)) / self._r

    def inverse_form(self, v: Sequence[Fraction]) -> Fraction:
        """Return an upper bound on v'K^-1 v.

        For any z, with e = v - Kz, it is at most 2z.v - z'Kz + |e|^2/r.
        """
        z = self._solved(v)
        kz = self._times(self._K, z)
        e = [each - other for each, other in zip(v, kz, strict=True)]
        twice = [2 * each - other for each, other in zip(v, kz, strict=True)]
        return _dot(z, twice) + _dot(e, e) / self._r

    def _times(self, matrix: list[list[int]], c: Sequence[Fraction]) -> list[Fraction]:
        scale = math.lcm(*(each.denominator for each in c))
        whole = [int(each * scale) for each in c]
        unit = scale * self._unit
        return [Fraction(sum(map(operator.mul, row, whole)), unit) for row in matrix]

    def _form(self, matrix: list[list[int]], row: list[Fraction]) -> Fraction:
        scale = math.lcm(*(each.denominator for each in row))
        whole = [int(each * scale) for each in row]
        total = 0
        for i, left in enumerate(whole):
            entries = matrix[i]
            inner = sum(map(operator.mul, entries[:i], whole))
            total += left * (2 * inner + entries[i] * left)
        return Fraction(total, scale**2 * self._unit)

    def _factor(self) -> list[list[float]]:
        """Return K's unit lower triangle in doubles, with its pivots as diagonal."""
        L: list[list[float]] = []
        for i, row in enumerate(self._K):
            made: list[float] = []
            for j in range(i):
                inner = _real(row[j], self._unit)
                for k in range(j):
                    inner -= made[k] * L[j][k] * L[k][k]
                made.append(inner / L[j][j])
            pivot = _real(row[i], self._unit)
            for k in range(i):
                pivot -= made[k] ** 2 * L[k][k]
            made.append(max(pivot, float(self._r)))
            L.append(made)
        return L

    def _unsolved(self, i: int) -> list[Fraction]:
        """Return row i of the inverse of the unit lower triangle."""
        row = [0.0] * i + [1.0]
        for j in range(i - 1, -1, -1):
            total = 0.0
            for k in range(j + 1, i + 1):
                total += row[k] * self._L[k][j]
            row[j] = -total
        return [_exact(each) for each in row]

    def _solved(self, s: Sequence[Fraction]) -> list[Fraction]:
        """Return K^-1 s, approximately."""
        z = [_real(each.numerator, each.denominator) for each in s]
        for i in range(len(z)):
            for k in range(i):
                z[i] -= self._L[i][k] * z[k]
        z = [each / self._L[i][i] for i, each in enumerate(z)]
        for i in range(len(z) - 1, -1, -1):
            for k in range(i + 1, len(z)):
                z[i] -= self._L[k][i] * z[k]
        return [_exact(each) for each in z]


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def _real(whole: int, unit: int) -> float:
    try:
        return whole / unit
    except OverflowError:
        raise Unsound("the examples must be smaller to be judged") from None


def _exact(number: float) -> Fraction:
    if not math.isfinite(number):
        raise Unsound("the examples must be closer in size to be judged")
    return Fraction(number)
