"""Measure mistakes against other libraries: one pass, predict first, nothing tuned.

Every learner sees the same examples in the same order, each once. `Auto` runs as it is;
of the others the best of several settings counts, chosen in hindsight. Its pool was
fixed on the first half of the sets; the others are reported apart.

    python benchmarks/accuracy.py                    # all sets, all quick peers
    python benchmarks/accuracy.py --only elec2       # one set again
    python benchmarks/accuracy.py --slow             # forests and scikit-learn as well
    python benchmarks/accuracy.py --tell             # only write the page

Results are kept in `results/accuracy.json`, and told in `docs/explanation/accuracy.md`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import SkipTest

import numpy as np
import pandas as pd
import scipy.sparse as sp
from matplotlib import rc_context
from matplotlib.figure import Figure
from rich.progress import track
from river import forest, linear_model, optim, preprocessing
from sklearn import config_context
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler
from vowpalwabbit import Workspace

import losses
from littlestone import Auto, MulticlassAuto, run, streams
from littlestone.experts import (
    BOA,
    AdaHedge,
    AggregatingAlgorithm,
    Committee,
    ExponentialWeights,
    FixedShare,
    MLPoly,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from crowds import football  # noqa: E402 - they are among the tests
from data import data_file  # noqa: E402

RESULTS = HERE / "results" / "accuracy.json"
PAGE = HERE.parent / "docs" / "explanation" / "accuracy.md"
PLOT = PAGE.with_suffix(".svg")
ROWS = 20_000  # of each set, the first ones
NARROW = 300  # columns, with which forests are tried
SMALL = 2_000  # rows, below which one order of them says little
ORDERS = 20

Examples = list[tuple[dict[Any, float], Any]]


# The sets ----------------------------------------------------------------------------


def _file(name: str, **options: Any) -> Examples:
    stream = streams.open(data_file(name), **options)
    return list(islice(stream, ROWS))


def _shuffled(name: str, **options: Any) -> Examples:
    """Return a sample of a file that is sorted, in a random order."""
    examples = list(streams.open(data_file(name), **options))
    order = np.random.default_rng(0).permutation(len(examples))[:ROWS]
    return [examples[at] for at in order]


_TEXT = {"format": "text", "label": "label", "positive": "spam"}
# Those on which the pool of Auto was fixed, and those reported apart.
FIRST: dict[str, Callable[[], Examples]] = {
    "a9a": partial(_file, "a9a/a9a.train.svm.gz"),
    "elec2": partial(_file, "elec2/elec.csv.gz", label="target", positive=1),
    "magic04": partial(
        _shuffled, "magic04/magic04.csv.gz", label="class", positive="g"
    ),
    "sea": partial(_file, "sea/sea_stream.csv.gz", label="class", positive=1),
    "sms-spam": partial(_file, "sms-spam/sms_spam.tsv.gz", **_TEXT),
    "spambase": partial(
        _shuffled, "spambase/spambase.csv.gz", label="type", positive="spam"
    ),
}
SECOND: dict[str, Callable[[], Examples]] = {
    "airlines": partial(
        _file, "airlines-5pct/airlines_5pct.csv.gz", label="Delay", positive=1
    ),
    "covtype 2 v rest": partial(
        _shuffled, "covtype/covtype.csv.gz", label="Cover_Type", positive=2
    ),
    "enron-spam": partial(
        _file, "enron-spam/enron_spam.tsv.gz", columns=["subject", "text"], **_TEXT
    ),
    "phishing": partial(_file, "phishing/phishing.svm.gz"),
    "rcv1-small": partial(_file, "vw-rcv1-small/rcv1_small.vw.gz"),
    "spam-drift": partial(_file, "spam-drift/spam_drift.svm.gz"),
    "svmguide3": partial(_shuffled, "svmguide3/svmguide3.svm.gz"),
    "w8a": partial(_shuffled, "w8a/w8a.train.svm.gz"),
}
_CLASS = {"outcome": "class"}
CLASSES: dict[str, Callable[[], Examples]] = {
    "20newsgroups": partial(
        _shuffled,
        "20newsgroups/20news_bydate.train.tsv.gz",
        format="text",
        label="label",
        columns=["subject", "body"],
        **_CLASS,
    ),
    "covtype, 7 classes": partial(
        _shuffled, "covtype/covtype.csv.gz", label="Cover_Type", **_CLASS
    ),
    "dna": partial(
        _shuffled, "dna-statlog/dna_statlog.csv.gz", label="Class", **_CLASS
    ),
    "kddcup99": partial(
        _file, "kddcup99_10pct/kddcup99_10pct.csv.gz", label="label", **_CLASS
    ),
    "usps": partial(_file, "usps/usps.train.svm.gz", **_CLASS),
}
SETS = FIRST | SECOND | CLASSES


def _numbers(file: str, outcome: str) -> tuple[pd.DataFrame, Any]:
    """Return a file of forecasts of a number, and the outcomes."""
    table = pd.read_csv(data_file(file))
    advice = table.drop(columns=[c for c in ("ordinal_date", outcome) if c in table])
    return advice, table[outcome].to_numpy()


def _m3() -> tuple[pd.DataFrame, Any]:
    """Return changes since the last value, in units of the mean absolute change."""
    table = pd.read_csv(data_file("m3-forecasts/m3_forecasts.csv.gz"))
    last, unit = table["last_obs"], table["mean_abs_diff"]
    methods = table.columns[table.columns.get_loc("NAIVE2") :]
    whole = [method for method in methods if not table[method].isna().any()]
    advice = table[whole].sub(last, axis=0).div(unit, axis=0)
    return advice, ((table["actual"] - last) / unit).to_numpy()


def _football() -> tuple[Any, Any]:
    """Return the odds of bookmakers as distributions, and which came true."""
    _, chances, results, _ = football()
    return chances, np.array(["HDA".index(result) for result in results])


def _midterms() -> tuple[Any, Any]:
    """Return three forecasts of 2018's elections, and who won."""
    table = pd.read_csv(data_file("fivethirtyeight/forecast_review_2018.csv.gz"))
    yes = table[["classic", "deluxe", "lite"]].to_numpy()
    return np.stack([1 - yes, yes], axis=2), table["Democrat_Won"].to_numpy()


FORECASTS = {
    "trump-approval": partial(
        _numbers, "trump-approval/trump_approval.csv.gz", "five_thirty_eight"
    ),
    "opera-electric-load": partial(
        _numbers, "opera-electric-load/opera_experts.csv.gz", "y"
    ),
    "m3, scaled": _m3,
}
CHANCES = {"football-odds": _football, "538's midterms of 2018": _midterms}


# The players: examples to the share of mistakes, and the seconds ----------------------


def auto(examples: Examples) -> float:
    learner = MulticlassAuto() if len(classes(examples)) > 2 else Auto()
    return run(learner, examples, keep="nothing").rate


def table_seconds(examples: Examples) -> float:
    """Return the seconds that Auto takes for narrow examples as a table."""
    places = {name: at for at, name in enumerate(columns(examples))}
    X = np.zeros((len(examples), len(places)))
    for row, (x, _) in zip(X, examples, strict=True):
        row[[places[name] for name in x]] = list(x.values())
    y = np.array([label for _, label in examples])
    learner = MulticlassAuto() if len(classes(examples)) > 2 else Auto()
    began = time.process_time()
    learner.play(X, y)
    return round(time.process_time() - began, 2)


def classes(examples: Examples) -> dict[Any, int]:
    """Return the numbers of the classes, from 1 on."""
    seen = dict.fromkeys(y for _, y in examples)
    return {label: number for number, label in enumerate(seen, 1)}


def write_vw(examples: Examples, path: Path) -> str:
    """Write examples as Vowpal Wabbit reads them; return the option for the classes."""
    numbers: dict[Any, int] = {}
    named = classes(examples)
    many = len(named) > 2
    with path.open("w") as lines:
        for x, y in examples:
            cells = (
                f"{numbers.setdefault(name, len(numbers))}:{value!r}"
                for name, value in x.items()
                if value
            )
            label = named[y] if many else 1 if y else -1
            lines.write(f"{label} | {' '.join(cells)}\n")
    return f"--oaa {len(named)} " if many else ""


def vowpal_wabbit(options: str, examples: Examples) -> float:
    named = classes(examples)
    with tempfile.TemporaryDirectory() as folder:
        source, said = Path(folder) / "stream.vw", Path(folder) / "said"
        options = write_vw(examples, source) + options
        told = f"--quiet --holdout_off -b 22 -d {source} -p {said} {options}"
        Workspace(told).finish()
        scores = np.loadtxt(said)
    if len(named) > 2:
        return float(np.mean(scores != [named[y] for _, y in examples]))
    labels = np.array([y for _, y in examples])
    return float(np.mean((scores >= 0) != labels))


def file_seconds(examples: Examples) -> list[float]:
    """Return the seconds of Auto and of Vowpal Wabbit for the same file.

    Both read the file and predict each example; the best of nine, in turns.
    """
    found: list[list[float]] = [[], []]
    with tempfile.TemporaryDirectory() as folder:
        source, said = Path(folder) / "stream.vw", Path(folder) / "said"
        many = write_vw(examples, source)
        learner = MulticlassAuto() if many else Auto()
        outcome = {"outcome": "class"} if many else {}
        # With 2^18 weights, as by default, most would be shared by classes.
        how = f"{many} -b 22" if many else "--loss_function logistic"
        told = f"--quiet --holdout_off -d {source} -p {said} {how}"
        for _ in range(9):
            began = time.process_time()
            stream = streams.open(source, format="vw", **outcome)
            run(learner.clone(), stream, keep="nothing")
            found[0].append(time.process_time() - began)
            began = time.process_time()
            Workspace(told).finish()
            found[1].append(time.process_time() - began)
    return [round(min(each), 3) for each in found]


def river(make: Callable[[], Any], examples: Examples) -> float:
    model, mistakes = make(), 0
    # River does not take what a row leaves out for 0; wide rows would be too long.
    zeros = dict.fromkeys(columns(examples), 0.0) if is_narrow(examples) else {}
    many = len(classes(examples)) > 2
    for given, y in examples:
        x = zeros | given
        said = model.predict_one(x)
        mistakes += (said if many else bool(said)) != y
        model.learn_one(x, y)
    return mistakes / len(examples)


def sklearn(
    make: Callable[[], Any], examples: Examples, *, scaled: bool = False
) -> float:
    """Play one row at a time; if scaled, by the rows so far."""
    numbers = {name: at for at, name in enumerate(columns(examples))}
    named = classes(examples)
    model, scaler, mistakes = make(), StandardScaler(), 0
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for t, (x, y) in enumerate(examples):
            places = [numbers[name] for name in x]
            row = sp.csr_matrix(
                (list(x.values()), places, [0, len(x)]), shape=(1, len(numbers))
            )
            if scaled:
                row = scaler.partial_fit(row.toarray()).transform(row.toarray())
            mistakes += (model.predict(row)[0] if t else 1) != named[y]
            model.partial_fit(row, [named[y]], classes=list(named.values()))
    return mistakes / len(examples)


def quick() -> dict[str, Callable[[Examples], float]]:
    """Return the peers that take at most a minute or so a set."""
    found: dict[str, Callable[[Examples], float]] = {}
    for loss in ("logistic", "hinge"):
        for rate in (0.1, 0.5, 2.0):
            options = f"--loss_function {loss} -l {rate}"
            found[f"VW {options}"] = partial(vowpal_wabbit, options)
    for name, model in {
        "logistic, rate 0.01": linear_model.LogisticRegression,
        "logistic, rate 0.1": lambda: linear_model.LogisticRegression(optim.SGD(0.1)),
        "passive-aggressive": lambda: linear_model.PAClassifier(C=0.01, mode=1),
    }.items():
        found[f"River scaled {name}"] = partial(
            river, lambda model=model: preprocessing.StandardScaler() | model()
        )
    for rate in (0.01, 0.1):
        found[f"River scaled softmax, rate {rate}"] = partial(
            river,
            lambda rate=rate: (
                preprocessing.StandardScaler()
                | linear_model.SoftmaxRegression(optim.SGD(rate))
            ),
        )
    return found


def slow() -> dict[str, Callable[[Examples], float]]:
    """Return scikit-learn, which plays a thousand rows a second, and forests."""
    given: dict[str, dict[str, Any]] = {
        "log loss": {"loss": "log_loss"},
        "hinge": {"loss": "hinge"},
        "passive-aggressive": {
            "loss": "hinge",
            "penalty": None,
            "learning_rate": "pa1",
            "eta0": 1.0,
        },
    }
    makes = {
        name: partial(SGDClassifier, random_state=0, **options)
        for name, options in given.items()
    }
    return {
        **{f"sklearn SGD, {name}": partial(sklearn, makes[name]) for name in makes},
        "sklearn scaled SGD, log loss": partial(
            sklearn, makes["log loss"], scaled=True
        ),
        "River forest": partial(river, lambda: forest.ARFClassifier(seed=1)),
    }


def suits(peer: str, examples: Examples) -> bool:
    """Return whether a peer can be tried: forests and scalers need few columns.

    Of River's linear models, softmax is for many classes and the others for two.
    """
    many = len(classes(examples)) > 2
    if "River scaled" in peer and many != ("softmax" in peer):
        return False
    needs_few = (
        "forest" in peer
        or "sklearn scaled" in peer
        or (many and ("River" in peer or "sklearn" in peer))
    )
    return is_narrow(examples) or not needs_few


def columns(examples: Examples) -> list[Any]:
    return list(dict.fromkeys(name for x, _ in examples for name in x))


def is_narrow(examples: Examples) -> bool:
    return len(columns(examples)) <= NARROW


def is_sparse(examples: Examples) -> bool:
    """Return whether there are many columns, most of which are 0 in a row."""
    width = len(columns(examples))
    nonzeros = sum(len(x) for x, _ in examples) / len(examples)
    return width > 100 and nonzeros < width / 8


# Measuring ---------------------------------------------------------------------------


def measure(names: list[str], *, slowly: bool, again: bool) -> None:
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    peers = {"Auto": auto, **quick(), **(slow() if slowly else {})}
    for name in track(names, "measuring"):
        try:
            examples = SETS[name]()
        except SkipTest as missing:
            print(missing, file=sys.stderr)
            continue
        found = kept.setdefault(name, {"rows": len(examples), "errors": {}})
        if is_narrow(examples):
            found["table"] = table_seconds(examples)
        if is_sparse(examples):
            found["file"] = file_seconds(examples)
        orders = found.setdefault("orders", {}) if len(examples) < SMALL else None
        for peer, play in peers.items():
            if not suits(peer, examples):
                continue
            done = peer in found["errors"] and (orders is None or peer in orders)
            if done and not again and peer != "Auto":
                continue
            if orders is not None:
                orders[peer] = in_orders(play, examples)
            began = time.process_time()
            wrong = play(examples)
            seconds = time.process_time() - began
            found["errors"][peer] = [round(100 * wrong, 2), round(seconds, 2)]
            print(f"{name}: {peer} {100 * wrong:.2f}% {seconds:.1f} s", flush=True)
            RESULTS.write_text(json.dumps(kept, indent=1) + "\n")


def in_orders(play: Callable[[Examples], float], examples: Examples) -> list[float]:
    """Return the mistakes in several random orders of the same examples, in percent."""
    orders = (
        np.random.default_rng(at).permutation(len(examples)) for at in range(ORDERS)
    )
    return [round(100 * play([examples[at] for at in order]), 2) for order in orders]


def forecasts() -> dict[str, dict[str, float]]:
    """Return the root of the mean square loss on files of forecasts."""
    found: dict[str, dict[str, float]] = {}
    for name, read in FORECASTS.items():
        advice, y = read()
        said = advice.to_numpy()
        worst = float(((said - y[:, None]) ** 2).max())
        spread = float((y.max() - y.min()) ** 2)
        weights, *_ = np.linalg.lstsq(said, y, rcond=None)
        kept = {
            "best expert": float(_root(said - y[:, None]).min()),
            "mean of all": float(_root(said.mean(axis=1) - y)),
            "best weights": float(_root(said @ weights - y)),
        }
        for rule in (
            AdaHedge("square", range=(0.0, max(worst, 16 * spread))),
            MLPoly(),
            MLPoly(gradient=True),
            BOA(),
            BOA(gradient=True),
        ):
            record = run(rule, streams.advice(advice, y), keep="nothing")
            how = ", gradient" if getattr(rule, "gradient", False) else ""
            loss = record.loss or 0.0
            kept[f"{type(rule).__name__}{how}"] = (loss / record.rounds) ** 0.5
        both = Committee([MLPoly(), MLPoly(gradient=True)], AdaHedge())
        record = run(both, zip(said.tolist(), y.tolist(), strict=True), keep="nothing")
        kept["MLPoly, both"] = ((record.loss or 0.0) / record.rounds) ** 0.5
        found[name] = {rule: round(error, 3) for rule, error in kept.items()}
    return found


def _root(errors: Any) -> Any:
    return (errors**2).mean(axis=0) ** 0.5


def chances() -> dict[str, dict[str, float]]:
    """Return the mean Brier loss on files of probabilities."""
    found: dict[str, dict[str, float]] = {}
    for name, read in CHANCES.items():
        said, y = read()
        came = np.eye(said.shape[2])[y]
        losses = ((said - came[:, None]) ** 2).sum(axis=2).mean(axis=0)
        mean = ((said.mean(axis=1) - came) ** 2).sum(axis=1).mean()
        kept = {"best expert": float(losses.min()), "mean of all": float(mean)}
        for rule in (
            ExponentialWeights(1.0, "brier"),
            AggregatingAlgorithm("brier"),
            FixedShare(eta=1.0, alpha=0.01, loss="brier"),
        ):
            rule.play(said, y)
            kept[type(rule).__name__] = rule.loss_ / len(y)
        found[name] = {rule: round(error, 5) for rule, error in kept.items()}
    return found


# Telling -----------------------------------------------------------------------------

TOP = """\
# Mistakes compared with other libraries

How many mistakes [`Auto`](../how-to/auto.md) makes in one pass, each example predicted
before it is learned, in percent; nothing is tuned. Beside it is the best of the
settings that were tried of Vowpal Wabbit, of River's linear models behind a
`StandardScaler`, of scikit-learn's `SGDClassifier`, also behind a scaler where columns
are few, and River's adaptive random forest: the best *in hindsight*, which nobody has
while the stream is played. *Behind* is how far Auto is behind the best linear peer;
below 0 it is ahead. The first {rows:,} examples of each set are played; sets that are
sorted by class or by place are shuffled first. Dots mean that a peer was not measured:
forests are tried only where columns are few, and scikit-learn not where a pass takes it
too long.

The pool of Auto was fixed by trials on the sets of the first table. The second table
had no part in them, but is not untouched: how single learners do on most of its sets
was known before, and AdaGrad on standardized columns joined because phishing had been
missed by 0.51 points; on the first table it neither helps nor harms. The logistic
stack was chosen on the first table alone, after FTRL, gradient descent and AIOLI on the
columns had been tried there as members, with less gain. Rcv1-small showed that
passive-aggressive members suffer from a constant feature where rows have length one;
that both have none, rather than one of 0.1, nor AROW none as well, was then chosen on
the first table. River gets the
zeros that sparse rows leave out only where columns are few; on wide sets of words its
scaler has little to work with. Rcv1-small and svmguide3 have little more than 1,000
rows, on which the standard error of a difference is about a point: they were also
played [in other orders](#small-sets-in-many-orders).

`make accuracy` measures everything and writes this page. The data sets are not part of
the project: set `LITTLESTONE_DATA` to the folder that has them.

![Mistakes of Auto and of the best of its peers](accuracy.svg)
"""

FEW = """
## Small sets, in many orders

Fewer than {small:,} rows in one order say little, so {orders} random orders of the same
rows were played too. Mean mistakes in percent; *behind* is how far Auto is behind the
linear setting with the best mean, with the standard error of the mean difference.
*Behind each best* is the same beside the best setting of each order by itself, chosen
anew in hindsight: even of settings that are equally good, one is the luckiest.

"""

FILES = """
## Time on sparse files

Seconds of processor time for one file in Vowpal Wabbit's format, which each reads,
predicting every example before it learns: Auto, and Vowpal Wabbit with one setting, by
default the logistic loss; the best of nine in one process, in turns, on a machine that
others used too. Auto has more than a dozen members, and Vowpal Wabbit needs a run for
each setting that is tried.

| set | Auto | Vowpal Wabbit | Auto / Vowpal Wabbit |
|---|--:|--:|--:|
"""

SPEED = """
## Time on narrow tables

Seconds of processor time for the same rows: Auto over a table, Auto one example at a
time, and River's adaptive random forest; at different times, on a machine that others
used too. On a9a, w8a, both forms of covtype and usps the forest was measured on another
machine, where it took 1.1 to 1.4 times as long on the other sets.

| set | Auto, a table | Auto, one by one | River forest | forest / table |
|---|--:|--:|--:|--:|
"""

MANY = """
## Many classes

`MulticlassAuto` beside Vowpal Wabbit's `--oaa`, and River's softmax regression and
scikit-learn where columns are few. Its members are those of Auto, as far as they know
classes. How single members do was seen on all five sets before the pool was fixed, and
on covtype, dna and usps that a stack does not help: none of them is untouched. AROW
with full matrices and `r=10` joined because dna had been missed.
"""

NUMBERS = """
## Forecasts

The root of the mean square loss of rules that combine forecasts, with nothing tuned;
only the range of losses that `AdaHedge` is given was taken from the outcomes. M3 has
24 methods, of which the 22 that forecast every series count; a forecast is the change
since the last value, in units of the mean absolute change of its series.
*Best expert* and *best weights*, fixed ones by least squares, are found in hindsight.
With `gradient=True` a rule competes with the best mixture of experts, not only with the
best of them: that pays where the forecasts err in different directions. *Both* is a
`Committee` of `MLPoly` with and without it, which `AdaHedge` combines: never much worse
than the better of the two.
"""

BRIER = """
The mean Brier loss of rules that combine probabilities: the odds of eight bookmakers on
English football, and three forecasts of the elections of 2018.
"""

FAMILIES = {
    "Vowpal Wabbit": "VW",
    "River, scaled": "River scaled",
    "scikit-learn": "sklearn",
    "River forest": "River forest",
}


def best_of(errors: dict[str, list[float]], start: str) -> float | None:
    found = [wrong for peer, (wrong, _) in errors.items() if peer.startswith(start)]
    return min(found, default=None)


def lines(kept: dict[str, Any], names: Iterator[str]) -> Iterator[str]:
    yield f"| set | rows | Auto | {' | '.join(FAMILIES)} | behind |"
    yield f"|---|{'--:|' * (len(FAMILIES) + 3)}"
    for name in names:
        if name not in kept:
            continue
        errors = kept[name]["errors"]
        ours = errors["Auto"][0]
        theirs = [best_of(errors, start) for start in FAMILIES.values()]
        linear = min(each for each in theirs[:3] if each is not None)
        best = min(each for each in [ours, *theirs] if each is not None)
        cells = [
            "…"
            if each is None
            else f"**{each:.2f}**"
            if each == best
            else f"{each:.2f}"
            for each in [ours, *theirs]
        ]
        yield (
            f"| {name} | {kept[name]['rows']:,} | {' | '.join(cells)} "
            f"| {ours - linear:+.2f} |"
        )


def order_lines(kept: dict[str, Any]) -> Iterator[str]:
    yield f"| set | Auto | {' | '.join(FAMILIES)} | behind | behind each best |"
    yield f"|---|{'--:|' * (len(FAMILIES) + 3)}"
    for name in SETS:
        if "orders" not in kept.get(name, {}):
            continue
        played = {peer: np.array(each) for peer, each in kept[name]["orders"].items()}
        ours = played.pop("Auto")
        means = {peer: [float(each.mean()), 0.0] for peer, each in played.items()}
        theirs = [best_of(means, start) for start in FAMILIES.values()]
        linear = {peer: each for peer, each in played.items() if "forest" not in peer}
        gaps = [
            ours - min(linear.values(), key=np.mean),
            ours - np.min(list(linear.values()), axis=0),
        ]
        cells = ["…" if each is None else f"{each:.2f}" for each in theirs]
        told = [
            f"{gap.mean():+.2f} ± {gap.std(ddof=1) / ORDERS**0.5:.2f}" for gap in gaps
        ]
        yield f"| {' | '.join([name, f'{ours.mean():.2f}', *cells, *told])} |"


def file_lines(kept: dict[str, Any]) -> Iterator[str]:
    for name in SETS:
        if "file" in kept.get(name, {}):
            ours, theirs = kept[name]["file"]
            yield f"| {name} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.1f} |"


def speed_lines(kept: dict[str, Any]) -> Iterator[str]:
    for name in SETS:
        found = kept.get(name, {})
        if "table" in found and "River forest" in found["errors"]:
            table, single = found["table"], found["errors"]["Auto"][1]
            forest_seconds = found["errors"]["River forest"][1]
            yield (
                f"| {name} | {table:.2f} | {single:.1f} | {forest_seconds:.1f} "
                f"| {forest_seconds / table:.0f} |"
            )


def forecast_lines(kept: dict[str, dict[str, float]], digits: int = 3) -> Iterator[str]:
    names = list(next(iter(kept.values())))
    yield f"| set | {' | '.join(names)} |"
    yield f"|---|{'--:|' * len(names)}"
    for name, errors in kept.items():
        cells = " | ".join(f"{errors[rule]:,.{digits}f}" for rule in names)
        yield f"| {name} | {cells} |"


def page(kept: dict[str, Any]) -> str:
    parts = [
        TOP.format(rows=ROWS),
        "## The sets on which the pool was fixed\n",
        *lines(kept, iter(FIRST)),
        "\n## The sets apart\n",
        *lines(kept, iter(SECOND)),
        FEW.format(small=SMALL, orders=ORDERS) + "\n".join(order_lines(kept)),
        FILES + "\n".join(file_lines(kept)),
        SPEED + "\n".join(speed_lines(kept)),
        MANY,
        *lines(kept, iter(CLASSES)),
        NUMBERS,
        *forecast_lines(kept["forecasts"]),
        BRIER,
        *forecast_lines(kept["chances"], 5),
        *losses.section(),
    ]
    return "\n".join(parts) + "\n"


def plot(kept: dict[str, Any]) -> None:
    colours = dict(
        zip(FAMILIES, ("#4477aa", "#228833", "#ee6677", "#ccbb44"), strict=True)
    )
    names = [name for name in SETS if name in kept]
    with rc_context({"svg.hashsalt": "accuracy", "font.size": 9}):
        figure = Figure(figsize=(7.2, 0.32 * len(names) + 1.1), layout="constrained")
        axes = figure.subplots()
        for at, name in enumerate(names):
            errors = kept[name]["errors"]
            ours = errors["Auto"][0] or 0.01
            for family, start in FAMILIES.items():
                wrong = best_of(errors, start)
                if wrong is not None:
                    axes.plot(
                        max(wrong, 0.01) / ours,
                        at,
                        "o",
                        color=colours[family],
                        label=None if at else family,
                    )
        axes.axvline(1.0, color="#555555", linewidth=1)
        axes.set_xscale("log")
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlabel("mistakes of the best setting, as a multiple of Auto's")
        handles = [
            axes.plot([], [], "o", color=colour, label=family)[0]
            for family, colour in colours.items()
        ]
        axes.legend(handles=handles, loc="best", frameon=False)
        figure.savefig(PLOT, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=list(SETS), help="these sets")
    parser.add_argument("--slow", action="store_true", help="scikit-learn and forests")
    parser.add_argument("--again", action="store_true", help="measure peers again")
    parser.add_argument("--tell", action="store_true", help="only write the page")
    given = parser.parse_args()
    if not given.tell:
        measure(given.only or list(SETS), slowly=given.slow, again=given.again)
    kept = json.loads(RESULTS.read_text())
    if not given.tell:
        kept |= {"forecasts": forecasts(), "chances": chances()}
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
    PAGE.write_text(page(kept), encoding="utf-8")
    plot(kept)


if __name__ == "__main__":
    main()
