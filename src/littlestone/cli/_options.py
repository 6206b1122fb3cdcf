"""Options that commands share, each declared once and meaning the same everywhere.

A command asks for a group of options by a parameter of that type, and for a single one
by the type of that. `with_options` gives it the signature that Typer reads, in which
every option of a group stands for itself, and makes the groups when it is called.
"""

from __future__ import annotations

import inspect
import re
import sys
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import MISSING, dataclass, fields, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache, wraps
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from littlestone.cli._complete import learners
from littlestone.cli._learners import (
    Form,
    Kernel,
    LearnerName,
    Mode,
    Update,
    as_loss,
    as_range,
    make_learner,
    parameters_of,
)
from littlestone.cli._streams import (
    Duplicates,
    Format,
    Missing,
    OnError,
    Unlabelled,
    Weights,
    open_stream,
)
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from littlestone.learner import Learner
    from littlestone.progress import Pace
    from littlestone.running import Turn

__all__ = [
    "Declare",
    "Files",
    "Json",
    "LearnerOptions",
    "Passes",
    "Quiet",
    "ReadingOptions",
    "declared",
    "options_of",
    "watched",
    "with_options",
]

_LEARNER = "Of a learner"
_RULE = "Of learners of rules"
_TEXT = "Of text, CSV, Vowpal Wabbit text and JSON Lines"
_ADVICE = "Of learners that follow experts"

# In this order they stand in the help; those of the command itself come first.
_PANELS = (None, _TEXT, _LEARNER, _RULE, _ADVICE)
_FIRST = (
    "certificate",
    "file",
    "data",
    "learner",
    "form",
    "positive",
    "hash_bits",
    "passes",
    "on_error",
)

# Options of many commands -------------------------------------------------------------

Passes = Annotated[int, typer.Option(help="How often to read the file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Declare = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=NUMBER",
        help="What you know of the truth, for the bound, such as relevant=3; several "
        "parted by commas, or one at a time.",
    ),
]


def declared(given: list[str] | None) -> dict[str, Fraction]:
    """Return the numbers that were declared, by name.

    Examples
    --------
    >>> from littlestone.cli._options import declared
    >>> declared(["relevant=3,margin=0.1"])
    {'relevant': Fraction(3, 1), 'margin': Fraction(1, 10)}
    """
    numbers: dict[str, Fraction] = {}
    for part in ",".join(given).split(",") if given else []:
        name, _, number = part.partition("=")
        try:
            numbers[name.strip()] = Fraction(number.strip())
        except (ValueError, ZeroDivisionError):
            raise ParameterError(
                "run: --declare must be names with numbers, such as relevant=3, "
                f"got {part!r}"
            ) from None
    return numbers


@dataclass(frozen=True, kw_only=True)
class Files:
    """What is read: one file or several, one after another.

    Examples
    --------
    >>> from littlestone.cli._options import Files
    >>> files = Files(file=["monday.svm", "tuesday.svm"])
    >>> files.paths
    ['monday.svm', 'tuesday.svm']
    >>> str(files)
    'monday.svm, tuesday.svm'
    >>> Files(data=["monday.svm"]).paths
    'monday.svm'
    """

    file: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE",
            help="A file, plain, gzip or zstd; - for stdin; or a pattern in quotation "
            "marks, whose files are read in the order of their names. Several are read "
            "one after another.",
            show_default=False,
        ),
    ] = None
    data: Annotated[
        list[str] | None,
        typer.Option(
            "--data",
            "-d",
            metavar="FILE",
            help="The file, as Vowpal Wabbit has it: the same as FILE.",
            show_default=False,
        ),
    ] = None

    def __bool__(self) -> bool:
        return bool(self.file or self.data)

    @property
    def paths(self) -> str | list[str]:
        """The file, or the files where they are several."""
        if bool(self.file) == bool(self.data):
            got = "both" if self else "none"
            raise ParameterError(f"run: FILE or -d FILE must be given, got {got}")
        given = self.file or self.data or []
        return given[0] if len(given) == 1 else list(given)

    def __str__(self) -> str:
        paths = self.paths
        return paths if isinstance(paths, str) else ", ".join(paths)


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How to read a file of examples.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone.cli._learners import LearnerName
    >>> from littlestone.cli._options import ReadingOptions
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mail.svm"
    >>> _ = path.write_text("spam 3:1")
    >>> list(ReadingOptions(positive="spam").open(str(path), LearnerName.WINNOW))
    [({3: 1.0}, True)]
    """

    form: Annotated[
        Format | None,
        typer.Option(
            "--format",
            "-F",
            help="svmlight lines, text between tabs, Vowpal Wabbit text, JSON Lines, "
            "Parquet or Arrow, or CSV: of predictions for those who follow experts, of "
            "categories for learners of rules, else a table of numbers and categories, "
            "which may also be TSV. By default CSV for the first, else what the name "
            "of the file says (.csv, .vw, .jsonl, .parquet ...), else svmlight.",
        ),
    ] = None
    positive: Annotated[
        str | None,
        typer.Option(help="The label that means yes, if not 1 against 0 or -1."),
    ] = None
    hash_bits: Annotated[
        int | None,
        typer.Option(
            "--hash-bits",
            "-b",
            help="Hash the features into 2^bits columns; 1 to 24. Without it, each "
            "feature has a weight of its own.",
        ),
    ] = None
    on_error: Annotated[
        OnError, typer.Option(help="Stop at a line that cannot be read, or skip it.")
    ] = OnError.RAISE
    label: Annotated[
        str | None,
        typer.Option(
            help="Column of the label: a name in the first line, or a number from 0; "
            "in JSON Lines its key.",
            rich_help_panel=_TEXT,
        ),
    ] = None
    weights: Annotated[
        Weights | None,
        typer.Option(
            help="Vowpal Wabbit text: a weight other than 0 and 1 is refused, ignored, "
            "or says how often to play the line.",
            rich_help_panel=_TEXT,
        ),
    ] = None
    unlabelled: Annotated[
        Unlabelled | None,
        typer.Option(
            help="Vowpal Wabbit text, JSON Lines: refuse or skip lines without label; "
            "with --test-only, Vowpal Wabbit text keeps and predicts them.",
            rich_help_panel=_TEXT,
        ),
    ] = None
    duplicates: Annotated[
        Duplicates | None,
        typer.Option(
            help="Vowpal Wabbit text, JSON Lines: refuse a feature that stands twice "
            "in a line, or sum its values.",
            rich_help_panel=_TEXT,
        ),
    ] = None
    ignore: Annotated[
        str | None,
        typer.Option(
            help="Namespaces or keys not to read, parted by commas.",
            rich_help_panel=_TEXT,
        ),
    ] = None
    keep: Annotated[
        str | None,
        typer.Option(
            help="Vowpal Wabbit text: the only namespaces to read, parted by commas.",
            rich_help_panel=_TEXT,
        ),
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(
            help="Columns to learn from, parted by commas; all but the label.",
            rich_help_panel=_TEXT,
        ),
    ] = None
    types: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=TYPE",
            help="Table: what a column holds, such as zip=category; once for each "
            "column, or number or category for all. By default what its first 1000 "
            "cells look like.",
            rich_help_panel=_TEXT,
        ),
    ] = None
    thresholds: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=NUMBERS",
            help="CSV: literals for a column of numbers, such as age=30,50 for "
            "age>=30 and age>=50; once for each column.",
            rich_help_panel=_TEXT,
        ),
    ] = None
    missing: Annotated[
        Missing | None,
        typer.Option(
            help="CSV: refuse a line without a cell (as experts do by default), give "
            "a missing cell a literal of its own (as rules do), leave it out (as "
            "tables do), or let an expert sleep.",
            rich_help_panel=_TEXT,
        ),
    ] = None
    ngrams: Annotated[
        int | None,
        typer.Option(
            help="Features of up to so many successive words.", rich_help_panel=_TEXT
        ),
    ] = None
    keep_case: Annotated[
        bool,
        typer.Option("--keep-case", help="Do not lowercase.", rich_help_panel=_TEXT),
    ] = False
    counts: Annotated[
        bool,
        typer.Option(
            "--counts", help="Values are counts, not 1.", rich_help_panel=_TEXT
        ),
    ] = False
    experts: Annotated[
        str | None,
        typer.Option(
            help="Columns of the experts, parted by commas; all but the label.",
            rich_help_panel=_ADVICE,
        ),
    ] = None

    def open(
        self,
        file: str | list[str],
        learner: LearnerName,
        *,
        labels: typing.Literal["two", "numbers", "any"] = "two",
        learns: bool = True,
    ) -> Any:
        """Return the stream of a file, for a learner that takes such labels."""
        return open_stream(
            file,
            self.form,
            learner,
            {
                "label": self.label,
                "columns": self.columns,
                "ngrams": self.ngrams,
                "keep-case": self.keep_case or None,
                "counts": self.counts or None,
                "types": self.types or None,
                "thresholds": self.thresholds or None,
                "missing": self.missing,
                "positive": self.positive,
                "hash-bits": self.hash_bits,
                "experts": self.experts,
                "weights": self.weights,
                "unlabelled": self.unlabelled,
                "duplicates": self.duplicates,
                "ignore": self.ignore,
                "keep": self.keep,
            },
            any_labels=labels == "any",
            outcome="number" if labels == "numbers" else "label",
            on_error=self.on_error,
            learns=learns,
        )

    def words(self) -> list[str]:
        """Return the words that give these options."""
        found: list[str] = []
        for parameter in _parameters(ReadingOptions):
            value = getattr(self, parameter.name)
            if value == parameter.default or not value:
                continue
            option = f"--{_names(parameter)[0]}"
            for each in value if isinstance(value, list) else [value]:
                found += [option] if each is True else [option, str(each)]
        return found

    def open_for(
        self,
        file: str | list[str],
        name: LearnerName,
        learner: Learner,
        *,
        learns: bool = True,
    ) -> Any:
        """Return the stream of a file, as a learner that was made takes it."""
        numbers = learner.outcomes_are == "numbers"
        labels = "any" if learner.any_labels else "numbers" if numbers else "two"
        return self.open(file, name, labels=labels, learns=learns)  # type: ignore[arg-type]  # one of three


@dataclass(frozen=True, kw_only=True)
class LearnerOptions:
    """Who learns, and with which parameters.

    Examples
    --------
    >>> from littlestone.cli._options import LearnerOptions
    >>> LearnerOptions.parse("winnow:threshold=50,promotion=1.5").make()
    Winnow(threshold=50.0, promotion=1.5, eliminate=False)
    >>> LearnerOptions.of("arow", {"r": "2", "full": "true"}).make()
    AROW(r=2.0, diagonal=False, bias=0.0)
    """

    learner: Annotated[
        str,
        typer.Option(
            "--learner",
            "-l",
            metavar="NAME",
            help="Who learns: " + ", ".join(LearnerName) + ". Its options may stand "
            "behind the name, as in winnow:threshold=50,promotion=1.5.",
            autocompletion=learners,
        ),
    ] = LearnerName.PERCEPTRON.value
    bias: Annotated[
        float | None,
        typer.Option(
            help="Value of a constant feature; 0 for none.", rich_help_panel=_LEARNER
        ),
    ] = None
    update: Annotated[
        Update | None,
        typer.Option(
            help="perceptron: on mistakes, or on ties too.", rich_help_panel=_LEARNER
        ),
    ] = None
    normalize: Annotated[
        bool | None,
        typer.Option(
            "--normalize",
            help="perceptron: scale examples to length 1.",
            rich_help_panel=_LEARNER,
        ),
    ] = None
    kernel: Annotated[
        Kernel | None,
        typer.Option(help="kernel-perceptron.", rich_help_panel=_LEARNER),
    ] = None
    degree: Annotated[
        int | None,
        typer.Option(help="Of the polynomial kernel.", rich_help_panel=_LEARNER),
    ] = None
    gamma: Annotated[
        float | None,
        typer.Option(
            help="Of the polynomial and the Gaussian kernel.", rich_help_panel=_LEARNER
        ),
    ] = None
    offset: Annotated[
        float | None,
        typer.Option(help="Of the polynomial kernel.", rich_help_panel=_LEARNER),
    ] = None
    budget: Annotated[
        int | None,
        typer.Option(
            help="kernel-perceptron: examples to keep.", rich_help_panel=_LEARNER
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(
            help="kernel-perceptron, randomized-weighted-majority: of their choices.",
            rich_help_panel=_LEARNER,
        ),
    ] = None
    aggressiveness: Annotated[
        float | None,
        typer.Option(
            "--aggressiveness",
            "-C",
            help="passive-aggressive: C.",
            rich_help_panel=_LEARNER,
        ),
    ] = None
    mode: Annotated[
        Mode | None,
        typer.Option(help="passive-aggressive.", rich_help_panel=_LEARNER),
    ] = None
    r: Annotated[
        float | None,
        typer.Option(
            "--r", help="second-order-perceptron, arow.", rich_help_panel=_LEARNER
        ),
    ] = None
    full: Annotated[
        bool | None,
        typer.Option(
            "--full",
            help="second-order-perceptron, arow: a full matrix.",
            rich_help_panel=_LEARNER,
        ),
    ] = None
    threshold: Annotated[
        float | None,
        typer.Option(
            help="winnow: say yes from here; the number of features is usual.",
            rich_help_panel=_LEARNER,
        ),
    ] = None
    promotion: Annotated[
        float | None,
        typer.Option(
            help="winnow: factor that rewards a missed weight.",
            rich_help_panel=_LEARNER,
        ),
    ] = None
    eliminate: Annotated[
        bool | None,
        typer.Option(
            "--eliminate",
            help="winnow: false alarms zero the weights.",
            rich_help_panel=_LEARNER,
        ),
    ] = None
    rate: Annotated[
        float | None,
        typer.Option(
            help="balanced-winnow: change of a logarithm.", rich_help_panel=_LEARNER
        ),
    ] = None
    scale: Annotated[
        float | None,
        typer.Option(
            help="balanced-winnow: largest size of a value.", rich_help_panel=_LEARNER
        ),
    ] = None
    k: Annotated[
        int | None,
        typer.Option(
            "--k",
            help="k-cnf, k-dnf, decision-list: most literals of a clause or term.",
            rich_help_panel=_RULE,
        ),
    ] = None
    monotone: Annotated[
        bool | None,
        typer.Option(
            "--monotone",
            help="conjunction, disjunction: none is negated.",
            rich_help_panel=_RULE,
        ),
    ] = None
    loss: Annotated[
        str | None,
        typer.Option(
            help="square, absolute, percentage, log, brier, zero-one or pinball:0.9.",
            rich_help_panel=_ADVICE,
        ),
    ] = None
    loss_range: Annotated[
        str | None,
        typer.Option(
            "--range",
            metavar="LOW,HIGH",
            help="What losses may be; hedge and fixed-share need to know.",
            rich_help_panel=_ADVICE,
        ),
    ] = None
    gradient: Annotated[
        bool | None,
        typer.Option(
            "--gradient",
            help="Charge by the slope of the loss, to rival the best mixture.",
            rich_help_panel=_ADVICE,
        ),
    ] = None
    eta: Annotated[
        float | None,
        typer.Option(help="hedge, fixed-share: the rate.", rich_help_panel=_ADVICE),
    ] = None
    alpha: Annotated[
        float | None,
        typer.Option(help="fixed-share: the part shared out.", rich_help_panel=_ADVICE),
    ] = None
    whose: Annotated[
        Form | None,
        typer.Option("--form", help="ml-poly, ml-prod, boa.", rich_help_panel=_ADVICE),
    ] = None
    beta: Annotated[
        float | None,
        typer.Option(
            help="weighted-majority: what is left of a weight.", rich_help_panel=_ADVICE
        ),
    ] = None
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="randomized-weighted-majority: what is lost of a weight.",
            rich_help_panel=_ADVICE,
        ),
    ] = None
    restart: Annotated[
        bool | None,
        typer.Option(
            "--restart",
            help="halving: start again when no expert is left.",
            rich_help_panel=_ADVICE,
        ),
    ] = None

    @property
    def name(self) -> LearnerName:
        """The learner that was named."""
        return LearnerName(self.learner)

    def make(self, *, in_a_word: bool = False) -> Learner:
        """Return the learner, newly born; a refusal names options as in a word."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        del given["learner"]
        # The learners have other names for these, or want them in another form.
        full, loss, ends = (given.pop(name) for name in ("full", "loss", "loss_range"))
        given |= {
            "C": given.pop("aggressiveness"),
            "diagonal": None if full is None else not full,
            "loss": None if loss is None else as_loss(loss),
            "range": None if ends is None else as_range(ends),
            "form": given.pop("whose"),
        }
        return make_learner(self.name, given, in_a_word=in_a_word)

    @classmethod
    def given(cls, *, learner: str, **apart: Any) -> Self:
        """Put together what stands behind the name of a learner, and other options."""
        told = cls.parse(learner)
        others = {place: value for place, value in apart.items() if value is not None}
        for parameter in _parameters(LearnerOptions):
            place = parameter.name
            if place in others and getattr(told, place) is not None:
                raise ParameterError(
                    f"run: --{_names(parameter)[0]} must be given once, got it also "
                    f"in --learner {learner}"
                )
        return replace(told, **others)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a learner from `name:option=value,option=value`.

        An option that is yes or no may stand alone, as in `perceptron:normalize`.
        """
        name, _, rest = text.partition(":")
        given = {}
        # A comma before a number belongs to a value, as in range=0,1.
        for part in re.split(r",(?=\s*[a-zA-Z])", rest) if rest else []:
            option, equals, value = part.partition("=")
            given[option.strip()] = value.strip() if equals else "true"
        return cls.of(name.strip(), given)

    @classmethod
    def of(cls, name: str, given: Mapping[str, str]) -> Self:
        """Read a learner from its name, and its options as the command line has them.

        Parameters
        ----------
        name
            That of `--learner`.
        given
            Texts by the names of the options, without dashes.
        """
        places = _places(cls)
        if name not in tuple(LearnerName):
            raise ParameterError(
                f"run: a learner must be one of {', '.join(LearnerName)}, got {name!r}"
            )
        found: dict[str, Any] = {"learner": name}
        for option, text in given.items():
            place, kind = places.get(option, ("", str))
            if place in ("", "learner"):
                raise ParameterError(f"run: {option!r} is no option of {name}")
            found[place] = _read(option, text, kind)
        return cls(**found)


# What learners call an option, where they call it something else.
_RENAMED = {
    "aggressiveness": "C",
    "full": "diagonal",
    "loss_range": "range",
    "whose": "form",
}


def options_of(name: LearnerName) -> list[str]:
    """Return the options of a learner, as they are written behind its name.

    Examples
    --------
    >>> from littlestone.cli._learners import LearnerName
    >>> from littlestone.cli._options import options_of
    >>> options_of(LearnerName.PASSIVE_AGGRESSIVE)
    ['bias', 'C', 'mode']
    """
    taken = parameters_of(name)
    return [
        _names(parameter)[-1]
        for parameter in _parameters(LearnerOptions)
        if _RENAMED.get(parameter.name, parameter.name) in taken
    ]


def _places(group: type) -> dict[str, tuple[str, type]]:
    """Return, by the name of an option, its place in the group and its type."""
    found = {}
    for parameter in _parameters(group):
        kind = typing.get_args(parameter.annotation)[0]
        plain = [each for each in typing.get_args(kind) if each is not NoneType]
        for name in _names(parameter):
            found[name] = (parameter.name, plain[0] if plain else kind)
    return found


_TRUTHS = {
    "true": True,
    "yes": True,
    "1": True,
    "false": False,
    "no": False,
    "0": False,
}


def _read(option: str, text: str, kind: type) -> Any:
    """Return the value of an option from its text."""
    try:
        return _TRUTHS[text.lower()] if kind is bool else kind(text)
    except (KeyError, ValueError):
        wanted = {bool: "true or false", int: "a whole number", float: "a number"}
        among = wanted.get(kind)
        if among is None and issubclass(kind, StrEnum):
            among = f"one of {', '.join(kind)}"
        raise ParameterError(
            f"run: {option} must be {among or 'a text'}, got {text!r}"
        ) from None


# The decorator ------------------------------------------------------------------------


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of each group that it has a parameter for.

    Examples
    --------
    >>> import inspect
    >>> from littlestone.cli._options import Files, LearnerOptions, with_options
    >>> @with_options
    ... def greet(files: Files, chosen: LearnerOptions) -> None:
    ...     print(files, chosen.make())
    >>> list(inspect.signature(greet).parameters)[:4]
    ['file', 'data', 'learner', 'bias']
    >>> greet(file=["mail.svm"], learner="perceptron", bias=1.0)
    mail.svm Perceptron(update='mistake', normalize=False, bias=1.0)
    """
    hints = typing.get_type_hints(command, include_extras=True)
    groups: dict[str, tuple[type, list[str]]] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if hints[name] in (Files, ReadingOptions, LearnerOptions):
            own = _parameters(hints[name])
            groups[name] = (hints[name], [each.name for each in own])
            parameters += own
        else:
            made = inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=parameter.default,
                annotation=hints[name],
            )
            parameters.append(made)

    @wraps(command)
    def called(**options: Any) -> None:
        for name, (group, places) in groups.items():
            given = {place: options.pop(place) for place in places if place in options}
            make = LearnerOptions.given if group is LearnerOptions else group
            options[name] = make(**given)
        try:
            command(**options)
        except ParameterError as error:
            # What is refused is refused in the name of the command that was called.
            text = str(error)
            if not text.startswith("run: ") or command.__name__ == "run":
                raise
            own_name = command.__name__
            raise ParameterError(f"{own_name}: {text.removeprefix('run: ')}") from None

    parameters.sort(key=_place)
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # as inspect reads it
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    return called


@cache
def _parameters(group: type[Any]) -> list[inspect.Parameter]:
    """Return the options of a group."""
    hints = typing.get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty
            if field.default is MISSING
            else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]


def _declared(parameter: inspect.Parameter) -> Any:
    """Return what Typer is told of an option."""
    return typing.get_args(parameter.annotation)[1]


def _names(parameter: inspect.Parameter) -> list[str]:
    """Return the names of an option, without dashes."""
    option = _declared(parameter)
    # Typer takes the first of the names for a default, until it reads them.
    declared = (option.default, *(option.param_decls or ()))
    names = [name.lstrip("-") for name in declared if isinstance(name, str)]
    return names or [parameter.name.replace("_", "-")]


def _place(parameter: inspect.Parameter) -> tuple[int, int]:
    """Return where an option stands in the help."""
    panel = _PANELS.index(_declared(parameter).rich_help_panel)
    name = parameter.name
    return panel, _FIRST.index(name) if name in _FIRST else len(_FIRST)


# Progress -----------------------------------------------------------------------------


@contextmanager
def watched(
    *others: Any, quiet: bool, pace: Pace | None = None
) -> Iterator[Callable[[Turn], None]]:
    """Yield what `run` may call with each turn: progress, and the others.

    Parameters
    ----------
    others
        Context managers that are called with each turn.
    quiet
        Whether to leave progress out.
    pace
        After which rounds to tell of it, if that was asked for.
    """
    from littlestone.progress import reporter

    with ExitStack() as stack:
        watchers: list[Any] = []
        if not quiet and sys.stderr is not None:
            watchers.append(stack.enter_context(reporter(sys.stderr, pace)))
        watchers += [stack.enter_context(other) for other in others]

        def watch(turn: Turn) -> None:
            for watcher in watchers:
                watcher(turn)

        yield watch
