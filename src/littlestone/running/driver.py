"""Run a learner over a stream: hand the stream to its player, and record the rounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from operator import length_hint
from typing import TYPE_CHECKING, Any, Literal, Protocol

from littlestone.adversaries import Adversary
from littlestone.display.progress import reporter
from littlestone.errors import (
    ExampleError,
    Hint,
    ParameterError,
    StreamError,
    UnknownLabelWarning,
)
from littlestone.learner import warn
from littlestone.logs import LOG
from littlestone.outcome import Outcome, outcome_of
from littlestone.running.beforehand import gives_chances
from littlestone.running.checkpoint import Parts
from littlestone.running.inputs import Needs, as_stream, unpaired
from littlestone.running.players import player_for
from littlestone.running.recorder import Recorder
from littlestone.running.tested import tested
from littlestone.streams import Stream
from littlestone.streams._options import one_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.running.batch import Batch
    from littlestone.running.checkpoint import Checkpoint
    from littlestone.running.inputs import Data, Meaning
    from littlestone.running.record import Record
    from littlestone.running.setting import Keep
    from littlestone.theorems import Number

__all__ = ["Fits", "Plays", "run", "steps", "warn_without_yes"]

_SKIP = Hint("on_error", "skip", "leaves out what the learner refuses")


class Plays(Protocol):
    """What `run` needs of a learner."""

    def predict_one(self, x: Any, /) -> Any:
        """Predict the label of one example."""

    def learn_one(self, x: Any, y: Any, /) -> Any:
        """Learn from one example and its label."""


class Fits(Protocol):
    """What `run` needs of a learner of matrices, such as one of scikit-learn."""

    def predict(self, X: Any, /) -> Any:
        """Predict the label of each row."""

    def partial_fit(self, X: Any, y: Any, /) -> Any:
        """Learn from some rows and their labels."""


def run(
    learner: Plays | Fits,
    stream: Data | Adversary,
    *,
    label: str | int | None = None,
    positive: Meaning | None = None,
    passes: int = 1,
    progress: bool = False,
    observe: Callable[[Batch], object] | None = None,
    keep: Keep = "mistakes",
    digest: bool = False,
    declare: Mapping[str, Number] | None = None,
    checkpoint: Checkpoint | None = None,
    learn: bool = True,
    on_error: Literal["raise", "skip"] = "raise",
    metrics: Iterable[str] = (),
    chances: bool = False,
    live: bool | None = None,
) -> Record:
    """Play a stream with a learner, round by round: predict, see the label, learn.

    Blocks are played natively where stream and learner can; the record is the same.

    Parameters
    ----------
    learner
        A learner of littlestone, or anything with `predict_one` and `learn_one`, or
        with `predict` and `partial_fit`, which gets one row at a time.
    stream
        One of `littlestone.streams`, any iterable of `(x, y)`, or one of
        `littlestone.adversaries`, which starts afresh and sees each prediction. A data
        frame of pandas or polars, or an Arrow table, with `label`; or a pair `(X, y)`
        of a matrix or frame and its labels. They become `streams.table`, `arrays`,
        `onehot` or `advice`, as the learner needs it.
    label
        The column of a data frame that has the labels.
    positive
        The label of a data frame or pair that means yes, or several, if not 1 against 0
        or -1.
    passes
        How often to read the stream; rounds are numbered across passes.
    progress
        Show a progress bar, or plain lines when stderr is not a terminal.
    observe
        Called with each `Batch` of rounds after it was played.
    keep
        `"mistakes"` keeps the numbers of the rounds with a mistake; `"nothing"` keeps
        memory constant on an endless stream; `"updates"` also keeps the examples of the
        rounds that change the learner, and takes the digest; `"rounds"` does so with
        the examples of every round; `"advice"` with the experts' advice of every round,
        for `littlestone.comparators`.
    digest
        Take the SHA-256 of the stream, which identifies it: the examples, their order,
        and the order of their features.
    declare
        What you know about the stream or the truth behind it, by the names of the
        numbers in the learner's theorems: `{"features": 100, "relevant": 3}` for a
        disjunction and `Winnow`, `{"margin": 0.1, "radius": 1}` for the `Perceptron`,
        `{"length": 5}` for a decision list. It is taken as true, and may be what a live
        bound lacks.
    checkpoint
        Where to save the learner and the run every so many rounds, so that a later run
        can resume: see `littlestone.models.run`.
    learn
        False tests a learner of examples without teaching it. No theorem applies then,
        and a label may be None, which counts as no mistake.
    on_error
        What to do with an example that the learner refuses: `"raise"`, or `"skip"` it
        and count it in `record.refused`. If every example is refused, the first refusal
        is raised.
    metrics
        What to measure beside `record.confusion`, `record.chances` and `record.errors`,
        which cost nothing: `"auc"`, the area under the ROC curve, for learners that
        score yes and no. The others may be named too: `"log-loss"`, `"brier"` and
        `"calibration"` of probabilities, `"mae"`, `"rmse"` and `"r2"` of numbers,
        `"coverage"` and `"width"` of intervals, `"f1"` of labels; a learner that has
        none of them is refused. A learner that gives probabilities without being
        charged for them, such as `Auto`, is asked for them where a metric needs them,
        before each round; rounds of a class that it did not know then are left out.
        `"pinball:0.9"` adds the pinball loss at a level.
    chances
        Give `observe` the probabilities of each round, as they were before it, in
        `batch.chances`; for learners that have them.
    live
        For a linear learner, bound the mistakes after 16, 32, 64, ... rounds and the
        last by the best witness so far, with nothing declared: in the progress, the
        curve and the record. The examples that change the learner are kept for it, and
        searched when a bound is read; the learner plays as it would without. They are
        kept while that takes at most a tenth of the work of playing rows in memory, or
        a millisecond. Where mistakes are many there is a bound only for a stream that
        is read, by a witness of its first rounds. By default it is done if progress is
        shown.

    Examples
    --------
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Perceptron
    >>> run(Perceptron(), streams.arrays([[1.0], [-1.0]], [1, -1]), passes=3)
    Record(Perceptron: 6 rounds, 1 mistake (16.67%), 1 update)
    >>> run(Perceptron(), ([[1.0], [-1.0]], [1, -1]), passes=3).mistakes
    1
    >>> record = run(Perceptron(), streams.arrays([[-1.0]], [0]), keep="updates")
    >>> record.examples
    KeptExamples(1 round, 1 feature)
    >>> margin = {"margin": 0.5, "radius": 1}
    >>> run(Perceptron(), [([-1.0], 0), ([1.0], 1)] * 3, declare=margin)
    Record(Perceptron: 6 rounds, 1 mistake (16.67%) of at most 4, 1 update)
    >>> run(Perceptron(), [([-1.0], 0), ([1.0], 1)] * 3, live=True)
    Record(Perceptron: 6 rounds, 1 mistake (16.67%) of at most 1, 1 update)
    >>> run(Perceptron(), [([-1.0], 0), ([-2.0], 0)], learn=False)
    Record(Perceptron: 2 rounds, 2 mistakes (100.00%), 0 updates)
    >>> run(Perceptron(), [([1.0], 1), ([float("nan")], 0)], on_error="skip")
    Record(Perceptron: 1 round, 0 mistakes (0.00%), 0 updates, 1 example refused)
    """
    if label is not None or positive is not None or not isinstance(stream, Stream):
        stream = as_stream("run", stream, label, Needs.of(learner), positive)
    stepping = steps(
        learner,
        stream,
        passes=passes,
        progress=progress,
        observe=observe,
        keep=keep,
        digest=digest,
        declare=declare,
        checkpoint=checkpoint,
        learn=learn,
        on_error=on_error,
        metrics=metrics,
        chances=chances,
        live=live,
    )
    try:
        next(stepping)
    except StopIteration as over:
        record: Record = over.value
        return record
    except ExampleError as error:
        # What is refused as a whole, as when no expert is awake, has no cell to mend.
        if on_error == "raise" and type(error) is ExampleError and not error.hints:
            error.hints = (_SKIP,)
        raise
    raise unpaired(None)


def steps(
    learner: Any,
    stream: Any,
    *,
    passes: int = 1,
    progress: bool = False,
    observe: Callable[[Batch], object] | None = None,
    keep: Keep = "mistakes",
    digest: bool = False,
    declare: Mapping[str, Number] | None = None,
    checkpoint: Checkpoint | None = None,
    learn: bool = True,
    on_error: Literal["raise", "skip"] = "raise",
    metrics: Iterable[str] = (),
    chances: bool = False,
    live: bool | None = None,
) -> Generator[None, None, Record]:
    """Do what `run` does, but pause wherever the stream yields None: nothing yet."""
    _check(stream, passes, checkpoint, learn=learn)
    metrics = list(metrics)
    one_of("run", "on_error", on_error, ("raise", "skip"))
    playing = learner if learn else tested(learner)
    recorder = Recorder(
        learner,
        keep=keep,
        digest=digest,
        declare=declare,
        learn=learn,
        tested=None if learn else playing,
        passes=passes,
        saveable=checkpoint is not None,
        resume=None if checkpoint is None else checkpoint.resumed,
        scores=_scores(learner, stream, checkpoint, metrics),
        chances=_chances(learner, stream, metrics, asked=chances),
        levels=_levels(learner, metrics),
        live=progress if live is None else live,
        reads=not getattr(stream, "in_memory", True),
    )
    LOG.info("run begins: %r", learner)
    skips = on_error == "skip"
    if not skips and not recorder.rounds:  # otherwise there may be fewer rounds
        recorder.expect(passes * length_hint(stream))
    parts = Parts(learner, recorder, checkpoint)
    player = player_for(playing, stream, recorder, parts, skips=skips)
    with reporter() if progress else nullcontext(None) as report:
        for number in range(passes):
            for batch in _located(player.play(stream), recorder):
                if batch is None:
                    yield
                    continue
                recorder.add(batch)
                if passes > 1 and batch.done is not None:
                    batch = replace(batch, done=(number + batch.done) / passes)  # noqa: PLW2901 - for the observers
                if report is not None:
                    report(batch)
                if observe is not None:
                    observe(batch)
                _save(checkpoint, learner, recorder)
    over = not getattr(stream, "stopped", False)
    if over or not parts.to_skip:  # otherwise the checkpoint has more rounds
        parts.end()
        recorder.refusals.check(recorder.rounds)
        _save(checkpoint, learner, recorder, over=over, last=True)
    record = recorder.record()
    LOG.info("run ends: %r", record)
    warn_without_yes(stream, record)
    return record


def warn_without_yes(stream: Any, record: Record) -> None:
    r"""Warn if no example has the label that was said to mean yes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import warnings
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Perceptron
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mail.csv"
    >>> _ = path.write_text("kind,links\nspam,3\nham,0\n")
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     record = run(Perceptron(), streams.csv(path, label="kind", positive="Spam"))
    >>> print(caught[0].message)
    no example has the label 'Spam', which means yes
    """
    reading, answers = getattr(stream, "reading", None), record.confusion
    positive = None if reading is None else reading.options.get("positive")
    if positive is None or answers is None or not record.rounds:
        return
    if record.outcome is Outcome.LABEL and not answers.by_class[1].rounds:
        warn(
            f"no example has the label {positive!r}, which means yes",
            UnknownLabelWarning,
        )


def _located(
    batches: Iterator[Batch | None], recorder: Recorder
) -> Iterator[Batch | None]:
    """Yield the batches; an error says after how many rounds it came."""
    try:
        yield from batches
    except (ExampleError, StreamError) as error:
        error.rounds = recorder.rounds
        if isinstance(error, ExampleError) and not error.where:
            error.where = f"round {recorder.rounds}"
        raise


def _save(
    checkpoint: Checkpoint | None,
    learner: Any,
    recorder: Recorder,
    *,
    over: bool = False,
    last: bool = False,
) -> None:
    """Save the run, if it is time to."""
    if checkpoint is not None and (last or recorder.rounds % checkpoint.every == 0):
        checkpoint.save(learner, {**recorder.save(), "over": over})


def _check(
    stream: Any, passes: object, checkpoint: Checkpoint | None, *, learn: bool
) -> None:
    """Refuse what cannot be run."""
    if not isinstance(passes, int) or passes < 1:
        raise ParameterError(
            f"passes must be a whole number above 0, got {passes!r}", owner="run"
        )
    if passes > 1 and not _repeatable(stream):
        raise ParameterError(
            f"a stream must be readable again for {passes} passes, got one that is "
            f"not: {stream!r}",
            owner="run",
        )
    if checkpoint is not None and not learn:
        raise ParameterError(
            "learn=False has nothing to save in a checkpoint", owner="run"
        )
    if checkpoint is not None and isinstance(stream, Adversary):
        raise ParameterError(
            f"a run against an adversary has no checkpoints, got {stream!r}",
            owner="run",
        )


def _scores(
    learner: Any, stream: Any, checkpoint: Checkpoint | None, metrics: list[str]
) -> bool:
    """Return whether a metric needs scores; refuse one that the learner cannot have."""
    if not metrics:
        return False
    wanted = ["mae" if _LEVEL.fullmatch(name) else name for name in metrics]
    outcome = outcome_of(learner)
    fits = {
        "f1": not outcome.charged,
        **dict.fromkeys(("coverage", "width"), hasattr(learner, "intervals_")),
        "auc": hasattr(learner, "score_one") and outcome is Outcome.LABEL,
        **dict.fromkeys(_OF_CHANCES, gives_chances(learner)),
        **dict.fromkeys(_OF_NUMBERS, outcome is Outcome.NUMBER),
    }
    for name in wanted:
        one_of("run", "metrics", name, (*fits, "pinball:0.9"))
        if not fits[name]:
            needs = "gives probabilities" if name in _OF_CHANCES else "predicts numbers"
            needs = {
                "auc": "scores yes and no",
                "f1": "predicts labels",
                "coverage": "gives intervals, such as conformal.Adaptive",
                "width": "gives intervals, such as conformal.Adaptive",
            }.get(name, needs)
            raise ParameterError(
                f"{name} needs a learner that {needs}, got {learner!r}", owner="run"
            )
    wanted = [name for name in wanted if name == "auc"]
    if wanted and (checkpoint is not None or isinstance(stream, Adversary)):
        raise ParameterError(
            "auc needs a stream that is played without checkpoints, got "
            f"{'an adversary' if checkpoint is None else 'a checkpoint'}",
            owner="run",
        )
    return bool(wanted)


def _chances(learner: Any, stream: Any, metrics: Iterable[str], *, asked: bool) -> bool:
    """Return whether to ask for probabilities; refuse where there are none."""
    if asked and not gives_chances(learner):
        raise ParameterError(
            f"chances need a learner that gives probabilities, got {learner!r}",
            owner="run",
        )
    # Those that are charged for them have them in their losses.
    counted = getattr(learner, "gives_chances", False)
    asked = asked or (not counted and any(name in _OF_CHANCES for name in metrics))
    if asked and isinstance(stream, Adversary):
        raise ParameterError(
            "probabilities need a stream, got an adversary", owner="run"
        )
    return asked


def _levels(learner: Any, metrics: Iterable[str]) -> list[float]:
    """Return the levels of the pinball losses to show, that of its own loss first."""
    own = getattr(getattr(learner, "loss", None), "tau", None)
    asked = [float(told[1]) for told in map(_LEVEL.fullmatch, metrics) if told]
    return list(dict.fromkeys(asked if own is None else [float(own), *asked]))


_LEVEL = re.compile(r"pinball:(0?\.[0-9]*[1-9][0-9]*)")
# What is counted in any case, of probabilities and of numbers.
_OF_CHANCES = ("log-loss", "brier", "calibration")
_OF_NUMBERS = ("mae", "rmse", "r2")


def _repeatable(stream: Iterable[object] | Adversary) -> bool:
    if isinstance(stream, Stream):
        return stream.repeatable
    return not isinstance(stream, (Adversary, Iterator))
