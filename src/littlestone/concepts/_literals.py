"""Literals, and what a few of them make together: all of them, or any of them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import total_ordering
from typing import TYPE_CHECKING, Any, ClassVar, Self

from littlestone.concepts._concept import BooleanConcept, as_feature, feature_key
from littlestone.concepts._lines import Pieces
from littlestone.concepts._text import Scanner, feature_text
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from littlestone.concepts._concept import Feature
    from littlestone.concepts._writers import Writer

__all__ = ["Conjunction", "Disjunction", "Literal"]


@total_ordering
@dataclass(frozen=True, slots=True, repr=False)
class Literal:
    """A feature, or its negation.

    Columns come before names and a feature before its negation, where literals are
    sorted.

    Parameters
    ----------
    feature
        A name, or the number of a column.
    positive
        Whether it holds where the feature is true, or where it is false.

    Examples
    --------
    >>> from littlestone.concepts import Literal
    >>> print(Literal("odor=foul"), ~Literal(4), Literal("x4"))
    odor=foul not x4 "x4"
    >>> Literal.parse("not x4") == ~Literal(4)
    True
    """

    feature: Feature
    positive: bool = True
    # What it is sorted by, kept since large concepts are sorted by little else.
    _key: tuple[bool, Feature, bool] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        feature = as_feature("Literal", self.feature)
        if not isinstance(self.positive, bool):
            raise ParameterError(
                f"positive must be True or False, got {self.positive!r}",
                owner="Literal",
            )
        object.__setattr__(self, "feature", feature)
        key = (*feature_key(feature), not self.positive)
        object.__setattr__(self, "_key", key)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a literal back from its text.

        Examples
        --------
        >>> from littlestone.concepts import Literal
        >>> Literal.parse('not "two words"')
        ~Literal('two words')
        """
        scanner = Scanner("Literal", text)
        literal = read_literal(scanner)
        scanner.expect("end")
        return cls(literal.feature, literal.positive)

    def __lt__(self, other: object) -> bool:
        return self._key < other._key if isinstance(other, Literal) else NotImplemented

    def __invert__(self) -> Literal:
        return Literal(self.feature, not self.positive)

    def __str__(self) -> str:
        return f"{'' if self.positive else 'not '}{feature_text(self.feature)}"

    def __repr__(self) -> str:
        return f"{'' if self.positive else '~'}Literal({self.feature!r})"

    def __reduce__(self) -> tuple[Callable[[str], Self], tuple[str]]:
        return type(self).parse, (str(self),)


def read_literal(scanner: Scanner) -> Literal:
    """Go past a literal."""
    positive = not scanner.take("not")
    if scanner.symbol != "feature":
        scanner.fail(*(["not"] if positive else []), "feature")
    feature = scanner.feature()
    literal = scanner.literals.get((feature, positive))
    if literal is None:
        literal = scanner.literals[feature, positive] = Literal(feature, positive)
    return literal


def as_literal(owner: str, literal: Any) -> Literal:
    """Return a literal, or the positive one of a feature."""
    if isinstance(literal, Literal):
        return literal
    try:
        return Literal(literal)
    except ParameterError:
        raise ParameterError(
            "a literal must be a Literal, a name or a column from 0 to 2**64 - 1, "
            f"got {literal!r}",
            owner=owner,
        ) from None


class _Literals(BooleanConcept):
    """Distinct literals in order, or a constant that no literals make."""

    __slots__ = ()

    literals: tuple[Literal, ...]
    _constant: bool

    _joint: ClassVar[str]  # what joins two literals
    _empty: ClassVar[bool]  # what no literals at all say

    @classmethod
    def _make(cls, literals: Iterable[Literal]) -> Self:
        made = cls.__new__(cls)
        made._set(literals, constant=False)
        return made

    def _set(self, literals: Iterable[Literal], *, constant: bool) -> None:
        distinct = {literal._key: literal for literal in literals}
        ordered = tuple([distinct[key] for key in sorted(distinct)])
        object.__setattr__(self, "literals", ordered)
        object.__setattr__(self, "_constant", constant)

    @classmethod
    def always(cls) -> Self:
        """Return the constant yes.

        Examples
        --------
        >>> from littlestone.concepts import Conjunction, Disjunction
        >>> Conjunction.always() == Conjunction(), Disjunction.always()({})
        (True, True)
        """
        return cls._say(answer=True)

    @classmethod
    def never(cls) -> Self:
        """Return the constant no.

        Examples
        --------
        >>> from littlestone.concepts import Conjunction, Disjunction
        >>> Disjunction.never() == Disjunction(), Conjunction.never()({})
        (True, False)
        """
        return cls._say(answer=False)

    @classmethod
    def _say(cls, *, answer: bool) -> Self:
        made = cls.__new__(cls)
        made._set((), constant=answer is not cls._empty)
        return made

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read it back from the text that `str` gives.

        Examples
        --------
        >>> from littlestone.concepts import Conjunction
        >>> Conjunction.parse("a and not x4")
        Conjunction(~Literal(4), 'a')
        >>> Conjunction.parse("a or b")
        Traceback (most recent call last):
        littlestone.errors.ParameterError: Conjunction: expected 'and' or the end at position 2, got 'or'
        """  # noqa: E501 - a message is one line
        scanner = Scanner(cls.__name__, text)
        made = cls._read(scanner)
        if scanner.symbol != "end":
            scanner.fail(*([cls._joint] if made.literals else []), "end")
        return made

    @classmethod
    def _read(cls, scanner: Scanner) -> Self:
        """Go past literals, or a constant."""
        if scanner.symbol in {"always", "never"}:
            answer = scanner.take("always")
            if not answer:
                scanner.take("never")
            return cls._say(answer=answer)
        literals = [read_literal(scanner)]
        while scanner.take(cls._joint):
            literals.append(read_literal(scanner))
        return cls._make(literals)

    @property
    def features(self) -> tuple[Feature, ...]:
        """The features of its literals: columns ascending, then names in order."""
        return tuple(dict.fromkeys(literal.feature for literal in self.literals))

    @property
    def size(self) -> int:
        """How many literals it has."""
        return len(self.literals)

    @property
    @abstractmethod
    def _opposite(self) -> type[_Literals]: ...

    @property
    def _says(self) -> bool:
        """What it says if it has no literals."""
        return self._empty is not self._constant

    def __invert__(self) -> Any:
        if not self.literals:
            return self._opposite._say(answer=not self._says)
        return self._opposite._make(~literal for literal in self.literals)

    def __str__(self) -> str:
        if not self.literals:
            return "always" if self._says else "never"
        return f" {self._joint} ".join(map(str, self.literals))

    def _pieces(self) -> Pieces:
        return Pieces(
            [str(literal) for literal in self.literals], self._joint, "literals"
        )

    def __repr__(self) -> str:
        owner = type(self).__name__
        if self._constant:
            return f"{owner}.{self}()"
        shown = (
            repr(literal.feature if literal.positive else literal)
            for literal in self.literals
        )
        return f"{owner}({', '.join(shown)})"

    @property
    def _key(self) -> tuple[bool, tuple[tuple[bool, Feature, bool], ...]]:
        return self._constant, tuple([literal._key for literal in self.literals])

    def _condition(self, writer: Writer) -> str:
        """Write when it holds."""
        if not self.literals:
            return writer.answer(self._says)
        join = writer.either if self._joint == "or" else writer.both
        return join(
            [
                writer.literal(literal.feature, literal.positive)
                for literal in self.literals
            ]
        )

    def _branches(self, writer: Writer) -> tuple[list[tuple[str, bool]], bool]:
        if not self.literals:
            return [], self._says
        return [(self._condition(writer), True)], False


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Conjunction(_Literals):
    """All of some literals: "a and not b".

    A conjunction of no literals is always true. `Conjunction.never()` is what no
    literals make, and so is a value of its own.

    Parameters
    ----------
    *literals
        Literals; a name or a column number means its positive literal. They are
        kept in order, each once.

    Attributes
    ----------
    literals
        The literals, in order.

    Examples
    --------
    >>> from littlestone.concepts import Conjunction, Literal
    >>> edible = Conjunction("odor=none", ~Literal("spore-print-color=green"))
    >>> print(edible)
    odor=none and not spore-print-color=green
    >>> edible({"odor=none": 1}), edible({"odor=foul": 1})
    (True, False)
    >>> print(Conjunction(), Conjunction.never(), ~edible)
    always never not odor=none or spore-print-color=green
    """

    literals: tuple[Literal, ...]
    _constant: bool = field(repr=False)

    _joint: ClassVar[str] = "and"
    _empty: ClassVar[bool] = True

    def __init__(self, *literals: Literal | Feature) -> None:
        made = [as_literal("Conjunction", literal) for literal in literals]
        self._set(made, constant=False)

    @property
    def _opposite(self) -> type[_Literals]:
        return Disjunction

    def __invert__(self) -> Disjunction:
        inverted: Disjunction = _Literals.__invert__(self)
        return inverted

    def _holds(self, true: set[Feature]) -> bool:
        return not self._constant and all(
            (literal.feature in true) is literal.positive for literal in self.literals
        )

    def _bits(self, columns: Mapping[Feature, int], full: int) -> int:
        bits = 0 if self._constant else full
        for literal in self.literals:
            column = columns[literal.feature]
            bits &= column if literal.positive else full ^ column
        return bits


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Disjunction(_Literals):
    """Any of some literals: "a or not b".

    A disjunction of no literals is never true. `Disjunction.always()` is what no
    literals make, and so is a value of its own.

    Parameters
    ----------
    *literals
        Literals; a name or a column number means its positive literal. They are
        kept in order, each once.

    Attributes
    ----------
    literals
        The literals, in order.

    Examples
    --------
    >>> from littlestone.concepts import Disjunction, Literal
    >>> rule = Disjunction("a", ~Literal("b"))
    >>> print(rule)
    a or not b
    >>> rule({}), rule({"b": 1}), rule({"a": 1, "b": 1})
    (True, False, True)
    >>> print(Disjunction(), Disjunction.always(), ~rule)
    never always not a and b
    """

    literals: tuple[Literal, ...]
    _constant: bool = field(repr=False)

    _joint: ClassVar[str] = "or"
    _empty: ClassVar[bool] = False

    def __init__(self, *literals: Literal | Feature) -> None:
        made = [as_literal("Disjunction", literal) for literal in literals]
        self._set(made, constant=False)

    @property
    def _opposite(self) -> type[_Literals]:
        return Conjunction

    def __invert__(self) -> Conjunction:
        inverted: Conjunction = _Literals.__invert__(self)
        return inverted

    def _holds(self, true: set[Feature]) -> bool:
        return self._constant or any(
            (literal.feature in true) is literal.positive for literal in self.literals
        )

    def _bits(self, columns: Mapping[Feature, int], full: int) -> int:
        bits = full if self._constant else 0
        for literal in self.literals:
            column = columns[literal.feature]
            bits |= column if literal.positive else full ^ column
        return bits
