"""The options of commands that many cores or machines can carry out."""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli._groups import CLUSTER, Group
from littlestone.display.words import counted, duration
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from littlestone.cluster import ClusterRecord

__all__ = ["ClusterOptions", "Mix", "in_json", "in_words", "shown"]


class Mix(StrEnum):
    """By what shards are weighed when they are mixed."""

    MISTAKES = "mistakes"
    UNIFORM = "uniform"


@dataclass(frozen=True, kw_only=True)
class ClusterOptions(Group):
    """How many workers there are, and where.

    Examples
    --------
    >>> from littlestone.cli._cluster import ClusterOptions
    >>> ClusterOptions(workers=4).asked, ClusterOptions().asked
    (True, False)
    """

    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            help="Play in this many processes of this machine; 0 plays the shards "
            "here, one after another. The result does not depend on it.",
            min=0,
            rich_help_panel=CLUSTER,
        ),
    ] = None
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask",
            metavar="ADDRESS",
            help="Play on the workers of the Dask scheduler at this address, such as "
            "tcp://scheduler:8786; they must be able to read the files.",
            rich_help_panel=CLUSTER,
        ),
    ] = None
    shards: Annotated[
        int | None,
        typer.Option(
            "--shards",
            metavar="S",
            help="Cut the files into so many shards; by default each is one, cut at "
            "256 MB.",
            min=1,
            rich_help_panel=CLUSTER,
        ),
    ] = None
    mixes: Annotated[
        int | None,
        typer.Option(
            "--mixes",
            metavar="M",
            help="Mix so often in a pass, not once.",
            min=1,
            rich_help_panel=CLUSTER,
        ),
    ] = None
    mix: Annotated[
        Mix | None,
        typer.Option(
            "--mix",
            help="Weigh shards by their mistakes, which is the default, or all alike.",
            rich_help_panel=CLUSTER,
        ),
    ] = None

    @property
    def asked(self) -> bool:
        """Whether the command is to be carried out by workers."""
        return self.workers is not None or self.dask is not None

    @property
    def where(self) -> dict[str, Any]:
        """The arguments of `littlestone.cluster` that say where."""
        return {"client": self.dask, "workers": self.workers}

    def check(self, refused: Mapping[str, object]) -> None:
        """Refuse options that need workers, or that workers do not have."""
        if not self.asked:
            names = ("shards", "mixes", "mix")
            given = [name for name in names if getattr(self, name) is not None]
            if given:
                raise ParameterError(f"--{given[0]} needs --workers or --dask")
            return
        if self.workers is not None and self.dask is not None:
            raise ParameterError("--workers must be given without --dask")
        for option, value in refused.items():
            if value:
                raise ParameterError(
                    f"{option} must be given without --workers and --dask"
                )

    def run(self, learner: Any, stream: Any, **options: Any) -> ClusterRecord:
        """Play the shards of a stream."""
        from littlestone import cluster
        from littlestone.catalogue import entry_of
        from littlestone.cluster._core import other_for, reason_against

        def name_of(made: str) -> str:
            entry = entry_of(made)
            return made if entry is None else entry.name

        if (why := reason_against(learner)) is not None:
            other = other_for(learner)
            can = f"--learner {name_of(other)} can be mixed, and " if other else ""
            raise ParameterError(
                f"{'--workers' if self.dask is None else '--dask'} cannot mix shards "
                f"of {name_of(type(learner).__name__)}, as {why}; {can}littlestone "
                "race plays each learner whole, in order"
            )
        return cluster.run(
            learner,
            stream,
            **self.where,
            shards=self.shards,
            mixes=self.mixes,
            mix=(self.mix or Mix.MISTAKES).value,
            **options,
        )


def shown(*, quiet: bool) -> bool:
    """Return whether to show progress."""
    return not quiet and sys.stderr is not None


def in_json(record: ClusterRecord, file: Any) -> str:
    """Return a record as JSON."""
    facts = record.to_dict() | {"file": file, "seconds": record.elapsed}
    return json_format.dumps(facts, default=repr)


def in_words(record: ClusterRecord, file: str) -> str:
    """Return what came of it, and what it costs, in a few lines."""
    epochs, shards = len(record.epochs), len(record.shards)
    many = f"{counted(epochs, 'epoch')} over {counted(shards, 'shard')}"
    result = f"{counted(record.mistakes, 'mistake')} ({record.rate:.4%})"
    if record.charged:
        result = f"loss {record.loss:.8g}"
    price = record.price + (f" ({record.theorem})" if record.theorem else "")
    rounds = counted(record.rounds, "round")
    played = f"{record.learner.name}: {rounds} of {file} in {many}"
    lines = [played, result, price]
    if record.standing is not None:
        lines.append(record.standing)
    lines += [f"skipped {name}: {why}" for name, why in record.skipped.items()]
    return "\n".join([*lines, f"played in {duration(record.elapsed)}"])
