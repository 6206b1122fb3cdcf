"""What the tests of the learners from regrets share: streams, theorems, decimals."""

from __future__ import annotations

import csv
import decimal
import gzip
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from data import data_file
from littlestone import losses
from littlestone.losses import as_loss
from littlestone.outcome import Outcome
from littlestone.theorems import Number, Theorem


def power(p: float, y: float) -> float:
    """Return a loss that the native core does not know."""
    return math.sqrt(abs(p - y)) * abs(p - y)


FORMS = ("opera", "published")
REAL = ("electric", "regional", "trump")
LOSSES = (
    "square",
    "absolute",
    losses.pinball(0.8),
    "percentage",
    "log",
    "brier",
    "zero-one",
    losses.custom(power),
)

_WIDE = ("log", "percentage", "brier")  # which exceed 1

# A round is advice and an outcome; somebody who joins, a share of the prior.
Event = tuple[dict[Any, float], float] | float


# Streams ------------------------------------------------------------------------------


def real(name: str) -> tuple[list[str], list[list[float]], list[float]]:
    """Return the experts, their advice and the outcomes of a real stream."""
    path, outcome, first = {
        "electric": ("opera-electric-load/opera_experts.csv.gz", "y", 1),
        "regional": ("opera-regional-load/regional_experts.csv.gz", "y", 2),
        "trump": ("trump-approval/trump_approval.csv.gz", "five_thirty_eight", 2),
    }[name]
    text = gzip.decompress(data_file(path).read_bytes()).decode()
    head, *rows = csv.reader(io.StringIO(text))
    advice = [[float(cell) for cell in row[first:]] for row in rows]
    return head[first:], advice, [float(row[head.index(outcome)]) for row in rows]


@dataclass(frozen=True)
class Case:
    """A learner's parameters, and what happens to it."""

    parameters: dict[str, Any]
    events: list[Event]


@st.composite
def cases(draw: st.DrawFn, loss: Any = None, form: str | None = None) -> Case:
    """Draw losses, forms, slopes, priors, sleepers and joiners, large and small."""
    form = form or draw(st.sampled_from(FORMS))
    loss = loss or draw(st.sampled_from(LOSSES))
    known = as_loss(loss)
    gradient = known.slope is not None and draw(st.booleans())
    n = draw(st.integers(1, 10))
    priors = draw(st.lists(st.integers(1, 9), min_size=n, max_size=n))
    experts = dict(enumerate(priors)) if draw(st.booleans()) else n
    scale = 1.0
    if form == "opera" and known.outcome is Outcome.NUMBER:
        scale = draw(st.sampled_from([1.0, 1e-3, 1e5, 1e60]))
    unit = st.floats(0.1, 0.9)
    if known.outcome is Outcome.LABEL:
        unit = st.sampled_from([0.0, 1.0])
    outcome = (
        st.sampled_from([0.0, 1.0]) if known.outcome is not Outcome.NUMBER else unit
    )
    events: list[Event] = []
    for _ in range(draw(st.integers(1, 30))):
        if events and draw(st.integers(0, 9)) == 0:
            events.append(draw(st.sampled_from([0.5, 0.25, 0.3, 1e-6])))
            n += 1
        awake = draw(st.lists(st.booleans(), min_size=n, max_size=n))
        awake[draw(st.integers(0, n - 1))] = True
        said = {i: draw(unit) * scale for i in range(n) if awake[i]}
        events.append((said, draw(outcome) * scale))
    # Slopes of the log loss are at most 10, and no other loss or slope exceeds 8.
    limits = (-10.0, 10.0) if gradient or known.name in _WIDE else None
    parameters = {
        "loss": loss,
        "form": form,
        "gradient": gradient,
        "range": limits if form == "published" else None,
        "experts": experts if isinstance(experts, dict) else list(range(experts)),
    }
    return Case(parameters, events)


def adversary(kind: str, n: int, rounds: int, seed: int) -> Iterator[Any]:
    """Make losses in [0, 1] from the weights, round by round."""
    rng = np.random.default_rng(seed)
    good = int(rng.integers(n))
    for t in range(rounds):

        def suffer(weights: Any, t: int = t) -> Any:
            charged = np.ones(n)
            if kind == "lots":
                charged = rng.integers(0, 2, n).astype(float)
            elif kind == "against the heaviest":
                charged = np.zeros(n)
                charged[np.argmax(weights)] = 1.0
            elif kind == "one is right":
                charged[good] = 0.0
            elif kind == "who is right changes":
                charged[4 * t // rounds % n] = 0.0
            else:  # small and large
                charged = rng.random(n) * 10.0 ** rng.integers(-6, 1)
            return charged

        yield suffer


ADVERSARIES = (
    "lots",
    "against the heaviest",
    "one is right",
    "who is right changes",
    "small and large",
)


# Twins --------------------------------------------------------------------------------


def equal(learner: Any, twin: Any, events: list[Event]) -> None:
    """Hold every bit of a learner against its twin."""
    for event in events:
        if isinstance(event, float):
            name = len(learner.experts_)
            learner.join(name, event)
            twin.join(name, event)
        else:
            x, y = event
            before = learner.predict_one(x)
            assert learner.play_one(x, y) == before
            assert before == twin.play(x, y), (x, y)
        assert dict(learner.weights_) == twin.weights
        assert learner.loss_ == twin.own.value()
        assert learner.updates_ == twin.updates
        for i in learner.experts_:
            assert learner.losses_[i] == twin.losses[i].value()
            assert learner.own_losses_[i] == twin.own.minus(twin.slept[i])


# Theorems -----------------------------------------------------------------------------


@dataclass
class Held:
    """A learner whose regrets are held against its theorem in every round."""

    learner: Any
    names: list[Any]
    priors: list[float]
    rounds: int = 0
    regrets: list[float] = field(default_factory=list)
    closest: float = 0.0

    def __post_init__(self) -> None:
        n = len(self.names)
        total = math.fsum(self.priors)
        self.priors = [prior / total for prior in self.priors]
        self.start, self.begun = n, list(self.priors)
        self.regrets, self.squares = [0.0] * n, [0.0] * n
        self.first, self.largest, self.last = [0.0] * n, [0.0] * n, [0.0] * n
        self.jumps = 0 if self.theorem.id == "ML-PROD" else -1
        self.rates = [self._rate(i) for i in range(n)]
        self.first_scale = 0.0

    @property
    def theorem(self) -> Theorem:
        """The one theorem that the learner names."""
        (theorem,) = self.learner.guarantees
        return theorem  # type: ignore[no-any-return]  # of any learner

    def join(self, name: Any, prior: float) -> None:
        """Let one more in."""
        self.learner.join(name, prior)
        self.names.append(name)
        shrunk = [p * (1 - prior) for p in self.priors]
        # What no regret has used yet is not what a rate was set by.
        self.begun = [
            b if v else p
            for b, v, p in zip(self.begun, self.squares, shrunk, strict=True)
        ]
        self.priors, self.begun = [*shrunk, prior], [*self.begun, prior]
        for numbers in (
            self.regrets,
            self.squares,
            self.first,
            self.largest,
            self.last,
        ):
            numbers.append(0.0)
        self.rates = [eta or self._rate(i) for i, eta in enumerate([*self.rates, 0.0])]

    def play(self, x: dict[Any, float], y: float) -> None:
        """Play a round, and hold the bound of everyone against it."""
        learner, loss = self.learner, as_loss(self.learner.loss)
        own = learner.loss_
        said = learner.play_one(x, y)
        own = learner.loss_ - own
        low, high = learner.range or (0.0, 1.0)
        width = high - low if learner.form == "published" else 1.0
        if learner.gradient:
            slope = loss.slope(said, y)  # type: ignore[misc]  # or it was refused
            r = {i: slope * (said - f) / width for i, f in x.items()}
        else:
            charges = {i: float(loss.value(f, y)) for i, f in x.items()}
            own = (
                float(loss.value(said, y)) if loss.outcome is not Outcome.LABEL else own
            )
            own = max(own, low) if learner.form == "published" else own
            r = {i: (own - charge) / width for i, charge in charges.items()}
        self.learn([r.get(name, 0.0) for name in self.names])

    def learn(self, r: list[float]) -> None:
        """Add the regrets of a round up, and hold everyone's bound against them."""
        self.rounds += 1
        new = [not f and bool(x) for f, x in zip(self.first, r, strict=True)]
        below = [
            eta * x < -2 / 3 if x else False
            for eta, x in zip(self.rates, r, strict=True)
        ]
        if self.theorem.id == "ML-PROD":
            self.jumps += self.rounds > 1 and any(below)
        else:
            self.jumps += any(new) or any(below)
        self.first_scale = self.first_scale or max(map(abs, r))
        for i, x in enumerate(r):
            self.regrets[i] += x
            self.squares[i] += x * x
            self.first[i] = self.first[i] or x * x
            self.largest[i] = max(self.largest[i], abs(x))
            self.rates[i] = min(self.rates[i], self._rate(i))
        for i, regret in enumerate(self.regrets):
            # A bound never shrinks, so that one computed before still holds.
            if regret > self.last[i] or self.rounds == 1:
                self.hold(i, regret)

    def _rate(self, i: int) -> float:
        """Return the rate of opera's forms, by which jumps are counted."""
        v = self.squares[i]
        if self.theorem.id == "BOA":
            return 1 / math.sqrt(2.2 * v) if v else math.inf
        even = math.sqrt(math.log(len(self.names)) / (1 + v))
        return min(even, 1 / (2 * self.largest[i])) if self.largest[i] else even

    def hold(self, i: int, regret: float) -> None:
        """Hold the bound of an expert against its regret."""
        if len(self.names) == 1:
            assert regret == 0
            return
        up = 1 + 1e-9
        numbers: dict[str, Number] = {"squares": self.squares[i] * up}
        if self.theorem.id != "BOA":
            numbers["rounds"] = self.rounds
        match self.theorem.id:
            case "ML-POLY":
                scale = max(self.largest) * up
                if scale == 0:
                    assert regret == 0
                    return
                published = self.learner.form == "published"
                first = self.first_scale / up
                numbers |= {"scale": 1.0} if published else {}
                numbers |= {} if published else {"scale": scale, "first": first}
            case "ML-PROD":
                numbers |= {"scale": max(self.largest) * up, "jumps": self.jumps}
            case "BOA":
                pairs = zip(self.squares, self.first, strict=True)
                growth = max((v / f for v, f in pairs if f), default=1.0)
                numbers |= {"growth": growth * up, "jumps": max(self.jumps, 0)}
            case "BOA-PUB":
                numbers["heaviest"] = min(max(self.begun) * up, 1.0)
                numbers["start"] = min(self.begun[i] * up, 1.0)
        if self.theorem.id in ("ML-PROD", "ML-PROD-PUB"):
            numbers |= {"experts": len(self.names), "start": self.start}
        bound = self.theorem.bound(prior=min(self.priors[i] / up, 1.0), **numbers)
        slack = 1e-9 * (bound + max(self.largest))
        assert regret <= bound + slack, (self.theorem.id, i, self.rounds, numbers)
        self.last[i] = bound
        self.closest = max(self.closest, regret / bound if bound else 0.0)


# Decimals -----------------------------------------------------------------------------


class InDecimals:
    """The three rules by their formulas, in numbers that neither vanish nor overflow.

    Experts have equal priors and nobody joins.
    """

    def __init__(self, rule: str, n: int) -> None:
        self.rule, self.n = rule, n
        self.context = decimal.Context(prec=60, Emax=10**9, Emin=-(10**9))
        zero = Decimal(0)
        self.total, self.squares, self.largest = [zero] * n, [zero] * n, [zero] * n
        self.rates = [self.rate(i) for i in range(n)]

    def rate(self, i: int) -> Decimal:
        """Return opera's rate."""
        c, v = self.context, self.squares[i]
        if self.rule == "MLProd":
            even = c.sqrt(c.divide(c.ln(Decimal(self.n)), c.add(Decimal(1), v)))
            most = self.largest[i]
            return min(even, c.divide(Decimal(1), 2 * most)) if most else even
        if not v or self.rule == "MLPoly":
            return Decimal(0)
        return c.divide(Decimal(1), c.sqrt(c.multiply(Decimal("2.2"), v)))

    def weights(self, awake: list[bool]) -> list[float]:
        """Return the weights of those awake."""
        c = self.context
        raw = [Decimal(0)] * self.n
        on = [i for i in range(self.n) if awake[i]]
        if self.rule == "MLPoly":
            most = max(self.largest)
            for i in on:
                if self.total[i] > 0:
                    over = c.add(c.multiply(most, most), self.squares[i])
                    raw[i] = c.divide(self.total[i], over)
        else:
            for i in on:
                if self.rates[i]:
                    log = self.total[i]
                    if self.rule == "BOA":
                        log = c.multiply(self.rates[i], log)
                    raw[i] = c.multiply(self.rates[i], c.exp(log))
        if self.rule == "BOA":
            known = [i for i in on if self.rates[i]]
            share = self._sum(raw)
            for i in on:
                scaled = len(known) * raw[i]
                raw[i] = c.divide(scaled, share) if i in known else Decimal(1)
        if not any(raw):
            raw = [Decimal(int(a)) for a in awake]
        together = self._sum(raw)
        return [float(c.divide(w, together)) for w in raw]

    def learn(self, regrets: list[Decimal]) -> None:
        """Learn from the regrets of a round."""
        c = self.context
        for i, r in enumerate(regrets):
            old = self.rates[i]
            self.squares[i] = c.add(self.squares[i], c.multiply(r, r))
            self.largest[i] = max(self.largest[i], abs(r))
            self.rates[i] = new = self.rate(i)
            if self.rule == "MLProd":
                kept = c.multiply(c.divide(new, old), self.total[i])
                grown = c.ln(c.add(Decimal(1), c.multiply(new, r)))
                self.total[i] = c.add(kept, grown)
            else:
                less = c.multiply(new, c.multiply(r, r))
                self.total[i] = c.add(self.total[i], c.subtract(r, less))

    def _sum(self, numbers: list[Decimal]) -> Decimal:
        total = Decimal(0)
        for number in numbers:
            total = self.context.add(total, number)
        return total


def near_decimals(learner: Any, rounds: list[tuple[dict[int, float], float]]) -> None:
    """Hold a learner of absolute losses in opera's form against the decimals."""
    n = max(map(len, (x for x, _ in rounds)))
    exact = InDecimals(type(learner).__name__, n)
    for x, y in rounds:
        awake = [i in x for i in range(n)]
        weights = exact.weights(awake)
        said = learner.predict_one(x)
        top = max(abs(f) for f in x.values())
        expected = math.fsum(w * x.get(i, 0.0) for i, w in enumerate(weights))
        assert said == pytest.approx(expected, rel=1e-9, abs=1e-9 * top), (x, y)
        learner.play_one(x, y)
        # Losses are rounded to doubles, and all else is made of these.
        own = abs(said - y)
        exact.learn([Decimal(own - abs(x.get(i, said) - y)) for i in range(n)])
        mine = [learner.weights_[i] for i in range(n)]
        assert mine == pytest.approx(exact.weights([True] * n), rel=1e-6, abs=1e-12)


def prior_of(parameters: dict[str, Any]) -> tuple[list[Any], list[float]]:
    """Return the names and priors that parameters give."""
    experts = parameters["experts"]
    given = [*experts.values()] if isinstance(experts, dict) else [1.0] * len(experts)
    return list(experts), given


def holds(made: type[Any], case: Case) -> None:
    """Hold a learner's theorem against all that happens to it."""
    held = Held(made(**case.parameters), *prior_of(case.parameters))
    for event in case.events:
        if isinstance(event, float):
            held.join(len(held.names), event)
        else:
            held.play(*event)


def holds_against(
    made: type[Any], form: str, kind: str, scale: str, priors: list[float]
) -> float:
    """Hold it against an adversary; return how near it came to the bound."""
    n, rounds = len(priors), 120
    experts = dict(enumerate(priors))
    held = Held(made("absolute", form=form, experts=experts), [*experts], priors)
    for t, suffer in enumerate(adversary(kind, n, rounds, seed=n + len(kind))):
        unit = {"steady": 1.0, "growing": 1.2**t, "spike": 1e4 if t == 60 else 1.0}
        charges = suffer(np.array(list(held.learner.weights_.values()))) * unit[scale]
        asleep = (t + 1) % 7 if "lots" in kind else n
        awake = {i: float(c) for i, c in enumerate(charges) if i != asleep}
        held.play(awake, 0.0)
    for i, regret in enumerate(held.regrets):
        held.hold(i, regret)
    return held.closest


def holds_on_real(made: type[Any], form: str, name: str, *, gradient: bool) -> None:
    """Hold it on a real stream, every fifth expert's advice of a round left out."""
    names, advice, outcomes = real(name)
    far = max(abs(f - y) for row, y in zip(advice, outcomes, strict=True) for f in row)
    most = 2 * far * max(map(max, advice)) if gradient else far**2
    limits = (-most if gradient else 0.0, most) if form == "published" else None
    learner = made("square", form=form, gradient=gradient, range=limits, experts=names)
    held = Held(learner, list(names), [1.0] * len(names))
    for t, (row, y) in enumerate(zip(advice, outcomes, strict=True)):
        pairs = enumerate(zip(names, row, strict=True))
        held.play({name: f for i, (name, f) in pairs if (t + 2 * i) % 5}, y)
    # Slopes bound what is lost, as the loss is convex.
    width = 1.0 if limits is None else limits[1] - limits[0]
    for expert, regret in zip(names, held.regrets, strict=True):
        assert learner.regret_[expert] <= regret * width + 1e-6 * most
