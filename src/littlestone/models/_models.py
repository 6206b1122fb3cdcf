"""Save a learner, and load it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from littlestone.errors import ModelError, OutputError
from littlestone.models._file import dump, parse, read, write
from littlestone.models._values import Packer, Unpacker
from littlestone.outputs import check_output
from littlestone.streams._reading import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from littlestone.learner import Learner
    from littlestone.streams import Stream

__all__ = [
    "check",
    "from_bytes",
    "load",
    "read_model",
    "reading",
    "save",
    "to_bytes",
    "unpacked",
    "write_model",
]


def save(
    learner: Learner, path: str | Path, stream: Stream | Reading | None = None
) -> None:
    """Write a learner with all it has learned to a file.

    An older file is replaced at once or not at all: the new one is written beside it,
    and renamed when it is on the disk.

    Parameters
    ----------
    learner
        A learner of littlestone. Functions, such as a kernel or a loss of your own,
        cannot be saved, nor can the learners of other libraries in a `Committee`.
    path
        The file; `.lst` is usual.
    stream
        The stream that the learner has learned from, or its `reading`: the file then
        remembers how it was read, for `models.reading` and for the command line.

    Raises
    ------
    ModelError
        If the learner cannot be saved or the file cannot be written; an older file is
        then unchanged.

    Examples
    --------
    >>> import tempfile
    >>> from littlestone import models
    >>> from littlestone.linear import Perceptron
    >>> learner = Perceptron(bias=1.0)
    >>> learner.learn_one({"cheap": 1, "pills": 2}, False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     models.save(learner, f"{folder}/mail.lst")
    ...     copy = models.load(f"{folder}/mail.lst")
    >>> copy.weights_, copy.intercept_
    ({'cheap': -1.0, 'pills': -2.0}, -1.0)
    """
    write_model(learner, path, read=stream)


def load(path: str | Path) -> Learner:
    """Return the learner of a file, which continues as if it had never been saved.

    Parameters
    ----------
    path
        A file that `save` or `run` has written.

    Raises
    ------
    ModelError
        If the file is not a model, is truncated, has changed since it was written, was
        made by a newer littlestone, or holds an invalid state.
    MissingFileError
        If there is no such file.

    Examples
    --------
    >>> import tempfile
    >>> from littlestone import models
    >>> from littlestone.experts import Halving
    >>> learner = Halving(experts=["ann", "bob", "cyd"])
    >>> learner.play_one([True, False, False], True)
    False
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     models.save(learner, f"{folder}/three.lst")
    ...     models.load(f"{folder}/three.lst").alive_
    ['ann']
    """
    return read_model(path)[0]


def reading(path: str | Path) -> Reading | None:
    r"""Return how the stream was read that the learner of a file has learned from.

    None if the file does not say, such as one that `save` wrote without a stream.

    Parameters
    ----------
    path
        A file that `save` or `run` has written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone import models, run, streams
    >>> from littlestone.linear import Perceptron
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> path = folder / "mail.tsv"
    >>> _ = path.write_text("y\ttext\n0\tSee you!\n1\tFree money\n")
    >>> stream = streams.text(path, label="y")
    >>> learner = Perceptron()
    >>> run(learner, stream, passes=2).rounds
    4
    >>> models.save(learner, folder / "mail.lst", stream)

    Later, or on another machine:

    >>> learner = models.load(folder / "mail.lst")
    >>> reading = models.reading(folder / "mail.lst")
    >>> learner.predict_one(reading.features("Money for free!"))
    True
    >>> _ = (folder / "new.txt").write_text("Can I see you?\nFree money!\n")
    >>> new = reading.open(folder / "new.txt", unlabelled="keep")
    >>> [learner.predict_one(x) for x, _ in new]
    [False, True]
    """
    metadata, _ = read(path)
    try:
        return reading_in(metadata)
    except ModelError as error:
        error.where = str(path)
        raise


def reading_in(metadata: Mapping[str, str]) -> Reading | None:
    """Return how the stream was read, if the metadata of a model say.

    Examples
    --------
    >>> from littlestone.models._models import reading_in
    >>> reading_in({"reading": '{"format": "svmlight", "options": {}}'}).format
    'svmlight'
    """
    if "reading" not in metadata:
        return None
    return Reading.from_dict(Unpacker({}).unpack(_json(metadata, "reading")))


def check(learner: Learner, path: str | Path) -> None:
    """Refuse a learner that cannot be saved there, before it plays a long stream.

    Examples
    --------
    >>> from littlestone import models
    >>> from littlestone.linear import KernelPerceptron
    >>> models.check(KernelPerceptron("gaussian"), "m.lst")
    >>> models.check(KernelPerceptron(max), "m.lst")
    Traceback (most recent call last):
    littlestone.errors.ModelError: m.lst: parameters/kernel must be made of plain values, learners or concepts of littlestone to be saved, got <built-in function max>; a function cannot be
    """  # noqa: E501 - a message is one line
    try:
        check_output(path)
    except OutputError as error:
        raise ModelError(error.what, where=error.where) from None
    try:
        Packer().learner(type(learner).__name__, learner)
    except ModelError as error:
        error.where = error.where or str(path)
        raise


def write_model(
    learner: Learner,
    path: str | Path,
    run: Mapping[str, Any] | None = None,
    read: Stream | Reading | None = None,
) -> str:
    """Write a learner, and how far a run has come; return the digest of the file."""
    packer = Packer()
    try:
        metadata = _metadata(packer, learner, run, read)
    except ModelError as error:
        error.where = error.where or str(path)
        raise
    return write(path, metadata, packer.arrays)


def to_bytes(
    learner: Learner,
    run: Mapping[str, Any] | None = None,
    read: Stream | Reading | None = None,
) -> bytes:
    """Return what `write_model` would write, to be sent elsewhere.

    Examples
    --------
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.models._models import from_bytes, to_bytes
    >>> learner = Perceptron()
    >>> learner.learn_one({"a": 2.0}, False)
    >>> from_bytes(to_bytes(learner))[0].weights_
    {'a': -2.0}
    """
    packer = Packer()
    return dump(_metadata(packer, learner, run, read), packer.arrays)


def from_bytes(raw: bytes) -> tuple[Learner, dict[str, Any] | None]:
    """Return the learner of the bytes of a model file, and its run, if there is one."""
    return unpacked(*parse(raw))


def _metadata(
    packer: Packer,
    learner: Learner,
    run: Mapping[str, Any] | None,
    read: Stream | Reading | None,
) -> dict[str, str]:
    how = read if isinstance(read, Reading) else getattr(read, "reading", None)
    card = packer.learner(type(learner).__name__, learner)
    metadata = {
        "learner": card["learner"],
        "parameters": json.dumps(card["parameters"]),
        "state": json.dumps(card["state"]),
    }
    if run is not None:
        metadata["run"] = json.dumps(packer.pack("run", run))
    if how is not None:
        metadata["reading"] = json.dumps(packer.pack("reading", how.to_dict()))
    return metadata


def read_model(path: str | Path) -> tuple[Learner, dict[str, Any] | None]:
    """Return the learner of a file, and how far a run had come, if it was in one."""
    metadata, arrays = read(path)
    try:
        return unpacked(metadata, arrays)
    except ModelError as error:
        error.where = str(path)
        raise


def unpacked(
    metadata: Mapping[str, str], arrays: Mapping[str, Any]
) -> tuple[Learner, dict[str, Any] | None]:
    """Return the learner and the run that metadata and arrays describe."""
    unpacker = Unpacker(arrays)
    parts = {name: _json(metadata, name) for name in ("parameters", "state")}
    learner = unpacker.learner({"learner": metadata.get("learner"), **parts})
    run = unpacker.unpack(_json(metadata, "run")) if "run" in metadata else None
    if run is not None and not isinstance(run, dict):
        raise ModelError(f"a run must have names, got {run!r}")
    if unused := unpacker.unused():
        raise ModelError(f"every array must be used, got {unused[0]!r} unused")
    return learner, run


def state_of(metadata: Mapping[str, str], arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state that metadata and arrays describe, without a learner.

    Only the learner knows whether it can have been its own: for what this library
    wrote, and whose digest was checked.

    Examples
    --------
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.models._file import parse
    >>> from littlestone.models._models import state_of, to_bytes
    >>> state_of(*parse(to_bytes(Perceptron())))["updates"]
    0
    """
    state = Unpacker(arrays).unpack(_json(metadata, "state"))
    if not isinstance(state, dict):
        raise ModelError(f"a state must have names, got {state!r}")
    return state


def _json(metadata: Mapping[str, str], name: str) -> Any:
    try:
        return json.loads(metadata[name])
    except KeyError:
        raise ModelError(f"the metadata must have {name!r}, got none") from None
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{name} must be JSON: {error}") from error
