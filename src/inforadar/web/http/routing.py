"""Routes with several methods on one path, so that a 405 lists all allowed methods."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

Endpoint = Callable[[Request], Awaitable[Response]]


def resource(path: str, **endpoints: Endpoint) -> Route:
    """Make a route with one endpoint per method: `resource("/api/opml", get=export, post=import_)`."""

    async def endpoint(request: Request) -> Response:
        method = "get" if request.method == "HEAD" else request.method.lower()
        return await endpoints[method](request)

    return Route(path, endpoint, methods=[method.upper() for method in endpoints])
