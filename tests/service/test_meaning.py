"""What requests mean: exactly once, whatever comes twice, late, wrong or never."""

from __future__ import annotations

import json
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from littlestone import Auto, models, run, streams
from littlestone.auto import MulticlassAuto
from littlestone.conformal import Adaptive
from littlestone.errors import LedgerError, ModelError, ParameterError
from littlestone.experts import (
    ExponentialWeights,
    Halving,
    MLPoly,
    RandomizedWeightedMajority,
)
from littlestone.linear import (
    GradientDescent,
    MulticlassPerceptron,
    Perceptron,
    VovkAzouryWarmuth,
)
from littlestone.service import Answer, Ledger, Policy, ServedModel, born, replay
from littlestone.service._strict import dumps

IDS = ["a", "b", "c"]
BODIES = [{"x": 1.0}, {"y": 1.0, "x": -2.0}]
LABELS = [True, False, 0, 1, -1]
TTL, HOLD = 10, 5


def statuses_of(lines: bytes) -> list[int]:
    return [json.loads(line)["status"] for line in lines.splitlines()]


class Meaning:
    """The meaning of requests, in twenty lines."""

    def __init__(self) -> None:
        self.served: dict[str, tuple[int, Any]] = {}
        self.closed: dict[str, Any] = {}
        self.held: dict[str, tuple[int, Any]] = {}
        self.learned: list[tuple[Any, bool]] = []

    def predict(self, id_: str, x: Any, now: int) -> int:
        if id_ in self.served:
            return 200 if self.served[id_][1] == x else 409
        self.served[id_] = now, x
        if id_ in self.held:
            self.label(id_, self.held.pop(id_)[1], now)
        return 201

    def label(self, id_: str, y: bool, now: int) -> int:
        if id_ not in self.served:
            if id_ in self.held:
                return 202 if self.held[id_][1] == y else 409
            self.held[id_] = now, y
            return 202
        if id_ not in self.closed:
            self.closed[id_] = y
            self.learned.append((self.served[id_][1], y))
        return (
            410 if self.closed[id_] is None else 200 if self.closed[id_] == y else 409
        )

    def wait(self, now: int) -> None:
        old = [id_ for id_, (at, _) in self.served.items() if at <= now - TTL]
        self.closed |= {id_: None for id_ in old if id_ not in self.closed}
        self.held = {i: (at, y) for i, (at, y) in self.held.items() if at > now - HOLD}


class Service(RuleBasedStateMachine):
    """The service beside its meaning, with restarts and crashes in between."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.now, self.meaning = 0, Meaning()
        with Ledger(self.folder / "ledger.db", create=True) as ledger:
            born(ledger, Perceptron(), at=1)
        self.open()

    def open(self) -> None:
        self.model = ServedModel(
            Ledger(self.folder / "ledger.db"),
            Policy(ttl=TTL, hold=HOLD),
            snapshot=self.folder / "snapshot.lst",
            clock=lambda: self.now * 1_000_000,
        )

    def done(self, work: Any) -> Any:
        with self.model.ledger.commit(), self.model.knowing(set(IDS)):
            return work(self.model)

    @rule(
        asked=st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(BODIES))),
        as_json=st.booleans(),
    )
    def predict_many(self, asked: list[tuple[str, Any]], as_json: bool) -> None:
        given = [(id_, {"features": x}) for id_, x in asked]
        rows: list[Any] = [
            (id_, None, dumps(x)) if as_json else (id_, x, None) for id_, x in given
        ]
        lines = self.done(lambda model: model.predict_many(rows))
        expected = [self.meaning.predict(id_, x, self.now) for id_, x in asked]
        assert statuses_of(lines) == expected

    @rule(told=st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(LABELS))))
    def label_many(self, told: list[tuple[str, Any]]) -> None:
        lines = self.done(lambda model: model.label_many(told))
        expected = [
            self.meaning.label(id_, y in (True, 1), self.now) for id_, y in told
        ]
        assert statuses_of(lines) == expected

    @rule(id_=st.sampled_from(IDS), x=st.sampled_from(BODIES))
    def predict(self, id_: str, x: Any) -> None:
        answer = self.done(lambda model: model.predict(id_, {"features": x}))
        assert answer.status == self.meaning.predict(id_, x, self.now)

    @rule(id_=st.sampled_from(IDS), y=st.sampled_from(LABELS))
    def label(self, id_: str, y: Any) -> None:
        learned = len(self.meaning.learned)
        status = self.meaning.label(id_, y in (True, 1), self.now)
        answer: Answer = self.done(lambda model: model.label(id_, y))
        assert answer.status == status
        if status == 200:
            assert answer.body["already"] == (learned == len(self.meaning.learned))

    @rule(seconds=st.integers(1, TTL))
    def wait(self, seconds: int) -> None:
        self.now += seconds
        self.meaning.wait(self.now)
        self.done(lambda model: model.tidy())

    @rule(saves=st.booleans())
    def restart(self, saves: bool) -> None:
        if saves:
            self.model.save()
        self.model.ledger.close()
        self.open()

    @rule()
    def crash(self) -> None:
        """Continue from what is on the disk in the middle of a commit."""
        other = Path(tempfile.mkdtemp())
        with suppress(KeyboardInterrupt), self.model.ledger.commit():
            self.model.predict("lost", {"features": {"x": 1}})
            shutil.copytree(self.folder, other, dirs_exist_ok=True)
            raise KeyboardInterrupt
        self.model.ledger.close()
        shutil.rmtree(self.folder)
        self.folder = other
        self.open()

    @invariant()
    def nothing_is_lost_or_learned_twice(self) -> None:
        learner = Perceptron()
        for x, y in self.meaning.learned:
            learner.learn_one(x, y)
        assert self.model.learner.weights_ == learner.weights_  # type: ignore[attr-defined]
        assert self.model.recorder.rounds == len(self.meaning.learned)
        assert self.model.open == len(self.meaning.served) - len(self.meaning.closed)
        assert self.model.held.keys() == self.meaning.held.keys()
        assert self.model.expired == list(self.meaning.closed.values()).count(None)

    def teardown(self) -> None:
        self.model.ledger.check()
        self.model.ledger.close()
        shutil.rmtree(self.folder)


TestMeaning = Service.TestCase
TestMeaning.settings = settings(
    max_examples=settings().max_examples // 2, stateful_step_count=25, deadline=None
)


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    with Ledger(tmp_path / "ledger.db", create=True) as made:
        yield made


def served(ledger: Ledger, learner: Any, policy: Policy | None = None) -> ServedModel:
    born(ledger, learner)
    return ServedModel(ledger, policy)


def done(model: ServedModel, *steps: tuple[Any, ...]) -> list[tuple[int, Any]]:
    with model.ledger.commit():
        return [getattr(model, name)(*words) for name, *words in steps]


@pytest.mark.parametrize("label", [0, False, "", "0", "no"])
def test_every_value_is_a_label(ledger: Ledger, label: Any) -> None:
    model = served(ledger, MulticlassPerceptron())
    first, second, other = done(
        model,
        ("predict", "a", {"features": {"x": 1}}),
        ("label", "a", label),
        ("label", "a", "yes"),
    )
    assert (first[0], second[0], other[0]) == (201, 200, 409)
    assert second[1]["label"] == label
    assert type(second[1]["label"]) is type(label)
    assert model.look("a").body["label"] == label


def test_classes_that_are_written_otherwise_are_others(ledger: Ledger) -> None:
    model = served(ledger, MulticlassPerceptron())
    done(model, ("predict", "a", {"features": {"x": 1}}), ("label", "a", 1))
    assert [done(model, ("label", "a", y))[0][0] for y in (1, 1.0, True, "1")] == [
        200,
        200,
        409,
        409,
    ]


@pytest.mark.parametrize("label", [None, [], {}, "maybe", 2])
def test_what_is_no_label_changes_nothing(ledger: Ledger, label: Any) -> None:
    model = served(ledger, Perceptron())
    done(model, ("predict", "a", {"features": {"x": 1}}))
    seq = ledger.seq
    [(status, body)] = done(model, ("label", "a", label))
    assert (status, ledger.seq, model.open) == (422, seq, 1)
    assert body["error"]["code"] == "label"


@pytest.mark.parametrize("label", ["a", "1", 10**400, float("nan"), 1e308])
def test_what_is_no_outcome_changes_nothing(ledger: Ledger, label: Any) -> None:
    model = served(ledger, VovkAzouryWarmuth())
    done(model, ("predict", "a", {"features": {"x": 1}}))
    [(status, body)] = done(model, ("label", "a", label))
    assert (status, body["error"]["code"], model.open) == (422, "label", 1)
    assert done(model, ("label", "a", 0.5))[0][0] == 200


def test_a_refused_example_leaves_no_row(ledger: Ledger) -> None:
    model = served(ledger, Perceptron())
    for given in (
        {"features": {"x": "much"}},
        {"features": {"x": None}},
        {"advice": [1]},
        {"text": "hello"},
    ):
        [(status, _)] = done(model, ("predict", "a", given))
        assert (status, ledger.seq) == (422, 1)
    assert model.look("a").status == 404


def test_without_hold_an_early_label_is_unknown(ledger: Ledger) -> None:
    model = served(ledger, Perceptron())
    assert done(model, ("label", "a", True))[0][0] == 404


def test_held_labels_are_bounded(ledger: Ledger) -> None:
    model = served(ledger, Perceptron(), Policy(hold=60, most_held=2))
    steps = [("label", id_, True) for id_ in "abcab"]
    assert [status for status, _ in done(model, *steps)] == [202, 202, 429, 202, 202]
    assert model.look("a").body == {"id": "a", "state": "held", "label": True}


def test_a_default_label_is_learned_when_a_prediction_expires(tmp_path: Path) -> None:
    now = [0]
    with Ledger(tmp_path / "ledger.db", create=True) as ledger:
        born(ledger, Perceptron(), at=1)
        policy = Policy(ttl=1, default=(False,))
        model = ServedModel(ledger, policy, clock=lambda: now[0])
        done(model, ("predict", "a", {"features": {"x": 1}}))
        now[0] = 2_000_000
        with ledger.commit():
            assert model.tidy() == 1
        assert model.learner.weights_ == {"x": -1.0}  # type: ignore[attr-defined]
        assert [row.kind for row in ledger.rows()] == ["birth", "predict", "default"]
        assert done(model, ("label", "a", False))[0][0] == 410
        again = ServedModel(ledger, policy)
        assert again.expired == 1
        assert again.learner.weights_ == {"x": -1.0}  # type: ignore[attr-defined]


def test_a_default_label_must_be_one_that_the_learner_takes(ledger: Ledger) -> None:
    born(ledger, Perceptron())
    with pytest.raises(ValueError, match="got 'maybe'"):
        ServedModel(ledger, Policy(ttl=1, default=("maybe",)))
    with pytest.raises(ParameterError, match="a default label needs a ttl"):
        Policy(default=(False,))


def test_experts_are_served_in_the_order_of_labels(ledger: Ledger) -> None:
    model = served(ledger, Halving())
    done(
        model,
        ("predict", "a", {"advice": {"ann": True, "bob": False}}),
        ("predict", "b", {"advice": {"ann": True, "bob": True}}),
        ("label", "b", 1),
        ("label", "a", 1),
    )
    assert model.learner.alive_ == ["ann"]  # type: ignore[attr-defined]


def test_forecasts_and_drawn_answers_are_served_and_replayed(tmp_path: Path) -> None:
    for at, learner in enumerate(
        (ExponentialWeights(0.5), RandomizedWeightedMajority(0.5, seed=3))
    ):
        with Ledger(tmp_path / f"{at}.db", create=True) as ledger:
            model = served(ledger, learner)
            for number in range(20):
                advice = {"advice": [number % 2 == 0, True, number % 3 == 0]}
                steps = [("predict", str(number), advice)]
                if number > 3:
                    steps.append(("label", str(number - 3), number % 2))  # type: ignore[arg-type]
                assert all(status < 300 for status, _ in done(model, *steps))
            again = ServedModel(ledger)  # which compares every answer
            assert again.recorder.record() == model.recorder.record()


def test_a_batch_means_what_its_rows_mean_one_by_one(ledger: Ledger) -> None:
    model, x = served(ledger, Perceptron(), Policy(hold=60)), {"features": {"x": 1}}

    def statuses(*ids: str) -> list[int]:
        with ledger.commit(), model.knowing(set(ids)):
            return statuses_of(model.predict_many([(id_, x, None) for id_ in ids]))

    assert statuses("a", "b", "a") == [201, 201, 200]
    assert statuses("c", "d") == [201, 201]
    assert statuses("d", "e") == [200, 201]
    early, late, again = done(
        model, ("label", "f", 0), ("label", "c", 1), ("label", "c", 1)
    )
    assert (early[0], late[1]["already"], again[1]["already"]) == (202, False, True)
    assert statuses("f", "g") == [201, 201]
    assert (model.recorder.rounds, model.open, model.held) == (2, 5, {})
    assert ServedModel(ledger).recorder.record() == model.recorder.record()


def test_numbers_are_predicted_as_numbers_and_lose(ledger: Ledger) -> None:
    model = served(ledger, GradientDescent(loss="square"))
    said, told, again, looked = done(
        model,
        ("predict", "a", {"features": {"x": 1}}),
        ("label", "a", 0.75),
        ("predict", "b", {"features": {"x": 1}}),
        ("look", "a"),
    )
    assert said[1]["prediction"] == 0.0
    assert told[1]["loss"] == looked[1]["loss"] == 0.5625
    assert "mistake" not in told[1]
    assert again[1]["prediction"] == again[1]["score"] == pytest.approx(0.3)
    assert ServedModel(ledger).recorder.record() == model.recorder.record()


@pytest.mark.parametrize("learner", [Auto(), MulticlassAuto()], ids=str)
def test_calibrated_probabilities_are_served_and_replayed(
    learner: Any, tmp_path: Path
) -> None:
    path, alone = tmp_path / "ledger.db", learner.clone()
    with Ledger(path, create=True) as ledger:
        born(ledger, learner)
        model = ServedModel(ledger)
        for number in range(20):
            x, y = {"a": number % 2, "b": 1}, number % 2 == 0
            with ledger.commit():
                said = model.predict(f"{number}", {"features": x}).body
                model.label(f"{number}", y)
            chances = alone.predict_proba_one(x)
            if "probability" in said:
                assert said["probability"] == chances[True]
            else:
                assert said["probabilities"] == [[*pair] for pair in chances.items()]
            alone.learn_one(x, y)
    assert replay(path).rows == 40


def test_ledgers_without_probabilities_are_replayed_as_they_are(
    ledger: Ledger,
) -> None:
    born(ledger, Auto())
    birth = ledger.row(1)
    assert birth is not None
    born_then = birth.said.replace(',"calibrated":true', "")
    older = ledger.path.with_name("older.db")
    with Ledger(older, create=True) as other, other.commit():
        other.append("birth", None, birth.body or b"", born_then, 0)
    with Ledger(older) as other:
        model = ServedModel(other)
        with other.commit():
            said = model.predict("a", {"features": {"x": 1}}).body
    assert "probability" not in said
    assert replay(older).rows == 1


def test_intervals_come_with_the_forecast(ledger: Ledger) -> None:
    model = served(ledger, Adaptive(GradientDescent(loss="square"), level=0.5))
    first, *_, last = done(
        model,
        ("predict", "a", {"features": {"x": 1}}),
        ("label", "a", 0.75),
        ("predict", "b", {"features": {"x": 1}}),
    )
    assert first[1]["interval"] == [None, None]
    assert last[1]["prediction"] == pytest.approx(0.3)
    assert last[1]["interval"] == [pytest.approx(-0.45), pytest.approx(1.05)]
    again, record = ServedModel(ledger).recorder.record(), model.recorder.record()
    assert (again.loss, str(again.coverage)) == (record.loss, str(record.coverage))
    assert record.coverage is not None
    assert (record.coverage.rounds, record.coverage.misses) == (1, 0)


def test_intervals_around_experts_take_advice(ledger: Ledger) -> None:
    model = served(ledger, Adaptive(MLPoly("square", experts=2), level=0.5))
    [said] = done(model, ("predict", "a", {"advice": [1.0, 2.0]}))
    assert (said[1]["prediction"], said[1]["interval"]) == (1.5, [None, None])


def test_a_text_model_takes_text(tmp_path: Path) -> None:
    path = tmp_path / "mail.tsv"
    path.write_text("kind\ttext\nham\tSee you!\nspam\tFree money\n")
    stream = streams.text(path, label="kind", positive="spam")
    learner = Perceptron()
    run(learner, stream, passes=2)
    with Ledger(tmp_path / "ledger.db", create=True) as ledger:
        born(ledger, learner, reading=stream.reading)
        model = ServedModel(ledger)
        first, told, other, nothing = done(
            model,
            ("predict", "a", {"text": "money for free"}),
            ("label", "a", "ham"),
            ("label", "a", "spam"),
            ("label", "a", "eggs"),
        )
        assert (first[1]["prediction"], told[1]["label"]) == ("spam", "ham")
        assert (told[0], other[0], nothing[0]) == (200, 409, 422)


def test_a_forgotten_example_is_gone_and_the_chain_holds(tmp_path: Path) -> None:
    path, snapshot = tmp_path / "ledger.db", tmp_path / "snapshot.lst"
    with Ledger(path, create=True) as ledger:
        born(ledger, Perceptron())
        model = ServedModel(ledger, snapshot=snapshot)
        for id_ in ("ann", "bob", "cyd"):
            done(model, ("predict", id_, {"features": {f"secret-{id_}": 1}}))
        done(model, ("label", "ann", False))
        with ledger.commit():
            assert model.forget("ann").body["already"] is False
            assert model.forget("bob").status == 200
            assert model.forget("nobody").status == 404
        assert done(model, ("label", "bob", True))[0][0] == 410
        assert model.look("bob").body["state"] == "forgotten"
        assert model.open == 1
        with pytest.raises(LedgerError, match="was forgotten"):
            ServedModel(ledger)  # without a snapshot
        model.save()
        assert ledger.check() == 7
    raw = b"".join(each.read_bytes() for each in tmp_path.glob("ledger.db*"))
    assert b"secret-ann" not in raw
    assert b"secret-bob" not in raw
    assert b"secret-cyd" in raw
    with Ledger(path) as ledger:
        again = ServedModel(ledger, snapshot=snapshot)
        assert again.open == 1
        assert again.learner.weights_ == {"secret-ann": -1.0}  # type: ignore[attr-defined]


def test_a_snapshot_that_is_ahead_of_the_ledger_is_refused(tmp_path: Path) -> None:
    """Rows that were acknowledged and are gone must not be missed silently."""
    path, snapshot = tmp_path / "ledger.db", tmp_path / "snapshot.lst"
    with Ledger(path, create=True) as ledger:
        model = served(ledger, Perceptron())
    shutil.copy(path, tmp_path / "old.db")
    with Ledger(path) as ledger:
        model = ServedModel(ledger, snapshot=snapshot)
        done(model, ("predict", "a", {"features": {"x": 1}}))
        model.save()
    with (
        Ledger(tmp_path / "old.db") as ledger,
        pytest.raises(LedgerError, match="must have the row 2"),
    ):
        ServedModel(ledger, snapshot=snapshot)


def test_another_model_file_is_no_snapshot(ledger: Ledger, tmp_path: Path) -> None:
    born(ledger, Perceptron())
    models.save(Perceptron(), tmp_path / "other.lst")
    with pytest.raises(ModelError, match="one of a service"):
        ServedModel(ledger, snapshot=tmp_path / "other.lst")


def test_a_replay_names_the_first_row_that_differs(ledger: Ledger) -> None:
    model = served(ledger, Perceptron())
    done(model, ("predict", "a", {"features": {"x": 1}}))
    with ledger.commit():
        said = json.loads(next(ledger.rows(after=1)).said) | {"prediction": False}
        ledger.append("predict", "b", b'{"features":{"x":1}}', json.dumps(said), 0)
    with pytest.raises(LedgerError, match="ledger.db:3: the replay must say"):
        ServedModel(ledger)
