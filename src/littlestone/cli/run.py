"""`littlestone run`: play a file with a learner."""

from __future__ import annotations

import json as json_format
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli._learners import (
    Form,
    Kernel,
    LearnerName,
    Mode,
    Update,
    as_loss,
    as_range,
    make_learner,
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
from littlestone.cli._summary import PredictionFile, facts_of, in_words

if TYPE_CHECKING:
    from littlestone.run import Turn

__all__ = ["run"]

_LEARNER = "Of a learner"
_RULE = "Of learners of rules"
_TEXT = "Of text, CSV, Vowpal Wabbit text and JSON Lines"
_ADVICE = "Of learners that follow experts"


def run(
    file: Annotated[
        str, typer.Argument(help="A file, plain, gzip or zstd; - for stdin.")
    ],
    learner: Annotated[
        LearnerName,
        typer.Option(
            "--learner",
            "-l",
            metavar="NAME",
            help="Who learns: " + ", ".join(LearnerName) + ".",
        ),
    ] = LearnerName.PERCEPTRON,
    form: Annotated[
        Format | None,
        typer.Option(
            "--format",
            "-f",
            help="svmlight lines, text between tabs, Vowpal Wabbit text, JSON Lines, "
            "or CSV: of predictions for those who follow experts, of categories for "
            "the others. By default CSV for the former, else what the name of the file "
            "says (.csv, .vw, .jsonl, .ndjson), else svmlight.",
        ),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(help="The label that means yes, if not 1 against 0 or -1."),
    ] = None,
    hash_bits: Annotated[
        int | None,
        typer.Option(help="Hash the features into 2^bits columns; 1 to 24."),
    ] = None,
    passes: Annotated[int, typer.Option(help="How often to read the file.")] = 1,
    on_error: Annotated[
        OnError, typer.Option(help="Stop at a line that cannot be read, or skip it.")
    ] = OnError.RAISE,
    predictions: Annotated[
        Path | None,
        typer.Option(
            "--predictions",
            "-p",
            help="Write each prediction here: 1, 0, the class or the number.",
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the record as JSON.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress.")
    ] = False,
    label: Annotated[
        str | None,
        typer.Option(
            help="Column of the label: a name in the first line, or a number from 0; "
            "in JSON Lines its key.",
            rich_help_panel=_TEXT,
        ),
    ] = None,
    weights: Annotated[
        Weights | None,
        typer.Option(
            help="Vowpal Wabbit text: a weight other than 0 and 1 is refused, ignored, "
            "or says how often to play the line.",
            rich_help_panel=_TEXT,
        ),
    ] = None,
    unlabelled: Annotated[
        Unlabelled | None,
        typer.Option(
            help="Vowpal Wabbit text, JSON Lines: refuse or skip lines without label.",
            rich_help_panel=_TEXT,
        ),
    ] = None,
    duplicates: Annotated[
        Duplicates | None,
        typer.Option(
            help="Vowpal Wabbit text, JSON Lines: refuse a feature that stands twice "
            "in a line, or sum its values.",
            rich_help_panel=_TEXT,
        ),
    ] = None,
    ignore: Annotated[
        str | None,
        typer.Option(
            help="Namespaces or keys not to read, parted by commas.",
            rich_help_panel=_TEXT,
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            help="Vowpal Wabbit text: the only namespaces to read, parted by commas.",
            rich_help_panel=_TEXT,
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="Columns to learn from, parted by commas; all but the label.",
            rich_help_panel=_TEXT,
        ),
    ] = None,
    thresholds: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=NUMBERS",
            help="CSV: literals for a column of numbers, such as age=30,50 for "
            "age>=30 and age>=50; once for each column.",
            rich_help_panel=_TEXT,
        ),
    ] = None,
    missing: Annotated[
        Missing | None,
        typer.Option(
            help="CSV: refuse a line without a cell (which experts start with), give "
            "a missing category a literal of its own (which the others start with), "
            "or let an expert sleep.",
            rich_help_panel=_TEXT,
        ),
    ] = None,
    ngrams: Annotated[
        int | None,
        typer.Option(
            help="Features of up to so many successive words.", rich_help_panel=_TEXT
        ),
    ] = None,
    keep_case: Annotated[
        bool,
        typer.Option("--keep-case", help="Do not lowercase.", rich_help_panel=_TEXT),
    ] = False,
    counts: Annotated[
        bool,
        typer.Option(
            "--counts", help="Values are counts, not 1.", rich_help_panel=_TEXT
        ),
    ] = False,
    bias: Annotated[
        float | None,
        typer.Option(
            help="Value of a constant feature; 0 for none.", rich_help_panel=_LEARNER
        ),
    ] = None,
    update: Annotated[
        Update | None,
        typer.Option(
            help="perceptron: on mistakes, or on ties too.", rich_help_panel=_LEARNER
        ),
    ] = None,
    normalize: Annotated[
        bool | None,
        typer.Option(
            "--normalize",
            help="perceptron: scale examples to length 1.",
            rich_help_panel=_LEARNER,
        ),
    ] = None,
    kernel: Annotated[
        Kernel | None,
        typer.Option(help="kernel-perceptron.", rich_help_panel=_LEARNER),
    ] = None,
    degree: Annotated[
        int | None,
        typer.Option(help="Of the polynomial kernel.", rich_help_panel=_LEARNER),
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(
            help="Of the polynomial and the Gaussian kernel.", rich_help_panel=_LEARNER
        ),
    ] = None,
    offset: Annotated[
        float | None,
        typer.Option(help="Of the polynomial kernel.", rich_help_panel=_LEARNER),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            help="kernel-perceptron: examples to keep.", rich_help_panel=_LEARNER
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="kernel-perceptron, randomized-weighted-majority: of their choices.",
            rich_help_panel=_LEARNER,
        ),
    ] = None,
    aggressiveness: Annotated[
        float | None,
        typer.Option(
            "--aggressiveness",
            "-C",
            help="passive-aggressive: C.",
            rich_help_panel=_LEARNER,
        ),
    ] = None,
    mode: Annotated[
        Mode | None,
        typer.Option(help="passive-aggressive.", rich_help_panel=_LEARNER),
    ] = None,
    r: Annotated[
        float | None,
        typer.Option(
            "--r", help="second-order-perceptron, arow.", rich_help_panel=_LEARNER
        ),
    ] = None,
    full: Annotated[
        bool | None,
        typer.Option(
            "--full",
            help="second-order-perceptron, arow: a full matrix.",
            rich_help_panel=_LEARNER,
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="winnow: say yes from here; the number of features is usual.",
            rich_help_panel=_LEARNER,
        ),
    ] = None,
    promotion: Annotated[
        float | None,
        typer.Option(
            help="winnow: factor that rewards a missed weight.",
            rich_help_panel=_LEARNER,
        ),
    ] = None,
    eliminate: Annotated[
        bool | None,
        typer.Option(
            "--eliminate",
            help="winnow: false alarms zero the weights.",
            rich_help_panel=_LEARNER,
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            help="balanced-winnow: change of a logarithm.", rich_help_panel=_LEARNER
        ),
    ] = None,
    scale: Annotated[
        float | None,
        typer.Option(
            help="balanced-winnow: largest size of a value.", rich_help_panel=_LEARNER
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "--k",
            help="k-cnf, k-dnf, decision-list: most literals of a clause or term.",
            rich_help_panel=_RULE,
        ),
    ] = None,
    monotone: Annotated[
        bool | None,
        typer.Option(
            "--monotone",
            help="conjunction, disjunction: none is negated.",
            rich_help_panel=_RULE,
        ),
    ] = None,
    experts: Annotated[
        str | None,
        typer.Option(
            help="Columns of the experts, parted by commas; all but the label.",
            rich_help_panel=_ADVICE,
        ),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            help="square, absolute, percentage, log, brier, zero-one or pinball:0.9.",
            rich_help_panel=_ADVICE,
        ),
    ] = None,
    loss_range: Annotated[
        str | None,
        typer.Option(
            "--range",
            metavar="LOW,HIGH",
            help="What losses may be; hedge and fixed-share need to know.",
            rich_help_panel=_ADVICE,
        ),
    ] = None,
    gradient: Annotated[
        bool | None,
        typer.Option(
            "--gradient",
            help="Charge by the slope of the loss, to rival the best mixture.",
            rich_help_panel=_ADVICE,
        ),
    ] = None,
    eta: Annotated[
        float | None,
        typer.Option(help="hedge, fixed-share: the rate.", rich_help_panel=_ADVICE),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(help="fixed-share: the part shared out.", rich_help_panel=_ADVICE),
    ] = None,
    whose: Annotated[
        Form | None,
        typer.Option("--form", help="ml-poly, ml-prod, boa.", rich_help_panel=_ADVICE),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(
            help="weighted-majority: what is left of a weight.", rich_help_panel=_ADVICE
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="randomized-weighted-majority: what is lost of a weight.",
            rich_help_panel=_ADVICE,
        ),
    ] = None,
    restart: Annotated[
        bool | None,
        typer.Option(
            "--restart",
            help="halving: start again when no expert is left.",
            rich_help_panel=_ADVICE,
        ),
    ] = None,
) -> None:
    """Play a file with a learner: predict, be told, learn, line by line.

    The weights and the mistakes are those of the file's order, whatever the output is
    sent to. Progress goes to standard error, the summary to standard output.

    For example:

        littlestone run mail.svm.gz --learner perceptron --bias 1

        littlestone run clicks.svm -l winnow --threshold 5000 --promotion 1.5

        littlestone run ads.vw.gz --bias 1 --weights repeat --hash-bits 18

        littlestone run mail.tsv -f text --label label --positive spam --ngrams 2

        zcat news.svm.gz | littlestone run - -l multiclass-perceptron --json

        littlestone run mushrooms.csv -l k-dnf --k 2 --label class --positive p

        littlestone run load.csv -l hedge --experts gam,ar --label y --range 0,1e8
    """
    from littlestone.progress import reporter
    from littlestone.run import run as play

    made = make_learner(
        learner,
        {
            "bias": bias,
            "update": update,
            "normalize": normalize,
            "kernel": kernel,
            "degree": degree,
            "gamma": gamma,
            "offset": offset,
            "budget": budget,
            "seed": seed,
            "C": aggressiveness,
            "mode": mode,
            "r": r,
            "diagonal": None if full is None else not full,
            "threshold": threshold,
            "promotion": promotion,
            "eliminate": eliminate,
            "rate": rate,
            "scale": scale,
            "k": k,
            "monotone": monotone,
            "loss": None if loss is None else as_loss(loss),
            "range": None if loss_range is None else as_range(loss_range),
            "gradient": gradient,
            "eta": eta,
            "alpha": alpha,
            "form": whose,
            "beta": beta,
            "epsilon": epsilon,
            "restart": restart,
        },
    )
    stream: Any = open_stream(
        file,
        form,
        learner,
        {
            "label": label,
            "weights": weights,
            "unlabelled": unlabelled,
            "duplicates": duplicates,
            "ignore": ignore,
            "keep": keep,
            "columns": columns,
            "ngrams": ngrams,
            "keep-case": keep_case or None,
            "counts": counts or None,
            "thresholds": thresholds or None,
            "missing": missing,
            "positive": positive,
            "hash-bits": hash_bits,
            "experts": experts,
        },
        any_labels=made.any_labels,
        outcome=made.outcomes_are.removesuffix("s"),
        on_error=on_error,
    )
    started = time.perf_counter()
    with ExitStack() as stack:
        watchers: list[Any] = []
        if not quiet and sys.stderr is not None:
            watchers.append(stack.enter_context(reporter(sys.stderr)))
        if predictions is not None:
            watchers.append(stack.enter_context(PredictionFile(predictions, file)))

        def watch(turn: Turn) -> None:
            for watcher in watchers:
                watcher(turn)

        record = play(made, stream, passes=passes, observe=watch, keep="nothing")
    seconds = time.perf_counter() - started
    if json:
        facts = facts_of(made, record)
        facts |= {"file": file, "skipped": stream.skipped, "seconds": seconds}
        if left_out := getattr(stream, "left_out", 0):
            facts |= {"left_out": left_out}
        if hash_bits is not None:
            facts |= {"buckets": stream.buckets, "collisions": stream.collisions}
        typer.echo(json_format.dumps(facts, default=repr))
    else:
        typer.echo(
            in_words(
                made, record, stream, file=file, seconds=seconds, hash_bits=hash_bits
            )
        )
