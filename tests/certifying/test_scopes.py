"""Bounds for every order of a stream, bounds by steps, and bounds that say nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from littlestone import Certificate, certify, run, theorems, verify
from littlestone.adversaries import PerceptronAdversary
from littlestone.errors import CertificateError, ParameterError, PremiseError
from littlestone.learner import Learner
from littlestone.linear import (
    AROW,
    AveragedPerceptron,
    BalancedWinnow,
    KernelPerceptron,
    MulticlassAROW,
    MulticlassPassiveAggressive,
    MulticlassPerceptron,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    VotedPerceptron,
    Winnow,
)
from littlestone.running.examples import KeptExamples
from littlestone.theorems._rounding import float_up
from littlestone.witnesses._examples import Examples

Stream = list[tuple[dict[str, float], bool]]

ORDERLESS: list[tuple[Learner, tuple[str, ...]]] = [
    (Perceptron(), ("PERC-TD", "PERC-RMS")),
    (Perceptron(update="margin", normalize=True, bias=0.5), ("PERC-TD", "PERC-RMS")),
    (AveragedPerceptron(bias=1), ("PERC-TD", "PERC-RMS")),
    (VotedPerceptron(), ("PERC-TD", "PERC-RMS")),
    (KernelPerceptron("polynomial", degree=2), ("PERC-TD", "PERC-RMS")),
    (MulticlassPerceptron(bias=1), ("MCPERC-TD", "MCPERC-RMS")),
    (PassiveAggressive(C=0.05), ("PA1",)),
    (PassiveAggressive(C=0.05, mode="II"), ("PA2",)),
    (SecondOrderPerceptron(), ("SOP",)),
    (SecondOrderPerceptron(diagonal=False, bias=1), ("SOP",)),
    (BalancedWinnow(rate=0.1, scale=4), ("BWIN-ANY", "BWIN-RMS")),
]
BY_STEPS: list[tuple[Learner, str]] = [
    (PassiveAggressive(mode=None), "PA-STEPS"),
    (PassiveAggressive(C=0.2), "PA-STEPS"),
    (PassiveAggressive(C=2, mode="II", bias=0.5), "PA-STEPS"),
    (BalancedWinnow(rate=0.1, scale=4), "BWIN-STEPS"),
    (BalancedWinnow(rate=0.02, scale=4, bias=2), "BWIN-STEPS"),
    (AROW(), "AROW-STEPS"),
    (AROW(r=0.3, bias=1), "AROW-STEPS"),
    (MulticlassPassiveAggressive(C=0.5), "MCPA-STEPS"),
    (MulticlassPassiveAggressive(mode="II", classes=(False, True)), "MCPA-STEPS"),
    (MulticlassPassiveAggressive(mode=None), "MCPA-STEPS"),
]


def noisy(seed: int, rounds: int = 90, wrong: float = 0.1) -> Stream:
    """Return examples of different lengths, some of them with the wrong label."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=4)
    stream: Stream = []
    for _ in range(rounds):
        x = np.round(rng.normal(size=4) * rng.choice([0.25, 1.0]), 2)
        label = bool(x @ u >= 0) != (rng.random() < wrong)
        stream.append((dict(zip("abcd", x.tolist(), strict=True)), label))
    return [*stream, ({}, False), ({"a": 0.0}, True)]


# In every order ---------------------------------------------------------------------


@pytest.mark.parametrize(("learner", "expected"), ORDERLESS, ids=str)
def test_a_bound_of_the_stream_holds_for_every_order_of_it(
    learner: Learner, expected: tuple[str, ...]
) -> None:
    spoken = set()
    for seed in range(3):
        stream = noisy(seed, 40 if isinstance(learner, KernelPerceptron) else 90)
        certificate = certify(learner, stream, scope="stream")
        assert certificate.scope == "stream"
        assert not certificate.tautological
        assert verify(certificate, stream).accepted, verify(certificate, stream)
        spoken |= {certificate.theorem, *certificate.others}
        rng = np.random.default_rng(seed)
        for _ in range(20):
            order = rng.permutation(len(stream)).tolist()
            record = run(learner.clone(), [stream[i] for i in order])
            counted = getattr(record, certificate.counts)
            assert counted <= certificate.bound
            for name, other in certificate.others.items():
                assert getattr(record, theorems.get(name).counts) <= other["bound"]
    assert spoken >= set(expected)


@pytest.mark.parametrize(("learner", "expected"), ORDERLESS, ids=str)
def test_its_witness_is_measured_on_the_rounds_without_a_mistake_too(
    learner: Learner, expected: tuple[str, ...]
) -> None:
    stream = noisy(1, 30)
    for name in expected:
        run_ = certify(learner, stream, scope="run", theorem=name)
        assert verify(run_, stream).accepted
        # What was measured on the updates alone is too little of the stream.
        moved = verify(replace(run_, scope="stream"), stream)
        assert not moved.accepted
        assert moved.wrong is not None
        assert "must be at least" in moved.wrong


def attributes(seed: int, rounds: int = 80) -> Stream:
    """Return a disjunction with some wrong labels."""
    rng = np.random.default_rng(seed)
    stream: Stream = []
    for bits in rng.random((rounds, 6)) < 0.4:
        x = {name: 1.0 for name, bit in zip("abcdef", bits, strict=True) if bit}
        stream.append((x, ("a" in x or "b" in x) != (rng.random() < 0.1)))
    return stream


def test_winnow_bears_wrong_labels_in_every_order() -> None:
    learner = Winnow(threshold=6, promotion=1.5)
    for seed in range(3):
        stream = attributes(seed)
        certificate = certify(learner, stream, scope="stream")
        assert certificate.theorem == "WIN2-SLACK"
        assert verify(certificate, stream).accepted
        rng = np.random.default_rng(seed)
        for _ in range(20):
            order = rng.permutation(len(stream)).tolist()
            mistakes = run(learner.clone(), [stream[i] for i in order]).mistakes
            assert mistakes <= certificate.bound
        of_run = certify(learner, stream, scope="run", theorem="WIN2-SLACK")
        assert verify(of_run, stream).accepted
        less = {**certificate.numbers_exact, "slack": "1"}
        numbers = {n: Fraction(float(v)) for n, v in certificate.numbers.items()}
        bound = theorems.WIN2_SLACK.bound(**numbers | {"slack": Fraction(1)})
        forged = replace(certificate, numbers_exact=less, bound_exact=bound.hex())
        assert not verify(forged, stream).accepted


def test_the_longest_rounds_decide_what_the_mean_length_is() -> None:
    stream = noisy(2, 60)
    certificate = certify(Perceptron(), stream, theorem="PERC-RMS", scope="stream")
    squares = sorted(sum(v * v for v in x.values()) for x, _ in stream)
    many = int(certificate.bound) + 1
    mean = np.mean(squares[-many:]) if many < len(squares) else np.mean(squares)
    assert mean <= certificate.numbers["mean_radius"] ** 2 <= squares[-1]
    smaller = {**certificate.numbers_exact, "mean_radius": "1/1000"}
    numbers = {
        name: Fraction(smaller[name])
        if "/" in smaller[name]
        else Fraction(float.fromhex(smaller[name]))
        for name in smaller
    }
    bound = theorems.PERC_RMS.bound(**numbers)
    forged = replace(certificate, numbers_exact=smaller, bound_exact=bound.hex())
    verdict = verify(forged, stream)
    assert verdict.wrong is not None
    assert "the root of the mean square" in verdict.wrong or "must" in verdict.wrong
    assert not verdict.accepted


def test_one_pass_and_three_are_different_streams() -> None:
    stream = noisy(3, 40)
    once = certify(Perceptron(), stream, scope="stream")
    thrice = certify(Perceptron(), stream, passes=3, scope="stream")
    assert thrice.rounds == 3 * once.rounds
    assert verify(thrice, stream).accepted


def test_rounds_that_were_kept_need_no_stream() -> None:
    stream = noisy(4)
    record = run(Perceptron(), stream, keep="rounds")
    certificate = certify(record, scope="stream")
    assert certificate == certify(Perceptron(), stream, scope="stream")
    assert certify(record, scope="run") == certify(Perceptron(), stream, scope="run")
    updates = run(Perceptron(), stream, keep="updates")
    with pytest.raises(ParameterError, match="must hold the examples of its rounds"):
        certify(updates, scope="stream")
    assert certify(updates, stream=stream, scope="stream") == certificate


def test_your_own_witness_is_measured_on_all_rounds() -> None:
    stream: Stream = [({"a": 1.0}, True), ({"b": 1.0}, False)] * 3
    u = {"a": 1.0, "b": -1.0}
    certificate = certify(Perceptron(), stream, witness=u, scope="stream")
    assert verify(certificate, stream).accepted
    assert certificate.loss_share in (None, 0.0)


def test_some_learners_have_no_bound_for_every_order() -> None:
    for learner in (AROW(), MulticlassAROW()):
        with pytest.raises(PremiseError, match="no bound for every order"):
            certify(learner, noisy(0), scope="stream")
    with pytest.raises(PremiseError, match="there are PA-ORDER, PA-SEP, PA1, PA2"):
        certify(PassiveAggressive(), noisy(0), theorem="PA-STEPS", scope="stream")
    with pytest.raises(ParameterError, match="scope must be 'run', 'stream' or None"):
        certify(Perceptron(), noisy(0), scope="all")  # type: ignore[call-overload]  # refused


# Tautologies ------------------------------------------------------------------------


def test_labels_at_random_make_a_run_tautological_and_a_stream_vacuous() -> None:
    stream = noisy(5, 300, wrong=0.5)
    certificate = certify(Perceptron(), stream)
    assert certificate.scope == "run"
    assert certificate.tautological
    assert certificate.loss_share is not None
    assert certificate.loss_share >= 0.9
    assert "tautological: its witness says no more than the mistakes" in str(
        certificate
    )
    assert "(H/U)" in str(certificate)
    assert certify(Perceptron(), stream, scope="stream").emptiness.startswith("vacuous")


def test_where_a_run_is_tautological_the_stream_is_the_default() -> None:
    stream = noisy(6, 300)
    chosen = certify(Perceptron(), stream)
    of_run = certify(Perceptron(), stream, scope="run")
    assert (of_run.tautological, chosen.scope) == (True, "stream")
    assert chosen == certify(Perceptron(), stream, scope="stream")
    assert "every order" in str(chosen)
    record = run(Perceptron(), stream, keep="updates")
    assert certify(record) == of_run  # there is no stream to measure it on


def test_a_theorem_that_says_something_goes_before_a_smaller_tautology() -> None:
    # PA1 says little, but something, of 400 rounds on which few mistakes were made.
    stream = noisy(7, 400, wrong=0.0)
    certificate = certify(PassiveAggressive(C=0.01), stream, scope="run")
    for other in certificate.others_exact.values():
        if other["bound"] is None:
            assert "tautological" in str(other["reason"])
    assert not certificate.tautological
    assert verify(certificate, stream).accepted


# By steps ---------------------------------------------------------------------------


@pytest.mark.parametrize(("learner", "name"), BY_STEPS, ids=str)
def test_steps_are_replayed_and_forged_ones_refused(learner: Any, name: str) -> None:
    for seed in range(3):
        stream = noisy(seed)
        certificate = certify(learner, stream, theorem=name, scope="run")
        verdict = verify(certificate, stream)
        assert verdict.accepted, verdict
        first = isinstance(learner, MulticlassPassiveAggressive) and not learner.classes
        assert certificate.mistakes - first <= certificate.bound
    numbers = {
        n: Fraction(float.fromhex(t)) for n, t in certificate.numbers_exact.items()
    }
    for forged, factor in (
        ("mean_loss", 0.98),
        ("steps", 1.02),
        ("gained", 1.02),
        ("gain", 1.02),
        ("norm", 0.98),
        ("drift", 0.98),
        ("potential", 0.98),
        ("grown", 0.98),
        ("owed", 0.98),
    ):
        if not numbers.get(forged):
            continue
        made = numbers | {forged: numbers[forged] * Fraction(factor)}
        bound = float_up(theorems.get(name).formula(**made))
        verdict = verify(
            replace(
                certificate,
                numbers_exact={n: _text(value) for n, value in made.items()},
                bound_exact=bound.hex(),
            ),
            stream,
        )
        assert not verdict.accepted, forged
        assert forged in str(verdict.wrong) or "does not hold" in str(verdict.wrong)


def _text(value: Fraction) -> str:
    from littlestone.verifying import as_text  # noqa: PLC0415 - only here

    return as_text(value)


@pytest.mark.parametrize("learner", [PassiveAggressive(), AROW(r=2.0)], ids=str)
def test_unit_vectors_attain_the_bound_by_steps(learner: Learner) -> None:
    adversary = PerceptronAdversary(0.25)
    certificate = certify(learner, adversary, scope="run")
    found = {certificate.theorem: certificate.bound} | {
        name: other["bound"] for name, other in certificate.others.items()
    }
    name = next(name for name in found if name.endswith("STEPS"))
    assert certificate.mistakes == 16
    assert found[name] == pytest.approx(16, rel=1e-2)


# What is kept and written -----------------------------------------------------------


def test_all_rounds_are_kept_one_by_one_and_in_blocks() -> None:
    stream = noisy(8, 40)
    rows = [[x.get(name, 0.0) for name in "abcd"] for x, _ in stream]
    labels = [y for _, y in stream]
    one = run(Perceptron(), stream, keep="rounds").examples
    block = run(
        Perceptron(), (np.array(rows), np.array(labels)), keep="rounds"
    ).examples
    updates = run(Perceptron(), stream, keep="updates").examples
    assert isinstance(one, KeptExamples)
    assert block is not None
    assert updates is not None
    assert len(one) == len(stream)
    assert one.changed is not None
    assert one.values.tolist() == block.values.tolist()
    assert one.changed.tolist() == block.changed.tolist()  # type: ignore[union-attr]  # it is kept
    assert list(one.updates()) == list(updates)
    assert one.updates().rounds.tolist() == updates.rounds.tolist()
    assert updates.updates() is updates


def test_the_scope_is_in_the_file_only_for_every_order() -> None:
    stream = noisy(9)
    of_run = certify(Perceptron(), stream, scope="run")
    of_stream = certify(Perceptron(), stream, scope="stream")
    assert "scope" not in json.loads(of_run.to_json())
    assert json.loads(of_run.to_json())["format"] == 1
    assert json.loads(of_stream.to_json())["format"] == 2
    for certificate in (of_run, of_stream):
        assert Certificate.from_json(certificate.to_json()) == certificate
    with pytest.raises(CertificateError, match="scope must be 'run' or 'stream'"):
        replace(of_run, scope="order")


def test_a_price_and_a_level_for_each_row_are_minimised() -> None:
    rng = np.random.default_rng(4)
    X, signs = rng.normal(size=(30, 3)), rng.choice([-1.0, 1.0], size=30)
    caps, levels = rng.random(30), rng.normal(size=30)
    columns = np.tile(np.arange(3, dtype=np.int32), 30)
    examples = Examples(np.arange(31) * 3, columns, X.ravel(), signs, 3)

    def total(v: Any) -> float:
        short = np.maximum(0.0, levels - signs * (X @ v))
        return float(v @ v / 2 + caps @ short)

    v = examples.softest(caps, levels)
    for _ in range(300):
        other = v + rng.normal(size=3) * 10.0 ** rng.uniform(-4, 0)
        assert total(v) <= total(other) * (1 + 6e-3) + 1e-9
    with pytest.raises(ValueError, match="same length"):
        examples.softest(caps[:-1], levels)


# Witnesses of a run that say more than its mistakes.


def bits(wrong: float) -> Stream:
    """Return rounds of twenty bits, of which at least two of the first four say yes."""
    draw = np.random.default_rng(3)
    X = draw.random((200, 20)) < 0.3
    y = (X[:, :4].sum(axis=1) > 1) ^ (draw.random(200) < wrong)
    named = ({f"f{k}": 1.0 for k in np.flatnonzero(x)} for x in X)
    return list(zip(named, y.tolist(), strict=True))


@pytest.mark.parametrize(
    ("learner", "wrong"),
    [(SecondOrderPerceptron(bias=1), 0.05), (AROW(bias=1), 0.15)],
    ids=["SOP", "AROW-STEPS"],
)
def test_the_least_bound_gives_way_to_one_that_says_more_than_the_mistakes(
    learner: Any, wrong: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = bits(wrong)
    found = certify(learner, stream, scope="run")
    assert not found.emptiness
    assert found.loss_share is not None
    assert found.loss_share < 0.9
    assert found.mistakes < found.bound < 200
    assert verify(found, stream).accepted
    # Without losses that count more than once or twice, there is only this one.
    monkeypatch.setattr(Examples, "times", (1.0,))
    least = certify(learner, stream, scope="run")
    assert least.theorem == found.theorem
    assert least.tautological
    assert least.bound < found.bound


def any_of_four(seed: int, wrong: float = 0.15) -> list[tuple[dict[int, float], bool]]:
    """Return sparse examples whose label is a disjunction, and some wrong ones."""
    rng = np.random.default_rng(seed)
    X = rng.random((200, 40)) < 0.1
    y = X[:, :4].any(axis=1) ^ (rng.random(200) < wrong)
    rows = [dict.fromkeys(np.flatnonzero(x).tolist(), 1.0) for x in X]
    return list(zip(rows, y.tolist(), strict=True))


def test_the_least_bound_is_that_of_weights_which_lose_little_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learner, stream = Winnow(threshold=40, promotion=1.5), any_of_four(0)
    found = certify(learner, stream, scope="run")
    assert not found.emptiness
    assert found.loss_share is not None
    assert found.loss_share < 0.9
    assert found.bound < 200
    assert verify(found, stream).accepted
    # A limit that forbids nothing leaves the one that only repeats the mistakes.
    monkeypatch.setattr("littlestone.witnesses._winnow.LOST", 99.0)
    assert certify(learner, stream, scope="run").tautological


def test_what_became_of_the_weights_says_more_than_the_worst_that_could() -> None:
    learner, stream = BalancedWinnow(rate=0.2, bias=1), any_of_four(0)
    found = certify(learner, stream, scope="run")
    assert found.theorem == "BWIN-STEPS"
    assert not found.emptiness
    assert found.loss_share is not None
    assert found.loss_share < 0.7
    worst = found.mistakes * 0.2**2 / 2
    assert 0 < found.numbers["grown"] < worst / 4
    assert found.bound < certify(learner, stream, theorem="BWIN-ANY").bound / 2


def test_the_smaller_one_is_the_default_where_a_run_says_hardly_more() -> None:
    learner = Winnow(threshold=40, promotion=1.5)
    for seed, scope in ((0, "run"), (1, "stream")):
        of_run = certify(learner, any_of_four(seed), scope="run")
        of_stream = certify(learner, any_of_four(seed), scope="stream")
        assert not of_run.emptiness
        assert not of_stream.emptiness
        found = certify(learner, any_of_four(seed))
        assert found.scope == scope
        assert found.bound == min(of_run.bound, of_stream.bound)


def test_balanced_winnow_has_the_theorem_for_every_order_for_a_run_as_well() -> None:
    stream = bits(0.0)[:60]
    learner = BalancedWinnow(rate=0.05, bias=1)
    found = certify(learner, stream, scope="run", theorem="BWIN-ORDER")
    whole = certify(learner, stream, scope="stream")
    assert whole.theorem == "BWIN-ORDER"
    assert certify(learner, stream, scope="run").theorem == "BWIN-STEPS"
    assert not found.emptiness
    assert found.bound < whole.bound
    assert found.bound < certify(learner, stream, scope="run", theorem="BWIN-ANY").bound
    assert verify(found, stream).accepted
    numbers = {n: Fraction(v) for n, v in found.numbers.items()}
    for name in ("owed", "potential"):
        less = numbers | {name: numbers[name] * Fraction(999, 1000)}
        forged = replace(
            found,
            numbers_exact={
                n: f"{v.numerator}/{v.denominator}" for n, v in less.items()
            },
            bound_exact=theorems.BWIN_ORDER.bound(**less).hex(),
        )
        assert name in str(verify(forged, stream).wrong)
    # A vector that is given is used, in both.
    scopes: tuple[Any, ...] = ("run", "stream")
    for scope in scopes:
        given = certify(learner, stream, witness={"f0": 0.4, "f1": 0.4}, scope=scope)
        assert {name for name, _ in given.witness["entries"]} == {"f0", "f1"}
