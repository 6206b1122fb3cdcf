"""Winnow over terms: by hand, what the theorem says, its twin, and what is refused."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certificates import made
from littlestone import certify, models, run, theorems, verify
from littlestone.boolean import KDNFLearner, WinnowDNF
from littlestone.concepts import KDNF, Literal
from littlestone.errors import FeatureError, ParameterError, UnrealizableWarning
from littlestone.linear import Winnow
from littlestone.theorems.sizes import terms
from littlestone.verifying import as_number, twins

TRUTH = KDNF.parse("(x0 and x1) or (x2 and not x3)")


def noisy(
    rounds: int, features: int, flips: int, seed: int = 0
) -> list[tuple[dict[int, int], bool]]:
    """Return examples labelled by a 2-DNF, some of them wrongly."""
    rng = np.random.default_rng(seed)
    wrong = set(rng.choice(rounds, flips, replace=False).tolist())
    found = []
    for t in range(rounds):
        x = dict.fromkeys(np.flatnonzero(rng.random(features) < 0.5).tolist(), 1)
        found.append((x, TRUTH(x) != (t in wrong)))
    return found


# By hand ----------------------------------------------------------------------------


def test_a_missed_yes_promotes_what_is_true_and_a_false_alarm_demotes_it() -> None:
    learner = WinnowDNF(1, features=["a", "b"], promotion=2)  # 5 terms, threshold 5
    assert learner.play_one({"a": 1}, True) is False  # always, a, not b: 3
    assert learner.terms_ == {"always": 2.0, "a": 2.0, "not b": 2.0}
    assert learner.play_one({"a": 1}, False) is True  # 6
    assert learner.terms_ == {}
    assert learner.play_one({"b": 1}, False) is False
    assert (learner.updates_, learner.rounds_) == (2, 3)


def test_the_threshold_is_reached_by_equality() -> None:
    assert WinnowDNF(1, features=2, threshold=3).predict_one([1, 1]) is True
    assert WinnowDNF(1, features=2, threshold=3.5).predict_one([1, 1]) is False


def test_a_term_begins_when_its_last_feature_is_met() -> None:
    learner = WinnowDNF(2, threshold=4, promotion=2)
    learner.learn_one({"a": 1}, True)  # always, a
    assert learner.terms_ == {"always": 2.0, "a": 2.0}
    # b is new, so what asks for it weighs 1, and what negates it does too.
    assert learner.predict_one({"a": 1, "b": 1}) is True  # 2 + 2 + 1 + 1
    learner.learn_one({"a": 1, "b": 1}, False)
    assert learner.terms_ == {"b": 0.5, "a and b": 0.5}
    assert learner.features_ == ("a", "b")


def test_why_names_the_true_terms_that_gained_weight() -> None:
    learner = WinnowDNF(2, features=["a", "b"])
    learner.learn_one({"a": 1}, True)
    learner.learn_one({"a": 1}, True)
    assert learner.why({"a": 1})["a and not b"] == 2.25
    assert "a and not b" not in learner.why({"a": 1, "b": 1})


def test_it_is_winnow_with_terms_as_features() -> None:
    stream = noisy(300, 5, 20)
    learner = WinnowDNF(2, features=5)
    winnow = Winnow(threshold=terms(5, 2), promotion=1.5)
    literals = [(j, truth) for j in range(5) for truth in (True, False)]
    every = [c for size in (0, 1, 2) for c in itertools.combinations(literals, size)]
    for x, y in stream:
        row = {
            str(term): 1.0
            for term in every
            if all((j in x) is truth for j, truth in term)
        }
        assert learner.play_one(x, y) is winnow.play_one(row, y)
    assert learner.updates_ == winnow.updates_ > 20


# What the theorem says --------------------------------------------------------------


def test_thirty_wrong_labels_cost_no_more_than_the_bound() -> None:
    stream = noisy(1500, 20, 30)
    with pytest.warns(UnrealizableWarning):
        run(KDNFLearner(2, features=20), stream)
    learner = WinnowDNF(2, features=20)
    record = run(learner, stream, keep="updates")
    assert record.mistakes < 150
    certificate = certify(record, TRUTH)
    assert certificate.theorem == "WIN2-DNF"
    assert certificate.holds
    # Each flip that was a mistake counts 1, or the terms that are true.
    assert 20 <= certificate.numbers["deviation"] <= 35
    assert verify(certificate, stream).accepted


@given(st.integers(1, 3), st.integers(0, 2**32 - 1), st.booleans())
def test_every_k_dnf_bounds_the_mistakes_of_every_stream(
    k: int, seed: int, declared: bool
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.random((60, 4)) < 0.5
    stream = [
        (dict.fromkeys(np.flatnonzero(x).tolist(), 1), bool(y))
        for x, y in zip(X, rng.random(60) < 0.5, strict=True)
    ]
    learner = WinnowDNF(k, features=4 if declared else None, threshold=9)
    record = run(learner, stream, keep="updates")
    witness = KDNF([0], [1, ~Literal(2)][:k])
    for given_witness in (None, witness):
        certificate = certify(record, given_witness, stream=stream)
        assert certificate.holds
        assert verify(certificate, stream).accepted


def test_a_clean_stream_is_within_the_bound_of_its_rule() -> None:
    stream = noisy(2000, 30, 0)
    record = run(WinnowDNF(2, features=30), stream)
    numbers = {"features": 30, "k": 2, "relevant": 2, "promotion": 1.5}
    bound = theorems.WIN2_DNF.bound(threshold=terms(30, 2), **numbers)
    assert 0.1 * bound < record.mistakes <= bound


@given(st.integers(0, 2**32 - 1))
def test_a_greedy_adversary_stays_within_the_bound(seed: int) -> None:
    # The label is against the prediction wherever the truth allows, else it is noise.
    rng = np.random.default_rng(seed)
    learner, missed = WinnowDNF(1, features=6, threshold=13), 0
    truth = KDNF([0], [1])
    for _ in range(200):
        x = dict.fromkeys(np.flatnonzero(rng.random(6) < 0.4).tolist(), 1)
        y = not learner.predict_one(x)
        held = (0 in x) + (1 in x)
        cost = held if not y else (not held)
        if cost and missed + cost > 10:
            continue
        missed += cost
        learner.learn_one(x, y)
        assert truth(x) is y or cost
    bound = theorems.WIN2_DNF.bound(
        features=6, k=1, relevant=2, threshold=13, promotion=1.5, deviation=missed
    )
    assert learner.updates_ <= bound


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("relevant", 1, "the number of terms of the witness"),
        ("deviation", 0, "how often the witness was wrong"),
        ("threshold", 8, "the learner's"),
        ("promotion", 2, "the learner's"),
        ("features", 21, "the number declared"),
    ],
)
def test_the_judge_refuses_numbers_that_are_not_the_runs(
    field: str, value: int, says: str
) -> None:
    stream = noisy(300, 20, 10)
    learner = WinnowDNF(2, features=20, threshold=400)
    certificate = certify(run(learner.clone(), stream, keep="updates"), TRUTH)
    numbers = {
        name: as_number(text) for name, text in certificate.numbers_exact.items()
    }
    forged = {**numbers, field: value}
    witness = certificate.witness
    verdict = verify(made(learner, stream, "WIN2-DNF", witness, forged), stream)
    assert not verdict.accepted
    assert says in str(verdict.wrong)


# What the twin says -----------------------------------------------------------------


@given(st.integers(1, 3), st.integers(0, 2**32 - 1), st.booleans())
def test_it_equals_its_twin_weight_for_weight(
    k: int, seed: int, declared: bool
) -> None:
    rng = np.random.default_rng(seed)
    names: list[Any] = ["a", 3, "b", 7, "c"]
    learner = WinnowDNF(k, features=names if declared else None, threshold=12)
    twin = twins.WinnowDNF(**learner.get_params())
    for _ in range(40):
        x = {name: 1 for name in names if rng.random() < 0.4}
        y = bool(rng.random() < 0.5)
        assert learner.play_one(x, y) is twin.play(x, y)
    changed = [weight for weight in twin.weights.values() if weight != 1]
    assert sorted(learner.terms_.values()) == sorted(changed)
    assert learner.updates_ == twin.updates
    assert list(learner.features_) == twin.features


# What is kept and what is refused ---------------------------------------------------


def test_a_model_file_keeps_every_weight(tmp_path: Any) -> None:
    learner = WinnowDNF(2)
    run(learner, noisy(200, 6, 10))
    models.save(learner, tmp_path / "rules.lst")
    copy: Any = models.load(tmp_path / "rules.lst")
    assert copy.terms_ == learner.terms_
    stream = noisy(200, 8, 10, seed=1)
    assert run(copy, stream).mistakes == run(learner, stream).mistakes
    assert copy.terms_ == learner.terms_


@pytest.mark.parametrize(
    ("given_parameters", "says"),
    [
        ({"k": 0}, "k must be a whole number of at least 1"),
        ({"k": 2, "threshold": 0.5}, "threshold must be at least 1, got 0.5"),
        ({"k": 2, "promotion": 1}, "promotion must exceed 1"),
        ({"k": 2, "promotion": float("nan")}, "promotion must be a finite number"),
        ({"k": 2, "threshold": 1e308, "promotion": 1e9}, "promotion must exceed 1"),
        ({"k": 20, "features": 500}, "at most 2\\*\\*32 terms"),
    ],
)
def test_parameters_that_void_the_theorem_are_refused(
    given_parameters: dict[str, Any], says: str
) -> None:
    with pytest.raises(ParameterError, match=f"WinnowDNF: .*{says}"):
        WinnowDNF(**given_parameters)


def test_features_that_were_not_declared_are_refused() -> None:
    learner = WinnowDNF(2, features=["a"])
    with pytest.raises(FeatureError):
        learner.learn_one({"b": 1}, True)
    assert learner.rounds_ == 0
