"""How fast the service is, as ratios in one run; all of it on this machine.

Each line compares two servers, or a server and bare SQLite, on the same disk and under
the same clients, which are threads of another process. Times are by the wall clock, so
they need an idle machine.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator  # noqa: TC003 - it is run alone
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests"))
from live_server import JSON, Live, free_port, live  # noqa: E402 - beside it

CLIENTS = 64
FEATURES = {f"feature-{k}": 0.5 for k in range(10)}
NDJSON = {"content-type": "application/x-ndjson"}

# The same server with one commit for each request, and one that answers nothing.
_ALONE = """
import sys
from littlestone.service import _writer
_writer.Writer.__init__.__kwdefaults__["group"] = 1
from littlestone.cli import main
port, folder = sys.argv[1:]
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
# As chantilly does: the whole model is pickled and saved at each request.
_CHANTILLY = """
import pickle, shelve, sys
from flask import Flask, request
from river.linear_model import PAClassifier
app, folder = Flask("peer"), sys.argv[2]
@app.route("/readyz")
def ready():
    return {}
@app.route("/v1/models/m/predictions/<id>/label", methods=["PUT"])
def learn(id):
    with shelve.open(folder + "/db") as shelf:
        model = shelf.get("model") or PAClassifier()
        model.learn_one(dict(shelf.get(id) or {"x": 1.0}), request.json["label"])
        shelf["model"] = model
    return {}
app.run(port=int(sys.argv[1]), threaded=False)
"""


def ask_many(port: int, requests: list[tuple[str, str, bytes]], out: Any) -> None:
    """Send requests over some lines at once; put the seconds it took."""
    shares = [requests[k::CLIENTS] for k in range(CLIENTS)]
    begin = threading.Barrier(len(shares) + 1)

    def one(share: list[tuple[str, str, bytes]]) -> None:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        line.connect()
        begin.wait()
        for method, path, body in share:
            line.request(method, path, body, JSON)
            answer = line.getresponse()
            answer.read()
            if answer.status >= 300:
                raise RuntimeError(answer.status)
        line.close()

    threads = [threading.Thread(target=one, args=(share,)) for share in shares]
    for thread in threads:
        thread.start()
    begin.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    out.put(time.perf_counter() - begun)


def rate(port: int, requests: list[tuple[str, str, bytes]]) -> float:
    """Return the requests a second, asked from another process."""
    out: Any = multiprocessing.Queue()
    process = multiprocessing.Process(target=ask_many, args=(port, requests, out))
    process.start()
    took: float = out.get()
    process.join()
    return len(requests) / took


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


def batch(server: Live, path: str, rows: list[bytes]) -> None:
    for first in range(0, len(rows), 1000):
        body = b"\n".join(rows[first : first + 1000])
        server.ask("POST", f"/v1/models/m/{path}", body, headers=NDJSON)


@contextmanager
def other(script: str, *words: str) -> Iterator[int]:
    """Run a script that serves on a port."""
    port = free_port()
    command = [sys.executable, "-c", script, str(port), *words]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                http.client.HTTPConnection("127.0.0.1", port, timeout=5).connect()
                break
            except OSError:
                time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait()


def bare(folder: Path, rows: int, together: int) -> float:
    """Return the rows a second that SQLite alone inserts, so many a commit."""
    base = sqlite3.connect(folder / f"bare-{together}.db", isolation_level=None)
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("PRAGMA synchronous = FULL")
    base.execute("CREATE TABLE t (seq INTEGER PRIMARY KEY, id TEXT, body BLOB)")
    body = json.dumps({"features": FEATURES}).encode()
    begun = time.perf_counter()
    for first in range(0, rows, together):
        base.execute("BEGIN")
        some = ((k, f"p{k}", body) for k in range(first, min(rows, first + together)))
        base.executemany("INSERT INTO t VALUES (?, ?, ?)", some)
        base.execute("COMMIT")
    took = time.perf_counter() - begun
    base.close()
    return rows / took


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


def tell(what: str, ours: float, peer: float, target: float, unit: str) -> None:
    ratio = ours / peer
    met = "yes" if ratio >= target else "NO"
    print(f"{what:58} {ours:10.0f} {peer:10.0f} {unit:8} {ratio:7.2f} {target:6} {met}")


def measure(folder: Path, count: int) -> None:
    words = ("-l", "perceptron", "--name", "m")
    rows = [
        json.dumps({"id": f"b{k}", "features": FEATURES}).encode()
        for k in range(20 * count)
    ]
    commit = 1 / bare(folder, 300, 1)
    with live(folder / "ours", *words) as server, other(_EMPTY) as empty:
        nothing = rate(empty, asked(count, "e"))
        single = rate(server.port, asked(count, "a"))
        tell(
            "predictions, 64 clients, beside an empty route",
            single,
            nothing,
            0.4,
            "a second",
        )
        together = rate(server.port, labelled(count, "a"))
        alone, idle = (
            latency(server.port, asked(200, "l")),
            latency(empty, asked(200, "l")),
        )
        above = (alone - idle) / commit
        met = "yes" if above <= 2 else "NO"
        what = "one client: commits above an empty route"
        print(f"{what:58} {above:10.2f} (at most 2) {met}")
        begun = time.perf_counter()
        batch(server, "predictions", rows)
        many = len(rows) / (time.perf_counter() - begun)
        tell(
            "batches of 1,000 beside bare SQLite, 256 a commit",
            many,
            bare(folder, 20 * count, 256),
            0.4,
            "rows/s",
        )
        begun = time.perf_counter()
        batch(
            server,
            "labels",
            [b'{"id":"b%d","label":true}' % k for k in range(len(rows))],
        )
        told = len(rows) / (time.perf_counter() - begun)
        print(f"{'labels in batches of 1,000':58} {told:10.0f} a second")
        server.stop()
    seconds: dict[str, float] = {}
    _replay(folder / "ours" / "m" / "ledger.db", seconds)
    each = seconds["rows"] / seconds["took"]
    tell("replay beside single labels as they came", each, together, 20, "rows/s")
    few = max(64, count // 10)
    with other(_ALONE, str(folder / "alone")) as port:
        rate(port, asked(few, "a"))
        apart = rate(port, labelled(few, "a"))
    tell(
        "labels, 64 clients, beside a commit for each", together, apart, 10, "a second"
    )
    try:
        import flask  # noqa: F401, PLC0415 - only to see whether it is there
    except ImportError:
        print("Flask is not installed, so River behind it was not measured")
        return
    with other(_CHANTILLY, str(folder)) as port:
        saved = rate(port, labelled(few, "a"))
    tell(
        "labels, 64 clients, beside River saved at each request",
        together,
        saved,
        10,
        "a second",
    )


def _replay(path: Path, seconds: dict[str, float]) -> None:
    from littlestone.service import replay  # noqa: PLC0415 - not in the clients

    begun = time.perf_counter()
    seconds["rows"] = replay(path).rows
    seconds["took"] = time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=4000)
    chosen = parser.parse_args()
    head = "what", "ours", "peer", "", "ratio", "target", "met"
    print("{:58} {:>10} {:>10} {:8} {:>7} {:>6} {}".format(*head))
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        measure(Path(folder), chosen.requests)


if __name__ == "__main__":
    main()
