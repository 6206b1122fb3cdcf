"""Every exception of littlestone.

LittlestoneError
├── ParameterError (ValueError)        a wrong argument, or one that voids a theorem
├── PremiseError (ValueError)          numbers that break a theorem's premises
├── ExampleError (ValueError)          an example that a learner refuses
│   ├── FeatureError                   because of a feature or its value
│   └── LabelError                     because of its label
├── StreamError (ValueError)           a source that cannot be read
│   ├── EmptyStreamError               because it has no examples
│   ├── LineError                      because of one line
│   ├── MissingFileError (FileNotFoundError)
│   └── TruncatedError (EOFError)
├── ClusterError (RuntimeError)        a shard that could not be played elsewhere
├── MemberError (RuntimeError)         a member of a committee that could not learn
├── CertificateError (ValueError)      a certificate that cannot be read
│   └── WorkError                      or that takes too much work to judge
├── ModelError (ValueError)            a model file that cannot be read or written
├── LedgerError (ValueError)           a ledger that is damaged, in use or not writable
├── OutputError (OSError)              an output file that cannot be written
├── NoConsistentConcept (ValueError)   examples that no concept of a class fits
├── BusyError (RuntimeError)           a learner in use by another thread
└── MissingPackageError (ImportError)  an optional package that is not installed

NobodyLeftWarning (RuntimeWarning)     halving has dropped every expert
ReadingWarning (RuntimeWarning)        a file that may need to be read otherwise
UnknownFeaturesWarning (RuntimeWarning)  a learner knows few features of a stream
UnknownLabelWarning (RuntimeWarning)  no example has the label that means yes
UnrealizableWarning (RuntimeWarning)   no concept of the class fits the stream any more

Each also inherits from the built-in exception that people already catch. A refused
example leaves the learner unchanged; `rounds` counts the rounds played before it.
"""

from __future__ import annotations

from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "BusyError",
    "CertificateError",
    "ClusterError",
    "EmptyStreamError",
    "ExampleError",
    "FeatureError",
    "Given",
    "Hint",
    "LabelError",
    "LedgerError",
    "LineError",
    "LittlestoneError",
    "MemberError",
    "MissingFileError",
    "MissingPackageError",
    "ModelError",
    "NoConsistentConcept",
    "NobodyLeftWarning",
    "OutputError",
    "ParameterError",
    "PremiseError",
    "ReadingWarning",
    "StreamError",
    "TruncatedError",
    "UnknownFeaturesWarning",
    "UnknownLabelWarning",
    "UnrealizableWarning",
    "WorkError",
]


def printable(text: str, *, lines: bool = False) -> str:
    r"""Return a text whose control characters are escaped, for terminals and pages.

    Names of features and files come from strangers. With `lines`, line breaks stay.

    Examples
    --------
    >>> from littlestone.errors import printable
    >>> print(printable("pills\x1b[2J"))
    pills\x1b[2J
    """
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or (lines and each == "\n") else ascii(each)[1:-1]
        for each in text
    )


_NEAR = 0.75  # how alike a name must be to be meant
_COMPARED = 10_000


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return which known names are like this one, as the end of a message.

    Examples
    --------
    >>> from littlestone.errors import did_you_mean
    >>> did_you_mean("percptron", ["perceptron", "winnow"])
    ': did you mean perceptron?'
    >>> did_you_mean("FRAUD", ["amount", "fraud"])
    ': did you mean fraud?'
    >>> did_you_mean("svm", ["perceptron", "winnow"])
    ''
    """
    if not isinstance(name, str):
        return ""
    names = islice((each for each in known if isinstance(each, str)), _COMPARED)
    alike = {each.casefold(): each for each in names}
    near = get_close_matches(name.casefold(), alike, cutoff=_NEAR)
    return f": did you mean {' or '.join(alike[each] for each in near)}?" * bool(near)


class Hint(NamedTuple):
    """An argument that would help, and what it does.

    It is data, so that each front end can spell it in its own way: the command line
    shows `--unlabelled skip`.

    Examples
    --------
    >>> from littlestone.errors import Hint
    >>> print(Hint("unlabelled", "skip", "leaves out lines without a label"))
    unlabelled='skip' leaves out lines without a label
    >>> print(Hint("positive", does="names the label that means yes"))
    positive= names the label that means yes
    """

    argument: str
    value: object = None
    does: str = ""

    def __str__(self) -> str:
        value = "" if self.value is None else repr(self.value)
        return f"{self.argument}={value} {self.does}"


class Given(NamedTuple):
    """An argument that a message names, with its value.

    It is data for the same reason: the command line shows `--form published`.

    Examples
    --------
    >>> from littlestone.errors import Given
    >>> print(Given("form", "published"))
    form='published'
    """

    argument: str
    value: object

    def __str__(self) -> str:
        return f"{self.argument}={self.value!r}"


class LittlestoneError(Exception):
    """The base of every exception of littlestone.

    Attributes
    ----------
    what
        What must hold, and what was given instead.
    owner
        The class, function or command that refuses; empty if `where` says enough.
    where
        The row, the round, or the file and line; empty for a single example.
    rounds
        How many rounds were played before it; None outside of a run.
    hints
        Arguments that would help.
    given
        Arguments that `what` names, in braces where it is made.

    Examples
    --------
    >>> from littlestone.errors import LittlestoneError
    >>> from littlestone.linear import Perceptron
    >>> try:
    ...     Perceptron().play([[1.0], [float("nan")]], [True, False])
    ... except LittlestoneError as error:
    ...     print(error)
    ...     print(error.owner, "|", error.where, "|", error.what)
    row 1: Perceptron: feature 0 must be a finite number, got nan; 1 round played
    Perceptron | row 1 | feature 0 must be a finite number, got nan
    """

    def __init__(
        self,
        what: str = "",
        *,
        owner: str = "",
        where: str = "",
        rounds: int | None = None,
        hints: Sequence[Hint] = (),
        given: Sequence[Given] = (),
    ) -> None:
        super().__init__(what)
        self._what = what
        self.given = tuple(given)
        self.owner = owner
        self.where = where
        self.rounds = rounds
        self.hints = tuple(hints)

    @property
    def what(self) -> str:
        """What must hold, and what was given instead."""
        return self._spelled(str)

    @what.setter
    def what(self, text: str) -> None:
        self._what, self.given = text, ()

    def _spelled(self, name: Callable[[Given], str]) -> str:
        text = self._what
        for each in self.given:
            text = text.replace(f"{{{each.argument}}}", name(each))
        return text

    def message(
        self,
        spell: Callable[[Hint], str] = str,
        name: Callable[[Given], str] = str,
    ) -> str:
        """Return the whole message, with arguments spelled as a front end has them.

        `spell` is for hints, and `name` for the arguments that the text names.

        Examples
        --------
        >>> from littlestone.errors import Given, Hint, LineError, LittlestoneError
        >>> hint = Hint("unlabelled", "skip", "leaves them out")
        >>> error = LineError("lines must have labels", where="a.vw:3", hints=[hint])
        >>> print(error)
        a.vw:3: lines must have labels; unlabelled='skip' leaves them out
        >>> print(error.message(lambda hint: f"--{hint.argument} {hint.value}"))
        a.vw:3: lines must have labels; --unlabelled skip
        >>> form = Given("form", "published")
        >>> error = LittlestoneError("{form} needs a range, got none", given=[form])
        >>> print(error)
        form='published' needs a range, got none
        >>> print(error.message(name=lambda it: f"--{it.argument} {it.value}"))
        --form published needs a range, got none
        """
        before = "".join(f"{part}: " for part in (self.where, self.owner) if part)
        text = before + self._spelled(name)
        if self.hints:
            text += f"; {', '.join(map(spell, self.hints))}"
        if self.rounds is not None:
            text += f"; {self.rounds} round{'' if self.rounds == 1 else 's'} played"
        return printable(text, lines=True)

    def __str__(self) -> str:
        return self.message()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.message()!r})"


class ParameterError(LittlestoneError, ValueError):
    """A wrong argument, or one that would void a theorem."""


class PremiseError(LittlestoneError, ValueError):
    """Numbers that break a theorem's premises."""


class ExampleError(LittlestoneError, ValueError):
    """An example that a learner refuses; the learner is unchanged.

    Attributes
    ----------
    row
        The row of the block, counted from 0; None for a single example.
    feature, value
        The feature and the value at fault, if any.
    """

    row: int | None = None
    feature: object = None
    value: object = None


class FeatureError(ExampleError):
    """An example refused because of a feature or its value."""


class LabelError(ExampleError):
    """An example refused because of its label."""


class StreamError(LittlestoneError, ValueError):
    """A source of examples that cannot be read."""


class EmptyStreamError(StreamError):
    """A source without examples."""


class LineError(StreamError):
    """A line that cannot be read.

    Attributes
    ----------
    path, line, text
        The file, the line counted from 1, and the line itself, cut if it is long.
    column, value
        The name of the column at fault, or its number from 0, and its text; None if no
        single column is at fault. In lines without columns, the number of the
        character, from 1, and the text found there.
    """

    path: str = ""
    line: int = 0
    text: str = ""
    column: str | int | None = None
    value: str | None = None


class MissingFileError(StreamError, FileNotFoundError):
    """A file that does not exist."""

    # ValueError comes first among the bases, but its __new__ makes too small an object:
    # copies that call __new__ themselves, as tblib's do, would be refused.
    __new__ = FileNotFoundError.__new__  # type: ignore[assignment]  # object takes less
    # FileNotFoundError would print its errno instead of the sentence.
    __str__ = LittlestoneError.__str__


class TruncatedError(StreamError, EOFError):
    """A compressed file that ends too early."""


class ClusterError(LittlestoneError, RuntimeError):
    """A shard that could not be played elsewhere, though nothing is wrong with it.

    Its worker died too often, or the connection was lost.
    """


class MemberError(LittlestoneError, RuntimeError):
    """A member of a committee that could not learn, while others have.

    Attributes
    ----------
    members
        The names of the members that failed; all others have learned from the round.
    """

    members: tuple[object, ...] = ()


class CertificateError(LittlestoneError, ValueError):
    """A certificate that cannot be read, or that is not one."""


class WorkError(CertificateError):
    """A certificate that takes more work to judge than is allowed."""


class ModelError(LittlestoneError, ValueError):
    """A model file that cannot be read or written, or that is not one."""


class LedgerError(LittlestoneError, ValueError):
    """A ledger that is damaged, in use, or cannot be written."""


class OutputError(LittlestoneError, OSError):
    """An output file that cannot be written; an older one is unchanged."""

    # OSError would print its errno instead of the sentence.
    __str__ = LittlestoneError.__str__


class BusyError(LittlestoneError, RuntimeError):
    """A learner in use by another thread."""


class MissingPackageError(LittlestoneError, ImportError):
    """An optional package that is not installed."""

    __str__ = LittlestoneError.__str__


class NoConsistentConcept(LittlestoneError, ValueError):  # noqa: N818 - a finding, not a fault
    """Examples that no concept of a class fits.

    Attributes
    ----------
    examples
        A few of the examples, as `littlestone.boolean.Shown`, that together rule out
        every concept of the class.
    """

    examples: tuple[object, ...] = ()


class NobodyLeftWarning(RuntimeWarning):
    """Halving has dropped every expert: none of them is perfect."""


class ReadingWarning(RuntimeWarning):
    """A file may need to be read with other options: it has texts, or a header."""


class UnknownFeaturesWarning(RuntimeWarning):
    """A learner that has learned before knows few of the features of a stream."""


class UnknownLabelWarning(RuntimeWarning):
    """No example of a stream has the label that was said to mean yes."""


class UnrealizableWarning(RuntimeWarning):
    """No concept of the learner's class fits the examples so far."""


LABELS = "a label must be True/1 or False/0/-1"

# The native core names the kind of fault and passes the facts; the words are here.
_REFUSALS: dict[str, tuple[type[LittlestoneError], str]] = {
    "label": (LabelError, LABELS + ", got {value!r}"),
    "alphabet": (
        LabelError,
        "labels must be 0 and 1 or -1 and +1, never mixed, got {value!r} as well",
    ),
    "missing": (LabelError, "a label must not be missing, got {value!r}"),
    "weight": (
        LabelError,
        "a weight must be 1, as its theorems count whole rounds, got {value!r}",
    ),
    "unhashable": (
        LabelError,
        "a label must be hashable, such as a number or a text, got {value!r}",
    ),
    "feature": (
        FeatureError,
        "a feature must be a name or a column number below 2**32, got {feature!r}",
    ),
    "number": (FeatureError, "feature {feature!r} must be a number, got {value!r}"),
    "finite": (
        FeatureError,
        "feature {feature!r} must be a finite number, got {value!r}",
    ),
    "unit": (FeatureError, "feature {feature!r} must lie in [0, 1], got {value!r}"),
    "boolean": (FeatureError, "feature {feature!r} must be 0 or 1, got {value!r}"),
    "scale": (
        FeatureError,
        "feature {feature!r} must be at most the scale in size, got {value!r}",
    ),
    "many": (
        FeatureError,
        ("a full matrix must have at most 4096 features, got {feature!r} as one more"),
    ),
    "undeclared": (
        FeatureError,
        "each feature that is true must be one of `features`, got {feature!r}",
    ),
    "terms": (
        FeatureError,
        (
            "there must be at most 2**32 clauses or terms of at most k literals, got "
            "more with feature {feature!r} and those beside it, after {value!r} "
            "features"
        ),
    ),
    "duplicate": (
        FeatureError,
        "each feature must appear once, got {feature!r} twice",
    ),
    "width": (
        FeatureError,
        "column numbers must lie within the declared width and 2**32, got {feature!r}",
    ),
    "overflow": (
        ExampleError,
        "the score must be a finite number, but the values are too large or too small",
    ),
    "mapped": (
        ExampleError,
        "mapped values must be finite numbers, but the values are too large",
    ),
    "products": (
        FeatureError,
        (
            "an example must have at most 2048 features to be multiplied with each "
            "other, or as many products of groups, got {feature!r}"
        ),
    ),
    "centered": (
        FeatureError,
        (
            "at most 4096 features can be centered, got {feature!r}; center=False has "
            "no limit"
        ),
    ),
    "forecast": (ExampleError, "a forecast must be a finite number, got {value!r}"),
    "off": (
        ExampleError,
        "an outcome must differ from its forecast by a finite number, got {value!r}",
    ),
    "loss_overflow": (
        ExampleError,
        (
            "the loss of a round and its step must be finite numbers, but its score is "
            "{value!r}"
        ),
    ),
    "gradient": (
        ExampleError,
        (
            "the gradient of feature {feature!r} must be at most the scale in size, "
            "got {value!r}"
        ),
    ),
    "negative": (LabelError, "an outcome must be at least 0, got {value!r}"),
    "example": (
        ExampleError,
        (
            "an example must be a mapping, a row of numbers, a one-row CSR matrix or a "
            "pair (columns, values), got {value}; stream.features makes one of a raw "
            "text or a row"
        ),
    ),
    "expert": (
        FeatureError,
        "expert {feature!r} must predict a finite number, got {value!r}",
    ),
    "expert_label": (
        FeatureError,
        "expert {feature!r} must predict True/1 or False/0/-1, got {value!r}",
    ),
    "expert_probability": (
        FeatureError,
        "expert {feature!r} must predict probabilities in [0, 1], got {value!r}",
    ),
    "expert_distribution": (
        FeatureError,
        (
            "the probabilities of expert {feature!r} must sum to one, "
            "got the sum {value!r}"
        ),
    ),
    "expert_interval": (
        FeatureError,
        "expert {feature!r} must predict a number in {range}, got {value!r}",
    ),
    "experts": (
        FeatureError,
        "advice must have one prediction for each of {feature} experts, got {value}",
    ),
    "stranger": (
        FeatureError,
        (
            "each expert must be known, got {feature!r}; list it in `experts`, or let "
            "it join() first"
        ),
    ),
    "asleep": (ExampleError, "at least one expert must be awake"),
    "advice": (
        ExampleError,
        (
            "advice must be a sequence of predictions or a mapping from expert to "
            "prediction, got {value}"
        ),
    ),
    "loss": (
        ExampleError,
        "the loss of expert {feature!r} must be a finite number, got {value!r}",
    ),
    "loss_range": (
        ExampleError,
        "the loss of expert {feature!r} must lie in {range}, got {value!r}",
    ),
    "losses": (
        ExampleError,
        "predictions and losses must stay finite, but the numbers are too large",
    ),
    "expert_outcomes": (
        FeatureError,
        "expert {feature!r} must give a probability to each outcome, got {value!r}",
    ),
    "outcome_number": (
        LabelError,
        "an outcome must be a whole number from 0 to {feature!r}, got {value!r}",
    ),
    "outcome_name": (LabelError, "an outcome must be one of `outcomes`, got {value!r}"),
    "outcome_zero": (
        LabelError,
        "an outcome must not be 0 where losses are percentages of it",
    ),
    "outcome_interval": (
        LabelError,
        "an outcome must be a number in {range}, got {value!r}",
    ),
    "outcome": (LabelError, "an outcome must be a finite number, got {value!r}"),
    "busy": (BusyError, "one thread at a time may use a learner"),
    "changed": (StreamError, "arrays must not change while they are read"),
}

_HINTS = {
    "expert_probability": (Hint("loss", "square", "is for numbers"),),
    "expert_interval": (Hint("interval", does="declares another interval"),),
    "outcome_interval": (Hint("interval", does="declares another interval"),),
    "loss_range": (Hint("range", does="declares another range"),),
    "gradient": (Hint("scale", does="declares a larger one"),),
    "scale": (Hint("scale", does="declares a larger one"),),
}

_MISSING = object()


def refusal(
    kind: str,
    *,
    owner: str = "",
    row: int | None = None,
    rounds: int | None = None,
    feature: object = _MISSING,
    value: object = _MISSING,
    range: tuple[float, float] | None = None,  # noqa: A002 - as learners call it
) -> LittlestoneError:
    """Return the exception for a fault that the native core has found.

    Examples
    --------
    >>> from littlestone.errors import refusal
    >>> refusal("unit", owner="Winnow", feature="a", value=2.0)
    FeatureError("Winnow: feature 'a' must lie in [0, 1], got 2.0")
    """
    made, sentence = _REFUSALS[kind]
    if kind in ("example", "advice"):
        value = type(value).__name__
    what = sentence.format(
        feature=_short(feature),
        value=_short(value),
        range="" if range is None else f"[{range[0]:g}, {range[1]:g}]",
    )
    error = made(
        what,
        owner=owner,
        where="" if row is None else f"row {row}",
        rounds=rounds,
        hints=_HINTS.get(kind, ()),
    )
    if isinstance(error, ExampleError):
        error.row = row
        error.feature = None if feature is _MISSING else feature
        error.value = None if value is _MISSING else value
    return error


def in_row(error: ExampleError, row: int, rounds: int) -> None:
    """Add the row of its block to the error of a single example.

    Examples
    --------
    >>> from littlestone.errors import in_row, refusal
    >>> error = refusal("unit", owner="Winnow", feature="a", value=2.0)
    >>> in_row(error, 3, rounds=3)
    >>> print(error)
    row 3: Winnow: feature 'a' must lie in [0, 1], got 2.0; 3 rounds played
    """
    if error.row is None:
        error.row, error.where, error.rounds = row, f"row {row}", rounds


class _Shown(str):
    """Text that `!r` shows without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _short(value: object, most: int = 80) -> object:
    """Return the value, or the start of its text if that is long."""
    text = repr(value)
    return value if len(text) <= most else _Shown(text[:most] + "…")
