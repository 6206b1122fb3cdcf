"""Witnesses for AdaGrad of many classes: vectors with little log loss and regret."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import theorems
from littlestone.certifying._gradients import minimised
from littlestone.theorems._rounding import float_up
from littlestone.verifying._reading import play
from littlestone.verifying.proofs._bounds import softmax_bounds
from littlestone.verifying.proofs._exact import dot
from littlestone.verifying.twins import TWINS
from littlestone.weighted import unweighted
from littlestone.witnesses._candidate import Candidate
from littlestone.witnesses._examples import vector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from littlestone.running.examples import KeptExamples

    Floats = NDArray[np.float64]

__all__ = ["multiclass_ada_grad"]

_SLACK = 1 + 1e-9  # more than the rounding of the sums below


def multiclass_ada_grad(
    kept: KeptExamples, parameters: Mapping[str, Any]
) -> list[Candidate]:
    """Return the bound `MCADAGRAD` on the regret of AdaGrad for many classes.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._softmax import multiclass_ada_grad
    >>> from littlestone.linear import MulticlassAdaGrad
    >>> stream = [({"wings": 1}, "bird"), ({"fins": 1}, "fish"), ({}, "egg")] * 3
    >>> record = run(MulticlassAdaGrad(), stream, keep="updates")
    >>> found = multiclass_ada_grad(record.examples, record.learner.parameters)
    >>> found[0].theorem.id
    'MCADAGRAD'
    """
    return [_Played(kept, parameters).candidate()]


class _Played:
    """The rounds as sparse rows of values as scored, with all classes beside a value.

    Columns are features, the constant one last; `u` has a row for each, with a number
    for each class.
    """

    def __init__(self, kept: KeptExamples, parameters: Mapping[str, Any]) -> None:
        self.kept, self.constant = kept, bool(parameters["bias"])
        twin = TWINS["MulticlassAdaGrad"](**parameters)
        places = {feature: at for at, feature in enumerate(kept.features)}
        places[twin] = len(places)
        labels: list[Any] = list(
            dict.fromkeys([*(parameters["classes"] or ()), *kept.labels.tolist()])
        )
        count = len(labels)
        self.labels, self.width = labels, len(places)
        ends, columns, values = [0], list[int](), list[float]()
        before, damped, slopes = list[Any](), list[Any](), list[Any]()
        self.scored: list[dict[Any, float]] = []
        weights = []
        for x, y in kept:
            play(twin, x, *unweighted(y))
            self.scored.append(dict(twin.scored))
            weights.append(twin.counts)
            known = list(twin.scored)  # the first of the labels
            blank = [0.0] * (count - len(known))
            slopes.append([twin.slopes[c] for c in known] + blank)
            for name, value in twin.used.items():
                columns.append(places[name])
                values.append(value)
                before.append([twin.before[c][name] for c in known] + blank)
                roots = [math.sqrt(twin.squares[c].get(name, 0.0)) for c in known]
                damped.append([root / twin.step for root in roots] + blank)
            ends.append(len(columns))
        self.weights = np.array(weights, dtype=np.float64)
        self.ends = np.array(ends)
        self.columns = np.array(columns, dtype=np.int64)
        self.values = np.array(values, dtype=np.float64)
        self.rows = np.repeat(np.arange(len(self.scored)), np.diff(self.ends))
        shape = (len(columns), count)
        self.before = np.array(before, dtype=np.float64).reshape(shape)
        damped_by = np.array(damped, dtype=np.float64).reshape(shape)
        slope_of = np.array(slopes, dtype=np.float64).reshape(-1, count)
        gradients = slope_of[self.rows] * self.values[:, None]
        self.energy = np.square(gradients) / np.where(damped_by > 0, damped_by, 1.0)
        self.rises = self._rises(damped_by)
        self.unborn = np.array(
            [[c not in scored for c in labels] for scored in self.scored],
            dtype=np.bool_,
        ).reshape(-1, count)
        numbers = {label: at for at, label in enumerate(labels)}
        self.right = np.array(
            [numbers[y] for y in kept.labels.tolist()], dtype=np.int64
        )

    def _rises(self, damped: Floats) -> Floats:
        """Return by how much the inverse of each rate rose with each value, or more."""
        order = np.argsort(self.columns, kind="stable")
        sorted_by = damped[order]
        earlier = np.zeros_like(sorted_by)
        earlier[1:] = sorted_by[:-1]
        columns = self.columns[order]
        first = np.ones(len(columns), dtype=np.bool_)
        first[1:] = columns[1:] != columns[:-1]
        earlier[first] = 0.0
        rises = np.empty_like(sorted_by)
        rises[order] = np.maximum(0.0, sorted_by - earlier) + sorted_by * 2.0**-48
        return rises

    def _by_column(self, numbers: Floats) -> Floats:
        """Add up a row of numbers for each value, by column."""
        sums = np.empty((self.width, numbers.shape[1]))
        for c in range(numbers.shape[1]):
            sums[:, c] = np.bincount(self.columns, numbers[:, c], self.width)
        return sums

    def _scores(self, u: Floats) -> Floats:
        """Return the score of each row by each class."""
        scores = np.empty((len(self.scored), u.shape[1]))
        for c in range(u.shape[1]):
            parts = self.values * u[self.columns, c]
            scores[:, c] = np.bincount(self.rows, parts, len(self.scored))
        return scores

    def found(self) -> Floats:
        """Return vectors for which log loss and penalty are small."""
        shape = (self.width, len(self.labels))
        total = self._by_column(self.rises)
        pulled = self._by_column(self.rises * self.before)
        at = np.arange(len(self.right))

        def cost(flat: Floats) -> tuple[float, Floats]:
            u = flat.reshape(shape)
            scores = np.where(self.unborn, -np.inf, self._scores(u))
            best = scores.max(axis=1)
            sizes = np.exp(scores - best[:, None])
            sums = sizes.sum(axis=1)
            lost = self.weights * (np.log(sums) + best - scores[at, self.right])
            slopes = sizes / sums[:, None]
            slopes[at, self.right] -= 1.0
            slopes *= self.weights[:, None]
            gradient = self._by_column(slopes[self.rows] * self.values[:, None])
            drift = float(np.sum(total * u**2 - 2 * pulled * u)) / 2
            return float(lost.sum()) + drift, (gradient + total * u - pulled).ravel()

        start = np.zeros(shape[0] * shape[1])
        return (minimised(cost, start) if len(at) else start).reshape(shape)

    def candidate(self) -> Candidate:
        """Return the theorem for the vectors found, with the regret to them."""
        u = self.found()
        drift = self.rises * np.square(u[self.columns] - self.before)
        numbers = {
            "drift": math.fsum(drift.ravel().tolist()) * _SLACK,
            "energy": math.fsum(self.energy.ravel().tolist()) * _SLACK,
        }
        regret = self._regret(u)

        def write() -> dict[str, Any]:
            vectors = []
            for at, label in enumerate(self.labels):
                made = vector(u[:, at], self.kept.features, constant=self.constant)()
                del made["kind"]
                vectors.append([label, made])
            return {"kind": "classes", "vectors": vectors}

        return Candidate.of(theorems.MCADAGRAD, write, numbers, counted=regret)

    def _regret(self, u: Floats) -> float:
        """Return the regret to vectors as the judge finds it."""
        regret = Fraction(0)
        columns, values = self.columns.tolist(), self.values.tolist()
        ends, weights = self.ends.tolist(), u.T.tolist()
        for row, (scored, y) in enumerate(
            zip(self.scored, self.kept.labels.tolist(), strict=True)
        ):
            here = range(ends[row], ends[row + 1])
            theirs = {
                label: dot((of[columns[k]], values[k]) for k in here)
                for label, of in zip(self.labels, weights, strict=True)
                if label in scored
            }
            own = {label: Fraction(score) for label, score in scored.items()}
            more = softmax_bounds(own, y)[1] - softmax_bounds(theirs, y)[0]
            regret += more * Fraction(float(self.weights[row]))
        return float_up(regret)
