"""The Learner contract, and what its examples, labels and parameters go through."""

from __future__ import annotations

from littlestone.learner._learner import Learner, RoundLearner, RowLearner, warn
from littlestone.learner.labels import (
    as_class,
    as_classes,
    as_label,
    as_labels,
    as_repeats,
    as_times,
    as_weights,
    dtype_of,
    objects,
    one_by_one,
    read_labels,
    told,
    with_weights,
    without_weights,
)

__all__ = [
    "Learner",
    "RoundLearner",
    "RowLearner",
    "as_class",
    "as_classes",
    "as_label",
    "as_labels",
    "as_repeats",
    "as_times",
    "as_weights",
    "dtype_of",
    "objects",
    "one_by_one",
    "read_labels",
    "told",
    "warn",
    "with_weights",
    "without_weights",
]
