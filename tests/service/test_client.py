"""The client: retries with the same id, batches, sync and async."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from littlestone.client import AsyncClient, Client, ServiceError
from littlestone.errors import ParameterError
from live_server import live

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_a_client_predicts_labels_and_looks(tmp_path: Path) -> None:
    with live(tmp_path / "data", "-l", "perceptron", "--name", "m") as server:
        url = f"http://127.0.0.1:{server.port}"
        with Client(url, "m", batch=7) as client:
            said = client.predict(features={"x": 1})
            assert said["prediction"] is True
            assert client.predict({"x": 1}, id=said["id"]) == said
            with pytest.raises(ServiceError, match="text"):
                client.predict("cheap pills")  # of which the model knows nothing
            with pytest.raises(ParameterError, match=r"got \[1, 2\]"):
                client.predict([1, 2])  # type: ignore[arg-type]
            with pytest.raises(ParameterError, match="got features twice"):
                client.predict({"x": 1}, features={"x": 2})
            assert client.label(said["id"], False)["mistake"] is True
            assert client.label(said["id"], False)["already"] is True
            with pytest.raises(ServiceError) as caught:
                client.label(said["id"], True)
            assert (caught.value.status, caught.value.code) == (409, "conflict")
            assert client.look(said["id"])["state"] == "labelled"
            many = list(client.predict_many({"features": {"x": k}} for k in range(20)))
            assert [each["status"] for each in many] == [201] * 20
            told = client.label_many({each["id"]: True for each in many})
            assert [each["status"] for each in told] == [200] * 20
            assert client.card()["rounds"] == 21
        asyncio.run(_awaited(url))
        # The server is gone for a while; the client waits for it.
        server.kill()
        with Client(url, "m", retry=0.1) as client, pytest.raises(ServiceError):
            client.card()
        server.start(wait=False)
        with Client(url, "m", retry=60) as client:
            assert client.card()["rounds"] == 23


async def _awaited(url: str) -> None:
    async with AsyncClient(url, "m") as client:
        said = await asyncio.gather(
            client.predict(id="p0", features={"x": 1}),
            client.predict({"x": 1}, id="p1"),
        )
        assert [each["id"] for each in said] == ["p0", "p1"]
        assert (await client.label("p0", True))["already"] is False
        rows = [each async for each in client.label_many({"p1": True, "none": True})]
        assert [each["status"] for each in rows] == [200, 404]
        rows = [each async for each in client.predict_many([{"features": {"x": 1}}])]
        assert rows[0]["status"] == 201
        assert (await client.look("p1"))["state"] == "labelled"
        assert (await client.card())["open"] == 1


@contextmanager
def unreliable() -> Iterator[tuple[str, list[tuple[str, str, bytes]]]]:
    """Serve who loses the first answer to each request, and is busy the second time.

    Give its address, and the requests as they come.
    """
    came: list[tuple[str, str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            size = int(self.headers["content-length"])
            request = self.command, self.path, self.rfile.read(size)
            came.append(request)
            self.close_connection = True
            if came.count(request) == 1:
                return
            kind = self.headers["content-type"]
            self.send_response(503 if came.count(request) == 2 else 200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(size))
            self.end_headers()
            self.wfile.write(request[2])

        do_PUT = do_POST  # noqa: N815 - as its base asks for it

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", came
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_what_is_not_answered_is_sent_again_as_it_was() -> None:
    with unreliable() as (url, came), Client(url, "m") as client:
        said = client.predict({"x": 1})
        client.label(said["id"], True)
        many = list(client.predict_many([{"features": {"x": k}} for k in range(3)]))
        asyncio.run(_sent_again(url))
    assert len({each["id"] for each in many}) == 3
    sent = Counter(came)
    assert len(sent) == 5
    assert {*sent.values()} == {3}


async def _sent_again(url: str) -> None:
    async with AsyncClient(url, "m") as client:
        said = await client.predict({"x": 1})
        await client.label(said["id"], True)


def test_a_client_needs_nothing_else_of_the_library() -> None:
    script = "import sys, littlestone.client; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", script], text=True).split()
    assert not {"numpy", "starlette", "typer", "littlestone.running"} & set(loaded)


@pytest.mark.soak
def test_the_demo_shows_two_weeks(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "littlestone", "demo", "--serve", "--seconds", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "clicks: every answer again as it was served" in done.stdout
    assert "votes: every answer again as it was served" in done.stdout
