"""The gate: what every request passes before its route."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from littlestone.logs import LOG
from littlestone.service._strict import dumps

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    from littlestone.service._app import Limits
    from littlestone.service._metrics import Metrics

    Scope = MutableMapping[str, Any]
    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    App = Callable[[Scope, Receive, Send], Awaitable[None]]

__all__ = ["HEADERS", "Gate", "is_local"]

_LOCAL = ("127.0.0.1", "localhost", "[::1]", "testserver")
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]


class Gate:
    """Counts requests, refuses too many at once, and adds headers to each answer.

    Without tokens only a browser or program on this machine is served, and by that
    name: a page of a stranger could otherwise reach the port under a name of its own.

    Attributes
    ----------
    flight
        How many requests wait.
    """

    def __init__(
        self, app: App, limits: Limits, metrics: Metrics, *, local: bool
    ) -> None:
        self._app, self._limits, self._metrics = app, limits, metrics
        self._local, self.flight = local, 0

    @property
    def has_room(self) -> bool:
        """Whether one more request may wait."""
        return self.flight < self._limits.flight

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 500

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        if self._local and not is_local(scope):
            what = "without tokens the host must be localhost"
            await _refuse(answer, 421, "host", what)
        elif not self.has_room:
            what = f"at most {self._limits.flight} requests may wait at once"
            await _refuse(answer, 503, "flight", what)
        else:
            self.flight += 1
            try:
                await self._app(scope, receive, answer)
            finally:
                self.flight -= 1
        took = time.perf_counter() - begun
        route = scope.get("littlestone.route", "other")
        self._metrics.answered(scope["method"], route, status, took)
        LOG.debug("%s %s %d %.6f", scope["method"], scope["path"], status, took)


def is_local(scope: Scope) -> bool:
    """Return whether a request asks for this machine by a name of its own."""
    for name, value in scope["headers"]:
        if name == b"host":
            host = value.decode("latin-1").lower()
            return host.rpartition(":")[0] in _LOCAL or host in _LOCAL
    return True


async def _refuse(send: Send, status: int, code: str, message: str) -> None:
    body = dumps({"error": {"code": code, "message": message}})
    headers = [(b"content-type", b"application/json"), (b"retry-after", b"1")]
    start = {"type": "http.response.start", "status": status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": body})
