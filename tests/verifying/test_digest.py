"""The digest of a stream: its bytes, and that every way of reading gives the same."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

from littlestone import adversaries, run, streams
from littlestone.errors import (
    ExampleError,
    FeatureError,
    LabelError,
    LittlestoneError,
    StreamError,
)
from littlestone.experts import (
    AdaHedge,
    AggregatingAlgorithm,
    Committee,
    ExponentialWeights,
    FollowTheMajority,
    Halving,
    WeightedMajority,
)
from littlestone.learner import objects
from littlestone.linear import MulticlassPerceptron, Perceptron, Winnow
from littlestone.outcome import Outcome
from littlestone.running.digest import RunDigest
from littlestone.running.examples import Notes
from littlestone.streams import _arrays
from littlestone.verifying import Digest


def digest_of(stream: Any, of: Any = "features", outcome: Any = Outcome.LABEL) -> str:
    """Return the digest by plain Python alone."""
    plain = Digest(of, outcome)
    for x, y in stream:
        plain.add(x, y)
    return str(plain)


def sha(*parts: bytes) -> str:
    """Return the digest of bytes: the hash of the hashes of their leaves."""
    whole = b"".join(parts)
    leaves = [whole[at : at + 16384] for at in range(0, len(whole), 16384)]
    hashes = b"".join(hashlib.sha256(leaf).digest() for leaf in leaves)
    return "sha256-tree:" + hashlib.sha256(hashes).hexdigest()


def column(j: int) -> bytes:
    return b"c" + struct.pack("<Q", j)


def name(text: str) -> bytes:
    return b"n" + struct.pack("<I", len(text.encode())) + text.encode()


def double(value: float) -> bytes:
    return b"d" + struct.pack("<d", value)


def names(*texts: str) -> bytes:
    return b"N" + struct.pack("<I", len(texts)) + b"".join(name(t)[1:] for t in texts)


def rising(first: int, count: int = 1) -> bytes:
    return b"R" + struct.pack("<II", count, first)


def singles(*values: float) -> bytes:
    return b"S" + struct.pack(f"<{len(values)}f", *values)


def doubles(*values: float) -> bytes:
    return b"D" + struct.pack(f"<{len(values)}d", *values)


FEATURES, ADVICE = b"littlestone stream 2\nf", b"littlestone stream 2\na"
YES, NO = b"y\1", b"y\0"


# The bytes, written by hand ---------------------------------------------------


def test_the_bytes_of_features() -> None:
    stream = [
        ({"é": 1, 7: -0.5, "zero": 0.0}, True),
        ([0, 2.5], -1),
        ({}, -1),
        ({9: 1.0, 4: 0.1, 5: 2.0}, True),
        ({2**32 - 1: 1.0, "a": 1e39, "b": 2.0}, -1),
    ]
    expected = sha(
        FEATURES,
        names("é") + singles(1.0) + rising(7) + singles(-0.5) + YES,
        rising(1) + singles(2.5) + NO,
        NO,
        b"C" + struct.pack("<IIII", 3, 9, 4, 5) + doubles(1.0, 0.1, 2.0) + YES,
        rising(2**32 - 1) + singles(1.0) + names("a", "b") + doubles(1e39, 2.0) + NO,
    )
    assert digest_of(stream) == expected
    assert run(Perceptron(), stream, digest=True).digest == expected


def test_the_bytes_of_large_numbers() -> None:
    stream = [({7: 1.0, 2**32: 2.0, 2**64 - 1: 0.3}, True)]
    large = b"W" + struct.pack("<IQQ", 2, 2**32, 2**64 - 1) + doubles(2.0, 0.3)
    assert digest_of(stream) == sha(FEATURES, rising(7) + singles(1.0) + large + YES)


def test_the_bytes_of_blocks() -> None:
    X = np.array([[0.5, 3.0, -2.0], [0.0, 0.1, 7.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    expected = sha(
        FEATURES,
        rising(0, 3) + singles(0.5, 3.0, -2.0) + YES,
        rising(1, 2) + doubles(0.1, 7.0) + NO,
        b"C" + struct.pack("<III", 2, 0, 2) + singles(1.0, 1.0) + NO,
        YES,
    )
    y = [True, False, False, True]
    for block in (X, sp.csr_matrix(X)):
        assert run(Perceptron(), streams.arrays(block, y), digest=True).digest == (
            expected
        )


def test_older_certificates_have_another_digest() -> None:
    stream = [({"é": 1, 7: -0.5, "zero": 0.0}, True), ([0, 2.5], -1)]
    older = Digest(number=1)
    for x, y in stream:
        older.add(x, y)
    written = (
        *(b"littlestone stream 1\nf", name("é"), double(1.0), column(7)),
        *(double(-0.5), YES, column(1), double(2.5), NO),
    )
    assert str(older) == "sha256:" + hashlib.sha256(b"".join(written)).hexdigest()


def test_the_bytes_of_classes() -> None:
    stream = [([1.0], "ä"), ([1.0], -3), ([1.0], True), ([1.0], 2.5)]
    written = [
        b"ks" + struct.pack("<I", 2) + "ä".encode(),
        b"ki" + struct.pack("<q", -3),
        YES,
        b"r" + struct.pack("<d", 2.5),
    ]
    expected = sha(FEATURES, *(rising(0) + singles(1.0) + label for label in written))
    assert digest_of(stream, outcome=Outcome.CLASS) == expected
    assert run(MulticlassPerceptron(), stream, digest=True).digest == expected
    labels = objects([y for _, y in stream])
    block = streams.arrays(np.ones((4, 1)), labels, outcome=Outcome.CLASS)
    assert run(MulticlassPerceptron(), block, digest=True).digest == expected


def test_equal_classes_that_are_written_otherwise_are_told_apart() -> None:
    labels = [1, True, 1.0, "1", 0, False]
    stream = streams.arrays(np.ones((6, 1)), objects(labels), outcome=Outcome.CLASS)
    found = run(MulticlassPerceptron(), stream, digest=True).digest
    assert found == digest_of(stream, outcome=Outcome.CLASS)
    ones = streams.arrays(
        np.ones((6, 1)), objects([1] * 4 + [0] * 2), outcome=Outcome.CLASS
    )
    assert found != digest_of(ones, outcome=Outcome.CLASS)


def test_the_bytes_of_advice() -> None:
    votes = [([True, False], 1), ({"ann": 0.0}, False)]
    expected = sha(
        ADVICE,
        column(0) + b"b\1" + column(1) + b"b\0" + YES,
        name("ann") + double(0.0) + NO,
    )
    assert digest_of(votes, "advice") == expected
    chances = [({"ann": [0.25, 0.75]}, 1), ([0.5], 0.5)]
    expected = sha(
        ADVICE,
        name("ann") + b"v" + struct.pack("<Idd", 2, 0.25, 0.75),
        b"r" + struct.pack("<d", 1.0),
        column(0) + double(0.5) + b"r" + struct.pack("<d", 0.5),
    )
    assert digest_of(chances, "advice", Outcome.NUMBER) == expected


def test_the_bytes_of_examples_that_are_single_values() -> None:
    stream = [(3, True), (True, True), ("a", True), (1.5, True), (None, False)]
    expected = sha(
        FEATURES,
        b"pi" + struct.pack("<q", 3) + YES,
        b"pb\1" + YES,
        b"ps" + struct.pack("<I", 1) + b"a" + YES,
        b"p" + double(1.5) + YES,
        NO,
    )
    assert digest_of(stream) == expected
    assert run(FollowTheMajority(), stream, digest=True).digest == expected
    assert digest_of([(np.int64(3), True)]) == digest_of([(3, True)])


def test_an_empty_stream_has_a_digest_too() -> None:
    assert run(Perceptron(), [], digest=True).digest == sha(FEATURES)
    assert run(Halving(), [], digest=True).digest == sha(ADVICE)
    assert run(Perceptron(), []).digest is None


class Kept:
    """A checkpoint that is kept in memory."""

    every = 20

    def __init__(self, resumed: Any = None) -> None:
        self.resumed = resumed

    def save(self, _: Any, state: dict[str, Any]) -> None:
        """Keep the state."""
        self.state = state


@pytest.mark.parametrize("kind", ["rows", "mappings", "advice"])
def test_a_checkpoint_with_an_older_digest_can_be_resumed(kind: str) -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(60, 4)).round(1), rng.random(60) < 0.5
    advised = kind == "advice"
    make = AdaHedge if advised else Perceptron
    outcome = Outcome.NUMBER if advised else Outcome.LABEL

    def first(rounds: int) -> Any:
        if advised:
            return streams.advice(X[:rounds], y[:rounds].astype(float))
        rows = streams.arrays(X[:rounds], y[:rounds])
        return rows if kind == "rows" else list(rows)

    learner, kept = make(), Kept()
    run(learner, first(40), digest=True, checkpoint=kept)
    older = Digest("advice" if advised else "features", outcome, 1)
    for x, label in first(40):
        older.add(x, label)
    notes = kept.state["notes"] | {"digest": str(older)}
    resumed = Kept(kept.state | {"notes": notes, "over": False})
    found = run(learner, first(60), digest=True, checkpoint=resumed)
    assert found.digest == run(make(), first(60), digest=True).digest
    notes["digest"] = "sha256:" + 64 * "0"
    with pytest.raises(StreamError, match="begin with the 40 rounds"):
        run(learner, first(60), digest=True, checkpoint=resumed)


# Order counts, and what the order is of -----------------------------------------


def test_everything_that_tells_streams_apart_tells_digests_apart() -> None:
    base = [({"a": 1.0, "b": 2.0}, True), ({"c": 3.0}, False)]
    others = [
        base[::-1],
        [({"b": 2.0, "a": 1.0}, True), base[1]],
        [({"a": 1.0, "b": 2.0}, False), base[1]],
        [({"a": 1.0}, True), ({"b": 2.0, "c": 3.0}, False)],
        [({"a": 1.0, "b": 2.0 + 2**-51}, True), base[1]],
        [({"a": 1.0, "c": 2.0}, True), base[1]],
        [({"a": 1.0, "b": -2.0}, True), base[1]],
        base[:1],
        base + base,
        [*base, ({}, False)],
    ]
    digests = {digest_of(stream) for stream in [base, *others]}
    assert len(digests) == 1 + len(others)
    assert digest_of([({1: 1.0}, True)]) != digest_of([({"1": 1.0}, True)])
    assert digest_of([("1", 1)], outcome=Outcome.CLASS) != digest_of(
        [(1, 1)], outcome=Outcome.CLASS
    )
    assert digest_of([({}, 1)], outcome=Outcome.CLASS) != digest_of(
        [({}, "1")], outcome=Outcome.CLASS
    )


def test_zeros_and_the_ways_to_write_yes_and_no_do_not_tell() -> None:
    base = digest_of([({0: 1.0, 2: -2.0}, True), ({1: 1.0}, False)])
    for stream in (
        [([1, 0, -2], 1), ([0, 1, 0], 0)],
        [((1.0, -0.0, -2.0), 1.0), ([False, True], -1)],
        [(([0, 2], [1.0, -2.0]), np.int64(1)), (([1, 0], [1.0, 0.0]), np.False_)],
        [(sp.csr_array([[1.0, 0, -2.0]]), True), (pd.Series({1: 1.0}), False)],
        [(np.array([1, 0, -2], dtype=np.int8), True), (np.array([0, 1.0]), False)],
    ):
        assert digest_of(stream) == base
        assert run(Perceptron(), stream, digest=True).digest == base


def test_passes_are_rounds_as_played() -> None:
    stream = streams.arrays([[1.0], [2.0]], [1, 0])
    twice = run(Perceptron(), stream, passes=2, digest=True).digest
    assert twice == digest_of([*stream, *stream]) != digest_of(stream)


def test_the_learner_does_not_tell() -> None:
    stream = [({"a": 1.0, "b": 0.5}, t % 3 == 0) for t in range(20)]
    learners: list[Any] = [
        Perceptron(),
        Winnow(threshold=2),
        Committee([Perceptron(), FollowTheMajority()]),
    ]
    digests = {run(learner, stream, digest=True).digest for learner in learners}
    assert digests == {digest_of(stream)}


# The quick ways give the same ---------------------------------------------------

CELLS = st.sampled_from([0.0, -0.0, 1.0, -2.5, 0.1, 5e-324, 1e30, 1e300])


@st.composite
def matrices(draw: st.DrawFn) -> tuple[Any, Any]:
    n = draw(st.integers(1, 5))
    rows = draw(st.lists(st.lists(CELLS, min_size=n, max_size=n), max_size=12))
    labels = st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))
    return np.array(rows).reshape(len(rows), n), np.array(draw(labels), dtype=bool)


def noted(stream: Any, learner: Any) -> tuple[str | None, int]:
    """Return the digest of the blocks of a stream, and how many there were."""
    notes, count = Notes(learner, updates=False, digest=True), 0
    for block in stream.blocks():
        notes.rows(block.rows, block.labels, range(block.first, block.last), None)
        count += 1
    return notes.digest(), count


@given(matrices())
@example((np.zeros((3, 2)), np.array([True, False, True])))
def test_blocks_of_rows_give_the_digest_of_plain_python(world: tuple[Any, Any]) -> None:
    X, y = world
    names = [f"näme {j}" * (j + 1) for j in range(X.shape[1])]
    sparse = sp.csr_matrix(X)
    long = sparse.copy()
    long.indices, long.indptr = (a.astype(np.int64) for a in (X_of(long)))
    explicit = sp.csr_matrix(np.ones_like(X))
    explicit.data = X.ravel().copy()
    single = X.clip(max=1e30).astype(np.float32)
    for block in (X, sparse, long, explicit, single, sp.csr_array(single)):
        stream = streams.arrays(block, y)
        assert noted(stream, Perceptron())[0] == digest_of(stream)
    assert digest_of(streams.arrays(explicit, y)) == digest_of(streams.arrays(X, y))
    frame = streams.arrays(pd.DataFrame(X, columns=names), y)
    assert noted(frame, Perceptron())[0] == digest_of(frame)
    hashed = streams.hashed(frame, 4)
    assert noted(hashed, Perceptron())[0] == digest_of(hashed)


def X_of(matrix: Any) -> tuple[Any, Any]:  # noqa: N802 - parts of X
    return matrix.indices, matrix.indptr


def files(folder: Path) -> Iterator[tuple[Any, Any, Any]]:
    """Yield streams from files, with the labels they have and a learner for them."""
    rng = np.random.default_rng(3)
    svm, words = folder / "a.svm", folder / "b.tsv"
    with svm.open("w") as lines, words.open("w") as texts:
        for t in range(4000):
            pairs = sorted({*rng.integers(0, 40, 6).tolist(), 2**31})
            row = " ".join(f"{j}:{rng.normal():.3g}" for j in pairs)
            lines.write(f"{t % 3} {row}\n")
            said = " ".join(f"wörd{k}" for k in rng.integers(0, 300, 12))
            texts.write(f"{t % 3}\t{said}\n")
    text = partial(streams.text, label=0)
    for make, path in ((streams.svmlight, svm), (text, words)):
        for bits in (None, 8):
            yield make(path, positive=1, hash_bits=bits), Outcome.LABEL, Perceptron()
            classes: Any = make(path, outcome="class", hash_bits=bits)
            yield classes, Outcome.CLASS, MulticlassPerceptron()


def test_files_give_the_digest_of_plain_python(tmp_path: Path) -> None:
    for stream, outcome, learner in files(tmp_path):
        record = run(learner, stream, digest=True)
        assert record.rounds == 4000
        assert record.digest == digest_of(stream, outcome=outcome)


@pytest.mark.soak
def test_long_streams_are_hashed_piece_by_piece(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_arrays, "_ROWS_A_BLOCK", 1 << 14)
    rng = np.random.default_rng(0)
    X = rng.choice([0.0, 1.0, 0.5], size=(40_000, 9))
    stream = streams.arrays(X, rng.random(40_000) < 0.5)
    found, blocks = noted(stream, Perceptron())
    assert blocks > 1
    assert found == digest_of(stream)
    for wide in (np.ones((3, 100_000)), np.linspace(0, 1, 99_999).reshape(3, -1)):
        huge = streams.arrays(wide, [1, 0, 1])
        assert noted(huge, Perceptron())[0] == digest_of(huge)


@pytest.mark.parametrize("size", [16383, 16384, 16385, 8 * 16384, 9 * 16384 + 1])
def test_leaves_may_end_anywhere(size: int) -> None:
    ours = RunDigest("features", Outcome.LABEL)
    rest = bytes(k % 251 for k in range(size - len(FEATURES)))
    ours.add(rest[:7])
    ours.add(rest[7:])
    assert str(ours) == sha(FEATURES, rest)


def test_categories_give_the_digest_of_plain_python(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("odor,age,y\nfoul,31,1\nnone,?,0\nfoul,70,1\n")
    rows = [({"odor": "foul", "age": 31}, 1), ({"odor": "none", "age": "?"}, 0)]
    file = streams.csv(path, label="y", literals=True)
    for stream in (file, streams.onehot(rows)):
        record = run(Winnow(threshold=2), stream, digest=True)
        assert record.digest == digest_of(stream)


def test_advice_gives_the_digest_of_plain_python() -> None:
    rng = np.random.default_rng(1)
    F, y = rng.random((1100, 7)), rng.random(1100)
    awake = rng.random(F.shape) < 0.5
    awake[:, 3] = True
    names = [f"ëxpert {i}" for i in range(7)]
    votes = F > 0.5
    chances = np.stack([F, 1 - F], axis=2)
    frame = pd.DataFrame(F, columns=names)
    numbers: list[Any] = [
        streams.advice(F, y),
        streams.advice(F, y > 0.5),
        streams.advice(F, y, awake=awake),
        streams.advice(frame, y),
        streams.advice(frame, y, awake=awake),
        streams.advice(np.where(awake, F, 0.0), y),
    ]
    digests = set()
    for stream in numbers:
        learner = AdaHedge()
        found = run(learner, stream, digest=True).digest
        assert found == digest_of(stream, "advice", Outcome.NUMBER)
        named = isinstance(learner.experts_[0], str)
        everyone = learner.experts_ if named else len(learner.experts_)
        plain = run(AdaHedge(experts=everyone), list(stream), digest=True)
        assert found == plain.digest
        digests.add(found)
    assert len(digests) == len(numbers)
    for stream in (
        streams.advice(votes, y > 0.5),
        streams.advice(votes, y > 0.5, awake=awake),
        streams.advice(votes.astype(int), np.where(y > 0.5, 1, -1)),
    ):
        found = run(WeightedMajority(), stream, digest=True).digest
        assert found == digest_of(stream, "advice")
    for stream in (
        streams.advice(chances, y > 0.5),
        streams.advice(chances, y > 0.5, awake=awake),
    ):
        for rule in (AggregatingAlgorithm(), ExponentialWeights(1.0, "log")):
            found = run(rule, stream, digest=True).digest
            assert found == digest_of(stream, "advice", Outcome.NUMBER)


def test_advice_in_a_file_gives_the_digest_of_plain_python(tmp_path: Path) -> None:
    path = tmp_path / "advice.csv"
    path.write_text("ann,bob,y\n1,0,1\n0,,0\n1,1,0\n")
    stream = streams.forecasts(path, label="y", outcome="label", missing="sleep")
    found = run(Halving(restart=True), stream, digest=True).digest
    assert found == digest_of(stream, "advice")


def test_outcomes_that_have_names() -> None:
    learner = AggregatingAlgorithm(outcomes=["rain", "sun"])
    stream = [([[0.5, 0.5], [0.25, 0.75]], "sun"), ([[0.1, 0.9], [1.0, 0.0]], "rain")]
    found = run(learner, stream, digest=True).digest
    assert found == digest_of(stream, "advice", Outcome.NUMBER)
    by_number = AggregatingAlgorithm(outcomes=[10, 20])
    block = streams.advice([[[0.5, 0.5], [0.25, 0.75]]] * 2, [20, 10])
    found = run(by_number, block, digest=True).digest
    assert found == digest_of(block, "advice", Outcome.NUMBER)
    assert found == run(by_number.clone(), list(block), digest=True).digest


@pytest.mark.parametrize(
    ("learner", "adversary", "of"),
    [
        (Perceptron(), adversaries.ConjunctionAdversary(5), "features"),
        (WeightedMajority(), adversaries.RandomExperts(4, 9, 2), "advice"),
        (FollowTheMajority(), adversaries.SingletonAdversary(9), "features"),
        (Winnow(threshold=2), adversaries.DisjunctionAdversary(5), "features"),
    ],
    ids=str,
)
def test_what_an_adversary_plays_is_digested(
    learner: Any, adversary: Any, of: Any
) -> None:
    played: list[Any] = []

    class Watched(type(learner)):  # type: ignore[misc]  # whoever plays
        """Remembers what was played."""

        def learn_one(self, x: Any, y: Any, sample_weight: int = 1) -> None:
            """Learn, and remember."""
            played.append((x, y))
            super().learn_one(x, y, sample_weight)

    watched = Watched(**learner.get_params())
    record = run(watched, adversary, digest=True)
    assert len(played) == record.rounds > 0
    assert record.digest == digest_of(played, of)


# Refusals -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "y", "kind", "message"),
    [
        ({"a": "1"}, True, FeatureError, "feature 'a' must be a number, got '1'"),
        ({"a": None}, True, FeatureError, "feature 'a' must be a number, got None"),
        ({"a": 10**400}, True, FeatureError, "feature 'a' must be a number"),
        ({"a": 1j}, True, FeatureError, "feature 'a' must be a number, got 1j"),
        ({-1: 1.0}, True, FeatureError, "a name or a column number .*, got -1"),
        ({2**64: 1.0}, True, FeatureError, "a name or a column number"),
        ({("a",): 1.0}, True, FeatureError, "a name or a column number"),
        ({1.5: 1.0}, True, FeatureError, "a name or a column number .*, got 1.5"),
        ({"\ud800": 1.0}, True, FeatureError, "a name or a column number"),
        ("\ud800", True, ExampleError, "valid UTF-8"),
        (2**63, True, ExampleError, "an example must be"),
        (b"abc", True, ExampleError, "an example must be"),
        (object(), True, ExampleError, "an example must be"),
        (([0, 1], [1.0]), True, ExampleError, "an example must be"),
        (sp.csr_array(np.ones((2, 3))), True, ExampleError, "an example must be"),
        ({}, 2, LabelError, "a label must be True/1 or False/0/-1, got 2"),
        ({}, "1", LabelError, "a label must be True/1 or False/0/-1, got '1'"),
        ({}, None, LabelError, "a label must be"),
        ({}, 10**400, LabelError, "a label must be"),
    ],
)
def test_what_cannot_be_written_down_is_refused_and_not_hashed(
    x: Any, y: Any, kind: type[LittlestoneError], message: str
) -> None:
    digest = Digest()
    digest.add({"a": 1.0}, True)
    before = digest.hex()
    with pytest.raises(kind, match=message):
        digest.add(x, y)
    assert digest.hex() == before


def test_refused_classes_outcomes_and_advice() -> None:
    for label in (2**63, ("a", 1), None, "\ud800"):
        with pytest.raises(LabelError):
            Digest(outcome=Outcome.CLASS).add({}, label)
    for outcome in (float("nan"), None, [1]):
        with pytest.raises(LabelError):
            Digest("advice", Outcome.NUMBER).add([0.5], outcome)
    for x in ("abc", {"ann": "1"}, {"ann": [0.5, "x"]}, 3, {("a",): 0.5}):
        with pytest.raises(ExampleError):
            Digest("advice").add(x, True)


def test_a_run_refuses_before_anything_is_learned() -> None:
    learner = MulticlassPerceptron()
    with pytest.raises(LabelError, match="round 1: a class must be a text or a number"):
        run(learner, [([1.0], "a"), ([1.0], ("b", 1))], digest=True)
    assert learner.classes_ == ("a",)
    run(learner, [([1.0], "a"), ([1.0], ("b", 1))])


@pytest.mark.soak
def test_many_names_are_not_kept_for_ever() -> None:
    digest, again = Digest(), Digest()
    for t in range(70_000):
        digest.add({f"f{t}": 1.0}, True)
    for t in range(70_000):
        again.add({f"f{t}": 1.0}, True)
    assert digest.hex() == again.hex()
    assert len(digest._keys) < 70_000  # noqa: SLF001 - that is the test
