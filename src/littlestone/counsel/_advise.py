"""Try linear learners on a stream, and choose one, or `Auto`, which follows them all.

The stream is surveyed and played by every linear learner of two classes that takes
constant time a feature, and by second-order ones with a full matrix where columns are
few. A sample is played in a random order, by `Auto` only if the stream seems to be
sorted, as it costs more than all others. The result has facts about the stream,
mistakes in both orders and a choice in words; if asked, bounds and two margins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from littlestone.adversaries import Adversary
from littlestone.auto import Auto
from littlestone.counsel import _margins as margins
from littlestone.counsel._reasons import chosen, reasons
from littlestone.counsel._survey import Survey, Surveyor
from littlestone.counsel._trials import Trial, Trials
from littlestone.display.markup import block, paragraph, table
from littlestone.display.words import NONE, figure
from littlestone.errors import ParameterError
from littlestone.linear import (
    AROW,
    AdaGrad,
    AveragedPerceptron,
    BalancedWinnow,
    CoinBetting,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    Winnow,
)
from littlestone.outcome import Outcome
from littlestone.running.inputs import Needs, as_stream
from littlestone.streams import Stream

if TYPE_CHECKING:
    from littlestone.counsel._margins import Margin
    from littlestone.counsel._trials import Played
    from littlestone.learner import Learner
    from littlestone.running.inputs import Data, Meaning

__all__ = ["Counsel", "advise"]

# With more columns than Auto takes, a full matrix is tried with at most so many, and if
# its cells in all rounds are at most so many: a tenth of a second.
_COLUMNS, _CELLS = 300, 10**8
_RATES = (0.1, 0.01)  # of Balanced Winnow, for values of size 1


@dataclass(frozen=True)
class Counsel:
    """Which learner to use on a stream, and why; `print` gives it in words.

    Attributes
    ----------
    survey
        What the stream looks like.
    euclidean, absolute
        The margins that count for the Perceptron and for Winnow; None if none was
        found, or bounds were not asked for.
    trials
        The learners that were tried.
    choice
        The one to use.
    reasons
        Sentences that say why.

    Examples
    --------
    >>> from littlestone import advise
    >>> counsel = advise([({"a": 1.0}, False), ({"b": 1.0}, True)] * 3, bias=0.0)
    >>> counsel.choice.name, counsel.choice.mistakes
    ('Auto', 1)
    >>> print(counsel.reasons[0])
    Use Auto(bias=0): it made 1 mistake in 6 rounds (16.67%).
    """

    survey: Survey
    euclidean: Margin | None
    absolute: Margin | None
    trials: tuple[Trial, ...]
    choice: Trial
    reasons: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, fit for JSON."""
        plain = asdict(self)
        plain["survey"] |= {
            "share": self.survey.share,
            "nonnegative": self.survey.nonnegative,
            "seems_sorted": self.survey.seems_sorted,
        }
        return plain

    def __str__(self) -> str:
        return "\n".join(self.reasons)

    def _repr_html_(self) -> str:
        rows = [
            (
                str(trial),
                NONE if trial.mistakes is None else f"{trial.mistakes:,}",
                NONE if trial.shuffled is None else f"{trial.shuffled:,}",
                figure(trial.bound) + trial.emptiness,
                trial.theorem or NONE,
                trial.reason or "",
            )
            for trial in self.trials
        ]
        head = ("learner", "mistakes", "shuffled", "at most", "theorem", "")
        why = (paragraph(reason) for reason in self.reasons)
        return block(f"Use {self.choice}", table(head, rows), *why)


def advise(
    stream: Data,
    *,
    label: str | int | None = None,
    positive: Meaning | None = None,
    bias: float = 1.0,
    bounds: bool = False,
    observe: Callable[[str], object] | None = None,
) -> Counsel:
    """Try linear learners on a stream, and say which to use and why.

    Winnow is tried if all values lie in [0, 1], with the number of features as its
    threshold. `Auto` is chosen, unless one learner alone made fewer mistakes by more
    than chance explains; in a stream that seems to be sorted, those on a sample in a
    random order count.

    Parameters
    ----------
    stream
        Examples of two classes, also as a data frame with `label` or a pair `(X, y)`,
        as for `run`; it is read twice, if it has more than 2 million values.
    label
        The column of a data frame that has the labels.
    positive
        The label of a data frame or pair that means yes, or several, as for `run`.
    bias
        The value of a constant feature, for all but Winnow; 0 for none.
    bounds
        Certify each run, so that each bound is proved for this very stream, measure the
        margins, and try Balanced Winnow with the rate that its theorem asks for. It
        may take much longer than the runs.
    observe
        Called with a text before each step.

    Examples
    --------
    >>> from littlestone import advise
    >>> stream = [({"cheap": 1, "pills": 1}, True), ({"lunch": 1}, False)] * 20
    >>> counsel = advise(stream, bounds=True)
    >>> for trial in counsel.trials[:3]:
    ...     print(trial, trial.mistakes, trial.theorem)
    Perceptron(bias=1) 2 PERC-RMS
    AveragedPerceptron(bias=1) 2 PERC-RMS
    PassiveAggressive(bias=1) 1 PA-STEPS
    """
    examples = as_stream("advise", stream, label, Needs(Outcome.LABEL), positive)
    if isinstance(examples, (Adversary, Iterator)) or (
        isinstance(examples, Stream) and not examples.repeatable
    ):
        raise ParameterError(
            f"the stream must be readable again, got one that is not: {stream!r}",
            owner="advise",
        )
    tell = observe or (lambda _: None)
    surveyor, trials = Surveyor(), Trials(examples, tell, bounds=bounds)
    first, *_ = trials.play(
        Perceptron(bias=bias),
        AveragedPerceptron(bias=bias),
        PassiveAggressive(bias=bias),
        PassiveAggressive(C=0.01, bias=bias),
        AROW(bias=bias),
        AROW(r=10.0, bias=bias),
        SecondOrderPerceptron(bias=bias),
        AdaGrad(bias=bias),
        CoinBetting(bias=bias),
        auto := Auto(bias=bias),
        beside=surveyor,
    )
    survey = surveyor.survey(first.record.rounds)
    scale = max(survey.scale, abs(bias)) or 1.0
    rates, euclidean, absolute = set(_RATES), None, None
    if bounds:
        tell("measuring the margins")
        euclidean = margins.euclidean(first)
        if euclidean is not None and euclidean.separates:
            absolute = margins.separating(first, bias)
        rates = {_rate(first, absolute, scale)}
    balanced = [
        BalancedWinnow(rate=float(f"{rate / scale:.2g}"), scale=scale, bias=bias)
        for rate in sorted(rates, reverse=True)
    ]
    if isinstance(examples, Stream) and examples.stopped:  # by Ctrl-C
        made = trials.made
    else:
        whole = None if bounds else surveyor.sample.whole()
        others = _conditional(survey, bias, auto.narrow)
        second, *_ = trials.play(*balanced, *others, whole=whole)
        if bounds:
            absolute = absolute or margins.absolute(second)
        sample = surveyor.sample.stream(survey.sampled)
        made = trials.over(sample, with_auto=survey.seems_sorted)
    left_out = list(_left_out(survey))
    choice = chosen(made, shuffled=survey.seems_sorted)
    said = reasons(survey, euclidean, absolute, [*made, *left_out], choice)
    return Counsel(survey, euclidean, absolute, (*made, *left_out), choice, said)


def _rate(first: Played, absolute: Margin | None, scale: float) -> float:
    """Return the rate of Balanced Winnow for the margin, for values of size 1."""
    share = (
        margins.soft_share(first.certificate, scale)
        if absolute is None
        else absolute.share
    )
    return max(share, margins.SLOWEST)


def _conditional(survey: Survey, bias: float, narrow: int) -> Iterator[Learner]:
    """Yield the learners that suit only some streams."""
    if survey.in_unit:
        yield Winnow.for_disjunction(max(survey.features, 1))
    if _is_narrow(survey, bias, narrow):
        yield AROW(diagonal=False, bias=bias)
        yield SecondOrderPerceptron(diagonal=False, bias=bias)


def _is_narrow(survey: Survey, bias: float, narrow: int) -> bool:
    """Return whether full matrices are played by Auto anyway, or cost little."""
    if survey.features + bool(bias) <= narrow:
        return True
    cells = survey.features**2 * survey.examples
    return survey.features <= _COLUMNS and cells <= _CELLS


def _left_out(survey: Survey) -> Iterator[Trial]:
    """Yield the learners that do not suit the stream, with the reason."""
    if not survey.in_unit:
        why = (
            "values must lie in [0, 1], and here they go from "
            f"{survey.smallest:.6g} to {survey.largest:.6g}"
        )
        yield Trial("Winnow", {}, reason=why)
