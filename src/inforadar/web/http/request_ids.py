"""Each request has an id: in the answer's `X-Request-Id`, and in every log line that is written while it runs.

A reverse proxy that numbers its requests is taken at its word, if that looks like a number of anything.
"""

from __future__ import annotations

import os
import re
from time import perf_counter

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = b"x-request-id"
_USABLE = re.compile(rb"[A-Za-z0-9._-]{1,64}")

log = structlog.get_logger()


class RequestIds:
    """In front of everything."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == HEADER), b"")
        id_ = given if _USABLE.fullmatch(given) else os.urandom(8).hex().encode()
        started = perf_counter()
        status = 0

        async def with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), (HEADER, id_)]}
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=id_.decode()):
            try:
                await self._app(scope, receive, with_id)
            finally:
                log.debug(
                    "request.finished",
                    method=scope["method"],
                    path=scope["path"],
                    status=status,
                    milliseconds=round((perf_counter() - started) * 1000, 1),
                )
