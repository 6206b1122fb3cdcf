"""Every two-class set of the data against every learner of labels, certified.

Linear learners play all sets, and learners of rules those whose features are yes or no.

Of each set the first examples are played, or a fixed sample if it is sorted by class.
Nothing here is timed and no draw is free, so the table is the same on every machine: it
is kept in `results/certificates.md`, and a test compares the lines of small sets, one
of which comes with scikit-learn.
"""

from __future__ import annotations

import math
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import SkipTest

from littlestone import boolean, certify, linear
from littlestone.errors import LittlestoneError, UnrealizableWarning

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from two_classes import TWO_CLASSES, Shipped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from littlestone.verifying import Certificate

RESULTS = Path(__file__).parent / "results" / "certificates.md"
HEAD = ("set", "learner", "mistakes", "run", "H/U", "every order", "H/T")
MOST = 1000  # examples of a set
WIDE = 200  # columns of a full matrix


def learners(stream: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the learners that can play a set, by name."""
    values = [value for x, _ in stream for value in x.values()]
    scale = max(map(abs, values), default=1.0) or 1.0
    columns = len({name for x, _ in stream for name in x})
    yield "Perceptron", linear.Perceptron(bias=1)
    yield "Perceptron normalized", linear.Perceptron(normalize=True, bias=1)
    yield "AveragedPerceptron", linear.AveragedPerceptron(bias=1)
    yield "VotedPerceptron", linear.VotedPerceptron(bias=1)
    yield "PassiveAggressive", linear.PassiveAggressive(bias=1)
    yield "SecondOrderPerceptron", linear.SecondOrderPerceptron(bias=1)
    yield "AROW", linear.AROW(bias=1)
    if columns <= WIDE:
        yield "AROW full", linear.AROW(diagonal=False, bias=1)
    rate = 0.2 / scale**2
    yield "BalancedWinnow", linear.BalancedWinnow(rate, scale=scale, bias=scale)
    if set(values) <= {0.0, 1.0}:
        yield "Winnow", linear.Winnow(threshold=columns, promotion=1.5)
    yield "MulticlassPerceptron", linear.MulticlassPerceptron(bias=1)
    yield "MulticlassPassiveAggressive", linear.MulticlassPassiveAggressive(bias=1)
    yield "MulticlassAROW", linear.MulticlassAROW(bias=1)
    yield "MulticlassSecondOrder", linear.MulticlassSecondOrder(bias=1)
    yield "KernelPerceptron", linear.KernelPerceptron()
    if set(values) <= {0.0, 1.0}:
        yield "Conjunction", boolean.ConjunctionLearner()
        yield "Disjunction", boolean.DisjunctionLearner()
        yield "DecisionList", boolean.DecisionListLearner()


def found(learner: Any, stream: list[Any], scope: Any) -> Certificate | None:
    """Return a certificate, or None if there is none."""
    try:
        return certify(learner, stream, scope=scope)
    except LittlestoneError:
        return None


def told(certificate: Certificate | None) -> tuple[str, str]:
    """Return the bound with the word for one that says nothing, and its share."""
    if certificate is None:
        return "none", ""
    word = certificate.emptiness.partition(":")[0]
    bound = f"{math.floor(certificate.bound):,}" + (f" {word}" if word else "")
    share = certificate.loss_share
    return f"{bound} ({certificate.theorem})", "" if share is None else f"{share:.2f}"


def lines(name: str, stream: list[Any]) -> Iterator[tuple[str, ...]]:
    """Yield a line of the table for each learner."""
    for called, learner in learners(stream):
        of_run, of_stream = (found(learner, stream, s) for s in ("run", "stream"))
        some = of_run or of_stream
        mistakes = "" if some is None else f"{some.mistakes:,}"
        yield (name, called, mistakes, *told(of_run), *told(of_stream))


def table(rows: list[tuple[str, ...]]) -> list[str]:
    """Return the table as Markdown."""
    marked = [HEAD, tuple("---" for _ in HEAD), *rows]
    return [f"| {' | '.join(row)} |" for row in marked]


def main(names: list[str]) -> None:
    """Write the table, or renew the lines of some sets, one set after another."""
    warnings.simplefilter("ignore", UnrealizableWarning)
    kept = RESULTS.read_text().splitlines()[2:] if RESULTS.exists() else []
    made: dict[str, list[str]] = {}
    for line in kept:
        made.setdefault(line.split(" | ")[0].removeprefix("| "), []).append(line)
    every = [*TWO_CLASSES, Shipped()]
    for each in every:
        if names and str(each) not in names:
            continue
        try:
            stream = each.read(MOST)
        except SkipTest as missing:
            print(missing, file=sys.stderr)
            continue
        print(f"{each}: {len(stream):,} examples", file=sys.stderr)
        made[str(each)] = table(list(lines(str(each), stream)))[2:]
        order = [line for one in every for line in made.get(str(one), ())]
        RESULTS.write_text("\n".join([*table([]), *order]) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
