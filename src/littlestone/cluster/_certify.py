"""Certify what a cluster played: weighted sums, and the theorem of mixing."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import theorems
from littlestone.certifying._parameters import stated
from littlestone.cluster._weights import against_an_expert
from littlestone.errors import ParameterError, PremiseError
from littlestone.running import KeptExamples
from littlestone.theorems._rounding import float_up
from littlestone.verifying import Certificate, as_text
from littlestone.verifying._mixtures import digest_of_shards, weighted
from littlestone.witnesses._examples import (
    Examples,
    fall_short,
    of_length_one,
    size_up,
    vector,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from littlestone.cluster._record import ClusterRecord
    from littlestone.theorems import Theorem

    Floats = NDArray[np.float64]

__all__ = ["certify"]

_TRIED = 60  # margins


def certify(
    record: ClusterRecord,
    witness: Any = None,
    stream: Iterable[tuple[Any, Any]] | None = None,
) -> Certificate:
    """Certify a cluster's run by the theorem of mixing.

    The certificate lists the digest of each shard, and its mistakes, updates and weight
    in each epoch. `verify` replays it with the examples of all shards in order, without
    any cluster.

    Parameters
    ----------
    record
        The record of `run` with `keep="updates"`, of a learner from its first round on.
    witness
        A vector to use in place of a search: a weight for each feature, with that of
        the constant feature under None. For exponential weights, an expert.
    stream
        The examples of all shards in order, which only exponential weights need.

    Examples
    --------
    >>> from littlestone import cluster, verify
    >>> from littlestone.linear import Perceptron
    >>> examples = [({"a": 1.0}, False), ({"b": 1.0}, True)] * 4
    >>> record = cluster.run(
    ...     Perceptron(), examples, shards=2, epochs=2, workers=0, keep="updates"
    ... )
    >>> certificate = cluster.certify(record)
    >>> certificate.theorem, certificate.counted, round(certificate.bound, 9)
    ('MIX-PERC', 1, 1.0)
    >>> verify(certificate, examples).accepted
    True
    """
    _check(record)
    parameters, shards = stated(record.learner.parameters), _shards(record)
    if record.charged:
        found = against_an_expert(record, parameters, shards, witness, stream)
    else:
        found = _best(record, parameters, shards, witness)
    written, numbers, bound, counted = found
    theorem = theorems.get(record.theorem or "")
    return Certificate(
        learner={"name": record.learner.name, "parameters": parameters},
        passes=len(record.epochs),
        rounds=record.rounds,
        mistakes=record.mistakes,
        updates=record.updates,
        digest=digest_of_shards(shards["digests"]),
        theorem=theorem.id,
        counts=theorem.counts,
        counted_exact=as_text(counted),
        witness=written,
        numbers_exact={name: as_text(number) for name, number in numbers.items()},
        bound_exact=as_text(bound),
        shards=shards,
    )


def _best(
    record: ClusterRecord,
    parameters: Mapping[str, Any],
    shards: Mapping[str, Any],
    witness: Mapping[Any, float] | None,
) -> tuple[dict[str, Any], dict[str, Any], float, Fraction]:
    """Return the best vector, the numbers, the bound, and what is counted."""
    kept, shares = _joined(record)
    found = min(
        _candidates(record, kept, shares, parameters, witness),
        key=lambda candidate: candidate[2],
        default=None,
    )
    if found is None:
        raise PremiseError(
            f"{record.theorem} must have a witness on the updates of {record.learner}, "
            "got none",
            owner="certify",
        )
    return *found, weighted(shards)[theorems.get(record.theorem or "").counts]


def _check(record: ClusterRecord) -> None:
    if record.theorem is None:
        raise ParameterError(
            f"{record.learner.name} merges exactly: certify(learner, stream) certifies "
            "what one machine would have done",
            owner="certify",
        )
    if not record.fresh:
        raise ParameterError(
            "the record must begin with a learner's first round, as theorems do, got a "
            "learner that had learned before",
            owner="certify",
        )
    if record.skipped:
        raise ParameterError(
            f"a certificate covers all shards, got {len(record.skipped)} skipped",
            owner="certify",
        )
    if any(tally.digest is None for epoch in record.epochs for tally in epoch.tallies):
        raise ParameterError(
            "the record must hold the examples of its updates, got none: write "
            "cluster.run(..., keep='updates')",
            owner="certify",
        )


def _shards(record: ClusterRecord) -> dict[str, Any]:
    first = record.epochs[0].tallies
    return {
        "rounds": [tally.rounds for tally in first],
        "digests": [str(tally.digest) for tally in first],
        "epochs": [
            {
                "mistakes": [tally.mistakes for tally in epoch.tallies],
                "updates": [tally.updates for tally in epoch.tallies],
                "weights": list(epoch.weights),
            }
            for epoch in record.epochs
        ],
        "mixes": record.epochs[0].mixes,
    }


def _joined(record: ClusterRecord) -> tuple[KeptExamples, list[Fraction]]:
    """Return the examples of all updates, and the share with which each counts."""
    places: dict[Any, int] = {}
    shares: list[Fraction] = []
    ends, columns, values, labels = [0], [], [], []
    for epoch in record.epochs:
        for share, tally in zip(epoch.shares, epoch.tallies, strict=True):
            kept = tally.examples
            if kept is None or not len(kept):
                continue
            at = [places.setdefault(name, len(places)) for name in kept.features]
            columns.append(np.array(at, dtype=np.int32)[kept.columns])
            values.append(kept.values)
            labels.append(kept.labels)
            ends += (kept.offsets[1:] + ends[-1]).tolist()
            shares += [share] * len(kept)
    joined = KeptExamples(
        np.arange(len(shares), dtype=np.int64),
        np.concatenate([np.empty(0, dtype=np.bool_), *labels]),
        tuple(places),
        np.array(ends, dtype=np.int64),
        np.concatenate([np.empty(0, dtype=np.int32), *columns]),
        np.concatenate([np.empty(0), *values]),
    )
    return joined, shares


def _weigh(shares: list[Fraction], numbers: Floats) -> float:
    """Return the weighted sum, or slightly more."""
    pairs = zip(shares, numbers.tolist(), strict=True)
    sums: dict[Fraction, Fraction] = {}
    for share, number in pairs:
        if number:
            sums[share] = sums.get(share, Fraction(0)) + Fraction(number)
    return float_up(sum((share * each for share, each in sums.items()), Fraction(0)))


def _candidates(
    record: ClusterRecord,
    kept: KeptExamples,
    shares: list[Fraction],
    parameters: Mapping[str, Any],
    given: Mapping[Any, float] | None,
) -> Iterator[tuple[dict[str, Any], dict[str, Any], float]]:
    """Yield witnesses, the numbers of the theorem, and the bound."""
    theorem = theorems.get(record.theorem or "")
    bias = float(parameters["bias"])
    normalize = bool(parameters.get("normalize", False))
    examples = Examples.of(kept, bias=bias, normalize=normalize)
    measure = _MEASURES[theorem]
    if not len(examples):
        tried = [np.zeros(examples.width)]
    elif given is not None:
        entries = [float(given.get(name, 0.0)) for name in kept.features]
        tried = [np.array([*entries, float(given.get(None, 0.0))] if bias else entries)]
    else:
        tried = _directions(examples, float(np.mean([float(each) for each in shares])))
    for v in tried:
        for u, numbers in measure(examples, shares, parameters, v):
            bound = _bound(theorem, numbers)
            if math.isfinite(bound):
                yield vector(u, kept.features, constant=bool(bias))(), numbers, bound


def _bound(theorem: Theorem, numbers: Mapping[str, Any]) -> float:
    try:
        return theorem.bound(**numbers)
    except PremiseError:
        return math.inf


def _directions(examples: Examples, share: float) -> list[Floats]:
    """Return vectors to try, for losses that count with about this share."""
    price = examples.radius**-2 if examples.radius else 1.0
    found = [
        examples.soft(hinge=price * factor)[0] for factor in (share, 4 * share, 1.0, 20)
    ]
    return [*found, examples.separator(1e-3 * examples.radius)[0]]


def _margins(margins: Floats) -> list[float]:
    """Return the margins to try: those of examples, and beyond."""
    above = np.sort(margins[margins > 0])
    if not len(above):
        return [1.0]
    picked = above[np.linspace(0, len(above) - 1, _TRIED).astype(int)]
    return [*dict.fromkeys(picked.tolist()), 2 * float(above[-1])]


def _perceptron(
    examples: Examples, shares: list[Fraction], _: Mapping[str, Any], v: Floats
) -> Iterator[tuple[Floats, dict[str, Any]]]:
    u = of_length_one(v)
    u = np.zeros(examples.width) if u is None else u
    margins, radius = examples.margins(u), examples.radius
    weights = np.array([float(share) for share in shares])

    def about(margin: float) -> float:
        lost = float(weights @ np.maximum(0.0, margin - margins))
        root = math.sqrt(radius**2 + 4 * margin * lost)
        return float(((radius + root) / (2 * margin)) ** 2)

    margin = min(_margins(margins), key=about)
    deviation = _weigh(shares, fall_short(margin, margins))
    yield u, {"radius": radius, "margin": margin, "deviation": deviation}


def _aggressive(
    examples: Examples, shares: list[Fraction], parameters: Mapping[str, Any], v: Floats
) -> Iterator[tuple[Floats, dict[str, Any]]]:
    mode, C = parameters["mode"], float(parameters["C"])
    if mode is None:
        reached = examples.reaching(v) if len(examples) else v
        if reached is not None:
            yield reached, {"radius": examples.radius, "norm": size_up(reached)}
        return
    for factor in (0.25, 0.5, 1.0, 2.0):
        scaled = v * factor
        lost = fall_short(1.0, examples.margins(scaled))
        numbers: dict[str, Any] = {
            "radius": examples.radius,
            "aggressiveness": C,
            "norm": size_up(scaled),
        }
        if mode == "I":
            yield scaled, numbers | {"hinge": _weigh(shares, lost)}
        else:
            squares = np.nextafter(lost * lost, math.inf) * (lost > 0)
            yield scaled, numbers | {"hinge_squares": _weigh(shares, squares)}


def _balanced(
    examples: Examples, shares: list[Fraction], parameters: Mapping[str, Any], v: Floats
) -> Iterator[tuple[Floats, dict[str, Any]]]:
    size = math.fsum(np.abs(v).tolist())
    u = v / size * (1 - 2.0**-40) if size else v
    rate = float(parameters["rate"])
    scale = float(np.abs(examples.values).max(initial=0.0)) or parameters["scale"]
    margins = examples.margins(u)
    least = rate * scale**2 / 2  # at which the bound is infinite
    for margin in [*_margins(margins), *(least * factor for factor in (1.5, 2, 4, 8))]:
        if margin > least:
            yield (
                u,
                {
                    "features": max(examples.width, 1),
                    "margin": margin,
                    "rate": rate,
                    "scale": scale,
                    "deviation": _weigh(shares, fall_short(margin, margins)),
                },
            )


_MEASURES = {
    theorems.MIX_PERC: _perceptron,
    theorems.MIX_PA: _aggressive,
    theorems.MIX_BWIN: _balanced,
}
