"""Which mushrooms are poisonous: rules for 8,124 of them, and what they cost to learn.

    python examples/mushrooms.py FILE

FILE is agaricus-lepiota.csv or agaricus-lepiota.csv.gz with a header: the column class
is p for poisonous and e for edible, and 22 others describe a mushroom by letters.

First the rules that were published for this table, one term more at a time. Then
learners that see one mushroom after another, pass after pass, until a pass is without a
mistake: all their mistakes beside the most that their theorem allows. Last the short
rules that fit the whole table, and the mushrooms that rule out every disjunction.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from littlestone import run, streams, theorems
from littlestone.boolean import (
    DecisionListLearner,
    KCNFLearner,
    KDNFLearner,
    fit_decision_list,
    fit_disjunction,
    fit_kcnf,
    fit_kdnf,
)
from littlestone.concepts import KDNF
from littlestone.errors import LittlestoneError, NoConsistentConcept

Examples = list[tuple[dict[str, float], bool]]

# Duch, Adamczak and Grabczewski (1997), in the notes that come with the table.
PUBLISHED = (
    "(not odor=a and not odor=l and not odor=n)",
    "spore-print-color=r",
    "(odor=n and stalk-surface-below-ring=y and not stalk-color-above-ring=n)",
    "(habitat=l and cap-color=w)",
)


@dataclass(frozen=True)
class Learned:
    """A line of the table."""

    passes: int  # the last without a mistake
    mistakes: int
    bound: float
    size: int  # of the rule it ended with


def read(path: Path) -> Examples:
    """Return the mushrooms; yes means poisonous."""
    return list(streams.csv(path, label="class", positive="p", literals=True))


def published(mushrooms: Examples) -> list[int]:
    """Print and return how often the first rules are wrong, one more at a time."""
    wrong = []
    print("published rules, and their mistakes")
    for terms in range(1, len(PUBLISHED) + 1):
        rule = KDNF.parse(" or ".join(PUBLISHED[:terms]))
        wrong.append(sum(rule(x) is not y for x, y in mushrooms))
        print(f"{wrong[-1]:6}  {'or ' if terms > 1 else ''}{PUBLISHED[terms - 1]}")
    return wrong


def fit(mushrooms: Examples) -> dict[str, Any]:
    """Print and return short rules that are right about every mushroom."""
    X, y = zip(*mushrooms, strict=True)
    rules = {
        "1-decision list": fit_decision_list(X, y),
        "2-decision list": fit_decision_list(X, y, k=2),
        "2-CNF": fit_kcnf(X, y, k=2),
        "2-DNF": fit_kdnf(X, y, k=2),
        "3-DNF": fit_kdnf(X, y, k=3),
    }
    for name, rule in rules.items():
        print(f"\n{name} that fits all, size {rule.size}:\n  {rule}")
    try:
        fit_disjunction(X, y)
    except NoConsistentConcept as error:
        print(f"\n{error}:", *error.examples, sep="\n  ")
    return rules


def learn(mushrooms: Examples, length: int) -> dict[str, Learned]:
    """Learn online, print a table and return it; a list of some length fits."""
    learned = {}
    print(f"\n{'learned online':16} passes mistakes    at most  size of the rule")
    learner: Any
    for name, learner in (
        ("1-decision list", DecisionListLearner()),
        ("2-CNF", KCNFLearner(2)),
        ("2-DNF", KDNFLearner(2)),
        ("3-DNF", KDNFLearner(3)),
    ):
        passes, mistakes = 1, 0
        while made := run(learner, mushrooms).mistakes:
            passes, mistakes = passes + 1, mistakes + made
        numbers = {"features": len(learner.features_), "k": learner.k}
        theorem = learner.guarantees[0]  # the others count exceptions, or blocks
        if theorem is theorems.DL:
            numbers["length"] = length
        bound = theorem.bound(**numbers)
        line = Learned(passes, mistakes, bound, learner.concept_.size)
        print(f"{name:16} {passes:6} {mistakes:8,} {bound:10,.0f} {line.size:17,}")
        learned[name] = line
    return learned


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    try:
        mushrooms = read(parser.parse_args().file)
    except LittlestoneError as error:
        sys.exit(str(error))
    published(mushrooms)
    rules = fit(mushrooms)
    learn(mushrooms, rules["1-decision list"].size)


if __name__ == "__main__":
    main()
