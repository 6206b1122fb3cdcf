"""JSON Lines are what Python's own reader reads, whichever way they are played."""

from __future__ import annotations

import gzip
import io
import json
import math
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import run
from littlestone.errors import LineError, ParameterError, StreamError
from littlestone.linear import Perceptron
from littlestone.streams import hashed, jsonl
from littlestone.verifying import Digest
from packing import zstd
from tries import tried

# Where the size of a buffer is set.
module = import_module("littlestone.streams._parser")

HOUSES = (
    '{"label": 1, "rooms": 3, "town": "Ulm", "sold": true, "old": false, "age": null}\n'
    "\n"
    '{"label": -1, "id": 7, "features": {"size": {"m": 2.5}, "words": ["a", "b"]}}\n'
)


def write(folder: Path, content: str | bytes, name: str = "houses.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def flattened(name: str, value: Any) -> list[tuple[str, float]]:
    """Return the features of a value with nothing but Python."""
    if value is None or value is False:
        return []
    if isinstance(value, str):
        return [(f"{name}={value}", 1.0)]
    if isinstance(value, (int, float)):
        return [(name, float(value))]
    if isinstance(value, list):
        return [
            pair
            for place, item in enumerate(value)
            for pair in flattened(
                name if isinstance(item, str) else f"{name}[{place}]", item
            )
        ]
    return [
        pair for key, item in value.items() for pair in flattened(f"{name}.{key}", item)
    ]


def twin(members: dict[str, Any], *, total: bool) -> dict[str, float] | None:
    """Return the features of a line; None if one stands twice."""
    features: dict[str, float] = {}
    for key, value in members.items():
        for name, number in flattened(key, value):
            if name in features and not total:
                return None
            features[name] = features[name] + number if name in features else number
    return features


# What is read ---------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_is_read_as_it_is_written(tmp_path: Path, end: str) -> None:
    path = write(tmp_path, HOUSES.replace("\n", end))
    first = {"rooms": 3.0, "town=Ulm": 1.0, "sold": 1.0}
    nested = {"size.m": 2.5, "words=a": 1.0, "words=b": 1.0}
    assert list(jsonl(path)) == [(first, True), (nested, False)]
    flat = {"id": 7.0} | {f"features.{name}": value for name, value in nested.items()}
    assert [x for x, _ in jsonl(path, features=None)] == [first, flat]
    some = jsonl(path, features=None, ignore=["id", "features.size", "town"])
    assert [list(x) for x, _ in some] == [
        ["rooms", "sold"],
        ["features.words=a", "features.words=b"],
    ]


def test_files_of_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = HOUSES.encode()
    expected = list(jsonl(write(tmp_path, data)))
    for content in (
        gzip.compress(data),
        zstd.compress(data),
        b"\xef\xbb\xbf" + data,
        data.rstrip(),
    ):
        assert list(jsonl(write(tmp_path, content))) == expected
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert list(jsonl("-")) == expected


NAMES = st.sampled_from(["a", "b", "a.b", "", "é", "x y", "\n", "🙂", "a[0]", "k=v"])
TEXTS = NAMES | st.text(max_size=5).filter(
    lambda text: not any("\ud800" <= c <= "\udfff" for c in text)
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4)
    ),
    max_leaves=8,
)


@tried(3)
@given(
    st.lists(st.dictionaries(TEXTS, VALUES, max_size=5), min_size=1, max_size=6),
    st.booleans(),
    st.booleans(),
    st.sampled_from([64, 1 << 20]),
)
def test_any_line_is_read_as_the_twin_reads_it(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[dict[str, Any]],
    total: bool,
    ascii_only: bool,
    buffer: int,
) -> None:
    text = "".join(
        json.dumps({"the label": True} | line, ensure_ascii=ascii_only) + "\n"
        for line in lines
    )
    path = write(tmp_path_factory.mktemp("jsonl"), text)
    read = [twin(line, total=total) for line in lines]
    expected = [
        [(name, value.hex()) for name, value in features.items()]
        for features in read
        if features is not None
    ]
    options: Any = {
        "label": "the label",
        "features": None,
        "duplicates": "sum" if total else "refuse",
        "on_error": "skip",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BUFFER", buffer)
        stream = jsonl(path, **options)
        if any(not math.isfinite(v) for x in read if x for v in x.values()):
            return  # a sum beyond what a float holds
        if not expected:
            with pytest.raises(StreamError):
                list(stream)
            return
        found = [[(f, v.hex()) for f, v in dict(x).items()] for x, _ in stream]
        assert found == expected
        assert stream.skipped == read.count(None)
        inside = jsonl(path, hash_bits=4, **options)
        outside = hashed(jsonl(path, **options), 4)
        assert list(inside) == list(outside)


def test_file_and_examples_give_the_same_record_bits_and_digest(tmp_path: Path) -> None:
    lines = [
        {
            "label": int(k % 3 == 0),
            "n": {"k": k % 7 / 4, "by": f"w{k % 5}"},
            "bag": [f"x{k % 3}", f"y{k % 4}"],
            "three": k % 3 == 0 and k % 11 != 0,
        }
        for k in range(300)
    ]
    path = write(tmp_path, "".join(json.dumps(line) + "\n" for line in lines))
    stream = jsonl(path)
    listed = list(stream)
    learners = [Perceptron(bias=1.0) for _ in range(2)]
    record = run(learners[0], stream, passes=2, digest=True)
    assert record == run(learners[1], listed, passes=2, digest=True)
    assert list(learners[0].weights_.items()) == list(learners[1].weights_.items())
    assert 5 < record.mistakes < 400
    plain = Digest()
    for x, y in listed * 2:
        plain.add(x, y)
    assert record.digest == str(plain)


def test_labels_of_every_kind(tmp_path: Path) -> None:
    path = write(tmp_path, '{"y":"1"}\n{"y":true}\n{"y":0}\n{"y":false}\n{"y":1.0}\n')
    assert [y for _, y in jsonl(path, label="y")] == [True, True, False, False, True]
    path = write(tmp_path, '{"y":"spam"}\n{"y":3}\n{"y":"3"}\n{"y":2.5}\n{"y":true}\n')
    assert [y for _, y in jsonl(path, label="y", outcome="class")] == [
        *("spam", 3, 3, 2.5, 1)
    ]
    assert [y for _, y in jsonl(path, label="y", positive="spam")] == [
        *(True, False, False, False, False)
    ]


def test_lines_without_a_label(tmp_path: Path) -> None:
    path = write(tmp_path, '{"label":1}\n{"a":1}\n{"label":null}\n')
    with pytest.raises(LineError, match=":2: a line must have a label, 'label'"):
        list(jsonl(path))
    stream = jsonl(path, unlabelled="skip")
    assert len(list(stream)) == 1
    assert (stream.left_out, stream.skipped) == (2, 0)


# What is refused ------------------------------------------------------------------

BAD_LINES = [
    (b"[1]", "a line must be a JSON object, got '[1]'"),
    (b'{"label":1,}', "a line must be JSON, got '}' at character 12"),
    (b'{"label":1', "a line must be JSON, got its end at character 11"),
    (b'{"label":1,"a":NaN}', "a line must be JSON, got 'NaN}' at character 16"),
    (b'{"label":1,"a":01}', "a line must be JSON, got '01}'"),
    (b'{"label":1,"a":"\\ud800"}', "a line must be JSON"),
    (b'{"label":1,"a":"\\udc00\\udc00"}', "got '\\\\udc00\\\\udc00\"}'"),
    (b'{"label":1,"a":1e999}', "a number must be finite, got '\"a\":1e999'"),
    (b'{"label":1,"a":1,"a":2}', "must appear once in a line"),
    (b'{"label":1,"label":0}', "must appear once in a line"),
    (b'{"label":[1]}', "the label must be 1, 0 or -1"),
    (b'{"label":1,"a":' + b"[" * 64 + b"]" * 64 + b"}", "at most 64 levels deep"),
    (b'{"label":1,"' + b"k" * 256 + b'":[1]}', "at most 255 bytes"),
    (b'{"label":1,"\xff":1}', "the file must be UTF-8"),
]


@pytest.mark.parametrize(("line", "what"), BAD_LINES)
def test_a_bad_line_is_named_and_the_rounds_before_it_are_played(
    tmp_path: Path, line: bytes, what: str
) -> None:
    path = write(
        tmp_path, b'{"label":-1,"a":1}\n\n{"label":1}\n' + line + b'\n{"label":1}\n'
    )
    learner = Perceptron()
    with pytest.raises(LineError) as caught:
        run(learner, jsonl(path))
    assert str(caught.value).startswith(f"{path}:4: ")
    assert what in str(caught.value)
    assert str(caught.value).endswith("; 2 rounds played")
    assert learner.weights_ == {"a": -1.0}
    stream = jsonl(path, on_error="skip")
    assert [x for x, _ in stream] == [{"a": 1.0}, {}, {}]
    assert stream.skipped == 1


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"label": 0}, "label must be a key, and not that of features, got 0"),
        ({"label": "features"}, "label must be a key, and not that of features"),
        ({"features": 1}, "features must be a key or None, got 1"),
        (
            {"unlabelled": "raise"},
            "unlabelled must be 'refuse', 'skip' or 'keep', got 'raise'",
        ),
        ({"duplicates": None}, "duplicates must be 'refuse' or 'sum', got None"),
        ({"ignore": [""]}, "ignore must be names, none of them empty"),
        ({"outcome": "all"}, "outcome must be 'label', 'class' or 'number', got 'all'"),
    ],
)
def test_illegal_parameters(options: Any, what: str) -> None:
    with pytest.raises(ParameterError) as caught:
        jsonl("houses.jsonl", **options)
    assert str(caught.value).startswith("jsonl: ")
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("members", "features"),
    [
        ('"a": 1, "a": 2', None),
        ('"a": 0, "a": 2', None),
        ('"a": 1, "\\u0061": 2', None),
        ('"a": "x", "a": "x"', None),
        ('"a": {"b": 1}, "a": {"b": 2}', None),
        ('"y": 0, "a": 1', None),
        ('"a": null, "a": 2', {"a": 2.0}),
        ('"a": false, "a": true', {"a": 1.0}),
        ('"a": "x", "a": "y"', {"a=x": 1.0, "a=y": 1.0}),
        ('"a": {"b": 1}, "a": {"c": 2}', {"a.b": 1.0, "a.c": 2.0}),
    ],
)
def test_a_key_twice_gives_the_features_of_both_if_they_differ(
    members: str, features: dict[str, float] | None, tmp_path: Path
) -> None:
    path = tmp_path / "twice.jsonl"
    path.write_text(f'{{"y": 1, {members}}}\n')
    if features is None:
        with pytest.raises(LineError, match="each feature and the label must appear"):
            list(jsonl(path, label="y"))
    else:
        assert list(jsonl(path, label="y")) == [(features, True)]
