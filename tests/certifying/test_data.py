"""Real data: every certificate holds, and verifies with the stream."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import vstack
from sklearn.feature_extraction import DictVectorizer
from sklearn.svm import SVC

from littlestone import certify, run, verify
from littlestone.linear import PassiveAggressive, Perceptron
from littlestone.verifying import as_number
from tries import often
from two_classes import TWO_CLASSES, TwoClasses

MUSHROOMS = TWO_CLASSES[0]


# Sorted ones are read as a whole, which takes a second.
@pytest.mark.parametrize(
    "data", often(TWO_CLASSES, lambda data: not data.sorted), ids=str
)
def test_a_perceptron_on_two_classes_is_certified(data: TwoClasses) -> None:
    examples: Any = data.read(100)
    certificate = certify(run(Perceptron(bias=1.0), examples, keep="updates"))
    assert certificate.holds
    verdict = verify(certificate, examples)
    assert verdict.accepted, verdict
    # The same certificate is none for a stream whose last label is another.
    *rest, (x, y) = examples
    assert not verify(certificate, [*rest, (x, not y)]).accepted


def test_features_of_very_different_sizes_have_a_bound_that_says_something() -> None:
    # Where losses count twice as often, a witness goes from one that repeats the
    # mistakes to one whose bound is above the rounds.
    [magic] = [data for data in TWO_CLASSES if str(data) == "magic04.csv"]
    examples: Any = magic.read(1000)
    certificate = certify(PassiveAggressive(bias=1), examples, scope="run")
    assert certificate.theorem == "PA-STEPS"
    assert not certificate.emptiness


@pytest.mark.soak
@pytest.mark.parametrize("shuffled", [False, True])
def test_the_margin_of_mushrooms_is_the_best(shuffled: bool) -> None:
    examples: Any = MUSHROOMS.read()
    if shuffled:
        np.random.default_rng(1988).shuffle(examples)
    record = run(Perceptron(), examples, keep="updates")
    certificate = certify(record, theorem="PERC-SEP")
    assert certificate.holds
    assert verify(certificate, examples).accepted
    # The margin of the witness, and the widest one, on the rounds that changed it.
    margin, norm = (as_number(certificate.numbers_exact[n]) for n in ("margin", "norm"))
    assert record.examples is not None
    changed = [examples[t] for t in record.examples.rounds]
    X = DictVectorizer().fit_transform(
        [{str(name): value for name, value in x.items()} for x, _ in changed]
    )
    y = np.array([1 if label else -1 for _, label in changed])
    # No constant feature: each example comes with its opposite, which forces b = 0.
    svc = SVC(C=1e9, kernel="linear", tol=1e-8).fit(
        vstack([X, -X]), np.concatenate([y, -y])
    )
    widest = 1 / float(np.linalg.norm(svc.coef_.toarray()))
    assert 0.99 * widest <= float(margin / norm) <= 1.000001 * widest
