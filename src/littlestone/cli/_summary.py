"""What the command line tells of a run: in words, as JSON, and line by line."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from littlestone.cli._streams import is_read
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from littlestone.concepts import Concept
    from littlestone.run import Record, Turn

__all__ = ["LONGEST_RULE", "PredictionFile", "facts_of", "in_words"]

LONGEST_RULE = 1_000_000
"""How many characters of a rule are told as JSON; of a longer one, its size alone."""

_WIDTH = 78  # of a rule that is told in one line
_PARTS = 8  # of a rule that is told in several


def facts_of(learner: Any, record: Record) -> dict[str, Any]:
    """Return the record as JSON has it, and the rule if there is one."""
    facts = record.to_dict()
    del facts["mistake_rounds"]
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
) -> str:
    """Return the summary of a run."""
    lines = {
        "learner": str(record.learner),
        "stream": file + (f", {record.passes} passes" if record.passes > 1 else ""),
        "rounds": f"{record.rounds:,}",
    }
    if record.of_numbers:
        mean = (record.loss or 0.0) / max(1, record.rounds)
        lines["loss"] = f"{record.loss:.8g} ({mean:.6g} a round)"
    else:
        lines["mistakes"] = f"{record.mistakes:,} ({record.rate:.4%})"
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
    lines["time"] = f"{seconds:.2f} s ({record.rounds / seconds:,.0f} rounds/s)"
    lines |= _read(stream, hash_bits)
    if hasattr(learner, "concept_"):
        lines["rule"] = f"\n{'':10}".join(rule_lines(learner.concept_))
    return "\n".join(f"{name:9} {text}" for name, text in lines.items())


def _read(stream: Any, hash_bits: int | None) -> dict[str, str]:
    """Return what is to be said of the stream."""
    lines: dict[str, str] = {}
    if hash_bits is not None:
        lines["hashing"] = (
            f"{stream.buckets:,} of {2**hash_bits:,} buckets used; "
            f"{stream.collisions:.2%} of the entries collided"
        )
    if stream.skipped:
        lines["skipped"] = f"{stream.skipped:,} lines that could not be read"
    if left_out := getattr(stream, "left_out", 0):
        lines["left out"] = f"{left_out:,} lines without a label or of weight 0"
    return lines


def _bound(learner: Any, record: Record) -> str:
    """Return the bound of a run in words, and loudly if it is exceeded."""
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
    return f"{of} ({by})"


def rule_lines(concept: Concept) -> list[str]:
    """Return a rule in one line, or else its first parts, each in a line.

    Examples
    --------
    >>> from littlestone.cli._summary import rule_lines
    >>> from littlestone.concepts import Disjunction
    >>> rule_lines(Disjunction("a", "b"))
    ['a or b']
    >>> for line in rule_lines(Disjunction(*(f"flavour={i:03}" for i in range(100)))):
    ...     print(line)
    flavour=000
    or flavour=001
    or flavour=002
    or flavour=003
    or flavour=004
    or flavour=005
    or flavour=006
    or flavour=007
    … and 92 more literals
    """
    whole = str(concept)
    if len(whole) <= _WIDTH:
        return [whole]
    parts, joint, noun, last = _parts(concept)
    shown = [*parts[:1], *(f"{joint} {part}" for part in parts[1:_PARTS])]
    more = len(parts) - _PARTS
    if more > 0:
        shown.append(f"… and {more:,} more {noun}")
    return shown + last


def _parts(concept: Any) -> tuple[list[str], str, str, list[str]]:
    """Return the parts of a rule, what joins them, their name, and what ends it."""
    from littlestone import concepts

    if isinstance(concept, concepts.DecisionList):
        answers = {True: "yes", False: "no"}
        rules = [f"if {term} then {answers[said]}," for term, said in concept.rules]
        return rules, "else", "rules", [f"else {answers[concept.default]}"]
    if isinstance(concept, concepts.KCNF):
        return _shortest_first(concepts.KCNF, concept.clauses), "and", "clauses", []
    if isinstance(concept, concepts.KDNF):
        return _shortest_first(concepts.KDNF, concept.terms), "or", "terms", []
    joint = "and" if isinstance(concept, concepts.Conjunction) else "or"
    return [str(literal) for literal in concept.literals], joint, "literals", []


def _shortest_first(kind: Any, parts: Iterable[Any]) -> list[str]:
    """Return clauses or terms in brackets; the shortest say most."""
    return [str(kind(part)) for part in sorted(parts, key=lambda part: part.size)]


def _heaviest(weights: Mapping[Any, float], most: int = 8) -> str:
    """Name the experts that weigh most, in order."""
    ordered = sorted(weights.items(), key=lambda item: -item[1])
    told = ", ".join(f"{expert} {weight:.4f}" for expert, weight in ordered[:most])
    more = len(ordered) - most
    return told + (f" and {more} more" if more > 0 else "")


class PredictionFile:
    """Writes a line a round: 1 for yes, 0 for no, or the class, empty for none."""

    def __init__(self, path: Path, source: str) -> None:
        self._path, self._source = path, source
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        if is_read(self._path, self._source):
            raise ParameterError(
                f"run: --predictions must not be the file that is read, "
                f"got {str(self._path)!r}"
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def __call__(self, turn: Turn) -> None:
        # Opened with the first round: a stream that cannot be read empties no file.
        if self._file is None:
            self._file = self._opened()
        if turn.predictions.dtype == bool:
            lines = bytearray(b"0\n") * len(turn)
            lines[::2] = (turn.predictions + ord("0")).astype("u1").tobytes()
        else:
            said = ("" if label is None else label for label in turn.predictions)
            lines = bytearray("".join(f"{label}\n" for label in said).encode())
        self._file.write(lines)

    def _opened(self) -> BinaryIO:
        try:
            return self._path.open("wb")
        except OSError as error:
            raise ParameterError(
                f"run: --predictions must be a file that can be written, "
                f"got {str(self._path)!r}: {error.strerror}"
            ) from None
