"""Decision lists: the first rule that fires decides."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from littlestone.concepts._concept import BooleanConcept, feature_key
from littlestone.concepts._halfspace import Halfspace
from littlestone.concepts._lines import Pieces
from littlestone.concepts._literals import Conjunction, Literal
from littlestone.concepts._normal_forms import as_part
from littlestone.concepts._text import Scanner
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from littlestone.concepts._concept import Feature
    from littlestone.concepts._writers import Writer

__all__ = ["DecisionList"]

_ANSWERS = {True: "yes", False: "no"}


@dataclass(frozen=True, slots=True, init=False, repr=False)
class DecisionList(BooleanConcept):
    """The first rule whose term is true decides: "if a then yes, else no".

    Parameters
    ----------
    rules
        Pairs of a term and an answer, in the order in which they are tried. A term is a
        `Conjunction`, one literal, or several.
    default
        The answer if no term is true.

    Attributes
    ----------
    rules
        Pairs of a `Conjunction` and a bool.
    default
        The answer if no rule fires.

    Examples
    --------
    >>> from littlestone.concepts import DecisionList, Literal
    >>> rule = DecisionList([(4, True), ([~Literal(8), "a"], False)], default=True)
    >>> print(rule)
    if x4 then yes, else if not x8 and a then no, else yes
    >>> rule({"a": 1}), rule({"a": 1, 4: 1}), rule.k, rule.size
    (False, True, 2, 3)
    >>> print(~rule)
    if x4 then no, else if not x8 and a then yes, else no
    """

    rules: tuple[tuple[Conjunction, bool], ...]
    default: bool
    _features: tuple[Feature, ...] = field(compare=False)

    def __init__(
        self,
        rules: Iterable[tuple[Conjunction | Literal | Feature | Iterable[Any], bool]],
        default: bool,
    ) -> None:
        self._set([_as_rule(rule) for rule in rules], _as_answer("default", default))

    def _set(self, rules: Iterable[tuple[Conjunction, bool]], default: bool) -> None:
        kept = tuple(rules)
        met = {literal.feature for term, _ in kept for literal in term.literals}
        object.__setattr__(self, "rules", kept)
        object.__setattr__(self, "default", default)
        object.__setattr__(self, "_features", tuple(sorted(met, key=feature_key)))

    @classmethod
    def _make(cls, rules: Iterable[tuple[Conjunction, bool]], default: bool) -> Self:
        made = cls.__new__(cls)
        made._set(rules, default)
        return made

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read it back from the text that `str` gives.

        Examples
        --------
        >>> from littlestone.concepts import DecisionList
        >>> DecisionList.parse("if x4 and not a then yes, else no")
        DecisionList([(Conjunction(4, ~Literal('a')), True)], default=False)
        """
        scanner = Scanner("DecisionList", text)
        rules = []
        while scanner.take("if"):
            term = Conjunction._read(scanner)
            scanner.expect("then", *(["and"] if term.literals else []))
            rules.append((term, _read_answer(scanner)))
            scanner.expect(",")
            scanner.expect("else")
        default = _read_answer(scanner, "if")
        scanner.expect("end")
        return cls._make(rules, default)

    @property
    def features(self) -> tuple[Feature, ...]:
        """The features of its terms: columns ascending, then names in order."""
        return self._features

    @property
    def size(self) -> int:
        """How many rules it has, the default included."""
        return len(self.rules) + 1

    @property
    def k(self) -> int:
        """How many literals the largest term has."""
        return max((term.size for term, _ in self.rules), default=0)

    def _pieces(self) -> Pieces:
        rules = [f"if {term} then {_ANSWERS[said]}," for term, said in self.rules]
        return Pieces(rules, "else", "rules", f"else {_ANSWERS[self.default]}")

    def to_halfspace(self) -> Halfspace:
        """Return the weighted sum that says the same on all true and false features.

        The last of L rules, the default, weighs 1 and each rule before it twice as
        much, for yes or against it: so the first that fires outweighs all that follow.
        A term of several literals has a weight of its own.

        Returns
        -------
        Halfspace
            With whole numbers, exact for any length.

        Examples
        --------
        >>> from littlestone.concepts import DecisionList
        >>> rule = DecisionList.parse("if a then yes, else if not b then no, else yes")
        >>> print(rule.to_halfspace())
        4 a + 2 b >= 2
        >>> rule.to_halfspace().equivalent(rule)
        True
        """
        weights: dict[Feature | Conjunction, int] = {}
        # The sum is odd, so it is above 0 exactly if it is at least 1.
        threshold = 1 - (1 if self.default else -1)
        weight = 1 << len(self.rules)
        for term, answer in self.rules:
            signed = weight if answer else -weight
            weight >>= 1
            match term.literals:
                case ():
                    threshold -= signed if term._says else 0
                    continue
                case (Literal(feature, True),):
                    key: Feature | Conjunction = feature
                case (Literal(feature, False),):  # 1 - feature
                    key = feature
                    threshold -= signed
                    signed = -signed
                case _:
                    key = term
            weights[key] = weights.get(key, 0) + signed
        return Halfspace(weights, threshold)

    def __invert__(self) -> DecisionList:
        return self._make(
            ((term, not answer) for term, answer in self.rules), not self.default
        )

    def __str__(self) -> str:
        shown = [f"if {term} then {_ANSWERS[answer]}" for term, answer in self.rules]
        return ", else ".join([*shown, _ANSWERS[self.default]])

    def __repr__(self) -> str:
        return f"DecisionList({list(self.rules)!r}, default={self.default})"

    def _holds(self, true: set[Feature]) -> bool:
        for term, answer in self.rules:
            if term._holds(true):
                return answer
        return self.default

    def _bits(self, columns: Mapping[Feature, int], full: int) -> int:
        bits, left = 0, full
        for term, answer in self.rules:
            fires = left & term._bits(columns, full)
            if answer:
                bits |= fires
            left ^= fires
        return bits | left if self.default else bits

    def _branches(self, writer: Writer) -> tuple[list[tuple[str, bool]], bool]:
        branches = [(term._condition(writer), answer) for term, answer in self.rules]
        return branches, self.default


def _read_answer(scanner: Scanner, *others: str) -> bool:
    answer = scanner.take("yes")
    if not answer and not scanner.take("no"):
        scanner.fail(*others, "yes", "no")
    return answer


def _as_rule(rule: Any) -> tuple[Conjunction, bool]:
    try:
        term, answer = rule
    except (TypeError, ValueError):
        raise ParameterError(
            f"a rule must be a pair (term, answer), got {rule!r}", owner="DecisionList"
        ) from None
    return (
        as_part("DecisionList", Conjunction, term),
        _as_answer("the answer of a rule", answer),
    )


def _as_answer(name: str, answer: Any) -> bool:
    if isinstance(answer, bool):
        return answer
    raise ParameterError(
        f"{name} must be True or False, got {answer!r}", owner="DecisionList"
    )
