"""Bounds on the risk of the hypotheses of a finished run."""

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
        How many mistakes came before it; 0 for the first hypothesis.
    first
        The first round in which it was used, counted from 0.
    survived
        For how many rounds it made no mistake.
    risk
        A bound on its risk.

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
    """Bounds on the risk of the hypotheses of a run.

    Attributes
    ----------
    best
        The hypothesis with the smallest bound; None if the learner may change without a
        mistake, or the record does not say where the mistakes were.
    last
        The learner at the end of the run; None in the same cases.
    mean
        A bound on the average risk over all rounds: the risk of the hypothesis of a
        round drawn at random.
    delta
        The probability that this fails: for `best` and `last` together, and for `mean`.

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


# These may change in a round without a mistake, and comparing the numbers of mistakes
# and updates need not show it: averages grow, members learn, concepts drop out, and a
# mistake on an empty example offsets an update for too small a margin.
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
    r"""Bound the risk of the hypotheses of a finished run.

    The examples must have been drawn independently from one distribution, and played
    once. Two theorems apply:

    - `MB2PAC-RUN`: a hypothesis that came after $i$ mistakes and survived $s$ rounds
      has a risk of at most $1 - (\delta/((i+1)(i+2)))^{1/s}$, all hypotheses at once.
      So the best can be chosen afterwards. It needs a learner that changes only with a
      mistake: no more updates than mistakes in the record, no averages or votes, and
      no update for a small margin.
    - `MB2PAC-MEAN`: the mean risk over the $T$ rounds is at most
      $M/T + \sqrt{\ln(1/\delta)/2T}$, for every learner, whether or not some concept
      fits. The number of rounds must have been chosen beforehand.

    Parameters
    ----------
    record
        The record of the run.
    delta
        The probability of failure, between 0 and 1, for each of the two.

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
    """Return the hypotheses of a run that may have the smallest bound, and the last."""
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
        # A later one has a smaller bound only if it survived longer than all before.
        if survived > longest or end == record.rounds:
            risk = theorems.MB2PAC_RUN.bound(
                before=before, survived=survived, delta=delta
            )
            survivors.append(Survivor(before, first, survived, risk))
            longest = max(longest, survived)
        first = end + 1
    return survivors
