"""A real server in a process of its own, which tests may kill."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Live", "ask", "free_port", "live"]

JSON = {"content-type": "application/json"}
_PATIENCE = 60.0


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        port: int = made.getsockname()[1]
        return port


def ask(
    port: int,
    method: str,
    path: str,
    body: Any = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, Any]:
    """Return the status and the JSON of one request."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    try:
        text = body if isinstance(body, (bytes, type(None))) else json.dumps(body)
        line.request(method, path, text, headers or (JSON if text else {}))
        answer = line.getresponse()
        said = answer.read()
        if "json" in answer.headers.get("content-type", "") and b"\n" not in said:
            return answer.status, json.loads(said)
        return answer.status, said
    finally:
        line.close()


class Live:
    """A server, with what it is started with."""

    def __init__(self, folder: Path, *words: str, port: int | None = None) -> None:
        self.folder, self.port = folder, port or free_port()
        self._words = words
        self.process: subprocess.Popen[str] | None = None
        self.errors = folder.parent / f"{folder.name}.log"

    def start(self, *, wait: bool = True) -> None:
        with self.errors.open("a") as log:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "littlestone", "serve"),
                    *("--data", str(self.folder), "--port", str(self.port)),
                    *self._words,
                ],
                stderr=log,
                text=True,
            )
        if wait:
            self.wait()

    def wait(self) -> None:
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            assert self.process is not None
            if self.process.poll() is not None:
                break
            try:
                if self.ask("GET", "/readyz")[0] == 200:
                    return
            except OSError:
                time.sleep(0.02)
        raise AssertionError(self.errors.read_text())

    def ask(
        self, method: str, path: str, body: Any = None, **how: Any
    ) -> tuple[int, Any]:
        return ask(self.port, method, path, body, **how)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(_PATIENCE)


@contextmanager
def live(folder: Path, *words: str) -> Iterator[Live]:
    server = Live(folder, *words)
    server.start()
    try:
        yield server
    finally:
        if server.process is not None and server.process.poll() is None:
            server.kill()
