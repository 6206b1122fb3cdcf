"""Conjunctions of clauses and disjunctions of terms."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypeVar

from littlestone.concepts._concept import BooleanConcept, feature_key
from littlestone.concepts._lines import Pieces
from littlestone.concepts._literals import (
    Conjunction,
    Disjunction,
    Literal,
    as_literal,
    read_literal,
)
from littlestone.concepts._text import Scanner
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.concepts._concept import Feature
    from littlestone.concepts._writers import Writer

    Parts: TypeAlias = tuple[Conjunction, ...] | tuple[Disjunction, ...]

__all__ = ["KCNF", "KDNF"]

Part = TypeVar("Part", Conjunction, Disjunction)


def as_part(owner: str, kind: type[Part], part: Any) -> Part:
    """Return a clause or a term, also from one literal or from several."""
    if isinstance(part, kind):
        return part
    if isinstance(part, (Conjunction, Disjunction)):
        raise ParameterError(
            f"each part must be a {kind.__name__} or literals, got {part!r}",
            owner=owner,
        )
    alone = isinstance(part, str) or not isinstance(part, Iterable)
    literals = [part] if alone else part
    return kind._make(as_literal(owner, literal) for literal in literals)


class _NormalForm(BooleanConcept):
    """Distinct parts in order; a part that decides nothing is left out."""

    __slots__ = ()

    _features: tuple[Feature, ...]

    _kind: ClassVar[type[Conjunction | Disjunction]]
    _field: ClassVar[str]
    _joint: ClassVar[str]  # what joins two parts

    def _set(self, parts: Iterable[Conjunction | Disjunction]) -> None:
        # A term that is never true says nothing beside others, nor does a clause
        # that is always true.
        distinct = {part._key: part for part in parts if not part._constant}
        ordered = tuple([distinct[key] for key in sorted(distinct)])
        met = {literal.feature for part in ordered for literal in part.literals}
        object.__setattr__(self, self._field, ordered)
        object.__setattr__(self, "_features", tuple(sorted(met, key=feature_key)))

    @classmethod
    def _make(cls, parts: Iterable[Conjunction | Disjunction]) -> Self:
        made = cls.__new__(cls)
        made._set(parts)
        return made

    @property
    @abstractmethod
    def _parts(self) -> Parts: ...

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read it back from the text that `str` gives.

        A part of one literal needs no brackets, nor does a term, since "and" binds
        more tightly than "or".

        Examples
        --------
        >>> from littlestone.concepts import KCNF, KDNF
        >>> KCNF.parse("(a or b) and not c")
        KCNF(Disjunction('a', 'b'), Disjunction(~Literal('c')))
        >>> KDNF.parse("a and b or c") == KDNF.parse("(a and b) or c")
        True
        """
        scanner = Scanner(cls.__name__, text)
        parts = [cls._read(scanner)]
        while scanner.take(cls._joint):
            parts.append(cls._read(scanner))
        scanner.expect("end", cls._joint)
        return cls._make(parts)

    @classmethod
    def _read(cls, scanner: Scanner) -> Conjunction | Disjunction:
        """Go past one part."""
        if scanner.take("("):
            part = cls._kind._read(scanner)
            scanner.expect(")", *([cls._kind._joint] if part.literals else []))
            return part
        if cls._kind is Conjunction or scanner.symbol in {"always", "never"}:
            return cls._kind._read(scanner)
        return cls._kind._make([read_literal(scanner)])

    @property
    def features(self) -> tuple[Feature, ...]:
        """The features of its literals: columns ascending, then names in order."""
        return self._features

    @property
    def size(self) -> int:
        """How many literals it has, over all parts."""
        return sum(part.size for part in self._parts)

    @property
    def k(self) -> int:
        """How many literals the largest part has."""
        return max((part.size for part in self._parts), default=0)

    def reduced(self) -> Self:
        """Return it without the parts that its other parts make needless.

        A part goes if another part has only some of its literals, or if it holds a
        feature and its negation.

        Examples
        --------
        >>> from littlestone.concepts import KDNF
        >>> print(KDNF.parse("(a and b) or a or (b and c and not c)").reduced())
        a
        """
        sets = {
            part: frozenset(part.literals)
            for part in self._parts
            if len(part.features) == part.size
        }
        known = set(sets.values())
        return self._make(
            part
            for part, literals in sets.items()
            if not _contains_another(literals, known)
        )

    def __str__(self) -> str:
        match self._parts:
            case ():
                return "never" if self._kind is Conjunction else "always"
            case (part,) if not part.literals:
                return str(part)
        return f" {self._joint} ".join(map(_bracketed, self._parts))

    def _pieces(self) -> Pieces:
        # The shortest say most.
        parts: list[Conjunction | Disjunction] = [*self._parts]
        parts.sort(key=lambda part: part.size)
        return Pieces([_bracketed(part) for part in parts], self._joint, self._field)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._parts))})"

    def _branches(self, writer: Writer) -> tuple[list[tuple[str, bool]], bool]:
        parts = []
        for part in self._parts:
            condition = part._condition(writer)
            alone = part.size <= 1 or len(self._parts) == 1
            parts.append(condition if alone else f"({condition})")
        if not parts:
            return [], self._kind is Disjunction
        join = writer.either if self._joint == "or" else writer.both
        return [(join(parts), True)], False


def _bracketed(part: Conjunction | Disjunction) -> str:
    bare = part.size == 1 and part.literals[0].positive
    return str(part) if bare else f"({part})"


def _contains_another(
    literals: frozenset[Literal], known: set[frozenset[Literal]]
) -> bool:
    """Tell whether some of these literals, but not all, are a part as well."""
    if 1 << len(literals) > len(known):
        return any(other < literals for other in known)
    return any(
        frozenset(some) in known
        for size in range(len(literals))
        for some in combinations(literals, size)
    )


@dataclass(frozen=True, slots=True, init=False, repr=False)
class KCNF(_NormalForm):
    """All of some clauses, each any of up to k literals: "(a or b) and (not c)".

    Parameters
    ----------
    *clauses
        Disjunctions, or iterables of literals; one literal is a clause as well. They
        are kept in order, each once, without those that are `Disjunction.always()`.

    Attributes
    ----------
    clauses
        The clauses, in order. None at all are always true, and the empty one is never.

    Examples
    --------
    >>> from littlestone.concepts import KCNF, Disjunction, Literal
    >>> rule = KCNF(Disjunction("a", "b"), ~Literal("c"))
    >>> print(rule)
    (a or b) and (not c)
    >>> rule({"a": 1}), rule({"a": 1, "c": 1}), rule.k, rule.size
    (True, False, 2, 3)
    >>> print(~rule)
    (not a and not b) or c
    >>> print(KCNF(), KCNF(Disjunction()))
    always never
    """

    clauses: tuple[Disjunction, ...]
    _features: tuple[Feature, ...] = field(compare=False)

    _kind: ClassVar[type[Conjunction | Disjunction]] = Disjunction
    _field: ClassVar[str] = "clauses"
    _joint: ClassVar[str] = "and"

    def __init__(
        self, *clauses: Disjunction | Literal | Feature | Iterable[Any]
    ) -> None:
        self._set(as_part("KCNF", Disjunction, clause) for clause in clauses)

    @property
    def _parts(self) -> tuple[Disjunction, ...]:
        return self.clauses

    def __invert__(self) -> KDNF:
        return KDNF._make(~clause for clause in self.clauses)

    def _holds(self, true: set[Feature]) -> bool:
        return all(clause._holds(true) for clause in self.clauses)

    def _bits(self, columns: Mapping[Feature, int], full: int) -> int:
        bits = full
        for clause in self.clauses:
            bits &= clause._bits(columns, full)
        return bits


@dataclass(frozen=True, slots=True, init=False, repr=False)
class KDNF(_NormalForm):
    """Any of some terms, each all of up to k literals: "(a and b) or c".

    Parameters
    ----------
    *terms
        Conjunctions, or iterables of literals; one literal is a term as well. They are
        kept in order, each once, without those that are `Conjunction.never()`.

    Attributes
    ----------
    terms
        The terms, in order. None at all are never true, and the empty one is always.

    Examples
    --------
    >>> from littlestone.concepts import KDNF, Conjunction
    >>> rule = KDNF(Conjunction("a", "b"), "c")
    >>> print(rule)
    (a and b) or c
    >>> rule({"a": 1}), rule({"c": 1}), rule.k, rule.size
    (False, True, 2, 3)
    >>> print(~rule)
    (not a or not b) and (not c)
    >>> print(KDNF(), KDNF(Conjunction()))
    never always
    """

    terms: tuple[Conjunction, ...]
    _features: tuple[Feature, ...] = field(compare=False)

    _kind: ClassVar[type[Conjunction | Disjunction]] = Conjunction
    _field: ClassVar[str] = "terms"
    _joint: ClassVar[str] = "or"

    def __init__(self, *terms: Conjunction | Literal | Feature | Iterable[Any]) -> None:
        self._set(as_part("KDNF", Conjunction, term) for term in terms)

    @property
    def _parts(self) -> tuple[Conjunction, ...]:
        return self.terms

    def __invert__(self) -> KCNF:
        return KCNF._make(~term for term in self.terms)

    def _holds(self, true: set[Feature]) -> bool:
        return any(term._holds(true) for term in self.terms)

    def _bits(self, columns: Mapping[Feature, int], full: int) -> int:
        bits = 0
        for term in self.terms:
            bits |= term._bits(columns, full)
        return bits
