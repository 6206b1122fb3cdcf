"""The examples that changed a linear learner, and the margins and losses of a vector.

All measures are rounded to the safe side: exact computation finds no radius or loss
above the stated one, and no margin below it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core
from littlestone.theorems._rounding import float_up
from littlestone.witnesses._candidate import Candidate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from littlestone.concepts import Feature
    from littlestone.running.examples import KeptExamples
    from littlestone.theorems import Number, Theorem

    Floats = NDArray[np.float64]

__all__ = [
    "LOST",
    "Examples",
    "Gap",
    "Vector",
    "add_up",
    "fall_short",
    "hinge_up",
    "longest",
    "mean_root_up",
    "of_length_one",
    "on_average",
    "root_up",
    "size_up",
    "squares_up",
    "vector",
]

# What a witness may lose of the mistakes to say more than they do, with room to round.
LOST = 0.89

# How many multiplications a search may take: about as long as running the learner over
# a few million values, and far more than small examples need.
_WORK = 2e7
_PASSES = 20  # of a search over all rounds of a long stream, at least
# How often losses may count; the steps are small at the end, where bounds grow so fast
# that from one to the next they may pass the number of rounds.
_TIMES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 40.0, 50.0, 64.0)
_CLOSE = 5e-3
_CLOSE_MARGIN = 1e-4
_ROUNDING = 2.0**-50
_FEW = 20_000  # values whose every theorem is searched for, as it costs little
_TINY = 1e-150  # a length whose square may be divided by
_TURNS = 6  # until a mean fits the bound that it gives


@dataclass(frozen=True)
class Gap:
    """How close a search came: the optimum lies between these two numbers.

    For a margin, `below` is the one found, 0 if nothing separates; for a sum of
    length and losses, `above` is.
    """

    below: float
    above: float
    passes: int
    close: bool


# Rounding ---------------------------------------------------------------------------


def add_up(numbers: Floats) -> float:
    """Return the sum of numbers that are at least 0, or the next float above it.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.witnesses._examples import add_up
    >>> add_up(np.array([0.5, 0.25])), add_up(np.array([1.0, 1e-30])) > 1
    (0.75, True)
    """
    listed = numbers.tolist()
    total = math.fsum(listed)  # the float nearest to the exact sum
    if math.isfinite(total) and math.fsum([*listed, -total]) > 0:
        total = math.nextafter(total, math.inf)
    return total


def root_up(square: float) -> float:
    """Return a square root, or the next float above it.

    Examples
    --------
    >>> from littlestone.witnesses._examples import root_up
    >>> root_up(9.0), root_up(2.0) ** 2 >= 2
    (3.0, True)
    """
    root = math.sqrt(square)
    if math.isfinite(root) and Fraction(root) ** 2 < Fraction(square):
        root = math.nextafter(root, math.inf)
    return root


def squares_up(numbers: Floats) -> float:
    """Return the sum of the squares, or slightly more.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.witnesses._examples import squares_up
    >>> squares_up(np.array([3.0, -4.0]))
    25.0
    """
    high = np.zeros(1)
    ends = np.array([0, len(numbers)], dtype=np.int64)
    places = np.zeros(len(numbers), dtype=np.int32)
    _core.square_bounds(ends, places, np.ascontiguousarray(numbers), 1, high)
    return float(high[0])


def size_up(vector: Floats) -> float:
    """Return the length of a vector, or slightly more.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.witnesses._examples import size_up
    >>> size_up(np.array([3.0, 4.0]))
    5.0
    """
    return root_up(squares_up(vector))


def of_length_one(vector: Floats) -> Floats | None:
    """Return the vector at length 1 or slightly less; None if it has no direction.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.witnesses._examples import of_length_one
    >>> of_length_one(np.array([0.0, 2.0])).round(12).tolist()
    [0.0, 1.0]
    """
    most = float(np.max(np.abs(vector), initial=0.0))
    if not (most > 0 and math.isfinite(most)):
        return None
    scaled = vector / most
    length = math.sqrt(math.fsum((scaled * scaled).tolist()))
    return np.asarray(scaled / length * (1 - _ROUNDING), dtype=np.float64)


def fall_short(level: float, margins: Floats) -> Floats:
    """Return by how much margins fall short of a level, or slightly more.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.witnesses._examples import fall_short
    >>> fall_short(1.0, np.array([2.0, 0.75])).tolist()
    [0.0, 0.25]
    """
    short = level - margins
    # The rounding error of a difference of two doubles is a double.
    other = short - level
    lost = (level - (short - other)) + (-margins - other)
    short = np.where(lost > 0, np.nextafter(short, math.inf), short)
    return np.asarray(np.maximum(short, 0.0), dtype=np.float64)


# Examples ---------------------------------------------------------------------------


class Examples:
    """Examples with signs, as sparse rows, just as the learner adds them.

    Parameters
    ----------
    offsets, columns, values
        Compressed sparse rows.
    signs
        +1.0 or -1.0 a row.
    width
        How many columns there are.
    passes
        How often a search may go through the rows; None for as often as it is worth.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.witnesses._examples import Examples
    >>> from littlestone.linear import Perceptron
    >>> stream = [({"a": 3.0, "b": 4.0}, False), ({"a": 1.0}, True)]
    >>> kept = run(Perceptron(), stream, keep="updates").examples
    >>> examples = Examples.of(kept, bias=1.0)
    >>> len(examples), examples.width, examples.values.tolist()
    (2, 3, [3.0, 4.0, 1.0, 1.0, 1.0])
    >>> v, gap = examples.separator()
    >>> bool((examples.margins(v) > 0).all()), gap.close
    (True, True)
    """

    def __init__(  # noqa: PLR0917 - rows are these arrays
        self,
        offsets: NDArray[np.int64],
        columns: NDArray[np.int32],
        values: Floats,
        signs: Floats,
        width: int,
        passes: int | None = None,
    ) -> None:
        self.offsets = np.ascontiguousarray(offsets, dtype=np.int64)
        self.columns = np.ascontiguousarray(columns, dtype=np.int32)
        self.values = np.ascontiguousarray(values, dtype=np.float64)
        self.signs = np.ascontiguousarray(signs, dtype=np.float64)
        self.width = width
        self.passes = passes
        self._squares: Floats | None = None

    @classmethod
    def of(
        cls,
        kept: KeptExamples,
        *,
        bias: float = 0.0,
        normalize: bool = False,
        passes: int | None = None,
    ) -> Examples:
        """Take the examples of a run, scaled and with the constant feature if asked.

        The constant feature, if it is not 0, has the last column.
        """
        values = kept.values
        if normalize:
            values = np.empty(len(kept.values))
            given = np.ascontiguousarray(kept.values)
            _core.scale_by_length(np.ascontiguousarray(kept.offsets), given, values)
        signs = np.where(kept.labels.astype(np.bool_), 1.0, -1.0)
        width = len(kept.features)
        made = cls(kept.offsets, kept.columns, values, signs, width, passes)
        return made.with_constant(bias)

    def with_constant(self, value: float) -> Examples:
        """Return the rows and a constant feature in the last column, if not 0."""
        if not value:
            return self
        ends = self.offsets[1:]
        columns = np.insert(self.columns, ends, self.width)
        values = np.insert(self.values, ends, value)
        offsets = self.offsets + np.arange(len(self.offsets), dtype=np.int64)
        return Examples(
            offsets, columns, values, self.signs, self.width + 1, self.passes
        )

    def __len__(self) -> int:
        return len(self.signs)

    @property
    def radius(self) -> float:
        """The length of the longest row, or slightly more."""
        return root_up(float(self.squares.max(initial=0.0)))

    @property
    def price(self) -> float:
        """What a loss costs for rows of this length, 1/R^2; finite if tiny."""
        return max(self.radius, _TINY) ** -2

    @property
    def squares(self) -> Floats:
        """The squared lengths of the rows, or slightly more."""
        if self._squares is None:
            self._squares = np.zeros(len(self))
            _core.square_bounds(
                self.offsets, self.columns, self.values, self.width, self._squares
            )
        return self._squares

    @property
    def sizes(self) -> Floats:
        """The size of the largest value of each row."""
        sizes, some = np.zeros(len(self)), np.diff(self.offsets) > 0
        if some.any():
            starts = self.offsets[:-1][some]
            sizes[some] = np.maximum.reduceat(np.abs(self.values), starts)
        return sizes

    @property
    def some_empty(self) -> bool:
        """Whether a row has no values, so that nothing separates the rows."""
        return bool((np.diff(self.offsets) == 0).any())

    @property
    def few(self) -> bool:
        """Whether a search for a theorem that is not needed costs little."""
        return len(self.values) <= _FEW

    def rows(self, which: NDArray[np.bool_]) -> Examples:
        """Return some of the rows."""
        sizes = np.diff(self.offsets)
        inside = np.repeat(which, sizes)
        offsets = np.concatenate([[0], np.cumsum(sizes[which])])
        return Examples(
            offsets,
            self.columns[inside],
            self.values[inside],
            self.signs[which],
            self.width,
            self.passes,
        )

    def at_most(self, values: int) -> Examples:
        """Return the rows, or of rows with more values every so many."""
        if len(self.values) <= values:
            return self
        few = math.ceil(len(self.values) / values)
        return self.rows(np.arange(len(self)) % few == 0)

    def signed(self, sparse: Any) -> Any:
        """Return the rows times their signs as a matrix of `scipy.sparse`."""
        signs = np.repeat(self.signs, np.diff(self.offsets))
        parts = (self.values * signs, self.columns, self.offsets)
        return sparse.csr_matrix(parts, (len(self), self.width))

    def scaled(self, factors: Floats) -> Examples:
        """Return the rows with each column multiplied by its factor."""
        values = self.values * factors[self.columns]
        return Examples(
            self.offsets, self.columns, values, self.signs, self.width, self.passes
        )

    def scores(self, v: Floats) -> tuple[Floats, Floats]:
        """Return a lower and an upper bound on v.x for each row."""
        low, high = np.zeros(len(self)), np.zeros(len(self))
        v = np.ascontiguousarray(v, dtype=np.float64)
        _core.score_bounds(self.offsets, self.columns, self.values, v, low, high)
        return low, high

    def margins(self, v: Floats) -> Floats:
        """Return a lower bound on y v.x for each row."""
        low, high = self.scores(v)
        return np.where(self.signs > 0, low, -high)

    def column_sums(self, values: Floats) -> Floats:
        """Add up one number per value, by column."""
        sums = np.bincount(self.columns, weights=values, minlength=self.width)
        return np.asarray(sums, dtype=np.float64)

    def reaching(self, v: Floats) -> Floats | None:
        """Return v scaled so that the smallest y v.x is 1 or barely more, or None."""
        if not len(self):
            return np.zeros(self.width)
        for more in (0.0, _ROUNDING, 4 * _ROUNDING):  # scaling rounds too
            least = float(self.margins(v).min())
            if not 0 < least < math.inf:
                return None
            scaled = v * ((1 + more) / least)
            if self.margins(scaled).min() >= 1:
                return np.asarray(scaled, dtype=np.float64)
        return None

    # Searching ----------------------------------------------------------------------

    def soft(self, *, hinge: float = 0.0, square: float = 0.0) -> tuple[Floats, Gap]:
        """Return v that minimises |v|^2/2 plus its weighted losses.

        A loss is max(0, 1 - y v.x), with the weight `hinge`; squared, with `square`.
        """
        cap = hinge or math.inf
        return self._search(cap, 1 / (2 * square) if square else 0.0, _CLOSE, 0.0)

    def separator(self, least: float = 0.0, useful: float = 0.0) -> tuple[Floats, Gap]:
        """Return nearly the shortest v with y v.x >= 1 on all rows.

        Give up when no margin y v.x/|v| can reach `least` and none is known, or when
        none can reach `useful`; `below` is 0 unless v separates the rows.
        """
        if self.some_empty:
            return np.zeros(self.width), Gap(0.0, 0.0, 0, close=False)
        return self._search(math.inf, 0.0, _CLOSE_MARGIN, least, useful)

    def softest(
        self,
        caps: Floats,
        levels: Floats,
        start: tuple[Floats, Floats] | None = None,
    ) -> Floats:
        """Return v that minimises |v|^2/2 plus losses with a price for each row.

        A loss is max(0, level - y v.x). The search may begin at a v that is a sum of
        rows, each with a dual of at most its cap.
        """
        v, duals = np.zeros(self.width), np.zeros(len(self))
        if start is not None:
            v[:], duals[:] = start
        _core.find_level_margin(
            self.offsets,
            self.columns,
            self.values,
            self.signs,
            np.ascontiguousarray(caps),
            np.ascontiguousarray(levels),
            duals,
            v,
            tolerance=_CLOSE,
            work=self._work,
        )
        return v

    @property
    def times(self) -> tuple[float, ...]:
        """How often losses may count in searches for a witness of a run.

        The least bound may be that of a witness that only repeats the mistakes.
        """
        return _TIMES if self.passes is None else _TIMES[:1]

    @property
    def _work(self) -> float:
        """How many multiplications a search may take."""
        if self.passes is not None:
            return self.passes * (1.0 + len(self.values))
        return max(_WORK, _PASSES * len(self.values))

    def _search(
        self,
        cap: float,
        ridge: float,
        tolerance: float,
        least: float,
        useful: float = 0.0,
    ) -> tuple[Floats, Gap]:
        v, duals = np.zeros(self.width), np.zeros(len(self))
        found = _core.find_margin(
            self.offsets,
            self.columns,
            self.values,
            self.signs,
            duals,
            v,
            cap=cap,
            ridge=ridge,
            tolerance=tolerance,
            work=self._work,
            least=least,
            useful=useful,
        )
        return v, Gap(*found)


@dataclass(frozen=True)
class Vector:
    """Writes a vector as a witness.

    Attributes
    ----------
    u
        The entries, and last that of the constant feature, if there is one.
    features
        The names of the others.
    """

    u: Floats
    features: tuple[Feature, ...]

    def __call__(self) -> dict[str, Any]:
        """Return the witness: that of the constant feature is written apart."""
        places = self._places
        names = map(self.features.__getitem__, places.tolist())
        apart = self.u[len(self.features) :].tolist()
        return {
            "kind": "vector",
            "entries": [*zip(names, _core.hexadecimals(self.u[places]), strict=True)],
            "bias": apart[0].hex() if any(apart) else None,
        }

    @property
    def doubles(self) -> list[float]:
        """The numbers of the entries that are written."""
        numbers: list[float] = self.u[self._places].tolist()
        return numbers

    @property
    def _places(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.u[: len(self.features)])


def vector(u: Floats, features: tuple[Feature, ...], *, constant: bool) -> Vector:
    """Return what writes a vector as a witness.

    With `constant`, the last entry is that of the constant feature, written apart.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.witnesses._examples import vector
    >>> vector(np.array([0.0, 2.0, 1.0]), ("a", "b"), constant=True)()["entries"]
    [('b', '0x1.0000000000000p+1')]
    """
    return Vector(u if constant else u[: len(features)], features)


def mean_root_up(squares: Floats) -> float:
    """Return the root of the mean of numbers, or slightly more.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.witnesses._examples import mean_root_up
    >>> mean_root_up(np.array([1.0, 7.0]))
    2.0
    """
    total = Fraction(add_up(squares))
    return root_up(float_up(total / max(len(squares), 1)))


def longest(squares: Floats, bound: float) -> Floats:
    """Return the largest squares, one more than a bound allows.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.witnesses._examples import longest
    >>> sorted(longest(np.array([1.0, 9.0, 4.0]), 1.5).tolist())
    [4.0, 9.0]
    """
    many = math.floor(bound) + 1 if math.isfinite(bound) else len(squares)
    if many >= len(squares):
        return squares
    return np.partition(squares, len(squares) - many)[len(squares) - many :]


def on_average(
    theorem: Theorem,
    witness: Callable[[], dict[str, Any]],
    numbers: Mapping[str, Number],
    name: str,
    squares: Floats,
    *,
    every: bool,
    least: float = 0.0,
) -> list[Candidate]:
    """Evaluate a theorem about the mean of squares, whose root has this name.

    For every order its own bound decides which rounds may count, the longest ones; then
    there may be no such bound. `least` is the root if all squares are 0.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.theorems import PERC_RMS
    >>> from littlestone.witnesses._examples import on_average
    >>> given = PERC_RMS, dict, {"margin": 1.0, "deviation": 0.0}, "mean_radius"
    >>> squares = np.array([1.0, 1.0, 4.0, 1.0])
    >>> on_average(*given, squares, every=False)
    [Candidate(PERC-RMS: 1.75)]
    >>> on_average(*given, squares, every=True)
    [Candidate(PERC-RMS: 2.5)]
    """
    counted = squares
    for _ in range(_TURNS):
        mean = mean_root_up(counted) or least
        found = Candidate.of(theorem, witness, {**numbers, name: mean})
        if every:
            counted = longest(squares, found.bound)
        if mean_root_up(counted) <= mean:
            return [found]
    return []


def hinge_up(total: float, margin: float) -> float:
    """Return total/margin, or the next float above it.

    Examples
    --------
    >>> from littlestone.witnesses._examples import hinge_up
    >>> hinge_up(3.0, 0.5)
    6.0
    """
    return float_up(Fraction(total) / Fraction(margin))
