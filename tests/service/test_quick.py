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

from littlestone import streams
from littlestone.errors import FeatureError, LittlestoneError
from littlestone.linear import (
    AROW,
    GradientDescent,
    PassiveAggressive,
    Perceptron,
    Winnow,
)
from littlestone.service import (
    Answer,
    Ledger,
    Policy,
    ServedModel,
    _ledger,
    _served,
    born,
)
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


# Batches -----------------------------------------------------------------------------

ODD_LABELS = [2, "yes", None, {"a": 1}, 0.5]


def traffic(draw: random.Random) -> list[tuple[bool, list[Any]]]:
    """Return batches of predictions and of labels, in which much is odd."""
    batches: list[tuple[bool, list[Any]]] = []
    for number in range(90):
        of = [f"{number}-{k}" for k in range(draw.randrange(9))]
        asked: list[Any] = []
        for id_ in of:
            x = {name: draw.choice([1, 0.5, 0.25]) for name in draw.sample("abcde", 2)}
            asked.append((id_, None, dumps({"features": {**x, "one": True}})))
        if of and draw.random() < 0.4:
            again, odd = draw.choice(asked), f"odd{number}"
            asked += draw.choice(
                [
                    [again],
                    [(odd, None, b'{"features":{"a":"no number"}}')],
                    [(odd, {"features": {"a": 0.25}}, None)],
                    [(odd, None, b'{"features":{"a":-2}}')],  # which Winnow refuses
                    [(again[0], None, b'{"features":{"a":9}}')],
                    [Answer.refused(422, "id", "an odd id")],
                ]
            )
        batches.append((True, asked))
        known = [each[0] for _, some in batches for each in some if len(each) == 3]
        told: list[Any] = [
            (id_, draw.choice([True, False, 0, 1, -1, 1.0]))
            for id_ in draw.choices(known, k=min(len(known), draw.randrange(7)))
        ]
        if draw.random() < 0.4:
            told.insert(
                draw.randrange(len(told) + 1),
                draw.choice(
                    [
                        (draw.choice(["nobody", *known]), draw.choice(ODD_LABELS)),
                        (f"early{number}", True),
                        Answer.refused(400, "json", "no JSON"),
                    ]
                ),
            )
        batches.append((False, told))
    return batches


@pytest.mark.parametrize("most", [1 << 20, FEW])
@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(bias=1),
        PassiveAggressive(),
        AROW(),
        Winnow(threshold=2),
        GradientDescent(loss="square"),
    ],
    ids=str,
)
def test_a_batch_writes_and_says_what_its_rows_do_one_by_one(
    learner: Any, most: int, tmp_path: Path, monkeypatch: Any
) -> None:
    policy, played = Policy(hold=50), []
    monkeypatch.setattr(_served, "Recent", lambda: Recent(most))
    teach = Quick.teach

    def counted(self: Quick, told: list[Any], first: int, older: Any) -> Any:
        found = teach(self, told, first, older)
        played.append(found[0] - first)
        return found

    monkeypatch.setattr(Quick, "teach", counted)
    found = []
    for together in (True, False):
        clock = [SECOND]
        with Ledger(tmp_path / f"{together}.db", create=True) as ledger:
            born(ledger, learner, at=1)
            model = ServedModel(ledger, policy, clock=lambda: clock[0])  # noqa: B023 - used here
            lines = b""
            for predicts, batch in traffic(random.Random(7)):
                clock[0] += SECOND
                ids = {each[0] for each in batch if not isinstance(each, Answer)}
                with ledger.commit(), model.knowing(ids):
                    for some in [batch] if together else [[each] for each in batch]:
                        if not together:
                            monkeypatch.setattr(Quick, "ask", lambda *_: None)
                            monkeypatch.setattr(Quick, "teach", lambda *a: (a[2], b""))
                        many = model.predict_many if predicts else model.label_many
                        lines += many(some)
            rows = [
                (row.seq, row.kind, row.id, row.at, row.body, row.said)
                for row in ledger.rows(after=1)
            ]
            found.append((lines, rows, state(model), model.recent.kept.keys()))
            ServedModel(ledger)  # which compares every answer
    assert found[0][:3] == found[1][:3]
    assert most == FEW or found[0][3] == found[1][3]
    labels = [row for row in found[0][1] if row[1] == "label"]
    assert len(labels) > 30
    # What was predicted one by one is taught so as well.
    assert (sum(played) > 10) != isinstance(learner, GradientDescent)


def test_a_label_is_learned_once_whether_quickly_or_one_by_one(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(_served, "Recent", lambda: Recent(1))  # all are looked up
    path = tmp_path / "mail.tsv"
    path.write_text("kind\ttext\nham\tlunch\nspam\tmoney\n")
    stream = streams.text(path, label="kind", positive="spam")
    with Ledger(tmp_path / "ledger.db", create=True) as ledger:
        born(ledger, Perceptron(), reading=stream.reading)
        model = ServedModel(ledger)
        told: list[Any] = [
            ("a", "ham"),
            ("a", False),
            ("b", True),
            ("b", True),
            ("b", "ham"),
        ]
        with ledger.commit(), model.knowing({"a", "b"}):
            asked = [(id_, None, b'{"features":{"x":1}}') for id_ in "ab"]
            said = model.predict_many(asked)
        with ledger.commit(), model.knowing({"a", "b"}):
            answers = [json.loads(line) for line in model.label_many(told).splitlines()]
        assert model.recorder.rounds == 2
    first, second = map(json.loads, said.splitlines())
    assert (first["prediction"], second["prediction"]) == ("spam", "spam")
    assert [each["status"] for each in answers] == [200, 200, 200, 200, 409]
    assert [each.get("already") for each in answers] == [False, True, False, True, None]
    assert (answers[0]["label"], answers[2]["label"]) == ("not spam", "spam")


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
