"""How fast the service is, as ratios in one run; all of it on this machine.

Each line compares two servers, or a server and bare SQLite, on the same disk and under
the same clients, which are connections of another process. Both sides take turns, and
the medians are compared: disks that others use change from second to second. Rates are
by the wall clock, so they need an idle machine; beside them is what a row costs of
processor time, which needs it less.

What the service costs beside the disk depends on how long a commit takes. Where one
takes less than where the targets were set, all is measured on an imitated disk too: all
that is compared waits after each commit.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import multiprocessing
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator  # noqa: TC003 - it is run alone
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests"))
from live_server import JSON, Live, free_port, live  # noqa: E402 - beside it

CLIENTS = 64
SENDERS = 4  # of batches
TURNS = 3
FEATURES = {f"feature-{k}": 0.5 for k in range(10)}
NDJSON = {"content-type": "application/x-ndjson"}

ISSUED = 1.7e-3  # seconds a commit took where the targets were set

# The same server with so many requests a commit at most, and commits that wait once the
# disk has done them.
_OURS = """
import sqlite3, sys, time
from littlestone.service import _writer
from littlestone.cli import main
port, folder, group, wait = sys.argv[1:]
class Slow(sqlite3.Connection):
    def execute(self, sql, *values):
        found = super().execute(sql, *values)
        if sql == "COMMIT":
            time.sleep(float(wait))
        return found
connect = sqlite3.connect
if float(wait):
    sqlite3.connect = lambda *words, **names: connect(*words, factory=Slow, **names)
_writer.Writer.__init__.__kwdefaults__["group"] = int(group)
words = ["--port", port, "--data", folder, "-l", "perceptron", "--name", "m"]
sys.argv[:] = ["littlestone", "serve", *words]
main()
"""
_EMPTY = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
async def empty(request):
    await request.body()
    return Response(b"{}", media_type="application/json")
app = Starlette(routes=[Route("/{rest:path}", empty, methods=["GET", "POST", "PUT"])])
uvicorn.run(app, port=int(sys.argv[1]), log_config=None, access_log=False)
"""
# As chantilly does: features and the whole model are pickled into a shelf, the model at
# each label. Nothing is synced, so it may forget what it has answered.
_CHANTILLY = """
import pickle, shelve, sys
from flask import Flask, request
from river.linear_model import PAClassifier
app, folder = Flask("peer"), sys.argv[2]
import threading
lock = threading.Lock()
@app.route("/v1/models/m/predictions", methods=["POST"])
def predict():
    with lock, shelve.open(folder + "/db") as shelf:
        model, x = shelf.get("model") or PAClassifier(), request.json["features"]
        said = model.predict_one(x)
        shelf[request.json["id"]] = x
    return {"prediction": bool(said)}
@app.route("/v1/models/m/predictions/<id>/label", methods=["PUT"])
def learn(id):
    with lock, shelve.open(folder + "/db") as shelf:
        model = shelf.get("model") or PAClassifier()
        model.learn_one(shelf[id], request.json["label"])
        shelf["model"] = model
    return {}
from werkzeug.serving import WSGIRequestHandler
WSGIRequestHandler.protocol_version = "HTTP/1.1"  # lines stay open, as ours do
import logging
logging.getLogger("werkzeug").disabled = True
app.run(port=int(sys.argv[1]), threaded=True)
"""


class _Client(asyncio.Protocol):
    """Sends requests over one line, each after the answer to the one before.

    A client that parses HTTP properly takes longer than the server that is measured.
    """

    def __init__(self, requests: list[bytes], port: int) -> None:
        self._left, self._said, self._port = iter(requests), b"", port
        self._again: Any = None  # the next line, if a peer closes after each answer
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self._line = transport
        if self._again is not None:
            self.send()

    def connection_lost(self, _: Exception | None) -> None:
        if not self.done.done():
            loop = asyncio.get_running_loop()
            line = loop.create_connection(lambda: self, "127.0.0.1", self._port)
            self._again = loop.create_task(line)

    def send(self) -> None:
        request = next(self._left, None)
        if request is None:
            self.done.set_result(None)
            self._line.close()
        else:
            self._line.write(request)

    def data_received(self, data: bytes) -> None:
        self._said += data
        head, blank, body = self._said.partition(b"\r\n\r\n")
        if not blank:
            return
        length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
        if len(body) < int(length):
            return
        if not head[9:10] == b"2":
            raise RuntimeError(head)
        self._said = b""
        if b"connection: close" not in head.lower():
            self.send()


def ask_many(
    port: int, requests: list[tuple[str, str, bytes]], clients: int, out: Any
) -> None:
    """Send requests over some lines at once; put the seconds it took."""
    import uvloop  # noqa: PLC0415 - only clients need it

    raw = [
        b"%b %b HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/%b\r\n"
        b"content-length: %d\r\n\r\n%b"
        % (
            method.encode(),
            path.encode(),
            b"x-ndjson" if b"\n" in body else b"json",
            len(body),
            body,
        )
        for method, path, body in requests
    ]

    async def all_of_them() -> float:
        loop = asyncio.get_running_loop()
        lines = []
        for k in range(clients):
            made = loop.create_connection(
                lambda k=k: _Client(raw[k::clients], port), "127.0.0.1", port
            )
            lines.append((await made)[1])
        begun = time.perf_counter()
        for line in lines:
            line.send()
        await asyncio.gather(*(line.done for line in lines))
        return time.perf_counter() - begun

    out.put(uvloop.run(all_of_them()))


class Rate(NamedTuple):
    """How fast something went: rows a second, and microseconds of processor time."""

    rows: float
    cpu: float


def rate(
    peer: Peer,
    requests: list[tuple[str, str, bytes]],
    clients: int = CLIENTS,
    rows: int = 1,
) -> Rate:
    """Return how fast requests were answered, asked from another process."""
    out: Any = multiprocessing.Queue()
    process = multiprocessing.Process(
        target=ask_many, args=(peer.port, requests, clients, out)
    )
    before = processor_time(peer.pid)
    process.start()
    took: float = out.get()
    process.join()
    total = len(requests) * rows
    return Rate(total / took, (processor_time(peer.pid) - before) / total * 1e6)


def processor_time(pid: int) -> float:
    """Return the seconds of processor time of a process; 0 where there is no /proc."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def median(rates: list[Rate]) -> Rate:
    return Rate(
        statistics.median(each.rows for each in rates),
        statistics.median(each.cpu for each in rates),
    )


def asked(count: int, tag: str) -> list[tuple[str, str, bytes]]:
    path = "/v1/models/m/predictions"
    return [
        ("POST", path, json.dumps({"id": f"{tag}{k}", "features": FEATURES}).encode())
        for k in range(count)
    ]


def labelled(count: int, tag: str) -> list[tuple[str, str, bytes]]:
    return [
        ("PUT", f"/v1/models/m/predictions/{tag}{k}/label", b'{"label":true}')
        for k in range(count)
    ]


def batches(path: str, rows: list[bytes]) -> list[tuple[str, str, bytes]]:
    return [
        ("POST", f"/v1/models/m/{path}", b"\n".join(rows[first : first + 1000]))
        for first in range(0, len(rows), 1000)
    ]


class Peer(NamedTuple):
    """A server that is measured."""

    port: int
    pid: int


@contextmanager
def other(script: str, *words: str) -> Iterator[Peer]:
    """Run a script that serves on a port."""
    port = free_port()
    command = [sys.executable, "-c", script, str(port), *words]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(2400):
            try:
                http.client.HTTPConnection("127.0.0.1", port, timeout=5).connect()
                break
            except OSError:
                time.sleep(0.05)
        yield Peer(port, process.pid)
    finally:
        process.terminate()
        process.wait()


def bare(folder: Path, rows: int, together: int, wait: float = 0.0) -> Rate:
    """Return how fast SQLite alone inserts rows, so many a commit, which waits."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        base = sqlite3.connect(Path(own) / "bare.db", isolation_level=None)
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = FULL")
        base.execute("CREATE TABLE t (seq INTEGER PRIMARY KEY, id TEXT, body BLOB)")
        body = json.dumps({"features": FEATURES}).encode()
        begun, spent = time.perf_counter(), time.process_time()
        for first in range(0, rows, together):
            base.execute("BEGIN")
            last = min(rows, first + together)
            some = ((k, f"p{k}", body) for k in range(first, last))
            base.executemany("INSERT INTO t VALUES (?, ?, ?)", some)
            base.execute("COMMIT")
            if wait:
                time.sleep(wait)
        took, spent = time.perf_counter() - begun, time.process_time() - spent
        base.close()
    return Rate(rows / took, spent / rows * 1e6)


def latency(port: int, requests: list[tuple[str, str, bytes]]) -> float:
    """Return the median seconds of a request of one client alone."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    took = []
    for method, path, body in requests:
        begun = time.perf_counter()
        line.request(method, path, body, JSON)
        line.getresponse().read()
        took.append(time.perf_counter() - begun)
    line.close()
    return statistics.median(took)


def tell(
    what: str, ours: Rate, peer: Rate, target: float, ratio: float | None = None
) -> None:
    ratio = ours.rows / peer.rows if ratio is None else ratio
    met = "yes" if ratio >= target else "NO"
    print(
        f"{what:50} {ours.rows:9.0f} {peer.rows:9.0f} {ratio:7.2f} {target:6} {met:3} "
        f"{ours.cpu:7.1f} {peer.cpu:7.1f}"
    )


def tell_turns(what: str, found: dict[str, list[Rate]]) -> None:
    """Compare turn by turn: a commit may take ten times as long a second later."""
    together, apart = found["together"], found["apart"]
    turns = [a.rows / b.rows for a, b in zip(together, apart, strict=True)]
    tell(what, median(together), median(apart), 10, statistics.median(turns))
    took = sorted(1e3 / each.rows for each in found["commits"])
    print(
        f"  by turn {min(turns):.1f} to {max(turns):.1f}; a commit alone took "
        f"{took[0]:.2f} to {took[-1]:.2f} ms"
    )


def mean(one: Rate, other: Rate) -> Rate:
    """Return the rate of as many rows of each."""
    rows = 2 / (1 / one.rows + 1 / other.rows)
    return Rate(rows, (one.cpu + other.cpu) / 2)


def measure(folder: Path, count: int) -> None:
    with other(_EMPTY) as empty:
        commit = 1 / bare(folder, 300, 1).rows
        head = "a second", "ours", "peer", "ratio", "target", "met", "us/row", "peer's"
        print("{:50} {:>9} {:>9} {:>7} {:>6} {:3} {:>7} {:>7}".format(*head))
        labels = on_disk(folder / "disk", empty, count, 0.0)
        if commit < ISSUED:
            print(f"\nthe same where a commit takes {1e3 * ISSUED:.1f} ms, by waiting:")
            on_disk(folder / "slow", empty, count, ISSUED - commit)
    try:
        import flask  # noqa: F401, PLC0415 - only to see whether it is there
    except ImportError:
        print("Flask is not installed, so River behind it was not measured")
        return
    print("\nRiver, which is not synced, on this disk:")
    with other(_CHANTILLY, str(folder)) as peer:
        rate(peer, asked(count // 8, "a"))
        saved = rate(peer, labelled(count // 8, "a"))
    tell("labels, 64 clients, beside River saved at each", labels, saved, 10)


def on_disk(folder: Path, empty: Peer, count: int, wait: float) -> Rate:
    """Tell all lines where each commit waits; return how fast labels came."""
    folder.mkdir()
    found: dict[str, list[Rate]] = {}

    def note(name: str, measured: Rate) -> None:
        found.setdefault(name, []).append(measured)

    few = max(CLIENTS, count // 8)
    with (
        other(_OURS, str(folder / "ours"), "4096", str(wait)) as ours,
        other(_OURS, str(folder / "alone"), "1", str(wait)) as alone,
    ):
        for turn in range(TURNS):
            note("commits", bare(folder, 300, 1, wait))
            note("nothing", rate(empty, asked(count, "e")))
            note("single", rate(ours, asked(count, f"a{turn}-")))
            note("together", rate(ours, labelled(count, f"a{turn}-")))
            rate(alone, asked(few, f"a{turn}-"))
            note("apart", rate(alone, labelled(few, f"a{turn}-")))
            rows = [
                json.dumps({"id": f"b{turn}-{k}", "features": FEATURES}).encode()
                for k in range(8 * count)
            ]
            note("bare", bare(folder, len(rows), 256, wait))
            some = batches("predictions", rows)
            note("many", rate(ours, some, SENDERS, 1000))
            rows = [
                b'{"id":"b%d-%d","label":true}' % (turn, k) for k in range(len(rows))
            ]
            note("told", rate(ours, batches("labels", rows), SENDERS, 1000))
        one = latency(ours.port, asked(200, "l")) - latency(empty.port, asked(200, "l"))
    middle = {name: median(rates) for name, rates in found.items()}
    what = "predictions, 64 clients, beside an empty route"
    tell(what, middle["single"], middle["nothing"], 0.4)
    tell_turns("labels, 64 clients, beside a commit for each", found)
    what = "batches of 1,000 beside bare SQLite, 256 a commit"
    tell(what, middle["many"], middle["bare"], 0.4)
    what = "labels in batches of 1,000 beside the same"
    tell(what, middle["told"], middle["bare"], 0)
    commit = 1 / middle["commits"].rows
    met = "yes" if one <= 2 * commit else "NO"
    what = "one client: commits above an empty route (at most 2)"
    print(f"{what:50} {one / commit:5.2f} of {1e3 * commit:.2f} ms {met:>17}")
    path = folder / "ours" / "m" / "ledger.db"
    again = median([_replay(path) for _ in range(TURNS)])
    came = mean(middle["single"], middle["together"])
    tell("replay beside single requests as they came", again, came, 20)
    return middle["together"]


def send(server: Live, path: str, rows: list[bytes]) -> None:
    for method, where, body in batches(path, rows):
        try:
            server.ask(method, where, body, headers=NDJSON)
        except TimeoutError:  # a machine may pause; each row counts once however often
            server.ask(method, where, body, headers=NDJSON)
            print(f"no answer to {path} in time, but when asked again; the log says:")
            print(server.errors.read_text())


def memory(folder: Path, total: int) -> None:
    """Print the server's memory over many predictions with labels, then without."""
    with live(folder / "memory", "-l", "perceptron", "--name", "m") as server:
        process: Any = server.process
        status = Path(f"/proc/{process.pid}/status")

        def resident() -> int:
            return int(status.read_text().partition("VmRSS:")[2].split()[0]) // 1024

        print(f"{'rows':>10} {'labelled':>10} {'open':>10} {'MB':>6}")
        for labelled in (True, False):
            for first in range(0, total, 1000):
                ids = [f"{labelled}{k}" for k in range(first, first + 1000)]
                asked = [{"id": id_, "features": FEATURES} for id_ in ids]
                send(server, "predictions", [json.dumps(x).encode() for x in asked])
                if labelled:
                    told = [{"id": id_, "label": len(id_) % 2} for id_ in ids]
                    send(server, "labels", [json.dumps(y).encode() for y in told])
                if (first + 1000) % (total // 5) == 0:
                    state = server.ask("GET", "/v1/models/m")[1]
                    seq, done, left = (state[n] for n in ("seq", "rounds", "open"))
                    print(f"{seq:10} {done:10} {left:10} {resident():6}")


def _replay(path: Path) -> Rate:
    from littlestone.service import replay  # noqa: PLC0415 - not in the clients

    begun, spent = time.perf_counter(), time.process_time()
    rows = replay(path).rows
    took, spent = time.perf_counter() - begun, time.process_time() - spent
    return Rate(rows / took, spent / rows * 1e6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=4000)
    parser.add_argument("--memory", type=int, help="rows over which to show memory")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        if chosen.memory:
            memory(Path(folder), chosen.memory)
        else:
            measure(Path(folder), chosen.requests)


if __name__ == "__main__":
    main()
