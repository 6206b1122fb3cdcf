"""Write the page and the plot of the benchmarks, from `results/speed.json` alone."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "speed.json"
PAGE = HERE.parent / "docs" / "explanation" / "benchmarks.md"
PLOT = PAGE.with_suffix(".svg")
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

CSR with columns in any order, or as int64, has the same cells as the rows in order with
int32 columns beside it, and the ratio is what the check for duplicates and the longer
numbers cost.
With ten million columns drawn evenly, nearly every weight comes from main memory: the
worst case for both, and a new learner pays for its room as well.

`make bench` measures everything and writes this page,
`python benchmarks/speed.py --only dicts` measures one group again, and
`python benchmarks/tell.py` rewrites the page.

![How many times as fast as its peers littlestone is](benchmarks.svg)
"""


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
    if line["peer"] is None:
        cells = [ours, "", duration(line["ours"]), "", "", f"at most {target} s"]
    else:
        ratio = f"{line['ratio']:.2f}"
        shown = f"**{ratio}**" if line["met"] is False else ratio
        times = [duration(line["ours"]), duration(line["peer"])]
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
    lines = [line for group in groups.values() for line in group["lines"]]
    head = "| what | compared with | ours | theirs | times as fast | target |"
    table = [head, "|---|---|---:|---:|---:|---:|", *map(row, lines)]
    return "\n".join([TOP, *table, "", *settings(groups)])


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
    # Text stays text, and the same numbers make the same file.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "littlestone"}):
        lines = [line for group in groups.values() for line in group["lines"]]
        plot(lines).savefig(PLOT, metadata={"Date": None})


if __name__ == "__main__":
    main()
