"""Five pollsters are the experts; learners follow the average of FiveThirtyEight.

    python examples/trump_approval.py FILE [--plot weights.svg]

FILE is trump_approval.csv or trump_approval.csv.gz: a day a line, with the columns
five_thirty_eight, gallup, ipsos, morning_consult, rasmussen and you_gov. Each day a
learner combines what the five say into one number, and is then told the average.

For each learner: the mean distance from the average, by how much it has lost more than
the best pollster, and by how much more a theorem allows. --plot draws the weights over
time, which needs matplotlib.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone import streams, theorems
from littlestone.errors import LittlestoneError
from littlestone.experts import AdaHedge, ExponentialWeights, FixedShare, MLPoly

Numbers = NDArray[np.float64]
OUTCOME = "five_thirty_eight"
POLLSTERS = ("gallup", "ipsos", "morning_consult", "rasmussen", "you_gov")

# Nobody is further off than this, it is assumed; a round that is will be refused.
FURTHEST = 20.0
WORST = FURTHEST**2


@dataclass(frozen=True)
class Played:
    """What a learner did: a row a round."""

    advice: Numbers
    outcomes: Numbers
    predictions: Numbers
    weights: Numbers  # with which it predicted

    @property
    def losses(self) -> Numbers:
        """The square loss of each expert in each round."""
        return (self.advice - self.outcomes[:, None]) ** 2

    @property
    def own(self) -> Numbers:
        """The square loss of the learner in each round."""
        return (self.predictions - self.outcomes) ** 2

    @property
    def regrets(self) -> Numbers:
        """What the learner lost more than each expert, all rounds together."""
        return np.sum(self.own[:, None] - self.losses, axis=0)


@dataclass(frozen=True)
class Result:
    """A line of the table."""

    off: float  # mean distance from the outcome
    regret: float
    bound: float | None


def read(path: Path) -> tuple[Numbers, Numbers]:
    """Return what the pollsters said, a row a day, and the average."""
    rounds = list(streams.forecasts(path, label=OUTCOME, experts=POLLSTERS))
    advice = [[said[name] for name in POLLSTERS] for said, _ in rounds]
    return np.array(advice), np.array([outcome for _, outcome in rounds])


def play(learner: Any, advice: Numbers, outcomes: Numbers) -> Played:
    """Play all rounds, and look at the weights before each."""
    predictions, weights = np.empty(len(outcomes)), np.empty(advice.shape)
    for t, (row, outcome) in enumerate(zip(advice, outcomes, strict=True)):
        weights[t] = np.asarray(learner.weights_)
        predictions[t] = learner.play_one(row, float(outcome))
    return Played(advice, outcomes, predictions, weights)


def curved(played: Played) -> float:
    """EWA-XC for losses rescaled to [0, 1], where the rate 1/2 is just allowed."""
    return WORST * theorems.EWA_XC.bound(eta=0.5, experts=played.advice.shape[1])


def shared(played: Played) -> float:
    """FS-XC against an expert that is never left."""
    t, n = played.advice.shape
    regret = theorems.FS_XC.bound(eta=0.5, share=0.01, switches=0, rounds=t, experts=n)
    return WORST * regret


def hedged(played: Played) -> float:
    """ADAHEDGE, by the variances of the losses under the weights."""
    losses, weights = played.losses, played.weights
    means = np.sum(weights * losses, axis=1, keepdims=True)
    variance = float(np.sum(weights * (losses - means) ** 2))
    spread = float(np.ptp(losses, axis=1).max())
    return theorems.ADAHEDGE.bound(
        variance=variance, experts=losses.shape[1], scale=spread
    )


def polynomial(played: Played, charged: Numbers | None = None) -> float:
    """ML-POLY, by the squares of what is regretted round by round."""
    r = played.own[:, None] - played.losses if charged is None else charged
    best = int(np.argmax(played.regrets))
    largest = np.abs(r).max(axis=1)
    return theorems.ML_POLY.bound(
        squares=float(np.sum(r[:, best] ** 2)),
        rounds=len(r),
        scale=float(largest.max()),
        first=float(largest[largest > 0][0]),
        experts=r.shape[1],
    )


def sloped(played: Played) -> float:
    """ML-POLY for regrets that are slope times distance, which are no smaller."""
    slope = 2 * (played.predictions - played.outcomes)
    return polynomial(
        played, slope[:, None] * (played.predictions[:, None] - played.advice)
    )


def learners() -> dict[str, tuple[Any, Callable[[Played], float]]]:
    """Return those who compete, each with its bound."""
    known: Any = {"loss": "square", "range": (0, WORST), "experts": POLLSTERS}
    return {
        "ExponentialWeights": (ExponentialWeights(0.5, **known), curved),
        "FixedShare": (FixedShare(0.5, 0.01, **known), shared),
        "AdaHedge": (AdaHedge(experts=POLLSTERS), hedged),
        "MLPoly": (MLPoly(experts=POLLSTERS), polynomial),
        "MLPoly, gradient": (MLPoly(gradient=True, experts=POLLSTERS), sloped),
    }


def compare(
    advice: Numbers, outcomes: Numbers
) -> tuple[dict[str, Result], dict[str, Numbers]]:
    """Play, print a table, and return it with the weights of each learner."""
    results: dict[str, Result] = {}
    weights: dict[str, Numbers] = {}
    for name, (learner, bound) in learners().items():
        played = play(learner, advice, outcomes)
        off = float(np.mean(np.abs(played.predictions - outcomes)))
        regret = float(played.regrets.max())
        results[name] = Result(off, regret, float(bound(played)))
        weights[name] = played.weights
    distances = np.abs(advice - outcomes[:, None]).mean(axis=0)
    squares = np.sum((advice - outcomes[:, None]) ** 2, axis=0)
    mean = advice.mean(axis=1)
    regret = float(np.sum((mean - outcomes) ** 2) - squares.min())
    off = float(np.mean(np.abs(mean - outcomes)))
    results["the plain mean"] = Result(off, regret, None)
    for name, distance, lost in zip(POLLSTERS, distances, squares, strict=True):
        results[name] = Result(float(distance), float(lost - squares.min()), None)
    print(f"{len(outcomes):,} days, {len(POLLSTERS)} pollsters, square loss")
    print(f"{'':20} {'mean distance':>13} {'regret':>10} {'at most':>10}")
    for name, result in results.items():
        most = "" if result.bound is None else f"{result.bound:10,.1f}"
        print(f"{name:20} {result.off:13.4f} {result.regret:10,.1f} {most:>10}")
    return results, weights


def draw(path: Path, weights: dict[str, Numbers]) -> None:
    """Draw the weights over time, one picture a learner, below one another."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - only who draws needs it
    except ImportError:
        sys.exit("--plot needs matplotlib, which is not installed")
    figure = Figure(figsize=(8, 2 * len(weights)), layout="constrained")
    panels = figure.subplots(len(weights), sharex=True)
    for panel, (name, shares) in zip(panels, weights.items(), strict=True):
        panel.stackplot(range(len(shares)), shares.T, labels=POLLSTERS)
        panel.set(title=name, ylim=(0, 1), xlim=(0, len(shares) - 1))
    panels[-1].set_xlabel("day")
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=5
    )
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--plot", type=Path, help="an SVG, PNG or PDF file to write")
    asked = parser.parse_args()
    try:
        advice, outcomes = read(asked.file)
    except LittlestoneError as error:
        sys.exit(str(error))
    _, weights = compare(advice, outcomes)
    if asked.plot is not None:
        draw(asked.plot, weights)


if __name__ == "__main__":
    main()
