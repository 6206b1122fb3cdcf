"""Certificates of fitted rules: what the judge counts again, and what it refuses."""

from __future__ import annotations

import itertools
import math
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import Certificate, certify, streams, theorems, verify
from littlestone.boolean import fit_conjunction, fit_rule
from littlestone.concepts import (
    KDNF,
    Conjunction,
    DecisionList,
    Disjunction,
    Literal,
)
from littlestone.errors import ParameterError, PremiseError, WorkError
from littlestone.linear import Perceptron
from littlestone.verifying import PROOFS, Unsound, as_text
from rules import KINDS
from tampering import changed, forgeries

X = [{"a": t % 2, "b": t // 2 % 2, "c": t // 4 % 2} for t in range(100)]
Y = [bool(x["a"] and x["b"]) != (t == 41) for t, x in enumerate(X)]
STREAM = list(zip(X, Y, strict=True))
FIT = fit_rule(X, Y, "k-dnf", 2)


# What the theorem says ---------------------------------------------------------------


def test_the_numbers_by_hand() -> None:
    # (1 - p)^100 = 0.05 / |H|, and of 7 literals and none one was chosen: 7 * 2 * 3.
    y = [bool(x["a"]) for x in X]
    certificate = certify(fit_rule(X, y, "conjunction"), zip(X, y, strict=True))
    assert certificate.theorem == "PAC-OCCAM"
    assert certificate.counts == "error probability"
    assert (certificate.rounds, certificate.mistakes, certificate.counted) == (
        100,
        0,
        0,
    )
    assert certificate.numbers["log_size"] == pytest.approx(math.log(42))
    assert certificate.bound == pytest.approx(1 - (0.05 / 42) ** 0.01)


def log_size(concept: Any, k: int, features: int, parts: int) -> float:
    """Return the least logarithm that the judge takes for a rule, worked out here."""
    many = sum(math.comb(features, i) * 2**i for i in range(k + 1))
    lists = isinstance(concept, DecisionList)
    ways = (
        math.perm(many, parts) * 2 ** (parts + 1) if lists else math.comb(many, parts)
    )
    least = math.log(ways * (parts + 1) * (parts + 2))
    for share, fine in ((0.999999, False), (1.000001, True)):
        numbers = {"mistakes": 0, "examples": 9, "delta": 1, "log_size": least * share}
        given = {"concept": concept, "k": k, "features": features}
        exact = {name: Fraction(number) for name, number in numbers.items()}
        with nullcontext() if fine else pytest.raises(Unsound, match="log_size"):
            PROOFS["Fit", "PAC-OCCAM"](given, {"kind": "none"}, exact)
    return least


def test_the_shares_of_all_rules_add_up_to_one_at_most() -> None:
    # Each rule has the share exp(-log_size) of delta; more than 1 would be no proof.
    literals = [Literal("a"), ~Literal("a"), Literal("b"), ~Literal("b")]
    pairs = itertools.product(literals[:2], literals[2:])
    terms = [
        Conjunction(),
        *map(Conjunction, literals),
        *(Conjunction(*p) for p in pairs),
    ]
    forms = lists = 0.0
    for r in range(9):
        form = KDNF(*terms[1 : r + 1])
        forms += math.comb(9, r) * math.exp(-log_size(form, 2, 2, r))
        made = DecisionList([(term, True) for term in terms[:r]], False)
        lists += math.perm(9, r) * 2 ** (r + 1) * math.exp(-log_size(made, 2, 2, r))
    assert 0.8 < forms <= 1
    assert 0.8 < lists <= 1


def test_a_constant_is_no_part_or_one_without_literals() -> None:
    for concept, parts in (
        (Conjunction.always(), 0),
        (Conjunction.never(), 1),
        (Disjunction.never(), 0),
        (Disjunction.always(), 1),
        (DecisionList([], True), 0),
    ):
        log_size(concept, 1, 2, parts)


@given(st.sampled_from(KINDS), st.integers(1, 4), st.integers(1, 12), st.data())
def test_whatever_is_fitted_is_accepted_with_the_bound_of_the_fit(
    kind: tuple[str, int], n: int, rows: int, data: st.DataObject
) -> None:
    bits = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    table = np.array(data.draw(st.lists(bits, min_size=rows, max_size=rows)))
    labels = data.draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
    fit = fit_rule(table, labels, *kind, budget=20)
    certificate = certify(fit, (table, labels), delta=0.2)
    assert certificate.bound == fit.error_bound(0.2)
    assert certificate.mistakes == len(fit.exceptions)
    assert Certificate.from_json(certificate.to_json()) == certificate
    verdict = verify(certificate, streams.arrays(table, labels))
    assert verdict.wrong is None
    assert {"mistakes", "the proof", "the digest of the stream"} <= {*verdict.checked}


# What people read --------------------------------------------------------------------


def test_the_certificate_says_what_it_takes_on_trust() -> None:
    certificate = certify(FIT, STREAM)
    told = str(certificate)
    assert "Fit(concept=<(a and b)>, k=2, features=3)" in told
    assert "an error probability of at most 0.0969185" in told
    assert "the share of mistakes is 0.01" in told
    assert all(premise in told for premise in certificate.unchecked)
    assert certificate.unchecked == theorems.PAC_OCCAM.premises[:2]
    assert certify(Perceptron(), STREAM).unchecked == ()
    assert "share of mistakes" in certificate._repr_html_()


def test_an_error_probability_of_a_half_says_nothing() -> None:
    assert not certify(FIT, STREAM).vacuous
    few = STREAM[:4]
    certificate = certify(fit_rule(X[:4], Y[:4]), few)
    assert certificate.bound > 0.5
    assert certificate.vacuous
    assert "vacuous" in str(certificate)
    assert theorems.PAC_OCCAM.is_vacuous(0.5, 100)
    assert not theorems.PAC_OCCAM.is_vacuous(0.499, 100)


# What the judge refuses --------------------------------------------------------------


def test_tampering_is_caught_unless_what_was_written_is_weaker() -> None:
    certificate = certify(FIT, STREAM)
    for path, value, forged in forgeries(certificate):
        if verify(forged, STREAM):
            # A larger class or delta, with the bound that follows: all true.
            assert forged.mistakes == certificate.mistakes, (path, value)
            assert path[0] in ("learner", "numbers"), (path, value)


def _forged(parameters: dict[str, Any], numbers: dict[str, Any]) -> Certificate:
    """Return a certificate with other parts, and the bound that follows from them."""
    made = certify(FIT, STREAM)
    stated = {**made.numbers_exact} | {name: as_text(n) for name, n in numbers.items()}
    values = {name: Fraction(made.numbers[name]) for name in made.numbers} | numbers
    bound = theorems.PAC_OCCAM.bound(**values)
    given = made.learner["parameters"] | parameters
    wrong = values["mistakes"]
    return replace(
        made,
        learner={"name": "Fit", "parameters": given},
        mistakes=int(wrong),
        rounds=int(values["examples"]),
        counted_exact=as_text(Fraction(wrong) / Fraction(values["examples"])),
        numbers_exact=stated,
        bound_exact=as_text(bound),
    )


@pytest.mark.parametrize(
    ("parameters", "numbers", "wrong"),
    [
        ({}, {"mistakes": 0}, "mistakes must be 1, got 0"),
        ({}, {"examples": 101}, "rounds must be 100, got 101"),
        ({}, {"log_size": 4.7}, "log_size must be at least that of the rules as long"),
        ({"features": 2}, {"log_size": 4}, "features must be at least 3"),
        ({"k": 1}, {}, "k must be from 2"),
        ({"k": 33}, {"log_size": 99}, "to 32, got 33"),
        ({"k": 3}, {}, "log_size must be at least"),
        ({"concept": Conjunction("a", "b")}, {}, "log_size must be at least"),
        ({"concept": Disjunction("a")}, {}, "mistakes must be 24, got 1"),
        ({"concept": KDNF.parse("(a and not a)")}, {}, "must contradict itself"),
        ({"concept": "a and b"}, {}, "concept must be one that the learner takes"),
    ],
)
def test_what_is_wrong_is_named(
    parameters: dict[str, Any], numbers: dict[str, Any], wrong: str
) -> None:
    assert wrong in str(verify(_forged(parameters, numbers), STREAM).wrong)


def test_what_is_stated_weaker_is_accepted() -> None:
    for parameters, numbers in (
        ({}, {"log_size": 5}),
        ({"features": 9}, {"log_size": 9}),
    ):
        assert verify(_forged(parameters, numbers), STREAM).wrong is None


def test_examples_must_be_those_of_the_rule() -> None:
    certificate = certify(FIT, STREAM)
    flipped = [*STREAM[:-1], (STREAM[-1][0], not STREAM[-1][1])]
    for other in (flipped, STREAM[:-1], STREAM[::-1], [*STREAM, *STREAM]):
        assert not verify(certificate, other)
    # Three features that are 2 in an example are not those of a Boolean rule.
    twos = [({**x, "c": 2 * x["c"]}, y) for x, y in STREAM]
    assert "must be 0 or 1, got 2" in str(verify(_on(certificate, twos), twos).wrong)
    # A fourth feature is not one of the class.
    fourth = [({**x, "d": 1}, y) for x, y in STREAM]
    assert "features must be at least 4" in str(
        verify(_on(certificate, fourth), fourth).wrong
    )


def _on(certificate: Certificate, stream: list[Any]) -> Certificate:
    """Return the certificate with the digest of other examples."""
    digest = certify(Perceptron(), stream).digest
    return changed(certificate, ("digest",), digest)


def test_a_class_too_large_to_count_is_too_much_work() -> None:
    rules = [(f"f{i}", bool(i % 2)) for i in range(1000)]
    given = {"concept": DecisionList(rules, True), "k": 32, "features": 2**62}
    made = replace(certify(FIT, STREAM), learner={"name": "Fit", "parameters": given})
    with pytest.raises(WorkError, match="steps of work"):
        verify(made)
    many = changed(certify(FIT, STREAM), ("numbers", "examples"), str(2**32))
    assert "examples must be fewer than 4,294,967,296" in str(verify(many).wrong)


# What certify refuses ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_arguments", "says"),
    [
        ({"theorem": "PAC-OCCAM"}, "theorem must be left out for a Fit"),
        ({"scope": "run"}, "scope must be left out for a Fit"),
        ({"passes": 2}, "passes must be left out for a Fit"),
        ({"witness": "a"}, "witness must be left out for a Fit"),
    ],
)
def test_what_is_for_learners_is_refused(
    given_arguments: dict[str, Any], says: str
) -> None:
    with pytest.raises(ParameterError, match=says):
        certify(FIT, STREAM, **given_arguments)


def test_other_examples_than_those_fitted_are_refused() -> None:
    with pytest.raises(ParameterError, match="100 examples with 1 exceptions, got 99"):
        certify(FIT, STREAM[1:])
    with pytest.raises(ParameterError, match="must be examples with their labels"):
        certify(FIT, None)  # type: ignore[call-overload]  # refused
    with pytest.raises(PremiseError, match="delta must lie between 0 and 1, got 1.5"):
        certify(FIT, STREAM, delta=1.5)


def test_a_rule_without_its_class_is_refused() -> None:
    rule: Any = fit_conjunction([[1], [0]], [1, 0])
    with pytest.raises(ParameterError, match="does not say from which class"):
        certify(rule, ([[1], [0]], [1, 0]))
    with pytest.raises(ParameterError, match="delta is for a Fit, got 0.1"):
        certify(Perceptron(), STREAM, delta=0.1)  # type: ignore[call-overload]  # refused
