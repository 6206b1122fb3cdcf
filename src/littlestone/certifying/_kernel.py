"""Witnesses for the kernel Perceptron: sums of the examples it keeps.

It only takes the values of the kernel between them. Those are rounded, so each may be
off by a small share of the largest: far more than rounding can amount to.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core, theorems
from littlestone.witnesses._candidate import Candidate
from littlestone.witnesses._examples import (
    add_up,
    fall_short,
    hinge_up,
    on_average,
    root_up,
    squares_up,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from littlestone.running.examples import KeptExamples

    Floats = NDArray[np.float64]

__all__ = ["Space", "has_space", "kernel_perceptron", "nothing"]

_LARGEST = 3000
_WORK, _PASSES = 2e7, 100  # a few examples get more passes than many do
_USELESS = 1e4  # as for the Perceptron


def kernel_perceptron(
    kept: KeptExamples, parameters: Mapping[str, Any]
) -> list[Candidate]:
    """Return the bounds on a kernel Perceptron's updates, the smallest first.

    There are none for your own kernel function, for a learner with a budget, or for too
    many updates for a table of all pairs.

    Parameters
    ----------
    kept
        The examples of the updates, or of all rounds for bounds in every order.
    parameters
        The parameters of the learner.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._linear import kernel_perceptron
    >>> from littlestone.linear import KernelPerceptron
    >>> stream = [({"a": 1.0}, True), ({"a": -1.0}, True), ({"b": 1.0}, False)] * 3
    >>> record = run(KernelPerceptron("gaussian"), stream, keep="updates")
    >>> found = kernel_perceptron(record.examples, record.learner.parameters)
    >>> record.updates, found[0].theorem.id, found[0].bound < 4
    (3, 'PERC-TD', True)
    """
    if not has_space(kept, parameters):
        return []
    size = len(kept.labels)
    if not size:
        return [nothing(theorems.PERC_SEP, radius=0.0, margin=1.0, norm=0.0)]
    space = Space(kept, parameters)
    if not math.isfinite(space.radius):
        return []
    if not space.radius:  # only zeros, on which every vector falls short
        return [nothing(theorems.PERC_TD, radius=0.0, margin=1.0, deviation=size)]
    found: list[Candidate] = []
    price = space.radius**-2
    for squares in (False, True):
        cap, ridge = (math.inf, 1 / price) if squares else (price, 0.0)
        found += space.deviating(space.search(cap, ridge), squares=squares)
    least = 0.0
    if found:
        most = max(candidate.bound for candidate in found)
        least = space.radius / math.sqrt(_USELESS * most)
    found += space.separating(space.search(math.inf, 0.0, least))
    best: dict[str, Candidate] = {}
    for candidate in sorted(found, key=lambda candidate: candidate.bound):
        best.setdefault(candidate.theorem.id, candidate)
    return list(best.values())


def has_space(kept: KeptExamples, parameters: Mapping[str, Any]) -> bool:
    """Return whether the learner is a sum of these examples, and they are few."""
    named = parameters["kernel"] in ("linear", "polynomial", "gaussian")
    return named and parameters["budget"] is None and len(kept.labels) <= _LARGEST


def nothing(theorem: theorems.Theorem, **numbers: float) -> Candidate:
    """Return the candidates with the zero vector as witness."""
    return Candidate.of(theorem, lambda: {"kind": "expansion", "terms": []}, numbers)


class Space:
    """The space of a kernel, as far as the kept examples span it."""

    def __init__(self, kept: KeptExamples, parameters: Mapping[str, Any]) -> None:
        self.rounds = kept.rounds.tolist()
        self.signs = np.where(kept.labels.astype(np.bool_), 1.0, -1.0)
        products = _products(kept)
        lengths = np.diagonal(products).copy()
        largest = float(lengths.max())
        gamma, degree = float(parameters["gamma"]), int(parameters["degree"])
        share = 1.0
        if parameters["kernel"] == "polynomial":
            with np.errstate(over="ignore"):
                products = (gamma * products + float(parameters["offset"])) ** degree
            share += degree
        elif parameters["kernel"] == "gaussian":
            apart = lengths[:, np.newaxis] + lengths - 2 * products
            products = np.exp(-gamma * np.maximum(apart, 0.0))
            share += gamma * largest
        self.products = np.ascontiguousarray(products)
        most = float(np.abs(np.diagonal(products)).max())
        self.slack = most * 2.0**-40 * share  # how far a value of the kernel may be off
        self.radius = math.sqrt(most + self.slack) * (1 + 2.0**-50)
        self.squares = (np.abs(np.diagonal(products)) + self.slack) * (1 + 2.0**-40)
        self.every = kept.changed is not None

    def search(self, cap: float, ridge: float, least: float = 0.0) -> Floats:
        """Return the coefficients that minimise length and losses."""
        duals, scores = np.zeros(len(self.signs)), np.zeros(len(self.signs))
        _core.find_gram_margin(
            self.products,
            self.signs,
            duals,
            scores,
            cap=cap,
            ridge=ridge,
            tolerance=1e-3 if math.isfinite(cap) or ridge else 1e-4,
            work=max(_WORK, _PASSES * len(self.signs) ** 2),
            least=least,
        )
        return duals * self.signs

    def margins(self, c: Floats) -> Floats:
        """Return a lower bound on y u.x for each example."""
        allowed = self.slack * float(np.abs(c).sum()) * (1 + 1e-9)
        scores = self.products @ c
        # Adding up rounds too, relative to the sizes of the terms.
        rounding = 2.0**-40 * (np.abs(self.products) @ np.abs(c))
        return np.asarray(self.signs * scores - allowed - rounding)

    def length(self, c: Floats) -> float:
        """Return the length of a vector, or slightly more."""
        sizes = np.abs(c)
        square = float(c @ (self.products @ c)) + self.slack * float(sizes.sum()) ** 2
        square += 2.0**-40 * float(sizes @ (np.abs(self.products) @ sizes))
        return math.sqrt(max(square, 0.0)) * (1 + 2.0**-40)

    def witness(self, c: Floats) -> Callable[[], dict[str, Any]]:
        """Return a function that writes the sum, each example by its round."""

        def write() -> dict[str, Any]:
            pairs = zip(self.rounds, c.tolist(), strict=True)
            return {"kind": "expansion", "terms": [[t, x.hex()] for t, x in pairs if x]}

        return write

    def deviating(self, c: Floats, *, squares: bool) -> list[Candidate]:
        """Evaluate the theorems that any vector satisfies."""
        length = self.length(c)
        if not length > 0:
            return []
        c = c / length * (1 - 2.0**-45)
        margins = self.margins(c)
        scale = _core.best_scale(margins, self.radius, squares)
        margin = 1 / scale if scale > 0 else math.inf
        if not 0 < margin < math.inf:
            margin = self.radius
        short = fall_short(margin, margins)
        total, root = add_up(short), root_up(squares_up(short))
        numbers = {"radius": self.radius, "margin": margin}
        found = [
            Candidate.of(theorem, self.witness(c), numbers | {name: value})
            for theorem, name, value in (
                (theorems.PERC_HINGE, "hinge", hinge_up(total, margin)),
                (theorems.PERC_TD, "deviation", total),
                (theorems.PERC_FS, "deviation_norm", root),
            )
        ]
        return found + on_average(
            theorems.PERC_RMS,
            self.witness(c),
            {"margin": margin, "deviation": total},
            "mean_radius",
            self.squares,
            every=self.every,
        )

    def separating(self, c: Floats) -> list[Candidate]:
        """Evaluate `PERC-SEP`, if the vector separates."""
        margin = float(self.margins(c).min())
        if not margin > 0:
            return []
        numbers = {"radius": self.radius, "margin": margin, "norm": self.length(c)}
        return [Candidate.of(theorems.PERC_SEP, self.witness(c), numbers)]


def _products(kept: KeptExamples) -> Floats:
    """Return x.z for all pairs of examples."""
    size = len(kept.labels)
    rows = np.repeat(np.arange(size), np.diff(kept.offsets))
    products = np.zeros((size, size))
    line = np.zeros(len(kept.features))
    for at in range(size):
        here = slice(kept.offsets[at], kept.offsets[at + 1])
        line[kept.columns[here]] = kept.values[here]
        terms = kept.values * line[kept.columns]
        products[at] = np.bincount(rows, weights=terms, minlength=size)
        line[kept.columns[here]] = 0.0
    return products
