"""Server-sent events: the rows of ledgers as they are committed, and the counts."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from littlestone.service import _card
from littlestone.service._strict import dumps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Receive, Scope, Send

    from littlestone.service._app import Service
    from littlestone.service._served import ServedModel
    from littlestone.service._writer import Writer

__all__ = ["EventStream", "positions"]

_PAUSE = 0.25  # seconds between two looks at what was committed
_QUIET = 15.0  # seconds after which a comment shows that the stream is alive
_AT_ONCE = 500  # rows
_POSITION = re.compile(r"([^=,]+)=([0-9]{1,18})")


def positions(given: str | None, writers: Mapping[str, Writer]) -> dict[str, int]:
    """Return after which row of each model to begin: by default, after the latest.

    `given` is the id of an event, such as `clicks=17,mail=4`; 0 means from the start.
    """
    found = {name: writer.committed for name, writer in writers.items()}
    if given is None:
        return found
    if given == "0":
        return dict.fromkeys(found, 0)
    for part in given.split(","):
        fitting = _POSITION.fullmatch(part)
        if fitting is None:
            raise ValueError(
                f"the id of an event must be like clicks=17,mail=4, got {given!r:.80}"
            )
        if fitting[1] in found:
            found[fitting[1]] = int(fitting[2])
    return found


class EventStream(Response):
    """Sends rows as they are committed; a client that reads too slowly is cut off.

    Rows are read from the ledger, so that a client that comes back with the id of the
    last event misses none.
    """

    media_type = "text/event-stream"

    def __init__(
        self, service: Service, writers: Mapping[str, Writer], after: dict[str, int]
    ) -> None:
        super().__init__()
        del self.headers["content-length"]
        self.headers["x-accel-buffering"] = "no"  # or a proxy keeps them back
        self._service, self._writers, self._after = service, writers, after

    async def __call__(
        self,
        scope: Scope,  # noqa: ARG002 - of ASGI
        receive: Receive,
        send: Send,
    ) -> None:
        """Send events until the client leaves or the server stops."""
        async with self._service.reading():
            following = asyncio.create_task(self._follow(send))
            leaving = asyncio.create_task(_left(receive))
            done, left = await asyncio.wait(
                (following, leaving), return_when=asyncio.FIRST_COMPLETED
            )
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
            for task in done:
                task.exception()

    async def _follow(self, send: Send) -> None:
        patience = self._service.limits.patience

        async def write(text: bytes, *, more: bool = True) -> None:
            async with asyncio.timeout(patience):
                message = {
                    "type": "http.response.body",
                    "body": text,
                    "more_body": more,
                }
                await send(message)

        start = {"type": "http.response.start", "status": self.status_code}
        await send(start | {"headers": self.raw_headers})
        await write(b"retry: 1000\n\n")
        loop, told = asyncio.get_running_loop(), dict.fromkeys(self._writers, -1)
        heard = loop.time()
        while not self._service.closing():
            text = b"".join([await self._news(name, told) for name in self._writers])
            if text or loop.time() - heard > _QUIET:
                await write(text or b": here\n\n")
                heard = loop.time()
            await asyncio.sleep(_PAUSE)
        await write(b"", more=False)

    async def _news(self, name: str, told: dict[str, int]) -> bytes:
        """Return the events of a model since the last look."""
        writer, after = self._writers[name], self._after[name]
        if writer.committed == told[name]:
            return b""
        rows, state = await writer.ask(lambda model: _since(model, after))
        text = b""
        for row in rows:
            self._after[name] = row["seq"]
            at = ",".join(f"{n}={seq}" for n, seq in self._after.items())
            said = dumps({"model": name, **row})
            text += b"id: %b\nevent: row\ndata: %b\n\n" % (at.encode(), said)
        caught_up = len(rows) < _AT_ONCE
        told[name] = state["seq"] if caught_up else -1
        return text + b"event: state\ndata: %b\n\n" % dumps({"model": name, **state})


def _since(
    model: ServedModel, after: int
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    rows = model.ledger.rows(after=after, most=_AT_ONCE)
    return [_card.event(model, row) for row in rows], _card.state(model)


async def _left(receive: Receive) -> None:
    """Wait until the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass
