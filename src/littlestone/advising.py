"""Which linear learner to use on a stream, and why.

The stream is looked at, then played by the Perceptron, Winnow, Balanced Winnow and the
passive-aggressive learner, and each run is held against its theorems. What comes out
are facts, two margins, mistakes beside bounds, and a choice in words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core
from littlestone.adversaries import Adversary
from littlestone.certifying import certify
from littlestone.certifying._examples import Examples
from littlestone.certifying._winnow import linear_program
from littlestone.display.markup import block, paragraph, table
from littlestone.display.words import NONE, counted, figure
from littlestone.errors import LittlestoneError, ParameterError
from littlestone.linear import BalancedWinnow, PassiveAggressive, Perceptron, Winnow
from littlestone.running.examples import nonzero_entries
from littlestone.running.race import race
from littlestone.streams import Stream
from littlestone.verifying import as_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from littlestone.learner import Learner
    from littlestone.rows import Example
    from littlestone.running import Record
    from littlestone.verifying import Certificate

__all__ = ["Counsel", "Margin", "Survey", "Trial", "advise"]

# How many standard deviations two counts may be apart, to be as good as each other.
_APART = 2
# A linear program with more numbers than that takes longer than it is worth.
_LARGEST = 200_000
# A stream whose label changes so much less often than by chance seems to be sorted.
_SORTED = 0.1
_MANY = 100  # rounds, before that is said
# Rates of Balanced Winnow, for values of size 1: the least, and the most where no
# vector separates, so that the margin is a guess.
_SLOWEST, _GUESSED = 0.01, 0.3
_SOME = 1024  # examples that are looked at together


@dataclass(frozen=True)
class Survey:
    """What a stream looks like.

    Attributes
    ----------
    examples, positives
        How many examples there are, and how many of them are labelled yes.
    changes
        How often an example is labelled otherwise than the one before.
    features
        How many features have a value other than 0 somewhere.
    nonzeros, longest
        How many of them an example has, on average and at most.
    smallest, largest
        The smallest and the largest value other than 0; 0 if there is none.
    boolean
        Whether every value is 0 or 1.

    Examples
    --------
    >>> from littlestone import advise
    >>> stream = [({"a": 1.0, "b": 0.5}, True), ({"a": 1.0}, False)]
    >>> survey = advise(stream).survey
    >>> survey.features, survey.nonzeros, survey.share, survey.in_unit
    (2, 1.5, 0.5, True)
    """

    examples: int
    positives: int
    changes: int
    features: int
    nonzeros: float
    longest: int
    smallest: float
    largest: float
    boolean: bool

    @property
    def share(self) -> float:
        """The share of the examples that are labelled yes."""
        return self.positives / self.examples if self.examples else 0.0

    @property
    def idle(self) -> int:
        """The mistakes of whoever gives the commoner answer to everything."""
        return min(self.positives, self.examples - self.positives)

    @property
    def nonnegative(self) -> bool:
        """Whether no value is below 0."""
        return self.smallest >= 0

    @property
    def in_unit(self) -> bool:
        """Whether every value is in [0, 1], as Winnow asks."""
        return self.nonnegative and self.largest <= 1

    @property
    def scale(self) -> float:
        """The largest size of a value."""
        return max(abs(self.smallest), abs(self.largest))

    @property
    def seems_sorted(self) -> bool:
        """Whether labels change far less often than if they were shuffled."""
        by_chance = 2 * self.share * (1 - self.share) * self.examples
        return self.examples >= _MANY and self.changes < _SORTED * by_chance


@dataclass(frozen=True)
class Margin:
    """By how much a vector separates the rounds that changed a learner.

    Attributes
    ----------
    kind
        `"euclidean"`, where vector and examples are measured by their lengths, as the
        Perceptron's theorems do; or `"absolute"`, where a vector is measured by the sum
        of its sizes and an example by its largest value, as those of Winnow do.
    share
        The margin of the best vector that was found, divided by both measures.
    short
        By what share rounds fall short of that margin, on average; 0 if none does.
    updates
        How many rounds that is about.

    Examples
    --------
    >>> from littlestone import advise
    >>> stream = [({"a": 1.0}, False), ({"b": 1.0}, True)] * 3
    >>> advise(stream, bias=0.0).euclidean
    Margin(kind='euclidean', share=1.0, short=0.0, updates=1)
    """

    kind: str
    share: float
    short: float
    updates: int

    @property
    def separates(self) -> bool:
        """Whether no round falls short."""
        return self.short == 0


@dataclass(frozen=True)
class Trial:
    """A learner that was tried, and what its theorems promise.

    Attributes
    ----------
    name, parameters
        The learner.
    mistakes, updates
        What came of its run; None if it was not played.
    theorem, bound
        What promises least, and what it promises; None if nothing does.
    reason
        Why it was not played, or why nothing bounds its mistakes.

    Examples
    --------
    >>> from littlestone import advise
    >>> trial = advise([({"a": -1.0}, False)]).trials[1]
    >>> trial.name, trial.mistakes, trial.reason
    ('Winnow', None, 'values must lie in [0, 1], and here they go from -1 to -1')
    """

    name: str
    parameters: dict[str, Any]
    mistakes: int | None = None
    updates: int | None = None
    theorem: str | None = None
    bound: float | None = None
    reason: str | None = None

    def __str__(self) -> str:
        given = ", ".join(
            f"{name}={value!r}" for name, value in self.parameters.items()
        )
        return f"{self.name}({given})"


@dataclass(frozen=True)
class Counsel:
    """Which learner to use on a stream, and why; `print` tells it in words.

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
    Use Perceptron: it made 1 mistake in 6 rounds (16.67%), PERC-SEP allowing 1.
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

    Winnow is played where all values lie in [0, 1], with the number of features as its
    threshold; Balanced Winnow at the rate that its theorem asks for at the margin of
    the rounds that changed the Perceptron. Bounds are those of `certify`, so that each
    of them is proved for this very stream.

    Parameters
    ----------
    stream
        Examples of two classes, which are read twice.
    bias
        The value of a constant feature, for all but Winnow; 0 for none.
    observe
        Called with a text on what is done next.

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
    surveyor, trials = _Surveyor(), _Trials(stream, tell)
    first, aggressive = trials.play(
        Perceptron(bias=bias), PassiveAggressive(bias=bias), beside=surveyor
    )
    survey = surveyor.survey(first.record.rounds)
    tell("measuring the margins")
    euclidean, absolute = _euclidean(first), None
    if euclidean is not None and euclidean.separates:
        absolute = _separating(first, bias)
    scale = max(survey.scale, abs(bias)) or 1.0
    share = (
        _soft_share(first.certificate, scale) if absolute is None else absolute.share
    )
    rate = float(f"{max(share, _SLOWEST) / scale:.2g}")
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
    absolute = absolute or _absolute(balanced)
    made = [first.trial, left_out, balanced.trial, aggressive.trial]
    choice = _chosen(made)
    reasons = _reasons(survey, euclidean, absolute, made, choice)
    return Counsel(survey, euclidean, absolute, tuple(made), choice, reasons)


# The survey ---------------------------------------------------------------------------


class _Surveyor:
    """Plays a stream as one who always says no, never learns, and looks at it."""

    updates_ = 0

    def __init__(self) -> None:
        self._examples = _core.KeptExamples()
        self._waiting = 0
        self._last: bool | None = None
        self.positives = self.changes = self.entries = self.longest = 0
        self.smallest, self.largest, self.boolean = math.inf, -math.inf, True

    def predict_one(self, _: Example) -> bool:
        return False

    def learn_one(self, x: Example, y: bool) -> None:
        self._examples.add_one(*nonzero_entries(x))
        self._follow(np.array([y]))
        self._waiting += 1
        if self._waiting == _SOME:
            self.look()

    def play_rows(  # noqa: PLR0917 - as `run` calls it
        self,
        rows: _core.Rows,
        labels: NDArray[np.bool_],
        predictions: NDArray[np.bool_],
        first: int,
        last: int,
        changed: NDArray[Any],
    ) -> None:
        """Play rows of a block, as `run` asks for it."""
        predictions[first:last] = changed[first:last] = False
        self._examples.add(rows, np.ones(len(labels), dtype=np.bool_), first, last)
        self._follow(labels[first:last])
        self.look()

    def _follow(self, labels: NDArray[np.bool_]) -> None:
        before = labels[:1] if self._last is None else np.array([self._last])
        followed = np.concatenate([before, labels])
        self.positives += int(np.count_nonzero(labels))
        self.changes += int(np.count_nonzero(followed[1:] != followed[:-1]))
        self._last = bool(followed[-1]) if len(followed) else None

    def look(self) -> None:
        """Look at the examples that have been played since the last look."""
        ends, _, values = self._examples.take()
        self._waiting = 0
        self.entries += len(values)
        self.longest = max(self.longest, int(np.diff(ends, prepend=0).max(initial=0)))
        self.smallest = min(self.smallest, float(values.min(initial=math.inf)))
        self.largest = max(self.largest, float(values.max(initial=-math.inf)))
        self.boolean = self.boolean and bool((values == 1).all())

    def survey(self, rounds: int) -> Survey:
        """Return what was seen."""
        self.look()
        some = self.entries > 0
        return Survey(
            examples=rounds,
            positives=self.positives,
            changes=self.changes,
            features=len(self._examples.features()),
            nonzeros=self.entries / max(rounds, 1),
            longest=self.longest,
            smallest=self.smallest if some else 0.0,
            largest=self.largest if some else 0.0,
            boolean=self.boolean,
        )


# The trials ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Played:
    """A run that was tried, its certificate if there is one, and what to tell of it."""

    record: Record
    certificate: Certificate | None
    trial: Trial


class _Trials:
    """Learners that play a stream."""

    def __init__(self, stream: Iterable[Any], tell: Callable[[str], object]) -> None:
        self._stream, self._tell = stream, tell

    def play(self, *learners: Learner, beside: Any = None) -> list[_Played]:
        """Play the stream, read once for all, and certify the runs."""
        named: dict[str, Any] = {type(each).__name__: each for each in learners}
        self._tell(f"playing {_listed(list(named))}")
        racing = named if beside is None else {**named, "beside": beside}
        ranking = race(racing, self._stream, keep="updates")
        for error in ranking.left.values():
            raise error
        return [self._certified(ranking[name]) for name in named]

    def _certified(self, record: Record) -> _Played:
        name = record.learner.name
        self._tell(f"certifying {name}")
        certificate, reason = None, None
        try:
            certificate = certify(record)
        except LittlestoneError as error:
            reason = str(error)
        trial = Trial(
            name=name,
            parameters=dict(record.learner.parameters),
            mistakes=record.mistakes,
            updates=record.updates,
            theorem=None if certificate is None else certificate.theorem,
            bound=None if certificate is None else certificate.bound,
            reason=reason,
        )
        return _Played(record, certificate, trial)


def _held(played: _Played, theorem: str) -> dict[str, float] | None:
    """Return the numbers of a theorem that holds on a run, or None."""
    certificate = played.certificate
    if certificate is None or certificate.theorem != theorem:
        try:
            certificate = certify(played.record, theorem=theorem)
        except LittlestoneError:
            return None
    return certificate.numbers


def _euclidean(played: _Played) -> Margin | None:
    """Return the hard margin if there is one, else the best soft one."""
    updates = played.record.updates or 0
    hard = _held(played, "PERC-SEP")
    if hard is not None:
        size = hard["norm"] * hard["radius"]
        share = hard["margin"] / size if size else 1.0
        return Margin("euclidean", min(share, 1.0), 0.0, updates)
    soft = _held(played, "PERC-TD")
    if soft is None or not soft["radius"]:
        return None
    return _soft("euclidean", soft, soft["radius"], updates)


def _separating(played: _Played, bias: float) -> Margin | None:
    """Return the largest margin of a vector whose sizes add up to 1, or None.

    None as well where that would take long, or SciPy is not there.
    """
    kept = played.record.examples
    if kept is None or not len(kept.values) or len(kept.values) > _LARGEST:
        return None
    examples = Examples.of(kept, bias=bias)
    # The program knows no signs: every feature stands for and against.
    width = examples.width
    both = Examples(
        2 * examples.offsets,
        np.stack([examples.columns, examples.columns + width], axis=1).ravel(),
        np.stack([examples.values, -examples.values], axis=1).ravel(),
        examples.signs,
        2 * width,
    )
    nothing, levels = np.zeros((len(both), 0)), np.ones(len(both))
    found = linear_program(both, np.ones(2 * width), nothing, levels)
    if found is None:
        return None
    u = found[:width] - found[width:]
    size = float(np.abs(u).sum() * np.abs(examples.values).max())
    share = float(examples.margins(u).min()) / size if size else 0.0
    return Margin("absolute", share, 0.0, len(examples)) if share > 0 else None


def _absolute(played: _Played) -> Margin | None:
    """Return the best soft margin of a vector whose sizes add up to 1, or None."""
    found = _held(played, "BWIN-ANY")
    if found is None:
        return None
    return _soft("absolute", found, found["scale"], played.record.mistakes)


def _soft(kind: str, numbers: dict[str, float], measure: float, rounds: int) -> Margin:
    margin, deviation = numbers["margin"], numbers["deviation"]
    short = deviation / (margin * rounds) if margin * rounds > 0 else 0.0
    return Margin(kind, margin / measure, short, rounds)


def _soft_share(certificate: Certificate | None, scale: float) -> float:
    """Guess the margin by sizes, from the Perceptron's witness."""
    if certificate is None or certificate.witness["kind"] != "vector":
        return _SLOWEST
    texts = [text for _, text in certificate.witness["entries"]]
    texts += [certificate.witness["bias"] or "0"]
    size = float(sum((abs(as_number(text)) for text in texts), Fraction(0)))
    margin = certificate.numbers.get("margin", 0.0)
    return min(margin / (size * scale), _GUESSED) if size else _SLOWEST


# The choice ---------------------------------------------------------------------------


def _chosen(trials: Iterable[Trial]) -> Trial:
    """Return the trial of which most is proved, among those with fewest mistakes."""
    played = [trial for trial in trials if trial.mistakes is not None]
    fewest = min(trial.mistakes or 0 for trial in played)
    good = [trial for trial in played if _as_good(trial.mistakes or 0, fewest)]
    return min(good, key=lambda t: math.inf if t.bound is None else t.bound)


def _as_good(mistakes: int, others: int) -> bool:
    """Tell whether two counts differ by no more than chance brings about."""
    return (mistakes - others) ** 2 <= _APART**2 * (mistakes + others)


def _reasons(
    survey: Survey,
    euclidean: Margin | None,
    absolute: Margin | None,
    trials: list[Trial],
    choice: Trial,
) -> tuple[str, ...]:
    told = [_why(survey, choice)]
    close = [
        f"{trial.name} ({trial.mistakes:,})"
        for trial in trials
        if trial is not choice
        and trial.mistakes is not None
        and _as_good(trial.mistakes, choice.mistakes or 0)
    ]
    if close:
        whose = "them" if len(close) > 1 else "it"
        told.append(
            f"{_listed(close)} made about as many, but less is proved of {whose}."
        )
    told += _margins(survey, euclidean, absolute)
    told += [
        f"{trial.name} was not tried: {trial.reason}."
        if trial.mistakes is None
        else f"Nothing bounds the mistakes of {trial.name}: {_unbounded(trial)}."
        for trial in trials
        if trial.reason is not None
    ]
    told += _warnings(survey, euclidean, choice)
    return tuple(told)


def _why(survey: Survey, choice: Trial) -> str:
    mistakes = choice.mistakes or 0
    share = mistakes / max(survey.examples, 1)
    why = (
        f"Use {choice.name}: it made {counted(mistakes, 'mistake')} in "
        f"{counted(survey.examples, 'round')} ({share:.2%})"
    )
    if choice.bound is not None:
        most = math.floor(choice.bound)
        why += f", {choice.theorem} allowing {most:,}"
    return f"{why}."


def _margins(
    survey: Survey, euclidean: Margin | None, absolute: Margin | None
) -> list[str]:
    """Compare the two margins, as the theorems weigh them."""
    if euclidean is None or absolute is None or not survey.features:
        return []
    if not (euclidean.separates and absolute.separates):
        return []
    lengths, sizes = euclidean.share, absolute.share
    added = lengths**-2
    multiplied = 2 * sizes**-2 * math.log(2 * survey.features)
    told = (
        f"The rounds that changed the Perceptron have the margin {lengths:.3g} by "
        f"lengths, worth 1/{lengths:.3g}^2 = {added:,.0f} mistakes to the Perceptron, "
        f"and {sizes:.3g} by sizes, worth 2 ln(2n)/{sizes:.3g}^2 = {multiplied:,.0f} "
        "to Balanced Winnow: of these two the theorems prefer "
    )
    if added <= multiplied:
        return [told + "the former, as where many features matter or rows are short."]
    return [told + "the latter, as where few of many features matter."]


def _unbounded(trial: Trial) -> str:
    if trial.name == "Winnow":
        return "no weights without signs that tell yes from no were found"
    return str(trial.reason)


def _warnings(survey: Survey, euclidean: Margin | None, choice: Trial) -> list[str]:
    told = []
    if not survey.idle:
        told.append("All labels are the same: there is nothing to learn yet.")
    elif (choice.mistakes or 0) >= survey.idle:
        answer = "no" if survey.positives == survey.idle else "yes"
        told.append(
            f"To say always {answer} makes {counted(survey.idle, 'mistake')}: no "
            "learner did better. Other features, more rounds or a kernel may help."
        )
    if survey.seems_sorted:
        told.append(
            f"The label changes only {counted(survey.changes, 'time')}: the stream "
            "seems to be sorted, and mistakes say little then. Shuffle it, unless it "
            "comes like that."
        )
    if euclidean is not None and not euclidean.separates:
        told.append(
            f"No hyperplane that was found separates the {euclidean.updates:,} rounds "
            "that changed the Perceptron: labels are noisy, or features are missing. "
            "AROW, or PassiveAggressive with C < 1, may forgive more."
        )
    return told


def _listed(names: list[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
