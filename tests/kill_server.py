"""Kill the server at random moments while clients that retry use it.

Whatever was acknowledged must be in the ledger, once, the ledger must replay, and the
certificate of its run must be accepted.
`make soak` does it 500 times: python tests/kill_server.py 500 --seed 3
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from littlestone import verify
from littlestone.service import Ledger, ServedModel, arrivals, certify_ledger
from live_server import JSON, Live

CLIENTS = 4

# Imports once what every server needs, and then forks one for each line that it reads.
_NURSERY = """
import os, signal, sys
from littlestone.cli import main
import littlestone.cli.serve, littlestone.service._app, littlestone.service._patience
import littlestone.service._config, uvicorn.lifespan.on, uvicorn.loops.auto
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they ended
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
words = ["littlestone", "serve", *sys.argv[2:]]
for line in sys.stdin:
    child = os.fork()
    if not child:
        os.dup2(log, 2)
        sys.argv[:] = words
        try:
            main()
        finally:
            os._exit(1)
    print(child, flush=True)
"""


class Forked(Live):
    """A server that is there sooner after a kill: its imports were made before."""

    def start(self, *, wait: bool = True) -> None:
        if self.process is None:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            where = "--data", str(self.folder), "--port", str(self.port)
            self.process = subprocess.Popen(
                [sys.executable, "-c", _NURSERY, self.errors, *where, *self._words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("start\n")
        self.process.stdin.flush()
        self.child = int(self.process.stdout.readline())
        if wait:
            self.wait()

    def kill(self) -> None:
        os.kill(self.child, signal.SIGKILL)
        while Path(f"/proc/{self.child}").exists():  # until its locks are gone
            time.sleep(0.001)

    def end(self) -> None:
        """Kill the server, and end the process that forks servers."""
        self.kill()
        assert self.process is not None
        self.process.communicate("")


class Client(threading.Thread):
    """Predicts and labels, and sends again whatever was not answered."""

    def __init__(self, port: int, number: int, seed: int) -> None:
        super().__init__(daemon=True)
        self.port, self.number = port, number
        self.draw = random.Random(seed * 100 + number)
        self.predicted: dict[str, Any] = {}
        self.labelled: dict[str, bool] = {}
        self.over = self.fault = None
        self.line: http.client.HTTPConnection | None = None

    def run(self) -> None:
        made, waiting = 0, []
        try:
            while self.over is None:
                id_ = f"client-{self.number}-{made}"
                made += 1
                x = {f"f{self.draw.randrange(30)}": self.draw.choice([1, 0.5, -2.25])}
                said = self.until("POST", "predictions", {"id": id_, "features": x})
                if said is None:
                    return
                self.predicted[id_] = (x, said["prediction"], said["seq"])
                waiting.append(id_)
                while len(waiting) > 3 or (waiting and self.draw.random() < 0.4):
                    id_ = waiting.pop(self.draw.randrange(len(waiting)))
                    y = self.draw.random() < 0.5
                    path = f"predictions/{id_}/label"
                    if self.until("PUT", path, {"label": y}) is None:
                        return
                    self.labelled[id_] = y
        except BaseException as fault:  # noqa: BLE001 - told by the main thread
            self.fault = fault  # type: ignore[assignment]
        finally:
            if self.line is not None:
                self.line.close()

    def until(self, method: str, path: str, body: Any) -> Any:
        """Return the answer, however often the server is gone."""
        while self.over is None:
            try:
                if self.line is None:
                    self.line = http.client.HTTPConnection(
                        "127.0.0.1", self.port, timeout=30
                    )
                self.line.request(
                    method, f"/v1/models/m/{path}", json.dumps(body), JSON
                )
                answer = self.line.getresponse()
                said = json.loads(answer.read())
            except (OSError, http.client.HTTPException, ValueError):
                if self.line is not None:
                    self.line.close()
                self.line = None
                time.sleep(0.01)
                continue
            if answer.status < 300:
                return said
            assert answer.status == 503, (answer.status, said)
        return None


def kill_often(folder: Path, kills: int, seed: int, learner: str = "perceptron") -> int:
    """Return how many rows were acknowledged in all."""
    draw = random.Random(seed)
    server = Forked(folder, "--name", "m", "-l", learner)
    clients = [Client(server.port, number, seed) for number in range(CLIENTS)]
    server.start()
    for client in clients:
        client.start()
    try:
        for _ in range(kills):
            time.sleep(draw.random() * 0.4)
            server.kill()
            server.start(wait=draw.random() < 0.8)
        server.wait()
        time.sleep(0.2)
    finally:
        for client in clients:
            client.over = True  # type: ignore[assignment]
        for client in clients:
            client.join(60)
        server.end()
    for client in clients:
        if client.fault is not None:
            raise client.fault
    return check(folder / "m", clients)


def check(folder: Path, clients: list[Client]) -> int:
    """Compare what clients were told with what is on the disk."""
    with Ledger(folder / "ledger.db") as ledger:
        ledger.check()
        found: dict[str, dict[str, Any]] = {}
        for row in ledger.rows(after=1):
            kinds = found.setdefault(row.id or "", {})
            assert row.kind not in kinds, f"{row.id} has two rows of {row.kind}"
            kinds[row.kind] = row
        for client in clients:
            for id_, (x, said, seq) in client.predicted.items():
                row = found[id_]["predict"]
                assert json.loads(row.body) == {"features": x}
                assert (json.loads(row.said)["prediction"], row.seq) == (said, seq)
            for id_, y in client.labelled.items():
                assert json.loads(found[id_]["label"].body) is y
        model = ServedModel(ledger)  # which plays every row and compares every answer
        quick = ServedModel(ledger, snapshot=folder / "snapshot.lst")
        assert model.learner.save_state().keys() == quick.learner.save_state().keys()
        assert dict(model.learner.weights_) == dict(quick.learner.weights_)  # type: ignore[attr-defined]
        assert model.recorder.record() == quick.recorder.record()
    certificate = certify_ledger(folder / "ledger.db")
    with arrivals(folder / "ledger.db") as rounds:
        assert verify(certificate, rounds).accepted
    return sum(len(each.predicted) + len(each.labelled) for each in clients)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("kills", type=int)
    words.add_argument("--seed", type=int, default=0)
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = kill_often(Path(folder) / "data", given.kills, given.seed)
    sys.stdout.write(
        f"{given.kills} kills, {rows} acknowledged rows, all there; seed {given.seed}\n"
    )


if __name__ == "__main__":
    main()
