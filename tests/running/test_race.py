"""A race reads once, and every learner's record is that of its run alone."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import SGDClassifier

from littlestone import Race, cores, race, run, streams
from littlestone.adversaries import HalvingAdversary
from littlestone.boolean import DecisionListLearner, DisjunctionLearner
from littlestone.errors import (
    ExampleError,
    LineError,
    ParameterError,
    StreamError,
)
from littlestone.experts import BOA, AdaHedge, Halving, MLPoly, WeightedMajority
from littlestone.learner.rows import as_rows
from littlestone.linear import (
    AROW,
    AveragedPerceptron,
    MulticlassPerceptron,
    PassiveAggressive,
    Perceptron,
    Winnow,
)
from littlestone.running.ranking import Place, ranked
from littlestone.streams._base import examples
from patience import no_thread_more_than, soon

ROWS = 5_000  # more than one block of a file, and several turns of examples


def linear() -> list[Any]:
    return [
        Perceptron(bias=1),
        Winnow(threshold=5, promotion=1.5),
        PassiveAggressive(C=0.1),
        AROW(),
        AveragedPerceptron(),
    ]


def rows(seed: int = 0, count: int = ROWS) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = (rng.random((count, 30)) < 0.2).astype(float)
    return X, X[:, :4].sum(axis=1) + (rng.random(count) < 0.05) >= 1


def write(path: Path, X: Any, y: Any) -> Path:
    # Long lines of comment, so that a small stream takes several buffers.
    lines = [
        f"{int(label)} "
        + " ".join(f"{j}:1" for j in np.flatnonzero(x))
        + f" # {'long ' * 60}"
        for x, label in zip(X, y, strict=True)
    ]
    path.write_text("\n".join(lines))
    return path


class Slow:
    """A learner of plain Python, which says what it was told last."""

    def __init__(self) -> None:
        self.last = False

    def predict_one(self, _: Any) -> bool:
        """Say it."""
        return self.last

    def learn_one(self, _: Any, y: bool) -> None:
        """Be told."""
        self.last = y


def same(ranking: Race, make: Callable[[], list[Any]], stream: Any, **how: Any) -> None:
    """Hold each record against the run of the learner alone."""
    alone = [run(learner, stream, **how) for learner in make()]
    assert len(ranking) == len(alone)
    by_card = {str(record.learner): record for record in ranking.values()}
    for record in alone:
        raced = by_card[str(record.learner)]
        assert raced == record
        assert raced.to_dict() == record.to_dict()
        assert raced.digest == record.digest


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("keep", ["mistakes", "nothing", "updates"])
def test_records_from_a_file_are_those_of_runs_alone(
    tmp_path: Path, passes: int, keep: Any
) -> None:
    path = write(tmp_path / "rows.svm", *rows())
    assert path.stat().st_size > 1 << 20
    stream = streams.svmlight(path)
    ranking = race(linear(), stream, passes=passes, keep=keep)
    same(ranking, linear, stream, passes=passes, keep=keep)
    counts = [record.mistakes for record in ranking.values()]
    assert counts == sorted(counts)
    assert len(set(counts)) > 2
    assert ranking.winner == next(iter(ranking))


def kinds(tmp_path: Path) -> dict[str, Any]:
    X, y = rows(1, 3_000)
    path = tmp_path / "rows.svm.gz"
    path.write_bytes(gzip.compress(write(tmp_path / "rows.svm", X, y).read_bytes()))
    return {
        "gzip": streams.svmlight(path),
        "hashed": streams.svmlight(path, hash_bits=20),
        "dense": streams.arrays(X, y),
        "sparse": streams.arrays(sparse.csr_array(X), y),
        "dicts": [
            ({f"x{j}": 1.0 for j in np.flatnonzero(x)}, bool(label))
            for x, label in zip(X, y, strict=True)
        ],
    }


@pytest.mark.filterwarnings("ignore::littlestone.errors.UnrealizableWarning")
@pytest.mark.parametrize("kind", ["gzip", "hashed", "dense", "sparse", "dicts"])
def test_all_kinds_of_streams_and_learners_race_together(
    tmp_path: Path, kind: str
) -> None:
    stream = kinds(tmp_path)[kind]

    def make() -> list[Any]:
        return [*linear(), DisjunctionLearner(), Slow()]

    same(race(make(), stream), make, stream)


def test_estimators_are_given_rows_as_in_a_run() -> None:
    X, y = rows(2, 60)

    def make() -> list[Any]:
        return [Perceptron(), SGDClassifier(random_state=1)]

    stream = streams.arrays(X, y)
    same(race(make(), stream, passes=2), make, stream, passes=2)


def test_rows_in_memory_are_given_as_they_are() -> None:
    class Threshold(Slow):
        def predict_one(self, x: Any) -> bool:
            return bool(np.asarray(x) @ np.ones(30) > 6)

    X, y = rows(2, 20_000)  # more than one block

    def make() -> list[Any]:
        return [Threshold(), Perceptron()]

    stream = streams.arrays(X, y)
    same(race(make(), stream), make, stream)


class Reused(streams.Stream):
    """A stream that uses its memory again as soon as the next block is asked for."""

    def __init__(self) -> None:
        self.X, self.y = rows(7, 400)

    def blocks(self) -> Iterator[streams.Block]:
        """Yield the same rows with new values in them."""
        values = np.empty((20, 30))
        for first in range(0, len(self.X), 20):
            values[:] = self.X[first : first + 20]
            labels = self.y[first : first + 20]
            yield streams.Block(as_rows(values), labels, 0, 20, str)
            values[:] = np.nan

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Yield mappings."""
        return examples(self.blocks())


def test_no_block_is_taken_back_while_somebody_plays_it() -> None:
    class Late(Perceptron):
        def play_rows(self, *given: Any, **notes: Any) -> None:
            time.sleep(0.001)
            super().play_rows(*given, **notes)

    class Later(Late):
        pass

    def make() -> list[Any]:
        return [Late(), Perceptron(), AROW(), Later()]

    same(race(make(), Reused()), make, Reused())


def test_who_follows_experts_races_on_advice() -> None:
    rng = np.random.default_rng(3)
    y = np.cumsum(rng.normal(size=20_000)) / 50
    advice = y[:, None] + rng.normal(size=(20_000, 5)) * [0.1, 0.2, 0.3, 0.4, 0.5]
    stream = streams.advice(advice, y)

    def numbers() -> list[Any]:
        return [BOA(), MLPoly(), AdaHedge()]

    ranking = race(numbers(), stream)
    same(ranking, numbers, stream)
    losses = [record.loss or 0.0 for record in ranking.values()]
    assert losses == sorted(losses)
    assert "regret" in str(ranking)
    said = rng.random((500, 8)) < 0.5
    votes = streams.advice(said, said[:, 3])

    def voters() -> list[Any]:
        return [Halving(), WeightedMajority()]

    ranking = race(voters(), votes)
    same(ranking, voters, votes)
    assert str(ranking).splitlines()[1].split()[-3] == "3"  # lg 8


def test_many_classes_race() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 3))
    stream = streams.arrays(X, [f"c{k}" for k in X.argmax(axis=1)], outcome="class")

    def make() -> list[Any]:
        return [MulticlassPerceptron(bias=1), MulticlassPerceptron()]

    ranking = race(make(), stream)
    same(ranking, make, stream)
    assert all(name.startswith("MulticlassPerceptron(") for name in ranking)


@pytest.mark.filterwarnings("ignore::littlestone.errors.UnrealizableWarning")
@given(st.lists(st.tuples(st.sets(st.integers(0, 5)), st.booleans()), max_size=40))
def test_any_examples_give_the_records_of_runs_alone(
    drawn: list[tuple[set[int], bool]],
) -> None:
    stream = [(dict.fromkeys(sorted(x), 1.0), y) for x, y in drawn]

    def make() -> list[Any]:
        return [Perceptron(), Winnow(threshold=3), DecisionListLearner()]

    same(race(make(), stream), make, stream)
    same(race(make(), iter(stream)), make, stream)


def test_the_stream_is_read_once_and_may_use_one_object_again() -> None:
    def counting() -> Iterator[tuple[dict[str, float], bool]]:
        x: dict[str, float] = {}
        for number in range(3_000):
            read.append(number)
            x.clear()
            x[f"f{number % 7}"] = 1.0
            yield x, number % 7 < 3

    read: list[int] = []
    ranking = race([Perceptron(), Winnow(threshold=2)], counting())
    assert read == list(range(3_000))
    assert ranking["Perceptron"] == run(Perceptron(), counting())
    assert ranking["Winnow"] == run(Winnow(threshold=2), counting())


def test_who_refuses_an_example_leaves_and_the_others_go_on(tmp_path: Path) -> None:
    X, y = rows(5)
    X[2_500, 3] = 7.0
    path = tmp_path / "rows.svm"
    path.write_text(
        "\n".join(
            f"{int(label)} " + " ".join(f"{j}:{x[j]:g}" for j in np.flatnonzero(x))
            for x, label in zip(X, y, strict=True)
        )
    )
    for stream in (streams.svmlight(path), list(streams.svmlight(path))):
        learners = {
            "w": Winnow(threshold=5),
            "p": Perceptron(),
            "v": Winnow(threshold=3),
        }
        ranking = race(learners, stream)
        assert list(ranking) == ["p"]
        assert ranking["p"] == run(Perceptron(), stream)
        with pytest.raises(ExampleError) as alone:
            run(Winnow(threshold=5), stream)
        assert str(ranking.left["w"]) == str(alone.value)
        assert ranking.left["w"].rounds == 2_500
        assert f"v left after 2,500 rounds: {alone.value}" in str(ranking)
        assert [place.left is None for place in ranking.places] == [True, False, False]
        with pytest.raises(ExampleError, match="must lie in"):
            race({"w": Winnow(threshold=5)}, stream)


def test_nobody_wins_by_refusing() -> None:
    stream = [({"b": 1.0}, False), ({"a": 1.0}, True), ({"a": 9.0}, True)]
    learners = {"picky": Winnow(threshold=2), "bold": Perceptron()}
    ranking = race(learners, stream, on_error="skip")
    picky, bold = ranking["picky"], ranking["bold"]
    assert picky == run(Winnow(threshold=2), stream, on_error="skip")
    assert (picky.refused, bold.refused, ranking.left) == (1, 0, {})
    assert picky.mistakes == bold.mistakes == 1
    assert ranking.winner == "bold"
    with pytest.raises(ParameterError, match="on_error must be 'raise' or 'skip'"):
        race(learners, stream, on_error="leave")  # type: ignore[arg-type]  # refused


def test_refused_numbers_count_as_rounds_of_the_mean_loss() -> None:
    whole, part = Place("a", 10, 0, loss=10.5), Place("b", 9, 0, loss=9.9, refused=1)
    assert [place.name for place in ranked([part, whole])] == ["a", "b"]


def test_what_is_wrong_with_the_stream_is_raised(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.svm", *rows())
    with path.open("a") as file:
        file.write("\n1 nonsense")
    before = threading.active_count()
    with pytest.raises(LineError) as raced:
        race(linear(), streams.svmlight(path))
    with pytest.raises(LineError) as alone:
        run(Perceptron(), streams.svmlight(path))
    assert str(raced.value) == str(alone.value)
    assert raced.value.rounds == ROWS
    with pytest.raises(StreamError, match="gone.svm"):
        race(linear(), streams.svmlight(tmp_path / "gone.svm"))

    def failing() -> Iterator[tuple[dict[str, float], bool]]:
        yield {"a": 1.0}, True
        raise OSError("the line is dead")

    slow = Slow()
    with pytest.raises(OSError, match="the line is dead"):
        race([Perceptron(), slow], failing())
    assert slow.last  # what came before was played
    assert no_thread_more_than(before)


def test_learners_that_take_longer_than_reading_play_side_by_side(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Patient(Slow):
        threads: ClassVar[set[int]] = set()

        def learn_one(self, x: Any, y: bool) -> None:
            time.sleep(1e-5)
            self.threads.add(threading.get_ident())
            super().learn_one(x, y)

    stream = [({"a": 1.0}, True)] * 1_600
    monkeypatch.setattr(import_module("littlestone.running.lanes"), "_SOME", 100)
    for processors in (1, 2):
        Patient.threads.clear()
        monkeypatch.setattr(cores, "usable", lambda number=processors: number)

        def both() -> bool:  # as soon as the other thread gets its turn
            ranking = race([Patient(), Patient()], stream)
            assert [record.mistakes for record in ranking.values()] == [1, 1]
            return len(Patient.threads) == processors  # noqa: B023 - called here

        assert soon(both)


@pytest.mark.parametrize(
    ("seconds", "kept"),
    [((1.0, 0.5), True), ((1.0, 0.9), False), ((0.5, 1.0), False)],
)
def test_the_quicker_way_is_kept_if_it_is_much_quicker(
    monkeypatch: pytest.MonkeyPatch, seconds: tuple[float, float], kept: bool
) -> None:
    module = import_module("littlestone.running.lanes")
    clock = [0.0]
    monkeypatch.setattr(module.time, "perf_counter", lambda: clock[0])
    course = module.Course([], None, None)
    chosen = []
    for together in islice(course._ways, 300):  # noqa: SLF001 - what it chooses
        chosen.append(together)
        ready = 10 < len(chosen) <= 14  # parsed while the parts before were played
        clock[0] += 0.0 if ready else seconds[together]
        course._handed_out += 10  # noqa: SLF001 - as if a part had been played
    assert chosen[:276] == [False] * 10 + [True] * 10 + [kept] * 256
    assert chosen[276:296] == [False] * 10 + [True] * 10  # and tried again


def test_what_goes_wrong_within_a_learner_is_raised_and_no_thread_stays() -> None:
    class Broken(Slow):
        def learn_one(self, _: Any, y: bool) -> None:
            raise ZeroDivisionError(f"at {y}")

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError, match="at True"):
        race([Perceptron(), Broken(), Slow()], [({"a": 1.0}, True)] * 5_000)
    assert no_thread_more_than(before)


def test_an_interrupt_ends_all_lanes() -> None:
    def interrupted() -> Iterator[tuple[dict[str, float], bool]]:
        yield {"a": 1.0}, True
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        race([Perceptron(), Slow()], interrupted())
    assert no_thread_more_than(before)


@pytest.mark.parametrize(
    ("learners", "message"),
    [
        ([], "at least one"),
        (7, "learners must be a mapping or a sequence, got 7"),
        ([Perceptron, Winnow], "Perceptron|type.* must have predict_one"),
        ({"it": object()}, "it must have predict_one and learn_one"),
        ([BOA(), BOA(loss="absolute")], "charged alike .* got absolute loss and"),
        ([BOA(), Perceptron()], "charged alike"),
    ],
)
def test_learners_that_cannot_race_are_refused(learners: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=f"^race: .*(?:{message})"):
        race(learners, [])


def test_other_arguments_that_make_no_sense_are_refused() -> None:
    one = Perceptron()
    with pytest.raises(ParameterError, match="one of them twice"):
        race([one, one], [])
    with pytest.raises(ParameterError, match="an adversary answers one learner only"):
        race([one], HalvingAdversary(3))  # type: ignore[arg-type]  # that is the point
    with pytest.raises(ParameterError, match="passes must be a whole number above 0"):
        race([one], [], passes=0)
    with pytest.raises(ParameterError, match="readable again for 2 passes"):
        race([one], iter([]), passes=2)
    with pytest.raises(ParameterError, match="counts its updates"):
        race([one, Slow()], [({"a": 1}, True)] * 5_000, keep="updates")
    with pytest.raises(
        ParameterError, match="declare takes features, .* got 'nonsense'"
    ):
        race([Winnow(threshold=3)], [], declare={"nonsense": 1})


def test_each_is_told_what_its_theorems_take_and_equals_keep_their_order() -> None:
    stream = [({"a": 1, "c": 1}, True), ({"c": 1}, False), ({"b": 1}, True)] * 20
    named: dict[str, Any] = {
        "first": Slow(),
        "winnow": Winnow(threshold=3, eliminate=True),
        "second": Slow(),
    }
    ranking = race(named, stream, declare={"features": 3, "relevant": 2})
    assert ranking["winnow"].bound == 9
    assert list(ranking) == ["winnow", "first", "second"]
    assert ranking["first"].bound is None
    assert str(ranking).splitlines()[1].split()[2:4] == ["3", "5.00%"]
    assert str(ranking).splitlines()[1].split()[6] == "9"
    facts = ranking.to_dict()
    assert [each["name"] for each in facts["ranking"]] == list(ranking)
    assert facts["ranking"][0]["mistakes"] == 3


def test_progress_is_a_line_whenever_the_rounds_have_doubled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    X, y = rows(6)
    for stream in (streams.arrays(X, y), list(streams.arrays(X, y))):
        named: dict[str, Any] = {"p": Perceptron(), "s": Slow()}
        ranking = race(named, stream, progress=True)
        head, *lines = capsys.readouterr().err.splitlines()
        assert head.split() == ["round", "leader", "p", "s"]
        assert [int(line.split()[0]) for line in lines] == [2**k for k in range(13)]
        rounds = ranking["p"].mistake_rounds
        assert rounds is not None
        for line in lines:
            at, leader, mine, other = line.split()
            assert int(mine) == np.count_nonzero(rounds < int(at))
            assert leader == ("s" if int(other) < int(mine) else "p")


def test_short_times_are_in_milliseconds() -> None:
    stream = [({"a": 1.0}, True)]
    records = {name: run(Perceptron(), stream) for name in ("fast", "slow")}
    told = str(Race(records, seconds={"fast": 0.0042, "slow": 0.014}))
    assert [line.split()[-2:] for line in told.splitlines()[1:3]] == [
        ["4.2", "ms"],
        ["0.01", "s"],
    ]
