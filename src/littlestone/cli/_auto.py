"""Which committee `--learner auto` is for a file: of labels, or of classes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from littlestone.cli._streams import Player
from littlestone.errors import LabelError, LittlestoneError
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from littlestone.cli._learner_options import LearnerOptions
    from littlestone.cli._options import ReadingOptions

__all__ = ["suited"]

_FEWEST, _MOST = 3, 256  # different labels that are classes
_KINDS = ({int}, {str})


def suited(
    chosen: LearnerOptions, file: str | list[str], reading: ReadingOptions
) -> LearnerOptions:
    """Return the options, with `multiclass-auto` for `auto` if there are many classes.

    The labels of the first block tell: classes are three or more different ones, all
    whole numbers or all texts, on at least twice as many lines, and not only yes and
    no. While there are too few to tell, more is read. So neither numbers with decimals
    nor what is left of lines in another format are taken for classes.
    """
    if chosen.learner != "auto" or chosen.member or reading.positive is not None:
        return chosen
    classes = replace(chosen, learner="multiclass-auto")
    try:
        reading = replace(reading, shuffle=None)
        stream = reading.open(file, Player(classes.entry, Outcome.CLASS))
        return classes if stream.repeatable and _are_classes(stream) else chosen
    except (LittlestoneError, OSError):  # `run` reports it better
        return chosen


def _are_classes(stream: Any) -> bool:
    seen: dict[Any, None] = {}
    lines = 0
    for block in stream.blocks():
        told = block.labels[block.first : block.last].tolist()
        seen |= dict.fromkeys(label for label in told if label is not None)
        lines += len(told)
        kinds = {type(label) for label in seen}
        if all(map(_is_label, seen)) or len(seen) > _MOST or kinds not in _KINDS:
            return False
        if _FEWEST <= len(seen) <= lines / 2:
            return True
    return False


def _is_label(y: object) -> bool:
    from littlestone.learner import as_label

    try:
        as_label(y)
    except LabelError:
        return False
    return True
