"""The routes over HTTP: statuses, batches, tokens, limits, events, metrics."""

from __future__ import annotations

import json
import pickle
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from littlestone import models
from littlestone.errors import ModelError, ParameterError
from littlestone.experts import WeightedMajority
from littlestone.linear import Perceptron
from littlestone.models._file import dump, parse
from littlestone.models._models import to_bytes
from littlestone.service import Ledger, replay
from littlestone.service._app import Limits, Service
from littlestone.service._config import read_config
from littlestone.service._policy import Policy
from littlestone.service._serving import (
    TOKENS,
    Plan,
    open_model,
    upload,
    uploaded,
)
from littlestone.service._strict import BadJSONError, loads
from littlestone.service._tokens import Tokens
from littlestone.service._writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator

NDJSON = {"content-type": "application/x-ndjson"}
JSON = {"content-type": "application/json"}
CLICKS = "/v1/models/clicks"


@contextmanager
def served(
    folder: Path,
    plans: tuple[Plan, ...] = (Plan("clicks", Perceptron()),),
    limits: Limits | None = None,
    *,
    tokens: bool = False,
) -> Iterator[TestClient]:
    writers = {plan.name: Writer(open_model(plan, folder)) for plan in plans}
    known = Tokens(folder / TOKENS) if tokens else None
    service = Service(
        writers,
        known,
        limits or Limits(),
        begin=lambda name, file, late: upload(name, file, late, folder),
    )
    with TestClient(service.app) as client:
        yield client


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with served(tmp_path) as made:
        yield made


def predict(client: TestClient, id_: str = "a", **features: float) -> Any:
    return client.post(f"{CLICKS}/predictions", json={"id": id_, "features": features})


def test_a_prediction_its_label_and_both_again(client: TestClient) -> None:
    first = predict(client, x=1)
    assert first.status_code == 201
    assert first.json() == {
        "id": "a",
        "seq": 2,
        "prediction": True,
        "score": 0.0,
        "learned": 0,
    }
    again = predict(client, x=1)
    assert (again.status_code, again.json()) == (200, first.json())
    assert predict(client, x=2).status_code == 409
    path = f"{CLICKS}/predictions/a/label"
    told = client.put(path, json={"label": 0})
    assert told.json() == {
        "id": "a",
        "seq": 3,
        "already": False,
        "label": False,
        "mistake": True,
    }
    assert client.put(path, json={"label": False}).json()["already"] is True
    assert client.put(path, json={"label": 1}).status_code == 409
    looked = client.get(f"{CLICKS}/predictions/a").json()
    assert (looked["state"], looked["mistake"]) == ("labelled", True)
    assert looked["given"] == {"features": {"x": 1}}
    assert client.get(f"{CLICKS}/predictions/b").status_code == 404


def test_an_id_of_ours_is_returned(client: TestClient) -> None:
    body = {"features": {"x": 1}}
    made = [client.post(f"{CLICKS}/predictions", json=body).json() for _ in range(3)]
    ids = [each["id"] for each in made]
    assert len(set(ids)) == 3
    assert all(len(each) == 36 and each[14] == "7" for each in ids)
    path = f"{CLICKS}/predictions/{ids[1]}/label"
    assert client.put(path, json={"label": 1}).status_code == 200


def test_a_batch_has_a_status_a_row(client: TestClient) -> None:
    lines = [
        '{"id":"a","features":{"x":1}}',
        '{"id":"a","features":{"x":1}}',
        '{"id":"a","features":{"x":2}}',
        '{"features":{"x":NaN}}',
        "",
        '{"id":"b","features":{"x":1},"more":1}',
        '{"id":"c","features":{"x":"y"}}',
    ]
    answer = client.post(
        f"{CLICKS}/predictions", content="\n".join(lines) + "\n", headers=NDJSON
    )
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert [row["status"] for row in rows] == [201, 200, 409, 400, 400, 422, 422]
    assert rows[0]["prediction"] is True
    labels = '{"id":"a","label":0}\n{"id":"a","label":0}\n{"id":"z","label":0}'
    answer = client.post(f"{CLICKS}/labels", content=labels, headers=NDJSON)
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert [row["status"] for row in rows] == [200, 200, 404]
    assert [row.get("already") for row in rows] == [False, True, None]


@pytest.mark.parametrize("odd", ["", "a b", "a/b", "\u00e9", "x" * 129])
def test_an_odd_id_in_a_batch_of_plain_lines_is_refused_alone(
    client: TestClient, odd: str
) -> None:
    lines = [
        json.dumps({"id": id_, "features": {"x": 1}}, ensure_ascii=False)
        for id_ in ("good", odd, "x" * 128)
    ] + ['{"features":{"x":1}}']
    content = "\n".join(lines).encode()
    answer = client.post(f"{CLICKS}/predictions", content=content, headers=NDJSON)
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert [row["status"] for row in rows] == [201, 422, 201, 201]
    assert rows[1]["error"]["code"] == "id"
    assert len(rows[3]["id"]) == 36


BAD = [
    b"",
    b"{",
    b"[]",
    b"1",
    b'{"features":{"x":NaN}}',
    b'{"features":{"x":Infinity}}',
    b'{"features":{"x":1e999}}',
    b'{"features":{"x":1,"x":2}}',
    b'{"features":{"x":0.12345678901234567890123}}',
    b'{"features":{"x":123456789012345678901}}',
    b'{"features":{"x":1e-400}}',
    b'{"features":{"x":"1"}}',
    b'{"features":[1]}',
    b'{"features":{}, "text":"a"}',
    b'{"id":"a"}',
    b'{"id":"a b","features":{}}',
    b'{"id":"","features":{}}',
    b'{"id":7,"features":{}}',
    b'{"id":"' + b"a" * 129 + b'","features":{}}',
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"features":{"x":' + b"9" * 5000 + b"}}",
    b'{"advice":[1,0]}',
    b'{"text":"hello"}',
    b'{"row":{"a":1}}',
    b'{"features":{"x":1180591620717411303424}}',
    b'{"features":{"\\ud800":1}}',
    b'{"advice":' + b"[" * 900 + b"]" * 900 + b"}",
]


@pytest.mark.parametrize("body", BAD, ids=lambda body: body[:24].decode("latin-1"))
def test_what_is_malformed_is_refused_and_leaves_nothing(
    client: TestClient, body: bytes
) -> None:
    answer = client.post(f"{CLICKS}/predictions", content=body, headers=JSON)
    assert answer.status_code in (400, 422)
    assert set(answer.json()["error"]) == {"code", "message"}
    assert len(answer.text) < 400
    assert client.get(CLICKS).json()["seq"] == 1


def test_numbers_that_a_double_keeps_are_read_as_they_are() -> None:
    text = b"[0.30000000000000004, 1e22, 9007199254740992, 1152921504606846976, -0.0]"
    assert loads(text) == [0.30000000000000004, 1e22, 2**53, 2**60, 0.0]
    with pytest.raises(BadJSONError, match="a key must occur once, got 'b' twice"):
        loads('{"a":1,"b":2,"b":3}')


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", ""]
)
def test_a_form_of_another_page_is_refused(client: TestClient, kind: str) -> None:
    answer = client.post(
        f"{CLICKS}/predictions", content=b"{}", headers={"content-type": kind}
    )
    assert answer.status_code == 415


def test_another_host_is_refused_without_tokens(client: TestClient) -> None:
    headers = {"host": "evil.example"}
    assert client.get("/healthz", headers=headers).status_code == 421
    assert client.get("/healthz", headers={"host": "localhost:8000"}).status_code == 200


def test_limits(tmp_path: Path) -> None:
    limits = Limits(body=100, batch=2, id=3)
    plan = Plan("clicks", Perceptron(), policy=Policy(most_features=2))
    with served(tmp_path, (plan,), limits) as client:
        long = {"features": {"x" * 200: 1}}
        assert client.post(f"{CLICKS}/predictions", json=long).status_code == 413
        rows = '{"id":"a","label":1}\n' * 3
        assert (
            client.post(f"{CLICKS}/labels", content=rows, headers=NDJSON).status_code
            == 413
        )
        assert predict(client, "abcd", x=1).status_code == 422
        answer = predict(client, "abc", x=1, y=1, z=1)
        assert answer.status_code == 422
        assert "at most 2 features, got 3" in answer.json()["error"]["message"]
    with served(tmp_path, (plan,), Limits(flight=0)) as client:
        assert client.get("/v1/models").status_code == 503


def test_a_configuration_says_how_many_labels_are_held(tmp_path: Path) -> None:
    path = tmp_path / "serve.toml"
    path.write_text("[limits]\nheld = 2\n[models.clicks]\nhold = 60\n")
    config = read_config(path)
    policy = config.models["clicks"].policy(config.all_limits())
    with served(tmp_path, (Plan("clicks", Perceptron(), policy=policy),)) as client:
        early = [
            client.put(f"{CLICKS}/predictions/{id_}/label", json={"label": True})
            for id_ in "abc"
        ]
    assert [each.status_code for each in early] == [202, 202, 429]


def test_tokens_say_who_may(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / TOKENS)
    shop = tokens.add("shop", ["predict", "label"], ["clicks"])
    boss = tokens.add("boss", ["read", "admin"])
    plans = Plan("clicks", Perceptron()), Plan("mail", Perceptron())
    with served(tmp_path, plans, tokens=True) as client:

        def status(method: str, path: str, token: str | None, body: Any = None) -> int:
            headers = {} if token is None else {"authorization": f"Bearer {token}"}
            return client.request(method, path, json=body, headers=headers).status_code

        body = {"id": "a", "features": {"x": 1}}
        assert status("POST", f"{CLICKS}/predictions", None, body) == 401
        assert status("POST", f"{CLICKS}/predictions", "lst_wrong", body) == 401
        assert status("POST", f"{CLICKS}/predictions", boss, body) == 403
        assert status("POST", "/v1/models/mail/predictions", shop, body) == 403
        assert status("POST", f"{CLICKS}/predictions", shop, body) == 201
        assert status("GET", f"{CLICKS}/predictions/a", shop) == 403
        assert status("GET", f"{CLICKS}/predictions/a", boss) == 200
        assert status("GET", "/v1/models", shop) == 403
        assert status("GET", "/metrics", boss) == 200
        assert status("PUT", "/v1/models/new", shop) == 403
        assert status("PUT", "/v1/models/new", boss) == 415  # no model file
        assert status("DELETE", f"{CLICKS}/predictions/a", shop) == 403
        assert status("DELETE", f"{CLICKS}/predictions/a", boss) == 200
        assert status("GET", "/healthz", None) == 200
        assert client.get("/healthz", headers={"host": "shop.example"}).is_success


def test_a_token_for_one_model_reads_that_one(tmp_path: Path) -> None:
    secret = Tokens(tmp_path / TOKENS).add("shop", ["read"], ["clicks"])
    plans = Plan("mail", Perceptron()), Plan("clicks", Perceptron())
    with served(tmp_path, plans, tokens=True) as client:
        client.headers["authorization"] = f"Bearer {secret}"
        models = client.get("/v1/models").json()["models"]
        assert [each["name"] for each in models] == ["clicks"]
        text = client.get("/metrics").text
        assert 'littlestone_rounds{model="clicks"}' in text
        assert 'model="mail"' not in text
        assert client.get("/v1/events?model=mail").status_code == 403
        assert client.get("/v1/models/mail").status_code == 403


def test_a_model_shows_its_bound(tmp_path: Path) -> None:
    plans = Plan("votes", WeightedMajority(0.5)), Plan("clicks", Perceptron())
    with served(tmp_path, plans) as client:
        path = "/v1/models/votes/predictions"
        for number in range(4):
            body = {"id": f"p{number}", "advice": {"ann": True, "bob": number % 2 == 0}}
            assert client.post(path, json=body).status_code == 201
            client.put(f"{path}/p{number}/label", json={"label": True})
        card = client.get("/v1/models/votes").json()
        assert (card["rounds"], card["theorem"]) == (4, "WM")
        assert card["mistakes"] <= card["bound"]
        assert card["best_expert"] == "ann"
        assert [name for name, _ in card["weights"]] == ["ann", "bob"]
        names = [each["name"] for each in client.get("/v1/models").json()["models"]]
        assert names == ["votes", "clicks"]
        text = client.get("/metrics").text
        assert 'littlestone_rounds{model="votes"} 4.0' in text
        assert 'littlestone_bound{model="votes"}' in text
        assert 'littlestone_bound{model="clicks"}' not in text
        assert (
            'littlestone_label_delay_seconds_bucket{le="1",model="votes"} 4.0' in text
        )


def test_unknown_paths_and_methods_do_not_grow_the_metrics(client: TestClient) -> None:
    for number in range(50):
        assert client.get(f"/nothing/{number}").status_code == 404
        assert client.request(f"M{number}", "/v1/models").status_code in (404, 405)
    assert client.get("/v1/models/nobody").status_code == 404
    text = client.get("/metrics").text
    assert text.count("littlestone_requests_total{") <= 8


def test_the_chain_head_is_shown(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        predict(client, x=1)
        head = client.get(CLICKS).json()["head"]
    with Ledger(tmp_path / "clicks" / "ledger.db") as ledger:
        assert ledger.check(head) == 2


def test_a_model_file_can_be_uploaded_and_nothing_else(tmp_path: Path) -> None:
    taught = Perceptron()
    taught.learn_one({"x": 1.0}, False)
    models.save(taught, tmp_path / "taught.lst")
    file = (tmp_path / "taught.lst").read_bytes()
    kind, data = {"content-type": "application/octet-stream"}, tmp_path / "data"
    few = Limits(model=len(file), models=2)
    with served(data, limits=few) as client:

        def put(name: str, content: bytes, **query: str) -> int:
            path = f"/v1/models/{name}"
            answer = client.put(path, content=content, headers=kind, params=query)
            return answer.status_code

        for name, content in (
            ("mail", b""),
            ("mail", file[:-1]),
            ("mail", pickle.dumps(taught)[: len(file)]),
            ("Mail", file),
            ("..", file),
        ):
            assert put(name, content) in (404, 422), (name, content)
        assert put("mail", file + b" ") == 413
        assert put("mail", file, late="never") == 422
        assert put("clicks", file) == 409
        (data / "taken").mkdir()
        assert put("taken", file) == 409
        assert {each.name for each in data.iterdir()} == {"clicks", "taken"}
        assert put("mail", file, late="served") == 201
        assert put("mail", file) == 409
        assert put("more", file) == 429
        mail = "/v1/models/mail/predictions"
        said = client.post(mail, json={"id": "a", "features": {"x": 1}}).json()
        assert (said["prediction"], said["score"]) == (False, -1.0)
        client.put(f"{mail}/a/label", json={"label": True})
        names = [each["name"] for each in client.get("/v1/models").json()["models"]]
        assert names == ["clicks", "mail"]
    (data / ".draft-x").mkdir()
    [plan] = uploaded(data)
    assert (plan.name, plan.late, (data / ".draft-x").exists()) == (
        "mail",
        "served",
        False,
    )
    open_model(plan, data).ledger.close()
    again = replay(data / "mail" / "ledger.db")
    assert again.learner.weights_ == {}  # type: ignore[attr-defined]  # as 1 - 1 is 0


def test_a_model_that_cannot_be_served_leaves_nothing(tmp_path: Path) -> None:
    file = to_bytes(Perceptron())
    with pytest.raises(ValueError, match="got 'maybe'"):
        upload("m", file, "relearn", tmp_path, policy=Policy(ttl=1, default=("maybe",)))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["7", "[" * 100_000, '{"format":"csv","options":7}'])
def test_a_model_that_was_read_in_no_known_way_is_refused(
    text: str, tmp_path: Path
) -> None:
    metadata, arrays = parse(to_bytes(Perceptron()))
    file = dump({**metadata, "reading": text}, arrays)
    with pytest.raises(ModelError):
        upload("m", file, "relearn", tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "text",
    [
        *("a = " + "[" * 100_000, f"port = {'9' * 5000}", "\x00", "[limits]\nbody = 1"),
        *(f"[limits]\nbody = {each}\n[models.m]" for each in ("nan", "inf", "-1")),
        f"x = '{'a' * 2**20}'",
    ],
)
def test_a_configuration_may_hold_anything(text: str, tmp_path: Path) -> None:
    path = tmp_path / "serve.toml"
    path.write_text(text)
    with pytest.raises(ParameterError):
        read_config(path).all_limits()
    with pytest.raises(ParameterError, match="must be a file"):
        read_config(Path("/dev/zero"))
