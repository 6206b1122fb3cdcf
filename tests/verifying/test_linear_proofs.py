"""The proofs of linear learners: what is sound passes, and nothing may be shaved off.

Streams and witnesses are drawn, and measured here in plain rationals, not by the
judge's own means.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from certificates import made, vector
from littlestone import Certificate, linear, theorems, verify
from littlestone.errors import PremiseError
from littlestone.theorems._rounding import exp_bounds, ln_bounds, sqrt_up
from littlestone.verifying import PROOFS, Unsound, as_number, as_text
from littlestone.verifying.proofs._matrices import Damped
from littlestone.verifying.proofs.kernel import decay
from tries import tried

Vector = dict[Any, Fraction]
Example = tuple[dict[Any, float], Any]
ONE, ZERO = Fraction(1), Fraction(0)
CONSTANT = "the constant feature"


# What is measured, in plain rationals.


def product(u: Mapping[Any, Any], x: Mapping[Any, Any]) -> Fraction:
    return sum((Fraction(u[f]) * Fraction(v) for f, v in x.items() if f in u), ZERO)


def size(x: Mapping[Any, Any]) -> Fraction:
    return product(x, x)


def signed(y: bool, number: Fraction) -> Fraction:
    return number if y else -number


class Watched:
    """A learner, and the rounds that matter, with the constant feature appended."""

    def __init__(self, learner: Any, stream: list[Example]) -> None:
        fresh = learner.clone()
        bias = learner.get_params().get("bias", 0.0)
        self.rounds: list[tuple[dict[Any, Any], Any, Any, bool]] = []
        self.means: list[Vector] = []
        for x, y in stream:
            before = fresh.updates_
            said = fresh.play_one(x, y)
            changed = fresh.updates_ > before
            full = {f: Fraction(v) for f, v in x.items() if v}
            if bias:
                full[CONSTANT] = Fraction(bias)
            if changed or said != y:
                self.rounds.append((full, y, said, changed))
            if changed and isinstance(learner, linear.AROW) and learner.diagonal:
                mean = {f: Fraction(w) for f, w in fresh.weights_.items()}
                if bias:
                    mean[CONSTANT] = Fraction(fresh.intercept_) / Fraction(bias)
                self.means.append(mean)

    @property
    def radius(self) -> Fraction:
        """The length of the longest example, rounded up."""
        return sqrt_up(max((size(x) for x, *_ in self.rounds), default=ZERO))

    def short(self, u: Vector, margin: Fraction) -> list[Fraction]:
        """Return what falls short of the margin."""
        return [
            max(ZERO, margin - signed(y, product(u, x))) for x, y, *_ in self.rounds
        ]

    def without(self, feature: Any) -> list[tuple[Vector, bool]]:
        """Return examples and labels without a feature."""
        return [
            ({f: v for f, v in x.items() if f != feature}, y)
            for x, y, *_ in self.rounds
        ]


def split(u: Vector) -> dict[str, Any]:
    """Return a witness, the constant feature apart."""
    bias = u.get(CONSTANT)
    return vector({f: v for f, v in u.items() if f != CONSTANT}, bias)


# Streams and witnesses that are drawn.

VALUES = st.sampled_from([-2.5, -1.0, -0.3, 0.0, 0.1, 0.5, 1.0, 3.0])
UNIT = st.sampled_from([0.0, 0.1, 0.25, 0.7, 1.0])
NAMES = ("a", "b", 3)
SHARES = st.fractions(-2, 2, max_denominator=12)


@st.composite
def streams(
    draw: st.DrawFn, values: st.SearchStrategy[float] = VALUES, labels: Any = None
) -> list[Example]:
    row = st.fixed_dictionaries(dict.fromkeys(NAMES, values))
    label = st.booleans() if labels is None else labels
    return draw(st.lists(st.tuples(row, label), max_size=12))


@st.composite
def directions(draw: st.DrawFn, *, bias: float = 0.0, positive: bool = False) -> Vector:
    names = (*NAMES, CONSTANT) if bias else NAMES
    u = {name: draw(SHARES) for name in names}
    return {f: abs(v) if positive else v for f, v in u.items() if v}


def told(u: Vector, stream: list[Example], bias: float = 0.0) -> list[Example]:
    """Return the stream as u labels it, without the rounds it cannot decide."""
    out = []
    for x, _ in stream:
        score = product(u, x) + u.get(CONSTANT, ZERO) * Fraction(bias)
        if score:
            out.append((x, score > 0))
    return out


def shrunk(u: Vector) -> Vector:
    """Return the vector with a length of at most 1, and nearly 1."""
    root = sqrt_up(size(u))
    return {f: v / root for f, v in u.items()} if root else u


# What a sound certificate, and one that is not quite sound, must meet.


def accepted(certificate: Certificate, stream: list[Example]) -> None:
    for verdict in (verify(certificate), verify(certificate, stream)):
        assert verdict, verdict


LOW = {"margin", "gap", "margin_updates"}  # the numbers that are safe if they are small
TINY = Fraction(1, 10**9)


def nothing_to_shave(
    certificate: Certificate, stream: list[Example], *names: str
) -> None:
    """Each number, made a little better than it is, is refused by its name."""
    for name in names:
        number = as_number(certificate.numbers_exact[name])
        better = number * (1 + TINY) if name in LOW else number * (1 - TINY)
        if name == "margin_updates":
            better = number + 1
        if better == number:
            continue
        numbers = {**certificate.numbers_exact, name: as_text(better)}
        exact = {each: as_number(text) for each, text in numbers.items()}
        try:
            bound = theorems.get(certificate.theorem).bound(**exact)
        except PremiseError:  # no run has such numbers
            continue
        lie = replace(certificate, numbers_exact=numbers, bound_exact=as_text(bound))
        wrong = verify(lie, stream).wrong
        assert wrong is not None
        assert name in wrong or "does not hold" in wrong


PERCEPTRONS = [
    linear.Perceptron(),
    linear.Perceptron(update="margin", bias=-1.5),
    linear.AveragedPerceptron(bias=0.5),
    linear.VotedPerceptron(),
]
perceptrons = pytest.mark.parametrize("learner", PERCEPTRONS, ids=repr)


@perceptrons
@tried(0.5)
@given(data=st.data())
def test_perceptrons_that_separate(learner: Any, data: st.DataObject) -> None:
    bias = learner.bias
    u = data.draw(directions(bias=bias))
    stream = told(u, data.draw(streams()), bias)
    seen = Watched(learner, stream)
    updates = [r for r in seen.rounds if r[3]]
    assume(updates)
    seen.rounds = updates
    margin = min(signed(y, product(u, x)) for x, y, *_ in updates)
    numbers = {"radius": seen.radius, "margin": margin, "norm": sqrt_up(size(u))}
    certificate = made(learner, stream, "PERC-SEP", split(u), numbers)
    accepted(certificate, stream)
    nothing_to_shave(certificate, stream, "radius", "margin", "norm")


@perceptrons
@tried(0.5)
@given(data=st.data())
def test_perceptrons_that_do_not_separate(learner: Any, data: st.DataObject) -> None:
    u = shrunk(data.draw(directions(bias=learner.bias)))
    stream = data.draw(streams())
    seen = Watched(learner, stream)
    seen.rounds = [r for r in seen.rounds if r[3]]
    margin = data.draw(st.fractions(Fraction(1, 9), 3, max_denominator=9))
    short = seen.short(u, margin)
    numbers = {"radius": seen.radius, "margin": margin}
    for theorem, name, number in (
        ("PERC-TD", "deviation", sum(short, ZERO)),
        ("PERC-HINGE", "hinge", sum(short, ZERO) / margin),
        ("PERC-FS", "deviation_norm", sqrt_up(sum((d * d for d in short), ZERO))),
    ):
        stated = {**numbers, name: number}
        certificate = made(learner, stream, theorem, split(u), stated)
        accepted(certificate, stream)
        nothing_to_shave(certificate, stream, "radius", name)


@tried(0.5)
@given(data=st.data())
def test_the_perceptron_scales_as_it_says(data: st.DataObject) -> None:
    learner = linear.Perceptron(normalize=True, bias=0.5)
    stream = data.draw(streams())
    numbers = {"radius": 1.2, "margin": ONE, "deviation": Fraction(len(stream) * 2)}
    u = vector({"a": Fraction(1, 2)}, Fraction(1, 2))
    certificate = made(learner, stream, "PERC-TD", u, numbers)
    accepted(certificate, stream)


@tried(0.5)
@given(data=st.data())
def test_perceptrons_with_a_threshold(data: st.DataObject) -> None:
    bias = data.draw(st.sampled_from([-4.5, 0.5, 4.5]))
    learner = linear.Perceptron(bias=bias)
    u = shrunk(data.draw(directions()))
    threshold = data.draw(st.fractions(-1, 1, max_denominator=5))
    stream = [
        (x, product(u, x) > threshold)
        for x, _ in data.draw(streams())
        if product(u, x) != threshold
    ]
    seen = Watched(learner, stream)
    assume(seen.rounds)
    plain = seen.without(CONSTANT)
    radius = sqrt_up(max(size(x) for x, _ in plain))
    margin = min(signed(y, product(u, x) - threshold) for x, y in plain)
    numbers = {
        "radius": radius,
        "margin": margin,
        "threshold": threshold,
        "bias": Fraction(bias),
    }
    certificate = made(learner, stream, "PERC-BIAS", vector(u), numbers)
    accepted(certificate, stream)
    nothing_to_shave(certificate, stream, "radius", "margin", "bias")
    if len({y for _, y in plain}) == 2 and abs(bias) >= radius:
        gap = min(product(u, x) for x, y in plain if y) - max(
            product(u, x) for x, y in plain if not y
        )
        numbers = {
            "radius": Fraction(abs(bias)),
            "gap": gap,
            "norm": sqrt_up(size(u)),
        }
        certificate = made(learner, stream, "PERC-GAP", vector(u), numbers)
        accepted(certificate, stream)
        nothing_to_shave(certificate, stream, "radius", "gap", "norm")


PASSIVE = [
    linear.PassiveAggressive(mode=None),
    linear.PassiveAggressive(mode=None, bias=0.5),
    linear.PassiveAggressive(0.1),
    linear.PassiveAggressive(2.0, bias=0.5),
    linear.PassiveAggressive(0.1, "II", bias=0.5),
    linear.PassiveAggressive(2, "II"),
]
OF_MODE = {None: "PA-SEP", "I": "PA1", "II": "PA2"}


def of_losses(mode: str | None, c: float, losses: list[Fraction]) -> dict[str, Any]:
    if mode is None:
        return {}
    squares = {"hinge_squares": sum((d * d for d in losses), ZERO)}
    return {
        "aggressiveness": Fraction(c),
        **({"hinge": sum(losses, ZERO)} if mode == "I" else squares),
    }


@pytest.mark.parametrize("learner", PASSIVE, ids=repr)
@tried(0.5)
@given(data=st.data())
def test_passive_aggressive(learner: Any, data: st.DataObject) -> None:
    u = data.draw(directions(bias=learner.bias))
    stream = data.draw(streams())
    if learner.mode is None:
        stream = told(u, stream, learner.bias)
        margins = [
            abs(product(u, x) + u.get(CONSTANT, ZERO) * Fraction(learner.bias))
            for x, _ in stream
        ]
        assume(margins)
        u = {f: v / min(margins) for f, v in u.items()}
    seen = Watched(learner, stream)
    losses = seen.short(u, ONE)
    numbers = {"radius": seen.radius, "norm": sqrt_up(size(u))} | of_losses(
        learner.mode, learner.C, losses
    )
    theorem = OF_MODE[learner.mode]
    certificate = made(learner, stream, theorem, split(u), numbers)
    accepted(certificate, stream)
    nothing_to_shave(certificate, stream, *numbers)


MANY = [
    linear.MulticlassPerceptron(),
    linear.MulticlassPerceptron(["u", "v"], bias=0.5),
    linear.MulticlassPassiveAggressive(mode=None),
    linear.MulticlassPassiveAggressive(0.1, bias=0.5),
    linear.MulticlassPassiveAggressive(0.3, "II", classes=["w", "u"]),
]


def joined(x: Vector, right: Any, other: Any) -> Vector:
    return {(right, f): v for f, v in x.items()} | {
        (other, f): -v for f, v in x.items()
    }


def classes(U: Vector) -> dict[str, Any]:
    vectors = []
    for label in sorted({label for label, _ in U}):
        one = split({f: v for (c, f), v in U.items() if c == label})
        vectors.append([label, {"entries": one["entries"], "bias": one["bias"]}])
    return {"kind": "classes", "vectors": vectors}


@pytest.mark.parametrize("learner", MANY, ids=repr)
@tried(0.5)
@given(data=st.data())
def test_many_classes(learner: Any, data: st.DataObject) -> None:
    bias = learner.bias
    U = {
        (label, f): v
        for label in "uvw"
        for f, v in data.draw(directions(bias=bias)).items()
    }

    def score(x: Mapping[Any, float], label: str) -> Fraction:
        constant = U.get((label, CONSTANT), ZERO) * Fraction(bias)
        return product({f: v for (c, f), v in U.items() if c == label}, x) + constant

    stream = data.draw(streams(labels=st.sampled_from("uvw")))
    separate = getattr(learner, "mode", "none") is None
    margins = []
    if separate:
        kept = []
        for x, _ in stream:
            scores = sorted(((score(x, c), c) for c in "uvw"), reverse=True)
            if scores[0][0] > scores[1][0]:
                kept.append((x, scores[0][1]))
                margins.append(scores[0][0] - scores[1][0])
        stream = kept
        assume(margins)
        U = {f: v / min(margins) for f, v in U.items()}
    fresh, added, radius = learner.clone(), [], ZERO
    for x, y in stream:
        known = fresh.classes_
        scores = fresh.score_one(x)
        before = fresh.updates_
        said = fresh.play_one(x, y)
        changed = fresh.updates_ > before
        if said is None or (said == y and not changed):
            continue
        full = {f: Fraction(v) for f, v in x.items() if v}
        full |= {CONSTANT: Fraction(bias)} if bias else {}
        rivals = [c for c in known if c != y]
        other = max(rivals, key=scores.__getitem__) if rivals else None
        added.append(joined(full, y, other))
        radius = max(radius, size(full))
    norm = sqrt_up(size(U))
    if isinstance(learner, linear.MulticlassPerceptron):
        U = {f: v / norm for f, v in U.items()} if norm else U
        short = sum((max(ZERO, ONE - product(U, z)) for z in added), ZERO)
        numbers = {"radius": sqrt_up(radius), "margin": ONE, "deviation": short}
        certificate = made(learner, stream, "MCPERC-TD", classes(U), numbers)
    else:
        losses = [max(ZERO, 1 - product(U, z)) for z in added]
        numbers = {"radius": sqrt_up(radius), "norm": norm}
        numbers |= of_losses(learner.mode, learner.C, losses)
        theorem = "MC" + OF_MODE[learner.mode]
        record = learner.clone()
        wrong = sum(record.play_one(x, y) != y for x, y in stream)
        counted = Fraction(wrong - (learner.classes is None and bool(stream)))
        certificate = made(learner, stream, theorem, classes(U), numbers, counted)
    accepted(certificate, stream)
    nothing_to_shave(certificate, stream, *numbers.keys() - {"margin"})


def test_many_classes_that_separate() -> None:
    stream = [({"a": 1.0}, "u"), ({"b": 1.0}, "v"), ({"a": 1.0, "b": 2.0}, "v")] * 3
    U = {("u", "a"): ONE, ("v", "b"): ONE}
    numbers = {"radius": sqrt_up(Fraction(5)), "margin": ONE, "norm": sqrt_up(ONE * 2)}
    learner = linear.MulticlassPerceptron(["u", "v"])
    seen = [(x, y) for x, y in stream if learner.play_one(x, y) != y]
    assert seen
    numbers["radius"] = sqrt_up(
        max(size({f: Fraction(v) for f, v in x.items()}) for x, _ in seen)
    )
    certificate = made(learner.clone(), stream, "MCPERC-SEP", classes(U), numbers)
    accepted(certificate, stream)
    nothing_to_shave(certificate, stream, "radius", "margin", "norm")


@tried(0.5)
@given(data=st.data())
def test_winnow_with_demotion(data: st.DataObject) -> None:
    mu = data.draw(directions(positive=True))
    promotion = data.draw(st.sampled_from([1.25, 1.5, 2.0]))
    learner = linear.Winnow(threshold=3, promotion=promotion)
    gap = data.draw(st.sampled_from([Fraction(3, 5), ONE * 2 / 3, Fraction(9, 10)]))
    stream: list[Example] = [
        (x, product(mu, x) >= 1)
        for x, _ in data.draw(streams(UNIT))
        if product(mu, x) >= 1 or product(mu, x) <= 1 - gap
    ]
    seen = Watched(learner, stream)
    assume(seen.rounds)
    features = {f for x, *_ in seen.rounds for f in x}
    values = [v for x, *_ in seen.rounds for v in x.values()]
    numbers = {
        "features": Fraction(max(1, len(features))),
        "weight": sum(mu.values(), ZERO),
        "gap": gap,
        "threshold": Fraction(3),
        "promotion": Fraction(promotion),
        "smallest": min(values, default=ONE),
    }
    certificate = made(learner, stream, "WIN2-SEP", vector(mu), numbers)
    accepted(certificate, stream)
    nothing_to_shave(certificate, stream, "weight", "threshold", "promotion")
    if len(features) > 1:
        numbers["features"] -= 1
        lie = made(learner, stream, "WIN2-SEP", vector(mu), numbers)
        assert "features must be at least" in str(verify(lie, stream).wrong)
    numbers |= {"features": Fraction(9), "gap": Fraction(19, 20)}
    if any(product(mu, x) > Fraction(1, 20) for x, y, *_ in seen.rounds if not y):
        lie = made(learner, stream, "WIN2-SEP", vector(mu), numbers)
        assert "gap" in str(verify(lie, stream).wrong)


BITS = st.sampled_from([0.0, 1.0])


@tried(0.5)
@given(data=st.data())
def test_winnow_and_its_usual_targets(data: st.DataObject) -> None:
    raw = [x for x, _ in data.draw(streams(BITS))]
    relevant = data.draw(st.sets(st.sampled_from(NAMES), min_size=1))
    k = data.draw(st.sampled_from([k for k in (1, 2) if k <= len(relevant)]))
    ones = vector(dict.fromkeys(relevant, 1))
    r = Fraction(len(relevant))

    def labelled(level: int) -> list[Example]:
        return [(x, sum(x[f] for f in relevant) >= level) for x in raw]

    n = Fraction(3)
    for learner, theorem, level, numbers in (
        (
            linear.Winnow(threshold=4, eliminate=True),
            "WIN1",
            1,
            {
                "features": n,
                "relevant": r,
                "threshold": Fraction(4),
                "promotion": n - 1,
            },
        ),
        (
            linear.Winnow.for_disjunction(3),
            "WIN2-DISJ",
            1,
            {"features": n, "relevant": r},
        ),
        (
            linear.Winnow.for_threshold(3, k),
            "WIN2-KOFR",
            k,
            {"features": n, "relevant": r, "k": Fraction(k)},
        ),
        (
            linear.Winnow.for_gap(3, level=2, gap=1),
            "WIN2-GAP",
            2,
            {
                "features": n,
                "weight": r,
                "level": Fraction(2),
                "gap": ONE,
                "threshold": n,
                "smallest": ONE,
            },
        ),
    ):
        stream = labelled(level)
        certificate = made(learner, stream, theorem, ones, numbers)
        accepted(certificate, stream)
        if r > 1:
            name = "weight" if theorem == "WIN2-GAP" else "relevant"
            small = {**numbers, name: r - 1}
            if small.get("k", ONE) > small.get("relevant", ONE):
                continue
            wrong = verify(made(learner, stream, theorem, ones, small)).wrong
            assert name in str(wrong)


def test_winnow_must_be_the_winnow_of_the_theorem() -> None:
    stream: list[Example] = [({"a": 1.0}, True)]
    ones = vector({"a": 1})
    disjunction = {"features": 3, "relevant": 1}
    for learner, theorem, numbers, wrong in (
        (linear.Winnow(threshold=3), "WIN2-DISJ", disjunction, "promotion"),
        (linear.Winnow.for_disjunction(4), "WIN2-DISJ", disjunction, "threshold"),
        (
            linear.Winnow(threshold=3, promotion=1.5, eliminate=True),
            "WIN2-DISJ",
            disjunction,
            "eliminate",
        ),
        (
            linear.Winnow(threshold=3),
            "WIN1",
            {**disjunction, "threshold": 3, "promotion": 2},
            "eliminate",
        ),
        (
            linear.Winnow.for_threshold(3, 3),  # 1 + 1/6 is no double
            "WIN2-KOFR",
            {"features": 3, "relevant": 3, "k": 3},
            "entries of the witness",
        ),
    ):
        certificate = made(learner, stream, theorem, ones, numbers)
        assert wrong in str(verify(certificate).wrong)
    three = vector({"a": 1, "b": 1, "c": 1})
    learner = linear.Winnow.for_threshold(3, 3)
    numbers = {"features": 3, "relevant": 3, "k": 3}
    certificate = made(learner, stream, "WIN2-KOFR", three, numbers)
    assert "WIN2-SEP takes any" in str(verify(certificate).wrong)


@tried(0.5)
@given(data=st.data())
def test_balanced_winnow(data: st.DataObject) -> None:
    bias = data.draw(st.sampled_from([0.0, 0.5]))
    rate = data.draw(st.sampled_from([0.01, 0.25, 1.0]))
    learner = linear.BalancedWinnow(rate, scale=3, bias=bias)
    u = data.draw(directions(bias=bias))
    total = sum(map(abs, u.values()), ZERO)
    u = {f: v / total for f, v in u.items()} if total else u
    stream = data.draw(streams())
    seen = Watched(learner, stream)
    met = {f for x, *_ in seen.rounds for f in x} | u.keys()
    scale = max((abs(v) for x, *_ in seen.rounds for v in x.values()), default=ONE)
    margin = Fraction(rate) * scale**2  # so that the rate is at most twice as large
    numbers = {
        "features": Fraction(max(1, len(met))),
        "margin": margin,
        "deviation": sum(seen.short(u, margin), ZERO),
        "rate": Fraction(rate),
        "scale": scale,
    }
    certificate = made(learner, stream, "BWIN-ANY", split(u), numbers)
    accepted(certificate, stream)
    names = ("deviation", "rate", "scale") if seen.rounds else ("rate",)
    nothing_to_shave(certificate, stream, *names)
    if seen.rounds and len(met) > 1:
        fewer = {**numbers, "features": numbers["features"] - 1}
        lie = made(learner, stream, "BWIN-ANY", split(u), fewer)
        assert "features must be at least" in str(verify(lie, stream).wrong)


def test_balanced_winnow_at_its_best_rate() -> None:
    stream: list[Example] = [
        ({"a": 1.0, "b": y}, bool(y > 0)) for y in (1.0, -1.0, -1.0, 1.0)
    ] * 4
    learner = linear.BalancedWinnow.for_margin(1.0, norm=2.0, scale=1.0)
    numbers = {"features": 2, "margin": 1, "scale": 1, "norm": 2}
    certificate = made(learner, stream, "BWIN-SEP", vector({"b": 1}), numbers)
    accepted(certificate, stream)
    other = {**numbers, "margin": 0.5}
    lie = made(learner, stream, "BWIN-SEP", vector({"b": 1}), other)
    assert "BWIN-ANY takes any" in str(verify(lie).wrong)
    nothing_to_shave(certificate, stream, "margin", "norm", "scale")

    learner = linear.BalancedWinnow(0.5, scale=1.0, bias=1.0)
    numbers = {"features": 2, "gap": 2, "scale": 1, "norm": 1}
    certificate = made(learner, stream, "BWIN-GAP", vector({"b": 1}), numbers)
    accepted(certificate, stream)
    one_class = [(x, y) for x, y in stream if not y]
    certificate = made(learner, one_class, "BWIN-GAP", vector({"b": 1}), numbers)
    assert "both classes" in str(verify(certificate, one_class).wrong)


SECOND = [
    linear.SecondOrderPerceptron(0.5),
    linear.SecondOrderPerceptron(2.0, bias=0.5),
    linear.SecondOrderPerceptron(0.5, diagonal=False, bias=0.5),
    linear.SecondOrderPerceptron(1e-3, diagonal=False),
    linear.AROW(0.5, diagonal=False),
    linear.AROW(2, diagonal=False, bias=0.5),
]


def determinant(rows: list[list[Fraction]]) -> Fraction:
    rows, value = [list(row) for row in rows], ONE
    for i in range(len(rows)):  # positive definite: no pivot is 0
        value *= rows[i][i]
        for j in range(i + 1, len(rows)):
            factor = rows[j][i] / rows[i][i]
            rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
    return value


@pytest.mark.parametrize("learner", SECOND, ids=repr)
@tried(0.5)
@given(data=st.data())
def test_second_order(learner: Any, data: st.DataObject) -> None:
    u = data.draw(directions(bias=learner.bias))
    stream = data.draw(streams())
    seen = Watched(learner, stream)
    r = Fraction(learner.r)
    updates = [x for x, _, _, changed in seen.rounds if changed]
    names = sorted({f for x in [*updates, u] for f in x}, key=str)
    A = [
        [
            sum((x.get(f, ZERO) * x.get(g, ZERO) for x in updates), ZERO)
            * (f == g or not learner.diagonal)
            + r * (f == g)
            for g in names
        ]
        for f in names
    ]
    energy = sum(
        (u.get(f, ZERO) * A[i][j] * u.get(g, ZERO))
        for i, f in enumerate(names)
        for j, g in enumerate(names)
    )
    log_det = ln_bounds(determinant(A) / r ** len(names))[1] + Fraction(1, 10**12)
    numbers = {"energy": Fraction(energy), "log_det": log_det}
    if isinstance(learner, linear.AROW):
        theorem = "AROW"
        numbers["hinge"] = sum(seen.short(u, ONE), ZERO)
        numbers["margin_updates"] = Fraction(
            sum(said == y for _, y, said, _ in seen.rounds)
        )
    else:
        theorem = "SOP"
        numbers |= {"margin": ONE, "deviation": sum(seen.short(u, ONE), ZERO)}
    certificate = made(learner, stream, theorem, split(u), numbers)
    accepted(certificate, stream)
    nothing_to_shave(certificate, stream, *numbers.keys() - {"margin", "log_det"})
    if updates and any(updates):
        numbers["log_det"] -= Fraction(1, 10**9)
        assume(numbers["log_det"] >= 0)
        try:
            lie = made(learner, stream, theorem, split(u), numbers)
        except ValueError:  # no run has such numbers
            return
        assert not verify(lie, stream)


@pytest.mark.parametrize(
    "learner", [linear.AROW(0.5), linear.AROW(2, bias=0.5)], ids=repr
)
@tried(0.5)
@given(data=st.data())
def test_arow_with_a_diagonal(learner: Any, data: st.DataObject) -> None:
    u = data.draw(directions(bias=learner.bias))
    stream = data.draw(streams())
    seen = Watched(learner, stream)
    r, drift = Fraction(learner.r), ZERO
    updates = [x for x, _, _, changed in seen.rounds if changed]
    for x, mean in zip(updates, seen.means, strict=True):
        for f, v in x.items():
            drift += v**2 * (mean.get(f, ZERO) - u.get(f, ZERO)) ** 2 / r
    numbers = {
        "radius": seen.radius,
        "r": r,
        "norm": sqrt_up(size(u)),
        "hinge_squares": sum((d * d for d in seen.short(u, ONE)), ZERO),
        "drift": drift,
    }
    certificate = made(learner, stream, "AROW-DIAG", split(u), numbers)
    accepted(certificate, stream)
    nothing_to_shave(certificate, stream, *numbers)


KERNELS: list[tuple[Any, Callable[[Vector, Vector], tuple[Fraction, Fraction]]]] = [
    (linear.KernelPerceptron(), lambda x, z: (product(x, z),) * 2),
    (
        linear.KernelPerceptron("polynomial", degree=2, gamma=0.5, update="margin"),
        lambda x, z: ((product(x, z) / 2 + 1) ** 2,) * 2,
    ),
]


@pytest.mark.parametrize(("learner", "kernel"), KERNELS, ids=["linear", "polynomial"])
@tried(0.5)
@given(data=st.data())
def test_the_kernel_perceptron(
    learner: Any, kernel: Callable[..., Any], data: st.DataObject
) -> None:
    stream = data.draw(streams())
    points = [{f: Fraction(v) for f, v in x.items()} for x, _ in stream]
    c = {t: data.draw(SHARES) for t in range(min(4, len(stream)))}
    square = sum(
        (c[s] * c[t] * kernel(points[s], points[t])[0] for s in c for t in c), ZERO
    )
    root = sqrt_up(square)
    c = {t: v / root for t, v in c.items()} if root else dict.fromkeys(c, ZERO)
    fresh, short, radius = learner.clone(), ZERO, ZERO
    for point, (x, y) in zip(points, stream, strict=True):
        before = fresh.updates_
        fresh.play_one(x, y)
        if fresh.updates_ > before:
            score = sum((c[t] * kernel(points[t], point)[0] for t in c), ZERO)
            short += max(ZERO, 1 - signed(y, score))
            radius = max(radius, kernel(point, point)[0])
    u = {"kind": "expansion", "terms": [[t, as_text(v)] for t, v in c.items()]}
    numbers = {"radius": sqrt_up(radius), "margin": ONE, "deviation": short}
    certificate = made(learner, stream, "PERC-TD", u, numbers)
    accepted(certificate, stream)
    nothing_to_shave(certificate, stream, "radius", "deviation")
    far = {"kind": "expansion", "terms": [[len(stream), "0"]]}
    lie = replace(certificate, witness=far)
    assert "witness must name rounds" in str(verify(lie, stream).wrong)


@tried(0.5)
@given(data=st.data())
def test_the_gaussian_kernel(data: st.DataObject) -> None:
    learner = linear.KernelPerceptron("gaussian", gamma=0.5)
    stream = data.draw(streams())
    assume(stream)
    updates = (
        learner.clone()
        .fit([[x[f] for f in NAMES] for x, _ in stream], [y for _, y in stream])
        .updates_
    )
    u = {"kind": "expansion", "terms": [[0, "1"]]}
    numbers = {"radius": 1, "margin": 1, "deviation": 2 * updates}
    certificate = made(learner, stream, "PERC-TD", u, numbers)
    accepted(certificate, stream)
    longer = replace(certificate, witness={"kind": "expansion", "terms": [[0, "2"]]})
    assert "length of at most 1" in str(verify(longer, stream).wrong)


def test_the_gaussian_kernel_lies_between_whole_numbers() -> None:
    """A distance may have been rounded down to whole parts of 2^96."""
    chance = random.Random(1)  # noqa: S311 - no secret
    for bits in range(106):
        for number in (0, 2**bits, *(chance.getrandbits(bits) for _ in range(4))):
            low, high = decay(number)
            below, _ = exp_bounds(Fraction(-number - 1, 2**96))
            _, above = exp_bounds(Fraction(-number, 2**96))
            assert low <= below * 2**96
            assert min(above, ONE) * 2**96 <= high
            assert high - low <= 32


@pytest.mark.parametrize(("learner", "kernel"), KERNELS, ids=["linear", "polynomial"])
def test_lengths_and_margins_of_sums_are_exact(learner: Any, kernel: Any) -> None:
    points: list[Vector] = [
        {"a": Fraction(1, 4), "b": Fraction(3)},
        {"a": Fraction(-5, 8)},
        {},
        {"b": Fraction(7, 2), "a": Fraction(1, 2)},
    ]
    signs, c = (1, -1, -1, 1), (Fraction(1, 3), ZERO, Fraction(-2), Fraction(5, 7))
    terms = [[t, as_text(c[t])] for t in range(4)]
    proof: Any = PROOFS["KernelPerceptron", "PERC-TD"](
        learner.get_params(),
        {"kind": "expansion", "terms": terms},
        {"radius": ONE, "margin": ONE, "deviation": ONE},
    )
    measured: dict[str, list[Fraction]] = {"length": [], "stretch": [], "fall": []}
    for name, kept in measured.items():
        setattr(proof, name, kept.append)
    for point, sign in zip(points, signs, strict=True):
        x = {f: float(v) for f, v in point.items()}
        proof.round(x, sign > 0, True, True, None)
    with pytest.raises(Unsound):  # these were no mistakes
        proof.close({"updates": Fraction(4)})
    K = [[kernel(x, z)[0] for z in points] for x in points]
    every = range(4)
    length = sum(c[s] * c[t] * K[s][t] for s in every for t in every)
    assert measured["length"] == [length]
    assert measured["stretch"] == [K[t][t] for t in every]
    falls = [signs[t] * sum(c[s] * K[s][t] for s in every) for t in every]
    assert measured["fall"] == falls
    w = sum(signs[s] * signs[t] * K[s][t] for s in every for t in every)
    assert proof.sum_square() == w


def test_points_far_apart_are_compared_exactly_enough() -> None:
    """Values from 2^-60 to 2^60 share one unit, and only equal ones have distance 0."""
    learner = linear.KernelPerceptron("gaussian", gamma=2.0**-20)
    values = (2.0**-60, -(2.0**-60), 1.0, 1.0, 2.0**60, 0.75)
    stream: list[Example] = [({"a": v}, t % 2 == 0) for t, v in enumerate(values)]
    numbers = {"radius": 1, "margin": 1, "deviation": len(stream) + 2}
    halves = [[2, "1/2"], [3, "1/2"]]
    u = {"kind": "expansion", "terms": halves}
    accepted(made(learner, stream, "PERC-TD", u, numbers), stream)
    u = {"kind": "expansion", "terms": [*halves, [5, str(Fraction(1, 2**80))]]}
    longer = made(learner, stream, "PERC-TD", u, numbers)
    assert "length of at most 1" in str(verify(longer, stream).wrong)


def test_the_perceptrons_worst_case_is_accepted_and_leaves_nothing_to_spare() -> None:
    stream: list[Example] = [({i: 1.0}, False) for i in range(16)]
    u = vector(dict.fromkeys(range(16), -0.25))
    numbers = {"radius": 1, "margin": 0.25, "norm": 1}
    certificate = made(linear.Perceptron(), stream, "PERC-SEP", u, numbers)
    assert certificate.slack == 0
    accepted(certificate, stream)


def test_rounding_that_breaks_the_perceptrons_proof_is_told() -> None:
    """The score of the second example is 0 in doubles, and below 0 in truth."""
    t = 2.0**-30
    stream: list[Example] = [
        ({"a": 1.0, "t": t, "b": 1.0}, False),
        ({"a": 1.0, "t": t, "b": -1.0}, False),
    ]
    u = vector({"a": -1})
    square = 2 + Fraction(t) ** 2
    numbers = {"radius": sqrt_up(square), "margin": 1, "norm": 1}
    certificate = made(linear.Perceptron(), stream, "PERC-SEP", u, numbers)
    assert certificate.updates == 2
    assert verify(certificate)
    assert "rounding broke the proof" in str(verify(certificate, stream).wrong)
    numbers["radius"] = Fraction(1415, 1000)
    accepted(made(linear.Perceptron(), stream, "PERC-SEP", u, numbers), stream)


def test_winnow_must_leave_the_gap_on_false_alarms() -> None:
    stream: list[Example] = [({"a": 1.0, "b": 1.0}, False), ({"a": 1.0}, True)]
    learner = linear.Winnow(threshold=2, promotion=1.5)
    numbers = {
        "features": 2,
        "weight": Fraction(3, 2),
        "gap": Fraction(1, 2),
        "threshold": 2,
        "promotion": 1.5,
        "smallest": 1,
    }
    for entries, wrong in (
        ({"a": Fraction(1, 2)}, "reach the level"),
        ({"a": 1}, "leave the gap"),  # reaches 1 on the no
        ({"a": Fraction(3, 4)}, "leave the gap"),  # above 1 - 1/2, yet below 1
    ):
        lie = made(learner, stream, "WIN2-SEP", vector(entries), numbers)
        assert wrong in str(verify(lie, stream).wrong)
    fair = [(x, not y) for x, y in stream]
    certificate = made(learner, fair, "WIN2-SEP", vector({"b": 1}), numbers)
    accepted(certificate, fair)


@tried(0.5)
@given(
    rows=st.lists(
        st.lists(VALUES.map(Fraction), min_size=3, max_size=3), min_size=1, max_size=4
    ),
    r=st.sampled_from([Fraction(1, 1000), Fraction(1, 2), Fraction(7)]),
    signs=st.lists(st.sampled_from([ONE, -ONE]), min_size=4, max_size=4),
)
def test_bounds_on_matrices_are_bounds_and_near(
    rows: list[list[Fraction]], r: Fraction, signs: list[Fraction]
) -> None:
    """Both ways agree with rationals, from above, and leave next to nothing."""
    s = signs[: len(rows)]
    gram = [[dot(x, z) for z in rows] for x in rows]
    columns = list(zip(*rows, strict=True))
    grown = [[dot(a, b) for b in columns] for a in columns]
    v = [dot(s, column) for column in columns]
    A = [[g + r * (i == j) for j, g in enumerate(row)] for i, row in enumerate(grown)]
    true = solved(A, v)
    low, high = ln_bounds(determinant(A) / r**3)
    for matrix in (Damped(gram, r), Damped(grown, r)):
        assert low <= matrix.log_det() <= high + Fraction(1, 10**15)
    for value in (Damped(gram, r).energy(s), Damped(grown, r).inverse_form(v)):
        assert true <= value <= true * (1 + Fraction(1, 10**12)) + Fraction(1, 10**20)


def dot(left: Any, right: Any) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), ZERO)


def solved(A: list[list[Fraction]], v: list[Fraction]) -> Fraction:
    """Return v'A^-1 v, by the determinant of A bordered by v and 1."""
    bordered = [*([*row, x] for row, x in zip(A, v, strict=True)), [*v, ONE]]
    return 1 - expanded(bordered) / determinant(A)


def expanded(rows: list[list[Fraction]]) -> Fraction:
    if not rows:
        return ONE
    return sum(
        (
            (-1) ** j
            * rows[0][j]
            * expanded([row[:j] + row[j + 1 :] for row in rows[1:]])
            for j in range(len(rows))
        ),
        ZERO,
    )
