r"""Witnesses for learners that follow slopes: a vector with little loss and regret.

A theorem bounds the learner's loss by that of $u$ and a penalty that grows with $u$.
The search makes their sum small, so that the certificate says as much as it can about
the loss. The updates are replayed, since the penalty depends on how the weights moved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import theorems
from littlestone.errors import ParameterError, PremiseError
from littlestone.losses import as_loss
from littlestone.theorems import coin_regret
from littlestone.theorems._rounding import float_up
from littlestone.verifying._reading import play
from littlestone.verifying.proofs._bounds import loss_bounds
from littlestone.verifying.proofs._exact import dot
from littlestone.verifying.proofs.gradients import entropy_up, gain_of, jump, over
from littlestone.verifying.twins import TWINS
from littlestone.weighted import unweighted
from littlestone.witnesses._candidate import Candidate
from littlestone.witnesses._examples import size_up, vector

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from littlestone.running.examples import KeptExamples

    Floats = NDArray[np.float64]

__all__ = [
    "ada_grad",
    "aioli",
    "coin_betting",
    "exponentiated_gradient",
    "ftrl",
    "gradient_descent",
    "minimised",
    "vovk_azoury_warmuth",
]

_SLACK = 1 + 1e-9  # more than the rounding of the sums below
_STEPS = 60
_MEMORY = 8
_PRECISE = 1e-6  # a step that gains less than this share ends the search
_MOST_HALVINGS = 30


@dataclass
class Played:
    """What the rounds with a slope were like, as sparse rows of values as scored."""

    offsets: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Floats
    before: Floats  # the weight of each value when it was scored
    rows: NDArray[np.int64]  # of each value
    scores: Floats
    slopes: Floats
    held: Floats  # slopes as far as they count
    labels: Floats
    weights: Floats  # how often the rounds count
    own: Floats
    more: Floats  # for each value or row, what the theorem of the learner needs
    width: int
    twin: Any

    @classmethod
    def of(cls, name: str, kept: KeptExamples, parameters: Mapping[str, Any]) -> Played:
        """Play the rounds again with the twin of the learner."""
        twin = TWINS[name](**parameters)
        places = {feature: at for at, feature in enumerate(kept.features)}
        places[twin] = len(places)
        ends, columns, values, before, more = [0], [], [], [], list[float]()
        scores, slopes, held, own = [], [], [], []
        weights = []
        for x, y in kept:
            play(twin, x, *unweighted(y))
            scores.append(twin.scored)
            slopes.append(twin.slope)
            held.append(getattr(twin, "held", twin.slope))
            own.append(twin.paid)
            weights.append(getattr(twin, "counts", 1.0))
            for feature, value in twin.used.items():
                columns.append(places[feature])
                values.append(value)
                before.append(getattr(twin, "before", {}).get(feature, 0.0))
                if name in _NEEDED:
                    more.append(_NEEDED[name](twin, feature))
            if name == "VovkAzouryWarmuth":
                more.append(twin.spread / (1.0 + twin.spread))
            if name == "AIOLI":
                more += (twin.bend, *gain_of(twin))
            ends.append(len(columns))
        offsets = np.array(ends)
        return cls(
            offsets,
            np.array(columns, dtype=np.int64),
            np.array(values, dtype=np.float64),
            np.array(before, dtype=np.float64),
            np.repeat(np.arange(len(kept)), np.diff(offsets)),
            np.array(scores, dtype=np.float64),
            np.array(slopes, dtype=np.float64),
            np.array(held, dtype=np.float64),
            kept.labels.astype(np.float64),
            np.array(weights, dtype=np.float64),
            np.array(own, dtype=np.float64),
            np.array(more, dtype=np.float64),
            len(places),
            twin,
        )

    def exactly(self, row: int, u: Floats) -> Fraction:
        """Return the score of one row by a vector."""
        here = slice(self.offsets[row], self.offsets[row + 1])
        weights = u[self.columns[here]].tolist()
        return dot(zip(weights, self.values[here].tolist(), strict=True))

    def scores_of(self, u: Floats) -> Floats:
        """Return the score of each row by a vector."""
        parts = self.values * u[self.columns]
        scores = np.bincount(self.rows, parts, minlength=len(self.scores))
        return scores.astype(np.float64)

    def by_column(self, values: Floats) -> Floats:
        """Add up one number for each value, by column."""
        sums = np.bincount(self.columns, values, minlength=self.width)
        return sums.astype(np.float64)


# What a theorem needs to know of each value of a round.
_NEEDED: dict[str, Callable[[Any, Any], float]] = {
    "AdaGrad": lambda twin, name: math.sqrt(twin.squares[name]) / twin.step,
    "FTRL": lambda twin, name: float(twin.steps[name]),
    "ExponentiatedGradient": lambda twin, name: twin.scale * jump(*twin.moves[name]),
}
_Penalty = Any  # takes a vector; returns a number and its gradient


def gradient_descent(
    kept: KeptExamples, parameters: Mapping[str, Any], witness: Any = None
) -> list[Candidate]:
    """Return the bound `OGD` on the regret of gradient descent.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._gradients import gradient_descent
    >>> from littlestone.linear import GradientDescent
    >>> stream = [({"a": 1.0}, 2.0), ({"a": 2.0}, 4.0)] * 4
    >>> record = run(GradientDescent("square", bias=0), stream, keep="updates")
    >>> gradient_descent(record.examples, record.learner.parameters)[0].theorem.id
    'OGD'
    """
    played = Played.of("GradientDescent", kept, parameters)
    rate = float(parameters["rate"])
    u = _found(
        played,
        parameters,
        lambda v: (float(v @ v) / (2 * rate), v / rate),
        kept,
        witness,
    )
    squares = np.square(played.slopes[played.rows] * played.values)
    numbers = {
        "rate": parameters["rate"],
        "squares": math.fsum(squares.tolist()) * _SLACK,
        "norm": size_up(u),
    }
    return [_candidate(theorems.OGD, played, parameters, u, kept, numbers)]


def ada_grad(
    kept: KeptExamples, parameters: Mapping[str, Any], witness: Any = None
) -> list[Candidate]:
    """Return the bound `ADAGRAD` on the regret of AdaGrad.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._gradients import ada_grad
    >>> from littlestone.linear import AdaGrad
    >>> stream = [({"a": 1.0}, True), ({"b": 2.0}, False)] * 4
    >>> record = run(AdaGrad(), stream, keep="updates")
    >>> ada_grad(record.examples, record.learner.parameters)[0].theorem.id
    'ADAGRAD'
    """
    played = Played.of("AdaGrad", kept, parameters)
    rises = _rises(played)
    total = played.by_column(rises)
    pulled = played.by_column(rises * played.before)
    start = float(np.sum(rises * played.before**2))

    def penalty(v: Floats) -> tuple[float, Floats]:
        drift = float(total @ v**2 - 2 * (pulled @ v)) + start
        return drift / 2, total * v - pulled

    u = _found(played, parameters, penalty, kept, witness)
    gradients = played.slopes[played.rows] * played.values
    damped = np.where(played.more > 0, played.more, 1.0)
    drift = rises * np.square(u[played.columns] - played.before)
    numbers = {
        "drift": math.fsum(drift.tolist()) * _SLACK,
        "energy": math.fsum((np.square(gradients) / damped).tolist()) * _SLACK,
    }
    return [_candidate(theorems.ADAGRAD, played, parameters, u, kept, numbers)]


def _rises(played: Played) -> Floats:
    """Return by how much the inverse of its rate rose with each value, or more."""
    order = np.argsort(played.columns, kind="stable")
    columns, damped = played.columns[order], played.more[order]
    earlier = np.concatenate(([0.0], damped[:-1]))
    first = np.concatenate(([True], columns[1:] != columns[:-1]))[: len(columns)]
    rise = damped - np.where(first, 0.0, earlier[: len(columns)])
    rises = np.empty(len(columns))
    rises[order] = np.maximum(0.0, rise) + damped * 2.0**-48
    return rises


def coin_betting(
    kept: KeptExamples, parameters: Mapping[str, Any], witness: Any = None
) -> list[Candidate]:
    """Return the bound `COIN` on the regret of coin betting.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._gradients import coin_betting
    >>> from littlestone.linear import CoinBetting
    >>> stream = [({"a": 1.0}, True), ({"b": 2.0}, False)] * 4
    >>> record = run(CoinBetting(), stream, keep="updates")
    >>> coin_betting(record.examples, record.learner.parameters)[0].theorem.id
    'COIN'
    """
    played = Played.of("CoinBetting", kept, parameters)
    twin = played.twin
    wealth, first = _starts(played, kept, parameters)
    names = [*kept.features, twin]
    most = np.ones(played.width)
    turns = np.zeros(played.width)
    for at, name in enumerate(names):
        if name in twin.wealth:
            most[at] = twin.scale or twin.steepest * twin.largest[name]
            turns[at] = (twin.up[name] + twin.down[name]) / most[at] * _SLACK
    grown = np.maximum(1.0, most / np.where(first > 0, first, most)) * _SLACK
    beyond = np.abs(played.slopes - played.held)[played.rows] * np.abs(played.values)
    excess = played.by_column(beyond)
    unit = 24 * np.square(turns * most / np.where(wealth > 0, wealth, 1.0)) * grown

    def penalty(v: Floats) -> tuple[float, Floats]:
        inside = unit * v**2
        logs = np.log1p(inside)
        root = np.sqrt(turns * logs)
        safe = np.where(root > 0, root, 1.0)
        slope = root + np.where(root > 0, turns * inside / ((1 + inside) * safe), 0.0)
        sign = np.sign(v)
        value = float(np.sum(np.abs(v) * (most * root + excess)))
        return value, sign * (most * slope + excess)

    u = _found(played, parameters, penalty, kept, witness)
    bets = Fraction(0)
    for at in np.flatnonzero(u * turns).tolist():
        size = abs(Fraction(float(u[at]))) * Fraction(float(most[at]))
        bets += coin_regret(size, float(turns[at]), float(wealth[at]), float(grown[at]))
    away = np.abs(played.before) + np.abs(u[played.columns])
    numbers = {
        "wealth": math.fsum(wealth.tolist()) * _SLACK,
        "bets": float_up(bets) * _SLACK,
        "excess": math.fsum((beyond * away).tolist()) * _SLACK,
    }
    return [_candidate(theorems.COIN, played, parameters, u, kept, numbers)]


def _starts(
    played: Played, kept: KeptExamples, parameters: Mapping[str, Any]
) -> tuple[Floats, Floats]:
    """Return the wealth and the largest gradient of each feature at its first bet."""
    twin = TWINS["CoinBetting"](**parameters)
    wealth, first = np.zeros(played.width), np.zeros(played.width)
    places = {feature: at for at, feature in enumerate(kept.features)}
    places[twin] = len(places)
    for x, y in kept:
        steepest = twin.steepest
        play(twin, x, *unweighted(y))
        steepest = steepest or abs(twin.slope)
        for feature, value in twin.used.items():
            at = places[feature]
            if not wealth[at] and feature in twin.wealth:
                wealth[at] = twin.wealth[feature]
                first[at] = twin.scale or steepest * abs(value)
    return wealth, first


def ftrl(
    kept: KeptExamples, parameters: Mapping[str, Any], witness: Any = None
) -> list[Candidate]:
    """Return the bound `FTRL-L1` on the regret of FTRL.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._gradients import ftrl
    >>> from littlestone.linear import FTRL
    >>> stream = [({"a": 1.0}, True), ({"b": 2.0}, False)] * 4
    >>> record = run(FTRL(), stream, keep="updates")
    >>> ftrl(record.examples, record.learner.parameters)[0].theorem.id
    'FTRL-L1'
    """
    played = Played.of("FTRL", kept, parameters)
    rate, l1, l2 = (float(parameters[name]) for name in ("rate", "l1", "l2"))
    gradients = played.slopes[played.rows] * played.values
    damped = (1.0 + np.sqrt(_running(played, np.square(gradients)))) / rate + l2
    rises = played.more + damped * 2.0**-48
    total = played.by_column(rises) + (l2 + 1 / rate)
    pulled = played.by_column(rises * played.before)

    def penalty(v: Floats) -> tuple[float, Floats]:
        value = float(total @ v**2 / 2 - pulled @ v) + l1 * float(np.abs(v).sum())
        return value, total * v - pulled + l1 * np.sign(v)

    u = _found(played, parameters, penalty, kept, witness)
    drift = rises * np.square(u[played.columns] - played.before)
    numbers = {
        **{name: parameters[name] for name in ("rate", "l1", "l2")},
        "size": math.fsum(np.abs(u).tolist()) * _SLACK,
        "norm": size_up(u),
        "drift": math.fsum(drift.tolist()) * _SLACK,
        "energy": math.fsum((np.square(gradients) / damped).tolist()) * _SLACK,
    }
    return [_candidate(theorems.FTRL_L1, played, parameters, u, kept, numbers)]


def _running(played: Played, values: Floats) -> Floats:
    """Return, for each value, the sum of those of its column up to it."""
    order = np.argsort(played.columns, kind="stable")
    sums = np.cumsum(values[order])
    starts = np.flatnonzero(np.diff(played.columns[order], prepend=-1))
    before = np.concatenate(([0.0], sums))[starts]
    sizes = np.diff(np.append(starts, len(order)))
    found = np.empty(len(order))
    found[order] = np.maximum(sums - np.repeat(before, sizes), 0.0)
    return found


def exponentiated_gradient(
    kept: KeptExamples, parameters: Mapping[str, Any], witness: Any = None
) -> list[Candidate]:
    """Return the bound `EG` on the regret of exponentiated gradient.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._gradients import exponentiated_gradient
    >>> from littlestone.linear import ExponentiatedGradient
    >>> stream = [({"a": 1.0}, True), ({"b": 2.0}, False)] * 4
    >>> record = run(ExponentiatedGradient(), stream, keep="updates")
    >>> found = exponentiated_gradient(record.examples, record.learner.parameters)
    >>> found[0].theorem.id
    'EG'
    """
    played = Played.of("ExponentiatedGradient", kept, parameters)
    rate, beta = float(parameters["rate"]), float(parameters["scale"])

    def penalty(v: Floats) -> tuple[float, Floats]:
        turned = np.arcsinh(v / beta)
        far = np.sum(v * turned - np.hypot(v, beta) + beta)
        return float(far) / rate, turned / rate

    u = _found(played, parameters, penalty, kept, witness)
    far = [entropy_up(abs(each), beta) for each in u.tolist()]
    numbers = {
        "rate": parameters["rate"],
        "entropy": math.fsum(far) * _SLACK,
        "jumps": math.fsum(played.more.tolist()) * _SLACK,
    }
    return [_candidate(theorems.EG, played, parameters, u, kept, numbers)]


def vovk_azoury_warmuth(
    kept: KeptExamples, parameters: Mapping[str, Any], witness: Any = None
) -> list[Candidate]:
    """Return the bound `VAW` on the regret of Vovk, Azoury and Warmuth's forecaster.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._gradients import vovk_azoury_warmuth
    >>> from littlestone.linear import VovkAzouryWarmuth
    >>> stream = [({"a": 1.0}, 2.0), ({"a": 2.0}, 4.0)] * 4
    >>> record = run(VovkAzouryWarmuth(), stream, keep="updates")
    >>> vovk_azoury_warmuth(record.examples, record.learner.parameters)[0].theorem.id
    'VAW'
    """
    parameters = {**parameters}
    played = Played.of("VovkAzouryWarmuth", kept, parameters)
    a = float(parameters["a"])
    u = _found(
        played,
        {**parameters, "loss": "square"},
        lambda v: (a * float(v @ v), 2 * a * v),
        kept,
        witness,
    )
    spread = np.square(played.labels) * played.more
    numbers = {
        "a": parameters["a"],
        "norm": size_up(u),
        "spread": math.fsum(spread.tolist()) * _SLACK,
    }
    square = {**parameters, "loss": "square"}
    return [_candidate(theorems.VAW, played, square, u, kept, numbers)]


def aioli(
    kept: KeptExamples, parameters: Mapping[str, Any], witness: Any = None
) -> list[Candidate]:
    """Return the bound `AIOLI` on the regret of AIOLI.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._gradients import aioli
    >>> from littlestone.linear import AIOLI
    >>> stream = [({"a": 1.0}, True), ({"b": 2.0}, False)] * 4
    >>> record = run(AIOLI(), stream, keep="updates")
    >>> aioli(record.examples, record.learner.parameters)[0].theorem.id
    'AIOLI'
    """
    parameters = {**parameters}
    played = Played.of("AIOLI", kept, parameters)
    logistic = {**parameters, "loss": "logistic"}
    a, loss = float(parameters["a"]), as_loss("logistic")
    bends = played.more[::3]

    def penalty(v: Floats) -> tuple[float, Floats]:
        scores = played.scores_of(v)
        away = scores - played.scores
        theirs = played.weights * loss.value(scores, played.labels)
        above = played.own + played.slopes * away + bends * away**2 / 2 - theirs
        slopes = played.slopes + bends * away
        slopes -= played.weights * loss.slope(scores, played.labels)  # type: ignore[misc]  # it has one
        slopes[above <= 0] = 0.0
        more = played.by_column(slopes[played.rows] * played.values)
        return a / 2 * float(v @ v) + float(above[above > 0].sum()), a * v + more

    u = _found(played, logistic, penalty, kept, witness)
    excess = Fraction(0)
    for row, (score, y) in enumerate(
        zip(played.scores.tolist(), kept.labels.tolist(), strict=True)
    ):
        weight = Fraction(float(played.weights[row]))
        theirs = played.exactly(row, u)
        own = loss_bounds("logistic", Fraction(score), y)[1] * weight
        low = loss_bounds("logistic", theirs, y)[0] * weight
        excess += over(
            own,
            low,
            theirs - Fraction(score),
            float(played.slopes[row]),
            float(bends[row]),
        )
    ups, downs = played.more[1::3], played.more[2::3]
    gain = math.fsum(ups.tolist()) * _SLACK + math.fsum(downs.tolist()) / _SLACK
    numbers = {
        "a": parameters["a"],
        "norm": size_up(u),
        "gain": max(0.0, gain),
        "excess": float_up(excess),
    }
    return [_candidate(theorems.AIOLI, played, logistic, u, kept, numbers)]


# The search -------------------------------------------------------------------------


def _found(
    played: Played,
    parameters: Mapping[str, Any],
    penalty: _Penalty,
    kept: KeptExamples,
    witness: Any,
) -> Floats:
    """Return a vector for which loss and penalty are small, or the one given."""
    if witness is not None:
        return _given(witness, kept, bool(parameters["bias"]))
    loss = as_loss(_as_known(parameters["loss"]))

    def cost(v: Floats) -> tuple[float, Floats]:
        scores = played.scores_of(v)
        charged: Floats = played.weights * loss.value(scores, played.labels)
        slopes: Floats = played.weights * loss.slope(scores, played.labels)  # type: ignore[misc]  # these have one
        extra, gradient = penalty(v)
        return (
            float(np.sum(charged)) + extra,
            played.by_column(slopes[played.rows] * played.values) + gradient,
        )

    if not len(played.scores):
        return np.zeros(played.width)
    return minimised(cost, np.zeros(played.width))


def _as_known(loss: Any) -> Any:
    """Return a loss of the library from one that a certificate states."""
    from littlestone import losses  # noqa: PLC0415 - beside its use

    if isinstance(loss, str):
        return loss
    if loss.name == "pinball":
        return losses.pinball(loss.tau)
    return losses.huber(loss.delta) if loss.name == "huber" else loss


def _given(witness: Any, kept: KeptExamples, constant: bool) -> Floats:
    try:
        named = dict(witness)
        apart = float(named.pop(None, 0.0))
        u = np.array([float(named.get(f, 0.0)) for f in kept.features] + [apart])
    except (TypeError, ValueError):
        raise ParameterError(
            f"a witness must map features to weights, got {witness!r}", owner="certify"
        ) from None
    if apart and not constant:
        raise ParameterError(
            "a witness must have no weight under None without a constant feature, got "
            f"{apart!r}",
            owner="certify",
        )
    return u


def minimised(cost: Callable[[Floats], tuple[float, Floats]], u: Floats) -> Floats:
    """Return a vector at which a cost is small, by a quasi-Newton method (L-BFGS)."""
    value, gradient = cost(u)
    pairs: list[tuple[Floats, Floats]] = []
    for _ in range(_STEPS):
        step = -_turned(gradient, pairs)
        fall = float(gradient @ step)
        if not fall < 0:
            break
        length = 1.0 if pairs else 1.0 / max(1.0, float(np.abs(gradient).sum()))
        for _ in range(_MOST_HALVINGS):
            new_value, new_gradient = cost(u + length * step)
            if new_value <= value + 1e-4 * length * fall:
                break
            length /= 2
        else:
            break
        moved, bent = length * step, new_gradient - gradient
        if float(moved @ bent) > 0:
            pairs = [*pairs[1 - _MEMORY :], (moved, bent)]
        gained = value - new_value
        u, value, gradient = u + moved, new_value, new_gradient
        if gained <= _PRECISE * abs(value):
            break
    return u


def _turned(gradient: Floats, pairs: list[tuple[Floats, Floats]]) -> Floats:
    """Return the gradient times an estimate of the inverse second derivatives."""
    turned, steps = gradient.copy(), []
    for moved, bent in reversed(pairs):
        share = float(moved @ turned) / float(moved @ bent)
        steps.append(share)
        turned -= share * bent
    if pairs:
        moved, bent = pairs[-1]
        turned *= float(moved @ bent) / float(bent @ bent)
    for (moved, bent), share in zip(pairs, reversed(steps), strict=True):
        turned += moved * (share - float(bent @ turned) / float(moved @ bent))
    return turned


def _candidate(  # noqa: PLR0917 - all that is known
    theorem: theorems.Theorem,
    played: Played,
    parameters: Mapping[str, Any],
    u: Floats,
    kept: KeptExamples,
    numbers: Mapping[str, Any],
) -> Candidate:
    """Return the theorem for a vector, with the regret to it as the judge finds it."""
    loss = parameters["loss"]
    labels = kept.labels.tolist()

    def regret(up: int) -> Fraction:
        """Return the regret, rounded up with 1, and down with 0."""
        total = Fraction(0)
        for row, score in enumerate(played.scores.tolist()):
            own = loss_bounds(loss, Fraction(score), labels[row])[up]
            theirs = loss_bounds(loss, played.exactly(row, u), labels[row])[1 - up]
            total += (own - theirs) * Fraction(float(played.weights[row]))
        return total

    counted = float_up(regret(up=1))
    witness = vector(u, kept.features, constant=bool(parameters["bias"]))
    found = Candidate.of(theorem, witness, numbers, counted=counted)
    if counted > found.bound >= regret(up=0):
        raise PremiseError(
            f"{theorem.id} promises a regret of at most {found.bound:.3g}, which is "
            f"less than rounding adds to it, {counted:.3g}: the learner hardly moved, "
            "as with a tiny rate",
            owner="certify",
        )
    return found
