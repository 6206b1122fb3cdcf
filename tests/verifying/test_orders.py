"""Bounds for every order: by hand, in other orders, judged, and forged."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from littlestone import Certificate, certify, linear, run, theorems, verify
from littlestone.errors import PremiseError
from littlestone.verifying import as_number, as_text

Stream = list[tuple[dict[str, float], bool]]

LEARNERS: list[tuple[str, Any]] = [
    ("PA-ORDER", linear.PassiveAggressive(bias=1)),
    ("PA-ORDER", linear.PassiveAggressive(0.05, bias=1)),
    ("PA-ORDER", linear.PassiveAggressive(0.3, mode="II")),
    ("PA-ORDER", linear.PassiveAggressive(mode=None)),
    ("SOP-ORDER", linear.SecondOrderPerceptron(0.5, bias=1)),
    ("AROW-ORDER", linear.AROW(diagonal=False)),
    ("BWIN-ORDER", linear.BalancedWinnow(0.05, scale=3.0)),
]
every = pytest.mark.parametrize(
    "case", range(len(LEARNERS)), ids=lambda k: str(LEARNERS[k][1])
)


@cache
def noisy(seed: int = 0, rounds: int = 120) -> Stream:
    """Return a stream of which a tenth is labelled wrong, and one row is empty."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(rounds, 4)) * [1.0, 0.3, 0.5, 0.2]
    labels = (rows[:, 0] + rows[:, 1] > 0) ^ (rng.random(rounds) < 0.1)
    rows = np.clip(rows, -3, 3)
    stream = [
        (dict(zip("abcd", row, strict=True)), y)
        for row, y in zip(rows.tolist(), labels.tolist(), strict=True)
    ]
    return [*stream, ({}, False)]


@cache
def certificate_of(case: int) -> Certificate:
    theorem, learner = LEARNERS[case]
    made = certify(learner.clone(), noisy(), scope="stream", theorem=theorem)
    assert made.holds
    return made


# By hand ------------------------------------------------------------------------------


def test_passive_aggressive_by_hand() -> None:
    # e1, e2 and e1 again with the wrong label, u = (2, 2), steps l/|x|^2. Of the first
    # two h = -1: a = 1 - 2h = 3, b = 0; of the third h = 3: a = 9 - 18 = -9, b = 5. At
    # lambda = 1/3 they cost 0, 0 and 1 + 3 = 4, and |u|^2/3 is 8/3.
    stream: Stream = [({"a": 1.0}, True), ({"b": 1.0}, True), ({"a": 1.0}, False)]
    learner = linear.PassiveAggressive(mode=None)
    made = certify(learner, stream, scope="stream", theorem="PA-ORDER")
    numbers = {"price": "1/3", "potential": "8", "owed": "4"}
    entries = [["a", (2.0).hex()], ["b", (2.0).hex()]]
    witness = {"kind": "vector", "entries": entries, "bias": None}
    bound = as_text(theorems.PA_ORDER.bound(price=Fraction(1, 3), potential=8, owed=4))
    forged = replace(made, numbers_exact=numbers, witness=witness, bound_exact=bound)
    assert verify(forged, stream)
    for name, lower in [("owed", "399/100"), ("potential", "799/100")]:
        wrong = {**numbers, name: lower}
        exact = {each: as_number(text) for each, text in wrong.items()}
        bound = as_text(theorems.PA_ORDER.bound(**exact))
        verdict = verify(
            replace(forged, numbers_exact=wrong, bound_exact=bound), stream
        )
        assert f"{name} must be at least" in str(verdict.wrong)


def test_arow_by_hand() -> None:
    # One row, 1, of label yes, r = 1: u = 1/2 has |u|^2 + (1 - u)^2 = 1/2.
    made = certify(linear.AROW(diagonal=False), [({"a": 1.0}, True)], scope="stream")
    assert made.theorem == "AROW-ORDER"
    assert made.bound == pytest.approx(0.5 + math.log(2))


@pytest.mark.parametrize(
    ("theorem", "numbers", "bound"),
    [
        ("PA-ORDER", {"price": 0.5, "potential": 9, "owed": 3}, 7.5),
        ("BWIN-ORDER", {"price": 20, "potential": 0.5, "owed": 3}, 13),
        ("MCPA-ORDER", {"price": 20, "potential": 0.5, "owed": 3}, 13),
        ("SOP-ORDER", {"price": 2, "potential": 4, "owed": 3, "portion": 1}, 11),
        ("AROW-ORDER", {"r": 2, "norm": 3, "residual": 4, "log_det": 5}, 27),
    ],
)
def test_formulas_by_hand(theorem: str, numbers: Any, bound: float) -> None:
    assert theorems.get(theorem).bound(**numbers) == bound
    for name in numbers:
        with pytest.raises(PremiseError, match=name):
            theorems.get(theorem).bound(**{**numbers, name: -1})


# In every order -----------------------------------------------------------------------


@every
def test_the_bound_holds_in_other_orders(case: int) -> None:
    learner, stream = LEARNERS[case][1], noisy()
    bound = certificate_of(case).bound
    assert bound < len(stream)
    by_label = sorted(stream, key=lambda example: example[1])
    orders = [stream[::-1], by_label, by_label[::-1], stream[::2] + stream[1::2]]
    rng = np.random.default_rng(1)
    orders += [[stream[i] for i in rng.permutation(len(stream))] for _ in range(4)]
    for order in orders:
        assert run(learner.clone(), order).mistakes <= bound


def test_an_adversary_attains_the_bound_of_passive_aggressive() -> None:
    stream: Stream = [({str(i): 1.0}, False) for i in range(9)]
    made = certify(linear.PassiveAggressive(), stream, scope="stream")
    assert made.mistakes == 9
    assert made.bound == pytest.approx(9, rel=1e-3)


# The judge ----------------------------------------------------------------------------


@every
def test_certificates_are_accepted_and_no_number_may_be_lower(case: int) -> None:
    made, stream = certificate_of(case), noisy()
    assert verify(made, stream)
    theorem = theorems.get(made.theorem)
    for name in set(made.numbers_exact) - {"price", "r", "portion"}:
        exact = {n: as_number(text) for n, text in made.numbers_exact.items()}
        exact[name] *= Fraction(999, 1000)
        numbers = {n: as_text(number) for n, number in exact.items()}
        bound = as_text(theorem.bound(**exact))
        forged = replace(made, numbers_exact=numbers, bound_exact=bound)
        assert f"{name} must be at least" in str(verify(forged, stream).wrong)


@every
def test_another_price_is_another_bound(case: int) -> None:
    made = certificate_of(case)
    if "price" not in made.numbers_exact:
        return
    for times in (Fraction(1, 2), Fraction(2)):
        exact = {n: as_number(text) for n, text in made.numbers_exact.items()}
        exact["price"] *= times
        numbers = {n: as_text(number) for n, number in exact.items()}
        bound = as_text(theorems.get(made.theorem).bound(**exact))
        forged = replace(made, numbers_exact=numbers, bound_exact=bound)
        assert not verify(forged, noisy())


def test_diagonal_arow_has_none_and_says_so() -> None:
    with pytest.raises(PremiseError, match="no bound for every order .* AROW-ORDER"):
        certify(linear.AROW(), noisy(), scope="stream")


# Many classes -------------------------------------------------------------------------


@cache
def classed() -> list[tuple[dict[str, float], str]]:
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(90, 3)) * 0.4
    labels = rng.integers(3, size=90)
    rows[np.arange(90), labels] += 1
    labels = np.where(rng.random(90) < 0.1, rng.integers(3, size=90), labels)
    return [
        (dict(zip("xyz", row, strict=True)), "abc"[label])
        for row, label in zip(rows.tolist(), labels.tolist(), strict=True)
    ]


@pytest.mark.parametrize(
    ("theorem", "made"),
    [
        ("MCPERC-RMS", linear.MulticlassPerceptron),
        ("MCPA-ORDER", linear.MulticlassPassiveAggressive),
    ],
)
def test_many_classes_in_every_order(theorem: str, made: Any) -> None:
    learner, stream = made(classes=["a", "b", "c"], bias=1), classed()
    certificate = certify(learner.clone(), stream, scope="stream")
    assert certificate.theorem == theorem
    assert certificate.bound < len(stream)
    assert verify(certificate, stream)
    rng = np.random.default_rng(1)
    orders = [stream[::-1], sorted(stream, key=lambda example: example[1])]
    orders += [[stream[i] for i in rng.permutation(len(stream))] for _ in range(4)]
    for order in orders:
        assert run(learner.clone(), order).mistakes <= certificate.bound
    # What is worst for u decides, not what was the rival in this order.
    numbers = {n: as_number(t) for n, t in certificate.numbers_exact.items()}
    name = "deviation" if "deviation" in numbers else "owed"
    numbers[name] *= Fraction(999, 1000)
    forged = replace(
        certificate,
        numbers_exact={n: as_text(number) for n, number in numbers.items()},
        bound_exact=as_text(theorems.get(theorem).bound(**numbers)),
    )
    assert f"{name} must be at least" in str(verify(forged, stream).wrong)
    fewer = replace(certificate, witness={**certificate.witness, "vectors": []})
    assert not verify(fewer, stream)
    with pytest.raises(PremiseError, match="classes= that lists all"):
        certify(made(bias=1), stream, scope="stream")
