"""Runs that save checkpoints to a file, and resume from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.errors import ModelError
from littlestone.learner.parameters import whole
from littlestone.logs import LOG
from littlestone.models._models import check, read_model, write_model
from littlestone.models._values import Packer
from littlestone.outputs import remove_drafts
from littlestone.running import run as play
from littlestone.running.inputs import Needs, as_stream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.learner import Learner
    from littlestone.running import Record
    from littlestone.running.inputs import Data, Meaning

__all__ = ["run"]

_KNOWN = ("rounds", "mistakes", "over", "updates", "fresh", "setting")
_PARTS = ("watch", "books", "notes", "tally")
_MOST = 2**62  # rounds


def run(
    learner: Learner,
    stream: Data,
    save: str | Path,
    *,
    label: str | int | None = None,
    positive: Meaning | None = None,
    checkpoint_every: int = 1_000_000,
    resume: bool = False,
    **options: Any,
) -> Record:
    """Play a stream, and save checkpoints of learner and run to a file.

    The file is replaced every so many rounds, and at the end. If the process is killed,
    the same call with `resume=True` continues from the file: the stream is read from
    its start, the rounds played before are compared by their digest and not played
    again, and the result is that of an uninterrupted run: the same learner, record and
    certificate, to the last bit.

    Parameters
    ----------
    learner
        A learner of littlestone that can be saved. When a run resumes, it becomes the
        one in the file, which must have the same parameters.
    stream
        As for `littlestone.run`, but not an adversary.
    save
        The file. It can be loaded and inspected at any time.
    label
        The column of a data frame that has the labels.
    positive
        The label that means yes, as in `run`.
    checkpoint_every
        After how many rounds to write it.
    resume
        Continue the run in the file; begin one if there is no file.
    options
        Those of `littlestone.run`; a run resumes with the same ones.

    Returns
    -------
    Record
        As from `littlestone.run`.

    Raises
    ------
    StreamError
        If the stream does not begin with the rounds that were played before.
    ModelError
        If the learner cannot be saved, or the file is of another learner.

    Examples
    --------
    >>> import tempfile
    >>> from littlestone import models
    >>> from littlestone.linear import Perceptron
    >>> stream = [({"a": 1}, False), ({"b": 1}, False), ({"a": 1, "b": 1}, True)] * 9
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/run.lst"
    ...     first = models.run(Perceptron(), stream[:20], path, checkpoint_every=5)
    ...     models.run(Perceptron(), stream, path, resume=True)
    Record(Perceptron: 27 rounds, 27 mistakes (100.00%), 27 updates)
    """
    every = whole("run", "checkpoint_every", checkpoint_every, low=1)
    check(learner, save)
    stream = as_stream("run", stream, label, Needs.of(learner), positive)
    resumed = None
    if resume:
        remove_drafts(save)
        if Path(save).exists():
            resumed = _resumed(learner, save)
    checkpoint = _FileCheckpoint(save, every, resumed, stream)
    return play(learner, stream, checkpoint=checkpoint, **options)


class _FileCheckpoint:
    """Saves a run to a file."""

    def __init__(
        self,
        path: str | Path,
        every: int,
        resumed: Mapping[str, Any] | None,
        stream: Any,
    ) -> None:
        self._path, self._stream = path, stream
        self.every = every
        self.resumed = resumed

    def save(self, learner: Any, state: dict[str, Any], /) -> None:
        """Replace the file."""
        write_model(learner, self._path, state, self._stream)
        LOG.info("saved %s after %d rounds", self._path, state["rounds"])


def _parameters(learner: Learner) -> str:
    """Return the name and the parameters of a learner, as a file has them."""
    packer = Packer()
    card = packer.learner(type(learner).__name__, learner)
    return json.dumps([card["learner"], card["parameters"]])


def _resumed(learner: Learner, path: str | Path) -> dict[str, Any]:
    """Give a learner the state in a file, and return how far its run had come."""
    found, run_of_file = read_model(path)
    if run_of_file is None:
        raise ModelError(
            "a run must resume from a file that a run has written, got one that holds "
            f"only {type(found).__name__}",
            where=str(path),
        )
    if _parameters(found) != _parameters(learner):
        raise ModelError(
            f"a run must resume with {found!r}, got {learner!r}", where=str(path)
        )
    try:
        check_run(run_of_file)
    except ModelError as error:
        error.where = str(path)
        raise
    learner.__dict__.clear()
    learner.__dict__.update(found.__dict__)
    return run_of_file


def check_run(run_of_file: Mapping[str, Any]) -> None:
    """Refuse a damaged checkpoint, as far as that can be seen."""
    rounds, tally = run_of_file.get("rounds"), run_of_file.get("tally")
    sound = (
        all(name in run_of_file for name in _KNOWN)
        and all(isinstance(run_of_file.get(name), dict) for name in _PARTS)
        and isinstance(run_of_file["setting"], dict)
        and type(rounds) is int
        and 0 <= rounds < _MOST
        and isinstance(tally, dict)
        and tally.get("rounds") == rounds
        and {"digest", "played"} <= run_of_file["notes"].keys()
    )
    if not sound:
        raise ModelError("the checkpoint is damaged")
