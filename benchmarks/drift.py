"""Measure mistakes where the concept changes, and plot them over time.

Ten concepts in turn, electricity prices, and spam over time; one pass, predict first,
nothing tuned. Results are kept in `results/drift.json`, and shown in
`docs/how-to/drift.md`.

    python benchmarks/drift.py              # all of them
    python benchmarks/drift.py --tell       # only draw the plots, and print the table
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from river import drift, linear_model, preprocessing

import accuracy
from accuracy import HERE, SETS, is_narrow
from littlestone import Auto, run
from littlestone.experts import Restarting
from littlestone.linear import AROW
from littlestone.streams import synthetic

if TYPE_CHECKING:
    from collections.abc import Callable

    from accuracy import Examples

RESULTS = HERE / "results" / "drift.json"
FOLDER = HERE.parent / "docs" / "how-to"
COLOURS = ("#888888", "#ccbb44", "#228833", "#4477aa")
POINTS = 60  # of a curve


def ten_concepts() -> Examples:
    stream = synthetic.drifting(
        10_000, 1000, synthetic.halfspace, features=10, margin=0.02, seed=1
    )
    return list(stream)


def whole(name: str) -> Callable[[], Examples]:
    def read() -> Examples:
        rows, accuracy.ROWS = accuracy.ROWS, 10**9
        try:
            return SETS[name]()
        finally:
            accuracy.ROWS = rows

    return read


STREAMS = {
    "ten concepts": ten_concepts,
    "elec2": whole("elec2"),
    "spam-drift": whole("spam-drift"),
}


def ours(make: Callable[[], Any]) -> Callable[[Examples], list[int]]:
    def play(examples: Examples) -> list[int]:
        record = run(make(), examples)
        return [] if record.mistake_rounds is None else record.mistake_rounds.tolist()

    return play


def river_ddm(examples: Examples) -> list[int]:
    """Play River's logistic regression, begun anew when DDM finds a drift."""
    model, found = _river(), drift.binary.DDM()
    columns = accuracy.columns(examples) if is_narrow(examples) else []
    zeros = dict.fromkeys(columns, 0.0)
    wrong = []
    for t, (given, y) in enumerate(examples):
        x = zeros | given
        mistake = bool(model.predict_one(x)) != y
        if mistake:
            wrong.append(t)
        model.learn_one(x, y)
        found.update(mistake)
        if found.drift_detected:
            model = _river()
    return wrong


def _river() -> Any:
    return preprocessing.StandardScaler() | linear_model.LogisticRegression()


PLAYERS: dict[str, Callable[[Examples], list[int]]] = {
    "AROW": ours(lambda: AROW(bias=1.0)),
    "River, logistic with DDM": river_ddm,
    "Restarting(AROW)": ours(lambda: Restarting(AROW(bias=1.0))),
    "Auto": ours(Auto),
}


def measure() -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, read in STREAMS.items():
        examples = read()
        edges = np.linspace(0, len(examples), POINTS + 1).astype(int)
        found = kept[name] = {"rows": len(examples), "edges": edges.tolist()}
        for player, play in PLAYERS.items():
            wrong = play(examples)
            counts, _ = np.histogram(wrong, edges)
            found[player] = counts.tolist()
            print(f"{name}: {player} {100 * len(wrong) / len(examples):.2f}%")
    return kept


def plot(kept: dict[str, Any]) -> None:
    for name, found in kept.items():
        edges = np.array(found["edges"])
        with rc_context({"svg.hashsalt": "drift", "font.size": 9}):
            figure = Figure(figsize=(7.2, 2.6), layout="constrained")
            axes = figure.subplots()
            for player, colour in zip(PLAYERS, COLOURS, strict=True):
                share = 100 * np.array(found[player]) / np.diff(edges)
                axes.plot(edges[1:], share, color=colour, label=player, linewidth=1.3)
            axes.set_xlabel("round")
            axes.set_ylabel("mistakes, %")
            axes.set_ylim(0, 1.3 * axes.get_ylim()[1])  # room for the legend
            axes.legend(frameon=False, ncols=2, fontsize=8)
            file = Path(f"drift-{name.replace(' ', '-')}.svg")
            figure.savefig(FOLDER / file, metadata={"Date": None})


def table(kept: dict[str, Any]) -> str:
    lines = [
        f"| stream | rounds | {' | '.join(PLAYERS)} |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, found in kept.items():
        shares = (100 * sum(found[player]) / found["rows"] for player in PLAYERS)
        cells = " | ".join(f"{share:.2f}" for share in shares)
        lines.append(f"| {name} | {found['rows']:,} | {cells} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tell", action="store_true", help="only draw the plots")
    if not parser.parse_args().tell:
        RESULTS.write_text(json.dumps(measure(), indent=1) + "\n")
    kept = json.loads(RESULTS.read_text())
    plot(kept)
    print(table(kept))


if __name__ == "__main__":
    main()
