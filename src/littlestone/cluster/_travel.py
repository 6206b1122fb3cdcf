"""How states travel: as the bytes of a model file, or of what has changed in it.

Nothing that travels is code, and a digest is checked wherever it arrives.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.linear._base import LinearLearner
from littlestone.models._file import dump, parse
from littlestone.models._models import from_bytes, state_of, to_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.learner import Learner

__all__ = ["arrived", "begun", "learner_of", "packed", "sent"]

_CHANGE = "change"


def packed(learner: Learner) -> bytes:
    """Return a learner as it travels."""
    return to_bytes(learner)


def learner_of(state: bytes) -> Learner:
    """Return the learner that has travelled."""
    return from_bytes(state)[0]


def begun(learner: Learner) -> dict[str, Any] | None:
    """Return the state that changes refer to; None if the learner travels whole.

    Examples
    --------
    >>> from littlestone.cluster._travel import begun
    >>> from littlestone.linear import Perceptron
    >>> begun(Perceptron()) is None  # nothing is known before
    True
    """
    if not isinstance(learner, LinearLearner) or learner.newborn_:
        return None
    return learner.save_state()


def sent(before: Mapping[str, Any] | None, after: Learner) -> bytes:
    """Return a learner that had a state before: whole, or what has changed.

    Examples
    --------
    >>> from littlestone.cluster._travel import arrived, begun, sent
    >>> from littlestone.linear import Perceptron
    >>> learner = Perceptron()
    >>> learner.learn_one({"a": 1.0}, False)
    >>> before = begun(learner)
    >>> learner.learn_one({"b": 2.0}, False)
    >>> arrived(before, sent(before, learner))["names.cells"].tolist()
    [[-1.0], [-2.0]]
    """
    if before is not None:
        state = after.save_state()
        metadata, arrays = _change(before, state)
        if 2 * _size(arrays) < _size(state):
            return dump(metadata, arrays)
    return packed(after)


def arrived(before: Mapping[str, Any] | None, raw: bytes) -> dict[str, Any]:
    """Return the state that `sent` has sent."""
    metadata, arrays = parse(raw)
    if before is not None and _CHANGE in metadata:
        return _applied(before, json.loads(metadata[_CHANGE]), arrays)
    return state_of(metadata, arrays)


def _size(state: Mapping[str, Any]) -> int:
    return sum(getattr(part, "nbytes", 0) for part in state.values())


def _columns(state: Mapping[str, Any]) -> Any:
    columns = state.get("columns")
    if columns is None:
        return np.arange(len(state["columns.cells"]), dtype=np.uint32)
    return columns


def _change(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return what is needed beside the state before to have the state after."""
    old, new = _columns(before), _columns(after)
    cells = after["columns.cells"]
    if np.array_equal(old, new):  # as in most epochs after the first
        same, gone = (before["columns.cells"] == cells).all(axis=1), old[:0]
    else:
        known = np.isin(new, old, assume_unique=True)
        same = np.zeros(len(new), dtype=bool)
        was = before["columns.cells"][np.searchsorted(old, new[known])]
        same[known] = (was == cells[known]).all(axis=1)
        gone = np.setdiff1d(old, new, assume_unique=True)
    count = len(before["names.ends"])
    named = after["names.cells"]
    changed = np.ones(len(named), dtype=bool)
    changed[:count] = (before["names.cells"] != named[:count]).any(axis=1)
    text = int(before["names.ends"][-1]) if count else 0
    arrays = {
        "columns": new[~same],
        "columns.cells": cells[~same],
        "gone": gone,
        "names": np.flatnonzero(changed).astype(np.uint32),
        "names.cells": named[changed],
        "names.text": after["names.text"][text:],
        "names.ends": after["names.ends"][count:],
        "names.kinds": after["names.kinds"][count:],
        "rule": after["rule"],
    }
    facts = {"updates": after["updates"], "width": after["width"]}
    return {_CHANGE: json.dumps(facts)}, arrays


def _applied(
    before: Mapping[str, Any], facts: Mapping[str, Any], change: Mapping[str, Any]
) -> dict[str, Any]:
    columns = _columns(before)
    stays = ~np.isin(columns, np.concatenate([change["columns"], change["gone"]]))
    joined = np.concatenate([columns[stays], change["columns"]])
    cells = np.concatenate([before["columns.cells"][stays], change["columns.cells"]])
    order = np.argsort(joined, kind="stable")
    more = len(change["names.ends"])
    named = np.concatenate(
        [before["names.cells"], np.zeros((more, before["names.cells"].shape[1]))]
    )
    named[change["names"]] = change["names.cells"]
    return {
        **before,
        **facts,
        "columns": joined[order],
        "columns.cells": cells[order],
        "names.text": np.concatenate([before["names.text"], change["names.text"]]),
        "names.ends": np.concatenate([before["names.ends"], change["names.ends"]]),
        "names.kinds": np.concatenate([before["names.kinds"], change["names.kinds"]]),
        "names.cells": named,
        "rule": change["rule"],
    }
