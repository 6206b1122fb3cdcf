"""The page at `/`: files of this package, and nothing from elsewhere."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.routing import Route

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["page_routes"]

_FILES = {
    "index.html": "text/html; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "uPlot.iife.min.js": "text/javascript; charset=utf-8",
    "uPlot.min.css": "text/css; charset=utf-8",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def page_routes() -> list[Route]:
    """Return the routes of the page."""
    return [
        _route("/", "index.html"),
        *(_route(f"/page/{name}", name) for name in _FILES if name != "index.html"),
    ]


def _route(path: str, name: str) -> Route:
    body = files("littlestone.service").joinpath("page", name).read_bytes()
    headers = {"content-security-policy": _POLICY}

    async def endpoint(request: Request) -> Response:
        request.scope["littlestone.route"] = path
        return Response(body, headers=headers, media_type=_FILES[name])

    return Route(path, endpoint, methods=["GET"])
