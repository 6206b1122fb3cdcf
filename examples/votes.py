"""Which party a member of the House belongs to, by 16 votes of 1984.

    python examples/votes.py FILE

FILE is house-votes-84.csv or house-votes-84.csv.gz with a header: the column class is
democrat or republican, the others are y, n, or ? for no vote. No vote is a literal too.

No decision list of single literals fits. A learner finds that out on the way, says so,
and continues; the fit to the whole table shows members who prove it. With two literals
a rule some list fits.
"""

import argparse
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

from littlestone import Record, run, streams
from littlestone.boolean import (
    DecisionListLearner,
    Shown,
    Unrealizable,
    fit_decision_list,
)
from littlestone.concepts import DecisionList
from littlestone.errors import LittlestoneError, NoConsistentConcept

Examples = list[tuple[dict[str, float], bool]]


@dataclass(frozen=True)
class Result:
    """What was found out."""

    record: Record
    left: Unrealizable | None  # what the learner says about its class
    proof: tuple[Shown, ...]  # the members who rule out every list of single literals
    rule: DecisionList


def read(path: Path) -> Examples:
    """Return the members; yes means democrat."""
    return list(streams.csv(path, label="class", positive="democrat", literals=True))


def explore(members: Examples) -> Result:
    """Learn, fit, and print what comes of it."""
    X, y = zip(*members, strict=True)
    learner = DecisionListLearner()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        record = run(learner, members)
    print(record, *(warning.message for warning in told), sep="\n")
    proof: tuple[Shown, ...] = ()
    try:
        fit_decision_list(X, y)
    except NoConsistentConcept as error:
        proof = error.examples
        print(f"\n{error}")
        for member in proof:
            party = "democrat" if member.y else "republican"
            print(f"  {party:10} {', '.join(map(str, member.x))}")
    rule = fit_decision_list(X, y, k=2)
    written = str(rule).replace(", else", ",\n  else")
    print(f"\nwith two literals a rule, {rule.size} rules:\n  {written}")
    return Result(record, learner.unrealizable_, proof, rule)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    try:
        members = read(parser.parse_args().file)
    except LittlestoneError as error:
        sys.exit(str(error))
    explore(members)


if __name__ == "__main__":
    main()
