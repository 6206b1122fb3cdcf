"""Witnesses for learners with one weight vector a class.

An update adds x to the weights of the right class and takes it from those of another.
In the space that joins the classes that is a single example, always a positive one, so
the search is for a vector of that space. Replaying the updates shows which class was
the other one.
"""

from __future__ import annotations

import itertools
import math
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core, theorems
from littlestone.errors import PremiseError
from littlestone.linear import MulticlassPassiveAggressive, MulticlassPerceptron
from littlestone.witnesses._aggressive import Steps, aggressive
from littlestone.witnesses._candidate import Candidate
from littlestone.witnesses._examples import (
    Examples,
    add_up,
    fall_short,
    mean_root_up,
    of_length_one,
    on_average,
    size_up,
    vector,
)
from littlestone.witnesses._orders import aggressive_order

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from littlestone.concepts import Feature
    from littlestone.running.examples import KeptExamples

    Floats = NDArray[np.float64]

__all__ = ["multiclass_passive_aggressive", "multiclass_perceptron"]

_THEOREMS = {None: theorems.MCPA_SEP, "I": theorems.MCPA1, "II": theorems.MCPA2}
_USELESS = 1e4  # as for the Perceptron
# In every order: what losses cost, at which shares of the margins, and the most values.
_PRICES = np.geomspace(0.01, 100, 7)
_LEVELS = np.linspace(0.05, 1, 20)
_LARGEST = 20_000_000


def multiclass_perceptron(
    kept: KeptExamples,
    parameters: Mapping[str, Any],
    unmended: Sequence[tuple[int, Hashable]] = (),
) -> list[Candidate]:
    """Return the bounds on the updates of a multiclass Perceptron.

    Parameters
    ----------
    kept
        The examples of the updates.
    parameters
        The parameters of the learner.
    unmended
        Round and class of each mistake that changed nothing: the first round, unless
        classes were given, and those on examples without a value, which may also
        bring a new class.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._linear import multiclass_perceptron
    >>> from littlestone.linear import MulticlassPerceptron
    >>> stream = [({"wings": 1}, "bird"), ({"fins": 1, "wings": 1}, "fish")] * 2
    >>> record = run(MulticlassPerceptron(), stream, keep="updates")
    >>> found = multiclass_perceptron(
    ...     record.examples, record.learner.parameters, [(0, "bird")]
    ... )
    >>> record.updates, found[1:]
    (2, [Candidate(MCPERC-TD: 2.65139), Candidate(MCPERC-SEP: 10)])
    """
    if kept.changed is not None:
        return _perceptron_in_every_order(_Every(kept, parameters))
    game = _Joined(kept, MulticlassPerceptron(**parameters), unmended)
    joined, radius = game.joined, game.radius
    if not len(joined):
        numbers = {"radius": 0.0, "margin": 1.0, "norm": 0.0}
        return [Candidate.of(theorems.MCPERC_SEP, game.witness(np.zeros(0)), numbers)]
    found = []
    v = np.zeros(joined.width)
    if joined.radius:
        v = joined.soft(hinge=joined.price)[0]
    u = of_length_one(v)
    if u is None:
        u = v
    margins = joined.margins(u)
    scale = _core.best_scale(margins, joined.radius, False)
    margin = 1 / scale if scale > 0 else math.inf
    if not 0 < margin < math.inf:
        margin = max(joined.radius, 1.0)
    deviation = add_up(fall_short(margin, margins))
    least = 0.0
    if math.isfinite(deviation):
        numbers = {"radius": radius, "margin": margin, "deviation": deviation}
        found.append(Candidate.of(theorems.MCPERC_TD, game.witness(u), numbers))
        about = {"mean_radius": game.mean_radius} | numbers
        del about["radius"]
        found.append(Candidate.of(theorems.MCPERC_RMS, game.witness(u), about))
        least = joined.radius / math.sqrt(_USELESS * found[0].bound)
    found += _separating(game, least)
    return sorted(found, key=lambda candidate: candidate.bound)


def _separating(game: _Joined | _Every, least: float) -> list[Candidate]:
    """Return `MCPERC-SEP` with the largest margin, if that is at least `least`."""
    v = game.joined.separator(least)[0]
    margin = float(game.joined.margins(v).min())
    if not 0 < margin < math.inf:
        return []
    numbers = {"radius": game.radius, "margin": margin, "norm": size_up(v)}
    return [Candidate.of(theorems.MCPERC_SEP, game.witness(v), numbers)]


def multiclass_passive_aggressive(
    kept: KeptExamples,
    parameters: Mapping[str, Any],
    unmended: Sequence[tuple[int, Hashable]] = (),
) -> list[Candidate]:
    """Return the bounds on the mistakes of a multiclass passive-aggressive learner.

    Parameters
    ----------
    kept
        The examples of the updates.
    parameters
        The parameters of the learner.
    unmended
        Round and class of each mistake that changed nothing: the first round, unless
        classes were given, and those on examples without a value, on which every vector
        loses 1.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._linear import multiclass_passive_aggressive
    >>> from littlestone.linear import MulticlassPassiveAggressive
    >>> learner = MulticlassPassiveAggressive(mode=None, classes=["bird", "fish"])
    >>> stream = [({"wings": 1}, "bird"), ({"fins": 1, "wings": 1}, "fish")]
    >>> record = run(learner, stream, keep="updates")
    >>> multiclass_passive_aggressive(record.examples, record.learner.parameters)
    [Candidate(MCPA-STEPS: 1), Candidate(MCPA-SEP: 10.0015)]
    """
    if kept.changed is not None:
        whole = _Every(kept, parameters)
        priced = aggressive_order(whole.joined, parameters, rivals=whole.rivals)
        if priced is None:
            return []
        made = whole.witness(priced.v)
        return [Candidate.of(theorems.MCPA_ORDER, made, priced.numbers)]
    game = _Joined(kept, MulticlassPassiveAggressive(**parameters), unmended)
    found = []
    if (by_mode := aggressive(game.joined, parameters, game.lost)) is not None:
        v, numbers = by_mode
        numbers["radius"] = game.radius
        theorem = _THEOREMS[parameters["mode"]]
        found.append(Candidate.of(theorem, game.witness(v), numbers))
    # In the joined space an update is one example, twice as long in squares.
    steps = Steps.replayed(game.joined, parameters, game.wrong, game.lost)
    for v, numbers in steps.path(game.joined):
        found.append(Candidate.of(theorems.MCPA_STEPS, game.witness(v), numbers))
    return sorted(found, key=lambda candidate: candidate.bound)


def _perceptron_in_every_order(game: _Every) -> list[Candidate]:
    """Return the theorems with a witness on all rounds."""
    joined = game.joined
    best: dict[str, Candidate] = {}
    if not joined.radius:
        return []
    for price in (_PRICES / max(joined.radius**2, 1e-300)).tolist():
        u = of_length_one(joined.soft(hinge=price)[0])
        if u is None:
            continue
        margins = joined.margins(u).reshape(-1, game.rivals).min(axis=1)
        witness = game.witness(u)
        for margin in np.quantile(margins[margins > 0], _LEVELS).tolist() or ():
            deviation = add_up(fall_short(margin, margins))
            numbers = {"margin": margin, "deviation": deviation}
            by_radius = numbers | {"radius": game.radius}
            for found in (
                Candidate.of(theorems.MCPERC_TD, witness, by_radius),
                *on_average(
                    theorems.MCPERC_RMS,
                    witness,
                    numbers,
                    "mean_radius",
                    game.squares,
                    every=True,
                ),
            ):
                known = best.setdefault(found.theorem.id, found)
                if found.bound < known.bound:
                    best[found.theorem.id] = found
    most = min((found.bound for found in best.values()), default=math.inf)
    separating = _separating(game, joined.radius / math.sqrt(_USELESS * most))
    return sorted([*best.values(), *separating], key=lambda each: each.bound)


class _Every:
    """All rounds in the space that joins the classes, a row for each rival."""

    def __init__(self, kept: KeptExamples, parameters: Mapping[str, Any]) -> None:
        self.features, self.bias = kept.features, float(parameters["bias"])
        given = parameters["classes"]
        labels = kept.labels.tolist()
        self.numbers: dict[Hashable, int] = {
            label: at
            for at, label in enumerate(dict.fromkeys([*(given or ()), *labels]))
        }
        self.rivals = many = len(self.numbers) - 1
        if many < 1 or (given is None and many > 1):
            raise PremiseError(
                "a bound for every order needs two classes, or classes= that lists "
                f"all of them, got {len(self.numbers)} classes that were met",
                owner="certify",
            )
        plain = Examples(
            kept.offsets,
            kept.columns,
            kept.values,
            np.ones(len(labels)),
            len(kept.features),
        ).with_constant(self.bias)
        if 2 * many * len(plain.values) > _LARGEST:
            raise PremiseError(
                f"a bound for every order takes at most {_LARGEST:,} values, two for "
                f"each rival of each value, got {2 * many * len(plain.values):,}",
                owner="certify",
            )
        self.radius, self.width = plain.radius, plain.width
        self.squares = plain.squares
        right = np.array([self.numbers[label] for label in labels], dtype=np.int64)
        # Of each round all other classes, in order.
        other = np.arange(many)[None, :] + (np.arange(many)[None, :] >= right[:, None])
        sizes = np.repeat(np.diff(plain.offsets), many)
        offsets = np.concatenate([[0], np.cumsum(2 * sizes)])
        columns = np.empty(offsets[-1], dtype=np.int64)
        values = np.empty(offsets[-1])
        for at, (start, end) in enumerate(itertools.pairwise(plain.offsets.tolist())):
            here, x = plain.columns[start:end], plain.values[start:end]
            for rival in range(many):
                first = offsets[at * many + rival]
                middle, last = first + end - start, first + 2 * (end - start)
                columns[first:middle] = here + right[at] * self.width
                columns[middle:last] = here + other[at, rival] * self.width
                values[first:middle], values[middle:last] = x, -x
        self.joined = Examples(
            offsets,
            columns.astype(np.int32),
            values,
            np.ones(len(sizes)),
            len(self.numbers) * self.width,
        )

    def witness(self, v: Floats) -> Callable[[], dict[str, Any]]:
        """Return a function that writes the vectors of all classes."""
        return _witness(v, self.numbers, self.features, self.width, bool(self.bias))


def _witness(
    v: Floats,
    numbers: Mapping[Hashable, int],
    features: tuple[Feature, ...],
    width: int,
    constant: bool,
) -> Callable[[], dict[str, Any]]:
    def write() -> dict[str, Any]:
        vectors = []
        for label, number in numbers.items():
            part = v[number * width : (number + 1) * width]
            made = vector(part, features, constant=constant)()
            del made["kind"]
            vectors.append([label, made])
        return {"kind": "classes", "vectors": vectors}

    return write


class _Joined:
    """Updates in the space that joins the classes."""

    def __init__(
        self,
        kept: KeptExamples,
        learner: MulticlassPerceptron | MulticlassPassiveAggressive,
        unmended: Sequence[tuple[int, Hashable]],
    ) -> None:
        self.features = kept.features
        self.bias = float(learner.bias)
        plain = Examples(
            kept.offsets,
            kept.columns,
            kept.values,
            np.ones(len(kept.labels)),
            len(kept.features),
        ).with_constant(self.bias)
        self.radius = plain.radius
        self.mean_radius = mean_root_up(plain.squares)
        self.width = plain.width
        right, other = self._replay(
            kept, learner, sorted(unmended, key=itemgetter(0), reverse=True)
        )
        sizes = np.diff(plain.offsets)
        starts = 2 * plain.offsets[:-1]
        # The columns of the right class, then those of the other one.
        columns = np.empty(2 * len(plain.values), dtype=np.int64)
        values = np.empty(2 * len(plain.values))
        within = np.arange(len(plain.values)) - np.repeat(plain.offsets[:-1], sizes)
        at = np.repeat(starts, sizes) + within
        columns[at] = plain.columns + np.repeat(right, sizes) * self.width
        values[at] = plain.values
        at += np.repeat(sizes, sizes)
        columns[at] = plain.columns + np.repeat(other, sizes) * self.width
        values[at] = -plain.values
        self.joined = Examples(
            2 * plain.offsets,
            columns.astype(np.int32),
            values,
            np.ones(len(plain)),
            max(len(self.numbers), 1) * self.width,
        )

    def _replay(
        self,
        kept: KeptExamples,
        learner: MulticlassPerceptron | MulticlassPassiveAggressive,
        unmended: list[tuple[int, Hashable]],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Replay the updates; return the right class and the other class of each."""
        self.numbers: dict[Hashable, int] = {}
        self.lost = 0  # on examples without a value
        right, other, wrong = [], [], []
        times = [*kept.rounds.tolist(), math.inf]
        labels = [*kept.labels.tolist(), None]
        for at, (time, label) in enumerate(zip(times, labels, strict=True)):
            while unmended and unmended[-1][0] < time:
                self.lost += bool(learner.classes_)
                learner.learn_one({}, unmended.pop()[1])
            if time == math.inf:
                break
            here = slice(kept.offsets[at], kept.offsets[at + 1])
            columns = kept.columns[here].tolist()
            x = dict(zip(columns, kept.values[here].tolist(), strict=True))
            scores = learner.score_one(x)
            wrong.append(max(scores, key=scores.__getitem__) != label)
            scores.pop(label, None)
            rival = max(scores, key=scores.__getitem__)  # the first of equal ones
            learner.learn_one(x, label)
            right.append(self.numbers.setdefault(label, len(self.numbers)))
            other.append(self.numbers.setdefault(rival, len(self.numbers)))
        self.wrong = np.array(wrong, dtype=np.bool_)
        return np.array(right, dtype=np.int64), np.array(other, dtype=np.int64)

    def witness(self, v: Floats) -> Callable[[], dict[str, Any]]:
        """Return a function that writes the vectors of all classes."""
        return _witness(v, self.numbers, self.features, self.width, bool(self.bias))
