"""What a finished run says about the risk of its hypotheses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from littlestone import theorems
from littlestone.display import Displayed
from littlestone.errors import ParameterError
from littlestone.pac._chances import as_chance, complement, round_up

if TYPE_CHECKING:
    from littlestone.running import Record


@dataclass(frozen=True)
class Survivor:
    """A hypothesis of a run, and how long it survived.

    Attributes
    ----------
    before
        How many mistakes came before it: 0 for the one the run began with.
    first
        The round it was first in use, counted from 0.
    survived
        How many rounds it survived.
    risk
        What its risk is at most.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.pac import risk_bound
    >>> record = run(Perceptron(), [({"a": 1}, False)] * 100)
    >>> last = risk_bound(record, delta=0.1).last
    >>> last.before, last.first, last.survived, round(last.risk, 5)
    (1, 1, 99, 0.04051)
    """

    before: int
    first: int
    survived: int
    risk: float


@dataclass(frozen=True)
class RiskBound(Displayed):
    """What a run says about the risk of its hypotheses.

    Attributes
    ----------
    best
        The hypothesis with the smallest bound; None where the learner may change
        without a mistake, or the record does not tell.
    last
        The learner as the run has left it; None likewise.
    mean
        What the risk is at most on average over the hypotheses that were in use, each
        as often as it was: the risk of one drawn from them by the round.
    delta
        The chance that this fails: for `best` and `last` together, and for `mean`.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import VotedPerceptron
    >>> from littlestone.pac import risk_bound
    >>> record = run(VotedPerceptron(), [({"a": 1}, False)] * 100)
    >>> print(risk_bound(record, delta=0.1))
    with probability at least 0.9 the risk is at most
      0.1173 for one drawn from all rounds (MB2PAC-MEAN)
    """

    best: Survivor | None
    last: Survivor | None
    mean: float
    delta: float

    def __str__(self) -> str:
        sure = complement(self.delta)
        lines = [f"with probability at least {sure} the risk is at most"]
        if self.last is not None and self.best is not None:
            best, last = self.best, self.last
            lines.append(
                f"  {round_up(last.risk)} for the learner as it is, which survived "
                f"the last {last.survived:,} rounds (MB2PAC-RUN)"
            )
            if best.survived:
                until = best.first + best.survived - 1
                lines.append(
                    f"  {round_up(best.risk)} for the hypothesis of rounds "
                    f"{best.first:,} to {until:,} (MB2PAC-RUN)"
                )
        lines.append(
            f"  {round_up(self.mean)} for one drawn from all rounds (MB2PAC-MEAN)"
        )
        return "\n".join(lines)


# What these would answer may change on a round without a mistake, and the numbers of
# mistakes and updates need not tell: averages grow, members learn, concepts drop out,
# and a mistake on nothing at all hides an update for too small a margin.
_RESTLESS = frozenset(
    {
        "AROW",
        "AveragedPerceptron",
        "Committee",
        "Halving",
        "MulticlassPassiveAggressive",
        "PassiveAggressive",
        "StandardOptimalLearner",
        "VersionSpaceLearner",
        "VotedPerceptron",
    }
)


def risk_bound(record: Record, delta: float) -> RiskBound:
    r"""Tell what a run that is over says about the risk.

    The examples must have been drawn independently from one distribution, and played
    once. Two theorems speak:

    - `MB2PAC-RUN`: a hypothesis that came after $i$ mistakes and survived $s$ rounds
      has a risk of at most $1 - (\delta/((i+1)(i+2)))^{1/s}$, all of them at once. So
      the best may be picked after the fact. It needs a learner that changes only with a
      mistake: no more updates than mistakes in the record, no answer by an average or
      a vote, and no update for a small margin.
    - `MB2PAC-MEAN`: the mean risk over the $T$ rounds is at most
      $M/T + \sqrt{\ln(1/\delta)/2T}$, for every learner and whether or not some concept
      fits. The number of rounds must have been chosen before.

    Parameters
    ----------
    record
        The record of the run.
    delta
        The chance to fail, between 0 and 1, for either statement.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.pac import risk_bound
    >>> record = run(Perceptron(), [({"a": 1}, False)] + 999 * [({"a": 1}, False)])
    >>> print(risk_bound(record, delta=0.01))
    with probability at least 0.99 the risk is at most
      0.006383 for the learner as it is, which survived the last 999 rounds (MB2PAC-RUN)
      0.006383 for the hypothesis of rounds 1 to 999 (MB2PAC-RUN)
      0.04899 for one drawn from all rounds (MB2PAC-MEAN)
    """
    chance = as_chance("risk_bound", "delta", delta)
    if record.outcome.charged:
        raise ParameterError(
            f"a record must be of labels, got one of numbers: {record!r}",
            owner="risk_bound",
        )
    if record.passes > 1:
        raise ParameterError(
            f"each example must be played once, got {record.passes} passes",
            owner="risk_bound",
        )
    if record.rounds == 0:
        raise ParameterError("a record must have rounds, got none", owner="risk_bound")
    mean = theorems.MB2PAC_MEAN.bound(
        mistakes=record.mistakes, rounds=record.rounds, delta=chance
    )
    survivors = _survivors(record, chance)
    if not survivors:
        return RiskBound(None, None, mean, delta)
    best = min(survivors, key=lambda survivor: survivor.risk)
    return RiskBound(best, survivors[-1], mean, delta)


def _survivors(record: Record, delta: float) -> list[Survivor]:
    """Return the hypotheses of a run that can be the best, and the last one."""
    if (
        record.mistake_rounds is None
        or record.updates is None
        or record.updates > record.mistakes
        or record.learner.name in _RESTLESS
    ):
        return []
    ends = [*record.mistake_rounds.tolist(), record.rounds]
    survivors: list[Survivor] = []
    first = longest = 0
    for before, end in enumerate(ends):
        survived = end - first
        # A later one is only better if it survived longer than all before.
        if survived > longest or end == record.rounds:
            risk = theorems.MB2PAC_RUN.bound(
                before=before, survived=survived, delta=delta
            )
            survivors.append(Survivor(before, first, survived, risk))
            longest = max(longest, survived)
        first = end + 1
    return survivors
