"""Every learner against every adversary: what is forced, what it did, what is proved.

Nothing here is timed and no draw is free, so the table is the same on every machine: it
is kept in `results/bounds.md`, and a test holds it against a new one, line by line.
Counts are exact, and their bounds are rounded down; other numbers are rounded up.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone import boolean, certify, experts, linear, run
from littlestone.errors import PremiseError
from littlestone.testing import adversaries
from littlestone.verifying import as_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from fractions import Fraction

RESULTS = Path(__file__).parent / "results" / "bounds.md"
HEAD = ("learner", "mistakes", "best", "counted", "bound", "theorem")
WHOLE = ("mistakes", "updates")
THOUSAND = 1000  # what is no count is told to so many parts
BOTH = (False, True)
ZERO_ONE = "zero-one"


def width(adversary: Any) -> int:
    return max(1, len(adversary.features or ()))


def domain(adversary: Any) -> Any:
    return getattr(adversary, "domain", [{at: 1} for at in adversary.features or ()])


# What every learner is made of to meet an adversary. Those of finite classes are only
# asked where there is one, and those who weigh experts only where there are some.
LINEAR: Mapping[str, Callable[[Any], Any]] = {
    "Perceptron": lambda _: linear.Perceptron(),
    "AveragedPerceptron": lambda _: linear.AveragedPerceptron(),
    "VotedPerceptron": lambda _: linear.VotedPerceptron(),
    "KernelPerceptron": lambda _: linear.KernelPerceptron(),
    "PassiveAggressive": lambda _: linear.PassiveAggressive(),
    "SecondOrderPerceptron": lambda _: linear.SecondOrderPerceptron(),
    "AROW": lambda _: linear.AROW(),
    "Winnow": lambda foe: linear.Winnow(threshold=width(foe)),
    "BalancedWinnow": lambda foe: linear.BalancedWinnow(1 / width(foe)),
    "MulticlassPerceptron": lambda _: linear.MulticlassPerceptron(BOTH),
    "MulticlassPassiveAggressive": lambda _: linear.MulticlassPassiveAggressive(
        classes=BOTH
    ),
}
RULES: Mapping[str, Callable[[Any], Any]] = {
    "ConjunctionLearner": lambda _: boolean.ConjunctionLearner(),
    "DisjunctionLearner": lambda _: boolean.DisjunctionLearner(),
    "KCNFLearner": lambda _: boolean.KCNFLearner(2),
    "KDNFLearner": lambda _: boolean.KDNFLearner(2),
    "DecisionListLearner": lambda _: boolean.DecisionListLearner(),
    "WinnowDNF": lambda _: boolean.WinnowDNF(2),
}
FINITE: Mapping[str, Callable[[Any], Any]] = {
    "ConsistentLearner": lambda foe: boolean.ConsistentLearner(foe.concepts),
    "VersionSpaceLearner": lambda foe: boolean.VersionSpaceLearner(foe.concepts),
    "StandardOptimalLearner": lambda foe: boolean.StandardOptimalLearner(
        foe.concepts, domain(foe)
    ),
}
LABELS: Mapping[str, Callable[[Any], Any]] = {
    "FollowTheMajority": lambda _: experts.FollowTheMajority(),
    "Cover": lambda foe: experts.Cover(foe.rounds, seed=0),
}
ADVISED: Mapping[str, Callable[[Any], Any]] = {
    "Halving": lambda _: experts.Halving(),
    "WeightedMajority": lambda _: experts.WeightedMajority(),
    "FloorWeightedMajority": lambda _: experts.FloorWeightedMajority(),
    "RandomizedWeightedMajority": lambda _: experts.RandomizedWeightedMajority(seed=0),
    "ExponentialWeights": lambda _: experts.ExponentialWeights(0.5, ZERO_ONE),
    "AdaHedge": lambda _: experts.AdaHedge(ZERO_ONE),
    "FixedShare": lambda _: experts.FixedShare(0.5, 0.05, ZERO_ONE),
    "MLPoly": lambda _: experts.MLPoly(ZERO_ONE),
    "MLProd": lambda _: experts.MLProd(ZERO_ONE),
    "BOA": lambda _: experts.BOA(ZERO_ONE),
}
# These say no yes or no that an adversary could answer, hold no bound on mistakes, or
# are played by their own tests.
ELSEWHERE = {"AggregatingAlgorithm", "Committee", "Restarting"} | {
    *("AdaGrad", "CoinBetting", "ExponentiatedGradient", "FTRL", "GradientDescent"),
    *("MulticlassAROW", "MulticlassSecondOrder", "VovkAzouryWarmuth"),
    *("AIOLI", "MulticlassAdaGrad"),
}


@dataclass(frozen=True)
class Row:
    """One game, and what is proved of it; None where no theorem speaks of it."""

    learner: str
    mistakes: int
    best: int
    counts: str | None = None
    counted: Fraction | None = None
    bound: Fraction | None = None
    theorem: str = "—"

    @property
    def holds(self) -> bool:
        """Whether what was counted is within its bound."""
        if self.counted is None or self.bound is None:
            return True
        return self.counted <= self.bound

    def cells(self) -> list[str]:
        """Return what the table shows."""
        told = [self.learner, str(self.mistakes), str(self.best)]
        if self.counted is None or self.bound is None:
            return [*told, "—", "—", self.theorem]
        if self.counts in WHOLE:
            numbers = [str(self.counted), str(math.floor(self.bound))]
        else:
            numbers = [rounded_up(self.counted), rounded_up(self.bound)]
        return [*told, f"{numbers[0]} {self.counts}", numbers[1], self.theorem]


def rounded_up(number: Fraction) -> str:
    parts = math.ceil(number * THOUSAND)
    sign = "-" if parts < 0 else ""
    whole, rest = divmod(abs(parts), THOUSAND)
    return f"{sign}{whole}.{rest:03}"


def players(adversary: Any) -> dict[str, Callable[[Any], Any]]:
    """Return who can meet an adversary, and how each is made."""
    chosen = {**LINEAR, **RULES}
    if hasattr(adversary, "concepts"):
        chosen |= FINITE
    chosen |= LABELS
    if hasattr(adversary, "best_expert_"):
        chosen |= ADVISED
    return chosen


def game(name: str, learner: Any, adversary: Any) -> Row:
    """Play a game, and certify it."""
    said: list[bool] = []
    record = run(
        learner,
        adversary,
        keep="updates",
        observe=lambda batch: said.extend(batch.predictions.tolist()),
    )
    best = adversary.best_
    # An adversary answers the same predictions alike, so the game can be seen again.
    adversary.restart()
    stream = [(adversary.ask(), adversary.answer(heard)) for heard in said]
    try:
        certificate = certify(record, stream=stream)
    except PremiseError:
        return Row(name, record.mistakes, best)
    return Row(
        name,
        record.mistakes,
        best,
        certificate.counts,
        as_number(certificate.counted_exact),
        as_number(certificate.bound_exact),
        certificate.theorem,
    )


def games(*left_out: str) -> Iterator[tuple[str, Any, list[Row]]]:
    """Play all games, an adversary after the other."""
    with warnings.catch_warnings():
        # Some learners say that no rule fits, which the table says as well.
        warnings.simplefilter("ignore")
        for title, adversary in adversaries().items():
            if title in left_out:
                continue
            rows = [
                game(name, make(adversary), adversary)
                for name, make in players(adversary).items()
            ]
            yield title, adversary, rows


def table(rows: list[Row]) -> Iterator[str]:
    """Return the rows as Markdown, in columns that are aligned in the file, too."""
    cells = [list(HEAD), *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    numbers = (1, 2, 4)
    for at, row in enumerate(cells):
        shown = [
            cell.rjust(w) if k in numbers else cell.ljust(w)
            for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        yield f"| {' | '.join(shown)} |"
        if at == 0:
            rules = ["-" * (w - (k in numbers)) for k, w in enumerate(widths)]
            rules = [f"{r}:" if k in numbers else r for k, r in enumerate(rules)]
            yield f"| {' | '.join(rules)} |"


def told(adversary: Any) -> str:
    """Return what an adversary forces, in a sentence."""
    theorem = adversary.theorem
    rounds = f"in {adversary.rounds} rounds"
    if not theorem.lower:
        return f"Coins force {adversary.forces} mistakes {rounds} on average."
    forced = int(theorem.bound(**adversary.numbers))
    plural = "" if adversary.forces == 1 else "s"
    text = f"Everybody makes at least {adversary.forces} mistake{plural} {rounds}"
    if forced == adversary.forces:
        return f"{text}, by {theorem.id}."
    return f"{text}, and the consistent learner {forced}, by {theorem.id}."


def page(played: Iterable[tuple[str, Any, list[Row]]]) -> Iterator[str]:
    """Return the lines of the file."""
    for title, adversary, rows in played:
        yield from (f"## {title}", "", told(adversary), "", *table(rows), "")


def main() -> None:
    text = "\n".join(page(games()))
    print(text)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(text)


if __name__ == "__main__":
    main()
