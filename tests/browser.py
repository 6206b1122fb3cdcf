"""A real browser for tests: Debian's Chromium, headless, spoken to through pipes."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

__all__ = ["Browser", "browser"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# Puts two descriptors, first out of the way, where the browser looks for them.
_STARTER = """
import os, sys
from fcntl import F_DUPFD, fcntl
pipes = [fcntl(int(pipe), F_DUPFD, 10) for pipe in sys.argv[1:3]]
for place, pipe in zip((3, 4), pipes):
    os.dup2(pipe, place)
os.execv(sys.argv[3], sys.argv[3:])
"""
_MISSING = "no Chromium on this machine: `make browser` installs it as root"


class Browser:
    """A browser with one page open, by the protocol of its developer tools."""

    def __init__(self, said: int, heard: int) -> None:
        self._said, self._heard = said, heard
        self._number = 0
        self._rest = b""
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method, and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._said, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            some = os.read(self._heard, 1 << 20)
            assert some, "the browser has ended"
            self._rest += some
        message, _, self._rest = self._rest.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        return told

    def start(self) -> None:
        """Open an empty page, cut off from every network."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Network.emulateNetworkConditions",
            offline=True,
            latency=0,
            downloadThroughput=0,
            uploadThroughput=0,
        )

    def open(self, path: Path, *, width: int = 1100, height: int = 900) -> None:
        """Open a file in a window of this size, and wait until it is there."""
        self.events.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.call("Page.navigate", url=path.resolve().as_uri())
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self._next())
        # Whatever has been promised by then has been drawn.
        self.ask(
            "new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))"
        )

    def ask(self, expression: str) -> Any:
        """Return the value of a JavaScript expression on the page."""
        answer = self.call(
            "Runtime.evaluate",
            expression=expression,
            returnByValue=True,
            awaitPromise=True,
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def complaints(self) -> list[str]:
        """Return what the console says: errors, warnings, and what was refused."""
        found = []
        for event in self.events:
            told = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(str(told["exceptionDetails"]))
            elif event.get("method") == "Runtime.consoleAPICalled":
                found.append(f"{told['type']}: {told['args']}")
            elif event.get("method") == "Log.entryAdded":
                found.append(f"{told['entry']['level']}: {told['entry']['text']}")
        return found

    def fetched(self) -> list[str]:
        """Return the addresses of what was asked for, apart from what is within."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
            and not event["params"]["request"]["url"].startswith("data:")
        ]

    def screenshot(self, path: Path) -> None:
        """Keep a picture of the whole page."""
        made = self.call(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(made["data"]))

    def print(self, path: Path) -> None:
        """Print the page on A4."""
        made = self.call(
            "Page.printToPDF",
            paperWidth=8.27,
            paperHeight=11.69,
            preferCSSPageSize=True,
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(made["data"]))


@contextmanager
def browser() -> Iterator[Browser]:
    """Start a browser, or skip the test where there is none."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip(_MISSING)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # It reads commands from descriptor 3 and answers on 4.
        reads, said = os.pipe()
        heard, writes = os.pipe()
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                _STARTER,
                str(reads),
                str(writes),
                found,
                "--headless=new",
                "--no-sandbox",  # which root cannot have
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--hide-scrollbars",
                f"--user-data-dir={folder}",
                "--remote-debugging-pipe",
            ],
            pass_fds=(reads, writes),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(reads)
        os.close(writes)
        try:
            made = Browser(said, heard)
            made.start()
            yield made
        finally:
            os.close(said)
            os.close(heard)
            process.terminate()
            process.wait(60)
