"""HTTP for clients of every kind: slow ones and endless ones are cut off."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar

from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from littlestone.service._short import ShortWay, head_of
from littlestone.service._strict import dumps

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

    from littlestone.service._app import Limits, Service

__all__ = ["impatient"]


class ImpatientProtocol(HttpToolsProtocol):
    """A connection whose client must send requests in time.

    A request line and headers must be complete `patience` seconds after the connection
    or their first byte, and have no more than `headers` bytes; else the answer is 408
    or 431. A body that is not complete as long again after them is not waited for any
    more; by then its route has answered 408, if it needs the body.
    """

    limits: ClassVar[Limits]
    way: ClassVar[ShortWay]
    _run: Callable[[bytes, Callable[..., None]], None] | None = None  # the short way
    _alarm: asyncio.TimerHandle | None = None
    _late = False  # whether the alarm has rung once
    _part = "head"  # what the client has to send; "" if a request is complete
    _size = 0  # of a head so far
    _taken: RequestResponseCycle  # whose body is awaited on the short way

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in its base
        super().connection_made(transport)
        self._set_alarm()

    def connection_lost(self, exc: Exception | None) -> None:
        self._clear_alarm()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        self._part = "head"
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._part, self._size = "body", 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._part = ""
        self._clear_alarm()
        super().on_message_complete()
        self._answer_shortly()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        if not self.flow.write_paused:  # a client that reads its answers
            self._run = self.way.find(cycle.scope)
        if self._run is None:
            super()._start_asgi_task(cycle, app)
        else:
            self._taken = cycle
            self._answer_shortly()

    def _answer_shortly(self) -> None:
        """Take the short way, if the body of a request that may take it is complete."""
        if self._run is not None and not self._taken.more_body:
            run, cycle, self._run = self._run, self._taken, None
            run(bytes(cycle.body), partial(self._answer, cycle))

    def _answer(self, cycle: RequestResponseCycle, status: int, body: bytes) -> None:
        if cycle.disconnected or self.transport.is_closing():
            return
        others = self.server_state.default_headers
        if not cycle.keep_alive:
            others = [*others, (b"connection", b"close")]
        cycle.response_started = cycle.response_complete = True
        self.transport.write(head_of(status, len(body), others) + body)
        if not cycle.keep_alive:
            self.transport.close()
        self.on_response_complete()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._part == "head":
            self._size += len(data)
            if self._size > self.limits.headers:
                self._refuse(
                    431, f"headers must have at most {self.limits.headers} bytes"
                )
        answering = self.cycle is not None and not self.cycle.response_complete
        if self._alarm is None and (self._part or not answering):
            self._set_alarm()

    def _set_alarm(self) -> None:
        self._late = False
        self._alarm = self.loop.call_later(self.limits.patience, self._ring)

    def _clear_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _ring(self) -> None:
        if self._part == "body" and self._run is None:
            if self._late:
                self.transport.close()
            else:
                self._late = True
                self._alarm = self.loop.call_later(self.limits.patience, self._ring)
            return
        what = f"a request must come within {self.limits.patience:g} seconds"
        self._refuse(408, what)

    def _refuse(self, status: int, what: str) -> None:
        """Answer what is no request yet, and close the connection."""
        code = "slow" if status == HTTPStatus.REQUEST_TIMEOUT else "headers"
        body = dumps({"error": {"code": code, "message": what}})
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
            "content-type: application/json\r\nconnection: close\r\n"
            f"content-length: {len(body)}\r\n\r\n"
        )
        if not self.transport.is_closing():
            self.transport.write(head.encode() + body)
            self.transport.close()


def impatient(service: Service) -> type[HttpToolsProtocol]:
    """Return the protocol of connections to a service."""
    way = ShortWay(service, HIGH_WATER_LIMIT)  # beyond, a body is not read on
    facts = {"limits": service.limits, "way": way}
    return type("Impatient", (ImpatientProtocol,), facts)
