"""Crowds of experts for tests: advice and outcomes, made up, adverse and real."""

from __future__ import annotations

import csv
import gzip
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import NDArray

from data import data_file
from littlestone import losses
from littlestone.errors import LabelError
from littlestone.theorems import Number, Theorem

Array = NDArray[np.float64]
seeds = st.integers(0, 2**32 - 1)

# Every loss there is; those after the first three have no slope or need probabilities.
NUMBERS: list[Any] = ["square", "absolute", losses.pinball(0.3), "percentage"]
CHANCES: list[Any] = ["log", "brier"]
LOSSES: list[Any] = [*NUMBERS, *CHANCES, "zero-one"]


@dataclass(frozen=True)
class Crowd:
    """Rounds of advice, a mapping from expert to prediction, and outcomes."""

    advice: list[dict[int, Any]]
    y: list[Any]
    joins: dict[int, float] = field(default_factory=dict)  # round -> prior
    start: int = 1  # how many experts there are at first

    def __iter__(self) -> Iterator[tuple[dict[int, Any], Any]]:
        return iter(zip(self.advice, self.y, strict=True))


def crowd(
    loss: Any,
    seed: int,
    *,
    outcomes: int = 0,
    sleep: bool = False,
    join: bool = False,
    spread: float = 1.0,
    most: int = 11,
    rounds: int = 30,
) -> Crowd:
    """Make up a crowd for a loss, with predictions in [0, spread].

    With `outcomes` they are distributions; some experts `sleep`, and some `join` late.
    """
    rng = np.random.default_rng(seed)
    name = losses.as_loss(loss).name
    n, T = int(rng.integers(1, most + 1)), int(rng.integers(1, rounds + 1))
    start, joins, here = n, {}, n
    advice: list[dict[int, Any]] = []
    y: list[Any] = []
    skill = rng.uniform(0, 1, size=n + T)
    for t in range(T):
        if join and t and rng.random() < 0.15:
            joins[t] = float(rng.uniform(0.01, 0.9))
            here += 1
        awake = np.ones(here, dtype=np.bool_)
        if sleep and rng.random() < 0.7:
            awake = rng.random(here) < 0.6
            awake[rng.integers(here)] = True
        if outcomes:
            y.append(int(rng.integers(outcomes)))
            p = rng.dirichlet(np.ones(outcomes), size=here)
            said: list[Any] = p.tolist()
        elif name == "zero-one":
            y.append(bool(rng.random() < 0.5))
            said = [bool(y[-1] == (rng.random() < s)) for s in skill[:here]]
        elif name in ("log", "brier"):
            y.append(int(rng.random() < 0.5))
            said = rng.uniform(0.001, 0.999, size=here).tolist()
        else:
            y.append(float(spread * rng.uniform(0.5, 1)))
            noise = skill[:here] * rng.uniform(-1, 1, size=here) * 0.5 * spread
            said = np.clip(y[-1] + noise, 0, spread).tolist()
        advice.append({i: said[i] for i in range(here) if awake[i]})
    return Crowd(advice, y, joins, start)


def same_as_twin(learner: Any, twin: Any, rounds: Crowd) -> None:
    """Hold a learner to its twin, bit for bit, after every round."""
    for t, (advice, y) in enumerate(rounds):
        if t in rounds.joins:
            learner.join(len(twin.names), rounds.joins[t])
            twin.join(len(twin.names), rounds.joins[t])
            assert dict(learner.weights_) == twin.weights
        said = learner.play_one(advice, y)
        expected = twin.play(advice, y)
        if isinstance(expected, list):
            assert said.tolist() == expected
        else:
            assert said == expected
            assert isinstance(said, type(expected))
        books_agree(learner, twin)
    whole = learner.clone()
    if not rounds.joins:
        block(whole, rounds)
        books_agree(whole, twin)


def block(learner: Any, rounds: Crowd) -> NDArray[Any]:
    """Play a crowd in which nobody joins as one array, with NaN for those asleep."""
    some = next(iter(rounds.advice[0].values()))
    blank: Any = [0.0] * len(some) if isinstance(some, list) else type(some)(0)
    F = np.array(
        [[a.get(i, blank) for i in range(rounds.start)] for a in rounds.advice]
    )
    awake = [[i in a for i in range(rounds.start)] for a in rounds.advice]
    said: NDArray[Any] = learner.play(F, rounds.y, awake=awake)
    return said


def books_agree(learner: Any, twin: Any) -> None:
    """Hold weights and losses to those of the twin, bit for bit."""
    assert dict(learner.weights_) == twin.weights
    assert abs(sum(learner.weights_.values()) - 1) <= 1e-12
    assert learner.updates_ == twin.updates
    expected = twin.expected and twin.expected.value()
    assert learner.expected_mistakes_ == expected
    assert learner.loss_ == twin.own.value()
    assert dict(learner.losses_) == {n: e.value() for n, e in twin.losses.items()}
    own = {n: twin.own.minus(slept) for n, slept in twin.slept.items()}
    assert dict(learner.own_losses_) == own


def holds(value: float, theorem: Theorem, **numbers: Number) -> None:
    """Hold a number that was added up in floats to a bound."""
    bound = theorem.bound(**numbers)
    assert value <= bound + 1e-9 * (1 + abs(bound)), (theorem.id, value, bound)


def greedy(
    learner: Any, draw: Callable[[int], Sequence[Any]], answers: Sequence[Any], T: int
) -> Iterator[None]:
    """Play against an adversary that picks the outcome that is regretted most.

    It looks one round ahead, with copies of the learner.
    """
    for t in range(T):
        advice = list(draw(t))

        def regret(y: Any, advice: list[Any] = advice) -> float:
            copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
            copy.learn_one(advice, y)
            return float(max(copy.regret_.values()))

        learner.learn_one(advice, max(answers, key=regret))
        yield


@contextmanager
def unchanged(learner: Any) -> Iterator[None]:
    """Hold a learner to what it was before."""
    before = pickle.dumps(learner)
    yield
    assert pickle.dumps(learner) == before


def refuses(learner: Any, error: Any, message: str, x: Any, y: Any) -> None:
    """Let a round be refused, learned or played, with nothing changed by it."""
    for play in (learner.learn_one, learner.play_one):
        with unchanged(learner), pytest.raises(error, match=message) as caught:
            play(x, y)
        told = str(caught.value)
        owner = f"{type(learner).__name__}: "
        assert isinstance(caught.value, LabelError) or told.startswith(owner)
        assert "row" not in told


def exact_sum(values: Array) -> Fraction:
    """Return the sum of many floats without rounding, and without haste."""
    mantissas, exponents = np.frexp(values)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    total = Fraction(0)
    for exponent in np.unique(exponents):
        some = whole[exponents == exponent]
        high, low = int(np.sum(some >> 26)), int(np.sum(some & (2**26 - 1)))
        total += Fraction(2) ** (int(exponent) - 53) * ((high << 26) + low)
    return total


# Real ---------------------------------------------------------------------------------


def table(name: str) -> list[dict[str, str]]:
    """Return the rows of a file, or skip the test."""
    path = data_file(name)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def electric_load() -> tuple[list[str], Array, Array]:
    """Return three experts on the weekly load of France, and the load."""
    rows = table("opera-electric-load/opera_experts.csv.gz")
    experts = ["gam", "ar", "gbm"]
    F = np.array([[float(row[e]) for e in experts] for row in rows])
    return experts, F, np.array([float(row["y"]) for row in rows])


def approval() -> tuple[list[str], Array, Array]:
    """Return five pollsters on a president's approval, and the average of many."""
    rows = table("trump-approval/trump_approval.csv.gz")
    experts = ["gallup", "ipsos", "morning_consult", "rasmussen", "you_gov"]
    F = np.array([[float(row[e]) for e in experts] for row in rows])
    return experts, F, np.array([float(row["five_thirty_eight"]) for row in rows])


def football() -> tuple[list[str], Array, list[str], int]:
    """Return bookmakers, their odds as distributions, results, and three seasons.

    Only matches on which all eight bookmakers offered odds; the last number counts
    those of the first three seasons.
    """
    rows = table("football-odds/football_odds_eng_2005_2009.csv.gz")
    makers = ["B365", "BW", "GB", "IW", "LB", "SB", "SJ", "VC"]
    columns = [[maker + result for result in "HDA"] for maker in makers]
    full = [row for row in rows if all(row[c] for three in columns for c in three)]
    odds = np.array([[[float(row[c]) for c in cs] for cs in columns] for row in full])
    chances = 1 / odds
    chances /= chances.sum(axis=2, keepdims=True)
    seasons = sorted({row["season"] for row in full})
    early = sum(row["season"] in seasons[:3] for row in full)
    return makers, chances, [row["result"] for row in full], early


def bookmakers() -> tuple[list[str], list[tuple[dict[str, Any], str]]]:
    """Return ten bookmakers, and matches: chances by bookmaker, and the result.

    Only matches on which two or more bookmakers offered no odds: those sleep.
    """
    rows = table("football-odds/football_odds_eng_2005_2009.csv.gz")
    makers = ["B365", "BS", "BW", "GB", "IW", "LB", "SB", "SJ", "VC", "WH"]
    rounds: list[tuple[dict[str, Any], str]] = []
    for row in rows:
        said = {}
        for maker in makers:
            odds = [row[maker + result] for result in "HDA"]
            if all(odds):
                chances = [1 / float(each) for each in odds]
                said[maker] = [chance / sum(chances) for chance in chances]
        if 0 < len(said) < len(makers) - 1:
            rounds.append((said, row["result"]))
    return makers, rounds
