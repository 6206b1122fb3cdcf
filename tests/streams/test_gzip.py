"""Compressed files, with isal and without: the same rounds, and the same errors."""

from __future__ import annotations

import gzip
import threading
import zlib
from itertools import islice
from pathlib import Path

import pytest

from littlestone import cores, run, streams
from littlestone.errors import LineError, StreamError, TruncatedError
from littlestone.linear import Perceptron
from littlestone.streams import _parser, _source
from patience import no_thread_more_than

LINES = b"".join(b"%d %d:0.%d\n" % (t % 2, 1 + t % 7, t) for t in range(40_000))
PACKED = gzip.compress(LINES, 1)


@pytest.fixture(params=["isal", "gzip"], autouse=True)
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read with isal, or as if it were not installed."""
    if request.param == "isal":
        pytest.importorskip("isal")
    else:
        monkeypatch.setattr(_source, "_isal_library", lambda: None)


def rounds(path: Path, raw: bytes) -> int:
    path.write_bytes(raw)
    return run(Perceptron(), streams.svmlight(path)).rounds


def test_whole_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.svm.gz"
    assert rounds(path, PACKED) == 40_000
    assert rounds(path, PACKED + PACKED) == 80_000
    assert rounds(path, PACKED + bytes(20)) == 40_000  # padded, as on tapes
    plain, weights = Perceptron(), Perceptron()
    run(plain, streams.svmlight(path))
    path.write_bytes(LINES)
    run(weights, streams.svmlight(path))
    assert plain.weights_ == weights.weights_


@pytest.mark.parametrize("left", [11, 200, 5000, -3])
def test_a_file_that_was_cut_says_so(tmp_path: Path, left: int) -> None:
    with pytest.raises(TruncatedError, match="a.svm.gz"):
        rounds(tmp_path / "a.svm.gz", PACKED[:left])


@pytest.mark.parametrize("size", [64, 1 << 20])
def test_what_comes_before_a_cut_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(_parser, "_BUFFER", size)
    packer = zlib.compressobj(wbits=31)
    packed = packer.compress(b"1 1:1\n0 2:1\n1 3:") + packer.flush(zlib.Z_FULL_FLUSH)
    with pytest.raises(TruncatedError, match="; 2 rounds played"):
        rounds(tmp_path / "a.svm.gz", packed)


@pytest.mark.parametrize("at", [3000, -6])
def test_damage_is_an_error_of_the_file(tmp_path: Path, at: int) -> None:
    raw = bytearray(PACKED)
    raw[at] ^= 0xFF
    with pytest.raises(StreamError, match="a.svm.gz"):
        rounds(tmp_path / "a.svm.gz", bytes(raw))


def test_a_block_that_cannot_be_is_damage(tmp_path: Path) -> None:
    raw = bytearray(PACKED)
    raw[10] = 0x07  # the reserved kind of block
    with pytest.raises(StreamError, match="a.svm.gz: the compressed data is damaged"):
        rounds(tmp_path / "a.svm.gz", bytes(raw))


def test_an_error_in_a_long_file_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"n,y\n1,2.5\n" + b"1,1\n" * 40_000))
    with pytest.raises(LineError, match=r"got '2.5'; outcome='number' is for numbers"):
        list(streams.csv(path, label="y"))


@pytest.fixture(params=[1, 2, 4])
def many_parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make many parts of a small file, for so many cores."""
    monkeypatch.setattr(cores, "usable", lambda: request.param)
    monkeypatch.setattr(_parser, "_BUFFER", 4096)
    monkeypatch.setattr(_parser, "_AT_ONCE", 2048)


@pytest.mark.usefixtures("many_parts")
def test_parts_are_played_in_order_whoever_parses_them(tmp_path: Path) -> None:
    path = tmp_path / "a.svm.gz"
    path.write_bytes(PACKED)
    blocks = list(streams.svmlight(path).blocks())
    assert len(blocks) > 100
    found = [block.rows.row(t) for block in blocks for t in range(len(block.rows))]
    assert found == [{1 + t % 7: float(f"0.{t}")} for t in range(40_000)]


@pytest.mark.usefixtures("many_parts")
@pytest.mark.parametrize("parts", [1, 2, 40])
def test_stopping_early_leaves_no_threads(tmp_path: Path, parts: int) -> None:
    path = tmp_path / "a.svm.gz"
    path.write_bytes(PACKED)
    before = threading.active_count()
    blocks = streams.svmlight(path).blocks()
    assert sum(1 for _ in islice(blocks, parts)) == parts
    blocks.close()  # type: ignore[attr-defined]  # it is a generator
    assert no_thread_more_than(before)


@pytest.mark.usefixtures("many_parts")
def test_a_bad_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.svm.gz"
    lines = LINES.splitlines(keepends=True)
    lines[20_000] = b"1 1:x\n"
    before = threading.active_count()
    with pytest.raises(LineError, match=r"a.svm.gz:20001: .*; 20,?000 rounds played"):
        rounds(path, gzip.compress(b"".join(lines), 1))
    assert no_thread_more_than(before)
