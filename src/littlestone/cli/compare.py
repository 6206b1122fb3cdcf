"""`littlestone compare`: the best choice of experts in hindsight."""

from __future__ import annotations

import json as json_format
import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.catalogue import entry_of
from littlestone.cli._groups import with_options
from littlestone.cli._learners import as_loss
from littlestone.cli._options import Files, Json, ReadingOptions
from littlestone.cli._say import say
from littlestone.cli._stopping import Stoppable, interrupted
from littlestone.cli._streams import Player

if TYPE_CHECKING:
    from collections.abc import Iterator

    from littlestone.comparators import Comparator
    from littlestone.running import Record

__all__ = ["compare"]


@with_options
def compare(
    files: Files,
    reading: ReadingOptions,
    loss: Annotated[
        str,
        typer.Option(
            help="square, absolute, percentage, log, brier, zero-one or pinball:0.9."
        ),
    ] = "square",
    switches: Annotated[
        int | None,
        typer.Option(
            help="How often the best sequence of experts may switch; by default as "
            "often as helps, up to 9.",
            min=0,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Find the best expert, mixture and sequence of experts, all outcomes known.

    For example:

        littlestone compare load.csv --label y

        littlestone compare load.csv --label y --experts gam,ar --loss absolute

        littlestone compare load.csv --label y --loss pinball:0.9 --switches 3

    The regret of a learner is its loss minus one of these: littlestone run says the
    loss. A mixture has weights of at least 0 that sum to 1, with a proved gap to the
    best; a linear combination has any weights. Some losses need SciPy:
    pip install 'littlestone[solvers]'.
    """
    from littlestone import run
    from littlestone.experts import MLPoly
    from littlestone.losses import as_loss as loss_of

    charged: Any = as_loss(loss)
    entry = entry_of("MLPoly")
    assert entry is not None  # noqa: S101 - it is in the table
    stream = reading.open(files.paths, Player(entry, loss_of(charged).outcome))
    # Any learner: the comparators take the advice that its record has kept.
    player = MLPoly(loss=charged)
    with Stoppable(stream) as stream:
        record = run(player, stream, keep="advice", on_error=reading.on_error.value)
    found: dict[str, Comparator] = {}
    stopped = stream.stopped
    try:
        for kind, best in _best(record, loss, switches):
            found[kind] = best  # noqa: PERF403 - what was found before Ctrl-C is kept
    except KeyboardInterrupt:
        stopped = True
    if json:
        facts: dict[str, Any] = {"rounds": record.rounds, "loss": loss}
        facts |= {kind: _facts(each) for kind, each in found.items()}
        say(json_format.dumps(facts | ({"interrupted": True} if stopped else {})))
    elif found:
        say("\n\n".join(map(str, found.values())))
    if stopped:
        interrupted(record.rounds, "compare begins anew")


def _best(
    record: Record, loss: str, switches: int | None
) -> Iterator[tuple[str, Comparator]]:
    """Yield the best choices in hindsight, the quickest to find first."""
    import numpy as np

    from littlestone.comparators import (
        best_convex,
        best_expert,
        best_linear,
        best_shifting,
    )

    yield "expert", best_expert(record)
    if loss != "zero-one":  # of labels there is no mixture
        yield "convex", best_convex(record)
        assert record.advice is not None  # noqa: S101 - it was kept
        if np.isnan(record.advice.predictions).any():
            # What a sleeper would add to a sum is not known.
            warnings.warn(
                "an expert sleeps, so there is no best linear combination",
                stacklevel=1,
            )
        else:
            yield "linear", best_linear(record)
    if switches is None:
        curve = best_shifting(record)
        yield "shifting", curve[min(curve.enough, _MOST_SWITCHES)]
    else:
        yield "shifting", best_shifting(record, switches=switches)


_MOST_SWITCHES = 9


def _facts(found: Comparator) -> dict[str, Any]:
    """Return a comparator as plain data."""
    weights = found.weights
    return {
        "loss": found.loss,
        "gap": found.gap,
        "weights": None if weights is None else {str(e): w for e, w in weights.items()},
    }
