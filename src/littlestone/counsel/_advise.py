"""Try linear learners on a stream, and choose one.

The stream is surveyed, then played by the Perceptron, Winnow, Balanced Winnow and the
passive-aggressive learner, and each run is checked against its theorems. The result
has facts about the stream, two margins, mistakes with their bounds, and a choice in
words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from littlestone.adversaries import Adversary
from littlestone.counsel import _margins as margins
from littlestone.counsel._reasons import chosen, reasons
from littlestone.counsel._survey import Survey, Surveyor
from littlestone.counsel._trials import Trial, Trials
from littlestone.display.markup import block, paragraph, table
from littlestone.display.words import NONE, figure
from littlestone.errors import ParameterError
from littlestone.linear import BalancedWinnow, PassiveAggressive, Perceptron, Winnow
from littlestone.streams import Stream

if TYPE_CHECKING:
    from littlestone.counsel._margins import Margin
    from littlestone.learner.rows import Example

__all__ = ["Counsel", "advise"]


@dataclass(frozen=True)
class Counsel:
    """Which learner to use on a stream, and why; `print` gives it in words.

    Attributes
    ----------
    survey
        What the stream looks like.
    euclidean, absolute
        The margins that count for the Perceptron and for Winnow; None if none was
        found.
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
    ('Perceptron', 1)
    >>> print(counsel.reasons[0])
    Use Perceptron: it made 1 mistake in 6 rounds (16.67%), and PERC-SEP allows 1.
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
                trial.name,
                NONE if trial.mistakes is None else f"{trial.mistakes:,}",
                figure(trial.bound),
                trial.theorem or NONE,
                trial.reason or "",
            )
            for trial in self.trials
        ]
        head = ("learner", "mistakes", "at most", "theorem", "")
        why = (paragraph(reason) for reason in self.reasons)
        return block(f"Use {self.choice}", table(head, rows), *why)


def advise(
    stream: Iterable[tuple[Example, object]],
    *,
    bias: float = 1.0,
    observe: Callable[[str], object] | None = None,
) -> Counsel:
    """Try linear learners on a stream, and say which to use and why.

    Winnow is tried if all values lie in [0, 1], with the number of features as its
    threshold; Balanced Winnow with the rate that its theorem asks for, given the margin
    of the rounds that changed the Perceptron. Bounds are those of `certify`, so each of
    them is proved for this very stream.

    Parameters
    ----------
    stream
        Examples of two classes; it is read twice.
    bias
        The value of a constant feature, for all but Winnow; 0 for none.
    observe
        Called with a text before each step.

    Examples
    --------
    >>> from littlestone import advise
    >>> stream = [({"cheap": 1, "pills": 1}, True), ({"lunch": 1}, False)] * 20
    >>> counsel = advise(stream)
    >>> for trial in counsel.trials:
    ...     print(trial.name, trial.mistakes, trial.theorem)
    Perceptron 2 PERC-TD
    Winnow 1 WIN2-SEP
    BalancedWinnow 2 BWIN-ANY
    PassiveAggressive 1 PA1
    """
    if isinstance(stream, (Adversary, Iterator)) or (
        isinstance(stream, Stream) and not stream.repeatable
    ):
        raise ParameterError(
            f"the stream must be readable again, got one that is not: {stream!r}",
            owner="advise",
        )
    tell = observe or (lambda _: None)
    surveyor, trials = Surveyor(), Trials(stream, tell)
    first, aggressive = trials.play(
        Perceptron(bias=bias), PassiveAggressive(bias=bias), beside=surveyor
    )
    survey = surveyor.survey(first.record.rounds)
    tell("measuring the margins")
    euclidean, absolute = margins.euclidean(first), None
    if euclidean is not None and euclidean.separates:
        absolute = margins.separating(first, bias)
    scale = max(survey.scale, abs(bias)) or 1.0
    share = (
        margins.soft_share(first.certificate, scale)
        if absolute is None
        else absolute.share
    )
    rate = float(f"{max(share, margins.SLOWEST) / scale:.2g}")
    learner = BalancedWinnow(rate=rate, scale=scale, bias=bias)
    if survey.in_unit:
        winnow = Winnow.for_disjunction(max(survey.features, 1))
        second, balanced = trials.play(winnow, learner)
        left_out = second.trial
    else:
        (balanced,) = trials.play(learner)
        why = (
            "values must lie in [0, 1], and here they go from "
            f"{survey.smallest:.6g} to {survey.largest:.6g}"
        )
        left_out = Trial("Winnow", {}, reason=why)
    absolute = absolute or margins.absolute(balanced)
    made = [first.trial, left_out, balanced.trial, aggressive.trial]
    choice = chosen(made)
    said = reasons(survey, euclidean, absolute, made, choice)
    return Counsel(survey, euclidean, absolute, tuple(made), choice, said)
