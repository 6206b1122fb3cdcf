"""Twenty-four ways to forecast are the experts, on the 3,003 series of the M3 contest.

    python examples/m3_forecasts.py FILE [--plot weights.svg]

FILE is m3_forecasts.csv or m3_forecasts.csv.gz: a line for each series and horizon,
with the columns actual, last_obs and mean_abs_diff, and one for each method. AAM1 and
AAM2 were not tried on every series: where their cells are empty they sleep.

Series differ in scale, so everything is measured from the last value that was known, in
units of how much the series used to change from one value to the next. The loss is the
distance in these units. The table also has sMAPE, the contest's measure, in percent.

The rounds are played in the order of the file, and the outcome of one horizon is told
before the next is predicted. The methods were told nothing after the last value, so a
learner that beats them has not won the contest.

For each learner: by how much it has lost more than the method that it regrets most not
to have followed, on the rounds on which that one was awake, and by how much more a
theorem allows. --plot draws the weights over time, which needs matplotlib.
"""

import argparse
import csv
import gzip
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone import theorems
from littlestone.experts import AdaHedge, ExponentialWeights, MLPoly

Numbers = NDArray[np.float64]
NOT_METHODS = ("series", "type", "period", "h", "actual", "last_obs", "mean_abs_diff")


@dataclass(frozen=True)
class Forecasts:
    """The contest: a row a round, NaN where a method sleeps."""

    methods: tuple[str, ...]
    values: Numbers
    actual: Numbers
    origin: Numbers  # the last value that was known
    unit: Numbers  # the usual change from one value to the next

    @property
    def advice(self) -> Numbers:
        """What the methods say, in units of the series."""
        return (self.values - self.origin[:, None]) / self.unit[:, None]

    @property
    def outcomes(self) -> Numbers:
        """What came, in units of the series."""
        return (self.actual - self.origin) / self.unit

    def percent(self, predictions: Numbers) -> Numbers:
        """Return the symmetric percentage by which each prediction is off."""
        said = predictions * self.unit + self.origin
        return 200 * np.abs(said - self.actual) / (np.abs(said) + np.abs(self.actual))


@dataclass(frozen=True)
class Played:
    """What a learner did: a row a round, NaN where a method slept."""

    advice: Numbers
    outcomes: Numbers
    predictions: Numbers
    weights: Numbers  # with which it predicted; 0 where a method slept

    @property
    def losses(self) -> Numbers:
        """The distance of each method from the outcome in each round."""
        return np.abs(self.advice - self.outcomes[:, None])

    @property
    def own(self) -> Numbers:
        """The distance of the learner from the outcome in each round."""
        return np.abs(self.predictions - self.outcomes)

    @property
    def regrets(self) -> Numbers:
        """What the learner lost more than each method in each round; 0 if it slept."""
        return np.nan_to_num(self.own[:, None] - self.losses, nan=0.0)

    @property
    def most_regretted(self) -> int:
        """The method that should have been followed."""
        return int(np.argmax(self.regrets.sum(axis=0)))


@dataclass(frozen=True)
class Result:
    """A line of the table."""

    percent: float
    off: float  # mean distance from the outcome, in units of the series
    regret: float | None = None
    bound: float | None = None
    regretted: str = ""


def read(path: Path) -> Forecasts:
    """Read the contest."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    header, *records = csv.reader(text.splitlines())
    cells = {name: [record[k] for record in records] for k, name in enumerate(header)}

    def numbers(name: str) -> Numbers:
        return np.array([float(cell) if cell else math.nan for cell in cells[name]])

    methods = tuple(name for name in header if name not in NOT_METHODS)
    values = np.column_stack([numbers(name) for name in methods])
    base = (numbers(name) for name in ("actual", "last_obs", "mean_abs_diff"))
    return Forecasts(methods, values, *base)


def play(learner: Any, contest: Forecasts) -> Played:
    """Play all rounds, and look at the weights before each."""
    advice, outcomes = contest.advice, contest.outcomes
    awake = ~np.isnan(advice)
    predictions, weights = np.empty(len(outcomes)), np.empty(advice.shape)
    for t, row in enumerate(advice):
        weights[t] = np.where(awake[t], np.asarray(learner.weights_), 0.0)
        said = {contest.methods[k]: row[k] for k in np.flatnonzero(awake[t])}
        predictions[t] = learner.play_one(said, float(outcomes[t]))
    weights[weights.sum(axis=1) == 0] = 1.0  # all weight slept, so everyone counts
    weights *= awake
    weights /= weights.sum(axis=1, keepdims=True)
    return Played(advice, outcomes, predictions, weights)


def hedged(played: Played) -> float:
    """ADAHEDGE, by the variances of the losses under the weights."""
    losses = np.nan_to_num(played.losses, nan=0.0)  # sleepers have no weight
    means = np.sum(played.weights * losses, axis=1, keepdims=True)
    variance = float(np.sum(played.weights * (losses - means) ** 2))
    n = losses.shape[1]
    return theorems.ADAHEDGE.bound(variance=variance, experts=n, scale=_spread(played))


def slept(played: Played) -> float:
    """SLEEP-T, by how far apart losses ever were."""
    t, n = played.losses.shape
    awake = int(np.sum(~np.isnan(played.losses[:, played.most_regretted])))
    return theorems.SLEEP_T.bound(
        eta=rate(t, n), rounds=awake, experts=n, scale=_spread(played)
    )


def polynomial(played: Played, charged: Numbers | None = None) -> float:
    """ML-POLY, by the squares of what is regretted round by round."""
    r = played.regrets if charged is None else charged
    largest = np.abs(r).max(axis=1)
    return theorems.ML_POLY.bound(
        squares=float(np.sum(r[:, played.most_regretted] ** 2)),
        rounds=len(r),
        scale=float(largest.max()),
        first=float(largest[largest > 0][0]),
        experts=r.shape[1],
    )


def sloped(played: Played) -> float:
    """ML-POLY for regrets that are slope times distance, which are no smaller."""
    slope = np.sign(played.predictions - played.outcomes)
    apart = played.predictions[:, None] - played.advice
    return polynomial(played, np.nan_to_num(slope[:, None] * apart, nan=0.0))


def _spread(played: Played) -> float:
    lowest = np.nanmin(played.losses, axis=1)
    return float((np.nanmax(played.losses, axis=1) - lowest).max())


def rate(rounds: int, experts: int) -> float:
    """Return the rate of `ExponentialWeights.for_horizon`."""
    return ExponentialWeights.for_horizon(rounds, experts).eta


def learners(contest: Forecasts) -> dict[str, tuple[Any, Callable[[Played], float]]]:
    """Return those who compete, each with its bound."""
    shared: Any = {"loss": "absolute", "experts": contest.methods}
    t, n = contest.values.shape
    weights = ExponentialWeights(rate(t, n), range=(0, math.inf), **shared)
    return {
        "ExponentialWeights": (weights, slept),
        "AdaHedge": (AdaHedge(**shared), hedged),
        "MLPoly": (MLPoly(**shared), polynomial),
        "MLPoly, gradient": (MLPoly(gradient=True, **shared), sloped),
    }


def compare(contest: Forecasts) -> tuple[dict[str, Result], dict[str, Numbers]]:
    """Play, print a table, and return it with the weights of each learner."""
    results: dict[str, Result] = {}
    weights: dict[str, Numbers] = {}
    for name, (learner, bound) in learners(contest).items():
        played = play(learner, contest)
        best = played.most_regretted
        results[name] = Result(
            float(contest.percent(played.predictions).mean()),
            float(played.own.mean()),
            float(played.regrets[:, best].sum()),
            float(bound(played)),
            contest.methods[best],
        )
        weights[name] = played.weights
    advice, outcomes = contest.advice, contest.outcomes
    columns = {"the plain mean": np.nanmean(advice, axis=1)}
    columns |= dict(zip(contest.methods, advice.T, strict=True))
    alone = {
        name: Result(
            float(np.nanmean(contest.percent(said))),
            float(np.nanmean(np.abs(said - outcomes))),
        )
        for name, said in columns.items()
    }
    results |= dict(sorted(alone.items(), key=lambda item: item[1].off))
    print(f"{len(outcomes):,} rounds, {len(contest.methods)} methods, absolute loss")
    print(
        f"{'':20} {'sMAPE':>7} {'distance':>9} {'regret':>9} {'at most':>10}  against"
    )
    for name, line in results.items():
        ends = ""
        if line.regret is not None and line.bound is not None:
            ends = f" {line.regret:9,.0f} {line.bound:10,.0f}  {line.regretted}"
        print(f"{name:20} {line.percent:7.2f} {line.off:9.4f}{ends}")
    return results, weights


def draw(path: Path, methods: tuple[str, ...], weights: dict[str, Numbers]) -> None:
    """Draw the weights over time, one picture a learner, below one another."""
    try:
        from matplotlib import colormaps  # noqa: PLC0415 - only who draws needs it
        from matplotlib.figure import Figure  # noqa: PLC0415 - as above
    except ImportError:
        sys.exit("--plot needs matplotlib, which is not installed")
    figure = Figure(figsize=(10, 3 * len(weights)), layout="constrained")
    panels = figure.subplots(len(weights), sharex=True)
    colors = colormaps["turbo"](np.linspace(0, 1, len(methods)))
    for panel, (name, shares) in zip(panels, weights.items(), strict=True):
        shown = range(0, len(shares), max(1, len(shares) // 1000))
        panel.stackplot(shown, shares[shown].T, labels=methods, colors=colors)
        panel.set(title=name, ylim=(0, 1), xlim=(0, shown[-1]))
    panels[-1].set_xlabel("round")
    handles = panels[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside right center", fontsize="small")
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--plot", type=Path, help="an SVG, PNG or PDF file to write")
    asked = parser.parse_args()
    try:
        contest = read(asked.file)
    except FileNotFoundError:
        sys.exit(f"{asked.file} does not exist; it must be the file of M3's forecasts")
    except (KeyError, IndexError, ValueError) as error:
        sys.exit(f"{asked.file} must be the file of M3's forecasts, but: {error!r}")
    _, weights = compare(contest)
    if asked.plot is not None:
        draw(asked.plot, contest.methods, weights)


if __name__ == "__main__":
    main()
