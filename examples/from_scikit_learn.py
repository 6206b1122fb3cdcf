"""The same jobs with scikit-learn's Perceptron and with ours: outputs and times.

    python examples/from_scikit_learn.py

The rows are the digits that scikit-learn brings along, even against odd. In the first
job they are learned from in one pass, many times over; in the second they come one at a
time, and each is predicted before its label is told. scikit-learn must keep the order
(`shuffle=False`); littlestone always does.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.datasets import load_digits
from sklearn.linear_model import Perceptron as TheirPerceptron

from littlestone import Record, certify, run, streams
from littlestone.linear import Perceptron
from side_by_side import Done, race, tell, times

Rows = NDArray[np.float64]
Labels = NDArray[np.int64]


def digits() -> tuple[Rows, Labels]:
    """Return the pixels of the digits, and whether they are odd."""
    X, y = load_digits(return_X_y=True)
    return X, y % 2


def ours() -> Perceptron:
    """Return the learner that does what scikit-learn's does: it learns on ties too."""
    return Perceptron(update="margin", bias=1.0)


def one_pass(X: Any, y: Labels, repeats: int) -> tuple[Done, Done]:
    """Learn from rows in one pass; return weights and intercepts."""

    def before() -> list[float]:
        learner = TheirPerceptron(shuffle=False).partial_fit(X, y, classes=[0, 1])
        return [*learner.coef_[0].tolist(), learner.intercept_[0]]

    def after() -> list[float]:
        learner = ours().partial_fit(X, y)
        return [*learner.coef_.tolist(), learner.intercept_]

    return race(before, after, repeats)


def row_by_row(X: Rows, y: Labels, repeats: int) -> tuple[Done, Done]:
    """Predict each row, then learn from it; return mistakes and the record."""

    def before() -> int:
        learner = TheirPerceptron(shuffle=False)
        # Before it has learned it cannot be asked: the first row is not predicted.
        learner.partial_fit(X[:1], y[:1], classes=[0, 1])
        mistakes = 0
        for at in range(1, len(X)):
            mistakes += int(learner.predict(X[at : at + 1])[0] != y[at])
            learner.partial_fit(X[at : at + 1], y[at : at + 1])
        return mistakes

    def after() -> Record:
        return run(ours(), streams.arrays(X, y), keep="updates")

    return race(before, after, repeats)


def main() -> None:
    X, y = digits()
    many, labels = np.tile(X, (50, 1)), np.tile(y, 50)
    before, after = one_pass(many, labels, repeats=5)
    sparse = one_pass(csr_matrix(many), labels, repeats=5)
    equal = "yes" if before.output == after.output else "no"
    tell(
        f"one pass over {len(many):,} rows",
        "scikit-learn",
        {
            "weights and intercept are equal": (equal, equal),
            "intercept": (before.output[-1], after.output[-1]),
            "intercept of the same rows as CSR": (
                sparse[0].output[-1],
                sparse[1].output[-1],
            ),
        }
        | times(before, after),
    )
    before, after = row_by_row(X, y, repeats=2)
    record = after.output
    first = int(0 in record.mistake_rounds)
    tell(
        f"{len(X):,} rows, one at a time",
        "scikit-learn",
        {
            "mistakes after the first row": (before.output, record.mistakes - first),
            "mistakes": ("cannot be asked", record.mistakes),
        }
        | times(before, after),
    )
    print(certify(record))


if __name__ == "__main__":
    main()
