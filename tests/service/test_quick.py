"""Rows that are played again quickly mean what they mean one by one."""

from __future__ import annotations

import json
import random
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from littlestone.errors import FeatureError, LittlestoneError
from littlestone.linear import AROW, PassiveAggressive, Perceptron, Winnow
from littlestone.service import Ledger, Policy, ServedModel, _ledger, _served, born
from littlestone.service._quick import Quick
from littlestone.service._recent import Recent
from littlestone.service._strict import dumps

if TYPE_CHECKING:
    from collections.abc import Iterator

SECOND = 1_000_000
FEW = 1_000  # bytes of open predictions that are kept


@contextmanager
def slowly() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Quick, "take", lambda *_: False)
        yield


def write(ledger: Ledger, learner: Any, policy: Policy, declare: Any) -> None:
    """Serve labels that come late, early, twice, never, and predictions refused."""
    draw, clock = random.Random(5), [SECOND]
    born(ledger, learner, declare=declare, at=1)
    model = ServedModel(ledger, policy, clock=lambda: clock[0])
    waiting: list[str] = []
    with ledger.commit():
        for number in range(250):
            clock[0] += draw.randrange(2 * SECOND)
            model.tidy()
            if draw.random() < 0.1:
                model.label(f"{draw.choice('pq')}{number}", draw.random() < 0.5)
            x = {name: draw.choice([1, 0.5, -2]) for name in draw.sample("abcde", 2)}
            model.predict(f"p{number}", {"features": {**x, "one": 1}})
            model.predict(None, {"features": {"a": "no number"}})
            waiting.append(f"p{number}")
            while len(waiting) > draw.randrange(1, 12):
                id_ = waiting.pop(draw.randrange(len(waiting)))
                model.label(id_, draw.random() < 0.6)


def state(model: ServedModel) -> str:
    """Return all that a model has come to, as text of which no bit is lost."""
    kept = {
        "learner": model.learner.save_state(),
        "run": model.recorder.save(),
        "open": model.open,
        "held": model.held,
        "expired": model.expired,
        "delays": model.delays,
        "seq": model.seq,
    }
    with np.printoptions(threshold=1 << 30, floatmode="unique"):
        return repr(kept)


@pytest.mark.parametrize(
    ("learner", "declare"),
    [
        (Perceptron(bias=1), None),
        (Perceptron(), {"margin": 0.1, "radius": 3}),
        (PassiveAggressive(), None),
        (AROW(), None),
        (Winnow(threshold=2), {"relevant": 2}),
    ],
    ids=str,
)
@pytest.mark.parametrize("most", [1 << 20, FEW])
def test_rows_played_quickly_are_those_played_one_by_one(
    learner: Any, declare: Any, most: int, tmp_path: Path, monkeypatch: Any
) -> None:
    policy = Policy(ttl=9, hold=5, default=(False,))
    monkeypatch.setattr(_served, "Recent", lambda: Recent(most))
    monkeypatch.setattr(_ledger, "_CHECKED_AT_ONCE", 20)
    played, play = [], Quick.play

    def counted(self: Quick, first: int) -> int:
        at = play(self, first)
        played.append(at - first)
        return at

    with Ledger(tmp_path / "ledger.db", create=True) as ledger:
        write(ledger, learner, policy, declare)
        with slowly():
            expected = state(ServedModel(ledger, policy))
        monkeypatch.setattr(Quick, "play", counted)
        model = ServedModel(ledger, policy)
        assert state(model) == expected
        kept = [each[4] for each in model.recent.kept.values()]
        assert model.recent.size == sum(kept) <= most
        kinds = Counter(row.kind for row in ledger.rows())
    plain = kinds["predict"] + kinds["label"]
    # What is dropped in the middle of a block for want of room is looked up alone.
    assert 0.8 * plain < sum(played) <= plain
    assert sum(played) == plain or most == FEW
    assert {"hold", "drop", "default"} < {*kinds}


def forged(ledger: Ledger, what: str) -> None:
    """Add a row that no service would write, and some after it."""
    last = json.loads([*ledger.rows(kind="predict")][-1].said)
    said = {"prediction": True, "score": 0.0, "learned": 2, "mistakes": 1}
    body, label = b'{"features":{"new":1}}', '{"mistake":false}'
    rows = {
        "score": ("predict", "z", body, json.dumps(said | {"score": 1e-9})),
        "mistakes": ("predict", "z", body, json.dumps(said | {"mistakes": 0})),
        "names": ("predict", "z", body, json.dumps(last | {"more": 1})),
        "feature": ("predict", "z", b'{"features":{"new":"x"}}', json.dumps(said)),
        "form": ("predict", "z", b'{"text":"new"}', json.dumps(said)),
        "line": ("predict", "z", b'{"features":{"new":\n1}}\n', json.dumps(said)),
        "text": ("predict", "z", b"{", json.dumps(said)),
        "mistake": ("label", "open", b"true", '{"mistake":true}'),
        "nobody": ("label", "nobody", b"true", label),
        "alphabet": ("label", "open", b"-1", label),
        "value": ("label", "open", b"2", label),
        "closed": ("label", "a", b"true", label),
    }
    with ledger.commit():
        ledger.append(*rows[what], 0)
        ledger.append("label", "open", b"true", label, 0)
    ledger.here = 0


def outcome(ledger: Ledger) -> str:
    """Return what a replay comes to, or the error that it ends with."""
    try:
        with ledger.meaning():
            return state(ServedModel(ledger))
    except LittlestoneError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize(
    "what",
    [
        *("score", "mistakes", "names", "feature", "form", "line", "text"),
        *("mistake", "nobody", "alphabet", "value", "closed"),
    ],
)
def test_what_is_refused_is_refused_as_one_by_one(what: str, tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db", create=True) as ledger:
        born(ledger, Perceptron())
        model = ServedModel(ledger)
        with ledger.commit():
            for id_, y in (("a", False), ("b", True)):
                model.predict(id_, {"features": {id_: 1}})
                model.label(id_, y)
            model.predict("open", {"features": {"b": 1}})
        forged(ledger, what)

        quickly = outcome(ledger)
        with slowly():
            assert quickly == outcome(ledger)
    assert ("Error: " in quickly) == (what not in ("line", "closed"))


# How an example may be written in a row, and its score: "b" weighs 1, all others 0.
PLAIN = {
    b'{"features":{}}': 0.0,
    b'{"features":{"b":1}}': 1.0,
    b'{"features":{"b":-1}}': -1.0,
    b'{"features":{"b":true,"c":false}}': 1.0,
    b'{"features":{"b":0.30000000000000004}}': 0.30000000000000004,
    b'{"features":{"b":2.5e-3,"c":1E2}}': 0.0025,
    b'{"features":{"b":-0,"c":-0.0}}': 0.0,
    b'{"features":{"b":9007199254740992}}': 9007199254740992.0,
    '{"features":{"\u00e9":1,"b":1}}'.encode(): 1.0,
}
ODD = {
    b'{"features":{"b":18446744073709551616}}': 18446744073709551616.0,
    b'{"features":{"\\u0062":1}}': 1.0,
    b'{"features":{"b\\n":1}}': 0.0,
    b'{"features":{"b":1,"b":2}}': 3.0,
    b'{"features":{"new":1,"new":2}}': 0.0,
    b'{ "features" : {"b" : 1} }': 1.0,
    b'{"features":{"b":1},"features":{"c":1}}': 0.0,
    b'{"features":{"b":1}} ': 1.0,
    b'{"features":{"b":01}}': 1.0,
    b'{"features":{"b":+1}}': 1.0,
    b'{"features":{"b":1.}}': 1.0,
    b'{"features":{"b":.5}}': 0.5,
    b'{"features":{"b":1e}}': 1.0,
    b'{"features":{"b":1e999}}': 1.0,
    b'{"features":{"b":NaN}}': 1.0,
    b'{"features":{"b":null}}': 0.0,
    b'{"features":{"b":"1"}}': 1.0,
    b'{"features":{"b":[1]}}': 1.0,
    b'{"features":{"b":1,}}': 1.0,
    b'{"features":{"b":1}': 1.0,
    b'{"features":{"b":1}}}': 1.0,
    b'{"features":{"b":1': 1.0,
    b'{"features":{"b"': 1.0,
    b'{"features":{"b\xff":1}}': 0.0,
    b'{"features":["b"]}': 0.0,
    b"": 0.0,
}


@pytest.mark.parametrize(("body", "score"), [*PLAIN.items(), *ODD.items()], ids=repr)
def test_an_example_is_read_quickly_as_it_is_read_slowly(
    body: bytes, score: float, tmp_path: Path, monkeypatch: Any
) -> None:
    with Ledger(tmp_path / "ledger.db", create=True) as ledger:
        born(ledger, Perceptron())
        model = ServedModel(ledger)
        assert isinstance(model.learner, Perceptron)
        said = {"prediction": score >= 0, "score": score, "learned": 3, "mistakes": 3}
        mistake = '{"mistake":true}' if score >= 0 else '{"mistake":false}'
        with ledger.commit():
            for number, b in enumerate((1, -1, -1)):
                model.predict(f"{number}", {"features": {"b": b}})
                model.label(f"{number}", False)
            ledger.append("predict", "z", body, dumps(said).decode(), 0)
            ledger.append("label", "z", b"false", mistake, 0)
        assert model.learner.score_one({"b": 1, "c": 1}) == 1.0
        with slowly():
            expected = outcome(ledger)
        if body in PLAIN:  # so none of them may be played one by one
            monkeypatch.delattr(ServedModel, "_predict_again")
        assert outcome(ledger) == expected
    assert body in ODD or "Error: " not in expected


def test_an_example_with_too_many_features_is_refused_as_one_by_one(
    tmp_path: Path,
) -> None:
    with Ledger(tmp_path / "ledger.db", create=True) as ledger:
        born(ledger, Perceptron())
        model = ServedModel(ledger)
        with ledger.commit():
            model.predict("a", {"features": {"a": 1, "b": 1}})
        with pytest.raises(FeatureError, match="at most 1 features, got 2"):
            ServedModel(ledger, Policy(most_features=1))
