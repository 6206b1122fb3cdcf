"""The OpenAPI document says what the routes do: all of them, and nothing else."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.routing import Route

from littlestone.linear import Perceptron
from littlestone.service._app import Limits, Service
from littlestone.service._openapi import document
from littlestone.service._policy import Policy
from littlestone.service._serving import Plan, open_model
from littlestone.service._writer import Writer
from malformed_requests import attack

# A model that tests may ask for anything, and which takes early labels.
_PLAN = Plan("clicks", Perceptron(), policy=Policy(hold=60, most_held=100))
_FOLDER = tempfile.TemporaryDirectory()
_WRITER = Writer(open_model(_PLAN, Path(_FOLDER.name)))
_SERVICE = Service({"clicks": _WRITER})


def routes() -> set[tuple[str, str]]:
    app: Any = _SERVICE.app._app  # noqa: SLF001 - what the gate guards
    return {
        (method, route.path)
        for route in app.routes
        if isinstance(route, Route) and not route.path.startswith("/page")
        for method in route.methods or ()
        if method != "HEAD" and route.path != "/"
    }


def test_every_route_is_described() -> None:
    described = {
        (method.upper(), path)
        for path, those in document(Limits())["paths"].items()
        for method in those
        if method != "parameters"
    }
    assert described == routes()


@pytest.fixture(scope="module", autouse=True)
def started() -> Any:
    _WRITER.start()
    yield
    _WRITER.stop()
    _FOLDER.cleanup()


async def always_up(scope: Any, receive: Any, send: Any) -> None:
    """Serve without starting and stopping the writer for each request."""
    if scope["type"] != "lifespan":
        await _SERVICE.app(scope, receive, send)
        return
    for what in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{what}.complete"})


@schemathesis.serializer("application/x-ndjson")
def lines(_: Any, value: Any) -> bytes:
    """Write a batch; most are no batch at all."""
    return str(value).encode(errors="replace")


# A stream of events does not end; test_routes.py reads one.
schema = schemathesis.openapi.from_asgi("/openapi.json", always_up).exclude(
    path="/v1/events"
)


@schema.parametrize()
@settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_the_behaviour_is_as_described(case: Any) -> None:
    """Statuses, content types and bodies are those of the document; never a 500.

    What fits the document may still be refused: it cannot say what a learner takes.
    """
    case.call_and_validate(excluded_checks=[positive_data_acceptance])


def test_malformed_requests_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    statuses = attack(tmp_path / "data", 300, seed=7)
    assert {200, 400, 404, 405, 415, 422} <= statuses.keys()
