"""Witnesses for linear learners: safe to the last bit, and about as good as can be."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from data import data_file
from littlestone import Record, _core, certify, run, streams, verify
from littlestone.certifying import _linear
from littlestone.errors import PremiseError
from littlestone.linear import (
    AROW,
    AveragedPerceptron,
    BalancedWinnow,
    KernelPerceptron,
    MulticlassPassiveAggressive,
    MulticlassPerceptron,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    VotedPerceptron,
    Winnow,
)
from littlestone.theorems._rounding import exp_bounds, ln_bounds
from littlestone.verifying import twins
from littlestone.witnesses._candidate import Candidate
from littlestone.witnesses._examples import (
    Examples,
    add_up,
    fall_short,
    of_length_one,
    root_up,
    size_up,
    squares_up,
)

CONSTANT = object()  # the name of the constant feature: no example has it

Stream = list[tuple[dict[str, float], Any]]
Vector = dict[Any, Fraction]


# Streams ----------------------------------------------------------------------------


def rounds_of(rng: np.random.Generator, draw: Callable[[int], Any]) -> Stream:
    """Make a few rounds, labelled by some weights, with mistakes now and then."""
    size, noise = int(rng.integers(1, 7)), float(rng.choice([0.0, 0.1]))
    hidden = rng.normal(size=size)
    made: Stream = []
    for _ in range(int(rng.integers(1, 50))):
        x = np.asarray(draw(size), dtype=np.float64)
        y = bool(x @ hidden >= 0) ^ bool(rng.random() < noise)
        made.append(({f"f{i}": float(v) for i, v in enumerate(x)}, y))
    return made


def real(rng: np.random.Generator) -> Stream:
    scale = float(rng.choice([1e-3, 1.0, 1e3]))
    return rounds_of(rng, lambda n: scale * rng.normal(size=n) * (rng.random(n) < 0.7))


def fractional(rng: np.random.Generator) -> Stream:
    return rounds_of(rng, lambda n: rng.random(n).round(2) * (rng.random(n) < 0.6))


def boolean(rng: np.random.Generator) -> Stream:
    made = rounds_of(rng, lambda n: rng.random(n) < 0.4)
    if rng.random() < 0.7:  # a disjunction of the first two
        made = [(x, bool(x["f0"] or x.get("f1"))) for x, _ in made]
    return made


def with_classes(rng: np.random.Generator) -> Stream:
    size, count = int(rng.integers(1, 5)), int(rng.integers(2, 5))
    hidden, noise = rng.normal(size=(count, size)), float(rng.choice([0.0, 0.1]))
    made: Stream = []
    for _ in range(int(rng.integers(1, 50))):
        x = rng.normal(size=size) * (rng.random(size) < 0.7)
        best = int(np.argmax(hidden @ x))
        y = int(rng.integers(count)) if rng.random() < noise else best
        made.append(({f"f{i}": float(v) for i, v in enumerate(x)}, "abcd"[y]))
    return made


# Exact measures ---------------------------------------------------------------------


def entries(witness: Mapping[str, Any]) -> Vector:
    u = {name: Fraction(float.fromhex(text)) for name, text in witness["entries"]}
    if witness["bias"] is not None:
        u[CONSTANT] = Fraction(float.fromhex(witness["bias"]))
    return u


def dot(u: Mapping[Any, Fraction], x: Mapping[Any, float]) -> Fraction:
    return sum((u[n] * Fraction(v) for n, v in x.items() if n in u), Fraction(0))


def square(x: Mapping[Any, Any]) -> Fraction:
    return sum((Fraction(v) ** 2 for v in x.values()), Fraction(0))


def short(level: Fraction, margins: list[Fraction]) -> list[Fraction]:
    return [max(Fraction(0), level - m) for m in margins]


def added(
    record: Record, *, constant: bool = True
) -> list[tuple[dict[Any, float], Any]]:
    """Return the examples of the updates as the learner adds them."""
    parameters = record.learner.parameters
    made = []
    assert record.examples is not None
    for x, y in record.examples:
        given: dict[Any, float] = dict(x)
        if parameters.get("normalize"):
            squares = 0.0
            for value in given.values():
                squares += value * value
            length = math.sqrt(squares) or 1.0
            given = {name: value / length for name, value in given.items()}
        if constant and parameters.get("bias"):
            given[CONSTANT] = parameters["bias"]
        made.append((given, y))
    return made


def check_deviations(
    theorem: str, n: Mapping[str, Fraction], m: list[Fraction]
) -> None:
    """Check what is stated of margins by the theorems of the Perceptron."""
    if theorem.endswith("SEP"):
        assert n["margin"] <= min(m, default=n["margin"])
        return
    lost = short(n["margin"], m)
    if theorem.endswith(("TD", "RMS")):
        assert n["deviation"] >= sum(lost)
    elif theorem == "PERC-HINGE":
        assert n["hinge"] * n["margin"] >= sum(lost)
    else:
        assert n["deviation_norm"] ** 2 >= sum(d * d for d in lost)


def check_lengths(n: Mapping[str, Fraction], squares: list[Fraction]) -> None:
    """Check the largest length, or the root mean square."""
    if "mean_radius" in n:
        assert n["mean_radius"] ** 2 * len(squares) >= sum(squares)
    elif "radius" in n:
        assert all(n["radius"] ** 2 >= square for square in squares)


def check_steps(
    record: Record, n: Mapping[str, Fraction], margins: list[Fraction], twin: Any
) -> None:
    """Check what is stated of the steps that a twin takes, up to its rounding."""
    assert record.examples is not None
    assert record.mistake_rounds is not None
    wrong = set(record.mistake_rounds.tolist())
    C = float(record.learner.parameters.get("C", 1.0))
    first = record.learner.parameters.get("classes", ()) is None
    zeros = unmended(record) - first
    steps, lost, gains = C * zeros, C * zeros, {True: 2 * C * zeros, False: 0.0}
    mistakes = zeros
    copies = 2 if "classes" in record.learner.parameters else 1
    for t, (x, y), margin in zip(
        record.examples.rounds.tolist(), record.examples, margins, strict=True
    ):
        given = dict(x)
        size = copies * (sum(v * v for v in x.values()) + twin.bias**2)
        before = getattr(twin, "variances", None)
        if before is not None:
            names = {**x, twin: twin.bias} if twin.bias else x
            size = sum(v * v * before.get(name, 1.0) for name, v in names.items())
        twin.play(given, y)
        step = twin.step
        full = step * (size + twin.r) if before is not None else None
        loss = step * size if full is None else full
        if record.learner.parameters.get("mode", None) == "II":
            loss = step * (size + 0.5 / C)
        if record.learner.parameters.get("mode", None) == "I" and step == C:
            return  # the loss does not show in the step
        gains[t in wrong] += 2 * step * loss - step**2 * size
        mistakes += t in wrong
        steps += step
        lost += step * max(0.0, 1 - float(margin))
    assert float(n["steps"]) <= steps * (1 + 1e-8)
    assert float(n["mean_loss"]) * steps >= lost * (1 - 1e-6)
    assert float(n["gained"]) <= gains[False] * (1 + 1e-6) + 1e-9
    assert float(n["gain"]) * mistakes <= gains[True] * (1 + 1e-6)


def check_perceptron(record: Record, candidate: Candidate) -> None:
    n, u = exactly(candidate), entries(candidate.witness)
    theorem = candidate.theorem.id
    if theorem in {"PERC-BIAS", "PERC-GAP"}:
        check_threshold(record, candidate)
        return
    rows = added(record)
    check_lengths(n, [square(x) for x, _ in rows])
    assert square(u) <= (n["norm"] ** 2 if theorem == "PERC-SEP" else 1)
    margins = [dot(u, x) if y else -dot(u, x) for x, y in rows]
    check_deviations(theorem, n, margins)


def check_threshold(record: Record, candidate: Candidate) -> None:
    n, u = exactly(candidate), entries(candidate.witness)
    assert CONSTANT not in u
    rows = added(record, constant=False)
    assert all(n["radius"] ** 2 >= square(x) for x, _ in rows)
    if candidate.theorem.id == "PERC-BIAS":
        b = n["threshold"]
        assert n["bias"] == Fraction(record.learner.parameters["bias"])
        assert square(u) <= 1
        margins = [(dot(u, x) - b) * (1 if y else -1) for x, y in rows]
        assert n["margin"] <= min(margins)
    else:
        assert n["radius"] == abs(Fraction(record.learner.parameters["bias"]))
        assert square(u) <= n["norm"] ** 2
        yes = [dot(u, x) for x, y in rows if y]
        no = [dot(u, x) for x, y in rows if not y]
        assert n["gap"] <= min(yes) - max(no)


def check_losses(n: Mapping[str, Fraction], losses: list[Fraction]) -> None:
    if "hinge" in n:
        assert n["hinge"] >= sum(losses)
    elif "hinge_squares" in n:
        assert n["hinge_squares"] >= sum(loss**2 for loss in losses)
    else:
        assert not any(losses)


def check_passive_aggressive(record: Record, candidate: Candidate) -> None:
    n, u = exactly(candidate), entries(candidate.witness)
    rows = added(record)
    assert square(u) <= n["norm"] ** 2
    check_lengths(n, [square(x) for x, _ in rows])
    margins = [dot(u, x) if y else -dot(u, x) for x, y in rows]
    if candidate.theorem.id == "PA-STEPS":
        twin = twins.PassiveAggressive(**record.learner.parameters)
        check_steps(record, n, margins, twin)
        return
    check_losses(n, short(Fraction(1), margins) + [Fraction(1)] * unmended(record))


def check_winnow(record: Record, candidate: Candidate) -> None:
    n, mu = exactly(candidate), entries(candidate.witness)
    rows = added(record)
    assert all(weight > 0 for weight in mu.values())
    assert n["features"] >= len({name for x, _ in rows for name in x})
    scores = [(dot(mu, x), y) for x, y in rows]
    if candidate.theorem.id == "WIN2-SLACK":
        assert n["weight"] >= sum(mu.values())
        missed = [1 - s if y else s - (1 - n["gap"]) for s, y in scores]
        assert n["slack"] >= sum(max(Fraction(0), miss) for miss in missed)
        assert all(n["smallest"] <= v <= 1 for x, _ in rows for v in x.values())
    elif candidate.theorem.id in {"WIN2-SEP", "WIN2-GAP"}:
        assert n["weight"] >= sum(mu.values())
        assert all(s >= 1 if y else s <= 1 - n["gap"] for s, y in scores)
        if candidate.theorem.id == "WIN2-GAP":
            beta = Fraction(record.learner.parameters["promotion"])
            assert n["level"] == 1
            assert beta == 1 + n["gap"] / 2
        assert all(n["smallest"] <= v <= 1 for x, _ in rows for v in x.values())
    else:
        assert set(mu.values()) == {1}
        assert n["relevant"] == len(mu)
        assert all((s >= n.get("k", 1)) == y for s, y in scores)


def check_balanced(record: Record, candidate: Candidate) -> None:
    n, u = exactly(candidate), entries(candidate.witness)
    rows = added(record)
    rate, size = Fraction(record.learner.parameters["rate"]), sum(map(abs, u.values()))
    met = {name for x, _ in rows for name in x}
    largest = [Fraction(max(map(abs, x.values()), default=0)) for x, _ in rows]
    margins = [dot(u, x) if y else -dot(u, x) for x, y in rows]
    if candidate.theorem.id in {"BWIN-ORDER", "BWIN-STEPS"}:
        assert size <= 1
        sides = 2 * max(len(met | u.keys()), 1)
        rest = (1 - size) / sides
        shares = [abs(u.get(name, Fraction(0))) + rest for name in met | u.keys()]
        shares += [rest] * (sides - len(shares))
        entropy = sum(p * math.log(sides * p) for p in map(float, shares) if p)
        assert float(n["potential"]) >= entropy
        gains = [rate * m for m in margins]
        if candidate.theorem.id == "BWIN-STEPS":
            sums = [sum(x.get(f, 0) * (y or -1) for x, y in rows) for f in met]
            logs = [*(float(rate * s) for s in sums), *[0.0] * (sides // 2 - len(met))]
            mean = sum(map(math.cosh, logs)) / len(logs)
            assert float(n["grown"]) >= math.log(mean)
        else:
            costs = [(rate * v) ** 2 / 2 for v in largest]
            gains = [gain - cost for gain, cost in zip(gains, costs, strict=True)]
        assert n["owed"] >= sum(
            max(Fraction(0), 1 - n["price"] * gain) for gain in gains
        )
        return
    if candidate.theorem.id == "BWIN-RMS":
        assert n["mean_scale"] ** 2 * len(rows) >= sum(v**2 for v in largest)
    else:
        assert n["scale"] >= max(largest, default=0)
    if candidate.theorem.id == "BWIN-GAP":
        assert CONSTANT not in u
        assert n["features"] >= len(met - {CONSTANT})
        assert n["gap"] == 4 * rate * n["norm"] * n["scale"] ** 2
        yes = [m for m, (_, y) in zip(margins, rows, strict=True) if y]
        no = [-m for m, (_, y) in zip(margins, rows, strict=True) if not y]
        assert n["gap"] <= min(yes) - max(no)
        return
    assert n["features"] >= len(met)
    if candidate.theorem.id in {"BWIN-ANY", "BWIN-RMS"}:
        assert size <= 1
        assert n["rate"] == rate
        assert n["deviation"] >= sum(short(n["margin"], margins))
    else:
        assert size <= n["norm"]
        assert n["margin"] == rate * n["norm"] * n["scale"] ** 2
        assert n["margin"] <= min(margins)


def check_classes(record: Record, candidate: Candidate) -> None:
    n = exactly(candidate)
    u: dict[Any, Fraction] = {}
    for label, vector in candidate.witness["vectors"]:
        u |= {(label, name): value for name, value in entries(vector).items()}
    theorem = candidate.theorem.id
    limit = n["norm"] ** 2 if "norm" in n else 1
    assert square(u) <= limit
    rows = added(record)
    check_lengths(n, [square(x) for x, _ in rows])
    margins = []
    for (x, y), rival in zip(rows, rivals(record), strict=True):
        joined: dict[Any, float] = {(y, name): v for name, v in x.items()}
        joined |= {(rival, name): -v for name, v in x.items()}
        margins.append(dot(u, joined))
    if theorem.startswith("MCPERC"):
        check_deviations(theorem, n, margins)
    elif theorem == "MCPA-STEPS":
        pass  # the judge replays it in test_scopes.py
    else:
        first = record.learner.parameters["classes"] is None
        lost = [Fraction(1)] * (unmended(record) - first)
        check_losses(n, short(Fraction(1), margins) + lost)


def rivals(record: Record) -> list[Hashable]:
    """Return whom each update took from, found by playing all rounds again."""
    name = record.learner.name
    made = MulticlassPerceptron if name.endswith("Perceptron") else None
    learner: Any = (made or MulticlassPassiveAggressive)(**record.learner.parameters)
    found = []
    for x, y in STREAMS[id(record)]:
        scores, before = learner.score_one(x), learner.updates_
        scores.pop(y, None)
        learner.learn_one(x, y)
        if learner.updates_ > before:
            found.append(max(scores, key=scores.__getitem__))
    return found


def check_second_order(record: Record, candidate: Candidate) -> None:
    n, u = exactly(candidate), entries(candidate.witness)
    rows, parameters = added(record), record.learner.parameters
    r = Fraction(parameters["r"])
    margins = [dot(u, x) if y else -dot(u, x) for x, y in rows]
    if candidate.theorem.id == "AROW-STEPS":
        check_drift(record, n, u)
        check_steps(record, n, margins, twins.AROW(**parameters))
        return
    if candidate.theorem.id == "SOP":
        assert n["deviation"] >= sum(short(n["margin"], margins))
    else:
        check_losses(n, short(Fraction(1), margins) + [Fraction(1)] * unmended(record))
    if candidate.theorem.id == "AROW-DIAG":
        check_drift(record, n, u)
        return
    squares: dict[Any, Fraction] = {}
    for x, _ in rows:
        for name, value in x.items():
            squares[name] = squares.get(name, Fraction(0)) + Fraction(value) ** 2
    if parameters["diagonal"]:
        energy = sum(v**2 * (r + squares.get(k, 0)) for k, v in u.items())
        logs = sum(ln_bounds(1 + d / r)[1] for d in squares.values())
        assert n["log_det"] >= logs
    else:
        energy = r * square(u) + sum(m * m for m in margins)
        names = list(squares)
        table = [[Fraction(x.get(name, 0.0)) for name in names] for x, _ in rows]
        assert n["log_det"] >= ln_bounds(determinant(table, r))[0]
    assert n["energy"] >= energy


def determinant(table: list[list[Fraction]], r: Fraction) -> Fraction:
    """Return det(I + X'X/r), exactly."""
    size = len(table[0]) if table else 0
    A = [[Fraction(i == j) for j in range(size)] for i in range(size)]
    for row in table:
        for i in range(size):
            for j in range(size):
                A[i][j] += row[i] * row[j] / r
    product = Fraction(1)
    for i in range(size):
        product *= A[i][i]
        for k in range(i + 1, size):
            times = A[k][i] / A[i][i]
            A[k] = [a - times * b for a, b in zip(A[k], A[i], strict=True)]
    return product


def check_drift(record: Record, n: Mapping[str, Fraction], u: Vector) -> None:
    assert square(u) <= n["norm"] ** 2
    check_lengths(n, [square(x) for x, _ in added(record)])
    twin = twins.AROW(**record.learner.parameters)
    drift = Fraction(0)
    assert record.examples is not None
    for x, y in record.examples:
        given: dict[Any, float] = dict(x)
        twin.play(dict(given), y)
        if twin.bias:
            given[twin] = twin.bias
        for name, value in given.items():
            entry = u.get(CONSTANT if name is twin else name, Fraction(0))
            off = Fraction(twin.means[name]) - entry
            drift += Fraction(value) ** 2 * off**2 / Fraction(twin.r)
    assert n["drift"] >= drift


def check_kernel(record: Record, candidate: Candidate) -> None:
    n, theorem = exactly(candidate), candidate.theorem.id
    assert record.examples is not None
    by_round = dict(zip(record.examples.rounds.tolist(), record.examples, strict=True))
    terms = [
        (Fraction(float.fromhex(text)), by_round[t][0])
        for t, text in candidate.witness["terms"]
    ]
    parameters = record.learner.parameters

    def most(
        times: Fraction, x: Mapping[Any, float], z: Mapping[Any, float]
    ) -> Fraction:
        """Return no less than so many times K(x, z)."""
        product = dot({name: Fraction(v) for name, v in x.items()}, z)
        gamma, offset = Fraction(parameters["gamma"]), Fraction(parameters["offset"])
        if parameters["kernel"] == "linear":
            return times * product
        if parameters["kernel"] == "polynomial":
            return times * (gamma * product + offset) ** int(parameters["degree"])
        low, high = exp_bounds(-gamma * (square(x) + square(z) - 2 * product))
        return times * (high if times > 0 else low)

    check_lengths(n, [most(Fraction(1), x, x) for x, _ in by_round.values()])
    length = sum((most(c * d, x, z) for c, x in terms for d, z in terms), Fraction(0))
    assert length <= (n["norm"] ** 2 if theorem == "PERC-SEP" else 1)
    margins = []
    for z, y in by_round.values():
        sign = 1 if y else -1
        margins.append(-sum((most(-sign * c, x, z) for c, x in terms), Fraction(0)))
    check_deviations(theorem, n, margins)


def exactly(candidate: Candidate) -> dict[str, Fraction]:
    return {name: Fraction(number) for name, number in candidate.numbers.items()}


def unmended(record: Record) -> int:
    """Return how many mistakes changed nothing."""
    return len(changed_nothing(record))


def changed_nothing(record: Record) -> list[tuple[int, Hashable]]:
    assert record.examples is not None
    assert record.mistake_rounds is not None
    kept, stream = set(record.examples.rounds.tolist()), STREAMS[id(record)]
    return [(t, stream[t][1]) for t in record.mistake_rounds.tolist() if t not in kept]


STREAMS: dict[int, Stream] = {}


def played(learner: Any, stream: Stream) -> Record:
    record = run(learner, stream, keep="updates")
    STREAMS.clear()
    STREAMS[id(record)] = stream
    return record


# Every learner ----------------------------------------------------------------------


def choose(rng: np.random.Generator, *values: Any) -> Any:
    return values[int(rng.integers(len(values)))]


BIASES = (0.0, 0.0, 1.0, 0.3, 8.0)
MODES = (None, "I", "II")

Make = Callable[[np.random.Generator], Any]
Find = Callable[[Record], list[Candidate]]
Check = Callable[[Record, Candidate], None]


def wrong_ones(record: Record) -> Any:
    """Return which of the updates were mistakes."""
    assert record.examples is not None
    assert record.mistake_rounds is not None
    return np.isin(record.examples.rounds, record.mistake_rounds)


def of_perceptron(record: Record) -> list[Candidate]:
    assert record.examples is not None
    return _linear.perceptron(record.examples, record.learner.parameters)


FAMILIES: dict[str, tuple[Make, Callable[[np.random.Generator], Stream], Find, Check]]
FAMILIES = {
    "perceptron": (
        lambda rng: Perceptron(
            update=choose(rng, "mistake", "margin"),
            normalize=choose(rng, True, False),
            bias=choose(rng, *BIASES),
        ),
        real,
        of_perceptron,
        check_perceptron,
    ),
    "averaged": (
        lambda rng: AveragedPerceptron(bias=choose(rng, *BIASES)),
        real,
        of_perceptron,
        check_perceptron,
    ),
    "voted": (
        lambda rng: VotedPerceptron(bias=choose(rng, *BIASES)),
        real,
        of_perceptron,
        check_perceptron,
    ),
    "passive-aggressive": (
        lambda rng: PassiveAggressive(
            C=choose(rng, 0.1, 1.0, 10),
            mode=choose(rng, *MODES),
            bias=choose(rng, *BIASES),
        ),
        real,
        lambda record: _linear.passive_aggressive(
            record.examples,  # type: ignore[arg-type]  # it was asked for
            record.learner.parameters,
            unmended(record),
            wrong=wrong_ones(record),
        ),
        check_passive_aggressive,
    ),
    "winnow of fractions": (
        lambda rng: Winnow(
            threshold=choose(rng, 1, 3.0, 7.5), promotion=choose(rng, 1.1, 1.5, 2)
        ),
        fractional,
        lambda record: _linear.winnow(record.examples, record.learner.parameters),  # type: ignore[arg-type]  # it was asked for
        check_winnow,
    ),
    "winnow": (
        lambda rng: Winnow(
            threshold=choose(rng, 1, 3.0, 7),
            promotion=choose(rng, 1.1, 1.5, 2),
            eliminate=choose(rng, True, False),
        ),
        boolean,
        lambda record: _linear.winnow(record.examples, record.learner.parameters),  # type: ignore[arg-type]  # it was asked for
        check_winnow,
    ),
    "balanced winnow": (
        lambda rng: BalancedWinnow(
            rate=choose(rng, 0.01, 0.3, 1), bias=choose(rng, 0.0, 0.5, 1.0)
        ),
        fractional,
        lambda record: _linear.balanced_winnow(
            record.examples,  # type: ignore[arg-type]  # it was asked for
            record.learner.parameters,
        ),
        check_balanced,
    ),
    "multiclass perceptron": (
        lambda rng: MulticlassPerceptron(
            classes=choose(rng, None, ("b", "a", "d", "c")), bias=choose(rng, *BIASES)
        ),
        with_classes,
        lambda record: _linear.multiclass_perceptron(
            record.examples,  # type: ignore[arg-type]  # it was asked for
            record.learner.parameters,
            changed_nothing(record),
        ),
        check_classes,
    ),
    "multiclass passive-aggressive": (
        lambda rng: MulticlassPassiveAggressive(
            C=choose(rng, 0.1, 1.0, 10),
            mode=choose(rng, *MODES),
            classes=choose(rng, None, ("b", "a", "d", "c")),
            bias=choose(rng, *BIASES),
        ),
        with_classes,
        lambda record: _linear.multiclass_passive_aggressive(
            record.examples,  # type: ignore[arg-type]  # it was asked for
            record.learner.parameters,
            changed_nothing(record),
        ),
        check_classes,
    ),
    "second-order": (
        lambda rng: SecondOrderPerceptron(
            r=choose(rng, 0.3, 1, 5.0),
            diagonal=choose(rng, True, False),
            bias=choose(rng, *BIASES),
        ),
        real,
        lambda record: _linear.second_order_perceptron(
            record.examples,  # type: ignore[arg-type]  # it was asked for
            record.learner.parameters,
        ),
        check_second_order,
    ),
    "arow": (
        lambda rng: AROW(
            r=choose(rng, 0.3, 1, 5.0),
            diagonal=choose(rng, True, False),
            bias=choose(rng, *BIASES),
        ),
        real,
        lambda record: _linear.arow(
            record.examples,  # type: ignore[arg-type]  # it was asked for
            record.learner.parameters,
            record.mistakes,
            unmended(record),
            wrong_ones(record),
        ),
        check_second_order,
    ),
    "kernel": (
        lambda rng: KernelPerceptron(
            choose(rng, "linear", "polynomial", "gaussian"),
            update=choose(rng, "mistake", "margin"),
        ),
        fractional,
        lambda record: _linear.kernel_perceptron(
            record.examples,  # type: ignore[arg-type]  # it was asked for
            record.learner.parameters,
        ),
        check_kernel,
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_stated_is_safe_and_what_is_counted_is_within_the_bound(
    family: str,
) -> None:
    make, draw, find, check = FAMILIES[family]
    spoken = set()
    # Exponentials in rationals take their time.
    for seed in range(5 if family == "kernel" else 25):
        rng = np.random.default_rng([seed, len(family)])
        learner, stream = make(rng), draw(rng)
        record = played(learner, stream)
        found = find(record)
        bounds = [candidate.bound for candidate in found]
        assert bounds == sorted(bounds)
        for candidate in found:
            check(record, candidate)
            assert candidate.theorem.id in {t.id for t in learner.guarantees}
            updates = candidate.theorem.counts == "updates"
            counted = record.updates if updates else record.mistakes
            # A first round with no class known is one mistake that nobody counts.
            assert counted is not None
            first = candidate.theorem.id.startswith("MCPA") and learner.classes is None
            assert counted - first <= candidate.bound
            assert candidate.bound == candidate.theorem.bound(**candidate.numbers)
            spoken.add(candidate.theorem.id)
    assert spoken >= EXPECTED[family]


EXPECTED = {
    "perceptron": {
        "PERC-SEP",
        "PERC-TD",
        "PERC-HINGE",
        "PERC-FS",
        "PERC-BIAS",
        "PERC-GAP",
        "PERC-RMS",
    },
    "averaged": {"PERC-SEP", "PERC-TD", "PERC-HINGE", "PERC-FS", "PERC-BIAS"},
    "voted": {"PERC-SEP", "PERC-TD", "PERC-HINGE", "PERC-FS", "PERC-BIAS"},
    "passive-aggressive": {"PA-SEP", "PA1", "PA2", "PA-STEPS"},
    "winnow of fractions": {"WIN2-SEP", "WIN2-GAP", "WIN2-SLACK"},
    "winnow": {"WIN1", "WIN2-SEP", "WIN2-DISJ", "WIN2-KOFR", "WIN2-GAP", "WIN2-SLACK"},
    "balanced winnow": {"BWIN-ANY", "BWIN-SEP", "BWIN-GAP", "BWIN-RMS", "BWIN-STEPS"},
    "multiclass perceptron": {"MCPERC-SEP", "MCPERC-TD", "MCPERC-RMS"},
    "multiclass passive-aggressive": {"MCPA-SEP", "MCPA1", "MCPA2", "MCPA-STEPS"},
    "second-order": {"SOP"},
    "arow": {"AROW", "AROW-DIAG", "AROW-STEPS"},
    "kernel": {"PERC-SEP", "PERC-TD", "PERC-HINGE", "PERC-FS", "PERC-RMS"},
}


# As good as can be ------------------------------------------------------------------


def by_id(found: list[Candidate]) -> dict[str, Candidate]:
    return {candidate.theorem.id: candidate for candidate in found}


def dense(examples: Examples) -> Any:
    rows = np.repeat(np.arange(len(examples)), np.diff(examples.offsets))
    table = np.zeros((len(examples), examples.width))
    table[rows, examples.columns] = examples.values
    return table


def best_margin(examples: Examples) -> float:
    """Return the largest margin as scikit-learn finds it.

    With each example on the other side as well, the best hyperplane goes through 0.
    """
    X, y = dense(examples), examples.signs
    machine = SVC(kernel="linear", C=1e9, tol=1e-6)
    machine.fit(np.vstack([X, -X]), np.append(y, -y))
    return float(1 / np.linalg.norm(machine.coef_))


@pytest.mark.soak
@pytest.mark.parametrize("order", ["file", 0, 1])
@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_on_mushrooms_the_margin_is_the_largest(order: str | int, bias: float) -> None:
    path = data_file("agaricus/agaricus.train.svm.gz")
    stream = list(streams.svmlight(path))
    if isinstance(order, int):
        shuffled = np.random.default_rng(order).permutation(len(stream))
        stream = [stream[t] for t in shuffled]
    record = run(Perceptron(bias=bias), stream, keep="updates")
    assert record.examples is not None
    found = by_id(of_perceptron(record))["PERC-SEP"]
    examples = Examples.of(record.examples, bias=bias)
    margin = float(found.numbers["margin"]) / float(found.numbers["norm"])
    assert margin == pytest.approx(best_margin(examples), rel=0.01)
    assert found.bound >= record.mistakes


TWO_CLASSES = [
    "a1a-libol/a1a.svm.gz",
    "a9a/a9a.train.svm.gz",
    "agaricus/agaricus.train.svm.gz",
    "breast-cancer_scale/breast-cancer_scale.svm.gz",
    "heart_scale/heart_scale.svm.gz",
    "phishing/phishing.svm.gz",
    "reuters-moneyfx/reuters-moneyfx.train.svm.gz",
    "spam-drift/spam_drift.svm.gz",
    "svmguide3/svmguide3.svm.gz",
    "w1a-libol/w1a.svm.gz",
    "w8a/w8a.train.svm.gz",
]


@pytest.mark.parametrize("name", TWO_CLASSES)
def test_on_real_files_every_bound_holds_and_the_hinge_bound_is_the_least(
    name: str,
) -> None:
    path = data_file(name)
    record = run(Perceptron(), streams.svmlight(path), keep="updates")
    assert record.examples is not None
    assert record.updates is not None
    found = by_id(of_perceptron(record))
    assert {"PERC-TD", "PERC-HINGE", "PERC-FS"} <= found.keys()
    assert min(c.bound for c in found.values()) >= record.updates
    hinge = found["PERC-HINGE"].bound
    assert found["PERC-TD"].bound <= hinge
    # v = 0 would lose 1 on each update.
    assert hinge <= 2 * record.updates * (1 + 1e-9)
    examples = Examples.of(record.examples)
    if len(examples.values) <= 100_000:
        assert hinge <= 1.01 * least_hinge(examples)


def least_hinge(examples: Examples) -> float:
    """Return the least PERC-HINGE as scikit-learn finds it."""
    X, radius = dense(examples), examples.radius
    machine = LinearSVC(
        loss="hinge",
        C=radius**-2,
        fit_intercept=False,
        tol=1e-4,
        max_iter=20_000,
        random_state=0,
    )
    if len(set(examples.signs.tolist())) < 2:
        return math.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(X, examples.signs)
    v = machine.coef_[0]
    losses = np.maximum(0, 1 - examples.signs * (X @ v)).sum()
    return float(radius**2 * (v @ v) + 2 * losses)


@pytest.mark.parametrize("mode", ["I", "II"])
def test_what_the_passive_aggressive_bounds_minimise_is_least(mode: Any) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 10))
    y = (X @ rng.normal(size=10) >= 0) ^ (rng.random(300) < 0.1)
    record = run(PassiveAggressive(0.05, mode), streams.arrays(X, y), keep="updates")
    assert record.examples is not None
    (found,) = _linear.passive_aggressive(record.examples, record.learner.parameters)
    machine = LinearSVC(
        loss="hinge" if mode == "I" else "squared_hinge",
        C=0.05,
        fit_intercept=False,
        random_state=0,
        max_iter=100_000,
    )
    examples = Examples.of(record.examples)
    machine.fit(dense(examples), examples.signs)
    v = machine.coef_[0]
    lost = np.maximum(0, 1 - examples.signs * (dense(examples) @ v))
    least = v @ v + 0.1 * (lost.sum() if mode == "I" else lost @ lost)
    name = "hinge" if mode == "I" else "hinge_squares"
    ours = float(found.numbers["norm"]) ** 2 + 0.1 * float(found.numbers[name])
    assert ours <= 1.01 * least


def test_on_orthogonal_examples_there_is_no_slack() -> None:
    # The lower bound: each example is new, and its label is not what was said.
    for count in (1, 4, 7, 100):
        stream = [({f"e{i}": 1.0}, False) for i in range(count)]
        record = run(Perceptron(), stream, keep="updates")
        found = by_id(of_perceptron(record))["PERC-SEP"]
        assert found.numbers["margin"] == 1
        assert record.updates == count <= found.bound <= count * (1 + 1e-15)


def all_kept(stream: Stream) -> Any:
    """Return the examples of a stream as if each had changed a learner."""
    return run(PassiveAggressive(1e-9), stream, keep="updates").examples


def test_a_gap_is_the_best_that_winnow_can_be_held_to() -> None:
    # Any two of three features: mu = (1/2, 1/2, 1/2) is best, and leaves 1/2.
    pairs = [("a", "b"), ("b", "c"), ("a", "c")]
    stream: Stream = [({one: 1.0, other: 1.0}, True) for one, other in pairs]
    stream += [({name: 1.0}, False) for name in "abc"]
    parameters = Winnow(threshold=3, promotion=1.25).get_params()
    found = by_id(_linear.winnow(all_kept(stream), parameters))["WIN2-SEP"]
    assert float(found.numbers["gap"]) == pytest.approx(0.5)
    assert float(found.numbers["weight"]) == pytest.approx(1.5)


def test_no_other_gap_makes_winnows_bound_smaller() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(27)  # where the smallest weights leave no good gap
    X = rng.random((2, 60, 8))[1].round(1)
    scores = X @ rng.choice([0, 0.3, 0.5, 0.7, 1], 8)
    y = scores >= np.median(scores)
    kept = run(PassiveAggressive(1e-9), streams.arrays(X, y), keep="updates").examples
    assert kept is not None
    for theta in (1, 2, 40):
        parameters = Winnow(threshold=theta, promotion=1.001).get_params()
        found = by_id(_linear.winnow(kept, parameters))["WIN2-SEP"]
        others = []
        for gap in np.linspace(0.06, 0.1, 41):
            answer = optimize.linprog(
                np.ones(8),
                A_ub=np.vstack([-X[y], X[~y]]),
                b_ub=np.append(-np.ones(y.sum()), np.full((~y).sum(), 1 - gap)),
            )
            if answer.status == 0:
                numbers = found.numbers | {"weight": float(answer.x.sum())}
                others.append(found.theorem.bound(**numbers | {"gap": float(gap)}))
        assert others
        assert found.bound <= min(others) * (1 + 1e-6)


def test_a_disjunction_is_covered_by_few_features() -> None:
    stream: Stream = [
        ({"a": 1.0, "c": 1.0, "d": 1.0}, True),
        ({"b": 1.0, "c": 1.0, "d": 1.0}, True),
        ({"a": 1.0, "e": 1.0}, True),
        ({"b": 1.0, "f": 1.0}, True),
        ({"c": 1.0}, False),
    ]
    parameters = Winnow(threshold=6, promotion=1.5).get_params()
    found = by_id(_linear.winnow(all_kept(stream), parameters))["WIN2-DISJ"]
    assert found.numbers == {"features": 6, "relevant": 2}
    assert {name for name, _ in found.witness["entries"]} == {"a", "b"}


@pytest.mark.parametrize("own", [False, True])
def test_two_of_three_have_the_theorems_of_their_promotion(own: bool) -> None:
    rng = np.random.default_rng(2)
    stream: Stream = []
    for row in rng.random((400, 9)) < 0.3:
        x = {f"f{j}": 1.0 for j in np.flatnonzero(row)}
        stream.append((x, bool(row[:3].sum() >= 2)))
    learner = Winnow(threshold=9, promotion=1.25)
    u = {"f0": 1.0, "f1": 1.0, "f2": 1.0} if own else None
    bounds = set()
    for theorem in ("WIN2-KOFR", "WIN2-GAP"):
        certificate = certify(learner, stream, witness=u, theorem=theorem)
        assert verify(certificate, stream).wrong is None
        bounds.add(certificate.bound)
        known = certificate.numbers
        if theorem == "WIN2-KOFR":
            assert (known["k"], known["relevant"]) == (2, 3)
    assert len(bounds) == 1
    for other in (
        Winnow(threshold=9, promotion=1.3),
        Winnow(threshold=9.5, promotion=1.25),
    ):
        with pytest.raises(PremiseError, match="WIN2-KOFR"):
            certify(other, stream, witness=u, theorem="WIN2-KOFR")
    noisy = [*stream, ({"f0": 1.0}, True)] * 2
    with pytest.raises(PremiseError, match="WIN2-KOFR"):
        certify(learner, noisy, witness=u, theorem="WIN2-KOFR")


def test_many_rows_enter_a_linear_program_as_they_are_needed() -> None:
    rng = np.random.default_rng(2)
    X = rng.random((3000, 12)).round(2)
    y = X[:, 0] + X[:, 1] >= 1
    X[~y & (X[:, 0] + X[:, 1] > 0.7), 0] = 0
    y = X[:, 0] + X[:, 1] >= 1
    X[~y, 1] *= 0.7
    whole = Examples(
        np.arange(0, X.size + 1, 12, dtype=np.int64),
        np.tile(np.arange(12, dtype=np.int32), len(X)),
        X.ravel(),
        np.where(y, 1.0, -1.0),
        12,
    )
    from littlestone.witnesses._winnow import linear_program  # noqa: PLC0415 - private

    extra = np.where(y, -1.2, 1.0)[:, np.newaxis]
    z = linear_program(whole, np.append(np.ones(12), 0.3), extra, np.where(y, 1.0, 0.0))
    assert z is not None
    sides = np.where(y, 1.0, -1.0) * (X @ z[:12]) + extra[:, 0] * z[12]
    assert (sides >= np.where(y, 1.0, 0.0) - 1e-6).all()


# Edges ------------------------------------------------------------------------------


def test_without_updates_nothing_is_promised_but_nothing() -> None:
    record = run(Perceptron(), [({"a": 1.0}, True)], keep="updates")
    (found,) = of_perceptron(record)
    assert (found.bound, found.theorem.id) == (0.0, "PERC-SEP")
    families = {
        Winnow(threshold=3): _linear.winnow,
        BalancedWinnow(rate=0.5): _linear.balanced_winnow,
        PassiveAggressive(): _linear.passive_aggressive,
        PassiveAggressive(mode=None): _linear.passive_aggressive,
        MulticlassPerceptron(): _linear.multiclass_perceptron,
        MulticlassPassiveAggressive(): _linear.multiclass_passive_aggressive,
        SecondOrderPerceptron(): _linear.second_order_perceptron,
        SecondOrderPerceptron(diagonal=False): _linear.second_order_perceptron,
        KernelPerceptron(): _linear.kernel_perceptron,
    }
    for learner, find in families.items():
        kept = run(learner, [], keep="updates").examples
        found, *_ = find(kept, learner.get_params())  # type: ignore[operator]  # each takes these two
        assert found.bound >= 0
        of_experience = ("WIN", "BWIN")
        assert found.bound == 0 or found.theorem.id.startswith(of_experience)
    for diagonal in (True, False):
        learner = AROW(diagonal=diagonal)
        kept = run(learner, [], keep="updates").examples
        assert kept is not None
        (found,) = _linear.arow(kept, learner.get_params(), 0)
        assert found.bound == 0


def test_an_example_of_zeros_that_is_no_is_paid_for() -> None:
    record = played(Perceptron(), [({"a": 0.0}, False), ({"a": 2.0}, False)] * 3)
    found = by_id(of_perceptron(record))
    assert "PERC-SEP" not in found  # nothing separates it
    assert record.updates == 4
    assert found["PERC-TD"].bound >= 4
    for candidate in found.values():
        check_perceptron(record, candidate)
    record = played(Perceptron(), [({}, False)] * 3)
    assert {c.bound for c in of_perceptron(record)} >= {3.0}
    record = played(BalancedWinnow(rate=0.5), [({}, False)] * 3)
    assert record.examples is not None
    any_vector, _ = _linear.balanced_winnow(record.examples, record.learner.parameters)
    check_balanced(record, any_vector)
    assert any_vector.bound >= record.mistakes == 3


def test_contradictions_have_no_margin() -> None:
    stream = [({"a": 1.0, "b": 0.5}, True), ({"a": 1.0, "b": 0.5}, False)] * 5
    record = run(Perceptron(bias=1.0), stream, keep="updates")
    assert (
        not {"PERC-SEP", "PERC-BIAS", "PERC-GAP"} & by_id(of_perceptron(record)).keys()
    )
    learner = PassiveAggressive(mode=None)
    record = run(learner, stream, keep="updates")
    assert record.examples is not None
    assert not _linear.passive_aggressive(record.examples, record.learner.parameters)
    record = run(Winnow(threshold=2), stream, keep="updates")
    assert record.examples is not None
    (slack,) = _linear.winnow(record.examples, record.learner.parameters)
    assert slack.theorem.id == "WIN2-SLACK"


def test_a_vector_that_is_given_is_used() -> None:
    stream: Stream = [({"a": 1.0}, False), ({"b": 1.0, "a": 0.5}, False)]
    record = played(Perceptron(bias=1.0), stream)
    assert record.examples is not None
    u: dict[str | int | None, float] = {"a": -1, "b": -1, None: -0.5, "unmet": 7}
    found = _linear.perceptron(record.examples, record.learner.parameters, u)
    sep = by_id(found)["PERC-SEP"]
    assert entries(sep.witness) == {"a": -1, CONSTANT: Fraction(-1, 2)}
    for candidate in found:
        check_perceptron(record, candidate)
    record = played(PassiveAggressive(mode=None), stream)
    assert record.examples is not None
    parameters = record.learner.parameters
    (pa,) = _linear.passive_aggressive(
        record.examples, parameters, 0, {"a": -3, "b": -5}
    )
    assert pa.bound == pytest.approx(1.25 * 34 / 9)
    stream = [({"a": 1.0, "c": 1.0}, True), ({"c": 1.0}, False)] * 9
    parameters = Winnow(threshold=4).get_params()
    given = _linear.winnow(all_kept(stream), parameters, {"a": 4.0, "c": 1.0})
    win = by_id(given)["WIN2-SEP"]
    assert win.numbers["gap"] == pytest.approx(0.8)
    assert win.numbers["weight"] == pytest.approx(1.0)
    record = played(BalancedWinnow(rate=0.2), [({"a": 1.0, "c": -1.0}, False)])
    assert record.examples is not None
    found = _linear.balanced_winnow(
        record.examples, record.learner.parameters, {"a": -2.0}
    )
    assert set(entries(found[0].witness)) == {"a"}
    for candidate in found:
        check_balanced(record, candidate)


def test_a_kernel_of_ones_own_and_a_budget_are_left_alone() -> None:
    kept = run(KernelPerceptron(), [({"a": 1.0}, False)], keep="updates").examples
    assert kept is not None
    parameters = KernelPerceptron().get_params()
    assert _linear.kernel_perceptron(kept, parameters)
    for change in ({"budget": 3}, {"kernel": lambda x, z: 0.0}):  # noqa: ARG005 - a kernel takes two
        assert not _linear.kernel_perceptron(kept, parameters | change)


def test_large_margins_would_say_nothing() -> None:
    # Why PERC-TD is not minimised as it stands: on the updates, its bound falls to
    # their number as the margin grows, whatever the vector.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 8)), rng.random(500) < 0.5
    record = run(Perceptron(), streams.arrays(X, y), keep="updates")
    assert record.examples is not None
    assert record.updates is not None
    examples = Examples.of(record.examples)
    margins = examples.margins(np.zeros(examples.width))
    theorem = by_id(of_perceptron(record))["PERC-TD"].theorem
    for margin in (1e3, 1e6):
        bound = theorem.bound(
            radius=examples.radius,
            margin=margin,
            deviation=add_up(fall_short(margin, margins)),
        )
        assert record.updates <= bound <= record.updates * (1 + 10 / margin)


# Rounding ---------------------------------------------------------------------------

doubles = st.floats(allow_nan=False, allow_infinity=False)
sizes = st.integers(0, 12)


@given(st.data(), sizes)
def test_scores_and_squares_enclose_the_exact_ones(data: st.DataObject, n: int) -> None:
    x = data.draw(arrays(np.float64, n, elements=doubles))
    v = data.draw(arrays(np.float64, n, elements=doubles))
    one = Examples(
        np.array([0, n]), np.arange(n, dtype=np.int32), x, np.array([-1.0]), n
    )
    exact = sum((Fraction(a) * Fraction(b) for a, b in zip(x, v, strict=True)), 0)
    low, high = (float(bound[0]) for bound in one.scores(v))
    assert low == -math.inf or low <= exact
    assert high == math.inf or exact <= high
    squares = squares_up(x)
    assert squares == math.inf or squares >= sum(Fraction(a) ** 2 for a in x.tolist())
    if np.isfinite([low, high]).all() and np.abs(x).max(initial=0) < 1e100:
        scale = sum(abs(Fraction(a) * Fraction(b)) for a, b in zip(x, v, strict=True))
        assert Fraction(high) - Fraction(low) <= scale * Fraction(1, 10**14) + Fraction(
            1e-300
        )


@given(arrays(np.float64, sizes, elements=st.floats(0, 1e300)))
def test_sums_and_roots_are_rounded_up(numbers: Any) -> None:
    total = sum(map(Fraction, numbers.tolist()), Fraction(0))
    assert add_up(numbers) >= total
    assert math.nextafter(add_up(numbers), 0) <= total
    root = root_up(float(numbers.max(initial=0.0)))
    assert Fraction(root) ** 2 >= Fraction(float(numbers.max(initial=0.0)))


@given(
    st.floats(1e-100, 1e100),
    arrays(np.float64, sizes, elements=st.floats(-1e100, 1e100)),
)
def test_shortfalls_are_rounded_up(level: float, margins: Any) -> None:
    for got, margin in zip(fall_short(level, margins), margins, strict=True):
        assert got >= max(Fraction(0), Fraction(level) - Fraction(margin))


@given(arrays(np.float64, st.integers(1, 12), elements=st.floats(-1e200, 1e200)))
def test_a_vector_of_length_one_is_never_longer(numbers: Any) -> None:
    u = of_length_one(numbers)
    if u is None:
        assert not numbers.any()
        return
    length = sum(Fraction(x) ** 2 for x in u.tolist())
    assert 1 - Fraction(1, 10**12) <= length <= 1
    assert size_up(u) >= math.sqrt(length)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=12), st.floats(0.01, 9))
def test_no_scale_is_better_than_the_best(margins: list[float], radius: float) -> None:
    m = np.array(margins)
    for squares in (False, True):
        best = _core.best_scale(m, radius, squares)

        def paid(g: float, squares: bool = squares) -> float:
            lost = np.maximum(0, 1 - g * m)
            return radius**2 * g * g + float(lost @ lost if squares else 2 * lost.sum())

        for g in np.linspace(0, 3 * best + 1, 60):
            assert paid(best) <= paid(float(g)) * (1 + 1e-9)


def test_examples_are_scaled_as_the_perceptron_scales_them() -> None:
    stream: Stream = [({"a": 3.3, "b": 4.1, "c": 1e-9}, False), ({"a": 0.1}, True)]
    record = played(Perceptron(normalize=True, bias=0.5), stream)
    assert record.examples is not None
    examples = Examples.of(record.examples, normalize=True, bias=0.5)
    expected = [v for x, _ in added(record) for v in x.values()]
    assert examples.values.tolist() == expected


def test_what_the_border_is_handed_is_checked() -> None:
    offsets, columns = np.array([0, 1]), np.array([0], dtype=np.int32)
    one, room = np.ones(1), np.ones(1)
    for wrong in (
        (np.array([0, 2]), columns, one),
        (np.array([1, 1]), columns, one),
        (offsets, np.array([1], dtype=np.int32), one),
        (offsets, np.array([-1], dtype=np.int32), one),
        (offsets, columns, np.ones(2)),
    ):
        with pytest.raises(ValueError, match="offsets|column"):
            _core.score_bounds(*wrong, one, room, room)
        with pytest.raises(ValueError, match="offsets|column"):
            _core.square_bounds(*wrong, 1, room)
    with pytest.raises(ValueError, match="arrays must have the same length"):
        _core.score_bounds(offsets, columns, one, one, room, np.ones(2))
    with pytest.raises(ValueError, match="arrays must have the same length"):
        _core.scale_by_length(offsets, one, np.ones(2))
    with pytest.raises(ValueError, match="arrays must have the same length"):
        _core.find_margin(
            offsets,
            columns,
            one,
            one,
            np.zeros(2),
            room,
            cap=1,
            ridge=0,
            tolerance=0.1,
            work=1,
        )
    with pytest.raises(ValueError, match="arrays must have the same length"):
        _core.find_gram_margin(
            np.ones((2, 1)), one, room, room, cap=1, ridge=0, tolerance=0.1, work=1
        )
