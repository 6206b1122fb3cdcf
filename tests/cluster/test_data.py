"""Shards come from files, addresses, arrays, frames and Dask's collections."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from command import call
from littlestone import cluster, race, run, streams, verify
from littlestone.cluster._shards import FileShard, cut_finer, shards_of
from littlestone.cluster._travel import packed
from littlestone.errors import (
    EmptyStreamError,
    LabelError,
    MissingFileError,
    ParameterError,
    StreamError,
)
from littlestone.experts import FollowTheMajority
from littlestone.linear import AROW, PassiveAggressive, Perceptron

RNG = np.random.default_rng(11)
X = RNG.normal(size=(90, 6))
Y = (X @ np.arange(-2.0, 4.0) > 0).astype(int)


def _lines(rows: slice = slice(None)) -> str:
    return "".join(
        f"{label} " + " ".join(f"{j + 1}:{x!r}" for j, x in enumerate(row)) + "\n"
        for row, label in zip(X[rows].tolist(), Y[rows].tolist(), strict=True)
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part in range(3):
        text = _lines(slice(30 * part, 30 * part + 30))
        (tmp_path / f"{part}.svm").write_text(text)
    return tmp_path


def _state(data: Any, **options: Any) -> bytes:
    learner = Perceptron(bias=1.0)
    cluster.run(learner, data, **{"workers": 0, "epochs": 2, **options})
    return packed(learner)


def test_shards_that_are_cut_finer_have_the_same_lines(folder: Path) -> None:
    whole = b"".join((folder / f"{part}.svm").read_bytes() for part in range(3))
    for shards in (None, 5):
        cut = shards_of(folder / "*.svm", shards=shards)
        finer = cut_finer(cut, 4)
        assert len(finer) == 4 * len(cut)
        bytes_ = [
            Path(each.path).read_bytes()[each.begin : each.end]
            for each in finer
            if isinstance(each, FileShard)
        ]
        assert b"".join(bytes_) == whole
        assert all(some.endswith(b"\n") for some in bytes_)
    zipped = folder / "all.svm.gz"
    zipped.write_bytes(gzip.compress(whole))
    assert [shard.name for shard in cut_finer(shards_of(zipped), 4)] == [str(zipped)]
    frame = pd.DataFrame({"a": X[:, 0], "y": Y})
    parts = cut_finer(shards_of(frame, shards=3, label="y"), 2)
    assert [shard.name for shard in parts] == [f"part {k}" for k in range(6)]
    assert pd.concat([shard.data for shard in parts]).equals(frame)  # type: ignore[attr-defined]  # it is in memory


def test_each_file_is_a_shard_however_it_is_given(folder: Path) -> None:
    files = [folder / f"{part}.svm" for part in range(3)]
    pattern = str(folder / "*.svm")
    given = (files, pattern, folder / "*.svm", streams.svmlight(files))
    found = [_state(data) for data in given]
    assert len(set(found)) == 1
    columns = np.hstack([np.zeros((90, 1)), X])  # svmlight counts from 1
    assert found[0] == _state((columns, Y), shards=3)


def test_options_of_readers_go_along(tmp_path: Path) -> None:
    for part in range(2):
        rows = [
            f"{'spam' if y else 'ham'},{x[0]!r},{x[1]!r}"
            for x, y in zip(X[part::2].tolist(), Y[part::2].tolist(), strict=True)
        ]
        (tmp_path / f"{part}.csv").write_text("\n".join(["kind,a,b", *rows]) + "\n")
    learner = Perceptron()
    record = cluster.run(
        learner, str(tmp_path / "*.csv"), label="kind", positive="spam", workers=0
    )
    assert record.rounds == 90
    assert set(learner.weights_) == {"a", "b"}


@pytest.mark.parametrize("shards", [1, 2, 7, 50])
def test_large_files_are_cut_at_line_ends(tmp_path: Path, shards: int) -> None:
    path = tmp_path / "whole.svm"
    path.write_text(_lines())
    found = shards_of(path, shards=shards)
    assert len(found) == shards
    rounds = [x for shard in found for x in shard.open(Perceptron())]
    assert rounds == list(streams.svmlight(path))
    assert cluster.run(Perceptron(), path, shards=shards, workers=0).rounds == 90


def test_compressed_files_and_tables_stay_whole(tmp_path: Path) -> None:
    packed_file = tmp_path / "a.svm.gz"
    packed_file.write_bytes(gzip.compress(_lines().encode()))
    table = tmp_path / "b.csv"
    table.write_text('y,a\n1,"x\ny"\n0,z\n')
    assert len(shards_of(packed_file, shards=4)) == 1
    assert len(shards_of(table, shards=4, options={"label": "y"})) == 1


def test_addresses_are_opened_by_fsspec(folder: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    for part in range(3):
        text = (folder / f"{part}.svm").read_bytes()
        memory.pipe(f"/mail/{part}.svm", text)
    memory.pipe("/whole.svm", _lines().encode())
    try:
        found = _state("memory://mail/*.svm")
        assert found == _state(str(folder / "*.svm"))
        assert len(shards_of("memory://whole.svm", shards=4)) == 4
        assert _state("memory://whole.svm", shards=3) != b""
        with pytest.raises(MissingFileError, match="must match at least one"):
            shards_of("memory://none/*.svm")
    finally:
        memory.rm("/mail", recursive=True)
        memory.rm("/whole.svm")


def _tables(folder: Path) -> Path:
    """Write three Parquet files into a folder, with files that are no tables."""
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=Y)
    inner = folder / "mail.parquet" / "year=2026"
    inner.mkdir(parents=True)
    for part in range(3):
        place = inner.parent if part < 2 else inner
        frame[30 * part : 30 * part + 30].to_parquet(place / f"{part}.parquet")
    (inner.parent / "_SUCCESS").touch()
    return inner.parent


def test_each_file_of_a_folder_of_tables_is_a_shard(tmp_path: Path) -> None:
    folder = _tables(tmp_path)
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=Y)
    here = _state(frame, label="y", shards=3)
    for given in (folder, f"{folder}/", [folder]):
        assert _state(given, label="y") == here
    assert _state(streams.arrow(folder, label="y")) == here
    files = sorted(folder.rglob("*.parquet"))
    assert _state(streams.arrow(files, label="y")) == here
    record = cluster.run(Perceptron(), folder, label="y", workers=0, keep="updates")
    assert record.shards == tuple(map(str, files))
    stream = streams.arrow(folder, label="y")
    assert verify(cluster.certify(record), stream).accepted


def test_a_folder_elsewhere_is_its_tables(tmp_path: Path) -> None:
    memory = pytest.importorskip("fsspec").filesystem("memory")
    folder = _tables(tmp_path)
    for each in folder.rglob("*"):
        if each.is_file():
            memory.pipe(f"/{each.relative_to(tmp_path)}", each.read_bytes())
    try:
        there = _state("memory://mail.parquet", label="y")
        assert there == _state(folder, label="y")
    finally:
        memory.rm("/mail.parquet", recursive=True)


def test_streams_of_hashed_files_stay_files(folder: Path) -> None:
    files = sorted(folder.glob("*.svm"))
    found = shards_of(streams.svmlight(files, hash_bits=5))
    assert [shard.name for shard in found] == list(map(str, files))
    learners = [Perceptron(), Perceptron()]
    cluster.run(learners[0], streams.svmlight(files, hash_bits=5), workers=0)
    cluster.run(
        learners[1], list(streams.svmlight(files, hash_bits=5)), workers=0, shards=3
    )
    assert learners[0].weights_ == learners[1].weights_
    assert max(learners[0].weights_) < 32


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
def test_sparse_rows_of_any_form_are_cut(form: str) -> None:
    rows = sp.csr_matrix(X * (X > 0))
    plain = _state((rows.toarray(), Y), shards=3)
    assert _state((rows.asformat(form), Y), shards=3) == plain


def test_frames_and_examples() -> None:
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=Y)
    examples = [
        (dict(zip("abcdef", row, strict=True)), bool(y))
        for row, y in zip(X.tolist(), Y.tolist(), strict=True)
    ]
    assert _state(frame, label="y", shards=4) == _state(examples, shards=4)
    assert _state(iter(examples), shards=4) == _state(examples, shards=4)


@pytest.mark.parametrize(
    ("rows", "shards"), [(0, 1), (1_000, 1), (9_999, 1), (10_000, 2), (10**6, 8)]
)
def test_few_rows_are_fewer_shards_unless_told(rows: int, shards: int) -> None:
    pair = np.zeros((rows, 0)), np.zeros(rows)
    found = shards_of(pair)
    assert len(found) == shards
    assert len(found) == len(shards_of(pd.DataFrame({"y": pair[1]}), label="y"))
    assert len(shards_of(pair, shards=3)) == min(3, max(rows, 1))


def test_text_labels_mean_what_positive_says() -> None:
    features = pd.DataFrame(X, columns=list("abcdef"))
    texts = np.where(Y == 1, "spam", "ham").tolist()
    texts = sorted(texts)  # some shards have no spam, which is no reason to warn
    plain = _state((X, [text == "spam" for text in texts]), shards=4)
    meant: dict[str, Any] = {"positive": "spam", "shards": 4}
    assert _state((X, texts), **meant) == plain
    named = _state(features.assign(y=texts), label="y", **meant)
    assert named == _state(
        features.assign(y=np.array(texts) == "spam"), label="y", shards=4
    )
    with pytest.raises(LabelError, match="got 'ham'"):
        _state((X, texts), shards=4)
    with pytest.raises(ParameterError, match="options of a reader are for files"):
        _state((X, texts), positive="spam", header=True)


def test_an_empty_shard_and_one_with_one_class(tmp_path: Path) -> None:
    (tmp_path / "0.svm").write_text("")
    (tmp_path / "1.svm").write_text("1 1:1\n1 2:1\n")
    (tmp_path / "2.svm").write_text("0 1:1\n0 9:1\n")
    learner = Perceptron()
    record = cluster.run(learner, str(tmp_path / "*.svm"), workers=0, epochs=2)
    assert [tally.rounds for tally in record.epochs[0].tallies] == [0, 2, 2]
    assert 9 in learner.weights_  # which one shard alone has seen
    with pytest.raises(EmptyStreamError, match="some shard must have examples"):
        cluster.run(Perceptron(), tmp_path / "0.svm", workers=0)


def test_collections_of_dask(client: Any) -> None:
    array = pytest.importorskip("dask.array")
    bag = pytest.importorskip("dask.bag")
    dataframe = pytest.importorskip("dask.dataframe")
    delayed = pytest.importorskip("dask").delayed
    here = _state((X, Y), shards=3)
    there = {"client": client, "workers": None}
    chunks = array.from_array(X, chunks=(30, 6)), array.from_array(Y, chunks=30)
    assert _state(chunks, **there) == here
    parts = [delayed((X[k : k + 30], Y[k : k + 30])) for k in (0, 30, 60)]
    assert _state(parts, **there) == here
    pairs = zip(X.tolist(), Y.tolist(), strict=True)
    examples = [(dict(enumerate(x)), bool(y)) for x, y in pairs]
    assert _state(bag.from_sequence(examples, npartitions=3), **there) == _state(
        examples, shards=3
    )
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=Y)
    found = _state(dataframe.from_pandas(frame, npartitions=3), label="y", **there)
    assert found == _state(frame, label="y", shards=3)
    frames = dataframe.from_pandas(frame, npartitions=3)
    assert _state((frames[list("abcdef")], frames["y"]), **there) == found
    whole, few = delayed((X, Y)), (delayed((X[:9], Y[:9])), delayed((X[9:20], Y[9:20])))
    assert _state(whole, **there) == _state((X, Y), shards=1)
    record = cluster.run(Perceptron(), few, client=client)
    assert record.shards == ("delayed 0", "delayed 1")
    assert cluster.run(Perceptron(), chunks, client=client).shards[2] == "array 2"
    with pytest.raises(ParameterError, match=r"must be bags, .*got \(dask.array"):
        _state(chunks[:1], **there)
    other = dataframe.from_pandas(frame[:50], npartitions=3)["y"]
    with pytest.raises(ParameterError, match=r"^dataframe [012]: .* of 30 rows, got 1"):
        _state((frames[list("abcdef")], other), **there)
    with pytest.raises(ParameterError, match="same chunks of rows"):
        _state((chunks[0], array.from_array(Y, chunks=45)), **there)
    with pytest.raises(ParameterError, match="needs label="):
        _state(dataframe.from_pandas(frame, npartitions=3), **there)
    with pytest.raises(ParameterError, match="files, got epoch, format for tuple"):
        _state(chunks, **there, epoch=2, format="csv")
    for each in (chunks, bag.from_sequence(examples), parts):
        with pytest.raises(ParameterError, match="of Dask need client="):
            _state(each)


def test_the_command_line_plays_on_a_scheduler(client: Any, folder: Path) -> None:
    files, address = f"{folder}/*.svm", client.scheduler.address
    words = ("run", files, "-l", "perceptron", "--json", "-q")
    there, here = (
        json.loads(call(*words, *where).stdout)
        for where in (("--dask", address), ("--workers", "0"))
    )
    assert there["mistakes"] == here["mistakes"]
    assert there["epochs"][0]["shards"] == here["epochs"][0]["shards"]


def test_races_and_searches_equal_those_of_one_machine(
    folder: Path, pool: cluster.Processes
) -> None:
    files = str(folder / "*.svm")
    learners = [Perceptron(), AROW(), PassiveAggressive()]
    one = race([each.clone() for each in learners], streams.svmlight(files), passes=2)
    two = cluster.race(learners, files, client=pool, passes=2)
    assert list(one) == list(two)
    assert all(one[name] == two[name] for name in one)
    run(alone := AROW(), streams.svmlight(files), passes=2)
    assert packed(learners[1]) == packed(alone)
    found = cluster.search({"arow": {"r": [0.1, 10.0]}}, files, workers=0)
    assert set(found) == {"AROW(r=0.1)", "AROW(r=10.0)"}
    assert found["AROW(r=0.1)"] == run(AROW(r=0.1), streams.svmlight(files))


# What is refused ------------------------------------------------------------


def test_wrong_data(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="one label per row, got 90 rows and 3"):
        _state((X, [0, 1, 0]))
    with pytest.raises(ParameterError, match="options of a reader are for files"):
        _state((X, Y), delimiter=";")
    with pytest.raises(MissingFileError):
        _state(str(tmp_path / "*.svm"))
    whole = tmp_path / "a.svm"
    whole.write_text(_lines())
    with pytest.raises(ParameterError, match="svmlight has no option epoch, only"):
        _state(whole, epoch=2)
    with pytest.raises(ParameterError, match="format must be one of .*, got 'svm'"):
        _state(whole, format="svm")
    with pytest.raises(ParameterError, match="csv needs label=, got none"):
        _state(whole, format="csv")
    path = tmp_path / "what"
    path.write_text("Call me Ishmael.\n")
    with pytest.raises(StreamError, match="recognisable"):
        _state(path)
    with pytest.raises(ParameterError, match="learner must be one of littlestone"):
        cluster.run(object(), (X, Y))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="grid must map"):
        cluster.search([], (X, Y))  # type: ignore[arg-type]


def test_learners_of_others_cannot_travel() -> None:
    class Constant:
        def predict_one(self, x: Any) -> bool:
            return bool(x)

        def learn_one(self, x: Any, y: Any) -> None:
            pass

    with pytest.raises(ParameterError, match="must be a learner of littlestone"):
        cluster.race([Constant()], (X, Y), workers=0)  # type: ignore[list-item]


def test_shards_have_names() -> None:
    assert FileShard("a.svm", "svmlight", begin=3, end=9).name == "a.svm[3:9]"
    record = cluster.run(FollowTheMajority(), [(None, True)] * 4, shards=2, workers=0)
    assert record.shards == ("part 0", "part 1")
