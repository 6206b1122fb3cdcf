"""Model files that commands load: the learner, and how its stream was read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from littlestone.catalogue import Entry, Reads
from littlestone.cli._learner_options import LearnerOptions
from littlestone.cli._learners import as_loss, entry_for, loss_in_words
from littlestone.cli._streams import Model, Player, has_names
from littlestone.errors import ParameterError
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from littlestone.cli._options import ReadingOptions

__all__ = ["answers", "loaded", "loaded_as", "open_like"]


# Where the learner is that another one is put around.
_INSIDE = {"Mapped": "learner", "Restarting": "learner", "Adaptive": "forecaster"}


def loaded(path: Path) -> tuple[Entry, Any]:
    """Return the learner in a model file, and its entry."""
    from littlestone import models

    learner: Any = models.load(path)
    entry = entry_for(type(_within(learner)).__name__)
    if entry is None:
        raise ParameterError(
            f"{path} must have a learner that the command line can name, got "
            f"{type(learner).__name__}"
        )
    return entry, learner


def _within(learner: Any) -> Any:
    """Return the learner that others are put around."""
    while (inner := _INSIDE.get(type(learner).__name__)) is not None:
        learner = getattr(learner, inner)
    return learner


def loaded_as(chosen: LearnerOptions, path: Path) -> tuple[Entry, Any]:
    """Return the learner in a model file, and its entry, if it is what was chosen.

    Its name, loss and constant may be repeated, as commands of Vowpal Wabbit do.
    """
    usual = LearnerOptions()
    name, loss, bias = chosen.learner, chosen.loss, chosen.bias
    if chosen != replace(usual, learner=name, loss=loss, bias=bias):
        raise ParameterError(
            "--load must be given without options of a learner, as it has its own"
        )
    entry, learner = loaded(path)
    if chosen.learner not in (usual.learner, entry.name):
        raise ParameterError(
            f"--learner must be {entry.name}, as {path} was learned, got "
            f"{chosen.learner}"
        )
    if chosen.loss is not None:
        own = getattr(learner, "loss", None)
        was = "left out" if own is None else loss_in_words(own)
        got = loss_in_words(as_loss(chosen.loss))
        if was != got:
            raise ParameterError(
                f"--loss must be {was}, as {path} was learned, got {got}"
            )
    within = _within(learner)
    constant = float(getattr(within, "bias", 0.0))
    members = getattr(within, "members", None) or getattr(within, "learners", None)
    if bias is not None and members is not None:
        raise ParameterError(
            f"--bias and --noconstant must be left out, as {path} has members with "
            f"constants of their own, got {bias:g}"
        )
    if bias not in (None, constant):
        raise ParameterError(
            f"--bias must be {constant:g}, as {path} was learned, got {bias:g}; "
            "--noconstant is --bias 0"
        )
    return entry, learner


def open_like(
    path: Path,
    learner: Any,
    player: Player,
    file: str | list[str],
    reading: ReadingOptions,
    **how: Any,
) -> Any:
    """Return the stream of a file, read as the one that the learner has learned from.

    If the model file does not say how, the options do; then at least the kind of the
    features must be that of the learner's.
    """
    from littlestone import models
    from littlestone.learner import RoundLearner

    remembered = models.reading(path)
    model = None if remembered is None else Model(path, remembered)
    stream = reading.open(file, player, model=model, **how)
    # The weights of a mapped learner are of other features, those of a committee and of
    # restarting copies are of its members.
    others = type(learner).__name__ in _INSIDE or isinstance(learner, RoundLearner)
    if model is None and player.reads is Reads.FEATURES and not others:
        named = reading.hash_bits is None and has_names(file, reading.form, player)
        _check_features(learner, named=named, bits=reading.hash_bits)
    return stream


def _check_features(learner: Any, *, named: bool, bits: int | None) -> None:
    """Refuse names for a loaded learner of columns, or columns for one of names."""
    weights: Any = getattr(learner, "weights_", {})
    if learner.outcome is Outcome.CLASS:  # by class
        weights = {known for those in weights.values() for known in those}
    known = next(iter(weights), None)
    if bits is not None and isinstance(known, int):
        width = learner.save_state()["width"]
        if width != 1 << bits:
            raise ParameterError(
                "-b must be as when the learner of the model file was saved, which has "
                f"{width:,} columns, got -b {bits} for {1 << bits:,}"
            )
    if known is None or isinstance(known, str) == named:
        return
    if named:
        raise ParameterError(
            "-b must be as when the learner of the model file was saved, since it has "
            f"columns by number, such as {known}"
        )
    raise ParameterError(
        f"the learner of the model file has features by name, such as {known!r}, so "
        "they must have names here too, and -b must be left out"
    )


def answers(model: Path, positive: Any) -> dict[Any, Any]:
    """Return what yes and no are called, if they have names."""
    from littlestone import models

    reading = models.reading(model)
    if reading is not None:
        positive = reading.options.get("positive", positive)
    if positive is None:
        return {}
    yes = positive if isinstance(positive, (str, int, float)) else next(iter(positive))
    no = None if reading is None else reading.no
    return {True: yes, False: f"not {yes}" if no is None else no}
