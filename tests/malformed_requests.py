"""Send malformed requests to a real server: no 500, no traceback, no growth.

Mutants of good requests, by bytes and by structure. `make soak` sends 100,000:
python tests/malformed_requests.py 100000 --seed 3
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from live_server import live

PATHS = [
    "/v1/models/m/predictions",
    "/v1/models/m/predictions/a/label",
    "/v1/models/m/labels",
    "/v1/models/m/predictions/a",
    "/v1/models/m",
    "/v1/models/%00",
    "/v1/models/m/predictions/%2e%2e%2f/label",
    "/v1/nothing",
    "/metrics",
]
METHODS = [*["POST"] * 6, *["PUT"] * 3, "GET", "DELETE", "PATCH", "HEAD", "BREW"]
TYPES = [*["application/json"] * 4, *["application/x-ndjson"] * 2, "text/plain", ""]
LEARNERS = [
    *("perceptron", "auto", "multiclass-auto", "vovk-azoury-warmuth", "ada-grad"),
    *("conjunction", "exponential-weights:eta=0.5"),
]
GOOD = [
    b'{"id":"a","features":{"x":1.5,"y":-2}}',
    b'{"label":true}',
    b'{"id":"a","label":0}\n{"id":"b","label":1}',
    b'{"features":{"x":1}}\n{"features":{"y":0.5}}',
    b'{"advice":[1,0]}',
    b'{"text":"hello"}',
]
ODD: list[Any] = [
    None, True, 0, -1, 1e308, "", "x" * 200, [], {}, [[]], {"x": {}}, "\ud800", 10**30
]  # fmt: skip


def mutant(draw: random.Random) -> bytes:
    """Return a request that is most likely wrong."""
    body = bytearray(draw.choice(GOOD))
    kind = draw.randrange(5)
    if kind == 0:
        for _ in range(draw.randrange(1, 6)):
            body[draw.randrange(len(body))] = draw.randrange(256)
    elif kind == 1:
        del body[draw.randrange(len(body)) :]
    elif kind == 2:
        at = draw.randrange(len(body))
        body[at:at] = draw.choice(
            [b"NaN", b"1e999", b'"', b"{", b"\x00", b"\xff", b"[" * 999]
        )
    elif kind == 3:
        names = ["id", "features", "label", "advice", "text", "row", "more"]
        chosen = {
            draw.choice(names): draw.choice(ODD) for _ in range(draw.randrange(4))
        }
        return json.dumps(chosen).encode(errors="surrogatepass")
    return bytes(body)


def memory(process: int) -> int:
    """Return the kilobytes that a process has in memory."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def attack(
    folder: Path, requests: int, seed: int, learner: str = "perceptron"
) -> dict[int, int]:
    """Return how often each status was answered."""
    draw = random.Random(seed)
    statuses: dict[int, int] = {}
    with live(folder, "-l", learner, "--name", "m") as server:
        line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        size = 0
        for number in range(requests):
            headers = {"content-type": draw.choice(TYPES)}
            path, method = draw.choice(PATHS), draw.choice(METHODS)
            body = mutant(draw)
            try:
                line.request(method, path, body, headers)
                answer = line.getresponse()
                said = answer.read()
            except (http.client.HTTPException, OSError):
                line.close()  # the server may hang up on what is not HTTP
                continue
            status = answer.status
            statuses[status] = statuses.get(status, 0) + 1
            assert status < 500, (status, method, path, body, said)
            assert b"Traceback" not in said, said
            assert len(said) < 1_000_000, (method, path, body)
            if number == requests // 2:
                size = memory(server.process.pid)  # type: ignore[union-attr]
        grown = memory(server.process.pid) - size  # type: ignore[union-attr]
        line.close()
        assert grown < 20_000, f"it grew by {grown} kilobytes"
        assert server.ask("GET", "/healthz")[0] == 200
        assert server.stop() == 0
        assert "Traceback" not in server.errors.read_text()
    return statuses


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("requests", type=int)
    words.add_argument("--seed", type=int, default=0)
    given = words.parse_args()
    for number, learner in enumerate(LEARNERS):
        with tempfile.TemporaryDirectory() as folder:
            requests, seed = given.requests // len(LEARNERS), given.seed + number
            statuses = attack(Path(folder) / "data", requests, seed, learner)
        sys.stdout.write(f"{learner}: {dict(sorted(statuses.items()))}; seed {seed}\n")


if __name__ == "__main__":
    main()
