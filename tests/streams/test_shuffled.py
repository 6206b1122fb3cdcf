"""A shuffled stream has the examples of the stream, in an order of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import call
from littlestone import certify, run, streams, verify
from littlestone.errors import LittlestoneError, ParameterError
from littlestone.experts import MLPoly
from littlestone.linear import AROW, Perceptron, Winnow

LINES = [f"{int(k >= 200)} {k % 7 + 1}:{k / 9 + 1} {k % 5 + 9}:1" for k in range(400)]
MAIL = "label\ttext\n" + "".join(
    f"{'ham' if k < 80 else 'spam'}\tword{k % 9} and w{k % 4}\n" for k in range(160)
)


def written(path: Path, lines: list[str]) -> Any:
    path.write_text("".join(f"{line}\n" for line in lines))
    return streams.svmlight(path)


def test_it_is_the_shuffled_file_to_the_last_bit(tmp_path: Path) -> None:
    numbered = written(tmp_path / "numbered.svm", [f"1 {k + 1}:1" for k in range(400)])
    order = [next(iter(x)) - 1 for x, _ in streams.shuffled(numbered, seed=5)]
    assert sorted(order) == list(range(400)) != order
    theirs = written(tmp_path / "theirs.svm", [LINES[k] for k in order])
    ours = streams.shuffled(written(tmp_path / "ours.svm", LINES), seed=5)
    one, two = AROW(bias=1), AROW(bias=1)
    records = [run(one, ours, digest=True), run(two, theirs, digest=True)]
    assert records[0].digest == records[1].digest
    assert records[0].mistakes == records[1].mistakes
    assert one.weights_ == two.weights_
    assert verify(certify(Perceptron(bias=1), ours), theirs).accepted


def test_every_kind_of_stream(tmp_path: Path) -> None:
    mail = tmp_path / "mail.tsv"
    mail.write_text(MAIL)
    text = streams.text(mail, label="label", positive="spam")
    advice = streams.advice(np.linspace(0, 1, 60).reshape(20, 3), np.arange(20) / 20)
    rows = streams.arrays(np.eye(20) + 1, np.arange(20) > 9)
    mixed = streams.joined([text, rows])
    for stream in (text, advice, rows, mixed):
        before = [(str(x), y) for x, y in streams.shuffled(stream, seed=1)]
        plain = [
            (str(block.rows.row(k)), block.labels[k].item())
            for block in stream.blocks()
            for k in range(block.first, block.last)
        ]
        assert sorted(before) == sorted(plain)
        assert before != plain
    classes = streams.arrays(np.eye(9), list("abcabcabc"), outcome="class")
    assert sorted(y for _, y in streams.shuffled(classes)) == sorted("abcabcabc")
    assert run(MLPoly(), streams.shuffled(advice, seed=2)).rounds == 20
    assert list(streams.shuffled(streams.arrays(np.empty((0, 2)), []))) == []


def test_a_bad_line_is_named_as_it_is_in_the_file(tmp_path: Path) -> None:
    stream = streams.vw(tmp_path / "mail.vw")
    lines = [f"{k % 2} tag{k}|a x{k}:{7 if k == 7 else 1}" for k in range(20)]
    (tmp_path / "mail.vw").write_text("\n".join(lines))
    with pytest.raises(LittlestoneError, match=r"mail\.vw:8:"):
        run(Winnow(threshold=2), streams.shuffled(stream))
    tags = [
        block.where.tag(k)  # type: ignore[attr-defined]  # as of Vowpal Wabbit text
        for block in streams.shuffled(stream).blocks()
        for k in range(block.first, block.last)
    ]
    assert sorted(tags) == sorted(f"tag{k}" for k in range(20))


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match="one of littlestone.streams"):
        streams.shuffled([([1.0], 1)])  # type: ignore[arg-type]
    rows = streams.arrays([[1.0]], [1])
    for seed in (-1, 1.5, True):
        with pytest.raises(ParameterError, match="seed must be a whole number"):
            streams.shuffled(rows, seed)  # type: ignore[arg-type]


# The command line ---------------------------------------------------------------------


def test_commands_say_that_a_file_is_sorted_and_shuffle_it(tmp_path: Path) -> None:
    mail = tmp_path / "mail.tsv"
    mail.write_text(MAIL)
    words = (mail, "-F", "text", "--label", "label", "--positive", "spam", "-q")
    told = "the label changes 1 time, in a random order about 80 times: a stream sorted"
    plain = call("run", *words[:-1], "--no-progress", "-l", "arow").stdout
    assert told in plain
    assert "; --shuffle 1 plays the file in a random order" in plain
    assert told in call("race", *words).stdout
    assert "--shuffle" not in call("race", *words, "--shuffle", 1).stdout
    assert "Shuffle it" in call("advise", *words).stdout


def test_a_certificate_of_a_shuffled_file(tmp_path: Path) -> None:
    file, place = tmp_path / "mail.svm", tmp_path / "mail.json"
    written(file, LINES)
    learner = ("-l", "perceptron", "--bias", 1)
    call("certify", file, "-q", *learner, "--shuffle", 3, "-o", place)
    assert call("verify", place, file, "--shuffle", 3).returncode == 0
    assert call("verify", place, file).returncode == 1
    done = call("predict", place, file, "--shuffle", 1)
    assert "--shuffle must be left out, as predictions are in the order" in done.stderr


def test_a_shuffled_run_is_resumed(tmp_path: Path) -> None:
    file = tmp_path / "mail.svm"
    written(file, LINES)
    model = ("-f", tmp_path / "m.lst", "--checkpoint-every", 100)
    words = ("run", file, "-l", "perceptron", "-q", "--json", *model)
    whole = call(*words, "--shuffle", 3).stdout
    again = call(*words, "--shuffle", 3, "--resume").stdout
    assert json.loads(again)["mistakes"] == json.loads(whole)["mistakes"]
    other = call(*words, "--resume")
    assert "the stream must begin with the 400 rounds" in other.stderr
