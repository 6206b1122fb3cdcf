"""The routes: HTTP in, HTTP out. What requests mean is decided in `ServedModel`."""

from __future__ import annotations

import asyncio
import re
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast, get_args

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from littlestone.errors import LedgerError, LittlestoneError
from littlestone.running.late import LateRule
from littlestone.service import _card
from littlestone.service._events import EventStream, positions
from littlestone.service._gate import Gate
from littlestone.service._inputs import FORMS
from littlestone.service._metrics import Metrics
from littlestone.service._openapi import document
from littlestone.service._page import page_routes
from littlestone.service._policy import Answer
from littlestone.service._strict import (
    BadJSONError,
    dumps,
    flat_lines,
    loads,
    loads_asked,
    loads_asked_lines,
    loads_lines,
)
from littlestone.service._writer import StoppedError, Writer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping

    from littlestone.service._served import ServedModel
    from littlestone.service._tokens import Scope, Token, Tokens

__all__ = ["Limits", "Service"]

_JSON = "application/json"
_NDJSON = "application/x-ndjson"
_MODEL = "application/octet-stream"
_MAPPING = (dict,)
_KINDS: dict[str, tuple[type, ...]] = {"text": (str,), "advice": (dict, list)}
_OF_IDS = "A-Za-z0-9._:@~=+-"
_ID, _NO_ID = re.compile(f"[{_OF_IDS}]+"), re.compile(f"[^\\n{_OF_IDS}]")
_ASKED, _TOLD = frozenset(("id", *FORMS)), frozenset(("id", "label"))
_LABEL = frozenset(("label",))

_STOPPED = Answer.refused(
    503, "stopped", "the service has stopped, as its ledger could not be written"
)

# The ids that a request is about, and what it does to a model.
_Example: TypeAlias = "tuple[str | None, dict[str, Any], bytes | None]"
_Step: TypeAlias = "tuple[tuple[str, ...], Callable[[ServedModel], Answer]]"


@dataclass(frozen=True)
class Limits:
    """How much the service takes at once.

    Attributes
    ----------
    body
        The most bytes of a request.
    batch
        The most rows of a batch.
    features
        The most features of an example.
    id
        The most characters of an id.
    flight
        The most requests that may wait at once; more are refused with 503.
    held
        The most labels that a model holds for predictions that have not come.
    events
        The most readers of events at once.
    patience
        The seconds that a client may take to send the headers of a request, to send its
        body, or to read an event.
    headers
        The most bytes of the first line and the headers of a request.
    model
        The most bytes of a model file that is uploaded.
    models
        The most models; no more can be uploaded.
    """

    body: int = 8 << 20
    batch: int = 10_000
    features: int = 100_000
    id: int = 128
    flight: int = 1024
    held: int = 10_000
    events: int = 64
    patience: float = 30.0
    headers: int = 64 << 10
    model: int = 64 << 20
    models: int = 64


class _RefusedError(Exception):
    """A request that is refused before it reaches the model."""

    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        super().__init__(message)
        self.answer = Answer.refused(status, code, message)
        self.headers = headers


@dataclass
class Service:
    """The service as an ASGI application.

    Attributes
    ----------
    writers
        The models by name, each with its writer.
    tokens
        What each token allows; None if anyone who reaches the port may do everything.
    limits
        How much the service takes at once.
    closing
        Returns whether the server is about to stop, so that streams of events end.
    begin
        Begins a model with a model file; None if no model can be uploaded.
    """

    writers: dict[str, Writer]
    tokens: Tokens | None = None
    limits: Limits = field(default_factory=Limits)
    closing: Callable[[], bool] = lambda: False
    begin: Callable[[str, bytes, LateRule], ServedModel] | None = None

    def __post_init__(self) -> None:
        self.metrics = Metrics()
        self._readers = 0
        self._uploading = asyncio.Lock()
        model = "/v1/models/{model}"
        routes = [
            self._route("POST", f"{model}/predictions", "predict", self._predict),
            self._route(
                "PUT", f"{model}/predictions/{{id}}/label", "label", self._label
            ),
            _together(
                self._route("GET", f"{model}/predictions/{{id}}", "read", self._look),
                self._route(
                    "DELETE", f"{model}/predictions/{{id}}", "admin", self._forget
                ),
            ),
            self._route("POST", f"{model}/labels", "label", self._labels),
            _together(
                self._route("GET", model, "read", self._model),
                self._route("PUT", model, "admin", self._upload),
            ),
            self._route("GET", "/v1/models", "read", self._models),
            self._route("GET", "/v1/events", "read", self._events),
            self._route("GET", "/metrics", "read", self._metrics),
            self._route("GET", "/openapi.json", None, self._openapi),
            self._route("GET", "/healthz", None, self._healthz),
            self._route("GET", "/readyz", None, self._readyz),
            *page_routes(),
        ]
        app = Starlette(routes=routes, lifespan=self._lifespan)
        app.router.redirect_slashes = False
        self.app = self.gate = Gate(
            app, self.limits, self.metrics, local=self.tokens is None
        )

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        for writer in self.writers.values():
            writer.start()
        yield
        for writer in list(self.writers.values()):
            await asyncio.to_thread(writer.stop)

    def _route(
        self,
        method: str,
        path: str,
        scope: Scope | None,
        work: Callable[[Request], Awaitable[Response]],
    ) -> Route:
        """Return a route that checks who asks, and answers whatever goes wrong."""

        async def endpoint(request: Request) -> Response:
            request.scope["littlestone.route"] = path
            try:
                if scope is not None:
                    self._allow(request, scope)
                return await work(request)
            except _RefusedError as refused:
                return _respond(refused.answer, refused.headers)
            except BadJSONError as error:
                return _respond(Answer.refused(400, "json", str(error)))
            except StoppedError:
                return _respond(_STOPPED)
            except TimeoutError:
                what = f"a request must come within {self.limits.patience:g} seconds"
                return _respond(
                    Answer.refused(408, "slow", what), {"connection": "close"}
                )

        return Route(path, endpoint, methods=[method], name=f"{method} {path}")

    # What is allowed ------------------------------------------------------------------

    def _token(self, authorization: str) -> Token | None:
        kind, _, secret = authorization.partition(" ")
        if self.tokens is None or kind.lower() != "bearer":
            return None
        return self.tokens.find(secret.strip())

    def may(self, authorization: str, scope: Scope, model: str) -> bool:
        """Return whether a token allows something to be done with a model."""
        token = self._token(authorization)
        return token is not None and token.may(scope, model)

    def _allow(self, request: Request, scope: Scope) -> None:
        if self.tokens is None:
            return
        token = self._token(request.headers.get("authorization", ""))
        if token is None:
            raise _RefusedError(
                401,
                "token",
                "a request must have a header Authorization: Bearer TOKEN",
                **{"www-authenticate": "Bearer"},
            )
        model = request.path_params.get("model", request.query_params.get("model"))
        if not token.may(scope, model):
            of = "" if model is None else f" of {model}"
            raise _RefusedError(
                403,
                "scope",
                f"the token must have the scope {scope}{of}, got {token.name}",
            )

    def _readable(self, request: Request) -> dict[str, Writer]:
        """Return the models that the token of a request may read."""
        token = self._token(request.headers.get("authorization", ""))
        return {
            name: writer
            for name, writer in self.writers.items()
            if token is None or token.may("read", name)
        }

    def _writer(self, request: Request) -> Writer:
        name = request.path_params["model"]
        if name not in self.writers:
            raise _RefusedError(404, "model", f"there is no model {name!r:.80}")
        return self.writers[name]

    def _id(self, given: Any) -> str:
        if (
            not isinstance(given, str)
            or len(given) > self.limits.id
            or not _ID.fullmatch(given)
        ):
            raise _RefusedError(
                422,
                "id",
                f"an id must be 1 to {self.limits.id} letters, digits and ._:@~=+-, "
                f"got {given!r:.80}",
            )
        return given

    def _are_ids(self, given: list[str | None]) -> bool:
        """Return whether `_id` would take all, which have no line breaks."""
        ids = [id_ for id_ in given if id_ is not None]
        return (
            all(ids)
            and max(map(len, ids), default=0) <= self.limits.id
            and not _NO_ID.search("\n".join(ids))
        )

    # Predictions and labels -----------------------------------------------------------

    async def _predict(self, request: Request) -> Response:
        writer = self._writer(request)
        kind, body = await self._body(request, (_JSON, _NDJSON))
        if kind == _NDJSON:
            return await self._batch(writer, body, self._asked_lines, _predict_many)
        ids, work = self._asked(loads_asked(body))
        return _respond(await writer.ask(work, ids))

    async def _labels(self, request: Request) -> Response:
        writer = self._writer(request)
        _, body = await self._body(request, (_NDJSON,))
        return await self._batch(writer, body, self._told_lines, _label_many)

    async def _label(self, request: Request) -> Response:
        writer = self._writer(request)
        id_ = self._id(request.path_params["id"])
        _, body = await self._body(request, (_JSON,))
        ids, work = self._labelled(id_, loads(body))
        return _respond(await writer.ask(work, ids))

    def answer_soon(
        self,
        writer: Writer,
        body: bytes,
        about: str | None,
        done: Callable[[int, bytes], None],
    ) -> None:
        """Answer one prediction, or the label of one, without a task.

        Parameters
        ----------
        writer
            That of the model.
        body
            What was sent.
        about
            The prediction whose label came; None for a new prediction.
        done
            Is called once, in a later turn of the loop, with the status and the body
            of the answer: requests that wait behind this one begin within it.
        """
        refusal: Answer | StoppedError

        def answer(found: Answer | StoppedError) -> None:
            if isinstance(found, StoppedError):
                found = _STOPPED
            done(found.status, dumps(found.body))

        try:
            if about is None:
                ids, work = self._asked(loads_asked(body))
            else:
                ids, work = self._labelled(self._id(about), loads(body))
            writer.ask_soon(work, ids, answer)
        except _RefusedError as refused:
            refusal = refused.answer
        except BadJSONError as error:
            refusal = Answer.refused(400, "json", str(error))
        except StoppedError as stopped:
            refusal = stopped
        else:
            return
        asyncio.get_running_loop().call_soon(answer, refusal)

    async def _look(self, request: Request) -> Response:
        id_ = self._id(request.path_params["id"])
        return _respond(await self._writer(request).ask(lambda model: model.look(id_)))

    async def _forget(self, request: Request) -> Response:
        id_ = self._id(request.path_params["id"])
        writer = self._writer(request)
        answer = await writer.ask(lambda model: model.forget(id_))
        await writer.ask(lambda model: model.save())
        return _respond(answer)

    def _asked(self, given: Any) -> _Step:
        """Return what a prediction that is asked for does to a model."""
        id_, example, text = self._example(given)
        ids = () if id_ is None else (id_,)
        return ids, lambda model: model.predict(id_, example, text)

    def _example(self, given: Any) -> _Example:
        """Return the id of a prediction, its example, and that as JSON."""
        if type(given) is tuple:
            id_, given, text = given
            if id_ is not None:
                self._id(id_)
        else:
            given, text = _object(given, _ASKED), None
            id_ = self._id(given.pop("id")) if "id" in given else None
        if len(given) != 1:
            raise _RefusedError(
                422,
                "example",
                f"a request must have one of {', '.join(FORMS)}, got {len(given)}",
            )
        [(form, value)] = given.items()
        if form not in _ASKED:
            raise _RefusedError(422, "body", f"a request must not have {form!r:.80}")
        if not isinstance(value, _KINDS.get(form, _MAPPING)):
            raise _RefusedError(
                422, "example", f"{form} must have another type, got {value!r:.80}"
            )
        return id_, given, text

    @staticmethod
    def _labelled(id_: str, given: Any) -> _Step:
        """Return what the label of a prediction does to a model."""
        y = _object(given, _LABEL, _LABEL)["label"]
        return (id_,), lambda model: model.label(id_, y)

    def _told(self, given: Any) -> tuple[str, Any]:
        """Return the prediction that a label of a batch is about, and the label."""
        given = _object(given, _TOLD, _TOLD)
        return self._id(given["id"]), given["label"]

    async def _batch(
        self,
        writer: Writer,
        body: bytes,
        read: Callable[[bytes], list[Any]],
        work: Callable[[ServedModel, list[Any]], bytes],
    ) -> Response:
        """Do the lines of a batch in order, in one commit, with a status a line."""
        count = body.count(b"\n") + (not body.endswith(b"\n"))
        if count > self.limits.batch:
            raise _RefusedError(
                413,
                "batch",
                f"a batch must have at most {self.limits.batch} rows, got {count}",
            )
        steps = read(body)
        ids = [step[0] for step in steps if isinstance(step[0], str)]
        rows = await writer.ask(lambda model: work(model, steps), ids)
        return Response(rows, 200, media_type=_NDJSON)

    def _asked_lines(self, body: bytes) -> list[tuple[Any, ...]]:
        """Return what each line of a batch asks for, or why that is refused."""
        flat = flat_lines(body)
        if flat is not None and self._are_ids(flat[0]):
            return [(id_, None, text) for id_, text in zip(*flat, strict=True)]
        return _each(loads_asked_lines(body), self._example)

    def _told_lines(self, body: bytes) -> list[tuple[Any, ...]]:
        """Return the label in each line of a batch, or why that is refused."""
        return _each(loads_lines(body), self._told)

    async def _body(
        self, request: Request, kinds: tuple[str, ...], most: int | None = None
    ) -> tuple[str, bytes]:
        """Return the type of a request and its body; refuse large and slow ones."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in kinds:
            raise _RefusedError(
                415,
                "type",
                f"the content type must be {' or '.join(kinds)}, got {kind!r:.80}",
            )
        most, parts, size = most or self.limits.body, [], 0
        try:
            async with asyncio.timeout(self.limits.patience):
                async for part in request.stream():
                    size += len(part)
                    if size > most:
                        raise _RefusedError(
                            413,
                            "body",
                            f"a request must have at most {most} bytes, got more",
                            connection="close",
                        )
                    parts.append(part)
        except ClientDisconnect:
            raise _RefusedError(400, "body", "the request must be complete") from None
        return kind, b"".join(parts)

    # Models ---------------------------------------------------------------------------

    async def _upload(self, request: Request) -> Response:
        """Begin a model with a model file, which holds numbers and never code."""
        name, late = request.path_params["model"], request.query_params.get("late")
        if late not in (None, *get_args(LateRule)):
            raise _RefusedError(
                422, "late", f"late must be relearn or served, got {late!r:.80}"
            )
        _, file = await self._body(request, (_MODEL,), self.limits.model)
        async with self._uploading:
            if name in self.writers:
                raise _RefusedError(409, "model", f"there is a model {name!r:.80}")
            if self.begin is None or len(self.writers) >= self.limits.models:
                most = f"at most {self.limits.models} models may be served"
                raise _RefusedError(429, "models", most)
            begin = partial(self.begin, name, file, cast("LateRule", late or "relearn"))
            try:
                writer = Writer(await asyncio.to_thread(begin))
            except FileExistsError:
                what = f"there is a folder {name!r:.80}"
                raise _RefusedError(409, "model", what) from None
            except (OSError, LedgerError) as error:
                raise _RefusedError(503, "disk", str(error)) from None
            except LittlestoneError as error:
                raise _RefusedError(422, "model", str(error)) from None
            writer.start()
            self.writers[name] = writer
        found = await writer.ask(_card.card)
        return _respond(Answer(201, {"name": name, **found}))

    # What can be read -----------------------------------------------------------------

    async def _models(self, request: Request) -> Response:
        states = [
            {"name": name, **await writer.ask(_card.state)}
            for name, writer in self._readable(request).items()
        ]
        return _respond(Answer(200, {"models": states}))

    async def _model(self, request: Request) -> Response:
        found = await self._writer(request).ask(_card.card)
        return _respond(Answer(200, {"name": request.path_params["model"], **found}))

    async def _events(self, request: Request) -> Response:
        name = request.query_params.get("model")
        if name is not None and name not in self.writers:
            raise _RefusedError(404, "model", f"there is no model {name!r:.80}")
        may = self._readable(request)
        chosen = {n: w for n, w in may.items() if name in (None, n)}
        if self._readers >= self.limits.events:
            most = f"at most {self.limits.events} readers may follow events"
            raise _RefusedError(503, "readers", most, **{"retry-after": "5"})
        given = request.headers.get("last-event-id", request.query_params.get("after"))
        try:
            after = positions(given, chosen)
        except ValueError as error:
            raise _RefusedError(422, "event", str(error)) from None
        return EventStream(self, chosen, after)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        """Count a reader of events."""
        self._readers += 1
        try:
            yield
        finally:
            self._readers -= 1

    async def _metrics(self, request: Request) -> Response:
        may = self._readable(request)
        states = {name: await writer.ask(_card.state) for name, writer in may.items()}
        kind, text = self.metrics.text(states, self._readers)
        return Response(text, media_type=kind)

    async def _openapi(self, _: Request) -> Response:
        return _respond(Answer(200, document(self.limits)))

    async def _healthz(self, _: Request) -> Response:
        faults = [name for name, writer in self.writers.items() if writer.fault]
        if faults:
            what = f"the ledger of {', '.join(faults)} cannot be written"
            return _respond(Answer.refused(503, "stopped", what))
        return _respond(Answer(200, {"ok": True}))

    async def _readyz(self, request: Request) -> Response:
        if self.closing():
            return _respond(Answer.refused(503, "closing", "the server is stopping"))
        return await self._healthz(request)


def _together(*routes: Route) -> Route:
    """Return one route for several methods, so that a refusal names them all."""
    by_method = {
        method: route.endpoint for route in routes for method in route.methods or ()
    }

    async def endpoint(request: Request) -> Response:
        answer: Response = await by_method[request.method](request)
        return answer

    return Route(routes[0].path, endpoint, methods=list(by_method))


def _each(
    lines: list[Any], read: Callable[[Any], tuple[Any, ...]]
) -> list[tuple[Any, ...]]:
    steps: list[tuple[Any, ...]] = []
    for given in lines:
        try:
            steps.append(read(given))
        except _RefusedError as error:
            steps.append(error.answer)
    return steps


def _predict_many(model: ServedModel, steps: list[Any]) -> bytes:
    return model.predict_many(steps)


def _label_many(model: ServedModel, steps: list[Any]) -> bytes:
    return model.label_many(steps)


def _object(
    given: Any, may: frozenset[str], names: Iterable[str] = ()
) -> dict[str, Any]:
    """Return an object, if it has only names that it may have, and all of `names`."""
    if not isinstance(given, dict):
        if isinstance(given, BadJSONError):
            raise _RefusedError(400, "json", str(given))
        raise _RefusedError(
            422, "body", f"a request must be an object, got {given!r:.80}"
        )
    for name in names:
        if name not in given:
            raise _RefusedError(422, "body", f"a request must have {name!r}")
    for name in given:
        if name not in may:
            raise _RefusedError(422, "body", f"a request must not have {name!r:.80}")
    return given


def _respond(answer: Answer, headers: Mapping[str, str] | None = None) -> Response:
    return Response(dumps(answer.body), answer.status, headers, media_type=_JSON)
