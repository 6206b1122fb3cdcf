"""What a map is, how maps are joined, and how they are begun."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from littlestone.errors import ExampleError, ParameterError
from littlestone.learner.packing import (
    check,
    is_array,
    packed_features,
    unpacked_features,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from littlestone import _core

__all__ = ["Begun", "Chain", "Map", "MappedRows", "as_map"]

_MOST = 64  # maps one after another


class Map(ABC):
    """A change of the features of examples: a value, which holds nothing learned.

    Maps are joined with `|`, the first to be applied first.

    Examples
    --------
    >>> from littlestone.maps import Fourier, Standardized
    >>> Standardized() | Fourier(dim=300)
    Standardized(center=True) | Fourier(width=None, dim=300, seed=0)
    """

    # Whether it learns from the examples that it maps.
    learns: ClassVar[bool] = False

    @property
    def steps(self) -> tuple[Map, ...]:
        """The maps that it is made of, in order."""
        return (self,)

    def get_params(self) -> dict[str, Any]:
        """Return the arguments that it was made with."""
        return {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]  # all are dataclasses

    @abstractmethod
    def native(self) -> _core.Map:
        """Return a new native map."""

    def size(self, features: int) -> int:
        """Return about how many features it makes of so many."""
        return features

    def begin(self) -> Begun:
        """Return what applies it, from the first example on."""
        return Begun(self)

    def apply(self, x: Any) -> dict[Any, float]:
        """Return what a new map makes of one example.

        Examples
        --------
        >>> from littlestone.maps import Quadratic
        >>> Quadratic().apply({"a": 2.0, "b": 3.0})
        {'a': 2.0, 'b': 3.0, 'a*a': 4.0, 'a*b': 6.0, 'b*b': 9.0}
        """
        return _mapping(self.begin().one(x))

    def examples(
        self, stream: Iterable[tuple[Any, Any]]
    ) -> Iterator[tuple[dict[Any, float], Any]]:
        """Yield the examples of a stream as a learner behind the map gets them.

        Examples
        --------
        >>> from littlestone.maps import Standardized
        >>> stream = [({"a": 1.0}, True), ({"a": 3.0}, False)]
        >>> list(Standardized().examples(stream))
        [({}, True), ({'a': 1.0}, False)]
        """
        begun = self.begin()
        for x, y in stream:
            yield _mapping(begun.one(x)), y

    def __or__(self, other: object) -> Chain:
        if not isinstance(other, Map):
            return NotImplemented
        return Chain((*self.steps, *other.steps))


@dataclass(frozen=True, repr=False)
class Chain(Map):
    """Maps one after another, made by `|`.

    Parameters
    ----------
    maps
        Two or more maps.

    Examples
    --------
    >>> from littlestone.maps import Chain, Crossed, Standardized
    >>> Chain([Crossed([("a", "b")]), Standardized()]).apply({"a": 1.0})
    {}
    """

    maps: Sequence[Map]

    def __post_init__(self) -> None:
        given = self.maps
        sound = isinstance(given, (list, tuple)) and given
        if not sound or not all(isinstance(each, Map) for each in given):
            raise ParameterError(
                f"maps must be maps in a list, got {given!r}", owner="Chain"
            )
        steps = tuple(step for each in given for step in each.steps)
        if len(steps) > _MOST:
            raise ParameterError(
                f"maps must be at most {_MOST}, got {len(steps)}", owner="Chain"
            )
        object.__setattr__(self, "maps", steps)

    @property
    def steps(self) -> tuple[Map, ...]:
        """The maps that it is made of, in order."""
        return tuple(self.maps)

    def native(self) -> _core.Map:
        """Refuse: each of its maps is native."""
        raise ParameterError("a chain has no native map", owner="Chain")

    def __repr__(self) -> str:
        return " | ".join(map(repr, self.maps))


def as_map(owner: str, given: Any) -> Map:
    """Return a map, or refuse what is none.

    Examples
    --------
    >>> from littlestone.maps import Fourier, as_map
    >>> as_map("Mapped", Fourier(dim=2))
    Fourier(width=None, dim=2, seed=0)
    """
    if isinstance(given, Map):
        return given
    if isinstance(given, (list, tuple)):
        return Chain(given)
    raise ParameterError(
        f"map must be one of littlestone.maps, got {given!r}", owner=owner
    )


@dataclass(frozen=True)
class MappedRows:
    """Rows of a block that were mapped, up to the first that cannot be.

    Attributes
    ----------
    rows
        The mapped rows; None if they have both names and column numbers, so that no
        block can hold them.
    count
        How many rows were mapped.
    refuse
        Raises what stopped the mapping at a row, numbered from `first` on.
    """

    rows: Any
    count: int
    refuse: Callable[[int, int], None] | None


class Begun:
    """A map in use, with what it has learned of the examples so far."""

    def __init__(self, chosen: Map) -> None:
        self._steps = chosen.steps
        self._natives = [step.native() for step in self._steps]
        self._learns = any(step.learns for step in self._steps)

    def one(self, x: Any, *, learn: bool = True) -> Any:
        """Map one example; learn from it unless it is refused."""
        self.mark()
        try:
            for native in self._natives:
                x = native.apply_one(x, learn)
        except ExampleError:
            self.undo()
            raise
        return x

    def block(self, rows: Any, first: int, last: int, *, learn: bool) -> MappedRows:
        """Map the rows of a block."""
        refuse, kept = None, []
        for native in self._natives:
            made = native.apply(rows, first, last, learn)
            if made.stopped:

                def refuse(
                    row: int,
                    begun: int,
                    native: _core.Map = native,
                    given: tuple[Any, Any, int] = (rows, made, first),
                ) -> None:
                    source, stopped, start = given
                    try:
                        native.refuse(source, stopped, start + len(stopped), start)
                    except ExampleError as error:
                        located(error, row, begun)
                        raise

            if made.mixed:
                return MappedRows(None, len(made), refuse)
            kept.append(made)
            rows, first, last = made.rows(), 0, len(made)
        return MappedRows(rows, last, refuse)

    def end(self, rows: Any, first: int, last: int) -> int:
        """Return up to where to map rows at a time, so that little is made of them."""
        last = min(last, first + 4096)
        features: int = rows.most_nonzeros(first, last)
        for step in self._steps:
            features = step.size(features)
        return min(last, first + max(1, (1 << 18) // (1 + features)))

    def mark(self) -> None:
        """Remember what was learned so far."""
        if self._learns:
            for native in self._natives:
                native.mark()

    def undo(self) -> None:
        """Return to what was remembered."""
        if self._learns:
            for native in self._natives:
                native.undo()

    def save(self) -> list[dict[str, Any]]:
        """Return what each map has learned."""
        made = []
        for native in self._natives:
            features, numbers = native.save()
            made.append(
                {"features": packed_features(features), "numbers": np.array(numbers)}
            )
        return made

    def load(self, state: Any) -> None:
        """Give a new map what another one has learned."""
        for native, saved in zip(self._natives, state, strict=True):
            check("Mapped", is_array(saved["numbers"], np.float64), "numbers")
            features = unpacked_features("Mapped", saved["features"])
            native.load(features, saved["numbers"].tolist())


def located(error: ExampleError, row: int, first: int) -> None:
    """Say in which row of a block that is played from `first` on an example is."""
    error.row, error.where, error.rounds = row, f"row {row}", row - first


def _mapping(x: Any) -> dict[Any, float]:
    return dict(enumerate(x)) if isinstance(x, list) else x
