"""The server as a process: killed, stopped, started twice, on a full disk."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from kill_server import kill_often
from littlestone.errors import LedgerError, ParameterError
from littlestone.linear import Perceptron
from littlestone.service import Ledger, ServedModel, _writer
from littlestone.service._serving import Plan, open_model
from littlestone.service._writer import StoppedError, Writer
from live_server import Live, live


def test_a_server_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    assert kill_often(tmp_path / "data", kills=2, seed=1) > 10


def test_a_server_that_is_stopped_answers_first_and_saves(tmp_path: Path) -> None:
    with live(tmp_path / "data", "-l", "perceptron") as server:
        path = "/v1/models/perceptron/predictions"
        assert server.ask("POST", path, {"id": "a", "features": {"x": 1}})[0] == 201
        assert server.ask("PUT", f"{path}/a/label", {"label": 0})[0] == 200
        assert server.stop() == 0
    folder = tmp_path / "data" / "perceptron"
    assert not (folder / "ledger.db-wal").exists()
    with Ledger(folder / "ledger.db") as ledger:
        model = ServedModel(ledger, snapshot=folder / "snapshot.lst")
        assert model.learner.weights_ == {"x": -1.0}  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("live") / "data"
    with live(folder, "-l", "perceptron", "--name", "m") as started:
        yield started


def test_events_resume_after_the_last_one(server: Live) -> None:
    for number in range(3):
        body = {"id": f"p{number}", "features": {"x": 1}}
        server.ask("POST", "/v1/models/m/predictions", body)
    server.ask("PUT", "/v1/models/m/predictions/p1/label", {"label": 0})
    seen = events(server, "/v1/events?after=0", 5)
    assert [row["kind"] for _, row in seen] == ["birth", *["predict"] * 3, "label"]
    assert seen[-1][1]["mistake"] is True
    again = events(server, "/v1/events", 2, {"last-event-id": seen[2][0]})
    assert again == seen[3:]
    for wrong in ("x", "m", "m=-1", "m=1,,"):
        assert server.ask("GET", f"/v1/events?after={wrong}")[0] == 422
    assert server.ask("GET", "/v1/events?model=nobody")[0] == 404


def events(
    server: Live, path: str, count: int, headers: dict[str, str] | None = None
) -> list[tuple[str, Any]]:
    """Return the first rows of a stream of events, each with its id."""
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    line.request("GET", path, headers=headers or {})
    answer, at = line.getresponse(), ""
    found: list[tuple[str, Any]] = []
    while len(found) < count:
        name, _, said = answer.readline().decode().strip().partition(": ")
        if name == "id":
            at = said
        elif name == "data" and at:
            found.append((at, json.loads(said)))
            at = ""
    line.close()
    return found


def test_a_second_server_on_the_same_folder_is_refused(server: Live) -> None:
    second = Live(server.folder, "-l", "perceptron", "--name", "m")
    second.start(wait=False)
    assert second.process is not None
    assert second.process.wait(60) == 2
    assert "must not be in use" in second.errors.read_text()
    assert server.ask("GET", "/healthz")[0] == 200


def test_a_ledger_keeps_its_learner_and_its_rule(tmp_path: Path) -> None:
    open_model(Plan("m", Perceptron()), tmp_path).ledger.close()
    for plan, wrong in (
        (Plan("m", Perceptron(bias=1)), "was begun with Perceptron("),
        (Plan("m", None, late="served"), "was begun with late 'relearn'"),
        (Plan("m", None, declare={"margin": 1}), "was begun with declare {}"),
        (Plan("other", None), "needs a learner to begin with"),
    ):
        with pytest.raises(LedgerError, match=re.escape(wrong)):
            open_model(plan, tmp_path)
    open_model(Plan("m", None), tmp_path).ledger.close()
    for name in ("", "M", "../m", "a/b", "x" * 65):
        with pytest.raises(ParameterError, match="small letters"):
            Plan(name, None)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_stops_the_answers_and_loses_nothing(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["/bin/mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        acknowledged = []
        with live(disk / "data", "-l", "perceptron", "--name", "m") as server:
            for number in range(2000):
                body = {"id": f"p{number}", "features": {f"f{number}-{'x' * 2000}": 1}}
                status, said = server.ask("POST", "/v1/models/m/predictions", body)
                if status != 201:
                    break
                acknowledged.append(body["id"])
            assert (status, said["error"]["code"]) == (503, "stopped")
            assert server.ask("GET", "/healthz")[0] == 503
            assert server.ask("GET", "/v1/models/m")[0] == 503
            server.kill()
        with Ledger(disk / "data" / "m" / "ledger.db") as ledger:
            ledger.check()
            there = {row.id for row in ledger.rows()}
        assert set(acknowledged) <= there
        assert len(acknowledged) > 5
    finally:
        subprocess.run(["/bin/umount", str(disk)], check=False, capture_output=True)


def test_slow_clients_are_cut_off(tmp_path: Path) -> None:
    config = tmp_path / "serve.toml"
    config.write_text(
        "[limits]\npatience = 1\nheaders = 4096\n[models.m]\nlearner = 'perceptron'\n"
    )
    post = b"POST /v1/models/m/predictions HTTP/1.1\r\nhost: localhost\r\n"
    get = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n"
    cases: list[tuple[bytes, list[bytes]]] = [
        (b"", [b"408"]),
        (post, [b"408"]),
        (post + b"x: " + b"y" * 4096, [b"431"]),
        (
            post + b"content-type: application/json\r\ncontent-length: 9\r\n\r\n{",
            [b"408"],
        ),
        (get + b"\r\n" + get, [b"200", b"408"]),
        (get + b"content-length: 9\r\n\r\n{", [b"200"]),  # nobody asks for the rest
        (b"\r\n", [b"408"]),  # an empty line is no request
    ]
    with (
        live(tmp_path / "data", "--config", str(config)) as server,
        ExitStack() as lines,
    ):
        opened = []
        for sent, _ in cases:
            line = socket.create_connection(("127.0.0.1", server.port), 60)
            opened.append(lines.enter_context(line))
            line.sendall(sent)
        for line, (sent, answers) in zip(opened, cases, strict=True):
            said = b""
            while part := line.recv(4096):
                said += part
            assert re.findall(rb"HTTP/1.1 (\d+)", said) == answers, sent
        assert server.ask("GET", "/healthz")[0] == 200


def test_the_short_way_answers_as_the_long_way_does(tmp_path: Path) -> None:
    """A content type with a parameter takes the long way."""
    assert "_start_asgi_task" in vars(HttpToolsProtocol)  # else none is short
    asked = b'{"id":"%b","features":{"%b": 1}}'
    cases = [
        (b"POST", b"predictions", asked, b"201"),
        (b"POST", b"predictions", asked, b"200"),  # again
        (b"POST", b"predictions", b'{"id":"%b","features":{"x":1}}', b"409"),
        (b"POST", b"predictions", b'{"id":"%b","features":{"x":1,"x":1}}', b"400"),
        (b"POST", b"predictions", b'{"id":"%b","features":[1]}', b"422"),
        (b"POST", b"predictions", b'{"id":"%b","other":{}}', b"422"),
        (b"POST", b"predictions", asked.replace(b'%b"', b'%b!"', 1), b"422"),
        (b"PUT", b"predictions/%b/label", b'{"label":0}', b"200"),
        (b"PUT", b"predictions/%b/label", b'{"label":1}', b"409"),
        (b"PUT", b"predictions/%b/label", b'{"label":[]}', b"422"),
        (b"PUT", b"predictions/%b-/label", b'{"label":0}', b"404"),
        (b"PUT", b"predictions/%b%%21/label", b'{"label":0}', b"422"),
    ]
    with live(tmp_path / "data", "-l", "perceptron", "--name", "m") as server:
        said, named = {}, {}
        for way, kind in ((b"short", b"json"), (b"long", b"json; charset=utf-8")):
            requests = [
                b"%b /v1/models/m/%b HTTP/1.1\r\nhost: localhost\r\n"
                b"content-type: application/%b\r\ncontent-length: %d\r\n\r\n%b"
                % (
                    method,
                    path.replace(b"%b", way).replace(b"%%", b"%"),
                    kind,
                    len(body.replace(b"%b", way)),
                    body.replace(b"%b", way),
                )
                for method, path, body, _ in cases
            ]
            with socket.create_connection(("127.0.0.1", server.port), 60) as line:
                line.sendall(requests[0][:-9])  # a body in two parts
                line.sendall(requests[0][-9:] + b"".join(requests[1:-1]))  # in one go
                last = requests[-1].replace(b"\r\n", b"\r\nconnection: close\r\n", 1)
                line.sendall(last)
                answers = b""
                while part := line.recv(65536):
                    answers += part
            assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [
                case[3] for case in cases
            ]
            found = re.findall(rb"\r\n\r\n(\{.*?\})(?=HTTP|$)", answers)
            said[way] = [
                re.sub(rb'"seq":\d+|"learned":\d+', b"", each).replace(way, b"_")
                for each in found
            ]
            heads = {
                tuple(sorted(re.findall(rb"^([a-z-]+):", head, re.MULTILINE)))
                for head in answers.split(b"HTTP/1.1 ")[1:-1]
            }
            assert len(heads) == 1
            named[way] = heads.pop()
        assert len(said[b"short"]) == len(cases)
        assert said[b"short"] == said[b"long"]
        assert named[b"short"] == named[b"long"]


def test_requests_refused_in_a_row_keep_no_other_waiting(server: Live) -> None:
    """Hundreds behind one that waits were each answered within the one before."""
    good, bad = (
        b"POST /v1/models/m/predictions HTTP/1.1\r\nhost: localhost\r\n"
        b"content-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
        % (len(body), body)
        for body in (b'{"features":{"a":1}}', b"{")
    )
    with socket.create_connection(("127.0.0.1", server.port), 60) as line:
        line.sendall(good + bad * 299 + b"GET / HTTP/1.0\r\nhost: localhost\r\n\r\n")
        said = b""
        while part := line.recv(65536):
            said += part
    codes = re.findall(rb"HTTP/1.1 (\d+)", said)
    assert codes == [b"201", *[b"400"] * 299, b"200"]


def test_a_client_that_goes_before_its_answer_ends_nothing(server: Live) -> None:
    """A write to it raises SIGPIPE, by which other commands end."""
    assert server.process is not None
    server.process.send_signal(signal.SIGPIPE)
    assert server.ask("GET", "/healthz")[0] == 200


def test_one_that_cannot_be_answered_keeps_no_other_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(_writer, "_SLOW", -1.0)  # so that the log has each commit
    writer = Writer(open_model(Plan("m", Perceptron()), tmp_path))

    async def main() -> None:
        first, last = (asyncio.get_running_loop().create_future() for _ in range(2))
        first.set_result(None)  # a second result is refused
        writer.ask_soon(lambda model: model.seq, (), first.set_result)
        writer.ask_soon(lambda model: model.seq, (), last.set_result)
        assert await asyncio.wait_for(last, 60) == 1
        writer.stop()
        with pytest.raises(StoppedError):
            await writer.ask(lambda model: model.seq)

    writer.start()
    asyncio.run(main())
    said = caplog.text
    assert "a request could not be answered" in said
    assert "a commit took" in said
    assert "a snapshot took" in said


def test_a_commit_waits_for_those_who_were_answered_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked, together = Ledger.commit, 0, []

    @contextmanager
    def slow(ledger: Ledger) -> Iterator[None]:
        before = asked
        with real(ledger):
            yield
            time.sleep(1.0 if asked > before == 0 else 0.0)  # the first takes long
        together.append(asked - before)

    def count(_: ServedModel) -> None:
        nonlocal asked
        asked += 1

    async def main() -> None:
        await asyncio.gather(*(writer.ask(count) for _ in range(3)))
        first = asyncio.ensure_future(writer.ask(count))
        await asyncio.sleep(0.05)  # until the writer has the first
        await asyncio.gather(first, writer.ask(count), writer.ask(count))
        await writer.ask(count)
        writer.stop()

    writer = Writer(open_model(Plan("m", Perceptron()), tmp_path))
    monkeypatch.setattr(Ledger, "commit", slow)
    writer.start()
    asyncio.run(main())
    assert [number for number in together if number] == [3, 3, 1]
