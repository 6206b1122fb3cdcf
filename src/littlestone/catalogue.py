"""The learners there are: one table, from which all other lists are taken.

The command line, the model file, the classifiers for scikit-learn and River and the
pages of the documentation list the learners that this table names. The judge keeps a
list of its own, since it shares nothing with the learners.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING

from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from littlestone.learner import Learner

__all__ = ["CATALOGUE", "Entry", "Reads", "entry_of", "of_files", "of_games"]


class Reads(StrEnum):
    """What the examples of a learner are made of.

    Attributes
    ----------
    FEATURES
        Numbers by feature.
    LITERALS
        Features that are true or false.
    ADVICE
        What experts predict.
    POINTS
        Whatever the concepts of its class can be asked about.
    LABELS
        Nothing: it looks at the labels before.
    MEMBERS
        Whatever its members read.

    Examples
    --------
    >>> from littlestone.catalogue import Reads, entry_of
    >>> entry_of("Halving").reads is Reads.ADVICE
    True
    """

    FEATURES = "features"
    LITERALS = "literals"
    ADVICE = "advice"
    POINTS = "points"
    LABELS = "labels"
    MEMBERS = "members"


@dataclass(frozen=True)
class Entry:
    """One learner of the table.

    Attributes
    ----------
    name
        What the command line calls it; empty if it does not.
    path
        Where its class is.
    reads
        What its examples are made of.
    outcome
        What it predicts; None where its loss or its rule says.

    Examples
    --------
    >>> from littlestone.catalogue import entry_of
    >>> winnow = entry_of("Winnow")
    >>> winnow.name, winnow.path, str(winnow.reads), str(winnow.outcome)
    ('winnow', 'littlestone.linear.Winnow', 'features', 'label')
    """

    name: str
    path: str
    reads: Reads
    outcome: Outcome | None

    @property
    def class_name(self) -> str:
        """The name of its class."""
        return self.path.rpartition(".")[2]

    def load(self) -> type[Learner]:
        """Return its class, importing its module if needed."""
        module, _, name = self.path.rpartition(".")
        found: type[Learner] = getattr(import_module(module), name)
        return found


def _entries(
    room: str, reads: Reads, outcome: Outcome | None, *named: tuple[str, str]
) -> Iterator[Entry]:
    """Yield the learners of a room that read and predict the same."""
    for name, path in named:
        yield Entry(name, f"littlestone.{room}.{path}", reads, outcome)


# In the order in which lists show them. A learner with two names has two entries, the
# name that is preferred first.
CATALOGUE: tuple[Entry, ...] = (
    *_entries("auto", Reads.FEATURES, Outcome.LABEL, ("auto", "Auto")),
    *_entries(
        "linear",
        Reads.FEATURES,
        Outcome.LABEL,
        ("perceptron", "Perceptron"),
        ("averaged-perceptron", "AveragedPerceptron"),
        ("voted-perceptron", "VotedPerceptron"),
        ("kernel-perceptron", "KernelPerceptron"),
        ("passive-aggressive", "PassiveAggressive"),
        ("second-order-perceptron", "SecondOrderPerceptron"),
        ("arow", "AROW"),
        ("winnow", "Winnow"),
        ("balanced-winnow", "BalancedWinnow"),
        ("aioli", "AIOLI"),
    ),
    *_entries(
        "auto", Reads.FEATURES, Outcome.CLASS, ("multiclass-auto", "MulticlassAuto")
    ),
    *_entries(
        "linear",
        Reads.FEATURES,
        Outcome.CLASS,
        ("multiclass-perceptron", "MulticlassPerceptron"),
        ("multiclass-passive-aggressive", "MulticlassPassiveAggressive"),
        ("multiclass-arow", "MulticlassAROW"),
        ("multiclass-second-order", "MulticlassSecondOrder"),
        ("multiclass-ada-grad", "MulticlassAdaGrad"),
    ),
    *_entries(
        "linear",
        Reads.FEATURES,
        None,
        ("gradient-descent", "GradientDescent"),
        ("ada-grad", "AdaGrad"),
        ("coin-betting", "CoinBetting"),
        ("ftrl", "FTRL"),
        ("exponentiated-gradient", "ExponentiatedGradient"),
    ),
    *_entries(
        "linear",
        Reads.FEATURES,
        Outcome.NUMBER,
        ("vovk-azoury-warmuth", "VovkAzouryWarmuth"),
    ),
    *_entries(
        "boolean",
        Reads.LITERALS,
        Outcome.LABEL,
        ("conjunction", "ConjunctionLearner"),
        ("disjunction", "DisjunctionLearner"),
        ("k-cnf", "KCNFLearner"),
        ("k-dnf", "KDNFLearner"),
        ("decision-list", "DecisionListLearner"),
        ("winnow-dnf", "WinnowDNF"),
    ),
    *_entries(
        "boolean",
        Reads.POINTS,
        Outcome.LABEL,
        ("consistent", "ConsistentLearner"),
        ("version-space", "VersionSpaceLearner"),
        ("standard-optimal", "StandardOptimalLearner"),
    ),
    *_entries(
        "experts",
        Reads.ADVICE,
        None,
        ("hedge", "ExponentialWeights"),
        ("exponential-weights", "ExponentialWeights"),
        ("ada-hedge", "AdaHedge"),
        ("fixed-share", "FixedShare"),
        ("ml-poly", "MLPoly"),
        ("ml-prod", "MLProd"),
        ("boa", "BOA"),
        ("aggregating-algorithm", "AggregatingAlgorithm"),
        ("", "_ml_ewa.MLEwa"),
    ),
    *_entries(
        "experts",
        Reads.ADVICE,
        Outcome.LABEL,
        ("halving", "Halving"),
        ("weighted-majority", "WeightedMajority"),
        ("floor-weighted-majority", "FloorWeightedMajority"),
        ("randomized-weighted-majority", "RandomizedWeightedMajority"),
    ),
    *_entries(
        "experts",
        Reads.LABELS,
        Outcome.LABEL,
        ("follow-the-majority", "FollowTheMajority"),
        ("cover", "Cover"),
    ),
    *_entries("experts", Reads.MEMBERS, None, ("committee", "Committee")),
    # The command line restarts any learner of features, puts it behind a map, and puts
    # intervals around a learner of numbers.
    *_entries("maps", Reads.FEATURES, None, ("", "Mapped")),
    *_entries("experts", Reads.FEATURES, None, ("", "Restarting")),
    Entry("", "littlestone.conformal.Adaptive", Reads.MEMBERS, Outcome.NUMBER),
)


def entry_of(class_name: str) -> Entry | None:
    """Return the entry of a learner by the name of its class, None if there is none.

    Examples
    --------
    >>> from littlestone.catalogue import entry_of
    >>> entry_of("ExponentialWeights").name, entry_of("Guesser")
    ('hedge', None)
    """
    return next((each for each in CATALOGUE if each.class_name == class_name), None)


def of_files() -> dict[str, Entry]:
    """Return the learners that the command line can play a file with, by name.

    Examples
    --------
    >>> from littlestone.catalogue import of_files
    >>> of_files()["k-dnf"].class_name, "cover" in of_files()
    ('KDNFLearner', False)
    """
    in_files = Reads.FEATURES, Reads.LITERALS, Reads.ADVICE, Reads.MEMBERS
    return {
        each.name: each for each in CATALOGUE if each.name and each.reads in in_files
    }


def of_games() -> dict[str, Entry]:
    """Return the learners that the command line can set against an adversary, by name.

    Examples
    --------
    >>> from littlestone.catalogue import of_games
    >>> "cover" in of_games(), "hedge" in of_games()
    (True, False)
    """
    return {
        each.name: each
        for each in CATALOGUE
        if each.name and each.outcome is Outcome.LABEL
    }
