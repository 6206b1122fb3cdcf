"""Options that many commands share, each declared once: files, and how to read them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli._groups import ADVICE, OUTPUT, TEXT, Group, names_of, options_in
from littlestone.cli._maps import check_columns
from littlestone.cli._streams import (
    Duplicates,
    Format,
    Missing,
    Model,
    OnError,
    Player,
    Unlabelled,
    Weights,
    open_stream,
)
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from littlestone.display.progress import Pace
    from littlestone.running import Batch

__all__ = [
    "Declare",
    "Files",
    "Json",
    "Metrics",
    "ModelFile",
    "Passes",
    "Quiet",
    "ReadingOptions",
    "chosen_metrics",
    "declared",
    "watched",
]

ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file, as run --save writes it.")
]
Passes = Annotated[int, typer.Option(help="How often to read the file.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print JSON.", rich_help_panel=OUTPUT)
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Show no progress.", rich_help_panel=OUTPUT),
]
Declare = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=NUMBER",
        help="What you know about the truth, for the bound, such as relevant=3; "
        "several separated by commas, or one at a time.",
    ),
]


Metrics = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="What must be measured, such as auc,log-loss,pinball:0.9.",
    ),
]


def chosen_metrics(given: list[str] | None) -> list[str]:
    """Return the names of metrics, each by itself.

    Examples
    --------
    >>> from littlestone.cli._options import chosen_metrics
    >>> chosen_metrics(["auc,log-loss", "f1"])
    ['auc', 'log-loss', 'f1']
    """
    return [name.strip() for names in given or () for name in names.split(",")]


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
                f"--declare must be names and numbers, such as relevant=3, got {part!r}"
            ) from None
    return numbers


@dataclass(frozen=True, kw_only=True)
class Files(Group):
    """The files to read, one after another.

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
            help="A file, plain, gzip or zstd; - for stdin; or a pattern in quotes, "
            "whose files are read in order of their names. Several are read one after "
            "another.",
            show_default=False,
        ),
    ] = None
    data: Annotated[
        list[str] | None,
        typer.Option(
            "--data",
            "-d",
            metavar="FILE",
            help="The same as FILE, as in Vowpal Wabbit.",
            show_default=False,
        ),
    ] = None

    def __bool__(self) -> bool:
        return bool(self.file or self.data)

    @property
    def paths(self) -> str | list[str]:
        """The file, or a list of several files."""
        if bool(self.file) == bool(self.data):
            got = "both" if self else "none"
            raise ParameterError(f"FILE or -d FILE must be given, got {got}")
        given = self.file or self.data or []
        return given[0] if len(given) == 1 else list(given)

    def __str__(self) -> str:
        paths = self.paths
        return paths if isinstance(paths, str) else ", ".join(paths)


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(Group):
    """How to read a file of examples.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone.catalogue import entry_of
    >>> from littlestone.cli._options import ReadingOptions
    >>> from littlestone.cli._streams import Player
    >>> from littlestone.outcome import Outcome
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mail.svm"
    >>> _ = path.write_text("spam 3:1")
    >>> player = Player(entry_of("Winnow"), Outcome.LABEL)
    >>> list(ReadingOptions(positive="spam").open(str(path), player))
    [({3: 1.0}, True)]
    """

    form: Annotated[
        Format | None,
        typer.Option(
            "--format",
            "-F",
            help="By default the format that the name or the content of the file "
            "shows (.svm, .vw, .jsonl, .csv, .tsv, .parquet, .arrow ...), otherwise "
            "svmlight; forecasts for learners that follow experts. csv reads numbers "
            "and categories, forecasts a CSV of what experts predict, text words in "
            "columns split by tabs.",
        ),
    ] = None
    positive: Annotated[
        str | None,
        typer.Option(help="The label that means yes, if it is not 1."),
    ] = None
    hash_bits: Annotated[
        int | None,
        typer.Option(
            "--hash-bits",
            "-b",
            help="Hash the features into 2^bits columns, 1 to 24; none are by default.",
        ),
    ] = None
    on_error: Annotated[
        OnError,
        typer.Option(
            help="Stop at a line that cannot be read or that the learner refuses, or "
            "skip and count it."
        ),
    ] = OnError.RAISE
    shuffle: Annotated[
        int | None,
        typer.Option(
            metavar="SEED",
            help="Play the lines in a random order, by this seed.",
        ),
    ] = None
    label: Annotated[
        str | None,
        typer.Option(
            help="The column of the label: a name in the first line, or a number from "
            "0 if there is no header; in JSON Lines the key.",
            rich_help_panel=TEXT,
        ),
    ] = None
    weight: Annotated[
        str | None,
        typer.Option(
            help="csv, jsonl, parquet, arrow: the column or key of a number that "
            "multiplies the loss of a line, for learners that follow a loss.",
            rich_help_panel=TEXT,
        ),
    ] = None
    weights: Annotated[
        Weights | None,
        typer.Option(
            help="vw: refuse weights other than 0 and 1, ignore them, repeat a line as "
            "often as its weight says, or multiply its loss by it, as learners that "
            "follow a loss do unless told otherwise.",
            rich_help_panel=TEXT,
        ),
    ] = None
    unlabelled: Annotated[
        Unlabelled | None,
        typer.Option(
            help="Refuse lines without a label (the default), skip them, or keep and "
            "predict them, as --test-only does with vw and jsonl.",
            rich_help_panel=TEXT,
        ),
    ] = None
    duplicates: Annotated[
        Duplicates | None,
        typer.Option(
            help="Sum the values of a duplicate feature in a line (the default of vw), "
            "or refuse the line (that of jsonl).",
            rich_help_panel=TEXT,
        ),
    ] = None
    ignore: Annotated[
        str | None,
        typer.Option(
            help="vw, jsonl: namespaces or keys to ignore, comma-separated.",
            rich_help_panel=TEXT,
        ),
    ] = None
    keep: Annotated[
        str | None,
        typer.Option(
            help="vw: the only namespaces to read, comma-separated.",
            rich_help_panel=TEXT,
        ),
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(
            help="The columns to learn from, comma-separated; by default all but the "
            "label. Text with several must say which.",
            rich_help_panel=TEXT,
        ),
    ] = None
    types: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=TYPE",
            help="csv, parquet, arrow: what a column contains, such as zip=category; "
            "repeat it for other columns, or give number or category for all. By "
            "default what the first 1,000 records of a CSV look like.",
            rich_help_panel=TEXT,
        ),
    ] = None
    literals: Annotated[
        bool,
        typer.Option(
            "--literals",
            help="csv: read every cell as a literal, such as odor=foul or rings=2, as "
            "learners of rules do.",
            rich_help_panel=TEXT,
        ),
    ] = False
    thresholds: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=NUMBERS",
            help="csv: literals for a column of numbers, such as age=30,50 for "
            "age>=30 and age>=50; repeat it for other columns.",
            rich_help_panel=TEXT,
        ),
    ] = None
    missing: Annotated[
        Missing | None,
        typer.Option(
            help="csv, parquet, arrow: leave a missing cell out (the default), refuse "
            "the line, or make it a literal such as age=? (the default of learners of "
            "rules). forecasts: refuse it (the default), or let the expert sleep.",
            rich_help_panel=TEXT,
        ),
    ] = None
    ngrams: Annotated[
        int | None,
        typer.Option(
            help="text: features of up to this many successive words.",
            rich_help_panel=TEXT,
        ),
    ] = None
    keep_case: Annotated[
        bool,
        typer.Option(
            "--keep-case", help="text: do not lowercase.", rich_help_panel=TEXT
        ),
    ] = False
    counts: Annotated[
        bool,
        typer.Option(
            "--counts", help="text: values are counts, not 1.", rich_help_panel=TEXT
        ),
    ] = False
    experts: Annotated[
        str | None,
        typer.Option(
            help="forecasts: the columns of the experts, comma-separated; by default "
            "all but the label.",
            rich_help_panel=ADVICE,
        ),
    ] = None

    def open(
        self,
        file: str | list[str],
        *players: Player,
        learns: bool = True,
        labels: bool = True,
        model: Model | None = None,
    ) -> Any:
        """Return the stream of a file, for the learners that play it."""
        if self.hash_bits is not None:
            words = [word for player in players for word in player.maps]
            check_columns(words, self.hash_bits)
        stream = open_stream(
            file,
            self.form,
            players,
            {
                "label": self.label,
                "columns": self.columns,
                "ngrams": self.ngrams,
                "keep-case": self.keep_case or None,
                "counts": self.counts or None,
                "types": self.types or None,
                "literals": self.literals or None,
                "thresholds": self.thresholds or None,
                "missing": self.missing,
                "positive": self.positive,
                "hash-bits": self.hash_bits,
                "experts": self.experts,
                "weight": self.weight,
                "weights": self.weights,
                "unlabelled": self.unlabelled,
                "duplicates": self.duplicates,
                "ignore": self.ignore,
                "keep": self.keep,
                "on-error": self.on_error,
            },
            learns=learns,
            labels=labels,
            model=model,
        )
        if self.shuffle is None:
            return stream
        if self.shuffle < 0:
            raise ParameterError(f"--shuffle must be 0 or more, got {self.shuffle}")
        from littlestone.streams import shuffled

        return shuffled(stream, self.shuffle)

    def words(self) -> list[str]:
        """Return the words that give these options."""
        found: list[str] = []
        for parameter in options_in(ReadingOptions):
            value = getattr(self, parameter.name)
            if value == parameter.default or value is False or value == []:
                continue
            option = f"--{names_of(parameter)[0]}"
            for each in value if isinstance(value, list) else [value]:
                found += [option] if each is True else [option, str(each)]
        return found


@contextmanager
def watched(
    *others: Any, quiet: bool, pace: Pace | None = None
) -> Iterator[Callable[[Batch], None]]:
    """Yield an observer for `run` that shows progress and calls the others.

    Parameters
    ----------
    others
        Context managers that are called with each batch.
    quiet
        Whether to show no progress.
    pace
        After which rounds to show it, if that was asked for.
    """
    from littlestone.display.progress import reporter

    with ExitStack() as stack:
        watchers: list[Any] = []
        if not quiet and sys.stderr is not None:
            watchers.append(stack.enter_context(reporter(sys.stderr, pace)))
        watchers += [stack.enter_context(other) for other in others]

        def watch(batch: Batch) -> None:
            for watcher in watchers:
                watcher(batch)

        yield watch
