"""Certify exponential weights on a cluster: the judge's own sums, with an expert."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone import theorems
from littlestone.errors import ParameterError, PremiseError
from littlestone.theorems._rounding import float_up
from littlestone.verifying._mixtures import shares, together
from littlestone.verifying._reading import read_example, read_label
from littlestone.verifying.proofs import Unsound
from littlestone.verifying.proofs._forecast import DRIFT, Case
from littlestone.verifying.proofs.mixing import MixedWeights, ShardLedger
from littlestone.verifying.twins import TWINS, outcome_of
from littlestone.verifying.twins._mixing import copied, mixed
from littlestone.witnesses._candidate import needs_stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from littlestone.cluster._record import ClusterRecord

__all__ = ["against_an_expert"]


def against_an_expert(
    record: ClusterRecord,
    parameters: Mapping[str, Any],
    shards: Mapping[str, Any],
    witness: Any,
    stream: Iterable[tuple[Any, Any]] | None,
) -> tuple[dict[str, Any], dict[str, Any], float, Fraction]:
    """Return the witness, the numbers of `MIX-EWA`, the bound, and what is counted."""
    if stream is None:
        raise needs_stream(record, "to read the advice again")
    sums, last = _played(record, parameters, shards, stream)
    if not sums.regrets:
        raise PremiseError(
            "there must be rounds, or there is nothing to compare", owner="certify"
        )
    if witness is not None and witness not in sums.regrets:
        raise ParameterError(
            "a witness must be one of the experts, "
            f"{', '.join(map(repr, list(sums.regrets)[:8]))}, got {witness!r}",
            owner="certify",
        )
    best = max(sums.regrets, key=lambda name: sums.regrets[name].high)
    found = {"kind": "expert", "expert": best if witness is None else witness}
    numbers = MixedWeights.stated(sums.numbers(Case(parameters, found, last)))
    counted = Fraction(float_up(sums.regrets[found["expert"]].high))
    bound = theorems.MIX_EWA.bound(**numbers)
    if counted > Fraction(bound):  # by rounding: a prior may be stated slightly lower
        lower = numbers | {"prior": Fraction(numbers["prior"]) * (1 - DRIFT)}
        again = theorems.MIX_EWA.bound(**lower)
        if counted <= Fraction(again):
            numbers, bound = lower, again
    if not math.isfinite(bound):
        raise PremiseError("the bound must be finite, got inf", owner="certify")
    return found, numbers, bound, counted


def _played(
    record: ClusterRecord,
    parameters: Mapping[str, Any],
    shards: Mapping[str, Any],
    stream: Iterable[tuple[Any, Any]],
) -> tuple[ShardLedger, Any]:
    """Replay all epochs with the twin; return the weighted sums, and one ledger."""
    name = record.learner.name
    twin, sums, last = TWINS[name](**parameters), ShardLedger(), None
    outcome = outcome_of(name, parameters)
    examples = _rounds(list(stream), len(shards["epochs"]))
    for epoch in shards["epochs"]:
        weights = epoch["weights"]
        parted = shares(weights, shards["mixes"])
        for some in together(len(weights), shards["mixes"]):
            ended = []
            for at in some:
                each, rounds = copied(twin), shards["rounds"][at]
                sums.begin_shard()
                for _ in range(rounds):
                    try:
                        x, y = next(examples)
                        read = read_example("advice", x), read_label(outcome, y)
                        sums.of_shard.add(each.play(*read), each)
                    except (StopIteration, Unsound, LookupError, TypeError, ValueError):
                        raise ParameterError(
                            "the stream must be that of the record, got another",
                            owner="certify",
                        ) from None
                sums.end_shard(parted[at])
                last = sums.of_shard if rounds else last
                ended.append(each)
            twin = mixed(twin, ended, weights[some.start : some.stop])
    return sums, last


def _rounds(examples: list[tuple[Any, Any]], passes: int) -> Iterator[tuple[Any, Any]]:
    for _ in range(passes):
        yield from examples
