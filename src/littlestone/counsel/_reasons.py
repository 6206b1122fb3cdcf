"""The choice of a learner, and why, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from littlestone.display.bounds import Bound, smallest
from littlestone.display.words import TAUTOLOGICAL, VACUOUS, counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from littlestone.counsel._margins import Margin
    from littlestone.counsel._survey import Survey
    from littlestone.counsel._trials import Trial

__all__ = ["as_good", "chosen", "reasons"]

# How many standard deviations apart two counts may be, to be as good as each other.
_APART = 2


def chosen(trials: Iterable[Trial], *, shuffled: bool = False) -> Trial:
    """Return the trial with the fewest mistakes, or the fewest on the shuffled sample.

    Of those that chance may have set apart, `Auto`, which needs no choice beforehand;
    or else the one that was better in the other order.
    """
    counts = [
        (trial, trial.mistakes, trial.shuffled or 0)
        for trial in trials
        if trial.mistakes is not None
    ]
    if shuffled:
        counts = [(trial, other, own) for trial, own, other in counts]
    fewest = min(own for _, own, _ in counts)
    good = [each for each in counts if as_good(each[1], fewest)]
    return min(good, key=lambda each: (each[0].name != "Auto", each[2], each[1]))[0]


def as_good(mistakes: int, others: int) -> bool:
    """Return whether two counts differ by no more than chance explains."""
    return (mistakes - others) ** 2 <= _APART**2 * (mistakes + others)


def reasons(
    survey: Survey,
    euclidean: Margin | None,
    absolute: Margin | None,
    trials: list[Trial],
    choice: Trial,
) -> tuple[str, ...]:
    told = [_why(survey, choice)]
    if choice.name == "Auto":
        told += _alone(trials, choice)
    close = [
        f"{trial} ({trial.mistakes:,})"
        for trial in trials
        if trial is not choice
        and trial.mistakes is not None
        and as_good(trial.mistakes, choice.mistakes or 0)
    ]
    if close:
        told.append(f"{listed(close)} made about as many.")
    told += _orders(survey, trials, choice)
    told += _smallest(trials)
    told += _margins(survey, euclidean, absolute)
    told += [
        f"{trial.name} was not tried: {trial.reason}."
        if trial.mistakes is None
        else f"The mistakes of {trial} have no bound: {_unbounded(trial)}."
        for trial in trials
        if trial.reason is not None
    ]
    told += _warnings(survey, euclidean, choice)
    return tuple(told)


def _alone(trials: list[Trial], choice: Trial) -> list[str]:
    """Say which single learner is best, where one small model is wanted."""
    best = _best_alone(trials, choice)
    if best is None:
        return []
    made = counted(best.mistakes or 0, "mistake")
    return [
        (
            "It follows several learners at once. Where one small model is wanted, use "
            f"{best}, with {made}."
        )
    ]


def _best_alone(trials: list[Trial], choice: Trial) -> Trial | None:
    """Return the other trial with the fewest mistakes."""
    others = [
        trial for trial in trials if trial is not choice and trial.mistakes is not None
    ]
    return min(others, key=lambda trial: trial.mistakes or 0, default=None)


def _orders(survey: Survey, trials: list[Trial], choice: Trial) -> list[str]:
    """Compare with the mistakes on the sample, in a random order.

    Where Auto did not play it, the best of those that it follows is compared.
    """
    played = [trial for trial in trials if trial.shuffled is not None]
    own = choice if choice.shuffled is not None else _best_alone(trials, choice)
    if not played or own is None or own.shuffled is None:
        return []
    best = min(played, key=lambda trial: trial.shuffled or 0)
    rounds = counted(survey.sampled, "example")
    told = (
        f"On {rounds} in a random order {'it' if own is choice else own} made "
        f"{counted(own.shuffled, 'mistake')} "
        f"({own.shuffled / max(survey.sampled, 1):.2%})"
    )
    if as_good(own.shuffled, best.shuffled or 0):
        return [f"{told}, which none beat by more than chance."]
    return [f"{told}, and {best} {best.shuffled:,}: the order of the stream matters."]


def _smallest(trials: list[Trial]) -> list[str]:
    """Say which bound is the smallest, and why."""
    told = smallest(
        [
            Bound(
                str(trial),
                trial.theorem,
                "mistakes",
                trial.bound,
                trial.numbers,
                trial.vacuous,
                trial.tautological,
            )
            for trial in trials
            if trial.bound is not None and trial.theorem is not None
        ]
    )
    return [] if told is None else [told]


def _why(survey: Survey, choice: Trial) -> str:
    mistakes = choice.mistakes or 0
    share = mistakes / max(survey.examples, 1)
    why = (
        f"Use {choice}: it made {counted(mistakes, 'mistake')} in "
        f"{counted(survey.examples, 'round')} ({share:.2%})"
    )
    if choice.bound is not None:
        most = math.floor(choice.bound)
        why += f", and {choice.theorem} allows {most:,}"
        if choice.vacuous or choice.tautological:
            why += f", which is {VACUOUS if choice.vacuous else TAUTOLOGICAL}"
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
        "The rounds that changed the Perceptron have a Euclidean margin of "
        f"{lengths:.3g}, which allows the Perceptron 1/{lengths:.3g}^2 = {added:,.0f} "
        f"mistakes, and an absolute margin of {sizes:.3g}, which allows Balanced "
        f"Winnow 2 ln(2n)/{sizes:.3g}^2 = {multiplied:,.0f}: the theorems prefer "
    )
    if added <= multiplied:
        return [f"{told}the Perceptron. Many features matter, or rows are short."]
    return [f"{told}Balanced Winnow. Few of many features matter."]


def _unbounded(trial: Trial) -> str:
    if trial.name == "Winnow":
        return "no nonnegative weights were found that separate yes from no"
    return str(trial.reason)


def _warnings(survey: Survey, euclidean: Margin | None, choice: Trial) -> list[str]:
    told = []
    if not survey.idle:
        told.append("All labels are the same: there is nothing to learn yet.")
    elif (choice.mistakes or 0) >= survey.idle:
        answer = "no" if survey.positives == survey.idle else "yes"
        told.append(
            f"Always saying {answer} makes {counted(survey.idle, 'mistake')}, and no "
            "learner did better. Other features, more rounds or a kernel may help."
        )
    if survey.seems_sorted:
        told.append(
            f"The label changes only {counted(survey.changes, 'time')}, so the stream "
            "seems to be sorted and its mistakes mean little: the choice is by the "
            "mistakes in a random order. Shuffle it, unless that is its true order: "
            "streams.shuffled and --shuffle do."
        )
    if euclidean is not None and not euclidean.separates:
        told.append(
            f"No hyperplane was found that separates the {euclidean.updates:,} rounds "
            "that changed the Perceptron: labels are noisy, or features are missing."
        )
    return told
