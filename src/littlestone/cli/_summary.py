"""The summary of a run, in words and as JSON, and its predictions line by line."""

from __future__ import annotations

import math
import sys
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from littlestone.cli._streams import is_read
from littlestone.display.words import aligned, counted, duration
from littlestone.errors import OutputError, ParameterError
from littlestone.outputs import check_output, replacing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from littlestone.running import Batch, Record

__all__ = [
    "LONGEST_RULE",
    "STDOUT",
    "PredictionFile",
    "check_apart",
    "check_place",
    "facts_of",
    "in_words",
]

STDOUT = ("-", "/dev/stdout")  # the second as users of Vowpal Wabbit write it

_MOST_TERMS = 100  # in JSON, the heaviest first
LONGEST_RULE = 1_000_000
"""The longest rule in JSON, in characters; of a longer one only the size is given."""


def facts_of(learner: Any, record: Record) -> dict[str, Any]:
    """Return the record as plain data, and the rule if there is one."""
    facts = record.to_dict()
    del facts["mistake_rounds"]
    if hasattr(learner, "terms_"):
        heaviest = dict(islice(learner.terms_.items(), _MOST_TERMS))
        facts |= {"terms": heaviest, "features": len(learner.features_)}
    if not hasattr(learner, "concept_"):
        return facts
    rule = str(learner.concept_)
    facts |= {
        "rule": rule if len(rule) <= LONGEST_RULE else None,
        "rule_size": learner.concept_.size,
        "features": len(learner.features_),
    }
    return facts


def in_words(
    learner: Any,
    record: Record,
    stream: Any,
    *,
    file: str,
    seconds: float,
    hash_bits: int | None,
    refusal: str | None = None,
) -> str:
    """Return the summary of a run; `refusal` says what was refused first."""
    from littlestone.concepts._lines import rule_lines

    lines = {
        "learner": str(record.learner),
        "stream": file + (f", {record.passes} passes" if record.passes > 1 else ""),
        "rounds": f"{record.rounds:,}"
        + (f", {record.unlabelled:,} without a label" if record.unlabelled else ""),
    }
    lines |= _charged(record) if record.outcome.charged else _answers(record)
    if hasattr(learner, "concept_") and record.unrealizable is not None:
        lines["bound"] = f"none, as no concept fits since round {record.unrealizable:,}"
    if record.expected_mistakes is not None:
        lines["expected"] = f"{float(record.expected_mistakes):,.4f} mistakes"
    if record.regret is not None:
        lines["regret"] = f"{record.regret:.8g} to {record.best_expert}"
    if record.bound is not None:
        lines["bound"] = _bound(learner, record)
    if record.weights is None:
        lines["updates"] = f"{record.updates:,}"
    else:
        lines["weights"] = _heaviest(record.weights)
    lines["time"] = f"{duration(seconds)} ({record.rounds / seconds:,.0f} rounds/s)"
    lines |= _read(stream, hash_bits)
    if record.refused:
        lines["refused"] = f"{counted(record.refused, 'example')}"
        lines["refused"] += "" if refusal is None else f", first {refusal}"
    if hasattr(learner, "terms_"):
        lines["terms"] = _heaviest(learner.terms_)
    if hasattr(learner, "concept_"):
        lines["rule"] = f"\n{'':10}".join(rule_lines(learner.concept_))
    return "\n".join(f"{name:9} {text}" for name, text in lines.items())


def _read(stream: Any, hash_bits: int | None) -> dict[str, str]:
    """Return remarks on the stream."""
    lines: dict[str, str] = {}
    if hash_bits is not None:
        lines["hashing"] = (
            f"{stream.buckets:,} of {2**hash_bits:,} buckets used; "
            f"{stream.collisions:.2%} of the entries collided"
        )
    if stream.skipped:
        lines["skipped"] = f"{counted(stream.skipped, 'line')} that could not be read"
    if left_out := getattr(stream, "left_out", 0):
        lines["left out"] = f"{left_out:,} lines without a label or of weight 0"
    return lines


def _charged(record: Record) -> dict[str, str]:
    """Return the loss, and how far numbers are off."""
    from littlestone.display.answers import inside, off_by

    lines = {}
    if record.loss is not None:  # it is not known if a label is missing
        mean = record.loss / max(1, record.rounds)
        lines["loss"] = f"{record.loss:.8g} ({mean:.6g} a round)"
    if record.errors is not None:
        lines["errors"] = off_by(record.errors)
    if record.coverage is not None:
        lines["intervals"] = inside(record.coverage)
    return lines


def _answers(record: Record) -> dict[str, str]:
    """Return mistakes, baseline, figures for imbalance, and the confusion matrix."""
    from littlestone.display.answers import (
        baseline,
        by_class,
        figures,
        likely,
        matrix,
        order,
    )

    lines = {"mistakes": f"{record.mistakes:,} ({record.rate:.4%})"}
    confusion = record.confusion
    if confusion is None or not confusion.rounds:
        return lines
    lines |= {
        "baseline": baseline(confusion),
        "metrics": figures(confusion, record.auc),
    }
    if (told := order(confusion)) is not None:
        lines["order"] = f"{told}; --shuffle 1 plays the file in a random order"
    if record.chances is not None:
        lines["chances"] = likely(record.chances)
    rows = matrix(confusion)
    if not confusion.binary:
        rows = [*rows, ()] if rows is not None else []
        rows += by_class(confusion)
    if rows is not None:
        lines["confusion"] = f"\n{'':10}".join(aligned(rows))
    return lines


def _bound(learner: Any, record: Record) -> str:
    """Return the bound of a run in words, loudly if it is exceeded."""
    bound = record.bound or 0.0
    whole = record.bound_of == "mistakes"
    most = f"{math.floor(bound):,}" if whole else f"{bound:.8g}"
    noun = "mistake" if most == "1" and whole else record.bound_of
    of = f"{most} {noun}" if whole else f"{noun} {most}"
    by = f"{record.theorem}"
    if hasattr(learner, "features_"):
        by += f", {len(learner.features_):,} features met"
    if record.exceeded:
        return f"EXCEEDED: {of} ({by}); a premise is broken"
    return f"{of} ({by})" + (f", {record.emptiness}" if record.emptiness else "")


def _heaviest(weights: Mapping[Any, float], most: int = 8) -> str:
    """Name the experts or terms with the largest weights, in order."""
    ordered = sorted(weights.items(), key=lambda item: -item[1])
    told = ", ".join(f"{expert} {weight:.4f}" for expert, weight in ordered[:most])
    more = len(ordered) - most
    return told + (f" and {more} more" if more > 0 else "")


class PredictionFile:
    """Writes a line for each round: 1 for yes, 0 for no, or the class, empty for none.

    The tag of the example follows, as in Vowpal Wabbit. With `chances` the line begins
    with the probability of yes, or of each class, instead.
    """

    def __init__(
        self, path: Path, source: str | list[str], *, chances: bool = False
    ) -> None:
        self._path, self._source, self._chances = path, source, chances
        self._file: BinaryIO | None = None
        self._writing = ExitStack()

    def __enter__(self) -> Self:
        if is_read(self._path, self._source):
            raise ParameterError(
                "--predictions must not be the file that is read, got "
                f"{str(self._path)!r}"
            )
        if not self.is_stdout:
            check_place("--predictions", self._path)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._writing.__exit__(kind, fault, trace)

    @property
    def is_stdout(self) -> bool:
        """Whether the lines go to standard output, which has two names."""
        return str(self._path) in STDOUT

    def __call__(self, batch: Batch) -> None:
        said: Any = batch.chances if self._chances else batch.predictions
        truths = said.dtype == bool
        if truths and batch.tag is None:
            lines = bytearray(b"0\n") * len(batch)
            lines[::2] = (said + ord("0")).astype("u1").tobytes()
            self._write(lines)
            return
        if truths:
            told = ["1" if p else "0" for p in said.tolist()]
        else:
            told = [_line(p) for p in said]
        if batch.tag is not None:
            tags = map(batch.tag, range(len(batch)))
            told = [
                f"{p} {tag}" if tag else p for p, tag in zip(told, tags, strict=True)
            ]
        self._write("".join(f"{line}\n" for line in told).encode())

    def _write(self, lines: bytes | bytearray) -> None:
        if self.is_stdout:
            sys.stdout.write(lines.decode())
            return
        # Opened in the first round, so that an unreadable stream leaves no draft.
        if self._file is None:
            self._file = self._writing.enter_context(replacing(self._path))
        self._file.write(lines)


def by_class(figures: Mapping[Any, float]) -> str:
    """Return the score or probability of each class, as class:figure.

    Examples
    --------
    >>> from littlestone.cli._summary import by_class
    >>> by_class({"a": 0.25, "b": 0.75})
    'a:0.25 b:0.75'
    """
    return " ".join(f"{name}:{figure!r}" for name, figure in figures.items())


def _line(said: Any) -> str:
    if isinstance(said, dict):
        return by_class(said)
    return "" if said is None else f"{said}"


def check_apart(option: str, output: Path, file: str | list[str]) -> None:
    """Refuse an output that is read, or cannot be written, before a long run."""
    if is_read(output, file):
        raise ParameterError(
            f"{option} must not be the file that is read, got {str(output)!r}"
        )
    check_place(option, output)


def check_place(option: str, output: Path) -> None:
    """Refuse an output file before a long run, not after it."""
    try:
        check_output(output)
    except OutputError as error:
        raise ParameterError(
            f"{option} must be a file that can be written, got {str(output)!r}: "
            f"{error.what}"
        ) from None
