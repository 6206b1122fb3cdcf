"""Streams that are made up: what they promise holds, exactly and on every machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, islice
from typing import Any

import numpy as np
import pytest

from littlestone import certify, run
from littlestone.boolean import DecisionListLearner
from littlestone.errors import ParameterError
from littlestone.experts import (
    ExponentialWeights,
    Halving,
    WeightedMajority,
)
from littlestone.linear import Perceptron, Winnow
from littlestone.streams import synthetic
from littlestone.streams.synthetic._base import Draws
from littlestone.theorems import EWA_T, WM

STREAMS: dict[str, Any] = {
    "halfspace": lambda rounds, **more: synthetic.halfspace(rounds, 7, 0.2, **more),
    "sparse": lambda rounds, **more: synthetic.halfspace(
        rounds, 300, 0.02, sparsity=6, **more
    ),
    "disjunction": lambda rounds, **more: synthetic.disjunction(
        rounds, 60, 3, 8, **more
    ),
    "k of r": lambda rounds, **more: synthetic.k_of_r(rounds, 40, 5, 9, 3, **more),
    "full": lambda rounds, **more: synthetic.k_of_r(rounds, 9, 4, 7, 3, **more),
    "list": lambda rounds, **more: synthetic.decision_list(rounds, 12, 5, **more),
}


def read(stream: Any) -> Iterator[tuple[dict[int, float], bool]]:
    return iter(stream)


def score(weights: Any, x: dict[int, float]) -> Fraction:
    """Return the weighted sum of an example, exactly."""
    parts = (Fraction(value) * weights[column] for column, value in x.items())
    return sum(parts, Fraction())


@pytest.fixture(params=STREAMS)
def make(request: pytest.FixtureRequest) -> Any:
    return STREAMS[request.param]


def test_labels_are_those_of_the_target(make: Any) -> None:
    stream = make(500)
    examples = list(stream)
    assert len(examples) == len(stream) == 500
    assert all(stream.target(x) == y for x, y in examples)
    assert 150 < sum(y for _, y in examples) < 350


def test_noise_turns_labels_and_nothing_else(make: Any) -> None:
    clean, noisy = list(make(5000)), make(5000, noise=0.25)
    turned = 0
    for (x, y), (same, label) in zip(clean, noisy, strict=True):
        assert same == x
        turned += label != y
    assert turned == noisy.flipped
    assert 1100 < turned < 1400
    assert make(5000).flipped == 0


def test_a_shorter_stream_is_the_beginning_of_a_longer_one(make: Any) -> None:
    endless = make(None, seed=5)
    first = list(islice(endless, 4200))
    assert list(make(4200, seed=5)) == first
    assert list(islice(endless, 4200)) == first
    assert list(make(4200, seed=6)) != first
    with pytest.raises(TypeError, match="endless"):
        len(endless)


def test_blocks_tell_rounds_and_shares(make: Any) -> None:
    blocks = list(make(9000).blocks())
    assert len(blocks) > 1
    assert blocks[-1].done == 1.0
    before = sum(block.last for block in blocks[:-1])
    assert blocks[-1].where(2) == f"round {before + 2}"
    assert next(iter(make(None).blocks())).done is None


# The digest of 300 rounds with the seed 11, so that every machine draws the same.
DIGESTS = {
    "halfspace": "sha256-tree:c8328bea1",
    "sparse": "sha256-tree:eb90e76b1",
    "disjunction": "sha256-tree:a30dad146",
    "k of r": "sha256-tree:1eada2837",
    "full": "sha256-tree:744d2f340",
    "list": "sha256-tree:094bb54f7",
}


@pytest.mark.parametrize("name", STREAMS)
def test_a_seed_gives_equal_bits_on_every_machine(name: str) -> None:
    stream = STREAMS[name](300, seed=11, noise=0.1)
    record = run(Perceptron(), stream, digest=True)
    assert record.digest is not None
    assert record.digest[:21] == DIGESTS[name]
    one_by_one = run(Perceptron(), list(stream), digest=True)
    assert one_by_one.digest == record.digest


@pytest.mark.parametrize(
    ("features", "margin", "sparsity"),
    [
        (1, 0.9, None),
        (3, 1 - 5e-9, None),  # hardly room beside the push
        (40, 0.99, None),
        (500, 0.05, 30),
        (90, 0.03, 1),
    ],
)
def test_the_margin_and_the_radius_are_exact(
    features: int, margin: float, sparsity: int | None
) -> None:
    stream = synthetic.halfspace(60, features, margin, sparsity=sparsity, seed=2)
    weights = stream.target.weights
    assert len(weights) == features
    square_of_norm = sum(Fraction(weight) ** 2 for weight in weights.values())
    for x, y in read(stream):
        assert len(x) == (sparsity or features)
        total = score(weights, x)
        assert (total > 0) == y
        assert total**2 >= Fraction(margin) ** 2 * square_of_norm
        assert sum((Fraction(value) ** 2 for value in x.values()), Fraction()) <= 1


def test_the_deviation_of_noise_is_no_less_than_it_is() -> None:
    stream = synthetic.halfspace(5000, 9, 0.125, noise=0.05, seed=1)
    weights = stream.target.weights
    square_of_norm = sum(Fraction(weight) ** 2 for weight in weights.values())
    sums = Fraction()
    flipped = 0
    for x, y in read(stream):
        total = score(weights, x)
        if (total > 0) != y:
            sums += abs(total)
            flipped += 1
    away = stream.numbers["deviation"] - flipped * Fraction(stream.margin)
    assert sums**2 <= away**2 * square_of_norm <= sums**2 * Fraction(1 + 1e-6)


def test_perceptron_keeps_its_bounds() -> None:
    for noise in (0.0, 0.1):
        stream = synthetic.halfspace(3000, 15, 0.1, noise=noise, seed=4)
        record = run(Perceptron(), stream, keep="updates")
        bound = stream.theorem.bound(**stream.numbers)
        assert 0 < record.mistakes <= bound
        assert certify(record, stream.target.weights).holds


def test_winnow_keeps_its_bounds() -> None:
    stream = synthetic.disjunction(5000, 200, 3, 10)
    record = run(Winnow(threshold=200, promotion=1.5), stream)
    assert stream.theorem is not None
    assert 0 < record.mistakes <= stream.theorem.bound(**stream.numbers)
    vote = synthetic.k_of_r(5000, 50, 5, 12, 2)
    record = run(Winnow(threshold=50, promotion=1.25), vote, keep="updates")
    assert vote.theorem is not None
    assert 0 < record.mistakes <= vote.theorem.bound(**vote.numbers)
    assert certify(record, vote.target.weights).holds


def test_decision_list_is_learned_within_its_bound() -> None:
    stream = synthetic.decision_list(3000, 6, 4)
    assert len(stream.target.rules) == 3
    record = run(DecisionListLearner(features=range(6)), stream)
    assert stream.theorem is not None
    assert 0 < record.mistakes <= stream.theorem.bound(**stream.numbers)
    assert record.unrealizable is None
    assert synthetic.decision_list(5, 3, 1).target.rules == ()
    assert len(synthetic.decision_list(5, 3, 4).target.rules) == 3


def test_theorems_need_labels_without_noise() -> None:
    for stream in (
        synthetic.disjunction(9, 60, 3, 8, noise=0.1),
        synthetic.k_of_r(9, 40, 5, 9, 3, noise=0.1),
        synthetic.decision_list(9, 12, 5, noise=0.1),
    ):
        assert stream.theorem is None
    endless = synthetic.halfspace(None, 3, 0.1, noise=0.1)
    with pytest.raises(ParameterError, match="rounds must be a number"):
        endless.numbers  # noqa: B018 - it is refused
    with pytest.raises(ParameterError, match="rounds must be a number"):
        endless.flipped  # noqa: B018 - it is refused


def test_experts_of_whom_one_is_good() -> None:
    stream = synthetic.experts(12, 3000, best=0.1, seed=3)
    record = run(WeightedMajority(beta=0.5), stream)
    assert record.expert_losses is not None
    assert record.best_expert == stream.target
    assert record.expert_losses[stream.target] == stream.best_loss
    assert 200 < stream.best_loss < 400
    assert record.mistakes <= WM.bound(experts=12, best=stream.best_loss, beta=0.5)
    others = [
        lost for expert, lost in record.expert_losses.items() if expert != stream.target
    ]
    assert all(1350 < lost < 1650 for lost in others)


def test_an_expert_who_never_errs() -> None:
    stream = synthetic.experts(64, 500, best=0)
    assert stream.theorem is not None
    assert (stream.theorem.id, stream.best_loss) == ("HALV", 0)
    assert run(Halving(), stream).mistakes <= stream.theorem.bound(**stream.numbers)
    assert synthetic.experts(64, None).theorem is None


@pytest.mark.parametrize("loss", ["absolute", "square"])
def test_experts_who_predict_numbers(loss: Any) -> None:
    stream = synthetic.experts(5, 2000, best=0.1, loss=loss)
    rule = ExponentialWeights(loss=loss, eta=0.1, range=(0, 1))
    record = run(rule, stream)
    assert record.regret is not None
    assert record.best_expert == stream.target
    assert record.regrets is not None
    assert record.loss is not None
    regret = record.loss - stream.best_loss
    assert regret == pytest.approx(record.regrets[stream.target])
    assert stream.theorem is EWA_T
    assert regret <= EWA_T.bound(**stream.numbers, eta=0.1)
    for advice, outcome in stream:
        assert 0 <= min(advice) <= max(advice) <= 1
        assert abs(advice[stream.target] - outcome) <= 0.1 + 1e-12


def test_concepts_that_change() -> None:
    stream = synthetic.drifting(
        700, 300, synthetic.halfspace, features=5, margin=0.1, seed=8
    )
    examples = list(stream)
    assert len(examples) == len(stream) == 700
    assert all(stream.target_at(at)(x) == y for at, (x, y) in enumerate(examples))
    assert list(stream.changes) == [300, 600]
    assert stream.target_at(0) != stream.target_at(300) != stream.target_at(600)
    assert list(stream.part(1)) == examples[300:600]
    assert [block.done for block in stream.blocks()] == [3 / 7, 6 / 7, 1.0]
    assert list(stream.blocks())[-1].where(3) == "round 603"
    endless = synthetic.drifting(
        None, 300, synthetic.halfspace, features=5, margin=0.1, seed=8
    )
    assert list(islice(endless, 700)) == examples
    with pytest.raises(ParameterError, match="know all changes"):
        endless.changes  # noqa: B018 - it is refused


def test_experts_who_change() -> None:
    stream = synthetic.drifting(600, 200, synthetic.experts, n=4, best=0.0, seed=1)
    assert stream.of_advice
    record = run(WeightedMajority(beta=0.5), stream)
    assert record.rounds == 600
    for at, (advice, outcome) in enumerate(stream):
        assert advice[stream.target_at(at)] == outcome


@pytest.mark.parametrize(("size", "of"), [(2, 4), (2, 5), (3, 5)])
def test_every_set_is_as_likely(size: int, of: int) -> None:
    drawn = Draws(0, "test").subsets(6000, size, of)
    counts = Counter(map(tuple, drawn.tolist()))
    sets = list(combinations(range(of), size))
    assert set(counts) == set(sets)
    mean = 6000 / len(sets)
    assert all(abs(count - mean) < 5 * mean**0.5 for count in counts.values())


def test_events_are_as_likely_as_told() -> None:
    draws = Draws(3, "test")
    assert not draws.events(0.0, 1000).any()
    assert draws.events(1.0, 1000).all()
    assert abs(np.count_nonzero(draws.events(0.25, 40_000)) - 10_000) < 450
    assert set(draws.below(3, 100).tolist()) == {0, 1, 2}


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: synthetic.halfspace(0, 3, 0.1), "rounds must be a whole number"),
        (lambda: synthetic.halfspace(5, 0, 0.1), "features must be a whole number"),
        (lambda: synthetic.halfspace(5, 3, 0.0), "margin must exceed 0, got 0.0"),
        (lambda: synthetic.halfspace(5, 3, 1.0), "margin must be below 1 with 3 of 3"),
        (
            lambda: synthetic.halfspace(5, 100, 0.5, sparsity=1),
            "features in an example, got 0.5",
        ),
        (lambda: synthetic.halfspace(5, 3, 0.1, sparsity=4), "sparsity must be below"),
        (lambda: synthetic.halfspace(5, 3, 0.1, noise=0.6), "noise must lie in"),
        (lambda: synthetic.halfspace(5, 3, 0.1, seed=-1), "seed must be a whole"),
        (lambda: synthetic.disjunction(5, 3, 4, 1), "relevant must be below 4"),
        (lambda: synthetic.disjunction(5, 9, 4, 6), "active must be at most 5"),
        (lambda: synthetic.disjunction(5, 9, 4, 0), "active must be a whole number"),
        (lambda: synthetic.k_of_r(5, 9, 4, 5, 5), "k must be below 5"),
        (lambda: synthetic.decision_list(5, 3, 5), "length must be below 5"),
        (lambda: synthetic.experts(0, 5), "n must be a whole number"),
        (lambda: synthetic.experts(3, 5, best=0.7), "best must lie in"),
        (lambda: synthetic.experts(3, 5, loss="log"), "loss must be 'zero-one'"),  # type: ignore[arg-type]  # refused
        (
            lambda: synthetic.drifting(5, 0, synthetic.halfspace),
            "every must be a whole number",
        ),
        (
            lambda: synthetic.drifting(5, 1, lambda rounds, seed: []),  # type: ignore[arg-type, return-value]  # noqa: ARG005 - refused
            "make must be a function of streams.synthetic",
        ),
    ],
)
def test_parameters_are_refused(call: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        call()
