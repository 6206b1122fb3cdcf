"""What learners of a finite class share: the concepts left, and why others are not."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from littlestone.boolean._reasons import Dropped, Shown, Unrealizable
from littlestone.errors import (
    ExampleError,
    LabelError,
    ParameterError,
    UnrealizableWarning,
    refusal,
)
from littlestone.learner import Learner, as_label, as_times, warn
from littlestone.learner.packing import check
from littlestone.learner.parameters import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from littlestone.learner.rows import Example
    from littlestone.theorems import Number

    Concept: TypeAlias = Callable[[Any], Any]

__all__ = ["FiniteClassLearner", "Point", "ShownPoint", "as_concepts", "ask", "read"]

_REMEMBERED = 4096


@dataclass(frozen=True)
class ShownPoint(Shown):
    """An example that was shown and does not consist of features that are true.

    Examples
    --------
    >>> from littlestone.boolean._finite import ShownPoint
    >>> print(ShownPoint(3, {"age": 41}, True))
    round 3, labelled yes: {'age': 41}
    """

    x: Any

    def __str__(self) -> str:
        return f"round {self.round}, labelled {'yes' if self.y else 'no'}: {self.x!r}"


@dataclass(frozen=True)
class Point:
    """An example as concepts see it, and its key.

    Attributes
    ----------
    key
        Equal for equal examples: those whose features have the same values, where a
        feature that is not named is 0.
    x
        What concepts are called with.
    true
        The features that are true, if all others are false; None if not all are.
    """

    key: Hashable
    x: Any
    true: tuple[Any, ...] | None

    def shown(self, number: int, label: bool) -> Shown:
        """Return the example as one that was shown in a round."""
        if self.true is None:
            x = dict(self.x) if isinstance(self.x, Mapping) else self.x
            return ShownPoint(number, x, label)
        return Shown(number, self.true, label)


def read(owner: str, x: Example) -> Point:
    """Read an example: a mapping, a row, a one-row CSR matrix, a pair, or any value.

    Examples
    --------
    >>> from littlestone.boolean._finite import read
    >>> read("SOA", [0, 1, 1]).key == read("SOA", {1: True, 2: 1.0, 7: 0}).key
    True
    >>> read("SOA", [0, 1, 1]).true, read("SOA", {"age": 41}).true
    ((1, 2), None)
    """
    cells: Iterable[tuple[Any, Any]]
    if hasattr(x, "tocsr"):
        row = x.tocsr()
        if row.ndim == 2 and row.shape[0] != 1:  # noqa: PLR2004 - rows and columns
            raise refusal("example", owner=owner, value=x)
        x = (row.indices, row.data)
    if isinstance(x, np.ndarray):
        if x.ndim != 1 or isinstance(x, np.ma.MaskedArray):
            raise refusal("example", owner=owner, value=x)
        x = x.tolist()
    if _is_pair(x):
        columns, values = (list(np.asarray(part).tolist()) for part in x)
        x = dict(zip(columns, values, strict=True))
        if len(x) < len(columns):
            twice = next(c for c in columns if columns.count(c) > 1)
            raise refusal("duplicate", owner=owner, feature=twice)
    if isinstance(x, Mapping):
        cells = x.items()
    elif isinstance(x, (list, tuple)):
        cells = enumerate(x)
    else:
        return Point(_hashed(owner, x), x, None)
    kept = [(name, value) for name, value in cells if _is_there(owner, name, value)]
    boolean = all(_equals(value, 1) for _, value in kept)
    true = tuple(name for name, _ in kept) if boolean else None
    return Point(_hashed(owner, x, kept), x, true)


def _is_pair(x: Any) -> bool:
    """Tell whether an example is a pair (columns, values)."""
    return (
        isinstance(x, tuple)
        and len(x) == 2  # noqa: PLR2004 - it is a pair
        and all(isinstance(part, (list, tuple, np.ndarray)) for part in x)
        and len(x[0]) == len(x[1])
    )


def _is_there(owner: str, name: Any, value: Any) -> bool:
    """Tell whether a value is not 0, and refuse one that is no number at all."""
    if isinstance(value, (float, np.floating)) and not math.isfinite(value):
        raise refusal("finite", owner=owner, feature=name, value=value)
    return not _equals(value, 0)


def _equals(value: Any, number: int) -> bool:
    """Return whether a value is this number; False if it cannot be compared."""
    try:
        return bool(value == number)
    except (TypeError, ValueError):
        return False


def _hashed(owner: str, x: Any, cells: Any = None) -> Hashable:
    """Return what an example is known by, or refuse one that cannot be found again."""
    try:
        key: Hashable = x if cells is None else frozenset(cells)
        hash(key)
    except TypeError:
        raise ExampleError(
            "an example must be a mapping, a row or any value, and hashable or of "
            f"hashable values, got {x!r}",
            owner=owner,
        ) from None
    return key


def as_concepts(owner: str, concepts: Any) -> tuple[Concept, ...]:
    """Return the concepts of a class in their order, or refuse them.

    Examples
    --------
    >>> from littlestone.boolean._finite import as_concepts
    >>> len(as_concepts("SOA", [bool, callable]))
    2
    >>> as_concepts("SOA", [])
    Traceback (most recent call last):
    littlestone.errors.ParameterError: SOA: concepts must be a sequence of at least one concept, got []
    """  # noqa: E501 - a message is one line
    ordered = hasattr(concepts, "__len__") and hasattr(concepts, "__iter__")
    unordered = (str, bytes, Mapping, AbstractSet)
    if not ordered or isinstance(concepts, unordered) or len(concepts) == 0:
        raise ParameterError(
            f"concepts must be a sequence of at least one concept, got {concepts!r}",
            owner=owner,
        )
    found = tuple(concepts)
    for number, concept in enumerate(found):
        if not callable(concept):
            raise ParameterError(
                f"a concept must be callable on an example, got {concept!r} as "
                f"number {number}",
                owner=owner,
            )
    return found


def ask(owner: str, concepts: Sequence[Concept], numbers: Iterable[int], x: Any) -> int:
    """Return which of these concepts say yes to an example: bit i is concept i.

    Examples
    --------
    >>> from littlestone.boolean._finite import ask
    >>> bin(ask("SOA", [bool, lambda x: x > 1, lambda x: x > 2], range(3), 2))
    '0b11'
    """
    answers = ["0"] * len(concepts)
    for number in numbers:
        said = concepts[number](x)
        try:
            if said is True or (said is not False and as_label(said)):
                answers[-1 - number] = "1"
        except LabelError:
            raise ParameterError(
                f"a concept must say True or False, got {said!r} from number {number}",
                owner=owner,
            ) from None
    return int("".join(answers), 2)


def _numbers(subset: int) -> list[int]:
    return [i for i, bit in enumerate(reversed(f"{subset:b}")) if bit == "1"]


def _told(shown: Shown) -> list[Any]:
    """Return an example that was shown as plain values."""
    return [shown.round, shown.x, shown.y, isinstance(shown, ShownPoint)]


def _shown(owner: str, number: Any, x: Any, y: Any, point: Any) -> Shown:
    """Return a saved example, or refuse what is not one."""
    whole(owner, "round", number)
    sound = isinstance(y, bool) and isinstance(point, bool)
    check(owner, sound and (point or isinstance(x, tuple)), "examples")
    return ShownPoint(number, x, y) if point else Shown(number, x, y)


class FiniteClassLearner(Learner):
    """A learner that keeps the concepts of a finite class that were never wrong.

    A subset of the class is a whole number, bit i of which is concept i.
    """

    def __init__(self, concepts: Sequence[Concept]) -> None:
        self.concepts = concepts
        self._class = as_concepts(type(self).__name__, concepts)
        self._left = (1 << len(self._class)) - 1
        self._numbers = list(range(len(self._class)))
        self._rounds = 0
        self._drops: tuple[tuple[int, Shown], ...] = ()
        self._unrealizable: Unrealizable | None = None
        self._asked: dict[Hashable, int] = {}

    @property
    def concept_(self) -> Any:
        """The first of the concepts that were never wrong, in the order given."""
        return self._class[self._numbers[0]]

    @property
    def version_space_(self) -> tuple[Any, ...]:
        """The concepts that were never wrong."""
        return tuple(self._class[number] for number in self._numbers)

    @property
    def updates_(self) -> int:
        """How many rounds have dropped a concept since birth."""
        return len(self._drops)

    @property
    def rounds_(self) -> int:
        """How many rounds it has learned from since birth."""
        return self._rounds

    @property
    def known_(self) -> dict[str, Number]:
        """How many concepts there are; nothing once none of them fits."""
        if self._unrealizable is not None:
            return {}
        return {"concepts": len(self._class), "experts": len(self._class)}

    @property
    def unrealizable_(self) -> Unrealizable | None:
        """None, or the round since which no concept fits, and examples that show it."""
        return self._unrealizable

    def why(self, concept: Any) -> Dropped | None:
        """Tell which example has dropped a concept; None if it is still there.

        Parameters
        ----------
        concept
            One of the class.
        """
        owner = type(self).__name__
        if concept not in self._class:
            raise ParameterError(
                f"why takes one of the concepts, got {concept!r}",
                owner=owner,
            )
        number = self._class.index(concept)
        for dropped, shown in self._drops:
            if dropped >> number & 1:
                return Dropped(concept, shown)
        return None

    def predict_one(self, x: Example) -> bool:
        """Predict the label of one example; change nothing."""
        yes = self._answers(read(type(self).__name__, x)) & self._left
        return self._says(yes, self._left ^ yes)

    def learn_one(self, x: Example, y: object, sample_weight: int = 1) -> None:
        """Drop the concepts that are wrong, unless none would be left."""
        label = as_label(y)
        times = as_times(sample_weight)
        point = read(type(self).__name__, x)
        yes = self._answers(point) & self._left
        if times == 0:
            return
        wrong = self._left ^ yes if label else yes
        if wrong == self._left:
            self._leave(point.shown(self._rounds, label))
        elif wrong:
            shown = point.shown(self._rounds, label)
            self._drops = (*self._drops, (wrong, shown))
            self._left ^= wrong
            self._numbers = _numbers(self._left)
        self._rounds += times

    def _leave(self, shown: Shown) -> None:
        """Note that no concept fits from this example on, and say so once."""
        if self._unrealizable is not None:
            return
        examples = (*(dropped_by for _, dropped_by in self._drops), shown)
        self._unrealizable = Unrealizable(shown.round, examples)
        owner = type(self).__name__
        warn(
            f"{owner}: no concept of the class fits since round {shown.round}; an "
            "example that none of those left fits is not learned from",
            UnrealizableWarning,
        )

    @abstractmethod
    def _says(self, yes: int, no: int) -> bool:
        """Predict, given which concepts that are left say yes, and which say no."""

    def _answers(self, point: Point) -> int:
        """Return which concepts say yes, of those left; of others it is not known."""
        yes = self._asked.get(point.key)
        if yes is None:
            yes = ask(type(self).__name__, self._class, self._numbers, point.x)
            # What is said of an example is asked again when it is learned from, or met
            # again; the oldest is forgotten, so that memory does not grow.
            if len(self._asked) == _REMEMBERED:
                del self._asked[next(iter(self._asked))]
            self._asked[point.key] = yes
        return yes

    def save_state(self) -> dict[str, Any]:
        """Return the concepts left, and the examples that have dropped others."""
        proof = self._unrealizable
        return {
            "left": self._left,
            "rounds": self._rounds,
            "drops": [[dropped, *_told(shown)] for dropped, shown in self._drops],
            "proof": None if proof is None else [*map(_told, proof.examples)],
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        owner, left = type(self).__name__, self._left
        drops = []
        for dropped, *told in state["drops"]:
            check(owner, 0 < dropped == dropped & left < left, "concepts dropped once")
            left ^= dropped
            drops.append((dropped, _shown(owner, *told)))
        rounds = whole(owner, "rounds", state["rounds"])
        check(owner, left == state["left"] and rounds >= len(drops), "concepts left")
        self._left, self._rounds, self._drops = left, rounds, tuple(drops)
        self._numbers = _numbers(left)
        if state["proof"] is not None:
            examples = tuple(_shown(owner, *told) for told in state["proof"])
            check(owner, bool(examples), "a proof")
            self._unrealizable = Unrealizable(examples[-1].round, examples)
