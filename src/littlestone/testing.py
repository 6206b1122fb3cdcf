"""Test your own learner against the adversaries.

Nothing here needs pytest; with pytest there are the fixtures `duel` and `adversary`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.adversaries import (
    Adversary,
    AlternatingAdversary,
    ConjunctionAdversary,
    DisjunctionAdversary,
    HalvingAdversary,
    PerceptronAdversary,
    RandomExperts,
    SingletonAdversary,
    TreeAdversary,
)
from littlestone.concepts import Conjunction
from littlestone.running import run

if TYPE_CHECKING:
    from collections.abc import Callable

    from littlestone.running import Fits, Plays, Record

__all__ = ["adversaries", "duel"]


def duel(
    learner: Plays | Fits,
    adversary: Adversary,
    *,
    at_most: float | Callable[[Adversary], float] | None = None,
) -> Record:
    """Play a learner against an adversary, and assert what is promised of it.

    Parameters
    ----------
    learner
        Anything with `predict_one` and `learn_one`, or `predict` and `partial_fit`. It
        should be newborn: what adversaries force they force from the first round on.
    adversary
        What it plays against.
    at_most
        The claimed bound on the mistakes. A function is called after the game, so
        that it may look at `adversary.best_`.

    Returns
    -------
    Record
        What happened; an `AssertionError` says what was not as promised.

    Examples
    --------
    >>> from littlestone.adversaries import PerceptronAdversary
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.testing import duel
    >>> duel(Perceptron(), PerceptronAdversary(0.5), at_most=4)
    Record(Perceptron: 4 rounds, 4 mistakes (100.00%), 4 updates)
    >>> duel(Perceptron(), PerceptronAdversary(0.5), at_most=3)
    Traceback (most recent call last):
    AssertionError: Perceptron must make at most 3 mistakes against PerceptronAdversary(gamma=0.5), got 4 in 4 rounds
    """  # noqa: E501 - a message is one line
    record = run(learner, adversary)
    name, mistakes = record.learner.name, record.mistakes
    if at_most is not None:
        bound = at_most(adversary) if callable(at_most) else at_most
        if mistakes > bound:
            raise AssertionError(
                f"{name} must make at most {bound} mistakes against {adversary!r}, "
                f"got {mistakes} in {record.rounds} rounds"
            )
    # An adversary of your own may not force what it claims.
    certain = adversary.theorem is None or adversary.theorem.lower
    if certain and mistakes < adversary.forces:
        raise AssertionError(
            f"{adversary!r} must force {adversary.forces} mistakes, "
            f"got {mistakes} of {name}"
        )
    return record


def adversaries() -> dict[str, Adversary]:
    """Return a small adversary of each kind by its name, new ones each time.

    Examples
    --------
    >>> from littlestone.testing import adversaries
    >>> for name, adversary in adversaries().items():
    ...     print(f"{name}: forces {adversary.forces} in {adversary.rounds} rounds")
    perceptron: forces 16 in 16 rounds
    halving: forces 4 in 4 rounds
    alternating: forces 15 in 15 rounds
    conjunction: forces 8 in 8 rounds
    conjunction-negations: forces 9 in 9 rounds
    disjunction: forces 8 in 8 rounds
    disjunction-negations: forces 9 in 9 rounds
    singleton: forces 1 in 7 rounds
    tree: forces 4 in 4 rounds
    random-experts: forces 32 in 64 rounds
    """
    columns = range(4)
    subsets = [
        [column for column in columns if number >> column & 1] for number in range(16)
    ]
    return {
        "perceptron": PerceptronAdversary(0.25),
        "halving": HalvingAdversary(4),
        "alternating": AlternatingAdversary(15),
        "conjunction": ConjunctionAdversary(8),
        "conjunction-negations": ConjunctionAdversary(8, negations=True),
        "disjunction": DisjunctionAdversary(8),
        "disjunction-negations": DisjunctionAdversary(8, negations=True),
        "singleton": SingletonAdversary(8),
        "tree": TreeAdversary(
            [Conjunction(*chosen) for chosen in subsets],
            [dict.fromkeys(chosen, 1) for chosen in subsets],
        ),
        "random-experts": RandomExperts(8, rounds=64),
    }
