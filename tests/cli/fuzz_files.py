"""Hand damaged files to the command line: it answers, or says in a line what is wrong.

    python tests/cli/fuzz_files.py 10000 [--seed SEED] [--only KIND]

Every file is read in a process of its own, with little memory and a deadline. Anything
but the exit codes 0, 1 and 2, and so every signal and traceback, ends it; the file is
kept then. The damages are new ones each time, unless the seed is given.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import resource
import secrets
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from gzip import compress as gzip
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import pyarrow as pa
import typer.main
from pyarrow import feather, parquet

from certificates import sealed
from command import call as quietly
from damage import damaged
from ledgers import served, with_odd_value
from littlestone import certify, models, run, streams
from littlestone.cli import main
from littlestone.linear import Perceptron
from models.fuzz_models import meant
from packing import zstd
from verifying.fuzz_certificates import mutated

GOLDEN = Path(__file__).parent.parent / "golden" / "0.1"
MEMORY = 1 << 30  # bytes of addresses beyond those of a process that does nothing
PATIENCE = 60  # seconds for one file, also on a busy machine
ANSWERS = (0, 1, 2)
ALONE = ["-ql", "perceptron"]
SHARDS = [*ALONE, "--workers", "0", "--shards", "2"]
TEXT = "".join(f"{k % 2} {k % 5}:{k + 1} {k + 10}:1\n" for k in range(300))


@dataclass
class Kind:
    """A kind of file: some that are whole, and the commands that read them."""

    suffix: str
    whole: list[bytes]
    commands: list[list[str]]  # with FILE for the path
    damage: Callable[[bytes, bytes, random.Random], bytes] = damaged


def table() -> pa.Table:
    """Return a table with a column of every kind that is read."""
    rows = range(200)
    return pa.table(
        {
            "y": [k % 2 for k in rows],
            "number": [k / 3 if k % 7 else None for k in rows],
            "small": pa.array([k % 3 for k in rows], pa.int8()),
            "truth": [k % 3 == 0 for k in rows],
            "text": [f"word{k % 9}" for k in rows],
            "code": pa.array([f"code{k % 4}" for k in rows]).dictionary_encode(),
            "list": [[0.5] * (k % 4) for k in rows],
            "fixed": pa.array([[k, 1.0] for k in rows], pa.list_(pa.float64(), 2)),
        }
    )


def arrow_files(folder: Path) -> Iterator[bytes]:
    """Yield Arrow files, and streams, compressed and not."""
    path = folder / "seed.arrow"
    for name in ("uncompressed", "lz4", "zstd"):
        feather.write_feather(table(), path, compression=name, chunksize=64)
        yield path.read_bytes()
    with pa.ipc.new_stream(path, table().schema) as writer:
        writer.write_table(table(), max_chunksize=64)
    yield path.read_bytes()


def parquet_files(folder: Path) -> Iterator[bytes]:
    """Yield Parquet files, compressed and not, of both versions of their pages."""
    path = folder / "seed.parquet"
    for name, version in (("none", "1.0"), ("snappy", "2.0"), ("zstd", "1.0")):
        parquet.write_table(
            table(),
            path,
            compression=name,
            data_page_version=version,
            row_group_size=80,
        )
        yield path.read_bytes()


def model_files(folder: Path) -> Iterator[bytes]:
    """Yield models of every learner."""
    for path in sorted(GOLDEN.glob("*.lst")):
        yield path.read_bytes()
    models.run(Perceptron(), list(streams.svmlight(folder / "mail.svm")), folder / "m")
    yield (folder / "m").read_bytes()


def checkpoints(folder: Path) -> Iterator[bytes]:
    """Yield runs that were stopped, of a learner alone and of shards."""
    begun = folder / "begun.svm"
    begun.write_text(TEXT[: TEXT.index("\n", 900) + 1])
    for words in (["run", begun, *ALONE], ["run", folder / "mail.svm", *SHARDS]):
        path = folder / f"{len(words)}.lst"
        assert quietly(*words, "--resume", "--save", path).returncode == 0
        yield path.read_bytes()


def certificates(folder: Path) -> Iterator[bytes]:
    """Yield certificates of many learners, the last for the file beside it."""
    for path in sorted((GOLDEN / "certificates").glob("*.json")):
        if ".stream" not in path.name:
            yield path.read_bytes()
    record = run(Perceptron(), streams.svmlight(folder / "mail.svm"), keep="updates")
    yield certify(record).to_json().encode()


def _model(raw: bytes, other: bytes, draw: random.Random) -> bytes:
    return (meant if draw.random() < 0.7 else damaged)(raw, other, draw)


def _certificate(raw: bytes, other: bytes, draw: random.Random) -> bytes:
    if draw.random() < 0.3:
        return damaged(raw, other, draw)
    plain = json.loads(raw)
    del plain["seal"]
    return sealed(mutated(plain, draw)).encode()


def _ledger(raw: bytes, other: bytes, draw: random.Random) -> bytes:
    if draw.random() < 0.3:
        return damaged(raw, other, draw)
    return with_odd_value(raw, draw)


def kinds(folder: Path) -> dict[str, Kind]:
    """Return every kind of file; what they need is written into the folder."""
    mail = folder / "mail.svm"
    mail.write_text(TEXT)
    by_name = ["run", "FILE", "--label", "y", "--quiet"]
    lines = ["run", "FILE", "--format", "svmlight", "--quiet"]
    text = TEXT.encode()
    some = text[: text.index(b"\n", 900) + 1]
    return {
        "arrow": Kind(".arrow", list(arrow_files(folder)), [by_name]),
        "parquet": Kind(".parquet", list(parquet_files(folder)), [by_name]),
        "gzip": Kind(".svm.gz", [gzip(text), gzip(some) * 3], [lines]),
        "zstd": Kind(
            ".svm.zst",
            [zstd.compress(text), zstd.compress(some) * 3, bomb()],
            [lines],
        ),
        "model": Kind(
            ".lst",
            list(model_files(folder)),
            [
                ["inspect", "FILE"],
                ["run", str(mail), "-t", "-i", "FILE", "--quiet"],
                ["run", str(mail), "--save", "FILE", "--resume", "--quiet"],
                ["predict", "FILE", str(mail)],
                ["why", "FILE", str(mail)],
                ["export", "FILE", "--onnx", str(folder / "model.onnx")],
                ["export", "FILE", "--sql", str(folder / "rule.sql")],
                ["export", "FILE", "--python", str(folder / "rule.py")],
                ["inspect", "FILE", "--card"],
            ],
            _model,
        ),
        "checkpoint": Kind(
            ".lst",
            list(checkpoints(folder)),
            [
                ["run", str(mail), *ALONE, "--save", "FILE", "--resume"],
                ["run", str(mail), *SHARDS, "--save", "FILE", "--resume"],
                ["inspect", "FILE"],
            ],
            _model,
        ),
        "certificate": Kind(
            ".json",
            list(certificates(folder)),
            [["verify", "FILE"], ["inspect", "FILE"], ["verify", "FILE", str(mail)]],
            _certificate,
        ),
        "ledger": Kind(
            ".db",
            [served(folder / f"{late}.db", late) for late in ("relearn", "served")],
            [
                ["ledger", "check", "FILE"],
                ["ledger", "export", "FILE", "-o", str(folder / "rows.jsonl")],
                ["ledger", "export", "FILE", "-o", str(folder / "rows.parquet")],
                ["ledger", "forget", "FILE", "o1"],
                ["replay", "FILE"],
                ["replay", "FILE", "--save", str(folder / "replayed.lst")],
                ["replay", "FILE", "-l", "winnow"],
                ["certify", "FILE", "-o", str(folder / "served.json")],
                ["inspect", "FILE"],
            ],
            _ledger,
        ),
    }


def bomb() -> bytes:
    """Return a small file that holds much more than the memory that is allowed."""
    comment = b"#" + bytes(1 << 20) + b"\n"
    return zstd.compress(b"1 1:1\n" + comment * 64) * 20


def call(words: list[str], said: Path) -> int:
    """Call the command line in a process of its own; return how that ended."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)
    code = 70
    try:
        out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.stdout, sys.stderr = (os.fdopen(number, "w") for number in (1, 2))
        most = _addresses() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(PATIENCE)
        sys.argv = ["littlestone", *words]
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        except BaseException:  # noqa: BLE001 - what must not come
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def warm(path: Path) -> None:
    """Load what commands need once, before every fork, and without a thread."""
    quietly("run", path, "--quiet")
    assert list(streams.arrow(table(), label="y"))


def _addresses() -> int:
    """Return how many bytes of addresses this process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def answered(which: str, code: int, said: str) -> bool:
    """Return whether a command ended as it may.

    Models and certificates have to do with the memory that there is.
    """
    starved = "too little memory" in said and which in {
        "model",
        "checkpoint",
        "certificate",
    }
    return code in ANSWERS and "Traceback" not in said and not starved


class Reading:
    """Calls the commands for files in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.kinds = folder, kinds(folder)
        # Typer makes the commands anew for each call, which takes longer than the rest.
        typer.main.get_command = functools.cache(typer.main.get_command)
        warm(folder / "mail.svm")

    def code(self, which: str, raw: bytes, words: list[str]) -> int:
        """Return the exit code of a command for a file, or keep the file and fail."""
        path = self._folder / f"bad{self.kinds[which].suffix}"
        path.write_bytes(raw)
        for beside in self._folder.glob(f"{path.name}-*"):  # notes of a ledger
            beside.unlink()
        said = self._folder / "said.txt"
        code = call([str(path) if word == "FILE" else word for word in words], said)
        text = said.read_text(errors="replace")
        if not answered(which, code, text):
            kept = Path(tempfile.mkdtemp()) / path.name
            kept.write_bytes(raw)
            raise AssertionError(
                f"{' '.join(words)} ended with {code} for {kept}:\n{text[-3000:]}"
            )
        return code


def fuzz(count: int, seed: int, only: str | None = None) -> Counter[str]:
    """Read so many damaged files, and count how that ended."""
    found = Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        reading = Reading(Path(name))
        for which in {"arrow", "parquet", "gzip", "zstd"} & {only or "zstd"}:
            for raw in reading.kinds[which].whole:
                assert reading.code(which, raw, reading.kinds[which].commands[0]) == 0
        for number in range(count):
            draw = random.Random(f"{seed} {number}")  # noqa: S311 - to be drawn again
            which = only or list(reading.kinds)[number % len(reading.kinds)]
            kind = reading.kinds[which]
            raw, other = draw.choice(kind.whole), draw.choice(kind.whole)
            bad, words = kind.damage(raw, other, draw), draw.choice(kind.commands)
            try:
                found[f"{which}: {reading.code(which, bad, words)}"] += 1
            except AssertionError:
                sys.stderr.write(f"seed {seed}, number {number}\n")
                raise
    return found


def parsed() -> Any:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32))
    parser.add_argument("--only", help="one kind of file")
    return parser.parse_args()


if __name__ == "__main__":
    given = parsed()
    sys.stderr.write(f"{given.count:,} damaged files, --seed {given.seed}\n")
    counted = fuzz(given.count, given.seed, given.only)
    sys.stdout.write(json.dumps(dict(sorted(counted.items())), indent=1) + "\n")
