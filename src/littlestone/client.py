"""A client of the service, sync and async: retries with the same id, and batches.

It needs `pip install "littlestone[client]"`, and nothing else of littlestone's extras.
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Self

from littlestone.errors import LittlestoneError, MissingPackageError, ParameterError

try:
    import httpx2 as httpx
except ImportError as error:
    raise MissingPackageError(
        'the client needs one more package: pip install "littlestone[client]"',
        owner="client",
    ) from error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

__all__ = ["AsyncClient", "Client", "ServiceError"]

_BATCH = 1_000
_AGAIN = (408, 429, 502, 503, 504)  # after which the same request may succeed
_LONGEST = 5.0  # seconds between two tries
_JSON = "application/json"
_NDJSON = "application/x-ndjson"


class ServiceError(LittlestoneError, RuntimeError):
    """A request that the service has refused, or could not answer in time.

    Attributes
    ----------
    status
        The status of HTTP; 0 if there was no answer.
    code
        What is wrong, in a word.
    """

    def __init__(
        self, what: str = "", *, status: int = 0, code: str = "", **more: Any
    ) -> None:
        super().__init__(what, **more)
        self.status, self.code = status, code


class _Requests:
    """What both clients send, and how they read the answers."""

    _opens: ClassVar[Any]  # the client of HTTP

    def __init__(
        self,
        url: str,
        model: str,
        *,
        token: str | None = None,
        timeout: float = 30.0,
        retry: float = 60.0,
        batch: int = _BATCH,
    ) -> None:
        self._path = f"/v1/models/{model}"
        self._retry, self._batch = retry, batch
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self._http = self._opens(base_url=url, headers=headers, timeout=timeout)

    def _predict(
        self, given: Mapping[str, Any] | str | None, example: Mapping[str, Any]
    ) -> tuple[str, str, Any]:
        # An id of our own, so that a lost answer can be asked for again.
        body = {"id": str(uuid.uuid4()), **_named(given, example)}
        return "POST", f"{self._path}/predictions", body

    def _label(self, id_: str, y: Any) -> tuple[str, str, Any]:
        return "PUT", f"{self._path}/predictions/{id_}/label", {"label": y}

    @staticmethod
    def _sent(body: Any) -> dict[str, Any]:
        """Return the body of a request, as it is sent."""
        if body is None:
            return {}
        if isinstance(body, list):
            lines = "\n".join(json.dumps(each, allow_nan=False) for each in body)
            return {"content": lines, "headers": {"content-type": _NDJSON}}
        text = json.dumps(body, allow_nan=False)
        return {"content": text, "headers": {"content-type": _JSON}}

    @staticmethod
    def _read(answer: Any) -> Any:
        """Return what was answered, or raise what was refused."""
        if answer.headers.get("content-type", "").startswith(_NDJSON):
            return [json.loads(line) for line in answer.text.splitlines()]
        said = answer.json()
        if answer.is_success:
            return said
        error = said.get("error", {})
        raise ServiceError(
            error.get("message", answer.text[:200]),
            status=answer.status_code,
            code=error.get("code", ""),
            owner="client",
        )

    @staticmethod
    def _unanswered(last: object) -> ServiceError:
        return ServiceError(
            f"the service must answer in time, got {last}", owner="client"
        )


def _named(
    given: Mapping[str, Any] | str | None, example: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the example with what was given without a name under its own."""
    if given is None:
        return example
    name = "text" if isinstance(given, str) else "features"
    if name in example or not (isinstance(given, str) or hasattr(given, "keys")):
        got = f"{name} twice" if name in example else f"{given!r:.200}"
        raise ParameterError(
            "an example must be a mapping of features, a text, or named, as in "
            f"advice=, row= or text=, got {got}",
            owner="client",
        )
    return {name: given, **example}


def _batches(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    left = iter(rows)
    while batch := list(islice(left, size)):
        yield batch


def _with_ids(examples: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for example in examples:
        yield {"id": str(uuid.uuid4()), **example}


def _pairs(
    labels: Mapping[str, Any] | Iterable[tuple[str, Any]],
) -> Iterator[dict[str, Any]]:
    pairs = labels.items() if hasattr(labels, "items") else labels
    for id_, y in pairs:
        yield {"id": id_, "label": y}


class Client(_Requests):
    """A client of one model of a service.

    A request that gets no answer, or one that says to try again, is sent again with the
    same id, which the service answers once: nothing is predicted or learned twice.

    Parameters
    ----------
    url
        The address of the service, such as `http://127.0.0.1:8000`.
    model
        The name of the model.
    token
        The token, if the service has tokens.
    timeout
        The seconds to wait for an answer.
    retry
        The seconds after which to give up trying again.
    batch
        How many rows to send at once.

    Examples
    --------
    >>> from littlestone.client import Client
    >>> client = Client("http://127.0.0.1:9", "clicks", retry=0)
    >>> client.predict({"price": 1.5})
    Traceback (most recent call last):
    littlestone.client.ServiceError: client: the service must answer in time, got ...
    >>> client.close()
    """

    _opens = httpx.Client

    def predict(
        self, given: Mapping[str, Any] | str | None = None, /, **example: Any
    ) -> dict[str, Any]:
        """Predict features or a text, or `advice=`, `row=`; `id=` names the example."""
        said: dict[str, Any] = self._ask(*self._predict(given, example))
        return said

    def label(self, id_: str, y: Any) -> dict[str, Any]:
        """Give the label of a prediction."""
        said: dict[str, Any] = self._ask(*self._label(id_, y))
        return said

    def predict_many(
        self, examples: Iterable[Mapping[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """Predict examples in batches; yield an answer with its status for each."""
        for batch in _batches(_with_ids(examples), self._batch):
            yield from self._ask("POST", f"{self._path}/predictions", batch)

    def label_many(
        self, labels: Mapping[str, Any] | Iterable[tuple[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """Give labels in batches, by id; yield an answer with its status for each."""
        for batch in _batches(_pairs(labels), self._batch):
            yield from self._ask("POST", f"{self._path}/labels", batch)

    def look(self, id_: str) -> dict[str, Any]:
        """Return a prediction, with its label if it has come."""
        said: dict[str, Any] = self._ask("GET", f"{self._path}/predictions/{id_}", None)
        return said

    def card(self) -> dict[str, Any]:
        """Return all that the service knows about the model."""
        said: dict[str, Any] = self._ask("GET", self._path, None)
        return said

    def _ask(self, method: str, path: str, body: Any) -> Any:
        until, pause = time.monotonic() + self._retry, 0.05
        last: object = None
        while True:
            try:
                answer = self._http.request(method, path, **self._sent(body))
                if answer.status_code not in _AGAIN:
                    return self._read(answer)
                last = answer.status_code
            except httpx.TransportError as error:
                last = error or type(error).__name__
            if time.monotonic() + pause > until:
                raise self._unanswered(last)
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncClient(_Requests):
    """The same, to be awaited; the parameters are those of `Client`."""

    _opens = httpx.AsyncClient

    async def predict(
        self, given: Mapping[str, Any] | str | None = None, /, **example: Any
    ) -> dict[str, Any]:
        """Predict features or a text, or `advice=`, `row=`; `id=` names the example."""
        said: dict[str, Any] = await self._ask(*self._predict(given, example))
        return said

    async def label(self, id_: str, y: Any) -> dict[str, Any]:
        """Give the label of a prediction."""
        said: dict[str, Any] = await self._ask(*self._label(id_, y))
        return said

    async def predict_many(
        self, examples: Sequence[Mapping[str, Any]]
    ) -> AsyncIterator[dict[str, Any]]:
        """Predict examples in batches; yield an answer with its status for each."""
        for batch in _batches(_with_ids(examples), self._batch):
            for row in await self._ask("POST", f"{self._path}/predictions", batch):
                yield row

    async def label_many(
        self, labels: Mapping[str, Any] | Iterable[tuple[str, Any]]
    ) -> AsyncIterator[dict[str, Any]]:
        """Give labels in batches, by id; yield an answer with its status for each."""
        for batch in _batches(_pairs(labels), self._batch):
            for row in await self._ask("POST", f"{self._path}/labels", batch):
                yield row

    async def look(self, id_: str) -> dict[str, Any]:
        """Return a prediction, with its label if it has come."""
        path = f"{self._path}/predictions/{id_}"
        said: dict[str, Any] = await self._ask("GET", path, None)
        return said

    async def card(self) -> dict[str, Any]:
        """Return all that the service knows about the model."""
        said: dict[str, Any] = await self._ask("GET", self._path, None)
        return said

    async def _ask(self, method: str, path: str, body: Any) -> Any:
        until, pause = time.monotonic() + self._retry, 0.05
        last: object = None
        while True:
            try:
                answer = await self._http.request(method, path, **self._sent(body))
                if answer.status_code not in _AGAIN:
                    return self._read(answer)
                last = answer.status_code
            except httpx.TransportError as error:
                last = error or type(error).__name__
            if time.monotonic() + pause > until:
                raise self._unanswered(last)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
