"""How a stream was read: remembered, and used for other files."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from littlestone import models, run, streams
from littlestone.errors import ExampleError, ModelError, ParameterError
from littlestone.linear import Perceptron
from littlestone.streams import Reading


def _read(stream: Any) -> Reading:
    assert len(list(stream)) > 0
    reading = stream.reading
    assert isinstance(reading, Reading)
    return reading


def _mail(folder: Path, **options: Any) -> Any:
    path = folder / "mail.tsv"
    path.write_text("kind\tsubject\nham\tSee you\nspam\tFree money\n")
    return streams.text(path, label="kind", positive="spam", **options)


def _flats(folder: Path, **options: Any) -> Any:
    path = folder / "flats.csv"
    path.write_text("rooms,zip,city,let\n2,9000,Ghent,1\n3,8000,Bruges,0\n")
    return streams.csv(path, label="let", types={"zip": "category"}, **options)


def test_a_table_remembers_its_columns_and_what_they_contain(tmp_path: Path) -> None:
    assert _read(_flats(tmp_path)).options == {
        "label": "let",
        "columns": ["rooms", "zip", "city"],
        "types": {"rooms": "number", "zip": "category", "city": "category"},
    }


def test_no_has_a_name_if_it_has_one(tmp_path: Path) -> None:
    assert _read(_mail(tmp_path)).no == "ham"
    assert _read(_flats(tmp_path)).no is None  # yes has none either
    table = pa.table({"a": [1, 2, 3], "y": ["good", "bad", "bad"]})
    assert _read(streams.arrow(table, label="y", positive="good")).no == "bad"
    three = pa.table({"a": [1, 2, 3], "y": ["good", "bad", "awful"]})
    assert _read(streams.arrow(three, label="y", positive="good")).no is None
    for name, lines in (("a.svm", "x 3:1\nz 3:1\n"), ("b.svm", "x 3:1\nw 4:1\n")):
        (tmp_path / name).write_text(lines)
    both = streams.svmlight(tmp_path / "*.svm", positive="x")
    assert _read(both).no is None
    assert _read(streams.svmlight(tmp_path / "a.svm", positive="x")).no == "z"


def test_another_file_is_read_with_the_same_types(tmp_path: Path) -> None:
    reading = _read(_flats(tmp_path))
    path = tmp_path / "new.csv"
    # By itself, this file has categories in rooms and numbers in city, and an id.
    path.write_text("id,city,zip,rooms\n7,11,9000,2\n")
    new = reading.open(path, unlabelled="keep")
    assert list(new) == [({"city=11": 1.0, "zip=9000": 1.0, "rooms": 2.0}, None)]
    path.write_text("id,city,zip,room\n7,11,9000,2\n")
    with pytest.raises(ValueError, match="must have a column 'rooms', got"):
        list(reading.open(path, unlabelled="keep"))


def test_a_table_can_be_in_another_format(tmp_path: Path) -> None:
    reading = _read(_flats(tmp_path))
    table = pa.table({"city": ["Ghent"], "zip": [9000], "rooms": [2], "let": [1]})
    parquet.write_table(table, tmp_path / "new.parquet")
    assert list(reading.open(tmp_path / "new.parquet")) == [
        ({"rooms": 2.0, "zip=9000": 1.0, "city=Ghent": 1.0}, True)
    ]


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    reading = _read(_flats(tmp_path))
    with pytest.raises(ParameterError, match=r"new\.svm must be csv, .* got svmlight"):
        reading.open("new.svm")
    thresholds = _read(_flats(tmp_path, thresholds={"rooms": 3}))
    with pytest.raises(ParameterError, match="parquet has no option thresholds"):
        thresholds.open("new.parquet")


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"ngrams": 3}, "ngrams must be 2, .* got 3"),
        ({"lowercase": False}, "lowercase must be True, .* got False"),
        ({"positive": "ham"}, "positive must be 'spam', .* got 'ham'"),
        ({"label": "subject"}, "label must be 'kind', .* got 'subject'"),
        ({"columns": "body"}, r"columns must be \['subject'\], .* got 'body'"),
        ({"hash_bits": 12}, "hash_bits must be None, .* got 12"),
    ],
)
def test_options_that_disagree_are_refused_with_both_values(
    options: dict[str, Any], what: str, tmp_path: Path
) -> None:
    reading = _read(_mail(tmp_path, ngrams=2))
    with pytest.raises(ParameterError, match=what):
        reading.open(tmp_path / "mail.tsv", **options)


def test_options_that_agree_are_accepted(tmp_path: Path) -> None:
    reading = _read(_flats(tmp_path, thresholds={"rooms": [3]}))
    again = reading.open(
        tmp_path / "flats.csv",
        columns=["zip", "rooms", "city"],
        types={"zip": "category"},
        thresholds={"rooms": Decimal(3)},
        on_error="skip",
    )
    assert len(list(again)) == 2


@pytest.mark.parametrize("label", ["label", "text"])
def test_a_raw_text_has_features_before_the_file_is_read(
    tmp_path: Path, label: str
) -> None:
    path = tmp_path / "mail.tsv"
    path.write_text(f"{label}\twords\nspam\tfree money\n")
    stream = streams.text(path, label=label, positive="spam")
    assert stream.features("Free lunch") == {"free": 1.0, "lunch": 1.0}
    list(stream)
    assert stream.features("Free lunch") == {"free": 1.0, "lunch": 1.0}


def test_one_example_has_the_features_that_a_line_has(tmp_path: Path) -> None:
    reading = _read(_mail(tmp_path, ngrams=2))
    text = "Free\tFREE\nmoney"
    assert reading.features(text) == {
        "free": 1.0,
        "free free": 1.0,
        "free money": 1.0,
        "money": 1.0,
    }
    assert reading.features("") == {}
    flats = _read(_flats(tmp_path))
    given = {"rooms": 2, "zip": 9000, "city": 'a "b", c', "id": 7}
    assert flats.features(given) == {
        "rooms": 2.0,
        "zip=9000": 1.0,
        'city=a "b", c': 1.0,
    }
    assert flats.features({"rooms": 2}) == {"rooms": 2.0}
    table = pa.table({"a": [1.5], "c": ["x"], "y": [True]})
    arrow = _read(streams.arrow(table, label="y"))
    assert arrow.features({"a": 2.5, "c": "z"}) == {"a": 2.5, "c=z": 1.0}


def test_one_example_of_the_line_formats(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("1 3:1\n")
    assert _read(streams.svmlight(path)).features("3:2 4:1") == {3: 2.0, 4: 1.0}
    path.write_text("1 | a\n")
    assert _read(streams.vw(path)).features("|n a:2") == {"n^a": 2.0}
    path.write_text('{"label": 1, "a": 1}\n')
    reading = _read(streams.jsonl(path))
    assert reading.features('{"a": 2}') == reading.features({"a": 2}) == {"a": 2.0}
    path.write_text("x\t1\thello\n")
    reading = _read(streams.text(path, label=1, columns=[2, 0]))
    assert reading.features("good day") == {"good": 1.0, "day": 1.0}


def test_an_example_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExampleError, match="of text must be a text, got dict"):
        _read(_mail(tmp_path)).features({"subject": "free"})
    with pytest.raises(ExampleError, match="of csv must be a mapping .*, got str"):
        _read(_flats(tmp_path)).features("2,9000,Ghent")
    path = tmp_path / "lines"
    path.write_text("1 3:1\n")
    with pytest.raises(ExampleError, match="must be one line, got '3:1"):
        _read(streams.svmlight(path)).features("3:1\n4:1")


def test_a_model_file_remembers_it_to_the_last_threshold(tmp_path: Path) -> None:
    path = tmp_path / "m.lst"
    stream = _flats(tmp_path, thresholds={"rooms": [Decimal("2.50"), 3]}, hash_bits=7)
    learner = Perceptron()
    run(learner, stream)
    models.save(learner, path, stream)
    found = models.reading(path)
    assert found is not None
    assert found.to_dict() == stream.reading.to_dict()
    assert list(found.open(tmp_path / "flats.csv")) == list(stream)
    assert models.load(path).weights_ == learner.weights_  # type: ignore[attr-defined]  # a Perceptron


def test_a_run_with_checkpoints_remembers_it(tmp_path: Path) -> None:
    stream = _mail(tmp_path)
    models.run(Perceptron(), stream, tmp_path / "m.lst")
    assert models.reading(tmp_path / "m.lst") == stream.reading


def test_a_model_without_a_stream_remembers_nothing(tmp_path: Path) -> None:
    models.save(Perceptron(), tmp_path / "m.lst")
    assert models.reading(tmp_path / "m.lst") is None
    golden = list((Path(__file__).parents[1] / "golden").rglob("*.lst"))
    assert golden
    assert all(models.reading(path) is None for path in golden[:5])


def test_several_files_and_hashed_streams_have_a_reading(tmp_path: Path) -> None:
    for name in ("a.svm", "b.svm"):
        (tmp_path / name).write_text("1 3:1\n")
    stream = streams.svmlight(tmp_path / "*.svm", hash_bits=4)
    assert _read(stream) == Reading("svmlight", {"hash_bits": 4})
    assert streams.arrays([[1.0]], [1]).reading is None


@pytest.mark.parametrize(
    "saved",
    [
        None,
        {},
        {"format": "wav", "options": {}},
        {"format": "csv", "options": {"x": 1}},
    ],
)
def test_what_no_reading_can_have_saved_is_refused(saved: Any) -> None:
    with pytest.raises(ModelError, match="a reading must be a format"):
        Reading.from_dict(saved)
