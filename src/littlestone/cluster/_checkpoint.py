"""Checkpoints of a cluster: the learner and the epochs so far, in a model file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.cluster._core import Tally
from littlestone.cluster._record import Epoch
from littlestone.errors import ModelError, ParameterError
from littlestone.models._models import read_model, write_model
from littlestone.running import KeptExamples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from littlestone.learner import Learner

__all__ = ["load_epochs", "save_epochs"]


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


def load_epochs(
    learner: Learner, path: str | Path, setting: Mapping[str, Any]
) -> tuple[Learner, list[Epoch], bool]:
    """Return the learner of a file, its epochs, and whether it was fresh."""
    found, run = read_model(path)
    saved = None if run is None else run.get("cluster")
    if not isinstance(saved, dict):
        raise ModelError(
            "a cluster must resume from a file that one has written, got another",
            where=str(path),
        )
    if type(found) is not type(learner) or found.get_params() != learner.get_params():
        raise ModelError(
            f"a run must resume with {found!r}, got {learner!r}", where=str(path)
        )
    for name, value in setting.items():
        if name != "epochs" and saved["setting"].get(name) != value:
            raise ParameterError(
                f"{name} must be {saved['setting'].get(name)!r:.200}, as in the run to "
                f"resume, got {value!r:.200}",
                owner="cluster",
            )
    try:
        epochs = [
            Epoch(
                tuple(_tally(tally) for tally in epoch["tallies"]),
                tuple(epoch["weights"]),
                epoch["seconds"],
                epoch["sent"],
            )
            for epoch in saved["epochs"]
        ]
        return found, epochs, bool(saved["fresh"])
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError("the checkpoint is damaged", where=str(path)) from error


def _tally(plain: dict[str, Any]) -> Tally:
    examples = plain.pop("examples")
    if examples is not None:
        examples = KeptExamples(**{**examples, "features": tuple(examples["features"])})
    return Tally(**plain, examples=examples)
