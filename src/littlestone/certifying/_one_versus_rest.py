"""Witnesses for learners with a second-order learner a class.

In the space that joins the classes they are one learner of two labels, so the search is
the one for that.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import theorems
from littlestone.linear import AROW, SecondOrderPerceptron
from littlestone.running import run
from littlestone.witnesses._candidate import Candidate
from littlestone.witnesses._examples import Examples, vector
from littlestone.witnesses._second_order import Path, arow, second_order_perceptron

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from littlestone.running.examples import KeptExamples

__all__ = ["multiclass_arow", "multiclass_second_order"]


def multiclass_arow(
    kept: KeptExamples,
    parameters: Mapping[str, Any],
    unmended: Sequence[tuple[int, Hashable]] = (),
) -> list[Candidate]:
    """Return the bound `MCAROW` or `MCAROW-STEPS` on the mistakes.

    Parameters
    ----------
    kept
        The examples of the updates.
    parameters
        The parameters of the learner.
    unmended
        Round and class of each mistake that changed nothing, as it had no values.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._linear import multiclass_arow
    >>> from littlestone.linear import MulticlassAROW
    >>> stream = [({"wings": 1}, "bird"), ({"fins": 1, "wings": 1}, "fish")] * 2
    >>> record = run(MulticlassAROW(diagonal=False), stream, keep="updates")
    >>> found = multiclass_arow(record.examples, record.learner.parameters)
    >>> record.mistakes, [candidate.theorem.id for candidate in found]
    (3, ['MCAROW'])
    """
    game = _Joined(kept, parameters, AROW, unmended)
    mistakes = int(game.wrong.sum()) + game.unmended
    found = arow(game.kept, game.given, mistakes, game.unmended, game.wrong)
    if not parameters["diagonal"]:
        return [game.of(theorems.MCAROW, each) for each in found]
    found = [each for each in found if each.theorem is theorems.AROW_STEPS]
    if not mistakes:
        found = [_without_mistakes(game.kept, float(parameters["r"]))]
    return [game.of(theorems.MCAROW_STEPS, each) for each in found]


def multiclass_second_order(
    kept: KeptExamples,
    parameters: Mapping[str, Any],
    unmended: Sequence[tuple[int, Hashable]] = (),
) -> list[Candidate]:
    """Return the bound `MCSOP` on the mistakes.

    Parameters
    ----------
    kept
        The examples of the updates.
    parameters
        The parameters of the learner.
    unmended
        Round and class of each mistake that changed nothing: the first of a class.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._linear import multiclass_second_order
    >>> from littlestone.linear import MulticlassSecondOrder
    >>> stream = [({"wings": 1}, "bird"), ({"fins": 1}, "fish")] * 2
    >>> learner = MulticlassSecondOrder(classes=["fish", "bird"])
    >>> record = run(learner, stream, keep="updates")
    >>> multiclass_second_order(record.examples, record.learner.parameters)
    [Candidate(MCSOP: 2.35482)]
    """
    game = _Joined(kept, parameters, SecondOrderPerceptron, unmended)
    found = second_order_perceptron(game.kept, game.given)
    return [game.of(theorems.MCSOP, each) for each in found]


def _without_mistakes(kept: KeptExamples, r: float) -> Candidate:
    """Return `AROW-STEPS` for the zero vector, if no learner was ever wrong."""
    path = Path(Examples.of(kept, bias=0.0), r)
    u = np.zeros(len(kept.features))
    steps = float(path.taus.sum()) * (1 - 1e-9)
    numbers = {
        "norm": 0.0,
        "drift": path.drift(u),
        "steps": steps,
        "mean_loss": 1 + 1e-6,
        "gained": 0.0,
        "gain": 1.0,
    }
    write = vector(u, kept.features, constant=False)
    return Candidate.of(theorems.AROW_STEPS, write, numbers)


class _Joined:
    """The updates of all classes as those of one learner, each in columns of its own.

    The updates of a class are among those that were kept, so it plays these again.
    """

    def __init__(
        self,
        kept: KeptExamples,
        parameters: Mapping[str, Any],
        kind: Any,
        unmended: Sequence[tuple[int, Hashable]],
    ) -> None:
        self.bias = float(parameters["bias"])
        self.given = {"r": parameters["r"], "diagonal": parameters["diagonal"]}
        self.given["bias"] = 0.0  # each class has a constant of its own
        known = tuple(parameters["classes"] or ())
        births: dict[Any, int] = dict.fromkeys(known, -1)
        rounds, examples = kept.rounds.tolist(), list(kept)
        labels = kept.labels.tolist()
        seen = [*zip(rounds, labels, strict=True), *unmended]
        for t, label in sorted(seen, key=itemgetter(0)):
            births.setdefault(label, t)
        self.strangers = len(births) - len(known)
        # The first of a class is counted among the strangers already.
        self.unmended = sum(births[label] != t for t, label in unmended)
        self.features: list[tuple[Any, Any]] = []  # of the joined columns
        numbers: dict[tuple[Any, Any], int] = {}
        rows: list[tuple[dict[int, float], bool]] = []
        for label, birth in births.items():
            constant: dict[Any, float] = {None: self.bias} if self.bias else {}
            mine = [
                ({**x, **constant}, y == label)
                for t, (x, y) in zip(rounds, examples, strict=True)
                if t >= birth
            ]
            for x, y in mine:
                row = {}
                for name, value in x.items():
                    at = numbers.setdefault((label, name), len(numbers))
                    row[at] = value
                rows.append((row, y))
        self.features = list(numbers)
        record = run(kind(**self.given), rows, keep="updates")
        assert record.examples is not None  # noqa: S101 - they were asked for
        self.kept = record.examples
        self.wrong = np.isin(self.kept.rounds, record.mistake_rounds)  # type: ignore[arg-type]

    def of(self, theorem: Any, found: Candidate) -> Candidate:
        """Return the theorem for many classes, with a vector for each."""

        def write() -> dict[str, Any]:
            vectors: dict[Any, dict[str, Any]] = {}
            for column, number in found.witness["entries"]:
                label, name = self.features[column]
                made = vectors.setdefault(label, {"entries": [], "bias": None})
                if name is None:
                    made["bias"] = number
                else:
                    made["entries"].append([name, number])
            listed = [[label, made] for label, made in vectors.items()]
            return {"kind": "classes", "vectors": listed}

        numbers = {**found.numbers, "strangers": self.strangers}
        return Candidate.of(theorem, write, numbers)
