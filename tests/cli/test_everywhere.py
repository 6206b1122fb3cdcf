"""What holds of every command: one line on what is wrong, JSON, the same anywhere."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest

from command import call
from littlestone import theorems
from littlestone.cli._app import app
from littlestone.cli._learners import LEARNERS
from littlestone.linear import Perceptron
from littlestone.service import Ledger, born
from tries import often

COMMAND = [sys.executable, "-m", "littlestone"]
ROWS = "".join(
    f"{1 if k % 3 else -1} {k % 3 + 1}:1 {k % 5 + 4}:0.5\n" for k in range(50)
)
FORECASTS = "y,a,b\n" + "".join(f"{k % 2},{k % 2},{k % 3 / 2}\n" for k in range(50))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go where the files of a new user lie."""
    monkeypatch.chdir(tmp_path)
    Path("mail.svm").write_text(ROWS)
    Path("load.csv").write_text(FORECASTS)
    Path("empty").touch()
    Path("junk").write_bytes(b"\x00\xff\xfe junk\n")
    Path("plain.json").write_text("{}")
    Path("folder").mkdir()
    assert call("certify", "mail.svm", "-q", "-o", "good.json").returncode == 0
    assert (
        call(
            "run", "mail.svm", "-l", "perceptron", "-q", "--save", "mail.lst"
        ).returncode
        == 0
    )
    return tmp_path


FILES = ["gone", "folder", "empty", "junk"]
WRONG = [
    "nonsense",
    "--nonsense",
    *(f"{command} {file} -q" for file in FILES for command in ("run", "race")),
    *(f"{command} {file} -q" for file in FILES for command in ("certify", "advise")),
    *(f"verify {file}" for file in [*FILES, "plain.json", "mail.svm"]),
    *(f"verify good.json {file} -q" for file in ("gone", "folder", "junk")),
    *(
        f"{command} mail.svm -q {words}"
        for command in ("run", "race", "certify", "advise", "verify")
        for words in ("--nonsense", "one two", "-F nonsense", "--hash-bits x")
    ),
    *(
        f"{command} mail.svm -q {words}"
        for command in ("run", "race", "certify")
        for words in (
            *("-l nobody", "-l winnow", "--passes 0", "--passes x", "--label y"),
            *("--positive 1 --hash-bits 99", "-F csv", "-l hedge -F svmlight"),
        )
    ),
    *("run", "race", "certify", "verify", "advise", "bounds", "pac"),
    "run mail.svm -q --declare x",
    "run mail.svm -q --declare nonsense=1",
    "run mail.svm -q -p folder",
    "run mail.svm -q -P nonsense",
    "run mail.svm -q -f csv",
    "run mail.svm -q -i gone",
    "run mail.svm -q -d mail.svm",
    "race mail.svm load.csv -q",
    "run mail.svm -q -p mail.svm",
    "race mail.svm -q --declare nonsense=1",
    "race mail.svm -q -l perceptron:bias",
    "race mail.svm -q -l perceptron:nonsense=1",
    "race mail.svm -q -l winnow:threshold=-1",
    "race mail.svm -q -l perceptron -l perceptron",
    "race mail.svm -q -l perceptron -l boa",
    "race load.csv -q --label y -l boa -l hedge:loss=absolute,range=0,1",
    "certify mail.svm -q --theorem NONSENSE",
    "certify mail.svm -q --theorem WIN1",
    "certify mail.svm -q -o folder",
    "certify mail.svm -q --witness gone",
    "certify mail.svm -q --witness junk",
    "bounds NONSENSE",
    "bounds PERC-SEP --radius",
    "bounds PERC-SEP --radius x --margin 1",
    "bounds PERC-SEP --radius 1 --margin 0",
    "bounds PERC-SEP --nonsense 1",
    "bounds --list PERC-SEP",
    "pac nonsense --epsilon .1 --delta .1",
    "pac conjunctions --epsilon .1 --delta .1",
    "pac conjunctions --n 3 --epsilon 2 --delta .1",
    "play nobody",
    "play -l nobody",
    "play -a nobody",
    "play --set nonsense",
    "play --set nonsense=1",
    *(f"export {file} --onnx x.onnx" for file in [*FILES, "good.json"]),
    "export mail.lst",
    "export mail.lst --onnx mail.lst",
    "export mail.lst --onnx folder",
    "export mail.lst --onnx gone/x.onnx",
    "export mail.lst --onnx x.onnx --features 3",
    "export mail.lst --onnx x.onnx --features a,a",
    "demo nonsense",
    "demo -o mail.svm",
]


def test_what_is_wrong_is_told_in_one_line(folder: Path) -> None:
    assert folder.is_dir()
    for words in WRONG:
        done = call(*words.split())
        assert done.returncode == 2, (words, done.stdout, done.stderr)
        assert done.stdout == "", words
        assert re.fullmatch(r"littlestone: [^\n]+\n", done.stderr), (words, done.stderr)
        assert "Traceback" not in done.stderr, words


RIGHT = [
    "run mail.svm -q",
    "run -d mail.svm --quiet -t -b 8 -P 10",
    "predict mail.lst one.svm",
    "why mail.lst one.svm",
    "fit bits.svm --rule disjunction -q",
    "compare load.csv --label y",
    "race mail.svm -q",
    "certify mail.svm -q",
    "verify good.json",
    "verify good.json mail.svm -q",
    "advise mail.svm -q",
    "report mail.svm -q",
    "inspect good.json",
    "export mail.lst --onnx mail.onnx",
    "bounds PERC-SEP --radius 1 --margin 1/3",
    "bounds --list",
    "pac conjunctions --n 22 --epsilon .1 --delta .1",
    "play",
    "replay ledger.db -l arow",
    "ledger check ledger.db",
]


def test_every_command_prints_json(folder: Path) -> None:
    (folder / "one.svm").write_text("1:1\n")
    (folder / "bits.svm").write_text("+1 1:1\n-1 2:1\n")
    (folder / "load.csv").write_text("a,b,y\n1,0,1\n0,1,1\n")
    with Ledger(folder / "ledger.db", create=True) as ledger:
        born(ledger, Perceptron())
    names = {command.name for command in app.registered_commands}
    assert names == {"demo", "serve"} | {words.split()[0] for words in RIGHT}
    for words in RIGHT:
        done = call(*words.split(), "--json")
        assert (done.returncode, done.stderr) == (0, ""), words
        assert json.loads(done.stdout), words


def on_a_terminal(*words: str) -> str:
    """Run the command with both outputs sent to a terminal; return what it saw."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, *words], stdin=slave, stdout=slave, stderr=slave
    ) as started:
        os.close(slave)
        seen = b""
        while True:
            ready, _, _ = select.select([master], [], [], 60)
            try:
                more = os.read(master, 65536) if ready else b""
            except OSError:  # Linux says so at the end
                break
            if not more:
                break
            seen += more
    os.close(master)
    assert started.returncode == 0
    return seen.decode().replace("\r\n", "\n")


def timeless(text: str) -> str:
    """Leave out how long it took."""
    times = r" *(\d+\.\d\d s|\d+\.\d ms)( \([\d,]+ rounds/s\))?"
    return re.sub(times, " TIME", text)


@pytest.mark.parametrize(
    "words",
    [
        "run mail.svm",
        *often(
            [
                "race mail.svm -l perceptron -l winnow:threshold=5 -l arow",
                "certify mail.svm",
            ],
            lambda _: False,
        ),
    ],
)
def test_results_are_the_same_wherever_they_are_sent(folder: Path, words: str) -> None:
    told = timeless(call(*words.split()).stdout)
    assert told in timeless(on_a_terminal(*words.split()))
    if words.startswith("run "):
        with (folder / "out").open("w") as out:
            subprocess.run(
                [*COMMAND, *words.split()],
                stdout=out,
                stderr=subprocess.DEVNULL,
                check=True,
            )
        assert timeless((folder / "out").read_text()) == told


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("ra", ["race"]),
        ("run --learner win", ["winnow", "winnow-dnf"]),
        ("certify x -l per", ["perceptron"]),
        ("run -l winnow:pro", ["winnow:promotion="]),
        ("race -l k-", ["k-cnf", "k-dnf"]),
        ("race -l winnow:pro", ["winnow:promotion="]),
        ("race -l winnow:promotion=2,thr", ["winnow:promotion=2,threshold="]),
        ("race -l nobody:", []),
        ("bounds WIN2-", [t.id for t in theorems.all() if t.id.startswith("WIN2-")]),
        ("certify x --theorem perc-s", ["perc-sep"]),
    ],
)
def test_shells_complete(
    words: str, offered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_LITTLESTONE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"littlestone {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
    assert call().stdout.split() == offered


def test_every_learner_has_options_to_complete() -> None:
    from littlestone.cli._complete import learners  # noqa: PLC0415 - the room is small

    for name in LEARNERS:
        for word in learners(f"{name}:"):
            assert word.startswith(f"{name}:")
            assert word.endswith("=")
    assert learners("boa:ra") == ["boa:range="]


def test_help_can_be_read_where_not_every_letter_is_known() -> None:
    plain = {"PYTHONIOENCODING": "ascii", "COLUMNS": "80"}
    shown = subprocess.check_output([*COMMAND, "run", "--help"], env=os.environ | plain)
    assert b"Play a file with a learner" in shown
