"""The probabilities of Auto: readings of scores, and of what AIOLI makes of them."""

from __future__ import annotations

import pickle
from itertools import islice
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from data import data_file
from littlestone import Auto, certify, models, run, streams, verify
from littlestone.auto import STACKS, _auto
from littlestone.certifying import _parameters
from littlestone.certifying._parameters import stated_team
from littlestone.experts import Calibrator, Restarting
from littlestone.linear import AROW, AdaGrad, PassiveAggressive, Perceptron
from littlestone.maps import Mapped, Standardized
from littlestone.verifying import twins


def members() -> dict[str, Any]:
    return {
        "pa": PassiveAggressive(bias=1.0),
        "full": AROW(diagonal=False),
        "ada": AdaGrad(),
        "copies": Restarting(AROW(), shortest=16),
        "scaled": Mapped(AdaGrad(), Standardized()),
    }


def noisy(rows: int = 400, columns: int = 5) -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    X = rng.integers(-2, 3, (rows, columns)).astype(np.float64)
    return X, X @ rng.normal(size=columns) + rng.normal(size=rows) > 0


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[float], bool]]:
    """Return the rounds that calibrators learn from, as they come."""
    rounds: list[tuple[list[float], bool]] = []
    play = Calibrator.play

    def listening(self: Calibrator, scores: Any, y: Any) -> Any:
        rounds.extend(zip(np.asarray(scores).tolist(), y.tolist(), strict=True))
        return play(self, scores, y)

    monkeypatch.setattr(Calibrator, "play", listening)
    return rounds


# What they are -----------------------------------------------------------------------


@pytest.mark.parametrize("narrow", [3, 300])
def test_the_last_source_is_the_twin_of_aioli_over_all_scores(
    narrow: int, heard: list[tuple[list[float], bool]]
) -> None:
    X, y = noisy()
    X[:50, 3:] = 0.0  # a full matrix of three features has room until row 50
    X[60] *= 1e100  # scores far outside of what was seen
    learner = Auto(members(), narrow=narrow)
    learner.play(sp.csr_matrix(X), y)
    assert ("full" in learner.dropped_) == (narrow == 3)
    assert len(heard) == len(y)
    twin = twins.AIOLI()
    for (*scores, last), label in heard:
        squashed = [s / (1.0 + abs(s)) for s in scores]
        odds = [min(max(s, -16.0), 16.0) / 4.0 for s in scores]
        twin.play(dict[object, float](enumerate([*squashed, *odds])), label)
        assert last == twin.scored
    name = STACKS[1]
    assert learner.losses_[name] == sum((s[-1] >= 0) != told for s, told in heard)
    alone = Calibrator(len(members()) + 2)
    alone.play([scores for scores, _ in heard], np.array([y for _, y in heard]))
    assert learner.calibrator_.loss_ == alone.loss_


def test_the_twin_has_the_same_stacks_bit_for_bit() -> None:
    X, y = noisy(150)
    learner = Auto(members())
    team = stated_team(learner.get_params())
    twin: Any = twins.Auto(**team)
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        assert learner.play_one(x, label) == twin.play(dict(enumerate(x)), label)
    for name, stack in zip(STACKS, (twin.stack, twin.sum), strict=True):
        inside: Any = learner.members_[name]
        weights = stack.weights if name == STACKS[1] else stack.matrix.weights
        found = {k: w for k, w in weights.items() if isinstance(k, int)}
        assert dict(inside.weights_) == found


def test_scores_of_many_members_are_not_summed(
    heard: list[tuple[list[float], bool]],
) -> None:
    for count, more in ((127, 2), (128, 1)):
        learner = Auto({f"p{k}": Perceptron() for k in range(count)})
        learner.learn_one({"a": 1.0}, True)
        assert learner.calibrator_.sources == count + more
        assert len(heard[-1][0]) == count + more


# Paths -------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [1, 7, 4096])
def test_they_have_equal_bits_on_every_path(
    part: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    X, y = noisy()
    expected, cut, single = (Auto(members()) for _ in range(3))
    expected.play(X, y)
    monkeypatch.setattr(_auto, "_PART", part)
    for at in range(0, 400, 33):
        cut.play(sp.csr_matrix(X[at : at + 33]), y[at : at + 33])
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        single.learn_one(x, label)
    models.save(single, tmp_path / "m.lst")
    loaded: Any = models.load(tmp_path / "m.lst")
    chances = expected.predict_proba(X)
    for other in (cut, single, loaded):
        assert other.calibrator_.loss_ == expected.calibrator_.loss_
        assert (other.predict_proba(X) == chances).all()
    for learner in (loaded, expected):
        learner.play(X, ~y)
    chances = expected.predict_proba(X)
    assert (loaded.predict_proba(X) == chances).all()
    named = [dict(enumerate(x)) for x in X[:9].tolist()]
    assert (loaded.predict_proba(named) == chances[:9]).all()
    one = [[*loaded.predict_proba_one(x).values()] for x in named]
    assert one == chances[:9].tolist()


def test_models_and_certificates_with_one_stack_are_as_they_were(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    X, y = noisy()
    named = [
        (dict(zip("abcde", x, strict=True)), label)
        for x, label in zip(X[:40].tolist(), y[:40].tolist(), strict=True)
    ]
    with monkeypatch.context() as before:
        before.setattr(Auto, "_summing", False)
        before.setattr(_parameters, "sums", lambda _: False)
        learner = Auto(members())
        learner.play(X[:200], y[:200])
        models.save(learner, tmp_path / "m.lst")
        certificate = certify(Auto(members()), named)
    assert verify(certificate, named).accepted
    assert not verify(certify(Auto(members()), named), named[1:]).accepted
    again: Any = models.load(tmp_path / "m.lst")
    for each in (learner, again):
        each.play(X[200:], y[200:])
    assert again.experts_ == learner.experts_ == [*members(), STACKS[0]]
    assert (again.predict_proba(X) == learner.predict_proba(X)).all()
    copied = pickle.loads(pickle.dumps(again))  # noqa: S301 - made here
    assert (copied.predict_proba(X) == learner.predict_proba(X)).all()


# How good they are -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "options", "most"),
    [
        ("elec2/elec.csv.gz", {"label": "target", "positive": 1}, 0.9),
        ("sms-spam/sms_spam.tsv.gz", {"label": "label", "positive": "spam"}, 0.95),
    ],
)
def test_on_real_streams_they_are_better_than_those_of_any_member(
    file: str, options: dict[str, Any], most: float
) -> None:
    if "sms" in file:
        options = {"format": "text", **options}
    stream = list(islice(streams.open(data_file(file), **options), 3000))
    learner = Auto()
    run(learner, stream, keep="nothing")
    losses = np.asarray(learner.calibrator_.rule_.losses_).reshape(6, -1)
    assert learner.calibrator_.loss_ < most * losses[:, :-1].min()
    (theorem,) = learner.calibrator_.guarantees
    extra = theorem.bound(
        eta=1, share=0.001, switches=0, rounds=3000, experts=losses.size
    )
    assert learner.calibrator_.loss_ <= losses.min() + extra
