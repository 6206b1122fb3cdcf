"""Every way of feeding a world to a learner, which must all come to the same."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from littlestone import run, streams
from worlds import World

Way = Callable[[Any, World], list[Any]]


def _one_by_one(learner: Any, world: World) -> list[bool]:
    said = []
    for x, label in zip(world.X, world.y, strict=True):
        said.append(learner.predict_one(x))
        learner.learn_one(x, label)
    return said


def _by_mapping(learner: Any, world: World) -> list[bool]:
    return [learner.play_one(x, y) for x, y in world.examples()]


def _by_list(learner: Any, world: World) -> list[bool]:
    return [
        learner.play_one(x.tolist(), y) for x, y in zip(world.X, world.y, strict=True)
    ]


def _by_pair(learner: Any, world: World) -> list[bool]:
    return [
        learner.play_one((list(x), list(x.values())), y) for x, y in world.examples()
    ]


def _by_csr_row(learner: Any, world: World) -> list[bool]:
    X = sp.csr_array(world.X)
    return [learner.play_one(X[[t]], y) for t, y in enumerate(world.y)]


def _by_list_of_mappings(learner: Any, world: World) -> list[bool]:
    examples = world.examples()
    return list(learner.play([x for x, _ in examples], world.y)) if examples else []


def _by_blocks(learner: Any, world: World) -> list[bool]:
    half = len(world.y) // 2
    first = learner.play(world.X[:half], world.y[:half])
    return [*first, *learner.play(world.X[half:], world.y[half:])]


def _by_fortran_order(learner: Any, world: World) -> list[bool]:
    return list(learner.play(np.asfortranarray(world.X), world.y))


def _by_csr(learner: Any, world: World) -> list[bool]:
    return list(learner.play(sp.csr_array(world.X), world.y))


def _by_csr_64(learner: Any, world: World) -> list[bool]:
    X = sp.csr_matrix(world.X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return list(learner.play(X, world.y))


def _by_wide_csr(learner: Any, world: World) -> list[bool]:
    X = sp.csr_array(world.X)
    wide = sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], 2**31 - 1))
    return list(learner.play(wide, world.y))


def _by_stream(learner: Any, world: World) -> list[bool]:
    said: list[bool] = []
    stream = streams.arrays(world.X, world.y)
    run(learner, stream, observe=lambda batch: said.extend(batch.predictions))
    return said


def _by_file(learner: Any, world: World) -> list[bool]:
    said: list[bool] = []
    with tempfile.NamedTemporaryFile("w", suffix=".svm") as file:
        for x, y in world.examples():
            pairs = " ".join(f"{j}:{v!r}" for j, v in x.items())
            file.write(f"{int(y)} {pairs}\n")
        file.flush()
        stream = streams.svmlight(file.name, outcome=learner.outcome)
        run(learner, stream, observe=lambda batch: said.extend(batch.predictions))
    return said


# Ways of features and labels.
WAYS: tuple[Way, ...] = (
    _one_by_one,
    _by_mapping,
    _by_list,
    _by_pair,
    _by_csr_row,
    _by_list_of_mappings,
    _by_blocks,
    _by_fortran_order,
    _by_csr,
    _by_csr_64,
    _by_wide_csr,
    _by_stream,
    _by_file,
)

# Ways that end in code of the learner's own.
OWN_WAYS = (_one_by_one, _by_mapping, _by_blocks, _by_csr, _by_stream, _by_file)


# Advice, of which every cell counts: an expert that is left out sleeps.


def _advice_by_mapping(learner: Any, world: World) -> list[Any]:
    return [
        learner.play_one(dict(enumerate(row)), y)
        for row, y in zip(world.X.tolist(), world.y.tolist(), strict=True)
    ]


def _advice_by_frame(learner: Any, world: World) -> list[Any]:
    return list(learner.play(pd.DataFrame(world.X), world.y))


def _advice_by_stream(learner: Any, world: World) -> list[Any]:
    said: list[Any] = []
    stream = streams.advice(world.X, world.y)
    run(learner, stream, observe=lambda turn: said.extend(turn.predictions))
    return said


ADVICE_WAYS: tuple[Way, ...] = (
    _one_by_one,
    _by_list,
    _advice_by_mapping,
    _by_blocks,
    _by_fortran_order,
    _advice_by_frame,
    _advice_by_stream,
)
