"""Words of text files are what a plain twin reads, whichever way they are played."""

from __future__ import annotations

import gzip
import io
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import call
from data import data_file
from littlestone import run
from littlestone.errors import (
    FeatureError,
    LineError,
    MissingFileError,
    ParameterError,
    ReadingWarning,
    StreamError,
)
from littlestone.linear import Perceptron, Winnow
from littlestone.streams import hashed, text
from littlestone.verifying import twins
from packing import zstd
from tries import tried

# Where the size of a buffer is set.
module = import_module("littlestone.streams._parser")


MAIL = "label\tdate\ttext\nham\t1 May\tSee you, Ann!\n\nspam\t2 May\tFree, free! See?\n"


def write(folder: Path, content: str | bytes, name: str = "mail.tsv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def words(line: str, **options: Any) -> dict[str, float]:
    """Read one document with nothing but Python."""
    low, high = options.get("ngrams", (1, 1))
    features: dict[str, float] = {}
    for column in line.split("\t"):
        folded = column
        if options.get("lowercase", True):
            folded = re.sub("[A-Z]", lambda letter: letter[0].lower(), column)
        found = re.findall("[A-Za-z0-9\x80-\U0010ffff]+", folded)
        for first in range(len(found)):
            for n in range(low, min(high, len(found) - first) + 1):
                feature = " ".join(found[first : first + n])
                features[feature] = features.get(feature, 0) + 1
    return features if options.get("counts") else dict.fromkeys(features, 1.0)


def bits(weights: Any) -> dict[Any, str]:
    return {feature: weight.hex() for feature, weight in weights.items()}


# What is read ---------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_is_read_as_it_is_written(tmp_path: Path, end: str) -> None:
    path = write(tmp_path, MAIL.replace("\n", end))
    assert list(text(path, label="label", columns="text", positive="spam")) == [
        ({"see": 1.0, "you": 1.0, "ann": 1.0}, False),
        ({"free": 1.0, "see": 1.0}, True),
    ]
    both = ["date", "text"]
    first, second = text(
        path, label="label", columns=both, outcome="class", counts=True
    )
    assert first == ({"1": 1, "may": 1, "see": 1, "you": 1, "ann": 1}, "ham")
    assert second == ({"2": 1, "may": 1, "free": 2, "see": 1}, "spam")
    assert list(second[0]) == ["2", "may", "free", "see"]


def test_columns_by_number_need_no_header(tmp_path: Path) -> None:
    path = write(tmp_path, "a\t1\tb\tx\nc\t-1\td\n")
    assert list(text(path, label=1)) == [
        ({"a": 1.0, "b": 1.0, "x": 1.0}, True),
        ({"c": 1.0, "d": 1.0}, False),
    ]
    assert [x for x, _ in text(path, label=1, columns=[2, 0])] == [
        {"a": 1.0, "b": 1.0},
        {"c": 1.0, "d": 1.0},
    ]
    assert [x for x, _ in text(path, label=1, columns=2)] == [{"b": 1.0}, {"d": 1.0}]


def test_columns_may_mix_names_and_numbers(tmp_path: Path) -> None:
    path = write(tmp_path, MAIL)
    by_name = text(path, label="label", columns=("date", "text"), positive="spam")
    mixed = text(path, label="label", columns=("text", 1), positive="spam")
    assert list(by_name) == list(mixed)


def test_a_word_in_two_columns_is_one_feature(tmp_path: Path) -> None:
    path = write(tmp_path, "1\ta b\tb a\n")
    assert list(text(path, label=0, counts=True)) == [({"a": 2.0, "b": 2.0}, True)]
    ((x, _),) = text(path, label=0, ngrams=(2, 2))
    assert list(x) == ["a b", "b a"]


def test_files_of_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = MAIL.encode()
    options: Any = {"label": "label", "columns": "text", "outcome": "class"}
    expected = list(text(write(tmp_path, data), **options))
    for content in (
        gzip.compress(data),
        zstd.compress(data),
        b"\xef\xbb\xbf" + data,
        data.rstrip(),
    ):
        path = write(tmp_path, content)
        assert list(text(path, **options)) == expected
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    stream = text("-", **options)
    assert not stream.repeatable
    assert list(stream) == expected


def test_columns_must_be_chosen_among_several(tmp_path: Path) -> None:
    path = write(tmp_path, "id\trating\tlabel\ttext\n17\t4\tspam\tfree\n")
    with pytest.raises(LineError, match="'id', 'rating', 'text' beside the label; co"):
        next(iter(text(path, label="label", positive="spam")))
    words = ("run", path, "-F", "text", "--label", "label", "--positive", "spam", "-q")
    told = call(*words)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert told.stderr.endswith("; --columns names those to read; 0 rounds played\n")
    assert call(*words, "--columns", "text").returncode == 0
    with pytest.raises(LineError, match="must name the column 'lable' once"):
        next(iter(text(path, label="lable", positive="spam")))


DOCUMENTS = st.lists(
    st.text(
        st.sampled_from("aAbBzZ09 \t.,'_-\0éßЯ€🙂\x85\u2028")
        | st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"),
        max_size=30,
    ),
    min_size=1,
    max_size=8,
)


@tried(2)
@given(
    DOCUMENTS,
    st.fixed_dictionaries(
        {
            "ngrams": st.sampled_from([(1, 1), (1, 2), (2, 2), (2, 4), (3, 3)]),
            "lowercase": st.booleans(),
            "counts": st.booleans(),
        }
    ),
    st.sampled_from([16, 64, 1 << 20]),
)
def test_any_text_is_read_as_the_twin_reads_it(
    tmp_path_factory: pytest.TempPathFactory,
    documents: list[str],
    options: dict[str, Any],
    buffer: int,
) -> None:
    expected = [list(words(line, **options).items()) for line in documents]
    folder = tmp_path_factory.mktemp("text")
    path = write(folder, "".join(f"1\t{line}\n" for line in documents))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BUFFER", buffer)
        stream = text(path, label=0, **options)
        assert [list(dict(x).items()) for x, _ in stream] == expected


# That it is the same whichever way it is played -----------------------------------


def many_lines(rows: int) -> str:
    rng = np.random.default_rng(1)
    lines = []
    for _ in range(rows):
        found = [f"w{int(w)}" for w in rng.zipf(1.3, size=rng.integers(0, 20)) % 500]
        lines.append(f"{'spam' if 'w3' in found else 'ham'}\t{' '.join(found)}\n")
    return "".join(lines)


@pytest.mark.parametrize("hash_bits", [None, 6])
@pytest.mark.parametrize("buffer", [100, 1 << 12, 1 << 20])
def test_file_and_examples_give_the_same_record_and_bits(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    buffer: int,
    hash_bits: int | None,
) -> None:
    monkeypatch.setattr(module, "_BUFFER", buffer)
    path = write(tmp_path, many_lines(1_500))
    stream = text(
        path, label=0, positive="spam", ngrams=2, counts=True, hash_bits=hash_bits
    )
    learners = [Perceptron(bias=1.0, normalize=True) for _ in range(2)]
    record = run(learners[0], stream, passes=2)
    assert record == run(learners[1], list(stream), passes=2)
    assert bits(learners[0].weights_) == bits(learners[1].weights_)
    assert list(learners[0].weights_) == list(learners[1].weights_)
    assert record.rounds == 3_000
    assert record.mistakes > 10
    if hash_bits is not None:
        plain = text(path, label=0, positive="spam", ngrams=2, counts=True)
        outside = hashed(plain, hash_bits)
        assert list(outside) == list(stream)
        assert outside.collisions == stream.collisions > 0.5


def test_scoring_a_block_enters_no_name(tmp_path: Path) -> None:
    learner = Perceptron()
    learner.learn_one({"a": 1.0}, y=False)
    block = next(text(write(tmp_path, "1\tb a\n0\tc\n1\ta\n"), label=0).blocks())
    scores = learner.decision_function(block.rows)
    assert scores.tolist() == [-1.0, 0.0, -1.0]
    learner.learn_one({"d": 1.0}, y=False)
    assert dict(learner.weights_) == {"a": -1.0, "d": -1.0}
    assert learner.score_one({"b": 1.0}) == 0.0
    assert block.rows.nonzeros(0) == 2


def test_names_of_text_and_of_mappings_are_the_same_features(tmp_path: Path) -> None:
    learner = Perceptron()
    run(learner, text(write(tmp_path, "0\tété buy\n"), label=0))
    assert learner.score_one({"été": 1, "buy": 2}) == -3.0


@pytest.mark.parametrize(("ngrams", "hash_bits"), [((1, 1), None), ((1, 2), 16)])
def test_sms_are_learned_as_the_twin_learns_them(
    ngrams: tuple[int, int], hash_bits: int | None
) -> None:
    path = data_file("sms-spam/sms_spam.tsv.gz")
    options: Any = {"positive": "spam", "ngrams": ngrams, "hash_bits": hash_bits}
    stream = text(path, label="label", **options)
    learner, twin = Perceptron(), twins.Perceptron()
    record = run(learner, stream)
    wrong = []
    for t, line in enumerate(gzip.decompress(path.read_bytes()).decode().split("\n")):
        if t == 0 or not line:
            continue
        label, document = line.removesuffix("\r").split("\t")
        x: dict[Any, float] = {}
        for word, value in words(document, ngrams=ngrams).items():
            feature = stream.bucket(word) if hash_bits else word
            x[feature] = x.get(feature, 0.0) + value
        if twin.play(x, label == "spam") != (label == "spam"):
            wrong.append(t - 1)
    assert record.mistake_rounds is not None
    assert record.mistake_rounds.tolist() == wrong
    assert bits(learner.weights_) == bits({f: w for f, w in twin.weights.items() if w})
    always_ham = sum(y for _, y in stream)
    assert record.mistakes < 0.6 * always_ham


@pytest.mark.soak
def test_mail_is_learned() -> None:
    path = data_file("enron-spam/enron_spam.tsv.gz")
    columns = ("subject", "text")
    stream = text(path, label="label", columns=columns, positive="spam", hash_bits=18)
    assert run(Perceptron(), stream).rate < 0.05
    assert 0 < stream.collisions < 0.1


# What is refused ------------------------------------------------------------------

BAD_LINES = [
    (b"1", "a line must have 2 columns, as the header has"),
    (b"1\tb\tc", "a line must have 2 columns, as the header has"),
    (b"2\tb", "the label must be 1, 0 or -1"),
    (b"\tb", "the label must be 1, 0 or -1"),
    (b"1 \tb", "the label must be 1, 0 or -1"),
    (
        b"1\tb\xff",
        "must be UTF-8, as iconv -f latin1 -t utf-8 makes it, got '1\\tb\\\\xff'",
    ),
]


@pytest.mark.parametrize(("line", "what"), BAD_LINES)
def test_a_bad_line_is_named_and_the_rounds_before_it_are_played(
    tmp_path: Path, line: bytes, what: str
) -> None:
    path = write(tmp_path, b"y\tx\n-1\ta\n\n1\tb\n" + line + b"\n-1\tc\n")
    learner = Perceptron()
    with pytest.raises(LineError) as caught:
        run(learner, text(path, label="y"))
    assert str(caught.value).startswith(f"{path}:5: ")
    assert what in str(caught.value)
    assert str(caught.value).endswith("; 2 rounds played")
    assert (caught.value.path, caught.value.line) == (str(path), 5)
    assert learner.weights_ == {"a": -1.0}
    stream = text(path, label="y", on_error="skip")
    assert [x for x, _ in stream] == [{"a": 1.0}, {"b": 1.0}, {"c": 1.0}]
    assert stream.skipped == 1


def test_a_table_without_labels_is_not_read_as_text_silently(tmp_path: Path) -> None:
    path = tmp_path / "new.csv"
    path.write_text("0.1,0.2,0.3,0.4\n" * 3)
    stream = text(path, label="kind", columns="text", unlabelled="keep")
    with pytest.warns(ReadingWarning, match="looks like a table of cells split by co"):
        assert len(list(stream)) == 3
    path.write_text("Well, that is, you know, fine, then\n" * 3)
    assert len(list(stream)) == 3


def test_a_label_is_blamed_alone_and_not_the_whole_text(tmp_path: Path) -> None:
    path = tmp_path / "mail.tsv"
    path.write_text("text\tlabel\tkind\nhé, hello\t1\tspam\n")
    with pytest.raises(LineError) as caught:
        list(text(path, label="kind", columns="text"))
    assert "got 'spam' at character 13; positive=" in str(caught.value)
    assert "hello" not in str(caught.value)


def test_too_few_columns_without_a_header(tmp_path: Path) -> None:
    path = write(tmp_path, "1\ta\tb\n1\ta\n")
    with pytest.raises(LineError, match="tsv:2: a line must have at least 3 columns"):
        list(text(path, label=0, columns=2))
    with pytest.raises(LineError, match="tsv:1: a line must have at least 2 columns"):
        list(text(write(tmp_path, "1\n"), label=0))


def test_an_empty_label_is_none_whatever_labels_are(tmp_path: Path) -> None:
    path = write(tmp_path, "\ta\n")
    for options in ({"outcome": "class"}, {"positive": "spam"}):
        with pytest.raises(LineError, match="tsv:1: a line must have a label"):
            list(text(path, label=0, **options))  # type: ignore[arg-type]  # one option at a time


def test_bytes_that_are_not_read_need_not_be_utf8(tmp_path: Path) -> None:
    path = write(tmp_path, b"1\ta\t\xff\n")
    assert list(text(path, label=0, columns=1)) == [({"a": 1.0}, True)]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "the first line must be a header, got nothing"),
        ("\n1\ta\n", "the first line must be a header, got nothing"),
        ("1\ta\n", "the header must name the column 'y' once, got '1', 'a'"),
        ("y\ty\n", "the header must name the column 'y' once, got 'y', 'y'"),
        ("y\ta\n", "the header must name the column 'x' once, got 'y', 'a'"),
        ("y\n", "the header must name two or more columns, got 'y'"),
    ],
)
def test_a_bad_header(tmp_path: Path, content: str, what: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(LineError) as caught:
        run(Perceptron(), text(path, label="y", columns="x", on_error="skip"))
    assert str(caught.value) == f"{path}:1: {what}; 0 rounds played"


def test_a_header_without_the_column_of_a_number(tmp_path: Path) -> None:
    path = write(tmp_path, "y\tx\n")
    with pytest.raises(LineError, match=":1: the header must have a column 2, got"):
        list(text(path, label="y", columns=2))


def test_a_header_too_long(tmp_path: Path) -> None:
    path = write(tmp_path, "y\t" + "x" * 9_000_000 + "\n1\ta\n")
    with pytest.raises(LineError, match=":1: a line must be shorter than"):
        list(text(path, label="y"))


def test_a_line_too_long_is_skipped_with_its_number(tmp_path: Path) -> None:
    path = write(tmp_path, "y\tx\n1\ta\n1\t" + "x " * 5_000_000 + "\n1\tb\n2\tb\n")
    with pytest.raises(LineError, match=":3: a line must be shorter than .*; 1 round"):
        run(Perceptron(), text(path, label="y"))
    stream = text(path, label="y", on_error="skip")
    assert [x for x, _ in stream] == [{"a": 1.0}, {"b": 1.0}]
    assert stream.skipped == 2


def test_files_without_documents(tmp_path: Path) -> None:
    for content, label in (("", 0), ("\n\r\n", 0), ("y\tx\n", "y"), ("y\tx", "y")):
        path = write(tmp_path, content)
        with pytest.raises(StreamError, match="at least one example, got none"):
            run(Perceptron(), text(path, label=label))
    with pytest.raises(MissingFileError):
        list(text(tmp_path / "none", label=0))


@pytest.mark.parametrize("buffer", [16, 1 << 20])
def test_zero_and_minus_one_are_never_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buffer: int
) -> None:
    monkeypatch.setattr(module, "_BUFFER", buffer)
    path = write(tmp_path, "y\tx\n0\ta\n1\tb\n0\ta\n-1\tc\n1\ta\n")
    learner = Perceptron()
    with pytest.raises(LineError, match="tsv:5: .*never mixed.*; 3 rounds played"):
        run(learner, text(path, label="y"))
    assert dict(learner.weights_) == {"a": -1.0}


def test_a_refused_document_is_named_by_file_line_and_word(tmp_path: Path) -> None:
    path = write(tmp_path, "y\tx\n1\ta b\n\n1\ta b b\n")
    with pytest.raises(FeatureError) as caught:
        run(Winnow(threshold=2), text(path, label="y", counts=True))
    assert str(caught.value) == (
        f"{path}:4: Winnow: feature 'b' must lie in [0, 1], got 2.0; 1 round played"
    )


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"label": -1}, "label must be column numbers from 0, or names"),
        ({"label": True}, "label must be column numbers from 0, or names"),
        ({"label": 1.0}, "label must be column numbers from 0, or names"),
        ({"label": 0, "columns": "x"}, "columns must be column numbers from 0, or"),
        ({"label": 0, "columns": ()}, "columns must be one or more columns without"),
        (
            {"label": 0, "columns": (1, 1)},
            "columns must be one or more columns without",
        ),
        ({"label": "y", "columns": ("x", "y")}, "without the label, got ('x', 'y')"),
        ({"label": 0, "ngrams": 0}, "ngrams must be a number from 1 to 8"),
        ({"label": 0, "ngrams": 9}, "ngrams must be a number from 1 to 8"),
        ({"label": 0, "ngrams": (2, 1)}, "ngrams must be a number from 1 to 8"),
        ({"label": 0, "ngrams": 1.0}, "ngrams must be a number from 1 to 8"),
        (
            {"label": 0, "outcome": "all"},
            "outcome must be 'label', 'class' or 'number', got 'all'",
        ),
        (
            {"label": 0, "outcome": "class", "positive": 1},
            "positive must be left out with outcome='class', got 1",
        ),
        ({"label": 0, "hash_bits": 0}, "hash_bits must be a whole number from 1 to"),
        ({"label": 0, "on_error": "go"}, "on_error must be 'raise' or 'skip'"),
    ],
)
def test_illegal_parameters(options: Any, what: str) -> None:
    with pytest.raises(ParameterError) as caught:
        text("mail.tsv", **options)
    assert str(caught.value).startswith("text: ")
    assert what in str(caught.value)


def test_a_line_of_many_words_takes_linear_time(tmp_path: Path) -> None:
    # So many words, each looked for in a list, would take minutes.
    path = write(tmp_path, "1\t" + " ".join(f"{j:x}" for j in range(250_000)) + "\n")
    ((x, _),) = text(path, label=0)
    assert len(x) == 250_000
