"""Measure log loss and squared loss against other libraries, in one pass, untuned.

Every learner sees the same examples in the same order, each once, and is charged before
it learns. All run with their defaults; no setting is chosen in hindsight.

    python benchmarks/losses.py                    # all sets
    python benchmarks/losses.py --only spambase    # one set again
    python benchmarks/losses.py --check            # the small sets, against the results

Results are kept in `results/losses.json`; `accuracy.py` tells them in its page.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import SkipTest

import numpy as np

from littlestone import Auto, MulticlassAuto, linear, maps, run, streams
from littlestone.experts import Committee, MLPoly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from data import data_file  # noqa: E402 - it is among the tests

RESULTS = HERE / "results" / "losses.json"
ROWS = 20_000  # of each set, the first ones
FEW = 300  # columns, up to which full matrices are tried
SMALL = ("diabetes", "linnerud", "chick-weights", "trump-approval")  # in packages
DIGITS = 4

Examples = list[tuple[dict[Any, float], Any]]


# The sets ----------------------------------------------------------------------------


def _file(name: str, *, shuffle: bool = False, **options: Any) -> Examples:
    """Return the first examples of a file, or some of it in a random order."""
    stream = streams.open(data_file(name), **options)
    if not shuffle:
        return list(islice(stream, ROWS))
    examples = list(stream)
    order = np.random.default_rng(0).permutation(len(examples))[:ROWS]
    return [examples[at] for at in order]


def _rows(X: Any, y: Any) -> Examples:
    pairs = zip(np.asarray(X).tolist(), np.asarray(y).tolist(), strict=True)
    return [(dict(enumerate(x)), float(outcome)) for x, outcome in pairs]


def _diabetes() -> Examples:
    from sklearn.datasets import load_diabetes  # noqa: PLC0415 - where needed

    return _rows(*load_diabetes(return_X_y=True, scaled=False))


def _river(name: str) -> Examples:
    from river import datasets  # noqa: PLC0415 - where needed

    return [(dict(x), float(y)) for x, y in getattr(datasets, name)()]


def _linnerud() -> Examples:
    from sklearn.datasets import load_linnerud  # noqa: PLC0415 - where needed

    X, y = load_linnerud(return_X_y=True)
    return _rows(X, y[:, 0])


_TEXT = {"format": "text", "label": "label", "positive": "spam"}
LABELS: dict[str, Callable[[], Examples]] = {
    "a9a": lambda: _file("a9a/a9a.train.svm.gz"),
    "w8a": lambda: _file("w8a/w8a.train.svm.gz", shuffle=True),
    "covtype 2 v rest": lambda: _file(
        "covtype/covtype.csv.gz", shuffle=True, label="Cover_Type", positive=2
    ),
    "rcv1-small": lambda: _file("vw-rcv1-small/rcv1_small.vw.gz"),
    "spambase": lambda: _file(
        "spambase/spambase.csv.gz", shuffle=True, label="type", positive="spam"
    ),
    "sms-spam": lambda: _file("sms-spam/sms_spam.tsv.gz", **_TEXT),
    "enron-spam": lambda: _file(
        "enron-spam/enron_spam.tsv.gz", columns=["subject", "text"], **_TEXT
    ),
    "elec2": lambda: _file("elec2/elec.csv.gz", label="target", positive=1),
    "phishing": lambda: _file("phishing/phishing.svm.gz"),
    "magic04": lambda: _file(
        "magic04/magic04.csv.gz", shuffle=True, label="class", positive="g"
    ),
    "svmguide3": lambda: _file("svmguide3/svmguide3.svm.gz", shuffle=True),
}
CLASSES: dict[str, Callable[[], Examples]] = {
    "20newsgroups": lambda: _file(
        "20newsgroups/20news_bydate.train.tsv.gz",
        shuffle=True,
        format="text",
        label="label",
        columns=["subject", "body"],
        outcome="class",
    ),
    "covtype, 7 classes": lambda: _file(
        "covtype/covtype.csv.gz", shuffle=True, label="Cover_Type", outcome="class"
    ),
    "dna": lambda: _file(
        "dna-statlog/dna_statlog.csv.gz", shuffle=True, label="Class", outcome="class"
    ),
    "usps": lambda: _file("usps/usps.train.svm.gz", outcome="class"),
}
NUMBERS: dict[str, Callable[[], Examples]] = {
    "diabetes": _diabetes,
    "linnerud": _linnerud,
    "chick-weights": lambda: _river("ChickWeights"),
    "trump-approval": lambda: _river("TrumpApproval"),
}
SETS = LABELS | CLASSES | NUMBERS


# The players: examples to the mean loss of a round ----------------------------------


def ours(learner: Any, examples: Examples) -> float:
    if isinstance(learner, Auto | MulticlassAuto):
        learner = learner.clone()
        rounds = run(learner, examples, keep="nothing").rounds
        return learner.calibrator_.loss_ / rounds
    record = run(learner, examples, keep="nothing")
    if record.chances is not None:
        return record.chances.log_loss
    assert record.errors is not None  # noqa: S101 - they are numbers
    return record.errors.root_mean_square**2


def vowpal_wabbit(options: str, examples: Examples) -> float:
    """Play Vowpal Wabbit; of classes it gives probabilities, else scores."""
    numbers: dict[Any, int] = {}
    seen = dict.fromkeys(y for _, y in examples)
    truths = all(isinstance(y, (bool, np.bool_)) for y in seen)
    of_numbers = all(isinstance(y, float) for y in seen)
    named = {label: number for number, label in enumerate(seen, 1)}
    if not of_numbers:
        options += " --loss_function logistic"
    if not truths and not of_numbers:
        options += f" --oaa {len(named)} --probabilities"
    with tempfile.TemporaryDirectory() as folder:
        source, said = Path(folder) / "stream.vw", Path(folder) / "said"
        with source.open("w") as lines:
            for x, y in examples:
                cells = (
                    f"{numbers.setdefault(name, len(numbers))}:{value!r}"
                    for name, value in x.items()
                    if value
                )
                label = y if of_numbers else (1 if y else -1) if truths else named[y]
                lines.write(f"{label} | {' '.join(cells)}\n")
        from vowpalwabbit import Workspace  # noqa: PLC0415 - where needed

        told = f"--quiet --holdout_off -b 22 -d {source} -p {said} {options}"
        Workspace(told).finish()
        words = said.read_text().splitlines()
    if of_numbers:
        misses = [float(s) - y for s, (_, y) in zip(words, examples, strict=True)]
        return float(np.mean(np.square(misses)))
    if truths:
        margins = [
            float(s) if y else -float(s)
            for s, (_, y) in zip(words, examples, strict=True)
        ]
        return float(np.mean(np.logaddexp(0, -np.array(margins))))
    lost = []
    for line, (_, y) in zip(words, examples, strict=True):
        shares = dict(pair.split(":") for pair in line.split())
        lost.append(-np.log(max(float(shares[str(named[y])]), 1e-15)))
    return float(np.mean(lost))


def river(make: Callable[[], Any], examples: Examples) -> float:
    """Play a regressor of River behind its scaler."""
    from river import preprocessing  # noqa: PLC0415 - where needed

    model, total = preprocessing.StandardScaler() | make(), 0.0
    for x, y in examples:
        total += (model.predict_one(x) - y) ** 2
        model.learn_one(x, y)
    return total / len(examples)


def sgd(examples: Examples) -> float:
    """Play scikit-learn's SGDRegressor behind its scaler, both row by row."""
    from sklearn.linear_model import SGDRegressor  # noqa: PLC0415 - where needed
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415 - where needed

    scaler, model, total = StandardScaler(), SGDRegressor(random_state=0), 0.0
    for t, (x, y) in enumerate(examples):
        row = np.array([list(x.values())])
        scaled = scaler.partial_fit(row).transform(row)
        said = float(model.predict(scaled)[0]) if t else 0.0
        total += (said - y) ** 2
        model.partial_fit(scaled, [y])
    return total / len(examples)


def ridges() -> Committee:
    """Return a committee of ridge regressions, raw and standardized.

    The constant costs a hundredth of what other weights do, as it is free in ridge
    regression.
    """
    members: dict[str, Any] = {}
    for a in 10.0 ** np.arange(-2, 5):
        ridge = linear.VovkAzouryWarmuth(a, bias=10.0 * a**0.5)
        members[f"{a:g}"] = ridge
        members[f"{a:g}, standardized"] = maps.Mapped(ridge, maps.Standardized())
    return Committee(members, MLPoly(loss="square"))


def players(name: str, examples: Examples) -> dict[str, Callable[[Examples], float]]:
    """Return those that play a set, by name; the first ones are ours."""
    scaled = maps.Standardized()
    few = len({column for x, _ in examples for column in x}) <= FEW
    made: dict[str, Any] = {
        "Auto": Auto(),
        "AdaGrad": linear.AdaGrad(),
        "CoinBetting": linear.CoinBetting(),
        "FTRL": linear.FTRL(l1=0),
    }
    if few:
        made["AIOLI"] = linear.AIOLI()
        made["AIOLI, standardized"] = maps.Mapped(linear.AIOLI(), scaled)
    if name in CLASSES:
        made = {
            "MulticlassAuto": MulticlassAuto(),
            "MulticlassAdaGrad": linear.MulticlassAdaGrad(),
        }
    if name in NUMBERS:
        made = {
            "AdaGrad": linear.AdaGrad("square"),
            "CoinBetting": linear.CoinBetting("square"),
            "FTRL": linear.FTRL("square", l1=0),
            "VovkAzouryWarmuth": linear.VovkAzouryWarmuth(),
            "ridges": ridges(),
        }
    found: dict[str, Callable[[Examples], float]] = {
        each: lambda examples, learner=learner: ours(learner, examples)
        for each, learner in made.items()
    }
    for options in ("", "--coin", "--ftrl"):
        if name in CLASSES and options == "--ftrl":
            continue  # it does not go with --oaa --probabilities in reasonable time
        found[f"VW {options}".strip()] = lambda examples, options=options: (
            vowpal_wabbit(options, examples)
        )
    if name in NUMBERS:
        from river import linear_model  # noqa: PLC0415 - where needed

        found["River linear"] = lambda e: river(linear_model.LinearRegression, e)
        found["River Bayesian"] = lambda e: river(
            linear_model.BayesianLinearRegression, e
        )
        found["SGDRegressor"] = sgd
    return found


# Measuring ---------------------------------------------------------------------------


def measured(name: str, *, only_ours: bool = False) -> dict[str, float]:
    """Return the mean loss of each player on a set."""
    examples = SETS[name]()
    found = {}
    for who, play in players(name, examples).items():
        if only_ours and who.startswith(("VW", "River", "SGD")):
            continue
        with np.errstate(over="ignore", invalid="ignore"):
            found[who] = float(f"{play(examples):.{DIGITS}g}")
    return {"rows": len(examples), **found}


def check() -> list[str]:
    """Return what is no longer as in the results, of our learners on small sets."""
    kept = json.loads(RESULTS.read_text())
    wrong = []
    for name in SMALL:
        try:
            now = measured(name, only_ours=True)
        except SkipTest:
            continue
        wrong += [
            f"{name}: {who} {now[who]} instead of {kept[name][who]}"
            for who in now
            if abs(now[who] - kept[name][who]) > 2 * 10 ** -(DIGITS - 1) * now[who]
        ]
    return wrong


# Telling -----------------------------------------------------------------------------

TOP = """
## Log loss and squared loss

The mean loss of a round, charged before the learner sees the label, in one pass, all
with their defaults. *Over* is the best of ours as a share of the best of Vowpal
Wabbit's default, `--coin` and `--ftrl`, both the best in hindsight; below 1 ours is
ahead. `Auto` has the calibrated probabilities of `predict_proba`. The defaults of
`AdaGrad` and `CoinBetting` were chosen on the sets of the first
table, those of `AIOLI` on elec2, spambase and svmguide3; so these are no untouched
comparisons. Dots mean that a learner was not tried: `AIOLI` is for few columns.
"""
MANY = """
Many classes, log loss: `MulticlassAuto`, whose probabilities come from the votes, the
scores and stacks of its members, and `MulticlassAdaGrad` beside Vowpal Wabbit's `--oaa`
with `--probabilities`. What the stacks read, and their rates, was chosen on these sets
and on kddcup99: none of them is untouched.
"""
SQUARED = """
Numbers, mean squared loss, on the sets that scikit-learn and River ship; River's models
and `SGDRegressor` are behind a scaler. The sets are small: what counts is how fast a
learner finds the scale of the outcomes. *Ridges* is a
[`Committee`](../how-to/committee.md#numbers-without-a-rate) of `VovkAzouryWarmuth` with
$a$ from 0.01 to 10,000 by powers of ten, raw and standardized, under `MLPoly`. It was
made after the other learners had been measured on these sets. With two or four values
from 1 to 1,000, or a constant up to ten times as large, it is below the best of Vowpal
Wabbit on each set too.
"""


def lines(kept: dict[str, Any], names: Iterator[str]) -> Iterator[str]:
    """Yield a table of losses, the least of each row in bold."""
    known = [name for name in names if name in kept]
    who = list(dict.fromkeys(w for name in known for w in kept[name] if w != "rows"))
    yield f"| set | rows | {' | '.join(who)} | over |"
    yield f"|---|{'--:|' * (len(who) + 2)}"
    for name in known:
        row = {w: loss for w, loss in kept[name].items() if w != "rows"}
        best = min(row.values())
        mine = min(v for w, v in row.items() if not w.startswith(_PEERS))
        theirs = min(v for w, v in row.items() if w.startswith("VW"))
        cells = [
            "…"
            if w not in row
            else f"**{row[w]:g}**"
            if row[w] == best
            else f"{row[w]:g}"
            for w in who
        ]
        yield (
            f"| {name} | {kept[name]['rows']:,} | {' | '.join(cells)} "
            f"| {mine / theirs:.3f} |"
        )


_PEERS = ("VW", "River", "SGD")


def section() -> Iterator[str]:
    """Yield the section of the page on accuracy."""
    kept = json.loads(RESULTS.read_text())
    yield TOP
    yield from lines(kept, iter(LABELS))
    yield MANY
    yield from lines(kept, iter(CLASSES))
    yield SQUARED
    yield from lines(kept, iter(NUMBERS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=list(SETS), help="these sets")
    parser.add_argument("--check", action="store_true", help="compare the small sets")
    given = parser.parse_args()
    if given.check:
        wrong = check()
        sys.exit("\n".join(wrong) if wrong else 0)
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in given.only or SETS:
        try:
            kept[name] = measured(name)
        except SkipTest as missing:
            print(missing, file=sys.stderr)
            continue
        print(name, kept[name], flush=True)
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
