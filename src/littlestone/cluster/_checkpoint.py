"""Checkpoints of a cluster: the learner and the epochs so far, in a model file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.cluster._core import Tally
from littlestone.cluster._record import Epoch
from littlestone.errors import ModelError, ParameterError
from littlestone.linear import AveragedPerceptron
from littlestone.models._models import read_model, write_model
from littlestone.running import KeptExamples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from littlestone.learner import Learner

__all__ = ["load_epochs", "mixes_of", "save_epochs"]


def save_epochs(
    learner: Learner,
    path: str | Path,
    epochs: Sequence[Epoch],
    setting: Mapping[str, Any],
    *,
    fresh: bool,
    read: Any = None,
) -> None:
    """Write the learner and what came of the epochs."""
    run = {
        "rounds": sum(epoch.rounds for epoch in epochs),
        "mistakes": sum(epoch.mistakes for epoch in epochs),
        "over": len(epochs) == setting["epochs"],
        "cluster": {
            "setting": dict(setting),
            "fresh": fresh,
            "epochs": [
                {
                    "tallies": [_plain(tally) for tally in epoch.tallies],
                    "weights": list(epoch.weights),
                    "seconds": epoch.seconds,
                    "sent": epoch.sent,
                    "mixes": epoch.mixes,
                }
                for epoch in epochs
            ],
        },
    }
    write_model(learner, path, run, read)


def _plain(tally: Tally) -> dict[str, Any]:
    examples = tally.examples
    plain = {name: value for name, value in vars(tally).items() if name != "examples"}
    plain["examples"] = None
    if examples is not None:
        plain["examples"] = {**vars(examples), "features": list(examples.features)}
    return plain


def mixes_of(path: str | Path) -> int:
    """Return how often an epoch of a file was mixed; the first files were, once."""
    saved = _saved(path, read_model(path)[1])
    setting = saved.get("setting")
    mixes = setting.get("mixes", 1) if isinstance(setting, dict) else 1
    return mixes if type(mixes) is int and mixes > 0 else 1  # others are refused later


def _saved(path: str | Path, run: Mapping[str, Any] | None) -> Mapping[str, Any]:
    saved = None if run is None else run.get("cluster")
    if not isinstance(saved, dict):
        raise ModelError(
            "a cluster must resume from a file that one has written, got another",
            where=str(path),
        )
    return saved


def load_epochs(
    learner: Learner, path: str | Path, setting: Mapping[str, Any]
) -> tuple[Learner, list[Epoch], bool]:
    """Return the learner of a file, its epochs, and whether it was fresh."""
    found, run = read_model(path)
    saved = _saved(path, run)
    if type(found) is not type(learner) or found.get_params() != learner.get_params():
        raise ModelError(
            f"a run must resume with {found!r}, got {learner!r}", where=str(path)
        )
    try:
        was = {"mixes": 1, **saved["setting"]}
        epochs = [_epoch(**epoch) for epoch in saved["epochs"]]
        fresh = bool(saved["fresh"])
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ModelError("the checkpoint is damaged", where=str(path)) from error
    if isinstance(found, AveragedPerceptron) and "mixes" not in saved["setting"]:
        raise ModelError(
            "a run of AveragedPerceptron must resume from a file whose mean begins "
            "with each epoch, got one from before: begin again",
            where=str(path),
        )
    for name, value in setting.items():
        if name != "epochs" and was.get(name) != value:
            raise ParameterError(
                f"{name} must be {was.get(name)!r:.200}, as in the run to "
                f"resume, got {value!r:.200}",
                owner="cluster",
            )
    return found, epochs, fresh


def _epoch(
    tallies: Any, weights: Any, seconds: Any, sent: Any, mixes: Any = 1
) -> Epoch:
    """Return an epoch as it was saved; a file may hold anything."""
    played = tuple(_tally(**tally) for tally in tallies)
    _refuse(not (_counts(*weights, sent, mixes) and _real(seconds)))
    _refuse(not 1 <= mixes <= len(played))
    _refuse(len(weights) != len(played))
    return Epoch(played, tuple(weights), seconds, sent, mixes)


def _tally(examples: Any, **plain: Any) -> Tally:
    tally = Tally(**plain, examples=None if examples is None else _kept(**examples))
    counts = (tally.rounds, tally.mistakes, tally.updates, tally.bytes, tally.refused)
    texts = (tally.shard, tally.digest or "", tally.skipped or "")
    _refuse(not all(type(text) is str for text in texts) or not _counts(*counts))
    _refuse(not _real(tally.seconds) or not _real(tally.loss or 0.0))
    _refuse(max(tally.mistakes, tally.updates) > tally.rounds)
    return tally


def _kept(features: Any, **arrays: Any) -> KeptExamples:
    kept = KeptExamples(**arrays, features=tuple(features))
    rows, ends = kept.rounds, kept.offsets
    whole = (rows, ends, kept.columns)
    _refuse(any(each.ndim != 1 or each.dtype.kind != "i" for each in whole))
    _refuse(kept.values.shape != kept.columns.shape or kept.labels.shape != rows.shape)
    _refuse(kept.changed is not None and kept.changed.shape != rows.shape)
    _refuse(len(ends) != len(rows) + 1 or bool(np.any(np.diff(ends) < 0)))
    _refuse(ends[0] != 0 or ends[-1] != len(kept.columns))
    inside = (kept.columns >= 0) & (kept.columns < len(kept.features))
    _refuse(not inside.all() or not np.isfinite(kept.values).all())
    return kept


def _counts(*values: Any) -> bool:
    return all(type(value) is int and value >= 0 for value in values)


def _real(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _refuse(wrong: bool) -> None:
    if wrong:
        raise ValueError
