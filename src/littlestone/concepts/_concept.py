"""What every concept can do, and how it reads an example."""

from __future__ import annotations

import keyword
import operator
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

from littlestone.concepts._lines import Pieces, rule_lines
from littlestone.concepts._writers import PythonWriter, SQLWriter
from littlestone.display.markup import block, written
from littlestone.errors import ExampleError, FeatureError, ParameterError, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from littlestone.concepts._writers import Writer

__all__ = ["Concept", "Example", "Feature"]

# A name, or the number of a column.
Feature: TypeAlias = str | int


class Row(Protocol):
    """A sequence or an array with one value a column."""

    def __len__(self) -> int: ...
    def __getitem__(self, column: int, /) -> Any: ...


# What a concept answers to: feature to value, or a row.
Example: TypeAlias = Mapping[Any, Any] | Row

_MOST_FEATURES = 20  # 2**20 rows of a truth table


class Concept(ABC):
    """A fixed rule that could be the truth: an immutable value that says yes or no.

    A concept is called on an example: a mapping from feature to value, in which a
    feature that is absent is false, or a row with one value a column, in which a
    column beyond the end is false. Values are 0, 1, True or False; a `Halfspace` takes
    any finite number. Only the features of the concept are looked at, but all of them.

    Two concepts are equal when they are written the same way, up to the order in which
    literals, clauses and terms; `equivalent` says whether they mean the same.

    Examples
    --------
    >>> from littlestone.concepts import Concept, Conjunction, Disjunction
    >>> rule = Conjunction("a", 4)
    >>> isinstance(rule, Concept), rule({"a": 1, 4: True}), rule({"a": 1})
    (True, True, False)
    >>> print(rule, "|", ~rule, "|", Disjunction("a").equivalent(Conjunction("a")))
    x4 and a | not x4 or not a | True
    """

    __slots__ = ()

    @property
    @abstractmethod
    def features(self) -> tuple[Feature, ...]:
        """The features it looks at: columns ascending, then names in order."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How large it is, in the unit of its class."""

    @classmethod
    @abstractmethod
    def parse(cls, text: str) -> Self:
        """Read it back from the text that `str` gives."""

    @abstractmethod
    def __str__(self) -> str: ...

    @abstractmethod
    def __invert__(self) -> Concept: ...

    @abstractmethod
    def __call__(self, x: Example) -> bool: ...

    @abstractmethod
    def _bits(self, columns: Mapping[Feature, int], full: int) -> int:
        """Answer many examples: bit r is the answer to the r-th, as in `columns`."""

    @abstractmethod
    def _python(self) -> list[str]:
        """Write the lines of a Python function of x."""

    @abstractmethod
    def _sql(self, writer: SQLWriter) -> str:
        """Write an expression that is true or false."""

    def _pieces(self) -> Pieces:
        return Pieces([str(self)])

    def _repr_html_(self) -> str:
        return block(type(self).__name__, written("\n".join(rule_lines(self))))

    def __reduce__(self) -> tuple[Callable[[str], Self], tuple[str]]:
        # The text is all there is to a concept, so equal ones have equal pickles.
        return type(self).parse, (str(self),)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def truth_table(
        self, features: int | Iterable[Feature] | None = None
    ) -> tuple[bool, ...]:
        """Answer every example over some features, at most 20.

        Parameters
        ----------
        features
            A number n for the columns 0 to n - 1, or the features in the order wanted;
            its own if none are given. They must include all that the concept looks at.

        Returns
        -------
        tuple[bool, ...]
            The answers in the order of counting: all false first, all true last, the
            last feature changing fastest.

        Examples
        --------
        >>> from littlestone.concepts import Disjunction
        >>> Disjunction("a", "b").truth_table()
        (False, True, True, True)
        """
        owner = type(self).__name__
        listed = as_features(owner, self.features if features is None else features)
        columns, full = _table(owner, listed)
        if missing := set(self.features).difference(columns):
            unlisted = min(missing, key=feature_key)
            raise ParameterError(
                "features must include all that it looks at, got none that is "
                f"{unlisted!r}",
                owner=owner,
            )
        answers = f"{self._bits(columns, full):0{full.bit_length()}b}"
        return tuple(answer == "1" for answer in reversed(answers))

    def equivalent(self, other: Concept) -> bool:
        """Tell whether two concepts answer every example alike.

        Both are evaluated on every example over the features of either, of which there
        may be 20. For a `Halfspace` that is every example of zeros and ones.

        Examples
        --------
        >>> from littlestone.concepts import DecisionList, Disjunction
        >>> rule = DecisionList.parse("if a then yes, else if not b then no, else yes")
        >>> rule.equivalent(Disjunction("a", "b"))
        True
        """
        owner = type(self).__name__
        if not isinstance(other, Concept):
            raise ParameterError(
                f"equivalent takes a concept, got {other!r}", owner=owner
            )
        listed = sorted({*self.features, *other.features}, key=feature_key)
        columns, full = _table(owner, listed)
        return self._bits(columns, full) == other._bits(columns, full)

    def to_python(self, name: str = "rule") -> str:
        """Write it as a Python function of a mapping from feature to value.

        The function needs nothing but Python. It does not check values: what is true
        to Python is true to it.

        Parameters
        ----------
        name
            The name of the function.

        Examples
        --------
        >>> from littlestone.concepts import Conjunction, Literal
        >>> rule = Conjunction("odor=foul", ~Literal(4))
        >>> print(rule.to_python("poisonous"), end="")
        def poisonous(x):
            if not x.get(4, False) and x.get('odor=foul', False):
                return True
            return False
        """
        if not (
            isinstance(name, str)
            and name.isidentifier()
            and not keyword.iskeyword(name)
        ):
            raise ParameterError(
                f"name must be a Python identifier, got {name!r}",
                owner=type(self).__name__,
            )
        return "\n    ".join([f"def {name}(x):", *self._python()]) + "\n"

    def to_sql(self, *, cells: bool = False) -> str:
        """Write it as a SQL expression that is true or false, never null.

        Identifiers are in double quotes, column 4 is `"x4"`, and null counts as
        false.

        Parameters
        ----------
        cells
            False: every feature is a column of the table that holds 0 or 1. True: a
            name such as `odor=foul` or `age>=30`, as `streams.onehot` makes them, is a
            question to the column before its first comparison sign. A column compared
            by `>=`, `<=`, `>` or `<` must hold numbers, since a database may find any
            text larger. `odor=?` asks whether the cell is missing: null, empty or
            `?`. Features without such a sign are 0 or 1 as before.

        Examples
        --------
        >>> from littlestone.concepts import Conjunction, Literal
        >>> Conjunction("a", ~Literal("b")).to_sql()
        '(COALESCE("a", 0) = 1 AND COALESCE("b", 0) = 0)'
        >>> print(Conjunction("odor=foul").to_sql(cells=True))
        (COALESCE("odor" = 'foul', FALSE))
        >>> print(Conjunction(~Literal("age>=30")).to_sql(cells=True))
        (COALESCE("age" < 30, TRUE))
        """
        return self._sql(SQLWriter(type(self).__name__, cells=cells))


class BooleanConcept(Concept):
    """A concept of true and false features, written as conditions and answers."""

    __slots__ = ()

    @abstractmethod
    def _holds(self, true: set[Feature]) -> bool:
        """Answer where these of its features are true, and no others."""

    @abstractmethod
    def _branches(self, writer: Writer) -> tuple[list[tuple[str, bool]], bool]:
        """Write it as conditions with their answers, and the answer if none holds."""

    def __call__(self, x: Example) -> bool:
        owner = type(self).__name__
        read = reader(owner, x)
        return self._holds(
            {
                feature
                for feature in self.features
                if truth(owner, feature, read(feature))
            }
        )

    def _python(self) -> list[str]:
        branches, default = self._branches(PythonWriter())
        lines = []
        for condition, answer in branches:
            lines += [f"if {condition}:", f"    return {answer}"]
        return [*lines, f"return {default}"]

    def _sql(self, writer: SQLWriter) -> str:
        branches, default = self._branches(writer)
        match branches:
            case []:
                return writer.answer(default)
            case [(condition, True)] if not default:
                return f"({condition})"
        whens = [
            f"  WHEN {condition} THEN {writer.answer(answer)}"
            for condition, answer in branches
        ]
        return "\n".join(["CASE", *whens, f"  ELSE {writer.answer(default)}", "END"])


def feature_key(feature: Feature) -> tuple[bool, Feature]:
    """Sort columns before names, both ascending."""
    return isinstance(feature, str), feature


def as_features(owner: str, features: int | Iterable[Feature]) -> Sequence[Feature]:
    """Return a number of columns or some features as distinct features."""
    if isinstance(features, Iterable) and not isinstance(features, (str, bytes)):
        listed = [as_feature(owner, feature) for feature in features]
        if len(set(listed)) < len(listed):
            twice = next(f for i, f in enumerate(listed) if f in listed[:i])
            raise ParameterError(
                f"features must be distinct, got {twice!r} twice", owner=owner
            )
        return listed
    if type(features) is int and 0 <= features < sys.maxsize:
        return range(features)
    raise ParameterError(
        f"features must be a number or a sequence of features, got {features!r}",
        owner=owner,
    )


_MOST_COLUMNS = 2**64


def as_feature(owner: str, feature: Any) -> Feature:
    """Return a feature as a plain str or int, or refuse it."""
    if isinstance(feature, str):
        try:
            feature.encode()
        except UnicodeEncodeError:
            raise ParameterError(
                f"a name must be text that UTF-8 can hold, got {feature!r}", owner=owner
            ) from None
        return str(feature)
    if not isinstance(feature, bool) and not hasattr(feature, "__len__"):
        with suppress(TypeError):
            column = operator.index(feature)
            if 0 <= column < _MOST_COLUMNS:
                return column
    raise ParameterError(
        f"a feature must be a name or a column from 0 to 2**64 - 1, got {feature!r}",
        owner=owner,
    )


def reader(owner: str, x: Any) -> Callable[[Feature], Any]:
    """Return the function that looks a feature up in an example."""
    if isinstance(x, Mapping):
        return lambda feature: x.get(feature, False)
    if (
        isinstance(x, (str, bytes, bytearray, memoryview))
        or not hasattr(x, "__getitem__")
        or not hasattr(x, "__len__")
    ):
        raise ExampleError(
            f"an example must be a mapping or a row of numbers, got {type(x).__name__}",
            owner=owner,
        )

    width = len(x)

    def column(feature: Feature) -> Any:
        if isinstance(feature, str):
            raise refused(
                owner, "needs an example with names, got a row", feature, None
            )
        return x[feature] if feature < width else False

    return column


def truth(owner: str, feature: Feature, value: Any) -> bool:
    """Return the truth value of a feature, or refuse it."""
    if value is True or value is False:
        return value
    if not hasattr(value, "__len__"):  # texts and arrays have one
        try:
            if value == 1:
                return True
            if value == 0:
                return False
        except (TypeError, ValueError, ArithmeticError):
            pass  # a value of its own kind, which is no number
    raise refusal("boolean", owner=owner, feature=feature, value=value)


def refused(owner: str, what: str, feature: Feature, value: Any) -> FeatureError:
    """Make the exception for a feature that cannot be read."""
    error = FeatureError(f"feature {feature!r} {what}", owner=owner)
    error.feature, error.value = feature, value
    return error


def _table(owner: str, features: Sequence[Feature]) -> tuple[dict[Feature, int], int]:
    """Return the rows of the truth table in which each feature is true, and all."""
    if len(features) > _MOST_FEATURES:
        raise ParameterError(
            f"a truth table must have at most {_MOST_FEATURES} features, got "
            f"{len(features)}",
            owner=owner,
        )
    rows = 1 << len(features)
    columns = {}
    stretch = rows
    for feature in features:
        stretch >>= 1
        column, filled = ((1 << stretch) - 1) << stretch, 2 * stretch
        while filled < rows:
            column |= column << filled
            filled *= 2
        columns[feature] = column
    return columns, (1 << rows) - 1
