"""Write the page and the plot of the benchmarks, from `results/speed.json` alone.

What the front pages say of speed and of mistakes is written too.
"""

from __future__ import annotations

import json
import re
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "speed.json"
ACCURACY = HERE / "results" / "accuracy.json"
PAGE = HERE.parent / "docs" / "explanation" / "benchmarks.md"
PLOT = PAGE.with_suffix(".svg")
FRONT = (HERE.parent / "README.md", HERE.parent / "docs" / "index.md")
# The groups and the peer of which the front pages tell, and in which words.
TOLD = (
    ("file vw", "Vowpal Wabbit", "the speed of Vowpal Wabbit on a file"),
    ("dicts", "River", "River's on mappings"),
    ("row", "scikit-learn", "scikit-learn's on single rows"),
)
# The peers in the plot and their colours; everything else that we compare with is our
# own code or a bare loop.
COLOURS = {
    "Vowpal Wabbit": "#4477aa",
    "scikit-learn": "#ee6677",
    "River": "#228833",
    "LIBLINEAR": "#ccbb44",
    "pandas": "#66ccee",
    "polars": "#66ccee",
    "NumPy": "#aa3377",
    "Python": "#bbbbbb",
}
OF_A_RUN = ("date", "load before")

TOP = """\
# Speed compared with other libraries

How long littlestone takes for a job, and how long others take for the same job, or the
closest one that they offer.
Ours and theirs alternated in one process on one machine, and the best time of each
counts; so the ratios transfer to other machines far better than the times.
Some lines compare us with ourselves or a bare loop: they show the cost of convenience.
Where we have a target for a ratio, it is listed; a ratio in bold misses it.

Below each table is what is compared, and what is unfavourable to us or to the others.

`make bench` measures everything and writes this page,
`python benchmarks/speed.py --only dicts` measures one group again, and
`python benchmarks/tell.py` rewrites the page.

![How many times as fast as its peers littlestone is](benchmarks.svg)
"""


# What each group compares, and what to hold against the comparison.
NOTES = {
    "memory": """\
One pass of a Perceptron over 200,000 sparse rows that look like text. The bare loop
checks nothing: no column, no value, no order. scikit-learn's SGDClassifier is told to
do no more than a Perceptron does.
Float64 rows are bound by memory, so that even the bare loop is below twice
scikit-learn. Columns in any order, or as int64, are the same cells as the rows in order
with int32 columns, and the ratio is what the check for duplicates and the longer
numbers cost. With ten million columns drawn evenly, nearly every weight comes from main
memory: the worst case for both, and a new learner pays for its room as well. There we
ask for weights two rows ahead, which the bare loop does not.""",
    "door": """\
`run` counts mistakes, keeps the curve, the live bound and the metrics; `play` returns
predictions alone. Unfavourable to us where rounds are cheap: four columns, or 16
experts, for which the bound is looked at up to 128 times, and every
loss is added once more, in order, for the curve and for the metrics. Favourable to us:
`play` checks its arrays each time, and a stream once, when it is made. The last lines
are what a run takes beyond `play` where there is little to play: what `run` adds to a
few milliseconds is mostly this, and not the rounds. Where megabytes of rows have passed
the cache, it takes two to four times as long. For 100,000 experts it is the record,
which has their losses and weights.""",
    "learners": """\
Every linear learner over the same sparse rows, beside our own Perceptron, which does
the least. Learners that keep two numbers a feature read twice the memory.""",
    "witnesses": """\
The search for the best witness, and the whole certificate, beside the run that they
are about. The search alone goes through the updates a dozen times. The certificate
writes every number of its witness as text and adds its squares exactly, as the judge
does: about half a microsecond a number, the same for a short run as for a long one.""",
    "digest": """\
The digest in memory is what `run(digest=True)` takes beyond `run`, on one core, beside
`hashlib` over as many bytes on one core; making the bytes is counted against us.
Above 1 we are faster than `hashlib`; asked is at least 0.8. From a file, reading keeps
both cores busy, so the digest cannot hide: it covers 12 bytes for each entry of a row,
and SHA-256 of those alone, in the last line, takes what it takes on some core. With
four cores or more, the others read meanwhile.""",
    "width": """\
The same rows after few and after very many features were seen: the time of a round must
not depend on the features that it does not have.""",
    "multiclass": """\
Digits with dense pixels, of which most are 0. scikit-learn trains ten classifiers of
one class against the rest, which is another rule than ours.""",
    "kernel": """\
A NumPy loop that keeps the examples of mistakes, by the wall clock: its products may
use every core, ours use one.""",
    "batch": """\
Not the same job: LIBLINEAR returns to the rows until it has converged, we see each row
once. The share that is right on the last fifth of the rows is in the line.""",
    "file": """\
From a file on the disk's cache to weights, by the wall clock. Both use two threads.
Vowpal Wabbit reads its own text of the same rows, hashes to 18 bits, and computes a
progressive loss. scikit-learn loads the whole file before it learns, and is single
threaded.""",
    "vw": """\
The same text for both. With names we keep a table of names, which Vowpal Wabbit does
not: unfavourable to us. With `hash_bits=18` both hash, and we count collisions and add
what occurs twice in a line. Both use two threads. To read alone, without a learner, is
the least that a run can take; the targets are about there, so they would ask learning
to cost nothing.""",
    "compressed": """\
The same library decompresses for us and alone, by the wall clock, into a buffer that is
used again; a second core parses and learns beside it. Unfavourable to us: on one core
parsing cannot hide. Without isal, Python's own gzip takes three times as long for
both.""",
    "csv": """\
The faster one of pandas and polars reads the whole table; categories become sparse
columns in the fastest way we know. We read, number the categories and learn as the file
comes. Unfavourable to polars: it builds a frame that one could use again. To read
alone, without a learner, is the least that a run can take.
The conjunction and the Perceptron read the same table of categories, so the ratio is
what a rule costs beyond reading; its bound is looked at while it learns, which counts
against us.""",
    "race": """\
Four learners that read a file once, beside the slowest of them alone. Four learners
need more of the cache than one, so that other load on the machine matters. On two
cores, half of the processor time of reading and of the four learners is the least that
a race can take; the target is about there, so it would ask that handing out the blocks
and counting cost nothing.""",
    "dicts": """\
River has no call that predicts and learns at once, so `play_one` is beside two calls.
The first lines have thousands of different dicts, which do not fit the cache, for both;
in the others 200 dicts are shown again and again. With new names every dict has strings
of its own, as from JSON: unfavourable to both.""",
    "dense": "One pass over 500,000 rows of 32 columns; both read the same array.",
    "parquet": "PyArrow reads for both; we decode categories as they come.",
    "row": """\
One sparse row a call. scikit-learn's `partial_fit` is made for many rows a call and
checks its input each time: unfavourable to it.""",
    "crowd": """\
NumPy's loop needs several passes over 100,000 experts each round, but its exponential
uses AVX-512 where there is some: there the ratio is lower. Three numbers for each
expert do not fit the second cache: a loop that moves them as ours does, and computes
nothing, takes about 0.7 of our time with AVX-512. The bare loop calls the C library's
exponential. Other rules are beside our own ExponentialWeights: they keep more
numbers for each expert.""",
    "few": """\
Rounds of 16 experts: NumPy pays for its calls, so that the ratio says little about
arithmetic. River's ensemble asks 16 models, which here only look their number up. Our
dicts have the experts' own names in their order, which is the fastest case for us.""",
    "halving": """\
A plain copy of the advice is the least that any program must do. To keep the losses of
a million experts, every bit must be counted.""",
    "rules": """\
Rules as one would write them in NumPy, which looks at every literal or clause each
round; Python sets for sparse rows. Dense columns are truth values, a byte each.""",
    "save": """\
Both until the bytes are on the disk. We compute a digest and check every number.""",
    "footprint": """\
The peak of a process that reads a file, beyond its weights and beyond the same process
before; and what ten million weights take, with their growth.""",
    "start": "In a new process each, beyond what NumPy takes to import.",
}


def amount(value: float, unit: str = "s") -> str:
    """Return a time, or a number of something else."""
    return duration(value) if unit == "s" else f"{value:.1f} {unit}"


def duration(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.2f} {unit}"
    return f"{seconds / 1e-6:.2f} µs"


def parts(line: dict[str, Any]) -> tuple[str, str]:
    """Return what we measured, and what we compare it with."""
    ours, _, peer = line["what"].partition(" | ")
    return ours, peer


def row(line: dict[str, Any]) -> str:
    """Return a line of the table."""
    ours, peer = parts(line)
    target = "" if line["target"] is None else f"{line['target']:.3g}"
    unit = line.get("unit", "s")
    if line["peer"] is None:
        most = f"at most {target} {unit}"
        cells = [ours, "", amount(line["ours"], unit), "", "", most]
    else:
        ratio = f"{line['ratio']:.2f}"
        shown = f"**{ratio}**" if line["met"] is False else ratio
        times = [amount(line["ours"], unit), amount(line["peer"], unit)]
        cells = [ours, peer, *times, shown, target]
    return f"| {' | '.join(cells)} |"


def settings(groups: dict[str, Any]) -> Iterator[str]:
    """List the machine and versions, once for all groups that share them."""

    def lasting(name: str) -> dict[str, str]:
        facts = groups[name]["setting"]
        return {fact: facts[fact] for fact in facts if fact not in OF_A_RUN}

    yield from ("## Measured on", "")
    for facts, names in groupby(sorted(groups, key=lambda n: str(lasting(n))), lasting):
        yield from (f"* {name}: {fact}" for name, fact in facts.items())
        yield from ("", "| group | date | load before |", "|---|---|---:|")
        for name in sorted(names, key=list(groups).index):
            told = " | ".join(groups[name]["setting"][fact] for fact in OF_A_RUN)
            yield f"| {name} | {told} |"
        yield ""


def page(groups: dict[str, Any]) -> str:
    """Return the page."""
    head = "| what | compared with | ours | theirs | times as fast | target |"
    tables: list[str] = []
    for name, group in groups.items():
        lines = map(row, group["lines"])
        tables += [f"## {name}", "", head, "|---|---|---:|---:|---:|---:|", *lines, ""]
        tables += [NOTES[name], ""] if name in NOTES else []
    return "\n".join([TOP, *tables, *settings(groups)])


def front(groups: dict[str, Any]) -> str:
    """Return what the front pages say: the range of the ratios, peer by peer."""
    said = []
    for names, peer, words in TOLD:
        ratios = [
            line["ratio"]
            for name in names.split()
            for line in groups[name]["lines"]
            if parts(line)[1].startswith(peer)
        ]
        ends = dict.fromkeys(
            f"{float(f'{r:.2g}'):g}" for r in (min(ratios), max(ratios))
        )
        said.append(f"{' to '.join(ends)} times {words}")
    return ", ".join(said)


def ahead(sets: dict[str, Any]) -> str:
    """Return what the front pages say of mistakes."""
    errors = [each["errors"] for each in sets.values() if "errors" in each]
    best = sum(min(each, key=lambda peer: each[peer][0]) == "Auto" for each in errors)
    return (
        "fewer mistakes, with nothing tuned, than the best setting in hindsight of "
        f"Vowpal Wabbit, River or scikit-learn on {best} of {len(errors)} data sets, "
        "some of which helped to choose its members"
    )


def with_front(text: str, groups: dict[str, Any], sets: dict[str, Any]) -> str:
    """Return a front page with its rows of speed and mistakes written anew."""
    for page, said in (("benchmarks", front(groups)), ("accuracy", ahead(sets))):
        cell = rf"^\| [^|]*(?=\|[^|]*\|[^|]*explanation/{page}\.md)"
        text = re.sub(cell, f"| {said} ", text, flags=re.MULTILINE)
    return text


def peer_of(line: dict[str, Any]) -> str | None:
    """Return the library that we compare with, if any."""
    return next((name for name in COLOURS if name in parts(line)[1]), None)


def plot(lines: Iterable[dict[str, Any]]) -> Figure:
    """Draw how many times as fast we are: a bar for each job compared with a peer."""
    shown = [line for line in lines if peer_of(line)]
    shown.sort(key=lambda line: (list(COLOURS).index(peer_of(line)), line["ratio"]))
    figure = Figure(figsize=(9, 1.2 + 0.3 * len(shown)), layout="constrained")
    axes = figure.subplots()
    at = range(len(shown))
    ratios = [line["ratio"] for line in shown]
    colours = [COLOURS[peer_of(line) or ""] for line in shown]
    # A bar starts at equal speed, and points left where we are slower.
    bars = axes.barh(at, [r - 1 for r in ratios], left=1, color=colours)
    axes.bar_label(bars, [f" {r:.3g} " for r in ratios], fontsize=8)
    axes.set_yticks(at, [" | ".join(parts(line)) for line in shown], fontsize=8)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.margins(x=0.15, y=0.01)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("times as fast as the peer")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    return figure


def main() -> None:
    groups = json.loads(RESULTS.read_text())
    PAGE.write_text(page(groups))
    sets = json.loads(ACCURACY.read_text())
    for front_page in FRONT:
        front_page.write_text(with_front(front_page.read_text(), groups, sets))
    # Text stays text, and the same numbers make the same file.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "littlestone"}):
        lines = [line for group in groups.values() for line in group["lines"]]
        plot(lines).savefig(PLOT, metadata={"Date": None})


if __name__ == "__main__":
    main()
