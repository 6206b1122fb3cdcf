"""svmlight files are read as they are written, in order, and bad ones are named."""

from __future__ import annotations

import gzip
import io
import os
import random
import subprocess
import sys
import threading
import time
import tracemalloc
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from littlestone import cores, run, streams
from littlestone.errors import (
    FeatureError,
    LineError,
    MissingFileError,
    MissingPackageError,
    ParameterError,
    StreamError,
    TruncatedError,
)
from littlestone.linear import Perceptron, Winnow
from littlestone.streams import svmlight
from littlestone.streams._source import Reader, Source
from packing import zstd
from patience import no_thread_more_than, soon

# Where the size of a buffer is set.
module = import_module("littlestone.streams._parser")

TEXT = """\
# a comment, then a blank line

+1 3:1 7:0.5
-1 qid:4 2:1e-3  9:-2.25 # buy now
1\t0:.5 4294967295:1
-1.0 5:+3.
+1
"""
EXAMPLES: list[tuple[dict[int, float], bool]] = [
    ({3: 1.0, 7: 0.5}, True),
    ({2: 1e-3, 9: -2.25}, False),
    ({0: 0.5, 4294967295: 1.0}, True),
    ({5: 3.0}, False),
    ({}, True),
]


def write(folder: Path, text: str | bytes, name: str = "file.svm") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@cache
def many_lines(rows: int, seed: int = 0) -> str:
    rng = random.Random(seed)  # noqa: S311 - a seed makes it the same each time
    lines = []
    for _ in range(rows):
        columns = sorted(rng.sample(range(1, 400), rng.randint(0, 12)))
        pairs = " ".join(
            f"{j}:{rng.gauss(0, 1):.{rng.randint(1, 17)}g}" for j in columns
        )
        lines.append(f"{rng.choice(['+1', '-1'])} {pairs}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut files into many parts, so that lines are cut too."""
    monkeypatch.setattr(module, "_BUFFER", 64)


# What is read ---------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("final", [True, False])
def test_a_file_is_read_as_it_is_written(tmp_path: Path, end: str, final: bool) -> None:
    text = TEXT.replace("\n", end)
    path = write(tmp_path, text if final else text.rstrip())
    assert list(svmlight(path)) == EXAMPLES
    assert list(svmlight(os.fspath(path))) == EXAMPLES


@pytest.mark.usefixtures("small_buffers")
def test_lines_cut_by_buffers_are_joined(tmp_path: Path) -> None:
    assert list(svmlight(write(tmp_path, TEXT))) == EXAMPLES


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    assert list(svmlight(write(tmp_path, b"\xef\xbb\xbf" + TEXT.encode()))) == EXAMPLES


def test_compressed_files_are_told_by_their_content(tmp_path: Path) -> None:
    data = TEXT.encode()
    half = data.index(b"\n", 60)
    packed = {
        "gzip": gzip.compress(data),
        "gzip in two members": gzip.compress(data[:half]) + gzip.compress(data[half:]),
        "zstd": zstd.compress(data),
        "zstd in two frames": zstd.compress(data[:half]) + zstd.compress(data[half:]),
    }
    for name, content in packed.items():
        assert list(svmlight(write(tmp_path, content, f"{name}.svm"))) == EXAMPLES


def test_zstd_without_its_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.version_info >= (3, 14):
        pytest.skip("Python reads zstd by itself")
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    monkeypatch.delattr("backports.zstd")
    path = write(tmp_path, zstd.compress(TEXT.encode()))
    with pytest.raises(MissingPackageError, match=r"pip install 'littlestone\[zstd\]'"):
        list(svmlight(path))


@pytest.mark.parametrize(
    ("positive", "expected"),
    [
        ("spam", [False, True, False, False]),
        (2, [False, False, True, False]),
        (2.0, [False, False, True, False]),
        ("2", [False, False, True, False]),
        (True, [False, False, False, True]),
        ("+1", [False, False, False, True]),
    ],
)
def test_positive_names_the_label_that_means_yes(
    tmp_path: Path, positive: Any, expected: list[bool]
) -> None:
    path = write(tmp_path, "ham 1:1\nspam 1:1\n2 1:1\n1 1:1\n")
    assert [y for _, y in svmlight(path, positive=positive)] == expected


def test_any_label_is_what_is_written(tmp_path: Path) -> None:
    numbers: dict[str, float] = {"3": 3, "+3": 3, "-1": -1, "07": 7, "0": 0}
    numbers |= {"2.5": 2.5, "-1e3": -1e3, ".5": 0.5, "1.": 1.0}
    texts = ["nan", "inf", "1e999", "1_0", "0x1", "spam", "été", "٣", "-", "+", "."]
    written, expected = [*numbers, *texts], [*numbers.values(), *texts]
    path = write(tmp_path, "".join(f"{label} 1:1\n" for label in written * 2))
    stream = svmlight(path, outcome="class")
    found = [y for _, y in stream]
    assert found == expected * 2
    assert [type(y) for y in found] == [type(y) for y in expected] * 2
    (block,) = stream.blocks()
    assert block.labels.dtype == np.object_
    assert block.labels.tolist() == found
    assert all(block.labels[t] is block.labels[t + 20] for t in range(20))


@pytest.mark.usefixtures("small_buffers")
def test_a_label_of_many_blocks_is_one_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "long-label 1:1 # a comment to fill a buffer\n" * 20)
    stream = svmlight(path, outcome="class")
    assert len(list(stream.blocks())) > 5
    assert len({id(y) for _, y in stream}) == 1
    labels = import_module("littlestone.streams._labels")
    monkeypatch.setattr(labels, "_MOST_KEPT", 2)
    path = write(tmp_path, "".join(f"{t} {t}:1\n" for t in range(50)))
    stream = svmlight(path, outcome="class")
    assert [y for _, y in stream] == list(range(50))
    assert len(stream._labels._kept) <= 2  # type: ignore[union-attr]  # noqa: SLF001 - what is kept shows nowhere else


def test_a_line_without_any_label_is_named(tmp_path: Path) -> None:
    for line, what in (("1:1 2:1", "have a label"), (b"\xff 1:1", "be UTF-8, .*")):
        text = line if isinstance(line, bytes) else line.encode()
        path = write(tmp_path, b"0 1:1\n-1 1:1\n" + text)
        with pytest.raises(LineError, match=f"file.svm:3: .* must {what},? got"):
            list(svmlight(path, outcome="class"))
        stream = svmlight(path, outcome="class", on_error="skip")
        assert [y for _, y in stream] == [0, -1]


def test_values_are_correctly_rounded(tmp_path: Path) -> None:
    rng = random.Random(5)  # noqa: S311 - a seed makes it the same each time
    texts = ["9007199254740993", "2.2250738585072011e-308", "1e-400", "0.1e1", "5e-324"]
    for _ in range(3_000):
        digits = "".join(rng.choices("0123456789", k=rng.randint(1, 25)))
        point = rng.randint(0, len(digits))
        exponent = rng.choice(
            ["", f"e{rng.randint(-330, 280)}", f"E+{rng.randint(0, 9)}"]
        )
        texts.append(f"{digits[:point]}.{digits[point:]}{exponent}")
    path = write(tmp_path, "".join(f"1 7:{text}\n" for text in texts))
    for text, (x, _) in zip(texts, svmlight(path), strict=True):
        assert x[7].hex() == float(text).hex()


def test_the_parser_reads_what_scikit_learn_style_tools_write(tmp_path: Path) -> None:
    # indices may come in any order; only twice is too often
    path = write(tmp_path, "1 9:1 2:1 5:1\n0 2:1 1:1\n")
    assert list(svmlight(path)) == [({9: 1, 2: 1, 5: 1}, True), ({2: 1, 1: 1}, False)]


# That it is the same whichever way it is played -----------------------------------


@pytest.mark.parametrize("buffer", [50, 1 << 12, 1 << 20])
def test_file_and_examples_give_the_same_record_and_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buffer: int
) -> None:
    monkeypatch.setattr(module, "_BUFFER", buffer)
    path = write(tmp_path, many_lines(2_000))
    by_block, by_example = Perceptron(bias=1.0), Perceptron(bias=1.0)
    record = run(by_block, svmlight(path), passes=2)
    assert record == run(by_example, list(svmlight(path)), passes=2)
    assert {f: w.hex() for f, w in by_block.weights_.items()} == {
        f: w.hex() for f, w in by_example.weights_.items()
    }
    assert record.rounds == 4_000


def test_the_curve_and_progress_know_how_much_has_been_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BUFFER", 1 << 12)
    path = write(tmp_path, many_lines(2_000))
    shares: list[float] = []
    run(
        Perceptron(),
        svmlight(path),
        observe=lambda batch: shares.append(batch.done or 0.0),
    )
    assert shares == sorted(shares)
    assert len(shares) > 10
    assert shares[-1] == 1.0


# What is refused ---------------------------------------------------------------------

BAD_LINES = [
    ("2 1:1", "the label must be 1, 0 or -1", "'2' at character 1"),
    ("spam 1:1", "the label must be 1, 0 or -1", "'spam' at character 1"),
    ("1:1 2:1", "the label must be 1, 0 or -1", "'1:1' at character 1"),
    ("1 1:", "index:value", "'1 1:'"),
    ("1 1:x", "index:value", "'1 1:x'"),
    ("1 1:1x", "index:value", "'1 1:1x'"),
    ("1 one:1", "index:value", "'1 one:1'"),
    ("1 1", "index:value", "'1 1'"),
    ("1 -1:1", "index:value", "'1 -1:1'"),
    ("1 1:0x10", "index:value", "'1 1:0x10'"),
    ("1 1:1_0", "index:value", "'1 1:1_0'"),
    ("1 1:nan", "a feature's value must be a finite number", "'1 1:nan'"),
    ("1 1:-inf", "a feature's value must be a finite number", "'1 1:-inf'"),
    ("1 1:1e999", "a feature's value must be a finite number", "'1 1:1e999'"),
    ("1 4294967296:1", "index must be below 2", "'1 4294967296:1'"),
    ("1 99999999999999999999:1", "index must be below 2", "'1 9999999999"),
    ("1 3:1 1:1 3:2", "each index must appear once", "'1 3:1 1:1 3:2'"),
    ("\0\1\2 1:1", "the label must be", r"'\\x00\\x01\\x02' at character 1"),
]


@pytest.mark.parametrize(("line", "what", "shown"), BAD_LINES)
def test_a_bad_line_is_named_and_the_rounds_before_it_are_played(
    tmp_path: Path, line: str, what: str, shown: str
) -> None:
    path = write(tmp_path, f"# head\n-1 1:1\n+1 2:1\n{line}\n-1 1:1\n")
    learner = Perceptron()
    with pytest.raises(LineError) as caught:
        run(learner, svmlight(path))
    message = str(caught.value)
    assert message.startswith(f"{path}:4: ")
    assert what in message
    assert shown.replace("\\\\", "\\") in message
    assert message.endswith("; 2 rounds played")
    assert (caught.value.path, caught.value.line) == (str(path), 4)
    assert learner.weights_ == {1: -1.0}


@pytest.mark.usefixtures("small_buffers")
def test_lines_are_counted_across_buffers(tmp_path: Path) -> None:
    head = "# a comment that fills a part of a buffer\n\n-1 1:1\n" * 20
    with pytest.raises(LineError, match="file.svm:61: .*; 20 rounds played"):
        run(Perceptron(), svmlight(write(tmp_path, head + "1 1:x\n")))
    with pytest.raises(FeatureError, match="file.svm:61: Winnow: .*; 20 rounds played"):
        run(Winnow(threshold=2), svmlight(write(tmp_path, head + "-1 1:7\n")))


@pytest.mark.parametrize("line", [line for line, _, _ in BAD_LINES])
def test_a_bad_line_is_skipped_and_counted_if_asked(tmp_path: Path, line: str) -> None:
    path = write(tmp_path, f"-1 1:1\n{line}\n+1 2:1\n{line}")
    stream = svmlight(path, on_error="skip")
    assert list(stream) == [({1: 1.0}, False), ({2: 1.0}, True)]
    assert stream.skipped == 2


@pytest.mark.parametrize("buffer", [16, 1 << 20])
def test_zero_and_minus_one_are_never_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buffer: int
) -> None:
    monkeypatch.setattr(module, "_BUFFER", buffer)
    learner = Perceptron()
    for first, second in (("0", "-1"), ("-1", "0")):
        path = write(
            tmp_path, f"{first} 1:1\n1 2:1\n{first} 1:1\n{second} 3:1\n1 1:1\n"
        )
        with pytest.raises(LineError, match="file.svm:4: .*never mixed.*; 3 rounds"):
            run(learner, svmlight(path))
        assert [y for _, y in svmlight(path, positive=1)] == [
            False,
            True,
            False,
            False,
            True,
        ]
    assert learner.updates_ == 1


def test_a_refused_example_is_named_by_file_and_line(tmp_path: Path) -> None:
    path = write(tmp_path, "# head\n1 1:1\n\n1 2:-3\n")
    with pytest.raises(FeatureError) as caught:
        run(Winnow(threshold=2), svmlight(path))
    assert str(caught.value) == (
        f"{path}:4: Winnow: feature 2 must lie in [0, 1], got -3.0; 1 round played"
    )


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing here\n"])
def test_a_file_without_examples(tmp_path: Path, content: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(StreamError, match="at least one example, got none"):
        run(Perceptron(), svmlight(path))


def test_a_file_of_which_every_line_is_skipped(tmp_path: Path) -> None:
    path = write(tmp_path, "a\nb\n")
    with pytest.raises(StreamError, match=r"got none \(2 lines skipped\)"):
        run(Perceptron(), svmlight(path, on_error="skip"))


def test_a_path_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"none.svm: .*existing file"):
        run(Perceptron(), svmlight(tmp_path / "none.svm"))
    with pytest.raises(FileNotFoundError):
        list(svmlight(tmp_path / "none.svm"))


def test_a_program_may_end_while_a_file_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, many_lines(20_000) * 10)
    code = "import sys; from littlestone.streams import svmlight; "
    code += "blocks = svmlight(sys.argv[1]).blocks(); next(blocks)"
    for _ in range(3):
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(StreamError, match="could not be read: Is a directory"):
        list(svmlight(tmp_path))


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_a_truncated_file_plays_what_is_whole(tmp_path: Path, pack: Any) -> None:
    packed = pack(many_lines(15_000).encode())
    path = write(tmp_path, packed[: len(packed) * 2 // 3])
    learner = Perceptron()
    with pytest.raises(TruncatedError) as caught:
        run(learner, svmlight(path))
    assert caught.value.rounds is not None
    assert 3_000 < caught.value.rounds < 15_000
    whole = Perceptron()
    lines = many_lines(15_000).splitlines(keepends=True)[: caught.value.rounds]
    run(whole, svmlight(write(tmp_path, "".join(lines), "whole.svm")))
    assert whole.weights_ == learner.weights_


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_a_corrupt_compressed_file(tmp_path: Path, pack: Any) -> None:
    packed = bytearray(pack(many_lines(3_000).encode()))
    packed[len(packed) // 2 : len(packed) // 2 + 50] = bytes(50)
    with pytest.raises(StreamError):
        list(svmlight(write(tmp_path, bytes(packed))))


def test_a_small_zstd_file_gives_its_gigabyte_in_pieces(tmp_path: Path) -> None:
    packed = zstd.compress(b"1 1:1\n" * 10_000_000)
    assert len(packed) < 10_000
    source = Source(write(tmp_path, packed * 20))
    reader, buffer = source.open(), bytearray(1 << 16)
    tracemalloc.start()
    taken = sum(reader.readinto(memoryview(buffer)) for _ in range(100))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    reader.close()
    assert 1_000_000 < taken <= 100 << 16
    assert most < 1_000_000


def test_empty_zstd_frames_hold_nothing(tmp_path: Path) -> None:
    packed = zstd.compress(b"") * 3_000 + zstd.compress(TEXT.encode())
    assert list(svmlight(write(tmp_path, packed))) == EXAMPLES


def test_a_line_of_ten_megabytes(tmp_path: Path) -> None:
    long = "1 " + "1:1 " * 2_500_000
    path = write(tmp_path, f"1 1:1\n{long}\n-1 2:1\n")
    with pytest.raises(LineError, match=r":2: a line must be shorter than .*; 1 round"):
        run(Perceptron(), svmlight(path))
    stream = svmlight(path, on_error="skip")
    assert list(stream) == [({1: 1.0}, True), ({2: 1.0}, False)]
    assert stream.skipped == 1
    endless = write(tmp_path, b"1 1:1\n" + bytes(20_000_000), "zeros.svm")
    with pytest.raises(LineError, match="zeros.svm:2"):
        list(svmlight(endless))


def test_a_line_of_several_buffers_is_read(tmp_path: Path) -> None:
    pairs = " ".join(f"{j}:0.25" for j in range(1, 400_001))
    path = write(tmp_path, f"-1 {pairs}\n+1 7:1\n")
    learner = Perceptron()
    assert run(learner, svmlight(path)).rounds == 2
    assert len(learner.weights_) == 400_000


def test_illegal_parameters(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="on_error must be 'raise' or 'skip'"):
        svmlight(write(tmp_path, TEXT), on_error="ignore")  # type: ignore[arg-type]  # refused
    with pytest.raises(
        ParameterError, match="svmlight: outcome must be 'label', 'class' or 'number'"
    ):
        svmlight("file.svm", outcome="some")  # type: ignore[arg-type]  # refused
    with pytest.raises(
        ParameterError, match="left out with outcome='class', got 'spam'"
    ):
        svmlight("file.svm", "spam", outcome="class")


# Standard input, memory, threads ----------------------------------------------------


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT.encode())))
    )
    with pytest.raises(ParameterError, match="readable again for 2 passes"):
        run(Perceptron(), svmlight("-"), passes=2)
    assert list(svmlight("-")) == EXAMPLES


def test_a_pipe_is_not_read_twice(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ParameterError, match="readable again for 2 passes"):
        run(Perceptron(), svmlight(pipe), passes=2)


def test_zstd_frames_that_come_one_at_a_time(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    learned = threading.Event()

    def feed() -> None:
        with pipe.open("wb") as out:
            out.write(zstd.compress(b"-1 1:1\n"))
            out.flush()
            assert learned.wait(10), "the first frame was not learned from"
            out.write(zstd.compress(b"-1 2:1\n"))

    feeder = threading.Thread(target=feed)
    feeder.start()
    record = run(Perceptron(), svmlight(pipe), observe=lambda _: learned.set())
    feeder.join()
    assert record.rounds == 2


def test_a_slow_pipe_is_learned_as_it_comes(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    learned = threading.Event()

    def feed() -> None:
        with pipe.open("w") as out:
            out.write("-1 1:1\n-1 2:1\n")
            out.flush()
            assert learned.wait(10), "the first lines were not learned from"
            out.write("-1 3:1\n")

    feeder = threading.Thread(target=feed)
    feeder.start()
    learner = Perceptron()
    record = run(learner, svmlight(pipe), observe=lambda _: learned.set())
    feeder.join()
    assert record.rounds == 3


@pytest.mark.soak
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "long.svm"
    block = many_lines(20_000)
    with path.open("w") as out:
        for _ in range(24):  # about 40 MB
            out.write(block)
    script = (
        "import resource, sys\n"
        "from littlestone import run, streams\n"
        "from littlestone.linear import Perceptron\n"
        "run(Perceptron(), streams.svmlight(sys.argv[1]), keep='nothing')\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    short = write(tmp_path, block, "short.svm")
    peaks = [
        int(subprocess.check_output([sys.executable, "-c", script, os.fspath(file)]))
        for file in (short, path)
    ]
    assert peaks[1] < peaks[0] + 25_000  # kilobytes: a few buffers, not the file


def test_stopping_early_leaves_no_threads(tmp_path: Path) -> None:
    path = write(tmp_path, many_lines(30_000))
    before = threading.active_count()
    for _, _ in svmlight(path):
        break
    assert no_thread_more_than(before)


def test_a_file_that_fits_one_buffer_needs_no_other_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: threading.Thread) -> None:
        raise AssertionError("a thread")

    path = write(tmp_path, many_lines(300))
    read = list(svmlight(path))
    monkeypatch.setattr(threading.Thread, "start", start)
    assert list(svmlight(path)) == read
    monkeypatch.setattr(module, "_BUFFER", 64)
    with pytest.raises(AssertionError, match="a thread"):
        list(svmlight(path))


@pytest.mark.usefixtures("small_buffers")
@pytest.mark.parametrize("processors", [1, 2, 5])
def test_the_number_of_processors_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processors: int
) -> None:
    text = many_lines(400)
    path = write(tmp_path, text)
    examples = list(svmlight(path))
    closed: list[bool] = []
    close = Reader.close

    def closing(reader: Reader) -> None:
        closed.append(True)
        close(reader)

    monkeypatch.setattr(cores, "usable", lambda: processors)
    monkeypatch.setattr(Reader, "close", closing)
    assert list(svmlight(path)) == examples
    assert closed
    bad = write(tmp_path, text + "1 nonsense\n" + text, "bad.svm")
    with pytest.raises(LineError, match=r"bad.svm:401: .*'1 nonsense'"):
        list(svmlight(bad))
    closed.clear()
    stream = iter(svmlight(path))
    next(stream)
    stream.close()  # type: ignore[attr-defined]  # a generator
    assert soon(lambda: closed)


@pytest.mark.usefixtures("small_buffers")
def test_an_interrupt_while_the_learner_parses_is_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, many_lines(400))
    parse = module.Parser._parse  # noqa: SLF001 - where it is to strike
    main = threading.main_thread()

    def interrupted(self: Any, part: Any, rule: Any) -> None:
        parse(self, part, rule)
        if threading.current_thread() is main:
            raise KeyboardInterrupt

    monkeypatch.setattr(module.Parser, "_parse", interrupted)
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        list(svmlight(path))
    assert no_thread_more_than(before)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_line_that_has_come_through_a_pipe_is_never_held_back(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    answered = threading.Semaphore(1)
    late = []

    def send() -> None:
        with path.open("wb", buffering=0) as pipe:
            for number in range(30):
                # The next line follows as soon as there is an answer to the last.
                if not answered.acquire(timeout=10):
                    late.append(number)
                pipe.write(f"1 {number}:1\n".encode())

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    for expected, (x, _) in enumerate(svmlight(path)):
        assert x == {expected: 1.0}
        answered.release()
        time.sleep(0.01)  # in which the next line comes
    sender.join()
    assert not late


def test_labels_of_blocks_are_numpy_booleans(tmp_path: Path) -> None:
    block = next(iter(streams.svmlight(write(tmp_path, TEXT)).blocks()))
    assert block.labels.dtype == np.bool_
    assert block.labels.tolist() == [y for _, y in EXAMPLES]
    assert block.where(1).endswith("file.svm:4")
