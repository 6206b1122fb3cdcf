"""The OpenAPI document: what the routes take and answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.service._inputs import FORMS

if TYPE_CHECKING:
    from littlestone.service._app import Limits

__all__ = ["document"]

_REASONS = {
    400: "Not JSON, or JSON with more than one meaning",
    401: "No token",
    403: "A token that may not do this",
    404: "No such model or prediction",
    408: "The request came too slowly",
    409: "The same id came before with another example or label, or the same name",
    410: "The prediction has expired, or was forgotten",
    413: "Too large",
    415: "Another content type",
    421: "Another host than localhost, without tokens",
    422: "Not what the model takes",
    429: "Too many labels are held, or models served",
    503: "Too many requests, or the ledger cannot be written",
}
_OF_ALL = (401, 403, 421, 503)
_OF_BODIES = (400, 408, 413, 415, 422)

_WHOLE = {"type": "integer", "minimum": 0}
_LABEL = {"type": ["boolean", "number", "string"]}
_NUMBER = {"type": ["number", "null"]}


def document(limits: Limits) -> dict[str, Any]:
    """Return the document, with these limits."""
    id_ = {
        "type": "string",
        "minLength": 1,
        "maxLength": limits.id,
        "pattern": "^[A-Za-z0-9._:@~=+-]+$",
    }
    schemas = _schemas(id_)
    model = {
        "name": "model",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]*$"},
    }
    prediction = {"name": "id", "in": "path", "required": True, "schema": id_}
    one = "/v1/models/{model}"
    paths: dict[str, Any] = {
        f"{one}/predictions": {
            "post": _operation(
                "Predict an example",
                {200: "Prediction", 201: "Prediction"},
                (404, 409, 410, *_OF_BODIES),
                body={"application/json": "Example", "application/x-ndjson": None},
            )
        },
        f"{one}/predictions/{{id}}/label": {
            "put": _operation(
                "Give the label of a prediction",
                {200: "Learned", 202: "Held"},
                (404, 409, 410, 429, *_OF_BODIES),
                body={"application/json": "Label"},
            ),
            "parameters": [prediction],
        },
        f"{one}/predictions/{{id}}": {
            "get": _operation("Look at a prediction", {200: "Look"}, (404, 422)),
            "delete": _operation(
                "Forget the features of a prediction", {200: "Forgotten"}, (404, 422)
            ),
            "parameters": [prediction],
        },
        f"{one}/labels": {
            "post": _operation(
                "Give many labels",
                {200: None},
                (404, *_OF_BODIES),
                body={"application/x-ndjson": None},
            )
        },
        one: {
            "get": _operation("Look at a model", {200: "Model"}, (404,)),
            "put": _operation(
                "Begin a model with a model file",
                {201: "Model"},
                (409, 429, *_OF_BODIES),
                body={"application/octet-stream": "application/octet-stream"},
            )
            | {
                "parameters": [
                    {
                        "name": "late",
                        "in": "query",
                        "schema": {"enum": ["relearn", "served"]},
                    }
                ]
            },
        },
        "/v1/models": {"get": _operation("List the models", {200: "Models"})},
        "/v1/events": {
            "get": _operation(
                "Follow what happens", {200: "text/event-stream"}, (404, 422)
            )
            | {
                "parameters": [
                    {"name": "model", "in": "query", "schema": {"type": "string"}},
                    {"name": "after", "in": "query", "schema": {"type": "string"}},
                    {
                        "name": "last-event-id",
                        "in": "header",
                        "schema": {"type": "string"},
                    },
                ]
            }
        },
        "/metrics": {"get": _operation("Metrics of Prometheus", {200: "text/plain"})},
        "/openapi.json": {"get": _operation("This document", {200: "Object"})},
        "/healthz": {"get": _operation("Whether all works", {200: "Healthy"})},
        "/readyz": {"get": _operation("Whether requests may come", {200: "Healthy"})},
    }
    for path, those in paths.items():
        if path.startswith(one):
            those["parameters"] = [model, *those.get("parameters", [])]
    return {
        "openapi": "3.1.0",
        "info": {"title": "littlestone", "version": "1"},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(
    summary: str,
    answers: dict[int, str | None],
    refusals: tuple[int, ...] = (),
    body: dict[str, str | None] | None = None,
) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status, name in answers.items():
        content = _content(name)
        if body is not None and "application/x-ndjson" in body and name is not None:
            content |= _content(None)
        responses[str(status)] = {"description": summary, "content": content}
    for status in sorted({*refusals, *_OF_ALL}):
        responses[str(status)] = {
            "description": _REASONS[status],
            "content": _content("Refusal"),
        }
    made: dict[str, Any] = {"summary": summary, "responses": responses}
    if body is not None:
        content = {}
        for kind, name in body.items():
            content |= _content(name, kind)
        made["requestBody"] = {"required": True, "content": content}
    return made


def _content(name: str | None, kind: str = "application/json") -> dict[str, Any]:
    if name is None:
        return {"application/x-ndjson": {"schema": {"type": "string"}}}
    if "/" in name:
        return {name: {"schema": {"type": "string"}}}
    return {kind: {"schema": {"$ref": f"#/components/schemas/{name}"}}}


def _object(required: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **more},
    }


def _schemas(id_: dict[str, Any]) -> dict[str, Any]:
    value = {"type": ["boolean", "number"]}
    features = {"type": "object", "additionalProperties": value}
    advice = {"type": "array", "items": {"type": ["boolean", "number", "array"]}}
    forms = {
        "features": features,
        "advice": {"anyOf": [advice, {"type": "object"}]},
        "text": {"type": "string"},
        "row": {"type": "object"},
    }
    said = {
        "id": id_,
        "seq": _WHOLE,
        "prediction": {},
        "learned": _WHOLE,
    }
    beside = {
        "score": {"type": "number"},
        "scores": {"type": "array"},
        "probability": {"type": "number", "minimum": 0, "maximum": 1},
        "probabilities": {"type": "array"},
        # An end is null where nothing bounds it; none where nothing is expected.
        "interval": {"type": "array", "items": _NUMBER, "maxItems": 2},
    }
    learned = {"id": id_, "seq": _WHOLE, "already": {"type": "boolean"}}
    counts = ("seq", "at", "rounds", "mistakes", "open", "held", "expired", "late")
    state = {
        "name": {"type": "string"},
        **dict.fromkeys(counts, _WHOLE),
        "bound": _NUMBER,
        "theorem": {"type": ["string", "null"]},
        "vacuous": {"type": "boolean"},
        "tautological": {"type": "boolean"},
        "exceeded": {"type": "boolean"},
    }
    error = _object({"code": {"type": "string"}, "message": {"type": "string"}})
    text = {"type": "string"}
    return {
        "Example": {
            "type": "object",
            "properties": {"id": id_, **forms},
            "additionalProperties": False,
            "oneOf": [{"required": [form]} for form in FORMS],
        },
        "Label": _object({"label": _LABEL}) | {"additionalProperties": False},
        "Prediction": _object(said, **beside),
        "Learned": _object(
            {**learned, "label": {}}, mistake={"type": "boolean"}, loss=_NUMBER
        ),
        "Held": _object({"id": id_, "held": {"const": True}}, seq=_WHOLE),
        "Look": _object(
            {
                "id": id_,
                "state": {"enum": ["open", "labelled", "expired", "held", "forgotten"]},
            },
            label={},
            mistake={"type": "boolean"},
            loss=_NUMBER,
        ),
        "Forgotten": _object({"id": id_, "already": {"type": "boolean"}}),
        "State": _object(state),
        "Models": _object(
            {
                "models": {
                    "type": "array",
                    "items": {"$ref": "#/components/schemas/State"},
                }
            }
        ),
        "Model": _object(
            {
                **state,
                "learner": text,
                "parameters": {"type": "object"},
                "outcome": {"enum": ["label", "class", "number", "distribution"]},
                "late_rule": {"enum": ["relearn", "served"]},
                "forms": {"type": "array", "items": {"enum": list(FORMS)}},
                "head": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                "theorems": {"type": "array", "items": text},
                "curve": {"type": "array"},
            }
        ),
        "Healthy": _object({"ok": {"const": True}}),
        "Object": {"type": "object"},
        "Refusal": _object({"error": error}),
    }
