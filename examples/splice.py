"""Where a gene is cut: 60 letters around a place, which may be a splice junction.

    python examples/splice.py FILE

FILE is splice.csv or splice.csv.gz with a header: columns p-30 to p-1 and p1 to p30 are
letters before and after the place, and class is EI where the part that is kept ends,
the donor, IE where the next one begins, the acceptor, and N where nothing is cut.

For both kinds of junction: what biologists know, as a concept; then learners over 287
literals, up to 165,000 clauses, in one pass over the rows in random order. No 2-CNF
and no 2-DNF fits. The learners notice, and continue.
"""

import argparse
import random
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from littlestone import run, streams
from littlestone.boolean import DecisionListLearner, KCNFLearner, KDNFLearner
from littlestone.concepts import Conjunction
from littlestone.errors import LittlestoneError

Examples = list[tuple[dict[str, float], bool]]

# The part that is cut out begins with GT and ends with AG, nearly always.
KNOWN = {"EI": Conjunction("p1=G", "p2=T"), "IE": Conjunction("p-2=A", "p-1=G")}
SEED = 1991


@dataclass(frozen=True)
class Result:
    """What was found about one kind of junction."""

    junctions: int
    missed: int  # junctions that the known rule denies
    alarms: int  # other places of which it holds
    mistakes: dict[str, int]
    left: dict[str, int | None]  # the round from which on no rule of the class fits


def read(path: Path, kind: str) -> Examples:
    """Return the places, shuffled; yes means a junction of this kind."""
    places = list(streams.csv(path, label="class", positive=kind, literals=True))
    random.Random(SEED).shuffle(places)  # noqa: S311 - an order, no secret
    return places


def explore(places: Examples, rule: Conjunction) -> Result:
    """Hold the known rule against the places, learn others, and print both."""
    missed = sum(y and not rule(x) for x, y in places)
    alarms = sum(rule(x) and not y for x, y in places)
    junctions = sum(y for _, y in places)
    print(f"{junctions:,} junctions among {len(places):,} places")
    print(f"  {rule!s:20} misses {missed}, and holds of {alarms} others")
    mistakes, left = {}, {}
    learner: Any
    for name, learner in (
        ("1-decision list", DecisionListLearner()),
        ("2-decision list", DecisionListLearner(2)),
        ("2-CNF", KCNFLearner(2)),
        ("2-DNF", KDNFLearner(2)),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the record tells, and is printed
            record = run(learner, places)
        mistakes[name] = record.mistakes
        found = learner.unrealizable_
        left[name] = None if found is None else found.round
        since = "" if found is None else f", no rule fits since round {found.round:,}"
        print(f"  {name:20} {record.mistakes:5,} mistakes{since}")
    return Result(junctions, missed, alarms, mistakes, left)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    asked = parser.parse_args()
    for kind, rule in KNOWN.items():
        try:
            places = read(asked.file, kind)
        except LittlestoneError as error:
            sys.exit(str(error))
        print(f"\n{kind}: ", end="")
        explore(places, rule)


if __name__ == "__main__":
    main()
