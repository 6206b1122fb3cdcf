"""The client: retries with the same id, batches, sync and async."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from littlestone.client import AsyncClient, Client, ServiceError
from littlestone.errors import ParameterError
from live_server import live


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
