"""Vowpal Wabbit text is what a plain twin reads, whichever way it is played."""

from __future__ import annotations

import gzip
import io
import math
import random
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import run
from littlestone.errors import (
    FeatureError,
    LabelError,
    LineError,
    ParameterError,
    StreamError,
)
from littlestone.linear import MulticlassPerceptron, Perceptron, Winnow
from littlestone.running import Batch
from littlestone.streams import hashed, vw
from littlestone.verifying import Digest
from packing import zstd
from tries import tried

# Where the size of a buffer is set.
module = import_module("littlestone.streams._parser")

HOUSES = "1 'a |size:2 rooms:3 old |town name:Ulm\n\n-1 | new  rooms:.5\n"


def write(folder: Path, content: str | bytes, name: str = "houses.vw") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def twin(line: str, *, total: bool = False) -> tuple[str, dict[str, float]] | None:
    """Read a line with nothing but Python; None if it cannot be read."""
    head, _, rest = line.partition("|")
    features: dict[str, float] = {}
    for section in rest.split("|"):
        named = re.match(r"[^ \t]+", section)
        space, colon, written = (named[0] if named else "").partition(":")
        if colon and not (space and NUMBER.fullmatch(written)):
            return None
        scale = float(written) if colon else 1.0
        for token in section[named.end() if named else 0 :].split():
            pair = twin_feature(token, scale)
            if pair is None:
                return None
            name, value = pair
            feature = f"{space}^{name}" if space else name
            if value and feature in features and not total:
                return None
            if value:
                features[feature] = features.get(feature, 0.0) + value
    return head.strip(), features


def twin_feature(token: str, scale: float) -> tuple[str, float] | None:
    name, colon, written = token.partition(":")
    number = bool(NUMBER.fullmatch(written)) if colon else False
    if not colon or number:
        value = (float(written) if number else 1.0) * scale
        return (name, value) if name and math.isfinite(value) else None
    like_a_number = not written or written[0] in "+-.0123456789" or ":" in written
    if not name or like_a_number or written.lower() in ("nan", "inf", "infinity"):
        return None
    return f"{name}={written}", 1.0


# What is read ---------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_is_read_as_it_is_written(tmp_path: Path, end: str) -> None:
    path = write(tmp_path, HOUSES.replace("\n", end))
    assert list(vw(path)) == [
        ({"size^rooms": 6.0, "size^old": 2.0, "town^name=Ulm": 1.0}, True),
        ({"new": 1.0, "rooms": 0.5}, False),
    ]
    assert [tag for tag, _, _ in vw(path).tagged()] == ["a", ""]
    assert [x for x, _ in vw(path, ignore=[" ", "size"])] == [
        {"town^name=Ulm": 1.0},
        {},
    ]
    assert [x for x, _ in vw(path, keep="t")] == [{"town^name=Ulm": 1.0}, {}]


def test_files_of_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = HOUSES.encode()
    expected = list(vw(write(tmp_path, data)))
    for content in (
        gzip.compress(data),
        zstd.compress(data),
        b"\xef\xbb\xbf" + data,
        data.rstrip(),
    ):
        assert list(vw(write(tmp_path, content))) == expected
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    stream = vw("-")
    assert not stream.repeatable
    assert list(stream) == expected


TOKENS = st.sampled_from(
    [
        *("a", "b", "ab", "abcdefgh", "abcdefghi", "é", "a^b", "b=c", "7", "-1"),
        *("a:2", "b:.5", "ab:-1e2", "é:1e-300", "c:0", "a:x", "b:c", "c:é=1"),
    ]
)
BAD_TOKENS = st.sampled_from(
    ["a:", ":1", "a:1:2", "a:1x", "a:nan", "b:-inf", "a:1e999"]
)
SECTIONS = st.tuples(
    st.sampled_from(["", "", "n", "m:2", "ab:.5", "é:-3", "a:1e300", "k:0"]),
    st.lists(st.one_of(TOKENS, TOKENS, TOKENS, BAD_TOKENS), max_size=6),
).map(lambda pair: " ".join([pair[0], *pair[1]]))
LINES = st.lists(SECTIONS, min_size=1, max_size=3).map("|".join)


@tried(3)
@given(
    st.lists(LINES, min_size=1, max_size=8),
    st.booleans(),
    st.sampled_from([None, 3, 12]),
    st.sampled_from([64, 1 << 20]),
)
def test_any_line_is_read_as_the_twin_reads_it(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[str],
    total: bool,
    bits: int | None,
    buffer: int,
) -> None:
    path = write(
        tmp_path_factory.mktemp("vw"), "".join(f"1 |{line}\n" for line in lines)
    )
    read = [twin(f"1 |{line}", total=total) for line in lines]
    expected = [list(pair[1].items()) for pair in read if pair]
    options: Any = {"duplicates": "sum" if total else "refuse", "on_error": "skip"}
    stream = vw(path, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BUFFER", buffer)
        if not expected:
            with pytest.raises(StreamError):
                list(stream)
            return
        assert [list(dict(x).items()) for x, _ in stream] == expected
        assert stream.skipped == read.count(None)
        if bits is not None:
            inside = vw(path, hash_bits=bits, **options)
            outside = hashed(vw(path, **options), bits)
            assert list(inside) == list(outside)
            assert inside.collisions == outside.collisions
            assert inside.buckets == outside.buckets


def test_vowpal_wabbit_reads_as_many_features() -> None:
    peer = pytest.importorskip("vowpalwabbit", reason="Vowpal Wabbit is not at hand")
    rng = np.random.default_rng(3)
    tokens = ["a", "b", "c:2", "d:-.5", "e:0", "f:red", "g:1e-3", "é", "x^y", "12"]
    workspace = peer.Workspace("--quiet --noconstant")
    for _ in range(200):
        line = "1"
        for space in rng.choice(["", "n", "mn:2", "k:0.5"], 2, replace=False):
            chosen = rng.choice(tokens, rng.integers(0, 8), replace=False)
            line += f" |{space} {' '.join(chosen)}"
        read = twin(line)
        assert read is not None
        theirs = workspace.parse(line)
        assert theirs.get_feature_number() == len(read[1]), line
        values = sorted(value for _, value in theirs.iter_features())
        assert values == pytest.approx(sorted(read[1].values()), rel=1e-6), line
        workspace.finish_example(theirs)
    workspace.finish()


# That it is the same whichever way it is played -----------------------------------


def many_lines(rows: int) -> str:
    rng = np.random.default_rng(1)
    lines = []
    for _ in range(rows):
        found = sorted({int(w) for w in rng.zipf(1.3, size=rng.integers(0, 20)) % 500})
        words = " ".join(f"w{w}:{rng.uniform(0.1, 2):.4f}" for w in found)
        more = " ".join(f"{w}" for w in found[:5])
        lines.append(f"{1 if 3 in found else -1} | {words} |name space:{len(found)}x\n")
        lines[-1] = lines[-1].replace(f":{len(found)}x", f":x{len(found)} {more}")
    return "".join(lines)


@pytest.mark.parametrize("hash_bits", [None, 6, 18])
@pytest.mark.parametrize("buffer", [300, 1 << 20])
def test_file_and_examples_give_the_same_record_bits_and_digest(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    buffer: int,
    hash_bits: int | None,
) -> None:
    monkeypatch.setattr(module, "_BUFFER", buffer)
    path = write(tmp_path, many_lines(800))
    stream = vw(path, hash_bits=hash_bits)
    learners = [Perceptron(bias=1.0, normalize=True) for _ in range(2)]
    record = run(learners[0], stream, passes=2, digest=True)
    listed = list(stream)
    assert record == run(learners[1], listed, passes=2, digest=True)
    weights = [
        [(feature, weight.hex()) for feature, weight in learner.weights_.items()]
        for learner in learners
    ]
    assert weights[0] == weights[1]
    assert record.rounds == 1_600
    assert record.mistakes > 10
    plain = Digest()
    for x, y in listed * 2:
        plain.add(x, y)
    assert record.digest == str(plain)
    if hash_bits is not None:
        outside = hashed(vw(path), hash_bits)
        assert list(outside) == listed
        assert (outside.collisions, outside.buckets) == (
            stream.collisions,
            stream.buckets,
        )


def test_names_are_one_feature_in_every_buffer_and_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BUFFER", 200)
    rng = np.random.default_rng(1)
    paths = []
    for number in range(9):  # more tables of names than a learner remembers
        lines = [
            f"{1 if rng.random() < 0.5 else -1} | "
            + " ".join(f"word{k}:{rng.random():.4f}" for k in rng.permutation(40)[:5])
            for _ in range(50)
        ]
        paths.append(write(tmp_path, "\n".join(lines) + "\n", f"{number}.vw"))
    blocks, examples = Perceptron(), Perceptron()
    record = run(blocks, vw(paths), passes=2)
    plain = [pair for path in paths for pair in vw(path)]
    assert record == run(examples, plain, passes=2)
    assert list(blocks.weights_.items()) == list(examples.weights_.items())
    assert blocks.decision_function([x for x, _ in vw(paths[0])]).tolist() == [
        examples.score_one(x) for x, _ in vw(paths[0])
    ]


def test_classes_are_whatever_is_written(tmp_path: Path) -> None:
    path = write(tmp_path, "3 | a\n1 | b\nx | a\n")
    stream = vw(path, outcome="class")
    assert [y for _, y in stream] == [3, 1, "x"]
    learner = MulticlassPerceptron()
    assert run(learner, stream).rounds == 3
    assert [y for _, y in vw(path, positive="x")] == [False, False, True]


# Weights and lines that are no examples -------------------------------------------

WEIGHTED = "1 3 'x| a\n-1 0 | b\n-1 2.0 | c\n1 1 | d\n"


def test_a_weight_is_refused_ignored_or_played_so_often(tmp_path: Path) -> None:
    path = write(tmp_path, WEIGHTED)
    with pytest.raises(LineError) as caught:
        run(Perceptron(), vw(path))
    assert str(caught.value) == (
        f"{path}:1: an importance weight must be 0 or 1, got '3' at character 3; "
        "weights='repeat' plays a line as often as it says, weights='ignore' plays it "
        "once, weights='multiply' is for learners of a loss; 0 rounds played"
    )
    assert (caught.value.column, caught.value.value) == (3, "3")
    once = vw(path, weights="ignore")
    assert [x for x, _ in once] == [{"a": 1.0}, {"c": 1.0}, {"d": 1.0}]
    assert (once.left_out, once.skipped) == (1, 0)
    often = vw(path, weights="repeat")
    expected = [{"a": 1.0}] * 3 + [{"c": 1.0}] * 2 + [{"d": 1.0}]
    assert [x for x, _ in often] == expected
    assert [tag for tag, _, _ in often.tagged()] == ["x"] * 3 + [""] * 3
    record = run(Perceptron(), often)
    assert (record.rounds, often.left_out) == (6, 1)
    with pytest.raises(LineError, match="must be a whole number from 0 to"):
        list(vw(write(tmp_path, "1 1.5 | a\n"), weights="repeat"))
    with pytest.raises(LineError, match="must be a finite number, 0 or more"):
        list(vw(write(tmp_path, "1 -1 | a\n"), weights="ignore"))


@pytest.mark.parametrize("options", [{}, {"hash_bits": 4}])
def test_more_repeats_than_a_block_has_room_for(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    words = " ".join(f"w{k}" for k in range(1_000))
    path = write(tmp_path, f"1 | a\n-1 1500 'long| {words}\n1 | b\n")
    stream = vw(path, weights="repeat", **options)
    rounds = 0
    blocks = 0
    for block in stream.blocks():
        blocks += 1
        rounds += block.last - block.first
        assert int(block.labels[block.first]) == int(
            block.where(block.first)[-1] != "2"
        )
    assert rounds == 1_502
    assert blocks > 100
    if options:
        outside = hashed(vw(path, weights="repeat"), 4)
        assert sum(b.last - b.first for b in outside.blocks()) == rounds
        assert outside.collisions == stream.collisions


def test_lines_without_a_label(tmp_path: Path) -> None:
    path = write(tmp_path, "1 | a\n| b\n'tag| c\n1| d\n-1 | e\n")
    with pytest.raises(LineError, match=":2: a line must have a label, with a space"):
        list(vw(path))
    stream = vw(path, unlabelled="skip")
    assert [x for x, _ in stream] == [{"a": 1.0}, {"e": 1.0}]
    assert (stream.left_out, stream.skipped) == (3, 0)
    with pytest.raises(StreamError, match=r"got none \(1 lines left out\)"):
        list(vw(write(tmp_path, "| a\n"), unlabelled="skip"))


@pytest.mark.parametrize("options", [{}, {"hash_bits": 8}, {"duplicates": "sum"}])
def test_lines_without_a_label_are_predicted_and_never_wrong(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    path = write(tmp_path, "0 | a\n| a\n'tag| c\n1| d\n0 | c\n")
    stream = vw(path, unlabelled="keep", **options)
    assert [y for _, y in stream] == [False, None, None, None, False]
    learner = Perceptron()
    learner.learn_one(next(iter(stream))[0], False)
    said: list[bool] = []
    truths: list[bool | None] = []

    def observe(batch: Batch) -> None:
        said.extend(batch.predictions.tolist())
        truths.extend(batch.labels.tolist())

    for some in (learner, _OneByOne(learner)):
        said.clear()
        truths.clear()
        record = run(some, stream, learn=False, observe=observe)
        assert said == [False, False, True, True, True]
        assert truths == [False, None, None, None, False]
        assert (record.rounds, record.unlabelled, record.mistakes) == (5, 3, 1)
        assert record.rate == 0.5
        assert "5 rounds, 3 without a label, 1 mistake (50.00%)" in repr(record)
        assert record.to_dict()["unlabelled"] == 3


def test_classes_that_are_missing_are_predicted(tmp_path: Path) -> None:
    stream = vw(
        write(tmp_path, "2 | a\n| a\n3 | b\n"), outcome="class", unlabelled="keep"
    )
    assert [y for _, y in stream] == [2, None, 3]
    learner = MulticlassPerceptron(classes=[2, 3])
    record = run(learner, stream, learn=False)
    assert (record.rounds, record.mistakes) == (3, 1)


@pytest.mark.parametrize("learner", [Perceptron(), MulticlassPerceptron()])
def test_nobody_learns_from_lines_without_a_label(
    tmp_path: Path, learner: Perceptron | MulticlassPerceptron
) -> None:
    path = write(tmp_path, "0 | a\n| b\n")
    with pytest.raises(LabelError, match=":2: a label must not be missing, got None"):
        run(learner, vw(path, outcome=learner.outcome, unlabelled="keep"))
    assert learner.newborn_


class _OneByOne:
    """A learner that plays no blocks."""

    def __init__(self, learner: Perceptron) -> None:
        self.predict_one, self.learn_one = learner.predict_one, learner.learn_one


# What is refused ------------------------------------------------------------------

BAD_LINES = [
    (b"1 b", "a line must have a | before its features, got '1 b'"),
    (b"2 | b", "the label must be 1, 0 or -1"),
    (b"1 1 0 4 | b", "got '4' at character 7"),
    (b"1 1 .5 | b", "an initial prediction must be 0 or left out, got '.5'"),
    (b"1 x | b", "an importance weight must be 0 or 1"),
    (b"1 |n:x b", "a namespace's scale must be a finite number, got 'n:x'"),
    (b"1 | b :2", "a feature must have a name, got ':2' at character 7"),
    (b"1 | b c:", "a feature's value must be a number, or text"),
    (b"1 | b c:2020-01-01", "got 'c:2020-01-01' at character 7"),
    (b"1 | b c:nan", "a feature's value must be a finite number, got 'c:nan'"),
    (b"1 |n:1e300 b:1e300", "a feature's value must be a finite number"),
    (b"1 |n b c |m b |n b:2", "each feature must appear once in a line"),
    ("1 |é b b".encode(), "got 'b' at character 8"),
    (b"1 |" + b"n" * 256 + b" b", "at most 255 bytes"),
    (
        b"1 | b\xff",
        "must be UTF-8, as iconv -f latin1 -t utf-8 makes it, got '1 | b\\\\xff'",
    ),
]


@pytest.mark.parametrize("hash_bits", [None, 10])
@pytest.mark.parametrize(("line", "what"), BAD_LINES)
def test_a_bad_line_is_named_and_the_rounds_before_it_are_played(
    tmp_path: Path, line: bytes, what: str, hash_bits: int | None
) -> None:
    path = write(tmp_path, b"-1 | a\n\n1 | b\n" + line + b"\n-1 | c\n")
    with pytest.raises(LineError) as caught:
        run(Perceptron(), vw(path, hash_bits=hash_bits, duplicates="refuse"))
    assert str(caught.value).startswith(f"{path}:4: ")
    assert what in str(caught.value)
    assert str(caught.value).endswith("; 2 rounds played")
    stream = vw(path, on_error="skip", duplicates="refuse")
    assert [x for x, _ in stream] == [{"a": 1.0}, {"b": 1.0}, {"c": 1.0}]
    assert stream.skipped == 1


def test_zero_and_minus_one_are_never_mixed(tmp_path: Path) -> None:
    path = write(tmp_path, "0 | a\n1 | b\n-1 | c\n")
    for bits in (None, 4):
        with pytest.raises(LineError, match="vw:3: .*never mixed.*; 2 rounds played"):
            run(Perceptron(), vw(path, hash_bits=bits))


def test_a_refused_example_is_named_by_file_line_and_feature(tmp_path: Path) -> None:
    path = write(tmp_path, "1 | a\n1 |n b:3\n")
    with pytest.raises(FeatureError, match="vw:2: Winnow: feature 'n\\^b' must lie in"):
        run(Winnow(threshold=2), vw(path))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (
            {"weights": "half"},
            "weights must be 'refuse', 'ignore', 'repeat' or 'multiply', got",
        ),
        ({"unlabelled": "raise"}, "unlabelled must be 'refuse', 'skip' or 'keep', got"),
        ({"duplicates": 1}, "duplicates must be 'refuse' or 'sum', got 1"),
        ({"ignore": "a", "keep": "b"}, "keep must be left out with ignore, got 'b'"),
        ({"ignore": ["a", ""]}, "ignore must be names, none of them empty"),
        ({"keep": [1]}, "keep must be names, none of them empty, got [1]"),
        ({"outcome": "all"}, "outcome must be 'label', 'class' or 'number', got 'all'"),
        ({"hash_bits": 25}, "hash_bits must be a whole number from 1 to 24, got 25"),
        ({"on_error": "go"}, "on_error must be 'raise' or 'skip', got 'go'"),
    ],
)
def test_illegal_parameters(options: Any, what: str) -> None:
    with pytest.raises(ParameterError) as caught:
        vw("houses.vw", **options)
    assert str(caught.value).startswith("vw: ")
    assert what in str(caught.value)


@pytest.mark.parametrize("bits", [1, 3, 12])
@pytest.mark.parametrize("weights", ["refuse", "repeat"])
def test_duplicates_are_summed_before_they_are_hashed(
    tmp_path: Path, bits: int, weights: Any
) -> None:
    draw = random.Random(bits)  # noqa: S311 - lines to read
    lines = []
    for _ in range(300):
        # Values whose sums depend on the order, and some that add up to 0.
        entries = (
            f"{draw.choice('abcdefgh')}:{draw.choice([0.1, 0.2, 0.3, -0.1, 1e16, 0])}"
            for _ in range(draw.randrange(9))
        )
        weight = " 3" if weights == "repeat" and draw.random() < 0.2 else ""
        lines.append(f"{draw.choice([1, -1])}{weight} |n {' '.join(entries)}")
    path = tmp_path / "twice.vw"
    path.write_text("\n".join(lines) + "\n")
    inside = vw(path, hash_bits=bits, weights=weights)
    outside = hashed(vw(path, weights=weights), bits=bits)
    assert list(inside) == list(outside)
    assert inside.collisions == outside.collisions
