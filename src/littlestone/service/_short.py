"""The short way: single predictions and labels, without a task for each request.

A task, and what Starlette makes of a request, take several times as long as what is
asked. So the requests of which there are most are read and answered by the connection
itself. Whatever is not plainly in order takes the long way, which also refuses it.
"""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from littlestone.logs import LOG
from littlestone.service._gate import HEADERS, is_local

if TYPE_CHECKING:
    from collections.abc import Callable

    from littlestone.service._app import Service
    from littlestone.service._tokens import Scope

__all__ = ["ShortWay", "head_of"]

_ROUTES = {
    "predict": "/v1/models/{model}/predictions",
    "label": "/v1/models/{model}/predictions/{id}/label",
}
_OTHERS = frozenset((b"transfer-encoding", b"expect", b"upgrade"))
_ADDED = b"".join(b"%b: %b\r\n" % each for each in HEADERS)
_STARTS = {
    status: (
        f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
    ).encode()
    + _ADDED
    for status in HTTPStatus
}


def head_of(status: int, size: int, others: list[tuple[bytes, bytes]]) -> bytes:
    """Return the first line and the headers of an answer."""
    more = b"".join([b"%b: %b\r\n" % each for each in others])
    return b"%bcontent-length: %d\r\n%b\r\n" % (_STARTS[status], size, more)  # type: ignore[index]  # an integer is found as well


class ShortWay:
    """Finds the requests that may take it, and hands them to the writer.

    Parameters
    ----------
    service
        What the requests mean.
    most
        The most bytes of a body that takes it.
    """

    def __init__(self, service: Service, most: int) -> None:
        self._service, self._most = service, min(most, service.limits.body)

    def find(self, scope: Any) -> Callable[[bytes, Callable[..., None]], None] | None:
        """Return how to answer a request; None if it must take the long way.

        What is returned takes the body, and a function that it calls once, with the
        status and the body of the answer.
        """
        way: Scope
        match scope["method"], scope["path"].split("/"):
            case "POST", ["", "v1", "models", name, "predictions"]:
                about, way = None, "predict"
            case "PUT", ["", "v1", "models", name, "predictions", about, "label"]:
                way = "label"
            case _:
                return None
        writer, service = self._service.writers.get(name), self._service
        headers = _plain(scope["headers"])
        if writer is None or not writer.works or not service.gate.has_room:
            return None
        if headers is None or int(headers[b"content-length"]) > self._most:
            return None
        if service.tokens is None:
            allowed = is_local(scope)
        else:
            said = headers.get(b"authorization", b"").decode("latin-1")
            allowed = service.may(said, way, name)
        if not allowed:
            return None
        begun, method, gate = time.perf_counter(), scope["method"], service.gate

        def run(body: bytes, answer: Callable[..., None]) -> None:
            def done(status: int, said: bytes) -> None:
                gate.flight -= 1
                answer(status, said)
                took = time.perf_counter() - begun
                service.metrics.answered(method, _ROUTES[way], status, took)
                LOG.debug("%s %s %d %.6f", method, scope["path"], status, took)

            service.answer_soon(writer, body, about, done)
            gate.flight += 1  # before it is done, which is in a later turn

        return run


def _plain(headers: list[tuple[bytes, bytes]]) -> dict[bytes, bytes] | None:
    """Return the headers of a request for JSON whose size is known; None of others."""
    found = dict(headers)
    if (
        len(found) != len(headers)
        or found.get(b"content-type") != b"application/json"
        or not found.get(b"content-length", b"").isdigit()
        or not _OTHERS.isdisjoint(found)
    ):
        return None
    return found
