"""Proofs that the judge replays on a run: one for each learner and theorem.

Each module has `PROOFS`, from the ids of theorems to proofs, which list their learners.
"""

from __future__ import annotations

from typing import Any

from littlestone.verifying.proofs import (
    adaptive,
    auto,
    balanced,
    coverage,
    gradients,
    kernel,
    labels,
    late,
    majorities,
    mixing,
    multiclass,
    multiclass_auto,
    one_versus_rest,
    passive_aggressive,
    perceptron,
    restarting,
    rules,
    second_order,
    sequences,
    softmax,
    votes,
    weights,
    winnow,
)
from littlestone.verifying.proofs._proof import Proof, Unsound

__all__ = ["PROOFS", "STREAM_PROOFS", "Proof", "Unsound"]

_MODULES: tuple[Any, ...] = (
    perceptron,
    kernel,
    passive_aggressive,
    multiclass,
    winnow,
    balanced,
    second_order,
    one_versus_rest,
    gradients,
    softmax,
    coverage,
    restarting,
    rules,
    votes,
    majorities,
    auto,
    multiclass_auto,
    labels,
    weights,
    sequences,
    adaptive,
    mixing,
    late,
)

# By the name of the learner and the id of the theorem.
PROOFS: dict[tuple[str, str], type[Proof]] = {
    (learner, theorem): proof
    for module in _MODULES
    for theorem, proof in module.PROOFS.items()
    for learner in proof.learners
}

# The same on all rounds, for the theorems whose bounds then hold in every order.
STREAM_PROOFS: dict[tuple[str, str], type[Proof]] = {
    key: type(f"{proof.__name__}OfStream", (proof,), {"every": True})
    for key, proof in PROOFS.items()
    if proof.orderless
}
